"""Every measure on sequences of beliefs whose values are worked out by hand."""

from __future__ import annotations

from math import log

import pytest

from quack_eval import BeliefEval
from quack_eval.beliefs.games import Happening, Stance, Vote
from quack_eval.beliefs.impact import anchoring, impact_table, impacts, order_effect
from quack_eval.beliefs.measures import measures_of

from .making import AGENTS, belief, everybody, game, speech, track


def value(name: str, *beliefs: list, **more: object) -> float | None:  # type: ignore[type-arg]
    reference = more.pop("reference", None)
    made = game([b for some in beliefs for b in some], **more)  # type: ignore[arg-type]
    return measures_of(everybody(made, reference))[name].value  # type: ignore[arg-type]


def test_over_no_beliefs_everything_is_undefined() -> None:
    measures = measures_of(everybody(game()))
    assert {name: measure.value for name, measure in measures.items()} == dict.fromkeys(measures)
    evaluation = BeliefEval([game()])
    assert evaluation.to_json()["groups"] == []
    assert evaluation.tables() == []


def test_a_value_and_its_interval_are_shown_with_the_same_decimals() -> None:
    stated = [0.001, 0.002, 0.001, 0.002]  # of a Goose: log scores of 0.001 and 0.002, Brier scores next to nothing
    evaluation = BeliefEval([game([belief(0, "a", "b", p)]) for p in stated])
    cells = dict(zip(*(list(column.cells) for column in evaluation.measure_table().columns[:2]), strict=True))
    assert cells["log_score"] == "0.0015\n[dim][0.0010, 0.0020][/dim]"
    assert cells["certainty %"].startswith("98.4\n")


def test_a_change_of_side_is_a_flip_and_one_half_has_no_side() -> None:
    assert value("flip_rate", track("a", "d", 0.2, 0.7, 0.5, 0.3)) == 2 / 2
    assert value("flip_rate", track("a", "d", 0.2, 0.4, 0.6), track("b", "d", 0.9, 0.9)) == 1 / 3
    assert value("flip_rate", track("a", "d", 0.5, 0.5)) is None


def test_the_top_suspect_flips_and_returns() -> None:
    tracks = track("a", "b", 0.6, 0.3, 0.7), track("a", "c", 0.2, 0.5, 0.2)
    assert value("top_flip_rate", *tracks) == 2 / 2
    assert value("top_return_rate", *tracks) == 1 / 2


def test_a_top_suspect_who_is_gone_has_not_flipped() -> None:
    tracks = track("a", "b", 0.6), track("a", "c", 0.2, 0.5, 0.6)
    assert value("top_flip_rate", *tracks) == 0 / 1
    assert value("top_return_rate", *tracks) is None


def test_of_equals_the_earlier_top_suspect_stays_and_without_one_there_is_none() -> None:
    assert value("top_flip_rate", track("a", "b", 0.6, 0.5), track("a", "c", 0.2, 0.5)) == 0 / 1
    assert value("top_flip_rate", track("a", "b", 0.5, 0.6), track("a", "c", 0.5, 0.2)) is None


def test_certainty_is_one_minus_the_entropy() -> None:
    assert value("certainty", track("a", "b", 0.5)) == 0
    assert value("certainty", track("a", "b", 1.0, 0.0)) == 1
    assert value("certainty", track("a", "b", 0.25)) == pytest.approx(1 - 0.8112781, abs=1e-7)


def test_scores_hold_p_against_the_truth() -> None:
    stated = track("a", "d", 0.8), track("a", "b", 0.3)
    assert value("brier", *stated) == pytest.approx((0.04 + 0.09) / 2)
    assert value("log_score", *stated) == pytest.approx(-(log(0.8) + log(0.7)) / 2)
    assert value("log_score", track("a", "d", 0.0)) == pytest.approx(-log(0.001))


def test_failed_and_repaired_answers_are_counted_and_failed_ones_score_nothing() -> None:
    rows = [belief(0, "a", "b", None), belief(5, "a", "b", 0.0, repaired=True)]
    assert value("answered", rows) == 1 / 2
    assert value("repaired", rows) == 1 / 2
    assert value("brier", rows) == 0


def test_a_moment_counts_once_and_repeats_are_held_against_its_first_answer() -> None:
    rows = [belief(0, "a", "d", 0.5), belief(0, "a", "d", 0.9), belief(0, "a", "d", 0.7, repeat=1)]
    assert value("brier", rows) == 0.25
    assert value("retest", rows) == pytest.approx(0.2)


