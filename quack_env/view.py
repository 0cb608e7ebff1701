"""What one agent may know at a moment (rules.md "What an agent perceives"): the players' only reader of the state.

Encoders, images and policies take a `View`, never a `State`, so that a leak is a type error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from quack_env.state import AWAY, DISCUSSION, FREE, NOBODY, OVER, VOTING, State
from quack_env.world import World

WITNESSED = 16
"""At most so many witnessed events are shown; older ones are dropped, and the view says so."""
SEEN_BY = 0xFFFF << 29
"""The bits of a packed event that say who else perceived it: nobody's business."""

keep = list.insert  # the compiled form, whose lists are arrays, puts its own in its place


class Message(NamedTuple):
    """An utterance somebody heard. ``meeting`` and ``round`` are -1 and 0 in free roam, ``room`` is "" in meetings."""

    tick: int
    speaker: str
    text: str
    room: str = ""
    meeting: int = -1
    round: int = 0


@dataclass(slots=True, init=False, eq=False)
class View:
    """One agent's knowledge at one moment; a snapshot that later steps leave alone.

    Seats and rooms are numbers, sets of seats are bit masks, "none" is -1. All times are in ticks.
    """

    me: int
    self_alive: int
    asked: int  # 1 when the agent is to decide now (the form that asks one at a time)
    duck: int  # own role
    partners: int  # fellow Ducks, for a Duck
    cooldown: int  # own; -1 for a Goose
    phase: int
    tick: int
    room: int  # -1 in transit or dead
    origin: int  # of its transit
    dest: int  # of its transit
    left: int  # ticks to arrival
    here: int  # the other living in its room
    bodies: int  # victims lying in its room
    known_dead: int
    task_room: list[int]  # per task slot
    progress: list[int]  # per task slot
    calls_left: int  # button budget, public
    meeting: int  # meetings begun so far
    caller: int  # of that meeting, -1 before the first
    by_body: int  # 1 when the current or last meeting was called by a report
    round: int  # of the discussion, from 1
    speaking: list[int]  # speaking order of the current meeting, empty outside
    speaker: int  # position in the speaking order
    said: list[int]  # statement code + 1 per round and seat (speech "tokens")
    transcript: tuple[Message, ...]  # said so far in the current meeting
    messages: tuple[Message, ...]  # heard since its own previous decision
    events: list[int]  # packed, witnessed since its own previous decision, oldest first; without own acts and `seen_by`
    dropped: int  # 1 when more than WITNESSED events were seen
    last_room: list[int]  # per seat: room where it was last seen
    last_tick: list[int]  # per seat: when
    at_scene: int  # seats it saw in a room with a body
    left_scene: int  # seats it saw come from, or last saw in, a room where it knows a body
    revealed_ducks: int  # seats whose role an ejection has shown (config reveal_role)
    revealed_geese: int


def look(world: World, state: State, i: int, view: View) -> None:
    """Make a view with nothing in `speaking`, `said` and `events` that of agent i, without the words it heard."""
    n = world.n
    me = 1 << i
    room = state.room[i]
    phase = state.phase
    view.me = i
    view.asked = int(state.current == i and phase != OVER)
    view.self_alive = state.alive >> i & 1
    view.duck = state.ducks >> i & 1
    view.phase = phase
    view.tick = state.tick
    view.room = room
    view.origin = state.origin[i]
    view.dest = state.dest[i]
    view.left = state.left[i]
    if room >= 0:
        view.here = state.here[room] & ~me
        view.bodies = state.bodies[room]
    else:
        view.here = 0
        view.bodies = 0
    if view.duck:
        view.cooldown = state.cooldown[i]
        view.partners = state.ducks & ~me
    else:
        view.cooldown = -1
        view.partners = 0
    view.known_dead = state.known_dead[i]
    view.revealed_ducks = state.revealed & state.ducks
    view.revealed_geese = state.revealed & ~state.ducks
    view.at_scene = state.at_scene[i]
    view.left_scene = state.left_scene[i]
    view.calls_left = state.calls_left
    view.meeting = state.meeting
    view.caller = state.caller
    view.by_body = state.by_body
    view.round = state.round
    view.speaker = state.speaker
    first = i * world.k
    view.task_room = state.task_room[first : first + world.k]
    view.progress = state.progress[first : first + world.k]
    first = i * n
    view.last_room = state.last_room[first : first + n]
    view.last_tick = state.last_tick[first : first + n]
    if phase in (DISCUSSION, VOTING):
        view.speaking = state.speaking[: state.speakers]
        view.said = state.said[:]
    view.messages = view.transcript = ()
    witness(world, state, i, view)
    if not view.self_alive:
        blind(view)


def blind(view: View) -> None:
    """The dead perceive nothing: of what all the living know, a dead agent learns no more."""
    view.known_dead = 1 << view.me
    view.caller = NOBODY
    view.calls_left = view.meeting = view.by_body = view.round = view.speaker = 0
    view.revealed_ducks = view.revealed_geese = view.dropped = 0
    view.speaking, view.said, view.events = view.speaking[:0], view.said[:0], view.events[:0]


def witness(world: World, state: State, i: int, view: View) -> None:
    """The events agent i witnessed since its own previous decision: at most the last WITNESSED of them."""
    view.dropped = 0
    first = state.cursor[i]
    last = state.head
    if first == AWAY or first >= last:
        return
    ring = len(state.ring)
    if last - first > ring:
        first = last - ring
        view.dropped = 1
    seen = i + 29
    count = 0
    for p in range(first, last):
        event = state.ring[p % ring]
        if event >> seen & 1 and (event >> 5 & 31) != i + 1:
            keep(view.events, count, event & ~SEEN_BY)
            count += 1
    if count > WITNESSED:
        view.dropped = 1
        view.events = view.events[count - WITNESSED :]


def is_asked_together(state: State, i: int) -> int:
    """1 when agent i is to decide now, in the form that asks all at once (one speaker at a time in a discussion)."""
    if not state.alive >> i & 1:
        return 0
    if state.phase == FREE:
        return int(state.room[i] != NOBODY)
    return int(state.phase != DISCUSSION or state.current == i)
