"""Self-play with sb3-contrib's MaskablePPO: from the scripted players' habits to play that beats them.

    python agents/train/ppo_sb3.py --out runs/ship --minutes 84

A run that was interrupted, by a kill too, goes on from its last checkpoint when the same command is given again.
docs/training.md says what is learnt from, and what came of it.
"""

from __future__ import annotations

import stopped  # noqa: F401 - before what takes a second

# isort: split

import math
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from ppo_rllib import check_settings

from quack_bench.console import err, guarded, out, print_json, progress
from quack_bench.runner import stoppable
from quack_env.encode.text import counted
from quack_env.errors import ConfigError, install

if TYPE_CHECKING:
    from selfplay.learner import SelfPlay

    from quack_agents.adapters.sb3 import QuackVecEnv


@guarded
def train(
    folder: Annotated[Path, typer.Option("--out", help="Checkpoints, weights, curve, TensorBoard.")] = Path("runs/sb3"),
    steps: Annotated[int, typer.Option(min=0, help="Decisions to learn from in all.")] = 8_000_000,
    minutes: Annotated[float, typer.Option(help="Learn for this time at most, cloning left out.")] = 120,
    seed: Annotated[int, typer.Option(min=0, help="Decides everything but the time it takes.")] = 1,
    speech: Annotated[str, typer.Option(help="tokens or off.")] = "tokens",
    config: Annotated[str, typer.Option(help="Preset or YAML of the games.")] = "default",
    clone_games: Annotated[int, typer.Option(min=0, help="Scripted games to clone first.")] = 2500,
    duck_games: Annotated[int, typer.Option(min=0, help="An iteration: the Duck against scripted Geese.")] = 360,
    geese_games: Annotated[int, typer.Option(min=0, help="All Geese against a scripted Duck.")] = 10,
    goose_games: Annotated[int, typer.Option(min=0, help="One Goose among scripted players.")] = 40,
    past_games: Annotated[int, typer.Option(min=0, help="Self-play, against past selves too.")] = 18,
    keep: Annotated[int, typer.Option(min=2, help="Past selves that are kept.")] = 12,
    rate: Annotated[float, typer.Option(help="Learning rate at the start; it falls to a tenth.")] = 3e-4,
    entropy: Annotated[float, typer.Option(help="Weight of the entropy.")] = 0.01,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the decisions of an iteration.")] = 4,
    batch: Annotated[int, typer.Option(min=2, help="Decisions a minibatch.")] = 2048,
    every: Annotated[int, typer.Option(min=1, help="Iterations between checkpoints.")] = 25,
    eval_games: Annotated[int, typer.Option(min=1, help="Games of each kind at a checkpoint.")] = 200,
    threads: Annotated[int, typer.Option(min=1, max=os.cpu_count(), help="Of PyTorch.")] = 1,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Train one network for all roles and seats by self-play, and against scripted players.

    Example: python agents/train/ppo_sb3.py --out runs/ship --minutes 84
    """
    for name, value in (("--minutes", minutes), ("--rate", rate)):
        if not 0 < value < math.inf:
            raise ConfigError(f"{name} {value:g}: must be a number above 0")
    if not 0 <= entropy < math.inf:
        raise ConfigError(f"--entropy {entropy:g}: must be a number from 0")
    try:
        import tensorboard  # noqa: F401 - the logger looks for it when all else is done
        import torch
        from selfplay.checkpoints import Keeper, latest, resumed, save
        from stable_baselines3.common.logger import configure
        from stable_baselines3.common.utils import LinearSchedule

        from quack_agents.adapters.sb3 import QuackVecEnv
    except ImportError as missing:
        raise ConfigError(f"training needs more packages ({missing}): {install('train')}") from None

    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    options = {"config": config, "speech": speech}
    mix = {"duck": duck_games, "geese": geese_games, "goose": goose_games, "past": past_games}
    if not any(mix.values()):
        raise ConfigError("no games to learn from: one of --duck-games, --geese-games, --goose-games, --past-games")
    env = QuackVecEnv(1, **options)  # what cannot be is said before anything is written
    learning = {"seed": seed, "steps": steps, "rate": rate, "entropy": entropy, "epochs": epochs, "batch": batch}
    contents = {f"config.{name}": value for name, value in env.games.config.to_dict().items()}
    contents["map"] = env.games.game_map.to_dict()
    learning |= {"keep": keep, "clone_games": clone_games}
    check_settings(folder, {"script": Path(__file__).name, **options, **contents, **mix, **learning})
    last = latest(folder)
    model = None if last is None else resumed(folder, last, env)
    told = f"learns for {minutes:g} minute{'' if minutes == 1 else 's'} at most, and keeps what it learns in {folder}"
    err.print(f"{told}; Ctrl-C stops it, and the same command goes on", soft_wrap=True)
    if model is not None:
        done = f"{counted(model.iteration, 'iteration')}, {counted(model.num_timesteps, 'decision')}"
        err.print(f"goes on after {done}")
    else:
        try:
            model = begun(
                env,
                clone_games,
                seed=seed,
                mix=mix,
                keep=keep,
                options=options,
                learning_rate=LinearSchedule(rate, rate / 10, 1.0),
                batch_size=batch,
                n_epochs=epochs,
                ent_coef=entropy,
            )
        except KeyboardInterrupt:
            err.print("stopped while cloning: nothing is kept, the same command begins anew")
            raise typer.Exit(130) from None
        save(model, folder)
    with progress("decisions") as on_step:
        keeper = Keeper(folder, every, eval_games, 60 * minutes, lambda done: on_step(done, steps))
        try:
            model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
            with stoppable(keeper.interrupt):
                model.learn(max(0, steps - model.num_timesteps), callback=keeper, reset_num_timesteps=False)
        except KeyboardInterrupt:
            keeper.asked_to_stop = True
    if keeper.asked_to_stop:
        told = f"stopped; iteration {int(latest(folder).name)} is kept. Go on with the same command"
        err.print(f"{told}: {shlex.join(['python', *sys.argv])}", markup=False, soft_wrap=True)
        raise typer.Exit(130)
    if keeper.late:
        told = f"the time is over (--minutes {minutes:g}) after {model.num_timesteps} of {steps} decisions"
        err.print(f"{told}; the same command goes on", soft_wrap=True)
    report(model, json_)


def begun(env: QuackVecEnv, clone_games: int, seed: int, **settings: Any) -> SelfPlay:
    """A new learner that has cloned the scripted players."""
    from selfplay.clone import clone, examples
    from selfplay.learner import SelfPlay
    from torch import nn

    model = SelfPlay(
        "MlpPolicy",
        env,
        seed=seed,
        n_steps=2,  # of the buffer it is made with; its rollouts are as long as their games
        gamma=1.0,
        gae_lambda=0.95,
        policy_kwargs={"net_arch": {"pi": [256, 256], "vf": [256, 256]}, "activation_fn": nn.ReLU},
        device="cpu",
        **settings,
    )
    if clone_games:
        with progress("scripted games") as on_game:
            data = examples(clone_games, seed, on_game, **model.options)
        with progress("cloning") as on_batch:
            same = clone(model.policy, data, 3, 1024, 1e-3, on_batch)
        err.print(f"cloned: acts as the scripted players in {same:.1%} of {len(data[2])} decisions")
    return model


def report(model: SelfPlay, as_json: bool) -> None:
    """Say what was learnt, and what it took of this process's time."""
    clock = model.clock
    numbers = {
        "iterations": model.iteration,
        "decisions": model.num_timesteps,
        "chosen_actions": clock.chosen,
        "masked_out_actions": clock.illegal,
        "lapsed_actions": model.tables["past"].lapsed if "past" in model.tables else 0,
        "seconds_in_games": round(clock.games, 1),
        "seconds_choosing": round(clock.networks, 1),
    }
    if as_json:
        print_json(numbers | {"evaluation": model.curve[-1]})
    else:
        out.print("  ".join(f"{name} {value}" for name, value in numbers.items()), soft_wrap=True)


if __name__ == "__main__":
    typer.run(train)
