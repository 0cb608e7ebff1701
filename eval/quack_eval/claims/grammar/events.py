"""From clauses to claims: who was where, who saw whom, who found, did and went."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quack_eval.claims.grammar.chunks import MUST, TO, Persons
from quack_eval.claims.grammar.clauses import Clause, Place, Sentence, time_of
from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import BODY_WORDS, EITHER, FINITE, GERUND, TASK_NOUNS, TIME_LINKS
from quack_eval.claims.grammar.times import WEAK
from quack_eval.claims.types import BODY, NEGATIVE, PLAYER, POSITIVE, Claim

_TO = frozenset({"to", "into", "in", "inside", "at", "for", "onto", "on", "within", "over", "up", "down", "back"})
_TOWARD = frozenset({"toward", "towards"})
_FROM = frozenset({"from", "out", "off"})
_VIA = frozenset({"through", "via", "by", "past", "across", "near", "around", "along", "between"})
_MEETING = frozenset({"meet", "bump", "share", "run", "come", "cross"})
_ARRIVING = frozenset(
    {"come", "walk", "enter", "arrive", "step", "get", "join", "return", "run", "drop", "slip", "reach", "follow"}
)
_DEAD = frozenset({"dead", "body", "corpse", "bodies", "lying", "killed"})


@dataclass
class Step:
    """A stop of somebody's way: for the routes that several clauses tell."""

    clause: Clause
    subject: tuple[str, ...]
    rooms: tuple[str, ...]


@dataclass
class Account:
    """The claims of a sentence as they are read, and in whose name they are said."""

    message: str
    sentence: Sentence
    discourse: Discourse
    source: str = ""
    claims: list[Claim] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    routed: set[int] = field(default_factory=set)
    asking: bool = False
    witnessed: bool = False

    # --- what a claim is made of ---

    def room_of(self, place: Place) -> str | None:
        """The room of a place; of "there" and "here" the one just spoken of."""
        if place.room:
            return place.room
        tokens = self.sentence.tokens
        named = [p for p in range(place.at - 1, -1, -1) if tokens[p].kind == "room"]
        reached = [p for p in named if not p or tokens[p - 1].text not in ("from", "toward", "towards")]
        return next((tokens[p].value for p in [*reached, *named]), self.discourse.room)

    def where(self, clause: Clause) -> str | None:
        """The room that "where" points to: the last one named before it."""
        named = [t.value for t in self.sentence.tokens[: clause.group.first] if t.kind == "room"]
        return named[-1] if named else self.discourse.room

    def time(self, clause: Clause) -> str | None:
        """The time phrase of a clause as it stands in the message, or the clause of time that follows."""
        token = time_of(clause)
        if token is not None:
            return self.message[token.start : token.end]
        if (shared := self._shared_time(clause)) is not None:
            return self.message[shared.start : shared.end]
        after = self.after(clause)
        if after is not None and after.link in TIME_LINKS and not after.small:
            tokens = self.sentence.tokens
            first = next(
                (p for p in range(after.group.first, clause.rest[0] - 1, -1) if tokens[p].text in TIME_LINKS), None
            )
            last = next(
                (p for p in range(after.rest[0], after.rest[1]) if tokens[p].text in (",", "—", "-", ";", "(")),
                after.rest[1],
            )
            if first is not None and last > first:
                return self.message[tokens[first].start : tokens[last - 1].end]
        return None

    def _shared_time(self, clause: Clause) -> Token | None:
        """The time of what was seen, of the clause that a participle goes on, or put at the head of the sentence."""
        if clause.small and clause.above is not None:
            return time_of(clause.above)
        if clause.group.form == GERUND and clause.phrase is None and clause.before is not None:
            return time_of(clause.before)
        opening = [t for t in self.sentence.tokens[:3] if t.kind == "time" and t.text not in WEAK]
        return opening[0] if opening else None

    def after(self, clause: Clause) -> Clause | None:
        clauses = self.sentence.clauses
        number = next((n for n, other in enumerate(clauses) if other is clause), len(clauses))
        return clauses[number + 1] if number + 1 < len(clauses) else None

    def attribution(self, clause: Clause, person: str | None, seen: bool = False) -> str:
        """Whose word a claim about a person is."""
        if clause.group.mood == MUST:
            return "inferred"
        if self.source and self.source != self.discourse.speaker:
            return "quoted"
        if person == self.discourse.speaker:
            return "own"
        return "witnessed" if seen else "quoted" if self._spoke(person) else "witnessed"

    def _spoke(self, person: str | None) -> bool:
        return person is not None and person in self.discourse.said

    # --- claims ---

    def location(self, clause: Clause, who: str, room: str | None, negative: bool = False, of: str = PLAYER) -> None:
        """``who`` was in a room."""
        if room is None:
            return
        self.discourse.room = room
        if not negative:
            self.discourse.places[who] = room
        polarity = NEGATIVE if negative else POSITIVE
        self.claims.append(
            Claim(
                "location",
                who,
                room,
                of=of,
                polarity=polarity,
                attribution=self.attribution(clause, who),
                time=self.time(clause),
            )
        )

    def route(self, clause: Clause, who: str, rooms: Iterable[str], negative: bool = False) -> None:
        """``who`` went this way."""
        stops = list(rooms)
        way = [room for p, room in enumerate(stops) if p == 0 or stops[p - 1] != room]
        if len(way) < 2:
            for room in way:
                self.location(clause, who, room, negative)
            return
        self.discourse.room = way[-1]
        self.discourse.places[who] = way[-1]
        polarity = NEGATIVE if negative else POSITIVE
        self.claims.append(
            Claim(
                "location",
                who,
                route=tuple(way),
                polarity=polarity,
                attribution=self.attribution(clause, who),
                time=self.time(clause),
            )
        )

    def sighting(
        self, clause: Clause, who: str, target: str | None, room: str | None, negative: bool = False, of: str = PLAYER,
        time: str | None = None,
    ) -> None:  # fmt: skip
        """``who`` saw somebody (or somebody's body) in a room."""
        if who == target:
            return
        if room is not None:
            self.discourse.room = room
        if target is not None and room is not None and not negative and of == PLAYER:
            self.discourse.places[target] = room
        if who == self.discourse.speaker and room is not None and not negative:
            self.discourse.places[who] = room
        own = "own" if who == self.discourse.speaker and not self.source else "quoted"
        polarity = NEGATIVE if negative else POSITIVE
        self.claims.append(
            Claim(
                "sighting",
                who,
                room,
                target=target,
                of=of,
                polarity=polarity,
                attribution=own,
                time=time or self.time(clause),
            )
        )

    def activity(
        self, clause: Clause, who: str, what: str, room: str | None, origin: str | None = None,
        negative: bool = False, seen: bool = False,
    ) -> None:  # fmt: skip
        """``who`` did something in a room, or went to it."""
        if what == "traveling" and room is not None:
            self.discourse.room = room
            if not negative:
                self.discourse.places[who] = room
        polarity = NEGATIVE if negative else POSITIVE
        attribution = self.attribution(clause, who, seen)
        self.claims.append(
            Claim(
                "activity",
                who,
                room,
                activity=what,
                origin=origin,
                polarity=polarity,
                attribution=attribution,
                time=self.time(clause),
            )
        )


