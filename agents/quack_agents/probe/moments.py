"""When a snapshot is due: for the loop, which sees every decision, and for a wrapper, which sees those of one agent."""

from __future__ import annotations

from quack_agents.probe.config import TICK, ProbeConfig
from quack_env.game import Game
from quack_env.kinds import ARRIVE, BODY_APPEARED, DEPART
from quack_env.state import DISCUSSION, FREE, OVER, VOTING
from quack_env.view import View

SEEN = (DEPART, ARRIVE, BODY_APPEARED)


class Clock:
    """What both watches share: each meeting is called, voted in and over once, and ticks go by."""

    def __init__(self, config: ProbeConfig) -> None:
        self.triggers = frozenset(config.triggers)
        self.every = config.every
        self._called = self._voted = self._over = self._tick = 0

    def new(self, phase: int, meeting: int, tick: int) -> list[str]:
        """What has come about since the last look, but for what somebody witnessed; speech is for the caller to see."""
        found = []
        if phase in (DISCUSSION, VOTING) and self._called < meeting:
            self._called = meeting
            found.append("after_call")
        if phase == VOTING and self._voted < meeting:
            self._voted = meeting
            found.append("before_vote")
        if phase == FREE and self._over < meeting:
            self._over = meeting
            found.append("after_vote")
        found = [trigger for trigger in found if trigger in self.triggers]
        if self.every and phase == FREE and tick // self.every > self._tick // self.every:
            self._tick = tick
            found.append(TICK)
        return found


class LoopWatch:
    """For whoever sees every decision of a game; look before each of them, and not twice."""

    def __init__(self, config: ProbeConfig) -> None:
        self.who = config.who
        self._clock = Clock(config)
        self._witnesses = "witnessed" in config.triggers
        self._speeches = "before_speech" in config.triggers
        self._head = 0
        self._bodies: dict[int, int] = {}
        """Victims whose bodies each seat has seen."""

    def due(self, game: Game) -> dict[int, list[str]]:
        """What a snapshot is due for, per living seat that is to be asked; {} mostly."""
        state = game.state
        if state.phase == OVER:
            return {}
        new = self._clock.new(state.phase, state.meeting, state.tick)
        living = [seat for seat in range(game.world.n) if state.alive >> seat & 1]
        found: dict[int, list[str]] = {seat: [] for seat in living}
        for trigger in new:
            # All that are to vote are about to act.
            together = self.who != "actor" or trigger == "before_vote"
            for seat in living if together else [state.current]:
                found[seat].append(trigger)
        if self._speeches and state.phase == DISCUSSION:
            for seat in living if self.who == "all" else [state.current]:
                found[seat].append("before_speech")
        if self._witnesses:
            self._add_witnesses(game, living, found)
        return {seat: triggers for seat, triggers in found.items() if triggers}

    def _add_witnesses(self, game: Game, living: list[int], found: dict[int, list[str]]) -> None:
        witnesses = self._perceived(game)
        if game.state.phase != FREE or not witnesses:
            return
        asked = {"all": living, "witnesses": witnesses, "actor": [game.state.current]}[self.who]
        for seat in asked:
            if self.who != "actor" or seat in witnesses:
                found[seat].append("witnessed")

    def _perceived(self, game: Game) -> list[int]:
        """The living that saw somebody leave or come in, or a body, since the last look."""
        state = game.state
        seats = 0
        for place in range(max(self._head, state.head - len(state.ring)), state.head):
            event = state.ring[place % len(state.ring)]
            if event & 31 in SEEN:
                seats |= (event >> 29 & 0xFFFF) & ~(1 << (event >> 5 & 31) >> 1)
        self._head = state.head
        for seat in range(game.world.n):
            bodies = state.bodies[state.room[seat]] if state.room[seat] >= 0 else 0
            if bodies & ~self._bodies.get(seat, 0):
                self._bodies[seat] = self._bodies.get(seat, 0) | bodies
                seats |= 1 << seat
        return [seat for seat in range(game.world.n) if seats & state.alive & 1 << seat]


class OwnWatch:
    """For one agent, by what it is shown at its own decisions."""

    def __init__(self, config: ProbeConfig) -> None:
        self.config = config
        self._clock = Clock(config)
        self._bodies = 0
        """Victims whose bodies it has seen."""

    def due(self, view: View) -> list[str]:
        """What a snapshot is due for before this decision; [] where there is nothing to decide."""
        if not view.self_alive or not view.asked or view.phase == OVER:
            return []
        found = self._clock.new(view.phase, view.meeting, view.tick)
        if view.phase == DISCUSSION and "before_speech" in self.config.triggers:
            found.append("before_speech")
        appeared = sum(1 << (event >> 10 & 31) >> 1 for event in view.events if event & 31 == BODY_APPEARED)
        found_lying = view.bodies & ~self._bodies
        self._bodies |= view.bodies | appeared
        if view.phase == FREE and "witnessed" in self.config.triggers:
            happened = any(event & 31 in SEEN for event in view.events)
            if happened or found_lying:
                found.append("witnessed")
        return found
