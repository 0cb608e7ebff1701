"""Forks: a recorded game played again up to a moment, and from there on differently (beliefs.md, "Forks")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from quack_env.aec import QuackAEC
from quack_env.errors import TrajectoryError
from quack_env.replay import Replay
from quack_env.trajectory import GameRecord, Header
from quack_env.yaml_file import shown


@dataclass(frozen=True)
class Decision:
    """What an agent decided: what `step` takes, and the index of the recorded event that it left."""

    agent: str
    action: Any
    event: int


@dataclass(frozen=True)
class Past:
    """A recorded game up to a moment: its header, and the decisions before it in their order."""

    header: Header
    decisions: tuple[Decision, ...]

    @classmethod
    def of(cls, record: GameRecord, at: int | None = None) -> Past:
        """The decisions whose events come before event ``at`` (default: all), as far as they follow from the rules.

        Raises:
            TrajectoryError: no such event; a recording of the parallel form, whose decisions were not made one after
                the other; or one that its rules refuse.
        """
        events = record.events
        if at is not None and not 0 <= at <= len(events):
            raise TrajectoryError(f"event {at}: the recording has the events 0 to {len(events) - 1}")
        if record.header.form != "aec":
            raise TrajectoryError("a fork needs a recording of the AEC form: here all decided at the start of a tick")
        return cls(record.header, tuple(_decisions(record, len(events) if at is None else at)))

    def actions(self, agent: str) -> list[Any]:
        """What an agent decided, in order."""
        return [decision.action for decision in self.decisions if decision.agent == agent]


def _decisions(trajectory: GameRecord, end: int) -> Iterator[Decision]:
    """The decisions before an event, found by replaying them."""
    replay = Replay(trajectory)
    agents = replay.game.briefing.agents
    for event, action, say in replay.steps():
        if event.index >= end:
            return
        yield Decision(agents[event.actor or 0], {"action": action, "say": say} if say else action, event.index)
    if replay.check.illegal:
        raise TrajectoryError(replay.check.illegal[0])


class ForkAEC(BaseWrapper[str, Any, Any]):
    """An AEC environment that deals a recorded game; after its past has been stepped through, chance is the fork's own.

    The loop steps through the past too, so that policies see what they saw then (`quack_agents.GuidedPolicy` gives the
    recorded decisions); `skip` does it at once, for whoever needs no memory of it.

    Args:
        env: the environment, of the recording's settings; see `fork`.
        past: what is fixed.
        number: of the continuation; 0 keeps the original's chance.
    """

    def __init__(self, env: AECEnv[str, Any, Any], past: Past, number: int = 1) -> None:
        super().__init__(env)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise TrajectoryError(f"fork number {number!r}: must be a whole number from 0")
        self.past = past
        here = len(past.decisions)
        forks = [
            *((at, earlier) for at, earlier in past.header.forks if at <= here),
            *([(here, number)] if number else []),
        ]
        self.header = past.header.model_copy(update={"forks": forks})
        self.decided = 0

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the recorded game; ``seed`` is not used, it stands in the recording."""
        super().reset(options={"deal": self.header})
        self.decided = 0

    def step(self, action: Any) -> None:
        """Step the environment."""
        super().step(action)
        self.decided += 1
        self.unwrapped.game.branch(self.decided)  # type: ignore[attr-defined]

    def skip(self) -> None:
        """Step through the rest of the past."""
        for decision in self.past.decisions[self.decided :]:
            self.step(decision.action)


def fork(record: GameRecord, at: int | None = None, number: int = 1, **options: Any) -> ForkAEC:
    """The environment of continuation ``number`` of a recorded game from event ``at`` on.

    Args:
        record: the recording, of the AEC form.
        at: decisions that left an event before this one are fixed; None fixes all of them.
        number: of the continuation, from 1; 0 goes on with the original's chance.
        **options: observation, image_size, render_mode and such, as for `quack_env.env`.

    Raises:
        TrajectoryError: no recording; see `Past.of`, too.
    """
    if not isinstance(record, GameRecord):
        raise TrajectoryError(f"{shown(record)}: must be a recorded game, as GameRecord.load(PATH) reads it")
    inner = QuackAEC(record.config, record.game_map, speech=record.header.speech, **options)
    return ForkAEC(inner, Past.of(record, at), number)


__all__ = ["Decision", "ForkAEC", "Past", "fork"]
