"""How commands end: errors are one line, word for word; tables fit the terminal."""

from __future__ import annotations

import io

import pytest
import typer
from rich.box import ASCII
from rich.console import Console
from rich.table import Table

from quack_bench import console
from quack_bench.console import USAGE, guarded, print_table
from quack_env import ConfigError


def test_an_error_is_one_line_with_its_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    @guarded
    def command() -> None:
        raise ConfigError("models need LiteLLM:\n  pip install 'quack_env[llm]'")

    with pytest.raises(typer.Exit) as ended:
        command()
    assert ended.value.exit_code == USAGE
    assert capsys.readouterr().err == "error models need LiteLLM: pip install 'quack_env[llm]'\n"


def test_a_file_error_names_the_file_with_its_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    @guarded
    def command() -> None:
        raise FileNotFoundError(2, "No such file or directory", "runs/[red]x")

    with pytest.raises(typer.Exit):
        command()
    assert capsys.readouterr().err == "error runs/[red]x: No such file or directory\n"


def test_a_table_wider_than_the_terminal_comes_in_parts_that_repeat_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(console, "out", Console(file=told, width=24))
    table = Table("name", "one", "two", "said", box=ASCII, caption="legend")
    table.add_row("Ann", "1", "2", "words that go over several lines")
    print_table(table)
    lines = told.getvalue().splitlines()
    assert [line.replace(" ", "") for line in lines if "name" in line] == ["|name|one|two|", "|name|said|"]
    assert max(map(len, lines)) <= 24 and sum("legend" in line for line in lines) == 1
    assert " ".join(line[8:-1].strip() for line in lines if "|" in line).endswith("words that go over several lines")


def test_every_part_of_a_table_tells_its_rows_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(console, "out", Console(file=told, width=32))
    table = Table("role", "policy", "one", "two", "three", box=ASCII)
    for role in ("goose", "duck"):
        for policy in ("calm", "bold"):
            table.add_row(role, policy, "11111", "22222", "33333")
    print_table(table)
    heads = [line.replace(" ", "") for line in told.getvalue().splitlines() if "role" in line]
    assert heads == ["|role|policy|one|", "|role|policy|two|", "|role|policy|three|"]
