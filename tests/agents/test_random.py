"""The random baseline."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import quack_env
from quack_agents import RandomPolicy


def decide(mask: list[int], seed: int, times: int) -> list[Any]:
    policy = RandomPolicy()
    info: Any = {"action_mask": np.array(mask, np.int8)}
    policy.reset(info, seed)
    return [policy(None, info) for _ in range(times)]


def test_it_draws_uniformly_over_the_mask() -> None:
    drawn = Counter(decide([1, 0, 0, 1, 1, 0], 1, 3000))
    assert set(drawn) == {0, 3, 4}
    assert all(900 < count < 1100 for count in drawn.values())


def test_its_draws_come_from_its_seed_alone() -> None:
    assert decide([1] * 20, 7, 50) == decide([1] * 20, 7, 50)
    assert decide([1] * 20, 7, 50) != decide([1] * 20, 8, 50)


def test_it_says_and_believes_nothing() -> None:
    env = quack_env.raw_env(speech="text")
    env.reset(seed=0)
    policy = RandomPolicy()
    policy.reset(env.last()[4], 0)
    assert isinstance(policy(*env.last()[::4]), int)
    assert policy.beliefs() == {}
