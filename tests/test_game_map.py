"""Maps: what the shipped ones are, what a map file may say, and what random ones are like."""

from __future__ import annotations

import copy
import json
import pickle
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quack_env
from quack_env.config import GameConfig
from quack_env.errors import ConfigError, MapError
from quack_env.game_map import GameMap, check_tasks, shipped_maps

# a --2-- b --1-- c, with a way round of 5 from a to c
PATH: dict[str, Any] = {
    "rooms": {"a": [0, 0], "b": [4, 0], "c": [8, 0]},
    "corridors": [["a", "b", 2], ["b", "c", 1], ["a", "c", 5]],
    "tasks": {"a": "Sweep"},
    "button": "b",
}


def path_map(**changes: Any) -> GameMap:
    return GameMap.from_dict(PATH | changes, "path.yaml")


def side(game_map: GameMap, a: str, b: str, c: str) -> float:
    """On which side of the line from a to b the room c is drawn: the sign; 0 on the line."""
    (ax, ay), (bx, by), (cx, cy) = (game_map.positions[room] for room in (a, b, c))
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


def crossings(game_map: GameMap) -> list[tuple[str, ...]]:
    """The pairs of corridors that cross when drawn as straight lines."""
    return [
        (a, b, c, d)
        for (a, b, _), (c, d, _) in combinations(game_map.corridors, 2)
        if side(game_map, a, b, c) * side(game_map, a, b, d) < 0
        and side(game_map, c, d, a) * side(game_map, c, d, b) < 0
    ]


def rooms_in_the_way(game_map: GameMap) -> list[tuple[str, ...]]:
    """The corridors that lead through a third room when drawn as straight lines."""
    at = game_map.positions
    return [
        (a, b, room)
        for a, b, _ in game_map.corridors
        for room in set(game_map.rooms) - {a, b}
        if side(game_map, a, b, room) == 0 and min(at[a], at[b]) < at[room] < max(at[a], at[b])
    ]


# The shipped maps


def test_three_maps_are_shipped() -> None:
    assert shipped_maps() == ("large", "ship", "small")


def test_the_ship_has_the_rooms_of_the_paper_in_its_order() -> None:
    assert GameMap.load("ship").rooms == (
        *("oxygen", "cafeteria", "weapons", "upper_engine", "medbay"),
        *("electrical", "security", "lower_engine", "storage", "navigation"),
    )


def test_the_ship_has_the_corridors_of_the_paper() -> None:
    assert set(GameMap.load("ship").corridors) == {
        ("oxygen", "cafeteria", 2),
        ("cafeteria", "weapons", 2),
        ("oxygen", "upper_engine", 1),
        ("upper_engine", "lower_engine", 2),
        ("cafeteria", "medbay", 1),
        ("cafeteria", "electrical", 2),
        ("medbay", "electrical", 1),
        ("medbay", "storage", 2),
        ("weapons", "security", 1),
        ("electrical", "security", 2),
        ("security", "navigation", 2),
        ("lower_engine", "storage", 2),
        ("storage", "navigation", 3),
        ("upper_engine", "medbay", 2),
    }


def test_the_ship_has_a_task_everywhere_but_in_the_cafeteria() -> None:
    ship = GameMap.load("ship")
    assert set(ship.rooms) - set(ship.tasks) == {"cafeteria"}
    assert ship.tasks["oxygen"] == "Clean O2 Filter"


def test_the_button_of_the_ship_is_in_the_cafeteria() -> None:
    assert GameMap.load("ship").button == "cafeteria"


@pytest.mark.parametrize(("name", "rooms", "corridors", "tasks"), [("small", 5, 6, 5), ("large", 24, 35, 19)])
def test_the_other_maps_have_their_sizes(name: str, rooms: int, corridors: int, tasks: int) -> None:
    game_map = GameMap.load(name)
    assert (len(game_map.rooms), len(game_map.corridors), len(game_map.tasks)) == (rooms, corridors, tasks)


def test_the_large_map_has_corridors_of_one_to_four_ticks() -> None:
    assert {weight for _, _, weight in GameMap.load("large").corridors} == {1, 2, 3, 4}


@pytest.mark.parametrize("name", shipped_maps())
def test_a_shipped_map_is_called_as_its_file(name: str) -> None:
    assert GameMap.load(name).name == name


@pytest.mark.parametrize("name", shipped_maps())
def test_a_shipped_map_is_planar(name: str) -> None:
    assert nx.check_planarity(GameMap.load(name).graph)[0]


