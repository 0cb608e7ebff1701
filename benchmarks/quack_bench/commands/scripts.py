"""`quack scripts`: list, check and run scripted situations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from quack_agents.llm import BudgetError, ModelError
from quack_agents.probe import ProbeConfig
from quack_agents.situations import check as check_situation
from quack_agents.situations import load_situation, shipped
from quack_bench.commands.play import tell_cost, took
from quack_bench.console import FAILED, MaxUsd, complain, err, guarded, out, print_json, print_table, progress
from quack_bench.games import limited
from quack_bench.runner import check_outside
from quack_bench.scripts import checked_policies, found, planned, play_situations
from quack_env import ConfigError
from quack_env.encode.text import counted
from quack_eval.beliefs.load import failed_probes
from quack_eval.beliefs.social import INDEX, SocialReasoning, read_index

scripts = typer.Typer(
    no_args_is_help=True, help="Scripted situations: list, check, run and score them.\n\nExample: quack scripts list"
)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


@scripts.command(name="list")
@guarded
def list_command(json: AsJson = False) -> None:
    """The situations that come with the package, with their controls and moments.

    Example: quack scripts list
    """
    situations = [load_situation(name) for name in shipped()]
    if json:
        listed = [
            {"name": s.name, "title": s.title, "about": s.about, "tested": s.tested}
            | {"mirrors": {name: vars(mirror) for name, mirror in s.mirrors.items()}, "moments": s.moments}
            for s in situations
        ]
        print_json({"situations": listed})
        return
    table = Table("name", "title", "under test", "controls", "moments", title="Situations")
    for s in situations:
        cells = (s.name, s.title, ", ".join(s.tested), ", ".join(s.mirrors), ", ".join(s.moments))
        table.add_row(*map(escape, cells))
    print_table(table)


@scripts.command()
@guarded
def check(
    names: Annotated[list[str], typer.Argument(help="Shipped situations, YAML files, or all.")],
    json: AsJson = False,
) -> None:
    """Step scripts through the rules, those of their controls too; an illegal step is named by line and reason.

    Exit code 1 where a script is not valid.

    Example: quack scripts check my_situation.yaml
    """
    faults: dict[str, str] = {}
    ticks: dict[str, int] = {}
    for name in dict.fromkeys(one for given in names for one in (shipped() if given == "all" else [given])):
        try:
            ticks[name] = check_situation(load_situation(name))
        except ConfigError as fault:
            faults[name] = str(fault)
    if json:
        print_json({"checked": ticks, "faults": faults})
    else:
        for name, last in ticks.items():
            out.print(f"{name}: valid, {last} ticks")
        for told in faults.values():
            complain(told)
    if faults:
        raise typer.Exit(FAILED)


@scripts.command()
@guarded
def run(
    names: Annotated[list[str], typer.Argument(help="Shipped situations, YAML files, or all.")],
    policy: Annotated[list[str] | None, typer.Option(help="Policy under test; more than one are ranked.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="So many seeds: of draws, and of the order names are listed.")] = 1,
    out_dir: Annotated[Path, typer.Option("--out", help="Folder of the run.")] = Path("runs/scripts"),
    speech: Annotated[str | None, typer.Option(help="tokens or text; default: text for models.")] = None,
    mirrors: Annotated[bool, typer.Option(help="Play the controls too.")] = True,
    goes_on: Annotated[bool, typer.Option("--goes-on", help="Play on after the script, others as scripted.")] = False,
    probe: Annotated[str | None, typer.Option(help="Probes beside the moments: triggers, or a YAML file.")] = None,
    max_usd: MaxUsd = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="At once; default: 8 where models play, else 1.")] = None,
    json: AsJson = False,
) -> None:
    """Play situations with policies under test, ask them at the named moments, and score what they believed.

    What the folder has already is not played again, so that policies can be added to a ranking. Exit code 1 where a
    policy failed: it plays no further, and the others do.

    Example: quack scripts run all --policy scripted --policy random --out runs/social
    """
    policies = checked_policies(policy or ["scripted"])
    if speech not in (None, "tokens", "text"):
        raise ConfigError(f"speech={speech!r}: must be tokens or text")
    probing = None if probe is None else ProbeConfig.of(probe)
    check_outside(out_dir)
    client = limited(max_usd, policies)
    with progress("Checking"):
        plans = planned(found(names, mirrors), policies, range(seeds))
    with kept(out_dir), progress("Playing") as advance:
        failed = play_situations(
            plans, out_dir, speech=speech, probe=probing, goes_on=goes_on, client=client, jobs=jobs, progress=advance
        )
    for told in failed.values():
        err.print(f"failed, not scored: {told}", markup=False, soft_wrap=True)
    if not failed or (out_dir / INDEX).exists():
        _show_scores(out_dir, json)
    if failures := failed_probes(out_dir):
        err.print(failures, soft_wrap=True)
    if failed:
        raise typer.Exit(FAILED)


@contextmanager
def kept(run: Path) -> Iterator[None]:
    """Around performances that a model's failure may break off: says what is kept, and how to go on."""
    try:
        yield
    except (ModelError, BudgetError) as fault:
        there = counted(len(read_index(run)) if (run / INDEX).exists() else 0, "performance")
        more = ", whose --max-usd counts anew (MORE where it ended none)" if isinstance(fault, BudgetError) else ""
        err.print(f"{there} kept in {run}; go on with the same command{more}", soft_wrap=True)
        raise


def _show_scores(run: Path, json: bool) -> None:
    """Score what a run holds, and print it."""
    with progress("Scoring") as advance:
        scores = SocialReasoning(run, advance)
    if json:
        print_json({"run": str(run), **scores.to_json(), **took(run)})
        return
    if scores.by_seed:  # of one situation all can be shown
        for table in scores.moment_tables():
            print_table(table)
    print_table(scores.table())
    tell_cost(**took(run))
    err.print(f"{counted(len(scores.performances), 'performance')} in {run}", style="dim", soft_wrap=True)
