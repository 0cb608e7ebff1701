"""Ways told in several clauses: "I started in A, went to B, and ended in C" is one route."""

from __future__ import annotations

import re

from quack_eval.claims.grammar.account import FROM, TOWARD, VIA, Account, Step
from quack_eval.claims.grammar.lexicon import GERUND
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.verbs import TO
from quack_eval.claims.types import PLAYER, POSITIVE, Claim

_GOING = ("move", "enter", "leave")
_ENDING = frozenset({"end", "finish", "reach", "arrive"})
_STARTING = frozenset({"start", "begin", "spawn"})
_ROUND = re.compile(r"(?:for |during |in )?(?:this|the|all|that)?\s*(?:whole|entire|full)?\s*(?:round|game|time|way)")


def join_steps(account: Account) -> None:
    """Makes one route of stops that one sentence tells one after the other; stops with an own time stay."""
    for run in _runs(account):
        rooms = [room for step in run for room in step.rooms]
        rooms = [room for p, room in enumerate(rooms) if p == 0 or rooms[p - 1] != room]
        if len(run) > 1 and len(rooms) > 1 and _in_turn(account, run, rooms):
            places, room = dict(account.discourse.places), account.discourse.room
            _replace(account, run, rooms)
            account.discourse.places, account.discourse.room = places, room  # as the last words left them


def _runs(account: Account) -> list[list[Step]]:
    """The stops of each player that follow one another."""
    runs: list[list[Step]] = []
    for step in sorted(account.steps, key=lambda step: step.clause.group.first):
        told = runs if step.clause.link == "then" else runs[-1:]  # "to A, where Eve was, and then to B"
        run = next((run for run in reversed(told) if set(run[0].subject) == set(step.subject)), None)
        goes_on = step.clause.group.form == GERUND and step.clause.phrase is None and step.clause.link in ("", ",")
        goes_on = goes_on and not any(p.preposition in FROM | TOWARD for p in step.clause.places)
        follows = step.clause.link in ("then", "and", ",") or step.clause.group.mood == TO
        follows = follows or goes_on or _comes_last(step.clause) or (run is not None and _sets_out(run, step.clause))
        taken = step.clause.group.first in account.routed
        if run is not None and run[-1].clause.group.first in account.routed:
            follows = step.clause.link in ("then", "and")  # not "I went A -> B, so I was in C"
        if run is not None and follows and not taken and not _tells_again(run, step):
            run.append(step)
        else:
            runs.append([step])
    return runs


def _tells_again(run: list[Step], step: Step) -> bool:
    """Whether a step only tells from where somebody had come: "I was in A, and I came into A from B"."""
    return len(step.rooms) > 1 and step.rooms[-1] == run[-1].rooms[-1]


def _comes_last(clause: Clause) -> bool:
    """Whether a clause tells the end of the way before it: "went through A before ending in B"."""
    before = clause.before
    ends = clause.link == "before" and clause.group.form == GERUND and clause.group.lemma in _ENDING
    if not ends or clause.phrase is not None or before is None:
        return False
    return all(p.preposition != "between" for p in before.places)


def _sets_out(run: list[Step], clause: Clause) -> bool:
    """Whether a clause tells where somebody went from the start: "started in A before going to B"."""
    goes = clause.link == "before" and clause.group.form == GERUND and clause.phrase is None
    return goes and len(run) == 1 and run[0].clause.group.lemma in _STARTING and clause.group.kind in _GOING


def _in_turn(account: Account, run: list[Step], rooms: list[str]) -> bool:
    """Whether stops are told as a way: with going in it, and of more than two rooms, with "then", or from a start."""
    own = run[0].subject[0] in (account.voice, account.source)
    goes = any(step.clause.group.kind in _GOING or step.clause.group.lemma in _ENDING for step in run[1:])
    then = any(step.clause.link == "then" for step in run[1:])
    last = run[-1].clause
    at_once = last.link == "," and last.phrase is None and last.group.form != GERUND and not _dated(last)
    if not own and any(step.clause.group.kind == "leave" for step in run[1:]):
        return False  # "Bob came into A from B and left toward C" is what somebody watched
    starts = run[0].clause.group.lemma in _STARTING and not any(_dated(step.clause) for step in run)
    passes = all(place.preposition in VIA for place in run[0].clause.places)  # "passed through A and went to B"
    return goes and (len(rooms) > 2 or then or at_once or starts or passes)


