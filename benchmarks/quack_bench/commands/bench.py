"""`quack bench`: play a suite, then evaluate it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from quack_agents.llm import Budget
from quack_bench.console import FAILED, MaxUsd, complain, err, guarded, lines, out, print_json, print_table, progress
from quack_bench.dryrun import Estimate, estimates, in_all, told_limit
from quack_bench.executors import NAMES
from quack_bench.players import blamed_on, check_players
from quack_bench.results import TABLES, Results, rating_table, score
from quack_bench.runner import FROZEN, Standing, check_limit, check_run, cpus, frozen, opened, run_suite, unfinished
from quack_bench.suite import Suite, built_in, read_suite
from quack_env import ConfigError
from quack_env.encode.text import counted
from quack_eval.beliefs.load import failed_probes
from quack_eval.metrics.measure import total
from quack_eval.metrics.tables import Keyed, shown, shown_interval, shown_policy
from quack_eval.report import write_report
from quack_eval.report.sections import alike, told_repeats


@guarded
def bench(
    suite: Annotated[
        str, typer.Argument(help=f"A suite's YAML file, a built-in one ({', '.join(built_in())}), or a run's folder.")
    ],
    out_dir: Annotated[Path | None, typer.Option("--out", help="Folder of the run; default runs/NAME.")] = None,
    model: Annotated[list[str] | None, typer.Option(help="The suite's models, in order, in place of its own.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Only so many of the suite's seeds.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Games at once; default: one per CPU, and 8 where models play.")
    ] = None,
    executor: Annotated[
        str, typer.Option(help=f"Where games without models are played: {' or '.join(NAMES)}.")
    ] = "local",
    max_usd: MaxUsd = None,
    retries: Annotated[int | None, typer.Option(min=0, help="Further attempts at a game that failed.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run; without one there, say so.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Play nothing; say what it would take.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Play the games of a suite that are missing in its folder, record them, then write tables and report.

    Finished games and paid replies are kept: the same command goes on after a stop, whatever stopped it. Games that
    fail are tried again, then reported and left out of the scores. The exit code is 1 where games are missing, and
    where a model was to read what was said and could read nothing, or was not reached.

    Example: quack bench demo --out runs/demo --jobs 2
    """
    plan, folder = planned(suite, out_dir, model or [], seeds)
    if resume and not (folder / FROZEN).is_file():
        raise ConfigError(f"--resume: {folder} holds no run ({FROZEN} is missing)")
    limit = plan.max_usd if max_usd is None else max_usd
    if dry_run:
        tell_estimates(plan, limit, json)
    check_limit(plan, limit)
    if dry_run:
        return
    if limit is not None and not (folder / FROZEN).is_file():
        tell_limit(in_all(estimated(plan)), limit)
    again = f"quack bench {quote(str(folder))} --resume" + ("" if max_usd is None else f" --max-usd {max_usd:g}")
    with going_on(again), opened(plan, folder):
        with playing(plan.name) as watch:
            standing = run_suite(plan, folder, jobs, executor, max_usd, retries, watch)
        try:
            with progress("Evaluating") as advance:
                results = score(plan, folder, jobs or cpus(), advance)
        except ConfigError as fault:
            complain(" ".join(str(fault).split()))
            kept = f"games kept: {len(standing.finished)} of {len(standing.games)}, not evaluated yet"
            err.print(f"{kept}. When that is mended, go on with: {again}", markup=False, soft_wrap=True)
            raise typer.Exit(FAILED) from None
        report = write_report(folder)
    tell(standing, results, folder, report, again, json)
    if standing.failed or standing.missing or (results.reader is not None and results.reader.read_nothing):
        raise typer.Exit(FAILED)


@contextmanager
def going_on(again: str) -> Iterator[None]:
    """Around a run: Ctrl-C ends it with a line that says how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        err.print(f"stopped; what was finished is kept. Go on with: {again}", markup=False, soft_wrap=True)
        raise typer.Exit(130) from None


def planned(suite: str, out_dir: Path | None, models: list[str], seeds: int | None) -> tuple[Suite, Path]:
    """(the suite, the folder of its run); a run's folder stands for its suite."""
    folder = Path(suite)
    if (folder / FROZEN).is_file() or (folder.is_dir() and suite not in built_in()):
        check_run(folder)
        if models or seeds or out_dir not in (None, folder):
            raise ConfigError(f"{folder}: is a run; --model, --seeds and --out are settled in it")
        plan = frozen(folder)
    else:
        plan = read_suite(suite, models, seeds)
        folder = out_dir or Path("runs") / plan.name
        if (folder / FROZEN).is_file():
            plan = plan.with_files(held=frozen(folder).files)
    with blamed_on(suite, plan):
        check_players(unfinished(plan, folder), plan.files)
    return plan, folder


# --- telling ---------------------------------------------------------------------------------------------------------


class Spent(ProgressColumn):
    """Calls and cost of the session so far."""

    def __init__(self) -> None:
        super().__init__()
        self.standing: Standing | None = None

    def render(self, task: Task) -> Text:
        """Nothing where no model plays."""
        client = self.standing.client if self.standing else None
        if client is None:
            return Text("")
        budget = client.budget
        cost = f"${shown(budget.usd, False)}" + (" + unpriced" if budget.unpriced else "")
        return Text(f"{budget.calls} calls, {cost}")


