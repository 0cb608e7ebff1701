"""One recorded game as the page of the viewer reads it: one JSON value, made from the recording and its findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quack_env import Event, QuackError
from quack_env.events import sentence
from quack_env.render.text import initial
from quack_env.statements import Statement, words
from quack_env.trajectory import STATUS
from quack_eval.claims.finding import Finding
from quack_eval.claims.sources import statements
from quack_eval.claims.types import Claim
from quack_eval.evaluation import policies
from quack_eval.importers.published import is_published
from quack_eval.statements import StatementGame, failure, statement_game
from quack_eval.timeline import BODY, Meeting, Stay, Timeline
from quack_eval.trajectory import Trajectory
from quack_eval.viewer.beliefs import belief_data
from quack_eval.viewer.decisions import call_data
from quack_eval.viewer.passages import pieces
from quack_eval.viewer.perception import Perceptions, company, perceptions, settled
from quack_eval.viewer.ship import figures, ship_data
from quack_eval.wording import claim_words

NO_END = {
    "aborted": "This game was broken off: it has no result and is not scored. What was recorded can be seen.",
    "infra_failure": "This game was spoilt by a failure outside it: it is not scored. What was recorded can be seen.",
}


@dataclass
class GameSource:
    """A game to be shown: the recording, and what a run knows about it beyond the recording.

    ``findings``: those that the run was scored by; None to judge the claims now.
    ``images``: where to draw both images of every decision, None not to.
    """

    trajectory: Trajectory
    run: Path | None = None
    findings: Sequence[Finding] | None = None
    images: Path | None = None
    progress: Callable[[int, int], None] | None = None


def game_data(source: GameSource) -> dict[str, Any]:
    """Everything that the page of a game shows, JSON-ready. Instants are indices of events."""
    trajectory = source.trajectory
    timeline = Timeline(trajectory)
    game, fault = _audited(timeline, source.findings)
    seen = _perceptions(source)
    calls = call_data(trajectory, seen.pictures)
    beliefs = belief_data(trajectory, source.run)
    notes = _notes(trajectory, game, seen, bool(calls), beliefs is not None)
    if fault:
        notes.append(fault)
    outcome = trajectory.outcome
    return {
        "kind": "game",
        "title": _title(trajectory),
        "setting": " x ".join(policies(trajectory)),
        "seed": trajectory.header.seed,
        "status": trajectory.status,
        "outcome": {"winner": outcome.winner, "reason": outcome.reason} if outcome else None,
        "made_by": trajectory.header.made_by,
        "config": trajectory.header.config,
        "speech": trajectory.header.speech,
        "notes": notes,
        "unjudged": fault,
        "figures": figures(),
        "seats": _seats(trajectory),
        "ship": ship_data(trajectory.game_map),
        "frames": frames(timeline),
        "events": [_event(event, trajectory.names) for event in trajectory.events],
        "stays": [[_stay(timeline, stay) for stay in stays] for stays in timeline.stays],
        "gone": {str(seat): instant for seat, instant in timeline.gone.items()},
        "agents": [_agent(timeline, seat, seen) for seat in range(timeline.n)],
        "meetings": [_meeting(timeline, meeting, game) for meeting in timeline.meetings],
        "findings": [_finding(game, finding) for finding in game.findings],
        "calls": calls,
        "beliefs": beliefs,
    }


def _title(trajectory: Trajectory) -> str:
    folder = trajectory.path
    return "/".join(folder.resolve().parts[-2:]) if folder else f"seed {trajectory.header.seed}"


def _audited(timeline: Timeline, known: Sequence[Finding] | None) -> tuple[StatementGame, str]:
    """The game with its findings: those given, else judged now; and why there are none, where judging failed."""
    trajectory = timeline.trajectory
    if known is not None:
        return replace(statement_game(trajectory, [], timeline), findings=tuple(known)), ""
    try:
        return statement_game(trajectory, None, timeline), ""
    except QuackError as fault:
        return statement_game(trajectory, [], timeline), f"The statements could not be judged: {fault}"


def _perceptions(source: GameSource) -> Perceptions:
    try:
        return perceptions(source.trajectory, source.images, progress=source.progress)
    except QuackError as fault:
        return Perceptions([[] for _ in source.trajectory.header.seats], fault=str(fault))


def _notes(trajectory: Trajectory, game: StatementGame, seen: Perceptions, calls: bool, beliefs: bool) -> list[str]:
    """What this recording lacks, in sentences for the reader."""
    notes: list[str] = []
    if not trajectory.events:
        notes.append("This recording has no events: the game was dealt and nothing happened in it.")
    elif trajectory.outcome is None:
        notes.append(NO_END.get(trajectory.status, "This recording has no end."))
    elif trajectory.status != "finished":
        notes.append(NO_END[trajectory.status])
    reason = _reason(trajectory.path)
    if reason and trajectory.status != "finished":
        notes.append(f"Recorded reason: {reason}")
    if trajectory.torn:
        notes.append("The last line of the recording is cut off; it is left out.")
    if seen.fault:
        notes.append(
            f"The rules do not follow this recording to its end, so agents' own numbers stop there: {seen.fault}"
        )
    if game.unread:
        notes.append(
            f"{game.unread} of {game.utterances} utterances have no entry in the source of the claims: they are "
            "missing, which is not the same as saying nothing that can be checked."
        )
    if trajectory.path is not None and is_published(trajectory.path):
        notes.append("Imported from a published log, which has no prompts, replies, images or beliefs.")
    else:
        if not calls:
            notes.append("This recording holds no calls of models, so there are no prompts and replies.")
        if not beliefs:
            notes.append("Nobody's beliefs were probed in this game.")
    return notes


def _reason(folder: Path | None) -> str | None:
    """Why a game has no result, where its status says so."""
    try:
        text = (folder / STATUS).read_text(encoding="utf-8") if folder else "{}"
        reason = json.loads(text).get("reason")
    except (OSError, ValueError, AttributeError):
        return None
    return str(reason) if reason else None


# --- who and when ----------------------------------------------------------------------------------------------------


def _seats(trajectory: Trajectory) -> list[dict[str, Any]]:
    return [
        {
            "name": seat.name,
            "letter": initial(seat.name, number),
            "agent": seat.agent,
            "role": seat.role,
            "policy": seat.policy or "unknown",
            "tasks": seat.tasks,
        }
        for number, seat in enumerate(trajectory.header.seats)
    ]


def frames(timeline: Timeline) -> list[list[Any]]:
    """The moments that the cursor steps through: [instant, tick, kind].

    One at the end of every tick of free roam ("tick"), and in a meeting one at the call, at every speech, at the vote
    and at what came of it; "leg" when the living have been placed anew, "over" at the end.
    """
    kinds = {"statement": "speech", "ejected": "result", "no_ejection": "result", "game_over": "over"}
    found: list[list[Any]] = []
    tick = 0
    for event in timeline.events:
        while tick < event.tick:
            if not found or found[-1][:2] != [event.index - 1, tick]:
                found.append([event.index - 1, tick, "tick"])
            tick += 1
        following = timeline.events[event.index + 1].kind if event.index < timeline.last else None
        if event.kind in kinds:
            found.append([event.index, event.tick, kinds[event.kind]])
        elif following == "meeting_called" and not (found and found[-1][0] == event.index):
            found.append([event.index, event.tick, "tick"])
        elif event.kind in OF_CALL and following not in OF_CALL:
            found.append([event.index, event.tick, "call"])
        elif event.kind == "vote" and following != "vote":
            found.append([event.index, event.tick, "vote"])
        elif event.kind in OF_LEG and following not in OF_LEG:
            found.append([event.index, event.tick, "leg"])
    if timeline.events and (not found or found[-1][0] != timeline.last):
        found.append([timeline.last, tick, "tick"])
    return found


OF_CALL = ("meeting_called", "transit_cancelled", "body_reported")
OF_LEG = ("leg_start", "respawn")


def _event(event: Event, names: Sequence[str]) -> list[Any]:
    """[tick, kind, actor, target, room, to, seen by (a bit per seat), words, utterance]."""
    seen = sum(1 << seat for seat in event.seen_by)
    return [
        event.tick,
        event.kind,
        event.actor,
        event.target,
        event.room,
        event.to,
        seen,
        sentence(event, names),
        said(event, names),
    ]


def said(event: Event, names: Sequence[str]) -> str | None:
    """The words of an utterance; those of a token statement in plain language."""
    if event.text is not None or event.kind != "statement":
        return event.text
    says = (event.data or {}).get("says", "speech")
    if says == "speech":
        return ""
    return words(Statement(says, names[event.target] if event.target is not None else None, event.room))


def _stay(timeline: Timeline, stay: Stay) -> list[Any]:
    """[first, last, first tick, last tick, room or None, 1 for a body, origin, destination, ticks of the way].

    The instants are those after whose events the seat is there: of a way, that of the departure too.
    """
    game_map = timeline.trajectory.game_map
    way = game_map.weight(stay.origin, stay.to) if stay.room is None and stay.origin and stay.to else None
    first, last = stay.first - (stay.room is None), settled(timeline, stay)
    ticks = stay.first_tick, stay.last_tick
    return [first, last, *ticks, stay.room, int(stay.state == BODY), stay.origin, stay.to, way]


def _agent(timeline: Timeline, seat: int, seen: Perceptions) -> dict[str, Any]:
    """What one agent could see and was told: all that its view on the page is made of."""
    return {
        "sees": [
            [other.first, other.last, other.seat, other.room, int(other.state == BODY)]
            for other in company(timeline, seat)
        ],
        "shown": [
            [one.event, one.tick, one.cooldown, one.dead, one.ducks, one.geese, one.progress]
            for one in seen.shown[seat]
        ],
        "perceived": [event.index for event in timeline.perceived[seat]],
    }


# --- what was said ---------------------------------------------------------------------------------------------------


def _meeting(timeline: Timeline, meeting: Meeting, game: StatementGame) -> dict[str, Any]:
    trajectory = timeline.trajectory
    rounds = {event.index: number for event, _, number in statements(trajectory)}
    claims: dict[int, list[tuple[int, Claim]]] = {}
    for number, finding in enumerate(game.findings):
        claims.setdefault(finding.event, []).append((number, finding.claim))
    spoken = []
    for index in meeting.statements:
        event = timeline.events[index]
        text = said(event, trajectory.names) or ""
        spoken.append(
            {
                "event": index,
                "speaker": event.actor,
                "round": rounds[index],
                "pieces": pieces(text, claims.get(index, [])),
            }
        )
    return {
        "number": meeting.number,
        "tick": meeting.tick,
        "caller": meeting.caller,
        "by_body": meeting.by_body,
        "bodies": meeting.bodies,
        "call": meeting.call,
        "end": meeting.end,
        "spoken": spoken,
        "votes": [[index, timeline.events[index].actor, timeline.events[index].target] for index in meeting.votes],
        "ejected": meeting.ejected,
        "voted": meeting.voted,
    }


def _finding(game: StatementGame, finding: Finding) -> dict[str, Any]:
    window = finding.window
    claim = finding.claim
    details = finding.details
    return {
        "words": claim_words(claim, game.names[finding.speaker]),
        "kind": claim.kind,
        "rooms": [room for room in (claim.room, claim.origin, *claim.route) if room],
        "target": _seat(claim.target, game.names),
        "attribution": claim.attribution,
        "verdict": finding.verdict,
        "reason": finding.reason,
        "support": finding.support,
        "grounds": finding.grounds,
        "window": None
        if window is None
        else {
            "ticks": [window.first_tick, window.last_tick],
            "spans": window.spans,
            "how": window.how,
            "known": window.known,
        },
        "evidence": finding.evidence,
        "speaker": finding.speaker,
        "meeting": finding.meeting,
        "round": finding.round,
        "event": finding.event,
        "failure": failure(game, finding),
        "exposed": list(details.get("exposed") or ()),
        "omitted": list(details.get("omitted") or ()),
        "duplicate": finding.duplicate,
    }


def _seat(name: str | None, names: Sequence[str]) -> int | None:
    lowered = [known.lower() for known in names]
    return lowered.index(name.lower()) if name and name.lower() in lowered else None
