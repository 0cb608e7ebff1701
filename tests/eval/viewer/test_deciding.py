"""Which events are shown with a finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quack_eval.claims.judge import judge
from quack_eval.timeline import Timeline
from quack_eval.viewer.deciding import deciding, instead


def told(timeline: Timeline, indices: list[int]) -> list[tuple[str, int | None, str | None]]:
    """Kind, actor and place of events."""
    events = [timeline.events[index] for index in indices]
    return [(e.kind, e.actor, e.to if e.kind == "arrive" else e.room) for e in events]


def test_a_meeting_of_two_is_shown_by_how_they_came_there_and_not_by_what_others_did(story: Callable[..., Any]) -> None:
    tale = story("medbay cafeteria storage oxygen", ducks=[3])
    tale.tick("3 move upper_engine", "0 move cafeteria")  # both arrive at the start of the next tick
    tale.tick("0 wait")
    tale.tick("1 call")
    tale.vote("- - - -", "medbay cafeteria storage oxygen")
    trajectory = tale.play()
    name = trajectory.names
    claim = {"type": "sighting", "subject": name[0], "target": name[1], "room": "cafeteria", "polarity": "positive"}
    finding = judge(trajectory, claim | {"time": "at tick 2"}, speaker=name[0], meeting=0)
    timeline = Timeline(trajectory)
    assert finding.verdict == "true"
    assert ("arrive", 0, "cafeteria") in told(timeline, deciding(timeline, finding))
    assert all(actor != 3 for _, actor, _ in told(timeline, deciding(timeline, finding)))


def test_a_false_place_is_shown_by_where_the_speaker_was_instead(story: Callable[..., Any]) -> None:
    tale = story("medbay cafeteria storage oxygen", ducks=[3])
    tale.tick("3 move upper_engine")
    tale.tick("3 wait")
    tale.tick("1 call")
    tale.vote("- - - -", "medbay cafeteria storage oxygen")
    trajectory = tale.play()
    claim = {"type": "location", "subject": trajectory.names[3], "room": "storage", "polarity": "positive"}
    finding = judge(trajectory, claim | {"time": "this round"}, speaker=trajectory.names[3], meeting=0)
    timeline = Timeline(trajectory)
    assert (finding.verdict, finding.evidence) == ("false", ())
    shown = told(timeline, instead(timeline, finding))
    assert shown == [("leg_start", None, None), ("depart", 3, "oxygen"), ("arrive", 3, "upper_engine")]
