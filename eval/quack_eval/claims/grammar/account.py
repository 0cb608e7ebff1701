"""The account of a sentence: the claims as they are read, in whose name they are said, and where clauses point to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from quack_eval.claims.grammar.chunks import MUST, TO
from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import GERUND, TIME_LINKS
from quack_eval.claims.grammar.parts import Clause, Place, Sentence, time_of, which_is
from quack_eval.claims.grammar.times import WEAK
from quack_eval.claims.types import BODY, NEGATIVE, PLAYER, POSITIVE, Claim

INTO = frozenset({"to", "into", "in", "inside", "at", "for", "onto", "on", "within", "over", "up", "down", "back"})
TOWARD = frozenset({"toward", "towards"})
FROM = frozenset({"from", "out", "off"})
VIA = frozenset({"through", "via", "by", "past", "across", "near", "around", "along", "between"})
_WHILE = ("when", "while", "as")
_POSTURES = frozenset({"stand", "sit", "stay", "remain", "wait"})
ARRIVING = frozenset(
    {"come", "walk", "enter", "arrive", "step", "get", "join", "return", "run", "drop", "slip", "reach", "follow"}
)


@dataclass
class Step:
    """A stop of somebody's way: for the routes that several clauses tell."""

    clause: Clause
    subject: tuple[str, ...]
    rooms: tuple[str, ...]


