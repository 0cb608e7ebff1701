"""What every policy is, and picking actions by their words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeAlias

from quack_env.game_map import GameMap
from quack_env.info import Info
from quack_env.policies import Policy
from quack_env.world import World

Action: TypeAlias = int | dict[str, Any]

__all__ = ["Action", "Agent", "Policy", "pick"]


class Agent(ABC):
    """A policy with the three faces: `reset`, the call, and `beliefs`. Deterministic for a seed."""

    def check_game(self, world: World, game_map: GameMap) -> None:  # noqa: B027 - most play any game
        """Called before a game is dealt, and so before anything is recorded of it.

        Raises:
            ConfigError: where it cannot play such games.
        """

    @abstractmethod
    def reset(self, info: Info, seed: int) -> None:
        """Forget everything; a new game begins with this ``info``, and own draws come from ``seed``."""

    @abstractmethod
    def __call__(self, observation: Any, info: Info) -> Action:
        """A legal action."""

    def beliefs(self) -> dict[str, float]:
        """The probability of being a Duck for every other agent not known to be dead; {} without an opinion.

        As of the last thing it perceived. One that takes an ``info`` too answers as of that moment; asking changes
        nothing.
        """
        return {}


def pick(info: Info, *wanted: str) -> int:
    """The number of the first of the wanted actions (in words, as in ``legal_actions``) that is legal.

    Raises:
        ValueError: where none of them is.
    """
    mask = info["action_mask"]
    briefing = info["briefing"]
    for words in wanted:
        if words in briefing.action_names and mask[briefing.action(words)]:
            return int(briefing.action(words))
    raise ValueError(f"none of {', '.join(wanted)} is legal; legal: {', '.join(info['legal_actions'])}")
