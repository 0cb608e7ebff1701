"""Estimates as tables: terminal, CSV, Markdown, LaTeX, Parquet."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from math import floor, isclose, isfinite, log10
from pathlib import Path
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from quack_env import QuackError
from quack_env.errors import install
from quack_eval.metrics.estimate import FEWEST, Estimate, Interval


class TableError(QuackError, ValueError):
    """A table cannot be written in the form asked for."""


class Keyed(Table):
    """A table whose rows are told apart by its first ``keys`` columns, where the first alone does not do that."""

    def __init__(self, *headers: str, keys: int, **options: Any) -> None:
        super().__init__(*headers, **options)
        self.keys = keys


class Row(NamedTuple):
    """One estimate. ``group``: "all", "setting", "goose" or "duck" (a model in that role); ``name``: which."""

    group: str
    name: str
    measure: str
    games: int
    n: int
    mean: float | None
    mean_low: float | None
    mean_high: float | None
    pooled: float | None
    pooled_low: float | None
    pooled_high: float | None
    numerator: float
    denominator: float


class Layout(NamedTuple):
    """A table of settings: (measure, heading, shown as a percentage) per column."""

    title: str
    columns: tuple[tuple[str, str, bool], ...]


LAYOUTS = {
    "paper": (
        Layout(
            "Tier 1: outcomes",
            (
                ("geese_win", "goose\nwin %", True),
                ("ticks", "ticks", False),
                ("task_completion", "tasks\n%", True),
                ("kills", "kills", False),
                ("first_kill_tick", "first\nkill", False),
                ("kill_interval", "kill\ninterv.", False),
                ("meetings_by_body", "by\nbody", False),
                ("meetings_by_button", "by\nbutton", False),
                ("ejections", "ejec-\ntions", False),
                ("ejection_accuracy", "eject.\nacc. %", True),
                ("votes_without_ejection", "no\neject.", False),
                ("survivors_geese", "geese\nleft", False),
                ("survivors_ducks", "ducks\nleft", False),
            ),
        ),
        Layout(
            "Tier 2: behaviour",
            (
                ("goose_vote_accuracy", "vote\nacc. %", True),
                ("goose_skip_rate", "skip\n%", True),
                ("report_latency", "report\nlatency", False),
                ("task_efficiency", "task\neff. %", True),
                ("task_efficiency_with_moves", "with\nmoves", True),
                ("rooms_visited_geese", "rooms\ngoose", False),
                ("rooms_visited_ducks", "rooms\nduck", False),
                ("kills_per_duck", "kills/\nduck", False),
                ("cooldown_utilisation", "cooldn.\nutil. %", True),
                ("self_report_rate", "self-\nrep. %", True),
                ("post_kill_displacement", "displ.\nrooms", False),
                ("post_kill_hops", "displ.\nhops", False),
            ),
        ),
        Layout(
            "Tier 3: statements",
            (
                ("coverage", "words\nread %", True),
                ("claims", "claims", False),
                ("goose_truthfulness", "goose\ntruth %", True),
                ("spatial_hallucination", "spatial\nhall. %", True),
                ("accusation_accuracy", "accus.\nacc. %", True),
                ("unsupported_accusation", "unsup.\nacc. %", True),
                ("baseless_accusation", "baseless\nacc. %", True),
                ("lie_detection", "lie\ndet. %", True),
                ("exposure", "lies\nexposed %", True),
                ("duck_truthfulness", "duck\ntruth %", True),
                ("deception_rate", "decep.\nrate %", True),
                ("deception_sophistication", "decep.\nsoph. %", True),
                ("language_action_inconsistency", "lang.-act.\nincons. %", True),
            ),
        ),
        Layout(
            "Evidence: what the perceptions prove",
            (
                ("ceiling_single", "one Goose\nknows %", True),
                ("ceiling_testimony", "with\nreports %", True),
                ("ceiling_pooled", "all\nGeese %", True),
                ("suspects_single", "suspects\none Goose", False),
                ("suspects_pooled", "suspects\nall Geese", False),
                ("best_ejection_pooled", "best eject.\nacc. %", True),
                ("ejection_accuracy", "eject.\nacc. %", True),
                ("ejected_when_singled_out", "ejected\nif proven %", True),
                ("ejected_when_not", "ejected\nif not %", True),
            ),
        ),
        Layout(
            "Model calls",
            (
                ("calls", "calls", False),
                ("parse_rate", "parsed\n%", True),
                ("reask_rate", "asked\nagain %", True),
                ("fallback_rate", "fall-\nback %", True),
                ("call_errors", "unan-\nswered", False),
                ("retries", "retries", False),
                ("prompt_tokens", "tokens\nin", False),
                ("completion_tokens", "tokens\nout", False),
                ("cost_usd", "cost\nUS $", False),
                ("latency", "s per\ncall", False),
            ),
        ),
    ),
    "published": (
        Layout(
            "Tier 1, published convention",
            (
                ("geese_win", "goose\nwin %", True),
                ("game_duration_ticks", "ticks", False),
                ("task_completion_rate", "tasks\n%", True),
                ("total_kills", "kills", False),
                ("total_meetings", "meet-\nings", False),
                ("total_ejections", "ejec-\ntions", False),
                ("ejection_accuracy", "eject.\nacc. %", True),
            ),
        ),
        Layout(
            "Tier 2, published convention",
            (
                ("goose_voting_accuracy", "vote\nacc. %", True),
                ("goose_skip_rate", "skip\n%", True),
                ("avg_report_latency", "report\nlatency", False),
                ("task_efficiency", "task\neff. %", True),
                ("avg_rooms_visited_goose", "rooms\ngoose", False),
                ("avg_rooms_visited_duck", "rooms\nduck", False),
                ("avg_kills_per_game", "kills/\ngame", False),
                ("avg_post_kill_displacement", "displ.\nhops", False),
                ("cooldown_utilization", "cooldn.\nutil. %", True),
                ("self_report_rate", "self-\nrep. %", True),
            ),
        ),
        Layout(
            "Tier 3, published convention",
            (
                ("total_claims", "claims", False),
                ("goose_truthfulness", "goose\ntruth %", True),
                ("spatial_hallucination_rate", "spatial\nhall. %", True),
                ("accusation_accuracy", "accus.\nacc. %", True),
                ("unsupported_accusation_rate", "unsup.\nacc. %", True),
                ("lie_detection_rate", "lie\ndet. %", True),
                ("duck_truthfulness", "duck\ntruth %", True),
                ("deception_rate", "decep.\nrate %", True),
                ("deception_sophistication", "decep.\nsoph. %", True),
            ),
        ),
    ),
}
_SHARES = {
    name for layouts in LAYOUTS.values() for layout in layouts for name, _, percent in layout.columns if percent
} | {
    "spatial_hallucination_second_hand",
    "deception_collapse",
    "deceptive_omission",
    "unsupported_accusation_published",
    "duck_unsupported_accusation",
    "duck_baseless_accusation",
    "supported_defence",
    "lie_detection_by_vote",
    "lie_detection_exposed",
    "lie_detection_unexposed",
}
PERCENT = frozenset(_SHARES | {f"{name}_unique" for name in _SHARES})
"""The measures that are shown in percent, in a layout or not; ``_unique``: with repeated claims counted once."""


def shown_policy(policy: str) -> str:
    """The name of a policy, or of a setting, without the addresses of servers."""
    return re.sub(r"[?&]+(?=\s|$)", "", re.sub(r"(?<=[?&])api_base=[^&\s]*&?", "", policy))


def one_line(heading: str) -> str:
    """A heading of a layout in one line: a hyphen at the end of a line divides a word, but for that of "self-"."""
    return heading.replace("self-\n", "self-").replace("/\n", "/").replace("-\n", "").replace("\n", " ")


CAPTIONS = {
    "skip": "mean over the games where it is defined; below it pooled; below that their number, where not all",
    "zero": "mean over all games, undefined rates as 0; below it pooled; below that the games, where not all",
}
"""What stands below a table, by what an undefined measure counts as."""


SMALLEST_SHOWN = 1e-6
"""What is not a percentage and smaller, is 0.00: such values are mostly what sums of fractions leave over."""


ALIKE = "all alike"
"""What stands for an interval without width: every game gives the same, and drawing them anew can show no other."""
INTERVALS = f"intervals from {FEWEST} games on that define a measure; {ALIKE}: it is the same in all of them"


def shown(value: float | None, percent: bool) -> str:
    """A value for people: a dash where there is none, more than two decimals where these would be 0.00."""
    if value is None:
        return "-"
    return f"{100 * value if percent else value:z.{_decimals(value, percent)}f}"


def shown_interval(interval: Interval, percent: bool, value: float | None = None) -> str:
    """An interval for people, with the decimals of the value that it is of; a dash where there is none.

    Where it is of no value, or of 0, the decimals are those that its larger bound would have.
    """
    if interval is None:
        return "-"
    if value is None or abs(value) < SMALLEST_SHOWN:
        value = max(interval, key=abs)
    scale = 100 if percent else 1
    return bracketed(scale * interval[0], scale * interval[1], _decimals(value, percent))


def bracketed(low: float, high: float, decimals: int) -> str:
    """An interval of numbers that are in the unit in which they are shown."""
    return ALIKE if isclose(low, high, abs_tol=SMALLEST_SHOWN) else f"[{low:z.{decimals}f}, {high:z.{decimals}f}]"


def with_interval(value: float | None, interval: Interval, percent: bool) -> str:
    """A value for people with its interval behind it, where it has one."""
    return shown(value, percent) + (f" {shown_interval(interval, percent, value)}" if interval else "")


def _decimals(value: float, percent: bool) -> int:
    if percent:
        return 1
    plain = not isfinite(value) or abs(value) >= 0.005 or abs(value) < SMALLEST_SHOWN
    return 2 if plain else 1 - floor(log10(abs(value)))


def setting_table(layout: Layout, groups: Mapping[str, Mapping[str, Estimate]], undefined: str = "skip") -> Table:
    """A row per group: the mean over games, below it pooled, below that the games that the mean is over, if not all.

    ``undefined``: what a game counts as in a mean where the measure is undefined; see `estimate`.
    """
    present = [column for column in layout.columns if any(column[0] in measures for measures in groups.values())]
    table = Table(
        title=layout.title,
        caption=CAPTIONS[undefined],
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    table.add_column("geese\nx ducks", no_wrap=True)
    table.add_column("games", justify="right", no_wrap=True)
    for _, heading, _ in present:
        table.add_column(heading, justify="right", no_wrap=True)
    names = list(groups)
    for p, (name, measures) in enumerate(groups.items()):
        cells = [_cell(measures.get(column), percent) for column, _, percent in present]
        games = max((value.games for value in measures.values()), default=0)
        title = escape(shown_policy(name)).replace(" x ", "\nx ", 1)
        table.add_row(title, str(games), *cells, end_section=p == len(names) - 2)
    return table


def _cell(value: Estimate | None, percent: bool) -> str:
    if value is None:
        return "-"
    n = f"\n[dim]n={value.n}[/dim]" if value.n < value.games else ""
    return f"{shown(value.mean, percent)}\n[dim]{shown(value.pooled, percent)}[/dim]{n}"


def overall_table(measures: Mapping[str, Estimate]) -> Table:
    """All games: both estimators with their intervals."""
    heads = ("measure", "n", "mean [95 %]", "pooled [95 %]", "of")
    caption = f"{INTERVALS}; won: Wilson's interval"
    table = Table(*heads, title="All games", caption=caption, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name, value in measures.items():
        percent = name in PERCENT
        table.add_row(
            escape(name) + (" %" if percent else ""),
            str(value.n),
            escape(with_interval(value.mean, value.mean_interval, percent)),
            escape(with_interval(value.pooled, value.pooled_interval, percent)),
            f"{value.numerator:g} / {value.denominator:g}",
        )
    return table


def rows_of(group: str, name: str, estimates: Mapping[str, Estimate]) -> list[Row]:
    """The estimates of one group as rows."""
    rows: list[Row] = []
    for measure, value in estimates.items():
        low, high = value.mean_interval or (None, None)
        pooled_low, pooled_high = value.pooled_interval or (None, None)
        means, pools = (value.mean, low, high), (value.pooled, pooled_low, pooled_high)
        rows.append(Row(group, name, measure, value.games, value.n, *means, *pools, value.numerator, value.denominator))
    return rows


# --- files -----------------------------------------------------------------------------------------------------------


def write_tables(folder: Path, rows: Sequence[Row], formats: Iterable[str]) -> list[Path]:
    """Write `measures.<format>` for every format; the paths."""
    written: list[Path] = []
    for name in formats:
        if name not in WRITERS:
            raise TableError(f"table format {name!r}: must be one of {', '.join(WRITERS)}")
        path = folder / f"measures.{name}"
        WRITERS[name](path, rows)
        written.append(path)
    return written


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """All digits; empty where undefined."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(rows)


