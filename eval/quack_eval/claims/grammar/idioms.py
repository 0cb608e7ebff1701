# ruff: noqa: E501  (each pattern stands on one line)
"""Turns of phrase put into plain words before a sentence is parsed: "laid eyes on" is "saw"."""

from __future__ import annotations

from collections.abc import Sequence

from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import EITHER, FINITE, GERUND, SOMEONE, VERBS
from quack_eval.claims.grammar.words import kind_at, text_at, texts

_IDIOMS: dict[str, str] = {
    "caught a glimpse of": "saw", "catch a glimpse of": "see", "got a glimpse of": "saw", "caught sight of": "saw", "catch sight of": "see", "laid eyes on": "saw", "lay eyes on": "see", "got a look at": "saw",
    "had eyes on": "saw", "got eyes on": "saw", "have eyes on": "see", "saw the inside of": "entered", "see the inside of": "enter",
    "ran into": "met", "run into": "meet", "running into": "seeing", "bumped into": "met", "bump into": "meet", "bumping into": "seeing",
    "came across": "met", "come across": "meet", "coming across": "seeing", "crossed paths with": "met", "cross paths with": "meet",
    "crossing paths with": "seeing", "passed paths with": "met", "crossed my path": "met me", "crossed my sight": "met me",
    "stumbled over": "found", "stumbled upon": "found", "stumbled across": "found", "stumbled on": "found", "stumbled onto": "found",
    "came upon": "found", "stood before": "found", "walked in on": "found",
    "set foot in": "enter", "stepped foot in": "entered", "step foot in": "enter", "set foot into": "enter", "stepped foot into": "entered",
    "set a foot in": "enter", "poked my head into": "entered", "took care of": "did", "busy with": "doing", "at work on": "doing",
    "put in work on": "did", "got some work done": "did tasks", "used the time for": "did", "spent my time on": "did",
    "spent the time on": "did", "walked off": "went", "walk off": "go", "slip away": "go", "slipped away": "went", "set off for": "leave for",
    "set off to": "leave to", "shows up": "arrives", "showing up": "arriving", "turns up": "arrives", "turn up": "arrive", "turned up": "arrived", "show up": "arrive", "showed up": "arrived",
    "nowhere to be found": "nowhere", "nowhere to be seen": "nowhere", "take the door": "go", "lying dead": "dead", "ended up": "ended",
    "ending up": "ending", "end up": "end", "ends up": "ends", "at least": "actually", "holding down": "staying in", "held down": "stayed in",
    "in and out of": "in", "not a single": "no single", "hung out": "stayed", "hanging out": "staying", "posted up": "stayed",
}  # fmt: skip
"""Words to plainer words."""
_IDIOMS |= {
    f"{makes} {whose} way": goes
    for makes, goes in (("made", "went"), ("make", "go"), ("making", "going"), ("worked", "went"), ("working", "going"))
    for whose in ("my", "his", "her", "their", "your", "our")
}
_IDIOMS |= {
    f"{one} confirmed {beside}": f"{one} {beside}"  # "the last person confirmed with Bob"
    for one in SOMEONE
    for beside in ("in", "at", "with", "near", "alive")
}

_EXCEPTS = (
    ["other", "than"],
    ["apart", "from"],
    ["aside", "from"],
    ["except", "for"],
    ["except"],
    ["besides"],
    ["but"],
)
"""What takes somebody out of nobody: "nobody but Bob"."""
_ANY = frozenset({"anyone", "anybody", "nobody", "one", "else", "soul", "person", "player", "players", "people"})

_BY_FIRST: dict[str, list[tuple[list[str], list[str]]]] = {}
for _said, _plain in sorted(_IDIOMS.items(), key=lambda item: -len(item[0])):
    _BY_FIRST.setdefault(_said.split()[0], []).append((_said.split(), _plain.split()))

_TURNS = frozenset(_BY_FIRST) | {said[0] for said in _EXCEPTS} | {"my", "lying"}
"""The words with which turns of phrase begin."""

SEEN = (
    ["saw", "it"], ["i", "was", "watching"], ["before", "my", "eyes"], ["looking", "right", "at"], ["in", "view"],
    ["i", "was", "there", "when"], ["with", "my", "own", "eyes"],
    ["i", "witnessed", "that"], ["i", "witnessed", "this"], ["i", "witnessed", "it"], ["i", "watched", "it"],
)  # fmt: skip
"""Words by which the speaker says that it saw what the sentence tells."""


