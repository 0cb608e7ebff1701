"""What moves beliefs: single events, and being the first to be accused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from quack_env.beliefs import Belief
from quack_eval.beliefs.games import BeliefGame, Happening, p_duck
from quack_eval.beliefs.measures import Slice, across
from quack_eval.metrics.estimate import Estimate, Floats, Interval, bootstrap, estimate
from quack_eval.metrics.measure import Measure


class Impact(NamedTuple):
    """One observer's change of p about one target over one event.

    ``about``: what the target is to the event: its "actor", "accused" or "defended" in it, its "target", or "other".
    """

    happening: Happening
    observer: str
    target: str
    about: str
    change: float


def impacts(part: Slice) -> Iterator[Impact]:
    """Every step between whose beliefs the observer perceived exactly one event; other steps say nothing for sure."""
    for (observer, target), track in part.tracks.items():
        for a, b in pairwise(track):
            between = part.game.perceived(observer, a.event_index, b.event_index)
            if len(between) == 1:
                about = relation(part.game, between[0], target)
                yield Impact(between[0], observer, target, about, p_duck(b) - p_duck(a))


def relation(game: BeliefGame, happening: Happening, target: str) -> str:
    """What a target is to an event."""
    if target == happening.actor:
        return "actor"
    for stance in game.stances:
        if stance.at == happening.at and stance.target == target:
            return "accused" if stance.accuses else "defended"
    return "target" if target == happening.target else "other"


def speaker_of(game: BeliefGame, happening: Happening) -> str:
    """Role and policy of who did it; "-" where nobody did."""
    actor = happening.actor
    return "-" if actor is None else f"{game.role(actor)} {game.policies[actor]}"


class ImpactRow(NamedTuple):
    """The mean change of p over one kind of event, by one kind of speaker, of targets in one relation to it."""

    kind: str
    speaker: str
    about: str
    change: Estimate
    size: Estimate
    """The same of |change|."""


def impact_table(parts: Sequence[Slice]) -> list[ImpactRow]:
    """All impacts of some games, by kind of event, speaker and relation; the most frequent first."""
    signed: list[dict[str, Measure]] = []
    sizes: list[dict[str, Measure]] = []
    keys: dict[str, tuple[str, str, str]] = {}
    for part in parts:
        changes: dict[str, list[float]] = {}
        for found in impacts(part):
            key = found.happening.kind, speaker_of(part.game, found.happening), found.about
            name = "|".join(key)
            keys[name] = key
            changes.setdefault(name, []).append(found.change)
        signed.append({name: Measure(sum(all_), len(all_)) for name, all_ in changes.items()})
        sizes.append({name: Measure(sum(map(abs, all_)), len(all_)) for name, all_ in changes.items()})
    if not keys:
        return []
    means, magnitudes = estimate(signed), estimate(sizes)
    rows = [ImpactRow(*key, means[name], magnitudes[name]) for name, key in keys.items()]
    return sorted(rows, key=lambda row: (-row.change.denominator, row.kind, row.speaker, row.about))


# --- anchoring -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of a regression over ``n`` cases of ``games`` games; interval by resampling games."""

    n: int
    games: int
    value: float | None
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def accused(part: Slice) -> Iterator[tuple[float, float, float]]:
    """(change of p over the speeches, 1 for the first accused of the meeting, accusations) of every observer about
    every other player who was accused by others in a meeting."""
    for meeting in sorted({stance.meeting for stance in part.game.stances}):
        speeches = [h.at for h in part.game.happenings if h.meeting == meeting and h.kind == "statement"]
        blame = [stance for stance in part.game.stances if stance.meeting == meeting and stance.accuses]
        for (observer, target), track in part.tracks.items():
            heard = [stance for stance in blame if stance.speaker != observer]
            times = sum(stance.target == target for stance in heard)
            step = across(track, meeting, speeches) if times and speeches else None
            if step is not None:
                yield p_duck(step[1]) - p_duck(step[0]), float(heard[0].target == target), float(times)


def anchoring(parts: Sequence[Slice]) -> Coefficient:
    """How much more the first accused gains in p than others accused as often: the coefficient of "first" in the least
    squares of change of p ~ 1 + first + accusations. None where the cases do not tell them apart."""
    cases = [list(accused(part)) for part in parts]
    rows = [np.array([[1.0, first, times, change] for change, first, times in found]) for found in cases]
    products = np.stack([r.T @ r if len(r) else np.zeros((4, 4)) for r in rows]) if rows else np.zeros((0, 4, 4))
    n = sum(map(len, cases))
    value = float(_first(products.sum(axis=0)[None])[0]) if n else np.nan
    if np.isnan(value):
        return Coefficient(n, sum(map(bool, cases)), None, None)
    interval = bootstrap(len(rows), lambda counts: _first(np.tensordot(counts, products, 1)))
    return Coefficient(n, sum(map(bool, cases)), value, interval)


def _first(products: Floats) -> Floats:
    """The coefficient from sums of products, a row each; NaN where the columns are not independent."""
    found = np.full(len(products), np.nan)
    left, right = products[:, :3, :3], products[:, :3, 3:]
    solvable = np.linalg.matrix_rank(left, hermitian=True) == 3
    found[solvable] = np.linalg.solve(left[solvable], right[solvable])[:, 1, 0]
    return found


def order_effect(first: Sequence[Belief], second: Sequence[Belief], who: str) -> Measure:
    """Anchoring in a pair of scripts that differ in the order of two accusations only.

    The mean, over the observers asked in both, of p of ``who`` where it was accused first minus p of it where it was
    accused second, each at the last moment at which the observer was asked.

    Args:
        first: beliefs of the script in which ``who`` is accused first.
        second: beliefs of the one in which it is accused second.
        who: the agent.
    """
    one, other = _last(first, who), _last(second, who)
    shared = [one[observer] - other[observer] for observer in one if observer in other]
    return Measure(sum(shared), len(shared))


def _last(beliefs: Sequence[Belief], who: str) -> dict[str, float]:
    stated = [belief for belief in beliefs if belief.order == 1 and belief.parsed_ok and belief.target == who]
    return {belief.observer: p_duck(belief) for belief in sorted(stated, key=lambda belief: belief.event_index)}
