"""Whether a probe measures something: the same answer when asked again, and when asked in other words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quack_env.beliefs import FILE, Answer, Belief, BeliefStore
from quack_eval.metrics.estimate import RESAMPLES, Estimate, estimate
from quack_eval.metrics.measure import Measure, mean

Key = tuple[int, str, str]
"""(event index, observer, target) of a frozen moment."""
DUCK = "duck"
"""The answer whose probability a question in other words gives; the other one is "goose"."""


@dataclass(frozen=True)
class Validity:
    """How a run's probes held up.

    ``retest``: |p asked again - p|, over repeated answers of the same frozen moment; ``wordings``: by question, its
    measures: ``bias``, its p minus that of the neutral probe at the same moment, and ``gap``, the same without sign.
    Intervals by games.
    """

    retest: Estimate | None
    wordings: dict[str, dict[str, Estimate]]


def validity(run: str | os.PathLike[str], resamples: int = RESAMPLES) -> Validity:
    """The validity of the probes of a run, from its store."""
    store = BeliefStore(Path(run) / FILE)
    beliefs: dict[str, list[Belief]] = {}
    for belief in store.read(order=1):
        if belief.parsed_ok:
            beliefs.setdefault(belief.game_id, []).append(belief)
    answers: dict[str, dict[str, list[Answer]]] = {}
    for answer in store.read_answers():
        if answer.parsed_ok and answer.answer == DUCK and not answer.repeat:
            answers.setdefault(answer.question, {}).setdefault(answer.game_id, []).append(answer)
    first = {game: stated(rows) for game, rows in beliefs.items()}
    retests = estimate([{"retest": retest(rows, first[game])} for game, rows in beliefs.items()], resamples=resamples)
    found = retests.get("retest")
    wordings = {
        question: estimate([rewording(rows, first.get(game, {})) for game, rows in games.items()], resamples=resamples)
        for question, games in answers.items()
    }
    return Validity(found if found is not None and found.n else None, wordings)


def stated(beliefs: Iterable[Belief]) -> dict[Key, float]:
    """p by moment, of the first time it was asked."""
    return {_key(b): b.p_duck for b in beliefs if not b.repeat and b.p_duck is not None}


def retest(beliefs: Iterable[Belief], first: Mapping[Key, float]) -> Measure:
    """|p of a repeated probe - p of the first of that moment|. Denominator: repeated answers."""
    again = ((b, first.get(_key(b))) for b in beliefs if b.repeat)
    return mean(abs(b.p_duck - p) for b, p in again if p is not None and b.p_duck is not None)


def rewording(answers: Iterable[Answer], first: Mapping[Key, float]) -> dict[str, Measure]:
    """What a question in other words adds to p, against the neutral probe of the same moment."""
    changes = [a.p - p for a in answers if a.p is not None and (p := first.get(_key(a))) is not None]
    return {"bias": mean(changes), "gap": mean(map(abs, changes))}


def _key(row: Belief | Answer) -> Key:
    return row.event_index, row.observer, row.target


__all__ = ["Validity", "validity"]
