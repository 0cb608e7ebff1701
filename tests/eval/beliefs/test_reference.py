"""The Bayesian observer over games told decision by decision, and over published ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from quack_env.posterior import HARD, Behaviour
from quack_eval import BeliefEval, Trajectory
from quack_eval.beliefs import game_of, observe, reference_beliefs
from quack_eval.beliefs.reference import Moment, moments_after

AGAIN = ". medbay oxygen oxygen storage"
"""Where the living are put after the vote."""


def said_at(game: Trajectory, kind: str, seat: int, behaviour: Behaviour | None = None) -> Moment:
    """What a seat concludes right after the first event of a kind."""
    at = next(event.index for event in game.events if event.kind == kind) + 1
    (found,) = observe(game, {at: [seat]}, behaviour)
    return found


def test_alone_with_killer_and_victim_it_is_certain(story: Any) -> None:
    told = story("medbay medbay oxygen oxygen medbay", ducks=[4])
    told.tick("4 kill 0")
    told.tick("1 report")
    told.vote(". - - - -", AGAIN)
    found = said_at(told.play(), "meeting_called", 1)
    assert found.p == {2: 0.0, 3: 0.0, 4: 1.0}
    assert (found.tick, found.phase, found.round, found.meeting) == (2, "voting", None, 0)


def test_a_kill_leaves_those_who_were_seen_elsewhere_at_exactly_nothing(story: Any) -> None:
    told = story("medbay oxygen oxygen storage medbay", ducks=[4])
    told.tick("4 kill 0")
    told.tick("1 wait", "4 report")
    told.vote(". - - - -", AGAIN)
    found = said_at(told.play(), "meeting_called", 1, HARD)
    assert found.p == {2: 0.0, 3: 0.5, 4: 0.5}


def test_whoever_spared_the_observer_while_alone_with_it_is_less_likely_a_duck(story: Any) -> None:
    told = story("medbay medbay oxygen oxygen", ducks=[3])
    told.tick(times=5)
    game = told.play()
    (found,) = observe(game, {len(game.events): [0]}, Behaviour(sparing=0.5))
    # the cooldown is over from tick 1 on, the observer looks at tick 6 and the ticks 2 to 5 have passed
    assert found.p == pytest.approx({1: 0.5**4 / (0.5**4 + 2), 2: 1 / (0.5**4 + 2), 3: 1 / (0.5**4 + 2)})


def test_standing_by_a_body_counts_by_the_stated_factor(story: Any) -> None:
    told = story("medbay cafeteria medbay storage storage", ducks=[2])
    told.tick("2 kill 0")
    told.tick(times=5)
    told.tick("1 move medbay")
    told.tick()
    told.tick("1 report")
    told.vote(". - - - -", AGAIN)
    game = told.play()
    plain = said_at(game, "meeting_called", 1, Behaviour(lingering=1.0)).p[2]
    doubled = said_at(game, "meeting_called", 1, Behaviour(lingering=2.0)).p[2]
    assert doubled / (1 - doubled) == pytest.approx(2 * plain / (1 - plain))


def test_who_was_ejected_and_did_not_end_the_game_was_no_duck(story: Any) -> None:
    told = story("cafeteria cafeteria oxygen oxygen storage", ducks=[4])
    told.tick("0 call")
    told.vote("1 0 1 1 1", "cafeteria . oxygen oxygen storage")
    told.tick()
    game = told.play()
    found = said_at(game, "ejected", 0)
    assert found.p == pytest.approx({2: 1 / 3, 3: 1 / 3, 4: 1 / 3})


def test_only_the_living_are_asked_and_at_the_moments_named(story: Any) -> None:
    told = story("medbay medbay oxygen oxygen medbay", ducks=[4])
    told.tick("4 kill 0")
    told.tick("1 report")
    told.vote(". - - - -", AGAIN)
    game = told.play()
    killed = next(event.index for event in game.events if event.kind == "kill")
    moments = {killed: None, killed + 2: None, len(game.events): [0, 1]}
    assert [(found.at, found.seat) for found in observe(game, moments)] == [
        *((killed, seat) for seat in range(5)),
        *((killed + 2, seat) for seat in (1, 2, 3, 4)),
        (len(game.events), 1),
    ]


def test_the_observer_held_against_itself_is_rational(story: Any) -> None:
    told = story("medbay medbay oxygen oxygen medbay", ducks=[4])
    told.tick("4 kill 0")
    told.tick("1 report")
    told.vote(". 4 4 4 1")
    game = told.play()
    evaluation = BeliefEval([game_of(game, reference_beliefs(game, "g"), "g")])
    measures = evaluation.estimates["role", "goose"]
    assert measures["rationality_divergence"].pooled == 0
    assert measures["brier"].pooled == measures["brier_observer"].pooled
    assert measures["missed_proof"].denominator > 0


def test_in_published_games_no_duck_is_ruled_out_and_no_goose_proven(published_games: list[Path]) -> None:
    ruled_out = 0
    for path in published_games[::9]:
        game = Trajectory.load(path)
        for found in observe(game, moments_after(game, ("meeting_called", "body_appeared"))):
            for target, p in found.p.items():
                assert p > 0 if target in game.ducks else p < 1, (path, found)
                ruled_out += p == 0 and found.seat not in game.ducks
    assert ruled_out > 0
