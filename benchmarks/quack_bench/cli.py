"""The command line: `quack`."""

from __future__ import annotations

import atexit
import gc
from typing import Annotated

import typer

from quack_bench.commands.annotate import WithScore, annotate
from quack_bench.commands.beliefs import beliefs
from quack_bench.commands.bench import bench
from quack_bench.commands.effects import effects
from quack_bench.commands.eval import evaluate_command
from quack_bench.commands.export import export_command, import_command
from quack_bench.commands.fork import fork_command
from quack_bench.commands.maps import maps
from quack_bench.commands.play import play
from quack_bench.commands.profile import profile
from quack_bench.commands.replay import replay
from quack_bench.commands.report import report
from quack_bench.commands.scripts import scripts
from quack_bench.commands.serve import serve_local, serve_mock
from quack_bench.commands.speed import speed
from quack_bench.commands.view import view_command
from quack_bench.console import out
from quack_env import __version__

app = typer.Typer(
    name="quack",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    help="A social-deduction game for many agents, whose players' words can be held against what they did and saw.\n\n"
    "Example: quack play --seed 7 --out runs/first, then quack eval runs/first, and quack view runs/first -o pages",
)


def _version(asked: bool) -> None:
    if asked:
        out.print(__version__)
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="The version.")] = False,
) -> None:
    """Exit codes: 0 done, 1 failed, 2 wrong usage or input."""
    # the last collections of a process with LiteLLM in it take seconds, in which the command seems to hang
    atexit.register(gc.freeze)


app.command()(play)
app.command()(bench)
app.command(name="export")(export_command)
app.command(name="import")(import_command)
app.command(name="eval")(evaluate_command)
app.command()(effects)
app.command(cls=WithScore)(annotate)
app.command()(beliefs)
app.command()(report)
app.command(name="view")(view_command)
app.command()(replay)
app.command()(speed)
app.command()(profile)
app.command(name="fork")(fork_command)
app.command(name="serve-mock")(serve_mock)
app.command(name="serve-local")(serve_local)
app.add_typer(maps, name="map")
app.add_typer(scripts, name="scripts")
