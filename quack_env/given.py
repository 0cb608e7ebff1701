"""Chance can be given: the functions of the rules, with recorded or chosen draws in place of chance (rules.md)."""

from __future__ import annotations

from types import FunctionType, SimpleNamespace
from typing import Any

from quack_env import rules as the_rules
from quack_env.state import State
from quack_env.world import World


def bind(**chance: Any) -> SimpleNamespace:
    """The functions of `rules`, with some of its draws replaced by given ones (same signature).

    The functions are the same code over another namespace: the rules do not know the difference.
    """
    namespace: dict[str, Any] = dict(vars(the_rules))
    for name, value in vars(the_rules).items():
        if isinstance(value, FunctionType) and value.__module__ == the_rules.__name__:
            namespace[name] = FunctionType(value.__code__, namespace, name, value.__defaults__)
    namespace.update(chance)
    return SimpleNamespace(**namespace)


def given_rules(given: dict[str, Any]) -> SimpleNamespace:
    """The rules with the draws of a header's ``given``, as far as they go."""
    draws = GivenDraws(given)
    return bind(draw_turn_order=draws.turn_order, draw_speaking_order=draws.speaking_order, draw_places=draws.places)


class GivenDraws:
    """Turn orders by tick, speaking orders by meeting and places by leg; what is not given is drawn."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.turns, self.speakers, self.rooms = (
            {int(k): v for k, v in given.get(name, {}).items()} for name in ("turn_order", "speaking_order", "places")
        )

    def turn_order(self, world: World, state: State) -> None:
        """Stands in for `the_rules.draw_turn_order`: the given order, seats it does not name last."""
        given = self.turns.get(state.tick)
        if given is None:
            the_rules.draw_turn_order(world, state)
        else:
            state.order[:] = _complete(given, world.n)

    def speaking_order(self, world: World, state: State) -> None:
        """Stands in for `the_rules.draw_speaking_order`."""
        given = self.speakers.get(state.meeting - 1)
        if given is None:
            the_rules.draw_speaking_order(world, state)
        else:
            state.order[:] = _complete(given, world.n)

    def places(self, world: World, state: State) -> None:
        """Stands in for `the_rules.draw_places`."""
        given = self.rooms.get(state.meeting)
        if given is None:
            the_rules.draw_places(world, state)
        else:
            state.room[:] = given


def _complete(order: list[int], n: int) -> list[int]:
    return order + [i for i in range(n) if i not in order]
