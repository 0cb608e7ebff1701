"""The grammar extractor: turns of phrase in which players place, deny and quote one another."""

from __future__ import annotations

import pytest

from quack_eval.claims.extract import extract
from tests.eval.extraction.conftest import PLAYERS, ROOMS, Said


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Charlie's story has him in security with Bob.", ["Charlie in security", "Charlie saw Bob in security"]),
        ("Frank's timeline has Eve in medbay at tick 4.", ["Eve in medbay"]),
        ("Charlie's story has him entering security from storage.", ["Charlie traveling storage>security"]),
        ("I was confirmed in medbay by Eve.", ["Alice in medbay"]),
        ("Bob and I are confirmed in storage.", ["Alice in storage", "Alice saw Bob in storage"]),
        ("Bob is placed in storage by Eve.", ["Bob in storage"]),
        ("Bob isn't confirmed in storage.", []),
        ("Bob's route takes him through oxygen, medbay and storage.", ["Bob oxygen>medbay>storage"]),
    ],
)
def test_who_is_placed_somewhere(said: Said, message: str, claims: list[str]) -> None:
    found = [claim for claim in said(message) if not claim.startswith(("suspects", "clears"))]
    assert sorted(found) == sorted(claims)


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("I didn't see anyone except Bob in storage.", ["not Alice saw None in None", "Alice saw Bob in storage"]),
        ("I haven't seen anyone besides Bob.", ["not Alice saw None in None", "Alice saw Bob in None"]),
        ("I saw nobody but Bob.", ["not Alice saw None in None", "Alice saw Bob in None"]),
        ("I was on the west side, nowhere near storage or medbay.",
         ["not Alice in storage", "not Alice in medbay"]),
        ("Frank said no one came through storage.", ["not Frank saw None in storage"]),
        ("When I passed through storage, Bob was alive in storage.", ["Alice in storage", "Alice saw Bob in storage"]),
    ],
)  # fmt: skip
def test_who_was_not_seen_and_where_somebody_was_not(said: Said, message: str, claims: list[str]) -> None:
    assert sorted(said(message)) == sorted(claims)


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Bob claims to have been in medbay and to have seen Eve there.", ["Bob in medbay", "Bob saw Eve in medbay"]),
        ("Bob admits to having been in medbay.", ["Bob in medbay"]),
        ("Bob never claimed to have been in medbay.", []),
        ("Bob did come through medbay and head to storage.", ["Bob in medbay", "Bob traveling medbay>storage"]),
    ],
)
def test_what_is_said_to_have_been_done(said: Said, message: str, claims: list[str]) -> None:
    found = [claim for claim in said(message) if not claim.startswith("suspects")]
    assert sorted(found) == sorted(claims)


def test_finding_something_strange_finds_no_body(said: Said) -> None:
    before = (("Bob", "I found Eve's body in medbay."),)
    assert said("I find it odd that Bob was in medbay.", "Alice", before) == ["Bob in medbay"]
    assert "Alice saw Eve in medbay (body)" in said("I found it in medbay too.", "Alice", before)


def test_who_did_report_reported(said: Said) -> None:
    claims = said("Eve did report, but late.", "Alice", (("Eve", "I found Frank's body in medbay."),))
    assert "Eve report None>medbay" in claims


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("I was in storage at tick 8, no Bob and no body.",
         ["Alice in storage", "not Alice saw Bob in storage", "not Alice saw None in storage (body)"]),
        ("I started in storage, no one there.", ["Alice in storage", "not Alice saw None in storage"]),
        ("I saw nobody, no one in storage.", ["not Alice saw None in None", "not Alice saw None in storage"]),
        ("I went through medbay, which was empty.", ["Alice in medbay", "not Alice saw None in medbay"]),
        ("Medbay was empty, storage empty.", ["not Alice saw None in medbay", "not Alice saw None in storage"]),
        ("Diana found medbay empty.", ["not Diana saw None in medbay"]),
        ("I have no alibi and no one to vouch for me.", []),
        ("No bodies, no encounters.", ["not Alice saw None in None"]),
        ("Well, no one.", []),
    ],
)  # fmt: skip
def test_what_is_denied_without_a_verb(said: Said, message: str, claims: list[str]) -> None:
    assert sorted(set(said(message))) == sorted(claims)


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Bob and Eve were both in storage, yet neither saw the other.",
         ["Bob in storage", "Eve in storage", "not Bob saw Eve in None", "not Eve saw Bob in None"]),
        ("I went through security, hit medbay and ended up in storage.", ["Alice security>medbay>storage"]),
        ("I hit the storage button.", []),
        ("Diana came to medbay from storage (medbay to storage is two ticks).", ["Diana traveling storage>medbay"]),
        ("Storage → weapons → back down is a clean path.", []),
        ("Bob was in medbay at tick 9 — I witnessed that.", ["Alice saw Bob in medbay"]),
        ("I didn't see anyone, just Bob in storage.", ["not Alice saw None in None", "Alice saw Bob in storage"]),
        ("Diana was in storage. Her not seeing me there makes sense.",
         ["Diana in storage", "not Diana saw Alice in storage"]),
        ("Maybe I was in storage.", []),
        ("I've been on the O2 filter task.", ["Alice task None>oxygen"]),
        ("I had no contact with Diana.", ["not Alice saw Diana in None"]),
    ],
)  # fmt: skip
def test_turns_of_phrase(said: Said, message: str, claims: list[str]) -> None:
    assert sorted(claim for claim in said(message) if "call" not in claim) == sorted(claims)


