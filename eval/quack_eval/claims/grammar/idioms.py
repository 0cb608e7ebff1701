# ruff: noqa: E501  (each pattern stands on one line)
"""Turns of phrase put into plain words before a sentence is parsed: "laid eyes on" is "saw"."""

from __future__ import annotations

from collections.abc import Sequence

from quack_eval.claims.grammar.lexer import Token

_IDIOMS: dict[str, str] = {
    "caught sight of": "saw", "catch sight of": "see", "laid eyes on": "saw", "lay eyes on": "see", "got a look at": "saw",
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
    "ending up": "ending", "end up": "end", "ends up": "ends", "made my way": "went", "made his way": "went", "made her way": "went",
    "made their way": "went", "make my way": "go", "making my way": "going", "making his way": "going", "making her way": "going",
    "worked my way": "went", "working my way": "going", "in and out of": "in", "not a single": "no single", "hung out": "stayed", "hanging out": "staying", "posted up": "stayed",
}  # fmt: skip
"""Words to plainer words."""

_BY_FIRST: dict[str, list[tuple[list[str], list[str]]]] = {}
for _said, _plain in sorted(_IDIOMS.items(), key=lambda item: -len(item[0])):
    _BY_FIRST.setdefault(_said.split()[0], []).append((_said.split(), _plain.split()))

SEEN = (
    ["saw", "it"], ["i", "was", "watching"], ["before", "my", "eyes"], ["looking", "right", "at"], ["in", "view"],
    ["i", "was", "there", "when"], ["with", "my", "own", "eyes"],
)  # fmt: skip
"""Words by which the speaker says that it saw what the sentence tells."""


def plainer(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with plain words for turns of phrase; every token keeps its place in the utterance."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        taken = _sighting(tokens, at) if token.kind == "poss" or token.text == "my" else 0
        if taken:
            span = tokens[at : at + taken]
            found += [] if token.kind == "poss" else [Token("word", "i", token.start, token.end)]
            found.append(Token("word", "saw", span[-2].start, span[-1].end))
            at += taken
            continue
        for said, plain in _BY_FIRST.get(token.text, ()) if token.kind == "word" else ():
            span = tokens[at : at + len(said)]
            meets = plain[-1] in ("met", "meet", "seeing")
            if meets and _place_follows(tokens, at + len(said)):
                continue
            if len(span) == len(said) and all(t.text == word for t, word in zip(span, said, strict=True)):
                found += [Token("word", word, span[0].start, span[-1].end) for word in plain]
                taken = len(said)
                break
        if (
            not taken
            and token.text == "lying"
            and at + 1 < len(tokens)
            and tokens[at + 1].text in ("in", "on", "there", "dead")
        ):
            taken = 1
        elif not taken:
            found.append(token)
            taken = 1
        at += taken
    return found


def _sighting(tokens: Sequence[Token], at: int) -> int:
    """How many tokens "'s sighting of" or "my sighting of" takes here, 0 where it is not: it tells that one saw."""
    words = [token.text for token in tokens[at + 1 : at + 5]]
    if "of" not in words[1:]:
        return 0
    of = words.index("of", 1)
    return of + 2 if words[of - 1] in ("sighting", "sightings", "account") else 0


def _place_follows(tokens: Sequence[Token], at: int) -> bool:
    """Whether a room comes: one runs into rooms too."""
    at += at < len(tokens) and tokens[at].text == "the"
    return at < len(tokens) and tokens[at].kind == "room"


def witnessed(tokens: Sequence[Token]) -> bool:
    """Whether the speaker adds that it saw this."""
    words = [token.text for token in tokens]
    for cue in SEEN:
        for at in range(len(words) - len(cue) + 1):
            if words[at] == cue[0] and words[at : at + len(cue)] == cue:
                return True
    return False
