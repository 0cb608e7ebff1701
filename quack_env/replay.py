"""Replay: drive the rules with the recorded decisions, and check that every event and every state agrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from quack_env.briefing import Briefing
from quack_env.chance import game_key
from quack_env.errors import TrajectoryError
from quack_env.events import Event, event_of
from quack_env.game import Game
from quack_env.game_map import KEYS
from quack_env.kinds import STATEMENTS
from quack_env.state import DISCUSSION, FREE, State
from quack_env.statements import encode
from quack_env.trajectory import GameRecord, Header
from quack_env.world import SPEECH, TEXT
from quack_env.yaml_file import shown

DECISIONS = ("wait", "depart", "task_step", "kill", "meeting_called", "statement", "vote", "lapsed")
"""Each decision leaves exactly one event of these kinds, in the order of the decisions (a lapsed one: its wait too)."""

BEFORE_EFFECT = ("chat", "vote")
"""Kinds that a recording which breaks off may end with, before the decision they belong to has its effect."""

FROM_OUTSIDE = ("fallback",)
"""Kinds that policies and recorders add; the rules do not make them."""

MOST_SHOWN = 12
"""Legal actions that a message lists."""


@dataclass
class Check:
    """The result of a replay check: what was compared, and the first differences in words."""

    events: int = 0
    seals: int = 0
    mismatches: list[str] = field(default_factory=list)
    illegal: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the replay equals the recording."""
        return not self.mismatches and not self.illegal


def game_of(header: Header) -> Game:
    """The game of a header, dealt and at its first decision; recorded draws stand in for chance where there are any."""
    trajectory = GameRecord(header, [])
    game = Game(trajectory.config, trajectory.game_map, header.speech)
    game.recording = True
    deal(game, header)
    return game


def deal(game: Game, header: Header) -> None:
    """Deal the game of a header and advance to its first decision.

    Roles, names, tasks and draws are those of its seed, or with ``given`` its own (rules.md "Chance can be given").

    Raises:
        TrajectoryError: where the header does not fit the game (see `check_fits`), or its seed deals something else.
    """
    check_fits(game, header)
    if header.given is None:
        game.deal(header.seed)
    else:
        deal_given(game, header)
    game.forks = list(header.forks)
    game.branch(0)
    _check_deal(game, header)


def check_fits(game: Game, header: Header) -> None:
    """Nothing, where the game of a header can be dealt in this one: only with its settings is it that game again.

    Raises:
        TrajectoryError: naming what differs, as it is in the environment and in the recording.
    """
    if differing := _differing(game, GameRecord(header, [])):
        told = "; ".join(differing)
        raise TrajectoryError(f"a recorded game cannot be dealt in an environment of other settings: {told}")
    if len(header.seats) != game.world.n:
        raise TrajectoryError(f"header field seats: {len(header.seats)} listed for {game.world.n} players")


def _differing(game: Game, record: GameRecord) -> list[str]:
    """In which settings a game and a recorded one differ, in words; what a map is called is none of them."""
    ours, theirs = game.config.to_dict(), record.config.to_dict()
    pairs = [(name, ours[name], theirs[name]) for name in ours if name != "map"]
    pairs.append(("speech", SPEECH[game.world.speech], record.header.speech))
    found = [f"{name}={shown(one)} (recorded: {shown(other)})" for name, one, other in pairs if one != other]
    here, there = game.game_map, record.game_map
    parts = [part for part in KEYS if getattr(here, part) != getattr(there, part)]
    if parts:
        found.append(f"{', '.join(parts)} of map {here.name!r} (recorded: those of {there.name!r})")
    return found


def deal_given(game: Game, header: Header) -> None:
    """Deal roles, names and tasks of the header, with its draws in place of chance as far as they go."""
    game.give(header.given or {})
    key = game_key(header.seed)
    game.seed = header.seed
    game.state = State(game.world)
    game.briefing = Briefing(game.config, game.game_map, game.world, key, tuple(seat.name for seat in header.seats))
    game.rules.deal(game.world, game.state, key)
    deal_seats(game, header)
    game.begin()


def deal_seats(game: Game, header: Header) -> None:
    """Overwrite the dealt roles and tasks with those of the header (places come through the draws)."""
    world, state = game.world, game.state
    rooms = game.game_map.rooms
    state.ducks = sum(1 << i for i, seat in enumerate(header.seats) if seat.role == "duck")
    for i, seat in enumerate(header.seats):
        state.cooldown[i] = world.kill_cooldown if state.ducks >> i & 1 else 0
        state.task_room[i * world.k : (i + 1) * world.k] = [rooms.index(room) for room in seat.tasks]


