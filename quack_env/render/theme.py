"""Colours, symbols and shapes: what each thing looks like, in one place.

The colours of players are those of Okabe and Ito and of Paul Tol, chosen for colour-blind readers; every player is
also told apart by the shape of its figure and by its initial, every state by its symbol.
"""

from __future__ import annotations

from typing import TypeAlias

Colour: TypeAlias = tuple[int, int, int]
Shape: TypeAlias = tuple[tuple[float, float], ...]

# --- pictures with text ----------------------------------------------------------------------------------------------

PAGE: Colour = (233, 236, 241)
PANEL: Colour = (255, 255, 255)
FLOOR: Colour = (250, 248, 240)
WALL: Colour = (64, 72, 88)
INK: Colour = (20, 24, 32)
MUTED: Colour = (92, 100, 114)
EDGE: Colour = (176, 184, 196)
WAY: Colour = (150, 158, 172)
PILL: Colour = (64, 72, 88)
PILL_INK: Colour = (255, 255, 255)
YOU: Colour = (0, 90, 200)
YOU_FLOOR: Colour = (208, 228, 255)
TODO: Colour = (240, 160, 0)
DONE: Colour = (0, 120, 110)
BUTTON: Colour = (200, 30, 45)
DUCK: Colour = (160, 20, 90)
STAIN: Colour = (250, 205, 200)
GONE: Colour = (120, 126, 136)
ALARM: Colour = (120, 20, 35)
CALM: Colour = (40, 52, 76)
BUBBLE: Colour = (226, 240, 228)
WHITE: Colour = (255, 255, 255)

SEATS: tuple[Colour, ...] = (
    (0, 114, 178),  # blue
    (230, 159, 0),  # orange
    (0, 158, 115),  # green
    (204, 121, 167),  # pink
    (240, 228, 66),  # yellow
    (213, 94, 0),  # vermilion
    (86, 180, 233),  # sky
    (154, 160, 166),  # grey
    (140, 130, 255),  # violet
    (170, 170, 50),  # olive
    (60, 190, 180),  # teal
    (225, 60, 140),  # magenta
    (230, 205, 150),  # sand
    (130, 210, 60),  # lime
    (250, 140, 130),  # salmon
    (170, 110, 60),  # brown
)
"""By seat."""

# --- figures ---------------------------------------------------------------------------------------------------------

_ROUND: Shape = tuple(
    (x, y)
    for x, y in (
        (0.0, -1.0), (0.195, -0.981), (0.383, -0.924), (0.556, -0.831), (0.707, -0.707), (0.831, -0.556),
        (0.924, -0.383), (0.981, -0.195), (1.0, 0.0), (0.981, 0.195), (0.924, 0.383), (0.831, 0.556),
        (0.707, 0.707), (0.556, 0.831), (0.383, 0.924), (0.195, 0.981), (0.0, 1.0), (-0.195, 0.981),
        (-0.383, 0.924), (-0.556, 0.831), (-0.707, 0.707), (-0.831, 0.556), (-0.924, 0.383), (-0.981, 0.195),
        (-1.0, 0.0), (-0.981, -0.195), (-0.924, -0.383), (-0.831, -0.556), (-0.707, -0.707), (-0.556, -0.831),
        (-0.383, -0.924), (-0.195, -0.981),
    )
)  # fmt: skip
SHAPES: tuple[Shape, ...] = (
    _ROUND,
    ((-0.86, -0.86), (0.86, -0.86), (0.86, 0.86), (-0.86, 0.86)),  # square
    ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)),  # diamond
    ((0.0, -1.0), (1.0, 0.86), (-1.0, 0.86)),  # triangle
    ((-1.0, -0.86), (1.0, -0.86), (0.0, 1.0)),  # triangle on its tip
    (
        *((-0.42, -1.0), (0.42, -1.0), (0.42, -0.42), (1.0, -0.42), (1.0, 0.42), (0.42, 0.42)),
        *((0.42, 1.0), (-0.42, 1.0), (-0.42, 0.42), (-1.0, 0.42), (-1.0, -0.42), (-0.42, -0.42)),
    ),  # plus
    (
        *((-1.0, -0.5), (-0.5, -1.0), (0.0, -0.5), (0.5, -1.0), (1.0, -0.5), (0.5, 0.0)),
        *((1.0, 0.5), (0.5, 1.0), (0.0, 0.5), (-0.5, 1.0), (-1.0, 0.5), (-0.5, 0.0)),
    ),  # cross
    (
        *((-0.95, -0.95), (0.95, -0.95), (0.95, -0.45), (0.5, -0.45), (0.5, 0.45), (0.95, 0.45)),
        *((0.95, 0.95), (-0.95, 0.95), (-0.95, 0.45), (-0.5, 0.45), (-0.5, -0.45), (-0.95, -0.45)),
    ),  # beam
)
"""Corners within [-1, 1]; seat s has shape s mod 8, from seat 8 on it is drawn hollow."""

