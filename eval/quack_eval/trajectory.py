"""A recorded game as evaluation reads it: ours, or one that was played and published elsewhere."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import quack_env
from quack_env import ConfigError, Event, TrajectoryError
from quack_env.trajectory import FILE as OWN
from quack_env.yaml_file import shown


@dataclass
class Trajectory(quack_env.GameRecord):
    """A recorded game of either format.

    It is a `quack_env.GameRecord`, which reads the environment's own recordings, and reads published games too.

    ``posthumous``: what victims still did in the tick of their death, in published games only. Such an event is
    outside the rules' stream and altered nothing; its ``index`` is the number of the rules' events before it, its
    ``data`` has ``"posthumous": True``, nobody perceived it.
    """

    posthumous: list[Event] = field(default_factory=list)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectory:
        """Read a recorded game: its folder (ours or a published game's), or the recording in it.

        Raises:
            ConfigError: where ``path`` is no path.
            TrajectoryError: no such recording, one that is damaged (path and line), of a newer schema, or a published
                game that does not follow the rules.
        """
        from quack_eval.claims.sources import VERDICTS
        from quack_eval.importers import mafiascope
        from quack_eval.importers.published import is_published, load_published
        from quack_eval.importers.published_log import FILE as PUBLISHED

        if not isinstance(path, str | os.PathLike):
            raise ConfigError(f"path={shown(path)}: must be the path of a recorded game")
        log = Path(path) / PUBLISHED if Path(path).is_dir() else Path(path)
        if is_published(log) and (log.parent / OWN).exists():
            raise TrajectoryError(f"{log.parent}: holds two recordings, {OWN} and {PUBLISHED}; move one of them away")
        if is_published(log):
            return load_published(Path(path))
        if (log.parent / VERDICTS).is_file() and not log.is_file() and not (log.parent / OWN).exists():
            raise TrajectoryError(f"{log}: missing, with {VERDICTS} beside it")
        if log.name == PUBLISHED and log.is_file() and not (log.parent / OWN).exists():
            nothing = f"{log}, line 1: no event of a published game, and there is no {OWN} beside it"
            raise TrajectoryError(mafiascope.told(Path(path)) or nothing)
        trajectory = super().load(path)
        assert isinstance(trajectory, cls)
        return trajectory
