"""What stands behind an accusation or a defence, and whose perceptions contradict a statement (rules 13 to 15)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain

from quack_env import Event
from quack_eval.claims.finding import FALSE, NONE, OWN, SELF, TESTIMONY, TRUE, UNVERIFIABLE, WRONG_ROOM, Finding
from quack_eval.claims.phrases import normalise
from quack_eval.claims.record import Events, Record, in_order
from quack_eval.claims.time_window import Span
from quack_eval.timeline import BODY, Meeting

NEAR = 2
"""Ticks within which presence at a scene counts."""

Basis = tuple[str, str, Events]
"""(support, grounds in words, events)."""


# --- accusations -----------------------------------------------------------------------------------------------------


def accusation(
    record: Record, accuser: int, target: int, meeting: Meeting, heard: Iterable[Finding], words: Iterable[Finding] = ()
) -> Basis:
    """What the accuser had against the target before it spoke: own perception, testimony, or none.

    Args:
        record: the game.
        accuser: who accuses.
        target: whom.
        meeting: in which meeting.
        heard: what was found about the statements made before it in this meeting.
        words: the same of what the grammar reads in them, for statements whose claims come from an incomplete source.
            Taken last, and only as testimony: a misreading must not make a contradiction.
    """
    statements = list(heard)
    for check in OWN_GROUNDS:
        found = check(record, accuser, target, meeting)
        if found:
            return OWN, found[0], found[1]
    for finding in statements:
        if finding.speaker == target and finding.claim.first_hand and contradicts(record, accuser, finding):
            told = f"a statement of {record.names[target]} that the accuser's perceptions contradict"
            return OWN, f"contradiction: {told} ({finding.reason})", _refuting(record, accuser, finding)
    for finding in chain(statements, words):
        scenes = () if finding.speaker == accuser else _scenes(record, target, meeting, finding)
        if scenes and not contradicts(record, accuser, finding):
            who = record.names[finding.speaker]
            what = "admission" if finding.speaker == target else "testimony"
            about = in_order(finding.evidence, scenes)
            return TESTIMONY, f"{what}: {who} put {record.names[target]} at the scene", about
    return NONE, "nothing that sets the target apart", ()


Grounds = tuple[str, Events] | None


def saw_kill(record: Record, accuser: int, target: int, meeting: Meeting) -> Grounds:
    """A kill it saw."""
    for kill in _kills(record, meeting):
        if kill.actor == target and accuser in kill.seen_by:
            return f"saw the kill at tick {kill.tick}", (kill.index,)
    return None


def at_scene(record: Record, accuser: int, target: int, meeting: Meeting) -> Grounds:
    """It saw the target in the room of a kill, or entering or leaving it, within two ticks of the kill."""
    for kill in _kills(record, meeting):
        if target == kill.target or kill.room is None:
            continue
        span = _around(record, kill, meeting)
        for meet in record.met(accuser, target, [span], kill.room):
            evidence = in_order(record.joined(accuser, target, meet), (kill.index,))
            return f"scene: in {kill.room} with the target within two ticks of the kill", evidence
        for event in record.timeline.perceived_between(accuser, *span):
            if event.actor == target and event.kind in ("depart", "arrive") and kill.room in (event.room, event.to):
                evidence = in_order((event.index, kill.index))
                return f"scene: saw the target go {event.room} to {event.to} at tick {event.tick}", evidence
    return None


def at_body(record: Record, accuser: int, target: int, meeting: Meeting) -> Grounds:
    """It came to a body and the target was there already."""
    for victim in record.timeline.deaths:
        if victim == target or record.timeline.deaths[victim].index > meeting.call:
            continue
        for body in record.met(accuser, victim, [(0, meeting.call)], None, BODY):
            came = record.timeline.at(accuser, body.first)
            if came is None or came.began not in ("arrive", "transit_cancelled") or came.first < body.first:
                continue
            there = record.timeline.at(target, body.first)
            if there and there.room == body.room and there.state == "alive" and there.first < body.first:
                evidence = in_order(record.joined(accuser, victim, body, BODY), (record.timeline.beginning(there),))
                return f"body: the target was with the body in {body.room} when the accuser came", evidence
    return None


def last_suspect(record: Record, accuser: int, target: int, meeting: Meeting) -> Grounds:
    """Its perceptions exclude every other living suspect of a kill whose body it saw."""
    others = [s for s in _living(record, meeting) if s not in (accuser, target)]
    leg = record.clock.legs[meeting.number]
    for kill in record.kills_in(leg.first, leg.last):
        span = _unwitnessed(record, accuser, kill, meeting)
        if span is None or kill.room is None or record.excluded(accuser, target, kill.room, [span]):
            continue
        if all(record.excluded(accuser, other, kill.room, [span]) for other in others):
            found = (kill.index,), record.placed(accuser, kill.room, span[1])
            elsewhere = (record.alibi(accuser, other, kill.room, span) for other in others)
            return "elimination: nobody else can have been there", in_order(*found, *elsewhere)
    return None


OWN_GROUNDS: tuple[Callable[[Record, int, int, Meeting], Grounds], ...] = (saw_kill, at_scene, at_body, last_suspect)
"""The kinds of own evidence that need no statement, in the order in which they are named."""


def published(record: Record, accuser: int, target: int, meeting: Meeting) -> bool:
    """The published rule: any co-presence in the leg, or having called the meeting."""
    leg = record.clock.legs[meeting.number]
    return meeting.caller == accuser or bool(record.met(accuser, target, [(leg.first, leg.last)]))


# --- defences --------------------------------------------------------------------------------------------------------


def defence(record: Record, defender: int, defended: int, meeting: Meeting) -> Basis:
    """Whether the defender perceived that the defended was not at the scene of a kill of the leg."""
    if defender == defended:
        return SELF, "self-defence", ()
    leg = record.clock.legs[meeting.number]
    for kill in record.kills_in(leg.first, leg.last):
        span = record.ticks(kill.tick, kill.tick)
        meets = record.met(defender, defended, [(kill.index, kill.index)])
        if meets:
            evidence = in_order(record.joined(defender, defended, meets[0]), (kill.index,))
            return OWN, f"company: with the defended in {meets[0].room} at the kill of tick {kill.tick}", evidence
        if kill.room and record.excluded(defender, defended, kill.room, [span], by_sight=True):
            evidence = in_order(record.alibi(defender, defended, kill.room, span), (kill.index,))
            return OWN, f"distance: saw the defended too far from {kill.room} at tick {kill.tick}", evidence
    return NONE, "nothing that clears the defended", ()


# --- contradictions --------------------------------------------------------------------------------------------------


def contradicts(record: Record, listener: int, finding: Finding) -> bool:
    """Whether the listener's perceptions contradict a claim that is not true: same place, same time."""
    if finding.verdict not in (FALSE, WRONG_ROOM) or finding.window is None or not finding.window.spans:
        return False
    claim, spans = finding.claim, finding.window.spans
    subject = finding.speaker if claim.subject is None else record.seat(claim.subject)
    if subject is None:
        return False
    rooms = [record.room(name) for name in (claim.route or (claim.room,))]
    target = record.seat(claim.target)
    if claim.type == "activity" and claim.activity in ("report", "call"):
        return True
    if listener == subject or (claim.type == "sighting" and listener == target and claim.of != BODY):
        return True
    if claim.negative:
        return _saw_denied(record, listener, subject, target, rooms[0], spans)
    if claim.type == "activity" and claim.activity == "traveling":
        rooms.append(record.room(claim.origin))
    people = [subject] + ([target] if claim.type == "sighting" and target is not None and claim.of != BODY else [])
    return any(room is not None and record.excluded(listener, who, room, spans) for room in rooms for who in people)


