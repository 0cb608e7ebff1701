"""The 95 % interval of any statistic of how often each game is drawn."""

from __future__ import annotations

from collections.abc import Callable

from quack_eval.metrics.estimate import RESAMPLES, Floats, Interval, _pair, _percentiles


def bootstrap(games: int, statistic: Callable[[Floats], Floats]) -> Interval:
    """The percentile interval by resampling whole games; None with fewer than two.

    Args:
        games: how many there are.
        statistic: of rows of counts (how often each game is drawn), one number a row; NaN where undefined.
    """
    if games < 2:
        return None
    low, high = _percentiles(games, lambda counts: statistic(counts)[:, None], RESAMPLES)
    return _pair(low, high, 0)
