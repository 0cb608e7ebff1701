"""The rooms of a movement by their prepositions, and in which order they were gone through."""

from __future__ import annotations

from dataclasses import dataclass, field

from quack_eval.claims.grammar.account import FROM, TOWARD, VIA, Account
from quack_eval.claims.grammar.parts import Clause, Place
from quack_eval.claims.grammar.words import text_at


@dataclass(slots=True)
class Way:
    """The rooms of a movement: where it began, what it passed, where it ended, and only headed for.

    ``bound``: the end of a way that is only headed for, where it counts as reached.
    """

    origin: list[str] = field(default_factory=list)
    via: list[str] = field(default_factory=list)
    to: list[str] = field(default_factory=list)
    toward: list[str] = field(default_factory=list)
    bound: list[str] = field(default_factory=list)

    @property
    def ends(self) -> list[str]:
        """Where it led, reached or not."""
        return self.to + self.toward


def way_of(account: Account, clause: Clause) -> Way:
    """The rooms of a movement by their prepositions."""
    way = Way()
    bare = _bare_origin(account, clause)
    went_on = bool(clause.places) and account.tokens[clause.rest[0]].text == "then"
    for place in clause.places:
        room = account.room_of(place)
        leaves = clause.group.kind == "leave"
        if place.preposition == "after" and not leaves:
            place.preposition = "from"  # "went to B after A"
        if room is None or place.preposition == "of" or (leaves and place.preposition in ("in", "at", "near")):
            continue  # "north of R" is not R
        if place.preposition in FROM or (leaves and not (place.preposition or went_on)) or place is bare:
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
        way.origin = [p.room for p in clause.fronted if p.preposition in ("from", "after") and p.room]
    return way


def _bare_origin(account: Account, clause: Clause) -> Place | None:
    """The first room of "went A to B", right after the verb."""
    if clause.group.kind != "move" or len(clause.places) < 2 or clause.places[0].preposition:
        return None
    between = account.tokens[clause.group.last + 1 : clause.places[0].at]
    follows = clause.places[1].preposition in ("to", "into") and all(token.text == "the" for token in between)
    return clause.places[0] if follows else None


def all_in_order(account: Account, clause: Clause) -> list[str]:
    """The rooms that a movement reached or headed for, in the order in which they stand."""
    return account.rooms(clause.places, apart=FROM)


def one_or_the_other(account: Account, clause: Clause) -> bool:
    """Whether a movement is headed for two rooms at once: "toward A/B"."""
    toward = [place.at for place in clause.places if place.preposition in TOWARD]
    tokens = account.tokens
    return len(toward) == 2 == len(clause.places) and tokens[toward[0] + 1].text in ("/", "or")


def each_its_own(account: Account, clause: Clause) -> bool:
    """Whether every destination has a preposition of its own: "to A, over to B, up to C", "A to B to C" are ways."""
    tokens = account.tokens
    places = [p for p in clause.places if p.preposition not in FROM | TOWARD]
    places = places[1:] if len(places) > 2 and not places[0].preposition else places
    starts = [p.at - 1 - (text_at(tokens, p.at - 1) == "the") for p in places]
    return all(at >= 0 and tokens[at].text in ("to", "into", "in", "through", "at") for at in starts)


def crosses(clause: Clause, rooms: list[str]) -> bool:
    """Whether rooms are given as a way through all of them: "walked through A, B and C"."""
    return len(rooms) > 2 and "through" in clause.words
