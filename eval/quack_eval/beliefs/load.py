"""Games with beliefs in folders: runs of ours, and recordings of MafiaScope."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from quack_env import ConfigError, Trajectory, TrajectoryError
from quack_env.beliefs import FILE, Belief, BeliefStore, game_id_of
from quack_eval.beliefs.games import BeliefGame, game_of
from quack_eval.importers import mafiascope
from quack_eval.load import find_games

Progress = Callable[[int, int], None]


def find_belief_games(path: str | os.PathLike[str], progress: Progress | None = None) -> list[BeliefGame]:
    """The games with beliefs of a run or of all runs below a folder, or of a corpus of MafiaScope; perhaps none.

    Args:
        path: the folder, or a run's store itself.
        progress: called as games get done.

    Raises:
        ConfigError: where a recording is missing to beliefs.
    """
    root = Path(path)
    if folders := mafiascope.find(root):
        return [mafiascope.read(folder) for folder in _counted(folders, progress)]
    found = [(store, game_id, rows) for store in _stores(root) for game_id, rows in _by_game(store).items()]
    return [
        game_of(_recording(store.parent, game_id), rows, game_id) for store, game_id, rows in _counted(found, progress)
    ]


def belief_games(path: str | os.PathLike[str], progress: Progress | None = None) -> list[BeliefGame]:
    """The same where there have to be some.

    Raises:
        ConfigError: where there are no beliefs, or a recording is missing to them.
    """
    if not Path(path).exists():
        raise ConfigError(f"{path}: no such file or folder")
    found = find_belief_games(path, progress)
    if not found:
        raise ConfigError(f"{path}: holds no beliefs (in no {FILE}, and no game.jsonl with introspection.jsonl)")
    return found


def _stores(root: Path) -> list[Path]:
    """The stores of a run, or of all runs below a folder."""
    return [root] if root.is_file() else [root / FILE] if (root / FILE).is_file() else sorted(root.rglob(FILE))


def _by_game(store: Path) -> dict[str, list[Belief]]:
    beliefs: dict[str, list[Belief]] = {}
    for belief in BeliefStore(store).read():
        beliefs.setdefault(belief.game_id, []).append(belief)
    return beliefs


def _recording(run: Path, game_id: str) -> Trajectory:
    """The recording of a game of the run."""
    folder = run / game_id
    if not folder.is_dir():  # a game that is a run of its own goes by its folder's name
        try:
            folder = next(game for game in find_games([run]) if game_id_of(game, run) == game_id)
        except (StopIteration, TrajectoryError):
            raise ConfigError(f"{run}: there are beliefs about {game_id}, and no recording of it") from None
    return Trajectory.load(folder)


T = TypeVar("T")


def _counted(things: Iterable[T], progress: Progress | None) -> Iterator[T]:
    """One after the other, telling how many are done."""
    listed = list(things)
    for done, thing in enumerate(listed):
        if progress:
            progress(done, len(listed))
        yield thing
