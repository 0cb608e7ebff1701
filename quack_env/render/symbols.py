"""Both images without text, for networks: flat colours, each place and colour with one meaning.

Everything is laid out on 64 x 64 units and drawn at the picture's own size. Tables: docs/images.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from quack_env.config import GameConfig
from quack_env.game_map import GameMap
from quack_env.kinds import ARRIVE, DEPART, KINDS, TRANSIT_CANCELLED, unpack
from quack_env.render import theme
from quack_env.render.items import ALIVE, BODY, DEAD, Fill, Glyph, Point, Rect, around
from quack_env.render.layout import SymbolPlan, plan_symbols
from quack_env.render.theme import GLYPH, Colour, seat_colour, way_colour
from quack_env.state import DISCUSSION, VOTING
from quack_env.view import WITNESSED, View

UNITS = 64
SEATS = 16
TICK_BITS = 18
MAX_ROUNDS = 8
AGES = 12


@lru_cache(maxsize=8192)
def at(size: int, x: int, y: int, w: int, h: int) -> Rect:
    """The pixels of a rectangle in units; at least one each way."""
    left, top = x * size // UNITS, y * size // UNITS
    return Rect(left, top, max(1, (x + w) * size // UNITS - left), max(1, (y + h) * size // UNITS - top))


# --- global map ------------------------------------------------------------------------------------------------------

CLOCK = (0, 62, 64, 2)
"""Units: a bar of one unit per tick that is left of the viewer's way."""
SPOTS = 24
"""So many places of a traveller are tried between two rooms."""


@lru_cache(maxsize=256)
def symbol_plan(places: tuple[tuple[float, float], ...], size: int) -> SymbolPlan:
    """The rooms' squares on a map of `size` pixels."""
    clock = at(size, *CLOCK)
    return plan_symbols(places, Rect(1, 1, size - 2, clock.y - 2))


def places_of(game_map: GameMap) -> tuple[tuple[float, float], ...]:
    """The positions in the order of the rooms."""
    return tuple(game_map.positions[room] for room in game_map.rooms)


