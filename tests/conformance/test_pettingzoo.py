"""PettingZoo's own tests, for every form and option."""

from __future__ import annotations

import importlib
import random
import warnings
from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import pettingzoo
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    seed_test,
    state_test,
)
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec, turn_based_aec_to_parallel

import quack_env

from .play import AEC_FORMS, DEAD_AGENTS, OBSERVATIONS, SPEECH, actions_of, digest, eventful, frozen, moves, with_words

EXPECTED_WARNINGS = (
    # true of every environment with a Dict observation or action
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Action space for each agent probably should be gymnasium.spaces.box",
    # the observation of the dead
    "Observation numpy array is all zeros",
)

every_option = pytest.mark.parametrize(
    ("speech", "observation", "dead_agents"), list(product(SPEECH, OBSERVATIONS, DEAD_AGENTS))
)
every_aec_form = pytest.mark.parametrize("form", list(AEC_FORMS))


@pytest.fixture(autouse=True)
def only_expected_warnings() -> Iterator[None]:
    """PettingZoo reports most faults as warnings: any but the expected ones fail the test."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    surprising = [str(w.message) for w in caught if not str(w.message).startswith(EXPECTED_WARNINGS)]
    assert not surprising


def quick(speech: str, observation: str, dead_agents: str) -> dict[str, Any]:
    """Options of a short game in which people die."""
    config = {"n_players": 6, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 30}
    return {"config": config, "speech": speech, "observation": observation, "dead_agents": dead_agents}


@every_aec_form
@every_option
def test_the_aec_form_passes_the_api_test(form: str, speech: str, observation: str, dead_agents: str) -> None:
    api_test(AEC_FORMS[form](**quick(speech, observation, dead_agents)), num_cycles=40)


@every_option
def test_the_parallel_form_passes_the_api_test(speech: str, observation: str, dead_agents: str) -> None:
    parallel_api_test(quack_env.parallel_env(**quick(speech, observation, dead_agents)), num_cycles=100)


@every_aec_form
@every_option
def test_the_aec_form_passes_the_seed_test(form: str, speech: str, observation: str, dead_agents: str) -> None:
    seed_test(lambda: AEC_FORMS[form](**quick(speech, observation, dead_agents)), num_cycles=20)


@every_option
def test_the_parallel_form_passes_the_seed_test(speech: str, observation: str, dead_agents: str) -> None:
    parallel_seed_test(lambda: quack_env.parallel_env(**quick(speech, observation, dead_agents)), num_cycles=40)


@pytest.mark.parametrize("speech", SPEECH)
@every_aec_form
def test_the_state_passes_the_state_test(form: str, speech: str) -> None:
    options = quick(speech, "vector", "noop")
    state_test(AEC_FORMS[form](**options), quack_env.parallel_env(**options), num_cycles=40)


@every_option
def test_the_parallel_form_survives_conversion_to_aec(speech: str, observation: str, dead_agents: str) -> None:
    api_test(parallel_to_aec(quack_env.parallel_env(**quick(speech, observation, dead_agents))), num_cycles=40)


@pytest.mark.parametrize("speech", SPEECH)
def test_a_converted_parallel_game_is_the_parallel_game(speech: str) -> None:
    """Actions with words included: every one reaches the game as it was given."""
    options = quick(speech, "dict", "noop")
    plain, converted = quack_env.parallel_env(**options), parallel_to_aec(quack_env.parallel_env(**options))
    observations, _ = plain.reset(seed=5)
    converted.reset(seed=5)
    chance = random.Random(1)
    while plain.agents:
        chosen = moves(plain, observations, chance)
        for agent in plain.agents:
            assert converted.agent_selection == agent
            assert frozen(converted.observe(agent)) == frozen(observations[agent])
            converted.step(chosen[agent])
        observations, *_ = plain.step(chosen)
        assert digest(converted) == digest(plain)
        assert converted.unwrapped.game.inbox == plain.game.inbox


@every_option
def test_the_aec_form_passes_the_api_test_of_its_turn_based_conversion(
    speech: str, observation: str, dead_agents: str
) -> None:
    parallel_api_test(
        turn_based_aec_to_parallel(quack_env.env(**quick(speech, observation, dead_agents))), num_cycles=60
    )


def test_a_game_through_the_turn_based_conversion_is_the_same_game() -> None:
    options = quick("text", "dict", "noop")
    plain, converted = quack_env.env(**options), turn_based_aec_to_parallel(quack_env.env(**options))
    plain.reset(seed=5)
    converted.reset(seed=5)
    chance, actions = random.Random(1), actions_of(plain)
    while plain.agents and not plain.terminations[plain.agent_selection]:
        action = with_words(eventful(plain.last()[0]["action_mask"], chance, actions), chance, "text")
        nothing: dict[str, Any] = dict.fromkeys(plain.agents, 0)
        converted.step(nothing | {plain.agent_selection: action})
        plain.step(action)
        assert digest(converted) == digest(plain)


@every_aec_form
def test_the_aec_form_refuses_a_conversion_that_expects_agents_in_a_cycle(form: str) -> None:
    """Who is asked next depends on what was done, so a cycle-wise conversion would break in mid-game."""
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(AEC_FORMS[form]())


@pytest.mark.parametrize("speech", SPEECH)
def test_the_performance_benchmark_runs(speech: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its five seconds pass at a second a look at the clock."""
    clock = iter(range(1_000))
    benchmark = importlib.import_module("pettingzoo.test.performance_benchmark")
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(time=lambda: next(clock)))
    performance_benchmark(quack_env.env(speech=speech, max_ticks=10))


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no make")
@pytest.mark.parametrize(("kind", "base"), [("aec", pettingzoo.AECEnv), ("parallel", pettingzoo.ParallelEnv)])
def test_pettingzoo_makes_the_environment_by_name(kind: Any, base: type) -> None:
    env: Any = pettingzoo.make(kind, "quack_env/Quack-v0", n_players=4)
    env.reset(seed=0)
    assert isinstance(env, base)
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
