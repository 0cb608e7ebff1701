"""A real Chromium without network, and pages made from real games. Every page must be free of errors."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.games import record, with_lies
from quack_eval.statements import StatementGame
from quack_eval.viewer import view

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
PATIENCE = 90_000
"""Milliseconds to wait for the browser: machines that run tests may be busy."""
NAMES = ("chromium", "chromium-browser", "google-chrome")
Open = Callable[..., Any]


@pytest.fixture(scope="module")  # Playwright keeps an event loop running in its thread: no other module may meet it
def browser() -> Iterator[Any]:
    """Chromium; the tests are skipped where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no browser tests")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no Chromium on this machine ({', '.join(NAMES)}): the pages are not tested in a browser")
    sync_api.expect.set_options(timeout=PATIENCE)
    with sync_api.sync_playwright() as playwright:
        shown = ["--hide-scrollbars"]  # which Playwright hides and people see; they take width
        found = playwright.chromium.launch(executable_path=path, args=ARGUMENTS, ignore_default_args=shown)
        yield found
        found.close()


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """One window without network for all tests of a module: a new one costs a second each."""
    context = browser.new_context()
    context.set_offline(True)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


@pytest.fixture
def open_page(window: Any) -> Iterator[Open]:
    """Opens an address (or a file) without network; the test fails if the page reports any error."""
    errors: list[str] = []

    def console(message: Any) -> None:
        errors.append(f"{message.type}: {message.text}")

    def fault(error: Any) -> None:
        errors.append(str(error))

    def show(address: str | Path, width: int = 1280, height: int = 900, scheme: str = "light") -> Any:
        window.set_viewport_size({"width": width, "height": height})
        window.emulate_media(color_scheme=scheme, media="screen")
        window.goto("about:blank")
        window.goto(address if isinstance(address, str) else address.resolve().as_uri())
        return window

    window.on("console", console)
    window.on("pageerror", fault)
    yield show
    window.remove_listener("console", console)
    window.remove_listener("pageerror", fault)
    assert errors == []


@pytest.fixture(scope="session")
def lying(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StatementGame]:
    """A recorded game in which a Duck lies, with its findings."""
    return with_lies(tmp_path_factory.mktemp("lies"))


@pytest.fixture(scope="session")
def lying_page(lying: tuple[Path, StatementGame], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page of that game."""
    return view(lying[0], tmp_path_factory.mktemp("page")).index.resolve().as_uri()


@pytest.fixture(scope="session")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page of a game of twelve on the large ship."""
    folder = tmp_path_factory.mktemp("large")
    settings = {"n_players": 12, "n_ducks": 3, "map": "large", "kill_cooldown": 25, "n_tasks": 10, "task_ticks": 6}
    game = record(folder / "game", 3, **settings)
    return view(game, folder / "page").index.resolve().as_uri()
