"""`Finding.evidence`: the events that decide a claim, such as those that put its people where it is judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quack_eval import Trajectory
from quack_eval.claims.finding import Finding, Said
from quack_eval.claims.judge import judge
from quack_eval.claims.types import Claim
from quack_eval.statements import statement_game

START = (0, "leg_start", None)


@pytest.fixture
def killing(story: Callable[..., Any]) -> Trajectory:
    """Alice, Bob and Diana (Duck) in medbay, Charlie in storage, Eve in oxygen, Frank in weapons.

    Alice is in cafeteria from tick 2 on and back in medbay at 4; Diana kills Bob at 2, is in electrical at 4 and back
    at 5; Eve sets out for cafeteria at 5, and then Alice reports.
    """
    told = story("medbay medbay storage medbay oxygen weapons", ducks=[3], kill_cooldown=1)
    told.tick("0 move cafeteria")
    told.tick("3 kill 1")
    told.tick("3 move electrical", "0 move medbay")
    told.tick("3 move medbay", "0 wait")
    told.tick("4 move cafeteria", "0 report")
    told.vote("- . - - - -", "medbay . storage electrical oxygen weapons")
    trajectory: Trajectory = told.play()
    return trajectory


def told(trajectory: Trajectory, finding: Finding) -> list[tuple[int, str, str | None]]:
    """Tick, kind and actor of the deciding events."""
    events = [trajectory.events[index] for index in finding.evidence]
    return [(e.tick, e.kind, None if e.actor is None else trajectory.names[e.actor]) for e in events]


def decides(
    trajectory: Trajectory, claim: dict[str, Any], speaker: str = "Alice", said: tuple[Said, ...] | None = None
) -> list[tuple[int, str, str | None]]:
    return told(trajectory, judge(trajectory, {"attribution": "own", **claim}, speaker, 0, said=said))


def location(subject: str, room: str, time: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "location", "subject": subject, "room": room, "time": time, **more}


def sighting(subject: str, target: str, room: str, time: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "sighting", "subject": subject, "target": target, "room": room, "time": time, **more}


def test_a_place_is_decided_by_the_last_event_that_put_somebody_there(killing: Trajectory) -> None:
    assert decides(killing, location("Alice", "medbay", "at tick 5")) == [(4, "arrive", "Alice")]
    assert decides(killing, location("Charlie", "storage", "at tick 4")) == [START]
    assert decides(killing, location("Alice", "cafeteria", polarity="negative")) == [(2, "arrive", "Alice")]


def test_a_false_place_is_decided_by_what_put_them_elsewhere(killing: Trajectory) -> None:
    assert decides(killing, location("Alice", "storage", "at tick 5")) == [(4, "arrive", "Alice")]
    everything = [START, (1, "depart", "Alice"), (2, "arrive", "Alice"), (3, "depart", "Alice"), (4, "arrive", "Alice")]
    assert decides(killing, location("Alice", "storage")) == everything
    assert decides(killing, location("Bob", "storage", "at tick 4")) == [(2, "kill", "Diana")]


def test_a_stay_that_was_cut_short_is_decided_by_its_ends(killing: Trajectory) -> None:
    stayed = [START, (1, "depart", "Alice"), (4, "arrive", "Alice")]
    assert decides(killing, location("Alice", "medbay", "the whole round")) == stayed
    assert decides(killing, location("Eve", "oxygen", "stayed until tick 5")) == [START, (5, "depart", "Eve")]
    assert decides(killing, location("Charlie", "storage", "the whole round")) == [START]


def test_two_were_together_by_what_put_each_of_them_there(killing: Trajectory) -> None:
    met = [(4, "arrive", "Alice"), (5, "arrive", "Diana")]
    assert decides(killing, sighting("Alice", "Diana", "medbay", "at tick 5")) == met
    assert decides(killing, sighting("Alice", "Diana", "electrical", "at tick 5")) == met
    apart = [START, (4, "arrive", "Alice")]
    assert decides(killing, sighting("Alice", "Frank", "medbay", "at tick 5")) == apart


def test_a_body_was_seen_by_who_came_to_where_the_kill_left_it(killing: Trajectory) -> None:
    body = [(2, "kill", "Diana"), (4, "arrive", "Alice")]
    assert decides(killing, sighting("Alice", "Bob", "medbay", "at tick 4", of="body")) == body


def test_who_arrives_at_the_same_instant_elsewhere_decides_nothing(story: Callable[..., Any]) -> None:
    tale = story("medbay cafeteria storage oxygen", ducks=[3])
    tale.tick("3 move upper_engine", "0 move cafeteria")  # both arrive at the start of the next tick
    tale.tick("1 call")
    tale.vote("- - - -", "medbay cafeteria storage oxygen")
    met = [START, (2, "arrive", "Alice")]
    assert decides(tale.play(), sighting("Alice", "Bob", "cafeteria", "at tick 2")) == met


def test_a_route_is_decided_by_its_own_visits_and_the_kill_that_it_covers(killing: Trajectory) -> None:
    way = {"type": "location", "subject": "Alice", "route": ["cafeteria", "medbay"]}
    assert decides(killing, way) == [(2, "arrive", "Alice"), (4, "arrive", "Alice")]
    slip = way | {"route": ["cafeteria", "medbay", "cafeteria"]}
    assert decides(killing, slip) == [START, (2, "arrive", "Alice"), (4, "arrive", "Alice")]
    covers = way | {"route": ["medbay", "cafeteria", "medbay", "cafeteria", "medbay"]}
    scene = [START, (2, "arrive", "Alice"), (2, "kill", "Diana"), (4, "arrive", "Alice")]
    assert decides(killing, covers) == scene
    # of anybody, a Goose too: nothing is said of why
    assert judge(killing, covers, "Alice", 0).reason.endswith("; there was a kill in what it names wrongly: medbay")


def test_what_was_not_done_is_decided_by_where_one_was(killing: Trajectory) -> None:
    task = {"type": "activity", "subject": "Charlie", "activity": "task", "room": "storage"}
    assert decides(killing, task, "Charlie") == [START]
    went = {"type": "activity", "subject": "Alice", "activity": "traveling", "room": "medbay", "time": "at tick 3"}
    assert decides(killing, went) == [(3, "depart", "Alice")]


def test_an_accusation_is_decided_by_the_scene_and_testimony_by_what_it_is_about(killing: Trajectory) -> None:
    accused = {"type": "accusation", "accuser": "Alice", "target": "Diana"}
    assert decides(killing, accused, said=()) == [START, (2, "kill", "Diana")]
    heard = Said(Claim("sighting", "Alice", "medbay", time="at tick 5", target="Diana", attribution="own"), 0, 0)
    testimony = [(2, "kill", "Diana"), (4, "arrive", "Alice"), (5, "arrive", "Diana")]
    assert decides(killing, accused | {"accuser": "Frank"}, "Frank", (heard,)) == testimony
    assert decides(killing, accused | {"accuser": "Frank"}, "Frank", ()) == []


def test_a_contradiction_shows_where_the_accuser_was(killing: Trajectory) -> None:
    lie = Said(Claim("location", "Diana", "weapons", time="at tick 5", attribution="own"), 3, 0)
    accused = {"type": "accusation", "accuser": "Frank", "target": "Diana"}
    assert decides(killing, accused, "Frank", (lie,)) == [START, (5, "arrive", "Diana")]


def test_a_defence_is_decided_by_the_sighting_that_clears(killing: Trajectory) -> None:
    claim = {"type": "defense", "defender": "Diana", "defended": "Alice"}
    shown = decides(killing, claim, "Diana")
    assert (2, "kill", "Diana") in shown and {who for _, _, who in shown} == {"Alice", "Diana"}


def test_no_claim_about_places_is_decided_by_people_it_is_not_about(published_games: list[Path]) -> None:
    checked = 0
    for path in published_games[:30]:
        trajectory = Trajectory.load(path)
        for found in statement_game(trajectory, "recorded").findings:
            if found.kind not in ("location", "sighting") or found.verdict == "unverifiable":
                continue
            claim, seats = found.claim, {name: seat for seat, name in enumerate(trajectory.names)}
            people = {seats.get(claim.subject or ""), seats.get(claim.target or "")} - {None}
            events = [trajectory.events[index] for index in found.evidence]
            assert events, (path, found.reason)
            if claim.target is not None or claim.type == "location":
                own = [e for e in events if e.kind == "leg_start" or {e.actor, e.target} & people]
                assert own == events, (path, found.reason, events)
            checked += 1
    assert checked > 300
