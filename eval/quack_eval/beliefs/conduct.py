"""How players conducted themselves, as far as the three tiers do not count it: what experiments compare arms in."""

from __future__ import annotations

from quack_env import GameRecord
from quack_eval.metrics.measure import Measure, mean, ratio


def conduct(record: GameRecord) -> dict[str, Measure]:
    """message_length: characters of a statement in a meeting (denominator: statements); silent: the share of them
    without words; fallbacks: decisions that were none of the policy's own, per game."""
    said = [len(event.text or "") for event in record.events if event.kind == "statement"]
    fallbacks = sum(event.kind == "fallback" for event in record.events)
    return {
        "message_length": mean(said),
        "silent": ratio(not length for length in said),
        "fallbacks": Measure(fallbacks, 1),
    }
