"""How commands end: errors are one line, word for word."""

from __future__ import annotations

import pytest
import typer

from quack_bench.console import USAGE, guarded
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
