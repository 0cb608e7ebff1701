"""What happened: one typed value per event, as it is stored in a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from quack_env import kinds
from quack_env.briefing import Briefing
from quack_env.kinds import KINDS, STATEMENTS, unpack
from quack_env.outcome import REASONS, TEAMS

CALL_REASONS = ("button", "body")
NO_EJECTION_REASONS = ("tie", "skip")
ROLES = ("goose", "duck")
MOVEMENTS = (kinds.DEPART, kinds.ARRIVE, kinds.TRANSIT_CANCELLED)


class Event(NamedTuple):
    """One event. Seats are numbers, rooms are names; None where a field does not apply.

    ``room`` is where it happened; for depart and arrive, ``room`` is the origin and ``to`` the destination of the way.
    ``seen_by`` are the seats that perceived it: whoever is in it may know every field.
    ``data`` by kind: task_step {"progress"}, meeting_called {"reason": "body" | "button"}, statement {"says"},
    ejected {"role"} where it is shown, no_ejection {"reason": "tie" | "skip"}, leg_start {"leg"}, lapsed {"action"},
    fallback {"reason"}, game_over {"winner", "reason"}.
    """

    tick: int
    index: int  # type: ignore[assignment]  # the field hides tuple.index
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
    if kind == kinds.TASK_STEP:
        return {"progress": value}
    if kind == kinds.MEETING_CALLED:
        return {"reason": CALL_REASONS[value]}
    if kind == kinds.STATEMENT:
        return {"says": STATEMENTS[value]}
    if kind == kinds.EJECTED:
        return {"role": ROLES[value]}
    if kind == kinds.NO_EJECTION:
        return {"reason": NO_EJECTION_REASONS[value]}
    if kind == kinds.LEG_START:
        return {"leg": value}
    if kind == kinds.LAPSED:
        return {"action": briefing.action_names[value]}
    return {"winner": TEAMS[value // 8], "reason": REASONS[value % 8]}


def sentence(event: Event, names: Sequence[str]) -> str:
    """One event in plain words, without its tick; "" for those without any, and for utterances."""
    who = names[event.actor] if event.actor is not None else ""
    whom = names[event.target] if event.target is not None else ""
    data = event.data or {}
    if event.kind in ("ejected", "no_ejection", "vote", "meeting_called"):
        return _meeting_sentence(event.kind, who, whom, data)
    return {
        "wait": f"{who} waited in {event.room}",
        "depart": f"{who} left {event.room} towards {event.to}",
        "arrive": f"{who} came into {event.to} from {event.room}",
        "task_step": f"{who} worked on a task in {event.room} (step {data.get('progress')})",
        "task_done": f"{who} finished a task in {event.room}",
        "kill": f"{who} killed {whom} in {event.room}",
        "body_appeared": f"the body of {whom} lay in {event.room}",
        "body_reported": f"{who} reported the body of {whom} in {event.room}",
        "transit_cancelled": f"{who} was back in {event.room}, from the way to {event.to}",
        "respawn": f"{who} was placed in {event.room}",
        "lapsed": f"{who} could no longer do {data.get('action')}",
        "fallback": f"{who} fell back on a default ({data.get('reason')})",
        "game_over": f"the {data.get('winner')} win: {data.get('reason')}",
    }.get(event.kind, "")


def _meeting_sentence(kind: str, who: str, whom: str, data: dict[str, Any]) -> str:
    if kind == "meeting_called":
        return f"{who} called a meeting ({'a body was found' if data['reason'] == 'body' else 'by the button'})"
    if kind == "vote":
        return f"{who} voted for {whom}" if whom else f"{who} skipped the vote"
    if kind == "no_ejection":
        return f"nobody was ejected ({'skipped' if data['reason'] == 'skip' else 'a tie'})"
    return f"{whom} was ejected" + (f", a {str(data['role']).capitalize()}" if "role" in data else "")
