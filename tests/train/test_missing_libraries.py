"""A training script whose libraries are missing says in one line what to install, before it writes anything."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import curve
import measure
import ppo_rllib
import pytest
import typer
from typer.testing import CliRunner


def run(command: Any, *arguments: str) -> Any:
    """The result of a script."""
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, arguments)


def test_measuring_without_torch_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    ended = run(measure.main, "--steps", "10")
    assert ended.exit_code == 2
    assert 'pip install -e ".[train]"' in ended.stderr


def test_a_curve_without_kaleido_or_chrome_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = {"iteration": 0, "decisions": 1000, "duck": 0.5, "geese": 0.5, "goose": 0.5, "scripted": 0.5}
    (tmp_path / "curve.json").write_text(json.dumps([point]))
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "nowhere"))
    ended = run(curve.draw, str(tmp_path), "--out", str(tmp_path / "curve.png"))
    assert ended.exit_code == 2
    assert 'pip install -e ".[png]"' in ended.stderr


def test_training_without_ray_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "quack_agents.adapters.rllib", raising=False)
    ended = run(ppo_rllib.train, "--out", str(tmp_path / "run"))
    assert ended.exit_code == 2
    assert 'pip install -e ".[ray]"' in ended.stderr
    assert not (tmp_path / "run").exists()
