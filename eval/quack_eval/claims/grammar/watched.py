"""Movements that somebody saw: I saw X leave A toward B, Eve saw X come in from C."""

from __future__ import annotations

from dataclasses import replace

from quack_eval.claims.grammar.account import (
    ARRIVING,
    INTO,
    TOWARD,
    VIA,
    Account,
    first_of,
    rooms_when,
)
from quack_eval.claims.grammar.lexicon import GERUND
from quack_eval.claims.grammar.nobody import is_added
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.seeing import just_one, stood_where_seen
from quack_eval.claims.grammar.ways import Way
from quack_eval.claims.grammar.words import text_at


def seen_moving(account: Account, clause: Clause, above: Clause, way: Way) -> None:
    """A movement that the subject of the clause above perceived."""
    nobody = clause.phrase.indefinite if clause.phrase is not None else ""
    way = replace(way, via=[], to=way.via + way.to)
    for seer in above.players_after("by") if above.group.passive else above.subject:
        if nobody and (above.negative or nobody == "nobody"):
            stood = [place.room for place in above.places] if is_added(account, above) else []
            room = first_of(way.origin + way.to) or _stayed_in(account, clause, seer) or first_of(stood)
            account.sighting(clause, seer, None, room, True)
        for who in clause.subject:
            _saw_move(account, clause, above, seer, who, way)
            _saw_beside(account, clause, seer, who)
            if seer == account.voice:
                seen = [c.room for c in account.claims if (c.type, c.subject, c.target) == ("sighting", seer, who)]
                stood_where_seen(account, clause, [room for room in seen[-1:] if room])


def _saw_beside(account: Account, clause: Clause, seer: str, who: str) -> None:
    """saw X enter R along with Y: Y was seen there too."""
    seen = [c for c in account.claims if c.type == "sighting" and (c.subject, c.target) == (seer, who)]
    if not seen or seen[-1].negative or seen[-1].room is None:
        return
    for other in clause.players_after("with", "alongside"):
        account.sighting(clause, seer, other, seen[-1].room)
        moved = [c for c in account.claims if (c.subject, c.activity, c.room) == (who, "traveling", seen[-1].room)]
        for claim in moved[-1:]:
            account.activity(clause, other, "traveling", claim.room, claim.origin, seen=True)


def _stayed_in(account: Account, clause: Clause, seer: str) -> str | None:
    """The room of "I was in R the whole round and didn't see anyone come through"."""
    through = clause.words & {"through", "in", "by", "past"}
    stays = clause.group.lemma in ("come", "pass", "walk", "go", "enter", "leave", "run")
    stays &= all(place.preposition in TOWARD for place in clause.places)
    told = [c.room for c in account.claims if c.kind == "location" and c.subject == seer and not c.negative]
    return told[0] if told and stays and (through or clause.group.kind != "move") else None


def _just_told(account: Account, who: str) -> str | None:
    """Where the sentence has somebody already: "Bob was in R, I saw him heading toward S"."""
    told = [c for c in account.claims if c.room and not c.negative and c.kind in ("location", "sighting")]
    here = [c.room for c in told if who == (c.subject if c.kind == "location" else c.target)]
    return here[-1] if here else None


def _saw_move(account: Account, clause: Clause, above: Clause, seer: str, who: str, way: Way) -> None:
    """A movement that somebody perceived: a sighting where it was seen, and the movement."""
    if clause.placed and not (clause.negative or above.negative):
        _saw_in(account, clause, seer, who, way)
        return
    there = _beside_whom(account, above, seer, who)
    before = clause.before
    goes_on = before is not None and before.small and before.subject == clause.subject
    if goes_on and not (way.origin and way.ends) and (clause.group.form == GERUND or not _arrives(clause)):
        _goes_on(account, clause, who, way, there)
        return
    seen_in = _seen_in(account, clause, above, who, way, there)
    origin = way.origin
    ends = way.ends or ([seen_in] if origin and seen_in and seen_in not in origin else [])
    apart = clause.phrase is not None and just_one(account, clause.phrase)  # "no body, just Bob going by"
    negative = clause.negative or (above.negative and not apart)
    if negative and clause.group.kind == "leave":
        return  # "I didn't see X leave": seen or not
    already = who in above.objects_of(account.sentence) and bool(above.places)
    if already and origin:
        ends = ends or [room for room in account.rooms(above.places) if room not in origin][:1]
    elif already:
        origin = account.rooms(above.places)[:1]
    elif seen_in is not None:
        for room in _passed(account, clause) or [seen_in]:
            account.sighting(clause, seer, who, room, negative)
    if not (negative or ends or already) and origin and clause.group.kind == "leave" and seer != account.voice:
        account.activity(clause, who, "traveling", None, origin[0], seen=True)
    if negative or not ends or _passed(account, clause):
        return
    if not origin and seen_in is not None and seen_in not in ends:
        origin = [seen_in]
    if origin and origin[0] != ends[0]:
        account.activity(clause, who, "traveling", ends[0], origin[0], seen=True)
    elif not origin and seen_in is None:
        account.activity(clause, who, "traveling", ends[0], None, seen=True)


