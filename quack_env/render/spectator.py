"""The spectator view, for people: the whole ship, everybody on it with role, work and last action; meetings as scenes.

`frame` draws a `Scene`; `between` draws the moments from one scene to the next, so that people walk along corridors;
`film` is a whole game as pictures. Nothing here is for agents.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import pygame

from quack_env.game_map import GameMap
from quack_env.render.draw import Image, blank, canvas, clear_mark, clear_token, paint
from quack_env.render.global_map import room_items, way_items
from quack_env.render.items import ALIVE, BODY, DEAD, Box, Item, Mark, Rect, Token, around, centred, line
from quack_env.render.layers import layers
from quack_env.render.layout import Cell, MapPlan, Style, key_of, plan_crowd, plan_map, plan_people
from quack_env.render.scene import SKIP, Actor, Camera, MeetingScene, Place, Scene, scene_of
from quack_env.render.text import largest_fit, line_height, width, wrap
from quack_env.render.theme import (
    ALARM,
    BUBBLE,
    BUTTON,
    CALM,
    DONE,
    DUCK,
    EDGE,
    FLOOR,
    GONE,
    INK,
    MUTED,
    PAGE,
    PANEL,
    WALL,
    WHITE,
    YOU,
    YOU_FLOOR,
    Colour,
)

__all__ = ["SIZE", "Camera", "Scene", "between", "film", "frame", "scene_of"]

SIZE = (1280, 800)
"""Width and height of a frame, in pixels."""
SMALLEST = (480, 320)
Spot = tuple[float, float]


class Parts(NamedTuple):
    """Where the parts of a frame lie, and its text sizes."""

    size: tuple[int, int]
    text: int
    note: int
    header: Rect
    map: Rect
    feed: Rect
    roster: Rect


@lru_cache(maxsize=16)
def parts_of(size: tuple[int, int]) -> Parts:
    """The parts of a frame of (width, height) pixels."""
    w, h = size
    text = max(8, min(h // 46, w // 74))
    note = max(7, round(0.86 * text))
    header = line_height(round(1.2 * text)) + 6
    side = max(round(0.27 * w), min(22 * text, w // 3))
    feed = 5 * line_height(note) + 8
    left = w - side
    return Parts(
        size,
        text,
        note,
        Rect(0, 0, w, header),
        Rect(0, header, left, h - header - feed),
        Rect(0, h - feed, left, feed),
        Rect(left, header, side, h - header),
    )


def frame(scene: Scene, size: tuple[int, int] = SIZE) -> Image:
    """The scene as a picture: a fresh uint8 (H, W, 3) for a size of (width, height).

    Raises:
        ValueError: where the size is smaller than SMALLEST.
    """
    return between(scene, scene, 1.0, size)


def between(before: Scene, after: Scene, part: float, size: tuple[int, int] = SIZE) -> Image:
    """The picture `part` (0..1) of the way from one scene to the next.

    People walk along the corridors; to and from meetings, and where people are placed anew, the picture fades over.
    """
    if size[0] < SMALLEST[0] or size[1] < SMALLEST[1]:
        raise ValueError(f"size={size!r}: must be at least {SMALLEST}")
    if part >= 1 or before is after:
        return _still(after, size, after, 1.0)
    if before.meeting is None and after.meeting is None and before.leg == after.leg:
        return _still(after, size, before, part)
    return crossfade(frame(before, size), frame(after, size), part)


def crossfade(a: Image, b: Image, part: float) -> Image:
    """`part` of the way from picture a to picture b."""
    mixed, over = a.copy(), canvas(b)
    over.set_alpha(round(255 * max(0.0, min(1.0, part))))
    canvas(mixed).blit(over, (0, 0))
    return mixed


def film(scenes: Iterable[Scene], size: tuple[int, int] = SIZE, steps: int = 3, hold: int = 3) -> Iterator[Image]:
    """Every scene as pictures, `steps` for the way from one to the next; meetings stand still for `hold` more."""
    before: Scene | None = None
    for scene in scenes:
        if before is None:
            yield frame(scene, size)
        else:
            yield from (between(before, scene, (k + 1) / steps, size) for k in range(steps))
        if scene.meeting is not None or scene.outcome:
            still = frame(scene, size)
            rest = hold * (4 if scene.outcome or (scene.meeting and scene.meeting.result) else 1)
            yield from (still for _ in range(rest))
        before = scene


def _still(scene: Scene, size: tuple[int, int], before: Scene, part: float) -> Image:
    parts = parts_of(size)
    if scene.meeting is not None:
        return paint(blank(size[0], size[1], PAGE), frame_items(scene, size))
    plan = ship_plan(scene.game_map, parts)
    image = layers.get((key_of(scene.game_map), size), lambda: _ship_layer(scene.game_map, parts)).copy()
    paint(image, frame_items(scene, size))
    _draw_people(canvas(image), plan, before, scene, part)
    return image


def frame_items(scene: Scene, size: tuple[int, int]) -> list[Item]:
    """Everything on a frame but the ship and the people on it."""
    parts = parts_of(size)
    items = [*header_items(scene, parts)]
    if scene.meeting is not None:
        return [*items, *meeting_items(scene, scene.meeting, parts)]
    return [*items, *roster_items(scene, parts), *feed_items(scene, parts)]


# --- the ship --------------------------------------------------------------------------------------------------------


def ship_plan(game_map: GameMap, parts: Parts) -> MapPlan:
    """Rooms large enough for a crowd, and the corridors."""
    return plan_map(game_map, parts.map.grow(-8), Style(round(1.1 * parts.text), 6, 4, 2, 1.3, 2.2))


def _ship_layer(game_map: GameMap, parts: Parts) -> Image:
    """The empty ship."""
    plan = ship_plan(game_map, parts)
    image = blank(*parts.size, PAGE)
    items = [*way_items(plan, PAGE, max(3, parts.text // 3))]
    button = game_map.rooms.index(game_map.button)
    for r, room in enumerate(plan.rooms):
        edge = BUTTON if r == button else WALL
        items += room_items(room, plan.text, FLOOR, edge, 2)
    return paint(image, items)


def people_slots(scene: Scene, plan: MapPlan) -> dict[int, Rect]:
    """The square of everybody in a room and of every body, by seat."""
    out: dict[int, Rect] = {}
    for r, room in enumerate(plan.rooms):
        there = [a.seat for a in scene.actors if a.place and a.place.room == r and a.place.dest < 0]
        there += [a.seat for a in scene.actors if a.body == r]
        if there:
            out.update(zip(there, plan_crowd(len(there), room.area, round(2.2 * plan.text)), strict=True))
    return out


def standing(scene: Scene, plan: MapPlan) -> dict[int, Rect]:
    """The square of everybody, by seat: the living in their rooms and on their ways, side by side, and the bodies."""
    out = people_slots(scene, plan)
    side = round(2.0 * plan.text)
    on_way: list[Rect] = []
    for actor in scene.actors:
        if actor.place is None or actor.place.dest < 0:
            continue
        x, y = _on_way(plan, actor.place.room, actor.place.dest, actor.place.part)
        place = around((round(x), round(y)), side, side)
        while any(place.grow(-side // 4).overlaps(other) for other in on_way):
            place = place._replace(x=place.x + side * 3 // 5, y=place.y - side // 5)
        on_way.append(place)
        out[actor.seat] = place
    return out


def people_places(before: Scene, after: Scene, part: float, plan: MapPlan) -> dict[int, tuple[Rect, float]]:
    """Where the living are `part` (0..1) of the way from one scene to the next, and how much of them shows (0..1).

    Whoever could have walked does; who dies fades away; anybody else is faded over to the new place.
    """
    old, new = standing(before, plan), standing(after, plan)
    out: dict[int, tuple[Rect, float]] = {}
    for was, actor in zip(before.actors, after.actors, strict=True):
        seat = actor.seat
        if was.place is None or actor.place is None:
            if was.place is not None:
                out[seat] = old[seat], 1 - part
            elif actor.place is not None:
                out[seat] = new[seat], part
            continue
        start, end = old[seat], new[seat]
        way = _way(plan, was.place, actor.place, start, end)
        if way is None:
            out[seat] = (start, 1 - 2 * part) if part < 0.5 else (end, 2 * part - 1)
        else:
            side = round(start.w + (end.w - start.w) * part)
            x, y = _walk(way, part)
            out[seat] = around((round(x), round(y)), side, side), 1.0
    return out


def _draw_people(surface: pygame.Surface, plan: MapPlan, before: Scene, after: Scene, part: float) -> None:
    """Bodies first, then the living; Ducks have their mark."""
    old, new = people_slots(before, plan), people_slots(after, plan)
    for was, actor in zip(before.actors, after.actors, strict=True):
        if actor.body >= 0:
            place, shown = new[actor.seat], part if was.body < 0 else 1.0
        elif was.body >= 0:
            place, shown = old[actor.seat], 1 - part
        else:
            continue
        _stamp(surface, clear_token(actor.seat, actor.letter, place.w, BODY), place, shown)
    for seat, (place, shown) in people_places(before, after, part, plan).items():
        actor = after.actors[seat]
        _stamp(surface, clear_token(seat, actor.letter, place.w, ALIVE), place, shown)
        if actor.duck:
            side = max(7, place.w * 2 // 5)
            _stamp(surface, clear_mark("duck", side), Rect(place.right - side, place.y, side, side), shown)


def _stamp(surface: pygame.Surface, picture: pygame.Surface, place: Rect, part: float) -> None:
    if part < 1:
        picture = picture.copy()
        picture.set_alpha(round(255 * max(0.0, part)))
    surface.blit(picture, place[:2])


def _on_way(plan: MapPlan, origin: int, dest: int, part: float) -> Spot:
    way, backwards = plan.way(origin, dest)
    return way.along(1 - part if backwards else part)


def _stretch(plan: MapPlan, origin: int, dest: int, start: float, end: float) -> list[Spot] | None:
    """Points along the corridor between two rooms from one part of it to another; None where there is none."""
    try:
        plan.way(origin, dest)
    except KeyError:
        return None
    return [_on_way(plan, origin, dest, start + (end - start) * k / 8) for k in range(9)]


def _way(plan: MapPlan, was: Place, now: Place, start: Rect, end: Rect) -> list[Spot] | None:
    """The points that lead from one place to the other on foot; None where nobody could have walked."""
    legs: list[tuple[int, int, float, float]] = []
    if was == now or (was.dest, now.dest, was.room) == (-1, -1, now.room):
        pass
    elif (was.room, was.dest) == (now.room, now.dest):
        legs.append((was.room, was.dest, was.part, now.part))
    else:
        here = was.room
        if was.dest >= 0:  # it has arrived first
            legs.append((was.room, was.dest, was.part, 1.0))
            here = was.dest
        if here != now.room:
            legs.append((here, now.room, 0.0, 1.0))
        if now.dest >= 0:
            legs.append((now.room, now.dest, 0.0, now.part))
    points: list[Spot] = [start.centre]
    for leg in legs:
        stretch = _stretch(plan, *leg)
        if stretch is None:
            return None
        points += stretch
    return [*points, end.centre]


def _walk(points: Sequence[Spot], part: float) -> Spot:
    """The point `part` (0..1) of the length of a line through points."""
    lengths = [math.dist(a, b) for a, b in pairwise(points)]
    left = sum(lengths) * part
    for (a, b), length in zip(pairwise(points), lengths, strict=True):
        if left <= length and length:
            return a[0] + (b[0] - a[0]) * left / length, a[1] + (b[1] - a[1]) * left / length
        left -= length
    return points[-1]


# --- words beside it -------------------------------------------------------------------------------------------------


def header_items(scene: Scene, parts: Parts) -> Iterator[Item]:
    """Tick, phase, tasks, who lives."""
    bar, size = parts.header, round(1.2 * parts.text)
    back = ALARM if scene.meeting is not None else CALM
    yield Box(bar, back, back, PAGE)
    geese = [a for a in scene.actors if not a.duck]
    counts = (
        f"tasks {sum(a.done for a in geese)}/{sum(a.tasks for a in geese)}",
        f"geese {sum(a.alive for a in geese)}/{len(geese)}",
        f"ducks {sum(a.alive for a in scene.actors if a.duck)}/{len(scene.actors) - len(geese)}",
    )
    right = "   ".join(counts)
    wide = width(right, parts.text)
    yield line(
        right, parts.text, bar.right - wide - 8, bar.y + (bar.h - line_height(parts.text)) // 2, WHITE, back, wide
    )
    title = f"tick {scene.tick} of {scene.max_ticks}: {scene.phase.replace('_', ' ')}"
    if scene.outcome:
        title = f"{scene.outcome} (tick {scene.tick})"
    yield line(title, size, 8, bar.y + (bar.h - line_height(size)) // 2, WHITE, back, bar.w - wide - 24)


def roster_items(scene: Scene, parts: Parts) -> Iterator[Item]:
    """A row for everybody: figure, name, role, place, last action, tasks, cooldown."""
    area = parts.roster
    yield Box(area, PANEL, EDGE, PAGE)
    high = min(4 * line_height(parts.text), (area.h - 4) // len(scene.actors))
    for p, actor in enumerate(scene.actors):
        row = Rect(area.x + 4, area.y + 2 + p * high, area.w - 8, high)
        yield from actor_items(scene, actor, row, parts)


def actor_items(scene: Scene, actor: Actor, row: Rect, parts: Parts) -> Iterator[Item]:
    """One row of the roster."""
    text, note = parts.text, parts.note
    while text > 6 and line_height(text) + line_height(note) > row.h:
        text, note = text - 1, max(6, note - 1)
    side = min(row.h - 2, round(2.4 * parts.text))
    state = ALIVE if actor.alive else DEAD
    yield Token(Rect(row.x, row.y + (row.h - side) // 2, side, side), actor.seat, actor.letter, PANEL, state)
    left = row.x + side + 6
    top = row.y + max(0, (row.h - line_height(text) - line_height(note)) // 2)
    tasks = f"{actor.done}/{actor.tasks}"
    bar = Rect(
        row.right - width("00/00", note) - 5 * text, top + line_height(text) // 4, 5 * text, line_height(text) // 2
    )
    yield line(tasks, note, bar.right + 4, top, MUTED, PANEL, row.right - bar.right - 4)
    yield Box(bar, PANEL, EDGE, PANEL)
    if actor.tasks and actor.done:
        yield Box(bar.grow(-1)._replace(w=(bar.w - 2) * actor.done // actor.tasks), DONE, DONE, PANEL)
    role = "Duck" if actor.duck else "Goose"
    wide = width(role, note)
    room = bar.x - left - wide - 12
    size = largest_fit(actor.name, text, room)
    name = line(actor.name, size, left, top + (text - size), INK if actor.alive else GONE, PANEL, room)
    yield name
    yield line(role, note, name.rect.right + 6, top, DUCK if actor.duck else MUTED, PANEL, wide)
    yield from second_line(scene, actor, Rect(left, top + line_height(text), row.right - left, line_height(note)), note)


def second_line(scene: Scene, actor: Actor, place: Rect, size: int) -> Iterator[Item]:
    """Where somebody is and what it did last; a Duck's cooldown."""
    clock = ""
    if actor.duck and actor.alive:
        clock = f"kill in {actor.cooldown}" if actor.cooldown else "may kill"
    wide = width(clock, size)
    if clock:
        yield line(clock, size, place.right - wide, place.y, BUTTON, PANEL, wide)
    words = where(scene.game_map, actor)
    on_way = actor.place is not None and actor.place.dest >= 0
    if actor.action and actor.alive and not on_way:
        words = f"{words}: {actor.action.removesuffix(f' in {words}')}"
    yield line(words, size, place.x, place.y, MUTED, PANEL, place.w - wide - 6)


