"""Imported first: Ctrl-C ends a script with a word while all else is still being imported, too."""

from __future__ import annotations

import os
import sys
from types import TracebackType


def tell(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    """What is said of an exception that nobody caught."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, fault, trace)
        return
    sys.stderr.write("stopped\n")
    sys.stderr.flush()
    os._exit(130)


sys.excepthook = tell
