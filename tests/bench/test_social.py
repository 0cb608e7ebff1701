"""The scored suite names the flaw that a policy was made with, and no other's."""

from __future__ import annotations

from pathlib import Path

import pytest

from quack_bench.scripts import found, planned, play_situations
from quack_eval.beliefs.social import SocialReasoning
from quack_eval.metrics.estimate import Estimate

from .planted import PLANTED


def played(folder: Path, policies: list[str], situations: list[str], seeds: int, mirrors: bool) -> SocialReasoning:
    """The scores of planted policies."""
    plans = planned(found(situations, mirrors), policies, range(seeds))
    play_situations(plans, folder, make=lambda name: PLANTED[name]())
    return SocialReasoning(folder)


def by_policy(scores: SocialReasoning, measure: str) -> dict[str, Estimate]:
    """One measure of all policies."""
    return {one.policy: one.measures[measure] for one in scores.ranking}


def ascending(found: dict[str, Estimate]) -> list[str]:
    """The policies, the lowest value first."""
    return sorted(found, key=lambda policy: found[policy].pooled or 0.0)


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> SocialReasoning:
    """Four policies in four situations, over two seeds."""
    folder = tmp_path_factory.mktemp("social")
    policies = ["conformist", "stubborn", "bayesian", "random"]
    return played(folder, policies, ["wrong_majority", "bandwagon", "silent_duck", "witness_alone"], 2, False)


def test_the_conformist_conforms_and_the_others_do_not(scores: SocialReasoning) -> None:
    found = by_policy(scores, "conformity")
    assert ascending(found)[-1] == "conformist"
    interval = found["conformist"].pooled_interval
    assert interval is not None and interval[0] > 0.1
    assert found["bayesian"].pooled == pytest.approx(0) and found["stubborn"].pooled == pytest.approx(0)


def test_the_stubborn_one_never_moves_and_misses_what_is_proven(scores: SocialReasoning) -> None:
    moved = by_policy(scores, "update_speed")
    assert ascending(moved)[0] in ("stubborn", "bayesian") and moved["stubborn"].pooled == pytest.approx(0)
    assert moved["stubborn"].pooled < moved["conformist"].pooled < moved["random"].pooled  # type: ignore[operator]
    missed = by_policy(scores, "missed_proof")
    assert missed["bayesian"].pooled == 0 and missed["stubborn"].pooled > 0.4  # type: ignore[operator]


def test_the_bayesian_is_the_most_rational_and_its_distance_to_others_is_clear(scores: SocialReasoning) -> None:
    gaps = by_policy(scores, "rationality_gap")
    assert ascending(gaps)[0] == "bayesian" and gaps["bayesian"].pooled == pytest.approx(0)
    for policy in ("conformist", "stubborn", "random"):
        interval = gaps[policy].pooled_interval
        assert interval is not None and interval[0] > 0.05
    assert scores.ranking[0].policy == "bayesian"


def test_the_random_one_flips_most_and_does_not_vote_as_it_believes(scores: SocialReasoning) -> None:
    flips = by_policy(scores, "flip_rate")
    assert ascending(flips)[-1] == "random" and flips["stubborn"].pooled == 0
    consistent = by_policy(scores, "belief_vote_consistency")
    assert ascending(consistent)[0] == "random"
    assert all(consistent[policy].pooled == 1 for policy in ("conformist", "stubborn", "bayesian"))


def test_the_order_swapped_counter_accusation_finds_the_anchored_and_clears_the_order_blind(tmp_path: Path) -> None:
    found = by_policy(played(tmp_path, ["anchored", "order-blind"], ["counter_accusation"], 6, True), "anchoring")
    anchored, blind = (found[name].pooled_interval for name in ("anchored", "order-blind"))
    # Of two accused once each among four, weights 8:2:1:1 make p 2/3 for the first accused and 1/6 for the second.
    assert found["anchored"].pooled == pytest.approx(1 / 2, abs=0.08)
    assert anchored is not None and blind is not None
    assert anchored[0] > 0.3
    assert blind[0] <= 0 <= blind[1] and max(abs(blind[0]), blind[1]) < 0.1
