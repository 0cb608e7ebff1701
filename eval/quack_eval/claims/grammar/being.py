"""Clauses of being somewhere: X was in R, X was with me, nobody was there."""

from __future__ import annotations

from quack_eval.claims.grammar.account import (
    ARRIVING,
    Account,
    add_step,
    existential,
    first_of,
    or_none,
    rooms_of,
    rooms_on_entering,
    rooms_when,
    seen_in_sentence,
)
from quack_eval.claims.grammar.bodies import tell_body
from quack_eval.claims.grammar.chunks import MUST
from quack_eval.claims.grammar.clauses import Clause
from quack_eval.claims.grammar.lexicon import GERUND, TIME_LINKS
from quack_eval.claims.types import BODY

_SOMEWHERE = frozenset({"there", "over", "next", "near", "beside", "by", "alone", "inside", "on"})
_WITH = ("with", "alongside", "beside")


def tell_being(account: Account, clause: Clause) -> None:
    """X was in R; X was with me in R; X and I were together in R."""
    if _empty(account, clause):
        return
    if _lies_dead(account, clause):
        tell_body(account, clause)
        return
    if clause.link in TIME_LINKS and "alive" in clause.words:
        clause.places = [place for place in clause.places if place.preposition or not place.room]
    rooms = rooms_of(account, clause)
    verb = {t.text for t in account.sentence.tokens[clause.group.first : clause.group.last + 2]}
    if clause.group.negative and "alone" in verb:  # "wasn't alone in R"
        clause.negative = False
    if _keeps_away(clause):
        rooms, clause.negative = rooms_of(account, clause, frozenset()), True
    if _on_a_task(clause):
        for who in clause.subject or ():
            account.activity(clause, who, "task", first_of(rooms))
        return
    if clause.noun == "route" and clause.owner and clause.group.kind == "be":
        clause.subject, clause.noun = clause.owner, ""
    if _in_other_words(account, clause, rooms):
        return
    if clause.indefinite or (clause.subject is None and existential(account, clause)):
        _nobody(account, clause, rooms)
    elif not _only(account, clause, rooms) and _asserts(account, clause):
        _stood(account, clause, clause.subject or (), rooms)


def _empty(account: Account, clause: Clause) -> bool:
    """the room was empty, R was empty: nobody was seen there."""
    tokens = account.sentence.tokens
    lead = tokens[max(0, clause.group.first - 2) : clause.group.first]
    if (
        "empty" not in clause.words
        or "of" in clause.words
        or clause.subject
        or clause.negative
        or not lead
        or account.source
    ):
        return False
    named = lead[-1].value if lead[-1].kind == "room" else None
    if named is None and lead[-1].text not in ("room", "it", "place"):
        return False
    account.sighting(clause, account.discourse.voice, None, named or account.discourse.room, True)
    return True


def _lies_dead(account: Account, clause: Clause) -> bool:
    placed = clause.places or clause.words & {"floor", "ground"} or rooms_on_entering(account, clause)
    dead = "dead" in clause.words and bool(placed)
    return clause.noun == "body" or dead or (existential(account, clause) and "body" in clause.words)


def _keeps_away(clause: Clause) -> bool:
    """kept away from R, stayed clear of R, stayed out of R."""
    keeps = clause.group.lemma in ("stay", "keep", "steer", "remain") and clause.words & {"away", "clear", "out"}
    return bool(keeps) and any(place.preposition in ("from", "of") for place in clause.places)


def _on_a_task(clause: Clause) -> bool:
    """was on tasks, was on the scan."""
    is_on = clause.group.kind == "is" and "on" in clause.words and not clause.negative
    return is_on and bool(clause.words & {"task", "tasks", "wiring", "scan"})


def _on_the_way(clause: Clause) -> bool:
    """was on the way to R: not there yet."""
    return "way" in clause.words and "on" in clause.words and any(p.preposition == "to" for p in clause.places)


def _asserts(account: Account, clause: Clause) -> bool:
    """Whether the clause places its subject somewhere at all."""
    tokens = account.sentence.tokens
    inside = {t.text for t in tokens[clause.group.first : clause.group.last + 2]}
    only = clause.group.negative and bool(inside & {"just", "only"})
    left = clause.group.negative and clause.group.lemma in ("stay", "remain", "linger")
    watched = account.witnessed and clause.subject == (account.discourse.voice,)
    nowhere = watched and not any(place.room for place in clause.places)
    return not (only or left or nowhere or _on_the_way(clause) or clause.group.passive or clause.noun == "route")


