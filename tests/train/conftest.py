"""The training scripts are no package that is installed: their folder is put on the path."""

from __future__ import annotations

import sys
from pathlib import Path

import quack_env

TRAIN = Path(quack_env.__file__).parents[1] / "agents" / "train"
sys.path.insert(0, str(TRAIN))