def _refuting(record: Record, listener: int, finding: Finding) -> Events:
    """The events that decide a statement; where the listener perceived none of them, where it was itself, too."""
    events = record.timeline.events
    if finding.window is None or any(listener in events[index].seen_by for index in finding.evidence):
        return finding.evidence
    return in_order(finding.evidence, record.whereabouts(listener, finding.window.spans))


def _saw_denied(
    record: Record, listener: int, subject: int, target: int | None, room: str | None, spans: tuple[Span, ...]
) -> bool:
    """Whether the listener saw what is denied: the subject in the room, or the two together."""
    seen = record.met(listener, subject, spans, room)
    if target is None:
        return bool(seen)
    both = record.met(listener, target, spans, room)
    return any(a.room == b.room and a.first <= b.last and b.first <= a.last for a in seen for b in both)


def exposed(record: Record, finding: Finding) -> tuple[int, ...]:
    """The living listeners whose perceptions contradict a claim."""
    meeting = record.timeline.meetings[finding.meeting]
    listeners = [seat for seat in _living(record, meeting) if seat != finding.speaker]
    return tuple(seat for seat in listeners if contradicts(record, seat, finding))


# --- what they share -------------------------------------------------------------------------------------------------


def _kills(record: Record, meeting: Meeting) -> list[Event]:
    """The kills before a meeting."""
    return record.kills_in(0, meeting.call)


