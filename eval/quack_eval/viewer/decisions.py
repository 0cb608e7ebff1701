"""The decisions of models: prompts, replies and images as they were sent, packed for a page."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from typing import Any

from quack_env import GameRecord, TrajectoryError
from quack_env.calls import load_calls
from quack_env.replay import DECISIONS
from quack_env.wrappers import IMAGES
from quack_eval.viewer.perception import Pictures

KEPT = ("reply", "reasoning", "finish_reason", "fallback", "error", "model", "modality", "attempt", "phase", "tick")
NUMBERS = ("prompt_tokens", "completion_tokens", "cost", "latency", "cached", "retries")


def call_data(record: GameRecord, pictures: Sequence[Pictures]) -> dict[str, Any] | None:
    """Calls and drawn images by the event that they led to; None where there are none.

    ``packed`` is the list of calls as gzipped JSON in base64: prompts repeat themselves, and shrink to a few percent.
    """
    calls, fault = _calls(record)
    drawn = [[picture.event, picture.seat, picture.map, picture.room] for picture in pictures]
    if not calls and not drawn and not fault:
        return None
    seats = {seat.agent: number for number, seat in enumerate(record.header.seats)}
    places = _Places(record)
    found = [_call(call, seats.get(str(call.get("agent"))), places) for call in calls]
    found.sort(key=lambda call: (call["seat"] or 0, call["event"] or 0))  # neighbours that look alike pack best
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    packed = gzip.compress(text.encode("utf-8", "backslashreplace"), 9, mtime=0)
    stored = _stored(record)
    return {
        "count": len(found),
        "packed": base64.b64encode(packed).decode("ascii"),
        "drawn": drawn,
        "stored": stored,
        "fault": fault,
    }


def _calls(trajectory: GameRecord) -> tuple[list[dict[str, Any]], str]:
    if trajectory.path is None:
        return [], ""
    try:
        return load_calls(trajectory.path), ""
    except TrajectoryError as fault:
        return [], str(fault)


def _stored(trajectory: GameRecord) -> list[str]:
    """The hashes of the images that were kept with the recording."""
    folder = trajectory.path / IMAGES if trajectory.path else None
    return sorted(file.stem for file in folder.glob("*.png")) if folder and folder.is_dir() else []


def _call(call: dict[str, Any], seat: int | None, places: _Places) -> dict[str, Any]:
    parse = call.get("parse") or {}
    return {
        "seat": seat,
        "event": places.event(call, seat),
        "messages": [_message(message) for message in call.get("messages") or ()],
        "decision": parse.get("action"),
        "failure": parse.get("failure"),
        "detail": parse.get("detail"),
        **{name: call.get(name) for name in (*KEPT, *NUMBERS)},
    }


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """Role, text, and the images by hash."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": str(content or "")}]
    texts = [str(part.get("text", "")) for part in parts if part.get("type") == "text"]
    images = [[part.get("name"), part.get("hash")] for part in parts if part.get("type") == "image"]
    return {"role": str(message.get("role")), "text": "\n".join(texts), "images": images}


class _Places:
    """Finds the event that a call led to: by seat and tick, in meetings by their number and round."""

    def __init__(self, trajectory: GameRecord) -> None:
        self.free: dict[tuple[int, int], int] = {}
        self.speech: dict[tuple[int, int, int], int] = {}
        self.vote: dict[tuple[int, int], int] = {}
        meeting = -1
        spoken: dict[int, int] = {}
        for event in trajectory.events:
            seat = event.actor
            if event.kind == "meeting_called":
                meeting, spoken = meeting + 1, {}
            if seat is None or event.kind not in DECISIONS:
                continue
            if event.kind == "statement":
                spoken[seat] = spoken.get(seat, 0) + 1
                self.speech[seat, meeting, spoken[seat]] = event.index
            elif event.kind == "vote":
                self.vote[seat, meeting] = event.index
            else:
                self.free.setdefault((seat, event.tick), event.index)

    def event(self, call: dict[str, Any], seat: int | None) -> int | None:
        """The index of the event; None where the recording ends before it."""
        if seat is None:
            return None
        meeting = call.get("meeting")
        if call.get("phase") == "discussion":
            return self.speech.get((seat, meeting, call.get("round")))  # type: ignore[arg-type]
        if call.get("phase") == "voting":
            return self.vote.get((seat, meeting))  # type: ignore[arg-type]
        return self.free.get((seat, int(call.get("tick") or 0)))
