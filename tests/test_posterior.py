"""The Bayesian observer: against going through all roles and all ways by hand, and where what it says is known."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import Any

import pytest

import quack_env
from quack_agents import ScriptedPolicy
from quack_env import GameConfig, GameMap
from quack_env.events import Event, event_of
from quack_env.game import Game
from quack_env.kinds import SUSPECT
from quack_env.knowledge import Heard, Memory
from quack_env.posterior import HARD, Behaviour, Observer, Observing, proven
from quack_env.state import FREE

BY_OPPORTUNITY = Behaviour(sharpness=1.0, sparing=1.0, lingering=1.0)
RING = {
    "rooms": {"a": [5, 1], "b": [8, 3], "c": [7, 7], "d": [3, 7], "e": [2, 3]},
    "corridors": [["a", "b", 1], ["b", "c", 1], ["c", "d", 1], ["d", "e", 1], ["e", "a", 1], ["a", "c", 1]],
    "tasks": {"a": "A", "b": "B", "c": "C"},
    "button": "a",
}
NEXT = {"a": "bec", "b": "ac", "c": "bda", "d": "ce", "e": "da"}


def played(seed: int, config: dict[str, Any], game_map: Any, speech: str = "off") -> Iterator[tuple[Game, list[Any]]]:
    """A game of random decisions that moves and kills more than it waits: at every decision, the game and observers."""
    draws = random.Random(seed)
    game = Game(GameConfig.from_dict(config), GameMap.load(game_map), speech)
    game.recording = True
    game.deal(seed)
    observers = [Observer(Memory(game.world, i), game.view(i)) for i in range(game.world.n)]
    while not game.over:
        seat = game.state.current
        observers[seat].see(game.view(seat))
        yield game, observers
        legal = [action for action, allowed in enumerate(game.mask(seat)) if allowed]
        game.show(seat)
        game.act(draws.choice([action for action in legal if action] or legal))
        game.advance()


def living(game: Game) -> list[int]:
    return [seat for seat in range(game.world.n) if game.state.alive >> seat & 1]


# --- by hand ---------------------------------------------------------------------------------------------------------


@dataclass
class Tick:
    """What one observer perceived in one tick, read off the events."""

    room: str
    left: bool = False
    at_start: set[int] = field(default_factory=set)
    """Who was in the room when the tick began."""
    at_turn: set[int] = field(default_factory=set)
    """Who was there at its own decision."""
    bodies: set[int] = field(default_factory=set)
    """Which bodies it had seen in the room by the end of the tick, as long as it was there."""
    moves: list[tuple[int, str]] = field(default_factory=list)
    """(who, to) of those it saw leave."""
    came: list[tuple[int, str]] = field(default_factory=list)
    """(who, from) of those it saw come."""
    kill: tuple[int, set[int]] | None = None
    """A body that came to be before its eyes, and who else was there."""


def perceived(events: list[Event], me: int, spawns: list[str]) -> list[Tick]:
    """The first leg of a game as one player perceived it, tick by tick from 1, up to the call; all corridors take 1."""
    place, everybody = list(spawns), range(len(spawns))  # "" on the way, or dead
    going: dict[int, tuple[str, str]] = {}
    lying: dict[int, str] = {}
    ticks: list[Tick] = []

    def there(room: str) -> set[int]:
        return {j for j in everybody if place[j] == room and j != me}

    def begin() -> None:
        came = [(who, origin) for who, (origin, _) in going.items()]
        for who, (_, to) in going.items():
            place[who] = to
        going.clear()
        here = place[me]
        tick = Tick(here, at_start=there(here), bodies={victim for victim, room in lying.items() if room == here})
        tick.came = [(who, origin) for who, origin in came if who in tick.at_start]
        ticks.append(tick)

    for event in events:
        who, room = event.actor, event.room or ""
        while len(ticks) < event.tick:
            begin()
        if who is None:
            continue
        tick = ticks[-1]
        here = not tick.left and room == tick.room
        if who == me and event.kind in ("wait", "depart", "task_step", "meeting_called"):
            tick.at_turn = there(tick.room)
        if event.kind == "depart":
            tick.left |= who == me
            if here and who != me:
                tick.moves.append((who, event.to or ""))
            place[who], going[who] = "", (room, event.to or "")
        elif event.kind == "kill" and event.target is not None:
            lying[event.target], place[event.target] = room, ""
            if here:
                tick.kill = event.target, there(room)
                tick.bodies.add(event.target)
        elif event.kind == "meeting_called":
            if tick.left:  # put back: it sees what is there
                tick.bodies |= {victim for victim, scene in lying.items() if scene == tick.room}
            break
    return ticks


Way = tuple[str, ...]


@lru_cache
def ways(ticks: int) -> list[Way]:
    """Every way of so many ticks: the room at the beginning of each."""
    found: list[Way] = [(room,) for room in RING["rooms"]]
    for _ in range(ticks - 1):
        found = [(*way, room) for way in found for room in (way[-1], *NEXT[way[-1]])]
    return found


def fits(ticks: list[Tick], who: int, way: Way) -> bool:
    """Whether a living player can have gone that way, by what was perceived in the ticks it covers."""
    for t, (tick, room) in enumerate(zip(ticks, way, strict=False)):
        if (room == tick.room) != (who in tick.at_start):
            return False
        before = dict(tick.came).get(who, room)  # who was there and did not come has been there
        if t > 0 and room == tick.room and way[t - 1] != before:
            return False
        later = way[t + 1] if t + 1 < len(way) else None
        if later is not None and any(j == who and later != b for j, b in tick.moves):
            return False
    return True


def can_be_there(ticks: list[Tick], victim: int, t: int, room: str, killer: int, seen: int | None) -> bool:
    """Whether a kill in a room at a tick is what the observer perceived of it. ``seen``: the tick of the body."""
    tick = ticks[t]
    if any(victim in later.at_start for later in ticks[t + 1 :]) or any(
        victim == j for k in ticks[t:] for j, _ in k.moves
    ):
        return False  # it was alive after that
    witnessed = [k for k, other in enumerate(ticks) if other.kill is not None and other.kill[0] == victim]
    if witnessed:
        near = ticks[t].kill
        return [t] == witnessed and room == tick.room and near is not None and killer in near[1]
    if room == tick.room and not (tick.left and {victim, killer} <= tick.at_turn):
        return False  # it was there, and saw nothing of the kind
    if seen is not None and (room != ticks[seen].room or t > seen or (t == seen and not ticks[seen].left)):
        return False
    return not any(later.room == room and victim not in later.bodies for later in ticks[t + 1 :])


def opportunities(ticks: list[Tick], victim: int, suspects: list[int]) -> dict[int, float]:
    """By going through all ways: the sum over ticks of the share of a suspect's rooms where it can have killed."""
    n = len(ticks)
    seen = next((t for t, tick in enumerate(ticks) if victim in tick.bodies), None)
    found: dict[int, float] = {}
    prefixes = {t: {way[-1] for way in ways(t + 1) if fits(ticks, victim, way)} for t in range(n)}
    for j in suspects:
        mine = [way for way in ways(n) if fits(ticks, j, way)]
        chance = 0.0
        for t in range(n):
            rooms = {way[t] for way in mine}
            stayed = {way[t] for way in mine if t + 1 == n or way[t + 1] == way[t]}
            scene = [r for r in prefixes[t] & stayed if can_be_there(ticks, victim, t, r, j, seen)]
            chance += len(scene) / len(rooms) if rooms else 0.0
        found[j] = chance
    return found


