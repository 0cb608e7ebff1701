"""From a time phrase to a window of instants of one game, and how it was found (metrics.md, "Window").

The rules, each a function below: ticks narrow the leg and name an earlier one where they lie in it; words for a part of
a round stand for a half or for three ticks; an event stands for its tick and the one before; anything else is the leg.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

from quack_env import Event
from quack_eval.claims import phrases
from quack_eval.claims.phrases import AFTER, BEFORE, JUST_AFTER, JUST_BEFORE, Numbers, Phrase
from quack_eval.timeline import ALIVE, BODY, Leg, Timeline

SHORT = 3
"""Ticks that "at the start", "at the end" and "right before" stand for."""

Span = tuple[int, int]
FINDING = re.compile(r"\b(?:found|finding|finds|find|discover\w*|spot\w*|onto the body|the body)\b")


class Window(NamedTuple):
    """When a claim is about: the closed ``spans`` of instants, within [first, last], and their ticks.

    ``how`` names the rule, ``kind`` the class of the phrase. ``extent``: "whole" or "most" where a duration is claimed.
    ``arrival``: the phrase dates an arrival. ``known`` is False where the words were not understood or their event did
    not happen, and the leg stands in. Without ``spans`` the time is none of this game's before the meeting.
    """

    spans: tuple[Span, ...]
    first_tick: int
    last_tick: int
    leg: int
    how: str
    kind: str
    extent: str = ""
    arrival: bool = False
    known: bool = True

    @property
    def first(self) -> int:
        """The first instant."""
        return self.spans[0][0]

    @property
    def last(self) -> int:
        """The last instant."""
        return self.spans[-1][1]

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "ticks": [self.first_tick, self.last_tick],
            "instants": [list(span) for span in self.spans],
            "leg": self.leg,
            "how": self.how,
            "kind": self.kind,
            "known": self.known,
        }


class Clock:
    """Reads the time phrases of one game's meetings."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self._names = [(seat, name.lower()) for seat, name in enumerate(timeline.trajectory.names)]
        rooms = timeline.trajectory.game_map.rooms
        self._rooms = sorted(((room.replace("_", " "), room) for room in rooms), key=lambda pair: -len(pair[0]))
        self._known: dict[tuple[str | None, int, int | None, int | None], Window] = {}

    def window(
        self, phrase: str | None, meeting: int, subject: int | None = None, speaker: int | None = None
    ) -> Window:
        """When a phrase of a meeting is about.

        Args:
            phrase: the words, or None for none.
            meeting: its number.
            subject: whom the claim is about: "after leaving R" is this seat's doing.
            speaker: who "I" is.
        """
        key = (phrase, meeting, subject, speaker)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _Reading(self, key).window()
        return found

    def stretch(self, moments: Window, phrase: str) -> Window:
        """The stretch of time in which a route was walked that a phrase dates by moments on the way.

        From the first to the last tick of a phrase that begins a stretch ("from tick 29, ... around tick 40"; open at
        the end where the phrase is); else the moments are those of single rooms, and the route was walked in the leg.
        """
        leg = self.legs[moments.leg]
        numbers = phrases.read(phrase).numbers
        first, last, how = leg.first_tick, leg.last_tick, "the whole leg with the moment"
        if len(numbers) > 1 and phrase.lower().startswith("from "):
            ticks = [tick + slack for number in numbers for tick in number.ticks for slack in _slack(number)]
            first = max(first, min(ticks))
            last = last if numbers[-1].how == phrases.SINCE else min(last, max(ticks))
            how = "from the first to the last moment"
        start, end = self.timeline.instants(first, last)
        return moments._replace(
            spans=((max(start, leg.first), min(end, leg.last)),),
            first_tick=first,
            last_tick=last,
            how=f"{how}: {moments.how}",
            extent="",
            arrival=False,
        )

    @cached_property
    def legs(self) -> list[Leg]:
        """The legs of the game."""
        return self.timeline.legs

    def seats_in(self, text: str) -> list[tuple[int, int]]:
        """(position, seat) of every name in a text, in order."""
        found = [
            (match.start(), seat)
            for seat, name in self._names
            for match in re.finditer(rf"\b{re.escape(name)}\b", text)
        ]
        return sorted(found)

    def rooms_in(self, text: str) -> list[tuple[int, str]]:
        """(position, room) of every room in a text of `phrases.normalise`, in order."""
        found: dict[int, str] = {}
        taken: list[Span] = []
        for words, room in self._rooms:
            for match in re.finditer(rf"\b{words}\b", text):
                if not any(first <= match.start() < last for first, last in taken):
                    taken.append(match.span())
                    found[match.start()] = room
        return sorted(found.items())


