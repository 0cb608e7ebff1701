"""Plays what is missing of a suite: resumable, within a budget, one runner at a time; finished games are kept."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from shlex import quote
from typing import Any

import yaml
from pydantic import ValidationError

from quack_agents.llm import Client, check_prices, configure
from quack_bench.executors import check_executor, executor_of, for_models
from quack_bench.games import Played, ending, play_game, record_game, spent
from quack_bench.lock import FILE as LOCK
from quack_bench.lock import locked
from quack_bench.store import FAILED, FINISHED, PENDING, Entry, RunStore
from quack_bench.store import FILE as INDEX
from quack_bench.suite import Game, Setting, Suite, explain, is_model
from quack_env import ConfigError, QuackError
from quack_env.trajectory import FILE as GAME
from quack_env.wrappers import PROBES
from quack_env.yaml_file import read_yaml_file, shown
from quack_eval.claims.extract_model import Cache

FROZEN = "suite.yaml"
MARKS = (INDEX, LOCK, "measures.json")
"""Files of a run, of which it has one from its beginning on; a folder with a suite alone is none yet."""
TRAINED = "settings.json"
"""File that the scripts of agents/train leave in their folders."""
REPLIES, CLAIMS = "replies.sqlite", "claims.sqlite"
MODEL_GAMES = 8
"""Games of models at once, where nobody says how many."""
Progress = Callable[["Standing"], None]


@dataclass
class Standing:
    """How far a run is. ``client`` knows calls and cost of this session; None where no model plays."""

    games: list[Game]
    finished: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    """By game what its last attempt failed of; such games are not scored."""
    client: Client | None = None
    stopped: str | None = None
    """Why games are missing: the budget's words, or None."""
    stopping: bool = False
    """Whether it was asked to stop, and games in play are being broken off."""
    lost_beliefs: int = 0
    """Finished games with probes whose beliefs are lost with the index."""

    @property
    def missing(self) -> int:
        """Games that are neither finished nor given up."""
        return len(self.games) - len(self.finished) - len(self.failed)


def run_suite(
    suite: Suite,
    run: Path,
    jobs: int | None = None,
    executor: str = "local",
    max_usd: float | None = None,
    retries: int | None = None,
    progress: Progress | None = None,
) -> Standing:
    """Play what is missing of a suite in its folder, which is held by `opened`.

    Args:
        suite: the suite.
        run: the folder.
        jobs: games at once; None for as many as there are CPUs, and 8 where models play.
        executor: "local" or "ray", for games without models.
        max_usd: of the whole run, what earlier sessions spent included; None for the suite's.
        retries: further attempts at a game that failed; None for the suite's.
        progress: called whenever a game has ended.

    Raises:
        ConfigError: where nothing can be played at all, or the run's suite was changed in more than added seeds.
        KeyboardInterrupt: on Ctrl-C, when games in play have been broken off; what was finished is kept.
    """
    check_executor(executor)
    indexed = (run / INDEX).exists()
    with RunStore(run) as store:
        check_unchanged(store, run)
        standing = Standing(suite.games())
        _take_stock(standing, store, run)
        if not indexed:
            probed = (game for game in standing.games if game.setting.probes is not None)
            standing.lost_beliefs = sum(game.id in standing.finished for game in probed)
        waiting = [game for game in standing.games if game.id not in standing.finished]
        if any(game.setting.models for game in standing.games) or is_model(suite.extractor or ""):
            standing.client = _client(run, suite.max_usd if max_usd is None else max_usd)
            # an imported run has its recordings, and not the replies; a run of its own has at least their replies
            standing.client.budget.usd = max(standing.client.budget.usd, _recorded_usd(standing.games, store, run))
        session = _Session(standing, store, run, suite.retries if retries is None else retries, progress)
        by_kind = [[game for game in waiting if bool(game.setting.models) == models] for models in (False, True)]
        try:
            with stoppable(session.interrupt):
                if by_kind[0]:
                    at_once = jobs or cpus()
                    session.play(by_kind[0], at_once, executor_of(executor, at_once))
                if by_kind[1] and not session.stop.is_set():
                    at_once = jobs or MODEL_GAMES
                    session.play(by_kind[1], at_once, for_models(at_once), (standing.client, session.stop))
        finally:
            if standing.client is not None and standing.client.cache is not None:
                standing.client.cache.close()
        if session.interrupted:
            raise KeyboardInterrupt
        return standing


