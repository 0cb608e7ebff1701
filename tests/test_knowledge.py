"""What follows from perceptions: sound over random games, exact on a small map, and right in situations by hand."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from typing import Any

import pytest
from conformance.play import ATTIC, CELLAR, HALL, HOUSE, KITCHEN, actions_of, arrange, house, play_tick, talk, vote

from quack_env.config import GameConfig
from quack_env.game import Game
from quack_env.game_map import GameMap
from quack_env.given import bind
from quack_env.knowledge import AWAY, NOWHERE, Leg, Memory, Movement, Picture, movement_of
from quack_env.parallel import QuackParallel
from quack_env.state import FREE

# ---------------------------------------------------------------------------------------------------------------------
# Sound: no true position and no true killer is ever excluded, whatever was perceived


class Truth:
    """What really happened, by (first tick of the leg, ...), and the check of memories against it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rooms: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        self.kills: dict[int, dict[int, int]] = defaultdict(dict)

    def note_places(self) -> None:
        """Where everybody is at a decision of free roam."""
        state = self.game.state
        if state.phase == FREE:
            for j, room in enumerate(state.room):
                if room >= 0:
                    at = self.rooms[state.leg_tick, j]
                    at[state.tick] = at.get(state.tick, 0) | 1 << room

    def note_kill(self, actor: int, action: int) -> None:
        """A kill, if it is one."""
        world, state = self.game.world, self.game.state
        if state.phase == FREE and world.act_kill <= action < world.act_vote:
            self.kills[state.leg_tick][action - world.act_kill] = actor

    def check(self, legs: list[Leg]) -> int:
        """Assert that the pooled legs exclude nothing that is true; the number of facts compared."""
        picture, state = Picture(self.game.world, legs), self.game.state
        dead = 0
        for leg in legs:
            dead |= leg.dead
        facts = 0
        for j in range(self.game.world.n):
            if (state.alive | dead) >> j & 1:
                for tick, rooms in self.rooms[legs[0].first, j].items():
                    if tick <= picture.last:
                        assert rooms & ~picture.rooms(j, tick) == 0, f"player {j} at tick {tick}"
                        facts += 1
        for victim, killer in self.kills[legs[0].first].items():
            if dead >> victim & 1 and killer not in [leg.me for leg in legs]:
                assert picture.killers(victim) >> killer & 1, f"the killer {killer} of {victim}"
                facts += 1
        return facts


