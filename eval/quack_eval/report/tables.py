"""Tables of estimates: numbers from `measures.json`, each with its interval, its full value, and the table as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from quack_eval.metrics.tables import PERCENT, shown, shown_interval, shown_policy
from quack_eval.report.markup import Content, csv_link, h, quoted, table, whisker
from quack_eval.run_folder import RunFolder

ALL_GAMES = "all games"
Estimates = Mapping[str, Mapping[str, Any]]


def settings(run: RunFolder) -> dict[str, Estimates]:
    """The estimates by setting, and of all games where there are several settings."""
    found: dict[str, Estimates] = dict(run.measures["settings"])
    return found if len(found) == 1 else {**found, ALL_GAMES: run.measures["measures"]}


def cell(estimate: Mapping[str, Any] | None, measure: str, estimator: str = "mean") -> Element:
    """An estimate as a cell: the value, below it the interval, and in how many games it is defined if not in all."""
    percent = measure in PERCENT
    if estimate is None:
        return h("td", "-", class_="number")
    value, interval = estimate[estimator], estimate[f"{estimator}_interval"]
    of = f"{estimate['numerator']:g} / {estimate['denominator']:g}"
    n = f"n = {estimate['n']}" if estimator == "mean" and estimate["n"] < estimate["games"] else None
    return h(
        "td",
        shown(value, percent),
        h("span", shown_interval(interval, percent, value), class_="interval") if interval else None,
        h("span", n, class_="interval") if n else None,
        class_="number",
        title=of,
        data_measure=measure,
        data_estimator=estimator,
        data_value="" if value is None else repr(value),
    )


class Column(NamedTuple):
    """A column of a table of estimates. ``drawn``: the value stands on a line from 0 to 100 percent, too."""

    measure: str
    heading: str
    estimator: str = "mean"
    drawn: bool = False


def estimate_table(
    name: str,
    caption: str,
    columns: Sequence[Column],
    groups: Mapping[str, Estimates],
    claims_by: Mapping[str, str] | None = None,
) -> Element | None:
    """A row per group, a column per measure that some group has; with its CSV. None where there is nothing to show.

    ``claims_by``: by group where its claims come from, for a column of its own.
    """
    present = [column for column in columns if any(column.measure in estimates for estimates in groups.values())]
    if not present:
        return None
    heads = ["", "games", *(["claims by"] if claims_by else [])]
    for column in present:
        heads += [column.heading + (" %" if column.measure in PERCENT else ""), *(["0 to 100"] if column.drawn else [])]
    rows: list[list[Content]] = []
    for group, estimates in groups.items():
        cells = [made for column in present for made in _cells(estimates.get(column.measure), column)]
        source = [h("td", quoted(claims_by.get(group, "-")))] if claims_by else []
        rows.append([quoted(shown_policy(group)), _games(estimates), *source, *cells])
    return table(heads, rows, caption, file=estimate_csv(name, dict.fromkeys(c.measure for c in present), groups))


def _cells(estimate: Mapping[str, Any] | None, column: Column) -> list[Element]:
    """The cell of an estimate, and its drawing."""
    found = [cell(estimate, column.measure, column.estimator)]
    if column.drawn:
        value, interval = (estimate[column.estimator + end] if estimate else None for end in ("", "_interval"))
        found.append(h("td", whisker(value, interval)))
    return found


def _games(estimates: Estimates) -> int:
    return max((estimate["games"] for estimate in estimates.values()), default=0)


def estimate_csv(name: str, measures: Iterable[str], groups: Mapping[str, Estimates]) -> Element:
    heads = ["group", "measure", "games", "n", "mean", "mean_low", "mean_high", "pooled", "pooled_low", "pooled_high"]
    heads += ["numerator", "denominator"]
    rows = []
    for group, estimates in groups.items():
        for measure in measures:
            if measure in estimates:
                one = estimates[measure]
                mean, pooled = (one[f"{kind}_interval"] or (None, None) for kind in ("mean", "pooled"))
                values = (one["games"], one["n"], one["mean"], *mean, one["pooled"], *pooled)
                rows.append([group, measure, *values, one["numerator"], one["denominator"]])
    return csv_link(name, heads, rows)
