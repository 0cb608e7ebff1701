"""Nothing on a picture covers anything else or leaves the picture: checked on the rectangles of what is drawn."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from quack_env.encode.image import ImageEncoder
from quack_env.game import Game
from quack_env.game_map import GameMap, shipped_maps
from quack_env.render import global_map, local_view
from quack_env.render.items import Item, Mark, Path, Rect, Text, Token
from quack_env.render.layout import plan_people
from quack_env.render.scene import Camera
from quack_env.render.spectator import frame_items, parts_of, people_slots, ship_plan
from quack_env.render.symbols import places_of, symbol_plan
from quack_env.render.text import ELLIPSIS, line_height, width
from quack_env.render.theme import PILL
from quack_env.view import View

from .situations import NAMES, crowd, deal, meeting, moments, transit

SIZES = (384, 512, 768, 1024)
SOME_SIZES = (384, 768)
RANDOM_MAPS = [(2 + (seed * 17) % 59, seed) for seed in range(50)]
MAPS: dict[str, GameMap] = {name: GameMap.load(name) for name in shipped_maps()}
MAPS |= {f"random-{rooms}-{seed}": GameMap.random(rooms, seed) for rooms, seed in RANDOM_MAPS}
STAR = GameMap.from_dict(
    {
        "rooms": {
            "hub": [0, 0],
            **{f"a_very_long_name_of_the_spoke_number_{i}": [i % 8, 1 + i // 8] for i in range(59)},
        },
        "corridors": [["hub", f"a_very_long_name_of_the_spoke_number_{i}", 1 + i] for i in range(59)],
        "tasks": {"hub": "Sweep"},
        "button": "hub",
    }
)


def check(items: Iterable[Item], size: tuple[int, int]) -> list[Item]:
    """No two texts, figures or symbols share a pixel, each is inside the picture, each text is inside its rectangle."""
    items = list(items)
    whole = Rect(0, 0, *size)
    things = [thing for thing in items if isinstance(thing, Text | Token | Mark) and thing.rect.w > 0]
    for item in items:
        if not isinstance(item, Path):
            assert item.rect.inside(whole), item
    for thing in things:
        if isinstance(thing, Text):
            assert width(thing.text, thing.size) <= thing.rect.w, thing
            assert line_height(thing.size) <= thing.rect.h, thing
    things.sort(key=lambda thing: thing.rect.x)
    for p, one in enumerate(things):
        for other in things[p + 1 :]:
            if other.rect.x >= one.rect.right:
                break
            assert not one.rect.overlaps(other.rect), (one, other)
    return items


def map_items(game: Game, view: View, size: int) -> list[Item]:
    """All that is on a global map, what a viewer's own room hides left out."""
    encoder = ImageEncoder(game.briefing, size)
    own = view.room if view.room >= 0 else view.dest
    plan = global_map.map_plan(game.game_map, size)
    hidden = plan.rooms[own].box
    static = [
        item
        for item in global_map.static_items(game.game_map, size)
        if isinstance(item, Path) or not item.rect.inside(hidden)
    ]
    names, letters = encoder.public.names, encoder.public.letters
    return [*static, *global_map.dynamic_items(game.game_map, names, letters, 3, view, size)]


def local_items(game: Game, view: View, size: int) -> list[Item]:
    return list(local_view.local_items(ImageEncoder(game.briefing, size).public, view, size))


@pytest.mark.parametrize("name", MAPS)
def test_global_maps(name: str) -> None:
    game_map = MAPS[name]
    game = deal(game_map, n_tasks=1)
    view = game.view(0)
    view.task_room = list(range(len(game_map.rooms)))
    view.progress = [3 * (room % 2) for room in view.task_room]
    for size in SIZES:
        for room in (0, game_map.rooms.index(game_map.button), len(game_map.rooms) - 1):
            view.room = room
            items = check(map_items(game, view, size), (size, size))
        plan = global_map.map_plan(game_map, size)
        written = ["".join(part.removesuffix("-") for part in room.name) for room in plan.rooms]
        assert written == list(game_map.rooms)  # every room has its whole name, every corridor its ticks
        labels = [item for item in items if isinstance(item, Text) and item.back == PILL]
        assert len(labels) == len(game_map.corridors) + 1  # and one in the legend
        for way, (_, _, ticks) in zip(plan.ways, game_map.corridors, strict=True):
            assert [item.text for item in labels if item.rect.inside(way.label)] == [str(ticks)]


