"""Options that there are not, or that cannot be, are refused in one line that says what is allowed."""

from __future__ import annotations

from typing import Any

import gymnasium
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


@pytest.mark.parametrize("observation", ["image+dict", "dict", "vector", "text"])
def test_a_size_of_images_that_cannot_be_is_refused_in_every_form_of_observation(observation: str) -> None:
    with pytest.raises(ConfigError, match="image_size=32: must be a whole number from 64"):
        quack_env.env(observation=observation, image_size=32)