def any_game(seed: int, chance: random.Random) -> tuple[GameConfig, GameMap, str]:
    """Settings over the whole range that changes what can be perceived."""
    n = chance.randint(3, 10)
    game_map = GameMap.load(chance.choice(["ship", "small", GameMap.random(chance.randint(2, 9), seed)]))
    config = GameConfig(
        n_players=n,
        n_ducks=chance.randint(1, (n - 1) // 2),
        n_tasks=min(2, len(game_map.tasks)),
        kill_cooldown=chance.randint(0, 4),
        max_ticks=60,
        meeting_calls=chance.randint(0, 3),
        instant_hops=chance.random() < 0.25,
        witness_kills=chance.random() < 0.2,
        reveal_votes=chance.random() < 0.2,
    )
    return config, game_map, chance.choice(["off", "tokens"])


def some_action(game: Game, legal: list[int], chance: random.Random, lazy: float) -> int:
    """A legal action; often a kill where there is one, and at times a wait."""
    kills = [a for a in legal if game.world.act_kill <= a < game.world.act_vote]
    if game.state.phase == FREE and chance.random() < lazy:
        return chance.choice(kills) if kills and chance.random() < 0.8 else 0
    return chance.choice(legal)


@pytest.mark.parametrize("block", range(12))
def test_no_true_place_and_no_true_killer_is_ever_excluded(block: int) -> None:
    facts = 0
    for seed in range(25 * block, 25 * block + 25):
        chance = random.Random(seed)
        game = Game(*any_game(seed, chance))
        game.deal(seed)
        truth, lazy, state = Truth(game), chance.random(), game.state
        memories = [Memory(game.world, i) for i in range(game.world.n)]
        while not game.over:
            i, phase, leg = state.current, state.phase, state.leg_tick
            truth.note_places()
            memories[i].see(game.view(i))
            if chance.random() < 0.03:
                facts += truth.check([memories[i].leg])
            mask = game.mask(i)
            action = some_action(game, [a for a in range(game.world.A) if mask[a]], chance, lazy)
            truth.note_kill(i, action)
            game.show(i)
            game.act(action)
            game.advance()
            state.log.clear()
            if phase != FREE and (game.over or state.phase == FREE):
                ended = [m.leg for m in memories if state.alive >> m.me & 1 and m.leg.called and m.leg.first == leg]
                for one in ended:
                    facts += truth.check([one])
                geese = [one for one in ended if not state.ducks >> one.me & 1]
                facts += truth.check(geese) if geese else 0
    assert facts > 1000


@pytest.mark.parametrize("seed", range(20))
def test_it_holds_in_the_parallel_form_too(seed: int) -> None:
    chance = random.Random(seed)
    config, game_map, speech = any_game(seed, chance)
    env = QuackParallel(config=config, game_map=game_map, speech=speech, observation="vector")
    _, infos = env.reset(seed=seed)
    game = env.game
    truth, lazy, state = Truth(game), chance.random(), game.state
    memories = [Memory(game.world, i) for i in range(game.world.n)]
    before = {}
    while env.agents:
        truth.note_places()
        chosen = {}
        for agent in env.concurrent_agents():
            i = env.possible_agents.index(agent)
            memories[i].see(infos[agent]["view"])
            legal = [a for a, allowed in enumerate(infos[agent]["action_mask"]) if allowed]
            chosen[agent] = some_action(game, legal, chance, lazy)
            before[agent] = state.body_room[:]
        phase, leg = state.phase, state.leg_tick
        alive = state.alive
        _, _, _, _, infos = env.step(chosen)
        for agent, action in chosen.items():
            victim = action - game.world.act_kill
            if phase == FREE and 0 <= victim < game.world.n and (alive & ~state.alive) >> victim & 1:
                killers = [env.possible_agents.index(a) for a, b in chosen.items() if b == action]
                if len(killers) == 1:
                    truth.kills[leg][victim] = env.possible_agents.index(agent)
        if phase != FREE and (game.over or state.phase == FREE):
            for memory in memories:
                if state.alive >> memory.me & 1 and memory.leg.called and memory.leg.first == leg:
                    truth.check([memory.leg])


# ---------------------------------------------------------------------------------------------------------------------
# Exact: what is possible is what happens in some game that looks the same to the observer

TICKS = 4
STAY = NOWHERE


def playing(spawn: int, orders: tuple[int, ...], choices: tuple[int, ...], watcher: tuple[int, ...]) -> Any:
    """A game in which player 0 follows a script and player 1 the choices: (what 0 saw, its memory, rooms of 1)."""

    def turn_order(world: Any, state: Any) -> None:
        state.order[:] = [1, 0, 2] if state.tick <= TICKS and orders[state.tick - 1] else [0, 1, 2]

    def places(world: Any, state: Any) -> None:
        state.room[:] = [HALL, spawn, ATTIC]

    game = Game(GameConfig(n_players=3, n_tasks=0), GameMap.from_dict(HOUSE), "off")
    game.rules = bind(draw_turn_order=turn_order, draw_places=places)  # type: ignore[misc]
    game.deal(0)
    memory, seen, rooms = Memory(game.world, 0), [], {0: 1 << spawn}
    left = {0: list(watcher), 1: list(choices)}
    state = game.state
    while state.tick <= TICKS:
        i = state.current
        if state.room[1] >= 0:
            rooms[state.tick] = 1 << state.room[1]
        if i == 0:
            view = game.view(0)
            memory.see(view)
            seen.append((view.tick, view.room, view.here & 2, tuple(e for e in view.events if e >> 5 & 31 == 2)))
        action = 0
        if i in left:
            wish = left[i].pop(0)
            neighbours = memory.movement.neighbours[state.room[i]]
            if wish >= len(neighbours):
                return None  # the same as another script
            action = 0 if wish == STAY else 1 + neighbours[wish]
        game.show(i)
        game.act(action)
        game.advance()
    return tuple(seen), memory, rooms


@pytest.mark.parametrize("watcher", [(STAY,) * TICKS, (0, STAY, 0, STAY), (1, STAY, 0, STAY), (STAY, 0, 1, STAY)])
def test_what_is_possible_is_what_can_have_happened(watcher: tuple[int, ...]) -> None:
    alike: dict[Any, list[dict[int, int]]] = defaultdict(list)
    memories: dict[Any, Memory] = {}
    orders_of, choices_of = itertools.product((0, 1), repeat=TICKS), itertools.product((STAY, 0, 1), repeat=TICKS)
    for spawn, orders, choices in itertools.product(range(4), orders_of, choices_of):
        played = playing(spawn, orders, choices, watcher)
        if played is not None:
            seen, memory, rooms = played
            alike[seen].append(rooms)
            memories[seen] = memory
    assert len(alike) > 10
    for seen, games in alike.items():
        picture = Picture(memories[seen].world, [memories[seen].leg])
        for tick in range(memories[seen].leg.last + 1):
            happened = 0
            for rooms in games:
                happened |= rooms.get(tick, 0)
            assert picture.rooms(1, tick) == happened, (seen, tick)


# ---------------------------------------------------------------------------------------------------------------------
# By hand: hall --1-- kitchen --3-- attic; hall --2-- cellar


def bits(*rooms: int) -> int:
    return sum(1 << room for room in rooms)


def watch(env: Any, *seats: int) -> dict[int, Memory]:
    """Memories of these seats, fed with every view on which they decide from now on."""
    memories = {seat: Memory(env.game.world, seat) for seat in seats}
    step = env.step

    def stepping(action: Any) -> None:
        seat = env.possible_agents.index(env.agent_selection)
        if seat in memories and not env.game.over:
            memories[seat].see(env.infos[env.agent_selection]["view"])
        step(action)

    env.step = stepping
    return memories


def picture(memory: Memory) -> Picture:
    return Picture(memory.world, [memory.leg])


def test_movement_knows_ways_and_first_steps() -> None:
    movement = movement_of(Game(GameConfig(n_players=3, n_tasks=1), GameMap.from_dict(HOUSE), "tokens").world)
    assert movement.ticks[ATTIC * 4 + CELLAR] == 6
    assert movement.hop[ATTIC * 4 + CELLAR] == KITCHEN
    assert movement.neighbours[HALL] == [KITCHEN, CELLAR]
    assert movement.moved(bits(HALL, ATTIC), 1) == bits(KITCHEN)
    assert movement.moved(bits(HALL, KITCHEN), 3) == bits(ATTIC)
    assert [movement.leaving[t] for t in range(3)] == [0b1111, 0b1111, bits(KITCHEN, ATTIC)]


def test_a_map_without_ways_has_a_movement() -> None:
    assert Movement(1, [0]).ticks == [0]


def test_own_route_and_transit() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["hall", "attic", "attic", "attic", "attic"])
    memory = watch(env, 0)[0]
    play_tick(env, {0: a.move("cellar")})
    for _ in range(3):
        play_tick(env)
    assert memory.leg.stays() == [(HALL, 0, 1), (CELLAR, 3, 4)]
    assert memory.leg.room_at(2) == NOWHERE


