"""How large the viewer's pages are, how fast they open and step: `python benchmarks/viewer.py [--chromium PATH]`.

Two recorded games are made and shown in a headless Chromium: six players with models' prompts of realistic length, and
twelve players on the large ship over all 200 ticks, with meetings. Opening is from the call to the page's readiness;
a step is everything that an arrow key causes, layout included.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import quack_env
from quack_agents import RandomPolicy, ScriptedPolicy, play
from quack_eval import Trajectory
from quack_eval.viewer import view

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
STEPS = """(key) => {
    const spent = [];
    const steps = Number(document.getElementById('slider').max);
    for (let k = 0; k < steps; k += 1) {
        const before = performance.now();
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
        document.body.getBoundingClientRect();
        spent.push(performance.now() - before);
    }
    return spent;
}"""


def main() -> None:
    """Make the games, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    chromium = parser.parse_args().chromium
    with tempfile.TemporaryDirectory() as folder:
        games = [with_prompts(six_players(Path(folder) / "six")), twelve_players(Path(folder) / "twelve")]
        for game in games:
            start = time.perf_counter()
            index = view(game, game / "view").index
            made = time.perf_counter() - start
            events = Trajectory.load(game).events
            size = index.stat().st_size
            print(
                f"{game.name}: {events[-1].tick} ticks, {len(events)} events; made in {made:.1f} s, {size / 1e6:.2f} MB"
            )
            if chromium:
                measure(chromium, index)


def measure(chromium: str, index: Path) -> None:
    """Print what the page takes to open, and what its steps take in both kinds of view."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda fault: print(f"  error on the page: {fault}"))
        clock = page.context.new_cdp_session(page)
        clock.send("Performance.enable", {"timeDomain": "threadTicks"})
        opened = [opening(page, index) for _ in range(5)]
        middle, most = 1000 * statistics.median(opened), 1000 * max(opened)
        print(f"  opens in {middle:.0f} ms (median of 5; the longest {most:.0f})")
        for name, fragment in (("everything", "#t=0"), ("one agent", "#t=0&agent=0")):
            page.goto("about:blank")
            busy = processor_time(clock)
            page.goto(index.resolve().as_uri() + fragment)
            page.wait_for_selector("body[data-ready]")
            ready = processor_time(clock)
            spent = sorted(page.evaluate(STEPS, "ArrowRight"))
            own = (processor_time(clock) - ready) / len(spent)
            print(
                f"  {name}: a step takes {statistics.median(spent):.1f} ms (median), "
                f"{spent[int(0.99 * len(spent))]:.1f} ms (99 %), {spent[-1]:.1f} ms (longest of {len(spent)}); "
                f"processor time of the page: {1000 * (ready - busy):.0f} ms to open, {1000 * own:.1f} ms a step"
            )
        browser.close()


def processor_time(clock: Any) -> float:
    """Seconds that the page's main thread has run on a processor, whatever else the machine does."""
    metrics = {one["name"]: one["value"] for one in clock.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def opening(page: Any, index: Path) -> float:
    """Seconds from the call to readiness."""
    page.goto("about:blank")
    start = time.perf_counter()
    page.goto(index.resolve().as_uri(), wait_until="commit")
    page.wait_for_selector("body[data-ready]")
    return time.perf_counter() - start


def six_players(folder: Path) -> Path:
    """Six random players over all 200 ticks of the paper's ship."""
    settings = {"kill_cooldown": 300, "n_tasks": 0, "meeting_calls": 3}
    env = quack_env.RecordTrajectory(quack_env.env(config=settings, speech="tokens", observation="vector"), folder)
    play(env, {agent: RandomPolicy() for agent in env.possible_agents}, seed=1)
    env.close()
    return folder


def twelve_players(folder: Path) -> Path:
    """Twelve scripted players on the large ship, over all 200 ticks, with meetings and few deaths."""
    settings = {"n_players": 12, "n_ducks": 2, "map": "large", "kill_cooldown": 70, "n_tasks": 15, "task_ticks": 12}
    env = quack_env.RecordTrajectory(quack_env.env(config=settings, speech="text", observation="vector"), folder)
    play(env, {agent: ScriptedPolicy() for agent in env.possible_agents}, seed=2)
    env.close()
    return folder


def with_prompts(game: Path) -> Path:
    """The recording with a model call at every decision: prompts of 12,000 characters that grow, as models get them."""
    trajectory = Trajectory.load(game)
    rules = "\n".join(f"Rule {k}: {' '.join(trajectory.names)} must mind the corridors of the ship." for k in range(60))
    memory: dict[int, list[str]] = {seat: [] for seat in range(len(trajectory.names))}
    calls = []
    for event in trajectory.events:
        if event.actor is None or event.kind not in ("wait", "depart"):
            continue
        memory[event.actor].append(
            f"tick {event.tick}: you were in {event.room} and decided to {event.kind} {event.to}"
        )
        messages = [
            {"role": "system", "content": rules},
            {"role": "user", "content": "\n".join(memory[event.actor][-100:])},
        ]
        calls.append(
            {"schema_version": 1, "agent": f"player_{event.actor}", "tick": event.tick, "phase": "free_roam"}
            | {"attempt": 0, "model": "mock", "modality": "text", "messages": messages, "reply": f"go {event.index}"}
            | {"parse": {"action": event.kind, "failure": None, "detail": ""}, "prompt_tokens": 3000, "error": None}
            | {"completion_tokens": 20, "cost": 0.01, "latency": 1.0, "cached": False, "retries": [], "fallback": None}
        )
    (game / "calls.jsonl").write_text("".join(json.dumps(call) + "\n" for call in calls), "utf-8")
    return game


if __name__ == "__main__":
    main()
