"""Time phrases: every class of the published data is read, and means the ticks that metrics.md says."""

from __future__ import annotations

import re
from typing import Any

import pytest

from quack_eval import Timeline
from quack_eval.claims.phrases import read
from quack_eval.claims.time_window import Clock

LISTED = """
this round; at tick N; around tick N; tick N; ticks N-N; around ticks N-N; when i found the body; when X found
the body; ticks N and N; early this round; early on; right before the report; this round before the report;
after tick N; ticks N, N, and N; this round before finding the body; when X reported the body; earlier this
round; earlier; when the meeting was called; around tick N-N; around tN; early; when the report happened; when
X found X's body; right before X died; at the start; tick N-N; when the body was found; when X died; right
now; the entire round; through tick N; from tick N through tick N; the whole round; at the start of this
round; from tick N to tick N; when the meeting got called; at tN; before the report; this round before
reporting; tN; at the end; when X was alive; after X left; from tick N onward; mid-round; right before the
meeting; when X found X; later this round; at the end of the round; this round before the meeting; at ticks
N-N; this round before the meeting was called; before finding X; before tick N; during the kill window; at the
start of the round; when X was killed; this whole round; before finding the body; between tick N and tick N;
around ticks N to N; when X left electrical; late this round; around ticks N and N; around ticks N through N;
most of the round; the whole way; right before finding the body
"""
"""The most frequent published phrases (`published_logs.md`), with N for numbers and X for names."""

FILLED = [
    re.sub(r"\bX\b", "Bob", phrase.strip().replace("N-N", "3-5").replace("N", "4"))
    for phrase in " ".join(LISTED.split()).split(";")
]


@pytest.fixture
def clock(story: Any) -> Clock:
    """Two legs, ticks 0-5 and 5-12; in the second Bob (1) is killed by Diana (3) at tick 9, and 2 reports at 12."""
    told = story("medbay medbay cafeteria medbay", ducks=[3], max_ticks=60)
    told.tick(times=4)
    told.tick("2 call")
    told.vote("- - - -", "storage medbay electrical medbay")
    told.tick("0 move medbay")
    told.tick(times=2)
    told.tick("3 kill 1")
    told.tick("3 move storage")
    told.tick("2 move medbay")
    told.tick("2 report")
    told.vote("- . - -", "storage . electrical medbay")
    return Clock(Timeline(told.play()))


def ticks(clock: Clock, phrase: str | None, meeting: int = 1, subject: int = 0) -> tuple[int, int]:
    window = clock.window(phrase, meeting, subject, 0)
    return window.first_tick, window.last_tick


