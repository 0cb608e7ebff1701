"""The page on experiments: its situation is valid."""

from __future__ import annotations

import re
from pathlib import Path

from quack_agents.situations import check
from quack_agents.situations.reading import parse

PAGE = Path(__file__).parents[3] / "docs" / "experiments.md"


def test_the_situation_of_the_page_can_be_played() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (text,) = [block for block in blocks if "script:" in block]
    situation = parse(text, "experiments.md", "page")
    assert check(situation) > 0 and situation.moments == ("T0", "T1")
