"""`RecordTrajectory`: what is on disk, when, and what becomes of it when things go wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.play import FORMS, HOUSE, SPEECH, any_legal, arrange, digest, house, play_game, run, walk

import quack_env
from quack_env import GameRecord, RecordTrajectory, TrajectoryError
from quack_env.replay import check

EVERY_FORM = list(FORMS)
Record = Callable[..., Path]


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "trajectory.jsonl").read_text(encoding="utf-8").splitlines()]


def status_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "status.json").read_text(encoding="utf-8"))
    return found


# ---------------------------------------------------------------------------------------------------------------------
# What is recorded


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_recording_is_a_header_events_with_consecutive_numbers_and_hashes(form: str, record: Record) -> None:
    folder = record(form)
    header, *rest = lines_of(folder)
    assert header["schema_version"] == 1
    assert header["seed"] == 0
    assert header["speech"] == "tokens"
    assert header["form"] == ("parallel" if form == "parallel_env" else "aec")
    assert [seat["agent"] for seat in header["seats"]] == [f"player_{i}" for i in range(6)]
    assert [seat["role"] for seat in header["seats"]].count("duck") == 2
    assert header["seats"][0]["policy"] == "random"
    assert header["seats"][1]["policy"] is None
    assert all(len(seat["tasks"]) == 5 for seat in header["seats"])
    assert header["map"]["name"] == "small"
    events = [line for line in rest if "hash" not in line]
    assert [event["index"] for event in events] == list(range(len(events)))
    assert events[0]["kind"] == "leg_start"
    assert events[-1]["kind"] == "game_over"
    assert all(set(seat) == {"tick", "hash"} for seat in rest if "hash" in seat)
    assert status_of(folder) == {"status": "finished"}


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_state_hash_closes_every_tick_and_every_phase(form: str, record: Record) -> None:
    folder = record(form)
    rest = lines_of(folder)[1:]
    hashes = [line["tick"] for line in rest if "hash" in line]
    meetings = sum(line.get("kind") == "meeting_called" for line in rest)
    votes = sum(line.get("kind") in ("ejected", "no_ejection") for line in rest)
    last = max(line["tick"] for line in rest)
    assert set(hashes) == set(range(1, last + 1))
    # A tick with a meeting is closed by the call, and then by the discussion and the vote.
    assert len(hashes) >= last + meetings + votes
    assert "hash" in rest[-1]


def test_the_hash_is_that_of_the_state_at_that_moment(tmp_path: Path) -> None:
    env = RecordTrajectory(house(), tmp_path / "game")
    env.reset(seed=1)
    env.step(0)
    for _ in range(4):
        env.step(0)
    twin = house()
    twin.reset(seed=1)
    twin.game.recording = True
    for _ in range(5):
        twin.step(0)
    ours = [seal[1:] for seal in twin.game.take()[2]]
    assert ours == [(line["tick"], line["hash"]) for line in lines_of(tmp_path / "game")[1:] if "hash" in line]
    assert len(ours) == 1
    env.close()


@pytest.mark.parametrize("form", EVERY_FORM)
def test_everything_is_on_disk_when_a_tick_or_phase_has_ended(form: str, tmp_path: Path) -> None:
    env = RecordTrajectory(FORMS[form](config={"max_ticks": 8}), tmp_path / "game")
    if form == "parallel_env":
        env.reset(seed=1)
        while env.agents:
            env.step(dict.fromkeys(env.agents, 0))
            closed = [line["tick"] for line in lines_of(tmp_path / "game")[1:] if "hash" in line]
            assert closed == list(range(1, env.game.state.tick + (not env.agents)))
        return
    env.reset(seed=1)
    for _ in walk(env, 1, lambda mask, chance, actions: 0):
        closed = [line["tick"] for line in lines_of(tmp_path / "game")[1:] if "hash" in line]
        assert closed == list(range(1, env.game.state.tick))


@pytest.mark.parametrize("form", EVERY_FORM)
def test_recording_does_not_change_the_game(form: str, tmp_path: Path) -> None:
    plain = FORMS[form](observation="vector")
    recorded = RecordTrajectory(FORMS[form](observation="vector"), tmp_path / "game")
    play_game(plain, 4)
    play_game(recorded, 4)
    assert digest(plain) == digest(recorded)


@pytest.mark.parametrize("form", EVERY_FORM)
def test_texts_are_kept_as_they_were_heard(form: str, tmp_path: Path) -> None:
    said = 'Zoe\u0308 says: "ψ \U0001f986\u2028" \\ \n\t\x07 {"kind": "kill"}\r'
    heard = 'Zo\u00eb says: "ψ \U0001f986\u2028" \\ \n\t {"kind": "kill"}'
    env = RecordTrajectory(house(form, speech="text"), tmp_path / "game")
    env.reset(seed=0)
    word = {"action": 0, "say": said}
    env.step(dict.fromkeys(env.agents, word) if form == "parallel_env" else word)
    env.close()
    chats = [event for event in GameRecord.load(tmp_path / "game").events if event.kind == "chat"]
    assert chats
    assert {event.text for event in chats} == {heard}


def test_a_lone_surrogate_in_a_reason_does_not_break_the_recording(tmp_path: Path) -> None:
    env = RecordTrajectory(house(), tmp_path / "game")
    env.reset(seed=0)
    env.recorder.fallback("player_2", "reply was \ud83e and nothing else")
    run(env, 0, any_legal)
    (event,) = [e for e in GameRecord.load(tmp_path / "game").events if e.kind == "fallback"]
    assert event.data == {"reason": "reply was \ud83e and nothing else"}


def test_no_path_of_this_machine_is_recorded(tmp_path: Path) -> None:
    """Map and config from files in a folder with a telling name; neither is in the recording."""
    secret = tmp_path / "secret-home"
    secret.mkdir()
    game_map = secret / "lair.yaml"
    game_map.write_text(quack_env.GameMap.from_dict(HOUSE).to_yaml().replace("name: house\n", ""), encoding="utf-8")
    config = secret / "settings.yaml"
    config.write_text(f"n_tasks: 2\nmap: {game_map}\n", encoding="utf-8")
    env = RecordTrajectory(quack_env.env(config=config), tmp_path / "out" / "game")
    env.reset(seed=0)
    run(env, 0, any_legal)
    for file in (tmp_path / "out").rglob("*"):
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            assert str(tmp_path) not in text
            assert "secret-home" not in text
    trajectory = GameRecord.load(tmp_path / "out" / "game")
    assert trajectory.config.map == "lair"
    assert check(trajectory).ok


@pytest.mark.parametrize("speech", SPEECH)
@pytest.mark.parametrize("form", EVERY_FORM)
def test_an_agent_in_seen_by_was_alive_and_a_private_event_has_its_actor(
    form: str, speech: str, record: Record
) -> None:
    trajectory = GameRecord.load(record(form, speech, seed=3))
    dead: set[int] = set()
    for event in trajectory.events:
        assert not dead & set(event.seen_by)
        if event.kind in ("wait", "task_step", "task_done", "lapsed", "vote"):
            assert event.seen_by == (event.actor,)
        if event.kind in ("kill", "ejected"):
            assert event.target is not None
            dead.add(event.target)
    assert dead


# ---------------------------------------------------------------------------------------------------------------------
# Episodes and folders


@pytest.mark.parametrize("form", EVERY_FORM)
def test_several_episodes_are_numbered_on(form: str, record: Record) -> None:
    folder = record(form, games=3)
    assert sorted(path.name for path in folder.parent.iterdir()) == ["game-000", "game-001", "game-002"]
    loaded = [GameRecord.load(path) for path in sorted(folder.parent.iterdir())]
    assert [trajectory.header.seed for trajectory in loaded] == [0, 1, 2]
    assert [trajectory.status for trajectory in loaded] == ["finished"] * 3
    assert all(check(trajectory).ok for trajectory in loaded)


@pytest.mark.parametrize(
    ("first", "second"),
    [("game-000", "game-001"), ("game-099", "game-100"), ("game-999", "game-1000"), ("7", "8"), ("demo", "demo-001")],
)
def test_the_next_folder_follows_from_the_first(first: str, second: str, tmp_path: Path) -> None:
    env = RecordTrajectory(house(), tmp_path / first)
    env.reset(seed=0)
    env.reset(seed=1)
    env.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([first, second])


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_folder_that_holds_a_recorded_game_is_refused_and_left_as_it_is(form: str, record: Record) -> None:
    folder = record(form)
    before = tree(folder.parent)
    env = RecordTrajectory(FORMS[form](), folder)
    with pytest.raises(TrajectoryError, match="already holds a recorded game"):
        env.reset(seed=9)
    env.close()
    assert tree(folder.parent) == before


def test_a_second_episode_does_not_overwrite_an_older_recording(record: Record) -> None:
    folder = record(games=2)
    os.rename(folder, folder.with_name("old"))
    before = tree(folder.parent)
    env = RecordTrajectory(house(), folder)
    env.reset(seed=0)
    with pytest.raises(TrajectoryError, match="game-001"):
        env.reset(seed=1)
    env.close()
    after = tree(folder.parent)
    assert {name: data for name, data in after.items() if not name.startswith("game-000")} == before


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    env = RecordTrajectory(house(), tmp_path / "file" / "game")
    with pytest.raises(TrajectoryError, match=r"file.*cannot be made"):
        env.reset(seed=0)


def test_an_existing_folder_without_a_game_is_used(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "notes.txt").write_text("mine")
    env = RecordTrajectory(house(), tmp_path / "game")
    env.reset(seed=0)
    env.close()
    assert (tmp_path / "game" / "notes.txt").read_text() == "mine"


def test_only_environments_can_be_recorded(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="AEC or a parallel"):
        RecordTrajectory(object(), tmp_path)


# ---------------------------------------------------------------------------------------------------------------------
# Status


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_game_that_is_closed_early_is_aborted_and_replays_as_far_as_it_goes(form: str, tmp_path: Path) -> None:
    env = RecordTrajectory(FORMS[form](), tmp_path / "game")
    play_game(env, 2, limit=17)
    env.close()
    env.close()
    trajectory = GameRecord.load(tmp_path / "game")
    assert trajectory.status == status_of(tmp_path / "game")["status"] == "aborted"
    assert trajectory.outcome is None
    assert not trajectory.torn
    assert check(trajectory).ok


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_reset_in_mid_game_keeps_what_was_played_as_aborted(form: str, tmp_path: Path) -> None:
    """To the last decision, in mid-tick; nothing of it is in the next game."""
    env = RecordTrajectory(FORMS[form](config={"n_players": 6}), tmp_path / "game-0")
    play_game(env, 2, limit=3)
    env.recorder.fallback("player_1", "late")
    env.reset(seed=5)
    env.close()
    first, second = (GameRecord.load(tmp_path / name) for name in ("game-0", "game-1"))
    assert (first.status, second.status) == ("aborted", "aborted")
    assert first.events[-1].kind == "fallback"
    assert check(first).ok
    assert check(second).ok
    assert second.header.seed == 5
    assert all(event.kind != "fallback" for event in second.events)


def test_a_running_game_is_not_called_finished(tmp_path: Path) -> None:
    env = RecordTrajectory(house(), tmp_path / "game")
    env.reset(seed=0)
    assert status_of(tmp_path / "game") == {"status": "aborted", "reason": "not finished"}
    env.close()


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_failure_from_outside_marks_the_game(form: str, tmp_path: Path) -> None:
    env = RecordTrajectory(FORMS[form](), tmp_path / "game")
    play_game(env, 2, limit=11)
    env.recorder.fail("provider: 503 three times")
    assert status_of(tmp_path / "game") == {"status": "infra_failure", "reason": "provider: 503 three times"}
    env.close()
    trajectory = GameRecord.load(tmp_path / "game")
    assert trajectory.status == "infra_failure"
    assert trajectory.outcome is None
    assert check(trajectory).ok


def test_a_failed_game_does_not_spoil_the_next(tmp_path: Path) -> None:
    env = RecordTrajectory(house(max_ticks=3), tmp_path / "game-0")
    env.reset(seed=0)
    env.recorder.fail("gone")
    env.reset(seed=1)
    run(env, 1)
    assert status_of(tmp_path / "game-0")["status"] == "infra_failure"
    assert status_of(tmp_path / "game-1") == {"status": "finished"}


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_fallback_is_recorded_where_and_when_it_happened(form: str, tmp_path: Path) -> None:
    env = RecordTrajectory(house(form, max_ticks=6), tmp_path / "game")
    env.reset(seed=0)
    game = env.unwrapped.game
    while not game.over:
        last_decision = form == "parallel_env" or game.state.turn == 4
        if game.state.tick == 3 and last_decision:
            env.recorder.fallback("player_2", "no reply")
        env.step(dict.fromkeys(env.agents, 0) if form == "parallel_env" else 0)
    trajectory = GameRecord.load(tmp_path / "game")
    (position,) = [p for p, event in enumerate(trajectory.events) if event.kind == "fallback"]
    event = trajectory.events[position]
    assert (event.actor, event.tick, event.data, event.seen_by) == (2, 3, {"reason": "no reply"}, ())
    assert trajectory.events[position - 1].tick <= 3 <= trajectory.events[position + 1].tick
    assert check(trajectory).ok


# ---------------------------------------------------------------------------------------------------------------------
# Killed

PLAY = """
import sys
from conformance.play import FORMS, play_game
from quack_env import RecordTrajectory

