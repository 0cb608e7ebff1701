"""Reading situations from YAML: every fault names file, line and what is allowed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from quack_agents.situations.situation import (
    FREE_CHOICE,
    Ask,
    Ballot,
    Deed,
    Entry,
    Mirror,
    Part,
    Rest,
    Roam,
    Situation,
    SituationError,
    Speech,
)
from quack_env.config import GameConfig
from quack_env.errors import ConfigError
from quack_env.game_map import GameMap, map_beside
from quack_env.yaml_file import StrictLoader, meant, not_utf8, read_yaml, shown

FIELDS = ("title", "about", "config", "map", "players", "tested", "speaking", "turns", "script", "mirrors")
PLAYER = ("role", "spawn", "tasks")
OTHERS = "others"
KEYS = ("roam", "probe", "vote", OTHERS)
"""Keys of the script that are no players."""
ROLES = ("goose", "duck")
MIRRORS = ("order", "parts")
STATEMENT = re.compile(r"(was_in|saw|did_task|suspect|vouch|nothing)\b")
TIMES = re.compile(r"(.+?)\s+x\s*([1-9]\d?)")


class Word(str):
    """Text of the file, and its line."""

    line: int


class _Lines(StrictLoader):
    """Keeps the line of every text."""

    def construct_word(self, node: yaml.ScalarNode) -> Word:
        word = Word(node.value)
        word.line = node.start_mark.line + 1
        return word


_Lines.add_constructor("tag:yaml.org,2002:str", _Lines.construct_word)


def shipped() -> dict[str, Path]:
    """The situations that come with the package: files by name."""
    folder = resources.files("quack_agents.situations") / "scripts"
    return {Path(str(file)).stem: Path(str(file)) for file in sorted(folder.iterdir(), key=str)}


def load_situation(name: str | os.PathLike[str], held: Mapping[str, Any] | None = None) -> Situation:
    """The shipped situation of this name, or that of a YAML file; NAME+MIRROR is a control of it.

    It is read, not yet played: `check` steps it.

    Args:
        name: of the situation, or its file.
        held: the "text" and the "map" (as `GameMap.to_dict` gives it) of a file that need not be there.

    Raises:
        SituationError: naming file, line and what is allowed.
    """
    files = shipped()
    stem, _, mirror = os.fspath(name).partition("+")
    file = files.get(stem, Path(stem))
    source = file.name if stem in files else os.fspath(file)
    if held is not None:
        situation = parse(held.get("text", ""), source, file.stem, held.get("map"))
    else:
        situation = parse(text_of(file, stem), source, file.stem)
    if not mirror:
        return situation
    if mirror not in situation.mirrors:
        raise SituationError(
            f"{situation.source}: no mirror {mirror!r}; it has {', '.join(situation.mirrors) or 'none'}"
        )
    return next(one for one in situation.variants if one.mirror == mirror)


def text_of(file: Path, name: str) -> str:
    """The text of a situation's file; ``name`` is what it was asked for by."""
    if not file.is_file():
        listed = f"({', '.join(shipped())}){meant(name, shipped())}"
        raise SituationError(f"situation {name!r}: no such file, and none that is shipped {listed}")
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise SituationError(f"{file}: {not_utf8(fault)}") from None
    except OSError as fault:
        raise SituationError(f"{file}: cannot be read ({fault.strerror})") from None


def parse(text: str, source: str, name: str, game_map: Mapping[str, Any] | None = None) -> Situation:
    """The situation in a YAML text; a map that is given stands in for the one that the text names."""
    return _Reader(source, game_map).situation(read_yaml(text, source, SituationError, _Lines), name)


