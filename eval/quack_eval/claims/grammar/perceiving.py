"""Whether the speaker tells of what it saw itself: "X was in R" is a sighting then."""

from __future__ import annotations

from quack_eval.claims.grammar.account import ARRIVING, Account, seen_in_sentence
from quack_eval.claims.grammar.lexicon import TIME_LINKS
from quack_eval.claims.grammar.parts import Clause, Place
from quack_eval.claims.grammar.verbs import MUST
from quack_eval.claims.grammar.words import kind_at

_HEARSAY = frozenset({"apparently", "supposedly", "allegedly", "presumably"})


def perceives(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """Whether the speaker tells of what it saw: below "I saw that", or in the room where it says it was."""
    discourse = account.discourse
    above = clause.above
    verb = set(account.words(clause.group.first, clause.group.last + 3))
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
    apart = discourse.voice in clause.players_after("before", "after")
    if account.source or clause.group.mood == MUST or verb & _HEARSAY or apart:
        return False
    if _beside_own_way(account, clause, rooms):
        return True
    if not clause.negative and seen_in_sentence(account, clause):
        return True
    if not clause.negative and _dated_by(account, clause, rooms):
        return True
    return discourse.places.get(discourse.voice) in rooms and _where_i_was(account, clause, "also" in verb)


def _where_i_was(account: Account, clause: Clause, also: bool) -> bool:
    """Whether the room is given as the speaker's own: "I got to R, and X was already there", "X was there at 6"."""
    beside = _beside_own_place(account, clause)
    if clause.link in TIME_LINKS or not beside:
        return False
    return clause.link == "where" or also or not any(_is_named(account, p, beside) for p in clause.places)


def _is_named(account: Account, place: Place, beside: bool) -> bool:
    """Whether a place is told by a name or as the room of an event: not "there", nor "in the room" beside the own."""
    word = account.tokens[place.at].text
    return bool(place.room) or word == "scene" or (word == "room" and not beside)


def _beside_own_place(account: Account, clause: Clause) -> bool:
    """Whether the words before tell where the speaker was: "I got to R, and X was already there"."""
    before = clause.before
    if before is None or before.subject != (account.voice,) or before.negative or before.maybe:
        return False
    stands = before.group.kind in ("is", "be", "move", "enter") and bool(before.places)
    return stands and clause.link in ("and", "but", "where", ",", "—", "")


def _beside_own_way(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """Whether the speaker tells of its own way, and of a room in it: "went to R (X was there), then S"."""
    tokens, at = account.tokens, clause.group.first
    opens = next((p for p in range(at, 0, -1) if tokens[p].text in ("(", ")")), 0)
    if not opens or tokens[opens].text == ")" or kind_at(tokens, opens - 1) != "room":
        return False
    around = [c for c in account.sentence.clauses if c.group.first < opens]
    return tokens[opens - 1].value in rooms and bool(around) and around[-1].subject == (account.voice,)


def _dated_by(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """Whether the teller was there: "when I got there, X was in R", "X was in R when I passed"."""
    voice = account.voice
    before = [c for c in account.sentence.clauses if c.group.first < clause.group.first and c.link in ("when", "as")]
    before = [c for c in before if c.subject == (voice,) and c.group.lemma in ARRIVING | {"pass"}]
    if before and not before[-1].maybe:
        named = [place.room for place in before[-1].places if place.room]
        if not named or set(named) & set(rooms):
            return True
    after = account.after(clause)
    if after is None or after.link not in ("when", "as") or after.subject != (voice,):
        return False
    return after.group.lemma in ARRIVING | {"look", "pass", "be", "go", "see", "start"}
