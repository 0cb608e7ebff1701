"""`quack view`: pages to look at recorded games."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated, Any

import typer

from quack_bench.console import FAILED, err, guarded, out, print_json, progress
from quack_env import ConfigError
from quack_eval.load import check_own
from quack_eval.viewer import Site, view

LOOPBACK = "127.0.0.1"


@guarded
def view_command(
    path: Annotated[Path, typer.Argument(help="A recorded game, or a run (any folder of games).")],
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Folder for the pages; default: view, inside PATH, if the games are of this program."
        ),
    ] = None,
    images: Annotated[
        bool, typer.Option("--images", help="Draw both images of every decision, as files (slow, large).")
    ] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Serve the pages on this machine until Ctrl-C.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of --serve; 0 for a free one.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes, for the games of a run.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Make pages of a game, or of a run and all its games; open index.html in a browser, no network needed.

    A recording that cannot be read gets a page that says why; exit code 1 where no game can be shown.

    Example: quack view runs/demo -o demo-pages
    """
    site = _pages(path, out_dir or _beside(path), images, jobs)
    if site.outdated:
        err.print(site.outdated, markup=False, soft_wrap=True)
    for fault in site.damaged:
        err.print(f"cannot be shown: {fault}", markup=False, soft_wrap=True)
    for fault in site.unjudged:
        err.print(fault, markup=False, soft_wrap=True)
    if serve:
        server = server_of(site.index.parent, port)
        url = f"http://{LOOPBACK}:{server.server_address[1]}/"
        _tell(site, json, {"url": url})
        _serve(server)
    else:
        _tell(site, json, {})
    if len(site.damaged) == site.games:
        raise typer.Exit(FAILED)


def _beside(path: Path) -> Path:
    """The folder for the pages where none is named: by the recording, if it is one of ours."""
    if not path.exists():
        raise ConfigError(f"{path}: no such file or folder")
    check_own(path)
    return (path if path.is_dir() else path.parent) / "view"


def _pages(path: Path, folder: Path, images: bool, jobs: int) -> Site:
    with progress("Making pages") as advance:
        return view(path, folder, images, jobs, advance)


def _tell(site: Site, json: bool, more: dict[str, Any]) -> None:
    if json:
        print_json({"index": str(site.index), "games": site.games, "damaged": len(site.damaged), **more})
    else:
        out.print(more.get("url") or str(site.index), markup=False, soft_wrap=True)


def server_of(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server of the folder on loopback, not running yet.

    Raises:
        ConfigError: where the port is taken.
    """
    try:
        return ThreadingHTTPServer((LOOPBACK, port), partial(_Quiet, directory=str(folder)))
    except OSError as fault:
        raise ConfigError(f"--port {port}: cannot be used ({fault.strerror})") from None


def _serve(server: ThreadingHTTPServer) -> None:
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        err.print("stopped")
    finally:
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line on the terminal for each."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
