# ruff: noqa: RUF001 - players write with all kinds of characters
"""What one agent remembers of a game: only what it perceived and did itself, kept short and complete.

Facts (own route, task work, who was seen where and when, movements, bodies, outcomes) are never dropped; they are
written so that a stretch of ticks takes a few characters. Words (chats, transcripts) give way when room is short.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from quack_env.briefing import Briefing
from quack_env.encode.text import counted, quote
from quack_env.kinds import (
    ARRIVE,
    BODY_APPEARED,
    BODY_REPORTED,
    DEPART,
    EJECTED,
    KILL,
    MEETING_CALLED,
    NO_EJECTION,
    RESPAWN,
    TRANSIT_CANCELLED,
    VOTE,
    unpack,
)
from quack_env.state import FREE, OVER
from quack_env.view import Message, View

CHARACTERS = 4
"""Of a token, by rule of thumb."""
MOST_WORDS = 500
"""Characters of one utterance in a prompt at most."""
CUTS = (MOST_WORDS, 160, 60, 0)
"""Characters kept of older utterances, the more room is short; 0 leaves them out."""
OWN_ESTIMATES = "Your own estimates up to now, told to nobody:"
LAST_ESTIMATES = 3
"""Of them, where room is short."""
_BIDI = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_TEMPLATE = re.compile(r"\[(/?)(INST|SYS|SYSTEM|USER|ASSISTANT)", re.IGNORECASE)


def harmless(text: str, most: int = MOST_WORDS) -> str:
    """Somebody's words, so that they cannot pose as anything but words: capped, without marks of chat templates."""
    text = _BIDI.sub("", text).replace("<", "‹").replace(">", "›").replace("```", "'''")
    text = _TEMPLATE.sub(r"(\1\2", text)
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass
class Stretch:
    """Ticks first..last in one room."""

    room: int
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"


def extend(stretches: list[Stretch], room: int, tick: int) -> None:
    """Add a tick in a room, joined to a stretch where it continues one."""
    for stretch in reversed(stretches[-3:]):
        if stretch.room == room and stretch.first <= tick <= stretch.last + 1:
            stretch.last = max(stretch.last, tick)
            return
    stretches.append(Stretch(room, tick, tick))


@dataclass
class LegNotes:
    """Between two meetings. Seats and rooms are numbers."""

    number: int
    first: int
    last: int = 0
    route: list[Stretch] = field(default_factory=list)
    tasks: list[Stretch] = field(default_factory=list)
    seen: dict[int, list[Stretch]] = field(default_factory=dict)
    moves: dict[int, list[tuple[int, int, int, bool]]] = field(default_factory=dict)
    """Per seat: (tick, origin, destination, whether it arrived)."""
    facts: list[str] = field(default_factory=list)
    """Bodies, kills, events that were missed: a sentence each."""
    bodies: set[int] = field(default_factory=set)
    chats: list[tuple[int, str, str, str]] = field(default_factory=list)
    """(tick, room, who, words)."""
    told: list[str] = field(default_factory=list)
    """Its facts in words, once it is over."""


@dataclass
class MeetingNotes:
    """One meeting that was attended."""

    number: int
    tick: int
    call: str
    said: tuple[Message, ...] = ()
    outcome: str = ""
    vote: str = ""


