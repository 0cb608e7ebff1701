"""What is asked of an environment before its first reset is refused in one line that says what to do."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gymnasium
import pytest

import quack_env
from quack_env import QuackError

AEC: dict[str, Callable[[Any], Any]] = {
    "step": lambda env: env.step(0),
    "last": lambda env: env.last(),
    "observe": lambda env: env.observe("player_0"),
    "state": lambda env: env.state(),
    "state_dict": lambda env: env.state_dict(),
    "concurrent_agents": lambda env: env.concurrent_agents(),
    "infos": lambda env: env.infos,
    "render": lambda env: env.render(),
}
PARALLEL = {
    "step": lambda env: env.step({}),
    **{name: AEC[name] for name in ("state", "state_dict", "concurrent_agents")},
}


@pytest.mark.parametrize("asked", AEC)
def test_the_aec_form_asks_for_a_reset(asked: str) -> None:
    with pytest.raises(QuackError, match=r"^reset\(\) has to be called first"):
        AEC[asked](quack_env.raw_env(observation="vector", render_mode="rgb_array"))


@pytest.mark.parametrize("asked", PARALLEL)
def test_the_parallel_form_asks_for_a_reset(asked: str) -> None:
    with pytest.raises(QuackError, match=r"^reset\(\) has to be called first \((?!.*'_)"):  # no internal name
        PARALLEL[asked](quack_env.parallel_env(observation="vector"))


def test_a_seat_asks_for_a_reset() -> None:
    seat: Any = gymnasium.make("quack_env:quack_env/Seat-v0", observation="vector").unwrapped
    with pytest.raises(QuackError, match=r"^reset\(\) has to be called first"):
        seat.step(0)


def test_a_seat_asks_for_a_reset_after_its_end() -> None:
    seat: Any = gymnasium.make("quack_env:quack_env/Seat-v0", observation="vector", config={"max_ticks": 5}).unwrapped
    seat.reset(seed=0)
    over = False
    while not over:
        over = seat.step(int(seat.action_masks().argmax()))[2]
    with pytest.raises(QuackError, match=r"^reset\(\) has to be called first"):
        seat.step(0)
    seat.reset(seed=0)
    assert not seat.step(int(seat.action_masks().argmax()))[2]


def test_an_attribute_that_there_never_is_is_no_matter_of_resets() -> None:
    env = quack_env.raw_env(observation="vector")
    assert not hasattr(env, "infos")
    env.reset(seed=1)
    with pytest.raises(AttributeError, match="'QuackAEC' object has no attribute 'nothing'"):
        env.nothing  # noqa: B018


def test_an_environment_can_be_copied_before_its_first_reset() -> None:
    env, twin = (made := quack_env.raw_env(observation="vector")), copy.deepcopy(made)
    env.reset(seed=3)
    twin.reset(seed=3)
    assert env.infos[env.agent_selection]["summary"] == twin.infos[twin.agent_selection]["summary"]
