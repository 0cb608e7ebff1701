// Meetings as they went: what was said with its claims underlined, the votes, who accused whom on what evidence.

class Transcript {
  constructor(game, cursor, holder, { choose, tip }) {
    Object.assign(this, { game, cursor, holder, choose, tip });
    this.findingNode = null;
  }

  build(agent) {
    const { game } = this;
    this.agent = agent;
    this.spoken = []; // [instant, node]
    const heard = this.game.meetings.filter((meeting) => this.game.perceived(agent, meeting.call));
    this.parts = heard.map((meeting) => this.meeting(meeting));
    this.early = el("p", { class: "muted", hidden: true }, "No meeting yet.");
    put(this.holder, agent === null && game.findings.length > 0 && legend(), this.early, this.parts.map((part) => part.node));
    if (!heard.length) put(this.holder, el("p", { class: "muted" }, this.game.meetings.length ? "This agent took part in no meeting." : "There was no meeting in this game."));
    this.now = null;
    this.draw();
  }

  meeting(meeting) {
    const { game, agent } = this;
    const bodies = meeting.bodies.map((seat) => game.name(seat)).join(", ");
    const why = meeting.by_body ? `reported ${bodies ? `the body of ${bodies}` : "a body"}` : "pressed the button";
    const title = el("h2", {}, meeting.title ?? `Meeting ${meeting.number + 1}, tick ${meeting.tick}`);
    const call = el("p", {}, meeting.caller !== null && [words(game.name(meeting.caller)), ` ${why}. `], this.jump(meeting.call, "go to its beginning"));
    const said = meeting.spoken.map((one) => this.said(one));
    const end = el("div", {}, this.votes(meeting), agent === null && this.accusations(meeting));
    const node = el("section", { "data-meeting": meeting.number }, title, call, said.map(([, part]) => part), end);
    this.spoken.push(...said);
    return { meeting, node, call: [title, call], said, end };
  }

  jump(index, label) { return el("button", { type: "button", class: "no-print", onclick: () => this.cursor.toEvent(index) }, label); }

  said({ event, speaker, round, pieces }) {
    const { game } = this;
    const who = el("button", { type: "button", class: "who", title: "go to this moment", onclick: () => this.cursor.toEvent(event) },
      smallFigure(game, speaker), " ", words(game.name(speaker)));
    const text = el("span", { class: "words", dir: "auto" });
    pieces.forEach(([part, numbers], k) => {
      text.append(this.agent === null && numbers.length ? this.passage(part, numbers) : document.createTextNode(part));
      if (this.agent !== null) return;
      const goesOn = pieces[k + 1]?.[1] ?? [];
      text.append(...numbers.filter((number) => !goesOn.includes(number)).map((number) => this.marker(number)));
    });
    const node = el("div", { class: "said", "data-event": event }, who, el("span", { class: "muted" }, game.ship ? ` round ${round}` : ""), text);
    return [event, node];
  }

  passage(part, numbers) {
    const findings = numbers.map((number) => this.game.findings[number]);
    const node = el("span", { class: "passage", "data-claims": numbers.join(" "), onclick: () => this.choose(numbers[0]) }, part);
    underline(node, findings.map((finding) => finding.verdict));
    this.tip.on(node, () => findings.map((finding) => `${verdictLabel(finding)}: ${finding.reason}`));
    return node;
  }

  marker(number) {
    const finding = this.game.findings[number];
    const node = el("button", { type: "button", class: `claim v-${finding.verdict}`, "data-claim": number, "aria-expanded": "false",
      "aria-label": `Claim: ${finding.words}. ${verdictLabel(finding)}`, onclick: () => this.choose(number) }, verdictSymbol(finding));
    this.tip.on(node, () => [finding.words, `${verdictLabel(finding)}: ${finding.reason}`]);
    return node;
  }