@pytest.mark.parametrize("name", ["small", "large"])
def test_no_corridors_of_our_own_maps_cross_when_drawn(name: str) -> None:
    assert crossings(GameMap.load(name)) == rooms_in_the_way(GameMap.load(name)) == []


@pytest.mark.parametrize("name", shipped_maps())
def test_a_shipped_map_has_room_for_the_default_tasks(name: str) -> None:
    check_tasks(GameConfig(), GameMap.load(name))


# Ways


def test_the_weight_of_a_corridor_is_the_same_from_both_ends() -> None:
    assert path_map().weight("a", "c") == path_map().weight("c", "a") == 5


def test_travel_takes_the_shortest_way() -> None:
    assert path_map().travel_ticks("a", "c") == 3


def test_travel_to_the_same_room_takes_no_time() -> None:
    assert path_map().travel_ticks("b", "b") == 0


def test_from_oxygen_to_navigation_of_the_ship_the_way_by_the_weapons_is_the_shortest() -> None:
    # cafeteria 2, weapons 2, security 1, navigation 2: 7; by upper_engine, medbay and storage it is 1 + 2 + 2 + 3 = 8
    assert GameMap.load("ship").travel_ticks("oxygen", "navigation") == 7


def test_neighbours_come_in_the_order_of_the_rooms() -> None:
    assert GameMap.load("ship").neighbours("medbay") == ("cafeteria", "upper_engine", "electrical", "storage")


def test_the_graph_has_the_weights() -> None:
    assert dict(path_map().graph["a"]) == {"b": {"weight": 2}, "c": {"weight": 5}}


def test_the_graph_cannot_be_changed() -> None:
    with pytest.raises(nx.NetworkXError):
        path_map().graph.add_edge("a", "z")


@pytest.mark.parametrize("ask", ["weight", "travel_ticks"])
def test_a_question_about_an_unknown_room_names_it(ask: str) -> None:
    with pytest.raises(MapError, match="path: room 'z' is unknown"):
        getattr(path_map(), ask)("a", "z")


def test_the_neighbours_of_an_unknown_room_are_an_error() -> None:
    with pytest.raises(MapError, match=r"room 'medby' is unknown \(did you mean 'medbay'\?\)"):
        GameMap.load("ship").neighbours("medby")


def test_the_weight_between_rooms_that_no_corridor_joins_is_an_error() -> None:
    with pytest.raises(MapError, match="no corridor joins oxygen and navigation"):
        GameMap.load("ship").weight("oxygen", "navigation")


# Equality and copies


def test_the_order_of_corridors_and_tasks_makes_no_difference() -> None:
    tasks = {"c": "Mop", "a": "Sweep"}
    turned = [["c", "a", 5], ["b", "a", 2], ["c", "b", 1]]
    other = path_map(corridors=turned, tasks=dict(reversed(tasks.items())))
    assert path_map(tasks=tasks) == other
    assert path_map(tasks=tasks).to_dict() == other.to_dict()


def test_the_order_of_the_rooms_makes_a_difference() -> None:
    assert path_map() != path_map(rooms=dict(reversed(PATH["rooms"].items())))


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"button": "a"},
        {"tasks": {"a": "Mop"}},
        {"rooms": PATH["rooms"] | {"a": [1, 0]}},
        {"corridors": [["a", "b", 2], ["b", "c", 1]]},
    ],
)
def test_maps_of_different_content_differ(change: dict[str, Any]) -> None:
    assert path_map() != path_map(**change)


def test_equal_maps_are_equal_keys() -> None:
    assert {path_map(): 1}[path_map()] == 1


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_copy_is_equal_and_knows_its_ways(copied: Any) -> None:
    game_map = copied(GameMap.load("ship"))
    assert game_map == GameMap.load("ship")
    assert game_map.travel_ticks("cafeteria", "electrical") == 2


def test_the_positions_of_a_map_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        path_map().positions["a"] = (9, 9)  # type: ignore[index]


@pytest.mark.parametrize("name", shipped_maps())
def test_a_map_survives_json(name: str) -> None:
    game_map = GameMap.load(name)
    assert GameMap.from_dict(json.loads(json.dumps(game_map.to_dict()))) == game_map


