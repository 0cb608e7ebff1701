"""A recorded game on disk: a folder with `trajectory.jsonl` (header, events, state hashes) and `status.json`."""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from quack_env.briefing import Briefing
from quack_env.config import GameConfig
from quack_env.errors import TrajectoryError
from quack_env.event_reader import EventReader
from quack_env.events import Event, event_of
from quack_env.game_map import GameMap
from quack_env.header import Header as Header
from quack_env.header import Seat as Seat
from quack_env.header import read_header
from quack_env.kinds import LAPSED
from quack_env.outcome import Outcome
from quack_env.yaml_file import not_utf8, shown

FILE = "trajectory.jsonl"
STATUS = "status.json"
STATUSES = ("finished", "aborted", "infra_failure")


class Seal(NamedTuple):
    """A state hash: the state after ``events`` events, at the end of a tick or phase."""

    events: int
    tick: int
    hash: str


@dataclass
class GameRecord:
    """A recorded game: header, events, state hashes, status and, where it is not finished, the reason.

    This is one of the environment's own recordings; `quack_eval.Trajectory`, a subclass, reads published games too.

    ``torn`` says that the last line was cut off (the machine died while writing); it is left out. ``lines`` are the
    numbers of the lines that hold header, events and state hashes; none for a game that was not loaded.
    """

    header: Header
    events: list[Event]
    seals: list[Seal] = field(default_factory=list)
    status: str = "aborted"
    torn: bool = False
    path: Path | None = None
    reason: str | None = None
    lines: Sequence[int] = field(default=(), repr=False, compare=False)

    @cached_property
    def config(self) -> GameConfig:
        """The settings it was played under."""
        return GameConfig.from_dict(self.header.config)

    @cached_property
    def game_map(self) -> GameMap:
        """The map it was played on."""
        return GameMap.from_dict(self.header.map, source="recorded map")

    @property
    def names(self) -> list[str]:
        """Names by seat."""
        return [seat.name for seat in self.header.seats]

    @property
    def ducks(self) -> list[int]:
        """Seats of the Ducks."""
        return [i for i, seat in enumerate(self.header.seats) if seat.role == "duck"]

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, or None for a game that did not."""
        if not self.events or self.events[-1].kind != "game_over":
            return None
        data = self.events[-1].data or {}
        return Outcome(data["winner"], data["reason"])

    def place(self, event: int | None = None) -> str:
        """Where an event (None: the header) stands, for messages: file and line, or else its number."""
        if event is None:
            return self._line(0) or "header"
        before = bisect_right(self.seals, event, key=lambda seal: seal.events)
        return self._line(1 + event + before) or f"event {event}"

    def place_of_seal(self, number: int) -> str:
        """Where a state hash stands: file and line, or else its number."""
        return self._line(1 + self.seals[number].events + number) or f"state hash {number}"

    def _line(self, record: int) -> str:
        """File and line of the header (0) or a later line; "" in a game that was not loaded."""
        return f"{self.path / FILE}, line {self.lines[record]}" if self.path and record < len(self.lines) else ""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GameRecord:
        """Read a recorded game: its folder, or the trajectory file itself.

        Every line is checked, see `quack_env.header` and `quack_env.event_reader`.

        Raises:
            TrajectoryError: no such recording, a newer schema, or a line that is not what it must be: file and line,
                what is wrong and what is allowed. A torn last line is left out.
        """
        file = Path(path)
        if file.is_dir():
            file = file / FILE
            if not file.exists():
                raise TrajectoryError(f"{path}: no recorded game ({FILE}) in this folder; games may lie below it")
        numbers, records, torn = _read(file)
        number = numbers[0]
        try:
            header, config, game_map = read_header(records[0])
            reader = EventReader(header.seats, config, game_map)
            events: list[Event] = []
            seals: list[Seal] = []
            for number, record in zip(numbers[1:], records[1:], strict=True):  # noqa: B007 - messages name it
                if "hash" in record:
                    seals.append(Seal(len(events), *reader.seal(record)))
                else:
                    events.append(reader.event(record))
        except TrajectoryError as fault:
            raise TrajectoryError(f"{file}, line {number}: {fault}") from None
        status, reason = _status(file.parent)
        trajectory = cls(header, events, seals, status, torn, file.parent, reason, numbers)
        vars(trajectory).update(config=config, game_map=game_map)  # what the cached properties would parse again
        return trajectory

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the recording to a folder that holds none yet."""
        folder = new_folder(path)
        lines = [self.header.model_dump_json()]
        seals = iter(self.seals)
        seal = next(seals, None)
        for event in self.events:
            while seal and seal.events <= event.index:
                lines.append(seal_line(seal.tick, seal.hash))
                seal = next(seals, None)
            lines.append(event_line(event))
        while seal:
            lines.append(seal_line(seal.tick, seal.hash))
            seal = next(seals, None)
        (folder / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8", errors="backslashreplace", newline="\n")
        (folder / STATUS).write_text(status_line(self.status, self.reason), encoding="utf-8")


FACTS = (1 << 29) - 1
"""The bits of a packed event that are neither its tick nor who saw it."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def event_line(event: Event) -> str:
    """The event as a line of the recording."""
    return _ENCODER.encode(event.to_dict())


class LineWriter:
    """Turns the packed events of games on one map into lines of a recording, as `event_line` does, only faster.

    What does not change from event to event is written once and looked up after that. ``briefing`` is that of the
    current game.
    """

    briefing: Briefing

    def __init__(self) -> None:
        self._facts: dict[int, tuple[str, str]] = {}
        self._seen: dict[int, str] = {}

    def line(self, packed: int, index: int, text: str | None = None) -> str:
        """The line of one event."""
        what = packed & FACTS
        facts = self._facts.get(what)
        if facts is None:
            facts = self._render(what)
            if what & 31 != LAPSED:  # it names an action, and so perhaps a player of this game
                self._facts[what] = facts
        who = packed >> 29 & 0xFFFF
        seen = self._seen.get(who)
        if seen is None:
            seen = self._seen[who] = _ENCODER.encode([j for j in range(16) if who >> j & 1])
        said = "" if text is None else f',"text":{_ENCODER.encode(text)}'
        return f'{{"tick":{packed >> 45},"index":{index},{facts[0]}{said}{facts[1]},"seen_by":{seen}}}'

    def _render(self, what: int) -> tuple[str, str]:
        """The fields before and behind the text."""
        event = event_of(what, 0, self.briefing).to_dict()
        data = f',"data":{_ENCODER.encode(event["data"])}' if "data" in event else ""
        before = {k: v for k, v in event.items() if k not in ("tick", "index", "data", "seen_by")}
        return _ENCODER.encode(before)[1:-1], data


def seal_line(tick: int, digest: str) -> str:
    """A state hash as a line of the recording."""
    return f'{{"tick":{tick},"hash":"{digest}"}}'


def new_folder(path: str | os.PathLike[str]) -> Path:
    """The folder of a new recording; `TrajectoryError` when it already holds one, which stays as it is."""
    folder = Path(path)
    if (folder / FILE).exists():
        raise TrajectoryError(f"{folder}: already holds a recorded game; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise TrajectoryError(f"{folder}: cannot be made ({fault.strerror})") from None
    return folder


def status_line(status: str, reason: str | None = None) -> str:
    """What `status.json` holds; one that is missing or cut off reads as aborted."""
    return json.dumps({"status": status} | ({"reason": reason} if reason else {})) + "\n"


def _status(folder: Path) -> tuple[str, str | None]:
    """The status of a recording, and the reason where it is not finished."""
    try:
        found = json.loads((folder / STATUS).read_text(encoding="utf-8"))
    except OSError:
        return "aborted", f"no {STATUS} that says finished"
    except (ValueError, RecursionError) as fault:
        return "aborted", f"{STATUS} is {no_json(fault)}"
    status = found.get("status") if isinstance(found, dict) else None
    if status not in STATUSES:
        return "aborted", f"{STATUS} has the status {shown(status)}; it must be one of {', '.join(STATUSES)}"
    reason = found.get("reason")
    return status, reason if isinstance(reason, str) else None


def _read(file: Path) -> tuple[Sequence[int], list[dict[str, Any]], bool]:
    """The numbers of the lines that are not empty, what they hold, and whether a torn last one was left out."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as fault:
        raise TrajectoryError(f"{file}: cannot be read ({fault.strerror})") from None
    torn = lines.pop() != b""
    numbers = [number for number, line in enumerate(lines, 1) if line.strip()]
    if not numbers:
        raise TrajectoryError(f"{file}: empty recording, no header")
    if len(numbers) < len(lines):
        lines = [lines[number - 1] for number in numbers]
    try:
        records = json.loads(b"[" + b",".join(lines) + b"]")  # three times as fast as line by line
    except (ValueError, RecursionError):
        records = []
    if len(records) != len(lines) or not all(type(record) is dict for record in records):
        records = [json_object(file, number, line) for number, line in zip(numbers, lines, strict=True)]
    return numbers, records, torn


def no_json(fault: Exception) -> str:
    """What is wrong with a line (or file) that `json.loads` or the decoding of it refused."""
    where = f" from column {fault.colno} on" if isinstance(fault, json.JSONDecodeError) else ""
    return f"damaged, {not_utf8(fault) if isinstance(fault, UnicodeDecodeError) else f'not JSON{where}'}"


def json_object(file: Path, number: int, line: bytes | str) -> dict[str, Any]:
    """A line of a file as a dict; `TrajectoryError` naming both where it is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise TrajectoryError(f"{file}, line {number}: {no_json(fault)}") from None
    if not isinstance(record, dict):
        raise TrajectoryError(f"{file}, line {number}: damaged, not an object")
    return record
