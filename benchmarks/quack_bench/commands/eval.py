"""`quack eval`: what recorded games say."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from quack_agents.llm import configure
from quack_bench.console import FAILED, MaxUsd, err, guarded, out, print_json, print_table, progress
from quack_bench.extractors import Watched, extractor_of
from quack_env import ConfigError, TrajectoryError
from quack_env.encode.text import counted
from quack_env.trajectory import FILE as OWN_FILE
from quack_eval import BeliefEval, Evaluation, StatementAudit, Trajectory, evaluate, find_games
from quack_eval.beliefs.load import find_belief_games
from quack_eval.claims.finding import NONE, OWN, TESTIMONY, Finding
from quack_eval.claims.sources import EXTRACTION, VERDICTS
from quack_eval.importers import mafiascope
from quack_eval.load import holds_game
from quack_eval.notices import several_sources, without_ship
from quack_eval.statements import Difference, compare_published, read_findings
from quack_eval.wording import claim_words

TIERS = ("1", "2", "3", "12", "13", "23", "123")
SUPPORT = {OWN: "own evidence", TESTIMONY: "testimony only", NONE: "no evidence"}
GROUNDED = {OWN: "grounded", NONE: "ungrounded"}
"""What the two judges call the support of an accusation."""


@guarded
def evaluate_command(
    paths: Annotated[list[Path], typer.Argument(help="Games, runs or folder trees, ours or published ones.")],
    out_dir: Annotated[
        Path | None, typer.Option("--out", file_okay=False, help="Folder for games.jsonl and the tables.")
    ] = None,
    convention: Annotated[str, typer.Option(help="paper or published.")] = "paper",
    tiers: Annotated[str, typer.Option(help="Tiers to evaluate, as in 1, 12 or 123.")] = "123",
    evidence: Annotated[bool, typer.Option(help="Also what the perceptions of Geese prove at every meeting.")] = False,
    extractor: Annotated[
        str | None,
        typer.Option(help="Where claims come from: recorded, grammar, a model; default: what the recording has."),
    ] = None,
    max_usd: MaxUsd = None,
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

    Damaged games are named, left out and counted; where all are, the exit code is 1. With --out, claims.jsonl and
    findings.jsonl hold every claim and its verdict with the reason; --from-findings counts them anew. With --extractor
    PROVIDER/NAME a model reads what was said; its answers are kept, so that none is paid twice, and what it could not
    read counts as missing.

    Example: quack eval runs/demo --out runs/demo/eval
    """
    check(convention, tiers, compare)
    given = {"--tiers": tiers != TIERS[-1], "--evidence": evidence, "--extractor": extractor is not None}
    given |= {"--max-usd": max_usd is not None, "--jobs": jobs != 1}
    if from_findings:
        refuse("--from-findings", out_dir, given | {"--compare": compare is not None})
        recount(paths, convention, json)
        return
    if compare:
        refuse("--compare", out_dir, given | {"--convention": convention != "paper"})
        list_differences(paths, json)
        return
    if max_usd is not None:
        configure(max_usd=max_usd)
    source = extractor_of(extractor)
    reader = source if isinstance(source, Watched) else None
    if max_usd is not None and reader is None:
        raise ConfigError("--max-usd: has no effect without a model as --extractor; leave it out")
    beliefs = measured_beliefs(paths) if convention == "paper" else None
    games = [path for path in paths if not mafiascope.find(path) or holds_game(path)]
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
        if beliefs is not None:
            beliefs.save(out_dir)
    show(evaluation, beliefs, reader, json)
    tell_what_is_left_out(evaluation, reader)
    if notice := without_ship(paths):
        err.print(notice, markup=False, soft_wrap=True)
    tell_left_out(len(evaluation.left_out), len(evaluation.left_out) + len(evaluation.evaluated))
    if reader is not None and reader.read_nothing:
        raise typer.Exit(FAILED)


def check(convention: str, tiers: str, compare: str | None) -> None:
    """Nothing, for values that there are.

    Raises:
        ConfigError: for others, naming the option.
    """
    if convention not in ("paper", "published"):
        raise ConfigError(f"--convention {convention}: must be paper or published")
    if tiers not in TIERS:
        raise ConfigError(
            f"--tiers {tiers}: must be one of {', '.join(TIERS)} (for what perceptions prove: --evidence)"
        )
    if compare not in (None, "published"):
        raise ConfigError(f"--compare {compare}: must be published")


def refuse(option: str, out_dir: Path | None, given: dict[str, bool]) -> None:
    """Nothing, where no option was given that another one leaves without effect.

    Raises:
        ConfigError: else, naming both.
    """
    if out_dir is not None:
        raise ConfigError(f"--out: {option} writes no files; use --json")
    for name, is_given in given.items():
        if is_given:
            raise ConfigError(f"{name}: has no effect with {option}; leave one of them out")