def test_votes_are_held_against_the_last_belief_before_them() -> None:
    beliefs = track("a", "b", 0.6, 0.2), track("a", "d", 0.1, 0.7), track("d", "a", 0.0, 0.0), track("b", "a", 0.4)
    voting = [Vote(5, 0, "a", "b"), Vote(15, 0, "d", "a"), Vote(15, 0, "b", None), Vote(15, 0, "c", "a")]
    found = measures_of(everybody(game([b for t in beliefs for b in t], votes=voting)))
    assert found["belief_vote_consistency"].value == pytest.approx(2 / 3), "a turned to d after it, b is sure of nobody"
    assert found["strategic_votes"].value == 1, "the Duck votes for somebody it knows to be none"
    assert found["execution_votes"].value == 0


def test_a_goose_that_votes_for_another_than_it_suspects_fails_in_execution() -> None:
    beliefs = track("a", "b", 0.6) + track("a", "c", 0.2)
    assert value("execution_votes", beliefs, votes=[Vote(5, 0, "a", "c")]) == 1
    assert value("execution_votes", beliefs, votes=[Vote(5, 0, "a", None)]) == 1
    assert value("execution_votes", beliefs, votes=[Vote(5, 1, "a", "c")]) is None, "of another meeting"


def test_update_speed_is_change_by_perceived_events() -> None:
    happenings = [speech(3, "b"), speech(6, "c"), speech(7, "a"), Happening(8, "depart", "b", None, 0, frozenset("c"))]
    assert value("update_speed", track("a", "d", 0.2, 0.5), happenings=happenings) == pytest.approx(0.3 / 2)
    assert value("update_speed", track("a", "d", 0.2, 0.5)) is None, "nothing happened"


def test_inertia_is_the_evidence_that_had_come_in_when_the_side_changed() -> None:
    reference = {(0, "a"): {"d": 0.2}, (10, "a"): {"d": 0.5}, (20, "a"): {"d": 0.8}}
    assert value("inertia", track("a", "d", 0.4, 0.4, 0.6), reference=reference) == pytest.approx(log(16))
    assert value("inertia", track("a", "d", 0.4, 0.6, 0.6), reference=reference) == pytest.approx(log(4))
    back = track("a", "d", 0.4, 0.6, 0.4)
    assert value("inertia", back, reference=reference) == pytest.approx((log(4) - log(4)) / 2)
    assert value("inertia", track("a", "d", 0.4, 0.4, 0.4), reference=reference) is None


def accusing(*targets: str, by: str = "bc", first: int = 2) -> tuple[list[Happening], list[Stance]]:
    """Speeches of several players, each accusing somebody."""
    places = [(first + k, speaker, target) for k, (speaker, target) in enumerate(zip(by, targets, strict=True))]
    return [speech(at, who) for at, who, _ in places], [Stance(at, 0, who, whom, True) for at, who, whom in places]


def unmoved(*moments: int) -> dict[tuple[int, str], dict[str, float]]:
    """A Bayesian observer that learns nothing."""
    return {(at, agent): dict.fromkeys(AGENTS, 0.25) for at in moments for agent in AGENTS}


def test_a_conformist_follows_the_others_and_a_contrarian_goes_the_other_way() -> None:
    happenings, stances = accusing("d", "d")
    told = {"happenings": happenings, "stances": stances, "reference": unmoved(0, 10)}
    assert value("conformity", track("a", "d", 0.2, 0.6), **told) == pytest.approx(0.4)
    assert value("conformity", track("a", "d", 0.2, 0.1), **told) == pytest.approx(-0.1)
    assert value("conformity", track("a", "e", 0.2, 0.9), **told) is None, "nobody spoke of it"


def test_who_spoke_against_the_others_and_moved_with_the_evidence_is_no_conformist() -> None:
    happenings, stances = accusing("d", "d")
    reference = unmoved(0) | {(10, "a"): {"d": 0.65}}
    told = {"happenings": happenings, "stances": stances, "reference": reference}
    assert value("conformity", track("a", "d", 0.2, 0.6), **told) == pytest.approx(0)


def test_the_first_accused_anchors() -> None:
    happenings, stances = accusing("d", "e", "e", "c", by="bcbb")
    beliefs = track("a", "d", 0.2, 0.6) + track("a", "e", 0.2, 0.4) + track("a", "c", 0.2, 0.3)
    found = anchoring([everybody(game(beliefs, happenings=happenings, stances=stances))])
    assert found.value == pytest.approx(0.3), "0.1 for an accusation, and 0.3 for being the first"
    assert found.n == 3
    alike = [everybody(game(track("a", "d", 0.2, 0.6), happenings=happenings, stances=stances))]
    assert anchoring(alike).value is None, "one case cannot tell"


