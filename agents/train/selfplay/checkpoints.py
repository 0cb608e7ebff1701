"""Checkpoints of a run: written whole or not at all, and evaluated."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import torch
from curve import points
from ppo_rllib import readable
from stable_baselines3.common.callbacks import BaseCallback

from quack_agents.adapters.sb3 import QuackVecEnv, export
from quack_bench.console import err
from quack_env.errors import ConfigError
from selfplay.evaluate import win_rates
from selfplay.learner import SelfPlay

MODEL, PAST, WEIGHTS, CURVE = "model.zip", "past.pt", "weights.npz", "curve.json"
LATEST = 3
"""Checkpoints that are kept; of the others only the exported weights."""


class Keeper(BaseCallback):  # type: ignore[misc]
    """Between iterations: evaluates, keeps checkpoints, says how far it is; stops when the time is over, or on demand.

    Args:
        out: folder of the run.
        every: iterations between checkpoints.
        games: of each kind, for an evaluation.
        seconds: to learn for, counted from the first iteration.
        on_step: called with the decisions learnt from.
    """

    def __init__(self, out: Path, every: int, games: int, seconds: float, on_step: Callable[[int], None]) -> None:
        super().__init__()
        self.out, self.every, self.games, self.seconds, self.on_step_done = out, every, games, seconds, on_step
        self.deadline: float | None = None
        self.late = False
        """Whether the time was over before all was learnt."""
        self.asked_to_stop = False
        self.evaluating = False
        self.model: SelfPlay

    def _on_rollout_start(self) -> None:
        if self.model.iteration % self.every == 0 and not self.asked_to_stop:
            self.keep()

    def _on_step(self) -> bool:
        if self.deadline is None:
            self.deadline = time.monotonic() + self.seconds
        self.on_step_done(self.num_timesteps)
        self.late = time.monotonic() >= self.deadline
        return not (self.late or self.asked_to_stop)

    def _on_training_end(self) -> None:
        if self.asked_to_stop:
            save(self.model, self.out)
        else:
            self.keep()

    def keep(self) -> None:
        """Write a checkpoint, then evaluate it against the scripted players."""
        model = self.model
        save(model, self.out)
        if model.curve and model.curve[-1]["iteration"] >= model.iteration:
            return
        point: dict[str, float] = {"iteration": model.iteration, "decisions": model.num_timesteps}
        self.evaluating = True
        point |= win_rates(model.policy, self.games, model.options)
        self.evaluating = False
        model.curve.append(point)
        for name, value in point.items():
            self.logger.record(f"eval/{name}", value)
        err.print(told(point), soft_wrap=True)
        write_curve(model.curve, self.out)

    def interrupt(self) -> None:
        """End learning when the iteration is done; a second time, at once.

        Raises:
            KeyboardInterrupt: the second time, and during an evaluation, before which everything was kept.
        """
        if self.asked_to_stop or self.evaluating:
            raise KeyboardInterrupt
        self.asked_to_stop = True
        err.print("stops when this iteration is done (Ctrl-C: at once)")


def told(point: dict[str, float]) -> str:
    """A point of the learning curve in words: the share of games that each trained side won."""
    rates = {
        "Duck": point["duck"],
        "one Goose": point["goose"],
        "all Geese": point["geese"],
        "scripted Geese": point["scripted"],
    }
    won = ", ".join(f"{who} {rate:.3g}" for who, rate in rates.items())
    return f"iteration {point['iteration']}, {point['decisions']} decisions; won: {won}"


def save(model: SelfPlay, out: Path) -> None:
    """Write a checkpoint and the exported weights."""
    folder = out / "checkpoints"
    part, final = folder / f".{model.iteration:08d}", folder / f"{model.iteration:08d}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    model.save(part / MODEL)
    torch.save(model.past, part / PAST)
    export(model, part / WEIGHTS, iteration=model.iteration, decisions=model.num_timesteps)
    weights = out / "weights"
    weights.mkdir(exist_ok=True)
    shutil.rmtree(final, ignore_errors=True)
    os.replace(part, final)  # first, for weights without a checkpoint are not trained over
    os.replace(final / WEIGHTS, weights / f"{model.iteration:08d}.npz")
    for old in kept_in(out)[:-LATEST]:
        shutil.rmtree(old)


def write_curve(curve: list[dict[str, float]], out: Path) -> None:
    """Write the learning curve, whole or not at all."""
    part = out / f".{CURVE}"
    part.write_text(json.dumps(curve, indent=0), "utf-8")
    part.replace(out / CURVE)


def read_curve(out: Path, iteration: int) -> list[dict[str, float]]:
    """The learning curve as far as an iteration."""
    file = out / CURVE
    return [point for point in points(file) if point["iteration"] <= iteration] if file.exists() else []


def latest(out: Path) -> Path | None:
    """The newest checkpoint of a run; None where nothing has been kept yet.

    Raises:
        ConfigError: where there is none, and yet results of training.
    """
    kept = kept_in(out)
    results = [*out.glob(CURVE), *sorted(out.glob("weights/*.npz"))]
    if results and not kept:
        told = f"has {results[0].relative_to(out)} and no checkpoint to go on from; give another --out"
        raise ConfigError(f"--out {out}: {told}, or an empty folder")
    return max(kept, default=None)


def kept_in(out: Path) -> list[Path]:
    """The checkpoints of a run, the oldest first."""
    return sorted((out / "checkpoints").glob("[0-9]*"))


def resumed(out: Path, checkpoint: Path, env: QuackVecEnv) -> SelfPlay:
    """The learner of a run's checkpoint, with its optimizer, counters, past selves and learning curve.

    Raises:
        ConfigError: where one of its files, or the curve, is damaged.
    """
    before = max((earlier for earlier in kept_in(out) if earlier < checkpoint), default=None)
    with readable(checkpoint / MODEL, checkpoint, before):
        model: SelfPlay = SelfPlay.load(checkpoint / MODEL, env=env, device="cpu")
    with readable(checkpoint / PAST, checkpoint, before):
        model.past = torch.load(checkpoint / PAST, weights_only=True)
    model.curve = read_curve(out, model.iteration)
    return model
