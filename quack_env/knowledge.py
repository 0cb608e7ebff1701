"""What follows from what one agent perceived: where the others can have been, and who can have killed.

A `Memory` is fed with an agent's successive `View`s and keeps one `Leg` for every stretch between two meetings; a
`Picture` draws the conclusions from a leg, or from the legs of several agents pooled. Nothing here reads a state.

Sets of seats are bit masks, and so are sets of rooms; `AWAY` in a set of rooms stands for "in transit". Conclusions
are exact in the movement model of rules.md: a player acts once a tick, a corridor of weight w that is entered at tick t
is left at the start of tick t + w, and arrivals come before all acts of a tick, so that whoever is in a room at some
instant of a tick sees everybody else who is in it at any instant of that tick. With `instant_hops` (the published
deviation) they are supersets.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from quack_env.kinds import ARRIVE, BODY_APPEARED, DEPART, EJECTED, KILL, TRANSIT_CANCELLED
from quack_env.state import FREE, OVER
from quack_env.statements import decode
from quack_env.view import Message, View
from quack_env.world import World

AWAY = 1 << 60
"""In a set of rooms: in none of them (a map has at most 60)."""
NOWHERE = -1


class Movement:
    """The movement model of one map: travel times, first steps, and which rooms can follow which."""

    def __init__(self, rooms: int, weight: Sequence[int], instant_hops: bool = False) -> None:
        self.rooms = rooms
        self.everywhere = (1 << rooms) - 1
        self.anything = self.everywhere | AWAY
        self.weight = tuple(weight)
        self.instant = instant_hops
        self.ticks, self.hop = _shortest(rooms, self.weight)
        self.neighbours = [[b for b in range(rooms) if self.weight[a * rooms + b]] for a in range(rooms)]
        self.weights = sorted(set(self.weight) - {0} - ({1} if instant_hops else set()))
        """Ticks of the corridors that take a player out of all rooms for a while, or into the next tick."""
        self._by_weight = {
            w: [sum(1 << b for b in range(rooms) if self.weight[a * rooms + b] == w) for a in range(rooms)]
            for w in {1, *self.weights}
        }
        self._moved: dict[int, dict[int, int]] = {w: {0: 0} for w in self._by_weight}
        longest = [max(self.weight[a * rooms : (a + 1) * rooms]) for a in range(rooms)]
        self.leaving = [sum(1 << a for a in range(rooms) if longest[a] > t) for t in range(max(longest))]
        """By ticks: the rooms with a corridor that takes more than so many; the list ends where there are none."""
        self.near = [1 << a | (self._by_weight[1][a] if instant_hops else 0) for a in range(rooms)]
        """Where somebody who is seen in a room may have been within the same tick."""

    def moved(self, rooms: int, ticks: int) -> int:
        """The rooms that one corridor of exactly ``ticks`` joins to one of ``rooms``."""
        known = self._moved[ticks]
        reached = known.get(rooms)
        if reached is None:
            table = self._by_weight[ticks]
            reached = 0
            for a in range(self.rooms):
                if rooms >> a & 1:
                    reached |= table[a]
            known[rooms] = reached
        return reached

    def within_tick(self, rooms: int) -> int:
        """The rooms somebody in one of ``rooms`` may be in before the tick is over."""
        return rooms | self.moved(rooms, 1) if self.instant else rooms


def _shortest(rooms: int, weight: Sequence[int]) -> tuple[list[int], list[int]]:
    """Ticks of the shortest way for each pair of rooms, and the first room on it; flat lists."""
    far = sum(weight) + 1
    ticks = [weight[p] or far for p in range(rooms * rooms)]
    hop = [p % rooms for p in range(rooms * rooms)]
    for a in range(rooms):
        ticks[a * rooms + a] = 0
    for via in range(rooms):
        for a in range(rooms):
            for b in range(rooms):
                through = ticks[a * rooms + via] + ticks[via * rooms + b]
                if through < ticks[a * rooms + b]:
                    ticks[a * rooms + b] = through
                    hop[a * rooms + b] = hop[a * rooms + via]
    return ticks, hop


@lru_cache(maxsize=64)
def _movement(rooms: int, weight: tuple[int, ...], instant_hops: bool) -> Movement:
    return Movement(rooms, weight, instant_hops)


def movement_of(world: World) -> Movement:
    """The movement model of a game's map, shared by all who ask."""
    return _movement(world.R, tuple(world.weight), bool(world.instant_hops))


# --- what was perceived ----------------------------------------------------------------------------------------------


