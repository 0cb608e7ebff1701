"""The index of a run: `run.sqlite`, table `games`. The recordings are the truth; this says where they stand.

Table `suite` has the text of the suite's file as the run was begun with it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from quack_bench.games import Played
from quack_env import ConfigError

FILE = "run.sqlite"
PENDING, RUNNING, FINISHED, FAILED = STATUSES = ("pending", "running", "finished", "failed")


@dataclass(frozen=True)
class Entry:
    """A game of a run.

    ``id`` is its folder below the run. ``attempts`` counts those of all sessions. ``cost_usd``, ``tokens``, ``calls``
    are those of the last attempt, replies from the cache included, which were paid once; None where not known.
    ``started`` and ``ended`` are UTC. ``outcome`` is the winning team, ``error`` what the last attempt failed of.
    """

    id: str
    setting: str
    seed: int
    repetition: int
    status: str = PENDING
    attempts: int = 0
    cost_usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    started: str | None = None
    ended: str | None = None
    outcome: str | None = None
    error: str | None = None


COLUMNS = tuple(field.name for field in fields(Entry))
TABLE = """CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY, setting TEXT NOT NULL, seed INTEGER NOT NULL, repetition INTEGER NOT NULL,
    status TEXT NOT NULL, attempts INTEGER NOT NULL, cost_usd REAL, tokens INTEGER, calls INTEGER,
    started TEXT, ended TEXT, outcome TEXT, error TEXT)"""
SUITE = "CREATE TABLE IF NOT EXISTS suite (text TEXT NOT NULL)"


class RunStore:
    """The games of a run. One process writes (the one with the lock), any number read.

    Args:
        run: folder of the run.

    Raises:
        ConfigError: where the file is no such database.
    """

    def __init__(self, run: Path) -> None:
        self.path = run / FILE
        with self._errors():
            self._db = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(TABLE)
            self._db.execute(SUITE)

    def put(self, entries: Iterable[Entry]) -> None:
        """Enter games, in place of what is known of them, in one transaction."""
        marks, fields = ", ".join("?" * len(COLUMNS)), ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[1:])
        statement = f"INSERT INTO games VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {fields}"
        with self._errors():
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(statement, map(astuple, entries))
            self._db.execute("COMMIT")

    def begin(self, game: str) -> None:
        """A game is being played."""
        self._set(game, "status = ?, attempts = attempts + 1, started = ?, ended = NULL", RUNNING, now())

    def end(self, played: Played, status: str) -> None:
        """An attempt has ended; the game is then of this status."""
        self._set(
            played.id,
            "status = ?, cost_usd = ?, tokens = ?, calls = ?, started = ?, ended = ?, outcome = ?, error = ?",
            *(status, played.cost, played.tokens, played.calls, now(played.started), now(played.ended)),
            *(played.outcome, played.error),
        )

    def _set(self, game: str, fields: str, *values: object) -> None:
        with self._errors():
            self._db.execute(f"UPDATE games SET {fields} WHERE id = ?", (*values, game))

    def read(self) -> dict[str, Entry]:
        """All games by their id, in the order of the suite."""
        with self._errors():
            rows = self._db.execute(f"SELECT {', '.join(COLUMNS)} FROM games ORDER BY rowid").fetchall()
        return {row[0]: Entry(*row) for row in rows}

    def begun_with(self, text: str) -> str:
        """The text of the suite's file that the run was begun with; where none is known, it is this one from now on."""
        with self._errors():
            self._db.execute("INSERT INTO suite SELECT ? WHERE NOT EXISTS (SELECT * FROM suite)", (text,))
            (first,) = self._db.execute("SELECT text FROM suite").fetchone()
        return str(first)

    def close(self) -> None:
        """Close the file, which is then complete without the journal beside it, unless somebody is reading."""
        with suppress(sqlite3.Error):
            self._db.execute("PRAGMA busy_timeout = 1000")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as fault:
            raise ConfigError(f"{self.path}: cannot be used as the index of a run ({fault})") from None


def now(seconds: float | None = None) -> str:
    """A moment in UTC, to the millisecond; without one, this."""
    moment = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds")
