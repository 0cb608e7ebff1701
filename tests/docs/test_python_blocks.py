"""Every Python block of README and docs runs, page by page, as a reader would: from top to bottom, in one session."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from quack_eval.claims.verify import VERIFIERS
from quack_eval.evaluation import TIERS
from tests.docs.pages import PAGES, ROOT, blocks, missing_libraries, name

ELSEWHERE = {
    "docs/adapters.md": "tests/adapters/test_docs.py",
    "docs/models.md": "tests/agents/vlm/test_docs.py",
    "docs/beliefs.md": "tests/agents/probe/test_docs.py",
    "docs/extending.md": "tests/docs/test_python_blocks.py",
}
"""Pages whose own test runs them, and looks at what comes of it."""
WITH_PYTHON = [page for page in PAGES if blocks(page, "python") and name(page) not in ELSEWHERE]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page adds to the tables of verifiers and tiers is gone after it."""
    monkeypatch.setattr("quack_eval.evaluation.TIERS", dict(TIERS))
    monkeypatch.setattr("quack_eval.claims.verify.VERIFIERS", verifiers := dict(VERIFIERS))
    monkeypatch.setattr("quack_eval.claims.judge.VERIFIERS", verifiers)


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session: dict[str, object] = {"__name__": "__example__"}
    run = [block for block in blocks(page, "python") if block.not_run is None]
    for block in run:
        missing = missing_libraries(block.text)
        if missing:
            pytest.skip(f"{block.place}: {', '.join(missing)} is not installed")
        exec(compile("\n" * block.line + block.text, str(page), "exec"), session)


def test_the_readme_and_the_first_pages_have_python() -> None:
    assert len(blocks(ROOT / "README.md", "python")) >= 2
    assert len(blocks(ROOT / "docs" / "first_game.md", "python")) >= 4
    assert len(blocks(ROOT / "docs" / "extending.md", "python")) >= 5


@pytest.mark.parametrize("page", ELSEWHERE)
def test_a_page_with_a_test_of_its_own_has_one(page: str) -> None:
    test = (ROOT / ELSEWHERE[page]).read_text(encoding="utf-8")
    assert f'"{Path(page).name}"' in test
    assert "exec(" in test


def test_a_block_that_is_not_run_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    left_out = [block for page in PAGES for block in blocks(page, "python") if block.not_run is not None]
    with capsys.disabled():
        for block in left_out:
            print(f"\nnot run: {block.place} ({block.not_run})", end="")
    assert all(len(block.not_run or "") > 10 for block in left_out)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_data_blocks_can_be_read(page: Path) -> None:
    for block in blocks(page):
        if block.language == "yaml":
            assert yaml.safe_load(block.text), block.place
        if block.language == "toml":
            assert tomllib.loads(block.text), block.place
        if block.language == "json":
            assert json.loads(block.text), block.place


def test_the_examples_of_extending_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page, session = ROOT / "docs" / "extending.md", dict[str, Any]()
    for block in blocks(page, "python"):
        exec(compile(block.text, str(page), "exec"), session)
    # nobody else spawns in its room, and in this game nobody came there in the first three ticks
    assert session["finding"].verdict == "true"
    assert 0 < session["evaluation"].measures["goose_company"].pooled < 1
    assert {belief.trigger for belief in session["probe"].beliefs} == {"moment"}
    assert "death 1" in {belief.moment for belief in session["probe"].beliefs}
