"""Social reasoning: policies under test in scripted situations, scored and ranked (beliefs.md, "Experiments").

A run of situations is a folder with recorded games, their beliefs (`run.sqlite`) and an index, `situations.json`, of
what was played by whom. Whoever is under test was asked at the situations' moments; nothing else is scored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from quack_env import ConfigError, GameRecord
from quack_env.beliefs import FILE, BeliefStore
from quack_eval.beliefs.games import BeliefGame, game_of, p_duck
from quack_eval.beliefs.impact import order_effect
from quack_eval.beliefs.measures import Slice, measures_of, reference_of
from quack_eval.metrics.estimate import Estimate, Floats, Interval, bootstrap, estimate
from quack_eval.metrics.measure import UNDEFINED, Measure, mean, ratio
from quack_eval.metrics.tables import Keyed, shown, shown_interval, shown_policy

INDEX = "situations.json"
ORDER = "order"
"""The kind of a control in which two players speak in each other's turns."""
SHOWN = (
    *(
        "accuracy",
        "vote_accuracy",
        "brier",
        "rationality_gap",
        "belief_vote_consistency",
        "certainty",
        "anchoring",
        "conformity",
    ),
    *("flip_rate", "update_speed", "impossible_suspicion", "missed_proof", "answered"),
)
COMPONENTS = ("accuracy", "rationality_gap", "belief_vote_consistency", "anchoring", "conformity")
"""What the score is made of."""
BETTER_LOW = frozenset({"rationality_gap", "anchoring", "conformity"})
"""Components that are best at 0, in either direction."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Performance:
    """One situation played by one policy: an entry of the index.

    ``game``: its folder below the run; ``tested``: the agents under test; ``mirror``: the name of the control, None for
    the situation itself; ``kind`` and ``exchanged``: which exchange of which two agents makes the control;
    ``played``: a digest of the script and of how it was played.
    """

    game: str
    situation: str
    mirror: str | None
    policy: str
    seed: int
    tested: tuple[str, ...]
    kind: str | None = None
    exchanged: tuple[str, ...] = ()
    played: str = ""


def read_index(run: str | os.PathLike[str]) -> list[Performance]:
    """The performances of a run of situations.

    Raises:
        ConfigError: where the folder is none.
    """
    file = Path(run) / INDEX
    try:
        entries = json.loads(file.read_text("utf-8"))["performances"]
        lists = ("tested", "exchanged")
        return [Performance(**{**one, **{name: tuple(one[name]) for name in lists}}) for one in entries]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ConfigError(f"{file}: no index of a run of situations ({fault})") from None


def write_index(run: str | os.PathLike[str], performances: Sequence[Performance]) -> None:
    """Write the index of a run, in place of an earlier one."""
    file = Path(run) / INDEX
    unfinished = file.with_suffix(".new")
    text = json.dumps({"performances": [asdict(one) for one in performances]}, ensure_ascii=False, indent=1)
    unfinished.write_text(text + "\n", "utf-8")
    unfinished.replace(file)


@dataclass(frozen=True)
class Ranked:
    """One policy's place: ``score`` is the mean of its defined components, each from 0 to 1, best at 1; its interval
    comes from resampling the units (see `SocialReasoning`)."""

    policy: str
    score: float | None
    interval: Interval
    measures: Mapping[str, Estimate]


class SocialReasoning:
    """The scores of all policies in a run of situations.

    The units that intervals resample are the situations, each with all its controls and seeds; where there is but one
    situation, they are the seeds.

    accuracy: at an observer's last moment, the share of Ducks among its top suspects (those with its highest p); Geese
    only; denominator: performances x observers. vote_accuracy: votes of Geese for a Duck / votes of Geese. anchoring:
    see `order_effect`, over the pairs of a situation and its order-swapped control, for the first accused of each. The
    others: see `measures`. Policies that state no beliefs have no score, and come last.

    Args:
        run: the folder.
        progress: called as games get done.

    Raises:
        ConfigError: where the folder is no run of situations.
    """

    def __init__(self, run: str | os.PathLike[str], progress: Progress | None = None) -> None:
        self.run = Path(run)
        self.performances = read_index(run)
        beliefs: dict[str, list[Any]] = {}
        for belief in BeliefStore(self.run / FILE).read():
            beliefs.setdefault(belief.game_id, []).append(belief)
        self._parts: dict[Performance, Slice] = {}
        for done, one in enumerate(self.performances):
            if progress:
                progress(done, len(self.performances))
            game = game_of(GameRecord.load(self.run / one.game), beliefs.get(one.game, []), one.game)
            self._parts[one] = Slice(game, frozenset(one.tested), reference_of(game))
        situations = {one.situation for one in self.performances}
        self.by_seed = len(situations) == 1

    def part(self, performance: Performance) -> Slice:
        """The beliefs of one performance."""
        return self._parts[performance]

    @cached_property
    def units(self) -> dict[str, dict[str, dict[str, Measure]]]:
        """By policy and unit, the measures."""
        found: dict[str, dict[str, dict[str, Measure]]] = {}
        for one in self.performances:
            unit = f"seed {one.seed}" if self.by_seed else one.situation
            _add(found.setdefault(one.policy, {}).setdefault(unit, {}), _measures(self._parts[one]))
        for base, control in self._pairs():
            unit = f"seed {base.seed}" if self.by_seed else base.situation
            effect = anchored(self._parts[base], self._parts[control])
            _add(found[base.policy][unit], {"anchoring": effect})
        return found

    def _pairs(self) -> Iterator[tuple[Performance, Performance]]:
        """Each performance with its order-swapped control."""
        bases = {(one.situation, one.policy, one.seed): one for one in self.performances if one.mirror is None}
        for control in self.performances:
            base = bases.get((control.situation, control.policy, control.seed))
            if control.kind == ORDER and base is not None:
                yield base, control

    @cached_property
    def ranking(self) -> list[Ranked]:
        """All policies, the best score first."""
        found = []
        for policy, units in self.units.items():
            score, interval = scored(list(units.values()))
            found.append(Ranked(policy, score, interval, estimate(list(units.values()))))
        return sorted(found, key=lambda one: (one.score is None, -(one.score or 0.0), one.policy))

    def table(self) -> Table:
        """The ranking, for the terminal: a row a measure, a column a policy, the best first."""
        unit = "seeds" if self.by_seed else "situations"
        table = Table(
            "measure",
            title="Social reasoning",
            caption=f"score and pooled measures, below them the 95 % interval by {unit}",
            box=SIMPLE_HEAD,
        )
        for one in self.ranking:
            table.add_column(escape(shown_policy(one.policy)), justify="right")
        table.add_row("score", *(_cell(one.score, one.interval) for one in self.ranking))
        for name in SHOWN:
            known = [one.measures.get(name) for one in self.ranking]
            cells = (_cell(value.pooled, value.pooled_interval) if value else "-" for value in known)
            table.add_row(name.replace("_", " "), *cells)
        return table

    @cached_property
    def tracks(self) -> dict[tuple[str, str, str, str], dict[str, Measure]]:
        """What was believed when: by (situation or control, policy, observer, moment), the mean p by target over seeds.
        Players go by the names of the situation."""
        found: dict[tuple[str, str, str, str], dict[str, Measure]] = {}
        for one in self.performances:
            part = self._parts[one]
            variant = f"{one.situation}+{one.mirror}" if one.mirror else one.situation
            for belief in part.beliefs:
                if belief.moment is not None:
                    key = variant, one.policy, part.game.names[belief.observer], belief.moment
                    _add(found.setdefault(key, {}), {part.game.names[belief.target]: mean([p_duck(belief)])})
        return found

    def moment_tables(self) -> list[Table]:
        """What was believed at the moments, for the terminal: a table for every situation or control and policy."""
        names = sorted({name for row in self.tracks.values() for name in row})
        tables: dict[tuple[str, str], Table] = {}
        for (variant, policy, observer, moment), row in self.tracks.items():
            title = escape(f"Beliefs at the moments of {variant}: {shown_policy(policy)}")
            made = Keyed("observer", "moment", *map(escape, names), keys=2, title=title, box=SIMPLE_HEAD)
            table = tables.setdefault((variant, policy), made)
            cells = [shown(row[name].value if name in row else None, False) for name in names]
            table.add_row(*map(escape, (observer, moment, *cells)))
        return list(tables.values())

    def to_json(self) -> dict[str, Any]:
        """Everything, JSON-ready."""
        return {
            "performances": len(self.performances),
            "situations": sorted({one.situation for one in self.performances}),
            "units": "seeds" if self.by_seed else "situations",
            "components": list(COMPONENTS),
            "moments": [
                dict(zip(("situation", "policy", "observer", "moment"), key, strict=True))
                | {"p": {name: measure.value for name, measure in row.items()}}
                for key, row in self.tracks.items()
            ],
            "ranking": [
                {"policy": one.policy, "score": one.score, "interval": one.interval}
                | {"measures": {name: value.to_dict() for name, value in one.measures.items()}}
                for one in self.ranking
            ],
        }


def _measures(part: Slice) -> dict[str, Measure]:
    voted = [v for v in part.game.votes if v.voter in part.observers and not part.game.is_duck(v.voter)]
    votes = ratio(v.target is not None and part.game.is_duck(v.target) for v in voted)
    return {"accuracy": accuracy(part), "vote_accuracy": votes, "anchoring": UNDEFINED, **measures_of(part)}


def accuracy(part: Slice) -> Measure:
    """Ducks among the top suspects of each Goose's last snapshot."""
    shares = []
    for observer, snapshots in part.snapshots.items():
        if not part.game.is_duck(observer):
            believed = snapshots[-1].p
            high = max(believed.values())
            tops = [target for target, p in believed.items() if p == high]
            shares.append(sum(map(part.game.is_duck, tops)) / len(tops))
    return mean(shares)


