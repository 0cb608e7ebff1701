"""With the published conventions every released Tier 1 and Tier 2 value comes out, to 1e-9."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quack_eval import BehaviourEval, OutcomeEval, Trajectory, evaluate
from quack_eval.metrics.measure import UNDEFINED_STAYS


def test_every_value_of_every_game(published_games: list[Path]) -> None:
    compared = games = 0
    for path in published_games:
        file = path / "evaluation.json"
        if not file.exists():
            continue
        released = json.loads(file.read_text(encoding="utf-8"))
        trajectory = Trajectory.load(path)
        games += 1
        for tier, kind in (("tier1", OutcomeEval), ("tier2", BehaviourEval)):
            ours = kind(trajectory, "published").to_dict()
            assert set(ours) == set(released[tier])
            for name, value in released[tier].items():
                expected = pytest.approx(value, abs=1e-9, rel=0) if isinstance(value, float) else value
                assert ours[name] == expected, (path, name)
                compared += 1
    print(f"{compared} values of {games} games")
    assert games > 0


def test_aggregates_follow(published: Path) -> None:
    """The means of the settings are those of the released values: over all games, but for what stays undefined."""
    evaluation = evaluate([published], tiers=(1, 2), convention="published")
    released: dict[str, list[dict[str, Any]]] = {}
    for game in evaluation.games:
        file = Path(game["path"]) / "evaluation.json"
        if file.exists():
            values = json.loads(file.read_text(encoding="utf-8"))
            released.setdefault(game["setting"], []).append(values["tier1"] | values["tier2"])
    for setting, games in released.items():
        for name, estimate in evaluation.settings[setting].items():
            if name == "geese_win":
                values = [float(game["winner"] == "goose") for game in games]
            else:
                values = [game[name] for game in games if game[name] is not None]
            if len(games) < estimate.games:
                continue  # a game whose values were not released
            assert estimate.n == len(values)
            assert estimate.n == estimate.games or name in UNDEFINED_STAYS
            assert estimate.mean == pytest.approx(sum(values) / len(values), abs=1e-9)


def test_conventions_differ_where_the_specification_says(published: Path) -> None:
    paper, old = evaluate([published]).measures, evaluate([published], convention="published").measures
    assert paper["kills"].pooled == old["total_kills"].pooled
    assert paper["goose_vote_accuracy"].pooled == old["goose_voting_accuracy"].pooled
    latency, old_latency = paper["report_latency"].pooled, old["avg_report_latency"].pooled
    assert latency is not None and old_latency is not None and latency > 2 * old_latency
    assert paper["task_efficiency_with_moves"].numerator > paper["task_efficiency"].numerator
