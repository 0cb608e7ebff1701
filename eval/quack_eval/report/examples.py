"""Examples of failure modes, drawn from the run itself: what was said, what happened, and the events that decide it."""

from __future__ import annotations

import hashlib
import heapq
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from quack_env import Event, QuackError
from quack_env.events import sentence
from quack_eval.claims.finding import Finding
from quack_eval.run_folder import RunFolder
from quack_eval.statements import FAILURES, StatementGame, failure
from quack_eval.trajectory import Trajectory
from quack_eval.viewer.game_data import said
from quack_eval.viewer.passages import passage
from quack_eval.wording import claim_words

EVENTS = 4
"""Deciding events listed with an example, at most."""
SPARE = 20
"""Candidates kept beyond those to be shown, for games whose recording cannot be read any more."""


@dataclass(frozen=True)
class Example:
    """One finding as a reader sees it. ``before``, ``claim`` and ``after`` are the utterance.

    ``recording`` is the folder of its game.
    """

    game: str
    recording: Path
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
    """An instance of a failure mode. ``lot``: the smallest are drawn; ``game``: without its findings."""

    lot: bytes
    name: str
    game: StatementGame
    finding: Finding


def examples(run: RunFolder, count: int = 3) -> dict[str, list[Example]]:
    """Of every failure mode up to ``count`` instances, from as many games, drawn by lot.

    The lot is a hash of the game's path within the run and of the finding's place in it: it favours none, and is the
    same for the same run. The findings are read one game at a time, however many there are.
    """
    best: dict[str, list[_Candidate]] = {mode: [] for mode in FAILURES}
    for name, game in run.judged():
        if name in run.games:
            for mode, candidate in drawn_from(name, game).items():
                best[mode] = heapq.nsmallest(count + SPARE, (*best[mode], candidate), key=lambda one: one.lot)
    return {mode: _drawn(run, candidates, count) for mode, candidates in best.items()}


def drawn_from(name: str, game: StatementGame) -> dict[str, _Candidate]:
    """The instance of each failure mode that is drawn in a game."""
    facts = replace(game, findings=())
    found: dict[str, _Candidate] = {}
    for number, finding in enumerate(game.findings):
        mode = failure(game, finding)
        if mode is None or finding.duplicate or finding.event < 0:
            continue
        lot = hashlib.sha256(f"{name}#{number}".encode()).digest()
        if mode not in found or lot < found[mode].lot:
            found[mode] = _Candidate(lot, name, facts, finding)
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
    decisive = [trajectory.events[index] for index in finding.evidence]
    return Example(
        game=name,
        recording=run.games[name],
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
