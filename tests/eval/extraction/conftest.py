"""What the tests of extraction share: a game's names and rooms, and claims in few words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from quack_eval.claims.extract import extract

PLAYERS = ("Alice", "Bob", "Charlie", "Diana", "Eve", "Frank")
ROOMS = (
    "cafeteria", "weapons", "oxygen", "upper_engine", "medbay", "electrical", "security", "lower_engine", "storage",
    "navigation",
)  # fmt: skip

Said = Callable[..., list[str]]


def brief(message: str, speaker: str = "Alice", transcript: tuple[tuple[str, str], ...] = ()) -> list[str]:
    """The claims of a message, each as a few words."""
    found = []
    for claim in extract(message, speaker=speaker, players=PLAYERS, rooms=ROOMS, transcript=transcript):
        no = "not " if claim.negative else ""
        if claim.kind == "location":
            found.append(f"{no}{claim.subject} in {claim.room}" + (" (body)" if claim.of == "body" else ""))
        elif claim.kind == "route":
            found.append(f"{no}{claim.subject} {'>'.join(claim.route)}")
        elif claim.kind == "sighting":
            found.append(
                f"{no}{claim.subject} saw {claim.target} in {claim.room}" + (" (body)" if claim.of == "body" else "")
            )
        elif claim.kind == "activity":
            found.append(f"{no}{claim.subject} {claim.activity} {claim.origin}>{claim.room}")
        elif claim.kind == "accusation":
            found.append(f"suspects {claim.target} ({claim.confidence})")
        else:
            found.append(f"clears {claim.target}")
    return found


@pytest.fixture
def said() -> Said:
    """The claims of a message in few words."""
    return brief
