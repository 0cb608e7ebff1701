"""Evaluating folder trees: formats, damage, settings, files."""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from quack_env import ConfigError, TrajectoryError
from quack_env.trajectory import STATUS, status_line
from quack_eval import BehaviourEval, Claim, OutcomeEval, Trajectory, evaluate, find_games, load
from quack_eval.check import check_games
from quack_eval.evaluation import TIERS
from quack_eval.metrics import tables
from quack_eval.metrics.base import GameEval
from quack_eval.metrics.measure import Measure
from quack_eval.workers import processes


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


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (None, "aborted (no status.json that says finished), not scored"),
        ('{"status": ', "aborted (status.json is damaged, not JSON from column 12 on), not scored"),
        (
            '{"status": "done"}',
            "aborted (status.json has the status 'done'; it must be one of finished, aborted, infra_failure), "
            "not scored",
        ),
        ('{"status": "aborted", "reason": "Ctrl-C"}', "aborted (Ctrl-C), not scored"),
        ('{"status": "infra_failure", "reason": "503"}', "infra_failure (503), not scored"),
    ],
)
def test_a_game_that_is_not_said_to_be_finished_is_not_scored(status: str | None, told: str, run: Path) -> None:
    """Not even one that has a game_over."""
    game = run / "told-1"
    (game / STATUS).unlink()
    if status is not None:
        (game / STATUS).write_text(status)
    evaluation = evaluate([game])
    assert (evaluation.games, evaluation.damaged) == ([], [])
    assert evaluation.unfinished == [f"{game}: {told}"]


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("{", "the last line was cut off (it does not end in a newline)"),
        ("", "the last event is no game_over"),
    ],
)
def test_a_finished_game_without_its_end_is_not_scored(end: str, told: str, run: Path) -> None:
    game = run / "told-1"
    lines = (game / "trajectory.jsonl").read_text("utf-8").splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if '"game_over"' in line)
    (game / "trajectory.jsonl").write_text("".join(lines[:place]) + end, encoding="utf-8")
    assert evaluate([game]).unfinished == [f"{game}: said to be finished, but {told}, not scored"]


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [(1, '"role":"duck"', '"role":"dukc"'), (1, '"n_tasks"', '"n_task"'), (2, '"seen_by":[0', '"seen_by":[99')],
)
def test_one_damaged_game_costs_no_other(line: int, old: str, new: str, run: Path) -> None:
    file = run / "told-1" / "trajectory.jsonl"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new)
    file.write_text("".join(lines), encoding="utf-8")
    evaluation = evaluate([run])
    assert len(evaluation.games) == 3
    (damaged,) = evaluation.damaged
    assert damaged.startswith(f"{file}, line {line}: ")


def any_value(rng: random.Random) -> Any:
    return rng.choice([None, True, 7, -1, 1.5, "", "x", "medbay", "goose", [], [0], {}, {"reason": "body"}, 0, 1, 2, 3])


def damage(lines: list[Any], rng: random.Random) -> None:
    """A random value in a random place, a line too few, too many, or out of its place."""
    place = rng.choice([0, rng.randrange(1, len(lines))])
    what: Any = lines[place]
    if place and rng.random() < 0.3:
        line = lines.pop(place)
        if rng.random() < 0.7:
            lines.insert(rng.randrange(1, len(lines)), line)
        for index, event in enumerate(line for line in lines if "index" in line):
            event["index"] = index
        return
    while True:
        key = rng.choice(list(what) if isinstance(what, dict) else range(len(what)))
        if not isinstance(what[key], dict | list) or not what[key] or rng.random() < 0.2:
            break
        what = what[key]
    what[key] = any_value(rng)


def test_whatever_a_line_says_nothing_crashes(run: Path) -> None:
    """Of a damaged recording either the damage is named, with its line, or it is evaluated and checked."""
    rng = random.Random(7)
    originals = [run / "told-1", run / "told-2", run / "deeper" / "random-0"]
    texts = [(path / "trajectory.jsonl").read_text("utf-8").splitlines() for path in originals]
    found: Counter[str] = Counter()
    for _ in range(150):
        lines = [json.loads(line) for line in rng.choice(texts)]
        damage(lines, rng)
        file = run / "told-1" / "trajectory.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        evaluation = evaluate([file])
        found["damaged" if evaluation.damaged else "read"] += 1
        assert all(f"{file}, line " in message for message in evaluation.damaged)
        assert all(str(file) in message for message in check_games([file]).messages)
    assert found["damaged"] > 50 and found["read"] > 10


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
    with pytest.raises(ConfigError, match=r"tiers=\(9,\): must be one or several of 1, 2, 3, 4, 5, as numbers"):
        evaluate([tmp_path], tiers=(9,))


