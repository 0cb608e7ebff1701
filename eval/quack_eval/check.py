"""Whether recorded games are what the rules make of their decisions, for both formats: `quack replay --check`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from quack_env import QuackError
from quack_env.replay import check
from quack_eval.importers.published import import_game
from quack_eval.load import find_games, format_of
from quack_eval.trajectory import Trajectory

Progress = Callable[[int, int], None]
"""Called with (games done, games in all)."""


@dataclass
class Counts:
    """What a replay check found.

    ``events``: the events of the rules that were compared or (published games) that the recorded lines led to;
    ``mismatches``: recorded events, lines or state hashes that differ from the replay; ``illegal``: recorded
    decisions that the rules refuse; ``posthumous``: events by victims in the tick of their death, in published games;
    ``damaged``: games that cannot be replayed, their recording being damaged or dealt as its seed deals none;
    ``messages``: one line for each of these but the posthumous ones, with path and line or event.
    """

    games: int = 0
    events: int = 0
    mismatches: int = 0
    illegal: int = 0
    posthumous: int = 0
    damaged: int = 0
    messages: list[str] = field(default_factory=list)
    posthumous_events: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every game was read and agreed."""
        return not self.mismatches and not self.illegal and not self.damaged

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def check_games(paths: Iterable[str | os.PathLike[str]], progress: Progress | None = None) -> Counts:
    """Replay every game at or below the paths and count what does not agree.

    Raises:
        TrajectoryError: where a path does not exist or has no games.
    """
    games = find_games(paths)
    counts = Counts()
    for done, path in enumerate(games):
        if progress:
            progress(done, len(games))
        counts.games += 1
        try:
            _check(path, counts)
        except QuackError as fault:
            counts.damaged += 1
            counts.messages.append(str(fault))
    if progress:
        progress(len(games), len(games))
    return counts


def _check(path: Path, counts: Counts) -> None:
    """Replay one game and add what was found."""
    if format_of(path) == "published":
        game = import_game(path)
        counts.events += len(game.trajectory.events)
        mismatches, illegal = game.mismatches, game.illegal
        counts.posthumous += len(game.posthumous)
        counts.posthumous_events += [_told(path, game.trajectory, index) for index in range(len(game.posthumous))]
    else:
        found = check(Trajectory.load(path))
        counts.events += found.events
        mismatches, illegal = found.mismatches, found.illegal
    counts.mismatches += len(mismatches)
    counts.illegal += len(illegal)
    counts.messages += illegal + mismatches


def _told(path: Path, trajectory: Trajectory, index: int) -> str:
    """One posthumous event in words."""
    event = trajectory.posthumous[index]
    name = trajectory.names[event.actor] if event.actor is not None else "nobody"
    to = f" to {event.to}" if event.to else ""
    return f"{path}: tick {event.tick}: {name}, dead: {event.kind} in {event.room}{to}"
