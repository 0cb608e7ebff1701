"""Options that there are not, or that cannot be, are refused in one line that says what is allowed."""

from __future__ import annotations

import re
from pathlib import Path
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
@pytest.mark.parametrize(("name", "value"), [("n_tasks", 3), ("task_ticks", 2)])
def test_a_setting_of_the_game_is_pointed_to_the_config(make: Any, name: str, value: Any) -> None:
    with pytest.raises(ConfigError) as told:
        make(**{name: value})
    assert str(told.value).endswith(f"give config={ {name: value}!r}")


@pytest.mark.parametrize("make", [*FORMS, quack_env.vector_env])
def test_a_map_is_pointed_to_its_option(make: Any) -> None:
    with pytest.raises(ConfigError, match=r"^map='small': no such option; give game_map='small'$"):
        make(map="small")


@pytest.mark.parametrize("make", FORMS)
def test_an_option_that_is_not_is_named_with_those_there_are(make: Any) -> None:
    with pytest.raises(ConfigError, match=r"^obs='dict': no such option; there are .*config, .*, observation, .*$"):
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


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("observation", value) for value in (np.zeros(2), ["vector"], None, True)),
        *(("render_mode", value) for value in (np.zeros(2), False)),
        ("speech", b"text"),
    ],
)
def test_a_value_of_another_kind_is_refused_with_those_there_are(option: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"^{option}=.*: must be one of "):
        quack_env.env(**{option: value})


RECORDED: dict[str, Any] = {"config": {"n_tasks": 2, "max_ticks": 20}, "game_map": "small"}


@pytest.mark.parametrize("make", [quack_env.env, quack_env.parallel_env, seat])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"speech": "tokens"}, r"speech='tokens' \(recorded: 'text'\)$"),
        ({"max_ticks": 30}, r"max_ticks=30 \(recorded: 20\)$"),
        ({"config": {**RECORDED["config"], "witness_kills": True}}, r"witness_kills=True \(recorded: False\)$"),
        ({"n_players": 7, "n_ducks": 2}, r"n_players=7 \(recorded: 6\); n_ducks=2 \(recorded: 1\)$"),
        ({"game_map": "ship"}, r"rooms, corridors, tasks, button of map 'ship' \(recorded: those of 'small'\)$"),
    ],
)
def test_a_recorded_game_is_not_dealt_in_an_environment_of_other_settings(
    tmp_path: Path, make: Any, options: dict[str, Any], message: str
) -> None:
    recorded = quack_env.RecordTrajectory(quack_env.env(**RECORDED, speech="text"), tmp_path / "game")
    recorded.reset(seed=11)
    recorded.close()
    header = quack_env.GameRecord.load(tmp_path / "game").header
    env = make(**{**RECORDED, "speech": "text", "observation": "vector", **options})
    env.reset(seed=3)
    with pytest.raises(quack_env.TrajectoryError, match=f"environment of other settings: {message}"):
        env.reset(options={"deal": header})
    assert getattr(env.unwrapped, "env", env.unwrapped).game.seed == 3


@pytest.mark.parametrize("make", [quack_env.env, quack_env.raw_env, quack_env.parallel_env])
@pytest.mark.parametrize("agent", ["player_6", 0, ["player_1"]])
def test_spaces_of_an_agent_that_is_not_name_those_there_are(make: Any, agent: Any) -> None:
    env = make()
    for space in (env.action_space, env.observation_space):
        with pytest.raises(ConfigError, match=f"^no agent {re.escape(repr(agent))}; agents are player_0, .*player_5$"):
            space(agent)


@pytest.mark.parametrize("observation", ["image+dict", "dict", "vector", "text"])
def test_a_size_of_images_that_cannot_be_is_refused_in_every_form_of_observation(observation: str) -> None:
    with pytest.raises(ConfigError, match="image_size=32: must be a whole number from 64"):
        quack_env.env(observation=observation, image_size=32)
