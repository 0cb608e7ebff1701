"""`quack speed`: agent-steps per second of every form, on this machine."""

from __future__ import annotations

import platform
from typing import Annotated

import typer
from rich.table import Table

from quack_bench.console import guarded, out, print_json, progress
from quack_bench.speed import YARDSTICK, measure


@guarded
def speed(
    steps: Annotated[int, typer.Option(min=1, help="Agent-steps per form and repeat, at least.")] = 8000,
    repeats: Annotated[int, typer.Option(min=1, help="Interleaved repeats; medians are shown.")] = 7,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Measure agent-steps per CPU second, with masks and observations, of every form beside a yardstick.

    Random legal play; every step goes through last() and step() (or the form's own loop). The yardstick is PettingZoo's
    connect_four_v3.raw_env in the same run.

    Example: quack speed --steps 20000
    """
    with progress("Measuring") as advance:
        rates = measure(steps, repeats, advance)
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    if json:
        print_json({"machine": machine, "rates": rates, "yardstick": YARDSTICK})
        return
    table = Table(title=f"agent-steps per CPU second ({machine})")
    table.add_column("form")
    table.add_column("steps/s", justify="right")
    table.add_column("times the yardstick", justify="right")
    for form, rate in rates.items():
        table.add_row(form, f"{rate:,.0f}", f"{rate / rates[YARDSTICK]:.2f}")
    out.print(table)
