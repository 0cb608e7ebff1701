"""From clauses to claims: what every verb of a sentence tells."""

from __future__ import annotations

from collections.abc import Callable

from quack_eval.claims.grammar.account import TOWARD, Account, first_of, or_none, rooms_of, says_until
from quack_eval.claims.grammar.agreeing import bear_out
from quack_eval.claims.grammar.being import kept, tell_being, was_still_at_it
from quack_eval.claims.grammar.bodies import tell_bodies_named, tell_body, tell_finding
from quack_eval.claims.grammar.chunks import players
from quack_eval.claims.grammar.disbelief import (
    calls_it_a_lie,
    claimed_by,
    denied,
    denies,
    falsely,
    lied_about,
    truthful_about,
)
from quack_eval.claims.grammar.granted import (
    alibis,
    at_the_same_time,
    claimed_places,
    has_alibi,
    own_account,
    taken_for_granted,
    with_somebody_alive,
)
from quack_eval.claims.grammar.lexicon import BASE, GERUND, ROUTE_NOUNS, TASK_NOUNS, TIME_LINKS
from quack_eval.claims.grammar.moving import tell_moving
from quack_eval.claims.grammar.nobody import place_denial
from quack_eval.claims.grammar.parts import Clause, Place, verbless_clause
from quack_eval.claims.grammar.placing import confirmed, led, tell_both_places, tell_placed, tell_placing
from quack_eval.claims.grammar.reports import tell_self_reports, where_reported
from quack_eval.claims.grammar.seeing import tell_meeting, tell_seeing, tell_together
from quack_eval.claims.grammar.steps import join_steps
from quack_eval.claims.grammar.verbs import FACT, MUST, TO
from quack_eval.claims.grammar.words import text_at, texts
from quack_eval.claims.types import BODY

_GUESSING = frozenset({"like", "seems", "imply", "implies", "suggests", "probably", "likely", "maybe", "think"})
_CONTACT = frozenset({"contact", "interaction", "interactions", "encounter", "encounters"})
_MEETING = frozenset({"sight", "view", "company"}) | _CONTACT
_CHANCES = frozenset({"window", "time", "opportunity", "moment", "chance"})
_AT_ONE = frozenset({"up", "other"})
"""line up, match each other."""


def tell(account: Account) -> None:
    """Reads every clause of a sentence, in order."""
    account.source = account.source or own_account(account)
    for clause in account.sentence.clauses:
        _one_clause(account, clause)
    if account.untrue_from is not None:
        account.claims[:] = denied(account.claims, account.untrue_from)
    tell_self_reports(account)
    claimed_places(account)
    tell_both_places(account)
    alibis(account)
    bear_out(account)
    with_somebody_alive(account)
    at_the_same_time(account)
    tell_bodies_named(account)
    join_steps(account)
    if not account.sentence.clauses:
        _nowhere(account)
    first = next((c.subject or c.owner for c in account.sentence.clauses if c.subject or c.owner), ())
    ways = [c.owner for c in account.sentence.clauses if c.noun == "route" and c.owner]
    account.discourse.way_of = ways[0] if ways else ()
    account.discourse.topic = first[0] if len(first) == 1 and first[0] != account.discourse.speaker else ""


def _nowhere(account: Account) -> None:
    """A sentence that only denies rooms: "Not in A, not in B." After "I never saw Bob.", he was not seen there."""
    tokens, voice = account.tokens, account.voice
    if tokens and tokens[0].text in ("not", "never") and voice:
        clause = verbless_clause()
        for token in tokens:
            for whom in account.discourse.unseen if token.kind == "room" else ():
                account.sighting(clause, voice, whom, token.value, True)
            if token.kind == "room" and not account.discourse.unseen:
                account.location(clause, voice, token.value, True)


