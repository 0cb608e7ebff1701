"""The evidence ceiling: what a perfect reasoner could have deduced about who is a Duck, meeting by meeting.

Which assignments of roles are consistent with perceptions is decided by `quack_env.posterior.Deduction`.

Three reasoners, for every meeting:

- *single*: one living Goose, from its own perceptions and its own role;
- *testimony*: the same Goose, with the truthful and complete reports of all other living Geese. It does not know who
  is one: under the hypothesis that somebody is a Duck, that player's report counts for nothing;
- *pooled*: nobody in particular, from the same reports alone.

A Duck is *singled out* where it is in every consistent assignment.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from quack_env import TrajectoryError
from quack_env.knowledge import Memory
from quack_env.posterior import Assignment, Assignments, Deduction, proven, seats_of, suspects
from quack_env.replay import Replay
from quack_env.state import FREE
from quack_eval.metrics.base import GameEval
from quack_eval.metrics.measure import Measure, mean, ratio
from quack_eval.trajectory import Trajectory


@dataclass(frozen=True)
class Evidence:
    """What the evidence allows at one meeting.

    ``single`` and ``testimony`` go by living Goose. Each is the set of consistent assignments of roles.
    """

    meeting: int
    tick: int
    ducks: Assignment
    living: Assignment
    single: dict[int, Assignments]
    testimony: dict[int, Assignments]
    pooled: Assignments

    def proves(self, consistent: Assignments) -> bool:
        """Whether a living Duck is singled out."""
        return bool(proven(consistent) & self.living)

    @property
    def by_one(self) -> bool:
        """Whether some living Goose's perceptions single out a Duck."""
        return any(self.proves(consistent) for consistent in self.single.values())

    @property
    def by_testimony(self) -> bool:
        """Whether some living Goose could single out a Duck with the reports of the others."""
        return any(self.proves(consistent) for consistent in self.testimony.values())

    @property
    def by_all(self) -> bool:
        """Whether the pooled reports single out a Duck."""
        return self.proves(self.pooled)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "meeting": self.meeting,
            "tick": self.tick,
            "single": {str(seat): _lists(consistent) for seat, consistent in self.single.items()},
            "testimony": {str(seat): _lists(consistent) for seat, consistent in self.testimony.items()},
            "pooled": _lists(self.pooled),
        }


def _lists(consistent: Assignments) -> list[list[int]]:
    return sorted(sorted(ducks) for ducks in consistent)


# --- one game --------------------------------------------------------------------------------------------------------


def evidence(trajectory: Trajectory) -> list[Evidence]:
    """What the evidence allows at every meeting of a recorded game.

    Raises:
        TrajectoryError: where the rules do not make the recording of its decisions: of other games, what everybody
            could have known is not known.
    """
    witnesses = _Witnesses(trajectory)
    found = witnesses.run()
    check = witnesses.replay.check
    for fault in check.illegal + check.mismatches:
        raise TrajectoryError(fault)
    return found


