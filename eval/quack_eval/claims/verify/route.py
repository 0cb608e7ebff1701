"""Route: were the rooms visited in that order within the window (metrics.md, rule 9)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from quack_eval.claims.finding import FALSE, NEAR_MISS, TRUE, Ruling
from quack_eval.claims.record import in_order
from quack_eval.claims.verify.case import Case

LONG = 4
"""Rooms from which on a single wrong one is a near miss."""


def verify(case: Case) -> Ruling:
    """True for an ordered subsequence of the visits; near_miss for a slip that hides no scene of a kill."""
    claimed = collapsed(case.route)
    visits = chain(case)
    rooms = tuple(room for room, _ in visits)
    matched = tightened(common(claimed, rooms), claimed, rooms)
    wrong = [room for p, room in enumerate(claimed) if p not in {c for c, _ in matched}]
    omitted = _omitted(rooms, [r for _, r in matched])
    kills = case.record.kills_in(case.window.first, case.window.last)
    scenes = {event.room for event in kills}
    details = {"omitted": omitted, "omits_scene": bool(scenes & set(omitted)), "visits": list(rooms)}
    told = f"visits in {case.when()}: {' > '.join(rooms) or 'none'}"
    fits = not wrong
    evidence = in_order(visits[r][1] for r in ([r for _, r in matched] if fits else range(len(visits))))
    if case.claim.negative:
        return Ruling(FALSE if fits else TRUE, told, evidence, details)
    if fits:
        return Ruling(TRUE, told, evidence, details)
    slip = set(claimed) <= set(rooms) or (len(claimed) >= LONG and len(wrong) == 1)
    hidden = scenes & (set(wrong) | set(omitted))
    why = f"{told}; not in this order, or not at all: {', '.join(wrong)}"
    if slip and hidden:
        evidence = in_order(evidence, (kill.index for kill in kills if kill.room in hidden))
        how = "names wrongly" if hidden <= set(wrong) else "leaves out" if hidden <= set(omitted) else "has not right"
        scene = ", ".join(room for room in dict.fromkeys((*wrong, *omitted)) if room in hidden)
        return Ruling(FALSE, f"{why}; there was a kill in what it {how}: {scene}", evidence, details)
    return Ruling(NEAR_MISS if slip else FALSE, why, evidence, details)


def chain(case: Case) -> list[tuple[str, int]]:
    """(room, event) of the subject's visits within the window, with both ends of the ways on which it was in it.

    The event is what put it there; of a way that was not finished, or begun before the window, its departure.

    A way that a meeting cancelled ends them: that its traveller was put back is no visit.
    """
    record, subject = case.record, case.subject
    visits = [
        (max(stay.first, first), stay.room, record.timeline.beginning(stay))
        for first, last in case.window.spans
        for stay in record.timeline.between(subject, first, last)
        if stay.room is not None and stay.state == "alive" and stay.began != "transit_cancelled"
    ]
    for move in record.moves[subject]:
        if any(first <= move.first <= last for first, last in case.window.spans):
            visits.append((max(move.last, move.first + 1), move.to, move.last if move.arrived else move.first))
        elif any(move.first < first <= move.last for first, last in case.window.spans):
            visits.append((move.first, move.origin, move.first))
    found: list[tuple[str, int]] = []
    for _, room, event in sorted(visits):
        if not found or found[-1][0] != room:
            found.append((room, event))
    return found


def collapsed(rooms: Sequence[str]) -> tuple[str, ...]:
    """Without consecutive repeats."""
    return tuple(room for p, room in enumerate(rooms) if p == 0 or room != rooms[p - 1])


@lru_cache(maxsize=4096)
def common(claimed: tuple[str, ...], actual: tuple[str, ...]) -> list[tuple[int, int]]:
    """The positions of a longest common subsequence: (in the claimed route, in the actual one)."""
    n, m = len(claimed), len(actual)
    best = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            same = claimed[i] == actual[j]
            best[i][j] = best[i + 1][j + 1] + 1 if same else max(best[i + 1][j], best[i][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < n and j < m:
        if claimed[i] == actual[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] > best[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def tightened(matched: list[tuple[int, int]], claimed: Sequence[str], actual: Sequence[str]) -> list[tuple[int, int]]:
    """The same rooms matched as late as the last of them allows, so that fewest visits count as left out."""
    found: list[tuple[int, int]] = []
    limit = matched[-1][1] + 1 if matched else 0
    for position, _ in reversed(matched):
        limit = max(p for p in range(limit) if actual[p] == claimed[position])
        found.append((position, limit))
    return found[::-1]


def _omitted(rooms: Sequence[str], matched: Sequence[int]) -> list[str]:
    """The rooms between the first and the last matched visit that the route leaves out."""
    if not matched:
        return []
    kept = set(matched)
    return [rooms[p] for p in range(matched[0], matched[-1] + 1) if p not in kept]
