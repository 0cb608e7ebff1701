"""Movements that somebody saw: I saw X leave A toward B, Eve saw X come in from C."""

from __future__ import annotations

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


def seen_moving(account: Account, clause: Clause, way: Way) -> None:
    """A movement that the subject of the clause above perceived."""
    above = clause.above
    if above is None:
        return
    by = tuple(p for preposition, phrase in above.beside if preposition == "by" for p in phrase.who)
    nobody = clause.phrase.indefinite if clause.phrase is not None else ""
    for seer in (by if above.group.passive else above.subject) or ():
        if nobody and (above.negative or nobody == "nobody"):
            stood = [place.room for place in above.places] if is_added(account, above) else []
            room = first_of(way.origin + way.via + way.to) or _stayed_in(account, clause, seer) or first_of(stood)
            account.sighting(clause, seer, None, room, True)
        for who in clause.subject or ():
            _saw_move(account, clause, seer, who, way.origin, way.via + way.to, way.toward)
            _saw_beside(account, clause, seer, who)
            if seer == account.discourse.voice:
                seen = [c.room for c in account.claims if (c.type, c.subject, c.target) == ("sighting", seer, who)]
                stood_where_seen(account, clause, [room for room in seen[-1:] if room])


def _saw_beside(account: Account, clause: Clause, seer: str, who: str) -> None:
    """saw X enter R along with Y: Y was seen there too."""
    seen = [c for c in account.claims if c.type == "sighting" and (c.subject, c.target) == (seer, who)]
    if not seen or seen[-1].negative or seen[-1].room is None:
        return
    for other in [p for word, phrase in clause.beside if word in ("with", "alongside") for p in phrase.who]:
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


def _saw_move(
    account: Account, clause: Clause, seer: str, who: str, origin: list[str], to: list[str], toward: list[str]
) -> None:
    """A movement that somebody perceived: a sighting where it was seen, and the movement."""
    discourse = account.discourse
    if clause.placed and not clause.negative and not (clause.above and clause.above.negative):
        _saw_in(account, clause, seer, who, origin, to + toward)
        return
    there = _just_told(account, who) if seer == discourse.voice else None
    there = there or discourse.places.get(seer)
    where = clause.above.fronted if clause.above else []
    if clause.above is not None and clause.above.link == "where":
        there = account.where(clause.above)
    elif where:
        there = account.room_of(where[0])
    ends = to + toward
    before = clause.before
    again = clause.group.form != GERUND and (clause.group.lemma in ARRIVING or clause.group.kind == "enter")
    if before is not None and before.small and before.subject == clause.subject and not (origin and ends) and not again:
        _goes_on(account, clause, who, origin, ends, there)
        return
    seen_in = seen_where(clause, origin, to, toward, there)
    if where and there is not None and there not in ends:
        seen_in = there
    standing = rooms_when(account, clause.above) if clause.above is not None else []
    if standing and seen_in in origin and standing[0] not in origin:
        seen_in = standing[0]
    if origin and not ends and _from_a_side(account, clause):
        seen_in = there if there not in origin else None
    if (
        seen_in is None
        and not ends
        and "that" not in clause.words
        and (clause.group.lemma in ARRIVING or clause.group.kind == "enter")
    ):
        known = discourse.places.get(who)  # "I was in R by then, Bob saw me come in from Q"
        seen_in = known if known not in origin else None
    if not ends and origin and seen_in and seen_in not in origin:
        ends = [seen_in]
    above = clause.above
    apart = clause.phrase is not None and just_one(account, clause.phrase)  # "no body, just Bob going by"
    negative = clause.negative or bool(above and above.negative and not apart)
    if negative and clause.group.kind == "leave":
        return  # "I didn't see X leave": seen or not
    already = above is not None and who in above.objects_of(account.sentence) and bool(above.places)
    if already and above is not None and origin and not ends:
        ends = [room for p in above.places if (room := account.room_of(p)) and room not in origin][:1]
    if already and above is not None and not origin:
        origin = [room for p in above.places if (room := account.room_of(p))][:1]
    if not already and seen_in is not None:
        for room in _passed(account, clause) or [seen_in]:
            account.sighting(clause, seer, who, room, negative)
    if not (negative or ends or already) and origin and clause.group.kind == "leave" and seer != discourse.voice:
        account.activity(clause, who, "traveling", None, origin[0], seen=True)
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


def _from_a_side(account: Account, clause: Clause) -> bool:
    """Whether a movement came from the direction of a room: seen elsewhere."""
    tokens = account.sentence.tokens
    after = [tokens[p.at + 1].text for p in clause.places if p.room and p.at + 1 < len(tokens)]
    return "side" in after or "direction" in after


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


def seen_where(clause: Clause, origin: list[str], to: list[str], toward: list[str], there: str | None) -> str | None:
    """The room in which a movement was seen: that of the departure, or that of the arrival."""
    out = "out" in clause.words and not (to and clause.places and clause.places[0].preposition in INTO)
    out = out and not any(place.preposition == "into" for place in clause.places)
    if clause.group.kind == "leave" and to and any(place.preposition == "into" for place in clause.places):
        return to[0]
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


def _goes_on(account: Account, clause: Clause, who: str, origin: list[str], ends: list[str], there: str | None) -> None:
    """The other end of a movement seen: "saw X leave A heading to B", "saw X in B after coming from A"."""
    before = clause.before
    if before is None or clause.negative or (before.above is not None and before.above.negative):
        return
    rooms = [room for p in before.places if p.preposition not in TOWARD and (room := account.room_of(p))]
    if not rooms and there is not None and "in" in before.words:
        rooms = [there]  # "I was in R and saw X walk in coming from Q"
    if ends and rooms and rooms[0] != ends[-1]:
        account.activity(clause, who, "traveling", ends[-1], rooms[0], seen=True)
    elif origin and rooms and rooms[-1] != origin[0]:
        account.activity(clause, who, "traveling", rooms[-1], origin[0], seen=True)
