"""Sums of which a part may not be known."""

from __future__ import annotations

import pytest

from quack_eval.metrics.measure import total


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
