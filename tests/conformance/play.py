"""Helpers of the tests: positions made by hand, actions by name, random play, and values frozen to bytes.

Action numbers are counted here from `interfaces.md` ("Action"), not asked of the code under test.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

import quack_env
from quack_env.info import Info
from quack_env.view import View

SPEECH = ("off", "tokens", "text")
OBSERVATIONS = ("image+dict", "dict", "vector", "text")
DEAD_AGENTS = ("noop", "remove")
AEC_FORMS = {"env": quack_env.env, "raw_env": quack_env.raw_env}
FORMS = {**AEC_FORMS, "parallel_env": quack_env.parallel_env}

# hall --1-- kitchen --3-- attic; hall --2-- cellar; the button is in the hall
HOUSE: dict[str, Any] = {
    "name": "house",
    "rooms": {"hall": [0, 0], "kitchen": [4, 0], "attic": [9, 0], "cellar": [0, 5]},
    "corridors": [["hall", "kitchen", 1], ["kitchen", "attic", 3], ["hall", "cellar", 2]],
    "tasks": {"kitchen": "Cook", "attic": "Tidy", "cellar": "Dig"},
    "button": "hall",
}
ROOMS = ("hall", "kitchen", "attic", "cellar")
HALL, KITCHEN, ATTIC, CELLAR = range(4)
NOBODY = -1


# ---------------------------------------------------------------------------------------------------------------------
# Actions, in the order of interfaces.md


class Actions:
    """The action numbers of a game with these rooms and this many players."""

    def __init__(self, rooms: Iterable[str], n: int) -> None:
        self.rooms = tuple(rooms)
        self.n = n
        self.wait = 0
        self.do_task = 1 + len(self.rooms)
        self.report = self.do_task + 1
        self.call = self.report + 1
        self.skip = self.call + 1 + 2 * n
        self.speak = self.skip + 1
        self.statements = self.speak + 1
        self.nothing = self.statements + (n + 2) * len(self.rooms) + 2 * n

    def move(self, room: str) -> int:
        return 1 + self.rooms.index(room)

    def kill(self, seat: int) -> int:
        return self.call + 1 + seat

    def vote(self, seat: int) -> int:
        return self.call + 1 + self.n + seat

    def was_in(self, room: str) -> int:
        return self.statements + self.rooms.index(room)

    def saw(self, seat: int, room: str) -> int:
        return self.statements + (1 + seat) * len(self.rooms) + self.rooms.index(room)

    def did_task(self, room: str) -> int:
        return self.statements + (1 + self.n) * len(self.rooms) + self.rooms.index(room)

    def suspect(self, seat: int) -> int:
        return self.statements + (2 + self.n) * len(self.rooms) + seat

    def vouch(self, seat: int) -> int:
        return self.suspect(seat) + self.n


def actions_of(env: Any) -> Actions:
    """The action numbers of an environment."""
    game = env.unwrapped.game
    return Actions(game.game_map.rooms, game.config.n_players)


def seat_of(agent: str) -> int:
    return int(agent.removeprefix("player_"))


# ---------------------------------------------------------------------------------------------------------------------
# Positions made by hand


def house(form: str = "raw_env", speech: str = "tokens", observation: str = "dict", **config: Any) -> Any:
    """An environment on the map above: five players, a Duck, two tasks, cooldown 1, unless `config` says otherwise."""
    settings = {"n_players": 5, "n_tasks": 2, "kill_cooldown": 1, **config}
    dead_agents = settings.pop("dead_agents", "noop")
    return FORMS[form](config=settings, game_map=HOUSE, speech=speech, observation=observation, dead_agents=dead_agents)


def arrange(
    env: Any,
    rooms: Iterable[str],
    ducks: Iterable[int] = (0,),
    order: Iterable[int] | None = None,
    cooldown: int = 0,
    tick: int = 1,
    tasks: Mapping[int, Iterable[str]] | None = None,
    progress: Mapping[int, Iterable[int]] | None = None,
    bodies: Mapping[int, str] | None = None,
    calls_left: int | None = None,
    seed: int = 0,
) -> Any:
    """Start of a free-roam tick with everybody where the test wants it; returns what `load_state_dict` returns.

    Args:
        rooms: a room for every seat; for the dead of `bodies` it does not matter.
        ducks: seats of the Ducks.
        order: this tick's turn order; the seats in order where it is not given.
        cooldown: of every Duck.
        bodies: seat to the room where it lies; seen by those who stand there.
    """
    plain = env.unwrapped
    env.reset(seed=seed)
    data = json.loads(json.dumps(plain.state_dict()))
    state, game = data["state"], plain.game
    n, names = game.config.n_players, game.game_map.rooms
    places = [names.index(room) for room in rooms]
    bodies = dict(bodies or {})
    state["ducks"] = sum(1 << i for i in ducks)
    state["alive"] = sum(1 << i for i in range(n) if i not in bodies)
    state["ducks_alive"] = (state["ducks"] & state["alive"]).bit_count()
    state["geese_alive"] = (~state["ducks"] & state["alive"]).bit_count()
    state["room"] = [NOBODY if i in bodies else places[i] for i in range(n)]
    state["here"] = [sum(1 << i for i in range(n) if state["room"][i] == r) for r in range(len(names))]
    state["body_room"] = [names.index(bodies[i]) if i in bodies else NOBODY for i in range(n)]
    state["bodies"] = [sum(1 << b for b in bodies if state["body_room"][b] == r) for r in range(len(names))]
    state["body_seen"] = [state["here"][state["body_room"][i]] if i in bodies else 0 for i in range(n)]
    state["known_dead"] = [sum(1 << b for b in bodies if state["body_seen"][b] >> i & 1) for i in range(n)]
    state["cooldown"] = [cooldown if i in tuple(ducks) else 0 for i in range(n)]
    k = game.config.n_tasks
    for i, wanted in (tasks or {}).items():
        state["task_room"][i * k : (i + 1) * k] = [names.index(room) for room in wanted]
    for i, done in (progress or {}).items():
        state["progress"][i * k : (i + 1) * k] = list(done)
    need = game.config.task_ticks
    state["tasks_left"] = sum(state["progress"][s] < need for s in range(n * k) if not state["ducks"] >> s // k & 1)
    state["order"] = list(order) if order is not None else list(range(n))
    state["turn"] = 0
    while not state["alive"] >> state["order"][state["turn"]] & 1:
        state["turn"] += 1
    state["current"] = state["order"][state["turn"]]
    state["tick"] = tick
    if calls_left is not None:
        state["calls_left"] = calls_left
    data["agents"] = list(plain.possible_agents)
    return plain.load_state_dict(data)


def steps(env: Any, *actions: Any) -> None:
    """Step an AEC environment through these actions, whoever is asked."""
    for action in actions:
        env.step(action)


def play_tick(env: Any, chosen: Mapping[int, Any] | None = None) -> None:
    """Play an AEC environment to the end of this tick or phase: the chosen actions by seat, wait for the others."""
    game = env.unwrapped.game
    tick, phase = game.state.tick, game.phase
    while not game.over and (game.state.tick, game.phase) == (tick, phase):
        env.step((chosen or {}).get(seat_of(env.agent_selection), 0))


def talk(env: Any, action: Any | None = None) -> None:
    """Speak through a discussion with one action (the empty statement, or speech, where none is given)."""
    game, a = env.unwrapped.game, actions_of(env)
    while game.phase == "discussion":
        env.step(action if action is not None else a.nothing if game.world.speech == 1 else a.speak)


def vote(env: Any, ballots: Mapping[int, int | None]) -> None:
    """Cast these votes (seat to seat, None for skip; skip for those not named) until the vote is over."""
    game, a = env.unwrapped.game, actions_of(env)
    while game.phase == "voting":
        target = ballots.get(seat_of(env.agent_selection))
        env.step(a.skip if target is None else a.vote(target))


# ---------------------------------------------------------------------------------------------------------------------
# Random play

Chooser = Callable[[np.ndarray, random.Random, Actions], int]


def any_legal(mask: np.ndarray, chance: random.Random, actions: Actions) -> int:
    """A uniformly random legal action."""
    return int(chance.choice(np.flatnonzero(mask).tolist()))


def eventful(mask: np.ndarray, chance: random.Random, actions: Actions) -> int:
    """A random legal action that prefers kills, reports and meetings, and ejections to skipping."""
    legal = np.flatnonzero(mask).tolist()
    for wanted in (
        [c for c in legal if actions.kill(0) <= c < actions.kill(actions.n)],
        [c for c in legal if c == actions.report],
        [c for c in legal if c == actions.call and chance.random() < 0.5],
        [c for c in legal if actions.vote(0) <= c < actions.vote(actions.n) and chance.random() < 0.7],
        [c for c in legal if c == actions.do_task and chance.random() < 0.5],
    ):
        if wanted and chance.random() < 0.8:
            return int(chance.choice(wanted))
    return int(chance.choice(legal))


def with_words(action: int, chance: random.Random, speech: str) -> Any:
    """The action as it is given to an environment of this speech mode, at times with an utterance."""
    if speech != "text" or chance.random() < 0.5:
        return action
    return {
        "action": action,
        "say": chance.choice(["I saw nothing.", "Where were you, Eve?", "Ça alors \U0001f986", ""]),
    }


def speech_of(env: Any) -> str:
    return SPEECH[env.unwrapped.game.world.speech]


def walk(env: Any, seed: int, choose: Chooser = eventful, limit: int = 10**9) -> Iterator[tuple[str, Any]]:
    """Play an AEC environment at random from where it stands; yields (agent, action) before each step."""
    chance, actions, speech = random.Random(seed), actions_of(env), speech_of(env)
    for _ in range(limit):
        if not env.agents or env.terminations[env.agent_selection]:
            return
        mask = env.last()[0]["action_mask"]
        action = with_words(choose(mask, chance, actions), chance, speech)
        yield env.agent_selection, action
        env.step(action)


def run(env: Any, seed: int, choose: Chooser = eventful, limit: int = 10**9) -> int:
    """Play an AEC environment at random from where it stands; the number of steps."""
    return sum(1 for _ in walk(env, seed, choose, limit))


def moves(
    env: Any, observations: Mapping[str, Any], chance: random.Random, choose: Chooser = eventful
) -> dict[str, Any]:
    """One random legal action for every agent of a parallel environment."""
    actions, speech = actions_of(env), speech_of(env)
    return {
        agent: with_words(choose(observations[agent]["action_mask"], chance, actions), chance, speech)
        for agent in env.agents
    }


def play_game(env: Any, seed: int, limit: int = 10**9) -> None:
    """One random game, or its first steps, on an environment of either form."""
    if hasattr(env, "agent_iter"):
        env.reset(seed=seed)
        run(env, seed, eventful, limit)
        return
    observations, _ = env.reset(seed=seed)
    chance = random.Random(seed)
    for _ in range(limit):
        if not env.agents:
            return
        observations, *_ = env.step(moves(env, observations, chance))


def until(env: Any, phase: str, seed: int = 0, choose: Chooser = eventful, skip: int = 0) -> Any:
    """The AEC environment, played on at random until it is in this phase (or "transit": somebody is on the way)."""
    game = env.unwrapped.game
    for _ in walk(env, seed, choose):
        there = any(game.state.left) if phase == "transit" else game.phase == phase
        if there and skip == 0:
            return env
        skip -= there
    raise AssertionError(f"the game ended before {phase}")


# ---------------------------------------------------------------------------------------------------------------------
# Observations


def numbers(observation: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The named arrays of an observation; the vector under the name "vector"."""
    inner = observation["observation"]
    if isinstance(inner, np.ndarray):
        return {"vector": inner}
    return dict(inner.get("summary", inner))


