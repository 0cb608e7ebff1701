"""Clauses of going: X went from A to B, I saw X leave A, and ways told in several clauses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from quack_eval.claims.grammar.account import (
    ARRIVING,
    FROM,
    INTO,
    TOWARD,
    VIA,
    Account,
    Step,
    add_step,
    first_of,
    or_none,
    rooms_of,
    seen_in_sentence,
)
from quack_eval.claims.grammar.chunks import MUST, TO
from quack_eval.claims.grammar.clauses import Clause
from quack_eval.claims.grammar.lexicon import GERUND, TIME_LINKS
from quack_eval.claims.grammar.seeing import tell_meeting, tell_seeing
from quack_eval.claims.types import PLAYER, POSITIVE, Claim

_GOING = ("move", "enter", "leave")
_ROUND = re.compile(r"(?:for |during |in )?(?:this|the|all|that)?\s*(?:whole|entire|full)?\s*(?:round|game|time|way)")
_COMING = frozenset({"come", "arrive", "return", "enter"})
_MEETING = frozenset({"meet", "bump", "share", "run", "come", "cross"})


@dataclass(slots=True)
class Way:
    """The rooms of a movement: where it began, what it passed, where it ended, and only headed for."""

    origin: list[str] = field(default_factory=list)
    via: list[str] = field(default_factory=list)
    to: list[str] = field(default_factory=list)
    toward: list[str] = field(default_factory=list)

    @property
    def ends(self) -> list[str]:
        """Where it led, reached or not."""
        return self.to + self.toward


def tell_moving(account: Account, clause: Clause) -> None:
    """X went from A to B; I saw X leave A toward B."""
    if clause.group.first in account.routed or (clause.group.passive and clause.group.lemma not in ("head", "head_to")):
        return
    if _meets(clause):
        tell_meeting(account, clause)
    elif clause.group.lemma == "cross" and "paths" in clause.words:
        _crossed(account, clause)
    elif _passes_somebody(clause):
        tell_seeing(account, clause)
    elif clause.group.kind == "leave" and any(phrase.who for phrase in clause.objects):
        _left_somebody(account, clause)
    elif clause.small and clause.above is not None:
        _seen_moving(account, clause, _way(account, clause))
    elif clause.indefinite:
        _nobody_moved(account, clause, _way(account, clause))
    else:
        _moved(account, clause, _way(account, clause))


def _meets(clause: Clause) -> bool:
    """ran into X, came across X, crossed paths with X."""
    met = any(preposition in ("into", "across", "with") for preposition, _ in clause.beside)
    return met and clause.group.lemma in _MEETING and bool(clause.words & {"into", "across", "paths"})


def _left_somebody(account: Account, clause: Clause) -> None:
    """left X in R: seen there."""
    for seer in clause.subject or ():
        for target in [p for phrase in clause.objects for p in phrase.who]:
            for room in [room for p in clause.places if p.preposition in ("in", "at") and (room := account.room_of(p))]:
                account.sighting(clause, seer, target, room, clause.negative)


def _crossed(account: Account, clause: Clause) -> None:
    """A and B crossed paths: they met; never: neither saw the other."""
    if not clause.negative:
        clause.group.lemma = "meet"
        tell_seeing(account, clause)
        return
    for one in clause.subject or ():
        for other in clause.subject or ():
            for room in or_none(rooms_of(account, clause)):
                account.sighting(clause, one, other, room, True)


def _passes_somebody(clause: Clause) -> bool:
    passed = clause.group.lemma == "pass" and not clause.words & {"through", "by"}
    return passed and any(phrase.who for phrase in clause.objects)


def _nobody_moved(account: Account, clause: Clause, way: Way) -> None:
    """nobody came through R: nobody was seen there."""
    rooms = way.via + way.to + way.origin
    if rooms and not account.source and (clause.indefinite == "nobody" or clause.negative):
        for room in rooms:
            account.sighting(clause, account.discourse.voice, None, room, True)


def _moved(account: Account, clause: Clause, way: Way) -> None:
    """A movement told in a clause of its own."""
    for who in clause.subject or ():
        if clause.negative:
            _went_not(account, clause, who, way)
        else:
            _went(account, clause, who, replace(way))
    if not clause.negative:
        on = (_in_order(account, clause) or way.via + way.to) + way.toward
        add_step(account, clause, way.origin + on if on and clause.group.kind != "leave" else on)


def _seen_moving(account: Account, clause: Clause, way: Way) -> None:
    """A movement that the subject of the clause above perceived."""
    above = clause.above
    if above is None:
        return
    by = tuple(p for preposition, phrase in above.beside if preposition == "by" for p in phrase.who)
    nobody = clause.phrase.indefinite if clause.phrase is not None else ""
    for seer in (by if above.group.passive else above.subject) or ():
        if nobody and (above.negative or nobody == "nobody"):
            account.sighting(clause, seer, None, first_of(way.origin + way.via + way.to), True)
        for who in clause.subject or ():
            _saw_move(account, clause, seer, who, way.origin, way.via + way.to, way.toward)


def _way(account: Account, clause: Clause) -> Way:
    """The rooms of a movement by their prepositions."""
    way = Way()
    for place in clause.places:
        room = account.room_of(place)
        leaves = clause.group.kind == "leave"
        if room is None or (leaves and place.preposition in ("in", "at", "near")):
            continue
        if place.preposition in FROM or (leaves and not place.preposition):
            way.origin.append(room)
        elif place.preposition in TOWARD:
            way.toward.append(room)
        elif place.preposition in VIA:
            way.via.append(room)
        else:
            way.to.append(room)
    if not (way.origin or way.via or way.ends) and clause.link == "where" and (room := account.where(clause)):
        way.to = [room]
    if not way.origin and (way.via or way.ends):
        way.origin = [p.room for p in clause.fronted if p.preposition == "from" and p.room]
    return way


def _in_order(account: Account, clause: Clause) -> list[str]:
    """The rooms that a movement passed and reached, in the order in which they stand."""
    return [room for p in clause.places if p.preposition not in FROM | TOWARD and (room := account.room_of(p))]


def _went(account: Account, clause: Clause, who: str, way: Way) -> None:
    """A movement told, not said to be seen."""
    if way.via and not way.to:
        way.to, way.via = way.via, []
    if _came_to_where_seen(account, clause, who, way):
        return
    seen_at = _seen_arriving(account, clause, who, way)
    if seen_at is None and who != (account.source or account.discourse.voice) and _told_as_seen(account, clause):
        seen_at = _seen_where(clause, way.origin, way.to, way.toward, None)
    if seen_at is not None:
        account.sighting(clause, account.source or account.discourse.voice, who, seen_at)
    arrives = seen_at is not None and way.to[:1] == [seen_at]
    _complete(account, clause, way, arrives)
    _tell_way(account, clause, who, way, arrives)


def _came_to_where_seen(account: Account, clause: Clause, who: str, way: Way) -> bool:
    """saw X in R, he came from Q: the movement to where he was seen."""
    before = clause.before
    if not way.origin or way.ends or before is None or before.group.kind != "see":
        return False
    if who not in before.objects_of(account.sentence):
        return False
    rooms = [room for p in before.places if (room := account.room_of(p)) and room not in way.origin]
    if rooms:
        account.activity(clause, who, "traveling", rooms[0], way.origin[0], seen=True)
    return bool(rooms)


def _seen_arriving(account: Account, clause: Clause, who: str, way: Way) -> str | None:
    """The room where somebody came in to the speaker, or to whom it quotes."""
    here = account.discourse.places.get(account.source or account.discourse.voice)
    if here is None or who in (account.discourse.voice, account.source) or clause.link in ("before", "after"):
        return None
    if clause.group.mood == MUST:
        return None
    if way.to:
        return here if way.to[0] == here and clause.group.lemma in ARRIVING else None
    before = clause.before
    goes_on = clause.group.form == GERUND and before is not None and before.subject == clause.subject and before.places
    if way.toward or goes_on or not _comes_here(account, clause, here, way.origin):
        return None
    way.to = [here]
    return here


def _comes_here(account: Account, clause: Clause, here: str, origin: list[str]) -> bool:
    """Whether "came in" means to where the teller is."""
    lemma, form = clause.group.lemma, clause.group.form
    if here in origin or clause.group.mood == MUST or form == "participle":
        return False
    if lemma not in ("come", "walk", "arrive", "step"):
        return False
    teller = (account.source or account.discourse.voice,)
    told_here = any(c.places and c.subject == teller for c in account.sentence.clauses if c is not clause)
    near = account.discourse.room in (here, *origin)
    walks_in = near and clause.words & {"in", "over"} and form != GERUND and clause.link not in TIME_LINKS
    return bool(walks_in or ((origin or clause.words & {"in"}) and told_here))


def _told_as_seen(account: Account, clause: Clause) -> bool:
    """Whether the speaker tells this as something it saw."""
    voice = account.discourse.voice
    above = clause.above
    to_me = any(preposition == "to" and voice in phrase.who for preposition, phrase in clause.beside)
    after = account.after(clause)
    to_me |= after is not None and after.link == "where" and after.subject == (voice,) and after.group.kind == "is"
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
    if not way.origin and before.group.form == GERUND and before.subject is None and before.group.kind == "move":
        way.origin = [room for p in before.places if p.preposition == "from" and (room := account.room_of(p))][:1]
    if way.origin and not way.ends and clause.group.form == GERUND and same:
        way.to = [room for p in before.places if (room := account.room_of(p)) and room not in way.origin][-1:]
    goes = before.group.kind == "leave" and same and (clause.link in ("and", "then", ",") or clause.group.mood == TO)
    if not way.origin and not arrives and clause.phrase is None and (clause.group.form == GERUND or goes):
        way.origin = _started(account, clause, way.ends)


def _started(account: Account, clause: Clause, ends: list[str]) -> list[str]:
    """Where "heading to S" begins: in the room left or stayed in just before."""
    above = clause.above
    if above is None or above.subject != clause.subject or above.group.kind not in ("leave", "is", "be"):
        return []
    rooms = [room for p in above.places if (room := account.room_of(p)) and room not in ends]
    return rooms[:1]


def _tell_way(account: Account, clause: Clause, who: str, way: Way, arrives: bool) -> None:
    """The claim of a movement: a route, a movement from room to room, or where it led."""
    if (way.via and way.to) or (len(way.to) > 1 and _each_its_own(account, clause)):
        account.route(clause, who, way.origin[:1] + _in_order(account, clause))
    elif way.origin and way.ends:
        if len(way.to) > 1:
            account.route(clause, who, way.origin[:1] + way.to)
        else:
            account.activity(clause, who, "traveling", way.ends[0], way.origin[-1], seen=arrives)
    elif (len(way.to) > 1 and "then" in clause.words) or (way.to and way.toward):
        account.route(clause, who, way.ends)
    elif way.to and not arrives and (clause.group.kind == "leave" or _leaving(clause)):
        account.activity(clause, who, "traveling", way.to[-1], account.discourse.places.get(who))
    elif way.to and not arrives:
        for room in way.to:
            account.location(clause, who, room)
    elif way.toward:
        known = account.discourse.places.get(who) if who != account.discourse.voice else None
        account.activity(clause, who, "traveling", way.toward[0], known if known != way.toward[0] else None)
    elif way.origin and (clause.group.lemma in _COMING or _others_leave(account, clause, who)):
        account.activity(clause, who, "traveling", _untold_end(account, clause, who, way.origin[-1]), way.origin[-1])
    elif way.origin:
        account.discourse.room = way.origin[-1]


def _untold_end(account: Account, clause: Clause, who: str, origin: str) -> str | None:
    """Where "entered from Q" and "I came from Q" led to: the room spoken of, where the speaker was; else unknown."""
    discourse = account.discourse
    if clause.group.lemma == "enter":
        end = discourse.room
    elif clause.group.lemma in _COMING and who == discourse.voice:
        end = discourse.places.get(who) or discourse.room
    else:
        end = None
    return end if end != origin else None


def _others_leave(account: Account, clause: Clause, who: str) -> bool:
    """Whether another's departure is told for itself: "Bob left R at 5", not "after Bob left R"."""
    return clause.group.kind == "leave" and clause.link not in TIME_LINKS and who != account.discourse.voice


