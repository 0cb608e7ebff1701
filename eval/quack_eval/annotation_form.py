"""The sheet of `quack_eval.annotate` as one local HTML form, which saves the same CSV; it loads and sends nothing."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

from quack_eval.report.markup import h, quoted, render
from quack_eval.viewer.page import asset, document, embedded, policy, script_of

Row = Mapping[str, str]

GUIDE = (
    "For each claim: is it in the utterance, read as it stands there, and is its verdict right by the timeline? Where "
    "it is not in the utterance, leave the verdict open: it is not counted then. y is yes, n is no, ? is cannot tell "
    "(counted apart, in no share), - is open.",
    "For each utterance: how many of its claims are missing in the list of all claims extracted?",
    "Answers are kept in this browser, for this sheet only, and nothing leaves this page. The button saves them as "
    "answers.csv, which quack annotate score reads; you are warned before you leave without it.",
)
CHOICES = ("y", "n", "?", "")


def to_html(table: Sequence[Row], columns: Sequence[str]) -> str:
    """The rows of a sheet as a form; ``columns`` are those of its CSV."""
    groups: dict[str, list[tuple[int, Row]]] = defaultdict(list)
    for number, row in enumerate(table):
        groups[row["utterance_id"]].append((number, row))
    name = table[0]["annotator"] if table else ""
    body = h(
        "main",
        h("h1", "Annotation"),
        (h("p", text) for text in GUIDE),
        h(
            "header",
            h("label", "Your name ", h("input", id="annotator", value=name)),
            " ",
            h("button", "Save CSV", id="save", type="button"),
            " ",
            h("span", id="state", role="status"),
        ),
        (_article(members) for members in groups.values()),
    )
    rows = [dict(row) for row in table]
    block = embedded({"rows": rows, "columns": list(columns), "key": _identity(rows)})
    script = script_of("annotate")
    parts = f'{render(body)}<script type="application/json" id="data">{block}</script><script>{script}</script>'
    return document("Annotation", parts, policy((script,)), asset("annotate.css"))


def _identity(rows: Sequence[Row]) -> str:
    """What the answers to these rows are kept under: another draw, or another annotator, has another one."""
    return f"quack annotate {hashlib.sha256(repr(rows).encode('utf-8', 'backslashreplace')).hexdigest()}"


def _article(members: Sequence[tuple[int, Row]]) -> Element:
    """The part of the form for one utterance."""
    first = members[0][1]
    claims = [(number, row) for number, row in members if row["kind"] == "claim"]
    heads = ("claim", "in the utterance", "verdict", "right", "note")
    top = h("thead", h("tr", (h("th", head, scope="col") for head in heads)))
    table = h("table", top, h("tbody", (_claim(number, row) for number, row in claims))) if claims else None
    return h(
        "article",
        h("h2", quoted(first["speaker"]), f", tick {first['tick']}"),
        h("p", quoted(first["utterance_id"]), class_="game"),
        h("blockquote", first["utterance"], dir="auto"),
        h("details", h("summary", "Timeline"), h("pre", first["timeline"])),
        table,
        (_utterance(number, row) for number, row in members if row["kind"] == "utterance"),
    )


def _claim(number: int, row: Row) -> Element:
    return h(
        "tr",
        h("td", quoted(row["claim"])),
        _choice(number, "extraction_ok", "in the utterance"),
        h("td", quoted(row["verdict"]), data_head="verdict"),
        _choice(number, "verdict_ok", "right"),
        h("td", _input(number, "note", "text"), data_head="note"),
    )


def _utterance(number: int, row: Row) -> list[Element]:
    return [
        h("details", h("summary", "All claims extracted"), h("pre", row["claim"])),
        h(
            "p",
            h("label", "Claims missing ", _input(number, "missed", "number", min="0")),
            " ",
            h("label", "note ", _input(number, "note", "text")),
        ),
    ]


def _choice(number: int, field: str, head: str) -> Element:
    """The answers to one question, of which "open" is given."""
    answers = (
        h(
            "label",
            h(
                "input",
                type="radio",
                name=f"{field}-{number}",
                value=value,
                data_row=number,
                data_field=field,
                checked=None if value else "",
            ),
            f" {value or '-'} ",
        )
        for value in CHOICES
    )
    return h("td", h("span", answers, class_="choice", role="radiogroup", aria_label=head), data_head=head)


def _input(number: int, field: str, kind: str, **more: str) -> Element:
    return h("input", type=kind, aria_label=field, data_row=number, data_field=field, **more)
