"""What model calls took, from `calls.jsonl` alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import quack_env
from quack_agents import RandomPolicy, play
from quack_env import GameRecord
from quack_eval import evaluate
from quack_eval.metrics.calls import CallEval


def call(attempt: int = 0, **fields: Any) -> dict[str, Any]:
    """A record of an answered call."""
    record = {
        "schema_version": 1, "attempt": attempt, "error": None, "parse": {"failure": None}, "fallback": None,
        "cached": False, "retries": [], "prompt_tokens": 100, "completion_tokens": 10, "cost": 0.25, "latency": 2.0,
    }  # fmt: skip
    return record | fields


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A short recorded game, as yet without calls."""
    env = quack_env.RecordTrajectory(quack_env.env(observation="vector", max_ticks=2), tmp_path / "game")
    play(env, {agent: RandomPolicy() for agent in env.possible_agents}, seed=1)
    env.close()
    return tmp_path / "game"


def with_calls(game: Path, *calls: dict[str, Any]) -> CallEval:
    """The evaluation of the game with these calls."""
    (game / "calls.jsonl").write_text("".join(json.dumps(record) + "\n" for record in calls), encoding="utf-8")
    return CallEval(GameRecord.load(game))


def test_rates_go_by_decisions_and_sums_by_calls(game: Path) -> None:
    unread = {"failure": "no action in it"}
    found = with_calls(
        game,
        call(),
        call(retries=["timeout", "server"], latency=4.0),
        call(parse=unread),  # a third decision, asked again, in vain
        call(attempt=1, parse=unread, fallback="no action in it", cached=True, latency=0.0),
        call(error={"kind": "timeout"}, parse=None, prompt_tokens=None, completion_tokens=None, cost=None),
    ).measures
    values = {name: measure.value for name, measure in found.items()}
    assert values == {
        "calls": 5, "call_errors": 1, "retries": 2, "parse_rate": 2 / 3, "reask_rate": 1 / 3, "fallback_rate": 1 / 3,
        "prompt_tokens": 400, "completion_tokens": 40, "cost_usd": 1.0, "latency": 8 / 3,
    }  # fmt: skip


def test_a_price_that_is_not_known_leaves_the_cost_undefined(game: Path) -> None:
    assert with_calls(game, call(), call(cost=None)).measures["cost_usd"].value is None


def test_a_game_without_models_has_no_such_measures_in_an_evaluation(game: Path) -> None:
    assert "parse_rate" not in evaluate([game]).measures
    with_calls(game, call())
    evaluation = evaluate([game])
    assert evaluation.measures["parse_rate"].mean == 1.0
    assert "Model calls" in [table.title for table in evaluation.tables()]
    assert evaluation.games[0]["calls"]["cost_usd"] == 0.25
