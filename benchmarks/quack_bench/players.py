"""Whether the policies of a suite can play its games, tried before any is played."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quack_agents import make_policy
from quack_bench.held import check_held
from quack_env import ConfigError, GameMap, QuackError
from quack_env.policies import Policy
from quack_env.world import World

if TYPE_CHECKING:
    from quack_bench.suite import Setting, Suite

CALLERS = ("quack_agents.play", "quack_bench.players")
"""Modules that call policies."""


def check_players(settings: Iterable[Setting], held: Mapping[str, Any]) -> None:
    """Nothing, where all policies of settings can be made and can play, with the files that the suite holds.

    Raises:
        ConfigError: naming the setting and the policy.
    """
    made = cache(check_policy)
    for setting in settings:
        world = World(setting.config, setting.game_map, setting.speech)
        try:
            check_held(setting.policies, held)
            for name in setting.policies:
                check_game(name, made(name), world, setting.game_map)
        except ConfigError as fault:
            raise ConfigError(f"{setting.told}: {fault}") from None


def check_policy(name: str) -> Policy:
    """The policy: an unknown one is better found before the first game.

    Raises:
        ConfigError: where there is no such policy, or it needs a person.
    """
    if name.partition(":")[0] == "human":
        raise ConfigError("policy='human': suites are played without people; see quack play --human")
    return make_policy(name)


def check_game(name: str, policy: Policy, world: World, game_map: GameMap) -> None:
    """Nothing, where a policy plays such games.

    Raises:
        ConfigError: where it says that it does not, or fails to say.
    """
    if not hasattr(policy, "check_game"):
        return
    try:
        policy.check_game(world, game_map)
    except QuackError:
        raise
    except Exception as fault:
        raise ConfigError(f"policy={name!r}: its check_game fails: {told_fault(fault)}") from fault


def told_fault(fault: Exception) -> str:
    """What a policy does wrong, on one line: whose it is, where that is noted, what, and where it was raised."""
    whose = "".join(f"{note}: " for note in getattr(fault, "__notes__", ()))
    return " ".join(f"{whose}{type(fault).__name__}: {fault}".split()) + raised_at(fault)


def raised_at(fault: Exception) -> str:
    """Where an error that nobody raised on purpose comes from, as " (shy.py, line 12, in act)"; "" where a policy
    could not even be called so."""
    frames = [*traceback.walk_tb(fault.__traceback__)]
    if isinstance(fault, QuackError) or not frames or frames[-1][0].f_globals.get("__name__") in CALLERS:
        return ""
    code, line = frames[-1][0].f_code, frames[-1][1]
    return f" ({Path(code.co_filename).name}, line {line}, in {code.co_name})"


@contextmanager
def blamed_on(source: str, suite: Suite) -> Iterator[None]:
    """Around what looks at a suite: its faults are told under the name of its file."""
    try:
        yield
    except ConfigError as fault:
        raise ConfigError(f"{source}: {str(fault).removeprefix(f'{suite.name}: ')}") from None
