"""The published Tier 1 and Tier 2 tables beside what the recordings give: writes `docs/reproduction.md`.

python -m quack_eval.reproduction ../shared/data/quack > docs/reproduction.md
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from quack_env import QuackError
from quack_eval.evaluation import Evaluation, evaluate
from quack_eval.metrics.estimate import Estimate, paired
from quack_eval.metrics.tables import markdown_row, shown, shown_interval

ALL_GAMES = 270
MODELS = {"Claude-Opus-4.7": "claude_opus4.7", "Gemini-3.1-Pro": "gemini3.1pro", "GPT-5.5": "gpt5.5"}
CLAUDE, GEMINI, GPT = MODELS
SETTINGS = (
    (CLAUDE, CLAUDE),
    (GEMINI, GEMINI),
    (GPT, GPT),
    (CLAUDE, GEMINI),
    (CLAUDE, GPT),
    (GEMINI, CLAUDE),
    (GEMINI, GPT),
    (GPT, CLAUDE),
    (GPT, GEMINI),
)
"""The rows of Tables 1, 4 and 5 (Geese, Ducks), in the paper's order."""


class Column(NamedTuple):
    """A column of a published table: heading, measure in both conventions, percentage or not, decimals printed.

    ``complement``: one minus the measure is shown (the Ducks' win rate).
    """

    heading: str
    published: str
    ours: str
    percent: bool
    decimals: int
    complement: bool = False


GOOSE_WIN = Column("Goose win %", "geese_win", "geese_win", True, 1)
DUCK_WIN = Column("Duck win %", "geese_win", "geese_win", True, 1, complement=True)
TICKS = Column("Game ticks", "game_duration_ticks", "ticks", False, 1)
TASKS = Column("Task completion %", "task_completion_rate", "task_completion", True, 1)
KILLS = Column("Total kills", "total_kills", "kills", False, 2)
MEETINGS = Column("Total meetings", "total_meetings", "meetings", False, 2)
EJECTIONS = Column("Total ejections", "total_ejections", "ejections", False, 2)
EJECTION = Column("Ejection accuracy %", "ejection_accuracy", "ejection_accuracy", True, 1)
VOTES = Column("Vote accuracy %", "goose_voting_accuracy", "goose_vote_accuracy", True, 1)
SKIPS = Column("Skip rate %", "goose_skip_rate", "goose_skip_rate", True, 1)
EFFICIENCY = Column("Task efficiency %", "task_efficiency", "task_efficiency", True, 1)
ROOMS_GOOSE = Column("Rooms (Goose)", "avg_rooms_visited_goose", "rooms_visited_geese", False, 2)
ROOMS_DUCK = Column("Rooms (Duck)", "avg_rooms_visited_duck", "rooms_visited_ducks", False, 2)
KILLS_PER_GAME = Column("Kills per game", "avg_kills_per_game", "kills_per_duck", False, 2)
DISPLACEMENT = Column("Post-kill displacement", "avg_post_kill_displacement", "post_kill_displacement", False, 2)
COOLDOWN = Column("Cooldown utilisation %", "cooldown_utilization", "cooldown_utilisation", True, 1)
LATENCY = Column("Report latency, ticks", "avg_report_latency", "report_latency", False, 2)
WITH_MOVES = Column("the same, with moves %", "task_efficiency", "task_efficiency_with_moves", True, 1)
SELF_REPORT = Column("Self-report %", "self_report_rate", "self_report_rate", True, 1)

