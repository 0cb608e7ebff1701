"""The images of a batch are those of the scalar forms, and what stands beside them stays the same."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import quack_env
from quack_env.base import IMAGES
from quack_env.errors import ConfigError
from quack_env.vector.env import vector_env

from .conftest import Make, legal

OPTIONS: dict[str, Any] = {"game_map": "small", "n_players": 5, "max_ticks": 8, "config": {"n_tasks": 2}}
SIZES = (64, 80)
"""Of the two images."""


def same_images(batched: Any, scalar: Any, place: Any) -> None:
    """Both images at a place of the batch are those of a scalar observation, to the bit."""
    for name in IMAGES:
        drawn, expected = batched[name][place], scalar["observation"][name]
        assert (drawn.dtype, drawn.shape, drawn.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())


@pytest.mark.parametrize("speech", ["off", "tokens"])
def test_images_of_the_turn_form_are_those_of_the_aec_form(make: Make, speech: str) -> None:
    envs = make(2, speech=speech, observation="image+vector", image_size=SIZES)
    scalar = [quack_env.raw_env(**OPTIONS, speech=speech, image_size=SIZES) for _ in range(2)]
    observations, _ = envs.reset(seed=1)
    rng = np.random.default_rng(0)
    for g, env in enumerate(scalar):
        env.reset(seed=int(envs.seeds[g]))
    for _ in range(90):
        for g, env in enumerate(scalar):
            same_images(observations, env.observe(env.agent_selection), g)
        actions = legal(envs, rng)
        observations, _, done, _, infos = envs.step(actions)
        for g, env in enumerate(scalar):
            env.step(int(actions[g]))
            if done[g]:
                for i, agent in enumerate(env.possible_agents):
                    same_images(infos["final_obs"], env.observe(agent), (g, i))
                env.reset(seed=int(envs.seeds[g]))
    assert envs.batch.episode.min() >= 1


def test_images_of_the_parallel_form_are_those_of_the_scalar_one(make: Make) -> None:
    kills = {"n_tasks": 2, "kill_cooldown": 0}
    envs = make(2, "parallel", speech="tokens", observation="image+vector", config=kills)
    scalar = [quack_env.parallel_env(**OPTIONS | {"config": kills}) for _ in range(2)]
    observations, _ = envs.reset(seed=2)
    rng = np.random.default_rng(0)
    seen = [env.reset(seed=int(envs.seeds[g]))[0] for g, env in enumerate(scalar)]
    dead = 0
    for _ in range(25):
        for g, env in enumerate(scalar):
            for i, agent in enumerate(env.agents):
                same_images(observations, seen[g][agent], (g, i))
                dead += not observations["local_view"][g, i].any()
        actions = legal(envs, rng)
        observations, _, done, _, infos = envs.step(actions)
        for g, env in enumerate(scalar):
            seen[g] = env.step(dict(zip(env.agents, actions[g].tolist(), strict=True)))[0]
            if done[g]:
                for i, agent in enumerate(env.possible_agents):
                    same_images(infos["final_obs"], seen[g][agent], (g, i))
                seen[g] = env.reset(seed=int(envs.seeds[g]))[0]
    assert envs.batch.episode.min() >= 1
    assert dead


@pytest.mark.parametrize("form", ["turn", "parallel"])
def test_spaces_have_the_images(make: Make, form: str) -> None:
    envs = make(2, form, observation="image+vector", image_size=SIZES)
    observations, _ = envs.reset(seed=3)
    assert envs.observation_space.contains(observations)
    lead = (2,) if form == "turn" else (2, 5)
    for name, size in zip(IMAGES, SIZES, strict=True):
        assert observations[name].shape == (*lead, size, size, 3)


def test_images_change_nothing_else(make: Make) -> None:
    plain, drawn = make(3), make(3, observation="image+vector")
    rng = np.random.default_rng(0)
    plain.reset(seed=4)
    drawn.reset(seed=4)
    assert set(plain.single_observation_space.keys()) == {"observation", "action_mask"}
    for _ in range(60):
        actions = legal(plain, rng)
        one, other = plain.step(actions), drawn.step(actions)
        assert one[0]["observation"].tobytes() == other[0]["observation"].tobytes()
        assert (one[1].tobytes(), one[2].tobytes()) == (other[1].tobytes(), other[2].tobytes())


def test_a_copy_draws_by_itself(make: Make) -> None:
    envs = make(2, observation="image+vector")
    first = envs.reset(seed=5)[0]["local_view"]
    twin = copy.deepcopy(envs)
    before = first.tobytes()
    for _ in range(5):
        twin.step(legal(twin, np.random.default_rng(0)))
    assert first.tobytes() == before != twin.step(legal(twin, np.random.default_rng(0)))[0]["local_view"].tobytes()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"observation": "image"}, "observation='image': must be one of 'vector', 'image\\+vector'"),
        ({"observation": "image+vector", "image_size": 32}, "image_size=32: must be a whole number from 64"),
        (
            {"observation": "image+vector", "image_size": (64, 200)},
            "must be below 200 in a batch, which keeps no words",
        ),
    ],
)
def test_images_that_cannot_be(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        vector_env(**options)


def test_pygame_is_imported_only_to_draw() -> None:
    code = "import sys, quack_env; quack_env.vector_env(2).reset(); print('pygame' in sys.modules)"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "False"
