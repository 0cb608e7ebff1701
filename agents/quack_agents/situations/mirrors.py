"""Controls of a situation, made from it by a declared exchange of two players."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from quack_agents.situations.situation import Ballot, Deed, Entry, Mirror, Roam, Situation, SituationError, Speech


def mirrored(situation: Situation, name: str) -> Situation:
    """The control of that name."""
    mirror = situation.mirrors[name]
    made = {"order": _other_order, "parts": _other_parts}[mirror.kind](situation, mirror)
    return replace(made, mirror=name, mirrors={})


def _exchange(mirror: Mirror) -> Callable[[str], str]:
    """One name for the other, wherever it stands as a word of its own."""
    other = {mirror.first: mirror.second, mirror.second: mirror.first}
    pattern = re.compile(rf"\b({re.escape(mirror.first)}|{re.escape(mirror.second)})\b")
    return lambda text: pattern.sub(lambda match: other[match[0]], text)


def _other_order(situation: Situation, mirror: Mirror) -> Situation:
    """Each says what it said, in the other's turn; nothing else changes."""
    swap = _exchange(mirror)
    deeds = [entry.deed for entry in situation.entries if isinstance(entry, Speech)]
    said = {name: [deed for deed in deeds if deed.who == name] for name in situation.names}
    if len(said[mirror.first]) != len(said[mirror.second]):
        raise SituationError(
            f"{situation.source}: {mirror.first} and {mirror.second} cannot change turns: they do not speak as often"
        )
    turns = {name: iter(spoken) for name, spoken in said.items()}
    entries = [
        Speech(next(turns[swap(entry.deed.who)])) if isinstance(entry, Speech) else entry for entry in situation.entries
    ]
    return replace(situation, entries=tuple(entries), speaking=tuple(map(swap, situation.speaking)))


def _other_parts(situation: Situation, mirror: Mirror) -> Situation:
    """Each is and does what the other was and did, in the seat and under the name it has."""
    swap = _exchange(mirror)
    by_name = {part.name: part for part in situation.parts}
    entries = tuple(_renamed(entry, swap) for entry in situation.entries)
    return replace(
        situation,
        parts=tuple(by_name[swap(part.name)]._replace(name=part.name) for part in situation.parts),
        tested=tuple(map(swap, situation.tested)),
        entries=entries,
        speaking=tuple(map(swap, situation.speaking)),
        turns=tuple(map(swap, situation.turns)),
    )


def _renamed(entry: Entry, swap: Callable[[str], str]) -> Entry:
    def deed(of: Deed) -> Deed:
        return Deed(swap(of.who), swap(of.action), of.line, of.text and swap(of.text))

    if isinstance(entry, Roam):
        return Roam({swap(who): [deed(one) for one in deeds] for who, deeds in entry.deeds.items()}, entry.line)
    if isinstance(entry, Ballot):
        return Ballot({swap(who): deed(one) for who, one in entry.deeds.items()}, entry.line)
    return Speech(deed(entry.deed)) if isinstance(entry, Speech) else entry
