"""Policies by name ("random", "scripted:aggressive"), resolved through the entry-point group `quack.policies`."""

from __future__ import annotations

import inspect
from importlib.metadata import entry_points
from typing import Any, Protocol

from quack_env.errors import ConfigError

GROUP = "quack.policies"
MODELS = "litellm"
"""The registered policy that takes every name of the form "provider/model", whole."""


class Policy(Protocol):
    """Anything that decides: called with what its agent observes.

    It may also have ``reset(info, seed)``, called before its first decision of a game, ``beliefs()``, the probability
    of being a Duck for every other agent it does not know to be dead, and ``check_game(world, game_map)``, which raises
    a `ConfigError` before a game is dealt that it cannot play.
    """

    def __call__(self, observation: Any, info: Any) -> Any:
        """A legal action: a number, or with speech "text" a dict with "action" and perhaps "say"."""


def known_policies() -> tuple[str, ...]:
    """The names that installed packages have registered, in alphabetical order."""
    return tuple(sorted(entry_points(group=GROUP).names - {MODELS}))


def make_policy(name: str) -> Policy:
    """A new policy for ``NAME`` or ``NAME:ARG``; what an argument means is the policy's own matter.

    A name that is not registered and has a slash before any colon, as in "openai/gpt-5.5", is a model's.

    Raises:
        ConfigError: where no installed package has registered the name, or the policy takes no such argument.
    """
    if not isinstance(name, str):
        raise ConfigError(f"policy={name!r}: must be a name, such as {' or '.join(map(repr, known_policies()))}")
    kind, colon, argument = name.partition(":")
    found = entry_points(group=GROUP, name=kind)
    if not found and "/" in kind:
        found = entry_points(group=GROUP, name=MODELS)
        kind, colon, argument = MODELS, ":", name
    if not found:
        known = ", ".join(known_policies()) or "none; is quack_env installed?"
        raise ConfigError(f"policy={name!r}: unknown; known are {known}, and models as PROVIDER/NAME")
    factory = next(iter(found)).load()
    arguments = (argument,) if colon else ()
    try:
        inspect.signature(factory).bind(*arguments)
    except TypeError:
        raise ConfigError(f"policy={name!r}: {kind} takes {'no' if colon else 'an'} argument") from None
    policy: Policy = factory(*arguments)
    return policy
