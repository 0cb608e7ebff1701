"""CPU time and memory of evaluation: from the files of recorded games to both tiers of each, on one core.

    python benchmarks/speed/evaluation.py ../shared/data/quack              # 270, 2,700 games and more
    python benchmarks/speed/evaluation.py ../shared/data/quack --games 27000

Fewer games than asked for are read again and again. Each size runs in a process of its own, so that its memory is its
own. Target: 270 published games under 2 s and 300 MB, and linear from there.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path

from quack_eval import BehaviourEval, OutcomeEval, Timeline, Trajectory, evaluate, find_games


def measure(path: str, games: int, convention: str) -> dict[str, float]:
    """Seconds of CPU by stage and peak memory in MB, for so many games one after the other."""
    start = time.process_time()
    paths = list(islice(cycle(find_games([path])), games))
    found = time.process_time()
    load = tiers = 0.0
    for folder in paths:
        before = time.process_time()
        trajectory = Trajectory.load(folder)
        loaded = time.process_time()
        timeline = Timeline(trajectory)
        for kind in (OutcomeEval, BehaviourEval):
            kind(trajectory, convention, timeline).to_dict()
        load += loaded - before
        tiers += time.process_time() - loaded
    total = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024)
    return {"games": games, "find": found - start, "load": load, "tiers": tiers, "total": total, "peak_mb": peak}


def measure_command(path: str) -> dict[str, float]:
    """The same of everything that `quack eval` does with the games that are there, tables and intervals included."""
    start = time.process_time()
    evaluation = evaluate([path])
    evaluated = time.process_time()
    evaluation.to_json()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024)
    return {
        "games": len(evaluation.evaluated),
        "evaluate": evaluated - start,
        "tables": time.process_time() - evaluated,
        "peak_mb": peak,
    }


def in_a_process(*arguments: str) -> dict[str, float]:
    """The result of this file with other arguments, in a fresh process."""
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path)
    parser.add_argument("--games", type=int, action="append", help="a number of games; default 270 and 2700")
    parser.add_argument("--convention", default="paper", choices=("paper", "published"))
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    path = str(options.path)
    if options.one is not None:
        result = measure(path, options.one, options.convention) if options.one else measure_command(path)
        print(json.dumps(result))
        return
    print(
        f"{'games':>6}  {'find':>6}  {'load':>7}  {'tiers':>7}  {'total':>7}  {'ms/game':>7}  {'peak MB':>7}   (CPU s)"
    )
    for games in options.games or (270, 2700):
        row = in_a_process(path, "--one", str(games), "--convention", options.convention)
        print(
            f"{games:6}  {row['find']:6.2f}  {row['load']:7.2f}  {row['tiers']:7.2f}  {row['total']:7.2f}"
            f"  {1000 * row['total'] / games:7.2f}  {row['peak_mb']:7.0f}"
        )
    row = in_a_process(path, "--one", "0")
    print(
        f"quack eval on the {row['games']:.0f} games there: {row['evaluate']:.2f} s evaluation, "
        f"{row['tables']:.2f} s estimates with intervals, peak {row['peak_mb']:.0f} MB"
    )


if __name__ == "__main__":
    main()