def _replace(account: Account, run: list[Step], rooms: list[str]) -> None:
    """A route in place of the single claims of its stops."""
    for who in run[0].subject:
        _replace_of(account, run, rooms, who)


def _replace_of(account: Account, run: list[Step], rooms: list[str], who: str) -> None:
    last = run[-1].clause
    dated = any(_dated(step.clause) for step in run) and not _from_start(run)
    then = dated and last.link == "then" and not any(p.preposition in VIA for p in last.places)
    if len(rooms) == 2 and who != account.voice and (then or who != account.source):
        if last.group.kind in ("move", "enter") and len(run[-1].rooms) == 1:
            reached = ("location", who, rooms[1])
            account.claims[:] = [c for c in account.claims if (c.kind, c.subject, c.room) != reached]
            account.activity(last, who, "traveling", rooms[1], rooms[0])
    elif len(rooms) == 2 and dated:
        return
    elif len(rooms) == 2 and (last.group.kind == "leave" or any(p.preposition in TOWARD for p in last.places)):
        account.activity(last, who, "traveling", rooms[1], rooms[0])
    else:
        own = _with_own_time(account, run)
        account.claims[:] = [c for c in account.claims if not _stop_of(c, who, rooms) or c.room in own]
        account.route(run[0].clause, who, rooms)
        told = {c.room for c in account.claims if c.kind == "location" and c.subject == who and not c.negative}
        for step in run:
            if step.rooms[-1] not in told and _has_event(account, step, who):
                account.location(step.clause, who, step.rooms[-1])


def _has_event(account: Account, step: Step, who: str) -> bool:
    """Whether something happened at the end of a step: "to R, where Bob saw me", "to R, saw Bob", "where we met"."""
    after = account.after(step.clause)
    if after is None or after.negative or after.maybe or after.group.form == GERUND:
        return False
    if after.link == "that" and "is" in (token.text for token in account.tokens[: after.group.last + 1]):
        after = account.after(after)  # "and then R — that is where the meeting was called"
        return after is not None and after.link == "where" and after.group.kind in ("call", "report")
    if after.link == "where" and after.group.kind in ("call", "report"):
        return True
    met = {*after.subject, *after.objects_of(account.sentence)}
    goes_on = after.link == "," and after.subject == (who,) and not after.places
    if after.group.kind == "task" and after.link == "where":
        return after.subject == (who,) and bool({"meeting", "report"} & set((account.time(after) or "").split()))
    seen = after.group.kind == "see" and (after.link == "where" or goes_on)
    return who in met and (seen or (after.group.kind == "is" and after.link == "where"))


def _from_start(run: list[Step]) -> bool:
    """Whether a way is told from its start on: "I started in A and then moved to B around tick 4"."""
    return run[0].clause.group.lemma in _STARTING and run[-1].clause.link == "then" and not _dated(run[0].clause)


def _with_own_time(account: Account, run: list[Step]) -> set[str]:
    """The stops that have a time or somebody of their own: they stay beside the route."""
    own = {room for step in run for room in step.rooms if step.clause.beside or _dated(step.clause)}
    own |= {room for step in run for room in step.rooms if _is_now(account, step.clause)}
    own |= {room for s in account.steps if s.clause.link == "where" and s.subject == run[0].subject for room in s.rooms}
    return {room for room in own if any(c.room == room and c.kind == "location" for c in account.claims)}


def _is_now(account: Account, clause: Clause) -> bool:
    """Whether a clause tells where somebody is while it speaks: "and now I'm in R"."""
    return account.tokens[clause.group.first].text in ("'m", "am")


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
    return stop or (claim.activity == "traveling" and (claim.origin or claim.room) in rooms)
