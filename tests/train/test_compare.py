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

SUITE = """
speech: tokens
seeds: 4
settings:
  - {name: scripted, geese: scripted, ducks: scripted}
  - {name: trained duck, geese: scripted, ducks: "rl:duck"}
  - {name: trained goose, geese: scripted, ducks: scripted, seats: {0: "rl:goose"}}
  - {name: trained both, geese: "rl:goose", ducks: "rl:duck"}
"""
ROLES = [["goose", "duck"], ["goose", "duck"], ["goose", "duck"], ["duck", "goose"]]
"""Of the first two seats, by seed."""


def game(setting: str, seed: int, geese_won: bool) -> dict[str, Any]:
    """A line of games.jsonl, as far as it is read."""
    parts = {"geese_win": [int(geese_won), 1]}
    return {"path": f"{setting}/{seed}", "setting": setting, "seed": seed, "parts": parts}


def finding(speaker: int, kind: str, verdict: str) -> dict[str, Any]:
    """A line of findings.jsonl about the first game."""
    return {"of": 0, "speaker": speaker, "claim": {"type": kind}, "verdict": verdict}


def lines(rows: list[dict[str, Any]]) -> str:
    """A line each."""
    return "\n".join(map(json.dumps, rows))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Four seeds: scripted Geese win 0, 1, 2; the trained Duck wins all but 2; seat 0 is the Duck in seed 3."""
    rows = [game("scripted", seed, seed < 3) for seed in range(4)]
    rows += [game("trained duck", seed, seed == 2) for seed in range(4)]
    rows += [game("trained goose", seed, seed < 3) for seed in range(4)]
    rows += [game("trained both", seed, True) for seed in range(4)]
    (tmp_path / "suite.yaml").write_text(SUITE, "utf-8")
    (tmp_path / "games.jsonl").write_text(lines(rows), "utf-8")
    first, *others = (
        {"game": row["path"], "roles": ROLES[row["seed"]], "policies": ["scripted", "rl:duck"]} for row in rows
    )
    said = [finding(0, "sighting", "true"), finding(1, "sighting", "false"), finding(1, "sighting", "wrong_room")]
    said += [finding(1, "sighting", "true"), finding(0, "accusation", "true"), finding(0, "accusation", "false")]
    (tmp_path / "findings.jsonl").write_text(lines([first, *said, *others]), "utf-8")
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
    assert wins["trained duck"]["duck"]["base"] == 25
    assert wins["trained duck"]["duck"]["difference"] == 50  # it wins 0, 1, 3, the scripted one 3
    assert wins["scripted"]["goose"]["share"] == 75


def test_the_games_of_a_trained_seat_count_by_its_role(run: Path) -> None:
    wins = told(run)["wins"]["trained goose"]
    assert wins["duck"]["games"] == 1 and wins["duck"]["difference_interval"] is None
    assert wins["goose"]["games"] == 3
    assert wins["goose"]["base"] == 100  # of seeds 0, 1, 2
    assert wins["goose"]["difference"] == 0


def test_a_setting_that_differs_in_both_teams_is_not_compared(run: Path) -> None:
    assert "trained both" not in told(run)["wins"]


def test_another_setting_can_be_the_one_that_is_compared_with(run: Path) -> None:
    wins = told(run, "--base", "trained both")["wins"]
    assert list(wins) == ["trained duck", "trained both"]  # with the first it has its Duck in common
    assert wins["trained duck"]["goose"]["difference"] == -75  # these Geese win seed 2 alone, those of the base all


def test_a_run_without_the_setting_says_which_it_has(run: Path) -> None:
    app = typer.Typer()
    app.command()(compare.compare)
    ended = CliRunner().invoke(app, [str(run), "--base", "mine"])
    assert ended.exit_code == 2
    assert "there are scripted, trained duck, trained goose, trained both" in ended.stderr


def test_only_the_first_games_of_a_setting_count(run: Path) -> None:
    duck = told(run, "--games", "2")["wins"]["trained duck"]["duck"]
    assert (duck["games"], duck["share"], duck["base"]) == (2, 100, 0)


def test_sayings_go_by_role_and_policy(run: Path) -> None:
    said = told(run)["said"]
    assert said["duck, rl:duck"]["sighting"] == {"false": 1, "true": 1, "wrong_room": 1}
    assert said["goose, scripted"]["accusation"] == {"false": 1, "true": 1}
    assert said["goose, scripted"]["statements"] == 3
    assert compare.told(said["duck, rl:duck"]["sighting"]) == "33% / 67% / 3"
    assert compare.hits(said["goose, scripted"]) == "50% / 2"


@pytest.mark.parametrize(
    ("name", "lines", "told"),
    [("games.jsonl", 0, "line 1: damaged, not JSON"), ("findings.jsonl", 1, "has no game 'scripted/1'")],
)
def test_results_that_were_cut_short_are_told_with_the_remedy(run: Path, name: str, lines: int, told: str) -> None:
    text = (run / name).read_text("utf-8")
    (run / name).write_text("".join(text.splitlines(keepends=True)[:lines]) or text[:30], "utf-8")
    with pytest.raises(ConfigError, match=rf"{name}.* {told}.*; to write it anew: quack bench .* --resume$"):
        compare.rows_of(run)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[]", "not an object"),
        ("{}", "has no path, setting, seed, parts"),
        ('{"path": "a", "seed": 1}', "has no setting"),
    ],
)
def test_a_line_that_is_of_no_game_is_told_with_the_remedy(run: Path, line: str, told: str) -> None:
    (run / "games.jsonl").write_text(line, "utf-8")
    with pytest.raises(ConfigError, match=rf"games\.jsonl, line 1: damaged, {told}.*; to write it anew: quack bench"):
        compare.rows_of(run)


@pytest.mark.parametrize(
    ("line", "told"), [('{"game": "a"}', "roles, policies"), ('{"of": 0, "claim": {}}', "speaker")]
)
def test_a_line_that_is_neither_a_game_nor_a_finding_is_told(run: Path, line: str, told: str) -> None:
    (run / "findings.jsonl").write_text(line, "utf-8")
    with pytest.raises(ConfigError, match=rf"findings\.jsonl, line 1: damaged, has no {told}"):
        list(compare.findings(run))


def test_settings_that_share_no_seed_are_told() -> None:
    with pytest.raises(ConfigError, match=r"^too few games: 'mine' and the base have no finished game"):
        compare.won([game("mine", 1, True)], [game("scripted", 2, True)], "goose")


def test_an_interval_without_any_width_is_all_alike() -> None:
    assert [compare.bounds(one) for one in (None, (-5.0, 12.34), (0.0, 0.0))] == ["-", "[-5.0, 12.3]", "all alike"]


def test_a_run_without_results_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"games\.jsonl"):
        compare.rows_of(tmp_path)
