"""The sheet as a form: answers stay, are saved as the CSV that is scored, and are not lost by leaving."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import PATIENCE, Open
from quack_eval.annotate import Judged, Spoken, draw, read_sheet, score, write_sheet

CLAIM = {"type": "location", "subject": "Bob", "room": "medbay", "time": "for as long as anybody can remember"}
SAID = [Spoken(f"games/{n}#4", "Bob", 4, "I was in medbay.", (Judged(CLAIM, "true", "he was"),)) for n in range(2)]


@pytest.fixture
def form(tmp_path: Path) -> Path:
    """A form of two claims in two utterances."""
    return write_sheet(draw(SAID, 2), tmp_path)[1]


@pytest.fixture
def page(browser: Any, form: Path) -> Iterator[Any]:
    """The form in a window of its own, which may be left at the end whatever was answered."""
    context = browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(form.resolve().as_uri())
    yield page
    context.close()


def fill(page: Any) -> None:
    """Answers everything about the first utterance."""
    page.fill("#annotator", "Anna")
    page.check("[name='extraction_ok-0'][value='y']")
    page.check("[name='verdict_ok-0'][value='?']")
    page.fill("[data-row='0'][data-field='note']", '=odd, "really"')
    page.fill("[data-row='1'][data-field='missed']", "2")


def test_answers_are_there_again_after_a_reload(page: Any) -> None:
    fill(page)
    assert page.inner_text("#state") == "2 of 4 open; kept in this browser, not saved as CSV yet"
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    assert page.input_value("#annotator") == "Anna"
    assert page.is_checked("[name='extraction_ok-0'][value='y']") and page.is_checked(
        "[name='verdict_ok-0'][value='?']"
    )
    assert page.input_value("[data-row='0'][data-field='note']") == '=odd, "really"'
    assert page.inner_text("#state").startswith("2 of 4 open")


def test_another_sheet_begins_without_answers(page: Any, tmp_path: Path) -> None:
    fill(page)
    page.once("dialog", lambda dialog: dialog.accept())
    page.goto(write_sheet(draw(SAID, 1), tmp_path / "other")[1].resolve().as_uri())
    assert page.inner_text("#state") == "2 of 2 open"


def test_who_leaves_with_answers_that_were_not_saved_is_warned(page: Any) -> None:
    warnings: list[str] = []

    def asked(dialog: Any) -> None:
        warnings.append(dialog.type)
        dialog.accept()

    page.on("dialog", asked)
    page.reload()
    assert warnings == []  # nothing was answered yet
    fill(page)
    page.reload()
    assert warnings == ["beforeunload"]
    with page.expect_download():
        page.click("#save")
    page.reload()
    assert warnings == ["beforeunload"]


def test_what_is_saved_is_the_sheet_with_the_answers(page: Any, tmp_path: Path) -> None:
    fill(page)
    with page.expect_download() as saved:
        page.click("#save")
    saved.value.save_as(tmp_path / "answers.csv")
    asked, table = read_sheet(tmp_path / "sheet.csv"), read_sheet(tmp_path / "answers.csv")
    given = {"extraction_ok": "y", "verdict_ok": "?", "note": '\'=odd, "really"'}
    assert table[0] == asked[0] | {"annotator": "Anna"} | given
    assert table[1] == asked[1] | {"annotator": "Anna", "missed": "2"}
    scores = score([tmp_path / "answers.csv"])
    assert (scores.extraction.of, scores.verdicts.of, scores.unsure, scores.unanswered) == (1, 0, 1, 1)


def test_the_form_names_the_game_and_fits_a_phone(form: Path, open_page: Open) -> None:
    page = open_page(form, 400, 800)
    assert "games/0#4" in page.inner_text("article >> nth=0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    heights = page.evaluate("[...document.querySelectorAll('.choice')].map(n => n.getBoundingClientRect().height)")
    assert max(heights) < 40  # the answers of a question are in one line