def test_who_is_alone_knows_who_is_not_there() -> None:
    env = house()
    arrange(env, ["hall", "attic", "kitchen", "attic", "attic"])
    memory = watch(env, 0)[0]
    play_tick(env)
    play_tick(env)
    assert picture(memory).rooms(2, 1) == bits(KITCHEN, ATTIC, CELLAR)
    assert not picture(memory).ever_in(2, HALL)


def test_a_departure_fixes_where_somebody_arrives_and_when() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["hall", "hall", "attic", "attic", "attic"])
    memory = watch(env, 0)[0]
    play_tick(env, {1: a.move("cellar")})
    for _ in range(4):
        play_tick(env)
    assert [picture(memory).rooms(1, tick) for tick in range(6)] == [1, 1, 0, bits(CELLAR), bits(CELLAR), bits(CELLAR)]


def test_an_arrival_fixes_where_somebody_was() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["hall", "cellar", "attic", "attic", "attic"])
    memory = watch(env, 0)[0]
    for chosen in ({}, {1: a.move("hall")}, {}, {}):
        play_tick(env, chosen)
    assert [picture(memory).rooms(1, tick) for tick in range(1, 5)] == [bits(CELLAR), bits(CELLAR), 0, bits(HALL)]
    assert memory.leg.met(1) == [(HALL, 4, 4)]


