"""A policy whose first decisions are given: for forks of recorded games, and for scripted situations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from quack_agents.base import Agent
from quack_env.policies import Policy


class GuidedPolicy(Agent):
    """Takes the given decisions first, then those of its policy, which has seen everything that it would have seen.

    While decisions are given, a policy that has ``watch(observation, info, action)`` is told of each; another one is
    asked, and its answer is dropped.

    Args:
        policy: decides when nothing more is given.
        given: actions as `step` takes them, in order.
    """

    def __init__(self, policy: Policy, given: Sequence[Any]) -> None:
        self.policy = policy
        self.given = list(given)
        self._next = 0
        if hasattr(policy, "act"):
            self.act: Callable[[Any, Any], Awaitable[Any]] = self._act

    def reset(self, info: Any, seed: int) -> None:
        """A new game: all is given once more."""
        self._next = 0
        reset = getattr(self.policy, "reset", None)
        if reset is not None:
            reset(info, seed)

    @property
    def guided(self) -> bool:
        """Whether its next decision is given."""
        return self._next < len(self.given)

    def __call__(self, observation: Any, info: Any) -> Any:
        """The next given decision, or the policy's own."""
        if not self.guided:
            return self.policy(observation, info)
        action = self._take()
        if not self._told(observation, info, action):
            self.policy(observation, info)
        return action

    async def _act(self, observation: Any, info: Any) -> Any:
        if not self.guided:
            return await self.policy.act(observation, info)  # type: ignore[attr-defined]
        action = self._take()
        if not self._told(observation, info, action):
            await self.policy.act(observation, info)  # type: ignore[attr-defined]
        return action

    def _take(self) -> Any:
        self._next += 1
        return self.given[self._next - 1]

    def _told(self, observation: Any, info: Any, action: Any) -> bool:
        """Tells the policy of a decision made for it, if it listens to that."""
        watch = getattr(self.policy, "watch", None)
        if watch is None:
            return False
        watch(observation, info, action)
        return True

    def beliefs(self) -> dict[str, float]:
        """Those of its policy."""
        beliefs = getattr(self.policy, "beliefs", None)
        return {} if beliefs is None else dict(beliefs())
