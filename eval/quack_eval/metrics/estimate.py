"""Estimates over many games: two estimators, intervals by resampling whole games, comparisons on shared seeds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quack_eval.metrics.measure import UNDEFINED, UNDEFINED_STAYS, Measure

Floats = NDArray[np.float64]

RESAMPLES = 2000
SEED = 20260527
CONFIDENCE = 0.95
FEWEST = 4
"""Games (or seeds, or whatever else is drawn whole) that an interval takes. Of fewer, more than 2.5 % of the draws are
one unit over and over (of 3, one in 27): the percentiles would be no more than the extremes of the values."""
PROPORTIONS = frozenset({"geese_win"})
"""Measures that are proportions of games: their interval is Wilson's."""

Interval = tuple[float, float] | None


@dataclass(frozen=True)
class Estimate:
    """One measure over many games.

    ``mean`` is that over the ``n`` games where the measure is defined; ``pooled`` is the sum of numerators over the
    sum of denominators. Intervals are 95 %, None where fewer than `FEWEST` games define the measure; Wilson's, those of
    proportions, take one. An interval without width says that the games are all alike, and not how much others differ.
    """

    games: int
    n: int
    mean: float | None
    mean_interval: Interval
    pooled: float | None
    pooled_interval: Interval
    numerator: float
    denominator: float

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


@dataclass(frozen=True)
class Difference:
    """A measure in one group minus that in another, over the ``seeds`` seeds that define it in both.

    Intervals by resampling seeds, None where these are fewer than `FEWEST`.
    """

    seeds: int
    mean: float | None
    mean_interval: Interval
    pooled: float | None
    pooled_interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


Game = Mapping[str, Measure]


def estimate(games: Sequence[Game], undefined: str = "skip", resamples: int = RESAMPLES) -> dict[str, Estimate]:
    """Every measure of the games, estimated.

    Args:
        games: the measures of each game; a game that lacks a measure counts as undefined there.
        undefined: "skip", or "zero" for the published convention: the mean over all games with undefined values as
            0.0, but for `UNDEFINED_STAYS`. It exists to reproduce the published tables.
        resamples: of whole games, for the intervals; 0 for none.
    """
    names = list(dict.fromkeys(name for game in games for name in game))
    if not names:
        return {}
    sums = _Sums.of(games, names, undefined)
    means, pooled = sums.estimators(np.ones((1, len(games))))
    low, high = _interval(sums.present, lambda counts: np.hstack(sums.estimators(counts)), resamples)
    found: dict[str, Estimate] = {}
    for p, name in enumerate(names):
        numerator, denominator = float(sums.numerators[:, p].sum()), float(sums.denominators[:, p].sum())
        interval, pool = _pair(low, high, p), _pair(low, high, p + len(names))
        if name in PROPORTIONS and resamples:
            interval = pool = wilson(numerator, denominator)
        n = int(sums.defined[:, p].sum())
        found[name] = Estimate(
            len(games), n, _number(means[0, p]), interval, _number(pooled[0, p]), pool, numerator, denominator
        )
    return found


def paired(
    first: Iterable[tuple[int, Game]],
    second: Iterable[tuple[int, Game]],
    undefined: str = "skip",
    resamples: int = RESAMPLES,
) -> dict[str, Difference]:
    """Every measure of the first group of (seed, game) minus that of the second, over the seeds that define it in both.

    Resampling draws whole seeds, with all games of both groups on each, so what a seed makes easy or hard cancels.
    """
    groups = list(first), list(second)
    shared = sorted({s for s, _ in groups[0]} & {s for s, _ in groups[1]})
    names = list(dict.fromkeys(name for group in groups for _, game in group for name in game))
    if not shared:
        return {name: Difference(0, None, None, None, None) for name in names}
    sums = [_Sums.of([game for _, game in group], names, undefined).by_seed(group, shared) for group in groups]
    both = sums[0].present & sums[1].present
    sums = [part.where(both) for part in sums]
    point = _difference(sums, np.ones((1, len(shared))))[0]
    low, high = _interval(both, lambda counts: _difference(sums, counts), resamples)
    m, defined = len(names), both.sum(axis=0)
    return {
        name: Difference(
            int(defined[p]), _number(point[p]), _pair(low, high, p), _number(point[m + p]), _pair(low, high, m + p)
        )
        for p, name in enumerate(names)
    }


def bootstrap(units: int, statistic: Callable[[Floats], Floats], resamples: int = RESAMPLES) -> Interval:
    """The 95 % percentile interval of a statistic by resampling; None with fewer than `FEWEST` units, or no resamples.

    Args:
        units: how many games, or whatever else is drawn whole, there are.
        statistic: of rows of counts (how often each unit is drawn), one number a row; NaN where undefined.
        resamples: how many.
    """
    low, high = _interval(np.ones((units, 1), bool), lambda counts: statistic(counts)[:, None], resamples)
    return _pair(low, high, 0)


