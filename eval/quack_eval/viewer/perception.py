"""What every agent could see and was shown, for the one-agent view: from the recording and from its views in replay."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from quack_env import GameRecord
from quack_env.replay import Replay
from quack_env.view import View
from quack_eval.timeline import ALIVE, Stay, Timeline


class Seen(NamedTuple):
    """Another seat, alive or as a body, in the same room after every event of [first, last]."""

    seat: int
    room: str
    state: str
    first: int
    last: int


class Shown(NamedTuple):
    """What a seat was told of itself and of the game at a decision, valid from ``event`` on.

    ``cooldown`` is -1 for a Goose. ``dead`` are the seats it knew to be dead; ``ducks`` and ``geese`` the other seats
    whose role it knew. ``progress`` goes by own task.
    """

    event: int
    tick: int
    cooldown: int
    dead: tuple[int, ...]
    ducks: tuple[int, ...]
    geese: tuple[int, ...]
    progress: tuple[int, ...]


class Pictures(NamedTuple):
    """The two images of one decision: file names, and the instant of the event that the decision made."""

    event: int
    seat: int
    map: str
    room: str


@dataclass
class Perceptions:
    """Of one game, by seat. ``fault`` says why the replay stopped early, if it did: the views end there."""

    shown: list[list[Shown]]
    pictures: list[Pictures] = field(default_factory=list)
    fault: str = ""


def company(timeline: Timeline, seat: int) -> list[Seen]:
    """Whom a living seat had around it, and when: the same room at the same instant is mutual sight (rules.md)."""
    found: list[Seen] = []
    for stay in timeline.stays[seat]:
        if stay.room is None or stay.state != ALIVE:
            continue
        until = settled(timeline, stay)
        for theirs in timeline.by_room[stay.room]:
            first, last = max(stay.first, theirs.first), min(until, settled(timeline, theirs))
            if theirs.seat != seat and first <= last:
                found.append(Seen(theirs.seat, stay.room, theirs.state, first, last))
    return found


def settled(timeline: Timeline, stay: Stay) -> int:
    """The last instant after whose event the seat is still there: not that of the event which ended the stay."""
    event, seat = timeline.events[stay.last], stay.seat
    left = event.kind == "depart" and event.actor == seat and stay.room is not None
    gone = event.kind in ("kill", "ejected") and event.target == seat and stay.state == ALIVE
    return stay.last - 1 if left or gone else stay.last


def perceptions(
    record: GameRecord,
    images: Path | None = None,
    image_size: int = 768,
    progress: Callable[[int, int], None] | None = None,
) -> Perceptions:
    """What every seat was shown at its decisions, replayed through the rules.

    Args:
        record: the recording.
        images: a folder; both images of every decision are drawn into it, as PNG files named by their content.
        image_size: their side in pixels.
        progress: called with (events replayed, events in all).
    """
    replay = Replay(record)
    game, recorded = replay.game, replay.recorded
    found = Perceptions([[] for _ in range(game.world.n)])
    draw = _Painter(game.briefing, images, image_size) if images is not None else None

    def look() -> None:
        seat = game.state.current
        view = game.view(seat)
        p = min(replay.position, len(recorded))  # the replay of a recording that breaks off may be a little ahead
        shown = _shown(view, recorded[p - 1].index if p else 0)
        before = found.shown[seat]
        if not before or before[-1][2:] != shown[2:]:
            before.append(shown)
        if draw is not None and p < len(recorded):
            found.pictures.append(Pictures(recorded[p].index, seat, draw.map(view), draw.room(view)))

    if not game.over:
        look()
    for _ in replay:
        if not game.over:
            look()
        if progress is not None:
            progress(replay.position, len(recorded))
    faults = replay.check.illegal + replay.check.mismatches
    if faults:
        found.fault = faults[0]
    return found


def _shown(view: View, event: int) -> Shown:
    seats = range(len(view.last_room))

    def members(mask: int) -> tuple[int, ...]:
        return tuple(seat for seat in seats if mask >> seat & 1)

    ducks, geese = members(view.partners | view.revealed_ducks), members(view.revealed_geese)
    return Shown(event, view.tick, view.cooldown, members(view.known_dead), ducks, geese, tuple(view.progress))


class _Painter:
    """Draws a view's images into files, each content once."""

    def __init__(self, briefing: Any, folder: Path, size: int) -> None:
        from quack_env.encode.image import ImageEncoder  # pygame: only where pictures are asked for

        self.encoder = ImageEncoder(briefing, size)
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def map(self, view: View) -> str:
        return self._file(self.encoder.global_map(view))

    def room(self, view: View) -> str:
        return self._file(self.encoder.local_view(view))

    def _file(self, image: Any) -> str:
        from quack_env.encode.image import to_png

        png = to_png(image)
        name = f"{hashlib.blake2b(png, digest_size=12).hexdigest()}.png"  # the name under which recordings keep it
        file = self.folder / name
        if not file.exists():
            file.write_bytes(png)
        return name
