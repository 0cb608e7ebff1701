"""Clauses that put somebody somewhere: "that puts Bob in R", "Eve's story has Bob in R", "Bob is confirmed in R"."""

from __future__ import annotations

from dataclasses import replace

from quack_eval.claims.grammar.account import Account, rooms_of
from quack_eval.claims.grammar.being import keeps_away, stood_with
from quack_eval.claims.grammar.bodies import tell_body
from quack_eval.claims.grammar.chunks import FACT
from quack_eval.claims.grammar.disbelief import falsely
from quack_eval.claims.grammar.lexicon import GERUND
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.ways import crosses
from quack_eval.claims.types import PLAYER

_IN = ("in", "at", "inside", "near")


def tell_placing(account: Account, clause: Clause) -> None:
    """X places himself in R; that puts Bob in R; X's story has Bob in R."""
    if clause.group.passive:
        tell_placed(account, clause)
        return
    put = clause.objects_of(account.sentence)
    whom = [p for phrase in clause.objects for p in phrase.who if put]
    saying = clause.subject or clause.owner
    before = account.sentence.tokens[clause.group.first - 1].text if clause.group.first else ""
    if clause.indefinite or before == "nothing":
        return
    if clause.negative and not clause.subject and clause.noun != "route":
        return  # "that doesn't put Bob in R" leaves it open
    clause.negative |= falsely(account, clause)
    if saying and saying[0] != account.discourse.speaker:
        account.source = saying[0]
    after = account.sentence.tokens[clause.group.last + 1 : clause.group.last + 3]
    if [token.text for token in after] == ["each", "other"]:
        _placed_each_other(account, clause)
        return
    if keeps_away(clause):  # "that puts Bob away from R"
        clause.negative = not clause.negative
        clause.places = [replace(place, preposition="in") for place in clause.places]
    rooms = rooms_of(account, clause)
    companions = [p for preposition, phrase in clause.beside if preposition == "with" for p in phrase.who]
    if not whom and clause.words & {"body", "corpse"}:
        tell_body(account, clause)
        return
    if clause.objects and clause.objects[0].pronoun.endswith(("self", "selves")):
        whom = list(saying) or whom  # "both place themselves in R"
        saying = saying[:1] if len(saying) == 1 else ()
    apart = _each_in_its_own(account, clause)
    for who in whom:
        if crosses(clause, rooms) and not clause.negative:
            account.route(clause, who, rooms)
            continue
        for room in apart.get(who, rooms):
            if "alive" in clause.words and saying and saying[0] != who:
                account.sighting(clause, saying[0], who, room, clause.negative)
                continue
            if saying and saying[0] != who and {who, saying[0]} & set(companions):  # "Eve puts Bob in R with her"
                account.sighting(clause, saying[0], who, room, clause.negative)
                continue
            account.location(clause, who, room, clause.negative)
    if not clause.negative and not {*whom, *saying[:1]} & set(companions):
        stood_with(account, clause, tuple(whom), rooms)


def _each_in_its_own(account: Account, clause: Clause) -> dict[str, list[str]]:
    """The rooms of each player of "that puts Bob in A and Eve in B"; none where they share their rooms."""
    begins = [phrase.first for phrase in clause.objects] + [clause.rest[1]]
    found: dict[str, list[str]] = {}
    for phrase, end in zip(clause.objects, begins[1:], strict=True):
        rooms = [room for p in clause.places if phrase.last < p.at < end and (room := account.room_of(p))]
        found |= dict.fromkeys(phrase.who, rooms)
    return found if len(clause.objects) > 1 and all(found.values()) else {}


def tell_both_places(account: Account) -> None:
    """X's route puts him at both scenes: A with Y, B with Z: in each of the two rooms named after the mark."""
    tokens, put = account.sentence.tokens, _puts_at_both(account)
    mark = next((p for p in range(put.group.last, len(tokens)) if tokens[p].text in (":", "—", "(")), 0) if put else 0
    if put is None or not mark:
        return
    listed = [c for c in account.sentence.clauses if c.group.first > mark and c.group.form == GERUND]
    if any(clause.group.kind in ("move", "enter", "leave") for clause in listed):
        return  # "with both victims: Eve entering A, Bob leaving B"
    named = [p for p in range(mark, len(tokens)) if tokens[p].kind == "room"]
    saying = put.owner or put.subject or ()
    himself = bool(put.objects) and put.objects[0].pronoun.endswith(("self", "selves"))
    whom = saying if himself else tuple(player for phrase in put.objects for player in phrase.who)
    if len(named) != 2 or len(whom) != 1 or any(tokens[p - 1].text in ("from", "toward", "towards") for p in named):
        return
    told = {(c.subject, c.room) for c in account.claims if c.type == "location" and c.of == PLAYER}
    for p in named:
        if (whom[0], tokens[p].value) not in told:
            account.location(put, whom[0], tokens[p].value)


def _puts_at_both(account: Account) -> Clause | None:
    """The clause that puts somebody "at both scenes", "with both victims"."""
    puts = (c for c in account.sentence.clauses if c.group.kind == "put" and not (c.negative or c.maybe))
    return next((c for c in puts if "both" in c.words and c.objects and not c.group.passive), None)


def _placed_each_other(account: Account, clause: Clause) -> None:
    """A and B place each other in R: each saw the other."""
    placed = () if clause.negative else clause.subject or ()
    inside = [room for p in clause.places if p.preposition in _IN and (room := account.room_of(p))]
    for seer in placed:
        for other in placed:
            for room in inside[:1]:
                account.sighting(clause, seer, other, room)


def confirmed(clause: Clause) -> bool:
    """Whether a clause tells where somebody is confirmed: "Bob is confirmed in R", not "was confirmed to be"."""
    stands = clause.group.lemma in ("confirm", "verify", "corroborate") and clause.group.passive
    return stands and any(place.preposition in _IN for place in clause.places)


def tell_placed(account: Account, clause: Clause) -> None:
    """X is confirmed in R, X and I are placed in R: X was there, and seen where the speaker says it of itself too."""
    voice, placed = account.discourse.voice, clause.subject or ()
    if clause.negative or clause.maybe:
        return
    if not placed and clause.noun in ("route", "said"):  # "X's alibi is confirmed by Y in R"
        placed = clause.owner + tuple(p for word, phrase in clause.beside if word == "by" for p in phrase.who)
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
