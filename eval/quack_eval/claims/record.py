"""One game as verifiers read it: the timeline, and what each seat perceived of the others, looked up quickly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from quack_env import Event
from quack_eval.claims.time_window import Clock, Span
from quack_eval.timeline import ALIVE, BODY, Stay, Timeline

Events = tuple[int, ...]
"""Indices of events, in their order."""


class Move(NamedTuple):
    """One movement of a seat, from the instant of its departure to that of its arrival (or of being put back)."""

    origin: str
    to: str
    first: int
    last: int
    first_tick: int
    last_tick: int
    arrived: bool


class Meet(NamedTuple):
    """Two seats in one room at all instants of [first, last]."""

    room: str
    first: int
    last: int


class Record:
    """The facts of one game. Everything is built on first use and kept."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.clock = Clock(timeline)
        self.names = timeline.trajectory.names
        self.map = timeline.trajectory.game_map
        self.slack = 1 if timeline.trajectory.config.instant_hops else 0
        self._rooms: dict[str, str | None] = {}
        self._seats = {name.lower(): seat for seat, name in enumerate(self.names)}
        self._seats |= {seat.agent.lower(): number for number, seat in enumerate(timeline.trajectory.header.seats)}
        self._meets: dict[tuple[int, int, str], list[Meet]] = {}

    # --- names -------------------------------------------------------------------------------------------------------

    def seat(self, name: str | None) -> int | None:
        """The seat that a name stands for; None for an unknown one."""
        return None if name is None else self._seats.get(name.strip().lower())

    def room(self, name: str | None) -> str | None:
        """The room that a name stands for; None for an unknown one."""
        if name is None:
            return None
        if name not in self._rooms:
            self._rooms[name] = room_named(name, self.map.rooms)
        return self._rooms[name]

    # --- who was where -----------------------------------------------------------------------------------------------

    def stays(self, seat: int, room: str | None, spans: Iterable[Span], state: str = ALIVE) -> list[Stay]:
        """The stays of a seat in a room (or, without one, in any) that share an instant with a span."""
        return [
            stay
            for first, last in spans
            for stay in self.timeline.between(seat, first, last)
            if stay.state == state and (stay.room == room if room else stay.room is not None)
        ]

    def meets(self, a: int, b: int, state: str = ALIVE) -> list[Meet]:
        """When the living seat ``a`` was in one room with ``b``, alive or as a body."""
        key = (a, b, state)
        found = self._meets.get(key)
        if found is None:
            theirs = [stay for stay in self.timeline.stays[b] if stay.state == state and stay.room is not None]
            found = self._meets[key] = [
                Meet(mine.room, max(mine.first, other.first), min(mine.last, other.last))
                for mine in self.timeline.stays[a]
                if mine.state == ALIVE and mine.room is not None
                for other in theirs
                if other.room == mine.room and mine.first <= other.last and other.first <= mine.last
            ]
        return found

    def met(self, a: int, b: int, spans: Iterable[Span], room: str | None = None, state: str = ALIVE) -> list[Meet]:
        """The parts of `meets` within the spans, in a room if one is given."""
        return [
            Meet(meet.room, max(meet.first, first), min(meet.last, last))
            for first, last in spans
            for meet in self.meets(a, b, state)
            if meet.first <= last and first <= meet.last and room in (None, meet.room)
        ]

    def placed(self, seat: int, room: str, instant: int, state: str = ALIVE) -> Events:
        """The event that put a seat, or its body, where it is at an instant: into this room."""
        return tuple(self.timeline.beginning(stay) for stay in self.stays(seat, room, [(instant, instant)], state))

    def joined(self, a: int, b: int, meet: Meet, state: str = ALIVE) -> Events:
        """The events that put the living seat ``a`` and ``b``, alive or as a body, into the room where they met."""
        return in_order(self.placed(a, meet.room, meet.first), self.placed(b, meet.room, meet.first, state))

    def whereabouts(self, seat: int, spans: Iterable[Span]) -> Events:
        """The events that say where a seat was at the instants of the spans; of one that was gone, what it went by."""
        stays = [stay for first, last in spans for stay in self.timeline.between(seat, first, last)]
        if not stays and seat in self.timeline.gone:
            return (self.timeline.gone[seat],)
        return in_order(self.timeline.beginning(stay) for stay in stays)

    @cached_property
    def moves(self) -> list[list[Move]]:
        """The movements of every seat, in order."""
        found: list[list[Move]] = [[] for _ in self.names]
        begun: dict[int, Event] = {}
        call: Event | None = None
        for event in self.timeline.events:
            seat = event.actor
            if event.kind == "meeting_called":
                call = event
            if seat is None:
                continue
            if event.kind == "depart":
                begun[seat] = event
            elif event.kind == "arrive" and seat in begun:
                found[seat].append(_move(begun.pop(seat), event, True))
            elif event.kind == "transit_cancelled" and seat in begun and call:
                found[seat].append(_move(begun.pop(seat), call, False))
        for seat, event in begun.items():
            found[seat].append(_move(event, self.timeline.events[-1], False))
        return found

    @cached_property
    def steps(self) -> list[list[Event]]:
        """The task steps of every seat, in order."""
        found: list[list[Event]] = [[] for _ in self.names]
        for event in self.timeline.events:
            if event.kind == "task_step" and event.actor is not None:
                found[event.actor].append(event)
        return found

    @cached_property
    def kills(self) -> list[Event]:
        """Every kill, in order."""
        return [event for event in self.timeline.events if event.kind == "kill"]

    def kills_in(self, first: int, last: int) -> list[Event]:
        """The kills at the instants [first, last]."""
        return [event for event in self.kills if first <= event.index <= last]

    def ticks(self, first_tick: int, last_tick: int) -> Span:
        """The instants of some ticks."""
        return self.timeline.instants(first_tick, last_tick)

    def tick(self, instant: int) -> int:
        """The tick of an instant."""
        return self.timeline.events[instant].tick

    # --- what one seat's perceptions exclude ------------------------------------------------------------------------

    def excluded(self, watcher: int, seat: int, room: str, spans: Sequence[Span], by_sight: bool = False) -> bool:
        """Whether what the watcher perceived leaves no instant of the spans at which the seat can have been in a room.

        It was there itself and the seat was not, or it saw the seat too far away, before or after.

        Args:
            watcher: whose perceptions count.
            seat: who.
            room: where.
            spans: when.
            by_sight: whether only sightings of the seat count, and not that it was missed in the room.
        """
        if watcher == seat:
            return not self.stays(seat, room, spans)
        known = self._far(watcher, seat, room)
        if not by_sight:
            known += self._missed(watcher, seat, room, spans)
        return bool(spans) and covers(known, spans)

    def _far(self, watcher: int, seat: int, room: str) -> list[Span]:
        """The instants at which the watcher knows from sightings that the seat was too far from the room."""
        found: list[Span] = []
        for meet in self.meets(watcher, seat) + self.seen_ends(watcher, seat):
            if meet.room != room:
                found.append(self._out_of_reach(meet, room))
        ways = [(move.first + 1, move.last - 1) for move in self.moves[seat] if self._saw(watcher, move)]
        return found + [(first, last) for first, last in ways if first <= last]

    def _out_of_reach(self, meet: Meet, room: str) -> Span:
        """The instants around a sighting elsewhere at which one who was seen cannot have been in a room."""
        leg = self.timeline.leg_of(meet.first)
        far = max(self.map.travel_ticks(meet.room, room) - self.slack, 0)
        first, last = self.ticks(self.tick(meet.first) - far + 1, self.tick(meet.last) + far - 1)
        first, last = min(first, meet.first), max(last, meet.last)
        return (max(first, leg.first), min(last, leg.last)) if leg else (meet.first, meet.last)

    def alibi(self, watcher: int, seat: int, room: str, span: Span) -> Events:
        """The events of the sightings by which the watcher knows that the seat was too far from a room in the span."""
        found = [
            self.joined(watcher, seat, meet)
            for meet in self.meets(watcher, seat)
            if meet.room != room and _touch(self._out_of_reach(meet, room), span)
        ]
        found += [
            (end.first,)
            for end in self.seen_ends(watcher, seat)
            if end.room != room and _touch(self._out_of_reach(end, room), span)
        ]
        return in_order(*found)

    def _missed(self, watcher: int, seat: int, room: str, spans: Sequence[Span]) -> list[Span]:
        """The instants at which the watcher was in the room and the seat was not."""
        inside = [(meet.first, meet.last) for meet in self.meets(watcher, seat) if meet.room == room]
        stays = self.stays(watcher, room, spans)
        return [part for stay in stays for part in without((stay.first, stay.last), inside)]

    def seen_ends(self, watcher: int, seat: int) -> list[Meet]:
        """Both ends of every way of a seat of which the watcher saw the departure or the arrival."""
        return [
            Meet(room, instant, instant)
            for move in self.moves[seat]
            if self._saw(watcher, move)
            for room, instant in ((move.origin, move.first), (move.to, move.last))[: 1 + move.arrived]
        ]

    def _saw(self, watcher: int, move: Move) -> bool:
        events = self.timeline.events
        return watcher in events[move.first].seen_by or (move.arrived and watcher in events[move.last].seen_by)


