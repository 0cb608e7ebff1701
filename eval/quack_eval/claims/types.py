"""What somebody said happened: one typed value per claim, in the words of `annotation.md`.

A claim keeps what its source gave, known to the game or not: unknown types, rooms, names and activities are for the
judge to call unverifiable, never a reason to fail. What would change the meaning of a claim unnoticed (a field that its
type does not have, a polarity that is neither) is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from quack_env import ConfigError
from quack_env.yaml_file import shown, unknown_value

TYPES = ("location", "sighting", "activity", "accusation", "defense")
KINDS = ("location", "route", "sighting", "activity", "accusation", "defense")
"""The types, with a location along a route apart: how claims are verified and counted."""
ATTRIBUTIONS = ("own", "witnessed", "quoted", "inferred")
FIRST_HAND = frozenset({"own", "witnessed"})
ACTIVITIES = ("task", "traveling", "waiting", "report", "call")
CONFIDENCES = ("weak", "moderate", "strong")
POSITIVE, NEGATIVE = "positive", "negative"
PLAYER, BODY = "player", "body"

_SUBJECT_KEYS = {"accusation": "accuser", "defense": "defender"}
_TARGET_KEYS = {"defense": "defended"}
_NOBODY = frozenset({"nobody", "no one", "noone", "none", "no-one", "anyone", "anybody", "no other players"})
_WORDS = {
    "of": (PLAYER, BODY),
    "polarity": (POSITIVE, NEGATIVE),
    "attribution": (*ATTRIBUTIONS, None),
    "confidence": (*CONFIDENCES, None),
}
"""The fields that have words of their own."""
_OPTIONAL = ("subject", "room", "target", "activity", "origin", "attribution", "time", "confidence", "basis")
_OPPOSITE = {POSITIVE: NEGATIVE, NEGATIVE: POSITIVE}


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable assertion about what happened.

    ``subject`` is whom it is about: who was there (location), who saw (sighting), who did it (activity), the accuser
    or the defender; None stands for the speaker. ``target`` is who was seen, accused or defended; None in a sighting
    stands for anybody (with a negative polarity: nobody). ``origin`` is the annotation's `from`. ``attribution`` is
    None where the source does not say it (the published extractions), and only there the judge reads it, the polarity
    and the bodies off the message. ``time`` is the phrase of the utterance, verbatim.

    Raises:
        TypeError: where a field is no text; names it.
        ConfigError: where of, polarity, attribution or confidence has none of its words; names both.
    """

    type: str
    subject: str | None = None
    room: str | None = None
    route: tuple[str, ...] = ()
    target: str | None = None
    of: str = PLAYER
    activity: str | None = None
    origin: str | None = None
    polarity: str = POSITIVE
    attribution: str | None = None
    time: str | None = None
    confidence: str | None = None
    basis: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.type, str):
            raise TypeError(f"claim: type must be a text, not {self.type!r}")
        for name in _OPTIONAL:
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise TypeError(f"claim: {name} must be a text or None, not {value!r}")
        if not isinstance(self.route, tuple | list) or not all(isinstance(room, str) for room in self.route):
            raise TypeError(f"claim: route must be a tuple of rooms, not {self.route!r}")
        for name, words in _WORDS.items():
            if (value := getattr(self, name)) not in words:
                raise ConfigError(f"claim: {name} {unknown_value(value, filter(None, words))}")

    @property
    def kind(self) -> str:
        """The type, with "route" for a location along a route."""
        return "route" if self.type == "location" and self.route else self.type

    @property
    def negative(self) -> bool:
        """Whether it denies."""
        return self.polarity == NEGATIVE

    @property
    def first_hand(self) -> bool:
        """Whether it is the speaker's own word: of itself, or of what it perceived."""
        return self.attribution in FIRST_HAND

    def but(self, **changes: Any) -> Claim:
        """The same claim with some fields changed."""
        return replace(self, **changes)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Claim:
        """The claim in a dict of `annotation.md`, or of the published `extraction.jsonl`.

        Fields that a dict lacks, or has as null or empty, stay at their defaults. A type that there is not may have
        all fields that there are.

        Raises:
            TypeError: where it is no dict.
            ConfigError: where the type is missing; where a field is none of the type, is no text (`route`: no list of
                texts), or has a word that it cannot have; where two fields say the same; names it.
        """
        if not isinstance(data, Mapping):
            raise TypeError(f"claim: must be a Claim or a dict, not {type(data).__name__}")
        if unknown := [key for key in data if key not in _KEYS]:
            raise ConfigError(f"claim: the field {unknown_value(unknown[0], _KEYS)} in {shown(dict(data))}")
        told = {name: value for name in data if (value := _value(name, data[name]))}
        if "type" not in told:
            raise ConfigError(f"claim: type: missing in {shown(dict(data))}")
        kind = told["type"]
        _check_fields(kind, told)
        claim = cls(
            type=kind,
            subject=told.get(_SUBJECT_KEYS.get(kind, "subject")),
            room=told.get("room"),
            route=told.get("route", ()),
            target=told.get(_TARGET_KEYS.get(kind, "target")),
            of=told.get("of", PLAYER),
            activity=told.get("activity"),
            origin=told.get("from"),
            polarity=told.get("polarity", POSITIVE),
            attribution=told.get("attribution"),
            time=told.get("time", told.get("temporal")),
            confidence=told.get("confidence"),
            basis=told.get("basis"),
        )
        return _nobody(claim) if kind == "sighting" else claim

    def to_dict(self) -> dict[str, Any]:
        """The fields of `annotation.md` that the type has, JSON-ready; `from_dict` reads them back."""
        subject = _SUBJECT_KEYS.get(self.type, "subject")
        found: dict[str, Any] = {"type": self.type, subject: self.subject}
        if self.type == "accusation":
            return found | {"target": self.target, "confidence": self.confidence} | self._rest()
        if self.type == "defense":
            return found | {"defended": self.target} | ({"basis": self.basis} if self.basis else {}) | self._rest()
        if self.type == "sighting":
            found |= {"target": self.target, "room": self.room, "of": self.of}
        elif self.type == "activity":
            found |= {"activity": self.activity, "room": self.room} | ({"from": self.origin} if self.origin else {})
        elif self.route:
            found["route"] = list(self.route)
        else:
            found |= {"room": self.room} | ({"of": BODY} if self.of == BODY else {})
        if self.type not in TYPES:  # of an unknown type nothing is lost
            found |= {f.name: v for f in fields(self) if (v := getattr(self, f.name)) not in (None, (), PLAYER)}
            found.pop("origin", None)
            found |= {"from": self.origin} if self.origin else {}
        return found | {"polarity": self.polarity, "time": self.time} | self._rest()

    def _rest(self) -> dict[str, Any]:
        return {"attribution": self.attribution} if self.attribution else {}


