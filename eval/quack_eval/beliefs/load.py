"""Games with beliefs in folders: runs of ours, and recordings of MafiaScope."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
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
    path: str | os.PathLike[str], progress: Progress | None = None, damaged: list[str] | None = None
) -> list[BeliefGame]:
    """The games with beliefs of a run or of all runs below a folder, or of a corpus of MafiaScope; perhaps none.

    Args:
        path: the folder, which may lie within a run, a run's store itself, or the recording of a game, which stands
            for its folder.
        progress: called as games get done.
        damaged: takes what is wrong with recordings that cannot be read, each in one line; they are left out.

    Raises:
        ConfigError: where a recording is missing to beliefs.
        TrajectoryError: where one cannot be read, and there is no ``damaged``.
    """
    root = Path(path)
    root = root.parent if root.name in (OWN, mafiascope.GAME) else root
    ways: list[Callable[[], BeliefGame]] = [partial(mafiascope.read, folder) for folder in mafiascope.find(root)]
    stores = _stores(root)
    for store in stores:
        ways += [partial(_of_run, store.parent, game_id, rows) for game_id, rows in _by_game(store).items()]
    if not stores:  # what is known of a part of a run is in the run's store, above it
        folders = sorted(file.parent for file in root.rglob(OWN))
        ways += [partial(_of_game, folder, rows) for folder in folders if (rows := beliefs_about(folder))]
    return list(_readable(ways, progress, damaged))


def beliefs_about(game: Path, run: Path | None = None) -> list[Belief]:
    """What the nearest store holds about a recorded game: that of its run where this is known, of the game's own
    folder, or of one above; perhaps nothing.

    Raises:
        ConfigError: where a store cannot be read.
    """
    folder = game.resolve()
    for root in dict.fromkeys((*([run.resolve()] if run else []), folder, *folder.parents[:ABOVE])):
        # the store of a single game is about it alone, and its folder may have been renamed
        game_id = None if root == folder else game_id_of(folder, root)
        if found := list(BeliefStore(root / FILE).read(game_id=game_id)):
            return found
    return []


def told_failures(rows: Iterable[Belief | Answer]) -> str | None:
    """How many answers are no beliefs although something was stated, with the first of them, in one line; None where
    there are none. A policy that states nothing is none of them."""
    answers = list(rows)
    failed = [row for row in answers if row.failure is not None and not row.failure.startswith("no_opinion")]
    if not failed:
        return None
    first = failed[0]
    whose = f"{first.observer} of {first.target} at tick {first.tick} of {first.game_id}"
    return f"{len(failed)} of {len(answers)} answers to probes failed; the first, {whose}: {first.failure}"


def failed_probes(run: Path) -> str | None:
    """`told_failures` of the store of a run, further questions included."""
    store = BeliefStore(run / FILE)
    return told_failures([*store.read(), *store.read_answers()])


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
        where = f"in no {FILE}, and no game.jsonl with introspection.jsonl"
        ways = "quack play --probe asks players, and quack beliefs --bayesian needs nobody asked"
        raise ConfigError(f"{path}: holds no beliefs ({where}); {ways}")
    if not any(game.beliefs for game in found):
        probes = ", ".join((*mafiascope.ROLES, mafiascope.FEELINGS))
        own = "--convention published and quack view show what else was recorded"
        raise ConfigError(f"{path}: none of its probes asks for a belief, as {probes} do; {own}")
    return found


def _stores(root: Path) -> list[Path]:
    """The stores of a run, or of all runs below a folder."""
    return [root] if root.is_file() else [root / FILE] if (root / FILE).is_file() else sorted(root.rglob(FILE))


def _by_game(store: Path) -> dict[str, list[Belief]]:
    beliefs: dict[str, list[Belief]] = {}
    for belief in BeliefStore(store).read():
        beliefs.setdefault(belief.game_id, []).append(belief)
    return beliefs


def _of_run(run: Path, game_id: str, beliefs: list[Belief]) -> BeliefGame:
    """A game of a run, with what its store holds about it."""
    folder = run if (run / OWN).is_file() else run / game_id  # a game that is a run of its own may have been renamed
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