_GLYPHS = """
..###.. ....... ...#... ...#... ####### ..###.. ##...## #######
.#####. .#####. ..###.. ...#... ####### ..###.. ###.### #######
##...## .#####. .#####. ..###.. .#####. ####### .#####. ..###..
##...## .#####. ####### ..###.. .#####. ####### ..###.. ..###..
##...## .#####. .#####. .#####. ..###.. ####### .#####. ..###..
.#####. .#####. ..###.. .#####. ...#... ..###.. ###.### #######
..###.. ....... ...#... ####### ...#... ..###.. ##...## #######

..###.. ####### ...#... ....... #.....# ...#... #.....# #######
.#...#. #.....# ..#.#.. ...#... #.....# ...#... .#...#. ...#...
#.....# #.....# .#...#. ..#.#.. .#...#. ...#... ..#.#.. ...#...
#.....# #.....# #.....# ..#.#.. .#...#. ####### ...#... ...#...
#.....# #.....# .#...#. .#...#. ..#.#.. ...#... ..#.#.. ...#...
.#...#. #.....# ..#.#.. .#...#. ...#... ...#... .#...#. ...#...
..###.. ####### ...#... ####### ....... ...#... #.....# #######
"""


def _read_glyphs() -> tuple[tuple[tuple[int, int], ...], ...]:
    blocks = [[row.split() for row in block.splitlines()] for block in _GLYPHS.strip().split("\n\n")]
    return tuple(
        tuple((x, y) for y, row in enumerate(block) for x, mark in enumerate(row[column]) if mark == "#")
        for block in blocks
        for column in range(8)
    )


GLYPH = 7
GLYPHS = _read_glyphs()
"""The same shapes in 7 x 7 cells, for pictures without text: the cells (x, y) that are filled, by seat."""

# --- pictures without text: flat colours, each with one meaning -------------------------------------------------------

NIGHT: Colour = (16, 18, 24)
CELL: Colour = (40, 44, 54)
ROOM: Colour = (92, 98, 112)
BUTTON_ROOM: Colour = (220, 50, 60)
TODO_ROOM: Colour = (255, 176, 0)
DONE_ROOM: Colour = (0, 114, 178)
ME: Colour = (255, 255, 255)
GOAL: Colour = (190, 120, 255)
BODY_CELL: Colour = (120, 0, 20)
DEAD_CELL: Colour = (70, 70, 70)
TURN_CELL: Colour = (0, 70, 60)
KNOWN_DUCK: Colour = (255, 64, 160)
KNOWN_GOOSE: Colour = (64, 255, 160)
TOGETHER: Colour = (255, 255, 140)
BY_BUTTON: Colour = (220, 50, 60)
BY_BODY: Colour = (255, 140, 30)
ROW: Colour = (40, 44, 54)
ROW_CUT: Colour = (90, 50, 30)
FROM: Colour = (86, 180, 233)
TO: Colour = (240, 228, 66)
AGE: Colour = (150, 156, 168)
ONE_BIT: Colour = (200, 205, 215)
PHASES: tuple[Colour, ...] = ((0, 158, 115), (230, 159, 0), (204, 121, 167), (154, 160, 166))
EXTRAS: tuple[Colour, ...] = (
    *((255, 255, 255), (230, 159, 0), (86, 180, 233), (0, 158, 115)),
    *((240, 228, 66), (0, 114, 178), (213, 94, 0), (204, 121, 167)),
)
"""Of an event's further detail: the form of a statement, the reason of a meeting, a role, why nobody was ejected."""


def way_colour(ticks: int) -> Colour:
    """Of a corridor in pictures without text: the brighter, the quicker; another one for every weight from 1 to 60."""
    steps = ((225, 230, 235), (160, 170, 190), (110, 120, 165), (80, 84, 140))
    return steps[ticks - 1] if ticks <= len(steps) else (60, 50, 60 + 2 * ticks)


def seat_colour(seat: int) -> Colour:
    """Of a player's figure."""
    return SEATS[seat % len(SEATS)]


def blend(a: Colour, b: Colour, part: float) -> Colour:
    """`part` of the way from colour a to colour b."""
    r, g, bl = (round(x + (y - x) * part) for x, y in zip(a, b, strict=True))
    return r, g, bl
