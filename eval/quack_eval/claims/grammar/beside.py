"""What stands beside a verb: the places, players and times of a clause, and what denies it."""

from __future__ import annotations

from collections.abc import Sequence

from quack_eval.claims.grammar.chunks import Persons
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import CONNECTIVES, PREPOSITIONS
from quack_eval.claims.grammar.parts import Clause, Place, Sentence
from quack_eval.claims.grammar.words import kind_at, text_at, texts

STOPS = frozenset({",", ";", "—", ":", "(", ")", "-"})
"""Marks that end a part of a sentence."""
_AT_HERE = frozenset(["already", "right", "in", "was", "were", "still", "am", "'m", "lying"])
_BESIDE = frozenset({"next", "adjacent", "connected", "connects", "connecting", "closest"})
_KNOWN = frozenset({"same", "exact", "very", "murder", "kill"})
"""What tells a room known from others: "the murder room"."""
_EVENTS = frozenset({"kill", "kills", "timing", "timings", "access", "sighting", "sightings", "window", "murder"})


def fill(sentence: Sentence, clause: Clause) -> None:
    """Places, players and times of a clause."""
    first, last = clause.rest
    clause.fronted = _places(sentence.tokens, *clause.front)
    clause.places = _places(sentence.tokens, first, last)
    clause.times = [t for t in sentence.tokens[clause.front[0] : clause.front[1]] if t.kind == "time"]
    clause.times = [t for t in sentence.tokens[first:last] if t.kind == "time"] + clause.times
    between = sentence.tokens[clause.phrase.last + 1 : clause.group.first] if clause.phrase else []
    clause.times += [t for t in between if t.kind == "time"]
    if clause.phrase is not None and clause.small and clause.above is not None:
        clause.placed = _places(sentence.tokens, clause.phrase.last + 1, clause.group.first)
        clause.above.places += clause.placed
    clause.words = frozenset(t.text for t in sentence.tokens[first:last] if t.kind in ("word", "arrow"))
    preposition = ""
    for p in range(first, last):
        token = sentence.tokens[p]
        phrase = sentence.by_token.get(p)
        if phrase is not None:
            if phrase.first == p:
                _beside(clause, phrase, preposition)
        elif token.kind == "word" and token.text in PREPOSITIONS:
            preposition = token.text
        elif token.text in STOPS or token.text in CONNECTIVES or token.kind in ("room", "time") or token.text == "only":
            preposition = ""
    clause.negative = clause.group.negative or _before_negative(sentence, clause)
    denies = clause.negative or clause.indefinite or "nowhere" in clause.words
    if not (denies or any(phrase.indefinite for phrase in clause.objects)):
        clause.places = [place for place in clause.places if not _one_of_two(sentence.tokens, place.at)]
    if clause.group.kind in ("is", "be") and "nowhere" in clause.words:
        at = next(p for p in range(first, last) if sentence.tokens[p].text == "nowhere")
        clause.negative |= not any(place.at < at for place in clause.places)


def _one_of_two(tokens: Sequence[Token], at: int) -> bool:
    """Whether a room is named with another by "or": "in A or in B" tells neither."""
    before = [p for p in range(max(0, at - 3), at) if tokens[p].text == "or"]
    after = [p for p in range(at + 1, min(at + 2, len(tokens))) if tokens[p].text == "or"]
    joined = any(kind_at(tokens, p - 1) == "room" for p in before if p)
    return joined or any(token.kind == "room" for p in after for token in tokens[p + 1 : p + 4])


def _beside(clause: Clause, phrase: Persons, preposition: str) -> None:
    if phrase.owner:
        clause.owners.append(phrase)
    elif phrase.called:
        return
    elif preposition:
        clause.beside.append((preposition, phrase))
    else:
        clause.objects.append(phrase)


def _before_negative(sentence: Sentence, clause: Clause) -> bool:
    """neither of us saw, nor did I see, without seeing."""
    words = texts(sentence.tokens, clause.first - 1, clause.group.first)
    if any(word in ("neither", "nor", "without") for word in words) or _none_of(sentence, clause):
        return True
    before = clause.before
    joined = text_at(sentence.tokens, clause.group.first - 1) in ("or", "nor")
    if joined and before is not None and before.negative and clause.phrase is None:
        return True
    if (
        before is None
        or before.group.lemma not in ("do", "have")
        or before.objects
        or before.group.last + 2 < clause.group.first
    ):
        return False
    lead = texts(sentence.tokens, before.group.first - 2, before.group.first)
    return lead == ["no", "point"] or bool(lead and lead[-1] in ("nor", "neither", "never"))


