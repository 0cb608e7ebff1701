"""Drawing a map at random: what a map file would hold, before it is checked."""

from __future__ import annotations

import math
import random
from itertools import combinations
from typing import Any, TypeAlias

Point: TypeAlias = tuple[int, int]
Edge: TypeAlias = tuple[int, int]

ROOM_TASKS = {
    "admin": "Swipe Card",
    "airlock": "Test Seals",
    "armory": "Count Ammunition",
    "brig": "Reset Locks",
    "bridge": "Set Heading",
    "cafeteria": "Empty Garbage",
    "cargo_bay": "Sort Cargo",
    "chapel": "Light Candles",
    "communications": "Restore Signal",
    "decontamination": "Rinse Filters",
    "electrical": "Calibrate Distributor",
    "galley": "Clean Ovens",
    "greenhouse": "Water Plants",
    "gym": "Fix Treadmill",
    "hangar": "Dock Shuttle",
    "laboratory": "Sort Samples",
    "laundry": "Fold Uniforms",
    "library": "Shelve Books",
    "lounge": "Fix Projector",
    "lower_engine": "Fuel Engines",
    "medbay": "Submit Scan",
    "navigation": "Chart Course",
    "observatory": "Focus Telescope",
    "oxygen": "Clean O2 Filter",
    "reactor": "Start Reactor",
    "security": "Check Cameras",
    "server_room": "Reboot Servers",
    "shields": "Prime Shields",
    "storage": "Stack Crates",
    "upper_engine": "Align Engine Output",
    "vault": "Polish Gems",
    "weapons": "Clear Asteroids",
    "workshop": "Weld Plates",
}
COLUMN, ROW = 6, 4  # between two neighbouring cells of the grid, in drawing units
TICK = 3.9  # drawing units that one tick covers: diagonal neighbours are 1 tick apart, those in a row 2, further ones 3
LONGEST_EXTRA = 10.0  # drawing units: longer corridors only where the map would not hang together
CORRIDORS_PER_ROOM = 1.4  # as on the paper's ship


def draw_map(rooms: int, seed: int) -> dict[str, Any]:
    """A connected map without crossing corridors, in the form of a map file."""
    chance = random.Random(seed)
    points = _points(rooms, chance)
    edges = _edges(points, chance)
    names = _names(rooms, chance)
    button = _centre(points, edges)
    return {
        "name": f"random-{rooms}-{seed}",
        "rooms": dict(zip(names, map(list, points), strict=True)),
        "corridors": [[names[a], names[b], _ticks(points[a], points[b])] for a, b in edges],
        "tasks": {names[i]: _task(names[i]) for i in _task_rooms(rooms, button, chance)},
        "button": names[button],
    }


def _points(rooms: int, chance: random.Random) -> list[Point]:
    """Distinct cells, row by row, of a grid with some to spare; every other row is shifted by half a cell."""
    cells = math.ceil(rooms * 1.2)
    columns = max(2, round(math.sqrt(cells)))
    chosen = sorted(chance.sample(range(columns * math.ceil(cells / columns)), rooms))
    places = [divmod(cell, columns) for cell in chosen]
    return [(1 + COLUMN * column + COLUMN // 2 * (row % 2), 1 + ROW * row) for row, column in places]


def _edges(points: list[Point], chance: random.Random) -> list[Edge]:
    """A spanning tree of mostly short corridors, then more short ones, none of which crosses another."""
    pairs = list(combinations(range(len(points)), 2))
    pairs.sort(key=lambda pair: math.dist(points[pair[0]], points[pair[1]]) * (0.6 + 0.8 * chance.random()))
    edges: list[Edge] = []
    group = list(range(len(points)))
    # One pass joins everything: what does not cross can be completed to a triangulation, which is connected, so
    # as long as two parts are left, some pair that joins them is still to come.
    for a, b in pairs:
        if group[a] != group[b] and _is_free((a, b), edges, points):
            edges.append((a, b))
            group = [group[a] if part == group[b] else part for part in group]
    for pair in pairs:
        if len(edges) >= round(CORRIDORS_PER_ROOM * len(points)):
            break
        short = math.dist(points[pair[0]], points[pair[1]]) <= LONGEST_EXTRA
        if short and pair not in edges and _is_free(pair, edges, points):
            edges.append(pair)
    return edges


def _is_free(edge: Edge, edges: list[Edge], points: list[Point]) -> bool:
    """Whether a straight corridor touches no other room and crosses none of the corridors."""
    a, b = edge
    others = (points[i] for i in range(len(points)) if i not in edge)
    if any(_is_between(points[a], point, points[b]) for point in others):
        return False
    apart = (other for other in edges if not set(other) & {a, b})
    return not any(_crosses(points[a], points[b], points[c], points[d]) for c, d in apart)


def _turn(a: Point, b: Point, c: Point) -> int:
    """Twice the signed area of a triangle: its sign says on which side of a-b the point c lies."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _is_between(a: Point, middle: Point, b: Point) -> bool:
    """Whether `middle` lies on the straight line from a to b."""
    return _turn(a, b, middle) == 0 and min(a, b) < middle < max(a, b)


def _crosses(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two lines without a common end cross; touching is left to `_is_between`."""
    return _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0


def _ticks(a: Point, b: Point) -> int:
    """Ticks of a corridor by its length, 1 to 3."""
    return min(3, max(1, round(math.dist(a, b) / TICK)))


def _names(rooms: int, chance: random.Random) -> list[str]:
    """Names of ship rooms in a random order; numbered decks when they run out."""
    known = chance.sample(sorted(ROOM_TASKS), min(rooms, len(ROOM_TASKS)))
    return known + [f"deck_{number}" for number in range(1, rooms - len(known) + 1)]


def _task(room: str) -> str:
    """What there is to do in a room of this name."""
    return ROOM_TASKS.get(room, f"Inspect {room.replace('_', ' ').title()}")


def _task_rooms(rooms: int, button: int, chance: random.Random) -> list[int]:
    """The rooms with a task: about 60 to 90 % of all, at least one, never that of the button."""
    wanted = round(rooms * (0.6 + 0.3 * chance.random()))
    return sorted(chance.sample([i for i in range(rooms) if i != button], min(wanted, rooms - 1)))


def _centre(points: list[Point], edges: list[Edge]) -> int:
    """The room from which the others are nearest on the whole, by corridors crossed."""
    totals = [_total_hops(start, len(points), edges) for start in range(len(points))]
    return totals.index(min(totals))


def _total_hops(start: int, rooms: int, edges: list[Edge]) -> int:
    """The sum over all rooms of the corridors between them and `start`."""
    hops = {start: 0}
    for here in (queue := [start]):
        for a, b in edges:
            for there in {a, b} - {here} if here in (a, b) else ():
                if there not in hops:
                    hops[there] = hops[here] + 1
                    queue.append(there)
    return sum(hops.values())