class _Reader:
    """Reads one file. Whatever it complains about begins with file and line."""

    def __init__(self, source: str, game_map: Mapping[str, Any] | None = None) -> None:
        self.source = source
        self.map = game_map
        self.names: tuple[str, ...] = ()

    def fault(self, at: Any, told: str) -> SituationError:
        """The error at the line of a text (or of the first text within something)."""
        line = _line(at)
        return SituationError(f"{self.source}{f', line {line}' if line else ''}: {told}")

    def situation(self, data: Any, name: str) -> Situation:
        """The whole."""
        given = self.mapping(data, "a situation", FIELDS)
        for key in ("players", "tested", "script"):
            if key not in given:
                raise self.fault(data, f"{key}: is missing")
        players = self.mapping(given["players"], "players")
        self.names = tuple(str(player) for player in players)
        taken = next((player for player in players if player in KEYS), None)
        if taken is not None:
            raise self.fault(taken, f"players: {taken} means something else in the script")
        config, game_map = self.settings(given, players)
        tested = self.listed(given["tested"], "tested")
        mirrors = self.mapping(given.get("mirrors", {}), "mirrors")
        return Situation(
            name=name,
            title=str(given.get("title", name)),
            about=" ".join(str(given.get("about", "")).split()),
            source=self.source,
            config=config,
            game_map=game_map,
            parts=tuple(self.part(who, facts, config, game_map) for who, facts in players.items()),
            tested=tested,
            entries=tuple(self.entries(given["script"], set(tested))),
            speaking=self.order(given.get("speaking", []), "speaking"),
            turns=self.order(given.get("turns", []), "turns"),
            mirrors={str(key): self.mirror(key, what) for key, what in mirrors.items()},
        )

    # --- the deal ----------------------------------------------------------------------------------------------------

    def settings(self, given: Mapping[Any, Any], players: Mapping[Any, Any]) -> tuple[GameConfig, GameMap]:
        """Configuration and map; players and Ducks are counted."""
        facts = {who: self.mapping(told, str(who), PLAYER) for who, told in players.items()}
        roles = [self.one_of(told.get("role", "goose"), ROLES, f"{who}: role") for who, told in facts.items()]
        counted = {"n_players": len(players), "n_ducks": roles.count("duck"), "names": list(self.names)}
        wanted = {str(k): v for k, v in self.mapping(given.get("config", {}), "config").items()}
        twice = next((key for key in wanted if key in counted), None)
        if twice:
            raise self.fault(given["config"], f"config: {twice} follows from the players")
        try:
            config = GameConfig.from_dict({**wanted, **counted})
            named = str(given.get("map", config.map))
            game_map = GameMap.load(self.map or map_beside(named, Path(self.source).parent))
        except ConfigError as fault:
            raise self.fault(given.get("config", given["players"]), str(fault)) from None
        return config, game_map

    def part(self, name: Any, facts: Any, config: GameConfig, game_map: GameMap) -> Part:
        """One player."""
        given = self.mapping(facts, str(name), PLAYER)
        spawn = self.one_of(given.get("spawn", game_map.button), game_map.rooms, f"{name}: spawn")
        with_tasks = [room for room in game_map.rooms if room in game_map.tasks]
        first = given.get("tasks", [])
        if not isinstance(first, list) or len(set(first)) != len(first) or len(first) > config.n_tasks:
            allowed = f"at most {config.n_tasks} different rooms (n_tasks); others follow in the order of the map"
            raise self.fault(facts, f"{name}: tasks={shown(first)}: must be {allowed}")
        named = [self.one_of(room, with_tasks, f"{name}: tasks") for room in first]
        tasks = [*named, *(room for room in with_tasks if room not in named)][: config.n_tasks]
        return Part(str(name), str(given.get("role", "goose")), spawn, tuple(tasks))

    def listed(self, names: Any, what: str) -> tuple[str, ...]:
        """A list of players."""
        if not isinstance(names, list) or not names:
            raise self.fault(names, f"{what}={shown(names)}: must be a list of players ({', '.join(self.names)})")
        return tuple(self.one_of(name, self.names, what) for name in names)

    def order(self, names: Any, what: str) -> tuple[str, ...]:
        """An order of all players: those listed first, the others in their seats' order."""
        first = self.listed(names, what) if names else ()
        return (*first, *(name for name in self.names if name not in first))

    def mirror(self, name: Any, what: Any) -> Mirror:
        """One control."""
        given = self.mapping(what, f"mirrors.{name}", MIRRORS)
        if len(given) != 1 or "+" in name:
            raise self.fault(name, f"mirrors.{name}: must be one of {{order: [A, B]}} and {{parts: [A, B]}}")
        ((kind, players),) = given.items()
        pair = self.listed(players, f"mirrors.{name}.{kind}")
        if len(set(pair)) != 2:
            raise self.fault(players, f"mirrors.{name}.{kind}: must be two players")
        return Mirror(str(kind), *pair)

    # --- the script --------------------------------------------------------------------------------------------------

    def entries(self, script: Any, tested: set[str]) -> Iterable[Entry]:
        """The script, entry by entry."""
        if not isinstance(script, list) or not script:
            raise self.fault(
                script, f"script: must be a list of entries: {', '.join(KEYS)}, or a player with a statement"
            )
        asked: set[str] = set()
        for item in script:
            if not isinstance(item, dict) or len(item) != 1:
                raise self.fault(item, f"script: {shown(item)}: every entry has one key: {', '.join(KEYS)} or a player")
            ((key, value),) = item.items()
            if key == "roam":
                yield self.roam(key, value)
            elif key == "vote":
                yield self.ballot(key, value, tested)
            elif key == OTHERS:
                self.one_of(value, ("nothing",), OTHERS)
                yield Rest(key.line)
            elif key == "probe":
                if not isinstance(value, Word) or not value:
                    raise self.fault(key, f"probe: {shown(value)}: must be the name of the moment, in text, as in T1")
                if value in asked:
                    raise self.fault(key, f"probe: {value}: this moment has been named before")
                asked.add(value)
                yield Ask(str(value), key.line)
            else:
                who = self.one_of(key, (*KEYS, *self.names), "script")
                yield Speech(self.speech(who, key, value))

    def roam(self, key: Word, value: Any) -> Roam:
        """Decisions of free roam by player."""
        deeds: dict[str, list[Deed]] = {}
        for who, actions in self.mapping(value, "roam").items():
            name = self.one_of(who, self.names, "roam")
            if not isinstance(actions, list):
                raise self.fault(who, f"{who}: must be a list of actions, as in [move(medbay), do_task() x 3]")
            deeds[name] = [deed for action in actions for deed in self.repeated(name, who, action)]
        return Roam(deeds, key.line)

    def repeated(self, name: str, at: Any, action: Any) -> list[Deed]:
        """One action, or several of the same."""
        if not isinstance(action, Word):
            raise self.fault(at, f"{name}: {shown(action)}: must be an action in words")
        match = TIMES.fullmatch(action)
        words, times = (match[1], int(match[2])) if match else (str(action), 1)
        return [Deed(name, _called(words), action.line)] * times

    def speech(self, who: str, key: Word, value: Any) -> Deed:
        """A statement of the finite grammar, perhaps with its words."""
        text = None
        if isinstance(value, dict):
            given = self.mapping(value, who, ("says", "text"))
            value, text = given.get("says"), given.get("text")
        if not isinstance(value, Word) or (value != FREE_CHOICE and not STATEMENT.match(value)):
            allowed = "was_in(ROOM), saw(PLAYER, ROOM), did_task(ROOM), suspect(PLAYER), vouch(PLAYER), nothing(), free"
            raise self.fault(key, f"{who}: {shown(value)}: must be one of {allowed}")
        return Deed(who, _called(value), value.line, None if text is None else str(text))

    def ballot(self, key: Word, value: Any, tested: set[str]) -> Ballot:
        """Votes by player: a name, skip or free; those under test are free and the others skip, where not named."""
        deeds = {name: Deed(name, FREE_CHOICE if name in tested else "skip()", key.line) for name in self.names}
        for who, target in self.mapping(value or {}, "vote").items():
            name = self.one_of(who, self.names, "vote")
            whom = self.one_of(target, (*self.names, "skip", FREE_CHOICE), f"vote of {name}")
            action = whom if whom == FREE_CHOICE else "skip()" if whom == "skip" else f"vote({whom})"
            deeds[name] = Deed(name, action, _line(who) or key.line)
        return Ballot(deeds, key.line)

    # --- checking ----------------------------------------------------------------------------------------------------

    def mapping(self, value: Any, what: str, allowed: Iterable[str] = ()) -> Mapping[Any, Any]:
        """A mapping, of known keys where ``allowed`` are given."""
        if not isinstance(value, dict):
            raise self.fault(value, f"{what}: must be a mapping")
        unknown = next((key for key in value if allowed and key not in allowed), None)
        if unknown is not None:
            raise self.fault(unknown, f"{what}: unknown field {unknown!r}; allowed: {', '.join(allowed)}")
        odd = next((key for key in value if not isinstance(key, Word)), None)
        if odd is not None:
            raise self.fault(value, f"{what}: key {shown(odd)} must be text")
        return value

    def one_of(self, value: Any, allowed: Iterable[str], what: str) -> str:
        """One of some words."""
        if value not in tuple(allowed):
            raise self.fault(value, f"{what}: {shown(value)}: must be one of {', '.join(allowed)}")
        return str(value)


def _called(action: str) -> str:
    """An action with its brackets."""
    plain = " ".join(action.split())
    return plain if "(" in plain or plain == FREE_CHOICE else f"{plain}()"


def _line(value: Any) -> int | None:
    """The line of the first text in something."""
    if isinstance(value, Word):
        return value.line
    if isinstance(value, dict):
        return next((line for pair in value.items() for part in pair if (line := _line(part))), None)
    if isinstance(value, list):
        return next((line for part in value if (line := _line(part))), None)
    return None


__all__ = ["load_situation", "parse", "shipped"]
