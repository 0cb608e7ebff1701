"""Games with beliefs in folders: runs of ours, and recordings of MafiaScope."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path

from quack_env import ConfigError, GameRecord, TrajectoryError
from quack_env.beliefs import FILE, Answer, Belief, BeliefStore, game_id_of
from quack_env.trajectory import FILE as OWN
from quack_eval.beliefs.games import BeliefGame, game_of
from quack_eval.importers import mafiascope

Progress = Callable[[int, int], None]
ABOVE = 3
"""A run is at most so many folders above its games, as in RUN/POLICY/SITUATION/SEED."""


def find_belief_games(
    paths: Iterable[str | os.PathLike[str]], progress: Progress | None = None, damaged: list[str] | None = None
) -> list[BeliefGame]:
    """The games with beliefs of runs, of all runs below folders, or of corpora of MafiaScope; perhaps none, none twice.

    Args:
        paths: folders, which may lie within a run, stores of runs themselves, or recordings of games, which stand for
            their folders.
        progress: called as games get done.
        damaged: takes what is wrong with recordings that cannot be read, each in one line; they are left out.

    Raises:
        ConfigError: where a recording is missing to beliefs.
        TrajectoryError: where one cannot be read, and there is no ``damaged``.
    """
    ways: dict[Path, Callable[[], BeliefGame]] = {}
    for path in map(Path, paths):
        for folder, read in _ways(path.parent if path.name in (OWN, mafiascope.GAME) else path):
            ways.setdefault(folder.resolve(), read)
    return list(_readable(list(ways.values()), progress, damaged))


def _ways(root: Path) -> Iterator[tuple[Path, Callable[[], BeliefGame]]]:
    """The folders of the games with beliefs at or below one, each with a way to read its game."""
    for folder in mafiascope.find(root):
        yield folder, partial(mafiascope.read, folder)
    stores = _stores(root)
    for store in stores:
        for game_id, rows in _by_game(store).items():
            yield _recorded(store.parent, game_id), partial(_of_run, store.parent, game_id, rows)
    if not stores:  # what is known of a part of a run is in the run's store, above it
        for folder in sorted(file.parent for file in root.rglob(OWN)):
            if rows := beliefs_about(folder):
                yield folder, partial(_of_game, folder, rows)


def beliefs_about(game: Path, run: Path | None = None) -> list[Belief]:
    """What the nearest store that can be read holds about a recorded game: that of its run where this is known, of the
    game's own folder, or of one above; perhaps nothing."""
    folder = game.resolve()
    for root in dict.fromkeys((*([run.resolve()] if run else []), folder, *folder.parents[:ABOVE])):
        # the store of a single game is about it alone, and its folder may have been renamed
        game_id = None if root == folder else game_id_of(folder, root)
        with suppress(ConfigError):  # nobody named that file, which may be no store of ours
            if found := list(BeliefStore(root / FILE).read(game_id=game_id)):
                return found
    return []


def told_failures(rows: Iterable[Belief | Answer]) -> str | None:
    """How many answers are no beliefs although something was stated, with the first of them, in one line; None where
    there are none. A policy that states nothing is none of them."""
    answers = failed = 0
    first: Belief | Answer | None = None
    for row in rows:
        answers += 1
        if row.failure is not None and not row.failure.startswith("no_opinion"):
            failed += 1
            first = first or row
    if first is None:
        return None
    whose = f"{first.observer} of {first.target} at tick {first.tick} of {first.game_id}"
    return f"{failed} of {answers} answers to probes failed; the first, {whose}: {first.failure}"


def failed_probes(run: Path) -> str | None:
    """`told_failures` of the store of a run, further questions included."""
    store = BeliefStore(run / FILE)
    return told_failures(chain(store.read(), store.read_answers()))


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
    found = find_belief_games([path], progress, damaged)
    if not found and damaged:
        raise ConfigError(f"{path}: none of the games with beliefs can be read; the first: {damaged[0]}")
    if not found:
        if run := _asked_above(Path(path)):
            raise ConfigError(f"{path}: nobody was asked there; {run} has beliefs of other games")
        where = f"in no {FILE}, and no game.jsonl with introspection.jsonl"
        ways = "quack play --probe asks players, and quack beliefs --bayesian needs nobody asked"
        raise ConfigError(f"{path}: holds no beliefs ({where}); {ways}")
    if not any(game.beliefs for game in found):
        probes = ", ".join((*mafiascope.ROLES, mafiascope.FEELINGS))
        own = "--convention published and quack view show what else was recorded"
        raise ConfigError(f"{path}: none of its probes asks for a belief, as {probes} do; {own}")
    return found


def _asked_above(path: Path) -> Path | None:
    """The nearest folder above whose store holds beliefs; None where none does."""
    for folder in path.resolve().parents[:ABOVE]:
        with suppress(ConfigError):
            if any(True for _ in BeliefStore(folder / FILE).read()):
                return folder
    return None


def _stores(root: Path) -> list[Path]:
    """The stores of a run, or of all runs below a folder."""
    return [root] if root.is_file() else [root / FILE] if (root / FILE).is_file() else sorted(root.rglob(FILE))


def _by_game(store: Path) -> dict[str, list[Belief]]:
    beliefs: dict[str, list[Belief]] = {}
    for belief in BeliefStore(store).read():
        beliefs.setdefault(belief.game_id, []).append(belief)
    return beliefs


def _recorded(run: Path, game_id: str) -> Path:
    """The folder of a game of a run; a game that is a run of its own may have been renamed."""
    return run if (run / OWN).is_file() else run / game_id


def _of_run(run: Path, game_id: str, beliefs: list[Belief]) -> BeliefGame:
    """A game of a run, with what its store holds about it."""
    folder = _recorded(run, game_id)
    if not folder.is_dir():
        raise ConfigError(f"{run}: there are beliefs about {game_id}, and no recording of it")
    return game_of(GameRecord.load(folder), beliefs, game_id)


def _of_game(folder: Path, beliefs: list[Belief]) -> BeliefGame:
    """A game with what is known of it."""
    return game_of(GameRecord.load(folder), beliefs, beliefs[0].game_id)


def _readable(
    ways: Sequence[Callable[[], BeliefGame]], progress: Progress | None, damaged: list[str] | None
) -> Iterator[BeliefGame]:
    """The games that can be read, each in its way, telling how many are done."""
    for done, read in enumerate(ways):
        if progress:
            progress(done, len(ways))
        try:
            yield read()
        except TrajectoryError as fault:
            if damaged is None:
                raise
            damaged.append(str(fault))
