"""Clauses about bodies: who found whom, and where somebody lay."""

from __future__ import annotations

from itertools import product

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
from quack_eval.claims.grammar.chunks import players
from quack_eval.claims.grammar.lexicon import (
    ADVERBS,
    BODY_WORDS,
    CONNECTIVES,
    CORPSE,
    DETERMINERS,
    GERUND,
    PREPOSITIONS,
    TIME_LINKS,
)
from quack_eval.claims.grammar.nobody import found_empty, is_added
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.reports import tell_report
from quack_eval.claims.grammar.verbs import MUST
from quack_eval.claims.grammar.words import kind_at, text_at
from quack_eval.claims.types import BODY

_BODIES = frozenset({"body", "corpse", "bodies", "dead"})
_AT_IT = frozenset(
    {"there", "in", "right", "already", "standing", "by", "near", "next", "over", "on", "still", "beside"}
)
_DEAD = frozenset({"dead", "body", "corpse", "bodies", "lying", "killed"})


def tell_body(account: Account, clause: Clause) -> None:
    """X's body was in R: seen by whoever says to have found it, else a location of the victim."""
    discourse, voice, after = account.discourse, account.voice, account.after(clause)
    if clause.negative and "dead" in clause.words and clause.noun != "body":
        return  # "was not dead when I left"
    if existential(account, clause) and "no" in clause.words:
        for room in or_none(rooms_of(account, clause) or rooms_on_entering(account, clause)):
            account.sighting(clause, voice, None, room, True, BODY)
        return
    victims, rooms = _whose(account, clause), rooms_of(account, clause)
    own = not (account.source or clause.negative)
    if own and not victims and voice == discourse.speaker:
        discourse.nameless += rooms[:1]
    here = discourse.places.get(voice)
    fallen = not rooms and here is not None and clause.words & {"floor", "ground"} and not account.source
    entered = [] if account.source else rooms_on_entering(account, clause)
    rooms = [here] if fallen and here is not None else rooms or entered
    came = after is not None and after.link in ("when", "as") and after.subject == (voice,)
    came = came or bool(entered and rooms == entered)
    found = came and after is not None and (after.group.kind == "find" or after.group.lemma in ARRIVING)
    already = fallen or ("already" in clause.words and here in rooms)
    seen = own and clause.group.mood != MUST and (came or already)
    for victim in (who for who in victims if who != voice):
        for room in _lain_in(account, clause, victim, rooms) if seen or rooms else ():
            if not seen and clause.noun == "body" and (victim, room) in discourse.lain:
                continue
            discourse.bodies[victim] = room
            if seen or clause.negative:
                account.sighting(clause, voice, victim, room, clause.negative, BODY)
            else:
                account.location(clause, victim, room, of=BODY)
            if seen and (found or room in entered):  # "when I walked in, he was already on the floor"
                account.location(clause, voice, room)


def _whose(account: Account, clause: Clause) -> list[str]:
    """Whose body a clause is said of: X's, of X who is dead; else the one spoken of before."""
    victims = players(clause.owners)
    if clause.group.kind != "put":
        victims = [*(clause.owner or clause.subject or victims)]
    if not victims and existential(account, clause):
        owners = players(phrase for phrase in account.sentence.people if phrase.owner)
        victims = [who for who in owners if who != account.voice][:1]
    if not victims and (victim := account.discourse.victim()):
        victims = [victim]
    return victims


def tell_bodies_named(account: Account) -> None:
    """The body in R, standing over X's dead body in R: where it lay, if no verb has told so."""
    tokens = account.tokens
    for p in range(1, len(tokens) - 2):
        if tokens[p].text not in ("body", "corpse") or text_at(tokens, p + 1) not in ("in", "inside"):
            continue
        room = next((token.value for token in tokens[p + 2 : p + 4] if token.kind == "room"), None)
        lead = p - 1 - (text_at(tokens, p - 1) == "dead")
        owner = account.sentence.by_token.get(lead - (tokens[lead].kind == "poss"))
        whose = owner.who if owner is not None and owner.owner else ()
        victim = whose[0] if len(whose) == 1 else account.discourse.victim(room) if tokens[lead].text == "the" else None
        clause = account.clause_at(p)
        unsure = clause.maybe or clause.supposed or clause.negative
        if victim is not None and room is not None and not unsure and (victim, room) not in account.discourse.lain:
            account.location(clause, victim, room, of=BODY)