def in_order(*events: Iterable[int]) -> Events:
    """All the events, each once, in the order in which they happened."""
    return tuple(sorted({index for some in events for index in some}))


def _touch(one: Span, other: Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _move(start: Event, end: Event, arrived: bool) -> Move:
    assert start.room is not None and start.to is not None
    return Move(start.room, start.to, start.index, end.index, start.tick, end.tick, arrived)


def covers(parts: Iterable[Span], spans: Sequence[Span]) -> bool:
    """Whether the parts leave no instant of the spans uncovered."""
    return covered(parts, spans) == sum(last - first + 1 for first, last in spans)


def covered(parts: Iterable[Span], spans: Sequence[Span]) -> int:
    """How many instants of the spans the parts cover."""
    ordered = sorted(parts)
    count = 0
    for first, last in spans:
        reached = first
        for start, end in ordered:
            if end >= reached and start <= last:
                count += min(end, last) - max(start, reached) + 1
                reached = max(reached, min(end, last) + 1)
    return count


def without(span: Span, holes: Iterable[Span]) -> list[Span]:
    """What is left of a span without the holes."""
    left = [span]
    for start, end in holes:
        left = [
            part
            for first, last in left
            for part in ((first, min(last, start - 1)), (max(first, end + 1), last))
            if part[0] <= part[1]
        ]
    return left


ALIASES = {"o2": "oxygen", "cafe": "cafeteria", "caf": "cafeteria", "nav": "navigation", "elec": "electrical"}
"""Short names of rooms, where a map has the long one."""


@lru_cache(maxsize=1024)
def room_named(name: str, rooms: Sequence[str]) -> str | None:
    """The room that a name stands for, however it is written; None for an unknown one."""
    short = "".join(c for c in name.lower().removeprefix("the ") if c.isalnum())
    short = ALIASES.get(short, short)
    known = {"".join(c for c in room if c.isalnum()): room for room in rooms}
    if short in known:
        return known[short]
    longer = [room for plain, room in known.items() if len(short) >= 3 and plain.startswith(short)]
    return longer[0] if len(longer) == 1 else None


__all__ = [
    "ALIVE",
    "BODY",
    "Events",
    "Meet",
    "Move",
    "Record",
    "covered",
    "covers",
    "in_order",
    "room_named",
    "without",
]
