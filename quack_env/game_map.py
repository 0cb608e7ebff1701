"""The map of a game: rooms, the corridors between them, where tasks are, and the meeting button."""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn, TypeAlias

import networkx as nx
import numpy as np
import yaml

from quack_env.config import GameConfig
from quack_env.errors import ConfigError, MapError
from quack_env.random_map import draw_map
from quack_env.yaml_file import read_yaml, read_yaml_file, shown, unknown_value

MAX_ROOMS = 60
MAX_WEIGHT = 60
MAX_POSITION = 10_000
MAX_TEXT = 60
ROOM_NAME = re.compile(r"[a-z][a-z0-9_]*")
COMMON_WORDS = (
    *("a", "an", "the", "this", "that", "these", "those", "i", "me", "my", "you", "your", "he", "him", "his", "she"),
    *("her", "it", "its", "we", "us", "our", "they", "them", "their", "who", "what", "when", "where", "which", "so"),
    *("and", "as", "at", "but", "by", "for", "from", "here", "if", "in", "into", "no", "not", "of", "off", "on", "or"),
    *("out", "over", "nobody", "than", "then", "there", "to", "up", "with", "yes", "be", "been", "am", "is", "are"),
    *("was", "were", "do", "does", "did", "have", "has", "had", "can", "say", "see", "saw", "seen", "went", "way"),
    *("body",),
)
"""Words that no room may be called by where a new game is played in free text."""
NUMBERS = (int, float, np.integer, np.floating)
KEYS = ("rooms", "corridors", "tasks", "button")
OPTIONAL_KEYS = ("name",)

Corridor: TypeAlias = tuple[str, str, int]


