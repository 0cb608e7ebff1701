"""Where claims come from: `tokens` statements, the published extractions, and an extractor over free text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from quack_env import ConfigError, Event, GameRecord, QuackError, TrajectoryError
from quack_env.trajectory import json_object
from quack_env.yaml_file import shown, unknown_value
from quack_eval.claims.extract import Extraction, Extractor, Failure, GrammarExtractor, Utterance, claims_in
from quack_eval.claims.finding import Finding, Said
from quack_eval.claims.time_window import Window
from quack_eval.claims.types import FIELDS, Claim
from quack_eval.importers.published_form import EXTRACTION as EXTRACTION_FORM
from quack_eval.importers.published_form import VERDICT, check
from quack_eval.wording import no_meeting, told_game

EXTRACTION = "extraction.jsonl"
VERDICTS = "verdicts.jsonl"
KEY = re.compile(r".*\|player_(\d{1,3})\|(\d{1,6})\|([^|]*)", re.DOTALL)
"""Of an entry of the released extraction: seat, meeting and sha256 of the utterance that it is about."""
TEAMS = {"goose": "geese", "duck": "ducks"}


class Message(NamedTuple):
    """One utterance in a meeting. ``round`` counts from 1; ``sha`` is the sha256 of the text."""

    event: int
    speaker: int
    meeting: int
    round: int
    tick: int
    text: str
    sha: str


class Read(NamedTuple):
    """The claims of a game's utterances.

    ``missing``: the events of those that could not be read. ``source``: "tokens", "recorded" (the published
    extraction), or what the extractor is called.
    """

    said: list[Said]
    missing: frozenset[int] = frozenset()
    source: str = "given"


Extract = Callable[..., list[Claim]]
"""A function like `quack_eval.extract`."""


Source = str | Extractor | Extract | None
SOURCES = (None, "recorded", "grammar", "published")
"""The sources that have a name; None is what the recording has, else the grammar."""


def claims_of(record: GameRecord, claims: Source | Sequence[Said] = None) -> Read:
    """The claims of a game from a source; see `quack_eval.statements.statement_game`.

    Raises:
        ConfigError: where there is no such source.
    """
    if isinstance(claims, Sequence) and not isinstance(claims, str):
        return Read(_checked(claims))
    check_source(claims, SOURCES)
    if claims == "published":  # of these only the verdicts are there
        return Read([], source="published")
    if claims in (None, "recorded"):
        said = token_claims(record)
        read = Read(said, source="tokens") if said else read_published(record)
        if read.said or claims == "recorded" or not messages(record):
            return read
    if claims in (None, "grammar"):
        return read_with(record, GrammarExtractor())
    assert not isinstance(claims, str | None)
    return read_with(record, claims)


def check_source(claims: object, known: Sequence[str | None]) -> None:
    """Nothing, for what claims can come from: one of the known names, an extractor or a function.

    Raises:
        ConfigError: for anything else, a class of extractors too.
    """
    if isinstance(claims, type) or not (isinstance(claims, Extractor) or callable(claims) or claims in known):
        names = ", ".join(map(str, known))
        told = f"must be {names}, an extractor (an object with name and extract), or a function like extract"
        raise ConfigError(f"claims={shown(claims)}: {told}")


def _checked(claims: Sequence[object]) -> list[Said]:
    """Claims that were given by themselves."""
    for one in claims:
        if not isinstance(one, Said):
            told = "must be a list of Said (a Claim with its speaker and meeting)"
            raise ConfigError(f"claims: {told}, not {shown(one)} among them")
    return [one for one in claims if isinstance(one, Said)]


def statements(record: GameRecord) -> Iterator[tuple[Event, int, int]]:
    """(event, meeting, round) of every statement made in a meeting, in order."""
    meeting = -1
    spoken: dict[int, int] = {}
    for event in record.events:
        if event.kind == "meeting_called":
            meeting, spoken = meeting + 1, {}
        elif event.kind == "statement" and event.actor is not None:
            spoken[event.actor] = spoken.get(event.actor, 0) + 1
            yield event, meeting, spoken[event.actor]


def messages(record: GameRecord) -> list[Message]:
    """Every utterance in words, in order."""
    return [
        Message(event.index, event.actor or 0, meeting, number, event.tick, event.text, digest_of(event.text))
        for event, meeting, number in statements(record)
        if event.text is not None
    ]


def digest_of(text: str) -> str:
    """The sha256 of an utterance, by which published files refer to it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def recorded(record: GameRecord) -> list[Said]:
    """The claims that come with a recording: its `tokens` statements, or the published extraction beside it."""
    return token_claims(record) or published_claims(record)


