"""Tier 1 and Tier 2 of short games, counted by hand.

The ship: medbay-cafeteria 1, medbay-electrical 1, weapons-security 1, oxygen-upper_engine 1, storage-navigation 3, all
other corridors 2 ticks. The button is in cafeteria.
"""

from __future__ import annotations

from typing import Any

import pytest

from quack_eval import BehaviourEval, Measure, OutcomeEval, Trajectory, findings
from quack_eval.timeline import Timeline


def check(trajectory: Trajectory, expected: dict[str, tuple[float, float]]) -> None:
    """Numerator and denominator of every measure are the expected ones."""
    measures = OutcomeEval(trajectory).measures | BehaviourEval(trajectory).measures
    meetings = measures.pop("meetings")
    assert meetings == Measure(expected["meetings_by_body"][0] + expected["meetings_by_button"][0], 1)
    assert measures == {name: Measure(*parts) for name, parts in expected.items()}


def test_no_kill_and_no_ejection(story: Any) -> None:
    """Seat 0 presses the button at once, all skip; then three Geese do one task each until the budget is spent."""
    told = story("cafeteria medbay oxygen weapons", ducks=[3], max_ticks=4)
    told.tick("0 call")
    told.vote("- - - -", "weapons security weapons oxygen")
    told.tick("0 task", "1 task", "2 task", times=3)
    trajectory = told.play()
    assert OutcomeEval(trajectory).facts == {"winner": "geese", "reason": "timeout"}
    check(
        trajectory,
        {
            "geese_win": (1, 1),
            "ticks": (4, 1),
            "task_completion": (3, 6),
            "kills": (0, 1),
            "first_kill_tick": (0, 0),
            "kill_interval": (0, 0),
            "meetings_by_body": (0, 1),
            "meetings_by_button": (1, 1),
            "ejections": (0, 1),
            "ejection_accuracy": (0, 0),
            "votes_without_ejection": (1, 1),
            "survivors_geese": (3, 1),
            "survivors_ducks": (1, 1),
            "goose_vote_accuracy": (0, 0),
            "goose_skip_rate": (3, 3),
            "report_latency": (0, 0),
            "task_efficiency": (9, 12),
            "task_efficiency_with_moves": (9, 12),
            "rooms_visited_geese": (6, 3),
            "rooms_visited_ducks": (2, 1),
            "kills_per_duck": (0, 1),
            "cooldown_utilisation": (0, 0),
            "self_report_rate": (0, 0),
            "post_kill_displacement": (0, 0),
            "post_kill_hops": (0, 0),
        },
    )


def test_kill_and_report_in_one_tick(story: Any) -> None:
    """Seat 1 sees its neighbour die and reports in the same tick; two of three Geese vote the Duck out."""
    told = story("medbay medbay storage electrical medbay", ducks=[4])
    told.tick("4 kill 0", "1 report")
    told.vote(". 4 4 - 1")
    check(
        told.play(),
        {
            "geese_win": (1, 1),
            "ticks": (1, 1),
            "task_completion": (0, 8),
            "kills": (1, 1),
            "first_kill_tick": (1, 1),
            "kill_interval": (0, 0),
            "meetings_by_body": (1, 1),
            "meetings_by_button": (0, 1),
            "ejections": (1, 1),
            "ejection_accuracy": (1, 1),
            "votes_without_ejection": (0, 1),
            "survivors_geese": (3, 1),
            "survivors_ducks": (0, 1),
            "goose_vote_accuracy": (2, 2),
            "goose_skip_rate": (1, 3),
            "report_latency": (0, 1),
            "task_efficiency": (0, 4),
            "task_efficiency_with_moves": (0, 4),
            "rooms_visited_geese": (4, 4),
            "rooms_visited_ducks": (1, 1),
            "kills_per_duck": (1, 1),
            "cooldown_utilisation": (1, 1),
            "self_report_rate": (0, 1),
            "post_kill_displacement": (0, 1),
            "post_kill_hops": (0, 1),
        },
    )


