"""What agents believed when: one value per answer of a probe, and the SQLite file of a run that keeps them.

A `Belief` says how likely an observer held a player to be a Duck; an `Answer` is the reply to any further question.
"""

from __future__ import annotations

import csv
import importlib
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from quack_env.errors import ConfigError, install

FILE = "run.sqlite"
"""The name of the store in the folder of a run; other tables of the run may stand beside these."""


def game_id_of(folder: str | os.PathLike[str], run: str | os.PathLike[str]) -> str:
    """How the store of a run calls a recorded game: its folder, relative to the run's, with forward slashes.

    A game outside the run, or one that is a run of its own, goes by the name of its folder.
    """
    game, root = Path(folder).resolve(), Path(run).resolve()
    return game.relative_to(root).as_posix() if game != root and game.is_relative_to(root) else game.name


@dataclass(frozen=True, slots=True)
class Belief:
    """What one agent believed of another at one moment (beliefs.md, "Store").

    Of order 1: the probability, to ``observer``, that ``target`` is a Duck. Of order 2: what ``observer`` thinks that
    ``target`` thinks of ``about``. Agents are called as in the environment ("player_0"); the names that players use are
    in the header of the recording.

    Raises:
        ValueError: where the order and ``about``, or the probabilities and ``failure``, do not fit together.
    """

    TABLE: ClassVar[str] = "beliefs"

    game_id: str
    tick: int
    round: int | None
    """Of the discussion, from 1; None outside one."""
    phase: str
    """ "free_roam", "discussion", "voting" or "over"."""
    trigger: str
    """What the snapshot was taken for; where several things came together, their names joined by "+"."""
    event_index: int
    """Events of the recording before this moment: the snapshot lies right before the event of this index. -1 where the
    probe did not know the environment; such rows are never stored."""
    observer: str
    target: str
    order: int
    about: str | None
    p_goose: float | None
    p_duck: float | None
    parsed_ok: bool
    """Whether there is a belief at all."""
    repaired: bool
    """Whether it was read with tolerance (percentages, strings, prose around it, a sum that was not 1) or asked for
    again."""
    rationale: str | None
    latency_ms: float | None
    """Of the whole probe that it came with; None for policies that are not asked in words."""
    cost_usd: float | None
    """This belief's equal share of what the probe cost; None where the price is not known."""
    context_ref: str | None
    """Leads back to prompt and reply: "probes.jsonl#12" is line 12 (from 1) of that file in the game's folder."""
    meeting: int | None = None
    """From 0; None before the first."""
    moment: str | None = None
    """A named moment of a script, as "T1"."""
    repeat: int = 0
    """0 for the first of several probes of the same moment (test-retest), then 1, 2, ..."""
    failure: str | None = None
    """Why there is no belief; the probabilities are then None."""

    def __post_init__(self) -> None:
        if (self.order, self.about is None) not in ((1, True), (2, False)):
            raise ValueError(f"order={self.order!r}, about={self.about!r}: must be 1 without, or 2 with an agent")
        _check(self, (self.p_goose, self.p_duck))


@dataclass(frozen=True, slots=True)
class Answer:
    """How likely ``observer`` held one of the answers to a further question about ``target``.

    Fields not named here are those of `Belief`. A question that failed has one row, its ``answer`` being "".
    """

    TABLE: ClassVar[str] = "answers"

    game_id: str
    tick: int
    round: int | None
    phase: str
    trigger: str
    event_index: int
    observer: str
    target: str
    question: str
    answer: str
    p: float | None
    parsed_ok: bool
    repaired: bool
    latency_ms: float | None
    cost_usd: float | None
    context_ref: str | None
    meeting: int | None = None
    moment: str | None = None
    repeat: int = 0
    failure: str | None = None

    def __post_init__(self) -> None:
        _check(self, (self.p,))


Row = TypeVar("Row", Belief, Answer)


def _check(row: Belief | Answer, values: tuple[float | None, ...]) -> None:
    """Either probabilities in 0..1, or a failure."""
    if row.parsed_ok != (row.failure is None) or any((value is None) != (row.failure is not None) for value in values):
        raise ValueError(f"failure={row.failure!r}, probabilities {values}: must be either one or the other")
    if not all(value is None or 0.0 <= value <= 1.0 for value in values):
        raise ValueError(f"probabilities {values}: must be in 0..1")


def _names(table: type[Any]) -> list[str]:
    return [field.name for field in fields(table)]


_SQL = {"int": "INTEGER", "float": "REAL", "bool": "INTEGER", "str": "TEXT"}
_ARROW = {"int": "int64", "float": "float64", "bool": "bool_", "str": "string"}


def _types(table: type[Any], names: dict[str, str]) -> list[str]:
    return [names[str(field.type).partition(" ")[0]] for field in fields(table)]


