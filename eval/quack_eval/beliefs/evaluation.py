"""`BeliefEval`: the measures of many games' beliefs, per role and policy, with intervals by games."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from quack_env import ConfigError, GameRecord
from quack_env.beliefs import Belief, BeliefStore
from quack_eval.beliefs.calibration import Calibration, calibration
from quack_eval.beliefs.games import BeliefGame, game_of, p_duck
from quack_eval.beliefs.impact import Coefficient, ImpactRow, anchoring, impact_table
from quack_eval.beliefs.load import belief_games
from quack_eval.beliefs.measures import Reference, Slice, measures_of, reference_of
from quack_eval.metrics.estimate import Estimate, Interval, estimate
from quack_eval.metrics.tables import INTERVALS, WRITERS, Keyed, Row, rows_of, shown, shown_interval
from quack_eval.out_folder import out_folder

Progress = Callable[[int, int], None]
Group = tuple[str, str]
""" "all", "role", "goose" or "duck" (a policy in that role), and which."""
Source = str | os.PathLike[str] | BeliefStore | Iterable[BeliefGame] | Iterable[Belief]

PERCENT = frozenset(
    [
        "answered",
        "repaired",
        "certainty",
        "flip_rate",
        "top_flip_rate",
        "top_return_rate",
        "belief_vote_consistency",
        "strategic_votes",
        "execution_votes",
        "second_order_accuracy",
        "self_suspicion_over",
        "self_suspicion_under",
        "impossible_suspicion",
        "missed_proof",
    ]
)
SHOWN_IMPACTS = 24


class BeliefEval:
    """Every measure of `beliefs.md` over the beliefs of some games.

    Args:
        source: a run (its folder or `run.sqlite`), a corpus of MafiaScope's recordings, a `BeliefStore`, beliefs, or
            games with beliefs.
        trajectories: the recorded games, by the id that the beliefs call them (one game: in a list), for a source of
            mere beliefs.
        reference: whether to hold beliefs against the Bayesian observer, which takes a replay of every game.
        progress: called as games get done.

    Raises:
        ConfigError: where the source holds no beliefs, or a recording is missing to them.
    """

    title = "Beliefs"

    def __init__(
        self,
        source: Source,
        trajectories: Mapping[str, GameRecord] | Sequence[GameRecord] | None = None,
        *,
        reference: bool = True,
        progress: Progress | None = None,
    ) -> None:
        self.games = _games(source, trajectories)
        self._references: list[Reference | None] = []
        for done, game in enumerate(self.games):
            if progress:
                progress(done, len(self.games))
            self._references.append(reference_of(game) if reference else None)
        if progress:
            progress(len(self.games), len(self.games))

    # --- counting ----------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> dict[Group, list[Slice]]:
        """The games by group, each with the beliefs of the observers that belong to it."""
        found: dict[Group, list[Slice]] = {}
        for game, reference in zip(self.games, self._references, strict=True):
            members: dict[Group, set[str]] = {}
            for observer in {belief.observer for belief in game.beliefs}:
                role, policy = game.role(observer), game.policies[observer]
                for group in (("all", "all"), ("role", role), (role, policy)):
                    members.setdefault(group, set()).add(observer)
            for group, observers in members.items():
                found.setdefault(group, []).append(Slice(game, frozenset(observers), reference))
        order = ("all", "role", "goose", "duck")
        return dict(sorted(found.items(), key=lambda item: (order.index(item[0][0]), item[0][1] == "duck", item[0][1])))

    @cached_property
    def estimates(self) -> dict[Group, dict[str, Estimate]]:
        """The measures of every group, estimated over its games."""
        return {group: estimate([measures_of(part) for part in parts]) for group, parts in self.parts.items()}

    @property
    def measures(self) -> dict[str, Estimate]:
        """The measures over all observers."""
        return self.estimates.get(("all", "all"), {})

    @cached_property
    def calibrations(self) -> dict[Group, Calibration]:
        """The calibration of every group."""
        return {group: calibration(_pairs(parts)) for group, parts in self.parts.items()}

    @cached_property
    def anchorings(self) -> dict[Group, Coefficient]:
        """The anchoring of every group, from its free games."""
        return {group: anchoring(parts) for group, parts in self.parts.items()}

    @cached_property
    def impacts(self) -> list[ImpactRow]:
        """What single events do to the beliefs of Geese, who have something to learn."""
        return impact_table(self.parts.get(("role", "goose"), []))

    @property
    def flagged(self) -> list[str]:
        """What is wrong with the recordings, each in one line."""
        return [f"{game.game_id}: {flaw}" for game in self.games for flaw in game.flagged]

    # --- showing -----------------------------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        """Every estimate as one row."""
        return [row for (group, name), found in self.estimates.items() for row in rows_of(group, name, found)]

    def tables(self) -> list[Table]:
        """For the terminal: measures by role and policy, calibration, impacts of events; none of no beliefs."""
        return [self.measure_table(), self.calibration_table(), self.impact_table()] if self.parts else []

    def measure_table(self) -> Table:
        """Pooled values with their intervals; a column per role and policy."""
        groups = [group for group in self.estimates if group[0] in ("goose", "duck")]
        table = Table(
            title="Beliefs: measures by role and policy",
            caption="pooled over games, below it the 95 % interval by games; n: games in which it is defined,\n"
            "of ece its beliefs, of anchoring its cases\n" + INTERVALS,
            box=SIMPLE_HEAD,
        )
        table.add_column("measure", no_wrap=True)
        for group in groups:
            table.add_column(escape(" ".join(group)), justify="right", no_wrap=True)
        for name in dict.fromkeys(name for group in groups for name in self.estimates[group]):
            cells = [_cell(self.estimates[group].get(name), name in PERCENT) for group in groups]
            table.add_row(name + (" %" if name in PERCENT else ""), *cells)
        errors = [self.calibrations[group] for group in groups]
        table.add_row("ece", *(_valued(found.ece, found.interval, False, f"n={found.n}") for found in errors))
        slopes = [self.anchorings[group] for group in groups]
        table.add_row("anchoring", *(_valued(found.value, found.interval, False, f"n={found.n}") for found in slopes))
        return table

    def calibration_table(self) -> Table:
        """The bins of all Geese's beliefs."""
        found = self.calibrations.get(("role", "goose")) or calibration([])
        interval = shown_interval(found.interval, False, found.ece)
        title = f"Calibration of Geese: ece {shown(found.ece, False)} {interval}"
        table = Table("p of a Duck", "n", "mean p", "Ducks", "95 %", title=escape(title), box=SIMPLE_HEAD)
        for b in found.bins:
            interval = shown_interval(b.interval, False, b.true)
            values = (str(b.n), shown(b.stated, False), shown(b.true, False), interval)
            table.add_row(f"{b.low:.1f} to {b.high:.1f}", *map(escape, values))
        return table

    def impact_table(self) -> Table:
        """The most frequent impacts."""
        columns = ("event", "by", "about its", "n", "change of p", "95 %", "size")
        table = Keyed(*columns, keys=3, title="Impact of single events on Geese's beliefs", box=SIMPLE_HEAD)
        for row in self.impacts[:SHOWN_IMPACTS]:
            change = row.change.pooled
            values = (shown(change, False), shown_interval(row.change.pooled_interval, False, change))
            n, size = f"{row.change.denominator:.0f}", shown(row.size.pooled, False)
            cells = (row.kind, row.speaker, row.about, n, *values, size)
            table.add_row(*map(escape, cells))
        return table

    def to_json(self) -> dict[str, Any]:
        """Everything, JSON-ready: games, groups (measures, calibration, anchoring), impacts, flagged."""
        return {
            "games": len(self.games),
            "beliefs": sum(len(game.beliefs) for game in self.games),
            "groups": [
                {
                    "group": group,
                    "name": name,
                    "measures": {measure: value.to_dict() for measure, value in found.items()},
                    "calibration": self.calibrations[group, name].to_dict(),
                    "anchoring": self.anchorings[group, name].to_dict(),
                }
                for (group, name), found in self.estimates.items()
            ],
            "impacts": [
                {"event": row.kind, "speaker": row.speaker, "about": row.about}
                | {"change": row.change.to_dict(), "size": row.size.to_dict()}
                for row in self.impacts
            ],
            "flagged": self.flagged,
        }

    def save(self, out: str | os.PathLike[str], formats: Sequence[str] = ("csv", "md", "tex")) -> list[Path]:
        """Write beliefs.json and the tables `beliefs.<format>` (csv, md, tex, parquet) into a folder; the paths."""
        folder = out_folder(out)
        written = [folder / "beliefs.json", *(folder / f"beliefs.{name}" for name in formats)]
        written[0].write_text(json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        for name, file in zip(formats, written[1:], strict=True):
            WRITERS[name](file, self.rows())
        return written


def _games(source: Source, trajectories: Mapping[str, GameRecord] | Sequence[GameRecord] | None) -> list[BeliefGame]:
    if isinstance(source, str | os.PathLike):
        return belief_games(source)
    rows: object = source.read() if isinstance(source, BeliefStore) else source
    listed: list[Any] = list(rows) if isinstance(rows, Iterable) else [rows]
    if wrong := [one for one in listed if not isinstance(one, BeliefGame | Belief)]:
        told = "must be the folder of a run, a BeliefStore, or beliefs, or games with beliefs"
        raise ConfigError(f"source: {told}, not {type(wrong[0]).__name__}")
    if all(isinstance(one, BeliefGame) for one in listed):
        return listed
    ids = list(dict.fromkeys(belief.game_id for belief in listed))
    listed_ones = () if trajectories is None else trajectories
    found = listed_ones if isinstance(listed_ones, Mapping) else dict(zip(ids, listed_ones, strict=True))
    return [game_of(found[game_id], listed, game_id) for game_id in ids]


def _pairs(parts: Sequence[Slice]) -> list[list[tuple[float, bool]]]:
    return [[(p_duck(belief), part.game.is_duck(belief.target)) for belief in part.beliefs] for part in parts]


def _cell(value: Estimate | None, percent: bool) -> str:
    if value is None:
        return "-"
    n = f"n={value.n}" if value.n < value.games else ""
    return _valued(value.pooled, value.pooled_interval, percent, n)


def _valued(value: float | None, interval: Interval, percent: bool, note: str) -> str:
    if value is None:
        return "-"
    below = " ".join(part for part in (shown_interval(interval, percent, value) if interval else "", note) if part)
    return shown(value, percent) + (f"\n[dim]{escape(below)}[/dim]" if below else "")
