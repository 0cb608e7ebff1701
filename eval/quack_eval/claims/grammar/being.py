"""Clauses of being somewhere: X was in R, X was with me, nobody was there."""

from __future__ import annotations

from itertools import pairwise, product

from quack_eval.claims.grammar.account import (
    FROM,
    TOWARD,
    Account,
    add_step,
    existential,
    first_of,
    or_none,
    rooms_above,
    rooms_of,
    rooms_on_entering,
    rooms_when,
)
from quack_eval.claims.grammar.bodies import tell_body
from quack_eval.claims.grammar.chunks import players
from quack_eval.claims.grammar.lexicon import ADVERBS, CORPSE, GERUND, TIME_LINKS
from quack_eval.claims.grammar.nobody import tell_empty
from quack_eval.claims.grammar.other_words import in_other_words, only_one
from quack_eval.claims.grammar.parts import Clause, Place
from quack_eval.claims.grammar.perceiving import perceives
from quack_eval.claims.grammar.words import texts
from quack_eval.claims.types import BODY

_SOMEWHERE = frozenset({"there", "over", "next", "near", "beside", "by", "alone", "inside", "on"})
_STEPS = frozenset({"room", "rooms", "tick", "ticks", "step", "steps", "one", "two", "too", "not"})
"""What makes "away from R" a distance, or near."""
_WAYS = frozenset({"path", "route", "access", "corridor"})
_LEADING = frozenset({"path", "access", "close", "closer", "closest", "entrance", "connection", "near"})
_ONWARD = frozenset({"then", "back", "up", "down", "through"})
_WITH = ("with", "alongside", "beside")


def tell_being(account: Account, clause: Clause) -> None:
    """X was in R; X was with me in R; X and I were together in R."""
    if tell_empty(account, clause):
        return
    if _lies_dead(account, clause):
        tell_body(account, clause)
        return
    if clause.link in TIME_LINKS and "alive" in clause.words:
        clause.places = [place for place in clause.places if place.preposition or not place.room]
    clause.places = _stood_at(account, clause)
    rooms = rooms_of(account, clause) or _as_before(account, clause)
    if clause.group.negative and "alone" in account.words(clause.group.first, clause.group.last + 2):
        clause.negative = False  # "wasn't alone in R"
    if keeps_away(clause):
        apart = _kept_from(account, clause)
        rooms = [room for room in rooms_of(account, clause) if room not in apart]
    if _on_a_task(clause):
        _was_at_it(account, clause, rooms)
        return
    if clause.noun == "route" and clause.owner and clause.group.kind == "be":
        clause.subject, clause.noun = clause.owner, ""
    if _under_way(account, clause) or in_other_words(account, clause, rooms):
        return
    if clause.indefinite or (not clause.subject and existential(account, clause)):
        _nobody(account, clause, rooms)
    elif not only_one(account, clause, rooms) and _asserts(account, clause):
        _stood(account, clause, clause.subject, rooms)
        _alone(account, clause, rooms)


def _kept_from(account: Account, clause: Clause) -> list[str]:
    """The rooms from which a clause keeps somebody away, which are denied."""
    apart = [place.room for place in clause.places if place.preposition in ("from", "of") and place.room]
    for who, room in product(kept(clause), apart):
        account.location(clause, who, room, negative=True)
    return apart


def _was_at_it(account: Account, clause: Clause, rooms: list[str]) -> None:
    """X was on tasks in R."""
    for who in clause.subject:
        account.activity(clause, who, "task", first_of(rooms))
        if who == account.voice and was_still_at_it(account, clause):
            account.location(clause, who, first_of(rooms))


def _alone(account: Account, clause: Clause, rooms: list[str]) -> None:
    """I was alone in R, I was alone the whole round: whoever tells it saw nobody there."""
    teller = account.teller
    words = {token.text for token in account.tokens[clause.group.first : clause.rest[1]]}
    if "alone" not in words or clause.subject != (teller,) or clause.group.negative or clause.negative:
        return
    if clause.link in TIME_LINKS or any(word in _WITH for word, _ in clause.beside):
        return
    told = rooms or rooms_when(account, clause)
    account.sighting(clause, teller, None, told[0] if len(told) == 1 else None, True)


