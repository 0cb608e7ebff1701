"""Situations on the stage: checked by stepping them, and played with policies under test."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, cast

from quack_agents.guided import GuidedPolicy
from quack_agents.play import OnStep, play
from quack_agents.probe import GameProbe
from quack_agents.probe.config import MOMENT
from quack_agents.situations.course import Course, SceneOver
from quack_agents.situations.situation import Extent, Situation
from quack_env.aec import QuackAEC
from quack_env.errors import ConfigError
from quack_env.info import Info
from quack_env.outcome import Outcome
from quack_env.policies import Policy
from quack_env.state import FREE
from quack_env.world import SPEECH
from quack_env.wrappers import RecordTrajectory


class Extra:
    """Stands in for a player whose decisions are all given, and for a free one in a trial run: it does nothing."""

    def __call__(self, observation: Any, info: Info) -> int:
        """Wait, have nothing to say, skip."""
        names = ("wait()", "speak()", "nothing()", "skip()")
        legal = info["legal_actions"]
        action: int = info["briefing"].action(next(name for name in names if name in legal))
        return action

    def watch(self, observation: Any, info: Info, action: Any) -> None:
        """It does not care."""


class StagedAEC(QuackAEC):
    """An environment that deals a situation whatever the seed, which decides what chance is left."""

    def __init__(self, situation: Situation, extent: Extent, speech: str = "tokens", **options: Any) -> None:
        super().__init__(situation.config, situation.game_map, speech=speech, **options)
        self._situation, self._extent = situation, extent

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the situation."""
        speech = SPEECH[self.game.world.speech]
        super().reset(options={"deal": self._situation.header(self._new_seed(seed), speech, self._extent)})


def check(situation: Situation) -> int:
    """Step the script, and those of its controls; the ticks that it takes. Who is free does nothing.

    Raises:
        SituationError: where a step is not legal; names line and reason.
    """
    extent = _stepped(situation)
    for control in situation.variants[1:]:
        _stepped(control)
    return extent.ticks


def _stepped(situation: Situation) -> Extent:
    """How far the script reaches."""
    course = Course(situation)
    most = situation.config.max_ticks
    env = StagedAEC(situation, Extent(most, most, most), observation="vector")
    actors = {agent: GuidedPolicy(Extra(), course.guide) for agent in env.possible_agents}
    env.reset(seed=0)
    state, legs, ticks = env.game.state, 1, 0
    try:
        for agent in env.agent_iter():
            observation, _, over, _, _ = env.last()
            if over:
                break
            action = actors[agent](observation, cast(Info, env.infos[agent]))
            ticks, legs = state.tick, state.meeting + 1 if state.phase == FREE else legs
            env.step(action)
    except SceneOver:
        return Extent(ticks, state.meeting, legs)
    course.moment(env.game.state.phase)  # goes past a vote that has just been cast
    if not course.over:
        entry = course.next_entry
        raise course.fault(entry.line, f"the game is over before this ({env.game.outcome})")
    return Extent(ticks, state.meeting, legs)


class SituationProbe(GameProbe):
    """Asks those under test at the situation's moments, beside what its configuration says.

    Args:
        course: the performance; others as for `GameProbe`.
    """

    def __init__(self, course: Course, config: Any = None, store: Any = None, game_id: str | None = None) -> None:
        super().__init__({"triggers": []} if config is None else config, store, game_id)
        self.course = course

    def due(self) -> Any:
        """What is to be awaited before the next decision."""
        moment = self.course.moment(self._game.state.phase)
        wait = super().due()
        if moment is None:
            return wait
        situation, living = self.course.situation, self._game.state.alive
        seats = [situation.names.index(name) for name in situation.tested]
        observers = [self._observer(seat, (MOMENT,), moment) for seat in seats if living >> seat & 1]
        taken = self._in_play("a moment").take(observers)
        return taken if wait is None else wait if taken is None else _both(wait, taken)


async def _both(first: Any, second: Any) -> None:
    await first
    await second


def perform(
    situation: Situation,
    policies: Mapping[str, Policy],
    seed: int = 0,
    *,
    folder: str | os.PathLike[str] | None = None,
    setting: str | None = None,
    speech: str = "tokens",
    probe: Any = None,
    store: Any = None,
    game_id: str | None = None,
    goes_on: bool = False,
    labels: Mapping[str, str] | None = None,
    on_step: OnStep | None = None,
) -> Outcome | None:
    """Play a situation with policies under test; how it ended, or None where it stopped with the script.

    Args:
        situation: what is played.
        policies: by name of the player. Those under test need one; another player has one for what comes after the
            script, and does nothing there without.
        seed: of chance after the script, of policies, and of the order in which names are listed.
        folder: where it is recorded; None for nowhere.
        setting: what the recording says that its conditions are called.
        speech: "tokens" or "text".
        probe: how and when to ask, beside the named moments (see `ProbeConfig`).
        store: where beliefs go.
        game_id: what the store calls the game.
        goes_on: whether all play on after the script.
        labels: names of the policies by player, for the recording.
        on_step: called with agent and action after every step.

    Raises:
        ConfigError: where a player under test has no policy.
        SituationError: where a step is not legal.
    """
    missing = [name for name in situation.tested if name not in policies]
    if missing:
        raise ConfigError(f"{situation.id}: no policy for {', '.join(missing)}, who is under test")
    course = Course(situation, stops=not goes_on)
    env: Any = StagedAEC(situation, _stepped(situation), speech, observation="vector")
    if folder is not None:
        told = {situation.agent(name): label for name, label in (labels or {}).items()}
        scripted = dict.fromkeys(env.possible_agents, "script")
        env = RecordTrajectory(env, folder, {**scripted, **told}, setting)
    actors = {
        agent: GuidedPolicy(policies.get(name) or Extra(), course.guide)
        for agent, name in zip(env.possible_agents, situation.names, strict=True)
    }
    asking = SituationProbe(course, probe, store, game_id)
    try:
        return play(env, actors, seed=seed, on_step=on_step, probe=asking)
    except SceneOver:
        return None
    finally:
        env.close()


__all__ = ["Extra", "SituationProbe", "StagedAEC", "check", "perform"]