def _leaving(clause: Clause) -> bool:
    """Whether "heading to R" goes on "I left"."""
    before = clause.before
    goes_on = clause.group.form == GERUND or clause.group.mood == TO
    return before is not None and before.group.kind == "leave" and goes_on and before.subject == clause.subject


def _each_its_own(account: Account, clause: Clause) -> bool:
    """Whether every destination has a preposition of its own: "to A, over to B, up to C", "A to B to C" are ways."""
    tokens = account.sentence.tokens
    places = [p for p in clause.places if p.preposition not in FROM | TOWARD]
    places = places[1:] if len(places) > 2 and not places[0].preposition else places
    starts = [p.at - 1 - (tokens[p.at - 1].text == "the") for p in places]
    return all(at >= 0 and tokens[at].text in ("to", "into", "in", "through", "at") for at in starts)


def _went_not(account: Account, clause: Clause, who: str, way: Way) -> None:
    """A movement denied: not there; who did not leave a room was in it."""
    if way.origin and way.ends:
        account.activity(clause, who, "traveling", (way.to + way.via + way.toward)[0], way.origin[0], negative=True)
    elif clause.group.kind == "leave" and way.origin:
        account.location(clause, who, way.origin[0])
    else:
        for room in way.via + way.ends:
            account.location(clause, who, room, negative=True)


