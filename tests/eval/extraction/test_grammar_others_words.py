"""The grammar extractor: places told in the words of others, agreed on, contradicted or denied."""

from __future__ import annotations

import pytest

from tests.eval.extraction.conftest import Said


def _places(said: Said, message: str) -> list[str]:
    """What a message claims but for whom it suspects or clears."""
    return sorted(claim for claim in said(message) if not claim.startswith(("suspects", "clears")))


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Bob and Eve seem to mostly clear each other in storage.", ["Bob in storage", "Eve in storage"]),
        ("Bob and Eve vouching for each other in storage is good enough.", ["Bob in storage", "Eve in storage"]),
        ("Bob and Eve appear to vouch for each other being away from oxygen.",
         ["not Bob in oxygen", "not Eve in oxygen"]),
        ("Bob and Eve place each other away from oxygen.", ["not Bob in oxygen", "not Eve in oxygen"]),
        ("Bob and Eve put each other in oxygen.", ["Bob saw Eve in oxygen", "Eve saw Bob in oxygen"]),
    ],
)  # fmt: skip
def test_those_who_agree_on_a_room_were_in_it_or_not(said: Said, message: str, claims: list[str]) -> None:
    assert _places(said, message) == sorted(claims)


@pytest.mark.parametrize("what", ["alibis", "overlapping alibis", "late sightings"])
def test_those_who_have_alibis_in_a_room_were_there(said: Said, what: str) -> None:
    assert _places(said, f"Bob, Eve and I have {what} in storage.") == [
        "Alice in storage", "Bob in storage", "Eve in storage",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "message",
    [
        "Eve contradicts Bob's claim of passing through medbay.",
        "Eve and Frank dispute Bob's claim that he was in medbay.",
    ],
)
def test_a_claim_that_others_contradict_is_negative(said: Said, message: str) -> None:
    assert _places(said, message) == ["not Bob in medbay"]


def test_what_waits_for_a_confirmation_is_no_claim(said: Said) -> None:
    assert _places(said, "If Bob confirms he was in medbay, then Eve is lying.") == []


def test_a_fact_that_somebody_ignores_is_claimed(said: Said) -> None:
    assert _places(said, "You want to quietly ignore the fact that Bob was in medbay.") == ["Bob in medbay"]


def test_rooms_denied_after_nobody_was_seen_are_where_nobody_was(said: Said) -> None:
    claims = _places(said, "I saw nobody. Not in medbay, not in storage.")
    assert {"not Alice saw None in medbay", "not Alice saw None in storage"} <= set(claims)
    assert "not Alice in medbay" not in claims


def test_rooms_denied_alone_are_where_the_speaker_was_not(said: Said) -> None:
    assert _places(said, "Not in medbay, not in storage.") == ["not Alice in medbay", "not Alice in storage"]


@pytest.mark.parametrize(
    "message",
    [
        "Eve's timeline puts her at both scenes: medbay with Bob before he died, and storage after Frank left.",
        "Eve is the only one whose path puts her with both victims before they died: Bob in medbay, Frank in storage.",
    ],
)
def test_who_is_put_at_both_scenes_was_in_each(said: Said, message: str) -> None:
    assert {"Eve in medbay", "Eve in storage"} <= set(_places(said, message))


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Eve puts Bob in storage and Frank in medbay.", ["Bob in storage", "Frank in medbay"]),
        ("Eve puts Bob and Frank in storage.", ["Bob in storage", "Frank in storage"]),
        ("Nothing puts Bob in storage.", []),
        ("Frank was holding down storage.", ["Frank in storage"]),
        ("Bob's alibi is confirmed by Eve in storage.", ["Bob in storage", "Eve in storage"]),
    ],
)
def test_whom_somebody_puts_in_which_room(said: Said, message: str, claims: list[str]) -> None:
    assert _places(said, message) == sorted(claims)


@pytest.mark.parametrize("message", ["Bob claims to be in storage.", "Bob confessed to being in storage."])
def test_where_somebody_claims_to_be_is_a_place(said: Said, message: str) -> None:
    assert _places(said, message) == ["Bob in storage"]


def test_what_somebody_might_then_claim_is_none(said: Said) -> None:
    assert _places(said, "Bob could have hidden and then claimed to be in storage.") == []


def test_not_crossing_somebody_is_not_seeing_him(said: Said) -> None:
    assert _places(said, "Frank says he didn't cross Bob in storage.") == ["not Frank saw Bob in storage"]


def test_a_way_with_a_vague_time_has_no_single_rooms(said: Said) -> None:
    assert _places(said, "Bob was in storage early, then medbay, then oxygen.") == ["Bob storage>medbay>oxygen"]


@pytest.mark.parametrize(
    "message",
    ["Bob's claim of being in storage is a lie.", "Bob made up being in storage.",
     "Bob invented a story about being in storage."],
)  # fmt: skip
def test_a_place_that_somebody_makes_up_is_negative(said: Said, message: str) -> None:
    assert _places(said, message) == ["not Bob in storage"]


def test_who_found_a_room_empty_when_passing_through_was_there(said: Said) -> None:
    assert _places(said, "Bob said storage was empty when he passed through.") == [
        "Bob in storage", "not Bob saw None in storage",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "message",
    ["That actually places Bob in storage.", "This places Bob in storage.", "Eve's own words place Bob in storage.",
     "Let me answer that: Eve's account has Bob in storage."],
)  # fmt: skip
def test_what_places_somebody_somewhere(said: Said, message: str) -> None:
    assert _places(said, message) == ["Bob in storage"]


def test_who_admits_after_a_kill_is_told_of_is_who_was_there(said: Said) -> None:
    assert "Eve in storage" in _places(said, "One of you killed Bob, probably Eve since she admits being in storage.")


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Bob has a weak alibi in storage.", ["Bob in storage"]),
        ("Bob has an alibi with me in storage.", ["Alice saw Bob in storage"]),
        ("Bob has an alibi from me in storage.", ["Alice saw Bob in storage"]),
        ("Bob's storage claim is contradicted by Eve.", ["not Bob in storage"]),
        ("I have an alibi with Bob in storage.", ["Alice in storage", "Alice saw Bob in storage"]),
        ("Bob has no alibi in storage.", []),
        ("Bob's storage visit changes nothing.", ["Bob in storage"]),
    ],
)
def test_who_has_an_alibi_in_a_room_was_there(said: Said, message: str, claims: list[str]) -> None:
    assert _places(said, message) == sorted(claims)


def test_rooms_denied_after_a_way_that_somebody_says(said: Said) -> None:
    assert _places(said, "Bob said storage -> oxygen and not near medbay.") == [
        "Bob storage>oxygen", "not Bob in medbay",
    ]  # fmt: skip
