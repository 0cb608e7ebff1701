"""Claims and games in plain words, for people who read or check them."""

from __future__ import annotations

from quack_env import GameRecord
from quack_eval.claims.types import Claim

DEEDS = {
    "task": ("did a task", "did no task"),
    "waiting": ("was waiting", "was not waiting"),
    "report": ("reported a body", "reported no body"),
    "call": ("called a meeting", "called no meeting"),
}
"""Activities that stay in a room, and their denials."""


def told_game(record: GameRecord) -> str:
    """How messages call a recorded game: by its folder, else by its seed."""
    return f"the game of seed {record.header.seed}" if record.path is None else str(record.path)


def no_meeting(meeting: object, meetings: int) -> str:
    """What is wrong with a number that is no meeting's, in a game of so many."""
    return f"there is no meeting {meeting!r}; this game has {meetings}, numbered from 0"


def claim_words(claim: Claim, speaker: str) -> str:
    """A claim in plain words, the speaker's where it names nobody."""
    who = claim.subject or speaker
    when = f" ({claim.time})" if claim.time else ""
    where = f" in {claim.room}" if claim.room else ""
    if claim.kind == "route":
        went = "did not go" if claim.negative else "went"
        return f"{who} {went} {' → '.join(claim.route)}{when}"
    if claim.type == "location":
        body = "the body of " if claim.of == "body" else ""
        no = "not " if claim.negative else ""
        return f"{body}{who} was {no}{where.strip() or 'somewhere'}{when}"
    if claim.type == "sighting":
        return f"{who} {_seen(claim)}{where}{when}"
    if claim.type == "activity":
        return f"{who} {_movement(claim) if claim.activity == 'traveling' else _deed(claim) + where}{when}"
    if claim.type == "accusation":
        strength = f" ({claim.confidence})" if claim.confidence else ""
        return f"{who} accuses {claim.target or 'somebody'}{strength}"
    if claim.type == "defense":
        return f"{who} defends {claim.target or 'somebody'}"
    return f"{claim.type}: {who}{where}{when}"


def _seen(claim: Claim) -> str:
    """What a sighting says was seen, or was not."""
    if claim.of == "body":
        whom = f"the body of {claim.target}" if claim.target else "a body"
    elif claim.negative and claim.target is None:
        return "saw nobody"
    else:
        whom = claim.target or "somebody"
    return f"did not see {whom}" if claim.negative else f"saw {whom}"


def _movement(claim: Claim) -> str:
    """A movement between rooms as far as the claim names them, or its denial."""
    origin = f" from {claim.origin}" if claim.origin else ""
    to = f" to {claim.room}" if claim.room else ""
    nowhere = " anywhere" if claim.negative else " somewhere"
    return ("did not go" if claim.negative else "went") + (origin + to or nowhere)


def _deed(claim: Claim) -> str:
    """What an activity says was done, or was not."""
    activity = claim.activity or "something"
    done, denied = DEEDS.get(activity, (f"did {activity}", f"did not do {activity}"))
    return denied if claim.negative else done
