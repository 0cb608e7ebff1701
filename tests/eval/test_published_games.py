"""The published games are what our rules make of their decisions; a changed line is noticed and named."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quack_env import TrajectoryError
from quack_env.replay import check
from quack_eval import Trajectory, check_games
from quack_eval.importers.published import import_game

Line = dict[str, Any]


def lines_of(path: Path) -> list[Line]:
    """The recorded lines of a published game."""
    return [json.loads(line) for line in (path / "game.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_game_agrees_with_the_rules(published: Path, published_games: list[Path]) -> None:
    counts = check_games([published])
    assert counts.messages == []
    assert (counts.games, counts.mismatches, counts.illegal, counts.damaged) == (len(published_games), 0, 0, 0)
    assert counts.posthumous == len(counts.posthumous_events) > 0
    print({key: value for key, value in counts.to_dict().items() if not isinstance(value, list)})


def test_nothing_recorded_is_lost(published_games: list[Path]) -> None:
    """Per game: as many events of each kind (posthumous ones included) as lines, and the texts are the same."""
    kinds = {
        "player_moved": "depart",
        "task_progress": "task_step",
        "task_completed": "task_done",
        "player_killed": "kill",
        "free_roam_chat": "chat",
        "discussion_message": "statement",
        "vote_cast": "vote",
        "player_ejected": "ejected",
        "vote_skipped": "no_ejection",
        "game_over": "game_over",
    }
    for path in published_games:
        trajectory = Trajectory.load(path)
        lines = lines_of(path)
        recorded = Counter(kinds[line["event_type"]] for line in lines if line["event_type"] in kinds)
        events = [*trajectory.events, *trajectory.posthumous]
        assert Counter(event.kind for event in events if event.kind in kinds.values()) == recorded, path
        said = Counter(line["data"]["message"] for line in lines if "message" in line["data"])
        assert Counter(event.text for event in events if event.kind in ("chat", "statement")) == said, path


def test_posthumous_events_stand_apart(published_games: list[Path]) -> None:
    """They are the victim's, in the tick of its death, after it; nobody perceives them; the rules' stream has none."""
    for path in published_games:
        trajectory = Trajectory.load(path)
        deaths = {event.target: event for event in trajectory.events if event.kind == "kill"}
        for event in trajectory.posthumous:
            kill = deaths[event.actor]
            assert event.tick == kill.tick and event.index > kill.index
            assert event.seen_by == () and event.data is not None and event.data["posthumous"]
        for event in trajectory.events:
            assert event.actor not in deaths or event.index <= deaths[event.actor].index


def test_an_imported_game_is_a_recording_of_ours(published_games: list[Path], tmp_path: Path) -> None:
    """Its own replay agrees, and it can be written and read in our format."""
    for number, path in enumerate(published_games[::15]):
        trajectory = Trajectory.load(path)
        found = check(trajectory)
        assert found.ok and found.events == len(trajectory.events)
        trajectory.save(tmp_path / str(number))
        again = Trajectory.load(tmp_path / str(number))
        assert again.events == trajectory.events
        assert again.outcome == trajectory.outcome and again.names == trajectory.names


# --- games that are not as they should be ----------------------------------------------------------------------------


@pytest.fixture
def tampered(published_games: list[Path], tmp_path: Path) -> Callable[[Callable[[list[Line]], int]], tuple[Path, int]]:
    """A function that copies the first game whose lines a change applies to, with that change."""

    def make(change: Callable[[list[Line]], int]) -> tuple[Path, int]:
        for path in published_games:
            lines = lines_of(path)
            number = change(lines)
            if number:
                copy = tmp_path / path.name
                copy.mkdir()
                shutil.copy(path / "config.yaml", copy)
                text = "".join(json.dumps(line) + "\n" for line in lines)
                (copy / "game.jsonl").write_text(text, encoding="utf-8")
                return copy, number
        raise AssertionError("no game to which the change applies")

    return make


def first(lines: list[Line], kind: str, **data: Any) -> int:
    """The position of the first line of a kind with these data, or -1."""
    for position, line in enumerate(lines):
        if line["event_type"] == kind and all(line["data"].get(key) == value for key, value in data.items()):
            return position
    return -1


def edit(kind: str, **changes: Any) -> Callable[[list[Line]], int]:
    """A change of the first line of a kind; it gives the line's number."""

    def change(lines: list[Line]) -> int:
        position = first(lines, kind)
        if position < 0 or all(lines[position]["data"].get(key) == value for key, value in changes.items()):
            return 0
        lines[position]["data"].update(changes)
        return position + 1

    return change


