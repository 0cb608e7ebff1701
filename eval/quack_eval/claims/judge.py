"""The judge: one claim, or all claims of a game, against what happened."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quack_env import ConfigError, GameRecord, QuackError
from quack_env.yaml_file import shown, unknown_value
from quack_eval.claims import reading, support
from quack_eval.claims.finding import FALSE, UNVERIFIABLE, VERDICTS, WRONG_ROOM, Finding, Ruling, Said
from quack_eval.claims.record import Record
from quack_eval.claims.sources import digest_of, everything_said, in_words
from quack_eval.claims.time_window import Window
from quack_eval.claims.types import ACTIVITIES, Claim
from quack_eval.claims.verify import VERIFIERS, Case
from quack_eval.timeline import Timeline
from quack_eval.wording import no_meeting, told_game

STRETCH = re.compile(r"(?:this round[,;]? )?from [^,;]+ (?:(?:through|to|until) [^,;]+|on(?:wards?)?)(?=[,;])", re.I)
"""The stretch of a route where its phrase goes on to date single rooms."""


def judge(
    record: GameRecord,
    claim: Claim | Mapping[str, Any],
    speaker: str | int,
    meeting: int,
    message: str | None = None,
    said: Iterable[Said] | None = None,
) -> Finding:
    """The finding about one claim.

    Args:
        record: the recorded game, ours or published.
        claim: a `Claim`, or a dict in the format of `annotation.md` or of the published `extraction.jsonl`.
        speaker: who said it: name, agent or seat.
        meeting: in which meeting, from 0.
        message: the utterance; for claims whose source does not give attribution and polarity.
        said: what was said before it in this meeting, for accusations; by default what the recording holds of it
            (`tokens` statements, or the published extraction beside the game), and what the grammar reads in it.

    Raises:
        TypeError: where the claim is neither a `Claim` nor a dict.
        ConfigError: where there is no such speaker or meeting in the game, the claim is none (see `Claim.from_dict`),
            or ``record`` is no recorded game. What a claim is about and the game does not have (a type, a room, a
            name) raises nothing: the finding is unverifiable and says so.
    """
    judging = Judge.of(record)
    value = claim if isinstance(claim, Claim) else Claim.from_dict(claim)
    seat = judging.record.seat(speaker) if isinstance(speaker, str) else speaker
    if seat is None:
        raise ConfigError(f"speaker {unknown_value(speaker, judging.record.names)}")
    digest = digest_of(message) if message is not None else None
    one = Said(value, seat, meeting, message=digest, text=message)
    if value.type != "accusation":
        return judging.finding(one)
    if said is not None:
        return judging.finding(one, judging.before(one, said))
    heard = judging.before(one, everything_said(record))
    return judging.finding(one, heard, judging.in_words(one))


def judge_all(
    record: GameRecord, said: Sequence[Said], timeline: Timeline | None = None, words: bool = False
) -> list[Finding]:
    """The findings about all claims of a game, in their order; each accusation hears what was said before it.

    Args:
        record: the recorded game.
        said: its claims.
        timeline: its timeline, where it has been made already.
        words: whether accusations also hear what the grammar reads, for claims from an incomplete source.
    """
    judging = Judge(timeline or Timeline(record))
    found: list[Finding] = []
    for one in said:
        accuses = one.claim.type == "accusation"
        earlier = [f for f in found if f.meeting == one.meeting] if accuses else ()
        found.append(judging.finding(one, earlier, judging.in_words(one) if accuses and words else ()))
    return judging.with_duplicates(found)


def _spans_a_route(phrase: str | None, window: Window) -> bool:
    """Whether a window is meant for a whole route: a stretch of time rather than a moment on the way."""
    stretches = ("range", "leg", "until", "since", "open", "early", "late")
    return window.kind in stretches and not re.search(r"\bthen\b", phrase or "")


def _whole(number: Any) -> int | None:
    """A whole number of any library as Python's; None for anything else, truth values included."""
    try:
        return None if isinstance(number, bool) else operator.index(number)
    except TypeError:
        return None


