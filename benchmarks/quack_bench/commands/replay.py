"""`quack replay`: tell a recorded game again, or check it against the rules."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from quack_bench.commands.play import QUIET, summary_of, told
from quack_bench.console import FAILED, err, guarded, out, print_json, progress
from quack_bench.runner import holds_run
from quack_env import ConfigError
from quack_env.encode.text import counted
from quack_eval import Trajectory, find_games
from quack_eval.check import check_games
from quack_eval.load import format_of


@guarded
def replay(
    path: Annotated[Path, typer.Argument(help="A recorded game; with --check also a run or a folder tree.")],
    check: Annotated[bool, typer.Option(help="Check that the replay equals the recording, event by event.")] = False,
    video: Annotated[Path | None, typer.Option(help="Write a film of the game to this MP4 file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Tell a recorded game again, or check that the rules reproduce it exactly.

    With --video the spectator's view goes to an MP4 file (extra "video").

    Works on our recordings and on published QUACK games. Exit code 1 when a check fails.

    Example: quack replay runs/demo --check
    """
    if video is not None and video.suffix.lower() != ".mp4":
        raise ConfigError(f"--video {video}: must end in .mp4")
    if video is not None or not check:
        check_game_there(path)
    film_made = record_film(path, video) if video is not None else {}
    if film_made and not check:
        if json:
            print_json(film_made)
        return
    if not check:
        tell(path, json)
        return
    with progress("Replaying") as advance:
        counts = check_games([path], advance)
    keys = ("games", "events", "mismatches", "illegal", "posthumous", "damaged")
    result = {key: getattr(counts, key) for key in keys}
    if json:
        print_json(film_made | result | {"messages": counts.messages[:100]})
    else:
        for message in counts.messages[:20]:
            err.print(message, markup=False, soft_wrap=True)
        if len(counts.messages) > 20:
            err.print(f"... and {len(counts.messages) - 20} more")
        for event in counts.posthumous_events:
            out.print(f"posthumous: {event}", markup=False, soft_wrap=True)
        told = result | {"cannot be replayed": result["damaged"]}
        out.print(", ".join(f"{key} {value}" for key, value in told.items() if key != "damaged"))
    if not counts.ok:
        raise typer.Exit(FAILED)


def check_game_there(path: Path) -> None:
    """Nothing, but for a folder of games that is none itself.

    Raises:
        ConfigError: naming its first game.
    """
    if not path.is_dir() or format_of(path) is not None:
        return
    games = find_games([path])
    if path not in games:
        kind = f"is a run of {counted(len(games), 'game')}" if holds_run(path) else "is no game, and has some below it"
        raise ConfigError(f"{path}: {kind}; name one of them, as in quack replay {quote(str(games[0]))}")


def record_film(path: Path, video: Path) -> dict[str, Any]:
    """Write the spectator's view of a recorded game to an MP4 file; what was written."""
    from quack_env.render.spectator import film
    from quack_env.render.stage import scenes
    from quack_env.render.video import SIZE, write_video

    shots = list(scenes(Trajectory.load(path)))
    expected = 4 * len(shots)
    with progress("Filming") as advance:
        count = write_video(film(shots, SIZE), video, progress=lambda done: advance(done, max(done, expected)))
    err.print(f"{count} frames in {video}", style="dim")
    return {"path": str(path), "video": str(video), "frames": count}


def tell(path: Path, json: bool) -> None:
    """Print a recorded game in words."""
    trajectory = Trajectory.load(path)
    if json:
        print_json(summary_of(trajectory, path))
        return
    for seat in trajectory.header.seats:
        out.print(f"{seat.agent}  {seat.name}, {seat.role}, {seat.policy or 'unknown policy'}", markup=False)
    for event in trajectory.events:
        if event.kind not in QUIET:
            out.print(told(event, trajectory.names), markup=False)
    if trajectory.torn:
        err.print("the recording was cut off here (torn last line)")
    if trajectory.outcome is None:
        err.print(f"the game has no end (status: {trajectory.status})")
