"""Batches of games that share what is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from quack_env.vector import env as vector_module
from quack_env.vector.env import QuackVector
from quack_env.vector.interpreted import InterpretedEngine

Make = Callable[..., QuackVector]


@pytest.fixture(params=["compiled", "interpreted"])
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Make:
    """`make(games, form, **options)`: games on the small map that are over soon, by either engine."""
    if request.param == "interpreted":
        monkeypatch.setattr(vector_module, "engine_class", lambda: InterpretedEngine)
    else:
        pytest.importorskip("numba", reason="Numba is not installed: nothing is compiled")

    def build(games: int = 4, form: str = "turn", **options: Any) -> QuackVector:
        given = {
            "game_map": "small",
            "n_players": 5,
            "max_ticks": 8,
            "speech": "off",
            "config": {"n_tasks": 2},
        } | options
        return QuackVector(games, form, **given)

    return build


def legal(envs: QuackVector, rng: np.random.Generator) -> Any:
    """A random legal action wherever one is due."""
    return (envs.masks * rng.random(envs.masks.shape)).argmax(-1)
