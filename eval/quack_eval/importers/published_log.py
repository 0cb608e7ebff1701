"""The lines of a published QUACK game, sorted into turns and meetings; nothing is judged here but their form.

Format: a folder with `game.jsonl`, one `{timestamp, event_type, tick, data}` a line, and `config.yaml`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from quack_env import ConfigError, GameConfig, GameMap, QuackError, TrajectoryError
from quack_env.trajectory import no_json
from quack_env.yaml_file import not_utf8, read_yaml, shown, unknown_value
from quack_eval.importers.published_form import EVENTS, LINE, SETTINGS, STARTED, check

FILE = "game.jsonl"
CONFIG = "config.yaml"
WORDS = {"report": "{} reported a dead body", "call": "{} called an emergency meeting"}


@dataclass(slots=True)
class Turn:
    """What one seat did in one tick: ``kind`` "wait", "move", "task", "kill", "report" or "call"."""

    line: int
    seat: int
    kind: str = "wait"
    room: str = ""
    to: str = ""
    target: int = -1
    ticks: int = 0  # of a move; 0 where the line gives none
    task: str = ""
    progress: str = ""
    done_line: int = 0  # of the completion; 0 where there is none
    done: tuple[str, str] = ("", "")  # task and room of the completion
    say: str | None = None
    say_line: int = 0
    say_room: str = ""
    posthumous: bool = False


@dataclass(slots=True)
class Meeting:
    """One meeting as recorded; seats by number, every entry with its line."""

    line: int
    tick: int
    caller: int
    bodies: list[tuple[str, str]]  # (victim's name, room)
    phases: list[tuple[int, str, int, int]] = field(default_factory=list)  # line, phase, messages and votes before it
    messages: list[tuple[int, int, str]] = field(default_factory=list)
    votes: dict[int, tuple[int, int]] = field(default_factory=dict)  # voter: line, seat voted for or -1
    ending: tuple[int, dict[str, Any] | None] | None = None  # line, data of the ejection or None
    respawn_line: int = 0
    respawn: dict[int, str] = field(default_factory=dict)


@dataclass
class Log:
    """A published game, line by line in its place."""

    path: Path
    names: list[str]
    roles: list[str]
    spawns: list[str]
    tasks: list[list[str]]
    task_names: list[list[str]]
    turns: dict[int, list[Turn]] = field(default_factory=dict)
    starts: list[tuple[int, int]] = field(default_factory=list)  # line, tick
    ends: dict[int, int] = field(default_factory=dict)  # tick: line
    meetings: list[Meeting] = field(default_factory=list)
    over: tuple[int, int, str, str] | None = None  # line, tick, winner, reason
    lines: int = 0


def read_log(folder: Path) -> Log:
    """The game in a published folder.

    Raises:
        TrajectoryError: unreadable, damaged or incomplete; names path and line.
    """
    file = folder / FILE
    records = read_lines(file)
    reader = _Reader(file)
    number = 0
    try:
        for number, record in records:
            reader.take(number, record)
    except ValueError as fault:
        raise TrajectoryError(f"{file}, line {number}: damaged ({fault})") from None
    return reader.finish(number)


def read_lines(file: Path) -> list[tuple[int, Any]]:
    """(line number, value) of every line that is not empty.

    Raises:
        TrajectoryError: where the file cannot be read or a line is no JSON; names path and line.
    """
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as fault:
        raise TrajectoryError(f"{file}: cannot be read ({fault.strerror})") from None
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise TrajectoryError(f"{file}: empty, no game in it")
    try:
        values = json.loads(b"[" + b",".join(line for _, line in numbered) + b"]")
        if len(values) == len(numbered):
            return list(zip((number for number, _ in numbered), values, strict=True))
    except (ValueError, RecursionError):
        pass
    for number, line in numbered:
        try:
            json.loads(line)
        except (ValueError, RecursionError) as fault:
            raise TrajectoryError(f"{file}, line {number}: {no_json(fault)}") from None
    raise TrajectoryError(f"{file}: damaged, its lines are no JSON values")


class _Seats(dict[str, int]):
    """Seats by agent; an agent that the game does not have is a fault of the line."""

    def __missing__(self, agent: str) -> int:
        raise ValueError(f"{shown(agent)} is no player of this game")


class _Reader:
    """Sorts the records of one game, in file order."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.log: Log | None = None
        self.tick = 0
        self.seats = _Seats()
        self.turn: dict[int, Turn] = {}  # of this tick, by seat
        self.dead: set[int] = set()
        self.meeting: Meeting | None = None
        self.handlers: dict[str, Callable[[Log, int, dict[str, Any]], None]] = {
            "tick_start": self.tick_start,
            "tick_end": self.tick_end,
            "player_moved": self.moved,
            "task_progress": self.task,
            "task_completed": self.done,
            "player_killed": self.killed,
            "free_roam_chat": self.chat,
            "body_reported": self.reported,
            "meeting_called": self.called,
            "phase_changed": self.phase,
            "discussion_message": self.message,
            "vote_cast": self.vote,
            "player_ejected": self.ejected,
            "vote_skipped": self.skipped,
            "players_respawned": self.respawned,
            "game_over": self.game_over,
        }

    def take(self, number: int, record: dict[str, Any]) -> None:
        """One record; `ValueError` where it has not the form of its kind, or not its place."""
        check(LINE, record)
        kind, tick, data = record["event_type"], record["tick"], record["data"]
        log = self.log
        if log is None:
            self.begin(kind, data)
            return
        if log.over is not None:
            raise ValueError(f"{kind} after the end of the game")
        if kind not in EVENTS:
            raise ValueError(f"event_type {unknown_value(kind, EVENTS)}")
        check(EVENTS[kind], data)
        due = data["tick"] if kind == "tick_start" else self.tick
        if tick != due or (tick in log.ends and kind != "game_over"):
            raise ValueError(f"{kind} of tick {tick!r:.20} outside that tick")
        self.handlers[kind](log, number, data)

    def finish(self, lines: int) -> Log:
        """The game, once all lines are read."""
        if self.log is None:
            raise TrajectoryError(f"{self.file}: no game in it")
        if self.log.over is None:
            raise TrajectoryError(f"{self.file}, line {lines}: incomplete, no game_over in it")
        self.log.lines = lines
        return self.log

    def begin(self, kind: str, data: dict[str, Any]) -> None:
        if kind != "game_started":
            raise ValueError(f"begins with {kind}, not with game_started")
        check(STARTED, data)
        start = data["initial_state"]
        self.seats = _Seats({agent: seat for seat, agent in enumerate(start)})
        if list(start) != [f"player_{seat}" for seat in range(len(start))]:
            raise ValueError("initial_state does not list player_0, player_1, ... in this order")
        players = list(start.values())
        self.log = Log(
            path=self.file.parent,
            names=[player["name"] for player in players],
            roles=[player["role"].lower() for player in players],
            spawns=[player["room"] for player in players],
            tasks=[[task["room"] for task in player["tasks"]] for player in players],
            task_names=[[task["name"] for task in player["tasks"]] for player in players],
        )

    def act(self, log: Log, number: int, agent: str, kind: str, room: str) -> Turn:
        """The turn of an agent in this tick, now that its action is known."""
        seat = self.seats[agent]
        turn = self.turn.get(seat)
        if turn is None or turn.kind != "wait":
            turn = Turn(number, seat, posthumous=seat in self.dead)
            self.turn[seat] = turn
            log.turns.setdefault(self.tick, []).append(turn)
        turn.kind, turn.room = kind, room
        return turn

    def tick_start(self, log: Log, number: int, data: dict[str, Any]) -> None:
        if data["tick"] <= self.tick:
            raise ValueError(f"tick {data['tick']!r} begins after tick {self.tick}")
        self.tick = data["tick"]
        log.starts.append((number, self.tick))
        self.turn = {}
        self.dead = set()
        self.meeting = None

    def tick_end(self, log: Log, number: int, data: dict[str, Any]) -> None:
        log.ends[data["tick"]] = number

    def moved(self, log: Log, number: int, data: dict[str, Any]) -> None:
        turn = self.act(log, number, data["player_id"], "move", data["from"])
        turn.to = data["to"]
        turn.ticks = data.get("ticks_remaining", 0)

    def task(self, log: Log, number: int, data: dict[str, Any]) -> None:
        turn = self.act(log, number, data["player_id"], "task", data["room"])
        turn.task, turn.progress = data["task_name"], data["progress"]

    def done(self, log: Log, number: int, data: dict[str, Any]) -> None:
        turn = self.turn.get(self.seats[data["player_id"]])
        if turn is None:
            raise ValueError(f"{data['task_name']} completed without progress in this tick")
        if turn.done_line:
            raise ValueError(f"{data['task_name']} completed twice in a tick")
        turn.done_line = number
        turn.done = (data["task_name"], data["room"])

    def killed(self, log: Log, number: int, data: dict[str, Any]) -> None:
        turn = self.act(log, number, data["killer_id"], "kill", data["room"])
        turn.target = self.seats[data["target_id"]]
        self.dead.add(turn.target)

    def chat(self, log: Log, number: int, data: dict[str, Any]) -> None:
        """The line of an utterance stands after that of the action, where there was one."""
        seat = self.seats[data["player_id"]]
        turn = self.turn.get(seat)
        if turn is None or turn.say is not None:
            turn = Turn(number, seat, posthumous=seat in self.dead)
            self.turn[seat] = turn
            log.turns.setdefault(self.tick, []).append(turn)
        if (data["name"], data["tick"]) != (log.names[seat], self.tick):
            raise ValueError(f"{data['name']}, tick {data['tick']}, in a line of {log.names[seat]}, tick {self.tick}")
        turn.say, turn.say_line, turn.say_room = data["message"], number, data["room"]

    def reported(self, log: Log, number: int, data: dict[str, Any]) -> None:
        self.convene(log, number, data, "report")

    def called(self, log: Log, number: int, data: dict[str, Any]) -> None:
        self.convene(log, number, data, "call")

    def convene(self, log: Log, number: int, data: dict[str, Any], kind: str) -> None:
        turn = self.act(log, number, data["caller"], kind, "")
        if data["reason"] != WORDS[kind].format(log.names[turn.seat]):
            raise ValueError(f"reason {data['reason']!r} with the caller {log.names[turn.seat]}")
        bodies = [(body["victim_name"], body["room"]) for body in data["bodies"]]
        self.meeting = Meeting(number, self.tick, turn.seat, bodies)
        log.meetings.append(self.meeting)

    def here(self) -> Meeting:
        """The meeting that is on."""
        if self.meeting is None:
            raise ValueError("an event of a meeting, outside of one")
        return self.meeting

    def phase(self, log: Log, number: int, data: dict[str, Any]) -> None:
        meeting = self.here()
        meeting.phases.append((number, data["phase"], len(meeting.messages), len(meeting.votes)))

    def message(self, log: Log, number: int, data: dict[str, Any]) -> None:
        self.here().messages.append((number, self.seats[data["player_id"]], data["message"]))

    def vote(self, log: Log, number: int, data: dict[str, Any]) -> None:
        target, votes = data["target"], self.here().votes
        voter = self.seats[data["voter"]]
        if voter in votes:
            raise ValueError(f"{data['voter']} votes twice")
        votes[voter] = (number, -1 if target is None else self.seats[target])

    def ejected(self, log: Log, number: int, data: dict[str, Any]) -> None:
        self.end_vote(number, data)

    def skipped(self, log: Log, number: int, data: dict[str, Any]) -> None:
        self.end_vote(number, None)

    def end_vote(self, number: int, ejection: dict[str, Any] | None) -> None:
        meeting = self.here()
        if meeting.ending is not None:
            raise ValueError("a second result of one meeting")
        meeting.ending = (number, ejection)

    def respawned(self, log: Log, number: int, data: dict[str, Any]) -> None:
        meeting = self.here()
        if meeting.respawn:
            raise ValueError("a second respawn in one meeting")
        meeting.respawn_line = number
        meeting.respawn = {self.seats[agent]: data["rooms"][agent] for agent in data["rooms"]}

    def game_over(self, log: Log, number: int, data: dict[str, Any]) -> None:
        log.over = (number, self.tick, data["winner"], data["reason"])