class BeliefStore:
    """The beliefs of a run, in SQLite: any number of writers and readers, in threads and processes.

    What one `add` takes is in the file as a whole or, where the process is killed, not at all. The file is made at the
    first `add`; reading where there is none finds nothing.

    Args:
        path: of the file, mostly `FILE` in the run's folder.

    Raises:
        ConfigError: at use, where the file is no database, or its tables have other columns.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._pid = 0

    # --- writing -----------------------------------------------------------------------------------------------------

    def add(self, beliefs: Iterable[Belief], answers: Iterable[Answer] = ()) -> None:
        """Keep these, in one transaction."""
        rows = [(Belief.TABLE, _names(Belief), list(beliefs)), (Answer.TABLE, _names(Answer), list[Any](answers))]
        with self._transaction() as db:
            for table, names, found in rows:
                marks = ", ".join("?" * len(names))
                values = [tuple(getattr(row, name) for name in names) for row in found]
                db.executemany(f"INSERT INTO {table} ({_quoted(names)}) VALUES ({marks})", values)

    def remove(self, game_id: str, observer: str | None = None) -> None:
        """Forget a game, or one observer's part in it, as before it is played anew."""
        if not self.path.exists():
            return
        given = {"game_id": game_id} | ({"observer": observer} if observer is not None else {})
        with self._transaction() as db:
            for table in (Belief, Answer):
                db.execute(f"DELETE FROM {table.TABLE} WHERE {_where(given)}", tuple(given.values()))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """The writing connection of this process (a forked one opens its own), within a transaction."""
        with self._lock, self._errors():
            if self._writer is None or self._pid != os.getpid():
                self._writer, self._pid = self._opened(), os.getpid()
            db = self._writer
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def _opened(self) -> sqlite3.Connection:
        """A connection to the file, which then has the tables."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = _connected(self.path)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        for table in (Belief, Answer):
            columns = zip(_names(table), _types(table, _SQL), strict=True)
            described = ", ".join(f'"{name}" {kind}' for name, kind in columns)
            db.execute(f"CREATE TABLE IF NOT EXISTS {table.TABLE} ({described})")
            db.execute(f"CREATE INDEX IF NOT EXISTS {table.TABLE}_by_game ON {table.TABLE} (game_id)")
        return db

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        with self._lock:
            if self._writer is not None and self._pid == os.getpid():
                self._writer.close()
            self._writer = None

    # --- reading -----------------------------------------------------------------------------------------------------

    def read(
        self,
        game_id: str | None = None,
        observer: str | None = None,
        order: int | None = None,
        trigger: str | None = None,
    ) -> Iterator[Belief]:
        """The beliefs that match everything given, in the order in which they were added.

        ``trigger``: what a snapshot was taken for, perhaps beside other things.
        """
        yield from self._read(Belief, game_id=game_id, observer=observer, order=order, trigger=trigger)

    def read_answers(
        self, game_id: str | None = None, observer: str | None = None, question: str | None = None
    ) -> Iterator[Answer]:
        """The answers to further questions that match everything given, in the order in which they were added."""
        yield from self._read(Answer, game_id=game_id, observer=observer, question=question)

    def _read(self, table: type[Row], **wanted: Any) -> Iterator[Row]:
        given = {name: value for name, value in wanted.items() if value is not None}
        names = _names(table)
        flags = [name for name, kind in zip(names, _types(table, _ARROW), strict=True) if kind == "bool_"]
        query = f"SELECT {_quoted(names)} FROM {table.TABLE} WHERE {_where(given)} ORDER BY rowid"
        if not self.path.exists():
            return
        with self._errors(), closing(_reading(self.path)) as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table.TABLE,)).fetchone():
                return
            for values in db.execute(query, tuple(given.values())):
                row: dict[str, Any] = dict(zip(names, values, strict=True))
                yield table(**row | {name: bool(row[name]) for name in flags})

    # --- passing on --------------------------------------------------------------------------------------------------

    def export(self, path: str | os.PathLike[str], table: type[Belief] | type[Answer] = Belief) -> Path:
        """Write all beliefs (or answers) to a file, CSV or Parquet by its ending; the path.

        Undefined values are empty in CSV and null in Parquet, whose columns are typed.

        Raises:
            ConfigError: for another ending, a path that cannot be written, or Parquet without the extra `parquet`.
        """
        file = Path(path)
        writers = {".csv": _write_csv, ".parquet": _write_parquet}
        if file.suffix not in writers:
            raise ConfigError(f"{file}: must end in {' or '.join(writers)}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            writers[file.suffix](file, table, self._read(table))
        except OSError as fault:
            raise ConfigError(f"{file}: cannot be written ({fault.strerror})") from None
        return file

    def frame(self, table: type[Belief] | type[Answer] = Belief) -> Any:
        """All beliefs (or answers) as a pandas data frame, a column a field.

        Raises:
            ConfigError: without the extra `parquet`, which brings pandas.
        """
        pandas = _library("pandas", "data frames")
        columns = _names(table)
        rows = self._read(table)  # type: ignore[type-var]
        return pandas.DataFrame([[getattr(row, name) for name in columns] for row in rows], columns=columns)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as fault:
            raise ConfigError(f"{self.path}: cannot be used as a store of beliefs ({fault})") from None


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)


def _reading(path: Path) -> sqlite3.Connection:
    """A connection to read; where nothing can be written beside the file, one that does not try to."""
    if os.access(path.parent, os.W_OK):
        return _connected(path)
    return sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _where(names: Iterable[str]) -> str:
    """The condition that every named column has its value; a trigger may be one of several."""
    tests = (
        f"instr('+' || \"{name}\" || '+', '+' || ? || '+')" if name == "trigger" else f'"{name}" = ?' for name in names
    )
    return " AND ".join(tests) or "1"


def _write_csv(file: Path, table: type[Any], rows: Iterable[Any]) -> None:
    names = _names(table)
    with open(file, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(names)
        writer.writerows([getattr(row, name) for name in names] for row in rows)


def _write_parquet(file: Path, table: type[Any], rows: Iterable[Any]) -> None:
    arrow, parquet = _library("pyarrow", "Parquet files"), _library("pyarrow.parquet", "Parquet files")
    kinds = zip(_names(table), _types(table, _ARROW), strict=True)
    schema = arrow.schema([(name, getattr(arrow, kind)()) for name, kind in kinds])
    found = list(rows)
    columns = {name: [getattr(row, name) for row in found] for name in schema.names}
    parquet.write_table(arrow.table(columns, schema=schema), file)


def _library(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigError(f"{what} need {name.partition('.')[0]}: {install('parquet')}") from None
