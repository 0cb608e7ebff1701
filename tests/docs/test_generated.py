"""The pages that are made from the code are those of today's code, and name everything there is."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import quack_agents
import quack_env
import quack_eval
from quack_env.beliefs import FILE as RUN
from quack_env.calls import FILE as CALLS
from quack_env.kinds import KINDS
from quack_env.trajectory import FILE, STATUSES, Header, Seat
from tests.docs.pages import DOCS, ROOT


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """docs/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_generate"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["spaces.md", "metrics.md"])
def test_a_generated_page_is_current(generate: ModuleType, page: str) -> None:
    assert (DOCS / page).read_text(encoding="utf-8") == generate.PAGES[page](), "run: python docs/generate.py"


def test_every_measure_that_evaluate_returns_is_defined(generate: ModuleType) -> None:
    found: Mapping[int, list[str]] = generate.measured("paper")
    assert sorted(found) == [1, 2, 3, 4]
    for tier, (_, _, described) in enumerate(generate.TIERS, 1):
        names = [name for entry in generate.entries(described.__doc__) for name in entry.names]
        assert len(names) == len(set(names))
        for measure in found.get(tier, []):
            assert any(generate.matches(name, measure) for name in names), measure
        for name in names:  # and nothing is defined that there is none of
            measured = found.get(tier, [name])
            assert any(generate.matches(name, measure) for measure in measured), name


def test_a_definition_is_read_from_a_docstring(generate: ModuleType) -> None:
    text = """Something.

    By name (each undefined where
    its denominator is 0):
        one, two: shots that hit / shots, those at sea
            included.
        three: a count.
        four: ticks; undefined without any.
        five: mean ticks over the meetings.

    Args:
        six: not a measure.
    """
    found = generate.entries(text)
    assert [entry.names for entry in found] == [("one", "two"), ("three",), ("four",), ("five",)]
    assert [entry.undefined for entry in found] == ["no shots", "never", "without any", "no the meetings"]


def test_the_log_formats_name_every_kind_field_and_file() -> None:
    text = (DOCS / "log_formats.md").read_text(encoding="utf-8")
    for kind in (*KINDS, FILE, CALLS, RUN, *STATUSES):
        assert re.search(rf"\b{re.escape(kind)}\b", text), kind
    for field in (*Header.model_fields, *Seat.model_fields, *quack_env.Event._fields):
        assert re.search(rf"[`, ]{field}[`, ]", text), field


def test_the_api_page_lists_the_public_names() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^ +- (\w+)$", text, re.MULTILINE))
    public: set[Any] = {*quack_env.__all__, *quack_agents.__all__, *quack_eval.__all__} - {"__version__"}
    assert listed == public


def test_a_public_name_is_one_thing_in_all_packages() -> None:
    found: dict[str, Any] = {}
    for package in (quack_env, quack_agents, quack_eval):
        for name in package.__all__:
            assert found.setdefault(name, getattr(package, name)) is getattr(package, name), name


@pytest.mark.parametrize("name", ["duck", "goose"])
def test_the_model_card_describes_the_shipped_network(name: str) -> None:
    with np.load(ROOT / "agents" / "quack_agents" / "checkpoints" / f"{name}.npz") as file:
        layers = [file[f"weight_{i}"] for i in range(3)]
        about = json.loads(str(file["about"]))
    text = (DOCS / "cards" / "checkpoints.md").read_text(encoding="utf-8")
    assert [layer.shape for layer in layers] == [(554, 256), (256, 256), (256, 121)]
    assert {layer.dtype for layer in layers} == {np.dtype("float16")}
    assert "554 numbers, two hidden layers of 256 (ReLU), 121 actions, weights as float16" in text
    assert (about["n_players"], about["config"]["n_ducks"], about["speech"]) == (6, 1, "tokens")
    assert f"{about['decisions'] / 1e6:.1f} million" in text


def test_the_model_card_has_the_figures_of_the_training_page() -> None:
    card, page = ((DOCS / name).read_text(encoding="utf-8") for name in ("cards/checkpoints.md", "training.md"))
    rows = [line.split(" | ")[1:] for line in card.splitlines() if re.match(r"\| .* % \[", line)]
    assert len(rows) == 3
    for row in rows:
        assert " | ".join(row) in page


def test_the_data_card_counts_the_gold() -> None:
    text = (DOCS / "cards" / "gold.md").read_text(encoding="utf-8")
    gold = ROOT / "eval" / "gold"
    utterances = [json.loads(line) for line in (gold / "utterances.jsonl").read_text(encoding="utf-8").splitlines()]
    claims = (gold / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    annotated = sum(len(one["claims"]) for one in utterances)
    assert f"{len(utterances)} utterances with all claims in each, some {round(annotated, -2):,}" in text
    assert f"{len(claims)} claims, each with verdict" in text
