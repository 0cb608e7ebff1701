"""The page of a policy's profile."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from browser.conftest import Open
from quack_bench.cli import app

WIDER = "element => element.scrollWidth > element.clientWidth"


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of scripted players, probed in one game."""
    run = tmp_path_factory.mktemp("profile") / "run"
    for command in (("play", "--seed", "7", "--probe", "meetings", "--out", str(run)), ("profile", str(run))):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
    return run / "profiles" / "scripted.html"


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_never_scrolls_sideways(profile: Path, width: int, open_page: Open) -> None:
    page = open_page(profile, width=width)
    page.wait_for_function("document.querySelectorAll('.main-svg').length >= 2")
    assert not page.evaluate(f"({WIDER})(document.documentElement)")


def test_on_a_phone_the_table_scrolls_in_a_box_of_its_own(profile: Path, open_page: Open) -> None:
    page = open_page(profile, width=390)
    assert page.eval_on_selector(".scroll:has(table)", WIDER)
