"""A view as two images: `ImageEncoder`, drawn from a `View` and the public facts alone, so that a leak is a type error.

The global map has the whole layout, the viewer's own place and its own task rooms; the local view has who and what the
viewer perceives now, and what it witnessed since its last decision. Pictures below TEXT_FROM pixels are flat colours
and symbols for networks; from there on they carry text for models that read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quack_env.briefing import Briefing
from quack_env.encode.sizes import LARGEST, SMALLEST, TEXT_FROM, image_sizes
from quack_env.game_map import GameMap
from quack_env.render import theme
from quack_env.render.draw import blank, draw_lines, fill, paint
from quack_env.render.global_map import dynamic_items, static_items
from quack_env.render.layers import layers
from quack_env.render.layout import key_of
from quack_env.render.local_view import Public, local_items
from quack_env.render.png import data_uri, to_png
from quack_env.render.symbols import local_fills, map_fills, own_fills, places_of, symbol_plan, way_lines
from quack_env.render.text import initial, shown_name
from quack_env.view import View

__all__ = ["LARGEST", "SMALLEST", "TEXT_FROM", "ImageEncoder", "data_uri", "image_sizes", "map_picture", "to_png"]

Image = NDArray[np.uint8]


class ImageEncoder:
    """The two images of one game's views.

    Args:
        briefing: the public facts of the game.
        image_size: pixels of both images, or of (global map, local view).

    Raises:
        ConfigError: where `image_size` cannot be.
    """

    def __init__(self, briefing: Briefing, image_size: int | tuple[int, int] = SMALLEST) -> None:
        self.briefing = briefing
        self.sizes = image_sizes(image_size)
        names = briefing.names
        self.public = Public(
            briefing.game_map,
            briefing.config,
            tuple(shown_name(name, seat) for seat, name in enumerate(names)),
            tuple(initial(name, seat) for seat, name in enumerate(names)),
            briefing.listing,
        )
        self._layer: Image | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return ImageEncoder, (self.briefing, self.sizes)

    def global_map(self, view: View) -> Image:
        """The layout with the viewer's own place and task rooms: a fresh uint8 (S, S, 3)."""
        size = self.sizes[0]
        game_map, task_ticks = self.public.game_map, self.public.config.task_ticks
        if self._layer is None:
            self._layer = _map_layer(game_map, size)
        image = self._layer.copy()
        if size >= TEXT_FROM:
            names, letters = self.public.names, self.public.letters
            return paint(image, dynamic_items(game_map, names, letters, task_ticks, view, size))
        plan = symbol_plan(places_of(game_map), size)
        return fill(image, own_fills(game_map, plan, task_ticks, view, size))

    def local_view(self, view: View) -> Image:
        """What the viewer perceives, and what it witnessed since its last decision: a fresh uint8 (S, S, 3)."""
        size = self.sizes[1]
        if size >= TEXT_FROM:
            return paint(blank(size, size, theme.PAGE), local_items(self.public, view, size))
        fills = local_fills(self.public.game_map, self.public.config, view, size)
        return fill(blank(size, size, theme.NIGHT), fills)


def map_picture(game_map: GameMap, size: int) -> Image:
    """The empty map: a fresh uint8 (S, S, 3).

    Raises:
        ConfigError: where ``size`` cannot be.
    """
    return _map_layer(game_map, image_sizes(size)[0]).copy()


def _map_layer(game_map: GameMap, size: int) -> Image:
    """The layer of a map at a size, shared by all encoders of the process."""
    return layers.get((key_of(game_map), size), lambda: _draw_map(game_map, size))


def _draw_map(game_map: GameMap, size: int) -> Image:
    if size >= TEXT_FROM:
        return paint(blank(size, size, theme.PAGE), static_items(game_map, size))
    plan = symbol_plan(places_of(game_map), size)
    image = draw_lines(blank(size, size, theme.NIGHT), way_lines(game_map, plan, size))
    return fill(image, map_fills(game_map, plan))
