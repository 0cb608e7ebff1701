"""Ways that others claim and the speaker calls untrue anywhere in the utterance: "you are lying about your route"."""

from __future__ import annotations

from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.lexicon import ROUTE_NOUNS, SAID_NOUNS, UNTRUE
from quack_eval.claims.grammar.parts import Clause, Sentence
from quack_eval.claims.grammar.words import text_at, texts
from quack_eval.claims.types import NEGATIVE, Claim

_UNTRUE = UNTRUE | {"impossible", "impossibility", "bogus"}
_LIES = frozenset({"lie", "lied", "lying", "lies", "made", "making", "makes"}) | _UNTRUE
_UNSURE = frozenset(
    {
        "if", "either", "or", "unless", "maybe", "might", "may", "could", "would", "sound", "sounds", "seem", "seems",
        "look", "looks", "feels", "whether", "not", "n't", "almost", "nearly", "virtually", "practically", "think",
        "probably", "likely", "possibly",
    }
)  # fmt: skip
"""Words beside which nothing is called untrue for certain."""
_STORY = ROUTE_NOUNS | SAID_NOUNS | {"whereabouts", "location"}


def note_lies(sentence: Sentence, discourse: Discourse) -> None:
    """Notes whose route or story a sentence calls a lie."""
    words = {token.text for token in sentence.tokens}
    if words & _LIES and not words & _UNSURE and not words >= {"one", "of"}:
        for clause in sentence.clauses:
            discourse.liars.update(_called_untrue(sentence, clause, discourse))


def judged(claims: list[Claim], discourse: Discourse) -> list[Claim]:
    """The claims, with the ways denied that those went by their own word whose story is called untrue."""
    untrue = {way for way in discourse.ways if way.subject in discourse.liars}
    return [claim.but(polarity=NEGATIVE) if claim in untrue else claim for claim in claims] if untrue else claims


def _called_untrue(sentence: Sentence, clause: Clause, discourse: Discourse) -> tuple[str, ...]:
    """Whose story a clause calls untrue; nobody's where it calls none so."""
    if clause.group.lemma == "lie" or clause.words & {"lie", "lies"}:
        return _lied_about(sentence, clause)
    if clause.group.lemma == "make" and "up" in clause.words and clause.words & ROUTE_NOUNS:
        return clause.subject
    made_up = clause.group.lemma == "fabricate"
    if not (made_up or (clause.group.kind == "is" and clause.words & _UNTRUE)):
        return ()
    if clause.owner and clause.noun in ("route", "said"):
        return clause.owner
    that = clause.link_before(sentence) == "that" and bool(clause.words & {"alibi", "route", "path"})
    return tuple(way.subject or "" for way in discourse.ways[-1:] if that)


def _lied_about(sentence: Sentence, clause: Clause) -> tuple[str, ...]:
    """Whose story is lied about, or is a lie: "you are lying about your route", "your alibi is a lie"."""
    if clause.owner and clause.noun in ("route", "said") and clause.group.kind == "is":
        return clause.owner
    tokens = sentence.tokens
    for phrase in clause.owners:
        noun = set(texts(tokens, phrase.last + 1, phrase.last + 4))
        if noun & _STORY and text_at(tokens, phrase.first - 1) == "about":
            return phrase.who
    return ()