def everything_said(record: GameRecord) -> list[Said]:
    """The claims that come with a recording, and what the grammar finds in the utterances that have none; kept."""
    return _kept(record, "_said", _everything_said)


def in_words(record: GameRecord) -> list[Said]:
    """What the grammar finds in all utterances; kept."""
    return _kept(record, "_in_words", lambda one: read_with(one, GrammarExtractor()).said)


def _everything_said(trajectory: GameRecord) -> list[Said]:
    said = token_claims(trajectory)
    if said:
        return said
    read = read_published(trajectory)
    more = read_with(trajectory, GrammarExtractor(), read.missing).said if read.missing else []
    return sorted(read.said + more, key=lambda one: one.event)


def _kept(trajectory: GameRecord, name: str, find: Callable[[GameRecord], list[Said]]) -> list[Said]:
    """What is found out about a trajectory once, and kept with it."""
    if name not in vars(trajectory):
        vars(trajectory)[name] = find(trajectory)
    found: list[Said] = vars(trajectory)[name]
    return found


# --- tokens ----------------------------------------------------------------------------------------------------------


def token_claims(record: GameRecord) -> list[Said]:
    """The claims of `tokens` statements, exactly as they were made."""
    found: list[Said] = []
    for event, meeting, number in statements(record):
        claim = token_claim(event, record.names)
        if claim:
            found.append(Said(claim, event.actor or 0, meeting, event.index, number, text=_in_full(claim)))
    return found


def _in_full(claim: Claim) -> str | None:
    """What a token says in full: the grammar has one statement for a player seen and for a body seen."""
    return f"I saw {claim.target}, or the body of {claim.target}." if claim.type == "sighting" else None


def token_claim(event: Event, names: list[str]) -> Claim | None:
    """The claim of a statement event; None where it says nothing that can be checked."""
    says = (event.data or {}).get("says")
    me = names[event.actor or 0]
    whom = names[event.target] if event.target is not None else None
    if says == "was_in":
        return Claim("location", me, event.room, attribution="own")
    if says == "saw":
        return Claim("sighting", me, event.room, target=whom, attribution="own")
    if says == "did_task":
        return Claim("activity", me, event.room, activity="task", attribution="own")
    if says == "suspect":
        return Claim("accusation", me, target=whom, attribution="own", confidence="moderate")
    if says == "vouch":
        return Claim("defense", me, target=whom, attribution="own")
    return None


# --- published files -------------------------------------------------------------------------------------------------


def published_claims(record: GameRecord) -> list[Said]:
    """The claims of the published `extraction.jsonl` beside a game, in the order of the utterances."""
    return read_published(record).said


def read_published(record: GameRecord) -> Read:
    """The published claims beside a game; utterances without an entry are missing, which is not "no claims".

    Raises:
        TrajectoryError: where the file is damaged, has a line about what was not said, or two about the same words;
            names path and line.
    """
    spoken = messages(record)
    said = {(message.speaker, message.meeting, message.sha) for message in spoken}
    file = (record.path or Path()) / EXTRACTION
    if record.path is None or not file.is_file():
        return Read([], frozenset(message.event for message in spoken), "recorded")
    extracted: dict[tuple[int, int, str], list[Claim]] = {}

    def take(entry: dict[str, Any]) -> None:
        check(EXTRACTION_FORM, entry)
        key = KEY.fullmatch(entry["key"])
        if key is None:
            raise ValueError(f"key: must be MODEL|VERSION|player_NUMBER|MEETING|SHA256, not {shown(entry['key'])}")
        place = int(key[1]), int(key[2]), key[3]
        if place not in said:
            raise ValueError(f"key: player_{key[1]} says nothing with this sha256 in meeting {key[2]} of this game")
        if place in extracted:
            raise ValueError("key: there is a line about this utterance already")
        extracted[place] = [Claim.from_dict(data) for data in entry["claims"]]

    _each(file, take)
    found: list[Said] = []
    read: set[tuple[int, int, str]] = set()
    missing: set[int] = set()
    for message in spoken:
        key = message.speaker, message.meeting, message.sha
        if key not in extracted:
            missing.add(message.event)
        elif key not in read:  # said again in the same words, it has one entry
            read.add(key)
            found += [_said(claim, message) for claim in extracted[key]]
    return Read(found, frozenset(missing), "recorded")