@dataclass
class Account:
    """The claims of a sentence as they are read, and in whose name they are said.

    ``untrue_from``: from which claim on they are what somebody falsely said.
    """

    message: str
    sentence: Sentence
    discourse: Discourse
    source: str = ""
    claims: list[Claim] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    routed: set[int] = field(default_factory=set)
    asking: bool = False
    untrue_from: int | None = None
    witnessed: bool = False
    clause: Clause | None = None

    # --- what a claim is made of ---

    def room_of(self, place: Place) -> str | None:
        """The room of a place; of "there" and "here" the one just spoken of."""
        if place.room:
            return place.room
        if self.sentence.tokens[place.at].text in ("room", "scene"):
            return self._room_meant(place)
        before = self.clause.before if self.clause is not None else None
        moved = self._moved_before()
        if moved is not None and self.clause is not None:
            toward = [p.room for p in moved.places if p.preposition in TOWARD and p.room]
            if toward and self.clause.group.kind in ("move", "enter", "find", "report"):
                return toward[-1]
        reached_before = self._own_place()
        if reached_before is not None:
            return reached_before
        tokens = self.sentence.tokens
        named = [p for p in range(place.at - 1, -1, -1) if tokens[p].kind == "room"]
        led = {p: tokens[p - 1 - (tokens[p - 1].text == "the")].text if p else "" for p in named}
        later = self._only_later()
        reached = [p for p in named if led[p] not in ("from", "toward", "towards") and not _headed(tokens, p)]
        reached = [p for p in reached if not any(first <= p < last for first, last in later)] or reached
        named = [p for p in named if not _on_the_map(tokens, p)] or named
        here = self._own_place_known()
        named = [p for p in named if here is None or not _is_nowhere_near(tokens, p)]
        reached = [p for p in reached if p in named]
        if named and not reached and before is not None and "in" in before.words:
            reached_now = self.discourse.places.get(self.discourse.voice)  # "I walked in from A and X was there"
            return reached_now or tokens[named[0]].value
        if named or reached:
            return tokens[[*reached, *named][0]].value
        apart = self.clause is not None and self.clause.group.lemma in _POSTURES
        apart |= any(_is_nowhere_near(tokens, p) for p in range(place.at) if tokens[p].kind == "room")
        return (here if apart else None) or self.discourse.room

    def _own_place_known(self) -> str | None:
        """Where the teller was, of "I saw X leave toward A. I was standing there", "nowhere near A, I was there"."""
        voice = self.discourse.voice
        return self.discourse.places.get(voice) if self.clause is not None and self.clause.subject == (voice,) else None

    def _only_later(self) -> list[tuple[int, int]]:
        """Where "before going to R" stands, which nobody had reached then."""
        going = [c for c in self.sentence.clauses if c.link == "before" and c.group.form == GERUND]
        return [c.rest for c in going if c.group.kind in ("move", "enter")]

    def _moved_before(self) -> Clause | None:
        """The clause before of the same subject, past those of saying: "I left toward R, X says I got there"."""
        clause = self.clause
        before = clause.before if clause is not None else None
        while before is not None and before.group.kind == "say" and before.link not in ("if", "when"):
            before = before.before
        return before if before is not None and clause is not None and before.subject == clause.subject else None

    def _room_meant(self, place: Place) -> str | None:
        """The room of "in the room", "in the murder room": where the body lay, named before, or where the teller is."""
        tokens, clause = self.sentence.tokens, self.clause
        beside = tokens[place.at + 1 : place.at + 5]
        bodies = self.discourse.bodies
        dead = [token.value for token in beside if token.kind == "name" and token.value in bodies]
        if dead:
            return bodies[dead[0]]  # "the room where Bob died", "in the room with Bob"
        its = {"body", "victim", "died", "killed", "dead"} & {token.text for token in beside}
        if tokens[place.at - 1].text in ("murder", "kill", "crime") or its:
            return next(iter(list(bodies.values())[-1:]), None)
        named = [
            tokens[p].value
            for p in range(place.at)
            if tokens[p].kind == "room" and not (p and tokens[p - 1].text in FROM | TOWARD)
        ]
        if named or clause is None:
            return named[-1] if named else None
        tells = clause.indefinite or clause.subject == (self.discourse.voice,) or clause.link in TIME_LINKS
        return self.discourse.places.get(self.discourse.voice) if tells else None

    def _own_place(self) -> str | None:
        """Where the subject of a clause of time was just said to be: "I reached A after Bob left; when I got there"."""
        clause = self.clause
        if clause is None or clause.link not in TIME_LINKS or len(clause.subject or ()) != 1:
            return None
        who = clause.subject[0] if clause.subject else ""
        got = clause.group.lemma in ("get", "arrive", "come", "reach")
        told = [c for c in self.claims if c.subject == who and not c.negative]
        told = [c for c in told if c.type == "location" or (got and c.activity == "traveling" and c.room)]
        return (told[-1].route[-1] if told[-1].route else told[-1].room) if told else None

    def where(self, clause: Clause) -> str | None:
        """The room that "where" points to: the last one named before it."""
        tokens = self.sentence.tokens
        named = [p for p in range(clause.group.first) if tokens[p].kind == "room"]
        reached = [p for p in named if not p or tokens[p - 1].text not in FROM]
        return next((tokens[p].value for p in [*reversed(reached), *reversed(named)]), self.discourse.room)

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
            if first is not None and last > first + 1:
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
        if of == BODY:
            self.discourse.lain.add((who, room))
        elif not negative:
            self.discourse.places[who] = self.discourse.stays[who] = room
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
        self.discourse.stays.pop(who, None)
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
        if who == self.source != self.discourse.speaker and not negative:
            self.discourse.ways.append(self.claims[-1])
        if not negative:
            self.discourse.gone.setdefault(who, []).append(tuple(way))

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
        if of == BODY and target is not None:
            self.discourse.lain.add((target, room))
        if of == BODY and room is not None and not negative:
            self.discourse.finders[who] = room
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
        origin = None if origin == room else origin
        if what == "traveling" and room is not None:
            self.discourse.room = room
            if not negative:
                self.discourse.places[who] = room
        if what == "report" and room is not None and not negative:
            self.discourse.finders[who] = room
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


def _is_nowhere_near(tokens: Sequence[Token], p: int) -> bool:
    """Whether a room is denied as "nowhere near R"."""
    return "nowhere" in [token.text for token in tokens[max(0, p - 3) : p]]


