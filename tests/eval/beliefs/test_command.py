"""`quack beliefs`, as a user runs it."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from quack_bench.cli import app
from quack_env import GameRecord
from quack_env.beliefs import FILE, Belief, BeliefStore
from quack_eval import BeliefEval
from quack_eval.beliefs import reference_beliefs
from quack_eval.beliefs.reference import moments_after
from quack_eval.viewer.beliefs import belief_data


def quack(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["beliefs", *map(str, arguments)])


@pytest.fixture
def run(tmp_path: Path, play_randomly: Callable[..., Any]) -> Path:
    """Two recorded games, and what the Bayesian observer would have said at their meetings."""
    store = BeliefStore(tmp_path / FILE)
    for seed in (1, 2):
        game = play_randomly({"n_players": 6, "n_ducks": 1, "kill_cooldown": 2, "max_ticks": 40}, seed)
        game.save(tmp_path / f"game-{seed}")
        moments = moments_after(game, ["meeting_called", "ejected", "no_ejection"])
        store.add(reference_beliefs(game, f"game-{seed}", moments, trigger="after_vote+every"))
    store.close()
    return tmp_path


def test_it_measures_a_run(run: Path) -> None:
    found = json.loads(quack(run, "--json").stdout)
    assert found["games"] == 2
    groups = {(group["group"], group["name"]): group["measures"] for group in found["groups"]}
    assert groups["role", "goose"]["rationality_gap"]["pooled"] == 0
    assert groups["role", "duck"]["brier"]["pooled"] == 0
    shown = quack(run)
    assert shown.exit_code == 0
    assert "rationality_divergence" in shown.stdout and "Calibration of Geese" in shown.stdout
    legend = "n: games in which it is defined, of ece its beliefs, of anchoring its cases"
    assert legend in " ".join(shown.stdout.split())


def test_python_and_command_agree(run: Path) -> None:
    assert json.loads(quack(run, "--json").stdout) == json.loads(json.dumps(BeliefEval(run).to_json()))


def test_all_runs_below_a_folder_are_taken(run: Path) -> None:
    for name in ("one", "other"):
        shutil.copytree(run, run / "tree" / name, ignore=shutil.ignore_patterns("tree"))
    assert json.loads(quack(run / "tree", "--json", "--no-reference").stdout)["games"] == 4


@pytest.fixture
def whole(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same games as the one arm of a run, whose store knows them."""
    whole = tmp_path_factory.mktemp("whole")
    shutil.copytree(run, whole / "arm", ignore=shutil.ignore_patterns(FILE + "*"))
    store = BeliefStore(whole / FILE)
    store.add([replace(belief, game_id=f"arm/{belief.game_id}") for belief in BeliefStore(run / FILE).read()])
    store.close()
    return whole


def test_a_part_of_a_run_has_the_beliefs_of_the_runs_store(whole: Path) -> None:
    for part, games in (("arm", 2), ("arm/game-2", 1), ("arm/game-2/trajectory.jsonl", 1)):
        assert json.loads(quack(whole / part, "--json", "--no-reference").stdout)["games"] == games
    assert belief_data(GameRecord.load(whole / "arm" / "game-1"), None)["rows"]


def test_a_game_of_a_run_in_which_nobody_was_asked_is_told_from_a_run_without_beliefs(whole: Path) -> None:
    shutil.copytree(whole / "arm" / "game-1", whole / "other" / "game-1")
    told = quack(whole / "other" / "game-1").stderr
    assert told == f"error {whole / 'other' / 'game-1'}: nobody was asked there; {whole} has beliefs of other games\n"


def test_a_file_that_is_no_store_hides_no_store_above_it_unless_it_was_named(whole: Path) -> None:
    (whole / "arm" / FILE).write_bytes(b"no database")
    assert json.loads(quack(whole / "arm" / "game-2", "--json", "--no-reference").stdout)["games"] == 1
    assert belief_data(GameRecord.load(whole / "arm" / "game-1"), None) is not None
    named = quack(whole / "arm")
    assert named.exit_code == 2 and f"{whole / 'arm' / FILE}: cannot be used as a store of beliefs" in named.stderr