  votes(meeting) {
    const { game, agent } = this;
    const known = meeting.votes.filter(([index]) => game.perceived(agent, index));
    const result = meeting.ejected !== null ? [words(game.name(meeting.ejected)), " was ejected."] : meeting.voted ? "Nobody was ejected." : "There was no vote.";
    if (!known.length) return el("p", {}, result);
    const rows = known.map(([index, voter, target]) => el("tr", {},
      el("td", {}, words(game.name(voter))), el("td", {}, target === null ? "skip" : words(game.name(target))), el("td", {}, this.jump(index, "go"))));
    const counts = new Map();
    for (const [, , target] of known) counts.set(target, (counts.get(target) ?? 0) + 1);
    const tally = [...counts].sort((p, q) => q[1] - p[1]).map(([target, count], k) => [k ? ", " : "", target === null ? "skip" : words(game.name(target)), ` ${count}`]);
    return el("div", {}, el("h3", {}, agent === null ? "Votes" : "Votes known to this agent"), el("table", {}, el("thead", {}, el("tr", {}, ["voter", "for", ""].map((t) => el("th", { scope: "col" }, t)))), el("tbody", {}, rows)),
      el("p", {}, agent === null && ["Tally: ", tally, ". "], result));
  }

  accusations(meeting) {
    const { game } = this;
    const found = game.findings.map((finding, number) => [finding, number]).filter(([finding]) => finding.kind === "accusation" && finding.meeting === meeting.number);
    if (!found.length) return null;
    const rows = found.map(([finding, number]) => el("tr", {}, el("td", {}, words(game.name(finding.speaker))),
      el("td", {}, finding.target === null ? "somebody" : words(game.name(finding.target)), finding.target === null ? "" : game.seats[finding.target].role === "duck" ? ", a Duck" : ", a Goose"),
      el("td", {}, `${SUPPORTS[finding.support] ?? "?"}${finding.grounds && finding.grounds !== finding.support ? `: ${finding.grounds}` : ""}`), el("td", {}, this.marker(number))));
    return el("div", {}, el("h3", {}, "Accusations and their evidence"), el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["by", "against", "evidence", ""].map((t) => el("th", { scope: "col" }, t)))), el("tbody", {}, rows))));
  }

  // Marks the utterance at the cursor; an agent's view ends there.
  draw() {
    const { instant } = this.cursor;
    if (this.agent !== null) {
      for (const { meeting, node, call, said, end } of this.parts) {
        const parts = meeting.call <= instant ? [...call, ...said.filter(([event]) => event <= instant).map(([, part]) => part)] : [];
        if (meeting.end <= instant) parts.push(end);
        if (node.childNodes.length !== parts.length) put(node, parts);
      }
      this.early.hidden = !this.parts.length || this.parts[0].meeting.call <= instant;
    }
    const p = this.spoken.findIndex(([event]) => event === instant);
    const now = p < 0 ? null : this.spoken[p][1];
    if (now === this.now) return;
    this.now?.classList.remove("now");
    now?.classList.add("now");
    this.now = now;
    if (now) this.reveal(now);
  }

  // Scrolls to an utterance: within its panel, or (asked for by the reader) the page where it is one column.
  reveal(node, asked = false) {
    if (this.holder.hidden) return;
    const frame = this.holder.closest(".panels");
    const [a, b] = [node.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (frame.scrollHeight > frame.clientHeight + 1) {
      if (asked || a.top < b.top || a.bottom > b.bottom) frame.scrollTop += a.top - b.top - (asked ? 8 : 60);
    } else if (asked) node.scrollIntoView({ block: "start" });
  }

  // Opens a finding under its utterance (null closes it).
  open(number) {
    this.findingNode?.remove();
    for (const node of this.holder.querySelectorAll(".chosen")) node.classList.remove("chosen");
    for (const node of this.holder.querySelectorAll("[aria-expanded='true']")) node.setAttribute("aria-expanded", "false");
    if (number === null || this.agent !== null) return;
    const finding = this.game.findings[number];
    for (const node of this.holder.querySelectorAll(".passage")) node.classList.toggle("chosen", node.dataset.claims.split(" ").includes(String(number)));
    for (const node of this.holder.querySelectorAll(`[data-claim="${number}"]`)) { node.classList.add("chosen"); node.setAttribute("aria-expanded", "true"); }
    this.findingNode = findingBox(this.game, this.cursor, finding, () => this.choose(null));
    const under = this.holder.querySelector(`.said[data-event="${finding.event}"]`) ?? this.holder.querySelector(`[data-meeting="${finding.meeting}"]`);
    if (under?.classList.contains("said")) under.after(this.findingNode);
    else (under ?? this.holder).prepend(this.findingNode);
    this.reveal(under ?? this.findingNode, true);
  }
}

