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
    seen_in_sentence,
)
from quack_eval.claims.grammar.bodies import tell_body
from quack_eval.claims.grammar.chunks import MUST
from quack_eval.claims.grammar.clauses import Clause
from quack_eval.claims.grammar.lexicon import TIME_LINKS

_WITH = ("with", "alongside", "beside")


def tell_being(account: Account, clause: Clause) -> None:
    """X was in R; X was with me in R; X and I were together in R."""
    if _lies_dead(account, clause):
        tell_body(account, clause)
        return
    rooms = rooms_of(account, clause)
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


def _lies_dead(account: Account, clause: Clause) -> bool:
    dead = bool(clause.words & {"dead"} and clause.places)
    return clause.noun == "body" or dead or (existential(account, clause) and "body" in clause.words)


def _keeps_away(clause: Clause) -> bool:
    """kept away from R, stayed clear of R, stayed out of R."""
    keeps = clause.group.lemma in ("stay", "keep", "steer", "remain") and clause.words & {"away", "clear", "out"}
    return bool(keeps) and any(place.preposition in ("from", "of") for place in clause.places)


def _on_a_task(clause: Clause) -> bool:
    """was on tasks, was on the scan."""
    is_on = clause.group.kind == "is" and "on" in clause.words and not clause.negative
    return is_on and bool(clause.words & {"task", "tasks", "wiring", "scan"})


def _asserts(account: Account, clause: Clause) -> bool:
    """Whether the clause places its subject somewhere at all."""
    tokens = account.sentence.tokens
    inside = {t.text for t in tokens[clause.group.first : clause.group.last + 2]}
    only = clause.group.negative and bool(inside & {"just", "only"})
    left = clause.group.negative and clause.group.lemma in ("stay", "remain", "linger")
    watched = account.witnessed and clause.subject == (account.discourse.voice,)
    nowhere = watched and not any(place.room for place in clause.places)
    return not (only or left or nowhere or clause.group.passive or clause.noun == "route")


def _stood(account: Account, clause: Clause, subject: tuple[str, ...], rooms: list[str]) -> None:
    """Where the subject was, and with whom."""
    voice = account.discourse.voice
    companions = [p for word, phrase in clause.beside if word in _WITH for p in phrase.who]
    rooms = rooms or _known(account, clause, companions)
    if voice in subject and companions and not clause.negative:
        account.discourse.with_me = tuple(companions)
    if voice in companions:
        for who in subject:
            for room in or_none(rooms):
                account.sighting(clause, voice, who, room, clause.negative)
        return
    bare = [p.preposition for p in clause.places[:2]] == ["", "to"]
    for who in subject:
        if bare and len(rooms) > 1:
            account.route(clause, who, rooms)
        else:
            _stood_in(account, clause, who, rooms)
    now = account.sentence.tokens[clause.group.first].text in ("'m", "am", "is", "are", "'re")
    for who in subject:
        for companion, with_rooms in _pairs(account, clause, rooms):
            if not with_rooms and (clause.negative or now):
                continue
            for room in or_none(with_rooms):
                account.sighting(clause, who, companion, room, clause.negative)
    add_step(account, clause, rooms)


def _stood_in(account: Account, clause: Clause, who: str, rooms: list[str]) -> None:
    """Somebody's rooms: a sighting where the speaker tells of what it saw, else a location."""
    voice = account.discourse.voice
    together = len(clause.subject or ()) > 1 and voice in (clause.subject or ())
    seen = who != voice and not clause.negative and (together or _perceives(account, clause, who, rooms))
    for room in rooms:
        told = [c for c in account.claims if c.type == "sighting" and (c.target, c.room) == (who, room)]
        if seen and (together or all(c.negative for c in told)):
            account.sighting(clause, voice, who, room)
        else:
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
        rooms = rooms or rooms_of(account, before)
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
        and (
            clause.link == "where"
            or not any(p.room for p in clause.places)
            or bool(clause.words & {"too", "already", "also"})
        )
    )
