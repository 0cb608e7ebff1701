"""Runs: games that fail, stop, are resumed, cost too much; ratings, tables, and a run given to others."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from quack_bench import console
from quack_bench.export import import_run
from quack_bench.lock import locked
from quack_bench.players import told_fault
from quack_bench.ratings import Match, ratings
from quack_bench.results import difference
from quack_bench.store import Entry, RunStore
from quack_bench.suite import Setting, Suite
from quack_env import ConfigError, GameRecord

from .conftest import Run, only_object
from .kill import check, contents

SHORT = "speech: tokens\nmap: small\nconfig: {n_players: 4, n_tasks: 1, max_ticks: 12}\n"
TIERS = ("geese_win", "goose_vote_accuracy", "goose_truthfulness")


def written(folder: Path, text: str) -> Path:
    file = folder / "suite.yaml"
    file.write_text(text + SHORT)
    return file


def games(run: Path) -> dict[str, Entry]:
    with RunStore(run) as store:
        return store.read()


def rows(file: Path) -> list[dict[str, str]]:
    with open(file, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of two settings on two seeds."""
    folder = tmp_path_factory.mktemp("four")
    suite = written(folder, "geese: [scripted]\nducks: [scripted, random]\nseeds: 2\n")
    command = [sys.executable, "-m", "quack_bench", "bench", suite, "--out", folder / "run", "--jobs", "1", "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "run"


# --- the index and the files -----------------------------------------------------------------------------------------


def test_the_index_says_of_every_game_how_it_went(four: Path) -> None:
    entries = games(four)
    assert list(entries) == [
        f"{folder}/seed-00{seed}" for seed in (0, 1) for folder in ("scripted__scripted", "scripted__random")
    ]
    for entry in entries.values():
        outcome = GameRecord.load(four / entry.id).outcome
        assert outcome is not None
        assert (entry.status, entry.attempts, entry.outcome) == ("finished", 1, outcome.winner)
        assert (entry.calls, entry.tokens, entry.cost_usd, entry.error) == (0, 0, 0.0, None)
        assert entry.started is not None and entry.ended is not None and entry.started <= entry.ended


def test_a_run_ends_with_a_report_and_tables_of_all_tiers_with_intervals(four: Path) -> None:
    assert (four / "report.html").is_file()
    assert {"games.jsonl", "claims.jsonl", "findings.jsonl", "measures.json"} <= {file.name for file in four.iterdir()}
    measures = json.loads((four / "measures.json").read_text())["measures"]
    assert measures["geese_win"]["mean_interval"] and measures["ticks"]["mean_interval"]
    assert all(measures[name]["denominator"] for name in TIERS)
    for name in ("table1", "table2a", "table2b", "table4", "table5", "table6", "comparisons", "ratings", "cost"):
        assert all((four / "tables" / f"{name}.{ending}").is_file() for ending in ("csv", "md", "tex"))


def test_table_1_has_the_papers_columns_and_the_means_over_games(four: Path) -> None:
    lines = (four / "tables" / "table1.md").read_text().splitlines()
    columns = [cell.strip().rstrip(" ↑↓") for cell in lines[2].strip("|").split("|")]
    tier_1_and_2 = ("Goose win", "Eject. acc.", "Vote acc.", "Cooldn. util.", "Self-rep.")
    tier_3 = ("Goose truth.", "Spat. hall.", "Unsup. acc.", "Lie det.", "Duck truth.", "Dec. rate", "Dec. soph.")
    assert columns == ["Goose", "Duck", *tier_1_and_2, *tier_3]
    for row in rows(four / "tables" / "table1.csv")[:2]:
        found = [e for e in games(four).values() if e.setting == f"{row['Goose']} x {row['Duck']}"]
        assert float(row["Goose win %"]) == 100 * sum(e.outcome == "geese" for e in found) / 2
        assert float(row["Goose win % low"]) < float(row["Goose win %"]) or row["Goose win %"] == "0.0"


def test_settings_are_compared_where_they_differ_in_one_thing(four: Path) -> None:
    found = json.loads((four / "measures.json").read_text())["comparisons"]
    assert [(c["first"], c["second"], c["differs"]) for c in found] == [
        ("scripted x scripted", "scripted x random", "ducks")
    ]
    won = {e.id: e.outcome == "geese" for e in games(four).values()}
    want = sum(won[f"scripted__scripted/seed-00{s}"] - won[f"scripted__random/seed-00{s}"] for s in (0, 1)) / 2
    assert (found[0]["measures"]["geese_win"]["seeds"], found[0]["measures"]["geese_win"]["mean"]) == (2, want)


def setting(name: str, **fields: Any) -> Setting:
    """A setting written out."""
    one = {"name": name, "geese": "scripted", "ducks": "scripted", **fields}
    return Suite.model_validate({"settings": [one], "seeds": 1}).expand()[0]


@pytest.mark.parametrize(
    ("fields", "differs"),
    [
        ({}, None),
        ({"geese": "random"}, "geese"),
        ({"ducks": "random"}, "ducks"),
        ({"geese": "random", "ducks": "random"}, None),
        ({"seats": {0: "random"}}, "seat 0"),
        ({"seats": {0: "random", 3: "random"}}, None),
        ({"seats": {0: "random"}, "ducks": "random"}, None),
        ({"map": "small"}, "map"),
        ({"config": {"map": "small"}}, "map"),
        ({"config": {"max_ticks": 9}}, "config"),
        ({"speech": "off"}, "speech"),
    ],
)
def test_settings_differ_in_one_thing_or_are_not_compared(fields: dict[str, Any], differs: str | None) -> None:
    assert difference(setting("a"), setting("b", **fields)) == differs


def test_settings_that_differ_in_a_seat_are_compared_by_the_role_it_was_dealt(quack: Run, tmp_path: Path) -> None:
    pair = "geese: random, ducks: random"
    settings = f"settings: [{{name: base, {pair}}}, {{name: one, {pair}, seats: {{0: scripted}}}}]\n"
    suite = written(tmp_path, settings + "seeds: 8\n")
    data = only_object(quack("bench", suite, "--out", tmp_path / "run", "--jobs", 1, "--json"))
    first = (GameRecord.load(tmp_path / "run" / "base" / f"seed-00{seed}").header.seats[0] for seed in range(8))
    dealt = [seat.role for seat in first]
    told = {c["differs"]: c["measures"]["geese_win"]["seeds"] for c in data["comparisons"]}
    assert told == {"seat 0, a Goose": dealt.count("goose"), "seat 0, a Duck": dealt.count("duck")}
    assert min(told.values()) > 0


def test_a_policy_that_fails_to_say_whether_it_plays_is_named_in_a_line(
    quack: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_game(self: Any, world: Any, game_map: Any) -> None:
        raise KeyError("rooms")

    monkeypatch.setattr("quack_agents.random.RandomPolicy.check_game", check_game)
    suite = written(tmp_path, "geese: [scripted]\nducks: [random]\nseeds: 1\n")
    result = quack("bench", suite, "--out", tmp_path / "run")
    assert result.exit_code == 2 and not (tmp_path / "run").exists()
    where = f"test_run.py, line {check_game.__code__.co_firstlineno + 1}, in check_game"
    told = f"scripted x random: policy='random': its check_game fails: KeyError: 'rooms' ({where})"
    assert told in result.stderr
    played = quack("play", "--duck", "random", "--out", tmp_path / "game")
    assert played.exit_code == 1 and f"policy 'random': KeyError: 'rooms' ({where})" in played.stderr


def test_a_check_that_cannot_be_called_is_told_without_a_place_in_our_files(
    quack: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_game(self: Any) -> None:
        """Takes too little."""

    monkeypatch.setattr("quack_agents.random.RandomPolicy.check_game", check_game)
    suite = written(tmp_path, "geese: [scripted]\nducks: [random]\nseeds: 1\n")
    told = quack("bench", suite, "--out", tmp_path / "run").stderr
    assert told.endswith("check_game() takes 1 positional argument but 3 were given\n")


def test_a_fault_in_code_of_no_module_is_told_with_its_place() -> None:
    space: dict[str, Any] = {}
    exec("def act():\n    return 1 / 0", space)
    with pytest.raises(ZeroDivisionError) as fault:
        space["act"]()
    assert told_fault(fault.value) == "ZeroDivisionError: division by zero (<string>, line 2, in act)"


def test_a_suite_that_a_policy_cannot_play_leaves_no_folder(quack: Run, tmp_path: Path) -> None:
    suite = written(tmp_path, "geese: [scripted]\nducks: ['rl:duck']\nseeds: 1\n")  # of four players
    result = quack("bench", suite, "--out", tmp_path / "run")
    told = "scripted x rl:duck: policy='rl:duck': was trained for n_players 6"
    assert result.exit_code == 2 and told in result.stderr
    assert not (tmp_path / "run").exists()


def test_a_run_ends_with_who_won_and_where_the_rest_is(quack: Run, four: Path) -> None:
    told = quack("bench", four, "--resume", "--jobs", 1)
    assert len(told.stdout.splitlines()) < 30
    assert "Geese won %" in told.stdout and "Ratings by role" in told.stdout
    assert f"report: {four / 'report.html'}; tables of all measures: {four / 'tables'}" in told.stderr


def test_only_the_suites_own_games_are_scored(quack: Run, tmp_path: Path) -> None:
    suite = written(tmp_path, "geese: [random]\nducks: [random]\nseeds: 1\n")
    quack("play", "--seed", 5, "--out", tmp_path / "run" / "another" / "seed-005", "--json")
    data = only_object(quack("bench", suite, "--out", tmp_path / "run", "--jobs", 1, "--json"))
    assert data["games"] == 1 and list(data["settings"]) == ["random x random"]


def test_arms_are_settings_of_their_own_and_are_compared(quack: Run, tmp_path: Path) -> None:
    arms = "arms:\n  short: {config: {max_ticks: 4}}\n  long: {config: {max_ticks: 9}}\n"
    suite = written(tmp_path, f"geese: [random]\nducks: [random]\nseeds: 2\n{arms}")
    data = only_object(quack("bench", suite, "--out", tmp_path / "run", "--jobs", 1, "--json"))
    assert list(data["settings"]) == ["random x random @ long", "random x random @ short"]
    assert list(only_object(quack("eval", tmp_path / "run", "--json"))["settings"]) == list(data["settings"])
    assert [c["differs"] for c in data["comparisons"]] == ["arm"]
    assert [row["Setting"] for row in rows(tmp_path / "run" / "tables" / "table4.csv")] == list(data["settings"])


def test_a_runs_games_are_of_the_settings_of_its_suite_also_where_recordings_do_not_name_them(
    quack: Run, tmp_path: Path
) -> None:
    suite = written(tmp_path, "geese: [random]\nducks: [random]\nseeds: 1\narms: {a: {}, b: {speech: 'off'}}\n")
    before = only_object(quack("bench", suite, "--out", tmp_path / "run", "--jobs", 1, "--json"))
    for file in (tmp_path / "run").rglob("trajectory.jsonl"):
        header, events = file.read_text("utf-8").split("\n", 1)
        older = {name: value for name, value in json.loads(header).items() if name != "setting"}
        file.write_text(f"{json.dumps(older)}\n{events}", "utf-8")
    after = only_object(quack("bench", tmp_path / "run", "--resume", "--jobs", 1, "--json"))
    assert list(after["settings"]) == list(before["settings"]) == ["random x random @ a", "random x random @ b"]
    assert after["comparisons"] == before["comparisons"]


def test_probes_of_a_suite_leave_beliefs_beside_the_index(quack: Run, tmp_path: Path) -> None:
    from quack_env.beliefs import BeliefStore

    text = "geese: [scripted]\nducks: [scripted]\nseeds: 2\nprobes: {triggers: [before_vote, after_call]}\n"
    suite = tmp_path / "probed.yaml"
    suite.write_text(text)
    assert quack("bench", suite, "--out", tmp_path / "run", "--jobs", 1, "--json").exit_code == 0
    probed = {belief.game_id for belief in BeliefStore(tmp_path / "run" / "run.sqlite").read()}
    assert probed and probed <= set(games(tmp_path / "run"))


def test_the_index_of_a_finished_run_is_one_file_and_beliefs_are_missed_without_it(quack: Run, tmp_path: Path) -> None:
    suite = written(tmp_path, "geese: [scripted]\nducks: [scripted]\nseeds: 1\nprobes: {triggers: [], every: 4}\n")
    run = tmp_path / "run"
    assert quack("bench", suite, "--out", run, "--jobs", 1, "--json").exit_code == 0
    assert [file.name for file in run.glob("run.sqlite*")] == ["run.sqlite"]
    (run / "run.sqlite").unlink()
    again = quack("bench", run, "--resume", "--jobs", 1, "--json")
    assert again.exit_code == 0 and "the beliefs of 1 finished game are lost" in again.stderr


# --- stops and faults ------------------------------------------------------------------------------------------------


def test_killed_runs_go_on_and_end_as_if_nothing_had_happened(tmp_path: Path) -> None:
    told = check(times=2, games=8, jobs=2, models=False, seed=1, scratch=tmp_path)
    assert "8 games" in told


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(tmp_path: Path) -> None:
    suite = tmp_path / "long.yaml"
    suite.write_text("geese: [scripted]\nducks: [random]\nseeds: 500\n")
    run = tmp_path / "run"
    command = [sys.executable, "-m", "quack_bench", "bench", str(suite), "--out", str(run), "--jobs", "2"]
    command += ["--max-usd", "3"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while len(list(run.glob("*/seed-*"))) < 3 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert f"quack bench {run} --resume --max-usd 3" in errors
    entries = games(run).values()
    assert {entry.status for entry in entries} == {"finished", "pending"}
    assert all(GameRecord.load(run / e.id).status == "finished" for e in entries if e.status == "finished")


def test_ctrl_c_while_games_are_evaluated_says_how_to_go_on(
    quack: Run, four: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("quack_bench.commands.bench.score", interrupted)
    result = quack("bench", four, "--resume", "--jobs", 1)
    assert result.exit_code == 130
    assert result.stderr == f"stopped; what was finished is kept. Go on with: quack bench {four} --resume\n"


def test_ctrl_c_while_the_command_is_still_loaded_is_one_word() -> None:
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "class Slow:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'quack_bench.cli':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "from quack_bench.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_a_run_has_one_runner_at_a_time(tmp_path: Path) -> None:
    told = f"process {os.getpid()} on .* is playing this run"
    with locked(tmp_path), pytest.raises(ConfigError, match=told), locked(tmp_path, patience=0.0):
        pass
    with locked(tmp_path, patience=0.0):
        pass


def test_a_run_is_enlarged_by_more_seeds_in_its_own_suite(quack: Run, tmp_path: Path) -> None:
    suite = written(tmp_path, "geese: [scripted]\nducks: [random]\nseeds: 1\n")
    quack("bench", suite, "--out", tmp_path / "run", "--jobs", 1)
    first = tmp_path / "run" / "scripted__random" / "seed-000" / "trajectory.jsonl"
    played = first.stat().st_mtime_ns
    frozen = tmp_path / "run" / "suite.yaml"
    suite.write_text(suite.read_text().replace("seeds: 1", "seeds: 3"))
    told = quack("bench", suite, "--out", tmp_path / "run").stderr
    assert told.endswith(
        f"choose another --out, or write them into {frozen}, then: quack bench {tmp_path / 'run'} --resume\n"
    )
    frozen.write_text(yaml.safe_dump(yaml.safe_load(frozen.read_text()) | {"seeds": 3}))
    data = only_object(quack("bench", tmp_path / "run", "--resume", "--jobs", 1, "--json"))
    assert (data["games"], data["finished"]) == (3, 3) and first.stat().st_mtime_ns == played


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"config": {"n_players": 4, "n_tasks": 1, "max_ticks": 40}}, "config.max_ticks: 12 there, 40 here"),
        ({"persona": {"geese": "cautious"}, "seeds": 3}, "persona: None there, {'geese': 'cautious'} here"),
        ({"seeds": [1, 2]}, "lacks seeds of which games were played (0)"),
    ],
)
def test_a_run_whose_own_suite_was_changed_in_more_than_added_seeds_is_refused(
    quack: Run, four: Path, tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    run = tmp_path / "run"
    shutil.copytree(four, run)
    frozen = run / "suite.yaml"
    frozen.write_text(yaml.safe_dump(yaml.safe_load(frozen.read_text()) | changed))
    before = contents(run, ("run.sqlite", "run.lock"))
    result = quack("bench", run, "--resume", "--jobs", 1)
    assert result.exit_code == 2 and told in result.stderr
    assert contents(run, ("run.sqlite", "run.lock")) == before


def test_a_run_that_does_not_know_what_it_was_begun_with_is_taken_as_it_is(
    quack: Run, four: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(four, run)
    with closing(sqlite3.connect(run / "run.sqlite")) as db:
        db.execute("DROP TABLE suite")
    assert quack("bench", run, "--resume", "--jobs", 1, "--json").exit_code == 0


def test_resume_without_a_run_is_an_error(quack: Run, tmp_path: Path) -> None:
    result = quack("bench", "demo", "--out", tmp_path / "none", "--resume")
    assert result.exit_code == 2 and "holds no run" in result.stderr
    assert not (tmp_path / "none").exists()


def test_a_run_that_there_is_not_is_told_to_be_none(quack: Run, tmp_path: Path) -> None:
    result = quack("bench", tmp_path / "nothere", "--resume")
    assert result.exit_code == 2 and f"{tmp_path / 'nothere'}': no such file or run" in result.stderr


def test_a_runs_folder_stands_for_its_suite(quack: Run, four: Path) -> None:
    before = contents(four, ("run.sqlite", "run.lock"))
    assert quack("bench", four, "--resume", "--jobs", 1, "--json").exit_code == 0
    assert contents(four, ("run.sqlite", "run.lock")) == before


@pytest.mark.parametrize(
    ("files", "told"),
    [([], "no run of a suite (suite.yaml is missing)"), (["suite.yaml"], "no run was begun there (run.sqlite, ")],
)
def test_a_folder_that_is_no_run_is_told_what_it_lacks(quack: Run, tmp_path: Path, files: list[str], told: str) -> None:
    for name in files:
        (tmp_path / name).write_text("geese: [scripted]\nducks: [scripted]\nseeds: 1\n" + SHORT)
    result = quack("bench", tmp_path, "--resume")
    assert result.exit_code == 2 and told in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == files


def test_an_index_that_is_lost_is_made_again_from_the_recordings(quack: Run, four: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(four, copy, ignore=shutil.ignore_patterns("run.sqlite*"))
    times = {file: file.stat().st_mtime_ns for file in copy.glob("*/*/trajectory.jsonl")}
    assert quack("bench", copy, "--resume", "--jobs", 1, "--json").exit_code == 0
    told = {name: (e.status, e.outcome, e.calls) for name, e in games(copy).items()}
    assert told == {name: (e.status, e.outcome, e.calls) for name, e in games(four).items()}
    assert times == {file: file.stat().st_mtime_ns for file in copy.glob("*/*/trajectory.jsonl")}


def test_a_failing_policy_is_tried_again_then_reported_and_its_games_left_out(
    quack: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from quack_agents.random import RandomPolicy

    tries: list[int] = []

    def broken(self: Any, observation: Any, info: Any) -> int:
        tries.append(1)
        raise ZeroDivisionError("no idea")

    monkeypatch.setattr(RandomPolicy, "__call__", broken)
    suite = written(tmp_path, "geese: [scripted]\nducks: [scripted, random]\nseeds: 1\n")
    result = quack("bench", suite, "--out", tmp_path / "run", "--jobs", 1, "--retries", 2, "--json")
    data = only_object(result)
    assert result.exit_code == 1 and len(tries) == 3
    assert data["games"] == 1 and list(data["settings"]) == ["scripted x scripted"]
    where = f"test_run.py, line {broken.__code__.co_firstlineno + 2}, in broken"
    told = f"policy 'random': ZeroDivisionError: no idea ({where})"
    assert data["failed"] == [{"game": "scripted__random/seed-000", "attempts": 3, "error": told}]
    assert f"failed, not scored: scripted__random/seed-000: {told}" in result.stderr
    assert f"Try what failed again with: quack bench {tmp_path / 'run'} --resume\n" in result.stderr
    played = quack("play", "--duck", "random", "--seed", 0, "--out", tmp_path / "game")
    assert played.exit_code == 1 and told in played.stderr


@pytest.mark.parametrize("executor", ["local", "ray"])
def test_wherever_scripted_games_are_played_the_files_are_the_same(
    quack: Run, four: Path, tmp_path: Path, executor: str
) -> None:
    if executor == "ray":
        pytest.importorskip("ray")
    suite = shutil.copy(four.parent / "suite.yaml", tmp_path)
    result = quack("bench", suite, "--out", tmp_path / "run", "--jobs", 2, "--executor", executor, "--json")
    assert result.exit_code == 0
    without = ("run.sqlite", "run.lock")
    assert contents(tmp_path / "run", without) == contents(four, without)


def test_an_unknown_executor_is_refused_also_where_only_models_play(quack: Run, serve: Serve, tmp_path: Path) -> None:
    suite = modelled(tmp_path, serve().url, 1)
    result = quack("bench", suite, "--out", tmp_path / "run", "--executor", "moon")
    assert result.exit_code == 2 and "executor='moon': must be local or ray" in result.stderr


# --- ratings ---------------------------------------------------------------------------------------------------------


def test_ratings_recover_the_planted_order_of_ten_policies() -> None:
    chance = random.Random(7)
    names = [f"policy-{k}" for k in range(10)]  # the higher the number, the stronger
    strength = {name: 0.5 * k for k, name in enumerate(names)}
    matches = [
        Match(goose, duck, chance.random() < 1 / (1 + 2.718 ** (strength[duck] - strength[goose])))
        for _ in range(30)
        for goose in names
        for duck in names
    ]
    found = ratings(matches, resamples=12)
    for role in ("goose", "duck"):
        assert [rating.policy for rating in found if rating.role == role] == names[::-1]
    assert all(rating.games == 300 for rating in found)
    assert all(r.low is not None and r.high is not None and r.low < r.rating < r.high for r in found)


def test_equal_policies_have_intervals_that_overlap() -> None:
    chance = random.Random(3)
    first, second = ratings([Match(g, "duck", chance.random() < 0.5) for g in ("a", "b") for _ in range(40)])[:2]
    assert first.low is not None and second.high is not None and first.low < second.high


def test_whoever_won_all_games_or_none_has_a_rating_without_interval() -> None:
    played = [Match("weak", "even", False), Match("even", "even", False), Match("even", "even", True)] * 4
    found = {(one.role, one.policy): one for one in ratings([*played, *[Match("even", "weak", True)] * 4])}
    assert {key for key, one in found.items() if one.low is None} == {("goose", "weak"), ("duck", "weak")}
    assert found["goose", "weak"].rating < found["goose", "even"].rating


def test_without_games_there_are_no_ratings() -> None:
    assert ratings([]) == []


# --- sharing ---------------------------------------------------------------------------------------------------------


def test_an_exported_run_is_imported_equal(quack: Run, four: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    assert quack("export", four, tmp_path / "shared").exit_code == 0
    assert quack("import", tmp_path / "shared", tmp_path / "again").exit_code == 0
    without = ("run.sqlite", "run.lock")
    assert contents(tmp_path / "again", without) == contents(four, without)
    assert games(tmp_path / "again") == games(four)
    card = (tmp_path / "shared" / "README.md").read_text()
    assert "4 recorded games of social deduction in 2 settings" in card and "Table 1" in card


def test_exported_tables_have_a_row_per_game_and_finding(quack: Run, four: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    quack("export", four, tmp_path / "shared")
    table = parquet.read_table(tmp_path / "shared" / "games.parquet")
    assert table.column("id").to_pylist() == list(games(four))
    lines = [json.loads(line) for line in (four / "findings.jsonl").read_text().splitlines()]
    findings = parquet.read_table(tmp_path / "shared" / "findings.parquet")
    assert findings.num_rows == sum("of" in line for line in lines) > 0
    assert set(findings.column("game").to_pylist()) <= set(games(four))


@pytest.mark.parametrize("name", ["measures.json", "findings.jsonl"])
def test_a_damaged_result_is_named_and_nothing_is_exported(quack: Run, four: Path, tmp_path: Path, name: str) -> None:
    pytest.importorskip("pyarrow")
    shutil.copytree(four, tmp_path / "run")
    text = (four / name).read_text()
    (tmp_path / "run" / name).write_text(text[: len(text) // 2])
    result = quack("export", tmp_path / "run", tmp_path / "shared")
    assert result.exit_code == 2 and f"{tmp_path / 'run' / name}" in result.stderr and "damaged" in result.stderr
    assert not (tmp_path / "shared").exists()


def test_a_changed_export_is_refused(quack: Run, four: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    quack("export", four, tmp_path / "shared")
    with open(tmp_path / "shared" / "games.parquet", "ab") as file:
        file.write(b"more")
    with pytest.raises(ConfigError, match=r"games\.parquet is not what was exported"):
        import_run(tmp_path / "shared", tmp_path / "again")


# --- models ----------------------------------------------------------------------------------------------------------

MODEL = """\
geese: ["openai/mock?api_base={url}&timeout=0.5&backoff=0.01&max_tokens=64{more}"]
ducks: ["openai/mock?api_base={url}&timeout=0.5&backoff=0.01&max_tokens=64{more}"]
seeds: {seeds}
speech: text
modality: text
map: small
config: {{n_players: 4, n_tasks: 1, task_ticks: 1, kill_cooldown: 2, max_ticks: 12}}
"""
Serve = Callable[..., Any]


@pytest.fixture
def serve() -> Any:
    """Starts mock model servers."""
    pytest.importorskip("litellm")
    from quack_agents.mock_server import MockServer

    servers: list[Any] = []

    def start(**options: Any) -> Any:
        servers.append(MockServer(**options).start())
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def modelled(folder: Path, url: str, seeds: int, more: str = "") -> Path:
    file = folder / "models.yaml"
    file.write_text(MODEL.format(url=url, seeds=seeds, more=more))
    return file


Priced = Callable[..., None]


@pytest.fixture
def priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Priced:
    """Gives the mock model a price, or other settings."""

    def settle(settings: str = "prices: {input: 10, output: 10}") -> None:
        file = tmp_path / "models-settings.yaml"
        file.write_text(f'"openai/mock": {{{settings}}}\n')
        monkeypatch.setenv("QUACK_MODELS", str(file))

    return settle


def test_with_a_misbehaving_provider_every_game_finishes_or_is_counted(
    quack: Run, serve: Serve, tmp_path: Path
) -> None:
    server = serve(misbehave=["rate_limit:rate=0.1", "hang:rate=0.02", "garbage:rate=0.01"])
    result = quack("bench", modelled(tmp_path, server.url, 6), "--out", tmp_path / "run", "--jobs", 4, "--json")
    data = only_object(result)
    entries = games(tmp_path / "run").values()
    assert data["missing"] == 0 and {entry.status for entry in entries} <= {"finished", "failed"}
    assert data["games"] + len(data["failed"]) == 6
    assert data["games"] == data["finished"] == sum(entry.status == "finished" for entry in entries) > 0
    assert data["measures"]["retries"]["numerator"] > 0


def test_a_provider_that_is_down_fails_games_and_none_is_scored(quack: Run, serve: Serve, tmp_path: Path) -> None:
    server = serve(misbehave=["auth"])
    result = quack("bench", modelled(tmp_path, server.url, 2), "--out", tmp_path / "run", "--json")
    data = only_object(result)
    assert result.exit_code == 1 and data["games"] == 0
    assert [(f["attempts"], f["error"].partition(":")[0]) for f in data["failed"]] == [(1, "auth")] * 2


def test_games_that_failed_alike_are_told_in_one_line_with_their_number(
    quack: Run, serve: Serve, tmp_path: Path
) -> None:
    suite = modelled(tmp_path, serve(misbehave=["auth"]).url, 3)
    result = quack("bench", suite, "--out", tmp_path / "run")
    (told,) = [line for line in result.stderr.splitlines() if "failed, not scored" in line]
    assert "3 games, the first " in told and "/seed-00" in told
    assert (tmp_path / "run" / "tables" / "failures.md").read_text().count("auth:") == 1
    assert len(rows(tmp_path / "run" / "tables" / "failures.csv")) == 3


def test_max_usd_stops_before_the_limit_scores_the_rest_and_can_go_on(
    quack: Run, serve: Serve, tmp_path: Path, priced: Priced
) -> None:
    priced()
    server = serve()
    whole, part = tmp_path / "whole", tmp_path / "part"
    suite = modelled(tmp_path, server.url, 4)
    cost = sum(c["cost_usd"] for c in only_object(quack("bench", suite, "--out", whole, "--json"))["cost"])
    calls = server.calls
    limit = 0.9 * cost  # more than any two games cost: of two at once, some end
    result = quack("bench", suite, "--out", part, "--max-usd", limit, "--jobs", 2, "--json")
    data = only_object(result)
    spent = paid(part)
    dearest = max(call_costs(whole)) + 64 * 10 / 1e6
    assert result.exit_code == 1 and "budget" in data["stopped"]
    assert f"Go on with: quack bench {part} --resume --max-usd MORE" in result.stderr
    assert limit - 3 * dearest <= spent <= limit  # a vote asks three at once
    assert 0 < data["games"] < 4 and data["missing"] == 4 - data["games"]
    assert data["games"] == len((part / "games.jsonl").read_text().splitlines())
    assert quack("bench", part, "--resume", "--max-usd", 2 * cost, "--json").exit_code == 0
    assert paid(part) == pytest.approx(cost)
    assert server.calls - 2 * calls <= 4  # those that the stop cut off in flight


def test_a_limit_below_the_estimate_is_told_before_anything_is_paid_and_what_was_paid_in_the_end(
    quack: Run, serve: Serve, tmp_path: Path, priced: Priced
) -> None:
    priced()
    server = serve()
    suite = modelled(tmp_path, server.url, 4)
    estimate = only_object(quack("bench", suite, "--dry-run", "--json"))["total"]["usd"]
    half = f"is below the estimate of ${estimate:.2f} and pays for about 2 of 4 games."
    for option in (["--dry-run"], ["--out", tmp_path / "run", "--jobs", 1]):
        told = quack("bench", suite, "--max-usd", 0.51 * estimate, *option).stderr
        assert half in told and told.startswith("estimating what it would take, from one mock game per setting\n")
    result = quack("bench", tmp_path / "run", "--resume", "--max-usd", 2 * estimate)
    assert "is below" not in result.stderr
    assert f"paid in all: ${paid(tmp_path / 'run'):.4f}\n" in result.stderr


def test_a_dry_run_says_whether_the_limit_is_enough(quack: Run, tmp_path: Path, priced: Priced) -> None:
    pytest.importorskip("litellm")
    priced()
    suite = modelled(tmp_path, "http://127.0.0.1:9/v1", 1)
    suite.write_text(suite.read_text().replace("max_tokens=64", "max_tokens=1000"))
    all_games = only_object(quack("bench", suite, "--dry-run", "--json"))["total"]
    likely, most = f"${all_games['usd']:.2f}", f"${all_games['usd_at_most']:.2f}"
    for limit, told in (
        (0.6 * all_games["usd"], f"is below the estimate of {likely} and pays for about 0 of 1 game"),
        (1.01 * all_games["usd"], f"is above the estimate of {likely}, and below the {most} that it would be with"),
        (1.01 * all_games["usd_at_most"], f"is enough: not below the {most} that it would be with the longest replies"),
    ):
        assert told in quack("bench", suite, "--max-usd", limit, "--dry-run").stderr


def test_an_imported_run_has_paid_what_its_recordings_cost_and_its_budget_knows_that(
    quack: Run, serve: Serve, tmp_path: Path, priced: Priced
) -> None:
    pytest.importorskip("pyarrow")
    priced()
    server = serve()
    suite, run, again = modelled(tmp_path, server.url, 1), tmp_path / "run", tmp_path / "again"
    suite.write_text(suite.read_text() + "probes: {triggers: [], every: 4}\n")
    quack("bench", suite, "--out", run)
    quack("export", run, tmp_path / "shared")
    quack("import", tmp_path / "shared", again)
    told = f"paid in all: ${paid(run):.4f}\n"
    for _ in range(2):
        assert told in quack("bench", again, "--resume").stderr
    (again / "suite.yaml").write_text((again / "suite.yaml").read_text().replace("- 0\n", "- 0\n- 1\n"))
    calls = server.calls
    result = quack("bench", again, "--resume", "--max-usd", paid(run))
    assert result.exit_code == 1 and "1 game missing: budget" in result.stderr and told in result.stderr
    assert server.calls == calls


def test_a_cost_that_is_not_known_is_not_told_as_nothing(quack: Run, serve: Serve, tmp_path: Path) -> None:
    result = quack("bench", modelled(tmp_path, serve().url, 1), "--out", tmp_path / "run")
    assert "paid in all: what has no known price\n" in result.stderr


@pytest.fixture
def a_game(quack: Run, tmp_path: Path) -> Path:
    """A scripted game in words, with a meeting."""
    quack("play", "--seed", 5, "--speech", "text", "--out", tmp_path / "game", "--json")
    return tmp_path / "game"


def test_a_fork_that_a_budget_breaks_off_says_what_is_kept_and_how_to_begin_anew(
    quack: Run, serve: Serve, tmp_path: Path, priced: Priced, a_game: Path
) -> None:
    priced()
    model, forks = f"openai/mock?api_base={serve().url}&max_tokens=64", tmp_path / "forks"
    command = ("fork", a_game, "--at", 20, "--goose", model, "-n", 1, "--out", forks)
    result = quack(*command, "--max-usd", 1e-6)
    told = f"what was recorded until then is kept in {forks}; a fork is not resumed: begin anew with another --out"
    assert result.exit_code == 2 and f"{told} and --max-usd MORE\n" in result.stderr


def test_situations_that_a_budget_breaks_off_say_what_is_kept_and_how_to_go_on(
    quack: Run, serve: Serve, tmp_path: Path, priced: Priced
) -> None:
    priced()
    model = f"openai/mock?api_base={serve().url}&max_tokens=64"
    command = ("scripts", "run", "bandwagon", "--no-mirrors", "--out", tmp_path / "s")
    quack(*command, "--policy", "scripted", "--json")
    result = quack(*command, "--policy", model, "--max-usd", 1e-6)
    told = f"1 performance kept in {tmp_path / 's'}; go on with the same command, whose --max-usd counts anew"
    assert result.exit_code == 2 and told in result.stderr and "budget" in result.stderr


def paid(run: Path) -> float:
    """What all replies of a run cost."""
    with sqlite3.connect(run / "replies.sqlite") as db:
        return float(db.execute("SELECT TOTAL(json_extract(reply, '$.cost')) FROM replies").fetchone()[0])


def call_costs(run: Path) -> list[float]:
    lines = [line for file in run.glob("*/*/calls.jsonl") for line in file.read_text().splitlines()]
    return [json.loads(line)["cost"] for line in lines]


def test_a_dry_run_counts_calls_and_costs_and_plays_nothing(quack: Run, tmp_path: Path, priced: Priced) -> None:
    pytest.importorskip("litellm")
    priced("prices: {input: 10, output: 20}, max_tokens: 100")
    suite = modelled(tmp_path, "http://127.0.0.1:9/v1", 3)
    data = only_object(quack("bench", suite, "--out", tmp_path / "run", "--dry-run", "--json"))
    assert not (tmp_path / "run").exists()
    total = data["total"]
    assert total["games"] == 3 and total["calls"] > 30
    want = (total["prompt_tokens"] * 10 + total["reply_tokens"] * 20) / 1e6
    assert total["usd"] == pytest.approx(want) and total["reply_tokens"] == 64 * total["calls"]  # its max_tokens


def test_a_dry_run_counts_the_calls_of_probes(quack: Run, tmp_path: Path) -> None:
    pytest.importorskip("litellm")
    suite = modelled(tmp_path, "http://127.0.0.1:9/v1", 1)
    suite.write_text(suite.read_text() + "arms: {plain: {}, probed: {probes: {triggers: [], every: 4}}}\n")
    plain, probed = only_object(quack("bench", suite, "--dry-run", "--json"))["settings"]
    assert probed["calls"] - plain["calls"] >= 4  # all four players at tick 4, none of whom can be dead by then


def test_a_dry_run_counts_what_a_model_would_read(quack: Run, tmp_path: Path, priced: Priced) -> None:
    pytest.importorskip("litellm")
    priced("prices: {input: 10, output: 20}")
    text = "geese: [scripted]\nducks: [scripted]\nseeds: 3\nspeech: text\nmap: small\n"
    (tmp_path / "s.yaml").write_text(text)
    assert quack("bench", tmp_path / "s.yaml", "--seeds", 1, "--out", tmp_path / "run", "--json").exit_code == 0
    (game,) = games(tmp_path / "run")
    spoken = (tmp_path / "run" / game / "trajectory.jsonl").read_text().count('"kind":"statement"')
    (tmp_path / "s.yaml").write_text(text + "extractor: openai/mock\n")
    *_, read = only_object(quack("bench", tmp_path / "s.yaml", "--dry-run", "--json"))["settings"]
    assert read["setting"] == "claims by openai/mock" and read["calls"] == 3 * spoken > 0
    assert read["games"] is None  # it plays none
    assert read["usd"] == pytest.approx((read["prompt_tokens"] * 10 + 200 * read["calls"] * 20) / 1e6)


def test_what_probes_took_stands_apart_from_what_the_games_took(
    quack: Run, serve: Serve, tmp_path: Path, priced: Priced
) -> None:
    priced()
    suite = modelled(tmp_path, serve().url, 1)
    suite.write_text(suite.read_text() + "probes: {triggers: [], every: 4}\n")
    (row,) = only_object(quack("bench", suite, "--out", tmp_path / "run", "--json"))["cost"]
    (folder,) = (tmp_path / "run").glob("*/seed-000")
    for file, name in (("calls", ""), ("probes", "probe_")):
        lines = [json.loads(line) for line in (folder / f"{file}.jsonl").read_text().splitlines()]
        assert row[f"{name}calls"] == len(lines) > 0
        assert row[f"{name}cost_usd"] == pytest.approx(sum(line["cost"] for line in lines))


def test_an_unknown_extractor_is_refused_before_anything_is_played(quack: Run, serve: Serve, tmp_path: Path) -> None:
    server = serve()
    suite = modelled(tmp_path, server.url, 1)
    suite.write_text(suite.read_text() + "extractor: magic\n")
    result = quack("bench", suite, "--out", tmp_path / "run")
    assert result.exit_code == 2 and "extractor='magic': must be recorded, grammar, or a model" in result.stderr
    assert server.calls == 0


EXTRACTED = "geese: [scripted]\nducks: [scripted]\nseeds: 1\nspeech: text\nmap: small\nextractor: {}\n"


def test_a_model_that_can_read_nothing_is_told_asked_again_and_its_cost_counted(
    quack: Run, serve: Serve, tmp_path: Path, priced: Priced
) -> None:
    priced()
    server = serve(misbehave=["garbage"])
    suite = tmp_path / "read.yaml"
    suite.write_text(EXTRACTED.format(f"openai/mock?api_base={server.url}"))
    found = []
    for _ in range(2):
        result = quack("bench", suite, "--out", tmp_path / "run", "--jobs", 1, "--json")
        read = only_object(result)["extractor"]
        assert result.exit_code == 1 and (read["read"], read["name"]) == (0, "openai/mock")
        assert f"{read['utterances']} utterances not read by openai/mock: invalid: " in result.stderr
        costs = {row["setting"]: row for row in rows(tmp_path / "run" / "tables" / "cost.csv")}
        row, total = costs["claims by openai/mock"], costs["all"]
        assert int(row["calls"]) == int(total["calls"]) == server.calls and row["games"] == "" and total["games"] == "1"
        assert float(row["cost_usd"]) == pytest.approx(int(row["tokens"]) * 10 / 1e6) == float(total["cost_usd"])
        found.append((server.calls, float(row["cost_usd"])))
    (calls, cost), (all_calls, all_cost) = found
    assert all_calls == 2 * calls > 0 and all_cost == pytest.approx(2 * cost) and cost > 0


def test_games_are_kept_where_the_model_that_reads_them_is_not_reached(
    quack: Run, serve: Serve, tmp_path: Path
) -> None:
    server = serve()
    server.stop()
    suite = tmp_path / "read.yaml"
    suite.write_text(EXTRACTED.format(f"openai/mock?api_base={server.url}&timeout=0.5&backoff=0.01"))
    result = quack("bench", suite, "--out", tmp_path / "run", "--jobs", 1)
    assert result.exit_code == 1 and "no call came through" in result.stderr
    assert "games kept: 1 of 1" in result.stderr
    assert f"go on with: quack bench {tmp_path / 'run'} --resume" in result.stderr
    assert (tmp_path / "run" / "scripted__scripted" / "seed-000" / "trajectory.jsonl").is_file()


def test_answers_of_servers_and_options_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from quack_bench.extractors import Watched
    from quack_eval.claims.extract import Utterance
    from quack_eval.claims.extract_model import key

    said = Utterance("I saw Bob.", "Alice", ("Alice", "Bob"), ("medbay",))

    def kept_under(name: str) -> str:
        return key(Watched(name, tmp_path / "claims.sqlite").extractor.model, said)

    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    names = ("openai/a", "openai/a?temperature=1", "openai/a?api_base=http://127.0.0.1:9/v1")
    keys = [kept_under(name) for name in names]
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:10/v1")
    assert len({*keys, kept_under("openai/a")}) == 4


def test_a_limit_in_dollars_is_refused_before_anything_is_played_where_a_price_is_not_known(
    quack: Run, serve: Serve, tmp_path: Path
) -> None:
    server = serve()
    told = "max_usd: the price of openai/mock is not known"
    bench = quack("bench", modelled(tmp_path, server.url, 1), "--out", tmp_path / "run", "--max-usd", 1)
    play = quack("play", "--goose", f"openai/mock?api_base={server.url}", "--max-usd", 1, "--out", tmp_path / "game")
    dry = quack("bench", modelled(tmp_path, server.url, 1), "--dry-run", "--max-usd", 1)
    assert "unknown" in dry.stdout  # the estimate of calls is of use all the same
    for result in (bench, play, dry):
        assert result.exit_code == 2 and told in result.stderr and "prices" in result.stderr
    assert server.calls == 0 and not (tmp_path / "run").exists() and not (tmp_path / "game").exists()


def test_a_limit_of_nothing_is_refused_and_not_taken_for_none(quack: Run, serve: Serve, tmp_path: Path) -> None:
    server = serve()
    suite = modelled(tmp_path, server.url, 1)
    assert quack("bench", suite, "--max-usd", "inf").exit_code == 2
    commands = (
        ("bench", suite),
        ("play",),
        ("report", suite),
        ("eval", suite),
        ("fork", suite),
        ("scripts", "run", "all"),
    )
    for command in commands:
        result = quack(*command, "--max-usd", 0, "--out", tmp_path / "run")
        told = " ".join(re.sub("[│|]", " ", result.stderr).split())
        assert result.exit_code == 2 and server.calls == 0
        assert "Invalid value for '--max-usd': must be more than 0; without it there is no limit" in told
    told = " ".join(re.sub("[│|]", " ", quack("bench", "--help").stdout).split())
    assert re.search(r"--max-usd <float> Stop before [^<]*: US dollars, more than 0\.", told)


def test_the_cost_of_a_model_without_a_price_is_unknown_in_a_dry_run(quack: Run, tmp_path: Path) -> None:
    pytest.importorskip("litellm")
    suite = modelled(tmp_path, "http://127.0.0.1:9/v1", 1)
    data = only_object(quack("bench", suite, "--dry-run", "--json"))
    assert data["total"]["usd"] is None and data["total"]["usd_at_most"] is None


def test_cached_replies_are_of_one_game_only(quack: Run, serve: Serve, tmp_path: Path) -> None:
    server = serve()
    suite = tmp_path / "twice.yaml"
    text = MODEL.format(url=server.url, seeds=1, more="") + "repetitions: 2\n"
    suite.write_text(text)
    result = quack("bench", suite, "--out", tmp_path / "run", "--json")
    assert result.exit_code == 0
    (again,) = only_object(result)["repeats"]  # the mock always answers alike
    told = f"1 repetition went exactly as an earlier one of the same seed, the first {again}"
    assert again.endswith("/rep-1") and told in result.stderr and told in (tmp_path / "run" / "report.html").read_text()
    entries = games(tmp_path / "run")
    assert [name.rpartition("/")[2] for name in entries] == ["rep-0", "rep-1"]
    assert server.calls == sum(entry.calls or 0 for entry in entries.values())


def test_every_part_of_the_ratings_names_the_policy(quack: Run, four: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console.out, "width", 44)
    told = quack("bench", four, "--resume").stdout
    ratings = [line for line in told[told.index("Ratings by role") :].splitlines() if "role" in line and "rank" in line]
    assert len(ratings) > 1 and all("policy" in line for line in ratings)


def test_a_byte_that_is_no_utf_8_in_a_result_is_named(quack: Run, four: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    run = shutil.copytree(four, tmp_path / "run")
    findings = run / "findings.jsonl"
    findings.write_bytes(b'{"\xff"' + findings.read_bytes())
    result = quack("export", run, tmp_path / "shared")
    assert result.exit_code == 2 and f"{findings}, line 1: damaged, not UTF-8 text (byte 3 is 0xff)" in result.stderr