def show(evaluation: Evaluation, beliefs: BeliefEval | None, reader: Watched | None, json: bool) -> None:
    """The measures of the games, of beliefs where there were any, and what a model took that read the claims."""
    if json:
        parts = {"beliefs": beliefs, "extractor": reader}
        print_json(evaluation.to_json() | {name: part.to_json() for name, part in parts.items() if part is not None})
        return
    for table in evaluation.tables() + (beliefs.tables() if beliefs is not None else []):
        print_table(table)
    if reader is not None:
        out.print(reader.summary(), markup=False, soft_wrap=True)


def tell_what_is_left_out(evaluation: Evaluation, reader: Watched | None) -> None:
    """On standard error: games that are not scored, claims from several sources, words that a model could not read."""
    for message in evaluation.damaged:
        err.print(f"left out: {message}", markup=False, soft_wrap=True)
    for message in evaluation.unfinished:
        err.print(f"unfinished: {message}", markup=False, soft_wrap=True)
    for message in evaluation.notices:
        err.print(message, markup=False, soft_wrap=True)
    if notice := several_sources(evaluation.sources()):
        err.print(notice, markup=False, soft_wrap=True)
    for complaint in reader.complaints() if reader is not None else ():
        err.print(complaint, markup=False, soft_wrap=True)


def tell_left_out(left_out: int, games: int) -> None:
    """On standard error: how many of the games are in no figure, where some are not.

    Raises:
        Exit: with `FAILED`, where none is.
    """
    if left_out == games:
        err.print("no game could be evaluated")
        raise typer.Exit(FAILED)
    if left_out:
        err.print(f"games left out: {left_out} of {games}; all that is told is of the other {games - left_out}")


def measured_beliefs(paths: list[Path]) -> BeliefEval | None:
    """The measures of what agents believed, where they were asked; None where nobody was."""
    damaged: list[str] = []
    with progress("Measuring beliefs") as advance:
        games = find_belief_games([path for path in paths if path.is_dir() or path.name == OWN_FILE], damaged=damaged)
        beliefs = BeliefEval(games, progress=advance) if games else None
    for message in damaged:
        err.print(f"left out of the beliefs: {message}", markup=False, soft_wrap=True)
    if games and not any(game.beliefs for game in games):
        more = "quack beliefs --convention published and quack view show what else was recorded"
        err.print(f"no probe of these games asks for a belief, and none is measured; {more}", soft_wrap=True)
    return beliefs


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
    games = [game for path in paths for game in read_findings(path)]
    audit = StatementAudit(games=games, convention=convention)
    if json:
        print_json(audit.to_dict())
    else:
        print_table(audit.table())


def list_differences(paths: list[Path], json: bool) -> None:
    """Every claim on which the judge and the published verdicts differ, with both reasons."""
    both = 0
    found: list[Difference] = []
    damaged: list[str] = []
    games = find_games(paths)
    with progress("Comparing") as advance:
        for done, path in enumerate(games):
            advance(done, len(games))
            try:
                judged, differ = compare_published(Trajectory.load(path))
            except TrajectoryError as fault:
                damaged.append(str(fault))
                continue
            both += judged
            found += differ
    for message in damaged:
        err.print(f"left out: {message}", markup=False, soft_wrap=True)
    tell_left_out(len(damaged), len(games))
    beside = (path / name for path in games for name in (EXTRACTION, VERDICTS))
    lacking = [file for file in beside if not file.is_file()]
    if not both:
        told = f"--compare published: no game has a claim ({EXTRACTION}) with a published verdict ({VERDICTS})"
        raise ConfigError(f"{told}; {lacking[0]}: no such file" if lacking else told)
    if lacking:
        games_without = counted(len({file.parent for file in lacking}), "game")
        err.print(f"not compared: {games_without}; the first lacks {lacking[0]}", markup=False, soft_wrap=True)
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
    for game, differences in groupby(found, lambda difference: difference.game):
        out.print(game, markup=False, soft_wrap=True)
        for d in differences:
            told = f"  meeting {d.meeting}, {d.speaker}: {claim_words(d.ours.claim, d.speaker)}"
            out.print(told, markup=False, soft_wrap=True)
            out.print(f"      here: {answer(d.ours, SUPPORT)}", markup=False, soft_wrap=True)
            out.print(f"      published: {answer(d.theirs, GROUNDED)}", markup=False, soft_wrap=True)
    out.print(f"{len(found)} of {both} answers differ")


def answer(finding: Finding, words: dict[str, str]) -> str:
    """A verdict, of an accusation with its support in a judge's words, and the reason."""
    support = words.get(finding.support or "")
    return f"{finding.verdict}, {support}: {finding.reason}" if support else f"{finding.verdict}: {finding.reason}"
