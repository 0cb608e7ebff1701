"""The steps from an utterance to its claims, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from quack_eval.claims.grammar.account import Account
from quack_eval.claims.grammar.clauses import parse
from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.events import tell
from quack_eval.claims.grammar.idioms import plainer, witnessed
from quack_eval.claims.grammar.lexer import Token, lex, plain
from quack_eval.claims.grammar.routes import routes
from quack_eval.claims.grammar.sentences import sentences
from quack_eval.claims.grammar.stance import Stances
from quack_eval.claims.types import BODY, Claim

_BODILY = frozenset({"body", "bodies", "corpse", "dead", "killed"})
_TOGETHER = frozenset({"together", "paths", "met", "each"})
"""Words by which "we" are the speaker and whoever was spoken of last."""
MOST = 400
"""Claims of an utterance at most."""


def extract(
    message: str,
    *,
    speaker: str,
    players: Sequence[str],
    rooms: Sequence[str],
    tick: int | None = None,
    transcript: Iterable[object] = (),
) -> list[Claim]:
    """The claims that an utterance makes, each once, in the order in which they are made.

    Args:
        message: what was said.
        speaker: who said it.
        players: the names of this game.
        rooms: the rooms of this game's map.
        tick: when; not needed by the grammar.
        transcript: what was said before in the meeting: (speaker, text) pairs, or dicts with these keys.
    """
    names, places = tuple(players), tuple(rooms)
    discourse = Discourse(speaker, names)
    for who, text in before(transcript):
        discourse.heard.add(who)
        _remember(discourse, who, text, names, places)
    stances = Stances(discourse)
    claims: list[Claim] = []
    for sentence, voice in _voiced(list(sentences(lex(message, names, places))), discourse):
        claims += _read(message, sentence, voice, discourse, stances)
        if len(claims) > MOST:
            break
    return _once(_fullest(claims) + stances.claims())


def before(transcript: Iterable[object]) -> Iterator[tuple[str, str]]:
    """(speaker, text) of the utterances before."""
    for line in transcript:
        if isinstance(line, dict):
            yield str(line.get("speaker", "")), str(line.get("text", line.get("message", "")))
        elif isinstance(line, tuple | list) and len(line) >= 2:
            yield str(line[-2]), str(line[-1])
        elif isinstance(line, str):
            who, _, text = line.partition(": ")
            yield who, text


def _read(message: str, tokens: list[Token], voice: str, discourse: Discourse, stances: Stances | None) -> list[Claim]:
    """The claims of one sentence, said by the speaker or quoted by it."""
    discourse.voice = voice
    tokens = plainer(tokens)
    discourse.together = any(token.text in _TOGETHER for token in tokens)
    sentence = parse(tokens, discourse)
    source = "" if voice == discourse.speaker else voice
    account = Account(message, sentence, discourse, source, witnessed=witnessed(tokens))
    routes(account)
    tell(account)
    if stances is not None and voice == discourse.speaker:
        stances.read(sentence)
    if not account.claims:
        discourse.room = next((token.value for token in reversed(tokens) if token.kind == "room"), discourse.room)
    discourse.voice = discourse.speaker
    return account.claims


def _voiced(found: list[list[Token]], discourse: Discourse) -> Iterator[tuple[list[Token], str]]:
    """The sentences with whose words they are: the speaker's, or of whom it quotes."""
    quotes = sum(token.kind == "quote" for sentence in found for token in sentence)
    whole = quotes % 2 == 1 or (quotes == 2 and _long(found))
    voice = discourse.speaker
    within = False
    for sentence in found:
        part: list[Token] = []
        for token in sentence:
            if token.kind != "quote" or whole:
                if token.kind != "quote":
                    part.append(token)
                continue
            if part and voice:
                yield part, voice
            within = not within
            voice = _quoted(part, discourse) if within else discourse.speaker
            part = []
        if part and voice:
            yield part, voice


def _long(found: list[list[Token]]) -> bool:
    """Whether the quotation marks hold most of what is said: then they are the speaker's own."""
    inside = total = 0
    within = False
    for sentence in found:
        for token in sentence:
            within ^= token.kind == "quote"
            inside += within
            total += 1
    return inside > total * 0.6


