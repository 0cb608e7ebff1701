"""What both scripted roles share: memory, whereabouts of the others, walking, listening, choosing words."""

from __future__ import annotations

import copy
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from quack_agents.phrases import Say, understand
from quack_agents.scripted import speech
from quack_agents.scripted.persona import Persona
from quack_agents.scripted.reason import Said, Suspicion, from_token
from quack_env.briefing import Briefing
from quack_env.kinds import STATEMENTS
from quack_env.knowledge import Leg, Memory
from quack_env.state import DISCUSSION, FREE
from quack_env.statements import decode
from quack_env.view import View
from quack_env.world import TOKENS

WAIT = 0
A_FEW = 4
"""Things said in one utterance of words."""


class Mind(ABC):
    """A scripted player in one game."""

    def __init__(self, persona: Persona, briefing: Briefing, view: View, seed: int) -> None:
        self.persona = persona
        self.briefing = briefing
        self.world = briefing.world
        self.rng = random.Random(seed)
        self.me = view.me
        self.bit = 1 << view.me
        self.memory = Memory(self.world, view.me)
        self.movement = self.memory.movement
        self.suspicion = Suspicion(self.memory, persona, self.bit | view.partners)
        self.goal = -1
        """The room it walks to."""
        self.worked: list[speech.Stay] = []
        """Stretches of task work in this leg."""
        self.last_seen: list[tuple[int, int]] = [(-1, -1)] * self.world.n
        """Per seat: room where it was last seen, or which it was last seen leaving for, and the tick of it."""
        self._leg: Leg | None = None
        self._moves = 0
        self.uttered: list[Said] = []
        """What it said itself in this meeting."""
        self._meeting = 0
        self.heard: list[Said] = []
        """What others said in this meeting."""

    # --- deciding ----------------------------------------------------------------------------------------------------

    def decide(self, view: View, mask: Sequence[int]) -> int | list[Say]:
        """The action, or in a discussion with text what to say."""
        self.memory.see(view)
        self.perceive(view)
        return self.choose(view, mask)

    def choose(self, view: View, mask: Sequence[int]) -> int | list[Say]:
        """The decision at what has been perceived."""
        if view.phase == FREE:
            return self.roam(view, mask)
        self.conclude()
        if view.phase == DISCUSSION:
            return self._utter(view)
        target = self.vote(view)
        return self.world.act_skip if target < 0 else self.world.act_vote + target

    def perceive(self, view: View) -> None:
        """Take in what is to be seen and heard; the memory has it already."""
        self.suspicion.geese, self.suspicion.ducks = view.revealed_geese, view.revealed_ducks
        if self.memory.leg is not self._leg:
            self._next_leg()
        if view.phase == FREE:
            self._follow(view)
            return
        if self._meeting != view.meeting:
            self._meeting = view.meeting
            self.heard = []
            self.uttered = []
            self.suspicion.open()
            self.begin_meeting()
        self._listen(view)

    def conclude(self) -> None:
        """Weigh what was perceived in this leg, and what was said in its meeting."""
        self.suspicion.assess(self.heard if self.memory.leg.called else ())

    def glance(self, view: View) -> Self:
        """A copy that has perceived what ``view`` shows, which may lie between two decisions, and drawn conclusions."""
        memory = self.memory.glance(view)
        same_leg = len(memory.legs) == len(self.memory.legs)
        shared = (self.briefing, self.world, self.persona, self.movement)
        replaced = {id(self.memory): memory, id(self.memory.leg): memory.leg if same_leg else memory.legs[-1]}
        mind = copy.deepcopy(self, {id(thing): thing for thing in shared} | replaced)
        mind.perceive(view)
        mind.suspicion.open()
        mind.conclude()
        return mind

    def deeds(self) -> dict[str, list[Any]]:
        """What it remembers of its own doings."""
        return {"worked": self.worked[:], "uttered": self.uttered[:]}

    def amend(self, deeds: dict[str, list[Any]], view: View, action: int, say: str | None) -> None:
        """It did something else than it chose to: remember that, and before it ``deeds``."""
        vars(self).update(deeds)
        if view.phase == FREE:
            self.did(view, action)
        elif view.phase == DISCUSSION:
            self.uttered += self._meaning(action, say)

    def did(self, view: View, action: int) -> None:
        """Remember an action of free roam."""
        if action == self.world.act_task:
            self.do_task(view)

    def _meaning(self, action: int, say: str | None) -> list[Said]:
        """What a statement of its own said."""
        if self.world.speech == TOKENS:
            kind, target, room = decode(self.world, action - self.world.act_state)
            return [Said(self.me, STATEMENTS[kind], target, room)]
        says = understand(say or "", self.briefing.names, self.briefing.game_map.rooms)
        return [speech.by_numbers(self.briefing, self.me, one) for one in says]

    @abstractmethod
    def roam(self, view: View, mask: Sequence[int]) -> int:
        """An action of free roam."""

    @abstractmethod
    def points(self, view: View) -> list[Said]:
        """What it would say, the most useful first."""

    @abstractmethod
    def vote(self, view: View) -> int:
        """The seat it votes for, or -1."""

    # --- roaming -----------------------------------------------------------------------------------------------------

    def _next_leg(self) -> None:
        """Everybody is somewhere else."""
        if self._leg is not None:
            self.suspicion.close(self.heard)
        self._leg = self.memory.leg
        self._moves = 0
        self.goal = -1
        self.worked = []
        self.last_seen = [(-1, -1)] * self.world.n
        self.begin_leg()

    def _follow(self, view: View) -> None:
        """Keep track of where everybody was last seen, or went."""
        seen = view.here
        if seen:
            for j in range(self.world.n):
                if seen >> j & 1:
                    self.last_seen[j] = view.room, view.tick
        moves = self.memory.leg.moves
        while self._moves < len(moves):
            move = moves[self._moves]
            self._moves += 1
            if not move.arrived and not view.here >> move.who & 1:
                self.last_seen[move.who] = move.to, move.tick

    @abstractmethod
    def begin_leg(self) -> None:
        """A new leg has begun."""

    @abstractmethod
    def begin_meeting(self) -> None:
        """A meeting has begun."""

    def step(self, view: View, room: int) -> int:
        """The move toward another room."""
        return self.world.act_move + self.movement.hop[view.room * self.world.R + room]

    def ticks(self, a: int, b: int) -> int:
        """Ticks of the shortest way between two rooms."""
        return self.movement.ticks[a * self.world.R + b]

    def do_task(self, view: View) -> int:
        """The task action; remembers what is worked on when."""
        last = self.worked[-1] if self.worked else (-1, -1, -1)
        if last[0] == view.room and last[2] >= view.tick - 1:
            self.worked[-1] = view.room, last[1], view.tick
        else:
            self.worked.append((view.room, view.tick, view.tick))
        return self.world.act_task

    def living(self, view: View) -> list[int]:
        """The other seats not known to be dead."""
        gone = view.known_dead | self.bit
        return [j for j in range(self.world.n) if not gone >> j & 1]

    # --- meetings ----------------------------------------------------------------------------------------------------

    def _listen(self, view: View) -> None:
        """Everything others said in this meeting so far."""
        if self.world.speech == TOKENS:
            meeting = view.meeting - 1
            heard = [h for h in self.memory.statements if h.meeting == meeting and h.speaker != self.me]
            self.heard = [from_token(h) for h in heard]
        else:
            names = self.briefing.names
            for message in view.messages:
                if message.meeting == view.meeting - 1 and message.speaker in names:
                    speaker = names.index(message.speaker)
                    says = understand(message.text, names, self.briefing.game_map.rooms)
                    self.heard += [speech.by_numbers(self.briefing, speaker, say) for say in says]

    def _utter(self, view: View) -> int | list[Say]:
        """A statement of the grammar, or what to put into words: the best points not made before."""
        points = [point for point in self.points(view) if point not in self.uttered]
        if self.world.speech == TOKENS:
            for point in points:
                action = speech.token(self.world, point)
                if action is not None:
                    self.uttered.append(point)
                    return action
            return self.world.A - 1
        chosen = points[: self.rng.randint(2, A_FEW)]
        self.uttered += chosen
        if not chosen:
            return [Say("nothing")]
        return [speech.in_words(self.briefing, point, self.strength(point)) for point in chosen]

    def strength(self, point: Said) -> str:
        """How firmly it accuses."""
        belief = self.suspicion.probability[point.target] if point.kind == "suspect" else 0.0
        return "strong" if belief > 0.8 else "moderate" if belief > 0.45 else "weak"

    def beliefs(self) -> list[float]:
        """Probability of being a Duck by seat, as of the last thing it saw or heard."""
        return self.suspicion.refreshed()
