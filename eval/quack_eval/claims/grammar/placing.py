"""Clauses that put somebody somewhere: "that puts Bob in R", "Eve's story has Bob in R", "Bob is confirmed in R"."""

from __future__ import annotations

from dataclasses import replace

from quack_eval.claims.grammar.account import Account, rooms_of
from quack_eval.claims.grammar.being import keeps_away, stood_with
from quack_eval.claims.grammar.bodies import tell_body
from quack_eval.claims.grammar.chunks import players
from quack_eval.claims.grammar.disbelief import falsely
from quack_eval.claims.grammar.lexicon import CORPSE, GERUND
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.seeing import saw_one_another
from quack_eval.claims.grammar.verbs import FACT
from quack_eval.claims.grammar.ways import crosses
from quack_eval.claims.grammar.words import text_at
from quack_eval.claims.types import PLAYER

_IN = ("in", "at", "inside", "near")


def tell_placing(account: Account, clause: Clause) -> None:
    """X places himself in R; that puts Bob in R; X's story has Bob in R."""
    if clause.group.passive:
        tell_placed(account, clause)
        return
    if clause.indefinite or clause.link_before(account.sentence) == "nothing":
        return
    if clause.negative and not clause.subject and clause.noun != "route":
        return  # "that doesn't put Bob in R" leaves it open
    clause.negative |= falsely(account, clause)
    saying = clause.subject or clause.owner
    if saying and saying[0] != account.discourse.speaker:
        account.source = saying[0]
    if account.words(clause.group.last + 1, clause.group.last + 3) == ["each", "other"]:
        inside = account.rooms(place for place in clause.places if place.preposition in _IN)
        saw_one_another(account, clause, () if clause.negative else inside[:1])
        return
    if keeps_away(clause):  # "that puts Bob away from R"
        clause.negative = not clause.negative
        clause.places = [replace(place, preposition="in") for place in clause.places]
    whom = players(clause.objects) if clause.objects_of(account.sentence) else []
    if clause.objects and clause.objects[0].pronoun.endswith(("self", "selves")):
        whom = list(saying) or whom  # "both place themselves in R"
        saying = saying[:1] if len(saying) == 1 else ()
    if not whom and clause.words & CORPSE:
        tell_body(account, clause)
    else:
        _put_in(account, clause, whom, next(iter(saying), ""))


def _put_in(account: Account, clause: Clause, whom: list[str], teller: str) -> None:
    """Those whom somebody puts in rooms: seen by it where it puts them there alive, or with itself."""
    rooms, companions = rooms_of(account, clause), clause.players_after("with")
    apart = _each_in_its_own(account, clause)
    for who in whom:
        if crosses(clause, rooms) and not clause.negative:
            account.route(clause, who, rooms)
            continue
        seen = "alive" in clause.words or {who, teller} & set(companions)  # "Eve puts Bob in R with her"
        for room in apart.get(who, rooms):
            if seen and teller not in ("", who):
                account.sighting(clause, teller, who, room, clause.negative)
            else:
                account.location(clause, who, room, clause.negative)
    if not clause.negative and not {*whom, teller} & set(companions):
        stood_with(account, clause, tuple(whom), rooms)


def _each_in_its_own(account: Account, clause: Clause) -> dict[str, list[str]]:
    """The rooms of each player of "that puts Bob in A and Eve in B"; none where they share their rooms."""
    begins = [phrase.first for phrase in clause.objects] + [clause.rest[1]]
    found: dict[str, list[str]] = {}
    for phrase, end in zip(clause.objects, begins[1:], strict=True):
        rooms = account.rooms(p for p in clause.places if phrase.last < p.at < end)
        found |= dict.fromkeys(phrase.who, rooms)
    return found if len(clause.objects) > 1 and all(found.values()) else {}


def tell_both_places(account: Account) -> None:
    """X's route puts him at both scenes: A with Y, B with Z: in each of the two rooms named after the mark."""
    tokens, put = account.tokens, _puts_at_both(account)
    mark = next((p for p in range(put.group.last, len(tokens)) if tokens[p].text in (":", "—", "(")), 0) if put else 0
    if put is None or not mark:
        return
    listed = [c for c in account.sentence.clauses if c.group.first > mark and c.group.form == GERUND]
    if any(clause.group.kind in ("move", "enter", "leave") for clause in listed):
        return  # "with both victims: Eve entering A, Bob leaving B"
    named = [p for p in range(mark, len(tokens)) if tokens[p].kind == "room"]
    saying = put.owner or put.subject
    himself = bool(put.objects) and put.objects[0].pronoun.endswith(("self", "selves"))
    whom = saying if himself else tuple(players(put.objects))
    if len(named) != 2 or len(whom) != 1 or any(text_at(tokens, p - 1) in ("from", "toward", "towards") for p in named):
        return
    told = {(c.subject, c.room) for c in account.claims if c.type == "location" and c.of == PLAYER}
    for p in named:
        if (whom[0], tokens[p].value) not in told:
            account.location(put, whom[0], tokens[p].value)


def _puts_at_both(account: Account) -> Clause | None:
    """The clause that puts somebody "at both scenes", "with both victims"."""
    puts = (c for c in account.sentence.clauses if c.group.kind == "put" and not (c.negative or c.maybe))
    return next((c for c in puts if "both" in c.words and c.objects and not c.group.passive), None)


def confirmed(clause: Clause) -> bool:
    """Whether a clause tells where somebody is confirmed: "Bob is confirmed in R", not "was confirmed to be"."""
    stands = clause.group.lemma in ("confirm", "verify", "corroborate") and clause.group.passive
    return stands and any(place.preposition in _IN for place in clause.places)


def tell_placed(account: Account, clause: Clause) -> None:
    """X is confirmed in R, X and I are placed in R: X was there, and seen where the speaker says it of itself too."""
    voice, placed = account.voice, clause.subject
    if clause.negative or clause.maybe:
        return
    if not placed and clause.noun in ("route", "said"):  # "X's alibi is confirmed by Y in R"
        placed = clause.owner + tuple(clause.players_after("by"))
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
    return tuple(players(clause.objects)) if leads else ()