def _stood_at(account: Account, clause: Clause) -> list[Place]:
    """The places of a clause where its subject was: not those that only date it or lie beside it.

    Not R of "the one with a path through Q to R", "in Q right after R", "there, between R and S", "less sure there".
    """
    tokens, found = account.tokens, []
    for place in clause.places:
        lead = texts(tokens, clause.group.last + 1, place.at)
        leads = place.preposition == "to" and bool(_LEADING & set(lead[-3:]))
        way = next((p for p, word in enumerate(lead) if word in _WAYS), len(lead))
        leads |= way < len(lead) and "," not in lead[way:] and clause.group.lemma not in ("start", "end", "finish")
        beside = place.preposition == "between" and clause.group.kind == "is"
        beside |= _only_a_side(account, clause, place)
        if leads or beside or place.preposition in ("after", "before", "past"):
            continue
        if tokens[place.at].text == "there" and _only_thought(account, clause, lead):
            continue
        found.append(place)
    return found


def _only_a_side(account: Account, clause: Clause, place: Place) -> bool:
    """Whether rooms only name a part of the map: "I was on the A/B side", "around A, B and C"; not "Bob, on ..."."""
    alike = sum(other.preposition == place.preposition for other in clause.places)
    one_else = len(clause.subject) == 1 and clause.subject != (account.voice,)
    return (alike > 1 + one_else and place.preposition == "on") or (alike > 2 and place.preposition == "around")


def _as_before(account: Account, clause: Clause) -> list[str]:
    """The room of "I was in R and you weren't", which only the clause before names."""
    before, tokens = clause.before, account.tokens
    left_out = clause.rest[0] >= len(tokens) or tokens[clause.rest[0]].text in (",", ";", "—", ")")
    if not left_out or before is None or clause.phrase is None or clause.group.kind != "is":
        return []
    if before.maybe or clause.link not in ("and", "but", ",", "while"):
        return []
    if before.group.kind not in ("is", "be") or before.negative == clause.negative or not before.places:
        return []
    return [account.discourse.room] if account.discourse.room else []


def _only_thought(account: Account, clause: Clause, lead: list[str]) -> bool:
    """Whether "there" is no place but a matter: "I am less suspicious there"."""
    now = account.tokens[clause.group.first].text in ("'m", "am", "is", "'s", "are", "'re")
    return now and clause.group.kind == "is" and any(word not in ADVERBS | _SOMEWHERE | {"still"} for word in lead)


def _lies_dead(account: Account, clause: Clause) -> bool:
    tokens, bodies = account.tokens, account.discourse.bodies
    placed = clause.places or clause.words & {"floor", "ground"} or rooms_on_entering(account, clause)
    beside = clause.subject and clause.words & CORPSE  # "was standing over X's dead body in R"
    lies = "lying" in account.message[tokens[clause.group.first].start : tokens[clause.rest[1] - 1].end]
    if lies and not clause.negative and clause.subject and all(who in bodies for who in clause.subject):
        return True  # "I walked in and she was just lying there"
    fallen = clause.words & {"floor", "ground"} and "already" in clause.words
    dead = bool(fallen or "dead" in clause.words) and bool(placed) and not beside
    return clause.noun == "body" or dead or (existential(account, clause) and "body" in clause.words)


def keeps_away(clause: Clause) -> bool:
    """kept away from R, stayed clear of R, stayed out of R, was far from R, on the opposite side from R."""
    keeps = clause.group.lemma in ("stay", "keep", "steer", "remain") and clause.words & {"away", "clear", "out"}
    distant = clause.words & {"far", "opposite", "other", "away"} and not (clause.words & _STEPS or clause.negative)
    return bool(keeps or distant) and any(place.preposition in ("from", "of") for place in clause.places)


def kept(clause: Clause) -> tuple[str, ...]:
    """Whom a clause keeps somewhere: the subject of "X stayed", the object of "X's route keeps him"."""
    led = clause.noun in ("route", "said", "place") or clause.group.kind == "put"
    whom = tuple(players(clause.objects)) if led else ()
    return whom or (clause.owner if led else ()) or clause.subject


def _on_a_task(clause: Clause) -> bool:
    """was on tasks, was on the scan."""
    is_on = clause.group.kind == "is" and "on" in clause.words and not (clause.negative or "area" in clause.words)
    return is_on and bool(clause.words & {"task", "tasks", "wiring", "scan"})


def was_still_at_it(account: Account, clause: Clause) -> bool:
    """Whether a task tells where somebody was: "doing my task in R when the meeting was called"."""
    dated = account.time(clause) or ""
    return "meeting" in dated or "report" in dated


def _on_the_way(clause: Clause) -> bool:
    """was on the way to R: not there yet."""
    on_way = clause.words >= {"way", "on"} and any(p.preposition == "toward" for p in clause.places)
    return on_way and all(p.preposition == "toward" for p in clause.places)


