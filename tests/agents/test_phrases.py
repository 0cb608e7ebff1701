"""Typed claims into words, and back."""

from __future__ import annotations

import random
from typing import Any

import pytest

from quack_agents.phrases import LIMIT, TEMPLATES, Say, phrase, understand

PLAYERS = ("Alice", "Bob", "Charlie", "Player 1", "Player 10")
ROOMS = ("oxygen", "medbay", "upper_engine", "engine", "lower_engine")
NAMES_A_ROOM = ("was_in", "not_in", "with", "saw", "found", "nobody", "absent", "left", "entered", "did_task")
NAMES_A_PLAYER = ("with", "saw", "found", "absent", "left", "entered", "suspect", "vouch")
FIELDS = {
    "location": {"subject", "polarity", "time", "attribution"},
    "sighting": {"subject", "target", "room", "of", "polarity", "time", "attribution"},
    "activity": {"subject", "activity", "room", "from", "polarity", "time", "attribution"},
    "accusation": {"accuser", "target", "confidence"},
    "defense": {"defender", "defended"},
}


def any_say(kind: str, chance: random.Random) -> Say:
    """A random thing of this kind to say."""
    kind, _, strength = kind.partition(":")
    first = chance.choice([None, chance.randint(0, 99)])
    return Say(
        kind,
        player=chance.choice(PLAYERS) if kind in NAMES_A_PLAYER else None,
        room=chance.choice(ROOMS) if kind in NAMES_A_ROOM else None,
        to=chance.choice(ROOMS) if kind in ("left", "entered") else None,
        route=tuple(chance.choices(ROOMS, k=chance.randint(2, 4))) if kind == "route" else (),
        first=first,
        last=None if first is None else first + chance.choice([0, 3]),
        strength=strength or "moderate",
    )


def test_there_are_tens_of_templates_for_every_kind_of_claim() -> None:
    accusations = [kind for kind in TEMPLATES if kind.startswith("suspect")]
    assert sum(len(TEMPLATES[kind]) for kind in accusations) >= 40
    for kind, templates in TEMPLATES.items():
        assert len(set(templates)) == len(templates)
        assert len(templates) >= (10 if kind in accusations or kind == "nothing" else 20), kind


def test_one_claim_is_said_in_many_ways() -> None:
    chance = random.Random(0)
    say = Say("saw", player="Bob", room="upper_engine", first=4, last=4)
    assert len({phrase([say], chance).text for _ in range(300)}) > 100


def test_the_wording_is_a_function_of_the_draws() -> None:
    says = [any_say(kind, random.Random(1)) for kind in TEMPLATES][:4]
    assert phrase(says, random.Random(5), "Bob") == phrase(says, random.Random(5), "Bob")


@pytest.mark.parametrize("kind", [kind for kind in TEMPLATES if kind != "nothing"])
def test_what_is_said_is_understood(kind: str) -> None:
    chance = random.Random(kind)
    for _ in range(400):
        say = any_say(kind, chance)
        text = phrase([say], chance, "Alice", (0, 99)).text
        heard = understand(text, PLAYERS, ROOMS)
        assert len(heard) == 1, text
        assert heard[0]._replace(first=None, last=None) == say._replace(first=None, last=None), text
        if heard[0].first is not None and say.first is not None:
            assert heard[0].first <= say.first
            assert (heard[0].last or 0) >= (say.last or 0)


def test_several_sentences_are_understood_one_by_one() -> None:
    chance = random.Random(3)
    for _ in range(200):
        says = [any_say(kind, chance) for kind in chance.sample([k for k in TEMPLATES if k != "nothing"], 3)]
        text = phrase(says, chance, "Alice", limit=10_000).text
        assert [heard.kind for heard in understand(text, PLAYERS, ROOMS)] == [say.kind for say in says], text


@pytest.mark.parametrize(
    "text", ["", "Hello there.", "Bob?", "I saw Zoe in medbay.", "I was in the kitchen.", "If Bob was in medbay, go."]
)
def test_what_is_not_worded_like_ours_is_left_out(text: str) -> None:
    assert understand(text, PLAYERS, ROOMS) == ()


