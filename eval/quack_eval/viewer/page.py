"""Pages: one HTML file each, with styles, scripts and data in it; they open from disk and ask for no network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import lru_cache
from importlib import resources
from typing import Any

COMMON = ("dom",)
SCRIPTS = {
    "game": (
        "cursor",
        "game",
        "map",
        "verdicts",
        "strip",
        "roster",
        "transcript",
        "decisions",
        "plot",
        "beliefs",
        "page_game",
    ),
    "run": ("plot", "run_tables", "page_run"),
    "annotate": ("annotate",),
}
"""The scripts of each kind of page, in order; they share one scope."""
START = {"game": "gamePage();", "run": "runPage();", "annotate": "annotationForm();"}
PLOTLY = "plotly.min.js"
"""Plotly's library, beside the pages that have charts: 4.8 MB that would burden every page."""


def page(kind: str, title: str, data: dict[str, Any], charts: bool = False) -> str:
    """The page of this kind ("game" or "run") about the data.

    Nothing in the data can become markup or script: it is JSON in a data block, with `<`, `>` and `&` escaped, and the
    scripts make text nodes of it. The content policy allows no script but the page's own and no connection.

    Args:
        kind: of the page.
        title: of the window.
        data: JSON-ready.
        charts: whether it may load Plotly from the file beside it.
    """
    script = script_of(kind)
    block = f'<script type="application/json" id="data">{embedded(data)}</script>'
    body = f"{asset(f'{kind}.html')}\n<noscript><p>This page needs JavaScript, which it brings itself.</p></noscript>"
    return document(title, f"{body}\n{block}\n<script>{script}</script>", policy((script,), charts))


def message_page(title: str, lines: list[str]) -> str:
    """A page that only says something: why a game cannot be shown."""
    text = "".join(f"<p><bdi dir='auto'>{html.escape(line)}</bdi></p>" for line in lines)
    body = f"<main class='message'><h1><bdi>{html.escape(title)}</bdi></h1><div role='alert'>{text}</div></main>"
    return document(title, body, policy(()))


def document(title: str, body: str, csp: str, style: str | None = None) -> str:
    """A whole document; ``style`` in place of the pages' common one."""
    style = asset("style.css") if style is None else style
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{csp}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n"
        "</html>\n"
    )


def policy(scripts: tuple[str, ...], charts: bool = False) -> str:
    """The content policy: these scripts only (and, for charts, files beside the page), images beside it, no network."""
    allowed = [f"'sha256-{_digest(script)}'" for script in scripts] or ["'none'"]
    if charts:
        allowed += ["'self'", "file:"]
    return (
        f"default-src 'none'; script-src {' '.join(allowed)}; style-src 'unsafe-inline'; "
        "img-src 'self' file: data: blob:; base-uri 'none'; form-action 'none'"
    )


def embedded(data: Any) -> str:
    """JSON that can stand in a script element: ASCII only, no character that means something to HTML."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@lru_cache
def script_of(kind: str) -> str:
    """All scripts of a kind of page, in one scope."""
    parts = "\n".join(asset(f"js/{name}.js") for name in (*COMMON, *SCRIPTS[kind]))
    return f'(() => {{\n"use strict";\n{parts}\n{START[kind]}\n}})();'


@lru_cache
def asset(name: str) -> str:
    """A file of the package's assets."""
    return (resources.files("quack_eval.viewer") / "assets" / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
