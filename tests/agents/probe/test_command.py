"""`quack play --probe`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quack_agents import ScriptedPolicy
from quack_bench.cli import app
from quack_env.beliefs import BeliefStore

GAME = ("--seed", "3")


def test_a_game_is_probed_into_a_store_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    result = CliRunner().invoke(app, ["play", *GAME, "--probe", "meetings", "--out", str(folder), "--json"])
    assert result.exit_code == 0 and json.loads(result.stdout)["meetings"] > 0
    rows = list(BeliefStore(folder / "run.sqlite").read(game_id="game"))
    assert rows and all(row.parsed_ok for row in rows)


def test_answers_that_are_no_beliefs_are_counted_with_the_first_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScriptedPolicy, "beliefs", lambda self: dict.fromkeys(map("player_{}".format, range(9)), 1.5))
    for command in (["play", *GAME, "--probe", "once_per_meeting"], ["scripts", "run", "bandwagon", "--no-mirrors"]):
        folder = tmp_path / command[0]
        result = CliRunner().invoke(app, [*command, "--out", str(folder), "--json"])
        n = len(list(BeliefStore(folder / "run.sqlite").read()))
        assert n and result.exit_code == 0 and f"{n} of {n} answers to probes failed; the first, " in result.stderr
        assert "range: ScriptedPolicy.beliefs() states 1.5 for player_" in result.stderr


def test_a_policy_without_beliefs_is_no_failure(tmp_path: Path) -> None:
    command = ["play", *GAME, "--goose", "random", "--duck", "random", "--probe", "meetings", "--json"]
    result = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "game")])
    assert result.exit_code == 0 and "failed" not in result.stderr


def test_unknown_triggers_are_an_error_of_usage_and_start_no_game(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["play", *GAME, "--probe", "sometimes", "--out", str(tmp_path / "game")])
    assert result.exit_code == 2 and "sometimes" in result.stderr and "every_event" in result.stderr
    assert not (tmp_path / "game").exists()
