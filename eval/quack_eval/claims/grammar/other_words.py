"""Turns of phrase by which somebody was somewhere: "my position was R", "R, that was me", "the only one was X"."""

from __future__ import annotations

from itertools import product

from quack_eval.claims.grammar.account import Account, existential, first_of, rooms_going_on, rooms_of
from quack_eval.claims.grammar.chunks import players
from quack_eval.claims.grammar.lexicon import SOMEONE
from quack_eval.claims.grammar.parts import Clause


def in_other_words(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """Tells where somebody was by a turn of phrase; whether there is one."""
    named = players([*clause.objects, *(phrase for _, phrase in clause.beside)])
    return any(turn(account, clause, rooms, named) for turn in _TURNS)


def _busy(account: Account, clause: Clause, rooms: list[str], named: list[str]) -> bool:
    """My tasks in R kept me busy."""
    if clause.noun != "task" or "busy" not in clause.words:
        return False
    room = next((token.value for token in account.tokens[: clause.group.first] if token.kind == "room"), None)
    account.activity(clause, clause.owner[0], "task", room)
    return True


def _that_was_me(account: Account, clause: Clause, rooms: list[str], named: list[str]) -> bool:
    """R, that was me."""
    at = clause.group.first - 3
    that = clause.link_before(account.sentence) == "that" and named == [account.voice]
    if rooms or not that or at < 0 or account.tokens[at].kind != "room":
        return False
    account.location(clause, account.voice, account.tokens[at].value)
    return True


def _eyes_on(account: Account, clause: Clause, rooms: list[str], named: list[str]) -> bool:
    """My eyes were on X."""
    for who in named if clause.noun == "eyes" else ():
        account.sighting(clause, clause.owner[0] if clause.owner else account.voice, who, first_of(rooms))
    return clause.noun == "eyes"


def _there_was_no(account: Account, clause: Clause, rooms: list[str], named: list[str]) -> bool:
    """There was no X in R."""
    told = existential(account, clause) and "no" in clause.words and bool(named and rooms)
    for who, room in product(named, rooms) if told else ():
        account.location(clause, who, room, True)
    return told


def _position(account: Account, clause: Clause, rooms: list[str], named: list[str]) -> bool:
    """My position was R; not "Eve's report location is R"."""
    lead = set(account.words(clause.group.first - 3, clause.group.first))
    told = clause.noun == "place" and bool(clause.owner) and not clause.negative and not lead & {"report", "body"}
    for room in rooms if told else ():
        account.location(clause, clause.owner[0], room)
    return told


def _so_was(account: Account, clause: Clause, rooms: list[str], named: list[str]) -> bool:
    """I was in R, so was X: X was seen there."""
    before = clause.before
    so = clause.link_before(account.sentence) == "so" and bool(named) and not clause.places
    if not so or before is None or before.subject != (account.voice,):
        return False
    for room, who in product(account.rooms(before.places), named):
        account.sighting(clause, account.voice, who, room)
    return True


def _we_were(account: Account, clause: Clause, rooms: list[str], named: list[str]) -> bool:
    """We were two in R, X and I."""
    voice = account.voice
    told = voice in clause.subject and voice in named and len(named) > 1
    for room in rooms if told else ():
        account.location(clause, voice, room)
        for who in named:
            account.sighting(clause, voice, who, room)
    return told


def _last_there(account: Account, clause: Clause, rooms: list[str], named: list[str]) -> bool:
    """The last one in R with Y was X: both were there."""
    tokens = account.tokens[: clause.group.first]
    words = [token.text for token in tokens]
    one = next((p for p, word in enumerate(words) if word in SOMEONE), len(words))
    inside = [p for p in range(one, len(words)) if tokens[p].kind == "room" and words[p - 1] in ("in", "at")]
    told = len(named) == 1 and not clause.subject and not clause.negative and len(inside) == 1
    if not told or not {"last", "only"} & set(words[max(0, one - 2) : one]) or len(words) - one > 8:
        return False
    beside = [phrase for phrase in account.sentence.people if one < phrase.first < len(words)]
    for who in [*named, *players(phrase for phrase in beside if words[phrase.first - 1] == "with")]:
        account.location(clause, who, tokens[inside[0]].value)
    return True


def _for_me(account: Account, clause: Clause, rooms: list[str], named: list[str]) -> bool:
    """For me it was R."""
    told = not clause.subject and not clause.noun and bool(rooms)
    told = told and account.words(clause.group.first - 3, clause.group.first) == ["for", "me", "it"]
    for room in rooms[:1] if told else ():
        account.location(clause, account.voice, room)
    return told


_TURNS = (_busy, _that_was_me, _eyes_on, _there_was_no, _position, _so_was, _we_were, _last_there, _for_me)


def only_one(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """Tells "the only person I saw was X", "X was the last one I saw"; whether it is told so."""
    after, before, words = account.after(clause), clause.before, clause.words
    if clause.subject and words & SOMEONE and words & {"only", "last", "first"} and after is not None:
        if after.group.kind != "see" or after.objects or after.maybe or after.link not in ("", "that", "who"):
            return False
        only = "only" in words and not after.words & {"near", "around", "close"}
        rooms = rooms_of(account, after)
        if not rooms and "body" in after.words:
            rooms = [room for room in (account.discourse.bodies.get(account.discourse.victim() or ""),) if room]
        _saw_only(account, clause, after, clause.subject, rooms, only)
        return True
    if before is None or before.group.kind != "see" or before.objects or not clause.objects:
        return False
    lead = set(account.words(0, before.group.first))
    if not lead & SOMEONE or not lead & {"only", "last", "first", "the"}:
        return False
    rooms = rooms or rooms_of(account, before) or rooms_going_on(account, clause)
    _saw_only(account, clause, before, tuple(players(clause.objects)), rooms, "only" in lead)
    return True


def _saw_only(
    account: Account, clause: Clause, seeing: Clause, seen: tuple[str, ...], rooms: list[str], only: bool
) -> None:
    """Those who were seen, and where there were only they, that nobody else was."""
    for seer in seeing.subject:
        for whom in seen:
            account.sighting(clause, seer, whom, first_of(rooms))
        if only and seen:
            account.sighting(clause, seer, None, first_of(rooms_of(account, seeing)), True)