def _stood(account: Account, clause: Clause, subject: tuple[str, ...], rooms: list[str]) -> None:
    """Where the subject was, and with whom."""
    voice = account.discourse.voice
    companions = [p for word, phrase in clause.beside if word in _WITH for p in phrase.who]
    if clause.small and clause.above is not None:
        placed = [room for p in clause.placed if (room := account.room_of(p))]
        rooms = rooms or placed or rooms_when(account, clause.above)
        _over_body(account, clause, rooms)
    entered = (
        [] if rooms or account.source or clause.negative or voice in subject else rooms_on_entering(account, clause)
    )
    if entered and clause.group.kind in ("is", "be") and not companions and clause.words & _SOMEWHERE:
        for who in subject:
            account.sighting(clause, voice, who, entered[-1])
        for victim in [p for phrase in clause.owners for p in phrase.who] if clause.words & {"body", "corpse"} else ():
            account.sighting(clause, voice, victim, entered[-1], of=BODY)
        return
    rooms = rooms or _known(account, clause, companions)
    if not rooms and "alive" in clause.words and not account.source and not clause.negative:
        _alive(account, clause, subject)
        return
    if voice in subject and companions and not clause.negative:
        account.discourse.with_me = tuple(companions)
    if voice in companions:
        account.discourse.with_me = account.discourse.with_me if clause.negative else subject
        for who in subject:
            for room in or_none(rooms):
                account.sighting(clause, voice, who, room, clause.negative)
        return
    bare = [p.preposition for p in clause.places[:2]] in (["", "to"], ["", "into"])
    for who in subject:
        if bare and len(rooms) > 1:
            account.route(clause, who, rooms)
        else:
            _stood_in(account, clause, who, rooms)
    for who in subject:
        for companion, with_rooms in _pairs(account, clause, rooms):
            for room in with_rooms:
                account.sighting(clause, who, companion, room, clause.negative)
    add_step(account, clause, rooms)


def _alive(account: Account, clause: Clause, subject: tuple[str, ...]) -> None:
    """X was alive when I left, when I was in R: seen where the speaker was."""
    voice = account.discourse.voice
    beside = [c for c in (account.after(clause), clause.before) if c is not None and c.subject == (voice,)]
    beside = [
        c for c in beside if c.link in ("when", "as", "while") and c.group.kind in ("leave", "is", "move", "enter")
    ]
    for dated in beside[:1]:
        leaving = [c for c in account.sentence.clauses if c.group.kind == "leave" and c.subject == (voice,)]
        of = leaving if dated.group.kind == "leave" else [dated]
        told = [
            p.room for c in of for p in c.places if p.room and p.preposition in ("", "from", "in", "through", "into")
        ]
        room = first_of(told) or account.discourse.places.get(voice)
        for who in subject if room else ():
            account.sighting(clause, voice, who, room)


def _over_body(account: Account, clause: Clause, rooms: list[str]) -> None:
    """saw X standing over Y's body: the body was seen too."""
    if clause.above is None or not clause.words & {"body", "corpse"}:
        return
    for seer in clause.above.subject or ():
        for victim in [p for phrase in clause.owners for p in phrase.who]:
            account.sighting(clause, seer, victim, first_of(rooms), of=BODY)


def _stood_in(account: Account, clause: Clause, who: str, rooms: list[str]) -> None:
    """Somebody's rooms: a sighting where the speaker tells of what it saw, else a location."""
    voice = account.discourse.voice
    together = len(clause.subject or ()) > 1 and voice in (clause.subject or ())
    tells = clause.small or clause.group.form != GERUND
    seen = who != voice and tells and not clause.negative and (together or _perceives(account, clause, who, rooms))
    for room in rooms:
        told = [c for c in account.claims if c.type == "sighting" and (c.target, c.room) == (who, room)]
        if seen and (together or all(c.negative for c in told)):
            account.sighting(clause, voice, who, room)
        elif not (seen and clause.small):
            account.location(clause, who, room, clause.negative)


