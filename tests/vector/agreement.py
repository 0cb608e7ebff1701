"""The batched environment in lock step with the scalar ones: the same states, observations, masks, rewards and ends.

    python -m tests.vector.agreement --steps 1000000          # about three minutes on one core; --engine interpreted

Every step of every game is also played by a scalar environment dealt from the same seed: the turn form by the AEC form,
the parallel form by the parallel form. The rules themselves are checked by the oracle (tests/oracle), over the scalar
ones.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import quack_env
from quack_env.vector import env as vector_module
from quack_env.vector.env import QuackVector
from quack_env.vector.interpreted import InterpretedEngine

STYLES = ("random", "tasks", "kills")


@dataclass(frozen=True)
class Setting:
    """One kind of game, its form, and how it is played."""

    name: str
    form: str
    style: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return f"{self.name}, {self.form}, {self.style}"


def setting(name: str, form: str, style: str, game_map: Any, speech: str, **config: Any) -> Setting:
    """A setting of a map, a speech mode and a config (``preset`` included)."""
    return Setting(name, form, style, {"config": config, "game_map": game_map, "speech": speech})


OPEN = {"reveal_role": True, "reveal_votes": True, "witness_kills": True}
RANDOM = quack_env.GameMap.random(23, seed=4)

QUICK = (
    setting("ship", "turn", "random", "ship", "off"),
    setting("ship, tasks of the dead dropped", "turn", "kills", "ship", "off", kill_cooldown=1, drop_dead_tasks=True),
    setting("ship, tasks", "turn", "tasks", "ship", "off", task_ticks=2),
    setting("small, 2 Ducks, nothing hidden", "turn", "kills", "small", "off", n_ducks=2, n_tasks=2, **OPEN),
    setting("small, 3 players", "turn", "random", "small", "off", n_players=3, n_tasks=0, max_ticks=12),
    setting("published", "turn", "kills", "ship", "off", preset="published", meeting_calls=3),
    setting("ship", "parallel", "tasks", "ship", "off", n_players=5, meeting_calls=4),
    setting("small, published", "parallel", "kills", "small", "off", preset="published", n_ducks=2, n_tasks=3),
    setting("23 rooms, 16 players", "parallel", "random", RANDOM, "tokens", n_players=16, n_tasks=7, max_ticks=9),
    setting("large, 12 players", "parallel", "kills", "large", "tokens", n_players=12, n_ducks=5, n_tasks=9, **OPEN),
)
"""Few kinds of records, so that little is compiled."""

MORE = (
    setting("ship, tokens", "turn", "random", "ship", "tokens", meeting_calls=6),
    setting("ship, published, tokens", "turn", "kills", "ship", "tokens", preset="published", n_ducks=2),
    setting("small, 4 players", "turn", "tasks", "small", "tokens", n_players=4, n_tasks=1, meeting_calls=9, **OPEN),
    setting("ship, tokens", "parallel", "kills", "ship", "tokens", kill_cooldown=2, meeting_calls=6),
    setting("large, 9 players", "turn", "kills", "large", "off", n_players=9, n_ducks=3, kill_cooldown=0),
    setting("23 rooms, 16 players", "turn", "random", RANDOM, "tokens", n_players=16, n_ducks=7, max_ticks=40),
    setting("5 rounds, slow", "turn", "tasks", "ship", "tokens", discussion_rounds=5, task_ticks=100, meeting_calls=90),
    setting(
        "long", "parallel", "tasks", "small", "off", n_players=8, n_ducks=2, n_tasks=1, max_ticks=400, task_ticks=9
    ),
)
SETTINGS = QUICK + MORE


def weights(world: Any, style: str) -> NDArray[np.float64]:
    """How much a style wants each action."""
    wanted = np.ones(world.A)
    if style == "tasks":
        wanted[world.act_task] = 50
    if style == "kills":
        wanted[world.act_kill : world.act_vote] = 100
        wanted[world.act_report] = 0.2
    return wanted


def choose(envs: QuackVector, wanted: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal action wherever one is due, drawn by the weights."""
    return np.asarray((envs.masks * rng.random(envs.masks.shape) ** (1 / wanted)).argmax(-1))


@dataclass
class Tally:
    """What was compared."""

    steps: int = 0  # decisions, or in the parallel form steps times agents
    games: int = 0
    lapsed: int = 0
    ends: Counter[str] = field(default_factory=Counter)


