"""Rooms in which nobody was: "the room was empty", and denials without a verb: "in R, no body"."""

from __future__ import annotations

from quack_eval.claims.grammar.account import Account
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import ADVERBS, TIME_LINKS
from quack_eval.claims.grammar.parts import Clause, Place
from quack_eval.claims.grammar.verbless import ADDED
from quack_eval.claims.grammar.words import kind_at, text_at
from quack_eval.claims.types import BODY


def tell_empty(account: Account, clause: Clause) -> bool:
    """the room was empty, R was empty: nobody was seen there; R was clear: no body was."""
    tokens = account.tokens
    if (clear := _clear(account, clause)) is not None:
        account.sighting(clause, account.teller, None, clear, True, BODY)
        return True
    lead = tokens[max(0, clause.group.first - 3) : clause.group.first]
    if "empty" not in clause.words or "of" in clause.words or clause.negative or not lead:
        return False
    if clause.phrase is None and (said := _said_of(account, clause)):
        account.sighting(clause, account.teller, None, said, True)
        return True
    if clause.subject:
        return False
    named, pointed = _room_called(lead), lead[-1].text in ("room", "it", "place")
    if not (named or pointed):
        return False
    seer, after = account.teller, account.after(clause)
    came = after is not None and after.link in ("when", "as") and after.subject == (seer,)
    there = [place.room for place in after.places if place.room] if came and after is not None else []
    here = account.discourse.places.get(seer) if came and lead[-1].text == "room" else None
    empty = named or here or next(iter(there), account.discourse.room)
    account.sighting(clause, seer, None, empty, True)
    if came and not there and after is not None and "through" in after.words:
        account.location(clause, seer, empty)  # "Bob says R was empty when he passed through"
    return True


def _clear(account: Account, clause: Clause) -> str | None:
    """The room of "R was clear", "I was in R early, and it was clear"; None where something else is clear."""
    tokens, voice = account.tokens, account.voice
    at = next((p for p in range(*clause.rest) if tokens[p].text == "clear"), None)
    goes_on = at is not None and kind_at(tokens, at + 1) == "word"
    if at is None or clause.group.kind != "is" or clause.negative or clause.subject or not clause.group.first:
        return None
    if (goes_on and text_at(tokens, at + 1) not in ADVERBS | TIME_LINKS) or tokens[clause.group.first].text != "was":
        return None
    named, before = _room_called(tokens[max(0, clause.group.first - 3) : clause.group.first]), clause.before
    stood = before is not None and before.subject == (voice,) and before.places and clause.link in ("and", "but", ",")
    here = account.discourse.places.get(voice) if stood and text_at(tokens, clause.group.first - 1) == "it" else None
    return named or here


def found_empty(account: Account, clause: Clause) -> bool:
    """found R empty, found the room empty: nobody was seen there."""
    if "empty" not in clause.words or clause.objects:
        return False
    for seer in clause.subject:
        room = next((place.room for place in clause.places if place.room), account.discourse.places.get(seer))
        account.sighting(clause, seer, None, room, True)
    return True


def _said_of(account: Account, clause: Clause) -> str:
    """The room of "R, a room Bob says was empty"; "" where it is none."""
    tokens, says = account.tokens, clause.before
    if says is None or says.group.kind != "say" or says.phrase is None or says.group.last + 1 != clause.group.first:
        return ""
    if says.phrase.first < 2 or text_at(tokens, says.phrase.first - 1) != "room":
        return ""
    return _room_called([token for token in tokens[: says.phrase.first - 1] if token.text != "a"])


def _room_called(lead: list[Token]) -> str:
    """The room that a verb right after these tokens is said of: "R was", "R, which was"; "" where it is none."""
    words = [token for token in lead if token.text not in (",", "—", "-")]
    if words and words[-1].text == "which":
        words.pop()
    return words[-1].value if words and words[-1].kind == "room" else ""


def is_added(account: Account, clause: Clause) -> bool:
    """Whether the verb of a clause is not in the utterance: "in R, [I saw] no body"."""
    return account.tokens[clause.group.first].value == ADDED


def place_denial(account: Account, clause: Clause) -> None:
    """Gives "in R, no body" its room: the only one in which the sentence has whoever tells it be or see."""
    if not is_added(account, clause) or clause.places or clause.link in ("when", "as"):
        return
    teller = account.teller
    told = [c for c in account.claims if c.subject == teller and c.type in ("location", "sighting")]
    rooms = {
        room for c in told for room in (c.route or (c.room,)) if room is not None and not (c.negative and c.target)
    }
    if len(rooms) == 1:
        clause.places = [Place("in", rooms.pop(), clause.group.last)]
