"""`quack export` and `quack import`: a run for sharing, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quack_bench.console import err, guarded, print_json, progress
from quack_bench.export import export_run, import_run


@guarded
def export_command(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    out_dir: Annotated[Path, typer.Argument(metavar="OUT", help="A folder that is empty or not there yet.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Write a run for sharing: Parquet tables, a data card, and all files in one compressed archive.

    Replies of models are in the recordings; the cache of replies and keys are not shared. Needs the extra "parquet".

    Example: quack export runs/demo shared/demo
    """
    with progress("Exporting") as advance:
        written = export_run(run, out_dir, advance)
    if json:
        print_json({"export": str(out_dir), "files": [path.name for path in written]})
    size = sum(path.stat().st_size for path in written)
    err.print(f"{len(written)} files, {size / 1e6:.1f} MB, are in {out_dir}", style="dim", soft_wrap=True)


@guarded
def import_command(
    export: Annotated[Path, typer.Argument(help="What quack export wrote.")],
    run: Annotated[Path, typer.Argument(help="The folder of the run; empty or not there yet.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Make a run again of an exported one; it can be evaluated, viewed, gone on with. Needs the extra "parquet".

    Recordings and results are equal in every byte, and the index (run.sqlite) in every row about games and beliefs.
    The caches of replies and claims were not shared.

    Example: quack import shared/demo runs/again
    """
    with progress("Importing"):
        files = import_run(export, run)
    if json:
        print_json({"run": str(run), "files": len(files)})
    err.print(f"{len(files)} files are in {run}", style="dim", soft_wrap=True)
