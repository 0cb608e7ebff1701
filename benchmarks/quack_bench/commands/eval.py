"""`quack eval`: what recorded games say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quack_agents.llm import configure
from quack_bench.console import FAILED, err, guarded, out, print_json, print_table, progress
from quack_bench.extractors import extractor_of
from quack_env import ConfigError
from quack_eval import BeliefEval, StatementAudit, Trajectory, evaluate, find_games
from quack_eval.beliefs.load import belief_games, has_beliefs
from quack_eval.importers import mafiascope
from quack_eval.statements import Difference, compare_published

TIERS = ("1", "2", "3", "12", "13", "23", "123")


@guarded
def evaluate_command(
    paths: Annotated[list[Path], typer.Argument(help="Games, runs or folder trees, ours or published ones.")],
    out_dir: Annotated[Path | None, typer.Option("--out", help="Folder for games.jsonl and the tables.")] = None,
    convention: Annotated[str, typer.Option(help="paper or published.")] = "paper",
    tiers: Annotated[str, typer.Option(help="Tiers to evaluate, as in 1, 12 or 123.")] = "123",
    evidence: Annotated[bool, typer.Option(help="Also what the perceptions of Geese prove at every meeting.")] = False,
    extractor: Annotated[
        str | None,
        typer.Option(help="Where claims come from: recorded, grammar, a model; default: what the recording has."),
    ] = None,
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="With a model: calls may not cost more than this.")
    ] = None,
    compare: Annotated[
        str | None, typer.Option(help="published: list every verdict that differs from the published one.")
    ] = None,
    from_findings: Annotated[
        bool, typer.Option("--from-findings", help="PATH is a folder with findings.jsonl: count them anew.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Games at once: processes; threads with a model.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Evaluate recorded games: outcomes (Tier 1), behaviour (Tier 2), statements (Tier 3), beliefs, with intervals.

    Damaged games are named, left out and counted. With --out, claims.jsonl and findings.jsonl hold every claim and its
    verdict with the reason; --from-findings counts them anew. With --extractor PROVIDER/NAME a model reads what was
    said; its answers are kept, so that none is paid twice, and what it could not read counts as missing.

    Example: quack eval runs/demo --out runs/demo/eval
    """
    if convention not in ("paper", "published"):
        raise ConfigError(f"--convention {convention}: must be paper or published")
    if tiers not in TIERS:
        raise ConfigError(f"--tiers {tiers}: must be one of {', '.join(TIERS)}")
    if compare not in (None, "published"):
        raise ConfigError(f"--compare {compare}: must be published")
    if from_findings:
        recount(paths, convention, json)
        return
    if compare:
        list_differences(paths, json)
        return
    if max_usd is not None:
        configure(max_usd=max_usd)
    source = extractor_of(extractor)
    beliefs = measured_beliefs(paths) if convention == "paper" else None
    games = [path for path in paths if not mafiascope.find(path)]
    if not games and beliefs is not None:  # MafiaScope's recordings have nothing else that is ours to measure
        show_beliefs(beliefs, out_dir, json)
        return
    with progress("Evaluating") as advance:
        evaluation = evaluate(
            games,
            tiers=(*sorted(int(t) for t in tiers), *([4] if evidence else [])),
            convention=convention,
            jobs=jobs,
            claims=source,
            progress=advance,
            findings=out_dir if "3" in tiers else None,
        )
    if out_dir is not None:
        evaluation.save(out_dir)
    if beliefs is not None and out_dir is not None:
        beliefs.save(out_dir)
    if json:
        print_json(evaluation.to_json() | ({"beliefs": beliefs.to_json()} if beliefs is not None else {}))
    else:
        for table in evaluation.tables() + (beliefs.tables() if beliefs is not None else []):
            print_table(table)
    for message in evaluation.damaged:
        err.print(f"left out: {message}", markup=False, soft_wrap=True)
    for message in evaluation.unfinished:
        err.print(f"not scored, unfinished: {message}", markup=False, soft_wrap=True)
    if not evaluation.games:
        err.print("no game could be evaluated")
        raise typer.Exit(FAILED)


def measured_beliefs(paths: list[Path]) -> BeliefEval | None:
    """The measures of what agents believed, where they were asked; None where nobody was."""
    with progress("Measuring beliefs") as advance:
        games = [game for path in paths if path.exists() and has_beliefs(path) for game in belief_games(path)]
        return BeliefEval(games, progress=advance) if games else None


def show_beliefs(beliefs: BeliefEval, out_dir: Path | None, json: bool) -> None:
    """Measures of beliefs alone."""
    if out_dir is not None:
        beliefs.save(out_dir)
    if json:
        print_json({"games": len(beliefs.games), "beliefs": beliefs.to_json()})
        return
    for table in beliefs.tables():
        print_table(table)


def recount(paths: list[Path], convention: str, json: bool) -> None:
    """Count the findings of an earlier evaluation anew."""
    for path in paths:
        audit = StatementAudit.from_findings(path, convention)
        if json:
            print_json(audit.to_dict())
        else:
            print_table(audit.table())


def list_differences(paths: list[Path], json: bool) -> None:
    """Every claim on which the judge and the published verdicts differ, with both reasons."""
    both = 0
    found: list[Difference] = []
    games = find_games(paths)
    with progress("Comparing") as advance:
        for done, path in enumerate(games):
            advance(done, len(games))
            judged, differ = compare_published(Trajectory.load(path))
            both += judged
            found += differ
    if json:
        rows = [
            {
                "game": d.game,
                "meeting": d.meeting,
                "speaker": d.speaker,
                "message": d.message,
                "claim": d.ours.claim.to_dict(),
                "ours": [d.ours.verdict, d.ours.support, d.ours.reason],
                "published": [d.theirs.verdict, d.theirs.support, d.theirs.reason],
            }
            for d in found
        ]
        print_json({"judged_by_both": both, "differences": rows})
        return
    for d in found:
        said = " ".join(str(value) for value in d.ours.claim.to_dict().values() if value)
        out.print(f"{d.game} meeting {d.meeting}, {d.speaker}: {said}", markup=False, soft_wrap=True)
        out.print(f"    here: {d.ours.verdict} {d.ours.support or ''}: {d.ours.reason}", markup=False, soft_wrap=True)
        out.print(f"    published: {d.theirs.verdict}: {d.theirs.reason}", markup=False, soft_wrap=True)
    out.print(f"{len(found)} of {both} verdicts differ")