def _on_the_map(tokens: Sequence[Token], p: int) -> bool:
    """Whether a room only tells where another lies: "toward A, which is directly connected to B"."""
    return bool(
        {"connected", "connects", "adjacent", "next", "links"} & {token.text for token in tokens[max(0, p - 3) : p]}
    )


def _headed(tokens: Sequence[Token], p: int) -> bool:
    """Whether a room is only headed for: "on my way to R"."""
    words = [token.text for token in tokens[max(0, p - 3) : p]]
    return words[-2:] == ["way", "to"] or words[-3:] == ["way", "to", "the"]


def or_none(rooms: list[str]) -> list[str | None]:
    """The rooms, or one unknown room where there are none."""
    return [*rooms] or [None]


def first_of(rooms: list[str]) -> str | None:
    """The first room, if there is one."""
    return rooms[0] if rooms else None


def rooms_of(
    account: Account, clause: Clause, apart: frozenset[str] = frozenset({"from", "toward", "towards"})
) -> list[str]:
    """The rooms a clause is about: those beside its verb, else those put before it, else the one "where" points to."""
    places = [p for p in clause.places if p.preposition not in apart]
    places = places or [p for p in clause.fronted if p.preposition not in apart | {"after"}]
    rooms = [room for p in places if (room := account.room_of(p))]
    if not rooms and _goes_on_there(account, clause) and (room := account.where(clause)):
        rooms = [room]
    return rooms


def _goes_on_there(account: Account, clause: Clause) -> bool:
    """Whether a clause tells what happened in the room named last: "where X was", "which is when X came"."""
    if clause.link != "when":
        return clause.link == "where"
    tokens = account.sentence.tokens
    at = next((p for p in range(clause.group.first, -1, -1) if tokens[p].text == "when"), 0)
    return which_is(account.sentence, at)


def until(account: Account, clause: Clause) -> bool:
    """Whether something was denied only until something: "didn't see X until ..." saw X then."""
    after = account.after(clause)
    dated = "until" in clause.words or any(token.text.startswith("until") for token in clause.times)
    return dated or (after is not None and after.link == "until")


def existential(account: Account, clause: Clause) -> bool:
    """there was nobody, there was no Bob."""
    tokens = account.sentence.tokens
    return clause.group.first > 0 and tokens[clause.group.first - 1].text == "there"


def seen_in_sentence(account: Account, clause: Clause) -> bool:
    """Whether the sentence lists what the speaker saw: "I saw X in R, and Y was also there"."""
    above = clause.before
    while above is not None and above.link not in ("because", "since", "so"):
        if above.group.kind == "see" and above.subject == (account.discourse.voice,):
            return (
                not above.negative and not above.maybe and clause.link in ("and", ",", ";", "then", ":", "—", "-", "")
            )
        above = above.before
    return False


def add_step(account: Account, clause: Clause, rooms: list[str]) -> None:
    """Remembers a stop of somebody's way."""
    if clause.subject and rooms and not clause.negative and not clause.small:
        account.steps.append(Step(clause, clause.subject, tuple(rooms)))


def rooms_going_on(account: Account, clause: Clause) -> list[str]:
    """The room of "saw X, who was leaving R": where what is told of X next has it be, leave or arrive."""
    after = account.after(clause)
    if after is None or after.negative or after.maybe:
        return []
    seen_again = after.group.kind == "see" and after.subject == (account.discourse.voice,) and not after.objects
    if not (after.link == "who" or (after.group.kind == "leave" and after.group.form == GERUND)):
        return []
    leaves = after.group.kind == "leave"
    apart = TOWARD | ({"to", "into"} if leaves else FROM)
    if not (leaves or seen_again or after.group.kind in ("is", "be", "enter") or after.group.lemma in ARRIVING):
        return []
    return [room for p in after.places if p.preposition not in apart and (room := account.room_of(p))][:1]