def _one_clause(account: Account, clause: Clause) -> None:
    account.clause = clause
    account.source = claimed_by(account, clause) or account.source
    if clause.group.kind == "say":
        _say(account, clause)
        return
    _take_bearings(account, clause)
    if taken_for_granted(account, clause):
        return
    if calls_it_a_lie(account, clause):
        account.claims[:] = denied(account.claims)
        return
    _believe(account, clause)
    if _tells_nothing(account, clause):
        return
    _lead(account, clause)
    if "nowhere" in clause.words and not clause.negative and not clause.small:
        _nowhere_near(account, clause)
    place_denial(account, clause)
    _TELLERS[clause.group.kind](account, clause)
    if clause.small and clause.group.kind in ("task", "other", "report", "call"):
        _seen_at_it(account, clause)
    if clause.subject and not clause.small:
        account.discourse.subjects.append(clause.subject)
        del account.discourse.subjects[:-6]


def _take_bearings(account: Account, clause: Clause) -> None:
    """Notes whose words a clause gives, whether it is what the speaker asks to hear, and which room it speaks of."""
    if clause.owner and clause.owner == clause.subject and clause.owner[0] != account.discourse.speaker:
        account.source = clause.owner[0]  # "Bob's story about going to R"
    if clause.group.mood == TO and clause.places and clause.places[-1].room:
        account.discourse.room = clause.places[-1].room
    account.asking &= clause.link not in ("because", "since", "but")
    account.asking |= clause.maybe and clause.group.lemma == "hear"
    own = account.voice == account.discourse.speaker
    if own and clause.link == "but" and clause.subject != (account.source,) and not clause.small:
        account.source = ""


def _believe(account: Account, clause: Clause) -> None:
    """Turns what is denied or lied about into its denial, and what is not lied about into a statement."""
    if denies(clause):
        clause.negative = True
    if lied_about(clause) and clause.before is not None:
        clause.maybe, clause.negative, account.source = False, True, next(iter(clause.before.subject), "")
    if truthful_about(clause):
        clause.maybe = False


def _tells_nothing(account: Account, clause: Clause) -> bool:
    """Whether a clause is asked for, only dates another one, or is only possible."""
    dates = clause.link in ("before", "after", "until") and clause.group.kind != "find"
    only_there = clause.places and not any(p.room for p in clause.places)
    return account.asking or bool(dates and only_there) or (clause.maybe and not _ruled_out(account, clause))


def _lead(account: Account, clause: Clause) -> None:
    """Gives what a route does to whom it leads: "Bob's route never goes near R", "took him through R"."""
    if clause.noun == "route" and clause.owner and clause.negative and clause.group.kind in ("is", "move", "enter"):
        clause.subject, clause.noun = clause.owner, ""
    if whom := led(clause):
        account.source = "" if clause.owner == (account.discourse.speaker,) else next(iter(clause.owner), "")
        clause.subject, clause.noun, clause.objects = whom, "", []


def _seen_at_it(account: Account, clause: Clause) -> None:
    """I saw X doing things in R: X was seen there, whatever it did."""
    above, claims = clause.above, account.claims
    if above is None or above.group.kind != "see" or above.negative or above.maybe or above.group.passive:
        return
    rooms = rooms_of(account, above) or rooms_of(account, clause)
    for seer in above.subject if rooms and clause.group.form == GERUND and not clause.negative else ():
        for who in clause.subject:
            if not any(c.type == "sighting" and (c.subject, c.target) == (seer, who) for c in claims):
                account.sighting(clause, seer, who, rooms[0])


def _nowhere_near(account: Account, clause: Clause) -> None:
    """did tasks, nowhere near R: the rooms after "nowhere" are denied, those before stay."""
    tokens = account.tokens
    at = next(p for p in range(*clause.rest) if tokens[p].text == "nowhere")
    denied = [place for place in clause.places if place.at > at]
    clause.places = [place for place in clause.places if place.at < at]
    for who in kept(clause):
        for place in denied:
            account.location(clause, who, account.room_of(place), True)


def _ruled_out(account: Account, clause: Clause) -> bool:
    """Whether what is only possible is denied: "could not have been in R", but not "... until tick 9"."""
    denied = clause.negative and clause.group.lemma == "be" and not says_until(clause)
    return denied and "been" in _verb_words(account, clause)


def _verb_words(account: Account, clause: Clause) -> list[str]:
    return account.words(clause.group.first, clause.group.last + 1)


