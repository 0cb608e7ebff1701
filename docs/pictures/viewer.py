"""Makes the pictures of docs/viewer.md: `python docs/pictures/viewer.py [--chromium PATH] [--out FOLDER]`.

They show games of scripted policies, made anew: the same seeds give the same pictures.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from quack_eval import StatementEval, Trajectory
from quack_eval.viewer import view

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
SUITE = """
name: pictures
geese: [scripted, 'scripted:cautious']
ducks: ['scripted:aggressive', 'scripted:cautious']
seeds: 4
speech: text
"""
DESK, PHONE = (1280, 820), (390, 844)


def main() -> None:
    """Play, make the pages, take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run, pages = Path(folder) / "run", Path(folder) / "pages"
        suite = Path(folder) / "pictures.yaml"
        suite.write_text(SUITE)
        command = [sys.executable, "-m", "quack_bench", "bench", str(suite), "--out", str(run), "--jobs", "1"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        index = view(run, pages).index
        take(arguments.chromium, arguments.out, run, index)


def take(chromium: str, out: Path, run: Path, index: Path) -> None:
    """The six pictures."""
    from playwright.sync_api import sync_playwright

    game, lie, witness = a_lie(run)
    page_of_game = (index.parent / "games" / game).with_suffix(".html").resolve().as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)

        def shoot(name: str, address: str, size: tuple[int, int], dark: bool = False) -> None:
            page: Any = browser.new_page(
                viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
            )
            page.set_default_timeout(300_000)
            page.goto(address)
            page.wait_for_timeout(3000)
            page.screenshot(path=out / f"viewer-{name}.png")
            page.close()

        shoot("lie", f"{page_of_game}#claim={lie}", DESK)
        shoot("agent", f"{page_of_game}#t=7&agent={witness}", DESK, dark=True)
        shoot("phone", f"{page_of_game}#t=7", PHONE)
        shoot("phone-claim", f"{page_of_game}#claim={lie}", PHONE)
        shoot("run", index.resolve().as_uri(), DESK)
        shoot("report", (run / "report.html").resolve().as_uri(), DESK)
        browser.close()


def a_lie(run: Path) -> tuple[str, int, int]:
    """(game, number of the claim, a Goose alive then) of the first false word of a Duck about where it was."""
    for file in sorted(run.glob("*/*/trajectory.jsonl")):
        trajectory = Trajectory.load(file.parent)
        game = StatementEval(trajectory).game
        for number, finding in enumerate(game.findings):
            exposed = finding.details.get("exposed")
            if finding.speaker in game.ducks and finding.kind == "location" and finding.verdict == "false" and exposed:
                return str(file.parent.relative_to(run)), number, exposed[0]
    raise SystemExit("no Duck of these games tells a lie that somebody could refute")


if __name__ == "__main__":
    main()
