"""Many games at once, as a Gymnasium vector environment: batched, auto-reset, over the compiled rules."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from quack_env.base import deal_of, image_spaces, none_of, one_of, settings_of
from quack_env.briefing import AGENT
from quack_env.chance import game_key
from quack_env.config import GameConfig
from quack_env.encode.sizes import image_sizes
from quack_env.encode.vector import Layout
from quack_env.errors import ConfigError, IllegalActionError, NotResetError, QuackWarning, install
from quack_env.game import STATE_SCHEMA, Game
from quack_env.game_map import GameMap
from quack_env.outcome import REASONS, TEAMS, Outcome
from quack_env.vector.interpreted import InterpretedEngine
from quack_env.vector.kernels import Batch, episode_seed
from quack_env.world import World

FORMS = ("parallel", "turn")
OBSERVATIONS = ("vector", "image+vector")
AUTORESET = getattr(gymnasium.vector, "AutoresetMode", None)  # since Gymnasium 1.1
MOST_GAMES = 1 << 20

Observations = dict[str, NDArray[Any]]
Step = tuple[Observations, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class Engine(Protocol):
    """What runs the games of a batch, over its buffers."""

    @property
    def state_size(self) -> int | None:
        """Bytes of one game's state, where it is known."""

    def refused(self, actions: NDArray[np.int64]) -> int:
        """The index, in the order of the masks, of the first action that is not legal; -1 when there is none."""

    def step(self, actions: NDArray[np.int64], anew: bool = False) -> None:
        """Apply one action a game (turn form) or a seat; with ``anew`` deal new games instead."""

    def state_dict(self, g: int, ended: bool = False) -> dict[str, Any]:
        """The state of game g, or of the one that has just ended there, as `State.to_dict` gives it."""


