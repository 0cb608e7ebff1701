"""From clauses to claims: what every verb of a sentence tells."""

from __future__ import annotations

from collections.abc import Callable

from quack_eval.claims.grammar.account import Account, first_of, rooms_of
from quack_eval.claims.grammar.being import tell_being
from quack_eval.claims.grammar.bodies import tell_body, tell_finding
from quack_eval.claims.grammar.chunks import MUST, TO, Group
from quack_eval.claims.grammar.clauses import Clause
from quack_eval.claims.grammar.lexicon import EITHER, FINITE, GERUND, TASK_NOUNS, TIME_LINKS
from quack_eval.claims.grammar.moving import join_steps, tell_moving
from quack_eval.claims.grammar.seeing import tell_meeting, tell_seeing

_NOT_TOLD = frozenset(
    {"if", "would", "could", "possible", "maybe", "might", "can", "may", "why", "or", "not", "n't", "unless", "concern"}
)
"""Words beside which "self-report" is only considered."""


def tell(account: Account) -> None:
    """Reads every clause of a sentence, in order."""
    for clause in account.sentence.clauses:
        _one_clause(account, clause)
    _self_reports(account)
    join_steps(account)
    if not account.sentence.clauses:
        _nowhere(account)
    first = next((c.subject or c.owner for c in account.sentence.clauses if c.subject or c.owner), ())
    account.discourse.topic = first[0] if len(first) == 1 and first[0] != account.discourse.speaker else ""


def _self_reports(account: Account) -> None:
    """X self-reported, X's self-report: X reported a body."""
    tokens = account.sentence.tokens
    if {token.text for token in tokens} & _NOT_TOLD:
        return
    for p in range(1, len(tokens) - 1):
        noun = p + 1 + (tokens[p + 1].text == "-")
        if tokens[p].text != "self" or noun >= len(tokens) or tokens[noun].text not in ("report", "reported"):
            continue
        clause = _clause_near(account, p)
        beside = account.sentence.by_token.get(p - 1)
        who = beside.who if beside is not None else clause.subject or ()
        if tokens[noun].text == "reported" or (beside is not None and beside.owner):
            for one in who[:1]:
                account.activity(clause, one, "report", None)


def _clause_near(account: Account, p: int) -> Clause:
    """The clause to which a token belongs, for its time."""
    found = [clause for clause in account.sentence.clauses if clause.first <= p]
    return found[-1] if found else Clause(Group(0, 0, "report", "report", FINITE))


def _nowhere(account: Account) -> None:
    """A sentence that only denies rooms: "Not in A, not in B." """
    tokens = account.sentence.tokens
    if tokens and tokens[0].text in ("not", "never") and account.discourse.voice:
        clause = Clause(Group(0, 0, "is", "be", FINITE))
        for token in tokens:
            if token.kind == "room":
                account.location(clause, account.discourse.voice, token.value, True)


def _one_clause(account: Account, clause: Clause) -> None:
    kind = clause.group.kind
    account.clause = clause
    if clause.subject is None and not clause.noun and clause.link == "start" and clause.group.form in (FINITE, EITHER):
        clause.subject = (account.discourse.voice,)
    if kind == "say":
        _say(account, clause)
        return
    if clause.group.mood == TO and clause.places and clause.places[-1].room:
        account.discourse.room = clause.places[-1].room
    if account.asking and clause.link in ("because", "since", "but"):
        account.asking = False
    if clause.link == "but" and clause.subject != (account.source,) and not clause.small:
        account.source = "" if account.discourse.voice == account.discourse.speaker else account.source
    account.asking |= clause.maybe and clause.group.lemma == "hear"
    if account.asking:
        return
    if clause.link in ("before", "after", "until") and clause.places and not any(p.room for p in clause.places):
        return
    if clause.maybe and not (
        clause.group.negative and clause.group.lemma == "be" and "been" in _verb_words(account, clause)
    ):
        return
    if "nowhere" in clause.words and not clause.negative and not clause.small:
        _nowhere_near(account, clause)
    teller = _TELLERS.get(kind)
    if teller is not None:
        teller(account, clause)
    if clause.subject and not clause.small:
        account.discourse.subjects.append(clause.subject)
        del account.discourse.subjects[:-6]