def write_markdown(path: Path, rows: Sequence[Row]) -> None:
    """One table per group."""
    path.write_text("\n".join(markdown(rows)) + "\n", encoding="utf-8")


HEADINGS = ("measure", "n", "mean", "95 %", "pooled", "95 %")


def _grouped(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.group, row.name), []).append(row)
    return groups


def _cells(row: Row) -> list[str]:
    percent = row.measure in PERCENT
    mean = None if row.mean_low is None or row.mean_high is None else (row.mean_low, row.mean_high)
    pooled = None if row.pooled_low is None or row.pooled_high is None else (row.pooled_low, row.pooled_high)
    return [
        row.measure + (" %" if percent else ""),
        f"{row.n}/{row.games}",
        shown(row.mean, percent),
        shown_interval(mean, percent, row.mean),
        shown(row.pooled, percent),
        shown_interval(pooled, percent, row.pooled),
    ]


def _title(group: str, name: str) -> str:
    return "All games" if group == "all" else f"{group}: {shown_policy(name)}"


def markdown(rows: Sequence[Row]) -> list[str]:
    """The lines of Markdown tables, one per group."""
    lines: list[str] = []
    for (group, name), members in _grouped(rows).items():
        lines += [f"## {_title(group, name)}", "", markdown_row(HEADINGS), markdown_row(["---"] * len(HEADINGS))]
        lines += [markdown_row(_cells(row)) for row in members]
        lines.append("")
    return lines


