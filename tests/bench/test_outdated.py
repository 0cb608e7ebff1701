"""Which recordings make the evaluation of a suite's run outdated: its own games, and nothing that lies beside them."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from quack_bench.results import score
from quack_bench.runner import frozen
from quack_eval.run_folder import open_run

from .conftest import Run

OWN = "scripted__random/seed-001"
OTHER = "scripted__random/seed-000"


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Path:
    """A copy of a finished run, in a folder whose name has a space."""
    return Path(shutil.copytree(small_run, tmp_path / "a run"))


def test_a_copied_run_is_as_up_to_date_as_it_was(run: Path) -> None:
    assert open_run(run).outdated is None


def test_a_game_copied_into_a_suites_folder_is_told_of_and_no_command_would_score_it(run: Path) -> None:
    shutil.copytree(run / OWN, run / "guests" / "seed-000")
    told = open_run(run).outdated
    assert told == "measures.json is of other recordings than lie there: 1 not in it (guests/seed-000)"


def test_a_suites_own_game_that_was_played_anew_is_told_of_with_the_command_that_scores_it(
    run: Path, quack: Run
) -> None:
    shutil.copy(run / OTHER / "trajectory.jsonl", run / OWN)
    told = open_run(run).outdated
    assert told is not None and f"1 changed ({OWN}); " in told
    command = told.partition("to evaluate anew: quack ")[2]
    assert quack(*shlex.split(command)).exit_code == 0
    assert open_run(run).outdated is None


def test_a_suites_game_is_told_of_when_it_is_finished_and_not_before(run: Path) -> None:
    status = run / OWN / "status.json"
    finished = status.read_text()
    status.write_text('{"status": "aborted"}')
    score(frozen(run), run)
    assert open_run(run).measures["left_out"] == [OWN]
    assert open_run(run).outdated is None
    status.write_text(finished)
    told = open_run(run).outdated
    assert told is not None and f"1 changed ({OWN}); " in told
