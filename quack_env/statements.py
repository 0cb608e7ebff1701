"""Statements of the finite grammar (speech "tokens"): codes, values and their plain words."""

from __future__ import annotations

from typing import NamedTuple

from quack_env.kinds import DID_TASK, NOTHING, SAW, STATEMENTS, SUSPECT, VOUCH, WAS_IN
from quack_env.world import World


class Statement(NamedTuple):
    """One typed statement. ``kind``: "was_in", "saw", "did_task", "suspect", "vouch", "nothing"; names, not numbers."""

    kind: str
    player: str | None = None
    room: str | None = None


def decode(world: World, code: int) -> tuple[int, int, int]:
    """(kind, seat named or -1, room named or -1) of a statement code (action - act_state)."""
    n = world.n
    rooms = world.R
    if code < rooms:
        return WAS_IN, -1, code
    code -= rooms
    if code < n * rooms:
        return SAW, code // rooms, code % rooms
    code -= n * rooms
    if code < rooms:
        return DID_TASK, -1, code
    code -= rooms
    if code < n:
        return SUSPECT, code, -1
    code -= n
    if code < n:
        return VOUCH, code, -1
    return NOTHING, -1, -1


def encode(world: World, kind: int, target: int = -1, room: int = -1) -> int:
    """The code of a statement; the inverse of `decode`."""
    n, rooms = world.n, world.R
    if kind == WAS_IN:
        return room
    if kind == SAW:
        return rooms + target * rooms + room
    if kind == DID_TASK:
        return rooms + n * rooms + room
    if kind == SUSPECT:
        return 2 * rooms + n * rooms + target
    if kind == VOUCH:
        return 2 * rooms + n * rooms + n + target
    return 2 * rooms + n * rooms + 2 * n


def words(statement: Statement) -> str:
    """The statement in plain words, as listeners without the grammar read it."""
    player, room = statement.player, statement.room
    return {
        "was_in": f"I was in {room}.",
        "saw": f"I saw {player} in {room}.",
        "did_task": f"I did a task in {room}.",
        "suspect": f"{player} is suspicious.",
        "vouch": f"I vouch for {player}.",
        "nothing": "I have nothing to say.",
    }[statement.kind]


def named(kind: int, player: str | None, room: str | None) -> Statement:
    """The statement value for a kind number and names."""
    return Statement(STATEMENTS[kind], player, room)
