"""What the environment takes of plain MaskablePPO's time, and whether it ever plays a masked-out action.

python agents/train/measure.py --steps 1000000
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import torch
import typer
from rich.console import Console
from sb3_contrib import MaskablePPO

from quack_agents.adapters.sb3 import QuackVecEnv


class TimedEnv(QuackVecEnv):
    """The adapter with a stop watch, that looks at every action before it is played."""

    seconds = 0.0
    steps = forced = masked_out = 0

    def timed(self, call: Callable[[], Any]) -> Any:
        """The result of a call, its time noted."""
        start = time.perf_counter()
        result = call()
        self.seconds += time.perf_counter() - start
        return result

    def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """The masks."""
        masks: list[Any] = self.timed(lambda: super(TimedEnv, self).env_method(method_name, *args, **kwargs))
        return masks

    def step(self, actions: Any) -> Any:
        """Look, then step."""
        masks = self.action_masks()
        self.steps += len(actions)
        self.forced += int((masks.sum(1) == 1).sum())
        self.masked_out += int((~masks[np.arange(len(actions)), actions]).sum())
        return self.timed(lambda: super(TimedEnv, self).step(actions))


def main(
    steps: Annotated[int, typer.Option(help="Training steps, of all seats together.")] = 1_000_000,
    games: Annotated[int, typer.Option(help="Games at once.")] = 64,
    epochs: Annotated[int, typer.Option(help="Passes over each rollout; MaskablePPO's own default is 10.")] = 4,
    threads: Annotated[int, typer.Option(help="Of PyTorch.")] = 1,
    seed: Annotated[int, typer.Option(help="Of games and network.")] = 0,
) -> None:
    """Train plain MaskablePPO on the adapter, and say what the environment took.

    Example: python agents/train/measure.py --steps 100000
    """
    torch.set_num_threads(threads)
    env = TimedEnv(games, seed=seed, speech="tokens")
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=2048, n_epochs=epochs, seed=seed, device="cpu")
    start = time.perf_counter()
    model.learn(steps, progress_bar=False)
    seconds = time.perf_counter() - start
    Console().print(
        f"{env.steps} steps ({env.forced / env.steps:.0%} of them forced) in {seconds:.0f} s, "
        f"{env.steps / seconds:.0f}/s; environment {env.seconds:.1f} s, {env.seconds / seconds:.1%}; "
        f"masked-out actions {env.masked_out}, lapsed {env.lapsed}"
    )


if __name__ == "__main__":
    typer.run(main)
