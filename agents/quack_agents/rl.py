"""Trained networks as players: `rl:duck`, `rl:goose` (shipped), `rl:PATH.npz`, `rl:PATH.zip` (of MaskablePPO)."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quack_agents.adapters.relative import relative_actions
from quack_agents.base import Action, Agent
from quack_env.briefing import AGENT, Briefing
from quack_env.config import GameConfig
from quack_env.encode.vector import Layout, vector
from quack_env.errors import ConfigError, QuackWarning, install
from quack_env.events import ROLES
from quack_env.game_map import GameMap
from quack_env.info import Info
from quack_env.spaces import MaskedDiscrete
from quack_env.view import View
from quack_env.world import SPEECH, World
from quack_env.yaml_file import one_line, shown

SHIPPED = ("duck", "goose")
KNOWN = f"{', '.join(f'rl:{name}' for name in SHIPPED)}, or rl:PATH of a .npz or .zip"
SCHEMA = 1
ACTIVATIONS: dict[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
}
"""What stands between the layers of an exported network."""
AS = {"role": "as {}", "agent": "in {}"}
"""How a warning says what a network learnt, and plays."""
Choose = Callable[[NDArray[np.float32], NDArray[np.bool_]], int]
"""(observation (V,), mask (A,)) -> action; both in the words of the seat."""


class RLPolicy(Agent):
    """Takes the action that its network finds best; it draws nothing, so a seed changes nothing.

    It makes the vector observation from its view, whichever form the environment shows, and names players as that does,
    from its own seat (`quack_agents.adapters.relative`).

    Args:
        source: a shipped network's name, a file of `save_network`, or a model saved by sb3-contrib's
            MaskablePPO that was trained over `quack_agents.adapters.sb3.QuackVecEnv`, or in one seat
            (`quack_env/Seat-v0` with observation "vector").

    Raises:
        ConfigError: where the file cannot be read, needs a package that is missing, was trained over another
            environment, or (`check_game`) for other games.

    It is pickled as its source, from which it is read again.
    """

    def __init__(self, source: str = "") -> None:
        if not isinstance(source, str):
            raise ConfigError(f"policy={shown(source)}: must be {KNOWN} (without rl:)")
        self.source = source
        self.name = f"rl:{source}" if source else "rl"
        file = Path(str(files("quack_agents") / "checkpoints" / f"{source}.npz")) if source in SHIPPED else Path(source)
        if file.suffix not in (".npz", ".zip"):
            raise ConfigError(f"policy={self.name!r}: must be {KNOWN}")
        if not file.is_file():
            raise ConfigError(f"policy={self.name!r}: no such file (a path is seen from the working directory)")
        self._about, self._sizes, self._choose = (from_arrays if file.suffix == ".npz" else from_sb3)(file, self.name)
        self._place: tuple[Briefing, int] | None = None
        self._world: World | None = None
        self._warned: set[tuple[int, int]] = set()
        self._layout: Layout
        self._table: NDArray[np.int64]

    def check_game(self, world: World, game_map: GameMap) -> None:
        """Refuse what the network was not trained for."""
        here = {"n_players": world.n, "rooms": list(game_map.rooms), "speech": SPEECH[world.speech]}
        told = self._about
        wrong = [key for key in here if key in told and told[key] != here[key]]
        if wrong:
            other = "; ".join(f"{key} {told[key]!r}, not {here[key]!r}" for key in wrong)
            speech = told.get("speech")
            hint = f" (give speech={speech!r}, or --speech {speech})" if "speech" in wrong else ""
            raise ConfigError(f"policy={self.name!r}: was trained for {other}{hint}")
        sizes = Layout(world, scaled=True).size, world.A
        if self._sizes != sizes:
            raise ConfigError(
                f"policy={self.name!r}: was trained for observations and actions of sizes {self._sizes}, "
                f"not {sizes}: other players, rooms, rules or speech"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source,)

    def reset(self, info: Info, seed: int) -> None:
        """Look whether the game is one that the network was trained for; warn of another role or agent than its own,
        once of each."""
        self._sit(info["briefing"], info["view"])

    def __call__(self, observation: Any, info: Info) -> Action:
        """The best legal action; in its first one of a game it looks at the game as `reset` does."""
        try:
            briefing, view = info["briefing"], info["view"]
        except (KeyError, TypeError):
            told = "decides by the info of an environment, which has 'briefing' and 'view'"
            raise ConfigError(f"policy={self.name!r}: {told}, not {shown(info)}") from None
        if self._place != (briefing, view.me):
            self._sit(briefing, view)
        table = self._table[view.me]
        mask = info["action_mask"][table] > 0
        return int(table[self._choose(vector(briefing.world, self._layout, view), mask)])

    def _sit(self, briefing: Briefing, view: View) -> None:
        """Take a seat in a game."""
        if self._world is not briefing.world:
            self._settle(briefing)
        self._place = briefing, view.me
        told = self._about
        here = {"role": ROLES[view.duck], "agent": AGENT.format(view.me)}
        other = [key for key in here if told.get(key, here[key]) != here[key]]
        if other and (view.me, view.duck) not in self._warned:
            self._warned.add((view.me, view.duck))
            learnt, plays = (" ".join(AS[key].format(place[key]) for key in other) for place in (told, here))
            warnings.warn(f"policy={self.name!r}: learnt {learnt}, and plays here {plays}", QuackWarning, stacklevel=3)

    def _settle(self, briefing: Briefing) -> None:
        """Make what depends on the sizes of the game."""
        world = briefing.world
        self.check_game(world, briefing.game_map)
        self._world, self._layout = world, Layout(world, scaled=True)
        is_relative = self._about.get("relative_actions", True)
        self._table = relative_actions(world) if is_relative else np.tile(np.arange(world.A), (world.n, 1))


def save_network(
    file: Path,
    layers: Sequence[tuple[NDArray[Any], NDArray[Any]]],
    config: GameConfig,
    game_map: GameMap,
    speech: str,
    activation: str = "relu",
    **about: Any,
) -> None:
    """Write a network that `rl:PATH` plays: (weights (in, out), biases (out,)) a layer.

    Args:
        file: to write, ".npz".
        layers: from the vector observation to a number for every action; they are stored in half precision.
        config, game_map, speech: of the games it was trained for.
        activation: "relu" or "tanh", between the layers.
        about: anything else to keep in the file, JSON-ready; ``relative_actions=False`` says that its actions are those
            of the game, and do not count seats from the own one, ``role`` ("goose", "duck") and ``agent`` ("player_0")
            that it was trained for these alone.
    """
    arrays: dict[str, Any] = {}
    for k, parts in enumerate(layers):
        for kind, part in zip(("weight", "bias"), parts, strict=True):
            arrays[f"{kind}_{k}"] = part.astype(np.float16)
    told = {
        "schema": SCHEMA,
        "n_players": config.n_players,
        "rooms": list(game_map.rooms),
        "speech": speech,
        "config": config.to_dict(),
        "activation": activation,
        **about,
    }
    np.savez_compressed(file, about=np.array(json.dumps(told)), **arrays)


def from_arrays(file: Path, name: str) -> tuple[dict[str, Any], tuple[int, int], Choose]:
    """What a network of exported arrays was trained for, its (V, A), and how it chooses."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            about = json.loads(str(arrays["about"]))
            count = sum(key.startswith("weight_") for key in arrays.files)
            layers = [
                tuple(arrays[f"{kind}_{k}"].astype(np.float32) for kind in ("weight", "bias")) for k in range(count)
            ]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        raise ConfigError(f"policy={name!r}: {file} is no exported network, or damaged") from None
    if about.get("schema") != SCHEMA or not layers:
        raise ConfigError(f"policy={name!r}: {file} has schema {about.get('schema')!r}, must be {SCHEMA}")
    activate = ACTIVATIONS.get(about.get("activation", "relu"))
    if activate is None:
        allowed = " or ".join(map(repr, ACTIVATIONS))
        raise ConfigError(f"policy={name!r}: {file} has activation {about['activation']!r}, must be {allowed}")
    *hidden, (last, bias) = layers

    def choose(observation: NDArray[np.float32], mask: NDArray[np.bool_]) -> int:
        for weight, shift in hidden:
            observation = activate(observation @ weight + shift)
        return int(np.where(mask, observation @ last + bias, -np.inf).argmax())

    return about, (len(layers[0][0]), len(bias)), choose


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch computes with one thread in here, and with as many as before afterwards.

    For one decision several only wait for each other; and a process that has used several cannot be forked: its
    children wait for them for ever.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def from_sb3(file: Path, name: str) -> tuple[dict[str, Any], tuple[int, int], Choose]:
    """The same of a model saved by MaskablePPO; of the games it was trained for only the sizes are in there."""
    try:
        from sb3_contrib import MaskablePPO
    except ImportError as missing:
        raise ConfigError(f"policy={name!r}: needs sb3-contrib ({missing}): {install('train')}") from None
    try:
        with one_thread():
            model = MaskablePPO.load(file, device="cpu")
    except Exception as fault:  # whatever is in there is unpickled
        raise ConfigError(f"policy={name!r}: {file} is no model of MaskablePPO ({one_line(fault)})") from None
    seen, actions = model.observation_space, model.action_space
    of_seat = isinstance(seen, spaces.Dict) and seen.keys() == {"observation", "action_mask"}
    shape = (seen["observation"] if of_seat else seen).shape
    if shape is None or len(shape) != 1 or not hasattr(actions, "n"):
        raise ConfigError(
            f"policy={name!r}: {file} was trained neither on QuackVecEnv nor in a seat with observation='vector'; "
            "only models that were can be played"
        )

    def choose(observation: NDArray[np.float32], mask: NDArray[np.bool_]) -> int:
        given = {"observation": observation, "action_mask": mask.astype(np.int8)} if of_seat else observation
        with one_thread():
            action, _ = model.predict(given, action_masks=mask, deterministic=True)
        return int(action)

    if isinstance(actions, MaskedDiscrete):  # a seat's actions are those of the game
        about = {"relative_actions": False, "agent": actions.agent}
        about |= {"role": actions.role} if actions.role else {}
    else:
        about = {"relative_actions": getattr(actions, "relative", True)}
    return about, (shape[0], int(actions.n)), choose
