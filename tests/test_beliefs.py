"""The store of beliefs: whole snapshots or none, from many writers, with a way out to tables."""

from __future__ import annotations

import csv
import dataclasses
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from quack_env import ConfigError
from quack_env.beliefs import Answer, Belief, BeliefStore, game_id_of


def belief(**fields: Any) -> Belief:
    given: dict[str, Any] = {
        "game_id": "games/000",
        "tick": 12,
        "round": 1,
        "phase": "discussion",
        "trigger": "before_speech",
        "event_index": 40,
        "observer": "player_0",
        "target": "player_1",
        "order": 1,
        "about": None,
        "p_goose": 0.75,
        "p_duck": 0.25,
        "parsed_ok": True,
        "repaired": False,
        "rationale": "Was near.",
        "latency_ms": 3.5,
        "cost_usd": None,
        "context_ref": "probes.jsonl#1",
        "meeting": 0,
    }
    return Belief(**given | fields)


def answer(**fields: Any) -> Answer:
    shared = {
        field.name: getattr(belief(), field.name) for field in dataclasses.fields(Answer) if hasattr(Belief, field.name)
    }
    return Answer(**shared | {"question": "intent", "answer": "vote me out", "p": 0.5} | fields)


FAILED: dict[str, Any] = {"p_goose": None, "p_duck": None, "parsed_ok": False, "failure": "cut_off: no end"}