def test_who_self_reports_goes_on_to_be_spoken_of(said: Said) -> None:
    claims = said("Eve self-reports after being alone in weapons.")
    assert {"Eve report None>None", "Eve in weapons"} <= set(claims)


def test_she_who_is_quoted_is_whoever_was_spoken_of(said: Said) -> None:
    assert "Diana in storage" in said('Diana was in medbay. She says "I was with Eve in storage".')


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("I was in storage all round and saw nobody pass through toward medbay.",
         ["Alice in storage", "not Alice saw None in storage"]),
        ("I found Bob's body in medbay, with Eve already standing by it.",
         ["Alice saw Bob in medbay (body)", "Alice in medbay", "Alice saw Eve in medbay"]),
        ("I left medbay toward storage, but Diana was alive when I got there.",
         ["Alice traveling medbay>storage", "Alice saw Diana in storage", "Alice in storage"]),
        ("I was in medbay. I didn't stop there long.", ["Alice in medbay"]),
        ("If you find a body in medbay, you hit report.", []),
        ("I found Eve dead in medbay. I walked in from storage.",
         ["Alice saw Eve in medbay (body)", "Alice in medbay", "Alice traveling storage>medbay"]),
        ("Bob passed through medbay and it was empty, then went back to storage.",
         ["Bob in medbay", "not Alice saw None in medbay", "Bob traveling medbay>storage"]),
        ("Eve went to storage, a room Bob says was empty.", ["Eve in storage", "not Bob saw None in storage"]),
        ("That's not possible — Frank places me in medbay.", ["Alice in medbay"]),
        ("I went through medbay before storage and didn't see Bob.",
         ["Alice medbay>storage", "not Alice saw Bob in medbay"]),
    ],
)  # fmt: skip
def test_rooms_that_the_words_before_give(said: Said, message: str, claims: list[str]) -> None:
    assert sorted(set(said(message))) == sorted(claims)


def test_he_is_who_acts_though_a_clause_of_time_named_him_before() -> None:
    message = "I left after Bob left, but Bob was already gone — he came from medbay to storage."
    claims = extract(message, speaker="Alice", players=PLAYERS, rooms=ROOMS, transcript=[("Frank", "I was in nav.")])
    assert {claim.subject for claim in claims if claim.room == "storage"} == {"Bob"}


def test_the_thing_bothering_me_is_nowhere(said: Said) -> None:
    before = (("Diana", "I found Eve's body in weapons."),)
    claims = said("The thing bothering me is Frank's certainty about the body.", "Alice", before)
    assert not [claim for claim in claims if "in weapons" in claim]


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Nobody can confirm Bob was in storage.", []),
        ("Self-reports happen to control the timing.", []),
        ("Bob, you never went south of storage.", []),
        ("Bob isn't lying about starting in medbay.", ["Bob in medbay"]),
        ("I vote Bob, and Eve, I ask you to do the same.", ["suspects Bob (strong)"]),
        ("If Bob confirms Diana was in storage, we look elsewhere.", []),
        ("I was in nav. Bob was in cafeteria — I saw him heading toward oxygen.",
         ["Alice in navigation", "Bob in cafeteria", "Alice saw Bob in cafeteria", "Bob traveling cafeteria>oxygen"]),
    ],
)  # fmt: skip
def test_what_is_not_meant(said: Said, message: str, claims: list[str]) -> None:
    found = [claim for claim in said(message) if claims or not claim.startswith(("suspects", "clears"))]
    assert sorted(found) == sorted(claims)


