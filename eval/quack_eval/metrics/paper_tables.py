"""An evaluation in the layout of the paper's Tables 1, 2, 4, 5 and 6: as CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from quack_eval.metrics.estimate import Estimate
from quack_eval.metrics.tables import bracketed, latex_row, markdown_row, shown_policy

if TYPE_CHECKING:
    from quack_eval.evaluation import Evaluation

Estimates = Mapping[str, Estimate]


class Column(NamedTuple):
    """A column: heading, measure, decimals, whether in percent, whether one minus the measure is shown, better way."""

    heading: str
    measure: str
    decimals: int = 1
    percent: bool = True
    complement: bool = False
    better: str = ""


class Line(NamedTuple):
    """A row: the part of the table that it is in, what it is about, and the estimates that it shows."""

    part: str
    keys: tuple[str, ...]
    estimates: Estimates


class PaperTable(NamedTuple):
    """A table of the paper. ``bands``: headings over so many columns each."""

    name: str
    caption: str
    keys: tuple[str, ...]
    bands: tuple[tuple[str, int], ...]
    columns: tuple[Column, ...]
    lines: list[Line]


GOOSE_WIN = Column("Goose win", "geese_win", better="↑")
DUCK_WIN = Column("Duck win", "geese_win", complement=True, better="↑")
EJECTION = Column("Eject. acc.", "ejection_accuracy", better="↑")
VOTES = Column("Vote acc.", "goose_vote_accuracy", better="↑")
COOLDOWN = Column("Cooldn. util.", "cooldown_utilisation", better="↑")
SELF_REPORT = Column("Self-rep.", "self_report_rate", better="↓")
GOOSE_TRUTH = Column("Goose truth.", "goose_truthfulness", better="↑")
SPATIAL = Column("Spat. hall.", "spatial_hallucination", better="↓")
UNSUPPORTED = Column("Unsup. acc.", "unsupported_accusation", better="↓")
LIES = Column("Lie det.", "lie_detection", better="↑")
DUCK_TRUTH = Column("Duck truth.", "duck_truthfulness", better="↓")
DECEPTION = Column("Dec. rate", "deception_rate", better="↑")
SOPHISTICATION = Column("Dec. soph.", "deception_sophistication", better="↑")

SETTINGS = (
    *(GOOSE_WIN, EJECTION, VOTES, COOLDOWN, SELF_REPORT, GOOSE_TRUTH, SPATIAL, UNSUPPORTED, LIES),
    *(DUCK_TRUTH, DECEPTION, SOPHISTICATION),
)
BANDS = (("Tier 1", 2), ("Tier 2", 3), ("Tier 3: Goose (crew)", 4), ("Tier 3: Duck (impostor)", 3))
CREW = (GOOSE_WIN, EJECTION, VOTES, GOOSE_TRUTH, SPATIAL, UNSUPPORTED, LIES)
IMPOSTOR = (DUCK_WIN, COOLDOWN, SELF_REPORT, DUCK_TRUTH, DECEPTION, SOPHISTICATION)
OUTCOMES = (
    GOOSE_WIN,
    DUCK_WIN,
    Column("Game ticks", "ticks", percent=False),
    Column("Task compl.", "task_completion"),
    Column("Total kills", "kills", 2, percent=False),
    Column("Total meetings", "meetings", 2, percent=False),
    Column("Total eject.", "ejections", 2, percent=False),
    EJECTION,
)
BEHAVIOUR = (
    VOTES,
    Column("Skip rate", "goose_skip_rate"),
    Column("Task effic.", "task_efficiency"),
    Column("Rooms (Goose)", "rooms_visited_geese", 2, percent=False),
    Column("Rooms (Duck)", "rooms_visited_ducks", 2, percent=False),
    Column("Kills/game", "kills", 2, percent=False),
    Column("Post-kill displ.", "post_kill_displacement", 2, percent=False),
    COOLDOWN,
)
STATEMENTS = (
    *(GOOSE_TRUTH, DUCK_TRUTH, SPATIAL, DECEPTION, SOPHISTICATION),
    *(Column("Accus. acc.", "accusation_accuracy"), UNSUPPORTED, LIES),
)


def paper_tables(evaluation: Evaluation) -> list[PaperTable]:
    """Tables 1, 2 (a and b), 4, 5 and 6: means over games, as in the paper, each with its 95 % interval."""
    settings = list(_settings(evaluation))
    plain = all(len(line.keys) == 2 for line in settings)
    keys = ("Goose", "Duck") if plain else ("Setting", "Goose", "Duck")
    everything = Line("", (f"All ({len(evaluation.evaluated)} games)", *[""] * (len(keys) - 1)), evaluation.measures)
    n = {role: _games(evaluation, role) for role in ("goose", "duck")}
    pooled = "Means over all games with this model as the"
    return [
        PaperTable("table1", "Per-setting results, in percent.", keys, BANDS, SETTINGS, [*settings, everything]),
        PaperTable("table2a", f"{pooled} Geese.", ("Model", "n"), (), CREW, _models(evaluation, "goose", n["goose"])),
        PaperTable("table2b", f"{pooled} Duck.", ("Model", "n"), (), IMPOSTOR, _models(evaluation, "duck", n["duck"])),
        PaperTable("table4", "Tier 1: outcomes; rates in percent.", keys, (), OUTCOMES, settings),
        PaperTable("table5", "Tier 2: behaviour; rates in percent.", keys, (), BEHAVIOUR, settings),
        PaperTable("table6", "Tier 3: statements, in percent.", keys, (), STATEMENTS, settings),
    ]


def _settings(evaluation: Evaluation) -> Iterator[Line]:
    """A line per setting: those of one model first, then those of two."""
    groups = evaluation.groups(lambda game: game.setting)
    named = any(game.label not in (None, f"{game.goose} x {game.duck}") for game in evaluation.evaluated)
    lines: list[Line] = []
    for name, games in groups.items():
        goose, duck = (_joined({getattr(game, role) for game in games}) for role in ("goose", "duck"))
        part = "Homogeneous" if goose == duck else "Cross-model (adversarial)"
        lines.append(
            Line(part, (shown_policy(name), goose, duck) if named else (goose, duck), evaluation.settings[name])
        )
    yield from sorted(lines, key=lambda line: line.part != "Homogeneous")


def _joined(policies: set[str]) -> str:
    return " / ".join(sorted(map(shown_policy, policies)))


def _games(evaluation: Evaluation, role: str) -> dict[str, int]:
    return {name: len(games) for name, games in evaluation.groups(lambda game: getattr(game, role)).items()}


def _models(evaluation: Evaluation, role: str, n: Mapping[str, int]) -> list[Line]:
    return [Line("", (shown_policy(name), str(n[name])), found) for name, found in evaluation.roles[role].items()]


# --- cells -----------------------------------------------------------------------------------------------------------


def numbers(column: Column, estimates: Estimates) -> tuple[float | None, float | None, float | None, int]:
    """(mean, lower end, upper end, games it is defined for) in the column's unit; None where undefined."""
    found = estimates.get(column.measure)
    if found is None or found.mean is None:
        return None, None, None, 0
    low, high = found.mean_interval or (None, None)
    values = [found.mean, low, high]
    if column.complement:
        values = [None if value is None else 1 - value for value in (found.mean, high, low)]
    scale = 100 if column.percent else 1
    mean, low, high = (None if value is None else scale * value for value in values)
    return mean, low, high, found.n


