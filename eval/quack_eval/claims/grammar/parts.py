"""What a sentence is made of: clauses with their verbs, subjects, places and companions."""

from __future__ import annotations

from dataclasses import dataclass, field

from quack_eval.claims.grammar.chunks import Persons, players
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import ADVERBS, FINITE
from quack_eval.claims.grammar.times import WEAK
from quack_eval.claims.grammar.verbs import Group
from quack_eval.claims.grammar.words import text_at


@dataclass(slots=True)
class Place:
    """A room with the preposition before it."""

    preposition: str
    room: str
    at: int


@dataclass(slots=True)
class Clause:
    """One assertion in the making.

    ``subject``: the players it is said of, none where it is said of no player; ``indefinite`` is "nobody" or
    "anybody" for such subjects. ``noun``: "route", "body", "said" or "" for other subjects. ``link``: the connective
    before it. ``small``: perceived by the subject of the clause ``above`` ("saw Eve leave"); ``placed``: where
    ("saw Eve in R coming from Q").
    """

    group: Group
    subject: tuple[str, ...] = ()
    phrase: Persons | None = None
    indefinite: str = ""
    noun: str = ""
    owner: tuple[str, ...] = ()
    link: str = ""
    small: bool = False
    above: Clause | None = None
    before: Clause | None = None
    first: int = 0
    last: int = 0
    front: tuple[int, int] = (0, 0)
    rest: tuple[int, int] = (0, 0)
    places: list[Place] = field(default_factory=list)
    placed: list[Place] = field(default_factory=list)
    fronted: list[Place] = field(default_factory=list)
    objects: list[Persons] = field(default_factory=list)
    beside: list[tuple[str, Persons]] = field(default_factory=list)
    owners: list[Persons] = field(default_factory=list)
    times: list[Token] = field(default_factory=list)
    words: frozenset[str] = frozenset()
    maybe: bool = False
    supposed: bool = False
    negative: bool = False

    def players_after(self, *prepositions: str) -> list[str]:
        """The players beside the verb after one of these prepositions: "with X"."""
        return players(phrase for preposition, phrase in self.beside if preposition in prepositions)

    def link_before(self, sentence: Sentence) -> str:
        """The word right before the verb."""
        return text_at(sentence.tokens, self.group.first - 1)

    def objects_of(self, sentence: Sentence) -> tuple[str, ...]:
        """The players right after the verb: whom it was done to."""
        p = self.group.last + 1
        phrase = next((phrase for phrase in sentence.people if p <= phrase.first <= p + 1), None)
        return () if phrase is None or phrase.owner else phrase.who


@dataclass(slots=True)
class Sentence:
    """The tokens of a sentence with its phrases and clauses."""

    tokens: list[Token]
    people: list[Persons]
    clauses: list[Clause]
    by_token: dict[int, Persons]
    voice: str = ""

    def clause_at(self, p: int) -> Clause | None:
        """The clause to which a token belongs: the last that begins at or before it, or has its verb there."""
        return next((clause for clause in reversed(self.clauses) if min(clause.first, clause.group.first) <= p), None)


def verbless_clause() -> Clause:
    """The clause of words without a verb."""
    return Clause(Group(0, 0, "is", "be", FINITE))


def which_is(sentence: Sentence, at: int) -> bool:
    """Whether "when" or "where" at a token goes on what was told: "R, which is exactly where he saw me"."""
    p = at - 1
    while p > 0 and sentence.tokens[p].text in ADVERBS | {"right", "exactly"}:
        p -= 1
    return p > 0 and sentence.tokens[p].text in ("is", "was") and text_at(sentence.tokens, p - 1) == "which"


def time_of(clause: Clause) -> Token | None:
    """The time phrase that says most: with ticks before others."""
    strong = [t for t in clause.times if t.text.strip() not in WEAK]
    numbered = [t for t in strong if any(char.isdigit() for char in t.text)]
    return next(iter(numbered or strong), None)
