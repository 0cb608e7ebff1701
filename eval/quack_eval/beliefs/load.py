"""Games with beliefs in folders: runs of ours, and recordings of MafiaScope."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from quack_env import ConfigError, GameRecord, TrajectoryError
from quack_env.beliefs import FILE, Belief, BeliefStore, game_id_of
from quack_eval.beliefs.games import BeliefGame, game_of
from quack_eval.importers import mafiascope
from quack_eval.load import find_games

Progress = Callable[[int, int], None]


def find_belief_games(
    path: str | os.PathLike[str], progress: Progress | None = None, damaged: list[str] | None = None
) -> list[BeliefGame]:
    """The games with beliefs of a run or of all runs below a folder, or of a corpus of MafiaScope; perhaps none.

    Args:
        path: the folder, or a run's store itself.
        progress: called as games get done.
        damaged: takes what is wrong with recordings that cannot be read, each in one line; they are left out.

    Raises:
        ConfigError: where a recording is missing to beliefs.
        TrajectoryError: where one cannot be read, and there is no ``damaged``.
    """
    root = Path(path)
    if folders := mafiascope.find(root):
        return list(_readable(folders, mafiascope.read, progress, damaged))
    found = [(store, game_id, rows) for store in _stores(root) for game_id, rows in _by_game(store).items()]
    return list(
        _readable(found, lambda one: game_of(_recording(one[0].parent, one[1]), one[2], one[1]), progress, damaged)
    )


def belief_games(
    path: str | os.PathLike[str], progress: Progress | None = None, damaged: list[str] | None = None
) -> list[BeliefGame]:
    """The same where there have to be some.

    Raises:
        ConfigError: where there are no beliefs, or a recording is missing to them.
        TrajectoryError: where one cannot be read, and there is no ``damaged``.
    """
    if not Path(path).exists():
        raise ConfigError(f"{path}: no such file or folder")
    found = find_belief_games(path, progress, damaged)
    if not found and damaged:
        raise ConfigError(f"{path}: none of the games with beliefs can be read; the first: {damaged[0]}")
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


def _recording(run: Path, game_id: str) -> GameRecord:
    """The recording of a game of the run."""
    folder = run / game_id
    if not folder.is_dir():  # a game that is a run of its own goes by its folder's name
        try:
            folder = next(game for game in find_games([run]) if game_id_of(game, run) == game_id)
        except (StopIteration, TrajectoryError):
            raise ConfigError(f"{run}: there are beliefs about {game_id}, and no recording of it") from None
    return GameRecord.load(folder)


T = TypeVar("T")


def _readable(
    sources: Sequence[T], read: Callable[[T], BeliefGame], progress: Progress | None, damaged: list[str] | None
) -> Iterator[BeliefGame]:
    """The games of these sources that can be read, telling how many are done."""
    for done, source in enumerate(sources):
        if progress:
            progress(done, len(sources))
        try:
            yield read(source)
        except TrajectoryError as fault:
            if damaged is None:
                raise
            damaged.append(str(fault))
