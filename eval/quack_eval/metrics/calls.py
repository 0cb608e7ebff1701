"""What the models' calls of a game took and how well their replies could be read (`calls.jsonl`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from quack_env.calls import load_calls
from quack_eval.metrics.base import GameEval
from quack_eval.metrics.measure import UNDEFINED, Measure, mean, once, ratio, total

Call = dict[str, Any]


class CallEval(GameEval):
    """The model calls of one game; all undefined where no model played.

    By name (each undefined where its denominator is 0):
        calls, call_errors, retries: counts (errors: calls that the provider never answered); undefined without calls.
        parse_rate: decisions whose first reply was understood / decisions with a reply.
        reask_rate: decisions asked again / decisions with a reply.
        fallback_rate: decisions that ended in a declared fallback / decisions with a reply.
        prompt_tokens, completion_tokens: sums; undefined where the provider did not tell one of them.
        cost_usd: US dollars; undefined where any price is not known, which is not free.
        latency: seconds / answered calls, those from a cache left out.
    """

    tier: ClassVar[int] = 5
    title: ClassVar[str] = "Model calls"

    @cached_property
    def calls(self) -> list[Call]:
        """The records; none for games that were not recorded in a folder."""
        return [] if self.trajectory.path is None else load_calls(self.trajectory.path)

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """The measures by name."""
        calls = self.calls
        answered = [call for call in calls if call["error"] is None]
        first = [call for call in answered if call["attempt"] == 0]
        decisions = len(first)
        return {
            "calls": once(len(calls) or None),
            "call_errors": once(len(calls) - len(answered) if calls else None),
            "retries": once(sum(len(call["retries"]) for call in calls) if calls else None),
            "parse_rate": ratio(call["parse"]["failure"] is None for call in first),
            "reask_rate": Measure(sum(call["attempt"] == 1 for call in answered), decisions),
            "fallback_rate": Measure(sum(bool(call.get("fallback")) for call in answered), decisions),
            "prompt_tokens": _sum(answered, "prompt_tokens"),
            "completion_tokens": _sum(answered, "completion_tokens"),
            "cost_usd": _sum(answered, "cost"),
            "latency": mean(call["latency"] for call in answered if not call["cached"]),
        }


def _sum(calls: Sequence[Call], name: str) -> Measure:
    """The sum over the calls; undefined without calls, and where one of the values is not known."""
    return once(total(call[name] for call in calls)) if calls else UNDEFINED
