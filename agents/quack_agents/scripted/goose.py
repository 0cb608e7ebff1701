"""The scripted Goose: works, keeps company, reports, remembers, tells the truth and votes on evidence."""

from __future__ import annotations

from collections.abc import Sequence

from quack_agents.scripted import speech
from quack_agents.scripted.mind import WAIT, Mind
from quack_agents.scripted.reason import Said
from quack_env.view import View

FRESH = 8
"""Ticks for which it goes after somebody it saw."""


class Goose(Mind):
    """A Goose."""

    def begin_leg(self) -> None:
        """Wait afresh, and choose what to do when there is nothing to do."""
        self.waited = 0
        self.gathers = self.rng.random() < self.persona.gathers

    # --- roaming -----------------------------------------------------------------------------------------------------

    def roam(self, view: View, mask: Sequence[int]) -> int:
        """Report, keep away from danger, call a meeting, work, keep company: in this order."""
        if view.bodies:
            return self.world.act_report
        suspect, belief = self.suspicion.top()
        if belief >= self.persona.wary and view.here == 1 << suspect:
            return self.leave(view, suspect)
        if belief >= self.persona.call and view.calls_left:
            return self.world.act_call if view.room == self.world.button else self.step(view, self.world.button)
        if mask[self.world.act_task]:
            self.waited = 0
            return self.do_task(view)
        return self.work(view) if self.unfinished(view) else self.idle(view)

    def unfinished(self, view: View) -> list[int]:
        """Rooms of tasks that are not done."""
        need = self.world.task_ticks
        return [room for room, done in zip(view.task_room, view.progress, strict=True) if done < need]

    def leave(self, view: View, suspect: int) -> int:
        """Out of a room shared with nobody but a suspect, toward work if possible."""
        rooms = self.movement.neighbours[view.room]
        if not rooms:
            return WAIT
        todo = self.unfinished(view) or [self.world.button]
        best = min(rooms, key=lambda room: (min(self.ticks(room, other) for other in todo), room))
        self.goal = -1
        return self.world.act_move + best

    def work(self, view: View) -> int:
        """On to the next task, with a companion's way if it is about the same."""
        if self.persona.company > 1 and view.here and self.waited < self.persona.company:
            self.waited += 1
            return WAIT
        todo = self.unfinished(view)
        if self.goal not in todo:
            self.goal = min(todo, key=lambda room: (self.ticks(view.room, room), self.rng.random()))
        friend = self.companion(view)
        if friend >= 0:
            way = self.ticks(view.room, friend) + min(self.ticks(friend, room) for room in todo)
            if way <= self.ticks(view.room, self.goal) + self.persona.company:
                return self.step(view, friend)
        return self.step(view, self.goal)

    def companion(self, view: View) -> int:
        """The room somebody it does not suspect has just left for, or -1."""
        for move in reversed(self.memory.leg.moves):
            if move.tick < view.tick - 1:
                break
            if not move.arrived and move.origin == view.room and self.trusts(move.who):
                return move.to
        return -1

    def trusts(self, who: int) -> bool:
        """Whether it keeps company with somebody."""
        return self.suspicion.probability[who] < self.persona.wary

    def idle(self, view: View) -> int:
        """Its tasks are done: be where others are."""
        if self.gathers:
            return WAIT if view.room == self.world.button else self.step(view, self.world.button)
        friend = self.companion(view)
        if friend >= 0:
            return self.step(view, friend)
        if view.here and self.waited < self.persona.rests:
            self.waited += 1
            return WAIT
        if self.goal < 0 or self.goal == view.room:
            self.goal = self.someone(view)
            self.waited = 0
        return self.step(view, self.goal)

    def someone(self, view: View) -> int:
        """A room where somebody trusted may be, else any other room."""
        seen = [
            (tick, room)
            for j, (room, tick) in enumerate(self.last_seen)
            if tick >= view.tick - FRESH and room not in (view.room, -1) and self.trusts(j)
        ]
        if seen:
            return max(seen)[1]
        return self.rng.choice([room for room in range(self.world.R) if room != view.room])

    # --- meetings ----------------------------------------------------------------------------------------------------

    def begin_meeting(self) -> None:
        """Nothing to prepare: it says what it knows."""

    def points(self, view: View) -> list[Said]:
        """What bears on the kill, then whom it suspects, then where it was; suspicion first in later rounds."""
        me, leg = self.me, self.memory.leg
        evidence = self.evidence()
        accusation = self.accusation()
        account = speech.route(me, leg.stays()) + speech.work(me, self.worked) + speech.whereabouts(me, leg.stays())
        company = [s for j in self.living(view) for s in speech.sightings(me, leg, j)[:1]]
        company += [s for j in self.living(view) for s in speech.movements(me, leg, j)[:1]]
        self.rng.shuffle(company)
        clear = self.cleared(view)
        if view.round == 1:
            points = [*evidence, *accusation, *account[:2], *company, *clear, *account[2:]]
        else:
            points = [*accusation, *evidence, *clear, *company, *account]
        return points + speech.solitude(me, leg)

    def evidence(self) -> list[Said]:
        """Who was at a scene and can have killed, the bodies found, and words that it knows to be false."""
        me, leg = self.me, self.memory.leg
        scenes = self.suspicion.scenes(self.heard)
        at_scene = []
        for victim, scene in scenes.items():
            chances = self.suspicion.opportunity(victim, scene)
            for j in range(self.world.n):
                if chances[j] > 0 and not leg.dead >> j & 1:
                    seen = [s for s in speech.sightings(me, leg, j) + speech.movements(me, leg, j) if s.room == scene]
                    at_scene += [(self.suspicion.probability[j], s) for s in seen[:1]]
        at_scene.sort(key=lambda entry: -entry[0])
        found = speech.bodies(me, leg)
        seen_there = [s for _, s in at_scene]
        return [*seen_there[:1], *found, *seen_there[1:], *self.refutations()]

    def refutations(self) -> list[Said]:
        """Where others said they were, and it was all that time, and they were not."""
        denials: list[Said] = []
        for lie in self.suspicion.lies:
            if lie.kind in ("was_in", "did_task"):
                for room, start, end in speech.before_the_call(self.memory.leg):
                    first = start if lie.first is None else max(start, lie.first)
                    last = end if lie.last is None else min(end, lie.last)
                    if room == lie.room and first <= last:
                        denials.append(Said(self.me, "absent", lie.speaker, room, first=first, last=last))
        return denials

    def accusation(self) -> list[Said]:
        """Whom it suspects most, if it dares to say so."""
        suspect, belief = self.suspicion.top()
        return [Said(self.me, "suspect", suspect)] if belief >= self.persona.accuse else []

    def cleared(self, view: View) -> list[Said]:
        """Whom it knows to be no killer of this leg."""
        if self.world.m > 1 or not self.memory.leg.dead:
            return []
        return [Said(self.me, "vouch", j) for j in self.living(view) if self.suspicion.probability[j] < 0.02]

    def vote(self, view: View) -> int:
        """The most suspicious, if suspicious enough; anybody suspicious where the next kill would lose the game."""
        suspect, belief = self.suspicion.top()
        alive = self.world.n - view.known_dead.bit_count()
        last_chance = alive - 1 <= 2 * self.world.m  # one more kill, and the Ducks are as many as the Geese
        threshold = min(self.persona.vote, 0.34) if last_chance else self.persona.vote
        return suspect if belief >= threshold else -1
