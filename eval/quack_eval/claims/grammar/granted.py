"""What a sentence takes for granted about places: "explain what you were doing in R", "X's storage alibi"."""

from __future__ import annotations

from quack_eval.claims.grammar.account import Account
from quack_eval.claims.grammar.chunks import Group
from quack_eval.claims.grammar.disbelief import contradicted
from quack_eval.claims.grammar.lexicon import FINITE, GERUND
from quack_eval.claims.grammar.parts import Clause

_OF_A_ROOM = frozenset({"claim", "alibi", "presence", "pass", "visit"})
"""Nouns by which the room before them is where somebody was."""


def taken_for_granted(account: Account, clause: Clause) -> bool:
    """explain what you were doing in R, explain being in R: what is asked for takes for granted that one was there."""
    above, asked = clause.above, account.sentence.tokens[max(0, clause.first - 1)].text
    explains = above is not None and above.group.lemma in ("explain", "hear", "know", "say", "tell")
    doing = clause.group.lemma == "do" and asked == "what"
    being = clause.group.kind == "is" and clause.group.form == GERUND and above is not None
    if not (explains and (doing or (being and above is not None and above.group.lemma == "explain"))):
        return False
    for who in () if clause.negative else clause.subject or ():
        for room in [account.room_of(place) for place in clause.places if place.preposition in ("in", "at", "near")]:
            if account.discourse.places.get(who) != room:  # not where it was seen already
                account.location(clause, who, room)
    return True


def claimed_places(account: Account) -> None:
    """X's storage alibi, Y's medbay claim, Z's electrical visit: where they say that they were."""
    tokens = account.sentence.tokens
    for phrase in account.sentence.people:
        p = phrase.last + 1
        while p < len(tokens) and tokens[p].kind == "word" and tokens[p].text in ("claimed", "early", "late", "own"):
            p += 1
        told = p + 1 < len(tokens) and tokens[p].kind == "room" and tokens[p + 1].text in _OF_A_ROOM
        if phrase.owner and told:
            untrue = any(contradicted(clause) and clause.group.first > p for clause in account.sentence.clauses)
            for who in phrase.who:
                account.location(clause_near(account, p), who, tokens[p].value, untrue)


def alibis(account: Account) -> None:
    """My alibi with X in R, X's early alibi in R with Y: where they say that they were, and with whom."""
    sentence, voice = account.sentence, account.discourse.voice
    for phrase in sentence.people if any(token.text == "alibi" for token in sentence.tokens) else ():
        told = [token.text for token in sentence.tokens[phrase.last + 1 : phrase.last + 4]]
        if not phrase.owner or "alibi" not in told:
            continue
        rooms, companions = _beside(account, phrase.last + 2 + told.index("alibi"))
        clause = clause_near(account, phrase.last)
        stays = [(who, room) for who in phrase.who for room in rooms if account.discourse.places.get(who) != room]
        for who, room in stays if not clause.maybe else ():
            if voice in companions:
                account.sighting(clause, voice, who, room)
                continue
            account.location(clause, who, room)
            for other in companions:
                if who == voice:
                    account.sighting(clause, who, other, room)
                else:
                    account.location(clause, other, room)


def has_alibi(account: Account, clause: Clause) -> None:
    """X has an alibi in R with Y, from Y: where X was, seen by the speaker if it is the alibi."""
    companions = [player for word, phrase in clause.beside if word in ("with", "from") for player in phrase.who]
    places = [place for place in clause.places if place.preposition in ("in", "at", "for", "through")]
    voice = account.discourse.voice
    for room in [room for place in places if (room := account.room_of(place))]:
        for who in clause.subject or ():
            if voice in companions:
                account.sighting(clause, voice, who, room)
                continue
            account.location(clause, who, room)
            for other in companions if who == voice else ():
                account.sighting(clause, voice, other, room)


def _beside(account: Account, p: int) -> tuple[list[str], list[str]]:
    """(rooms, companions) that stand beside a noun from token ``p`` on: "with Bob at tick 4 in R"."""
    tokens, rooms, companions = account.sentence.tokens, [], []
    while p < len(tokens):
        phrase = account.sentence.by_token.get(p)
        if phrase is not None and tokens[phrase.first - 1].text == "with":
            companions += [who for who in phrase.who if phrase.first == p]
        elif tokens[p].kind == "room" and {token.text for token in tokens[p - 2 : p]} & {"in", "at"}:
            rooms.append(tokens[p].value)
        elif tokens[p].kind != "time" and tokens[p].text not in ("with", "in", "at", "the"):
            break
        p += 1
    return rooms, companions


def clause_near(account: Account, p: int) -> Clause:
    """The clause to which a token belongs, for its time."""
    found = [clause for clause in account.sentence.clauses if clause.first <= p]
    return found[-1] if found else Clause(Group(0, 0, "is", "be", FINITE))


def own_account(account: Account) -> str:
    """Whose account "by his own admission" makes of a sentence; the speaker's own is none."""
    tokens = account.sentence.tokens
    for phrase in account.sentence.people:
        words = [token.text for token in tokens[max(0, phrase.first - 1) : phrase.last + 2]]
        if phrase.owner and words[:1] == ["by"] and words[-1:] == ["own"]:
            by = phrase.first - 1
            before = account.sentence.by_token.get(by - 2 if by and tokens[by - 1].text == "," else by - 1)
            named = [p.who for p in account.sentence.people if p.first > phrase.first and not p.called]
            who = before.who if before is not None else phrase.who or next(iter(named), ())
            return who[0] if len(who) == 1 and who[0] != account.discourse.speaker else ""
    return ""
