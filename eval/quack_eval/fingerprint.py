"""What a recording is like, in a few letters: an evaluation keeps them, to tell later whether a recording changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from quack_env.trajectory import FILE as OWN
from quack_env.trajectory import STATUS
from quack_eval.claims.sources import EXTRACTION, VERDICTS
from quack_eval.importers.published_log import FILE as PUBLISHED


def recording_in(folder: Path) -> Path:
    """The file that holds a recorded game."""
    return folder / (OWN if (folder / OWN).is_file() else PUBLISHED)


def fingerprint(folder: Path) -> str:
    """A digest of a game's recording, of what is said of how it ended, and of claims and verdicts that lie beside it.

    It is of contents, and no time is in it.
    """
    found = hashlib.blake2b(digest_size=8)
    beside = [file for name in (EXTRACTION, VERDICTS) if (file := folder / name).is_file()]
    for file in (recording_in(folder), folder / STATUS, *beside):
        try:
            with open(file, "rb") as stream:
                found.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError:  # there may be none, and a file that cannot be read is the evaluation's to tell of
            found.update(b"-")
    return found.hexdigest()
