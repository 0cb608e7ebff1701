"""Stable-Baselines3: every seat of every game is one environment of a `VecEnv`, with `action_masks`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quack_agents.adapters.relative import relative_actions
from quack_agents.rl import ACTIVATIONS, save_network
from quack_env import vector_env
from quack_env.errors import ConfigError, install
from quack_env.world import SPEECH
from quack_env.yaml_file import shown

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as missing:
    raise ConfigError(f"Stable-Baselines3 is missing ({missing}): {install('train')}") from missing


class SeatActions(spaces.Discrete):
    """The actions of a seat, Discrete(A); a saved model keeps with them how they name players.

    Args:
        n: A.
        relative: whether they count seats from the own one.
    """

    def __init__(self, n: int, relative: bool) -> None:
        super().__init__(n)
        self.relative = relative


class QuackVecEnv(VecEnv):  # type: ignore[misc,unused-ignore]
    """B games of n seats as B * n environments; environment g * n + i is seat i of game g.

    Observations are float32 (B * n, V), the actions Discrete(A); `action_masks` is what sb3-contrib's MaskablePPO asks
    for. Whoever is not asked (in transit, not the speaker, dead) has the mask {wait}. A game ends in all its seats at
    once, with their team's reward; their infos then have "terminal_observation" and "winner" (1 Geese, 2 Ducks).

    Args:
        num_games: B.
        relative_actions: whether actions about players count seats from the own one, as the observation does
            (`adapters.relative`); otherwise they are those of the game.
        options: those of `quack_env.vector_env`, the form left out.

    Raises:
        ConfigError: naming the option, its value and what is allowed.
    """

    def __init__(self, num_games: int = 64, relative_actions: bool = True, **options: Any) -> None:
        if "form" in options:
            raise ConfigError(f"form={shown(options['form'])}: QuackVecEnv plays the parallel form; leave it out")
        self.games = vector_env(num_games, form="parallel", **options)
        self.relative = relative_actions
        world = self.games.world
        self._table = _table(world, relative_actions)
        self._seat = np.tile(np.arange(world.n), num_games)
        self._row = np.arange(num_games * world.n)
        self._actions: NDArray[np.int64] = np.zeros(len(self._row), np.int64)
        self.lapsed = 0
        """How many actions became illegal before their turn came, and so a wait."""
        box = spaces.Box(np.zeros_like(self.games.layout.high), self.games.layout.high, dtype=np.float32)
        super().__init__(len(self._row), box, SeatActions(world.A, relative_actions))

    def reset(self) -> NDArray[np.float32]:
        """Deal new games; after `seed(s)` those of s."""
        seed = self._seeds[0]
        self.games.reset(seed=seed)
        self._reset_seeds()
        self._reset_options()
        return self._flat(self.games.observations)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool (B * n, A): what each seat may do now."""
        masks = self.games.masks.reshape(len(self._row), -1)
        if self.relative:
            masks = np.take_along_axis(masks, self._table[self._seat], axis=1)
        return masks.astype(np.bool_)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions of all seats."""
        self._actions = self._table[self._seat, np.asarray(actions).reshape(-1)]

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Step all games.

        Raises:
            IllegalActionError: an action outside its mask.
        """
        n = self.games.world.n
        _, rewards, done, _, infos = self.games.step(self._actions.reshape(-1, n))
        self.lapsed += int(infos["lapsed"].sum())
        notes: list[dict[str, Any]] = [{} for _ in self._row]
        for g in np.flatnonzero(done):
            for i in range(n):
                notes[g * n + i] = {
                    "terminal_observation": infos["final_obs"]["observation"][g, i].copy(),
                    "winner": int(infos["final_info"]["winner"][g]),
                    "TimeLimit.truncated": False,
                }
        return self._flat(self.games.observations), rewards.reshape(-1).copy(), done.repeat(n), notes

    @staticmethod
    def _flat(observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """A copy: the games write the next step into the same buffer."""
        return observations.reshape(-1, observations.shape[-1]).copy()

    def close(self) -> None:
        """Nothing is held."""

    # --- what VecEnv asks of its environments one by one -------------------------------------------------------------

    def _chosen(self, indices: int | Sequence[int] | None) -> NDArray[np.int64]:
        """The rows of some environments, by default of all."""
        rows: NDArray[np.int64] = self._row if indices is None else np.atleast_1d(self._row[np.asarray(indices)])
        return rows

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """The rows of `action_masks`; there is no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"{method_name}: the seats have action_masks only")
        return list(self.action_masks()[self._chosen(indices)])

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the whole, once for each seat."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: seats have no attributes of their own."""
        raise AttributeError(f"{attr_name}: seats have no attributes of their own")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """No."""
        return [False for _ in self._chosen(indices)]


def _table(world: Any, relative: bool) -> NDArray[np.int64]:
    """What to submit for every action of every seat."""
    return relative_actions(world) if relative else np.tile(np.arange(world.A), (world.n, 1))


def export(model: Any, file: str | Path, **about: Any) -> None:
    """Write what chooses in a MaskablePPO as a file of arrays, which `rl:PATH` plays with NumPy alone.

    Args:
        model: over a `QuackVecEnv`, perhaps in wrappers, with the policy "MlpPolicy" (any ``net_arch``; ReLU or Tanh).
        file: to write, ".npz".
        about: anything else to keep in the file, JSON-ready.

    Raises:
        ConfigError: where it has another environment or another network, or the file cannot be called so.
    """
    if not isinstance(file, str | os.PathLike):
        raise ConfigError(f"file={shown(file)}: must be the path of an .npz file to write")
    file = Path(file)
    if file.suffix != ".npz" or not file.parent.is_dir():
        raise ConfigError(f"{file}: must end in .npz, in a folder that exists")
    if not hasattr(model, "get_vec_normalize_env"):
        raise ConfigError(f"model={shown(model)}: must be a MaskablePPO, such as MaskablePPO.load(FILE, env=ENV)")
    if model.get_env() is None:
        needs = "load it with that it was trained on: MaskablePPO.load(FILE, env=QuackVecEnv(...))"
        raise ConfigError(f"{file}: the model has no environment, whose games the file is to name; {needs}")
    if model.get_vec_normalize_env() is not None:
        raise ConfigError(f"{file}: trained on normalized observations (VecNormalize), which players do not see")
    env = getattr(model.get_env(), "unwrapped", None)
    if not isinstance(env, QuackVecEnv):
        raise ConfigError(f"{file}: the model's environment must be a QuackVecEnv, not {type(env).__name__}")
    policy = model.policy
    inner = list(policy.mlp_extractor.policy_net)
    between = {type(layer).__name__.lower() for layer in inner[1::2]}
    flat = not list(policy.features_extractor.parameters())
    if not flat or len(between) > 1 or not between <= ACTIVATIONS.keys():
        raise ConfigError(f"{file}: the network must be plain layers with {' or '.join(ACTIVATIONS)} between them")
    layers = [*inner[::2], policy.action_net]
    save_network(
        file,
        [(layer.weight.detach().cpu().numpy().T, layer.bias.detach().cpu().numpy()) for layer in layers],
        env.games.config,
        env.games.game_map,
        SPEECH[env.games.world.speech],
        activation=min(between, default="relu"),
        relative_actions=env.relative,
        **about,
    )