def _check_deal(game: Game, header: Header) -> None:
    """Roles, names, spawns and tasks of the header must be those of its seed."""
    rooms, state, world = game.game_map.rooms, game.state, game.world
    for i, seat in enumerate(header.seats):
        role = "duck" if state.ducks >> i & 1 else "goose"
        tasks = [rooms[r] for r in state.task_room[i * world.k : (i + 1) * world.k]]
        dealt = {"role": role, "name": game.briefing.names[i], "spawn": rooms[state.room[i]], "tasks": tasks}
        for name, value in dealt.items():
            if getattr(seat, name) != value:
                raise TrajectoryError(
                    f"header field seats.{i}.{name}: {shown(getattr(seat, name))}, but seed {header.seed} deals "
                    f"{shown(value)}; a game that was dealt elsewhere has its draws in the header field given, the "
                    "spawns as places of leg 0"
                )


class Replay:
    """Steps through a recorded game: ``game`` is the live game after the first ``position`` recorded events.

    ``packed`` are the packed events of the last step and the texts among them, by position.

    Iterating applies one recorded decision after the other and yields the new events of each.
    """

    def __init__(self, record: GameRecord) -> None:
        self.trajectory = record
        self.recorded = [e for e in record.events if e.kind not in FROM_OUTSIDE]
        try:
            self.game = game_of(record.header)
        except TrajectoryError as fault:
            raise TrajectoryError(f"{record.place()}: {fault}") from None
        self.check = Check()
        self._decisions = _decisions(self.recorded)
        self._seals = iter(_inside(record))
        self._whole = record.status == "finished" and record.header.given is None
        self.position = 0
        self.decided = 0
        """Decisions applied so far."""
        self._compare()

    def __iter__(self) -> Iterator[list[Event]]:
        for _ in self.steps():
            yield self.new

    def steps(self) -> Iterator[tuple[Event, int, str | None]]:
        """Applies one recorded decision after the other; yields each with its action and what was said with it."""
        for chat, decision in self._decisions:
            if self.game.over or self.check.illegal:
                break
            applied = self.apply(chat, decision)
            if applied is None:
                break
            self.decided += 1
            self.game.branch(self.decided)
            self.new = self._compare()
            yield (decision, *applied)

    def run(self) -> Check:
        """Replay everything that was recorded and return what was found."""
        for _ in self:
            pass
        self.check.events = len(self.recorded)
        if not self.check.illegal:
            self._compare_ends()
        return self.check

    def _compare_ends(self) -> None:
        """Compare where the recording and its replay end; one that is not finished may stop anywhere."""
        rest = self.recorded[self.position :]
        end = self._place(len(self.recorded) - 1)
        if self._whole and not self.game.over:
            self._differs(end, "the recording ends here and is said to be finished; by the rules its game goes on")
        elif self._whole and self.position > len(self.recorded):
            self._differs(end, f"events missing after this one, by the rules: {self.position - len(self.recorded)}")
        elif rest and (self.game.over or any(event.kind not in BEFORE_EFFECT for event in rest)):
            self._differs(self._place(self.position), f"events from here on that the rules do not make: {len(rest)}")
        extra = len(list(self._seals))
        if extra:
            place = self.trajectory.place_of_seal(self.check.seals)
            self._differs(place, f"state hashes from here on that the rules do not make: {extra}")

    def _differs(self, place: str, what: str) -> None:
        """Note that the recording is not what the rules make."""
        self.check.mismatches.append(f"{place}: {what}")

    def _place(self, position: int) -> str:
        """Where one of the compared events stands; the last one for a position after it."""
        at = min(position, len(self.recorded) - 1)
        return self.trajectory.place(self.recorded[at].index if at >= 0 else None)

    def apply(self, chat: Event | None, decision: Event) -> tuple[int, str | None] | None:
        """Apply one recorded decision: its action and words; None when the rules refuse it (noted as illegal)."""
        game = self.game
        i = game.state.current
        if decision.actor != i:
            return self._refuse(decision, f"by the rules it is the turn of {game.briefing.names[i]}")
        try:
            action = action_of(game, decision)
        except (KeyError, TypeError, ValueError):
            return self._refuse(decision, f"no action of this game; {self._legal(i)}")
        mask = game.mask(i)
        lapsed = decision.kind == "lapsed"
        if not lapsed and not (0 <= action < len(mask) and mask[action]):
            return self._refuse(decision, f"the rules do not allow it; {self._legal(i)}")
        # the words of a token are not recorded but compared
        say = chat.text if chat else decision.text if game.world.speech == TEXT else None
        game.show(i)
        if lapsed:
            game.lapse(action, say)
        else:
            game.act(action, say)
        game.advance()
        return action, say

    def _refuse(self, decision: Event, why: str) -> tuple[int, str | None] | None:
        """Note a decision that the rules do not allow; nothing comes of it."""
        place = self.trajectory.place(decision.index)
        self.check.illegal.append(f"{place}: {_told(decision, self.trajectory.names)}: {why}")
        return None

    def _legal(self, i: int) -> str:
        """What the agent asked now may do, in words."""
        game = self.game
        legal = [name for name, allowed in zip(game.briefing.action_names, game.mask(i), strict=True) if allowed]
        more = f" and {len(legal) - MOST_SHOWN} more" if len(legal) > MOST_SHOWN else ""
        return f"{game.briefing.names[i]} may do {', '.join(legal[:MOST_SHOWN])}{more}"

    def _compare(self) -> list[Event]:
        """Compare the new events and state hashes of the game with the recorded ones."""
        game = self.game
        log, texts, seals = game.take()
        self.packed = log, texts
        start = self.position
        new = [event_of(packed, start + p, game.briefing, texts.get(p)) for p, packed in enumerate(log)]
        for event in new:
            if self.position < len(self.recorded):
                recorded = self.recorded[self.position]
                if recorded._replace(index=event.index) != event:
                    self._differs(self._place(self.position), _difference(recorded, event, self.trajectory.names))
            self.position += 1
        for count, tick, digest in seals:
            seal = next(self._seals, None)
            if seal is None:
                if self._whole:
                    self._differs(self._place(start + count - 1), f"the state hash of tick {tick} is missing after it")
                continue
            place = self.trajectory.place_of_seal(self.check.seals)
            self.check.seals += 1
            if seal != (start + count, tick, digest):
                self._differs(place, f"the state hash of tick {tick} is not that of the state by the rules")
        return new


