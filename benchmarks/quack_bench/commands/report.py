"""`quack report`: one page about a run, for readers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quack_agents.llm import configure
from quack_bench.console import FAILED, MaxUsd, err, guarded, out, print_json, progress
from quack_bench.extractors import Watched, extractor_of
from quack_env import ConfigError
from quack_env.encode.text import counted
from quack_eval.report import report_of
from quack_eval.run_folder import RunFolder, open_run


@guarded
def report(
    run: Annotated[Path, typer.Argument(help="A run, or any folder of recorded games.")],
    out_dir: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report and what it needs; default: RUN itself.")
    ] = None,
    extractor: Annotated[
        str | None,
        typer.Option(help="Where claims come from: recorded, grammar, a model; the games are then evaluated anew."),
    ] = None,
    max_usd: MaxUsd = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Write report.html: headline table, failure modes with examples, evidence, costs, methods; for reading and print.

    All numbers are those of measures.json; a folder without one is evaluated first, and of recordings that came or
    changed after it a line tells. Without --out, the report and such an evaluation are written into RUN; one of games
    that other programs recorded, such as published ones, needs --out unless a measures.json was put there.

    Example: quack report runs/demo, or quack report path/to/published/games -o my-report
    """
    if not run.is_dir():
        raise ConfigError(f"{run}: {'must be a folder' if run.exists() else 'no such folder'}")
    if max_usd is not None:
        configure(max_usd=max_usd)
    source = extractor_of(extractor)
    with progress("Evaluating") as advance:
        found = open_run(run, out_dir, advance, source)
    file = report_of(found, out_dir)
    for notice in filter(None, (found.outdated, *found.notices, _left_out(found))):
        err.print(notice, markup=False, soft_wrap=True)
    if isinstance(source, Watched):
        source.tell()
    if json:
        print_json({"report": str(file)})
    else:
        out.print(str(file), markup=False, soft_wrap=True)
    if isinstance(source, Watched) and source.read_nothing:
        raise typer.Exit(FAILED)


def _left_out(run: RunFolder) -> str:
    """How many games are not in the numbers; "" where all are."""
    paths = run.measures.get("left_out") or []
    return f"{counted(len(paths), 'game')} left out, the first {paths[0]}: the report says why" if paths else ""