def _arrives(clause: Clause) -> bool:
    """Whether a movement leads to where it is seen."""
    return clause.group.lemma in ARRIVING or clause.group.kind == "enter"


def _beside_whom(account: Account, above: Clause, seer: str, who: str) -> str | None:
    """Where somebody stood who saw a movement."""
    if above.link == "where":
        return account.where(above)
    if above.fronted:
        return account.room_of(above.fronted[0])
    told = _just_told(account, who) if seer == account.voice else None
    return told or account.discourse.places.get(seer)


def _seen_in(account: Account, clause: Clause, above: Clause, who: str, way: Way, there: str | None) -> str | None:
    """The room in which a movement was seen, by where it led and where the seer stood."""
    seen_in = seen_where(clause, way, there)
    if above.fronted and there is not None and there not in way.ends:
        seen_in = there
    standing = rooms_when(account, above)
    if standing and seen_in in way.origin and standing[0] not in way.origin:
        seen_in = standing[0]
    if way.origin and not way.ends and _from_a_side(account, clause):
        seen_in = there if there not in way.origin else None
    if seen_in is None and not way.ends and "that" not in clause.words and _arrives(clause):
        known = account.discourse.places.get(who)  # "I was in R by then, Bob saw me come in from Q"
        seen_in = known if known not in way.origin else None
    return seen_in


def _from_a_side(account: Account, clause: Clause) -> bool:
    """Whether a movement came from the direction of a room: seen elsewhere."""
    tokens = account.tokens
    after = [text_at(tokens, p.at + 1) for p in clause.places if p.room and p.at + 1 < len(tokens)]
    return "side" in after or "direction" in after


def _saw_in(account: Account, clause: Clause, seer: str, who: str, way: Way) -> None:
    """saw X in R coming from Q, saw X in R heading to S."""
    room = account.room_of(clause.placed[0])
    account.sighting(clause, seer, who, room)
    if way.ends and way.ends[0] != room:
        account.activity(clause, who, "traveling", way.ends[0], room, seen=True)
    elif way.origin and way.origin[0] != room:
        account.activity(clause, who, "traveling", room, way.origin[0], seen=True)


def _passed(account: Account, clause: Clause) -> list[str]:
    """The rooms of "saw X pass through A, B and C": seen in each."""
    through = len(clause.places) > 1 and all(place.preposition in VIA for place in clause.places)
    return account.rooms(clause.places) if through else []


def seen_where(clause: Clause, way: Way, there: str | None) -> str | None:
    """The room in which a movement was seen: that of the departure, or that of the arrival."""
    origin, to = way.origin, way.to
    into = any(place.preposition == "into" for place in clause.places)
    out = "out" in clause.words and not into and not (to and clause.places and clause.places[0].preposition in INTO)
    if clause.group.kind == "leave" and to and into:
        return to[0]
    if clause.group.kind == "leave" or out or (way.toward and not to):
        return origin[0] if origin else there if there not in way.ends else None
    if to and _arrives(clause):
        return to[0]
    if to and not origin:
        passes = any(place.preposition in VIA | {"in", "into", "inside"} for place in clause.places)
        return to[0] if passes else None
    if to:
        return to[0] if into else origin[0]
    return there if there not in origin else None


def _goes_on(account: Account, clause: Clause, who: str, way: Way, there: str | None) -> None:
    """The other end of a movement seen: "saw X leave A heading to B", "saw X in B after coming from A"."""
    before, origin, ends = clause.before, way.origin, way.ends
    if before is None or clause.negative or (before.above is not None and before.above.negative):
        return
    rooms = account.rooms(before.places, apart=TOWARD)
    if not rooms and there is not None and "in" in before.words:
        rooms = [there]  # "I was in R and saw X walk in coming from Q"
    if ends and rooms and rooms[0] != ends[-1]:
        account.activity(clause, who, "traveling", ends[-1], rooms[0], seen=True)
    elif origin and rooms and rooms[-1] != origin[0]:
        account.activity(clause, who, "traveling", rooms[-1], origin[0], seen=True)
