"""What people see of a game: a `Scene` at a moment, and the `Camera` that makes scenes of a running `Game`.

These read the full state. They are for people only: nothing an agent perceives is made from a scene.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from quack_env.game import Game
from quack_env.game_map import GameMap
from quack_env.kinds import (
    CHAT,
    EJECTED,
    LEG_START,
    MEETING_CALLED,
    NO_EJECTION,
    RESPAWN,
    STATEMENT,
    TASK_STEP,
    VOTE,
    WAIT,
)
from quack_env.render.text import initial, legible, shown_name
from quack_env.render.words import SPOKEN, Told, tell
from quack_env.state import DISCUSSION, VOTING

FEED = 14
"""So many events are kept to be shown."""
SKIP = -1
"""A vote for nobody."""
UNTOLD = (LEG_START, RESPAWN, TASK_STEP, WAIT, VOTE, CHAT, STATEMENT)
"""Kinds that the list of events leaves out: they show elsewhere."""


@dataclass(frozen=True)
class Place:
    """Where somebody is: in `room`, or `part` (0..1) of the way from `room` to `dest`."""

    room: int
    dest: int = -1
    part: float = 0.0


@dataclass(frozen=True)
class Actor:
    """One player at a moment."""

    seat: int
    name: str
    letter: str
    duck: bool
    alive: bool
    place: Place | None
    """None for the dead."""
    body: int
    """The room where its body lies, or -1."""
    cooldown: int
    """Ticks until a Duck may kill; -1 for a Goose."""
    done: int
    tasks: int
    action: str
    """What it did last, in words."""


@dataclass(frozen=True)
class Line:
    """One utterance of a meeting."""

    seat: int
    round: int
    text: str


@dataclass(frozen=True)
class MeetingScene:
    """A meeting at a moment. `votes`: by seat of the voter, SKIP for nobody; `result`: in words, once there is one."""

    number: int
    caller: int
    by_body: bool
    speaking: tuple[int, ...]
    round: int = 0
    rounds: int = 0
    speaker: int = -1
    transcript: tuple[Line, ...] = ()
    votes: Mapping[int, int] = field(default_factory=dict)
    result: str = ""


@dataclass(frozen=True)
class Scene:
    """Everything that is drawn of a game at a moment."""

    game_map: GameMap
    tick: int
    max_ticks: int
    phase: str
    """ "free_roam", "discussion", "voting" or "over"."""
    leg: int
    """Meetings begun so far: people of two scenes with the same number have moved on their own feet."""
    actors: tuple[Actor, ...]
    meeting: MeetingScene | None = None
    feed: tuple[Told, ...] = ()
    """Recent events, oldest first."""
    outcome: str = ""


class Camera:
    """Follows one game. Show it every event, in order, with `see`; then `shots` are the scenes to be shown.

    What people did last and the list of events are as complete as what it was shown.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        names = game.briefing.names
        self.names = tuple(shown_name(name, seat) for seat, name in enumerate(names))
        self.letters = tuple(initial(name, seat) for seat, name in enumerate(names))
        self._action = [""] * game.world.n
        self._feed: deque[Told] = deque(maxlen=FEED)
        self._votes: dict[int, int] = {}
        self._verdicts: list[Scene] = []
        self._called = 0

    def see(self, events: Iterable[int], texts: Mapping[int, str] | None = None) -> None:
        """Take in packed events; `texts` has what was said, by position among them."""
        rooms = self.game.game_map.rooms
        for position, event in enumerate(events):
            words = (texts or {}).get(position, "")
            kind = event & 31
            self._note_action(event, words)
            if kind == MEETING_CALLED:
                self._votes = {}
                self._called += 1
            elif kind == VOTE:
                self._votes[(event >> 5 & 31) - 1] = (event >> 10 & 31) - 1
            elif kind in (EJECTED, NO_EJECTION):
                self._verdicts.append(self._verdict(event))
            told = tell(self.names, rooms, event, legible(words))
            if told and (kind not in UNTOLD or (kind == CHAT and words)):
                self._feed.append(told)

    def _note_action(self, event: int, words: str) -> None:
        actor = (event >> 5 & 31) - 1
        if actor < 0:
            return
        if (event & 31) in SPOKEN:
            self._action[actor] = f"said: {legible(words)}" if words else "spoke"
            return
        nameless = ["" if seat == actor else name for seat, name in enumerate(self.names)]
        told = tell(nameless, self.game.game_map.rooms, event)
        if told:
            self._action[actor] = told.words.strip()

    def shots(self) -> list[Scene]:
        """The scenes since the last call, oldest first: the outcome of a vote, if there was one, then what is now."""
        before, self._verdicts = self._verdicts, []
        return [*before, self.scene()]

    def scene(self) -> Scene:
        """What is now."""
        state = self.game.state
        outcome = self.game.outcome
        return Scene(
            self.game.game_map,
            state.tick,
            self.game.config.max_ticks,
            self.game.phase,
            state.meeting,
            tuple(self._actor(i) for i in range(self.game.world.n)),
            self._meeting() if state.phase in (DISCUSSION, VOTING) else None,
            tuple(self._feed),
            f"{outcome.winner} win: {outcome.reason}" if outcome else "",
        )

    def _actor(self, i: int) -> Actor:
        game = self.game
        world, state = game.world, game.state
        alive = bool(state.alive >> i & 1)
        duck = bool(state.ducks >> i & 1)
        done = sum(p >= world.task_ticks for p in state.progress[i * world.k : (i + 1) * world.k])
        return Actor(
            i,
            self.names[i],
            self.letters[i],
            duck,
            alive,
            self._place(i) if alive else None,
            state.body_room[i],
            state.cooldown[i] if duck else -1,
            done,
            world.k,
            self._action[i],
        )

    def _place(self, i: int) -> Place:
        world, state = self.game.world, self.game.state
        if state.room[i] >= 0:
            return Place(state.room[i])
        origin, dest = state.origin[i], state.dest[i]
        ticks = world.weight[origin * world.R + dest]
        return Place(origin, dest, (ticks - state.left[i]) / ticks)

    def _meeting(self) -> MeetingScene:
        state, world = self.game.state, self.game.world
        talking = state.phase == DISCUSSION
        votes = {i: SKIP if v == world.n else v for i, v in enumerate(state.vote) if v >= 0}
        return MeetingScene(
            state.meeting,
            state.caller,
            bool(state.by_body),
            tuple(state.speaking[: state.speakers]),
            state.round,
            world.rounds,
            state.speaking[state.speaker] if talking else -1,
            self._transcript(),
            {i: v for i, v in votes.items() if state.alive >> i & 1} if state.phase == VOTING else {},
        )

    def _transcript(self) -> tuple[Line, ...]:
        """What was said so far in the current or last meeting."""
        number, seats = self.game.state.meeting - 1, {name: s for s, name in enumerate(self.game.briefing.names)}
        said = [m for m in self.game.transcript if m.meeting == number]
        return tuple(Line(seats.get(m.speaker, -1), m.round, legible(m.text)) for m in said)

    def _verdict(self, event: int) -> Scene:
        """The meeting when its votes have been counted (the state has gone on since)."""
        told = tell(self.names, self.game.game_map.rooms, event)
        state = self.game.state
        meeting = replace(
            self._meeting(), speaker=-1, round=0, votes=dict(self._votes), result=told.words if told else ""
        )
        return replace(self.scene(), tick=event >> 45, phase="voting", meeting=meeting, leg=state.meeting, outcome="")


def scene_of(game: Game) -> Scene:
    """What is now in a game, with those of its last events that it still holds."""
    camera = Camera(game)
    state = game.state
    size = len(state.ring)
    fresh = set(state.log)
    old = [state.ring[p % size] for p in range(max(0, state.head - size), state.head)]
    camera.see(event for event in old if event not in fresh)
    camera.see(state.log, game.texts)
    camera._verdicts.clear()
    return camera.scene()
