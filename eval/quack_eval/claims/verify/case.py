"""One claim, resolved against one game: what every verifier is given."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quack_eval.claims.record import Events, Meet, Record, in_order
from quack_eval.claims.time_window import Window
from quack_eval.claims.types import Claim
from quack_eval.timeline import ALIVE, BODY, Stay

SPEAKS_OF_BODY = re.compile(r"\b(?:body|bodies|corpse|dead|died|dying|death|found|killed|remains|murdered|report\w*)\b")


@dataclass(frozen=True, slots=True)
class Case:
    """A claim whose names are seats and rooms of the map, with its window (which has at least one span).

    ``target`` is None where the claim names nobody; ``but`` are seats that its "nobody" leaves out ("the only one I
    saw was Bob"). ``mentions_body``: the words around it speak of a body.
    """

    record: Record
    claim: Claim
    window: Window
    speaker: int
    meeting: int
    subject: int
    target: int | None = None
    room: str | None = None
    origin: str | None = None
    route: tuple[str, ...] = ()
    but: frozenset[int] = frozenset()
    mentions_body: bool = False

    def name(self, seat: int | None = None) -> str:
        """The name of a seat, by default the subject's."""
        return self.record.names[self.subject if seat is None else seat]

    def when(self) -> str:
        """The window in words."""
        window = self.window
        one = window.first_tick == window.last_tick
        return f"tick {window.first_tick}" if one else f"ticks {window.first_tick}-{window.last_tick}"

    def present(self, seat: int, room: str | None, state: str = ALIVE) -> list[Stay]:
        """The stays of a seat in a room within the window."""
        return self.record.stays(seat, room, self.window.spans, state)

    def together(self, target: int, room: str | None = None, state: str = ALIVE) -> list[Meet]:
        """When the subject was with the target within the window."""
        return self.record.met(self.subject, target, self.window.spans, room, state)

    def bodies_in(self, seat: int, room: str) -> list[Stay]:
        """The body of a seat in a room within the window."""
        return self.present(seat, room, BODY)

    def told_of_body(self) -> bool:
        """Whether the words speak of a body or a death."""
        if self.claim.of == BODY or self.mentions_body:
            return True
        return bool(self.claim.time and SPEAKS_OF_BODY.search(self.claim.time.lower()))

    # --- what decides ------------------------------------------------------------------------------------------------

    def whereabouts(self, *seats: int) -> Events:
        """The events that say where seats were in the window."""
        return in_order(*(self.record.whereabouts(seat, self.window.spans) for seat in seats))

    def began(self, stay: Stay) -> Events:
        """The event that began a stay."""
        return (self.record.timeline.beginning(stay),)

    def ended(self, instant: int, *seats: int) -> Events:
        """The departure or the death of one of the seats at an instant of the window that is not its last."""
        event = self.record.timeline.events[instant]
        ends = (event.kind == "depart" and event.actor in seats) or (event.kind == "kill" and event.target in seats)
        return (instant,) if ends and instant < self.window.last else ()

    def ticks_of(self, first: int, last: int) -> str:
        """A stretch of instants as ticks, in words."""
        start, end = self.record.tick(first), self.record.tick(last)
        return f"tick {start}" if start == end else f"ticks {start}-{end}"
