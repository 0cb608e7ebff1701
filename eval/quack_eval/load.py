"""Recorded games in folders: which format each is, where they are, and one way to read them all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from quack_env import ConfigError, TrajectoryError
from quack_env.trajectory import FILE as OWN
from quack_eval.claims.sources import VERDICTS
from quack_eval.importers.published import is_published
from quack_eval.importers.published_log import FILE as PUBLISHED
from quack_eval.trajectory import Trajectory


def load(path: str | os.PathLike[str]) -> Trajectory:
    """The recorded game at a path, of either format; see `Trajectory.load`."""
    return Trajectory.load(path)


def format_of(path: Path) -> str | None:
    """Which recording a folder (or file) is: "quack_env", "published", or None for neither."""
    if path.is_dir():
        if (path / OWN).is_file():
            return "quack_env"
        return "published" if is_published(path) else None
    if path.name == OWN and path.is_file():
        return "quack_env"
    return "published" if is_published(path) else None


def find_games(paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> list[Path]:
    """The folders of all recorded games at or below the paths (or the path), sorted within each path, none twice.

    A folder that holds a `game.jsonl` of an unknown format is no game, unless it was named itself: then it is listed,
    so that reading it says what is wrong with it.

    Raises:
        TrajectoryError: where a path does not exist, or no game is at or below it, or only MafiaScope's are.
    """
    listed: list[Any] = list(paths) if isinstance(paths, Iterable) and not isinstance(paths, str) else [paths]
    if wrong := [path for path in listed if not isinstance(path, str | os.PathLike)]:
        wanted = "must be the path of a game or folder, or several (a game that is loaded goes to StatementAudit)"
        raise ConfigError(f"paths: {wanted}, not {type(wrong[0]).__name__}")
    found: dict[Path, None] = {}
    for path in map(Path, listed):
        if not path.exists():
            raise TrajectoryError(f"{path}: no such file or folder")
        games = list(_below(path))
        if not any(map(format_of, games)):
            from quack_eval.importers import mafiascope  # which imports the measures of beliefs, and these this module

            if told := mafiascope.told(path):
                raise TrajectoryError(told)
        if not games:
            raise TrajectoryError(f"{path}: no recorded game at or below it")
        found.update(dict.fromkeys(games))
    return list(found)


def holds_game(path: Path) -> bool:
    """Whether a recorded game that can be read as one is at or below a path that exists."""
    return any(map(format_of, _below(path)))


def check_own(path: Path) -> None:
    """Nothing, where all games at or below a path are this program's: results may come to lie beside them unasked.

    Raises:
        ConfigError: where some were recorded by others, naming the option for another folder.
    """
    from quack_eval.importers import mafiascope

    theirs = next((game for game in _below(path) if format_of(game) != "quack_env"), None)
    if theirs is None and (found := mafiascope.find(path)):
        theirs = found[0]
    if theirs is not None:
        told = f"{theirs} was not recorded by this program, and nothing is written beside it unasked"
        raise ConfigError(f"{told}; choose a folder with --out")


def _below(path: Path) -> Iterator[Path]:
    """The games at or below one path."""
    if path.is_file():
        if path.name not in (OWN, PUBLISHED):
            raise TrajectoryError(f"{path}: no recorded game; it must be a folder, a {OWN} or a {PUBLISHED}")
        yield path.parent
        return
    if _holds_game(path, named=True):
        yield path
        return
    for root, folders, files in os.walk(path, onerror=_refuse):
        folders.sort()
        if not {OWN, PUBLISHED, VERDICTS}.isdisjoint(files) and _holds_game(Path(root), named=False):
            folders.clear()
            yield Path(root)


def _refuse(fault: OSError) -> None:
    raise TrajectoryError(f"{fault.filename}: cannot be read ({fault.strerror})")


def _holds_game(folder: Path, named: bool) -> bool:
    """Whether a folder is to be read as a game: one of a known format, or one whose recording is damaged or gone.

    Gone it is where verdicts lie by themselves; with folders beside them they are of the games in these.
    """
    if format_of(folder):
        return True
    file = folder / PUBLISHED
    if file.is_file():
        return named or _damaged(file)
    return (folder / VERDICTS).is_file() and not any(one.is_dir() for one in folder.iterdir())


def _damaged(file: Path) -> bool:
    """Whether a `game.jsonl` of no known format is a damaged one rather than some other file: no JSON at its start."""
    try:
        with open(file, "rb") as lines:
            return not isinstance(json.loads(lines.readline()), dict)
    except (OSError, ValueError, RecursionError):
        return True
