"""Examples of failure modes, drawn from the run itself: what was said, what happened, and the events that decide it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quack_env import Event, QuackError
from quack_env.events import sentence
from quack_eval.claims.finding import Finding
from quack_eval.run_folder import RunFolder
from quack_eval.statements import StatementGame, failure
from quack_eval.timeline import Timeline
from quack_eval.trajectory import Trajectory
from quack_eval.viewer.deciding import deciding, instead
from quack_eval.viewer.game_data import claim_words, said
from quack_eval.viewer.passages import passage

EVENTS = 4
"""Deciding events listed with an example, at most."""


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


def examples(run: RunFolder, mode: str, count: int = 3) -> list[Example]:
    """Up to ``count`` instances of a failure mode, from as many games, the most telling first.

    The same for the same run: those with deciding events and (for lies) those that a listener could refute come first,
    then the order of the games.
    """
    ranked = sorted(_candidates(run, mode), key=lambda candidate: (candidate[0], candidate[1]))
    found: list[Example] = []
    for _, _, name, game, finding in ranked:
        if len(found) == count:
            break
        if not any(one.game == name for one in found):
            example = _example(run, name, game, finding)
            if example is not None:
                found.append(example)
    return found


def _candidates(run: RunFolder, mode: str) -> Iterator[tuple[tuple[bool, ...], int, str, StatementGame, Finding]]:
    """Every instance with its rank (smaller is more telling) and a number for ties."""
    number = 0
    for name, game in run.statements.items():
        for finding in game.findings:
            if failure(game, finding) == mode and not finding.duplicate and finding.event >= 0:
                known = finding.window is None or finding.window.known
                yield (not known, not finding.details.get("exposed"), not finding.evidence), number, name, game, finding
                number += 1


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
