// The line of time above the slider: meetings, kills and ejections as marks; window and evidence of the chosen claim.

const MARKS = { kill: ["kill", "✝"], meeting_called: ["meeting", "▲"], ejected: ["ejected", "⏏"], game_over: ["over", "■"] };

class Strip {
  constructor(game, cursor, holder) {
    this.game = game;
    this.cursor = cursor;
    this.bands = el("div");
    this.marks = el("div");
    this.proof = el("div");
    this.node = el("div", { class: "strip", role: "group", "aria-label": "Line of time" }, this.bands, this.proof, this.marks);
    holder.append(this.node);
  }

  percent(frame) { return (100 * frame) / Math.max(1, this.cursor.frames.length - 1); }

  where(index) { return this.percent(this.cursor.frameOf(index)); }

  // The marks that an agent knows of (null: all of them).
  build(agent) {
    const { game, cursor } = this;
    const button = (index, kind, sign) => {
      const label = `Tick ${game.events[index][0]}: ${game.eventWords(index)}`;
      const node = el("button", { type: "button", class: `mark ${kind}`, title: label, "aria-label": label, onclick: () => cursor.toEvent(index) }, sign);
      node.style.left = `${this.where(index)}%`;
      return node;
    };
    const found = game.events.flatMap((event, index) => (MARKS[event[1]] && game.perceived(agent, index) ? [button(index, ...MARKS[event[1]])] : []));
    put(this.marks, found);
    const heard = game.meetings.filter((meeting) => game.perceived(agent, meeting.call));
    put(this.bands, heard.map((meeting) => this.band("meeting-band", meeting.call, meeting.end)));
  }

  band(kind, first, last) {
    const node = el("div", { class: kind });
    const [left, right] = [this.where(first), this.where(last)];
    node.style.left = `${left}%`;
    node.style.width = `max(4px, ${right - left}%)`;
    return node;
  }

  choose(finding) {
    if (!finding) return put(this.proof);
    const spans = finding.window?.spans ?? [];
    const windows = spans.map(([first, last]) => this.band("window", first, last));
    if (windows.length) windows[0].setAttribute("title", `window of the claim: ticks ${finding.window.ticks.join("–")}`);
    const proof = finding.evidence.map((index) => {
      const label = `Evidence, tick ${this.game.events[index][0]}: ${this.game.eventWords(index)}`;
      const node = el("button", { type: "button", class: "proof", title: label, "aria-label": label, onclick: () => this.cursor.toEvent(index) }, "◆");
      node.style.left = `${this.where(index)}%`;
      return node;
    });
    put(this.proof, windows, proof);
  }
}
