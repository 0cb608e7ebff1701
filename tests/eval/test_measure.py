"""Sums of which a part may not be known."""

from __future__ import annotations

import pytest

from quack_eval.metrics.estimate import estimate
from quack_eval.metrics.measure import Measure, total


@pytest.mark.parametrize(
    ("parts", "whole"),
    [([], 0), ([2, 3], 5), ([0.1, 0.2], 0.3), ([None], None), ([4, None], None), ([0, 0.0], 0.0)],
)
def test_a_total_is_the_sum_of_its_parts_and_unknown_where_one_of_them_is(
    parts: list[float | None], whole: float | None
) -> None:
    assert total(parts) == whole


def test_a_total_of_counts_is_a_count() -> None:
    assert isinstance(total([1, 2]), int)


@pytest.mark.parametrize("parts", [(float("nan"), 1), (float("inf"), 2), (1, -1), (1, float("inf"))])
def test_a_measure_of_parts_that_count_nothing_is_refused(parts: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match=r"a measure of .* over .*: both must be finite"):
        Measure(*parts)


def test_what_stands_over_nothing_adds_nothing() -> None:
    games = [{"rate": Measure(3, 0)}, {"rate": Measure(1, 2)}, {"rate": Measure(1, 2)}]
    assert Measure(3, 0) + Measure(1, 2) == Measure(1, 2)
    assert estimate(games)["rate"].pooled == 0.5
