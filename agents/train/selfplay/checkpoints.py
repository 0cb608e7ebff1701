"""Checkpoints of a run: written whole or not at all, and evaluated."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import torch
from stable_baselines3.common.callbacks import BaseCallback

from quack_agents.adapters.sb3 import QuackVecEnv
from quack_bench.console import err
from selfplay.evaluate import win_rates
from selfplay.export import export
from selfplay.learner import SelfPlay

MODEL, PAST, CURVE = "model.zip", "past.pt", "curve.json"
LATEST = 3
"""Checkpoints that are kept; of the others only the exported weights."""


class Keeper(BaseCallback):  # type: ignore[misc]
    """Between iterations: evaluates, keeps checkpoints, says how far it is; stops when the time is over.

    Args:
        out: folder of the run.
        every: iterations between checkpoints.
        games: of each kind, for an evaluation.
        deadline: as of `time.time`.
        on_step: called with the decisions learnt from.
    """

    def __init__(self, out: Path, every: int, games: int, deadline: float, on_step: Callable[[int], None]) -> None:
        super().__init__()
        self.out, self.every, self.games, self.deadline, self.on_step_done = out, every, games, deadline, on_step
        self.model: SelfPlay

    def _on_rollout_start(self) -> None:
        if self.model.iteration % self.every == 0:
            self.keep()

    def _on_step(self) -> bool:
        self.on_step_done(self.num_timesteps)
        return time.time() < self.deadline

    def _on_training_end(self) -> None:
        self.keep()

    def keep(self) -> None:
        """Evaluate against the scripted players and write a checkpoint."""
        model = self.model
        if not model.curve or model.curve[-1]["iteration"] < model.iteration:
            point: dict[str, float] = {"iteration": model.iteration, "decisions": model.num_timesteps}
            model.curve.append(point | win_rates(model.policy, self.games, model.options))
            for name, value in model.curve[-1].items():
                self.logger.record(f"eval/{name}", value)
            err.print("  ".join(f"{name} {value:.7g}" for name, value in model.curve[-1].items()), soft_wrap=True)
        save(model, self.out)


def save(model: SelfPlay, out: Path) -> None:
    """Write a checkpoint, the exported weights and the learning curve."""
    folder = out / "checkpoints"
    part, final = folder / f".{model.iteration:08d}", folder / f"{model.iteration:08d}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    model.save(part / MODEL)
    torch.save(model.past, part / PAST)
    weights = out / "weights"
    weights.mkdir(exist_ok=True)
    export(model, weights / f"{model.iteration:08d}.npz")
    shutil.rmtree(final, ignore_errors=True)
    os.replace(part, final)
    (out / CURVE).write_text(json.dumps(model.curve, indent=0), "utf-8")
    for old in sorted(folder.glob("[0-9]*"))[:-LATEST]:
        shutil.rmtree(old)


def latest(out: Path) -> Path | None:
    """The newest checkpoint of a run."""
    return max((out / "checkpoints").glob("[0-9]*"), default=None)


def resumed(folder: Path, env: QuackVecEnv) -> SelfPlay:
    """The learner of a checkpoint, with its optimizer, counters and past selves."""
    model: SelfPlay = SelfPlay.load(folder / MODEL, env=env, device="cpu")
    model.past = torch.load(folder / PAST, weights_only=True)
    return model