def _saw_move(
    account: Account, clause: Clause, seer: str, who: str, origin: list[str], to: list[str], toward: list[str]
) -> None:
    """A movement that somebody perceived: a sighting where it was seen, and the movement."""
    discourse = account.discourse
    if clause.placed and not clause.negative and not (clause.above and clause.above.negative):
        _saw_in(account, clause, seer, who, origin, to + toward)
        return
    there = discourse.places.get(seer)
    where = clause.above.fronted if clause.above else []
    if clause.above is not None and clause.above.link == "where":
        there = account.where(clause.above)
    elif where:
        there = account.room_of(where[0])
    ends = to + toward
    before = clause.before
    again = clause.group.form != GERUND and (clause.group.lemma in ARRIVING or clause.group.kind == "enter")
    if before is not None and before.small and before.subject == clause.subject and not (origin and ends) and not again:
        _goes_on(account, clause, who, origin, ends)
        return
    seen_in = _seen_where(clause, origin, to, toward, there)
    if where and there is not None and there not in ends:
        seen_in = there
    if not ends and origin and seen_in and seen_in not in origin:
        ends = [seen_in]
    above = clause.above
    negative = clause.negative or bool(above and above.negative)
    already = above is not None and who in above.objects_of(account.sentence) and bool(above.places)
    if already and above is not None and origin and not ends:
        ends = [room for p in above.places if (room := account.room_of(p)) and room not in origin][:1]
    if already and above is not None and not origin:
        origin = [room for p in above.places if (room := account.room_of(p))][:1]
    if not already and (seen_in is not None or not (ends or clause.group.kind == "leave")):
        for room in or_none(_passed(account, clause)) if seen_in is None else _passed(account, clause) or [seen_in]:
            account.sighting(clause, seer, who, room, negative)
    if negative or not ends:
        return
    if not origin and seen_in is not None and seen_in not in ends:
        origin = [seen_in]
    if _passed(account, clause):
        return
    if origin and origin[0] != ends[0]:
        account.activity(clause, who, "traveling", ends[0], origin[0], seen=True)
    elif not origin and seen_in is None:
        account.activity(clause, who, "traveling", ends[0], None, seen=True)


