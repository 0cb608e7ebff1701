"""`quack effects`: the arms of a run compared, with effect sizes and what the sample could have seen."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Annotated

import typer

from quack_bench.console import err, guarded, print_json, print_table, progress
from quack_bench.experiments import BOUNDS, Experiment
from quack_env import ConfigError


@guarded
def effects(
    run: Annotated[Path, typer.Argument(help="The folder of a suite's run.")],
    bound: Annotated[
        list[str] | None, typer.Option(help="MEASURE=BOUND: a smaller difference is none; also adds a measure.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="Show only what is compared with this level, as a baseline.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Compare the arms of a run factor by factor, over the seeds that they share.

    Each difference stands with its interval, whether it lies within the stated bound of equivalence, and the smallest
    difference that so many seeds could have shown at 80 % power. Writes effects.json and tables/effects.csv into the
    run, with effect sizes and bounds, too.

    Example: quack bench noninvasive --model openai/gpt-5.5 && quack effects runs/noninvasive
    """
    with progress("Evaluating") as advance:
        experiment = Experiment(run, BOUNDS | dict(map(read_bound, bound or [])), advance)
    experiment.pairs(against)  # refuses an unknown level before anything is written
    written = experiment.save()
    if json:
        print_json(experiment.to_json(against))
        return
    for table in experiment.tables(against):
        print_table(table)
    err.print(f"Written: {', '.join(map(str, written))}", style="dim", soft_wrap=True)


def read_bound(option: str) -> tuple[str, float]:
    """A measure and its bound."""
    name, _, value = option.partition("=")
    try:
        bound = float(value)
    except ValueError:
        bound = -1.0
    if not name or not 0 <= bound < inf:
        raise ConfigError(f"--bound {option}: must be MEASURE=NUMBER with a number from 0, as in geese_win=0.1")
    return name, bound
