"""The steps from an utterance to its claims, in order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter

from quack_env import ConfigError
from quack_env.yaml_file import shown
from quack_eval.claims.grammar.account import Account
from quack_eval.claims.grammar.asides import resume_ways
from quack_eval.claims.grammar.clauses import parse
from quack_eval.claims.grammar.denials import denials, deny
from quack_eval.claims.grammar.disbelief import denied, only_calls_it_a_lie, only_quotes
from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.events import tell
from quack_eval.claims.grammar.idioms import plainer, witnessed
from quack_eval.claims.grammar.lexer import Token, lex
from quack_eval.claims.grammar.lexicon import CORPSE
from quack_eval.claims.grammar.routes import routes
from quack_eval.claims.grammar.sentences import sentences
from quack_eval.claims.grammar.stance import Stances
from quack_eval.claims.grammar.stories import judged, note_lies
from quack_eval.claims.grammar.verbless import completed, denying
from quack_eval.claims.grammar.words import text_at, texts
from quack_eval.claims.types import BODY, PLAYER, Claim

_BODILY = frozenset({"body", "bodies", "corpse", "dead", "killed"})
_TOGETHER = frozenset({"both", "together", "paths", "met", "each"})
"""Words by which "we" are the speaker and whoever was spoken of last."""
_ANNOUNCED = ("report", "call")
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

    Raises:
        ConfigError: where an argument is of another kind.
    """
    _check({"message": message, "speaker": speaker}, {"players": players, "rooms": rooms})
    names, places = tuple(players), tuple(rooms)
    discourse = Discourse(speaker, names)
    for who, text in _heard(transcript):
        discourse.heard.add(who)
        _remember(discourse, who, text, names, places)
    stances = Stances(discourse)
    claims: list[Claim] = []
    told = 0
    for sentence, voice in _voiced(list(sentences(lex(message, names, places))), discourse):
        if discourse.quotes and only_calls_it_a_lie(sentence):
            claims = denied(claims, told)
        told = len(claims)
        claims += _read(message, sentence, voice, discourse, stances)
        if len(claims) > MOST:
            break
    claims = _victim_named(claims, discourse) + claims
    return _once(_fullest(judged(claims, discourse)) + stances.claims())


def _victim_named(claims: list[Claim], discourse: Discourse) -> list[Claim]:
    """Whose body it was of "The body was in R. I found Bob dead": told only later."""
    found = {c.target for c in claims if c.of == BODY and c.type == "sighting" and c.subject == discourse.speaker}
    victim = found.pop() if len(found) == 1 else None
    if victim is None:
        return []
    return [Claim("location", victim, room, of=BODY, attribution="witnessed") for room in discourse.nameless[:1]]


def _check(texts: Mapping[str, object], lists: Mapping[str, object]) -> None:
    for name, text in texts.items():
        if not isinstance(text, str):
            raise ConfigError(f"{name}={shown(text)}: must be a text")
    for name, names in lists.items():
        listed = names if isinstance(names, Collection) and not isinstance(names, str) else (None,)
        if not all(isinstance(one, str) for one in listed):
            raise ConfigError(f"{name}={shown(names)}: must be a list of names")


def _heard(transcript: Iterable[object]) -> Iterator[tuple[str, str]]:
    """(speaker, text) of the utterances before."""
    for line in transcript:
        if isinstance(line, dict):
            yield str(line.get("speaker", "")), str(line.get("text", line.get("message", "")))
        elif isinstance(line, tuple | list) and len(line) >= 2:
            yield str(line[-2]), str(line[-1])
        else:
            raise ConfigError(f"transcript: must have pairs (speaker, text), not {shown(line)}")


def _read(message: str, tokens: list[Token], voice: str, discourse: Discourse, stances: Stances | None) -> list[Claim]:
    """The claims of one sentence, said by the speaker or quoted by it."""
    discourse.voice = voice
    tokens = denying(completed(plainer(tokens), discourse))
    discourse.together = any(token.text in _TOGETHER for token in tokens)
    sentence = parse(tokens, discourse)
    resume_ways(sentence)
    source = "" if voice == discourse.speaker else voice
    account = Account(message, sentence, discourse, source, witnessed=witnessed(tokens))
    rooms_denied = denials(account)
    routes(account)
    tell(account)
    deny(account, rooms_denied)
    discourse.quotes = only_quotes(account)
    last = account.claims[-1] if account.claims else None
    unseen = last is not None and (last.type, last.subject, last.negative, last.of) == ("sighting", voice, True, PLAYER)
    discourse.unseen = (last.target,) if unseen and last is not None else ()
    if stances is not None and voice == discourse.speaker:
        stances.read(sentence)
        note_lies(sentence, discourse)
    if not account.claims:
        discourse.room = _room_told(tokens) or discourse.room
    if voice != discourse.speaker:
        discourse.current = []  # whom a quotation names is not whom the speaker goes on to speak of
    discourse.voice = discourse.speaker
    return account.claims