class QuackVector(gymnasium.vector.VectorEnv[Observations, NDArray[Any], NDArray[Any]]):
    """B games of n agents each, stepped together; a game that ends is followed by the next one in the same step.

    Args:
        num_envs: B, how many games.
        form: "parallel": every step takes an action of every agent of every game, as the parallel environment does,
            actions (B, n), observations (B, n, V), masks (B, n, A). "turn": every step takes one decision of each
            game, that of the agent in ``actor`` (B,), as the AEC form does, actions (B,), observations (B, V), masks
            (B, A).
        seed: decides the games of the first `reset` without a seed; None for fresh ones.
        threads: how many share the games of a step; from 1 to the cores of the machine.
        config, game_map, n_players, n_ducks, max_ticks: as for `quack_env.env`.
        speech: "tokens" or "off".
        observation: "vector" (float32), or "image+vector": also both images of the scalar forms, the same to the bit,
            uint8 (B, S, S, 3) or (B, n, S, S, 3). Drawing is plain Python, and most of the time then.
        image_size: pixels of each side of both images, or of (global map, local view); 64..199.
        dead_agents: "noop": the dead have zero observations and the mask {wait} until the end (parallel form).
        copy: whether what `reset` and `step` return is the caller's to keep. Otherwise these are the buffers
            themselves, which the next step overwrites; masks must then not be written to.

    `step` returns what Gymnasium's vector API has: observations `{"observation": float32, "action_mask": int8}` (and
    "global_map" and "local_view", if asked for), rewards float32 (B, n), terminations bool (B,), truncations (never),
    infos. All agents of a game end together, with their team's reward: +1 or -1 in the step in which their game ends,
    in the turn form too for all seats. Observations and masks are then those of the next game (Gymnasium's autoreset
    mode "same step"), and the infos have

    - ``final_obs`` {"observation": float32 (B, n, V), "action_mask", ...}: the end as each seat saw it, zeros for the
      dead; only rows where ``_final_obs`` bool (B,) is set hold;
    - ``final_info``, rows where ``_final_info`` is set: ``winner`` int8 (B,) (1 Geese, 2 Ducks), ``reason`` int8 (B,)
      (index into `quack_env.outcome.REASONS`), ``outcome`` (B,) of `Outcome` or None, ``length`` int64 (B,) steps,
      ``ticks`` int64 (B,), ``seed`` int64 (B,).

    Always in the infos: ``actor`` int64 (B,) (turn form), ``lapsed`` bool (B, n) (parallel form): whose action had
    become illegal when its turn came, and became wait.

    `close` has nothing to let go of: what is closed can still be stepped, and needs not be closed.

    The seed of the k-th game in place j follows from (seed, j, k) alone, whatever is played (`seed_of`); ``seeds`` has
    those of the running games. The other forms deal the same game from the same seed.

    Raises:
        ConfigError: naming the option, its value and what is allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - declared so by Gymnasium
        "name": "quack_vector_v0",
        "render_modes": [],
        "autoreset_mode": AUTORESET.SAME_STEP if AUTORESET else "SameStep",
    }

    def __init__(
        self,
        num_envs: int = 1,
        form: str = "parallel",
        seed: int | None = None,
        threads: int = 1,
        config: GameConfig | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        game_map: GameMap | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        n_players: int | None = None,
        n_ducks: int | None = None,
        max_ticks: int | None = None,
        speech: str = "tokens",
        observation: str = "vector",
        image_size: int | tuple[int, int] = 64,
        dead_agents: str = "noop",
        copy: bool = False,
        **others: Any,
    ) -> None:
        none_of(others, QuackVector)
        self.config = settings_of(config, n_players=n_players, n_ducks=n_ducks, max_ticks=max_ticks)
        self.game_map = GameMap.load(self.config.map if game_map is None else game_map)
        self.num_envs = whole("num_envs", num_envs, 1, MOST_GAMES)
        self.form = one_of("form", form, FORMS)
        self.dead_agents = one_of("dead_agents", dead_agents, ("noop",))
        self.copy = copy
        self._seed = None if seed is None else whole("seed", seed, 0)
        self.speech: str = one_of("speech", speech, ("off", "tokens"))
        self.world = World(self.config, self.game_map, self.speech)
        self.layout = Layout(self.world, scaled=True)
        self.possible_agents = [AGENT.format(i) for i in range(self.world.n)]
        self.batch = new_batch(self.num_envs, self.world.n, self.layout.size, self.world.A, self.form)
        threads = whole("threads", threads, 1)
        self.image_size = image_size
        image_sizes(image_size)  # refused whether images are observed or not
        self._images = None
        if one_of("observation", observation, OBSERVATIONS) == "image+vector":
            from quack_env.vector.images import BatchImages  # pygame is imported only by those who draw

            self._images = BatchImages(self.config, self.game_map, self.world, self.num_envs, self.form, image_size)
        drawn = self._images is not None
        self.engine: Engine = engine_class()(self.world, self.layout, self.batch, self.form, threads, drawn)
        self._never = np.zeros(self.num_envs, np.bool_)
        self._started = False

    # --- spaces ------------------------------------------------------------------------------------------------------

    @cached_property
    def single_observation_space(self) -> spaces.Dict:  # type: ignore[override]
        """Of one game: `Dict{"observation": Box, "action_mask": Box}`, (V,) and (A,) or (n, V) and (n, A); images."""
        ahead = () if self.form == "turn" else (self.world.n,)
        high = np.broadcast_to(self.layout.high, (*ahead, self.layout.size))
        parts: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(np.zeros_like(high), high.copy(), dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (*ahead, self.world.A), np.int8),
        }
        if self._images is not None:
            for name, space in image_spaces(self.image_size).items():
                parts[name] = spaces.Box(0, 255, (*ahead, *(space.shape or ())), np.uint8)
        return spaces.Dict(parts)

    @cached_property
    def single_action_space(self) -> spaces.Discrete | spaces.MultiDiscrete:  # type: ignore[override]
        """Of one game: Discrete(A), or MultiDiscrete with one A a seat."""
        actions = self.world.A
        return spaces.Discrete(actions) if self.form == "turn" else spaces.MultiDiscrete([actions] * self.world.n)

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """Of all games."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """Of all games; what it samples may be illegal, for it sees no masks."""
        return batch_space(self.single_action_space, self.num_envs)

    # --- the buffers -------------------------------------------------------------------------------------------------

    @property
    def observations(self) -> NDArray[np.float32]:
        """The current observations."""
        return self.batch.observations  # type: ignore[no-any-return]

    @property
    def masks(self) -> NDArray[np.int8]:
        """The current masks."""
        return self.batch.masks  # type: ignore[no-any-return]

    @property
    def actor(self) -> NDArray[np.int64]:
        """The seats asked now (turn form)."""
        return self.batch.actor  # type: ignore[no-any-return]

    @property
    def seeds(self) -> NDArray[np.int64]:
        """The seeds of the running games."""
        return self.batch.seeds  # type: ignore[no-any-return]

    # --- stepping ----------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal new games in all places: with a seed the first of that seed, else the next ones of the last seed."""
        if deal_of(options) is not None:
            raise ConfigError("options: deal: a batch deals its games from seeds; the other forms deal a recording's")
        batch = self.batch
        if seed is None and self._started:
            batch.episode[:] += 1
        else:
            base = self._seed if seed is None else whole("seed", seed, 0)
            batch.key[0] = game_key(fresh_seed() if base is None else base)
            batch.episode[:] = 0
        self._started = True
        self.engine.step(np.zeros(self._shape, np.int64), anew=True)
        observations, _, _, _, infos = self._result()
        return observations, infos

    def step(self, actions: ArrayLike) -> Step:
        """Apply one legal action in every game (turn form), or of every agent in every game (parallel form).

        Raises:
            IllegalActionError: an action outside its mask; names game, agent, action and the legal set. Nothing happens
                then, in no game.
            NotResetError: before the first `reset`.
        """
        self._need_games()
        chosen = self._checked(actions)
        refused = self.engine.refused(chosen)
        if refused >= 0:
            raise self._refusal(refused, chosen)
        self.engine.step(chosen)
        return self._result()

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.batch.masks.shape[:-1]  # type: ignore[no-any-return]

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        """The actions as the kernels take them."""
        given = np.asarray(actions)
        if given.shape != self._shape or given.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions must be whole numbers of shape {self._shape}, not {given.dtype} of shape {given.shape}"
            )
        return np.array(given, np.int64, order="C")  # what is compiled takes arrays that can be written to

    def _refusal(self, refused: int, actions: NDArray[np.int64]) -> IllegalActionError:
        """The error for an action outside its mask."""
        g, i = (refused, int(self.actor[refused])) if self.form == "turn" else divmod(refused, self.world.n)
        mask = bytes(self.masks.reshape(-1, self.world.A)[refused].view(np.uint8))
        fault = self.game(g).refuse(i, int(actions.reshape(-1)[refused]), mask)
        return IllegalActionError(f"game {g}: {fault}")

    def _result(self) -> Step:
        """What `step` returns, from the buffers."""
        batch = self.batch
        observations = {"observation": batch.observations, "action_mask": batch.masks}
        if self._images is not None:
            self._images.draw(self.engine, batch)
            observations |= self._images.now
        infos: dict[str, Any] = {"actor": batch.actor} if self.form == "turn" else {"lapsed": batch.lapsed}
        if batch.done.any():
            infos |= self._ends()
        result = observations, batch.rewards, batch.done, self._never, infos
        return kept(result) if self.copy else result

    def _ends(self) -> dict[str, Any]:
        """What the infos have of the games that have just ended."""
        batch = self.batch
        outcomes = np.full(self.num_envs, None)
        for g in np.flatnonzero(batch.done):
            outcomes[g] = Outcome(TEAMS[batch.winner[g]], REASONS[batch.reason[g]])
        final = {"observation": batch.final, "action_mask": self._waiting}
        if self._images is not None:
            final |= self._images.final
        return {
            "final_obs": final,
            "_final_obs": batch.done,
            "final_info": {
                "winner": batch.winner,
                "reason": batch.reason,
                "outcome": outcomes,
                "length": batch.steps,
                "ticks": batch.ticks,
                "seed": batch.ended,
            },
            "_final_info": batch.done,
        }

    @cached_property
    def _waiting(self) -> NDArray[np.int8]:
        """The masks at the end: wait only (read only)."""
        wait = np.zeros(self.world.A, np.int8)
        wait[0] = 1
        return np.broadcast_to(wait, (self.num_envs, self.world.n, self.world.A))

    # --- single games ------------------------------------------------------------------------------------------------

    def _need_games(self) -> None:
        if not self._started:
            raise NotResetError("reset() has to be called first (no game is dealt yet)")

    def seed_of(self, g: int, episode: int) -> int:
        """The seed of the game that is, was or will be the ``episode``-th in place g, counted from 0."""
        self._need_games()
        return episode_seed(int(self.batch.key[0]), g, episode)

    def state_dict(self, g: int) -> dict[str, Any]:
        """The state of game g, in the format of `State.to_dict`."""
        self._need_games()
        state = self.engine.state_dict(g)
        ring, written = state["ring"], state["head"]
        state["ring"] = ring[:written] + [0] * (len(ring) - written)  # the rest is of an earlier game
        return state

    def game(self, g: int) -> Game:
        """A copy of game g that can be looked at and played on by itself; it has no words of the current discussion."""
        game = Game(self.config, self.game_map, self.speech)
        game.load(
            {
                "schema": STATE_SCHEMA,
                "settings": game.settings_hash(),
                "seed": int(self.seeds[g]),
                "forks": [],
                "given": None,
                "state": self.state_dict(g),
                "inbox": [[] for _ in self.possible_agents],
                "transcript": [],
            }
        )
        return game