def test_duck_reports_its_own_two_victims(story: Any) -> None:
    """Two kills in one room at ticks 2 and 4 (cooldown 2), both reported by the killer at 5: 3 and 1 ticks.

    A Goose is voted out (two votes, against one and one skip). Seat 0 began 2 ticks alive, seat 1 began 4,
    seat 2 began 5, seats 3 and 4 all 6: 23.
    """
    told = story("medbay medbay medbay storage storage medbay", ducks=[5], kill_cooldown=2, max_ticks=6)
    told.tick()
    told.tick("5 kill 0")
    told.tick()
    told.tick("5 kill 1")
    told.tick("5 report")
    told.vote(". . 3 2 - 2", ". . . storage weapons oxygen")
    told.tick()
    check(
        told.play(),
        {
            "geese_win": (1, 1),
            "ticks": (6, 1),
            "task_completion": (0, 10),
            "kills": (2, 1),
            "first_kill_tick": (2, 1),
            "kill_interval": (2, 1),
            "meetings_by_body": (1, 1),
            "meetings_by_button": (0, 1),
            "ejections": (1, 1),
            "ejection_accuracy": (0, 1),
            "votes_without_ejection": (0, 1),
            "survivors_geese": (2, 1),
            "survivors_ducks": (1, 1),
            "goose_vote_accuracy": (0, 2),
            "goose_skip_rate": (1, 3),
            "report_latency": (4, 2),
            "task_efficiency": (0, 23),
            "task_efficiency_with_moves": (0, 23),
            "rooms_visited_geese": (6, 5),
            "rooms_visited_ducks": (2, 1),
            "kills_per_duck": (2, 1),
            "cooldown_utilisation": (2, 2),
            "self_report_rate": (2, 2),
            "post_kill_displacement": (0, 2),
            "post_kill_hops": (0, 2),
        },
    )


def test_meeting_on_the_last_tick_stops_the_killer_on_its_way(story: Any) -> None:
    """Kill at 1; the killer enters cafeteria at 3, leaves for electrical, and is put back by the report at tick 4."""
    told = story("medbay electrical storage oxygen medbay", ducks=[4], max_ticks=4)
    told.tick("4 kill 0")
    told.tick("4 move cafeteria", "1 move medbay")
    told.tick("4 move electrical")
    told.tick("1 report")
    told.vote(". - - - -")
    trajectory = told.play()
    assert OutcomeEval(trajectory).facts == {"winner": "geese", "reason": "timeout"}
    check(
        trajectory,
        {
            "geese_win": (1, 1),
            "ticks": (4, 1),
            "task_completion": (0, 8),
            "kills": (1, 1),
            "first_kill_tick": (1, 1),
            "kill_interval": (0, 0),
            "meetings_by_body": (1, 1),
            "meetings_by_button": (0, 1),
            "ejections": (0, 1),
            "ejection_accuracy": (0, 0),
            "votes_without_ejection": (1, 1),
            "survivors_geese": (3, 1),
            "survivors_ducks": (1, 1),
            "goose_vote_accuracy": (0, 0),
            "goose_skip_rate": (3, 3),
            "report_latency": (3, 1),
            "task_efficiency": (0, 13),
            "task_efficiency_with_moves": (0, 13),  # electrical to medbay brings nobody nearer to weapons or security
            "rooms_visited_geese": (5, 4),
            "rooms_visited_ducks": (2, 1),
            "kills_per_duck": (1, 1),
            "cooldown_utilisation": (1, 1),
            "self_report_rate": (0, 1),
            "post_kill_displacement": (1, 1),
            "post_kill_hops": (1, 1),
        },
    )


