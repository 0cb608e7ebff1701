"""The evaluation of many recorded games: tiers per game, estimates per setting, per model and role, overall."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from quack_env import ConfigError, QuackError, TrajectoryError
from quack_env.calls import FILE as CALLS_FILE
from quack_env.calls import cut_off
from quack_env.yaml_file import shown, unknown_value
from quack_eval.claims.extract import Extractor
from quack_eval.claims.sources import Extract, check_source
from quack_eval.evidence import EvidenceEval
from quack_eval.fingerprint import fingerprint
from quack_eval.load import find_games, format_of
from quack_eval.metrics.base import GameEval, check_convention, measures_in, values
from quack_eval.metrics.calls import CallEval
from quack_eval.metrics.estimate import Difference, Estimate, estimate, paired
from quack_eval.metrics.measure import Measure, once
from quack_eval.metrics.packed import Packed, places
from quack_eval.metrics.tables import LAYOUTS, Row, overall_table, rows_of, setting_table, write_tables
from quack_eval.metrics.tier1 import OutcomeEval
from quack_eval.metrics.tier2 import BehaviourEval
from quack_eval.notices import pooled_games
from quack_eval.out_folder import out_folder
from quack_eval.statements import CLAIMS as CLAIMS_FILE
from quack_eval.statements import FINDINGS as FINDINGS_FILE
from quack_eval.statements import StatementEval, StatementGame, claim_lines, finding_lines
from quack_eval.timeline import Timeline
from quack_eval.trajectory import Trajectory
from quack_eval.workers import processes

CLAIM_SOURCES = (None, "recorded", "grammar")
CALLS = 5
TIERS: dict[int, type[GameEval]] = {
    1: OutcomeEval,
    2: BehaviourEval,
    3: StatementEval,
    4: EvidenceEval,
    CALLS: CallEval,
}
"""Beside the paper's three tiers: 4, what the perceptions prove; 5, model calls, added where a model played."""
BUILT_IN = frozenset(TIERS.values())

Progress = Callable[[int, int], None]
"""Called with (games done, games in all)."""


@dataclass(slots=True)
class EvaluatedGame:
    """One game: where it is, who played, its measures, and what is no number by tier."""

    path: str
    format: str
    convention: str
    goose: str
    duck: str
    seed: int
    facts: dict[int, dict[str, Any]]
    tiers: dict[int, tuple[str, ...]]
    """The names of the measures of every tier."""
    measures: Mapping[str, Measure]
    label: str | None = None
    """What its recording calls the setting."""
    game_map: dict[str, Any] = field(default_factory=dict)
    """The map it was played on, as its recording has it."""
    config: dict[str, Any] = field(default_factory=dict)
    """The settings it was played under, without map and names."""

    @property
    def setting(self) -> str:
        """The recording's name for it, else goose policy x duck policy."""
        return self.label or f"{self.goose} x {self.duck}"

    def tier(self, number: int) -> dict[str, Any] | None:
        """Facts and values of a tier by name; None where it was not evaluated."""
        if number not in self.tiers:
            return None
        named = {name: self.measures[name] for name in self.tiers[number]}
        return self.facts[number] | values(named, self.convention)

    def to_dict(self) -> dict[str, Any]:
        """A line of `games.jsonl`: path, tier1, tier2, tier3 (values by name), and the parts of every measure."""
        return {
            "path": self.path,
            "tier1": self.tier(1),
            "tier2": self.tier(2),
            "tier3": self.tier(3),
            "evidence": self.tier(4),
            "calls": self.tier(CALLS),
            "setting": self.setting,
            "goose": self.goose,
            "duck": self.duck,
            "seed": self.seed,
            "map": self.game_map.get("name"),
            "format": self.format,
            "parts": {name: [measure.numerator, measure.denominator] for name, measure in self.measures.items()},
        }


