"""What a run of a suite shows of trained networks: wins against those of its scripted setting, and what they say.

quack bench docs/training/suite.yaml --out runs/rl
python agents/train/compare.py runs/rl
"""

from __future__ import annotations

import stopped  # noqa: F401 - before what takes a second

# isort: split

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from quack_bench.console import guarded, print_json, print_table
from quack_bench.ratings import DUCK, GOOSE, ROLES
from quack_bench.results import difference, seat_of
from quack_bench.runner import frozen
from quack_bench.suite import Setting
from quack_env.errors import ConfigError, TrajectoryError
from quack_env.trajectory import json_object
from quack_eval.metrics.estimate import Interval, estimate, paired
from quack_eval.metrics.measure import Measure, ratio
from quack_eval.metrics.tables import Keyed, bracketed

BASE, FINDINGS = "scripted", "findings.jsonl"
KINDS = ("location", "sighting", "activity")
"""Claims of the grammar that are true or false of the past."""
SCORED = ("path", "setting", "seed", "parts")
"""What is read of a line of games.jsonl."""
JUDGED = (("game", "roles", "policies"), ("of", "speaker", "claim", "verdict"))
"""What is read of a line of findings.jsonl, which is a game or a finding."""
Row = dict[str, Any]


@guarded
def compare(
    run: Annotated[Path, typer.Argument(help="Folder of the run.")],
    base: Annotated[str, typer.Option(help="The setting that the others are compared with.")] = BASE,
    games: Annotated[int, typer.Option(min=1, help="Of each setting, the first ones.")] = 500,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Say how the settings of a run fare beside one of them, over the same seeds, and what everybody says.

    Compared are settings that differ from it in nothing but their Geese, their Ducks or one seat. Of a seat the games
    in which it is a Goose and those in which it is a Duck count apart.

    Example: python agents/train/compare.py runs/rl
    """
    settings = {setting.name: setting for setting in frozen(run).expand()}
    if base not in settings:
        raise ConfigError(f"--base {base}: {run} has no such setting; there are {', '.join(settings)}")
    rows = rows_of(run)
    if base not in rows:
        raise ConfigError(f"{run}: has no finished game of {base!r}")
    wins: dict[str, dict[str, Any]] = {}
    for name, setting in settings.items():
        for role, own in compared(settings[base], setting, rows.get(name, [])):
            wins.setdefault(name, {})[role] = won(own[:games], rows[base], role)
    said = {f"{role}, {policy}": shares for (role, policy), shares in sayings(run).items()}
    if json_:
        print_json({"wins": wins, "said": said})
        return
    heads = "setting", "games", "won by", "% [95 %]", f"{base} on these seeds", "difference, paired [95 %]"
    table = Keyed(*heads, keys=3)
    for name, sides in wins.items():
        for role, n in sides.items():
            difference = f"{n['difference']:+.1f} {bounds(n['difference_interval'])}" if name != base else ""
            share = f"{n['share']:.1f} {bounds(n['share_interval'])}"
            table.add_row(name, str(n["games"]), role, share, f"{n['base']:.1f}", difference)
    print_table(table)
    table = Table(
        "speaker", "statements", *(f"{kind}: true / false / n" for kind in KINDS), "accusations: of a Duck / n"
    )
    for name, shares in said.items():
        table.add_row(name, str(shares["statements"]), *(told(shares[kind]) for kind in KINDS), hits(shares))
    print_table(table)


def rows_of(run: Path) -> dict[str, list[Row]]:
    """The games of every setting by seed, each with its "roles" by seat."""
    path = run / "games.jsonl"
    if not path.is_file():
        raise ConfigError(f"{run}: has no games.jsonl; quack bench makes it, when the games have been played")
    roles = {game["game"]: game["roles"] for game, finding in findings(run) if finding is None}
    found: dict[str, list[Row]] = {}
    for row in rows_in(path, SCORED):
        if row["path"] not in roles:
            raise ConfigError(f"{run / FINDINGS}: has no game {row['path']!r}; {anew(run)}")
        found.setdefault(row["setting"], []).append(row | {"roles": roles[row["path"]]})
    return {name: sorted(rows, key=lambda row: row["seed"]) for name, rows in found.items()}


def compared(base: Setting, setting: Setting, rows: list[Row]) -> Iterator[tuple[str, list[Row]]]:
    """The roles that somebody else plays than in the base, each with the games in which it is so."""
    if not rows:
        return
    if setting == base:
        yield GOOSE, rows
    differs = difference(base, setting)
    if differs in ("geese", "ducks"):
        yield GOOSE if differs == "geese" else DUCK, rows
    seat = seat_of(differs or "")
    for role in ROLES if seat is not None else ():
        own = [row for row in rows if row["roles"][seat] == role]
        if own:
            yield role, own


def won(rows: list[Row], base_rows: list[Row], role: str) -> dict[str, Any]:
    """Win rate of a role's team in %, and its difference to that of the base on the same seeds; of few no interval."""
    own = [(row["seed"], {"win": win(row, role)}) for row in rows]
    seeds = {seed for seed, _ in own}
    base = [(row["seed"], {"win": win(row, role)}) for row in base_rows if row["seed"] in seeds]
    share = estimate([{"geese_win": game["win"]} for _, game in own])["geese_win"]  # a proportion: Wilson's interval
    difference = paired(own, base)["win"]
    if difference.mean is None:
        raise ConfigError(f"too few games: {rows[0]['setting']!r} and the base have no finished game of the same seed")
    others = estimate([game for _, game in base])["win"]
    assert share.mean is not None and others.mean is not None
    return {
        "games": len(own),
        "share": 100 * share.mean,
        "share_interval": in_percent(share.mean_interval),
        "base": 100 * others.mean,
        "difference": 100 * difference.mean,
        "difference_interval": in_percent(difference.mean_interval),
    }


def win(row: Row, role: str) -> Measure:
    """Whether the team of a role won."""
    geese_won = row["parts"]["geese_win"][0] == 1
    return ratio([geese_won == (role == GOOSE)])


def sayings(run: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """By role and policy of the speaker: statements, verdicts by kind of claim, and whom accusations hit."""
    counts: dict[tuple[str, str], Counter[Any]] = {}
    for game, finding in findings(run):
        if finding is None:
            continue
        seat = finding["speaker"]
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


def findings(run: Path) -> Iterator[tuple[Row, Row | None]]:
    """(game, None) of all games of a run, and (game, finding) of all findings."""
    games: list[Row] = []
    for row in rows_in(run / FINDINGS, *JUDGED):
        if "game" in row:
            games.append(row)
            yield row, None
        else:
            yield games[row["of"]], row


def rows_in(file: Path, *kinds: tuple[str, ...]) -> Iterator[Row]:
    """The lines of a file of results, each with all the names of one kind."""
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            row = json_object(file, number, line)
        except TrajectoryError as fault:
            raise ConfigError(f"{fault}; {anew(file.parent)}") from None
        if missing := min(([name for name in kind if name not in row] for kind in kinds), key=len):
            raise ConfigError(f"{file}, line {number}: damaged, has no {', '.join(missing)}; {anew(file.parent)}")
        yield row


def anew(run: Path) -> str:
    """How the results of a run are written again, for messages."""
    return f"to write it anew: quack bench {run} --resume"


def in_percent(interval: Interval) -> Interval:
    """An interval of shares in %."""
    return interval and (100 * interval[0], 100 * interval[1])


def bounds(interval: Interval) -> str:
    """An interval in %, for people; a dash where there is none."""
    return bracketed(*interval, decimals=1) if interval else "-"


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