def _victims(account: Account, clause: Clause) -> tuple[str, ...]:
    """Whose body a clause speaks of: X's body, the body of X, X dead; else the body spoken of before."""
    tokens = account.tokens
    for phrase in clause.owners:
        if any(tokens[p].text in BODY_WORDS for p in range(phrase.last + 1, min(phrase.last + 4, len(tokens)))):
            return phrase.who
    for preposition, phrase in clause.beside:
        if preposition == "of" and phrase.first >= 2 and text_at(tokens, phrase.first - 2) in BODY_WORDS:
            return phrase.who
    words = {tokens[p].text for p in range(*clause.rest)}
    for phrase in clause.objects:
        if phrase.who and (not words & CORPSE or "dead" in words):
            return phrase.who
    victim = account.discourse.victim(first_of(rooms_of(account, clause)))
    return (victim,) if victim else ()


def sees_body(account: Account, clause: Clause) -> bool:
    """Whether what was seen is a body; then the sighting of it."""
    at = next((p for p in range(*clause.rest) if account.tokens[p].text in _BODIES), None)
    if at is None or "until" in account.words(clause.rest[0], at):
        return False
    if clause.negative and until(account, clause):
        return True
    if _beside_it(account, clause, at):
        lay = account.discourse.bodies.get(account.discourse.victim() or "")
        for target, seer in product(players(clause.objects), clause.subject):
            account.sighting(clause, seer, target, first_of(rooms_of(account, clause)) or lay, clause.negative)
        return True
    _saw_body(account, clause, at)
    return True


def _saw_body(account: Account, clause: Clause, at: int) -> None:
    """The sighting of a body, named at a token, or its denial."""
    discourse, split = account.discourse, _apart(account, clause, at)
    if split is not None:
        _sees_alive(account, clause, split)
    rooms = account.rooms(p for p in clause.places if p.at >= (split or 0))
    rooms = rooms or (rooms_of(account, clause) if split is None else []) or rooms_when(account, clause)
    negative = clause.negative or text_at(account.tokens, at - 1) == "no"
    rooms = rooms or (rooms_above(account, clause) or _then(account, clause, at) if negative else [])
    if negative and not rooms and is_added(account, clause) and clause.before is None:
        return  # "No bodies, no encounters."
    victims: tuple[str | None, ...] = () if _any_body(account, clause, at) else _victims(account, clause)
    if clause.negative and "or" in clause.words:
        _sees_alive(account, clause, clause.rest[1])
    for seer in clause.subject:
        for victim in victims or (None,):
            lay = discourse.bodies.get(victim or "")
            if negative and not rooms and (victim, lay) in discourse.lain:
                rooms = [lay] if lay is not None else []
            for room in or_none(rooms if negative else _lain_in(account, clause, victim, rooms)):
                account.sighting(clause, seer, victim, room, negative, BODY)
                if victim is None or negative:
                    continue
                discourse.bodies[victim] = room
                if seer == account.voice:
                    account.location(clause, seer, room)
        for room in or_none(rooms) if any(o.indefinite for o in clause.objects) else ():
            account.sighting(clause, seer, None, room, True)


def _beside_it(account: Account, clause: Clause, at: int) -> bool:
    """Whether somebody was seen at a body: "saw X near the body"."""
    tokens = account.tokens
    owned = kind_at(tokens, at - 1) == "poss"
    before = text_at(tokens, at - 3 if owned else at - 2 if text_at(tokens, at - 1) in DETERMINERS else -1)
    return before in ("at", "near", "around", "by") and any(o.who and o.last < at for o in clause.objects)


def _then(account: Account, clause: Clause, at: int) -> list[str]:
    """Where the seer was of "did not see a body at that time": the room it spoke of."""
    then = bool(clause.words & {"yet", "then"}) or any(token.text.startswith("at that") for token in clause.times)
    here = account.discourse.places.get(account.voice)
    then |= text_at(account.tokens, at - 1) == "a" and here == account.discourse.room
    return [here] if then and here is not None and clause.subject == (account.voice,) else []


def _any_body(account: Account, clause: Clause, at: int) -> bool:
    """Whether no particular body is meant: bodies, a body, no body."""
    tokens = account.tokens
    if tokens[at].text == "bodies":
        return True
    return tokens[at].text == "body" and not clause.owners and text_at(tokens, at - 1) in ("a", "any", "no", "either")


def _apart(account: Account, clause: Clause, at: int) -> int | None:
    """Where the body begins in "saw X alive in A, and no body in B"; None where only a body was seen."""
    tokens = account.tokens
    living = [o for o in clause.objects if o.who and o.last < at and text_at(tokens, o.first - 1) != "no"]
    if clause.negative or not living or not any(p.at < at for p in clause.places):
        return None
    return next((p for p in range(living[0].last + 1, at) if tokens[p].text in ("and", "but")), None)


def _sees_alive(account: Account, clause: Clause, before: int) -> None:
    """The players seen, or not seen, beside a body: those named before a token."""
    rooms = account.rooms(p for p in clause.places if p.at < before)
    rooms = rooms or ([] if clause.places else rooms_of(account, clause)) or rooms_when(account, clause)
    for target in [p for o in clause.objects if o.first < before for p in o.who]:
        for seer in clause.subject:
            account.sighting(clause, seer, target, first_of(rooms), clause.negative)


