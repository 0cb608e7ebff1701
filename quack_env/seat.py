"""One seat of the game as a Gymnasium environment; policies play the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium

from quack_env.aec import QuackAEC
from quack_env.base import QuackBase, deal_of, mask_array, none_of, one_of
from quack_env.chance import policy_seed
from quack_env.errors import ConfigError, NotResetError
from quack_env.events import ROLES
from quack_env.policies import make_policy
from quack_env.replay import check_fits
from quack_env.spaces import MaskedDiscrete
from quack_env.yaml_file import shown

SEAT_ID = "quack_env/Seat-v0"


class QuackSeat(gymnasium.Env[Any, Any]):
    """The decisions of one agent; everything between them is played by the other seats' policies.

    Args:
        seat: the seat to play, from 0; its role changes with the seed, unless ``role`` fixes it.
        opponents: a policy name for all other seats, a mapping from agent to policy name or policy, or a policy
            without memory (without ``reset``). Agents that a mapping leaves out are scripted; what it says of the seat
            itself is not looked at.
        role: "goose" or "duck", to play only that: `reset` passes over the games that deal the seat the other role.
            None for whatever is dealt.
        render_mode: as for the AEC form.
        options: those of `quack_env.env`.

    The observation, the mask (also `info["action_mask"]`) and the infos are those of the AEC form. When the agent dies
    the others play on: the step that led there returns the end of the game. The reward is the team's, at the end.

    Raises:
        ConfigError: naming the option, its value and what is allowed.
    """

    metadata = QuackAEC.metadata

    def __init__(
        self,
        seat: int = 0,
        opponents: Any = "scripted",
        role: str | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        none_of(options, QuackSeat, QuackBase)
        self.env = QuackAEC(render_mode=render_mode, **options)
        self._ended = False
        self.render_mode = render_mode
        agents = self.env.possible_agents
        self._seat = one_of("seat", seat, tuple(range(len(agents))))
        self.agent = agents[self._seat]
        self.role = one_of("role", role, (None, *ROLES))
        self.observation_space = self.env.observation_space(self.agent)
        self.action_space = self.env.action_space(self.agent)
        if isinstance(self.action_space, MaskedDiscrete):
            self.action_space.role = self.role
        others = [agent for agent in agents if agent != self.agent]
        chosen = opponents if isinstance(opponents, Mapping) else dict.fromkeys(others, opponents)
        for agent in chosen:
            one_of("opponents", agent, tuple(agents))
        self.policies = {a: _opponent(chosen.get(a, "scripted")) for a in others}
        remembering = [id(policy) for policy in self.policies.values() if hasattr(policy, "reset")]
        if len(set(remembering)) < len(remembering):
            raise ConfigError("opponents: several share one policy that keeps a memory; give a name, or each its own")

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal a new game and play to the seat's first decision; ``seed`` and ``options`` as for the AEC form.

        Raises:
            ConfigError: a seed or options that cannot be, or a recorded game that deals the seat another ``role``.
            TrajectoryError: a recorded game of other settings than the environment's; names them.
        """
        recorded = deal_of(options)
        if recorded is not None:
            check_fits(self.env.game, recorded)
            dealt = recorded.seats[self._seat].role
            if self.role not in (None, dealt):
                raise ConfigError(f"role={self.role!r}: {self.agent} is a {dealt} in the game of the options")
        self.env.reset(seed=seed, options=options)
        super().reset(seed=None if seed is None else int(seed))  # Gymnasium takes no number of NumPy's
        while self.role not in (None, self._dealt):
            self.env.reset()
        self._ended = False
        for i, agent in enumerate(self.env.possible_agents):
            if agent != self.agent and hasattr(self.policies[agent], "reset"):
                self.policies[agent].reset(self.env.infos[agent], policy_seed(self.env.game.seed, i))
        self._play_others()
        return self._now()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, then play to the seat's next decision or the end.

        Where the agent dies before its first decision, `reset` shows the end, and one step with any action returns it.

        Raises:
            IllegalActionError: outside the mask.
            NotResetError: before the first `reset`, and after a step that returned the end.
        """
        if self._ended:
            raise NotResetError("reset() has to be called first (the game is over)")
        if not self.env.game.over:
            self.env.step(action)
            self._play_others()
        observation, info = self._now()
        over = self._ended = self.env.game.over
        return observation, self.env.rewards[self.agent] if over else 0.0, over, False, info

    @property
    def _dealt(self) -> str:
        """The role of the seat in this game."""
        return ROLES[self.env.game.state.ducks >> self._seat & 1]

    def _play_others(self) -> None:
        env = self.env
        while not env.game.over and env.agent_selection != self.agent:
            agent = env.agent_selection
            observation, _, _, _, info = env.last()
            env.step(self.policies[agent](observation, info))

    def _now(self) -> tuple[Any, dict[str, Any]]:
        return self.env.observe(self.agent), self.env.infos[self.agent]

    def render(self) -> Any:
        """As for the AEC form."""
        return self.env.render()

    def close(self) -> None:
        """As for the AEC form."""
        self.env.close()

    def action_masks(self) -> Any:
        """The legal actions, int8 (A,), under the name sb3-contrib looks for.

        Raises:
            NotResetError: before the first `reset`.
        """
        if self.agent not in self.env.masks:
            raise NotResetError("reset() has to be called first (there is no mask yet)")
        return mask_array(self.env.masks[self.agent])


def _opponent(policy: Any) -> Any:
    """The policy that is given, or named."""
    if isinstance(policy, type):
        raise ConfigError(f"opponents={policy.__name__}: is a class; give a policy of it, or a name")
    if not isinstance(policy, str) and not callable(policy):
        allowed = "a policy's name, a policy, or a mapping from agents to these"
        raise ConfigError(f"opponents={shown(policy)}: must be {allowed}")
    try:
        return policy if callable(policy) else make_policy(policy)
    except ConfigError as fault:
        raise ConfigError(f"opponents: {fault}") from None


def register() -> None:
    """Register the seat environment with Gymnasium (importing `quack_env` does this)."""
    if SEAT_ID not in gymnasium.registry:
        gymnasium.register(SEAT_ID, entry_point="quack_env.seat:QuackSeat")
