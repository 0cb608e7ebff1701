"""Whether probabilities can be taken at their word: bins of stated p, and how often the target was a Duck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quack_eval.metrics.estimate import Interval, bootstrap, wilson

BINS = 10
Pair = tuple[float, bool]
"""A stated probability, and whether it came true."""


@dataclass(frozen=True)
class Bin:
    """The beliefs with ``low`` <= p < ``high`` (in the last bin also p = 1).

    ``stated``: their mean p; ``true``: the share of Ducks among their targets, with Wilson's 95 % interval. None where
    the bin is empty.
    """

    low: float
    high: float
    n: int
    stated: float | None
    true: float | None
    interval: Interval


@dataclass(frozen=True)
class Calibration:
    """Reliability by bins of equal width, and the expected calibration error.

    ece = sum over the bins of n x |stated - true| / number of beliefs; None without beliefs. Its 95 % interval comes
    from resampling whole games; None with fewer than two.
    """

    n: int
    bins: tuple[Bin, ...]
    ece: float | None
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def calibration(games: Sequence[Sequence[Pair]]) -> Calibration:
    """The calibration of the beliefs of several games, in bins of equal width.

    Args:
        games: by game, stated probabilities with their truth.
    """
    sums = np.stack([_sums(game) for game in games]) if games else np.zeros((0, 3, BINS))
    total = sums.sum(axis=0)
    n = int(total[0].sum())
    interval = bootstrap(len(games), lambda counts: _error(np.tensordot(counts, sums, 1))) if n else None
    found = tuple(_bin(b, *total[:, b]) for b in range(BINS))
    return Calibration(n, found, float(_error(total[None])[0]) if n else None, interval)


def _sums(game: Sequence[Pair]) -> NDArray[np.float64]:
    """By bin: beliefs, sum of p, sum of truths."""
    sums = np.zeros((3, BINS))
    for p, truth in game:
        sums[:, min(BINS - 1, int(p * BINS + 1e-9))] += (1.0, p, truth)
    return sums


def _error(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The error of each set of sums; NaN without beliefs."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(sums[:, 1] - sums[:, 2]).sum(axis=1) / sums[:, 0].sum(axis=1))


def _bin(number: int, n: float, stated: float, true: float) -> Bin:
    low, high = number / BINS, (number + 1) / BINS
    return Bin(low, high, int(n), stated / n if n else None, true / n if n else None, wilson(true, n))
