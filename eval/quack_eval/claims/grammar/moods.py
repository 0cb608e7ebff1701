"""What of a sentence is only possible: conditions and what hangs on them, modals, infinitives, opinions, questions."""

from __future__ import annotations

from quack_eval.claims.grammar.lexicon import (
    BASE,
    BELIEVING,
    EITHER,
    FINITE,
    GERUND,
    MODALS,
    PARTICIPLE,
    TIME_LINKS,
    word_set,
)
from quack_eval.claims.grammar.parts import Clause, Sentence, which_is
from quack_eval.claims.grammar.verbs import FACT, MAYBE, TO
from quack_eval.claims.grammar.words import text_at, texts

_ASKS = word_set("know hear about explain exactly say tell ask clarify confirm wonder sure question account of")
_SAME_IN_PAST = frozenset({"cut", "put", "set", "hit", "let", "shut"})
"""Verbs whose bare form is the past too."""
_TELLING = frozenset({"say", "claim", "mention", "state", "confirm", "verify", "prove"})
_HYPOTHETICAL = frozenset({"if", "either", "unless", "whether", "assuming", "suppose", "supposing"})


def judge_mood(clause: Clause, sentence: Sentence) -> None:
    """Marks what is only possible: conditions, what hangs on them, modals, infinitives."""
    if _instead(clause, sentence):
        clause.maybe = True
    elif _supposed(clause, sentence):
        clause.supposed = clause.maybe = True
    elif any(unreal(clause, sentence) for unreal in _UNREAL):
        clause.maybe = True
    elif _goes_on(clause):
        return
    elif _can_say(clause, sentence):
        clause.maybe = clause.negative or clause.indefinite == "nobody"
    elif not (_the_last_to(clause, sentence) or _happened_to(clause)):
        _judge_by_above(clause, sentence)
    clause.negative ^= _called_untrue(clause)


def _called_untrue(clause: Clause) -> bool:
    """Whether a clause is what another denies: "it is not true that X was in R"."""
    above = clause.above
    return above is not None and clause.link == "that" and above.negative and "true" in above.words


def _judge_by_above(clause: Clause, sentence: Sentence) -> None:
    """Marks what is only possible by its own modal or by the clause it hangs on."""
    above = clause.above
    if _unsaid(clause, sentence) or _modal(clause, sentence):
        clause.maybe = True
    elif above is None:
        clause.maybe |= _asked_where(clause, sentence)
    elif above.group.mood == TO and not above.supposed and clause.group.form in (FINITE, EITHER):
        clause.maybe = _believed(clause) or (clause.link == "where" and _asked(sentence, clause))
    elif _as_doubtful(clause, above, sentence):
        clause.maybe = True
    elif _called_unlikely(clause, above):
        if above.words >= {"no", "way"} and clause.group.kind in ("is", "be"):  # "there is no way that X was in R"
            clause.negative = True
        else:
            clause.supposed = clause.maybe = True
    else:
        clause.maybe |= _believed(clause) or _asked_where(clause, sentence)


def _instead(clause: Clause, sentence: Sentence) -> bool:
    """Whether something was not done: "instead of reporting"."""
    lead = texts(sentence.tokens, clause.group.first - 2, clause.group.first)
    return lead == ["instead", "of"] or lead[-1:] == ["instead"]


def _can_say(clause: Clause, sentence: Sentence) -> bool:
    """Whether "can" tells what somebody does: "I can say that", "nobody can vouch"."""
    says = clause.group.kind == "say" or clause.group.lemma == "vouch"
    return says and sentence.tokens[clause.group.first].text == "can" and clause.link not in _HYPOTHETICAL


def _unsaid(clause: Clause, sentence: Sentence) -> bool:
    """Whether a clause is what somebody would only say, or what nobody can."""
    above = clause.above
    would = above is not None and above.maybe and clause.before is above and _might_say(sentence, above)
    return would or _not_confirmed(clause)


def _a_fact(clause: Clause, sentence: Sentence) -> bool:
    """Whether a clause is called a fact: "to ignore the fact that X was in R"."""
    tokens = sentence.tokens
    at = next((p for p in range(clause.group.first, max(0, clause.first - 2), -1) if tokens[p].text == "that"), 0)
    return at > 1 and texts(tokens, at - 2, at) == ["the", "fact"]


def _modal(clause: Clause, sentence: Sentence) -> bool:
    """Whether a modal, an infinitive or a condition makes a clause only possible, or what it is part of is."""
    above = clause.above
    part = clause.small or (clause.link == "that" and not _a_fact(clause, sentence)) or _hangs_on(clause)
    return clause.group.mood in (MAYBE, TO) or (above is not None and above.maybe and part)


