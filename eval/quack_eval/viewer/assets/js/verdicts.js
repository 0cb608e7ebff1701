// How verdicts look: a colour, a symbol, a word and a pattern of the line, so that no one of them is needed alone.

const VERDICTS = {
  true: { symbol: "✓", word: "true", line: [100] },
  false: { symbol: "✗", word: "false", line: [9, 2] },
  wrong_room: { symbol: "≠", word: "wrong room", line: [5, 4] },
  near_miss: { symbol: "≈", word: "near miss", line: [2, 3] },
  unverifiable: { symbol: "?", word: "cannot be checked", line: [1, 6] },
};

const SUPPORTS = { own: "own evidence", testimony: "testimony only", none: "no evidence", self: "self-defence" };

// One line under a passage for every verdict in it.
function underline(node, verdicts) {
  const shown = [...new Set(verdicts)].slice(0, 4);
  const images = shown.map((verdict) => {
    const [on, off] = VERDICTS[verdict].line;
    const colour = `var(--${verdict})`;
    return off ? `repeating-linear-gradient(90deg, ${colour} 0 ${on}px, transparent ${on}px ${on + off}px)` : `linear-gradient(${colour}, ${colour})`;
  });
  node.style.backgroundImage = images.join(", ");
  node.style.backgroundSize = shown.map(() => "100% 2px").join(", ");
  node.style.backgroundPosition = shown.map((_, k) => `0 calc(100% - ${3 * (shown.length - 1 - k)}px)`).join(", ");
  node.style.paddingBottom = `${3 * shown.length - 1}px`;
}

function verdictLabel(finding) {
  const { word } = VERDICTS[finding.verdict] ?? { word: finding.verdict };
  if (finding.kind === "accusation") return `accusation, ${finding.verdict === "true" ? "of a Duck" : "of a Goose"}, ${SUPPORTS[finding.support] ?? "support unknown"}`;
  if (finding.kind === "defense") return `defence, ${SUPPORTS[finding.support] ?? "support unknown"}`;
  return `${finding.kind}: ${word}`;
}

function verdictSymbol(finding) {
  const { symbol } = VERDICTS[finding.verdict] ?? { symbol: "?" };
  if (finding.kind === "accusation") return `${symbol} accuses (${finding.support ?? "?"})`;
  if (finding.kind === "defense") return `defends (${finding.support ?? "?"})`;
  return symbol;
}

function legend() {
  return el("div", { class: "legend", role: "note", "aria-label": "Legend of verdicts" }, Object.entries(VERDICTS).map(([name, { symbol, word }]) => {
    const sample = el("span", { class: `sample v-${name}` }, `${symbol} ${word}`);
    underline(sample, [name]);
    return sample;
  }));
}

// A small box with a claim's verdict beside the pointer or the focus.
class Tip {
  constructor() {
    this.node = el("div", { class: "tip", role: "tooltip", id: "tip", hidden: true });
    document.body.append(this.node);
  }

  over(target, lines) {
    put(this.node, lines.map((line) => el("div", {}, line)));
    this.node.hidden = false;
    const at = target.getBoundingClientRect();
    const box = this.node.getBoundingClientRect();
    this.node.style.left = `${Math.max(4, Math.min(at.left, innerWidth - box.width - 8))}px`;
    this.node.style.top = `${at.bottom + box.height + 8 > innerHeight ? Math.max(4, at.top - box.height - 6) : at.bottom + 6}px`;
  }

  off() { this.node.hidden = true; }

  on(target, lines) {
    for (const name of ["mouseenter", "focus"]) target.addEventListener(name, () => this.over(target, lines()));
    for (const name of ["mouseleave", "blur"]) target.addEventListener(name, () => this.off());
  }
}
