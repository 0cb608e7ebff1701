"""Claims: what was said, as typed values, and whether it is true."""

from __future__ import annotations

from quack_eval.claims.types import Claim

__all__ = ["Claim"]