def _fault_of(ruling: Ruling, events: int) -> str:
    """What is wrong with a verifier's answer in a game of so many events; "" for nothing."""
    if ruling.verdict not in VERDICTS:
        return f"verdict={shown(ruling.verdict)}: must be one of {', '.join(VERDICTS)}"
    if not isinstance(ruling.reason, str):
        return f"reason={shown(ruling.reason)}: must be a text"
    listed = isinstance(ruling.evidence, list | tuple)
    if not listed or not all(type(event) is int and 0 <= event < events for event in ruling.evidence):
        return f"evidence={shown(ruling.evidence)}: must be indices of events, from 0 to {events - 1}"
    if not isinstance(ruling.details, Mapping):
        return f"details={shown(ruling.details)}: must be a mapping"
    return ""


class Judge:
    """Judges the claims of one game."""

    def __init__(self, timeline: Timeline) -> None:
        self.record = Record(timeline)
        self.timeline = timeline

    @classmethod
    def of(cls, record: GameRecord) -> Judge:
        """The judge of a trajectory, made once and kept with it."""
        known = getattr(record, "_judge", None)
        if not isinstance(known, cls):
            known = cls(Timeline(record))
            vars(record)["_judge"] = known
        return known

    def finding(self, said: Said, heard: Iterable[Finding] = (), words: Iterable[Finding] = ()) -> Finding:
        """The finding about one claim, after those about what was said before it (see `support.accusation`).

        Raises:
            ConfigError: where there is no such speaker or meeting in the game.
        """
        speaker, meeting = _whole(said.speaker), _whole(said.meeting)
        meetings = len(self.timeline.meetings)
        if meeting is None:
            raise ConfigError(f"meeting {shown(said.meeting)}: must be a whole number, from 0")
        if meeting not in range(meetings):
            raise ConfigError(no_meeting(meeting, meetings))
        if speaker is None or speaker not in range(self.timeline.n):
            told = f"must be a seat from 0 to {self.timeline.n - 1}, or a name"
            raise ConfigError(f"speaker {shown(said.speaker)}: {told}")
        base = Finding(said.claim, None, UNVERIFIABLE, "", (), speaker, meeting, said.round, said.event, said.message)
        claim = reading.complete(said.claim, self.record.names[speaker], said.text)
        base = base.but(claim=claim)
        if claim.type in ("accusation", "defense"):
            return support.judged(self.record, base, heard, words)
        if claim.kind not in VERIFIERS:
            return base.but(reason=f"no claim of the type {claim.type!r} can be verified")
        return self._verified(base, said)

    def _verified(self, base: Finding, said: Said) -> Finding:
        """The finding of a claim about places or deeds."""
        claim = base.claim
        fault = self._fault(claim)
        if fault:
            return base.but(reason=fault)
        window = self._window(claim, base)
        if not window.spans:
            return base.but(window=window, reason=window.how)
        case = self._case(base, window, said.text)
        ruling = self._ruling(case, said.text)
        details = dict(ruling.details)
        found = base.but(
            window=window, verdict=ruling.verdict, reason=ruling.reason, evidence=ruling.evidence, details=details
        )
        if found.verdict in (FALSE, WRONG_ROOM) and claim.first_hand:
            seats = support.exposed(self.record, found)
            if seats:
                found = found.but(details={**details, "exposed": list(seats)})
        return found

    def _ruling(self, case: Case, text: str | None) -> Ruling:
        """What the verifier of a claim's type answers, checked: anybody may have written it."""
        try:
            ruling: object = VERIFIERS[case.claim.kind](case)
        except QuackError:
            raise
        except Exception as fault:
            raise self._no_ruling(case, text, f"{type(fault).__name__}: {fault}") from fault
        if not isinstance(ruling, Ruling):
            raise self._no_ruling(case, text, f"must give a Ruling, not {shown(ruling)}")
        if wrong := _fault_of(ruling, len(self.timeline.events)):
            raise self._no_ruling(case, text, wrong)
        return ruling._replace(evidence=tuple(ruling.evidence))

    def _no_ruling(self, case: Case, text: str | None, fault: str) -> ConfigError:
        """The error that names verifier, fault, game and words."""
        verifier, kind = VERIFIERS[case.claim.kind], case.claim.kind
        words = f"{case.name(case.speaker)} said {shown(text or case.claim.to_dict())} in meeting {case.meeting}"
        told = f"verifier {getattr(verifier, '__qualname__', verifier)} of {kind!r} claims: {fault}"
        return ConfigError(f"{told} ({told_game(self.timeline.trajectory)}, {words})")

    def _fault(self, claim: Claim) -> str:
        """Why a claim cannot be about this game; "" where it can."""
        record = self.record
        for name in (claim.subject, claim.target):
            if name is not None and record.seat(name) is None:
                return f"unknown name {name!r}"
        for room in (claim.room, claim.origin, *claim.route):
            if room is not None and record.room(room) is None:
                return f"unknown room {room!r}"
        if claim.type == "activity" and claim.activity not in (*ACTIVITIES, "travelling"):
            return f"no event settles the activity {claim.activity!r}"
        needs_room = claim.kind == "location" or (claim.type == "activity" and claim.activity == "waiting")
        return "no room is named" if needs_room and claim.room is None else ""

    def _window(self, claim: Claim, base: Finding) -> Window:
        """When the claim is about. A route that is dated by a moment was still walked in the leg."""
        subject = self._subject(claim, base.speaker)
        clock = self.record.clock
        phrase = claim.time
        if claim.kind == "route" and phrase:
            stretch = STRETCH.match(phrase)  # what follows it dates single rooms
            phrase = stretch[0] if stretch else phrase
        window = clock.window(phrase, base.meeting, subject, base.speaker)
        if claim.kind == "route" and window.spans and not _spans_a_route(phrase, window):
            return clock.stretch(window, phrase or "")
        if claim.time is None:
            return self._last_life(claim, subject, window)
        return window

    def _last_life(self, claim: Claim, subject: int, window: Window) -> Window:
        """An undated claim about somebody who was gone before the leg is about its last leg."""
        about = self.record.seat(claim.target) if claim.type == "sighting" else subject
        out = self.timeline.gone.get(about) if about is not None else None
        leg = self.timeline.leg_of(out) if out is not None and window.spans and out < window.first else None
        if leg is None:
            return window
        how = "the last leg of somebody who was gone by this one"
        return window._replace(
            spans=((leg.first, leg.last),), first_tick=leg.first_tick, last_tick=leg.last_tick, leg=leg.number, how=how
        )

    def _subject(self, claim: Claim, speaker: int) -> int:
        seat = self.record.seat(claim.subject)
        return speaker if seat is None else seat

    def _case(self, base: Finding, window: Window, text: str | None) -> Case:
        claim, record = base.claim, self.record
        target = record.seat(claim.target)
        names = reading.excepted(record.names, text) if claim.negative and target is None else []
        subject = self._subject(claim, base.speaker)
        about = target if claim.type == "sighting" else subject
        dead = about in self.timeline.deaths
        return Case(
            record,
            claim,
            window,
            base.speaker,
            base.meeting,
            subject,
            target,
            record.room(claim.room),
            record.room(claim.origin),
            tuple(room for room in map(record.room, claim.route) if room),
            frozenset(seat for seat in map(record.seat, names) if seat is not None),
            dead and about is not None and reading.tells_of_body(record.names[about], text),
        )

    def before(self, one: Said, said: Iterable[Said]) -> Iterator[Finding]:
        """The findings about what was said before a claim in its meeting; judged one by one, as they are asked for."""
        for other in said:
            same = other.speaker == one.speaker and (
                other.message == one.message if one.message is not None else other.event == one.event
            )
            if other.meeting == one.meeting and same:
                return
            if other.meeting == one.meeting and other.claim.type not in ("accusation", "defense"):
                yield self.finding(other)

    def in_words(self, one: Said) -> Iterator[Finding]:
        """As `before`, about what the grammar reads in the same words; they are read once this is asked for."""
        yield from self.before(one, in_words(self.timeline.trajectory))

    def with_duplicates(self, found: list[Finding]) -> list[Finding]:
        """The findings, marking what a speaker had already said in the meeting."""
        seen: set[tuple[Any, ...]] = set()
        marked: list[Finding] = []
        for finding in found:
            key = (finding.speaker, finding.meeting, *self._same(finding.claim, finding.speaker))
            marked.append(replace(finding, duplicate=True) if key in seen else finding)
            seen.add(key)
        return marked

    def _same(self, claim: Claim, speaker: int) -> tuple[Any, ...]:
        """What makes two claims of a speaker the same."""
        subject = self._subject(claim, speaker)
        rooms = tuple(self.record.room(room) or room for room in (claim.room, claim.origin, *claim.route))
        time = (claim.time or "").lower() if claim.type not in ("accusation", "defense") else ""
        return claim.kind, subject, claim.target, claim.of, claim.activity, claim.polarity, rooms, time
