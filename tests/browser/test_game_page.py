"""The page of a game, used as a reader uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browser.conftest import Open
from browser.games import is_lie
from quack_env.replay import Replay
from quack_eval import Trajectory
from quack_eval.statements import StatementGame

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
SEATS = "selector => [...document.querySelectorAll(selector)].map(node => Number(node.dataset.seat))"


def seats(page: Any, selector: str) -> set[int]:
    """The seats of the elements that a selector finds."""
    return set(page.evaluate(SEATS, selector))


def address_bar(page: Any) -> str:
    """The part of the address that links to the moment, once it is up to date."""
    page.wait_for_timeout(350)
    return str(page.evaluate("location.hash"))


def a_lie(game: StatementGame) -> int:
    """The number of a false claim of a Duck."""
    return next(number for number, finding in enumerate(game.findings) if is_lie(game, finding))


def test_arrows_step_through_time_and_shift_steps_event_by_event(lying_page: str, open_page: Open) -> None:
    page = open_page(lying_page)
    page.keyboard.press("ArrowRight")
    assert "t=1&" in address_bar(page)
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    assert "e=1" in address_bar(page)
    page.keyboard.press("End")
    assert "the end" in page.inner_text("#moment")


def test_a_person_is_drawn_where_the_recording_has_it(
    lying: tuple[Path, StatementGame], lying_page: str, open_page: Open
) -> None:
    header = Trajectory.load(lying[0]).header
    page = open_page(lying_page)
    inside = """seat => {
        const [x, y] = [...document.querySelector(`#people [data-seat="${seat}"] .shape`).getBoundingClientRect().toJSON
            ? [document.querySelector(`#people [data-seat="${seat}"] .shape`).getBoundingClientRect()] : []].map(
            box => [box.x + box.width / 2, box.y + box.height / 2])[0];
        return [...document.querySelectorAll('.room')].filter(room => {
            const box = room.querySelector('rect').getBoundingClientRect();
            return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
        }).map(room => room.dataset.room);
    }"""
    for seat, sitting in enumerate(header.seats):
        assert page.evaluate(inside, seat) == [sitting.spawn]


def test_a_click_on_a_claim_shows_the_finding_and_marks_what_decides_it_on_the_ship(
    lying: tuple[Path, StatementGame], lying_page: str, open_page: Open
) -> None:
    game = lying[1]
    number = a_lie(game)
    finding = game.findings[number]
    page = open_page(lying_page)
    page.click(f'.said [data-claim="{number}"]')
    told = page.inner_text(".finding")
    assert finding.reason in told
    assert f"ticks {finding.window.first_tick}\u2013{finding.window.last_tick}" in told  # type: ignore[union-attr]
    really = finding.reason.partition("it was in ")[2].split(", ")  # the judge's words for where the liar was
    marked = set(page.evaluate("[...document.querySelectorAll('.room.evidence')].map(room => room.dataset.room)"))
    assert marked >= set(really) and finding.claim.room not in marked
    assert page.get_attribute(f'.room[data-room="{finding.claim.room}"]', "class") == "room claimed"
    assert page.locator(".strip .window").count() == 1
    assert page.locator(".strip .proof").count() >= len(really)
    tick = int(page.inner_text("#moment").split()[1])
    assert finding.window.first_tick <= tick <= finding.window.last_tick  # type: ignore[union-attr]
    page.keyboard.press("Escape")
    assert page.locator(".finding, .room.evidence").count() == 0


def test_every_claim_has_a_mark_with_its_verdict_in_words(
    lying: tuple[Path, StatementGame], lying_page: str, open_page: Open
) -> None:
    page = open_page(lying_page)
    found = page.evaluate(
        "[...document.querySelectorAll('.said [data-claim]')].map(n => [Number(n.dataset.claim), n.ariaLabel])"
    )
    assert sorted(number for number, _ in found) == list(range(len(lying[1].findings)))
    assert all(label.startswith("Claim: ") for _, label in found)


def test_the_table_of_claims_filters_and_jumps(
    lying: tuple[Path, StatementGame], lying_page: str, open_page: Open
) -> None:
    game = lying[1]
    page = open_page(lying_page)
    page.click("#tab-claims")
    page.select_option('[aria-label="Which claims"]', "verdict:false")
    false = [number for number, finding in enumerate(game.findings) if finding.verdict == "false"]
    assert page.locator("[data-jump]").count() == len(false)
    page.click(f'[data-jump="{false[0]}"]')
    assert game.findings[false[0]].reason in page.inner_text(".finding")


def test_an_agents_view_has_nobody_in_the_document_whom_it_did_not_see(
    lying: tuple[Path, StatementGame], lying_page: str, open_page: Open
) -> None:
    trajectory = Trajectory.load(lying[0])
    replay = Replay(trajectory)
    moments: list[tuple[int, int, set[int]]] = []
    n = len(trajectory.names)
    for _ in replay:
        state = replay.game.state
        if not replay.game.over and replay.position % 7 == 0:
            view = replay.game.view(state.current)
            visible = {seat for seat in range(n) if (view.here | view.bodies) >> seat & 1}
            moments.append((replay.position - 1, state.current, visible | {state.current}))
    page = open_page(lying_page)
    for event, agent, visible in moments[:12]:
        page.evaluate(f"location.hash = '#e={event}&agent={agent}'")
        expect(page.locator("#view")).to_have_value(str(agent))
        assert seats(page, "#people [data-seat]") == visible, f"event {event}, agent {agent}"
        assert seats(page, "[data-seat]") == visible
        drawn = page.inner_html("#map") + page.inner_text("#roster table")
        hidden = [name for seat, name in enumerate(trajectory.names) if seat not in visible]
        assert not [name for name in hidden if name in drawn]
    assert page.locator("script[type='application/json']").count() == 0


def test_an_agents_view_has_no_verdicts_and_no_roles_but_its_own(lying_page: str, open_page: Open) -> None:
    page = open_page(lying_page + "#agent=0")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".claim, .passage, #tab-claims:visible, #panel-about table").count() == 0
    assert page.locator("#roster .role").count() <= 1


def test_a_link_leads_to_its_moment_its_agent_and_its_claim(
    lying: tuple[Path, StatementGame], lying_page: str, open_page: Open
) -> None:
    page = open_page(lying_page + "#t=3&agent=2")
    assert page.inner_text("#moment").startswith("Tick 3 of")
    assert page.input_value("#view") == "2"
    number = a_lie(lying[1])
    page = open_page(f"{lying_page}#claim={number}")
    assert lying[1].findings[number].reason in page.inner_text(".finding")


@pytest.mark.parametrize(
    ("named", "tab"), [("prompts", "decisions"), ("settings", "about"), ("decisions", "decisions")]
)
def test_a_link_leads_to_a_tab_by_its_label_or_by_its_own_name(
    lying_page: str, named: str, tab: str, open_page: Open
) -> None:
    page = open_page(f"{lying_page}#tab={named}")
    assert page.get_attribute(f"#tab-{tab}", "aria-selected") == "true"


def test_a_moment_is_told_of_the_ticks_that_were_played(
    lying: tuple[Path, StatementGame], lying_page: str, open_page: Open
) -> None:
    last = Trajectory.load(lying[0]).events[-1].tick
    assert last < 200  # the limit of such games
    assert open_page(lying_page + "#t=3").inner_text("#moment") == f"Tick 3 of {last}"


def test_a_click_on_a_person_switches_to_its_view_and_back(lying_page: str, open_page: Open) -> None:
    page = open_page(lying_page)
    page.click('#people [data-seat="1"]')
    assert page.input_value("#view") == "1"
    page.keyboard.press("g")
    assert page.input_value("#view") == ""
    assert len(seats(page, "#people [data-seat]")) == 6


def test_playing_moves_the_cursor_and_stops_at_the_end(lying_page: str, open_page: Open) -> None:
    page = open_page(lying_page)
    for key in ("End", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    page.select_option("#speed", "12")
    page.click("#play")
    expect(page.locator("#moment")).to_contain_text("the end")
    expect(page.locator("#play")).to_have_text("Play")


def test_tabs_and_claims_are_reached_by_keyboard(lying_page: str, open_page: Open) -> None:
    page = open_page(lying_page)
    page.focus("#tab-transcript")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#tab-claims", "aria-selected") == "true"
    page.keyboard.press("ArrowLeft")
    page.locator(".said .claim").first.focus()
    assert page.is_visible("#tip")
    page.keyboard.press("Enter")
    assert page.get_attribute(".said .claim.chosen", "aria-expanded") == "true"


def test_nothing_is_wider_than_a_phone(lying_page: str, large_page: str, open_page: Open) -> None:
    for address in (lying_page, large_page):
        page = open_page(address, 390, 844)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_both_themes_are_there_and_the_button_changes_them(lying_page: str, open_page: Open) -> None:
    page = open_page(lying_page, scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.click("#theme")
    assert page.evaluate(colour) != dark


def test_paper_gets_the_words_and_not_the_buttons(lying_page: str, open_page: Open) -> None:
    page = open_page(lying_page)
    page.emulate_media(media="print")
    assert not page.is_visible("#slider") and not page.is_visible("#tabs") and page.is_visible("#panel-transcript")


def test_a_game_of_twelve_opens_and_steps(large_page: str, open_page: Open) -> None:
    page = open_page(large_page)
    assert len(seats(page, "#people [data-seat]")) == 12
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert page.inner_text("#moment").startswith("Tick 20 of")
