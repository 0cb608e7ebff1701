# ruff: noqa: RUF001  (the marks that people type are what this file is about)
"""An utterance as tokens: words, names of this game's players, rooms of its map, time phrases, arrows, punctuation.

Every character keeps its place, so that what is quoted from the utterance is verbatim.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from quack_eval.claims.grammar.lexicon import ALIASES, NOT_ROOMS, ORDINARY
from quack_eval.claims.grammar.times import STARTS, TIME

LIMIT = 20_000
"""Characters of an utterance that are read; nobody says more in a turn."""

_SAME = {
    "’": "'", "‘": "'", "‛": "'", "`": "'", "´": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "—", "―": "—", "−": "-", "…": ".", "*": " ", "•": " ", "#": " ",
    "→": "→", "➡": "→", "⇒": "→", "➔": "→", "⟶": "→", "➜": "→", "►": "→", "▶": "→", "⇨": "→", "↦": "→", "➝": "→",
    "：": ":", "，": ",", "。": ".", "？": "?", "！": "!", "；": ";", "（": "(", "）": ")",
}  # fmt: skip

SHORT = r"(?=\s*(?:->|→|/|[,.;)]|$|to\b|then\b|and\s+(?:upper|lower)\b))"
"""What follows where the first word of a room's name stands for the room."""


@dataclass(slots=True)
class Token:
    """A piece of the utterance.

    ``kind``: word, name, room, time, number, arrow, quote, line (a new line) or mark. ``value`` is the player's or
    the room's own name.
    """

    kind: str
    text: str
    start: int
    end: int
    value: str = ""


class _Plain(dict[int, str]):
    """Characters to plain ones of the same length; whatever cannot be seen becomes a blank."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char == "\n":
            plain = "\n"
        elif unicodedata.category(char)[0] in "CZ":
            plain = " "
        else:
            decomposed = unicodedata.normalize("NFKC", char)
            plain = _SAME.get(char, decomposed if len(decomposed) == 1 else char)
        self[code] = plain
        return plain


_PLAIN = _Plain()
_SINGLE = re.compile(r"(?<=\s)'(?=[A-Z])([^'\n]{12,300}?(?:'[a-z][^'\n]{0,300}?){0,4}[.!?,])'(?=\s|$)")


def plain(message: str) -> str:
    """The message with usual quotes, dashes, arrows and blanks, character for character."""
    return _SINGLE.sub(lambda match: f'"{match.group(1)}"', message[:LIMIT].translate(_PLAIN))


def lex(message: str, players: Sequence[str], rooms: Sequence[str]) -> list[Token]:
    """The tokens of a message."""
    return [Token(*fields) for fields in _lexed(message, tuple(players), tuple(rooms))]


@lru_cache(maxsize=256)
def _lexed(
    message: str, players: tuple[str, ...], rooms: tuple[str, ...]
) -> tuple[tuple[str, str, int, int, str], ...]:
    """What the tokens hold; kept, since an utterance is read again as part of the transcript of those after it."""
    tokens = _without_emphasis(list(_vocabulary(players, rooms).tokens(plain(message))))
    return tuple((token.kind, token.text, token.start, token.end, token.value) for token in tokens)


def _without_emphasis(tokens: list[Token]) -> list[Token]:
    """The tokens without quotation marks around a word or two: those distance, they do not quote."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "quote":
            close = next((p for p in range(at + 1, min(at + 30, len(tokens))) if tokens[p].kind == "quote"), None)
            if close is not None and (close <= at + 2 or not _in_person(tokens[at + 1 : close])):
                found += tokens[at + 1 : close]
                at = close + 1
                continue
        found.append(token)
        at += 1
    return found


def _in_person(tokens: Sequence[Token]) -> bool:
    """Whether somebody speaks of itself in these words: then they are quoted speech."""
    return any(token.text in ("i", "my", "me", "we", "our", "im") for token in tokens)


@lru_cache(maxsize=64)
def _vocabulary(players: tuple[str, ...], rooms: tuple[str, ...]) -> _Vocabulary:
    return _Vocabulary(players, rooms)


