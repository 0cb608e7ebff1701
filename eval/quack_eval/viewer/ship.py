"""The ship as it is drawn on a page: rooms and corridors laid out once wide, once for narrow screens, JSON-ready."""

from __future__ import annotations

from typing import Any

from quack_env import GameMap
from quack_env.render.items import Rect
from quack_env.render.layout import MapPlan, Style, plan_map
from quack_env.render.text import line_height
from quack_env.render.theme import SEATS, SHAPES

WIDE, NARROW = (960, 560), (380, 500)
"""Width and height of the two drawings, in the unit of the text sizes."""


def ship_data(game_map: GameMap) -> dict[str, Any]:
    """Names of rooms, the button, and both layouts."""
    return {
        "rooms": list(game_map.rooms),
        "tasks": dict(game_map.tasks),
        "button": game_map.button,
        "wide": _layout(game_map, WIDE, Style(19, 9, 4, 2, 1.6, 1.5)),
        "narrow": _layout(game_map, NARROW, Style(13, 11, 3, 2, 1.6, 1.4)),
    }


def _layout(game_map: GameMap, size: tuple[int, int], style: Style) -> dict[str, Any]:
    plan = plan_map(game_map, Rect(4, 4, size[0] - 8, size[1] - 8), style)
    return {"size": size, "text": plan.text, "figure": plan.figure, "rooms": _rooms(plan), "ways": _ways(plan)}


def _rooms(plan: MapPlan) -> list[dict[str, Any]]:
    """Box, lines of the name with their baselines, and the area for people."""
    high = line_height(plan.text)
    return [
        {
            "box": room.box,
            "name": room.name,
            "baselines": [room.name_top + k * high + round(1.02 * plan.text) for k in range(len(room.name))],
            "area": room.area,
        }
        for room in plan.rooms
    ]


def _ways(plan: MapPlan) -> list[dict[str, Any]]:
    return [
        {"a": way.a, "b": way.b, "ticks": way.ticks, "points": way.points, "label": way.label, "shown": way.shown}
        for way in plan.ways
    ]


def figures() -> dict[str, Any]:
    """Colour and shape of every seat's figure, the same as in images and films."""
    return {"colours": ["#{:02x}{:02x}{:02x}".format(*colour) for colour in SEATS], "shapes": SHAPES}
