"""Location: was the subject in the room within the window (metrics.md, rules 2, 5, 8, 10, 12)."""

from __future__ import annotations

from quack_eval.claims.finding import FALSE, NEAR_MISS, TRUE, Ruling
from quack_eval.claims.record import Events, covered, in_order
from quack_eval.claims.time_window import Span
from quack_eval.claims.verify.case import Case
from quack_eval.timeline import Stay


def verify(case: Case) -> Ruling:
    """True where the subject was there at any instant (for words of duration: at all of them)."""
    room = case.room
    if room is None:
        return Ruling("unverifiable", "no room is named")
    stays = case.present(case.subject, room)
    if case.told_of_body():
        stays += case.bodies_in(case.subject, room)
    if case.claim.negative:
        return _denied(case, room, stays)
    if not stays:
        told = f"{case.name()} was not in {room} in {case.when()}; {_elsewhere(case)}"
        return Ruling(FALSE, told, case.whereabouts(case.subject))
    if case.window.arrival and _dates_arrival(case, room):
        return _arrived(case, room, stays)
    if case.window.extent:
        left = _set_out(case, room)
        if left is not None:
            evidence = in_order(case.began(stays[0]), (left,))
            return Ruling(NEAR_MISS, f"{case.name()} set out from {room} within {case.when()}", evidence)
        evidence = in_order(*(case.began(stay) + case.ended(stay.last, case.subject) for stay in stays))
        return lasted([(stay.first, stay.last) for stay in stays], case, f"{case.name()} was in {room}", evidence)
    first = stays[0]
    told = case.ticks_of(first.first, first.last)
    return Ruling(TRUE, f"{case.name()} was in {room} in {told}", case.began(first))


def lasted(parts: list[Span], case: Case, what: str, evidence: Events) -> Ruling:
    """All instants of the stated span: true; a part of them: near_miss. "Most" is true from a half on."""
    spans = case.window.spans
    count, total = covered(parts, spans), sum(last - first + 1 for first, last in spans)
    if count == total or (case.window.extent == "most" and 2 * count >= total):
        return Ruling(TRUE, f"{what} throughout {case.when()}", evidence)
    told = ", ".join(case.ticks_of(first, last) for first, last in parts)
    return Ruling(NEAR_MISS, f"{what} only for a part of {case.when()} ({told})", evidence)


def _set_out(case: Case, room: str) -> int | None:
    """When the subject set out from the room before a meeting put it back: it did not stay until the meeting."""
    if case.window.extent != "whole":
        return None
    moves = [move for move in case.record.moves[case.subject] if not move.arrived and move.origin == room]
    left = [move.first for move in moves for first, last in case.window.spans if first <= move.first < last]
    return left[0] if left else None


def _denied(case: Case, room: str, stays: list[Stay]) -> Ruling:
    if not stays:
        return Ruling(TRUE, f"{case.name()} was not in {room} in {case.when()}", case.whereabouts(case.subject))
    told = case.ticks_of(stays[0].first, stays[0].last)
    return Ruling(FALSE, f"{case.name()} was in {room} in {told}", case.began(stays[0]))


def _dates_arrival(case: Case, room: str) -> bool:
    """Whether the arrival that the phrase dates is the one in this room."""
    named = (
        [place for _, place in case.record.clock.rooms_in(case.claim.time.lower().replace("_", " "))]
        if (case.claim.time)
        else []
    )
    return not named or (room in named and f"from {room.replace('_', ' ')}" not in (case.claim.time or "").lower())


def _arrived(case: Case, room: str, stays: list[Stay]) -> Ruling:
    """An arrival has its own exact tick."""
    window = case.window
    for stay in stays:
        if stay.began == "arrive" and window.first_tick <= stay.first_tick <= window.last_tick:
            return Ruling(TRUE, f"{case.name()} came into {room} at tick {stay.first_tick}", case.began(stay))
    stay = stays[0]
    told = f"{case.name()} was in {room} since tick {stay.first_tick}, not from {case.when()}"
    return Ruling(FALSE, told, case.began(stay))


def _elsewhere(case: Case) -> str:
    stays = case.present(case.subject, None)
    rooms = list(dict.fromkeys(stay.room for stay in stays if stay.room))
    return f"it was in {', '.join(rooms)}" if rooms else "it was in no room"
