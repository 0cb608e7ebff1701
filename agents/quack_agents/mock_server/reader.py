"""Reads simple claims off an utterance, where a prompt is that of the model extractor."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

MARK = '{"claims": [...]}'
"""The form of the answer, as the prompt of the extractor words it."""
_TIME = r"(?: (at tick \d+|from tick \d+ to \d+))?"


def asked_for_claims(system: str) -> bool:
    """Whether a system message is the extractor's."""
    return MARK in system


def claims(user: str) -> list[dict[str, Any]]:
    """The claims of the utterance in a prompt of the extractor, in the form that it wants.

    Read are "I was in ROOM", "I saw NAME in ROOM" and "I found the body of NAME in ROOM", perhaps with a tick or a span
    of ticks, and "NAME is suspicious"; other words make none.
    """
    try:
        asked = json.JSONDecoder().raw_decode(user)[0]
        speaker, players, rooms, words = (asked[key] for key in ("speaker", "players", "rooms", "utterance"))
        player, room = _one_of(players), _one_of(rooms)
    except (ValueError, KeyError, TypeError):
        return []
    found: list[dict[str, Any]] = []

    def told(pattern: str) -> Iterator[Sequence[str]]:
        return (match.groups(default="") for match in re.finditer(rf"\b{pattern}", words))

    for where, time in told(rf"I was in {room}\b{_TIME}"):
        found.append({"type": "location", "subject": speaker, "room": where, "of": "player", **_own(time)})
    for kind, opening in (("player", "I saw "), ("body", "I found the body of ")):
        for whom, where, time in told(rf"{opening}{player} in {room}\b{_TIME}"):
            seen = {"subject": speaker, "target": whom, "room": where, "of": kind}
            found.append({"type": "sighting", **seen, **_own(time)})
    for (whom,) in told(rf"{player} (?=is suspicious\b)"):
        if whom != speaker:
            found.append({"type": "accusation", "target": whom, "confidence": "moderate"})
    return found


def _own(time: str) -> dict[str, Any]:
    """What claims of the speaker about itself, or what it saw, have in common."""
    return {"polarity": "positive", "time": time or None, "attribution": "own"}


def _one_of(names: Sequence[str]) -> str:
    """A group for any of the names, the longer ones first."""
    return f"({'|'.join(re.escape(name) for name in sorted(names, key=len, reverse=True))})"
