"""The documentation of probing: it runs, and names everything there is."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from quack_agents.probe import PRESETS, QUESTIONS, TRIGGERS, ProbeConfig
from quack_agents.vlm import estimates, reply
from quack_env.beliefs import BeliefStore

TEXT = (Path(__file__).parents[3] / "docs" / "beliefs.md").read_text("utf-8")


def test_every_trigger_preset_field_and_question_is_described() -> None:
    for name in (*TRIGGERS, *PRESETS, *ProbeConfig.model_fields, *QUESTIONS):
        assert f"`{name}`" in TEXT, name


def test_every_kind_of_failure_is_described() -> None:
    own = (estimates.NO_JSON, estimates.MISSING, estimates.FIELDS, estimates.RANGE, estimates.SUM)
    shared = (reply.AMBIGUOUS, reply.CUT_OFF, reply.EMPTY, reply.REASONING_ONLY)
    for kind in (*own, *shared, "provider", "budget", "no_opinion", "error"):
        assert f"`{kind}`" in TEXT, kind


@pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason='the extra "llm" is not installed')
def test_the_snippet_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert code
    exec(code[1], {})
    assert {belief.order for belief in BeliefStore("runs/beliefs/run.sqlite").read()} == {1, 2}
    assert (tmp_path / "runs" / "beliefs" / "beliefs.csv").read_text().startswith("game_id,tick,round,phase,trigger")
