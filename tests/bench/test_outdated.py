"""Which recordings make the evaluation of a suite's run outdated: its own games, and nothing that lies beside them."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

from quack_bench.results import score
from quack_bench.runner import frozen
from quack_eval.run_folder import open_run

from .conftest import Run

OWN = "scripted__random/seed-001"
LATE = (2**33, 2**33)
"""A time long after every evaluation."""


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Path:
    """A copy of a finished run, in a folder whose name has a space."""
    return Path(shutil.copytree(small_run, tmp_path / "a run"))


def test_a_game_copied_into_a_suites_folder_is_none_of_its_business(run: Path) -> None:
    shutil.copytree(run / OWN, run / "guests" / "seed-000")
    os.utime(run / "guests" / "seed-000" / "trajectory.jsonl", LATE)
    assert open_run(run).outdated is None


def test_a_suites_own_game_that_was_played_anew_is_told_of_with_the_command_that_scores_it(
    run: Path, quack: Run
) -> None:
    os.utime(run / OWN / "trajectory.jsonl", LATE)
    told = open_run(run).outdated
    assert told is not None and f"1 recording, the first {OWN}; " in told
    command = told.partition("to evaluate anew: quack ")[2]
    os.utime(run / OWN / "trajectory.jsonl", (0, 0))
    assert quack(*shlex.split(command)).exit_code == 0


def test_a_suites_game_is_told_of_when_it_is_finished_and_not_before(run: Path) -> None:
    status = run / OWN / "status.json"
    finished = status.read_text()
    status.write_text('{"status": "aborted"}')
    score(frozen(run), run)
    os.utime(run / OWN / "trajectory.jsonl", LATE)
    assert open_run(run).measures["left_out"] == [OWN]
    assert open_run(run).outdated is None
    status.write_text(finished)
    told = open_run(run).outdated
    assert told is not None and f"1 recording, the first {OWN}; " in told
