"""QUACK: a multi-agent social-deduction environment whose games can be audited word by word."""

from __future__ import annotations

from typing import Any

from quack_env.aec import QuackAEC
from quack_env.config import GameConfig
from quack_env.errors import ConfigError, IllegalActionError, MapError, QuackError, TrajectoryError
from quack_env.events import Event
from quack_env.game_map import GameMap
from quack_env.outcome import Outcome
from quack_env.parallel import QuackParallel
from quack_env.registration import register_environments
from quack_env.trajectory import Trajectory
from quack_env.version import __version__
from quack_env.wrappers import InOrder, RecordTrajectory

__all__ = [
    "ConfigError",
    "Event",
    "GameConfig",
    "GameMap",
    "IllegalActionError",
    "MapError",
    "Outcome",
    "QuackError",
    "RecordTrajectory",
    "Trajectory",
    "TrajectoryError",
    "__version__",
    "env",
    "parallel_env",
    "raw_env",
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


register_environments()
