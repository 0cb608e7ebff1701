"""The Bayesian observer over recorded games: what each agent could have concluded at which moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from quack_env import GameRecord
from quack_env.beliefs import Belief
from quack_env.knowledge import Memory
from quack_env.posterior import Behaviour, Observer, seats_of
from quack_env.replay import FROM_OUTSIDE, Replay
from quack_env.state import DISCUSSION, FREE, VOTING

TRIGGER = "reference"
PHASES = {FREE: "free_roam", DISCUSSION: "discussion", VOTING: "voting"}
EVERY_EVENT = frozenset({"depart", "arrive", "body_appeared", "meeting_called", "statement", "ejected", "no_ejection"})
"""Kinds of events after which everybody is asked, where no moments are named."""


class Moment(NamedTuple):
    """What one seat could conclude: ``p`` by other seat not known to be dead.

    ``at``: events before it; ``meeting``: from 0, None before the first.
    """

    at: int
    tick: int
    phase: str
    round: int | None
    meeting: int | None
    seat: int
    p: dict[int, float]


def moments_after(record: GameRecord, kinds: Iterable[str] = EVERY_EVENT) -> dict[int, None]:
    """The moments right after the events of some kinds, for all living agents: an argument for `observe`."""
    wanted = frozenset(kinds)
    return {event.index + 1: None for event in record.events if event.kind in wanted}


def observe(
    record: GameRecord,
    moments: Mapping[int, Iterable[int] | None] | None = None,
    behaviour: Behaviour | None = None,
) -> Iterator[Moment]:
    """What the Bayesian observer concludes in the seats of a recorded game, in order of time.

    Args:
        record: the recording.
        moments: by number of recorded events before it, the seats asked (None: all living). A moment within the events
            of one decision lies after them. Default: after every event of `EVERY_EVENT`.
        behaviour: the soft assumptions.
    """
    wanted = moments_after(record) if moments is None else moments
    replay = Replay(record)
    game = replay.game
    outside = [0]
    for event in record.events:
        outside.append(outside[-1] + (event.kind in FROM_OUTSIDE))
    due = sorted((index - outside[min(index, len(outside) - 1)], index) for index in wanted)
    observers = [Observer(Memory(game.world, seat), game.view(seat), behaviour) for seat in range(game.world.n)]
    steps = iter(replay)
    asked = 0
    while not game.over:
        while asked < len(due) and due[asked][0] <= replay.position:
            index = due[asked][1]
            living = seats_of(game.state.alive)
            for seat in living if wanted[index] is None else sorted(set(wanted[index] or ()) & set(living)):
                yield _moment(replay, index, observers[seat], seat)
            asked += 1
        seat = game.state.current
        observers[seat].see(game.view(seat))
        if next(steps, None) is None:
            return


def _moment(replay: Replay, index: int, observer: Observer, seat: int) -> Moment:
    state = replay.game.state
    meeting = state.meeting - 1 if state.meeting else None
    number = state.round if state.phase == DISCUSSION else None
    believed = observer.beliefs(replay.game.view(seat))
    return Moment(index, state.tick, PHASES[state.phase], number, meeting, seat, believed)


def reference_beliefs(
    record: GameRecord,
    game_id: str,
    moments: Mapping[int, Iterable[int] | None] | None = None,
    trigger: str = TRIGGER,
) -> list[Belief]:
    """What `observe` finds, as rows of the store."""
    agents = [seat.agent for seat in record.header.seats]
    return [
        belief(game_id, found, agents[found.seat], agents[target], p, trigger)
        for found in observe(record, moments)
        for target, p in found.p.items()
    ]


def belief(game_id: str, at: Moment, observer: str, target: str, p: float, trigger: str) -> Belief:
    """One row of the store."""
    return Belief(
        game_id=game_id,
        tick=at.tick,
        round=at.round,
        phase=at.phase,
        trigger=trigger,
        event_index=at.at,
        observer=observer,
        target=target,
        order=1,
        about=None,
        p_goose=1.0 - p,
        p_duck=p,
        parsed_ok=True,
        repaired=False,
        rationale=None,
        latency_ms=None,
        cost_usd=None,
        context_ref=None,
        meeting=at.meeting,
    )
