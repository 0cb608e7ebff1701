// The one time cursor. A moment is an instant (index of an event) with its tick; frames are the moments steps go through.

class Cursor {
  constructor(frames, events) {
    this.frames = frames; // [instant, tick, kind]
    this.events = events;
    this.frame = 0;
    [this.instant, this.tick] = frames[0] ?? [0, 0];
    this.speed = 2; // frames a second
    this.timer = null;
    this.watchers = [];
  }

  watch(f) { this.watchers.push(f); }

  tell() { this.watchers.forEach((f) => f(this)); }

  toFrame(number) {
    this.frame = Math.max(0, Math.min(this.frames.length - 1, number));
    if (this.frames.length) [this.instant, this.tick] = this.frames[this.frame];
    this.tell();
  }

  // The moment right after an event.
  toEvent(index) {
    if (!this.events.length) return;
    this.instant = Math.max(0, Math.min(this.events.length - 1, index));
    this.tick = this.events[this.instant][0];
    this.frame = this.frameOf(this.instant);
    this.tell();
  }

  // The end of a tick, before any meeting in it.
  toTick(tick) {
    const found = this.frames.findIndex((frame) => frame[1] >= tick && (frame[2] !== "leg" || tick === 0));
    this.toFrame(found < 0 ? this.frames.length - 1 : found);
  }

  // The first frame that an instant is not after.
  frameOf(instant) {
    const found = lastAtMost(this.frames, instant - 0.5, (frame) => frame[0]) + 1;
    return Math.min(found, this.frames.length - 1);
  }

  get kind() { return this.frames[this.frame]?.[2] ?? "tick"; }

  get exact() { return this.frames.length > 0 && this.frames[this.frame][0] === this.instant; }

  // The events since the frame before.
  get fresh() {
    if (!this.events.length) return [0, -1];
    const before = this.frame > 0 ? this.frames[this.frame - 1][0] : -1;
    return [before + 1, this.instant];
  }

  step(by) { this.toFrame(by < 0 && !this.exact ? this.frame - 1 : this.frame + (by > 0 && !this.exact ? 0 : by)); }

  get playing() { return this.timer !== null; }

  play(on) {
    clearInterval(this.timer);
    this.timer = null;
    if (on) {
      if (this.frame >= this.frames.length - 1) this.toFrame(0);
      this.timer = setInterval(() => {
        if (this.frame >= this.frames.length - 1) this.play(false);
        else this.step(1);
      }, 1000 / this.speed);
    }
    this.tell();
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.playing) this.play(true);
  }
}
