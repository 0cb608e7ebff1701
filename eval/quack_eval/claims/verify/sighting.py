"""Sighting: were the two (or one and a body) in one room within the window (metrics.md, rules 5, 6, 7, 12)."""

from __future__ import annotations

from quack_eval.claims.finding import FALSE, TRUE, WRONG_ROOM, Ruling
from quack_eval.claims.record import Meet
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
        return _seen(case, [meet for _, meet in there], there[0][0], state)
    if case.target is not None and state == ALIVE and case.told_of_body():
        bodies = case.together(case.target, case.room, BODY)
        if bodies:
            return _seen(case, bodies, case.target, BODY)
    whom = _whom(case, case.target, state)
    if seen:
        _, meet = seen[0]
        told = case.ticks_of(meet.first, meet.last)
        return Ruling(
            WRONG_ROOM, f"{case.name()} was with {whom} in {meet.room} ({told}), not in {case.room}", (meet.first,)
        )
    return Ruling(FALSE, f"{case.name()} was with {whom} in no room in {case.when()}")


def _others(case: Case) -> list[int]:
    """Whom the claim is about: the target, or everybody else."""
    if case.target is not None:
        return [case.target]
    return [seat for seat in range(len(case.record.names)) if seat != case.subject and seat not in case.but]


def _seen(case: Case, meets: list[Meet], target: int, state: str) -> Ruling:
    meet = meets[0]
    what = f"{case.name()} was with {_whom(case, target, state)} in {meet.room}"
    if case.window.extent:
        return lasted([(meet.first, meet.last) for meet in meets], case, what)
    return Ruling(TRUE, f"{what} in {case.ticks_of(meet.first, meet.last)}", (meet.first,))


def _denied(case: Case, seen: list[tuple[int, Meet]], state: str) -> Ruling:
    place = f"in {case.room}" if case.room else "in any room"
    if not seen:
        return Ruling(
            TRUE, f"{case.name()} was with {_whom(case, case.target, state)} {place} at no time in {case.when()}"
        )
    other, meet = seen[0]
    told = case.ticks_of(meet.first, meet.last)
    return Ruling(FALSE, f"{case.name()} was with {_whom(case, other, state)} in {meet.room} in {told}", (meet.first,))


def _whom(case: Case, target: int | None, state: str) -> str:
    who = "somebody" if target is None else case.name(target)
    return f"the body of {who}" if state == BODY else who
