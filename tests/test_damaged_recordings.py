"""A recording made by hand, and everything that may not be in one: each refused with file, line and what is allowed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quack_env import GameRecord, TrajectoryError

Line = dict[str, Any]
GONE = object()
"""In place of a value: the field is left out."""

HEADER: Line = {
    "schema_version": 1,
    "made_by": "hand",
    "config": {"n_players": 4, "n_tasks": 1, "task_ticks": 2, "max_ticks": 20},
    "map": {
        "name": "three",
        "rooms": {"bridge": [0, 0], "galley": [1, 0], "engine": [2, 0]},
        "corridors": [["bridge", "galley", 1], ["galley", "engine", 1]],
        "tasks": {"galley": "Cook", "engine": "Oil"},
        "button": "bridge",
    },
    "speech": "text",
    "seed": 0,
    "seats": [
        {"agent": "player_0", "name": "Ann", "role": "goose", "spawn": "bridge", "tasks": ["engine"]},
        {"agent": "player_1", "name": "Ben", "role": "duck", "spawn": "galley", "tasks": ["engine"]},
        {"agent": "player_2", "name": "Cid", "role": "goose", "spawn": "engine", "tasks": ["engine"]},
        {"agent": "player_3", "name": "Dee", "role": "goose", "spawn": "galley", "tasks": ["galley"]},
    ],
}


def event(tick: int, kind: str, seen_by: list[int], **fields: Any) -> Line:
    return {"tick": tick, "kind": kind, **fields, "seen_by": seen_by}


LINES: list[Line] = [  # the number of the line before each event
    HEADER,
    event(0, "leg_start", [0, 1, 2, 3], data={"leg": 0}),  # 2
    event(1, "depart", [0], actor=0, room="bridge", to="galley"),  # 3
    event(1, "task_step", [3], actor=3, room="galley", data={"progress": 1}),  # 4
    event(1, "chat", [1, 3], actor=1, room="galley", text="Hello"),  # 5
    {"tick": 1, "hash": "00"},  # 6
    event(2, "arrive", [0, 1, 3], actor=0, room="bridge", to="galley"),  # 7
    event(2, "task_step", [3], actor=3, room="galley", data={"progress": 2}),  # 8
    event(2, "task_done", [3], actor=3, room="galley"),  # 9
    event(2, "kill", [1], actor=1, target=3, room="galley"),  # 10
    event(2, "body_appeared", [0, 1], target=3, room="galley"),  # 11
    event(2, "depart", [2], actor=2, room="engine", to="galley"),  # 12
    event(2, "meeting_called", [0, 1, 2], actor=0, data={"reason": "body"}),  # 13
    event(2, "transit_cancelled", [2], actor=2, room="engine", to="galley"),  # 14
    event(2, "body_reported", [0, 1], actor=0, target=3, room="galley"),  # 15
    event(2, "statement", [0, 1, 2], actor=0, text="Dee is dead."),  # 16
    event(2, "statement", [0, 1, 2], actor=1, target=2, room="galley", data={"says": "saw"}),  # 17
    event(2, "vote", [0], actor=0, target=1),  # 18
    event(2, "vote", [1], actor=1),  # 19
    event(2, "vote", [2], actor=2, target=None),  # 20
    event(2, "no_ejection", [0, 1, 2], data={"reason": "skip"}),  # 21
    event(2, "leg_start", [0, 1, 2], data={"leg": 1}),  # 22
    event(2, "respawn", [0], actor=0, room="bridge"),  # 23
    event(2, "respawn", [1, 2], actor=1, room="engine"),  # 24
    event(2, "respawn", [1, 2], actor=2, room="engine"),  # 25
    event(3, "fallback", [], actor=2, data={"reason": "no reply"}),  # 26
    event(3, "lapsed", [2], actor=2, room="engine", data={"action": "kill(Ann)"}),  # 27
    event(3, "wait", [1, 2], actor=2, room="engine"),  # 28
    event(20, "game_over", [0, 1, 2], data={"winner": "geese", "reason": "timeout"}),  # 29
]


def numbered(lines: list[Line]) -> list[Line]:
    """The lines with the index of every event that has none."""
    lines = copy.deepcopy(lines)
    events = [line for line in lines if "kind" in line]
    for index, line in enumerate(events):
        line.setdefault("index", index)
    return lines


def write(folder: Path, lines: list[Any]) -> Path:
    (folder / "trajectory.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (folder / "status.json").write_text('{"status": "finished"}', encoding="utf-8")
    return folder / "trajectory.jsonl"


def refusal(file: Path) -> str:
    """What loading says of the recording, after the file's name."""
    with pytest.raises(TrajectoryError) as caught:
        GameRecord.load(file)
    told = str(caught.value)
    assert "\n" not in told
    assert told.startswith(f"{file}, ")
    return told.removeprefix(f"{file}, ")


