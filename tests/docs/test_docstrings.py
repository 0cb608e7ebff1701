"""Every public name says what it is, and every public function what it takes and gives."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import quack_agents
import quack_env
import quack_eval
from quack_env.aec import QuackAEC
from quack_env.beliefs import Answer, Belief, BeliefStore
from quack_env.parallel import QuackParallel
from quack_env.seat import QuackSeat
from quack_env.vector.env import QuackVector

PUBLIC: dict[str, Any] = {
    f"{package.__name__}.{name}": getattr(package, name)
    for package in (quack_env, quack_agents, quack_eval)
    for name in package.__all__
    if name != "__version__"
} | {kind.__name__: kind for kind in (QuackAEC, QuackParallel, QuackSeat, QuackVector, Belief, Answer, BeliefStore)}
IMPLIED = frozenset({"__init__"})


def own_classes(kind: type) -> list[type]:
    """The class and those of its bases that are ours."""
    return [base for base in kind.__mro__ if base.__module__.startswith("quack_")]


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that our code defines."""
    seen: set[str] = set()
    for base in own_classes(kind):
        for name, member in vars(base).items():
            if not name.startswith("_") and name not in seen:
                seen.add(name)
                yield name, member


def function_of(member: Any) -> Any:
    """The function behind a method or property; None for anything else."""
    if isinstance(member, staticmethod | classmethod):
        return member.__func__
    if isinstance(member, property):
        return member.fget
    return getattr(member, "func", member) if callable(getattr(member, "func", member)) else None


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_a_docstring(name: str) -> None:
    value = PUBLIC[name]
    assert inspect.cleandoc(value.__doc__ or ""), name
    assert not (value.__doc__ or "").startswith(f"{value.__name__}("), (
        f"{name} has only the docstring that is made for it"
    )


@pytest.mark.parametrize("name", [name for name, value in PUBLIC.items() if inspect.isclass(value)])
def test_the_public_members_of_a_class_have_docstrings(name: str) -> None:
    bare = [
        member
        for member, value in members(PUBLIC[name])
        if inspect.isroutine(function_of(value)) and not inspect.getdoc(getattr(PUBLIC[name], member, value))
    ]
    assert bare == []


@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_say_what_they_take_and_give(name: str) -> None:
    value = PUBLIC[name]
    functions = {name: value} if inspect.isroutine(value) else {}
    if inspect.isclass(value):
        functions |= {member: function_of(found) for member, found in members(value)}
    for label, function in functions.items():
        if not inspect.isfunction(function):
            continue
        signature = inspect.signature(function)
        untyped = [
            p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")
        ]
        assert not untyped, f"{label}: {', '.join(untyped)}"
        assert signature.return_annotation is not signature.empty, f"{label}: what it returns"
