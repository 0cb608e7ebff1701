"""Phrases of a sentence: persons, and groups of verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quack_eval.claims.grammar.discourse import POSSESSIVES, PRONOUNS, Discourse
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import (
    ADVERBS,
    ANYBODY,
    AUXILIARIES,
    BASE,
    CONNECTIVES,
    DETERMINERS,
    EITHER,
    FINITE,
    GERUND,
    MODALS,
    NOBODY,
    NOUNS_TOO,
    PARTICIPLE,
    PREPOSITIONS,
    TIME_LINKS,
    VERBS,
    word_set,
)

_SOMEBODY = word_set("person persons player players people soul souls goose geese crewmate crewmates one body being")
_BEFORE_CALLED = frozenset(
    ["and", "but", "so", "look", "ok", "okay", "well", "also", "then", "now", "whoa", "wait", "hey", "sorry", "listen",
     "alright", "yes", "yeah", "no", "thanks", "exactly", "right", "come"]
)  # fmt: skip
"""Words before a name at the beginning that calls somebody: "whoa Bob, ..."."""
_NEVER_OBJECTS = frozenset({"i", "he", "she", "they", "we"})
_NUMBERS = frozenset({"two", "three", "four", "five"})
_BEGIN = (
    PRONOUNS | NOBODY | ANYBODY | {"no", "any", "a", "another", "single", "other", "both", "neither", "two", "three"}
)
_BEGIN |= {"either", "none"}
"""The words with which a phrase for players begins that is no name."""
_STRANGERS = frozenset({"killer", "whoever", "someone", "somebody", "imposter", "impostor"})
"""Words for somebody unknown whom "they" goes on to speak of."""
_VERBAL = AUXILIARIES | MODALS | {"to", "not", "n't", "never", "cannot"} | frozenset(VERBS)
"""The words with which a group of verbs begins."""
_DOUBTFUL = frozenset({"probably", "likely", "maybe", "perhaps", "possibly"})
FACT, MAYBE, MUST, TO = "fact", "maybe", "must", "to"
"""Moods of a verb group: asserted, possible only, concluded, an infinitive."""


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


@dataclass(slots=True)
class Group:
    """A verb with its auxiliaries, tokens ``first`` to ``last``."""

    first: int
    last: int
    kind: str
    lemma: str
    form: str
    negative: bool = False
    mood: str = FACT
    passive: bool = False


# --- persons ---------------------------------------------------------------------------------------------------------


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
        if _text(tokens, phrase.first - 1) in TIME_LINKS and not (phrase.pronoun or _says(tokens, phrase.last + 1)):
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
    verb = VERBS.get(_text(tokens, at - 1))
    if verb is not None and verb.kind == "find" and _text(tokens, at - 2) == "and" and at - phrase.last < 9:
        return _acts(tokens, phrase.last + 1)  # "Eve walked into R and found [her] dead"
    if phrase.owner or phrase.called or at - phrase.last > 6:
        return False
    acts = _acts(tokens, phrase.last + 1)
    between = {token.kind for token in tokens[phrase.last + 1 : at]}
    if acts and _text(tokens, at - 1) == "with" and between <= {"word", "room", "time"}:
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
    while p < len(tokens) and tokens[p].kind == "word" and tokens[p].text in ADVERBS:
        p += 1
    word = _text(tokens, p)
    return word in AUXILIARIES or word in MODALS or (word in VERBS and VERBS[word].form != GERUND)


def _says(tokens: Sequence[Token], p: int) -> bool:
    """Whether a verb of saying follows: who says something is whom the rest is about, "when Bob claims he was"."""
    verb = VERBS.get(_text(tokens, p))
    return verb is not None and verb.kind == "say"


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) else ""


def _indefinite(tokens: Sequence[Token], at: int) -> Persons | None:
    """nobody, no one, anyone else, a single soul, any players, not a single person."""
    word = _text(tokens, at)
    if word in NOBODY and (word != "none" or _text(tokens, at + 1) == "of"):
        if word == "none":
            return None
        return Persons(at, _else(tokens, at), (), indefinite="nobody")
    if word in ANYBODY:
        return Persons(at, _else(tokens, at), (), indefinite="anybody")
    if word in ("no", "any", "a", "another", "single", "other"):
        p = at + 1
        while _text(tokens, p) in ("single", "other", "living", "-") and _text(tokens, p + 1) in _SOMEBODY | {
            "single",
            "other",
            "living",
            "-",
        }:
            p += 1
        adjectives = {_text(tokens, q) for q in range(at, p)}
        if _text(tokens, p) == "body":
            return None
        if _text(tokens, p) in _SOMEBODY and (
            word in ("no", "any", "another", "single")
            or adjectives & {"single", "living"}
            or _text(tokens, p) == "soul"
        ):
            return Persons(at, _else(tokens, p), (), indefinite="nobody" if word == "no" else "anybody")
    return None


def _else(tokens: Sequence[Token], p: int) -> int:
    return p + 1 if _text(tokens, p + 1) == "else" else p


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
    owner = at + 1 < len(tokens) and tokens[at + 1].kind == "poss"
    if token.kind == "name":
        discourse.mention((token.value,))
        return Persons(at, at + owner, (token.value,), owner)
    if token.text == "you" and _text(tokens, at + 1) in ("two", "both"):
        return Persons(at, at + 1, discourse.group("you"))
    if token.kind == "word" and token.text in PRONOUNS:
        owner = token.text in POSSESSIVES and (token.text != "her" or _noun_follows(tokens, at + 1))
        owner = owner and not (token.text == "her" and _acts_seen(tokens, at)) and _text(tokens, at + 1) != "not"
        by = discourse.doing if token.text in ("him", "her") and not owner else ()
        return Persons(at, at, discourse.who(token.text, by), owner, pronoun=token.text)
    if (
        token.text in ("both", "neither", "two", "three", "either")
        and _text(tokens, at + 1) == "of"
        and _text(tokens, at + 2) in ("us", "you", "them")
    ):
        return Persons(at, at + 2, discourse.group(_text(tokens, at + 2)), indefinite="")
    if token.text == "none" and _text(tokens, at + 2) in ("us", "you", "them") and _text(tokens, at + 3) in _NUMBERS:
        return Persons(at, at + 3, discourse.who(_text(tokens, at + 2)))
    if token.text in ("both", "neither") and _stands_alone(tokens, at):
        return Persons(at, at, discourse.group("them"))
    return None


def _stands_alone(tokens: Sequence[Token], at: int) -> bool:
    """Whether "both" or "neither" is a subject by itself: "both were in R", "and neither saw Eve"."""
    before = _text(tokens, at - 1)
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
    return begins and _acts(tokens, at + 1) and _text(tokens, at + 1) not in NOUNS_TOO - {"place", "claim", "vote"}


def _noun_follows(tokens: Sequence[Token], at: int) -> bool:
    """Whether a noun comes: then `her` is a possessive."""
    word = _text(tokens, at)
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


def _acts_seen(tokens: Sequence[Token], at: int) -> bool:
    """Whether a verb of seeing stands before and a bare verb after: "saw her pass"."""
    seen, acts = VERBS.get(_text(tokens, at - 1)), VERBS.get(_text(tokens, at + 1))
    return seen is not None and acts is not None and seen.kind == "see" and acts.form == BASE


def _is_hers(tokens: Sequence[Token], at: int) -> bool:
    """Whether what may be a noun after "her" is one: "her route", but not "saw her move"."""
    return _text(tokens, at + 1) in NOUNS_TOO and not _acts_seen(tokens, at)


def _next_of_list(tokens: Sequence[Token], first: int, last: int, discourse: Discourse) -> Persons | None:
    """The next player of a list after token ``last``; a comma alone does not join two, since it may call somebody."""
    p = last + 1
    comma = _text(tokens, p) == ","
    p += comma
    joined = _text(tokens, p) in ("and", "&", "or", "/", "+", "nor")
    p += joined
    p += _text(tokens, p) in ("both", "even", "also")
    if not (joined or comma) or p >= len(tokens) or tokens[p].kind not in ("name", "word"):
        return None
    spoken_to = tokens[first].text in ("you", "me", "i") and tokens[p].text in ("me", "i", "you")
    if (
        tokens[p].kind == "word"
        and not (spoken_to and _list_goes_on(tokens, p + 1))
        and (not joined or tokens[p].text not in ("i", "me", "myself", "you", "him", "her", "them"))
    ):
        return None
    joined_before = any(_text(tokens, q) in ("and", "or", "&") for q in range(first, last))
    seen = VERBS.get(_text(tokens, first - 1))
    apart = (comma and (last - first < 2 or joined_before)) or (
        seen is not None and seen.kind == "see" and _acts(tokens, p + 1)
    )
    if tokens[p].text in ("i", "he", "she", "you") and _starts_clause(tokens, p + 1, apart):
        return None
    if comma and not joined and not _list_goes_on(tokens, p + 1):
        return None
    if comma and joined and _text(tokens, p + 1) == "," and _text(tokens, p + 2) in ("i", "you", "please", "we", "let"):
        return None  # "I vote Bob, and Eve, I ask you to do the same"
    governed = _text(tokens, first - 1) in PREPOSITIONS or (seen is not None and seen.kind == "see")
    if comma and joined and governed and last - first < 2 and _acts(tokens, p + 1):
        return None  # "with us, and Eve claims", "saw Bob, and Eve left"
    return _one(tokens, p, discourse)


def _starts_clause(tokens: Sequence[Token], p: int, comma: bool) -> bool:
    """Whether `and I` begins a clause of its own: not where `were` or `both` shows that two are meant."""
    while _text(tokens, p) in ADVERBS and _text(tokens, p) not in ("both", "together"):
        p += 1
    return comma or _text(tokens, p) in ("was", "am", "'m")


def _list_goes_on(tokens: Sequence[Token], p: int) -> bool:
    """Whether a list continues after a name: `, NAME` or `and NAME`."""
    while p < len(tokens):
        if _text(tokens, p) == ",":
            p += 1
        if _text(tokens, p) in ("and", "&", "or"):
            after = _text(tokens, p + 1)
            return p + 1 < len(tokens) and (tokens[p + 1].kind == "name" or after in ANYBODY | {"i", "me", "you"})
        if p >= len(tokens) or tokens[p].kind != "name":
            return False
        p += 1
    return False


def _called(tokens: Sequence[Token], one: Persons) -> bool:
    """Whether a name calls somebody: between the start or a comma and a comma or the end."""
    if tokens[one.first].kind != "name" or one.owner:
        return False
    before, after = _text(tokens, one.first - 1), _text(tokens, one.last + 1)
    if after not in (",", "—", "-", ":") and not (after in ("and", "&") and one.first == 0):
        return one.first > 1 and before == "," and one.last + 1 == len(tokens)
    told = [_text(tokens, one.last + p) for p in (2, 3, 4)]
    if after == "," and told[0] == "by" and told[1] in ("his", "her") and told[2] == "own":
        return False  # "Bob, by his own account, was ..."
    opens = (
        one.first == 0
        or before in (",", "—", ";", ":", "-")
        or (before in _BEFORE_CALLED and one.first < 3)
        or (before in ("second", "sec", "minute", "moment") and one.first < 8)
        or (before == "on" and _text(tokens, one.first - 2) in ("hold", "hang", "come"))
        or (before in ("and", "but") and after == "," and _text(tokens, one.last + 2) in ("you", "your", "if"))
    )
    if after in ("and", "&"):
        p = one.last + 2
        return opens and p + 1 < len(tokens) and tokens[p].kind == "name" and _text(tokens, p + 1) in (",", "—", ":")
    return opens and not _list_goes_on(tokens, one.last + 1)


def _calls(tokens: Sequence[Token], one: Persons, discourse: Discourse) -> Persons:
    who, last = list(one.who), one.last
    if _text(tokens, last + 1) in ("and", "&"):
        second = _one(tokens, last + 2, discourse)
        if second is not None:
            who += second.who
            last = second.last
    return Persons(one.first, last, tuple(who), called=True)


# --- verbs -----------------------------------------------------------------------------------------------------------


def groups(tokens: Sequence[Token], people: Sequence[Persons]) -> list[Group]:
    """The verb groups, in order."""
    within = {p for phrase in people for p in range(phrase.first, phrase.last + 1)}
    found: list[Group] = []
    at = 0
    while at < len(tokens):
        verbal = tokens[at].text in _VERBAL and tokens[at].kind == "word" and at not in within
        group = _group(tokens, at, within) if verbal else None
        group = _perfect_infinitive(tokens, at, within, found) or group if tokens[at].text == "to" else group
        if group is None:
            at += 1
        else:
            found.append(group)
            at = group.last + 1
    return found


def _perfect_infinitive(tokens: Sequence[Token], at: int, within: set[int], found: Sequence[Group]) -> Group | None:
    """The group of "to have been", "to having seen": a fact where somebody says so, else only possible."""
    if _text(tokens, at + 1) not in ("have", "having"):
        return None
    group = _long(tokens, at + 1, within)
    if group is None or group.lemma == "have":
        return None
    last = found[-1] if found else None
    between = {token.text for token in tokens[last.last + 1 : at]} if last is not None else set()
    said = last is not None and last.kind == "say" and between <= ADVERBS
    goes_on = last is not None and _text(tokens, last.first) == "to" and last.mood == FACT and "and" in between
    group.first, group.mood = at, FACT if said or goes_on else TO
    group.form = FINITE
    return group


def _group(tokens: Sequence[Token], at: int, within: set[int]) -> Group | None:
    """The verb group that begins here."""
    word = tokens[at].text
    verb = VERBS.get(word)
    starts = (
        word in AUXILIARIES
        or word in MODALS
        or word in ("not", "n't", "never", "cannot")
        or (verb is not None and verb.kind == "is")
    )
    if word == "to":
        verb_at = at + 1
        while _text(tokens, verb_at) in ADVERBS:
            verb_at += 1  # "to mostly clear"
        after = VERBS.get(_text(tokens, verb_at))
        if after is None or after.form != BASE or (after.lemma in ("meeting",)):
            return None
        return Group(at, verb_at, after.kind, after.lemma, BASE, mood=TO)
    if starts:
        return _long(tokens, at, within)
    if verb is None or not _stands_as_verb(tokens, at, within):
        return None
    doubtful = verb.form in (FINITE, EITHER) and _text(tokens, at - 1) in _DOUBTFUL
    kind = "enter" if verb.lemma == "hit" and _reaches_room(tokens, at + 1) else verb.kind
    return Group(at, at, kind, verb.lemma, verb.form, mood=MAYBE if doubtful else FACT)


def _reaches_room(tokens: Sequence[Token], p: int) -> bool:
    """Whether it is a room that is hit, not its button: "swung by storage, hit medbay and ended in weapons"."""
    p += _text(tokens, p) == "the"
    return p < len(tokens) and tokens[p].kind == "room" and _text(tokens, p + 1) not in ("button", "report", "meeting")


def _long(tokens: Sequence[Token], at: int, within: set[int]) -> Group | None:
    """A verb group that begins with an auxiliary or a negation."""
    group = Group(at, at, "", "", "")
    p = at
    be = False
    while p < len(tokens) and tokens[p].kind == "word" and p not in within:
        word = tokens[p].text
        verb = VERBS.get(word)
        if word in ("not", "n't", "never", "cannot"):
            group.negative = True
            group.mood = MAYBE if word == "cannot" else group.mood
        elif word == "'d" and _had(tokens, p):
            group.kind, group.lemma, group.form = "other", "have", "finite"
        elif word in ("had", "have") and _text(tokens, p + 1) == "to" and _text(tokens, p + 2) == "have":
            group.mood = (
                group.mood if group.mood == MAYBE else MUST
            )  # "had to have left", not "would have to have left"
            p += 1
        elif word in MODALS:
            group.mood = MUST if word == "must" else MAYBE
        elif verb is not None and verb.kind == "is":
            if word in ("been", "being", "be") and group.kind and be:
                break
            be = True
            group.kind, group.lemma, group.form = "is", "be", verb.form
        elif word in AUXILIARIES and not be:
            if not group.kind or (word == "have" and group.lemma == "do"):
                group.kind, group.lemma, group.form = (
                    ("task", "do", verb.form) if verb and verb.lemma == "do" else ("other", "have", "finite")
                )
        elif word in ADVERBS:
            if word in _DOUBTFUL:
                group.mood = MAYBE
            p += 1
            continue
        elif word == "as" and _text(tokens, p + 1) in ADVERBS and group.mood == MAYBE:
            p += 1
            continue
        elif verb is not None and _completes(verb.form, word, be, group, p - at):
            group.passive = be and verb.form in (PARTICIPLE, EITHER)
            group.kind, group.lemma = verb.kind, verb.lemma
            group.form = "finite" if be or verb.form != GERUND else verb.form
            if verb.form == BASE and group.negative and p == at + 1:
                group.form = "finite"
            group.last = p
            break
        else:
            break
        group.last = p
        p += 1
    if tokens[at].text == "having" and group.lemma != "have":
        group.form = GERUND  # "was there, having just come from R"
    return group if group.kind else None


def _had(tokens: Sequence[Token], p: int) -> bool:
    """Whether 'd stands for "had"."""
    while p + 1 < len(tokens) and tokens[p + 1].text in ADVERBS:
        p += 1
    after = VERBS.get(_text(tokens, p + 1))
    return after is not None and (after.form in (PARTICIPLE, EITHER) or after.lemma == "come")


