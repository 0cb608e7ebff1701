"""Actions in the words of a seat: the same actions, with players counted from that seat."""

from __future__ import annotations

import numpy as np
import pytest

from quack_agents.adapters.relative import relative_actions
from quack_env import GameConfig, GameMap
from quack_env.briefing import Briefing
from quack_env.world import World


@pytest.fixture
def briefing() -> Briefing:
    """Of a game of five on the small map."""
    config, game_map = GameConfig(n_players=5), GameMap.load("small")
    names = ("Alice", "Bob", "Charlie", "Diana", "Eve")
    return Briefing(config, game_map, World(config, game_map, "tokens"), 0, names)


@pytest.mark.parametrize(
    ("own_words", "in_the_game"),
    [
        ("kill(Bob)", "kill(Eve)"),  # player 1 seen from seat 3 is seat 4
        ("kill(Charlie)", "kill(Alice)"),  # player 2 is seat 5 mod 5
        ("vote(Alice)", "vote(Diana)"),  # player 0 is oneself
        ("suspect(Eve)", "suspect(Charlie)"),
        ("vouch(Diana)", "vouch(Bob)"),
        ("skip()", "skip()"),
        ("wait()", "wait()"),
        ("do_task()", "do_task()"),
        ("nothing()", "nothing()"),
    ],
)
def test_players_are_counted_from_the_own_seat(briefing: Briefing, own_words: str, in_the_game: str) -> None:
    action = relative_actions(briefing.world)[3, briefing.action(own_words)]
    assert briefing.action_names[action] == in_the_game


def test_a_sighting_keeps_its_room(briefing: Briefing) -> None:
    table = relative_actions(briefing.world)
    for room in briefing.game_map.rooms:
        assert briefing.action_names[table[4, briefing.action(f"saw(Bob, {room})")]] == f"saw(Alice, {room})"


def test_every_action_of_the_game_has_one_name_for_each_seat(briefing: Briefing) -> None:
    table = relative_actions(briefing.world)
    assert table.shape == (5, briefing.world.A)
    assert (np.sort(table, axis=1) == np.arange(briefing.world.A)).all()


def test_seat_0_speaks_as_the_game_does(briefing: Briefing) -> None:
    assert (relative_actions(briefing.world)[0] == np.arange(briefing.world.A)).all()
