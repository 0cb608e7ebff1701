"""The mask and what is accepted are the same thing; what is refused is refused in words and changes nothing."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import quack_env
from quack_env import IllegalActionError

from .play import (
    FORMS,
    SPEECH,
    actions_of,
    any_legal,
    arrange,
    digest,
    eventful,
    frozen,
    house,
    moves,
    run,
    speech_of,
    until,
    vote,
    walk,
)

DEADLY: dict[str, Any] = {"n_players": 6, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 40, "meeting_calls": 3}


# ---------------------------------------------------------------------------------------------------------------------
# The mask is exact


def sampled_positions(speech: str, published: bool) -> Iterator[tuple[Any, dict[str, Any], np.ndarray]]:
    """(environment, its state, mask of the agent asked) at moments of random games."""
    config = DEADLY | ({"preset": "published"} if published else {})
    env = quack_env.raw_env(config=config, game_map="small", speech=speech, observation="vector")
    for seed in range(3):
        env.reset(seed=seed)
        for count, _ in enumerate(walk(env, seed)):
            if count % (3 if env.game.phase == "free_roam" else 7) == seed:
                yield env, env.state_dict(), env.last()[0]["action_mask"]


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("speech", SPEECH)
def test_every_action_in_the_mask_is_accepted_and_every_other_refused_without_effect(
    speech: str, published: bool
) -> None:
    phases, sizes = set(), set()
    for env, state, mask in sampled_positions(speech, published):
        trial = quack_env.raw_env(config=env.game.config, game_map="small", speech=speech, observation="vector")
        trial.load_state_dict(state)
        saved = json.dumps(trial.state_dict())
        for action, legal in enumerate(mask.tolist()):
            if legal:
                trial.step(action)
                assert trial.game.state.winner or json.dumps(trial.state_dict()) != saved
                trial.load_state_dict(state)
            else:
                with pytest.raises(IllegalActionError):
                    trial.step(action)
        assert json.dumps(trial.state_dict()) == saved
        phases.add(env.game.phase)
        sizes.add(mask.sum())
    assert phases == {"free_roam", "voting"} | ({"discussion"} if speech != "off" else set())
    assert len(sizes) >= 4


@pytest.mark.parametrize("choose", [any_legal, eventful])
@pytest.mark.parametrize("form", list(FORMS))
def test_no_masked_in_action_is_ever_refused(form: str, choose: Any) -> None:
    env = FORMS[form](config=DEADLY, observation="vector")
    steps = 0
    for seed in itertools.count():
        if form == "parallel_env":
            observations, _ = env.reset(seed=seed)
            chance = random.Random(seed)
            while env.agents:
                observations, *_ = env.step(moves(env, observations, chance, choose))
                steps += 6
        else:
            env.reset(seed=seed)
            steps += run(env, seed, choose)
        if steps > 5000:
            return


@pytest.mark.parametrize("speech", SPEECH)
def test_masks_agree_and_leave_the_living_something_to_do(speech: str) -> None:
    """In observation, info and `decision_of`, at every decision of a game; the others may only wait."""
    env = quack_env.env(config=DEADLY, speech=speech, observation="vector")
    for seed in range(3):
        env.reset(seed=seed)
        for agent, _ in walk(env, seed):
            observation, _, _, _, info = env.last()
            mask = observation["action_mask"]
            assert mask.dtype == np.int8
            assert mask.any()
            assert np.array_equal(mask, info["action_mask"])
            assert np.array_equal(mask, env.observe(agent)["action_mask"])
            words = env.unwrapped.game.briefing.action_names
            assert info["legal_actions"] == [words[action] for action in np.flatnonzero(mask)]
            for other in env.agents:
                if other != agent:
                    assert np.flatnonzero(env.observe(other)["action_mask"]).tolist() == [0]


def test_agents_that_decide_at_once_meet_the_same_decision_as_one_after_another() -> None:
    """`decision_of` before the vote is what `last` gives when the turn comes, whatever was voted before."""
    env = quack_env.env(config=DEADLY, observation="text")
    env.reset(seed=1)
    until(env, "voting")
    voters = env.concurrent_agents()
    state = env.unwrapped.game.state
    assert voters == [agent for i, agent in enumerate(env.possible_agents) if state.alive >> i & 1]
    decisions = {agent: env.decision_of(agent) for agent in voters}
    chance, actions = random.Random(0), actions_of(env)
    for waiting in range(len(voters), 0, -1):
        agent = env.agent_selection
        assert len(env.concurrent_agents()) == waiting
        observation, _, _, _, info = env.last()
        assert frozen(decisions[agent]) == frozen((observation, info))
        env.step(any_legal(observation["action_mask"], chance, actions))


def test_only_the_selected_agent_decides_outside_a_vote() -> None:
    env = quack_env.env(config=DEADLY)
    env.reset(seed=1)
    assert env.concurrent_agents() == [env.agent_selection]
    other = next(agent for agent in env.agents if agent != env.agent_selection)
    with pytest.raises(IllegalActionError, match=f"{other} does not decide now"):
        env.decision_of(other)


# ---------------------------------------------------------------------------------------------------------------------
# What is refused

NO_ACTIONS = [
    None,
    1.0,
    0.0,
    np.float64(0),
    np.float32(1),
    True,
    False,
    np.True_,
    Fraction(0),
    "0",
    "wait()",
    b"0",
    [0],
    (0,),
    {0},
    {},
    {"say": "x"},
    {"action": None},
    {"action": 0.0},
    {"action": 0, "shout": "x"},
    np.array([0]),
    np.array(0.0),
    np.array(True),
    float("nan"),
    pytest.param(object(), id="object"),
]
OUT_OF_RANGE = [-1, -120, 10**6, 2**70, np.int64(-1), {"action": -1}, np.uint8(255)]


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("action", [*NO_ACTIONS, *OUT_OF_RANGE], ids=repr)
def test_what_is_no_action_is_refused_and_changes_nothing(action: Any, form: str) -> None:
    env = house(form, speech="text")
    arrange(env, ["hall"] * 5)
    before = json.dumps(env.state_dict())
    with pytest.raises(IllegalActionError, match="player_0"):
        env.step(dict.fromkeys(env.agents, 0) | {"player_0": action} if form == "parallel_env" else action)
    assert json.dumps(env.state_dict()) == before


@pytest.mark.parametrize(
    "action", [0, np.int8(0), np.int64(0), np.uint16(0), np.array(0), {"action": np.int32(0)}], ids=repr
)
def test_whole_numbers_of_every_kind_are_actions(action: Any) -> None:
    env = house()
    arrange(env, ["hall"] * 5)
    env.step(action)
    assert env.agent_selection == "player_1"


def refusal(env: Any, action: Any) -> str:
    """The message with which the action of the agent asked is refused, checked to be one line and without effect."""
    before = json.dumps(env.state_dict()), digest(env), env.agent_selection
    with pytest.raises(IllegalActionError) as caught:
        env.step(action)
    assert (json.dumps(env.state_dict()), digest(env), env.agent_selection) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_refusal_in_free_roam_names_agent_action_phase_tick_and_the_legal_set() -> None:
    env = house()
    arrange(env, ["kitchen", "attic", "attic", "cellar", "cellar"], ducks=[1], tasks={0: ["kitchen", "attic"]})
    message = refusal(env, actions_of(env).report)
    assert message == (
        "player_0 may not do report() (6) in phase free_roam at tick 1; "
        "legal: wait(), move(hall), move(attic), do_task()"
    )


def test_a_refusal_of_none_names_the_legal_set_too() -> None:
    env = house()
    arrange(env, ["cellar", "attic", "attic", "cellar", "cellar"], ducks=[1], tasks={0: ["kitchen", "attic"]})
    message = refusal(env, None)
    assert message == "player_0 may not do None in phase free_roam at tick 1; legal: wait(), move(hall)"


@pytest.mark.parametrize("actions", [None, [0] * 5, 0])
def test_actions_of_all_are_given_by_agent(actions: Any) -> None:
    env = house("parallel_env")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match=r"^actions must be a dict from agents to actions, not a "):
        env.step(actions)


def test_a_refusal_of_an_action_in_words_says_that_it_has_a_number() -> None:
    env = house()
    arrange(env, ["cellar", "attic", "attic", "cellar", "cellar"], ducks=[1], tasks={0: ["kitchen", "attic"]})
    assert refusal(env, "wait()").endswith("legal: wait(), move(hall); actions are given by their numbers")


def test_a_refusal_in_a_discussion_names_the_phase() -> None:
    env = house(speech="text")
    arrange(env, ["hall"] * 5)
    env.step(actions_of(env).call)
    assert refusal(env, 0) == "player_0 may not do wait() (0) in phase discussion at tick 1; legal: speak()"


def test_a_refusal_in_a_vote_lists_the_living_others_and_skip() -> None:
    env = house(speech="off")
    arrange(env, ["hall", "hall", "hall", "attic", "attic"], bodies={4: "attic"})
    a = actions_of(env)
    env.step(a.call)
    names = env.game.briefing.names
    message = refusal(env, a.vote(4))
    assert message == (
        f"player_0 may not do vote({names[4]}) ({a.vote(4)}) in phase voting at tick 1; "
        f"legal: vote({names[1]}), vote({names[2]}), vote({names[3]}), skip()"
    )
    assert "vote" in refusal(env, a.vote(0))


def test_an_action_for_the_dead_is_refused_unless_it_waits() -> None:
    env = house("parallel_env")
    arrange(env, ["attic", "hall", "hall", "hall", "kitchen"], bodies={1: "hall"})
    a = actions_of(env)
    before = digest(env)
    others = {agent: 0 for agent in env.agents if agent != "player_1"}
    with pytest.raises(IllegalActionError) as caught:
        env.step(others | {"player_1": a.move("kitchen")})
    assert str(caught.value) == ("player_1 may not do move(kitchen) (2) in phase free_roam at tick 1; legal: wait()")
    with pytest.raises(IllegalActionError, match="player_1 may not do None"):
        env.step(others | {"player_1": None})
    assert digest(env) == before
    env.step(others | {"player_1": 0})
    assert env.game.state.tick == 2


def test_any_action_for_a_removed_agent_is_refused() -> None:
    env = house("parallel_env", dead_agents="remove")
    arrange(env, ["kitchen", "kitchen", "attic", "attic", "hall"])
    env.step(dict.fromkeys(env.agents, 0) | {"player_0": actions_of(env).kill(1)})
    before = digest(env)
    with pytest.raises(IllegalActionError, match="player_1 may not do wait"):
        env.step(dict.fromkeys(env.possible_agents, 0))
    assert digest(env) == before
    env.step(dict.fromkeys(env.agents, 0))


def test_an_action_of_somebody_in_transit_is_refused_unless_it_waits() -> None:
    env = house("parallel_env")
    arrange(env, ["kitchen", "attic", "attic", "attic", "kitchen"])
    a = actions_of(env)
    wait = dict.fromkeys(env.agents, 0)
    env.step(wait | {"player_1": a.move("kitchen")})
    with pytest.raises(IllegalActionError, match=r"player_1 may not do move\(hall\).*legal: wait\(\)$"):
        env.step(wait | {"player_1": a.move("hall")})


def test_a_parallel_step_without_an_action_of_somebody_asked_is_refused_and_changes_nothing() -> None:
    env = house("parallel_env")
    arrange(env, ["hall"] * 5)
    before = json.dumps(env.state_dict())
    with pytest.raises(IllegalActionError, match=r"^no action given for player_3, who decides in this step$"):
        env.step({agent: 0 for agent in env.agents if agent != "player_3"})
    with pytest.raises(IllegalActionError, match="no agent 'player_9'"):
        env.step(dict.fromkeys(env.agents, 0) | {"player_9": 0})
    assert json.dumps(env.state_dict()) == before


def test_one_illegal_action_in_a_parallel_step_keeps_all_others_from_happening() -> None:
    env = house("parallel_env")
    arrange(env, ["hall"] * 5)
    a = actions_of(env)
    before = digest(env)
    with pytest.raises(IllegalActionError, match="player_4"):
        env.step(dict.fromkeys(env.agents, a.move("kitchen")) | {"player_4": a.move("attic")})
    assert digest(env) == before


@pytest.mark.parametrize("form", ["env", "raw_env"])
def test_an_unknown_agent_is_named(form: str) -> None:
    env = house(form)
    env.reset(seed=0)
    with pytest.raises(quack_env.QuackError, match=r"no agent 'Eve'; agents are player_0, .*player_4"):
        env.observe("Eve")


def test_after_the_end_only_none_is_an_action() -> None:
    env = house(max_ticks=1)
    env.reset(seed=0)
    run(env, 0, any_legal)
    assert all(env.terminations.values())
    with pytest.raises(ValueError, match="None"):
        env.step(0)


# ---------------------------------------------------------------------------------------------------------------------
# What is said


def said_to(env: Any, say: Any) -> list[str]:
    """What the others in the hall hear of an utterance of player_0."""
    arrange(env, ["hall"] * 5)
    env.step({"action": 0, "say": say})
    return [message.text for message in env.last()[4]["messages"]]


@pytest.mark.parametrize(
    ("say", "heard"),
    [
        ("Hello", "Hello"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("Zoe\u0308", "Zo\u00eb"),  # NFC: one character for letter and mark
        ("a\x00b\x07c\x1bd\x7fe\x9bf", "abcdef"),  # control characters
        ("lone \ud83e surrogate", "lone  surrogate"),
        ("\U0001f986 谁 ψ", "\U0001f986 谁 ψ"),
        ("x" * 500, "x" * 500),
        ("e\u0301" * 500, "\u00e9" * 500),  # counted as it is heard
    ],
)
def test_words_are_heard_in_nfc_without_control_characters(say: str, heard: str) -> None:
    assert said_to(house(speech="text"), say) == [heard]


@pytest.mark.parametrize("say", ["", None, "\x00\x01"])
def test_nothing_said_is_nothing_heard(say: Any) -> None:
    assert said_to(house(speech="text"), say) == []


def test_more_than_500_characters_are_refused_with_the_bound() -> None:
    env = house(speech="text")
    arrange(env, ["hall"] * 5)
    assert refusal(env, {"action": 0, "say": "x" * 501}) == (
        "player_0: say has 501 characters, at most 500 are allowed"
    )


def test_the_bound_of_what_is_said_is_the_configs() -> None:
    env = house(speech="text", max_say=3)
    arrange(env, ["hall"] * 5)
    assert "at most 3" in refusal(env, {"action": 0, "say": "four"})
    env.step({"action": 0, "say": "six"})


@pytest.mark.parametrize("say", [0, 1, 1.5, True, [], ["x"], b"x"], ids=repr)
def test_what_is_no_text_is_not_said(say: Any) -> None:
    env = house(speech="text")
    arrange(env, ["hall"] * 5)
    assert "say must be text or None" in refusal(env, {"action": 0, "say": say})


@pytest.mark.parametrize("speech", ["off", "tokens"])
def test_words_need_the_speech_mode_text(speech: str) -> None:
    env = house(speech=speech)
    arrange(env, ["hall"] * 5)
    assert speech_of(env) == speech
    assert refusal(env, {"action": 0, "say": "x"}) == 'player_0: say needs speech="text"'
    env.step({"action": 0, "say": None})


def test_words_with_a_ballot_are_taken_and_heard_by_nobody() -> None:
    """A vote is silent; a policy that adds words to every action is not refused for it."""
    env = house(speech="text")
    arrange(env, ["hall"] * 5)
    a = actions_of(env)
    env.step(a.call)
    while env.game.phase == "discussion":
        env.step(a.speak)
    env.step({"action": a.skip, "say": "psst"})
    vote(env, {})
    assert all("psst" not in [m.text for m in inbox] for inbox in env.game.inbox)
