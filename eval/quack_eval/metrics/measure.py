"""A measure is a numerator over a denominator; over nothing it has no value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Measure:
    """``numerator / denominator``, or None where the denominator is 0.

    Counts and durations of one game are measures over 1 game, so that they pool like rates do.

    Raises:
        ValueError: where a part is not finite, or the denominator below 0.
        TypeError: where a part is no number.
    """

    numerator: float
    denominator: float

    def __post_init__(self) -> None:
        if not (isfinite(self.numerator) and isfinite(self.denominator) and self.denominator >= 0):
            raise ValueError(
                f"a measure of {self.numerator!r} over {self.denominator!r}: both must be finite, the denominator not "
                "below 0"
            )

    @property
    def value(self) -> float | None:
        """The quotient, or None: undefined is not zero."""
        return self.numerator / self.denominator if self.denominator else None

    def __add__(self, other: Measure) -> Measure:
        """Pooled with another measure of the same thing; one over nothing adds nothing."""
        if not (self.denominator and other.denominator):
            return self if self.denominator else other
        return Measure(self.numerator + other.numerator, self.denominator + other.denominator)


UNDEFINED = Measure(0, 0)

UNDEFINED_STAYS = frozenset(
    {"report_latency", "first_kill_tick", "kill_interval"}
    | {"avg_report_latency", "avg_inter_kill_interval"}  # the published names of the same
)
"""Measures that the published convention, too, leaves undefined; it counts every other undefined one as 0.0."""


def total(values: Iterable[Number | None]) -> Number | None:
    """The sum, without what fractions leave over (nine decimals stay); None where a part is not known, 0 of nothing."""
    parts = list(values)
    known = [value for value in parts if value is not None]
    return round(sum(known), 9) if len(known) == len(parts) else None


def ratio(flags: Iterable[bool]) -> Measure:
    """The share of true ones."""
    counted = list(flags)
    return Measure(sum(counted), len(counted))


def once(value: float | None) -> Measure:
    """A quantity of one game; undefined where it is None."""
    return UNDEFINED if value is None else Measure(+value, 1)


def mean(values: Iterable[float]) -> Measure:
    """The mean of some quantities of one game; undefined where there are none."""
    counted = list(values)
    return Measure(sum(counted), len(counted))
