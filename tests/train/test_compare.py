"""What is reported of trained players, from the files of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import compare
import pytest
import typer
from typer.testing import CliRunner

from quack_env.errors import ConfigError


def game(setting: str, seed: int, geese_won: bool, goose: str = "scripted", duck: str = "scripted") -> dict[str, Any]:
    """A line of games.jsonl, as far as it is read."""
    return {"setting": setting, "seed": seed, "goose": goose, "duck": duck, "parts": {"geese_win": [int(geese_won), 1]}}


def finding(speaker: int, kind: str, verdict: str) -> dict[str, Any]:
    """A line of findings.jsonl about the first game."""
    return {"of": 0, "speaker": speaker, "claim": {"type": kind}, "verdict": verdict}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Four seeds: scripted Geese win 0, 1, 2; the trained Duck wins all but 2; seat 0 is the Duck in seed 3."""
    rows = [game("scripted", seed, seed < 3) for seed in range(4)]
    rows += [game("trained duck", seed, seed == 2, duck="rl:duck") for seed in range(4)]
    rows += [game("trained goose", seed, True, goose="rl:goose+scripted") for seed in range(3)]
    rows += [game("trained goose", 3, False, duck="rl:goose")]
    (tmp_path / "games.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    first = {"game": "g", "roles": ["goose", "duck"], "policies": ["scripted", "rl:duck"]}
    said = [finding(0, "sighting", "true"), finding(1, "sighting", "false"), finding(1, "sighting", "wrong_room")]
    said += [finding(1, "sighting", "true"), finding(0, "accusation", "true"), finding(0, "accusation", "false")]
    (tmp_path / "findings.jsonl").write_text("\n".join(map(json.dumps, [first, *said])), "utf-8")
    return tmp_path


def told(run: Path, *more: str) -> dict[str, Any]:
    """The JSON of the command."""
    app = typer.Typer()
    app.command()(compare.compare)
    result = CliRunner().invoke(app, [str(run), "--json", *more])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_wins_are_compared_on_the_same_seeds(run: Path) -> None:
    wins = told(run)["wins"]
    assert wins["trained duck"]["duck"]["share"] == 75
    assert wins["trained duck"]["duck"]["scripted"] == 25
    assert wins["trained duck"]["duck"]["difference"] == 50  # it wins 0, 1, 3, the scripted one 3
    assert wins["scripted"]["geese"]["share"] == 75


def test_games_in_which_the_trained_seat_is_a_duck_do_not_count(run: Path) -> None:
    goose = told(run)["wins"]["trained goose"]["geese"]
    assert goose["games"] == 3
    assert goose["scripted"] == 100  # of seeds 0, 1, 2
    assert goose["difference"] == 0


def test_only_the_first_games_of_a_setting_count(run: Path) -> None:
    duck = told(run, "--games", "2")["wins"]["trained duck"]["duck"]
    assert (duck["games"], duck["share"], duck["scripted"]) == (2, 100, 0)


def test_sayings_go_by_role_and_policy(run: Path) -> None:
    said = told(run)["said"]
    assert said["duck, rl:duck"]["sighting"] == {"false": 1, "true": 1, "wrong_room": 1}
    assert said["goose, scripted"]["accusation"] == {"false": 1, "true": 1}
    assert said["goose, scripted"]["statements"] == 3
    assert compare.told(said["duck, rl:duck"]["sighting"]) == "33% / 67% / 3"
    assert compare.hits(said["goose, scripted"]) == "50% / 2"


def test_a_folder_that_is_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"games\.jsonl"):
        compare.settings(tmp_path)
