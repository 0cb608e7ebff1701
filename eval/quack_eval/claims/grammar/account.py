"""The account of a sentence: the claims as they are read, in whose name they are said, and where clauses point to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any

from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import GERUND, TIME_LINKS
from quack_eval.claims.grammar.parts import Clause, Place, Sentence, time_of, verbless_clause, which_is
from quack_eval.claims.grammar.times import WEAK
from quack_eval.claims.grammar.verbs import MUST, TO
from quack_eval.claims.grammar.words import text_at, texts
from quack_eval.claims.types import BODY, NEGATIVE, PLAYER, POSITIVE, Claim

INTO = frozenset({"to", "into", "in", "inside", "at", "for", "onto", "on", "within", "over", "up", "down", "back"})
TOWARD = frozenset({"toward", "towards"})
FROM = frozenset({"from", "out", "off"})
VIA = frozenset({"through", "via", "by", "past", "across", "near", "around", "along", "between"})
WHILE = ("when", "while", "as")
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
    clause: Clause = field(default_factory=verbless_clause)

    @property
    def tokens(self) -> list[Token]:
        """The tokens of the sentence."""
        return self.sentence.tokens

    def words(self, first: int, last: int) -> list[str]:
        """The words from a token, or from the beginning, to before another."""
        return texts(self.sentence.tokens, first, last)

    @property
    def voice(self) -> str:
        """Who "I" is in the sentence: the speaker, or whom it quotes."""
        return self.discourse.voice

    @property
    def teller(self) -> str:
        """Whose word the sentence is: of whom it gives a claim, else who says it."""
        return self.source or self.voice

    def clause_at(self, p: int) -> Clause:
        """The clause to which a token belongs, for its time."""
        return self.sentence.clause_at(p) or verbless_clause()

    # --- what a claim is made of ---

    def rooms(self, places: Iterable[Place], apart: Collection[str] = ()) -> list[str]:
        """The rooms of places that are known, but for those after the prepositions ``apart``."""
        return [room for p in places if p.preposition not in apart and (room := self.room_of(p))]

    def room_of(self, place: Place) -> str | None:
        """The room of a place; of "there" and "here" the one just spoken of."""
        if place.room:
            return place.room
        if self.tokens[place.at].text in ("room", "scene"):
            return self._room_meant(place)
        return self._headed_for() or self._just_there() or self._spoken_of(place)

    def _spoken_of(self, place: Place) -> str | None:
        """The room that "there" points to: the last one named before it that was reached, or where the teller is."""
        tokens, before, here = self.tokens, self.clause.before, self._own_place()
        every = [p for p in range(place.at - 1, -1, -1) if tokens[p].kind == "room"]
        named = [p for p in every if not _on_the_map(tokens, p)] or every
        named = [p for p in named if here is None or not _is_nowhere_near(tokens, p)]
        reached = [p for p in every if not _headed(tokens, p)]
        reached = [p for p in reached if not self._only_later(p)] or reached
        reached = [p for p in reached if p in named]
        if named and not reached and before is not None and "in" in before.words:
            return self.discourse.places.get(self.voice) or tokens[named[0]].value  # "I walked in from A, X was there"
        if named:
            return tokens[(reached or named)[0]].value
        apart = self.clause.group.lemma in _POSTURES or any(_is_nowhere_near(tokens, p) for p in every)
        return (here if apart else None) or self.discourse.room

    def _own_place(self) -> str | None:
        """Where the teller was, of "I saw X leave toward A. I was standing there", "nowhere near A, I was there"."""
        return self.discourse.places.get(self.voice) if self.clause.subject == (self.voice,) else None

    def _only_later(self, p: int) -> bool:
        """Whether a room stands in "before going to R", which nobody had reached then."""
        going = [c for c in self.sentence.clauses if c.link == "before" and c.group.form == GERUND]
        return any(c.rest[0] <= p < c.rest[1] for c in going if c.group.kind in ("move", "enter"))

    def _headed_for(self) -> str | None:
        """The room of "I left toward R, (X says) I got there"."""
        before = self.clause.before
        while before is not None and before.group.kind == "say" and before.link not in ("if", "when"):
            before = before.before
        if before is None or before.subject != self.clause.subject:
            return None
        toward = [p.room for p in before.places if p.preposition in TOWARD and p.room]
        return toward[-1] if toward and self.clause.group.kind in ("move", "enter", "find", "report") else None

    def _room_meant(self, place: Place) -> str | None:
        """The room of "in the room", "in the murder room": where the body lay, named before, or where the teller is."""
        tokens, clause, bodies = self.tokens, self.clause, self.discourse.bodies
        beside = tokens[place.at + 1 : place.at + 5]
        dead = [token.value for token in beside if token.kind == "name" and token.value in bodies]
        if dead:
            return bodies[dead[0]]  # "the room where Bob died", "in the room with Bob"
        its = {"body", "victim", "died", "killed", "dead"} & {token.text for token in beside}
        if text_at(tokens, place.at - 1) in ("murder", "kill", "crime") or its:
            return next(reversed(bodies.values()), None)
        named = [p for p in range(place.at) if tokens[p].kind == "room"]
        reached = [tokens[p].value for p in named if text_at(tokens, p - 1) not in FROM | TOWARD]
        if reached:
            return reached[-1]
        tells = clause.indefinite or clause.subject == (self.voice,) or clause.link in TIME_LINKS
        return self.discourse.places.get(self.voice) if tells else None

    def _just_there(self) -> str | None:
        """Where the subject of a clause of time was just said to be: "I reached A after Bob left; when I got there"."""
        clause = self.clause
        if clause.link not in TIME_LINKS or len(clause.subject) != 1:
            return None
        got = clause.group.lemma in ("get", "arrive", "come", "reach")
        told = [c for c in self.claims if c.subject == clause.subject[0] and not c.negative]
        told = [c for c in told if c.type == "location" or (got and c.activity == "traveling" and c.room)]
        return (told[-1].route[-1] if told[-1].route else told[-1].room) if told else None

    def where(self, clause: Clause) -> str | None:
        """The room that "where" points to: the last one named before it."""
        tokens = self.tokens
        named = [p for p in range(clause.group.first - 1, -1, -1) if tokens[p].kind == "room"]
        reached = [p for p in named if text_at(tokens, p - 1) not in FROM]
        return next((tokens[p].value for p in [*reached, *named]), self.discourse.room)

    def time(self, clause: Clause) -> str | None:
        """The time phrase of a clause as it stands in the message, or the clause of time that follows."""
        token = time_of(clause) or self._shared_time(clause)
        return self.message[token.start : token.end] if token is not None else self._clause_of_time(clause)

    def _clause_of_time(self, clause: Clause) -> str | None:
        """The words of the clause of time that follows: "when Bob came in"."""
        after, tokens = self.after(clause), self.tokens
        if after is None or after.link not in TIME_LINKS or after.small:
            return None
        links = (p for p in range(after.group.first, clause.rest[0] - 1, -1) if tokens[p].text in TIME_LINKS)
        stops = (p for p in range(*after.rest) if tokens[p].text in (",", "—", "-", ";", "("))
        first, last = next(links, None), next(stops, after.rest[1])
        return self.message[tokens[first].start : tokens[last - 1].end] if first is not None else None

    def _shared_time(self, clause: Clause) -> Token | None:
        """The time of what was seen, of the clause that a participle goes on, or put at the head of the sentence."""
        if clause.small and clause.above is not None:
            return time_of(clause.above)
        if clause.group.form == GERUND and clause.phrase is None and clause.before is not None:
            return time_of(clause.before)
        return next((t for t in self.tokens[:3] if t.kind == "time" and t.text not in WEAK), None)

    def after(self, clause: Clause) -> Clause | None:
        """The clause after one of the sentence."""
        return next((after for one, after in pairwise(self.sentence.clauses) if one is clause), None)

    def attribution(self, clause: Clause, person: str, seen: bool = False) -> str:
        """Whose word a claim about a person is."""
        if clause.group.mood == MUST:
            return "inferred"
        if self.source and self.source != self.discourse.speaker:
            return "quoted"
        if person == self.discourse.speaker:
            return "own"
        return "witnessed" if seen or person not in self.discourse.said else "quoted"

    # --- claims ---

    def _claim(self, clause: Clause, kind: str, who: str, room: str | None, negative: bool, **more: Any) -> Claim:
        """Adds a claim about ``who``."""
        time = more.pop("time", None) or self.time(clause)
        polarity = NEGATIVE if negative else POSITIVE
        self.claims.append(Claim(kind, who, room, polarity=polarity, time=time, **more))
        return self.claims[-1]

    def location(self, clause: Clause, who: str, room: str | None, negative: bool = False, of: str = PLAYER) -> None:
        """``who`` was in a room."""
        if room is None:
            return
        self.discourse.room = room
        if of == BODY:
            self.discourse.lain.add((who, room))
        elif not negative:
            self.discourse.places[who] = self.discourse.stays[who] = room
        self._claim(clause, "location", who, room, negative, of=of, attribution=self.attribution(clause, who))

    def route(self, clause: Clause, who: str, rooms: Iterable[str], negative: bool = False) -> None:
        """``who`` went this way."""
        way = tuple(room for room, _ in groupby(rooms))
        if len(way) < 2:
            for room in way:
                self.location(clause, who, room, negative)
            return
        self.discourse.room = self.discourse.places[who] = way[-1]
        self.discourse.stays.pop(who, None)
        attribution = self.attribution(clause, who)
        claim = self._claim(clause, "location", who, None, negative, route=way, attribution=attribution)
        if negative:
            return
        if who == self.source != self.discourse.speaker:
            self.discourse.ways.append(claim)
        self.discourse.gone.setdefault(who, []).append(way)

    def sighting(
        self, clause: Clause, who: str, target: str | None, room: str | None, negative: bool = False, of: str = PLAYER,
        time: str | None = None,
    ) -> None:  # fmt: skip
        """``who`` saw somebody (or somebody's body) in a room."""
        discourse = self.discourse
        if who == target:
            return
        if of == BODY and target is not None:
            discourse.lain.add((target, room))
        if room is not None:
            discourse.room = room
        if room is not None and not negative:
            if target is not None and of == PLAYER:
                discourse.places[target] = room
            if who == discourse.speaker:
                discourse.places[who] = room
            if of == BODY:
                discourse.finders[who] = room
        own = "own" if who == discourse.speaker and not self.source else "quoted"
        self._claim(clause, "sighting", who, room, negative, target=target, of=of, attribution=own, time=time)

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
        attribution = self.attribution(clause, who, seen)
        self._claim(clause, "activity", who, room, negative, activity=what, origin=origin, attribution=attribution)


def _is_nowhere_near(tokens: Sequence[Token], p: int) -> bool:
    """Whether a room is denied as "nowhere near R"."""
    return "nowhere" in texts(tokens, p - 3, p)


def _on_the_map(tokens: Sequence[Token], p: int) -> bool:
    """Whether a room only tells where another lies: "toward A, which is directly connected to B"."""
    return bool({"connected", "connects", "adjacent", "next", "links"} & set(texts(tokens, p - 3, p)))


def _headed(tokens: Sequence[Token], p: int) -> bool:
    """Whether a room is not reached: "toward R", "on my way to R", "from R"."""
    last = p - 1 - (text_at(tokens, p - 1) == "the")
    return text_at(tokens, last) in ("from", *TOWARD) or texts(tokens, last - 1, last + 1) == ["way", "to"]


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
    rooms = account.rooms(places)
    if not rooms and _goes_on_there(account, clause) and (room := account.where(clause)):
        rooms = [room]
    return rooms


def _goes_on_there(account: Account, clause: Clause) -> bool:
    """Whether a clause tells what happened in the room named last: "where X was", "which is when X came"."""
    if clause.link != "when":
        return clause.link == "where"
    tokens = account.tokens
    at = next((p for p in range(clause.group.first, -1, -1) if tokens[p].text == "when"), 0)
    return which_is(account.sentence, at)


def until(account: Account, clause: Clause) -> bool:
    """Whether something was denied only until something: "didn't see X until ..." saw X then."""
    after = account.after(clause)
    return says_until(clause) or (after is not None and after.link == "until")


def says_until(clause: Clause) -> bool:
    """Whether a clause itself says "until": "until tick 9"."""
    return "until" in clause.words or any(token.text.startswith("until") for token in clause.times)


def existential(account: Account, clause: Clause) -> bool:
    """there was nobody, there was no Bob."""
    tokens = account.tokens
    return text_at(tokens, clause.group.first - 1) == "there"


def seen_in_sentence(account: Account, clause: Clause) -> bool:
    """Whether the sentence lists what the speaker saw: "I saw X in R, and Y was also there"."""
    above = clause.before
    while above is not None and above.link not in ("because", "since", "so"):
        if above.group.kind == "see" and above.subject == (account.voice,):
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
    seen_again = after.group.kind == "see" and after.subject == (account.voice,) and not after.objects
    if not (after.link == "who" or (after.group.kind == "leave" and after.group.form == GERUND)):
        return []
    leaves = after.group.kind == "leave"
    apart = TOWARD | ({"to", "into"} if leaves else FROM)
    if not (leaves or seen_again or after.group.kind in ("is", "be", "enter") or after.group.lemma in ARRIVING):
        return []
    return account.rooms(after.places, apart=apart)[:1]


def rooms_when(account: Account, clause: Clause) -> list[str]:
    """The room of "when I passed through R" right after or before what was seen."""
    return _rooms_after(account, clause) or _rooms_before(account, clause)


def _rooms_after(account: Account, clause: Clause) -> list[str]:
    after = account.after(clause)
    if after is None or after.subject != clause.subject or after.link not in WHILE:
        return []
    tokens = account.tokens
    at = next((p for p in range(after.group.first, clause.rest[0] - 1, -1) if tokens[p].text == after.link), None)
    if at is None or text_at(tokens, at - 1) in ("but", "and", ","):
        return []
    return rooms_reached(account, after)


def _rooms_before(account: Account, clause: Clause) -> list[str]:
    before = clause.before
    if before is not None and "empty" in before.words:
        before = before.before  # "when I passed through R, it was empty — I didn't see X"
    if before is None or before.subject != clause.subject or before.link not in WHILE or before.maybe:
        return []
    return rooms_reached(account, before) if before.group.kind in ("move", "enter", "leave", "is", "be") else []


def rooms_on_entering(account: Account, clause: Clause) -> list[str]:
    """The room of "when I entered R" right before or after somebody else is told of."""
    voice = account.voice
    for entry in (clause.before, account.after(clause)):
        if entry is None or entry.link not in WHILE or entry.subject != (voice,) or entry.maybe or entry.negative:
            continue
        if entry.group.kind in ("move", "enter"):
            here = account.discourse.places.get(voice) if entry is clause.before and not entry.places else None
            return rooms_reached(account, entry) or ([here] if here is not None else [])
    return []


def rooms_reached(account: Account, clause: Clause) -> list[str]:
    """The rooms that a clause has its subject in, passing or going to, in the order in which they stand."""
    return account.rooms(clause.places, apart=FROM | TOWARD)


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
    if above.negative or (above.maybe and not claims) or len(clause.subject) != 1:
        return []
    if [p.preposition for p in above.places[:2]] in (["", "to"], ["", "into"]):
        return []  # "I was A to B and saw nobody"
    denies = _denies(account, clause)
    if denies and len({step.rooms for step in account.steps if step.subject == clause.subject}) > 1:
        return []  # "I started in A, went to B and saw nobody": on the whole way
    if denies and any(word in token.text for token in clause.times for word in ("round", "game")):
        return []  # "I went to R, and I didn't see X all round"
    apart = FROM | TOWARD | {"before", "after"}
    rooms = account.rooms(above.places, apart=apart)
    anybody = any(phrase.indefinite for phrase in clause.objects)
    if not rooms and denies and not anybody:
        rooms = [p.room for p in above.places if p.preposition in FROM and p.room]  # "came from R and saw no Bob"
    if len(rooms) > 1 and anybody:
        return []  # "was in A and B and saw nobody"
    between = set(account.words(above.group.last, clause.group.first))
    both = clause.negative and ("and" in above.words or "/" in between)  # "was around A/B and never saw X"
    return rooms if both else rooms[-1:]


def _denies(account: Account, clause: Clause) -> bool:
    """Whether a clause denies: did not see X, saw nobody, saw no X."""
    tokens = account.tokens
    return clause.negative or any(
        o.indefinite == "nobody" or text_at(tokens, o.first - 1) == "no" for o in clause.objects
    )
