"""What is fixed before the first tick, as integers and lists: the rules read nothing else of config and map."""

from __future__ import annotations

from quack_env.config import GameConfig
from quack_env.game_map import GameMap, check_tasks

SPEECH = ("off", "tokens", "text")
OFF, TOKENS, TEXT = range(3)


class World:
    """Sizes, switches, action offsets and the map of one game (integers and flat lists, so a compiler can take it).

    Rooms are numbered in the order of the map file, seats from 0. ``weight[a * R + b]`` is the travel time of the
    corridor between rooms a and b in ticks, 0 where there is none. Actions are numbered as in ``interfaces.md``:
    wait, move per room, do_task, report, call_meeting, kill per seat, vote per seat, skip, speak, statements.
    """

    __slots__ = (
        "A",
        "R",
        "T",
        "V_ring",
        "act_call",
        "act_kill",
        "act_move",
        "act_report",
        "act_skip",
        "act_speak",
        "act_state",
        "act_task",
        "act_vote",
        "button",
        "button_budget",
        "drop_dead_tasks",
        "everyone",
        "instant_hops",
        "k",
        "keep_progress",
        "kill_cooldown",
        "late_ending",
        "m",
        "max_ticks",
        "n",
        "reveal_role",
        "reveal_votes",
        "rounds",
        "speech",
        "task_rooms",
        "task_ticks",
        "weight",
        "witness_kills",
    )

    def __init__(self, config: GameConfig, game_map: GameMap, speech: str = "tokens") -> None:
        check_tasks(config, game_map)
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
        # Events seen by others between two decisions of one agent: about 4n, twice that with free-roam chat.
        self.V_ring = 1 << ((4 * n + 8) * (2 if self.speech == TEXT else 1) - 1).bit_length()
