"""What the page says an agent saw is what the rules showed it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quack_env.replay import Replay
from quack_eval import Trajectory
from quack_eval.timeline import BODY, Timeline
from quack_eval.viewer.perception import company, perceptions

Record = Callable[..., Path]


def test_whom_an_agent_sees_is_whom_its_view_shows_at_every_decision(record: Record) -> None:
    compared = 0
    for seed in range(6):
        trajectory = Trajectory.load(record(seed=seed, max_ticks=40))
        timeline = Timeline(trajectory)
        seen = [company(timeline, seat) for seat in range(timeline.n)]
        replay = Replay(trajectory)
        for _ in replay:
            if replay.game.over:
                break
            seat, instant = replay.game.state.current, replay.position - 1
            view = replay.game.view(seat)
            now = [one for one in seen[seat] if one.first <= instant <= one.last]
            alive = sum(1 << one.seat for one in now if one.state != BODY)
            bodies = sum(1 << one.seat for one in now if one.state == BODY)
            assert (alive, bodies) == (view.here, view.bodies), f"game {seed}, seat {seat} after event {instant}"
            compared += bool(alive or bodies)
    assert compared > 60


def test_the_dead_see_nobody(record: Record) -> None:
    timeline = Timeline(Trajectory.load(record(seed=2, max_ticks=40)))
    assert timeline.gone
    for seat, gone in timeline.gone.items():
        assert all(one.last < gone for one in company(timeline, seat))


def test_an_agent_is_shown_its_own_cooldown_and_whom_it_knows_to_be_dead(record: Record) -> None:
    trajectory = Trajectory.load(record(seed=1, max_ticks=40))
    shown = perceptions(trajectory).shown
    for seat, sitting in enumerate(trajectory.header.seats):
        cooldowns = {one.cooldown for one in shown[seat]}
        assert (cooldowns == {-1}) == (sitting.role == "goose")
    deaths = {event.target: event.index for event in trajectory.events if event.kind == "kill"}
    for entries in shown:
        for one in entries:
            assert all(dead not in deaths or deaths[dead] <= one.event for dead in one.dead)


def test_images_are_drawn_for_every_decision_and_named_by_their_content(record: Record, tmp_path: Path) -> None:
    trajectory = Trajectory.load(record(seed=0, max_ticks=3, n_players=4, n_ducks=1))
    found = perceptions(trajectory, tmp_path / "images", 64)
    decisions = [event for event in trajectory.events if event.kind in DECISIONS and event.actor is not None]
    lapsed = {event.index + 1 for event in trajectory.events if event.kind == "lapsed"}
    assert {p.event for p in found.pictures} >= {
        e.index for e in decisions if e.index not in lapsed and e.kind != "wait"
    }
    for picture in found.pictures:
        assert (tmp_path / "images" / picture.map).is_file() and (tmp_path / "images" / picture.room).is_file()


DECISIONS = ("depart", "task_step", "kill", "meeting_called", "statement", "vote")