def anchored(base: Slice, control: Slice) -> Measure:
    """Anchoring in an order-swapped pair: for the player accused first in either, p there minus p in the other.

    Undefined where the same player is the first accused in both, or nobody is in one.
    """
    first, other = first_accused(base.game), first_accused(control.game)
    if first is None or other is None or first == other:
        return UNDEFINED
    return order_effect(base.beliefs, control.beliefs, first) + order_effect(control.beliefs, base.beliefs, other)


def first_accused(game: BeliefGame) -> str | None:
    """Who is accused first in a game, in words that name the accused."""
    return next((stance.target for stance in game.stances if stance.accuses), None)


def scored(units: Sequence[Mapping[str, Measure]]) -> tuple[float | None, Interval]:
    """(score, its interval): the mean of the components that are defined, over units pooled."""
    parts = np.array(
        [[(one.get(n, UNDEFINED).numerator, one.get(n, UNDEFINED).denominator) for n in COMPONENTS] for one in units]
    )
    low = np.array([name in BETTER_LOW for name in COMPONENTS])

    def score(counts: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            values = (counts @ parts[:, :, 0]) / (counts @ parts[:, :, 1])
        values = np.where(low, 1.0 - np.abs(values), values)
        defined = ~np.isnan(values)
        total = np.where(defined, values, 0.0).sum(axis=1)
        return np.asarray(np.where(defined.any(axis=1), total / np.maximum(1, defined.sum(axis=1)), np.nan))

    value = float(score(np.ones((1, len(units))))[0])
    return (None if np.isnan(value) else value), bootstrap(len(units), score)


def _add(total: dict[str, Measure], more: Mapping[str, Measure]) -> None:
    for name, measure in more.items():
        total[name] = total.get(name, UNDEFINED) + measure


def _cell(value: float | None, interval: Interval) -> str:
    if value is None:
        return "-"
    below = f"\n[dim]{escape(shown_interval(interval, False, value))}[/dim]" if interval else ""
    return shown(value, False) + below


__all__ = ["INDEX", "Performance", "Ranked", "SocialReasoning", "read_index", "write_index"]