# --- the settings ----------------------------------------------------------------------------------------------------

SEED_FOLDER = re.compile(r"seed_?0*(\d+)")


@dataclass(frozen=True)
class Settings:
    """What `config.yaml` says: our config and map (also as the header's data), models by team, seed."""

    config: GameConfig
    config_data: dict[str, Any]
    game_map: GameMap
    map_data: dict[str, Any]
    goose: str | None
    duck: str | None
    seed: int


def read_settings(folder: Path, names: tuple[str, ...]) -> Settings:
    """The settings of a published game of these players; the paper's where the folder has no `config.yaml`.

    Raises:
        TrajectoryError: where the file is damaged, or says something that our rules cannot play.
    """
    file = folder / CONFIG
    try:
        content = file.read_text(encoding="utf-8") if file.exists() else ""
    except UnicodeDecodeError as fault:
        raise TrajectoryError(f"{file}: damaged, {not_utf8(fault)}") from None
    except OSError as fault:
        raise TrajectoryError(f"{file}: cannot be read ({fault.strerror})") from None
    try:
        data = _yaml(content, str(file))
    except QuackError as fault:
        raise TrajectoryError(str(fault)) from None
    try:
        check(SETTINGS, data)
        game = _game(json.dumps([data.get("game", {}), data.get("map")], default=str), names)
    except ValueError as fault:
        raise TrajectoryError(f"{file}: {fault}") from None
    goose = data.get("model", {}).get("name")
    duck = data.get("experiment", {}).get("duck_model") or goose
    return Settings(*game, goose, duck, data.get("seed", _seed(folder)))


