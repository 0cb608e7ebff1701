"""What is asked of one observer, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from quack_agents.probe.config import FIRST, SECOND, ProbeConfig
from quack_env.briefing import Briefing
from quack_env.errors import ConfigError
from quack_env.view import View

Path = tuple[int, ...]
"""Seats: (target,), or in the second order (target, about)."""
ROLES = ("goose", "duck")


@dataclass(frozen=True)
class Inquiry:
    """One request: how likely is each of ``answers`` for every one of ``paths``?"""

    kind: str
    """`FIRST`, `SECOND`, or the name of a further question."""
    answers: tuple[str, ...]
    paths: tuple[Path, ...]
    text: str = ""
    """Of a further question."""
    rationale: bool = False
    repeat: int = 0


class Reading(NamedTuple):
    """What one reply holds. ``faults``: per path without a value, "kind: detail", in our words alone."""

    values: dict[Path, tuple[float, ...]]
    faults: dict[Path, str]
    tolerant: frozenset[Path] = frozenset()
    """Values that were not given exactly as asked for."""
    rationales: Mapping[Path, str] = {}


@dataclass
class Estimate:
    """What an observer answered to an inquiry: every path has a value or a failure."""

    inquiry: Inquiry
    values: dict[Path, tuple[float, ...]] = field(default_factory=dict)
    """Probabilities in the order of ``inquiry.answers``; they sum to 1."""
    failures: dict[Path, str] = field(default_factory=dict)
    repaired: set[Path] = field(default_factory=set)
    rationales: dict[Path, str] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    """Records of the model's calls, as in `calls.jsonl`."""
    images: dict[str, bytes] = field(default_factory=dict)

    def take(self, reading: Reading, again: bool = False) -> None:
        """Enter what a reply adds; ``again``: to a first one that was not understood as a whole."""
        for path, value in reading.values.items():
            if path not in self.values:
                self.values[path] = value
                self.failures.pop(path, None)
                if again or path in reading.tolerant:
                    self.repaired.add(path)
                if path in reading.rationales:
                    self.rationales[path] = reading.rationales[path]
        self.failures |= {path: fault for path, fault in reading.faults.items() if path not in self.values}

    def fail(self, failure: str) -> None:
        """No reply came: all that has no value has failed so."""
        for path in self.inquiry.paths:
            if path not in self.values:
                self.failures[path] = failure

    @property
    def latency_ms(self) -> float | None:
        """Of all calls together; None without any."""
        return round(1000 * sum(call["latency"] or 0.0 for call in self.calls), 1) if self.calls else None

    @property
    def cost(self) -> float | None:
        """US dollars of all calls that were answered; None where a price is not known, or nothing was called."""
        costs = [call["cost"] for call in self.calls if call["error"] is None]
        return None if not costs or None in costs else float(sum(costs))


def inquiries(config: ProbeConfig, briefing: Briefing, view: View) -> list[Inquiry]:
    """Everything to ask an observer, its view being given; nothing where it knows of nobody else alive."""
    gone = view.known_dead | 1 << view.me
    others = [seat for seat in briefing.listing if not gone >> seat & 1]
    if not others:
        return []
    first = tuple((seat,) for seat in others)
    asked = [Inquiry(FIRST, ROLES, first, rationale=config.rationale)]
    if config.order == 2 and (pairs := tuple(_pairs(config.about, briefing, view.me, others))):
        asked.append(Inquiry(SECOND, ROLES, pairs))
    asked += [Inquiry(question.name, question.answers, first, question.text) for question in config.questions]
    return [Inquiry(**vars(inquiry) | {"repeat": repeat}) for repeat in range(config.repeat) for inquiry in asked]


def _pairs(about: str | tuple[str, ...], briefing: Briefing, me: int, others: list[int]) -> Iterable[Path]:
    """(who thinks, of whom) among the living; nobody is asked what it thinks itself, or others of themselves."""
    present = [*others, me]
    every = [(thinker, of) for thinker in others for of in present if of != thinker]
    if about == "all":
        return every
    wanted = [_seats(briefing, item) for item in about] if isinstance(about, tuple) else [(None, me)]
    return [(thinker, of) for thinker, of in every if (thinker, of) in wanted or (None, of) in wanted]


def _seats(briefing: Briefing, item: str) -> tuple[int | None, int]:
    """The seats of "player_2" (whoever thinks of it) or "player_1:player_2"."""
    thinker, _, of = item.rpartition(":")
    agents = briefing.agents
    if of not in agents or thinker not in (*agents, ""):
        raise ConfigError(f"about={item!r}: must be an agent or AGENT:AGENT; the agents are {', '.join(agents)}")
    return (agents.index(thinker) if thinker else None), agents.index(of)
