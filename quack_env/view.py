"""What one agent may know at a moment: the only reader of the state for anybody who plays (rules.md "What an agent perceives").

Encoders, images and policies take a `View`, never a `State`, so that a leak is a type error.
"""

from __future__ import annotations

from typing import NamedTuple

from quack_env.state import DISCUSSION, FREE, NOBODY, OVER, VOTING, State
from quack_env.world import TOKENS, World

WITNESSED = 16
"""At most so many witnessed events are shown; older ones are dropped, and the view says so."""


class Message(NamedTuple):
    """An utterance somebody heard. ``meeting`` and ``round`` are -1 and 0 in free roam, ``room`` is "" in meetings."""

    tick: int
    speaker: str
    text: str
    room: str = ""
    meeting: int = -1
    round: int = 0


class View:
    """One agent's knowledge at one moment; a snapshot that later steps leave alone.

    Seats and rooms are numbers, sets of seats are bit masks, "none" is -1. All times are in ticks.
    """

    __slots__ = (
        "asked",  # 1 when the agent is to decide now
        "at_scene",  # seats it saw in a room with a body
        "bodies",  # victims lying in its room
        "by_body",  # 1 when the current or last meeting was called by a report
        "caller",  # of that meeting, -1 before the first
        "calls_left",  # button budget, public
        "cooldown",  # own; -1 for a Goose
        "dest",  # of its transit
        "dropped",  # 1 when more than WITNESSED events were seen
        "duck",  # own role
        "events",  # packed events witnessed since its own previous decision, oldest first, own acts left out
        "here",  # the other living in its room
        "known_dead",
        "last_room",  # per seat: room where it was last seen
        "last_tick",  # per seat: when
        "left",  # ticks to arrival
        "left_scene",  # seats it saw leave, or last saw in, a room where it knows a body
        "me",
        "meeting",  # meetings begun so far
        "messages",  # tuple of Message: heard since its own previous decision
        "origin",  # of its transit
        "partners",  # fellow Ducks, for a Duck
        "phase",
        "progress",  # per task slot
        "revealed_ducks",  # seats whose role an ejection has shown (config reveal_role)
        "revealed_geese",
        "room",  # -1 in transit or dead
        "round",  # of the discussion, from 1
        "said",  # statement code + 1 per round and seat (speech "tokens")
        "self_alive",
        "speaker",  # position in the speaking order
        "speaking",  # speaking order of the current meeting, empty outside
        "task_room",  # per task slot
        "tick",
        "transcript",  # tuple of Message: said so far in the current meeting
    )

    def __init__(self) -> None:
        self.task_room: list[int] = []
        self.progress: list[int] = []
        self.last_room: list[int] = []
        self.last_tick: list[int] = []
        self.speaking: list[int] = []
        self.said: list[int] = []
        self.events: list[int] = []
        self.messages: tuple[Message, ...] = ()
        self.transcript: tuple[Message, ...] = ()


def look(world: World, state: State, i: int, view: View) -> None:
    """Fill the view of agent i from the state."""
    n = world.n
    me = 1 << i
    room = state.room[i]
    phase = state.phase
    view.me = i
    view.asked = is_asked(state, i)
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
    view.task_room[:] = state.task_room[i * world.k : (i + 1) * world.k]
    view.progress[:] = state.progress[i * world.k : (i + 1) * world.k]
    view.last_room[:] = state.last_room[i * n : (i + 1) * n]
    view.last_tick[:] = state.last_tick[i * n : (i + 1) * n]
    if phase == DISCUSSION or phase == VOTING:
        view.speaking[:] = state.speaking[: state.speakers]
        if world.speech == TOKENS:
            view.said[:] = state.said
    witness(world, state, i, view)


def witness(world: World, state: State, i: int, view: View) -> None:
    """The events agent i witnessed since its own previous decision: at most the last WITNESSED of them."""
    view.dropped = 0
    first = state.cursor[i]
    last = state.head
    if last - first > world.V_ring:
        first = last - world.V_ring
        view.dropped = 1
    seen = i + 29
    for p in range(first, last):
        event = state.ring[p & world.V_ring - 1]
        if event >> seen & 1 and (event >> 5 & 31) != i + 1:
            view.events.append(event)
    if len(view.events) > WITNESSED:
        view.dropped = 1
        del view.events[:-WITNESSED]


def is_asked(state: State, i: int) -> int:
    """1 when agent i is to decide now, in the form that asks one agent at a time."""
    return int(state.current == i and state.phase != OVER)


def is_asked_together(state: State, i: int) -> int:
    """1 when agent i is to decide now, in the form that asks all at once (one speaker at a time in a discussion)."""
    if not state.alive >> i & 1:
        return 0
    if state.phase == FREE:
        return int(state.room[i] != NOBODY)
    return int(state.phase != DISCUSSION or state.current == i)