def rooms_when(account: Account, clause: Clause) -> list[str]:
    """The room of "when I passed through R" right after or before what was seen."""
    return _rooms_after(account, clause) or _rooms_before(account, clause)


def _rooms_after(account: Account, clause: Clause) -> list[str]:
    after = account.after(clause)
    if after is None or after.subject != clause.subject or after.link not in _WHILE:
        return []
    tokens = account.sentence.tokens
    at = next((p for p in range(after.group.first, clause.rest[0] - 1, -1) if tokens[p].text == after.link), None)
    if at is None or tokens[at - 1].text in ("but", "and", ","):
        return []
    return rooms_reached(account, after)


def _rooms_before(account: Account, clause: Clause) -> list[str]:
    before = clause.before
    if before is not None and "empty" in before.words:
        before = before.before  # "when I passed through R, it was empty — I didn't see X"
    if before is None or before.subject != clause.subject or before.link not in _WHILE or before.maybe:
        return []
    return rooms_reached(account, before) if before.group.kind in ("move", "enter", "leave", "is", "be") else []


def rooms_on_entering(account: Account, clause: Clause) -> list[str]:
    """The room of "when I entered R" right before or after somebody else is told of."""
    voice = account.discourse.voice
    for entry in (clause.before, account.after(clause)):
        if entry is None or entry.link not in _WHILE or entry.subject != (voice,) or entry.maybe or entry.negative:
            continue
        if entry.group.kind in ("move", "enter"):
            here = account.discourse.places.get(voice) if entry is clause.before and not entry.places else None
            return rooms_reached(account, entry) or ([here] if here is not None else [])
    return []


def rooms_reached(account: Account, clause: Clause) -> list[str]:
    """The rooms that a clause has its subject in, passing or going to, in the order in which they stand."""
    return [room for p in clause.places if p.preposition not in FROM | TOWARD and (room := account.room_of(p))]


def rooms_above(account: Account, clause: Clause) -> list[str]:
    """The room of the location told just before in the sentence, for "I was in R and saw X"."""
    above = clause.above
    if (
        above is None
        or above.subject != clause.subject
        or above.group.kind not in ("be", "is", "move", "enter", "task")
    ):
        return []
    claims = above.group.mood == TO and above.before is not None and above.before.group.kind == "say"
    if above.negative or (above.maybe and not claims) or len(clause.subject or ()) != 1:
        return []
    if [p.preposition for p in above.places[:2]] in (["", "to"], ["", "into"]):
        return []  # "I was A to B and saw nobody"
    denies = _denies(account, clause)
    if denies and len({step.rooms for step in account.steps if step.subject == clause.subject}) > 1:
        return []  # "I started in A, went to B and saw nobody": on the whole way
    if denies and any(word in token.text for token in clause.times for word in ("round", "game")):
        return []  # "I went to R, and I didn't see X all round"
    apart = FROM | TOWARD | {"before", "after"}
    rooms = [room for p in above.places if p.preposition not in apart and (room := account.room_of(p))]
    anybody = any(phrase.indefinite for phrase in clause.objects)
    if not rooms and denies and not anybody:
        rooms = [p.room for p in above.places if p.preposition in FROM and p.room]  # "came from R and saw no Bob"
    if len(rooms) > 1 and anybody:
        return []  # "was in A and B and saw nobody"
    between = {token.text for token in account.sentence.tokens[above.group.last : clause.group.first]}
    both = clause.negative and ("and" in above.words or "/" in between)  # "was around A/B and never saw X"
    return rooms if both else rooms[-1:]


def _denies(account: Account, clause: Clause) -> bool:
    """Whether a clause denies: did not see X, saw nobody, saw no X."""
    tokens = account.sentence.tokens
    return clause.negative or any(o.indefinite == "nobody" or tokens[o.first - 1].text == "no" for o in clause.objects)
