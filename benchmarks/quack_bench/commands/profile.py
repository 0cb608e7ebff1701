"""`quack profile`: what kind of player a policy is, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quack_bench.console import err, guarded, print_json, print_table, progress
from quack_env.encode.text import counted
from quack_eval.beliefs.profile import Profiles


@guarded
def profile(
    run: Annotated[Path, typer.Argument(help="A run with probed games.")],
    out_dir: Annotated[Path | None, typer.Option("--out", help="Folder of the pages; default RUN/profiles.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Profile the policies of a run: certainty, flips, consistency, calibration, rationality, deception, detection.

    Writes one HTML page for every policy, and tells of the beliefs that Geese share and of trust from game to game.

    Example: quack scripts run all --policy scripted --out runs/social && quack profile runs/social
    """
    with progress("Evaluating") as advance:
        found = Profiles(run, advance, jobs)
    pages = found.write_pages(out_dir or run / "profiles")
    if json:
        print_json({"run": str(run), "pages": [str(page) for page in pages], **found.to_json()})
        return
    print_table(found.table())
    print_table(found.shared_table())
    err.print(f"{counted(len(pages), 'page')} in {pages[0].parent if pages else run}", style="dim", soft_wrap=True)
