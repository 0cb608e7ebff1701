"""Stable-Baselines3's environment with a stop watch."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from quack_agents.adapters.sb3 import QuackVecEnv


class TimedEnv(QuackVecEnv):
    """The adapter with a stop watch, that looks at every action before it is played."""

    seconds = 0.0
    steps = forced = masked_out = 0

    def timed(self, call: Callable[[], Any]) -> Any:
        """The result of a call, its time noted."""
        start = time.perf_counter()
        result = call()
        self.seconds += time.perf_counter() - start
        return result

    def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """The masks."""
        masks: list[Any] = self.timed(lambda: super(TimedEnv, self).env_method(method_name, *args, **kwargs))
        return masks

    def step(self, actions: Any) -> Any:
        """Look, then step."""
        masks = self.action_masks()
        self.steps += len(actions)
        self.forced += int((masks.sum(1) == 1).sum())
        self.masked_out += int((~masks[np.arange(len(actions)), actions]).sum())
        return self.timed(lambda: super(TimedEnv, self).step(actions))
