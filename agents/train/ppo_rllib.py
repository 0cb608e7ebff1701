"""PPO with RLlib: one masked network plays every seat against itself, its games spread over a Ray cluster.

    python agents/train/ppo_rllib.py --out runs/rllib --workers 2
    python agents/train/ppo_rllib.py --out runs/rllib --workers 64 --address auto      # on a node of a cluster

The folder gets a line an iteration in progress.jsonl, and every so many iterations a checkpoint, whose network.npz
plays as `rl:PATH`. The same command goes on from the last checkpoint.
"""

from __future__ import annotations

import stopped  # noqa: F401 - before what takes a second

# isort: split

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import quack_env
from quack_agents.rl import save_network
from quack_bench.console import err, guarded, out, print_json
from quack_bench.runner import check_outside
from quack_env.errors import ConfigError, QuackError
from quack_env.trajectory import no_json
from quack_env.yaml_file import one_line
from quack_eval.out_folder import out_folder

SETTINGS, PROGRESS, NETWORK = "settings.json", "progress.jsonl", "network.npz"
PATIENCE = 900
"""Seconds to wait for the steps of an iteration."""


@guarded
def train(
    folder: Annotated[Path, typer.Option("--out", help="Where checkpoints and progress go.")] = Path("runs/rllib"),
    iterations: Annotated[int, typer.Option(min=1, help="How many there are in the end, earlier ones included.")] = 100,
    workers: Annotated[int, typer.Option(min=0, help="Processes that play games; 0 plays in this one.")] = 2,
    address: Annotated[str | None, typer.Option(help="Of a running Ray cluster; without it one starts here.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Iterations between checkpoints.")] = 10,
    batch: Annotated[int, typer.Option(min=1, help="Steps of all games together in an iteration.")] = 4000,
    width: Annotated[int, typer.Option(min=1, help="Of both hidden layers.")] = 256,
    rate: Annotated[float, typer.Option(min=0, help="Learning rate.")] = 3e-4,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    speech: Annotated[str, typer.Option(help="tokens or off.")] = "tokens",
    game_map: Annotated[str, typer.Option("--map", help="A shipped map or a YAML file.")] = "ship",
    players: Annotated[int, typer.Option()] = 6,
    ducks: Annotated[int, typer.Option()] = 1,
    max_ticks: Annotated[int | None, typer.Option(help="Of a game; without it the config's.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Train one network for all seats by self-play with RLlib's PPO.

    Example: python agents/train/ppo_rllib.py --out runs/rllib --workers 2 --iterations 50
    """
    options: dict[str, Any] = {
        "speech": speech,
        "game_map": game_map,
        "n_players": players,
        "n_ducks": ducks,
        "max_ticks": max_ticks,
    }
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import quack_agents.adapters.rllib  # noqa: F401 - without Ray, nothing is written

    quack_env.parallel_env(observation="vector", **options)  # what cannot be is said here, and not by a worker
    check_settings(folder, {"script": Path(__file__).name, **options, "width": width})
    algorithm = build(options, width, workers, address, batch, rate, seed)
    last = newest(folder)
    try:
        if last is not None:
            with readable(last, last, newest(folder, before=last)):
                algorithm.restore_from_path(str(last.resolve()))
            forget_later(folder / PROGRESS, algorithm.iteration)
        line: dict[str, Any] = {"iteration": algorithm.iteration}
        while algorithm.iteration < iterations:
            line = summary(algorithm.train(), players - 2 * ducks)
            with (folder / PROGRESS).open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(line) + "\n")
            if not json_:
                out.print("  ".join(f"{name} {value}" for name, value in line.items()), soft_wrap=True)
            if algorithm.iteration % every == 0 or algorithm.iteration == iterations:
                last = save(algorithm, folder)
    except KeyboardInterrupt:
        kept = "nothing is kept yet, and the same command begins anew"
        if last is not None:
            kept = f"{last} is kept, and the same command goes on from it"
        err.print(f"stopped; {kept}", markup=False, soft_wrap=True)
        raise typer.Exit(130) from None
    finally:
        algorithm.stop()
    if json_:
        print_json({**line, "checkpoint": str(last)})


def build(
    options: Mapping[str, Any], width: int, workers: int, address: str | None, batch: int, rate: float, seed: int
) -> Any:
    """The algorithm, with Ray started or joined."""
    from quack_agents.adapters.rllib import join, shared_ppo

    join(address, workers + 1)
    config = (
        shared_ppo(options, (width, width))
        .env_runners(num_env_runners=workers, rollout_fragment_length="auto", sample_timeout_s=PATIENCE)
        .training(
            train_batch_size_per_learner=batch,
            minibatch_size=min(batch, 1024),
            num_epochs=8,
            lr=rate,
            gamma=0.997,
            lambda_=0.95,
            entropy_coeff=0.01,
        )
        .debugging(seed=seed)
    )
    return config.build_algo()


def summary(result: Mapping[str, Any], margin: int) -> dict[str, Any]:
    """What is reported of an iteration; ``margin``: how many more Geese than Ducks there are."""
    played = result.get("env_runners")
    if played is None:
        raise QuackError(f"no worker returned any steps within {PATIENCE} s")
    total = played.get("episode_return_mean")  # the sum over all seats: the margin if the Geese win, or minus it
    return {
        "iteration": result["training_iteration"],
        "steps": int(played["num_env_steps_sampled_lifetime"]),
        "agent_steps": int(sum(played["num_agent_steps_sampled_lifetime"].values())),
        "geese_win": None if total is None or not margin else round((total / margin + 1) / 2, 3),
        "game_steps": None if total is None else round(played["episode_len_mean"], 1),
        "seconds": round(result["time_total_s"], 1),
    }


def check_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write what is trained into the folder, unless something is kept there already.

    Raises:
        ConfigError: where something else is kept there, the folder has other files, or cannot be one.
    """
    check_outside(folder)
    path = out_folder(folder) / SETTINGS
    there = {file.name for file in folder.glob("[!.]*")}
    if there and SETTINGS not in there:
        allowed = "must be a new or empty folder, or one of a training to go on with"
        raise ConfigError(f"--out {folder}: holds other files ({min(there)}); {allowed}")
    if there <= {SETTINGS, PROGRESS}:  # nothing, or what was stopped before its first checkpoint
        (folder / PROGRESS).unlink(missing_ok=True)
        path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
        return
    try:
        earlier = json.loads(path.read_bytes())
        ours = isinstance(earlier, dict) and settings.keys() & earlier.keys()
        damaged = None if ours else "damaged, not the settings of a training"
    except ValueError as fault:
        damaged = no_json(fault)
    if damaged:
        raise ConfigError(f"{path}: {damaged}; it says what is trained here, give another --out")
    other = [f"{name}={earlier[name]!r}" for name in settings if settings[name] != earlier.get(name, settings[name])]
    if other:
        raise ConfigError(f"{folder} was trained with {', '.join(other)}; give these, or another --out")


@contextmanager
def readable(file: Path, checkpoint: Path, earlier: Path | None) -> Iterator[None]:
    """Whatever goes wrong with a file of a checkpoint in here is a `ConfigError`, which says what to do about it."""
    try:
        yield
    except Exception as fault:  # whatever is in there is unpickled
        then = f"delete {checkpoint} to go on from {earlier}" if earlier else "nothing else is kept, give another --out"
        raise ConfigError(f"{file}: damaged ({type(fault).__name__}: {one_line(fault)}); {then}") from None


def forget_later(file: Path, iteration: int) -> None:
    """Take out of a progress file what came after an iteration, and is done again."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:iteration]), encoding="utf-8")


def newest(folder: Path, before: Path | None = None) -> Path | None:
    """The last finished checkpoint in a folder, or the last one before another."""
    return max((path for path in folder.glob("checkpoint-*") if before is None or path < before), default=None)


def save(algorithm: Any, folder: Path) -> Path:
    """Write a checkpoint, whole or not at all, with the network for `rl:PATH` in it."""
    path = folder / f"checkpoint-{algorithm.iteration:06d}"
    part = folder / f".{path.name}"
    shutil.rmtree(part, ignore_errors=True)
    algorithm.save_to_path(str(part.resolve()))
    export(algorithm, part / NETWORK)
    part.replace(path)
    return path


def export(algorithm: Any, file: Path) -> None:
    """Write the network that chooses, with the settings of the games that it is for."""
    from quack_agents.adapters.rllib import SHARED, QuackRLlib

    options = algorithm.config.env_config
    module, game = algorithm.get_module(SHARED), QuackRLlib(options).env.game
    layers = [*module.body[::2], module.logits]
    save_network(
        file,
        [(layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in layers],
        game.config,
        game.game_map,
        options["speech"],
        iteration=algorithm.iteration,
    )


if __name__ == "__main__":
    typer.run(train)