def _or_none(rooms: list[str]) -> list[str | None]:
    """The rooms, or one unknown room where there are none."""
    return [*rooms] or [None]


def _first(rooms: list[str]) -> str | None:
    """The first room, if there is one."""
    return rooms[0] if rooms else None


def tell(account: Account) -> None:
    """Reads every clause of a sentence, in order."""
    for clause in account.sentence.clauses:
        _one_clause(account, clause)
    _join_steps(account)
    first = next((c.subject for c in account.sentence.clauses if c.subject), ())
    account.discourse.topic = first[0] if len(first) == 1 and first[0] != account.discourse.speaker else ""


def _one_clause(account: Account, clause: Clause) -> None:
    kind = clause.group.kind
    if clause.subject is None and not clause.noun and clause.link == "start" and clause.group.form in (FINITE, EITHER):
        clause.subject = (account.discourse.voice,)
    if kind == "say":
        _say(account, clause)
        return
    if clause.group.mood == TO and clause.places and clause.places[-1].room:
        account.discourse.room = clause.places[-1].room
    if account.asking and clause.link in ("because", "since", "but"):
        account.asking = False
    account.asking |= clause.maybe and clause.group.lemma == "hear"
    if account.asking:
        return
    if clause.link in ("before", "after", "until") and clause.places and not any(p.room for p in clause.places):
        return
    if clause.maybe and not (
        clause.group.negative and clause.group.lemma == "be" and "been" in _verb_words(account, clause)
    ):
        return
    teller = {
        "is": _be, "be": _be, "move": _move, "enter": _move, "leave": _move, "see": _see, "find": _find,
        "report": _find, "task": _task, "put": _put, "wait": _be, "call": _call, "other": _other,
    }.get(kind)  # fmt: skip
    if teller is not None:
        teller(account, clause)
    if clause.subject and not clause.small:
        account.discourse.subjects.append(clause.subject)
        del account.discourse.subjects[:-6]


def _verb_words(account: Account, clause: Clause) -> list[str]:
    return [t.text for t in account.sentence.tokens[clause.group.first : clause.group.last + 1]]


def _say(account: Account, clause: Clause) -> None:
    """Whose words the rest of the sentence gives."""
    if clause.negative and clause.group.lemma in ("remember", "recall") and clause.subject:
        for phrase in clause.objects:
            if phrase.indefinite:
                account.sighting(clause, clause.subject[0], None, _first(_rooms(account, clause)), True)
        return
    subject = clause.subject or ()
    if len(subject) > 1 and clause.words >= {"each", "other"} and not clause.negative:
        for one in subject:
            for other in subject:
                for room in [p.room for p in clause.places if p.room and p.preposition in ("in", "at", "")]:
                    account.sighting(clause, one, other, room)
    if clause.subject and clause.subject[0] != account.discourse.speaker and not clause.maybe:
        account.source = clause.subject[0]
    elif clause.owner and clause.owner[0] != account.discourse.speaker:
        account.source = clause.owner[0]


def _other(account: Account, clause: Clause) -> None:
    """Verbs that assert an event only in some turns of phrase."""
    lemma, words = clause.group.lemma, clause.words
    if lemma == "have" and words & {"sight", "view", "company"} and clause.subject:
        _had_company(account, clause)
    elif lemma == "have" and clause.negative and not clause.subject and "it" in words:
        room = next((t.value for t in account.sentence.tokens[: clause.group.first] if t.kind == "room"), None)
        for who in [p for o in clause.objects for p in o.who]:
            account.location(clause, who, room, True)
    elif lemma == "share" and clause.places:
        _meet(account, clause)
    elif (
        lemma == "have"
        and not clause.negative
        and account.discourse.voice in [p for o in clause.objects for p in o.who]
    ):
        for room in [p.room for p in clause.places if p.room]:
            account.location(clause, account.discourse.voice, room)


def _had_company(account: Account, clause: Clause) -> None:
    """had X in sight, had X for company, had no company."""
    company = "company" in clause.words
    room = _first(_rooms(account, clause))
    seen = [p for o in clause.objects for p in o.who]
    for who in clause.subject or ():
        for other in seen:
            if company and room:
                account.location(clause, who, room)
            account.sighting(clause, who, other, room)
        if company and not seen and "no" in clause.words:
            account.sighting(clause, who, None, room, True)


# --- being somewhere -------------------------------------------------------------------------------------------------


def _rooms(
    account: Account, clause: Clause, apart: frozenset[str] = frozenset({"from", "toward", "towards"})
) -> list[str]:
    """The rooms a clause is about: those beside its verb, else those put before it, else the one "where" points to."""
    places = [p for p in clause.places if p.preposition not in apart]
    places = places or [p for p in clause.fronted if p.preposition not in apart]
    rooms = [room for p in places if (room := account.room_of(p))]
    if not rooms and clause.link == "where" and (room := account.where(clause)):
        rooms = [room]
    return rooms