def test_two_who_were_seen_apart_were_not_together() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["hall", "hall", "kitchen", "attic", "attic"], order=[1, 0, 2, 3, 4])
    memory = watch(env, 0)[0]
    play_tick(env, {1: a.move("cellar"), 0: a.move("kitchen")})
    play_tick(env)
    drawn = picture(memory)
    assert not drawn.ever_together(1, 2, KITCHEN)
    assert drawn.ever_in(1, CELLAR, 0, 1) is False
    assert drawn.ever_in(2, KITCHEN, 2, 2)


def test_a_body_that_appears_before_ones_eyes_leaves_those_who_are_there() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["hall", "hall", "hall", "hall", "attic"])
    memory = watch(env, 1)[1]
    play_tick(env, {0: a.kill(2), 3: a.move("kitchen")})
    play_tick(env)
    body = memory.leg.body(2)
    assert body is not None
    assert (body.room, body.seen, body.last, body.near) == (HALL, 1, 1, bits(0, 3))
    assert picture(memory).killers(2) == bits(0), "seat 3 left in that tick, and one acts once a tick"
    assert memory.killed == bits(2)


def test_a_witness_alone_with_the_killer_knows_it() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["hall", "hall", "hall", "attic", "attic"])
    memory = watch(env, 1)[1]
    play_tick(env, {0: a.kill(2)})
    play_tick(env)
    assert picture(memory).killers(2) == bits(0)


def test_a_body_found_was_made_after_the_last_visit() -> None:
    env, a = house(), actions_of(house())
    # seat 1 leaves the hall, where seats 0 and 2 stay; 3 and 4 are three ticks from there
    arrange(env, ["hall", "hall", "hall", "attic", "attic"], order=[1, 0, 2, 3, 4])
    memory = watch(env, 1)[1]
    play_tick(env, {1: a.move("kitchen"), 0: a.kill(2)})
    play_tick(env, {1: a.move("hall")})
    play_tick(env)
    body = memory.leg.body(2)
    assert body is not None
    assert (body.seen, body.last, body.near) == (3, 2, -1)
    assert picture(memory).killers(2) == bits(0), "nobody else can have come in unseen within two ticks"


def test_a_killer_is_still_there_when_the_next_tick_begins() -> None:
    env, a = house(), actions_of(house())
    # the body in the kitchen is found at tick 2; seat 3 was in the hall at tick 1, and cannot have been in the kitchen
    arrange(env, ["kitchen", "hall", "kitchen", "hall", "attic"], order=[0, 1, 2, 3, 4])
    memory = watch(env, 1)[1]
    play_tick(env, {0: a.kill(2), 1: a.move("kitchen")})
    play_tick(env)
    assert picture(memory).killers(2) == bits(0)


def test_unseen_bodies_are_where_nobody_looked() -> None:
    env, a = house(n_players=4), actions_of(house(n_players=4))
    arrange(env, ["cellar", "hall", "cellar", "attic"], calls_left=1)
    memory = watch(env, 1)[1]
    play_tick(env, {0: a.kill(2)})
    play_tick(env, {1: a.call})
    talk(env)
    drawn = picture(memory)
    assert memory.leg.body(2) is None
    assert memory.leg.dead == bits(2)
    assert drawn.killers(2) == bits(0, 3), "for all it knows, both can have been with the victim"
    assert drawn.opportunity(2, room=CELLAR)[0] > 0
    assert drawn.opportunity(2, room=HALL) == [0.0] * 4, "it was in the hall itself"


def test_pooled_perceptions_exclude_more() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["cellar", "hall", "cellar", "attic", "attic"], calls_left=1)
    memories = watch(env, 1, 4)
    play_tick(env, {0: a.kill(2)})
    play_tick(env, {1: a.call})
    talk(env)
    assert picture(memories[1]).killers(2) == bits(0, 3, 4)
    assert Picture(env.game.world, [memories[1].leg, memories[4].leg]).killers(2) == bits(0)


