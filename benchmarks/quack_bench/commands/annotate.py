"""`quack annotate`: people check what the extractor and the judge found."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from quack_bench.console import err, guarded, out, print_json, print_table, progress
from quack_bench.extractors import Watched, extractor_of
from quack_env import ConfigError, QuackError, TrajectoryError
from quack_eval import StatementEval, Trajectory, find_games
from quack_eval.annotate import Scores, Share, Spoken, draw, score, spoken_in, write_sheet
from quack_eval.metrics.tables import shown, shown_interval


@guarded
def annotate(
    paths: Annotated[list[str], typer.Argument(help="Games, runs or folder trees; or: score FILE...")],
    sample: Annotated[int, typer.Option(min=1, help="Claims to draw, over all types and verdicts.")] = 200,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    annotator: Annotated[str, typer.Option(help="Name to put into the sheet.")] = "",
    extractor: Annotated[
        str | None,
        typer.Option(help="Source of the claims: recorded, grammar, or a model; default: what the recording has."),
    ] = None,
    out_dir: Annotated[Path, typer.Option("--out", help="Folder for sheet.csv and sheet.html.")] = Path("annotation"),
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Draw claims from recorded games, and write a sheet for people to check; `annotate score FILE...` counts them.

    The sheet is a CSV file and the same as an HTML form, with every utterance, its claims, their verdicts and what the
    people in them did. Of two filled sheets, the scores hold Cohen's kappa too.

    Example: quack annotate runs/demo --sample 200, then quack annotate score annotation/answers.csv
    """
    if paths == ["score"]:
        raise ConfigError("annotate score: name the filled sheets, as in quack annotate score annotation/answers.csv")
    if paths[0] == "score":
        print_scores(score([Path(path) for path in paths[1:]]), json)
        return
    games = find_games(paths)
    source = extractor_of(extractor)
    spoken: list[Spoken] = []
    with progress("Judging") as advance:
        for done, path in enumerate(games):
            advance(done, len(games))
            try:
                trajectory = Trajectory.load(path)
                spoken += spoken_in(trajectory, StatementEval(trajectory, claims=source).findings)
            except TrajectoryError as fault:
                err.print(f"left out: {fault}", markup=False, soft_wrap=True)
    if isinstance(source, Watched):
        err.print(source.summary(), markup=False, soft_wrap=True)
    drawn = draw(spoken, sample, seed)
    if not drawn:
        raise QuackError("nothing was said in words in these games: there is nothing to check")
    files = write_sheet(drawn, out_dir, annotator)
    claims = sum(len(numbers) for _, numbers in drawn)
    if json:
        print_json({"claims": claims, "utterances": len(drawn), "files": [str(file) for file in files]})
    else:
        out.print(f"{claims} claims of {len(drawn)} utterances to check: {files[1]} (or {files[0]})", soft_wrap=True)


def print_scores(scores: Scores, json: bool) -> None:
    """Precision, recall and agreement, in words or as JSON."""
    if json:
        print_json(scores.to_dict())
        return
    table = Table("what", "right", "of", "%", "95 %", title="What people found")
    rows: dict[str, Share] = {
        "claims extracted rightly": scores.extraction,
        "verdicts right": scores.verdicts,
        "claims found, of all made": scores.recall,
        **{f"verdicts right: {name}": share for name, share in scores.by_type.items()},
    }
    for name, share in rows.items():
        interval = shown_interval(share.interval, True).replace("[", r"\[")
        table.add_row(name, str(share.hits), str(share.of), shown(share.value, True), interval)
    print_table(table)
    for name, found in scores.agreement.items():
        kappa = "undefined" if found.kappa is None else f"{found.kappa:.3f}"
        out.print(f"{name}: {' and '.join(found.annotators)} agree on {found.agreed} of {found.rows}, kappa {kappa}")
    if scores.unanswered:
        out.print(f"{scores.unanswered} claims have no answer yet")
    if scores.open_utterances:
        out.print(f"{scores.open_utterances} utterances are not answered in full, and left out of the claims found")