def way_lines(game_map: GameMap, plan: SymbolPlan, size: int) -> Iterator[tuple[Colour, Point, Point, int]]:
    """The corridors as (colour, end, end, pixels wide); the colour says the ticks."""
    index = {room: r for r, room in enumerate(game_map.rooms)}
    for a, b, ticks in game_map.corridors:
        yield way_colour(ticks), plan.rooms[index[a]].centre, plan.rooms[index[b]].centre, max(1, size // 48)


def map_fills(game_map: GameMap, plan: SymbolPlan) -> Iterator[Fill]:
    """The squares of all rooms, the button's with its own border."""
    for room, square in zip(game_map.rooms, plan.rooms, strict=True):
        yield theme.BUTTON_ROOM if room == game_map.button else theme.ROOM, square
        yield theme.CELL, square.grow(-plan.ring)


def own_fills(game_map: GameMap, plan: SymbolPlan, task_ticks: int, view: View, size: int) -> Iterator[Fill]:
    """What the viewer adds: its tasks (inner ring), its place (core), or its way and the ticks left of it."""
    for room, done in zip(view.task_room, view.progress, strict=True):
        yield theme.DONE_ROOM if done >= task_ticks else theme.TODO_ROOM, plan.rooms[room].grow(-plan.ring)
    if view.room >= 0:
        yield theme.ME, plan.rooms[view.room].grow(-2 * plan.ring)
    elif view.dest >= 0:
        yield theme.FROM, plan.rooms[view.origin].grow(-2 * plan.ring)
        yield theme.GOAL, plan.rooms[view.dest].grow(-2 * plan.ring)
        yield theme.ME, traveller(game_map, plan, view)
        clock = at(size, *CLOCK)
        yield theme.GOAL, clock._replace(w=max(1, view.left * size // UNITS))


def traveller(game_map: GameMap, plan: SymbolPlan, view: View) -> Rect:
    """The square of the viewer on its way: between the two rooms, by the part done, and over no room's square."""
    ticks = game_map.weight(game_map.rooms[view.origin], game_map.rooms[view.dest])
    spots = travel_spots(plan, view.origin, view.dest)
    return min(spots, key=lambda spot: abs(spot[0] - (ticks - view.left + 0.5) / ticks))[1]


@lru_cache(maxsize=1024)
def travel_spots(plan: SymbolPlan, origin: int, dest: int) -> tuple[tuple[float, Rect], ...]:
    """Where on a way a square covers no room: (part of the way, square); its middle where there is no such place."""
    a, b = plan.rooms[origin], plan.rooms[dest]
    (x0, y0), (x1, y1) = a.centre, b.centre
    side = max(1, a.w - 4 * plan.ring)
    gap = (a.w + 1) / max(1.0, math.hypot(x1 - x0, y1 - y0))  # begins and ends beside the squares
    out = []
    for k in range(SPOTS + 1):
        part = gap / 2 + (1 - gap) * k / SPOTS
        spot = around((round(x0 + (x1 - x0) * part), round(y0 + (y1 - y0) * part)), side, side)
        if not any(spot.overlaps(room) for room in plan.rooms):
            out.append((k / SPOTS, spot))
    return tuple(out) or ((0.5, around(((x0 + x1) // 2, (y0 + y1) // 2), side, side)),)


# --- local view ------------------------------------------------------------------------------------------------------

STATES = {ALIVE: theme.CELL, BODY: theme.BODY_CELL, DEAD: theme.DEAD_CELL}
"""What a figure lies on."""
PHASE = (0, 4, 8, 2)
ROUNDS_AT, TICK_AT, BAND_Y = 8, 24, 4
SLOTS = (0, 6, 64, 26)
EVENTS_Y, EVENT_H = 32, 2
KIND_AT, ACTOR_AT, TARGET_AT, AGE_AT = 0, 20, 36, 52


class Grid(NamedTuple):
    """The slots of players: columns, rows, and pixels of a slot and of a cell of its figure."""

    columns: int
    rows: int
    w: int
    h: int
    cell: int
    top: int


@lru_cache(maxsize=256)
def slot_grid(players: int, size: int) -> Grid:
    """Slots for so many players, in a picture of `size` pixels."""
    _, y, w, h = at(size, *SLOTS)
    columns, rows = (4, 2) if players <= 8 else (6, 3)
    w, h = w // columns, h // rows
    return Grid(columns, rows, w, h, max(1, min((w - 3 * size // UNITS) // GLYPH, (h - size // UNITS) // GLYPH)), y)


@lru_cache(maxsize=1024)
def slot(grid: Grid, place: int) -> Rect:
    """The pixels of a slot."""
    row, column = divmod(place, grid.columns)
    return Rect(column * grid.w, grid.top + row * grid.h, grid.w, grid.h)


def local_fills(game_map: GameMap, config: GameConfig, view: View, size: int) -> Iterator[Fill | Glyph]:
    """Everything on the local view, over NIGHT."""
    yield from strip_fills(game_map, view, size)
    yield from band_fills(view, size)
    if not view.self_alive:
        return
    if view.phase in (DISCUSSION, VOTING):
        yield from meeting_fills(config.n_players, view, size)
    elif view.room >= 0:
        yield from people_fills(config.n_players, view, size)
    elif view.dest >= 0:
        yield from progress_fills(game_map, view, size)
    yield from event_fills(len(game_map.rooms), view, size)


@lru_cache(maxsize=16_384)
def room_cell(rooms: int, r: int, size: int, y: int, h: int) -> Rect:
    """A room's cell on an axis of all rooms, in the order of the map."""
    left, right = r * size // rooms, (r + 1) * size // rooms
    row = at(size, 0, y, 1, h)
    return Rect(left, row.y, right - left, row.h)


def strip_fills(game_map: GameMap, view: View, size: int) -> Iterator[Fill]:
    """The strip of rooms: the own one, the adjacent ones by travel time; on the way, both ends."""
    names = game_map.rooms
    for r in range(len(names)):
        colour = theme.CELL
        if r == view.room:
            colour = theme.ME
        elif view.room >= 0 and game_map.graph.has_edge(names[view.room], names[r]):
            colour = way_colour(game_map.weight(names[view.room], names[r]))
        elif r in (view.origin, view.dest) and view.dest >= 0 > view.room:
            colour = theme.GOAL if r == view.dest else theme.FROM
        yield colour, room_cell(len(names), r, size, 0, 3)


def band_fills(view: View, size: int) -> Iterator[Fill]:
    """Phase, round of the discussion, and the tick in binary, its lowest bit first."""
    yield theme.PHASES[view.phase], at(size, *PHASE)
    for k in range(min(view.round, MAX_ROUNDS)):
        yield theme.PHASES[view.phase], at(size, ROUNDS_AT + 2 * k, BAND_Y, 1, 2)
    for bit in range(TICK_BITS):
        if view.tick >> bit & 1:
            yield theme.ONE_BIT, at(size, TICK_AT + 2 * bit, BAND_Y, 2, 2)


def figure(grid: Grid, place: int, seat: int, state: int) -> Glyph:
    """A player in a slot: the seat's glyph on the colour of its state."""
    whole = slot(grid, place)
    return Glyph(seat, STATES[state], grid.cell, whole.x, whole.y)


def badge_fills(grid: Grid, place: int, badges: Sequence[Colour | None], size: int) -> Iterator[Fill]:
    """Up to three marks to the right of a figure, from top to bottom; the line under it marks company."""
    whole = slot(grid, place)
    side = GLYPH * grid.cell
    wide = max(1, 2 * size // UNITS)
    for k, colour in enumerate(badges[:3]):
        if colour is not None:
            top, bottom = k * side // 3, (k + 1) * side // 3
            yield colour, (whole.x + side + max(1, size // UNITS) // 2, whole.y + top, wide, bottom - top)
    if len(badges) > 3 and badges[3] is not None:
        yield badges[3], (whole.x, whole.y + side, side, max(1, size // UNITS))


def role_badge(view: View, seat: int) -> Colour | None:
    """What the viewer knows of a role: itself and its partners, if it is a Duck, and those that were revealed."""
    if (view.partners | view.revealed_ducks) >> seat & 1 or (seat == view.me and view.duck):
        return theme.KNOWN_DUCK
    return theme.KNOWN_GOOSE if view.revealed_geese >> seat & 1 or seat == view.me else None


def people_fills(players: int, view: View, size: int) -> Iterator[Fill | Glyph]:
    """In a room: slot s is seat s; empty slots are of those that are not here."""
    grid = slot_grid(players, size)
    for seat in range(players):
        own = seat == view.me
        if own or view.here >> seat & 1:
            yield figure(grid, seat, seat, ALIVE)
        elif view.bodies >> seat & 1:
            yield figure(grid, seat, seat, BODY)
        else:
            continue
        yield from badge_fills(grid, seat, (theme.ME if own else None, role_badge(view, seat)), size)


def meeting_fills(players: int, view: View, size: int) -> Iterator[Fill | Glyph]:
    """In a meeting: the living in speaking order, then the dead by seat."""
    grid = slot_grid(players, size)
    dead = [seat for seat in range(players) if view.known_dead >> seat & 1]
    for place, seat in enumerate((*view.speaking, *dead)):
        if place == view.speaker and view.phase == DISCUSSION:
            yield theme.TURN_CELL, slot(grid, place)
        body, here = view.bodies >> seat & 1, view.here >> seat & 1
        state = ALIVE if place < len(view.speaking) else BODY if body else DEAD
        yield figure(grid, place, seat, state)
        badges = (
            theme.ME if seat == view.me else None,
            role_badge(view, seat),
            (theme.BY_BODY if view.by_body else theme.BY_BUTTON) if seat == view.caller else None,
            theme.TOGETHER if here else None,
        )
        yield from badge_fills(grid, place, badges, size)


def progress_fills(game_map: GameMap, view: View, size: int) -> Iterator[Fill | Glyph]:
    """On the way: a bar of one cell per tick, those done filled; the viewer's figure above it."""
    ticks = game_map.weight(game_map.rooms[view.origin], game_map.rooms[view.dest])
    yield figure(slot_grid(8, size), 0, view.me, ALIVE)
    yield from badge_fills(slot_grid(8, size), 0, (theme.ME, role_badge(view, view.me)), size)
    row = at(size, 0, 24, 1, 6)
    for t in range(ticks):
        left, right = t * size // ticks, (t + 1) * size // ticks
        wide = right - left - (1 if right - left > 2 else 0)
        yield theme.ME if t < ticks - view.left else theme.GOAL, (left, row.y, wide, row.h)


def event_fills(rooms: int, view: View, size: int) -> Iterator[Fill]:
    """A row per witnessed event, oldest first: above, the rooms it names; below, kind, actor, target, age."""
    back = theme.ROW_CUT if view.dropped else theme.ROW
    for place, event in enumerate(view.events[:WITNESSED]):
        tick, kind, actor, target, room, to, _ = unpack(event)
        y = EVENTS_Y + EVENT_H * place
        yield back, at(size, 0, y, UNITS, EVENT_H)
        if room >= 0:
            yield theme.FROM, room_cell(rooms, room, size, y, 1)
        is_move = kind in (DEPART, ARRIVE, TRANSIT_CANCELLED)
        if is_move and to >= 0:
            yield theme.TO, room_cell(rooms, to, size, y, 1)
        extra = 0 if is_move or to < 0 else 1 + to % (len(theme.EXTRAS) - 1)
        yield theme.EXTRAS[extra], at(size, KIND_AT + kind, y + 1, 1, 1)
        for seat, start in ((actor, ACTOR_AT), (target, TARGET_AT)):
            if seat >= 0:
                yield seat_colour(seat), at(size, start + seat, y + 1, 1, 1)
        yield theme.AGE, at(size, AGE_AT, y + 1, min(AGES, 1 + view.tick - tick), 1)


assert len(KINDS) <= ACTOR_AT - KIND_AT
