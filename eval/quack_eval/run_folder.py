"""A run as report and viewer read it: its games, and what was evaluated of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

import yaml

from quack_env import ConfigError, TrajectoryError
from quack_env.trajectory import STATUS, json_object, no_json
from quack_eval.claims.extract import Extractor
from quack_eval.claims.sources import Extract
from quack_eval.evaluation import CLAIM_SOURCES, evaluate
from quack_eval.fingerprint import fingerprint, recording_in
from quack_eval.importers.published_log import FILE as PUBLISHED
from quack_eval.load import check_own, find_games, holds_game
from quack_eval.notices import several_sources, without_ship
from quack_eval.out_folder import out_folder
from quack_eval.statements import FINDINGS, StatementGame, read_findings

MEASURES, GAMES, SUITE = "measures.json", "games.jsonl", "suite.yaml"
HELD = {"games": int, "settings": dict, "measures": dict}
"""What `measures.json` holds at least, and as what."""
TIERS = (1, 2, 3, 4)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RunFolder:
    """A run.

    ``path`` holds the recordings, ``results`` the files of the evaluation (mostly the same folder); ``measures`` is
    what `measures.json` holds: all numbers are taken from it.
    """

    path: Path
    results: Path
    measures: dict[str, Any]

    @cached_property
    def games(self) -> dict[str, Path]:
        """The folders of all recorded games by their path within the run, damaged ones included."""
        return {self.id_of(game): game for game in find_games([self.path])}

    def id_of(self, game: Path) -> str:
        """What a game of this run is called."""
        return game.relative_to(self.path).as_posix() if game != self.path else game.name

    def lines(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The lines of `games.jsonl` with the game's path within the run, one at a time; scored games have one."""
        if not self.measures["games"]:
            return
        file = self.results / GAMES
        try:
            with open(file, "rb") as lines:
                for number, text in enumerate(lines, 1):
                    line = json_object(file, number, text)
                    if missing := [name for name in ("path", "setting", "seed") if name not in line]:
                        raise ConfigError(f"{file}, line {number}: damaged, has no {', '.join(missing)}")
                    yield self._known(line["path"]), line
        except OSError as fault:
            raise ConfigError(f"{file}: cannot be read ({fault.strerror})") from None
        except TrajectoryError as fault:
            raise ConfigError(str(fault)) from None

    @cached_property
    def seeds(self) -> list[int]:
        """The seeds of the scored games."""
        return sorted({line["seed"] for _, line in self.lines()})

    @cached_property
    def maps(self) -> list[str]:
        """The names of the maps of the scored games."""
        return sorted({str(line["map"]) for _, line in self.lines() if line.get("map")})

    @cached_property
    def sources(self) -> dict[str, Counter[str]]:
        """By setting, how many games' claims come from which source; see `quack_eval.claims.sources.Read`."""
        found: dict[str, Counter[str]] = {}
        for _, line in self.lines():
            said = line.get("tier3") or {}
            if said.get("utterances") and said.get("source"):
                found.setdefault(line["setting"], Counter())[said["source"]] += 1
        return found

    @property
    def all_sources(self) -> Counter[str]:
        """The same over all settings."""
        return sum(self.sources.values(), Counter())

    @cached_property
    def notices(self) -> list[str]:
        """What has to be told beside the numbers: of the scored games, the sources of their claims, and other games."""
        more = several_sources(self.all_sources), without_ship([self.path])
        return [*self.measures.get("notices", []), *filter(None, more)]

    @cached_property
    def outdated(self) -> str | None:
        """What has to be told where the recordings are others than were evaluated; None mostly.

        Compared are contents: times and places of files do not matter. Games that were broken off are never in the
        numbers, and not told of, as long as they are.
        """
        evaluated = self.measures.get("recordings")
        if evaluated is None:  # written by other hands, or before it was kept
            return None
        known = {self._known(path): recording for path, recording in evaluated.items()}
        scored = known.keys() - {self._known(path) for path in self.measures.get("left_out") or []}
        new = [game for game, folder in self.games.items() if game not in known and _finished(folder)]
        changed = [
            game
            for game, folder in self.games.items()
            if game in known and known[game] != fingerprint(folder) and (game in scored or _finished(folder))
        ]
        gone = sorted(scored - self.games.keys())
        told = [_told(*part) for part in (("changed", changed), ("gone", gone), ("not in it", new)) if part[1]]
        # a suite scores its own games, all of which it names, and nothing that lies beside them
        anew = f"; to evaluate anew: {self._anew}" if changed or gone or not self._by_suite else ""
        return f"{MEASURES} is of other recordings than lie there: {', '.join(told)}{anew}" if told else None

    @property
    def _by_suite(self) -> bool:
        """Whether the results are those of `quack bench`, which are in the folder of its run."""
        return bool(self.suite) and self.results == self.path

    @property
    def _anew(self) -> str:
        """How to evaluate the run anew, as it was evaluated."""
        if self._by_suite:
            return f"quack bench {quote(str(self.path))} --resume"
        words = ["eval", str(self.path)]
        tiers = [str(tier) for tier in self.measures.get("tiers") or TIERS]
        if (asked := "".join(sorted({"1", "2", "3"}.intersection(tiers)))) not in ("", "123"):
            words += ["--tiers", asked]
        if "4" in tiers:
            words.append("--evidence")
        if (convention := self.measures.get("convention", "paper")) != "paper":
            words += ["--convention", convention]
        claims = self.measures.get("claims")
        if claims is not None and claims not in CLAIM_SOURCES and "/" not in claims:
            return f"call quack_eval.evaluate with the claims of {claims}"
        if claims is not None:
            words += ["--extractor", claims]
        return "quack " + " ".join(map(quote, [*words, "--out", str(self.results)]))

    @property
    def keeps_findings(self) -> bool:
        """Whether the findings that the measures were counted from were kept."""
        return (self.results / FINDINGS).is_file()

    def judged(self) -> Iterator[tuple[str, StatementGame]]:
        """The games by their path within the run with their findings, one at a time; none where none were kept."""
        if self.keeps_findings:
            for game in read_findings(self.results):
                yield self._known(game.path), game

    @cached_property
    def statements(self) -> dict[str, StatementGame]:
        """All of `judged` at once."""
        return dict(self.judged())

    @cached_property
    def suite(self) -> dict[str, Any]:
        """The plan that the run was made by; empty where there is none."""
        try:
            found = yaml.safe_load((self.path / SUITE).read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError):
            return {}
        return found if isinstance(found, dict) else {}

    def _known(self, path: str) -> str:
        """The game that a path means, which may have been written from another folder."""
        if path == ".":
            return self.id_of(self.path)
        parts = Path(path).parts
        for start in range(len(parts)):
            tail = "/".join(parts[start:])
            if tail in self.games:
                return tail
        return path