def test_the_last_part_of_a_games_name_chooses_it_where_no_other_ends_so(run: Path) -> None:
    for arm, seed in (("a", 1), ("b", 2)):
        shutil.copytree(run / f"game-{seed}", run / "all" / arm / f"game-{seed}")
    shutil.copytree(run / "all" / "a" / "game-1", run / "all" / "b" / "game-1")
    chosen = quack(run / "all", "--bayesian", "--no-reference", "--json", "--game", "game-2")
    assert json.loads(chosen.stdout)["games"] == 1
    refused = quack(run / "all", "--bayesian", "--game", "game-1")
    told = "--game game-1: 2 games end so; choose one of a/game-1, b/game-1\n"
    assert refused.exit_code == 2 and refused.stderr.endswith(told)


def test_rows_are_listed_by_game_without_columns_that_are_empty(run: Path) -> None:
    lines = quack(run, "--rows").stdout.splitlines()
    assert lines[0].strip() == "game-1" and "about" not in lines[2] and max(map(len, lines)) <= 80


def test_a_damaged_recording_is_named_and_left_out(run: Path) -> None:
    file = run / "game-1" / "trajectory.jsonl"
    file.write_text(file.read_text("utf-8").replace('"role":"duck"', '"role":"dukc"'), encoding="utf-8")
    result = quack(run, "--json", "--no-reference")
    assert json.loads(result.stdout)["games"] == 1
    assert f"left out: {file}, line 1: header field seats." in result.stderr
    everything = json.loads(CliRunner().invoke(app, ["eval", str(run), "--json"]).stdout)
    assert (everything["games"], everything["damaged"]) == (1, 1)


def test_it_lists_the_beliefs_that_match(run: Path) -> None:
    rows = json.loads(quack(run, "--rows", "--json").stdout)["beliefs"]
    assert len(rows) == len(list(BeliefStore(run / FILE).read()))
    some = json.loads(quack(run, "--rows", "--game", "game-1", "--observer", "player_2", "--json").stdout)["beliefs"]
    assert some == [row for row in rows if (row["game_id"], row["observer"]) == ("game-1", "player_2")]
    names = GameRecord.load(run / "game-1").names
    by_name = ("--game", "game-1", "--observer", names[2], "--target", names[0])
    chosen = json.loads(quack(run, "--rows", *by_name, "--json").stdout)["beliefs"]
    assert chosen == [row for row in some if row["target"] == "player_0"] != []
    assert json.loads(quack(run, "--rows", "--trigger", "every", "--json").stdout)["beliefs"] == rows
    assert quack(run, "--rows").stdout.count("player_") > 50


def test_filters_that_choose_nothing_together_are_named(run: Path) -> None:
    result = quack(run, "--observer", "player_0", "--target", "player_0")
    told = f"error {run}: no belief in it is all of --observer player_0 --target player_0"
    assert (result.exit_code, result.stderr.strip()) == (2, told)


def test_a_probed_game_keeps_its_beliefs_under_another_name(run: Path) -> None:
    rows = [row for row in BeliefStore(run / FILE).read() if row.game_id == "game-1"]
    (run / "game-1").rename(run / "mine")
    BeliefStore(run / "mine" / FILE).add(rows)
    for path in (run / "mine", run / "mine" / "trajectory.jsonl"):
        assert len(json.loads(quack(path, "--rows", "--json").stdout)["beliefs"]) == len(rows)
    record = GameRecord.load(run / "mine")
    data = belief_data(record, None)
    assert data is not None
    assert len(data["rows"]) == len(rows)


def test_the_observer_is_asked_of_a_game_that_is_named_by_its_file(run: Path) -> None:
    of_file, of_folder = (
        quack(path, "--bayesian", "--json") for path in (run / "game-1" / "trajectory.jsonl", run / "game-1")
    )
    assert json.loads(of_file.stdout) == json.loads(of_folder.stdout)


def test_games_that_cannot_be_read_are_no_games_without_beliefs(run: Path) -> None:
    for game in ("game-1", "game-2"):
        (run / game / "trajectory.jsonl").write_bytes(b"\xff\n")
    result = quack(run, "--bayesian")
    assert result.exit_code == 2
    assert (
        f"error {run}: no game can be read; the first: {run / 'game-1' / 'trajectory.jsonl'}, line 1" in result.stderr
    )


