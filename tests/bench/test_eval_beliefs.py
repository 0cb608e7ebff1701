"""`quack eval` where agents were asked what they believe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quack_bench.cli import app

run = CliRunner()
MAFIASCOPE = Path(__file__).resolve().parents[3] / "shared" / "data" / "mafiascope"


def evaluated(path: Path, out: Path) -> dict[str, object]:
    """What `quack eval` says of a path."""
    result = run.invoke(app, ["eval", str(path), "--json", "--out", str(out)])
    assert result.exit_code == 0, result.output
    found: dict[str, object] = json.loads(result.stdout)
    return found


def test_beliefs_of_a_probed_game_stand_beside_its_other_measures(tmp_path: Path) -> None:
    game = tmp_path / "run" / "game-000"
    assert run.invoke(app, ["play", "--probe", "once_per_meeting", "--seed", "3", "--out", str(game)]).exit_code == 0
    found = evaluated(tmp_path / "run", tmp_path / "out")
    assert found["games"] == 1 and "geese_win" in found["measures"]
    assert found["beliefs"]["games"] == 1 and found["beliefs"]["beliefs"] > 0  # type: ignore[index]
    assert (tmp_path / "out" / "beliefs.json").is_file() and (tmp_path / "out" / "measures.json").is_file()
    by_file = evaluated(game / "trajectory.jsonl", tmp_path / "out")
    assert by_file["beliefs"] == found["beliefs"]  # a game that is named by its file is the same game
    twice = run.invoke(app, ["eval", str(tmp_path / "run"), str(game), "--json"])
    assert json.loads(twice.stdout)["beliefs"] == found["beliefs"]  # and counts once however often it is named


def test_a_game_in_which_nobody_was_asked_has_none(tmp_path: Path) -> None:
    assert run.invoke(app, ["play", "--seed", "3", "--out", str(tmp_path / "game")]).exit_code == 0
    assert "beliefs" not in evaluated(tmp_path / "game", tmp_path / "out")


@pytest.mark.skipif(not MAFIASCOPE.is_dir(), reason="../shared/data/mafiascope is absent")
def test_recordings_of_mafiascope_have_beliefs_alone(tmp_path: Path) -> None:
    found = evaluated(MAFIASCOPE, tmp_path)
    assert set(found) == {"games", "beliefs"} and found["games"] == 4


@pytest.mark.skipif(not MAFIASCOPE.is_dir(), reason="../shared/data/mafiascope is absent")
def test_a_recording_whose_probes_ask_for_no_belief_is_told_of(tmp_path: Path) -> None:
    for game, told in (("410c5e24-51c2-41e0-90fe-00826cd89dbf", True), ("36594b66-05d1-434c-be65-13360eafca9e", False)):
        result = run.invoke(app, ["eval", str(MAFIASCOPE / game)])
        assert result.exit_code == 0
        assert ("no probe of these games asks for a belief" in result.stderr) is told
        assert ("Beliefs" in result.stdout) is not told  # no tables of nothing