def test_two_ducks_a_missed_chance_and_parity(story: Any) -> None:
    """Cooldown 3. Duck 4 leaves its prey at tick 3 (a chance missed), comes back, kills at 5 (its second chance);
    Duck 5 could kill from 3 on and does at 6 (one chance). Two Geese against two Ducks: parity, no meeting at all.
    """
    told = story("medbay medbay oxygen storage medbay medbay", ducks=[4, 5], kill_cooldown=3)
    told.tick(times=2)
    told.tick("4 move cafeteria")
    told.tick("4 move medbay")
    told.tick("4 kill 0")
    told.tick("5 kill 1")
    trajectory = told.play()
    assert OutcomeEval(trajectory).facts == {"winner": "ducks", "reason": "parity"}
    check(
        trajectory,
        {
            "geese_win": (0, 1),
            "ticks": (6, 1),
            "task_completion": (0, 8),
            "kills": (2, 1),
            "first_kill_tick": (5, 1),
            "kill_interval": (1, 1),
            "meetings_by_body": (0, 1),
            "meetings_by_button": (0, 1),
            "ejections": (0, 1),
            "ejection_accuracy": (0, 0),
            "votes_without_ejection": (0, 1),
            "survivors_geese": (2, 1),
            "survivors_ducks": (2, 1),
            "goose_vote_accuracy": (0, 0),
            "goose_skip_rate": (0, 0),
            "report_latency": (0, 0),
            "task_efficiency": (0, 5 + 6 + 6 + 6),
            "task_efficiency_with_moves": (0, 23),
            "rooms_visited_geese": (4, 4),
            "rooms_visited_ducks": (3, 2),
            "kills_per_duck": (2, 2),
            "cooldown_utilisation": (2, 3),
            "self_report_rate": (0, 2),
            "post_kill_displacement": (0, 2),
            "post_kill_hops": (0, 2),
        },
    )
    assert findings.opportunities(Timeline(trajectory)) == [
        findings.Opportunity(4, 3, 3, False),
        findings.Opportunity(4, 5, 5, True),
        findings.Opportunity(5, 3, 6, True),
    ]


def test_a_body_that_a_button_clears_away_and_one_found_after_the_respawn(story: Any) -> None:
    """Kill at 1, unseen; the button clears the body. After the respawn a second kill at 2 is reported at once:
    only that one has a latency, both count in the self-report rate. Skips: four of seven Goose votes.
    """
    told = story("medbay oxygen storage cafeteria cafeteria medbay", ducks=[5])
    told.tick("5 kill 0", "3 call")
    told.vote(". - - - - -", ". oxygen storage oxygen weapons oxygen")
    told.tick("5 kill 1", "3 report")
    told.vote(". . 5 5 5 -")
    trajectory = told.play()
    check(
        trajectory,
        {
            "geese_win": (1, 1),
            "ticks": (2, 1),
            "task_completion": (0, 10),
            "kills": (2, 1),
            "first_kill_tick": (1, 1),
            "kill_interval": (1, 1),
            "meetings_by_body": (1, 1),
            "meetings_by_button": (1, 1),
            "ejections": (1, 1),
            "ejection_accuracy": (1, 1),
            "votes_without_ejection": (1, 1),
            "survivors_geese": (3, 1),
            "survivors_ducks": (0, 1),
            "goose_vote_accuracy": (3, 3),
            "goose_skip_rate": (4, 7),
            "report_latency": (0, 1),
            "task_efficiency": (0, 1 + 2 + 2 + 2 + 2),
            "task_efficiency_with_moves": (0, 9),
            "rooms_visited_geese": (1 + 1 + 1 + 2 + 2, 5),
            "rooms_visited_ducks": (2, 1),
            "kills_per_duck": (2, 1),
            "cooldown_utilisation": (2, 2),
            "self_report_rate": (0, 2),
            "post_kill_displacement": (0, 2),
            "post_kill_hops": (0, 2),
        },
    )
    first, second = findings.kills(Timeline(trajectory))
    assert (first.reporter, first.report_tick) == (None, None)
    assert (second.reporter, second.report_tick) == (3, 2)