def where(game_map: GameMap, actor: Actor) -> str:
    """Where somebody is, in words."""
    if actor.place is None:
        return f"dead, body in {game_map.rooms[actor.body]}" if actor.body >= 0 else "dead"
    room = game_map.rooms[actor.place.room]
    return f"to {game_map.rooms[actor.place.dest]} from {room}" if actor.place.dest >= 0 else room


def feed_items(scene: Scene, parts: Parts) -> Iterator[Item]:
    """The last events, the newest last, in two columns."""
    area, size = parts.feed, parts.note
    yield Box(area, PANEL, EDGE, PAGE)
    high = line_height(size)
    rows = max(1, (area.h - 6) // high)
    shown = scene.feed[-2 * rows :]
    wide = (area.w - 8) // 2
    for p, told in enumerate(shown):
        column, row = divmod(p, rows)
        x, y = area.x + 6 + column * wide, area.y + 3 + row * high
        stamp = f"t{told.tick}"
        yield line(stamp, size, x, y, MUTED, PANEL, wide)
        x += width("t0000", size)
        if told.seat >= 0:
            yield Token(Rect(x, y + 1, high - 2, high - 2), told.seat, scene.actors[told.seat].letter, PANEL)
        x += high + 2
        room = area.x + 6 + (column + 1) * wide - x - 6
        yield line(told.words, size, x, y, BUTTON if told.grave else INK, PANEL, room)


# --- meetings --------------------------------------------------------------------------------------------------------


def meeting_items(scene: Scene, meeting: MeetingScene, parts: Parts) -> Iterator[Item]:
    """Everybody with the votes cast, what was said, the result."""
    w, h = parts.size
    text = parts.text
    strip = Rect(8, parts.header.bottom + 4, w - 16, line_height(text) + 4)
    yield from _caller_items(scene, meeting, strip, text)
    left = Rect(8, strip.bottom + 4, round(0.56 * w) - 12, h - strip.bottom - 12)
    right = Rect(left.right + 8, left.y, w - left.right - 16, left.h)
    order = [*meeting.speaking, *(a.seat for a in scene.actors if a.seat not in meeting.speaking)]
    tally = max(parts.note, 9)
    cells = plan_people(len(order), left, text, tally)
    for place, (seat, cell) in enumerate(zip(order, cells, strict=True)):
        yield from voter_items(scene, meeting, seat, place, cell, parts)
    yield from transcript_items(scene, meeting, right, parts)


def _caller_items(scene: Scene, meeting: MeetingScene, strip: Rect, size: int) -> Iterator[Item]:
    """Who called it, and how far it is; the result, once there is one."""
    caller = scene.actors[meeting.caller]
    side = strip.h - 2
    yield Token(Rect(strip.x, strip.y + 1, side, side), caller.seat, caller.letter, PAGE)
    how = "found a body" if meeting.by_body else "pressed the button"
    now = f"Discussion, round {meeting.round} of {meeting.rounds}" if meeting.round else "Vote"
    now = meeting.result[:1].upper() + meeting.result[1:] or now
    words = f"Meeting {meeting.number}: {caller.name} {how}. {now}"
    yield line(
        words, size, strip.x + side + 8, strip.y + 1, BUTTON if meeting.result else INK, PAGE, strip.w - side - 8
    )


def voter_items(scene: Scene, meeting: MeetingScene, seat: int, place: int, cell: Cell, parts: Parts) -> Iterator[Item]:
    """One player in a meeting: figure, name with role, own vote, and the figures of those who voted for it."""
    actor = scene.actors[seat]
    back = PAGE
    here = place < len(meeting.speaking)
    if seat == meeting.speaker:
        back = YOU_FLOOR
        whole = Rect(cell.name.x, cell.figure.y, cell.name.w, cell.note.bottom - cell.figure.y)
        yield Box(whole, YOU_FLOOR, YOU, PAGE, 6)
    yield Token(cell.figure, seat, actor.letter, back, ALIVE if here else DEAD)
    yield from _vote_items(scene, actor, meeting.votes.get(seat), cell, back, parts.note)
    size = largest_fit(actor.name, parts.text, cell.name.w)
    yield centred(actor.name, size, cell.name, INK if here else GONE, back)
    voters = [a for a in scene.actors if meeting.votes.get(a.seat, None) == seat]
    side = min(cell.note.h, cell.note.w // max(1, len(voters)) - 1)
    for k, voter in enumerate(voters):
        x = cell.note.x + (cell.note.w - len(voters) * (side + 1)) // 2 + k * (side + 1)
        yield Token(Rect(x, cell.note.y, side, side), voter.seat, voter.letter, back)
    if not here:
        yield centred("dead", parts.note, cell.note, GONE, back)


def _vote_items(scene: Scene, actor: Actor, vote: int | None, cell: Cell, back: Colour, size: int) -> Iterator[Item]:
    """Beside the figure: a Duck's mark, and an arrow to the figure of whom it voted for."""
    side = min(cell.figure.w // 3, (cell.name.right - cell.figure.right) // 2 - 4)
    if side < 6:
        return
    left = cell.figure.right + 2
    if actor.duck:
        yield Mark(Rect(left, cell.figure.y, side, side), "duck", back)
    low = cell.figure.bottom - side
    if vote is not None:
        yield Mark(Rect(left, low, side, side), "e", back)
    if vote == SKIP:
        x = left + side + 2
        small = largest_fit("skip", size, cell.name.right - x)
        yield line("skip", small, x, cell.figure.bottom - line_height(small), MUTED, back, cell.name.right - x)
    elif vote is not None:
        yield Token(Rect(left + side + 2, low, side, side), vote, scene.actors[vote].letter, back)


def transcript_items(scene: Scene, meeting: MeetingScene, area: Rect, parts: Parts) -> Iterator[Item]:
    """The last utterances that fit, the newest at the bottom."""
    yield Box(area, PANEL, EDGE, PAGE, 6)
    size = parts.note
    high, side = line_height(size), line_height(size) + 4
    room = area.w - side - 28
    bubbles: list[tuple[int, list[str]]] = []
    space = area.h - 8
    for said in reversed(meeting.transcript):
        name = scene.actors[said.seat].name if said.seat >= 0 else "?"
        words = wrap(f"{name}: {said.text}", size, room, 6)
        need = len(words) * high + 8
        if need > space:
            break
        space -= need
        bubbles.append((said.seat, words))
    y = area.y + 4
    for seat, words in reversed(bubbles):
        if seat >= 0:
            yield Token(Rect(area.x + 6, y, side, side), seat, scene.actors[seat].letter, PANEL)
        box = Rect(area.x + side + 12, y, max(width(w, size) for w in words) + 10, len(words) * high + 4)
        yield Box(box, BUBBLE, BUBBLE, PANEL, 6)
        for k, text in enumerate(words):
            yield line(text, size, box.x + 5, y + 2 + k * high, INK, BUBBLE, room)
        y += box.h + 4
