"""The global map with text: the whole layout, and of people nobody but the viewer (paper section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quack_env.game_map import GameMap
from quack_env.render.items import Box, Item, Mark, Path, Rect, Text, Token, around, centred, line
from quack_env.render.layout import MapPlan, RoomPlan, Style, plan_map
from quack_env.render.text import line_height, width
from quack_env.render.theme import (
    CALM,
    EDGE,
    FLOOR,
    INK,
    PAGE,
    PANEL,
    PILL,
    PILL_INK,
    WALL,
    WAY,
    WHITE,
    YOU,
    YOU_FLOOR,
    Colour,
)
from quack_env.view import View

LEGEND = (("you", "you"), ("todo", "your task"), ("done", "done"), ("button", "button"), ("ticks", "ticks"))


def text_size(size: int) -> int:
    """The text size of pictures of `size` pixels."""
    return max(9, size // 44) if size >= 384 else max(7, size // 40)


def map_plan(game_map: GameMap, size: int) -> MapPlan:
    """Where the rooms and corridors lie on a global map of `size` pixels."""
    text = text_size(size)
    bar = bar_height(size)
    pad = max(2, size // 96)
    region = Rect(pad, bar + pad, size - 2 * pad, size - 2 * bar - 2 * pad)
    return plan_map(game_map, region, Style(round(1.15 * text), 6, 3, 1, 1.25, 1.5))


def bar_height(size: int) -> int:
    """Of the status line above and the legend below."""
    return line_height(text_size(size)) + max(4, size // 96)


# --- the layer that all viewers of a map share -----------------------------------------------------------------------


def static_items(game_map: GameMap, size: int) -> Iterator[Item]:
    """Corridors with their ticks, rooms, the button, the legend."""
    plan = map_plan(game_map, size)
    yield from way_items(plan, PAGE, max(2, size // 110))
    button = game_map.rooms.index(game_map.button)
    for r, room in enumerate(plan.rooms):
        yield from room_items(room, plan.text, FLOOR, WALL, max(1, size // 384))
        if r == button:
            yield Mark(slots(plan, r)[2], "button", FLOOR)
    yield from legend_items(size)


def way_items(plan: MapPlan, back: Colour, thick: int) -> Iterator[Item]:
    """The corridors of a plan, then their labels."""
    for way in plan.ways:
        yield Path(way.points, thick, WAY)
    for way in plan.ways:
        yield Box(way.label, PILL, PILL, None, way.label.h // 3)
        yield centred(str(way.ticks), plan.text, way.label, PILL_INK, PILL)


def room_items(room: RoomPlan, size: int, fill: Colour, edge: Colour, thick: int) -> Iterator[Item]:
    """A room's box and name."""
    yield Box(room.box, fill, edge, PAGE, max(2, room.box.h // 8), thick)
    for row, words in enumerate(room.name):
        area = Rect(room.area.x, room.name_top + row * line_height(size), room.area.w, line_height(size))
        yield centred(words, size, area, INK, fill)


def slots(plan: MapPlan, r: int) -> tuple[Rect, Rect, Rect]:
    """The places in a room's box for the viewer, its task and the button."""
    area, side = plan.rooms[r].area, plan.figure
    gap = max(2, min(side // 3, (area.w - 3 * side) // 2))
    left = area.x + (area.w - 3 * side - 2 * gap) // 2
    top = area.y + max(0, (area.h - side) // 2)
    first, second, third = (Rect(left + k * (side + gap), top, side, side) for k in range(3))
    return first, second, third


def legend_items(size: int) -> Iterator[Item]:
    """What the symbols mean, along the lower edge."""
    text, bar = text_size(size), bar_height(size)
    strip = Rect(0, size - bar, size, bar)
    yield Box(strip, PANEL, EDGE, PAGE)
    side = line_height(text) - 2
    wide = [side + 4 + width(words, text) for _, words in LEGEND]
    gap = max(2, (size - 8 - sum(wide)) // len(LEGEND))
    x = 4 + gap // 2
    for (kind, words), w in zip(LEGEND, wide, strict=True):
        place = Rect(x, strip.y + (bar - side) // 2, side, side)
        if kind == "ticks":
            yield Box(place, PILL, PILL, PANEL, side // 3)
            yield centred("2", text, place, PILL_INK, PILL)
        else:
            yield Mark(place, kind, PANEL)
        yield line(words, text, x + side + 4, strip.y + (bar - line_height(text)) // 2, INK, PANEL, size - x)
        x += w + gap


# --- what the viewer adds --------------------------------------------------------------------------------------------


def dynamic_items(
    game_map: GameMap, names: Sequence[str], letters: Sequence[str], task_ticks: int, view: View, size: int
) -> Iterator[Item]:
    """The viewer, its way, its own tasks, in pictures of `size` pixels."""
    plan = map_plan(game_map, size)
    back = CALM
    bar = Rect(0, 0, size, bar_height(size))
    yield Box(bar, back, back, PAGE)
    yield from _status(game_map, names, letters, view, bar)
    own = view.room if view.room >= 0 else view.dest
    if own >= 0:
        fill = YOU_FLOOR if view.room >= 0 else FLOOR
        yield from room_items(plan.rooms[own], plan.text, fill, YOU, max(2, plan.text // 5))
        if game_map.rooms[own] == game_map.button:
            yield Mark(slots(plan, own)[2], "button", fill)
    for room, done in zip(view.task_room, view.progress, strict=True):
        fill = YOU_FLOOR if room == view.room else FLOOR
        yield Mark(slots(plan, room)[1], "done" if done >= task_ticks else "todo", fill)
    if view.room >= 0:
        yield Mark(slots(plan, view.room)[0], "you", YOU_FLOOR)
    elif view.dest >= 0:
        ticks = game_map.weight(game_map.rooms[view.origin], game_map.rooms[view.dest])
        spot = plan.transit(view.origin, view.dest, (ticks - view.left) / ticks)
        yield Box(spot.grow(1), PAGE, PAGE, PAGE)
        yield Mark(spot, "you", PAGE)


def _status(
    game_map: GameMap, names: Sequence[str], letters: Sequence[str], view: View, bar: Rect
) -> Iterator[Text | Token]:
    """Where the viewer is, in words."""
    size = text_size(bar.w)
    side = bar.h - 4
    yield Token(around((3 + side // 2, bar.centre[1]), side, side), view.me, letters[view.me], CALM)
    if view.room >= 0:
        words = f"{names[view.me]} (you): in {game_map.rooms[view.room]}"
    elif view.dest >= 0:
        origin, dest = game_map.rooms[view.origin], game_map.rooms[view.dest]
        left = f"{view.left} tick{'' if view.left == 1 else 's'} left"
        words = f"{names[view.me]} (you): {origin} to {dest}, {left}"
    else:
        words = f"{names[view.me]} (you): dead"
    x = side + 10
    y = bar.y + (bar.h - line_height(size)) // 2
    yield line(words, size, x, y, WHITE, CALM, bar.w - x - 4, keep_end=True)
