"""Where others were together: players who bear each other out, the last one with somebody, the victim's room."""

from __future__ import annotations

import pytest

from tests.eval.extraction.conftest import Said


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Bob and Eve seem to mostly clear each other in storage.", ["Bob in storage", "Eve in storage"]),
        ("Bob and Eve at least have overlapping sightings around storage.", ["Bob in storage", "Eve in storage"]),
        ("Bob and Eve have decent mutual alibis in storage for ticks 4-5.", ["Bob in storage", "Eve in storage"]),
        ("Bob and Eve's stories seem to line up around storage.", ["Bob in storage", "Eve in storage"]),
        ("Bob and Eve confirming each other in storage makes me think.", ["Bob in storage", "Eve in storage"]),
        ("Bob and Eve seem to match pretty well in storage.", ["Bob in storage", "Eve in storage"]),
        ("Bob and Eve seem consistent late in storage.", ["Bob in storage", "Eve in storage"]),
        ("Bob and Eve appear to have each other in storage.", ["Bob in storage", "Eve in storage"]),
        ("Bob and I have a mutual alibi in storage.", ["Alice in storage", "Alice saw Bob in storage"]),
        ("Bob and Eve seem to put each other away from storage.", ["not Bob in storage", "not Eve in storage"]),
        ("If Bob and Eve vouch for each other near storage, fine.", []),
        ("Bob and Eve's stories agree on a lot.", []),
    ],
)
def test_players_who_bear_each_other_out_were_there(said: Said, message: str, claims: list[str]) -> None:
    assert sorted(claim for claim in said(message) if " in " in claim) == sorted(claims)


@pytest.mark.parametrize(
    "message",
    [
        "Bob is the last person confirmed alive with Eve in storage.",
        "Bob being the last one seen with Eve in storage is damning.",
        "The last person in storage with Eve was Bob.",
        "Bob's alibi is backed by Eve being with him from tick 6 in storage.",
        "Eve was left alone with Bob in storage.",
        "Bob had time alone with Eve in storage.",
        "Bob arrived in storage alone with Eve.",
        "If he is right, then Bob, who was in storage with Eve, knows it.",
    ],
)
def test_somebody_with_somebody_puts_both_there(said: Said, message: str) -> None:
    assert {"Bob in storage", "Eve in storage"} <= set(said(message))


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("I found Frank's body in storage. Bob, you were just in the room where Frank died.", "Bob in storage"),
        ("I found Frank's body in storage. Bob was in the room where the body was found.", "Bob in storage"),
        ("I found Frank's body in storage. Eve was the last one in the room with Frank.", "Eve in storage"),
        ("I found Frank's body in storage. Bob places himself at the crime scene.", "Bob in storage"),
        ("I found Frank's body in storage. Bob was alone with Frank.", "Bob in storage"),
        ("Eve was in medbay, and Bob stayed behind with Eve.", "Bob in medbay"),
    ],
)
def test_rooms_known_from_where_somebody_died_or_was(said: Said, message: str, claim: str) -> None:
    assert claim in said(message)


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Frank's body was found in storage.", ["Frank in storage (body)"]),
        ("Frank's body was reported in storage.", ["Frank in storage (body)"]),
        ("Body was in storage. I found Frank dead.", ["Frank in storage (body)"]),
        ("Frank must have died in storage after I left.", ["Frank in storage (body)"]),
        ("That ignores Frank dying in storage.", ["Frank in storage (body)"]),
        ("Bob left before Frank's body was found in storage.", []),
    ],
)
def test_where_a_body_was_found_the_victim_lay(said: Said, message: str, claims: list[str]) -> None:
    assert [claim for claim in said(message) if claim.endswith("in storage (body)") and "saw" not in claim] == claims


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Bob, what exactly were you doing in storage?", ["Bob in storage"]),
        ("What was Bob doing in storage, and did he see Eve?", ["Bob in storage"]),
        ("Bob, why were you still in storage at tick 9?", ["Bob in storage"]),
        ("Bob, what were you doing?", []),
        ("Bob, were you in storage?", []),
    ],
)
def test_a_question_takes_for_granted_where_somebody_did_it(said: Said, message: str, claims: list[str]) -> None:
    assert said(message) == claims


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("I left Bob alone with Eve in storage.", "Alice saw Eve in storage"),
        ("Bob and Eve, you two were in storage.", "Eve in storage"),
        ("Bob was around medbay/upper at tick 4.", "Bob in upper_engine"),
        ("I got to storage, and Bob was there, having come from medbay.", "Alice saw Bob in storage"),
        ("I was in storage before going to medbay, and Bob wasn't there when I passed.", "not Bob in storage"),
        ("Bob was in storage with Eve, and in medbay with Charlie.", "Charlie in medbay"),
        ("Bob vouches for Eve in storage.", "Eve in storage"),
        ("I was in storage. Bob was alive when I left.", "Bob in storage"),
    ],
)
def test_companions_and_there(said: Said, message: str, claim: str) -> None:
    assert claim in said(message)


def test_who_is_left_alive_beside_another_was_in_its_room(said: Said) -> None:
    assert "Frank in storage" in said("Bob stayed in storage after Eve went out, with Frank still alive.")
    assert "Frank in storage" in said("Bob left storage with Frank alive.")
    assert "Frank in storage" not in said("Bob came from storage with Frank still alive.")
