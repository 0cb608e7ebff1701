"""Games per second and peak memory of whole scripted suites, from the first game to the last table, by their size.

    python benchmarks/scale.py                       # 200 and 2,000 games, one job
    python benchmarks/scale.py --games 200 2000 --jobs 2

Every size runs as `quack bench` in a process of its own; the peak is that of its largest process. Memory must not grow
with the number of games: the last line is the ratio of the peaks.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SUITE = """\
geese: [scripted, "scripted:aggressive"]
ducks: [scripted, "scripted:cautious"]
seeds: {seeds}
speech: tokens
"""
CHILD = "import runpy, sys; sys.argv = ['quack'] + sys.argv[1:]; runpy.run_module('quack_bench', run_name='__main__')"


def measured(games: int, jobs: int) -> dict[str, float]:
    """Seconds, games per second and peak memory (MB) of a suite of so many games, tables and findings included."""
    with tempfile.TemporaryDirectory() as scratch:
        suite = Path(scratch) / "scale.yaml"
        suite.write_text(SUITE.format(seeds=games // 4))
        command = ["bench", str(suite), "--out", f"{scratch}/run", "--jobs", str(jobs), "--json"]
        start = time.perf_counter()
        # a process between, so that its children's peak is that of this suite alone
        between = (
            "import json, resource, subprocess, sys;"
            "done = subprocess.run([sys.executable, '-c', *sys.argv[1:]], stdout=subprocess.PIPE, check=True);"
            "usage = resource.getrusage(resource.RUSAGE_CHILDREN);"
            "scored = json.loads(done.stdout)['games'];"
            "print(json.dumps([scored, usage.ru_maxrss, usage.ru_utime + usage.ru_stime]))"
        )
        done = subprocess.run(
            [sys.executable, "-c", between, CHILD, *command], stdout=subprocess.PIPE, check=True, text=True
        )
        seconds = time.perf_counter() - start
        scored, peak, cpu = json.loads(done.stdout)
    peak /= 1024 * 1024 if sys.platform == "darwin" else 1024
    return {"games": scored, "seconds": seconds, "cpu": cpu, "per_second": scored / seconds, "peak_mb": peak}


def main() -> None:
    """Print a line per size, then the ratio of the peaks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, nargs="+", default=[200, 2000], help="sizes, multiples of 4")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    found = []
    for games in given.games:
        found.append(measured(games, given.jobs))
        told = found[-1]
        print(
            f"{told['games']:6.0f} games  {told['seconds']:7.1f} s ({told['cpu']:.1f} s CPU)  "
            f"{told['per_second']:6.2f} games/s  peak {told['peak_mb']:.0f} MB",
            flush=True,
        )
    print(f"peak memory, last over first: {found[-1]['peak_mb'] / found[0]['peak_mb']:.3f}")


if __name__ == "__main__":
    main()
