"""Where players bear each other out: "A and B seem to clear each other in R", "A and B's stories line up around R"."""

from __future__ import annotations

from quack_eval.claims.grammar.account import Account
from quack_eval.claims.grammar.chunks import Persons
from quack_eval.claims.grammar.lexicon import ADVERBS, ROUTE_NOUNS, SAID_NOUNS, VERBS
from quack_eval.claims.grammar.parts import Clause
from quack_eval.claims.grammar.words import kind_at, text_at, texts

_BEAR_OUT = frozenset({"confirm", "clear", "vouch", "alibi", "verify", "corroborate", "cover", "back", "place", "put"})
_AGREE = frozenset({"line", "match", "agree", "align", "overlap", "converge"})
_PROOFS = frozenset({"alibi", "alibis", "sighting", "sightings", "confirmation", "confirmations"})
_SHARED = frozenset({"mutual", "overlapping", "shared", "some", "late", "early"})
_STORIES = SAID_NOUNS | ROUTE_NOUNS | {"stories", "accounts", "timelines", "routes", "paths", "claims", "versions"}
_LIGHT = ADVERBS | {"to", "at", "least", "do", "can", "seem", "appear", "somewhat", "decent", "solid", "good", "being"}
_AT = frozenset({"in", "at", "inside", "near", "around", "on"})
_BETWEEN = _AT | _SHARED | {"the", "and", "/", "&", "up", "with", "for", "each", "other", "away", "from", "being"}
_BETWEEN |= {"together", "pretty", "well"}


def bear_out(account: Account) -> None:
    """Every list of players that bear each other out in rooms: they were there."""
    if all(len(phrase.who) < 2 for phrase in account.sentence.people):
        return
    for phrase in account.sentence.people:
        if len(phrase.who) < 2 or phrase.called:
            continue
        after = _stories_agree(account, phrase) if phrase.owner else _each_other(account, phrase)
        clause = account.clause_at(after - 1)
        if after and not (clause.supposed or clause.negative):
            _were_there(account, clause, phrase.who, after)


def _each_other(account: Account, phrase: Persons) -> int:
    """Where "A and B clear each other", "A and B have mutual alibis" ends; 0 where they do no such thing."""
    tokens = account.tokens
    p = _past_light(account, phrase.last + 1)
    word = text_at(tokens, p)
    if word in ("have", "has", "had"):
        p = _past_light(account, p + 1)
        p += text_at(tokens, p) in _SHARED
        if texts(tokens, p, p + 2) == ["each", "other"]:
            return p + 2
        return p + 1 if text_at(tokens, p) in _PROOFS else 0
    if word == "consistent" or (word in VERBS and VERBS[word].lemma == "match"):
        return p + 1
    if word not in VERBS or VERBS[word].lemma not in _BEAR_OUT:
        return 0
    each = texts(tokens, p + 1, p + 4)
    return p + 1 + each.index("other") + 1 if "each" in each and "other" in each else 0


def _stories_agree(account: Account, phrase: Persons) -> int:
    """Where "A and B's stories line up" ends; 0 where it says no such thing."""
    tokens = account.tokens
    p = phrase.last + 1
    if p >= len(tokens) or tokens[p].text not in _STORIES:
        return 0
    p = _past_light(account, p + 1)
    word = text_at(tokens, p)
    return p + 1 if word in VERBS and VERBS[word].lemma in _AGREE else 0


def _past_light(account: Account, p: int) -> int:
    """Past adverbs and "seem to"."""
    tokens = account.tokens
    while kind_at(tokens, p) == "word" and tokens[p].text in _LIGHT:
        p += 1
    return p


def _were_there(account: Account, clause: Clause, who: tuple[str, ...], p: int) -> None:
    """The rooms that follow, in which the players were; those after "away from" are denied."""
    tokens, voice = account.tokens, account.voice
    lead: set[str] = set()
    told = {(c.target or c.subject, c.room) for c in account.claims}
    while p < len(tokens) and (tokens[p].kind in ("room", "time") or tokens[p].text in _BETWEEN):
        lead.add(tokens[p].text)
        away = {"away", "from"} <= lead
        for player in who if tokens[p].kind == "room" and (away or lead & _AT) else ():
            if (player, tokens[p].value) in told:
                continue
            if len(who) == 2 and voice in who and player != voice and not away:
                account.sighting(clause, voice, player, tokens[p].value)
            else:
                account.location(clause, player, tokens[p].value, negative=away)
        p += 1
