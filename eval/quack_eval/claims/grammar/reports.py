"""Who reported a body, and where: X reported it, X self-reported, X is the reporter, X hit the report button."""

from __future__ import annotations

from quack_eval.claims.grammar.account import INTO, TOWARD, Account, first_of, rooms_of
from quack_eval.claims.grammar.chunks import players
from quack_eval.claims.grammar.lexicon import GERUND
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.verbs import FACT
from quack_eval.claims.grammar.words import text_at, texts

_NOT_TOLD = frozenset(
    {"if", "would", "could", "possible", "maybe", "might", "can", "may", "why", "or", "not", "n't", "unless", "concern"}
)
"""Words beside which "self-report" is only considered."""
_REPORTS = ("report", "reported", "reports", "reporting")
_SAYING = frozenset({"what", "that", "exactly", "everything", "how", "on", "seeing"})
"""Words after "reported" that show that something was told and no body reported."""


def tell_report(account: Account, clause: Clause, dead: bool) -> None:
    """X reported (the body): where the clause says so, else where the body lay."""
    tokens = account.tokens
    words = {token.text for token in tokens[slice(*clause.rest)]}
    rooms = rooms_of(account, clause, TOWARD)  # "Bob reporting from R"
    noun = clause.group.form == GERUND and clause.phrase is None
    told = text_at(tokens, clause.first - 1) == "what" if clause.first else False
    if noun or told or (words & _SAYING and not dead):
        return
    if clause.group.negative:
        _did_not_report(account, clause, words)
        return
    for who in clause.subject:
        for room in rooms[:1] if who == account.voice else ():
            account.location(clause, who, room)
        reached = first_of(rooms) or _where_it_went(clause)
        account.activity(clause, who, "report", reached or where_reported(account, clause, who))


def _where_it_went(clause: Clause) -> str | None:
    """The room of "X returned to R and reported"."""
    before = clause.before
    if before is None or before.subject != clause.subject or clause.link not in ("and", "then", ","):
        return None
    if before.group.kind not in ("move", "enter") or before.negative or before.maybe:
        return None
    return first_of([p.room for p in before.places if p.preposition in INTO | {""} and p.room][-1:])


def _did_not_report(account: Account, clause: Clause, words: set[str]) -> None:
    """I did not report it: denied for the body spoken of."""
    if clause.group.mood == FACT and (words & {"it", "body", "anything"} or not words):
        named = first_of(rooms_of(account, clause))
        for who in clause.subject:
            room = where_reported(account, clause, who) if "it" in words else named
            account.activity(clause, who, "report", room, negative=True)


def where_reported(account: Account, clause: Clause, who: str) -> str | None:
    """Where the body lay that somebody reported: its room, that of the finder, or the only one where a body lay."""
    discourse = account.discourse
    victims = players([*clause.owners, *clause.objects])
    for victim in victims:
        if (room := discourse.bodies.get(victim)) is not None:
            return room
    if victims and not any(victim in discourse.bodies for victim in victims):
        return None
    if who in discourse.finders:
        return discourse.finders[who]
    lain = {room for victim, room in discourse.bodies.items() if room is not None}
    if len(lain) == 1:
        return lain.pop()
    return discourse.places.get(who) if who == discourse.voice else None


def tell_self_reports(account: Account) -> None:
    """X self-reported, X's self-report, X is the reporter: X reported a body."""
    tokens = account.tokens
    words = {token.text for token in tokens}
    if "self" in words and not words & _NOT_TOLD:
        for p in range(1, len(tokens) - 1):
            _self_report(account, p)
    if "reporter" in words and not words & {"if", "unless"}:
        for p in range(1, len(tokens)):
            if tokens[p].text == "reporter" and texts(tokens, p + 1, p + 2) != ["-"]:
                _is_reporter(account, p)


def _self_report(account: Account, p: int) -> None:
    """X self-reported, X's self-report."""
    tokens = account.tokens
    noun = p + 1 + (text_at(tokens, p + 1) == "-")
    if tokens[p].text != "self" or noun >= len(tokens) or tokens[noun].text not in _REPORTS:
        return
    clause = account.clause_at(p)
    beside = account.sentence.by_token.get(p - 1)
    who = beside.who if beside is not None else clause.subject
    named = beside is not None and not beside.owner
    if (
        tokens[noun].text == "reported"
        or (tokens[noun].text in ("reports", "reporting") and named)
        or (beside is not None and beside.owner)
    ):
        for one in who[:1]:
            account.activity(clause, one, "report", _room_after(account, noun) or where_reported(account, clause, one))


def _room_after(account: Account, p: int) -> str | None:
    """The room of "the reporter in R", "self-reporting from R"."""
    after = account.tokens[p + 1 : p + 3]
    named = len(after) == 2 and after[0].text in ("in", "from") and after[1].kind == "room"
    return after[1].value if named else None


def _is_reporter(account: Account, p: int) -> None:
    """X is the reporter, X being the reporter, X as (the) reporter in R: X reported a body."""
    tokens, clause = account.tokens, account.clause_at(p)
    at = p - 1 - (text_at(tokens, p - 1) == "the")
    beside = account.sentence.by_token.get(at - 1)
    if tokens[at].text in ("being", "as") and beside is not None and not beside.owner:
        who = beside.who
    else:
        told = clause.group.kind == "is" and not (clause.maybe or clause.negative) and text_at(tokens, p - 1) == "the"
        who = clause.subject if told else ()
    for one in who[:1]:
        account.activity(clause, one, "report", _room_after(account, p) or where_reported(account, clause, one))
