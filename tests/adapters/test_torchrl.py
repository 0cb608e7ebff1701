"""TorchRL over the parallel form: masks reach the collector, and its policy keeps to them."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import quack_env
from quack_agents.adapters.without_infos import WithoutInfos

torchrl = pytest.importorskip("torchrl", reason="TorchRL is not installed (pip install torchrl)")

import torch  # noqa: E402
from tensordict.nn import TensorDictModule  # noqa: E402
from torchrl.collectors import Collector  # noqa: E402
from torchrl.envs.libs.pettingzoo import PettingZooWrapper  # noqa: E402
from torchrl.modules import MaskedCategorical, ProbabilisticActor  # noqa: E402


def wrapped(env: Any, **more: Any) -> Any:
    """The environment for TorchRL, seeded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about PettingZoo's version
        games = PettingZooWrapper(env, **more)
    games.set_seed(3)
    return games


def test_a_collector_samples_whole_games_within_the_masks(options: dict[str, Any]) -> None:
    """The environment refuses illegal actions, so that one would end the test."""
    env = quack_env.parallel_env(observation="vector", **options)
    games = wrapped(WithoutInfos(env))
    network = TensorDictModule(
        torch.nn.Linear(env.layout.size, env.game.world.A),
        in_keys=[("player", "observation", "observation")],
        out_keys=[("player", "logits")],
    )
    policy = ProbabilisticActor(
        network,
        in_keys={"logits": ("player", "logits"), "mask": ("player", "action_mask")},
        out_keys=[("player", "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    ends, varied = 0, False
    for batch in Collector(games, policy, frames_per_batch=150, total_frames=300, auto_register_policy_transforms=True):
        masks, actions = batch["player", "action_mask"], batch["player", "action"]
        assert masks.shape == (150, 5, env.game.world.A)
        assert masks.gather(-1, actions.unsqueeze(-1)).all()
        varied |= bool((masks.sum(-1) > 1).any() and (masks.sum(-1) == 1).any())
        rewards = batch["next", "player", "reward"].squeeze(-1)
        over = batch["next", "done"].squeeze(-1)
        assert (rewards.abs().sum(-1) == 5.0 * over).all()
        ends += int(over.sum())
    assert ends > 3
    assert varied


def test_the_dead_must_stay(options: dict[str, Any]) -> None:
    """With `dead_agents="remove"` it acts for those that are gone, or else ends the game at the first death."""
    env = quack_env.parallel_env(observation="vector", dead_agents="remove", **options)
    games = wrapped(WithoutInfos(env), use_mask=True, done_on_any=False)
    with pytest.raises(quack_env.IllegalActionError, match="legal: nothing"):
        games.rollout(200, break_when_any_done=False)


def test_infos_with_words_do_not_fit(options: dict[str, Any]) -> None:
    """Why `WithoutInfos` is there; when this fails it can go."""
    with pytest.raises((TypeError, KeyError, RuntimeError)):
        wrapped(quack_env.parallel_env(observation="vector", **options)).rollout(100)


@pytest.mark.parametrize("observation", ["dict", "image+dict"])
def test_named_arrays_do_not_fit(options: dict[str, Any], observation: str) -> None:
    """Its specs take no flags of several axes."""
    with pytest.raises(TypeError, match="tuple"):
        wrapped(WithoutInfos(quack_env.parallel_env(observation=observation, **options)))