def markdown_row(cells: Iterable[str]) -> str:
    """One line of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def write_latex(path: Path, rows: Sequence[Row]) -> None:
    """One `tabular` per group, for `booktabs`."""
    lines: list[str] = []
    for (group, name), members in _grouped(rows).items():
        lines += [rf"% {_title(group, name)}", r"\begin{tabular}{lrrrrr}", r"\toprule"]
        lines += [latex_row(HEADINGS), r"\midrule", *(latex_row(_cells(row)) for row in members)]
        lines += [r"\bottomrule", r"\end{tabular}", ""]
    path.write_text("\n".join(lines), encoding="utf-8")


WORDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "|": "bar", "<": "less", ">": "greater"}
LATEX = str.maketrans({c: "\\" + c for c in "&%$#_{}"} | {c: rf"\text{word}{{}}" for c, word in WORDS.items()})


def latex_row(cells: Iterable[str]) -> str:
    """One line of a LaTeX table."""
    return " & ".join(cell.translate(LATEX) for cell in cells) + r" \\"


def write_parquet(path: Path, rows: Sequence[Row]) -> None:
    """All digits, typed columns; needs pyarrow.

    Raises:
        TableError: without it, naming the extra that brings it.
    """
    try:
        arrow = import_module("pyarrow")
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise TableError(f"Parquet tables need pyarrow: {install('parquet')}") from None
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in Row._fields}
    parquet.write_table(arrow.table(columns), path)


WRITERS = {"csv": write_csv, "md": write_markdown, "tex": write_latex, "parquet": write_parquet}
