"""Text on pictures: one bundled font, measured, shortened and broken to fit; characters that it lacks replaced."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib import resources

import numpy as np
import pygame.font
from numpy.typing import NDArray

MISSING = "\uffff"
ELLIPSIS = "…"
FINE = 4
LEAST_TEXT = 6
"""The smallest size that anything is written in."""
UNSEEN = ("Mn", "Mc", "Me", "Cf", "Cc")
"""Categories of characters that are left out: marks on others, and what has no shape."""


@lru_cache(maxsize=128)
def font(size: int) -> pygame.font.Font:
    """pygame's own font (the same file on every machine) at `size` pixels a letter M."""
    if not pygame.font.get_init():
        pygame.font.init()
    return pygame.font.Font(str(resources.files("pygame") / pygame.font.get_default_font()), size)


def line_height(size: int) -> int:
    """Pixels from one line to the next."""
    return round(1.38 * size)


@lru_cache(maxsize=16_384)
def width(text: str, size: int) -> int:
    """Pixels that the text is wide."""
    return -(-font(size * FINE).size(text)[0] // FINE) if text else 0


# --- characters ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def has_glyph(character: str) -> bool:
    """Whether the font can draw the character by itself (marks that stack on others count as missing)."""
    if unicodedata.category(character)[0] in "MC":
        return False
    large = font(200)
    return large.metrics(character) != large.metrics(MISSING)


@lru_cache(maxsize=8192)
def legible(text: str) -> str:
    """The text in one line, in characters that the font has: accents are given up before letters; "?" for the rest."""
    flat = " ".join(unicodedata.normalize("NFC", text).split())
    return "".join(_drawable(c) for c in flat if unicodedata.category(c) not in UNSEEN)


SPELT = {"→": "->", "⟶": "->", "➔": "->", "➜": "->", "⇒": "=>", "←": "<-", "⟵": "<-", "↔": "<->"}
"""Signs of routes that the font may lack."""


def _drawable(character: str) -> str:
    if has_glyph(character):
        return character
    if character in SPELT:
        return SPELT[character]
    plain = "".join(c for c in unicodedata.normalize("NFKD", character) if unicodedata.category(c)[0] != "M")
    return plain if plain and all(has_glyph(c) for c in plain) else "?"


@lru_cache(maxsize=8192)
def shown_name(name: str, seat: int) -> str:
    """The name as drawn: with the number of the seat where characters had to be replaced ("player #3", "J?n #3")."""
    text = legible(name)
    if "?" not in text or "?" in name:
        return text
    return f"{text} #{seat}" if text.strip("? ") else f"player #{seat}"


@lru_cache(maxsize=8192)
def initial(name: str, seat: int) -> str:
    """One character for a small figure: the first letter of the name, or the last digit of the seat."""
    first = legible(name)[:1].upper()[:1]
    return first if first.isalnum() and has_glyph(first) else str(seat)[-1]


# --- fitting ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16_384)
def fit(text: str, size: int, room: int) -> str:
    """The text, or as much of its beginning as is at most `room` pixels wide with "…" behind; "" when nothing fits."""
    if width(text, size) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width(text[:middle].rstrip() + ELLIPSIS, size) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + ELLIPSIS if low else ""


@lru_cache(maxsize=16_384)
def fit_middle(text: str, size: int, room: int) -> str:
    """As `fit`, but beginning and end stay: names that differ at the end ("deck_11", "deck_12") stay apart."""
    if width(text, size) <= room:
        return text
    for kept in range(len(text) - 1, 1, -1):
        short = text[: (kept + 1) // 2] + ELLIPSIS + text[len(text) - kept // 2 :]
        if width(short, size) <= room:
            return short
    return ""


@lru_cache(maxsize=16_384)
def largest_fit(words: str, size: int, room: int) -> int:
    """The text size, at most `size`, with which the words are at most `room` pixels wide, or LEAST_TEXT."""
    while size > LEAST_TEXT and width(words, size) > room:
        size -= 1
    return size


def wrap(text: str, size: int, room: int, lines: int) -> list[str]:
    """The text in at most `lines` lines of `room` pixels, broken at spaces, shortened where it is longer."""
    out: list[str] = []
    rest = text
    while rest and len(out) < lines - 1 and width(rest, size) > room:
        words = rest.split(" ")
        count = 1
        while count < len(words) and width(" ".join(words[: count + 1]), size) <= room:
            count += 1
        line = " ".join(words[:count])
        if width(line, size) > room:  # one word that is longer than the line
            cut = max(1, len(fit(line, size, room)) - 1)
            out.append(line[:cut])
            rest = rest[cut:]
        else:
            out.append(line)
            rest = " ".join(words[count:])
    return [*out, fit(rest, size, room)] if rest else out


@lru_cache(maxsize=8192)
def break_name(name: str, size: int, room: int, lines: int, hyphens: bool = True) -> tuple[str, ...] | None:
    """A room's name in at most `lines` lines of `room` pixels, broken after "_", else with a hyphen if that is allowed.

    None when it does not fit.
    """
    out: list[str] = []
    rest = name
    while width(rest, size) > room:
        head = _head(rest, size, room, hyphens)
        if not head or len(out) == lines - 1:
            return None
        out.append(head)
        rest = rest[len(head.removesuffix("-")) :]
    return (*out, rest)


def _head(name: str, size: int, room: int, hyphens: bool) -> str:
    """What of a name too long for the line goes on it; "" when nothing may."""
    fits = [k for k in range(1, len(name)) if width(name[:k], size) <= room]
    after_dash = name.rfind("_", 1, max(fits, default=0)) + 1
    if after_dash or not hyphens:
        return name[:after_dash]
    if fits and name[fits[-1]] == "_":
        return name[: fits[-1]]
    fits = [k for k in range(3, len(name) - 2) if width(name[:k] + "-", size) <= room and name[k] != "_"]
    return name[: max(fits)] + "-" if fits else ""


# --- pixels ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def coverage(text: str, size: int) -> NDArray[np.uint8]:
    """How much of each pixel the text covers, 0 to 255 in steps of 17: uint8 (line_height, width).

    Letters are drawn FINE times as large and averaged: small text keeps its spacing, which hinting would spoil.
    """
    face = font(size * FINE)
    drawn = face.render(text, True, (255, 255, 255), (0, 0, 0))  # eight bits a pixel, which are the coverage
    wide, high = drawn.get_size()
    rise = max((metric[3] for metric in face.metrics(text) if metric), default=0)  # of the tallest letter
    top = max(0, round(1.06 * size * FINE) - max(face.get_ascent(), rise))
    rows, columns = line_height(size), max(width(text, size), 1)
    large = np.zeros((rows * FINE, columns * FINE), np.uint8)
    pixels = np.frombuffer(drawn.get_buffer().raw, np.uint8)[: high * drawn.get_pitch()].reshape(high, -1)
    kept = pixels[: rows * FINE - top, : min(wide, columns * FINE)]
    large[top : top + kept.shape[0], : kept.shape[1]] = kept
    total = large.reshape(rows, FINE, -1).sum(1, dtype=np.uint16).reshape(rows, columns, FINE).sum(2, dtype=np.uint16)
    sixteenths = (total * np.uint32(15) + 2040) // 4080  # few shades: nothing is lost to the eye, and PNGs are smaller
    shades: NDArray[np.uint8] = (sixteenths * 17).astype(np.uint8)
    return shades