def _cell(column: Column, estimates: Estimates) -> tuple[str, str]:
    """(mean, interval) for people; a dash and nothing where undefined."""
    mean, low, high, _ = numbers(column, estimates)
    digits = column.decimals
    interval = "" if low is None or high is None else bracketed(low, high, digits)
    return ("-" if mean is None else f"{mean:.{digits}f}"), interval


def to_csv(table: PaperTable) -> str:
    """Every column with its mean, ends of the interval and number of games, all digits; empty where undefined."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    heads = [c.heading + (" %" if c.percent else "") for c in table.columns]
    parts = [f"{head}{what}" for head in heads for what in ("", " low", " high", " n")]
    writer.writerow(["Part", *table.keys, *parts])
    for line in table.lines:
        writer.writerow([line.part, *line.keys, *(x for c in table.columns for x in numbers(c, line.estimates))])
    return text.getvalue()


def to_markdown(table: PaperTable) -> str:
    """Means with their intervals behind them."""
    heads = [f"{c.heading} {c.better}".strip() for c in table.columns]
    lines = [f"### {_title(table)}", "", markdown_row([*table.keys, *heads])]
    lines.append(markdown_row([*["---"] * len(table.keys), *["---:"] * len(heads)]))
    part = ""
    for line in table.lines:
        if line.part and line.part != part:
            lines.append(markdown_row([f"*{line.part}*", *[""] * (len(table.keys) + len(heads) - 1)]))
        part = line.part
        lines.append(markdown_row([*line.keys, *(" ".join(_cell(c, line.estimates)).strip() for c in table.columns)]))
    return "\n".join(lines) + "\n"


def to_latex(table: PaperTable) -> str:
    """A `tabular` for `booktabs`, intervals in small print below the means."""
    width = len(table.keys) + len(table.columns)
    lines = [
        f"% {_title(table)}",
        rf"\begin{{tabular}}{{{'l' * len(table.keys)}{'r' * len(table.columns)}}}",
        r"\toprule",
    ]
    if table.bands:
        bands = " & ".join(rf"\multicolumn{{{n}}}{{c}}{{{title}}}" for title, n in table.bands)
        lines.append(rf"\multicolumn{{{len(table.keys)}}}{{l}}{{}} & {bands} \\")
    arrows = {"↑": r" $\uparrow$", "↓": r" $\downarrow$", "": ""}
    keys = latex_row(table.keys).removesuffix(r" \\")
    lines += [" & ".join([keys, *(c.heading + arrows[c.better] for c in table.columns)]) + r" \\", r"\midrule"]
    part = ""
    for line in table.lines:
        if line.part != part:
            lines += [r"\midrule"] * bool(part)
            lines += [rf"\multicolumn{{{width}}}{{l}}{{\emph{{{line.part}}}}} \\"] * bool(line.part)
        part = line.part
        cells = [_stacked(*_cell(c, line.estimates)) for c in table.columns]
        lines.append(" & ".join([latex_row(line.keys).removesuffix(r" \\"), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _stacked(mean: str, interval: str) -> str:
    return rf"\shortstack{{{mean}\\{{\tiny {interval}}}}}" if interval else mean


def _title(table: PaperTable) -> str:
    return f"{table.name.replace('table', 'Table ')}: {table.caption}"


WRITERS = {"csv": to_csv, "md": to_markdown, "tex": to_latex}


def write_paper_tables(evaluation: Evaluation, folder: Path) -> list[Path]:
    """Write `table1.csv`, `.md`, `.tex` and so on into a folder; the paths."""
    written: list[Path] = []
    for table in paper_tables(evaluation):
        for ending, writer in WRITERS.items():
            path = folder / f"{table.name}.{ending}"
            path.write_text(writer(table), encoding="utf-8")
            written.append(path)
    return written