def _quoted(part: list[Token], discourse: Discourse) -> str:
    """Who is quoted after these words: whoever is named last in them."""
    words = [token.text for token in part]
    if words[-2:] == ["i", "quote"] or words[-3:-1] == ["i", "quote"]:
        part = part[: len(part) - words[::-1].index("i") - 1]
    for token in reversed(part):
        if token.kind == "name":
            return token.value
        if token.text in ("you", "your", "yours") and discourse.addressed:
            return discourse.addressed[0]
        if token.text in ("i", "my"):
            return discourse.speaker
    return ""


# --- the transcript before -------------------------------------------------------------------------------------------


def _remember(discourse: Discourse, who: str, text: str, names: tuple[str, ...], rooms: tuple[str, ...]) -> None:
    bodies, said = _facts(who, text, names, rooms)
    for victim, room in bodies:
        if discourse.bodies.get(victim) is None:
            discourse.bodies[victim] = room
    if said:
        discourse.said[who] = said | discourse.said.get(who, frozenset())


@lru_cache(maxsize=4096)
def _facts(
    who: str, text: str, names: tuple[str, ...], rooms: tuple[str, ...]
) -> tuple[tuple[tuple[str, str | None], ...], frozenset[str]]:
    """(bodies with their rooms, rooms named) of an earlier utterance."""
    discourse = Discourse(who, names)
    bodies: dict[str, str | None] = {}
    named = set()
    for sentence in sentences(lex(text, names, rooms)):
        words = {token.text for token in sentence}
        places = [token.value for token in sentence if token.kind == "room"]
        named.update(places)
        if words & _BODILY:
            for claim in _read(text, sentence, who, discourse, None):
                victim = claim.target if claim.type == "sighting" else claim.subject
                if claim.of == BODY and not claim.negative and victim is not None and bodies.get(victim) is None:
                    bodies[victim] = claim.room
            for victim in _dead(sentence):
                bodies.setdefault(victim, None)
        discourse.room = places[-1] if places else discourse.room
    return tuple(bodies.items()), frozenset(named)


def _dead(sentence: list[Token]) -> list[str]:
    """Those named right before "body" or "dead"."""
    found = []
    for p, token in enumerate(sentence):
        after = [other.text for other in sentence[p + 1 : p + 4]]
        if token.kind == "name" and any(word in ("body", "dead", "corpse") for word in after):
            found.append(token.value)
        if token.text == "of" and p and sentence[p - 1].text in ("body", "corpse") and p + 1 < len(sentence):
            found += [sentence[p + 1].value] if sentence[p + 1].kind == "name" else []
    return found


def _fullest(claims: list[Claim]) -> list[Claim]:
    """The claims without those that another one tells more of: a departure whose arrival is told too."""
    gone = {(c.subject, c.origin) for c in claims if c.activity == "traveling" and c.room}
    gone |= {(c.subject, room) for c in claims for room in c.route}
    seen = {(c.subject, c.target, c.of, c.negative) for c in claims if c.type == "sighting" and c.room}
    seen = {found for found in seen if not found[3] and found[1] is not None}
    reported = {c.subject for c in claims if c.activity == "report" and c.room}
    claims = [c for c in claims if c.activity != "report" or c.room or c.negative or c.subject not in reported]
    return [
        c
        for c in claims
        if c.room
        or (
            (c.activity != "traveling" or (c.subject, c.origin) not in gone)
            and (c.type != "sighting" or (c.subject, c.target, c.of, c.negative) not in seen)
        )
    ]


def _once(claims: list[Claim]) -> list[Claim]:
    """The claims without repetitions; of two that differ in time only, the one with a time."""
    found: dict[Claim, Claim] = {}
    for claim in claims:
        key = claim.but(time=None, attribution=None)
        kept = found.get(key)
        if kept is None or (kept.time is None and claim.time is not None):
            found[key] = claim
    return list(found.values())


__all__ = ["extract", "plain"]