def _completes(form: str, word: str, be: bool, group: Group, length: int) -> bool:
    """Whether a verb form can be the main verb of the group so far."""
    if be:
        return form in (GERUND, PARTICIPLE, EITHER)
    if length and group.negative and not group.kind and group.mood == FACT:
        return True  # never saw, not seeing
    return form in (BASE, PARTICIPLE, EITHER)


def _stands_as_verb(tokens: Sequence[Token], at: int, within: set[int]) -> bool:
    """Whether a word that may be a noun or a verb is a verb here."""
    word = tokens[at].text
    p = at - 1
    while p >= 0 and tokens[p].kind == "word" and tokens[p].text in ADVERBS and p not in within:
        p -= 1
    before = _text(tokens, p)
    kind = tokens[p].kind if p >= 0 else ""
    if word in ("place", "places") and at + 1 in within and tokens[at + 1].text not in _NEVER_OBJECTS:
        return True  # "that places Bob in R", "his own words place her there"
    points = before in ("that", "this") and VERBS[word].form == FINITE and word not in NOUNS_TOO
    if kind == "poss" or (before in DETERMINERS and p not in within and not points):
        return False
    if p in within and before in POSSESSIVES and (before != "her" or word == "own" or _is_hers(tokens, p)):
        return False
    form = VERBS[word].form
    if word not in NOUNS_TOO:
        return not (form != GERUND and before in PREPOSITIONS and before not in ("before", "after"))
    if p < 0 or before in (",", "and", "then", "but", "or", "who", "—", ":", "so", ";", "please", "'"):
        named = at + 1 < len(tokens) and (tokens[at + 1].kind == "name" or tokens[at + 1].text in ("it", "him", "her"))
        return form != FINITE or word not in ("reports", "claims", "votes", "moves") or (word == "reports" and named)
    if word == "reports" and [token.text for token in tokens[max(0, at - 2) : at]] == ["self", "-"]:
        return at - 3 in within  # "Bob self-reports"
    return p in within or kind == "name" or before in ("you", "that", "did")
