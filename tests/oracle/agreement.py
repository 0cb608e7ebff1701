"""Plays games on the rules and on the oracle in lock step; both must agree on everything after every action.

    python -m tests.oracle.agreement --games 2000

plays the games of `settings_of(0)`, `settings_of(1)`, ... and exits with 1 at the first disagreement.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from rich.progress import track

from quack_env import rules as the_rules
from quack_env.config import PRESETS, GameConfig
from quack_env.game import Game
from quack_env.game_map import GameMap
from quack_env.given import bind
from quack_env.kinds import KINDS, STATEMENTS, unpack
from quack_env.outcome import REASONS, TEAMS
from quack_env.state import DISCUSSION, FREE, OVER, PHASES, VOTING, State
from quack_env.world import World

from .oracle import Options, Oracle

STYLES = ("random", "task-greedy", "kill-greedy")
VARIANTS = ({}, PRESETS["published"], {"instant_hops": True}, {"keep_progress": True}, {"late_ending": True})
ENDINGS = REASONS[1:]
ABSENT_KINDS = ("lapsed", "chat", "fallback")
"""Kinds of events that these games cannot have: they belong to the parallel form, to free text and to models."""


# --- which games are played ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """One game: what it is played with and how."""

    number: int
    seed: int
    style: str
    map: str | tuple[int, int]
    """A shipped map's name, or rooms and seed of a random one."""
    speech: str
    given: bool
    """Whether turn orders, speaking orders and rooms are given (crowded rooms) instead of drawn from the seed."""
    config: dict[str, object]


@cache
def map_of(source: str | tuple[int, int]) -> GameMap:
    """The map of some settings."""
    return GameMap.load(source) if isinstance(source, str) else GameMap.random(*source)


def settings_of(i: int) -> Settings:
    """The settings of game i; the same in every run."""
    draw = random.Random(f"agreement {i}")
    source = draw.choice(("ship", "small", "small", "large", (draw.randint(2, 12), draw.randrange(10))))
    decisive = draw.random() < 0.2
    sizes = _sizes(draw, 3 + i % 14, len(map_of(source).tasks)) | (_decisive_sizes(draw) if decisive else {})
    switches = ("witness_kills", "reveal_role", "reveal_votes", "drop_dead_tasks")
    return Settings(
        number=i,
        seed=draw.randrange(2**32),
        style=STYLES[i % 3],
        map=source,
        speech=draw.choice(("off", "tokens", "text")),
        given=decisive or draw.random() < 0.2,
        config=VARIANTS[i % 5] | sizes | {name: draw.random() < 0.5 for name in switches},
    )


def _sizes(draw: random.Random, n: int, task_rooms: int) -> dict[str, object]:
    """The numbers of a config: about half of the games are short, so that every ending has its chance."""
    most = (n - 1) // 2
    return {
        "n_players": n,
        "n_ducks": draw.choice((1, 1, most, draw.randint(1, most))),
        "n_tasks": min(task_rooms, draw.choice((0, 1, 1, 2, 2, 3, 5, task_rooms))),
        "task_ticks": draw.choice((1, 1, 2, 3)),
        "kill_cooldown": draw.randrange(6),
        "max_ticks": draw.choice((1, 2, 2, 10, 10, 30, 30, 60, 60, 200, 200, 200)),
        "discussion_rounds": draw.randint(1, 3),
        "meeting_calls": draw.choice((None, 0, 1, 2, 3)),
    }