def _seed(folder: Path) -> int:
    match = SEED_FOLDER.fullmatch(folder.name)
    return int(match[1]) if match else 0


def _yaml(text: str, source: str) -> Any:
    """The document, read block by block, because the blocks repeat from game to game; else as a whole."""
    try:
        merged: dict[str, Any] = {}
        for block in _blocks(text):
            merged.update(_block(block))
    except (yaml.YAMLError, ValueError, TypeError):  # as a whole it may be well-formed; if not, this says in which line
        return read_yaml(text, source, ConfigError)
    return merged


def _blocks(text: str) -> Iterator[str]:
    """The top-level entries of a YAML mapping, each with what belongs to it."""
    return (block for block in re.split(r"^(?=[^\s\-#])", text, flags=re.MULTILINE) if block.strip())


@lru_cache(maxsize=4096)
def _block(text: str) -> dict[str, Any]:
    return yaml.safe_load(text) or {}


@lru_cache(maxsize=64)
def _game(text: str, names: tuple[str, ...]) -> tuple[GameConfig, dict[str, Any], GameMap, dict[str, Any]]:
    """Our config and map, each also as data, for the `game` and `map` blocks, given as JSON."""
    game, layout = json.loads(text)
    kill, tasks, meeting = game.get("kill", {}), game.get("tasks", {}), game.get("meeting", {})
    cooldown = kill.get("cooldown_ticks", 5)
    if kill.get("initial_cooldown", cooldown) != cooldown:
        raise ValueError(f"initial_cooldown {kill['initial_cooldown']} differs from cooldown_ticks {cooldown}")
    config = GameConfig.published(
        n_players=game.get("num_players", 6),
        n_ducks=game.get("num_ducks", 1),
        max_ticks=game.get("max_ticks", 200),
        task_ticks=tasks.get("ticks_per_task", 3),
        n_tasks=tasks.get("tasks_per_player", 5),
        kill_cooldown=cooldown,
        discussion_rounds=meeting.get("max_discussion_rounds", 2),
        names=names,
    )
    game_map = GameMap.load("ship") if layout is None else GameMap.from_dict(_map(layout), "published map")
    return config, config.to_dict() | {"map": game_map.name}, game_map, game_map.to_dict()


def _map(layout: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "published",
        "rooms": {room: [place["x"], place["y"]] for room, place in layout["rooms"].items()},
        "corridors": layout["corridors"],
        "tasks": {task["room"]: task["name"] for task in layout["task_locations"]},
        "button": layout["emergency_button"],
    }