def drop(kind: str) -> Callable[[list[Line]], int]:
    """Leaving out the first line of a kind."""

    def change(lines: list[Line]) -> int:
        position = first(lines, kind)
        if position >= 0:
            del lines[position]
        return position + 1

    return change


CHANGES = {
    "a move from elsewhere": edit("player_moved", **{"from": "navigation"}),
    "a longer way": edit("player_moved", ticks_remaining=7),
    "a step too far": edit("task_progress", progress="3/3"),
    "another task": edit("task_progress", task_name="Nap"),
    "a completion elsewhere": edit("task_completed", room="cafeteria"),
    "a kill elsewhere": edit("player_killed", room="cafeteria"),
    "a killer that is none": edit("player_killed", killer_id="player_0", target_id="player_1"),
    "chat elsewhere": edit("free_roam_chat", room="navigation"),
    "a body elsewhere": edit("body_reported", bodies=[{"room": "cafeteria", "victim_name": "Alice"}]),
    "no body": edit("body_reported", bodies=[]),
    "another ejected": edit("player_ejected", player_id="player_0", name="Alice", role="Goose", team="goose"),
    "an ejected role": edit("player_ejected", role="Ghost"),
    "another winner": edit("game_over", winner="duck", reason="Ducks have voting majority"),
    "another reason": edit("game_over", reason="All Goose tasks completed"),
    "a missing completion": drop("task_completed"),
    "a missing message": drop("discussion_message"),
    "a missing vote": drop("vote_cast"),
    "a missing kill": drop("player_killed"),
    "a missing report": drop("body_reported"),
    "a missing phase": drop("phase_changed"),
    "a missing respawn": drop("players_respawned"),
    "a missing ejection": drop("player_ejected"),
    "a missing tick": drop("tick_start"),
    "a missing end of tick": drop("tick_end"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_line_is_noticed(change: Callable[[list[Line]], int], tampered: Any) -> None:
    path, _ = tampered(change)
    counts = check_games([path])
    assert not counts.ok
    assert str(path / "game.jsonl") in counts.messages[0] and ", line " in counts.messages[0]
    with pytest.raises(TrajectoryError, match="line"):
        Trajectory.load(path)


def test_the_changed_line_is_named(tampered: Any) -> None:
    path, number = tampered(edit("player_moved", ticks_remaining=7))
    (message,) = import_game(path).mismatches
    assert message.startswith(f"{path / 'game.jsonl'}, line {number}: a way of 7 tick(s), by the rules of ")


def test_a_role_that_there_is_not_is_refused(tampered: Any) -> None:
    def haunt(lines: list[Line]) -> int:
        players = lines[0]["data"]["initial_state"].values()
        next(player for player in players if player["role"].lower() == "goose")["role"] = "Ghost"
        return 1

    path, _ = tampered(haunt)
    with pytest.raises(TrajectoryError, match=r"game\.jsonl, line 1: the role 'ghost' is unknown"):
        Trajectory.load(path)


def test_an_action_out_of_turn_is_illegal(tampered: Any) -> None:
    """An agent on a way of two ticks acts in the next tick."""

    def act_in_transit(lines: list[Line]) -> int:
        for line in lines:
            if line["event_type"] == "player_moved" and line["data"].get("ticks_remaining", 0) >= 2:
                start = first(lines, "tick_start", tick=line["tick"] + 1)
                data = {"player_id": line["data"]["player_id"], "from": "medbay", "to": "storage", "ticks_remaining": 2}
                lines.insert(start + 1, {"event_type": "player_moved", "tick": line["tick"] + 1, "data": data})
                return start + 2
        return 0

    path, number = tampered(act_in_transit)
    (message,) = import_game(path).illegal
    assert f"line {number}: " in message and "may not act (is on the way to" in message


PLAYER = '{"name": "Ann", "role": "Goose", "room": "medbay", "tasks": []}'
START = f'{{"event_type": "game_started", "tick": 0, "data": {{"initial_state": {{"player_0": {PLAYER}}}}}}}\n'
TICK = '{"event_type": "tick_start", "tick": 1, "data": {"tick": 1}}\n'
MOVE = (
    '{"event_type": "player_moved", "tick": 1, "data": {"player_id": "player_0", "from": "medbay", "to": "storage"}}\n'
)
DONE = (
    '{"event_type": "task_completed", "tick": 1, '
    '"data": {"player_id": "player_0", "task_name": "Cook", "room": "medbay"}}\n'
)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty, no game in it"),
        ("not json\n", "line 1: damaged, not JSON"),
        ('{"event_type": "tick_start", "tick": 1, "data": {"tick": 1}}\n', "line 1: damaged"),
        ('{"event_type": "game_started", "tick": 0, "data": {}}\n', "line 1: damaged (initial_state: missing)"),
        ("[]\n", "line 1: damaged (must be an object, not [])"),
        ('{"event_type": 3, "tick": 0, "data": {}}\n', "line 1: damaged (event_type: must be a text, not 3)"),
        (
            START + '{"event_type": "player_flew", "tick": 0, "data": {}}\n',
            "line 2: damaged (event_type 'player_flew' is ",
        ),
        (START + '{"event_type": "tick_start", "data": {}}\n', "line 2: damaged (tick: missing)"),
        (
            START + TICK + '{"event_type": "vote_cast", "tick": 1, "data": {"voter": "Ann", "target": null}}',
            "line 3: damaged (an event of a meeting, outside of one)",
        ),
        (START + TICK + MOVE.replace("player_0", "player_9"), "line 3: damaged ('player_9' is no player of this game)"),
        (START + TICK + MOVE.replace('"medbay"', "7"), "line 3: damaged (from: must be a text, not 7)"),
        (START + TICK + DONE, "line 3: damaged (Cook completed without progress in this tick)"),
    ],
)
def test_a_damaged_file_is_an_error_with_path_and_line(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_text(text, encoding="utf-8")
    counts = check_games([tmp_path])
    assert counts.damaged == 1
    assert str(tmp_path) in counts.messages[0]
    with pytest.raises(TrajectoryError) as caught:
        import_game(tmp_path)
    assert what in str(caught.value) and str(tmp_path / "game.jsonl") in str(caught.value)


def test_a_game_cut_short_is_damaged(published_games: list[Path], tmp_path: Path) -> None:
    text = (published_games[0] / "game.jsonl").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    (tmp_path / "game.jsonl").write_text("".join(lines[:40]), encoding="utf-8")
    with pytest.raises(TrajectoryError, match=r"line 40: incomplete, no game_over"):
        Trajectory.load(tmp_path)
    (tmp_path / "game.jsonl").write_text("".join(lines[:40]) + lines[40][:30], encoding="utf-8")
    with pytest.raises(TrajectoryError, match=r"line 41: damaged, not JSON"):
        Trajectory.load(tmp_path)


def test_settings_are_checked(published_games: list[Path], tmp_path: Path) -> None:
    shutil.copy(published_games[0] / "game.jsonl", tmp_path)
    assert Trajectory.load(tmp_path).config.n_players == 6  # without config.yaml: the paper's settings
    config = (published_games[0] / "config.yaml").read_text(encoding="utf-8")
    for old, new, what in (
        ("num_players: 6", "num_players: 5", "6 players, 5 in the settings"),
        ("initial_cooldown: 5", "initial_cooldown: 3", "initial_cooldown 3 differs"),
        ("num_players: 6", "num_players: many", "n_players='many'"),
        ("emergency_button: cafeteria", "emergency_button: attic", "room 'attic' is unknown"),
        ("\nseed: ", "\nseed: x", "config.yaml: seed: must be a whole number, not 'x"),
        ("  kill:\n", "  kill: 3\n  more:\n", "config.yaml: game.kill: must be an object, not 3"),
        ("game:", "game: [", "config.yaml, line 3: expected ',' or ']'"),
    ):
        (tmp_path / "config.yaml").write_text(config.replace(old, new), encoding="utf-8")
        with pytest.raises(TrajectoryError) as caught:
            Trajectory.load(tmp_path)
        assert what in str(caught.value) and "\n" not in str(caught.value)


def test_whatever_a_line_says_nothing_crashes(published_games: list[Path], tmp_path: Path) -> None:
    """Random values in random fields: a mismatch, an illegal action, damage, or (words nobody checks) nothing."""
    rng = random.Random(7)
    values = [None, True, 7, -1, 1.5, "", "x", "player_1", "medbay", "2/3", [], ["x"], {}, {"a": 1}]
    found: Counter[str] = Counter()
    for number in range(400):
        path = rng.choice(published_games)
        lines = lines_of(path)
        target = rng.choice(lines)
        if rng.random() < 0.8 and target["data"]:
            target = target["data"]
        target[rng.choice(list(target))] = rng.choice(values)
        copy = tmp_path / str(number)
        copy.mkdir()
        (copy / "game.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        try:
            game = import_game(copy)
        except TrajectoryError as fault:
            assert str(copy) in str(fault) and "\n" not in str(fault)
            found["damaged"] += 1
        else:
            found["different" if game.mismatches or game.illegal else "the same"] += 1
    assert found["damaged"] + found["different"] > 200
