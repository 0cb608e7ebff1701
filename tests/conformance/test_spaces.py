"""Observations are in their spaces, masks are in observation and info alike, and nobody living is without an action."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

import quack_env
from quack_env.game_map import GameMap, shipped_maps

from .play import (
    DEAD_AGENTS,
    FORMS,
    HOUSE,
    OBSERVATIONS,
    SPEECH,
    actions_of,
    any_legal,
    arrange,
    eventful,
    house,
    moves,
    walk,
)

LARGEST = max(shipped_maps(), key=lambda name: len(GameMap.load(name).rooms))
CROWD: dict[str, Any] = {
    "n_players": 16,
    "n_ducks": 3,
    "n_tasks": 8,
    "kill_cooldown": 4,
    "discussion_rounds": 2,
    "meeting_calls": 6,
    "witness_kills": True,
    "reveal_role": True,
    "reveal_votes": True,
}
ALL_STEPS = {("tokens", "dict"), ("tokens", "vector"), ("text", "text")}
"""Each observation mode once for 10,000 steps, the other pairs for 1,000."""


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("speech", SPEECH)
def test_10000_random_steps_stay_in_the_spaces_on_the_largest_map_with_the_most_players(
    speech: str, observation: str
) -> None:
    """Each step a decision: its observation, mask and info; every 50th also what all others would observe."""
    env = quack_env.raw_env(config=CROWD, game_map=LARGEST, speech=speech, observation=observation)
    assert env.game.config.n_players == 16
    space = env.observation_space("player_0")
    phases = set()
    wanted = 10_000 if (speech, observation) in ALL_STEPS else 1_000
    steps = seed = 0
    while steps < wanted:
        env.reset(seed=seed)
        for agent, action in walk(env, seed, eventful if seed % 2 else any_legal, wanted - steps):
            seen, _, _, _, info = env.last()
            assert space.contains(seen)
            assert env.action_space(agent).contains(action)
            assert seen["action_mask"].any()
            assert np.array_equal(seen["action_mask"], info["action_mask"])
            phases.add(env.game.phase)
            steps += 1
            if steps % 50 == 0:
                assert all(space.contains(env.observe(other)) for other in env.agents)
        if env.game.over:
            assert all(space.contains(env.observe(agent)) for agent in env.agents)
        seed += 1
    assert phases >= {"free_roam"} | ({"voting"} if wanted == 10_000 else set())


@pytest.mark.parametrize("dead_agents", DEAD_AGENTS)
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_the_observations_of_the_parallel_form_stay_in_the_spaces(observation: str, dead_agents: str) -> None:
    config = CROWD | {"n_players": 9, "max_ticks": 40}
    env = quack_env.parallel_env(config=config, speech="text", observation=observation, dead_agents=dead_agents)
    for seed in range(2):
        observations, infos = env.reset(seed=seed)
        chance = random.Random(seed)
        while env.agents:
            chosen = moves(env, observations, chance)
            for agent in env.agents:
                assert env.observation_space(agent).contains(observations[agent])
                assert env.action_space(agent).contains(chosen[agent])
                assert np.array_equal(observations[agent]["action_mask"], infos[agent]["action_mask"])
                assert observations[agent]["action_mask"].any()
            observations, _, _, _, infos = env.step(chosen)
        assert all(env.observation_space(agent).contains(seen) for agent, seen in observations.items())


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("speech", SPEECH)
@pytest.mark.parametrize("form", list(FORMS))
def test_spaces_are_as_interfaces_md_says(form: str, speech: str, observation: str) -> None:
    env = FORMS[form](speech=speech, observation=observation)
    a = actions_of(env)
    size = a.nothing + 1 if speech == "tokens" else a.speak + 1
    for agent in env.possible_agents:
        space, action = env.observation_space(agent), env.action_space(agent)
        assert isinstance(space, spaces.Dict)
        assert set(space.spaces) == {"observation", "action_mask"} | ({"text"} if observation == "text" else set())
        assert space["action_mask"].shape == (size,)
        assert space["action_mask"].dtype == np.int8
        number = action["action"] if speech == "text" else action
        assert isinstance(number, spaces.Discrete)
        assert (number.start, number.n) == (0, size)
        if speech == "text":
            assert set(action.spaces) == {"action", "say"}
            assert isinstance(action["say"], spaces.Text)
        if observation in ("dict", "image+dict"):
            inner = space["observation"]
            if observation == "image+dict":
                assert set(inner.spaces) == {"global_map", "local_view", "summary"}
                for name in ("global_map", "local_view"):
                    assert (inner[name].shape[2], inner[name].dtype, inner[name].high.min()) == (3, np.uint8, 255)
                inner = inner["summary"]
            assert all(isinstance(field, spaces.Box | spaces.MultiBinary) for field in inner.spaces.values())
        else:
            assert space["observation"].dtype == np.float32
            assert len(space["observation"].shape) == 1


def test_the_vector_is_the_dict_in_one_array() -> None:
    """Same fields in the same order, each scaled by a factor of its own; the layout names the slices."""
    options: dict[str, Any] = {"config": CROWD | {"n_tasks": 5}, "game_map": "small", "speech": "tokens"}
    named, flat = (quack_env.raw_env(**options, observation=mode) for mode in ("dict", "vector"))
    named.reset(seed=1)
    flat.reset(seed=1)
    factors: dict[str, set[float]] = {}
    chance, actions = random.Random(1), actions_of(named)
    while not named.game.over:
        fields, vector = named.last()[0]["observation"], flat.last()[0]["observation"]
        assert list(fields) == list(flat.layout.slices)
        assert vector.size == sum(field.size for field in fields.values())
        for name, field in fields.items():
            part = vector[flat.layout.slices[name]]
            assert np.array_equal(part != 0, field.ravel() != 0)
            factors.setdefault(name, set()).update(np.round(part[part != 0] / field.ravel()[part != 0], 6).tolist())
        action = eventful(named.last()[0]["action_mask"], chance, actions)
        named.step(action)
        flat.step(action)
    assert all(len(factor) <= 1 for factor in factors.values())


@pytest.mark.parametrize("speech", SPEECH)
@pytest.mark.parametrize("form", list(FORMS))
def test_an_action_space_without_a_mask_draws_legal_actions(form: str, speech: str) -> None:
    env = FORMS[form](game_map=HOUSE, config={"n_tasks": 2}, speech=speech)
    env.reset(seed=0)
    for agent in env.agents:
        env.action_space(agent).seed(0)
    if form == "parallel_env":
        while env.agents:
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        return
    for agent in env.agent_iter():
        *_, termination, _, _ = env.last()
        env.step(None if termination else env.action_space(agent).sample())


@pytest.mark.parametrize("speech", SPEECH)
def test_an_action_space_takes_a_plain_mask(speech: str) -> None:
    env = quack_env.raw_env(speech=speech)
    env.reset(seed=0)
    mask = np.zeros(env.last()[0]["action_mask"].shape, np.int8)
    mask[3] = 1
    drawn = env.action_space("player_0").sample(mask)
    assert (drawn["action"] if speech == "text" else drawn) == 3


def test_a_text_action_space_takes_numbers_and_dicts_and_any_unicode() -> None:
    space = quack_env.raw_env(speech="text").action_space("player_0")
    for good in (0, np.int64(3), {"action": 0}, {"action": 0, "say": ""}, {"action": 0, "say": None}):
        assert space.contains(good)
    assert space.contains({"action": 0, "say": "é" * 500})
    assert space.contains({"action": np.int64(1), "say": "Wer war es? \U0001f986 谁?"})
    for bad in (-1, 10**6, "wait", None, {"say": "x"}, {"action": 0, "say": "x" * 501}, {"action": 0, "shout": "x"}):
        assert not space.contains(bad)


@pytest.mark.parametrize("form", ["raw_env", "parallel_env"])
def test_the_state_for_centralised_critics_tells_what_no_goose_observes(form: str) -> None:
    def position(duck: int) -> tuple[bytes, bytes]:
        env = house(form, observation="vector")
        shown = arrange(env, ["hall"] * 5, ducks=[duck], order=[4, 0, 1, 2, 3])
        seen = env.observe("player_4") if form == "raw_env" else shown[0]["player_4"]
        assert env.state_space.contains(env.state())
        assert env.state().dtype == np.float32
        return env.state().tobytes(), seen["observation"].tobytes()

    assert position(0)[0] != position(1)[0]
    assert position(0)[1] == position(1)[1]
