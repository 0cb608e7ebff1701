"""The report of a run: one HTML file for readers, every number of which stands in `measures.json`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path

from quack_env import ConfigError, TrajectoryError
from quack_eval.report import sections
from quack_eval.report.beliefs import beliefs
from quack_eval.report.markup import h, render
from quack_eval.run_folder import RunFolder, open_run
from quack_eval.viewer.page import document

FILE = "report.html"
Progress = Callable[[int, int], None]


def write_report(run: Path, out: Path | None = None, progress: Progress | None = None) -> Path:
    """Write `report.html` of a run; the path of the file. See `open_run` and `report_of` for its two steps.

    Args:
        run: the run's folder, or any folder of recorded games; one without `measures.json` is evaluated first.
        out: where to write, and where an evaluation that is missing is kept; None for the run's folder.
        progress: called with (games evaluated, games in all), where they have to be.

    Raises:
        TrajectoryError: where there is no recorded game, or all are damaged or unfinished.
        ConfigError: where files cannot be read or written.
    """
    return report_of(open_run(run, out, progress), out)


def report_of(run: RunFolder, out: Path | None = None) -> Path:
    """Write `report.html` of an opened run into ``out``, or its folder; the path of the file.

    Raises:
        TrajectoryError: where all games are damaged or unfinished.
        ConfigError: where files cannot be read or written.
    """
    if not run.measures.get("games") and (messages := run.measures.get("messages")):
        told = f"no game could be read and scored, of {len(messages)}; the first: {messages[0]}"
        raise TrajectoryError(f"{run.path}: {told}")
    file = (out or run.path) / FILE
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(report_page(run, file.parent), encoding="utf-8")
    except OSError as fault:
        raise ConfigError(f"{file}: cannot be written ({fault.strerror}); choose another --out") from None
    return file


def report_page(run: RunFolder, folder: Path) -> str:
    """The report as one HTML document that needs nothing but itself; its links to recordings start from a folder."""
    believed = beliefs(run)
    found = [
        sections.headline(run),
        sections.failure_modes(run, folder),
        sections.evidence(run),
        believed.section,
        *sections.comparisons(run),
        *sections.ratings(run),
        sections.costs(run),
        sections.every_table(run),
        sections.methods(run),
    ]
    title = f"Report: {run.suite.get('name') or run.path.resolve().name}"
    links = h("ul", (h("li", h("a", section.title, href=f"#{section.name}")) for section in found))
    parts = [h("section", h("h2", section.title, id=section.name), section.content) for section in found]
    body = h("main", h("h1", title), sections.summary(run), h("nav", links, aria_label="Contents"), parts)
    style = (resources.files("quack_eval.report") / "report.css").read_text(encoding="utf-8")
    return document(title, render(body) + believed.scripts, believed.policy, style)
