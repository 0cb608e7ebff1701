"""Clauses of seeing: I saw X in R, X and I met, I saw nobody."""

from __future__ import annotations

from quack_eval.claims.grammar.account import Account, or_none, rooms_above, rooms_of, rooms_when
from quack_eval.claims.grammar.bodies import sees_body
from quack_eval.claims.grammar.chunks import Persons
from quack_eval.claims.grammar.clauses import Clause
from quack_eval.claims.grammar.lexicon import GERUND, TIME_LINKS

_CAUGHT_AT = frozenset({"red", "lying", "up", "off", "out", "on", "lie", "lies"})


def tell_seeing(account: Account, clause: Clause) -> None:
    """I saw X in R; X and I met in R; saw nobody; saw X's body."""
    discourse = account.discourse
    seers = clause.subject or ()
    told = clause.before
    if (
        clause.group.form == GERUND
        and told is not None
        and told.negative
        and told.group.lemma in ("recall", "remember")
    ):
        clause.negative = True
    if clause.group.lemma == "catch" and (not clause.places or clause.words & _CAUGHT_AT):
        return
    if clause.group.passive:
        _seen_by(account, clause)
        return
    if clause.group.lemma in ("meet", "overlap") and not clause.objects and len(seers) > 1:
        _met(account, clause, seers)
        return
    if clause.indefinite == "nobody":
        for room in or_none(rooms_of(account, clause)) if any(discourse.voice in o.who for o in clause.objects) else ():
            account.sighting(clause, discourse.voice, None, room, True)
        return
    if sees_body(account, clause):
        return
    if "each" in clause.words and "other" in clause.words and len(seers) > 1:
        for one in seers:
            for other in seers:
                for room in or_none(rooms_of(account, clause)):
                    account.sighting(clause, one, other, room, clause.negative)
        return
    for phrase, rooms, time in _segments(account, clause):
        if clause.link in TIME_LINKS and not rooms:
            continue
        seen: tuple[str | None, ...] = phrase.who or ((None,) if phrase.indefinite else ())
        for seer in seers:
            for whom in seen:
                _saw(account, clause, seer, whom, phrase, rooms, time)
    _seen_beside(account, clause, seers)
    _stood_where_seen(account, clause)


def _stood_where_seen(account: Account, clause: Clause) -> None:
    """saw X in R when I passed through: the teller was in R."""
    after = account.after(clause)
    voice = account.discourse.voice
    if after is None or after.subject != (voice,) or after.link not in ("when", "while", "as") or after.places:
        return
    if after.group.lemma in ("pass", "go", "come", "walk", "cut", "run") and "through" in after.words:
        for room in rooms_of(account, clause):
            account.location(clause, voice, room)


def _seen_beside(account: Account, clause: Clause, seers: tuple[str, ...]) -> None:
    """saw X with Y in R: both were seen."""
    if clause.negative or not clause.objects:
        return
    for preposition, phrase in clause.beside:
        if preposition in ("with", "alongside"):
            for seer in seers:
                for other in phrase.who:
                    for room in or_none(rooms_of(account, clause)):
                        account.sighting(clause, seer, other, room)


def _saw(
    account: Account, clause: Clause, seer: str, target: str | None, phrase: Persons, rooms: list[str], time: str | None
) -> None:
    """One sighting, or its denial."""
    if clause.group.lemma == "join" and target == account.discourse.voice:
        seer, target = target, seer
    negative = clause.negative
    if phrase.indefinite == "nobody":
        negative = True
    elif phrase.indefinite == "anybody" and not negative:
        return
    if negative and target is not None and _until(account, clause):
        return
    met = clause.group.lemma == "meet" and not negative and target is not None
    for room in or_none(rooms):
        if met and room is not None and seer == account.discourse.voice:
            account.location(clause, seer, room)
        account.sighting(clause, seer, target, room, negative, time=time)