def vector_env(
    num_envs: int = 1,
    form: Literal["parallel", "turn"] = "parallel",
    seed: int | None = None,
    threads: int = 1,
    **options: Any,
) -> QuackVector:
    """Many games at once; all options are those of `QuackVector`."""
    return QuackVector(num_envs, form, seed, threads, **options)


def new_batch(games: int, n: int, size: int, actions: int, form: str) -> Batch:
    """Zeroed buffers of a batch."""
    lead = (games,) if form == "turn" else (games, n)
    numbers = ("ticks", "steps", "ended", "seeds", "length", "episode", "actor")
    return Batch(
        observations=np.zeros((*lead, size), np.float32),
        masks=np.zeros((*lead, actions), np.int8),
        lapsed=np.zeros((games, n), np.bool_),
        rewards=np.zeros((games, n), np.float32),
        done=np.zeros(games, np.bool_),
        final=np.zeros((games, n, size), np.float32),
        winner=np.zeros(games, np.int8),
        reason=np.zeros(games, np.int8),
        key=np.zeros(1, np.uint64),
        **{name: np.zeros(games, np.int64) for name in numbers},
    )


def engine_class() -> Any:
    """The compiled engine, or the interpreted one where Numba is missing."""
    try:
        from quack_env.vector.compiled import CompiledEngine
    except ImportError as missing:
        notice(missing)
        return InterpretedEngine
    return CompiledEngine


_noticed: list[str] = []


def notice(missing: ImportError) -> None:
    """Say once in a process that the games run interpreted."""
    if not _noticed:
        _noticed.append(str(missing))
        warnings.warn(
            f"vector_env runs without Numba ({missing}): the same games, about 40 times slower; "
            f"install it with: {install('rl')}",
            QuackWarning,
            stacklevel=5,  # whoever called vector_env
        )


def kept(value: Any) -> Any:
    """A copy of nested tuples and dicts of arrays."""
    if isinstance(value, tuple):
        return tuple(kept(part) for part in value)
    if isinstance(value, dict):
        return {name: kept(part) for name, part in value.items()}
    return value.copy()


def fresh_seed() -> int:
    """A seed that nobody knows."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The value as an int, where it is a whole number within the bounds."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
        raise ConfigError(f"{name}={value!r}: must be a whole number from {low}")
    if high is not None and value > high:
        raise ConfigError(f"{name}={value!r}: must be at most {high}")
    return int(value)