TABLE_1 = (GOOSE_WIN, EJECTION, VOTES, COOLDOWN, SELF_REPORT)
TABLE_1_ROWS = (
    (90.0, 75.0, 76.3, 66.7, 8.3),
    (66.7, 61.7, 67.8, 69.8, 1.7),
    (76.7, 66.7, 69.7, 45.0, 2.8),
    (63.3, 51.7, 53.3, 73.3, 6.7),
    (70.0, 68.3, 72.2, 65.0, 8.3),
    (76.7, 68.3, 69.8, 62.2, 5.6),
    (70.0, 70.0, 75.6, 74.3, 3.3),
    (93.3, 93.3, 95.0, 48.3, 7.8),
    (73.3, 66.7, 74.1, 69.2, 10.0),
)
TABLE_1_ALL = (75.6, 69.1, 72.7, 63.8, 6.0)
TABLE_2A = (GOOSE_WIN, EJECTION, VOTES)
TABLE_2A_ROWS = {CLAUDE: (74.4, 65.0, 67.3), GEMINI: (71.1, 66.7, 71.1), GPT: (81.1, 75.6, 79.6)}
TABLE_2B = (DUCK_WIN, COOLDOWN, SELF_REPORT)
TABLE_2B_ROWS = {CLAUDE: (13.3, 59.1, 7.2), GEMINI: (32.2, 70.8, 6.1), GPT: (27.8, 61.4, 4.8)}
TABLE_4 = (GOOSE_WIN, DUCK_WIN, TICKS, TASKS, KILLS, MEETINGS, EJECTIONS, EJECTION)
TABLE_4_ROWS = (
    (90.0, 10.0, 19.5, 47.1, 1.63, 1.23, 1.20, 75.0),
    (66.7, 33.3, 22.8, 54.8, 1.60, 1.43, 1.33, 61.7),
    (76.7, 23.3, 18.2, 49.2, 1.63, 1.10, 1.03, 66.7),
    (63.3, 36.7, 21.7, 48.8, 1.93, 1.33, 1.27, 51.7),
    (70.0, 30.0, 17.3, 41.6, 1.63, 1.13, 1.13, 68.3),
    (76.7, 23.3, 25.5, 58.5, 1.90, 1.63, 1.30, 68.3),
    (70.0, 30.0, 19.3, 50.8, 1.90, 1.30, 1.07, 70.0),
    (93.3, 6.7, 13.7, 40.9, 1.50, 1.00, 1.00, 93.3),
    (73.3, 26.7, 22.9, 59.6, 2.00, 1.37, 1.10, 66.7),
)
TABLE_5 = (VOTES, SKIPS, EFFICIENCY, ROOMS_GOOSE, ROOMS_DUCK, KILLS_PER_GAME, DISPLACEMENT, COOLDOWN)
TABLE_5_ROWS = (
    (76.3, 0.0, 77.7, 3.71, 4.47, 1.63, 0.84, 66.7),
    (67.8, 4.6, 76.0, 4.22, 5.50, 1.60, 0.93, 69.8),
    (69.7, 3.6, 78.6, 3.85, 4.77, 1.63, 0.79, 45.0),
    (53.3, 2.5, 72.0, 3.80, 5.33, 1.93, 1.03, 73.3),
    (72.2, 0.8, 75.7, 3.47, 4.80, 1.63, 0.89, 65.0),
    (69.8, 13.6, 72.5, 4.56, 5.87, 1.90, 0.91, 62.2),
    (75.6, 15.2, 78.4, 3.95, 5.00, 1.90, 0.86, 74.3),
    (95.0, 0.0, 81.0, 3.35, 3.77, 1.50, 0.82, 48.3),
    (74.1, 11.9, 76.7, 4.52, 5.63, 2.00, 0.74, 69.2),
)


class Cell(NamedTuple):
    """One published number with both conventions' estimates of it on the games at hand."""

    row: str
    column: Column
    printed: float
    published: Estimate | None
    ours: Estimate | None

    @property
    def reproduced(self) -> bool:
        """Whether the published convention rounds to what is printed."""
        value = _value(self.published, self.column)
        if value is None:
            return False
        shown_value = value * (100 if self.column.percent else 1)
        return bool(abs(shown_value - self.printed) <= 0.5001 * 0.1**self.column.decimals)


class PublishedTable(NamedTuple):
    """A published table, as far as it concerns Tiers 1 and 2."""

    title: str
    cells: list[Cell]


class Sources(NamedTuple):
    """The games at hand in both conventions."""

    paper: Evaluation
    published: Evaluation


def _flip(estimate: Estimate, column: Column) -> tuple[float | None, float | None]:
    """(mean, pooled value) of a column, complemented where it says so."""
    if not column.complement:
        return estimate.mean, estimate.pooled
    mean, pooled = (None if value is None else 1 - value for value in (estimate.mean, estimate.pooled))
    return mean, pooled