def _none_of(sentence: Sentence, clause: Clause) -> bool:
    """none of us three was in R."""
    return clause.phrase is not None and sentence.tokens[clause.phrase.first].text == "none"


def _places(tokens: Sequence[Token], first: int, last: int) -> list[Place]:
    """The rooms between two tokens, each with its preposition; "there" and "here" are rooms to be resolved."""
    found: list[Place] = []
    preposition = ""
    for p in range(first, last):
        token = tokens[p]
        if token.kind == "room":
            lead = texts(tokens, max(first, p - 3), p)
            if set(lead) & _BESIDE or _names_an_event(tokens, p):
                continue
            if "not" in lead and {",", "but"} & set(texts(tokens, max(first, p - 5), p)):
                continue
            found.append(Place(preposition, token.value, p))
        elif (token.text == "there" and not (_room_follows(tokens, p) or _exists(tokens, p))) or (
            token.text == "here" and text_at(tokens, p - 1) in _AT_HERE
        ):
            found.append(Place("from" if text_at(tokens, p - 1) == "from" else "in", "", p))
        elif (token.text == "room" and _a_known_room(tokens, p)) or _is_the_scene(tokens, p):
            found.append(Place(preposition, "", p))
        elif token.kind == "word" and token.text in PREPOSITIONS:
            preposition = _together(tokens, p)
        elif token.text in ("then", "heading", "directly"):
            preposition = preposition if token.text != "then" else ""
        elif token.kind in ("time", "name") or token.text in (",", "—", ";", "("):
            preposition = preposition if token.text == "," else ""
    return found


def _names_an_event(tokens: Sequence[Token], p: int) -> bool:
    """Whether a room only tells which event is meant: "a weapons kill", "the A/B timing", "electrical's exit"."""
    while text_at(tokens, p + 1) == "/" and kind_at(tokens, p + 2) == "room":
        p += 2
    after = tokens[p + 1] if p + 1 < len(tokens) else None
    return after is not None and (after.kind == "poss" or after.text in _EVENTS)


def _a_known_room(tokens: Sequence[Token], p: int) -> bool:
    """Whether "room" points to one spoken of: in the room, the exact same room, the murder room."""
    first = p - 1
    while first > 0 and tokens[first].text in _KNOWN:
        first -= 1
    before = text_at(tokens, first - 1)
    after = text_at(tokens, p + 1)
    inside = before in ("in", "inside") and tokens[first].text in ("the", "that", "this")
    return inside and (after != "where" or _somebody_died(tokens, p + 2))


def _somebody_died(tokens: Sequence[Token], p: int) -> bool:
    """Whether "where X died", "where the body was found" tells which room is meant."""
    words = set(texts(tokens, p, p + 3))
    return bool(words & {"died", "killed", "body", "murdered", "dead"})


def _is_the_scene(tokens: Sequence[Token], p: int) -> bool:
    """Whether "scene" points to where the body lay: at the crime scene."""
    lead = texts(tokens, p - 3, p) if tokens[p].text == "scene" else []
    return lead[1:] == ["the", "crime"] and lead[0] in ("at", "in", "to")


def _room_follows(tokens: Sequence[Token], p: int) -> bool:
    """Whether "there in R" names the room itself."""
    words = tokens[p + 1 : p + 4]
    if not words or words[0].text not in ("in", "at"):
        return False
    return any(token.kind == "room" for token in words[1:])


def _exists(tokens: Sequence[Token], p: int) -> bool:
    """Whether "there" here begins a clause of its own: "..., but there is no body"."""
    opens = p and (text_at(tokens, p - 1) in STOPS or text_at(tokens, p - 1) in CONNECTIVES)
    return bool(opens) and text_at(tokens, p + 1) in ("is", "was", "are", "were")


def _together(tokens: Sequence[Token], p: int) -> str:
    """A preposition of several words as one: out of, up to, in from, next to."""
    word = tokens[p].text
    before = text_at(tokens, p - 1)
    if word == "of" and before in ("out", "outside", "inside"):
        return "from" if before == "out" else before
    if word == "to" and before == "way":
        return "toward"
    if word == "of" and before in ("direction", "side"):
        return "from" if "from" in texts(tokens, p - 4, p) else "to"
    return word
