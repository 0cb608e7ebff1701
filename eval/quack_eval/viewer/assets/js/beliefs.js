// What agents believed: curves over time, and at the cursor a matrix and a network.

class Beliefs {
  constructor(game, cursor, holder) {
    Object.assign(this, { game, cursor, holder });
    this.observer = 0;
    this.plotted = null;
  }

  rows(agent) { return this.game.beliefs.rows.filter((row) => agent === null || row[1] === agent); }

  async draw(agent) {
    const { game, holder, cursor } = this;
    if (!game.beliefs) return put(holder, el("p", { class: "muted" }, "Nobody's beliefs were probed in this game."));
    if (agent !== null) this.observer = agent;
    const observers = [...new Set(this.rows(agent).map((row) => row[1]))].sort((p, q) => p - q);
    if (!observers.length) return put(holder, el("p", { class: "muted" }, "This agent's beliefs were not probed."));
    if (!observers.includes(this.observer)) [this.observer] = observers;
    const latest = this.latest(agent, cursor.instant);
    if (this.built !== agent || !this.chart?.isConnected) {
      this.built = agent;
      this.plotted = null;
      this.chart = el("div", { class: "chart", role: "img", "aria-label": "Belief curves; the matrix below has the numbers at the cursor" });
      this.now = el("div");
      const pick = el("select", { "aria-label": "Observer", onchange: (event) => { this.observer = Number(event.target.value); this.plotted = null; this.draw(agent); } },
        observers.map((seat) => el("option", { value: seat, selected: seat === this.observer }, game.name(seat))));
      put(holder, el("div", { class: "filters" }, el("label", {}, "Beliefs of ", pick), game.beliefs.failed > 0 && el("span", { class: "muted" }, `${game.beliefs.failed} probes got no answer that could be read`)), this.chart, this.now);
    }
    put(this.now, el("h3", {}, "How likely a Duck, at the cursor"), this.matrix(latest, observers, agent), this.network(latest, agent));
    await this.curves(agent);
  }

  // The newest belief of every pair before the moment: key "observer:target".
  latest(agent, instant) {
    const found = new Map();
    for (const [event, observer, target, p] of this.rows(agent)) if (event <= instant + 1) found.set(`${observer}:${target}`, p);
    return found;
  }

  async curves(agent) {
    const { game, cursor } = this;
    let Plotly;
    try {
      Plotly = await loadPlotly(game.plotly);
    } catch (fault) {
      return put(this.chart, el("p", { class: "muted" }, `No curves: ${fault.message}.`));
    }
    const line = (x, colour, dash) => ({ type: "line", x0: x, x1: x, y0: 0, y1: 1, line: { color: colour, width: dash ? 1 : 2, dash } });
    const meetings = game.meetings.filter((meeting) => meeting.call <= cursor.instant || agent === null).map((meeting) => line(meeting.call, token("muted"), "dot"));
    const shapes = [...meetings, line(cursor.instant, token("accent"))];
    const key = `${agent}:${this.observer}`;
    if (this.plotted === key) return Plotly.relayout(this.chart, { shapes });
    this.plotted = key;
    const dashes = ["solid", "dash", "dot", "dashdot", "longdash"];
    const traces = game.seats.map((seat, target) => {
      const rows = this.rows(agent).filter((row) => row[1] === this.observer && row[2] === target);
      return { name: seat.name, x: rows.map((row) => row[0]), y: rows.map((row) => row[3]), text: rows.map((row) => `tick ${game.events[Math.min(row[0], game.events.length - 1)]?.[0]}, ${row[4]}`),
        mode: "lines+markers", line: { shape: "hv", color: game.figures.colours[target % 16], dash: dashes[target % 5] }, marker: { symbol: target % 8 } };
    }).filter((trace) => trace.x.length);
    const layout = { ...plotLook(), shapes, margin: { t: 10, r: 10, b: 40, l: 45 }, height: 300, xaxis: { title: { text: "event" }, gridcolor: token("edge") }, yaxis: { title: { text: "p(Duck)" }, range: [-0.02, 1.02], gridcolor: token("edge") }, legend: { orientation: "h", y: -0.25 } };
    put(this.chart);
    await Plotly.newPlot(this.chart, traces, layout, { displaylogo: false, responsive: true });
  }

  matrix(latest, observers, agent) {
    const { game } = this;
    const targets = game.seats.map((_, seat) => seat).filter((seat) => [...latest.keys()].some((key) => key.endsWith(`:${seat}`)));
    if (!targets.length) return el("p", { class: "muted" }, "No probe before this moment.");
    const head = el("tr", {}, el("th", { scope: "col" }, "believer"), targets.map((seat) => el("th", { scope: "col" }, words(game.name(seat)), agent === null && game.seats[seat].role === "duck" ? " (Duck)" : "")));
    const rows = observers.map((observer) => el("tr", {}, el("th", { scope: "row" }, words(game.name(observer))), targets.map((target) => {
      const p = latest.get(`${observer}:${target}`);
      const cell = el("td", { class: "number" }, p === undefined ? "–" : p.toFixed(2));
      if (p !== undefined) cell.style.background = `color-mix(in srgb, var(--alarm) ${Math.round(45 * p)}%, transparent)`;
      return cell;
    })));
    return el("div", { class: "scroll" }, el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, rows)));
  }

  network(latest, agent) {
    const { game } = this;
    const strong = [...latest].filter(([, p]) => p >= 0.5);
    const seats = [...new Set([...latest.keys()].flatMap((key) => key.split(":").map(Number)))].sort((p, q) => p - q);
    if (seats.length < 2) return null;
    const at = new Map(seats.map((seat, k) => [seat, [150 + 110 * Math.sin((2 * Math.PI * k) / seats.length), 140 - 105 * Math.cos((2 * Math.PI * k) / seats.length)]]));
    const edges = strong.map(([key, p]) => {
      const [[x0, y0], [x1, y1]] = key.split(":").map((seat) => at.get(Number(seat)));
      const length = Math.hypot(x1 - x0, y1 - y0) || 1;
      const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
      return svg("path", { class: "edge", "stroke-width": (4 * p).toFixed(1), "marker-end": "url(#arrow)", d: `M${x0 + 16 * ux} ${y0 + 16 * uy}Q${(x0 + x1) / 2 - 18 * uy} ${(y0 + y1) / 2 + 18 * ux} ${x1 - 20 * ux} ${y1 - 20 * uy}` }, svg("title", {}, `${game.name(Number(key.split(":")[0]))} suspects ${game.name(Number(key.split(":")[1]))}: ${p.toFixed(2)}`));
    });
    const nodes = seats.map((seat) => svg("g", { transform: `translate(${at.get(seat).join(" ")}) scale(12)` }, figure(game, seat, { duck: agent === null && game.seats[seat].role === "duck" })));
    return el("div", {}, el("h3", {}, `Who suspects whom (at least 0.5): ${strong.length ? plural(strong.length, "arrow") : "nobody"}`),
      svg("svg", { class: "network", viewBox: "0 0 300 280", role: "img", "aria-label": "Network of suspicion; the matrix has the numbers" },
        svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M0 0L6 3L0 6Z", fill: token("alarm") }))), edges, nodes));
  }
}
