"""The evidence ceiling: sound in every game, and on small games what going through all ways and roles gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from quack_env import TrajectoryError
from quack_env.knowledge import AWAY, NOWHERE, Leg, Memory, Picture, movement_of
from quack_env.replay import Replay
from quack_env.state import FREE
from quack_env.world import World
from quack_eval import Trajectory
from quack_eval.evidence import Deduction, EvidenceEval, evidence, proven, suspects

SETTINGS: list[dict[str, Any]] = [
    {"n_players": 6, "n_ducks": 1, "kill_cooldown": 2, "max_ticks": 60},
    {"n_players": 8, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 60, "meeting_calls": 3},
    {"n_players": 7, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 60, "reveal_role": True},
]


def assert_sound(game: Trajectory) -> int:
    found = evidence(game)
    for one in found:
        for consistent in [*one.single.values(), *one.testimony.values(), one.pooled]:
            assert one.ducks in consistent, one
        for seat, consistent in one.testimony.items():
            assert consistent <= one.single[seat], "more reports never allow more"
            assert consistent <= one.pooled, "nor does the knowledge of one's own role"
        assert one.to_dict()["meeting"] == one.meeting
    return len(found)


@pytest.mark.parametrize("settings", SETTINGS, ids=["one duck", "two ducks", "roles shown"])
def test_the_true_roles_are_always_consistent(
    play_randomly: Callable[..., Trajectory], settings: dict[str, Any]
) -> None:
    assert sum(assert_sound(play_randomly(settings, seed)) for seed in range(40)) > 20


def test_the_true_roles_are_consistent_in_published_games(published_games: list[Path]) -> None:
    assert sum(assert_sound(Trajectory.load(path)) for path in published_games) > 150


def test_a_witness_alone_with_killer_and_victim_knows(story: Any) -> None:
    told = story("medbay medbay oxygen oxygen medbay", ducks=[4], kill_cooldown=1)
    told.tick("4 kill 0")
    told.tick("1 report")
    told.vote(". 4 4 4 1", ". medbay oxygen oxygen medbay")
    game = told.play()
    (one,) = evidence(game)
    assert one.single[1] == {frozenset({4})}
    assert one.by_one and one.by_testimony
    assert 3 not in suspects(one.testimony[2]), "seat 3 was with it"
    assert not one.proves(one.single[2])
    measures = EvidenceEval(game).measures
    assert measures["ceiling_single"].value == 1
    assert measures["ejection_accuracy"].value == 1
    assert EvidenceEval(game).table().row_count == len(measures)


def test_a_game_that_the_rules_do_not_reproduce_has_no_evidence(story: Any, tmp_path: Path) -> None:
    """Not its witnesses, but the ejection is what was recorded."""
    told = story("medbay medbay oxygen oxygen medbay", ducks=[4], kill_cooldown=1)
    told.tick("4 kill 0")
    told.tick("1 report")
    told.vote(". 4 4 4 1", ". medbay oxygen oxygen medbay")
    told.play().save(tmp_path)
    game = Trajectory.load(tmp_path)
    game.events[1] = game.events[1]._replace(seen_by=(0, 1))  # the kill, seen by others
    with pytest.raises(TrajectoryError, match=r"trajectory.jsonl, line 3: kill: seen_by"):
        evidence(game)
    found = EvidenceEval(game).to_dict()
    assert found["fault"].startswith("trajectory.jsonl, line 3: kill: seen_by")
    assert found["ceiling_single"] is None and found["suspects_pooled"] is None
    assert found["ejection_accuracy"] == 1


def test_who_reported_is_no_witness_of_its_own_innocence(story: Any) -> None:
    told = story("medbay medbay oxygen oxygen medbay", ducks=[4], kill_cooldown=1)
    told.tick("4 kill 0")
    told.tick("1 report")
    told.vote(". - - - -", ". medbay oxygen oxygen medbay")
    (one,) = evidence(told.play())
    assert {1, 4} <= suspects(one.pooled), "1 may have killed, for all that the others say"
    assert not one.by_all


def test_proven_and_suspects() -> None:
    both = frozenset({frozenset({1, 2}), frozenset({1, 3})})
    assert proven(both) == {1}
    assert suspects(both) == {1, 2, 3}
    assert proven(frozenset()) == frozenset()


# --- brute force -----------------------------------------------------------------------------------------------------

Place = tuple[int, ...]
"""The rooms by tick of one way through a leg; NOWHERE in transit."""


def ways(world: World, ticks: int) -> Iterator[Place]:
    """Every way through a leg of so many ticks: rooms at the beginning of each, decisions after it."""
    yield from _ways(world.R, tuple(world.weight), ticks)


@lru_cache
def _ways(rooms: int, weight: tuple[int, ...], ticks: int) -> list[Place]:
    def onward(way: Place) -> Iterator[Place]:
        if len(way) > ticks:
            yield way[: ticks + 1]
            return
        here = way[-1]
        yield from onward((*way, here))
        for room in range(rooms):
            w = weight[here * rooms + room]
            if w and len(way) > 1:  # nobody acts before tick 1
                yield from onward((*way, *[NOWHERE] * (w - 1), room))

    return sorted({way for room in range(rooms) for way in onward((room,))})


def fits(leg: Leg, who: int, way: Place) -> bool:
    """Whether an observer can have seen somebody as it did, had it gone this way."""
    for t, room in enumerate(leg.clear):
        if room != NOWHERE and (way[t] == room) != bool(leg.seen[t] >> who & 1):
            return False
    for first, last, rooms in leg.marks[who]:
        for tick in range(first, last + 1):
            t = tick - leg.first
            if 0 <= t < len(way):
                here = way[t]
                if here != NOWHERE and not rooms >> here & 1:
                    return False
                if here == NOWHERE and rooms < AWAY:
                    return False
                if here == NOWHERE and rooms > AWAY and not rooms >> left_from(way, t) & 1:
                    return False  # put back by the call: the way began there
    return True


def left_from(way: Place, t: int) -> int:
    """The room from which a way in transit at t came."""
    return next(room for room in reversed(way[:t]) if room != NOWHERE)


def possible(legs: list[Leg], who: int, world: World, dead: bool) -> list[Place]:
    """The ways of a living player that all observers' records allow; of a victim, only until it is seen dead."""
    ticks = max(leg.last for leg in legs) - legs[0].first
    if dead:
        return []
    return [way for way in ways(world, ticks) if all(fits(leg, who, way) for leg in legs)]


