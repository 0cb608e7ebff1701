"""From the 64-pixel images alone a small program recovers what the viewer knows: the pictures are unambiguous.

The decoder knows the map, how many play, the colours and the layout as docs/images.md gives them; it sees no view.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from quack_env.encode.image import ImageEncoder
from quack_env.game import Game
from quack_env.game_map import GameMap
from quack_env.kinds import ARRIVE, DEPART, TRANSIT_CANCELLED, unpack
from quack_env.render import theme
from quack_env.render.symbols import places_of, symbol_plan
from quack_env.state import DISCUSSION, FREE, OVER, VOTING
from quack_env.view import View

from .situations import crowd, deal, meeting, moments, transit

Image = NDArray[np.uint8]
ROOM_AXIS, EVENT_ROWS = (0, 64), 16


@dataclass
class Seen:
    """What the decoder made of a pair of images."""

    room: int = -1
    goal: int = -1
    origin: int = -1
    left: int = 0
    todo: set[int] = field(default_factory=set)
    done: set[int] = field(default_factory=set)
    button: int = -1
    adjacent: dict[int, int] = field(default_factory=dict)
    me: int = -1
    people: set[int] = field(default_factory=set)
    bodies: set[int] = field(default_factory=set)
    dead: set[int] = field(default_factory=set)
    ducks: set[int] = field(default_factory=set)
    order: list[int] = field(default_factory=list)
    caller: int = -1
    by_body: int = -1
    speaker: int = -1
    company: set[int] = field(default_factory=set)
    phase: int = -1
    round: int = 0
    tick: int = 0
    events: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)


def pixel(image: Image, x: int, y: int) -> theme.Colour:
    r, g, b = (int(c) for c in image[y, x])
    return r, g, b


def decode(game_map: GameMap, players: int, global_map: Image, local: Image) -> Seen:
    """Both images in words."""
    assert global_map.shape == local.shape == (64, 64, 3)
    seen = Seen()
    decode_map(game_map, global_map, seen)
    decode_strips(game_map, local, seen)
    if seen.goal < 0:
        decode_people(players, local, seen)
    decode_events(game_map, local, seen)
    return seen


def decode_map(game_map: GameMap, image: Image, seen: Seen) -> None:
    """Each room is a square of three rings: border, task, core."""
    for r, square in enumerate(symbol_plan(places_of(game_map), 64).rooms):
        ring = max(1, square.w // 5)
        if pixel(image, square.x, square.y) == theme.BUTTON_ROOM:
            seen.button = r
        task = pixel(image, square.x + ring, square.y + ring)
        if task == theme.TODO_ROOM:
            seen.todo.add(r)
        elif task == theme.DONE_ROOM:
            seen.done.add(r)
        core = pixel(image, *square.centre)
        if core == theme.ME:
            seen.room = r
        elif core == theme.GOAL:
            seen.goal = r
        elif core == theme.FROM:
            seen.origin = r
    seen.left = sum(pixel(image, x, 63) == theme.GOAL for x in range(64))


def decode_strips(game_map: GameMap, image: Image, seen: Seen) -> None:
    """The strip of rooms, then phase, round and tick."""
    rooms = len(game_map.rooms)
    ticks = {theme.way_colour(t): t for t in range(1, 61)}
    for r in range(rooms):
        colour = pixel(image, r * 64 // rooms, 0)
        if colour in ticks and seen.room >= 0 and r != seen.room:
            seen.adjacent[r] = ticks[colour]
    seen.phase = theme.PHASES.index(pixel(image, 0, 4))
    seen.round = sum(pixel(image, 8 + 2 * k, 4) == theme.PHASES[seen.phase] for k in range(8))
    seen.tick = sum((pixel(image, 24 + 2 * bit, 4) == theme.ONE_BIT) << bit for bit in range(18))


def decode_people(players: int, image: Image, seen: Seen) -> None:
    """Slots from left to right and top to bottom, figures of 7 x 7 pixels with marks beside and below."""
    columns, rows = (4, 2) if players <= 8 else (6, 3)
    wide, high = 64 // columns, 26 // rows
    states = {theme.CELL: "alive", theme.BODY_CELL: "body", theme.DEAD_CELL: "dead"}
    for place in range(columns * rows):
        x, y = place % columns * wide, 6 + place // columns * high
        figure = image[y : y + 7, x : x + 7]
        seat, state = recognise(figure, states)
        if seat < 0:
            continue
        {"alive": seen.people, "body": seen.bodies, "dead": seen.dead}[state].add(seat)
        if state == "alive":
            seen.order.append(seat)
        marks = [pixel(image, x + 8, y + row) for row in (1, 3, 6)]
        if marks[0] == theme.ME:
            seen.me = seat
        if marks[1] == theme.KNOWN_DUCK:
            seen.ducks.add(seat)
        if marks[2] in (theme.BY_BODY, theme.BY_BUTTON):
            seen.caller, seen.by_body = seat, int(marks[2] == theme.BY_BODY)
        if pixel(image, x, y + 7) == theme.TOGETHER:
            seen.company.add(seat)
        if pixel(image, x + wide - 1, y) == theme.TURN_CELL:
            seen.speaker = seat


def recognise(figure: Image, states: dict[theme.Colour, str]) -> tuple[int, str]:
    """The seat of a figure by its shape alone, and its state by the colour behind; (-1, "") for an empty slot."""
    for back, state in states.items():
        cells = {(x, y) for y in range(7) for x in range(7) if pixel(figure, x, y) != back}
        for seat, glyph in enumerate(theme.GLYPHS):
            if cells == set(glyph):
                assert {pixel(figure, x, y) for x, y in glyph} == {theme.seat_colour(seat)}
                return seat, state
    return -1, ""


def decode_events(game_map: GameMap, image: Image, seen: Seen) -> None:
    """Two rows of pixels an event: the rooms it names; kind, actor, target, age."""
    rooms = len(game_map.rooms)
    for row in range(EVENT_ROWS):
        y = 32 + 2 * row
        below = [pixel(image, x, y + 1) for x in range(64)]
        if theme.ROW not in below[:20]:
            return
        kind = next(k for k in range(20) if below[k] in theme.EXTRAS)
        actor = next((s for s in range(16) if below[20 + s] not in (theme.ROW, theme.ROW_CUT)), -1)
        target = next((s for s in range(16) if below[36 + s] not in (theme.ROW, theme.ROW_CUT)), -1)
        age = below[52:].count(theme.AGE) - 1
        above = [pixel(image, r * 64 // rooms, y) for r in range(rooms)]
        room = above.index(theme.FROM) if theme.FROM in above else -1
        to = above.index(theme.TO) if theme.TO in above else -1
        seen.events.append((kind, actor, target, room, to, age))


def seats(mask: int) -> set[int]:
    return {seat for seat in range(16) if mask >> seat & 1}


def compare(game: Game, view: View) -> None:
    """What the decoder recovers is what the view says."""
    encoder = ImageEncoder(game.briefing, 64)
    seen = decode(game.game_map, game.world.n, encoder.global_map(view), encoder.local_view(view))
    need = game.config.task_ticks
    tasks = list(zip(view.task_room, view.progress, strict=True))
    assert seen.todo == {room for room, done in tasks if done < need}
    assert seen.done == {room for room, done in tasks if done >= need}
    assert game.game_map.rooms[seen.button] == game.game_map.button
    assert seen.room == view.room
    assert seen.goal == (view.dest if view.room < 0 else -1)
    assert seen.origin == (view.origin if view.room < 0 else -1)
    assert seen.left == (view.left if view.room < 0 else 0)
    assert (seen.phase, seen.tick) == (view.phase, view.tick)
    rooms = game.game_map.rooms
    if view.room >= 0:
        near = game.game_map.neighbours(rooms[view.room])
        assert seen.adjacent == {rooms.index(to): game.game_map.weight(rooms[view.room], to) for to in near}
    if view.phase in (FREE, OVER) and view.room >= 0:
        assert (seen.me, seen.people) == (view.me, seats(view.here) | {view.me})
        assert (seen.bodies, seen.dead) == (seats(view.bodies), set())
        assert seen.ducks == seats(view.partners) & seen.people | ({view.me} if view.duck else set())
    if view.phase in (DISCUSSION, VOTING):
        assert (seen.me, seen.order, seen.round) == (view.me, view.speaking, view.round)
        assert seen.dead | seen.bodies == seats(view.known_dead)
        assert seen.bodies == seats(view.bodies & view.known_dead)
        assert (seen.caller, seen.by_body) == (view.caller, view.by_body)
        assert seen.company == seats(view.here)
        assert seen.speaker == (view.speaking[view.speaker] if view.phase == DISCUSSION else -1)
    assert seen.events == [as_decoded(event, view.tick) for event in view.events]


def as_decoded(event: int, now: int) -> tuple[int, int, int, int, int, int]:
    """An event as the rows show it: `to` where it is a room, ages up to eleven."""
    tick, kind, actor, target, room, to, _ = unpack(event)
    is_move = kind in (DEPART, ARRIVE, TRANSIT_CANCELLED)
    return kind, actor, target, room, to if is_move else -1, min(11, now - tick)


def living_views(game: Game) -> Iterator[View]:
    for i in range(game.world.n):
        if game.state.alive >> i & 1:
            yield game.view(i)


@pytest.mark.parametrize(
    ("game_map", "players", "ducks", "speech"),
    [("ship", 6, 1, "tokens"), ("small", 9, 3, "text"), ("large", 16, 4, "off"), ("small", 5, 1, "text")],
)
def test_whole_games_can_be_read_off_their_pictures(game_map: str, players: int, ducks: int, speech: str) -> None:
    read = 0
    phases = set()
    for seed in range(4):
        game = deal(game_map, seed, speech, n_players=players, n_ducks=ducks, kill_cooldown=1, max_ticks=40)
        for now in moments(game, seed, every=3 * players + 1, most=900):
            for view in living_views(now):
                compare(now, view)
                phases.add((view.phase, view.room >= 0, bool(view.bodies)))
                read += 1
    assert read > 40
    assert {phase for phase, _, _ in phases} >= ({FREE, VOTING} if speech == "off" else {FREE, DISCUSSION, VOTING})
    assert any(bodies for _, _, bodies in phases)
    assert any(not in_room for _, in_room, _ in phases)


@pytest.mark.parametrize("rooms", [2, 5, 17, 33, 48, 60])
def test_maps_of_any_size(rooms: int) -> None:
    for seed in range(3):
        game_map = GameMap.random(rooms, seed)
        for number, (_, _, ticks) in enumerate(game_map.corridors):
            game, view = transit(game_map, number, 1 + number % ticks, seed)
            compare(game, view)
        for room in range(rooms):
            game, view = crowd(game_map, 2 + room % 11, room % 4, events=room % 17, seed=room, room=room)
            view.tick = 9 + room
            compare(game, view)


def test_crowds_and_meetings() -> None:
    for people in range(1, 17):
        for bodies in range(17 - people):
            game, view = crowd("ship", people, bodies, events=people)
            view.tick = 8
            compare(game, view)
    for players in range(3, 17):
        for dead in range(players - 1):
            game, view = meeting("ship", players, dead)
            view.tick = 200_000
            compare(game, view)
