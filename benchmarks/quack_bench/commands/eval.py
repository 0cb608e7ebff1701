"""`quack eval`: what recorded games say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quack_bench.console import FAILED, err, guarded, print_json, print_table, progress
from quack_env import ConfigError
from quack_eval import evaluate

TIERS = ("1", "2", "12", "21")


@guarded
def evaluate_command(
    paths: Annotated[list[Path], typer.Argument(help="Games, runs or folder trees, ours or published ones.")],
    out_dir: Annotated[Path | None, typer.Option("--out", help="Folder for games.jsonl and the tables.")] = None,
    convention: Annotated[str, typer.Option(help="paper or published.")] = "paper",
    tiers: Annotated[str, typer.Option(help="Tiers to evaluate: 1, 2 or 12.")] = "12",
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Evaluate recorded games: outcomes (Tier 1) and behaviour (Tier 2), per setting, with intervals.

    Damaged games are named, left out and counted.

    Example: quack eval runs/demo --out runs/demo/eval
    """
    if convention not in ("paper", "published"):
        raise ConfigError(f"--convention {convention}: must be paper or published")
    if tiers not in TIERS:
        raise ConfigError(f"--tiers {tiers}: must be 1, 2 or 12")
    with progress("Evaluating") as advance:
        evaluation = evaluate(
            paths,
            tiers=tuple(sorted(int(t) for t in tiers)),
            convention=convention,
            jobs=jobs,
            progress=advance,
        )
    if out_dir is not None:
        evaluation.save(out_dir)
    if json:
        print_json(evaluation.to_json())
    else:
        for table in evaluation.tables():
            print_table(table)
    for message in evaluation.damaged:
        err.print(f"left out: {message}", markup=False, soft_wrap=True)
    for message in evaluation.unfinished:
        err.print(f"not scored, unfinished: {message}", markup=False, soft_wrap=True)
    if not evaluation.games:
        err.print("no game could be evaluated")
        raise typer.Exit(FAILED)
