"""The standard loop, with policies in the seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quack_env.chance import policy_seed
from quack_env.errors import ConfigError
from quack_env.outcome import Outcome
from quack_env.policies import Policy


def play(
    env: Any,
    policies: Mapping[str, Policy],
    seed: int | None = None,
    on_step: Callable[[str, Any], None] | None = None,
) -> Outcome:
    """Play one game and say how it ended.

    A policy with a ``reset`` is reset before its first decision, with a seed drawn from the game's key and its seat.
    What a policy raises passes through: the game is then unfinished, and not scored.

    Args:
        env: an AEC environment of QUACK, in any PettingZoo wrapper.
        policies: a policy for every agent.
        seed: of the game; None for the environment's next one.
        on_step: called with agent and action after every step.

    Raises:
        ConfigError: where an agent has no policy, or two share one that keeps a memory.
    """
    seats = {agent: number for number, agent in enumerate(env.possible_agents)}
    _check(policies, seats)
    env.reset(seed=seed)
    game = env.unwrapped.game
    fresh = {agent for agent in seats if hasattr(policies[agent], "reset")}
    for agent in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        if termination or truncation:
            env.step(None)
            continue
        policy = policies[agent]
        if agent in fresh:
            fresh.discard(agent)
            policy.reset(info, seed=policy_seed(game.seed, seats[agent], game.fork))  # type: ignore[attr-defined]
        action = policy(observation, info)
        env.step(action)
        if on_step is not None:
            on_step(agent, action)
    outcome: Outcome = game.outcome
    return outcome


def _check(policies: Mapping[str, Policy], seats: Mapping[str, int]) -> None:
    """Every agent has a policy, and those with a memory have it for themselves."""
    missing = [agent for agent in seats if agent not in policies]
    unknown = [agent for agent in policies if agent not in seats]
    if missing or unknown:
        wrong = f"no policy for {', '.join(missing)}" if missing else f"no agent {', '.join(unknown)}"
        raise ConfigError(f"policies: {wrong}; the agents are {', '.join(seats)}")
    owners: dict[int, str] = {}
    for agent in seats:
        other = owners.setdefault(id(policies[agent]), agent)
        if other != agent and hasattr(policies[agent], "reset"):
            raise ConfigError(f"policies: {other} and {agent} share one policy object; each needs its own")
