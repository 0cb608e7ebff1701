"""Groups of verbs: a verb with its auxiliaries, whether it is denied, and whether it is told as a fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quack_eval.claims.grammar.chunks import Persons, acts_seen
from quack_eval.claims.grammar.discourse import POSSESSIVES
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    BASE,
    DETERMINERS,
    EITHER,
    FINITE,
    GERUND,
    MODALS,
    NOUNS_TOO,
    PARTICIPLE,
    PREPOSITIONS,
    VERBS,
)
from quack_eval.claims.grammar.words import kind_at, skip, text_at, texts, verb_at

FACT, MAYBE, MUST, TO = "fact", "maybe", "must", "to"
"""Moods of a verb group: asserted, possible only, concluded, an infinitive."""
_NEGATIONS = frozenset({"not", "n't", "never", "cannot"})
_HELPING = AUXILIARIES | MODALS | _NEGATIONS
_VERBAL = _HELPING | {"to"} | frozenset(VERBS)
"""The words with which a group of verbs begins."""
_DOUBTFUL = frozenset({"probably", "likely", "maybe", "perhaps", "possibly"})
_NEVER_OBJECTS = frozenset({"i", "he", "she", "they", "we"})


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
    if text_at(tokens, at + 1) not in ("have", "having"):
        return None
    group = _long(tokens, at + 1, within)
    if group is None or group.lemma == "have":
        return None
    last = found[-1] if found else None
    between = set(texts(tokens, last.last + 1, at)) if last is not None else set()
    said = last is not None and last.kind == "say" and between <= ADVERBS
    goes_on = last is not None and text_at(tokens, last.first) == "to" and last.mood == FACT and "and" in between
    group.first, group.mood = at, FACT if said or goes_on else TO
    group.form = FINITE
    return group


def _group(tokens: Sequence[Token], at: int, within: set[int]) -> Group | None:
    """The verb group that begins here."""
    word, verb = tokens[at].text, verb_at(tokens, at)
    if word == "to":
        last = skip(tokens, at + 1)  # "to mostly clear"
        after = verb_at(tokens, last)
        return Group(at, last, after.kind, after.lemma, BASE, mood=TO) if after and after.form == BASE else None
    if word in _HELPING or (verb is not None and verb.kind == "is"):
        return _long(tokens, at, within)
    if verb is None or not _stands_as_verb(tokens, at, within):
        return None
    doubtful = verb.form in (FINITE, EITHER) and text_at(tokens, at - 1) in _DOUBTFUL
    kind = "enter" if verb.lemma == "hit" and _reaches_room(tokens, at + 1) else verb.kind
    return Group(at, at, kind, verb.lemma, verb.form, mood=MAYBE if doubtful else FACT)


def _reaches_room(tokens: Sequence[Token], p: int) -> bool:
    """Whether it is a room that is hit, not its button: "swung by storage, hit medbay and ended in weapons"."""
    p += text_at(tokens, p) == "the"
    return kind_at(tokens, p) == "room" and text_at(tokens, p + 1) not in ("button", "report", "meeting")


def _long(tokens: Sequence[Token], at: int, within: set[int]) -> Group | None:
    """A verb group that begins with an auxiliary or a negation."""
    group, p, be = Group(at, at, "", "", ""), at, False
    while kind_at(tokens, p) == "word" and p not in within:
        word, verb = tokens[p].text, verb_at(tokens, p)
        if word in ADVERBS or (word == "as" and text_at(tokens, p + 1) in ADVERBS and group.mood == MAYBE):
            group.mood = MAYBE if word in _DOUBTFUL else group.mood
            p += 1
            continue
        if word in _NEGATIONS:
            group.negative = True
            group.mood = MAYBE if word == "cannot" else group.mood
        elif word == "'d" and _had(tokens, p):
            group.kind, group.lemma, group.form = "other", "have", FINITE
        elif word in ("had", "have") and texts(tokens, p + 1, p + 3) == ["to", "have"]:
            group.mood = MUST if group.mood != MAYBE else MAYBE  # "had to have left", not "would have to have left"
            p += 1
        elif word in MODALS:
            group.mood = MUST if word == "must" else MAYBE
        elif verb is not None and verb.kind == "is":
            if be and word in ("been", "being", "be"):
                break
            be = True
            group.kind, group.lemma, group.form = "is", "be", verb.form
        elif word in AUXILIARIES and not be:
            if not group.kind or (word == "have" and group.lemma == "do"):
                group.kind, group.lemma, group.form = "other", "have", FINITE
                if verb is not None and verb.lemma == "do":
                    group.kind, group.lemma, group.form = "task", "do", verb.form
        elif verb is not None and _completes(verb.form, be, group, p - at):
            group.passive = be and verb.form in (PARTICIPLE, EITHER)
            group.kind, group.lemma, group.last = verb.kind, verb.lemma, p
            group.form = FINITE if be or verb.form != GERUND else GERUND
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
    after = verb_at(tokens, skip(tokens, p + 1))
    return after is not None and (after.form in (PARTICIPLE, EITHER) or after.lemma == "come")


def _completes(form: str, be: bool, group: Group, length: int) -> bool:
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
    before = text_at(tokens, p)
    kind = kind_at(tokens, p)
    if word in ("place", "places") and at + 1 in within and text_at(tokens, at + 1) not in _NEVER_OBJECTS:
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
        named = kind_at(tokens, at + 1) == "name" or text_at(tokens, at + 1) in ("it", "him", "her")
        return form != FINITE or word not in ("reports", "claims", "votes", "moves") or (word == "reports" and named)
    if word == "reports" and texts(tokens, at - 2, at) == ["self", "-"]:
        return at - 3 in within  # "Bob self-reports"
    return p in within or kind == "name" or before in ("you", "that", "did")


def _is_hers(tokens: Sequence[Token], at: int) -> bool:
    """Whether what may be a noun after "her" is one: "her route", but not "saw her move"."""
    return text_at(tokens, at + 1) in NOUNS_TOO and not acts_seen(tokens, at)
