# ruff: noqa: RUF001 - replies come in all kinds of characters
"""Replies of models: every shape of faults.md 22 becomes the right action or a named failure, none a wrong action."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quack_agents.vlm.reply import Grammar, json_objects, read_speech, shorten, without_thoughts

NAMES = ("Eve", "Bob", "Player 1", "Player 10", "Ann Lee", "Frank")
ROOMS = ("medbay", "upper_engine", "storage")
KNOWN = (
    "wait()",
    *(f"move({room})" for room in ROOMS),
    "do_task()",
    "report()",
    "call_meeting()",
    *(f"kill({name})" for name in NAMES),
    *(f"vote({name})" for name in NAMES),
    "skip()",
    "speak()",
    *(f"saw({name}, {room})" for name in NAMES for room in ROOMS),
)
ROAM = Grammar(("wait()", "move(medbay)", "move(upper_engine)", "kill(Eve)", "kill(Player 1)"), KNOWN, max_say=40)
VOTE = Grammar((*(f"vote({n})" for n in NAMES[:5]), "skip()"), KNOWN, voting=True)

ROAMING = {
    "kill(Eve)": "kill(Eve)",
    "  kill(Eve)\n": "kill(Eve)",
    "Kill(eve).": "kill(Eve)",
    "kill( Eve )": "kill(Eve)",
    "**kill(Eve)**": "kill(Eve)",
    "kill(**Eve**)": "kill(Eve)",
    "`kill(Eve)`": "kill(Eve)",
    "kill(„Eve“)": "kill(Eve)",
    "kill(«Eve»)": "kill(Eve)",
    "kill(「Eve」)": "kill(Eve)",
    "“kill(Eve)”": "kill(Eve)",
    "kill（Eve）": "kill(Eve)",
    "move(Upper Engine)": "move(upper_engine)",
    "move to the upper engine": "move(upper_engine)",
    "I'll move to medbay.": "move(medbay)",
    "wait": "wait()",
    "kill(Player 1)": "kill(Player 1)",
    "Action: kill(Eve)": "kill(Eve)",
    "**Action:** `move(medbay)`": "move(medbay)",
    "Eve is alone with me, which is what I wanted. kill(Eve)": "kill(Eve)",
    "I am going for kill(Eve) right away.": "kill(Eve)",
    "Nobody is here.\n\nmove(medbay)\n\nIt is close.": "move(medbay)",
    "First wait() came to mind. It could be kill(Eve).\nFinal answer: move(medbay)": "move(medbay)",
    '```json\n{"action": "kill(Eve)"}\n```': "kill(Eve)",
    'Sure!\n```json\n{"action": "kill(Eve)", "say": ""}\n```\nThere you go.': "kill(Eve)",
    '````\n```json\n{"action": "kill(Eve)"}\n```\n````': "kill(Eve)",
    "```\nkill(Eve)\n```": "kill(Eve)",
    '{"action": "kill", "target": "Eve"}': "kill(Eve)",
    '{"action": "wait"}': "wait()",
    '{"response": {"action": "wait()"}}': "wait()",
    '```thinking\nShould I wait()? No, kill(Eve).\n```\n```json\n{"action": "move(medbay)"}\n```': "move(medbay)",
    "<think>wait() or kill(Eve)?</think>move(medbay)": "move(medbay)",
    "kill(Eve) would be rash.</think>\nmove(medbay)": "move(medbay)",
    "not wait(); kill(Eve)": "kill(Eve)",
    "I will not kill(Eve). move(medbay)": "move(medbay)",
    "No one is here. So I do this: move(medbay)": "move(medbay)",
    "- kill(Eve)": "kill(Eve)",
    "1. kill(Eve)": "kill(Eve)",
    # to be asked again
    "": None,
    "   \n": None,
    "```\n```": None,
    "```json\n\n```": None,
    "<think>kill(Eve)</think>": None,
    "<think>kill(Eve)": None,
    "kill(Eve) or wait()": None,
    "kill(Eve)\nwait()": None,
    "kill(Eve), then move(medbay)": None,
    "Action: kill(Eve)\nAction: wait()": None,
    '{"action": "kill(Eve)"} {"action": "wait()"}': None,
    '{"action": "wait()"} Wait, no: better is this. kill(Eve)': None,
    '{"action": ["kill(Eve)", "wait()"]}': None,
    '{"action": "not wait(); kill(Eve)"}': None,
    '{"action": null}': None,
    '{"action": "kill(E': None,
    "I will not kill(Eve)": None,
    "I will not, under any circumstances, kill(Eve)": None,
    "Don’t kill(Eve)!": None,
    "kill(Eve)? No.": None,
    "kill(Eve) is a bad idea": None,
    "If I kill(Eve) they will know.": None,
    "I won't wait() here, and yet: wait()": None,
    "I was about to kill(Eve).": None,
    "Bob wants me to kill(Eve).": None,
    "Worst action: kill(Eve)": None,
    "For example move(medbay)": None,
    "Ich werde nicht kill(Eve)": None,
    "kill(Bob)": None,
    "kill(Frank)": None,
    "kill(Zoe)": None,
    "kill(Player 10)": None,
    "move(storage)": None,
    "I believe this is fine.": None,
    "Eve": None,
    "vote(Eve)": None,
    "I kill": None,
    "skip": None,
}
VOTING = {
    "Eve": "vote(Eve)",
    "eve.": "vote(Eve)",
    "**Eve**": "vote(Eve)",
    "„Eve“": "vote(Eve)",
    "vote(Eve)": "vote(Eve)",
    "vote(**Eve**)": "vote(Eve)",
    "Vote: Eve": "vote(Eve)",
    "My final vote is **Eve**.": "vote(Eve)",
    "I vote for Bob, because Eve said so.": "vote(Bob)",
    "I'll vote for 「Ann Lee」": "vote(Ann Lee)",
    "Player 10": "vote(Player 10)",
    "Player 1": "vote(Player 1)",
    "I vote Player 10.": "vote(Player 10)",
    "I vote for Player 1.": "vote(Player 1)",
    "skip": "skip()",
    "Skip.": "skip()",
    "skip()": "skip()",
    "I vote to skip": "skip()",
    '{"vote": "Eve"}': "vote(Eve)",
    '{"action": "skip"}': "skip()",
    # to be asked again
    "I believe we should wait and see.": None,
    "Eve or Bob": None,
    "Eve\nBob": None,
    "Eve is innocent": None,
    "Bob voted for Eve.": None,
    "I do not vote for Eve": None,
    "I vote for Eve or Bob": None,
    "Anyone but Eve": None,
    "Bob said vote(Eve).": None,
    "Did Bob vote(Eve)?": None,
    "Player 100": None,
    "Player": None,
    "Frank": None,
    "Evelyn": None,
    "kill(Eve)": None,
}


@pytest.mark.parametrize("reply", ROAMING)
def test_action(reply: str) -> None:
    parsed = ROAM.read(reply)
    if ROAMING[reply] is None:
        assert parsed.failure is not None and parsed.detail
    else:
        assert (parsed.action, parsed.failure) == (ROAMING[reply], None)


@pytest.mark.parametrize("reply", VOTING)
def test_vote(reply: str) -> None:
    parsed = VOTE.read(reply)
    if VOTING[reply] is None:
        assert parsed.failure is not None and parsed.detail
    else:
        assert (parsed.action, parsed.failure) == (VOTING[reply], None)


@pytest.mark.parametrize(
    ("content", "reasoning", "finish", "failure"),
    [
        (None, None, "stop", "empty"),
        (None, "I think kill(Eve) is best", "stop", "reasoning_only"),
        ("", "kill(Eve)", "length", "cut_off"),
        ("", None, "length", "cut_off"),
        ("<think>so", None, "length", "cut_off"),
        ("I would say kill(Eve)", None, "length", "cut_off"),
        ("kill(Frank)", None, "stop", "illegal"),
        ("kill(Eve) wait()", None, "stop", "ambiguous"),
        ("never kill(Eve)", None, "stop", "doubtful"),
        ("hello", None, "stop", "no_action"),
    ],
)
def test_the_failure_is_named(content: str | None, reasoning: str | None, finish: str, failure: str) -> None:
    assert ROAM.read(content, reasoning, finish).failure == failure


def test_an_exact_action_stands_though_the_limit_was_met() -> None:
    assert ROAM.read("kill(Eve)", None, "length").action == "kill(Eve)"


def test_the_failure_repeats_nothing_of_the_reply() -> None:
    secret = "IGNORE THE RULES"
    for reply in (f"{secret} kill({secret})", f"kill(Eve) wait() {secret}", f"not kill(Eve) {secret}", secret):
        assert secret not in ROAM.read(reply).detail


@pytest.mark.parametrize(
    ("reply", "action", "say"),
    [
        ("move(medbay) | say(Hello there)", "move(medbay)", "Hello there"),
        ('move(medbay) | say("Hello (again)")', "move(medbay)", "Hello (again)"),
        ("move(medbay) | say(I saw kill(Eve), wait())", "move(medbay)", "I saw kill(Eve), wait()"),
        ("move(medbay)\nsay(«Hi»)", "move(medbay)", "Hi"),
        ('{"action": "wait()", "say": "Hi"}', "wait()", "Hi"),
        ("move(medbay) | say()", "move(medbay)", None),
        ("move(medbay)", "move(medbay)", None),
    ],
)
def test_words_beside_the_action(reply: str, action: str, say: str | None) -> None:
    parsed = ROAM.read(reply)
    assert (parsed.action, parsed.say, parsed.failure) == (action, say, None)


def test_too_many_words_name_what_would_stand() -> None:
    parsed = ROAM.read(f"wait() | say({'word ' * 20})")
    assert (parsed.failure, parsed.action) == ("too_long", "wait()")
    assert parsed.say and len(parsed.say) <= 40 and not parsed.say.endswith("wor")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("I was in medbay.", "I was in medbay."),
        ('"I was in medbay."', "I was in medbay."),
        ("“I was in medbay.”", "I was in medbay."),
        ("Eve: I was in medbay.", "I was in medbay."),
        ("**Eve:** I was in medbay.", "I was in medbay."),
        ('speak("I was in medbay.")', "I was in medbay."),
        ('```json\n{"say": "I was in medbay."}\n```', "I was in medbay."),
        ("<think>lie?</think>I was in medbay.", "I was in medbay."),
        ("```\nI was in medbay.\n```", "I was in medbay."),
        ('"Bob" is the one, not "Ann"', '"Bob" is the one, not "Ann"'),
        ("Bob: where were you?", "Bob: where were you?"),
        ("I vote for Bob, kill(Bob) or not!", "I vote for Bob, kill(Bob) or not!"),
    ],
)
def test_speech(reply: str, words: str) -> None:
    parsed = read_speech(reply, None, "stop", "Eve", 100)
    assert (parsed.say, parsed.failure) == (words, None)


@pytest.mark.parametrize(
    ("content", "finish", "failure"),
    [
        (None, "stop", "empty"),
        ("", "length", "cut_off"),
        ("```\n```", "stop", "reasoning_only"),
        ("<think>hm</think>", "stop", "reasoning_only"),
        ("I was in", "length", "cut_off"),
        ("x" * 101, "stop", "too_long"),
        ('""', "stop", "reasoning_only"),
        ('{"say": ""}', "stop", "reasoning_only"),
    ],
)
def test_no_speech(content: str | None, finish: str, failure: str) -> None:
    assert read_speech(content, None, finish, "Eve", 100).failure == failure


def test_shorten_ends_with_a_sentence_or_a_word() -> None:
    assert shorten("One two. Three four. Five", 22) == "One two. Three four."
    assert shorten("aaaa bbbb cccc", 12) == "aaaa bbbb"
    assert shorten("a" * 20, 5) == "aaaaa"


def test_thoughts_go_wherever_they_stand() -> None:
    assert without_thoughts("a <reasoning>x</reasoning> b") == "a  b"
    assert without_thoughts("~~~scratchpad\nx\n~~~\nb") == "b"


def test_json_in_prose_is_found_once() -> None:
    assert [data for data, _, _ in json_objects('a {"x": {"y": 1, "z": 2}} {bad} {"q": "}"}')] == [
        {"y": 1, "z": 2},
        {"q": "}"},
    ]


# --- whatever is written around an action ----------------------------------------------------------------------------

ACTION = st.sampled_from(ROAM.legal)
WRAPS = (
    "{}",
    "**{}**",
    "`{}`",
    "```\n{}\n```",
    "“{}”",
    "Action: {}",
    '{{"action": "{}"}}',
    'Well then.\n```json\n{{"action": "{}"}}\n```',
    "<think>wait() or kill(Eve), or move(medbay)?</think>\n{}",
    "```reasoning\nkill(Eve)\n```\n{}",
    "I do this: {}.",
    "{} | say(kill(Eve) and wait() are words)",
)
PIECES = (
    "I",
    "will",
    "not",
    "believe",
    "Eve",
    ".",
    ";",
    "\n",
    "```",
    "**",
    "then",
    "or",
    "Action:",
    "if",
    "?",
    '"',
    "{",
    "}",
)


@given(action=ACTION, wrap=st.sampled_from(WRAPS))
def test_one_action_is_found_in_every_wrapping(action: str, wrap: str) -> None:
    assert ROAM.read(wrap.format(action)).action == action


@given(
    one=ACTION, other=ACTION, joint=st.sampled_from((" or ", " and ", "\n", ", ", ". ", "; ", " -> ", "\n\n---\n\n"))
)
def test_two_actions_are_never_one(one: str, other: str, joint: str) -> None:
    parsed = ROAM.read(f"{one}{joint}{other}")
    assert (parsed.failure is None) == (one == other) or parsed.failure is not None


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), ACTION, st.sampled_from(KNOWN)), max_size=12))
def test_what_is_done_was_named_and_nothing_else_was_named_plainly(pieces: list[str]) -> None:
    text = " ".join(pieces)
    parsed = ROAM.read(text)
    if parsed.failure is None:
        assert parsed.action in ROAM.legal
        named = [piece for piece in pieces if "(" in piece]
        assert parsed.action in named or parsed.form == "tolerant"
    else:
        assert parsed.failure == "too_long" or parsed.action is None


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80), st.sampled_from((None, "stop", "length")))
def test_any_text_is_read_without_an_error(text: str, finish: str | None) -> None:
    for grammar in (ROAM, VOTE):
        parsed = grammar.read(text, None, finish)
        assert (parsed.failure is None) == (parsed.action in grammar.legal)
    read_speech(text, None, finish, "Eve", 40)
