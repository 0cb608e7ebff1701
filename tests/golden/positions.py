"""Positions from which all legal action sequences are played: their counts and a digest of their events, per depth.

    python -m tests.golden.positions                      recount on the rules and compare with golden.json
    python -m tests.golden.positions --oracle --depth 6   the same on the oracle (about 2 s; a minute without --depth)
    python -m tests.golden.positions --write              put the rules' numbers into golden.json

`counts[d - 1]` is the number of sequences of d legal actions (a game that has ended has none), `digests[d - 1]` the
blake2b over the d-th action and its packed events along all those sequences, in the order of the action numbers.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from quack_env import rules
from quack_env.config import GameConfig
from quack_env.game import Game
from quack_env.game_map import GameMap
from quack_env.kinds import KINDS, STATEMENTS, pack
from quack_env.outcome import REASONS, TEAMS
from quack_env.state import State
from quack_env.world import World
from tests.oracle.agreement import action_tuples, map_for_oracle
from tests.oracle.oracle import Options, Oracle

GOLDEN = Path(__file__).with_name("golden.json")
MAP = GameMap.load("small")
SETTINGS = {"n_players": 4, "n_ducks": 1, "n_tasks": 2, "task_ticks": 1, "kill_cooldown": 1}
SPEECH = "off"
ACTIONS = action_tuples(MAP, SETTINGS["n_players"], SPEECH)
NUMBERS = {action: number for number, action in enumerate(ACTIONS)}


@dataclass(frozen=True)
class Position:
    """A position: the seed, and the actions that lead there from the start."""

    seed: int
    prefix: tuple[tuple, ...]
    depth: int


POSITIONS = {
    "start, seed 0": Position(0, (), 9),
    "start, seed 11": Position(11, (), 9),
    "kill-ready": Position(0, (("move", "airlock"), ("move", "bridge"), ("move", "bridge"), ("move", "airlock")), 4),
    "in transit": Position(0, (("move", "galley"), ("move", "bridge")), 4),
    "voting, button": Position(
        0, (("wait",), ("wait",), ("move", "galley"), ("move", "airlock"), ("call_meeting",)), 4
    ),
    "voting, body": Position(
        11,
        (("wait",), ("wait",), ("move", "airlock"), ("move", "airlock"), ("move", "bridge"), ("kill", 2), ("report",)),
        4,
    ),
}


class Node(Protocol):
    """One game at one moment."""

    def legal(self) -> list[int]:
        """The legal action numbers, ascending; none when the game is over."""

    def after(self, action: int) -> tuple[Node, list[int]]:
        """A new node after the action, and its packed events."""


# --- on the rules ----------------------------------------------------------------------------------------------------


def copy_of(state: State) -> State:
    """A copy with an empty log; `copy.deepcopy` would take ten times as long."""
    new = object.__new__(State)
    for name in State.__slots__:
        value = getattr(state, name)
        setattr(new, name, value[:] if isinstance(value, list) else value)
    new.log = []
    return new


class RulesNode:
    """A game of the rules."""

    def __init__(self, world: World, state: State) -> None:
        self.world = world
        self.state = state

    @classmethod
    def start(cls, seed: int) -> RulesNode:
        """The first decision of a seed's game."""
        game = Game(GameConfig(**SETTINGS), MAP, SPEECH)
        game.deal(seed)
        return cls(game.world, game.state)

    def legal(self) -> list[int]:
        if self.state.winner:
            return []
        mask = bytearray(self.world.A)
        rules.legal(self.world, self.state, self.state.current, mask)
        return [action for action, allowed in enumerate(mask) if allowed]

    def after(self, action: int) -> tuple[RulesNode, list[int]]:
        state = copy_of(self.state)
        rules.act(self.world, state, action)
        while rules.settle(self.world, state) == rules.CLOSED:
            pass
        return RulesNode(self.world, state), state.log


# --- on the oracle ---------------------------------------------------------------------------------------------------


