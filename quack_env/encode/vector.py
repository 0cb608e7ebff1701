"""A view as numbers: one table of fields, read as a dict of named arrays or as one float32 vector.

`observation="dict"` holds every field as it is (int8 0/1 or int32, ticks in ticks); `observation="vector"` is the same
fields in the same order, flattened, each multiplied by its scale. Players are in self-relative order: entry d is seat
(own seat + d) mod n, so entry 0 is the viewer. Rooms are in the order of the map file.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quack_env.kinds import KINDS
from quack_env.state import DISCUSSION, PHASES, VOTING
from quack_env.statements import decode
from quack_env.view import WITNESSED, View
from quack_env.world import TOKENS, World

EVENT_COLUMNS = 6
FORMS = 6  # forms of a statement: was_in, saw, did_task, suspect, vouch, nothing
SOON = 50  # ticks; ages are scaled by it
bit_length = int.bit_length  # the compiled form puts its own in its place


class Field(NamedTuple):
    """One named array of the observation: integers in [0, high]; times ``scale`` they are the vector's floats."""

    name: str
    shape: tuple[int, ...]
    high: int
    scale: float
    binary: bool
    meaning: str

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.prod(self.shape))


def field_table(world: World) -> list[Field]:
    """The fields of an observation in order, with shapes for this world's sizes."""
    n, rooms = world.n, world.R
    far = max(world.weight)

    def flag(name: str, shape: tuple[int, ...], meaning: str) -> Field:
        return Field(name, shape, 1, 1.0, True, meaning)

    def amount(name: str, shape: tuple[int, ...], high: int, meaning: str, unit: float = 0) -> Field:
        high = max(high, 1)  # a space must not be a single point
        return Field(name, shape, high, 1 / (unit or high), False, meaning)

    table = [
        flag("phase", (len(PHASES),), f"one-hot: {', '.join(PHASES)}"),
        amount("tick", (1,), world.max_ticks, "ticks since the spawn"),
        flag("asked", (1,), "the viewer is to decide now"),
        flag("duck", (1,), "own role"),
        flag("seat", (n,), "own seat, one-hot in absolute seats (actions name absolute seats)"),
        flag("room", (rooms,), "own room, one-hot; all zero in transit"),
        flag("origin", (rooms,), "room the own transit left, one-hot"),
        flag("dest", (rooms,), "destination of the own transit, one-hot"),
        amount("remaining", (1,), far, "ticks to the own arrival"),
        amount("adjacent", (rooms,), far, "travel ticks from the own room to each adjacent room, else 0"),
        flag("task", (rooms,), "own unfinished task there"),
        amount("progress", (rooms,), world.task_ticks, "units done of the own task there (all of them: finished)"),
        flag("here", (n,), "living in the own room, oneself left out"),
        flag("bodies", (n,), "whose bodies lie in the own room"),
        flag("known_dead", (n,), "known to be dead"),
        flag("partners", (n,), "fellow Ducks, for a Duck"),
        amount("cooldown", (1,), world.kill_cooldown, "ticks until the viewer may kill; 0 for a Goose"),
        amount("calls_left", (1,), world.button_budget, "button calls left for all"),
        flag("caller", (n,), "who called the current or last meeting, one-hot"),
        flag("reason", (2,), "one-hot: it was called by button, by body"),
        amount("speaking", (n,), n, "place in the speaking order of the current meeting, from 1; 0 outside"),
        amount("round", (1,), world.rounds, "discussion round from 1; 0 outside"),
        flag("last_room", (n, rooms), "room where each was last seen, now if present"),
        amount("since", (n,), world.max_ticks, "ticks since then", SOON),
        flag("at_scene", (n,), "seen in a room with a body"),
        flag("left_scene", (n,), "seen coming from, or last seen in, a room where the viewer knows a body"),
        Field(
            "events",
            (WITNESSED, EVENT_COLUMNS),
            max(world.max_ticks, n, rooms, len(KINDS), 127),
            1 / max(n, rooms, len(KINDS)),
            False,
            "witnessed since the own previous decision, oldest first, zero rows behind: kind + 1, actor + 1, "
            "target + 1 (relative seats), room + 1, to + 1, age in ticks; 0 is none",
        ),
        flag("dropped", (1,), f"more than {WITNESSED} events were witnessed; the oldest are missing"),
    ]
    if world.reveal_role:
        table.append(flag("revealed_ducks", (n,), "ejected and shown to be a Duck"))
        table.append(flag("revealed_geese", (n,), "ejected and shown to be a Goose"))
    if world.speech == TOKENS:
        table.append(
            flag(
                "statements",
                (world.rounds, n, FORMS + n + rooms),
                "what each said in each round of the current meeting: form (was_in, saw, did_task, suspect, vouch, "
                "nothing), player named (relative), room named; each one-hot",
            )
        )
    return table


