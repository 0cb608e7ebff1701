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
    for opponents in (None, 3, ["scripted"]):
        with pytest.raises(ConfigError, match=r"^opponents=.*: must be a policy's name, a policy, or a mapping from"):
            gymnasium.make(SEAT, opponents=opponents, observation="vector")


def test_an_option_that_does_not_exist_is_told_with_those_of_the_seat() -> None:
    told = r"no such option \(did you mean 'opponents'\?\); there are seat, opponents, role, .*dead_agents$"
    with pytest.raises(ConfigError, match=told):
        gymnasium.make(SEAT, oponents="scripted")