def _be(account: Account, clause: Clause) -> None:
    """X was in R; X was with me in R; X and I were together in R."""
    discourse = account.discourse
    if (
        clause.noun == "body"
        or (clause.words & {"dead"} and clause.places)
        or (_existential(account, clause) and clause.words & {"body"})
    ):
        _body_lay(account, clause)
        return
    rooms = _rooms(account, clause)
    keeps = clause.group.lemma in ("stay", "keep", "steer", "remain")
    if (
        keeps
        and clause.words & {"away", "clear", "out"}
        and any(p.preposition in ("from", "of") for p in clause.places)
    ):
        rooms, clause.negative = _rooms(account, clause, frozenset()), True
    if (
        clause.group.kind == "is"
        and clause.words & {"task", "tasks", "wiring", "scan"}
        and not clause.negative
        and clause.subject
        and "on" in clause.words
    ):
        for who in clause.subject:
            account.activity(clause, who, "task", rooms[0] if rooms else None)
        return
    companions = [
        p for preposition, phrase in clause.beside if preposition in ("with", "alongside", "beside") for p in phrase.who
    ]
    if clause.noun == "route" and clause.owner and clause.group.kind == "be":
        clause.subject, clause.noun = clause.owner, ""
    if _in_other_words(account, clause, rooms):
        return
    if clause.indefinite or (clause.subject is None and _existential(account, clause)):
        _nobody(account, clause, rooms)
        return
    if _only(account, clause, rooms) or (
        account.witnessed and all(not p.room for p in clause.places) and clause.subject == (discourse.voice,)
    ):
        return
    inside = {t.text for t in account.sentence.tokens[clause.group.first : clause.group.last + 2]}
    if clause.group.negative and inside & {"just", "only"}:
        return
    if (
        clause.group.passive
        or not clause.subject
        or (clause.group.negative and clause.group.lemma in ("stay", "remain", "linger"))
    ):
        return
    negative = clause.negative
    if clause.noun == "route":
        return
    rooms = rooms or _known(account, clause, companions)
    if discourse.voice in clause.subject and companions and not negative:
        discourse.with_me = tuple(companions)
    if discourse.voice in companions:
        for who in clause.subject:
            for room in _or_none(rooms):
                account.sighting(clause, discourse.voice, who, room, negative)
        return
    together = len(clause.subject) > 1 and discourse.voice in clause.subject
    for who in clause.subject:
        seen = (who != discourse.voice) and (together or _perceives(account, clause, who, rooms))
        for room in rooms:
            told = any(
                c.kind == "sighting" and c.target == who and c.room == room and not c.negative for c in account.claims
            )
            if seen and not negative and not (told and not together):
                account.sighting(clause, discourse.voice, who, room, negative)
            else:
                account.location(clause, who, room, negative)
    for who in clause.subject:
        for companion, with_rooms in _pairs(account, clause, rooms):
            now = account.sentence.tokens[clause.group.first].text in ("'m", "am", "is", "are", "'re")
            if not with_rooms and (negative or now):
                continue
            for room in _or_none(with_rooms):
                account.sighting(clause, who, companion, room, negative)
    _step(account, clause, rooms)


