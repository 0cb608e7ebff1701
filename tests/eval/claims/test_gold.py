"""The judge against the adjudicated claims."""

from __future__ import annotations

import importlib.util
import json
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """The benchmark as a module."""
    spec = importlib.util.spec_from_file_location("judge_benchmark", ROOT / "benchmarks" / "judge.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_agreement(bench: ModuleType, published: Path) -> None:
    rows = bench.judged(bench.GOLD, published)
    assert len(rows) >= 300
    right = [bench.agrees(row, finding) for row, finding in rows]
    assert sum(right) / len(right) >= 0.97
    kinds: dict[str, list[bool]] = defaultdict(list)
    for (_, finding), same in zip(rows, right, strict=True):
        kinds[finding.kind].append(same)
    for kind, flags in kinds.items():
        if len(flags) >= 40:
            assert sum(flags) / len(flags) >= 0.93, kind


def test_no_published_text_is_stored(bench: ModuleType) -> None:
    fields = {"id", "game", "meeting", "speaker", "message", "claim", "verdict", "window", "support", "reason"}
    for line in bench.GOLD.read_text(encoding="utf-8").splitlines():
        assert set(json.loads(line)) <= fields