def test_the_order_of_two_accusations_shows_in_a_pair_of_scripts() -> None:
    first, second = track("a", "d", 0.5, 0.8) + track("b", "d", 0.6), track("a", "d", 0.5, 0.6) + track("c", "d", 0.1)
    assert order_effect(first, second, "d").value == pytest.approx(0.2)
    assert order_effect(first, [], "d").value is None


def test_second_order_beliefs_are_held_against_what_the_other_stated() -> None:
    stated = [belief(0, "b", "a", 0.7), belief(0, "c", "a", 0.2), belief(0, "b", "d", 0.1)]
    thought = [
        belief(0, "a", "b", 0.4, about="a"),
        belief(0, "a", "c", 0.6, about="a"),
        belief(0, "a", "b", 0.3, about="d"),
        belief(0, "a", "e", 0.3, about="a"),  # e was not asked
        belief(9, "a", "b", 0.9, about="a"),  # nobody was, at that moment
    ]
    found = measures_of(everybody(game(stated + thought)))
    assert found["second_order_accuracy"].value == pytest.approx(1 / 3)
    assert found["second_order_error"].value == pytest.approx((0.3 + 0.4 + 0.2) / 3)
    assert found["self_suspicion_bias"].value == pytest.approx((-0.3 + 0.4) / 2)
    assert found["self_suspicion_over"].value == 1 / 2
    assert found["self_suspicion_under"].value == 1 / 2


def test_rationality_is_nearness_to_the_bayesian_observer() -> None:
    reference = {(0, "a"): {"b": 0.0, "c": 1.0, "d": 0.3}}
    alike = [belief(0, "a", "b", 0.0), belief(0, "a", "c", 1.0), belief(0, "a", "d", 0.3)]
    found = measures_of(everybody(game(alike), reference))
    assert found["rationality_divergence"].value == found["rationality_gap"].value == 0
    assert found["brier_observer"].value == found["brier"].value
    wrong = [belief(0, "a", "b", 1.0), belief(0, "a", "c", 0.25)]
    found = measures_of(everybody(game(wrong), reference))
    assert found["impossible_suspicion"].value == 1
    assert found["missed_proof"].value == 0.75
    assert value("rationality_divergence", [wrong[0]], reference=reference) == 1
    assert value("rationality_gap", wrong) is None, "without a recording there is no reference"


def test_an_event_is_credited_with_the_change_over_it_alone() -> None:
    happenings, stances = accusing("d", "c")
    beliefs = [*track("a", "d", 0.2, 0.5, step=1, first=2), *track("a", "b", 0.3, 0.2, step=1, first=2)]
    made = game([*beliefs, *track("e", "d", 0.1, 0.9)], happenings=happenings, stances=stances)
    found = {(one.observer, one.target, one.about): one.change for one in impacts(everybody(made))}
    assert found == {("a", "d", "accused"): pytest.approx(0.3), ("a", "b", "actor"): pytest.approx(-0.1)}
    rows = {(row.kind, row.speaker, row.about): row.change for row in impact_table([everybody(made)])}
    assert rows["statement", "goose model", "accused"].pooled == pytest.approx(0.3)
    assert rows["statement", "goose model", "accused"].denominator == 1


def test_where_nobody_is_asked_twice_no_event_has_an_impact() -> None:
    once = everybody(game(track("a", "d", 0.5)))
    assert impact_table([once, once]) == []


def test_groups_keep_roles_and_policies_apart() -> None:
    policies = {"a": "one", "b": "other", "c": "one", "d": "one", "e": "one"}
    made = game(track("a", "d", 0.5) + track("b", "d", 1.0) + track("d", "a", 0.0), policies=policies)
    evaluation = BeliefEval([made] * 4)
    brier = {group: found["brier"].pooled for group, found in evaluation.estimates.items()}
    assert brier == {
        ("all", "all"): pytest.approx(0.25 / 3),
        ("role", "goose"): 0.125,
        ("role", "duck"): 0,
        ("goose", "one"): 0.25,
        ("goose", "other"): 0,
        ("duck", "one"): 0,
    }
    assert evaluation.estimates["goose", "one"]["brier"].pooled_interval == (0.25, 0.25)
