"""Events in few words, for the narrow lines of a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from quack_env.kinds import (
    ARRIVE,
    BODY_APPEARED,
    BODY_REPORTED,
    CHAT,
    DEPART,
    EJECTED,
    GAME_OVER,
    KILL,
    KINDS,
    LAPSED,
    LEG_START,
    MEETING_CALLED,
    NO_EJECTION,
    RESPAWN,
    STATEMENT,
    TASK_DONE,
    TASK_STEP,
    TRANSIT_CANCELLED,
    VOTE,
    WAIT,
    unpack,
)
from quack_env.outcome import REASONS, TEAMS
from quack_env.statements import named, words

GRAVE = (KILL, BODY_APPEARED, BODY_REPORTED, MEETING_CALLED, EJECTED)
"""Kinds that are shown in the colour of alarm."""
SPOKEN = (CHAT, STATEMENT)


class Told(NamedTuple):
    """One event as told: when, whose figure stands before it (-1: nobody's), the words, whether they are speech."""

    tick: int
    seat: int
    words: str
    grave: bool = False
    speech: bool = False


class Facts(NamedTuple):
    """The fields of an event, as words; `to` as it is."""

    who: str
    whom: str
    here: str
    there: str
    to: int


def tell(names: Sequence[str], rooms: Sequence[str], event: int, text: str = "") -> Told | None:
    """A packed event in few words; None for one that is not told. `text` is what was said, in speech."""
    tick, kind, actor, target, room, to, _ = unpack(event)
    facts = Facts(
        names[actor] if actor >= 0 else "",
        names[target] if target >= 0 else "",
        rooms[room] if 0 <= room < len(rooms) else "",
        rooms[to] if 0 <= to < len(rooms) else "",
        to,
    )
    if kind == STATEMENT and to > 0 and not text:
        text = words(named(to, facts.whom or None, facts.here or None))
    if kind in SPOKEN:
        return Told(tick, actor, f"{facts.who}: {text}" if text else f"{facts.who} spoke", speech=True)
    phrase = PHRASES[kind](facts) if kind in PHRASES else KINDS[kind]
    return Told(tick, target if actor < 0 else actor, phrase, kind in GRAVE) if phrase else None


def _ended(to: int) -> str:
    """How the game ended."""
    team, reason = divmod(to, 8)
    return f"game over: {TEAMS[team]} win ({REASONS[reason]})"


PHRASES: dict[int, Callable[[Facts], str]] = {
    LEG_START: lambda f: "",
    WAIT: lambda f: f"{f.who} waited",
    DEPART: lambda f: f"{f.who} left to {f.there}",
    ARRIVE: lambda f: f"{f.who} came from {f.here}",
    TASK_STEP: lambda f: f"{f.who} worked in {f.here}",
    TASK_DONE: lambda f: f"{f.who} finished the task in {f.here}",
    KILL: lambda f: f"{f.who} killed {f.whom}",
    BODY_APPEARED: lambda f: f"the body of {f.whom} appeared",
    MEETING_CALLED: lambda f: f"{f.who} called a meeting: {'body found' if f.to else 'button'}",
    BODY_REPORTED: lambda f: f"{f.who} reported the body of {f.whom}",
    TRANSIT_CANCELLED: lambda f: f"{f.who} is back from the way to {f.there}",
    VOTE: lambda f: f"{f.who} voted for {f.whom}" if f.whom else f"{f.who} skipped the vote",
    EJECTED: lambda f: f"{f.whom} was ejected" + ("" if f.to < 0 else ", a Duck" if f.to else ", a Goose"),
    NO_EJECTION: lambda f: f"nobody was ejected ({'skipped' if f.to else 'tie'})",
    RESPAWN: lambda f: f"{f.who} starts in {f.here}",
    LAPSED: lambda f: f"{f.who} could not act",
    GAME_OVER: lambda f: _ended(f.to),
}
