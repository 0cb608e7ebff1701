"""Clauses of going: X went from A to B, I saw X leave A."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from quack_eval.claims.grammar.account import (
    ARRIVING,
    FROM,
    TOWARD,
    VIA,
    WHILE,
    Account,
    add_step,
    or_none,
    rooms_of,
    rooms_reached,
    seen_in_sentence,
)
from quack_eval.claims.grammar.chunks import players
from quack_eval.claims.grammar.lexicon import GERUND, TIME_LINKS
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.seeing import saw_one_another, tell_meeting, tell_seeing
from quack_eval.claims.grammar.verbs import MUST, TO
from quack_eval.claims.grammar.watched import seen_moving, seen_where
from quack_eval.claims.grammar.ways import (
    Way,
    all_in_order,
    crosses,
    each_its_own,
    one_or_the_other,
    way_of,
)
from quack_eval.claims.grammar.words import text_at
from quack_eval.claims.types import PLAYER

_STAYING = frozenset({"stay", "stick", "remain", "linger", "hang"})
_COMING = frozenset({"come", "arrive", "return", "enter"})
_WITH = ("with", "alongside")
_ARRIVED = frozenset({"get", "arrive", "pass", "make", "return"})
"""Verbs that tell where somebody was rather than that it went there."""
_MEETING = frozenset({"meet", "bump", "share", "run", "come", "cross"})


def tell_moving(account: Account, clause: Clause) -> None:
    """X went from A to B; I saw X leave A toward B."""
    if clause.group.passive and clause.group.kind == "leave" and not (clause.negative or clause.maybe):
        _were_left(account, clause)
    if clause.group.first in account.routed or (clause.group.passive and clause.group.lemma != "head"):
        return
    if _meets(clause):
        tell_meeting(account, clause)
    elif clause.group.lemma == "cross" and "paths" in clause.words:
        _crossed(account, clause)
    elif _passes_somebody(clause):
        clause.objects += [phrase for preposition, phrase in clause.beside if preposition == "past"]
        tell_seeing(account, clause)
    elif clause.group.kind == "leave" and any(phrase.who for phrase in clause.objects):
        _left_somebody(account, clause)
    elif clause.small and clause.above is not None:
        seen_moving(account, clause, clause.above, way_of(account, clause))
    elif clause.indefinite:
        _nobody_moved(account, clause, way_of(account, clause))
    else:
        _moved(account, clause, way_of(account, clause))


def _meets(clause: Clause) -> bool:
    """ran into X, came across X, crossed paths with X."""
    met = any(preposition in ("into", "across", "with") for preposition, _ in clause.beside)
    return met and clause.group.lemma in _MEETING and bool(clause.words & {"into", "across", "paths"})


def _left_somebody(account: Account, clause: Clause) -> None:
    """left X in R: seen there; that leaves X alone with Y in R: both were there."""
    left, beside = players(clause.objects), clause.players_after(*_WITH)
    if not clause.subject and not clause.negative:
        named = beside or len(clause.objects) == len(clause.places) == 1
        for room, who in product(rooms_of(account, clause) if named else (), (*left, *beside)):
            account.location(clause, who, room)
    if set(left) & set(clause.subject):
        return
    inside = account.rooms(place for place in clause.places if place.preposition in ("in", "at"))
    for seer, room, who in product(clause.subject, inside, (*left, *beside)):
        if seer == account.voice:
            account.sighting(clause, seer, who, room, clause.negative)
        elif not clause.negative:
            account.location(clause, who, room)


def _were_left(account: Account, clause: Clause) -> None:
    """X was left alone with Y in R: both were there."""
    companions = clause.players_after(*_WITH)
    for room, who in product(rooms_of(account, clause) if companions else (), (*clause.subject, *companions)):
        account.location(clause, who, room)


def _crossed(account: Account, clause: Clause) -> None:
    """A and B crossed paths: they met; never: neither saw the other."""
    if not clause.negative:
        clause.group.lemma = "meet"
        tell_seeing(account, clause)
        return
    saw_one_another(account, clause, or_none(rooms_of(account, clause)))


def _passes_somebody(clause: Clause) -> bool:
    passed = clause.group.lemma in ("pass", "cross") and not clause.words & {"through", "by"}
    past = bool(clause.players_after("past"))
    return past or (passed and any(phrase.who or phrase.indefinite for phrase in clause.objects))


def _nobody_moved(account: Account, clause: Clause, way: Way) -> None:
    """nobody came through R: nobody was seen there."""
    rooms = way.via + way.to + ([] if account.source else way.origin)
    if rooms and (clause.indefinite == "nobody" or clause.negative):
        for room in rooms:
            account.sighting(clause, account.teller, None, room, True)


def _moved(account: Account, clause: Clause, way: Way) -> None:
    """A movement told in a clause of its own."""
    way.origin = way.origin or _came_from(account, clause)
    for who in clause.subject:
        if clause.negative:
            _went_not(account, clause, who, way)
        elif len(way.origin) > 1 and (each := _each_from(account, clause)):
            for room, origin in each:
                account.activity(clause, who, "traveling", room, origin)
        else:
            if not _arrived_together(account, clause, who, way):
                _went(account, clause, who, replace(way))
            _went_with(account, clause, who, way)
    if not clause.negative and len(way.origin) < 2 and not one_or_the_other(account, clause):
        on = all_in_order(account, clause) or way.via + way.to + way.toward
        add_step(account, clause, way.origin + on if on and clause.group.kind != "leave" else on)


def _arrived_together(account: Account, clause: Clause, who: str, way: Way) -> bool:
    """Bob and I arrived in R: Bob was seen there."""
    voice, subject = account.voice, clause.subject
    if who == voice or voice not in subject or len(way.to) != 1 or way.origin or way.via or way.toward:
        return False
    account.sighting(clause, voice, who, way.to[0])
    return True


def _went_with(account: Account, clause: Clause, who: str, way: Way) -> None:
    """I went to R with X, X came into R with me: X was seen there; X went to R with Y: so did Y."""
    companions = clause.players_after(*_WITH)
    voice = account.teller
    if voice not in (who, *companions) or clause.maybe:
        known = account.discourse.places
        for other in companions if way.to and not (clause.maybe or way.origin) else ():
            if known.get(other) != way.to[-1]:
                account.location(clause, other, way.to[-1])
        return
    for other in companions if who == voice else [who]:
        for room in (way.to or way.via)[-1:]:
            account.sighting(clause, voice, other, room)


def _each_from(account: Account, clause: Clause) -> list[tuple[str, str]]:
    """The movements of "entered A from B at 4, then C from D at 7": where each led, and from where."""
    rooms = [(place.preposition in FROM, account.room_of(place)) for place in clause.places]
    pairs = list(zip(rooms[::2], rooms[1::2], strict=False))
    listed = len(rooms) % 2 == 0 and all(not to_from and of_from for (to_from, _), (of_from, _) in pairs)
    return [(room, origin) for (_, room), (_, origin) in pairs if room and origin] if listed else []


def _went(account: Account, clause: Clause, who: str, way: Way) -> None:
    """A movement told, not said to be seen."""
    if way.via and way.toward and not (way.to or way.origin):
        for passed in way.via:
            account.location(clause, who, passed)
        way.origin, way.via = way.via[-1:], []
    elif way.via and not way.to:
        _reach(way)
    if _came_to_where_seen(account, clause, who, way) or _followed(account, clause, who, way):
        return
    seen_at = _seen_arriving(account, clause, who, way)
    if seen_at is None and not (way.origin or way.via or way.ends) and (here := _walked_in(account, clause, who)):
        account.location(clause, who, here)
        return
    if seen_at is None and who != account.teller and _told_as_seen(account, clause):
        seen_at = seen_where(clause, way, None)
    if seen_at is not None:
        account.sighting(clause, account.teller, who, seen_at)
    arrives = seen_at is not None and way.to[:1] == [seen_at]
    _complete(account, clause, way, arrives)
    _tell_way(account, clause, who, way, arrives)


def _walked_in(account: Account, clause: Clause, who: str) -> str | None:
    """Where "X walked in" led: where X found the body, or the room that the sentence names before."""
    if clause.group.lemma not in ("walk", "come", "step", "burst") or "in" not in clause.words:
        return None
    tokens, voice = account.tokens, account.voice
    if who == voice or clause.group.mood == MUST or clause.places or text_at(tokens, clause.group.last + 1) != "in":
        return None
    named = [p for p in range(clause.group.first) if tokens[p].kind == "room"]
    led = tokens[named[-1] - 1].text if named and named[-1] else ""
    spoken = tokens[named[-1]].value if named and led not in FROM | TOWARD else None
    finders = account.discourse.finders
    return next((finders[one] for one in (who, *clause.subject) if one in finders), spoken)


def _reach(way: Way) -> None:
    """Lets "from A through B and C" end in C, and "from A through B toward C" where it was bound for."""
    if way.origin and way.toward:
        way.to = way.bound = way.toward[:1]
    else:
        way.to, way.via = way.via, []


def _came_to_where_seen(account: Account, clause: Clause, who: str, way: Way) -> bool:
    """saw X in R, he came from Q: the movement to where he was seen."""
    before = clause.before
    if not way.origin or way.ends or before is None or before.group.kind != "see":
        return False
    if who not in before.objects_of(account.sentence):
        return False
    rooms = [room for room in account.rooms(before.places) if room not in way.origin]
    if rooms:
        account.activity(clause, who, "traveling", rooms[0], way.origin[0], seen=True)
    return bool(rooms)


def _followed(account: Account, clause: Clause, who: str, way: Way) -> bool:
    """X followed Y from where they were to R: both went there, and whoever tells it of itself saw the other there."""
    led = [p for phrase in clause.objects for p in phrase.who if p != who]
    places = account.discourse.places
    origin = way.origin[:1] or [room for p in (who, *led) if (room := places.get(p)) and room not in way.ends][:1]
    if clause.group.lemma not in ("follow", "trail", "track", "tail", "chase") or not led or not way.ends or not origin:
        return False
    voice = account.teller
    for goes in (who, *led):
        if goes == voice != who:
            continue
        if way.via:
            account.route(clause, goes, [*origin, *way.via, way.ends[0]])
        else:
            account.activity(clause, goes, "traveling", way.ends[0], origin[0])
    if voice in led and way.to:
        account.sighting(clause, voice, who, way.to[0])
    return True


def _seen_arriving(account: Account, clause: Clause, who: str, way: Way) -> str | None:
    """The room where somebody came in to the speaker, or to whom it quotes."""
    here = account.discourse.places.get(account.teller)
    if here is None or who in (account.voice, account.source) or clause.link in ("before", "after"):
        return None
    if clause.group.mood == MUST or _only_concluded(account, clause):
        return None
    if way.to:
        arrives = clause.group.lemma in ARRIVING and (clause.group.lemma != "arrive" or bool(way.origin))
        return here if way.to[0] == here and arrives else None
    before = clause.before
    goes_on = clause.group.form == GERUND and before is not None and before.subject == clause.subject and before.places
    if way.toward or goes_on or not _comes_here(account, clause, here, way.origin):
        return None
    way.to = [here]
    return here


def _only_concluded(account: Account, clause: Clause) -> bool:
    """Whether an arrival is not told as seen: "that means X came in", "X is the one who came", "came after I left"."""
    above, after, voice = clause.above, account.after(clause), account.voice
    lead = account.words(clause.first - 3, clause.group.first)
    later = after is not None and after.link == "after" and after.subject == (voice,)
    later |= voice in clause.players_after("after")
    means = above is not None and above.group.lemma == "mean" and clause.before is above
    return later or means or clause.link == "who" or lead[:3] == ["by", "the", "time"]


def _comes_here(account: Account, clause: Clause, here: str, origin: list[str]) -> bool:
    """Whether "came in" means to where the teller is."""
    lemma, form = clause.group.lemma, clause.group.form
    if here in origin or clause.group.mood == MUST or form == "participle":
        return False
    if lemma not in ("come", "walk", "arrive", "step", "enter"):
        return False
    teller = (account.teller,)
    told_here = any(c.places and c.subject == teller for c in account.sentence.clauses if c is not clause)
    near = account.discourse.room in (here, *origin)
    comes_over = ((near or origin) and "in" in clause.words) or (near and "over" in clause.words)
    walks_in = comes_over and form != GERUND and clause.link not in TIME_LINKS
    return bool(walks_in or ((origin or "in" in clause.words or lemma == "enter") and told_here))


def _told_as_seen(account: Account, clause: Clause) -> bool:
    """Whether the speaker tells this as something it saw."""
    voice = account.voice
    above = clause.above
    to_me = voice in clause.players_after("to", "behind")
    after = account.after(clause)
    beside = after is not None and after.subject == (voice,) and after.group.kind == "is" and not after.negative
    to_me |= after is not None and beside and after.link in ("where", "while", "when", "as")
    listed = not account.source and clause.group.mood != MUST and seen_in_sentence(account, clause)
    saw_that = above is not None and above.group.kind == "see" and clause.link in ("how", "that")
    said = above is not None and above.group.kind == "say" and above.subject == (account.source,)
    if said and clause.link in ("", "that"):
        return False
    return account.witnessed or to_me or listed or (saw_that and above is not None and above.subject == (voice,))


def _complete(account: Account, clause: Clause, way: Way, arrives: bool) -> None:
    """Adds the end of a movement that the clause before tells."""
    before = clause.before
    if before is None:
        return
    same = before.subject == clause.subject
    of_no_player = before.group.form == GERUND and not before.subject and before.phrase is None
    if not way.origin and of_no_player and before.group.kind == "move":
        way.origin = account.rooms(p for p in before.places if p.preposition == "from")[:1]
    if way.origin and not way.ends and clause.group.form == GERUND and same:
        way.to = [room for room in account.rooms(before.places) if room not in way.origin][-1:]
    goes = before.group.kind == "leave" and same and (clause.link in ("and", "then", ",") or clause.group.mood == TO)
    if not way.origin and not arrives and clause.phrase is None and (clause.group.form == GERUND or goes):
        way.origin = _started(account, clause, way.ends)


def _came_from(account: Account, clause: Clause) -> list[str]:
    """Where a way began by the words before it: "I was coming from R, [went through S]"."""
    before = clause.before
    if (
        before is None
        or before.subject != clause.subject
        or before.negative
        or before.maybe
        or clause.phrase is not None
    ):
        return []
    comes = before.group.lemma == "come" and clause.link in (",", "and", "then") and bool(before.places)
    if not comes or any(place.preposition != "from" for place in before.places):
        return []
    return account.rooms(before.places)[-1:]


def _started(account: Account, clause: Clause, ends: list[str]) -> list[str]:
    """Where "heading to S" begins: in the room left or stayed in just before."""
    above = clause.above
    if above is None or above.subject != clause.subject or above.negative:
        return []
    passes = above.group.kind == "move" and bool(above.places) and all(p.preposition in VIA for p in above.places)
    if not passes and above.group.kind not in ("leave", "is", "be"):
        return []
    rooms = [room for room in account.rooms(above.places) if room not in ends]
    return rooms[:1]


def _tell_way(account: Account, clause: Clause, who: str, way: Way, arrives: bool) -> None:
    """The claim of a movement: a route, a movement from room to room, or where it led."""
    either = one_or_the_other(account, clause)
    if (way.via and way.to) or (len(way.to) > 1 and each_its_own(account, clause)):
        begin = way.origin[:1] or _stayed_before(account, clause, who, way)
        account.route(clause, who, begin + rooms_reached(account, clause) + way.bound)
    elif way.origin and way.ends:
        if len(way.to) > 1:
            account.route(clause, who, way.origin[:1] + way.to)
        else:
            for room in way.ends if either else way.ends[:1]:
                account.activity(clause, who, "traveling", room, way.origin[-1], seen=arrives)
    elif (len(way.to) > 1 and "then" in clause.words) or (way.to and way.toward) or crosses(clause, way.to):
        account.route(clause, who, _stayed_before(account, clause, who, way) + all_in_order(account, clause))
    elif way.to and not arrives and _sets_off(account, clause, who):
        account.activity(clause, who, "traveling", way.to[-1], account.discourse.places.get(who))
    elif len(way.to) == 1 and not arrives and (origin := _just_seen(account, clause, who)) not in (None, way.to[0]):
        account.activity(clause, who, "traveling", way.to[0], origin, seen=True)
    elif way.to and not arrives and (_repeats_way(account, clause, who, way) or _only_dates(account, clause, who)):
        account.discourse.places[who] = way.to[-1]
    elif way.to and not arrives:
        for room in way.to:
            account.location(clause, who, room)
    elif way.toward:
        known = account.discourse.places.get(who) if who != account.voice else None
        for room in way.toward if either else way.toward[:1]:
            account.activity(clause, who, "traveling", room, known if known != room else None)
    elif way.origin and (_comes(account, clause) or _others_leave(account, clause, who)):
        end = _untold_end(account, clause, who, way.origin[-1])
        if end is not None or clause.group.kind == "leave" or "out" in clause.words:
            account.activity(clause, who, "traveling", end, way.origin[-1])
    elif way.origin:
        account.discourse.room = way.origin[-1]


def _stayed_before(account: Account, clause: Clause, who: str, way: Way) -> list[str]:
    """Where a way of several rooms began by the words before it: "I did not stay there — I went to A and then to B"."""
    before = clause.before
    if before is None or before.subject != clause.subject or before.group.lemma not in _STAYING or way.origin:
        return []
    here = account.discourse.places.get(who)
    return [here] if here is not None and here not in way.ends[:1] and not any(p.room for p in before.places) else []


def _just_seen(account: Account, clause: Clause, who: str) -> str | None:
    """Where another was seen in the words right before: "I saw X in Q at 4, then she moved to R"."""
    if who in (account.voice, account.source) or clause.link not in ("then", "and", "before", ","):
        return None
    told = [c for c in account.claims if c.type == "sighting" and c.target == who and c.of == PLAYER and not c.negative]
    return told[-1].room if told and not any(p.preposition in VIA for p in clause.places) else None


def _comes(account: Account, clause: Clause) -> bool:
    """Whether a movement leads to where its teller is or was: came, returned, "walked in from R"."""
    walks_in = account.tokens[clause.rest[0] : clause.rest[0] + 1]
    return clause.group.lemma in _COMING or (
        clause.group.lemma in ("walk", "step", "run") and bool(walks_in) and walks_in[0].text == "in"
    )


def _untold_end(account: Account, clause: Clause, who: str, origin: str) -> str | None:
    """Where "entered from Q" and "came from Q" led to, if known: the room spoken of, or that of the teller."""
    discourse = account.discourse
    if clause.link in ("since", "because") and who == discourse.voice:
        end = None  # a reason that repeats what was told
    elif clause.group.lemma == "enter":
        end = discourse.room
    elif _comes(account, clause) and clause.link in WHILE and who != discourse.voice:
        end = discourse.places.get(discourse.voice)
    elif _comes(account, clause):
        end = discourse.places.get(who) or (discourse.room if who == discourse.voice else None)
        end = end if who == discourse.voice or end == discourse.room else None
    else:
        end = None
    if end is None and who != discourse.voice and _comes(account, clause):
        end = next(reversed(discourse.bodies.values()), None)  # "Bob came from Q right as it was found"
    return end if end != origin else None


def _others_leave(account: Account, clause: Clause, who: str) -> bool:
    """Whether another's departure is told for itself: "Bob left R", "Bob walking out of R", not "after Bob left"."""
    walks_out = clause.group.form == GERUND and clause.words >= {"out", "of"}
    departs = clause.group.kind == "leave" or walks_out
    return departs and clause.link not in TIME_LINKS and who != account.voice


