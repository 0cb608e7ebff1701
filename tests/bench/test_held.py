"""What a run holds of the files that its suite names: it goes on without them, and mixes no two of one name."""

from __future__ import annotations

import hashlib
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from quack_agents.situations import shipped
from quack_env import GameMap

from .conftest import Run, only_object

DUCK = Path(str(resources.files("quack_agents"))) / "checkpoints" / "duck.npz"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a network, a map and a situation on that map."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(DUCK, tmp_path / "mine.npz")
    (tmp_path / "iss.yaml").write_text(GameMap.load("ship").to_yaml().replace("name: ship", "name: iss"))
    situation = shipped()["silent_duck"].read_text()
    (tmp_path / "quarrel.yaml").write_text(f"{situation}\nmap: iss.yaml\n")
    return tmp_path


def suite(folder: Path, **fields: Any) -> Path:
    """A suite of two short games."""
    short = {} if "script" in fields else {"config": {"max_ticks": 5}}
    plan = {"geese": ["scripted"], "ducks": ["scripted"], "seeds": 2, "speech": "tokens", **short, **fields}
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    return folder / "plan.yaml"


def retrained(file: Path) -> None:
    """Another network in the place of one."""
    arrays = dict(np.load(file))
    np.savez_compressed(file, **{**arrays, "bias_0": arrays["bias_0"] + np.float16(1)})


def lose_a_game(run: Path) -> None:
    shutil.rmtree(next(run.glob("*/seed-001")))


def test_a_run_keeps_the_hash_of_a_policys_file_and_refuses_another_one_of_its_name(quack: Run, here: Path) -> None:
    plan, run = suite(here, ducks=["rl:mine.npz"]), here / "run"
    assert quack("bench", plan, "--out", run, "--jobs", 1).exit_code == 0
    told = "sha256:" + hashlib.sha256(DUCK.read_bytes()).hexdigest()
    assert yaml.safe_load((run / "suite.yaml").read_text())["files"] == {"mine.npz": told}
    retrained(here / "mine.npz")
    result = quack("bench", plan, "--out", run, "--jobs", 1)
    assert result.exit_code == 2 and f"files.mine.npz: '{told}' there, 'sha256:" in result.stderr
    lose_a_game(run)
    result = quack("bench", run, "--resume", "--jobs", 1)
    assert result.exit_code == 2 and "mine.npz: is another file than the run was begun with" in result.stderr
    shutil.copy(DUCK, here / "mine.npz")
    assert quack("bench", run, "--resume", "--jobs", 1).exit_code == 0


def test_a_finished_run_needs_no_file_of_a_policy_and_no_working_directory(
    quack: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, run = suite(here, ducks=["rl:mine.npz", "scripted"]), here / "run"
    assert quack("bench", plan, "--out", run, "--jobs", 1).exit_code == 0
    (here / "mine.npz").unlink()
    monkeypatch.chdir("/")
    for command in (["bench", run, "--resume"], ["bench", plan, "--out", run]):
        assert only_object(quack(*command, "--jobs", 1, "--json"))["finished"] == 4
    assert quack("effects", run).exit_code == 0
    lose_a_game(run)
    result = quack("bench", run, "--resume", "--jobs", 1)
    assert result.exit_code == 2 and "policy='rl:mine.npz': no such file" in result.stderr


@pytest.mark.parametrize(
    "fields", [{"map": "iss.yaml"}, {"script": "quarrel.yaml"}, {"script": "quarrel.yaml+roles_swapped"}]
)
def test_the_same_command_goes_on_when_the_files_of_map_and_script_are_gone(
    quack: Run, here: Path, fields: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, run = suite(here, **fields), here / "run"
    assert quack("bench", plan, "--out", run, "--jobs", 1).exit_code == 0
    for file in ("iss.yaml", "quarrel.yaml"):
        (here / file).unlink()
    monkeypatch.chdir("/")
    for command in (["bench", run, "--resume"], ["bench", plan, "--out", run]):
        lose_a_game(run)
        assert only_object(quack(*command, "--jobs", 1, "--json"))["finished"] == 2


def test_another_script_under_the_same_name_is_refused_with_the_line_that_differs(quack: Run, here: Path) -> None:
    plan, run = suite(here, script="quarrel.yaml"), here / "run"
    assert quack("bench", plan, "--out", run, "--jobs", 1).exit_code == 0
    file = here / "quarrel.yaml"
    file.write_text(file.read_text().replace("title: ", "title: Not "))
    result = quack("bench", plan, "--out", run, "--jobs", 1)
    told = "files.quarrel.yaml.text: 'title: The silent Duck' there, 'title: Not The silent Duck' here"
    assert result.exit_code == 2 and told in result.stderr


def test_a_script_that_is_no_text_is_told_in_a_line(quack: Run, here: Path) -> None:
    (here / "quarrel.yaml").write_bytes(b"\xff\xfe")
    result = quack("bench", suite(here, script="quarrel.yaml"), "--out", here / "run")
    assert result.exit_code == 2 and "quarrel.yaml: not UTF-8 text" in result.stderr
    assert not (here / "run").exists()
