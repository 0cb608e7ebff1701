"""The 95 % interval of any statistic of how often each game is drawn."""

from __future__ import annotations

from collections.abc import Callable

from quack_eval.metrics.estimate import RESAMPLES, SEED, Floats, Interval, _pair, _percentiles


def bootstrap(
    games: int, statistic: Callable[[Floats], Floats], resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """The percentile interval by resampling whole games.

    Args:
        games: how many there are.
        statistic: of rows of counts (how often each game is drawn), one number a row; NaN where undefined.
        resamples: how many.
        seed: of the resampling.
    """
    low, high = _percentiles(games, lambda counts: statistic(counts)[:, None], resamples, seed)
    return _pair(low, high, 0)