def _under_way(account: Account, clause: Clause) -> bool:
    """was on the way from Q to R."""
    origin = account.rooms(p for p in clause.places if p.preposition in FROM)
    ends = account.rooms(p for p in clause.places if p.preposition in {"to", *TOWARD})
    if not (clause.words >= {"way", "on"} and origin and ends) or len(clause.places) != 2:
        return False
    for who in clause.subject:
        account.activity(clause, who, "traveling", ends[0], origin[0], clause.negative)
    return True


def _asserts(account: Account, clause: Clause) -> bool:
    """Whether the clause places its subject somewhere at all."""
    tokens = account.tokens
    inside = set(texts(tokens, clause.group.first, clause.group.last + 2))
    only = clause.group.negative and bool(inside & {"just", "only"})
    left = clause.group.negative and clause.group.lemma in ("stay", "remain", "linger")
    watched = account.witnessed and clause.subject == (account.voice,)
    nowhere = watched and not any(place.room for place in clause.places)
    nowhere |= clause.group.negative and _denies_manner(account, clause)
    nowhere |= bool(clause.words & {"unconfirmed", "unaccounted"})
    return not (only or left or nowhere or _on_the_way(clause) or clause.noun == "route")


def _denies_manner(account: Account, clause: Clause) -> bool:
    """Whether the speaker denies only how long it was somewhere: "I wasn't parked there", not "I never stood there"."""
    verb = set(account.words(clause.group.first, clause.group.last))
    own = clause.subject == (account.voice,) and "never" not in verb
    return own and clause.group.lemma in ("sit", "stand", "park", "camp", "idle")


def _stood(account: Account, clause: Clause, subject: tuple[str, ...], rooms: list[str]) -> None:
    """Where the subject was, and with whom."""
    voice = account.voice
    companions = clause.players_after(*_WITH)
    near = ("near", "around", "to") if "next" in clause.words else ("near", "around")
    companions += [voice for word, phrase in clause.beside if word in near and phrase.who == (voice,)]
    if clause.small and clause.above is not None:
        rooms = rooms or account.rooms(clause.placed)
        rooms = rooms or rooms_when(account, clause.above) or _known(account, clause, [])
        rooms = rooms or (rooms_above(account, clause.above) if clause.above.group.kind == "find" else [])
        _over_body(account, clause, rooms)
    if not rooms and not companions and _met_on_entering(account, clause, subject):
        return
    rooms = rooms or _known(account, clause, companions)
    if not rooms and "alive" in clause.words and not clause.negative:
        _alive(account, clause, subject)
        return
    if voice in subject and companions and not clause.negative:
        account.discourse.with_me = tuple(companions)
    if seer := _companion_who_tells(account, clause, subject, companions):
        if seer == voice and not clause.negative:
            account.discourse.with_me = subject
        for who, room in product(subject, or_none(rooms)):
            account.sighting(clause, seer, who, room, clause.negative)
        return
    bare = [p.preposition for p in clause.places[:2]] in (["", "to"], ["", "into"])
    ordered = not clause.negative and _in_order(account, clause, rooms)
    for who in subject:
        if bare and len(rooms) > 1:
            account.route(clause, who, rooms)
        elif ordered:
            _stood_in_order(account, clause, who, rooms)
        else:
            _stood_in(account, clause, who, rooms)
    stood_with(account, clause, subject, rooms)
    _at_a_body(account, clause, subject, rooms)
    if not ordered:
        _bound_for(account, clause, subject, rooms)
    if len(rooms) == 1 or bare or ordered:  # the rooms of "was in A and B" have no order
        add_step(account, clause, rooms)


def _met_on_entering(account: Account, clause: Clause, subject: tuple[str, ...]) -> bool:
    """Tells "when I walked in, X was over there": X was seen where the speaker went; whether it is told so."""
    voice = account.voice
    elsewhere = clause.group.kind not in ("is", "be") or not clause.words & _SOMEWHERE
    if elsewhere or account.source or clause.negative or voice in subject:
        return False
    entered = rooms_on_entering(account, clause)
    for who in subject if entered else ():
        account.sighting(clause, voice, who, entered[-1])
    for victim in players(clause.owners) if entered and clause.words & CORPSE else ():
        account.sighting(clause, voice, victim, entered[-1], of=BODY)
    return bool(entered)


