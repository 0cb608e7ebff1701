"""Games that cannot be shown, games without an end, and games whose words attack the page."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import Open
from browser.games import NASTY, nasty, tampered
from quack_eval.statements import StatementGame
from quack_eval.viewer import view

Lying = tuple[Path, StatementGame]


def cut(source: Path, folder: Path, lines: int, status: str = "") -> Path:
    """A copy of a recording with only its first lines."""
    shutil.copytree(source, folder)
    file = folder / "trajectory.jsonl"
    file.write_text("".join(file.read_text("utf-8").splitlines(keepends=True)[:lines]), "utf-8")
    (folder / "status.json").write_text(status)
    return folder


def test_a_recording_without_a_byte_gets_a_page_that_says_so(lying: Lying, tmp_path: Path, open_page: Open) -> None:
    site = view(cut(lying[0], tmp_path / "empty", 0), tmp_path / "page")
    assert len(site.damaged) == 1
    assert "empty recording" in open_page(site.index).inner_text("[role=alert]")


def test_a_game_in_which_nothing_happened_says_so(lying: Lying, tmp_path: Path, open_page: Open) -> None:
    site = view(cut(lying[0], tmp_path / "dealt", 1), tmp_path / "page")
    page = open_page(site.index)
    assert "no events" in page.inner_text("[role=alert]")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#moment") == "Nothing was recorded"


def test_a_game_that_was_broken_off_says_so_and_can_be_looked_at(lying: Lying, tmp_path: Path, open_page: Open) -> None:
    game = cut(lying[0], tmp_path / "cut", 40, '{"status": "aborted", "reason": "the power went out"}')
    page = open_page(view(game, tmp_path / "page").index)
    assert "broken off" in page.inner_text("[role=alert]")
    assert "broken off" in page.inner_text("#outcome")
    assert "the power went out" in page.text_content("#notes")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#moment").startswith("Tick 1 of")


def test_a_damaged_line_gets_a_page_that_names_it(lying: Lying, tmp_path: Path, open_page: Open) -> None:
    game = cut(lying[0], tmp_path / "damaged", 30)
    with open(game / "trajectory.jsonl", "a") as file:
        file.write("<script>window.hacked = 1</script>\n{}\n")
    site = view(game, tmp_path / "page")
    page = open_page(site.index)
    assert "line 31" in page.inner_text("[role=alert]")
    assert len(site.damaged) == 1


@pytest.fixture(scope="module")
def attacked(lying: Lying, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    """The page of a game in which everybody attacks it, and what was said."""
    folder = tmp_path_factory.mktemp("nasty")
    game = tampered(lying[0], folder / "game", nasty)
    said = [line for line in (game / "trajectory.jsonl").read_text("utf-8").splitlines() if '"statement"' in line]
    return view(game, folder / "page").index.resolve().as_uri(), [NASTY[k % len(NASTY)] for k in range(len(said))]


def attacks(page: Any) -> list[Any]:
    """What an attack would have left behind."""
    found = page.evaluate(
        """() => [window.hacked, document.querySelectorAll('.said script, .said img, .said a, bdi > *').length,
        [...document.querySelectorAll('*')].some(n => [...n.attributes].some(a => a.name.startsWith('on')))]"""
    )
    return list(found)


def test_words_cannot_become_markup(attacked: tuple[str, list[str]], open_page: Open) -> None:
    page = open_page(attacked[0])
    for tab in ("claims", "events", "about", "transcript"):
        page.click(f"#tab-{tab}")
        assert attacks(page) == [None, 0, False]
    said = page.evaluate(
        "[...document.querySelectorAll('.said')].map(n => [...n.querySelector('.words').childNodes]"
        ".filter(p => !p.matches?.('.claim')).map(p => p.textContent).join(''))"
    )
    expected = [text.replace("\x00", "\x00").encode("utf-8", "replace").decode() for text in attacked[1]]
    assert [text.encode("utf-8", "replace").decode().replace("\ufffd", "?") for text in said] == expected


def test_words_of_any_direction_stay_in_their_place(attacked: tuple[str, list[str]], open_page: Open) -> None:
    page = open_page(attacked[0])
    isolated = page.evaluate(
        "[...document.querySelectorAll('.said .words')].map(n => [n.dir, getComputedStyle(n).unicodeBidi])"
    )
    assert {direction for direction, _ in isolated} == {"auto"}
    assert {bidi for _, bidi in isolated} <= {"plaintext", "isolate"}


def test_the_page_may_load_nothing_and_run_no_other_script(attacked: tuple[str, list[str]], open_page: Open) -> None:
    page = open_page(attacked[0])
    policy = page.get_attribute("meta[http-equiv]", "content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy and "http" not in policy
    assert page.evaluate("performance.getEntriesByType('resource').map(r => r.name)") == []