def tell_finding(account: Account, clause: Clause) -> None:
    """I found X's body in R: the sighting of the body, and where the finder was."""
    tokens = account.tokens
    finders = clause.subject
    nobody = [phrase for phrase in clause.objects if phrase.indefinite]
    self_report = clause.group.first >= 2 and text_at(tokens, clause.group.first - 2) == "self"
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
    if clause.group.kind == "find" and players(clause.objects) == list(finders):
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
    return placed and not acts and not alive & set(clause.subject) and clause.group.kind == "find"


def _found_beside(account: Account, clause: Clause) -> None:
    """found X next to Y's body: X was seen where the body lay."""
    tokens = account.tokens
    at = next((p for p in range(*clause.rest) if tokens[p].text in ("body", "corpse")), None)
    living = [o for o in clause.objects if o.who and at is not None and o.last < at]
    if at is None or not living:
        return
    between = {token.text for token in tokens[living[0].last + 1 : at]}
    if not between & {"next", "beside", "over", "with", "near", "by", "on"}:
        return
    victims = players(clause.owners) or [account.discourse.victim() or ""]
    for seer in clause.subject:
        for who in living[0].who:
            room = account.discourse.bodies.get(victims[0]) or first_of(rooms_of(account, clause))
            account.sighting(clause, seer, who, room)


def _dates_only(account: Account, clause: Clause) -> bool:
    """Whether "when I found the body" only dates another event."""
    dates = {clause.link, clause.link_before(account.sentence)} & (TIME_LINKS - {"since"})
    bare = not (clause.places or clause.owners or clause.objects)
    news = clause.phrase is not None and account.voice not in clause.subject
    return bool(dates) and clause.group.kind == "find" and bare and not (news and account.discourse.victim())


def _is_dead(account: Account, clause: Clause) -> bool:
    """Whether what was found or reported is a body."""
    words = {token.text for token in account.tokens[slice(*clause.rest)]}
    if words & _DEAD:
        return True
    if "it" in words and not clause.objects:
        return account.discourse.victim() is not None and not _finds_it_so(account, clause)
    if clause.group.kind == "report" and any(phrase.who for phrase in clause.objects):
        return True
    found = players(clause.objects)
    ends = [phrase.last + 1 for phrase in clause.objects if phrase.last + 1 < clause.rest[1]]
    down = any(account.tokens[end].text == "down" for end in ends)
    if clause.group.kind == "find" and found and down:
        return True  # "found Bob down"
    if clause.group.kind == "find" and found and all(p in account.discourse.bodies for p in found):
        return not set(found) & ({account.discourse.speaker} | account.discourse.heard)
    named_there = clause.group.kind == "find" and bool(clause.objects) and bool(clause.places)
    return named_there and _past(account, clause)


def _finds_it_so(account: Account, clause: Clause) -> bool:
    """Whether "find it" judges and finds nothing: "I find it strange", "found it a bit odd", "find it hard to"."""
    after = account.tokens[clause.group.last + 1 : clause.group.last + 3]
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
                if rooms or finder == account.voice or not _in_passing(clause):
                    account.location(clause, finder, room)
                for other in _found_there(account, clause):
                    account.sighting(clause, finder, other, room)


def _found_there(account: Account, clause: Clause) -> list[str]:
    """Who was at a body when it was found: "found the body there, with Bob already in the room"."""
    tokens = account.tokens
    there = [phrase for word, phrase in clause.beside if word == "with" and phrase.last + 1 < len(tokens)]
    there = [phrase for phrase in there if text_at(tokens, phrase.last + 1) in _AT_IT]
    return [who for phrase in there for who in phrase.who if who not in clause.subject]


def _in_passing(clause: Clause) -> bool:
    """Whether a find only dates or names something: "before X found the body", "X finding the body"."""
    return clause.link in TIME_LINKS or clause.group.form == GERUND


def _lain_in(account: Account, clause: Clause, victim: str | None, rooms: list[str]) -> list[str]:
    """Where the body lay: in the rooms that the clause names, else where it was said to lie before."""
    named = any(place.room for place in [*clause.places, *clause.fronted])
    known = account.discourse.bodies.get(victim) if victim is not None else None
    if known is not None and not named:
        return [known]
    here = account.discourse.places.get(account.voice)
    return rooms or ([here] if here is not None and clause.subject == (account.voice,) else [])


def _past(account: Account, clause: Clause) -> bool:
    word = account.tokens[clause.group.last].text
    if clause.group.last > clause.group.first and account.tokens[clause.group.first].text == "did":
        return True  # "Eve did report"
    return word.endswith("ed") or word in ("found", "finding", "finds", "reporting", "reports")
