"""The full state of one game: one field table, from which the slots class (and later a record dtype) is made."""

from __future__ import annotations

import hashlib
import marshal
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias

from quack_env.errors import TrajectoryError
from quack_env.world import TOKENS, World

FREE, DISCUSSION, VOTING, OVER = range(4)
PHASES = ("free_roam", "discussion", "voting", "over")
NOBODY = -1
AWAY = -1  # the cursor of a traveller that had seen everything when it left
"""No seat, no room, no vote yet."""

Scalar: TypeAlias = int
PerSeat: TypeAlias = list[int]
PerRoom: TypeAlias = list[int]
PerTask: TypeAlias = list[int]  # seat * k + slot
PerPair: TypeAlias = list[int]  # viewer * n + seat
PerTurn: TypeAlias = list[int]  # (round - 1) * n + seat; empty unless speech is "tokens"
Ring: TypeAlias = list[int]


@dataclass(slots=True, init=False, eq=False)
class State:
    """Every changing quantity of one game, as integers and lists of integers: this is the field table.

    ``log`` collects the packed events of the steps since the adapter last took them; it is not part of the state.
    """

    key: Scalar  # chance key of the game
    tick: Scalar  # 0 at the spawn, first played tick 1
    phase: Scalar  # FREE, DISCUSSION, VOTING, OVER
    winner: Scalar  # 0 nobody yet, 1 Geese, 2 Ducks
    reason: Scalar  # index into outcome.REASONS
    turn: Scalar  # position in this tick's turn order; n = all have acted, n + 1 = the tick is closed
    current: Scalar  # the seat asked now
    sealed: Scalar  # 1 when a phase has just ended and its state hash is due
    ducks: Scalar  # bit per seat
    alive: Scalar  # bit per seat
    geese_alive: Scalar
    ducks_alive: Scalar
    tasks_left: Scalar  # unfinished Goose tasks
    calls_left: Scalar  # button budget
    meeting: Scalar  # meetings begun so far
    caller: Scalar  # of the current or last meeting
    by_body: Scalar  # 1 when it was called by a report
    speakers: Scalar  # length of the speaking order
    speaker: Scalar  # position in it
    round: Scalar  # discussion round from 1, 0 outside
    revealed: Scalar  # bit per seat whose role an ejection has shown
    leg_tick: Scalar  # tick at which this leg began
    room: PerSeat  # NOBODY in transit or dead
    origin: PerSeat  # of the transit
    dest: PerSeat  # of the transit, NOBODY when not in transit
    left: PerSeat  # ticks to arrival
    cooldown: PerSeat  # ticks until a Duck may kill
    body_room: PerSeat  # where this seat's body lies
    body_seen: PerSeat  # bit per seat that has seen this seat's body
    known_dead: PerSeat  # bit per seat this seat knows to be dead
    at_scene: PerSeat  # bit per seat this seat saw in a room with a body
    left_scene: PerSeat  # bit per seat this seat saw leave, or last saw in, a room where it knows a body
    order: PerSeat  # turn order of this tick
    speaking: PerSeat  # speaking order of this meeting
    vote: PerSeat  # seat voted for, n = skip, NOBODY = not yet
    here: PerRoom  # the living in each room, a bit per seat
    bodies: PerRoom  # the victims lying in each room, a bit per seat
    task_room: PerTask
    progress: PerTask  # units done
    last_room: PerPair  # where the viewer last saw the seat, NOBODY for never
    last_tick: PerPair  # when
    said: PerTurn  # statement code + 1, 0 for not yet
    head: Scalar  # events put into the ring so far
    cursor: PerSeat  # head at each seat's own last decision, or AWAY
    ring: Ring  # the last events that somebody witnessed, packed
    log: list[int]

    def __init__(self, world: World) -> None:
        sizes = sizes_of(world)
        for name, kind in KINDS_OF_FIELDS:
            setattr(self, name, 0 if kind == "Scalar" else [0] * sizes[kind])
        self.log = []

    def digest(self) -> str:
        """The state hash: blake2b (8 bytes, hex) over the packed fields of the game."""
        packed = marshal.dumps(_hashed(self), 2)
        return hashlib.blake2b(packed, digest_size=8).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON-ready integers and lists."""
        fields = {name: getattr(self, name) for name in (*HASHED, *WITNESS)}
        return {name: list(value) if isinstance(value, list) else value for name, value in fields.items()}

    def load(self, data: dict[str, Any]) -> None:
        """Take over the fields of :meth:`to_dict`; `TrajectoryError` when they are those of another kind of game."""
        for name in (*HASHED, *WITNESS):
            value, mine = data.get(name), getattr(self, name)
            whole = value if isinstance(mine, list) else [value]
            length = len(mine) if isinstance(mine, list) else 1
            if not isinstance(whole, list) or len(whole) != length or not all(isinstance(x, int) for x in whole):
                raise TrajectoryError(f"state field {name!r} does not fit this game: {value!r}")
        for name in (*HASHED, *WITNESS):
            value = data[name]
            setattr(self, name, list(value) if isinstance(value, list) else value)


WITNESS = ("head", "cursor", "ring")
"""Bookkeeping of what was shown when: not part of the game, so not of the state hash."""

HASHED = tuple(name for name in State.__annotations__ if name not in (*WITNESS, "log"))

_hashed = attrgetter(*HASHED)


KINDS_OF_FIELDS = tuple((name, State.__annotations__[name]) for name in (*HASHED, *WITNESS))


def sizes_of(world: World) -> dict[str, int]:
    """Length of a list field of each kind."""
    n = world.n
    return {
        "PerSeat": n,
        "PerRoom": world.R,
        "PerTask": n * world.k,
        "PerPair": n * n,
        "PerTurn": n * world.rounds if world.speech == TOKENS else 0,
        "Ring": world.ring,
    }
