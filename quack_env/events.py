"""What happened: one typed value per event, as it is stored in a recording."""

from __future__ import annotations

from typing import Any, NamedTuple

from quack_env import kinds as K
from quack_env.briefing import Briefing
from quack_env.kinds import KINDS, STATEMENTS, unpack
from quack_env.outcome import REASONS, TEAMS

CALL_REASONS = ("button", "body")
NO_EJECTION_REASONS = ("tie", "skip")
ROLES = ("goose", "duck")
MOVEMENTS = (K.DEPART, K.ARRIVE, K.TRANSIT_CANCELLED)


class Event(NamedTuple):
    """One event. Seats are numbers, rooms are names; None where a field does not apply.

    ``room`` is where it happened; for depart and arrive, ``room`` is the origin and ``to`` the destination of the way.
    ``seen_by`` are the seats that perceived it: whoever is in it may know every field.
    ``data`` by kind: task_step {"progress"}, meeting_called {"reason": "body" | "button"}, statement {"says"},
    ejected {"role"} where it is shown, no_ejection {"reason": "tie" | "skip"}, leg_start {"leg"}, lapsed {"action"},
    fallback {"reason"}, game_over {"winner", "reason"}.
    """

    tick: int
    index: int
    kind: str
    actor: int | None = None
    target: int | None = None
    room: str | None = None
    to: str | None = None
    text: str | None = None
    data: dict[str, Any] | None = None
    seen_by: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields that apply, JSON-ready."""
        fields = {name: value for name, value in self._asdict().items() if value is not None}
        return fields | {"seen_by": list(self.seen_by)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Event:
        """The event of `to_dict`; `KeyError` or `TypeError` when a field is missing or unknown."""
        return cls(**{**data, "seen_by": tuple(data["seen_by"])})


def event_of(packed: int, index: int, briefing: Briefing, text: str | None = None) -> Event:
    """The event value of a packed event."""
    tick, kind, actor, target, room, to, seen_by = unpack(packed)
    data: dict[str, Any] | None = None
    destination: str | None = None
    rooms = briefing.game_map.rooms
    if kind in MOVEMENTS:
        destination = rooms[to]
    elif to >= 0:
        data = details(kind, to, briefing)
    return Event(
        tick,
        index,
        KINDS[kind],
        actor if actor >= 0 else None,
        target if target >= 0 else None,
        rooms[room] if room >= 0 else None,
        destination,
        text,
        data,
        tuple(j for j in range(len(briefing.names)) if seen_by >> j & 1),
    )


def details(kind: int, value: int, briefing: Briefing) -> dict[str, Any]:
    """The `data` of an event from its packed detail."""
    if kind == K.TASK_STEP:
        return {"progress": value}
    if kind == K.MEETING_CALLED:
        return {"reason": CALL_REASONS[value]}
    if kind == K.STATEMENT:
        return {"says": STATEMENTS[value]}
    if kind == K.EJECTED:
        return {"role": ROLES[value]}
    if kind == K.NO_EJECTION:
        return {"reason": NO_EJECTION_REASONS[value]}
    if kind == K.LEG_START:
        return {"leg": value}
    if kind == K.LAPSED:
        return {"action": briefing.action_names[value]}
    return {"winner": TEAMS[value // 8], "reason": REASONS[value % 8]}