def test_the_recording_made_by_hand_is_read(tmp_path: Path) -> None:
    trajectory = GameRecord.load(write(tmp_path, numbered(LINES)))
    assert len(trajectory.events) == 27
    assert trajectory.outcome is not None and trajectory.outcome.winner == "geese"
    assert trajectory.events[17].target is None  # the skip that is written as null


def test_an_event_and_a_hash_are_found_by_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "trajectory.jsonl"
    lines = numbered(LINES)
    text = [json.dumps(line) for line in lines]
    write(tmp_path, [])
    file.write_text("\n".join([*text[:3], "", *text[3:]]) + "\n", encoding="utf-8")
    trajectory = GameRecord.load(file)
    assert trajectory.place() == f"{file}, line 1"
    assert trajectory.place(1) == f"{file}, line 3"
    assert trajectory.place(3) == f"{file}, line 6"  # an empty line lies between
    assert trajectory.place_of_seal(0) == f"{file}, line 7"
    assert trajectory.place(4) == f"{file}, line 8"


COMMON = "tick, index, kind, seen_by"

EVENTS: dict[str, tuple[int, Line, str]] = {
    "an unknown kind": (7, {"kind": "arived"}, "kind 'arived' is unknown (did you mean 'arrive'?)"),
    "no kind": (7, {"kind": None}, f"no kind; an event has {COMMON} and what its kind needs"),
    "no actor": (7, {"actor": GONE}, f"arrive without actor; it needs {COMMON}, actor, room, to"),
    "a null for an actor": (7, {"actor": None}, f"arrive without actor; it needs {COMMON}, actor, room, to"),
    "no tick": (7, {"tick": GONE}, f"arrive without tick; it needs {COMMON}, actor, room, to"),
    "no witnesses": (7, {"seen_by": GONE}, f"arrive without seen_by; it needs {COMMON}, actor, room, to"),
    "no text": (16, {"text": GONE}, "statement (speech) without text; it needs text"),
    "no room in a claim": (17, {"room": GONE}, "statement (saw) without room; it needs target, room"),
    "an unknown field": (
        7,
        {"colour": 3},
        f"arrive with 'colour'; it needs {COMMON}, actor, room, to, and no other field",
    ),
    "a field of other kinds": (
        18,
        {"room": "galley"},
        f"vote with 'room'; it needs {COMMON}, actor and may have target, and no other field",
    ),
    "an actor that is no seat": (7, {"actor": 9}, "actor 9: must be a seat, a whole number from 0 to 3"),
    "a name for an actor": (7, {"actor": "Ann"}, "actor 'Ann': must be a seat, a whole number from 0 to 3"),
    "a fraction for an actor": (7, {"actor": 0.0}, "actor 0.0: must be a seat, a whole number from 0 to 3"),
    "a vote for a name": (18, {"target": "Ben"}, "target 'Ben': must be a seat, a whole number from 0 to 3"),
    "a vote for no seat": (18, {"target": -1}, "target -1: must be a seat, a whole number from 0 to 3"),
    "a witness that is no seat": (7, {"seen_by": [0, 7]}, "seen_by 7: must be a seat, a whole number from 0 to 3"),
    "a truth value for a witness": (
        7,
        {"seen_by": [True]},
        "seen_by True: must be a seat, a whole number from 0 to 3",
    ),
    "a witness twice": (7, {"seen_by": [0, 1, 0]}, "seen_by [0, 1, 0]: names a seat twice"),
    "no list of witnesses": (7, {"seen_by": 0}, "seen_by 0: must be a list of seats"),
    "an unknown room": (3, {"room": "bridg"}, "room 'bridg' is unknown (did you mean 'bridge'?)"),
    "an unknown destination": (3, {"to": 4}, "to 4 is unknown (must be one of bridge, galley, engine)"),
    "no text but a number": (5, {"text": 7}, "text 7: must be text"),
    "a wrong number": (7, {"index": 50}, "event 50 where 4 is due"),
    "a tick before the last": (
        10,
        {"tick": 1},
        "tick 1: must be a whole number from 2 (that of the line before) to 20 (config.max_ticks)",
    ),
    "a tick beyond the budget": (
        29,
        {"tick": 21},
        "tick 21: must be a whole number from 3 (that of the line before) to 20 (config.max_ticks)",
    ),
    "a hash of an earlier tick": (
        6,
        {"tick": 0},
        "tick 0: must be a whole number from 1 (that of the line before) to 20 (config.max_ticks)",
    ),
    "a hash that is a number": (6, {"hash": 0}, "hash 0: must be text"),
    "a hash with more": (6, {"index": 4}, "a state hash has the fields tick and hash, not tick, hash, index"),
    "no such reason for a call": (
        13,
        {"data": {"reason": "bodi"}},
        "meeting_called: reason 'bodi' is unknown (did you mean 'body'?)",
    ),
    "no such claim": (17, {"data": {"says": "sow"}}, "statement: says 'sow' is unknown (did you mean 'saw'?)"),
    "no such reason for nobody": (
        21,
        {"data": {"reason": "bored"}},
        "no_ejection: reason 'bored' is unknown (must be one of tie, skip)",
    ),
    "a misspelt key": (
        13,
        {"data": {"raeson": "body"}},
        "meeting_called: data must be an object with reason, not {'raeson': 'body'}",
    ),
    "data that is text": (4, {"data": "1"}, "task_step: data must be an object with progress, not '1'"),
    "progress that is text": (4, {"data": {"progress": "1"}}, "task_step: progress must be a whole number, not '1'"),
    "more progress than a task takes": (
        8,
        {"data": {"progress": 3}},
        "progress 3: must be from 1 to 2 (config.task_ticks)",
    ),
    "a reason that is a number": (26, {"data": {"reason": 5}}, "fallback: reason must be text, not 5"),
    "an unknown winner": (
        29,
        {"data": {"winner": "goose", "reason": "timeout"}},
        "game_over: winner 'goose' is unknown (did you mean 'geese'?)",
    ),
    "a winner that the reason excludes": (
        29,
        {"data": {"winner": "ducks", "reason": "timeout"}},
        "game_over: with the reason 'timeout' the winner is 'geese'",
    ),
    "a way without a corridor": (
        3,
        {"to": "engine"},
        "depart: no corridor joins bridge and engine; those from bridge lead to galley",
    ),
    "a way from elsewhere": (3, {"room": "galley", "to": "bridge"}, "depart in galley, but Ann is in bridge"),
    "another arrival": (
        7,
        {"room": "engine"},
        "arrive on the way from engine to galley, but Ann is on the way from bridge to galley",
    ),
    "work elsewhere": (4, {"room": "engine"}, "task_step in engine, but Dee is in galley"),
    "words from a way": (5, {"actor": 0}, "chat in galley, but Ann is on the way from bridge to galley"),
    "an act of the dead": (12, {"actor": 3}, "actor 3: Dee is out of the game since tick 2"),
    "a vote for the dead": (18, {"target": 3}, "target 3: Dee is out of the game since tick 2"),
    "a second vote": (20, {"actor": 0}, "vote: Ann has voted in this meeting"),
    "a kill by a Goose": (10, {"actor": 0, "target": 3}, "kill: a Duck kills a Goose, but Ann is no duck"),
    "a kill of a Duck": (10, {"target": 1}, "kill: a Duck kills a Goose, but Ben is no goose"),
    "a kill from afar": (10, {"target": 2}, "kill in galley, but Cid is in engine"),
    "the body of the living": (
        11,
        {"target": 0},
        "body_appeared: no body of Ann in galley: nobody killed it in this leg",
    ),
    "a body elsewhere": (15, {"room": "bridge"}, "body_reported: no body of Dee in bridge: it is in galley"),
    "another leg": (22, {"data": {"leg": 2}}, "leg_start: leg 2 where leg 1 is due"),
    "a second respawn": (24, {"actor": 0}, "respawn: Ann is in bridge already"),
}


