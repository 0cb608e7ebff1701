"""How each type of claim is verified: one file and one entry in the table per type."""

from __future__ import annotations

from collections.abc import Callable

from quack_eval.claims.finding import Ruling
from quack_eval.claims.verify import activity, location, route, sighting
from quack_eval.claims.verify.case import Case

VERIFIERS: dict[str, Callable[[Case], Ruling]] = {
    "location": location.verify,
    "route": route.verify,
    "sighting": sighting.verify,
    "activity": activity.verify,
}
"""By the kind of a claim. Accusations and defences are judged by their support: `quack_eval.claims.support`."""

__all__ = ["VERIFIERS", "Case", "Ruling"]
