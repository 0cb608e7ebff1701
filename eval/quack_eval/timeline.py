"""Who was where, from which instant to which, alive or as a body: the recording, indexed for questions about it.

An *instant* is the index of an event; a *window* is closed on both sides, in ticks or in instants. Nothing in here
decides anything: movements, deaths and who perceived what are read from the recorded events.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from quack_env import ConfigError, Event, GameRecord
from quack_env.yaml_file import shown

ALIVE, BODY = "alive", "body"
DECISIONS = frozenset({"wait", "depart", "task_step", "kill", "meeting_called"})
"""Each free-roam decision leaves exactly one event of these kinds (a lapsed one leaves its wait)."""


class Stay(NamedTuple):
    """One seat in one place without interruption, at all instants of [first, last] and ticks [first_tick, last_tick].

    ``room`` is None on the way from ``origin`` to ``to``; a way may have ticks without an instant, into which no event
    fell. A departing agent is in the room up to and including the instant of its departure, a victim up to and
    including that of its death; its body lies there from that instant.
    ``began``: "spawn", "arrive", "depart" (a way), "transit_cancelled", "respawn" or "kill" (a body).
    """

    seat: int
    room: str | None
    state: str
    first: int
    last: int
    first_tick: int
    last_tick: int
    began: str
    origin: str | None = None
    to: str | None = None


class Company(NamedTuple):
    """Another seat in the same room, at all instants of [first, last]; ``state`` is that of the other."""

    seat: int
    room: str
    state: str
    first: int
    last: int


class Meeting(NamedTuple):
    """One meeting: ``call`` and ``end`` are the instants of its first and last event (its result, or the game's end).

    ``statements`` and ``votes`` are the indices of their events. ``bodies`` are the seats reported with the call.
    """

    number: int
    tick: int
    caller: int
    by_body: bool
    call: int
    end: int
    bodies: tuple[int, ...]
    statements: tuple[int, ...]
    votes: tuple[int, ...]
    ejected: int | None
    voted: bool


class Leg(NamedTuple):
    """The stretch from a spawn to the next call (that instant included) or the end of the game."""

    number: int
    first: int
    last: int
    first_tick: int
    last_tick: int
    meeting: int | None


class Timeline:
    """The recording of one game, indexed. Everything is built on first use.

    Raises:
        ConfigError: for something else than a recorded game.
    """

    def __init__(self, record: GameRecord) -> None:
        if not isinstance(record, GameRecord):
            raise ConfigError(
                f"{shown(record)} is no recorded game: give Trajectory.load(PATH), or paths to `evaluate`"
            )
        self.trajectory = record
        self.events: list[Event] = record.events
        self.n = len(record.header.seats)
        self.ducks = frozenset(record.ducks)
        self.geese = frozenset(range(self.n)) - self.ducks

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def last_tick(self) -> int:
        """The tick at which the recording ends."""
        return self.events[-1].tick if self.events else 0

    @property
    def last(self) -> int:
        """The last instant."""
        return len(self.events) - 1

    @cached_property
    def _first_of_tick(self) -> list[int]:
        """The first instant at or after the beginning of every tick, and one past the end."""
        table: list[int] = []
        for event in self.events:
            while len(table) <= event.tick:
                table.append(event.index)
        return [*table, len(self.events)]

    def instants(self, first_tick: int, last_tick: int) -> tuple[int, int]:
        """The closed window of instants that the ticks [first_tick, last_tick] cover; empty where last < first."""
        table = self._first_of_tick
        first = table[min(max(first_tick, 0), len(table) - 1)]
        return first, table[min(max(last_tick + 1, 0), len(table) - 1)] - 1

    # --- places ------------------------------------------------------------------------------------------------------

    @cached_property
    def stays(self) -> list[list[Stay]]:
        """The stays of every seat, in order of time."""
        return _Occupancy(self).build()

    @cached_property
    def _firsts(self) -> list[list[int]]:
        return [[stay.first for stay in stays] for stays in self.stays]

    @cached_property
    def _last_ticks(self) -> list[list[int]]:
        return [[stay.last_tick for stay in stays] for stays in self.stays]

    @cached_property
    def by_room(self) -> dict[str, list[Stay]]:
        """The stays in every room that was ever occupied, in order of their beginning."""
        rooms: dict[str, list[Stay]] = {}
        for stays in self.stays:
            for stay in stays:
                if stay.room is not None:
                    rooms.setdefault(stay.room, []).append(stay)
        for listed in rooms.values():
            listed.sort(key=lambda stay: stay.first)
        return rooms

    def at(self, seat: int, instant: int) -> Stay | None:
        """Where the seat is at an instant; None once its body is gone or it has been ejected.

        At the instant of its departure it is still in the room, at that of its arrival or death already there, or dead.
        """
        p = bisect_right(self._firsts[seat], instant) - 1
        stay = self.stays[seat][p] if p >= 0 else None
        return stay if stay is not None and instant <= stay.last else None

    def room_before(self, seat: int, instant: int) -> str | None:
        """The room in which the living seat is when the decision is taken that makes this event; None elsewhere."""
        p = bisect_left(self._firsts[seat], instant) - 1
        stay = self.stays[seat][p] if p >= 0 else None
        return stay.room if stay is not None and stay.state == ALIVE and instant <= stay.last else None

    def between(self, seat: int, first: int, last: int) -> list[Stay]:
        """The stays of a seat that share an instant with [first, last], in order of time."""
        stays = self.stays[seat]
        p = max(bisect_left(self._firsts[seat], first) - 1, 0)  # a victim is alive and dead at the instant of its death
        found: list[Stay] = []
        while p < len(stays) and stays[p].first <= last:
            if stays[p].last >= max(first, stays[p].first):
                found.append(stays[p])
            p += 1
        return found

    def during(self, seat: int, first_tick: int, last_tick: int) -> list[Stay]:
        """The stays of a seat in the ticks [first_tick, last_tick], in order of time."""
        stays = self.stays[seat]
        p = bisect_left(self._last_ticks[seat], first_tick)
        found: list[Stay] = []
        while p < len(stays) and stays[p].first_tick <= last_tick:
            found.append(stays[p])
            p += 1
        return found

    def beginning(self, stay: Stay) -> int:
        """The event that began a stay: the arrival, departure, death or placing of its own seat.

        Its index may differ from ``stay.first``: arrivals commit together, and whoever a meeting puts back or places
        anew is there before the event that says so.
        """
        if stay.began == "spawn":
            return stay.first
        who = "target" if stay.began == "kill" else "actor"
        at = stay.first - (stay.began == "depart")
        while self.events[at].kind != stay.began or getattr(self.events[at], who) != stay.seat:
            at += 1
        return at

    def was_in(self, seat: int, room: str, first: int, last: int, state: str = ALIVE) -> list[Stay]:
        """The stays of a seat in a room that share an instant with [first, last]."""
        return [stay for stay in self.between(seat, first, last) if stay.room == room and stay.state == state]

    def company(self, seat: int, first: int, last: int) -> list[Company]:
        """Whoever (bodies too) shared a room with the living seat at an instant of [first, last]."""
        found: list[Company] = []
        for stay in self.between(seat, first, last):
            if stay.room is not None and stay.state == ALIVE:
                start, end = max(stay.first, first), min(stay.last, last)
                found += [other for other in self.occupants(stay.room, start, end) if other.seat != seat]
        return found

    def occupants(self, room: str, first: int, last: int) -> list[Company]:
        """Whoever, alive or as a body, was in a room at an instant of [first, last], with the shared instants."""
        found: list[Company] = []
        for stay in self.by_room.get(room, ()):
            if stay.first > last:
                break
            if stay.last >= first:
                found.append(Company(stay.seat, room, stay.state, max(stay.first, first), min(stay.last, last)))
        return found

    # --- perception --------------------------------------------------------------------------------------------------

    @cached_property
    def perceived(self) -> list[list[Event]]:
        """The events that each seat perceived (its own included), in order; decided by the rules."""
        seen: list[list[Event]] = [[] for _ in range(self.n)]
        for event in self.events:
            for seat in event.seen_by:
                seen[seat].append(event)
        return seen

    def perceived_between(self, seat: int, first: int, last: int) -> Iterator[Event]:
        """The events of [first, last] that a seat perceived."""
        return (event for event in self.perceived[seat] if first <= event.index <= last)

    # --- legs, meetings, deaths --------------------------------------------------------------------------------------

    @cached_property
    def meetings(self) -> list[Meeting]:
        """The meetings in order."""
        calls = [event.index for event in self.events if event.kind == "meeting_called"]
        starts = [event.index for event in self.events if event.kind == "leg_start"]
        found: list[Meeting] = []
        for number, call in enumerate(calls):
            after = [start for start in starts if start > call]
            found.append(self._meeting(number, call, after[0] - 1 if after else self.last))
        return found

    def _meeting(self, number: int, call: int, end: int) -> Meeting:
        kinds: dict[str, list[Event]] = {}
        for event in self.events[call : end + 1]:
            kinds.setdefault(event.kind, []).append(event)
        ejected = kinds.get("ejected")
        called = self.events[call]
        return Meeting(
            number,
            called.tick,
            -1 if called.actor is None else called.actor,
            (called.data or {}).get("reason") == "body",
            call,
            end,
            tuple(event.target for event in kinds.get("body_reported", ()) if event.target is not None),
            tuple(event.index for event in kinds.get("statement", ())),
            tuple(event.index for event in kinds.get("vote", ())),
            ejected[0].target if ejected else None,
            bool(ejected) or "no_ejection" in kinds,
        )

    @cached_property
    def legs(self) -> list[Leg]:
        """The legs in order; leg k ends with meeting k, the last one perhaps with the game."""
        starts = [event.index for event in self.events if event.kind == "leg_start"]
        found: list[Leg] = []
        for number, first in enumerate(starts):
            met = number if number < len(self.meetings) else None
            last = self.last if met is None else self.meetings[met].call
            found.append(Leg(number, first, last, self.events[first].tick, self.events[last].tick, met))
        return found

    def leg_of(self, instant: int) -> Leg | None:
        """The leg to which an instant belongs; that of a meeting's instants is the one which its call ended."""
        p = bisect_right([leg.first for leg in self.legs], instant) - 1
        return self.legs[p] if p >= 0 else None

    @cached_property
    def deaths(self) -> dict[int, Event]:
        """The kill event of every seat that was killed."""
        return {event.target: event for event in self.events if event.kind == "kill" and event.target is not None}

    @cached_property
    def gone(self) -> dict[int, int]:
        """The instant from which each seat that was killed or ejected was out of the game."""
        out = {seat: event.index for seat, event in self.deaths.items()}
        for event in self.events:
            if event.kind == "ejected" and event.target is not None:
                out[event.target] = event.index
        return out

    def alive(self, seat: int, instant: int) -> bool:
        """Whether the seat is in the game right after an event."""
        return instant < self.gone.get(seat, instant + 1)


class _Occupancy:
    """Turns movements and deaths into stays."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.events = timeline.events
        self.done: list[list[Stay]] = [[] for _ in range(timeline.n)]
        self.now: list[Stay | None] = [None] * timeline.n

    def build(self) -> list[list[Stay]]:
        """All stays of all seats."""
        arrivals = 0  # the first of the arrivals that commit together at the beginning of a tick
        before: Event | None = None
        for event in self.events:
            kind, seat = event.kind, event.actor
            if kind == "depart" and seat is not None:
                self.end(seat, event.index, event.tick)
                self.begin(seat, None, event.index + 1, event.tick, kind, event.room, event.to)
            elif kind == "arrive" and seat is not None:
                together = before is not None and before.kind == "arrive" and before.tick == event.tick
                arrivals = arrivals if together else event.index
                self.end(seat, arrivals - 1, event.tick - 1)
                self.begin(seat, event.to, arrivals, event.tick, kind, event.room)
            elif kind == "kill" and event.target is not None:
                self.end(event.target, event.index, event.tick)
                self.begin(event.target, event.room, event.index, event.tick, kind, state=BODY)
            elif kind == "ejected" and event.target is not None:
                self.end(event.target, event.index, event.tick)
            elif kind == "transit_cancelled" and seat is not None:
                self.put_back(seat, event)
            elif kind == "leg_start":
                self.new_leg(event)
            elif kind == "respawn" and seat is not None:
                self.begin(seat, event.room, self.leg, event.tick, kind)
            before = event
        for seat in range(len(self.now)):
            self.end(seat, len(self.events) - 1, self.timeline.last_tick)
        return self.done

    def begin(
        self,
        seat: int,
        room: str | None,
        first: int,
        tick: int,
        began: str,
        origin: str | None = None,
        to: str | None = None,
        state: str = ALIVE,
    ) -> None:
        self.now[seat] = Stay(seat, room, state, first, first, tick, tick, began, origin, to)

    def end(self, seat: int, last: int, last_tick: int) -> None:
        """Close the current stay of a seat; a way of no time, crossed within a tick, is left out."""
        stay = self.now[seat]
        if stay is not None and (last >= stay.first or last_tick >= stay.first_tick):
            self.done[seat].append(stay._replace(last=last, last_tick=last_tick))
        self.now[seat] = None

    def put_back(self, seat: int, event: Event) -> None:
        """A traveller is in the room it left from the instant of the call on."""
        call = event.index
        while self.events[call].kind != "meeting_called":
            call -= 1
        self.end(seat, call - 1, event.tick)
        self.begin(seat, event.room, call, event.tick, event.kind)

    def new_leg(self, event: Event) -> None:
        """Bodies vanish, the living are placed anew: at once, though their respawn events follow."""
        self.leg = event.index
        for seat in range(len(self.now)):
            self.end(seat, event.index - 1, event.tick)
        if event.index == 0:
            for seat, sitting in enumerate(self.timeline.trajectory.header.seats):
                self.begin(seat, sitting.spawn, 0, event.tick, "spawn")
