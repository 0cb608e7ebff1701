"""State and world of a game as records of fixed-width integers, made from their field tables."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from quack_env.config import MAX_TICKS
from quack_env.errors import ConfigError
from quack_env.game_map import MAX_ROOMS
from quack_env.state import KINDS_OF_FIELDS, sizes_of
from quack_env.world import SEAT_STEPS, TOKENS, World

ROOMS = (10, 24, MAX_ROOMS)
TASKS = (5, 12, 60)
ROUNDS = (2, 8)
SHORT = {"ticks": 255, "waits": 127, "calls": 127}
LONG = {"ticks": MAX_TICKS, "waits": MAX_TICKS, "calls": 1000}

MASKS = ("ducks", "alive", "revealed", "here", "bodies", "body_seen", "known_dead", "at_scene", "left_scene")
WIDTHS = (np.int8, np.uint8, np.int16, np.uint16, np.int32)


class Room(NamedTuple):
    """How much a record has room for; steps of it, so that games of similar size share what is compiled."""

    seats: int
    rooms: int
    tasks: int  # of a seat
    said: int  # statements of a seat that are kept
    ring: int
    ticks: int
    waits: int  # ticks of a cooldown or a task
    calls: int


def room_for(world: World) -> Room:
    """The least room that holds a game of this world; `ConfigError` when there is none, naming what does not fit."""
    need = {"ticks": world.max_ticks, "waits": max(world.kill_cooldown, world.task_ticks), "calls": world.button_budget}
    spans = SHORT if all(need[name] <= SHORT[name] for name in need) else LONG
    for name, value in need.items():
        step_up(name, value, (spans[name],))
    return Room(
        step_up("n_players", world.n, SEAT_STEPS),
        step_up("rooms", world.R, ROOMS),
        step_up("n_tasks", world.k, TASKS),
        step_up("discussion_rounds", world.rounds, ROUNDS) if world.speech == TOKENS else 0,
        world.ring,
        **spans,
    )


def step_up(name: str, value: int, steps: tuple[int, ...]) -> int:
    """The first step that is enough."""
    for step in steps:
        if value <= step:
            return step
    raise ConfigError(f"{name}={value}: the batched environment has room for at most {steps[-1]}")


@cache
def state_dtype(room: Room) -> np.dtype[np.void]:
    """The record of a state: the fields of `State` without its log, each as narrow as its values allow."""
    sizes = {
        "PerSeat": room.seats,
        "PerRoom": room.rooms,
        "PerTask": room.seats * room.tasks,
        "PerPair": room.seats * room.seats,
        "PerTurn": room.seats * room.said,
        "Ring": room.ring,
    }
    fields = [(name, width_of(name, room), kind) for name, kind in KINDS_OF_FIELDS]
    fields.sort(key=lambda field: -field[1].itemsize)  # no gaps between them
    return np.dtype(
        [(name, width) if kind == "Scalar" else (name, width, (sizes[kind],)) for name, width, kind in fields],
        align=True,
    )


def width_of(name: str, room: Room) -> np.dtype[Any]:
    """The integer type of a field."""
    if name in ("key", "ring"):
        return np.dtype(np.uint64 if name == "key" else np.int64)
    low, high = bounds(name, room)
    return np.dtype(next(w for w in WIDTHS if np.iinfo(w).min <= low and high <= np.iinfo(w).max))


def bounds(name: str, room: Room) -> tuple[int, int]:
    """Least and greatest value of a field; seats, rooms and what is about as small need no entry."""
    events = 4 * room.seats * room.ticks + 8 * room.seats * (room.calls + room.seats)  # a tick's, a meeting's
    most = {
        **dict.fromkeys(MASKS, (0, (1 << room.seats) - 1)),
        **dict.fromkeys(("tick", "leg_tick", "last_tick"), (0, room.ticks)),
        **dict.fromkeys(("cooldown", "progress"), (0, room.waits)),
        **dict.fromkeys(("head", "cursor"), (-1, events)),
        "tasks_left": (0, room.seats * room.tasks),
        "calls_left": (0, room.calls),
        "meeting": (0, room.calls + room.seats),
        "said": (0, 2 + 2 * room.seats + room.rooms * (room.seats + 2)),
    }
    return most.get(name, (-1, 127))


def world_record(world: World) -> Any:
    """The world as one record, of the same form for all worlds."""
    lengths = {
        "exits": MAX_ROOMS * MAX_ROOMS,
        "first_exit": MAX_ROOMS + 1,
        "task_rooms": MAX_ROOMS,
        "weight": MAX_ROOMS * MAX_ROOMS,
    }
    form = [(name, np.int16, (lengths[name],)) if name in lengths else (name, np.int64) for name in World.__slots__]
    record = np.zeros(1, np.dtype(form, align=True))[0]
    for name in World.__slots__:
        value = getattr(world, name)
        if name in lengths:
            record[name][: len(value)] = value
        else:
            record[name] = value
    return record


def state_dict(record: Any, world: World) -> dict[str, Any]:
    """The state in a record, as `State.to_dict` gives it."""
    sizes = sizes_of(world)
    values = dict(zip(record.dtype.names, record.item(), strict=True))
    return {
        name: values[name] if kind == "Scalar" else values[name][: sizes[kind]].tolist()
        for name, kind in KINDS_OF_FIELDS
    }
