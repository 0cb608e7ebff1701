"""A game whose players were asked what they believe: who they were, what happened, who voted for whom, the answers.

The measures read nothing else, so that they run on games that were not made here as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from quack_env import Event, GameRecord
from quack_env.beliefs import Belief
from quack_eval.claims.sources import everything_said
from quack_eval.timeline import Timeline

MOVING = ("depart", "arrive", "body_appeared", "meeting_called", "body_reported", "statement", "chat")
RESULTS = ("ejected", "no_ejection")
HAPPENINGS = frozenset(MOVING + RESULTS)
"""Kinds of events that can change what somebody believes."""


class Happening(NamedTuple):
    """Something that can change a belief, and who perceived it. Its ``at`` is the index of its event: a belief of that
    `event_index` precedes it."""

    at: int
    kind: str
    actor: str | None
    target: str | None
    meeting: int | None
    seen_by: frozenset[str]


class Stance(NamedTuple):
    """What a speaker said of another: ``accuses`` it, or else speaks for it."""

    at: int
    meeting: int
    speaker: str
    target: str
    accuses: bool


class Vote(NamedTuple):
    """A vote, or with no target a skip. ``at``: the moment from which votes may be known."""

    at: int
    meeting: int
    voter: str
    target: str | None


@dataclass
class BeliefGame:
    """One game. Agents are called as in the beliefs.

    ``beliefs`` are all rows of the store, failures too; `asked` are those the measures use. ``gone``: by agent, the
    moment from which it was out of the game. ``policies``: by agent, who played it.
    """

    game_id: str
    agents: tuple[str, ...]
    names: dict[str, str]
    ducks: frozenset[str]
    policies: dict[str, str]
    beliefs: Sequence[Belief]
    happenings: Sequence[Happening]
    votes: Sequence[Vote]
    stances: Sequence[Stance]
    gone: dict[str, int] = field(default_factory=dict)
    trajectory: GameRecord | None = None
    seed: int | None = None
    flagged: Sequence[str] = ()
    """What is wrong with the recording, each in one line."""

    def role(self, agent: str) -> str:
        """ "duck" or "goose"."""
        return "duck" if agent in self.ducks else "goose"

    def is_duck(self, agent: str) -> bool:
        """The truth."""
        return agent in self.ducks

    @cached_property
    def asked(self) -> list[Belief]:
        """The beliefs that were stated, oldest first: one per moment, observer, target and question, the first."""
        found: dict[tuple[int, str, str, str | None], Belief] = {}
        for belief in self.beliefs:
            if belief.parsed_ok and belief.repeat == 0:
                found.setdefault((belief.event_index, belief.observer, belief.target, belief.about), belief)
        return sorted(found.values(), key=lambda belief: belief.event_index)

    @cached_property
    def first_order(self) -> list[Belief]:
        """What observers believed of targets."""
        return [belief for belief in self.asked if belief.order == 1]

    @cached_property
    def second_order(self) -> list[Belief]:
        """What observers thought that targets believe of others."""
        return [belief for belief in self.asked if belief.order == 2]

    @cached_property
    def tracks(self) -> dict[tuple[str, str], list[Belief]]:
        """By (observer, target): what was believed, oldest first."""
        found: dict[tuple[str, str], list[Belief]] = {}
        for belief in self.first_order:
            found.setdefault((belief.observer, belief.target), []).append(belief)
        return found

    @cached_property
    def snapshots(self) -> dict[str, list[Snapshot]]:
        """By observer: everything it believed at a moment, oldest first."""
        found: dict[str, dict[int, Snapshot]] = {}
        for belief in self.first_order:
            moments = found.setdefault(belief.observer, {})
            at = moments.setdefault(belief.event_index, Snapshot(belief.event_index, belief.meeting, {}))
            at.p[belief.target] = p_duck(belief)
        return {observer: list(moments.values()) for observer, moments in found.items()}

    @cached_property
    def _perceived(self) -> dict[str, list[Happening]]:
        """By agent, what others did in its presence, oldest first."""
        ordered = sorted(self.happenings, key=_at)
        return {agent: [h for h in ordered if agent in h.seen_by and h.actor != agent] for agent in self.agents}

    def perceived(self, observer: str, first: int, last: int) -> list[Happening]:
        """What an observer perceived of the events ``first`` to ``last`` - 1; its own doings are left out."""
        found = self._perceived[observer]
        return found[bisect_left(found, first, key=_at) : bisect_left(found, last, key=_at)]


def _at(happening: Happening) -> int:
    return happening.at


class Snapshot(NamedTuple):
    """What one observer believed at one moment: ``p`` by target."""

    at: int
    meeting: int | None
    p: dict[str, float]


def p_duck(belief: Belief) -> float:
    """The probability of a belief that was stated."""
    assert belief.p_duck is not None
    return belief.p_duck


# --- from recordings -------------------------------------------------------------------------------------------------


def game_of(record: GameRecord, beliefs: Iterable[Belief], game_id: str = "") -> BeliefGame:
    """A recorded game with beliefs about it (those of other games are left out where ``game_id`` is given)."""
    agents = tuple(seat.agent for seat in record.header.seats)
    timeline = Timeline(record)
    return BeliefGame(
        game_id=game_id,
        agents=agents,
        names=dict(zip(agents, record.names, strict=True)),
        ducks=frozenset(agents[seat] for seat in record.ducks),
        policies={seat.agent: seat.policy or "unknown" for seat in record.header.seats},
        beliefs=[belief for belief in beliefs if not game_id or belief.game_id == game_id],
        happenings=_happenings(record, agents),
        votes=_votes(timeline, agents),
        stances=_stances(record, agents),
        gone={agents[seat]: index + 1 for seat, index in timeline.gone.items()},
        trajectory=record,
        seed=record.header.seed,
        flagged=[] if record.status == "finished" else [f"the game is not finished ({record.status})"],
    )


def _happenings(trajectory: GameRecord, agents: Sequence[str]) -> list[Happening]:
    meeting: int | None = None
    found: list[Happening] = []
    for event in trajectory.events:
        if event.kind == "meeting_called":
            meeting = 0 if meeting is None else meeting + 1
        if event.kind in HAPPENINGS:
            seen_by = frozenset(agents[seat] for seat in event.seen_by)
            found.append(Happening(event.index, event.kind, *_who(event, agents), meeting, seen_by))
    return found


def _who(event: Event, agents: Sequence[str]) -> tuple[str | None, str | None]:
    return (
        None if event.actor is None else agents[event.actor],
        None if event.target is None else agents[event.target],
    )


def _votes(timeline: Timeline, agents: Sequence[str]) -> list[Vote]:
    found: list[Vote] = []
    for meeting in timeline.meetings:
        events = [timeline.events[index] for index in meeting.votes]
        for event in events:
            voter, target = _who(event, agents)
            if voter is not None:
                found.append(Vote(events[0].index, meeting.number, voter, target))
    return found


def _stances(trajectory: GameRecord, agents: Sequence[str]) -> list[Stance]:
    seats = dict(zip(trajectory.names, agents, strict=True))
    return [
        Stance(said.event, said.meeting, agents[said.speaker], seats[said.claim.target], accuses)
        for said in everything_said(trajectory)
        if said.claim.type in ("accusation", "defense") and said.claim.target in seats
        for accuses in [(said.claim.type == "accusation") != said.claim.negative]
        if seats[said.claim.target] != agents[said.speaker]
    ]
