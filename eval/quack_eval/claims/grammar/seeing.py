"""Clauses of seeing: I saw X in R, X and I met, I saw nobody."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations, product

from quack_eval.claims.grammar.account import (
    VIA,
    Account,
    or_none,
    rooms_above,
    rooms_going_on,
    rooms_of,
    rooms_when,
    until,
)
from quack_eval.claims.grammar.bodies import sees_body
from quack_eval.claims.grammar.chunks import Persons, players
from quack_eval.claims.grammar.lexicon import CONNECTIVES, GERUND, PARTICIPLE, PREPOSITIONS, TIME_LINKS
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.verbs import MUST
from quack_eval.claims.grammar.words import text_at

_APART = frozenset({"from", "toward", "towards", "before", "after", "between"})
"""What stands before a room in which somebody was not seen: "saw nobody before R", "between R and S"."""
_CAUGHT_AT = frozenset({"red", "lying", "up", "off", "out", "on", "lie", "lies"})


def tell_seeing(account: Account, clause: Clause) -> None:
    """I saw X in R; X and I met in R; saw nobody; saw X's body."""
    seers, group = clause.subject, clause.group
    if _not_recalled(clause):
        clause.negative = True
    if group.mood == MUST or (group.lemma == "catch" and (not clause.places or clause.words & _CAUGHT_AT)):
        return  # "had to have crossed paths", "was caught lying"
    if group.passive:
        _seen_by(account, clause)
    elif not seers and group.form == PARTICIPLE and _the_last(account, clause):
        return
    elif group.lemma in ("meet", "overlap") and not clause.objects and len(seers) > 1:
        _met(account, clause, seers)
    elif clause.indefinite == "nobody":
        met = group.lemma == "meet" and account.voice in players(clause.objects)
        for room in or_none(rooms_of(account, clause)) if met else ():
            account.sighting(clause, account.voice, None, room, True)
    elif sees_body(account, clause):
        return
    elif len(seers) > 1 and _one_another(account, clause):
        saw_one_another(account, clause, or_none(rooms_of(account, clause) or _stood_together(account, clause)))
    else:
        _saw_each(account, clause)


def _not_recalled(clause: Clause) -> bool:
    """Whether a gerund is what somebody does not remember: "I don't recall seeing Bob"."""
    told = clause.before
    recalls = told is not None and told.negative and told.group.lemma in ("recall", "remember")
    return clause.group.form == GERUND and recalls


def _saw_each(account: Account, clause: Clause) -> None:
    """Everybody whom a clause names was seen, or was not."""
    if not clause.objects and (fronted := _put_before(account, clause)) is not None:
        clause.objects = [fronted]
    for phrase, rooms, time in _segments(account, clause):
        if clause.link in TIME_LINKS and not rooms and not (clause.negative and clause.link in ("since", "as")):
            continue
        seen: tuple[str | None, ...] = phrase.who or ((None,) if phrase.indefinite else ())
        for seer, whom in product(clause.subject, seen):
            _saw(account, clause, seer, whom, phrase, rooms, time)
    _seen_beside(account, clause, clause.subject)
    stood_where_seen(account, clause, rooms_of(account, clause))


def saw_one_another(account: Account, clause: Clause, rooms: Iterable[str | None]) -> None:
    """Each of those of whom a clause is said saw the others in the rooms, or did not."""
    for (one, other), room in product(permutations(clause.subject, 2), rooms):
        account.sighting(clause, one, other, room, clause.negative)


def _stood_together(account: Account, clause: Clause) -> list[str]:
    """The rooms of "A and B were in R, but never saw each other"."""
    above = clause.above
    if above is None or above.subject != clause.subject or clause.link not in ("", "and", "but", ","):
        return []
    return rooms_of(account, above) if above.group.kind in ("is", "be", "move", "enter") else []


def _the_last(account: Account, clause: Clause) -> bool:
    """X was the last person seen with Y in R: both were there."""
    before = clause.before
    one = {token.text for token in account.tokens[: clause.group.first]} & {
        "person",
        "people",
        "one",
        "player",
    }
    if before is None or before.group.kind != "is" or not before.subject or before.negative or not one:
        return False
    for room in rooms_of(account, clause):
        for who in [*before.subject, *clause.players_after("with")]:
            account.location(clause, who, room)
    return True


def _one_another(account: Account, clause: Clause) -> bool:
    """Whether those who saw are whom they saw: "saw each other", "neither saw the other"."""
    if clause.words >= {"each", "other"}:
        return True
    words = account.tokens[clause.group.last + 1 : clause.group.last + 4]
    other = [token.text for token in words[:2]] == ["the", "other"]
    return other and (
        len(words) < 3 or words[2].kind in ("mark", "time") or words[2].text in PREPOSITIONS | CONNECTIVES
    )


