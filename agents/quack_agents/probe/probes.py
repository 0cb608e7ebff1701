"""The faces of probing: around a policy, in the loop, around an environment."""

from __future__ import annotations

import os
from collections.abc import Coroutine, Mapping
from typing import Any

from pettingzoo.utils.wrappers import BaseWrapper

from quack_agents.llm import LOOP
from quack_agents.probe.asking import Asking, Observer
from quack_agents.probe.config import MOMENT, ProbeConfig
from quack_agents.probe.moments import LoopWatch, OwnWatch
from quack_env.base import mask_array
from quack_env.beliefs import Answer, Belief, BeliefStore, game_id_of
from quack_env.errors import ConfigError, NotResetError
from quack_env.game import Game
from quack_env.info import Info
from quack_env.yaml_file import shown

Store = BeliefStore | str | os.PathLike[str] | None
Wait = Coroutine[Any, Any, None] | None


def store_of(given: Store) -> BeliefStore | None:
    """The store at a path."""
    return given if given is None or isinstance(given, BeliefStore) else BeliefStore(given)


def name_of(recorder: Any, store: BeliefStore | None, game: Game) -> str:
    """How the store calls a game: by its folder where it is recorded, else by its seed."""
    if recorder is None or recorder.folder is None:
        return f"seed-{game.seed}"
    return game_id_of(recorder.folder, store.path.parent if store is not None else recorder.folder)


class GameProbe:
    """Probes all policies of a game from outside: `play(env, policies, probe=GameProbe(...))`.

    Snapshots are taken right before a decision, of the agents that the configuration chooses, all at once.

    Args:
        config: a `ProbeConfig`, a mapping, a YAML file, or triggers by name.
        store: where beliefs go (a `BeliefStore` or the path of one); None keeps those of the latest game in memory.
        game_id: what the store calls the game; None for its folder relative to the store's.
    """

    def __init__(
        self,
        config: ProbeConfig | Mapping[str, Any] | str = "once_per_meeting",
        store: Store = None,
        game_id: str | None = None,
    ) -> None:
        self.config = ProbeConfig.of(config)
        self.store = store_of(store)
        self.game_id = game_id
        self._asking: Asking | None = None

    def begin(self, env: Any, policies: Mapping[str, Any]) -> None:
        """A game has been dealt; what the store holds of an earlier attempt at it is forgotten."""
        self._game: Game = env.unwrapped.game
        self._policies = policies
        self._watch = LoopWatch(self.config)
        self._events = 0
        recorder = getattr(env, "recorder", None)
        name = self.game_id or name_of(recorder, self.store, self._game)
        self._asking = Asking(self.config, self.store, name, recorder)
        if self.store is not None:
            self.store.remove(name)

    @property
    def beliefs(self) -> list[Belief]:
        """Those of the latest game; none before the first."""
        return self._asking.beliefs if self._asking is not None else []

    @property
    def answers(self) -> list[Answer]:
        """Those of the latest game, to further questions; none before the first."""
        return self._asking.answers if self._asking is not None else []

    def due(self) -> Wait:
        """Look for what is due before the next decision, once for each: what is to be awaited for it, or None.

        Raises:
            NotResetError: before the first game.
        """
        asking = self._in_play("due()")
        if asking.recorder is None:
            self._events += len(self._game.state.log)
        found = self._watch.due(self._game)
        return asking.take([self._observer(seat, tuple(why)) for seat, why in found.items()]) if found else None

    def at(self, moment: str) -> Wait:
        """A snapshot of every living agent now, under a name of its own ("T0").

        Raises:
            ConfigError: where the name is no text, or empty.
            NotResetError: before the first game.
        """
        if not isinstance(moment, str) or not moment:
            raise ConfigError(f"moment={shown(moment)}: must be a name that is not empty, as in 'T0'")
        asking = self._in_play(f"at({moment!r})")
        living = [seat for seat in range(self._game.world.n) if self._game.state.alive >> seat & 1]
        return asking.take([self._observer(seat, (MOMENT,), moment) for seat in living])

    def _in_play(self, asked: str) -> Asking:
        if self._asking is None:
            raise NotResetError(f"{asked}: this GameProbe has no game yet; give it to play(..., probe=...)")
        return self._asking

    def _observer(self, seat: int, triggers: tuple[str, ...], moment: str | None = None) -> Observer:
        game, recorder = self._game, self._in_play("a snapshot").recorder
        mask = game.mask(seat) if seat == game.state.current else game.wait_mask()
        info = Info(game.view(seat), game.briefing, mask_array(mask))
        index = self._events if recorder is None else recorder.events
        return Observer(self._policies[game.briefing.agents[seat]], info, triggers, index, moment)


