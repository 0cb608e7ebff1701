"""Policies by name, through the entry-point group `quack.policies`, so that the game need not know who plays it."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from quack_env.errors import ConfigError

GROUP = "quack.policies"


def policy_names() -> tuple[str, ...]:
    """The names that are installed."""
    return tuple(sorted(entry_points(group=GROUP).names))


def make_policy(spec: str) -> Any:
    """The policy of `NAME` or `NAME:ARGUMENT`: "random", "scripted", "scripted:aggressive", ...

    Raises:
        ConfigError: no such name, or an argument the policy does not take; says what is known.
    """
    name, colon, argument = spec.partition(":")
    known = policy_names()
    if name not in known:
        raise ConfigError(f"policy {spec!r}: no such policy; installed are {', '.join(known) or 'none'}")
    kind = entry_points(group=GROUP)[name].load()
    return kind(argument) if colon else kind()
