"""What `quack speed` measures: every form, with its observation's size."""

from __future__ import annotations

import os

import pytest

from quack_bench import speed
from quack_env.vector import env as vector_module
from quack_env.vector.interpreted import InterpretedEngine


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "GAMES", 4)


def test_batches_without_numba_are_measured_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_module, "engine_class", lambda: InterpretedEngine)
    assert not speed.is_compiled()
    rates = speed.measure(20, 1)
    batches = {form: measured for form, measured in rates.items() if form.startswith("vector_env")}
    assert {form.removeprefix("vector_env, ") for form in batches} == {
        "turn, speech off, 1 thread",
        "turn, tokens, 1 thread",
        "parallel, speech off, 1 thread",
        "parallel, tokens, 1 thread",
    }
    assert all(measured.rate > 0 for measured in rates.values())


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core only: threads are not measured")
def test_compiled_batches_are_measured_on_one_thread_and_on_two() -> None:
    pytest.importorskip("numba", reason="Numba is not installed: nothing is compiled")
    assert speed.is_compiled()
    told = [form for form in speed.measure(20, 1) if form.startswith("vector_env")]
    assert sum(form.endswith(", 1 thread") for form in told) == 4
    assert sum(form.endswith(", 2 threads (wall time)") for form in told) == 4


def test_the_size_of_the_observation_stands_beside_the_rate() -> None:
    """290 numbers at 6 players, 10 rooms and 5 tasks without speech; statements take 264 more."""
    rates = speed.measure(1, 1)
    for form, measured in rates.items():
        words = form.split(", ")
        vector = "vector" in words or words[0] == "vector_env"
        expected = 554 if "tokens" in words else 290
        assert measured.size == (expected if vector else None), form


def test_decisions_are_counted_alike_in_all_forms() -> None:
    """In the parallel form, too, only of those who are asked: an agent-step is a decision."""
    import random

    import quack_env

    options = {"game_map": "small", "n_players": 4, "max_ticks": 1, "speech": "off"}
    asked = speed.parallel_steps(quack_env.parallel_env(observation="vector", **options), 1, random.Random(0))
    assert asked == speed.aec_steps(quack_env.raw_env(observation="vector", **options), 1, random.Random(0)) == 4
