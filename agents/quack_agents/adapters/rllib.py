"""RLlib: the parallel form as a `MultiAgentEnv`, and a PPO module whose network never does what the mask forbids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

import quack_env
from quack_agents.adapters.relative import relative_actions
from quack_env.errors import ConfigError, install

try:
    import ray
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import ValueFunctionAPI
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as missing:
    raise ConfigError(f"RLlib is missing ({missing}): {install('ray')}") from missing

SHARED = "shared"
"""The one policy of all seats."""

Seats = dict[str, Any]
"""Something for every agent."""


class QuackRLlib(MultiAgentEnv):  # type: ignore[misc,unused-ignore]
    """`quack_env.parallel_env` for RLlib: all agents act in every step, and end together with their team's reward.

    Observations are `{"observation": float32 (V,), "action_mask": int8 (A,)}`; whoever is not asked (in transit, not
    the speaker, dead) has the mask {wait}.

    Args:
        config: options of `quack_env.parallel_env`, and ``relative_actions`` (True): whether actions about players
            count seats from the own one, as the observation does (`adapters.relative`); otherwise they are those of the
            game.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        options = dict(config or {})
        relative = options.pop("relative_actions", True)
        self.env = quack_env.parallel_env(observation="vector", **options)
        world = self.env.game.world
        numbers = np.tile(np.arange(world.A), (world.n, 1))
        self.agents = self.possible_agents = self.env.possible_agents
        table = relative_actions(world) if relative else numbers
        self._numbers = dict(zip(self.possible_agents, table, strict=True))
        self.observation_spaces = {agent: self.env.observation_space(agent) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(world.A) for agent in self.possible_agents}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seats, Seats]:
        """Deal a new game: the one of ``seed``, or the next of the last seeded reset."""
        return self._shown(self.env.reset(seed=seed)[0]), {}

    def step(self, action_dict: Seats) -> tuple[Seats, Seats, Seats, Seats, Seats]:
        """Apply one action of every agent.

        Raises:
            IllegalActionError: an action outside its mask.
        """
        actions = {agent: self.number(agent, action) for agent, action in action_dict.items()}
        observations, rewards, terminations, truncations, _ = self.env.step(actions)
        terminations["__all__"], truncations["__all__"] = not self.env.agents, False
        return self._shown(observations), rewards, terminations, truncations, {}

    def number(self, agent: str, action: int) -> int:
        """The number in the game of what an agent calls an action."""
        return int(self._numbers[agent][action])

    def _shown(self, observations: Seats) -> Seats:
        """The observations, with each mask in the words of its agent."""
        for agent, observation in observations.items():
            observation["action_mask"] = observation["action_mask"][self._numbers[agent]]
        return observations


class MaskedModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc,unused-ignore]
    """A network with a policy and a value head; actions outside the mask have no probability.

    ``model_config``: ``layers``, the widths of its hidden layers ([256, 256]).
    """

    def setup(self) -> None:
        """Build the network."""
        width = self.observation_space["observation"].shape[0]
        layers: list[torch.nn.Module] = []
        for next_width in self.model_config.get("layers", [256, 256]):
            layers += [torch.nn.Linear(width, next_width), torch.nn.ReLU()]
            width = next_width
        self.body = torch.nn.Sequential(*layers)
        self.logits = torch.nn.Linear(width, self.action_space.n)
        self.value = torch.nn.Linear(width, 1)
        torch.nn.init.orthogonal_(self.logits.weight, 0.01)  # at first all legal actions are about as likely

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """The logits of the actions, masked."""
        seen = batch[Columns.OBS]
        features = self.body(seen["observation"])
        logits = self.logits(features)
        least = torch.finfo(logits.dtype).min
        masked = logits.masked_fill(seen["action_mask"] == 0, least)
        return {Columns.ACTION_DIST_INPUTS: masked, Columns.EMBEDDINGS: features}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """The value of each observation."""
        features = self.body(batch[Columns.OBS]["observation"]) if embeddings is None else embeddings
        return self.value(features).squeeze(-1)


def join(address: str | None, processes: int) -> None:
    """Join the Ray cluster at an address, or start one here that runs so many processes side by side."""
    here: dict[str, Any] = {} if address else {"num_cpus": processes, "include_dashboard": False}
    ray.init(address or "local", logging_level="error", **here)


def shared(agent: str, episode: Any, **kwargs: Any) -> str:
    """The policy of an agent: the one of all."""
    return SHARED


def shared_ppo(options: Mapping[str, Any], layers: tuple[int, ...] = (256, 256)) -> PPOConfig:
    """PPO in which one masked network plays every seat, to be configured further.

    Args:
        options: of `QuackRLlib`.
        layers: widths of the network.
    """
    module = RLModuleSpec(module_class=MaskedModule, model_config={"layers": list(layers)})
    return (
        PPOConfig()
        .environment(QuackRLlib, env_config=dict(options), disable_env_checking=True)  # it would play illegal actions
        .multi_agent(policies={SHARED}, policy_mapping_fn=shared)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={SHARED: module}))
    )