def test_roles_on_small_games_by_going_through_all_ways(play_randomly: Callable[..., Trajectory]) -> None:
    """Where one player can have been: the union over all ways is what the model says, tick by tick."""
    settings = {"n_players": 4, "n_ducks": 1, "n_tasks": 2, "kill_cooldown": 1, "max_ticks": 7, "map": "small"}
    compared = 0
    for seed in range(60):
        for legs, world, living in meetings(play_randomly(settings, seed)):
            reporters = sorted(legs)
            if legs[reporters[0]][-1].last - legs[reporters[0]][-1].first > 6:
                continue
            deduction = Deduction(world, legs, [()] * len(legs[reporters[0]]), living)
            everything = {frozenset(ducks) for ducks in combinations(range(world.n), world.m)}
            alive = [ducks for ducks in everything if ducks & frozenset(living) and 2 * len(ducks) < len(living)]
            assert deduction.consistent(reporters) == frozenset(alive), "without kills nobody is excluded"
            for watcher in reporters:
                leg = legs[watcher][-1]
                for who in living:
                    if who != watcher:
                        compared += same_rooms(leg, who, world)
    assert compared > 100


def same_rooms(leg: Leg, who: int, world: World) -> int:
    allowed = possible([leg], who, world, False)
    picture = Picture(world, [leg])
    for tick in range(leg.first, leg.last + 1):
        rooms = 0
        for way in allowed:
            if way[tick - leg.first] != NOWHERE:
                rooms |= 1 << way[tick - leg.first]
        assert picture.rooms(who, tick) == rooms, (who, tick)
    return 1