def _decisive_sizes(draw: random.Random) -> dict[str, object]:
    """A few players in few rooms and ticks: the last tick often has a meeting whose vote decides the game."""
    n = draw.randint(3, 6)
    return {
        "n_players": n,
        "n_ducks": draw.choice((1, (n - 1) // 2)),
        "kill_cooldown": draw.randrange(3),
        "max_ticks": draw.randint(1, 4),
        "meeting_calls": draw.randint(1, 3),
    }


def given_chance(settings: Settings) -> dict[str, Callable[[int], list]]:
    """Turn orders by tick, speaking orders by meeting, rooms by leg: at most 3 rooms, the button's among them."""
    n = settings.config["n_players"]
    rooms = map_of(settings.map).rooms
    crowded = [map_of(settings.map).button, *random.Random(f"crowded {settings.number}").sample(rooms, k=2)]

    def drawn(purpose: str, index: int) -> random.Random:
        return random.Random(f"{purpose} {settings.number} {index}")

    return {
        "turn_order": lambda tick: drawn("turn", tick).sample(range(n), k=n),
        "speaking_order": lambda meeting: drawn("speak", meeting).sample(range(n), k=n),
        "places": lambda leg: drawn("place", leg).choices(crowded, k=n),
    }


# --- how the players choose ------------------------------------------------------------------------------------------


def choose(settings: Settings, draw: random.Random, oracle: Oracle, legal: list[tuple]) -> tuple:
    """The action of the agent asked now, in the style of this game; it may use all that the oracle knows."""
    kinds: dict[str, list[tuple]] = {}
    for action in legal:
        kinds.setdefault(action[0], []).append(action)
    if settings.style == "random":
        return draw.choice(legal)
    if oracle.phase == "discussion":
        return draw.choice(kinds[draw.choice(list(kinds))])
    if oracle.phase == "voting":
        return _vote(settings, draw, oracle, kinds)
    roam = _roam_for_tasks if settings.style == "task-greedy" else _roam_for_kills
    return roam(settings, draw, oracle, kinds) or draw.choice(legal)


def _vote(settings: Settings, draw: random.Random, oracle: Oracle, kinds: dict[str, list[tuple]]) -> tuple:
    """Kill-greedy players mostly agree on somebody (Duck or Goose); task-greedy ones often skip."""
    if draw.random() < (0.1 if settings.style == "kill-greedy" else 0.4):
        return ("skip",)
    votes = kinds["vote"]
    if draw.random() < 0.3:
        return draw.choice(votes)
    return votes[(settings.number + oracle.meetings) % len(votes)]


def _first_wanted(draw: random.Random, kinds: dict[str, list[tuple]], wishes: dict[str, float]) -> tuple | None:
    """The first wish that is legal and that its probability lets pass."""
    for kind, probability in wishes.items():
        if kind in kinds and draw.random() < probability:
            return draw.choice(kinds[kind])
    return None


def _roam_for_tasks(settings: Settings, draw: random.Random, oracle: Oracle, kinds: dict) -> tuple | None:
    """Work where there is work, report and call, go to the nearest unfinished task."""
    wish = _first_wanted(draw, kinds, {"kill": 0.1, "report": 0.8, "call_meeting": 0.2, "do_task": 0.9})
    seat = oracle.current
    open_rooms = [r for r, done in oracle.progress[seat].items() if done < oracle.options.task_ticks]
    if wish or not open_rooms or draw.random() < 0.15:
        return wish
    ticks = map_of(settings.map).travel_ticks
    goal = min(open_rooms, key=lambda r: ticks(oracle.room[seat], r))
    return min(kinds["move"], key=lambda move: ticks(oracle.room[seat], move[1]) + ticks(move[1], goal))


def _roam_for_kills(settings: Settings, draw: random.Random, oracle: Oracle, kinds: dict) -> tuple | None:
    """Kill, report and call eagerly, move towards people."""
    wish = _first_wanted(draw, kinds, {"kill": 0.95, "report": 0.7, "call_meeting": 0.3})
    if wish or draw.random() < 0.4:
        return wish
    places = list(oracle.room.values())
    return max(kinds["move"], key=lambda move: places.count(move[1]))


# --- the rules' state and events in the words of the oracle ----------------------------------------------------------


def action_tuples(game_map: GameMap, n: int, speech: str) -> list[tuple]:
    """The oracle's action for every action number, in the order of interfaces.md."""
    rooms, seats = game_map.rooms, range(n)
    actions = [("wait",), *(("move", r) for r in rooms), ("do_task",), ("report",), ("call_meeting",)]
    actions += [("kill", j) for j in seats] + [("vote", j) for j in seats] + [("skip",), ("speak",)]
    if speech == "tokens":
        actions += [("was_in", r) for r in rooms] + [("saw", j, r) for j in seats for r in rooms]
        actions += [("did_task", r) for r in rooms] + [("suspect", j) for j in seats] + [("vouch", j) for j in seats]
        actions += [("nothing",)]
    return actions


@cache
def seats_of(bits: int) -> frozenset[int]:
    """The seats of a bit mask."""
    return frozenset(j for j in range(16) if bits >> j & 1)


def event_tuple(packed: int, rooms: tuple[str, ...]) -> tuple:
    """A packed event as `(tick, kind, actor, target, room, to, seen_by, detail)`."""
    tick, number, actor, target, room, to, seen_by = unpack(packed)
    kind = KINDS[number]
    moved = kind in ("depart", "arrive", "transit_cancelled")
    return (
        tick,
        kind,
        None if actor < 0 else actor,
        None if target < 0 else target,
        None if room < 0 else rooms[room],
        rooms[to] if moved else None,
        seats_of(seen_by),
        None if moved or to < 0 else _detail(kind, to),
    )


def _detail(kind: str, value: int) -> object:
    """What the field `to` says in an event that is no movement."""
    if kind in ("leg_start", "task_step"):
        return value
    if kind == "game_over":
        return TEAMS[value // 8], REASONS[value % 8]
    words = {
        "meeting_called": ("button", "body"),
        "no_ejection": ("tie", "skip"),
        "ejected": ("goose", "duck"),
        "statement": STATEMENTS,
    }
    return words[kind][value]


def state_dict(world: World, state: State, rooms: tuple[str, ...]) -> dict[str, object]:
    """The state of the rules as the oracle's `snapshot()` gives it."""
    names = (*rooms, None)  # room -1 is None
    seats, k = range(world.n), world.k
    living = [bool(state.alive >> i & 1) for i in seats]
    voting = state.phase == VOTING
    return {
        "tick": state.tick,
        "phase": PHASES[state.phase],
        "winner": TEAMS[state.winner] or None,
        "reason": REASONS[state.reason] or None,
        "alive": living,
        "room": [names[r] for r in state.room],
        "travel": [_travel(state, i, rooms) for i in seats],
        "cooldown": list(state.cooldown),
        "progress": [{names[state.task_room[s]]: state.progress[s] for s in range(i * k, i * k + k)} for i in seats],
        "bodies": {j: names[state.body_room[j]] for j in seats if state.body_room[j] >= 0},
        "meetings": state.meeting,
        "calls_left": state.calls_left,
        "current": None if state.phase == OVER else state.current,
        "round": state.round,
        "speaking": state.speaking[: state.speakers] if voting or state.phase == DISCUSSION else [],
        "votes": _votes(world, state) if voting else {},
        "known_dead": [sorted(seats_of(state.known_dead[i])) if living[i] else [] for i in seats],
    }


def _travel(state: State, i: int, rooms: tuple[str, ...]) -> tuple[str, str, int] | None:
    """From where to where a traveller is on the way, and the ticks left."""
    if not state.left[i]:
        return None
    return rooms[state.origin[i]], rooms[state.dest[i]], state.left[i]


def _votes(world: World, state: State) -> dict[int, int | str]:
    """The votes that the living have cast."""
    cast = [i for i in range(world.n) if state.alive >> i & 1 and state.vote[i] >= 0]
    return {i: "skip" if state.vote[i] == world.n else state.vote[i] for i in cast}


def more_of_rules(world: World, state: State, rooms: tuple[str, ...]) -> dict[str, object]:
    """What `snapshot()` leaves out, and what the state holds twice."""
    return {
        "ducks": seats_of(state.ducks),
        "geese_alive": state.geese_alive,
        "ducks_alive": state.ducks_alive,
        "tasks_left": state.tasks_left,
        "here": [seats_of(bits) for bits in state.here],
        "bodies by room": [seats_of(bits) for bits in state.bodies],
        "body_seen": {j: seats_of(state.body_seen[j]) for j in range(world.n) if state.body_room[j] >= 0},
        "to act": state.order[state.turn :] if state.phase == FREE else [],
        "to speak": state.speaking[state.speaker : state.speakers] if state.phase == DISCUSSION else [],
        "last meeting": (state.caller, ("button", "body")[state.by_body]) if state.meeting else None,
        "leg_tick": state.leg_tick,
        "revealed": seats_of(state.revealed),
        "said": state.said,
    }


def more_of_oracle(oracle: Oracle) -> dict[str, object]:
    """The same from the oracle."""
    o, rooms = oracle.options, oracle.map["rooms"]
    counted = [i for i in oracle.seats if i not in oracle.ducks and (oracle.alive[i] or not o.drop_dead_tasks)]
    residents: dict[str, set[int]] = {room: set() for room in rooms}
    for i, room in oracle.room.items():
        if room is not None:
            residents[room].add(i)
    lying: dict[str, set[int]] = {room: set() for room in rooms}
    for j, room in oracle.bodies.items():
        lying[room].add(j)
    return {
        "ducks": oracle.ducks,
        "geese_alive": sum(oracle.alive[i] and i not in oracle.ducks for i in oracle.seats),
        "ducks_alive": sum(oracle.alive[i] and i in oracle.ducks for i in oracle.seats),
        "tasks_left": sum(done < o.task_ticks for i in counted for done in oracle.progress[i].values()),
        "here": list(residents.values()),
        "bodies by room": list(lying.values()),
        "body_seen": {j: oracle.body_seen_by[j] for j in oracle.bodies},
        "to act": oracle.waiting_to_act,
        "to speak": oracle.still_to_speak if oracle.phase == "discussion" else [],
    }


# --- one game on both ------------------------------------------------------------------------------------------------


def rules_with(**draws: Callable) -> object:
    """The rules of the package, with given chance where there is some."""
    return bind(**draws) if draws else the_rules


def draws_of(settings: Settings, given: dict[str, Callable]) -> dict[str, Callable]:
    """The given chance as replacements for the draws of the rules."""
    index = {room: r for r, room in enumerate(map_of(settings.map).rooms)}

    def turn_order(world: World, state: State) -> None:
        state.order[:] = given["turn_order"](state.tick)

    def speaking_order(world: World, state: State) -> None:
        state.order[:] = given["speaking_order"](state.meeting - 1)

    def places(world: World, state: State) -> None:
        state.room[:] = [index[room] for room in given["places"](state.meeting)]

    return {"draw_turn_order": turn_order, "draw_speaking_order": speaking_order, "draw_places": places}


def game_on_rules(settings: Settings, make_rules: Callable, given: dict[str, Callable]) -> Game:
    """The game of the package, dealt."""
    rules = make_rules(**(draws_of(settings, given) if given else {}))
    kind = type("GameUnderTest", (Game,), {"rules": rules})
    game = kind(GameConfig(**settings.config), map_of(settings.map), settings.speech)
    game.deal(settings.seed)
    return game


def map_for_oracle(game_map: GameMap) -> dict[str, object]:
    """The map in the oracle's form."""
    return {
        "rooms": list(game_map.rooms),
        "corridors": list(game_map.corridors),
        "tasks": dict(game_map.tasks),
        "button": game_map.button,
    }


def game_on_oracle(settings: Settings, given: dict[str, Callable]) -> Oracle:
    """The same game of the oracle."""
    known = {name: value for name, value in settings.config.items() if name != "max_say"}
    options = Options(speech=settings.speech, **known)
    return Oracle(map_for_oracle(map_of(settings.map)), seed=settings.seed, given=given, options=options)


@dataclass
class LockStep:
    """One game on both; `play` plays it to its end."""

    settings: Settings
    make_rules: Callable = rules_with
    step: int = 0
    last: tuple | None = None
    legal: list[tuple] = field(default_factory=list)

    def __post_init__(self) -> None:
        given = given_chance(self.settings) if self.settings.given else {}
        self.game = game_on_rules(self.settings, self.make_rules, given)
        self.oracle = game_on_oracle(self.settings, given)
        self.rooms = self.game.game_map.rooms
        self.actions = action_tuples(self.game.game_map, self.game.world.n, self.settings.speech)
        self.numbers = {action: number for number, action in enumerate(self.actions)}
        self.compare("number of actions", self.game.world.A, len(self.actions))
        self.compare("tasks", self._tasks_of_rules(), list(self.oracle.tasks.values()))
        statements = self.game.world.n * self.game.world.rounds if self.settings.speech == "tokens" else 0
        self.told = {"last meeting": None, "leg_tick": 0, "revealed": set(), "said": [0] * statements}
        self.compare_all(self.oracle.events)

    def _tasks_of_rules(self) -> list[list[str]]:
        """The dealt tasks of every seat, in the order of the deal."""
        k = self.game.world.k
        names = [self.rooms[r] for r in self.game.state.task_room]
        return [names[i * k : i * k + k] for i in range(self.game.world.n)]

    def compare(self, name: str, of_rules: object, of_oracle: object) -> None:
        """Raise an `AssertionError` that says where the two differ."""
        if of_rules != of_oracle:
            raise AssertionError(
                f"rules and oracle disagree on {name} after step {self.step} ({self.last}) of {self.settings}:\n"
                f"  rules:  {of_rules!r}\n  oracle: {of_oracle!r}"
            )

    def compare_all(self, new_events: list[tuple]) -> None:
        """Compare the new events, the whole state and the legal set."""
        game, oracle = self.game, self.oracle
        packed, _, _ = game.take()
        self.compare("events", [event_tuple(event, self.rooms) for event in packed], new_events)
        self._follow(new_events)
        self.compare_fields(state_dict(game.world, game.state, self.rooms), oracle.snapshot())
        self.compare_fields(more_of_rules(game.world, game.state, self.rooms), more_of_oracle(oracle) | self.told)
        outcome = game.outcome
        self.compare("outcome", (outcome.winner, outcome.reason) if outcome else None, _outcome(oracle))
        self.compare("over", game.over, oracle.over)
        self.legal = [] if game.over else self._legal_of_rules()
        self.compare("legal set", set(self.legal), oracle.legal())

    def compare_fields(self, of_rules: dict[str, object], of_oracle: dict[str, object]) -> None:
        """Compare two dicts field by field."""
        if of_rules != of_oracle:
            for name in of_rules | of_oracle:
                self.compare(name, of_rules.get(name), of_oracle.get(name))

    def _follow(self, new_events: list[tuple]) -> None:
        """What the rules remember and the oracle does not need: it follows from the events."""
        for tick, kind, actor, target, _, _, _, detail in new_events:
            if kind == "meeting_called":
                self.told |= {"last meeting": (actor, detail), "said": [0] * len(self.told["said"])}
            elif kind == "leg_start":
                self.told["leg_tick"] = tick
            elif kind == "ejected" and detail is not None:
                self.told["revealed"].add(target)

    def _note_statement(self, action: tuple) -> None:
        """A statement about to be made, as the rules number it: from 1, in the order of interfaces.md."""
        oracle = self.oracle
        turn = (oracle.round - 1) * len(oracle.seats) + oracle.current
        self.told["said"][turn] = self.numbers[action] - self.numbers["speak",]

    def _legal_of_rules(self) -> list[tuple]:
        """The whole mask of the agent asked now, in the oracle's words."""
        mask = self.game.mask(self.game.state.current)
        return [action for action, allowed in zip(self.actions, mask, strict=True) if allowed]

    def act(self, action: tuple) -> None:
        """One action on both, as the environments apply it."""
        self.step += 1
        self.last = action
        game = self.game
        if self.oracle.phase == "discussion" and self.settings.speech == "tokens":
            self._note_statement(action)
        game.show(game.state.current)
        game.act(self.numbers[action])
        game.advance()
        self.compare_all(self.oracle.act(action))

    def play(self) -> None:
        """Play on to the end."""
        draw = random.Random(self.settings.seed)
        while not self.oracle.over:
            self.act(choose(self.settings, draw, self.oracle, self.legal))


def _outcome(oracle: Oracle) -> tuple[str, str] | None:
    """How the oracle's game ended, or None."""
    return (oracle.winner, oracle.reason) if oracle.over else None


# --- many games ------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What happened in the games played so far."""

    games: int = 0
    actions: int = 0
    events: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)

    def add(self, played: LockStep) -> None:
        """Count one finished game."""
        self.games += 1
        self.actions += played.step
        self.events.update(event[1] for event in played.oracle.events)
        self.endings[played.oracle.reason] += 1

    def __str__(self) -> str:
        lines = [f"{self.games:,} games, {self.actions:,} actions, {self.events.total():,} events: no disagreement"]
        for title, counts in (("events", self.events), ("endings", self.endings)):
            lines.append(f"{title}: " + ", ".join(f"{name} {count:,}" for name, count in counts.most_common()))
        return "\n".join(lines)


def play_game(i: int, make_rules: Callable = rules_with) -> LockStep:
    """Game i on both, to its end; `AssertionError` at the first disagreement."""
    played = LockStep(settings_of(i), make_rules)
    played.play()
    return played


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Play games on the rules and on the oracle in lock step.")
    parser.add_argument("--games", type=int, default=2000, help="how many games (default 2000)")
    parser.add_argument("--first", type=int, default=0, help="number of the first game (default 0)")
    options = parser.parse_args()
    tally = Tally()
    begin = time.perf_counter()
    for i in track(range(options.first, options.first + options.games), description="Games"):
        try:
            tally.add(play_game(i))
        except AssertionError as disagreement:
            print(disagreement)
            return 1
    print(tally)
    print(f"{time.perf_counter() - begin:.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
