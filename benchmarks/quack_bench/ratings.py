"""How strong policies are in each role, from who won against whom: openskill, with intervals over games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from openskill.models import PlackettLuce

from quack_eval.metrics.estimate import FEWEST

GOOSE, DUCK = ROLES = ("goose", "duck")
ORDERS = 10
"""A rating depends a little on the order of the games: the mean over so many orders is taken."""
RESAMPLES, LEAST_RESAMPLES, UPDATES = 200, 50, 200_000
"""Bootstrap resamples; fewer, down to the least, where that would take more updates than this."""
SEED = 20260527


class Match(NamedTuple):
    """A finished game: the policies of both teams, and who won."""

    goose: str
    duck: str
    geese_won: bool


@dataclass(frozen=True)
class Rating:
    """A policy in a role. Ratings of one role can be compared with each other, not with those of the other role.

    ``rating`` is openskill's mu (25 for an average policy), ``sigma`` its own uncertainty; ``low`` and ``high`` bound
    the 95 % interval of the rating when whole games are drawn anew: None with fewer than `FEWEST` of the policy, and
    where it won all of them or none, since what is drawn from outcomes that are all alike cannot show another.
    """

    role: str
    policy: str
    rank: int
    games: int
    won: int
    rating: float
    sigma: float
    low: float | None
    high: float | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def ratings(matches: Iterable[Match], resamples: int | None = None) -> list[Rating]:
    """The policies by role, the strongest of each role first.

    Args:
        matches: the finished games.
        resamples: for the intervals; None for 200, or fewer where the games are very many.
    """
    games = list(matches)
    if not games:
        return []
    chance = random.Random(SEED)
    runs = [_rated(chance.sample(games, len(games))) for _ in range(ORDERS)]
    if resamples is None:
        resamples = max(LEAST_RESAMPLES, min(RESAMPLES, UPDATES // len(games)))
    drawn = [_rated(chance.choices(games, k=len(games))) for _ in range(resamples)]
    found: list[Rating] = []
    for role in ROLES:
        played = Counter(getattr(game, role) for game in games)
        won = Counter(getattr(game, role) for game in games if game.geese_won == (role == GOOSE))
        means = {policy: float(np.mean([run[role, policy][0] for run in runs])) for policy in sorted(played)}
        for rank, policy in enumerate(sorted(means, key=lambda name: -means[name]), 1):
            sigma = float(np.mean([run[role, policy][1] for run in runs]))
            values = [run[role, policy][0] for run in drawn if (role, policy) in run]
            enough = values and played[policy] >= FEWEST and 0 < won[policy] < played[policy]
            low, high = map(float, np.quantile(values, [0.025, 0.975])) if enough else (None, None)
            found.append(Rating(role, policy, rank, played[policy], won[policy], means[policy], sigma, low, high))
    return found


def _rated(games: Sequence[Match]) -> dict[tuple[str, str], tuple[float, float]]:
    """(mu, sigma) by role and policy, after games in this order."""
    model = PlackettLuce(tau=0.0)  # policies stay as strong as they are
    rated: dict[tuple[str, str], Any] = {}
    for game in games:
        keys = (GOOSE, game.goose), (DUCK, game.duck)
        teams = [[rated.get(key) or model.rating()] for key in keys]
        (goose,), (duck,) = model.rate(teams, ranks=[1, 2] if game.geese_won else [2, 1])
        rated |= dict(zip(keys, (goose, duck), strict=True))
    return {key: (rating.mu, rating.sigma) for key, rating in rated.items()}
