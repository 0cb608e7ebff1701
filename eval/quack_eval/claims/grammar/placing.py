"""Clauses that put somebody somewhere: "that puts Bob in R", "Eve's story has Bob in R", "Bob is confirmed in R"."""

from __future__ import annotations

from quack_eval.claims.grammar.account import Account, rooms_of
from quack_eval.claims.grammar.being import stood_with
from quack_eval.claims.grammar.bodies import tell_body
from quack_eval.claims.grammar.chunks import FACT
from quack_eval.claims.grammar.disbelief import falsely
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.ways import crosses

_IN = ("in", "at", "inside", "near")


def tell_placing(account: Account, clause: Clause) -> None:
    """X places himself in R; that puts Bob in R; X's story has Bob in R."""
    if clause.group.passive:
        tell_placed(account, clause)
        return
    put = clause.objects_of(account.sentence)
    whom = [p for phrase in clause.objects for p in phrase.who if put]
    saying = clause.subject or clause.owner
    if clause.indefinite:
        return
    if clause.negative and not clause.subject and clause.noun != "route":
        return  # "that doesn't put Bob in R" leaves it open
    clause.negative |= falsely(account, clause)
    if saying and saying[0] != account.discourse.speaker:
        account.source = saying[0]
    rooms = rooms_of(account, clause)
    companions = [p for preposition, phrase in clause.beside if preposition == "with" for p in phrase.who]
    if not whom and clause.words & {"body", "corpse"}:
        tell_body(account, clause)
        return
    if clause.objects and clause.objects[0].pronoun.endswith(("self", "selves")):
        whom = list(saying) or whom  # "both place themselves in R"
        saying = saying[:1] if len(saying) == 1 else ()
    for who in whom:
        if crosses(clause, rooms) and not clause.negative:
            account.route(clause, who, rooms)
            continue
        for room in rooms:
            if "alive" in clause.words and saying and saying[0] != who:
                account.sighting(clause, saying[0], who, room, clause.negative)
                continue
            if saying and saying[0] != who and {who, saying[0]} & set(companions):  # "Eve puts Bob in R with her"
                account.sighting(clause, saying[0], who, room, clause.negative)
                continue
            account.location(clause, who, room, clause.negative)
    if not clause.negative and not {*whom, *saying[:1]} & set(companions):
        stood_with(account, clause, tuple(whom), rooms)


def confirmed(clause: Clause) -> bool:
    """Whether a clause tells where somebody is confirmed: "Bob is confirmed in R", not "was confirmed to be"."""
    stands = clause.group.lemma in ("confirm", "verify", "corroborate") and clause.group.passive
    return stands and any(place.preposition in _IN for place in clause.places)


def tell_placed(account: Account, clause: Clause) -> None:
    """X is confirmed in R, X and I are placed in R: X was there, and seen where the speaker says it of itself too."""
    voice, placed = account.discourse.voice, clause.subject or ()
    if clause.negative or clause.maybe:
        return
    for place in clause.places if clause.group.mood == FACT else ():
        for who in placed if place.preposition in _IN else ():
            if who != voice and voice in placed:
                account.sighting(clause, voice, who, account.room_of(place))
            else:
                account.location(clause, who, account.room_of(place))
    stood_with(account, clause, placed, rooms_of(account, clause))


def led(clause: Clause) -> tuple[str, ...]:
    """Whom a way leads: "Bob's route took him through A, B and C"."""
    leads = clause.group.lemma in ("take", "bring", "lead") and clause.noun == "route" and not clause.group.passive
    return tuple(player for phrase in clause.objects for player in phrase.who) if leads else ()
