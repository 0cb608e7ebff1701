"""Games at some moment, and views of crowds, for the tests of pictures."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from quack_env.config import GameConfig
from quack_env.game import Game
from quack_env.game_map import GameMap
from quack_env.kinds import ARRIVE, BODY_APPEARED, CHAT, DEPART, RESPAWN, TRANSIT_CANCELLED, pack
from quack_env.state import DISCUSSION, FREE
from quack_env.view import Message, View

LONG_NAMES = (
    *("Maximilianus_abc", "WWWWWWWWWWWWWWWW", "Wilhelmina Maria", "MMMMMMMMMMMMMMMM"),
    *("Bartholomew von ", "Christopherson-X", "Anastasia-Maria1", "Frederick-Augus2"),
    *("Montgomery-West3", "Gwendolyn Harri4", "Zbigniew Wojcie5", "@@@@@@@@@@@@@@@@"),
    *("Konstantinopolit", "Theodora-Philip6", "Nebuchadnezzar77", "%%%%%%%%%%%%%%%%"),
)
NAMES = tuple(name.strip().ljust(16, "x") for name in LONG_NAMES)
"""Sixteen names of sixteen characters, the widest ones among them."""
SPEECHES = (
    "Where was the body?",
    "I was in medbay the whole time.",
    "I think that Bob is suspicious: he left electrical right before I found the body there, and he never answered me. "
    * 3,
)


def deal(game_map: str | GameMap = "ship", seed: int = 0, speech: str = "text", **settings: Any) -> Game:
    """A game that has just been dealt."""
    game = Game(GameConfig(**settings), GameMap.load(game_map), speech)
    game.deal(seed)
    return game


def step(game: Game, chance: random.Random) -> None:
    """One random decision: kills, reports and tasks more often than walking about."""
    state, world = game.state, game.world
    mask = game.mask(state.current)
    legal = [a for a, allowed in enumerate(mask) if allowed]
    grave = [a for a in legal if world.act_task <= a < world.act_vote]
    action = chance.choice(grave if grave and chance.random() < 0.5 else legal)
    say = chance.choice(SPEECHES) if game.world.speech == 2 and chance.random() < 0.4 else None
    game.drop_log()
    game.show(state.current)
    game.act(action, say if state.phase in (FREE, DISCUSSION) else None)
    game.advance()


def moments(game: Game, seed: int, every: int = 1, most: int = 10_000) -> Iterator[Game]:
    """The game at its decisions, played at random."""
    chance = random.Random(seed)
    for count in range(most):
        if game.over:
            return
        if count % every == 0:
            yield game
        step(game, chance)


def crowd(
    game_map: str | GameMap, people: int, bodies: int, events: int = 0, seed: int = 0, room: int | None = None
) -> tuple[Game, View]:
    """A view of a room with `people` living (the viewer is one of them), `bodies`, and random witnessed events."""
    n = max(3, people + bodies)
    game = deal(game_map, seed, n_players=n, names=NAMES[:n], n_tasks=1)
    view = game.view(0)
    if room is not None:
        view.room = room
    view.here = sum(1 << seat for seat in range(1, people))
    view.bodies = sum(1 << seat for seat in range(people, people + bodies))
    view.events = some_events(game, events, seed)
    view.messages = tuple(Message(7, NAMES[1], SPEECHES[2]) for e in view.events if e & 31 == CHAT)
    return game, view


def some_events(game: Game, count: int, seed: int) -> list[int]:
    """Witnessed events of all sorts that fit the game."""
    chance = random.Random(seed)
    rooms, n = len(game.game_map.rooms), game.world.n
    out = []
    for p in range(count):
        kind = chance.choice((DEPART, ARRIVE, CHAT, BODY_APPEARED, RESPAWN, TRANSIT_CANCELLED))
        nobody = kind == BODY_APPEARED
        actor, target = (-1, chance.randrange(1, n)) if nobody else (chance.randrange(1, n), -1)
        room, to = chance.sample(range(rooms), 2)
        if kind not in (DEPART, ARRIVE, TRANSIT_CANCELLED):
            to = -1
        out.append(pack(1 + p // 2, kind, actor, target, room, to, 0))
    return out


def meeting(game_map: str | GameMap, players: int, dead: int, events: int = 0, seed: int = 0) -> tuple[Game, View]:
    """A view of a discussion in which `dead` players are dead."""
    game = deal(game_map, seed, n_players=players, names=NAMES[:players], n_tasks=1)
    view = game.view(0)
    view.phase, view.round, view.meeting, view.caller, view.by_body = DISCUSSION, 1, 1, 1, 1
    view.speaking = [1, 0, *range(2, players - dead)]
    view.speaker = 1
    view.known_dead = sum(1 << seat for seat in range(players - dead, players))
    view.here = 0b100
    view.events = some_events(game, events, seed)
    view.messages = tuple(Message(7, NAMES[1], SPEECHES[2]) for e in view.events if e & 31 == CHAT)
    return game, view


def transit(game_map: str | GameMap, corridor: int, left: int, seed: int = 0) -> tuple[Game, View]:
    """A view from a corridor, `left` ticks before its end."""
    game = deal(game_map, seed, names=NAMES[:6], n_tasks=1)
    view = game.view(0)
    a, b, _ = game.game_map.corridors[corridor]
    view.room, view.here, view.bodies = -1, 0, 0
    view.origin, view.dest, view.left = game.game_map.rooms.index(a), game.game_map.rooms.index(b), left
    return game, view
