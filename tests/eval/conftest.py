"""Games for the tests of evaluation: the published ones, read in place, and stories written decision by decision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quack_env import GameConfig, GameMap
from quack_env.events import event_of
from quack_env.replay import game_of
from quack_env.state import FREE
from quack_env.trajectory import Header, Seat
from quack_eval import Trajectory

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "data" / "quack"
TASKS = ["weapons", "security"]


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder of the published games; the test is skipped where it is not there."""
    if not PUBLISHED.is_dir():
        pytest.skip("the published games are not there (../shared/data/quack): nothing to compare with")
    return PUBLISHED


@pytest.fixture(scope="session")
def published_games(published: Path) -> list[Path]:
    """The folders of all published games."""
    return sorted(file.parent for file in published.glob("*/*/game.jsonl"))


class Story:
    """A game told decision by decision and played by the rules, on the paper's ship, without speech.

    Seats are numbers; a seat that no decision names waits, after the others. Example:

        story = Story("medbay medbay storage oxygen", ducks=[3])
        story.tick("0 move cafeteria", "3 kill 1", "2 report")
        story.vote("3 . - 0", "medbay . storage oxygen")       # seat 1 is dead, seat 2 skips
        trajectory = story.play()
    """

    def __init__(self, spawns: str, ducks: list[int], tasks: dict[int, list[str]] | None = None, **config: Any) -> None:
        self.spawns = spawns.split()
        n = len(self.spawns)
        settings = {"n_players": n, "n_ducks": len(ducks), "n_tasks": 2, "kill_cooldown": 1, **config}
        self.config = GameConfig.from_dict(settings)
        self.map = GameMap.load("ship")
        self.roles = ["duck" if i in ducks else "goose" for i in range(n)]
        self.tasks = [(tasks or {}).get(i, TASKS) for i in range(n)]
        self.ticks: list[list[tuple[int, str]]] = []
        self.votes: list[list[str]] = []
        self.places: list[list[str]] = [self.spawns]

    def tick(self, *decisions: str, times: int = 1) -> None:
        """One tick (or several alike): the decisions in the order in which they are taken."""
        parted = [decision.split(" ", 1) for decision in decisions]
        self.ticks += [[(int(seat), words) for seat, words in parted]] * times

    def vote(self, votes: str, respawn: str = "") -> None:
        """The vote of the meeting that the last tick called: per seat a seat, - to skip, or . for the dead."""
        self.votes.append(votes.split())
        if respawn:
            rooms = respawn.split()
            self.places.append([self.spawns[i] if room == "." else room for i, room in enumerate(rooms)])

    def header(self) -> Header:
        """The header, with the told orders and places in place of chance."""
        n = len(self.spawns)
        index = {room: r for r, room in enumerate(self.map.rooms)}
        seats = [
            Seat(
                agent=f"player_{i}",
                name=self.config.player_names[i],
                role=self.roles[i],
                policy=f"{self.roles[i]}s",
                spawn=self.spawns[i],
                tasks=self.tasks[i],
            )
            for i in range(n)
        ]
        given = {
            "turn_order": {str(t): [seat for seat, _ in told] for t, told in enumerate(self.ticks, 1)},
            "speaking_order": {},
            "places": {str(k): [index[room] for room in rooms] for k, rooms in enumerate(self.places)},
        }
        return Header(
            made_by="a test",
            config=self.config.to_dict(),
            map=self.map.to_dict(),
            speech="off",
            seed=0,
            seats=seats,
            given=given,
        )

    def play(self) -> Trajectory:
        """The recording; fails where a decision is not legal or the story ends before the game's next decision."""
        trajectory = Trajectory(self.header(), [])
        game = game_of(trajectory.header)
        game.recording = False
        state, names = game.state, game.briefing.names
        meeting = 0
        while not game.over:
            seat = state.current
            if state.phase == FREE:
                meeting = state.meeting
                if state.tick > len(self.ticks):
                    break
                words = dict(self.ticks[state.tick - 1]).get(seat, "wait")
            else:
                choice = self.votes[meeting][seat]
                words = "skip" if choice == "-" else f"vote {choice}"
            verb, _, what = words.partition(" ")
            what = names[int(what)] if what.isdigit() else what
            action = game.briefing.action({"task": "do_task", "call": "call_meeting"}.get(verb, verb) + f"({what})")
            assert game.mask(seat)[action], f"tick {state.tick}, seat {seat}: {words} is not legal"
            game.act(action)
            game.advance()
        log, texts, _ = game.take()
        events = [event_of(event, p, game.briefing, texts.get(p)) for p, event in enumerate(log)]
        trajectory.events = [event for event in events if event.tick <= len(self.ticks)]
        trajectory.status = "finished" if game.over else "aborted"
        return trajectory


@pytest.fixture
def story() -> type[Story]:
    """The class of told games."""
    return Story


@pytest.fixture
def play_randomly() -> Callable[..., Trajectory]:
    """A function that plays a random game of a config and seed and gives its recording."""
    return random_game


def random_game(config: dict[str, Any], seed: int, speech: str = "off") -> Trajectory:
    """A game of random legal decisions that moves and kills more than it waits."""
    import random

    from quack_env.game import Game
    from quack_env.wrappers import header_of

    rng = random.Random(seed)
    game = Game(GameConfig.from_dict(config), GameMap.load(config.get("map", "ship")), speech)
    game.recording = True
    game.deal(seed)
    header = header_of(game, {}, "aec")
    while not game.over:
        mask = game.mask(game.state.current)
        legal = [action for action, allowed in enumerate(mask) if allowed]
        game.act(rng.choice([action for action in legal if action] or legal))
        game.advance()
    log, texts, seals = game.take()
    from quack_env.trajectory import Seal

    events = [event_of(event, p, game.briefing, texts.get(p)) for p, event in enumerate(log)]
    return Trajectory(header, events, [Seal(*seal) for seal in seals], status="finished")