def _companion_who_tells(account: Account, clause: Clause, subject: tuple[str, ...], companions: list[str]) -> str:
    """Whom the subject was with, if who tells it is one of them: "X was with me", "Bob realized X was with him"."""
    voice = account.voice
    teller = next((who for who in _telling(account, clause) if who in companions and who not in subject), "")
    if teller and voice not in (teller, *subject):
        return teller
    return voice if voice in companions else ""


def stood_with(account: Account, clause: Clause, subject: tuple[str, ...], rooms: list[str]) -> None:
    """Who was with the subject: seen by it where it says so itself, else said to have been there too."""
    voice = account.voice
    for companion, with_rooms in _pairs(account, clause, rooms):
        for who in subject:
            for room in with_rooms:
                if who == voice or subject == (account.source,) or clause.negative:
                    account.sighting(clause, who, companion, room, clause.negative)
                elif not _seen_there(account, companion, room):
                    _stood_in(account, clause, companion, [room])


def _telling(account: Account, clause: Clause) -> tuple[str, ...]:
    """Who tells what a clause says: "Bob realized that ...", "Bob claims ..."."""
    above = clause.above
    if above is None or clause.before is not above or clause.link not in ("", "that"):
        return (account.source,) if account.source else ()
    tells = clause.link == "that" or above.group.kind == "say" or above.group.lemma in ("realize", "know")
    return above.subject if tells else ()


def _seen_there(account: Account, who: str, room: str) -> bool:
    """Whether the sentence has said already that somebody was seen in a room."""
    return any(c.type == "sighting" and (c.target, c.room) == (who, room) for c in account.claims)


