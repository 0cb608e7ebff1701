"""The full state of one game: one field table, from which the slots class (and later a record dtype) is made."""

from __future__ import annotations

import hashlib
import marshal
from typing import Any

from quack_env.errors import TrajectoryError
from quack_env.world import TOKENS, World

FREE, DISCUSSION, VOTING, OVER = range(4)
PHASES = ("free_roam", "discussion", "voting", "over")
NOBODY = -1
"""No seat, no room, no vote yet."""

SCALARS = (
    "key",  # chance key of the game
    "tick",  # 0 at the spawn, first played tick 1
    "phase",  # FREE, DISCUSSION, VOTING, OVER
    "winner",  # 0 nobody yet, 1 Geese, 2 Ducks
    "reason",  # index into outcome.REASONS
    "turn",  # position in this tick's turn order; n = all have acted, n + 1 = the tick is closed
    "current",  # the seat asked now
    "sealed",  # 1 when a phase has just ended and its state hash is due
    "ducks",  # bit per seat
    "alive",  # bit per seat
    "geese_alive",
    "ducks_alive",
    "tasks_left",  # unfinished Goose tasks
    "calls_left",  # button budget
    "meeting",  # meetings begun so far
    "caller",  # of the current or last meeting
    "by_body",  # 1 when it was called by a report
    "speakers",  # length of the speaking order
    "speaker",  # position in it
    "round",  # discussion round from 1, 0 outside
    "revealed",  # bit per seat whose role an ejection has shown
    "leg_tick",  # tick at which this leg began
)
PER_SEAT = (
    "room",  # NOBODY in transit or dead
    "origin",  # of the transit
    "dest",  # of the transit, NOBODY when not in transit
    "left",  # ticks to arrival
    "cooldown",  # ticks until a Duck may kill
    "body_room",  # where this seat's body lies
    "body_seen",  # bit per seat that has seen this seat's body
    "known_dead",  # bit per seat this seat knows to be dead
    "at_scene",  # bit per seat this seat saw in a room with a body
    "left_scene",  # bit per seat this seat saw leave, or last saw in, a room where it knows a body
    "order",  # turn order of this tick
    "speaking",  # speaking order of this meeting
    "vote",  # seat voted for, n = skip, NOBODY = not yet
)
WITNESS = ("head", "cursor", "ring")
"""Bookkeeping of what was shown when: not part of the game, so not of the state hash."""


def sizes(world: World) -> dict[str, int]:
    """Length of every list field of the state."""
    n = world.n
    table = dict.fromkeys(PER_SEAT, n)
    table |= {"here": world.R, "bodies": world.R, "task_room": n * world.k, "progress": n * world.k}
    table |= {"last_room": n * n, "last_tick": n * n, "cursor": n, "ring": world.V_ring}
    table["said"] = n * world.rounds if world.speech == TOKENS else 0
    return table


LISTS = (*PER_SEAT, "here", "bodies", "task_room", "progress", "last_room", "last_tick", "said")
HASHED = (*SCALARS, *LISTS)


class State:
    """Every changing quantity of one game, as integers and lists of integers.

    ``log`` collects the packed events of the steps since the adapter last took them; it is not part of the state.
    """

    __slots__ = (*HASHED, *WITNESS, "log")

    def __init__(self, world: World) -> None:
        for name in SCALARS:
            setattr(self, name, 0)
        for name, size in sizes(world).items():
            setattr(self, name, [0] * size)
        self.head = 0
        self.log: list[int] = []

    def digest(self) -> str:
        """The state hash: blake2b (8 bytes, hex) over the packed fields of the game."""
        packed = marshal.dumps([getattr(self, name) for name in HASHED], 2)
        return hashlib.blake2b(packed, digest_size=8).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON-ready integers and lists."""
        fields = {name: getattr(self, name) for name in (*HASHED, *WITNESS)}
        return {name: list(value) if isinstance(value, list) else value for name, value in fields.items()}

    def load(self, data: dict[str, Any]) -> None:
        """Take over the fields of :meth:`to_dict`; `TrajectoryError` when they are those of another kind of game."""
        for name in (*HASHED, *WITNESS):
            value, mine = data.get(name), getattr(self, name)
            same_form = len(value) == len(mine) if isinstance(value, list) and isinstance(mine, list) else False
            if not same_form and not (isinstance(value, int) and isinstance(mine, int)):
                raise TrajectoryError(f"state field {name!r} does not fit this game: {value!r}")
        for name in (*HASHED, *WITNESS):
            value = data[name]
            setattr(self, name, list(value) if isinstance(value, list) else value)
