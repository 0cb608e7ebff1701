"""The batch without Numba: the same kernels as plain Python, over `State` objects. Slow, and to the same results."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quack_env.encode.vector import Layout
from quack_env.state import State
from quack_env.vector.binder import bind
from quack_env.vector.kernels import Batch
from quack_env.world import World


@cache
def kernels() -> SimpleNamespace:
    """The kernels over rules that keep no log."""
    return bind(lambda function: function, {"LOGGED": False})


def rows(values: NDArray[Any]) -> Any:
    """The same memory as nested lists of one-dimensional memoryviews, which plain Python reads and writes faster."""
    return memoryview(values) if values.ndim == 1 else [rows(value) for value in values]  # type: ignore[arg-type]


class InterpretedEngine:
    """Runs the games of a batch one after the other; ``threads`` changes nothing. See `quack_env.vector.env.Engine`."""

    def __init__(
        self, world: World, layout: Layout, batch: Batch, form: str, threads: int = 1, keep_ends: bool = False
    ) -> None:
        self.options = (world, layout, batch, form, threads, keep_ends)
        self.states = [State(world) for _ in batch.done]
        self.ends = [State(world) for _ in batch.done] if keep_ends else []
        self._rows = Batch(*(rows(values) for values in batch))
        self._masks = rows(batch.masks.reshape(-1, world.A))

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (self.options, self.states)

    @property
    def state_size(self) -> None:
        """Not known: states are Python objects."""
        return None

    def refused(self, actions: NDArray[np.int64]) -> int:
        """The index, in the order of the masks, of the first action that is not legal; -1 when there is none."""
        return int(kernels().refused(self._masks, actions.ravel().tolist()))

    def step(self, actions: NDArray[np.int64], anew: bool = False) -> None:
        """Apply one action a game (turn form) or a seat; with ``anew`` deal new games instead."""
        world, layout, _, form, _, _ = self.options
        kernel = kernels().step_turn if form == "turn" else kernels().step_together
        kernel(world, layout, self.states, self.ends, self._rows, actions.tolist(), int(anew), 0, len(self.states))

    def state_dict(self, g: int, ended: bool = False) -> dict[str, Any]:
        """The state of game g, or of the one that has just ended there, as `State.to_dict` gives it."""
        return (self.ends if ended else self.states)[g].to_dict()


def restore(options: tuple[World, Layout, Batch, str, int, bool], states: list[State]) -> InterpretedEngine:
    """The engine of `InterpretedEngine.__reduce__`."""
    engine = InterpretedEngine(*options)
    engine.states[:] = states
    return engine
