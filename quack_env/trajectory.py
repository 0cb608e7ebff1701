"""A recorded game on disk: a folder with `trajectory.jsonl` (header, events, state hashes) and `status.json`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from quack_env.briefing import Briefing
from quack_env.config import GameConfig
from quack_env.errors import TrajectoryError
from quack_env.events import Event, event_of
from quack_env.game_map import GameMap
from quack_env.kinds import KINDS, LAPSED
from quack_env.outcome import Outcome

SCHEMA = 1
FILE = "trajectory.jsonl"
STATUS = "status.json"
STATUSES = ("finished", "aborted", "infra_failure")


class Seat(BaseModel):
    """Who sits where: seat number = position in the header's list."""

    model_config = ConfigDict(extra="forbid")

    agent: str
    name: str
    role: str
    policy: str | None = None
    spawn: str
    tasks: list[str]


class Header(BaseModel):
    """The first line of a recording: everything needed to replay it."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    made_by: str
    config: dict[str, Any]
    map: dict[str, Any]
    speech: Literal["off", "tokens", "text"]
    seed: int
    forks: list[tuple[int, int]] = Field(default_factory=list)
    """(decisions made before it, number) of every point from which on a continuation has a chance of its own."""
    form: str = "aec"
    seats: list[Seat]
    given: dict[str, Any] | None = None
    """Draws in place of chance, as far as they go: `turn_order` by tick, `speaking_order` by meeting (seats) and
    `places` by leg (rooms), in numbers. Games not made here, and situations, have them; None: all from the seed."""

    @model_validator(mode="before")
    @classmethod
    def _without_fork(cls, data: Any) -> Any:
        """Recordings made before there were forks have a field ``fork``, always 0."""
        if isinstance(data, dict) and data.get("fork") == 0:
            data = {name: value for name, value in data.items() if name != "fork"}
        return data


class Seal(NamedTuple):
    """A state hash: the state after ``events`` events, at the end of a tick or phase."""

    events: int
    tick: int
    hash: str


@dataclass
class Trajectory:
    """A recorded game: header, events, state hashes, status.

    ``torn`` says that the last line was cut off (the machine died while writing); it is left out.
    """

    header: Header
    events: list[Event]
    seals: list[Seal] = field(default_factory=list)
    status: str = "aborted"
    torn: bool = False
    path: Path | None = None

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

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectory:
        """Read a recorded game: its folder, or the trajectory file itself.

        Raises:
            TrajectoryError: no such recording, a newer schema, or a damaged line (named); a torn last line is left out.
        """
        file = Path(path)
        if file.is_dir():
            file = file / FILE
        try:
            lines = file.read_bytes().split(b"\n")
        except OSError as fault:
            raise TrajectoryError(f"{file}: cannot be read ({fault.strerror})") from None
        torn = lines[-1] != b""
        records = [_record(file, number, line, torn and number == len(lines)) for number, line in enumerate(lines, 1)]
        kept = [(number, record) for number, record in enumerate(records, 1) if record is not None]
        if not kept:
            raise TrajectoryError(f"{file}: empty recording, no header")
        header = _header(file, kept[0][1])
        trajectory = cls(header, [], torn=torn, path=file.parent, status=_status(file.parent))
        for number, record in kept[1:]:
            trajectory._add(file, number, record)
        return trajectory

    def _add(self, file: Path, number: int, record: dict[str, Any]) -> None:
        try:
            if "hash" in record:
                self.seals.append(Seal(len(self.events), record["tick"], record["hash"]))
                return
            event = Event.from_dict(record)
            KINDS.index(event.kind)
        except (KeyError, TypeError, ValueError) as fault:
            raise TrajectoryError(f"{file}, line {number}: no event of this schema ({fault})") from None
        if event.index != len(self.events):
            raise TrajectoryError(f"{file}, line {number}: event {event.index} where {len(self.events)} is due")
        self.events.append(event)

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
        (folder / STATUS).write_text(status_line(self.status), encoding="utf-8")


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


def _status(folder: Path) -> str:
    try:
        status = json.loads((folder / STATUS).read_text(encoding="utf-8"))["status"]
    except (OSError, ValueError, KeyError, TypeError):
        return "aborted"
    return status if status in STATUSES else "aborted"


def _record(file: Path, number: int, line: bytes, last_torn: bool) -> dict[str, Any] | None:
    """One line as a dict; None for an empty line and for the torn last one."""
    return None if not line or last_torn else json_object(file, number, line)


def json_object(file: Path, number: int, line: bytes | str) -> dict[str, Any]:
    """A line of a file as a dict; `TrajectoryError` naming both where it is none."""
    try:
        record = json.loads(line)
    except ValueError:
        raise TrajectoryError(f"{file}, line {number}: damaged, not JSON") from None
    if not isinstance(record, dict):
        raise TrajectoryError(f"{file}, line {number}: damaged, not an object")
    return record


def _header(file: Path, record: dict[str, Any]) -> Header:
    version = record.get("schema_version")
    if not isinstance(version, int):
        raise TrajectoryError(f"{file}, line 1: no header of a recorded game (schema_version missing)")
    if version > SCHEMA:
        raise TrajectoryError(
            f"{file}: schema {version} is newer than this version reads ({SCHEMA}); upgrade quack_env"
        )
    try:
        return Header.model_validate(record)
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise TrajectoryError(f"{file}, line 1: header field {place}: {first['msg']}") from None