def _until(account: Account, clause: Clause) -> bool:
    """Whether somebody was not seen only until something: then seen."""
    after = account.after(clause)
    return any(t.text.startswith("until") for t in clause.times) or (after is not None and after.link == "until")


def _segments(account: Account, clause: Clause) -> list[tuple[Persons, list[str], str | None]]:
    """What was seen, each with the rooms and the time that stand with it: "Bob in A at 5, Eve in B at 7"."""
    found: list[tuple[Persons, list[str], str | None]] = []
    objects = sorted(clause.objects, key=lambda o: o.first)
    times = sorted((t for t in clause.times), key=lambda t: t.start)
    tokens = account.sentence.tokens
    for number, phrase in enumerate(objects):
        begin = phrase.last if number else clause.rest[0] - 1
        end = objects[number + 1].first if number + 1 < len(objects) else clause.rest[1]
        places = [
            p for p in clause.places if begin <= p.at < end and p.preposition not in ("from", "toward", "towards", "to")
        ]
        rooms = [room for p in places if (room := account.room_of(p))]
        inside = [t for t in times if tokens[begin].start <= t.start < tokens[end - 1].end]
        time = account.message[inside[0].start : inside[0].end] if inside and len(objects) > 1 else None
        found.append((phrase, rooms, time))
    common = rooms_of(account, clause) if len(objects) == 1 or not clause.places else []
    if not common and clause.link in ("and", ",", "then", "but") and clause.above is not None:
        common = rooms_above(account, clause)
    common = common or rooms_when(account, clause)
    stood = [] if common else _where_it_stood(account, clause)
    return [(phrase, rooms or common or (stood if phrase.who else []), time) for phrase, rooms, time in found]


def _where_it_stood(account: Account, clause: Clause) -> list[str]:
    """The room of "X was in R. X saw Y": where another seer was said to be right before."""
    seers = clause.subject or ()
    here = account.discourse.places.get(seers[0]) if len(seers) == 1 else None
    quoted = seers != (account.discourse.voice,) and not clause.negative
    return [here] if quoted and here is not None and here == account.discourse.room else []


def _seen_by(account: Account, clause: Clause) -> None:
    """X was seen by me in R."""
    after = account.after(clause)
    if after is not None and after.small:
        return
    if clause.group.lemma == "see" and not clause.negative and all(word != "by" for word, _ in clause.beside):
        _was_seen(account, clause)
    for preposition, phrase in clause.beside:
        if preposition == "by":
            for seer in phrase.who:
                for who in clause.subject or ():
                    for room in or_none(rooms_of(account, clause)):
                        account.sighting(clause, seer, who, room, clause.negative)


def _was_seen(account: Account, clause: Clause) -> None:
    """X was (last) seen in R, with Y: nobody says by whom, so that X was there."""
    for who in clause.subject or ():
        for room in rooms_of(account, clause):
            account.location(clause, who, room)
            for other in [p for word, phrase in clause.beside if word == "with" for p in phrase.who]:
                account.sighting(clause, who, other, room)


def tell_meeting(account: Account, clause: Clause) -> None:
    """I ran into X in R: the own location and the sighting."""
    rooms = rooms_of(account, clause)
    for seer in clause.subject or ():
        for phrase in [*clause.objects, *(phrase for _, phrase in clause.beside)]:
            for target in phrase.who or ((None,) if phrase.indefinite else ()):
                negative = clause.negative or phrase.indefinite == "nobody"
                for room in or_none(rooms):
                    if room and not negative and seer == account.discourse.voice:
                        account.location(clause, seer, room)
                    account.sighting(clause, seer, target, room, negative)


def _met(account: Account, clause: Clause, who: tuple[str, ...]) -> None:
    """X and I met in R; A and B met in R."""
    voice = account.discourse.voice
    for room in rooms_of(account, clause):
        if voice in who:
            account.location(clause, voice, room)
            for other in who:
                account.sighting(clause, voice, other, room)
        else:
            for other in who:
                account.location(clause, other, room)