def test_a_traveller_who_is_put_back_was_not_there_before_the_call() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["attic", "kitchen", "attic", "hall", "attic"], calls_left=1)
    memory = watch(env, 1)[1]
    play_tick(env, {1: a.move("hall"), 3: a.move("cellar")})
    play_tick(env, {1: a.call})
    talk(env)
    assert memory.leg.called
    assert memory.leg.met(3) == []
    assert picture(memory).rooms(3, 2) == 0, "it was on its way"
    assert picture(memory).rooms(3, 1) == bits(HALL)


def test_after_a_meeting_everything_starts_anew() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["hall", "hall", "hall", "attic", "attic"])
    memory = watch(env, 1)[1]
    play_tick(env, {0: a.kill(2)})
    play_tick(env, {1: a.report})
    talk(env, a.was_in("attic"))
    assert memory.leg.called
    first = memory.leg
    vote(env, {0: 3, 1: 3, 4: 3})
    play_tick(env)
    assert memory.legs == [first]
    assert memory.leg.first == 2
    assert memory.leg.bodies == []
    assert memory.ejected == bits(3)
    assert memory.killed == bits(2)
    assert memory.leg.players == bits(0, 1, 4)
    assert {(s.round, s.speaker) for s in memory.statements} == {(r, i) for r in (1, 2) for i in (0, 1, 3, 4)}
    assert {s.room for s in memory.statements} == {ATTIC}


def test_a_meeting_that_it_missed_ends_the_leg_too() -> None:
    env, a = house(), actions_of(house())
    arrange(env, ["hall", "hall", "attic", "attic", "attic"], calls_left=1)
    memory = Memory(env.game.world, 1)
    memory.see(env.game.view(1))
    play_tick(env, {0: a.call})
    talk(env)
    vote(env, {})
    play_tick(env, {1: 0})
    memory.see(env.game.view(1))
    assert [leg.first for leg in memory.legs] == [0]
    assert memory.leg.first == 1
    assert memory.leg.room_at(1) in (env.game.state.room[1], NOWHERE)


def test_where_events_were_lost_nothing_is_excluded() -> None:
    env = house()
    arrange(env, ["hall", "attic", "attic", "attic", "attic"])
    memory = Memory(env.game.world, 0)
    view = env.infos["player_0"]["view"]
    view.dropped = 1
    memory.see(view)
    assert memory.leg.clear == [NOWHERE, NOWHERE]
    assert picture(memory).rooms(1, 1) == bits(HALL, KITCHEN, ATTIC, CELLAR)


def test_a_memory_that_begins_in_the_middle_claims_nothing_about_before() -> None:
    env = house()
    arrange(env, ["hall", "attic", "attic", "attic", "attic"], tick=7)
    memory = Memory(env.game.world, 0)
    memory.see(env.infos["player_0"]["view"])
    assert memory.leg.stays() == [(HALL, 7, 7)]
    assert picture(memory).rooms(1, 6) == bits(HALL, KITCHEN, ATTIC, CELLAR)
    assert picture(memory).rooms(1, 7) == bits(KITCHEN, ATTIC, CELLAR)


def test_seeing_the_same_view_twice_changes_nothing() -> None:
    env = house()
    arrange(env, ["hall", "hall", "attic", "attic", "attic"])
    memory = Memory(env.game.world, 0)
    view = env.infos["player_0"]["view"]
    memory.see(view)
    before = (memory.leg.rooms[:], memory.leg.seen[:], [marks[:] for marks in memory.leg.marks])
    memory.see(view)
    assert (memory.leg.rooms, memory.leg.seen, memory.leg.marks) == before


def test_outside_the_leg_nothing_is_possible() -> None:
    env = house()
    arrange(env, ["hall", "hall", "attic", "attic", "attic"])
    memory = Memory(env.game.world, 0)
    memory.see(env.infos["player_0"]["view"])
    assert picture(memory).rooms(1, 99) == 0
    assert AWAY not in (picture(memory).rooms(1, 1), picture(memory).rooms(2, 1))
