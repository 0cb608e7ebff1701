"""How fast the forms of the environment are: rates measured side by side in one run."""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import quack_env

YARDSTICK = "connect_four_v3.raw_env"
GAMES = 1024
"""Games of a batch."""
COMPILED = 8
"""Compiled batches play so many times as many steps as the other forms."""

Play = Callable[[int, int], tuple[int, float]]
"""(steps, seed) -> (agent-steps, seconds) of at least so many agent-steps of random legal play."""


class Form(NamedTuple):
    """One form of the environment: how to play it, and the numbers in its observation, where that is a vector (V)."""

    play: Play
    size: int | None


class Rate(NamedTuple):
    """Agent-steps per second, and the numbers in an observation (V), where it is a vector."""

    rate: float
    size: int | None


def forms(scratch: Path) -> dict[str, Form]:
    """Every form by the words that describe it."""
    from pettingzoo.classic import connect_four_v3  # it imports pygame

    plain: dict[str, Any] = {"speech": "off", "observation": "vector"}
    recorded = quack_env.RecordTrajectory(quack_env.raw_env(**plain), scratch / "game-00000")
    single = {
        YARDSTICK: games_of(connect_four_v3.raw_env()),
        "raw_env, vector, speech off": games_of(quack_env.raw_env(**plain)),
        "raw_env, vector, speech off, recorded": games_of(recorded),
        "raw_env, vector, tokens": games_of(quack_env.raw_env(observation="vector")),
        "raw_env, dict, tokens": games_of(quack_env.raw_env(observation="dict")),
        "raw_env, text, tokens": games_of(quack_env.raw_env(observation="text")),
        "env (wrapped), vector, speech off": games_of(quack_env.env(**plain)),
        "parallel_env, vector, speech off": games_of(quack_env.parallel_env(**plain), parallel_steps),
    }
    threads = [1, 2] if is_compiled() and (os.cpu_count() or 1) > 1 else [1]
    batched = {
        f"vector_env, {form}, {words}, {count} {'thread' if count == 1 else 'threads (wall time)'}": batch_of(
            form, speech, count
        )
        for form in ("turn", "parallel")
        for speech, words in (("off", "speech off"), ("tokens", "tokens"))
        for count in threads
    }
    return single | batched


def is_compiled() -> bool:
    """Whether batches run compiled."""
    return bool(quack_env.vector_env().engine.state_size)


def measure(steps: int, repeats: int, progress: Callable[[int, int], None] | None = None) -> dict[str, Rate]:
    """Median agent-steps per second of every form, over interleaved repeats."""
    rates: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        all_forms = forms(Path(scratch))
        for repeat in range(repeats):
            for number, (name, form) in enumerate(all_forms.items()):
                done, seconds = form.play(steps, 1000 * repeat)
                rates.setdefault(name, []).append(done / seconds)
                if progress:
                    progress(repeat * len(all_forms) + number + 1, repeats * len(all_forms))
    return {name: Rate(statistics.median(rates[name]), form.size) for name, form in all_forms.items()}


def games_of(env: Any, loop: Callable[[Any, int, random.Random], int] | None = None) -> Form:
    """One game after the other, in CPU time; choosing the actions is measured too."""
    one = loop or aec_steps

    def play(steps: int, seed: int) -> tuple[int, float]:
        rng = random.Random(seed)
        done, start = 0, time.process_time()
        while done < steps:
            done += one(env, seed, rng)
            seed += 1
        return done, time.process_time() - start

    whole = env.unwrapped
    return Form(play, whole.layout.size if getattr(whole, "observation_mode", "") == "vector" else None)


def batch_of(form: str, speech: str, threads: int) -> Form:
    """A batch of games that go on from repeat to repeat, in CPU time, or wall time of more threads.

    Choosing the actions is left out: that is NumPy's speed, and not the environment's.
    """
    envs = quack_env.vector_env(GAMES, form=form, speech=speech, threads=threads, seed=0)
    envs.reset()
    clock = time.process_time if threads == 1 else time.perf_counter
    asked = envs.layout.at["asked"]
    draw = np.random.default_rng(0).random
    enough = COMPILED if envs.engine.state_size else 1

    def step() -> tuple[int, float]:
        actions = (envs.masks * draw(envs.masks.shape, np.float32)).argmax(-1)
        due = int(envs.observations[..., asked].sum())
        start = clock()
        envs.step(actions)
        return due, clock() - start

    step()  # so that all is compiled

    def play(steps: int, seed: int) -> tuple[int, float]:
        done, seconds = 0, 0.0
        while done < enough * steps:
            due, taken = step()
            done, seconds = done + due, seconds + taken
        return done, seconds

    return Form(play, envs.layout.size)


def legal(mask: Any, rng: random.Random) -> int:
    """A random legal action."""
    actions = mask.nonzero()[0]
    return int(actions[int(rng.random() * len(actions))])


def aec_steps(env: Any, seed: int, rng: random.Random) -> int:
    """One game through last() and step(); the number of decisions."""
    env.reset(seed=seed)
    steps = 0
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        env.step(legal(observation["action_mask"], rng))
        steps += 1
    return steps


def parallel_steps(env: Any, seed: int, rng: random.Random) -> int:
    """One game through the parallel form; the number of decisions, those of agents that may only wait left out."""
    observations, _ = env.reset(seed=seed)
    steps = 0
    while env.agents:
        actions = {agent: legal(observations[agent]["action_mask"], rng) for agent in env.agents}
        steps += len(env.concurrent_agents())
        observations = env.step(actions)[0]
    return steps
