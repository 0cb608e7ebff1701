"""The hand gold: references without text that fit the published games, and what the grammar reaches on it."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
GOLD = ROOT / "eval" / "gold" / "utterances.jsonl"
DATA = ROOT.parent / "shared" / "data" / "quack"
SPLITS = ("dev", "opened", "heldout", "opened2", "dev2", "dev3", "checked", "blind", "blind2")
SCORER = ROOT.parent / "shared" / "tools" / "score_claims.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """The benchmark of extraction as a module; the test is skipped where its data is not there."""
    for path in (DATA, SCORER):
        if not path.exists():
            pytest.skip(f"not there (../shared/{path.relative_to(ROOT.parent / 'shared')}): nothing to score on")
    spec = importlib.util.spec_from_file_location("extraction_benchmark", ROOT / "benchmarks" / "extraction.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["extraction_benchmark"] = module
    spec.loader.exec_module(module)
    return module


def rows() -> list[dict[str, Any]]:
    """The annotated utterances."""
    return [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()]


def test_the_gold_holds_references_and_claims_and_no_text() -> None:
    assert len(rows()) >= 120
    assert {row["split"] for row in rows()} == set(SPLITS)
    assert len({row["id"] for row in rows()}) == len(rows())
    assert all(set(row) == {"id", "game", "meeting", "round", "speaker", "sha256", "split", "claims"} for row in rows())
    times = [claim["time"] for row in rows() for claim in row["claims"] if claim.get("time")]
    assert max(map(len, times)) < 90


def test_every_reference_is_found_and_every_time_is_verbatim(bench: ModuleType) -> None:
    found = [pair for split in bench.SPLITS for pair in bench.gold(DATA, split)]
    assert len(found) == len(rows())
    for line, claims in found:
        assert all(not claim.get("time") or claim["time"] in line.message.text for claim in claims)


@pytest.mark.parametrize(
    ("split", "f1", "precision"),
    [
        ("dev", 0.83, 0.89),
        ("opened", 0.79, 0.82),
        ("heldout", 0.82, 0.88),
        ("opened2", 0.82, 0.86),
        ("dev2", 0.82, 0.87),
        ("dev3", 0.80, 0.86),
        ("checked", 0.76, 0.82),
        ("blind", 0.78, 0.82),
        ("blind2", 0.76, 0.82),
    ],
)
def test_the_grammar_stays_as_good_as_it_was(bench: ModuleType, split: str, f1: float, precision: float) -> None:
    pairs = [(line.message.text, claims, line.extract()) for line, claims in bench.gold(DATA, split)]
    matched, wanted, got = bench.scores(pairs)["all"]
    assert 2 * matched / (wanted + got) >= f1
    assert matched / got >= precision


def test_scripted_players_are_understood(bench: ModuleType) -> None:
    said = [speech for seed in range(4) for speech in bench.speeches(seed)]
    pairs = [(speech.text, speech.claims, speech.extract()) for speech in said]
    matched, wanted, got = bench.scores(pairs)["all"]
    assert wanted > 80
    assert 2 * matched / (wanted + got) >= 0.99