def _living(record: Record, meeting: Meeting) -> list[int]:
    return [seat for seat in range(len(record.names)) if record.timeline.alive(seat, meeting.call)]


def _around(record: Record, kill: Event, meeting: Meeting) -> Span:
    """The instants within two ticks of a kill, in its leg and before the meeting."""
    leg = record.timeline.leg_of(kill.index)
    first, last = record.ticks(kill.tick - NEAR, kill.tick + NEAR)
    return (max(first, leg.first), min(last, leg.last)) if leg else (first, min(last, meeting.call))


def _unwitnessed(record: Record, watcher: int, kill: Event, meeting: Meeting) -> Span | None:
    """When a kill can have been for one who saw the body; None for one who did not."""
    victim = kill.target
    assert victim is not None
    leg = record.clock.legs[meeting.number]
    bodies = record.met(watcher, victim, [(leg.first, leg.last)], None, BODY)
    if not bodies:
        return None
    alive = [meet.last for meet in record.met(watcher, victim, [(leg.first, kill.index)])]
    return max(alive, default=leg.first), bodies[0].first


def _scenes(record: Record, target: int, meeting: Meeting, finding: Finding) -> Events:
    """The kills of the leg at whose scene a statement puts the target: there, on the way, or with the victim."""
    claim = finding.claim
    if claim.negative or claim.type not in ("location", "sighting", "activity"):
        return ()
    people = {finding.speaker if claim.subject is None else record.seat(claim.subject), record.seat(claim.target)}
    if target not in people:
        return ()
    leg = record.clock.legs[meeting.number]
    kills = record.kills_in(leg.first, leg.last)
    rooms = {record.room(name) for name in (claim.room, claim.origin, *claim.route)}
    rooms |= {room for _, room in record.clock.rooms_in(normalise(claim.time or ""))}
    return tuple(kill.index for kill in kills if kill.room in rooms or kill.target in people)


def judged(record: Record, finding: Finding, heard: Iterable[Finding], words: Iterable[Finding] = ()) -> Finding:
    """An accusation or a defence with its verdict (does it hit a Duck? defences: unverifiable) and its support."""
    claim, meeting = finding.claim, record.timeline.meetings[finding.meeting]
    speaker = finding.speaker if claim.subject is None else record.seat(claim.subject)
    target = record.seat(claim.target)
    if speaker is None or target is None:
        who = claim.subject if speaker is None else claim.target
        return replace(finding, verdict=UNVERIFIABLE, reason=f"unknown name {who!r}")
    if claim.type == "defense":
        support, grounds, events = defence(record, speaker, target, meeting)
        return replace(
            finding,
            verdict=UNVERIFIABLE,
            reason=grounds,
            evidence=events,
            support=support,
            grounds=grounds.split(":")[0],
        )
    support, grounds, events = accusation(record, speaker, target, meeting, heard, words)
    hit = target in record.timeline.ducks
    details = {**finding.details, "published": published(record, speaker, target, meeting)}
    reason = f"{record.names[target]} is a {'Duck' if hit else 'Goose'}; {grounds}"
    return replace(
        finding,
        verdict=TRUE if hit else FALSE,
        reason=reason,
        evidence=events,
        support=support,
        grounds=grounds.split(":")[0],
        details=details,
    )


__all__ = ["accusation", "contradicts", "defence", "exposed", "judged", "published"]