def _set_off(clause: Clause, sentence: Sentence) -> bool:
    """Whether a clause only adds what somebody did, set off by a mark: "if Bob, who was in R, ..."."""
    lead = texts(sentence.tokens, clause.group.first - 2, clause.group.first)
    return bool(clause.subject) and lead[1:] == ["who"] and lead[0] in (",", "—", "(", "-")


def _as_doubtful(clause: Clause, above: Clause, sentence: Sentence) -> bool:
    """Whether a clause goes on what is only possible, a lie, or what nobody said."""
    if _set_off(clause, sentence):
        return False
    onward = clause.phrase is None and clause.link not in ("because", "since", "then", "but", ":", ";")
    bare = clause.phrase is None and clause.group.form == BASE
    says = above.group.kind == "say" and above.link == "and"
    return (
        (above.maybe and (onward or bare or says))
        or _could_have_gone_on(clause)
        or (above.link in _HYPOTHETICAL and clause.link == "and")
        or (_lies_about(above) and clause.group.form == GERUND)
        or (above.negative and above.group.lemma in _TELLING and clause.before is above)
    )


def _called_unlikely(clause: Clause, above: Clause) -> bool:
    """Whether a clause is what another calls possible, likely or not: "it is impossible that X was in R"."""
    called = above.words & {"possible", "likely", "unlikely", "impossible", "chance"} or above.words >= {"no", "way"}
    joined = clause.before is above and clause.link not in ("because", "since", "as", "—", ";", ":")
    return above.group.kind == "is" and bool(called) and joined


def _believed(clause: Clause) -> bool:
    """Whether a clause is what somebody believes: "I think X was in R"."""
    above = clause.above
    believes = above is not None and above.group.lemma in BELIEVING and clause.before is above
    return believes and clause.link in ("", "that")


def _asked_where(clause: Clause, sentence: Sentence) -> bool:
    """Whether a clause is what the speaker asks for: "I want to know where X was"."""
    return clause.link in ("where", "who", "what", "how", "which") and _asked(sentence, clause)


def _goes_on(clause: Clause) -> bool:
    """Whether an infinitive goes on a movement: "left to head to R"."""
    before = clause.before
    moves = before is not None and before.group.kind in ("leave", "move") and not before.maybe
    return moves and clause.group.mood == TO and clause.group.kind == "move"


def _opinion(clause: Clause, sentence: Sentence) -> bool:
    """I don't see Alice doing that, I can't see how: nothing that was not seen."""
    words = texts(sentence.tokens, clause.group.first, clause.group.last + 1)
    present = words[0] in ("do", "does", "ca", "can") and words[-1] == "see"
    return clause.negative and clause.group.lemma == "see" and present


def _could_have_gone_on(clause: Clause) -> bool:
    """Whether a participle goes on what could have been: "could have killed Eve and then come to R"."""
    above = clause.above
    if above is None or above.group.mood != MAYBE or above.group.form not in ("finite", PARTICIPLE, EITHER):
        return False
    return clause.phrase is None and clause.link == "then" and clause.group.form in (PARTICIPLE, EITHER)


def _turned(clause: Clause, sentence: Sentence) -> bool:
    """Whether a modal stands before the subject: "why would I stand there", "maybe I was there"."""
    phrase = clause.phrase
    before = text_at(sentence.tokens, phrase.first - 1) if phrase is not None else ""
    return (before in MODALS and clause.group.form == BASE) or before in ("maybe", "perhaps")


def _infinitive_goes_on(clause: Clause, sentence: Sentence) -> bool:
    """Whether a bare verb goes on an infinitive: "had the time to corner Bob, kill him and then run to R"."""
    before = clause.before
    acts = clause.group.kind in ("move", "leave", "enter", "kill", "find", "report", "see", "call")
    bare = acts and clause.group.form == BASE and clause.group.mood == FACT and not clause.group.negative
    if not bare or clause.group.lemma in _SAME_IN_PAST | {"route"}:
        return False
    if clause.phrase is not None or clause.small or before is None or clause.link not in ("and", "then", ","):
        return False
    did = before.group.first < before.group.last and sentence.tokens[before.group.first].text == "did"
    if did and not before.maybe:
        return before.negative  # "he did go through A and head to B"
    return before.maybe or before.group.form not in (BASE, GERUND)


