"""Worker processes that end with the process that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait


def processes(jobs: int) -> ProcessPoolExecutor:
    """So many worker processes, started already; on Linux copies of this one, elsewhere what Python has as a default.

    Copies know what a script has defined (tiers, verifiers, policies of its own) and need no main guard in it, which
    fresh processes do; on macOS they may crash in the system's libraries. Python 3.12 and later warn of copying a
    process with several threads: a lock that another thread holds is held for ever in the copy. What the workers run
    takes none of those that can be held here, which are the progress bar's and the models' loop's: games of models are
    played in threads.
    """
    method = "fork" if sys.platform == "linux" else None
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context(method), begin_worker)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*multi-threaded", DeprecationWarning)
        pool.submit(os.getpid)  # by which all copies are made
    return pool


def begin_worker() -> None:
    """What a worker does first: leave Ctrl-C to its parent, and watch it.

    A pool's workers would wait for ever for a parent that was killed, and with them whatever they hold open.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
