"""What docs/adapters.md promises is tested: by the tests that its table names, and its examples are run."""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SECTIONS = [re.findall(r"```python\n(.*?)```", part, re.DOTALL) for part in re.split(r"(?m)^## ", TEXT)[1:]]
"""The examples of every library, which go on from each other."""
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


@pytest.mark.parametrize("number", [n for n, part in enumerate(SECTIONS) if "rllib" not in str(part)])
def test_examples_run(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but RLlib's, which starts Ray (`test_rllib.py` does). Shortened: fewer steps and games."""
    monkeypatch.chdir(tmp_path)
    if importlib.util.find_spec("torch") is not None:
        import torch

        torch.set_num_threads(1)  # more wait for each other on shared cores
    session: dict[str, Any] = {"__name__": "__example__"}
    for example in SECTIONS[number]:
        for library in LIBRARIES:
            if library in example and importlib.util.find_spec(library) is None:
                pytest.skip(f"{library} is not installed")
        short = example.replace("100_000", "500").replace("10_000)", "100)").replace("QuackVecEnv(16", "QuackVecEnv(2")
        short = short.replace('"MultiInputPolicy", seat', '"MultiInputPolicy", seat, n_steps=64')
        short = short.replace("range(20)", "range(2)").replace("n_steps=128, batch_size=2048)", "n_steps=16)")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(short, f"docs/adapters.md section {number}", "exec"), session)
    if "PaidByLife" in session:
        assert sorted(session["rewards"].values()) == [0.0, *[0.01] * 5]
        seat, model = session["seat"], session["model"]
        assert seat.get_wrapper_attr("action_masks")().any() and model.num_timesteps >= 100