class _Session:
    """One session of playing: the queue, what is in play, and how it stops."""

    def __init__(self, standing: Standing, store: RunStore, run: Path, retries: int, progress: Progress | None) -> None:
        self.standing = standing
        self.store = store
        self.run = run
        self.retries = retries
        self.progress = progress or (lambda standing: None)
        self.stop = threading.Event()
        self.interrupted = False
        self.failures: Counter[str] = Counter()

    def play(self, games: list[Game], at_once: int, players: Executor, shared: tuple[Any, ...] = ()) -> None:
        """Play games, so many at once, until all have ended, or it is stopped.

        ``shared``: what games in this process share, see `play_game`.
        """
        queue = deque(games)
        in_play: dict[Future[Played], Game] = {}
        alone: Game | None = None
        self.progress(self.standing)
        try:
            while in_play or (queue and at_once and not self.stop.is_set()):
                while queue and len(in_play) < at_once and not self.stop.is_set():
                    game = queue.popleft()
                    alone = game if at_once == 1 and not in_play else None
                    self.store.begin(game.id)
                    in_play[players.submit(play_game, game, self.run, *shared)] = game
                for future in wait(in_play, timeout=0.5, return_when=FIRST_COMPLETED).done:
                    game, played = in_play.pop(future), future.result()
                    if played.status == "budget":
                        # Games in play hold in reserve what their calls may cost: one at a time, more can be spent.
                        at_once = 0 if game is alone else 1
                        self.standing.stopped = played.error
                        queue.appendleft(game)
                    if self._ended(game, played):
                        queue.append(game)
                    self.progress(self.standing)
        except BrokenProcessPool:
            raise QuackError("a worker process died (out of memory?); the same command goes on") from None
        finally:
            if in_play:
                self.stop.set()
            players.shutdown(cancel_futures=True)

    def _ended(self, game: Game, played: Played) -> bool:
        """Enter what came of an attempt; whether there is to be another one now."""
        again = False
        status = PENDING
        if played.status == "finished":
            status = FINISHED
            self.standing.finished.add(game.id)
        elif played.status == "failed":
            self.failures[game.id] += 1
            again = not played.lasting and self.failures[game.id] <= self.retries
            if not again:
                status = FAILED
                self.standing.failed[game.id] = played.error or ""
        self.store.end(played, status)
        return again

    def interrupt(self) -> None:
        """Let nothing new begin; a second time, end the process at once."""
        if self.interrupted:
            os._exit(130)
        self.interrupted = True
        self.stop.set()
        self.standing.stopping = True
        self.progress(self.standing)