def open_run(
    path: Path,
    results: Path | None = None,
    progress: Progress | None = None,
    claims: str | Extractor | Extract | None = None,
) -> RunFolder:
    """The run in a folder; one that has not been evaluated yet is evaluated first.

    Args:
        path: the run, or any folder of recorded games.
        results: where to put the files of an evaluation that is missing; None for the run's own folder.
        progress: called with (games evaluated, games in all).
        claims: where claims are to come from, see `evaluate`; then the run is evaluated anew.

    Raises:
        TrajectoryError: where there is no recorded game.
        ConfigError: where `measures.json` cannot be read, an evaluation cannot be kept, or one with other claims would
            replace the run's own; without ``results`` where it would come to lie beside recordings made elsewhere.
    """
    folder = results or path
    if claims is None:
        for known in dict.fromkeys((path, folder)):
            if (known / MEASURES).is_file():
                return RunFolder(path, known, _measures(known, path))
    elif folder.resolve() == path.resolve() and (path / MEASURES).is_file():
        raise ConfigError(f"{path / MEASURES}: would be replaced by what other claims come to; choose another --out")
    find_games([path])
    if results is None:
        check_own(path)
    try:
        out_folder(folder)
    except ConfigError as fault:
        raise ConfigError(f"{fault}, and the run has no {MEASURES}; choose another --out") from None
    evaluation = evaluate([path], tiers=TIERS, claims=claims, progress=progress, findings=folder, root=path)
    if evaluation.evaluated:  # else it is not kept: it would stand in the way when the games are mended
        evaluation.save(folder)
    return RunFolder(path, folder, evaluation.to_json())


def _told(what: str, games: Sequence[str]) -> str:
    """How many games something is true of, and the first of them."""
    return f"{len(games)} {what} ({games[0]})" if len(games) == 1 else f"{len(games)} {what} (the first {games[0]})"


def _finished(folder: Path) -> bool:
    """Whether a game's recording says that it came to its end; published ones all did."""
    if recording_in(folder).name == PUBLISHED:
        return True
    try:
        return bool(json.loads((folder / STATUS).read_text(encoding="utf-8"))["status"] == "finished")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _measures(folder: Path, run: Path) -> dict[str, Any]:
    """What `measures.json` of a folder holds; `ConfigError` with what to do about the run where that is no measures."""
    file = folder / MEASURES
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise ConfigError(f"{file}: cannot be read ({fault.strerror})") from None
    except ValueError as fault:
        why = no_json(fault)
    else:
        if isinstance(found, dict) and all(isinstance(found.get(name), kind) for name, kind in HELD.items()):
            return found
        why = "not the measures of a run"
    if (folder / SUITE).is_file():
        remedy = f"quack bench {quote(str(folder))} --resume writes it anew"
    elif holds_game(run):
        remedy = "remove it, and the games are evaluated anew"
    else:
        remedy = f"quack eval GAMES --out {quote(str(folder))} writes it anew"
    raise ConfigError(f"{file}: {why}; {remedy}")
