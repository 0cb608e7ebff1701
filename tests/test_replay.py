"""Replay: a recording replays to the same events and states, and whatever was altered in one is found."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conformance.play import FORMS, SPEECH, house, play_game

import quack_env
from quack_env import GameRecord, TrajectoryError
from quack_env.kinds import KINDS
from quack_env.replay import Replay, check

Record = Callable[..., Path]
Line = dict[str, Any]


def lines_of(folder: Path) -> list[Line]:
    return [json.loads(line) for line in (folder / "trajectory.jsonl").read_text(encoding="utf-8").splitlines()]


def rewrite(folder: Path, lines: list[Line]) -> Path:
    """The recording with these lines instead."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "trajectory.jsonl").write_text(text, encoding="utf-8")
    return folder


def faults(folder: Path) -> list[str]:
    """What is found when the recording is loaded or, if it can be, checked."""
    try:
        found = check(GameRecord.load(folder))
    except TrajectoryError as fault:
        return [str(fault)]
    assert found.ok == (not found.mismatches and not found.illegal)
    return found.mismatches + found.illegal


# ---------------------------------------------------------------------------------------------------------------------
# The same game again


@pytest.mark.parametrize("speech", SPEECH)
@pytest.mark.parametrize("form", list(FORMS))
def test_a_recorded_game_replays_exactly(form: str, speech: str, record: Record) -> None:
    kinds = set()
    for seed in range(5):
        trajectory = GameRecord.load(record(form, speech, seed))
        found = check(trajectory)
        assert found.ok, found.mismatches[:2] + found.illegal
        assert found.events == len(trajectory.events) > 10
        assert found.seals == len(trajectory.seals) > 2
        kinds |= {event.kind for event in trajectory.events}
    expected = set(KINDS) - {"fallback", "transit_cancelled", "ejected", "no_ejection", "body_reported"}
    expected -= {"statement"} if speech == "off" else set()
    expected -= {"chat"} if speech != "text" else set()
    expected -= {"lapsed"} if form != "parallel_env" else set()
    assert kinds >= expected


def test_a_recording_replays_whose_map_no_new_game_in_text_would_take(record: Record) -> None:
    folder = record("env", "text")
    room = GameRecord.load(folder).game_map.rooms[0]
    renamed = (folder / "trajectory.jsonl").read_text(encoding="utf-8").replace(f'"{room}"', '"the"')
    (folder / "trajectory.jsonl").write_text(renamed, encoding="utf-8")
    with pytest.raises(quack_env.ConfigError, match="rooms of small are called by common words: the;"):
        quack_env.env(game_map=GameRecord.load(folder).game_map, speech="text")
    assert check(GameRecord.load(folder)).ok


@pytest.mark.parametrize(
    "config",
    [
        {"witness_kills": True, "reveal_role": True, "reveal_votes": True},
        {"preset": "published"},
        {"drop_dead_tasks": True, "task_ticks": 1, "n_tasks": 2},
        {"n_players": 16, "n_ducks": 5, "discussion_rounds": 1},
        {"n_players": 3, "n_ducks": 1, "n_tasks": 0},
        {"names": ["Zoë", "李", "O b", "Ada", "Bea", "Cy"]},
    ],
    ids=lambda config: "-".join(config),
)
@pytest.mark.parametrize("form", ["env", "parallel_env"])
def test_games_of_other_settings_replay_exactly(form: str, config: dict[str, Any], record: Record) -> None:
    for seed in range(3):
        trajectory = GameRecord.load(record(form, "text", seed, **config))
        assert check(trajectory).ok
        assert trajectory.outcome is not None


def test_a_replay_stops_at_every_decision_on_the_state_of_the_live_game(tmp_path: Path) -> None:
    env = quack_env.RecordTrajectory(house(n_ducks=1), tmp_path / "game")
    play_game(env, 3)
    live = house(n_ducks=1)
    live.reset(seed=3)
    replay = Replay(GameRecord.load(tmp_path / "game"))
    assert replay.game.state.digest() == live.game.state.digest()
    events = replay.position
    for new in replay:
        events += len(new)
        assert replay.position == events
    assert replay.game.over
    assert replay.game.outcome == env.unwrapped.game.outcome
    assert replay.game.state.digest() == env.unwrapped.game.state.digest()


def test_a_recording_that_was_saved_again_replays_exactly(record: Record, tmp_path: Path) -> None:
    trajectory = GameRecord.load(record("env", "text", 1))
    trajectory.save(tmp_path / "copy")
    copy = GameRecord.load(tmp_path / "copy")
    assert (copy.header, copy.events, copy.seals, copy.status) == (
        trajectory.header,
        trajectory.events,
        trajectory.seals,
        "finished",
    )
    assert check(copy).ok


# ---------------------------------------------------------------------------------------------------------------------
# Altered


