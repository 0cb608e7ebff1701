"""What cannot be trained with is refused at once, and so is another game in the folder of a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import curve
import measure
import ppo_sb3
import pytest
import typer
from ppo_rllib import check_settings, newest, save
from typer.testing import CliRunner

from quack_env.errors import ConfigError

TRAIN = Path(ppo_sb3.__file__).parent


def run(command: Any, *arguments: str) -> Any:
    """The result of a script."""
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize(
    ("option", "value"),
    [("--minutes", "0"), ("--minutes", "-1"), ("--rate", "-1"), ("--rate", "nan"), ("--entropy", "-5")],
)
def test_a_number_that_cannot_be_is_named_before_anything_is_written(tmp_path: Path, option: str, value: str) -> None:
    ended = run(ppo_sb3.train, "--out", str(tmp_path / "run"), option, value)
    assert ended.exit_code == 2
    assert f"{option} {value}: must be a number" in ended.stderr
    assert not (tmp_path / "run").exists()


def test_no_steps_are_not_measured() -> None:
    ended = run(measure.main, "--steps", "0")
    assert ended.exit_code == 2
    assert "--steps" in ended.stderr


def test_a_run_does_not_go_on_where_its_config_file_has_changed(tmp_path: Path) -> None:
    for package in ("sb3_contrib", "tensorboard"):
        pytest.importorskip(package, reason=f'{package} is not installed (pip install -e ".[train]")')
    games = tmp_path / "games.yaml"
    small = ["--steps", "0", "--clone-games", "0", "--eval-games", "1"]
    command = [ppo_sb3.train, "--out", str(tmp_path / "run"), "--config", str(games), *small]
    games.write_text("max_ticks: 5")
    assert run(*command).exit_code == 0
    assert run(*command).exit_code == 0
    games.write_text("max_ticks: 6")
    ended = run(*command)
    assert ended.exit_code == 2
    assert "was trained with config.max_ticks=5" in ended.stderr


LEAST = (
    *("--clone-games", "0", "--eval-games", "1", "--duck-games", "1", "--geese-games", "0", "--goose-games", "0"),
    *("--past-games", "0", "--minutes", "0.000001"),
)
"""A training of one short iteration."""


def test_time_that_is_over_is_told_and_learns_one_iteration_at_least(tmp_path: Path) -> None:
    for package in ("sb3_contrib", "tensorboard"):
        pytest.importorskip(package, reason=f'{package} is not installed (pip install -e ".[train]")')
    command = [ppo_sb3.train, "--out", str(tmp_path / "run"), *LEAST]
    for iterations in (1, 2):
        ended = run(*command)
        assert ended.exit_code == 0
        assert f"iterations {iterations} " in ended.stdout
        assert "the time is over (--minutes 1e-06) after " in ended.stderr


def test_a_run_of_a_suite_takes_no_training(tmp_path: Path) -> None:
    for name in ("suite.yaml", "run.sqlite"):
        (tmp_path / name).touch()
    with pytest.raises(ConfigError, match="holds a run of a suite"):
        check_settings(tmp_path, {})
    assert not (tmp_path / "settings.json").exists()


def test_a_folder_of_other_files_takes_no_training(tmp_path: Path) -> None:
    (tmp_path / "ship").mkdir()
    with pytest.raises(ConfigError, match=r"holds other files \(ship\); must be a new or empty folder"):
        check_settings(tmp_path, {})
    assert [file.name for file in tmp_path.iterdir()] == ["ship"]


def test_what_was_stopped_before_anything_was_kept_begins_anew_with_any_settings(tmp_path: Path) -> None:
    check_settings(tmp_path, {"rate": 1})
    (tmp_path / "progress.jsonl").write_text("{}\n")  # of RLlib's iterations before its first checkpoint
    check_settings(tmp_path, {"rate": 2})
    assert [file.name for file in tmp_path.iterdir()] == ["settings.json"]
    (tmp_path / "checkpoints").mkdir()
    with pytest.raises(ConfigError, match="was trained with rate=2"):
        check_settings(tmp_path, {"rate": 3})


@pytest.mark.parametrize("out", ["notes.txt", "notes.txt/run"])
def test_a_file_is_no_folder_to_train_in(tmp_path: Path, out: str) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ConfigError, match=r"notes.*: (must be a folder|cannot be made)"):
        check_settings(tmp_path / out, {})


@pytest.mark.parametrize(
    ("text", "told"), [("{", "not JSON"), *((text, "not the settings of a training") for text in ("[]", "3", "{}"))]
)
def test_damaged_settings_of_a_training_are_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "settings.json").write_text(text)
    (tmp_path / "weights").mkdir()
    with pytest.raises(ConfigError, match=rf"settings\.json: damaged, {told}.* give another --out$"):
        check_settings(tmp_path, {"seed": 1})


def test_a_checkpoint_that_was_never_finished_keeps_nothing(tmp_path: Path) -> None:
    class Stopped:
        """An algorithm that is killed while it writes."""

        iteration = 10

        def save_to_path(self, path: str) -> None:
            """Begin."""
            Path(path).mkdir()
            raise KeyboardInterrupt

    check_settings(tmp_path, {"rate": 1})
    (tmp_path / "progress.jsonl").write_text("{}\n")
    with pytest.raises(KeyboardInterrupt):
        save(Stopped(), tmp_path)
    assert newest(tmp_path) is None
    check_settings(tmp_path, {"rate": 2})
    assert not (tmp_path / "progress.jsonl").exists()


@pytest.mark.parametrize("command", [ppo_sb3.train, measure.main])
def test_more_threads_than_cores_are_refused(command: Any) -> None:
    ended = run(command, "--threads", str((os.cpu_count() or 1) + 1))
    assert ended.exit_code == 2
    assert "--threads" in ended.stderr


def test_a_damaged_curve_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "curve.json").write_text('[{"iteration": 3}]')
    ended = run(curve.draw, str(tmp_path))
    assert ended.exit_code == 2
    assert "curve.json: damaged, no learning curve; where it is deleted, training goes on" in ended.stderr


def test_a_damaged_checkpoint_names_the_one_before_and_none_at_all_is_refused(tmp_path: Path) -> None:
    for package in ("sb3_contrib", "tensorboard"):
        pytest.importorskip(package, reason=f'{package} is not installed (pip install -e ".[train]")')
    command = [ppo_sb3.train, "--out", str(tmp_path), *LEAST]
    assert "learns for 1e-06 minutes at most, and keeps what it learns in" in run(*command).stderr
    checkpoints = tmp_path / "checkpoints"
    for name in ("model.zip", "past.pt"):
        file = checkpoints / "00000001" / name
        kept = file.read_bytes()
        file.write_bytes(b"words")
        ended = run(*command)
        assert ended.exit_code == 2
        assert ended.stderr.startswith(f"error {file}: damaged (")  # before any word on how long it learns
        now = f"; delete {file.parent} to go on from {checkpoints / '00000000'}\n"
        assert ended.stderr.endswith(now)
        file.write_bytes(kept)
    shutil.rmtree(checkpoints)
    ended = run(*command)
    assert ended.exit_code == 2
    assert "has curve.json and no checkpoint to go on from" in ended.stderr


def test_a_run_that_was_killed_while_it_kept_its_first_checkpoint_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("sb3_contrib", "tensorboard"):
        pytest.importorskip(package, reason=f'{package} is not installed (pip install -e ".[train]")')
    from selfplay import checkpoints

    def killed(*_: Any) -> None:
        raise SystemExit(137)

    command = [ppo_sb3.train, "--out", str(tmp_path), *LEAST]
    with monkeypatch.context() as patched:
        patched.setattr(checkpoints, "os", SimpleNamespace(replace=killed))
        assert run(*command).exit_code == 137
    assert "iterations 1 " in run(*command).stdout
    assert [file.name for file in sorted((tmp_path / "weights").iterdir())] == ["00000000.npz", "00000001.npz"]


def test_ctrl_c_while_a_script_is_imported_ends_it_with_a_word() -> None:
    code = "import stopped; raise KeyboardInterrupt"
    ended = subprocess.run([sys.executable, "-c", code], cwd=TRAIN, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (130, "stopped\n")


def test_a_training_of_one_script_is_not_gone_on_with_by_the_other(tmp_path: Path) -> None:
    for package in ("sb3_contrib", "tensorboard"):
        pytest.importorskip(package, reason=f'{package} is not installed (pip install -e ".[train]")')
    check_settings(tmp_path, {"script": "ppo_rllib.py", "speech": "tokens"})
    (tmp_path / "checkpoint-000010").mkdir()
    ended = run(ppo_sb3.train, "--out", str(tmp_path), "--clone-games", "0")
    assert ended.exit_code == 2
    assert "was trained with script='ppo_rllib.py'" in ended.stderr
