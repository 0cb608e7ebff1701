"""Games with beliefs, made by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from quack_env.beliefs import Belief
from quack_eval.beliefs.games import BeliefGame, Happening, Stance, Vote
from quack_eval.beliefs.measures import Reference, Slice

AGENTS = ("a", "b", "c", "d", "e")


def belief(at: int, observer: str, target: str, p: float | None, **changes: Any) -> Belief:
    """A belief at a moment; of order 2 with an ``about``, a failure without a probability."""
    fields: dict[str, Any] = {
        "game_id": "g",
        "tick": at,
        "round": None,
        "phase": "discussion",
        "trigger": "before_speech",
        "event_index": at,
        "observer": observer,
        "target": target,
        "order": 2 if "about" in changes else 1,
        "about": None,
        "p_goose": None if p is None else 1 - p,
        "p_duck": p,
        "parsed_ok": p is not None,
        "repaired": False,
        "rationale": None,
        "latency_ms": None,
        "cost_usd": None,
        "context_ref": None,
        "meeting": 0,
        "failure": "invalid" if p is None else None,
    }
    return Belief(**fields | changes)


def track(observer: str, target: str, *ps: float, first: int = 0, step: int = 10) -> list[Belief]:
    """Beliefs about one target, a step apart."""
    return [belief(first + step * k, observer, target, p) for k, p in enumerate(ps)]


def speech(at: int, speaker: str, meeting: int = 0) -> Happening:
    """An utterance that everybody hears."""
    return Happening(at, "statement", speaker, None, meeting, frozenset(AGENTS))


def game(
    beliefs: Iterable[Belief] = (),
    ducks: str = "d",
    happenings: Sequence[Happening] = (),
    votes: Sequence[Vote] = (),
    stances: Sequence[Stance] = (),
    **changes: Any,
) -> BeliefGame:
    """A game of five; ``ducks`` by their letters."""
    fields: dict[str, Any] = {
        "game_id": "g",
        "agents": AGENTS,
        "names": {agent: agent.upper() for agent in AGENTS},
        "ducks": frozenset(ducks),
        "policies": dict.fromkeys(AGENTS, "model"),
        "beliefs": list(beliefs),
        "happenings": happenings,
        "votes": votes,
        "stances": stances,
    }
    return BeliefGame(**fields | changes)


def everybody(of: BeliefGame, reference: Reference | None = None) -> Slice:
    """The beliefs of all observers."""
    return Slice(of, AGENTS, reference)