def plainer(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with plain words for turns of phrase; every token keeps its place in the utterance."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        turns = tokens[at].text in _TURNS or tokens[at].kind == "poss" or text_at(tokens, at + 1) == "/"
        words, taken = _plain_words(tokens, at) if turns else ([tokens[at]], 1)
        found += words
        at += taken
    return found


def _plain_words(tokens: Sequence[Token], at: int) -> tuple[list[Token], int]:
    """The plain words for what begins at a token, and for how many tokens they stand."""
    token = tokens[at]
    if token.text in VERBS and text_at(tokens, at + 1) == "/" and _is_past(tokens, at + 2):
        return [], 2  # "I [spawned/]started in R"
    if (token.kind == "poss" or token.text == "my") and (taken := _sighting(tokens, at)):
        saw = _words(["saw"], tokens[at + taken - 2], tokens[at + taken - 1])
        return ([] if token.kind == "poss" else _words(["i"], token, token)) + saw, taken
    if token.text == "my" and (taken := _only_encounter(tokens, at)):
        return _words(["i", "only"], token, token) + _words(["saw"], token, tokens[at + taken - 1]), taken
    if taken := _excepts(tokens, at):
        return _words(["only"], token, tokens[at + taken - 1]), taken
    for said, plain in _BY_FIRST.get(token.text, ()) if token.kind == "word" else ():
        end = at + len(said)
        reaches = plain[-1] in ("met", "meet", "seeing") and _place_follows(tokens, end)
        if texts(tokens, at, end) == said and not reaches:
            return _words(plain, token, tokens[end - 1]), len(said)
    lies = token.text == "lying" and text_at(tokens, at + 1) in ("in", "on", "there", "dead")
    return [] if lies else [token], 1


def _words(words: Sequence[str], first: Token, last: Token) -> list[Token]:
    """Words that stand for the tokens from one to another."""
    return [Token("word", word, first.start, last.end) for word in words]


def _sighting(tokens: Sequence[Token], at: int) -> int:
    """How many tokens "'s sighting of" or "my sighting of" takes here, 0 where it is not: it tells that one saw."""
    words = texts(tokens, at + 1, at + 5)
    if "of" not in words[1:]:
        return 0
    of = words.index("of", 1)
    seeing = VERBS.get(words[of + 1]) if of + 1 < len(words) else None
    if seeing is not None and seeing.form == GERUND:
        return 0  # "Bob's account of seeing her"
    return of + 2 if words[of - 1] in ("sighting", "sightings", "account") else 0


def _only_encounter(tokens: Sequence[Token], at: int) -> int:
    """How many tokens "my only encounter was (with)" takes here, 0 where it is not: one saw whom it names."""
    words = texts(tokens, at + 1, at + 6)
    noun = next((p for p, word in enumerate(words[:3]) if word in ("encounter", "sighting", "contact")), None)
    if noun is None or words[noun + 1 : noun + 2] != ["was"]:
        return 0
    return noun + 3 + (words[noun + 2 : noun + 3] == ["with"])


def _excepts(tokens: Sequence[Token], at: int) -> int:
    """How many tokens "except", "other than" takes between anybody and a player, 0 where it is not: only that one."""
    anybody = [token.text in _ANY for token in tokens[max(0, at - 8) : at]]
    if not any(anybody):
        return 0
    for said in _EXCEPTS if anybody[-1] else _EXCEPTS[:-1]:
        end = at + len(said)
        named = [token.text for token in tokens[at:end]] == said and kind_at(tokens, end) == "name"
        if named:
            return len(said)
    return 0


def _is_past(tokens: Sequence[Token], at: int) -> bool:
    """Whether a past form of a verb stands here."""
    verb = VERBS.get(tokens[at].text) if at < len(tokens) else None
    return verb is not None and verb.form in (FINITE, EITHER)


def _place_follows(tokens: Sequence[Token], at: int) -> bool:
    """Whether a room comes: one runs into rooms too."""
    at += text_at(tokens, at) == "the"
    return kind_at(tokens, at) == "room"


def witnessed(tokens: Sequence[Token]) -> bool:
    """Whether the speaker adds that it saw this."""
    words = [token.text for token in tokens]
    have = set(words)
    cues = [cue for cue in SEEN if have.issuperset(cue)]
    return any(words[at : at + len(cue)] == cue for cue in cues for at in range(len(words)))
