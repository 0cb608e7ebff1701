"""The baseline: any legal action, each as likely as any other."""

from __future__ import annotations

import random
from typing import Any

from quack_agents.base import Action, Agent
from quack_env.info import Info


class RandomPolicy(Agent):
    """Draws uniformly over the mask from numbers of its own; it says nothing, and learns nothing."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def reset(self, info: Info, seed: int) -> None:
        """Start the draws anew from the seed."""
        self._random = random.Random(seed)

    def beliefs(self, info: Info | None = None) -> dict[str, float]:
        """Before it has seen anything: a Goose holds every other living player for a Duck alike; a Duck knows.

        It keeps no memory: {} without ``info``.
        """
        if info is None:
            return {}
        view, briefing = info["view"], info["briefing"]
        gone = view.known_dead | 1 << view.me
        prior = briefing.config.n_ducks / (briefing.config.n_players - 1)
        believed = [float(view.partners >> j & 1) if view.duck else prior for j in range(briefing.config.n_players)]
        return {agent: believed[j] for j, agent in enumerate(briefing.agents) if not gone >> j & 1}

    def __call__(self, observation: Any, info: Info) -> Action:
        """One of the legal actions."""
        mask = info["action_mask"].tobytes()
        wanted = self._random.randrange(mask.count(1))
        position = -1
        for _ in range(wanted + 1):
            position = mask.index(1, position + 1)
        return position
