"""QUACK: a multi-agent social-deduction environment whose games can be audited word by word."""

from __future__ import annotations

from typing import Any

from quack_env.aec import QuackAEC
from quack_env.config import GameConfig
from quack_env.errors import ConfigError, IllegalActionError, MapError, QuackError, TrajectoryError
from quack_env.game_map import GameMap
from quack_env.outcome import Outcome


def raw_env(**options: Any) -> QuackAEC:
    """The AEC environment without wrappers; options as in `QuackBase`."""
    return QuackAEC(**options)
