"""What the environment takes of plain MaskablePPO's time, and whether it ever plays a masked-out action.

python agents/train/measure.py --steps 1000000
"""

from __future__ import annotations

import stopped  # noqa: F401 - before what takes a second

# isort: split

import os
import time
from typing import Annotated

import typer

from quack_bench.console import guarded, out
from quack_env.errors import ConfigError, install


@guarded
def main(
    steps: Annotated[int, typer.Option(min=1, help="Training steps, of all seats together.")] = 1_000_000,
    games: Annotated[int, typer.Option(min=1, help="Games at once.")] = 64,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over each rollout; MaskablePPO's own default is 10.")] = 4,
    threads: Annotated[int, typer.Option(min=1, max=os.cpu_count(), help="Of PyTorch.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of games and network.")] = 0,
) -> None:
    """Train plain MaskablePPO on the adapter, and say what the environment took.

    Example: python agents/train/measure.py --steps 100000
    """
    try:
        import torch
        from sb3_contrib import MaskablePPO
        from stopwatch import TimedEnv
    except ImportError as missing:
        raise ConfigError(f"training needs more packages ({missing}): {install('train')}") from None

    torch.set_num_threads(threads)
    env = TimedEnv(games, seed=seed, speech="tokens")
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=2048, n_epochs=epochs, seed=seed, device="cpu")
    start = time.perf_counter()
    model.learn(steps, progress_bar=False)
    seconds = time.perf_counter() - start
    out.print(
        f"{env.steps} steps ({env.forced / env.steps:.0%} of them forced) in {seconds:.0f} s, "
        f"{env.steps / seconds:.0f}/s; environment {env.seconds:.1f} s, {env.seconds / seconds:.1%}; "
        f"masked-out actions {env.masked_out}, lapsed {env.lapsed}"
    )


if __name__ == "__main__":
    typer.run(main)
