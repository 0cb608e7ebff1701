"""Who and where the words point to: the speaker, those addressed, those just named, the place just spoken of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from quack_eval.claims.grammar.lexicon import FEMALE, MALE
from quack_eval.claims.types import Claim

_ONE = {"i": "speaker", "me": "speaker", "myself": "speaker", "my": "speaker", "mine": "speaker", "im": "speaker"}
_HE = frozenset({"he", "him", "himself", "his"})
_SHE = frozenset({"she", "her", "herself", "hers"})
_THEY = frozenset({"they", "them", "themselves", "their", "theirs"})
_WE = frozenset({"we", "us", "our", "ourselves", "ours"})
_YOU = frozenset({"you", "your", "yourself", "yours", "yourselves", "u"})
PRONOUNS = frozenset(_ONE) | _HE | _SHE | _THEY | _WE | _YOU
POSSESSIVES = frozenset({"my", "his", "her", "their", "our", "your"})


@dataclass
class Discourse:
    """What has been spoken of so far in an utterance, after the transcript before it.

    ``mentions``: groups of players named, latest last; ``current``, ``previous``: those of this sentence, of the last
    one that names any. ``with_me``: who "we" are besides the speaker. ``places``:
    where each player was last said to be; ``stays``: of those of whom no way was told since.
    ``bodies``: where each body was said to lie, latest last;
    ``listing``: whether what follows lists whom the speaker met; ``lain``: those of which the utterance itself
    has said so; ``quotes``: whether the last sentence gave what somebody else said; ``unseen``: whom
    it ended with the speaker not seeing, None for nobody at all.
    ``nameless``: where the utterance says a body lay before it says whose.
    ``finders``: where each player was said to have found one. ``ways``: those that others are quoted to have gone;
    ``liars``: whose story the speaker calls untrue; ``gone``: the ways of each player told in the utterance;
    ``way_of``: whose route the last sentence spoke of.
    """

    speaker: str
    players: Sequence[str]
    addressed: tuple[str, ...] = ()
    voice: str = ""
    mentions: list[tuple[str, ...]] = field(default_factory=list)
    subjects: list[tuple[str, ...]] = field(default_factory=list)
    current: list[str] = field(default_factory=list)
    previous: list[str] = field(default_factory=list)
    acting: list[str] = field(default_factory=list)
    doing: tuple[str, ...] = ()
    to_you: bool = False
    stranger: bool = False
    aside: set[str] = field(default_factory=set)
    topic: str = ""
    with_me: tuple[str, ...] = ()
    together: bool = False
    listing: bool = False
    quotes: bool = False
    unseen: tuple[str | None, ...] = ()
    room: str | None = None
    places: dict[str, str] = field(default_factory=dict)
    stays: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, str | None] = field(default_factory=dict)
    nameless: list[str] = field(default_factory=list)
    finders: dict[str, str] = field(default_factory=dict)
    lain: set[tuple[str, str | None]] = field(default_factory=set)
    heard: set[str] = field(default_factory=set)
    said: dict[str, frozenset[str]] = field(default_factory=dict)
    ways: list[Claim] = field(default_factory=list)
    liars: set[str] = field(default_factory=set)
    way_of: tuple[str, ...] = ()
    gone: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.voice = self.voice or self.speaker

    def mention(self, persons: tuple[str, ...]) -> None:
        """Somebody is named."""
        others = tuple(p for p in persons if p != self.voice)
        if others:
            self.stranger = False
            self.mentions.append(others)
            self.current += others
            del self.mentions[:-12]

    def who(self, pronoun: str, by: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Whom a pronoun stands for; nobody where that is not clear, and not those ``by`` whom "him" is seen."""
        if pronoun in _ONE:
            return (self.voice,) if self.voice else ()
        if pronoun in _YOU:
            return self.addressed
        if pronoun in _WE:
            named = self._they() if self.together and (self.current or not self.with_me) else ()
            named = self.addressed if self.together and self.to_you else named
            others = named or self.with_me
            return (self.voice, *(p for p in others if p != self.voice)) if self.voice else ()
        if pronoun in _HE or pronoun in _SHE:
            return self._latest(FEMALE if pronoun in _HE else MALE, pronoun in ("he", "she"), by)
        last = self._they()
        return self._several() if self.together and len(last) == 1 else last

    def group(self, pronoun: str) -> tuple[str, ...]:
        """Whom "both of you" or "two of them" stands for: the last group of that size named before."""
        found = self.who(pronoun)
        if len(found) > 1:
            return found
        if pronoun == "us":
            return (*found, *(p for p in self._they() if p not in found)) if found else ()
        if pronoun == "you" and len(others := self._others_alive()) == 2:
            return others
        named = [name for group in self.mentions[-6:] for name in group if name != self.voice]
        return next(
            (group for group in reversed(self.mentions) if len(group) == 2),
            tuple(list(dict.fromkeys(reversed(named)))[1::-1]),
        )

    def _others_alive(self) -> tuple[str, ...]:
        """Who else has spoken in the meeting: "you two" where nobody is called by name."""
        return tuple(name for name in self.players if name in self.heard and name != self.speaker)

    def _latest(self, unlike: frozenset[str], nominative: bool, by: tuple[str, ...]) -> tuple[str, ...]:
        """A single player named before, of a fitting gender: of this sentence, else a subject before."""

        def fits(name: str) -> bool:
            return name.lower() not in unlike and name != self.speaker and name not in by

        here = [name for name in self.current if fits(name)]
        acting = [name for name in self.acting if fits(name) and name not in self.aside]
        if nominative and set(here) <= self.aside and self.topic:
            here = []
        if here:
            main = [name for name in here if name not in self.aside] or here
            return ((acting or here)[-1],) if nominative else (main[-1],)
        before = [name for group in self.mentions[-6:] for name in group if fits(name)]
        others = [name for name in before if name not in self.addressed]
        if not others and self.addressed:
            others = [name for name in self._others_alive() if fits(name) and name not in self.addressed]
            others = others if len(others) == 1 else []
        before = others or before
        if nominative and self.topic in before:
            return (self.topic,)
        just = {name for name in self.previous if fits(name)}
        if nominative and len(just) == 1:
            return tuple(just)
        for group in reversed(self.subjects[-3:]) if nominative else ():
            if len(group) == 1 and group[0] in before[-3:]:
                return group
        return (before[-1],) if before else ()

    def _they(self) -> tuple[str, ...]:
        return self.mentions[-1] if self.mentions and not self.stranger else ()

    def _several(self) -> tuple[str, ...]:
        """Who "they" are that do something to each other: "Bob was here, Eve there, but they didn't see each other"."""
        named = [name for group in self.mentions[-4:] for name in group]
        return tuple(list(dict.fromkeys(reversed(named)))[1::-1])

    def victim(self, room: str | None = None) -> str | None:
        """Whose body "the body" is: the last one spoken of, of those that lay in the room if one is given."""
        alive = {self.speaker, *self.heard, *self.addressed}
        dead = [name for name in reversed(self.bodies) if name not in alive]
        there = [name for name in dead if room is not None and self.bodies[name] == room]
        return next(iter(there or dead), None)
