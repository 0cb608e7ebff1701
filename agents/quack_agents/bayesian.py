"""The Bayesian observer as a player: it believes what its evidence says, and votes as it believes."""

from __future__ import annotations

from typing import Any

from quack_agents.base import Action
from quack_agents.scripted import ScriptedPolicy
from quack_env.info import Info
from quack_env.posterior import Observing
from quack_env.state import VOTING

SURE = 0.5
"""It votes for somebody who is likelier a Duck than not, else it skips."""


class BayesianPolicy(Observing):
    """Walks and speaks as the scripted player does; believes as `quack_env.posterior`, and votes by that as a Goose."""

    def __init__(self) -> None:
        self.scripted = ScriptedPolicy()
        super().__init__(self.scripted)

    def __call__(self, observation: Any, info: Info) -> Action:
        """A legal action."""
        action: Action = super().__call__(observation, info)
        view = info["view"]
        return self._vote(info) if view.asked and view.phase == VOTING and not view.duck else action

    def _vote(self, info: Info) -> int:
        briefing = info["briefing"]
        believed = self.beliefs(info)
        most = max(believed.values(), default=0.0)
        suspects = [agent for agent, p in believed.items() if p == most]
        if most <= SURE or len(suspects) > 1:
            return int(briefing.action("skip()"))
        return int(briefing.action(f"vote({briefing.names[briefing.agents.index(suspects[0])]})"))

    def watch(self, observation: Any, info: Info, action: Action) -> None:
        """Take in a decision that was made for it (see `quack_agents.guided`)."""
        if self._observer is None:
            self.reset(info, 0)
        assert self._observer is not None
        if info["view"].asked:
            self._observer.see(info["view"])
        self.scripted.watch(observation, info, action)
