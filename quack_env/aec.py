"""The AEC form: one agent decides at a time, in the order of the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo.utils.env import AECEnv

from quack_env.base import QuackBase, mask_array
from quack_env.errors import IllegalActionError
from quack_env.info import Info
from quack_env.state import VOTING
from quack_env.view import View


class QuackAEC(QuackBase, AECEnv[str, Any, Any]):
    """QUACK as a PettingZoo AECEnv. Options: see `QuackBase`.

    Agents in transit and the dead are never selected; all terminate together at the end with their team's reward.
    """

    metadata = QuackBase.metadata | {"is_parallelizable": False}  # who is asked next depends on what was done

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game: the one of ``seed``, or the next of the last seeded reset.

        Args:
            seed: from 0.
            options: {"deal": the ``header`` of a `GameRecord`} deals that game again, with its given draws; ``seed``
                then does nothing. Other keys are left alone.

        Raises:
            ConfigError: a seed or options that cannot be.
            TrajectoryError: a recorded game of other settings than the environment's; names them.
        """
        self._deal(seed, options)
        self._begin()

    def _begin(self) -> None:
        """The bookkeeping of an episode that starts, or goes on from a loaded state."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None  # type: ignore[assignment]  # as PettingZoo's own code does
        game = self.game
        self._begin_stage()
        self._wait = bytes(game.wait_mask())
        self.masks.update(dict.fromkeys(self.agents, self._wait))
        self.infos: dict[str, dict[str, Any]] = {
            agent: Info(game.view(i), game.briefing, mask_array(self._wait)) for i, agent in enumerate(self.agents)
        }
        self._asked = -1
        if game.over:
            self._finish()
        else:
            self._ask()

    def _ask(self) -> None:
        """Select the agent that decides now: its view and mask are made once."""
        game = self.game
        i = game.state.current
        if self._asked >= 0:
            self.masks[self.possible_agents[self._asked]] = self._wait
        agent = self.possible_agents[i]
        self._asked = i
        self.agent_selection = agent
        legal = game.mask(i)
        self._mask = self.masks[agent] = bytes(legal)
        self._view = game.view(i)
        self._info = self.infos[agent] = Info(self._view, game.briefing, np.frombuffer(legal, np.int8))

    def observe(self, agent: str) -> dict[str, Any]:
        """What the agent can know now; the mask is {wait} unless it is selected, all is zero when it is dead."""
        if agent == self.agent_selection and self._asked >= 0:
            # The mask is one array in observation and info; `step` trusts neither.
            return self._observe(self._view, self._info["action_mask"])
        i = self._seat(agent)
        return self._observe(self._living_view(i), mask_array(self._wait))

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, termination, truncation and info of the selected agent."""
        if self._asked < 0 or not observe:
            return super().last(observe)
        # While the game goes on there is no reward and no end.
        return self._observe(self._view, self._info["action_mask"]), 0.0, False, False, self._info

    def _living_view(self, i: int) -> View | None:
        return self.game.view(i) if self.game.state.alive >> i & 1 else None

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(self._known(agent))

    def step(self, action: Any) -> None:
        """Apply the selected agent's action (an int, or with speech "text" a dict with "action" and "say").

        Raises:
            IllegalActionError: outside the mask; names agent, phase and legal set, and leaves the state as it is.
        """
        if self._asked < 0:
            self._was_dead_step(action)
            return
        game = self.game
        i = self._asked
        number: int = action
        say: str | None = None
        if type(action) is not int or not (0 <= action < len(self._mask) and self._mask[action]):
            number, say = self._parse(i, action, self._mask)
        game.decide(number, say)
        if self._stage is not None:
            self._stage.follow()
        if game.state.winner:
            self._finish()
        else:
            self._ask()

    def _finish(self) -> None:
        """All agents terminate together with their team's reward."""
        game = self.game
        self.rewards = self._rewards()
        self._cumulative_rewards = dict(self.rewards)
        self.terminations = dict.fromkeys(self.agents, True)
        self._asked = -1
        self.masks.update(dict.fromkeys(self.agents, self._wait))
        for i, agent in enumerate(self.agents):
            self.infos[agent] = Info(game.view(i), game.briefing, mask_array(self._wait))
            self.infos[agent]["outcome"] = self.rewards[agent]
        self.agent_selection = self.agents[0]

    def concurrent_agents(self) -> list[str]:
        """The agents whose decisions are independent right now: all who have yet to vote, else the selected one."""
        state = self.game.state
        if not self.agents or self.terminations[self.agent_selection]:
            return []
        if state.phase != VOTING:
            return [self.agent_selection]
        return [a for i, a in enumerate(self.possible_agents) if state.alive >> i & 1 and state.vote[i] < 0]

    def decision_of(self, agent: str) -> tuple[dict[str, Any], Info]:
        """Observation and info for one of `concurrent_agents`, as it will meet them when it is selected."""
        i = self._seat(agent)
        if agent not in self.concurrent_agents():
            raise IllegalActionError(f"{agent} does not decide now; {', '.join(self.concurrent_agents())} may")
        view = self.game.view(i)
        view.asked = 1
        mask = mask_array(self.game.mask(i))
        return self._observe(view, mask), Info(view, self.game.briefing, mask)

    def state_dict(self) -> dict[str, Any]:
        """The whole game as JSON-ready data, at any moment before the end."""
        return self.game.to_dict()

    def load_state_dict(self, data: dict[str, Any]) -> None:
        """Go on from a `state_dict` of an environment with the same config, map and speech mode."""
        self.game.load(data)
        self._begin()
