"""Where in an utterance a claim was made: claims carry no offsets, so the passage is found by the words they share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from quack_eval.claims.types import Claim

SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?]+|\n|$)|[.!?]+")
CLAUSE = re.compile(r"[,;:\u2014\u2013]|\s(?:and|but|then|so)\s", re.IGNORECASE)
CUES = {
    "accusation": ("duck", "suspect", "suspicious", "suspicion", "sus", "vote", "killer", "killed", "it is", "accuse"),
    "defense": ("vouch", "alibi", "clear", "cleared", "innocent", "trust", "couldn't", "not"),
    "activity": ("task", "working", "worked", "waited", "headed", "left", "reported", "called"),
}
TIME, ROOM, NAME, CUE = 4.0, 2.0, 2.0, 0.5


class Needle(NamedTuple):
    """Words to look for, and how much finding them says."""

    words: str
    weight: float


class Piece(NamedTuple):
    """A part of an utterance with the claims (numbers as given) that were made in it."""

    text: str
    claims: tuple[int, ...]


Span = tuple[int, int]


def pieces(text: str, claims: Sequence[tuple[int, Claim]]) -> list[Piece]:
    """The utterance cut where a claim's passage begins or ends; joined, the pieces are the utterance.

    Args:
        text: what was said.
        claims: (number, claim) of those that were made in it.
    """
    spans = [(number, passage(text, claim)) for number, claim in claims]
    cuts = sorted({0, len(text), *(cut for _, span in spans for cut in span)})
    found: list[Piece] = []
    for first, last in pairwise(cuts):
        inside = tuple(number for number, (start, end) in spans if start <= first and last <= end)
        found.append(Piece(text[first:last], inside))
    return found


def passage(text: str, claim: Claim) -> Span:
    """The part of an utterance that a claim stands in: of its best sentence, the clauses with the words it shares."""
    needles = _needles(claim)
    best: tuple[float, Span, list[Span]] | None = None
    for match in SENTENCE.finditer(text):
        hits = [(needle, hit) for needle in needles for hit in [_find(text, needle.words, match.span())] if hit]
        score = sum(needle.weight for needle, _ in hits)
        if score and (best is None or score > best[0]):
            best = score, match.span(), [hit for needle, hit in hits if needle.weight > CUE] or [hit for _, hit in hits]
    if best is None:
        return _trimmed(text, (0, len(text)))
    _, sentence, hits_at = best
    first, last = min(start for start, _ in hits_at), max(end for _, end in hits_at)
    return _trimmed(text, _clauses(text, sentence, first, last))


def _needles(claim: Claim) -> list[Needle]:
    rooms = [room for room in (claim.room, claim.origin, *claim.route) if room]
    names = [name for name in (claim.target, claim.subject) if name]
    found = [Needle(room.replace("_", " "), ROOM) for room in rooms] + [Needle(name, NAME) for name in names]
    if claim.time:
        found.append(Needle(claim.time, TIME))
    return found + [Needle(cue, CUE) for cue in CUES.get(claim.type, ())]


def _find(text: str, words: str, within: Span) -> Span | None:
    """The words within a part of the text; case, and blanks against underscores, make no difference."""
    pattern = r"[\s_]+".join(map(re.escape, words.split()))
    match = re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE).search(text, *within)
    return match.span() if match else None


def _clauses(text: str, sentence: Span, first: int, last: int) -> Span:
    """[first, last) widened to the clauses that it lies in."""
    start, end = sentence
    for match in CLAUSE.finditer(text, *sentence):
        if match.end() <= first:
            start = match.end()
        elif match.start() >= last:
            end = match.start()
            break
    return start, end


def _trimmed(text: str, span: Span) -> Span:
    """Without blanks at its ends."""
    first, last = span
    while first < last and text[first].isspace():
        first += 1
    while last > first and text[last - 1].isspace():
        last -= 1
    return first, last
