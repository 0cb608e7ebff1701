"""What the games of a run say: evaluation of all tiers, comparisons, ratings, costs and failures, as files."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from quack_bench.extractors import Watched, extractor_of
from quack_bench.games import ending, spent
from quack_bench.ratings import DUCK, GOOSE, Match, Rating, ratings
from quack_bench.runner import CLAIMS
from quack_bench.store import FINISHED, Entry, RunStore
from quack_bench.suite import Game, Setting, Suite, is_model
from quack_env.header import read_header
from quack_env.trajectory import FILE as GAME
from quack_env.wrappers import PROBES
from quack_eval import Evaluation, evaluate
from quack_eval.evaluation import EvaluatedGame
from quack_eval.fingerprint import fingerprint
from quack_eval.metrics.estimate import Difference, paired
from quack_eval.metrics.measure import total
from quack_eval.metrics.paper_tables import SETTINGS, write_paper_tables
from quack_eval.metrics.tables import (
    LAYOUTS,
    PERCENT,
    latex_row,
    markdown_row,
    shown,
    shown_interval,
    shown_policy,
    write_tables,
)
from quack_eval.report.sections import alike, with_total

TABLES = "tables"
TIERS = (1, 2, 3, 4)
COMPARED = tuple(column.measure for column in SETTINGS)
"""The measures of the comparisons that are shown to people."""
KEPT = frozenset(name for layout in LAYOUTS["paper"] for name, _, _ in layout.columns) | {*COMPARED}
"""Those in `measures.json` and the CSV file."""

Progress = Callable[[int, int], None]
Cell = str | int | float | None
Group = list[EvaluatedGame]
Spent = tuple[int, int | None, float | None]
"""Calls, tokens, US dollars; None where not known."""


class Comparison(NamedTuple):
    """One setting minus another that differs from it in one thing, by measure over the seeds that define it in both."""

    first: str
    second: str
    differs: str
    measures: dict[str, Difference]


@dataclass
class Results:
    """What came of a run."""

    evaluation: Evaluation
    comparisons: list[Comparison]
    ratings: list[Rating]
    games: list[Entry]
    probes: dict[str, Spent]
    """By game what its probes took, which is no part of the entries."""
    reading: dict[str, Any] | None = None
    """What a model took that read the claims, as a row of the costs; None where none did."""
    reader: Watched | None = None
    """That model, with what it could and could not read."""
    repeats: Sequence[str] = ()
    """The games that are an earlier one over again; see `repeats`."""

    @property
    def failed(self) -> list[Entry]:
        """The games that were given up; they are not scored."""
        return [game for game in self.games if game.status == "failed"]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The same, as `measures.json` has them."""
        return [{"game": game.id, "attempts": game.attempts, "error": game.error} for game in self.failed]

    @property
    def costs(self) -> list[dict[str, Any]]:
        """What the settings took, and the model that read the claims; see `costs`."""
        return costs(self.games, self.probes) + ([] if self.reading is None else [self.reading])

    def to_json(self) -> dict[str, Any]:
        """Everything that `measures.json` holds."""
        return {
            **self.evaluation.to_json(),
            "comparisons": [
                {
                    **{"first": c.first, "second": c.second, "differs": c.differs},
                    "measures": {name: difference.to_dict() for name, difference in c.measures.items()},
                }
                for c in self.comparisons
            ],
            "ratings": [rating.to_dict() for rating in self.ratings],
            "cost": self.costs,
            "failed": self.failures,
            "repeats": list(self.repeats),
        }


def score(suite: Suite, run: Path, jobs: int = 1, progress: Progress | None = None) -> Results:
    """Evaluate the finished games of a suite, those and no others in its folder, and write all files but the report.

    Written: `games.jsonl`, `claims.jsonl`, `findings.jsonl`, `measures.json`, and the folder `tables`.
    """
    settings = suite.expand()
    planned = {game.id: game for game in suite.games()}
    games = [game for name, game in planned.items() if ending(run / name) is not None]
    with RunStore(run) as store:
        entries = [entry for name, entry in store.read().items() if name in planned]
    model = suite.extractor is not None and is_model(suite.extractor)
    source = extractor_of(suite.extractor, run / CLAIMS if model else None)
    evaluation = evaluate(
        [run / game.id for game in games],
        tiers=TIERS,
        jobs=jobs,
        claims=source,
        progress=progress,
        findings=run,
        root=run,
    )
    for scored in evaluation.evaluated:  # recordings of older runs do not name it
        scored.label = planned[scored.path].setting.name
    missing = sorted(planned.keys() - {game.id for game in games})
    evaluation.left_out += missing
    evaluation.recordings |= {name: fingerprint(run / name) for name in missing}
    matches = [Match(g.goose, g.duck, g.measures["geese_win"].numerator == 1) for g in evaluation.evaluated]
    probes = {entry.id: spent(run / entry.id / PROBES) for entry in entries}
    reader = source if isinstance(source, Watched) else None
    reading = None if reader is None else reading_cost(reader)
    if reader is not None:
        reader.close()
    compared = list(comparisons(evaluation, settings, run))
    again = repeats(games, run)
    results = Results(evaluation, compared, ratings(matches), entries, probes, reading, reader, again)
    write(results, run)
    return results


