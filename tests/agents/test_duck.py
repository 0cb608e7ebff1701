"""The scripted Duck in situations made by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from quack_agents.scripted.duck import INVENTED, OMISSION, WRONG_ROOM, WRONG_TIME
from quack_agents.scripted.persona import PERSONAS

from .stage import Stage

FAR = ["attic", "attic"]


def duck(*rooms: str, persona: str = "default", **settings: Any) -> Stage:
    """Seat 0 is the player, a Duck."""
    settings.setdefault("tasks", {0: ["kitchen", "cellar"]})
    return Stage(list(rooms), {0: persona}, **settings)


def first(stage: Stage) -> str:
    """What it does in this tick."""
    return stage.words(stage.tick().get(0, 0))


# --- roaming ---------------------------------------------------------------------------------------------------------


def test_it_kills_who_is_alone_with_it() -> None:
    stage = duck("cellar", "cellar", "hall", *FAR)
    assert first(stage) == f"kill({stage.name(1)})"


@pytest.mark.parametrize("persona", PERSONAS)
def test_it_does_not_kill_before_a_witness(persona: str) -> None:
    assert not first(duck("cellar", "cellar", "cellar", *FAR, persona=persona)).startswith("kill")


def test_it_kills_before_anybody_where_that_wins() -> None:
    dead = {3: "attic", 4: "attic"}
    stage = duck("cellar", "cellar", "cellar", "attic", "attic", bodies=dead, order=[1, 0, 2, 3, 4])
    stage.game.state.known_dead[0] = 0b11000  # it learnt so in a meeting
    assert first(stage).startswith("kill(")


def test_impatient_it_kills_before_a_witness() -> None:
    cases = [("aggressive", 25, True), ("default", 25, False), ("default", 15, True), ("cautious", 5, False)]
    for persona, since, kills in cases:
        stage = duck("cellar", "cellar", "cellar", *FAR, persona=persona, tick=30)
        stage.mind(0).ready_since = since
        assert first(stage).startswith("kill(") is kills


def test_it_waits_where_somebody_may_come_in() -> None:
    for persona, spares in (("aggressive", False), ("default", True), ("cautious", True)):
        stage = duck("hall", "hall", "hall", *FAR, persona=persona, order=[2, 0, 1, 3, 4])
        done = stage.tick(p2="move(kitchen)")[0]  # one tick from here
        assert stage.words(done).startswith("kill(") is not spares


def test_it_leaves_the_body_of_its_victim() -> None:
    stage = duck("kitchen", "kitchen", "cellar", "cellar", "cellar")
    assert first(stage).startswith("kill(")
    assert first(stage) == "move(hall)"


@pytest.mark.parametrize("reports", [True, False])
def test_when_a_goose_comes_in_it_reports_or_leaves(reports: bool) -> None:
    stage = duck("kitchen", "kitchen", "hall", *FAR)
    policy = stage.policies[0]
    mind: Any = policy._mind
    mind.persona = dataclasses.replace(PERSONAS["aggressive"], self_report=float(reports))
    assert stage.words(stage.tick(p2="move(kitchen)")[0]).startswith("kill(")
    while stage.env.agent_selection != "player_0":
        stage.env.step(0)
    if stage.game.phase == "free_roam":
        assert stage.words(stage.ask(0)) == ("report()" if reports else "move(hall)")


def test_until_it_may_kill_it_pretends_to_work() -> None:
    stage = duck("kitchen", "kitchen", "attic", *FAR, cooldown=5, kill_cooldown=5)
    assert [first(stage) for _ in range(3)] == ["do_task()"] * 3


def test_it_goes_where_somebody_is_alone() -> None:
    stage = duck("hall", "hall", "attic", *FAR, order=[1, 0, 2, 3, 4])
    assert stage.words(stage.tick(p1="move(cellar)")[0]) == "move(cellar)"


def test_it_looks_for_others_all_over_the_map() -> None:
    stage = duck("hall", "attic", "attic", *FAR, persona="cautious")
    for _ in range(40):
        if stage.game.phase == "free_roam":
            stage.tick()
    assert {room for room, _, _ in stage.mind(0).memory.leg.stays()} >= {0, 1, 2, 3}


def test_it_spares_fellow_ducks() -> None:
    stage = duck("cellar", "cellar", "hall", *FAR, "attic", "attic", ducks=(0, 1), n_ducks=2)
    assert not first(stage).startswith("kill")
    assert stage.policies[0].beliefs() == {f"player_{i}": float(i == 1) for i in range(1, 7)}


# --- meetings --------------------------------------------------------------------------------------------------------


def after_a_kill(degree: int, speech: str = "tokens", eager: bool = False, **lines: list[str]) -> Stage:
    """Seat 0 killed seat 1 in the kitchen, went to the hall unseen, and seat 2 found the body."""
    stage = duck("kitchen", "kitchen", "cellar", *FAR, persona="cautious", speech=speech, order=[0, 1, 2, 3, 4])
    mind: Any = stage.mind(0)
    mind.persona = dataclasses.replace(
        PERSONAS["default"], lies=tuple(float(d == degree) for d in range(4)), accuses=float(eager)
    )
    assert stage.words(stage.tick()[0]).startswith("kill(")
    assert stage.words(stage.tick()[0]) == "move(hall)"
    stage.tick(p0="move(cellar)")
    state = stage.game.state
    state.here[3] &= ~0b100
    state.room[2] = 1  # seat 2 is in the kitchen now
    state.here[1] |= 0b100
    while stage.env.agent_selection != "player_2":
        stage.env.step(0)
    stage.env.step(stage.a.report)
    assert stage.game.phase == "discussion"
    stage.meeting(**lines)
    return stage


def test_its_omission_is_the_truth_without_the_scene() -> None:
    stage = after_a_kill(OMISSION)
    assert stage.said[1, 0] == "was_in(hall)"
    assert stage.votes[0] == -1


@pytest.mark.parametrize("degree", [WRONG_ROOM, WRONG_TIME])
def test_it_claims_another_room_than_the_scene(degree: int) -> None:
    stage = after_a_kill(degree)
    assert stage.said[1, 0] in ("was_in(hall)", "did_task(attic)", "was_in(attic)")
    mind = stage.mind(0)
    lie = mind.uttered[0]
    kill = mind.kills[-1]
    assert lie.first <= kill.tick <= lie.last, "it covers the time of the kill"
    assert mind.memory.leg.room_at(kill.tick) == kill.room != lie.room, "and it was not there then"


def test_it_invents_a_sighting_at_the_scene() -> None:
    stage = after_a_kill(INVENTED, eager=True)
    said = stage.said[1, 0]
    assert said.startswith("saw(")
    assert said.endswith(", kitchen)")
    assert stage.said[2, 0].startswith("suspect(")


def test_it_joins_those_who_accuse_somebody_else() -> None:
    names = after_a_kill(OMISSION).name
    stage = after_a_kill(OMISSION, p3=[f"suspect({names(4)})"])
    assert stage.said[2, 0] == f"suspect({names(4)})"
    assert stage.votes[0] == 4


def test_accused_it_accuses() -> None:
    names = after_a_kill(OMISSION).name
    stage = after_a_kill(OMISSION, p3=[f"suspect({names(0)})"])
    assert stage.said[2, 0].startswith("suspect(")
    assert stage.votes[0] not in (-1, 0)


def test_met_at_the_scene_it_says_the_same_of_the_other() -> None:
    stage = duck("cellar", "cellar", "cellar", "attic", "attic", "attic", persona="aggressive")
    mind: Any = stage.mind(0)
    mind.persona = dataclasses.replace(PERSONAS["aggressive"], patience=0, self_report=0.0)
    assert first(stage).startswith("kill(")
    witness = 2 if stage.mind(0).kills[0].victim == 1 else 1
    while stage.env.agent_selection != f"player_{witness}":
        stage.env.step(0)
    if stage.game.phase == "free_roam":
        stage.env.step(stage.a.report)
    stage.meeting()
    assert stage.said[1, 0] == f"saw({stage.name(witness)}, cellar)"
    assert stage.said[2, 0] == f"suspect({stage.name(witness)})"
    assert stage.votes[0] == witness


def test_in_words_it_claims_what_it_says() -> None:
    stage = after_a_kill(OMISSION, speech="text")
    assert stage.said[1, 0]["say"]
    rooms = [claim.get("room") for claim in stage.policies[0].last_claims]
    assert "kitchen" not in rooms


def test_personas_differ_in_how_far_they_lie() -> None:
    bold, shy = PERSONAS["aggressive"].lies, PERSONAS["cautious"].lies
    assert bold[INVENTED] > PERSONAS["default"].lies[INVENTED] > shy[INVENTED] == 0
    assert shy[OMISSION] > PERSONAS["default"].lies[OMISSION] > bold[OMISSION]