def _nowhere_near(account: Account, clause: Clause) -> None:
    """did tasks, nowhere near R: the rooms after "nowhere" are denied, those before stay."""
    tokens = account.sentence.tokens
    at = next(p for p in range(*clause.rest) if tokens[p].text == "nowhere")
    denied = [place for place in clause.places if place.at > at]
    clause.places = [place for place in clause.places if place.at < at]
    for who in clause.subject or ():
        for place in denied:
            account.location(clause, who, account.room_of(place), True)


def _verb_words(account: Account, clause: Clause) -> list[str]:
    return [t.text for t in account.sentence.tokens[clause.group.first : clause.group.last + 1]]


def _say(account: Account, clause: Clause) -> None:
    """Whose words the rest of the sentence gives."""
    if clause.negative and clause.group.lemma in ("remember", "recall") and clause.subject:
        for phrase in clause.objects:
            if phrase.indefinite:
                account.sighting(clause, clause.subject[0], None, first_of(rooms_of(account, clause)), True)
        return
    if clause.words >= {"each", "other"}:
        _saw_each_other(account, clause)
    elif clause.group.lemma in ("confirm", "verify", "corroborate") and not (clause.negative or clause.maybe):
        for seer in clause.subject or ():
            for place in clause.places if clause.objects_of(account.sentence) else ():
                for who in clause.objects_of(account.sentence) if place.preposition in ("in", "at") else ():
                    account.sighting(clause, seer, who, account.room_of(place))
    if clause.subject and clause.subject[0] != account.discourse.speaker and not clause.maybe:
        account.source = clause.subject[0]
    elif clause.owner and clause.owner[0] != account.discourse.speaker:
        account.source = clause.owner[0]


def _saw_each_other(account: Account, clause: Clause) -> None:
    """A and B confirm each other in R: each was seen there by the other."""
    subject = clause.subject or ()
    for room in [p.room for p in clause.places if p.room and p.preposition in ("in", "at", "")]:
        for one in subject if not clause.negative else ():
            for other in subject:
                account.sighting(clause, one, other, room)


def _other(account: Account, clause: Clause) -> None:
    """Verbs that assert an event only in some turns of phrase."""
    lemma, words = clause.group.lemma, clause.words
    if lemma == "have" and words & {"sight", "view", "company"} and clause.subject:
        _had_company(account, clause)
    elif lemma == "have" and clause.negative and not clause.subject and "it" in words:
        room = next((t.value for t in account.sentence.tokens[: clause.group.first] if t.kind == "room"), None)
        for who in [p for o in clause.objects for p in o.who]:
            account.location(clause, who, room, True)
    elif lemma in ("vouch", "clear", "back", "alibi") and clause.words >= {"each", "other"}:
        for who in () if clause.negative else clause.subject or ():
            for room in [p.room for p in clause.places if p.room]:
                account.location(clause, who, room)
    elif lemma == "die" and any(p.room for p in clause.places) and clause.group.form != GERUND:
        if clause.subject and clause.group.mood != MUST and not _listed_on(account, clause):
            tell_body(account, clause)
    elif lemma in ("hit", "press") and "button" in clause.words and not clause.words & {"report"}:
        for who in () if clause.negative else clause.subject or ():
            account.activity(clause, who, "call", None)
    elif lemma == "overlap" and len(clause.subject or ()) > 1 and not clause.negative:
        tell_seeing(account, clause)
    elif lemma == "share" and clause.places:
        tell_meeting(account, clause)
    elif (
        lemma == "have"
        and not clause.negative
        and account.discourse.voice in [p for o in clause.objects for p in o.who]
    ):
        for room in [p.room for p in clause.places if p.room]:
            account.location(clause, account.discourse.voice, room)