class LockStep:
    """A batch, and a scalar environment beside each of its games."""

    def __init__(self, played: Setting, games: int, seed: int) -> None:
        self.setting = played
        self.envs = QuackVector(games, played.form, seed=seed, **played.options)
        kind = quack_env.raw_env if played.form == "turn" else quack_env.parallel_env
        self.scalar = [kind(observation="vector", **played.options) for _ in range(games)]
        self.wanted = weights(self.envs.world, played.style)
        self.rng = np.random.default_rng(seed)
        self.tally = Tally()
        self.returned: list[Any] = [None] * games
        """What the parallel environments returned last."""
        self.envs.reset()
        for g in range(games):
            self.begin(g)

    def begin(self, g: int) -> None:
        """Deal the scalar game of the seed that the batch has in place g, and compare its beginning."""
        self.returned[g] = self.scalar[g].reset(seed=int(self.envs.seeds[g]))
        self.compare(g)

    def step(self) -> None:
        """One step of all games."""
        actions = choose(self.envs, self.wanted, self.rng)
        actors = self.envs.actor.copy()
        _, rewards, done, _, infos = self.envs.step(actions)
        for g, env in enumerate(self.scalar):
            if self.setting.form == "turn":
                self.same(g, "actor", env.agent_selection, f"player_{actors[g]}")
                env.step(int(actions[g]))
            else:
                self.returned[g] = env.step(dict(zip(env.agents, actions[g].tolist(), strict=True)))
                self.compare_lapses(g, infos["lapsed"][g])
            self.same(g, "done", bool(done[g]), env.game.over)
            if done[g]:
                self.compare_end(g, rewards[g], infos)
                self.begin(g)
            else:
                self.same(g, "rewards", rewards[g].any(), np.False_)
                self.compare(g)
        self.tally.steps += actions.size

    def compare(self, g: int) -> None:
        """State, observations and masks of game g."""
        env = self.scalar[g]
        self.same(g, "state", self.envs.state_dict(g), env.game.state.to_dict())
        if self.setting.form == "turn":
            seen = env.observe(env.agent_selection)
            self.same_array(g, "observation", self.envs.observations[g], seen["observation"])
            self.same_array(g, "mask", self.envs.masks[g], seen["action_mask"])
            return
        for i, agent in enumerate(env.agents):
            seen = self.returned[g][0][agent]
            self.same_array(g, f"observation of {agent}", self.envs.observations[g, i], seen["observation"])
            self.same_array(g, f"mask of {agent}", self.envs.masks[g, i], seen["action_mask"])

    def compare_lapses(self, g: int, lapsed: NDArray[np.bool_]) -> None:
        """Whose actions lapsed."""
        infos = self.returned[g][4]
        scalar = [bool(infos[agent].get("lapsed", False)) for agent in self.scalar[g].possible_agents]
        self.same(g, "lapsed", lapsed.tolist(), scalar)
        self.tally.lapsed += int(lapsed.sum())

    def compare_end(self, g: int, rewards: NDArray[np.float32], infos: dict[str, Any]) -> None:
        """Rewards, last observations and what is told of the end of game g."""
        env, final = self.scalar[g], infos["final_info"]
        given = env.rewards if self.setting.form == "turn" else self.returned[g][1]
        self.same(g, "rewards", rewards.tolist(), [given[agent] for agent in env.possible_agents])
        for i, agent in enumerate(env.possible_agents):
            seen = env.observe(agent) if self.setting.form == "turn" else self.returned[g][0][agent]
            last = infos["final_obs"]
            self.same_array(g, f"last observation of {agent}", last["observation"][g, i], seen["observation"])
            self.same_array(g, f"last mask of {agent}", last["action_mask"][g, i], seen["action_mask"])
        self.same(g, "outcome", final["outcome"][g], env.game.outcome)
        self.same(g, "seed", int(final["seed"][g]), env.game.seed)
        self.same(g, "ticks", int(final["ticks"][g]), env.game.state.tick)
        self.tally.games += 1
        self.tally.ends[env.game.outcome.reason] += 1

    def same_array(self, g: int, what: str, batched: NDArray[Any], scalar: NDArray[Any]) -> None:
        """Both arrays have the same type and bytes."""
        if batched.dtype != scalar.dtype or batched.tobytes() != scalar.tobytes():
            where = np.flatnonzero(batched != scalar)
            self.same(g, f"{what} at {where[:8]}", batched[where].tolist(), scalar[where].tolist())

    def same(self, g: int, what: str, batched: Any, scalar: Any) -> None:
        """Both values are equal; else what differs is said."""
        if batched != scalar:
            if isinstance(batched, dict):
                names = [name for name in scalar if batched[name] != scalar[name]]
                what, batched, scalar = f"{what} {names}", *([d[n] for n in names] for d in (batched, scalar))
            raise AssertionError(
                f"{self.setting}: {what} of game {g} (seed {self.envs.seeds[g]}) after {self.tally.steps} steps\n"
                f"batched: {batched}\nscalar:  {scalar}"
            )


def play(played: Setting, steps: int, games: int = 8, seed: int = 0) -> Tally:
    """Play so many steps of a setting in lock step."""
    pair = LockStep(played, games, seed)
    while pair.tally.steps < steps:
        pair.step()
    return pair.tally


def main() -> int:
    """Play all settings in turn until there are enough steps; 1 when something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=("compiled", "interpreted"), default="compiled")
    options = parser.parse_args()
    if options.engine == "interpreted":
        vector_module.engine_class = lambda: InterpretedEngine
    total = Tally()
    for number, played in enumerate(SETTINGS):
        try:
            tally = play(played, options.steps // len(SETTINGS) + 1, seed=options.seed + number)
        except AssertionError as difference:
            print(difference)
            return 1
        print(f"{played!s:50} {tally.steps:8} steps {tally.games:6} games {tally.lapsed:6} lapsed", flush=True)
        total.steps += tally.steps
        total.games += tally.games
        total.lapsed += tally.lapsed
        total.ends += tally.ends
    print(f"agree: {total.steps} steps, {total.games} games, {total.lapsed} lapsed actions, ends {dict(total.ends)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
