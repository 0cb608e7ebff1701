"""What a seat environment refuses, whichever library it is for."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

import quack_env  # noqa: F401 - registers the environment
from quack_env.errors import ConfigError, NotResetError

SEAT = "quack_env/Seat-v0"


def test_there_are_no_masks_before_the_first_reset() -> None:
    seat: Any = gymnasium.make(SEAT, observation="vector").unwrapped
    with pytest.raises(NotResetError, match=r"^reset\(\) has to be called first"):
        seat.action_masks()


def test_opponents_that_cannot_play_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"policy=3: must be a name"):
        gymnasium.make(SEAT, opponents=3, observation="vector")