def first(lines: list[Line], kind: str, last: bool = False) -> int:
    """The line of the first (or last) event of a kind."""
    found = [number for number, line in enumerate(lines) if line.get("kind") == kind]
    assert found, kind
    return found[-1 if last else 0]


def change(kind: str, /, **fields: Any) -> Callable[[list[Line]], None]:
    """Give the first event of a kind other fields."""

    def alter(lines: list[Line]) -> None:
        lines[first(lines, kind)] |= fields

    return alter


ALTERATIONS: dict[str, Callable[[list[Line]], None]] = {
    "another way": change("depart", to="engine"),
    "a room that is not": change("depart", to="narnia"),
    "a way without an end": lambda lines: lines[first(lines, "depart")].pop("to"),
    "another actor": change("wait", actor=5),
    "another tick": change("wait", tick=24),
    "another arrival": change("arrive", room="engine"),
    "another witness": change("depart", seen_by=[0, 1, 2, 3, 4, 5]),
    "another victim": change("kill", target=3),
    "a victim that is not": change("kill", target=99),
    "a kill that was none": change("kill", kind="wait"),
    "a ballot for another": change("vote", target=2),
    "another ejected": change("game_over", data={"winner": "geese", "reason": "parity"}),
    "another caller": change("meeting_called", actor=4),
    "another reason for a meeting": change("meeting_called", data={"reason": "button"}),
    "no reason for a meeting": lambda lines: lines[first(lines, "meeting_called")].pop("data"),
    "another statement": change("statement", data={"says": "nothing"}),
    "no statement of the grammar": change("statement", data={"says": "sings"}),
    "other words for a token": change("statement", text="I was nowhere."),
    "another respawn": change("respawn", room="narnia"),
    "another progress": change("task_step", data={"progress": 2}),
    "no end": lambda lines: lines.__delitem__(slice(first(lines, "game_over"), None)),
    "an end cut away to the last decision": lambda lines: lines.__delitem__(
        slice(first(lines, "wait", last=True) + 1, None)
    ),
}