def images(observation: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The images of an observation, if it has any."""
    inner = observation["observation"]
    return (
        {} if isinstance(inner, np.ndarray) else {k: v for k, v in inner.items() if k in ("global_map", "local_view")}
    )


# ---------------------------------------------------------------------------------------------------------------------
# Values as bytes


def frozen(value: Any) -> Any:
    """The value as nested tuples of plain values and bytes: equal only if types, dtypes, shapes and bytes are equal."""
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, Info):
        lazy = {key: value[key] for key in ("legal_actions", "summary", "names", "view")}
        return ("info", frozen(dict(value)), frozen(lazy))
    if isinstance(value, dict):
        return ("dict", tuple((key, frozen(value[key])) for key in sorted(value)))
    if isinstance(value, View):
        return ("view", tuple((f.name, frozen(getattr(value, f.name))) for f in dataclasses.fields(value)))
    if isinstance(value, list | tuple):
        return (type(value).__name__, tuple(frozen(item) for item in value))
    return (type(value).__name__, value)


def situation(env: Any) -> Any:
    """All that the agent asked now receives, and who it is; what all others would observe."""
    return frozen((env.agent_selection, env.last(), {agent: env.observe(agent) for agent in env.agents}))


def digest(env: Any) -> str:
    """The hash of the full state."""
    value: str = env.unwrapped.game.state.digest()
    return value