class Diary:
    """The memory of one agent in one game; feed `see` with every view it decides on, and `did` with what it did."""

    def __init__(self, briefing: Briefing, me: int) -> None:
        self.briefing = briefing
        self.me = me
        self.legs = [LegNotes(0, 0)]
        self.meetings: list[MeetingNotes] = []
        self.estimates: list[tuple[int, str]] = []
        """(tick, words): own answers to probes, where they are to be remembered."""
        self._in_meeting = False
        self._dead = 0
        self._seen = (-1, -1, -1, -1)

    def copy(self) -> Diary:
        """A diary of its own with the same memories."""
        return copy.deepcopy(self, {id(self.briefing): self.briefing})

    # --- taking in ---------------------------------------------------------------------------------------------------

    def see(self, view: View) -> None:
        """Take in what the agent perceives at a decision."""
        moment = (view.tick, view.phase, view.meeting, view.round)
        if view.phase == OVER or moment == self._seen:
            return
        self._seen = moment
        if view.dropped:
            self.legs[-1].facts.append(f"some events shortly before tick {view.tick} were missed")
        for event in view.events:
            self._event(event)
        if view.phase == FREE:
            self._close(view)
            self._here(view)
        else:
            self._meet(view)
        leg = self.legs[-1]
        leg.chats += [(m.tick, m.room, m.speaker, m.text) for m in view.messages if m.room]
        self._dead = view.known_dead

    def _here(self, view: View) -> None:
        """Own room, and who and what is in it."""
        leg = self.legs[-1]
        leg.last = max(leg.last, view.tick)
        if view.room < 0:
            return
        extend(leg.route, view.room, view.tick)
        for seat in _seats(view.here):
            self._saw(seat, view.room, view.tick)
        for victim in _seats(view.bodies):
            self._body(victim, view.room, view.tick)

    def _saw(self, seat: int, room: int, tick: int) -> None:
        if seat != self.me:
            extend(self.legs[-1].seen.setdefault(seat, []), room, tick)

    def _body(self, victim: int, room: int, tick: int) -> None:
        leg = self.legs[-1]
        if victim not in leg.bodies:
            leg.bodies.add(victim)
            leg.facts.append(f"you saw the body of {self._name(victim)} in {self._room(room)} at tick {tick}")

    def _event(self, event: int) -> None:
        """One witnessed event, in the order in which they happened."""
        tick, kind, actor, target, room, to, _ = unpack(event)
        leg = self.legs[-1]
        if kind in (DEPART, ARRIVE):
            arrived = kind == ARRIVE
            self._saw(actor, to if arrived else room, tick)
            leg.moves.setdefault(actor, []).append((tick, room, to, arrived))
        elif kind in (TRANSIT_CANCELLED, RESPAWN):
            self._saw(actor, room, tick)
        elif kind == BODY_APPEARED:
            self._saw(target, room, tick)
            self._body(target, room, tick)
        elif kind == KILL:
            leg.facts.append(f"you saw {self._name(actor)} kill {self._name(target)} in {self._room(room)} at {tick}")
        elif kind == BODY_REPORTED:
            words = (
                f"{self._name(actor)} reported the body of {self._name(target)} in {self._room(room)} at tick {tick}"
            )
            leg.facts.append(words)
        elif kind == MEETING_CALLED:
            leg.last = max(leg.last, tick)
        elif kind in (EJECTED, NO_EJECTION):
            self._decided(tick, kind == EJECTED, target, to)
        elif kind == VOTE and self.meetings:
            whom = self._name(target) if target >= 0 else "nobody"
            self.meetings[-1].outcome += f"{self._name(actor)} voted for {whom}; "

    def _decided(self, tick: int, ejected: bool, who: int, detail: int) -> None:
        """The vote is over, and a new leg begins."""
        if not self._in_meeting:
            return
        if ejected:
            words = f"{self._name(who)} was ejected"
            words += f", who was a {('Goose', 'Duck')[detail]}" if detail >= 0 else ""
        else:
            words = f"nobody was ejected ({('tie', 'skipped')[detail]})"
        self._end_meeting(tick, words)

    def _end_meeting(self, tick: int, words: str) -> None:
        self.meetings[-1].outcome += words
        self._in_meeting = False
        self.legs.append(LegNotes(len(self.legs), tick, tick))

    def _close(self, view: View) -> None:
        """Free roam goes on: a meeting whose outcome was missed is over all the same."""
        if self._in_meeting:
            gone = self.briefing.listed(view.known_dead & ~self._dead)
            words = f"{', '.join(gone)} ejected" if gone else "nobody was ejected"
            self._end_meeting(self.meetings[-1].tick, words)

    def _meet(self, view: View) -> None:
        """A meeting: who called it, what was said so far."""
        number = view.meeting - 1
        if not self._in_meeting or self.meetings[-1].number != number:
            self._close(view)
            caller = self.briefing.names[view.caller]
            call = f"called by {caller} {'who reported a body' if view.by_body else 'with the button'}"
            dead = view.known_dead & ~self._dead
            if dead:
                call += f"; found to be dead: {', '.join(self.briefing.listed(dead))}"
            self.meetings.append(MeetingNotes(number, view.tick, call))
            self._in_meeting = True
            self._here(view)
        self.meetings[-1].said = view.transcript

    def did(self, view: View, action: str, say: str | None = None) -> None:
        """Take in the agent's own decision, in words."""
        leg = self.legs[-1]
        verb, _, target = action.rstrip(")").partition("(")
        if view.phase != FREE:
            if verb in ("vote", "skip"):
                self.meetings[-1].vote = f"you voted for {target}" if verb == "vote" else "you skipped"
            return
        if say:
            leg.chats.append((view.tick, self._room(view.room), "you", say))
        if verb == "do_task":
            extend(leg.tasks, view.room, view.tick)
        elif verb == "kill":
            leg.facts.append(f"you killed {target} in {self._room(view.room)} at tick {view.tick}")
            leg.bodies.add(self.briefing.names.index(target))
        elif verb == "report":
            leg.facts.append(f"you reported a body in {self._room(view.room)} at tick {view.tick}")

    # --- telling -----------------------------------------------------------------------------------------------------

    def text(self, most_tokens: int) -> str:
        """Everything remembered, older words shortened until it fits (facts are never left out)."""
        facts = [self._facts(leg) for leg in self.legs]
        text = ""
        for cut in CUTS:
            for recent in sorted({MOST_WORDS, cut}, reverse=True):
                text = "\n".join(self._lines(facts, cut, recent))
                if len(text) <= most_tokens * CHARACTERS:
                    return text
        return text

    def _lines(self, facts: list[list[str]], older: int, recent: int) -> Iterable[str]:
        """Leg by leg and meeting by meeting; words of the current leg and the last meeting are ``recent``."""
        ended = len(self.meetings) - self._in_meeting
        for leg, known in zip(self.legs, facts, strict=True):
            yield from known
            yield from self._chats(leg.chats, recent if leg is self.legs[-1] else older)
            if leg.number < ended:
                yield from self._meeting(self.meetings[leg.number], recent if leg.number == ended - 1 else older)
        kept = self.estimates if older == MOST_WORDS else self.estimates[-LAST_ESTIMATES:]
        if kept:
            yield OWN_ESTIMATES
            yield from (f"- tick {tick}: {words}" for tick, words in kept)

    def _facts(self, leg: LegNotes) -> list[str]:
        """What was done and seen in a leg; kept for those that are over."""
        now = leg is self.legs[-1]
        if not now and leg.told:
            return leg.told
        since = "Since the last meeting" if leg.number else "Since the start"
        told = [f"{since if now else f'Before meeting {leg.number + 1}'}, ticks {leg.first}-{leg.last}:"]
        told.append(f"- your route: {self._stretches(leg.route) or 'unknown'}")
        if leg.tasks:
            told.append(f"- you worked on tasks: {self._stretches(leg.tasks)}")
        seen = [seat for seat in self.briefing.listing if seat in leg.seen]
        told += [f"- you saw {self._name(seat)}: {self._sightings(leg, seat)}" for seat in seen]
        told += [f"- {fact}" for fact in (leg.facts if seen else ["you saw nobody", *leg.facts])]
        if not now:
            leg.told = told
        return told

    def _stretches(self, stretches: list[Stretch]) -> str:
        return ", ".join(f"{self._room(stretch.room)} {stretch}" for stretch in stretches)

    def _sightings(self, leg: LegNotes, seat: int) -> str:
        """Rooms and ticks, then what was seen of the ways between."""
        rooms: dict[int, list[str]] = {}
        for stretch in leg.seen[seat]:
            rooms.setdefault(stretch.room, []).append(str(stretch))
        parts = [f"{self._room(room)} {' '.join(times)}" for room, times in rooms.items()]
        ways = [
            f"{tick} {self._room(origin)}→{self._room(to)}{'' if arrived else ' (left)'}"
            for tick, origin, to, arrived in leg.moves.get(seat, [])
        ]
        return ", ".join(parts) + (f"; moves: {', '.join(ways)}" if ways else "")

    def _chats(self, chats: list[tuple[int, str, str, str]], cut: int) -> Iterable[str]:
        if chats and not cut:
            yield f"- left out: {counted(len(chats), 'remark')} heard in rooms"
            return
        for tick, room, who, words in chats:
            yield f"- tick {tick}, {room}: {who} said {quote(harmless(words, cut))}"

    def _meeting(self, meeting: MeetingNotes, cut: int) -> Iterable[str]:
        yield f"Meeting {meeting.number + 1} (tick {meeting.tick}), {meeting.call}:"
        if meeting.said and cut:
            yield from (f"- round {m.round}, {m.speaker} said {quote(harmless(m.text, cut))}" for m in meeting.said)
        elif meeting.said:
            yield f"- left out: {counted(len(meeting.said), 'statement')}"
        if meeting.vote:
            yield f"- {meeting.vote}"
        yield f"- outcome: {meeting.outcome or 'unknown'}"

    def _name(self, seat: int) -> str:
        return self.briefing.names[seat]

    def _room(self, room: int) -> str:
        return self.briefing.room(room)


def _seats(mask: int) -> Iterable[int]:
    return (seat for seat in range(mask.bit_length()) if mask >> seat & 1)
