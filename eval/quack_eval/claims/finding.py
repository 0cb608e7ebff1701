"""What the judge found about a claim: the verdict, why, and the events that decide it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from quack_eval.claims.time_window import Window
from quack_eval.claims.types import Claim
from quack_eval.importers.published_form import Verdict, check, form

TRUE, FALSE, WRONG_ROOM, NEAR_MISS, UNVERIFIABLE = "true", "false", "wrong_room", "near_miss", "unverifiable"
VERDICTS = (TRUE, FALSE, WRONG_ROOM, NEAR_MISS, UNVERIFIABLE)
VERIFIABLE = frozenset({TRUE, FALSE, WRONG_ROOM, NEAR_MISS})
OWN, TESTIMONY, NONE, SELF = "own", "testimony", "none", "self"
_SUPPORT = (Literal["own", "testimony", "none", "self"] | None, None)
_FORM = form(claim=dict[str, Any], verdict=Verdict, reason=str, support=_SUPPORT, speaker=int, meeting=int)
"""What every line of a finding has; the rest has defaults."""


class Ruling(NamedTuple):
    """A verifier's answer. ``evidence``: indices of events; ``details``: what only this type of claim has."""

    verdict: str
    reason: str
    evidence: tuple[int, ...] = ()
    details: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Said:
    """A claim with where it was said. ``message`` is the sha256 of the utterance, ``text`` the utterance if known.

    ``event`` is the index of its statement, -1 where it is not in the recording; ``round`` counts from 1, 0 unknown.
    """

    claim: Claim
    speaker: int
    meeting: int
    event: int = -1
    round: int = 0
    message: str | None = None
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """The judge's answer about one claim.

    ``claim`` is as it was judged (what its source left out, filled in). ``window`` is None for accusations and
    defences, and where a claim is about what the game does not have. ``evidence`` are the indices of the events that
    decide it, in order: what put its people where it is judged (or elsewhere, where it is not so), the deed, the kill;
    what stands behind an accusation or a defence; empty where nothing decides. ``support`` and ``grounds`` are those
    of an accusation (own, testimony or none, and the kind of evidence) or a defence (own, self or none). ``details``
    may hold: ``omitted`` rooms and ``omits_scene`` of a route; ``exposed`` (seats whose perceptions contradict a false
    claim); ``published`` (support by the published rule); ``scene`` (whether a claim concerns the room of a kill).
    """

    claim: Claim
    window: Window | None
    verdict: str
    reason: str
    evidence: tuple[int, ...] = ()
    speaker: int = -1
    meeting: int = -1
    round: int = 0
    event: int = -1
    message: str | None = None
    support: str | None = None
    grounds: str | None = None
    duplicate: bool = False
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verifiable(self) -> bool:
        """Whether the events settle it."""
        return self.verdict in VERIFIABLE

    @property
    def kind(self) -> str:
        """The claim's type, with routes apart."""
        return self.claim.kind

    def but(self, **changes: Any) -> Finding:
        """The same finding with some fields changed."""
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; `from_dict` reads it back."""
        found: dict[str, Any] = {
            "claim": self.claim.to_dict(),
            "verdict": self.verdict,
            "reason": self.reason,
            "window": self.window.to_dict() if self.window else None,
            "evidence": list(self.evidence),
            "speaker": self.speaker,
            "meeting": self.meeting,
            "round": self.round,
            "event": self.event,
            "message": self.message,
        }
        if self.support is not None:
            found |= {"support": self.support, "grounds": self.grounds}
        if self.duplicate:
            found["duplicate"] = True
        return found | ({"details": dict(self.details)} if self.details else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Finding:
        """The finding of `to_dict`.

        Raises:
            ValueError: where a field is missing, or is not what it must be; names it.
        """
        check(_FORM, data)
        window = data.get("window")
        return cls(
            claim=Claim.from_dict(data["claim"]),
            window=_window(window) if window else None,
            verdict=data["verdict"],
            reason=data["reason"],
            evidence=tuple(data.get("evidence", ())),
            speaker=data["speaker"],
            meeting=data["meeting"],
            round=data.get("round", 0),
            event=data.get("event", -1),
            message=data.get("message"),
            support=data.get("support"),
            grounds=data.get("grounds"),
            duplicate=data.get("duplicate", False),
            details=data.get("details", {}),
        )


def _window(data: Mapping[str, Any]) -> Window:
    spans = tuple((first, last) for first, last in data["instants"])
    first, last = data["ticks"]
    return Window(spans, first, last, data["leg"], data["how"], data["kind"], known=data["known"])
