"""Kills a run at random moments, resumes it each time, and compares the end with a run that nobody disturbed.

    python -m tests.bench.kill --times 10 --games 60 --jobs 2
    python -m tests.bench.kill --times 4 --games 6 --models      # against the mock model server

Said to hold: files are byte-equal (times aside), no finished game is touched again, no paid call is made again.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from quack_agents.mock_server import MockServer
from quack_bench.games import ending
from quack_bench.runner import frozen
from quack_bench.store import RunStore

SCRIPTED = 'geese: [scripted, "scripted:cautious"]\nducks: [scripted, "scripted:aggressive"]\nseeds: {seeds}\n'
MODELS = """\
geese: ["openai/mock?api_base={url}"]
ducks: ["openai/mock?api_base={url}"]
seeds: {seeds}
speech: text
modality: text
map: small
config: {{n_players: 4, n_tasks: 1, task_ticks: 1, kill_cooldown: 2, max_ticks: 15}}
"""
TIMED = ("run.sqlite", "run.lock", "replies.sqlite", "calls.jsonl", "games.jsonl", "measures", "report.html")
"""Files with times (latencies), or of the machinery; `games.jsonl` and measures too where models played."""
PLAIN = TIMED[:3]


def start(suite: Path, run: Path, jobs: int) -> subprocess.Popen[bytes]:
    """`quack bench`, as a process."""
    command = [
        sys.executable,
        "-m",
        "quack_bench",
        "bench",
        str(suite),
        "--out",
        str(run),
        "--jobs",
        str(jobs),
        "--json",
    ]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finished(run: Path) -> dict[str, tuple[int, int]]:
    """The finished games of a run: inode and time of change of each recording."""
    if not (run / "suite.yaml").exists():
        return {}
    found = {}
    for game in frozen(run).games():
        if ending(run / game.id) is not None:
            stat = (run / game.id / "trajectory.jsonl").stat()
            found[game.id] = (stat.st_ino, stat.st_mtime_ns)
    return found


def contents(run: Path, without: tuple[str, ...]) -> dict[str, bytes]:
    """The files of a run but for some."""
    files = (path for path in run.rglob("*") if path.is_file() and not path.name.startswith(without))
    return {path.relative_to(run).as_posix(): path.read_bytes() for path in files}


def kill_and_resume(suite: Path, run: Path, jobs: int, times: int, games: int, chance: random.Random) -> int:
    """Play a suite, killed so many times; (re)started until it ends. Returns the number of kills that hit it alive."""
    moments = sorted(chance.randrange(games + 1) for _ in range(times))
    hit = 0
    known: dict[str, tuple[int, int]] = {}
    for moment in moments:
        process = start(suite, run, jobs)
        try:
            while process.poll() is None and len(finished(run)) < moment:
                time.sleep(0.02)
            time.sleep(chance.uniform(0, 1.5))
            hit += process.poll() is None
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        now = finished(run)
        assert known.items() <= now.items(), "a finished game was played again, or lost"
        known = now
    process = start(suite, run, jobs)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors.decode()
    now = finished(run)
    assert known.items() <= now.items(), "a finished game was played again, or lost"
    assert len(now) == games
    return hit


def check(times: int, games: int, jobs: int, models: bool, seed: int, scratch: Path) -> str:
    """Run both ways and compare; what to say of it."""
    chance = random.Random(seed)
    suite, calm, killed = scratch / "suite.yaml", scratch / "calm" / "run", scratch / "killed" / "run"
    with MockServer() as server:
        os.environ.pop("OPENAI_API_BASE", None)
        per_seed = 1 if models else 4
        suite.write_text((MODELS if models else SCRIPTED).format(seeds=games // per_seed, url=server.url))
        process = start(suite, calm, jobs)
        _, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors.decode()
        calls = server.calls
        hit = kill_and_resume(suite, killed, jobs, times, games, chance)
        again = server.calls - 2 * calls
    without = TIMED if models else PLAIN
    one, other = contents(calm, without), contents(killed, without)
    differing = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    assert not differing, f"differ: {differing[:5]}"
    with RunStore(killed) as store:
        entries = store.read().values()
    attempts = sum(entry.attempts for entry in entries)
    assert {entry.status for entry in entries} == {"finished"}
    assert attempts <= games + hit * jobs, "more attempts than kills account for"
    told = f"{hit} of {times} kills hit; {games} games, {attempts} attempts; {len(one)} files byte-equal"
    if models:
        at_most = hit * jobs * 4  # what may be in flight at a kill: one vote of four players per game
        assert 0 <= again <= at_most, f"{again} calls were made again"
        told += f"; {calls} calls, {again} of them lost in flight and made again"
    return told


def main() -> None:
    """Say what held, or fail."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(check(given.times, given.games, given.jobs, given.models, given.seed, Path(scratch)))


if __name__ == "__main__":
    main()
