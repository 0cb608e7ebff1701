"""The grammar extractor: what was seen of others and where, whose body is meant, and which clause tells a way."""

from __future__ import annotations

import pytest

from quack_eval.claims.extract import extract
from quack_eval.claims.grammar.events import _TELLERS
from quack_eval.claims.grammar.lexicon import VERBS
from tests.eval.extraction.conftest import PLAYERS, ROOMS, Said


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("I saw Bob in medbay waiting.", ["Alice saw Bob in medbay"]),
        ("I saw Bob in medbay standing still.", ["Alice saw Bob in medbay"]),
        ("I saw Bob in medbay idling.", ["Alice saw Bob in medbay"]),
        ("I saw Bob in medbay waiting by the door with Eve.", ["Alice saw Bob in medbay", "Alice saw Eve in medbay"]),
        ("Eve saw Bob in medbay waiting.", ["Eve saw Bob in medbay"]),
        ("I found Bob in medbay waiting.", ["Alice saw Bob in medbay"]),
        ("Bob noticed me in medbay standing around.", ["Bob saw Alice in medbay"]),
    ],
)
def test_somebody_seen_waiting_in_a_room_was_seen_there(said: Said, message: str, claims: list[str]) -> None:
    assert sorted(said(message)) == claims


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("Bob was in storage, I saw him there leaving medbay.", "Bob traveling medbay>storage"),
        ("I was in medbay. I noticed Bob there leaving storage.", "Bob traveling storage>medbay"),
    ],
)
def test_somebody_seen_in_a_room_leaving_another_went_from_that_to_this(said: Said, message: str, claim: str) -> None:
    assert claim in said(message)


def test_who_passed_out_in_a_room_was_there(said: Said) -> None:
    assert said("I saw it in medbay where Bob passed out.") == ["Bob in medbay"]


@pytest.mark.parametrize("message", ["Nobody was seen leaving weapons.", "No one was seen walking into the cafeteria."])
def test_what_was_seen_by_nobody_named_is_no_sighting_of_the_speaker(said: Said, message: str) -> None:
    assert said(message) == []


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("I found Bob killing Eve.", ["Alice saw Bob in None"]),
        ("I found Bob killing Eve in storage.", ["Alice saw Bob in storage"]),
        ("I had Bob killing Eve.", []),
    ],
)
def test_whom_somebody_found_killing_was_seen(said: Said, message: str, claims: list[str]) -> None:
    assert said(message) == claims


@pytest.mark.parametrize(
    ("message", "seen"),
    [("Eve waited there when I walked into medbay.", False), ("Eve was there when I walked into medbay.", True)],
)
def test_who_was_there_when_the_speaker_came_in_was_seen_there(said: Said, message: str, seen: bool) -> None:
    assert ("Alice saw Eve in medbay" in said(message)) == seen


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Nobody heading out of cafeteria, and I went to weapons.",
         ["Alice in weapons", "not Alice saw None in cafeteria"]),
        ("There was no one coming from cafeteria and Bob went to weapons.",
         ["Bob in weapons", "not Alice saw None in cafeteria"]),
    ],
)  # fmt: skip
def test_where_nobody_came_from_is_not_where_somebody_else_came_from(
    said: Said, message: str, claims: list[str]
) -> None:
    assert sorted(said(message)) == claims


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("I found her in storage.", ["Alice in storage", "Alice saw Eve in storage (body)"]),
        ("I found Eve.", ["Alice saw Eve in None (body)"]),
        ("The body was in medbay.", ["Eve in medbay (body)"]),
    ],
)
def test_a_body_named_before_is_the_one_spoken_of(said: Said, message: str, claims: list[str]) -> None:
    assert sorted(said(message, "Alice", (("Bob", "Somebody reported the body of Eve."),))) == claims


@pytest.mark.parametrize("own", ["I was nearly dead in medbay.", "I was dead wrong about medbay."])
def test_what_the_speaker_says_of_itself_as_dead_is_not_of_the_victim(said: Said, own: str) -> None:
    assert "Frank in medbay (body)" not in said("I found Frank's body in storage. " + own)


def test_a_way_goes_on_to_the_stop_after_a_task(said: Said) -> None:
    claims = said("I moved around, my path: did weapons, storage task, back to weapons.")
    assert "Alice weapons>storage>weapons" in claims


@pytest.mark.parametrize(
    ("message", "time"),
    [
        ("I moved, my route was cafeteria, then weapons at tick 9.", "at tick 9"),
        ("My route: medbay / storage at tick 3, saw Bob.", "at tick 3"),
        ("From medbay -> storage at tick 3, saw Bob leave.", "at tick 3"),
    ],
)
def test_a_way_has_the_time_that_is_told_with_it(message: str, time: str) -> None:
    claims = extract(message, speaker="Alice", players=PLAYERS, rooms=ROOMS)
    assert claims
    assert {claim.time for claim in claims} == {time}


def test_verbs_of_every_kind_but_saying_tell_something() -> None:
    assert {verb.kind for verb in VERBS.values()} - {"say"} == set(_TELLERS)