@pytest.mark.parametrize("name", EVENTS)
def test_a_damaged_event_is_refused(name: str, tmp_path: Path) -> None:
    number, fields, expected = EVENTS[name]
    lines = numbered(LINES)
    changed = lines[number - 1] | fields
    lines[number - 1] = {field: value for field, value in changed.items() if value is not GONE}
    assert refusal(write(tmp_path, lines)) == f"line {number}: {expected}"


ORDERS: dict[str, tuple[Callable[[list[Line]], None], str]] = {
    "no leg_start": (
        lambda lines: lines.__delitem__(1),
        "line 2: depart at the beginning; it belongs in free roam",
    ),
    "a vote in free roam": (
        lambda lines: lines.insert(4, event(1, "vote", [0], actor=1)),
        "line 5: vote in free roam; it belongs in a meeting",
    ),
    "work in a meeting": (
        lambda lines: lines.insert(15, event(2, "wait", [1], actor=1, room="galley")),
        "line 16: wait in a meeting; it belongs in free roam",
    ),
    "a leg without a result": (
        lambda lines: lines.__delitem__(20),
        "line 21: leg_start in a meeting; it belongs at the beginning or after the result of a vote",
    ),
    "an act before all are placed": (
        lambda lines: lines.__delitem__(24),
        "line 26: lapsed before all the living are placed again (Cid); it belongs in free roam",
    ),
    "an event after the end": (
        lambda lines: lines.append(event(20, "wait", [2], actor=2, room="engine")),
        "line 30: wait after game_over; it belongs in free roam",
    ),
}


