"""The measures of one game in little memory, so that those of very many games can be held."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from quack_eval.metrics.measure import Measure


class Packed(Mapping[str, Measure]):
    """Measures by name, at 16 bytes each; games with the same names share them."""

    __slots__ = ("_parts", "_places")

    def __init__(self, measures: Mapping[str, Measure]) -> None:
        self._places = places(tuple(measures))
        self._parts = array("d", [part for m in measures.values() for part in (m.numerator, m.denominator)])

    def __getitem__(self, name: str) -> Measure:
        place = 2 * self._places[name]
        return Measure(_number(self._parts[place]), _number(self._parts[place + 1]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __reduce__(self) -> tuple[Any, ...]:
        return _packed, (tuple(self._places), self._parts)


@lru_cache(maxsize=1024)
def places(names: tuple[str, ...]) -> dict[str, int]:
    """The place of every name."""
    return {name: place for place, name in enumerate(names)}


def _packed(names: tuple[str, ...], parts: array[float]) -> Packed:
    made = Packed({})
    made._places, made._parts = places(names), parts
    return made


def _number(value: float) -> float:
    """Whole numbers as such: they are counts."""
    return int(value) if value.is_integer() else value
