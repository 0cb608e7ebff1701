"""The spectator's view of live environments and of recorded games."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quack_env
from quack_env.render.stage import scenes
from quack_env.render.text import legible


def play_to_the_end(env: Any, rng: np.random.Generator) -> None:
    """Random legal play."""
    for _ in env.agent_iter():
        observation, _, termination, _, _ = env.last()
        legal = observation["action_mask"].nonzero()[0]
        env.step(None if termination else int(rng.choice(legal)))


def test_rgb_array_has_the_shape_of_an_image_and_changes_after_a_move() -> None:
    env = quack_env.env(render_mode="rgb_array", observation="vector")
    env.reset(seed=1)
    before = env.render()
    mask = env.last()[0]["action_mask"]
    env.step(int(mask[1:11].nonzero()[0][0]) + 1)
    after = env.render()
    assert before.dtype == np.uint8 and before.ndim == 3 and before.shape[2] == 3
    assert before.shape == after.shape and not np.array_equal(before, after)
    assert before.min() < before.max()


def test_without_a_render_mode_nothing_is_drawn() -> None:
    env = quack_env.env(observation="vector")
    env.reset(seed=1)
    assert env.render() is None


def test_a_window_without_a_display_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(quack_env.QuackError, match="needs a display"):
        quack_env.env(render_mode="human")


def test_the_parallel_form_is_drawn_too() -> None:
    env = quack_env.parallel_env(render_mode="rgb_array", observation="vector")
    env.reset(seed=1)
    before = env.render()
    for _ in range(3):
        env.step(dict.fromkeys(env.agents, 0))
    assert not np.array_equal(before, env.render())


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_drawn_environment_can_be_copied_in_mid_game(clone: Any) -> None:
    env = quack_env.raw_env(render_mode="rgb_array")
    env.reset(seed=2)
    env.last()
    env.step(0)
    twin = clone(env)
    assert np.array_equal(env.render(), twin.render())
    for each in (env, twin):
        each.step(0)
    assert np.array_equal(env.render(), twin.render())


def test_a_recorded_and_an_unrecorded_game_look_alike() -> None:
    pictures = []
    for wrap in (lambda env: env, None):
        env = quack_env.env(render_mode="rgb_array", observation="vector", max_ticks=12)
        if wrap is None:
            env.unwrapped.game.recording = True
        env.reset(seed=3)
        rng = np.random.default_rng(1)
        frames = []
        for _ in env.agent_iter():
            observation, _, termination, _, _ = env.last()
            env.step(None if termination else int(rng.choice(observation["action_mask"].nonzero()[0])))
            frames.append(env.render())
        pictures.append(frames)
    assert all(np.array_equal(a, b) for a, b in zip(*pictures, strict=True))


def test_scenes_of_a_recording_go_tick_by_tick_to_the_recorded_end(tmp_path: Path) -> None:
    env = quack_env.RecordTrajectory(quack_env.env(observation="vector", max_ticks=25), tmp_path / "game")
    env.reset(seed=4)
    play_to_the_end(env, np.random.default_rng(2))
    env.close()
    trajectory = quack_env.GameRecord.load(tmp_path / "game")
    shown = list(scenes(trajectory))
    assert trajectory.outcome is not None
    assert shown[-1].outcome == f"{trajectory.outcome.winner} win: {trajectory.outcome.reason}"
    ticks = [scene.tick for scene in shown]
    assert ticks == sorted(ticks)
    assert set(range(1, trajectory.events[-1].tick + 1)) <= set(ticks)
    speeches = sum(event.kind == "statement" for event in trajectory.events)
    assert sum(scene.phase == "discussion" for scene in shown) >= speeches > 0


def test_arrows_of_routes_are_spelt_where_the_font_lacks_them() -> None:
    assert legible("medbay → storage") in ("medbay → storage", "medbay -> storage")
    assert "?" not in legible("a → b ⇒ c")
