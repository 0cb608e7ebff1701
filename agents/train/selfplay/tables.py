"""Where training games are played: batched ones over the vector environment, and ones with scripted players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

import quack_env
from quack_agents import ScriptedPolicy
from quack_agents.adapters.relative import relative_actions
from quack_env.chance import policy_seed

LEARNER, SCRIPTED = 0, -1
"""Owners of a seat; from 1 on it is a past self."""
Owners = Callable[[NDArray[np.bool_], np.random.Generator], NDArray[np.int64]]
"""(is it a Duck (n,), draws) -> owner of each seat (n,)."""


class Asked(NamedTuple):
    """The decisions to take now, a row each."""

    game: NDArray[np.int64]
    seat: NDArray[np.int64]
    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    """In the words of the seat (`relative_actions`)."""


class Tables(Protocol):
    """A set of games that begin together, and are played until the last one has ended."""

    owners: NDArray[np.int64]
    """(G, n)."""
    ducks: NDArray[np.bool_]
    """(G, n)."""
    rewards: NDArray[np.float32]
    """(G, n), of the games that have ended."""

    def begin(self, draws: np.random.Generator) -> None:
        """Deal new games."""

    def asked(self) -> Asked | None:
        """What networks are to decide now; None when all games have ended."""

    def step(self, actions: NDArray[np.int64]) -> None:
        """Take one action, in the words of its seat, for each row of the last `asked`."""


class VectorTables:
    """Games in the vector environment: networks in all seats. Who has but one legal action is not asked."""

    def __init__(self, games: int, owners: Owners, **options: Any) -> None:
        self.env = quack_env.vector_env(games, form="parallel", **options)
        self.table = relative_actions(self.env.world)
        self.assign = owners
        self.lapsed = 0

    def begin(self, draws: np.random.Generator) -> None:
        """Deal new games."""
        self.env.reset(seed=int(draws.integers(1 << 62)))
        self.ducks = self.env.observations[:, :, self.env.layout.at["duck"]] > 0
        self.owners = np.stack([self.assign(ducks, draws) for ducks in self.ducks])
        self.rewards = np.zeros(self.ducks.shape, np.float32)
        self.running = np.ones(len(self.ducks), np.bool_)

    def asked(self) -> Asked | None:
        """What networks are to decide now; None when all games have ended."""
        if not self.running.any():
            return None
        masks = self.env.masks
        self.rows = np.nonzero((masks.sum(-1) > 1) & self.running[:, None])
        game, seat = self.rows
        legal = np.take_along_axis(masks[game, seat], self.table[seat], axis=1).astype(np.bool_)
        return Asked(game, seat, self.env.observations[game, seat], legal)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Take one action for each row; places whose game has ended play on with any action, unseen."""
        chosen = self.env.masks.argmax(-1)
        chosen[self.rows] = self.table[self.rows[1], actions]
        _, rewards, done, _, infos = self.env.step(chosen)
        ended = done & self.running
        self.rewards[ended] = rewards[ended]
        self.lapsed += int(infos["lapsed"][self.running].sum())
        self.running &= ~done


class ScriptedTables:
    """Games with scripted players in the seats that are `SCRIPTED`; networks are asked in the others.

    Args:
        personas: drawn from, a game at a time.
    """

    def __init__(self, games: int, owners: Owners, personas: tuple[str, ...] = ("default",), **options: Any) -> None:
        self.envs = [quack_env.raw_env(observation="vector", **options) for _ in range(games)]
        self.table = relative_actions(self.envs[0].game.world)
        self.assign = owners
        self.personas = personas
        n = self.envs[0].game.world.n
        self.players: list[list[ScriptedPolicy]] = [[] for _ in range(games)]
        self.ducks = np.zeros((games, n), np.bool_)
        self.owners = np.zeros((games, n), np.int64)

    def begin(self, draws: np.random.Generator) -> None:
        """Deal new games."""
        self.deal([int(seed) for seed in draws.integers(1 << 62, size=len(self.envs))], draws)

    def deal(self, seeds: Sequence[int], draws: np.random.Generator) -> None:
        """Deal the games of these seeds."""
        self.rewards = np.zeros(self.ducks.shape, np.float32)
        for g, (env, seed) in enumerate(zip(self.envs, seeds, strict=True)):
            env.reset(seed=seed)
            self.ducks[g] = [env.game.state.ducks >> i & 1 for i in range(self.ducks.shape[1])]
            self.owners[g] = self.assign(self.ducks[g], draws)
            persona = self.personas[int(draws.integers(len(self.personas)))]
            self.players[g] = [ScriptedPolicy(persona) for _ in env.possible_agents]
            for i in np.flatnonzero(self.owners[g] == SCRIPTED):
                self.players[g][i].reset(env.infos[env.possible_agents[i]], policy_seed(seed, int(i)))
            self.advance(g)

    def advance(self, g: int) -> None:
        """Let the scripted play until a network is asked or the game is over."""
        env, players, owners = self.envs[g], self.players[g], self.owners[g]
        game = env.game
        while not game.over:
            i = game.state.current
            if owners[i] != SCRIPTED:
                return
            env.step(players[i](None, env.infos[env.agent_selection]))
        self.rewards[g] = list(env.rewards.values())

    def asked(self) -> Asked | None:
        """What networks are to decide now; None when all games have ended."""
        self.rows = [g for g, env in enumerate(self.envs) if not env.game.over]
        if not self.rows:
            return None
        game = np.array(self.rows)
        seat = np.array([self.envs[g].game.state.current for g in self.rows])
        seen = [self.envs[g].last()[0] for g in self.rows]
        masks = np.stack([s["action_mask"] for s in seen])
        legal = np.take_along_axis(masks, self.table[seat], axis=1).astype(np.bool_)
        return Asked(game, seat, np.stack([s["observation"] for s in seen]), legal)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Take one action for each row."""
        for g, action in zip(self.rows, actions, strict=True):
            env = self.envs[g]
            env.step(int(self.table[env.game.state.current, action]))
            self.advance(g)


# --- who sits where --------------------------------------------------------------------------------------------------


def duck_alone(ducks: NDArray[np.bool_], draws: np.random.Generator) -> NDArray[np.int64]:
    """The Ducks learn against scripted Geese."""
    return np.where(ducks, LEARNER, SCRIPTED)


def all_geese(ducks: NDArray[np.bool_], draws: np.random.Generator) -> NDArray[np.int64]:
    """The Geese learn against scripted Ducks."""
    return np.where(ducks, SCRIPTED, LEARNER)


def one_goose(ducks: NDArray[np.bool_], draws: np.random.Generator) -> NDArray[np.int64]:
    """One Goose learns among scripted players."""
    owners = np.full(len(ducks), SCRIPTED)
    owners[draws.choice(np.flatnonzero(~ducks))] = LEARNER
    return owners


def scripted(ducks: NDArray[np.bool_], draws: np.random.Generator) -> NDArray[np.int64]:
    """Nobody learns."""
    return np.full(len(ducks), SCRIPTED)


def against_past(selves: int) -> Owners:
    """All seats learn, or one side does against one of ``selves`` past selves: each of the three as often."""

    def owners(ducks: NDArray[np.bool_], draws: np.random.Generator) -> NDArray[np.int64]:
        learning, past = draws.integers(3), 1 + draws.integers(selves)
        learner = np.ones(len(ducks), np.bool_) if learning == 2 else ducks == (learning == 1)
        return np.where(learner, LEARNER, past)

    return owners
