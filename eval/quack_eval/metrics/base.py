"""What every tier's evaluation of one game has in common."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from rich.markup import escape
from rich.table import Table

from quack_env import ConfigError, GameRecord, QuackError
from quack_env.yaml_file import shown as quoted
from quack_eval.metrics.measure import UNDEFINED_STAYS, Measure
from quack_eval.timeline import Timeline
from quack_eval.wording import told_game

CONVENTIONS = ("paper", "published")


def check_convention(convention: object) -> None:
    """Nothing, for a convention that there is; `ConfigError` for another."""
    if convention not in CONVENTIONS:
        raise ConfigError(f"convention={convention!r}: must be one of {', '.join(CONVENTIONS)}")


class GameEval:
    """One tier's measures of one recorded game.

    Args:
        record: the recording.
        convention: "paper" (the paper's definitions) or "published" (what the published code computed, to the digit).
        timeline: the game's timeline, where it has been made already.
    """

    tier: ClassVar[int]
    title: ClassVar[str]

    def __init__(self, record: GameRecord, convention: str = "paper", timeline: Timeline | None = None) -> None:
        check_convention(convention)
        self.trajectory = record
        self.convention = convention
        self.timeline = timeline or Timeline(record)

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
        return self.facts | values(measures_in(self), self.convention)

    def table(self) -> Table:
        """Facts and measures for the terminal."""
        table = Table("measure", "value", "of", title=self.title)
        for name, fact in self.facts.items():
            if not isinstance(fact, list | dict):
                table.add_row(escape(name), escape(str(fact)), "")
        for name, measure in measures_in(self).items():
            of = f"{shown(measure.numerator)} / {shown(measure.denominator)}"
            table.add_row(escape(name), shown(measure.value), of)
        return table


def measures_in(tier: GameEval) -> dict[str, Measure]:
    """The measures of a tier, checked: anybody may have written it.

    Raises:
        ConfigError: naming the tier, where they are no measures by name, or cannot be had; what failed is its cause.
    """
    told = f"{type(tier).__qualname__} (tier {getattr(tier, 'tier', 'without a number')}, {told_game(tier.trajectory)})"
    try:
        found: object = tier.measures
    except QuackError:
        raise
    except Exception as fault:
        raise ConfigError(f"{told}: {type(fault).__name__}: {fault}") from fault
    if not isinstance(found, Mapping):
        raise ConfigError(f"{told}: measures must be a mapping of names to Measure, not {quoted(found)}")
    for name, measure in found.items():
        if not isinstance(name, str) or not isinstance(measure, Measure):
            raise ConfigError(f"{told}: measure {name!r} must be a Measure by name, not {quoted(measure)}")
    return dict(found)


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
