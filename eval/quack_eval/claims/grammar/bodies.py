"""Clauses about bodies: who found whom, and where somebody lay."""

from __future__ import annotations

from quack_eval.claims.grammar.account import (
    ARRIVING,
    Account,
    existential,
    first_of,
    or_none,
    rooms_above,
    rooms_of,
    rooms_on_entering,
    rooms_when,
    until,
)
from quack_eval.claims.grammar.chunks import MUST
from quack_eval.claims.grammar.granted import clause_near
from quack_eval.claims.grammar.lexicon import (
    ADVERBS,
    BODY_WORDS,
    CONNECTIVES,
    DETERMINERS,
    GERUND,
    PREPOSITIONS,
    TIME_LINKS,
)
from quack_eval.claims.grammar.nobody import found_empty, is_added
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.reports import tell_report
from quack_eval.claims.types import BODY

_BODIES = frozenset({"body", "corpse", "bodies", "dead"})
_AT_IT = frozenset(
    {"there", "in", "right", "already", "standing", "by", "near", "next", "over", "on", "still", "beside"}
)
_DEAD = frozenset({"dead", "body", "corpse", "bodies", "lying", "killed"})


def tell_body(account: Account, clause: Clause) -> None:
    """X's body was in R: seen by whoever says to have found it, else a location of the victim."""
    if clause.negative and "dead" in clause.words and clause.noun != "body":
        return  # "was not dead when I left"
    discourse = account.discourse
    victims = clause.owner or clause.subject or tuple(p for o in clause.owners for p in o.who)
    if clause.group.kind == "put":
        victims = tuple(p for o in clause.owners for p in o.who)
    if existential(account, clause) and "no" in clause.words:
        for room in or_none(rooms_of(account, clause) or rooms_on_entering(account, clause)):
            account.sighting(clause, discourse.voice, None, room, True, BODY)
        return
    if not victims and existential(account, clause):
        victims = tuple(p for o in account.sentence.people if o.owner for p in o.who if p != discourse.voice)[:1]
    victims = victims or ((v,) if (v := discourse.victim()) else ())
    rooms = rooms_of(account, clause)
    if not victims and not account.source and discourse.voice == discourse.speaker and not clause.negative:
        discourse.nameless += rooms[:1]
    here = discourse.places.get(discourse.voice)
    if not rooms and here is not None and clause.words & {"floor", "ground"} and not account.source:
        rooms, clause.words = [here], clause.words | {"already"}
    after = account.after(clause)
    came = after is not None and after.link in ("when", "as") and after.subject == (discourse.voice,)
    entered = [] if account.source else rooms_on_entering(account, clause)
    rooms = rooms or entered
    came = came or bool(entered and rooms == entered)
    seen = (
        not account.source
        and not clause.negative
        and clause.group.mood != MUST
        and (came or (bool(clause.words & {"already"}) and discourse.places.get(discourse.voice) in rooms))
    )
    for victim in victims:
        if victim == discourse.voice:
            continue
        if seen:
            for room in _lain_in(account, clause, victim, rooms):
                discourse.bodies[victim] = room
                account.sighting(clause, discourse.voice, victim, room, of=BODY)
                found = came and after is not None and (after.group.kind == "find" or after.group.lemma in ARRIVING)
                if found or room in entered:  # "when I walked in, he was already on the floor"
                    account.location(clause, discourse.voice, room)
            continue
        for room in _lain_in(account, clause, victim, rooms) if rooms else ():
            if (victim, room) in discourse.lain and clause.noun == "body":
                continue
            discourse.bodies[victim] = room
            if clause.negative:
                account.sighting(clause, discourse.voice, victim, room, True, BODY)
            else:
                account.location(clause, victim, room, of=BODY)


def tell_bodies_named(account: Account) -> None:
    """The body in R, standing over X's dead body in R: where it lay, if no verb has told so."""
    tokens = account.sentence.tokens
    for p in range(1, len(tokens) - 2):
        if tokens[p].text not in ("body", "corpse") or tokens[p + 1].text not in ("in", "inside"):
            continue
        room = next((token.value for token in tokens[p + 2 : p + 4] if token.kind == "room"), None)
        lead = p - 1 - (tokens[p - 1].text == "dead")
        owner = account.sentence.by_token.get(lead - (tokens[lead].kind == "poss"))
        whose = owner.who if owner is not None and owner.owner else ()
        victim = whose[0] if len(whose) == 1 else account.discourse.victim(room) if tokens[lead].text == "the" else None
        clause = clause_near(account, p)
        unsure = clause.maybe or clause.supposed or clause.negative
        if victim is not None and room is not None and not unsure and (victim, room) not in account.discourse.lain:
            account.location(clause, victim, room, of=BODY)