def _slack(stated: Numbers) -> tuple[int, int]:
    return (-1, 1) if stated.around else (0, 0)


class _Reading:
    """One phrase in one meeting."""

    def __init__(self, clock: Clock, key: tuple[str | None, int, int | None, int | None]) -> None:
        words, meeting, self.subject, self.speaker = key
        self.clock = clock
        self.timeline = clock.timeline
        self.phrase = phrases.read(words) if words else Phrase("", plain=True)
        self.here = clock.legs[meeting]
        self.leg = self.here
        if self.phrase.leg == "last" and meeting:
            self.leg = clock.legs[meeting - 1]
        self.stated = self.leg

    def window(self) -> Window:
        """The window, by the first rule that applies."""
        phrase = self.phrase
        if phrase.numbers:
            return self.in_ticks(phrase.numbers)
        if phrase.leg == "game":
            return self.made([(0, self.here.last)], "the game up to the meeting")
        if phrase.last_ticks or phrase.part:
            return self.part()
        if phrase.event:
            found = self.at_event()
            return found if found else self.whole_leg(f"no such event ({phrase.text!r}), so the leg", known=False)
        if phrase.leg == "last" or phrase.plain or phrase.extent:
            return self.whole_leg("the previous leg" if self.leg is not self.here else "the leg")
        return self.whole_leg(f"unknown phrase ({phrase.text!r}), so the leg", known=False)

    def made(self, spans: list[Span], how: str, known: bool = True) -> Window:
        """A window of the non-empty spans."""
        phrase, events = self.phrase, self.timeline.events
        kept = sorted({(first, last) for first, last in spans if first <= last})
        ticks = (events[kept[0][0]].tick, events[max(last for _, last in kept)].tick) if kept else (-1, -1)
        kind = phrase.kind
        return Window(tuple(kept), *ticks, self.leg.number, how, kind, phrase.extent, phrase.arrival, known)

    def whole_leg(self, how: str, known: bool = True) -> Window:
        return self.made([(self.leg.first, self.leg.last)], how, known)

    def clipped(self, first_tick: int, last_tick: int, leg: Leg) -> Span:
        """The instants of some ticks within a leg."""
        first, last = self.timeline.instants(first_tick, last_tick)
        return max(first, leg.first), min(last, leg.last)

    # --- ticks -------------------------------------------------------------------------------------------------------

    def in_ticks(self, numbers: tuple[Numbers, ...]) -> Window:
        """Stated ticks."""
        spans = [span for expression in numbers for span in self.span_of(expression)]
        window = self.made(spans, f"ticks as stated ({self.phrase.text})")
        return window if window.spans else self.made([], f"ticks after the meeting ({self.phrase.text})", known=False)

    def span_of(self, stated: Numbers) -> list[Span]:
        """The spans of one expression; its last number says which leg it is about."""
        how, ticks, slack = stated.how, stated.ticks, int(stated.around)
        leg = self.leg = self.leg_of_tick(ticks[-1])
        if how == phrases.RANGE:
            return [self.clipped(ticks[0] - slack, ticks[1] + slack, leg)]
        if how == phrases.UNTIL:
            return [self.clipped(leg.first_tick, ticks[-1] + slack, leg)]
        if how == phrases.SINCE:
            return [self.clipped(ticks[0] - slack, leg.last_tick, leg)]
        if how == JUST_BEFORE:
            return [self.clipped(ticks[0] - SHORT + 1, ticks[0], leg)]
        if how == JUST_AFTER:
            return [self.clipped(ticks[0], ticks[0] + SHORT - 1, leg)]
        if how == phrases.OPEN:
            return [(leg.first, leg.last)]
        return [span for tick in ticks for span in self.at_tick(tick, slack)]

    def at_tick(self, tick: int, slack: int) -> list[Span]:
        """One tick, or those around it; the tick of a meeting lies in the leg before it, too."""
        leg = self.leg_of_tick(tick)
        spans = [self.clipped(tick - slack, tick + slack, leg)]
        if tick == leg.first_tick and leg.number:
            spans.append(self.clipped(tick - slack, tick, self.clock.legs[leg.number - 1]))
        return spans

    def leg_of_tick(self, tick: int) -> Leg:
        """The leg that a tick names: this one, or the earlier one in which it lies."""
        leg = self.stated
        if tick >= leg.first_tick:
            return leg
        starts = [earlier.first_tick for earlier in self.clock.legs[: leg.number]]
        return self.clock.legs[max(bisect_right(starts, tick) - 1, 0)]

    # --- words -------------------------------------------------------------------------------------------------------

    def part(self) -> Window:
        """A part of the leg: three ticks (or as many as said) at an end of it, or a half."""
        leg, part = self.leg, self.phrase.part
        first, last = leg.first_tick, leg.last_tick
        count = self.phrase.last_ticks or SHORT
        if part == "start":
            return self.made([self.clipped(first, first + count, leg)], f"the first {count} ticks of the leg")
        if part == "end":
            return self.made([self.clipped(last - count + 1, last, leg)], f"the last {count} ticks of the leg")
        if part == "early":
            return self.made([self.clipped(first, (first + last) // 2, leg)], "the first half of the leg")
        return self.made([self.clipped((first + last + 1) // 2, last, leg)], "the second half of the leg")

    # --- events ------------------------------------------------------------------------------------------------------

    def at_event(self) -> Window | None:
        """Around the event that the phrase names; None where it did not happen."""
        what = self.phrase.event
        if what == "report":
            return self.at_call()
        if what == "in":
            return self.at_stays()
        if what == "ejection":
            return self.at_ejection()
        events = self.deaths() if what == "death" else self.movements(what == "left")
        if not events:
            return None
        spans = [self.related(event.index, event.tick) for event in events]
        if self.phrase.relation in (AFTER, BEFORE):
            spans = [spans[0] if self.phrase.relation == AFTER else spans[-1]]
        told = ", ".join(f"tick {event.tick}" for event in events)
        return self.made(spans, f"{self.phrase.relation} the {events[0].kind} of {told}")

    def related(self, instant: int, tick: int) -> Span:
        """The instants that stand in the phrase's relation to an event, in the leg."""
        leg, relation = self.leg, self.phrase.relation
        first, last = self.timeline.instants(tick - 1, tick)
        if relation == BEFORE:
            return leg.first, min(instant, leg.last)
        if relation == AFTER:
            return max(instant, leg.first), leg.last
        if relation == JUST_BEFORE:
            return self.clipped(tick - SHORT + 1, tick, leg)[0], min(instant, leg.last)
        if relation == JUST_AFTER:
            return max(instant, leg.first), self.clipped(tick, tick + SHORT - 1, leg)[1]
        if "window" in self.phrase.text:
            return self.clipped(tick - SHORT + 1, tick + SHORT - 1, leg)
        return max(first, leg.first), min(last, leg.last)

    def at_call(self) -> Window:
        """The call of this meeting, or the earlier one at which a body that the phrase names was reported."""
        leg, text = self.leg, self.phrase.text
        named = {seat for _, seat in self.clock.seats_in(text)}
        for earlier in self.timeline.meetings[: self.here.number]:
            if named & set(earlier.bodies):
                leg = self.leg = self.clock.legs[earlier.number]
        relation = self.phrase.relation
        if not self.timeline.meetings[leg.number].by_body and FINDING.search(text):
            return self.at_find(leg)
        if relation in (BEFORE, AFTER):
            return self.whole_leg(f"the leg ({relation} the meeting)" if relation == BEFORE else "the leg")
        if relation == JUST_BEFORE:
            return self.made([self.clipped(leg.last_tick - SHORT + 1, leg.last_tick, leg)], "the last 3 ticks")
        return self.made([self.clipped(leg.last_tick - 1, leg.last_tick, leg)], "the call's tick and the one before")

    def at_find(self, leg: Leg) -> Window:
        """In a leg that the button ended: when whoever is meant first saw a body, its tick and the one before."""
        text = self.phrase.text
        verb = FINDING.search(text)
        named = [seat for at, seat in self.clock.seats_in(text) if verb and at < verb.start()]
        speaks = re.search(r"\bi\b", text)
        actor = named[0] if named else self.speaker if speaks else self.subject
        stays = [] if actor is None else self.timeline.between(actor, leg.first, leg.last)
        came = [
            max(mine.first, lies.first)
            for mine in stays
            if mine.state == ALIVE and mine.room is not None
            for lies in self.timeline.by_room[mine.room]
            if lies.state == BODY and lies.first <= mine.last and mine.first <= lies.last
        ]
        if not came:
            return self.whole_leg(f"nobody found a body ({self.phrase.text!r}), so the leg", known=False)
        instant = min(came)
        return self.made([self.related(instant, self.timeline.events[instant].tick)], "when a body was first seen")

    def at_ejection(self) -> Window | None:
        """The leg that ended with somebody's ejection, for what was before it; for what came after it, this leg."""
        named = {seat for _, seat in self.clock.seats_in(self.phrase.text)}
        for meeting in self.timeline.meetings[: self.here.number]:
            if meeting.ejected in named and self.phrase.relation in (BEFORE, JUST_BEFORE):
                self.leg = self.clock.legs[meeting.number]
                return self.whole_leg("the leg before the ejection")
        return None

    def deaths(self) -> list[Event]:
        """The deaths that the phrase means: of those it names, else of the subject, else all of the leg."""
        here = [event for event in self.timeline.deaths.values() if event.index <= self.here.last]
        named = {seat for _, seat in self.clock.seats_in(self.phrase.text)}
        meant = [event for event in here if event.target in named]
        if not meant:
            in_leg = [event for event in here if self.leg.first <= event.index]
            meant = [event for event in in_leg if event.target == self.subject] or in_leg
        for event in meant:
            self.leg = self.timeline.leg_of(event.index) or self.leg
        return meant

    def movements(self, left: bool) -> list[Event]:
        """The departures (or arrivals) in the leg that the phrase means."""
        actor = self.actor()
        text = self.phrase.text
        places = self.clock.rooms_in(text)
        toward = [room for at, room in places if re.search(r"\b(?:toward|towards|for|to|into)\s+(?:the )?$", text[:at])]
        from_ = [room for at, room in places if re.search(r"\bfrom\s+(?:the )?$", text[:at])]
        bare = [room for _, room in places if room not in toward and room not in from_]
        origin = next(iter(from_ or (bare if left else [])), None)
        to = next(iter(toward or ([] if left else bare)), None)
        return [
            event
            for event in self.timeline.events[self.leg.first : self.leg.last + 1]
            if event.kind == ("depart" if left else "arrive")
            and event.actor == actor
            and origin in (None, event.room)
            and to in (None, event.to)
        ]

    def actor(self) -> int | None:
        """Who the event's actor is: the name before the verb, "I", or the claim's subject."""
        names = self.clock.seats_in(self.phrase.text)
        if names:
            return names[0][1]
        if re.search(r"\bi\b|\bmy\b", self.phrase.text):
            return self.speaker
        return self.subject

    def at_stays(self) -> Window | None:
        """Before, while or after somebody was in a room."""
        places = self.clock.rooms_in(self.phrase.text)
        actor = self.actor()
        if not places or actor is None:
            return None
        leg, room = self.leg, places[0][1]
        stays = self.timeline.was_in(actor, room, leg.first, leg.last, ALIVE)
        if not stays:
            return None
        first = max(stays[0].first, leg.first)
        relation = self.phrase.relation
        if relation in (BEFORE, JUST_BEFORE):
            spans = [(leg.first, first)]
        elif relation in (AFTER, JUST_AFTER):
            spans = [(min(stays[0].last, leg.last), leg.last)]
        else:
            spans = [(max(stay.first, leg.first), min(stay.last, leg.last)) for stay in stays]
        return self.made(spans, f"{relation} {self.timeline.trajectory.names[actor]} was in {room}")
