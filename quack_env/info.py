"""The `info` of an agent: what it knows beside the observation; texts are built only when read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quack_env.briefing import Briefing
from quack_env.encode.text import summary
from quack_env.view import View

LAZY = ("legal_actions", "summary", "names", "view", "briefing")


class Info(dict[str, Any]):
    """A dict with `action_mask`, `self_alive`, `known_dead` (agents) and `messages`; the rest is made when asked for.

    On first read: `legal_actions` (list of str), `summary` (the situation in words), `names` (agent to name, in this
    game's listing order), `view` (the `View`) and `briefing` (the public facts).
    """

    __slots__ = ("_briefing", "_view")

    def __init__(self, view: View, briefing: Briefing, mask: NDArray[np.int8]) -> None:
        self["action_mask"] = mask
        self["self_alive"] = view.self_alive == 1
        self["known_dead"] = briefing.agents_of(view.known_dead) if view.known_dead else ()
        self["messages"] = view.messages
        self._view = view
        self._briefing = briefing

    def __missing__(self, key: str) -> Any:
        briefing = self._briefing
        if key == "legal_actions":
            return [name for name, legal in zip(briefing.action_names, self["action_mask"], strict=True) if legal]
        if key == "summary":
            return summary(briefing, self._view)
        if key == "names":
            return {briefing.agents[j]: briefing.names[j] for j in briefing.listing}
        if key == "view":
            return self._view
        if key == "briefing":
            return briefing
        raise KeyError(key)

    def get(self, key: str, default: Any = None) -> Any:
        """As for a dict, the texts included."""
        return self[key] if key in self or key in LAZY else default

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (dict(self), self._view, self._briefing)


def _rebuild(entries: dict[str, Any], view: View, briefing: Briefing) -> Info:
    info = Info(view, briefing, entries["action_mask"])
    info.update(entries)
    return info