def _in_other_words(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """my eyes were on X; my position was R; for me it was R; so was X; we were two, X and I; there was no X."""
    voice = account.discourse.voice
    named = [p for o in [*clause.objects, *(phrase for _, phrase in clause.beside)] for p in o.who]
    before = account.sentence.tokens[clause.group.first - 1].text if clause.group.first else ""
    if clause.noun == "task" and "busy" in clause.words:
        room = next((t.value for t in account.sentence.tokens[: clause.group.first] if t.kind == "room"), None)
        account.activity(clause, clause.owner[0], "task", room)
    elif (
        before == "that"
        and named == [voice]
        and not rooms
        and clause.group.first > 2
        and account.sentence.tokens[clause.group.first - 3].kind == "room"
    ):
        account.location(clause, voice, account.sentence.tokens[clause.group.first - 3].value)
    elif clause.noun == "eyes":
        for who in named:
            account.sighting(clause, clause.owner[0] if clause.owner else voice, who, rooms[0] if rooms else None)
    elif clause.noun == "place" and clause.owner and not clause.negative:
        for room in rooms:
            account.location(clause, clause.owner[0], room)
    elif (
        before == "so"
        and named
        and not clause.places
        and clause.before is not None
        and clause.before.subject == (voice,)
    ):
        for room in [room for p in clause.before.places if (room := account.room_of(p))]:
            for who in named:
                account.sighting(clause, voice, who, room)
    elif clause.subject and voice in clause.subject and voice in named and len(named) > 1:
        for room in rooms:
            account.location(clause, voice, room)
            for who in named:
                account.sighting(clause, voice, who, room)
    elif _existential(account, clause) and "no" in clause.words and named and rooms:
        for who in named:
            for room in rooms:
                account.location(clause, who, room, True)
    elif not clause.subject and not clause.noun and rooms and _for_me(account, clause):
        account.location(clause, voice, rooms[0])
    else:
        return False
    return True


def _for_me(account: Account, clause: Clause) -> bool:
    words = [t.text for t in account.sentence.tokens[: clause.group.first]]
    return words[-3:] == ["for", "me", "it"]


def _only(account: Account, clause: Clause, rooms: list[str]) -> bool:
    """The only person I saw was X; X was the last one I saw."""
    by_subject = False
    words = clause.words
    after, before = account.after(clause), clause.before
    if (
        clause.subject
        and words & {"person", "one", "player"}
        and words & {"only", "last", "first"}
        and after is not None
    ):
        if after.group.kind != "see" or after.objects or after.maybe or after.link not in ("", "that", "who"):
            return False
        seen, seer, rooms, only = clause.subject, after.subject, _rooms(account, after), "only" in words
        by_subject = True
    elif (
        before is not None
        and before.group.kind == "see"
        and not before.objects
        and clause.objects
        and not clause.subject_named
    ):
        words = frozenset(t.text for t in account.sentence.tokens[: before.group.first])
        if not words & {"person", "one", "player"} or not words & {"only", "last", "first", "the"}:
            return False
        seen, seer, only = tuple(p for o in clause.objects for p in o.who), before.subject, "only" in words
        rooms = rooms or _rooms(account, before)
    else:
        return False
    for who in seer or ():
        for target in seen:
            account.sighting(clause, who, target, rooms[0] if rooms else None)
        if only and seen:
            seeing = after if by_subject else before
            told = _rooms(account, seeing) if seeing is not None else []
            account.sighting(clause, who, None, told[0] if told else None, True)
    return True


def _pairs(account: Account, clause: Clause, rooms: list[str]) -> list[tuple[str, list[str]]]:
    """Companions, each with its rooms: "with X in A at 3, then with Y in B at 7"."""
    phrases = sorted((p for w, p in clause.beside if w in ("with", "alongside", "beside")), key=lambda p: p.first)
    if len(phrases) < 2 or len(clause.places) < 2:
        return [(who, rooms) for phrase in phrases for who in phrase.who]
    found = []
    for number, phrase in enumerate(phrases):
        end = phrases[number + 1].first if number + 1 < len(phrases) else clause.rest[1]
        own = [room for p in clause.places if phrase.last < p.at < end and (room := account.room_of(p))]
        found += [(who, own or rooms) for who in phrase.who]
    return found


def _known(account: Account, clause: Clause, companions: list[str]) -> list[str]:
    """The room of "stayed with me" or "with the body", told before."""
    discourse = account.discourse
    if (
        clause.words & {"body", "corpse"}
        and clause.words & {"with", "over", "by", "beside", "near", "at", "on"}
        and clause.group.kind in ("is", "be")
    ):
        rooms = [room for room in list(discourse.bodies.values())[-1:] if room]
        return rooms
    if not companions or not clause.subject:
        return []
    if clause.link in ("while", "when") and discourse.room:
        return [discourse.room]
    if clause.before is not None and clause.before.subject == clause.subject and clause.before.places:
        return [room for who in clause.subject[:1] if (room := discourse.places.get(who))]
    return []


def _existential(account: Account, clause: Clause) -> bool:
    """there was nobody, there was no Bob."""
    tokens = account.sentence.tokens
    return clause.group.first > 0 and tokens[clause.group.first - 1].text == "there"


def _nobody(account: Account, clause: Clause, rooms: list[str]) -> None:
    voice = account.discourse.voice
    phrase = next((o for o in clause.objects if o.indefinite), None)
    indefinite = clause.indefinite or (phrase.indefinite if phrase else "")
    if indefinite == "nobody" or (indefinite == "anybody" and clause.negative):
        for room in _or_none(rooms):
            account.sighting(clause, voice, None, room, True)


def _perceives(account: Account, clause: Clause, who: str, rooms: list[str]) -> bool:
    """Whether the speaker tells of what it saw: below "I saw that", or in the room where it says it was."""
    discourse = account.discourse
    above = clause.above
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
    if account.source or clause.group.mood == MUST:
        return False
    if not clause.negative and _seen_in_sentence(account, clause):
        return True
    after = account.after(clause)
    if (
        after is not None
        and after.link in ("when", "as")
        and after.subject == (discourse.voice,)
        and after.group.lemma in _ARRIVING | {"look", "pass", "leave"}
        and not clause.negative
    ):
        return True
    place = discourse.places.get(discourse.voice)
    return (
        place is not None
        and place in rooms
        and clause.link not in TIME_LINKS
        and (
            clause.link == "where"
            or not any(p.room for p in clause.places)
            or bool(clause.words & {"too", "already", "also"})
        )
    )


def _seen_in_sentence(account: Account, clause: Clause) -> bool:
    """Whether the sentence lists what the speaker saw: "I saw X in R, and Y was also there"."""
    above = clause.before
    while above is not None and above.link not in ("because", "since", "so"):
        if above.group.kind == "see" and above.subject == (account.discourse.voice,):
            return not above.negative and not above.maybe and clause.link in ("and", ",", "then", ":", "—", "-", "")
        above = above.before
    return False


def _body_lay(account: Account, clause: Clause) -> None:
    """X's body was in R: seen by whoever says to have found it, else a location of the victim."""
    discourse = account.discourse
    victims = clause.owner or clause.subject or tuple(p for o in clause.owners for p in o.who)
    if clause.group.kind == "put":
        victims = tuple(p for o in clause.owners for p in o.who)
    if _existential(account, clause) and "no" in clause.words:
        for room in _or_none(_rooms(account, clause)):
            account.sighting(clause, discourse.voice, None, room, True, BODY)
        return
    if not victims and _existential(account, clause):
        victims = tuple(p for o in account.sentence.people if o.owner for p in o.who if p != discourse.voice)[:1]
    victims = victims or ((v,) if (v := discourse.victim()) else ())
    rooms = _rooms(account, clause)
    after = account.after(clause)
    came = after is not None and after.link in ("when", "as") and after.subject == (discourse.voice,)
    seen = (
        not account.source
        and not clause.negative
        and (came or (bool(clause.words & {"already"}) and discourse.places.get(discourse.voice) in rooms))
    )
    for victim in victims:
        if victim == discourse.voice:
            continue
        if seen:
            for room in rooms:
                discourse.bodies[victim] = room
                account.sighting(clause, discourse.voice, victim, room, of=BODY)
            continue
        for room in rooms:
            if discourse.bodies.get(victim) == room and clause.noun == "body":
                continue
            discourse.bodies[victim] = room
            if clause.negative:
                account.sighting(clause, discourse.voice, victim, room, True, BODY)
            else:
                account.location(clause, victim, room, of=BODY)


def _step(account: Account, clause: Clause, rooms: list[str]) -> None:
    """Remembers a stop of somebody's way."""
    if clause.subject and len(clause.subject) == 1 and rooms and not clause.negative and not clause.small:
        account.steps.append(Step(clause, clause.subject, tuple(rooms)))


# --- going -----------------------------------------------------------------------------------------------------------


def _move(account: Account, clause: Clause) -> None:
    """X went from A to B; I saw X leave A toward B."""
    if clause.group.first in account.routed or (clause.group.passive and clause.group.lemma not in ("head", "head_to")):
        return
    discourse = account.discourse
    met = [phrase for preposition, phrase in clause.beside if preposition in ("into", "across", "with")]
    if clause.group.lemma in _MEETING and met and clause.words & {"into", "across", "paths"}:
        _meet(account, clause)
        return
    if (
        clause.group.lemma == "pass"
        and any(phrase.who for phrase in clause.objects)
        and not clause.words & {"through", "by"}
    ):
        _see(account, clause)
        return
    if clause.group.kind == "leave" and any(phrase.who for phrase in clause.objects):
        return
    subject = clause.subject or ()
    origin, via, to, toward = _way(account, clause)
    if clause.indefinite and account.source:
        return
    if clause.indefinite and via + to + origin and not clause.small:
        if clause.indefinite == "nobody" or clause.negative:
            account.sighting(clause, discourse.voice, None, (via + to + origin)[0], True)
        return
    if clause.small and clause.above is not None:
        above = clause.above
        by = tuple(p for w, phrase in above.beside if w == "by" for p in phrase.who)
        for seer in (by if above.group.passive else above.subject) or ():
            if (
                clause.phrase is not None
                and clause.phrase.indefinite
                and (clause.above.negative or clause.phrase.indefinite == "nobody")
            ):
                account.sighting(clause, seer, None, _first(origin + via + to), True)
            for who in subject:
                _saw_move(account, clause, seer, who, origin, via + to, toward)
        return
    if clause.negative:
        for who in subject:
            _went_not(account, clause, who, origin, via + to, toward)
        return
    for who in subject:
        _went(account, clause, who, origin, via, to, toward)
    way = [
        room
        for p in clause.places
        if p.preposition not in _FROM and p.preposition not in _TOWARD and (room := account.room_of(p))
    ]
    on = (way or via + to) + toward
    _step(account, clause, origin + on if on and clause.group.kind != "leave" else on)


def _way(account: Account, clause: Clause) -> tuple[list[str], list[str], list[str], list[str]]:
    """(origins, rooms passed, destinations, directions) of a movement."""
    origin: list[str] = []
    via: list[str] = []
    to: list[str] = []
    toward: list[str] = []
    for place in clause.places:
        room = account.room_of(place)
        if room is None:
            continue
        if clause.group.kind == "leave" and place.preposition in ("in", "at", "near"):
            continue
        if place.preposition in _FROM:
            origin.append(room)
        elif place.preposition in _TOWARD:
            toward.append(room)
        elif place.preposition in _VIA:
            via.append(room)
        elif not place.preposition and clause.group.kind == "leave":
            origin.append(room)
        else:
            to.append(room)
    if not (origin or via or to or toward) and clause.link == "where" and (room := account.where(clause)):
        to = [room]
    if not origin and (via or to or toward):
        origin = [p.room for p in clause.fronted if p.preposition == "from" and p.room]
    return origin, via, to, toward


def _started(account: Account, clause: Clause, ends: list[str]) -> list[str]:
    """Where "heading to S" begins: in the room left or stayed in just before."""
    above = clause.above
    if above is None or above.subject != clause.subject or above.group.kind not in ("leave", "is", "be"):
        return []
    rooms = [room for p in above.places if (room := account.room_of(p)) and room not in ends]
    return rooms[:1]


def _went(
    account: Account, clause: Clause, who: str, origin: list[str], via: list[str], to: list[str], toward: list[str]
) -> None:
    """A movement told, not said to be seen."""
    discourse = account.discourse
    if via and not to:
        to, via = via, []
    here = discourse.places.get(account.source or discourse.voice)
    before = clause.before
    if (
        origin
        and not to
        and not toward
        and before is not None
        and before.group.kind == "see"
        and who in before.objects_of(account.sentence)
    ):
        to = [room for p in before.places if (room := account.room_of(p)) and room not in origin][:1]
        if to:
            account.activity(clause, who, "traveling", to[0], origin[0], seen=True)
            return
    arrives = (
        who not in (discourse.voice, account.source)
        and account.source != "?"
        and to
        and to[0] == here
        and clause.group.lemma in _ARRIVING
        and clause.link not in ("before", "after")
    )
    goes_on = clause.group.form == GERUND and before is not None and before.subject == clause.subject and before.places
    if not to and not toward and not goes_on and _comes_here(account, clause, who, origin):
        arrives, to = True, [here or ""]
    above = clause.above
    to_me = any(word == "to" and discourse.voice in phrase.who for word, phrase in clause.beside)
    told = (
        account.witnessed
        or to_me
        or (not account.source and clause.group.mood != MUST and _seen_in_sentence(account, clause))
        or (
            above is not None
            and above.group.kind == "see"
            and clause.link in ("how", "that")
            and above.subject == (discourse.voice,)
        )
    )
    if told and who != discourse.voice and not arrives:
        seen_in = _seen_where(clause, origin, to, toward, None)
        if seen_in:
            account.sighting(clause, discourse.voice, who, seen_in)
            arrives = bool(to) and seen_in == to[0]
    if arrives:
        account.sighting(clause, account.source or discourse.voice, who, to[0])
    if (
        not origin
        and before is not None
        and before.group.form == GERUND
        and before.subject is None
        and before.group.kind == "move"
    ):
        origin = [room for p in before.places if p.preposition == "from" and (room := account.room_of(p))][:1]
    if (
        origin
        and not to
        and not toward
        and clause.group.form == GERUND
        and before is not None
        and before.subject == clause.subject
    ):
        to = [room for p in before.places if (room := account.room_of(p)) and room not in origin][-1:]
    left = (
        before is not None
        and before.group.kind == "leave"
        and before.subject == clause.subject
        and clause.link in ("and", "then", ",")
    )
    if not origin and not arrives and clause.phrase is None and (clause.group.form == GERUND or left):
        origin = _started(account, clause, to + toward)
    in_order = [room for p in clause.places if p.preposition not in _FROM | _TOWARD and (room := account.room_of(p))]
    if (via and to) or (len(to) > 1 and _each_its_own(account, clause)):
        account.route(clause, who, origin[:1] + in_order)
    elif origin and (to or toward):
        if len(to) > 1:
            account.route(clause, who, origin[:1] + to)
        else:
            account.activity(clause, who, "traveling", (to + toward)[0], origin[-1], seen=bool(arrives))
    elif (len(to) > 1 and "then" in clause.words) or (to and toward):
        account.route(clause, who, to + toward)
    elif to and not arrives:
        for room in to:
            account.location(clause, who, room)
    elif toward and who != discourse.voice:
        known = discourse.places.get(who)
        account.activity(clause, who, "traveling", toward[0], known if known != toward[0] else None)
    elif toward:
        account.activity(clause, who, "traveling", toward[0], None)
    elif origin:
        discourse.room = origin[-1]


def _each_its_own(account: Account, clause: Clause) -> bool:
    """Whether every destination has a preposition of its own: "to A, over to B, up to C" is a way."""
    tokens = account.sentence.tokens
    places = [p for p in clause.places if p.preposition not in _FROM | _TOWARD]
    starts = [p.at - 1 - (tokens[p.at - 1].text == "the") for p in places]
    return all(at >= 0 and tokens[at].text in ("to", "into", "in", "through", "at") for at in starts)


def _comes_here(account: Account, clause: Clause, who: str, origin: list[str]) -> bool:
    """Whether somebody came in to where the speaker is."""
    here = account.discourse.places.get(account.source or account.discourse.voice)
    if here is None or who in (account.discourse.voice, account.source) or here in origin or clause.group.mood == MUST:
        return False
    if clause.group.lemma not in ("come", "walk", "arrive", "step") or clause.link in ("before", "after"):
        return False
    if clause.group.form == "participle":
        return False
    told_here = any(
        c.places and c.subject == (account.source or account.discourse.voice,)
        for c in account.sentence.clauses
        if c is not clause
    )
    near = account.discourse.room in (here, *origin)
    walks_in = (
        near and bool(clause.words & {"in", "over"}) and clause.group.form != GERUND and clause.link not in TIME_LINKS
    )
    return walks_in or bool((origin or clause.words & {"in"}) and told_here)


def _went_not(account: Account, clause: Clause, who: str, origin: list[str], to: list[str], toward: list[str]) -> None:
    if origin and (to or toward):
        account.activity(clause, who, "traveling", (to + toward)[0], origin[0], negative=True)
    elif clause.group.kind == "leave" and origin:
        account.location(clause, who, origin[0])
    else:
        for room in to + toward:
            account.location(clause, who, room, negative=True)


def _saw_move(
    account: Account, clause: Clause, seer: str, who: str, origin: list[str], to: list[str], toward: list[str]
) -> None:
    """A movement that somebody perceived: a sighting where it was seen, and the movement."""
    discourse = account.discourse
    there = discourse.places.get(seer)
    where = clause.above.fronted if clause.above else []
    if clause.above is not None and clause.above.link == "where":
        there = account.where(clause.above)
    elif where:
        there = account.room_of(where[0])
    ends = to + toward
    before = clause.before
    again = clause.group.form != GERUND and (clause.group.lemma in _ARRIVING or clause.group.kind == "enter")
    if before is not None and before.small and before.subject == clause.subject and not (origin and ends) and not again:
        _goes_on(account, clause, who, origin, ends)
        return
    seen_in = _seen_where(clause, origin, to, toward, there)
    if not ends and origin and seen_in and seen_in not in origin:
        ends = [seen_in]
    above = clause.above
    negative = clause.negative or bool(above and above.negative)
    already = above is not None and who in above.objects_of(account.sentence) and bool(above.places)
    if already and above is not None and not origin:
        origin = [room for p in above.places if (room := account.room_of(p))][:1]
    if not already and (seen_in is not None or not ends):
        account.sighting(clause, seer, who, seen_in, negative)
    if negative or not ends:
        return
    if not origin and seen_in is not None and seen_in not in ends:
        origin = [seen_in]
    if origin and origin[0] != ends[0]:
        account.activity(clause, who, "traveling", ends[0], origin[0], seen=True)
    elif not origin and seen_in is None:
        account.activity(clause, who, "traveling", ends[0], None, seen=True)


def _seen_where(clause: Clause, origin: list[str], to: list[str], toward: list[str], there: str | None) -> str | None:
    """The room in which a movement was seen: that of the departure, or that of the arrival."""
    out = "out" in clause.words and not (to and clause.places and clause.places[0].preposition in _TO)
    out = out and not any(place.preposition == "into" for place in clause.places)
    if clause.group.kind == "leave" or out or (toward and not to):
        return origin[0] if origin else there if there not in to + toward else None
    arrives = clause.group.lemma in _ARRIVING or clause.group.kind == "enter"
    if to and (arrives or not origin):
        passes = any(
            place.preposition in _VIA or place.preposition in ("in", "into", "inside") for place in clause.places
        )
        return to[0] if arrives or passes else None
    if origin and to:
        return origin[0]
    return there if there not in origin else None


def _goes_on(account: Account, clause: Clause, who: str, origin: list[str], ends: list[str]) -> None:
    """The other end of a movement seen: "saw X leave A heading to B", "saw X in B after coming from A"."""
    before = clause.before
    if before is None or clause.negative or (before.above is not None and before.above.negative):
        return
    rooms = [room for p in before.places if p.preposition not in _TOWARD and (room := account.room_of(p))]
    if ends and rooms and rooms[0] != ends[-1]:
        account.activity(clause, who, "traveling", ends[-1], rooms[0], seen=True)
    elif origin and rooms and rooms[-1] != origin[0]:
        account.activity(clause, who, "traveling", rooms[-1], origin[0], seen=True)


# --- seeing ----------------------------------------------------------------------------------------------------------


def _see(account: Account, clause: Clause) -> None:
    """I saw X in R; X and I met in R; saw nobody; saw X's body."""
    discourse = account.discourse
    seers = clause.subject or ()
    told = clause.before
    if (
        clause.group.form == GERUND
        and told is not None
        and told.negative
        and told.group.lemma in ("recall", "remember")
    ):
        clause.negative = True
    if clause.group.lemma == "catch" and clause.words & {"red", "lying", "up", "off", "out", "on"}:
        return
    if clause.group.passive:
        _seen_by(account, clause)
        return
    if clause.group.lemma == "meet" and not clause.objects and len(seers) > 1:
        _met(account, clause, seers)
        return
    if clause.indefinite == "nobody":
        named = [p for o in clause.objects for p in o.who] + [p for _, o in clause.beside for p in o.who]
        if discourse.voice not in named:
            return
        for _, phrase in [*clause.beside, *(("", o) for o in clause.objects)]:
            for target in phrase.who:
                for room in _or_none(_rooms(account, clause)):
                    account.sighting(clause, target, None, room, True)
        return
    if _sees_body(account, clause):
        return
    if "each" in clause.words and "other" in clause.words and len(seers) > 1:
        for one in seers:
            for other in seers:
                for room in _or_none(_rooms(account, clause)):
                    account.sighting(clause, one, other, room, clause.negative)
        return
    for phrase, rooms, time in _segments(account, clause):
        if clause.link in TIME_LINKS and not rooms:
            continue
        seen: tuple[str | None, ...] = phrase.who or ((None,) if phrase.indefinite else ())
        for seer in seers:
            for whom in seen:
                _saw(account, clause, seer, whom, phrase, rooms, time)
    _seen_beside(account, clause, seers)


def _seen_beside(account: Account, clause: Clause, seers: tuple[str, ...]) -> None:
    """saw X with Y in R: both were seen."""
    if clause.negative or not clause.objects:
        return
    for preposition, phrase in clause.beside:
        if preposition in ("with", "alongside"):
            for seer in seers:
                for other in phrase.who:
                    for room in _or_none(_rooms(account, clause)):
                        account.sighting(clause, seer, other, room)


def _saw(
    account: Account, clause: Clause, seer: str, target: str | None, phrase: Persons, rooms: list[str], time: str | None
) -> None:
    """One sighting, or its denial."""
    if clause.group.lemma == "join" and target == account.discourse.voice:
        seer, target = target, seer
    negative = clause.negative
    if phrase.indefinite == "nobody":
        negative = True
    elif phrase.indefinite == "anybody" and not negative:
        return
    if negative and target is not None and _until(account, clause):
        return
    met = clause.group.lemma == "meet" and not negative and target is not None
    for room in _or_none(rooms):
        if met and room is not None and seer == account.discourse.voice:
            account.location(clause, seer, room)
        account.sighting(clause, seer, target, room, negative, time=time)


def _until(account: Account, clause: Clause) -> bool:
    """Whether somebody was not seen only until something: then seen."""
    after = account.after(clause)
    return any(t.text.startswith("until") for t in clause.times) or (after is not None and after.link == "until")


def _segments(account: Account, clause: Clause) -> list[tuple[Persons, list[str], str | None]]:
    """What was seen, each with the rooms and the time that stand with it: "Bob in A at 5, Eve in B at 7"."""
    found: list[tuple[Persons, list[str], str | None]] = []
    objects = sorted(clause.objects, key=lambda o: o.first)
    times = sorted((t for t in clause.times), key=lambda t: t.start)
    tokens = account.sentence.tokens
    for number, phrase in enumerate(objects):
        begin = phrase.last if number else clause.rest[0] - 1
        end = objects[number + 1].first if number + 1 < len(objects) else clause.rest[1]
        places = [
            p for p in clause.places if begin <= p.at < end and p.preposition not in ("from", "toward", "towards", "to")
        ]
        rooms = [room for p in places if (room := account.room_of(p))]
        inside = [t for t in times if tokens[begin].start <= t.start < tokens[end - 1].end]
        time = account.message[inside[0].start : inside[0].end] if inside and len(objects) > 1 else None
        found.append((phrase, rooms, time))
    common = _rooms(account, clause) if len(objects) == 1 or not clause.places else []
    if not common and clause.link in ("and", ",", "then", "but") and clause.above is not None:
        common = _rooms_above(account, clause)
    common = common or _rooms_after(account, clause)
    return [(phrase, rooms or common, time) for phrase, rooms, time in found]


def _rooms_after(account: Account, clause: Clause) -> list[str]:
    """The room of "when I passed through R" after what was seen."""
    after = account.after(clause)
    if after is None or after.subject != clause.subject or after.link not in ("when", "while", "as"):
        return []
    tokens = account.sentence.tokens
    at = next((p for p in range(after.group.first, clause.rest[0] - 1, -1) if tokens[p].text == after.link), None)
    if at is None or tokens[at - 1].text in ("but", "and", ","):
        return []
    return [
        room
        for p in after.places
        if p.preposition not in ("from", "toward", "towards") and (room := account.room_of(p))
    ]


def _rooms_above(account: Account, clause: Clause) -> list[str]:
    """The room of the location told just before in the sentence, for "I was in R and saw X"."""
    above = clause.above
    if (
        above is None
        or above.subject != clause.subject
        or above.group.kind not in ("be", "is", "move", "enter", "task")
    ):
        return []
    if above.negative or above.maybe or len(clause.subject or ()) != 1:
        return []
    return [
        room
        for p in above.places
        if p.preposition not in ("from", "toward", "towards") and (room := account.room_of(p))
    ][-1:]


def _seen_by(account: Account, clause: Clause) -> None:
    """X was seen by me in R."""
    after = account.after(clause)
    if after is not None and after.small:
        return
    for preposition, phrase in clause.beside:
        if preposition == "by":
            for seer in phrase.who:
                for who in clause.subject or ():
                    for room in _or_none(_rooms(account, clause)):
                        account.sighting(clause, seer, who, room, clause.negative)


def _meet(account: Account, clause: Clause) -> None:
    """I ran into X in R: the own location and the sighting."""
    rooms = _rooms(account, clause)
    for seer in clause.subject or ():
        for phrase in [*clause.objects, *(phrase for _, phrase in clause.beside)]:
            for target in phrase.who or ((None,) if phrase.indefinite else ()):
                negative = clause.negative or phrase.indefinite == "nobody"
                for room in _or_none(rooms):
                    if room and not negative and seer == account.discourse.voice:
                        account.location(clause, seer, room)
                    account.sighting(clause, seer, target, room, negative)


def _met(account: Account, clause: Clause, who: tuple[str, ...]) -> None:
    """X and I met in R; A and B met in R."""
    voice = account.discourse.voice
    for room in _rooms(account, clause):
        if voice in who:
            account.location(clause, voice, room)
            for other in who:
                account.sighting(clause, voice, other, room)
        else:
            for other in who:
                account.location(clause, other, room)


# --- bodies ----------------------------------------------------------------------------------------------------------


def _victims(account: Account, clause: Clause) -> tuple[str, ...]:
    """Whose body a clause speaks of: X's body, the body of X, X dead; else the body spoken of before."""
    tokens = account.sentence.tokens
    for phrase in clause.owners:
        if any(tokens[p].text in BODY_WORDS for p in range(phrase.last + 1, min(phrase.last + 4, len(tokens)))):
            return phrase.who
    for preposition, phrase in clause.beside:
        if preposition == "of" and phrase.first >= 2 and tokens[phrase.first - 2].text in BODY_WORDS:
            return phrase.who
    words = {tokens[p].text for p in range(*clause.rest)}
    for phrase in clause.objects:
        if phrase.who and (not words & {"body", "corpse"} or "dead" in words):
            return phrase.who
    victim = account.discourse.victim()
    return (victim,) if victim else ()


def _sees_body(account: Account, clause: Clause) -> bool:
    """Whether what was seen is a body; then the sighting of it."""
    tokens = account.sentence.tokens
    words = [tokens[p].text for p in range(*clause.rest)]
    if not any(word in ("body", "corpse", "bodies", "dead") for word in words):
        return False
    victims = _victims(account, clause)
    if "bodies" in words or (
        "body" in words and not clause.owners and words[words.index("body") - 1] in ("a", "any", "no")
    ):
        victims = ()
    rooms = _rooms(account, clause) or _rooms_after(account, clause)
    alive = [o for o in clause.objects if o.indefinite]
    if "or" in words and clause.negative:
        for target in [p for o in clause.objects for p in o.who]:
            for seer in clause.subject or ():
                account.sighting(clause, seer, target, rooms[0] if rooms else None, True)
    for seer in clause.subject or ():
        for victim in victims or (None,):
            for room in _or_none(rooms):
                if victim is not None and not clause.negative:
                    account.discourse.bodies[victim] = room
                account.sighting(clause, seer, victim, room, clause.negative or "no" in words[:2], BODY)
                if victim is not None and room is not None and not clause.negative and seer == account.discourse.voice:
                    account.location(clause, seer, room)
        for _ in alive:
            for room in _or_none(rooms):
                account.sighting(clause, seer, None, room, True)
    return True


def _find(account: Account, clause: Clause) -> None:
    """I found X's body in R: the sighting of the body, and where the finder was."""
    tokens = account.sentence.tokens
    discourse = account.discourse
    words = {tokens[p].text for p in range(*clause.rest)}
    finders = clause.subject or ()
    dead = bool(words & _DEAD) or (
        clause.group.kind == "find" and bool(clause.objects) and bool(clause.places) and _past(account, clause)
    )
    named = [o for o in clause.objects if o.indefinite]
    if clause.group.first >= 2 and tokens[clause.group.first - 2].text == "self":
        return
    if clause.negative or clause.group.passive or named or not finders:
        for seer in finders if named and not clause.group.passive else ():
            account.sighting(clause, seer, None, _first(_rooms(account, clause)), True)
        return
    it = "it" in words and discourse.victim() is not None and not clause.objects
    dead = dead or it
    if (
        clause.group.kind == "find"
        and not clause.negative
        and [p for o in clause.objects for p in o.who] == list(finders)
    ):
        for room in _rooms(account, clause):
            account.location(clause, finders[0], room)
        return
    if not dead and clause.group.kind == "find":
        return
    lain_there = [c for c in account.claims if c.kind == "location" and c.of == BODY]
    account.claims[:] = [c for c in account.claims if c not in lain_there]
    rooms = _rooms(account, clause)
    for victim in _victims(account, clause) if dead else ():
        if victim in finders:
            continue
        places = rooms or ([known] if (known := discourse.bodies.get(victim)) else [])
        for finder in finders:
            for lay_in in _or_none(places):
                discourse.bodies.pop(victim, None)
                discourse.bodies[victim] = lay_in
                account.sighting(clause, finder, victim, lay_in, of=BODY)
                account.location(clause, finder, lay_in)
    if clause.group.kind == "report" and _past(account, clause):
        lain = (
            rooms
            or ([room for room in discourse.bodies.values() if room] if len(discourse.bodies) == 1 or dead else [])[-1:]
        )
        here = discourse.places.get(discourse.voice)
        if not lain and finders == (discourse.voice,) and here in discourse.bodies.values():
            lain = [room for room in (here,) if room]
        idle = words & {"what", "that", "exactly", "everything", "how", "on", "seeing"}
        noun = clause.group.form == GERUND and not (clause.phrase is not None and rooms)
        told = lain and not (idle and not dead) and not noun and clause.link not in TIME_LINKS
        for finder in finders if told else ():
            if rooms:
                account.location(clause, finder, rooms[0])
            account.activity(clause, finder, "report", lain[0])


def _past(account: Account, clause: Clause) -> bool:
    word = account.sentence.tokens[clause.group.last].text
    return word.endswith("ed") or word in ("found", "finding", "reporting")


# --- doing -----------------------------------------------------------------------------------------------------------


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
    rooms = _rooms(account, clause)
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
            for seer in () if seen_at else clause.above.subject or ():
                account.sighting(clause, seer, who, rooms[0] if rooms else None)
        account.activity(clause, who, "task", rooms[0] if rooms else None, seen=clause.small)


def _put(account: Account, clause: Clause) -> None:
    """X places himself in R; that puts Bob in R."""
    whom = [p for phrase in clause.objects for p in phrase.who]
    saying = clause.subject or clause.owner
    if saying and saying[0] != account.discourse.speaker:
        account.source = saying[0]
    companions = [p for preposition, phrase in clause.beside if preposition == "with" for p in phrase.who]
    if not whom and clause.words & {"body", "corpse"}:
        _body_lay(account, clause)
        return
    for who in whom:
        for room in _rooms(account, clause):
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


# --- ways told in several clauses ------------------------------------------------------------------------------------


def _join_steps(account: Account) -> None:
    """Makes one route of stops that one sentence tells one after the other; stops with an own time stay."""
    runs: list[list[Step]] = []
    for step in account.steps:
        last = runs[-1][-1] if runs else None
        follows = step.clause.link in ("then", "and", ",") or step.clause.group.mood == TO
        if (
            last is not None
            and last.subject == step.subject
            and follows
            and step.clause.group.first not in account.routed
        ):
            runs[-1].append(step)
        else:
            runs.append([step])
    for run in runs:
        rooms = [room for step in run for room in step.rooms]
        rooms = [room for p, room in enumerate(rooms) if p == 0 or rooms[p - 1] != room]
        goes = any(step.clause.group.kind in ("move", "enter", "leave") for step in run[1:])
        ordered = (len(rooms) > 2 and goes) or any(step.clause.link == "then" for step in run[1:])
        if len(run) > 1 and len(rooms) > 1 and ordered:
            _replace(account, run, rooms)


def _replace(account: Account, run: list[Step], rooms: list[str]) -> None:
    """A route in place of the single claims of its stops."""
    who = run[0].subject[0]
    voice = account.discourse.voice
    if len(rooms) == 2 and who != voice and not account.source:
        if run[-1].clause.group.kind in ("move", "enter") and len(run[-1].rooms) == 1:
            account.claims[:] = [
                c for c in account.claims if not (c.kind == "location" and c.subject == who and c.room == rooms[1])
            ]
            account.activity(run[-1].clause, who, "traveling", rooms[1], rooms[0])
        return
    last = run[-1].clause
    if len(rooms) == 2 and (last.group.kind == "leave" or any(p.preposition in _TOWARD for p in last.places)):
        account.activity(last, who, "traveling", rooms[1], rooms[0])
        return
    marked = {room for step in run for room in step.rooms if step.clause.times or step.clause.beside}
    marked = {room for room in marked if any(c.room == room and c.kind == "location" for c in account.claims)}
    kept: list[Claim] = []
    for claim in account.claims:
        mine = claim.subject == who and claim.polarity == POSITIVE and claim.of == PLAYER
        place = (claim.kind == "location" and claim.room in rooms) or (
            claim.activity == "traveling" and claim.origin in rooms
        )
        inner = claim.kind == "route" and set(claim.route) <= set(rooms)
        timed = claim.room in marked
        if not (mine and ((place and not timed) or inner)):
            kept.append(claim)
    account.claims[:] = kept
    account.route(run[0].clause, who, rooms)
