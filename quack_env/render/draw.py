"""Painting items on arrays: each kind of thing is drawn here, once.

Everything lies on a known flat colour, so figures, symbols and texts are made as opaque pictures, smoothed by integer
arithmetic, kept, and copied: the same pixels on every machine. No display is initialised.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pygame
from numpy.typing import NDArray

from quack_env.render.items import ALIVE, BODY, DEAD, Box, Fill, Glyph, Item, Mark, Path, Point, Rect, Text, Token
from quack_env.render.text import coverage
from quack_env.render.theme import (
    BUTTON,
    DONE,
    DUCK,
    GLYPH,
    GLYPHS,
    GONE,
    INK,
    MUTED,
    PILL,
    SHAPES,
    STAIN,
    TODO,
    WHITE,
    YOU,
    Colour,
    Shape,
    blend,
    seat_colour,
)

Image: TypeAlias = NDArray[np.uint8]
FINE = 4
"""Figures are drawn so many times as large and averaged."""
SMALL_TOKEN = 15
"""Figures of fewer pixels have no initial."""


def blank(w: int, h: int, colour: Colour) -> Image:
    """An image of one colour, uint8 (h, w, 3)."""
    image = np.empty((h, w, 3), np.uint8)
    canvas(image).fill(colour)
    return image


def canvas(image: Image) -> pygame.Surface:
    """A surface that draws into the image's own memory."""
    memory: Any = image
    return pygame.image.frombuffer(memory, (image.shape[1], image.shape[0]), "RGB")


def paint(image: Image, items: Iterable[Item]) -> Image:
    """Draw the items, in their order, into the image; returns it."""
    surface = canvas(image)
    for item in items:
        PAINTERS[type(item)](surface, item)
    return image


def fill(image: Image, things: Iterable[Fill | Glyph]) -> Image:
    """Fill rectangles and stamp glyphs, in their order; returns the image."""
    surface = canvas(image)
    for thing in things:
        if isinstance(thing, Glyph):
            surface.blit(glyph_picture(thing.seat, thing.back, thing.cell), (thing.x, thing.y))
        else:
            surface.fill(*thing)
    return image


@lru_cache(maxsize=1024)
def glyph_picture(seat: int, back: Colour, cell: int) -> pygame.Surface:
    """A seat's glyph in cells of `cell` pixels, on a colour."""
    picture = canvas(blank(GLYPH * cell, GLYPH * cell, back))
    for x, y in GLYPHS[seat]:
        picture.fill(seat_colour(seat), (x * cell, y * cell, cell, cell))
    return picture


def draw_lines(image: Image, lines: Iterable[tuple[Colour, Point, Point, int]]) -> Image:
    """Draw straight lines (colour, end, end, pixels wide) with hard edges; returns the image."""
    surface = canvas(image)
    for colour, start, end, wide in lines:
        pygame.draw.line(surface, colour, start, end, wide)
    return image


# --- pictures of single things ---------------------------------------------------------------------------------------


def smooth(w: int, h: int, back: Colour, draw: Callable[[pygame.Surface], None]) -> pygame.Surface:
    """A picture whose edges are smooth; `draw` gets a surface FINE times as large."""
    large = blank(w * FINE, h * FINE, back)
    draw(canvas(large))
    return canvas(averaged(large, FINE))


