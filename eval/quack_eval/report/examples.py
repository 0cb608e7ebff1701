"""Examples of failure modes, drawn from the run itself: what was said, what happened, and the events that decide it."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import NamedTuple

from quack_env import Event, QuackError
from quack_env.events import sentence
from quack_eval.claims.finding import Finding
from quack_eval.run_folder import RunFolder
from quack_eval.statements import FAILURES, StatementGame, failure
from quack_eval.timeline import Timeline
from quack_eval.trajectory import Trajectory
from quack_eval.viewer.deciding import deciding, instead
from quack_eval.viewer.game_data import claim_words, said
from quack_eval.viewer.passages import passage

EVENTS = 4
"""Deciding events listed with an example, at most."""
SPARE = 20
"""Candidates kept beyond those to be shown, for games whose recording cannot be read any more."""


@dataclass(frozen=True)
class Example:
    """One finding as a reader sees it. ``before``, ``claim`` and ``after`` are the utterance."""

    game: str
    tick: int
    meeting: int
    speaker: str
    role: str
    policy: str
    before: str
    claim: str
    after: str
    meaning: str
    finding: Finding
    events: list[str]
    exposed: list[str]


class _Candidate(NamedTuple):
    """An instance of a failure mode. ``rank``: smaller is more telling; ``game``: without its findings."""

    rank: tuple[bool, ...]
    name: str
    game: StatementGame
    finding: Finding


def examples(run: RunFolder, count: int = 3) -> dict[str, list[Example]]:
    """Of every failure mode up to ``count`` instances, from as many games, the most telling first.

    The same for the same run: those with deciding events and (for lies) those that a listener could refute come first,
    then the order of the games. The findings are read one game at a time, however many there are.
    """
    best: dict[str, list[_Candidate]] = {mode: [] for mode in FAILURES}
    for name, game in run.judged():
        if name in run.games:
            for mode, candidate in _best_of(name, game).items():
                best[mode] = heapq.nsmallest(count + SPARE, (*best[mode], candidate), key=lambda one: one.rank)
    return {mode: _drawn(run, candidates, count) for mode, candidates in best.items()}


def _best_of(name: str, game: StatementGame) -> dict[str, _Candidate]:
    """The most telling instance of each failure mode in a game; of equal ones the first."""
    facts = replace(game, findings=())
    found: dict[str, _Candidate] = {}
    for finding in game.findings:
        mode = failure(game, finding)
        if mode is None or finding.duplicate or finding.event < 0:
            continue
        known = finding.window is None or finding.window.known
        rank = (not known, not finding.details.get("exposed"), not finding.evidence)
        if mode not in found or rank < found[mode].rank:
            found[mode] = _Candidate(rank, name, facts, finding)
    return found


def _drawn(run: RunFolder, candidates: list[_Candidate], count: int) -> list[Example]:
    """The first candidates whose recordings can be read."""
    found: list[Example] = []
    for candidate in candidates:
        if len(found) == count:
            break
        example = _example(run, candidate.name, candidate.game, candidate.finding)
        if example is not None:
            found.append(example)
    return found


def _example(run: RunFolder, name: str, game: StatementGame, finding: Finding) -> Example | None:
    """None where the recording is gone."""
    try:
        trajectory = Trajectory.load(run.games[name])
    except (KeyError, QuackError):
        return None
    if finding.event >= len(trajectory.events):
        return None
    event = trajectory.events[finding.event]
    text = said(event, trajectory.names) or ""
    first, last = passage(text, finding.claim)
    names = trajectory.names
    exposed = [names[seat] for seat in finding.details.get("exposed") or ()]
    timeline = Timeline(trajectory)
    decisive = [trajectory.events[index] for index in deciding(timeline, finding) or instead(timeline, finding)]
    return Example(
        game=name,
        tick=event.tick,
        meeting=finding.meeting,
        speaker=names[finding.speaker],
        role=game.roles[finding.speaker],
        policy=game.policies[finding.speaker],
        before=text[:first],
        claim=text[first:last],
        after=text[last:],
        meaning=claim_words(finding.claim, names[finding.speaker]),
        finding=finding,
        events=[_told(event, names) for event in decisive[:EVENTS]],
        exposed=exposed,
    )


def _told(event: Event, names: list[str]) -> str:
    words = "the game began" if event.kind == "leg_start" and event.index == 0 else sentence(event, names)
    return f"tick {event.tick}: {words or event.kind.replace('_', ' ')}"
