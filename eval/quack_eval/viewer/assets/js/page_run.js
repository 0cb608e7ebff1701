// The page of a run: settings with intervals, games to look into, two settings compared, ratings, costs.

const SHOWN = 300; // games listed at once

function runPage() {
  const data = takeData();
  const estimates = new Estimates(data);
  put(byId("head"), el("div", { class: "grow" }, el("h1", {}, words(data.title)), el("div", { class: "muted" }, `${plural(data.games.length, "game")}, ${plural(Object.keys(data.settings).length, "setting")}`)), themeButton());
  const unscored = data.games.filter((game) => game.why);
  if (unscored.length) put(byId("notes"), el("p", { class: "notes bad" }, `${plural(unscored.length, "game")} not scored: ${[...new Set(unscored.map((game) => game.why))].join(", ")}. They are listed under Games.`));
  for (const notice of data.notices ?? []) byId("notes").append(el("p", { class: "notes" }, `Note: ${notice}.`));
  const names = Object.keys(data.settings);
  const panels = tabs(byId("tabs"), byId("panels"), [["settings", "Settings"], ["games", "Games"], ["compare", "Compare"], ["ratings", "Ratings"], ["costs", "Costs and failures"]], "Parts of the run");

  // --- settings ---

  const kind = el("select", { id: "estimator", "aria-label": "Estimator", onchange: () => { estimates.pooled = kind.value === "pooled"; settings(); chart(); } },
    el("option", { value: "mean" }, "mean over the games where it is defined"), el("option", { value: "pooled" }, "pooled: sums over sums"));
  const tables = el("div");
  const measures = data.layouts.flatMap((layout) => layout.columns).filter(([name], k, all) => name in data.measures && all.findIndex(([other]) => other === name) === k);
  const measure = el("select", { "aria-label": "Measure", onchange: chart }, measures.map(([name, heading]) => el("option", { value: name }, heading)));
  const plot = el("div", { class: "chart", role: "img", "aria-label": "The measure by setting, with 95 % intervals; the tables below have the numbers" });
  put(panels.panel("settings"), el("div", { class: "filters" }, el("label", {}, "Numbers: ", kind), el("label", {}, "Chart: ", measure)), el("p", { class: "muted" }, "95 % intervals by resampling whole games (Wilson for wins). Rates in percent."), plot, tables);

  function settings() {
    const groups = { ...data.settings, "all games": data.measures };
    const roles = Object.entries(data.roles ?? {}).flatMap(([role, models]) => [el("h2", {}, `By the ${role === "goose" ? "Geese" : "Ducks"}' policy`), data.layouts.map((layout) => estimates.tier(layout, models, "policy"))]);
    put(tables, data.layouts.map((layout) => estimates.tier(layout, groups, "geese x ducks")), el("details", {}, el("summary", {}, "By policy and role"), roles));
  }

  async function chart() {
    let Plotly;
    try {
      Plotly = await loadPlotly(data.plotly);
    } catch (fault) {
      return put(plot, el("p", { class: "muted" }, `No chart: ${fault.message}.`));
    }
    const name = measure.value;
    const factor = estimates.percent.has(name) ? 100 : 1;
    const rows = names.map((setting) => [setting, data.settings[setting][name]]).filter(([, estimate]) => estimate && estimates.point(estimate) !== null);
    const points = rows.map(([, estimate]) => factor * estimates.point(estimate));
    const reach = (k) => rows.map(([, estimate], p) => (estimates.bounds(estimate) ? Math.abs(factor * estimates.bounds(estimate)[k] - points[p]) : 0));
    const trace = { type: "scatter", mode: "markers", marker: { size: 11, color: token("accent") }, x: points, y: rows.map(([setting]) => setting), error_x: { type: "data", symmetric: false, array: reach(1), arrayminus: reach(0), color: token("muted") } };
    const layout = { ...plotLook(), height: 90 + 34 * Math.max(rows.length, 2), margin: { t: 10, r: 20, b: 45, l: 10 }, xaxis: { title: { text: `${measure.selectedOptions[0].textContent.replace(/ ?%$/, "")}${factor === 100 ? " (percent)" : ""}` }, gridcolor: token("edge"), rangemode: "tozero" }, yaxis: { automargin: true, autorange: "reversed", gridcolor: token("edge") } };
    put(plot);
    await Plotly.newPlot(plot, [trace], layout, { displaylogo: false, responsive: true });
  }

  // --- games ---

  const choice = (label, options) => el("select", { "aria-label": label, "data-filter": label, onchange: games }, options.map(([value, text]) => el("option", { value }, text)));
  const filters = {
    winner: choice("winner", [["", "any winner"], ["geese", "geese won"], ["ducks", "ducks won"]]),
    setting: choice("setting", [["", "all settings"], ...names.map((name) => [name, name])]),
    lies: choice("lies", [["", "with and without lies"], ["lies", "with lies of a Duck"], ["exposed", "with exposed lies"], ["none", "without lies"]]),
    failure: choice("failure", [["", "any failure mode"], ...[...new Set(data.games.flatMap((game) => Object.keys(game.failures ?? {})))].map((mode) => [mode, mode])]),
    status: choice("status", [["", "any status"], ["finished", "finished"], ["infra_failure", "infra failure"], ["aborted", "broken off"], ["damaged", "damaged"]]),
  };
  const count = el("span", { class: "muted", role: "status" });
  const list = el("tbody");
  put(panels.panel("games"), el("div", { class: "filters" }, Object.values(filters), count), el("div", { class: "scroll" }, el("table", { id: "games" }, el("thead", {}, el("tr", {}, ["game", "setting", "seed", "result", "ticks", "kills", "claims", "lies", "exposed"].map((head, k) => el("th", { scope: "col", class: k > 3 || k === 2 ? "number" : null }, head)))), list)));

  function games() {
    const wanted = Object.fromEntries(Object.entries(filters).map(([name, select]) => [name, select.value]));
    const lies = { "": () => true, lies: (game) => game.lies > 0, exposed: (game) => game.exposed > 0, none: (game) => game.lies === 0 };
    const found = data.games.filter((game) => (!wanted.winner || game.winner === wanted.winner) && (!wanted.setting || game.setting === wanted.setting) && lies[wanted.lies](game)
      && (!wanted.failure || game.failures?.[wanted.failure] > 0) && (!wanted.status || game.status === wanted.status));
    count.textContent = `${found.length} of ${plural(data.games.length, "game")}${found.length > SHOWN ? `, the first ${SHOWN} shown` : ""}`;
    const cell = (value) => el("td", { class: "number" }, value ?? "–");
    put(list, found.slice(0, SHOWN).map((game) => el("tr", {}, el("td", {}, el("a", { href: game.page }, words(game.game))), el("td", {}, words(game.setting ?? "–")), cell(game.seed),
      el("td", {}, game.why ?? `${game.winner}: ${game.reason}`), cell(game.ticks), cell(game.kills), cell(game.claims), cell(game.lies), cell(game.exposed))));
  }

  // --- the rest ---

  const pickers = [0, 1].map((k) => el("select", { "aria-label": k ? "Second setting" : "First setting", onchange: compare }, names.map((name, p) => el("option", { value: name, selected: p === Math.min(k, names.length - 1) }, name))));
  const compared = el("div");
  put(panels.panel("compare"), el("div", { class: "filters" }, pickers[0], " against ", pickers[1]), compared);

  function compare() { if (names.length) put(compared, estimates.comparison(pickers[0].value, pickers[1].value)); }

  const ratings = data.ratings ?? [];
  put(panels.panel("ratings"), ratings.length ? [el("p", { class: "muted" }, "openskill; 25 is an average policy, intervals over games. Ratings of one role can be compared with each other only."),
    plainTable(["role", "rank", "policy", "games", "won", "rating", "low", "high"], ratings.map((one) => [one.role, one.rank, one.policy, one.games, one.won, one.rating, one.low, one.high]))] : el("p", { class: "muted" }, "This run has no ratings: quack bench makes them."));
  const cost = data.cost ?? [];
  const failed = data.failed ?? [];
  put(panels.panel("costs"), cost.length ? plainTable(["setting", "games", "finished", "failed", "calls", "tokens", "US dollars"], cost.map((one) => [one.setting, one.games, one.finished, one.failed, one.calls, one.tokens, one.cost_usd])) : el("p", { class: "muted" }, "This run has no table of costs: quack bench makes it."),
    el("h2", {}, "Failures"), failed.length ? plainTable(["game", "attempts", "error"], failed.map((one) => [one.game, one.attempts, one.error])) : el("p", { class: "muted" }, "No game was given up."),
    data.messages?.length > 0 && [el("h2", {}, "Left out of the scores"), el("ul", {}, data.messages.map((message) => el("li", {}, words(message))))]);

  settings();
  games();
  compare();
  if (names.length) chart();
  else panels.show("games");
  document.addEventListener("theme", chart);
  document.body.dataset.ready = "1";
}
