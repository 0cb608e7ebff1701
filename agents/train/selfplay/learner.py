"""MaskablePPO whose rollouts are whole games: self-play with past selves, and games with scripted players."""

from __future__ import annotations

import copy
import time
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from selfplay.rollout import Clock, Experience, advantages, play
from selfplay.tables import LEARNER, ScriptedTables, VectorTables, against_past, all_geese, duck_alone, one_goose

PAST = "past"
WITH_SCRIPTED = {"duck": duck_alone, "geese": all_geese, "goose": one_goose}
PERSONAS = ("default", "default", "aggressive", "cautious")
OPPONENTS = 2
"""Past selves that play in an iteration."""


class GamesBuffer(MaskableRolloutBuffer):  # type: ignore[misc]
    """A rollout buffer that holds as many decisions as the games took."""

    def fill(self, games: Experience, gamma: float, lam: float) -> None:
        """Hold these decisions, and nothing else."""
        rows = len(games.actions)
        self.n_envs, self.buffer_size, self.pos = 1, rows, rows
        self.observations = games.observations
        self.action_masks = games.masks
        self.actions = games.actions.reshape(rows, 1)
        self.values = games.values
        self.log_probs = games.log_probs
        self.advantages = advantages(games.values, games.rewards, games.last, gamma, lam)
        self.returns = self.advantages + games.values
        self.full = self.generator_ready = True


class SelfPlay(MaskablePPO):  # type: ignore[misc]
    """One network plays every seat that learns, whatever its role.

    Every iteration plays new games to their ends. Its draws follow from (seed, iteration) alone, so that training that
    was interrupted goes on exactly as it would have.

    Args:
        mix: how many games an iteration has of each kind: "duck", "geese", "goose" (against and among scripted
            players), "past" (in the vector environment, against past selves and itself).
        keep: how many past selves are kept; the first of them, the clone, always.
        every: iterations between past selves.
        options: of the games.
    """

    def __init__(
        self,
        *args: Any,
        mix: dict[str, int] | None = None,
        keep: int = 12,
        every: int = 20,
        options: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        self.mix, self.keep, self.every, self.options = mix or {}, keep, every, options or {}
        self.iteration = 0
        self.curve: list[dict[str, float]] = []
        """What the evaluations said so far."""
        self.past: list[dict[str, torch.Tensor]] = []
        self.opponents: list[Any] = []
        self.clock = Clock()
        self.tables: dict[str, VectorTables | ScriptedTables] = {}
        super().__init__(*args, rollout_buffer_class=GamesBuffer, **settings)

    def _excluded_save_params(self) -> list[str]:
        others = ("tables", "past", "curve", "opponents", "clock", "rollout_buffer_class")
        return [*super()._excluded_save_params(), *others]

    def collect_rollouts(self, env: Any, callback: Any, rollout_buffer: Any, *_: Any, **__: Any) -> bool:
        """Play the games of one iteration; between it and the last one the callback may keep a checkpoint."""
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        if not callback.on_step():
            return False
        start = time.perf_counter()
        draws = np.random.default_rng([self.seed or 0, self.iteration])
        self.set_random_seed(int(draws.integers(1 << 31)))
        self._seat(draws)
        games = play(list(self.tables.values()), [self.policy, *self.opponents], self.clock)
        assert games is not None, "no games to learn from"
        rollout_buffer.fill(games, self.gamma, self.gae_lambda)
        self.num_timesteps += len(games.actions)
        self.iteration += 1
        self._log(len(games.actions), time.perf_counter() - start)
        callback.on_rollout_end()
        return True

    def _seat(self, draws: np.random.Generator) -> None:
        """Deal the games, and choose who of the past plays in them."""
        if not self.tables:
            self.tables = {
                kind: ScriptedTables(self.mix[kind], owners, PERSONAS, **self.options)
                for kind, owners in WITH_SCRIPTED.items()
                if self.mix.get(kind)
            }
            if self.mix.get(PAST):
                self.tables[PAST] = VectorTables(self.mix[PAST], against_past(OPPONENTS), **self.options)
            self.opponents = [copy.deepcopy(self.policy) for _ in range(OPPONENTS)]
        if self.iteration % self.every == 0:
            self._remember()
        for old in self.opponents:
            old.load_state_dict(self.past[int(draws.integers(len(self.past)))])
        for games in self.tables.values():
            games.begin(draws)

    def _remember(self) -> None:
        """Add the present self to the past ones; where there are too many, the second oldest goes."""
        self.past.append({name: value.clone() for name, value in self.policy.state_dict().items()})
        if len(self.past) > self.keep:
            del self.past[1]

    def _log(self, decisions: int, seconds: float) -> None:
        """Note how the iteration went."""
        self.logger.record("time/rollout_seconds", seconds)
        self.logger.record("rollout/decisions", decisions)
        for kind in WITH_SCRIPTED.keys() & self.tables.keys():
            games = self.tables[kind]
            self.logger.record(f"rollout/{kind}_wins", float((games.rewards[games.owners == LEARNER] > 0).mean()))