class Body(NamedTuple):
    """A body somebody saw. ``seen``: when first; ``last``: the latest tick at which the kill can have been.

    ``near``: who was in the room at the kill, where the body appeared before the observer's eyes; else -1.
    """

    victim: int
    room: int
    seen: int
    last: int
    near: int = -1


class Move(NamedTuple):
    """A departure or arrival that was witnessed: ``tick`` is the instant it was seen."""

    tick: int
    who: int
    origin: int
    to: int
    arrived: bool


class Heard(NamedTuple):
    """A statement of the finite grammar, by numbers (``kind`` as in `quack_env.kinds`; -1 for "none")."""

    meeting: int
    round: int
    speaker: int
    kind: int
    target: int
    room: int


class Leg:
    """What agent ``me`` perceived in one leg, from its placing at tick ``first`` on; lists go by tick - first."""

    __slots__ = (
        "bodies",
        "called",
        "clear",
        "cut",
        "dead",
        "first",
        "here",
        "marks",
        "me",
        "moves",
        "players",
        "rooms",
        "seen",
    )

    def __init__(self, me: int, first: int, players: int, n: int) -> None:
        self.me = me
        self.first = first
        self.players = players
        """Those alive at its start."""
        self.dead = 0
        """Those known to have died in it."""
        self.called = False
        """Whether the meeting that ends it has been called."""
        self.rooms: list[int] = []
        """Own room at the start of the tick; NOWHERE in transit, or where that is not certain."""
        self.clear: list[int] = []
        """The room for which it knows who was in it at any instant of the tick, or NOWHERE."""
        self.seen: list[int] = []
        """Who was in the room of ``clear`` at some instant of the tick."""
        self.here: list[int] = []
        """Who was with it at its own decision in the tick."""
        self.marks: list[list[tuple[int, int, int]]] = [[] for _ in range(n)]
        """Per seat: (first tick, last tick, set of rooms it was in throughout them)."""
        self.cut: dict[int, tuple[int, int]] = {}
        """Those put back by the call: the room they had left, and the ticks of the way."""
        self.moves: list[Move] = []
        self.bodies: list[Body] = []

    @property
    def last(self) -> int:
        """The last tick it knows of."""
        return self.first + len(self.rooms) - 1

    def body(self, victim: int) -> Body | None:
        """The body of a victim, if it was seen."""
        return next((body for body in self.bodies if body.victim == victim), None)

    def room_at(self, tick: int) -> int:
        """Own room at a tick, NOWHERE in transit or outside the leg."""
        return self.rooms[tick - self.first] if self.first <= tick <= self.last else NOWHERE

    def stays(self) -> list[tuple[int, int, int]]:
        """Own route: (room, first tick, last tick) of every stay, oldest first; ticks in transit are left out."""
        stays: list[tuple[int, int, int]] = []
        before = NOWHERE
        for tick, room in enumerate(self.rooms, self.first):
            if room != NOWHERE:
                if room == before:
                    stays[-1] = (room, stays[-1][1], tick)
                else:
                    stays.append((room, tick, tick))
            before = room
        return stays

    def met(self, who: int) -> list[tuple[int, int, int]]:
        """(room, first tick, last tick) of every stretch in which a player was seen, oldest first."""
        stretches: list[tuple[int, int, int]] = []
        for tick, (room, seen) in enumerate(zip(self.clear, self.seen, strict=True), self.first):
            if room != NOWHERE and seen >> who & 1:
                if stretches and stretches[-1][0] == room and stretches[-1][2] == tick - 1:
                    stretches[-1] = (room, stretches[-1][1], tick)
                else:
                    stretches.append((room, tick, tick))
        return stretches