def _saw_in(account: Account, clause: Clause, seer: str, who: str, origin: list[str], ends: list[str]) -> None:
    """saw X in R coming from Q, saw X in R heading to S."""
    room = account.room_of(clause.placed[0])
    account.sighting(clause, seer, who, room)
    if ends and ends[0] != room:
        account.activity(clause, who, "traveling", ends[0], room, seen=True)
    elif origin and origin[0] != room:
        account.activity(clause, who, "traveling", room, origin[0], seen=True)


def _passed(account: Account, clause: Clause) -> list[str]:
    """The rooms of "saw X pass through A, B and C": seen in each."""
    through = len(clause.places) > 1 and all(place.preposition in VIA for place in clause.places)
    return [room for place in clause.places if (room := account.room_of(place))] if through else []


def _seen_where(clause: Clause, origin: list[str], to: list[str], toward: list[str], there: str | None) -> str | None:
    """The room in which a movement was seen: that of the departure, or that of the arrival."""
    out = "out" in clause.words and not (to and clause.places and clause.places[0].preposition in INTO)
    out = out and not any(place.preposition == "into" for place in clause.places)
    if clause.group.kind == "leave" or out or (toward and not to):
        return origin[0] if origin else there if there not in to + toward else None
    arrives = clause.group.lemma in ARRIVING or clause.group.kind == "enter"
    if to and (arrives or not origin):
        passes = any(
            place.preposition in VIA or place.preposition in ("in", "into", "inside") for place in clause.places
        )
        return to[0] if arrives or passes else None
    if origin and to:
        return to[0] if any(place.preposition == "into" for place in clause.places) else origin[0]
    return there if there not in origin else None


