"""Prompts, replies, images and beliefs beside the moments that they belong to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser.conftest import Open
from quack_env.beliefs import FILE, Belief, BeliefStore
from quack_env.render.png import to_png
from quack_eval import Trajectory
from quack_eval.report import write_report
from quack_eval.statements import StatementGame
from quack_eval.viewer import view

MAFIASCOPE = Path(__file__).resolve().parents[3] / "shared" / "data" / "mafiascope"
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
HASH = "0123456789abcdef01234567"
REPLY = 'I go to <b>medbay</b>. {"action": "wait()"}'


def call(**fields: Any) -> dict[str, Any]:
    """A record of a model call as recordings have it."""
    image = {"type": "image", "name": "map", "media_type": "image/png", "hash": HASH}
    return {
        **{"schema_version": 1, "agent": "player_2", "tick": 2, "phase": "free_roam", "meeting": None, "round": None},
        **{"attempt": 0, "model": "openai/mock", "modality": "image+text", "persona": None, "language": "English"},
        "messages": [
            {"role": "system", "content": "You are a player."},
            {"role": "user", "content": [{"type": "text", "text": "What do you do?"}, image]},
        ],
        **{"reply": REPLY, "reasoning": None, "finish_reason": "stop", "templates": "x", "reasoning_tokens": None},
        "parse": {"action": "wait()", "say": None, "failure": None, "detail": ""},
        **{"prompt_tokens": 12, "completion_tokens": 5, "cost": 0.25, "latency": 1.5, "cached": False},
        **{"effective": None, "dropped": [], "retries": [], "fallback": None, "error": None},
        **fields,
    }


def belief(folder: Path, event: int, tick: int, observer: str, target: str, p_duck: float) -> Belief:
    """A first-order belief."""
    return Belief(
        **{"game_id": folder.name, "tick": tick, "round": None, "phase": "free_roam", "trigger": "every_tick"},
        **{"event_index": event, "observer": observer, "target": target, "order": 1, "about": None},
        **{"p_goose": 1 - p_duck, "p_duck": p_duck, "parsed_ok": True, "repaired": False, "rationale": None},
        **{"latency_ms": None, "cost_usd": None, "context_ref": None},
    )


@pytest.fixture(scope="module")
def page_of_models(lying: tuple[Path, StatementGame], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a game with two calls, an image that was kept, and beliefs at two moments."""
    folder = tmp_path_factory.mktemp("models") / "game"
    shutil.copytree(lying[0], folder)
    calls = [call(), call(agent="player_1", tick=1, reply="nonsense", fallback="no action: nonsense")]
    (folder / "calls.jsonl").write_text("".join(json.dumps(one) + "\n" for one in calls))
    (folder / "images").mkdir()
    pixels = np.zeros((8, 8, 3), np.uint8)
    (folder / "images" / f"{HASH}.png").write_bytes(to_png(pixels))
    later = next(event.index for event in Trajectory.load(folder).events if event.tick == 4)
    store = BeliefStore(folder / FILE)
    store.add(
        [belief(folder, 5, 1, "player_0", "player_1", 0.2), belief(folder, later, 4, "player_0", "player_1", 0.75)]
    )
    store.close()
    return view(folder, folder.parent / "page").index.resolve().as_uri()


def test_the_call_behind_a_moment_is_shown_with_its_prompt_its_reply_and_its_image(
    page_of_models: str, open_page: Open
) -> None:
    page = open_page(page_of_models + "#t=2&tab=decisions")
    expect(page.locator("[data-call]")).to_have_count(1)
    assert page.inner_text("[data-call] pre") == REPLY
    assert "12 + 5 tokens" in page.inner_text("[data-call]")
    assert "$0.25" in page.inner_text("[data-call]")
    page.click("[data-call] details:last-of-type summary")
    expect(page.locator("[data-call] details pre").last).to_have_text("What do you do?")
    picture = page.locator("[data-call] img")
    expect(picture).to_have_count(1)
    picture.scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    assert picture.evaluate("image => image.naturalWidth") == 8
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-call]")).to_contain_text("declared fallback: no action: nonsense")


def test_an_agents_view_has_no_prompts_of_others(page_of_models: str, open_page: Open) -> None:
    page = open_page(page_of_models + "#t=2&agent=1&tab=decisions")
    expect(page.locator("#panel-decisions")).to_contain_text("0 calls")
    page.select_option("#view", "2")
    expect(page.locator("[data-call]")).to_have_count(1)


def test_beliefs_follow_the_cursor(page_of_models: str, open_page: Open) -> None:
    page = open_page(page_of_models + "#t=2&tab=beliefs")
    expect(page.locator(".matrix td")).to_have_text("0.20")
    expect(page.locator(".chart .scatterlayer .trace")).to_have_count(1)
    assert page.locator(".network .edge").count() == 0
    page.keyboard.press("End")
    expect(page.locator(".matrix td")).to_have_text("0.75")
    expect(page.locator(".network .edge")).to_have_count(1)


def test_the_report_draws_the_calibration_of_beliefs_and_writes_its_numbers_down(
    page_of_models: str, tmp_path: Path, open_page: Open
) -> None:
    game = Path(page_of_models.removeprefix("file://")).parent.parent / "game"
    report = write_report(game, tmp_path)
    found = json.loads((tmp_path / "beliefs.json").read_text("utf-8"))
    assert found["beliefs"] == 2
    page = open_page(report)
    expect(page.locator(".figure .plot-container").first).to_be_visible()
    assert "2 answers about 1 game." in page.inner_text("section:has(#beliefs)")


BEYOND = """() => [...document.querySelectorAll('body *')].filter(one => !one.closest('.scroll')
    && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map(one => one.outerHTML)"""
CHARTS = """() => [...document.querySelectorAll('.figure')].map(one => [one.clientWidth,
    one.closest('figure').querySelector('figcaption').textContent.length, one.querySelector('.gtitle') === null])"""


@pytest.mark.parametrize("width", [400, 1280])
def test_tables_and_charts_of_the_report_are_scrolled_in_boxes_of_their_own(
    page_of_models: str, tmp_path: Path, open_page: Open, width: int
) -> None:
    game = Path(page_of_models.removeprefix("file://")).parent.parent / "game"
    page = open_page(write_report(game, tmp_path), width, 800)
    expect(page.locator(".figure .plot-container").first).to_be_visible()
    assert page.evaluate(BEYOND) == []
    charts = page.evaluate(CHARTS)  # wide enough to read, and their titles are words of the page
    assert charts and all(wide >= 600 and titled and untitled for wide, titled, untitled in charts)
    page.locator(".scroll").last.focus()  # which the arrow keys then move
    assert page.evaluate("document.activeElement.className") == "scroll"


def test_a_game_of_mafiascope_shows_what_it_has_and_says_what_it_lacks(tmp_path: Path, open_page: Open) -> None:
    if not MAFIASCOPE.is_dir():
        pytest.skip("the games of MafiaScope are not there (../shared/data/mafiascope)")
    folder = next(folder for folder in sorted(MAFIASCOPE.iterdir()) if folder.is_dir())
    lines = [json.loads(line) for line in (folder / "game.jsonl").read_text("utf-8").splitlines()]
    page = open_page(view(folder, tmp_path).index)
    assert "there is no ship" in page.text_content("#notes")
    speeches = [line for line in lines if line["kind"] in ("intro", "day_discuss", "day_vote")]
    assert page.locator(".said").count() == len(speeches)
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#moment").startswith("Round 0")
    page.click("#tab-beliefs")
    page.keyboard.press("End")
    expect(page.locator(".matrix tbody tr").first).to_be_visible()
