"""The documentation of models: settings, modes and prompts are those of the code."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from quack_agents.llm import ModelSettings
from quack_agents.vlm.prompts import MODALITIES, PERSONAS, version

DOCS = Path(__file__).parents[3] / "docs"


def test_every_setting_and_option_is_described() -> None:
    text = (DOCS / "models.md").read_text("utf-8")
    for name in (*ModelSettings.model_fields, *MODALITIES, *PERSONAS):
        assert f"`{name}`" in text


def test_the_snippet_runs_and_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", (DOCS / "models.md").read_text("utf-8"), re.DOTALL)
    assert code
    for game in ("game-000", "game-001"):
        exec(code[1], {})
        assert os.path.exists(f"runs/models/{game}/calls.jsonl")


@pytest.mark.parametrize("role", ["goose", "duck"])
def test_the_prompts_are_of_the_templates_of_today(role: str) -> None:
    text = (DOCS / "prompts" / f"{role}.md").read_text("utf-8")
    assert f"templates `{version()}`" in text, "run docs/prompts/generate.py"
    images = re.findall(r"\(images/(\w+\.png)\)", text)
    assert images and all((DOCS / "prompts" / "images" / image).exists() for image in images)
