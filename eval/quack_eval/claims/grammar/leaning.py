"""How likely a player is accused, or cleared, by the words around its mentions: two linear models over word patterns.

The weights are in `leaning.json`; `benchmarks/leaning.py` makes them from the published extractions.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

WINDOW = 6
"""Words to each side of a mention that count by themselves."""
MOST = 60
"""Sentences beyond so many mentions of a player count no more."""

_MARK = re.compile(r"@(\d+(?:\+\d+)*)")
_EDGE = ["<", "<"], [">", ">"]


class Marked(NamedTuple):
    """A sentence for the models: its words with edges, and which players' marks stand where."""

    words: list[str]
    marks: dict[int, list[int]]


def taken_apart(sentence: str) -> Marked:
    """A sentence in which every player is a mark (see `stance`), taken apart."""
    words, marks = [*_EDGE[0]], {}
    for word in sentence.split():
        mark = _MARK.fullmatch(word) if word[0] == "@" else None
        if mark is not None:
            marks[len(words)] = [int(digits) for digits in mark.group(1).split("+")]
        words.append("@O" if mark is not None else "0" if word.isdigit() else word)
    return Marked([*words, *_EDGE[1]], marks)


def evidence(sentences: Sequence[Marked], number: int) -> frozenset[str]:
    """The word patterns around the mentions of a player, by its number; none where it is not mentioned."""
    found: set[str] = set()
    mentions = Counter(one for sentence in sentences for numbers in sentence.marks.values() for one in numbers)
    count = mentions.pop(number, 0)
    if not count:
        return frozenset()
    last = counted = 0
    for place, sentence in enumerate(sentences):
        own = {at: numbers for at, numbers in sentence.marks.items() if number in numbers}
        if not own or counted > MOST:
            continue
        last, counted = place, counted + len(own)
        words = list(sentence.words)
        for at, numbers in own.items():
            words[at] = "@X" if len(numbers) == 1 else "@XX"
        found.update(f"S {word}" for word in words)
        for at in own:
            found.update(_around(words, at))
    ahead = sum(other > count for other in mentions.values())
    near_end = {f"END {len(sentences) - last}"} if len(sentences) - last <= 2 else set()
    return frozenset(found | near_end | {"bias", f"N {min(count, 5)}", f"K {min(ahead, 3)}"})


def _around(words: Sequence[str], at: int) -> Iterator[str]:
    """The words to the left and right of a mention, and every run of two to four words with the mention in it."""
    for distance in range(1, WINDOW + 1):
        if at >= distance:
            yield f"L {words[at - distance]}"
        if at + distance < len(words):
            yield f"R {words[at + distance]}"
    for first in range(max(0, at - 3), at + 1):
        for length in range(max(2, at - first + 1), 5):
            if first + length <= len(words):
                yield "G " + " ".join(words[first : first + length])


class Leaning(NamedTuple):
    """How likely a player is accused, and cleared."""

    accusation: float
    defense: float


def leaning(found: frozenset[str]) -> Leaning:
    """What the evidence speaks for; nothing where there is none."""
    if not found:
        return Leaning(0.0, 0.0)
    weights = _weights()
    known = [weights[pattern] for pattern in found & weights.keys()]
    return Leaning(*(1 / (1 + math.exp(-math.fsum(column))) for column in zip((0.0, 0.0), *known, strict=True)))


@cache
def _weights() -> dict[str, tuple[float, float]]:
    """The weights of every pattern for an accusation and for a defence."""
    loaded = json.loads(files(__package__).joinpath("leaning.json").read_text(encoding="utf-8"))
    accusing, clearing = loaded["accusation"], loaded["defense"]
    return {p: (accusing.get(p, 0.0), clearing.get(p, 0.0)) for p in accusing.keys() | clearing.keys()}