def _repeats_way(account: Account, clause: Clause, who: str, way: Way) -> bool:
    """Whether "then I continued to R" only goes on along a way told before, with no event in R."""
    goes_on = clause.group.lemma in ("continue", "proceed") and not clause.times and len(way.to) == 1
    after = account.after(clause)
    known = goes_on and any(way.to[0] in told for told in account.discourse.gone.get(who, ()))
    has_event = after is not None and (after.subject == clause.subject or after.link in ("where", *WHILE))
    return known and not (has_event or clause.beside)


def _only_dates(account: Account, clause: Clause, who: str) -> bool:
    """Whether a movement of the speaker only dates something: "after I went to R"."""
    return clause.link == "after" and who == account.voice


def _sets_off(account: Account, clause: Clause, who: str) -> bool:
    """Whether a movement leaves a place known or untold: "left to R", "fled to R", "was there before heading to R"."""
    if clause.group.kind == "leave" or _leaving(clause) or _flees(account, clause, who):
        return True
    passes = bool(clause.places) and all(place.preposition in VIA for place in clause.places)
    if clause.link not in ("before", "after") or clause.group.lemma in _ARRIVED or passes:
        return False
    if who != account.voice:
        return True
    stayed = any(c.subject == clause.subject and c.group.kind in ("is", "be") for c in _clauses_before(account, clause))
    return clause.link == "before" and (clause.group.form == GERUND or stayed)


