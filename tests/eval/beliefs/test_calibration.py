"""Reliability: agents that are calibrated, overconfident, or say nothing."""

from __future__ import annotations

import pytest

from quack_eval.beliefs.calibration import calibration


def test_who_is_right_as_often_as_it_says_has_no_error() -> None:
    found = calibration([[(0.25, True), (0.25, False), (0.25, False), (0.25, False), (0.0, False), (1.0, True)]])
    assert found.ece == 0
    assert found.n == 6


def test_who_is_surer_than_right_has_the_difference_as_error() -> None:
    found = calibration([[(0.9, True), (0.9, False)]])
    assert found.ece == pytest.approx(0.4)
    (filled,) = [b for b in found.bins if b.n]
    assert (filled.low, filled.high, filled.n) == (0.9, 1.0, 2)
    assert (filled.stated, filled.true) == (0.9, 0.5)
    assert filled.interval == pytest.approx((0.0945, 0.9055), abs=1e-4), "Wilson, 1 of 2"


def test_bins_are_weighted_by_their_beliefs() -> None:
    found = calibration([[(0.9, False)], [(0.1, False), (0.1, False), (0.1, False)]] * 2)
    assert found.ece == pytest.approx((0.9 + 3 * 0.1) / 4)
    assert found.interval is not None
    assert found.interval[0] == pytest.approx(0.1) and found.interval[1] == pytest.approx(0.9)


def test_a_bound_belongs_to_the_upper_bin_and_one_to_the_last() -> None:
    found = calibration([[(0.3, True), (1.0, True), (0.0, False)]])
    assert [b.n for b in found.bins] == [1, 0, 0, 1, 0, 0, 0, 0, 0, 1]


def test_without_beliefs_there_is_no_error() -> None:
    for games in ([], [[]], [[], []]):
        found = calibration(games)
        assert found.ece is None and found.interval is None
        assert all(b.stated is None and b.interval is None for b in found.bins)
