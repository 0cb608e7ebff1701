"""The document with the published tables is written from the data, every cell of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quack_eval import evaluate
from quack_eval.metrics.estimate import estimate
from quack_eval.metrics.measure import Measure
from quack_eval.reproduction import DUCK_WIN, EJECTION, Cell, Sources, main, report, tables

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "reproduction.md"


@pytest.fixture(scope="module")
def sources(published: Path) -> Sources:
    """The published games in both conventions."""
    return Sources(evaluate([published]), evaluate([published], convention="published"))


def test_every_cell_of_tiers_1_and_2_is_there(sources: Sources) -> None:
    found = tables(sources)
    assert [len(table.cells) for table in found] == [10 * 5, 3 * 3, 3 * 3, 9 * 8, 9 * 8]
    for table in found:
        for cell in table.cells:
            assert cell.published is not None and cell.ours is not None
            assert cell.published.mean is not None and cell.ours.pooled is not None
    lines = list(report(sources))
    assert sum(line.startswith("| ") and " x " in line for line in lines) == 9 * (5 + 8 + 8)


def test_the_document_is_the_one_that_the_data_give(published_games: list[Path], sources: Sources) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    count = re.search(r"^From (\d+) games", text, flags=re.MULTILINE)
    assert count is not None
    if int(count[1]) != len(published_games):
        pytest.skip(f"the document was written from {count[1]} games, here are {len(published_games)}")
    assert text.splitlines() == list(report(sources))


def test_a_cell_is_reproduced_when_it_rounds_to_what_is_printed() -> None:
    games = [{"geese_win": Measure(1, 1), "ejection_accuracy": Measure(i, 3)} for i in (0, 1, 1)]
    values = estimate(games, resamples=0)
    assert Cell("", EJECTION, 22.2, values["ejection_accuracy"], None).reproduced
    assert not Cell("", EJECTION, 22.3, values["ejection_accuracy"], None).reproduced
    assert Cell("", DUCK_WIN, 0.0, values["geese_win"], None).reproduced
    assert not Cell("", DUCK_WIN, 0.0, None, None).reproduced


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main([str(tmp_path)]) == 2
    assert "no recorded game at or below it" in capsys.readouterr().err
