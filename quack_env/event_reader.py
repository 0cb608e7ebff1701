"""Reading events strictly: what a recorded event of each kind must hold, and whether it can follow those before it.

Whatever evaluation relies on is checked: kinds, fields and their values; the order of numbers and ticks; legs and
meetings in turn; that who acts, is killed or voted for is alive; that everybody acts where it is, and moves along
corridors. Whether the rules allow a decision, and who perceives what, is for `quack_env.replay`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

from quack_env.config import GameConfig
from quack_env.errors import TrajectoryError
from quack_env.events import CALL_REASONS, NO_EJECTION_REASONS, ROLES, Event
from quack_env.game_map import GameMap
from quack_env.header import Seat
from quack_env.kinds import STATEMENTS
from quack_env.outcome import REASONS, TEAMS
from quack_env.yaml_file import shown, unknown_value

START, ROAM, MEETING, DECIDED, PLACING, OVER = (
    "at the beginning",
    "in free roam",
    "in a meeting",
    "after the result of a vote",
    "before all the living are placed again",
    "after game_over",
)
"""When something happens, in the words of messages."""

ALWAYS = ("tick", "index", "kind", "seen_by")


class Form(NamedTuple):
    """What an event of a kind holds beside `ALWAYS`, and when it can happen.

    ``data``: the keys of its field of that name, each with its type or the texts that it may be; all of them needed.
    """

    when: tuple[str, ...]
    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    data: Mapping[str, type | tuple[str, ...]] = {}


FORMS: Mapping[str, Form] = {
    "leg_start": Form((START, DECIDED), ("data",), data={"leg": int}),
    "wait": Form((ROAM,), ("actor", "room")),
    "depart": Form((ROAM,), ("actor", "room", "to")),
    "arrive": Form((ROAM,), ("actor", "room", "to")),
    "task_step": Form((ROAM,), ("actor", "room", "data"), data={"progress": int}),
    "task_done": Form((ROAM,), ("actor", "room"), ("data",), {"progress": int}),
    "kill": Form((ROAM,), ("actor", "target", "room")),
    "body_appeared": Form((ROAM,), ("target", "room")),
    "meeting_called": Form((ROAM,), ("actor", "data"), data={"reason": CALL_REASONS}),
    "body_reported": Form((MEETING,), ("actor", "target", "room")),
    "transit_cancelled": Form((MEETING,), ("actor", "room", "to")),
    "statement": Form((MEETING,), ("actor",), ("text", "target", "room", "data"), {"says": STATEMENTS}),
    "chat": Form((ROAM,), ("actor", "room", "text")),
    "vote": Form((MEETING,), ("actor",), ("target",)),
    "ejected": Form((MEETING,), ("target",), ("data",), {"role": ROLES}),
    "no_ejection": Form((MEETING,), ("data",), data={"reason": NO_EJECTION_REASONS}),
    "respawn": Form((PLACING,), ("actor", "room")),
    "lapsed": Form((ROAM,), ("actor", "room", "data"), data={"action": str}),
    "fallback": Form((START, ROAM, MEETING, DECIDED, PLACING), ("actor", "data"), data={"reason": str}),
    "game_over": Form((ROAM, MEETING, DECIDED), ("data",), data={"winner": TEAMS[1:], "reason": REASONS[1:]}),
}
"""By kind: the schema that docs/log_formats.md describes."""

SAYS: Mapping[str, tuple[str, ...]] = {
    "speech": ("text",),
    "was_in": ("room",),
    "saw": ("target", "room"),
    "did_task": ("room",),
    "suspect": ("target",),
    "vouch": ("target",),
    "nothing": (),
}
"""The fields that a statement needs, by what it says."""

WINNERS = {"ducks ejected": "geese", "parity": "ducks", "tasks": "geese", "timeout": "geese"}

Place: TypeAlias = str | tuple[str, str] | None
"""A room; a way from a room to another; None for nowhere."""


class EventReader:
    """Reads the lines of one recording, in order.

    `event` and `seal` raise `TrajectoryError` for a line that is not what it must be; it does not name file and line.
    """

    def __init__(self, seats: Sequence[Seat], config: GameConfig, game_map: GameMap) -> None:
        self.seats = seats
        self.config = config
        self.game_map = game_map
        self.rooms = frozenset(game_map.rooms)
        self.phase = START
        self.tick = 0
        self.count = 0
        self.legs = 0
        self.alive = set(range(len(seats)))
        self.gone: dict[int, int] = {}
        """The tick in which every seat that is out was killed or ejected."""
        self.bodies: dict[int, str] = {}
        self.places: list[Place] = [None] * len(seats)
        self.voted: set[int] = set()
        self._known: set[tuple[str, ...]] = set()
        self._steps: dict[str, Callable[[Event], None]] = {
            "leg_start": self._leg_start,
            "wait": self._act,
            "depart": self._depart,
            "arrive": self._arrive,
            "task_step": self._work,
            "task_done": self._work,
            "kill": self._kill,
            "body_appeared": self._lies_there,
            "meeting_called": self._meeting_called,
            "body_reported": self._lies_there,
            "transit_cancelled": self._transit_cancelled,
            "statement": self._statement,
            "chat": self._act,
            "vote": self._vote,
            "ejected": self._ejected,
            "no_ejection": self._no_ejection,
            "respawn": self._respawn,
            "lapsed": self._act,
            "fallback": lambda event: None,
            "game_over": self._game_over,
        }

    def seal(self, record: dict[str, Any]) -> tuple[int, str]:
        """Tick and hash of a line with a state hash."""
        if record.keys() != {"tick", "hash"}:
            raise TrajectoryError(f"a state hash has the fields tick and hash, not {', '.join(record)}")
        self._check_tick(record["tick"])
        if not isinstance(record["hash"], str):
            raise TrajectoryError(f"hash {shown(record['hash'])}: must be text")
        return record["tick"], record["hash"]

    def event(self, record: dict[str, Any]) -> Event:
        """The event of a line; a field that is null is one left out."""
        if None in record.values():
            record = {name: value for name, value in record.items() if value is not None}
        kind: Any = record.get("kind")
        if (kind if isinstance(kind, str) else "", *record) not in self._known:
            self._check_fields(record)
        form, get = FORMS[kind], record.get
        seen_by = record["seen_by"]
        if not isinstance(seen_by, list):
            raise TrajectoryError(f"seen_by {shown(seen_by)}: must be a list of seats")
        event = Event(
            record["tick"],
            record["index"],
            kind,
            get("actor"),
            get("target"),
            get("room"),
            get("to"),
            get("text"),
            get("data"),
            tuple(seen_by),
        )
        self._check_values(event, form)
        if self.phase not in form.when:
            waits = f" ({', '.join(self._unplaced())})" if self.phase == PLACING else ""
            raise TrajectoryError(f"{kind} {self.phase}{waits}; it belongs {' or '.join(form.when)}")
        self._steps[kind](event)
        self.count += 1
        return event

    # --- one line by itself ------------------------------------------------------------------------------------------

    def _check_fields(self, record: dict[str, Any]) -> None:
        """The kind is known; its fields are there, and no others."""
        kind = record.get("kind")
        if kind is None:
            raise TrajectoryError(f"no kind; an event has {', '.join(ALWAYS)} and what its kind needs")
        if not isinstance(kind, str) or kind not in FORMS:
            raise TrajectoryError(f"kind {unknown_value(kind, FORMS)}")
        form = FORMS[kind]
        needed = (*ALWAYS, *form.needs)
        rest = f" and may have {', '.join(form.may)}" if form.may else ""
        for name in (name for name in needed if name not in record):
            raise TrajectoryError(f"{kind} without {name}; it needs {', '.join(needed)}{rest}")
        for name in (name for name in record if name not in needed + form.may):
            raise TrajectoryError(f"{kind} with {shown(name)}; it needs {', '.join(needed)}{rest}, and no other field")
        self._known.add((kind, *record))

    def _check_values(self, event: Event, form: Form) -> None:
        """Every field is of its type and within its range, and who acts is alive."""
        tick, index, _, actor, target, room, to, text, data, seen_by = event
        self._check_tick(tick)
        if type(index) is not int or index != self.count:
            raise TrajectoryError(f"event {shown(index)} where {self.count} is due")
        if actor is not None and (type(actor) is not int or actor not in self.alive):
            self._refuse_seat("actor", actor)
        seats = len(self.seats)
        if target is not None and (type(target) is not int or not 0 <= target < seats):
            self._refuse_seat("target", target)
        if room is not None and (type(room) is not str or room not in self.rooms):
            raise TrajectoryError(f"room {unknown_value(room, self.game_map.rooms)}")
        if to is not None and (type(to) is not str or to not in self.rooms):
            raise TrajectoryError(f"to {unknown_value(to, self.game_map.rooms)}")
        if text is not None and type(text) is not str:
            raise TrajectoryError(f"text {shown(text)}: must be text")
        if data is not None:
            _check_data(event.kind, data, form)
        for seat in seen_by:
            if type(seat) is not int or not 0 <= seat < seats:
                self._refuse_seat("seen_by", seat)
        if len(seen_by) > 1 and len(set(seen_by)) < len(seen_by):
            raise TrajectoryError(f"seen_by {shown(list(seen_by))}: names a seat twice")

    def _check_tick(self, tick: Any) -> None:
        """Ticks never go back, nor beyond the tick budget."""
        if type(tick) is not int or not self.tick <= tick <= self.config.max_ticks:
            raise TrajectoryError(
                f"tick {shown(tick)}: must be a whole number from {self.tick} (that of the line before) to "
                f"{self.config.max_ticks} (config.max_ticks)"
            )
        self.tick = tick

    def _refuse_seat(self, field: str, seat: Any) -> NoReturn:
        """Raise the error for a seat that there is not, or that is out of the game."""
        if type(seat) is int and 0 <= seat < len(self.seats):
            told = f"{self.seats[seat].name} is out of the game since tick {self.gone[seat]}"
        else:
            told = f"must be a seat, a whole number from 0 to {len(self.seats) - 1}"
        raise TrajectoryError(f"{field} {shown(seat)}: {told}")

    # --- what may follow what ----------------------------------------------------------------------------------------

    def _leg_start(self, event: Event) -> None:
        """Everybody is in its spawn room, or is about to be placed anew."""
        leg = (event.data or {})["leg"]
        if leg != self.legs:
            raise TrajectoryError(f"leg_start: leg {leg} where leg {self.legs} is due")
        self.places = [None if leg else seat.spawn for seat in self.seats]
        self.phase = PLACING if leg else ROAM
        self.bodies.clear()
        self.legs += 1

    def _respawn(self, event: Event) -> None:
        seat = event.actor or 0
        if self.places[seat] is not None:
            raise TrajectoryError(f"respawn: {self._whereabouts(seat)} already")
        self.places[seat] = event.room
        if not self._unplaced():
            self.phase = ROAM

    def _act(self, event: Event) -> None:
        """Somebody does something in the room in which it is."""
        self._go(event, event.room, event.room)

    def _work(self, event: Event) -> None:
        self._act(event)
        progress = (event.data or {}).get("progress", 1)
        if not 1 <= progress <= self.config.task_ticks:
            raise TrajectoryError(
                f"progress {progress}: must be from 1 to {self.config.task_ticks} (config.task_ticks)"
            )

    def _depart(self, event: Event) -> None:
        start, end = way = _way(event)
        self._go(event, start, way)
        if not self.game_map.graph.has_edge(start, end):
            joined = ", ".join(self.game_map.neighbours(start))
            raise TrajectoryError(f"depart: no corridor joins {start} and {end}; those from {start} lead to {joined}")

    def _arrive(self, event: Event) -> None:
        self._go(event, _way(event), event.to)

    def _transit_cancelled(self, event: Event) -> None:
        self._go(event, _way(event), event.room)

    def _kill(self, event: Event) -> None:
        self._act(event)
        victim = self._living_target(event)
        for seat, role in ((event.actor or 0, "duck"), (victim, "goose")):
            if self.seats[seat].role != role:
                raise TrajectoryError(f"kill: a Duck kills a Goose, but {self.seats[seat].name} is no {role}")
        if self.places[victim] != event.room:
            raise TrajectoryError(f"kill in {event.room}, but {self._whereabouts(victim)}")
        self.bodies[victim] = event.room or ""
        self._leave(event, victim)

    def _lies_there(self, event: Event) -> None:
        """The room has the body that the event names."""
        victim = event.target or 0
        if self.bodies.get(victim) != event.room:
            lies = self.bodies.get(victim)
            told = f"it is in {lies}" if lies else "nobody killed it in this leg"
            raise TrajectoryError(f"{event.kind}: no body of {self.seats[victim].name} in {event.room}: {told}")

    def _meeting_called(self, event: Event) -> None:
        self.phase = MEETING
        self.voted.clear()

    def _statement(self, event: Event) -> None:
        says = (event.data or {}).get("says", "speech")
        for name in SAYS[says]:
            if getattr(event, name) is None:
                raise TrajectoryError(f"statement ({says}) without {name}; it needs {', '.join(SAYS[says])}")

    def _vote(self, event: Event) -> None:
        voter = event.actor or 0
        if event.target is not None:
            self._living_target(event)
        if voter in self.voted:
            raise TrajectoryError(f"vote: {self.seats[voter].name} has voted in this meeting")
        self.voted.add(voter)

    def _ejected(self, event: Event) -> None:
        self._leave(event, self._living_target(event))
        self.phase = DECIDED

    def _no_ejection(self, event: Event) -> None:
        self.phase = DECIDED

    def _game_over(self, event: Event) -> None:
        data = event.data or {}
        winner = WINNERS[data["reason"]]
        if data["winner"] != winner:
            raise TrajectoryError(f"game_over: with the reason {data['reason']!r} the winner is {winner!r}")
        self.phase = OVER

    def _go(self, event: Event, start: Place, end: Place) -> None:
        """The actor, until now at one place, is from now on at another one."""
        actor = event.actor or 0
        if self.places[actor] != start:
            raise TrajectoryError(f"{event.kind} {_told(start)}, but {self._whereabouts(actor)}")
        self.places[actor] = end

    def _living_target(self, event: Event) -> int:
        target = event.target or 0
        if target not in self.alive:
            self._refuse_seat("target", target)
        return target

    def _leave(self, event: Event, seat: int) -> None:
        """A seat is out of the game."""
        self.alive.remove(seat)
        self.gone[seat] = event.tick
        self.places[seat] = None

    def _unplaced(self) -> list[str]:
        """The names of the living who are nowhere."""
        return [self.seats[seat].name for seat in sorted(self.alive) if self.places[seat] is None]

    def _whereabouts(self, seat: int) -> str:
        return f"{self.seats[seat].name} is {_told(self.places[seat])}"


def _way(event: Event) -> tuple[str, str]:
    return event.room or "", event.to or ""


def _told(place: Place) -> str:
    if place is None:
        return "in no room"
    return f"in {place}" if isinstance(place, str) else f"on the way from {place[0]} to {place[1]}"


def _check_data(kind: str, data: Any, form: Form) -> None:
    """The field `data` has the keys of its kind, and each the type or one of the texts that it may have."""
    if not isinstance(data, dict) or data.keys() != form.data.keys():
        needed = f"an object with {', '.join(form.data)}" if form.data else "left out"
        raise TrajectoryError(f"{kind}: data must be {needed}, not {shown(data)}")
    for name, allowed in form.data.items():
        value = data[name]
        if isinstance(allowed, tuple):
            if value not in allowed:
                raise TrajectoryError(f"{kind}: {name} {unknown_value(value, allowed)}")
        elif type(value) is not allowed:
            what = "text" if allowed is str else "a whole number"
            raise TrajectoryError(f"{kind}: {name} must be {what}, not {shown(value)}")
