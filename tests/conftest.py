"""Fixtures that several test files share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.play import FORMS, play_game

import quack_env

Record = Callable[..., Path]


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """Plays random recorded games, returns the folder of the first: `record(form, speech, seed, games, **config)`."""

    def play(form: str = "env", speech: str = "tokens", seed: int = 0, games: int = 1, **config: Any) -> Path:
        settings = {"n_players": 6, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 25, "meeting_calls": 3, **config}
        folder = tmp_path / f"{form}-{speech}-{seed}" / "game-000"
        inner = FORMS[form](config=settings, game_map="small", speech=speech, observation="vector")
        env = quack_env.RecordTrajectory(inner, folder, {"player_0": "random"})
        for game in range(games):
            play_game(env, seed + game)
        env.close()
        return folder

    return play
