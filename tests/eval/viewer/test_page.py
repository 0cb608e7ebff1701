"""Pages as files: what is in them, what cannot be, and how large they are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from quack_env import ConfigError, TrajectoryError
from quack_eval import Trajectory
from quack_eval.timeline import Timeline
from quack_eval.viewer import view
from quack_eval.viewer.game_data import frames
from quack_eval.viewer.page import asset, embedded, message_page

Record = Callable[..., Path]


def test_data_in_a_page_has_no_character_of_markup_and_is_read_back_equal() -> None:
    data = {"text": "</script><!-- & > \u2028 \u2029 \u202e \ud800 \x00 é"}
    text = embedded(data)
    assert text.isascii() and not re.search("[<>&]", text)
    assert json.loads(text) == data


def test_a_message_cannot_become_markup() -> None:
    assert "<script>" not in message_page("<script>", ["<script>alert(1)</script>"])


def test_a_six_player_game_of_two_hundred_ticks_is_far_below_three_megabytes(record: Record, tmp_path: Path) -> None:
    game = record(max_ticks=200, n_tasks=0, kill_cooldown=200, n_ducks=1, meeting_calls=0)
    assert len(Trajectory.load(game).events) > 1000
    index = view(game, tmp_path / "page").index
    assert index.stat().st_size < 1_000_000
    assert not re.search(r'(?:src|href)="(?:https?:)?//', index.read_text("utf-8"))


def test_frames_end_every_tick_and_stop_at_every_speech(record: Record) -> None:
    trajectory = Trajectory.load(record(seed=3, max_ticks=40))
    timeline = Timeline(trajectory)
    found = frames(timeline)
    instants = [instant for instant, _, _ in found]
    assert instants == sorted(instants)
    assert {e.index for e in trajectory.events if e.kind == "statement"} <= {
        i for i, _, kind in found if kind == "speech"
    }
    assert {tick for _, tick, _ in found} == set(range(timeline.last_tick + 1))
    assert instants[-1] == timeline.last
    for instant, tick, kind in found:
        assert trajectory.events[instant].tick <= tick
        if kind == "tick" and instant < timeline.last:
            following = trajectory.events[instant + 1]
            assert following.tick > tick or following.kind == "meeting_called"


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("theme", [0, 1, 2])
def test_words_have_the_contrast_that_wcag_asks_for(theme: int) -> None:
    blocks = re.findall(r":root[^{]*\{([^}]*--page: #[^}]*--ink[^}]*)\}", asset("style.css"))
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[theme]))
    text = (
        "ink",
        "muted",
        "true",
        "false",
        "wrong_room",
        "near_miss",
        "unverifiable",
        "duck",
        "goose",
        "accent",
        "alarm",
    )
    for name in text:
        for ground in ("panel", "page"):
            light, dark = sorted((luminance(colours[name]), luminance(colours[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{name} on {ground}"


def test_a_folder_without_games_and_one_that_cannot_be_written_are_told(tmp_path: Path, record: Record) -> None:
    (tmp_path / "nothing").mkdir()
    with pytest.raises(TrajectoryError, match="no recorded game"):
        view(tmp_path / "nothing", tmp_path / "page")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be made"):
        view(record(max_ticks=3), tmp_path / "file" / "page")


def test_a_recording_without_calls_is_not_said_to_be_played_without_models(record: Record, tmp_path: Path) -> None:
    page = view(record(max_ticks=3), tmp_path / "page").index.read_text("utf-8")
    assert "holds no calls of models" in page and "No model was called" not in page


def test_the_page_of_a_published_game_says_what_its_log_lacks(published: Path, tmp_path: Path) -> None:
    game = sorted(published.glob("*/*/game.jsonl"))[0].parent
    page = view(game, tmp_path).index.read_text("utf-8")
    assert "no prompts, replies, images or beliefs" in page
