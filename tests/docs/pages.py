"""The pages of the documentation, and the fenced blocks in them."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROMPTS = DOCS / "prompts"
"""Prompts as they were sent: what is fenced in there is no example."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(page for page in DOCS.rglob("*.md") if PROMPTS not in page.parents),
]
NOT_RUN = re.compile(r"<!-- not run: (.+?) -->")


class Block(NamedTuple):
    """A fenced block: page, line of its first fence, language, text, and why it is not run (None: it is)."""

    page: Path
    line: int
    language: str
    text: str
    not_run: str | None

    @property
    def place(self) -> str:
        """Page and line."""
        return f"{name(self.page)}:{self.line}"


def name(page: Path) -> str:
    """The page relative to the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str | None = None) -> list[Block]:
    """The fenced blocks of a page, in order; of one language, if it is given."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    opened: tuple[str, str, int] | None = None
    for number, line in enumerate(lines):
        fence = re.match(r"(`{3,})(\w*)", line)
        if opened is None and fence:
            opened = fence[1], fence[2], number
        elif opened is not None and line.strip() == opened[0]:
            _, said, first = opened
            before = next((text for text in reversed(lines[:first]) if text.strip()), "")
            marked = NOT_RUN.search(before)
            text = "\n".join(lines[first + 1 : number]) + "\n"
            found.append(Block(page, first + 1, said, text, marked[1] if marked else None))
            opened = None
    return [block for block in found if language in (None, block.language)]


def missing_libraries(code: str) -> list[str]:
    """The modules that a piece of code imports and that are not installed."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return sorted(name for name in names if importlib.util.find_spec(name) is None)
