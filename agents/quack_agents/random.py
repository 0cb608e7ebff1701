"""The baseline: any legal action, each as likely as any other."""

from __future__ import annotations

import random
from typing import Any

from quack_agents.base import Action, Agent
from quack_env.info import Info


class RandomPolicy(Agent):
    """Draws uniformly over the mask from numbers of its own; it says nothing, and believes nothing."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def reset(self, info: Info, seed: int) -> None:
        """Start the draws anew from the seed."""
        self._random = random.Random(seed)

    def __call__(self, observation: Any, info: Info) -> Action:
        """One of the legal actions."""
        mask = info["action_mask"].tobytes()
        wanted = self._random.randrange(mask.count(1))
        position = -1
        for _ in range(wanted + 1):
            position = mask.index(1, position + 1)
        return position
