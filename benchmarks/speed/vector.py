"""Speed of the batched environment beside the interpreted AEC form, on one core unless --threads says otherwise.

    python benchmarks/speed/vector.py                       # about a minute
    python benchmarks/speed/vector.py --games 4096 --speech tokens --json
    python benchmarks/speed/vector.py --games 64 --image-size 64        # with both images

Agent-steps are decisions of agents, with their observation (vector) and mask; random legal actions are chosen outside
the measured time. Forms take turns in short blocks, so that a busy machine slows them alike; medians of CPU time are
given. The first compilation and a start from the cache are measured in fresh processes, with a cache of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import quack_env
from quack_env.vector.env import QuackVector

Block = Callable[[], tuple[int, float]]
"""Plays for a while: agent-steps and seconds."""


def aec_block(options: dict[str, Any], image_size: int | None, steps: int) -> Block:
    """The interpreted AEC environment without wrappers."""
    drawn = {"observation": "image+dict", "image_size": image_size} if image_size else {"observation": "vector"}
    env = quack_env.raw_env(**drawn, **options)
    env.reset(seed=0)
    draw = random.Random(0).random

    def choose(mask: bytes) -> int:
        at = mask.find(1, int(draw() * len(mask)))
        return at if at >= 0 else mask.find(1)

    def play(count: int) -> float:
        """Seconds of so many steps, choosing included."""
        start = time.process_time()
        for _ in range(count):
            if env.last()[2]:
                env.reset()
            env.step(choose(env.masks[env.agent_selection]))
        return time.process_time() - start

    def block() -> tuple[int, float]:
        taken = play(steps)
        mask = env.masks[env.agent_selection]
        start = time.process_time()
        for _ in range(steps):
            choose(mask)
        return steps, taken - (time.process_time() - start)

    return block


def vector_block(
    games: int, form: str, threads: int, options: dict[str, Any], image_size: int | None, steps: int
) -> Block:
    """The batched environment."""
    drawn = {"observation": "image+vector", "image_size": image_size} if image_size else {}
    envs = QuackVector(games, form, seed=0, threads=threads, **drawn, **options)
    envs.reset()
    rng = np.random.default_rng(0)
    asked = envs.layout.at["asked"]
    clock = time.process_time if threads == 1 else time.perf_counter

    def block() -> tuple[int, float]:
        taken, done = 0.0, 0
        for _ in range(steps):
            actions = (envs.masks * rng.random(envs.masks.shape, np.float32)).argmax(-1)
            done += int(envs.observations[..., asked].sum())
            start = clock()
            envs.step(actions)
            taken += clock() - start
        return done, taken

    return block


def start_times(form: str, options: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Seconds from `vector_env(...)` to the end of the first step, compiling and with what was compiled kept."""
    code = (
        "import json, sys, time\nfrom quack_env.vector.env import vector_env\n"
        "wall, cpu = time.perf_counter(), time.process_time()\n"
        f"envs = vector_env(1024, {form!r}, seed=0, **json.loads(sys.argv[1]))\n"
        "envs.reset()\nenvs.step(envs.masks.argmax(-1))\n"
        "print(json.dumps({'wall': time.perf_counter() - wall, 'cpu': time.process_time() - cpu}))\n"
    )
    times = {}
    with tempfile.TemporaryDirectory() as cache:
        for name in ("compiling", "cached"):
            done = subprocess.run(
                [sys.executable, "-c", code, json.dumps(options)],
                env=os.environ | {"XDG_CACHE_HOME": cache, "PYTHONPATH": os.pathsep.join(sys.path)},
                capture_output=True,
                text=True,
                check=True,
            )
            times[name] = json.loads(done.stdout)
    return times


def measure(games: int, threads: int, repeats: int, options: dict[str, Any], image_size: int | None) -> dict[str, Any]:
    """Everything that is reported."""
    envs = QuackVector(games, "turn", **options)
    blocks = {
        "aec": aec_block(options, image_size, 1500),
        "turn": vector_block(games, "turn", threads, options, image_size, 60),
        "parallel": vector_block(games, "parallel", threads, options, image_size, 20),
    }
    rates: dict[str, list[float]] = {name: [] for name in blocks}
    for block in blocks.values():
        block()  # warm
    for _ in range(repeats):
        for name, block in blocks.items():
            steps, seconds = block()
            rates[name].append(steps / seconds)
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "games": games,
        "threads": threads,
        "image_size": image_size,
        "n": envs.world.n,
        "rooms": envs.world.R,
        "V": envs.layout.size,
        "A": envs.world.A,
        "state_bytes": envs.engine.state_size,
        "agent_steps_per_s": {name: round(median(values)) for name, values in rates.items()},
        "spread": {name: [round(min(values)), round(max(values))] for name, values in rates.items()},
        "times_the_aec_form": {
            name: round(median(b / a for a, b in zip(rates["aec"], rates[name], strict=True)), 1)
            for name in ("turn", "parallel")
        },
        "seconds_to_first_step": {form: start_times(form, options) for form in ("turn", "parallel")},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--speech", choices=("off", "tokens"), default="off")
    parser.add_argument("--map", default="ship")
    parser.add_argument("--players", type=int, default=6)
    parser.add_argument("--image-size", type=int, help="pixels of both images, which are then drawn too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    options = {"speech": given.speech, "game_map": given.map, "n_players": given.players}
    result = measure(given.games, given.threads, given.repeats, options, given.image_size)
    if given.json:
        print(json.dumps(result))
        return
    print(result["machine"])
    print("{games} games, {n} players, {rooms} rooms, V = {V}, A = {A}, {state_bytes} B a state".format(**result))
    for name, rate in result["agent_steps_per_s"].items():
        low, high = result["spread"][name]
        ratio = result["times_the_aec_form"].get(name, 1.0)
        print(f"{name:10}{rate:12,} agent-steps/s ({low:,} to {high:,}), {ratio} x")
    for form, times in result["seconds_to_first_step"].items():
        for name, seconds in times.items():
            print(f"{form:10}{name:10} to the first step {seconds['wall']:.2f} s, {seconds['cpu']:.2f} s of CPU")


if __name__ == "__main__":
    main()