@contextmanager
def playing(name: str) -> Iterator[Any]:
    """A progress bar of games, calls, cost and time left, or lines; yields what `run_suite` calls."""
    if not err.is_terminal:
        tell_some = lines(f"Playing {name}")
        yield lambda standing: tell_some(len(standing.finished) + len(standing.failed), len(standing.games))
        return
    spent = Spent()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), spent)
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=err, transient=True) as bar:
        task = bar.add_task(f"Playing {escape(name)}", total=None)

        def watch(standing: Standing) -> None:
            spent.standing = standing
            done = len(standing.finished) + len(standing.failed)
            description = "Stopping (Ctrl-C: at once)" if standing.stopping else f"Playing {escape(name)}"
            bar.update(task, description=description, completed=done, total=len(standing.games))

        yield watch


def tell(standing: Standing, results: Results, folder: Path, report: Path, again: str, json: bool) -> None:
    """Who won, ratings, and where all else is; on standard error what is missing."""
    if json:
        counts = {"finished": len(standing.finished), "missing": standing.missing, "stopped": standing.stopped}
        read = {} if results.reader is None else {"extractor": results.reader.to_json()}
        print_json({"run": os.fspath(folder), "report": os.fspath(report), **counts, **results.to_json(), **read})
    else:
        if results.evaluation.evaluated:
            print_table(wins_shown(results))
        if results.ratings:
            print_table(ratings_shown(results))
    for line in told(standing, results, folder, again):
        err.print(line, markup=False, soft_wrap=True)
    if results.reader is not None:
        results.reader.tell()
    if standing.client is not None:
        err.print(paid(standing.client.budget, results.costs), markup=False, soft_wrap=True)
    games = counted(len(results.evaluation.evaluated), "scored game")
    where = f"{games}; report: {report}; tables of all measures: {folder / TABLES}, or quack eval {quote(str(folder))}"
    err.print(where, style="dim", markup=False, soft_wrap=True)


def told(standing: Standing, results: Results, folder: Path, again: str) -> Iterator[str]:
    """What failed, was left out, is missing or lost, and how to go on; ``again``: the command that does, but for a
    spent budget."""
    for failed in alike(results.failures):
        yield f"failed, not scored: {failed['game']}: {failed['error']}"
    for message in (*results.evaluation.damaged, *results.evaluation.unfinished):
        yield f"left out: {message}"
    yield from results.evaluation.notices
    if failures := failed_probes(folder):
        yield failures
    if results.repeats:
        yield told_repeats(results.repeats)
    if standing.lost_beliefs:
        games = counted(standing.lost_beliefs, "finished game")
        yield f"run.sqlite was missing: it has been made again, but the beliefs of {games} are lost with it"
    if standing.missing:
        yield f"{counted(standing.missing, 'game')} missing: {standing.stopped or 'stopped'}"
    if standing.stopped:
        yield f"Go on with: quack bench {quote(str(folder))} --resume --max-usd MORE"
    elif standing.failed:
        yield f"Try what failed again with: {again}"


def paid(budget: Budget, costs: list[dict[str, Any]]) -> str:
    """What all calls of the run cost, in all sessions: of games, those broken off too, of probes, and of a reader."""
    calls = sum(row["calls"] + row["probe_calls"] for row in costs)
    unpriced = total(row[kind] for row in costs for kind in ("cost_usd", "probe_cost_usd")) is None
    known = f"${budget.usd:.4f}" if budget.usd or not unpriced else ""
    cost = " and ".join(part for part in (known, "what has no known price" if unpriced else "") if part)
    return f"{counted(calls, 'model call')} in the games, their probes and reading; paid in all: {cost}"


def wins_shown(results: Results) -> Table:
    """How often the Geese won in each setting."""
    table = Table("setting", "games", "Geese won %", "95 %", title="Who won", caption="won: Wilson's interval")
    for setting, measures in results.evaluation.settings.items():
        won = measures["geese_win"]
        cells = shown(won.mean, True), shown_interval(won.mean_interval, True)
        table.add_row(escape(shown_policy(setting)), str(won.games), *map(escape, cells))
    return table


def ratings_shown(results: Results) -> Table:
    """The ratings for the terminal."""
    plain = rating_table(results)
    table = Keyed(*plain.heads, keys=3, title="Ratings by role")
    for row in plain.rows:
        table.add_row(*("-" if x is None else f"{x:.1f}" if isinstance(x, float) else escape(str(x)) for x in row))
    return table


def estimated(plan: Suite) -> list[Estimate]:
    """What the settings of a suite would take, which takes seconds."""
    err.print("estimating what it would take, from one mock game per setting", style="dim")
    with progress("Estimating") as advance:
        return estimates(plan.games(), plan.extractor, advance)


def tell_limit(total: Estimate, limit: float | None) -> None:
    """A line on standard error that holds the limit in dollars, if there is one, against the estimate."""
    line = told_limit(total, limit)
    if line is not None:
        err.print(line, markup=False, soft_wrap=True)


def tell_estimates(plan: Suite, limit: float | None, json: bool) -> None:
    """What a suite would take, by setting and in all."""
    found = estimated(plan)
    total = in_all(found)
    tell_limit(total, limit)
    if json:
        print_json({"suite": plan.name, "settings": [asdict(one) for one in found], "total": asdict(total)})
        return
    table = Table("setting", "games", "calls", "tokens in", "tokens out", "USD", "USD at most", title="Dry run")
    for one in [*found, total]:
        usd = ["unknown" if value is None else shown(value, False) for value in (one.usd, one.usd_at_most)]
        counts = ["-" if n is None else str(n) for n in (one.games, one.calls, one.prompt_tokens, one.reply_tokens)]
        table.add_row(escape(shown_policy(one.setting)), *counts, *usd)
    print_table(table)
    out.print("From one mock game per setting; real games and replies are shorter or longer.", style="dim")
