"""Experiments: the arms of a suite compared pairwise over shared seeds, with what the sample could have seen."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from quack_bench.factors import levels_in
from quack_bench.games import ending
from quack_bench.runner import frozen
from quack_bench.suite import Game, Suite
from quack_env import ConfigError, GameRecord
from quack_env.yaml_file import unknown_value
from quack_eval.beliefs.conduct import conduct
from quack_eval.beliefs.validity import Validity, validity
from quack_eval.metrics.estimate import RESAMPLES, Floats, Interval, bootstrap
from quack_eval.metrics.measure import Measure
from quack_eval.metrics.tables import Keyed, shown, shown_interval
from quack_eval.metrics.tier1 import OutcomeEval
from quack_eval.metrics.tier2 import BehaviourEval
from quack_eval.timeline import Timeline

POWER, ALPHA = 0.8, 0.05
POLICIES = "policies"
"""The factor that stands for who plays, where a suite has several pairings."""
BOUNDS = {
    "geese_win": 0.1,
    "ejection_accuracy": 0.1,
    "goose_vote_accuracy": 0.1,
    "goose_skip_rate": 0.1,
    "task_completion": 0.1,
    "kills": 0.5,
    "ticks": 10.0,
    "message_length": 20.0,
}
"""Equivalence: differences within these bounds, in the measure's own unit, are taken for none."""
Progress = Callable[[int, int], None]
Played = list[tuple[int, Mapping[str, Measure]]]
LEGEND = "verdict: against the bound; detects: by a paired t-test at 5 % with 80 % power"


@dataclass(frozen=True)
class Effect:
    """A measure at one level of a factor minus that at another, over the seeds that define it at both.

    ``difference`` is the mean over seeds of the difference of means; ``interval`` its 95 % interval by resampling
    seeds. ``size``: the difference in standard deviations of the seeds' differences (Cohen's d for pairs); None where
    all are alike. ``detectable``: the smallest difference that a paired t-test at 5 % finds with 80 % power in so many
    seeds. ``bound``: the bound of equivalence; ``verdict``: "equivalent" where the 90 % interval lies within it (two
    one-sided tests at 5 %), else "different" where the 95 % interval leaves out 0, else "open"; without a bound
    "different" or "open". It is "open" too without an interval, and differences that are all alike are never
    "equivalent": how much others would differ cannot be told from them. ``mixed_with``: other factors that have no
    level in common on the two sides, joined by commas: the games cannot tell their effects apart from this one.
    """

    factor: str
    first: str
    second: str
    measure: str
    seeds: int
    difference: float | None
    interval: Interval
    size: float | None
    detectable: float | None
    bound: float | None
    verdict: str
    mixed_with: str = ""


@dataclass(frozen=True)
class Sameness:
    """How many of the games that two levels of a factor have in common are the same, event by event."""

    factor: str
    first: str
    second: str
    same: int
    games: int


