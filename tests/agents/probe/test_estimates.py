"""Answers to probes, well formed and malformed: what is read, what is flagged, what is a failure."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quack_agents.probe.inquiry import ROLES, Estimate, Inquiry, Reading
from quack_agents.vlm.estimates import read_estimates

NAMES = ("Alice", "Bob", "Eve", "Player 1", "Player 10")
BOB, EVE = (1,), (2,)
FIRST = Inquiry("first", ROLES, (BOB, EVE))
GOOD = {"Bob": {"goose": 0.75, "duck": 0.25}, "Eve": {"goose": 0.4, "duck": 0.6}}
VALUES = {BOB: (0.75, 0.25), EVE: (0.4, 0.6)}


def read(content: Any, inquiry: Inquiry = FIRST, finish: str = "stop", reasoning: str | None = None) -> Reading:
    text = content if content is None or isinstance(content, str) else json.dumps(content)
    return read_estimates(text, reasoning, finish, inquiry, NAMES)


def kinds(reading: Reading) -> dict[Any, str]:
    return {path: fault.partition(": ")[0] for path, fault in reading.faults.items()}


def test_the_form_asked_for_is_read_as_it_is() -> None:
    reading = read(GOOD)
    assert reading.values == VALUES and reading.faults == {} and reading.tolerant == frozenset()


def eve(**entry: Any) -> dict[str, Any]:
    return {**GOOD, "Eve": entry}


TOLERATED = {
    "fence": f"```json\n{json.dumps(GOOD)}\n```",
    "prose around it": f"Let me see.\n{json.dumps(GOOD)}\nThat is what I think.",
    "thoughts before it": f"<think>{{}} Eve?</think>{json.dumps(GOOD)}\n.",
    "a wrapper": {"estimates": GOOD},
    "a list": [{"name": name, **entry} for name, entry in GOOD.items()],
    "twice the same": f"{json.dumps(GOOD)} Again: {json.dumps(GOOD)}",
    "markup and case in names": {"**Bob**": GOOD["Bob"], "eve": GOOD["Eve"]},
    "an entry for a dead player": {**GOOD, "Alice": {"goose": 1, "duck": 0}},
    "an entry for nobody": {**GOOD, "Zoe": {"goose": 1, "duck": 0}},
}


@pytest.mark.parametrize("content", TOLERATED.values(), ids=TOLERATED)
def test_what_can_only_mean_one_thing_is_read_and_flagged(content: Any) -> None:
    reading = read(content)
    assert reading.values == VALUES and reading.faults == {}
    assert reading.tolerant == {BOB, EVE}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"goose": "0.4", "duck": "0.6"}, (0.4, 0.6)),
        ({"goose": "0,4", "duck": " .6 "}, (0.4, 0.6)),
        ({"goose": "40%", "duck": "60 %"}, (0.4, 0.6)),
        ({"goose": 40, "duck": 60}, (0.4, 0.6)),
        ({"Goose": 0.4, "DUCK": 0.6}, (0.4, 0.6)),
        ({"goose": 0.41, "duck": 0.61}, (0.41 / 1.02, 0.61 / 1.02)),
        ({"goose": 0.39, "duck": 0.59}, (0.39 / 0.98, 0.59 / 0.98)),
        ({"goose": 0, "duck": 100}, (0.0, 1.0)),
    ],
)
def test_numbers_in_other_clothes_are_read_and_flagged(entry: dict[str, Any], expected: tuple[float, float]) -> None:
    reading = read(eve(**entry))
    assert reading.values[EVE] == pytest.approx(expected) and sum(reading.values[EVE]) == pytest.approx(1)
    assert reading.tolerant == {EVE} and reading.faults == {}


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ({"goose": 0.5, "duck": 0.8}, "sum"),  # 1.3
        ({"goose": 0.45, "duck": 0.52}, "sum"),  # 0.97
        ({"goose": 0, "duck": 0}, "sum"),
        ({"goose": -0.2, "duck": 1.2}, "range"),
        ({"goose": 70, "duck": 50}, "range"),
        ({"goose": float("nan"), "duck": 0.5}, "range"),
        ({"goose": float("inf"), "duck": 0.5}, "range"),
        ({"duck": 0.6}, "fields"),
        ({"goose": None, "duck": 0.6}, "fields"),
        ({"goose": True, "duck": False}, "fields"),
        ({"goose": "low", "duck": "high"}, "fields"),
        ({"goose": [0.4], "duck": 0.6}, "fields"),
        ({"good": 0.4, "werewolf": 0.6}, "fields"),
    ],
)
def test_impossible_numbers_are_failures_of_that_player_alone(entry: dict[str, Any], kind: str) -> None:
    reading = read(eve(**entry))
    assert kinds(reading) == {EVE: kind} and "Eve" in reading.faults[EVE]
    assert reading.values == {BOB: (0.75, 0.25)}


def test_a_missing_player_and_a_bare_number_are_failures() -> None:
    assert kinds(read({"Bob": GOOD["Bob"]})) == {EVE: "missing"}
    assert kinds(read({"Bob": GOOD["Bob"], "Eve": 0.6})) == {EVE: "fields"}
    assert kinds(read({"Bob": GOOD["Bob"], "Eve": None})) == {EVE: "missing"}


FAILURES = {
    "nothing": ("", "stop", "empty"),
    "no content": (None, "stop", "empty"),
    "an empty fence": ("```\n```", "stop", "no_json"),
    "prose": ("Eve is a Duck, 60% I would say; Bob is fine.", "stop", "no_json"),
    "another object": ('{"action": "skip()"}', "stop", "no_json"),
    "names within a name": ('{"Bobby": {"goose": 1, "duck": 0}}', "stop", "no_json"),
    "cut off": (json.dumps(GOOD)[:-9], "length", "cut_off"),
    "cut off, unannounced": (json.dumps(GOOD)[:-9], "stop", "cut_off"),
    "thought too long": ("", "length", "cut_off"),
    "only thoughts": ("<think>Eve!</think>", "stop", "reasoning_only"),
    "two that differ": (json.dumps(GOOD) + json.dumps(eve(goose=1, duck=0)), "stop", "ambiguous"),
    "one name twice": ('{"Eve": {"goose": 1, "duck": 0}, "Eve": {"goose": 0, "duck": 1}}', "stop", "ambiguous"),
    "garbage": ("─━│┃" * 10, "stop", "no_json"),
    "deep": ("[" * 5000 + "{" * 5000, "stop", "cut_off"),
}


@pytest.mark.parametrize(("content", "finish", "kind"), FAILURES.values(), ids=FAILURES)
def test_what_cannot_be_read_is_a_failure_of_everybody(content: str | None, finish: str, kind: str) -> None:
    reading = read(content, finish=finish)
    assert reading.values == {} and kinds(reading) == {BOB: kind, EVE: kind}


def test_failures_repeat_nothing_of_the_reply() -> None:
    for content in ("SECRET", eve(SECRET=1), {"SECRET": GOOD["Bob"]}, '{"Bob": "SECRET'):
        assert "SECRET" not in json.dumps(list(read(content).faults.values()))


def test_a_name_is_never_taken_for_a_longer_one() -> None:
    inquiry = Inquiry("first", ROLES, ((3,), (4,)))
    reading = read({"Player 10": GOOD["Bob"]}, inquiry)
    assert reading.values == {(4,): (0.75, 0.25)} and kinds(reading) == {(3,): "missing"}


def test_the_only_player_is_read_too() -> None:
    assert read({"Bob": GOOD["Bob"]}, Inquiry("first", ROLES, (BOB,))).values == {BOB: (0.75, 0.25)}


def test_of_the_second_order_each_pair_counts() -> None:
    inquiry = Inquiry("second", ROLES, ((1, 2), (1, 0), (2, 0)))
    reading = read({"Bob": {"Eve": GOOD["Eve"], "Alice": {"goose": 1}}, "Eve": {"alice": GOOD["Bob"]}}, inquiry)
    assert reading.values == {(1, 2): (0.4, 0.6), (2, 0): (0.75, 0.25)}
    assert reading.tolerant == {(2, 0)} and kinds(reading) == {(1, 0): "fields"}


def test_further_questions_have_their_own_answers() -> None:
    inquiry = Inquiry("plan", ("hide", "seek", "vote for you"), (BOB, EVE), "What next?")
    reading = read({"Bob": {"hide": 0.5, "seek": 0.25, "vote for you": 0.25}, "Eve": GOOD["Eve"]}, inquiry)
    assert reading.values == {BOB: (0.5, 0.25, 0.25)} and kinds(reading) == {EVE: "fields"}


def test_reasons_are_kept_where_they_were_asked_for() -> None:
    content = eve(goose=0.4, duck=0.6, why=" She was\nnear. ")
    assert read(content, Inquiry("first", ROLES, (BOB, EVE), rationale=True)).rationales == {EVE: "She was near."}
    assert read(content).rationales == {} and read(content).tolerant == frozenset()


def test_a_second_reply_adds_what_the_first_lacked_and_is_flagged() -> None:
    estimate = Estimate(FIRST)
    estimate.take(read({"Bob": GOOD["Bob"]}))
    assert set(estimate.failures) == {EVE} and estimate.repaired == set()
    estimate.take(read({"Bob": {"goose": 0, "duck": 1}, "Eve": GOOD["Eve"]}), again=True)
    assert estimate.values == VALUES and estimate.failures == {} and estimate.repaired == {EVE}


def test_the_latest_failure_stands() -> None:
    estimate = Estimate(FIRST)
    estimate.take(read("words"))
    estimate.take(read(eve(goose=1, duck=1)), again=True)
    assert estimate.values == {BOB: (0.75, 0.25)}
    assert {path: fault.partition(":")[0] for path, fault in estimate.failures.items()} == {EVE: "sum"}
    estimate.fail("provider: auth: no")
    assert estimate.failures == {EVE: "provider: auth: no"} and estimate.values == {BOB: (0.75, 0.25)}
