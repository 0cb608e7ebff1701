"""Rooms denied without a verb: "in A, not in B", "A -> B, never C or D", "A, nowhere near B"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quack_eval.claims.grammar.account import Account
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.parts import Clause, Sentence
from quack_eval.claims.grammar.words import kind_at, skip, text_at

_BETWEEN = frozenset({"in", "at", "to", "into", "the", "near", "inside", "through", "anywhere", "ever", "once"})
"""Words between "not" and the room that it denies."""
_OR = frozenset({"or", "nor", "and", "/", "&"})
_PRESENT = frozenset({"is", "be", "move", "enter", "wait", "put"})
"""Kinds of verbs whose subject was in the rooms beside them."""


@dataclass(slots=True)
class Denial:
    """Rooms that a clause denies of its subject; ``claims``: after rooms that it only says: "Bob says A, not B"."""

    clause: Clause
    rooms: list[str]
    claims: bool


def denials(account: Account) -> list[Denial]:
    """The rooms that a sentence denies, taken away from its clauses."""
    sentence = account.sentence
    found = []
    for first, last, rooms in _denied(sentence):
        clause = _clause_before(sentence, first)
        for other in sentence.clauses:
            other.places = [place for place in other.places if not first < place.at <= last]
        if clause is not None and not (clause.negative or clause.maybe):
            claims = clause.group.lemma in ("claim", "say") and bool(clause.places)
            found.append(Denial(clause, rooms, claims))
    return found


def deny(account: Account, found: list[Denial]) -> None:
    """Tells who was not in the rooms denied: once it is known of whom each clause tells."""
    for denial in found:
        for who in _who(denial.clause, denial.claims):
            for room in denial.rooms:
                account.location(denial.clause, who, room, negative=True)


def _denied(sentence: Sentence) -> Iterator[tuple[int, int, list[str]]]:
    """(first token, last token, rooms) of every denial without a verb of its own."""
    tokens = sentence.tokens
    verbs = {p for clause in sentence.clauses for p in range(clause.group.first, clause.group.last + 1)}
    for p in range(1, len(tokens)):
        if tokens[p].text not in ("not", "never") or p in verbs:
            continue
        last, rooms = p, []
        at = _room_after(tokens, p + 1)
        while at is not None:
            last = at
            rooms.append(tokens[at].value)
            at = _listed_after(tokens, at)
        goes_on = kind_at(tokens, last + 1) == "arrow" if last + 1 < len(tokens) else False
        if rooms and not goes_on:
            yield p, last, rooms


def _room_after(tokens: Sequence[Token], p: int) -> int | None:
    """Where a room stands from here on, with nothing but prepositions before it."""
    p = skip(tokens, p, _BETWEEN)
    return p if kind_at(tokens, p) == "room" else None


def _listed_after(tokens: Sequence[Token], p: int) -> int | None:
    """The next room of a list with "or" after a room."""
    p += 1
    if text_at(tokens, p) == "," and text_at(tokens, p + 1) in ("or", "nor", "and"):
        p += 1
    return _room_after(tokens, p + 1) if text_at(tokens, p) in _OR else None


def _clause_before(sentence: Sentence, p: int) -> Clause | None:
    """The clause whose verb stands last before a token."""
    before = [clause for clause in sentence.clauses if clause.group.last < p]
    return before[-1] if before else None


def _who(clause: Clause, claims_room: bool) -> tuple[str, ...]:
    """Who was not in the rooms denied after a clause."""
    if (
        clause.small
        or not (clause.group.kind in _PRESENT or claims_room)
        or any(p.preposition == "from" for p in clause.places)
    ):
        return ()  # "came from A into B, not C" may deny either
    return clause.subject or (clause.owner if clause.noun in ("route", "place") else ())