form, folder = sys.argv[1:]
env = RecordTrajectory(FORMS[form](config={"max_ticks": 200_000, "kill_cooldown": 100_000, "n_tasks": 0}), folder)
print("on", flush=True)
play_game(env, 0)
"""


@pytest.mark.parametrize("form", ["env", "parallel_env"])
def test_a_process_killed_in_mid_game_leaves_a_readable_recording(form: str, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parent
    paths = os.pathsep.join([str(root), str(root.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    child = subprocess.Popen(
        [sys.executable, "-c", PLAY, form, str(tmp_path / "game")],
        env=os.environ | {"PYTHONPATH": paths},
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout is not None
        child.stdout.readline()
        file = tmp_path / "game" / "trajectory.jsonl"
        give_up = time.monotonic() + 30
        while time.monotonic() < give_up and not (file.exists() and file.stat().st_size > 60_000):
            time.sleep(0.01)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()  # type: ignore[union-attr]
    trajectory = GameRecord.load(tmp_path / "game")
    assert trajectory.status == "aborted"
    assert trajectory.outcome is None
    assert len(trajectory.events) > 300
    found = check(trajectory)
    assert found.ok, found.mismatches[:2] + found.illegal
    assert found.seals > 30


def test_positions_of_tests_are_not_recorded(tmp_path: Path) -> None:
    """A position set by hand is not what its seed deals, so the check of such a recording says so."""
    env = RecordTrajectory(house(), tmp_path / "game")
    env.reset(seed=0)
    arrange(env.env, ["hall"] * 5, ducks=[1, 2])
    env.step(0)
    env.close()
    assert not check(GameRecord.load(tmp_path / "game")).ok
