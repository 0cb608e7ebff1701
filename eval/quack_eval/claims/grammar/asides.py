"""Ways that go on after an aside: "went to A (saw X there), then B", "then A where I saw X, then B"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quack_eval.claims.grammar.beside import fill
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import TIME_LINKS, word_set
from quack_eval.claims.grammar.parts import Clause, Sentence

_LEADS_ON = word_set("and then to into in up down back over on through finally the straight ,")
"""What may stand between an aside and the next room of a way."""
_BACK = frozenset({"back", "up", "down", "over"})
_SETS_OUT = frozenset({"start", "begin", "spawn"})


def resume_ways(sentence: Sentence) -> None:
    """Gives the rooms that follow an aside without a verb of their own back to the way before it."""
    number = next((n for n, clause in enumerate(sentence.clauses) if _goes(clause)), len(sentence.clauses))
    while (number := number + 1) < len(sentence.clauses):
        clause = sentence.clauses[number]
        way = _way_before(sentence, number)
        at = _aside_ends(sentence.tokens, clause) if way is not None else None
        if way is None or at is None:
            continue
        more = replace(way, first=at, rest=(at, clause.rest[1]), last=clause.rest[1] - 1, link="then", front=(at, at))
        more.phrase, more.before = None, clause
        clause.rest, clause.last = (clause.rest[0], at), at - 1
        for part in (clause, more):
            part.objects, part.beside, part.owners = [], [], []
            fill(sentence, part)
        number += 1
        sentence.clauses.insert(number, more)


def _way_before(sentence: Sentence, number: int) -> Clause | None:
    """The way that the clause is an aside to, which may have several."""
    clause = sentence.clauses[number]
    if clause.maybe or _goes(clause):
        return None
    for before in reversed(sentence.clauses[:number]):
        if _goes(before):
            told = before.subject and not (before.small or before.negative or before.maybe or before.link in TIME_LINKS)
            return before if told else None
        if before.maybe:
            return None
    return None


def _goes(clause: Clause) -> bool:
    return clause.group.kind in ("move", "enter", "leave") or clause.group.lemma in _SETS_OUT


def _aside_ends(tokens: Sequence[Token], clause: Clause) -> int | None:
    """Where the rest of an aside is no more of it: after its parenthesis, or at "then" and a room."""
    enclosed = _enclosed(tokens, clause)
    for p in range(clause.group.last + 1, clause.rest[1]):
        if tokens[p].text == (")" if enclosed else ","):
            if led_on_to(tokens, p + 1, clause.rest[1], clause, enclosed) is not None:
                return p + 1
            if enclosed:
                return None
    return None


def led_on_to(tokens: Sequence[Token], p: int, last: int, aside: Clause, closed: bool = False) -> int | None:
    """Where the room of "(and) then (up to) ROOM" stands here, or after what was done on the way "back to ROOM"."""
    words = []
    while p < last and tokens[p].text in _LEADS_ON:
        words.append(tokens[p].text)
        p += 1
    if p >= last or tokens[p].kind != "room" or not words:
        return None
    led = "then" in words or "finally" in words
    led |= (closed and words[0] == ",") or (aside.group.kind == "task" and words[0] in _BACK)
    return p if led else None


def _enclosed(tokens: Sequence[Token], clause: Clause) -> bool:
    """Whether a clause stands in parentheses."""
    lead = [token.text for token in tokens[: clause.group.first]]
    return lead.count("(") > lead.count(")")