class Experiment:
    """The finished games of a suite's run, by the levels of its factors.

    Args:
        run: the folder of the run.
        bounds: of equivalence by measure; None for `BOUNDS`.
        progress: called as games get done.

    Raises:
        ConfigError: where the folder is no run of a suite, none of its games is finished, or a bound is of no measure.
    """

    def __init__(
        self,
        run: Path,
        bounds: Mapping[str, float] | None = None,
        progress: Progress | None = None,
        resamples: int = RESAMPLES,
    ) -> None:
        self.run = run
        self.suite: Suite = frozen(run)
        self.bounds = dict(BOUNDS if bounds is None else bounds)
        self.resamples = resamples
        games = [game for game in self.suite.games() if ending(run / game.id) is not None]
        if not games:
            raise ConfigError(f"{run}: none of its games is finished")
        self.games: list[tuple[Game, dict[str, str], dict[str, Measure], int]] = []
        for done, game in enumerate(games):
            if progress:
                progress(done, len(games))
            trajectory = GameRecord.load(run / game.id)
            self.games.append(
                (game, self._levels(game), measures_of(trajectory), hash(tuple(map(repr, trajectory.events))))
            )
        known = BOUNDS.keys() | {name for _, _, measures, _ in self.games for name in measures}
        for name in self.bounds.keys() - known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else "known are those of outcomes and behaviour"
            raise ConfigError(f"bound of {name!r}: no such measure here; {hint}")

    def _levels(self, game: Game) -> dict[str, str]:
        return {POLICIES: game.setting.base, **levels_in(game.setting.arm)}

    @property
    def factors(self) -> dict[str, list[str]]:
        """Levels by factor, of those that have more than one."""
        found: dict[str, dict[str, None]] = {}
        for _, levels, _, _ in self.games:
            for factor, level in levels.items():
                found.setdefault(factor, {})[level] = None
        return {factor: list(levels) for factor, levels in found.items() if len(levels) > 1}

    def pairs(self, against: str | None = None) -> list[tuple[str, str, str]]:
        """(factor, level, other level).

        Args:
            against: only those with this level.

        Raises:
            ConfigError: where no factor has such a level.
        """
        levels = list(dict.fromkeys(level for found in self.factors.values() for level in found))
        if against is not None and against not in levels:
            raise ConfigError(f"level {unknown_value(against, levels)}")
        found = [(factor, *pair) for factor, levels in self.factors.items() for pair in combinations(levels, 2)]
        return [pair for pair in found if against is None or against in pair[1:]]

    def effects(self, against: str | None = None) -> list[Effect]:
        """Every two levels of every factor compared, in the measures that have bounds; ``against`` as in `pairs`."""
        return [effect for pair in self.pairs(against) for effect in self._compared(*pair)]

    def mixed_with(self, factor: str, first: str, second: str) -> list[str]:
        """The other factors whose levels in the games at one level of a factor are all others than at the other."""
        sides = [[levels for _, levels, _, _ in self.games if levels.get(factor) == level] for level in (first, second)]
        others = [other for other in self.factors if other != factor]
        return [
            other
            for other in others
            if {levels.get(other) for levels in sides[0]}.isdisjoint(levels.get(other) for levels in sides[1])
        ]

    def _compared(self, factor: str, first: str, second: str) -> Iterator[Effect]:
        mixed = ", ".join(self.mixed_with(factor, first, second))
        sides: list[Played] = [
            [(game.seed, found) for game, levels, found, _ in self.games if levels.get(factor) == level]
            for level in (first, second)
        ]
        told = {name for side in sides for _, found in side for name in found}
        for name, bound in self.bounds.items():
            if name not in told:
                continue
            changes = differences(sides[0], sides[1], name)
            interval = bootstrap(len(changes), _mean_of(changes), self.resamples)
            yield Effect(
                factor, first, second, name,
                seeds=len(changes),
                difference=float(np.mean(changes)) if changes else None,
                interval=interval,
                size=effect_size(changes),
                detectable=detectable(changes),
                bound=bound,
                verdict=verdict(changes, interval, bound),
                mixed_with=mixed,
            )  # fmt: skip

    def sameness(self, against: str | None = None) -> list[Sameness]:
        """For every two levels of a factor, how many games are the same with everything else alike; ``against`` as in
        `pairs`."""
        found = []
        for factor, first, second in self.pairs(against):
            sides = [
                {
                    (game.seed, game.repetition, *((f, v) for f, v in levels.items() if f != factor)): events
                    for game, levels, _, events in self.games
                    if levels.get(factor) == level
                }
                for level in (first, second)
            ]
            shared = sides[0].keys() & sides[1].keys()
            same = sum(sides[0][key] == sides[1][key] for key in shared)
            found.append(Sameness(factor, first, second, same, len(shared)))
        return found

    @property
    def validity(self) -> Validity:
        """How the probes of the run held up when they were repeated and reworded."""
        return validity(self.run, self.resamples)

    # --- showing -----------------------------------------------------------------------------------------------------

    def tables(self, against: str | None = None) -> list[Table]:
        """Effects by factor, games that are the same, and the validity of probes where there were any; ``against`` as
        in `pairs`."""
        held = self.validity
        tables = [*self.effect_tables(against), self.sameness_table(against)]
        return [*tables, validity_table(held)] if held.retest or held.wordings else tables

    def effect_tables(self, against: str | None = None) -> list[Table]:
        """For every two levels of a factor, a row a measure; what is in the files alone: effect size and bound."""
        heads = ("measure", "seeds", "difference", "95 %", "verdict", "detects")
        form: dict[str, Any] = {"box": SIMPLE_HEAD, "padding": (0, 1, 0, 0), "pad_edge": False}
        tables: dict[tuple[str, str, str], Table] = {}
        for one in self.effects(against):
            pair = one.factor, one.first, one.second
            title = escape(f"Effects of {one.factor}: {one.first} - {one.second}")
            mixed = escape(f"cannot be told apart from the effect of {one.mixed_with} in these games\n")
            table = tables.setdefault(pair, Table(*heads, title=title, **form))
            table.caption = mixed if one.mixed_with else ""
            values = (shown(one.difference, False), shown_interval(one.interval, False, one.difference))
            rest = one.verdict, shown(one.detectable, False)
            table.add_row(*map(escape, (one.measure, str(one.seeds), *values, *rest)))
        found = list(tables.values())
        if found:
            found[-1].caption = f"{found[-1].caption}{LEGEND}"
        return found

    def sameness_table(self, against: str | None = None) -> Table:
        """Games that are the same, event by event, for the pairs of levels that have some."""
        heads, title = ("factor", "levels", "same games", "of"), "Games that are the same"
        others = "between other levels" if against is None else f"between {against} and other levels"
        table = Keyed(*heads, keys=2, title=title, caption=escape(f"{others}: none"), box=SIMPLE_HEAD)
        for one in self.sameness(against):
            if one.same:
                table.add_row(escape(one.factor), escape(f"{one.first} - {one.second}"), str(one.same), str(one.games))
        return table

    def save(self) -> list[Path]:
        """Write `effects.json` and `tables/effects.csv` into the run; the paths."""
        file, table = self.run / "effects.json", self.run / "tables" / "effects.csv"
        file.write_text(json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n", "utf-8")
        table.parent.mkdir(exist_ok=True)
        with open(table, "w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, [field.name for field in fields(Effect)], lineterminator="\n")
            writer.writeheader()
            writer.writerows(asdict(one) for one in self.effects())
        return [file, table]

    def to_json(self, against: str | None = None) -> dict[str, Any]:
        """Everything, JSON-ready; ``against`` as in `pairs`."""
        held = self.validity
        return {
            "suite": self.suite.name,
            "games": len(self.games),
            "factors": self.factors,
            "bounds": self.bounds,
            "effects": [asdict(one) for one in self.effects(against)],
            "sameness": [asdict(one) for one in self.sameness(against)],
            "validity": {
                "retest": held.retest.to_dict() if held.retest else None,
                "wordings": {
                    name: {measure: value.to_dict() for measure, value in found.items()}
                    for name, found in held.wordings.items()
                },
            },
        }


def measures_of(record: GameRecord) -> dict[str, Measure]:
    """Outcome, behaviour and conduct of one game."""
    timeline = Timeline(record)
    tiers = [kind(record, timeline=timeline).measures for kind in (OutcomeEval, BehaviourEval)]
    return {**tiers[0], **tiers[1], **conduct(record)}


def validity_table(held: Validity) -> Table:
    """Retest and rewordings."""
    heads = ("asked", "measure", "games", "value", "95 %")
    table = Keyed(*heads, keys=2, title="Validity of the probes", box=SIMPLE_HEAD)
    rows = [("again, at the same moment", "gap", held.retest)] if held.retest else []
    rows += [(name, measure, value) for name, found in held.wordings.items() for measure, value in found.items()]
    for asked, measure, value in rows:
        interval = shown_interval(value.pooled_interval, False, value.pooled)
        table.add_row(*map(escape, (asked, measure, str(value.n), shown(value.pooled, False), interval)))
    return table


# --- paired differences ----------------------------------------------------------------------------------------------


def differences(first: Played, second: Played, name: str) -> list[float]:
    """By seed, the mean of a measure on one side minus that on the other, where both are defined."""
    means = [_means(side, name) for side in (first, second)]
    return [means[0][seed] - means[1][seed] for seed in sorted(means[0].keys() & means[1].keys())]


def _mean_of(changes: Sequence[float]) -> Callable[[Floats], Floats]:
    """The mean of changes, of which some are drawn several times."""
    return lambda counts: counts @ np.asarray(changes) / len(changes)


def _means(side: Played, name: str) -> dict[int, float]:
    values: dict[int, list[float]] = {}
    for seed, measures in side:
        value = measures[name].value if name in measures else None
        if value is not None:
            values.setdefault(seed, []).append(value)
    return {seed: sum(found) / len(found) for seed, found in values.items()}


def effect_size(changes: Sequence[float]) -> float | None:
    """The mean change in standard deviations of the changes; None where they do not vary."""
    spread = _spread(changes)
    return float(np.mean(changes)) / spread if spread else None


def detectable(changes: Sequence[float]) -> float | None:
    """The smallest true change that a paired t-test of so many changes, as spread as these, finds with `POWER`; None
    where they do not vary."""
    spread = _spread(changes)
    return smallest_size(len(changes)) * spread if spread else None


def smallest_size(n: int) -> float:
    """The effect size (in standard deviations) that a two-sided paired t-test of ``n`` pairs finds with `POWER`."""
    from scipy import optimize, stats

    limit, needed = (float(stats.t.ppf(q, n - 1)) for q in (1 - ALPHA / 2, POWER))

    def lacking(shift: float) -> float:  # the other tail adds nothing to speak of
        return float(stats.nct.sf(limit, n - 1, shift)) - POWER

    return float(optimize.brentq(lacking, 0.0, 2 * (limit + needed))) / sqrt(n)


def verdict(changes: Sequence[float], interval: Interval, bound: float | None) -> str:
    """Whether the change is none to speak of, one for sure, or neither can be said; see `Effect`."""
    if interval is None:
        return "open"
    if bound is not None and (spread := _spread(changes)):
        from scipy import stats

        half = float(stats.t.ppf(1 - ALPHA, len(changes) - 1)) * spread / sqrt(len(changes))
        if abs(float(np.mean(changes))) + half <= bound:
            return "equivalent"
    return "open" if interval[0] <= 0 <= interval[1] else "different"


def _spread(changes: Sequence[float]) -> float | None:
    """The standard deviation, 0 where all are alike but for rounding; None with fewer than two."""
    if len(changes) < 2:
        return None
    return 0.0 if np.allclose(changes, changes[0], rtol=1e-9, atol=1e-12) else float(np.std(changes, ddof=1))


__all__ = ["BOUNDS", "Effect", "Experiment", "Sameness"]