def repeats(games: Iterable[Game], run: Path) -> list[str]:
    """The repetitions in which everybody did what they had done in an earlier one, as models do that always answer
    alike: they have the same seed, and nothing else to differ by."""
    played: set[tuple[str, int, bytes]] = set()
    found = []
    for game in games:
        if game.repeated:
            recording = hashlib.blake2b((run / game.id / GAME).read_bytes()).digest()
            key = game.setting.name, game.seed, recording
            found += [game.id] if key in played else []
            played.add(key)
    return found


def comparisons(evaluation: Evaluation, settings: Sequence[Setting], run: Path) -> Iterator[Comparison]:
    """Every two settings that differ in one thing; of a seat the games as a Goose and those as a Duck apart."""
    played = evaluation.groups(lambda game: game.setting)
    dealt = cache(lambda path: roles(run / path))
    for first, second in combinations([setting for setting in settings if setting.name in played], 2):
        differs = difference(first, second)
        if differs is None:
            continue
        both = played[first.name], played[second.name]
        seat = seat_of(differs)
        parts = {differs: both} if seat is None else by_role(both, seat, dealt)
        for told, games in parts.items():
            one, other = ([(game.seed, game.measures) for game in group] for group in games)
            found = paired(one, other, undefined=evaluation.undefined)
            kept = {name: value for name, value in found.items() if name in KEPT}
            yield Comparison(first.name, second.name, told, kept)


def difference(first: Setting, second: Setting) -> str | None:
    """The one thing in which two settings differ, as "arm", "geese", "ducks", "seat 0" or "config"; None where it is
    more, or nothing."""
    if first.arm != second.arm:
        return "arm" if first.base == second.base else None
    aspects = [
        ("geese", first.goose, second.goose),
        ("ducks", first.duck, second.duck),
        *((a.replace("player_", "seat "), first.seats.get(a), second.seats.get(a)) for a in first.seats | second.seats),
        ("config", first.config, second.config.replace(map=first.config.map)),
        ("map", first.game_map, second.game_map),
        ("speech", first.speech, second.speech),
        ("probes", first.probes, second.probes),
        ("script", first.script, second.script),
    ]
    differing = [name for name, one, other in aspects if one != other]
    return differing[0] if len(differing) == 1 else None


def seat_of(differs: str) -> int | None:
    """The seat in which two settings differ, if it is one."""
    word, _, number = differs.partition(" ")
    return int(number) if word == "seat" else None


def by_role(
    both: tuple[Group, Group], seat: int, dealt: Callable[[str], Sequence[str]]
) -> dict[str, tuple[Group, ...]]:
    """The games of two settings by the role a seat was dealt, if in both; ``dealt``: the roles by a game's path."""
    found = {}
    for role in (GOOSE, DUCK):
        parts = tuple([game for game in group if dealt(game.path)[seat] == role] for group in both)
        if all(parts):
            found[f"seat {seat}, a {role.capitalize()}"] = parts
    return found


def roles(folder: Path) -> list[str]:
    """The roles in a recorded game, by seat."""
    with open(folder / GAME, encoding="utf-8") as lines:
        header, _, _ = read_header(json.loads(lines.readline()))
    return [seat.role for seat in header.seats]


def costs(games: Iterable[Entry], probes: Mapping[str, Spent]) -> list[dict[str, Any]]:
    """By setting: games, how many finished and failed, calls, tokens, US dollars, and what probes took beside that;
    None where a price or a count is not known."""
    groups: dict[str, list[Entry]] = {}
    for game in games:
        groups.setdefault(game.setting, []).append(game)
    return [
        {
            "setting": name,
            "games": len(members),
            "finished": sum(game.status == FINISHED for game in members),
            "failed": sum(game.status == "failed" for game in members),
            "calls": sum(game.calls or 0 for game in members),
            "tokens": total(game.tokens for game in members if game.calls),
            "cost_usd": total(game.cost_usd for game in members if game.calls),
            "probe_calls": sum(probes[game.id][0] for game in members),
            "probe_tokens": total(probes[game.id][1] for game in members if probes[game.id][0]),
            "probe_cost_usd": total(probes[game.id][2] for game in members if probes[game.id][0]),
        }
        for name, members in groups.items()
    ]


def reading_cost(reader: Watched) -> dict[str, Any]:
    """As a row of `costs`, what a model took in all sessions that read the claims, for what could not be read too; it
    played no game."""
    calls, tokens, usd = reader.took
    played = dict.fromkeys(("games", "finished", "failed"))
    probed = dict.fromkeys(("probe_calls", "probe_tokens", "probe_cost_usd"), 0)
    took = {"calls": calls, "tokens": tokens, "cost_usd": usd}
    return {"setting": f"claims by {reader.name}", **played, **took, **probed}


# --- files -----------------------------------------------------------------------------------------------------------


