"""Tier 1: how the game went (paper section 4.1 and Appendix B, `metrics.md`)."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from quack_eval import findings
from quack_eval.metrics.base import GameEval
from quack_eval.metrics.measure import Measure, mean, once, ratio


class OutcomeEval(GameEval):
    """Tier 1 of one game: winner and reason, length, tasks, kills, meetings, ejections, survivors.

    Paper convention, by name (each undefined where its denominator is 0):
        geese_win: 1 or 0; undefined for a game that did not end.
        ticks: free-roam ticks played.
        task_completion: tasks that Geese completed / tasks of all Geese, the dead included.
        kills, meetings, meetings_by_body, meetings_by_button, ejections, votes_without_ejection: counts.
        first_kill_tick: tick of the first kill; undefined without one.
        kill_interval: mean ticks between consecutive kills; undefined with fewer than two.
        ejection_accuracy: ejected Ducks / ejections.
        survivors_geese, survivors_ducks: living at the end.
    """

    tier: ClassVar[int] = 1
    title: ClassVar[str] = "Tier 1: outcome"

    @property
    def facts(self) -> dict[str, Any]:
        """Winner and reason; in the published convention also who is what, and the kills."""
        if self.convention == "published":
            from quack_eval.metrics.published import tier1_facts

            return tier1_facts(self.timeline)
        outcome = self.trajectory.outcome
        return {"winner": outcome.winner if outcome else None, "reason": outcome.reason if outcome else None}

    @cached_property
    def kills(self) -> list[findings.Kill]:
        """Every kill."""
        return findings.kills(self.timeline)

    @cached_property
    def results(self) -> list[findings.Result]:
        """The result of every vote."""
        return findings.results(self.timeline)

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """The measures by name."""
        if self.convention == "published":
            from quack_eval.metrics.published import tier1

            return tier1(self.timeline)
        timeline, outcome = self.timeline, self.trajectory.outcome
        times = [kill.tick for kill in self.kills]
        ejected = [result for result in self.results if result.ejected is not None]
        by_body = sum(meeting.by_body for meeting in timeline.meetings)
        return {
            "geese_win": once(None if outcome is None else outcome.winner == "geese"),
            "ticks": once(timeline.last_tick),
            "task_completion": self.task_completion(),
            "kills": once(len(times)),
            "first_kill_tick": once(times[0] if times else None),
            "kill_interval": mean(later - earlier for earlier, later in pairwise(times)),
            "meetings": once(len(timeline.meetings)),
            "meetings_by_body": once(by_body),
            "meetings_by_button": once(len(timeline.meetings) - by_body),
            "ejections": once(len(ejected)),
            "ejection_accuracy": ratio(result.duck for result in ejected),
            "votes_without_ejection": once(len(self.results) - len(ejected)),
            "survivors_geese": once(len(timeline.geese - timeline.gone.keys())),
            "survivors_ducks": once(len(timeline.ducks - timeline.gone.keys())),
        }

    def task_completion(self) -> Measure:
        """Goose tasks completed / Goose tasks."""
        geese = self.timeline.geese
        done = sum(event.kind == "task_done" and event.actor in geese for event in self.timeline.events)
        return Measure(done, sum(len(self.trajectory.header.seats[seat].tasks) for seat in geese))