NAMES = ("Alice", "Bob", "Charlie", "Diana", "Eve", "Frank")
AGENTS = ", ".join([*(f"player_{seat}" for seat in range(6)), *NAMES])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--observer", "Zoe"], f"--observer Zoe: no belief is like that; there are {AGENTS}"),
        (
            ["--target", "player_9"],
            f"--target player_9: no belief is like that (did you mean 'player_5'?); there are {AGENTS}",
        ),
        (["--trigger", "votes"], "--trigger votes: no belief is like that; there are after_vote, every"),
        (["--order", "2"], "--order 2: no belief is like that; there are 1"),
        (["--game", "seed-0"], "--game seed-0: no belief is like that; there are game-1, game-2"),
        (["--game", "seed-0", "--bayesian"], "--game seed-0: no belief is like that; there are game-1, game-2"),
    ],
)
def test_a_filter_that_chooses_nothing_says_what_there_is(run: Path, arguments: list[str], told: str) -> None:
    result = quack(run, *arguments)
    assert result.exit_code == 2
    assert result.stderr.strip() == f"error {told}"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_it_exports_what_matches(run: Path, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"chosen.{ending}"
    assert quack(run, "--target", "player_0", "--export", file, "--no-reference").exit_code == 0
    expected = [row for row in BeliefStore(run / FILE).read() if row.target == "player_0"]
    assert read(file) == [(row.game_id, row.event_index, row.observer, row.p_duck) for row in expected]


def read(file: Path) -> list[tuple[Any, ...]]:
    columns = ("game_id", "event_index", "observer", "p_duck")
    if file.suffix == ".csv":
        with open(file, encoding="utf-8", newline="") as stream:
            return [
                (r["game_id"], int(r["event_index"]), r["observer"], float(r["p_duck"])) for r in csv.DictReader(stream)
            ]
    import pandas

    frame = pandas.read_parquet(file)
    return list(frame[list(columns)].itertuples(index=False, name=None))


def test_it_draws(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    result = quack(run, "--game", "game-1", "--pictures", folder, "--no-reference")
    assert result.exit_code == 0
    written = ["calibration.html", "game-1.html", "index.html", "plotly.min.js"]
    assert sorted(file.name for file in folder.iterdir()) == written
    assert f"2 pages of pictures; all are in {folder / 'index.html'}" in result.stderr


def test_it_asks_the_bayesian_observer_where_nobody_was_probed(run: Path) -> None:
    (run / FILE).unlink()
    found = json.loads(quack(run, "--bayesian", "--json").stdout)
    assert [group["name"] for group in found["groups"]] == ["all", "goose", "duck", "bayesian", "bayesian"]
    assert found["groups"][1]["measures"]["rationality_gap"]["pooled"] == 0


def test_tables_go_to_a_folder(run: Path, tmp_path: Path) -> None:
    assert quack(run, "--out", tmp_path / "tables", "--no-reference").exit_code == 0
    written = sorted(file.name for file in (tmp_path / "tables").iterdir())
    assert written == ["beliefs.csv", "beliefs.json", "beliefs.md", "beliefs.tex"]


def test_tables_go_to_no_file(run: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    result = quack(run, "--out", tmp_path / "taken", "--no-reference")
    assert (result.exit_code, result.stderr.strip()) == (2, f"error {tmp_path / 'taken'}: must be a folder")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: no such file or folder"),
        (["."], "holds no beliefs"),
        (["."], "quack play --probe asks players, and quack beliefs --bayesian needs nobody asked"),
        ([".", "--convention", "other"], "--convention other: must be paper or published"),
        ([".", "--convention", "published"], "is for recordings of MafiaScope"),
        ([".", "--png"], "--png: needs --pictures"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = quack(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr and "\n" not in result.stderr.strip()


def test_beliefs_without_their_recording_are_an_error(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / FILE)
    store.add([stated()])
    store.close()
    assert "there are beliefs about game-7, and no recording of it" in quack(tmp_path).stderr


def stated() -> Belief:
    return Belief(
        "game-7",
        1,
        None,
        "voting",
        "x",
        9,
        "player_0",
        "player_1",
        1,
        None,
        0.5,
        0.5,
        True,
        False,
        None,
        None,
        None,
        None,
    )