def _supposed(clause: Clause, sentence: Sentence) -> bool:
    """Whether a clause belongs to a condition: begun by "if", or joined to one that is."""
    if clause.link in _HYPOTHETICAL:
        return True
    before = clause.before
    if before is None or not before.supposed:
        return False
    return (
        clause.small
        or clause.link in ("and", "or", "that")
        or (clause.link == "" and before.group.kind == "say" and _still_to_be_said(clause, before))
        or (clause.phrase is not None and clause.phrase.pronoun == "you" and clause.group.form == BASE)
        or (clause.link == "," and text_at(sentence.tokens, clause.first + 1) in ("and", "or"))
        or clause.link in TIME_LINKS
        or (clause.phrase is None and clause.link in ("", ",", "then") and before.phrase is not None)
    )


def _still_to_be_said(clause: Clause, said: Clause) -> bool:
    """Whether a condition waits for what is not said yet: "if Bob says Eve was there", "if he confirms he was in R".

    Also "if you say you were anywhere near R".
    """
    confirms = said.group.lemma in ("confirm", "verify", "corroborate", "agree")
    return clause.subject != said.subject or confirms or "anywhere" in clause.words


def _lies_about(clause: Clause) -> bool:
    """lied about seeing X, was caught in a lie about it."""
    return "about" in clause.words and (clause.group.lemma == "lie" or bool(clause.words & {"lie", "lies"}))


def _not_confirmed(clause: Clause) -> bool:
    """Whether a clause is what nobody can say: "nobody can confirm (that) he was in R"."""
    said = clause.above
    if said is None or said is not clause.before or said.group.kind != "say":
        return False
    return said.maybe and said.indefinite == "nobody" and clause.link in ("", "that")


def _hangs_on(clause: Clause) -> bool:
    """Whether a clause of time is as uncertain as what it dates: not in "could have left before Bob came"."""
    above = clause.above
    done = above is not None and above.group.mood == TO and above.group.form == FINITE  # "to have killed him when ..."
    told = clause.phrase is not None and clause.group.form in (FINITE, EITHER)
    told = told and (clause.link in ("before", "after") or done)
    supposed = clause.above is not None and clause.above.supposed
    return clause.link in TIME_LINKS - {"since"} and (supposed or not told)


def _might_say(sentence: Sentence, clause: Clause) -> bool:
    """Whether something is only what somebody would say: "a Duck would say he saw nobody"."""
    words = set(texts(sentence.tokens, clause.group.first, clause.group.last + 1))
    return clause.group.kind == "say" and bool(words & {"would", "could", "might", "'d"})


def _happened_to(clause: Clause) -> bool:
    """Whether an infinitive tells what was done: "Bob happened to walk in", "claims to be in R"."""
    above = clause.above
    if above is None or above.maybe or above.negative or clause.group.mood != TO or clause.before is not above:
        return False
    claims = above.group.lemma == "claim" and bool(above.phrase and above.phrase.who)
    return above.group.lemma in ("happen", "manage") or (claims and above.group.last + 1 == clause.group.first)


def _the_last_to(clause: Clause, sentence: Sentence) -> bool:
    """Whether "X is the last person to see Y" tells that X saw Y."""
    lead = texts(sentence.tokens, clause.group.first - 4, clause.group.first)
    above = clause.above
    told = above is not None and above.group.kind == "is" and not (above.maybe or above.negative)
    return told and clause.group.mood == TO and clause.group.kind == "see" and bool({"last", "first"} & set(lead))


def _asked(sentence: Sentence, clause: Clause) -> bool:
    """Whether "where X was" is what the speaker asks for or speaks of, no statement."""
    tokens = sentence.tokens
    at = next(
        (p for p in range(clause.group.first, max(-1, clause.first - 3), -1) if tokens[p].text == clause.link), None
    )
    seen = clause.above is not None and clause.above.group.kind == "see"
    told = clause.link == "where" and clause.group.kind == "find" and clause.phrase is not None
    if at is None or told or which_is(sentence, at) or clause.link == "who" or (clause.link == "how" and seen):
        return False
    lead = tokens[max(0, at - 5) : at]
    if len(lead) > 1 and lead[-2].text in ("that", "which", "this") and lead[-1].text in ("is", "was"):
        return False  # "that is where I was"
    if any(token.kind == "room" or token.text in ("there", "here", "room") for token in lead):
        return False
    return not clause.places or any(token.text in _ASKS for token in lead)


_UNREAL = (_opinion, _turned, _infinitive_goes_on)
"""What makes a clause no statement, whatever it hangs on."""
