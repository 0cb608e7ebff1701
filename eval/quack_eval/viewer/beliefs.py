"""What agents believed, from the store of a run, by the event before which they were probed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quack_env import GameRecord
from quack_eval.beliefs.load import beliefs_about


def belief_data(record: GameRecord, run: Path | None) -> dict[str, Any] | None:
    """The first-order beliefs about a game, JSON-ready; None where none were probed.

    ``rows``: [instant, observer, target, probability of a Duck, trigger], in the order of the instants. ``failed``
    counts the probes without an answer, ``second`` the second-order beliefs, which this page does not draw.
    """
    folder = record.path
    if folder is None:
        return None
    seats = {seat.agent: number for number, seat in enumerate(record.header.seats)}
    found = beliefs_about(folder, run)
    if not found:
        return None
    first = [belief for belief in found if belief.order == 1 and not belief.repeat]
    rows = [
        [belief.event_index, seats[belief.observer], seats[belief.target], belief.p_duck, belief.trigger]
        for belief in first
        if belief.p_duck is not None and {belief.observer, belief.target} <= seats.keys()
    ]
    return {
        "rows": sorted(rows, key=lambda row: row[0]),
        "failed": sum(belief.p_duck is None for belief in first),
        "second": sum(belief.order == 2 for belief in found),
    }