@pytest.mark.parametrize("name", shipped_maps())
def test_a_map_survives_its_own_file(name: str, tmp_path: Path) -> None:
    game_map = GameMap.load(name)
    path = tmp_path / "elsewhere.yaml"
    path.write_text(game_map.to_yaml(), encoding="utf-8")
    assert GameMap.load(path) == game_map


def test_a_map_file_has_one_room_or_corridor_a_line() -> None:
    assert path_map().to_yaml() == (
        "name: path\n"
        "rooms:\n  a: [0, 0]\n  b: [4, 0]\n  c: [8, 0]\n"
        "corridors:\n- [a, b, 2]\n- [a, c, 5]\n- [b, c, 1]\n"
        "tasks:\n  a: Sweep\nbutton: b\n"
    )


# Loading


def test_a_map_loads_as_itself() -> None:
    game_map = path_map()
    assert GameMap.load(game_map) is game_map


def test_a_mapping_loads_as_a_map() -> None:
    assert GameMap.load(PATH).rooms == ("a", "b", "c")


def test_a_map_without_a_name_is_called_as_its_file(tmp_path: Path) -> None:
    path = tmp_path / "station.yaml"
    path.write_text(json.dumps(PATH), encoding="utf-8")
    assert GameMap.load(str(path)).name == "station"


def test_a_map_that_is_not_there_is_told_with_the_shipped_ones() -> None:
    with pytest.raises(MapError) as caught:
        GameMap.load("shp")
    assert str(caught.value) == (
        "map='shp': no such file, and no shipped map (large, ship, small); did you mean 'ship'?"
    )


def test_anything_else_is_no_map() -> None:
    with pytest.raises(MapError, match="map=3: must be"):
        GameMap.load(3)  # type: ignore[arg-type]


FAULTS: list[tuple[dict[Any, Any], str]] = [
    ({"corridor": []}, "unknown key 'corridor' (did you mean 'corridors'?); allowed: rooms, corridors, tasks, button"),
    ({1: []}, "unknown key 1"),
    ({"name": ""}, "name: must be a text"),
    ({"name": 3}, "name: must be a text"),
    ({"rooms": ["a", "b"]}, "rooms: must be a mapping"),
    ({"rooms": {"a": [0, 0]}}, "rooms: a map has 2 to 60 rooms, not 1"),
    ({"rooms": {f"r{i}": [i, 0] for i in range(61)}}, "rooms: a map has 2 to 60 rooms, not 61"),
    ({"rooms": {"Med Bay": [0, 0], "b": [1, 0]}}, "rooms: 'Med Bay' is no room name"),
    ({"rooms": {"1a": [0, 0], "b": [1, 0]}}, "rooms: '1a' is no room name"),
    ({"rooms": {"a\n": [0, 0], "b": [1, 0]}}, "rooms: 'a\\n' is no room name"),
    ({"rooms": {True: [0, 0], "b": [1, 0]}}, "rooms: True is no room name"),
    ({"rooms": {False: [0, 0], "b": [1, 0]}}, "a letter first; in YAML, quote words like on and no)"),
    ({"rooms": {"a" * 61: [0, 0], "b": [1, 0]}}, "rooms: must be a text of 1 to 60"),
    ({"rooms": PATH["rooms"] | {"a": [0]}}, "rooms.a: the position must be [x, y]"),
    ({"rooms": PATH["rooms"] | {"a": None}}, "rooms.a: the position must be [x, y]"),
    ({"rooms": PATH["rooms"] | {"a": ["0", 0]}}, "rooms.a: the position must be [x, y]"),
    ({"rooms": PATH["rooms"] | {"a": [True, 0]}}, "rooms.a: the position must be [x, y]"),
    ({"rooms": PATH["rooms"] | {"a": [float("nan"), 0]}}, "rooms.a: the position must be [x, y]"),
    ({"rooms": PATH["rooms"] | {"a": [float("inf"), 0]}}, "rooms.a: the position must be [x, y]"),
    ({"rooms": PATH["rooms"] | {"a": [10**400, 0]}}, "rooms.a: the position must be [x, y]"),
    ({"rooms": {"a": [0, 0], "b": [2, 3], "c": [2.0, 3]}}, "rooms.c: the position [2.0, 3] is that of b already"),
    ({"corridors": {"a": "b"}}, "corridors: must be a list"),
    ({"corridors": [["a", "b"]]}, "corridors[0]: must be [room, room, ticks]"),
    ({"corridors": ["abc"]}, "corridors[0]: must be [room, room, ticks]"),
    ({"corridors": [["a", "b", 1], ["b", "z", 1]]}, "corridors[1]: room 'z' is unknown"),
    ({"corridors": [["a", "a", 1]]}, "corridors[0]: leads from a to itself"),
    ({"corridors": [["a", "b", 1], ["b", "a", 2]]}, "corridors[1]: a second corridor between b and a"),
    ({"corridors": [["a", "b", 0]]}, "corridors[0]: a to b: ticks must be a whole number from 1 to 60, not 0"),
    ({"corridors": [["a", "b", 61]]}, "ticks must be a whole number from 1 to 60, not 61"),
    ({"corridors": [["a", "b", 1.0]]}, "ticks must be a whole number from 1 to 60, not 1.0"),
    ({"corridors": [["a", "b", True]]}, "ticks must be a whole number from 1 to 60, not True"),
    ({"corridors": [["a", "b", "1"]]}, "ticks must be a whole number from 1 to 60, not '1'"),
    ({"corridors": [["a", "b", 1]]}, "corridors: no way leads from a to c"),
    ({"corridors": []}, "corridors: no way leads from a to b, c"),
    ({"tasks": ["a"]}, "tasks: must be a mapping"),
    ({"tasks": {}}, "tasks: a map needs at least one task room"),
    ({"tasks": {"z": "Sweep"}}, "tasks: room 'z' is unknown"),
    ({"tasks": {"a": ""}}, "tasks.a: must be a text"),
    ({"tasks": {"a": "Sweep\nall"}}, "tasks.a: must be a text"),
    ({"tasks": {"a": ["Sweep"]}}, "tasks.a: must be a text"),
    ({"button": "z"}, "button: room 'z' is unknown"),
    ({"button": ["a", "b"]}, "button: must be the name of exactly one room"),
    ({"button": None}, "button: must be the name of exactly one room"),
]


