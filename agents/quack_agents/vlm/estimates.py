"""What a model's reply to a probe holds: numbers for every player asked about, or failures that can be named.

Asked for is one JSON object with an entry for each player, `{"goose": p, "duck": 1 - p}`. Read as well, and flagged: a
fence or words around the object, a wrapper or a list, markup in names, numbers as strings, percentages, a sum that is
off by at most 0.02, entries for others. A missing player, a missing or impossible number, another sum, two objects that
disagree, words without JSON, and JSON that is cut off are failures; nothing is guessed.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from quack_agents.probe.inquiry import Inquiry, Path, Reading
from quack_agents.vlm.reply import AMBIGUOUS, CUT_OFF, EMPTY, REASONING_ONLY, without_thoughts

NO_JSON, MISSING, FIELDS, RANGE, SUM = "no_json", "missing", "fields", "range", "sum"
TOLERANCE = 0.02
"""By which the sum may differ from 1."""
EXACT = 1e-6
"""Below this it does not count as different."""
WHY = "why"
"""The field of reasons."""
_NAMED = ("name", "player")


class _TwiceError(ValueError):
    """A key stands twice in one object, with different values."""


class _Number(Exception):  # noqa: N818 - carries a fault, which is no error of ours
    """A number that is none, or cannot be: the fault."""


def read_estimates(
    content: str | None, reasoning: str | None, finish_reason: str | None, inquiry: Inquiry, names: tuple[str, ...]
) -> Reading:
    """The numbers of a reply, and why there are none for some paths.

    Args:
        content: the reply.
        reasoning: what came beside it.
        finish_reason: "length" where the provider cut it off.
        inquiry: what was asked.
        names: of the players, by seat.
    """
    visible = without_thoughts(content or "")
    if not visible:
        thought = bool((content or "").strip() or (reasoning or "").strip())
        kind = CUT_OFF if finish_reason == "length" else REASONING_ONLY if thought else EMPTY
        return _nothing(inquiry, f"{kind}: {_EMPTY[kind]}")
    try:
        found = [(_table(value, names, inquiry), exact) for value, exact in _values(visible)]
    except _TwiceError:
        return _nothing(inquiry, f"{AMBIGUOUS}: it has two different entries of one name")
    tables = [(table, exact and same) for (table, same), exact in found if table]
    if not tables:
        cut = finish_reason == "length" or visible.count("{") > visible.count("}")
        if cut:
            return _nothing(inquiry, f"{CUT_OFF}: it was cut off before the JSON object was complete")
        return _nothing(inquiry, f"{NO_JSON}: it has no JSON object with the names of the players")
    table, exact = tables[-1]
    if any(other != table for other, _ in tables):
        return _nothing(inquiry, f"{AMBIGUOUS}: it has several JSON objects that differ")
    return _read(table, exact, inquiry, names)


_EMPTY = {
    CUT_OFF: "it reached the limit on its length before any answer; think less, and answer first",
    REASONING_ONLY: "it has reasoning but no answer behind it",
    EMPTY: "it is empty",
}


def _nothing(inquiry: Inquiry, fault: str) -> Reading:
    return Reading({}, dict.fromkeys(inquiry.paths, fault))


# --- finding the object ----------------------------------------------------------------------------------------------


def _values(text: str) -> list[tuple[Any, bool]]:
    """Every JSON object or list of objects in a text, outermost ones only; whether it is the whole text."""
    decoder = json.JSONDecoder(object_pairs_hook=_pairs)
    found: list[tuple[Any, bool]] = []
    place = 0
    while match := re.compile(r"\{|\[(?=\s*\{)").search(text, place):
        try:
            value, place = decoder.raw_decode(text, match.start())
        except _TwiceError:
            raise
        except (ValueError, RecursionError):
            place = match.start() + 1
        else:
            found.append((value, not (text[: match.start()] + text[place:]).strip()))
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs) and any(made[key] != value for key, value in pairs):
        raise _TwiceError
    return made


def _key(name: str) -> str:
    """What two spellings of one name share: case, markup, quotation marks and spaces around it do not count."""
    return re.sub(r"^[\W_]+|[\W_]+$", "", unicodedata.normalize("NFKC", name).casefold())


def _get(entries: Mapping[str, Any], name: str) -> tuple[Any, bool]:
    """(the entry of a name or None, whether it stands under exactly this name)."""
    if name in entries:
        return entries[name], True
    loose = [value for key, value in entries.items() if _key(key) == _key(name)]
    return (loose[0] if len(loose) == 1 else None), False


def _table(value: Any, names: tuple[str, ...], inquiry: Inquiry) -> tuple[dict[str, Any], bool]:
    """(the entries by name that a JSON value holds, {} where it has none; whether they stand there as asked for)."""
    wanted = {names[path[0]] for path in inquiry.paths}
    if isinstance(value, list):
        listed = {str(next((e[k] for k in _NAMED if k in e), "")): e for e in value if isinstance(e, dict)}
        return (_table(listed, names, inquiry)[0], False) if len(listed) == len(value) else ({}, False)
    if not isinstance(value, dict):
        return {}, False
    if any(_get(value, name)[0] is not None for name in wanted):
        return value, True
    inner = [_table(part, names, inquiry)[0] for part in value.values()]
    held = [table for table in inner if table]
    return (held[0], False) if len(held) == 1 else ({}, False)


# --- reading it ------------------------------------------------------------------------------------------------------


def _read(table: dict[str, Any], exact: bool, inquiry: Inquiry, names: tuple[str, ...]) -> Reading:
    values: dict[Path, tuple[float, ...]] = {}
    faults: dict[Path, str] = {}
    rationales: dict[Path, str] = {}
    asked = {_key(names[path[0]]) for path in inquiry.paths}
    exact = exact and all(_key(name) in asked for name in table)  # entries for the dead or unknown are left out
    tolerant: set[Path] = set()
    for path in inquiry.paths:
        entry, named = _entry(table, path, names)
        who = " about ".join(names[seat] for seat in path)
        try:
            values[path], as_asked = _shares(entry, inquiry.answers, who)
        except _Number as fault:
            faults[path] = str(fault)
            continue
        if not (exact and named and as_asked):
            tolerant.add(path)
        if inquiry.rationale and isinstance(entry.get(WHY), str) and entry[WHY].strip():
            rationales[path] = " ".join(entry[WHY].split())[:1000]
    return Reading(values, faults, frozenset(tolerant), rationales)


def _entry(table: dict[str, Any], path: Path, names: tuple[str, ...]) -> tuple[Any, bool]:
    """The entry of a path, through one name after the other."""
    entry: Any = table
    exact = True
    for seat in path:
        entry, same = _get(entry, names[seat]) if isinstance(entry, dict) else (None, False)
        exact = exact and same
    return entry, exact


def _shares(entry: Any, answers: tuple[str, ...], who: str) -> tuple[tuple[float, ...], bool]:
    """Probabilities of the answers, which sum to 1, and whether they were given exactly so."""
    if entry is None:
        raise _Number(f"{MISSING}: there is no entry for {who}")
    if not isinstance(entry, dict):
        raise _Number(f"{FIELDS}: the entry for {who} does not have the fields asked for")
    numbers = [_number(*_get(entry, answer), who) for answer in answers]
    values, as_asked = [value for value, _ in numbers], all(plain for _, plain in numbers)
    if max(values) > 1 and abs(sum(values) - 100) <= 100 * TOLERANCE and min(values) >= 0:
        values, as_asked = [value / 100 for value in values], False
    if not all(0.0 <= value <= 1.0 for value in values):
        raise _Number(f"{RANGE}: a number for {who} is not between 0 and 1")
    total = sum(values)
    if abs(total - 1) > TOLERANCE + EXACT:
        raise _Number(f"{SUM}: the numbers for {who} do not add up to 1")
    return tuple(value / total for value in values), as_asked and abs(total - 1) <= EXACT


def _number(value: Any, named: bool, who: str) -> tuple[float, bool]:
    """(the number of a field, whether it stands there as one)."""
    if isinstance(value, bool) or value is None:
        raise _Number(f"{FIELDS}: the entry for {who} does not have the fields asked for, with numbers")
    if isinstance(value, int | float):
        return (float(value) if abs(value) < 1e9 else math.inf), named
    match = (
        re.fullmatch(r"\s*[~≈]?\s*(-?\d{1,9}(?:[.,]\d{1,20})?|-?\.\d{1,20})\s*(%?)\s*", value)
        if isinstance(value, str)
        else None
    )
    if not match:
        raise _Number(f"{FIELDS}: the entry for {who} does not have the fields asked for, with numbers")
    number = float(match[1].replace(",", "."))
    return (number / 100 if match[2] else number), False
