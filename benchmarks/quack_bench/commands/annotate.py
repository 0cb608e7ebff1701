"""`quack annotate`: people check what the extractor and the judge found."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from typer.core import TyperCommand

from quack_bench.commands.eval import tell_left_out
from quack_bench.console import FAILED, err, guarded, out, print_json, print_table, progress
from quack_bench.extractors import Watched, extractor_of
from quack_env import QuackError, TrajectoryError
from quack_env.encode.text import counted
from quack_eval import StatementEval, Trajectory, find_games
from quack_eval.annotate import NO_CLAIM, Scores, Share, Spoken, check_free, draw, score, spoken_in, write_sheet
from quack_eval.metrics.tables import shown, shown_interval
from quack_eval.notices import without_ship

SCORE = "score"


class WithScore(TyperCommand):
    """A command of which one first word makes another one: `annotate score`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, unless they are those of the other command: then that is run."""
        if args[:1] == [SCORE]:
            ctx.exit(score_app(args[1:], prog_name=f"{ctx.command_path} {SCORE}", standalone_mode=False) or 0)
        return super().parse_args(ctx, args)


@guarded
def annotate(
    paths: Annotated[list[str], typer.Argument(help="Games, runs or folder trees; or: score FILE...")],
    sample: Annotated[
        int, typer.Option(min=1, help="Claims to draw, over all types and verdicts; and utterances without any.")
    ] = 200,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    annotator: Annotated[str, typer.Option(help="Name to put into the sheet.")] = "",
    extractor: Annotated[
        str | None,
        typer.Option(help="Source of the claims: recorded, grammar, or a model; default: what the recording has."),
    ] = None,
    out_dir: Annotated[
        Path, typer.Option("--out", file_okay=False, help="Folder for sheet.csv and sheet.html.")
    ] = Path("annotation"),
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Draw claims from recorded games, and write a sheet for people to check; `annotate score FILE...` counts them.

    The sheet is a CSV file and the same as an HTML form, with every utterance, its claims, their verdicts and what the
    people in them did. Rare types and verdicts are drawn more often, and each row says for how many claims it stands.

    Example: quack annotate runs/demo --sample 200, then quack annotate score annotation/answers.csv
    """
    check_free(out_dir)
    games = find_games(paths)
    source = extractor_of(extractor)
    spoken: list[Spoken] = []
    damaged = 0
    with progress("Judging") as advance:
        for done, path in enumerate(games):
            advance(done, len(games))
            try:
                trajectory = Trajectory.load(path)
                spoken += spoken_in(trajectory, StatementEval(trajectory, claims=source).findings)
            except TrajectoryError as fault:
                err.print(f"left out: {fault}", markup=False, soft_wrap=True)
                damaged += 1
    tell_left_out(damaged, len(games))
    if notice := without_ship(map(Path, paths)):
        err.print(notice, markup=False, soft_wrap=True)
    if isinstance(source, Watched):
        source.tell()
        if source.read_nothing:
            raise typer.Exit(FAILED)
    drawn = draw(spoken, sample, seed)
    if not drawn:
        raise QuackError("nothing was said in words in these games: there is nothing to check")
    files = write_sheet(drawn, out_dir, annotator)
    silent = sum(NO_CLAIM in weights for _, weights in drawn)
    claims = sum(len(weights) for _, weights in drawn) - silent
    if json:
        counts = {"claims": claims, "utterances": len(drawn), "without_claims": silent}
        print_json(counts | {"files": [str(file) for file in files]})
        return
    without = f", and {silent} in which none was found" if silent else ""
    told = f"{claims} claims of {len(drawn) - silent} utterances{without}, to check: {files[1]} (or {files[0]})"
    out.print(told, markup=False, soft_wrap=True)


@guarded
def annotate_score(
    sheets: Annotated[list[Path], typer.Argument(help="Filled sheets: what the form saved, or the filled sheet.csv.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Count what people found: claims extracted rightly, verdicts right, claims found of all made, and agreement.

    "sheet" is the share of the answers; "all claims" counts each by the weight in its row, and so estimates the share
    in all games that were drawn from. Both intervals are Wilson's, that of all claims with Kish's effective number of
    answers. Of two people on the same rows the first one's answers count, and Cohen's kappa is told.

    Example: quack annotate score anna/answers.csv ben/answers.csv
    """
    print_scores(score(sheets), json)


score_app = typer.Typer(add_completion=False)
score_app.command()(annotate_score)


def print_scores(scores: Scores, json: bool) -> None:
    """Precision, recall and agreement, in words or as JSON."""
    if json:
        print_json(scores.to_dict())
        return
    heads = ("what", "right", "of", "sheet %", "95 %", "all claims %", "95 %")
    table = Table(*heads, title="What people found", caption="all claims: by weight")
    rows: dict[str, Share] = {
        "claims extracted rightly": scores.extraction,
        "verdicts right": scores.verdicts,
        "claims found, of all made *": scores.recall,
        **{f"verdicts right: {name}": share for name, share in scores.by_type.items()},
    }
    for name, share in rows.items():
        everywhere = (share.everywhere.value, share.everywhere.interval) if share.everywhere else (None, None)
        shares = ((share.value, share.interval), everywhere)
        cells = [text for value, pair in shares for text in (shown(value, True), shown_interval(pair, True))]
        table.add_row(name, str(share.hits), str(share.of), *(cell.replace("[", r"\[") for cell in cells))
    print_table(table)
    out.print("* of utterances answered in full; in the sheet's share, claims that were not drawn count as right")
    for name, found in scores.agreement.items():
        kappa = "undefined" if found.kappa is None else f"{found.kappa:.3f}"
        out.print(f"{name}: {' and '.join(found.annotators)} agree on {found.agreed} of {found.rows}, kappa {kappa}")
    if scores.unsure:
        out.print(f"{counted(scores.unsure, 'answer')} 'cannot tell', in no share")
    if scores.unanswered:
        out.print(f"{counted(scores.unanswered, 'claim')} without an answer yet")
    if scores.open_utterances:
        out.print(f"{counted(scores.open_utterances, 'utterance')} not answered in full, left out of the claims found")
