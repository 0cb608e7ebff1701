"""Win rates of a network against the scripted players."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from selfplay.rollout import Clock, play
from selfplay.tables import Owners, ScriptedTables, all_geese, duck_alone, one_goose, scripted

FIRST = 1_000_000
"""Seed of the first game here; those of the final evaluation lie below, and training draws its own."""
KINDS: dict[str, Owners] = {"duck": duck_alone, "goose": one_goose, "geese": all_geese, "scripted": scripted}


def win_rates(policy: Any, games: int, options: dict[str, Any], greedy: bool = True) -> dict[str, float]:
    """Of the Duck against scripted Geese; of the Geese with one trained seat, with all; of the scripted Geese."""
    rates = {}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        for kind, owners in KINDS.items():
            tables = ScriptedTables(games, owners, **options)
            tables.deal(range(FIRST, FIRST + games), np.random.default_rng(0))
            play([tables], [policy], Clock(), greedy)
            geese_won = tables.rewards[~tables.ducks].reshape(games, -1)[:, 0] > 0
            rates[kind] = float((~geese_won if kind == "duck" else geese_won).mean())
    return rates
