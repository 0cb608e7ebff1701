"""Claims planted into recorded games, with the answer that an independent, slow and obvious reading gives.

`Film` writes down, instant by instant, where everybody is; nothing of the judge or the timeline is used. From it true,
subtly false (neighbouring room, neighbouring tick, swapped person), plainly false and vague claims are drawn.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from quack_env import GameRecord


class Planted(NamedTuple):
    """A claim with its answer. ``how``: "true", "room", "tick", "person", "plain" or "vague"."""

    claim: dict[str, Any]
    speaker: int
    meeting: int
    expected: str
    how: str


class Film:
    """Frame by frame: after each event, the room of every seat (None on the way or gone) and of every body."""

    def __init__(self, trajectory: GameRecord) -> None:
        self.trajectory = trajectory
        self.events = trajectory.events
        self.names = trajectory.names
        self.map = trajectory.game_map
        n = len(self.names)
        where: list[str | None] = [None] * n
        body: list[str | None] = [None] * n
        out: set[int] = set()
        self.where: list[list[str | None]] = []
        self.bodies: list[list[str | None]] = []
        self.legs: list[list[int]] = []
        self.calls: list[int] = []
        for p, event in enumerate(self.events):
            # whoever leaves, dies or is put elsewhere by this event is still there at its instant
            frame, lying = list(where), list(body)
            kind, seat, target = event.kind, event.actor, event.target
            if kind == "leg_start":
                self.legs.append([p, p])
                body = [None] * n
                lying = list(body)
                placed = self._placed(p)
                where = [None if i in out else placed.get(i) for i in range(n)]
                frame = list(where)
            elif kind == "arrive":
                for i, room in self._landing(p).items():
                    where[i] = room
                frame = list(where)
            elif kind == "depart" and seat is not None:
                where[seat] = None
            elif kind == "kill" and target is not None:
                body[target], where[target] = event.room, None
                out.add(target)
                lying = list(body)
            elif kind == "ejected" and target is not None:
                where[target] = None
                out.add(target)
            elif kind == "meeting_called":
                self.calls.append(p)
                for i, room in self._put_back(p).items():
                    where[i] = room
                frame = list(where)
            if len(self.calls) < len(self.legs) or kind == "meeting_called":
                self.legs[-1][1] = p
            self.where.append(frame)
            self.bodies.append(lying)

    def _placed(self, p: int) -> dict[int, str]:
        if p == 0:
            return {i: seat.spawn for i, seat in enumerate(self.trajectory.header.seats)}
        found = {}
        for event in self.events[p + 1 :]:
            if event.kind != "respawn":
                break
            found[event.actor] = event.room
        return found

    def _landing(self, p: int) -> dict[int, str]:
        """Arrivals that follow one another within a tick happen together."""
        found = {}
        for event in self.events[p:]:
            if event.kind != "arrive" or event.tick != self.events[p].tick:
                break
            found[event.actor] = event.to
        return found

    def _put_back(self, p: int) -> dict[int, str]:
        return {
            e.actor: e.room
            for e in self.events[p : p + 40]
            if e.kind == "transit_cancelled" and e.tick == self.events[p].tick
        }

    def frames(self, meeting: int, first_tick: int, last_tick: int) -> list[int]:
        """The instants of some ticks in the leg that a meeting ends."""
        first, last = self.legs[meeting]
        return [p for p in range(first, last + 1) if first_tick <= self.events[p].tick <= last_tick]

    def ticks(self, meeting: int) -> list[int]:
        """The ticks of the leg, without the one in which it began."""
        first, last = self.legs[meeting]
        return list(range(self.events[first].tick + 1, self.events[last].tick + 1))

    def alive(self, meeting: int) -> list[int]:
        """Who can speak in a meeting."""
        return [i for i, room in enumerate(self.where[self.calls[meeting]]) if room is not None]


ROOMS_OF_NOWHERE = ("the moon", "engine room 9", "reactor core")
PEOPLE_OF_NOWHERE = ("Mallory", "the captain")
DEEDS_OF_NOWHERE = ("dancing", "sabotage", "thinking hard", "venting")


class Planter:
    """Draws planted claims from one game."""

    def __init__(self, trajectory: GameRecord, seed: int) -> None:
        self.film = Film(trajectory)
        self.rng = random.Random(seed)
        self.rooms = list(trajectory.game_map.rooms)

    def draw(self, count: int) -> Iterator[Planted]:
        """That many claims of all types; fewer where the game has no meeting."""
        makers = [
            self.location,
            self.sighting,
            self.task,
            self.traveling,
            self.route,
            self.body,
            self.vague,
            self.judged,
        ]
        made = tries = 0
        while made < count and tries < 60 * count and self.film.calls:
            tries += 1
            planted = self.rng.choice(makers)(self.rng.randrange(len(self.film.calls)))
            if planted:
                made += 1
                yield planted

    # --- the types -----------------------------------------------------------------------------------------------

    def location(self, meeting: int) -> Planted | None:
        """Presence at a tick, in a span, or in the leg; sometimes a denial, sometimes as waiting."""
        film, rng = self.film, self.rng
        moment = self.moment(meeting)
        if not moment:
            return None
        who, room, tick, time, frames = moment
        how = rng.choice(["true", "room", "tick", "person", "plain"])
        if how == "room":
            room = rng.choice(film.map.neighbours(room))
        elif how == "plain":
            room = rng.choice(self.rooms)
        elif how == "tick":
            time, frames = self.stated(meeting, tick + rng.choice([-1, 1]))
        elif how == "person":
            who = rng.choice([i for i in range(len(film.names)) if i != who])
        there = any(film.where[p][who] == room for p in frames)
        return self.made("location", meeting, how, there, "false", subject=who, room=room, time=time)

    def sighting(self, meeting: int) -> Planted | None:
        """Two in one room."""
        film, rng = self.film, self.rng
        moment = self.moment(meeting)
        if not moment:
            return None
        who, room, tick, time, frames = moment
        others = [i for i in range(len(film.names)) if i != who]
        near = [i for i in others if any(film.where[p][i] == film.where[p][who] is not None for p in frames)]
        other = rng.choice(near or others)
        how = rng.choice(["true", "room", "tick", "person", "plain"])
        if how == "room":
            room = rng.choice(film.map.neighbours(room))
        elif how == "plain":
            room = rng.choice(self.rooms)
        elif how == "tick":
            time, frames = self.stated(meeting, tick + rng.choice([-1, 1]))
        elif how == "person":
            other = rng.choice(others)
        met = {film.where[p][who] for p in frames if film.where[p][who] and film.where[p][who] == film.where[p][other]}
        other_verdict = "wrong_room" if met else "false"
        return self.made(
            "sighting", meeting, how, room in met, other_verdict, subject=who, target=other, room=room, time=time
        )

    def body(self, meeting: int) -> Planted | None:
        """Somebody and a body in one room."""
        film, rng = self.film, self.rng
        frames = film.frames(meeting, 0, 10**6)
        victims = [i for i in range(len(film.names)) if film.bodies[frames[-1]][i]]
        if not victims:
            return None
        victim, who = rng.choice(victims), rng.choice([i for i in range(len(film.names)) if i not in victims])
        where = film.bodies[frames[-1]][victim]
        room = rng.choice([where, rng.choice(self.rooms)])
        there = any(film.where[p][who] == film.bodies[p][victim] for p in frames if film.bodies[p][victim])
        verdict = "wrong_room" if there else "false"
        how = "true" if there and room == where else "plain"
        extra: dict[str, Any] = {"target": victim, "of": "body", "room": room, "time": None}
        return self.made("sighting", meeting, how, there and room == where, verdict, subject=who, **extra)

    def task(self, meeting: int) -> Planted | None:
        """A task step."""
        film, rng = self.film, self.rng
        first, last = film.legs[meeting]
        steps = [e for e in film.events[first : last + 1] if e.kind == "task_step"]
        if not steps:
            return None
        step = rng.choice(steps)
        who, room, how = step.actor, step.room, rng.choice(["true", "room", "tick", "person"])
        time, frames = self.stated(meeting, step.tick)
        if how == "room":
            room = rng.choice(film.map.neighbours(room))
        elif how == "tick":
            time, frames = self.stated(meeting, step.tick + rng.choice([-1, 1]))
        elif how == "person":
            who = rng.choice([i for i in range(len(film.names)) if i != who])
        worked = {e.room for p in frames if (e := film.events[p]).kind == "task_step" and e.actor == who}
        verdict = "wrong_room" if worked else "false"
        return self.made(
            "activity", meeting, how, room in worked, verdict, subject=who, room=room, activity="task", time=time
        )

    def traveling(self, meeting: int) -> Planted | None:
        """A movement with its direction, at the tick of its departure."""
        film, rng = self.film, self.rng
        first, last = film.legs[meeting]
        moves = [e for e in film.events[first : last + 1] if e.kind == "depart"]
        if not moves:
            return None
        move = rng.choice(moves)
        origin, to, how = move.room, move.to, rng.choice(["true", "room"])
        if how == "room":
            origin, to = to, origin
        tick = move.tick
        frames = film.frames(meeting, tick, tick)
        ways = self.ways(move.actor, first, last)
        here = [(a, b) for a, b, start, end in ways if any(start <= p <= end for p in frames)]
        if not here or (how == "room" and (origin, to) in here):
            return None
        fields: dict[str, Any] = {"activity": "traveling", "from": origin, "room": to, "time": f"at tick {tick}"}
        return self.made("activity", meeting, how, (origin, to) in here, "wrong_room", subject=move.actor, **fields)

    def ways(self, who: int, first: int, last: int) -> list[tuple[str, str, int, int]]:
        """(origin, destination, first and last instant) of the ways of a seat in a leg."""
        found = []
        for p in range(first, last + 1):
            event = self.film.events[p]
            if event.kind == "depart" and event.actor == who:
                end = next((q for q in range(p + 1, last + 1) if self.film.where[q][who] is not None), last)
                found.append((event.room, event.to, p, end))
        return found

    def route(self, meeting: int) -> Planted | None:
        """The visits of a leg in order, some left out; or with a room never visited in the place of two."""
        film, rng = self.film, self.rng
        first, last = film.legs[meeting]
        who = rng.choice(film.alive(meeting))
        visits: list[str] = []
        for p in range(first, last + 1):
            room = film.where[p][who]
            if room and (not visits or visits[-1] != room):
                visits.append(room)
        if len(visits) < 2:
            return None
        keep = sorted(rng.sample(range(len(visits)), rng.randint(2, min(len(visits), 5))))
        claimed = [visits[k] for k in keep]
        ends = {film.events[p].to for p in range(first, last + 1) if film.events[p].kind == "depart"}
        unseen = [room for room in self.rooms if room not in visits and room not in ends]
        how = rng.choice(["true", "plain"])
        if how == "plain":
            if len(unseen) < 2:
                return None
            claimed = rng.sample(unseen, 2)
        if len(set(claimed)) < 2 or any(a == b for a, b in pairwise(claimed)):
            return None
        return self.made(
            "location", meeting, how, how == "true", "false", subject=who, route=claimed, time="this round"
        )

    def vague(self, meeting: int) -> Planted | None:
        """What no event can settle."""
        rng = self.rng
        who, room = rng.choice(self.film.alive(meeting)), rng.choice(self.rooms)
        fields = rng.choice(
            [
                {"type": "location", "room": rng.choice(ROOMS_OF_NOWHERE)},
                {"type": "location", "room": None},
                {"type": "sighting", "target": rng.choice(PEOPLE_OF_NOWHERE), "room": room},
                {"type": "activity", "activity": rng.choice(DEEDS_OF_NOWHERE), "room": room},
                {"type": "location", "route": [room, rng.choice(ROOMS_OF_NOWHERE)]},
                {"type": "feeling", "room": room},
                {"type": "accusation", "target": rng.choice(PEOPLE_OF_NOWHERE)},
                {"type": "location", "room": room, "time": "at tick 999"},
            ]
        )
        subject = (
            {"subject": self.film.names[who]} if fields["type"] != "accusation" else {"accuser": self.film.names[who]}
        )
        return Planted({**subject, **fields, "attribution": "own"}, who, meeting, "unverifiable", "vague")

    def judged(self, meeting: int) -> Planted | None:
        """An accusation (whom does it hit) or a defence (nothing to verify)."""
        film, rng = self.film, self.rng
        who, other = rng.sample(range(len(film.names)), 2)
        if who not in film.alive(meeting):
            return None
        name, target = film.names[who], film.names[other]
        if rng.random() < 0.3:
            return Planted(
                {"type": "defense", "defender": name, "defended": target}, who, meeting, "unverifiable", "vague"
            )
        hit = film.trajectory.header.seats[other].role == "duck"
        claim = {"type": "accusation", "accuser": name, "target": target}
        return Planted(claim, who, meeting, "true" if hit else "false", "true" if hit else "person")

    # --- what they share -----------------------------------------------------------------------------------------

    def moment(self, meeting: int) -> tuple[int, str, int, str | None, list[int]] | None:
        """(seat, room, tick, time phrase, instants) of somebody who was somewhere."""
        film, rng = self.film, self.rng
        ticks = film.ticks(meeting)
        if not ticks:
            return None
        who, tick = rng.randrange(len(film.names)), rng.choice(ticks)
        rooms = {film.where[p][who] for p in film.frames(meeting, tick, tick)} - {None}
        if not rooms:
            return None
        room = rng.choice(sorted(rooms))
        if rng.random() < 0.15:
            return who, room, tick, rng.choice([None, "this round"]), film.frames(meeting, 0, 10**6)
        return who, room, tick, *self.stated(meeting, tick)

    def stated(self, meeting: int, tick: int) -> tuple[str, list[int]]:
        """A phrase about a tick, and the instants it means."""
        film, rng = self.film, self.rng
        ticks = film.ticks(meeting)
        tick = min(max(tick, ticks[0]), ticks[-1])
        start = ticks[0] - 1
        roll = rng.random()
        if roll < 0.5:
            return rng.choice([f"at tick {tick}", f"tick {tick}", f"on t{tick}"]), film.frames(meeting, tick, tick)
        if roll < 0.65 and tick - 1 > start:
            return f"around tick {tick}", film.frames(meeting, tick - 1, tick + 1)
        if roll < 0.8:
            last = min(tick + 2, ticks[-1])
            phrase = rng.choice([f"ticks {tick}-{last}", f"from tick {tick} to tick {last}"])
            return phrase, film.frames(meeting, tick, last)
        if roll < 0.9:
            return rng.choice([f"by tick {tick}", f"until tick {tick}"]), film.frames(meeting, start, tick)
        return rng.choice([f"from tick {tick} onward", f"since tick {tick}"]), film.frames(meeting, tick, ticks[-1])

    def made(
        self, kind: str, meeting: int, how: str, holds: bool, otherwise: str, subject: int, **fields: Any
    ) -> Planted | None:
        """The claim with its answer; a draw that came out true although it was bent is true."""
        film, rng = self.film, self.rng
        if how in ("tick", "person", "room", "plain") and holds:
            how = "true"
        names = {"subject": film.names[subject]}
        if "target" in fields:
            names["target"] = film.names[fields.pop("target")]
        claim = {"type": kind, **names, **fields, "attribution": "own"}
        if rng.random() < 0.15 and kind != "activity":
            claim["polarity"] = "negative"
            holds, otherwise = not holds, "false"
            how = "true" if holds else how if how != "true" else "plain"
        speaker = subject if subject in film.alive(meeting) else rng.choice(film.alive(meeting))
        return Planted(claim, speaker, meeting, "true" if holds else otherwise, how)