@contextmanager
def stoppable(interrupt: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and SIGTERM call ``interrupt`` in here, and nothing else; in other threads nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = signal.SIGINT, signal.SIGTERM
    before = {number: signal.signal(number, lambda *_: interrupt()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _take_stock(standing: Standing, store: RunStore, run: Path) -> None:
    """Compare the index with the recordings, which are right, and enter what it lacks; what was broken off goes."""
    known = store.read()
    changed: list[Entry] = []
    for game in standing.games:
        entry = known.get(game.id) or Entry(game.id, game.setting.name, game.seed, game.repetition)
        winner = ending(run / game.id)
        if winner is None:
            if entry.status != PENDING or game.id not in known:
                changed.append(replace(entry, status=PENDING, outcome=None))
            continue
        standing.finished.add(game.id)
        if entry.status != FINISHED:
            calls, tokens, cost = spent(run / game.id)
            told = replace(entry, calls=calls, tokens=tokens, cost_usd=cost, attempts=max(1, entry.attempts))
            changed.append(replace(told, status=FINISHED, outcome=winner, error=None))
    store.put(changed)


def _client(run: Path, max_usd: float | None) -> Client:
    """The client of the run: answers are kept in its folder, and what they cost is part of the budget."""
    client = configure(max_usd=max_usd, cache=run / REPLIES)
    with closing(sqlite3.connect(run / REPLIES)) as db:
        (before,) = db.execute("SELECT TOTAL(json_extract(reply, '$.cost')) FROM replies").fetchone()
    client.budget.usd = float(before)
    if (run / CLAIMS).exists():
        with closing(Cache(run / CLAIMS)) as claims:
            client.budget.usd += claims.paid
    return client


def _recorded_usd(games: Iterable[Game], store: RunStore, run: Path) -> float:
    """US dollars that the recordings of a run say their calls cost, probes included; what has no known price apart."""
    played = sum(entry.cost_usd or 0.0 for entry in store.read().values())
    probes = (run / game.id / PROBES for game in games if game.setting.probes is not None)
    return played + sum(spent(calls)[2] or 0.0 for calls in probes)


def check_limit(suite: Suite, max_usd: float | None) -> None:
    """Nothing, where dollars are not limited, or can be: all models of the suite have prices.

    Args:
        suite: the suite.
        max_usd: of the whole run.

    Raises:
        ConfigError: naming the first model whose price is not known.
    """
    if max_usd is None:
        return
    reader = [suite.extractor] if suite.extractor is not None and is_model(suite.extractor) else []
    check_prices(dict.fromkeys([*(model for setting in suite.expand() for model in setting.models), *reader]))


def unfinished(suite: Suite, run: Path) -> list[Setting]:
    """The settings of which games are missing in a run."""
    waiting = (game for game in suite.games() if ending(run / game.id) is None)
    return list({game.setting.name: game.setting for game in waiting}.values())


def cpus() -> int:
    """The CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# --- the folder ------------------------------------------------------------------------------------------------------


@contextmanager
def opened(suite: Suite, run: Path) -> Iterator[None]:
    """The run's folder, made where it is missing, holding this suite, and nobody else's meanwhile.

    Raises:
        ConfigError: where the folder belongs to another suite or is in use.
    """
    freeze(suite, run)
    with locked(run):
        yield


def freeze(suite: Suite, run: Path) -> None:
    """Write the suite into its run, with the files that it holds, or check that the run is one of this suite."""
    if (run / GAME).exists():
        raise ConfigError(f"{run}: holds a single recorded game ({GAME}) and can be no run; choose another --out")
    if (run / TRAINED).exists():
        raise ConfigError(f"{run}: holds a training ({TRAINED}) and can be no run; choose another --out")
    there = frozen(run) if (run / FROZEN).exists() else None
    if suite == there:
        return
    suite = suite.with_files(held=there.files if there else None)
    if there is not None:
        differs = "; ".join(differing(there.identity, suite.identity))
        if differs:
            seeds = differing(there.identity, suite.identity | {"seeds": there.seeds})
            more = f", or write them into {run / FROZEN}, then: quack bench {quote(str(run))} --resume"
            kept = "choose another --out" + ("" if any(seeds) else more)
            raise ConfigError(f"{run}: holds a run of another suite ({differs}); {kept}")
        return
    text = yaml.safe_dump(
        suite.model_dump(exclude_defaults=True) | {"name": suite.name}, sort_keys=False, allow_unicode=True
    )
    try:
        run.mkdir(parents=True, exist_ok=True)
        unfinished = run / f"{FROZEN}.new"
        unfinished.write_text(text, "utf-8")
        unfinished.replace(run / FROZEN)
    except OSError as fault:
        raise ConfigError(f"{run}: cannot be written ({fault.strerror})") from None


def check_unchanged(store: RunStore, run: Path) -> None:
    """Nothing, where the run's suite is the one that it was begun with, but for seeds that were added; a run that does
    not know that (an older or imported one) is taken as it is.

    Raises:
        ConfigError: naming the fields that differ, or the seeds that were played and are gone.
    """
    text = (run / FROZEN).read_text("utf-8")
    begun, now = (Suite.model_validate(yaml.safe_load(one)) for one in (store.begun_with(text), text))
    differs = "; ".join(differing(begun.identity, now.identity | {"seeds": begun.seeds}))
    if differs:
        raise ConfigError(f"{run}: holds a run of another suite ({differs}); in its {FROZEN} only seeds may be added")
    played = {entry.seed for entry in store.read().values() if entry.status == FINISHED}
    gone = sorted(played.difference(now.seeds))
    if gone:
        told = ", ".join(map(str, gone))
        raise ConfigError(f"{run}: {FROZEN} lacks seeds of which games were played ({told}); seeds may only be added")


def differing(there: Any, here: Any, place: str = "") -> Iterator[str]:
    """Where two suites differ: the field, what it is in the first, and what in the second."""
    if there == here:
        return
    if isinstance(there, dict) and isinstance(here, dict):
        for name in there | here:
            yield from differing(there.get(name), here.get(name), f"{place}.{name}" if place else name)
        return
    if isinstance(there, str) and isinstance(here, str) and "\n" in there and "\n" in here:
        lines = zip_longest(there.splitlines(), here.splitlines())
        there, here = next((pair for pair in lines if pair[0] != pair[1]), (there, here))
    if all(isinstance(side, list) and all(isinstance(part, list) for part in side) for side in (there, here)):
        there, here = [part for part in there if part not in here], [part for part in here if part not in there]
    yield f"{place}: {shown(there)} there, {shown(here)} here"


def holds_run(folder: Path) -> bool:
    """Whether a run was begun in a folder."""
    return (folder / FROZEN).is_file() and any((folder / mark).is_file() for mark in MARKS)


def check_outside(folder: Path) -> None:
    """Nothing, for a folder that is neither a run of a suite nor in one, which may hold the suite's own games only.

    Raises:
        ConfigError: for others, naming the run.
    """
    resolved = folder.resolve()
    for run in (resolved, *resolved.parents):
        if holds_run(run):
            where = "holds a run" if run == resolved else f"lies in {run}, which holds a run"
            raise ConfigError(f"--out {folder}: {where} of a suite ({FROZEN}), and that takes no other games")


def check_run(folder: Path) -> None:
    """Nothing, for a folder in which a run was begun.

    Raises:
        ConfigError: for any other, saying what it lacks.
    """
    if not (folder / FROZEN).is_file():
        raise ConfigError(f"{folder}: is a folder, and no run of a suite ({FROZEN} is missing)")
    if not holds_run(folder):
        begin = f"quack bench {quote(str(folder / FROZEN))} --out RUN"
        raise ConfigError(f"{folder}: no run was begun there ({', '.join(MARKS)} are missing); to begin one: {begin}")


def frozen(run: Path) -> Suite:
    """The suite of a run.

    Raises:
        ConfigError: where the folder is no run, or its suite is damaged.
    """
    file = run / FROZEN
    if not file.is_file():
        raise ConfigError(f"{run}: no run of a suite ({FROZEN} is missing)")
    try:
        return Suite.model_validate(read_yaml_file(str(file), ConfigError))
    except ValidationError as fault:
        raise ConfigError(f"{file}: {explain(fault)}") from None


__all__ = ["Standing", "check_limit", "frozen", "holds_run", "opened", "record_game", "run_suite"]