def test_killers_on_small_games_by_going_through_all_ways(play_randomly: Callable[..., Trajectory]) -> None:
    """A player whom the model excludes has no way to the scene, whatever way it and the victim took."""
    settings = {"n_players": 4, "n_ducks": 1, "n_tasks": 2, "kill_cooldown": 1, "max_ticks": 7, "map": "small"}
    excluded = kept = 0
    for seed in range(150):
        game = play_randomly(settings, seed)
        kills = [e for e in game.events if e.kind == "kill"]
        for legs, world, living in meetings(game):
            number = len(next(iter(legs.values()))) - 1
            for watcher in legs:
                leg = legs[watcher][number]
                if leg.last - leg.first > 6:
                    continue
                for kill in kills:
                    if kill.target is None or not leg.dead >> kill.target & 1:
                        continue
                    deduction = Deduction(world, {watcher: legs[watcher]}, [()] * number + [(kill.target,)], living)
                    for consistent in [deduction.consistent([watcher], watcher)]:
                        for who in living:
                            if who == watcher:
                                continue
                            if frozenset({who}) in consistent:
                                kept += 1
                            elif len(living) > 2:
                                excluded += 1
                                assert not can_kill(leg, who, kill.target, world), (seed, who)
    assert kept > 20


def can_kill(leg: Leg, killer: int, victim: int, world: World) -> bool:
    """Whether some way of the killer ends a turn in a room in which the observer later found the body, unseen."""
    body = leg.body(victim)
    if body is None:
        return False  # anywhere: the model keeps them, too
    for way in possible([leg], killer, world, False):
        for tick in range(leg.first + 1, min(body.last, leg.last) + 1):
            t = tick - leg.first
            watched = leg.rooms[t] == body.room and not (leg.here[t] >> killer & 1 and leg.here[t] >> victim & 1)
            stays = t + 1 >= len(way) or way[t + 1] == body.room
            if way[t] == body.room and stays and not watched and alive_there(leg, victim, body.room, t, world):
                return body.near < 0 or bool(body.near >> killer & 1)
    return False


def alive_there(leg: Leg, victim: int, room: int, t: int, world: World) -> bool:
    """Whether the victim can have come to the room by then, and no later look found the room without the body."""
    body = leg.body(victim)
    assert body is not None
    for later in range(t + 1, len(leg.rooms)):
        if leg.rooms[later] == room and later + leg.first < body.seen:
            return False
    return any(
        way[t] == room for way in ways(world, t) if all(_agrees(leg, victim, way[: t + 1], s) for s in range(t + 1))
    )


def _agrees(leg: Leg, who: int, way: Place, t: int) -> bool:
    room = leg.clear[t]
    if room != NOWHERE and way[t] != room and leg.seen[t] >> who & 1:
        return False
    if room != NOWHERE and way[t] == room and not leg.seen[t] >> who & 1:
        return False
    tick = t + leg.first
    for first, last, rooms in leg.marks[who]:
        if first <= tick <= last and way[t] != NOWHERE and not rooms >> way[t] & 1:
            return False
    return True


def meetings(game: Trajectory) -> Iterator[tuple[dict[int, list[Leg]], World, list[int]]]:
    """(records of the living by seat and leg, world, living) at every meeting."""
    replay = Replay(game)
    live = replay.game
    memories = [Memory(live.world, seat) for seat in range(live.world.n)]
    assert movement_of(live.world)
    met = 0
    memories[live.state.current].see(live.view(live.state.current))
    for _ in replay:
        state = live.state
        if live.over:
            return
        if state.meeting > met:
            met = state.meeting
            living = [seat for seat in range(live.world.n) if state.alive >> seat & 1]
            for seat in living:
                memories[seat].see(live.view(seat))
            yield {s: [*memories[s].legs, memories[s].leg] for s in living}, live.world, living
        if state.phase == FREE:
            memories[state.current].see(live.view(state.current))
