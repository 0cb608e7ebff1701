"""The settings of a game: what they are, what they accept, and what they say when they refuse."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quack_env.config import GameConfig
from quack_env.errors import ConfigError
from quack_env.yaml_file import read_yaml_file

DEFAULTS: dict[str, Any] = {
    "n_players": 6,
    "n_ducks": 1,
    "n_tasks": 5,
    "task_ticks": 3,
    "kill_cooldown": 5,
    "max_ticks": 200,
    "discussion_rounds": 2,
    "meeting_calls": None,
    "names": [],
    "witness_kills": False,
    "reveal_role": False,
    "reveal_votes": False,
    "drop_dead_tasks": False,
    "max_say": 500,
    "instant_hops": False,
    "keep_progress": False,
    "late_ending": False,
    "map": "ship",
}
SIX = ["Ann", "Ben", "Cleo", "Dora", "Emil", "Fay"]


def message_of(**values: Any) -> str:
    """The message with which the settings are refused, checked to be one line."""
    with pytest.raises(ConfigError) as caught:
        GameConfig(**values)
    message = str(caught.value)
    assert "\n" not in message
    return message


def write(folder: Path, text: str) -> Path:
    path = folder / "game.yaml"
    path.write_text(text, encoding="utf-8")
    return path


# What the settings are


def test_the_defaults_are_those_of_the_rules() -> None:
    assert GameConfig().to_dict() == DEFAULTS


def test_the_published_preset_differs_in_its_deviations_and_in_long_utterances() -> None:
    changed = {"instant_hops": True, "keep_progress": True, "late_ending": True, "max_say": 100_000}
    assert GameConfig.published().to_dict() == DEFAULTS | changed


def test_an_override_of_the_published_preset_wins_over_it() -> None:
    config = GameConfig.published(n_players=8, late_ending=False)
    assert (config.n_players, config.late_ending, config.instant_hops) == (8, False, True)


@pytest.mark.parametrize(("calls", "ducks", "budget"), [(None, 1, 1), (None, 2, 2), (0, 2, 0), (5, 1, 5)])
def test_the_button_budget_is_the_number_of_ducks_unless_given(calls: int | None, ducks: int, budget: int) -> None:
    assert GameConfig(n_ducks=ducks, meeting_calls=calls).button_budget == budget


def test_six_players_have_the_names_of_the_paper() -> None:
    assert GameConfig().player_names == ("Alice", "Bob", "Charlie", "Diana", "Eve", "Frank")


def test_sixteen_players_have_sixteen_different_default_names() -> None:
    names = GameConfig(n_players=16).player_names
    assert len(set(names)) == 16
    assert names[6:8] == ("Grace", "Henry")


def test_given_names_are_used_in_their_order_and_only_as_many_as_there_are_players() -> None:
    assert GameConfig(n_players=3, names=tuple(SIX)).player_names == ("Ann", "Ben", "Cleo")


def test_names_in_any_script_are_taken() -> None:
    names = ("Zoë", "Нина", "小明", "José Luis", "Ada-2", "X")
    assert GameConfig(names=names).player_names == names


@given(
    players=st.integers(3, 16),
    ducks=st.integers(-1, 17),
)
def test_ducks_are_accepted_exactly_when_they_are_fewer_than_the_geese(players: int, ducks: int) -> None:
    if 1 <= ducks < players - ducks:
        assert GameConfig(n_players=players, n_ducks=ducks).n_ducks == ducks
    else:
        assert message_of(n_players=players, n_ducks=ducks).startswith(f"n_ducks={ducks}: ")


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [
        ("n_players", 3, 16),
        ("n_tasks", 0, 60),
        ("task_ticks", 1, 100),
        ("kill_cooldown", 0, 200_000),
        ("max_ticks", 1, 200_000),
        ("discussion_rounds", 1, 8),
        ("meeting_calls", 0, 100),
        ("max_say", 1, 100_000),
    ],
)
def test_both_ends_of_a_range_are_taken_and_the_message_names_them_beyond(field: str, low: int, high: int) -> None:
    for value in (low, high):
        assert GameConfig.from_dict({field: value}).to_dict()[field] == value
    for value in (low - 1, high + 1):
        assert f"{field}={value}: must be a whole number from {low} to {high}" in message_of(**{field: value})


def test_whole_numbers_and_flags_of_numpy_are_those_of_python() -> None:
    config = GameConfig(n_players=np.int64(7), max_ticks=np.uint8(90), reveal_role=np.bool_(True))
    assert config == GameConfig(n_players=7, max_ticks=90, reveal_role=True)
    assert json.loads(json.dumps(config.to_dict())) == config.to_dict()
    assert config.replace(n_ducks=np.int32(2)).n_ducks == 2
    with pytest.raises(ConfigError, match=r"n_players=17: must be a whole number from 3 to 16"):
        GameConfig(n_players=np.int64(17))
    with pytest.raises(ConfigError, match="n_tasks"):
        GameConfig(n_tasks=np.float64(3))


# What they say when they refuse


def test_too_many_ducks_are_refused_with_the_range_for_the_players() -> None:
    assert message_of(n_ducks=3) == (
        "n_ducks=3: must be at least 1 and fewer than the Geese "
        "(n_ducks < n_players - n_ducks; n_players=6 allows 1..2)"
    )


def test_an_unknown_field_is_refused_with_the_one_that_was_meant() -> None:
    message = message_of(n_duck=2)
    assert message.startswith("unknown field 'n_duck' (did you mean 'n_ducks'?); allowed: n_players, n_ducks, ")


@pytest.mark.parametrize("value", ["6", 6.0, 6.5, True, None, [6], float("nan")])
def test_a_number_is_never_made_from_something_else(value: object) -> None:
    assert message_of(n_players=value) == f"n_players={value!r}: must be a whole number from 3 to 16"


@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_a_flag_is_never_made_from_something_else(value: object) -> None:
    assert message_of(reveal_role=value) == f"reveal_role={value!r}: must be true or false"


@pytest.mark.parametrize("value", ["", 3, None])
def test_a_map_must_be_given_as_text(value: object) -> None:
    assert message_of(map=value) == f"map={value!r}: must be text that is not empty"


def test_two_faults_are_told_on_one_line() -> None:
    message = message_of(n_players=2, max_ticks=0)
    assert message == (
        "n_players=2: must be a whole number from 3 to 16; max_ticks=0: must be a whole number from 1 to 200000"
    )


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ("Alice", "must be a list of names"),
        (SIX[:5], "must be at least as many as the players (5 given, n_players=6)"),
        ([*SIX[:5], "ann"], "'ann' repeats another name"),
        ([*SIX[:5], "\uff21nn"], "'\uff21nn' repeats another name"),  # a full-width A
        ([*SIX[:5], ""], "'' is empty"),
        ([*SIX[:5], " Gil"], "' Gil' is empty or has space around it"),
        ([*SIX[:5], "G" * 17], "is longer than 16 characters"),
        ([*SIX[:5], "Gil\n"], "has space around it"),
        ([*SIX[:5], "G\nil"], "has a character that names may not have"),
        ([*SIX[:5], "Gil\u202e"], "has a character that names may not have"),
        ([*SIX[:5], "Gil (2)"], "has a character that names may not have"),
        ([*SIX[:5], "<Gil>"], "has a character that names may not have"),
        ([*SIX[:5], "O'Gil"], "has a character that names may not have"),
        ([*SIX[:5], "\u201eGil\u201c"], "has a character that names may not have"),
        ([*SIX[:5], True], "True is not text"),
    ],
)
def test_names_that_could_be_mistaken_are_refused(names: Any, reason: str) -> None:
    message = message_of(names=names)
    assert message.startswith("names=")
    assert reason in message


def test_a_long_value_is_cut_in_the_message() -> None:
    assert len(message_of(n_players="x" * 10_000)) < 200


# Copies and changes


def test_replace_changes_one_field_and_keeps_the_others() -> None:
    assert GameConfig(n_tasks=2).replace(n_ducks=2).to_dict() == DEFAULTS | {"n_tasks": 2, "n_ducks": 2}


def test_replace_checks_the_fields_together() -> None:
    with pytest.raises(ConfigError, match=r"n_players=4 allows 1\.\.1"):
        GameConfig(n_ducks=2).replace(n_players=4)


def test_pydantic_s_own_copy_is_checked_too() -> None:
    with pytest.raises(ConfigError, match="n_ducks=9"):
        GameConfig().model_copy(update={"n_ducks": 9})


def test_settings_cannot_be_changed_in_place() -> None:
    config = GameConfig()
    with pytest.raises(ConfigError, match="use replace"):
        config.n_ducks = 2
    assert config.n_ducks == 1


def test_equal_settings_are_equal_keys() -> None:
    assert {GameConfig(n_tasks=2): "a"}[GameConfig(n_tasks=2)] == "a"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda config: pickle.loads(pickle.dumps(config))])
def test_a_copy_is_equal(copied: Any) -> None:
    config = GameConfig.published(names=tuple(SIX), n_ducks=2)
    assert copied(config) == config


def test_settings_survive_json() -> None:
    config = GameConfig(names=tuple(SIX), meeting_calls=3, map="maps/mine.yaml")
    assert GameConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


@pytest.mark.parametrize("data", [{"n_ducks": 5}, {"n_duck": 1}, {"n_ducks": "1"}, 3])
def test_pydantic_s_own_constructor_raises_our_error(data: Any) -> None:
    with pytest.raises(ConfigError):
        GameConfig.model_validate(data)


@pytest.mark.parametrize("text", ["{", '{"n_ducks": 7}', "3"])
def test_pydantic_s_json_constructor_raises_our_error(text: str) -> None:
    with pytest.raises(ConfigError):
        GameConfig.model_validate_json(text)


# Loading


def test_nothing_loads_as_the_defaults() -> None:
    assert GameConfig.load(None) == GameConfig()


def test_settings_load_as_themselves() -> None:
    config = GameConfig(n_tasks=1)
    assert GameConfig.load(config) is config


@pytest.mark.parametrize(("preset", "hops"), [("default", False), ("published", True)])
def test_a_preset_loads_by_its_name(preset: str, hops: bool) -> None:
    assert GameConfig.load(preset).instant_hops is hops


def test_a_mapping_loads_with_its_fields() -> None:
    assert GameConfig.load({"n_players": 8, "names": [*SIX, "Gus", "Ida"]}).player_names[7] == "Ida"


def test_a_file_loads_from_a_path_and_from_its_text(tmp_path: Path) -> None:
    path = write(tmp_path, "n_players: 9\nn_ducks: 2\n")
    assert GameConfig.load(path) == GameConfig.load(str(path)) == GameConfig(n_players=9, n_ducks=2)


def test_a_preset_in_a_file_is_where_its_fields_start_from(tmp_path: Path) -> None:
    config = GameConfig.load(write(tmp_path, "preset: published\nmax_say: 200\n"))
    assert (config.instant_hops, config.max_say) == (True, 200)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("n_ducks: 3\n", "n_ducks=3: must be at least 1"),
        ("n_duck: 3\n", "unknown field 'n_duck' (did you mean 'n_ducks'?)"),
        ("1: 3\n", "unknown field 1"),
        ("n_players: '6'\n", "n_players='6': must be a whole number"),
        ("names: [Ann, no, Cleo]\nn_players: 3\n", "False is not text"),
        ("preset: publishd\n", "preset='publishd': must be one of default, published"),
        ("preset: [1]\n", "preset=[1]: must be one of default, published"),
        ("", "must be a mapping"),
        ("- n_ducks\n", "must be a mapping"),
    ],
)
def test_a_fault_in_a_file_is_told_with_the_file(tmp_path: Path, text: str, reason: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        GameConfig.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("n_players: 6\nn_ducks: [1\n", 3, "expected"),
        ("n_players: 6\nn_players: 7\n", 2, "duplicate key 'n_players'"),
        ("n_tasks: 1\n\nmap: !!python/object:os.system x\n", 3, "could not determine a constructor"),
    ],
)
def test_a_fault_in_the_yaml_is_told_with_the_line(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        GameConfig.load(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert reason in str(caught.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_bytes(b"n_tasks: \xff\n")
    with pytest.raises(ConfigError, match="not UTF-8"):
        GameConfig.load(path)


def test_a_file_that_is_too_long_is_refused_with_the_bound(tmp_path: Path) -> None:
    path = write(tmp_path, "n_tasks: 1\n" + "#" * 250_000)
    with pytest.raises(ConfigError, match=r"has 250,011 characters; at most 250,000 are read$"):
        GameConfig.load(path)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        GameConfig.load(tmp_path)


def test_a_name_that_is_neither_preset_nor_file_is_refused_with_the_presets() -> None:
    with pytest.raises(ConfigError, match=r"config='publishd': no such file, and no preset \(default, published\)"):
        GameConfig.load("publishd")


def test_anything_else_is_no_configuration() -> None:
    with pytest.raises(ConfigError, match="config=3: must be a preset, a path, a mapping or a GameConfig"):
        GameConfig.load(3)  # type: ignore[arg-type]


def test_a_mapping_can_be_merged_into_another(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("a: &a {n_players: 8}\nb: {<<: *a, n_ducks: 2}\n", encoding="utf-8")
    assert read_yaml_file(tmp_path / "c.yaml", ConfigError)["b"] == {"n_players": 8, "n_ducks": 2}