class Layout:
    """Where each field lies in the observation of this world, and in which unit; the spaces follow from it.

    ``scaled``: the vector's floats, each field times its scale; otherwise integers as they are.
    """

    def __init__(self, world: World, scaled: bool) -> None:
        self.fields = field_table(world)
        self.at: dict[str, int] = {}
        self.slices: dict[str, slice] = {}
        size = 0
        for field in self.fields:
            self.at[field.name] = size
            self.slices[field.name] = slice(size, size + field.size)
            size += field.size
        self.size = size
        self.blank = array("f", bytes(4 * size))
        unit = {f.name: f.scale if scaled else 1.0 for f in self.fields}
        self.high = np.concatenate([np.full(f.size, f.high * unit[f.name], np.float32) for f in self.fields])
        rooms, far = world.R, unit["adjacent"]
        # What is written already at the start of a vector, by the own room; the last one is for no room.
        self.start = [self.blank[:] for _ in range(rooms + 1)]
        for r in range(rooms):
            self.start[r][self.at["room"] + r] = 1
            ways = world.weight[r * rooms : (r + 1) * rooms]
            self.start[r][self.slices["adjacent"]] = array("f", [ticks * far for ticks in ways])
        # Looked up once, for the encoders below.
        self.self_at = tuple(self.at[name] for name in SELF)
        self.self_unit = tuple(unit[name] for name in ("tick", "remaining", "progress", "cooldown", "calls_left"))
        self.others_at = tuple(self.at[name] for name in OTHERS)
        self.since_unit = unit["since"]
        self.event_unit = unit["events"]
        self.place_unit = unit["speaking"]
        self.round_unit = unit["round"]

    def vector_space(self) -> spaces.Box:
        """float32 (V,)."""
        return spaces.Box(np.zeros(self.size, np.float32), self.high, dtype=np.float32)

    def dict_space(self) -> spaces.Dict:
        """One entry per field: MultiBinary int8 or Box int32."""
        return spaces.Dict(
            {
                f.name: spaces.MultiBinary(f.shape if len(f.shape) > 1 else f.shape[0])
                if f.binary
                else spaces.Box(0, f.high, f.shape, np.int32)
                for f in self.fields
            }
        )


def vector(world: World, layout: Layout, view: View | None) -> NDArray[np.float32]:
    """The view as a fresh float32 (V,) array; zeros for None (a dead agent)."""
    return np.frombuffer(encode(world, layout, view), np.float32)


def named(world: World, layout: Layout, view: View | None) -> dict[str, NDArray[Any]]:
    """The view as fresh named arrays; zeros for None (a dead agent)."""
    counts = np.frombuffer(encode(world, layout, view), np.float32).astype(np.int32)
    flags = counts.astype(np.int8)
    return {f.name: (flags if f.binary else counts)[layout.slices[f.name]].reshape(f.shape) for f in layout.fields}


def encode(world: World, layout: Layout, view: View | None) -> array[float]:
    """The values of all fields, in order."""
    if view is None:
        return layout.blank[:]
    out = layout.start[view.room][:]
    encode_self(world, layout, view, out)
    encode_others(world, layout, view, out)
    if view.events or view.dropped:
        encode_events(world, layout, view, out)
    if view.speaking:
        encode_meeting(world, layout, view, out)
    return out


SELF = (
    *("phase", "tick", "asked", "duck", "seat", "origin", "dest", "remaining"),
    *("task", "progress", "cooldown", "calls_left", "caller", "reason"),
)
OTHERS = ("here", "bodies", "known_dead", "partners", "at_scene", "left_scene", "last_room", "since")


