"""What every command shares: where output goes, how errors end it, progress on standard error."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import json
import math
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from quack_env import QuackError
from quack_env.errors import QuackWarning
from quack_eval.metrics.tables import Keyed

P = ParamSpec("P")
R = TypeVar("R")


class Literal(Console):
    """Prints texts as they are: names and paths may hold brackets. Only in cells of tables these are markup."""

    def print(self, *objects: Any, markup: bool | None = None, **options: Any) -> None:
        """As the console's, texts without markup unless that is asked for."""
        literal = markup is None and all(isinstance(one, str) for one in objects)
        super().print(*objects, markup=False if literal else markup, **options)


out = Literal(highlight=False, emoji=False)
err = Literal(stderr=True, highlight=False, emoji=False)

USAGE, FAILED = 2, 1
PLAIN_WARNING = warnings.formatwarning
NARROWEST, FRAME = 16, 4
"""Characters of a column that is folded, at least; those that a table's frame takes beside its only column."""
BETWEEN_LINES = 10
"""Seconds from one line about progress to the next, where there is no terminal."""


def above_zero(dollars: float | None) -> float | None:
    """A limit in dollars, or none."""
    if dollars is not None and not 0 < dollars < math.inf:
        raise typer.BadParameter("must be more than 0; without it there is no limit")
    return dollars


MaxUsd = Annotated[
    float | None,
    typer.Option(callback=above_zero, help="Stop before model calls cost more than this: US dollars, more than 0."),
]
"""The option --max-usd of every command that may call models."""


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """The command, with every `QuackError` as one line on standard error and exit code 2.

    Its help has paragraphs in place of the docstring's lines, which would stay as they are broken.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        warnings.formatwarning = told_warning
        try:
            return command(*args, **kwargs)
        except QuackError as fault:
            complain(" ".join(str(fault).split()))
            raise typer.Exit(USAGE) from None
        except OSError as fault:
            complain(f"{fault.filename}: {fault.strerror}")
            raise typer.Exit(USAGE) from None
        except KeyboardInterrupt:
            err.print("stopped")
            raise typer.Exit(130) from None

    run.__doc__ = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(command) or "")
    return run


def told_warning(message: Warning | str, category: type[Warning], *where: Any, **line: Any) -> str:
    """A warning of ours as one line, without the line of code that it comes from; others as Python has them."""
    own = issubclass(category, QuackWarning)
    return f"warning {message}\n" if own else PLAIN_WARNING(message, category, *where, **line)


def complain(message: str) -> None:
    """An error as one line on standard error; what stands in brackets in it ("quack_env[llm]") is no markup."""
    err.print(f"[bold red]error[/] {escape(message)}", markup=True, soft_wrap=True)


def print_table(table: Table) -> None:
    """Print a table, in parts where it is wider than the terminal; without one that is COLUMNS, or 80.

    Every part repeats the columns that tell its rows apart: those of a `Keyed` table, else the first. Long names in
    them are folded where that takes fewer parts.
    """
    for part in parts(table, table.keys if isinstance(table, Keyed) else 1, out.width):
        out.print(part)


def needed(table: Table) -> int:
    """The width at which no cell of a table is cut or wrapped."""
    return Measurement.get(out, out.options.update(width=10_000), table).maximum


def parts(table: Table, keys: int, width: int) -> list[Table]:
    """The table, or tables of its first columns and as many of the others, in order, as fit into the width; the last
    one has the caption."""
    if needed(table) <= width:
        return [table]
    return min(cut(table, keys, width), cut(narrowed(table, keys, width // 2), keys, width), key=len)


def cut(table: Table, keys: int, width: int) -> list[Table]:
    """The parts of a table that is too wide."""
    rest = list(range(keys, len(table.columns)))
    tables: list[Table] = []
    while rest:
        taken = 1
        while taken < len(rest) and needed(of_columns(table, [*range(keys), *rest[: taken + 1]])) <= width:
            taken += 1
        tables.append(of_columns(table, [*range(keys), *rest[:taken]]))
        rest = rest[taken:]
    for part in tables[:-1]:
        part.caption = None
    return tables


def narrowed(table: Table, keys: int, width: int) -> Table:
    """The table with the widest of its first columns folded, where these take more than the width."""
    widths = [needed(of_columns(table, [place])) for place in range(keys)]
    over = needed(of_columns(table, [*range(keys)])) - width
    if over <= 0:
        return table
    widest = widths.index(max(widths))
    narrow = of_columns(table, [*range(len(table.columns))])
    narrow.columns[widest].max_width = max(NARROWEST, widths[widest] - over - FRAME)
    return narrow


def of_columns(table: Table, places: list[int]) -> Table:
    """The same table with only these columns, whose cells are folded rather than cut where even these are too wide."""
    part = copy.copy(table)
    part.columns = [
        dataclasses.replace(table.columns[p], _index=k, no_wrap=False, overflow="fold") for k, p in enumerate(places)
    ]
    return part


def print_json(data: Any) -> None:
    """Exactly one JSON object on standard output."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, lines where that is no terminal; yields a function of (done, total)."""
    if not err.is_terminal:
        yield lines(label)
        return
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


def lines(label: str) -> Callable[[int, int], None]:
    """A function of (done, total) that says now and then on standard error how far something is."""
    due = time.monotonic() + BETWEEN_LINES

    def advance(done: int, total: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + BETWEEN_LINES
            err.print(f"{label}: {done} of {total}", markup=False, soft_wrap=True)

    return advance