def _value(estimate: Estimate | None, column: Column) -> float | None:
    return None if estimate is None else _flip(estimate, column)[0]


def _interval(estimate: Estimate, column: Column) -> tuple[float, float] | None:
    interval = estimate.pooled_interval
    if interval is None or not column.complement:
        return interval
    return 1 - interval[1], 1 - interval[0]


def tables(sources: Sources) -> list[PublishedTable]:
    """All published tables with both conventions' values."""
    by_setting: list[tuple[str, Callable[[Evaluation], dict[str, Estimate]]]] = [
        (f"{goose} x {duck}", _setting(f"{MODELS[goose]} x {MODELS[duck]}")) for goose, duck in SETTINGS
    ]
    everything = ("All", _everything)
    return [
        PublishedTable("Table 1", _cells(sources, [*by_setting, everything], TABLE_1, [*TABLE_1_ROWS, TABLE_1_ALL])),
        PublishedTable("Table 2a, as Goose", _cells(sources, _by_role("goose"), TABLE_2A, [*TABLE_2A_ROWS.values()])),
        PublishedTable("Table 2b, as Duck", _cells(sources, _by_role("duck"), TABLE_2B, [*TABLE_2B_ROWS.values()])),
        PublishedTable("Table 4", _cells(sources, by_setting, TABLE_4, TABLE_4_ROWS)),
        PublishedTable("Table 5", _cells(sources, by_setting, TABLE_5, TABLE_5_ROWS)),
    ]


Pick = Callable[[Evaluation], dict[str, Estimate]]


def _setting(name: str) -> Pick:
    return lambda evaluation: evaluation.settings.get(name, {})


def _everything(evaluation: Evaluation) -> dict[str, Estimate]:
    return evaluation.measures


def _by_role(role: str) -> list[tuple[str, Pick]]:
    def pick(model: str) -> Pick:
        return lambda evaluation: evaluation.roles[role].get(model, {})

    return [(name, pick(model)) for name, model in MODELS.items()]


def _cells(
    sources: Sources,
    rows: Sequence[tuple[str, Pick]],
    columns: Sequence[Column],
    printed: Sequence[Sequence[float]],
) -> list[Cell]:
    cells: list[Cell] = []
    for p, column in enumerate(columns):
        for (name, pick), numbers in zip(rows, printed, strict=True):
            old, new = pick(sources.published).get(column.published), pick(sources.paper).get(column.ours)
            cells.append(Cell(name, column, numbers[p], old, new))
    return cells


# --- words -----------------------------------------------------------------------------------------------------------

HEADINGS = ("", "printed", "published convention", "ours: mean (games)", "ours: pooled", "95 %")
CHANGES = (
    (EJECTION, "games without an ejection counted as 0"),
    (VOTES, "games without a Goose vote counted as 0"),
    (SKIPS, "games without a Goose vote counted as 0"),
    (
        LATENCY,
        "from the reporter's arrival instead of the death; bodies cleared by earlier meetings counted too",
    ),
    (EFFICIENCY, "moves counted where the next step lies on one shortest way; ours has task steps only"),
    (
        WITH_MOVES,
        "ours beside it: moves that bring a Goose nearer to an own task, time on the way included",
    ),
    (ROOMS_GOOSE, "rooms at the ends of ticks only; after a respawn the old room"),
    (ROOMS_DUCK, "the same"),
    (COOLDOWN, "the share of chances missed, not used; nearly all kills overlooked"),
    (SELF_REPORT, "all bodies lying anywhere counted as reported"),
    (DISPLACEMENT, "corridors between kill and killer three ticks later; ours: rooms entered until the next call"),
)


def report(sources: Sources) -> Iterator[str]:
    """The lines of the document."""
    found = tables(sources)
    yield from _introduction(sources, found)
    yield from _changes(sources)
    yield from _conclusions(sources)
    for table in found:
        yield from ("", f"## {table.title}")
        yield from _table(table)