def averaged(large: Image, fine: int) -> Image:
    """Blocks of fine x fine pixels as one pixel each, rounded."""
    h, w = large.shape[0] // fine, large.shape[1] // fine
    rows = large.reshape(h, fine, w * fine, 3).sum(1, dtype=np.uint16)
    total = rows.reshape(h, w, fine, 3).sum(2, dtype=np.uint16)
    mean: Image = ((total + fine * fine // 2) // (fine * fine)).astype(np.uint8)
    return mean


@lru_cache(maxsize=128)
def _shades(ink: Colour, back: Colour) -> Image:
    """The colours between background and ink, by coverage, (256, 3)."""
    part = np.arange(256)[:, None]
    mixed = (np.array(back) * (255 - part) + np.array(ink) * part + 127) // 255
    return mixed.astype(np.uint8)


@lru_cache(maxsize=1024)
def text_picture(text: str, size: int, ink: Colour, back: Colour) -> pygame.Surface:
    """A line of text on its background."""
    return canvas(_shades(ink, back)[coverage(text, size)])


@lru_cache(maxsize=1024)
def token_picture(seat: int, letter: str, side: int, back: Colour, state: int) -> pygame.Surface:
    """A player's figure: shape, colour and initial of the seat; a body lies crossed out on a stain."""
    colour = seat_colour(seat)
    if state != ALIVE:
        colour = blend(colour, (200, 200, 200), 0.45 if state == BODY else 0.75)
    picture = smooth(side, side, back, lambda surface: _draw_token(surface, seat, colour, state))
    if side >= SMALL_TOKEN and state == ALIVE:
        _write_initial(picture, letter, side, seat)
    return picture


def _draw_token(surface: pygame.Surface, seat: int, colour: Colour, state: int) -> None:
    side = surface.get_width()
    middle = side / 2
    shape = SHAPES[seat % len(SHAPES)]
    outline = max(FINE, side // 14)
    if state == BODY:
        pygame.draw.ellipse(surface, STAIN, (0, side * 0.3, side, side * 0.7))
    reach = middle * (0.98 if state == ALIVE else 0.8)
    _polygon(surface, shape, middle, reach, INK if state != DEAD else GONE)
    _polygon(surface, shape, middle, reach - 1.3 * outline, colour)
    small = side < SMALL_TOKEN * FINE
    if state == ALIVE and not small:
        pygame.draw.circle(surface, INK if seat >= len(SHAPES) else WHITE, (middle, middle), side * 0.27)
    elif seat >= len(SHAPES):
        _polygon(surface, shape, middle, reach * 0.45, WHITE)
    if state != ALIVE:
        width_ = max(FINE, round(side * (0.13 if state == BODY else 0.08)))
        colour = (150, 0, 20) if state == BODY else MUTED
        for a, b in (((0.04, 0.04), (0.96, 0.96)), ((0.96, 0.04), (0.04, 0.96))):
            _bar(surface, colour, (a[0] * side, a[1] * side), (b[0] * side, b[1] * side), width_)


def _write_initial(picture: pygame.Surface, letter: str, side: int, seat: int) -> None:
    """The initial, in the middle of the figure's disc."""
    ink, back = (WHITE, INK) if seat >= len(SHAPES) else (INK, WHITE)
    size = max(8, round(side * 0.44))
    part = coverage(letter, size)
    rows, columns = np.nonzero(part)
    if not len(rows):
        return
    top, left = int(rows.min()), int(columns.min())
    w, h = int(columns.max()) + 1 - left, int(rows.max()) + 1 - top
    area = pygame.Rect(left, top, w, h)
    picture.blit(text_picture(letter, size, ink, back), ((side - w) // 2, (side - h) // 2), area)


def _polygon(surface: pygame.Surface, shape: Shape, middle: float, reach: float, colour: Colour) -> None:
    pygame.draw.polygon(surface, colour, [(middle + x * reach, middle + y * reach) for x, y in shape])


def _bar(surface: pygame.Surface, colour: Colour, a: tuple[float, float], b: tuple[float, float], thick: float) -> None:
    """A straight line with square ends, as a polygon (whose pixels do not depend on the direction)."""
    length = math.dist(a, b) or 1.0
    dx, dy = (b[0] - a[0]) / length * thick / 2, (b[1] - a[1]) / length * thick / 2
    corners = [(a[0] - dy, a[1] + dx), (b[0] - dy, b[1] + dx), (b[0] + dy, b[1] - dx), (a[0] + dy, a[1] - dx)]
    pygame.draw.polygon(surface, colour, corners)


# --- symbols ---------------------------------------------------------------------------------------------------------


def _todo(surface: pygame.Surface, side: int) -> None:
    """An amber square with an exclamation mark."""
    pygame.draw.rect(surface, INK, (0, 0, side, side), border_radius=side // 6)
    pygame.draw.rect(
        surface, TODO, (side // 12, side // 12, side - side // 6, side - side // 6), border_radius=side // 8
    )
    pygame.draw.rect(surface, INK, (side * 0.42, side * 0.17, side * 0.17, side * 0.40))
    pygame.draw.rect(surface, INK, (side * 0.42, side * 0.67, side * 0.17, side * 0.17))


def _done(surface: pygame.Surface, side: int) -> None:
    """A teal disc with a white tick."""
    pygame.draw.circle(surface, DONE, (side / 2, side / 2), side / 2)
    for a, b in (((0.22, 0.52), (0.44, 0.74)), ((0.38, 0.74), (0.80, 0.30))):
        _bar(surface, WHITE, (a[0] * side, a[1] * side), (b[0] * side, b[1] * side), side * 0.15)


def _button(surface: pygame.Surface, side: int) -> None:
    """A red knob on a dark plate."""
    pygame.draw.rect(surface, INK, (0, 0, side, side), border_radius=side // 5)
    pygame.draw.circle(surface, WHITE, (side / 2, side / 2), side * 0.40)
    pygame.draw.circle(surface, BUTTON, (side / 2, side / 2), side * 0.32)


def _duck(surface: pygame.Surface, side: int) -> None:
    """A duck's head."""
    pygame.draw.circle(surface, DUCK, (side * 0.42, side * 0.46), side * 0.40)
    corners = ((0.62, 0.42), (1.0, 0.52), (0.62, 0.72))
    pygame.draw.polygon(surface, TODO, [(x * side, y * side) for x, y in corners])
    pygame.draw.circle(surface, WHITE, (side * 0.50, side * 0.34), side * 0.10)


def _you(surface: pygame.Surface, side: int) -> None:
    """A drop that points down, as maps have it."""
    pygame.draw.circle(surface, YOU, (side / 2, side * 0.36), side * 0.36)
    corners = ((0.17, 0.50), (0.83, 0.50), (0.5, 1.0))
    pygame.draw.polygon(surface, YOU, [(x * side, y * side) for x, y in corners])
    pygame.draw.circle(surface, WHITE, (side / 2, side * 0.36), side * 0.15)


def _arrow(degrees: int) -> Callable[[pygame.Surface, int], None]:
    """An arrow that points `degrees` clockwise from right."""
    corners = ((0.95, 0.0), (0.1, -0.8), (0.1, -0.28), (-0.95, -0.28), (-0.95, 0.28), (0.1, 0.28), (0.1, 0.8))
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turned = tuple((x * c - y * s, x * s + y * c) for x, y in corners)

    def draw(surface: pygame.Surface, side: int) -> None:
        _polygon(surface, turned, side / 2, side / 2, PILL)

    return draw


def _speech(surface: pygame.Surface, side: int) -> None:
    """A speech bubble."""
    pygame.draw.rect(surface, PILL, (0, side * 0.08, side, side * 0.62), border_radius=side // 5)
    corners = ((0.18, 0.65), (0.52, 0.65), (0.18, 0.98))
    pygame.draw.polygon(surface, PILL, [(x * side, y * side) for x, y in corners])


ARROWS = ("e", "se", "s", "sw", "w", "nw", "n", "ne")
MARKS: dict[str, Callable[[pygame.Surface, int], None]] = {
    "todo": _todo,
    "done": _done,
    "button": _button,
    "duck": _duck,
    "you": _you,
    "speech": _speech,
    **{name: _arrow(45 * step) for step, name in enumerate(ARROWS)},
}


@lru_cache(maxsize=512)
def mark_picture(kind: str, side: int, back: Colour) -> pygame.Surface:
    """A symbol on its background."""
    return smooth(side, side, back, lambda surface: MARKS[kind](surface, surface.get_width()))


# --- the same without a background, for what moves over other things --------------------------------------------------


def _clear(on: Callable[[Colour], pygame.Surface]) -> pygame.Surface:
    """A picture with transparency, from what it looks like on black and on white."""
    dark, light = (_pixels(on(back)) for back in ((0, 0, 0), (255, 255, 255)))
    alpha = np.clip(255 - (light[:, :, 1].astype(np.int32) - dark[:, :, 1]), 0, 255)
    colour = np.minimum(dark.astype(np.int32) * 255 // np.maximum(alpha, 1)[:, :, None], 255)
    memory: Any = np.ascontiguousarray(np.dstack([colour, alpha]).astype(np.uint8))
    return pygame.image.frombuffer(memory, (alpha.shape[1], alpha.shape[0]), "RGBA")


def _pixels(surface: pygame.Surface) -> Image:
    w, h = surface.get_size()
    return np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8).reshape(h, w, 3)


@lru_cache(maxsize=1024)
def clear_token(seat: int, letter: str, side: int, state: int) -> pygame.Surface:
    """A player's figure without a background."""
    return _clear(lambda back: token_picture(seat, letter, side, back, state))


@lru_cache(maxsize=256)
def clear_mark(kind: str, side: int) -> pygame.Surface:
    """A symbol without a background."""
    return _clear(lambda back: mark_picture(kind, side, back))


# --- items -----------------------------------------------------------------------------------------------------------


def _paint_text(surface: pygame.Surface, item: Text) -> None:
    if item.text:
        surface.blit(text_picture(item.text, item.size, item.ink, item.back), item.rect[:2])


def _paint_token(surface: pygame.Surface, item: Token) -> None:
    surface.blit(token_picture(item.seat, item.letter, item.rect.w, item.back, item.state), item.rect[:2])


def _paint_mark(surface: pygame.Surface, item: Mark) -> None:
    surface.blit(mark_picture(item.kind, item.rect.w, item.back), item.rect[:2])


@lru_cache(maxsize=256)
def _corners(radius: int, fill: Colour, edge: Colour, back: Colour, thick: int) -> pygame.Surface:
    """A rounded box of twice the radius: its quarters are the corners of larger ones."""

    def draw(surface: pygame.Surface) -> None:
        side, line = surface.get_width(), thick * FINE
        pygame.draw.circle(surface, edge, (side / 2, side / 2), side / 2)
        pygame.draw.circle(surface, fill, (side / 2, side / 2), side / 2 - line)

    return smooth(2 * radius, 2 * radius, back, draw)


def _paint_box(surface: pygame.Surface, item: Box) -> None:
    x, y, w, h = item.rect
    if item.back is None:
        _smooth_over(surface, item.rect, lambda large, _x, _y: _round_box(large, item))
        return
    radius = min(item.radius, w // 2, h // 2)
    surface.fill(item.edge, item.rect)
    surface.fill(item.fill, item.rect.grow(-item.line))
    if radius > 1:
        round_box = _corners(radius, item.fill, item.edge, item.back, item.line)
        for left, top in ((0, 0), (1, 0), (0, 1), (1, 1)):
            part = pygame.Rect(left * radius, top * radius, radius, radius)
            surface.blit(round_box, (x + left * (w - radius), y + top * (h - radius)), part)


def _paint_path(surface: pygame.Surface, item: Path) -> None:
    """Segments with round joints, smoothed on whatever they cross."""
    pad = item.line + 1
    xs, ys = [p[0] for p in item.points], [p[1] for p in item.points]
    area = Rect(min(xs) - pad, min(ys) - pad, max(xs) - min(xs) + 2 * pad, max(ys) - min(ys) + 2 * pad)
    _smooth_over(surface, area, lambda large, x, y: _segments(large, x, y, item))


def _smooth_over(surface: pygame.Surface, area: Rect, draw: Callable[[pygame.Surface, int, int], None]) -> None:
    """Draw over what is there, with smooth edges; `draw` gets a surface FINE times as large and its corner (x, y)."""
    part = surface.get_rect().clip(pygame.Rect(area))
    under = np.empty((part.h, part.w, 3), np.uint8)
    canvas(under).blit(surface, (0, 0), part)
    large = under.repeat(FINE, 0).repeat(FINE, 1)
    draw(canvas(large), part.x, part.y)
    surface.blit(canvas(averaged(large, FINE)), part.topleft)


def _round_box(large: pygame.Surface, item: Box) -> None:
    """A box that fills a surface FINE times as large."""
    w, h = large.get_size()
    radius, thick = item.radius * FINE, item.line * FINE
    pygame.draw.rect(large, item.edge, (0, 0, w, h), border_radius=radius)
    inner = (thick, thick, w - 2 * thick, h - 2 * thick)
    pygame.draw.rect(large, item.fill, inner, border_radius=max(0, radius - thick))


def _segments(surface: pygame.Surface, left: int, top: int, item: Path) -> None:
    thick = item.line * FINE
    points: list[Point] = [((x - left) * FINE, (y - top) * FINE) for x, y in item.points]
    for a, b in pairwise(points):
        _bar(surface, item.colour, a, b, thick)
    for point in points:
        pygame.draw.circle(surface, item.colour, point, thick / 2)


PAINTERS: dict[type, Callable[..., None]] = {
    Box: _paint_box,
    Text: _paint_text,
    Token: _paint_token,
    Mark: _paint_mark,
    Path: _paint_path,
}
