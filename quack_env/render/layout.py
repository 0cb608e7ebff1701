"""Where things lie: maps in a square or a rectangle, people in a room. Pure geometry; tests check it by rectangles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quack_env.game_map import GameMap
from quack_env.render.items import Point, Rect, around
from quack_env.render.text import break_name, fit_middle, line_height, width

Floats: TypeAlias = NDArray[np.float64]
SAMPLES = 61
"""Points at which a corridor is looked at."""
BENDS = (0.0, 0.12, -0.12, 0.24, -0.24, 0.4, -0.4, 0.6, -0.6)
"""How far a corridor swings out to lead round other rooms, in parts of its length."""
SHIFTS = (0.0, 0.25, -0.25, 0.5, -0.5, 0.8, -0.8, 1.1, -1.1, 1.4, -1.4)
"""How far beside its corridor a label or a traveller may stand, in parts of its own extent."""


class Style(NamedTuple):
    """What a room's box has to hold under its name: a row of `across` figures of `figure` times the text size."""

    largest: int
    """Text size to begin with, in pixels."""
    smallest: int
    across: int
    down: int
    figure: float
    grow: float
    """How many times its smallest size a box may become where there is room."""


@dataclass(frozen=True)
class RoomPlan:
    """One room: its box, the lines of its name (one under another from `name_top`) and the space below them."""

    box: Rect
    name: tuple[str, ...]
    name_top: int
    area: Rect


@dataclass(frozen=True)
class WayPlan:
    """One corridor, from the earlier room to the later one: its points, its label, and free places beside it.

    `spots`: (part of the way between the two boxes, rectangle) where a figure covers neither box nor label.
    """

    a: int
    b: int
    ticks: int
    points: tuple[Point, ...]
    label: Rect
    spots: tuple[tuple[float, Rect], ...]
    shown: tuple[float, float]
    """The part of the line, from middle to middle, that lies between the two boxes."""

    def spot(self, part: float) -> Rect:
        """The rectangle of a figure that has done `part` (0..1) of the way from a to b."""
        return min(self.spots, key=lambda spot: abs(spot[0] - part))[1]

    def along(self, part: float) -> tuple[float, float]:
        """The point that `part` (0..1) of the way between the two boxes is, from a to b."""
        first, last = self.shown
        at = max(0.0, min(1.0, first + (last - first) * part)) * (len(self.points) - 1)
        i = min(int(at), len(self.points) - 2)
        (x0, y0), (x1, y1) = self.points[i], self.points[i + 1]
        return x0 + (x1 - x0) * (at - i), y0 + (y1 - y0) * (at - i)


@dataclass(frozen=True)
class MapPlan:
    """A map in a region: rooms by number, corridors by their two room numbers in either order."""

    region: Rect
    text: int
    figure: int
    rooms: tuple[RoomPlan, ...]
    ways: tuple[WayPlan, ...]

    def way(self, a: int, b: int) -> tuple[WayPlan, bool]:
        """The corridor between two rooms, and whether it is stored from b to a."""
        for way in self.ways:
            if {way.a, way.b} == {a, b}:
                return way, way.a == b
        raise KeyError((a, b))

    def transit(self, origin: int, dest: int, part: float) -> Rect:
        """The rectangle of a figure that has done `part` (0..1) of the corridor from `origin` to `dest`."""
        way, backwards = self.way(origin, dest)
        return way.spot(1 - part if backwards else part)


def inset(size: int) -> int:
    """Pixels that a room's box keeps free within its edge, for text of this size."""
    return 2 + size // 5


def key_of(game_map: GameMap) -> tuple[Any, ...]:
    """What of a map its pictures depend on, hashable."""
    places = tuple(tuple(game_map.positions[room]) for room in game_map.rooms)
    return game_map.rooms, places, game_map.corridors, game_map.button


@lru_cache(maxsize=128)
def _plan(key: tuple[Any, ...], region: Rect, style: Style) -> MapPlan:
    return _Planner(key, region, style).plan()


def plan_map(game_map: GameMap, region: Rect, style: Style) -> MapPlan:
    """The map laid out in a region: the largest text with which nothing overlaps."""
    return _plan(key_of(game_map), region, style)


# --- positions -------------------------------------------------------------------------------------------------------