def _in_other_words(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """my eyes were on X; my position was R; for me it was R; so was X; we were two, X and I; there was no X."""
    voice = account.discourse.voice
    named = [p for o in [*clause.objects, *(phrase for _, phrase in clause.beside)] for p in o.who]
    before = account.sentence.tokens[clause.group.first - 1].text if clause.group.first else ""
    if clause.noun == "task" and "busy" in clause.words:
        room = next((t.value for t in account.sentence.tokens[: clause.group.first] if t.kind == "room"), None)
        account.activity(clause, clause.owner[0], "task", room)
    elif (
        before == "that"
        and named == [voice]
        and not rooms
        and clause.group.first > 2
        and account.sentence.tokens[clause.group.first - 3].kind == "room"
    ):
        account.location(clause, voice, account.sentence.tokens[clause.group.first - 3].value)
    elif clause.noun == "eyes":
        for who in named:
            account.sighting(clause, clause.owner[0] if clause.owner else voice, who, rooms[0] if rooms else None)
    elif clause.noun == "place" and clause.owner and not clause.negative:
        for room in rooms:
            account.location(clause, clause.owner[0], room)
    elif (
        before == "so"
        and named
        and not clause.places
        and clause.before is not None
        and clause.before.subject == (voice,)
    ):
        for room in [room for p in clause.before.places if (room := account.room_of(p))]:
            for who in named:
                account.sighting(clause, voice, who, room)
    elif clause.subject and voice in clause.subject and voice in named and len(named) > 1:
        for room in rooms:
            account.location(clause, voice, room)
            for who in named:
                account.sighting(clause, voice, who, room)
    elif existential(account, clause) and "no" in clause.words and named and rooms:
        for who in named:
            for room in rooms:
                account.location(clause, who, room, True)
    elif not clause.subject and not clause.noun and rooms and _for_me(account, clause):
        account.location(clause, voice, rooms[0])
    else:
        return False
    return True


def _for_me(account: Account, clause: Clause) -> bool:
    words = [t.text for t in account.sentence.tokens[: clause.group.first]]
    return words[-3:] == ["for", "me", "it"]


def _only(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """The only person I saw was X; X was the last one I saw."""
    by_subject = False
    words = clause.words
    after, before = account.after(clause), clause.before
    if (
        clause.subject
        and words & {"person", "one", "player"}
        and words & {"only", "last", "first"}
        and after is not None
    ):
        if after.group.kind != "see" or after.objects or after.maybe or after.link not in ("", "that", "who"):
            return False
        seen, seer, rooms, only = clause.subject, after.subject, rooms_of(account, after), "only" in words
        only &= not after.words & {"near", "around", "close"}
        by_subject = True
    elif (
        before is not None
        and before.group.kind == "see"
        and not before.objects
        and clause.objects
        and not clause.subject_named
    ):
        words = frozenset(t.text for t in account.sentence.tokens[: before.group.first])
        if not words & {"person", "one", "player"} or not words & {"only", "last", "first", "the"}:
            return False
        seen, seer, only = tuple(p for o in clause.objects for p in o.who), before.subject, "only" in words
        between = account.sentence.tokens[before.group.last + 1 : clause.group.first]
        rooms = rooms or rooms_of(account, before) or [t.value for t in between if t.kind == "room"]
    else:
        return False
    for who in seer or ():
        for target in seen:
            account.sighting(clause, who, target, rooms[0] if rooms else None)
        if only and seen:
            seeing = after if by_subject else before
            told = rooms_of(account, seeing) if seeing is not None else []
            account.sighting(clause, who, None, told[0] if told else None, True)
    return True


def _pairs(account: Account, clause: Clause, rooms: list[str]) -> list[tuple[str, list[str]]]:
    """Companions, each with its rooms: "with X in A at 3, then with Y in B at 7"."""
    phrases = sorted((p for w, p in clause.beside if w in _WITH), key=lambda p: p.first)
    if len(phrases) < 2 or len(clause.places) < 2:
        return [(who, rooms) for phrase in phrases for who in phrase.who]
    found = []
    for number, phrase in enumerate(phrases):
        end = phrases[number + 1].first if number + 1 < len(phrases) else clause.rest[1]
        own = [room for p in clause.places if phrase.last < p.at < end and (room := account.room_of(p))]
        found += [(who, own or rooms) for who in phrase.who]
    return found


def _known(account: Account, clause: Clause, companions: list[str]) -> list[str]:
    """The room of "stayed with me" or "with the body", told before."""
    discourse = account.discourse
    if (
        clause.words & {"body", "corpse"}
        and clause.words & {"with", "over", "by", "beside", "near", "at", "on"}
        and clause.group.kind in ("is", "be")
    ):
        rooms = [room for room in list(discourse.bodies.values())[-1:] if room]
        return rooms
    if not companions or not clause.subject:
        return []
    if clause.link in ("while", "when") and discourse.room:
        return [discourse.room]
    if clause.before is not None and clause.before.subject == clause.subject and clause.before.places:
        return [room for who in clause.subject[:1] if (room := discourse.places.get(who))]
    return []


def _nobody(account: Account, clause: Clause, rooms: list[str]) -> None:
    voice = account.discourse.voice
    phrase = next((o for o in clause.objects if o.indefinite), None)
    indefinite = clause.indefinite or (phrase.indefinite if phrase else "")
    if indefinite == "nobody" or (indefinite == "anybody" and clause.negative):
        for room in or_none(rooms):
            account.sighting(clause, voice, None, room, True)


def _perceives(account: Account, clause: Clause, who: str, rooms: list[str]) -> bool:
    """Whether the speaker tells of what it saw: below "I saw that", or in the room where it says it was."""
    discourse = account.discourse
    above = clause.above
    if clause.small and above is not None:
        return bool(above.subject and discourse.voice in above.subject)
    if (
        above is not None
        and above.group.kind == "see"
        and clause.link in ("that", "how")
        and above.subject == (discourse.voice,)
    ):
        return True
    if account.witnessed:
        return True
    if account.source or clause.group.mood == MUST:
        return False
    if not clause.negative and seen_in_sentence(account, clause):
        return True
    after = account.after(clause)
    if (
        after is not None
        and after.link in ("when", "as")
        and after.subject == (discourse.voice,)
        and after.group.lemma in ARRIVING | {"look", "pass", "leave", "be", "go", "see", "start"}
        and not clause.negative
    ):
        return True
    place = discourse.places.get(discourse.voice)
    return (
        place is not None
        and place in rooms
        and clause.link not in TIME_LINKS
        and (clause.link == "where" or not any(p.room for p in clause.places))
    )
