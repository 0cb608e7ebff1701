"""The parallel form plays the game of the AEC form; the dead, rewards and lapsed actions in both."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import quack_env
from quack_env.kinds import LAPSED, unpack

from .play import (
    ATTIC,
    FORMS,
    HOUSE,
    KITCHEN,
    OBSERVATIONS,
    SPEECH,
    actions_of,
    arrange,
    digest,
    eventful,
    house,
    images,
    moves,
    numbers,
    seat_of,
    walk,
)

DEADLY: dict[str, Any] = {"n_players": 7, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 30, "meeting_calls": 2}


def follow(aec: Any, chosen: dict[str, Any], phase: str, tick: int, happened: Counter[str]) -> list[str]:
    """Play the actions of a parallel step in the AEC form: who is asked does what it chose, or waits if it cannot."""
    game = aec.game
    asked: list[str] = []
    while not game.over and (game.phase, game.state.tick) == (phase, tick):
        agent = aec.agent_selection
        action = chosen[agent]
        number = action["action"] if isinstance(action, dict) else action
        if not aec.last()[0]["action_mask"][number]:
            action = {"action": 0, "say": action.get("say")} if isinstance(action, dict) else 0
            happened["lapsed"] += 1
        aec.step(action)
        asked.append(agent)
        if phase == "discussion":
            break
    return asked


@pytest.mark.parametrize("speech", SPEECH)
def test_the_parallel_form_plays_the_game_of_the_aec_form(speech: str) -> None:
    """State hashes of every tick and phase, events and words agree, with deaths in mid-tick and lapsed actions."""
    happened: Counter[str] = Counter()
    parallel = quack_env.parallel_env(config=DEADLY, speech=speech, game_map="small", observation="vector")
    aec = quack_env.raw_env(config=DEADLY, speech=speech, game_map="small", observation="vector")
    parallel.game.recording = aec.game.recording = True
    for seed in range(12):
        observations, _ = parallel.reset(seed=seed)
        aec.reset(seed=seed)
        chance = random.Random(seed)
        while parallel.agents:
            game = parallel.game
            phase, tick, living = game.phase, game.state.tick, game.state.alive
            able = parallel.concurrent_agents()
            chosen = moves(parallel, observations, chance)
            observations, *_ = parallel.step(chosen)
            asked = follow(aec, chosen, phase, tick, happened)
            died = {a for i, a in enumerate(parallel.possible_agents) if living & ~game.state.alive & 1 << i}
            if phase == "free_roam" and not game.over:
                happened["killed before its turn"] += len(died - set(asked))
                happened["lost its turn to a meeting"] += len(set(able) - set(asked) - died)
            (log, texts, seals), (their_log, their_texts, their_seals) = parallel.game.take(), aec.game.take()
            assert [seal[1:] for seal in seals] == [seal[1:] for seal in their_seals]  # but for the lapsed events
            assert [e for e in log if unpack(e)[1] != LAPSED] == their_log
            assert list(texts.values()) == list(their_texts.values())
            assert digest(parallel) == digest(aec)
        assert all(aec.terminations.values())
        assert parallel.game.outcome == aec.game.outcome
    assert happened["lapsed"] > 0
    assert happened["killed before its turn"] > 0
    assert happened["lost its turn to a meeting"] > 0


# ---------------------------------------------------------------------------------------------------------------------
# The parallel form's own


def test_a_kill_whose_victim_has_left_lapses_into_waiting() -> None:
    env = house("parallel_env", n_players=5)
    observations, _ = arrange(env, ["hall"] * 5, ducks=[4], order=[1, 4, 0, 2, 3])
    a = actions_of(env)
    assert observations["player_4"]["action_mask"][a.kill(1)]
    env.game.recording = True
    _, _, _, _, infos = env.step(dict.fromkeys(env.agents, 0) | {"player_1": a.move("kitchen"), "player_4": a.kill(1)})
    assert env.game.state.alive == 0b11111
    assert {agent for agent in env.agents if infos[agent].get("lapsed")} == {"player_4"}
    kinds = [unpack(e)[1:3] for e in env.game.take()[0]]
    assert (LAPSED, 4) in kinds


def test_nobody_lapses_who_could_do_what_it_chose() -> None:
    env = house("parallel_env")
    arrange(env, ["hall"] * 5)
    _, _, _, _, infos = env.step(dict.fromkeys(env.agents, 0))
    assert not any("lapsed" in info for info in infos.values())


def test_what_a_victim_chose_is_not_done() -> None:
    env = house("parallel_env")
    arrange(env, ["hall", "hall", "attic", "attic", "cellar"], ducks=[0], order=[0, 1, 2, 3, 4])
    a = actions_of(env)
    env.step(dict.fromkeys(env.agents, 0) | {"player_0": a.kill(1), "player_1": a.call})
    assert env.game.phase == "free_roam"
    assert env.game.state.calls_left == 1
    assert env.game.state.meeting == 0


def test_a_report_takes_the_turn_of_those_after_it() -> None:
    env = house("parallel_env")
    arrange(env, ["hall", "hall", "hall", "attic", "cellar"], bodies={4: "hall"}, order=[2, 0, 1, 3, 4])
    a = actions_of(env)
    env.step(
        {
            "player_0": 0,
            "player_1": a.move("kitchen"),
            "player_2": a.report,
            "player_3": a.move("kitchen"),
            "player_4": 0,
        }
    )
    assert env.game.phase == "discussion"
    assert env.game.state.room[1] == 0
    assert env.game.state.room[3] == ATTIC


def test_one_speaker_a_step_and_the_vote_in_one_step() -> None:
    env = house("parallel_env", discussion_rounds=2)
    arrange(env, ["hall", "attic", "attic", "cellar", "kitchen"])
    a = actions_of(env)
    env.step(dict.fromkeys(env.agents, 0) | {"player_0": a.call})
    speakers = []
    while env.game.phase == "discussion":
        (speaker,) = env.concurrent_agents()
        speakers.append(speaker)
        env.step(dict.fromkeys(env.agents, 0) | {speaker: a.nothing})
    assert speakers[0] == "player_0"
    assert sorted(speakers[:5]) == env.possible_agents
    assert speakers[5:] == speakers[:5]
    assert env.game.phase == "voting"
    assert env.concurrent_agents() == env.possible_agents
    env.step(dict.fromkeys(env.agents, a.skip))
    assert env.game.phase == "free_roam"


@pytest.mark.parametrize("who", ["in transit", "not the speaker", "dead"])
def test_who_is_not_asked_has_the_mask_wait(who: str) -> None:
    env = house("parallel_env")
    a = actions_of(env)
    wait = dict.fromkeys(env.possible_agents, 0)
    arrange(env, ["kitchen", "kitchen", "attic", "attic", "hall"], order=[0, 1, 2, 3, 4])
    if who == "in transit":
        observations, *_ = env.step(wait | {"player_1": a.move("attic")})
    elif who == "dead":
        observations, *_ = env.step(wait | {"player_0": a.kill(1)})
    else:
        observations, *_ = env.step(wait | {"player_4": a.call})
    mask = observations["player_1"]["action_mask"]
    assert np.flatnonzero(mask).tolist() == [0]
    assert "player_1" not in env.concurrent_agents()


def test_who_is_not_asked_may_be_left_out() -> None:
    env = house("parallel_env")
    arrange(env, ["kitchen", "kitchen", "attic", "attic", "hall"])
    a = actions_of(env)
    env.step(dict.fromkeys(env.agents, 0) | {"player_1": a.move("attic")})
    asked = env.concurrent_agents()
    assert sorted(asked) == ["player_0", "player_2", "player_3", "player_4"]
    env.step(dict.fromkeys(asked, 0))
    assert env.game.state.tick == 3


# ---------------------------------------------------------------------------------------------------------------------
# The dead


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_a_dead_agent_that_stays_sees_zeros_and_waits_until_all_end_together(observation: str) -> None:
    env = house("parallel_env", observation=observation, max_ticks=6)
    arrange(env, ["kitchen", "kitchen", "attic", "attic", "hall"])
    a = actions_of(env)
    chosen = dict.fromkeys(env.possible_agents, 0) | {"player_0": a.kill(1)}
    for tick in range(1, 7):
        observations, rewards, terminations, truncations, infos = env.step(chosen)
        chosen = dict.fromkeys(env.possible_agents, 0)
        parts = numbers(observations["player_1"]) | images(observations["player_1"])
        assert len(parts) == {"vector": 1, "text": 1}.get(observation, len(parts))
        assert not any(np.any(part) for part in parts.values())
        assert observations["player_1"].get("text", "") == ""
        assert np.flatnonzero(observations["player_1"]["action_mask"]).tolist() == [0]
        assert infos["player_1"]["self_alive"] is False
        assert set(terminations.values()) == {tick == 6}
        assert not any(truncations.values())
        assert rewards["player_1"] == (1.0 if tick == 6 else 0.0)
    assert env.agents == []


def test_a_dead_agent_that_is_removed_terminates_at_its_death() -> None:
    env = house("parallel_env", dead_agents="remove", max_ticks=6)
    arrange(env, ["kitchen", "kitchen", "attic", "attic", "hall"])
    a = actions_of(env)
    observations, rewards, terminations, _, _ = env.step(dict.fromkeys(env.agents, 0) | {"player_0": a.kill(1)})
    assert {agent for agent, over in terminations.items() if over} == {"player_1"}
    assert not any(np.any(part) for part in observations["player_1"]["observation"].values())
    assert rewards["player_1"] == 0
    assert env.agents == ["player_0", "player_2", "player_3", "player_4"]
    observations, rewards, terminations, truncations, infos = env.step(dict.fromkeys(env.agents, 0))
    for keyed in (observations, rewards, terminations, truncations, infos):
        assert set(keyed) == {"player_0", "player_2", "player_3", "player_4"}


def test_the_last_infos_tell_the_outcome_of_the_removed_too() -> None:
    """On asking, so that the keys stay those of the observations, as training libraries demand."""
    env = house("parallel_env", dead_agents="remove", max_ticks=3)
    arrange(env, ["kitchen", "kitchen", "attic", "attic", "hall"])
    a = actions_of(env)
    observations, *_, infos = env.step(dict.fromkeys(env.agents, 0) | {"player_0": a.kill(1)})
    assert "outcome" not in infos["player_1"]
    while env.agents:
        observations, _, _, _, infos = env.step(dict.fromkeys(env.agents, 0))
    assert {agent: infos[agent]["outcome"] for agent in env.possible_agents} == {
        "player_0": -1.0,
        "player_1": 1.0,
        "player_2": 1.0,
        "player_3": 1.0,
        "player_4": 1.0,
    }
    assert infos.get("player_1") == {"outcome": 1.0}
    assert set(infos) == set(observations)


@pytest.mark.parametrize("dead_agents", ["noop", "remove"])
def test_the_aec_form_never_selects_the_dead_or_those_in_transit(dead_agents: str) -> None:
    deaths = travels = 0
    for seed in range(6):
        env = quack_env.env(config=DEADLY, dead_agents=dead_agents, observation="vector")
        env.reset(seed=seed)
        state = env.unwrapped.game.state
        for agent, _ in walk(env, seed):
            assert state.alive >> seat_of(agent) & 1
            assert state.room[seat_of(agent)] >= 0
            assert env.agents == env.possible_agents
            travels += any(state.left)
        deaths += state.alive.bit_count() < 7
        assert all(env.terminations.values())
        assert not any(env.truncations.values())
    assert deaths
    assert travels


# ---------------------------------------------------------------------------------------------------------------------
# Rewards


def team_outcome(env: Any) -> dict[str, float]:
    """What every agent is due, from roles and winner."""
    game = env.unwrapped.game
    winner = {"geese": 0, "ducks": 1}[game.outcome.winner]
    ducks = game.state.ducks
    return {a: 1.0 if (ducks >> i & 1) == winner else -1.0 for i, a in enumerate(env.possible_agents)}


@pytest.mark.parametrize("dead_agents", ["noop", "remove"])
@pytest.mark.parametrize("form", ["env", "raw_env"])
def test_the_rewards_of_the_aec_form_sum_to_the_outcome_for_the_dead_too(form: str, dead_agents: str) -> None:
    winners, dead = set(), 0
    env = FORMS[form](config=DEADLY, dead_agents=dead_agents, observation="vector")
    for seed in range(12):
        env.reset(seed=seed)
        received = dict.fromkeys(env.possible_agents, 0.0)
        chance, actions = random.Random(seed), actions_of(env)
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            received[agent] += reward
            if termination or truncation:
                assert info["outcome"] == reward
                env.step(None)
            else:
                env.step(eventful(observation["action_mask"], chance, actions))
        assert received == team_outcome(env)
        assert env.agents == []
        winners.add(env.unwrapped.game.outcome.winner)
        dead += env.unwrapped.game.state.alive.bit_count() < 7
    assert winners == {"geese", "ducks"}
    assert dead


@pytest.mark.parametrize("dead_agents", ["noop", "remove"])
def test_the_rewards_of_the_parallel_form_sum_to_the_outcome(dead_agents: str) -> None:
    winners, removed = set(), 0
    env = quack_env.parallel_env(config=DEADLY, dead_agents=dead_agents, observation="vector")
    for seed in range(12):
        observations, infos = env.reset(seed=seed)
        received = dict.fromkeys(env.possible_agents, 0.0)
        chance = random.Random(seed)
        while env.agents:
            present = env.agents
            observations, rewards, _, _, infos = env.step(moves(env, observations, chance))
            for agent, reward in rewards.items():
                received[agent] += reward
        gone = set(env.possible_agents) - set(present)
        assert dead_agents == "remove" or not gone
        due = team_outcome(env)
        assert {a: received[a] for a in present} == {a: due[a] for a in present}
        assert {a: infos[a]["outcome"] for a in env.possible_agents} == due
        winners.add(env.game.outcome.winner)
        removed += len(gone)
    assert winners == {"geese", "ducks"}
    assert removed or dead_agents == "noop"


def test_the_house_is_the_map_of_these_tests() -> None:
    """The travel times that the tests above count with."""
    env = house()
    assert env.game.game_map.weight("kitchen", "attic") == 3
    assert env.game.game_map.weight("hall", "cellar") == 2
    assert (KITCHEN, ATTIC) == (1, 2)
    assert list(HOUSE["rooms"]) == ["hall", "kitchen", "attic", "cellar"]