def test_who_says_when_is_he_of_what_is_said() -> None:
    message = "Frank was killed early. That is when Bob claims he was in storage."
    assert {c.subject for c in extract(message, speaker="Alice", players=PLAYERS, rooms=ROOMS) if c.room} == {"Bob"}


def test_the_body_lies_where_it_was_found_though_other_rooms_were_named_since(said: Said) -> None:
    message = (
        "I found Bob's body in medbay. I went back through storage to weapons. The body was there when I walked in."
    )
    assert "Alice saw Bob in weapons (body)" not in said(message)


def test_who_was_found_down_is_dead(said: Said) -> None:
    assert "Alice saw Bob in medbay (body)" in said("I came in and found Bob down in medbay.")


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("I stayed in oxygen before heading to medbay.", ["Alice in oxygen", "Alice traveling oxygen>medbay"]),
        ("I did not follow Bob into storage.", ["not Alice traveling None>storage"]),
        ("My route was oxygen -> medbay -> storage. After that I continued on to storage.",
         ["Alice oxygen>medbay>storage"]),
        ("I then continued on to storage.", ["Alice in storage"]),
        ("Eve would have to have arrived in storage after I left.", []),
        ("Eve had to have been in storage.", ["Eve in storage"]),
    ],
)  # fmt: skip
def test_going_on_from_where_one_was(said: Said, message: str, claims: list[str]) -> None:
    assert said(message) == claims


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("I wasn't parked in storage.", []),
        ("I never stood in storage.", ["not Alice in storage"]),
        ("If Bob confirms he was in storage, fine.", []),
        ("Bob, if you say you were anywhere near storage, fine.", []),
        ("Bob being unconfirmed near storage is odd.", []),
        ("I went into oxygen. I saw Bob leave toward storage. I was standing there.", ["Alice in oxygen"]),
        ("I was in oxygen. I was nowhere near storage because I was up there.",
         ["Alice in oxygen", "not Alice in storage"]),
        ("Bob was past storage by then.", []),
        ("Bob's storage/medbay timing is fine.", []),
        ("Bob's report location is storage.", []),
        ("Since the body was in storage, we need routes.", []),
        ("I was in storage. Bob was near Eve, but there is no proof.", ["Alice in storage"]),
        ("Both met Bob before he died: Eve alive in storage at tick 4.", []),
    ],
)  # fmt: skip
def test_rooms_that_place_nobody(said: Said, message: str, claims: list[str]) -> None:
    found = [claim for claim in said(message) if " in " in claim and " saw " not in claim]
    assert [claim for claim in found if "(body)" not in claim] == claims


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("I got to storage, and Bob was already there.", "Alice saw Bob in storage"),
        ("I was in storage early. Bob was there at tick 4.", "Bob in storage"),
        ("I was in storage early. Charlie says otherwise. Bob was in there too.", "Bob in storage"),
    ],
)
def test_whether_somebody_was_seen_or_only_was_there(said: Said, message: str, claim: str) -> None:
    assert claim in said(message)


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("My route was oxygen, then medbay where I saw Bob, then storage.", "Alice in medbay"),
        ("I went oxygen -> medbay (where Bob saw me) -> storage.", "Alice in medbay"),
        ("I started in oxygen, passed through medbay, saw Bob, then went to storage.", "Alice in medbay"),
        ("I started in oxygen, then went to medbay, where Bob saw me, then to storage.", "Alice in medbay"),
        ("I started in oxygen, went to medbay, then to storage — that's where the meeting was called.",
         "Alice in storage"),
        ("I was doing my task in storage when the meeting was called.", "Alice in storage"),
        ("I was coming from oxygen, went through medbay, and then walked into storage.", "Alice oxygen>medbay>storage"),
        ("Eve saying Frank was in storage and Bob was there with him is the best info.", "Bob in storage"),
        ("I was in storage. Bob arrived in storage at tick 6.", "Bob in storage"),
        ("I left for storage, where Bob saw me.", "Alice in storage"),
        ("I saw Bob leave storage as I was passing through.", "Alice in storage"),
        ("I went to storage. When I walked in, Frank's body was already on the floor.", "Alice in storage"),
        ("I was heading to storage.", "Alice traveling None>storage"),
        ("I started in oxygen, went to medbay and ended in storage where I did a task when the meeting was called.",
         "Alice in storage"),
        ("My route was oxygen/medbay.", "Alice in oxygen"),
        ("I was in medbay at 8, and I came into medbay from storage.", "Alice traveling storage>medbay"),
        ("Bob left toward storage, which is directly connected to medbay, and he ended there.", "Bob in storage"),
        ("I found Frank in oxygen, and the only one I saw nearby was Bob in storage.", "Alice saw Bob in storage"),
    ],
)  # fmt: skip
def test_a_stop_with_an_event_is_a_place_of_its_own(said: Said, message: str, claim: str) -> None:
    assert claim in said(message)


