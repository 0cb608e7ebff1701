"""How commands end: errors are one line, word for word; tables fit the terminal."""

from __future__ import annotations

import io
import time

import pytest
import typer
from rich.box import ASCII
from rich.console import Console
from rich.table import Table

from quack_bench import console
from quack_bench.console import USAGE, guarded, print_table, progress
from quack_env import ConfigError
from quack_eval.metrics.tables import Keyed


def test_an_error_is_one_line_with_its_brackets_and_no_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    @guarded
    def command() -> None:
        raise ConfigError("models need LiteLLM:\n  pip install -e '.[llm]', policy='rl:duck': no such file")

    with pytest.raises(typer.Exit) as ended:
        command()
    assert ended.value.exit_code == USAGE
    assert capsys.readouterr().err == (
        "error models need LiteLLM: pip install -e '.[llm]', policy='rl:duck': no such file\n"
    )


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


def test_every_part_of_a_table_repeats_the_columns_that_its_builder_names(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(console, "out", Console(file=told, width=32))
    table = Keyed("role", "policy", "one", "two", "three", keys=2, box=ASCII)
    for role in ("goose", "duck"):
        for policy in ("calm", "bold"):
            table.add_row(role, policy, "11111", "22222", "33333")
    print_table(table)
    heads = [line.replace(" ", "") for line in told.getvalue().splitlines() if "role" in line]
    assert heads == ["|role|policy|one|", "|role|policy|two|", "|role|policy|three|"]


def test_long_names_are_folded_where_that_takes_fewer_parts() -> None:
    table = Table("setting", "games", "calls", "tokens", "dollars")
    table.add_row("a-model-with-a-long-name x another-with-a-long-name", "30", "3570", "9896580", "67.33")
    assert [len(part.columns) for part in console.parts(table, 1, 60)] == [4, 2]
    assert [len(part.columns) for part in console.cut(table, 1, 60)] == [2, 2, 2, 2]
    assert all(console.needed(part) <= 60 for part in console.parts(table, 1, 60))


def test_where_there_is_no_terminal_progress_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress("Playing") as advance:
        advance(1, 9)
        later = time.monotonic() + 11
        monkeypatch.setattr(time, "monotonic", lambda: later)
        advance(4, 9)
        advance(5, 9)  # at once after that
    assert capsys.readouterr().err == "Playing: 4 of 9\n"
