"""The rules of "Judging a claim", one told game each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quack_env import ConfigError
from quack_eval import Trajectory
from quack_eval.claims.finding import Finding, Said
from quack_eval.claims.judge import judge, judge_all
from quack_eval.claims.types import Claim
from quack_eval.claims.verify import VERIFIERS, Ruling


def ask(
    trajectory: Trajectory, claim: dict[str, Any], speaker: str = "Alice", meeting: int = 0, **more: Any
) -> Finding:
    return judge(trajectory, {"attribution": "own", **claim}, speaker, meeting, **more)


def location(subject: str, room: str, time: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "location", "subject": subject, "room": room, "time": time, **more}


def sighting(
    subject: str, target: str | None, room: str | None, time: str | None = None, **more: Any
) -> dict[str, Any]:
    return {"type": "sighting", "subject": subject, "target": target, "room": room, "time": time, **more}


def activity(subject: str, what: str, room: str | None, time: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "activity", "subject": subject, "activity": what, "room": room, "time": time, **more}


def route(subject: str, *rooms: str, time: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "location", "subject": subject, "route": list(rooms), "time": time, **more}


@pytest.fixture
def killing(story: Any) -> Trajectory:
    """Alice, Bob and Diana (Duck) in medbay, Charlie in storage, Eve in oxygen, Frank in weapons.

    Tick 1: Alice to cafeteria (one tick). 2: Diana kills Bob. 3: Diana to electrical, Alice back to medbay, where she
    is at 4; Charlie works at 1-3 in storage. 4: Diana to medbay. 5: Alice reports; Eve sets out for cafeteria before.
    """
    told = story(
        "medbay medbay storage medbay oxygen weapons",
        ducks=[3],
        tasks={2: ["storage", "security"]},
        kill_cooldown=1,
    )
    told.tick("0 move cafeteria", "2 task")
    told.tick("3 kill 1", "2 task")
    told.tick("3 move electrical", "0 move medbay", "2 task")
    told.tick("3 move medbay", "0 wait")
    told.tick("4 move cafeteria", "0 report")
    told.vote("- . - - - -", "medbay . storage electrical oxygen weapons")
    trajectory: Trajectory = told.play()
    return trajectory


TRUE, FALSE, WRONG, NEAR, NOT = "true", "false", "wrong_room", "near_miss", "unverifiable"

VERDICTS = [
    (location("Alice", "cafeteria"), TRUE),
    (location("Alice", "cafeteria", "at tick 2"), TRUE),
    (location("Alice", "cafeteria", "at tick 5"), FALSE),
    (location("Alice", "storage"), FALSE),
    (location("Alice", "storage", polarity="negative"), TRUE),
    (location("Alice", "cafeteria", polarity="negative"), FALSE),
    (location("Alice", "medbay", "at tick 4, entering from cafeteria"), TRUE),
    (location("Alice", "medbay", "walking in at tick 5"), FALSE),
    (location("Alice", "medbay", "the whole round"), NEAR),
    (location("Charlie", "storage", "the whole round"), TRUE),
    (location("Alice", "weapons", "the whole round"), FALSE),
    (location("Bob", "medbay", "when Bob died"), TRUE),
    (location("Bob", "medbay", "at tick 4"), FALSE),
    (location("Bob", "medbay", "when I found the body"), TRUE),
    (location("Bob", "medbay", "at tick 4", of="body"), TRUE),
    (location("Eve", "oxygen", "when the meeting was called"), TRUE),
    (location("Eve", "oxygen", "stayed until tick 5"), NEAR),
    (sighting("Alice", "Bob", "medbay", "at tick 1"), TRUE),
    (sighting("Alice", "Bob", "medbay", "at tick 4"), FALSE),
    (sighting("Alice", "Bob", "medbay", "at tick 4", of="body"), TRUE),
    (sighting("Alice", "Bob", "medbay", "when I found the body"), TRUE),
    (sighting("Alice", "Bob", "cafeteria", "when I found the body", of="body"), WRONG),
    (sighting("Charlie", "Bob", "medbay", of="body"), FALSE),
    (sighting("Alice", "Diana", "electrical"), WRONG),
    (sighting("Alice", "Diana", "medbay", "at tick 5"), TRUE),
    (sighting("Alice", "Frank", "medbay"), FALSE),
    (sighting("Alice", "Frank", None, polarity="negative"), TRUE),
    (sighting("Charlie", None, None, polarity="negative"), TRUE),
    (sighting("Alice", None, None, polarity="negative"), FALSE),
    (sighting("Alice", "Diana", None), TRUE),
    (activity("Charlie", "task", "storage"), TRUE),
    (activity("Charlie", "task", "security"), WRONG),
    (activity("Alice", "task", "medbay"), FALSE),
    (activity("Alice", "task", "medbay", polarity="negative"), TRUE),
    (activity("Alice", "traveling", "cafeteria", **{"from": "medbay"}), TRUE),
    (activity("Alice", "traveling", "cafeteria", "at tick 1", **{"from": "medbay"}), TRUE),
    (activity("Diana", "traveling", "medbay", "at tick 3", **{"from": "electrical"}), WRONG),
    (activity("Charlie", "traveling", "storage"), FALSE),
    (activity("Eve", "traveling", "cafeteria", "at tick 5", **{"from": "oxygen"}), TRUE),
    (activity("Charlie", "waiting", "storage", "ticks 2-4"), TRUE),
    (activity("Alice", "report", "medbay"), TRUE),
    (activity("Alice", "report", "storage"), WRONG),
    (activity("Bob", "report", None), FALSE),
    (activity("Alice", "call", None), TRUE),
    (route("Alice", "medbay", "cafeteria", "medbay"), TRUE),
    (route("Alice", "medbay", "cafeteria"), TRUE),
    (route("Alice", "cafeteria", "weapons"), FALSE),
    (route("Eve", "oxygen", "cafeteria"), TRUE),
    (route("Diana", "electrical", "medbay"), TRUE),
    (route("Diana", "medbay", "electrical", polarity="negative"), FALSE),
    (location("Alice", "engine room"), NOT),
    (location("Mallory", "medbay"), NOT),
    (location("Alice", "medbay", "at tick 77"), NOT),
    (activity("Alice", "sabotage", "medbay"), NOT),
    ({"type": "feeling", "subject": "Alice"}, NOT),
    ({"type": "accusation", "accuser": "Alice", "target": "Diana"}, TRUE),
    ({"type": "accusation", "accuser": "Alice", "target": "Frank"}, FALSE),
    ({"type": "defense", "defender": "Alice", "defended": "Diana"}, NOT),
]


@pytest.mark.parametrize(("claim", "verdict"), VERDICTS, ids=lambda value: str(value)[:90])
def test_verdict(killing: Trajectory, claim: dict[str, Any], verdict: str) -> None:
    found = ask(killing, claim)
    assert found.verdict == verdict, found.reason
    assert found.reason


def test_routes_that_miss_the_scene_are_false_and_others_a_near_miss(story: Any) -> None:
    told = story("weapons oxygen medbay medbay", ducks=[3], kill_cooldown=1)
    told.tick("0 move security", "3 kill 2")
    told.tick("0 move weapons")
    told.tick("0 move security")
    told.tick("0 move navigation", "1 move upper_engine", "3 move electrical")
    told.tick()
    told.tick("3 move medbay")
    told.tick("3 report")
    told.vote("- - . -", "weapons oxygen . medbay")
    trajectory = told.play()
    assert ask(trajectory, route("Alice", "weapons", "security", "navigation")).verdict == TRUE
    out_of_order = ask(trajectory, route("Alice", "navigation", "security", "weapons"))
    assert out_of_order.verdict == NEAR, out_of_order.reason
    one_wrong = ask(trajectory, route("Alice", "weapons", "security", "electrical", "navigation"))
    assert one_wrong.verdict == NEAR, one_wrong.reason
    hides = ask(trajectory, route("Alice", "weapons", "security", "medbay", "navigation"))
    assert hides.verdict == FALSE, hides.reason
    short = ask(trajectory, route("Diana", "medbay", "electrical", "medbay"), "Diana")
    assert short.verdict == TRUE


@pytest.mark.parametrize(
    ("time", "window"),
    [
        ("from tick 1 through finding the body, leaving cafeteria around tick 2", (1, 5)),
        ("this round, from tick 2 until the report; medbay around ticks 3-4", (2, 5)),
        ("this round, from the start until the report; cafeteria around tick 2", (0, 5)),
        ("from tick 1 through tick 3; cafeteria at tick 2", (1, 3)),
        ("from tick 1 onward, cafeteria at tick 2", (1, 5)),
        ("from tick 1, in cafeteria around tick 2", (1, 3)),
    ],
)
def test_a_route_was_walked_in_the_stretch_and_its_rooms_are_dated_within_it(
    killing: Trajectory, time: str, window: tuple[int, int]
) -> None:
    found = ask(killing, route("Alice", "cafeteria", "medbay", time=time)).window
    assert found is not None and (found.first_tick, found.last_tick) == window, found.how


def test_an_omission_is_noted_with_its_scene(killing: Trajectory) -> None:
    found = ask(killing, route("Alice", "medbay", "medbay"))
    assert found.details["omitted"] == []
    found = ask(killing, route("Alice", "cafeteria", "medbay"))
    assert found.details["omits_scene"] is False


def test_the_only_one_i_saw_leaves_that_one_out(killing: Trajectory) -> None:
    message = "The only ones I saw were Bob and Diana in medbay."
    claim = sighting("Alice", None, None, polarity="negative")
    assert ask(killing, claim, message=message).verdict == TRUE


def test_a_traveller_put_back_is_in_the_room_it_left(killing: Trajectory) -> None:
    assert ask(killing, location("Eve", "oxygen", "when the meeting was called"), "Eve").verdict == TRUE
    assert ask(killing, location("Eve", "cafeteria"), "Eve").verdict == FALSE


def test_a_new_type_is_one_verifier_in_the_table(killing: Trajectory, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = {"type": "weather", "subject": "Alice", "room": "medbay"}
    assert ask(killing, claim).verdict == NOT
    monkeypatch.setitem(VERIFIERS, "weather", lambda case: Ruling(TRUE, f"it is dry in {case.room}"))
    assert ask(killing, claim).reason == "it is dry in medbay"


# --- support ---------------------------------------------------------------------------------------------------------


def accuse(trajectory: Trajectory, accuser: str, target: str, *said: Said) -> Finding:
    return judge(trajectory, Claim("accusation", accuser, target=target, attribution="own"), accuser, 0, said=said)


def test_own_evidence_is_the_scene_within_two_ticks(killing: Trajectory) -> None:
    found = accuse(killing, "Alice", "Diana")
    assert (found.support, found.grounds) == ("own", "scene"), found.reason


def test_having_reported_is_no_evidence(killing: Trajectory) -> None:
    assert accuse(killing, "Alice", "Frank").support == "none"
    assert accuse(killing, "Frank", "Alice").support == "none"


def test_testimony_puts_the_target_at_the_scene(killing: Trajectory) -> None:
    told = Said(Claim("sighting", "Alice", "medbay", target="Diana", attribution="own"), 0, 0)
    found = accuse(killing, "Frank", "Diana", told)
    assert (found.support, found.grounds) == ("testimony", "testimony")
    admitted = Said(Claim("location", "Diana", "medbay", attribution="own"), 3, 0)
    assert accuse(killing, "Frank", "Diana", admitted).grounds == "admission"
    elsewhere = Said(Claim("location", "Diana", "electrical", attribution="own"), 3, 0)
    assert accuse(killing, "Frank", "Diana", elsewhere).support == "none"


def test_a_statement_that_the_accuser_knows_to_be_wrong(killing: Trajectory) -> None:
    lie = Said(Claim("location", "Diana", "weapons", time="at tick 5", attribution="own"), 3, 0)
    found = accuse(killing, "Frank", "Diana", lie)
    assert (found.support, found.grounds) == ("own", "contradiction")
    elsewhere = Said(Claim("location", "Diana", "navigation", time="at tick 5", attribution="own"), 3, 0)
    assert accuse(killing, "Frank", "Diana", elsewhere).support == "none", "it was not there itself"


def test_a_false_statement_is_exposed_to_those_who_were_there(killing: Trajectory) -> None:
    found = ask(killing, location("Diana", "weapons", "at tick 5"), "Diana")
    assert found.verdict == FALSE
    assert 5 in found.details["exposed"], "Frank was in weapons"
    assert 0 in found.details["exposed"], "Alice was with her in medbay"
    assert 2 not in found.details["exposed"]


def test_defences(killing: Trajectory) -> None:
    def defend(defender: str, defended: str) -> str | None:
        claim = {"type": "defense", "defender": defender, "defended": defended}
        return ask(killing, claim, defender).support

    assert defend("Alice", "Alice") == "self"
    assert defend("Alice", "Charlie") == "none"
    assert defend("Diana", "Alice") == "own", "she saw her set out for cafeteria a tick before"


def test_company_at_the_kill_supports_a_defence(story: Any) -> None:
    told = story("medbay medbay oxygen oxygen medbay", ducks=[4], kill_cooldown=1)
    told.tick("4 kill 0")
    told.tick("1 report")
    told.vote(". - - - -", ". medbay oxygen oxygen medbay")
    claim = {"type": "defense", "defender": "Charlie", "defended": "Diana"}
    found = ask(told.play(), claim, "Charlie")
    assert (found.support, found.grounds) == ("own", "company")


# --- many ------------------------------------------------------------------------------------------------------------


def test_all_claims_of_a_game_in_order_with_their_repetitions(killing: Trajectory) -> None:
    once = Said(Claim("location", "Alice", "cafeteria", attribution="own"), 0, 0, round=1)
    again = Said(Claim("location", "Alice", "Cafeteria", attribution="own"), 0, 0, round=2)
    found = judge_all(killing, [once, again])
    assert [finding.duplicate for finding in found] == [False, True]
    assert [finding.round for finding in found] == [1, 2]


def test_findings_come_back_from_their_dicts(killing: Trajectory) -> None:
    for claim, _ in VERDICTS:
        found = ask(killing, claim)
        back = Finding.from_dict(found.to_dict())
        assert back.to_dict() == found.to_dict()


@pytest.mark.parametrize("meeting", [-1, 5])
def test_a_meeting_that_there_is_not_is_refused(killing: Trajectory, meeting: int) -> None:
    with pytest.raises(ConfigError, match=f"there is no meeting {meeting}; this game has 1, numbered from 0"):
        ask(killing, location("Alice", "medbay"), meeting=meeting)


@pytest.mark.parametrize(
    ("speaker", "told"),
    [("Bop", r"speaker 'Bop' is unknown \(did you mean 'Bob'\?\)"), (99, "speaker 99: must be a seat from 0 to ")],
)
def test_a_speaker_who_is_not_in_the_game_is_refused(killing: Trajectory, speaker: Any, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        ask(killing, location("Alice", "medbay"), speaker)
    if isinstance(speaker, int):
        with pytest.raises(ConfigError, match=told):
            judge_all(killing, [Said(Claim("location", "Alice", "medbay"), speaker, 0)])


@pytest.mark.parametrize("meeting", [True, 0.0, "0", None])
def test_a_meeting_that_is_no_whole_number_is_refused(killing: Trajectory, meeting: Any) -> None:
    with pytest.raises(ConfigError, match=f"meeting {meeting!r}: must be a whole number, from 0"):
        ask(killing, location("Alice", "medbay"), meeting=meeting)


def test_whole_numbers_of_numpy_are_seats_and_meetings(killing: Trajectory) -> None:
    claim = location("Alice", "medbay", "at tick 1")
    theirs = ask(killing, claim, np.int64(1), np.int32(0))
    assert theirs.to_dict() == ask(killing, claim, 1, 0).to_dict() and type(theirs.speaker) is int


# --- verifiers of one's own ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "must give a Ruling, not None"),
        (True, "must give a Ruling, not True"),
        (("true", "so it was"), r"must give a Ruling, not \('true'"),
        (Ruling("True", "so it was"), "verdict='True': must be one of true, false, wrong_room"),
        (Ruling("maybe", "so it was"), "verdict='maybe': must be one of"),
        (Ruling("true", None), "reason=None: must be a text"),  # type: ignore[arg-type]
        (Ruling("true", "so", (10_000,)), r"evidence=\(10000,\): must be indices of events, from 0 to"),
        (Ruling("true", "so", (-1,)), "must be indices of events"),
        (Ruling("true", "so", ("0",)), "must be indices of events"),  # type: ignore[arg-type]
        (Ruling("true", "so", 0), "evidence=0: must be indices"),  # type: ignore[arg-type]
    ],
)
def test_an_answer_that_is_no_ruling_is_named_with_its_verifier(
    killing: Trajectory, monkeypatch: pytest.MonkeyPatch, answer: Any, told: str
) -> None:
    def alone(case: Any) -> Any:
        return answer

    monkeypatch.setitem(VERIFIERS, "alone", alone)
    with pytest.raises(ConfigError, match=r"verifier .*alone of 'alone' claims: .*" + told):
        ask(killing, {"type": "alone", "room": "medbay"})


def test_a_verifier_that_fails_is_named_with_game_words_and_cause(
    killing: Trajectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def alone(case: Any) -> Ruling:
        return Ruling("true", case.nothing)

    monkeypatch.setitem(VERIFIERS, "alone", alone)
    with pytest.raises(ConfigError, match=r"claims: AttributeError.*seed \d+, Alice said 'I was alone'") as fault:
        ask(killing, {"type": "alone", "room": "medbay"}, message="I was alone")
    assert isinstance(fault.value.__cause__, AttributeError)


def test_a_field_of_a_claim_that_is_no_text_is_named() -> None:
    with pytest.raises(TypeError, match="claim: room must be a text or None, not 3"):
        Claim("location", room=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="claim: route must be a tuple of rooms"):
        Claim("location", route="medbay")  # type: ignore[arg-type]