def _introduction(sources: Sources, found: list[PublishedTable]) -> Iterator[str]:
    games = len(sources.paper.evaluated)
    cells = [cell for table in found for cell in table.cells]
    equal = sum(cell.reproduced for cell in cells)
    yield "# The published tables, Tiers 1 and 2, reproduced"
    yield ""
    yield "Written by `python -m quack_eval.reproduction ../shared/data/quack > docs/reproduction.md`; do not edit."
    yield ""
    yield (
        f"From {games} games, each imported by running our rules on its recorded decisions "
        f"({len(sources.paper.damaged)} damaged and left out). *Published convention*: what the published code "
        "computed, mean over all games with undefined rates as 0. *Ours*: the paper's definitions, as the mean over "
        "the games where the measure is defined (their number in parentheses) and pooled over all games, with a 95 % "
        "interval by resampling games (win rates: Wilson; all alike: no two games differ)."
    )
    yield ""
    if games == ALL_GAMES:
        yield f"All {games} games of the paper: {equal} of {len(cells)} printed numbers come out as printed."
        for table in found:
            for cell in table.cells:
                if not cell.reproduced:
                    yield f"- not: {table.title}, {cell.row}, {cell.column.heading}: printed {_printed(cell)}"
    else:
        yield (
            f"The printed numbers are of {ALL_GAMES} games, these are {games} of them, so the two differ by sampling. "
            "That the published convention is met to 1e-9 is shown game by game, against every released "
            "`evaluation.json` (`tests/eval/test_published_values.py`)."
        )


def _changes(sources: Sources) -> Iterator[str]:
    """All games, measure by measure: what the published code did otherwise, and what it makes."""
    yield from ("", "## What the definitions change, over all games", "")
    yield markdown_row(("measure", *HEADINGS[2:], "the published code"))
    yield markdown_row(["---"] * 6)
    for column, why in CHANGES:
        old, new = sources.published.measures.get(column.published), sources.paper.measures.get(column.ours)
        yield markdown_row((column.heading, *_shown(old, new, column), why))


def _table(table: PublishedTable) -> Iterator[str]:
    heading = ""
    for cell in table.cells:
        if cell.column.heading != heading:
            heading = cell.column.heading
            yield from ("", markdown_row((f"**{heading}**", *HEADINGS[1:])), markdown_row(["---"] * len(HEADINGS)))
        yield markdown_row((cell.row, _printed(cell), *_shown(cell.published, cell.ours, cell.column)))


def _printed(cell: Cell) -> str:
    return f"{cell.printed:.{cell.column.decimals}f}"


def _shown(old: Estimate | None, new: Estimate | None, column: Column) -> tuple[str, str, str, str]:
    """Published convention, our mean with n, our pooled value, its interval."""
    published = shown(_value(old, column), column.percent)
    if new is None:
        return published, "-", "-", "-"
    mean, pooled = _flip(new, column)
    interval = shown_interval(_interval(new, column), column.percent, pooled)
    return published, f"{shown(mean, column.percent)} ({new.n})", shown(pooled, column.percent), interval


# --- what follows for the paper's conclusions ------------------------------------------------------------------------


def _conclusions(sources: Sources) -> Iterator[str]:
    yield from ("", "## What that changes in the paper's conclusions", "")
    for sentence in (
        _cooldown(sources),
        _ejections(sources),
        _order(sources, "goose", VOTES, "as crews by vote accuracy"),
        _order(sources, "duck", SELF_REPORT, "as Ducks by self-reports"),
        _latency(sources),
        _work(sources),
        *_crews(sources),
    ):
        yield f"- {sentence}"


def _pooled(sources: Sources, column: Column) -> str:
    estimate = sources.paper.measures[column.ours]
    interval = shown_interval(_interval(estimate, column), column.percent)
    return f"{shown(_flip(estimate, column)[1], column.percent)}{' %' if column.percent else ''} {interval}"


