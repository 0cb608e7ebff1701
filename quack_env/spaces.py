"""Action and observation spaces: subclasses of Gymnasium's that know the mask and take text as people write it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

Mask = NDArray[np.int8]


class AnyText(spaces.Text):
    """Any Unicode text up to ``max_length`` characters, also none (Gymnasium's Text limits the alphabet)."""

    def __init__(self, max_length: int) -> None:
        super().__init__(max_length, min_length=0)

    def contains(self, x: Any) -> bool:
        """Whether x is text of allowed length."""
        return isinstance(x, str) and len(x) <= self.max_length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText) and other.max_length == self.max_length

    def __repr__(self) -> str:
        return f"AnyText({self.max_length})"


class MaskedDiscrete(spaces.Discrete):
    """Discrete(A) that draws legal actions when sampled without a mask: the legal ones of its agent at that moment.

    ``masks`` is the environment's table of current masks (A bytes 0/1 by agent), shared and kept up to date by it.
    Libraries save the space with a model, which so knows whose actions it learnt to choose.
    """

    role: str | None = None
    """The role that a `QuackSeat` keeps to; None for whatever is dealt."""

    def __init__(self, n: int, masks: Mapping[str, bytes], agent: str) -> None:
        super().__init__(n)
        self._masks = masks
        self._agent = agent

    @property
    def agent(self) -> str:
        """Whose actions these are."""
        return self._agent

    def sample(self, mask: Mask | None = None, probability: Any = None) -> np.int64:
        """A random action; of the legal ones unless another ``mask`` (int8, (A,)) or ``probability`` is given."""
        if probability is not None:
            return np.int64(super().sample(mask, probability))
        if mask is None:
            if self._agent not in self._masks:
                return np.int64(super().sample())
            mask = np.frombuffer(self._masks[self._agent], np.int8)
        elif not isinstance(mask, np.ndarray) or mask.shape != (self.n,) or mask.dtype != np.int8:
            return np.int64(super().sample(mask))  # refuses it in Gymnasium's words
        legal = mask.nonzero()[0]
        return np.int64(legal[self.np_random.integers(len(legal))]) if len(legal) else np.int64(self.start)


class ActionWithText(spaces.Dict):
    """`Dict{"action": Discrete(A), "say": Text}` that also takes a plain action and a plain mask."""

    def __init__(self, action: MaskedDiscrete, max_length: int) -> None:
        super().__init__({"action": action, "say": AnyText(max_length)})

    def contains(self, x: Any) -> bool:
        """Whether x is an action number, or a dict of "action" and, if it likes, "say" (text or None)."""
        if not isinstance(x, dict):
            return bool(self["action"].contains(x))
        say = x.get("say")
        return (
            x.keys() <= {"action", "say"}
            and self["action"].contains(x.get("action"))
            and (say is None or say in self["say"])
        )

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """A random action and text; ``mask`` may be that of the action alone."""
        if isinstance(mask, np.ndarray):
            mask = {"action": mask, "say": None}
        if isinstance(mask, dict):
            return {"action": self["action"].sample(mask.get("action")), "say": self["say"].sample(mask.get("say"))}
        return {"action": self["action"].sample(), "say": self["say"].sample()}