def brute_force(ticks: list[Tick], me: int, dead: list[int], by_share: bool) -> dict[int, float]:
    """The posterior of a game of four with one Duck, after the first leg."""
    suspects = [j for j in range(4) if j != me and j not in dead]
    weights = dict.fromkeys(suspects, 1.0)
    for victim in dead:
        chances = opportunities(ticks, victim, suspects)
        for j in suspects:
            weights[j] *= chances[j] if by_share else float(chances[j] > 0)
    total = sum(weights.values())
    return {j: weight / total for j, weight in weights.items()}


def test_it_agrees_with_going_through_all_roles_and_all_ways() -> None:
    config = {"n_players": 4, "n_ducks": 1, "n_tasks": 2, "kill_cooldown": 0, "max_ticks": 7}
    compared = informative = 0
    for seed in range(250):
        found = after_first_leg(seed, config)
        if found is None:
            continue
        game, observers, events, spawns = found
        dead = [event.target for event in events if event.kind == "kill" and event.target is not None]
        for me in living(game):
            if game.state.ducks >> me & 1:
                continue
            ticks = perceived(events, me, spawns)
            for behaviour, by_share in ((HARD, False), (BY_OPPORTUNITY, True)):
                observers[me].behaviour = behaviour
                expected = brute_force(ticks, me, dead, by_share)
                believed = observers[me].beliefs(game.view(me))
                if acted_in(events, me, ticks):
                    assert believed == pytest.approx(expected, abs=1e-12), (seed, me)
                    compared += 1
                    informative += len(set(expected.values())) > 1
                else:  # it does not remember that it had not set out when the call came
                    assert all(believed[j] > 0 for j, p in expected.items() if p > 0), (seed, me)
    assert compared > 60
    assert informative > 20


def after_first_leg(seed: int, config: dict[str, Any]) -> tuple[Game, list[Observer], list[Event], list[str]] | None:
    """A game at the call of its first meeting, where that comes by tick 6 and somebody was killed."""
    spawns: list[str] = []
    for game, observers in played(seed, config, RING):
        spawns = spawns or [game.game_map.rooms[room] for room in game.state.room]
        if game.state.phase != FREE:
            log, texts, _ = game.take()
            events = [event_of(event, p, game.briefing, texts.get(p)) for p, event in enumerate(log)]
            known = game.state.tick <= 6 and any(event.kind == "kill" for event in events)
            return (game, observers, events, spawns) if known else None
    return None


