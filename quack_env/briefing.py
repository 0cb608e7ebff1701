"""What everybody is told before the game: config, map, who sits where. Turns seats, rooms and actions into words."""

from __future__ import annotations

from functools import cached_property

from quack_env.chance import LISTING, NAMES, shuffle
from quack_env.config import GameConfig
from quack_env.game_map import GameMap
from quack_env.kinds import STATEMENTS
from quack_env.statements import decode
from quack_env.world import World

AGENT = "player_{}"


class Briefing:
    """The public facts of one game: ``config``, ``game_map``, ``names`` by seat, and the order names are listed in.

    Names are dealt to seats, and listed, in orders drawn from the seed, because models favour the first name they read.
    """

    def __init__(
        self, config: GameConfig, game_map: GameMap, world: World, key: int, names: tuple[str, ...] | None = None
    ) -> None:
        """``names`` by seat, where they are given and not dealt from the key."""
        n = config.n_players
        self.config = config
        self.game_map = game_map
        self.world = world
        self.agents = tuple(AGENT.format(i) for i in range(n))
        self._agents_of: dict[int, tuple[str, ...]] = {}
        order = [0] * n
        shuffle(key, NAMES, 0, n, order)
        self.names = names or tuple(config.player_names[p] for p in order)
        shuffle(key, LISTING, 0, n, order)
        self.listing = tuple(order)

    def listed(self, seats: int) -> list[str]:
        """The names of a set of seats (bit mask), in this game's listing order."""
        return [self.names[j] for j in self.listing if seats >> j & 1]

    def agents_of(self, seats: int) -> tuple[str, ...]:
        """The agents of a set of seats (bit mask), in seat order."""
        known = self._agents_of.get(seats)
        if known is None:
            known = self._agents_of[seats] = tuple(a for j, a in enumerate(self.agents) if seats >> j & 1)
        return known

    def room(self, r: int) -> str:
        """The name of room number r."""
        return self.game_map.rooms[r]

    @cached_property
    def action_names(self) -> tuple[str, ...]:
        """Every action in words, by number: "wait()", "move(medbay)", "kill(Eve)", "vote(Eve)", "saw(Eve, medbay)"."""
        rooms, names = self.game_map.rooms, self.names
        words = ["wait()", *(f"move({room})" for room in rooms), "do_task()", "report()", "call_meeting()"]
        words += [f"kill({name})" for name in names] + [f"vote({name})" for name in names] + ["skip()", "speak()"]
        for code in range(self.world.A - self.world.act_state):
            kind, target, room = decode(self.world, code)
            about = [names[target]] if target >= 0 else []
            about += [rooms[room]] if room >= 0 else []
            words.append(f"{STATEMENTS[kind]}({', '.join(about)})")
        return tuple(words)

    def action(self, words: str) -> int:
        """The number of an action in words; `ValueError` when there is none such."""
        return self.action_names.index(words)