def _room_told(tokens: list[Token]) -> str:
    """The last room of a sentence that claims nothing, "" where there is none: not one that only dates or leads off."""
    apart = ("after", "before", "from", "toward", "towards")
    named = (p for p in range(len(tokens) - 1, -1, -1) if tokens[p].kind == "room")
    return next((tokens[p].value for p in named if text_at(tokens, p - 1) not in apart), "")


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
        if token.text in ("he", "she") and (who := discourse.who(token.text)):
            return who[0]
    return ""


# --- the transcript before -------------------------------------------------------------------------------------------


def _remember(discourse: Discourse, who: str, text: str, names: tuple[str, ...], rooms: tuple[str, ...]) -> None:
    bodies, finders, said = _facts(who, text, names, rooms)
    for finder, where in finders:
        if finder == who or finder not in discourse.finders:
            discourse.finders[finder] = where
    for victim, room in bodies:
        if discourse.bodies.get(victim) is None:
            discourse.bodies[victim] = room
    if said:
        discourse.said[who] = said | discourse.said.get(who, frozenset())


@lru_cache(maxsize=4096)
def _facts(
    who: str, text: str, names: tuple[str, ...], rooms: tuple[str, ...]
) -> tuple[tuple[tuple[str, str | None], ...], tuple[tuple[str, str], ...], frozenset[str]]:
    """(bodies with their rooms, who found one where, rooms named) of an earlier utterance."""
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
    return tuple(bodies.items()), tuple(discourse.finders.items()), frozenset(named)


def _dead(sentence: list[Token]) -> list[str]:
    """Those named right before "body" or "dead", or in "body of X"."""
    found = []
    for p in (p for p, token in enumerate(sentence) if token.kind == "name"):
        of_body = text_at(sentence, p - 1) == "of" and text_at(sentence, p - 2) in CORPSE
        if of_body or {*CORPSE, "dead"} & set(texts(sentence, p + 1, p + 4)):
            found.append(sentence[p].value)
    return found


def _fullest(claims: list[Claim]) -> list[Claim]:
    """The claims without those that another one tells more of: a departure with its arrival, a part of a way."""
    gone = {(c.subject, c.origin) for c in claims if c.activity == "traveling" and c.room}
    gone |= {(c.subject, room) for c in claims for room in c.route}
    seen = {(c.subject, c.target, c.of, c.negative) for c in claims if c.type == "sighting" and c.room}
    seen = {found for found in seen if not found[3] and found[1] is not None}
    called = {(c.subject, c.activity) for c in claims if c.activity in _ANNOUNCED and c.room}
    claims = [c for c in claims if c.room or c.negative or (c.subject, c.activity) not in called]
    ways = [c for c in claims if c.route]

    def told_fuller(claim: Claim) -> bool:
        if claim.route:
            return any(_goes_within(claim, way) for way in ways)
        if claim.room:
            return False
        departs = claim.activity == "traveling" and (claim.subject, claim.origin) in gone
        sees = claim.type == "sighting" and (claim.subject, claim.target, claim.of, claim.negative) in seen
        return departs or sees

    return [claim for claim in claims if not told_fuller(claim)]


def _goes_within(part: Claim, way: Claim) -> bool:
    """Whether a way is a part of a longer one of the same player, told before or after."""
    stops, length = way.route, len(part.route)
    if part.subject != way.subject or part.polarity != way.polarity or length >= len(stops):
        return False
    return any(stops[at : at + length] == part.route for at in range(len(stops) - length + 1))


def _once(claims: list[Claim]) -> list[Claim]:
    """The claims without repetitions; of two that differ in time only, the one with a time."""
    found: dict[tuple[object, ...], Claim] = {}
    for claim in claims:
        key = _but_for_time(claim)
        kept = found.get(key)
        if kept is None or (kept.time is None and claim.time is not None):
            found[key] = claim
    return list(found.values())


_but_for_time = attrgetter(*(f.name for f in fields(Claim) if f.name not in ("time", "attribution")))
"""What a claim says, without its time and whose word it is."""
