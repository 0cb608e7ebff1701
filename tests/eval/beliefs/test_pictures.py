"""Pictures: what they show, and files that need nothing else."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from quack_env import ConfigError
from quack_eval.beliefs import BeliefGame, pictures
from quack_eval.beliefs.calibration import calibration
from quack_eval.beliefs.games import Happening

from .making import AGENTS, game, speech, track

CHROME = next((found for name in ("chromium", "google-chrome", "chrome") if (found := shutil.which(name))), None)


@pytest.fixture
def suspicious() -> BeliefGame:
    """Two observers; c is voted out at event 15."""
    beliefs = track("a", "d", 0.3, 0.9) + track("a", "c", 0.7) + track("b", "a", 0.1, 0.5)
    ejected = Happening(15, "ejected", None, "c", 0, frozenset(AGENTS))
    return game(beliefs, happenings=[speech(4, "b"), ejected], gone={"c": 6})


def test_curves_have_a_line_per_target_and_one_per_event(suspicious: BeliefGame) -> None:
    figure = pictures.curves(suspicious, "a")
    assert {line.name: list(line.y) for line in drawn(figure)} == {"C": [0.7], "D (Duck)": [0.3, 0.9]}
    assert [shape.x0 for shape in figure.layout.shapes] == [4], "what happened after the last belief is not drawn"
    later = pictures.curves(
        game([*suspicious.beliefs, *track("a", "d", 0.8, first=30)], happenings=suspicious.happenings), "a"
    )
    assert [shape.x0 for shape in later.layout.shapes] == [4, 15]
    assert [note.text for note in later.layout.annotations] == ["ejected: C"]
    assert {line.name for line in later.data} - {line.name for line in drawn(later)} == {"ejected", "speech"}


def drawn(figure: Any) -> list[Any]:
    """The traces with points, which those for the legend have not."""
    return [line for line in figure.data if list(line.y) != [None]]


def test_a_player_has_one_colour_in_all_pictures(suspicious: BeliefGame) -> None:
    beliefs = [*suspicious.beliefs, *track("b", "d", 0.5), *track("e", "d", 0.5)]
    pages = [pictures.curves(game(beliefs), observer) for observer in ("a", "b", "e")]
    colours = {line.line.color for figure in pages for line in figure.data if line.name == "D (Duck)"}
    assert len(colours) == 1
    assert pictures.curves(game(beliefs), "b").data[0].line.color not in colours, "another's is another"


def test_the_heatmap_leaves_open_what_was_not_stated(suspicious: BeliefGame) -> None:
    (shown,) = pictures.heatmap(suspicious, "a").data
    assert list(shown.y) == ["B", "C", "D (Duck)", "E"]
    assert [list(row) for row in shown.z] == [[None, None], [0.7, None], [0.3, 0.9], [None, None]]


def test_the_network_has_a_moment_for_every_step_of_its_slider(suspicious: BeliefGame) -> None:
    figure = pictures.network(suspicious)
    steps = figure.layout.sliders[0].steps
    assert [frame.name for frame in figure.frames] == ["0", "10"]
    assert [step.args[0][0] for step in steps] == ["0", "10"]
    arrows = {frame.name: {line.name: len(line.x) // 3 for line in frame.data[:-1]} for frame in figure.frames}
    assert arrows["0"] == {"p 0.2 to 0.4": 1, "p 0.4 to 0.6": 0, "p 0.6 to 0.8": 1, "p 0.8 to 1.0": 0}
    assert arrows["10"] == {"p 0.2 to 0.4": 0, "p 0.4 to 0.6": 1, "p 0.6 to 0.8": 0, "p 0.8 to 1.0": 1}, "c is gone"


def test_heads_of_arrows_are_not_hidden_by_players_however_small_the_picture(suspicious: BeliefGame) -> None:
    *arrows, players = pictures.network(suspicious).frames[0].data
    radius = players.marker.size / 2  # in pixels, whatever the scale of the axes
    assert all(arrow.marker.standoff >= radius for arrow in arrows)


def test_the_slider_tells_what_happened_since_the_moment_before(suspicious: BeliefGame) -> None:
    told = [step.label for step in pictures.network(suspicious).layout.sliders[0].steps]
    assert told == ["tick 0, before speech", "tick 10, speech: B"]


def test_the_network_explains_its_rims_and_grey(suspicious: BeliefGame) -> None:
    figure = pictures.network(suspicious)
    players = figure.frames[-1].data[-1].marker
    key = {mark.name: mark.marker for mark in figure.data if mark.x == (None,) and mark.mode == "markers"}
    of = dict(zip(AGENTS, zip(players.color, players.line.color, strict=True), strict=True))
    assert (key["Duck"].line.color, key["Goose"].line.color) == (of["d"][1], of["a"][1])
    assert key["out of the game"].color == of["c"][0]
    assert len({of[agent][0] for agent in "abde"}) == 4


def test_believed_stands_beside_the_truth(suspicious: BeliefGame) -> None:
    believed, true = pictures.believed_and_true(suspicious).data
    assert [list(row) for row in believed.z] == [[None, None, 0.7, 0.9, None], [0.5, None, None, None, None]]
    assert [list(row) for row in true.z] == [[None, None, 0.0, 1.0, None], [0.0, None, None, None, None]]
    earlier, _ = pictures.believed_and_true(suspicious, 5).data
    assert [list(row)[3] for row in earlier.z] == [0.3, None]


def test_reliability_shows_bins_with_their_intervals_and_numbers() -> None:
    figure = pictures.reliability(calibration([[(0.9, True), (0.9, False), (0.1, False)]]))
    _, points, bars = figure.data
    assert list(points.x) == pytest.approx([0.1, 0.9])
    assert list(points.y) == [0, 0.5]
    assert points.error_y.array[1] == pytest.approx(0.9055 - 0.5, abs=1e-4)
    assert list(bars.y) == [0, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert pictures.reliability(calibration([])).layout.title.text == "Calibration: ECE undefined, 0 beliefs"


def test_a_page_of_pictures_needs_nothing_else(suspicious: BeliefGame, tmp_path: Path) -> None:
    page = pictures.write_html(pictures.of_game(suspicious), tmp_path / "new" / "game.html", "a <game>")
    text = page.read_text(encoding="utf-8")
    assert "<title>a &lt;game&gt;</title>" in text
    assert text.count("Plotly.newPlot(") == 6, "network, believed and true, curves and heatmap of two observers"
    assert "<script src" not in text and "cdn.plot.ly/plotly" not in text
    assert [file.name for file in page.parent.iterdir()] == ["game.html"]


def test_pages_of_one_folder_can_share_plotly(suspicious: BeliefGame, tmp_path: Path) -> None:
    figures = {"curves": pictures.curves(suspicious, "a")}
    pages = [pictures.write_html(figures, tmp_path / f"{name}.html", name, shared=True) for name in ("one", "two")]
    assert all(page.stat().st_size < 100_000 for page in pages)
    assert all(
        re.findall(r'<script [^>]*src="([^"]+)"', page.read_text("utf-8")) == ["plotly.min.js"] for page in pages
    )
    assert (tmp_path / "plotly.min.js").stat().st_size > 1_000_000


def test_headings_name_the_observer(suspicious: BeliefGame, tmp_path: Path) -> None:
    page = pictures.write_html(pictures.of_game(suspicious), tmp_path / "game.html", "a game")
    headings = re.findall("<h2>(.*?)</h2>", page.read_text("utf-8"))
    assert headings[:1] == ["Who suspects whom"] and "What A (Goose) believes" in headings


def test_the_index_leads_to_every_page(tmp_path: Path) -> None:
    index = pictures.write_index({"a <game>": tmp_path / "a game.html"}, tmp_path, "All")
    assert re.findall("<a href=(.*?)</a>", index.read_text("utf-8")) == ['"a%20game.html">a &lt;game&gt;']


@pytest.mark.skipif(CHROME is None, reason="no Chrome or Chromium: PNG pictures cannot be made")
def test_a_picture_can_be_a_png(suspicious: BeliefGame, tmp_path: Path) -> None:
    (written,) = pictures.write_png({"curves": pictures.curves(suspicious, "a")}, tmp_path)
    head = written.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(head[16:20]), int.from_bytes(head[20:24])) == (2 * 1200, 2 * 700)


def test_without_chrome_it_says_what_is_missing(
    suspicious: BeliefGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match=r"Kaleido .* and Chrome or Chromium"):
        pictures.write_png({"curves": pictures.curves(suspicious, "a")}, tmp_path)
