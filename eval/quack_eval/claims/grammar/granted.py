"""What a sentence takes for granted about places: "explain what you were doing in R", "X's storage alibi"."""

from __future__ import annotations

from quack_eval.claims.grammar.account import FROM, TOWARD, Account
from quack_eval.claims.grammar.disbelief import contradicted
from quack_eval.claims.grammar.lexicon import GERUND, SOMEONE
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.words import kind_at, skip, text_at, texts
from quack_eval.claims.types import PLAYER

_OF_A_ROOM = frozenset({"claim", "alibi", "presence", "pass", "visit", "trip"})
"""Nouns by which the room before them is where somebody was."""
_AT_ONCE = ("tick", "time", "moment", "second")
_STAYS = frozenset({"alibi", "location", "presence", "position"})
"""Nouns by which the room after them is."""


def taken_for_granted(account: Account, clause: Clause) -> bool:
    """explain what you were doing in R, explain being in R: what is asked for takes for granted that one was there."""
    above, asked = clause.above, account.tokens[max(0, clause.first - 1)].text
    explains = above is not None and above.group.lemma in ("explain", "hear", "know", "say", "tell")
    doing = clause.group.lemma == "do" and asked == "what"
    being = clause.group.kind == "is" and clause.group.form == GERUND and above is not None
    if not (explains and (doing or (being and above is not None and above.group.lemma == "explain"))):
        return False
    for who in () if clause.negative else clause.subject:
        for room in [account.room_of(place) for place in clause.places if place.preposition in ("in", "at", "near")]:
            account.location(clause, who, room)
    return True


def claimed_places(account: Account) -> None:
    """X's storage alibi, Y's medbay claim, Z's electrical visit: where they say that they were."""
    tokens = account.tokens
    for phrase in account.sentence.people:
        p = phrase.last + 1
        p = skip(tokens, p, frozenset({"claimed", "early", "late", "own"}))
        one_else = len(phrase.who) == 1 and account.voice not in phrase.who
        nouns = _OF_A_ROOM | {"timing"} if one_else else _OF_A_ROOM  # "my medbay timing" is no news
        told = kind_at(tokens, p) == "room" and text_at(tokens, p + 1) in nouns
        if phrase.owner and told:
            untrue = any(contradicted(clause) and clause.group.first > p for clause in account.sentence.clauses)
            for who in phrase.who:
                account.location(account.clause_at(p), who, tokens[p].value, untrue)


def alibis(account: Account) -> None:
    """My alibi with X in R, X's early alibi, his location in R with Y: where they say that they were, and with whom."""
    sentence, voice = account.sentence, account.voice
    for phrase in sentence.people if any(token.text in _STAYS for token in sentence.tokens) else ():
        told = [token.text in _STAYS for token in sentence.tokens[phrase.last + 1 : phrase.last + 4]]
        if not phrase.owner or not any(told):
            continue
        rooms, companions = _beside(account, phrase.last + 2 + told.index(True))
        clause = account.clause_at(phrase.last)
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


def with_somebody_alive(account: Account) -> None:
    """X stayed in R after Z left, with Y still alive; X left R with Y there: Y was where X was."""
    tokens, voice = account.tokens, account.voice
    told = {(who, c.room) for c in account.claims if c.of == PLAYER for who in (c.subject, c.target)}
    for phrase in account.sentence.people:
        p = phrase.last + 1
        p = skip(tokens, p)
        beside = text_at(tokens, phrase.first - 1) == "with" and not (phrase.owner or phrase.called)
        last = set(texts(tokens, phrase.first - 4, phrase.first)) & SOMEONE
        if not beside or last or p >= len(tokens) or tokens[p].text not in ("alive", "there"):
            continue
        before = [c for c in account.sentence.clauses if c.group.first < phrase.first and not (c.maybe or c.negative)]
        whose = next((c for c in reversed(before) if any(place.room for place in c.places) and c.subject), None)
        if whose is None or voice in (*phrase.who, *whose.subject):
            continue
        apart = TOWARD if whose.group.kind == "leave" else FROM | TOWARD
        for room in [place.room for place in whose.places if place.room and place.preposition not in apart][-1:]:
            for who in [player for player in phrase.who if (player, room) not in told]:
                account.location(whose, who, room)


def at_the_same_time(account: Account) -> None:
    """X walked into R the same tick Y did, at the same time as Y: Y was there too."""
    tokens = account.tokens
    told = {(who, c.room) for c in account.claims if c.of == PLAYER for who in (c.subject, c.target)}
    for phrase in account.sentence.people:
        p = phrase.first - 1 - (text_at(tokens, phrase.first - 1) in ("as", "that"))
        lead = " ".join(token.text for token in tokens[max(0, p - 1) : p + 1])
        after = tokens[phrase.last + 1] if phrase.last + 1 < len(tokens) else None
        ends = after is None or after.text in ("did", "from", "and") or after.kind == "mark"
        if p < 0 or "same" not in lead or not lead.endswith(_AT_ONCE) or not ends or phrase.owner:
            continue
        moved = [c for c in account.sentence.clauses if c.group.first < p and c.group.kind in ("move", "enter", "is")]
        moved = [c for c in moved if any(place.room for place in c.places)]
        for clause in [clause for clause in moved[-1:] if not (clause.maybe or clause.negative)]:
            rooms = [p.room for p in clause.places if p.room and p.preposition not in FROM | TOWARD]
            for who in phrase.who:
                if rooms and (who, rooms[-1]) not in told:
                    account.location(clause, who, rooms[-1])


def has_alibi(account: Account, clause: Clause) -> None:
    """X has an alibi in R with Y, from Y: where X was, seen by the speaker if it is the alibi."""
    companions = clause.players_after("with", "from")
    places = [place for place in clause.places if place.preposition in ("in", "at", "for", "through")]
    voice = account.voice
    for room in account.rooms(places):
        for who in clause.subject:
            if voice in companions:
                account.sighting(clause, voice, who, room)
                continue
            account.location(clause, who, room)
            for other in companions if who == voice else ():
                account.sighting(clause, voice, other, room)


def _beside(account: Account, p: int) -> tuple[list[str], list[str]]:
    """(rooms, companions) that stand beside a noun from token ``p`` on: "with Bob at tick 4 in R"."""
    tokens, rooms, companions = account.tokens, [], []
    while p < len(tokens):
        phrase = account.sentence.by_token.get(p)
        if phrase is not None and text_at(tokens, phrase.first - 1) == "with":
            companions += [who for who in phrase.who if phrase.first == p]
        elif tokens[p].kind == "room" and set(texts(tokens, p - 2, p)) & {"in", "at"}:
            rooms.append(tokens[p].value)
        elif tokens[p].kind != "time" and tokens[p].text not in ("with", "in", "at", "the"):
            break
        p += 1
    return rooms, companions


def own_account(account: Account) -> str:
    """Whose account "by his own admission" makes of a sentence; the speaker's own is none."""
    tokens = account.tokens
    for phrase in account.sentence.people:
        words = texts(tokens, phrase.first - 1, phrase.last + 2)
        if phrase.owner and words[:1] == ["by"] and words[-1:] == ["own"]:
            by = phrase.first - 1
            before = account.sentence.by_token.get(by - 2 if text_at(tokens, by - 1) == "," else by - 1)
            named = [p.who for p in account.sentence.people if p.first > phrase.first and not p.called]
            who = before.who if before is not None else phrase.who or next(iter(named), ())
            return who[0] if len(who) == 1 and who[0] != account.discourse.speaker else ""
    return ""
