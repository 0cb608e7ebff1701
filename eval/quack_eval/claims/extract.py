"""From language to claims: what every extractor takes and gives, and the one that needs no model.

An extractor answers for every utterance with an `Extraction` or with a `Failure`. A failure is *missing*: it is counted
as such, tried again on the next run, and never stands for "no claims".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from quack_eval.claims.grammar import extract
from quack_eval.claims.types import Claim
from quack_eval.metrics.measure import total

Reason = Literal["refused", "invalid", "truncated", "timeout", "rate_limited", "error"]


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said, by whom, and what an extractor may know of the game.

    ``transcript``: (speaker, text) of what was said before in the meeting.
    """

    message: str
    speaker: str
    players: tuple[str, ...]
    rooms: tuple[str, ...]
    round: int = 1
    tick: int | None = None
    transcript: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """The claims of an utterance, what they cost, and whether they were known already.

    ``cost``: US dollars, None where a price is not known; ``tokens`` of prompts and replies, None where not told.
    """

    claims: tuple[Claim, ...]
    cost: float | None = 0.0
    calls: int = 0
    cached: bool = False
    tokens: int | None = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """No claims could be had: why, in a word and in detail, and what the attempts cost."""

    reason: Reason
    detail: str = ""
    cost: float | None = 0.0
    calls: int = 0
    tokens: int | None = 0


@runtime_checkable
class Extractor(Protocol):
    """Anything that turns utterances into claims."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    def extract(self, utterances: Sequence[Utterance]) -> list[Extraction | Failure]:
        """One answer for every utterance, in their order."""


def claims_in(utterance: Utterance, by: Callable[..., list[Claim]]) -> list[Claim]:
    """The claims of an utterance by a function with the arguments of `extract`."""
    return by(
        utterance.message,
        speaker=utterance.speaker,
        players=utterance.players,
        rooms=utterance.rooms,
        tick=utterance.tick,
        transcript=utterance.transcript,
    )


class GrammarExtractor:
    """The embedded default: deterministic, in milliseconds, without model and network."""

    name = "grammar"

    def extract(self, utterances: Sequence[Utterance]) -> list[Extraction | Failure]:
        """The claims of every utterance."""
        return [self._one(utterance) for utterance in utterances]

    def _one(self, utterance: Utterance) -> Extraction | Failure:
        try:
            claims = claims_in(utterance, extract)
        except Exception as error:  # a fault of the grammar on one utterance must not lose the others
            return Failure("error", f"{type(error).__name__}: {error}")
        return Extraction(tuple(claims))


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many utterances were extracted, how many of them had been before, how many are missing and why, and what it
    took; ``cost`` in US dollars is None where a price is not known."""

    utterances: int
    extracted: int
    cached: int
    missing: dict[str, int]
    calls: int
    cost: float | None


def coverage(answers: Iterable[Extraction | Failure]) -> Coverage:
    """What share of the utterances has claims: to be shown in every table."""
    listed = list(answers)
    read = [answer for answer in listed if isinstance(answer, Extraction)]
    return Coverage(
        utterances=len(listed),
        extracted=len(read),
        cached=sum(answer.cached for answer in read),
        missing=dict(Counter(answer.reason for answer in listed if isinstance(answer, Failure))),
        calls=sum(answer.calls for answer in listed),
        cost=total(answer.cost for answer in listed),
    )


__all__ = [
    "Coverage",
    "Extraction",
    "Extractor",
    "Failure",
    "GrammarExtractor",
    "Reason",
    "Utterance",
    "coverage",
    "extract",
]
