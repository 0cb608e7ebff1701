"""`quack play --probe`."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from quack_bench.cli import app
from quack_env.beliefs import BeliefStore

GAME = ("--seed", "3")


def test_a_game_is_probed_into_a_store_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    result = CliRunner().invoke(app, ["play", *GAME, "--probe", "meetings", "--out", str(folder), "--json"])
    assert result.exit_code == 0 and json.loads(result.stdout)["meetings"] > 0
    rows = list(BeliefStore(folder / "run.sqlite").read(game_id="game"))
    assert rows and all(row.parsed_ok for row in rows)


def test_unknown_triggers_are_an_error_of_usage_and_start_no_game(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["play", *GAME, "--probe", "sometimes", "--out", str(tmp_path / "game")])
    assert result.exit_code == 2 and "sometimes" in result.stderr and "every_event" in result.stderr
    assert not (tmp_path / "game").exists()
