"""Names under which Gymnasium and PettingZoo find the environments."""

from __future__ import annotations

import pettingzoo

from quack_env.seat import register as register_seat

QUACK_ID = "quack_env/Quack-v0"


def register_environments() -> None:
    """Register the seat environment with Gymnasium and, where PettingZoo has `make`, both forms with it."""
    register_seat()
    if hasattr(pettingzoo, "register") and QUACK_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", QUACK_ID, entry_point="quack_env:env")
        pettingzoo.register("parallel", QUACK_ID, entry_point="quack_env:parallel_env")
