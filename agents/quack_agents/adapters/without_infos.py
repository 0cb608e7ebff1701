"""For libraries that turn every info into an array of fixed size (TorchRL): the parallel form with empty infos."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils.wrappers import BaseParallelWrapper

Seats = dict[str, Any]


class WithoutInfos(BaseParallelWrapper[str, Any, Any]):
    """A parallel environment whose infos are empty: ours hold words, and what an agent heard grows and shrinks.

    Nothing is lost to a learner: the mask is in the observation too, and the outcome is the reward.
    """

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seats, Seats]:
        """As for the environment within."""
        observations, _ = super().reset(seed=seed, options=options)
        return observations, {agent: {} for agent in observations}

    def step(self, actions: Mapping[str, Any]) -> tuple[Seats, Seats, Seats, Seats, Seats]:
        """As for the environment within."""
        *results, _ = super().step(dict(actions))
        observations, rewards, terminations, truncations = results
        return observations, rewards, terminations, truncations, {agent: {} for agent in observations}
