"""A run for sharing: Parquet tables to work with, a data card to read, and all files in one archive to import again."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import json
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from quack_bench import lock, store
from quack_bench.runner import CLAIMS, REPLIES, frozen
from quack_bench.store import RunStore
from quack_env import ConfigError, __version__
from quack_env.beliefs import Answer, Belief, BeliefStore
from quack_env.encode.text import counted
from quack_env.errors import install
from quack_env.yaml_file import not_utf8
from quack_eval.metrics.tables import shown_policy

ARCHIVE, CARD, MANIFEST = "files.tar.gz", "README.md", "manifest.json"
BATCH = 5000
"""Rows of a Parquet file that are in memory at once."""
NOT_SHARED = (store.FILE, lock.FILE, REPLIES, CLAIMS)
"""The index goes as Parquet, its tables being written anew at import; caches and locks stay."""

PROBED: tuple[type[Belief], type[Answer]] = (Belief, Answer)

Progress = Callable[[int, int], None]


# --- out -------------------------------------------------------------------------------------------------------------


def export_run(run: Path, out: Path, progress: Progress | None = None) -> list[Path]:
    """Write a run into a folder for sharing; the paths written.

    Written: `files.tar.gz` (all recordings and results), a Parquet file per table of `run.sqlite` (`games`, and
    `beliefs` where agents were probed), `measures.parquet`, `claims.parquet`, `findings.parquet`, a data card
    `README.md`, and `manifest.json` with a checksum of every file.

    Raises:
        ConfigError: where ``run`` is no run or a result in it is damaged, ``out`` is not empty, or the extra `parquet`
            is missing. Nothing is written then.
    """
    suite = frozen(run)
    if out.exists() and any(out.iterdir()):
        raise ConfigError(f"{out}: is not empty; choose another folder")
    _parquet()
    try:
        return _export(run, out, suite.model_dump(), progress)
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)
        raise


def _export(run: Path, out: Path, suite: dict[str, Any], progress: Progress | None) -> list[Path]:
    """The files of an export, written."""
    out.mkdir(parents=True, exist_ok=True)
    files = shared_files(run)
    pack(run, files, out / ARCHIVE, progress)
    with RunStore(run) as index:  # a run of before the index, or one without it, gets it
        known = index.read()
    written = [out / ARCHIVE]
    with closing(sqlite3.connect(run / store.FILE)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        written.append(write_table(out / "games.parquet", table_rows(db, "games")))
    written += [BeliefStore(run / store.FILE).export(out / f"{t.TABLE}.parquet", t) for t in PROBED if t.TABLE in names]
    for name in ("claims", "findings"):
        if (run / f"{name}.jsonl").is_file():
            written.append(write_table(out / f"{name}.parquet", line_rows(run / f"{name}.jsonl")))
    if (run / "measures.json").is_file():
        written.append(write_table(out / "measures.parquet", measure_rows(run / "measures.json")))
    (out / CARD).write_text(card(run, suite, list(known.values()), written), "utf-8")
    written.append(out / CARD)
    sums = {path.name: checksum(path) for path in written}
    (out / MANIFEST).write_text(
        json.dumps({"version": 1, "made_by": f"quack_env {__version__}", "sha256": sums}) + "\n"
    )
    return [*written, out / MANIFEST]


def shared_files(run: Path) -> list[Path]:
    """The files of a run that are shared, relative to it, in order."""
    found: list[Path] = []
    for root, folders, names in os.walk(run):
        folders.sort()
        found += [(Path(root) / name).relative_to(run) for name in sorted(names)]
    return [path for path in found if not path.name.startswith(NOT_SHARED) and path.suffix != ".new"]


def pack(run: Path, files: list[Path], archive: Path, progress: Progress | None) -> None:
    """Write files into an archive that is the same for the same files."""
    # mtime=0 and plain owners: two exports of one run are one file
    with (
        open(archive, "wb") as raw,
        gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        for done, path in enumerate(files):
            if progress:
                progress(done, len(files))
            info = tarfile.TarInfo(path.as_posix())
            info.size = (run / path).stat().st_size
            with open(run / path, "rb") as file:
                tar.addfile(info, file)


def table_rows(db: sqlite3.Connection, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a table."""
    cursor = db.execute(f'SELECT * FROM "{name}" ORDER BY rowid')
    columns = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(columns, row, strict=True))


def line_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a JSONL file as rows; of `findings.jsonl` those about findings, each with its game."""
    games: list[str] = []
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            with _readable(f"{path}, line {number}"):
                entry = json.loads(line)
                if path.stem == "findings":
                    if "of" not in entry:
                        games.append(entry["game"])
                        continue
                    entry = {"game": games[entry.pop("of")], **entry}
            yield {
                name: json.dumps(v, ensure_ascii=False) if isinstance(v, dict | list) else v
                for name, v in entry.items()
            }


def measure_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The estimates of `measures.json`, one row each."""
    with _readable(str(path)):
        data = json.loads(path.read_text("utf-8"))
        groups = [("all", "all", data["measures"])]
        groups += [("setting", name, found) for name, found in data["settings"].items()]
        groups += [(role, name, found) for role, models in data["roles"].items() for name, found in models.items()]
        for group, name, found in groups:
            for measure, value in found.items():
                mean, pooled = (value.pop(key) or (None, None) for key in ("mean_interval", "pooled_interval"))
                ends = {"mean_low": mean[0], "mean_high": mean[1], "pooled_low": pooled[0], "pooled_high": pooled[1]}
                yield {"group": group, "name": name, "measure": measure, **value, **ends}


