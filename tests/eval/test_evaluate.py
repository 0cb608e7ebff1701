"""Evaluating folder trees: formats, damage, settings, files."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from quack_env import TrajectoryError
from quack_env.trajectory import STATUS, status_line
from quack_eval import BehaviourEval, OutcomeEval, Trajectory, evaluate, find_games, load
from quack_eval.metrics import tables


@pytest.fixture
def run(story: Any, play_randomly: Callable[..., Trajectory], tmp_path: Path) -> Path:
    """A run of five games: three told, two random, all ours; the told ones name policies."""
    for number in range(3):
        told = story("medbay medbay storage electrical medbay", ducks=[4])
        told.tick("4 kill 0", "1 report")
        told.vote(". 4 4 - 1" if number else ". 2 1 - 1", "medbay medbay storage electrical oxygen")
        told.tick(times=1)
        trajectory = told.play()
        trajectory.header.seed = number
        if trajectory.outcome is None:
            trajectory.status = "aborted"
        trajectory.save(tmp_path / "run" / f"told-{number}")
    for seed in range(2):
        play_randomly({}, seed, "tokens").save(tmp_path / "run" / "deeper" / f"random-{seed}")
    return tmp_path / "run"


def test_games_of_both_formats_are_found_and_read(run: Path, published_games: list[Path]) -> None:
    shutil.copytree(published_games[0], run / "elsewhere" / published_games[0].parent.name / "seed01")
    games = find_games([run, run / "told-0"])
    assert len(games) == 6
    assert [load(path).header.made_by.split(",")[0] for path in games].count("QUACK") == 1
    evaluation = evaluate([run])
    assert {game["format"] for game in evaluation.games} == {"quack_env", "published"}
    assert load(run / "told-1" / "trajectory.jsonl").events == load(run / "told-1").events


def test_damage_is_named_left_out_and_counted(run: Path) -> None:
    file = run / "told-1" / "trajectory.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[3] = lines[3][:-9] + "\n"
    file.write_text("".join(lines), encoding="utf-8")
    (run / "deeper" / "random-0" / STATUS).write_text(status_line("infra_failure", "a provider failed"))
    calls: list[tuple[int, int]] = []
    evaluation = evaluate([run], progress=lambda done, of: calls.append((done, of)))
    assert [Path(game["path"]).name for game in evaluation.games] == ["random-1", "told-2"]
    (damaged,) = evaluation.damaged
    assert damaged.startswith(f"{file}, line 4: damaged")
    assert len(evaluation.unfinished) == 2  # the broken-off told-0, and the failed one
    assert calls[0] == (0, 5) and calls[-1] == (5, 5)
    report = evaluation.to_json()
    assert (report["games"], report["damaged"], report["unfinished"]) == (2, 1, 2)


def test_all_games_damaged(tmp_path: Path) -> None:
    (tmp_path / "trajectory.jsonl").write_text("{}\n", encoding="utf-8")
    evaluation = evaluate([tmp_path], out=tmp_path / "out")
    assert (evaluation.games, evaluation.tables(), len(evaluation.damaged)) == ([], [], 1)
    assert evaluation.to_json()["settings"] == {}


def test_nothing_to_evaluate_is_an_error_that_names_the_path(tmp_path: Path) -> None:
    with pytest.raises(TrajectoryError, match="no such file or folder"):
        evaluate([tmp_path / "missing"])
    with pytest.raises(TrajectoryError, match="no recorded game at or below it"):
        evaluate([tmp_path])
    with pytest.raises(ValueError, match="tier 9"):
        evaluate([tmp_path], tiers=(9,))


def test_several_processes_give_the_same(run: Path) -> None:
    assert evaluate([run], jobs=2).to_json() == evaluate([run]).to_json()


def test_settings_and_roles(run: Path) -> None:
    evaluation = evaluate([run])
    assert list(evaluation.settings) == ["gooses x ducks", "unknown x unknown"]
    assert evaluation.settings["gooses x ducks"]["ejection_accuracy"].pooled == 1.0
    assert set(evaluation.roles["goose"]) == {"gooses", "unknown"}
    assert evaluation.measures["kills"].games == 4
    difference = evaluation.compare("gooses x ducks", "unknown x unknown")["kills"]
    assert difference.seeds == 1  # seed 1; the told game of seed 0 was broken off
    with pytest.raises(KeyError, match="no such setting"):
        evaluation.compare("gooses x ducks", "others")


def test_lines_of_games_jsonl(run: Path, tmp_path: Path) -> None:
    evaluation = evaluate([run], tiers=(1, 2), out=tmp_path / "out")
    lines = [json.loads(line) for line in (tmp_path / "out" / "games.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines == evaluation.games
    for line in lines:
        trajectory = Trajectory.load(line["path"])
        assert line["tier1"] == OutcomeEval(trajectory).to_dict()
        assert line["tier2"] == BehaviourEval(trajectory).to_dict()
        assert line["tier3"] is None
        for name, (numerator, denominator) in line["parts"].items():
            value = (line["tier1"] | line["tier2"])[name]
            assert value == (numerator / denominator if denominator else None)
    only = evaluate([run], tiers=(1,)).games[0]
    assert only["tier2"] is None and only["tier1"] == lines[0]["tier1"]
    published = evaluate([run], tiers=(1, 2), convention="published").games[0]
    assert published["tier1"] == OutcomeEval(Trajectory.load(published["path"]), "published").to_dict()
    assert "goose_voting_accuracy" in published["tier2"]


def test_tables_in_files(run: Path, tmp_path: Path) -> None:
    evaluation = evaluate([run], tiers=(1, 2))
    paths = evaluation.save(tmp_path / "out")
    assert [path.name for path in paths] == [
        "games.jsonl",
        "measures.json",
        "measures.csv",
        "measures.md",
        "measures.tex",
    ]
    assert json.loads(paths[1].read_text(encoding="utf-8")) == json.loads(json.dumps(evaluation.to_json()))
    with open(paths[2], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(evaluation.rows()) == 26 * (1 + 2 + 2 + 2)
    row = next(row for row in rows if row["group"] == "all" and row["measure"] == "kills")
    assert float(row["pooled"]) == evaluation.measures["kills"].pooled
    undefined = [row for row in rows if row["measure"] == "kill_interval" and row["denominator"] == "0.0"]
    assert undefined and all(row["mean"] == row["pooled"] == "" for row in undefined)
    latex = paths[4].read_text(encoding="utf-8")
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 7
    assert r"geese\_win \%" in latex and "geese_win" not in latex
    assert paths[3].read_text(encoding="utf-8").count("| measure |") == 7


def test_parquet_is_written_or_its_extra_named(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = evaluate([run])

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(tables, "import_module", missing)
    with pytest.raises(tables.TableError, match=r"quack_env\[parquet\]"):
        evaluation.save(tmp_path / "out", formats=("parquet",))
    with pytest.raises(tables.TableError, match="table format 'xls'"):
        evaluation.save(tmp_path / "out", formats=("xls",))
    monkeypatch.undo()
    pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: no Parquet file can be written")
    (path,) = evaluation.save(tmp_path / "out", formats=("parquet",))[2:]
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(path).num_rows == len(evaluation.rows())


@pytest.mark.parametrize("convention", ["paper", "published"])
def test_tables_for_the_terminal(convention: str, run: Path) -> None:
    console = Console(width=150, record=True)
    evaluation = evaluate([run], convention=convention)
    for table in evaluation.tables():
        console.print(table)
    text = console.export_text()
    assert "gooses" in text and "x ducks" in text and "All games" in text
    assert "…" not in text  # nothing is cut off at 150 columns


def test_tier_3_is_a_line_of_its_own_with_what_was_read(run: Path) -> None:
    line = evaluate([run], tiers=(3,)).games[0]
    assert line["tier1"] is None and line["tier2"] is None
    assert line["tier3"]["utterances"] >= line["tier3"]["unread"] == 0
    assert "goose_truthfulness" in line["tier3"]