@pytest.mark.parametrize("name", ["ship", "small", "large", *list(MAPS)[3::5]])
def test_travellers_cover_no_label_and_no_room(name: str) -> None:
    game_map = MAPS[name]
    for size in SOME_SIZES:
        for number, (_, _, ticks) in enumerate(game_map.corridors):
            for left in range(1, ticks + 1):
                game, view = transit(game_map, number, left)
                items = map_items(game, view, size)
                check(items, (size, size))
                check(local_items(game, view, size), (size, size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["ship", "small", "large", *list(MAPS)[3:]])
def test_crowds(name: str, size: int) -> None:
    game_map = MAPS[name]
    number = list(MAPS).index(name)
    every = range(2, 13) if number < 3 else range(2 + number % 4, 13, 5)
    for people in every:
        for bodies in (0, 1, 16 - people, min(12, 16 - people)):
            room = (people * 7 + bodies) % len(game_map.rooms)
            game, view = crowd(game_map, people, bodies, events=(people * bodies) % 17, seed=people, room=room)
            items = check(local_items(game, view, size), (size, size))
            texts = [item.text for item in items if isinstance(item, Text)]
            names = ImageEncoder(game.briefing, size).public.names
            for seat in range(people + bodies):
                name_ = names[seat]
                assert any(
                    t == name_ or (t.endswith(ELLIPSIS) and name_.startswith(t[:-1]) and len(t) > 9) for t in texts
                )


@pytest.mark.parametrize("size", SIZES)
def test_twelve_bodies(size: int) -> None:
    for people in (2, 3, 4):
        game, view = crowd("ship", people, 12, events=16)
        check(local_items(game, view, size), (size, size))


@pytest.mark.parametrize("size", (*SIZES, 200, 256, 300))
@pytest.mark.parametrize("players", range(3, 17))
def test_meetings(players: int, size: int) -> None:
    for dead in {0, 1, players // 2, players - 2} if players > 4 else {0}:
        for events in (0, 5, 16):
            game, view = meeting("ship", players, dead, events)
            check(local_items(game, view, size), (size, size))
            view.phase, view.round = 2, 0
            check(local_items(game, view, size), (size, size))


@pytest.mark.parametrize("size", (200, 256, 300, *SIZES))
def test_any_map_is_drawn_somehow(size: int) -> None:
    for room in (0, 7):
        game, view = crowd(STAR, 5, 2, events=16, room=room)
        check(local_items(game, view, size), (size, size))
        assert ImageEncoder(game.briefing, size).global_map(view).shape == (size, size, 3)


def test_rooms_drawn_all_but_at_one_spot_are_set_apart() -> None:
    data = MAPS["large"].to_dict()
    data["rooms"] = {room: [3 + k / 1e9, 3] for k, room in enumerate(data["rooms"])}
    game = deal(GameMap.from_dict(data), n_tasks=1)
    for size in SIZES:
        check(map_items(game, game.view(0), size), (size, size))
    squares = symbol_plan(places_of(game.game_map), 64).rooms
    assert len(set(squares)) == len(squares) == 24


def test_sixteen_witnessed_events_all_have_a_line() -> None:
    for size in SIZES:
        game, view = crowd("ship", 3, 2, events=16)
        texts = [item.text for item in local_items(game, view, size) if isinstance(item, Text)]
        assert sum(text.startswith("t") and text[1:].isdigit() for text in texts) == 16
        assert not any("earlier" in text for text in texts)


def test_people_have_cells_within_their_area() -> None:
    for count in range(1, 17):
        for area in (Rect(3, 5, 378, 196), Rect(0, 0, 760, 400), Rect(0, 0, 200, 100)):
            for cell in plan_people(count, area, 9, 8):
                assert cell.figure.inside(area) or area.h < 150
                assert cell.name.y >= cell.figure.bottom


@pytest.mark.parametrize("size", [(1280, 800), (960, 600), (640, 480)])
def test_spectator(size: tuple[int, int]) -> None:
    for name, players in (("ship", 16), ("small", 8), ("large", 16)):
        game = deal(name, 3, n_players=players, names=list(NAMES[:players]), kill_cooldown=1, n_tasks=1)
        camera = Camera(game)
        for now in moments(game, 5, most=400):
            camera.see(now.state.log, now.texts)
            for scene in camera.shots():
                check(frame_items(scene, size), size)
                plan = ship_plan(scene.game_map, parts_of(size))
                slots = people_slots(scene, plan)
                for seat, place in slots.items():
                    assert any(place.inside(room.area) for room in plan.rooms)
                    assert not any(place.overlaps(other) for s, other in slots.items() if s != seat)
