"""What every tier's evaluation of one game has in common."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from rich.table import Table

from quack_env import GameRecord
from quack_eval.metrics.measure import UNDEFINED_STAYS, Measure
from quack_eval.timeline import Timeline

CONVENTIONS = ("paper", "published")


class GameEval:
    """One tier's measures of one recorded game.

    Args:
        trajectory: the recording.
        convention: "paper" (the paper's definitions) or "published" (what the published code computed, to the digit).
        timeline: the game's timeline, where it has been made already.
    """

    tier: ClassVar[int]
    title: ClassVar[str]

    def __init__(self, trajectory: GameRecord, convention: str = "paper", timeline: Timeline | None = None) -> None:
        if convention not in CONVENTIONS:
            raise ValueError(f"convention={convention!r}: must be one of {', '.join(CONVENTIONS)}")
        self.trajectory = trajectory
        self.convention = convention
        self.timeline = timeline or Timeline(trajectory)

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """The measures by name."""
        raise NotImplementedError

    @property
    def facts(self) -> dict[str, Any]:
        """What is no number: by name, JSON-ready."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Facts and the values of all measures, by name; None for what is undefined.

        In the published convention most undefined values are 0.0, as they were in `evaluation.json`.
        """
        return self.facts | values(self.measures, self.convention)

    def table(self) -> Table:
        """Facts and measures for the terminal."""
        table = Table("measure", "value", "of", title=self.title)
        for name, fact in self.facts.items():
            if not isinstance(fact, list | dict):
                table.add_row(name, str(fact), "")
        for name, measure in self.measures.items():
            table.add_row(name, shown(measure.value), f"{shown(measure.numerator)} / {shown(measure.denominator)}")
        return table


def values(measures: Mapping[str, Measure], convention: str) -> dict[str, float | None]:
    """The values of measures by name: None for what is undefined, in the published convention mostly 0.0."""
    zero = convention == "published"
    return {
        name: 0.0 if zero and measure.value is None and name not in UNDEFINED_STAYS else measure.value
        for name, measure in measures.items()
    }


def shown(value: float | None) -> str:
    """A number for a table: a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:.3f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