@pytest.mark.parametrize(("change", "reason"), FAULTS, ids=[reason[:40] for _, reason in FAULTS])
def test_a_fault_is_told_on_one_line_with_file_key_and_reason(change: dict[Any, Any], reason: str) -> None:
    with pytest.raises(MapError) as caught:
        GameMap.from_dict(PATH | change, "path.yaml")
    assert str(caught.value).startswith("path.yaml: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["rooms", "corridors", "tasks", "button"])
def test_a_missing_key_is_named(key: str) -> None:
    data = {other: value for other, value in PATH.items() if other != key}
    with pytest.raises(MapError, match=rf"path\.yaml: missing key '{key}'"):
        GameMap.from_dict(data, "path.yaml")


@pytest.mark.parametrize("data", [None, [], "ship", 3])
def test_a_map_that_is_no_mapping_is_refused(data: Any) -> None:
    with pytest.raises(MapError, match=r"path\.yaml: a map must be a mapping"):
        GameMap.from_dict(data, "path.yaml")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("rooms:\n  a: [0, 0]\n  b: [1, 0]\n  a: [2, 0]\n", 4, "duplicate key 'a'"),
        ("button: a\nbutton: b\n", 2, "duplicate key 'button'"),
        ("rooms: {a: [0, 0]\nbutton: a\n", 2, "expected ',' or '}'"),
        ("? [a, b]\n: 1\n", 1, "unhashable key"),
        ("a: 1\n---\nb: 2\n", 2, "another document"),
    ],
)
def test_a_fault_in_the_yaml_is_told_with_file_and_line(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = tmp_path / "station.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MapError) as caught:
        GameMap.load(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_map_nested_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text("[" * 5000, encoding="utf-8")
    with pytest.raises(MapError, match="not readable as YAML"):
        GameMap.load(path)


# Tasks that fit


def test_as_many_tasks_as_task_rooms_fit() -> None:
    check_tasks(GameConfig(n_tasks=9), GameMap.load("ship"))


def test_more_tasks_than_task_rooms_are_refused_with_the_bound() -> None:
    with pytest.raises(ConfigError, match="n_tasks=10: must be from 0 to 9, the task rooms of ship"):
        check_tasks(GameConfig(n_tasks=10), GameMap.load("ship"))


# Rooms and players


@pytest.mark.parametrize("name", ["Oxygen", "Upper Engine"])
def test_no_game_has_a_room_that_is_called_like_a_player(name: str) -> None:
    config = GameConfig(names=(name, "Bob", "Charlie", "Diana", "Eve", "Frank"))
    room = name.lower().replace(" ", "_")
    with pytest.raises(ConfigError, match=f"names: a player is called {name}, and a room of ship {room}"):
        quack_env.env(config=config, game_map="ship")


@pytest.mark.parametrize("word", ["the", "a", "i", "on", "there"])
def test_where_players_talk_freely_no_room_is_called_by_a_common_word(word: str) -> None:
    options: dict[str, Any] = {
        "game_map": {
            "rooms": {"b": [0, 0], word: [1, 0]},
            "corridors": [["b", word, 1]],
            "tasks": {"b": "Sweep"},
            "button": "b",
        },
        "config": {"n_tasks": 1},
    }
    for speech in ("off", "tokens"):
        quack_env.env(speech=speech, **options)
    with pytest.raises(ConfigError, match=f"^map: rooms of map are called by common words: {word};"):
        quack_env.env(speech="text", **options)


def test_numbers_of_numpy_are_numbers() -> None:
    ticks, place = np.int64(2), [np.int32(4), np.float32(0.5)]
    made = path_map(corridors=[["a", "b", ticks], ["b", "c", 3]], rooms={"a": [0, 0], "b": place, "c": [8, 0]})
    assert made == path_map(corridors=[["a", "b", 2], ["b", "c", 3]], rooms={"a": [0, 0], "b": [4, 0.5], "c": [8, 0]})
    assert GameMap.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert GameMap.random(rooms=np.int64(9), seed=np.uint8(4)) == GameMap.random(rooms=9, seed=4)  # type: ignore[arg-type]
    with pytest.raises(MapError, match="rooms"):
        GameMap.random(rooms=np.int64(61))  # type: ignore[arg-type]


# Random maps

random_maps = st.builds(GameMap.random, rooms=st.integers(2, 60), seed=st.integers(0, 2**64))
many = settings(max_examples=60, deadline=None)


@many
@given(random_maps)
def test_a_random_map_is_connected_and_planar(game_map: GameMap) -> None:
    assert nx.is_connected(game_map.graph)
    assert nx.check_planarity(game_map.graph)[0]


@many
@given(random_maps)
def test_no_corridors_of_a_random_map_cross_when_drawn(game_map: GameMap) -> None:
    assert crossings(game_map) == rooms_in_the_way(game_map) == []


@many
@given(random_maps)
def test_no_rooms_of_a_random_map_overlap(game_map: GameMap) -> None:
    for (ax, ay), (bx, by) in combinations(game_map.positions.values(), 2):
        assert abs(ax - bx) >= 6 or abs(ay - by) >= 4


@many
@given(random_maps)
def test_the_corridors_of_a_random_map_take_one_to_three_ticks(game_map: GameMap) -> None:
    assert {weight for _, _, weight in game_map.corridors} <= {1, 2, 3}


@many
@given(random_maps)
def test_about_60_to_90_percent_of_the_rooms_of_a_random_map_have_a_task(game_map: GameMap) -> None:
    rooms = len(game_map.rooms)
    assert min(rooms - 1, 0.6 * rooms - 0.5) <= len(game_map.tasks) <= 0.9 * rooms + 0.5
    assert game_map.button not in game_map.tasks


@many
@given(st.integers(2, 60), st.integers(0, 2**64))
def test_a_random_map_is_a_function_of_its_arguments(rooms: int, seed: int) -> None:
    game_map = GameMap.random(rooms, seed)
    assert game_map == GameMap.random(rooms, seed)
    assert len(game_map.rooms) == rooms


def test_random_maps_of_different_seeds_differ() -> None:
    shapes = {GameMap.random(10, seed).corridors for seed in range(20)}
    assert len(shapes) == 20


def test_a_random_map_of_ten_rooms_has_as_many_corridors_as_the_ship() -> None:
    assert len(GameMap.random(10, 0).corridors) == 14


@pytest.mark.parametrize("rooms", [1, 61, True, 10.0, "10"])
def test_a_random_map_of_an_impossible_size_is_refused(rooms: Any) -> None:
    with pytest.raises(MapError, match=r"rooms=.*: must be a whole number from 2 to 60"):
        GameMap.random(rooms)


@pytest.mark.parametrize("seed", [-1, True, 1.0, "1", None])
def test_a_random_map_of_an_impossible_seed_is_refused(seed: Any) -> None:
    with pytest.raises(MapError, match=r"seed=.*: must be a whole number of at least 0"):
        GameMap.random(seed=seed)
