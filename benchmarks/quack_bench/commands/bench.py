"""`quack bench`: play a suite, then evaluate it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quack_bench.console import err, guarded, print_json, print_table, progress
from quack_bench.runner import run_suite
from quack_bench.suite import load_suite
from quack_eval import evaluate


@guarded
def bench(
    suite: Annotated[str, typer.Argument(help="A suite's YAML file, or a built-in one: demo.")],
    out_dir: Annotated[Path | None, typer.Option("--out", help="Folder of the run; default runs/NAME.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Play the games of a suite that are missing in its folder, record them, and print and save the tables.

    Finished games are kept: the same command goes on after a stop.

    Example: quack bench demo --out runs/demo --jobs 2
    """
    plan = load_suite(suite)
    folder = out_dir or Path("runs") / plan.name
    with progress(f"Playing {plan.name}") as advance:
        games = run_suite(plan, folder, jobs, advance)
    with progress("Evaluating") as advance:
        evaluation = evaluate([folder], progress=advance)
    evaluation.save(folder)
    if json:
        print_json({"run": str(folder), **evaluation.to_json()})
        return
    for table in evaluation.tables():
        print_table(table)
    err.print(f"{len(games)} games and their tables are in {folder}", style="dim")
