"""What every command shares: where output goes, how errors end it, progress on standard error."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from quack_env import QuackError

P = ParamSpec("P")
R = TypeVar("R")

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

USAGE, FAILED = 2, 1


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """The command, with every `QuackError` as one line on standard error and exit code 2."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except QuackError as fault:
            err.print(f"[bold red]error[/] {' '.join(str(fault).split())}", markup=True, soft_wrap=True)
            raise typer.Exit(USAGE) from None
        except KeyboardInterrupt:
            err.print("stopped; what was finished is kept")
            raise typer.Exit(130) from None

    return run


def print_json(data: Any) -> None:
    """Exactly one JSON object on standard output."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error; yields a function of (done, total)."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(label, total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