class _Vocabulary:
    """The regular expression of one game's tokens."""

    def __init__(self, players: tuple[str, ...], rooms: tuple[str, ...]) -> None:
        self.players = {_folded(name): name for name in players}
        self.rooms = _room_words(rooms)
        self.short = _short_words(rooms, self.rooms)
        self.pair = _pair(rooms)
        names = _either(self.players)
        places = _either(self.rooms)
        self.regex = re.compile(
            rf"(?P<name>(?<!\w)(?:{names})(?!\w))"
            rf"|(?P<room>(?<!\w)(?:(?:{places})(?!\w){NOT_ROOMS}|(?:{_either(self.short)}){SHORT}"
            rf"|(?<=/)(?:{_either(self.short)})(?!\w)))"
            rf"|(?P<pair>(?<!\w){_either_pair(self.pair)}(?!\w))"
            r"|(?P<arrow>-{1,3}>|=+>|→|~>|(?<=\s)>(?=\s))"
            r"|(?P<clitic>n't\b|'(?:ve|m|re|s|d|ll)\b)"
            r"|(?P<number>t?\d+(?:\.\d+)?)"
            r"|(?P<word>[^\W\d_]+?(?=n't\b)|[^\W_]+)"
            r"|(?P<line>\n+)"
            r"|(?P<mark>—|--+|[^\w\s])",
            re.IGNORECASE,
        )

    def tokens(self, text: str) -> Iterator[Token]:
        at = 0
        while match := self.regex.search(text, at):
            kind = match.lastgroup or "mark"
            said = match.group()
            low = said.lower()
            at = match.end()
            if (kind == "number" or low in STARTS) and (time := TIME.match(text, match.start())):
                at = time.end()
                yield Token("time", time.group().lower(), time.start(), at)
                continue
            token = Token(kind, low, match.start(), at)
            other = None
            if kind == "name":
                if said.islower() and said in ORDINARY and not text.islower():
                    token.kind = "word"
                else:
                    token.value = self.players[_folded(said)]
            elif kind == "pair":
                token.kind, token.value, other = "room", *self.pair
            elif kind == "room":
                token.value = self.rooms.get(_folded(said)) or self.short[_folded(said)]
            elif kind == "clitic":
                token.kind = "word"
            elif said == '"':
                token.kind = "quote"
            elif kind == "mark" and said.startswith("--"):
                token.text = "—"
            yield token
            if other is not None:
                yield Token("room", token.text, token.start, token.end, other)


def _folded(words: str) -> str:
    return re.sub(r"[\s_-]+", " ", words.lower())


def _either(words: dict[str, str]) -> str:
    """An alternative of words, longest first; one that matches nothing where there are none."""
    spelled = [re.escape(word).replace(r"\ ", r"[\s_-]*" if len(word) > 6 else r"[\s_-]") for word in words]
    return "|".join(sorted(spelled, key=len, reverse=True)) or r"(?!)"


def _room_words(rooms: tuple[str, ...]) -> dict[str, str]:
    """Every way to name a room, to the room."""
    words = {_folded(room): room for room in rooms}
    for room in rooms:
        for alias in ALIASES.get(_folded(room).replace(" ", "_"), ()):
            words.setdefault(alias, room)
        if " " in _folded(room):
            words.setdefault(_folded(room).replace(" ", ""), room)
    return words


def _pair(rooms: tuple[str, ...]) -> tuple[str, ...]:
    """The two rooms of the map that share a last word: the engines."""
    groups: dict[str, list[str]] = {}
    for room in rooms:
        if " " in _folded(room):
            groups.setdefault(_folded(room).split()[-1], []).append(room)
    return next((tuple(group) for group in groups.values() if len(group) == 2), ())


def _either_pair(pair: tuple[str, ...]) -> str:
    """How one speaks of both rooms of a pair: "both engines", "the engine rooms"."""
    if not pair:
        return r"(?!)"
    noun = re.escape(_folded(pair[0]).split()[-1])
    return rf"(?:both\s+(?:of\s+the\s+)?{noun}s|(?<=the\s){noun}\s+rooms)(?!\s+tasks?)"


def _short_words(rooms: tuple[str, ...], known: dict[str, str]) -> dict[str, str]:
    """The first words of names of two, where no other room begins so: "upper" of the upper engine."""
    firsts = [_folded(room).split()[0] for room in rooms if len(_folded(room).split()) == 2]
    short = {_folded(room).split()[0]: room for room in rooms if len(_folded(room).split()) == 2}
    return {word: room for word, room in short.items() if firsts.count(word) == 1 and word not in known}
