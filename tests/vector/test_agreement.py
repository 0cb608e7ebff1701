"""The batched and the scalar environments agree step by step: 100,000 steps here, more by `tests.vector.agreement`."""

from __future__ import annotations

from functools import cache

import pytest

from quack_env.vector import env as vector_module
from quack_env.vector.interpreted import InterpretedEngine

from .agreement import QUICK, SETTINGS, STYLES, LockStep, Setting, Tally, play

STEPS = 10_000


@cache
def played(played: Setting) -> Tally:
    """What was compared in a setting."""
    return play(played, STEPS)


@pytest.mark.parametrize("number", range(len(QUICK)))
def test_batched_and_scalar_games_agree(number: int) -> None:
    pytest.importorskip("numba", reason="Numba is not installed: nothing is compiled")
    assert played(QUICK[number]).steps >= STEPS


def test_much_happens() -> None:
    """Every way to end, and actions that lapse."""
    pytest.importorskip("numba", reason="Numba is not installed: nothing is compiled")
    tallies = [played(quick) for quick in QUICK]
    assert {end for tally in tallies for end in tally.ends} == {"ducks ejected", "parity", "tasks", "timeout"}
    assert all(tally.games for tally in tallies)
    assert any(tally.lapsed for tally in tallies)
    assert {(s.form, s.style) for s in QUICK} == {(form, style) for form in ("turn", "parallel") for style in STYLES}


@pytest.mark.parametrize("number", [2, 5, 7, 9, 10, 14])
def test_interpreted_batches_agree_too(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_module, "engine_class", lambda: InterpretedEngine)
    assert play(SETTINGS[number], 1200, games=3).steps >= 1200


def test_a_disagreement_is_named() -> None:
    pair = LockStep(QUICK[2], 2, seed=5)
    pair.step()
    pair.scalar[1].game.state.calls_left += 1
    with pytest.raises(AssertionError, match=r"state \['calls_left'\] of game 1 \(seed \d+\) after 2 steps\nbatched: "):
        for _ in range(2):
            pair.step()