@pytest.mark.parametrize("kind", list(TEMPLATES))
def test_claims_have_the_format_and_their_time_stands_in_the_text(kind: str) -> None:
    chance = random.Random(kind)
    for _ in range(200):
        say = any_say(kind, chance)
        text, claims = phrase([say], chance, "Alice", (0, 99))
        assert bool(claims) == (kind != "nothing")
        for claim in claims:
            place = {"route"} if say.kind == "route" else {"room"}
            assert claim.keys() == {"type"} | FIELDS[claim["type"]] | (place if claim["type"] == "location" else set())
            assert claim.get("time") is None or claim["time"] in text
            assert claim.get("polarity", "positive") in ("positive", "negative")


CASES: list[tuple[Say, list[dict[str, Any]]]] = [
    (Say("was_in", room="medbay"), [{"type": "location", "room": "medbay", "polarity": "positive"}]),
    (Say("not_in", room="medbay"), [{"type": "location", "room": "medbay", "polarity": "negative"}]),
    (Say("route", route=("oxygen", "medbay")), [{"type": "location", "route": ["oxygen", "medbay"]}]),
    (
        Say("with", player="Bob", room="medbay"),
        [
            {"type": "location", "subject": "Alice", "room": "medbay"},
            {"type": "sighting", "subject": "Alice", "target": "Bob", "room": "medbay", "of": "player"},
        ],
    ),
    (
        Say("found", player="Bob", room="medbay"),
        [{"type": "sighting", "target": "Bob", "room": "medbay", "of": "body"}, {"type": "location", "room": "medbay"}],
    ),
    (Say("nobody", room="medbay"), [{"type": "sighting", "target": None, "room": "medbay", "polarity": "negative"}]),
    (
        Say("absent", player="Bob", room="medbay"),
        [{"type": "location", "subject": "Bob", "polarity": "negative", "attribution": "witnessed"}],
    ),
    (
        Say("left", player="Bob", room="medbay", to="oxygen"),
        [
            {"type": "sighting", "target": "Bob", "room": "medbay"},
            {"type": "activity", "subject": "Bob", "activity": "traveling", "from": "medbay", "room": "oxygen"},
        ],
    ),
    (
        Say("entered", player="Bob", room="medbay", to="oxygen"),
        [
            {"type": "sighting", "target": "Bob", "room": "oxygen"},
            {"type": "activity", "subject": "Bob", "activity": "traveling", "from": "medbay", "room": "oxygen"},
        ],
    ),
    (Say("did_task", room="medbay"), [{"type": "activity", "subject": "Alice", "activity": "task", "room": "medbay"}]),
    (
        Say("suspect", player="Bob", strength="weak"),
        [{"type": "accusation", "accuser": "Alice", "target": "Bob", "confidence": "weak"}],
    ),
    (Say("vouch", player="Bob"), [{"type": "defense", "defender": "Alice", "defended": "Bob"}]),
    (Say("nothing"), []),
]


@pytest.mark.parametrize("say, wanted", CASES, ids=lambda case: getattr(case, "kind", ""))
def test_each_kind_makes_its_claims(say: Say, wanted: list[dict[str, Any]]) -> None:
    claims = phrase([say], random.Random(0), "Alice").claims
    assert len(claims) == len(wanted)
    for claim, fields in zip(claims, wanted, strict=True):
        assert claim | fields == claim


def test_of_several_accusations_of_one_player_the_strongest_counts() -> None:
    says = [Say("suspect", player="Bob", strength=strength) for strength in ("weak", "strong", "moderate")]
    claims = phrase([*says, Say("suspect", player="Alice")], random.Random(0), "Charlie").claims
    assert [(claim["target"], claim["confidence"]) for claim in claims] == [("Bob", "strong"), ("Alice", "moderate")]


def test_a_claim_made_twice_counts_once() -> None:
    assert len(phrase([Say("was_in", room="medbay")] * 3, random.Random(0), "Alice").claims) == 1


def test_an_utterance_is_as_short_as_it_must_be_and_claims_no_more_than_it_says() -> None:
    chance = random.Random(9)
    for limit in (0, 40, 120, LIMIT):
        for _ in range(50):
            says = [any_say(kind, chance) for kind in chance.choices(list(TEMPLATES), k=20)]
            text, claims = phrase(says, chance, "Alice", limit=limit)
            assert len(text) <= limit
            again = phrase(understand(text, PLAYERS, ROOMS), random.Random(0), "Alice", limit=10_000).claims
            assert [claim | {"time": 0} for claim in again] == [claim | {"time": 0} for claim in claims]
