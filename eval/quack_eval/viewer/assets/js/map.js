// The ship as SVG: rooms and corridors once, people moved about; evidence of the chosen claim highlighted.

function figure(game, seat, { duck = false, body = false } = {}) {
  const { colours, shapes } = game.figures;
  const colour = colours[seat % colours.length];
  const hollow = seat >= shapes.length;
  const points = shapes[seat % shapes.length].map((point) => point.join(",")).join(" ");
  const [r, g, b] = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
  const light = hollow || 0.299 * r + 0.587 * g + 0.114 * b > 140;
  const parts = [
    svg("circle", { class: "ring", r: 1.35 }),
    svg("polygon", { class: "shape", points, fill: colour }),
    hollow && svg("circle", { r: 0.55, fill: "#fff" }),
    svg("text", { class: "letter", y: 0.06, fill: light ? "#10141c" : "#fff" }, game.seats[seat].letter),
  ];
  if (duck) parts.push(svg("circle", { class: "badge", cx: 0.85, cy: -0.85, r: 0.5 }), svg("text", { class: "badge-text", x: 0.85, y: -0.82 }, "D"));
  if (body) parts.push(svg("path", { class: "cross", d: "M-.9 -.9L.9 .9M.9 -.9L-.9 .9" }));
  return parts;
}

const smallFigure = (game, seat, options) =>
  svg("svg", { class: "figure", viewBox: "-1.5 -1.5 3 3", "aria-hidden": "true" }, figure(game, seat, options));

// In place of the ship where a recording has none.
class NoMap {
  constructor(holder) {
    this.narrow = matchMedia("(max-width: 900px)");
    put(holder, el("p", { class: "muted" }, "This recording has no ship: nobody's way can be seen."));
  }

  build() {}

  draw() {}

  highlight() {}
}

class ShipMap {
  constructor(game, holder, choose) {
    this.game = game;
    this.holder = holder;
    this.choose = choose;
    this.narrow = matchMedia("(max-width: 900px)");
    this.figures = new Map();
    this.build();
  }