def wilson(successes: float, trials: float) -> Interval:
    """Wilson's 95 % interval of a proportion; None without trials."""
    if not trials:
        return None
    from scipy import stats  # a second to import, and only intervals need it

    interval = stats.binomtest(round(successes), round(trials)).proportion_ci(CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


@dataclass(frozen=True)
class _Sums:
    """What the estimators add up, by game (or seed) and measure."""

    numerators: Floats
    denominators: Floats
    values: Floats  # 0 where undefined
    defined: Floats  # 1 where the value counts in the mean

    @classmethod
    def of(cls, games: Sequence[Game], names: Sequence[str], undefined: str) -> _Sums:
        if undefined not in ("skip", "zero"):
            raise ValueError(f"undefined={undefined!r}: must be skip or zero")
        measures = (game.get(name, UNDEFINED) for game in games for name in names)
        flat = (part for measure in measures for part in (measure.numerator, measure.denominator))
        parts = np.fromiter(flat, np.float64).reshape(len(games), len(names), 2)
        denominators = parts[:, :, 1]
        defined = denominators != 0
        numerators = np.where(defined, parts[:, :, 0], 0.0)  # what is over nothing adds nothing
        values = np.divide(numerators, denominators, out=np.zeros_like(numerators), where=defined)
        counted = defined.astype(np.float64)
        if undefined == "zero":
            counted[:, [p for p, name in enumerate(names) if name not in UNDEFINED_STAYS]] = 1.0
        return cls(numerators, denominators, values, counted)

    def by_seed(self, group: Sequence[tuple[int, Game]], shared: Sequence[int]) -> _Sums:
        """Added up over the games of each shared seed."""
        member = np.array([[float(s == seed) for s, _ in group] for seed in shared])
        return _Sums(*(member @ part for part in (self.numerators, self.denominators, self.values, self.defined)))

    def where(self, present: NDArray[np.bool_]) -> _Sums:
        """What is left of it in the games (or seeds) that are to count, see `present`."""
        means, pooled = np.hsplit(present, 2)
        return _Sums(self.numerators * pooled, self.denominators * pooled, self.values * means, self.defined * means)

    @property
    def present(self) -> NDArray[np.bool_]:
        """By game (or seed), which of the means and of the pooled values have something of it."""
        return np.hstack([self.defined != 0, self.denominators != 0])

    def estimators(self, counts: Floats) -> tuple[Floats, Floats]:
        """(means, pooled values), a row for every row of counts (how often each game is drawn); NaN if undefined."""
        means = _over(counts @ self.values, counts @ self.defined)
        return means, _over(counts @ self.numerators, counts @ self.denominators)


def _over(sums: Floats, of: Floats) -> Floats:
    """The quotients; NaN over nothing, whatever stands above it."""
    return np.divide(sums, of, out=np.full_like(sums, np.nan), where=of != 0)


def _interval(
    present: NDArray[np.bool_], statistic: Callable[[Floats], Floats], resamples: int
) -> tuple[Floats, Floats]:
    """The bounds of every column of a statistic; NaN where fewer than `FEWEST` units (rows) have something of it."""
    enough = present.sum(axis=0) >= FEWEST
    if not resamples or not enough.any():
        return np.full(enough.shape, np.nan), np.full(enough.shape, np.nan)
    low, high = _percentiles(len(present), statistic, resamples)
    return np.where(enough, low, np.nan), high


def _difference(sums: Sequence[_Sums], counts: Floats) -> Floats:
    first, second = (np.hstack(group.estimators(counts)) for group in sums)
    return np.asarray(first - second)


def _percentiles(units: int, statistic: Any, resamples: int) -> tuple[Floats, Floats]:
    """The 2.5 and 97.5 % points of a statistic of how often each unit is drawn, by scipy's bootstrap."""
    from scipy import stats

    def of_draws(draws: NDArray[np.int64], axis: int = -1) -> Floats:
        rows = draws.reshape(-1, units)
        offsets = np.arange(len(rows))[:, None] * units
        counts = np.bincount((rows + offsets).ravel(), minlength=rows.size).reshape(rows.shape).astype(np.float64)
        return np.moveaxis(statistic(counts).reshape(*draws.shape[:-1], -1), -1, 0)

    with warnings.catch_warnings():
        # scipy's own percentiles are NaN where a resample is undefined; ours below leave such resamples out
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        result = stats.bootstrap(
            (np.arange(units),),
            of_draws,
            n_resamples=resamples,
            batch=max(1, 400_000 // units),
            vectorized=True,
            method="percentile",
            rng=np.random.default_rng(SEED),
        )
    tail = (1 - CONFIDENCE) / 2
    drawn = result.bootstrap_distribution
    lost: NDArray[np.bool_] = np.asarray(np.isnan(drawn).all(axis=-1))
    low, high = np.nanquantile(np.where(lost[:, None], 0.0, drawn), [tail, 1 - tail], axis=-1)
    return np.where(lost, np.nan, low), np.where(lost, np.nan, high)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _pair(low: Floats, high: Floats, p: int) -> Interval:
    return None if np.isnan(low[p]) else (float(low[p]), float(high[p]))
