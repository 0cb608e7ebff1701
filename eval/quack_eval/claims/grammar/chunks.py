"""Phrases of a sentence that stand for players: names, pronouns, lists of them, nobody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quack_eval.claims.grammar.discourse import POSSESSIVES, PRONOUNS, Discourse
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import (
    ADVERBS,
    ANYBODY,
    AUXILIARIES,
    BASE,
    CONNECTIVES,
    GERUND,
    MODALS,
    NOBODY,
    NOUNS_TOO,
    PREPOSITIONS,
    TIME_LINKS,
    VERBS,
    word_set,
)
from quack_eval.claims.grammar.words import kind_at, skip, text_at, verb_at

_SOMEBODY = word_set("person persons player players people soul souls goose geese crewmate crewmates one body being")
_BEFORE_CALLED = frozenset(
    ["and", "but", "so", "look", "ok", "okay", "well", "also", "then", "now", "whoa", "wait", "hey", "sorry", "listen",
     "alright", "yes", "yeah", "no", "thanks", "exactly", "right", "come"]
)  # fmt: skip
"""Words before a name at the beginning that calls somebody: "whoa Bob, ..."."""
_NUMBERS = frozenset({"two", "three", "four", "five"})
_COUNTED = frozenset({"both", "neither", "either", "none", "two", "three"})
_BEGIN = PRONOUNS | NOBODY | ANYBODY | _COUNTED | {"no", "any", "a", "another", "single", "other"}
"""The words with which a phrase for players begins that is no name."""
_STRANGERS = frozenset({"killer", "whoever", "someone", "somebody", "imposter", "impostor"})
"""Words for somebody unknown whom "they" goes on to speak of."""


@dataclass(slots=True)
class Persons:
    """A phrase for players, tokens ``first`` to ``last``; ``owner`` where it is a possessive.

    ``indefinite`` is "nobody" or "anybody" for phrases that name no player.
    """

    first: int
    last: int
    who: tuple[str, ...]
    owner: bool = False
    indefinite: str = ""
    called: bool = False
    pronoun: str = ""


def players(phrases: Iterable[Persons]) -> list[str]:
    """The players of several phrases."""
    return [who for phrase in phrases for who in phrase.who]


def persons(tokens: Sequence[Token], discourse: Discourse) -> list[Persons]:
    """The phrases for players, in order, pronouns resolved."""
    found: list[Persons] = []
    discourse.previous = discourse.current or discourse.previous
    discourse.current, discourse.acting = [], []
    discourse.aside = set()
    discourse.to_you = False
    if len(tokens) > 2 and tokens[-1].kind == "name" and tokens[-2].text == ",":
        discourse.addressed = (tokens[-1].value,)  # "I saw you there, Bob"
    at = 0
    while at < len(tokens):
        if tokens[at].kind != "name" and tokens[at].text not in _BEGIN:
            discourse.stranger |= tokens[at].text in _STRANGERS
            at += 1
            continue
        object_ = tokens[at].text in ("him", "her") and bool(found)
        discourse.doing = found[-1].who if object_ and _does(tokens, found[-1], at) else ()
        phrase = _indefinite(tokens, at) or _list(tokens, at, discourse)
        if phrase is None:
            at += 1
            continue
        if phrase.called:
            together = found and found[-1].called and phrase.first - found[-1].last <= 2
            discourse.addressed = (*found[-1].who, *phrase.who) if together else phrase.who
        elif phrase.who and (phrase.owner or _acts(tokens, phrase.last + 1)):
            discourse.acting += [p for p in phrase.who if p != discourse.voice][:1] if len(phrase.who) == 1 else []
        discourse.mention(phrase.who)
        if text_at(tokens, phrase.first - 1) in TIME_LINKS and not (phrase.pronoun or _says(tokens, phrase.last + 1)):
            discourse.aside.update(phrase.who)
        elif phrase.who and not phrase.owner and _acts(tokens, phrase.last + 1):
            discourse.aside.difference_update(phrase.who)
        discourse.to_you |= phrase.pronoun == "you" and bool(phrase.who)
        if phrase.called or phrase.pronoun.startswith("you"):
            discourse.current = [name for name in discourse.current if name not in phrase.who]
        found.append(phrase)
        at = phrase.last + 1
    return found


def _does(tokens: Sequence[Token], phrase: Persons, at: int) -> bool:
    """Whether a phrase is the subject of a verb whose object may begin here: "Eve saw [him]"."""
    verb = verb_at(tokens, at - 1)
    if verb is not None and verb.kind == "find" and text_at(tokens, at - 2) == "and" and at - phrase.last < 9:
        return _acts(tokens, phrase.last + 1)  # "Eve walked into R and found [her] dead"
    if phrase.owner or phrase.called or at - phrase.last > 6:
        return False
    acts = _acts(tokens, phrase.last + 1)
    between = {token.kind for token in tokens[phrase.last + 1 : at]}
    if acts and text_at(tokens, at - 1) == "with" and between <= {"word", "room", "time"}:
        return True  # "Bob was in R with [him]"
    if verb is None or at - phrase.last > 5:
        return False
    return (acts or (verb.form == GERUND and phrase.last == at - 2)) and verb.kind in (
        "see",
        "find",
        "leave",
        "put",
        "kill",
    )


def _acts(tokens: Sequence[Token], p: int) -> bool:
    """Whether a verb follows: then the phrase before is its subject."""
    p = skip(tokens, p)
    word, verb = text_at(tokens, p), verb_at(tokens, p)
    return word in AUXILIARIES or word in MODALS or (verb is not None and verb.form != GERUND)


def _says(tokens: Sequence[Token], p: int) -> bool:
    """Whether a verb of saying follows: who says something is whom the rest is about, "when Bob claims he was"."""
    verb = verb_at(tokens, p)
    return verb is not None and verb.kind == "say"


def _indefinite(tokens: Sequence[Token], at: int) -> Persons | None:
    """nobody, no one, anyone else, a single soul, any players, not a single person."""
    word = text_at(tokens, at)
    if word in NOBODY:
        return Persons(at, _else(tokens, at), (), indefinite="nobody")
    if word in ANYBODY:
        return Persons(at, _else(tokens, at), (), indefinite="anybody")
    if word in ("no", "any", "a", "another", "single", "other"):
        p = at + 1
        while text_at(tokens, p) in ("single", "other", "living", "-") and text_at(tokens, p + 1) in _SOMEBODY | {
            "single",
            "other",
            "living",
            "-",
        }:
            p += 1
        adjectives = {text_at(tokens, q) for q in range(at, p)}
        if text_at(tokens, p) == "body":
            return None
        if text_at(tokens, p) in _SOMEBODY and (
            word in ("no", "any", "another", "single")
            or adjectives & {"single", "living"}
            or text_at(tokens, p) == "soul"
        ):
            return Persons(at, _else(tokens, p), (), indefinite="nobody" if word == "no" else "anybody")
    return None


def _else(tokens: Sequence[Token], p: int) -> int:
    return p + 1 if text_at(tokens, p + 1) == "else" else p


def _list(tokens: Sequence[Token], at: int, discourse: Discourse) -> Persons | None:
    """A player, or several joined by commas and `and`."""
    first = _one(tokens, at, discourse)
    if first is None:
        return None
    if _called(tokens, first):
        return _calls(tokens, first, discourse)
    who, last, owner = list(first.who), first.last, first.owner
    while (
        not owner
        and not first.pronoun.endswith("self")
        and (after := _next_of_list(tokens, first.first, last, discourse))
    ):
        who += [p for p in after.who if p not in who]
        last, owner = after.last, after.owner
    if discourse.voice in who and len(who) > 1:
        discourse.with_me = tuple(p for p in who if p != discourse.voice)
    return Persons(first.first, last, tuple(who), owner, pronoun=first.pronoun if last == first.last else "")


def _one(tokens: Sequence[Token], at: int, discourse: Discourse) -> Persons | None:
    token = tokens[at]
    owner = kind_at(tokens, at + 1) == "poss"
    if token.kind == "name":
        discourse.mention((token.value,))
        return Persons(at, at + owner, (token.value,), owner)
    if token.text == "you" and text_at(tokens, at + 1) in ("two", "both"):
        return Persons(at, at + 1, discourse.group("you"))
    if token.kind == "word" and token.text in PRONOUNS:
        owner = token.text in POSSESSIVES and (token.text != "her" or _noun_follows(tokens, at + 1))
        owner = owner and not (token.text == "her" and acts_seen(tokens, at)) and text_at(tokens, at + 1) != "not"
        by = discourse.doing if token.text in ("him", "her") and not owner else ()
        return Persons(at, at, discourse.who(token.text, by), owner, pronoun=token.text)
    if (
        token.text in ("both", "neither", "two", "three", "either")
        and text_at(tokens, at + 1) == "of"
        and text_at(tokens, at + 2) in ("us", "you", "them")
    ):
        return Persons(at, at + 2, discourse.group(text_at(tokens, at + 2)), indefinite="")
    if (
        token.text == "none"
        and text_at(tokens, at + 2) in ("us", "you", "them")
        and text_at(tokens, at + 3) in _NUMBERS
    ):
        return Persons(at, at + 3, discourse.who(text_at(tokens, at + 2)))
    if token.text in ("both", "neither") and _stands_alone(tokens, at):
        return Persons(at, at, discourse.group("them"))
    return None


def _stands_alone(tokens: Sequence[Token], at: int) -> bool:
    """Whether "both" or "neither" is a subject by itself: "both were in R", "and neither saw Eve"."""
    before = text_at(tokens, at - 1)
    begins = at == 0 or before in (
        ",",
        ";",
        "—",
        "-",
        "(",
        "and",
        "but",
        "so",
        "that",
        "because",
        "since",
        "while",
        "yet",
        "though",
    )
    return begins and _acts(tokens, at + 1) and text_at(tokens, at + 1) not in NOUNS_TOO - {"place", "claim", "vote"}


def _noun_follows(tokens: Sequence[Token], at: int) -> bool:
    """Whether a noun comes: then `her` is a possessive."""
    word = text_at(tokens, at)
    if at >= len(tokens) or tokens[at].kind != "word":
        return False
    verb = VERBS.get(word)
    if verb is not None and word not in NOUNS_TOO and word != "own":
        return False
    return (
        word not in PREPOSITIONS
        and word not in CONNECTIVES
        and word not in ADVERBS
        and word not in ("there", "here", "alive", "dead")
    )


def acts_seen(tokens: Sequence[Token], at: int) -> bool:
    """Whether a verb of seeing stands before and a bare verb after: "saw her pass"."""
    seen, acts = verb_at(tokens, at - 1), verb_at(tokens, at + 1)
    return seen is not None and acts is not None and seen.kind == "see" and acts.form == BASE


def _next_of_list(tokens: Sequence[Token], first: int, last: int, discourse: Discourse) -> Persons | None:
    """The next player of a list after token ``last``; a comma alone does not join two, since it may call somebody."""
    p = last + 1
    comma = text_at(tokens, p) == ","
    p += comma
    joined = text_at(tokens, p) in ("and", "&", "or", "/", "+", "nor")
    p += joined
    p += text_at(tokens, p) in ("both", "even", "also")
    if not (joined or comma) or p >= len(tokens) or tokens[p].kind not in ("name", "word"):
        return None
    spoken_to = tokens[first].text in ("you", "me", "i") and tokens[p].text in ("me", "i", "you")
    if (
        tokens[p].kind == "word"
        and not (spoken_to and _list_goes_on(tokens, p + 1))
        and (not joined or tokens[p].text not in ("i", "me", "myself", "you", "him", "her", "them"))
    ):
        return None
    joined_before = any(text_at(tokens, q) in ("and", "or", "&") for q in range(first, last))
    seen = verb_at(tokens, first - 1)
    apart = (comma and (last - first < 2 or joined_before)) or (
        seen is not None and seen.kind == "see" and _acts(tokens, p + 1)
    )
    if tokens[p].text in ("i", "he", "she", "you") and _starts_clause(tokens, p + 1, apart):
        return None
    if comma and not joined and not _list_goes_on(tokens, p + 1):
        return None
    if (
        comma
        and joined
        and text_at(tokens, p + 1) == ","
        and text_at(tokens, p + 2) in ("i", "you", "please", "we", "let")
    ):
        return None  # "I vote Bob, and Eve, I ask you to do the same"
    governed = text_at(tokens, first - 1) in PREPOSITIONS or (seen is not None and seen.kind == "see")
    if comma and joined and governed and last - first < 2 and _acts(tokens, p + 1):
        return None  # "with us, and Eve claims", "saw Bob, and Eve left"
    return _one(tokens, p, discourse)


def _starts_clause(tokens: Sequence[Token], p: int, comma: bool) -> bool:
    """Whether `and I` begins a clause of its own: not where `were` or `both` shows that two are meant."""
    return comma or text_at(tokens, skip(tokens, p, ADVERBS - {"both", "together"})) in ("was", "am", "'m")


def _list_goes_on(tokens: Sequence[Token], p: int) -> bool:
    """Whether a list continues after a name: `, NAME` or `and NAME`."""
    while p < len(tokens):
        if text_at(tokens, p) == ",":
            p += 1
        if text_at(tokens, p) in ("and", "&", "or"):
            after = text_at(tokens, p + 1)
            return kind_at(tokens, p + 1) == "name" or after in ANYBODY | {"i", "me", "you"}
        if p >= len(tokens) or tokens[p].kind != "name":
            return False
        p += 1
    return False


def _called(tokens: Sequence[Token], one: Persons) -> bool:
    """Whether a name calls somebody: between the start or a comma and a comma or the end."""
    if tokens[one.first].kind != "name" or one.owner:
        return False
    before, after = text_at(tokens, one.first - 1), text_at(tokens, one.last + 1)
    if after not in (",", "—", "-", ":") and not (after in ("and", "&") and one.first == 0):
        return one.first > 1 and before == "," and one.last + 1 == len(tokens)
    told = [text_at(tokens, one.last + p) for p in (2, 3, 4)]
    if after == "," and told[0] == "by" and told[1] in ("his", "her") and told[2] == "own":
        return False  # "Bob, by his own account, was ..."
    opens = (
        one.first == 0
        or before in (",", "—", ";", ":", "-")
        or (before in _BEFORE_CALLED and one.first < 3)
        or (before in ("second", "sec", "minute", "moment") and one.first < 8)
        or (before == "on" and text_at(tokens, one.first - 2) in ("hold", "hang", "come"))
        or (before in ("and", "but") and after == "," and text_at(tokens, one.last + 2) in ("you", "your", "if"))
    )
    if after in ("and", "&"):
        p = one.last + 2
        return opens and kind_at(tokens, p) == "name" and text_at(tokens, p + 1) in (",", "—", ":")
    return opens and not _list_goes_on(tokens, one.last + 1)


def _calls(tokens: Sequence[Token], one: Persons, discourse: Discourse) -> Persons:
    who, last = list(one.who), one.last
    if text_at(tokens, last + 1) in ("and", "&"):
        second = _one(tokens, last + 2, discourse)
        if second is not None:
            who += second.who
            last = second.last
    return Persons(one.first, last, tuple(who), called=True)
