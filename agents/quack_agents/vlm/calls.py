"""Records of model calls: what stands in `calls.jsonl`, and the rates that reports are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from quack_env.calls import SCHEMA, load_calls


class Notes:
    """How a policy came to an action; recorders write it down. ``fallback``: why the action is not the policy's own."""

    __slots__ = ("calls", "fallback", "images")

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.images: dict[str, bytes] = {}
        self.fallback: str | None = None


class WordsAction(dict[str, Any]):
    """An action with words, `{"action": number, "say": text}`, and notes on how it came about."""

    __slots__ = ("notes",)

    def __init__(self, action: int, say: str | None, notes: Notes) -> None:
        super().__init__(action=action, **({"say": say} if say else {}))
        self.notes = notes


class NumberAction(int):
    """An action, and notes on how it came about."""

    notes: Notes

    def __new__(cls, action: int, notes: Notes) -> NumberAction:
        made = super().__new__(cls, action)
        made.notes = notes
        return made


def rates(calls: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What a report says of calls: counts, shares of the decisions, and sums.

    ``parse_rate``: decisions whose first reply was understood; ``reask_rate``: those asked again; ``fallback_rate``:
    those that ended in a declared fallback, all over ``decisions`` that got replies (None where there are none).
    ``cost`` in US dollars is None where any price is not known, and 0.0 where there are no calls.
    """
    calls = list(calls)
    answered = [call for call in calls if call["error"] is None]
    first = [call for call in answered if call["attempt"] == 0]
    n = len(first)
    understood = sum(call["parse"]["failure"] is None for call in first)
    fallbacks = sum(bool(call.get("fallback")) for call in answered)
    reasked = sum(call["attempt"] == 1 for call in answered)
    costs = [call["cost"] for call in answered]
    return {
        "calls": len(calls),
        "decisions": n,
        "errors": len(calls) - len(answered),
        "cached": sum(call["cached"] for call in answered),
        "retries": sum(len(call["retries"]) for call in calls),
        "parse_rate": understood / n if n else None,
        "reask_rate": reasked / n if n else None,
        "fallback_rate": fallbacks / n if n else None,
        "prompt_tokens": _total(call["prompt_tokens"] for call in answered),
        "completion_tokens": _total(call["completion_tokens"] for call in answered),
        "cost": _total(costs),
        "latency": sum(call["latency"] for call in answered) / len(answered) if answered else None,
    }


def _total(values: Iterable[float | None]) -> float | None:
    """The sum; None where a value is not known."""
    known = list(values)
    return None if None in known else sum(v for v in known if v is not None)


__all__ = ["SCHEMA", "Notes", "NumberAction", "WordsAction", "load_calls", "rates"]