@cache
def originals(form: str) -> list[list[Line]]:
    """The recordings of some games of a form."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        settings = {"n_players": 6, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 25, "meeting_calls": 3}
        inner = FORMS[form](config=settings, game_map="small", observation="vector")
        env = quack_env.RecordTrajectory(inner, f"{folder}/game-0")
        for game in range(8):
            play_game(env, game)
            found.append(lines_of(Path(folder) / f"game-{game}"))
    return found


@pytest.mark.parametrize("name", list(ALTERATIONS))
@pytest.mark.parametrize("form", ["env", "parallel_env"])
def test_an_altered_event_is_found(form: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "status.json").write_text('{"status": "finished"}')
    altered = 0
    for original in originals(form):
        lines = json.loads(json.dumps(original))
        try:
            ALTERATIONS[name](lines)
        except (AssertionError, KeyError):
            continue  # this game has no such event
        if lines == original:
            continue  # what it says was so already
        assert faults(rewrite(tmp_path, lines))
        altered += 1
    assert altered


@pytest.mark.parametrize("place", ["first", "middle", "last"])
@pytest.mark.parametrize("form", list(FORMS))
def test_an_altered_hash_is_found(form: str, place: str, record: Record) -> None:
    folder = record(form)
    lines = lines_of(folder)
    hashes = [number for number, line in enumerate(lines) if "hash" in line]
    number = {"first": hashes[0], "middle": hashes[len(hashes) // 2], "last": hashes[-1]}[place]
    lines[number]["hash"] = "0" * 16
    (fault,) = faults(rewrite(folder, lines))
    assert f"tick {lines[number]['tick']}" in fault
    assert "hash" in fault


@pytest.mark.parametrize("what", ["one", "the last", "all"])
def test_a_missing_hash_is_found(what: str, record: Record) -> None:
    folder = record()
    lines = lines_of(folder)
    hashes = [number for number, line in enumerate(lines) if "hash" in line]
    gone = {"one": hashes[3:4], "the last": hashes[-1:], "all": hashes}[what]
    assert faults(rewrite(folder, [line for number, line in enumerate(lines) if number not in gone]))


def test_a_hash_too_many_is_found(record: Record) -> None:
    folder = record()
    lines = lines_of(folder)
    assert "hash" in lines[-1]
    assert faults(rewrite(folder, [*lines, lines[-1]]))


def test_an_event_after_the_end_is_found(record: Record) -> None:
    folder = record()
    lines = lines_of(folder)
    count = sum("hash" not in line for line in lines) - 1
    extra = {"tick": 3, "index": count, "kind": "wait", "actor": 0, "room": "galley", "seen_by": [0]}
    assert faults(rewrite(folder, [*lines, extra]))


HEADERS: dict[str, Callable[[Line], Any]] = {
    "another seed": lambda header: header.update(seed=12345),
    "another role": lambda header: [seat.update(role="duck") for seat in header["seats"]],
    "another name": lambda header: header["seats"][2].update(name="Mallory"),
    "another spawn": lambda header: header["seats"][2].update(
        spawn="engine" if header["seats"][2]["spawn"] != "engine" else "bunks"
    ),
    "other tasks": lambda header: header["seats"][0].update(tasks=header["seats"][0]["tasks"][::-1]),
    "a seat too few": lambda header: header["seats"].pop(),
    "a seat too many": lambda header: header["seats"].append(header["seats"][0]),
    "another config": lambda header: header["config"].update(kill_cooldown=3),
    "another map": lambda header: header["map"]["corridors"][0].__setitem__(2, 7),
    "another speech": lambda header: header.update(speech="off"),
}


@pytest.mark.parametrize("name", list(HEADERS))
def test_an_altered_header_is_found(name: str, record: Record) -> None:
    folder = record(seed=2)
    lines = lines_of(folder)
    HEADERS[name](lines[0])
    assert faults(rewrite(folder, lines))


# ---------------------------------------------------------------------------------------------------------------------
# What is said of it


def test_a_decision_that_the_rules_refuse_is_told_with_its_line_and_what_is_legal(record: Record) -> None:
    folder = record(seed=2)
    lines = lines_of(folder)
    number = first(lines, "vote")
    voter = lines[number]["actor"]
    lines[number]["target"] = voter
    name = lines[0]["seats"][voter]["name"]
    fault, *_ = faults(rewrite(folder, lines))
    told = f"vote of {name} at tick {lines[number]['tick']} (target {name}): the rules do not allow it; {name} may do "
    start = f"{folder / 'trajectory.jsonl'}, line {number + 1}: {told}"
    assert fault.startswith(start)
    legal = fault.removeprefix(start).split(", ")
    assert "skip()" in legal and f"vote({name})" not in legal


def test_an_event_that_is_not_made_so_is_told_with_its_line_and_both_values(record: Record) -> None:
    folder = record(seed=2)
    lines = lines_of(folder)
    number = first(lines, "depart")
    seen, lines[number]["seen_by"] = lines[number]["seen_by"], []
    (fault,) = faults(rewrite(folder, lines))
    told = f"depart: seen_by (), by the rules {tuple(seen)}"
    assert fault == f"{folder / 'trajectory.jsonl'}, line {number + 1}: {told}"


def test_a_deal_of_another_seed_is_told_with_file_and_what_to_do(record: Record) -> None:
    folder = record(seed=2)
    lines = lines_of(folder)
    names = [seat["name"] for seat in lines[0]["seats"]]
    lines[0]["seats"][0]["name"], lines[0]["seats"][1]["name"] = names[1], names[0]
    (fault,) = faults(rewrite(folder, lines))
    told = f"header field seats.0.name: {names[1]!r}, but seed 2 deals {names[0]!r}; "
    assert fault.startswith(f"{folder / 'trajectory.jsonl'}, line 1: {told}")
    assert "given" in fault


# ---------------------------------------------------------------------------------------------------------------------
# Broken off


@pytest.mark.parametrize("speech", SPEECH)
@pytest.mark.parametrize("form", ["env", "parallel_env"])
def test_a_recording_broken_off_after_any_line_replays_as_far_as_it_goes(
    form: str, speech: str, record: Record
) -> None:
    """A machine may die between any two lines, in the middle of a vote and between words and their action too."""
    folder = record(form, speech, 1, max_ticks=6)
    lines = lines_of(folder)
    assert {"vote", "chat" if speech == "text" else "vote"} <= {line.get("kind") for line in lines}
    (folder / "status.json").write_text('{"status": "aborted"}')
    for cut in range(1, len(lines)):
        trajectory = GameRecord.load(rewrite(folder, lines[:cut]))
        found = check(trajectory)
        assert found.ok, (cut, lines[cut - 1], found.mismatches + found.illegal)
        assert found.events == sum("hash" not in line for line in lines[1:cut])


def test_a_recording_of_the_header_alone_replays_to_the_first_decision(record: Record) -> None:
    folder = record()
    (folder / "status.json").unlink()
    trajectory = GameRecord.load(rewrite(folder, lines_of(folder)[:1]))
    assert trajectory.events == []
    assert trajectory.status == "aborted"
    assert check(trajectory).ok


def test_a_recording_broken_off_and_altered_is_found(record: Record) -> None:
    folder = record()
    lines = lines_of(folder)
    (folder / "status.json").write_text('{"status": "aborted"}')
    cut = first(lines, "depart", last=True)
    lines[cut]["seen_by"] = [5]
    assert faults(rewrite(folder, lines[: cut + 1]))