def _put_before(account: Account, clause: Clause) -> Persons | None:
    """Whom "Eve I only saw in R" puts before who saw it."""
    if clause.phrase is None or clause.phrase.first == 0 or clause.link in ("who", "that", "which"):
        return None
    tokens = account.tokens
    whom = account.sentence.by_token.get(clause.phrase.first - 1)
    if whom is None or whom.owner or whom.called or not whom.who:
        return None
    opens = whom.first == 0 or text_at(tokens, whom.first - 1) in ("and", "but", ",", "—", ";", ":", "while")
    return whom if opens and all(clause.before is None or o is not whom for o in _objects(clause.before)) else None


def _objects(clause: Clause | None) -> list[Persons]:
    """The players who are the objects of a clause."""
    return [*clause.objects, *(phrase for _, phrase in clause.beside)] if clause is not None else []


def stood_where_seen(account: Account, clause: Clause, rooms: list[str]) -> None:
    """saw X in R when I passed through: the teller was in R."""
    after = account.after(clause)
    voice = account.voice
    if after is None or after.subject != (voice,) or after.link not in ("when", "while", "as"):
        return
    if any(place.preposition in VIA for place in after.places):
        return
    if after.group.lemma in ("pass", "go", "come", "walk", "cut", "run") and "through" in after.words:
        for room in rooms:
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
    if clause.group.lemma == "join" and target == account.voice:
        seer, target = target, seer
    negative = clause.negative
    if phrase.indefinite == "nobody" or text_at(account.tokens, phrase.first - 1) in ("no", "neither"):
        negative = True
    if negative and target is not None and until(account, clause):
        return
    if negative and target is not None and (_only_one(account, clause, phrase) or just_one(account, phrase)):
        negative = False
    met = clause.group.lemma == "meet" and not negative and target is not None
    if negative and target is not None and any(token.text.startswith("since") for token in clause.times):
        for last_seen in rooms:  # "I haven't seen X since tick 6 in R"
            account.sighting(clause, seer, target, last_seen, time=time)
        rooms = []
    rooms = rooms or ([] if "again" in clause.words else _spoken_of(account, target, negative))
    for room in or_none(rooms):
        if met and room is not None and seer == account.voice:
            account.location(clause, seer, room)
        account.sighting(clause, seer, target, room, negative, time=time)
        if clause.link == "where" and target == account.voice and room is not None and not negative:
            account.location(clause, target, room)  # "to R, where Bob saw me"


def _spoken_of(account: Account, target: str | None, negative: bool) -> list[str]:
    """The room just spoken of, where whoever was seen was said to be: "Eve came into R. We saw her"."""
    discourse = account.discourse
    if negative or target is None or discourse.room is None or discourse.places.get(target) != discourse.room:
        return []
    return [discourse.room]


def _only_one(account: Account, clause: Clause, phrase: Persons) -> bool:
    """Whether "only" takes somebody out of those not seen: "didn't see Eve, only Bob in R", "no body, just Bob"."""
    words = [token.text for token in account.tokens[clause.rest[0] : phrase.first]]
    return ("only" in words or "just" in words) and any(
        phrase.last < other.first or other.last < phrase.first for other in clause.objects
    )


def just_one(account: Account, phrase: Persons) -> bool:
    """Whether who was seen is the exception: "didn't see a body, just Bob going by"."""
    lead = account.words(phrase.first - 2, phrase.first)
    return lead[-1:] in (["just"], ["only"]) and lead[0] in (",", "—", "-", "but", ";")


def _segments(account: Account, clause: Clause) -> list[tuple[Persons, list[str], str | None]]:
    """What was seen, each with the rooms and the time that stand with it: "Bob in A at 5, Eve in B at 7"."""
    found: list[tuple[Persons, list[str], str | None]] = []
    there = account.where(clause) if clause.link == "where" else None
    objects = sorted(clause.objects, key=lambda o: o.first)
    times = sorted((t for t in clause.times), key=lambda t: t.start)
    tokens, named = account.tokens, account.sentence.by_token
    for number, phrase in enumerate(objects):
        begin = phrase.last if number else clause.rest[0] - 1
        end = objects[number + 1].first if number + 1 < len(objects) else clause.rest[1]
        places = [p for p in clause.places if begin <= p.at < end and p.preposition not in _APART | {"to"}]
        rooms = account.rooms(places)
        last = objects[-1].first
        joined = {
            token.text for p, token in enumerate(tokens[phrase.last + 1 : last], phrase.last + 1) if p not in named
        }
        if not places and number + 1 < len(objects) and joined <= {",", "or", "and", "nor"}:
            rooms = account.rooms(p for p in clause.places if p.at > last)
        inside = [t for t in times if tokens[begin].start <= t.start < tokens[end - 1].end]
        time = account.message[inside[0].start : inside[0].end] if inside and len(objects) > 1 else None
        found.append((phrase, [there] if there is not None else rooms, time))
    common = rooms_of(account, clause, _APART) if len(objects) == 1 or not clause.places else []
    if not common and clause.link in ("and", ",", "then", "but") and clause.above is not None:
        common = rooms_above(account, clause)
    common = common or rooms_when(account, clause) or _both_rooms(account, clause)
    stood = [] if common else _where_it_stood(account, clause)
    common = common or _where_others_were(account, clause)
    stood = stood or ([] if common else rooms_going_on(account, clause))
    alone = [phrase for phrase, _, _ in found if not clause.negative or _only_one(account, clause, phrase)]
    return [
        (phrase, rooms or common or (stood if phrase.who and phrase in alone else []), time)
        for phrase, rooms, time in found
    ]


