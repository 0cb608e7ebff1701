"""Claims keep what their source says about the game, and refuse words that would change what they mean unnoticed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quack_env import ConfigError
from quack_eval.claims.types import Claim

ANNOTATED: list[dict[str, Any]] = [
    {"type": "location", "subject": "Bob", "room": "medbay", "polarity": "positive", "time": "at tick 3"},
    {"type": "location", "subject": "Bob", "room": "medbay", "of": "body", "polarity": "negative", "time": None},
    {"type": "location", "subject": "Bob", "route": ["medbay", "storage"], "polarity": "positive", "time": None},
    {
        "type": "sighting",
        "subject": "Bob",
        "target": None,
        "room": None,
        "of": "player",
        "polarity": "negative",
        "time": "this round",
        "attribution": "own",
    },
    {
        "type": "activity",
        "subject": "Eve",
        "activity": "traveling",
        "room": "medbay",
        "from": "storage",
        "polarity": "positive",
        "time": None,
        "attribution": "witnessed",
    },
    {"type": "accusation", "accuser": "Bob", "target": "Eve", "confidence": "weak"},
    {"type": "defense", "defender": "Bob", "defended": "Eve", "attribution": "quoted"},
]


@pytest.mark.parametrize("data", ANNOTATED)
def test_the_format_of_annotations_comes_back(data: dict[str, Any]) -> None:
    assert Claim.from_dict(data).to_dict() == data


def test_the_published_format_is_read() -> None:
    claim = Claim.from_dict({"type": "sighting", "subject": "Eve", "target": "Bob", "room": "medbay", "temporal": "t8"})
    assert (claim.time, claim.target, claim.attribution, claim.of) == ("t8", "Bob", None, "player")
    defence = Claim.from_dict({"type": "defense", "defender": "Eve", "defended": "Bob", "basis": "seen far away"})
    assert (defence.subject, defence.target, defence.basis) == ("Eve", "Bob", "seen far away")


def test_nobody_is_a_denial() -> None:
    claim = Claim.from_dict({"type": "sighting", "subject": "Eve", "target": "nobody", "room": "medbay"})
    assert claim.target is None
    assert claim.negative


def test_a_route_is_a_kind_of_location() -> None:
    assert Claim("location", "Bob", route=("medbay", "storage")).kind == "route"
    assert Claim("location", "Bob", room="medbay").kind == "location"


WORDS = st.none() | st.text(max_size=8)
KEYS = ["subject", "room", "target", "activity", "from", "time", "accuser", "basis"]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(st.dictionaries(st.sampled_from(KEYS), WORDS), st.lists(st.text(max_size=8), max_size=3))
def test_whatever_is_said_of_the_game_is_kept(data: dict[str, Any], route: list[str]) -> None:
    claim = Claim.from_dict(data | {"type": "wish", "route": route})
    assert Claim.from_dict(claim.to_dict()) == claim


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("polarity", "no", r"claim: polarity 'no' is unknown \(must be one of positive, negative\)"),
        ("of", "bodies", r"claim: of 'bodies' is unknown \(did you mean 'body'\?\)"),
        ("attribution", "hearsay", r"must be one of own, witnessed, quoted, inferred"),
        ("activity", "task", r"claim: activity is no field of type location \(it has type, subject, room, route, of, "),
        ("route", ["medbay", "storage"], "claim: has room and route; must have one of them"),
        ("room", ["medbay"], r"claim: room must be a text, not \['medbay'\]"),
        ("time", 5, "claim: time must be a text, not 5"),
        ("type", None, "claim: type: missing in "),
        ("rooom", "medbay", r"claim: the field 'rooom' is unknown \(did you mean 'room'\?\)"),
    ],
)
def test_a_word_or_field_that_the_claim_cannot_have_is_refused(field: str, value: object, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        Claim.from_dict({"type": "location", "subject": "Bob", "room": "medbay", field: value})


def test_a_strength_that_no_accusation_has_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"confidence 'sure' is unknown .*weak, moderate, strong"):
        Claim.from_dict({"type": "accusation", "target": "Bob", "confidence": "sure"})


def test_an_empty_field_is_as_good_as_left_out() -> None:
    told = {"type": "location", "room": "medbay", "route": [], "target": "", "time": None, "temporal": "at tick 3"}
    assert Claim.from_dict(told) == Claim("location", room="medbay", time="at tick 3")


def test_an_empty_room_of_a_route_is_as_good_as_left_out() -> None:
    assert Claim.from_dict({"type": "location", "route": ["", " medbay", " "]}).route == ("medbay",)
    assert Claim.from_dict({"type": "location", "room": "medbay", "route": [""]}).kind == "location"
