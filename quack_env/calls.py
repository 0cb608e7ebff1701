"""`calls.jsonl`: the model calls of a recorded game, one record a line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from quack_env.errors import TrajectoryError
from quack_env.yaml_file import not_utf8

FILE = "calls.jsonl"
SCHEMA = 1


def cut_off(path: str | os.PathLike[str]) -> str | None:
    """Which line `load_calls` leaves out since it was cut off, with its file; None mostly."""
    file = Path(path) / FILE
    data = file.read_bytes() if file.is_file() else b""
    if not data or data.endswith(b"\n"):
        return None
    number = data.count(b"\n") + 1
    return f"{file}, line {number}: cut off (it does not end in a newline), left out"


def load_calls(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The calls of a recorded game (its folder, or the file); none without the file; a torn last line is left out.

    Raises:
        TrajectoryError: a damaged line, named, or a newer schema.
    """
    file = Path(path)
    file = file / FILE if file.is_dir() else file
    if not file.exists():
        return []
    lines = file.read_bytes().split(b"\n")
    lines.pop()  # what is not ended by a line break is torn
    calls: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            call = json.loads(line)
            newer = call["schema_version"] > SCHEMA
        except UnicodeDecodeError as fault:
            raise TrajectoryError(f"{file}, line {number}: damaged, {not_utf8(fault)}") from None
        except (ValueError, KeyError, TypeError):
            raise TrajectoryError(f"{file}, line {number}: damaged, no record of a call") from None
        if newer:
            raise TrajectoryError(f"{file}, line {number}: schema {call['schema_version']} is newer than {SCHEMA}")
        calls.append(call)
    return calls
