"""What a suite holds of the files that it names: maps and situations whole, those of policies by their hash.

So a run goes on without the files and from any folder, and two files of one name never meet in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from quack_agents.situations import Situation, load_situation
from quack_agents.situations import shipped as shipped_situations
from quack_agents.situations.reading import text_of
from quack_env import ConfigError, GameMap
from quack_env.game_map import map_beside, shipped_maps

HASH = "sha256:"
Held = dict[str, dict[str, Any] | str]
"""By the name of a file as the suite has it: a map (`GameMap.to_dict`), a situation's "text" and "map", or a hash."""


def read_files(maps: Iterable[str], scripts: Iterable[str], policies: Iterable[str], folder: Path) -> Held:
    """What there is of the files that are named; maps and situations are seen from the folder, or else, as those of
    policies, from the working directory.

    Raises:
        ConfigError: where a map or a situation is not valid.
    """
    found: Held = {}
    for name in set(maps).difference(shipped_maps()):
        file = Path(map_beside(name, folder))
        if file.exists():
            found[name] = GameMap.load(file).to_dict()
    for name in {script.partition("+")[0] for script in scripts}.difference(shipped_situations()):
        file = folder / name if (folder / name).is_file() else Path(name)
        if file.is_file():
            found[name] = {"text": text_of(file, name), "map": load_situation(file).game_map.to_dict()}
    for file in filter(None, map(file_of, policies)):
        if file.is_file():
            found[str(file)] = HASH + hashlib.sha256(file.read_bytes()).hexdigest()
    return dict(sorted(found.items()))


def map_of(given: str | dict[str, Any], held: Mapping[str, Any]) -> GameMap:
    """A map that is held, shipped, or written out."""
    if not isinstance(given, str):
        return GameMap.from_dict(given)
    return shipped_map(given) if given in shipped_maps() else GameMap.load(held.get(given, given))


shipped_map = cache(GameMap.load)
"""A shipped map, read once for all settings."""


def situation_of(script: str, held: Mapping[str, Any]) -> Situation:
    """A situation that is held or shipped.

    Raises:
        ConfigError: where what is held is no situation.
    """
    name = script.partition("+")[0]
    given = held.get(name)
    if given is not None and not (isinstance(given, dict) and isinstance(given.get("text"), str)):
        raise ConfigError(f"files.{name}: must have the text of a situation, and its map")
    return load_situation(script, given)


def file_of(policy: str) -> Path | None:
    """The file that stands behind the colon of a policy's name, as in `rl:PATH.npz`, whether it is there or not."""
    file = Path(policy.partition(":")[2])
    return file if file.suffix and "?" not in policy else None


def check_held(policies: Iterable[str], held: Mapping[str, Any]) -> None:
    """Nothing, where the files of policies, so far as they are there, are those that are held.

    Raises:
        ConfigError: naming the first file that is another one.
    """
    for name, now in read_files((), (), policies, Path()).items():
        if held.get(name, now) != now:
            raise ConfigError(
                f"{name}: is another file than the run was begun with (its sha256 was {_short(held[name])}, and is "
                f"{_short(now)}); put that one back, or choose another --out"
            )


def _short(told: Any) -> str:
    return str(told).removeprefix(HASH)[:12] + "..."
