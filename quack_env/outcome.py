"""The end of a game is a value."""

from __future__ import annotations

from dataclasses import dataclass

from quack_env.state import State

TEAMS = ("", "geese", "ducks")
GEESE, DUCKS = 1, 2
REASONS = ("", "ducks ejected", "parity", "tasks", "timeout")
EJECTED, PARITY, TASKS_DONE, TIMEOUT = range(1, 5)


@dataclass(frozen=True)
class Outcome:
    """Who won ("geese" or "ducks"), and why ("ducks ejected", "parity", "tasks" or "timeout")."""

    winner: str
    reason: str


def outcome(state: State) -> Outcome | None:
    """The outcome, or None while the game goes on."""
    return Outcome(TEAMS[state.winner], REASONS[state.reason]) if state.winner else None
