"""One runner at a time in a run's folder."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quack_env import ConfigError

FILE = "run.lock"


@contextmanager
def locked(run: Path, patience: float = 5.0) -> Iterator[None]:
    """Hold the lock of a run; it is let go with the process, however that ends.

    Args:
        run: the folder.
        patience: seconds to wait for another holder; the workers of a killed runner take a moment to end.

    Raises:
        ConfigError: where another process holds it, naming that.
    """
    import fcntl  # not on every system; only runs need it

    end = time.monotonic() + patience
    with open(run / FILE, "a+", encoding="utf-8") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() >= end:
                    file.seek(0)
                    raise ConfigError(f"{run}: {_holder(file.read())} is playing this run; wait, or end it") from None
                time.sleep(0.1)
        file.truncate(0)
        file.write(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%F %T")}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _holder(text: str) -> str:
    try:
        holder = json.loads(text)
        return f"process {holder['pid']} on {holder['host']} (since {holder['since']})"
    except (ValueError, KeyError, TypeError):
        return "another process"
