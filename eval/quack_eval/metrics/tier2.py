"""Tier 2: what the agents did (paper section 4.2 and Appendix B, `metrics.md`)."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import networkx as nx

from quack_eval import findings
from quack_eval.metrics.base import GameEval
from quack_eval.metrics.measure import Measure, mean, ratio
from quack_eval.timeline import ALIVE, Timeline


class BehaviourEval(GameEval):
    """Tier 2 of one game: votes, reports, work, rooms, kills.

    Paper convention, by name (each undefined where its denominator is 0):
        goose_vote_accuracy: Goose votes for a Duck / Goose votes that are no skip.
        goose_skip_rate: Goose skips / Goose votes.
        report_latency: mean ticks from death to report over reported bodies.
        task_efficiency: ticks with a task step / ticks that Geese began alive.
        task_efficiency_with_moves: ticks with a task step, or of moves (transit included) that shorten the way to a
            room of an own unfinished task / ticks that Geese began alive [ours].
        rooms_visited_geese, rooms_visited_ducks: distinct rooms that an agent was in, spawn rooms included / agents.
        kills_per_duck: kills / Ducks.
        cooldown_utilisation: kills / kill opportunities (see `findings.opportunities`).
        self_report_rate: kills whose body its killer reported / kills.
        post_kill_displacement: rooms the killer entered between its kill and the next call, or the end / kills.
        post_kill_hops: corridors between the room of the kill and where that found the killer / kills [ours].
    """

    tier: ClassVar[int] = 2
    title: ClassVar[str] = "Tier 2: behaviour"

    @property
    def facts(self) -> dict[str, Any]:
        """In the published convention, the displacement after every kill."""
        if self.convention == "published":
            from quack_eval.metrics.published import tier2_facts

            return tier2_facts(self.timeline)
        return {}

    @cached_property
    def votes(self) -> list[findings.Vote]:
        """Every vote."""
        return findings.votes(self.timeline)

    @cached_property
    def kills(self) -> list[findings.Kill]:
        """Every kill."""
        return findings.kills(self.timeline)

    @cached_property
    def opportunities(self) -> list[findings.Opportunity]:
        """Every kill opportunity."""
        return findings.opportunities(self.timeline)

    @cached_property
    def work(self) -> list[findings.Work]:
        """How every Goose used its ticks."""
        return findings.work(self.timeline)

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """The measures by name."""
        if self.convention == "published":
            from quack_eval.metrics.published import tier2

            return tier2(self.timeline)
        kills, work, timeline = self.kills, self.work, self.timeline
        cast = [vote for vote in self.votes if vote.by_goose]
        ticks = sum(seat.ticks for seat in work)
        steps = sum(seat.task_ticks for seat in work)
        return {
            "goose_vote_accuracy": ratio(vote.for_duck for vote in cast if vote.target is not None),
            "goose_skip_rate": ratio(vote.target is None for vote in cast),
            "report_latency": mean(kill.report_tick - kill.tick for kill in kills if kill.report_tick is not None),
            "task_efficiency": Measure(steps, ticks),
            "task_efficiency_with_moves": Measure(steps + sum(seat.approach_ticks for seat in work), ticks),
            "rooms_visited_geese": mean(len(rooms_visited(timeline, seat)) for seat in timeline.geese),
            "rooms_visited_ducks": mean(len(rooms_visited(timeline, seat)) for seat in timeline.ducks),
            "kills_per_duck": Measure(len(kills), len(timeline.ducks)),
            "cooldown_utilisation": ratio(chance.taken for chance in self.opportunities),
            "self_report_rate": ratio(kill.reporter == kill.killer for kill in kills),
            "post_kill_displacement": mean(len(kill.rooms_entered) for kill in kills),
            "post_kill_hops": mean(hops(timeline, kill.room, kill.end_room) for kill in kills),
        }


def rooms_visited(timeline: Timeline, seat: int) -> set[str]:
    """The rooms that a seat was in while it lived."""
    return {stay.room for stay in timeline.stays[seat] if stay.room is not None and stay.state == ALIVE}


def hops(timeline: Timeline, start: str, end: str) -> int:
    """Corridors on the way with the fewest of them."""
    return int(nx.shortest_path_length(timeline.trajectory.game_map.graph, start, end))
