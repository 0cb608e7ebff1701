"""How fast the forms of the environment are: rates measured side by side in one run."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import quack_env

YARDSTICK = "connect_four_v3.raw_env"


def forms(scratch: Path) -> dict[str, Any]:
    """Every form by the words that describe it."""
    from pettingzoo.classic import connect_four_v3  # it imports pygame

    plain: dict[str, Any] = {"speech": "off", "observation": "vector"}
    return {
        YARDSTICK: connect_four_v3.raw_env(),
        "raw_env, vector, speech off": quack_env.raw_env(**plain),
        "raw_env, vector, speech off, recorded": quack_env.RecordTrajectory(
            quack_env.raw_env(**plain), scratch / "game-00000"
        ),
        "raw_env, vector, tokens": quack_env.raw_env(observation="vector"),
        "raw_env, dict, tokens": quack_env.raw_env(observation="dict"),
        "raw_env, text, tokens": quack_env.raw_env(observation="text"),
        "env (wrapped), vector, speech off": quack_env.env(**plain),
        "parallel_env, vector, speech off": quack_env.parallel_env(**plain),
    }


def measure(steps: int, repeats: int, progress: Callable[[int, int], None] | None = None) -> dict[str, float]:
    """Median agent-steps per CPU second of every form, over interleaved repeats."""
    rates: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        envs = forms(Path(scratch))
        for repeat in range(repeats):
            for number, (form, env) in enumerate(envs.items()):
                loop = parallel_steps if hasattr(env, "concurrent_agents") and "parallel" in form else aec_steps
                rates.setdefault(form, []).append(rate(loop, env, steps, 1000 * repeat))
                if progress:
                    progress(repeat * len(envs) + number + 1, repeats * len(envs))
        for env in envs.values():
            env.close()
    return {form: statistics.median(values) for form, values in rates.items()}


def rate(loop: Callable[[Any, int, random.Random], int], env: Any, steps: int, seed: int) -> float:
    """Agent-steps per CPU second of whole games of random play, at least ``steps`` of them."""
    rng = random.Random(seed)
    done, start = 0, time.process_time()
    while done < steps:
        done += loop(env, seed, rng)
        seed += 1
    return done / (time.process_time() - start)


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
    """One game through the parallel form; the number of actions given."""
    observations, _ = env.reset(seed=seed)
    steps = 0
    while env.agents:
        actions = {agent: legal(observations[agent]["action_mask"], rng) for agent in env.agents}
        observations = env.step(actions)[0]
        steps += len(actions)
    return steps
