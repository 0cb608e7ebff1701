"""The spectator view: what a scene holds, that people walk and do not jump, videos, the window."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest

from quack_env.errors import QuackError
from quack_env.game import Game
from quack_env.render import video
from quack_env.render.layout import MapPlan
from quack_env.render.scene import SKIP, Camera, Place, Scene, scene_of
from quack_env.render.spectator import SIZE, between, crossfade, film, frame, parts_of, people_places, ship_plan
from quack_env.render.video import write_video
from quack_env.render.window import Window
from quack_env.state import FREE

from .situations import deal, step

SMALL = (640, 400)


def record(game: Game, seed: int = 0, most: int = 3000) -> list[Scene]:
    """The scenes of a random game: each tick, each decision of a meeting, each outcome of a vote."""
    camera = Camera(game)
    camera.see(game.state.log, game.texts)
    scenes = camera.shots()
    chance = random.Random(seed)
    for _ in range(most):
        if game.over:
            break
        tick, phase = game.state.tick, game.state.phase
        step(game, chance)
        camera.see(game.state.log, game.texts)
        shots = camera.shots()
        if game.state.tick != tick or phase != FREE or game.state.phase != FREE:
            scenes += shots
    return scenes


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    found: list[Scene] = []
    for seed in range(4):
        found += record(deal("ship", seed, n_players=9, n_ducks=2, kill_cooldown=2, meeting_calls=2), seed)
    return found


def test_frames_are_pictures_of_their_size(scenes: list[Scene]) -> None:
    for scene in scenes[::17]:
        for size in (SIZE, SMALL, (801, 533)):
            image = frame(scene, size)
            assert image.shape == (size[1], size[0], 3)
            assert image.dtype == np.uint8 and image.flags.writeable
            assert (image == frame(scene, size)).all()
            assert len(np.unique(image)) > 20


def test_a_move_changes_the_picture(scenes: list[Scene]) -> None:
    for before, after in pairwise(scenes):
        if before != after:
            assert (frame(before, SMALL) != frame(after, SMALL)).any()


def test_sizes_too_small_are_refused(scenes: list[Scene]) -> None:
    with pytest.raises(ValueError, match="size"):
        frame(scenes[0], (100, 100))


def test_a_scene_is_the_state(scenes: list[Scene]) -> None:
    game = deal("ship", 5, n_players=9, n_ducks=2, kill_cooldown=2)
    chance = random.Random(5)
    meetings = 0
    while not game.over:
        scene = scene_of(game)
        state = game.state
        assert (scene.tick, scene.phase, scene.leg) == (state.tick, game.phase, state.meeting)
        for i, actor in enumerate(scene.actors):
            assert actor.alive == bool(state.alive >> i & 1)
            assert actor.duck == bool(state.ducks >> i & 1)
            assert actor.cooldown == (state.cooldown[i] if actor.duck else -1)
            assert actor.body == state.body_room[i]
            if actor.place is not None and actor.place.dest < 0:
                assert actor.place.room == state.room[i]
            elif actor.place is not None:
                ticks = game.world.weight[state.origin[i] * game.world.R + state.dest[i]]
                assert actor.place == Place(state.origin[i], state.dest[i], (ticks - state.left[i]) / ticks)
            else:
                assert not actor.alive
        if scene.meeting is not None:
            meetings += 1
            assert scene.meeting.caller == state.caller
            assert scene.meeting.speaking == tuple(state.speaking[: state.speakers])
            assert len(scene.meeting.transcript) == len([m for m in game.transcript if m.meeting == state.meeting - 1])
        step(game, chance)
    assert meetings
    assert scene_of(game).outcome


def test_every_vote_ends_in_a_scene_with_all_votes_and_the_result(scenes: list[Scene]) -> None:
    verdicts = [scene for scene in scenes if scene.meeting is not None and scene.meeting.result]
    assert verdicts
    for scene in verdicts:
        assert scene.meeting is not None
        assert set(scene.meeting.votes) == set(scene.meeting.speaking)
        assert all(vote == SKIP or vote in scene.meeting.speaking for vote in scene.meeting.votes.values())
        assert "ejected" in scene.meeting.result
        assert frame(scene, SMALL).any()
    called = {(scene.leg, scene.actors[0].name) for scene in scenes if scene.meeting is not None}
    assert len(verdicts) >= len(called) - 4  # a game may end within a meeting


def test_last_actions_and_events_are_told(scenes: list[Scene]) -> None:
    actions = {actor.action.split()[0] for scene in scenes for actor in scene.actors if actor.action}
    assert {"left", "came", "waited", "worked", "killed", "voted"} <= actions
    assert all(len(scene.feed) <= 14 for scene in scenes)
    told = {row.words for scene in scenes for row in scene.feed}
    assert any(" killed " in words for words in told) and any("left to" in words for words in told)


# Nobody jumps


def jumps(before: Scene, after: Scene, plan: MapPlan, steps: int) -> float:
    """The longest way, in pixels, that a figure goes from one picture to the next."""
    longest = 0.0
    places = [people_places(before, after, k / steps, plan) for k in range(steps + 1)]
    for one, other in pairwise(places):
        for seat, (place, shown) in other.items():
            if seat in one and shown == one[seat][1] == 1.0:
                (x0, y0), (x1, y1) = one[seat][0].centre, place.centre
                longest = max(longest, float(np.hypot(x1 - x0, y1 - y0)))
    return longest


@pytest.mark.parametrize("preset", [{}, {"instant_hops": True}])
def test_people_walk_along_corridors(preset: dict[str, Any]) -> None:
    walked = 0
    for game_map in ("ship", "small", "large"):
        scenes = record(deal(game_map, 2, n_players=9, n_ducks=2, kill_cooldown=2, **preset), 2)
        plan = ship_plan(scenes[0].game_map, parts_of(SIZE))
        for before, after in pairwise(scenes):
            if before.meeting is None and after.meeting is None and before.leg == after.leg:
                assert jumps(before, after, plan, 40) < 40, (before.tick, after.tick)
                alive = [a for b, a in zip(before.actors, after.actors, strict=True) if a.place and b.place]
                shown = people_places(before, after, 0.5, plan)
                assert all(shown[a.seat][1] == 1.0 for a in alive)  # nobody fades while people are on their feet
                walked += sum(b.place != a.place for b, a in zip(before.actors, after.actors, strict=True))
    assert walked > 100


def test_between_begins_and_ends_with_the_scenes(scenes: list[Scene]) -> None:
    for before, after in list(pairwise(scenes))[::23]:
        assert (between(before, after, 1.0, SMALL) == frame(after, SMALL)).all()
        assert between(before, after, 0.5, SMALL).shape == (SMALL[1], SMALL[0], 3)


def test_meetings_and_respawns_fade(scenes: list[Scene]) -> None:
    faded = 0
    for before, after in pairwise(scenes):
        if (before.meeting is None) != (after.meeting is None) and before.leg + 1 >= after.leg >= before.leg:
            middle = between(before, after, 0.5, SMALL)
            expected = crossfade(frame(before, SMALL), frame(after, SMALL), 0.5)
            assert (middle == expected).all()
            faded += 1
    assert faded > 4
    legs = [s for s in scenes if s.meeting is None]
    for before, after in pairwise(legs):  # scenes of a replay that leaves the meetings out
        if before.leg + 1 == after.leg:
            expected = crossfade(frame(before, SMALL), frame(after, SMALL), 0.5)
            assert (between(before, after, 0.5, SMALL) == expected).all()


def test_a_film_has_all_steps(scenes: list[Scene]) -> None:
    few = scenes[:5]
    assert all(scene.meeting is None for scene in few)
    assert sum(1 for _ in film(few, SMALL, steps=3)) == 1 + 4 * 3


# Videos


def test_video_without_its_encoder_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(QuackError, match=r'pip install -e "\.\[video\]"'):
        write_video([], tmp_path / "out.mp4")


def test_video_is_written_with_progress(scenes: list[Scene], tmp_path: Path) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path, counts = tmp_path / "out.mp4", list[int]()
    total = write_video(film(scenes[:4], (641, 401), steps=2), path, progress=counts.append)
    assert counts == list(range(1, total + 1)) and total == 7
    frames, _ = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert frames == total
    meta = next(imageio_ffmpeg.read_frames(str(path)))
    assert meta["size"] == (640, 400) and meta["fps"] == video.FPS


def test_video_faults_are_named(scenes: list[Scene], tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    with pytest.raises(QuackError, match="no folder"):
        write_video([frame(scenes[0], SMALL)], tmp_path / "nowhere" / "out.mp4")
    with pytest.raises(QuackError, match="no frames"):
        write_video([], tmp_path / "out.mp4")
    with pytest.raises(QuackError, match="frame 1 is"):
        write_video([frame(scenes[0], SMALL), frame(scenes[0], SIZE)], tmp_path / "out.mp4")


# The window


def press(*keys: int, after: float = 0.0) -> None:
    """Post key presses, now or so many seconds later from another thread."""

    def post() -> None:
        if pygame.display.get_init():
            for key in keys:
                pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))

    if after:
        threading.Timer(after, post).start()
    else:
        post()


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    made = Window(SMALL, fps=2000, steps=2)
    yield made
    made.close()


def test_a_running_window_goes_on_by_itself(window: Window, scenes: Sequence[Scene]) -> None:
    for scene in scenes[:6]:
        window.show(scene)
    shown = pygame.image.tobytes(window._surface, "RGB")
    assert shown == frame(scenes[5], SMALL).tobytes()


def test_keys_step_and_run(window: Window, scenes: Sequence[Scene]) -> None:
    for scene in scenes[:4]:
        window.show(scene)
    press(pygame.K_LEFT, pygame.K_LEFT)
    window._key()
    assert not window.running and window._at == 1
    press(pygame.K_RIGHT, after=0.2)
    window.show(scenes[4])  # goes there, and waits until it has been stepped beyond
    assert window._at == 4 and not window.running
    press(pygame.K_SPACE, after=0.1)
    window.show(scenes[5])
    assert window.running


def test_a_game_plays_until_the_window_is_closed(window: Window, scenes: Sequence[Scene]) -> None:
    press(pygame.K_ESCAPE, after=0.5)
    window.play(scenes[:5])
    assert window.closed
    window.show(scenes[0])  # nothing happens any more


def test_no_display_is_a_clear_error() -> None:
    root = Path(__file__).parents[2]
    code = "from quack_env.render.window import Window; Window()"
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    env = {k: v for k, v in os.environ.items() if k not in hidden} | {"PYTHONPATH": str(root)}
    if not sys.platform.startswith("linux"):
        pytest.skip("a display is always there")
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd=root, capture_output=True, text=True)
    assert done.returncode
    assert 'QuackError: render_mode="human" needs a display' in done.stderr
    assert "XDG_RUNTIME_DIR" not in done.stderr  # what SDL says of every display that it looks for


def test_drawing_frames_opens_no_display() -> None:
    root = Path(__file__).parents[2]
    code = (
        "import pygame; from tests.render.situations import deal; "
        "from quack_env.render.spectator import frame, scene_of; image = frame(scene_of(deal())); "
        "print(pygame.display.get_init(), image.shape, int(image.max()))"
    )
    env = {k: v for k, v in os.environ.items() if k != "SDL_VIDEODRIVER"} | {"PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "False (800, 1280, 3) 255"