def _victims(account: Account, clause: Clause) -> tuple[str, ...]:
    """Whose body a clause speaks of: X's body, the body of X, X dead; else the body spoken of before."""
    tokens = account.sentence.tokens
    for phrase in clause.owners:
        if any(tokens[p].text in BODY_WORDS for p in range(phrase.last + 1, min(phrase.last + 4, len(tokens)))):
            return phrase.who
    for preposition, phrase in clause.beside:
        if preposition == "of" and phrase.first >= 2 and tokens[phrase.first - 2].text in BODY_WORDS:
            return phrase.who
    words = {tokens[p].text for p in range(*clause.rest)}
    for phrase in clause.objects:
        if phrase.who and (not words & {"body", "corpse"} or "dead" in words):
            return phrase.who
    victim = account.discourse.victim(first_of(rooms_of(account, clause)))
    return (victim,) if victim else ()


def sees_body(account: Account, clause: Clause) -> bool:
    """Whether what was seen is a body; then the sighting of it."""
    tokens = account.sentence.tokens
    first, last = clause.rest
    at = next((p for p in range(first, last) if tokens[p].text in _BODIES), None)
    if at is None:
        return False
    if any(tokens[p].text == "until" for p in range(first, at)):
        return False
    if clause.negative and until(account, clause):
        return True
    if _beside_it(account, clause, at):
        lay = account.discourse.bodies.get(account.discourse.victim() or "")
        for target in [p for o in clause.objects for p in o.who]:
            for seer in clause.subject or ():
                account.sighting(clause, seer, target, first_of(rooms_of(account, clause)) or lay, clause.negative)
        return True
    split = _apart(account, clause, at)
    if split is not None:
        _sees_alive(account, clause, split)
    rooms = [room for p in clause.places if p.at >= (split or 0) and (room := account.room_of(p))]
    rooms = rooms or (rooms_of(account, clause) if split is None else []) or rooms_when(account, clause)
    negative = clause.negative or tokens[at - 1].text == "no"
    rooms = rooms or (rooms_above(account, clause) or _then(account, clause, at) if negative else [])
    if negative and not rooms and is_added(account, clause) and clause.before is None:
        return True  # "No bodies, no encounters."
    victims: tuple[str | None, ...] = () if _any_body(account, clause, at) else _victims(account, clause)
    if clause.negative and "or" in clause.words:
        _sees_alive(account, clause, last)
    for seer in clause.subject or ():
        for victim in victims or (None,):
            lay = account.discourse.bodies.get(victim or "")
            if negative and not rooms and (victim, lay) in account.discourse.lain:
                rooms = [lay] if lay is not None else []
            for room in or_none(rooms if negative else _lain_in(account, clause, victim, rooms)):
                if victim is not None and not negative:
                    account.discourse.bodies[victim] = room
                account.sighting(clause, seer, victim, room, negative, BODY)
                if victim is not None and room is not None and not negative and seer == account.discourse.voice:
                    account.location(clause, seer, room)
        for room in or_none(rooms) if any(o.indefinite for o in clause.objects) else ():
            account.sighting(clause, seer, None, room, True)
    return True


def _beside_it(account: Account, clause: Clause, at: int) -> bool:
    """Whether somebody was seen at a body: "saw X near the body"."""
    tokens = account.sentence.tokens
    before = tokens[at - 2].text if tokens[at - 1].text in DETERMINERS or tokens[at - 1].kind == "poss" else ""
    before = tokens[at - 3].text if tokens[at - 1].kind == "poss" else before
    return before in ("at", "near", "around", "by") and any(o.who and o.last < at for o in clause.objects)


def _then(account: Account, clause: Clause, at: int) -> list[str]:
    """Where the seer was of "did not see a body at that time": the room it spoke of."""
    then = bool(clause.words & {"yet", "then"}) or any(token.text.startswith("at that") for token in clause.times)
    here = account.discourse.places.get(account.discourse.voice)
    then |= account.sentence.tokens[at - 1].text == "a" and here == account.discourse.room
    return [here] if then and here is not None and clause.subject == (account.discourse.voice,) else []