_WHEN = ("polarity", "time", "temporal")
FIELDS = {
    "location": ("type", "subject", "room", "route", "of", *_WHEN, "attribution"),
    "sighting": ("type", "subject", "target", "room", "of", *_WHEN, "attribution"),
    "activity": ("type", "subject", "activity", "room", "from", *_WHEN, "attribution"),
    "accusation": ("type", "accuser", "target", "confidence", "attribution"),
    "defense": ("type", "defender", "defended", "basis", "attribution"),
}
"""The fields of each type, in any of its formats."""
_KEYS = tuple(dict.fromkeys(name for names in FIELDS.values() for name in names))
_EITHER = (("room", "route"), ("time", "temporal"))
"""Fields of which a claim has one."""


def _check_fields(kind: str, told: Iterable[str]) -> None:
    """Nothing, for fields that a claim of this type can have together; `ConfigError` for others."""
    if kind not in FIELDS:
        return
    for name in told:
        if name not in FIELDS[kind]:
            raise ConfigError(f"claim: {name} is no field of type {kind} (it has {', '.join(FIELDS[kind])})")
    for one, other in _EITHER:
        if one in told and other in told:
            raise ConfigError(f"claim: has {one} and {other}; must have one of them")


def _nobody(claim: Claim) -> Claim:
    """A sighting of "nobody" as the denial of a sighting of anybody."""
    if claim.target is None or claim.target.lower() not in _NOBODY:
        return claim
    denies = claim.target.lower() not in ("anyone", "anybody")
    return claim.but(target=None, polarity=_OPPOSITE[claim.polarity] if denies else claim.polarity)


def _value(name: str, value: object) -> Any:
    """The value of a field: a text without blanks around it, of a route those not empty; empty for nothing."""
    if value is None:
        return None
    if name == "route":
        if isinstance(value, list | tuple) and all(isinstance(room, str) for room in value):
            return tuple(filter(None, map(str.strip, value)))
        raise ConfigError(f"claim: route must be a list of rooms, not {shown(value)}")
    if isinstance(value, str):
        return value.strip()
    raise ConfigError(f"claim: {name} must be a text, not {shown(value)}")