class Memory:
    """What one agent has perceived in a game; feed `see` with every view it decides on.

    ``legs`` are the legs that are over, ``leg`` the current one (in a meeting: the one that the meeting ended).
    """

    def __init__(self, world: World, me: int) -> None:
        self.world = world
        self.me = me
        self.movement = movement_of(world)
        self.legs: list[Leg] = []
        self.leg = Leg(me, 0, world.everyone, world.n)
        self.dead = 0
        """Who is known to be dead."""
        self.ejected = 0
        self.killed = 0
        """The dead who were not voted out: Geese for certain."""
        self.killers = 0
        """Who was seen killing (config witness_kills)."""
        self.statements: list[Heard] = []
        """Everybody's statements, in the order they were made (speech "tokens")."""
        self.messages: list[Message] = []
        """Utterances heard from others, in the order they were made."""
        self._over = -1
        """Meetings that were over at the last view; -1 before the first."""

    def see(self, view: View) -> None:
        """Take in what the agent knows at a decision."""
        if view.phase == OVER:
            return
        over = view.meeting - (view.phase != FREE)
        if self._over < 0:
            self._over = over
        elif over > self._over:
            self._over = over
            self._next_leg(view)
        leg = self.leg
        if view.phase == FREE:
            if view.tick <= leg.last and leg.rooms:
                return  # seen before
            self._go(leg, view, view.tick - leg.first - len(leg.rooms), True)
        elif not leg.called:
            self._meet(view)
        if view.known_dead != self.dead:
            self._mourn(view)
        if view.messages:
            self.messages.extend(view.messages)
        if view.said and view.phase != FREE:
            self._listen(view)

    def glance(self, view: View) -> Memory:
        """A copy that also knows what ``view`` shows, which may lie between two decisions; this memory stays as it is.

        What an agent in transit is shown tells it nothing.
        """
        other = copy.copy(self)
        other.legs = self.legs[:]
        other.leg = copy.deepcopy(self.leg)
        other.statements = self.statements[:]
        other.messages = self.messages[:]
        if view.phase != FREE or view.meeting > self._over or view.tick > self.leg.last or not self.leg.rooms:
            if view.phase != FREE or view.room != NOWHERE:
                other.see(view)
        else:
            other._look_again(view)
        return other

    def _look_again(self, view: View) -> None:
        """What happened in the tick of its latest decision, after it."""
        self._witness(self.leg, view, self.leg.last, False)
        if view.bodies:
            self._find(self.leg, view, False)
        if view.known_dead != self.dead:
            self._mourn(view)

    def _next_leg(self, view: View) -> None:
        """A meeting is over: everybody alive is somewhere else."""
        old = self.leg
        voted_out = sum(1 << (event >> 10 & 31) - 1 for event in view.events if event & 31 == EJECTED)
        if view.dropped and not voted_out:
            voted_out = view.known_dead & ~self.dead & ~view.bodies
        self.ejected |= voted_out
        self.legs.append(old)
        self.leg = Leg(self.me, old.last, self.world.everyone & ~self.dead & ~self.ejected, self.world.n)

    def _go(self, leg: Leg, view: View, skipped: int, certain: bool) -> None:
        """Own ticks up to this view, ``skipped`` of them since the last one and before this; then what was seen."""
        instant = self.movement.instant
        room = view.room
        placed = not leg.rooms and skipped == 1  # still where the leg placed it
        stayed = certain and bool(leg.rooms) and skipped == 0 and leg.rooms[-1] == room
        if instant and stayed:
            leg.clear[-1] = room
        before = len(leg.rooms)
        leg.rooms += [room if placed else NOWHERE] * skipped + [room if certain else NOWHERE]
        leg.clear += [NOWHERE] * (skipped + 1)
        leg.seen += [0] * (skipped + 1)
        leg.here += [0] * skipped + [view.here if view.phase == FREE else 0]
        if certain and not instant and not view.dropped:
            leg.clear[-1] = room
        at_start = self._witness(leg, view, leg.first + before - 1, certain)
        if certain and before and leg.rooms[before - 1] != room and not view.dropped:
            self._mark(leg, at_start, view.tick - 1, self.movement.near[room])  # they did not come in with it
        if placed and not view.dropped:
            leg.clear[0] = room
            leg.seen[0] = at_start
        if view.dropped and before:
            leg.clear[before - 1] = NOWHERE
        if view.bodies:
            self._find(leg, view, certain)

    def _meet(self, view: View) -> None:
        """The first view of a meeting: the leg ends with the instant of the call."""
        leg = self.leg
        skipped = view.tick - leg.first - len(leg.rooms)
        if skipped >= 0:
            unmoved = not leg.rooms and skipped == 1
            arrived = bool(leg.rooms) and leg.rooms[-1] != view.room
            self._go(leg, view, skipped, unmoved or arrived)
        else:
            self._witness(leg, view, leg.last, False)
            if view.bodies:
                self._find(leg, view, False)
        leg.called = True

    def _witness(self, leg: Leg, view: View, decided: int, certain: bool) -> int:
        """Take in the events, newest first; who was in the room before them all.

        Those of the tick it ``decided`` in may be of a room that it left after them (parallel form); where it is not
        ``certain``, it may have left this one and been put back.
        """
        here = present = view.here
        room = view.room
        moves: list[Move] = []
        for event in reversed(view.events):
            kind = event & 31
            tick = event >> 45
            who = 1 << (event >> 5 & 31) >> 1
            place = (event >> 15 & 127) - 1
            if kind == DEPART or kind == ARRIVE:  # noqa: SIM109  (this is asked of every event)
                move = Move(tick, who.bit_length() - 1, place, (event >> 22 & 127) - 1, kind == ARRIVE)
                moves.append(move)
                self._mark_way(leg, move)
                self._saw(leg, tick, move.to if move.arrived else place, who)
                if move.arrived:
                    present &= ~who
                elif place == room:
                    present |= who
            elif kind == BODY_APPEARED:
                victim = 1 << (event >> 10 & 31) >> 1
                stood = place == room and (certain or tick > decided)
                near = present if stood else self._near(leg, tick, decided, victim)
                leg.bodies.append(Body(victim.bit_length() - 1, place, tick, tick, near))
                self._saw(leg, tick, place, victim)
                present |= victim if place == room else 0
            elif kind == TRANSIT_CANCELLED:
                leg.cut[who.bit_length() - 1] = place, self._ticks(place, (event >> 22 & 127) - 1)
                self._mark(leg, who, tick, 1 << place | AWAY)
                present &= ~who
                here &= ~who
            elif kind == KILL:
                self.killers |= who
        leg.moves += reversed(moves)
        self._saw_here(leg, view, here)
        return present

    def _near(self, leg: Leg, tick: int, decided: int, victim: int) -> int:
        """Who was there at a kill in the tick of its own decision: of those it then saw, at most."""
        return leg.here[tick - leg.first] & ~victim if tick == decided and not self.movement.instant else -1

    def _ticks(self, a: int, b: int) -> int:
        """Ticks of the corridor between two rooms."""
        return self.movement.weight[a * self.movement.rooms + b]

    def _saw(self, leg: Leg, tick: int, room: int, who: int) -> None:
        index = tick - leg.first
        if 0 <= index < len(leg.rooms) and leg.rooms[index] == room:
            leg.seen[index] |= who

    def _saw_here(self, leg: Leg, view: View, here: int) -> None:
        """Those in the room at the view; at a call, those who were there before it."""
        if leg.last == view.tick and leg.rooms[-1] == view.room:
            leg.seen[-1] |= here
            if leg.clear[-1] == view.room:
                return
        self._mark(leg, here, view.tick, self.movement.near[view.room])

    def _mark(self, leg: Leg, seats: int, tick: int, rooms: int) -> None:
        """Some players were in one of these rooms at a tick."""
        for who in range(self.world.n):
            if seats >> who & 1:
                leg.marks[who].append((tick, tick, rooms))

    def _mark_way(self, leg: Leg, move: Move) -> None:
        """A departure or arrival fixes both ends of the way and the ticks between."""
        ticks = self._ticks(move.origin, move.to)
        near, marks = self.movement.near, leg.marks[move.who]
        if ticks == 1 and self.movement.instant:
            marks.append((move.tick, move.tick, 1 << move.origin | 1 << move.to))
            return
        start = move.tick - ticks if move.arrived else move.tick
        marks.append((start, start, near[move.origin]))
        marks.append((start + 1, start + ticks - 1, AWAY))
        marks.append((start + ticks, start + ticks, near[move.to]))

    def _find(self, leg: Leg, view: View, arrived: bool) -> None:
        """Bodies that lay here before they were seen."""
        known = {body.victim for body in leg.bodies}
        before = arrived and not view.dropped and not (self.movement.instant and view.phase != FREE)
        for victim in range(self.world.n):
            if view.bodies >> victim & 1 and victim not in known:
                leg.bodies.append(Body(victim, view.room, view.tick, view.tick - before))

    def _mourn(self, view: View) -> None:
        self.dead = view.known_dead
        self.killed = self.dead & ~self.ejected
        self.leg.dead = self.dead & self.leg.players

    def _listen(self, view: View) -> None:
        """The statements made in this meeting so far, each once."""
        n = self.world.n
        meeting = view.meeting - 1
        while self.statements and self.statements[-1].meeting == meeting:
            self.statements.pop()
        for number in range(len(view.said) // n):
            for speaker in view.speaking:
                code = view.said[number * n + speaker]
                if code:
                    kind, target, room = decode(self.world, code - 1)
                    self.statements.append(Heard(meeting, number + 1, speaker, kind, target, room))


# --- what follows ----------------------------------------------------------------------------------------------------


class Track:
    """Where one player can have been, tick by tick of a leg (lists go by tick - first).

    ``before``: rooms it can have reached by what was perceived up to the tick; ``after``: rooms from which it can have
    come to what was perceived from the tick on.
    """

    __slots__ = ("after", "before", "rooms")

    def __init__(
        self, movement: Movement, allowed: Sequence[int], dead: bool = False, cut: tuple[int, int] | None = None
    ) -> None:
        self.before = _forward(movement, allowed)
        self.after = [movement.everywhere] * len(allowed) if dead else _backward(movement, allowed, cut)
        self.rooms = [a & b for a, b in zip(self.before, self.after, strict=True)]


def _forward(movement: Movement, allowed: Sequence[int]) -> list[int]:
    everywhere, weights, moved, instant = movement.everywhere, movement.weights, movement.moved, movement.instant
    rooms = allowed[0] & everywhere
    reached = [rooms]
    wall = 1  # the last tick at which it was in a room for certain, no way leads across it; nobody acts before tick 1
    for t in range(1, len(allowed)):
        for w in weights:
            if t - w < wall:
                break
            rooms |= moved(reached[t - w], w)
        if instant:
            rooms = movement.within_tick(rooms)
        rooms &= allowed[t]
        reached.append(rooms)
        if not allowed[t] & AWAY:
            wall = t
    return reached


def _backward(movement: Movement, allowed: Sequence[int], cut: tuple[int, int] | None) -> list[int]:
    everywhere, weights, moved, instant = movement.everywhere, movement.weights, movement.moved, movement.instant
    end = len(allowed) - 1
    reached = [0] * len(allowed)
    leaving = movement.leaving if cut is None else [1 << cut[0]] * cut[1]
    rooms = reached[end] = allowed[end] & everywhere
    wall = end if not allowed[end] & AWAY else end + weights[-1] if weights else end
    for t in range(end - 1, 0, -1):
        for w in weights:
            if t + w > wall:
                break
            if t + w <= end:
                rooms |= moved(reached[t + w], w)
        if wall > end and end - t < len(leaving):
            rooms |= leaving[end - t]  # it was on its way at the end
        if instant:
            rooms = movement.within_tick(rooms)
        rooms &= allowed[t]
        reached[t] = rooms
        if not allowed[t] & AWAY:
            wall = t
    if end:
        reached[0] = reached[1] & allowed[0]  # nobody acts before tick 1
    return reached


class Picture:
    """What perceptions of one leg imply. Several agents' legs (of the same leg of the game) are pooled.

    Args:
        world: the game's public numbers.
        legs: what each observer perceived; all with the same ``first``.
    """

    def __init__(self, world: World, legs: Sequence[Leg]) -> None:
        self.world = world
        self.movement = movement_of(world)
        self.legs = legs
        self.first = legs[0].first
        self.last = max(leg.last for leg in legs)
        self._tracks: dict[int, Track] = {}

    def track(self, who: int) -> Track:
        """Where a player can have been while it lived."""
        track = self._tracks.get(who)
        if track is None:
            dead = any(leg.dead >> who & 1 for leg in self.legs)
            cut = next((leg.cut[who] for leg in self.legs if who in leg.cut), None)
            track = self._tracks[who] = Track(self.movement, self._allowed(who), dead, cut)
        return track

    def _allowed(self, who: int) -> list[int]:
        """The set of rooms that each tick's perceptions by themselves leave to a player."""
        anything, near = self.movement.anything, self.movement.near
        allowed = [anything] * (self.last - self.first + 1)
        for leg in self.legs:
            if leg.me == who:
                for t, room in enumerate(leg.rooms):
                    if room != NOWHERE:
                        allowed[t] &= near[room]
                continue
            for t, room in enumerate(leg.clear):
                if room >= 0:
                    allowed[t] &= near[room] if leg.seen[t] >> who & 1 else ~(1 << room)
            for start, end, rooms in leg.marks[who]:
                for t in range(max(start - leg.first, 0), min(end - leg.first, len(allowed) - 1) + 1):
                    allowed[t] &= rooms
        return allowed

    def rooms(self, who: int, tick: int) -> int:
        """The rooms in which a living player can have been at some instant of a tick, before any call in it."""
        return self.track(who).rooms[tick - self.first] if self.first <= tick <= self.last else 0

    def ever_in(self, who: int, room: int, first: int | None = None, last: int | None = None) -> bool:
        """Whether a player can have been in a room at some instant of the ticks first..last (default: the leg)."""
        return any(rooms >> room & 1 for rooms in self._window(self.track(who).rooms, first, last))

    def ever_together(self, a: int, b: int, room: int, first: int | None = None, last: int | None = None) -> bool:
        """Whether two players can have been in a room within one of the ticks first..last (default: the leg)."""
        mine = self._window(self.track(a).rooms, first, last)
        theirs = self._window(self.track(b).rooms, first, last)
        return any(one & other & 1 << room for one, other in zip(mine, theirs, strict=True))

    def _window(self, rooms: list[int], first: int | None, last: int | None) -> list[int]:
        start = 0 if first is None else max(0, first - self.first)
        return rooms[start : None if last is None else max(0, last - self.first + 1)]

    def last_alive(self, victim: int) -> int:
        """The latest tick at which an observer saw a player alive, or knows it to have arrived; else the first."""
        seen = [end for leg in self.legs for _, end, _ in leg.marks[victim] if end <= self.last]
        for leg in self.legs:
            seen += [t + leg.first for t, seats in enumerate(leg.seen) if seats >> victim & 1]
        return max(seen, default=self.first)

    def opportunity(
        self, victim: int, room: int | None = None, last: int | None = None, first: int | None = None
    ) -> list[float]:
        """How well each player can have killed a victim of this leg: 0 where it cannot have.

        The sum, over the ticks at which the kill can have been, of the share of the killer's possible rooms in which
        the victim can have died. Observers have 0, and so have the dead. A killer acts once a tick: it is still in the
        room when the next tick begins.

        Args:
            victim: who was killed in this leg.
            room: where the body lay by somebody's word, for an observer who did not see it.
            last: the latest tick of the kill by somebody's word.
            first: the earliest tick of the kill, as `last_alive`.
        """
        where, last, near = self._scene(victim, room, last)
        earliest = max(self.first + 1, self.world.kill_cooldown, first or 0)
        chances = [0.0] * self.world.n
        suspects = [j for j in range(self.world.n) if near >> j & 1]
        bare = self._bare(victim)
        died = self.track(victim).before
        for tick in range(earliest, last + 1):
            t = tick - self.first
            scene = where & died[t] & ~bare[t]
            if scene:
                for j in suspects:
                    track = self.track(j)
                    spots = scene & track.before[t]
                    if tick < self.last:
                        spots &= track.after[t + 1]
                    if spots:
                        spots = self._unwatched(spots, t, victim, j)
                    if spots:
                        chances[j] += spots.bit_count() / max(1, track.rooms[t].bit_count())
        return chances

    def killers(self, victim: int) -> int:
        """Who can have killed a victim of this leg."""
        return sum(1 << j for j, chance in enumerate(self.opportunity(victim)) if chance)

    def _scene(self, victim: int, room: int | None, last: int | None) -> tuple[int, int, int]:
        """(rooms where the victim can have died, latest tick of the kill, who can have been there)."""
        where = self.movement.everywhere if room is None else 1 << room
        latest = self.last if last is None else min(last, self.last)
        near = self.legs[0].players & ~(1 << victim)
        for leg in self.legs:
            near &= ~(1 << leg.me) & ~leg.dead
            for body in leg.bodies:
                if body.victim == victim:
                    where &= 1 << body.room
                    latest = min(latest, body.last)
                    near &= body.near
        return where, latest, near

    def _bare(self, victim: int) -> list[int]:
        """For each tick: the rooms where an observer was later, and the body did not lie."""
        bare = [0] * (self.last - self.first + 1)
        for leg in self.legs:
            body = leg.body(victim)
            seen = body.seen if body else self.last + 1
            rooms = 0
            for t in range(len(leg.rooms) - 1, -1, -1):
                bare[t] |= rooms
                if leg.rooms[t] != NOWHERE and t + leg.first < seen:
                    rooms |= 1 << leg.rooms[t]
        return bare

    def _unwatched(self, spots: int, t: int, victim: int, killer: int) -> int:
        """Without the rooms where an observer was in that tick, and the two were not there any more when it left."""
        for leg in self.legs:
            if t < len(leg.rooms) and leg.rooms[t] != NOWHERE and spots >> leg.rooms[t] & 1:
                body = leg.body(victim)
                if leg.clear[t] == NOWHERE or (body is not None and body.near >= 0):
                    continue  # it missed events, or was there at the kill
                pair = 1 << victim | 1 << killer
                if leg.here[t] & pair != pair:
                    spots &= ~(1 << leg.rooms[t])
        return spots
