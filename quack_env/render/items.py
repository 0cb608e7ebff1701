"""What a picture consists of: rectangles with something in them, which layouts make and `draw` paints."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from quack_env.render.text import fit, fit_middle, line_height, width
from quack_env.render.theme import Colour

Point: TypeAlias = tuple[int, int]


class Rect(NamedTuple):
    """Pixels x..x+w-1, y..y+h-1."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        """First column behind it."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """First row below it."""
        return self.y + self.h

    @property
    def centre(self) -> Point:
        """Its middle."""
        return self.x + self.w // 2, self.y + self.h // 2

    def overlaps(self, other: Rect) -> bool:
        """Whether the two share a pixel."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def inside(self, other: Rect) -> bool:
        """Whether it has no pixel outside `other`."""
        return self.x >= other.x and self.y >= other.y and self.right <= other.right and self.bottom <= other.bottom

    def grow(self, by: int) -> Rect:
        """Larger by so many pixels on every side."""
        return Rect(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)


def around(centre: Point, w: int, h: int) -> Rect:
    """The rectangle of this size around a point."""
    return Rect(centre[0] - w // 2, centre[1] - h // 2, w, h)


class Box(NamedTuple):
    """A panel with rounded corners; `back` is the colour it lies on, None for whatever is there (slower)."""

    rect: Rect
    fill: Colour
    edge: Colour
    back: Colour | None
    radius: int = 0
    line: int = 1


class Text(NamedTuple):
    """One line of text; `back` is the colour it lies on."""

    rect: Rect
    text: str
    size: int
    ink: Colour
    back: Colour


ALIVE, BODY, DEAD = range(3)


class Token(NamedTuple):
    """The figure of a player, in a square; `state` is ALIVE, BODY or DEAD (known to be dead, not here)."""

    rect: Rect
    seat: int
    letter: str
    back: Colour
    state: int = ALIVE


class Mark(NamedTuple):
    """A symbol, in a square: a name of `draw.MARKS`."""

    rect: Rect
    kind: str
    back: Colour


class Path(NamedTuple):
    """A line through points."""

    points: tuple[Point, ...]
    line: int
    colour: Colour


class Glyph(NamedTuple):
    """The glyph of a seat on pictures without text: its corner, the pixels of its cells, the colour it lies on."""

    seat: int
    back: Colour
    cell: int
    x: int
    y: int


Fill: TypeAlias = tuple[Colour, tuple[int, int, int, int]]
"""A rectangle (x, y, w, h) of one colour."""
Item: TypeAlias = Box | Text | Token | Mark | Path


def line(text: str, size: int, x: int, y: int, ink: Colour, back: Colour, room: int, keep_end: bool = False) -> Text:
    """A text that begins at (x, y), shortened to `room` pixels."""
    short = (fit_middle if keep_end else fit)(text, size, room)
    return Text(Rect(x, y, width(short, size), line_height(size)), short, size, ink, back)


def centred(text: str, size: int, area: Rect, ink: Colour, back: Colour, keep_end: bool = False) -> Text:
    """A text in the middle of an area, shortened to its width."""
    short = (fit_middle if keep_end else fit)(text, size, area.w)
    w, h = width(short, size), line_height(size)
    return Text(Rect(area.x + (area.w - w) // 2, area.y + (area.h - h) // 2, w, h), short, size, ink, back)