TABLE = {
    None: (5, 12),
    "this round": (5, 12),
    "at tick 7": (7, 7),
    "t7": (7, 7),
    "around tick 7": (6, 8),
    "~T7": (6, 8),
    "ticks 7-9": (7, 9),
    "tick 7 to tick 9": (7, 9),
    "around ticks 7 through 9": (6, 10),
    "between tick 7 and tick 9": (7, 9),
    "ticks 7 and 9": (7, 9),
    "ticks 7, 8, and 10": (7, 10),
    "until tick 7": (5, 7),
    "by tick 7": (5, 7),
    "before tick 7": (5, 7),
    "through tick 7": (5, 7),
    "from tick 8 onward": (8, 12),
    "since tick 8": (8, 12),
    "after tick 8": (8, 12),
    "after tick 7 and before tick 9": (7, 9),
    "from tick 8 until the meeting": (8, 12),
    "ticks 7-8 until the report": (7, 12),
    "around ticks 7-8 and after that": (6, 12),
    "around ticks 8-9 through when Charlie reported the body": (7, 12),
    "from before ticks 8-9 until the report": (5, 12),
    "from the start through after around tick 8": (5, 12),
    "from the start to tick 8": (5, 8),
    "from early onward": (5, 12),
    "early in medbay and late in storage": (5, 12),
    "before and after tick 8": (5, 12),
    "medbay before tick 8 and storage after that": (5, 12),
    "after tick 7 until tick 9": (7, 9),
    "ticks 7-8 and immediately after": (7, 10),
    "around tick 9, on the way to storage": (8, 10),
    "right before tick 9": (7, 9),
    "right after tick 9": (9, 11),
    "at tick 8, right before the report": (8, 8),
    "this round over 6 ticks": (5, 12),
    "at the start": (5, 8),
    "at the start of this round": (5, 8),
    "early": (5, 8),
    "early on": (5, 8),
    "late this round": (9, 12),
    "later this round": (9, 12),
    "at the end of the round": (10, 12),
    "right before the meeting": (10, 12),
    "just now": (10, 12),
    "right now": (10, 12),
    "the last 2 ticks": (11, 12),
    "when I found the body": (11, 12),
    "when the meeting was called": (11, 12),
    "when Charlie found Bob's body": (11, 12),
    "before the report": (5, 12),
    "this round before finding the body": (5, 12),
    "last round": (0, 5),
    "since last meeting": (5, 12),
    "at tick 3": (3, 3),
    "around tick 3": (2, 4),
    "ticks 2-4": (2, 4),
    "until tick 3": (0, 3),
    "from tick 3 onward": (3, 5),
    "when Bob died": (8, 9),
    "before the kill": (5, 9),
    "right before Bob died": (7, 9),
    "when Bob was alive": (5, 9),
    "after Diana left": (10, 12),
    "after Diana left medbay toward storage": (10, 12),
    "before Diana left": (5, 10),
    "when Diana left medbay": (9, 10),
    "the entire game": (0, 12),
    "whenever": (5, 12),
}


@pytest.mark.parametrize("phrase", TABLE, ids=str)
def test_a_phrase_means_these_ticks(clock: Clock, phrase: str | None) -> None:
    assert ticks(clock, phrase) == TABLE[phrase], clock.window(phrase, 1, 0, 0)


@pytest.mark.parametrize("phrase", FILLED)
def test_every_listed_phrase_is_understood(clock: Clock, phrase: str) -> None:
    window = clock.window(phrase, 1, 0, 0)
    assert window.spans
    assert "unknown" not in window.how or phrase == "mid-round", window.how


def test_unknown_words_fall_back_to_the_leg_and_say_so(clock: Clock) -> None:
    window = clock.window("when the moon rose", 1, 0, 0)
    assert (window.first_tick, window.last_tick, window.known) == (5, 12, False)
    assert "moon" in window.how


def test_ticks_after_the_meeting_are_no_window(clock: Clock) -> None:
    assert clock.window("at tick 40", 1, 0, 0).spans == ()


def test_words_of_duration_are_kept(clock: Clock) -> None:
    assert clock.window("the whole round", 1, 0, 0).extent == "whole"
    assert clock.window("most of the round", 1, 0, 0).extent == "most"
    assert clock.window("the whole time after Diana left at tick 10", 1, 0, 0).first_tick == 10


def test_the_call_belongs_to_the_window(clock: Clock) -> None:
    leg = clock.legs[1]
    assert clock.window(None, 1, 0, 0).last == leg.last
    assert clock.timeline.events[leg.last].kind == "meeting_called"


def test_i_and_names_are_told_apart(clock: Clock) -> None:
    assert ticks(clock, "after I left storage", subject=3) == (6, 12)
    assert ticks(clock, "after leaving medbay", subject=3) == (10, 12)


def test_arrivals_are_dated_only_by_their_own_words() -> None:
    assert read("at tick 7, entering from medbay").arrival
    assert not read("at tick 7 when Bob entered").arrival


def test_the_number_of_a_round_or_a_meeting_is_no_tick(clock: Clock) -> None:
    assert ticks(clock, "round 2, before Bob died") == (5, 9)