class _Witnesses:
    """Replays a game and keeps what every agent perceived."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.replay = Replay(trajectory)
        self.game = self.replay.game
        self.memories = [Memory(self.game.world, seat) for seat in range(self.game.world.n)]
        self.kills: list[list[int]] = [[]]
        self.stages = [self.living()]
        """Who was alive at the beginning of each leg and at each meeting, so far."""
        self.found: list[Evidence] = []

    def run(self) -> list[Evidence]:
        game, state = self.game, self.game.state
        self.look()
        for events in self.replay:
            for event in events:
                if event.kind == "kill" and event.target is not None:
                    self.kills[-1].append(event.target)
            if state.meeting > len(self.found):
                self.meet()
            if not game.over:
                self.look()
        return self.found

    def look(self) -> None:
        """What the agent that decides now is shown."""
        state = self.game.state
        if state.phase == FREE:
            while len(self.kills) <= state.meeting:  # a leg begins
                self.kills.append([])
                self.stages.append(self.living())
            self.memories[state.current].see(self.game.view(state.current))

    def meet(self) -> None:
        """A meeting has begun: everybody learns who is dead, and the evidence is weighed."""
        state = self.game.state
        living = self.living()
        if self.game.over:
            return
        for seat in living:
            self.memories[seat].see(self.game.view(seat))
        geese = [seat for seat in living if not state.ducks >> seat & 1]
        legs = {seat: [*self.memories[seat].legs, self.memories[seat].leg] for seat in geese}
        deduction = Deduction(self.game.world, legs, self.kills, living, self.revealed(), self.stages)
        self.found.append(
            Evidence(
                meeting=state.meeting - 1,
                tick=state.tick,
                ducks=frozenset(seats_of(state.ducks)),
                living=frozenset(living),
                single={seat: deduction.consistent([seat], seat) for seat in geese},
                testimony={seat: deduction.consistent(geese, seat) for seat in geese},
                pooled=deduction.consistent(geese),
            )
        )
        self.stages.append(living)

    def living(self) -> list[int]:
        """Who is alive."""
        return seats_of(self.game.state.alive)

    def revealed(self) -> dict[int, bool]:
        """The roles that ejections have shown."""
        if not self.trajectory.config.reveal_role:
            return {}
        return {
            event.target: (event.data or {}).get("role") == "duck"
            for event in self.trajectory.events[: self.replay.position]
            if event.kind == "ejected" and event.target is not None
        }


class EvidenceEval(GameEval):
    """The evidence ceiling of one game; undefined for one that the rules do not reproduce, the fact `fault` says why.

    By name (each undefined where its denominator is 0):
        ceiling_single: meetings at which some living Goose's perceptions single out a Duck / meetings.
        ceiling_testimony: those at which it does with the truthful reports of the other living Geese / meetings.
        ceiling_pooled: meetings at which the pooled reports of all living Geese single out a Duck / meetings.
        suspects_single, suspects_testimony: mean number of players that can be a Duck over meetings and living Geese.
        suspects_pooled: mean number of players that can be a Duck over meetings.
        best_ejection_pooled: the share of Ducks among the living suspects of the pooled reports (the accuracy of
            ejecting one of them at random) / meetings.
        ejection_accuracy: ejected Ducks / ejections, to be read against the ceilings.
        ejected_when_singled_out: meetings that eject a Duck / meetings at which the pooled reports single one out.
        ejected_when_not: meetings that eject a Duck / meetings at which they single out none.
    """

    tier: ClassVar[int] = 4
    title: ClassVar[str] = "Evidence"

    @property
    def evidence(self) -> list[Evidence]:
        """What the evidence allows at every meeting."""
        return self._weighed[0]

    @property
    def facts(self) -> dict[str, Any]:
        """Why there is no evidence, where the rules do not reproduce the game."""
        return {"fault": self._weighed[1]} if self._weighed[1] else {}

    @cached_property
    def _weighed(self) -> tuple[list[Evidence], str | None]:
        """The evidence, or why there is none."""
        assert isinstance(self.trajectory, Trajectory)
        try:
            return evidence(self.trajectory), None
        except TrajectoryError as fault:
            return [], str(fault).replace(f"{self.trajectory.path}{os.sep}", "")

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """The measures by name."""
        found = self.evidence
        ejected = {m.number: m.ejected for m in self.timeline.meetings}
        hit = {one.meeting: ejected.get(one.meeting) in one.ducks for one in found}
        return {
            "ceiling_single": ratio(one.by_one for one in found),
            "ceiling_testimony": ratio(one.by_testimony for one in found),
            "ceiling_pooled": ratio(one.by_all for one in found),
            "suspects_single": mean(len(suspects(c) & one.living) for one in found for c in one.single.values()),
            "suspects_testimony": mean(len(suspects(c) & one.living) for one in found for c in one.testimony.values()),
            "suspects_pooled": mean(len(suspects(one.pooled) & one.living) for one in found),
            "best_ejection_pooled": mean(_share_of_ducks(one) for one in found),
            "ejection_accuracy": ratio(who in self.timeline.ducks for who in ejected.values() if who is not None),
            "ejected_when_singled_out": ratio(hit[one.meeting] for one in found if one.by_all),
            "ejected_when_not": ratio(hit[one.meeting] for one in found if not one.by_all),
        }


def _share_of_ducks(one: Evidence) -> float:
    possible = suspects(one.pooled) & one.living
    return len(possible & one.ducks) / len(possible) if possible else 0.0


__all__ = ["Deduction", "Evidence", "EvidenceEval", "evidence", "proven", "suspects"]
