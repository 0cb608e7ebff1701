"""`quack scripts`: list, check, run."""

from __future__ import annotations

from pathlib import Path

import pytest

from quack_agents import RandomPolicy
from quack_agents.situations import shipped
from quack_agents.situations.reading import load_situation
from quack_env import GameRecord
from quack_eval.beliefs.social import read_index

from .conftest import BOOM, Run, boom, only_object


def test_list_names_the_shipped_situations_with_their_controls(quack: Run) -> None:
    listed = only_object(quack("scripts", "list", "--json"))["situations"]
    assert {one["name"] for one in listed} == set(shipped()) and len(listed) >= 8
    counter = next(one for one in listed if one["name"] == "counter_accusation")
    assert counter["mirrors"]["order_swapped"] == {"kind": "order", "first": "Alice", "second": "Bob"}
    assert counter["moments"] == ["T0", "T1", "T2", "T3", "T4"]


def test_check_names_the_illegal_step_and_goes_on_with_the_next_file(quack: Run, tmp_path: Path) -> None:
    text = Path(shipped()["loud_duck"]).read_text("utf-8")
    line = next(number for number, words in enumerate(text.splitlines(), 1) if "kill(Diana)" in words)
    (tmp_path / "bad.yaml").write_text(text.replace("kill(Diana)", "kill(Eve)"), "utf-8")
    result = quack("scripts", "check", tmp_path / "bad.yaml", "loud_duck")
    assert result.exit_code == 1
    assert f"line {line}: Bob: kill(Eve) is not legal: cooldown 0, in electrical with Diana" in result.stderr
    assert "loud_duck: valid" in result.stdout
    assert result.stderr.startswith("error ")


def test_check_says_of_a_file_without_text_that_it_has_none(quack: Run, tmp_path: Path) -> None:
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\x00")
    told = quack("scripts", "check", tmp_path / "bytes.yaml").stderr
    assert told == f"error {tmp_path / 'bytes.yaml'}: not UTF-8 text (byte 1 is 0xff)\n"


def test_situations_are_not_played_into_the_folder_of_a_game(quack: Run, tmp_path: Path) -> None:
    (tmp_path / "trajectory.jsonl").write_text("a game")
    result = quack("scripts", "run", "bandwagon", "--out", tmp_path)
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [tmp_path / "trajectory.jsonl"])
    assert "already holds a recorded game" in result.stderr


def test_run_records_every_performance_and_ranks_the_policies(quack: Run, tmp_path: Path) -> None:
    options = ("--policy", "scripted", "--policy", "random", "--out", tmp_path, "--json")
    found = only_object(quack("scripts", "run", "bandwagon", "two_accusers", *options))
    assert found["performances"] == 2 * 2 * 3 and {one["policy"] for one in found["ranking"]} == {"scripted", "random"}
    moments = {(one["situation"], one["moment"]): one["p"] for one in found["moments"] if one["policy"] == "scripted"}
    assert moments["bandwagon", "T0"]["Alice"] == 1 / 5 < moments["bandwagon", "T1"]["Alice"]
    scores = [one["score"] for one in found["ranking"]]
    assert scores == sorted(scores, reverse=True)
    entries = read_index(tmp_path)
    for one in entries:
        played = GameRecord.load(tmp_path / one.game)
        assert played.names == list(load_situation(one.situation).names)
        assert {seat.policy for seat in played.header.seats if seat.agent in one.tested} == {one.policy}


def test_a_policy_can_be_added_to_a_run(quack: Run, tmp_path: Path) -> None:
    command = ("scripts", "run", "bandwagon", "--no-mirrors", "--out", tmp_path, "--json")
    quack(*command, "--policy", "random")
    before = (tmp_path / "random/bandwagon/seed-000/trajectory.jsonl").stat().st_mtime_ns
    found = only_object(quack(*command, "--policy", "random", "--policy", "scripted"))
    assert found["performances"] == 2
    assert (tmp_path / "random/bandwagon/seed-000/trajectory.jsonl").stat().st_mtime_ns == before


def test_what_was_played_by_another_script_or_in_another_way_is_refused(quack: Run, tmp_path: Path) -> None:
    file, text = tmp_path / "mine.yaml", Path(shipped()["bandwagon"]).read_text("utf-8")
    command = ("scripts", "run", file, "--policy", "scripted", "--no-mirrors", "--out", tmp_path / "run")
    file.write_text(text)
    assert [quack(*command).exit_code for _ in range(2)] == [0, 0]
    assert quack(*command, "--goes-on").exit_code == 2
    file.write_text(text.replace("Eve: suspect(Alice)", "Eve: suspect(Bob)"))
    result = quack(*command)
    assert result.exit_code == 2
    assert "holds scripted/mine/seed-000 played by another script, or with another --speech" in result.stderr


def test_a_policy_that_raises_is_told_in_one_line_and_the_others_play_on(
    quack: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RandomPolicy, "__call__", boom)
    command = ("scripts", "run", "bandwagon", "--out", tmp_path, "--json")
    alone = quack(*command, "--policy", "random")
    told = f"failed, not scored: random/bandwagon/seed-000: policy 'random': {BOOM}\n"
    assert (alone.exit_code, alone.stdout, alone.stderr) == (1, "", told)
    both = quack(*command, "--policy", "random", "--policy", "scripted")
    assert (both.exit_code, both.stderr) == (1, told)
    assert [one["policy"] for one in only_object(both)["ranking"]] == ["scripted"]


def test_listed_beliefs_have_the_names_of_their_moments(quack: Run, tmp_path: Path) -> None:
    quack("scripts", "run", "bandwagon", "--no-mirrors", "--out", tmp_path, "--json")
    assert "│ T0 " in quack("beliefs", tmp_path, "--rows").stdout


def test_wrong_usage_says_what_is_allowed(quack: Run, tmp_path: Path) -> None:
    result = quack("scripts", "run", "no_such", "--out", tmp_path)
    assert result.exit_code == 2 and "none that is shipped (bandwagon, counter_accusation" in result.stderr
    result = quack("scripts", "run", "bandwagon", "--policy", "nobody", "--out", tmp_path)
    assert result.exit_code == 2 and "policy='nobody': unknown" in result.stderr
