"""The scripted Duck: seeks the lonely, kills, leaves, pretends to work, and lies by degrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from quack_agents.scripted import speech
from quack_agents.scripted.mind import WAIT, Mind
from quack_agents.scripted.persona import Persona
from quack_agents.scripted.reason import Said
from quack_env.briefing import Briefing
from quack_env.view import View

OMISSION, WRONG_ROOM, WRONG_TIME, INVENTED = range(4)
STALE = 10
"""Ticks after which it no longer counts on somebody being where it was seen."""
SOON = 4
"""Ticks within which it expects those who were on the way to a room."""


class Kill(NamedTuple):
    """An own kill of this leg."""

    victim: int
    room: int
    tick: int


class Duck(Mind):
    """A Duck."""

    def __init__(self, persona: Persona, briefing: Briefing, view: View, seed: int) -> None:
        super().__init__(persona, briefing, view, seed)
        self.partners = view.partners
        self.kills: list[Kill] = []
        self.ready_since = -1
        """The tick from which it might have killed, -1 while it may not."""
        self.reports = False
        """Whether it reports the latest kill itself, should a Goose come in."""
        self.degree = OMISSION
        self.eager = False
        """Whether it accuses in this meeting though nobody else does."""

    def begin_leg(self) -> None:
        """Nothing to hide yet."""
        self.kills = []

    # --- roaming -----------------------------------------------------------------------------------------------------

    def roam(self, view: View, mask: Sequence[int]) -> int:
        """Kill, get away, or pass for a Goose."""
        if view.cooldown:
            self.ready_since = -1
        elif self.ready_since < 0:
            self.ready_since = view.tick
        victim = self.victim(view)
        if victim >= 0:
            self.kills.append(Kill(victim, view.room, view.tick))
            self.reports = self.rng.random() < self.persona.self_report
            return self.world.act_kill + victim
        if view.bodies:
            return self.world.act_report if self.reports and self.geese(view, view.here) else self.flee(view)
        return self.prowl(view, mask)

    def deeds(self) -> dict[str, list[Any]]:
        """What it remembers of its own doings."""
        return super().deeds() | {"kills": self.kills[:]}

    def did(self, view: View, action: int) -> None:
        """Remember work, and kills."""
        super().did(view, action)
        victim = action - self.world.act_kill
        if 0 <= victim < self.world.n:
            self.kills.append(Kill(victim, view.room, view.tick))

    def geese(self, view: View, seats: int) -> list[int]:
        """The living Geese among some seats."""
        seats &= ~(view.partners | view.known_dead | self.bit)
        return [j for j in range(self.world.n) if seats >> j & 1]

    def victim(self, view: View) -> int:
        """Whom to kill now, or -1: anybody where it wins the game, else somebody alone and unobserved."""
        if view.cooldown or view.bodies:
            return -1
        prey = self.geese(view, view.here)
        if not prey:
            return -1
        ducks = self.world.m - (view.known_dead & view.partners).bit_count()
        wins = ducks >= len(self.geese(view, self.world.everyone)) - 1
        bored = view.tick - self.ready_since >= self.persona.patience
        witnesses = len(prey) - 1
        if not wins and witnesses and not (bored and witnesses <= self.persona.crowd):
            return -1
        if not wins and not bored and (self.visitors(view) or self.watched(view)):
            return -1
        return self.rng.choice(prey)

    def visitors(self, view: View) -> bool:
        """Whether somebody it saw not long ago may come in soon."""
        absent = ~(view.here | view.partners | view.known_dead)
        for j, (room, tick) in enumerate(self.last_seen):
            age = view.tick - tick
            known = room >= 0 and age < STALE and absent >> j & 1
            if known and self.ticks(room, view.room) - age <= self.persona.margin:
                return True
        return False

    def watched(self, view: View) -> bool:
        """Whether a Goose that lives on saw it not long ago."""
        seen = 0
        if self.persona.unseen:
            for others in self.memory.leg.seen[-self.persona.unseen :]:
                seen |= others
        return bool(seen & ~(view.here | view.partners | view.known_dead))

    def flee(self, view: View) -> int:
        """Out of the room with the body: by a short corridor, to where nobody is expected."""
        rooms = self.movement.neighbours[view.room]
        expected = {room for room, tick in self.last_seen if tick > view.tick - SOON}
        best = min(rooms, key=lambda room: (room in expected, self.ticks(view.room, room), self.rng.random()))
        self.goal = -1
        return self.world.act_move + best

    def prowl(self, view: View, mask: Sequence[int]) -> int:
        """Pretend to work in company and while it may not kill; else go where somebody is alone."""
        company = len(self.geese(view, view.here))
        if company == 1 or (company and view.cooldown > 2):
            return self.do_task(view) if mask[self.world.act_task] else WAIT
        if view.cooldown > 3 and mask[self.world.act_task]:
            return self.do_task(view)
        target = self.lonely(view)
        if target >= 0:
            self.goal = target
        if self.goal < 0 or self.goal == view.room:
            self.goal = self.unvisited(view)
        return self.step(view, self.goal)

    def lonely(self, view: View) -> int:
        """The nearest room where one Goose is thought to be alone, or -1."""
        crowd: dict[int, int] = {}
        for j, (room, tick) in enumerate(self.last_seen):
            if room >= 0 and room != view.room and tick >= view.tick - STALE and not view.known_dead >> j & 1:
                crowd[room] = crowd.get(room, 0) + (2 if view.partners >> j & 1 else 1)
        alone = [room for room, count in crowd.items() if count == 1]
        return min(alone, key=lambda room: (self.ticks(view.room, room), room)) if alone else -1

    def unvisited(self, view: View) -> int:
        """The room it has not looked into for longest, with regard to the way: sooner or later somebody is there."""
        leg = self.memory.leg
        visited = {room: tick for room, _, tick in leg.stays()}
        return max(
            (room for room in range(self.world.R) if room != view.room),
            key=lambda room: (
                view.tick - visited.get(room, leg.first - 5) - 3 * self.ticks(view.room, room),
                self.rng.random(),
            ),
        )

    # --- meetings ----------------------------------------------------------------------------------------------------

    def begin_meeting(self) -> None:
        """Decide how far to lie, and whether to attack."""
        self.degree = self.rng.choices(range(4), self.persona.lies)[0] if self.kills else OMISSION
        self.eager = self.rng.random() < self.persona.accuses

    def points(self, view: View) -> list[Said]:
        """First its story, then somebody to blame."""
        blame = self.blame(view)
        if view.round > 1:
            return [*blame, *self.account(), *self.company(view)]
        found = speech.bodies(self.me, self.memory.leg) if view.caller == self.me and view.by_body else []
        return [*self.counter(view), *found, *self.lie(view), *self.account(), *self.company(view), *blame]

    def scenes(self) -> set[int]:
        """Rooms it would rather not have been in."""
        return {kill.room for kill in self.kills}

    def account(self) -> list[Said]:
        """Where it was and seemed to work, without the scenes: the truth, but for what it omits."""
        scenes = self.scenes()
        stays = [stay for stay in self.memory.leg.stays() if stay[0] not in scenes]
        worked = [stay for stay in self.worked if stay[0] not in scenes]
        return speech.work(self.me, worked)[:1] + speech.route(self.me, stays) + speech.whereabouts(self.me, stays)

    def company(self, view: View) -> list[Said]:
        """Whom it really saw, elsewhere than at a scene."""
        leg, scenes = self.memory.leg, self.scenes()
        seen = [s for j in self.living(view) for s in speech.sightings(self.me, leg, j) if s.room not in scenes]
        self.rng.shuffle(seen)
        return seen

    def lie(self, view: View) -> list[Said]:
        """More than an omission: another room, another time, or somebody else at the scene."""
        if not self.kills or self.degree == OMISSION:
            return []
        _, scene, tick = self.kills[-1]
        start = max(self.memory.leg.first + 1, tick - 2)
        if self.degree == INVENTED:
            scapegoat = self.scapegoat(view)
            return [Said(self.me, "saw", scapegoat, scene, first=start, last=start)] if scapegoat >= 0 else []
        if self.degree == WRONG_TIME:
            rooms = [stay[0] for stay in self.memory.leg.stays() if stay[0] not in self.scenes()]
            room = rooms[-1] if rooms else self.instead(view, scene, tick)
            return [Said(self.me, "was_in", room=room, first=start, last=tick)]
        room = self.instead(view, scene, tick)
        kind = "did_task" if room in self.world.task_rooms else "was_in"
        return [Said(self.me, kind, room=room, first=start, last=tick)]

    def instead(self, view: View, scene: int, tick: int) -> int:
        """A room beside the scene in which fewest others can have been, and so can deny."""
        rooms = [room for room in self.movement.neighbours[scene] if room not in self.scenes()]
        picture, living = self.suspicion.picture, self.geese(view, self.world.everyone)
        deniers = {room: sum(picture.rooms(j, tick) >> room & 1 for j in living) for room in rooms}
        return min(rooms, key=lambda room: (deniers[room], self.rng.random())) if rooms else scene

    def witnesses(self, view: View) -> list[int]:
        """The living Geese that met it beside the body of a victim."""
        leg = self.memory.leg
        met = view.here if view.bodies else 0
        for kill in self.kills:
            for t in range(kill.tick - leg.first, len(leg.rooms)):
                if leg.rooms[t] == kill.room:
                    met |= leg.seen[t]
        return self.geese(view, met)

    def counter(self, view: View) -> list[Said]:
        """Who met it at the scene was there too: says so before they are believed."""
        if not self.kills:
            return []
        _, scene, tick = self.kills[-1]
        return [Said(self.me, "saw", j, scene, first=tick, last=view.tick) for j in self.witnesses(view)]

    def scapegoat(self, view: View) -> int:
        """The Goose that is easiest to blame: accused or met at the scene, else one that can have been there."""
        geese = self.geese(view, self.world.everyone)
        if not geese:
            return -1
        accused = [s.target for s in self.heard if s.kind == "suspect"]
        witnesses = self.witnesses(view)
        picture, belief = self.suspicion.picture, self.suspicion.probability

        def blamable(j: int) -> tuple[int, bool, float]:
            near = any(picture.ever_in(j, kill.room, kill.tick - 3, kill.tick) for kill in self.kills)
            return accused.count(j) + 2 * (j in witnesses), near, belief[j]

        return max(geese, key=blamable)

    def attacks(self, view: View) -> bool:
        """Whether it is time to blame somebody: it was met, others accuse already, or it is eager."""
        return self.eager or any(s.kind == "suspect" for s in self.heard) or bool(self.witnesses(view))

    def blame(self, view: View) -> list[Said]:
        """The accusation, if it is time for one."""
        target = self.vote(view)
        return [Said(self.me, "suspect", target)] if target >= 0 else []

    def vote(self, view: View) -> int:
        """Whom it blames; where nobody is accused it lies low."""
        return self.scapegoat(view) if self.attacks(view) else -1

    def strength(self, point: Said) -> str:
        """It accuses as firmly as it is bold."""
        return "strong" if self.eager else "weak"

    def beliefs(self) -> list[float]:
        """It knows."""
        return [float(self.partners >> j & 1) for j in range(self.world.n)]
