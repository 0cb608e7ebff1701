// Prompts, replies and images of the models' decisions at the cursor. They come packed and are unpacked when first read.

async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

class Decisions {
  constructor(game, cursor, holder) {
    Object.assign(this, { game, cursor, holder });
    this.stored = new Set(game.calls?.stored ?? []);
    this.drawn = new Map((game.calls?.drawn ?? []).map((row) => [row[0], row]));
    this.calls = null;
  }

  async draw(agent, fresh) {
    const { game, holder } = this;
    if (!game.calls) return put(holder, el("p", { class: "muted" }, "This recording holds no calls of models, and no images were drawn (quack view --images draws both images of every decision)."));
    if (this.calls === null) {
      this.calls = [];
      try {
        this.calls = await unpacked(game.calls.packed);
      } catch {
        game.calls.fault ||= "This browser cannot unpack the recorded calls (it lacks DecompressionStream).";
      }
    }
    const [first, last] = fresh;
    const here = this.calls.filter((call) => call.event !== null && first <= call.event && call.event <= last && (agent === null || call.seat === agent));
    const seen = new Set(here.map((call) => call.event));
    const pictures = [...this.drawn.values()].filter(([event, seat]) => first <= event && event <= last && (agent === null || seat === agent) && !seen.has(event));
    put(holder, game.calls.fault && el("p", { class: "notes bad" }, game.calls.fault),
      el("p", { class: "muted" }, `${plural(here.length, "call")} of ${game.calls.count} led to what happened here${agent === null ? "" : " by this agent"}.`),
      here.map((call) => this.call(call)), pictures.map(([event, seat, map, room]) => el("div", { class: "card" }, el("h3", {}, words(game.name(seat)), `: ${game.eventWords(event)}`), this.pair([["map", map], ["room", room]]))));
  }

  call(call) {
    const facts = [call.model, call.modality, call.phase, call.attempt ? `asked again (${call.attempt})` : null, call.cached ? "from the cache" : null,
      call.prompt_tokens !== null ? `${call.prompt_tokens} + ${call.completion_tokens ?? "?"} tokens` : null,
      call.cost !== null ? `$${call.cost}` : "cost unknown", call.latency !== null ? `${call.latency.toFixed(2)} s` : null, call.retries?.length ? `${plural(call.retries.length, "retry").replace("retrys", "retries")}` : null];
    const trouble = [call.error && `error: ${call.error}`, call.failure && `not understood: ${call.failure} ${call.detail ?? ""}`, call.fallback && `declared fallback: ${call.fallback}`].filter(Boolean);
    return el("div", { class: "card", "data-call": call.event }, el("h3", {}, words(this.game.name(call.seat)), `: ${call.decision ?? (call.phase === "discussion" ? "speech" : "no decision")}`),
      el("p", { class: "muted" }, facts.filter(Boolean).join(" · ")), trouble.map((line) => el("p", { class: "v-false" }, line)),
      el("h3", {}, "Reply"), el("pre", { dir: "auto" }, call.reply ?? "(none)"), call.reasoning && this.folded("Reasoning", () => el("pre", { dir: "auto" }, call.reasoning)),
      call.messages.map((message) => this.folded(`Prompt: ${message.role}`, () => [el("pre", { dir: "auto" }, message.text), this.images(message.images, call.event)])));
  }

  folded(title, content) {
    const node = el("details", {}, el("summary", {}, title));
    node.addEventListener("toggle", () => { if (node.open && node.childNodes.length === 1) node.append(...[content()].flat().filter(Boolean)); });
    return node;
  }

  images(images, event) {
    if (!images.length) return null;
    const drawn = this.drawn.get(event);
    const files = images.map(([name, hash]) => [name, this.stored.has(hash) ? `${hash}.png` : drawn ? (name === "map" ? drawn[2] : drawn[3]) : null]);
    if (files.every(([, file]) => file)) return this.pair(files);
    return el("p", { class: "muted" }, "The images were not kept with this recording (--save-images keeps them); quack view --images draws them anew.");
  }

  pair(files) {
    return el("div", { class: "pair" }, files.map(([name, file]) => el("figure", {}, el("img", { src: `images/${file}`, alt: name === "map" ? "the global map as sent" : "the local view as sent", loading: "lazy" }), el("figcaption", { class: "muted" }, name))));
  }
}
