"""How often the judge agrees with the adjudicated claims: by type, by verdict and by class of time phrase.

python benchmarks/judge.py [--gold eval/gold/claims.jsonl] [--data ../shared/data/quack] [--wrong]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from quack_eval import Trajectory
from quack_eval.claims import phrases
from quack_eval.claims.finding import Finding
from quack_eval.claims.judge import judge
from quack_eval.claims.sources import messages
from quack_eval.claims.types import Claim

ROOT = Path(__file__).resolve().parents[1]
GOLD = ROOT / "eval" / "gold" / "claims.jsonl"
DATA = ROOT.parent / "shared" / "data" / "quack"

Row = tuple[dict[str, Any], Finding]


def judged(gold: Path, data: Path) -> list[Row]:
    """Every adjudicated claim with the judge's finding about it."""
    load = cache(Trajectory.load)
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    return [(row, _finding(load(data / row["game"]), row)) for row in rows]


def _finding(trajectory: Trajectory, row: dict[str, Any]) -> Finding:
    return judge(trajectory, row["claim"], row["speaker"], row["meeting"], _text(trajectory, row))


def _text(trajectory: Trajectory, row: dict[str, Any]) -> str | None:
    """The message by its hash."""
    seat = trajectory.names.index(row["speaker"])
    return next((m.text for m in messages(trajectory) if (m.sha, m.speaker) == (row["message"], seat)), None)


def agrees(row: dict[str, Any], finding: Finding) -> bool:
    """Whether the verdicts are equal, and for accusations and defences the support, where it was adjudicated."""
    same_support = row.get("support") in (None, finding.support)
    return bool(row["verdict"] == finding.verdict and same_support)


def same_window(row: dict[str, Any], finding: Finding) -> bool:
    """Whether the judge looked at the ticks that the adjudication names."""
    window = finding.window
    return row["window"] is None or (
        window is not None and row["window"]["ticks"] == [window.first_tick, window.last_tick]
    )


def phrase_class(row: dict[str, Any]) -> str:
    """The class of the claim's time phrase."""
    claim = row["claim"]
    if claim["type"] in ("accusation", "defense"):
        return "no phrase"
    return phrases.read(claim["time"]).kind if claim.get("time") else "no phrase"


def table(rows: list[Row], key: Callable[[dict[str, Any]], str]) -> list[str]:
    """Lines of (class, right / all, share)."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row, finding in rows:
        counts[key(row)][0] += agrees(row, finding)
        counts[key(row)][1] += 1
    return [f"  {name:24s} {right:4d} / {n:4d}  {right / n:6.1%}" for name, (right, n) in sorted(counts.items())]


def main() -> int:
    """Print the tables; exit code 1 below 97 %."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gold", type=Path, default=GOLD)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--wrong", action="store_true", help="list the claims on which the judge differs")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"{options.data}: not there, nothing to compare with", file=sys.stderr)
        return 1
    start = time.process_time()
    rows = judged(options.gold, options.data)
    spent = time.process_time() - start
    right = sum(agrees(row, finding) for row, finding in rows)
    windows = sum(same_window(row, finding) for row, finding in rows)
    print(f"{right} of {len(rows)} right ({right / len(rows):.1%}); the same window in {windows}; {spent:.1f} s CPU")
    for title, key in (
        ("type", lambda row: Claim.from_dict(row["claim"]).kind),
        ("verdict", lambda row: str(row["verdict"])),
        ("phrase", phrase_class),
    ):
        print(f"by {title}")
        print("\n".join(table(rows, key)))
    if options.wrong:
        for row, finding in rows:
            if not agrees(row, finding):
                print(row["id"], row["game"], row["claim"], row["verdict"], row.get("support"), row["reason"])
                print(
                    "   judge:", finding.verdict, finding.support, finding.reason, finding.window and finding.window.how
                )
    return int(right / len(rows) < 0.97)


if __name__ == "__main__":
    raise SystemExit(main())
