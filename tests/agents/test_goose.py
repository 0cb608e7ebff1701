"""The scripted Goose in situations made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from quack_agents.phrases import understand
from quack_agents.scripted.persona import PERSONAS

from .stage import Stage

FAR = ["attic", "attic"]


def goose(*rooms: str, persona: str = "default", **settings: Any) -> Stage:
    """Seat 1 is the player; seat 0 is the Duck."""
    settings.setdefault("tasks", {1: ["kitchen", "cellar"]})
    return Stage(list(rooms), {1: persona}, **settings)


# --- work ------------------------------------------------------------------------------------------------------------


def test_it_goes_to_its_nearest_task_and_works_until_it_is_done() -> None:
    stage = goose("attic", "hall", "attic", *FAR)
    done = [stage.tick().get(1) for _ in range(5)]
    assert [stage.words(action) for action in done] == ["move(kitchen)", *["do_task()"] * 3, "move(hall)"]


def test_it_goes_on_from_room_to_room_until_all_is_done() -> None:
    stage = goose("attic", "hall", "attic", *FAR)
    for _ in range(20):
        stage.tick()
    assert stage.game.state.progress[2:4] == [3, 3]


def test_it_takes_a_companions_way_where_it_is_no_longer() -> None:
    stage = goose("attic", "hall", "hall", *FAR, tasks={1: ["cellar", "attic"]}, order=[2, 1, 0, 3, 4])
    assert stage.words(stage.tick(p2="move(kitchen)")[1]) == "move(cellar)", "the other way is longer"
    stage = goose("attic", "hall", "hall", *FAR, tasks={1: ["attic", "kitchen"]}, order=[2, 1, 0, 3, 4])
    assert stage.words(stage.tick(p2="move(kitchen)")[1]) == "move(kitchen)"


def test_the_cautious_wait_for_company() -> None:
    stage = goose("attic", "hall", "hall", *FAR, persona="cautious")
    assert [stage.words(stage.tick()[1]) for _ in range(4)] == ["wait()"] * 3 + ["move(kitchen)"]


@pytest.mark.parametrize("persona, stays", [("cautious", True), ("aggressive", False)])
def test_when_its_work_is_done_it_keeps_company(persona: str, stays: bool) -> None:
    stage = goose("attic", "hall", "hall", *FAR, persona=persona, progress={1: [3, 3]})
    done = [stage.words(stage.tick()[1]) for _ in range(3)]
    assert done == ["wait()"] * 3
    later = {stage.words(stage.tick().get(1, 0)) for _ in range(10)}
    assert (later == {"wait()"}) is stays


def test_when_its_work_is_done_it_goes_where_people_gather_or_follows_who_leaves() -> None:
    stage = goose("attic", "cellar", "attic", *FAR, persona="cautious", progress={1: [3, 3]})
    assert stage.words(stage.tick()[1]) == "move(hall)"
    stage = goose("attic", "hall", "hall", *FAR, persona="aggressive", progress={1: [3, 3]}, order=[2, 1, 0, 3, 4])
    assert stage.words(stage.tick(p2="move(cellar)")[1]) == "move(cellar)"


# --- danger ----------------------------------------------------------------------------------------------------------


def test_it_reports_a_body_at_once() -> None:
    stage = goose("attic", "kitchen", "attic", *FAR, bodies={2: "kitchen"})
    assert stage.words(stage.tick()[1]) == "report()"


def test_it_does_not_stay_alone_with_a_suspect() -> None:
    stage = goose("hall", "hall", "attic", *FAR, progress={1: [3, 3]})
    stage.tick()
    stage.mind(1).suspicion.probability[:] = [0.7, 0, 0.1, 0.1, 0.1]
    assert stage.words(stage.tick()[1]).startswith("move(")
    stage = goose("hall", "hall", "hall", *FAR, progress={1: [3, 3]})
    stage.tick()
    stage.mind(1).suspicion.probability[:] = [0.7, 0, 0.1, 0.1, 0.1]
    assert stage.words(stage.tick()[1]) == "wait()", "three are company"


def test_sure_of_a_duck_it_calls_a_meeting() -> None:
    stage = goose("attic", "kitchen", "attic", *FAR, calls_left=1)
    stage.mind(1).suspicion.probability[:] = [0.95, 0, 0.05, 0, 0]
    assert [stage.words(stage.tick()[1]) for _ in range(2)] == ["move(hall)", "call_meeting()"]
    stage = goose("attic", "kitchen", "attic", *FAR, calls_left=0)
    stage.mind(1).suspicion.probability[:] = [0.95, 0, 0.05, 0, 0]
    assert stage.words(stage.tick()[1]) == "do_task()"


# --- meetings --------------------------------------------------------------------------------------------------------


def caught(persona: str = "default", speech: str = "tokens") -> Stage:
    """Seat 1 was there when seat 0 killed seat 2 in the hall, and has reported it."""
    stage = goose("hall", "hall", "hall", *FAR, persona=persona, speech=speech, progress={1: [3, 3]})
    stage.tick(p0=f"kill({stage.name(2)})")
    if stage.game.phase == "free_roam":
        assert stage.words(stage.tick()[1]) == "report()"
    return stage


def test_it_says_who_was_at_the_body_then_accuses_and_votes() -> None:
    stage = caught()
    stage.meeting()
    assert stage.said[1, 1] == f"saw({stage.name(0)}, hall)"
    assert stage.said[2, 1] == f"suspect({stage.name(0)})"
    assert stage.votes[1] == 0
    assert stage.policies[1].beliefs()["player_0"] > 0.9


def test_in_words_it_says_more_and_keeps_its_claims() -> None:
    stage = caught(speech="text")
    said = stage.ask(1)
    claims = stage.policies[1].last_claims
    assert said["action"] == stage.a.speak
    assert claims[0]["type"] == "sighting"
    assert (claims[0]["target"], claims[0]["room"]) == (stage.name(0), "hall")
    assert len(claims) >= 2
    names, rooms = stage.game.briefing.names, stage.game.game_map.rooms
    assert understand(said["say"], names, rooms)


def test_who_came_upon_a_body_suspects_who_stood_by() -> None:
    # the others can have killed too; but seat 3 stood there, and had not reported
    stage = goose("kitchen", "hall", "cellar", "cellar", "attic", tasks={1: ["cellar", "attic"]}, order=[1, 3, 2, 0, 4])
    stage.tick(p1="move(cellar)")
    kill(stage, victim=2, room="cellar")
    stage.tick()
    stage.tick()
    assert stage.game.phase == "discussion"
    stage.meeting()
    assert stage.said[1, 1] == f"saw({stage.name(3)}, cellar)"
    assert stage.votes[1] == 3


def kill(stage: Stage, victim: int, room: str) -> None:
    """Somebody dies in a room, out of sight of the players; nobody is seen doing it."""
    state, r = stage.game.state, stage.game.game_map.rooms.index(room)
    state.here[r] &= ~(1 << victim)
    state.room[victim], state.body_room[victim] = -1, r
    state.alive &= ~(1 << victim)
    state.geese_alive -= 1
    state.bodies[r] |= 1 << victim
    state.body_seen[victim] |= state.here[r]


def called(persona: str = "default", *rooms: str, **lines: list[str]) -> Stage:
    """Seat 1 was in the hall all the time and pressed the button; the others say these lines."""
    places = rooms or ("attic", "hall", "attic", *FAR)
    stage = goose(*places, persona=persona, calls_left=1, progress={1: [3, 3]})
    stage.tick(p1="wait()")
    stage.tick(p1="call_meeting()")
    stage.meeting(**lines)
    return stage


def test_without_evidence_it_tells_where_it_was_and_skips() -> None:
    stage = called()
    assert stage.said[1, 1] == "was_in(hall)"
    assert stage.votes[1] == -1


def test_words_that_contradict_what_it_saw_make_a_suspect() -> None:
    stage = called(p3=["was_in(hall)"])
    assert [lie.speaker for lie in stage.mind(1).suspicion.lies] == [3]
    assert stage.votes[1] == 3


def test_words_that_can_be_true_make_none() -> None:
    stage = called(p3=["was_in(attic)"], p4=["did_task(kitchen)"])
    assert stage.mind(1).suspicion.lies == []
    assert stage.votes[1] == -1


def test_who_claims_to_have_seen_it_where_it_was_not_lies() -> None:
    player = called().name(1)
    stage = called(p3=[f"saw({player}, hall)"], p4=[f"saw({player}, cellar)"])
    assert sorted(lie.speaker for lie in stage.mind(1).suspicion.lies) == [3, 4], "seat 3 was not in the hall either"


def test_accusations_count_and_more_for_those_who_trust() -> None:
    name = called().name
    beliefs = {}
    for persona in ("cautious", "default", "aggressive"):
        lines = [f"suspect({name(3)})"]
        stage = called(persona, p0=lines, p2=lines, p4=lines)
        beliefs[persona] = stage.policies[1].beliefs()["player_3"]
    assert beliefs["cautious"] < beliefs["default"] < beliefs["aggressive"]


def test_who_accuses_it_is_suspected() -> None:
    player = called().name(1)
    stage = called(p3=[f"suspect({player})"])
    beliefs = stage.policies[1].beliefs()
    assert beliefs["player_3"] > beliefs["player_2"]


def test_the_vouched_for_are_suspected_less() -> None:
    name = called().name
    beliefs = called(p3=[f"vouch({name(2)})"]).policies[1].beliefs()
    assert beliefs["player_2"] < beliefs["player_4"]


def test_before_the_last_kill_it_votes_on_less() -> None:
    four = [0.39, 0.0, 0.31, 0.3]
    stage = goose("attic", "hall", "attic", "attic")
    mind = stage.mind(1)
    mind.suspicion.probability[:] = four
    view = stage.env.infos["player_1"]["view"]
    assert mind.vote(view) == -1
    view.known_dead = 0b1000
    assert mind.vote(view) == 0
    assert PERSONAS["default"].vote > four[0]


def test_beliefs_are_about_the_living_others_and_sum_to_the_number_of_ducks() -> None:
    stage = caught()
    beliefs = stage.policies[1].beliefs()
    assert beliefs.keys() == {"player_0", "player_3", "player_4"}
    assert sum(beliefs.values()) == pytest.approx(1)
    stage = Stage(["hall"] * 7, {1: "default"}, ducks=(0, 2), n_ducks=2)
    stage.tick()
    assert sum(stage.policies[1].beliefs().values()) == pytest.approx(2)


def test_roles_that_an_ejection_shows_are_known() -> None:
    stage = Stage(["hall"] * 7, {1: "default"}, ducks=(0, 2), n_ducks=2, calls_left=1, reveal_role=True)
    stage.tick(p1="call_meeting()")
    for action in ("discussion", "voting"):
        while stage.game.phase == action:
            seat = int(stage.env.agent_selection[-1])
            if seat == 1:
                stage.ask(1)
            speak = stage.a.nothing if action == "discussion" else stage.a.skip if seat == 2 else stage.a.vote(2)
            stage.env.step(speak)
    stage.tick()
    beliefs = stage.policies[1].beliefs()
    assert "player_2" not in beliefs
    assert sum(beliefs.values()) == pytest.approx(1), "one Duck is left"


def test_where_a_kill_shows_the_killer_it_knows() -> None:
    stage = goose("hall", "hall", "hall", "hall", "attic", witness_kills=True, order=[0, 1, 2, 3, 4])
    stage.tick(p0=f"kill({stage.name(2)})")
    assert stage.game.phase == "discussion"
    stage.meeting()
    assert stage.votes[1] == 0
    assert stage.policies[1].beliefs() == {"player_0": 1.0, "player_3": 0.0, "player_4": 0.0}