def _told(event: Event, names: list[str]) -> str:
    """What an event says, but for who perceived it."""
    who = "" if event.actor is None else f" of {names[event.actor]}"
    facts = {"target": None if event.target is None else names[event.target], "room": event.room, "to": event.to}
    told = [f"{name} {value}" for name, value in (facts | (event.data or {})).items() if value is not None]
    return f"{event.kind}{who} at tick {event.tick}" + (f" ({', '.join(told)})" if told else "")


def _difference(recorded: Event, replayed: Event, names: list[str]) -> str:
    """In what a recorded event is not the one that the rules make."""
    if (recorded.kind, recorded.actor) != (replayed.kind, replayed.actor):
        return f"{_told(recorded, names)}, by the rules {_told(replayed, names)}"
    pairs = zip(Event._fields, recorded, replayed, strict=True)
    fields = [
        f"{name} {shown(one)}, by the rules {shown(other)}"
        for name, one, other in pairs
        if name != "index" and one != other
    ]
    return f"{recorded.kind}: {'; '.join(fields)}"


def _inside(trajectory: GameRecord) -> list[tuple[int, int, str]]:
    """The recorded state hashes, counted in events of the rules."""
    before = [0]
    for event in trajectory.events:
        before.append(before[-1] + (event.kind not in FROM_OUTSIDE))
    return [(before[seal.events], seal.tick, seal.hash) for seal in trajectory.seals]


def _decisions(events: list[Event]) -> Iterator[tuple[Event | None, Event]]:
    """The recorded decisions in order, each with the words said along with it in free roam."""
    chat: Event | None = None
    lapsed = False
    for event in events:
        if event.kind == "chat":
            chat = event
        elif event.kind in DECISIONS:
            if not (lapsed and event.kind == "wait"):
                yield chat, event
                chat = None
            lapsed = event.kind == "lapsed"


def action_of(game: Game, event: Event) -> int:
    """The action number of a recorded decision."""
    world = game.world
    rooms = game.game_map.rooms
    if game.state.phase == FREE:
        if event.kind == "lapsed":
            return game.briefing.action((event.data or {})["action"])
        if event.kind == "depart":
            return world.act_move + rooms.index(event.to or "")
        if event.kind == "kill":
            return world.act_kill + (event.target or 0)
        if event.kind == "meeting_called":
            return world.act_report if (event.data or {})["reason"] == "body" else world.act_call
        return {"wait": 0, "task_step": world.act_task}.get(event.kind, world.act_skip)
    if game.state.phase == DISCUSSION:
        says = STATEMENTS.index((event.data or {}).get("says", "speech"))
        if says == 0:
            return world.act_speak
        target = -1 if event.target is None else event.target
        return world.act_state + encode(world, says, target, rooms.index(event.room) if event.room else -1)
    return world.act_skip if event.target is None else world.act_vote + event.target


def check(record: GameRecord) -> Check:
    """Whether the replay of a recording equals it, event by event and hash by hash."""
    return Replay(record).run()
