"""Whether the policies of a suite can play its games, tried before any is played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from quack_agents import make_policy
from quack_bench.held import check_held
from quack_env import ConfigError, GameMap, QuackError
from quack_env.policies import Policy
from quack_env.world import World

if TYPE_CHECKING:
    from quack_bench.suite import Setting, Suite


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
        told = " ".join(f"{type(fault).__name__}: {fault}".split())
        raise ConfigError(f"policy={name!r}: its check_game fails: {told}") from fault


@contextmanager
def blamed_on(source: str, suite: Suite) -> Iterator[None]:
    """Around what looks at a suite: its faults are told under the name of its file."""
    try:
        yield
    except ConfigError as fault:
        raise ConfigError(f"{source}: {str(fault).removeprefix(f'{suite.name}: ')}") from None