@pytest.mark.parametrize("name", ORDERS)
def test_an_event_where_it_cannot_be_is_refused(name: str, tmp_path: Path) -> None:
    change, expected = ORDERS[name]
    lines = list(LINES)
    change(lines)
    assert refusal(write(tmp_path, numbered(lines))) == expected


def test_the_ejected_are_out_of_the_game(tmp_path: Path) -> None:
    lines = [line for line in LINES if line.get("kind") != "no_ejection"]
    ejection = event(2, "ejected", [0, 2], target=1, data={"role": "duck"})
    lines.insert(20, ejection)
    assert refusal(write(tmp_path, numbered(lines))) == "line 24: actor 1: Ben is out of the game since tick 2"


HEADERS: dict[str, tuple[Callable[[Line], Any], str]] = {
    "no version": (
        lambda header: header.pop("schema_version"),
        "no header of a recorded game (schema_version is missing; it must be 1)",
    ),
    "a version in words": (
        lambda header: header.update(schema_version="one"),
        "no header of a recorded game (schema_version is 'one'; it must be 1)",
    ),
    "a missing field": (lambda header: header.pop("seed"), "header field seed: missing"),
    "an unknown field": (
        lambda header: header.update(sede=1),
        "header field sede: unknown field; allowed: schema_version, made_by, config, map, speech, seed, forks, form, "
        "setting, seats, given",
    ),
    "an unknown field of a seat": (
        lambda header: header["seats"][1].update(colour=1),
        "header field seats.1.colour: unknown field; allowed: agent, name, role, policy, spawn, tasks",
    ),
    "an unknown way to speak": (
        lambda header: header.update(speech="song"),
        "header field speech: must be 'off', 'tokens' or 'text', not 'song'",
    ),
    "an unknown form": (
        lambda header: header.update(form="turn"),
        "header field form: 'turn' is unknown (must be one of aec, parallel)",
    ),
    "a negative seed": (
        lambda header: header.update(seed=-1),
        "header field seed: must be a whole number from 0, not -1",
    ),
    "a negative fork": (
        lambda header: header.update(forks=[[1, -1]]),
        "header field forks: must be pairs of whole numbers from 0, not [(1, -1)]",
    ),
    "a setting out of bounds": (
        lambda header: header["config"].update(task_ticks=0),
        "header field config: task_ticks=0: must be a whole number from 1 to 100",
    ),
    "more tasks than rooms": (
        lambda header: header["config"].update(n_tasks=3),
        "header field config: n_tasks=3: must be from 0 to 2, the task rooms of three",
    ),
    "a map with an unknown room": (
        lambda header: header["map"].update(button="attic"),
        "header field map: button: room 'attic' is unknown (must be one of bridge, galley, engine)",
    ),
    "the name of a map": (
        lambda header: header.update(map="small"),
        "header field map: must be the map itself, an object with rooms, corridors, tasks, button, not 'small'",
    ),
    "more players than seats": (
        lambda header: header["config"].update(n_players=5),
        "header field seats: 4 listed, but config.n_players is 5",
    ),
    "an unknown role": (
        lambda header: header["seats"][1].update(role="dukc"),
        "header field seats.1.role: 'dukc' is unknown (did you mean 'duck'?)",
    ),
    "no Duck": (
        lambda header: header["seats"][1].update(role="goose"),
        "header field seats: 0 have the role duck, but config.n_ducks is 1",
    ),
    "an unknown spawn": (
        lambda header: header["seats"][2].update(spawn="engin"),
        "header field seats.2.spawn: 'engin' is unknown (did you mean 'engine'?)",
    ),
    "a task where there is none": (
        lambda header: header["seats"][2].update(tasks=["bridge"]),
        "header field seats.2.tasks: 'bridge' is unknown (must be one of galley, engine)",
    ),
    "a task too many": (
        lambda header: header["seats"][2].update(tasks=["galley", "engine"]),
        "header field seats.2.tasks: must be 1 different rooms (config.n_tasks), not ['galley', 'engine']",
    ),
    "a name twice": (
        lambda header: header["seats"][2].update(name="Ann"),
        "header field seats: the name 'Ann' is given twice",
    ),
    "an agent without a name": (
        lambda header: header["seats"][2].update(agent=""),
        "header field seats: the agent '' is empty",
    ),
    "an unknown draw": (
        lambda header: header.update(given={"turn_ordre": {}}),
        "header field given: 'turn_ordre' is unknown (did you mean 'turn_order'?)",
    ),
    "draws in a list": (
        lambda header: header.update(given={"places": [[0, 1, 2, 1]]}),
        "header field given.places: must be an object of lists by number, not [[0, 1, 2, 1]]",
    ),
    "a draw by name": (
        lambda header: header.update(given={"places": {"first": [0, 1, 2, 1]}}),
        "header field given.places.first: must be by number, as in places.0",
    ),
    "a place for some": (
        lambda header: header.update(given={"places": {"0": [0, 1]}}),
        "header field given.places.0: must be a room for each of the 4 seats, not [0, 1]",
    ),
    "a place by name": (
        lambda header: header.update(given={"places": {"0": ["bridge"]}}),
        "header field given.places.0: must be a list of rooms from 0 to 2, not ['bridge']",
    ),
    "an order with no such seat": (
        lambda header: header.update(given={"turn_order": {"1": [0, 4]}}),
        "header field given.turn_order.1: must be a list of seats from 0 to 3, not [0, 4]",
    ),
    "an order with a seat twice": (
        lambda header: header.update(given={"speaking_order": {"0": [0, 1, 0]}}),
        "header field given.speaking_order.0: must have no seat twice, not [0, 1, 0]",
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_damaged_header_is_refused(name: str, tmp_path: Path) -> None:
    change, expected = HEADERS[name]
    lines = numbered(LINES)
    change(lines[0])
    assert refusal(write(tmp_path, lines)) == f"line 1: {expected}"


def test_a_misspelt_setting_is_refused_with_the_one_that_was_meant(tmp_path: Path) -> None:
    lines = numbered(LINES)
    lines[0]["config"]["n_task"] = lines[0]["config"].pop("n_tasks")
    told = refusal(write(tmp_path, lines))
    assert told.startswith("line 1: header field config: unknown field 'n_task' (did you mean 'n_tasks'?); allowed: ")


@pytest.mark.parametrize("line", ["[" * 100_000, '{"tick": 1}, {"tick": 1}'], ids=["nested too deep", "two objects"])
def test_a_line_that_is_no_object_is_refused(line: str, tmp_path: Path) -> None:
    file = write(tmp_path, numbered(LINES))
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([*lines[:4], line, *lines[5:]]) + "\n", encoding="utf-8")
    assert refusal(file).startswith("line 5: damaged, not JSON")


def test_a_byte_that_is_no_utf_8_is_named_with_its_place(tmp_path: Path) -> None:
    file = write(tmp_path, numbered(LINES))
    lines = file.read_bytes().splitlines()
    lines[4] = lines[4][:9] + b"\xfe" + lines[4][9:]
    file.write_bytes(b"\n".join(lines) + b"\n")
    assert refusal(file) == "line 5: damaged, not UTF-8 text (byte 10 is 0xfe)"