def test_a_function_like_extract_reads_the_claims_of_an_evaluation(record: Callable[..., Path]) -> None:
    def one_claim(message: str, *, speaker: str, **known: Any) -> list[Claim]:
        return [Claim("mood", subject=speaker)]

    games = record(speech="text", games=3).parent
    alone, threads = (evaluate([games], tiers=(3,), claims=one_claim, jobs=jobs) for jobs in (1, 2))
    spoken = sum(line["tier3"]["utterances"] for line in alone.games)
    assert alone.measures["claims"].numerator == spoken > 0
    assert threads.games == alone.games


def test_an_evaluation_that_breaks_off_leaves_nothing_behind(record: Callable[..., Path], tmp_path: Path) -> None:
    def refuses(message: str, **context: Any) -> list[Claim]:
        raise RuntimeError("no key")

    with pytest.raises(ConfigError, match="no key"):
        evaluate([record(seed=3, speech="text")], claims=refuses, findings=tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_several_processes_give_the_same(run: Path) -> None:
    assert evaluate([run], jobs=2).to_json() == evaluate([run]).to_json()


def test_the_same_games_in_another_order_have_the_same_intervals(run: Path) -> None:
    games = find_games([run])
    assert evaluate(games[::-1]).measures == evaluate(games).measures


def test_games_are_of_the_setting_that_their_recording_names(run: Path) -> None:
    record = Trajectory.load(run / "told-1")
    record.header.setting = "a dark ship"
    record.save(run / "dark")
    assert set(evaluate(run).settings) == {"a dark ship", "unknown x unknown", "gooses x ducks"}


def test_a_name_of_any_characters_can_stand_in_a_latex_table() -> None:
    told = tables.latex_row(["a|b<c>d^e~f", "geste_é 5%"])
    assert told == (r"a\textbar{}b\textless{}c\textgreater{}d\textasciicircum{}e\textasciitilde{}f & geste\_é 5\% \\")


def test_settings_and_roles(run: Path) -> None:
    evaluation = evaluate([run])
    assert list(evaluation.settings) == ["gooses x ducks", "unknown x unknown"]
    assert evaluation.settings["gooses x ducks"]["ejection_accuracy"].pooled == 1.0
    assert set(evaluation.roles["goose"]) == {"gooses", "unknown"}
    assert evaluation.measures["kills"].games == 4
    difference = evaluation.compare("gooses x ducks", "unknown x unknown")["kills"]
    assert difference.seeds == 1  # seed 1; the told game of seed 0 was broken off
    with pytest.raises(ConfigError, match=r"the setting 'others' is unknown \(must be one of gooses x ducks, unknown"):
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
    with pytest.raises(tables.TableError, match=r"\.\[parquet\]"):
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


OWN_TIER = """
import sys
from quack_eval import Measure, evaluate
from quack_eval.evaluation import TIERS
from quack_eval.metrics.base import GameEval

class Seats(GameEval):
    tier = 6
    title = "Seats"
    measures = property(lambda self: {"seats": Measure(len(self.trajectory.names), 1)})

TIERS[6] = Seats
print(evaluate([sys.argv[1]], tiers=(6,), jobs=2).measures["seats"].mean)
"""


def test_a_script_without_a_main_guard_evaluates_a_tier_of_its_own_in_processes(
    record: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(OWN_TIER)
    command = [sys.executable, tmp_path / "own.py", record(games=3).parent]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "6.0\n"


@pytest.mark.filterwarnings("error")
@pytest.mark.skipif(sys.platform != "linux", reason="workers are copies of the process on Linux only")
def test_workers_start_without_the_warning_of_copying_a_process_with_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python warns so from 3.12 on."""
    copies, fork = [], os.fork

    def warns() -> int:
        copies.append(1)
        told = "This process (pid=1) is multi-threaded, use of fork() may lead to deadlocks in the child."
        warnings.warn(told, DeprecationWarning, stacklevel=2)
        return fork()

    monkeypatch.setattr(os, "fork", warns)
    with processes(2) as pool:
        assert pool.submit(abs, -1).result() == 1
    assert len(copies) == 2


def test_elsewhere_workers_are_what_the_system_has_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = multiprocessing.get_context("spawn")
    monkeypatch.setattr(multiprocessing, "get_context", lambda method=None: {None: usual}[method])
    monkeypatch.setattr(sys, "platform", "darwin")
    with processes(1) as pool:
        assert pool.submit(abs, -1).result() == 1


# --- what users write ------------------------------------------------------------------------------------------------


def own_tier(found: Any) -> type[GameEval]:
    class Own(GameEval):
        tier = 8
        title = "Own"

        @property
        def measures(self) -> Any:
            return found() if callable(found) else found

    return Own


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({"calm": 0.5}, r"Own \(tier 8, .*game-0\): measure 'calm' must be a Measure by name, not 0.5"),
        ({"calm": None}, "measure 'calm' must be a Measure by name, not None"),
        (None, "measures must be a mapping of names to Measure, not None"),
        ({"geese_win": Measure(1, 1)}, r"'geese_win': OutcomeEval \(tier 1\) and .*Own \(tier 8\) both have it"),
    ],
)
def test_measures_that_a_tier_of_ones_own_cannot_have_are_named(
    found: Any, told: str, play_randomly: Callable[..., Trajectory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_randomly({}, 0).save(tmp_path / "game-0")
    monkeypatch.setitem(TIERS, 8, own_tier(found))
    with pytest.raises(ConfigError, match=told):
        evaluate(tmp_path / "game-0", tiers=(1, 8))


def test_a_tier_of_ones_own_that_fails_is_named_with_the_game_and_the_cause(
    play_randomly: Callable[..., Trajectory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> None:
        raise KeyError("stays")

    play_randomly({}, 0).save(tmp_path / "game-0")
    monkeypatch.setitem(TIERS, 8, own_tier(fails))
    with pytest.raises(ConfigError, match=r"Own \(tier 8, .*game-0\): KeyError: 'stays'") as fault:
        evaluate([tmp_path / "game-0"], tiers=8)
    assert isinstance(fault.value.__cause__, KeyError)
    with pytest.raises(ConfigError, match="the game of seed 0"):
        own_tier(fails)(play_randomly({}, 0)).to_dict()


def test_a_function_that_fails_on_an_utterance_is_named_with_game_words_and_cause(
    record: Callable[..., Path], tmp_path: Path
) -> None:
    def my_reader(message: str, **context: Any) -> list[Claim]:
        return [Claim("location", room=3)]  # type: ignore[arg-type]

    with pytest.raises(ConfigError, match=r"my_reader: TypeError: claim: room must be.*game-000, \w+ said") as told:
        evaluate([record(seed=3, speech="text")], claims=my_reader)
    assert isinstance(told.value.__cause__, TypeError)


def test_one_path_and_one_tier_need_no_list(run: Path) -> None:
    assert find_games(str(run)) == find_games([run])
    assert evaluate(str(run), tiers=1).to_json() == evaluate([run], tiers=(1,)).to_json()


def test_games_of_one_setting_on_different_maps_or_settings_are_told_of(
    play_randomly: Callable[..., Trajectory], tmp_path: Path
) -> None:
    for number, config in enumerate(({}, {"map": "small", "n_tasks": 3}, {"max_ticks": 30})):
        play_randomly(config, number).save(tmp_path / f"game-{number}")
    (told,) = evaluate([tmp_path]).notices
    maps, settings = "on different maps (ship, small)", "with different n_tasks, max_ticks"
    assert told.startswith(f"unknown x unknown: games {maps} and {settings} are taken together")
    assert evaluate([tmp_path / "game-0"]).notices == []


def test_a_published_game_whose_recording_is_gone_is_named(run: Path) -> None:
    lost = run / "lost"
    lost.mkdir()
    (lost / "verdicts.jsonl").write_text("{}\n")
    assert evaluate([run], tiers=1).damaged == [f"{lost / 'game.jsonl'}: missing, with verdicts.jsonl beside it"]


def test_verdicts_beside_folders_of_games_are_no_lost_game_and_hide_none(run: Path) -> None:
    games = find_games([run])
    for folder in (run, run / "deeper"):
        (folder / "verdicts.jsonl").write_text("{}\n")
    assert find_games([run]) == games


def test_a_folder_with_two_recordings_is_named_and_neither_is_scored(run: Path) -> None:
    (run / "told-1" / "game.jsonl").write_text('{"event_type": "x"}\n')
    evaluation = evaluate([run], tiers=1)
    told = f"{run / 'told-1'}: holds two recordings, trajectory.jsonl and game.jsonl; move one of them away"
    assert evaluation.damaged == [told] and "told-1" not in {Path(game.path).name for game in evaluation.evaluated}


@pytest.mark.parametrize("out", [3, None, "a file", "a file/below"])
def test_a_folder_that_cannot_be_written_is_told_of_in_one_line(
    out: Any, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run)
    Path("a file").touch()
    with pytest.raises(ConfigError, match=r"must be the path of a folder|a file: must be a folder|cannot be made"):
        evaluate(run / "told-1", tiers=1).save(out)


@pytest.mark.parametrize("kind", [3, int, lambda *_: None])
def test_what_stands_in_the_tiers_and_is_none_is_refused(kind: Any, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TIERS, 9, kind)
    with pytest.raises(ConfigError, match=r"TIERS\[9\]=.*: must be a class derived from GameEval"):
        evaluate(run, tiers=9)


def test_a_folder_of_games_is_no_game(run: Path) -> None:
    with pytest.raises(TrajectoryError, match=r"no recorded game \(trajectory\.jsonl\) in this folder"):
        Trajectory.load(run)
