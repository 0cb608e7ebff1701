"""The local view with text: what the viewer perceives now, and what it witnessed since its last decision.

In a room: those who are there, bodies, exits. On the way: the corridor and its own progress. In a meeting: who lives
and who is dead, the caller, the speaking order, the round. Every picture ends with what was witnessed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quack_env.config import GameConfig
from quack_env.game_map import GameMap
from quack_env.render.draw import ARROWS
from quack_env.render.global_map import text_size
from quack_env.render.items import ALIVE, BODY, DEAD, Box, Item, Mark, Rect, Token, around, centred, line
from quack_env.render.layout import Cell, plan_people
from quack_env.render.text import ELLIPSIS, LEAST_TEXT, fit, fit_middle, largest_fit, legible, line_height, width, wrap
from quack_env.render.theme import (
    ALARM,
    BUBBLE,
    BUTTON,
    CALM,
    DUCK,
    EDGE,
    FLOOR,
    INK,
    MUTED,
    PAGE,
    PANEL,
    WALL,
    WAY,
    WHITE,
    YOU,
    YOU_FLOOR,
    Colour,
)
from quack_env.render.words import SPOKEN, Told, tell
from quack_env.state import DISCUSSION, OVER, VOTING
from quack_env.view import View


class Public(NamedTuple):
    """What everybody knows, as pictures need it: names as drawn, by seat, and the order in which they are listed."""

    game_map: GameMap
    config: GameConfig
    names: tuple[str, ...]
    letters: tuple[str, ...]
    listing: tuple[int, ...]


class Frame(NamedTuple):
    """The parts of a local view, from top to bottom, and its text sizes."""

    size: int
    text: int
    note: int
    header: Rect
    upper: Rect
    middle: Rect
    lower: Rect
    feed: Rect


def frame_of(size: int, rows: int, upper: int = 0, lower: int = 0, share: float = 0.28) -> Frame:
    """The parts of a local view of `size` pixels.

    Args:
        size: of the picture.
        rows: lines of what was witnessed; where they are many, the lowest part is higher than `share` of the picture.
        upper: whether there is anything in the upper wall.
        lower: likewise.
        share: of the height, for what was witnessed.
    """
    text = text_size(size)
    note = max(LEAST_TEXT + 1, round(0.86 * text))
    header = line_height(round(1.2 * text)) + 4
    wall = line_height(text) + line_height(note) + 4
    top, bottom = wall if upper else 3, wall if lower else 3
    feed = min(max(round(share * size), feed_height(note, rows)), round(0.42 * size))
    middle = size - header - feed - top - bottom
    return Frame(
        size,
        text,
        note,
        Rect(0, 0, size, header),
        Rect(0, header, size, top),
        Rect(0, header + top, size, middle),
        Rect(0, header + top + middle, size, bottom),
        Rect(0, size - feed, size, feed),
    )


def feed_height(note: int, rows: int) -> int:
    """Pixels that so many lines need in two columns, with the title above them."""
    return (math.ceil(rows / 2) + 1) * (line_height(note) + 1) + 5


def local_items(public: Public, view: View, size: int) -> Iterator[Item]:
    """Everything on the local view of `size` pixels."""
    if not view.self_alive:
        frame = frame_of(size, 0)
        yield from header_items(frame, "dead", f"tick {view.tick}", CALM)
        yield centred(f"{public.names[view.me]}, you are dead", frame.text, frame.middle, INK, PAGE)
    elif view.phase in (DISCUSSION, VOTING):
        yield from meeting_items(public, view, size)
    elif view.room >= 0:
        yield from room_items(public, view, size)
    else:
        yield from transit_items(public, view, size)


def header_items(frame: Frame, title: str, note: str, back: Colour) -> Iterator[Item]:
    """The bar on top."""
    bar, big = frame.header, round(1.2 * frame.text)
    yield Box(bar, back, back, PAGE)
    right = width(note, frame.text)
    top = bar.y + (bar.h - line_height(frame.text)) // 2
    yield line(note, frame.text, bar.right - right - 6, top, WHITE, back, right)
    top = bar.y + (bar.h - line_height(big)) // 2
    yield line(title, big, 6, top, WHITE, back, bar.w - right - 18, keep_end=True)


# --- in a room -------------------------------------------------------------------------------------------------------


def room_items(public: Public, view: View, size: int) -> Iterator[Item]:
    """The room: walls with exits, people, bodies."""
    room, rows = public.game_map.rooms[view.room], told(public, view)
    exits = split_exits(public.game_map, room)
    frame = frame_of(size, len(rows), len(exits[0]), len(exits[1]))
    title = room if view.phase != OVER else f"{room} - game over"
    yield from header_items(frame, title, f"tick {view.tick}", CALM)
    thick = max(2, size // 160)
    yield Box(frame.middle.grow(-1), FLOOR, WALL, PAGE, 0, thick)
    for area, there in zip((frame.upper, frame.lower), exits, strict=True):
        yield from exit_items(public.game_map, room, there, area, frame)
    yield from people_items(public, view, frame, frame.middle.grow(-thick - 2))
    yield from feed_items(public, rows, frame)


def direction(game_map: GameMap, room: str, to: str) -> str:
    """Which of the eight ways, on the map, leads from a room towards another."""
    (x0, y0), (x1, y1) = game_map.positions[room], game_map.positions[to]
    return ARROWS[round(math.atan2(y1 - y0, x1 - x0) / (math.pi / 4)) % 8]


def split_exits(game_map: GameMap, room: str) -> tuple[list[str], list[str]]:
    """The neighbouring rooms that lie above and below on the map, each from left to right."""
    y0 = game_map.positions[room][1]
    near = sorted(game_map.neighbours(room), key=lambda to: (game_map.positions[to], to))
    upper = [to for to in near if game_map.positions[to][1] < y0]
    lower = [to for to in near if game_map.positions[to][1] > y0]
    for to in near:
        if game_map.positions[to][1] == y0:
            (upper if len(upper) <= len(lower) else lower).append(to)
    while abs(len(upper) - len(lower)) > max(2, len(near) // 2):
        longer, shorter = (upper, lower) if len(upper) > len(lower) else (lower, upper)
        shorter.append(longer.pop())
    return sorted(upper, key=near.index), sorted(lower, key=near.index)


def exit_items(game_map: GameMap, room: str, exits: Sequence[str], area: Rect, frame: Frame) -> Iterator[Item]:
    """The doors in one wall: an arrow, the room behind, the ticks of the way."""
    if not exits:
        return
    per_row = max(1, area.w // (9 * frame.text))
    rows = min(3, math.ceil(len(exits) / per_row))
    per_row = math.ceil(len(exits) / rows)
    for p, to in enumerate(exits):
        row, column = divmod(p, per_row)
        in_row = min(per_row, len(exits) - row * per_row)
        left = area.x + column * area.w // in_row
        right = area.x + (column + 1) * area.w // in_row
        top = area.y + row * area.h // rows
        tag = Rect(left + 2, top + 1, right - left - 4, area.h // rows - 2)
        yield from door_items(to, game_map.weight(room, to), direction(game_map, room, to), tag, frame)


def door_items(to: str, ticks: int, arrow: str, tag: Rect, frame: Frame) -> Iterator[Item]:
    """One door."""
    yield Box(tag, PANEL, WALL, PAGE, min(4, tag.h // 4))
    two_lines = tag.h >= line_height(frame.text) + line_height(frame.note)
    text = frame.text if two_lines else max(LEAST_TEXT, min(frame.text, int(tag.h / 1.38)))
    side = min(round(1.3 * text), tag.h - 4)
    if tag.w < 3 * side or side < LEAST_TEXT or tag.w < side + 9 + width(str(ticks), text):
        return
    yield Mark(Rect(tag.x + 3, tag.y + (tag.h - side) // 2, side, side), arrow, PANEL)
    space = Rect(tag.x + side + 6, tag.y + 1, tag.w - side - 9, tag.h - 2)
    words = f"{ticks} tick{'' if ticks == 1 else 's'}"
    if two_lines:
        name, note = space._replace(h=line_height(text)), space._replace(y=space.y + line_height(text))
        fitted = largest_fit(to, text, name.w)
        yield centred(to, fitted, name, INK, PANEL, keep_end=True)
        yield centred(words, frame.note, note._replace(h=line_height(frame.note)), MUTED, PANEL)
    else:
        words = str(ticks)
        right = width(words, text)
        yield line(words, text, space.right - right, space.y, MUTED, PANEL, right)
        yield line(to, text, space.x, space.y, INK, PANEL, space.w - right - 3, keep_end=True)


# --- people ----------------------------------------------------------------------------------------------------------


class Person(NamedTuple):
    """One figure: its state and what stands under its name."""

    seat: int
    state: int
    note: str
    ink: Colour
    highlighted: bool = False


def people_items(public: Public, view: View, frame: Frame, area: Rect) -> Iterator[Item]:
    """The viewer, those in its room and the bodies there, in the listing order of the game."""
    ducks = known_ducks(view)
    people = [Person(view.me, ALIVE, "you, Duck" if view.duck else "you, Goose", YOU, True)]
    for seat in public.listing:
        if view.here >> seat & 1:
            people.append(Person(seat, ALIVE, "fellow Duck" if ducks >> seat & 1 else "", DUCK))
    for seat in public.listing:
        if view.bodies >> seat & 1:
            people.append(Person(seat, BODY, "dead body", BUTTON))
    yield from cells_items(public, people, frame, area, FLOOR)


def known_ducks(view: View) -> int:
    """The seats that the viewer knows to be Ducks."""
    return view.partners | view.revealed_ducks | (1 << view.me if view.duck else 0)


def cells_items(public: Public, people: Sequence[Person], frame: Frame, area: Rect, back: Colour) -> Iterator[Item]:
    """Figures with their names and notes."""
    cells = plan_people(len(people), area, frame.text, frame.note)
    for person, cell in zip(people, cells, strict=True):
        yield from person_items(public, person, cell, frame, back)


def person_items(public: Public, person: Person, cell: Cell, frame: Frame, back: Colour) -> Iterator[Item]:
    """One figure with its name and note."""
    name = public.names[person.seat]
    size = largest_fit(name, frame.text, cell.name.w - 6)
    if person.highlighted:
        wide = min(cell.name.w, max(cell.figure.w, 11 * frame.text, width(name, size) + 6))
        whole = around(cell.figure.centre, wide, 0)._replace(y=cell.figure.y, h=cell.note.bottom - cell.figure.y)
        yield Box(whole.grow(1), YOU_FLOOR, YOU, back, min(6, whole.h // 6))
        back = YOU_FLOOR
    yield Token(cell.figure, person.seat, public.letters[person.seat], back, person.state)
    yield centred(name, size, cell.name, INK, back)
    if person.note:
        yield centred(person.note, largest_fit(person.note, frame.note, cell.note.w), cell.note, person.ink, back)


# --- on the way ------------------------------------------------------------------------------------------------------


def transit_items(public: Public, view: View, size: int) -> Iterator[Item]:
    """The corridor from end to end, a mark per tick, and the viewer where it is."""
    seen = told(public, view)
    frame = frame_of(size, len(seen))
    rooms = public.game_map.rooms
    origin, dest = rooms[view.origin], rooms[view.dest]
    ticks = public.game_map.weight(origin, dest)
    yield from header_items(frame, f"on the way to {dest}", f"tick {view.tick}", CALM)
    floor = frame.middle
    end = size // 4
    band = Rect(end, floor.y + floor.h // 2 - size // 20, size - 2 * end, size // 10)
    left, right = Rect(4, band.y - band.h, end - 4, 3 * band.h), Rect(band.right, band.y - band.h, end - 4, 3 * band.h)
    yield Box(band, WAY, WALL, PAGE)
    side = band.h - 4
    done = ticks - view.left
    here = band.x + 2 + (band.w - side - 4) * done // ticks
    if view.left and band.w // ticks > 4:
        for t in range(1, ticks):
            yield Box(Rect(band.x + band.w * t // ticks, band.y, 2, band.h), PANEL, PANEL, WAY)
    yield Box(Rect(here, band.y + 2, side, side), WAY, WAY, WAY)
    yield Token(Rect(here, band.y + 2, side, side), view.me, public.letters[view.me], WAY)
    for area, name, words, edge in ((left, origin, "from", WALL), (right, dest, "to", YOU)):
        yield Box(area, FLOOR, edge, PAGE, 4, max(1, size // 200))
        upper = Rect(area.x + 4, area.y + 2 + size // 128, area.w - 8, line_height(frame.note))
        yield centred(words, frame.note, upper, MUTED, FLOOR)
        middle = around(area.centre, area.w - 8, line_height(frame.text))
        yield centred(name, largest_fit(name, frame.text, middle.w), middle, INK, FLOOR, keep_end=True)
    words = f"{done} of {ticks} tick{'' if ticks == 1 else 's'} done, {view.left} left"
    below = Rect(end, band.bottom + 4, band.w, line_height(frame.text))
    yield centred(words, largest_fit(words, frame.text, below.w), below, INK, PAGE)
    above = Rect(end, band.y - 4 - line_height(frame.text), band.w, line_height(frame.text))
    role = "Duck" if view.duck else "Goose"
    you = f"{public.names[view.me]} (you, {role})"
    yield centred(you, largest_fit(you, frame.text, above.w), above, YOU, PAGE)
    yield from feed_items(public, seen, frame)


# --- in a meeting ----------------------------------------------------------------------------------------------------


def meeting_items(public: Public, view: View, size: int) -> Iterator[Item]:
    """Who called it, the living in speaking order, the dead, and what was heard."""
    rows = told(public, view)
    frame = frame_of(size, len(rows), share=0.36)
    if view.phase == DISCUSSION:
        title = f"Meeting: discussion, round {view.round} of {public.config.discussion_rounds}"
    else:
        title = "Meeting: vote"
    yield from header_items(frame, title, f"tick {view.tick}", ALARM)
    strip = Rect(0, frame.header.bottom, size, line_height(frame.text) + 4)
    yield from caller_items(public, view, frame, strip)
    area = Rect(2, strip.bottom, size - 4, frame.feed.y - strip.bottom)
    yield from cells_items(public, meeting_people(view, public), frame, area, PAGE)
    yield from feed_items(public, rows, frame)


def caller_items(public: Public, view: View, frame: Frame, strip: Rect) -> Iterator[Item]:
    """Who called the meeting, how, and where the viewer was."""
    top = strip.y + 2
    side = line_height(frame.text) - 2
    yield Token(Rect(6, top + 1, side, side), view.caller, public.letters[view.caller], PAGE)
    words = f"called by {public.names[view.caller]}: {'a body was found' if view.by_body else 'button'}"
    where = f"you were in {public.game_map.rooms[view.room]}" if view.room >= 0 else ""
    room = strip.w - side - 20
    left = largest_fit(words, frame.text, round(room * 0.62))
    text = line(words, left, side + 10, top, INK, PAGE, round(room * 0.62))
    yield text
    rest = strip.right - 6 - text.rect.right - 8
    short = fit_middle(where, largest_fit(where, frame.text, rest), rest)
    size = largest_fit(where, frame.text, rest)
    yield line(short, size, strip.right - 6 - width(short, size), top, MUTED, PAGE, rest)


def meeting_people(view: View, public: Public) -> list[Person]:
    """The living in speaking order, then the dead; with what the viewer knows of each."""
    people = []
    for place, seat in enumerate(view.speaking):
        speaks, own = view.phase == DISCUSSION and place == view.speaker, seat == view.me
        notes = ["you"] if own else []
        notes += ["caller"] if seat == view.caller else []
        notes += ["Duck"] if known_ducks(view) >> seat & 1 else []
        notes += ["with you"] if view.here >> seat & 1 else []
        notes += ["speaks now"] if speaks else []
        people.append(Person(seat, ALIVE, f"{place + 1}. {', '.join(notes)}", YOU if own else MUTED, speaks))
    for seat in public.listing:
        if view.known_dead >> seat & 1:
            role = "Duck" if view.revealed_ducks >> seat & 1 else "Goose" if view.revealed_geese >> seat & 1 else ""
            body = view.bodies >> seat & 1
            note = "dead, body with you" if body else f"dead, {role}" if role else "dead"
            people.append(Person(seat, BODY if body else DEAD, note, BUTTON))
    return people


# --- what was witnessed ----------------------------------------------------------------------------------------------


def told(public: Public, view: View) -> list[Told]:
    """The witnessed events and the utterances heard, oldest first."""
    rooms = public.game_map.rooms
    spoken = [event for event in view.events if (event & 31) in SPOKEN]
    words = [legible(message.text) for message in view.messages]
    early = words[: max(0, len(words) - len(spoken))]
    out = [
        Told(m.tick, -1, f"{legible(m.speaker)}: {text}", speech=True)
        for m, text in zip(view.messages, early, strict=False)
    ]
    texts = iter([""] * (len(spoken) - len(words)) + words[len(early) :])
    for event in view.events:
        one = tell(public.names, rooms, event, next(texts) if (event & 31) in SPOKEN else "")
        if one:
            out.append(one)
    if view.dropped:
        out.insert(0, Told(-1, -1, "(earlier events are left out)"))
    return out


def feed_items(public: Public, rows: list[Told], frame: Frame) -> Iterator[Item]:
    """What the viewer witnessed since its last decision, the newest last."""
    area, size = frame.feed, frame.note
    high = line_height(size)
    yield Box(area, PANEL, EDGE, PAGE)
    yield line("Seen and heard since your last decision:", size, 6, area.y + 2, MUTED, PANEL, area.w - 12)
    space = Rect(4, area.y + 2 + high, area.w - 8, area.h - high - 4)
    if not rows:
        yield line("nothing", size, 12, space.y, INK, PANEL, space.w)
    else:
        yield from feed_rows(public, rows, space, size)


def feed_rows(public: Public, rows: list[Told], space: Rect, size: int) -> Iterator[Item]:
    """The rows in one column, or in two where they are many; speech takes what lines are left over."""
    per_column = max(1, space.h // (line_height(size) + 1))
    columns = 1 if len(rows) <= per_column else 2
    most = per_column * columns
    if len(rows) > most:
        rows = [Told(-1, -1, f"(and {len(rows) - most + 1} earlier)"), *rows[len(rows) - most + 1 :]]
    wide = space.w // columns
    stamps = max(width(f"t{row.tick}", size) for row in rows)
    spare = per_column - len(rows) if columns == 1 else 0
    y, x = space.y, space.x
    for p, row in enumerate(rows):
        if p == per_column:
            x, y = x + wide, space.y
        items, lines = row_items(public, row, Rect(x, y, wide - 4, line_height(size)), size, stamps, spare + 1)
        spare -= lines - 1
        y += lines * (line_height(size) + 1)
        yield from items


def with_short_names(words: str, names: Sequence[str], size: int, room: int) -> str:
    """The words, with the names in them cut as far as is needed: what was done is worth more than a whole name."""
    short = words
    for kept in (10, 7, 5, 3):
        if width(short, size) <= room:
            break
        short = words
        for name in sorted(names, key=len, reverse=True):
            if len(name) > kept + 1:
                short = short.replace(name, name[:kept] + ELLIPSIS)
    return short


def speech_of(public: Public, row: Told, size: int, room: int) -> str:
    """Speaker and words, a long name shortened."""
    if row.seat < 0:
        return row.words
    name = public.names[row.seat]
    return fit(name, size, room // 3) + row.words.removeprefix(name)


def row_items(public: Public, row: Told, place: Rect, size: int, stamps: int, lines: int) -> tuple[list[Item], int]:
    """One row: tick (`stamps` pixels), figure, words; returns the lines that it took."""
    stamp = f"t{row.tick}" if row.tick >= 0 else ""
    left = place.x + 2
    items: list[Item] = []
    if stamp:
        items.append(line(stamp, size, left, place.y, MUTED, PANEL, place.w))
        left += stamps + 4
    side = place.h - 2
    if row.seat >= 0:
        items.append(Token(Rect(left, place.y + 1, side, side), row.seat, public.letters[row.seat], PANEL))
    left += side + 4 if stamp else 0
    room = place.right - left
    if not row.speech:
        ink = BUTTON if row.grave else INK
        short = with_short_names(row.words, public.names, LEAST_TEXT, room)
        items.append(line(short, largest_fit(short, size, room), left, place.y, ink, PANEL, room))
        return items, 1
    words = wrap(speech_of(public, row, size, room), size, room - 8, min(lines, 4))
    bubble = Rect(left, place.y, max(width(w, size) for w in words) + 8, len(words) * (place.h + 1) - 1)
    items.append(Box(bubble, BUBBLE, BUBBLE, PANEL, place.h // 3))
    for k, words_ in enumerate(words):
        items.append(line(words_, size, left + 4, place.y + k * (place.h + 1), INK, BUBBLE, room - 8))
    return items, len(words)
