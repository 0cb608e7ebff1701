"""Whole games of scripted players: legal, deterministic, truthful where they should be, and better than chance."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from conformance.play import seat_of

import quack_env
from quack_agents import RandomPolicy, ScriptedPolicy, play
from quack_agents.phrases import LIMIT, Say, phrase, understand
from quack_env.chance import policy_seed
from quack_env.kinds import ARRIVE, DEPART, TASK_STEP, unpack
from quack_env.state import FREE

PERSONAS = ("default", "aggressive", "cautious")
Factory = Callable[[], Any]


def mixed(env: Any, geese: Factory, ducks: Factory, seed: int) -> dict[str, Any]:
    """Policies by role for the game of this seed."""
    env.reset(seed=seed)
    roles = env.unwrapped.game.state.ducks
    return {agent: (ducks if roles >> i & 1 else geese)() for i, agent in enumerate(env.possible_agents)}


def wins(geese: Factory, ducks: Factory, games: int, **options: Any) -> Counter[str]:
    """Winners and reasons of some games."""
    env = quack_env.raw_env(observation="vector", **options)
    found: Counter[str] = Counter()
    for seed in range(games):
        outcome = play(env, mixed(env, geese, ducks, seed), seed=seed)
        found += Counter([outcome.winner, outcome.reason])
    return found


def transcript(seed: int, speech: str, persona: str = "default") -> list[Any]:
    env = quack_env.raw_env(speech=speech, observation="vector")
    taken: list[Any] = []
    policies = {agent: ScriptedPolicy(persona) for agent in env.possible_agents}
    play(env, policies, seed=seed, on_step=lambda agent, action: taken.append((agent, action)))
    return taken


# --- legal and deterministic -----------------------------------------------------------------------------------------

SETTINGS: list[dict[str, Any]] = [
    {},
    {"config": "published"},
    {"n_players": 3, "game_map": "small"},
    {"n_players": 9, "n_ducks": 3, "config": {"kill_cooldown": 0, "meeting_calls": 5}},
    {"n_players": 16, "n_ducks": 2, "game_map": "large", "max_ticks": 60},
    {"config": {"n_tasks": 0, "witness_kills": True, "reveal_role": True, "reveal_votes": True, "max_say": 20}},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("speech", ["off", "tokens", "text"])
def test_every_action_is_legal(settings: dict[str, Any], speech: str) -> None:
    env = quack_env.raw_env(speech=speech, observation="vector", **settings)  # it refuses what is not
    personas = itertools.cycle([*PERSONAS, None])
    for seed in range(6):
        chosen = [next(personas) for _ in env.possible_agents]
        players = [ScriptedPolicy(persona) if persona else RandomPolicy() for persona in chosen]
        policies = dict(zip(env.possible_agents, players, strict=True))
        assert play(env, policies, seed=seed).winner


@pytest.mark.parametrize("speech", ["off", "tokens", "text"])
def test_a_game_is_a_function_of_its_seed(speech: str) -> None:
    assert transcript(4, speech) == transcript(4, speech)
    assert transcript(4, speech) != transcript(5, speech)


def test_other_games_in_between_change_nothing() -> None:
    env = quack_env.raw_env(observation="vector")
    policies = {agent: ScriptedPolicy() for agent in env.possible_agents}
    taken: list[list[Any]] = []
    for seed in (7, 8, 7):
        taken.append([])
        play(env, policies, seed=seed, on_step=lambda *step, to=taken[-1]: to.append(step))
    assert taken[0] == taken[2]


def test_without_a_reset_it_begins_each_game_afresh() -> None:
    env = quack_env.raw_env(observation="vector")
    policies = {agent: ScriptedPolicy() for agent in env.possible_agents}
    for seed in (1, 2):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            observation, _, termination, _, info = env.last()
            env.step(None if termination else policies[agent](observation, info))
        assert env.game.over


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_copy_goes_on_like_the_original(copied: Callable[[Any], Any]) -> None:
    env = quack_env.raw_env(observation="vector")
    policies = mixed(env, ScriptedPolicy, ScriptedPolicy, 3)
    for i, agent in enumerate(env.possible_agents):
        policies[agent].reset(env.infos[agent], policy_seed(3, i))
    for _ in range(60):
        env.step(policies[env.agent_selection](None, env.infos[env.agent_selection]))
    runs = [(env, policies), (copied(env), copied(policies))]
    taken: list[list[Any]] = [[], []]
    for (game, players), actions in zip(runs, taken, strict=True):
        for _ in range(40):
            if not game.game.over:
                actions.append(players[game.agent_selection](None, game.infos[game.agent_selection]))
                game.step(actions[-1])
    assert taken[0] == taken[1]


def test_the_parallel_form_is_played_too() -> None:
    env = quack_env.parallel_env(observation="vector")
    for seed in range(5):
        _, infos = env.reset(seed=seed)
        policies = {agent: ScriptedPolicy() for agent in env.agents}
        while env.agents:
            _, _, _, _, infos = env.step({agent: policies[agent](None, infos[agent]) for agent in env.agents})
        assert env.game.over


def test_beliefs_are_probabilities_over_the_living_others() -> None:
    env = quack_env.raw_env(observation="vector")
    for seed in range(5):
        policies = mixed(env, ScriptedPolicy, ScriptedPolicy, seed)
        assert all(policy.beliefs() == {} for policy in policies.values())
        for agent in env.agent_iter():
            observation, _, termination, _, info = env.last()
            env.step(None if termination else policies[agent](observation, info))
            if not termination:
                beliefs = policies[agent].beliefs()
                alive = set(env.possible_agents) - set(info["known_dead"]) - {agent}
                assert beliefs.keys() == alive
                assert all(0 <= p <= 1 for p in beliefs.values())


# --- truthful --------------------------------------------------------------------------------------------------------


class Witness:
    """What really happened in a leg, as an observer of everything has it."""

    def __init__(self) -> None:
        self.rooms: dict[tuple[int, int], int] = {}
        self.ways: set[tuple[int, int, int, int, int]] = set()
        self.work: set[tuple[int, int, int]] = set()
        self.bodies: dict[int, int] = {}

    def note(self, game: Any) -> None:
        state = game.state
        for j, room in enumerate(state.room):
            if room >= 0:
                self.rooms[j, state.tick] = room
        if state.tick == state.leg_tick + 1:
            self.rooms |= {(j, state.leg_tick): room for j, room in enumerate(state.room) if room >= 0}
        for event in state.log:
            tick, kind, actor, _, room, to, _ = unpack(event)
            if kind in (DEPART, ARRIVE):
                self.ways.add((tick, kind, actor, room, to))
            elif kind == TASK_STEP:
                self.work.add((actor, room, tick))
        self.bodies |= {b: room for b, room in enumerate(state.body_room) if room >= 0}

    def was(self, who: int, room: int, first: int, last: int) -> list[int]:
        """The ticks of a window at which somebody was in a room."""
        return [tick for tick in range(first, last + 1) if self.rooms.get((who, tick)) == room]

    def confirms(self, speaker: int, say: Any, start: int, end: int) -> bool:
        """Whether what was said is true."""
        first, last = (start, end) if say.first is None else (max(start, say.first), min(end, say.last))
        mine = self.was(speaker, say.room, first, last) if say.room is not None else []
        theirs = self.was(say.player, say.room, first, last) if say.player is not None and say.room is not None else []
        if say.kind == "was_in":
            return bool(mine)
        if say.kind == "route":
            stops = [room for t in range(start, end + 1) if (room := self.rooms.get((speaker, t))) is not None]
            return [room for room, _ in itertools.groupby(stops)] == list(say.route)
        if say.kind in ("saw", "with"):
            return bool(set(mine) & set(theirs))
        if say.kind == "found":
            return self.bodies.get(say.player) == say.room and bool(mine)
        if say.kind in ("left", "entered"):
            kind, place = (DEPART, say.room) if say.kind == "left" else (ARRIVE, say.to)
            seen = [t for t, k, who, a, b in self.ways if (k, who, a, b) == (kind, say.player, say.room, say.to)]
            return any(first <= t <= last and self.rooms.get((speaker, t)) == place for t in seen)
        if say.kind == "did_task":
            return any((speaker, say.room, tick) in self.work for tick in range(first, last + 1))
        if say.kind == "nobody":
            there = {j for (j, tick), room in self.rooms.items() if room == say.room and tick in mine}
            return there == {speaker}
        if say.kind == "absent":
            return bool(mine) and not theirs
        return say.kind in ("suspect", "vouch")


def by_seat(say: Say, names: tuple[str, ...], rooms: tuple[str, ...]) -> Say:
    """The same with numbers for names."""
    place: Any = {None: None} | {room: r for r, room in enumerate(rooms)}
    seat: Any = {None: None} | {name: j for j, name in enumerate(names)}
    return say._replace(
        player=seat[say.player], room=place[say.room], to=place[say.to], route=tuple(place[r] for r in say.route)
    )


@pytest.mark.parametrize("persona", PERSONAS)
def test_a_goose_tells_nothing_but_the_truth_and_a_duck_does_not(persona: str) -> None:
    env = quack_env.raw_env(speech="text", observation="vector", n_players=8, n_ducks=2)
    lies: Counter[bool] = Counter()
    kinds: Counter[str] = Counter()
    for seed in range(25):
        witness = Witness()
        policies = mixed(env, lambda: ScriptedPolicy(persona), lambda: ScriptedPolicy(persona), seed)
        game = env.game
        for i, agent in enumerate(env.possible_agents):
            policies[agent].reset(env.infos[agent], policy_seed(seed, i))
        names, rooms = game.briefing.names, game.game_map.rooms
        leg = 0
        while not game.over:
            state = game.state
            if state.phase == FREE:
                if state.leg_tick != leg:
                    witness, leg = Witness(), state.leg_tick
                witness.note(game)
            agent = env.agent_selection
            seat, phase = seat_of(agent), state.phase
            action = policies[agent](None, env.infos[agent])
            env.step(action)
            if phase == FREE:
                for event in state.log:
                    if event & 31 == TASK_STEP:
                        witness.work.add(((event >> 5 & 31) - 1, (event >> 15 & 127) - 1, event >> 45))
                    elif event & 31 in (DEPART, ARRIVE):
                        tick, kind, actor, _, room, to, _ = unpack(event)
                        witness.ways.add((tick, kind, actor, room, to))
                witness.bodies |= {b: room for b, room in enumerate(state.body_room) if room >= 0}
                if state.phase != FREE:
                    for j, room in enumerate(state.room):
                        if room >= 0:
                            witness.rooms.setdefault((j, state.tick), room)
            if isinstance(action, dict):
                assert 0 < len(action["say"]) <= LIMIT
                for say in understand(action["say"], names, rooms):
                    kinds[say.kind] += 1
                    true = witness.confirms(seat, by_seat(say, names, rooms), leg, state.tick)
                    if not state.ducks >> seat & 1:
                        assert true, (seed, state.tick, names[seat], say, action["say"])
                    else:
                        lies[true] += 1
    assert lies[False] > 10
    assert lies[True] > 10
    assert kinds.keys() >= {"route", "was_in", "saw", "found", "left", "entered", "did_task", "suspect"}


def timeless(claim: dict[str, Any]) -> str:
    return json.dumps(claim | {"time": None}, sort_keys=True)


def test_the_claims_kept_are_those_of_the_words() -> None:
    env = quack_env.raw_env(speech="text", observation="vector")
    policies = {agent: ScriptedPolicy("aggressive") for agent in env.possible_agents}
    compared: dict[str, int] = defaultdict(int)

    def compare(agent: str, action: Any) -> None:
        if isinstance(action, dict):
            briefing = env.game.briefing
            says = understand(action["say"], briefing.names, briefing.game_map.rooms)
            again = phrase(says, random.Random(0), briefing.names[seat_of(agent)], limit=10_000).claims
            kept = policies[agent].last_claims
            assert {timeless(claim) for claim in kept} == {timeless(claim) for claim in again}
            assert all(claim["time"] in action["say"] for claim in kept if claim.get("time"))
            for claim in kept:
                compared[claim["type"]] += 1

    for seed in range(10):
        play(env, policies, seed=seed, on_step=compare)
    assert compared.keys() == {"location", "sighting", "activity", "accusation", "defense"}


# --- a game ----------------------------------------------------------------------------------------------------------


def test_scripted_beats_random_in_both_seats() -> None:
    games = 60
    chance = wins(RandomPolicy, RandomPolicy, games)
    assert wins(ScriptedPolicy, RandomPolicy, games)["geese"] > chance["geese"] + 0.15 * games
    assert wins(RandomPolicy, ScriptedPolicy, games)["ducks"] > chance["ducks"] + 0.15 * games


def test_scripted_play_is_a_game_and_ends_in_every_way() -> None:
    found: Counter[str] = Counter()
    for persona in PERSONAS:
        outcome = wins(lambda p=persona: ScriptedPolicy(p), lambda p=persona: ScriptedPolicy(p), 60)
        assert 0.25 * 60 < outcome["geese"] < 0.9 * 60, persona
        found += outcome
    assert found.keys() >= {"ducks ejected", "parity", "tasks", "timeout"}