function findingBox(game, cursor, finding, close) {
  const rows = [
    ["claim", words(finding.words)],
    ["verdict", el("strong", { class: `v-${finding.verdict}` }, `${verdictSymbol(finding)} ${verdictLabel(finding)}`)],
    ["reason", words(finding.reason)],
  ];
  if (finding.attribution) rows.push(["whose word", finding.attribution]);
  if (finding.window) rows.push(["window", `ticks ${finding.window.ticks.join("–")}: ${finding.window.how}${finding.window.known ? "" : " (the words were not understood; the whole stretch stands in)"}`]);
  if (finding.failure) rows.push(["failure mode", finding.failure]);
  if (finding.exposed.length) rows.push(["exposed to", finding.exposed.map((seat, k) => [k ? ", " : "", words(game.name(seat))])]);
  else if (finding.verdict === "false" && finding.kind !== "accusation") rows.push(["exposed to", "nobody: no living listener's perceptions contradict it"]);
  if (finding.omitted.length) rows.push(["left out", finding.omitted.join(", ")]);
  const events = finding.evidence.map((index) => el("li", {}, el("button", { type: "button", onclick: () => cursor.toEvent(index) }, `tick ${game.events[index][0]}: ${game.eventWords(index)}`)));
  return el("div", { class: "finding", role: "region", "aria-label": "Finding" },
    el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    el("h3", {}, events.length ? "Events that decide it" : "No event decides it"), el("ul", { class: "events" }, events),
    el("p", { class: "no-print controls" }, el("button", { type: "button", onclick: () => cursor.toEvent(finding.event) }, "to where it was said"),
      el("button", { type: "button", onclick: () => byId("stage").scrollIntoView({ block: "start" }) }, "to the map"), el("button", { type: "button", onclick: close }, "close")));
}

// All claims in a table, filtered by verdict, failure mode and speaker.
class ClaimTable {
  constructor(game, holder, choose) {
    Object.assign(this, { game, holder, choose });
    const verdicts = [...new Set(game.findings.map((finding) => finding.verdict))];
    const failures = [...new Set(game.findings.map((finding) => finding.failure).filter(Boolean))];
    this.what = el("select", { "aria-label": "Which claims", onchange: () => this.draw() }, el("option", { value: "" }, "all claims"),
      verdicts.map((v) => el("option", { value: `verdict:${v}` }, VERDICTS[v]?.word ?? v)), failures.map((f) => el("option", { value: `failure:${f}` }, f)),
      game.findings.some((finding) => finding.exposed.length) && el("option", { value: "exposed" }, "exposed lies"));
    this.who = el("select", { "aria-label": "Speaker", onchange: () => this.draw() }, el("option", { value: "" }, "everybody"), game.seats.map((seat, k) => el("option", { value: k }, seat.name)));
    this.rows = el("tbody");
    this.count = el("span", { class: "muted", role: "status" });
    put(holder, el("div", { class: "filters" }, this.what, this.who, this.count),
      el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["tick", "speaker", "claim", "verdict"].map((t) => el("th", { scope: "col" }, t)))), this.rows)));
    this.draw();
  }

  draw() {
    const [field, value] = this.what.value.split(/:(.*)/);
    const found = this.game.findings.map((finding, number) => [finding, number]).filter(([finding]) =>
      (!field || (field === "exposed" ? finding.exposed.length > 0 : finding[field] === value)) && (!this.who.value || finding.speaker === Number(this.who.value)));
    this.count.textContent = `${found.length} of ${plural(this.game.findings.length, "claim")}`;
    put(this.rows, found.map(([finding, number]) => el("tr", {}, el("td", { class: "number" }, finding.event >= 0 ? this.game.events[finding.event][0] : "?"),
      el("td", {}, words(this.game.name(finding.speaker))),
      el("td", {}, el("button", { type: "button", "data-jump": number, onclick: () => this.choose(number) }, words(finding.words))),
      el("td", { class: `v-${finding.verdict}`, title: finding.reason }, `${verdictSymbol(finding)} ${verdictLabel(finding)}`))));
  }
}
