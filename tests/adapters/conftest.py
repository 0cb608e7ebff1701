"""Games that are over soon."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def options() -> dict[str, Any]:
    """Options of a short game in which people die early."""
    return {
        "game_map": "small",
        "n_players": 5,
        "max_ticks": 12,
        "speech": "tokens",
        "config": {"n_tasks": 2, "kill_cooldown": 1},
    }
