"""Running `quack` as a user does, and a small run to look at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import CliRunner

from quack_agents import llm
from quack_bench.cli import app
from quack_bench.commands.bench import planned
from quack_bench.suite import Suite

Result: TypeAlias = Any
Run = Callable[..., Result]


def boom(self: Any, observation: Any, info: Any) -> int:
    """A policy's decision that fails, in words of two lines."""
    raise RuntimeError("play\nboom")


BOOM = f"RuntimeError: play boom (conftest.py, line {boom.__code__.co_firstlineno + 2}, in boom)"
"""How it is told, on one line."""


@pytest.fixture(autouse=True)
def without_an_earlier_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command's limit in dollars and its cache of replies are its process's, and a test stands for a process."""
    monkeypatch.setattr(llm, "_shared", None)


@pytest.fixture
def quack() -> Run:
    """Calls `quack` with arguments; the result has exit_code, stdout and stderr."""

    def run(*arguments: object, stdin: str | None = None, env: dict[str, str] | None = None) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin, env=env)

    return run


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four short scripted games."""
    folder = tmp_path_factory.mktemp("runs")
    suite = folder / "tiny.yaml"
    suite.write_text("geese: [scripted]\nducks: [scripted, random]\nseeds: 2\nconfig: {max_ticks: 30}\n")
    result = CliRunner().invoke(app, ["bench", str(suite), "--out", str(folder / "run")])
    assert result.exit_code == 0, result.output
    return folder / "run"


def load_suite(name: str, *models: str, seeds: int | None = None) -> Suite:
    """A suite as `quack bench` takes it for a folder that is not there yet: valid as a whole, policies included."""
    return planned(name, Path("no folder"), list(models), seeds)[0]


def only_object(result: Result) -> dict[str, Any]:
    """The one JSON object on standard output."""
    data: dict[str, Any] = json.loads(result.stdout)
    return data