def _both_rooms(account: Account, clause: Clause) -> list[str]:
    """The rooms of "he was in A and B, but I never saw him in either place"."""
    if not clause.words & {"either", "those", "both"} or not clause.words & {"place", "places", "room", "rooms"}:
        return []
    named = [token.value for token in account.tokens[: clause.group.first] if token.kind == "room"]
    return list(dict.fromkeys(named))[-2:]


def _where_others_were(account: Account, clause: Clause) -> list[str]:
    """The room of "saw nobody else with X": where X was said to be."""
    nobody = any(phrase.indefinite for phrase in clause.objects)
    beside = clause.players_after("with", "near", "around")
    known = [room for p in beside if (room := account.discourse.places.get(p)) is not None]
    return known[:1] if nobody else []


def _where_it_stood(account: Account, clause: Clause) -> list[str]:
    """The room of "X was in R. X saw Y": where another seer was said to be right before."""
    seers = clause.subject
    here = account.discourse.places.get(seers[0]) if len(seers) == 1 else None
    quoted = seers != (account.voice,) and not clause.negative
    return [here] if quoted and here is not None and here == account.discourse.room else []


def _seen_by(account: Account, clause: Clause) -> None:
    """X was seen by me in R."""
    after = account.after(clause)
    if after is not None and after.small:
        return
    beside = clause.beside + _by_whom(account, clause)
    if clause.group.lemma == "see" and not clause.negative and all(word != "by" for word, _ in beside):
        _was_seen(account, clause)
    for preposition, phrase in beside:
        if preposition == "by":
            for seer in phrase.who:
                for who in clause.subject:
                    for room in or_none(rooms_of(account, clause)):
                        account.sighting(clause, seer, who, room, clause.negative)


def _by_whom(account: Account, clause: Clause) -> list[tuple[str, Persons]]:
    """Who saw, where the next verb follows at once: "Eve being seen in R by Bob makes it unlikely"."""
    tokens, end = account.tokens, clause.rest[1]
    seer = account.sentence.by_token.get(end + 1)
    return [("by", seer)] if seer is not None and tokens[end].text == "by" else []


def _was_seen(account: Account, clause: Clause) -> None:
    """X was (last) seen in R, with Y: nobody says by whom, so that both were there."""
    for who in clause.subject:
        for room in rooms_of(account, clause):
            account.location(clause, who, room)
            for other in clause.players_after("with"):
                account.location(clause, other, room)


def tell_meeting(account: Account, clause: Clause) -> None:
    """I ran into X in R: the own location and the sighting."""
    rooms = rooms_of(account, clause)
    for seer in clause.subject:
        for phrase in [*clause.objects, *(phrase for _, phrase in clause.beside)]:
            for target in phrase.who or ((None,) if phrase.indefinite else ()):
                negative = clause.negative or phrase.indefinite == "nobody"
                for room in or_none(rooms):
                    if room and not negative and seer == account.voice:
                        account.location(clause, seer, room)
                    account.sighting(clause, seer, target, room, negative)


def tell_together(account: Account, clause: Clause) -> None:
    """A and B confirm each other in R, alibi each other in R, line up around R: both were there."""
    clause.places = [place for place in clause.places if place.preposition != "on"]  # "on the medbay timeline"
    if not clause.negative:
        _met(account, clause, clause.subject)


def _here(account: Account, clause: Clause) -> list[str]:
    """The room of "I was in R, and we met": where the sentence has the teller."""
    voice, above = account.voice, clause.above
    here = account.discourse.places.get(voice)
    told = above is not None and above.subject == (voice,) and bool(above.places)
    return [here] if told and here is not None else []


def _met(account: Account, clause: Clause, who: tuple[str, ...]) -> None:
    """X and I met in R; A and B met in R."""
    voice = account.voice
    crossed = clause.group.lemma == "meet" and voice in who
    for room in rooms_of(account, clause) or (_here(account, clause) if crossed else []):
        if voice in who:
            account.location(clause, voice, room)
            for other in who:
                account.sighting(clause, voice, other, room)
        else:
            for other in who:
                account.location(clause, other, room)