@dataclass
class Evaluation:
    """Many games, evaluated.

    ``damaged`` are those that could not be read, each in one line with path and line; ``unfinished`` those that were
    broken off or spoilt by a failure outside the game. Neither are scored. ``notices`` say what is missing of games
    that are, and which settings hold games of several maps or configurations.
    """

    convention: str
    evaluated: list[EvaluatedGame]
    damaged: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """The paths of the games that are not scored."""
    recordings: dict[str, str] = field(default_factory=dict)
    """By the path of every game read, scored or not, the `fingerprint` of its recording."""
    tiers: tuple[int, ...] = ()
    """Those asked for."""
    claims: str | None = None
    """Where claims were to come from; None for the recording, else the grammar."""

    @property
    def undefined(self) -> str:
        """What an undefined measure of a game counts as in a mean: nothing, or zero in the published convention."""
        return "zero" if self.convention == "published" else "skip"

    @property
    def games(self) -> list[dict[str, Any]]:
        """The lines of `games.jsonl`."""
        return [game.to_dict() for game in self.evaluated]

    def groups(self, key: Callable[[EvaluatedGame], str]) -> dict[str, list[EvaluatedGame]]:
        """The games by a key, in alphabetical order."""
        found: dict[str, list[EvaluatedGame]] = {}
        for game in self.evaluated:
            found.setdefault(key(game), []).append(game)
        return dict(sorted(found.items()))

    def _estimates(self, groups: Mapping[str, list[EvaluatedGame]]) -> dict[str, dict[str, Estimate]]:
        """By group, the same whatever the order in which its games were read."""
        ordered = {name: sorted(games, key=lambda game: game.path.split("/")) for name, games in groups.items()}
        return {name: estimate([g.measures for g in games], self.undefined) for name, games in ordered.items()}

    @cached_property
    def settings(self) -> dict[str, dict[str, Estimate]]:
        """The estimates per setting: goose policy x duck policy."""
        return self._estimates(self.groups(lambda game: game.setting))

    @cached_property
    def roles(self) -> dict[str, dict[str, dict[str, Estimate]]]:
        """The estimates per role and model, over all settings in which it plays that role."""
        return {
            "goose": self._estimates(self.groups(lambda game: game.goose)),
            "duck": self._estimates(self.groups(lambda game: game.duck)),
        }

    @cached_property
    def measures(self) -> dict[str, Estimate]:
        """The estimates over all games."""
        return self._estimates({"all": self.evaluated})["all"]

    def compare(self, first: str, second: str) -> dict[str, Difference]:
        """The measures of one setting minus those of another, over the seeds that define them in both.

        Raises:
            ConfigError: where there is no such setting.
        """
        groups = self.groups(lambda game: game.setting)
        missing = [name for name in (first, second) if name not in groups]
        if missing:
            raise ConfigError(f"the setting {unknown_value(missing[0], groups)}")
        one, other = ([(game.seed, game.measures) for game in groups[name]] for name in (first, second))
        return paired(one, other, undefined=self.undefined)

    def sources(self) -> Counter[str]:
        """How many games' claims come from which source; see `Read`."""
        told = [game.facts[3]["source"] for game in self.evaluated if game.facts.get(3, {}).get("utterances")]
        return Counter(told)

    def rows(self) -> list[Row]:
        """Every estimate as one row: group, name, measure, both estimators with their intervals."""
        found = rows_of("all", "all", self.measures)
        for name, estimates in self.settings.items():
            found += rows_of("setting", name, estimates)
        for role, models in self.roles.items():
            for model, estimates in models.items():
                found += rows_of(role, model, estimates)
        return found

    def tables(self) -> list[Table]:
        """For the terminal: per tier the settings, then all games with intervals."""
        if not self.evaluated:
            return []
        groups = {**self.settings, "all": self.measures}
        tiers = zip(LAYOUTS[self.convention], TIERS, strict=False)  # the published code had no fourth
        layouts = [layout for layout, tier in tiers if any(tier in game.tiers for game in self.evaluated)]
        tables = [setting_table(layout, groups, self.undefined) for layout in layouts]
        return [*tables, overall_table(self.measures)]

    def to_json(self) -> dict[str, Any]:
        """Counts and estimates, JSON-ready: games, settings, measures, damaged and more."""
        return {
            "games": len(self.evaluated),
            "settings": {name: _dicts(estimates) for name, estimates in self.settings.items()},
            "measures": _dicts(self.measures),
            "roles": {
                role: {model: _dicts(estimates) for model, estimates in models.items()}
                for role, models in self.roles.items()
            },
            "damaged": len(self.damaged),
            "unfinished": len(self.unfinished),
            "convention": self.convention,
            "undefined": self.undefined,
            "tiers": list(self.tiers),
            "claims": self.claims,
            "messages": self.damaged + self.unfinished,
            "notices": self.notices,
            "left_out": self.left_out,
            "recordings": self.recordings,
        }

    def write_games(self, path: Path) -> None:
        """Write the lines of `games.jsonl`, one at a time: written out they are many times what is held."""
        new = path.with_suffix(".new")
        with open(new, "w", encoding="utf-8", newline="\n") as file:
            for game in self.evaluated:
                file.write(json.dumps(game.to_dict(), ensure_ascii=False) + "\n")
        new.replace(path)

    def save(self, out: str | os.PathLike[str], formats: Sequence[str] = ("csv", "md", "tex")) -> list[Path]:
        """Write games.jsonl, measures.json and the tables into a folder; the paths written.

        Args:
            out: the folder; made where it is missing, files in it are replaced.
            formats: of the tables: csv, md, tex, parquet (which needs the extra `parquet`).

        Raises:
            ConfigError: where it is no folder that can be written.
        """
        folder = out_folder(out)
        games, measures = folder / "games.jsonl", folder / "measures.json"
        self.write_games(games)
        measures.write_text(json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return [games, measures, *write_tables(folder, self.rows(), formats)]


def _dicts(estimates: dict[str, Estimate]) -> dict[str, Any]:
    return {name: value.to_dict() for name, value in estimates.items()}


def evaluate(
    paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
    tiers: Sequence[int] | int = (1, 2, 3),
    convention: str = "paper",
    jobs: int = 1,
    claims: str | Extractor | Extract | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    findings: str | os.PathLike[str] | None = None,
    root: str | os.PathLike[str] | None = None,
) -> Evaluation:
    """Evaluate every game at or below the paths, of any mix of formats.

    Args:
        paths: games, runs or folder trees; or one of them.
        tiers: which tiers, or one of them; 4 is the evidence. Model calls are evaluated wherever a game has some.
        convention: "paper" or "published".
        jobs: processes, from 1 on; threads where an extractor or a function reads the claims.
        claims: where the claims of Tier 3 come from: None (the recording, else the grammar), "recorded", "grammar", or
            an extractor, or a function like `quack_eval.extract`.
        out: a folder for `Evaluation.save`; None to write nothing.
        progress: called as games get done.
        findings: a folder for `claims.jsonl` and `findings.jsonl` of Tier 3, written game by game.
        root: what the paths are written relative to; None for as they are.

    Raises:
        TrajectoryError: where a path does not exist or has no games. A damaged game is no error: it is left out.
        ConfigError: where an argument is none of those above; where a tier, a verifier or a function of your own fails
            or gives what it must not: names it and the game, and has what failed as its cause.
    """
    numbers = _checked_tiers(tiers)
    check_convention(convention)
    check_source(claims, CLAIM_SOURCES)
    if type(jobs) is not int or jobs < 1:
        raise ConfigError(f"jobs={jobs!r}: must be a whole number from 1 on")
    games = find_games(paths)
    if out is not None:
        out_folder(out)
    evaluation = Evaluation(convention, [], tiers=numbers, claims=_named(claims))
    asked = _Asked(numbers, convention, claims, findings is not None)
    shared: dict[str, Any] = {}

    def same(value: Any) -> Any:
        """The value, as one object for all games that have it."""
        return shared.setdefault(repr(value), value)

    with _Lines(findings) as lines:
        for done, (path, (recording, result)) in enumerate(zip(games, _run(games, asked, jobs), strict=True)):
            if progress:
                progress(done, len(games))
            told = path if root is None else path.relative_to(root)
            evaluation.recordings[told.as_posix()] = recording
            if result.game is None:
                messages = evaluation.damaged if result.kind == "damaged" else evaluation.unfinished
                messages.append(result.message.replace(os.fspath(path), told.as_posix()))
                evaluation.left_out.append(told.as_posix())
                continue
            game = result.game
            names = {tier: tuple(places(names)) for tier, names in game.tiers.items()}
            facts = same(game.facts) if convention == "paper" else game.facts  # the published ones are long and differ
            told_path = told.as_posix() if root is not None else game.path
            played = {"game_map": same(game.game_map), "config": same(game.config)}
            game = replace(game, path=told_path, tiers=same(names), facts=facts, **played)
            evaluation.evaluated.append(game)
            if result.message:
                evaluation.notices.append(result.message.replace(os.fspath(path), told.as_posix()))
            if result.said is not None:
                lines.write(result.said if root is None else replace(result.said, path=told.as_posix()))
    if progress:
        progress(len(games), len(games))
    groups = evaluation.groups(lambda game: game.setting)
    evaluation.notices += filter(None, (pooled_games(name, found) for name, found in groups.items()))
    if out is not None:
        evaluation.save(out)
    return evaluation


def _checked_tiers(tiers: object) -> tuple[int, ...]:
    """The tiers asked for, one or several, each of them one that there is."""
    asked = tuple(tiers) if isinstance(tiers, Iterable) else (tiers,)
    if not asked or any(type(tier) is not int or tier not in TIERS for tier in asked):
        raise ConfigError(f"tiers={shown(tiers)}: must be one or several of {', '.join(map(str, TIERS))}, as numbers")
    for tier in asked:
        kind: object = TIERS[tier]
        if not isinstance(kind, type) or not issubclass(kind, GameEval):
            raise ConfigError(f"TIERS[{tier}]={shown(kind)}: must be a class derived from GameEval")
        if getattr(kind, "tier", tier) != tier:
            raise ConfigError(f"TIERS[{tier}] is {kind.__qualname__}, whose tier is {kind.tier!r}: they must agree")
    return asked


def _named(claims: str | Extractor | Extract | None) -> str | None:
    """What a source of claims is called."""
    if isinstance(claims, str | None):
        return claims
    return claims.name if isinstance(claims, Extractor) else str(getattr(claims, "__qualname__", claims))


class _Asked(NamedTuple):
    """What is wanted of every game; ``said``: its findings, too."""

    tiers: tuple[int, ...]
    convention: str
    claims: str | Extractor | Extract | None
    said: bool


class _Result(NamedTuple):
    """What one game came to: "ok", perhaps with a notice, "damaged" or "unfinished", the latter two with the reason."""

    kind: str
    message: str = ""
    game: EvaluatedGame | None = None
    said: StatementGame | None = None


class _Lines:
    """`claims.jsonl` and `findings.jsonl` of a folder, written game by game, and in place when all are written; without
    any game there are none."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.paths = [] if folder is None else [out_folder(folder) / name for name in (CLAIMS_FILE, FINDINGS_FILE)]
        self.number = 0

    def __enter__(self) -> _Lines:
        self._stack = ExitStack()
        new = [open(path.with_suffix(".new"), "w", encoding="utf-8", newline="\n") for path in self.paths]  # noqa: SIM115
        self.files = [self._stack.enter_context(file) for file in new]
        return self

    def write(self, game: StatementGame) -> None:
        """Add a game."""
        claims, findings = self.files
        claims.writelines(claim_lines(game))
        findings.writelines(finding_lines(game, self.number))
        self.number += 1

    def __exit__(self, kind: Any, *_: object) -> None:
        self._stack.close()
        for path in self.paths:
            new = path.with_suffix(".new")
            if kind is None and self.number:
                new.replace(path)
                continue
            new.unlink(missing_ok=True)
            if kind is None:
                path.unlink(missing_ok=True)


def _run(games: list[Path], asked: _Asked, jobs: int) -> Iterator[tuple[str, _Result]]:
    """The results in the order of the games."""
    if jobs <= 1 or len(games) < 2:
        yield from (_evaluate(path, asked) for path in games)
        return
    pool: Executor
    if not isinstance(asked.claims, str | None):  # a model's mostly waits, and a function may be known here only
        pool, chunk = ThreadPoolExecutor(min(jobs, len(games))), 1
    else:
        chunk = max(1, min(32, len(games) // (jobs * 4)))
        pool = processes(min(jobs, len(games)))
    with pool:
        yield from pool.map(_evaluate, games, [asked] * len(games), chunksize=chunk)


def _evaluate(path: Path, asked: _Asked) -> tuple[str, _Result]:
    """What the recording of a game was like before it was read, and what the game came to."""
    return fingerprint(path), _result(path, asked)


def _result(path: Path, asked: _Asked) -> _Result:
    """One game."""
    try:
        trajectory = Trajectory.load(path)
    except QuackError as fault:
        return _Result("damaged", str(fault))
    if (why := _unfinished(trajectory)) is not None:
        return _Result("unfinished", f"{path}: {why}, not scored")
    try:
        return _scored(path, trajectory, asked)
    except TrajectoryError as fault:  # in a file beside the recording: claims, verdicts, calls
        return _Result("damaged", str(fault))


def _unfinished(trajectory: Trajectory) -> str | None:
    """Why a game cannot be scored; None for one that is finished."""
    if trajectory.status != "finished":
        return f"{trajectory.status} ({trajectory.reason})" if trajectory.reason else trajectory.status
    if trajectory.outcome is not None:
        return None
    if trajectory.torn:
        return "said to be finished, but the last line was cut off (it does not end in a newline)"
    return "said to be finished, but the last event is no game_over"


def _scored(path: Path, trajectory: Trajectory, asked: _Asked) -> _Result:
    """The tiers of a game that can be read and was finished."""
    convention = asked.convention
    assert trajectory.outcome is not None
    timeline = Timeline(trajectory)
    goose, duck = policies(trajectory)
    seed = trajectory.header.seed
    game = EvaluatedGame(os.fspath(path), format_of(path) or "", convention, goose, duck, seed, {}, {}, {})
    game.game_map, settings = trajectory.header.map, trajectory.header.config
    game.label = trajectory.header.setting
    game.config = {name: value for name, value in settings.items() if name not in ("map", "names")}
    played_by_models = (path / CALLS_FILE).is_file()
    measures: dict[str, Measure] = {}
    said = None
    for tier in dict.fromkeys((*asked.tiers, CALLS) if played_by_models and convention == "paper" else asked.tiers):
        result = TIERS[tier](trajectory, convention, timeline)
        if isinstance(result, StatementEval):
            if asked.claims is not None:
                result.claims = asked.claims
            said = result.game if asked.said else None
        found = measures_in(result)
        _check_names(game, tier, found)
        game.facts[tier] = result.facts
        game.tiers[tier] = tuple(found)
        measures = found | measures  # what two tiers of ours measure is the same in both
    if convention == "published":  # which the published code had as a word only
        measures["geese_win"] = once(trajectory.outcome.winner == "geese")
    game.measures = Packed(measures)
    return _Result("ok", cut_off(path) or "", game=game, said=said)


def _check_names(game: EvaluatedGame, tier: int, found: Iterable[str]) -> None:
    """No two tiers may call their measures alike, but for two of ours, which mean the same."""
    for other, names in game.tiers.items():
        twice = sorted(set(names).intersection(found))
        own = next((TIERS[number] for number in (tier, other) if TIERS[number] not in BUILT_IN), None)
        if twice and own is not None:
            told = " and ".join(f"{TIERS[number].__qualname__} (tier {number})" for number in (other, tier))
            raise ConfigError(f"measure {twice[0]!r}: {told} both have it; {own.__qualname__} must rename its own")


def policies(trajectory: Trajectory) -> tuple[str, str]:
    """(policy of the Geese, policy of the Ducks); several in one team joined by "+", "unknown" where none is named."""
    teams: dict[str, set[str]] = {"goose": set(), "duck": set()}
    for seat in trajectory.header.seats:
        teams[seat.role].add(seat.policy or "unknown")
    return "+".join(sorted(teams["goose"])), "+".join(sorted(teams["duck"]))