def _clauses_before(account: Account, clause: Clause) -> list[Clause]:
    """The clauses of the sentence before one of them."""
    return [other for other in account.sentence.clauses if other.group.first < clause.group.first]


def _leaving(clause: Clause) -> bool:
    """Whether "heading to R" goes on "I left"."""
    before = clause.before
    goes_on = clause.group.form == GERUND or clause.group.mood == TO
    return before is not None and before.group.kind == "leave" and goes_on and before.subject == clause.subject


def _flees(account: Account, clause: Clause, who: str) -> bool:
    """Whether a movement leaves a place that is not told: "killed Bob and fled to R", "Bob headed to R"."""
    heading = clause.group.first < clause.group.last and account.tokens[clause.group.first].text == "was"
    if clause.group.lemma == "head" and (heading or who != account.voice):
        return not any(place.preposition in VIA for place in clause.places)
    before = clause.before
    while before is not None and before.link in TIME_LINKS:
        before = before.before
    killed = before is not None and before.group.kind == "kill" and before.subject == clause.subject
    return clause.group.lemma in ("flee", "bolt", "retreat", "escape") or (killed and not clause.phrase)


def _went_not(account: Account, clause: Clause, who: str, way: Way) -> None:
    """A movement denied: not there; who did not leave a room was in it."""
    if way.origin and way.ends:
        account.activity(clause, who, "traveling", (way.to + way.via + way.toward)[0], way.origin[0], negative=True)
    elif clause.group.lemma in ("follow", "chase", "trail") and way.ends:
        account.activity(clause, who, "traveling", way.ends[0], negative=True)  # "didn't follow him into R"
    elif clause.group.kind == "leave" and way.origin:
        account.location(clause, who, way.origin[0])
        account.activity(clause, who, "traveling", None, way.origin[0], negative=True)
    elif clause.group.lemma not in ("stop", "double"):  # "didn't stop there long", "didn't double back to R"
        for room in way.via + way.ends:
            account.location(clause, who, room, negative=True)
