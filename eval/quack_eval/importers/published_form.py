"""The form of what stands in a published game's files, as far as it is read; whatever is more is passed over."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from quack_env.yaml_file import shown

Verdict = Literal["true", "false", "wrong_room", "near_miss", "unverifiable"]


class Form(BaseModel):
    """Named fields of given types, none converted."""

    model_config = ConfigDict(strict=True)


WORDS = {
    "model_type": "an object",
    "dict_type": "an object",
    "list_type": "a list",
    "string_type": "a text",
    "int_type": "a whole number",
}
"""What Pydantic's types of errors miss, in words."""


def form(**fields: Any) -> type[Form]:
    """The form with these fields: each has a type, and a default where it may be left out."""
    typed: dict[str, Any] = {name: kind if isinstance(kind, tuple) else (kind, ...) for name, kind in fields.items()}
    return create_model("form", __base__=Form, **typed)


def check(kind: type[Form], value: object) -> None:
    """Nothing, for a value of this form.

    Raises:
        ValueError: for another, in one line: which field, what it must be, what it is.
    """
    try:
        kind.model_validate(value)
    except ValidationError as fault:
        raise ValueError(_explained(fault.errors()[0])) from None


def _explained(error: Any) -> str:
    """One of Pydantic's error records in our words."""
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"{place}: missing"
    wanted = WORDS.get(error["type"]) or error["msg"].removeprefix("Input should be ")
    return f"{place}: must be {wanted}, not {shown(error['input'])}".removeprefix(": ")


# --- game.jsonl ------------------------------------------------------------------------------------------------------

LINE = form(event_type=str, tick=int, data=dict[str, Any])
_TASK = form(room=str, name=str)
_PLAYER = form(name=str, role=str, room=str, tasks=list[_TASK])  # type: ignore[valid-type]
_CALL = form(caller=str, reason=str, bodies=list[form(victim_name=str, room=str)])  # type: ignore[misc]
STARTED = form(initial_state=dict[str, _PLAYER])  # type: ignore[valid-type]
EVENTS = {
    "tick_start": form(tick=int),
    "tick_end": form(tick=int),
    "player_moved": form(player_id=str, to=str, ticks_remaining=(int, 0), **{"from": str}),
    "task_progress": form(player_id=str, task_name=str, room=str, progress=str),
    "task_completed": form(player_id=str, task_name=str, room=str),
    "player_killed": form(killer_id=str, target_id=str, room=str),
    "free_roam_chat": form(player_id=str, name=str, room=str, message=str, tick=int),
    "body_reported": _CALL,
    "meeting_called": _CALL,
    "phase_changed": form(phase=str),
    "discussion_message": form(player_id=str, message=str),
    "vote_cast": form(voter=str, target=str | None),
    "player_ejected": form(player_id=str, name=str, role=str, team=str, votes=dict[str, str | None]),
    "vote_skipped": form(),
    "players_respawned": form(rooms=dict[str, str]),
    "game_over": form(winner=str, reason=str),
}
"""What each kind of event has as its ``data``, after the first line."""

# --- config.yaml -----------------------------------------------------------------------------------------------------

_PLACE = form(x=Any, y=Any)
_MAP = form(
    rooms=dict[str, _PLACE],  # type: ignore[valid-type]
    corridors=Any,
    task_locations=list[_TASK],  # type: ignore[valid-type]
    emergency_button=Any,
)
_BLOCK: Any = (dict[str, Any], {})
SETTINGS = form(
    game=(form(kill=_BLOCK, tasks=_BLOCK, meeting=_BLOCK), {}),
    map=(_MAP | None, None),
    model=(form(name=(str | None, None)), {}),
    experiment=(form(duck_model=(str | None, None)), {}),
    seed=(Annotated[int, Field(ge=0)], 0),
)
"""Of game and map only what holds the values: these are checked as ours are."""

# --- beside the game -------------------------------------------------------------------------------------------------

EXTRACTION = form(key=str, claims=list[dict[str, Any]])
_TEXT = str | None
_CLAIM = form(
    claim_type=str, subject=_TEXT, room=_TEXT, target=_TEXT, activity=_TEXT, temporal_ref=_TEXT, confidence=_TEXT
)
VERDICT = form(
    speaker=form(speaker_id=str),
    meeting=form(meeting_idx=int),
    utterance=form(sha256=str),
    structured_claim=_CLAIM,
    temporal_window=form(start_tick=int, end_tick=int),
    verification=form(verdict=Verdict, reason=str, resolution_source=str, evidence=(dict[str, Any] | None, None)),
)
