// The page of a game: one cursor, one choice of whose view it is, one chosen claim; everything else follows.

function gamePage() {
  const data = takeData();
  const game = new Game(data);
  const cursor = new Cursor(data.frames, data.events);
  const tip = new Tip();
  let agent = null;
  let chosen = null;

  const title = el("h1", {}, words(data.title));
  const outcome = data.outcome ? `${data.outcome.winner} won: ${data.outcome.reason}` : { infra_failure: "spoilt by a failure outside it", aborted: "broken off" }[data.status] ?? "no result";
  const view = el("select", { id: "view", "aria-label": "Whose view" }, el("option", { value: "" }, "everything (god's eye)"),
    data.seats.map((seat, k) => el("option", { value: k }, `what ${seat.name} sees`)));
  put(byId("head"), el("div", { class: "grow" }, title, el("div", { class: "muted" }, words(`${data.setting}, seed ${data.seed}`), " · ", el("span", { id: "outcome" }, outcome))),
    data.run_page && el("a", { href: data.run_page }, "all games"), el("label", { class: "muted" }, "View: ", view), el("button", { type: "button", id: "help-button" }, "Keys"), themeButton());

  const broken = !data.outcome || data.status !== "finished" || !data.events.length;
  const [first, ...rest] = broken ? data.notes : [null, ...data.notes];
  put(byId("notes"), first && el("div", { class: "notes bad", role: "alert" }, words(first)),
    rest.length > 0 && el("details", { class: "notes" }, el("summary", {}, "What this recording lacks"), el("ul", {}, rest.map((note) => el("li", {}, words(note))))));

  const strip = new Strip(game, cursor, byId("strip"));
  const map = data.ship ? new ShipMap(game, byId("map"), (seat) => setAgent(agent === seat ? null : seat)) : new NoMap(byId("map"));
  const roster = new Roster(game, byId("roster"), (seat) => setAgent(agent === seat ? null : seat));
  const panels = tabs(byId("tabs"), byId("panels"), [["transcript", "Transcript"], ["claims", `Claims (${data.findings.length})`], ["events", "Events"], ["decisions", "Prompts"], ["beliefs", "Beliefs"], ["about", "Settings"]], "Parts of the game");
  const transcript = new Transcript(game, cursor, panels.panel("transcript"), { choose, tip });
  const decisions = new Decisions(game, cursor, panels.panel("decisions"));
  const beliefs = new Beliefs(game, cursor, panels.panel("beliefs"));

  // --- time ---

  const slider = byId("slider");
  slider.max = Math.max(0, data.frames.length - 1);
  slider.addEventListener("input", () => cursor.toFrame(Number(slider.value)));
  byId("play").addEventListener("click", () => cursor.play(!cursor.playing));
  byId("back").addEventListener("click", () => cursor.step(-1));
  byId("forth").addEventListener("click", () => cursor.step(1));
  byId("speed").addEventListener("change", (event) => cursor.setSpeed(Number(event.target.value)));
  view.addEventListener("change", () => setAgent(view.value === "" ? null : Number(view.value)));
  byId("help-button").addEventListener("click", () => byId("help").showModal());

  function jumpKey(by) {
    const marked = data.events.flatMap((event, index) => (MARKS[event[1]] && game.perceived(agent, index) ? [index] : []));
    const next = by > 0 ? marked.find((index) => index > cursor.instant) : marked.filter((index) => index < cursor.instant).at(-1);
    if (next !== undefined) cursor.toEvent(next);
  }

  const KEYS = {
    ArrowRight: (shift) => (shift ? cursor.toEvent(cursor.instant + 1) : cursor.step(1)),
    ArrowLeft: (shift) => (shift ? cursor.toEvent(cursor.instant - 1) : cursor.step(-1)),
    Home: () => cursor.toFrame(0), End: () => cursor.toFrame(data.frames.length - 1),
    " ": () => cursor.play(!cursor.playing), n: () => jumpKey(1), p: () => jumpKey(-1), g: () => setAgent(null),
    Escape: () => choose(null), "?": () => byId("help").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input:not([type=range]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey;
    if (typing || document.querySelector("dialog[open]")) return;
    if (event.key === " " && event.target.matches("button, summary, a")) return;
    if (event.target === slider && ["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key) && !event.shiftKey) return;
    const digit = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
    if (digit >= 0 && digit < data.seats.length) setAgent(digit);
    else if (KEYS[event.key]) KEYS[event.key](event.shiftKey);
    else return;
    event.preventDefault();
  });

  // --- choices ---

  function setAgent(seat) {
    agent = seat;
    view.value = seat === null ? "" : String(seat);
    document.body.dataset.view = seat === null ? "all" : "agent";
    if (seat !== null && chosen !== null) choose(null);
    for (const name of ["claims", "decisions", "beliefs", "about"]) put(panels.panel(name)); // nothing of another view stays
    for (const name of ["claims", "about"]) panels.allow(name, seat === null);
    if (seat === null) {
      new ClaimTable(game, panels.panel("claims"), choose);
      aboutPanel(game, panels.panel("about"));
    }
    strip.build(seat);
    transcript.build(seat);
    keyEvents();
    draw();
  }

  function choose(number) {
    if (number !== null && agent !== null) setAgent(null);
    chosen = number === chosen ? null : number;
    const finding = chosen === null ? null : data.findings[chosen];
    strip.choose(finding);
    if (finding) panels.show("transcript");
    transcript.open(chosen);
    const events = finding ? finding.evidence : [];
    map.highlight(finding?.rooms ?? [], events.map((index) => data.events[index]));
    const proof = events.at(-1) ?? finding?.window?.spans.at(-1)?.[1];
    if (proof !== undefined) cursor.toEvent(proof);
    else if (finding && finding.event >= 0) cursor.toEvent(finding.event);
    else draw();
  }

  // --- drawing ---

  function keyEvents() {
    const found = data.events.flatMap((event, index) => (["kill", "body_reported", "meeting_called", "ejected", "no_ejection", "task_done", "fallback", "game_over"].includes(event[1]) && game.perceived(agent, index) ? [index] : []));
    const list = found.map((index) => el("li", { "data-event": index }, eventButton(index)));
    put(panels.panel("events"), el("h2", {}, agent === null ? "What mattered" : "What this agent perceived of it"), el("ul", { class: "events" }, list));
  }

  function eventButton(index) {
    return el("button", { type: "button", onclick: () => cursor.toEvent(index) }, `${(data.time ?? "Tick").toLowerCase()} ${data.events[index][0]}: `, words(game.eventWords(index)));
  }

  function nowList() {
    const [from, to] = cursor.fresh;
    const found = [];
    for (let index = from; index <= to && found.length < 60; index += 1) {
      if (game.perceived(agent, index) && game.eventWords(index)) found.push(el("li", {}, eventButton(index)));
    }
    put(byId("now"), found.length ? found : el("li", { class: "muted" }, agent === null ? "Nothing happened." : "It perceived nothing."));
  }

  function draw() {
    const { instant, tick } = cursor;
    slider.value = cursor.frame;
    slider.setAttribute("aria-valuetext", game.momentWords(cursor));
    byId("moment").textContent = game.momentWords(cursor);
    byId("play").textContent = cursor.playing ? "Pause" : "Play";
    const people = data.events.length ? game.people(agent, instant, tick) : [];
    const event = data.events[instant];
    const finding = chosen === null ? null : data.findings[chosen];
    const involved = finding ? [finding.speaker, finding.target] : [];
    map.draw(people, { roles: (seat) => game.role(agent, seat, instant), me: agent, speaker: event?.[1] === "statement" ? event[2] : null, involved });
    roster.draw(agent, cursor, people);
    nowList();
    transcript.draw();
    if (panels.current === "decisions") decisions.draw(agent, cursor.fresh);
    if (panels.current === "beliefs") beliefs.draw(agent);
    remember();
  }

  // --- links to a moment ---

  let due = null;
  function remember() {
    clearTimeout(due);
    due = setTimeout(() => {
      const parts = [`t=${cursor.tick}`, `e=${cursor.instant}`, agent !== null && `agent=${agent}`, chosen !== null && `claim=${chosen}`, panels.current !== "transcript" && `tab=${panels.current}`];
      history.replaceState(null, "", `#${parts.filter(Boolean).join("&")}`);
    }, 200);
  }

  function follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const number = (name, limit) => (/^\d+$/.test(wanted.get(name) ?? "") && Number(wanted.get(name)) < limit ? Number(wanted.get(name)) : null);
    setAgent(number("agent", data.seats.length));
    const [claim, event, tick] = [number("claim", data.findings.length), number("e", data.events.length), number("t", Infinity)];
    if (claim !== null && claim !== chosen) choose(claim);
    if (event !== null) cursor.toEvent(event);
    else if (tick !== null) cursor.toTick(tick);
    const tab = { prompts: "decisions", settings: "about" }[wanted.get("tab")] ?? wanted.get("tab"); // as they are labelled, too
    if (byId(`tab-${tab}`)) panels.show(tab);
  }

  cursor.watch(draw);
  panels.onchange(draw);
  addEventListener("hashchange", follow);
  document.addEventListener("theme", draw);
  map.narrow.addEventListener("change", () => { map.build(); draw(); });
  follow();
  document.body.dataset.ready = "1";
}

function aboutPanel(game, holder) {
  const pairs = (entries) => el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, entries.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, words(value)))))));
  const shown = (value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value));
  put(holder, el("h2", {}, "Seats"), el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["player", "agent", "role", "policy"].map((t) => el("th", { scope: "col" }, t)))),
    el("tbody", {}, game.seats.map((seat) => el("tr", {}, el("td", {}, words(seat.name)), el("td", {}, seat.agent), el("td", {}, seat.role), el("td", {}, words(seat.policy))))))),
    el("h2", {}, "Settings"), pairs([["seed", game.seed], ["speech", game.speech], ["made by", game.made_by], ["status", game.status], ...Object.entries(game.config).map(([name, value]) => [name, shown(value)])]));
}