@contextmanager
def _readable(where: str) -> Iterator[None]:
    """What is not as `score` writes it is an error that says where it stands."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as fault:
        why = f", {not_utf8(fault)}" if isinstance(fault, UnicodeDecodeError) else ""
        raise ConfigError(f"{where}: damaged{why}; `quack bench RUN --resume` writes it anew") from None


def write_table(path: Path, rows: Iterator[dict[str, Any]]) -> Path:
    """Write rows as Parquet: numbers as they are, everything else as text; columns in the order of their appearance."""
    arrow, parquet = _parquet()
    found = list(rows)
    names = list(dict.fromkeys(name for row in found for name in row))
    kinds = {name: {type(row[name]) for row in found if row.get(name) is not None} for name in names}
    types = {
        name: arrow.bool_() if kind == {bool} else arrow.int64() if kind == {int} else arrow.float64()
        if kind and kind <= {int, float} else arrow.string()
        for name, kind in kinds.items()
    }  # fmt: skip
    schema = arrow.schema(list(types.items()))
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, len(found), BATCH):
            batch = found[start : start + BATCH]
            columns = {name: arrow.array([row.get(name) for row in batch], type=kind) for name, kind in types.items()}
            writer.write_table(arrow.table(columns, schema=schema))
    return path


def card(run: Path, suite: dict[str, Any], games: list[store.Entry], files: list[Path]) -> str:
    """The data card: what this is, how it was made, what is in it, what it says, what it does not."""
    finished = sum(game.status == store.FINISHED for game in games)
    failed = [game for game in games if game.status == store.FAILED]
    settings = list(dict.fromkeys(game.setting for game in games))
    lines = [
        "---",
        f"pretty_name: {json.dumps('QUACK games: ' + suite['name'])}",
        "tags: [social-deduction, multi-agent, games]",
        "---",
        f"# QUACK games: {suite['name']}",
        "",
        f"{finished} recorded games of social deduction in {len(settings)} settings, with every claim their players "
        "made held against what happened. Made and evaluated by "
        f"quack_env {__version__}; `quack import` makes a run of it again.",
        "",
        "## Settings",
        "",
        *(f"- {shown_policy(name)}: {counted(sum(g.setting == name for g in games), 'game')}" for name in settings),
        "",
        f"Seeds: {', '.join(map(str, sorted({game.seed for game in games})))}. "
        "The same seed deals the same roles, places and tasks in every setting.",
        "",
        "## Files",
        "",
        "| file | holds |",
        "|---|---|",
        *(f"| `{path.name}` | {HOLDS.get(path.name, 'a table of the index')} |" for path in files),
        "",
        "## Left out",
        "",
        f"{counted(len(failed), 'game')} failed and {'is' if len(failed) == 1 else 'are'} not scored (`error` in "
        f"`games.parquet` says of what); {len(games) - finished - len(failed)} not played. Undefined values are null, "
        "which is not zero.",
        "",
        *results_of(run),
    ]
    return "\n".join(lines)


HOLDS = {
    ARCHIVE: "all recordings (`trajectory.jsonl`: events; `calls.jsonl`: calls of models) and results",
    "games.parquet": "the index: a row per game with setting, seed, status, calls, tokens, cost, winner",
    "answers.parquet": "what probed agents answered to further questions",
    "beliefs.parquet": "what probed agents believed, a row per observer, target and moment",
    "measures.parquet": "every measure by setting, by policy and role, and over all games, with 95 % intervals",
    "claims.parquet": "what was claimed, a row per utterance",
    "findings.parquet": "every claim with its verdict, reason and evidence",
}


def results_of(run: Path) -> list[str]:
    """The paper's Table 1 of a run, where it has been scored."""
    table = run / "tables" / "table1.md"
    return ["## Results", "", table.read_text("utf-8")] if table.is_file() else []


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# --- in --------------------------------------------------------------------------------------------------------------


def import_run(export: Path, run: Path) -> list[Path]:
    """Make a run again of what `export_run` wrote; the files of the run.

    Raises:
        ConfigError: where ``export`` is none or a file of it has changed, or ``run`` is not empty.
    """
    try:
        sums = json.loads((export / MANIFEST).read_text("utf-8"))["sha256"]
        changed = [name for name, digest in sums.items() if checksum(export / name) != digest]
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise ConfigError(f"{export}: no exported run ({Path(str(fault.filename)).name} is missing)") from None
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ConfigError(f"{export}: no exported run ({fault})") from None
    if changed:
        raise ConfigError(f"{export}: {changed[0]} is not what was exported (its checksum differs)")
    if run.exists() and any(run.iterdir()):
        raise ConfigError(f"{run}: is not empty; choose another folder")
    _, parquet = _parquet()
    run.mkdir(parents=True, exist_ok=True)
    with tarfile.open(export / ARCHIVE) as tar:
        tar.extractall(run, filter="data")
    with RunStore(run) as index:
        index.put(store.Entry(**row) for row in parquet.read_table(export / "games.parquet").to_pylist())
    rows = {t: export / f"{t.TABLE}.parquet" for t in PROBED}
    kept = {t: parquet.read_table(path).to_pylist() if path.is_file() else [] for t, path in rows.items()}
    if any(kept.values()):
        with closing(BeliefStore(run / store.FILE)) as beliefs:
            beliefs.add([Belief(**row) for row in kept[Belief]], [Answer(**row) for row in kept[Answer]])
    frozen(run)
    return [run / path for path in shared_files(run)]


def _parquet() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise ConfigError(f"exported runs need pyarrow: {install('parquet')}") from None