@dataclass(frozen=True)
class GameMap:
    """A valid map, equal to and hashed like another of the same content. Made by `load`, `from_dict` and `random`.

    The order of the rooms is the order of the move actions. Corridors and tasks are kept in the order of the rooms,
    the earlier room of a corridor first, so that the order in which a file lists them makes no difference.
    """

    name: str
    """What the map is called: the file's name without its ending, unless the file says otherwise."""
    rooms: tuple[str, ...]
    """Names of the rooms, in the order of the file."""
    positions: Mapping[str, tuple[float, float]]
    """Where each room is drawn: x to the right, y downwards, in any unit."""
    corridors: tuple[Corridor, ...]
    """Room, room and the ticks that the way takes."""
    tasks: Mapping[str, str]
    """What there is to do in each task room."""
    button: str
    """The room in which a meeting can be called."""

    @classmethod
    def load(cls, source: GameMap | Mapping[str, Any] | str | os.PathLike[str] = "ship") -> GameMap:
        """The map that `source` stands for.

        Args:
            source: A shipped map's name, the path of a YAML file, a mapping as `from_dict` takes, or a map.

        Raises:
            MapError: where there is no such map, or it is not valid; names file, key and reason.
        """
        if isinstance(source, GameMap):
            return source
        if isinstance(source, Mapping):
            return cls.from_dict(source)
        if isinstance(source, str) and source in shipped_maps():
            text = _maps_folder().joinpath(f"{source}.yaml").read_text(encoding="utf-8")
            return cls.from_dict(read_yaml(text, source, MapError), f"{source}.yaml")
        if not isinstance(source, str | os.PathLike):
            raise MapError(f"map={shown(source)}: must be a shipped map's name, a path, a mapping or a GameMap")
        if not os.path.exists(source):
            raise MapError(_no_such_map(os.fspath(source)))
        return cls.from_dict(read_yaml_file(source, MapError), os.fspath(source))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], source: str = "map") -> GameMap:
        """The map in a mapping with the keys `rooms`, `corridors`, `tasks`, `button` and perhaps `name`.

        Args:
            data: What a map file holds, or what `to_dict` gives.
            source: What error messages call it, mostly a file; its stem is the name of a map that gives none.

        Raises:
            MapError: naming `source`, the key and the reason, where `data` is not a valid map.
        """
        return _Reader(source).read(data)

    @classmethod
    def random(cls, rooms: int = 10, seed: int = 0) -> GameMap:
        """A connected planar map; the same for the same arguments.

        Its corridors take 1 to 3 ticks by their length and cross nowhere when drawn as straight lines; about 60 to
        90 % of the rooms have a task, the room with the button has none.

        Args:
            rooms: How many rooms, 2 to 60.
            seed: Any integer of at least 0.

        Raises:
            MapError: where an argument is out of its bounds.
        """
        if not _is_int(rooms, 2, MAX_ROOMS):
            raise MapError(f"rooms={shown(rooms)}: must be a whole number from 2 to {MAX_ROOMS}")
        if not _is_int(seed, 0):
            raise MapError(f"seed={shown(seed)}: must be a whole number of at least 0")
        return cls.from_dict(draw_map(int(rooms), int(seed)), "random")

    @cached_property
    def graph(self) -> nx.Graph[str]:
        """The rooms and corridors as a graph that cannot be changed; each edge has its `weight` in ticks."""
        graph = _graph(self.rooms, self.corridors)
        nx.freeze(graph)
        return graph

    @cached_property
    def _travel(self) -> dict[str, dict[str, float]]:
        """Ticks of the shortest way from every room to every room."""
        return dict(nx.all_pairs_dijkstra_path_length(self.graph))

    def weight(self, a: str, b: str) -> int:
        """Ticks that the corridor between `a` and `b` takes.

        Raises:
            MapError: where a room is unknown or no corridor joins the two.
        """
        self._check_rooms(a, b)
        if not self.graph.has_edge(a, b):
            raise MapError(f"{self.name}: no corridor joins {a} and {b}")
        return int(self.graph.edges[a, b]["weight"])

    def travel_ticks(self, a: str, b: str) -> int:
        """Ticks of the shortest way from `a` to `b`; 0 from a room to itself.

        Raises:
            MapError: where a room is unknown.
        """
        self._check_rooms(a, b)
        return int(self._travel[a][b])

    def neighbours(self, room: str) -> tuple[str, ...]:
        """The rooms that one corridor joins to `room`, in the order of `rooms`.

        Raises:
            MapError: where the room is unknown.
        """
        self._check_rooms(room)
        return tuple(other for other in self.rooms if self.graph.has_edge(room, other))

    def _check_rooms(self, *rooms: str) -> None:
        for room in rooms:
            if room not in self.positions:
                raise MapError(f"{self.name}: room {unknown_value(room, self.rooms)}")

    def to_dict(self) -> dict[str, Any]:
        """The map as `from_dict` takes it, ready for JSON."""
        return {
            "name": self.name,
            "rooms": {room: list(self.positions[room]) for room in self.rooms},
            "corridors": [list(corridor) for corridor in self.corridors],
            "tasks": dict(self.tasks),
            "button": self.button,
        }

    def to_yaml(self) -> str:
        """The map as the text of a map file, one room, corridor or task a line."""
        sections = []
        for key, value in self.to_dict().items():
            flow = None if key in ("rooms", "corridors") else False  # None: the innermost level on one line
            sections.append(yaml.safe_dump({key: value}, sort_keys=False, default_flow_style=flow, allow_unicode=True))
        return "".join(sections)

    def __hash__(self) -> int:
        return hash((self.name, self.rooms, self.corridors, tuple(self.tasks.items()), self.button))

    def __reduce__(self) -> tuple[Any, ...]:
        # read-only views cannot be pickled, and the cached graph need not be
        return GameMap.from_dict, (self.to_dict(), self.name)


