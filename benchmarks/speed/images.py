"""CPU time of drawing: `python benchmarks/speed/images.py` prints a table; `--json` prints it as JSON.

The images are those of real views of random games, each drawn once, so that new words have to be drawn anew as in a
game; what is fixed on a map has been drawn before. Times are CPU time of this process, medians over the views.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

if __package__ in (None, ""):  # run as a script from a checkout
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from quack_env.config import GameConfig
from quack_env.encode.image import ImageEncoder, to_png
from quack_env.game import Game
from quack_env.game_map import GameMap
from quack_env.render.scene import Camera, Scene
from quack_env.render.spectator import between, film, frame
from quack_env.render.video import SIZE, write_video
from quack_env.state import DISCUSSION, FREE
from quack_env.view import View

SPEECHES = (
    "I was in medbay from tick 3 on, then I went to storage; I saw nobody on the way.",
    "Where was the body?",
    "I think that it was Bob: he left electrical right before I came in, and he did not answer me.",
)


class Row(NamedTuple):
    """One measurement: milliseconds of CPU time at the median and at the 95th percentile, and the aim."""

    name: str
    median: float
    high: float
    aim: float


def play(
    n_players: int, game_map: str, seed: int, config: GameConfig | None = None
) -> tuple[list[tuple[ImageEncoder, View]], list[Scene]]:
    """The views and scenes of a random game with free text."""
    usual = GameConfig(n_players=n_players, n_ducks=max(1, n_players // 5), max_ticks=120, kill_cooldown=8)
    game = Game(config or usual, GameMap.load(game_map), "text")
    game.deal(seed)
    chance, camera = random.Random(seed), Camera(game)
    views: list[tuple[ImageEncoder, View]] = []
    scenes: list[Scene] = []
    while not game.over:
        state = game.state
        views.append((ImageEncoder(game.briefing), game.view(state.current)))
        legal = [a for a, allowed in enumerate(game.mask(state.current)) if allowed]
        talks = state.phase in (FREE, DISCUSSION) and chance.random() < (1.0 if state.phase == DISCUSSION else 0.2)
        say = f"{chance.choice(SPEECHES)} ({chance.randrange(1000)})" if talks else None
        game.drop_log()
        game.show(state.current)
        game.act(chance.choice(legal), say)
        game.advance()
        camera.see(state.log, game.texts)
        scenes += camera.shots()
    return views, scenes


def clock(name: str, aim: float, work: Iterable[Callable[[], Any]]) -> Row:
    """Each piece of work once."""
    times = []
    for one in work:
        start = time.process_time_ns()
        one()
        times.append((time.process_time_ns() - start) / 1e6)
    return Row(name, statistics.median(times), sorted(times)[int(0.95 * (len(times) - 1))], aim)


def pair(encoder: ImageEncoder, view: View) -> Callable[[], Any]:
    """Drawing both images."""
    return lambda: (encoder.global_map(view), encoder.local_view(view))


def measure(count: int) -> list[Row]:
    """All measurements, over `count` views and scenes each."""
    rows = []
    games = [play(6, "ship", 1), play(6, "ship", 2), play(16, "large", 3), play(9, "small", 4)]
    views = [view for found, _ in games for view in found]
    random.Random(0).shuffle(views)
    for size, aim in ((64, 0.4), (128, 0.4), (384, 6.0), (768, 6.0), (1024, 6.0)):
        sized = [(ImageEncoder(encoder.briefing, size), view) for encoder, view in views[:count]]
        for encoder, view in sized[:20]:
            pair(encoder, view)()
        rows.append(clock(f"image pair, {size} px", aim, (pair(e, v) for e, v in sized)))
    pictures = [image for e, v in sized_pairs(views[: count // 4], 768) for image in (e.global_map(v), e.local_view(v))]
    rows.append(clock("PNG, 768 px", 12.0, (partial(to_png, image) for image in pictures)))
    sizes = [len(to_png(image)) for image in pictures]
    print(f"PNG of 768 px: {statistics.median(sizes) / 1000:.0f} kB at the median", file=sys.stderr)
    scenes = [scene for _, found in games for scene in found]
    picked = scenes[:: max(1, len(scenes) // count)]
    for scene in picked[::20]:
        frame(scene)
    rows.append(clock("spectator frame, 1280 x 800", 15.0, (partial(frame, scene) for scene in picked)))
    steps = list(pairwise(scenes))[:: max(1, len(scenes) // count)]
    rows.append(clock("spectator frame between two", 15.0, (partial(between, a, b, 0.5) for a, b in steps)))
    return rows


def film_seconds(folder: str) -> tuple[int, float, float]:
    """Ticks, CPU seconds (the encoder's included) and wall seconds of a whole long game as an MP4 file."""
    config = GameConfig(kill_cooldown=1000, max_ticks=200, n_tasks=9, task_ticks=100)
    scenes = play(6, "ship", 1, config)[1]
    ends = [b for a, b in pairwise(scenes) if a.tick != b.tick or b.meeting is not None]
    before, start = os.times(), time.perf_counter()
    write_video(film([scenes[0], *ends], SIZE), Path(folder) / "film.mp4")
    after, wall = os.times(), time.perf_counter() - start
    return ends[-1].tick, sum(after[:4]) - sum(before[:4]), wall


def sized_pairs(views: list[tuple[ImageEncoder, View]], size: int) -> list[tuple[ImageEncoder, View]]:
    """The same views at another size."""
    return [(ImageEncoder(encoder.briefing, size), view) for encoder, view in views]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=400, help="views and scenes per measurement")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--video", action="store_true", help="also write a game of 200 ticks as MP4 (needs imageio-ffmpeg)"
    )
    options = parser.parse_args()
    rows = measure(options.count)
    if options.json:
        print(json.dumps({row.name: row._asdict() for row in rows}, indent=1))
        return
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    print(f"{'':32} {'median ms':>10} {'95 % ms':>10} {'aim ms':>8}")
    for row in rows:
        print(f"{row.name:32} {row.median:10.3f} {row.high:10.3f} {row.aim:8.1f}")
    if options.video:
        with tempfile.TemporaryDirectory() as folder:
            ticks, cpu, wall = film_seconds(folder)
        print(f"a game of {ticks} ticks as MP4: {cpu:.1f} s of CPU time, {wall:.1f} s on the clock (aim: 20 s)")


if __name__ == "__main__":
    main()