def _in_order(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """Whether the rooms of "was in A, then B, back to C" are told as a way: each led on to, not each with a time."""
    tokens = account.tokens
    places = [p for p in clause.places if p.preposition not in TOWARD]
    leads = [set(texts(tokens, max(q.at + 1, p.at - 4), p.at)) for q, p in pairwise(places)]
    listed = bool(leads) and len(rooms) == len(places) and all(lead & _ONWARD for lead in leads)
    return listed and len(clause.times) < len(rooms)


def _stood_in_order(account: Account, clause: Clause, who: str, rooms: list[str]) -> None:
    """The way of "was in A at 4, then B"; a tick makes each its own statement too."""
    for room in rooms if any(char.isdigit() for token in clause.times for char in token.text) else ():
        _stood_in(account, clause, who, [room])
    account.route(clause, who, rooms + _bounds(clause)[:1])


def _bounds(clause: Clause) -> list[str]:
    """Where somebody is only headed."""
    return [p.room for p in clause.places if p.preposition in TOWARD and p.room]


def _bound_for(account: Account, clause: Clause, subject: tuple[str, ...], rooms: list[str]) -> None:
    """X was in Q on the way to R, X was at Q heading towards R: going from Q to R."""
    ends = _bounds(clause)
    for who in subject if ends and rooms and not clause.negative else ():
        account.activity(clause, who, "traveling", ends[0], rooms[-1], seen=clause.small)


def _alive(account: Account, clause: Clause, subject: tuple[str, ...]) -> None:
    """X was alive when I left: there still; X was alive when I was in R: seen where whoever tells it was."""
    teller = account.teller
    beside = [c for c in (account.after(clause), clause.before) if c is not None and c.subject == (teller,)]
    beside = [
        c for c in beside if c.link in ("when", "as", "while") and c.group.kind in ("leave", "is", "move", "enter")
    ]
    for dated in beside[:1]:
        leaving = [c for c in account.sentence.clauses if c.group.kind == "leave" and c.subject == (teller,)]
        of = leaving if dated.group.kind == "leave" else [dated]
        told = [
            p.room for c in of for p in c.places if p.room and p.preposition in ("", "from", "in", "through", "into")
        ]
        for who in subject:
            here = account.discourse.places.get(teller) if dated.places else None
            room = first_of(told) or here or account.discourse.places.get(who)
            room = room or account.discourse.stays.get(teller)  # "I was in R. X was alive when I left."
            if room is not None and dated.group.kind == "leave":
                account.location(clause, who, room)
            elif room is not None:
                account.sighting(clause, teller, who, room)


def _at_a_body(account: Account, clause: Clause, subject: tuple[str, ...], rooms: list[str]) -> None:
    """X was standing over Y's body in R: the body lay there."""
    if clause.small or clause.negative or account.voice in subject or not clause.words & CORPSE:
        return
    for victim in players(clause.owners):
        for room in rooms if clause.places else ():
            account.location(clause, victim, room, of=BODY)


def _over_body(account: Account, clause: Clause, rooms: list[str]) -> None:
    """saw X standing over Y's body: the body was seen too."""
    if clause.above is None or not clause.words & CORPSE:
        return
    for seer in clause.above.subject:
        for victim in players(clause.owners):
            account.sighting(clause, seer, victim, first_of(rooms), of=BODY)


def _stood_in(account: Account, clause: Clause, who: str, rooms: list[str]) -> None:
    """Somebody's rooms: a sighting where the speaker tells of what it saw, else a location."""
    voice = account.voice
    together = len(clause.subject) > 1 and voice in clause.subject
    there = clause.phrase is not None and "there" in clause.words  # "with Bob standing right there"
    tells = clause.small or there or clause.group.form != GERUND
    seen = who != voice and tells and not clause.negative and (together or perceives(account, clause, rooms))
    if (seers := _quoted_seers(account, clause, who)) and not clause.negative:
        for seer in seers:
            for room in rooms:
                account.sighting(clause, seer, who, room)
        return
    for room in rooms:
        told = [c for c in account.claims if c.type == "sighting" and (c.target, c.room) == (who, room)]
        if seen and (together or all(c.negative for c in told)):
            account.sighting(clause, voice, who, room)
        elif not (seen and clause.small) and not (told and clause.group.form == GERUND and clause.phrase is None):
            account.location(clause, who, room, clause.negative)


def _quoted_seers(account: Account, clause: Clause, who: str) -> tuple[str, ...]:
    """Others than the speaker who are said to have seen what a clause tells: "Bob saw Eve standing in R"."""
    above = clause.above
    if not clause.small or above is None or above.group.kind not in ("see", "find") or above.group.passive:
        return ()
    seers = above.subject
    return () if account.voice in seers or above.negative or who in seers else seers


def _pairs(account: Account, clause: Clause, rooms: list[str]) -> list[tuple[str, list[str]]]:
    """Companions, each with its rooms: "with X in A at 3, then with Y in B at 7"."""
    phrases = sorted((p for w, p in clause.beside if w in _WITH), key=lambda p: p.first)
    if len(phrases) < 2 or len(clause.places) < 2:
        return [(who, rooms) for phrase in phrases for who in phrase.who]
    found = []
    led = clause.places[0].at < phrases[0].first  # "in A with X, in B with Y"
    for number, phrase in enumerate(phrases):
        begin = (phrases[number - 1].last if number else 0) if led else phrase.last
        end = phrases[number + 1].first if number + 1 < len(phrases) else clause.rest[1]
        end = phrase.first if led else end
        own = account.rooms(p for p in clause.places if begin < p.at < end)
        found += [(who, own or rooms) for who in phrase.who]
    return found


def _known(account: Account, clause: Clause, companions: list[str]) -> list[str]:
    """The room of "stayed with me" or "with the body", told before."""
    discourse = account.discourse
    spoken = {token.text for token in account.tokens[: clause.group.first]}
    if (
        (clause.words & CORPSE or ("it" in clause.words and spoken & CORPSE))
        and clause.words & {"with", "over", "by", "beside", "next", "near", "at", "on"}
        and clause.group.kind in ("is", "be")
    ):
        rooms = [room for room in list(discourse.bodies.values())[-1:] if room]
        return rooms
    if not companions or not clause.subject:
        return []
    if clause.words & {"alone", "behind"} and (room := _left_with(account, clause, companions)):
        return [room]
    if clause.link in ("while", "when") and discourse.room:
        return [discourse.room]
    if clause.before is not None and clause.before.subject == clause.subject and clause.before.places:
        return [room for who in clause.subject[:1] if (room := discourse.places.get(who))]
    return []


def _left_with(account: Account, clause: Clause, companions: list[str]) -> str | None:
    """The room of "X stayed behind with Y", "X was alone with Y": where Y was, or lay later."""
    discourse, voice = account.discourse, account.voice
    if voice in companions or voice in clause.subject:
        return None
    known = [discourse.bodies.get(who) or discourse.places.get(who) for who in companions]
    return known[0]


def _nobody(account: Account, clause: Clause, rooms: list[str]) -> None:
    phrase = next((o for o in clause.objects if o.indefinite), None)
    indefinite = clause.indefinite or (phrase.indefinite if phrase else "")
    if indefinite == "nobody" or (indefinite == "anybody" and clause.negative):
        for room in or_none(rooms):
            account.sighting(clause, account.teller, None, room, True)
