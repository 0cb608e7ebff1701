"""`quack report`: one page about a run, for readers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quack_bench.console import guarded, out, print_json, progress
from quack_env import ConfigError
from quack_eval.report import write_report


@guarded
def report(
    run: Annotated[Path, typer.Argument(help="A run, or any folder of recorded games.")],
    out_dir: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report and what it needs; default: RUN itself.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Write report.html: headline table, failure modes with examples, evidence, costs, methods; for reading and print.

    All numbers are those of measures.json; a folder without one is evaluated first. Without --out, the report and such
    an evaluation are written into RUN: choose another folder for recordings that are to stay as they are.

    Example: quack report runs/demo, or quack report path/to/published/games -o my-report
    """
    if not run.is_dir():
        raise ConfigError(f"{run}: {'must be a folder' if run.exists() else 'no such folder'}")
    with progress("Evaluating") as advance:
        file = write_report(run, out_dir, advance)
    if json:
        print_json({"report": str(file)})
    else:
        out.print(str(file), markup=False, soft_wrap=True)