@dataclass(frozen=True)
class _Reader:
    """Checks what a map file holds, key by key; every message begins with the file."""

    source: str

    def read(self, data: object) -> GameMap:
        """The map in `data`."""
        if not isinstance(data, Mapping):
            self._fail("", f"a map must be a mapping with the keys {', '.join(KEYS)}, not {shown(data)}")
        self._check_keys(data)
        positions = self._positions(data["rooms"])
        rooms = tuple(positions)
        corridors = self._corridors(data["corridors"], rooms)
        self._check_connected(rooms, corridors)
        return GameMap(
            name=self._text("name", data.get("name", Path(self.source).stem)),
            rooms=rooms,
            positions=MappingProxyType(positions),
            corridors=corridors,
            tasks=MappingProxyType(self._tasks(data["tasks"], rooms)),
            button=self._button(data["button"], rooms),
        )

    def _check_keys(self, data: Mapping[Any, Any]) -> None:
        for key in data:
            if key not in KEYS + OPTIONAL_KEYS:
                close = difflib.get_close_matches(str(key), KEYS, n=1)
                hint = f" (did you mean {close[0]!r}?)" if close else ""
                self._fail("", f"unknown key {shown(key)}{hint}; allowed: {', '.join(KEYS + OPTIONAL_KEYS)}")
        missing = [key for key in KEYS if key not in data]
        if missing:
            self._fail("", f"missing key {missing[0]!r}; a map needs {', '.join(KEYS)}")

    def _positions(self, value: object) -> dict[str, tuple[float, float]]:
        """The rooms with their positions."""
        if not isinstance(value, Mapping):
            self._fail("rooms", f"must be a mapping of room names to positions [x, y], not {shown(value)}")
        if not 2 <= len(value) <= MAX_ROOMS:
            self._fail("rooms", f"a map has 2 to {MAX_ROOMS} rooms, not {len(value)}")
        drawn: dict[tuple[float, float], str] = {}
        for room, position in value.items():
            if not isinstance(room, str) or not ROOM_NAME.fullmatch(room):
                hint = "; in YAML, quote words like on and no" if isinstance(room, bool) else ""
                allowed = f"lower-case letters, digits and _, a letter first{hint}"
                self._fail("rooms", f"{shown(room)} is no room name ({allowed})")
            self._text("rooms", room)
            if not _is_pair_of_numbers(position):
                allowed = f"[x, y], two numbers from -{MAX_POSITION} to {MAX_POSITION}"
                self._fail(f"rooms.{room}", f"the position must be {allowed}, not {shown(position)}")
            other = drawn.setdefault(_plain(position), room)
            if other != room:
                self._fail(f"rooms.{room}", f"the position {shown(list(position))} is that of {other} already")
        return {room: position for position, room in drawn.items()}

    def _corridors(self, value: object, rooms: tuple[str, ...]) -> tuple[Corridor, ...]:
        """The corridors in the order of the rooms, each with its earlier room first."""
        if not isinstance(value, list | tuple):
            self._fail("corridors", f"must be a list of [room, room, ticks], not {shown(value)}")
        found: dict[tuple[int, int], Corridor] = {}
        for number, entry in enumerate(value):
            key = f"corridors[{number}]"
            a, b, weight = self._corridor(key, entry, rooms)
            first, second = sorted((rooms.index(a), rooms.index(b)))
            if (first, second) in found:
                self._fail(key, f"a second corridor between {a} and {b}")
            found[first, second] = (rooms[first], rooms[second], weight)
        return tuple(corridor for _, corridor in sorted(found.items()))

    def _corridor(self, key: str, entry: object, rooms: tuple[str, ...]) -> Corridor:
        """One corridor, as it is given."""
        if not isinstance(entry, list | tuple) or len(entry) != 3:
            self._fail(key, f"must be [room, room, ticks], not {shown(entry)}")
        a, b, weight = entry
        for room in (a, b):
            self._check_room(key, room, rooms)
        if a == b:
            self._fail(key, f"leads from {a} to itself")
        if not _is_int(weight, 1, MAX_WEIGHT):
            self._fail(key, f"{a} to {b}: ticks must be a whole number from 1 to {MAX_WEIGHT}, not {shown(weight)}")
        return a, b, int(weight)

    def _check_connected(self, rooms: tuple[str, ...], corridors: Iterable[Corridor]) -> None:
        reached = nx.node_connected_component(_graph(rooms, corridors), rooms[0])
        lost = [room for room in rooms if room not in reached]
        if lost:
            self._fail("corridors", f"no way leads from {rooms[0]} to {', '.join(lost)}")

    def _tasks(self, value: object, rooms: tuple[str, ...]) -> dict[str, str]:
        """The task of each task room, in the order of the rooms."""
        if not isinstance(value, Mapping):
            self._fail("tasks", f"must be a mapping of rooms to the names of their tasks, not {shown(value)}")
        if not value:
            self._fail("tasks", "a map needs at least one task room")
        for room, task in value.items():
            self._check_room("tasks", room, rooms)
            self._text(f"tasks.{room}", task)
        return {room: value[room] for room in rooms if room in value}

    def _button(self, value: object, rooms: tuple[str, ...]) -> str:
        if not isinstance(value, str):
            self._fail("button", f"must be the name of exactly one room, not {shown(value)}")
        self._check_room("button", value, rooms)
        return value

    def _check_room(self, key: str, room: object, rooms: tuple[str, ...]) -> None:
        if room not in rooms:
            self._fail(key, f"room {unknown_value(room, rooms)}")

    def _text(self, key: str, value: object) -> str:
        """A short text of one line: it stands in prompts and on images."""
        if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > MAX_TEXT:
            self._fail(key, f"must be a text of 1 to {MAX_TEXT} printable characters, not {shown(value)}")
        return value

    def _fail(self, key: str, reason: str) -> NoReturn:
        raise MapError(": ".join(part for part in (self.source, key, reason) if part))