def stretched(places: Sequence[tuple[float, float]]) -> Floats:
    """The positions in [0, 1] x [0, 1], (R, 2); an axis without extent is at 0.5."""
    at = np.array(places, float)
    low, span = at.min(0), np.ptp(at, axis=0)
    return np.where(span > 0, (at - low) / np.where(span > 0, span, 1), 0.5)


def spread(places: Sequence[tuple[float, float]]) -> Floats:
    """The rooms on a regular grid near where they were: for maps whose rooms are drawn too close together."""
    rows = max(1, round(math.sqrt(len(places))))
    columns = math.ceil(len(places) / rows)
    by_height = sorted(range(len(places)), key=lambda r: (places[r][1], places[r][0], r))
    out = np.zeros((len(places), 2))
    for row in range(rows):
        there = sorted(by_height[row * columns : (row + 1) * columns], key=lambda r: (places[r][0], r))
        for column, r in enumerate(there):
            out[r] = column / max(1, columns - 1), row / max(1, rows - 1)
    return stretched([(float(x), float(y)) for x, y in out])


def centres(at: Floats, region: Rect, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Middles of boxes of these sizes, (R, 2), within the region, (R, 2)."""
    room = np.array([region.w, region.h]) - sizes
    return np.rint(np.array([region.x, region.y]) + sizes / 2 + at * room).astype(np.int64)


def apart(middle: NDArray[np.int64], sizes: NDArray[np.int64]) -> bool:
    """Whether boxes of these sizes, (R, 2), around these middles leave each other free."""
    gap = 2 * np.abs(middle[:, None, :] - middle[None, :, :])
    near = (gap < sizes[:, None, :] + sizes[None, :, :]).all(2)
    return bool(near.sum() == len(middle))


# --- maps with text --------------------------------------------------------------------------------------------------


class _Planner:
    """Tries text sizes and box sizes from large to small until boxes, labels and travellers all have their place."""

    def __init__(self, key: tuple[Any, ...], region: Rect, style: Style) -> None:
        self.rooms, self.places, self.corridors, self.button = key
        self.region = region
        self.style = style
        self.tight = False
        index = {room: r for r, room in enumerate(self.rooms)}
        self.ends = [(index[a], index[b]) for a, b, _ in self.corridors]

    def plan(self) -> MapPlan:
        """The best layout; where none is free of overlaps, one with shortened names on a regular grid."""
        largest, smallest = self.style.largest, self.style.smallest
        whole = max(smallest, round(0.6 * largest))  # smaller text is worse than a broken name
        for at in (stretched(self.places), spread(self.places)):
            for last, hyphens, self.tight in ((whole, False, False), (smallest, True, False), (smallest, True, True)):
                for size in range(largest, last - 1, -1):
                    for lines in (1, 2, 3):
                        found = self._grown(at, size, lines, hyphens)
                        if found:
                            return found
        return self._shortened(spread(self.places))

    def figure(self, size: int) -> int:
        """Side of a figure in a box."""
        return max(6, size) if self.tight else max(7, round(self.style.figure * size))

    def _smallest_boxes(self, size: int, lines: int, hyphens: bool) -> NDArray[np.int64] | None:
        """Width and height of boxes that hold the names in so many lines, and figures: all alike, unless tight."""
        figure = self.figure(size)
        row = self.style.across * (figure + 1 + (not self.tight))
        longest = max(width(room, size) for room in self.rooms)
        low = max(row, longest // lines)
        for wide in range(low, longest + size, max(1, size // 4)) if lines > 1 else [max(low, longest)]:
            names = [break_name(room, size, wide, lines, hyphens) for room in self.rooms]
            if all(names):
                break
        else:
            return None
        if self.tight:
            text = [(max(row, *(width(w, size) for w in name)), len(name)) for name in names if name]
        else:
            text = [(wide, lines)] * len(names)
        below = self.style.down * (figure + 1)
        sizes = [(w, count * line_height(size) + below) for w, count in text]
        return np.array(sizes, np.int64) + 2 * inset(size)

    def _grown(self, at: Floats, size: int, lines: int, hyphens: bool) -> MapPlan | None:
        """The plan with the smallest boxes for this text, made larger while it still works."""
        sizes = self._smallest_boxes(size, lines, hyphens)
        best = None if sizes is None else self._try(at, size, sizes)
        if best is None or sizes is None or self.tight:
            return best
        step = 1.0 + (self.style.grow - 1.0) / 4
        for _ in range(4):
            sizes = np.rint(sizes * step).astype(np.int64)
            grown = self._try(at, size, sizes)
            if grown is None:
                break
            best = grown
        return best

    def _try(self, at: Floats, size: int, sizes: NDArray[np.int64]) -> MapPlan | None:
        if (sizes > [self.region.w, self.region.h]).any():
            return None
        middle = centres(at, self.region, sizes)
        if not apart(middle, sizes + 3):
            return None
        boxes = _boxes(middle, sizes)
        ways = self._ways(boxes, size, strict=True)
        return self._build(boxes, ways, size) if ways else None

    def _shortened(self, at: Floats) -> MapPlan:
        """Names cut to their boxes; labels where they cover least."""
        size = self.style.smallest
        count = math.ceil(math.sqrt(len(self.rooms)))
        least = line_height(size) + self.figure(size) + 2 * inset(size)
        w, h = max(least, self.region.w // count - 12), max(least, min(self.region.h // count - 12, least + 6))
        sizes = np.full((len(self.rooms), 2), (w, h), np.int64)
        boxes = _boxes(centres(at, self.region, sizes), sizes)
        return self._build(boxes, self._ways(boxes, size, strict=False) or [], size)

    def _build(self, boxes: list[Rect], ways: list[WayPlan], size: int) -> MapPlan:
        high, edge = line_height(size), inset(size)
        rooms = []
        for room, box in zip(self.rooms, boxes, strict=True):
            wide, lines = box.w - 2 * edge, max(1, (box.h - 2 * edge - self.style.down * self.figure(size)) // high)
            name = (
                break_name(room, size, wide, lines, False)
                or break_name(room, size, wide, lines)
                or (fit_middle(room, size, wide),)
            )
            free = box.h - 2 * edge - self.style.down * self.figure(size)
            top = box.y + edge + max(0, min(free, lines * high) - len(name) * high) // 2
            below = top + len(name) * high
            rooms.append(RoomPlan(box, name, top, Rect(box.x + edge, below, wide, max(1, box.bottom - edge - below))))
        return MapPlan(self.region, size, self.figure(size), tuple(rooms), tuple(ways))

    # --- corridors ---

    def _ways(self, boxes: list[Rect], size: int, strict: bool) -> list[WayPlan] | None:
        """All corridors with labels that lie apart; None where one has no place (`strict`)."""
        lines = [bent(boxes, a, b, self.region) for a, b in self.ends]
        shown = [visible(line, boxes[a], boxes[b]) for line, (a, b) in zip(lines, self.ends, strict=True)]
        if strict and any(last - first < 2 for first, last in shown):
            return None
        taken = np.array(boxes)
        labels: dict[int, Rect] = {}
        for e in sorted(range(len(lines)), key=lambda e: shown[e][1] - shown[e][0]):
            w = width(str(self.corridors[e][2]), size) + (2 if self.tight else max(4, size // 2))
            others = (
                np.concatenate([lines[o] for o in range(len(lines)) if o != e]) if len(lines) > 1 else np.zeros((0, 2))
            )
            label = place_label(lines[e], shown[e], (w, line_height(size)), taken, others, self.region)
            if label is None:
                if strict:
                    return None
                label = around(_point(lines[e][sum(shown[e]) // 2]), w, line_height(size))
            labels[e] = label
            taken = np.concatenate([taken, [label]])
        out = []
        for e, (a, b) in enumerate(self.ends):
            spots = find_spots(lines[e], shown[e], self.figure(size), taken, self.region)
            if strict and len(spots) < 2:
                return None
            middle = _point(lines[e][sum(shown[e]) // 2])
            points = tuple(_point(p) for p in (lines[e] if is_bent(lines[e]) else lines[e][[0, -1]]))
            between = (shown[e][0] / (SAMPLES - 1), shown[e][1] / (SAMPLES - 1))
            spots = spots or [(0.5, around(middle, self.figure(size), self.figure(size)))]
            out.append(WayPlan(a, b, self.corridors[e][2], points, labels[e], tuple(spots), between))
        return out


def _boxes(middle: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[Rect]:
    return [around((x, y), w, h) for (x, y), (w, h) in zip(middle.tolist(), sizes.tolist(), strict=True)]


def _point(p: Floats) -> Point:
    return round(float(p[0])), round(float(p[1]))


def is_bent(line: Floats) -> bool:
    """Whether the sampled line is not straight."""
    return bool(np.abs((line[0] + line[-1]) / 2 - line[len(line) // 2]).max() > 1)


def bent(boxes: list[Rect], a: int, b: int, region: Rect) -> Floats:
    """A line from the middle of box a to that of box b that leads round the other boxes, (SAMPLES, 2)."""
    start, end = np.array(boxes[a].centre, float), np.array(boxes[b].centre, float)
    others = np.array([box.grow(2) for r, box in enumerate(boxes) if r not in (a, b)]).reshape(-1, 4)
    across = np.array([start[1] - end[1], end[0] - start[0]])
    t = np.linspace(0, 1, SAMPLES)[:, None]
    best: tuple[int, Floats] | None = None
    for bend in BENDS:
        knee = (start + end) / 2 + across * bend
        line = (1 - t) ** 2 * start + 2 * t * (1 - t) * knee + t**2 * end
        outside = (line < [region.x, region.y]).any() or (line > [region.right - 1, region.bottom - 1]).any()
        hits = int(_within(line, others).sum()) + (1000 if outside else 0)
        if best is None or hits < best[0]:
            best = hits, line
        if hits == 0:
            break
    assert best is not None
    return best[1]


def _within(points: Floats, rects: NDArray[Any]) -> NDArray[np.bool_]:
    """Which points lie in which rectangles, (points, rects)."""
    x, y = points[:, :1], points[:, 1:]
    wide = (x >= rects[:, 0]) & (x < rects[:, 0] + rects[:, 2])
    inside: NDArray[np.bool_] = wide & (y >= rects[:, 1]) & (y < rects[:, 1] + rects[:, 3])
    return inside


def visible(line: Floats, a: Rect, b: Rect) -> tuple[int, int]:
    """First and last sample of a line that lie in neither of its two boxes."""
    free = np.nonzero(~_within(line, np.array([a, b])).any(1))[0]
    return (int(free[0]), int(free[-1])) if len(free) else (SAMPLES // 2, SAMPLES // 2)


def _hits(rects: NDArray[Any], taken: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rectangles touch any taken one (a pixel between them is left free), (rects,)."""
    x, y, w, h = (rects[:, i : i + 1] for i in range(4))
    wide = (x - 1 < taken[:, 0] + taken[:, 2]) & (taken[:, 0] < x + w + 1)
    hits: NDArray[np.bool_] = (wide & (y - 1 < taken[:, 1] + taken[:, 3]) & (taken[:, 1] < y + h + 1)).any(1)
    return hits


def _candidates(
    line: Floats, shown: tuple[int, int], w: int, h: int, region: Rect, taken: NDArray[Any]
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Free rectangles of w x h on and beside a line: the rectangles, their part of the way, their distance from it."""
    first, last = shown
    along = line[first : last + 1]
    way = line[-1] - line[0]
    across = np.array([-way[1], way[0]]) / max(1.0, float(np.hypot(*way)))
    reach = abs(across[0]) * w + abs(across[1]) * h
    shifts = np.array(SHIFTS) * reach
    middles = (along[:, None, :] + shifts[None, :, None] * across).reshape(-1, 2)
    parts = np.repeat(np.linspace(0, 1, len(along)), len(shifts))
    off = np.tile(np.abs(shifts), len(along))
    corner = np.rint(middles - [w / 2, h / 2]).astype(np.int64)
    rects = np.concatenate([corner, np.broadcast_to(np.array([w, h], np.int64), corner.shape)], 1)
    inside = (corner >= [region.x, region.y]).all(1) & (corner + np.array([w, h]) <= [region.right, region.bottom]).all(
        1
    )
    free = inside & ~_hits(rects, taken)
    return rects[free], parts[free], off[free]


def place_label(
    line: Floats, shown: tuple[int, int], size: tuple[int, int], taken: NDArray[Any], others: Floats, region: Rect
) -> Rect | None:
    """Where on its corridor a label covers nothing that is taken, and other corridors as little as may be."""
    rects, parts, off = _candidates(line, shown, *size, region, taken)
    if not len(rects):
        return None
    cost = np.abs(parts - 0.5) * 8 + off
    best = np.argsort(cost, kind="stable")[:40]
    crossed = _within(others[::2], rects[best]).sum(0)
    best = best[(np.minimum(crossed, 5) * 6 + cost[best]).argmin()]
    return Rect(*map(int, rects[best]))


def find_spots(
    line: Floats, shown: tuple[int, int], side: int, taken: NDArray[Any], region: Rect
) -> list[tuple[float, Rect]]:
    """Where on its way a figure can be shown: for each part of the way the free place nearest the line."""
    rects, parts, off = _candidates(line, shown, side, side, region, taken)
    best: dict[float, tuple[float, Rect]] = {}
    for rect, part, distance in zip(rects.tolist(), parts.tolist(), off.tolist(), strict=True):
        if part not in best or distance < best[part][0]:
            best[part] = distance, Rect(*rect)
    return [(part, rect) for part, (_, rect) in sorted(best.items())]


# --- maps without text -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SymbolPlan:
    """A map of flat squares: one per room, and the middles that corridors join."""

    rooms: tuple[Rect, ...]
    ring: int
    """Pixels of each of a square's two rings: border, task; the rest is its core."""


SMALLEST_SQUARE = 5


def plan_symbols(places: Sequence[tuple[float, float]], region: Rect) -> SymbolPlan:
    """The largest squares, at most a seventh of the region's side, with a pixel or two between them."""
    largest = max(SMALLEST_SQUARE, min(region.w, region.h) // 7)
    tries = [(stretched(places), side, 2) for side in range(largest, SMALLEST_SQUARE - 1, -1)]
    tries += [(stretched(places), SMALLEST_SQUARE, 1)]
    tries += [(spread(places), side, 1) for side in range(largest, SMALLEST_SQUARE - 1, -1)]
    for at, side, gap in tries:
        sizes = np.full((len(places), 2), side, np.int64)
        middle = centres(at, region, sizes)
        if apart(middle, sizes + gap):
            break
    rooms = tuple(Rect(int(x) - side // 2, int(y) - side // 2, side, side) for x, y in middle)
    return SymbolPlan(rooms, max(1, side // 5))


# --- people ----------------------------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """Place of one person: the figure, and the space for its name and what is said of it."""

    figure: Rect
    name: Rect
    note: Rect


@lru_cache(maxsize=512)
def plan_people(count: int, area: Rect, size: int, note: int) -> tuple[Cell, ...]:
    """Cells for `count` people in an area, row by row: the arrangement with the largest figures and widest names.

    `size` and `note` are the text sizes of the two lines under each figure.
    """
    text = line_height(size) + line_height(note)
    best: tuple[float, int, int] | None = None
    for columns in range(1, count + 1):
        rows = math.ceil(count / columns)
        w, h = area.w // columns, area.h // rows
        figure = min(h - text - 2, w - 4)
        worth = min(figure / size, 4.5) + 1.2 * min(w / size, 10.0) - 0.05 * rows
        if figure >= size and (best is None or worth > best[0]):
            best = worth, columns, rows
    if best is None:
        columns = math.ceil(math.sqrt(count * area.w / max(1, area.h)))
        best = 0.0, columns, math.ceil(count / columns)
    return tuple(_cells(count, area, size, note, best[1], best[2]))


def _cells(count: int, area: Rect, size: int, note: int, columns: int, rows: int) -> list[Cell]:
    w, h = area.w // columns, area.h // rows
    text = line_height(size) + line_height(note)
    figure = max(4, min(h - text - 2, w - 4, round(4.5 * size)))
    spare = max(0, h - text - figure) // 2
    out = []
    for p in range(count):
        row, column = divmod(p, columns)
        in_row = min(columns, count - row * columns)
        left = area.x + (area.w - in_row * w) // 2 + column * w
        top = area.y + row * h + spare
        name = Rect(left + 2, top + figure, w - 4, line_height(size))
        out.append(
            Cell(
                Rect(left + (w - figure) // 2, top, figure, figure),
                name,
                Rect(left + 2, name.bottom, w - 4, line_height(note)),
            )
        )
    return out


def plan_crowd(count: int, area: Rect, largest: int) -> tuple[Rect, ...]:
    """Squares for `count` figures in an area, row by row, at most `largest` pixels each."""
    side = max(1, min(largest, area.w, area.h))
    while side > 1 and (area.w // (side + 1)) * (area.h // (side + 1)) < count:
        side -= 1
    columns = max(1, area.w // (side + 1))
    rows = math.ceil(count / columns)
    out = []
    for p in range(count):
        row, column = divmod(p, columns)
        in_row = min(columns, count - row * columns)
        left = area.x + (area.w - in_row * (side + 1)) // 2 + column * (side + 1)
        out.append(Rect(left, area.y + (area.h - rows * (side + 1)) // 2 + row * (side + 1), side, side))
    return tuple(out)
