"""A policy some of whose decisions are given: for forks of recorded games, and for scripted situations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from quack_env.info import Info
from quack_env.policies import Policy

Guide = Callable[[Any, Info], Any]
"""From observation and info to the decision that is given, as `step` takes it; None where the policy decides."""


class GuidedPolicy:
    """Takes the given decisions, else those of its policy, which has seen everything that it would have seen.

    Where a decision is given, a policy that has ``watch(observation, info, action)`` is told of it; another one is
    asked, and its answer is dropped. Everything else (`beliefs`, attributes) is the policy's own.

    Args:
        policy: decides when nothing is given.
        given: the first decisions, in order; or a guide.
    """

    def __init__(self, policy: Policy, given: Sequence[Any] | Guide) -> None:
        self.policy = policy
        self._guide = given if callable(given) else ListGuide(given)
        if hasattr(policy, "act"):
            self.act: Callable[[Any, Info], Awaitable[Any]] = self._act

    def __getattr__(self, name: str) -> Any:
        if name == "policy":  # not yet made: a copy is being built
            raise AttributeError(name)
        return getattr(self.policy, name)

    def reset(self, info: Info, seed: int) -> None:
        """A new game: decisions given in order are given once more."""
        if isinstance(self._guide, ListGuide):
            self._guide.taken = 0
        if hasattr(self.policy, "reset"):
            self.policy.reset(info, seed)

    def __call__(self, observation: Any, info: Info) -> Any:
        """The given decision, or the policy's own."""
        action = self._guide(observation, info)
        if action is None:
            return self.policy(observation, info)
        if not self._told(observation, info, action):
            self.policy(observation, info)
        return action

    async def _act(self, observation: Any, info: Info) -> Any:
        action = self._guide(observation, info)
        if action is None:
            return await self.policy.act(observation, info)  # type: ignore[attr-defined]
        if not self._told(observation, info, action):
            await self.policy.act(observation, info)  # type: ignore[attr-defined]
        return action

    def _told(self, observation: Any, info: Info, action: Any) -> bool:
        """Tells the policy of a decision made for it, if it listens to that."""
        watch = getattr(self.policy, "watch", None)
        if watch is None:
            return False
        watch(observation, info, action)
        return True


class ListGuide:
    """A guide that gives decisions in order, and then no more."""

    def __init__(self, given: Sequence[Any]) -> None:
        self.given = list(given)
        self.taken = 0

    def __call__(self, observation: Any, info: Info) -> Any:
        if self.taken == len(self.given):
            return None
        self.taken += 1
        return self.given[self.taken - 1]


__all__ = ["Guide", "GuidedPolicy", "ListGuide"]
