"""Stories that the speaker quotes and denies: "but that's a lie", "Bob's claim that ... is false", "falsely claims"."""

from __future__ import annotations

from collections.abc import Sequence

from quack_eval.claims.grammar.account import Account
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import GERUND, SAID_NOUNS, UNTRUE
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.verbs import MAYBE
from quack_eval.claims.grammar.words import text_at
from quack_eval.claims.types import NEGATIVE, Claim

_UNTRUE = UNTRUE | {"nonsense"}
_CONTRADICTING = frozenset({"contradict", "dispute", "refute"})
_THAT = ("that", "this", "which", "it")
_SHORT = 9
"""Words of a sentence at most that only calls the one before a lie."""


def calls_it_a_lie(account: Account, clause: Clause) -> bool:
    """but that's a lie, which is not true, that never happened; Bob's claim that ... is false."""
    tokens = account.tokens
    before = text_at(tokens, clause.group.first - 1)
    if clause.maybe:
        return False
    if clause.group.lemma == "happen" and clause.negative:
        return before in _THAT
    fabricated = clause.group.lemma == "fabricate" and clause.group.passive
    if clause.group.kind != "is" and not fabricated:
        return False
    untrue = fabricated or bool(clause.words & _UNTRUE)
    if before in _THAT:
        return (untrue and not clause.negative) or (clause.negative and "true" in clause.words)
    return untrue and not clause.negative and clause.phrase is None and _about_a_story(account, clause)


def _about_a_story(account: Account, clause: Clause) -> bool:
    """Whether what is called untrue is what somebody said: "Bob saying that ...", "Bob's claim that ..."."""
    said = [c for c in account.sentence.clauses if c.group.kind == "say" and c.group.form == GERUND]
    told = any(c.group.first < clause.group.first and c.subject for c in said)
    told |= any(c.link == "of" and c.owner and c is clause.before for c in account.sentence.clauses)
    return bool(account.source) and (told or any(_claim_of(account, c) for c in account.sentence.clauses))


def claimed_by(account: Account, clause: Clause) -> str:
    """Whose claim a clause gives the content of: "Bob's claim that he was in R"; nobody's where it gives none."""
    who = _claim_of(account, clause)
    return who[0] if who and who[0] != account.discourse.speaker else ""


def _claim_of(account: Account, clause: Clause) -> tuple[str, ...]:
    tokens = account.tokens
    that = next((p for p in range(clause.group.first - 1, max(0, clause.first - 2), -1) if tokens[p].text == "that"), 0)
    if that < 2 or text_at(tokens, that - 1) not in SAID_NOUNS | {"claims"}:
        return ()
    owner = account.sentence.by_token.get(that - 2)
    return owner.who if owner is not None and owner.owner else ()


def falsely(account: Account, clause: Clause) -> bool:
    """Whether somebody falsely says or puts somebody in a place."""
    tokens = account.tokens[max(0, clause.group.first - 1) : clause.group.last + 1]
    return any(token.text == "falsely" for token in tokens)


def denies(clause: Clause) -> bool:
    """Whether a clause is what somebody denies, disputes or makes up: "Bob denies being in R", "Bob made it up".

    A claim that only "that contradicts" stays what it is.
    """
    said = clause.before
    if said is None or said.maybe or said.negative or clause.negative:
        return False
    told = clause.group.form == GERUND or clause.link == "that"
    if said.group.lemma == "deny":
        return told
    if said.group.lemma in ("invent", "fabricate") or (said.group.lemma == "make" and "up" in said.words):
        return told and said.phrase is not None
    contradicts = said.group.lemma in _CONTRADICTING and said.phrase is not None and not said.group.passive
    return contradicts and told and bool(said.words & SAID_NOUNS)


def contradicted(clause: Clause) -> bool:
    """Whether somebody contradicts what a clause is said of: "Bob's storage claim is contradicted by Eve"."""
    return clause.group.lemma in _CONTRADICTING and clause.group.passive and not (clause.negative or clause.maybe)


def lied_about(clause: Clause) -> bool:
    """Whether a gerund is what somebody lied about: "Bob is lying about being in R"."""
    said = clause.before
    if clause.group.form != GERUND or clause.negative or said is None or said.group.lemma != "lie":
        return False
    certain = not said.negative and said.group.mood != MAYBE and not said.supposed and said.link not in ("or", "either")
    return certain and "about" in said.words and bool(clause.subject) and any(place.room for place in clause.places)


def truthful_about(clause: Clause) -> bool:
    """Whether a gerund is what somebody does not lie about: "Bob isn't lying about starting in R"."""
    said = clause.before
    true = said is not None and said.group.lemma == "lie" and said.negative and not (said.maybe or said.supposed)
    return true and said is not None and "about" in said.words and clause.group.form == GERUND and not clause.negative


def denied(claims: Sequence[Claim], begin: int = 0) -> list[Claim]:
    """The claims, with those that were quoted from one on denied."""
    return [
        claim.but(polarity=NEGATIVE) if p >= begin and claim.attribution == "quoted" else claim
        for p, claim in enumerate(claims)
    ]


def only_quotes(account: Account) -> bool:
    """Whether a sentence is what somebody else says and no more: "Bob says he was in R"."""
    clauses, tokens = account.sentence.clauses, account.tokens
    says = bool(clauses) and clauses[0].group.kind == "say" and not clauses[0].maybe
    apart = any(token.text in ("—", "but", ";") for token in tokens[clauses[0].group.last :]) if says else False
    return says and not apart and bool(account.source) and account.source != account.discourse.speaker


def only_calls_it_a_lie(tokens: Sequence[Token]) -> bool:
    """Whether a sentence only says that the one before is untrue: "Frank, that's a lie." "That never happened." """
    words = [token.text for token in tokens]
    at = next((p for p, word in enumerate(words[:4]) if word in _THAT), None)
    if at is None or len(words) > _SHORT or any(token.kind == "room" for token in tokens):
        return False
    rest = words[at + 1 :]
    if rest[:2] == ["never", "happened"] or ("n't" in rest[:3] and "happen" in rest[:4]):
        return True
    no = "n't" in rest or "not" in rest
    untrue = bool({"lie", "false", "untrue"} & set(rest)) and not no and "about" not in rest
    return rest[:1] in (["is"], ["was"]) and (untrue or (no and "true" in rest))