def test_a_way_without_a_verb_is_of_the_route_spoken_of(said: Said) -> None:
    assert "Eve oxygen>medbay>storage" in said("And Eve, your route has no witnesses. Oxygen -> medbay -> storage.")
    assert "Alice oxygen>medbay>storage" in said("Eve is odd. Oxygen -> medbay -> storage.")


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("I found Frank dead in nav. Bob as the reporter in nav is a lie.", ["Bob report None>navigation"]),
        ("Bob reporting from storage is odd.", ["Bob report None>storage"]),
        ("Bob self-reporting in storage fits.", ["Bob report None>storage"]),
        ("Eve being the reporter clears nobody.", ["Eve report None>None"]),
    ],
)
def test_whoever_is_spoken_of_as_reporting_reported(said: Said, message: str, claims: list[str]) -> None:
    assert [claim for claim in said(message) if "report" in claim] == claims


def test_rooms_listed_after_whom_the_speaker_did_not_see_are_where_it_did_not_see_them(said: Said) -> None:
    assert set(said("I never saw Bob. Not in storage, not in nav.")) >= {
        "not Alice saw Bob in storage",
        "not Alice saw Bob in navigation",
    }


def test_a_player_asked_where_on_earth_it_was_is_spoken_to(said: Said) -> None:
    assert "not Alice saw Bob in None" in said("Eve was fine. Bob, where on earth were you? I never saw you.")


def test_a_room_put_before_the_subject_by_after_is_where_the_way_began(said: Said) -> None:
    assert said("After storage I went to medbay.") == ["Alice traveling storage>medbay"]


def test_of_two_verbs_joined_by_a_slash_the_second_tells(said: Said) -> None:
    assert said("I spawned/began in storage.") == ["Alice in storage"]


def test_an_own_movement_after_which_something_happened_only_dates_it(said: Said) -> None:
    assert "Alice in storage" not in said("Frank died in medbay after I moved on to storage.")


@pytest.mark.parametrize(
    "message",
    [
        "I was on my task in medbay when the meeting was called.",
        "I left security, went to storage and up to medbay where the meeting was called.",
        "Frank's body was in medbay when I walked in.",
        "I called this meeting from medbay.",
    ],
)
def test_an_event_in_a_room_places_the_speaker_there(said: Said, message: str) -> None:
    assert "Alice in medbay" in said(message)


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("It is not true that Bob was in medbay.", ["not Bob in medbay"]),
        ("There was no Bob in medbay.", ["not Bob in medbay"]),
        ("My eyes were on Bob in medbay.", ["Alice saw Bob in medbay"]),
        ("I had no company in medbay.", ["not Alice saw None in medbay"]),
        ("I can't remember anybody in medbay.", ["not Alice saw None in medbay"]),
        ("My route was not medbay or storage.", ["not Alice in medbay", "not Alice in storage"]),
    ],
)
def test_plain_denials_and_glances(said: Said, message: str, claims: list[str]) -> None:
    assert sorted(said(message)) == sorted(claims)


def test_a_story_that_never_happened_is_denied(said: Said) -> None:
    assert said("Bob says he was in medbay. That never happened.") == ["not Bob in medbay"]


def test_whom_the_speaker_vouches_for_in_a_room_it_saw_there(said: Said) -> None:
    assert "Alice saw Bob in medbay" in said("I vouch for Bob in medbay.")
