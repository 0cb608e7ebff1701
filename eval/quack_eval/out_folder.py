"""The folder that results are written into."""

from __future__ import annotations

import os
from pathlib import Path

from quack_env import ConfigError
from quack_env.yaml_file import shown


def out_folder(out: object) -> Path:
    """The folder, made where it is missing.

    Raises:
        ConfigError: where it is no path, or no folder that files can be written into.
    """
    if not isinstance(out, str | os.PathLike):
        raise ConfigError(f"{shown(out)}: must be the path of a folder")
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: must be a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise ConfigError(f"{folder}: cannot be made ({fault.strerror})") from None
    if not os.access(folder, os.W_OK):
        raise ConfigError(f"{folder}: files cannot be written into it")
    return folder