class BeliefProbe:
    """A policy that is asked what it believes before it decides; the request itself reaches it unchanged.

    Everything else (`reset`, `act`, `beliefs`, attributes) is the wrapped policy's own. In a loop with several probes
    give each its own wrapper, and all of them the same store.

    Args:
        policy: any policy; one with `abeliefs`, as `VLMPolicy` has it, is asked in words, others for their `beliefs`.
        triggers: as in `ProbeConfig`; those between decisions fire at the agent's next one.
        order: 2 also asks what each other player thinks.
        mode: "isolated", or "inline" for the arm in which the answers stay in the policy's context.
        rationale: whether reasons are asked for.
        store: where beliefs go; it needs a recorded ``env``.
        game_id: what the store calls the game; None for its folder relative to the store's.
        env: the environment of the loop, which knows where in the recording a decision stands.
        **options: further fields of `ProbeConfig`.

    Raises:
        ConfigError: where an option is not valid, or a store is given without a recorded environment.
    """

    def __init__(
        self,
        policy: Any,
        triggers: Any = "once_per_meeting",
        order: int = 1,
        mode: str = "isolated",
        rationale: bool = False,
        *,
        store: Store = None,
        game_id: str | None = None,
        env: Any = None,
        **options: Any,
    ) -> None:
        given = {"triggers": triggers, "order": order, "mode": mode, "rationale": rationale, **options}
        self.config = ProbeConfig.of(given)
        self.policy = policy
        self.store = store_of(store)
        self.game_id = game_id
        self.env = env
        if store is not None and getattr(env, "recorder", None) is None:
            raise ConfigError("store: needs env, the recorded environment in which the policy plays")
        self._asking: Asking | None = None
        self._tick = 0
        if hasattr(policy, "act"):
            self.act = self._act

    def __getattr__(self, name: str) -> Any:
        if name == "policy":  # not yet made: a copy is being built
            raise AttributeError(name)
        return getattr(self.policy, name)

    def reset(self, info: Info, seed: int) -> None:
        """A new game begins, for the wrapped policy too."""
        if hasattr(self.policy, "reset"):
            self.policy.reset(info, seed)
        self._begin(info)

    def __call__(self, observation: Any, info: Info) -> Any:
        """The wrapped policy's decision, after a snapshot where one is due."""
        wait = self._due(info)
        if wait is not None:
            LOOP.run(wait)
        return self.policy(observation, info)

    async def _act(self, observation: Any, info: Info) -> Any:
        wait = self._due(info)
        if wait is not None:
            await wait
        return await self.policy.act(observation, info)

    @property
    def taken(self) -> list[Belief]:
        """The beliefs of the latest game."""
        return self._asking.beliefs if self._asking is not None else []

    @property
    def answers(self) -> list[Answer]:
        """The answers to further questions, of the latest game."""
        return self._asking.answers if self._asking is not None else []

    def _begin(self, info: Info) -> None:
        view, briefing = info["view"], info["briefing"]
        recorder = getattr(self.env, "recorder", None)
        name = self.game_id or (name_of(recorder, self.store, self.env.unwrapped.game) if self.env is not None else "")
        self._asking = Asking(self.config, self.store, name, recorder)
        self._watch = OwnWatch(self.config)
        self._tick = view.tick
        if self.store is not None:
            self.store.remove(name, briefing.agents[view.me])

    def _due(self, info: Info) -> Wait:
        view = info["view"]
        if self._asking is None or view.tick < self._tick:  # a loop that resets nobody
            self._begin(info)
        assert self._asking is not None
        self._tick = view.tick
        triggers = self._watch.due(view)
        return (
            self._asking.take([Observer(self.policy, info, tuple(triggers), self._event_index())]) if triggers else None
        )

    def _event_index(self) -> int:
        recorder = getattr(self.env, "recorder", None)
        return recorder.events if recorder is not None else -1


class ProbedEnv(BaseWrapper[str, Any, Any]):
    """An environment whose agents are probed before each decision, wherever their policies live.

    For loops that are not ours: the first `last()` (or `step`) of every decision takes the snapshots that are due. Put
    it outside all other wrappers.

    Args:
        env: an AEC environment, recorded or not.
        probe: what to probe, and where beliefs go.
        policies: for every agent something with `beliefs` or `abeliefs`.
    """

    def __init__(self, env: Any, probe: GameProbe, policies: Mapping[str, Any]) -> None:
        super().__init__(env)
        self.probe = probe
        self.policies = policies
        self._looked = True

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game."""
        super().reset(seed=seed, options=options)
        self.probe.begin(self.env, self.policies)
        self._looked = False

    def last(self, observe: bool = True) -> Any:
        """As the environment's, after the snapshots that are due."""
        self._look()
        return self.env.last(observe)

    def step(self, action: Any) -> None:
        """Step the environment."""
        self._look()
        self.env.step(action)
        self._looked = False

    def _look(self) -> None:
        if not self._looked:
            self._looked = True
            wait = self.probe.due()
            if wait is not None:
                LOOP.run(wait)
