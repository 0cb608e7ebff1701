"""A window for people: the scenes of a game, one step at a time or running."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pygame
from numpy.typing import NDArray

from quack_env.errors import QuackError
from quack_env.render.draw import canvas
from quack_env.render.scene import Scene
from quack_env.render.spectator import SIZE, between, frame

TITLE = "QUACK - right/left: step, space: run or pause, Esc: close"
NO_SCREEN = ("dummy", "offscreen")
"""Video drivers that show nothing; SDL falls back to one of them where there is no display."""
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Variables that name a display on Linux; where neither is set there is none."""


class Window:
    """Shows scenes. Right and left step, space runs or pauses, Esc or the close button closes.

    Args:
        size: width and height in pixels.
        fps: frames per second.
        steps: frames from one scene to the next.
        running: whether it begins running; otherwise it begins paused, and waits for a key after the first scene.

    Raises:
        QuackError: where there is no display (unless SDL_VIDEODRIVER asks for a driver without one).
    """

    def __init__(self, size: tuple[int, int] = SIZE, fps: int = 12, steps: int = 4, running: bool = True) -> None:
        self.size = size
        self.steps = steps
        self.running = running
        self.closed = False
        self._fps = fps
        self._scenes: list[Scene] = []
        self._at = -1
        self._surface = _open(size)
        self._clock = pygame.time.Clock()

    def show(self, scene: Scene) -> None:
        """Go on to a new scene; while paused, return only when the person steps beyond it or lets it run.

        After the window was closed, nothing happens.
        """
        if self.closed:
            return
        self._scenes.append(scene)
        self._go(len(self._scenes) - 1)
        while not self.closed and not self.running:
            if self._key() == pygame.K_RIGHT:
                if self._at == len(self._scenes) - 1:
                    return
                self._go(self._at + 1)
        if not self.closed and self._at < len(self._scenes) - 1:
            self._go(len(self._scenes) - 1)

    def play(self, scenes: Sequence[Scene]) -> None:
        """Show a whole game until the window is closed; it may be stepped through in both directions."""
        self._scenes = list(scenes)
        if self._scenes:
            self._go(0)
        while not self.closed and self._scenes:
            key = self._key()
            last = len(self._scenes) - 1
            if key == pygame.K_RIGHT or self.running:
                if self._at < last:
                    self._go(self._at + 1)
                else:
                    self.running = False

    def close(self) -> None:
        """Close the window, if it is open."""
        if not self.closed:
            self.closed = True
            pygame.display.quit()

    def _go(self, to: int) -> None:
        """Move from the scene that is shown to another one."""
        if 0 <= self._at == to - 1:
            before, after = self._scenes[self._at], self._scenes[to]
            for k in range(1, self.steps):
                self._draw(between(before, after, k / self.steps, self.size))
                self._key()
                if self.closed:
                    return
        self._at = to
        self._draw(frame(self._scenes[to], self.size))

    def _draw(self, image: NDArray[np.uint8]) -> None:
        self._surface.blit(canvas(image), (0, 0))
        pygame.display.flip()
        self._clock.tick(self._fps)

    def _key(self) -> int:
        """The step key pressed since the last call, or 0; the other keys are obeyed at once."""
        if not self.running:
            self._clock.tick(30)
        pressed = 0
        for event in pygame.event.get():
            if event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
                self.close()
                return 0
            if event.type == pygame.KEYDOWN:
                pressed = self._obey(event.key) or pressed
        return pressed

    def _obey(self, key: int) -> int:
        if key == pygame.K_SPACE:
            self.running = not self.running
        elif key == pygame.K_LEFT:
            self.running = False
            if self._at > 0:
                self._at -= 1
                self._draw(frame(self._scenes[self._at], self.size))
        elif key == pygame.K_RIGHT:
            self.running = False
            return key
        return 0


def _open(size: tuple[int, int]) -> Any:
    """The surface of a new window.

    Raises:
        QuackError: where there is no display.
    """
    driver = os.environ.get("SDL_VIDEODRIVER")
    try:
        if sys.platform.startswith("linux") and not (driver or any(map(os.environ.get, DISPLAYS))):
            raise pygame.error("no display was found")  # SDL would complain of what it tries, each on a line of its own
        pygame.display.init()
        if pygame.display.get_driver() in NO_SCREEN and not driver:
            raise pygame.error("no display was found")
        surface = pygame.display.set_mode(size)
    except pygame.error as fault:
        pygame.display.quit()
        hint = "set DISPLAY, or " if sys.platform.startswith("linux") else ""
        raise QuackError(f'render_mode="human" needs a display ({fault}); {hint}use render_mode="rgb_array"') from None
    pygame.display.set_caption(TITLE)
    return surface
