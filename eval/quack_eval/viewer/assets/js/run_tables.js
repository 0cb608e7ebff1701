// Tables of estimates. Every number shown carries its full value, as it stands in measures.json, in `data-value`.

// A value with so many digits after the point. Halves go to the even digit, as in the tables and the report.
function rounded(value, digits) {
  const text = value.toFixed(digits), exact = value.toFixed(60);
  const end = exact.indexOf(".") + 1 + digits;
  return /^50*$/.test(exact.slice(end)) && Number(text.at(-1)) % 2 ? exact.slice(0, end) : text;
}

class Estimates {
  constructor(data) {
    this.data = data;
    this.percent = new Set(data.percent);
    this.pooled = false;
  }

  text(value, measure) {
    if (value === null || value === undefined) return "–";
    return this.percent.has(measure) ? rounded(100 * value, 1) : rounded(value, 2);
  }

  interval(pair, measure) {
    if (!pair) return "";
    if (Math.abs(pair[1] - pair[0]) < 1e-6) return "all alike";
    return `[${this.text(pair[0], measure)}, ${this.text(pair[1], measure)}]`;
  }

  point(estimate) { return this.pooled ? estimate.pooled : estimate.mean; }

  bounds(estimate) { return this.pooled ? estimate.pooled_interval : estimate.mean_interval; }

  cell(estimate, measure) {
    if (!estimate) return el("td", { class: "number" }, "–");
    const value = this.point(estimate);
    const few = !this.pooled && estimate.n < estimate.games ? `n = ${estimate.n}` : null;
    const title = `${estimate.numerator} / ${estimate.denominator}, defined in ${estimate.n} of ${plural(estimate.games, "game")}`;
    return el("td", { class: "number", "data-measure": measure, "data-value": value === null ? "" : String(value), title },
      this.text(value, measure), el("div", { class: "interval" }, this.interval(this.bounds(estimate), measure)), few && el("div", { class: "interval" }, few));
  }

  heading(measure, heading) { return el("th", { scope: "col", class: "number", title: measure }, heading, this.percent.has(measure) && !heading.includes("%") ? " %" : ""); }

  // A table of one tier: a row for every group.
  tier(layout, groups, first) {
    const columns = layout.columns.filter(([measure]) => Object.values(groups).some((estimates) => measure in estimates));
    if (!columns.length) return null;
    const games = (estimates) => Math.max(0, ...Object.values(estimates).map((estimate) => estimate.games));
    const rows = Object.entries(groups).map(([name, estimates]) => el("tr", { "data-group": name }, el("th", { scope: "row" }, words(name)), el("td", { class: "number" }, games(estimates)), columns.map(([measure]) => this.cell(estimates[measure], measure))));
    return el("section", {}, el("h2", {}, layout.title), el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, first), el("th", { scope: "col", class: "number" }, "games"), columns.map(([measure, heading]) => this.heading(measure, heading)))), el("tbody", {}, rows))));
  }

  // Two settings beside each other, measure by measure, and their difference over shared seeds where it was computed.
  comparison(first, second) {
    const { settings, comparisons } = this.data;
    const found = (comparisons ?? []).find((one) => (one.first === first && one.second === second) || (one.first === second && one.second === first));
    const sign = found && found.first !== first ? -1 : 1;
    const difference = (measure) => {
      const value = found?.measures[measure];
      if (!value || value.mean === null) return [el("td", { class: "number" }, "–"), el("td", { class: "number" }, "–")];
      const pair = value.mean_interval && [sign * value.mean_interval[0], sign * value.mean_interval[1]].sort((p, q) => p - q);
      const clear = pair && (pair[0] > 0 || pair[1] < 0);
      return [el("td", { class: "number", "data-difference": String(sign * value.mean) }, clear ? el("strong", {}, this.text(sign * value.mean, measure)) : this.text(sign * value.mean, measure), el("div", { class: "interval" }, this.interval(pair, measure))), el("td", { class: "number" }, value.seeds)];
    };
    const measures = this.data.layouts.flatMap((layout) => layout.columns).filter(([measure], k, all) => measure in settings[first] && all.findIndex(([name]) => name === measure) === k);
    const rows = measures.map(([measure, heading]) => el("tr", {}, el("th", { scope: "row", title: measure }, heading), this.cell(settings[first][measure], measure), this.cell(settings[second][measure], measure), difference(measure)));
    const note = found ? "Differences are over the seeds that both settings have, by resampling seeds; those whose interval is clear of zero are bold." : "The run holds no paired difference of these two: they differ in more than one thing, or it was evaluated without comparisons.";
    return el("div", {}, el("p", { class: "muted" }, note), el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "measure"), el("th", { scope: "col", class: "number" }, words(first)), el("th", { scope: "col", class: "number" }, words(second)), el("th", { scope: "col", class: "number" }, "difference"), el("th", { scope: "col", class: "number" }, "seeds"))), el("tbody", {}, rows))));
  }
}

// A table of plain rows; numbers to the right.
function plainTable(heads, rows) {
  const number = (value) => typeof value === "number";
  const shown = (value) => (value === null || value === undefined ? "–" : number(value) && !Number.isInteger(value) ? rounded(value, 2) : String(value));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, heads.map((head, k) => el("th", { scope: "col", class: rows.some((row) => number(row[k])) ? "number" : null }, head)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((value) => el("td", number(value) ? { class: "number", "data-value": String(value) } : {}, words(shown(value)))))))));
}