class Plain(NamedTuple):
    """A table of cells: numbers in full in CSV, as they are shown elsewhere. A name with an ending is one file only."""

    name: str
    title: str
    heads: tuple[str, ...]
    rows: list[tuple[Cell, ...]]


def write(results: Results, run: Path) -> None:
    """Write what `score` names, but for the lines about claims."""
    evaluation = results.evaluation
    tables = run / TABLES
    tables.mkdir(exist_ok=True)
    evaluation.write_games(run / "games.jsonl")
    (run / "measures.new").write_text(json.dumps(results.to_json(), ensure_ascii=False, indent=1) + "\n", "utf-8")
    (run / "measures.new").replace(run / "measures.json")
    write_tables(tables, evaluation.rows(), ("csv", "md", "tex"))
    if evaluation.evaluated:
        write_paper_tables(evaluation, tables)
    every = [*comparison_tables(results), rating_table(results), cost_table(results), *failure_tables(results)]
    for form, writer in (("csv", to_csv), ("md", to_markdown), ("tex", to_latex)):
        for table in every:
            name = table.name if "." in table.name else f"{table.name}.{form}"
            if name.endswith(f".{form}"):
                (tables / name).write_text(writer(table), "utf-8")


def comparison_tables(results: Results) -> list[Plain]:
    """All differences for CSV; for people those of the paper's Table 1."""
    heads = ("first", "second", "differs in", "measure", "seeds", "difference", "95 %", "pooled", "95 %")
    full: list[tuple[Cell, ...]] = []
    short: list[tuple[Cell, ...]] = []
    for first, second, differs, measures in results.comparisons:
        for name, value in measures.items():
            mean, pooled = (value.mean_interval or (None, None)), (value.pooled_interval or (None, None))
            full.append((first, second, differs, name, value.seeds, value.mean, *mean, value.pooled, *pooled))
        for name in filter(measures.__contains__, COMPARED):
            value, percent = measures[name], name in PERCENT
            cells = shown(value.mean, percent), shown_interval(value.mean_interval, percent, value.mean)
            pools = shown(value.pooled, percent), shown_interval(value.pooled_interval, percent, value.pooled)
            row = (shown_policy(first), shown_policy(second), differs, name + (" %" if percent else ""), value.seeds)
            short.append((*row, *cells, *pools))
    columns = ("first", "second", "differs", "measure", "seeds", "mean", "mean_low", "mean_high")
    title = "First minus second, over the seeds that define the measure in both"
    return [
        Plain("comparisons.csv", title, (*columns, "pooled", "pooled_low", "pooled_high"), full),
        Plain("comparisons.md", title, heads, short),
        Plain("comparisons.tex", title, heads, short),
    ]


def rating_table(results: Results) -> Plain:
    """The ratings by role."""
    heads = ("role", "rank", "policy", "games", "won", "rating", "low", "high")
    rows: list[tuple[Cell, ...]] = [
        (r.role, r.rank, shown_policy(r.policy), r.games, r.won, r.rating, r.low, r.high) for r in results.ratings
    ]
    return Plain("ratings", "Ratings by role (openskill), with 95 % intervals over games", heads, rows)


def cost_table(results: Results) -> Plain:
    """What the settings took, and all of them."""
    counts = ("games", "finished", "failed")
    heads = ("setting", *counts, "calls", "tokens", "cost_usd", "probe_calls", "probe_tokens", "probe_cost_usd")
    rows: list[tuple[Cell, ...]] = [tuple(row[head] for head in heads) for row in with_total(results.costs)]
    return Plain(
        "cost",
        "Games, calls and cost (US dollars); probes apart",
        heads,
        [(shown_policy(str(r[0])), *r[1:]) for r in rows],
    )


def failure_tables(results: Results) -> list[Plain]:
    """The games that were given up, and why: all of them for CSV; for people those that failed alike in one row."""
    heads, title = ("game", "attempts", "error"), "Games that failed, which are not scored"
    full, short = (
        [tuple(one[head] for head in heads) for one in listed] for listed in (results.failures, alike(results.failures))
    )
    return [Plain(f"failures.{form}", title, heads, full if form == "csv" else short) for form in ("csv", "md", "tex")]


def to_csv(table: Plain) -> str:
    """All digits; empty where undefined."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.heads)
    writer.writerows(table.rows)
    return text.getvalue()


def to_markdown(table: Plain) -> str:
    """A Markdown table."""
    lines = [f"### {table.title}", "", markdown_row(table.heads), markdown_row(["---"] * len(table.heads))]
    return "\n".join(lines + [markdown_row(map(_shown, row)) for row in table.rows]) + "\n"


def to_latex(table: Plain) -> str:
    """A `tabular` for `booktabs`."""
    lines = [f"% {table.title}", rf"\begin{{tabular}}{{{'l' * len(table.heads)}}}", r"\toprule", latex_row(table.heads)]
    lines += [r"\midrule", *(latex_row(map(_shown, row)) for row in table.rows), r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    return shown(cell, False) if isinstance(cell, float) else str(cell)