def _ranking(groups: dict[str, dict[str, Estimate]], name: str, column: Column, pooled: bool) -> str:
    """The models by falling value, in words."""
    known = {model: word for word, model in MODELS.items()}
    values = {model: estimates[name] for model, estimates in groups.items()}
    ranked = sorted(values, key=lambda model: -((values[model].pooled if pooled else values[model].mean) or 0.0))
    return ", ".join(
        f"{known.get(model, model)} {shown(values[model].pooled if pooled else values[model].mean, column.percent)}"
        for model in ranked
    )


def _order(sources: Sources, role: str, column: Column, words: str) -> str:
    old = _ranking(sources.published.roles[role], column.published, column, pooled=False)
    new = _ranking(sources.paper.roles[role], column.ours, column, pooled=True)
    return f"The models {words}: by the published convention {old}; by the paper's definition, pooled, {new}."


def _cooldown(sources: Sources) -> str:
    old, new = sources.published.measures[COOLDOWN.published], sources.paper.measures[COOLDOWN.ours]
    return (
        f"The published {shown(old.mean, True)} % are no use of chances: the code counts the ticks that ended beside a "
        "living Goose and gives the share of them without a kill (its snapshots show "
        f"{old.denominator - old.numerator:.0f} of the {new.numerator:.0f} kills). By the paper's definition, kills "
        "per maximal stretch in which a kill is legal at the Duck's turn, Ducks take "
        f"{_pooled(sources, COOLDOWN)} of their chances: {new.numerator:.0f} of {new.denominator:.0f}. "
        + _order(sources, "duck", COOLDOWN, "as Ducks by chances taken")
    )


def _ejections(sources: Sources) -> str:
    new = sources.paper.measures[EJECTION.ours]
    return (
        f"{new.games - new.n} of {new.games} games had no ejection and were counted as an accuracy of 0. "
        f"Of all {new.denominator:.0f} ejections {_pooled(sources, EJECTION)} removed a Duck; a mean over games "
        "weighs the one ejection of a game that ends with it as much as all ejections of a longer game."
    )


def _latency(sources: Sources) -> str:
    old = sources.published.measures[LATENCY.published].mean
    return (
        f"A reported body has lain for {_pooled(sources, LATENCY)} ticks (pooled); the published code's "
        f"{shown(old, False)} is the time since the reporter was first in the room after the kill."
    )


def _work(sources: Sources) -> str:
    return (
        f"Geese work on a task in {_pooled(sources, EFFICIENCY)} of their ticks, and are at work or on the way to one "
        f"in {_pooled(sources, WITH_MOVES)}; killers enter {_pooled(sources, DISPLACEMENT)} rooms until the next call."
    )


def _crews(sources: Sources) -> Iterator[str]:
    """Paired differences of the Geese's win rate between crews that met the same Duck model on the same seeds."""
    models = list(MODELS.items())
    for p, (name, model) in enumerate(models):
        for other_name, other in models[p + 1 :]:
            sides = [
                [
                    (game.seed * len(models) + [m for _, m in models].index(game.duck), game.measures)
                    for game in sources.paper.evaluated
                    if game.goose == crew and game.duck in MODELS.values()
                ]
                for crew in (model, other)
            ]
            difference = paired(sides[0], sides[1])["geese_win"]
            interval = difference.mean_interval
            if difference.mean is None or interval is None:
                continue
            apart = "which excludes 0" if interval[0] > 0 or interval[1] < 0 else "which includes 0"
            yield (
                f"Goose win rate of the {name} crew minus that of the {other_name} crew, against the same Duck models "
                f"on the same seeds ({difference.seeds} pairs): {100 * difference.mean:+.1f} points, 95 % "
                f"[{100 * interval[0]:+.1f}, {100 * interval[1]:+.1f}], {apart}."
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the document for the games at the given paths; the exit code."""
    paths = list(sys.argv[1:] if arguments is None else arguments)
    if not paths:
        print("usage: python -m quack_eval.reproduction PATH...", file=sys.stderr)
        return 2
    try:
        sources = Sources(evaluate(paths), evaluate(paths, convention="published"))
    except QuackError as fault:
        print(fault, file=sys.stderr)
        return 2
    for message in sources.paper.damaged:
        print(f"left out: {message}", file=sys.stderr)
    if not sources.paper.evaluated:
        return 1
    for line in report(sources):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
