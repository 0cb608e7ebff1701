"""The parallel form: everybody acts at once, a tick a step; one speaker a step in discussions, the vote in one step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils.env import ParallelEnv

from quack_env.base import QuackBase, mask_array
from quack_env.errors import IllegalActionError
from quack_env.info import Info
from quack_env.state import DISCUSSION, FREE
from quack_env.view import View, is_asked_together

Step = tuple[dict[str, dict[str, Any]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]


class LastInfos(dict[str, dict[str, Any]]):
    """The infos of the last step: those of its agents, and on asking the outcome of one that was removed earlier.

    Its keys are those of the observations, as PettingZoo's conversions and training libraries demand.
    """

    def __init__(self, infos: Mapping[str, dict[str, Any]], removed: Mapping[str, dict[str, Any]]) -> None:
        super().__init__(infos)
        self.removed = removed

    def __missing__(self, agent: str) -> dict[str, Any]:
        return self.removed[agent]

    def get(self, agent: str, default: Any = None) -> Any:
        """As for a dict, the removed included."""
        return self[agent] if agent in self or agent in self.removed else default


class QuackParallel(QuackBase, ParallelEnv[str, Any, Any]):
    """QUACK as a native PettingZoo ParallelEnv. Options: see `QuackBase`.

    Masks are those at the start of the tick; the actions apply in this tick's turn order. An action that has become
    illegal by then becomes wait: `infos[agent]["lapsed"]` is True. Who is not asked (in transit, not the speaker, dead)
    has the mask {wait}.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Deal a new game: the one of ``seed``, or the next of the last seeded reset; options as in the AEC form."""
        self._deal(seed, options)
        self.agents = self.possible_agents[:]
        self._wait = bytes(self.game.wait_mask())
        self._begin_stage()
        return self._look(())

    def _look(self, lapsed: tuple[int, ...]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Observations and infos of the agents, from views and masks made once a step."""
        game = self.game
        self._legal: dict[int, bytes] = {}
        observations: dict[str, dict[str, Any]] = {}
        infos: dict[str, dict[str, Any]] = {}
        for agent in self.agents:
            i = self.possible_agents.index(agent)
            view: View = game.view(i)
            view.asked = 0
            mask = self._wait
            if not game.over and is_asked_together(game.state, i):
                view.asked = 1
                mask = self._legal[i] = bytes(game.mask(i))
            self.masks[agent] = mask
            shown = mask_array(mask)
            observations[agent] = self._observe(view if view.self_alive else None, shown)
            infos[agent] = Info(view, game.briefing, shown)
            if i in lapsed:
                infos[agent]["lapsed"] = True
        return observations, infos

    def step(self, actions: Mapping[str, Any]) -> Step:
        """Apply one action of every agent (who is not asked waits, and may be left out; removed agents must be).

        Raises:
            IllegalActionError: an action outside its agent's mask; names agent, phase and legal set; nothing happens.
        """
        game = self.game
        chosen = self._check(actions)
        game.drop_log()
        lapsed = self._play(chosen)
        if self._stage is not None:
            self._stage.follow()
        over = game.over
        before = self.agents
        if over:
            rewards = self._rewards()
            terminations = dict.fromkeys(before, True)
        else:
            rewards = dict.fromkeys(before, 0.0)
            gone = ~game.state.alive if self.dead_agents == "remove" else 0
            terminations = {a: bool(gone >> self.possible_agents.index(a) & 1) for a in before}
        observations, infos = self._look(lapsed)
        if over:
            for agent in before:
                infos[agent]["outcome"] = rewards[agent]
            infos = LastInfos(infos, {a: {"outcome": reward} for a, reward in rewards.items() if a not in infos})
        self.agents = [a for a in before if not terminations[a]]
        return observations, {a: rewards[a] for a in before}, terminations, dict.fromkeys(before, False), infos

    def _check(self, actions: Mapping[str, Any]) -> dict[int, tuple[int, str | None]]:
        """The submitted actions of the agents asked now, all of them legal at the start of the step."""
        game = self.game
        if not isinstance(actions, Mapping):
            raise IllegalActionError(f"actions must be a dict from agents to actions, not a {type(actions).__name__}")
        for agent in actions:
            if agent not in self._action_spaces:
                raise IllegalActionError(f"no agent {agent!r}; agents are {', '.join(self.possible_agents)}")
        chosen: dict[int, tuple[int, str | None]] = {}
        wait = game.wait_mask()
        for i, agent in enumerate(self.possible_agents):
            mask = self._legal.get(i)
            if mask is None:
                if agent in actions:
                    self._parse(i, actions[agent], wait if agent in self.agents else b"")
                continue
            if agent not in actions:
                raise IllegalActionError(f"no action given for {agent}, who decides in this step")
            chosen[i] = self._parse(i, actions[agent], mask)
        return chosen

    def _play(self, chosen: dict[int, tuple[int, str | None]]) -> tuple[int, ...]:
        """Apply the step's actions in the order of the rules; who lapsed."""
        game, state = self.game, self.game.state
        for i in chosen:
            game.show(i)
        lapsed: list[int] = []
        phase, tick = state.phase, state.tick
        if phase == DISCUSSION:
            game.act(*chosen[state.current])
            game.advance()
            return ()
        while state.phase == phase and state.tick == tick and not game.over:
            i = state.current
            number, say = chosen[i]
            if phase == FREE and not game.mask(i)[number]:
                game.lapse(number, say)
                lapsed.append(i)
            else:
                game.act(number, say)
            game.advance()
        return tuple(lapsed)

    def concurrent_agents(self) -> list[str]:
        """The agents that decide in this step; all others may only wait."""
        return [self.possible_agents[i] for i in self._legal]

    def _agents_of(self, saved: Any) -> list[str]:
        """The agents of a `state_dict`, which are some of the environment's, in its order."""
        if list(saved) != [agent for agent in self.possible_agents if agent in saved]:
            raise ValueError("agents")
        return list(saved)

    def state_dict(self) -> dict[str, Any]:
        """The whole game as JSON-ready data, at any moment before the end."""
        return self.game.to_dict() | {"agents": self.agents[:]}

    def load_state_dict(self, data: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Go on from a `state_dict` of an environment with the same options; observations and infos as from `reset`."""
        self.agents = self.game.load(data, beside={"agents": self._agents_of})["agents"]
        self._wait = bytes(self.game.wait_mask())
        self._begin_stage()
        return self._look(())
