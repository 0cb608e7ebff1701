"""Shared belief and trust, by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from quack_env.beliefs import Belief
from quack_eval.beliefs.games import BeliefGame
from quack_eval.beliefs.trust import Encounter, encounters, shared_belief, trust_measures

AGENTS = tuple(f"player_{seat}" for seat in range(4))


def believes(at: int, observer: int, **targets: float) -> list[Belief]:
    """What one seat said of others ("p1" for player_1) at a moment."""
    return [
        Belief(
            "g", at, None, "discussion", "before_speech", at, AGENTS[observer], f"player_{target[1:]}", 1, None,
            1 - p, p, True, False, None, None, None, None, meeting=0,
        )
        for target, p in targets.items()
    ]  # fmt: skip


def game(beliefs: Sequence[Belief], seed: int = 0, duck: int = 3) -> BeliefGame:
    """A game of four, without a recording."""
    names = dict(zip(AGENTS, ("Ann", "Bea", "Cy", "Di"), strict=True))
    policies = dict.fromkeys(AGENTS, "x")
    return BeliefGame("g", AGENTS, names, frozenset({AGENTS[duck]}), policies, beliefs, [], [], [], seed=seed)


def test_geese_that_come_to_the_same_true_suspect_converge() -> None:
    first = [*believes(5, 0, p2=0.8, p3=0.2), *believes(5, 1, p2=0.2, p3=0.8), *believes(5, 3, p0=0.0)]
    last = [*believes(9, 0, p2=0.1, p3=0.9), *believes(9, 1, p2=0.1, p3=0.7)]
    alone = believes(12, 0, p2=1.0)
    found = shared_belief(game([*first, *last, *alone]))
    # |.8-.2| twice, then |.1-.1| and |.9-.7|; the Duck and the moment at which one was asked alone do not count.
    assert found["agreement"].value == pytest.approx((0.4 + 0.4 + 1.0 + 0.8) / 4)
    assert found["convergence"].value == pytest.approx(0.9 - 0.4)
    assert found["common_suspect"].value == 1 / 2
    assert found["common_suspect_right"].value == 1


def test_a_common_suspect_may_be_the_wrong_one_and_a_tie_is_none() -> None:
    wrong = [*believes(5, 0, p2=0.8, p3=0.2), *believes(5, 1, p2=0.6, p3=0.3)]
    tied = [*believes(9, 0, p2=0.5, p3=0.5), *believes(9, 1, p2=0.6, p3=0.3)]
    found = shared_belief(game([*wrong, *tied]))
    assert found["common_suspect"].value == 1 / 2 and found["common_suspect_right"].value == 0


def test_nothing_shared_is_undefined() -> None:
    found = shared_belief(game(believes(5, 0, p1=0.5)))
    assert all(measure.value is None for measure in found.values())


def series(*games: tuple[float | None, bool]) -> list[Encounter]:
    """(trust, whether the partner lied) of consecutive games."""
    return [Encounter(trust, lied) for trust, lied in games]


def test_trust_falls_after_a_lie_and_honest_games_repair_it() -> None:
    found = trust_measures(series((0.8, False), (0.8, True), (0.4, False), (0.6, False), (0.8, False)))
    assert found["trust_after_lie"].value == pytest.approx(-0.4)
    assert found["trust_after_honesty"].value == pytest.approx((0 + 0.2 + 0.2) / 3)
    assert found["repair_games"].value == 2 and found["unrepaired"].value == 0


def test_a_second_lie_before_trust_is_back_leaves_the_first_unrepaired() -> None:
    found = trust_measures(series((0.8, True), (0.4, True), (0.3, False), (0.4, False)))
    assert found["unrepaired"].value == 1 / 2  # the second one cost 0.1, which came back after one honest game
    assert found["repair_games"].value == 1


def test_a_lie_that_costs_nothing_needs_no_repair() -> None:
    found = trust_measures(series((0.8, True), (0.8, False)))
    assert found["repair_games"].value is None and found["unrepaired"].value is None


def test_encounters_go_by_name_in_order_of_seed_and_ducks_trust_nobody() -> None:
    later, earlier = game(believes(5, 0, p1=0.3), seed=2), game(believes(5, 0, p1=0.1), seed=1, duck=2)
    last = game(believes(5, 0, p1=0.0), seed=3, duck=0)
    found = encounters([later, earlier, last])
    assert [one.trust for one in found["Ann", "Bea", ("x",) * 4]] == [0.9, 0.7, None]