def test_moves_that_bring_a_goose_nearer_to_a_task(story: Any) -> None:
    """Seat 0: two ticks to weapons, three at work, one to security, three at work. Seat 1: storage to medbay (two
    ticks, nearer to both tasks), and back again (no nearer). Both began nine ticks alive.
    """
    told = story("cafeteria storage oxygen", ducks=[2], max_ticks=9)
    told.tick("0 move weapons", "1 move medbay")
    told.tick()
    told.tick("0 task")
    told.tick("0 task", "1 move storage")
    told.tick("0 task")
    told.tick("0 move security")
    told.tick("0 task", times=3)
    trajectory = told.play()
    behaviour = BehaviourEval(trajectory)
    assert behaviour.measures["task_efficiency"] == Measure(6, 18)
    assert behaviour.measures["task_efficiency_with_moves"] == Measure(6 + 3 + 2, 18)
    assert OutcomeEval(trajectory).measures["task_completion"] == Measure(2, 4)
    assert [tuple(seat) for seat in behaviour.work] == [(0, 9, 6, 3), (1, 9, 0, 2)]


def test_the_rooms_a_killer_enters_until_the_end(story: Any) -> None:
    """Kill in medbay; cafeteria, medbay again, electrical: three rooms entered, one corridor away at the end."""
    told = story("medbay oxygen storage storage medbay", ducks=[4], max_ticks=5)
    told.tick("4 kill 0")
    told.tick("4 move cafeteria")
    told.tick("4 move medbay")
    told.tick("4 move electrical")
    told.tick()
    measures = BehaviourEval(told.play()).measures
    assert measures["post_kill_displacement"] == Measure(3, 1)
    assert measures["post_kill_hops"] == Measure(1, 1)


def test_a_goose_that_left_in_the_same_tick_is_no_prey(story: Any) -> None:
    """Seat 0 leaves before the Duck's turn: no chance. Seat 0 leaves after it: a missed one."""
    told = story("medbay oxygen storage medbay", ducks=[3], max_ticks=1)
    told.tick("0 move cafeteria", "3 wait")
    assert findings.opportunities(Timeline(told.play())) == []
    told = story("medbay oxygen storage medbay", ducks=[3], max_ticks=1)
    told.tick("3 wait", "0 move cafeteria")
    assert findings.opportunities(Timeline(told.play())) == [findings.Opportunity(3, 1, 1, False)]


def test_a_meeting_ends_a_chance(story: Any) -> None:
    """Prey beside the Duck at tick 1 and, after the respawn, at tick 2: two chances, both missed."""
    told = story("cafeteria cafeteria storage cafeteria", ducks=[3], max_ticks=2)
    told.tick("3 wait", "0 call")
    told.vote("- - - -", "medbay oxygen storage medbay")
    told.tick()
    assert [tuple(chance) for chance in findings.opportunities(Timeline(told.play()))] == [
        (3, 1, 1, False),
        (3, 2, 2, False),
    ]


def test_unfinished_game_has_no_winner(story: Any) -> None:
    told = story("cafeteria medbay oxygen weapons", ducks=[3])
    told.tick()
    outcome = OutcomeEval(told.play())
    assert outcome.measures["geese_win"].value is None
    assert outcome.to_dict()["winner"] is None


def test_tables_and_dicts_name_every_measure(story: Any) -> None:
    told = story("medbay medbay storage electrical medbay", ducks=[4])
    told.tick("4 kill 0", "1 report")
    told.vote(". 4 4 - 1")
    trajectory = told.play()
    for convention in ("paper", "published"):
        for kind in (OutcomeEval, BehaviourEval):
            result = kind(trajectory, convention)
            assert set(result.measures) <= set(result.to_dict())
            assert result.table().row_count >= len(result.measures)
    assert OutcomeEval(trajectory).to_dict()["kill_interval"] is None
    with pytest.raises(ValueError, match="convention"):
        OutcomeEval(trajectory, "other")
