"""A folder of pages: one game, or a run with a page for every game of it. Everything opens from disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

from quack_env import QuackError
from quack_env.wrappers import IMAGES
from quack_eval.claims.finding import Finding
from quack_eval.importers import mafiascope
from quack_eval.load import find_games, format_of, holds_game
from quack_eval.out_folder import out_folder
from quack_eval.run_folder import RunFolder, open_run
from quack_eval.trajectory import Trajectory
from quack_eval.viewer.game_data import GameSource, game_data
from quack_eval.viewer.mafiascope import mafiascope_data
from quack_eval.viewer.page import PLOTLY, message_page, page
from quack_eval.viewer.run_data import list_data, run_data
from quack_eval.workers import processes

INDEX = "index.html"
DAMAGED = "damaged"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Site:
    """What was written: the page to open, and the games that could not be shown, each with why.

    ``outdated``: see `RunFolder`. ``unjudged``: why the statements of games that are shown could not be judged.
    """

    index: Path
    games: int
    damaged: list[str]
    outdated: str | None = None
    unjudged: list[str] = field(default_factory=list)


def view(path: Path, out: Path, images: bool = False, jobs: int = 1, progress: Progress | None = None) -> Site:
    """Write the pages of a game or of a run into a folder.

    Args:
        path: a recorded game (ours or a published one), or a folder of them.
        out: the folder for the pages; made where it is missing.
        images: whether to draw both images of every decision, as files.
        jobs: processes, for the games of a run.
        progress: called with (pages written, pages in all), of one game with (events replayed, events in all).

    Raises:
        TrajectoryError: where there is no recorded game.
        ConfigError: where the folder cannot be written.
    """
    theirs = mafiascope.find(path) if path.is_dir() and not holds_game(path) else []
    if not theirs:
        find_games([path])  # before a folder is made
    out_folder(out)
    if theirs:
        return view_mafiascope(path, theirs, out)
    if format_of(path) is not None:
        return view_game(path if path.is_dir() else path.parent, out, images, progress)
    return view_run(open_run(path, _results(path, out), progress), out, images, jobs, progress)


def _results(path: Path, out: Path) -> Path:
    """Where an evaluation that is missing goes: beside the pages, the recordings stay as they are."""
    return out / "evaluation" if path.resolve() != out.resolve() else out


def view_game(path: Path, out: Path, images: bool = False, progress: Progress | None = None) -> Site:
    """Write the page of one game."""
    status = _write(_Job(path, out / INDEX, None, None, images, None, PLOTLY), progress)
    return _site(out / INDEX, [status])


def view_run(run: RunFolder, out: Path, images: bool = False, jobs: int = 1, progress: Progress | None = None) -> Site:
    """Write the page of a run, and those of its games."""
    work = [_job(run, game, out, images) for game in run.games]
    statuses: dict[str, _Status] = {}
    for done, (game, status) in enumerate(zip(run.games, _written(work, jobs), strict=True), 1):
        statuses[game] = status
        if progress is not None:
            progress(done, len(work))
    pages = {game: quote(f"{_file(game)}") for game in run.games}
    data = run_data(run, pages, {game: status.status for game, status in statuses.items()})
    data["plotly"] = PLOTLY
    put_plotly(out)
    (out / INDEX).write_text(page("run", f"Run {data['title']}", data, charts=True), encoding="utf-8")
    return _site(out / INDEX, statuses.values(), run.outdated)


def view_mafiascope(path: Path, folders: Sequence[Path], out: Path) -> Site:
    """Write the page of a game that MafiaScope recorded, or of several with a list of them."""
    single = [path] == list(folders)
    put_plotly(out)
    pages: dict[str, str] = {}
    faults: list[str] = []
    for folder in folders:
        file = out / INDEX if single else out / _file(folder.name)
        up = None if single else "../"
        data = {"plotly": (up or "") + PLOTLY, "run_page": up and up + INDEX}
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            text = page("game", folder.name, mafiascope_data(folder) | data, charts=True)
        except QuackError as fault:
            faults.append(str(fault))
            text = message_page("A game that cannot be shown", [f"{folder}: cannot be shown.", str(fault)])
        file.write_text(text, encoding="utf-8")
        pages[folder.name] = quote(_file(folder.name))
    if not single:
        data = list_data(path.resolve().name, pages) | {"plotly": PLOTLY}
        (out / INDEX).write_text(page("run", f"Games of {path.name}", data, charts=True), encoding="utf-8")
    return Site(out / INDEX, len(folders), faults)


# --- pages of games --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Job:
    """A page to be written; `up` leads from it to the page of the run."""

    game: Path
    file: Path
    run: Path | None
    findings: Sequence[Finding] | None
    images: bool
    up: str | None
    plotly: str


@dataclass(frozen=True)
class _Status:
    """How the recording of a page stands; ``fault`` where it could not be shown, ``unjudged`` where what was said in it
    could not be judged."""

    status: str
    fault: str = ""
    unjudged: str = ""


def _site(index: Path, statuses: Collection[_Status], outdated: str | None = None) -> Site:
    """The site with these pages of games."""
    damaged = [status.fault for status in statuses if status.fault]
    unjudged = [status.unjudged for status in statuses if status.unjudged]
    return Site(index, len(statuses), damaged, outdated, unjudged)


def _file(game: str) -> str:
    return f"games/{game}.html"


def _job(run: RunFolder, game: str, out: Path, images: bool) -> _Job:
    said = run.statements.get(game)
    up = "../" * (game.count("/") + 1)
    findings = said.findings if said is not None else None
    return _Job(run.games[game], out / _file(game), run.path, findings, images, up + INDEX, up + PLOTLY)


def _written(work: list[_Job], jobs: int) -> Iterator[_Status]:
    if jobs <= 1 or len(work) < 2:
        yield from map(_write, work)
        return
    with processes(min(jobs, len(work))) as pool:
        yield from pool.map(_write, work, chunksize=4)


def _write(job: _Job, progress: Progress | None = None) -> _Status:
    """Write one page; a recording that cannot be read gets one that says so."""
    job.file.parent.mkdir(parents=True, exist_ok=True)
    try:
        trajectory = Trajectory.load(job.game)
        folder = job.file.parent / IMAGES
        source = GameSource(trajectory, job.run, job.findings, folder if job.images else None, progress)
        data = game_data(source)
    except QuackError as fault:
        lines = [f"{job.game}: this recording cannot be shown.", str(fault)]
        job.file.write_text(message_page("A game that cannot be shown", lines), encoding="utf-8")
        return _Status(DAMAGED, str(fault))
    _copy_images(job.game, folder, data)
    charts = data["beliefs"] is not None
    if charts:
        put_plotly((job.file.parent / job.plotly).parent)
    data |= {"plotly": job.plotly, "run_page": job.up}
    job.file.write_text(page("game", f"{data['title']} - QUACK", data, charts), encoding="utf-8")
    return _Status(trajectory.status, unjudged=data["unjudged"])


def _copy_images(game: Path, folder: Path, data: dict[str, Any]) -> None:
    """The images that were kept with a recording, beside its page."""
    stored = (data["calls"] or {}).get("stored") or []
    if stored:
        folder.mkdir(parents=True, exist_ok=True)
    for digest in stored:
        shutil.copyfile(game / IMAGES / f"{digest}.png", folder / f"{digest}.png")


def put_plotly(folder: Path) -> None:
    """Plotly's library into a folder, once."""
    target = Path(os.path.normpath(folder)) / PLOTLY
    if not target.exists():
        source = resources.files("plotly") / "package_data" / PLOTLY
        target.write_bytes(source.read_bytes())
