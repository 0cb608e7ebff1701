"""Activity: a task, a movement, waiting, a report or a call within the window (metrics.md, rules 7, 11, 12)."""

from __future__ import annotations

from collections.abc import Callable

from quack_eval.claims.finding import FALSE, TRUE, UNVERIFIABLE, WRONG_ROOM, Ruling
from quack_eval.claims.record import Move, in_order
from quack_eval.claims.verify import location
from quack_eval.claims.verify.case import Case


def verify(case: Case) -> Ruling:
    """By what was done; a denial turns true and false around."""
    check = ACTIVITIES.get(case.claim.activity or "")
    if check is None:
        return Ruling(UNVERIFIABLE, f"no event settles the activity {case.claim.activity!r}")
    ruling = check(case)
    if not case.claim.negative or check is waiting:
        return ruling
    if ruling.verdict == UNVERIFIABLE:
        return ruling
    return ruling._replace(verdict=FALSE if ruling.verdict == TRUE else TRUE)


def task(case: Case) -> Ruling:
    """A task step there: true; elsewhere within the window: wrong_room; none: false."""
    spans = case.window.spans
    steps = [s for s in case.record.steps[case.subject] if any(a <= s.index <= b for a, b in spans)]
    for step in steps:
        if case.room in (None, step.room):
            return Ruling(TRUE, f"{case.name()} worked in {step.room} at tick {step.tick}", (step.index,))
    if steps:
        firsts = {str(step.room): step.index for step in reversed(steps)}
        rooms = ", ".join(dict.fromkeys(str(step.room) for step in steps))
        evidence = in_order(firsts.values())
        return Ruling(WRONG_ROOM, f"{case.name()} worked in {rooms} in {case.when()}", evidence)
    return Ruling(FALSE, f"{case.name()} did no task in {case.when()}", case.whereabouts(case.subject))


def traveling(case: Case) -> Ruling:
    """A movement that way: true; another one within the window: wrong_room; none: false."""
    moves = [move for move in case.record.moves[case.subject] if _overlaps(case, move)]
    for move in moves:
        if _fits(case, move):
            return Ruling(TRUE, f"{case.name()} went from {move.origin} to {move.to} at {_ticks(move)}", (move.first,))
    way = _by_way(case)
    if way:
        return Ruling(TRUE, f"{case.name()} went from {case.origin} to {case.room}, by way of others", way)
    if moves:
        told = ", ".join(f"{move.origin} to {move.to} at {_ticks(move)}" for move in moves)
        return Ruling(WRONG_ROOM, f"{case.name()} went {told}", tuple(move.first for move in moves))
    return Ruling(FALSE, f"{case.name()} went nowhere in {case.when()}", case.whereabouts(case.subject))


def waiting(case: Case) -> Ruling:
    """Presence there for the stated time, not idleness."""
    return location.verify(case)


def report(case: Case) -> Ruling:
    """A body reported by the subject, in the room if one is named."""
    return _call(case, True)


def call(case: Case) -> Ruling:
    """A meeting called by the subject, by whatever means."""
    return _call(case, False)


def _call(case: Case, by_body: bool) -> Ruling:
    events = case.record.timeline.events
    calls = [m for m in case.record.timeline.meetings if any(a <= m.call <= b for a, b in case.window.spans)]
    if not calls:  # dated otherwise, but there is only one call in a leg
        calls = [m for m in case.record.timeline.meetings if m.number == case.window.leg and not case.window.known]
    mine = [m for m in calls if m.caller == case.subject and (m.by_body or not by_body)]
    what = "reported a body" if by_body else "called the meeting"
    for meeting in mine:
        room = events[meeting.call].room or case.record.timeline.room_before(meeting.caller, meeting.call)
        if case.room in (None, room):
            return Ruling(TRUE, f"{case.name()} {what} in {room} at tick {meeting.tick}", (meeting.call,))
        return Ruling(WRONG_ROOM, f"{case.name()} {what} in {room}, not in {case.room}", (meeting.call,))
    evidence = tuple(m.call for m in calls) or case.whereabouts(case.subject)
    return Ruling(FALSE, f"{case.name()} {what} at no time in {case.when()}", evidence)


def _overlaps(case: Case, move: Move) -> bool:
    """Whether the way, from departure to arrival, shares an instant (or its ticks a tick) with the window."""
    return any(move.first <= last and first <= move.last for first, last in case.window.spans)


def _fits(case: Case, move: Move) -> bool:
    """Whether a movement goes the claimed way; a single room may be either end."""
    if case.origin:
        return move.origin == case.origin and case.room in (None, move.to)
    return case.room in (None, move.to, move.origin)


def _by_way(case: Case) -> tuple[int, ...]:
    """The movements that led from the claimed origin to the claimed room by way of others, if any."""
    if not case.origin or not case.room or case.record.map.graph.has_edge(case.origin, case.room):
        return ()
    leg = case.record.clock.legs[case.window.leg]
    moves = [move for move in case.record.moves[case.subject] if leg.first <= move.first <= leg.last]
    for p, start in enumerate(moves):
        if start.origin != case.origin:
            continue
        for end in moves[p + 1 :]:
            if end.origin == case.origin:
                break
            if end.to == case.room:
                touches = any(start.first <= last and first <= end.last for first, last in case.window.spans)
                return (start.first, end.first) if touches else ()
    return ()


def _ticks(move: Move) -> str:
    one = move.first_tick == move.last_tick
    return f"tick {move.first_tick}" if one else f"ticks {move.first_tick}-{move.last_tick}"


ACTIVITIES: dict[str, Callable[[Case], Ruling]] = {
    "task": task,
    "traveling": traveling,
    "travelling": traveling,
    "waiting": waiting,
    "report": report,
    "call": call,
}
