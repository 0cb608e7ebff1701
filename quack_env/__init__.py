"""QUACK: a multi-agent social-deduction environment whose games can be audited word by word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quack_env.aec import QuackAEC
from quack_env.config import GameConfig
from quack_env.errors import ConfigError, IllegalActionError, MapError, QuackError, QuackWarning, TrajectoryError
from quack_env.events import Event
from quack_env.forks import fork
from quack_env.game_map import GameMap
from quack_env.outcome import Outcome
from quack_env.parallel import QuackParallel
from quack_env.registration import register_environments
from quack_env.trajectory import GameRecord
from quack_env.version import __version__
from quack_env.wrappers import InOrder, RecordTrajectory

if TYPE_CHECKING:
    from quack_env.vector.env import QuackVector

__all__ = [
    "ConfigError",
    "Event",
    "GameConfig",
    "GameMap",
    "GameRecord",
    "IllegalActionError",
    "MapError",
    "Outcome",
    "QuackError",
    "QuackWarning",
    "RecordTrajectory",
    "TrajectoryError",
    "__version__",
    "env",
    "fork",
    "parallel_env",
    "raw_env",
    "vector_env",
]


def raw_env(**options: Any) -> QuackAEC:
    """The AEC environment without wrappers; options as in `quack_env.base.QuackBase`."""
    return QuackAEC(**options)


def env(**options: Any) -> InOrder:
    """The AEC environment as users step it: `raw_env` with PettingZoo's check of the order of calls."""
    return InOrder(QuackAEC(**options))


def parallel_env(**options: Any) -> QuackParallel:
    """The native parallel environment; options as in `quack_env.base.QuackBase`."""
    return QuackParallel(**options)


def vector_env(num_envs: int = 1, **options: Any) -> QuackVector:
    """Many games at once, compiled where Numba is installed; options as in `quack_env.vector.env.QuackVector`."""
    from quack_env.vector.env import vector_env as make  # with Numba it takes a second to import

    return make(num_envs, **options)


register_environments()
