"""HTML as values: elements are built, never pasted together, so that no text can become markup."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterable, Sequence
from typing import TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from quack_eval.metrics.tables import shown

Content: TypeAlias = "str | int | Element | Iterable[Content] | None"


def h(tag: str, *children: Content, **attributes: object) -> Element:
    """An element. ``class_`` stands for class, other underscores for hyphens; attributes of None are left out."""
    given = {name.rstrip("_").replace("_", "-"): str(v) for name, v in attributes.items() if v is not None}
    element = Element(tag, given)
    _fill(element, children)
    return element


def _fill(element: Element, children: Iterable[Content]) -> None:
    for child in children:
        if child is None:
            continue
        if isinstance(child, Element):
            element.append(child)
        elif isinstance(child, str | int):
            _write(element, str(child))
        else:
            _fill(element, child)


def _write(element: Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def render(element: Element) -> str:
    """The element as HTML; what is no character of a document is replaced."""
    text = tostring(element, encoding="unicode", method="html")
    return "".join(c if c >= " " or c in "\n\t" else "\ufffd" for c in text.encode("utf-8", "replace").decode("utf-8"))


def quoted(text: str) -> Element:
    """Somebody's words, kept apart from their surroundings in whatever direction they run."""
    return h("bdi", text, dir="auto")


def muted(text: str) -> Element:
    """A remark."""
    return h("p", text, class_="muted")


def table(
    heads: Sequence[str], rows: Iterable[Sequence[Content]], caption: str, left: int = 1, file: Element | None = None
) -> Element:
    """A table with its caption; the first ``left`` columns are text, the others numbers; ``file``: a link to it."""
    top = h("tr", (h("th", head, scope="col", class_=None if k < left else "number") for k, head in enumerate(heads)))
    body = h("tbody", (h("tr", (_cell(value, k, left) for k, value in enumerate(row))) for row in rows))
    # a caption in the table would scroll with it
    return h("figure", h("figcaption", caption, " ", file), scrolled(h("table", h("thead", top), body)))


def scrolled(content: Element) -> Element:
    """A box in which what is wider than the page can be moved, with the keys too."""
    return h("div", content, class_="scroll", tabindex=0)


def _cell(value: Content, column: int, left: int) -> Element:
    if isinstance(value, Element) and value.tag in ("td", "th"):
        return value
    return h("th", value, scope="row") if column == 0 else h("td", value, class_=None if column < left else "number")


def csv_link(name: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Element:
    """A link that saves a table as CSV, all digits, empty where undefined; the file is in the link itself."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    data = base64.b64encode(text.getvalue().encode("utf-8", "replace")).decode("ascii")
    return h("a", "CSV", href=f"data:text/csv;charset=utf-8;base64,{data}", download=f"{name}.csv", class_="no-print")


def plain_table(
    name: str, caption: str, heads: Sequence[str], rows: Sequence[Sequence[object]], left: int = 1
) -> Element:
    """A table of values, with its CSV: numbers short here and in full there; "-" for what is not known."""
    shown_rows = [[_plain(value) for value in row] for row in rows]
    return table(heads, shown_rows, caption, left, csv_link(name, heads, rows))


def _plain(value: object) -> Content:
    if value is None:
        return "-"
    return shown(value, False) if isinstance(value, float) else quoted(str(value))


def whisker(value: float | None, interval: Sequence[float] | None) -> Element:
    """A share (0..1) and its interval on a line from 0 to 100 percent; the numbers stand beside it."""
    picture = h("svg", viewBox="0 0 100 10", preserveAspectRatio="none", class_="whisker", aria_hidden="true")
    SubElement(picture, "rect", x="0", y="0", width="100", height="10")
    if value is None:
        return picture
    if interval:
        low, high = (f"{100 * bound:.2f}" for bound in interval)
        SubElement(picture, "line", x1=low, x2=high, y1="5", y2="5")
    SubElement(picture, "rect", {"class": "point"}, x=f"{98 * value:.2f}", y="1.5", width="2", height="7")
    return picture
