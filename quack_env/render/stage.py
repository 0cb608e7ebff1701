"""The spectator view of a live environment (`render_mode`) and of a recorded game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from quack_env.game import Game
from quack_env.render.scene import Camera, Scene
from quack_env.render.spectator import frame
from quack_env.render.window import Window
from quack_env.replay import Replay
from quack_env.state import FREE
from quack_env.trajectory import GameRecord


class Stage:
    """Follows the game of an environment; in mode "human" every decision is shown in a window.

    Raises:
        QuackError: in mode "human" where there is no display.
    """

    def __init__(self, render_mode: str) -> None:
        self.window = Window() if render_mode == "human" else None

    def begin(self, game: Game) -> None:
        """A new game has been dealt, or loaded."""
        self.camera = Camera(game)
        self._log: list[int] | None = None
        self._seen = 0
        self.follow()

    def follow(self) -> None:
        """Take in what has happened since the last call."""
        game = self.camera.game
        log = game.state.log
        start = self._seen if game.recording and log is self._log else 0
        self.camera.see(log[start:], {place - start: text for place, text in game.texts.items()})
        self._log, self._seen = log, len(log)
        if self.window is not None:
            for scene in self.camera.shots():
                self.window.show(scene)

    def frame(self) -> NDArray[np.uint8]:
        """What is now as a picture, uint8 (H, W, 3)."""
        return frame(self.camera.scene())

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.window is not None:
            self.window.close()


def scenes(record: GameRecord) -> Iterator[Scene]:
    """The scenes of a recorded game: one at the end of every tick, and at every speech and vote.

    Raises:
        TrajectoryError: where the recording is none that the rules can have made.
    """
    replay = Replay(record)
    camera = Camera(replay.game)
    camera.see(*replay.packed)
    yield from camera.shots()
    tick = replay.game.state.tick
    for _ in replay:
        camera.see(*replay.packed)
        state = replay.game.state
        if state.tick != tick or state.phase != FREE:
            tick = state.tick
            yield from camera.shots()
