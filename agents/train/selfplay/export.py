"""From a trained network to a file of arrays, which `rl:PATH` plays with NumPy alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quack_agents.rl import save_network
from quack_env.config import GameConfig
from quack_env.game_map import GameMap


def export(model: Any, file: Path) -> None:
    """Write the actor of a learner, with the settings of the games that it is for."""
    actor = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    config = GameConfig.load(model.options["config"])
    save_network(
        file,
        [(layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in actor if hasattr(layer, "weight")],
        config,
        GameMap.load(config.map),
        model.options["speech"],
        iteration=model.iteration,
        decisions=model.num_timesteps,
    )
