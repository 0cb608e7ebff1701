// Who is who: everybody, or those that one agent sees and those that it knows to be dead.

class Roster {
  constructor(game, holder, choose) {
    this.game = game;
    this.choose = choose;
    this.known = new Map(); // by seat: [what its row says, the row]
    this.rows = [];
    this.caption = el("caption", { class: "visually-hidden" });
    this.body = el("tbody");
    this.notes = el("div");
    const head = el("thead", {}, el("tr", {}, ["player", "where", "last act", "tasks", "kill"].map((title, k) => el("th", { scope: "col", class: k === 2 ? "did" : null }, title))));
    put(holder, el("div", { class: "scroll" }, el("table", { class: "roster" }, this.caption, head, this.body)), this.notes);
  }

  draw(agent, cursor, people) {
    const { game } = this;
    const { instant, tick } = cursor;
    const at = new Map(people.map((person) => [`${person.seat}:${person.place.body}`, person.place]));
    const listed = (seat) => agent === null || (!game.ship && seat === agent) || at.has(`${seat}:false`) || at.has(`${seat}:true`);
    const seats = game.seats.map((_, seat) => seat).filter(listed);
    for (const seat of this.known.keys()) if (!seats.includes(seat)) this.known.delete(seat);
    const rows = seats.map((seat) => this.row(agent, seat, instant, tick, at));
    if (rows.length !== this.rows.length || rows.some((row, k) => row !== this.rows[k])) put(this.body, rows);
    this.rows = rows;
    this.caption.textContent = agent === null ? "All players" : "Players this agent sees now";
    const dead = (agent === null ? null : game.shown(agent, instant))?.dead.filter((seat) => seat !== agent) ?? [];
    put(this.notes, agent !== null && !game.alive(agent, instant) && el("p", {}, "This agent is out of the game: it perceives nothing any more."),
      dead.length > 0 && el("p", { id: "known-dead" }, "Known to be dead: ", dead.map((seat, k) => [k ? ", " : "", words(game.name(seat))])));
  }

  // A player's row: the one from before where it still says the same.
  row(agent, seat, instant, tick, at) {
    const { game } = this;
    const body = at.has(`${seat}:true`) && !at.has(`${seat}:false`);
    const role = game.role(agent, seat, instant);
    const own = agent === null || agent === seat;
    const out = !game.alive(seat, instant);
    const where = this.where(at.get(`${seat}:${body}`), out, body);
    const did = own ? this.did(seat, instant, out) : "";
    const done = own ? game.tasksDone(seat, instant) : null;
    const kill = own && role === "duck" && !out ? this.kill(seat, instant, tick) : "";
    const says = JSON.stringify([body, role, out, where, did, done, kill]);
    const before = this.known.get(seat);
    if (before?.[0] === says) return before[1];
    const name = el("button", { type: "button", class: "who", title: "see what this agent sees", onclick: () => this.choose(seat) }, smallFigure(game, seat, { duck: role === "duck", body }), " ", words(game.name(seat)));
    const label = role && el("span", { class: `role ${role}` }, ` ${game.seats[seat].part ?? (role === "duck" ? "Duck" : "Goose")}`);
    const node = el("tr", { "data-seat": seat, class: out ? "out" : null }, el("td", {}, name, label), el("td", {}, where),
      el("td", { class: "did" }, words(did)), el("td", {}, done === null ? "" : this.tasks(seat, done, role)), el("td", {}, kill));
    this.known.set(seat, [says, node]);
    return node;
  }

  where(place, out, body) {
    if (!place) return out ? "out of the game" : "in the game";
    if (place.room === undefined) return `${place.origin} → ${place.to}`;
    return body ? `body in ${place.room}` : place.room;
  }

  did(seat, instant, out) {
    const act = out ? null : this.game.lastAct(seat, instant);
    const did = act === null ? "" : this.game.eventWords(act).replace(`${this.game.name(seat)} `, "");
    return did.length > 120 ? `${did.slice(0, 120)}…` : did;
  }

  tasks(seat, done, role) {
    const all = this.game.seats[seat].tasks;
    if (!all.length) return "";
    const fake = role === "duck" ? " (fake)" : "";
    const list = all.map((room) => `${room}: ${this.game.ship.tasks[room]}, ${done.includes(room) ? "done" : "to do"}`).join("\n");
    return el("span", { class: "meter", title: list, role: "img", "aria-label": `${done.length} of ${all.length} tasks done${fake}` },
      "●".repeat(done.length) + "○".repeat(Math.max(0, all.length - done.length)), fake);
  }

  kill(seat, instant, tick) {
    const shown = this.game.shown(seat, instant);
    if (!shown || shown.cooldown < 0) return "";
    const left = Math.max(0, shown.cooldown - (tick - shown.tick));
    return left ? `in ${plural(left, "tick")}` : "may kill";
  }
}
