"""Options that there are not, or that cannot be, are refused in one line that says what is allowed."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import quack_env
from quack_env.errors import ConfigError


def seat(**options: Any) -> Any:
    """The Gymnasium form."""
    return gymnasium.make("quack_env/Seat-v0", **options)


FORMS = [quack_env.env, quack_env.raw_env, quack_env.parallel_env, seat]


@pytest.mark.parametrize("make", FORMS)
@pytest.mark.parametrize(("name", "value"), [("n_tasks", 3), ("map", "small")])
def test_a_setting_of_the_game_is_pointed_to_the_config(make: Any, name: str, value: Any) -> None:
    with pytest.raises(ConfigError) as told:
        make(**{name: value})
    assert str(told.value).endswith(f"give config={ {name: value}!r}")


@pytest.mark.parametrize("make", FORMS)
def test_an_option_that_is_not_is_named_with_those_there_are(make: Any) -> None:
    with pytest.raises(ConfigError, match=r"^obs='dict': no such option; there are config, .*, observation, .*$"):
        make(obs="dict")


@pytest.mark.parametrize("make", FORMS)
def test_numbers_of_numpy_are_numbers(make: Any) -> None:
    env = make(n_players=np.int64(7), n_ducks=np.int32(2), max_ticks=np.uint16(50), image_size=np.int64(64))
    env.reset(seed=np.int64(3))
    played = getattr(env.unwrapped, "env", env.unwrapped).game.config
    assert played == quack_env.GameConfig(n_players=7, n_ducks=2, max_ticks=50)


def vector(**options: Any) -> Any:
    """Many games."""
    return quack_env.vector_env(2, **options)


@pytest.mark.parametrize("make", [*FORMS, vector])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": 1}, r"^options: deal=1: must be the header of a recording"),
        ({"deal": None}, r"^options: deal=None: must be the header of a recording"),
        ([1], r"^options=\[1\]: must be a dict or None$"),
        ("deal", r"^options='deal': must be a dict or None$"),
    ],
)
def test_options_of_a_reset_that_cannot_be_are_refused(make: Any, options: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make().reset(options=options)


@pytest.mark.parametrize("make", [quack_env.env, quack_env.raw_env, quack_env.parallel_env])
@pytest.mark.parametrize("agent", ["player_6", 0])
def test_spaces_of_an_agent_that_is_not_name_those_there_are(make: Any, agent: Any) -> None:
    env = make()
    for space in (env.action_space, env.observation_space):
        with pytest.raises(quack_env.QuackError, match=f"^no agent {agent!r}; agents are player_0, .*player_5$"):
            space(agent)


@pytest.mark.parametrize("observation", ["image+dict", "dict", "vector", "text"])
def test_a_size_of_images_that_cannot_be_is_refused_in_every_form_of_observation(observation: str) -> None:
    with pytest.raises(ConfigError, match="image_size=32: must be a whole number from 64"):
        quack_env.env(observation=observation, image_size=32)
