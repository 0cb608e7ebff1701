"""What a run of docs/training/suite.yaml shows: wins against the scripted players, and what the networks say.

quack bench docs/training/suite.yaml --out runs/rl
python agents/train/compare.py runs/rl
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from quack_bench.console import guarded, print_json, print_table
from quack_env.errors import ConfigError
from quack_eval.metrics.estimate import estimate, paired
from quack_eval.metrics.measure import Measure, ratio

BASE, BOTH = "scripted", "trained both"
KINDS = ("location", "sighting", "activity")
"""Claims of the grammar that are true or false of the past."""
Row = dict[str, Any]


@guarded
def compare(
    run: Annotated[Path, typer.Argument(help="Folder of the run.")],
    games: Annotated[int, typer.Option(min=1, help="Of each setting, the first ones.")] = 500,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Say how the trained networks fare beside the scripted players, over the same seeds.

    Example: python agents/train/compare.py runs/rl
    """
    rows = settings(run)
    wins = {
        name: {side: won(rows[name][:games], rows[BASE], side)}
        for name in rows
        if name != BOTH
        for side in ("duck" if "duck" in name else "geese",)
    }
    said = {f"{role}, {policy}": shares for (role, policy), shares in sayings(run).items()}
    if json_:
        print_json({"wins": wins, "said": said})
        return
    table = Table("setting", "games", "won by", "% [95 %]", "scripted on these seeds", "difference, paired [95 %]")
    for name, sides in wins.items():
        for side, n in sides.items():
            difference = f"{n['difference']:+.1f} {interval(n['difference_interval'])}" if name != BASE else ""
            share = f"{n['share']:.1f} {interval(n['share_interval'])}"
            table.add_row(name, str(n["games"]), side, share, f"{n['scripted']:.1f}", difference)
    print_table(table)
    table = Table(
        "speaker", "statements", *(f"{kind}: true / false / n" for kind in KINDS), "accusations: of a Duck / n"
    )
    for name, shares in said.items():
        table.add_row(name, str(shares["statements"]), *(told(shares[kind]) for kind in KINDS), hits(shares))
    print_table(table)


def settings(run: Path) -> dict[str, list[Row]]:
    """The games of every setting by seed; of "trained goose" those in which seat 0 is a Goose."""
    path = run / "games.jsonl"
    if not path.is_file():
        raise ConfigError(f"{run}: has no games.jsonl; make it with: quack bench docs/training/suite.yaml --out {run}")
    found: dict[str, list[Row]] = {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["setting"] != "trained goose" or row["duck"] == BASE:
            found.setdefault(row["setting"], []).append(row)
    if BASE not in found:
        raise ConfigError(f"{run}: has no setting {BASE!r}; the suite is docs/training/suite.yaml")
    return {name: sorted(rows, key=lambda row: row["seed"]) for name, rows in found.items()}


def won(rows: list[Row], scripted_rows: list[Row], side: str) -> dict[str, Any]:
    """Win rate of a side in %, and its difference to that of the scripted one on the same seeds."""
    own = [(row["seed"], {"win": win(row, side)}) for row in rows]
    seeds = {seed for seed, _ in own}
    base = [(row["seed"], {"win": win(row, side)}) for row in scripted_rows if row["seed"] in seeds]
    share = estimate([{"geese_win": game["win"]} for _, game in own])["geese_win"]  # a proportion: Wilson's interval
    difference = paired(own, base)["win"]
    scripted = estimate([game for _, game in base])["win"]
    assert share.mean is not None and share.mean_interval and scripted.mean is not None
    assert difference.mean is not None and difference.mean_interval
    return {
        "games": len(own),
        "share": 100 * share.mean,
        "share_interval": [100 * x for x in share.mean_interval],
        "scripted": 100 * scripted.mean,
        "difference": 100 * difference.mean,
        "difference_interval": [100 * x for x in difference.mean_interval],
    }


def win(row: Row, side: str) -> Measure:
    """Whether the side won."""
    geese_won = row["parts"]["geese_win"][0] == 1
    return ratio([geese_won == (side == "geese")])


def sayings(run: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """By role and policy of the speaker: statements, verdicts by kind of claim, and whom accusations hit."""
    counts: dict[tuple[str, str], Counter[Any]] = {}
    for game, finding in findings(run):
        seat = finding["speaker"]
        if game["policies"][seat] == "rl:goose" and game["roles"][seat] == "duck":
            continue  # in "trained goose", where seat 0 was dealt the Duck
        count = counts.setdefault((game["roles"][seat], game["policies"][seat]), Counter())
        count[finding["claim"]["type"], finding["verdict"]] += 1
    return {
        key: {
            "statements": sum(count.values()),
            **{kind: {verdict: n for (k, verdict), n in sorted(count.items()) if k == kind} for kind in KINDS},
            "accusation": {verdict: n for (k, verdict), n in sorted(count.items()) if k == "accusation"},
        }
        for key, count in sorted(counts.items())
    }


def findings(run: Path) -> Iterator[tuple[Row, Row]]:
    """(game, finding) of all findings of a run."""
    games = []
    for line in (run / "findings.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if "game" in row:
            games.append(row)
        else:
            yield games[row["of"]], row


def interval(bounds: list[float]) -> str:
    """In brackets."""
    return f"[{bounds[0]:.1f}, {bounds[1]:.1f}]"


def told(verdicts: dict[str, int]) -> str:
    """The shares of true and of false statements (in the wrong room too), and of how many."""
    total = sum(verdicts.values())
    if not total:
        return "-"
    false = verdicts.get("false", 0) + verdicts.get("wrong_room", 0)
    return f"{verdicts.get('true', 0) / total:.0%} / {false / total:.0%} / {total}"


def hits(shares: dict[str, Any]) -> str:
    """The share of accusations that name a Duck."""
    total = sum(shares["accusation"].values())
    return f"{shares['accusation'].get('true', 0) / total:.0%} / {total}" if total else "-"


if __name__ == "__main__":
    typer.run(compare)
