// A recorded game, indexed for questions about a moment. In an agent's view every answer comes from that agent's own
// record (`agents[seat]`), which was made from what it could see; nobody else's record is looked at.

class Game {
  constructor(data) {
    Object.assign(this, data);
    this.room = new Map((data.ship?.rooms ?? []).map((name, number) => [name, number]));
    this.acts = data.seats.map(() => []);
    data.events.forEach((event, index) => {
      if (event[2] !== null && event[7]) this.acts[event[2]].push(index);
    });
    this.steps = data.seats.map((_, seat) => this.doneTasks(seat));
  }

  name(seat) { return seat === null || seat === undefined ? "nobody" : this.seats[seat].name; }

  doneTasks(seat) {
    return this.events.flatMap((event, index) => (event[1] === "task_done" && event[2] === seat ? [[index, event[4]]] : []));
  }

  // Where a seat is after an instant: a stay, or null for out of the game.
  stay(seat, instant) {
    const stays = this.stays[seat];
    const p = lastAtMost(stays, instant, (stay) => stay[0]);
    return p >= 0 && instant <= stays[p][1] ? stays[p] : null;
  }

  place(stay, tick) {
    const [, , firstTick, , room, body, origin, to, ticks] = stay;
    if (room !== null) return { room, body: body === 1 };
    return { origin, to, part: Math.max(0, Math.min(1, (tick - firstTick + 0.5) / ticks)), body: false };
  }

  // Everybody that is to be drawn: {seat, place}, for everybody or for one agent.
  people(agent, instant, tick) {
    const found = [];
    const put = (seat) => {
      const stay = this.stay(seat, instant);
      if (stay) found.push({ seat, place: this.place(stay, tick) });
    };
    if (agent === null) {
      this.seats.forEach((_, seat) => put(seat));
      return found;
    }
    if (!this.alive(agent, instant)) return found;
    put(agent);
    for (const [first, last, seat, room, body] of this.agents[agent].sees) {
      if (first <= instant && instant <= last) found.push({ seat, place: { room, body: body === 1 } });
    }
    return found;
  }

  alive(seat, instant) { return !(String(seat) in this.gone) || instant < this.gone[seat]; }

  shown(agent, instant) {
    const list = this.agents[agent].shown;
    const p = lastAtMost(list, instant, (entry) => entry[0]);
    if (p < 0) return null;
    const [, tick, cooldown, dead, ducks, geese, progress] = list[p];
    return { tick, cooldown, dead, ducks, geese, progress };
  }

  perceived(agent, index) { return agent === null || (this.events[index][6] >> agent) & 1; }

  // The role that is known of a seat: to everybody-sees-all, or to one agent.
  role(agent, seat, instant) {
    if (agent === null || agent === seat) return this.seats[seat].role;
    const shown = this.shown(agent, instant);
    if (shown?.ducks.includes(seat)) return "duck";
    return shown?.geese.includes(seat) ? "goose" : null;
  }

  lastAct(seat, instant) {
    const acts = this.acts[seat];
    const p = lastAtMost(acts, instant);
    return p < 0 ? null : acts[p];
  }

  tasksDone(seat, instant) { return this.steps[seat].filter(([index]) => index <= instant).map(([, room]) => room); }

  meetingAt(instant) { return this.meetings.find((meeting) => meeting.call <= instant && instant <= meeting.end) ?? null; }

  eventWords(index) {
    const [, kind, actor, , room, , , text, said] = this.events[index];
    if (kind === "statement") return `${this.name(actor)} spoke`;
    if (kind === "chat") return `${this.name(actor)} said in ${room}: ${said ?? ""}`;
    if (kind === "leg_start") return index === 0 ? "the game began" : "free roam went on; the living were placed anew";
    return text || kind;
  }

  momentWords(cursor) {
    if (!this.events.length) return "Nothing was recorded";
    const [, kind, actor] = this.events[cursor.instant];
    const at = `${this.time ?? "Tick"} ${cursor.tick} of ${this.events.at(-1)[0]}`;
    const meeting = this.meetingAt(cursor.instant);
    if (!meeting) return cursor.exact ? at : `${at}, within it`;
    const speech = kind === "statement" ? `${this.name(actor)} speaks` : { vote: "the vote", result: "the result", over: "the end", call: "the call" }[cursor.kind] ?? "";
    return `${at}${meeting.title ? "" : `, meeting ${meeting.number + 1}`}${speech ? `: ${speech}` : ""}`;
  }
}
