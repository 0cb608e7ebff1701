"""The scripted Duck: seeks the lonely, kills, leaves, pretends to work, and lies by degrees."""

from __future__ import annotations

from collections.abc import Sequence

from quack_agents.scripted import speech
from quack_agents.scripted.mind import WAIT, Mind
from quack_agents.scripted.reason import Said

from quack_env.view import View

OMISSION, WRONG_ROOM, WRONG_TIME, INVENTED = range(4)
STALE = 10
"""Ticks after which it no longer counts on somebody being where it was seen."""


class Duck(Mind):
    """A Duck."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.kills: list[tuple[int, int, int]] = []
        """(victim, room, tick) of its own kills in this leg."""
        self.ready_since = -1
        """The tick from which it might have killed, -1 while it may not."""
        self.reports: bool | None = None
        self.degree = OMISSION
        self._told = 0

    def new_leg(self) -> None:
        """Nothing to hide yet."""
        self.kills = []
        self.reports = None

    # --- roaming -----------------------------------------------------------------------------------------------------

    def roam(self, view: View, mask: Sequence[int]) -> int:
        """Kill, get away, or pass for a Goose."""
        self.ready_since = -1 if view.cooldown else view.tick if self.ready_since < 0 else self.ready_since
        victim = self.victim(view)
        if victim >= 0:
            self.kills.append((victim, view.room, view.tick))
            self.ready_since = -1
            self.reports = None
            return self.world.act_kill + victim
        if view.bodies:
            return self.by_body(view)
        return self.prowl(view, mask)

    def victim(self, view: View) -> int:
        """Whom to kill now, or -1."""
        if view.cooldown or view.bodies:
            return -1
        prey = [j for j in range(self.world.n) if view.here & ~view.partners & ~view.known_dead & 1 << j]
        if not prey:
            return -1
        geese = self.world.n - self.world.m - (view.known_dead & ~view.partners).bit_count()
        wins = self.world.m >= geese - 1
        others = len(prey) - 1
        bored = view.tick - self.ready_since >= self.persona.patience
        if not wins and others and not (bored and others <= self.persona.crowd):
            return -1
        if not wins and not bored and (self.visitors(view) or self.watched(view)):
            return -1
        return self.rng.choice(prey)

    def visitors(self, view: View) -> bool:
        """Whether somebody it saw not long ago may come in soon."""
        for j, (room, tick) in enumerate(self.last_seen):
            age = view.tick - tick
            near = room >= 0 and age < STALE and self.ticks(room, view.room) - age <= self.persona.margin
            if near and not (view.here | view.partners | view.known_dead) >> j & 1:
                return True
        return False

    def watched(self, view: View) -> bool:
        """Whether a Goose that lives on saw it not long ago."""
        seen = 0
        if self.persona.unseen:
            for others in self.memory.leg.seen[-self.persona.unseen :]:
                seen |= others
        return bool(seen & ~view.here & ~view.partners & ~view.known_dead)

    def by_body(self, view: View) -> int:
        """Away from the body; if a Goose is there, perhaps be the first to report."""
        geese = view.here & ~view.partners
        if geese:
            if self.reports is None:
                self.reports = self.rng.random() < self.persona.self_report
            if self.reports:
                return self.world.act_report
        return self.flee(view)

    def flee(self, view: View) -> int:
        """To the next room that is near, and where nobody is coming from."""
        rooms = self.movement.neighbours[view.room]
        expected = {room for room, tick in self.last_seen if tick > view.tick - 4}
        weight = self.movement.weight
        best = min(rooms, key=lambda r: (r in expected, weight[view.room * self.world.R + r], self.rng.random()))
        self.goal = -1
        return self.world.act_move + best

    def prowl(self, view: View, mask: Sequence[int]) -> int:
        """Pretend to work in company or while it may not kill; else go where somebody is alone."""
        geese = (view.here & ~view.partners).bit_count()
        if geese == 1 or (geese and view.cooldown > 2):
            return self.do_task(view) if mask[self.world.act_task] else self.tail(view)
        if view.cooldown > 3 and mask[self.world.act_task]:
            return self.do_task(view)
        target = self.lonely(view)
        if target >= 0:
            self.goal = target
        if self.goal < 0 or self.goal == view.room:
            self.goal = self.haunt(view)
        return self.step(view, self.goal)

    def tail(self, view: View) -> int:
        """Stay with the Goose in the room."""
        return WAIT

    def lonely(self, view: View) -> int:
        """The nearest room where one Goose is thought to be alone, or -1."""
        crowd: dict[int, int] = {}
        for j, (room, tick) in enumerate(self.last_seen):
            if room >= 0 and room != view.room and tick >= view.tick - STALE and not view.known_dead >> j & 1:
                crowd[room] = crowd.get(room, 0) + (2 if view.partners >> j & 1 else 1)
        alone = [room for room, count in crowd.items() if count == 1]
        return min(alone, key=lambda room: (self.ticks(view.room, room), room)) if alone else -1

    def haunt(self, view: View) -> int:
        """The room it has not looked into for longest, for the way: somebody is there sooner or later."""
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

    def points(self, view: View) -> list[Said]:
        """Its story, and others to blame: before it is accused or after, as its temperament has it."""
        if self._told != view.meeting:
            self._told = view.meeting
            self.degree = self.rng.choices(range(4), self.persona.lies)[0] if self.kills else OMISSION
            self.eager = self.rng.random() < self.persona.accuses
        me = self.me
        stays = self.story()
        worked = [stay for stay in self.worked if stay[0] not in self.scenes()]
        account = speech.work(me, worked)[:1] + speech.route(me, stays) + speech.whereabouts(me, stays)
        company = [
            s
            for j in self.living(view)
            for s in speech.sightings(me, self.memory.leg, j)
            if s.room not in self.scenes()
        ]
        self.rng.shuffle(company)
        found = speech.bodies(me, self.memory.leg) if view.caller == me and view.by_body else []
        blame = self.blame(view)
        if view.round == 1:
            return [*self.counter(view), *found, *self.invention(view), *account[:2], *company, *blame, *account]
        return [*blame, *account, *company, Said(me, "nothing")]

    def scenes(self) -> set[int]:
        """Rooms it would rather not have been in."""
        return {room for _, room, _ in self.kills}

    def story(self) -> list[speech.Stay]:
        """Its stays as it tells them: scenes left out, or another room or another time in their place."""
        true = self.memory.leg.stays()
        scenes = self.scenes()
        if self.degree == WRONG_TIME:
            return [(room, first - 3, last - 3) if room in scenes else (room, first, last) for room, first, last in true]
        if self.degree == WRONG_ROOM:
            return [(self.instead(room), first, last) if room in scenes else (room, first, last) for room, first, last in true]
        return [stay for stay in true if stay[0] not in scenes]

    def instead(self, scene: int) -> int:
        """A room beside the scene that nobody is known to have been in."""
        rooms = [room for room in self.movement.neighbours[scene] if room not in self.scenes()]
        if not rooms:
            return scene
        seen = {room for room, _ in self.last_seen}
        return min(rooms, key=lambda room: (room in seen, room))

    def witnesses(self, view: View) -> list[int]:
        """The living Geese that it met by a body, before or at the call."""
        leg = self.memory.leg
        met = view.here if view.bodies else 0
        for victim, room, tick in self.kills:
            for t in range(tick - leg.first, len(leg.rooms)):
                if leg.rooms[t] == room:
                    met |= leg.seen[t] & ~(1 << victim)
        return [j for j in self.living(view) if met & ~view.partners & 1 << j]

    def counter(self, view: View) -> list[Said]:
        """Whoever met it at the scene was there too, and says so first or is believed less."""
        if not self.kills:
            return []
        return [Said(self.me, "saw", j, self.kills[-1][1], first=view.tick, last=view.tick) for j in self.witnesses(view)]

    def invention(self, view: View) -> list[Said]:
        """A sighting of a Goose at the scene of a kill."""
        if self.degree != INVENTED or not self.kills:
            return []
        _, scene, tick = self.kills[-1]
        scapegoat = self.scapegoat(view)
        if scapegoat < 0:
            return []
        return [Said(self.me, "saw", scapegoat, scene, first=max(1, tick - 2), last=max(1, tick - 1))]

    def scapegoat(self, view: View) -> int:
        """The Goose that is easiest to blame: by others' words, else by where it can have been."""
        geese = [j for j in self.living(view) if not view.partners >> j & 1]
        if not geese:
            return -1
        accused = {j: sum(s.kind == "suspect" and s.target == j for s in self._heard) for j in geese}
        against = {s.speaker for s in self._heard if s.kind == "suspect" and s.target == self.me}
        near = {j: self.at_scene(j) for j in geese}
        witnesses = self.witnesses(view)
        return max(
            geese,
            key=lambda j: (accused[j] + 2 * (j in witnesses), near[j], j in against, self.suspicion.probability[j]),
        )

    def at_scene(self, j: int) -> bool:
        """Whether a Goose can have been where it killed, for all it knows."""
        picture = self.suspicion.picture
        return any(picture.ever_in(j, room, tick - 3, tick) for _, room, tick in self.kills)

    def blame(self, view: View) -> list[Said]:
        """An accusation, if somebody else is accused already, or it is, or it is eager."""
        accused = [s for s in self._heard if s.kind == "suspect"]
        if accused or self.eager or self.witnesses(view):
            target = self.scapegoat(view)
            return [Said(self.me, "suspect", target)] if target >= 0 else []
        return []

    def vote(self, view: View) -> int:
        """With the others against a Goose; alone, or where nobody is accused, as temperament has it."""
        accused = [s for s in self._heard if s.kind == "suspect" and not view.partners >> s.target & 1]
        if accused or self.eager or self.witnesses(view):
            return self.scapegoat(view)
        return -1

    def strength(self, point: Said) -> str:
        """It accuses as firmly as it is bold."""
        return "strong" if self.eager else "weak"