def _say(account: Account, clause: Clause) -> None:
    """Whose words the rest of the sentence gives."""
    if clause.negative and clause.group.lemma in ("remember", "recall") and clause.subject:
        for phrase in clause.objects:
            if phrase.indefinite:  # "I can't remember anybody in R"
                account.sighting(clause, clause.subject[0], None, first_of(rooms_of(account, clause)), True)
        return
    if "nowhere" in clause.words and not (clause.negative or clause.maybe):
        _nowhere_near(account, clause)  # "Bob claimed nowhere near R"
    if (room := _claims_room(account, clause)) is not None:
        for who in clause.subject:
            account.location(clause, who, room)
    if falsely(account, clause):
        account.untrue_from = len(account.claims)
    if clause.words >= {"each", "other"}:
        tell_together(account, clause)
    elif confirmed(clause):
        tell_placed(account, clause)
        return
    elif clause.group.lemma in ("confirm", "verify", "corroborate") and not (
        clause.negative or clause.maybe or clause.group.passive
    ):
        for place in clause.places if clause.subject else ():
            for who in clause.objects_of(account.sentence) if place.preposition in ("in", "at") else ():
                account.location(clause, who, account.room_of(place))
    if clause.subject and clause.subject[0] != account.discourse.speaker and not clause.maybe:
        account.source = clause.subject[0]
    elif clause.subject == (account.voice,) and clause.phrase is not None and clause.link != "that":
        own = account.voice == account.discourse.speaker
        account.source = "" if own else account.voice  # "Bob confirms it, and I can confirm ..."
    elif clause.owner and clause.owner[0] != account.discourse.speaker:
        account.source = clause.owner[0]


def _claims_room(account: Account, clause: Clause) -> str | None:
    """The room of "Bob claims storage": where he says that he was."""
    place = clause.places[0] if clause.places else None
    if place is None or place.at != clause.group.last + 1 or clause.group.lemma not in ("claim", "say"):
        return None
    after = account.after(clause)
    subject_of_next = after is not None and after.group.first == place.at + 1
    return None if subject_of_next or clause.negative or clause.maybe else place.room


def _other(account: Account, clause: Clause) -> None:
    """Verbs that assert an event only in some turns of phrase."""
    lemma, words = clause.group.lemma, clause.words
    if _as_one(clause):
        tell_together(account, clause)
    elif lemma == "have":
        _had(account, clause)
    elif lemma == "die":
        _died(account, clause)
    elif lemma in ("hit", "press"):
        _pressed(account, clause)
    elif lemma in ("finish", "complete") and words & TASK_NOUNS:
        _task(account, clause)
    elif lemma == "overlap" and len(clause.subject) > 1 and not clause.negative and clause.group.form != GERUND:
        tell_seeing(account, clause)
    elif lemma == "finish" and _ends_there(account, clause):
        tell_being(account, clause)
    elif lemma == "share" and clause.places:
        tell_meeting(account, clause)
    elif lemma in ("vouch", "alibi") and not clause.negative:
        _vouched_for(account, clause)


def _had(account: Account, clause: Clause) -> None:
    """had X in sight, had time alone with X in R, has an alibi in R; X's story has Y in R."""
    words = clause.words
    if words & _MEETING and clause.subject:
        _had_company(account, clause)
    elif clause.negative:
        return
    elif words & _CHANCES:
        _had_a_chance(account, clause)
    elif "alibi" in words and "no" not in words:
        has_alibi(account, clause)
    elif clause.objects_of(account.sentence):
        tell_placing(account, clause)


def _died(account: Account, clause: Clause) -> None:
    """X died in R, X died in the same room, R where X died."""
    placed = clause.link == "where" or any(p.room or account.tokens[p.at].text == "room" for p in clause.places)
    if placed and clause.subject and (clause.group.form != GERUND or clause.phrase is not None):
        clause.places = [place for place in clause.places if not _after_aside(account, clause, place)]
        tell_body(account, clause)


def _pressed(account: Account, clause: Clause) -> None:
    """X hit report, X pressed the button."""
    for who in () if clause.negative else clause.subject:
        if "report" in clause.words and clause.group.mood == FACT:
            account.activity(clause, who, "report", where_reported(account, clause, who))
        elif "button" in clause.words:
            _called(account, clause, who)


