"""What a source left out of a claim, read off the message: who vouches for it, whether it denies, bodies.

Only for claims without an attribution, as the published extractions are. It looks at the clauses that name the
claim's people and rooms; where they say nothing, the claim stays as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from quack_eval.claims.types import NEGATIVE, Claim

QUOTED = re.compile(
    r"\b(?:say|says|said|saying|claim\w*|told|tells|according|per|story|account|admit\w*|testimon\w*|alibi|version"
    r"|mention\w*|confirm\w*|stat(?:e|es|ed)|alleg\w*|suppos\w*|report(?:s|ed) that|you were|your)\b"
)
INFERRED = re.compile(
    r"\b(?:must have|must've|probably|likely|could have|could've|might|would have|may have|maybe|possibly|presumably"
    r"|if|seems?|suggests?|means)\b"
)
DENIAL = (
    r"\b{subject} (?:(?:was|were)(?:n't| not| never)|never(?: even| once)? (?:went|was|set|entered|passed|came|visited"
    r"|stepped|saw)|did(?:n't| not)(?: actually| even)? (?:go|enter|pass|visit|step|set|come|see))\b"
)
"""What denies a subject's presence or sighting, in the clause that names the room or the person."""
BODY_WORDS = re.compile(r"\b(?:body|corpse|dead|remains)\b")
CLAUSE = re.compile(
    r"[.;:!?\n\u2014\u2013*\"]|,| - |\b(?:but|and|while|then|until|because|when|after|before|since|so)\b"
)
SENTENCE = re.compile(r"[.;!?\n]")
ONLY = re.compile(r"\b(?:only|except|besides|other than|apart from|aside from|but)\b|\belse\b")


def complete(claim: Claim, speaker: str, message: str | None) -> Claim:
    """The claim with its attribution, and with the polarity that the message gives it."""
    if claim.attribution is not None:
        return claim
    text = _plain(message) if message else ""
    if claim.type in ("accusation", "defense"):
        return claim.but(attribution="own")
    claim = claim.but(attribution=_attribution(claim, speaker, text))
    return claim.but(polarity=NEGATIVE) if text and _denies(claim, speaker, text) else claim


def excepted(names: list[str], message: str | None) -> list[str]:
    """The names in sentences like "the only one I saw was Bob"."""
    if not message:
        return []
    sentences = [s for s in _split(_plain(message), SENTENCE.pattern) if ONLY.search(s)]
    return [name for name in names if any(re.search(rf"\b{name.lower()}\b", s) for s in sentences)]


def tells_of_body(name: str, message: str | None) -> bool:
    """Whether a sentence names somebody together with a body."""
    if not message:
        return False
    sentences = _split(_plain(message), SENTENCE.pattern)
    return any(name.lower() in sentence and BODY_WORDS.search(sentence) for sentence in sentences)


def _attribution(claim: Claim, speaker: str, text: str) -> str:
    if claim.subject is None or claim.subject.lower() == speaker.lower():
        return "own"
    time = (claim.time or "").lower()
    if QUOTED.search(time):
        return "quoted"
    if claim.type == "sighting":
        return "quoted"
    clauses = _about(claim, text, SENTENCE.pattern)
    if any(QUOTED.search(clause) for clause in clauses):
        return "quoted"
    if clauses and all(INFERRED.search(clause) for clause in clauses):
        return "inferred"
    return "witnessed"


def _denies(claim: Claim, speaker: str, text: str) -> bool:
    """Whether every clause that the claim can come from denies it."""
    if claim.negative or claim.route:
        return False
    subject = (claim.subject or speaker).lower()
    denial = DENIAL.format(subject="i" if subject == speaker.lower() else re.escape(subject))
    clauses = _about(claim, text, CLAUSE.pattern)
    return bool(clauses) and all(re.search(denial, clause) for clause in clauses)


def _about(claim: Claim, text: str, splitter: str) -> list[str]:
    """The parts of the message that name the claim's rooms and persons, as far as it has them."""
    rooms = [_plain(room) for room in (claim.room, *claim.route) if room]
    people = [name.lower() for name in (claim.target,) if name]
    wanted = [word for word in (*rooms[:1], *people) if word in text]
    return [part for part in _split(text, splitter) if wanted and all(word in part for word in wanted)]


@lru_cache(maxsize=256)
def _split(text: str, splitter: str) -> list[str]:
    return [part for part in re.split(splitter, text) if part and part.strip()]


@lru_cache(maxsize=256)
def _plain(message: str) -> str:
    return re.sub(r"\s+", " ", message.lower().replace("_", " ").replace("’", "'"))  # noqa: RUF001
