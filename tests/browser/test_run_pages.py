"""The page of a run and its report: every number is the one in measures.json."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from browser.conftest import PATIENCE, Open
from quack_bench.cli import app
from quack_bench.commands.view import server_of
from quack_eval.report import write_report
from quack_eval.viewer import view

SUITE = "geese: [scripted]\nducks: ['scripted:aggressive', random]\nseeds: 4\nspeech: text\nconfig: {max_ticks: 40}\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of eight scripted games, evaluated, with its report; one more recording in it is damaged."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "small.yaml").write_text(SUITE)
    result = CliRunner().invoke(app, ["bench", str(folder / "small.yaml"), "--out", str(folder / "run"), "--jobs", "1"])
    assert result.exit_code == 0, result.output
    broken = folder / "run" / "extra" / "seed-009"
    broken.mkdir(parents=True)
    (broken / "trajectory.jsonl").write_text("not a game\n")
    assert CliRunner().invoke(app, ["report", str(folder / "run")]).exit_code == 0
    return folder / "run"


@pytest.fixture(scope="module")
def measures(run: Path) -> dict[str, Any]:
    """What measures.json holds."""
    found: dict[str, Any] = json.loads((run / "measures.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def pages(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the run."""
    return view(run, tmp_path_factory.mktemp("pages")).index


def value_of(estimates: dict[str, Any], measure: str, estimator: str) -> str:
    """The full value of an estimate as JavaScript or Python writes it, for comparison as a number."""
    value = estimates[measure][estimator]
    return "" if value is None else str(float(value))


CELLS = """() => [...document.querySelectorAll('#panel-settings tr[data-group] td[data-measure]')].map(cell =>
    [cell.parentNode.dataset.group, cell.dataset.measure, cell.dataset.value])"""


@pytest.mark.parametrize("estimator", ["mean", "pooled"])
def test_every_number_of_the_settings_is_that_of_measures_json(
    pages: Path, measures: dict[str, Any], estimator: str, open_page: Open
) -> None:
    page = open_page(pages)
    page.select_option("#estimator", estimator)
    groups = {**measures["settings"], "all games": measures["measures"], **measures["roles"]["goose"]}
    groups |= {name: values for name, values in measures["roles"]["duck"].items() if name not in groups}
    cells = page.evaluate(CELLS)
    for group, measure, value in cells:
        if group in measures["roles"]["goose"] and group in measures["roles"]["duck"]:
            continue  # one name for two groups
        assert (str(float(value)) if value else "") == value_of(groups[group], measure, estimator), (group, measure)
    assert {measure for group, measure, _ in cells} >= {"geese_win", "spatial_hallucination", "ceiling_pooled"}


def test_the_games_are_filtered_and_lead_to_their_pages(pages: Path, run: Path, open_page: Open) -> None:
    lines = [json.loads(line) for line in (run / "games.jsonl").read_text("utf-8").splitlines()]
    page = open_page(pages)
    page.click("#tab-games")
    assert page.locator("#games tbody tr").count() == 9
    page.select_option('[data-filter="winner"]', "ducks")
    assert page.locator("#games tbody tr").count() == sum(line["tier1"]["winner"] == "ducks" for line in lines)
    page.select_option('[data-filter="winner"]', "")
    page.select_option('[data-filter="status"]', "damaged")
    page.click("#games tbody a")
    assert "cannot be shown" in page.inner_text("[role=alert]")
    page.go_back()
    page.click("#tab-games")
    page.click("#games tbody tr:last-child a")
    assert page.inner_text("#outcome")
    page.click("#head a")
    assert page.locator("#tab-games").count() == 1


def test_two_settings_are_compared_with_the_difference_of_the_run(
    pages: Path, measures: dict[str, Any], open_page: Open
) -> None:
    page = open_page(pages)
    page.click("#tab-compare")
    one = measures["comparisons"][0]
    page.select_option('[aria-label="First setting"]', one["second"])
    page.select_option('[aria-label="Second setting"]', one["first"])
    shown = page.get_attribute("#panel-compare tr:has([data-measure='geese_win']) [data-difference]", "data-difference")
    assert float(shown) == -one["measures"]["geese_win"]["mean"]


