"""Findings: one statement of fact about each vote, ejection, kill, report and opportunity of a game.

Judging is here, counting is in `quack_eval.metrics`: a measure is a count over findings.
"""

from __future__ import annotations

from typing import NamedTuple

from quack_env import Event
from quack_eval.timeline import DECISIONS, Timeline


class Vote(NamedTuple):
    """One vote: ``target`` None for a skip; ``event`` is its index."""

    event: int
    meeting: int
    voter: int
    target: int | None
    by_goose: bool
    for_duck: bool


class Result(NamedTuple):
    """What the vote of one meeting led to: ``ejected`` None for nobody."""

    meeting: int
    tick: int
    ejected: int | None
    duck: bool


class Kill(NamedTuple):
    """One kill. ``reporter`` and ``report_tick`` are None for a body that nobody reported.

    ``rooms_entered`` are the rooms the killer entered between the kill and the next call or the end, in order;
    ``end_room`` is where that found it (on the way: the room it had left).
    """

    event: int
    tick: int
    killer: int
    victim: int
    room: str
    reporter: int | None
    report_tick: int | None
    rooms_entered: tuple[str, ...]
    end_room: str


class Opportunity(NamedTuple):
    """A maximal stretch of ticks [first_tick, last_tick] in which the Duck could have killed at its turn."""

    duck: int
    first_tick: int
    last_tick: int
    taken: bool


class Work(NamedTuple):
    """One Goose's free-roam ticks: those it began alive, those with a task step, those on a way to an own task."""

    seat: int
    ticks: int
    task_ticks: int
    approach_ticks: int


def votes(timeline: Timeline) -> list[Vote]:
    """Every vote, in the order of the recording."""
    found: list[Vote] = []
    for meeting in timeline.meetings:
        for index in meeting.votes:
            event = timeline.events[index]
            voter = -1 if event.actor is None else event.actor
            found.append(
                Vote(
                    index,
                    meeting.number,
                    voter,
                    event.target,
                    voter in timeline.geese,
                    event.target in timeline.ducks,
                )
            )
    return found


def results(timeline: Timeline) -> list[Result]:
    """The result of every meeting that came to a vote."""
    return [
        Result(meeting.number, meeting.tick, meeting.ejected, meeting.ejected in timeline.ducks)
        for meeting in timeline.meetings
        if meeting.voted
    ]


def kills(timeline: Timeline) -> list[Kill]:
    """Every kill, in order."""
    reports = {event.target: event for event in timeline.events if event.kind == "body_reported"}
    found: list[Kill] = []
    for event in timeline.events:
        if event.kind == "kill":
            found.append(_kill(timeline, event, reports.get(event.target)))
    return found


def _kill(timeline: Timeline, event: Event, report: Event | None) -> Kill:
    killer, victim, room = event.actor, event.target, event.room
    assert killer is not None and victim is not None and room is not None
    leg = timeline.leg_of(event.index)
    until = leg.last if leg else timeline.last
    entered = tuple(
        stay.room
        for stay in timeline.between(killer, event.index + 1, until)
        if stay.room is not None and stay.began == "arrive" and stay.first > event.index
    )
    return Kill(
        event.index,
        event.tick,
        killer,
        victim,
        room,
        report.actor if report else None,
        report.tick if report else None,
        entered,
        entered[-1] if entered else room,
    )


def opportunities(timeline: Timeline) -> list[Opportunity]:
    """The kill opportunities of every Duck.

    A kill is legal at the Duck's turn when its cooldown has run out and a living Goose is in its room. A tick
    without such a turn ends the stretch, a kill ends it, and a meeting ends it: after it, all are somewhere else.
    """
    found: list[Opportunity] = []
    for duck in sorted(timeline.ducks):
        found += _opportunities(timeline, duck)
    return found


def _opportunities(timeline: Timeline, duck: int) -> list[Opportunity]:
    cooldown = timeline.trajectory.config.kill_cooldown
    found: list[Opportunity] = []
    ready = cooldown  # first tick at which the cooldown has run out
    start: int | None = None
    last = 0
    for event in timeline.events:
        closes = event.kind == "leg_start"
        if event.actor == duck and event.kind in DECISIONS:
            legal = event.tick >= ready and _has_prey(timeline, duck, event)
            if start is not None and (not legal or event.tick > last + 1):
                found.append(Opportunity(duck, start, last, False))
                start = None
            if legal:
                start, last = event.tick if start is None else start, event.tick
            if event.kind == "kill":
                found.append(Opportunity(duck, event.tick if start is None else start, event.tick, True))
                start, ready = None, event.tick + cooldown
        if closes and start is not None:
            found.append(Opportunity(duck, start, last, False))
            start = None
    return [*found, Opportunity(duck, start, last, False)] if start is not None else found


def _has_prey(timeline: Timeline, duck: int, decision: Event) -> bool:
    """Whether a living Goose is in the Duck's room when it decides."""
    room = timeline.room_before(duck, decision.index)
    return any(timeline.room_before(goose, decision.index) == room for goose in timeline.geese) if room else False


def work(timeline: Timeline) -> list[Work]:
    """How every Goose used its free-roam ticks."""
    return [_work(timeline, seat) for seat in sorted(timeline.geese)]


def _work(timeline: Timeline, seat: int) -> Work:
    gone = timeline.gone.get(seat)
    ticks = timeline.last_tick if gone is None else timeline.events[gone].tick
    steps, approach, done = 0, 0, set[str]()
    for event in timeline.events:
        if event.actor != seat:
            continue
        if event.kind == "task_step":
            steps += 1
        elif event.kind == "task_done" and event.room is not None:
            done.add(event.room)
        elif event.kind == "depart" and _approaches(timeline, seat, event, done):
            approach += _ticks_of_way(timeline, seat, event)
    return Work(seat, ticks, steps, approach)


def _approaches(timeline: Timeline, seat: int, way: Event, done: set[str]) -> bool:
    """Whether a move shortens the way to a room of an own unfinished task."""
    ticks = timeline.trajectory.game_map.travel_ticks
    start, to = way.room, way.to
    assert start is not None and to is not None
    left = set(timeline.trajectory.header.seats[seat].tasks) - done
    return any(ticks(to, room) < ticks(start, room) for room in left)


def _ticks_of_way(timeline: Timeline, seat: int, way: Event) -> int:
    """The free-roam ticks a move took: the one of the departure and those in transit."""
    ways = [stay for stay in timeline.during(seat, way.tick, timeline.last_tick) if stay.first == way.index + 1]
    return ways[0].last_tick - way.tick + 1 if ways and ways[0].room is None else 1
