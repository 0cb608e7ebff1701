"""Where claims come from: `tokens` statements, the published extractions, and an extractor over free text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from quack_env import Event, Trajectory
from quack_eval.claims.finding import Finding, Said
from quack_eval.claims.record import room_named
from quack_eval.claims.time_window import Window
from quack_eval.claims.types import Claim

EXTRACTION = "extraction.jsonl"
VERDICTS = "verdicts.jsonl"
TEAMS = {"goose": "geese", "duck": "ducks"}


class Message(NamedTuple):
    """One utterance in a meeting. ``round`` counts from 1; ``sha`` is the sha256 of the text."""

    event: int
    speaker: int
    meeting: int
    round: int
    tick: int
    text: str
    sha: str


class Extractor(Protocol):
    """Turns an utterance into claims; see `quack_eval.extract`."""

    def __call__(
        self, message: str, *, speaker: str, players: list[str], rooms: list[str], tick: int, transcript: list[str]
    ) -> list[Claim]:
        """The claims of one utterance."""


def statements(trajectory: Trajectory) -> Iterator[tuple[Event, int, int]]:
    """(event, meeting, round) of every statement made in a meeting, in order."""
    meeting = -1
    spoken: dict[int, int] = {}
    for event in trajectory.events:
        if event.kind == "meeting_called":
            meeting, spoken = meeting + 1, {}
        elif event.kind == "statement" and event.actor is not None:
            spoken[event.actor] = spoken.get(event.actor, 0) + 1
            yield event, meeting, spoken[event.actor]


def messages(trajectory: Trajectory) -> list[Message]:
    """Every utterance in words, in order."""
    return [
        Message(event.index, event.actor or 0, meeting, number, event.tick, event.text, _sha(event.text))
        for event, meeting, number in statements(trajectory)
        if event.text is not None
    ]


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def recorded(trajectory: Trajectory) -> list[Said]:
    """The claims that come with a recording: its `tokens` statements, or the published extraction beside it."""
    known = vars(trajectory).get("_said")
    if known is None:
        known = vars(trajectory)["_said"] = token_claims(trajectory) or published_claims(trajectory)
    found: list[Said] = known
    return found


# --- tokens ----------------------------------------------------------------------------------------------------------


def token_claims(trajectory: Trajectory) -> list[Said]:
    """The claims of `tokens` statements, exactly as they were made."""
    found: list[Said] = []
    for event, meeting, number in statements(trajectory):
        claim = token_claim(event, trajectory.names)
        if claim:
            found.append(Said(claim, event.actor or 0, meeting, event.index, number))
    return found


def token_claim(event: Event, names: list[str]) -> Claim | None:
    """The claim of a statement event; None where it says nothing that can be checked."""
    says = (event.data or {}).get("says")
    me = names[event.actor or 0]
    whom = names[event.target] if event.target is not None else None
    if says == "was_in":
        return Claim("location", me, event.room, attribution="own")
    if says == "saw":
        return Claim("sighting", me, event.room, target=whom, attribution="own")
    if says == "did_task":
        return Claim("activity", me, event.room, activity="task", attribution="own")
    if says == "suspect":
        return Claim("accusation", me, target=whom, attribution="own", confidence="moderate")
    if says == "vouch":
        return Claim("defense", me, target=whom, attribution="own")
    return None


# --- published files -------------------------------------------------------------------------------------------------


def published_claims(trajectory: Trajectory) -> list[Said]:
    """The claims of the published `extraction.jsonl` beside a game, in the order of the utterances."""
    file = (trajectory.path or Path()) / EXTRACTION
    if trajectory.path is None or not file.is_file():
        return []
    extracted: dict[tuple[int, int, str], list[dict[str, Any]]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        _, _, agent, meeting, sha = entry["key"].rsplit("|", 4)
        extracted[int(agent.removeprefix("player_")), int(meeting), sha] = entry["claims"]
    found: list[Said] = []
    for message in messages(trajectory):
        for data in extracted.pop((message.speaker, message.meeting, message.sha), ()):
            found.append(_said(Claim.from_dict(data), message))
    return found


def _said(claim: Claim, message: Message) -> Said:
    return Said(claim, message.speaker, message.meeting, message.event, message.round, message.sha, message.text)


def extracted_claims(trajectory: Trajectory, extractor: Callable[..., list[Claim]]) -> list[Said]:
    """The claims that an extractor finds in the utterances of a game."""
    names, rooms = trajectory.names, list(trajectory.game_map.rooms)
    found: list[Said] = []
    transcript: list[str] = []
    meeting = -1
    for message in messages(trajectory):
        if message.meeting != meeting:
            meeting, transcript = message.meeting, []
        speaker = names[message.speaker]
        claims = extractor(
            message.text, speaker=speaker, players=names, rooms=rooms, tick=message.tick, transcript=list(transcript)
        )
        found += [_said(claim, message) for claim in claims]
        transcript.append(f"{speaker}: {message.text}")
    return found


def published_findings(trajectory: Trajectory) -> list[Finding]:
    """The published `verdicts.jsonl` beside a game, as the findings of another judge."""
    file = (trajectory.path or Path()) / VERDICTS
    if trajectory.path is None or not file.is_file():
        return []
    by_sha = {(m.speaker, m.meeting, m.sha): m for m in messages(trajectory)}
    found: list[Finding] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        found.append(_published(json.loads(line), by_sha, trajectory))
    return found


def _published(data: dict[str, Any], by_sha: dict[tuple[int, int, str], Message], trajectory: Trajectory) -> Finding:
    speaker = int(data["speaker"]["speaker_id"].removeprefix("player_"))
    meeting, sha = data["meeting"]["meeting_idx"], data["utterance"]["sha256"]
    message = by_sha.get((speaker, meeting, sha))
    verification = data["verification"]
    evidence = verification.get("evidence") or {}
    kind = data["structured_claim"]["claim_type"]
    claim = _published_claim(data["structured_claim"], evidence, trajectory.names[speaker])
    start, end = data["temporal_window"]["start_tick"], data["temporal_window"]["end_tick"]
    grounded = evidence.get("accusation_grounded")
    return Finding(
        claim,
        Window((), start, end, meeting, verification["resolution_source"], "published"),
        verification["verdict"],
        verification["reason"],
        (),
        speaker,
        meeting,
        message.round if message else 0,
        message.event if message else -1,
        sha,
        support=("own" if grounded else "none") if kind == "accusation" else None,
        grounds=evidence.get("grounding_reason"),
        details={"published": bool(grounded)} if kind == "accusation" else {},
    )


def _published_claim(data: dict[str, Any], evidence: dict[str, Any], speaker: str) -> Claim:
    """The claim as far as the verdict repeats it: of a route, what its evidence holds."""
    kind = data["claim_type"]
    claim = Claim.from_dict(
        {
            "type": kind,
            "subject": data["subject"] or speaker,
            "room": data["room"],
            "target": data["target"],
            "activity": data["activity"],
            "temporal": data["temporal_ref"],
            "confidence": data["confidence"],
            "route": evidence.get("claimed_route") or [],
        }
    )
    return claim


__all__ = [
    "Extractor",
    "Message",
    "extracted_claims",
    "messages",
    "published_claims",
    "published_findings",
    "recorded",
    "room_named",
    "token_claims",
]
