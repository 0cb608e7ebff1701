"""What docs/adapters.md promises is tested: by the tests that its table names, and its examples are run."""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
LIBRARIES = ("sb3_contrib", "ray.rllib", "torchrl", "supersuit")


def test_every_row_of_the_table_names_its_test() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("|")][2:]
    assert len(rows) >= 8
    for row in rows:
        named = row.strip("| ").split("|")[-1].strip(" `")
        assert (ROOT / named).exists(), row


def test_there_is_an_example_for_every_library() -> None:
    for library in LIBRARIES:
        module = "quack_agents.adapters.rllib" if library == "ray.rllib" else library
        assert any(module in example for example in EXAMPLES), library


@pytest.mark.parametrize("number", [n for n, example in enumerate(EXAMPLES) if "rllib" not in example])
def test_examples_run(number: int) -> None:
    """All but RLlib's, which starts Ray (`test_rllib.py` does). Shortened: fewer steps."""
    example = EXAMPLES[number]
    for library in LIBRARIES:
        if library in example and importlib.util.find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    short = example.replace("100_000", "500").replace("10_000", "500").replace("QuackVecEnv(16", "QuackVecEnv(2")
    short = short.replace('"MultiInputPolicy", seat', '"MultiInputPolicy", seat, n_steps=64')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(short, f"docs/adapters.md example {number}", "exec"), {"__name__": "__example__"})
