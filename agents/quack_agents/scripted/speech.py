"""From what a player perceived to what it may say, and from that to a statement of the grammar or to words."""

from __future__ import annotations

from collections.abc import Sequence

from quack_agents.phrases import Say
from quack_agents.scripted.reason import Said
from quack_env.briefing import Briefing
from quack_env.kinds import DID_TASK, NOTHING, SAW, SUSPECT, VOUCH, WAS_IN
from quack_env.knowledge import Leg
from quack_env.statements import encode
from quack_env.world import World

Stay = tuple[int, int, int]
"""(room, first tick, last tick)."""

TOKENS_FOR = {
    "was_in": WAS_IN,
    "did_task": DID_TASK,
    "saw": SAW,
    "found": SAW,
    "with": SAW,
    "left": SAW,
    "entered": SAW,
    "suspect": SUSPECT,
    "vouch": VOUCH,
    "nothing": NOTHING,
}


def token(world: World, said: Said) -> int | None:
    """The action that states it in the finite grammar, or None where the grammar has no word for it."""
    kind = TOKENS_FOR.get(said.kind)
    room = said.to if said.kind == "entered" else said.room
    if kind is None or (kind == DID_TASK and room not in world.task_rooms):
        return None
    return world.act_state + encode(world, kind, said.target, room)


def in_words(briefing: Briefing, said: Said, strength: str = "moderate") -> Say:
    """The same by names, for `phrase`."""
    rooms = briefing.game_map.rooms

    def room(r: int) -> str | None:
        return rooms[r] if r >= 0 else None

    return Say(
        said.kind,
        player=briefing.names[said.target] if said.target >= 0 else None,
        room=room(said.room),
        to=room(said.to),
        route=tuple(rooms[r] for r in said.route),
        first=said.first,
        last=said.last,
        strength=strength,
    )


def by_numbers(briefing: Briefing, speaker: int, say: Say) -> Said:
    """What was understood of somebody's words."""
    rooms, names = briefing.game_map.rooms, briefing.names
    return Said(
        speaker,
        say.kind,
        names.index(say.player) if say.player is not None else -1,
        rooms.index(say.room) if say.room is not None else -1,
        rooms.index(say.to) if say.to is not None else -1,
        tuple(rooms.index(room) for room in say.route),
        say.first,
        say.last,
    )


# --- true things -----------------------------------------------------------------------------------------------------


def route(me: int, stays: Sequence[Stay]) -> list[Said]:
    """The way through these stays, or the one room of them."""
    rooms = [stay[0] for stay in stays]
    rooms = [room for p, room in enumerate(rooms) if p == 0 or rooms[p - 1] != room]
    if len(rooms) > 1:
        return [Said(me, "route", route=tuple(rooms))]
    return [Said(me, "was_in", room=room, first=first, last=last) for room, first, last in stays[:1]]


def whereabouts(me: int, stays: Sequence[Stay]) -> list[Said]:
    """One location for each stay, the longest stay first."""
    longest = sorted(stays, key=lambda stay: stay[1] - stay[2])
    return [Said(me, "was_in", room=room, first=first, last=last) for room, first, last in longest]


def work(me: int, stays: Sequence[Stay]) -> list[Said]:
    """Own tasks, the latest first."""
    return [Said(me, "did_task", room=room, first=first, last=last) for room, first, last in reversed(stays)]


def sightings(me: int, leg: Leg, who: int) -> list[Said]:
    """Every stretch in which a player was seen, the latest first."""
    return [Said(me, "saw", who, room, first=first, last=last) for room, first, last in reversed(leg.met(who))]


def bodies(me: int, leg: Leg) -> list[Said]:
    """The bodies that were found."""
    return [Said(me, "found", body.victim, body.room, first=body.seen, last=body.seen) for body in leg.bodies]


def movements(me: int, leg: Leg, who: int) -> list[Said]:
    """Departures and arrivals of a player, the latest first."""
    return [
        Said(me, "entered" if move.arrived else "left", who, move.origin, move.to, first=move.tick, last=move.tick)
        for move in reversed(leg.moves)
        if move.who == who
    ]


def before_the_call(leg: Leg) -> list[Stay]:
    """Own stays without the tick of the call, which may have put a traveller back into the room."""
    return [(room, first, min(last, leg.last - 1)) for room, first, last in leg.stays() if first < leg.last]


def solitude(me: int, leg: Leg) -> list[Said]:
    """Stays in which nobody else was seen."""

    lonely = []
    for room, first, last in before_the_call(leg):
        ticks = range(first - leg.first, last - leg.first + 1)
        if all(leg.clear[t] == room and not leg.seen[t] for t in ticks):
            lonely.append(Said(me, "nobody", room=room, first=first, last=last))
    return lonely