class OracleNode:
    """A game of the oracle."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        oracle.events = []  # copied with every node otherwise

    @classmethod
    def start(cls, seed: int) -> OracleNode:
        """The first decision of a seed's game."""
        return cls(Oracle(map_for_oracle(MAP), seed=seed, options=Options(speech=SPEECH, **SETTINGS)))

    def legal(self) -> list[int]:
        return sorted(NUMBERS[action] for action in self.oracle.legal())

    def after(self, action: int) -> tuple[OracleNode, list[int]]:
        twin = copy.deepcopy(self.oracle)
        events = twin.act(ACTIONS[action])
        return OracleNode(twin), [packed(event) for event in events]


def packed(event: tuple) -> int:
    """An event of the oracle in the packed form of the rules."""
    tick, kind, actor, target, room, to, seen_by, detail = event
    value = MAP.rooms.index(to) if to is not None else _number_of(detail)
    return pack(
        tick,
        KINDS.index(kind),
        -1 if actor is None else actor,
        -1 if target is None else target,
        -1 if room is None else MAP.rooms.index(room),
        value,
        sum(1 << j for j in seen_by),
    )


def _number_of(detail: object) -> int:
    """The number that stands for a detail: what the field `to` holds in an event that is no movement."""
    if detail is None or isinstance(detail, int):
        return -1 if detail is None else detail
    if isinstance(detail, tuple):
        return TEAMS.index(detail[0]) * 8 + REASONS.index(detail[1])
    lists = (("button", "body"), ("tie", "skip"), ("goose", "duck"), STATEMENTS)
    return next(words.index(detail) for words in lists if detail in words)


# --- all sequences ---------------------------------------------------------------------------------------------------


def sequences(node: Node, depth: int, at: int = 0) -> Iterator[tuple[int, int, list[int]]]:
    """Every sequence of at most `depth` legal actions, depth first: (index of its last action, action, its events)."""
    for action in node.legal():
        child, events = node.after(action)
        yield at, action, events
        if at + 1 < depth:
            yield from sequences(child, depth, at + 1)


def reach(name: str, start: Callable[[int], Node]) -> Node:
    """The node of a position."""
    node = start(POSITIONS[name].seed)
    for action in POSITIONS[name].prefix:
        node, _ = node.after(NUMBERS[action])
    return node


def measure(name: str, start: Callable[[int], Node], depth: int) -> dict[str, list]:
    """Counts and digests of a position, for every depth up to `depth`."""
    node = reach(name, start)
    counts = [0] * depth
    hashes = [hashlib.blake2b(digest_size=8) for _ in range(depth)]
    for at, action, events in sequences(node, depth):
        counts[at] += 1
        for number in (action, len(events), *events):
            hashes[at].update(number.to_bytes(8, "little"))
    return {"counts": counts, "digests": [h.hexdigest() for h in hashes]}


def golden(name: str, depth: int) -> dict[str, list]:
    """The golden numbers of a position up to `depth`."""
    stored = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    return {key: values[:depth] for key, values in stored.items()}


# --- the command -----------------------------------------------------------------------------------------------------


def main() -> int:
    """The command; exits with 1 where the numbers differ."""
    parser = argparse.ArgumentParser(description="Counts and digests of all legal action sequences.")
    parser.add_argument("--oracle", action="store_true", help="count on the oracle, not on the rules")
    parser.add_argument("--depth", type=int, default=99, help="no deeper than this")
    parser.add_argument("--write", action="store_true", help="write golden.json from the rules")
    options = parser.parse_args()
    if options.write and (options.oracle or options.depth < 99):
        parser.error("--write writes the rules' numbers to full depth")
    start = OracleNode.start if options.oracle else RulesNode.start
    depths = {name: min(position.depth, options.depth) for name, position in POSITIONS.items()}
    found = {name: measure(name, start, depth) for name, depth in depths.items()}
    if options.write:
        GOLDEN.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    wrong = [name for name, depth in depths.items() if found[name] != golden(name, depth)]
    for name, numbers in found.items():
        print(f"{'DIFFERS' if name in wrong else 'agrees'}  {name}: {numbers['counts']} {numbers['digests'][-1]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