def _each(file: Path, take: Callable[[dict[str, Any]], None]) -> None:
    """Hand every line of a published file that is not empty to a function, whose failure is the line's fault."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as fault:
        raise TrajectoryError(f"{file}: cannot be read ({fault.strerror})") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            entry = json_object(file, number, line)
            try:
                take(entry)
            except (ValueError, TypeError) as fault:
                raise TrajectoryError(f"{file}, line {number}: damaged ({fault})") from None


def _said(claim: Claim, message: Message) -> Said:
    return Said(claim, message.speaker, message.meeting, message.event, message.round, message.sha, message.text)


def read_with(record: GameRecord, extractor: Extractor | Extract, only: frozenset[int] | None = None) -> Read:
    """The claims that an extractor (or a function like `quack_eval.extract`) finds in the utterances of a game.

    Args:
        record: the recording.
        extractor: what reads them.
        only: the events of the utterances to be read; by default all.

    Raises:
        ConfigError: where it fails, or gives something else back than it must; says what, and what it must.
    """
    spoken = messages(record)
    utterances = _utterances(record, spoken)
    if only is not None:
        kept = [p for p, message in enumerate(spoken) if message.event in only]
        spoken, utterances = [spoken[p] for p in kept], [utterances[p] for p in kept]
    if isinstance(extractor, Extractor):
        try:
            answers = _answers(extractor, utterances)
        except QuackError:
            raise
        except Exception as fault:
            told = f"extractor {extractor.name}: {type(fault).__name__}: {fault} ({told_game(record)})"
            raise ConfigError(told) from fault
    else:
        answers = [Extraction(_found(u, extractor, record)) for u in utterances]
    found: list[Said] = []
    missing: set[int] = set()
    for message, answer in zip(spoken, answers, strict=True):
        if isinstance(answer, Failure):
            missing.add(message.event)
        else:
            found += [_said(claim, message) for claim in answer.claims]
    return Read(found, frozenset(missing), extractor.name if isinstance(extractor, Extractor) else "extractor")


def _answers(extractor: Extractor, utterances: list[Utterance]) -> list[Extraction | Failure]:
    """What an extractor answers, checked: anybody may have written it."""
    told = f"extractor {extractor.name}: extract must give a list with one Extraction or Failure per utterance"
    answers: object = extractor.extract(utterances)
    if not isinstance(answers, list | tuple):
        raise ConfigError(f"{told}, not {shown(answers)}")
    if len(answers) != len(utterances):
        raise ConfigError(f"{told}: {len(utterances)} were given, {len(answers)} answered")
    for answer in answers:
        if not isinstance(answer, Extraction | Failure):
            raise ConfigError(f"{told}, not {shown(answer)} among them")
        if isinstance(answer, Extraction):
            _claims(answer.claims, extractor.extract)
    return list(answers)


def _found(utterance: Utterance, by: Extract, trajectory: GameRecord) -> tuple[Claim, ...]:
    """The claims of an utterance by a function."""
    try:
        found = claims_in(utterance, by)
    except QuackError:
        raise
    except Exception as fault:
        where = f"{told_game(trajectory)}, {utterance.speaker} said {shown(utterance.message)}"
        told = f"claims by {getattr(by, '__qualname__', by)}: {type(fault).__name__}: {fault} ({where})"
        raise ConfigError(told) from fault
    return _claims(found, by)


def _claims(found: object, by: Any) -> tuple[Claim, ...]:
    """What a function or an extraction has as claims, checked likewise."""
    told = f"claims by {getattr(by, '__qualname__', by)}: must be a list of Claim"
    if not isinstance(found, list | tuple):
        raise ConfigError(f"{told}, not {shown(found)}")
    for claim in found:
        if not isinstance(claim, Claim):
            raise ConfigError(f"{told}, not {shown(claim)} among them")
    return tuple(found)


def _utterances(trajectory: GameRecord, spoken: list[Message]) -> list[Utterance]:
    """The utterances with what was said before them in their meeting."""
    names, rooms = tuple(trajectory.names), trajectory.game_map.rooms
    found: list[Utterance] = []
    transcript: list[tuple[str, str]] = []
    meeting = -1
    for message in spoken:
        if message.meeting != meeting:
            meeting, transcript = message.meeting, []
        speaker = names[message.speaker]
        found.append(Utterance(message.text, speaker, names, rooms, message.round, message.tick, tuple(transcript)))
        transcript.append((speaker, message.text))
    return found


def published_findings(record: GameRecord) -> list[Finding]:
    """The published `verdicts.jsonl` beside a game, as the findings of another judge.

    Raises:
        TrajectoryError: where the file is damaged; names path and line.
    """
    file = (record.path or Path()) / VERDICTS
    if record.path is None or not file.is_file():
        return []
    by_sha = {(m.speaker, m.meeting, m.sha): m for m in messages(record)}
    seats = {seat.agent: number for number, seat in enumerate(record.header.seats)}
    meetings = sum(event.kind == "meeting_called" for event in record.events)
    found: list[Finding] = []

    def take(data: dict[str, Any]) -> None:
        check(VERDICT, data)
        if (agent := data["speaker"]["speaker_id"]) not in seats:
            raise ValueError(f"speaker.speaker_id: {unknown_value(agent, seats)}")
        if (meeting := data["meeting"]["meeting_idx"]) not in range(meetings):
            raise ValueError(f"meeting.meeting_idx: {no_meeting(meeting, meetings)}")
        found.append(_published(data, seats[agent], by_sha, record))

    _each(file, take)
    return found


def _published(
    data: dict[str, Any], speaker: int, by_sha: dict[tuple[int, int, str], Message], trajectory: GameRecord
) -> Finding:
    meeting, sha = data["meeting"]["meeting_idx"], data["utterance"]["sha256"]
    message = by_sha.get((speaker, meeting, sha))
    verification = data["verification"]
    evidence = verification.get("evidence") or {}
    kind = data["structured_claim"]["claim_type"]
    claim = _published_claim(data["structured_claim"], evidence, trajectory.names[speaker])
    start, end = data["temporal_window"]["start_tick"], data["temporal_window"]["end_tick"]
    grounded = evidence.get("accusation_grounded")
    return Finding(
        claim,
        Window((), start, end, meeting, verification["resolution_source"], "published"),
        verification["verdict"],
        verification["reason"],
        (),
        speaker,
        meeting,
        message.round if message else 0,
        message.event if message else -1,
        sha,
        support=("own" if grounded else "none") if kind == "accusation" else None,
        grounds=evidence.get("grounding_reason"),
        details={"published": bool(grounded)} if kind == "accusation" else {},
    )


def _published_claim(data: dict[str, Any], evidence: dict[str, Any], speaker: str) -> Claim:
    """The claim as far as the verdict repeats it: of a route, what its evidence holds."""
    kind = data["claim_type"]
    told = {
        "room": data["room"],
        "target": data["target"],
        "activity": data["activity"],
        "temporal": data["temporal_ref"],
        "confidence": data["confidence"],
        "route": evidence.get("claimed_route"),
    }
    fields = FIELDS.get(kind, told)
    claim = Claim.from_dict({"type": kind} | {name: value for name, value in told.items() if name in fields})
    return claim.but(subject=data["subject"] or speaker)


__all__ = [
    "Message",
    "Read",
    "Source",
    "check_source",
    "claims_of",
    "everything_said",
    "in_words",
    "messages",
    "published_claims",
    "published_findings",
    "read_published",
    "read_with",
    "recorded",
    "token_claims",
]
