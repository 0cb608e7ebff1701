"""Policies by name ("random", "scripted:aggressive"), resolved through the entry-point group `quack.policies`."""

from __future__ import annotations

import functools
import inspect
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any, Protocol

from quack_env.errors import ConfigError, QuackError
from quack_env.yaml_file import meant, shown

GROUP = "quack.policies"
MODELS = "litellm"
"""The registered policy that takes every name of the form "provider/model", whole."""


class Policy(Protocol):
    """Anything that decides: called with what its agent observes.

    It may also have ``reset(info, seed)``, called before its first decision of a game, ``beliefs()``, the probability
    of being a Duck by agent ("player_0") for every other agent it does not know to be dead, and
    ``check_game(world, game_map)``, which raises a `ConfigError` before a game is dealt that it cannot play.
    """

    def __call__(self, observation: Any, info: Any) -> Any:
        """A legal action: a number, or with speech "text" a dict with "action" and perhaps "say"."""


def known_policies() -> tuple[str, ...]:
    """The names that installed packages have registered, in alphabetical order."""
    return tuple(sorted(entry_points(group=GROUP).names - {MODELS}))


def make_policy(name: str) -> Policy:
    """A new policy for ``NAME`` or ``NAME:ARG``; what an argument means is the policy's own matter.

    What is registered is called with the argument, if there is one, and gives the policy; a function of (observation,
    info) is the policy itself. A name that is not registered and has a slash before any colon, as in "openai/gpt-5.5",
    is a model's.

    Raises:
        ConfigError: where no installed package has registered the name, or several have; where what is registered
            cannot be loaded or called, or the policy takes no such argument.
    """
    if not isinstance(name, str):
        raise ConfigError(f"policy={name!r}: must be a name, such as {' or '.join(map(repr, known_policies()))}")
    kind, colon, argument = name.partition(":")
    found = entry_points(group=GROUP, name=kind)
    if not found and "/" in kind and not _is_path(kind):
        found = entry_points(group=GROUP, name=MODELS)
        kind, colon, argument = MODELS, ":", name
    if not found:
        raise ConfigError(_unknown(name, kind))
    factory = _loaded(name, found)
    arguments = (argument,) if colon else ()
    signature = inspect.signature(factory)
    if not _takes(signature, arguments):
        if not inspect.isclass(factory) and not arguments and _takes(signature, ("observation", "info")):
            itself: Policy = factory
            return itself
        raise ConfigError(f"policy={name!r}: {kind} takes {'no' if colon else 'an'} argument")
    try:
        policy = factory(*arguments)
    except QuackError:
        raise
    except Exception as fault:
        point = _told(next(iter(found)))
        raise ConfigError(f"policy={name!r}: {point} fails: {type(fault).__name__}: {fault}") from fault
    if not callable(policy):
        raise ConfigError(f"policy={name!r}: {_told(next(iter(found)))} gives {shown(policy)}, which cannot be called")
    made: Policy = policy
    return made


def _loaded(name: str, found: EntryPoints) -> Any:
    """What the one entry point of a name stands for."""
    points = list({point.value: point for point in found}.values())
    if len(points) > 1:
        raise ConfigError(f"policy={name!r}: registered twice: {' and '.join(map(_told, points))}; rename one of them")
    try:
        factory = points[0].load()
    except QuackError:
        raise
    except Exception as fault:
        told = f"{_told(points[0])} cannot be loaded: {type(fault).__name__}: {fault}"
        raise ConfigError(f"policy={name!r}: {told}") from fault
    if not (inspect.isclass(factory) or inspect.isroutine(factory) or isinstance(factory, functools.partial)):
        given = f"an instance of {type(factory).__name__}" if callable(factory) else shown(factory)
        raise ConfigError(f"policy={name!r}: {_told(points[0])} must be a class or a function, not {given}")
    return factory


def _told(point: EntryPoint) -> str:
    """An entry point for messages: what it says, and whose it is."""
    package = f" of {point.dist.name}" if point.dist is not None else ""
    return f'entry point {point.name} = "{point.value}"{package}'


def _takes(signature: inspect.Signature, arguments: tuple[str, ...]) -> bool:
    """Whether something can be called with such arguments."""
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def _is_path(kind: str) -> bool:
    """Whether a name is that of a file rather than a model's."""
    return kind.startswith((".", "/", "~")) or kind.endswith(".py")


def _unknown(name: str, kind: str) -> str:
    """The message for a policy that nobody has registered."""
    known = known_policies()
    listed = ", ".join(known) or "none; is quack_env installed?"
    others = "models as PROVIDER/NAME (openai/mock)"
    told = f"policy={name!r}: unknown{meant(kind, known)}; known are {listed}, and {others}"
    own = ":" in name and not meant(kind, known)
    return told + (f"; one of your own is an entry point of an installed package, group {GROUP}" if own else "")