def _any_body(account: Account, clause: Clause, at: int) -> bool:
    """Whether no particular body is meant: bodies, a body, no body."""
    tokens = account.sentence.tokens
    if tokens[at].text == "bodies":
        return True
    return tokens[at].text == "body" and not clause.owners and tokens[at - 1].text in ("a", "any", "no", "either")


def _apart(account: Account, clause: Clause, at: int) -> int | None:
    """Where the body begins in "saw X alive in A, and no body in B"; None where only a body was seen."""
    tokens = account.sentence.tokens
    living = [o for o in clause.objects if o.who and o.last < at and tokens[o.first - 1].text != "no"]
    if clause.negative or not living or not any(p.at < at for p in clause.places):
        return None
    return next((p for p in range(living[0].last + 1, at) if tokens[p].text in ("and", "but")), None)


def _sees_alive(account: Account, clause: Clause, before: int) -> None:
    """The players seen, or not seen, beside a body: those named before a token."""
    rooms = [room for p in clause.places if p.at < before and (room := account.room_of(p))]
    rooms = rooms or ([] if clause.places else rooms_of(account, clause)) or rooms_when(account, clause)
    for target in [p for o in clause.objects if o.first < before for p in o.who]:
        for seer in clause.subject or ():
            account.sighting(clause, seer, target, first_of(rooms), clause.negative)


def tell_finding(account: Account, clause: Clause) -> None:
    """I found X's body in R: the sighting of the body, and where the finder was."""
    tokens = account.sentence.tokens
    finders = clause.subject or ()
    nobody = [phrase for phrase in clause.objects if phrase.indefinite]
    self_report = clause.group.first >= 2 and tokens[clause.group.first - 2].text == "self"
    if clause.group.passive and clause.subject and not clause.negative and _found_dead(account, clause):
        tell_body(account, clause)
    if clause.group.passive and clause.noun == "body" and clause.link not in ("when", "before", "after", "as"):
        tell_body(account, clause)  # "Bob's body was found in R"
    if self_report or _dates_only(account, clause) or clause.group.passive:
        return
    if clause.group.kind == "report" and clause.negative:
        tell_report(account, clause, _is_dead(account, clause))
        return
    if clause.negative or nobody:
        for seer in finders if nobody else ():
            account.sighting(clause, seer, None, first_of(rooms_of(account, clause)), True)
        return
    if clause.group.kind == "find" and found_empty(account, clause):
        return
    if clause.group.kind == "find":
        _found_beside(account, clause)
    dead = _is_dead(account, clause)
    if clause.group.kind == "find" and [p for o in clause.objects for p in o.who] == list(finders):
        for who in finders[:1]:  # "he found himself in R"
            for room in rooms_of(account, clause):
                account.location(clause, who, room)
    elif finders and (dead or clause.group.kind == "report"):
        if dead and (clause.group.kind == "find" or rooms_of(account, clause)):
            _found(account, clause, finders)
        if clause.group.kind == "report" and _past(account, clause):
            tell_report(account, clause, dead)


def _found_dead(account: Account, clause: Clause) -> bool:
    """Whether somebody who "was found in R" was dead: said so, or one who is and of whom nothing else is told."""
    if clause.words & {"dead", "murdered"}:
        return True
    discourse, after = account.discourse, account.after(clause)
    alive = {discourse.speaker, *discourse.heard, *discourse.addressed}
    acts = after is not None and after.group.form == GERUND and after.subject == clause.subject
    placed = clause.link == "where" or bool(clause.places)
    return placed and not acts and not alive & set(clause.subject or ()) and clause.group.kind == "find"


def _found_beside(account: Account, clause: Clause) -> None:
    """found X next to Y's body: X was seen where the body lay."""
    tokens = account.sentence.tokens
    at = next((p for p in range(*clause.rest) if tokens[p].text in ("body", "corpse")), None)
    living = [o for o in clause.objects if o.who and at is not None and o.last < at]
    if at is None or not living:
        return
    between = {token.text for token in tokens[living[0].last + 1 : at]}
    if not between & {"next", "beside", "over", "with", "near", "by", "on"}:
        return
    victims = [p for phrase in clause.owners for p in phrase.who] or [account.discourse.victim() or ""]
    for seer in clause.subject or ():
        for who in living[0].who:
            room = account.discourse.bodies.get(victims[0]) or first_of(rooms_of(account, clause))
            account.sighting(clause, seer, who, room)