def _vouched_for(account: Account, clause: Clause) -> None:
    """X vouches for Y in R: Y was there, and seen where the speaker vouches."""
    voice = account.voice
    whom = clause.players_after("for") + players(clause.objects)
    for place in clause.places if clause.subject else ():
        for who in whom if place.preposition in ("in", "at", "inside") else ():
            if clause.subject == (voice,):
                account.sighting(clause, voice, who, account.room_of(place))
            elif who not in clause.subject:
                account.location(clause, who, account.room_of(place))


def _ends_there(account: Account, clause: Clause) -> bool:
    """Whether "finished (my route) in R" tells where a way ended."""
    at_once = text_at(account.tokens, clause.group.last + 1) in ("in", "at", "up", "over", "down", "back")
    return (at_once or bool(clause.words & ROUTE_NOUNS)) and not clause.words & TASK_NOUNS


def _as_one(clause: Clause) -> bool:
    """A and B alibi each other, match each other, line up."""
    if clause.group.lemma == "have":
        return "mutual" in clause.words and "alibi" in clause.words and len(clause.places) == 1
    if clause.group.lemma in ("vouch", "clear", "back", "alibi"):
        return clause.words >= {"each", "other"}
    agrees = clause.group.lemma in ("line", "match", "align") and clause.words & _AT_ONE
    return bool(agrees) and len(clause.subject) > 1


def _after_aside(account: Account, clause: Clause, place: Place) -> bool:
    """Whether a room stands after what a clause fills: "A (where Bob died) and B", "before he died: Eve in A"."""
    between = set(account.words(clause.group.last, place.at))
    return (")" in between and "(" not in between) or ":" in between


def _had_company(account: Account, clause: Clause) -> None:
    """had X in sight, had X for company, had no company, had no contact with X."""
    if clause.words & _CONTACT:
        denied = clause.negative or "no" in clause.words
        for who in clause.subject if denied else ():
            for other in or_none(players(phrase for _, phrase in clause.beside)):
                account.sighting(clause, who, other, first_of(rooms_of(account, clause)), True)
        return
    room = first_of(rooms_of(account, clause))
    seen = players(clause.objects)
    for who in clause.subject:
        for other in seen:
            account.sighting(clause, who, other, room)
        if not seen and clause.words >= {"no", "company"}:
            account.sighting(clause, who, None, room, True)


def _had_a_chance(account: Account, clause: Clause) -> None:
    """X had time alone with Y in R: both were there."""
    companions = clause.players_after("with")
    for room in rooms_of(account, clause) if companions and any(p.room for p in clause.places) else ():
        for who in (*clause.subject, *companions):
            account.location(clause, who, room)


def _task(account: Account, clause: Clause) -> None:
    """X did a task in R."""
    tokens = account.tokens
    words = {tokens[p].text for p in range(*clause.rest)}
    if clause.noun == "route" and clause.owner and clause.group.form == GERUND:
        clause.subject, clause.noun = clause.owner, ""
    if clause.noun or clause.negative or not _does_a_task(account, clause, words):
        return
    rooms = rooms_of(account, clause) or _rooms_before(account, clause, words)
    for who in clause.subject:
        if clause.small and clause.above is not None:
            seen_at = account.rooms(clause.above.places)
            rooms = rooms or seen_at[:1]
            for seer in () if seen_at and not clause.placed else clause.above.subject:
                account.sighting(clause, seer, who, rooms[0] if rooms else None)
        for room in or_none(rooms if clause.places else rooms[:1]):
            account.activity(clause, who, "task", room, seen=clause.small)
            if who == account.voice and was_still_at_it(account, clause):
                account.location(clause, who, room)


