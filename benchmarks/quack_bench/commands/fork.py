"""`quack fork`: counterfactual continuations of a recorded game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from quack_agents.llm import BudgetError, ModelError
from quack_bench.commands.play import seats_of, tell_cost, took
from quack_bench.console import MaxUsd, err, guarded, print_json, print_table, progress
from quack_bench.forks import Point, play_forks, policies_of, scan
from quack_bench.games import limited
from quack_bench.runner import check_outside
from quack_env import ConfigError
from quack_env.encode.text import counted
from quack_eval import Trajectory
from quack_eval.beliefs.load import failed_probes
from quack_eval.beliefs.shifts import INDEX, KEPT, REPLACED, Shifts
from quack_eval.metrics.estimate import Interval
from quack_eval.metrics.tables import Keyed, shown, shown_interval


@guarded
def fork_command(
    game: Annotated[Path, typer.Argument(help="A recorded game.")],
    at: Annotated[
        int | None, typer.Option(help="The event from which on it goes differently: its index in trajectory.jsonl.")
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Continuations.")] = 10,
    say: Annotated[
        str | None, typer.Option(help="What is said in place of the statement at the event; with tokens suspect(NAME).")
    ] = None,
    scan_meeting: Annotated[
        int | None, typer.Option("--scan", min=0, help="Silence each statement of this meeting, to find what moved it.")
    ] = None,
    goose: Annotated[str | None, typer.Option(help="Policy of the Geese from there; default: as recorded.")] = None,
    duck: Annotated[str | None, typer.Option(help="Policy of the Ducks from there.")] = None,
    seat: Annotated[list[str] | None, typer.Option(help="Policy of one seat, as in 2=scripted:cautious.")] = None,
    out_dir: Annotated[Path | None, typer.Option("--out", help="Folder of the continuations.")] = None,
    probe: Annotated[bool, typer.Option(help="Ask all before and after the utterance, and before the vote.")] = True,
    max_games: Annotated[int | None, typer.Option(min=1, help="With --scan: at most so many games.")] = None,
    max_usd: MaxUsd = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Games at once; default: 8 where models play, else 1.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Play a recorded game on from an event, several times, and say what came of it.

    With --say, as many continuations keep what was said, on the same chance, and the difference is shown. With --scan,
    that is done for every statement of a meeting, up to its vote.

    Example: quack fork runs/first --at 78 -n 10 --say "It was Eve, I saw her."
    """
    if (at is None) == (scan_meeting is None) or (say is not None and at is None):
        raise ConfigError("choose either --at EVENT (perhaps with --say) or --scan MEETING")
    trajectory = Trajectory.load(game)
    seats = seats_of(seat or [], trajectory.config.n_players)
    names = policies_of(trajectory, goose, duck, seats)
    place = f"at-{at}" if at is not None else f"scan-{scan_meeting}"
    run = out_dir or Path("runs/forks") / f"{game.resolve().name}-{place}"
    if (run / INDEX).exists():
        raise ConfigError(f"{run}: already holds forks; choose another --out")
    check_outside(run)
    client = limited(max_usd, names.values())
    options: dict[str, Any] = {"asks": probe, "client": client, "jobs": jobs}
    with kept(run), progress("Playing") as advance:
        if at is not None:
            play_forks(Point.of(trajectory, at), n, names, run, say, advance, **options)
        else:
            assert scan_meeting is not None
            scan(trajectory, scan_meeting, n, names, run, max_games, advance, **options)
    shifts = Shifts(run)
    if json:
        print_json({"run": str(run), **(shifts.to_json() if at is not None else shifts.scan_json()), **took(run)})
    else:
        tell(shifts, run)
    if shifts.facts.get("stopped"):
        err.print(f"stopped early: {shifts.facts['stopped']}\n{told_kept(run, over_budget=True)}", soft_wrap=True)
    if failures := failed_probes(run):
        err.print(failures, soft_wrap=True)


@contextmanager
def kept(run: Path) -> Iterator[None]:
    """Around continuations that a model's failure may break off: says what is kept, and how to begin anew."""
    try:
        yield
    except (ModelError, BudgetError) as fault:
        err.print(told_kept(run, over_budget=isinstance(fault, BudgetError)), soft_wrap=True)
        raise


def told_kept(run: Path, over_budget: bool) -> str:
    """What is left of a fork that was broken off."""
    more = " and --max-usd MORE" if over_budget else ""
    return f"what was recorded until then is kept in {run}; a fork is not resumed: begin anew with another --out{more}"


def tell(shifts: Shifts, run: Path) -> None:
    """The table, and what it all took."""
    print_table(shift_table(shifts) if "at" in shifts.facts else scan_table(shifts))
    tell_cost(**took(run))
    err.print(f"{counted(len(shifts.continuations), 'continuation')} in {run}", style="dim", soft_wrap=True)


def shift_table(shifts: Shifts) -> Table:
    """The measures of both arms and what they differ in."""
    replaced = REPLACED in shifts.estimates
    table = Table(
        title=f"Continuations from event {shifts.facts['at']}",
        caption="means, 95 % intervals by continuation (geese_win: Wilson's)",
    )
    for heading in ("measure", "n", "as said", "95 %", *(("replaced", "95 %", "change", "95 %") if replaced else ())):
        table.add_column(heading, justify="left" if heading == "measure" else "right")
    for name, kept in shifts.estimates[KEPT].items():
        if kept.mean is None:
            continue
        cells = _cells(kept.mean, kept.mean_interval)
        if replaced:
            other = shifts.estimates[REPLACED].get(name)
            change = shifts.shift[name]
            for value in (other, change):
                cells += _cells(value.mean, value.mean_interval) if value else ["-", "-"]
        table.add_row(escape(name), str(kept.n), *map(escape, cells))
    return table


def _cells(value: float | None, interval: Interval) -> list[str]:
    return [shown(value, False), shown_interval(interval, False, value)]


def scan_table(shifts: Shifts) -> Table:
    """The statements of the meeting, the one that moved the vote most first."""
    table = Keyed(
        keys=2,
        title=f"What moved the vote of meeting {shifts.facts['meeting']}",
        caption=f"moved: share of votes that differ where it is not said; {counted(shifts.facts['n'], 'pair')} each",
    )
    for heading in ("event", "speaker", "moved", "95 %", "votes with it, minus without", "statement"):
        table.add_column(heading)
    for one in shifts.pivotal:
        moves = {name: d.mean for name, d in one.votes.items() if d.mean}
        told = ", ".join(f"{name} {mean:+.2f}" for name, mean in sorted(moves.items(), key=lambda item: -abs(item[1])))
        share = _cells(one.share.pooled, one.share.pooled_interval)
        table.add_row(*map(escape, (str(one.event), one.speaker, *share, told or "-", one.text)))
    return table