def test_what_is_added_is_read_again_in_order(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    rows = [belief(), belief(order=2, about="player_2", rationale=None, repeat=1, moment="T1"), belief(**FAILED)]
    store.add(rows[:2])
    store.add(rows[2:])
    assert list(store.read()) == rows
    assert list(BeliefStore(tmp_path / "run.sqlite").read()) == rows


def test_reading_can_be_narrowed(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    second = belief(order=2, about="player_3", observer="player_2", trigger="before_vote", game_id="games/001")
    store.add([belief(), second])
    for wanted in ({"game_id": "games/001"}, {"observer": "player_2"}, {"order": 2}, {"trigger": "before_vote"}):
        assert list(store.read(**wanted)) == [second]  # type: ignore[arg-type]
    assert list(store.read(order=1, observer="player_2")) == []


def test_a_trigger_is_found_where_several_came_together(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    both = belief(trigger="after_call+before_speech")
    store.add([both, belief(trigger="before_speech"), belief(trigger="before")])
    assert list(store.read(trigger="after_call")) == [both]
    assert len(list(store.read(trigger="before_speech"))) == 2


def test_answers_to_further_questions_stand_beside_the_beliefs(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    row = answer()
    store.add([belief()], [row, answer(question="knows")])
    assert list(store.read_answers(question="intent")) == [row]
    assert list(store.read()) == [belief()]


def test_where_no_store_is_nothing_is_found_and_no_file_is_made(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    store.remove("games/000")
    assert list(store.read()) == [] and not store.path.exists()


def test_a_store_where_nothing_can_be_written_is_read_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    store.add([belief()])
    store.close()
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # whoever runs the tests may well write anywhere
    reading = BeliefStore(tmp_path / "run.sqlite").read()
    assert next(reading) == belief()
    assert [file.name for file in tmp_path.iterdir()] == ["run.sqlite"]


def test_other_tables_of_the_run_are_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "run.sqlite") as db:
        db.execute("CREATE TABLE games (path TEXT)")
        db.execute("INSERT INTO games VALUES ('a')")
    store = BeliefStore(tmp_path / "run.sqlite")
    assert list(store.read()) == []
    store.add([belief()])
    with sqlite3.connect(tmp_path / "run.sqlite") as db:
        assert db.execute("SELECT path FROM games").fetchall() == [("a",)]


def test_a_removed_game_is_gone_and_the_others_stay(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    store.add([belief(), belief(game_id="games/001")], [answer()])
    store.remove("games/000")
    assert list(store.read()) == [belief(game_id="games/001")] and list(store.read_answers()) == []


def test_one_observer_can_be_removed_from_a_game(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    store.add([belief(), belief(observer="player_2")])
    store.remove("games/000", "player_0")
    assert [row.observer for row in store.read()] == ["player_2"]


def test_a_snapshot_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    store.add([belief()])
    unfit = belief()
    object.__setattr__(unfit, "target", object())
    with pytest.raises(ConfigError):
        store.add([belief(tick=13), unfit])
    assert list(store.read()) == [belief()]
    store.add([belief(tick=14)])
    assert [row.tick for row in store.read()] == [12, 14]


WRITER = """
import sys
from tests_row import row
from quack_env.beliefs import BeliefStore
store, name = BeliefStore(sys.argv[1]), sys.argv[2]
print("go", flush=True)
for tick in range(int(sys.argv[3])):
    store.add([row(name, tick, seat) for seat in range(5)])
"""
ROW = """
from quack_env.beliefs import Belief
def row(name, tick, seat):
    return Belief(name, tick, None, "free_roam", "every_tick", 0, "player_0", f"player_{seat}", 1, None, 0.5, 0.5,
                  True, False, None, None, None, None)
"""


def writer(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    (folder / "tests_row.py").write_text(ROW)
    arguments = [sys.executable, "-c", WRITER, str(folder / "run.sqlite"), name, str(count)]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment)


def test_two_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    processes = [writer(tmp_path, name, 60) for name in ("a", "b")]
    assert [process.wait(60) for process in processes] == [0, 0]
    store = BeliefStore(tmp_path / "run.sqlite")
    for name in ("a", "b"):
        assert [row.tick for row in store.read(game_id=name)] == [tick for tick in range(60) for _ in range(5)]


def test_a_killed_writer_leaves_whole_snapshots(tmp_path: Path) -> None:
    process = writer(tmp_path, "a", 1_000_000)
    store = BeliefStore(tmp_path / "run.sqlite")
    while len(list(store.read())) < 50:
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    rows = list(store.read())
    assert len(rows) % 5 == 0 and len(rows) >= 50
    store.add([belief()])
    assert list(store.read())[-1] == belief()


def test_csv_has_every_field_and_empty_cells_for_the_undefined(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    store.add([belief(), belief(**FAILED)], [answer()])
    with open(store.export(tmp_path / "out" / "beliefs.csv"), newline="", encoding="utf-8") as stream:
        first, second = csv.DictReader(stream)
    assert list(first) == [field.name for field in dataclasses.fields(Belief)]
    assert (first["p_duck"], first["parsed_ok"], first["cost_usd"]) == ("0.25", "True", "")
    assert (second["p_duck"], second["parsed_ok"], second["failure"]) == ("", "False", "cut_off: no end")
    assert "vote me out" in store.export(tmp_path / "answers.csv", Answer).read_text("utf-8")


def test_parquet_and_frames_hold_the_same_with_types(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: no Parquet file can be written")
    pytest.importorskip("pandas", reason="pandas is not installed: no data frame can be made")
    store = BeliefStore(tmp_path / "run.sqlite")
    store.add([belief(), belief(**FAILED)])
    table = parquet.read_table(store.export(tmp_path / "beliefs.parquet"))
    assert table.to_pylist() == [dataclasses.asdict(row) for row in store.read()]
    kinds = {name: str(table.schema.field(name).type) for name in ("p_duck", "parsed_ok", "tick", "cost_usd")}
    assert kinds == {"p_duck": "double", "parsed_ok": "bool", "tick": "int64", "cost_usd": "double"}
    frame = store.frame()
    assert list(frame.columns) == table.column_names
    assert frame["p_duck"].sum() == 0.25 and frame["observer"].tolist() == ["player_0", "player_0"]


def test_a_missing_library_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    for name in ("pyarrow", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=r'pyarrow: pip install -e "\.\[parquet\]"'):
        store.export(tmp_path / "beliefs.parquet")
    with pytest.raises(ConfigError, match=r'pandas: pip install -e "\.\[parquet\]"'):
        store.frame()


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"beliefs.xml: must end in .csv or .parquet"):
        BeliefStore(tmp_path / "run.sqlite").export(tmp_path / "beliefs.xml")


def test_a_file_that_is_no_store_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").write_text("not a database, but long enough to be taken for one by nobody at all")
    store = BeliefStore(tmp_path / "run.sqlite")
    for use in (lambda: list(store.read()), lambda: store.add([belief()])):
        with pytest.raises(ConfigError, match="cannot be used as a store of beliefs"):
            use()


@pytest.mark.parametrize(
    "wrong",
    [
        {"order": 2},
        {"about": "player_3"},
        {"order": 3},
        {"p_duck": 1.2, "p_goose": 0.0},
        {"p_duck": None},
        {"failure": "empty: nothing"},
        {**FAILED, "failure": None},
        {**FAILED, "parsed_ok": True},
    ],
)
def test_a_belief_that_contradicts_itself_cannot_be_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        belief(**wrong)


def test_games_are_called_by_their_place_in_the_run(tmp_path: Path) -> None:
    assert game_id_of(tmp_path / "games" / "a" / "seed-1", tmp_path) == "games/a/seed-1"
    assert game_id_of(tmp_path / "seed-1", tmp_path / "seed-1") == "seed-1"
    assert game_id_of(tmp_path / "seed-1", tmp_path / "other") == "seed-1"