def acted_in(events: list[Event], me: int, ticks: list[Tick]) -> bool:
    """Whether a player decided in the last tick, or had just come into another room."""
    last = len(ticks)
    acted = any(e.actor == me and e.tick == last and e.kind not in ("arrive", "transit_cancelled") for e in events)
    return acted or last < 2 or ticks[-1].room != ticks[-2].room


# --- what must hold in every game ------------------------------------------------------------------------------------

SETTINGS: dict[str, dict[str, Any]] = {
    "one duck": {"n_players": 6, "n_ducks": 1, "kill_cooldown": 2, "max_ticks": 50},
    "two ducks": {"n_players": 8, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 50, "meeting_calls": 3},
    "roles shown": {"n_players": 7, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 50, "reveal_role": True},
    "kills seen": {"n_players": 6, "n_ducks": 1, "kill_cooldown": 2, "max_ticks": 50, "witness_kills": True},
    "published rules": {"n_players": 6, "n_ducks": 1, "kill_cooldown": 2, "max_ticks": 50, "preset": "published"},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_no_duck_is_ever_ruled_out_and_nobody_wrongly_proven(settings: dict[str, Any]) -> None:
    ruled_out = 0
    for seed in range(12):
        for game, observers in played(seed, settings, "ship"):
            if game.state.tick % 5 and game.state.phase == FREE:
                continue
            for seat in living(game):
                posterior = observers[seat].posterior(game.view(seat))
                ducks = {j for j in range(game.world.n) if game.state.ducks >> j & 1}
                assert sum(posterior.weights.values()) == pytest.approx(1)
                assert sum(map(posterior.duck, range(game.world.n))) == pytest.approx(game.world.m)
                for j in range(game.world.n):
                    p = posterior.duck(j)
                    assert p > 0 if j in ducks else p < 1, (seed, game.state.tick, seat, j)
                    ruled_out += p == 0 and j != seat
    assert ruled_out > 50


def test_looking_between_decisions_changes_nothing_that_is_remembered() -> None:
    for game, observers in played(3, SETTINGS["one duck"], "ship"):
        for seat in living(game):
            memory = observers[seat].memory
            before = repr((memory.leg.marks, memory.leg.seen, memory.leg.bodies, memory.leg.moves, memory.dead))
            observers[seat].beliefs(game.view(seat))
            assert repr((memory.leg.marks, memory.leg.seen, memory.leg.bodies, memory.leg.moves, memory.dead)) == before


# --- what is known by hand -------------------------------------------------------------------------------------------


def at_start(n: int, m: int, **settings: Any) -> tuple[Game, list[Observer]]:
    config = {"n_players": n, "n_ducks": m, "n_tasks": 2, **settings}
    return next(iter(played(0, config, "ship")))


def test_before_anything_happens_a_goose_believes_the_prior_and_a_duck_the_truth() -> None:
    game, observers = at_start(8, 2)
    for seat in range(8):
        believed = observers[seat].beliefs(game.view(seat))
        assert set(believed) == set(range(8)) - {seat}
        if game.state.ducks >> seat & 1:
            assert believed == {j: float(game.state.ducks >> j & 1) for j in believed}
        else:
            assert believed == pytest.approx(dict.fromkeys(believed, 2 / 7))


def test_accusations_count_where_they_are_given_weight() -> None:
    game, observers = at_start(4, 1)
    me, one, two, three = (game.state.ducks.bit_length() + k & 3 for k in range(4))
    observers[me].memory.statements.append(Heard(0, 1, one, SUSPECT, two, -1))
    assert observers[me].beliefs(game.view(me)) == pytest.approx({one: 1 / 3, two: 1 / 3, three: 1 / 3})
    observers[me].behaviour = Behaviour(testimony=log(3))
    assert observers[me].beliefs(game.view(me)) == pytest.approx({one: 0.2, two: 0.6, three: 0.2})


def test_a_policy_that_observes_plays_as_it_did_and_says_what_follows() -> None:
    def play(wrap: bool) -> tuple[list[int], list[dict[str, float]]]:
        env = quack_env.raw_env(observation="vector", config={"n_players": 6, "max_ticks": 40})
        env.reset(seed=4)
        policies: dict[str, Any] = {}
        for agent in env.possible_agents:
            policies[agent] = Observing(ScriptedPolicy()) if wrap else ScriptedPolicy()
            policies[agent].reset(env.infos[agent], seed=1)
        actions: list[int] = []
        said: list[dict[str, float]] = []
        while not env.game.over:
            agent = env.agent_selection
            actions.append(policies[agent](None, env.infos[agent]))
            said.append(policies[agent].beliefs())
            assert not wrap or policies[agent].beliefs(env.infos[agent]) == said[-1]
            env.step(actions[-1])
        return actions, said

    (plain, _), (observed, said) = play(False), play(True)
    assert observed == plain
    assert said[0] == pytest.approx(dict.fromkeys(said[0], 0.2)) or set(said[0].values()) == {0.0}
    assert len(said[0]) == 5


def test_proven() -> None:
    assert proven([frozenset({1, 2}), frozenset({1, 3})]) == {1}
    assert proven([]) == frozenset()
