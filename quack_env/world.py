"""What is fixed before the first tick, as integers and lists: the rules read nothing else of config and map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from quack_env.config import MAX_PLAYERS, GameConfig
from quack_env.game_map import GameMap, check_names, check_tasks

Speech: TypeAlias = Literal["off", "tokens", "text"]
SPEECH: tuple[Speech, ...] = ("off", "tokens", "text")
OFF, TOKENS, TEXT = range(3)
SEAT_STEPS = (6, 10, MAX_PLAYERS)
"""Sizes that rings and records have room for, so that games of similar size share compiled code."""


@dataclass(slots=True, init=False, eq=False)
class World:
    """Sizes, switches, action offsets and the map of one game (integers and flat lists, so a compiler can take it).

    Rooms are numbered in the order of the map file, seats from 0. ``weight[a * R + b]`` is the travel time of the
    corridor between rooms a and b in ticks, 0 where there is none; the exits of room r are
    ``exits[first_exit[r] : first_exit[r + 1]]``. Actions are numbered as in ``interfaces.md``:
    wait, move per room, do_task, report, call_meeting, kill per seat, vote per seat, skip, speak, statements.
    """

    A: int
    R: int
    T: int
    ring: int
    act_call: int
    act_kill: int
    act_move: int
    act_report: int
    act_skip: int
    act_speak: int
    act_state: int
    act_task: int
    act_vote: int
    button: int
    button_budget: int
    drop_dead_tasks: int
    everyone: int
    exits: list[int]
    first_exit: list[int]
    instant_hops: int
    k: int
    keep_progress: int
    kill_cooldown: int
    late_ending: int
    m: int
    max_ticks: int
    n: int
    reveal_role: int
    reveal_votes: int
    rounds: int
    speech: int
    task_rooms: list[int]
    task_ticks: int
    weight: list[int]
    witness_kills: int

    def __init__(self, config: GameConfig, game_map: GameMap, speech: str) -> None:
        check_tasks(config, game_map)
        check_names(config, game_map)
        self.n = n = config.n_players
        self.m = config.n_ducks
        self.R = rooms = len(game_map.rooms)
        self.k = config.n_tasks
        self.everyone = (1 << n) - 1
        self.speech = SPEECH.index(speech)
        self.max_ticks = config.max_ticks
        self.task_ticks = config.task_ticks
        self.kill_cooldown = config.kill_cooldown
        self.rounds = config.discussion_rounds
        self.button_budget = config.button_budget
        self.witness_kills = int(config.witness_kills)
        self.reveal_role = int(config.reveal_role)
        self.reveal_votes = int(config.reveal_votes)
        self.drop_dead_tasks = int(config.drop_dead_tasks)
        self.instant_hops = int(config.instant_hops)
        self.keep_progress = int(config.keep_progress)
        self.late_ending = int(config.late_ending)

        index = {room: r for r, room in enumerate(game_map.rooms)}
        self.weight = [0] * (rooms * rooms)
        for a, b, ticks in game_map.corridors:
            self.weight[index[a] * rooms + index[b]] = ticks
            self.weight[index[b] * rooms + index[a]] = ticks
        self.first_exit = [0]
        self.exits = []
        for r in range(rooms):
            self.exits += [q for q in range(rooms) if self.weight[r * rooms + q]]
            self.first_exit.append(len(self.exits))
        self.button = index[game_map.button]
        self.task_rooms = [r for r, room in enumerate(game_map.rooms) if room in game_map.tasks]
        self.T = len(self.task_rooms)

        self.act_move = 1
        self.act_task = 1 + rooms
        self.act_report = 2 + rooms
        self.act_call = 3 + rooms
        self.act_kill = 4 + rooms
        self.act_vote = 4 + rooms + n
        self.act_skip = 4 + rooms + 2 * n
        self.act_speak = 5 + rooms + 2 * n
        self.act_state = 6 + rooms + 2 * n
        statements = rooms + n * rooms + rooms + 2 * n + 1
        self.A = self.act_state + (statements if self.speech == TOKENS else 0)
        # Events seen by others between two decisions of one agent in rooms: up to 5n - 7 (it is first in one tick, last
        # in the next, and all others leave, arrive and leave); with free-roam chat twice that is enough.
        size = next(step for step in SEAT_STEPS if n <= step)
        self.ring = (5 * size - 4) * (2 if self.speech == TEXT else 1)