def map_beside(name: str, folder: str | os.PathLike[str]) -> str:
    """The map that a file of a folder means by a name: a shipped one, a file seen from that folder, or else the name as
    it is, which is then seen from the working directory."""
    beside = Path(folder) / name
    return name if name in shipped_maps() or not beside.exists() else os.fspath(beside)


def shipped_maps() -> tuple[str, ...]:
    """The names of the maps that come with the package, in alphabetical order."""
    files = (entry.name for entry in _maps_folder().iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml")))


def check_tasks(config: GameConfig, game_map: GameMap) -> None:
    """Checks that every Goose can have its tasks in distinct rooms.

    Raises:
        ConfigError: where `config.n_tasks` is more than the map's task rooms.
    """
    most = len(game_map.tasks)
    if config.n_tasks > most:
        raise ConfigError(f"n_tasks={config.n_tasks}: must be from 0 to {most}, the task rooms of {game_map.name}")


def check_names(config: GameConfig, game_map: GameMap) -> None:
    """Checks that no room is called like a player: in what is said, and in actions, nobody could tell them apart.

    Raises:
        ConfigError: where one is, whatever the case, a space standing for an underscore.
    """
    players = {name.casefold().replace(" ", "_"): name for name in config.player_names}
    for room in game_map.rooms:
        if room in players:
            raise ConfigError(f"names: a player is called {players[room]}, and a room of {game_map.name} {room}")


def check_words(game_map: GameMap) -> None:
    """Checks that no room is called by a common word, for new games in which players talk freely.

    Raises:
        ConfigError: naming all that are: neither players nor the audit could tell when such a room is meant.
    """
    lost = [room for room in game_map.rooms if room in COMMON_WORDS]
    if lost:
        told = f"rooms of {game_map.name} are called by common words: {', '.join(lost)}"
        raise ConfigError(f'map: {told}; with speech="text" nobody could tell when they are meant')


def _maps_folder() -> Traversable:
    return resources.files("quack_env") / "maps"


def _graph(rooms: Iterable[str], corridors: Iterable[Corridor]) -> nx.Graph[str]:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(rooms)
    graph.add_weighted_edges_from(corridors)
    return graph


def _is_int(value: object, low: int, high: float = math.inf) -> bool:
    """Whether the value is an integer, Python's or NumPy's, within the bounds; `True` and `1.0` are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and low <= int(value) <= high


def _is_pair_of_numbers(value: object) -> bool:
    """Whether the value is a position; a NaN is within no bounds."""
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(number, NUMBERS) and not isinstance(number, bool) for number in value)
        and all(-MAX_POSITION <= number <= MAX_POSITION for number in value)
    )


def _plain(position: Iterable[Any]) -> tuple[float, float]:
    """A pair of numbers in Python's own kinds, which can be written down."""
    x, y = (number.item() if isinstance(number, np.number) else number for number in position)
    return x, y


def _no_such_map(name: str) -> str:
    """The message for a map that is neither shipped nor a file."""
    close = difflib.get_close_matches(name, shipped_maps(), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"map={name!r}: no such file, and no shipped map ({', '.join(shipped_maps())}){hint}"