def _goes_on(account: Account, clause: Clause, who: str, origin: list[str], ends: list[str]) -> None:
    """The other end of a movement seen: "saw X leave A heading to B", "saw X in B after coming from A"."""
    before = clause.before
    if before is None or clause.negative or (before.above is not None and before.above.negative):
        return
    rooms = [room for p in before.places if p.preposition not in TOWARD and (room := account.room_of(p))]
    if ends and rooms and rooms[0] != ends[-1]:
        account.activity(clause, who, "traveling", ends[-1], rooms[0], seen=True)
    elif origin and rooms and rooms[-1] != origin[0]:
        account.activity(clause, who, "traveling", rooms[-1], origin[0], seen=True)


def join_steps(account: Account) -> None:
    """Makes one route of stops that one sentence tells one after the other; stops with an own time stay."""
    for run in _runs(account):
        rooms = [room for step in run for room in step.rooms]
        rooms = [room for p, room in enumerate(rooms) if p == 0 or rooms[p - 1] != room]
        if len(run) > 1 and len(rooms) > 1 and _in_turn(run, rooms):
            _replace(account, run, rooms)


def _runs(account: Account) -> list[list[Step]]:
    """The stops of each player that follow one another."""
    runs: list[list[Step]] = []
    for step in account.steps:
        last = runs[-1][-1] if runs else None
        goes_on = step.clause.group.form == GERUND and step.clause.phrase is None and step.clause.link in ("", ",")
        goes_on = goes_on and not any(p.preposition in FROM | TOWARD for p in step.clause.places)
        follows = step.clause.link in ("then", "and", ",") or step.clause.group.mood == TO or goes_on
        taken = step.clause.group.first in account.routed
        if last is not None and last.subject == step.subject and follows and not taken:
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs


def _in_turn(run: list[Step], rooms: list[str]) -> bool:
    """Whether stops are told as a way: with going in it, and more than from one room to the next or with "then"."""
    goes = any(step.clause.group.kind in _GOING or step.clause.group.lemma == "end" for step in run[1:])
    then = any(step.clause.link == "then" for step in run[1:])
    last = run[-1].clause
    at_once = last.link == "," and last.phrase is None and last.group.form != GERUND and not _dated(last)
    return goes and (len(rooms) > 2 or then or at_once)


def _replace(account: Account, run: list[Step], rooms: list[str]) -> None:
    """A route in place of the single claims of its stops."""
    who = run[0].subject[0]
    last = run[-1].clause
    if len(rooms) == 2 and who != account.discourse.voice and not account.source:
        if last.group.kind in ("move", "enter") and len(run[-1].rooms) == 1:
            reached = ("location", who, rooms[1])
            account.claims[:] = [c for c in account.claims if (c.kind, c.subject, c.room) != reached]
            account.activity(last, who, "traveling", rooms[1], rooms[0])
    elif len(rooms) == 2 and any(_dated(step.clause) for step in run):
        return
    elif len(rooms) == 2 and (last.group.kind == "leave" or any(p.preposition in TOWARD for p in last.places)):
        account.activity(last, who, "traveling", rooms[1], rooms[0])
    else:
        own = _with_own_time(account, run)
        account.claims[:] = [c for c in account.claims if not _stop_of(c, who, rooms) or c.room in own]
        account.route(run[0].clause, who, rooms)


def _with_own_time(account: Account, run: list[Step]) -> set[str]:
    """The stops that have a time or somebody of their own: they stay beside the route."""
    own = {room for step in run for room in step.rooms if step.clause.beside or _dated(step.clause)}
    return {room for room in own if any(c.room == room and c.kind == "location" for c in account.claims)}


def _dated(clause: Clause) -> bool:
    """Whether a time narrower than a round stands with a clause."""
    return any(_ROUND.fullmatch(token.text) is None for token in clause.times)


def _stop_of(claim: Claim, who: str, rooms: list[str]) -> bool:
    """Whether a claim tells only of a stop or a part of the way."""
    if claim.subject != who or claim.polarity != POSITIVE or claim.of != PLAYER:
        return False
    if claim.kind == "route":
        return set(claim.route) <= set(rooms)
    stop = claim.kind == "location" and claim.room in rooms
    return stop or (claim.activity == "traveling" and claim.origin in rooms)
