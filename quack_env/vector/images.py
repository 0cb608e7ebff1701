"""The images of a batch: drawn in Python one by one, from the views that all other forms have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quack_env.base import IMAGES
from quack_env.briefing import Briefing
from quack_env.config import GameConfig
from quack_env.encode.image import TEXT_FROM, ImageEncoder
from quack_env.errors import ConfigError
from quack_env.game_map import GameMap
from quack_env.state import State
from quack_env.view import View, look
from quack_env.world import World

Images = dict[str, NDArray[np.uint8]]


class BatchImages:
    """Both images of what a batch observes, in buffers that the next drawing overwrites.

    ``now`` is uint8 (B, S, S, 3) in the turn form, else (B, n, S, S, 3), zeros for the dead; ``final`` (B, n, S, S, 3)
    has the ends of the games that have just ended.

    Raises:
        ConfigError: where `image_size` cannot be, or where the images would have words, which a batch does not keep.
    """

    def __init__(
        self, config: GameConfig, game_map: GameMap, world: World, games: int, form: str, image_size: Any
    ) -> None:
        self.encoder = ImageEncoder(Briefing(config, game_map, world, 0), image_size)  # images without words: any names
        sizes = dict(zip(IMAGES, self.encoder.sizes, strict=True))
        if max(sizes.values()) >= TEXT_FROM:
            raise ConfigError(f"image_size={image_size!r}: must be below {TEXT_FROM} in a batch, which keeps no words")
        self.world = world
        self.is_turn = form == "turn"
        lead = (games,) if self.is_turn else (games, world.n)
        self.now: Images = {name: np.zeros((*lead, s, s, 3), np.uint8) for name, s in sizes.items()}
        self.final: Images = {name: np.zeros((games, world.n, s, s, 3), np.uint8) for name, s in sizes.items()}

    def draw(self, engine: Any, batch: Any) -> None:
        """Draw what is observed after a step of the engine."""
        state = State(self.world)
        for g in range(len(batch.done)):
            if batch.done[g]:
                state.load(engine.state_dict(g, ended=True))
                self._draw_seats(state, self.final, g)
            state.load(engine.state_dict(g))
            if self.is_turn:
                self._draw(state, int(batch.actor[g]), self.now, g)
            else:
                self._draw_seats(state, self.now, g)

    def _draw_seats(self, state: State, out: Images, g: int) -> None:
        """What every seat sees, into place g."""
        for i in range(self.world.n):
            self._draw(state, i, out, (g, i))

    def _draw(self, state: State, i: int, out: Images, place: Any) -> None:
        """What seat i sees, into a place; black for the dead."""
        alive = state.alive >> i & 1
        if alive:
            view = View()
            view.speaking, view.said, view.events = [], [], []
            look(self.world, state, i, view)
        for name, images in out.items():
            images[place] = getattr(self.encoder, name)(view) if alive else 0
