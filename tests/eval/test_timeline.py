"""The timeline says where everybody was: what the game itself says, at every instant of many games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quack_env.replay import Replay
from quack_env.state import NOBODY
from quack_eval import Timeline, Trajectory
from quack_eval.timeline import ALIVE, BODY

CONFIGS: list[dict[str, Any]] = [
    {},
    {"preset": "published"},
    {"n_players": 9, "n_ducks": 2, "kill_cooldown": 1, "map": "small", "n_tasks": 2, "meeting_calls": 4},
]


def rooms_agree(trajectory: Trajectory) -> int:
    """Compare every seat's place after every decision with the live state; how often that was."""
    timeline = Timeline(trajectory)
    replay = Replay(trajectory)
    rooms = trajectory.game_map.rooms
    compared = 0
    for events in replay:
        if not events or replay.game.over:
            continue
        state, instant = replay.game.state, events[-1].index
        for seat in range(timeline.n):
            stay = timeline.at(seat, instant)
            if state.alive >> seat & 1:
                assert stay is not None and stay.state == ALIVE
                if events[-1].kind == "depart" and events[-1].actor == seat:
                    continue  # at the instant of its departure it is still there
                assert stay.room == (None if state.room[seat] == NOBODY else rooms[state.room[seat]]), (seat, instant)
            elif state.body_room[seat] != NOBODY:
                assert stay is not None and (stay.state, stay.room) == (BODY, rooms[state.body_room[seat]])
            else:
                assert stay is None
            compared += 1
    return compared


@pytest.mark.parametrize("config", CONFIGS, ids=["default", "published", "two Ducks"])
def test_places_are_those_of_the_live_game(config: dict[str, Any], play_randomly: Callable[..., Trajectory]) -> None:
    compared = sum(rooms_agree(play_randomly(config, seed)) for seed in range(12))
    assert compared > 5000


def test_places_are_those_of_the_live_published_games(published_games: list[Path]) -> None:
    for path in published_games[::9]:
        assert rooms_agree(Trajectory.load(path)) > 50


def test_company_in_a_room_is_who_perceives_what_happens_there(play_randomly: Callable[..., Trajectory]) -> None:
    """Everybody who perceives a departure or an arrival was in that room then, by the timeline."""
    for seed in range(6):
        timeline = Timeline(play_randomly({}, seed))
        for event in timeline.events:
            if event.kind in ("depart", "arrive"):
                room = event.room if event.kind == "depart" else event.to
                assert room is not None
                there = {
                    other.seat for other in timeline.occupants(room, event.index, event.index) if other.state == ALIVE
                }
                assert set(event.seen_by) == there


def test_a_way_and_what_meets_it(story: Any) -> None:
    """medbay to storage takes two ticks: seat 0 is on its way in ticks 1 and 2, there from 3; seat 1 leaves at 3."""
    told = story("medbay storage oxygen oxygen", ducks=[3])
    told.tick("0 move storage")
    told.tick(times=1)
    told.tick("1 move medbay")
    told.tick(times=1)
    timeline = Timeline(told.play())
    assert [(stay.room, stay.first_tick, stay.last_tick) for stay in timeline.stays[0]] == [
        ("medbay", 0, 1),
        (None, 1, 2),
        ("storage", 3, 4),
    ]
    assert [stay.room for stay in timeline.during(0, 1, 1)] == ["medbay", None]
    assert [stay.room for stay in timeline.during(0, 2, 3)] == [None, "storage"]
    first, last = timeline.instants(3, 3)
    assert [(other.seat, other.room) for other in timeline.company(0, first, last)] == [(1, "storage")]
    assert timeline.company(0, *timeline.instants(0, 2)) == []
    assert timeline.company(0, *timeline.instants(4, 4)) == []


def test_ticks_without_events_lie_on_the_way(story: Any) -> None:
    """When all are on long ways nothing happens in between, and yet everybody is somewhere at every tick."""
    told = story("storage navigation storage", ducks=[2])
    told.tick("0 move navigation", "1 move storage", "2 move navigation")  # three ticks each
    told.tick(times=4)
    timeline = Timeline(told.play())
    assert not [event for event in timeline.events if event.tick in (2, 3)]
    assert [stay.room for stay in timeline.during(1, 2, 3)] == [None]
    assert timeline.instants(2, 3)[0] > timeline.instants(2, 3)[1]
    assert [stay.room for stay in timeline.during(1, 4, 4)] == ["storage"]


def test_a_meeting_puts_the_traveller_back_and_respawn_moves_all(story: Any) -> None:
    told = story("cafeteria medbay oxygen oxygen", ducks=[3])
    told.tick("1 move storage", "0 call")
    told.vote("- - - -", "storage security weapons medbay")
    told.tick(times=1)
    timeline = Timeline(told.play())
    meeting = timeline.meetings[0]
    assert (meeting.tick, meeting.caller, meeting.by_body, meeting.voted, meeting.ejected) == (1, 0, False, True, None)
    back = timeline.at(1, meeting.call)
    assert back is not None and back.room == "medbay" and back.began == "transit_cancelled"
    assert [stay.room for stay in timeline.stays[1]] == ["medbay", None, "medbay", "security"]
    assert [(leg.number, leg.first_tick, leg.last_tick, leg.meeting) for leg in timeline.legs] == [
        (0, 0, 1, 0),
        (1, 1, 2, None),
    ]
    assert timeline.leg_of(meeting.call) == timeline.legs[0]
    assert timeline.leg_of(meeting.end + 1) == timeline.legs[1]


def test_a_victim_is_there_until_the_kill_and_its_body_until_the_meeting_is_over(story: Any) -> None:
    told = story("medbay oxygen oxygen medbay weapons", ducks=[3])
    told.tick("3 kill 0")
    told.tick("1 move cafeteria")
    told.tick(times=2)
    told.tick("1 call")
    told.vote(". - - - -", ". oxygen oxygen medbay weapons")
    told.tick(times=1)
    timeline = Timeline(told.play())
    kill = timeline.deaths[0]
    alive, body = timeline.stays[0]
    assert (alive.room, alive.state, alive.last) == ("medbay", ALIVE, kill.index)
    assert (body.room, body.state, body.first, body.last) == ("medbay", BODY, kill.index, timeline.meetings[0].end)
    assert timeline.at(0, timeline.last) is None
    assert timeline.alive(0, kill.index - 1) and not timeline.alive(0, kill.index)
    assert [event.kind for event in timeline.perceived_between(3, kill.index, kill.index + 1)] == [
        "kill",
        "body_appeared",
    ]
    assert list(timeline.perceived_between(1, kill.index, kill.index + 1)) == []
