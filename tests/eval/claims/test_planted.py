"""The judge on ten thousand planted claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from quack_eval import Trajectory
from quack_eval.claims.finding import Said
from quack_eval.claims.judge import Judge
from quack_eval.claims.types import Claim
from quack_eval.timeline import Timeline

from .planted import Planter

CLAIMS = 10_000
LEAST = 0.995


def answers(games: list[Trajectory], count: int) -> tuple[Counter[tuple[str, bool]], list[str]]:
    """How often the judge was right by kind of claim, and its errors in words."""
    right: Counter[tuple[str, bool]] = Counter()
    wrong: list[str] = []
    for seed, game in enumerate(games):
        judging = Judge.of(game)
        for planted in Planter(game, seed).draw(count // len(games) + 1):
            claim = Claim.from_dict(planted.claim)
            found = judging.finding(Said(claim, planted.speaker, planted.meeting))
            same = found.verdict == planted.expected
            right[planted.how, same] += 1
            if not same:
                wrong.append(f"game {seed}, {planted}: {found.verdict}: {found.reason}")
    return right, wrong


def assert_right(games: list[Trajectory], count: int) -> None:
    right, wrong = answers(games, count)
    total = sum(right.values())
    assert total >= count * 0.9
    share = 1 - len(wrong) / total
    assert share >= LEAST, f"right on {share:.4f} of {total}; {dict(right)}\n" + "\n".join(wrong[:20])
    assert not [line for line in wrong if "how='vague'" in line], "vague claims are unverifiable"


def test_claims_planted_into_random_games(play_randomly: Callable[..., Trajectory]) -> None:
    settings = {"n_players": 6, "n_ducks": 1, "kill_cooldown": 3, "max_ticks": 60, "n_tasks": 4}
    games = [play_randomly(settings, seed) for seed in range(40)]
    games += [play_randomly({**settings, "n_players": 9, "n_ducks": 2, "meeting_calls": 3}, seed) for seed in range(20)]
    games = [game for game in games if Timeline(game).meetings]
    assert len(games) >= 20
    assert_right(games, CLAIMS)


def test_claims_planted_into_published_games(published_games: list[Path]) -> None:
    games = [Trajectory.load(path) for path in published_games]
    assert_right(games, CLAIMS)


@pytest.mark.parametrize("how", ["true", "room", "tick", "person", "plain", "vague"])
def test_every_kind_is_planted(play_randomly: Callable[..., Trajectory], how: str) -> None:
    settings = {"n_players": 6, "n_ducks": 1, "kill_cooldown": 3, "max_ticks": 60}
    games = [play_randomly(settings, seed) for seed in range(12)]
    found = Counter(planted.how for seed, game in enumerate(games) for planted in Planter(game, seed).draw(200))
    assert found[how] > 20
