"""Every command of README and docs is one that exists, with options that it has."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
import yaml

from quack_bench.cli import app
from quack_bench.factors import with_factors
from tests.docs.pages import DOCS, PAGES, ROOT, blocks, name

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


USAGE_ERROR: Any = typer.BadParameter.__base__


class Line(NamedTuple):
    """A command: where it stands, and its words."""

    place: str
    words: list[str]


def lines(page: Path) -> list[Line]:
    """The commands in the bash blocks of a page."""
    found: list[Line] = []
    for block in blocks(page, "bash"):
        for text in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(text, comments=True)
            found += [Line(block.place, part) for part in commands(words)]
    return found


def mentions(page: Path) -> list[Line]:
    """The code spans of a page that begin with `quack `: a command, perhaps with some options."""
    prose = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
    return [Line(name(page), span.split()) for span in re.findall(r"`(quack [^`\n]+)`", prose)]


def commands(words: list[str]) -> list[list[str]]:
    """The single commands of a line, without variables set before them."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word in ("&&", "||", ";", "|", "&"):
            parts.append([])
        elif parts[-1] or not re.match(r"[A-Z_]+=", word):
            parts[-1].append(word)
    return [part for part in parts if part]


def resolve(words: list[str]) -> tuple[Any, list[str]]:
    """The command that words name, and the words behind its name."""
    command: Any = typer.main.get_command(app)
    words = words[1:]
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        if words[0] not in command.commands:
            if getattr(command, "invoke_without_command", False):
                break
            raise LookupError(f"no command {words[0]!r}")
        command, words = command.commands[words[0]], words[1:]
    return command, words


def options(command: Any) -> set[str]:
    """The options that a command takes."""
    return {name for param in command.params for name in (*param.opts, *param.secondary_opts)} | {"--help"}


QUACK = [line for page in PAGES for line in lines(page) if line.words[0] == "quack"]
MENTIONED = [line for page in PAGES for line in mentions(page)]
PYTHON = [line for page in PAGES for line in lines(page) if line.words[0] in ("python", "python3")]


@pytest.mark.parametrize("line", QUACK, ids=lambda line: f"{line.place} {' '.join(line.words)}")
def test_a_quack_command_parses(line: Line) -> None:
    command, words = resolve(line.words)
    if "--help" not in words:
        command.make_context("quack", words)


@pytest.mark.parametrize("line", MENTIONED, ids=lambda line: f"{line.place} {' '.join(line.words)}")
def test_a_quack_command_in_the_text_has_the_options_named(line: Line) -> None:
    command, words = resolve(line.words)
    named = {word.partition("=")[0] for word in words if word.startswith("-")}
    assert named <= options(command)


@pytest.mark.parametrize(
    "wrong", ["quack plai", "quack play --gose scripted", "quack map validate", "quack eval runs --jobs many"]
)
def test_a_wrong_command_does_not_parse(wrong: str) -> None:
    with pytest.raises((LookupError, USAGE_ERROR)):
        command, words = resolve(wrong.split())
        command.make_context("quack", words)


def test_every_command_is_in_the_documentation() -> None:
    group: Any = typer.main.get_command(app)
    said = {line.words[1] for line in QUACK + MENTIONED if len(line.words) > 1}
    assert set(group.commands) <= said


@pytest.mark.parametrize("line", PYTHON, ids=lambda line: f"{line.place} {' '.join(line.words)}")
def test_a_python_command_runs_something_that_is_there(line: Line) -> None:
    _, first, *rest = line.words
    if first == "-m":
        assert importlib.util.find_spec(rest[0]) is not None, f"no module {rest[0]}"
    elif first != "-c":
        assert (ROOT / first).is_file(), f"no file {first}"


def test_extras_that_are_named_exist() -> None:
    for page in PAGES:
        for names in re.findall(r"(?:quack_env|\.)\[([a-z,]+)\]", page.read_text(encoding="utf-8")):
            assert set(names.split(",")) <= EXTRAS.keys(), name(page)


def tree(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every command and group of commands, with its name in full."""
    yield path, command
    for name_, inner in getattr(command, "commands", {}).items():
        yield from tree(inner, f"{path} {name_}")


@pytest.mark.parametrize(
    ("path", "command"),
    list(tree(typer.main.get_command(app), "quack")),
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_every_command_and_group_has_help_with_an_example(path: str, command: Any) -> None:
    assert path in command.help.partition("Example: ")[2]


def test_the_levels_of_the_suite_of_the_page_are_called_as_they_are_written() -> None:
    (suite,) = [block for block in blocks(DOCS / "experiments.md", "yaml") if "factors:" in block.text]
    arms = with_factors(yaml.safe_load(suite.text))["arms"]
    assert {arm.rpartition("probes=")[2] for arm in arms} == {"off", "on"}
