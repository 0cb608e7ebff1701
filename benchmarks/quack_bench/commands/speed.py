"""`quack speed`: agent-steps per second of every form, on this machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import Annotated

import typer
from rich.table import Table

from quack_bench.console import guarded, print_json, print_table, progress
from quack_bench.speed import YARDSTICK, is_compiled, measure


@guarded
def speed(
    steps: Annotated[int, typer.Option(min=1, help="Agent-steps per form and repeat, at least.")] = 8000,
    repeats: Annotated[int, typer.Option(min=1, help="Interleaved repeats; medians are shown.")] = 7,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Measure agent-steps per CPU second, with masks and observations, of every form beside a yardstick.

    Random legal play; every step goes through last() and step() (or the form's own loop). The yardstick is PettingZoo's
    connect_four_v3.raw_env in the same run. Batches (vector_env) have 1024 games; choosing their actions is left out.

    Example: quack speed --steps 20000
    """
    with progress("Measuring") as advance:
        rates = measure(steps, repeats, advance)
    batches = f"compiled, Numba {version('numba')}" if is_compiled() else "interpreted: Numba is not installed"
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    if json:
        print_json(
            {
                "machine": machine,
                "batches": batches,
                "rates": {form: measured.rate for form, measured in rates.items()},
                "observation_sizes": {form: measured.size for form, measured in rates.items()},
                "yardstick": YARDSTICK,
            }
        )
        return
    table = Table(title=f"agent-steps per CPU second ({machine}; batches {batches})")
    table.add_column("form")
    table.add_column("V", justify="right")
    table.add_column("steps/s", justify="right")
    table.add_column("times the yardstick", justify="right")
    for form, (rate, size) in rates.items():
        table.add_row(form, str(size or ""), f"{rate:,.0f}", f"{rate / rates[YARDSTICK].rate:.2f}")
    print_table(table)
