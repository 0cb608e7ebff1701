"""SuperSuit over the parallel form: many games side by side, with the masks in the observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import quack_env

supersuit = pytest.importorskip("supersuit", reason="SuperSuit is not installed (pip install supersuit)")


def play(games: Any, steps: int) -> int:
    """Random legal play, the environment refusing all else; how many seats' games ended."""
    result = games.reset()
    observations = result[0] if isinstance(result, tuple) else result
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(steps):
        masks = observations["action_mask"]
        observations, rewards, done = games.step((masks * rng.random(masks.shape)).argmax(-1))[:3]
        assert (np.abs(rewards) == done).all()
        ends += int(np.sum(done))
    games.close()
    return ends


@pytest.mark.parametrize("base", ["gymnasium", "stable_baselines3"])
@pytest.mark.parametrize("observation", ["vector", "dict", "image+dict"])
def test_games_side_by_side(options: dict[str, Any], base: str, observation: str) -> None:
    if base == "stable_baselines3":
        pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
    seats = supersuit.pettingzoo_env_to_vec_env_v1(quack_env.parallel_env(observation=observation, **options))
    games = supersuit.concat_vec_envs_v1(seats, 3, base_class=base)
    assert games.num_envs == 15
    ends = play(games, 60)
    assert ends > 0 and ends % 5 == 0


def test_games_in_other_processes(options: dict[str, Any]) -> None:
    seats = supersuit.pettingzoo_env_to_vec_env_v1(quack_env.parallel_env(observation="vector", **options))
    assert play(supersuit.concat_vec_envs_v1(seats, 4, num_cpus=2, base_class="gymnasium"), 60) > 0


def test_the_dead_must_stay(options: dict[str, Any]) -> None:
    """`dead_agents="remove"` changes the number of agents, and `black_death` takes no Dict."""
    env = quack_env.parallel_env(observation="vector", dead_agents="remove", **options)
    with pytest.raises(AssertionError, match="black_death"):
        play(supersuit.pettingzoo_env_to_vec_env_v1(env), 200)
    with pytest.raises(AssertionError, match="Box"):
        supersuit.pettingzoo_env_to_vec_env_v1(supersuit.black_death_v3(env)).reset()


def test_texts_are_not_batched(options: dict[str, Any]) -> None:
    seats = supersuit.pettingzoo_env_to_vec_env_v1(quack_env.parallel_env(observation="text", **options))
    with pytest.raises(Exception, match="AnyText"):
        play(supersuit.concat_vec_envs_v1(seats, 2, base_class="gymnasium"), 1)


def test_maskable_ppo_finds_no_masks(options: dict[str, Any]) -> None:
    """Why MaskablePPO is given `QuackVecEnv` and not these."""
    pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
    seats = supersuit.pettingzoo_env_to_vec_env_v1(quack_env.parallel_env(observation="vector", **options))
    games = supersuit.concat_vec_envs_v1(seats, 1, base_class="stable_baselines3")
    with pytest.raises(AttributeError):
        games.env_method("action_masks")