def _listed_on(account: Account, clause: Clause) -> bool:
    """Whether the room after "before X died" goes on the sentence: "..., and in R with Y"."""
    between = account.sentence.tokens[clause.group.last : clause.places[0].at]
    return clause.link in TIME_LINKS and any(token.text in (",", "and") for token in between)


def _had_company(account: Account, clause: Clause) -> None:
    """had X in sight, had X for company, had no company."""
    company = "company" in clause.words
    room = first_of(rooms_of(account, clause))
    seen = [p for o in clause.objects for p in o.who]
    for who in clause.subject or ():
        for other in seen:
            if company and room:
                account.location(clause, who, room)
            account.sighting(clause, who, other, room)
        if company and not seen and "no" in clause.words:
            account.sighting(clause, who, None, room, True)


def _task(account: Account, clause: Clause) -> None:
    """X did a task in R."""
    tokens = account.sentence.tokens
    words = {tokens[p].text for p in range(*clause.rest)}
    lemma = clause.group.lemma
    if clause.noun == "route" and clause.owner and clause.group.form == GERUND:
        clause.subject, clause.noun = clause.owner, ""
    if (
        clause.noun
        or clause.negative
        or not (
            words & TASK_NOUNS
            or lemma in ("calibrate", "task")
            or (lemma == "work" and ("on" in words or clause.places))
        )
    ):
        return
    if lemma == "work" and words & {"out", "off", "backward", "with"} and not words & TASK_NOUNS:
        return
    rooms = rooms_of(account, clause)
    if (
        not rooms
        and clause.above is not None
        and clause.above.subject == clause.subject
        and (clause.group.form == GERUND or clause.link in ("and", "where"))
    ):
        above = [room for p in clause.above.places if (room := account.room_of(p))]
        rooms = above if len(above) == 1 else []
    for who in clause.subject or ():
        if clause.small and clause.above is not None:
            seen_at = [room for p in clause.above.places if (room := account.room_of(p))]
            rooms = rooms or seen_at[:1]
            for seer in () if seen_at and not clause.placed else clause.above.subject or ():
                account.sighting(clause, seer, who, rooms[0] if rooms else None)
        account.activity(clause, who, "task", rooms[0] if rooms else None, seen=clause.small)


def _put(account: Account, clause: Clause) -> None:
    """X places himself in R; that puts Bob in R."""
    whom = [p for phrase in clause.objects for p in phrase.who]
    saying = clause.subject or clause.owner
    if clause.indefinite or "falsely" in _verb_words(account, clause):
        return
    if saying and saying[0] != account.discourse.speaker:
        account.source = saying[0]
    companions = [p for preposition, phrase in clause.beside if preposition == "with" for p in phrase.who]
    if not whom and clause.words & {"body", "corpse"}:
        tell_body(account, clause)
        return
    for who in whom:
        for room in rooms_of(account, clause):
            if "alive" in clause.words and saying and saying[0] != who:
                account.sighting(clause, saying[0], who, room, clause.negative)
                continue
            if saying and saying[0] != who and {who, saying[0]} & set(companions):  # "Eve puts Bob in R with her"
                account.sighting(clause, saying[0], who, room, clause.negative)
                continue
            account.location(clause, who, room, clause.negative)
            for companion in companions:
                account.sighting(clause, who, companion, room, clause.negative)


def _call(account: Account, clause: Clause) -> None:
    """X called the meeting."""
    words = clause.words
    mine = clause.subject == (account.discourse.speaker,) and words & {"this", "it"}
    if not clause.negative and not clause.group.passive and (mine or words & {"meeting", "emergency", "button"}):
        for who in clause.subject or ():
            account.activity(clause, who, "call", None)


_TELLERS: dict[str, Callable[[Account, Clause], None]] = {
    "is": tell_being, "be": tell_being, "wait": tell_being, "move": tell_moving, "enter": tell_moving,
    "leave": tell_moving, "see": tell_seeing, "find": tell_finding, "report": tell_finding, "task": _task, "put": _put,
    "call": _call, "other": _other,
}  # fmt: skip
"""What a verb of each kind tells."""