def encode_self(world: World, layout: Layout, view: View, out: array[float]) -> None:
    """Time, own role and seat, own way and tasks; the own room is written at the start."""
    # fmt: off
    (phase, tick, asked, duck, seat, origin, dest, remaining,
     task, progress, cooldown, calls_left, caller, reason) = layout.self_at
    # fmt: on
    tick_unit, far, step, pause, call = layout.self_unit
    out[phase + view.phase] = 1
    out[tick] = view.tick * tick_unit
    out[asked] = view.asked
    out[duck] = view.duck
    out[seat + view.me] = 1
    if view.room < 0 and view.dest >= 0:
        out[origin + view.origin] = 1
        out[dest + view.dest] = 1
        out[remaining] = view.left * far
    need = world.task_ticks
    for place, done in zip(view.task_room, view.progress):  # noqa: B905 - the check costs time here
        if done:
            out[progress + place] = done * step
        if done < need:
            out[task + place] = 1
    if view.cooldown > 0:
        out[cooldown] = view.cooldown * pause
    out[calls_left] = view.calls_left * call
    if view.caller >= 0:
        out[caller + (view.caller - view.me) % world.n] = 1
        out[reason + view.by_body] = 1


def encode_others(world: World, layout: Layout, view: View, out: array[float]) -> None:
    """Who is here, who is dead, where everybody was last seen."""
    (here_at, bodies, known_dead, partners, at_scene, left_scene, last_room, since) = layout.others_at
    n, me = world.n, view.me
    here = view.here
    if here:
        put(out, here_at, here, n, me)
    if view.bodies:
        put(out, bodies, view.bodies, n, me)
    if view.known_dead:
        put(out, known_dead, view.known_dead, n, me)
    if view.partners:
        put(out, partners, view.partners, n, me)
    if view.at_scene:
        put(out, at_scene, view.at_scene, n, me)
    if view.left_scene:
        put(out, left_scene, view.left_scene, n, me)
    if world.reveal_role:
        put(out, layout.at["revealed_ducks"], view.revealed_ducks, n, me)
        put(out, layout.at["revealed_geese"], view.revealed_geese, n, me)
    rooms, tick, unit = world.R, view.tick, layout.since_unit
    for j, room in enumerate(view.last_room):
        if here >> j & 1:
            out[last_room + (j - me) % n * rooms + view.room] = 1
        elif room >= 0:
            d = (j - me) % n
            out[last_room + d * rooms + room] = 1
            out[since + d] = (tick - view.last_tick[j]) * unit


def put(out: array[float], base: int, seats: int, n: int, me: int) -> None:
    """Write a set of seats as flags in self-relative order."""
    seats = (seats >> me | seats << n - me) & (1 << n) - 1
    while seats:
        d = bit_length(seats) - 1
        out[base + d] = 1
        seats ^= 1 << d


def encode_events(world: World, layout: Layout, view: View, out: array[float]) -> None:
    """What was witnessed, a row an event."""
    out[layout.at["dropped"]] = view.dropped
    row = layout.at["events"]
    n, me, unit = world.n, view.me, layout.event_unit
    for event in view.events:
        if not event:  # the compiled form's list ends so: no event is 0
            break
        actor = event >> 5 & 31
        target = event >> 10 & 31
        out[row] = ((event & 31) + 1) * unit
        if actor:
            out[row + 1] = ((actor - 1 - me) % n + 1) * unit
        if target:
            out[row + 2] = ((target - 1 - me) % n + 1) * unit
        out[row + 3] = (event >> 15 & 127) * unit
        out[row + 4] = (event >> 22 & 127) * unit
        out[row + 5] = (view.tick - (event >> 45)) * unit
        row += EVENT_COLUMNS


def encode_meeting(world: World, layout: Layout, view: View, out: array[float]) -> None:
    """Speaking order, round, and what was said (speech "tokens")."""
    n, me, rooms = world.n, view.me, world.R
    base = layout.at["speaking"]
    for place, j in enumerate(view.speaking):
        out[base + (j - me) % n] = (place + 1) * layout.place_unit
    out[layout.at["round"]] = view.round * layout.round_unit
    if world.speech != TOKENS or view.phase not in (DISCUSSION, VOTING):
        return
    base = layout.at["statements"]
    width = FORMS + n + rooms
    for place, code in enumerate(view.said):
        if code:
            form, target, room = decode(world, code - 1)
            row = base + (place // n * n + (place % n - me) % n) * width
            out[row + form - 1] = 1
            if target >= 0:
                out[row + FORMS + (target - me) % n] = 1
            if room >= 0:
                out[row + FORMS + n + room] = 1