def _rooms_before(account: Account, clause: Clause, words: set[str]) -> list[str]:
    """Where a task was done by the clause before: "stayed in R doing (a task)", "my route was Q -> R, doing a task"."""
    host = clause.above
    if host is not None and host.group.lemma == "do" and clause.group.form == BASE and clause.before is host:
        host = host.above  # "doing calibrate"
    elif clause.group.form != GERUND and clause.link not in ("and", "where", ","):
        return []
    if host is None:
        return []
    if host.noun == "route" and clause.link == "," and not words & {"along", "tasks"}:
        here = account.discourse.places.get(clause.subject[0]) if clause.subject else None
        return [here] if here is not None else []
    rooms = account.rooms(host.places) if host.subject == clause.subject else []
    return rooms if len(rooms) == 1 else []


def _does_a_task(account: Account, clause: Clause, words: set[str]) -> bool:
    """Whether a verb and the words after it tell of a task: calibrated it, worked on it, did the wiring."""
    if clause.group.lemma in ("calibrate", "task"):
        return True
    if clause.group.lemma != "work":
        return _object_is_task(account, clause)
    apart = words & {"out", "off", "backward", "with", "it"}
    return bool(words & TASK_NOUNS) or (not apart and bool("on" in words or clause.places))


def _object_is_task(account: Account, clause: Clause) -> bool:
    """Whether it is tasks that were done: not in "did a loop for tasks", nor in "left to go do my tasks"."""
    tokens = account.tokens
    at = next((p for p in range(*clause.rest) if tokens[p].text in TASK_NOUNS), None)
    lead = texts(tokens, clause.group.first - 2, clause.group.first)
    if lead == ["to", "go"]:
        return False
    return at is not None and "for" not in [token.text for token in tokens[clause.rest[0] : at]]


def _saw_kill(account: Account, clause: Clause, seers: tuple[str, ...]) -> None:
    """saw X kill Y: X was seen, where the seer was."""
    for seer in seers:
        here = first_of([p.room for p in clause.places if p.room]) or account.discourse.places.get(seer)
        for who in clause.subject:
            account.sighting(clause, seer, who, here)


def _kill(account: Account, clause: Clause) -> None:
    """Y killed X in R, X was killed in R: the body was there, and so was Y."""
    victims = clause.subject if clause.group.passive else clause.objects_of(account.sentence)
    open_ended = clause.group.form == BASE or (clause.group.mood == MUST and not clause.group.passive)
    above, before = clause.above, clause.link_before(account.sentence)
    if clause.small and above is not None and above.group.kind in ("see", "find") and not above.negative:
        _saw_kill(account, clause, above.subject)
    if clause.negative or clause.small or open_ended or before in ("to", "have") or clause.link in TIME_LINKS:
        return
    begin = clause.phrase.first if clause.phrase is not None else clause.group.first
    if _GUESSING & set(account.words(begin - 3, clause.group.first)):
        return  # "it looks like Bob killed Eve in R"
    told = not clause.group.passive and clause.group.form != GERUND and clause.link != "how"
    for room in [p.room for p in clause.places if p.room and p.preposition in ("in", "inside")][:1]:
        for who in victims:
            account.location(clause, who, room, of=BODY)
        for killer in clause.subject if told else ():
            account.location(clause, killer, room)


def _call(account: Account, clause: Clause) -> None:
    """X called the meeting."""
    words = clause.words
    mine = clause.subject == (account.discourse.speaker,) and words & {"this", "it"}
    if not clause.negative and not clause.group.passive and (mine or words & {"meeting", "emergency", "button"}):
        for who in clause.subject:
            _called(account, clause, who)


def _called(account: Account, clause: Clause, who: str) -> None:
    """X called the meeting, hit the button, in the room that the clause names."""
    named = first_of(rooms_of(account, clause, TOWARD))  # "called it from R"
    if who == account.voice and any(place.preposition in ("from", "in", "at") for place in clause.places):
        account.location(clause, who, named)
    account.activity(clause, who, "call", named)


_TELLERS: dict[str, Callable[[Account, Clause], None]] = {
    "is": tell_being, "be": tell_being, "wait": tell_being, "move": tell_moving, "enter": tell_moving,
    "leave": tell_moving, "see": tell_seeing, "find": tell_finding, "report": tell_finding, "task": _task,
    "put": tell_placing, "call": _call, "kill": _kill, "other": _other,
}  # fmt: skip
"""What a verb of each kind tells."""