def test_ratings_and_costs_are_those_of_the_run(pages: Path, measures: dict[str, Any], open_page: Open) -> None:
    page = open_page(pages)
    values = page.evaluate(
        "[...document.querySelectorAll('#panel-ratings [data-value]')].map(n => Number(n.dataset.value))"
    )
    for rating in measures["ratings"]:
        assert rating["rating"] in values
    assert page.locator("#panel-costs tbody tr").count() >= len(measures["cost"])


def test_a_served_run_works_as_from_disk(pages: Path, browser: Any) -> None:
    server = server_of(pages.parent, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
    page.wait_for_selector(".chart .plot-container")
    assert errors == []
    context.close()
    server.shutdown()
    thread.join()
    server.server_close()


# --- the report ------------------------------------------------------------------------------------------------------


@pytest.fixture
def report(run: Path, open_page: Open) -> Iterator[Any]:
    """The report, opened."""
    yield open_page(run / "report.html")


def test_every_number_of_the_report_is_that_of_measures_json(report: Any, measures: dict[str, Any]) -> None:
    cells = report.evaluate(
        """() => [...document.querySelectorAll('td[data-measure][data-value]')].map(cell =>
        [cell.parentNode.querySelector('th').textContent, cell.dataset.measure, cell.dataset.estimator,
         cell.dataset.value, cell.firstChild.textContent])"""
    )
    groups = {**measures["settings"], "all games": measures["measures"]}
    assert len(cells) > 100
    for group, measure, estimator, value, shown in cells:
        assert (str(float(value)) if value else "") == value_of(groups[group], measure, estimator), (group, measure)
        if shown != "-":
            assert min(abs(float(shown) - factor * float(value)) for factor in (1, 100)) <= 0.051


def test_the_tables_of_the_report_are_saved_as_csv_with_all_digits(report: Any, measures: dict[str, Any]) -> None:
    link = report.get_attribute("a[download='measures.csv']", "href")
    rows = list(csv.DictReader(io.StringIO(base64.b64decode(link.partition(",")[2]).decode())))
    groups = {**measures["settings"], "all games": measures["measures"]}
    assert len(rows) == sum(map(len, groups.values()))
    for row in rows:
        estimate = groups[row["group"]][row["measure"]]
        assert (float(row["mean"]) if row["mean"] else None) == estimate["mean"]
        assert float(row["numerator"]) == estimate["numerator"]


def test_the_report_shows_examples_from_this_run(report: Any, run: Path) -> None:
    text = report.inner_text("#failures ~ .example:first-of-type, section:has(#failures)")
    findings = [json.loads(line) for line in (run / "findings.jsonl").read_text("utf-8").splitlines()]
    accusations = [f["reason"] for f in findings if f.get("failure") == "unsupported accusation"]
    assert any(reason in text for reason in accusations)


def test_the_report_says_what_was_left_out_and_how_it_was_made(report: Any) -> None:
    assert "seed" in report.inner_text("section:has(#methods)")
    assert "quack_env" in report.inner_text("section:has(#methods)")
    assert "max_ticks: 40" in report.inner_text("section:has(#methods) pre")


def test_on_a_phone_a_caption_stays_where_it_is_when_its_table_is_scrolled(run: Path, open_page: Open) -> None:
    page = open_page(run / "report.html", 400, 800)
    moved = page.evaluate(
        """() => [...document.querySelectorAll('figure')].map(figure => {
        const [caption, scrolled] = [figure.querySelector('figcaption'), figure.querySelector('.scroll')];
        const before = caption.getBoundingClientRect();
        scrolled.scrollLeft = 200;
        return [before.width <= 400, caption.getBoundingClientRect().left - before.left, scrolled.scrollLeft];
        })"""
    )
    assert all(fits and shift == 0 for fits, shift, _ in moved) and any(scrolled for *_, scrolled in moved)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_on_a_phone_a_long_name_of_a_policy_breaks_and_the_page_is_no_wider(
    run: Path, tmp_path: Path, open_page: Open
) -> None:
    shutil.copytree(run, tmp_path / "run")
    file = tmp_path / "run" / "findings.jsonl"
    file.write_text(re.sub('"(scripted|random)[:a-z]*"', f'"openai/{"long" * 20}"', file.read_text()))
    page = open_page(write_report(tmp_path / "run"), 400, 800)
    assert "longlonglong" in page.inner_text(".example >> nth=0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_the_report_has_no_script_and_fits_paper(report: Any) -> None:
    assert report.locator("script").count() == 0
    report.emulate_media(media="print")
    assert not report.is_visible("nav")
    assert report.is_visible("#failures")
