"""One source, several forms: copies of the functions of the rules over namespaces with something else put in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from quack_env import chance, rules, statements, view
from quack_env.encode import vector
from quack_env.vector import kernels

MODULES: tuple[ModuleType, ...] = (chance, statements, rules, view, vector, kernels)
"""The modules whose functions are copied; the last one's are called from outside."""


def copied(function: Any, space: dict[str, Any]) -> FunctionType:
    """The same function with another namespace."""
    return FunctionType(function.__code__, space, function.__name__, function.__defaults__)


def bind(wrap: Callable[[Any], Any], given: Mapping[str, Any]) -> SimpleNamespace:
    """The functions of `kernels`, over wrapped copies of all functions of `MODULES`.

    Args:
        wrap: what is made of each copy, such as a compiler.
        given: by name, what every module that has the name gets in its place.
    """
    copies: dict[Any, Any] = {}
    spaces = [dict(vars(module)) for module in MODULES]
    for module, space in zip(MODULES, spaces, strict=True):
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__ and name not in given:
                copies[value] = wrap(copied(value, space))
    for space in spaces:
        for name, value in space.items():
            if isinstance(value, FunctionType):
                space[name] = copies.get(value, value)
        space.update({name: value for name, value in given.items() if name in space})
    return SimpleNamespace(**spaces[-1])
