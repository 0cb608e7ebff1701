"""Sighting: were the two (or one and a body) in one room within the window (metrics.md, rules 5, 6, 7, 12)."""

from __future__ import annotations

from quack_eval.claims.finding import FALSE, TRUE, WRONG_ROOM, Ruling
from quack_eval.claims.record import Events, Meet, in_order
from quack_eval.claims.verify.case import Case
from quack_eval.claims.verify.location import lasted
from quack_eval.timeline import ALIVE, BODY


def verify(case: Case) -> Ruling:
    """True where they were together there; wrong_room where only elsewhere; false where nowhere."""
    state = BODY if case.claim.of == BODY else ALIVE
    seen = [(other, meet) for other in _others(case) for meet in case.together(other, None, state)]
    there = [(other, meet) for other, meet in seen if case.room in (None, meet.room)]
    if case.claim.negative:
        return _denied(case, there, state)
    if there:
        return _seen(case, there, state)
    if case.target is not None and state == ALIVE and case.told_of_body():
        bodies = case.together(case.target, case.room, BODY)
        if bodies:
            return _seen(case, [(case.target, meet) for meet in bodies], BODY)
    whom = _whom(case, case.target, state)
    if seen:
        other, meet = seen[0]
        when = case.ticks_of(meet.first, meet.last)
        told = f"{case.name()} was with {whom} in {meet.room} ({when}), not in {case.room}"
        return Ruling(WRONG_ROOM, told, case.record.joined(case.subject, other, meet, state))
    return Ruling(FALSE, f"{case.name()} was with {whom} in no room in {case.when()}", _apart(case, state))


def _others(case: Case) -> list[int]:
    """Whom the claim is about: the target, or everybody else."""
    if case.target is not None:
        return [case.target]
    return [seat for seat in range(len(case.record.names)) if seat != case.subject and seat not in case.but]


def _seen(case: Case, met: list[tuple[int, Meet]], state: str) -> Ruling:
    target, meet = met[0]
    what = f"{case.name()} was with {_whom(case, target, state)} in {meet.room}"
    if case.window.extent:
        evidence = in_order(
            *(case.record.joined(case.subject, other, one, state) for other, one in met),
            *(case.ended(one.last, case.subject, other) for other, one in met),
        )
        return lasted([(one.first, one.last) for _, one in met], case, what, evidence)
    evidence = case.record.joined(case.subject, target, meet, state)
    return Ruling(TRUE, f"{what} in {case.ticks_of(meet.first, meet.last)}", evidence)


def _apart(case: Case, state: str) -> Events:
    """Where the subject and the target were in the window; of a body, the death."""
    if case.target is None:
        return case.whereabouts(case.subject)
    if state == ALIVE:
        return case.whereabouts(case.subject, case.target)
    death = case.record.timeline.deaths.get(case.target)
    return in_order(case.whereabouts(case.subject), (death.index,) if death else ())


def _denied(case: Case, seen: list[tuple[int, Meet]], state: str) -> Ruling:
    place = f"in {case.room}" if case.room else "in any room"
    if not seen:
        told = f"{case.name()} was with {_whom(case, case.target, state)} {place} at no time in {case.when()}"
        return Ruling(TRUE, told, _apart(case, state))
    other, meet = seen[0]
    when = case.ticks_of(meet.first, meet.last)
    told = f"{case.name()} was with {_whom(case, other, state)} in {meet.room} in {when}"
    return Ruling(FALSE, told, case.record.joined(case.subject, other, meet, state))


def _whom(case: Case, target: int | None, state: str) -> str:
    who = "somebody" if target is None else case.name(target)
    return f"the body of {who}" if state == BODY else who