def _dates_only(account: Account, clause: Clause) -> bool:
    """Whether "when I found the body" only dates another event."""
    dates = {clause.link, clause.link_before(account.sentence)} & (TIME_LINKS - {"since"})
    bare = not (clause.places or clause.owners or clause.objects)
    news = clause.phrase is not None and account.discourse.voice not in (clause.subject or ())
    return bool(dates) and clause.group.kind == "find" and bare and not (news and account.discourse.victim())


def _is_dead(account: Account, clause: Clause) -> bool:
    """Whether what was found or reported is a body."""
    words = {token.text for token in account.sentence.tokens[slice(*clause.rest)]}
    if words & _DEAD:
        return True
    if "it" in words and not clause.objects:
        return account.discourse.victim() is not None and not _finds_it_so(account, clause)
    if clause.group.kind == "report" and any(phrase.who for phrase in clause.objects):
        return True
    found = [p for phrase in clause.objects for p in phrase.who]
    ends = [phrase.last + 1 for phrase in clause.objects if phrase.last + 1 < clause.rest[1]]
    down = any(account.sentence.tokens[end].text == "down" for end in ends)
    if clause.group.kind == "find" and found and down:
        return True  # "found Bob down"
    if clause.group.kind == "find" and found and all(p in account.discourse.bodies for p in found):
        return not set(found) & ({account.discourse.speaker} | account.discourse.heard)
    named_there = clause.group.kind == "find" and bool(clause.objects) and bool(clause.places)
    return named_there and _past(account, clause)


def _finds_it_so(account: Account, clause: Clause) -> bool:
    """Whether "find it" judges and finds nothing: "I find it strange", "found it a bit odd", "find it hard to"."""
    after = account.sentence.tokens[clause.group.last + 1 : clause.group.last + 3]
    if clause.group.lemma != "find" or len(after) < 2 or after[0].text != "it" or after[1].kind != "word":
        return False
    return after[1].text not in PREPOSITIONS | CONNECTIVES | ADVERBS | {"there", "here", "right"}


def _found(account: Account, clause: Clause, finders: tuple[str, ...]) -> None:
    """The finders saw the body, and were where it lay."""
    rooms = rooms_of(account, clause)
    for victim in _victims(account, clause):
        account.claims[:] = [c for c in account.claims if (c.subject, c.kind, c.of) != (victim, "location", BODY)]
        for finder in finders if victim not in finders else ():
            for room in or_none(_lain_in(account, clause, victim, rooms)):
                account.discourse.bodies.pop(victim, None)
                account.discourse.bodies[victim] = room
                account.sighting(clause, finder, victim, room, of=BODY)
                if rooms or finder == account.discourse.voice or not _in_passing(clause):
                    account.location(clause, finder, room)
                for other in _found_there(account, clause):
                    account.sighting(clause, finder, other, room)


def _found_there(account: Account, clause: Clause) -> list[str]:
    """Who was at a body when it was found: "found the body there, with Bob already in the room"."""
    tokens = account.sentence.tokens
    there = [phrase for word, phrase in clause.beside if word == "with" and phrase.last + 1 < len(tokens)]
    there = [phrase for phrase in there if tokens[phrase.last + 1].text in _AT_IT]
    return [who for phrase in there for who in phrase.who if who not in (clause.subject or ())]


def _in_passing(clause: Clause) -> bool:
    """Whether a find only dates or names something: "before X found the body", "X finding the body"."""
    return clause.link in TIME_LINKS or clause.group.form == GERUND


def _lain_in(account: Account, clause: Clause, victim: str | None, rooms: list[str]) -> list[str]:
    """Where the body lay: in the rooms that the clause names, else where it was said to lie before."""
    named = any(place.room for place in [*clause.places, *clause.fronted])
    known = account.discourse.bodies.get(victim) if victim is not None else None
    if known is not None and not named:
        return [known]
    here = account.discourse.places.get(account.discourse.voice)
    return rooms or ([here] if here is not None and clause.subject == (account.discourse.voice,) else [])


def _past(account: Account, clause: Clause) -> bool:
    word = account.sentence.tokens[clause.group.last].text
    if clause.group.last > clause.group.first and account.sentence.tokens[clause.group.first].text == "did":
        return True  # "Eve did report"
    return word.endswith("ed") or word in ("found", "finding", "finds", "reporting", "reports")