  build() {
    const { ship } = this.game;
    this.plan = this.narrow.matches ? ship.narrow : ship.wide;
    const [w, h] = this.plan.size;
    this.figures.clear();
    this.ways = this.plan.ways.map((way) => svg("polyline", { class: "way", points: way.points.map((p) => p.join(",")).join(" ") }));
    this.rooms = this.plan.rooms.map((room, number) => this.roomNode(room, ship.rooms[number]));
    this.people = svg("g", { id: "people" });
    this.tags = svg("g", { "aria-hidden": "true" });
    this.node = svg("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-labelledby": "map-title" },
      svg("title", { id: "map-title" }, "The ship"), this.ways, this.plan.ways.map((way) => this.pill(way)), this.rooms, this.people, this.tags);
    put(this.holder, this.node);
  }

  roomNode(room, name) {
    const [x, y, w, h] = room.box;
    const lines = room.name.map((line, k) => svg("text", { x: x + w / 2, y: room.baselines[k], "font-size": this.plan.text }, line));
    const button = name === this.game.ship.button;
    return svg("g", { class: `room${button ? " button-room" : ""}`, "data-room": name },
      svg("title", {}, button ? `${name}, with the meeting button` : name), svg("rect", { x, y, width: w, height: h, rx: 8 }), lines);
  }

  pill(way) {
    const [x, y, w, h] = way.label;
    return svg("g", {}, svg("rect", { class: "pill", x, y, width: w, height: h, rx: h / 2 }),
      svg("text", { class: "pill-text", x: x + w / 2, y: y + h / 2 + 0.5, "font-size": this.plan.text * 0.85 }, way.ticks));
  }

  // Squares for so many people in a room, row by row.
  crowd(count, [x, y, w, h]) {
    let side = Math.max(4, Math.min(2.1 * this.plan.text, w, h));
    while (side > 4 && Math.floor(w / (side + 1)) * Math.floor(h / (side + 1)) < count) side -= 0.5;
    const columns = Math.max(1, Math.floor(w / (side + 1)));
    const rows = Math.ceil(count / columns);
    return Array.from({ length: count }, (_, p) => {
      const inRow = Math.min(columns, count - Math.floor(p / columns) * columns);
      const left = x + (w - inRow * (side + 1)) / 2;
      return [left + (p % columns) * (side + 1) + side / 2, y + (h - rows * (side + 1)) / 2 + Math.floor(p / columns) * (side + 1) + side / 2, side];
    });
  }

  onWay(origin, to, part) {
    const [a, b] = [this.game.room.get(origin), this.game.room.get(to)];
    const way = this.plan.ways.find((one) => (one.a === a && one.b === b) || (one.a === b && one.b === a));
    if (!way) return [0, 0];
    const along = way.a === a ? part : 1 - part;
    const at = (way.shown[0] + (way.shown[1] - way.shown[0]) * along) * (way.points.length - 1);
    const i = Math.min(Math.floor(at), way.points.length - 2);
    const [[x0, y0], [x1, y1]] = [way.points[i], way.points[i + 1]];
    return [x0 + (x1 - x0) * (at - i), y0 + (y1 - y0) * (at - i)];
  }

  spots(people) {
    const found = new Map();
    const rooms = new Map();
    const walkers = [];
    for (const person of people) {
      if (person.place.room === undefined) {
        let [x, y] = this.onWay(person.place.origin, person.place.to, person.place.part);
        const side = 2 * this.plan.text;
        while (walkers.some(([wx, wy]) => Math.hypot(wx - x, wy - y) < side * 0.7)) x += side * 0.7;
        walkers.push([x, y]);
        found.set(person, [x, y, side]);
      } else {
        const there = rooms.get(person.place.room) ?? [];
        there.push(person);
        rooms.set(person.place.room, there);
      }
    }
    for (const [name, there] of rooms) {
      there.sort((p, q) => p.place.body - q.place.body || p.seat - q.seat);
      const area = this.plan.rooms[this.game.room.get(name)].area;
      this.crowd(there.length, area).forEach((spot, k) => found.set(there[k], spot));
    }
    return found;
  }

  // Draws a moment. Whoever is not in `people` is not in the document.
  draw(people, { roles, me = null, speaker = null, involved = [] }) {
    const spots = this.spots(people);
    const wanted = new Set();
    for (const [{ seat, place }, [x, y, side]] of spots) {
      const duck = roles(seat) === "duck";
      const key = `${seat}:${place.body}:${duck}`;
      wanted.add(key);
      let node = this.figures.get(key);
      if (!node) {
        const label = `${this.game.name(seat)}${place.body ? ", dead" : ""}${duck ? ", a Duck" : ""}`;
        node = svg("g", { "data-seat": seat, "data-body": place.body ? "1" : null, onclick: () => this.choose(seat) },
          svg("title", {}, label), figure(this.game, seat, { duck, body: place.body }));
        this.figures.set(key, node);
      }
      if (node.parentNode !== this.people) this.people.append(node);
      const flags = [place.body && "body", seat === me && "me", seat === speaker && "speaking", involved.includes(seat) && "involved"];
      node.setAttribute("class", ["person", ...flags.filter(Boolean)].join(" "));
      node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) scale(${(side / 2.9).toFixed(2)})`;
    }
    for (const [key, node] of this.figures) if (!wanted.has(key)) { node.remove(); this.figures.delete(key); }
  }

  // Marks what a claim says (`claimed`: rooms) and what decides it (`proof`: event rows).
  highlight(claimed, proof) {
    const ticks = new Map();
    const ways = new Set();
    for (const [tick, kind, , , room, to] of proof) {
      const here = kind === "arrive" ? to : room;
      if (here) ticks.set(here, [...(ticks.get(here) ?? []), tick]);
      if (["depart", "arrive"].includes(kind)) ways.add([this.game.room.get(room), this.game.room.get(to)].sort((p, q) => p - q).join());
    }
    this.plan.ways.forEach((way, k) => this.ways[k].classList.toggle("evidence", ways.has([way.a, way.b].sort((p, q) => p - q).join())));
    this.tags.replaceChildren();
    this.game.ship.rooms.forEach((name, number) => {
      this.rooms[number].classList.toggle("claimed", claimed.includes(name));
      this.rooms[number].classList.toggle("evidence", ticks.has(name));
      const labels = [claimed.includes(name) && "claimed", ticks.has(name) && `evidence: t${[...new Set(ticks.get(name))].slice(0, 3).join(", ")}`];
      const text = labels.filter(Boolean).join(" · ");
      if (!text) return;
      const [x, y, w, h] = this.plan.rooms[number].box;
      this.tags.append(svg("text", { class: `tag ${ticks.has(name) ? "evidence" : "claimed"}`, x: x + w / 2, y: y + h - 5, "font-size": this.plan.text * 0.9 }, text));
    });
  }
}
