"""The rules, views and encoder compiled with Numba: the same functions, over records in place of objects.

The compiled kernels are kept in a folder of the user's cache that is named by the code they were made from, because
Numba itself looks only at the file of a kernel, not at what it calls.
"""

from __future__ import annotations

import dis
import hashlib
import marshal
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quack_env import kinds, outcome, state, world
from quack_env.encode.vector import Layout
from quack_env.errors import ConfigError
from quack_env.vector import binder, records, view_type
from quack_env.vector import kernels as plain
from quack_env.vector.kernels import Batch
from quack_env.vector.records import Room
from quack_env.world import World

numba: Any = import_module("numba")
if numba.config.DISABLE_JIT:
    raise ImportError("NUMBA_DISABLE_JIT is set")

SOURCES: tuple[ModuleType, ...] = (*binder.MODULES, kinds, outcome, state, world, binder, records, view_type)
"""With this module, all whose code or constants are in what is compiled."""
KERNELS = ("refused", "step_turn", "step_together")
"""What is called from Python, and kept compiled."""
U = np.uint64
M32 = 0xFFFFFFFF


# --- in place of the interpreted ones --------------------------------------------------------------------------------


def clear(row: Any) -> None:
    """In place of `kernels.clear`."""
    row[:] = 0


def copy(row: Any, source: Any) -> None:
    """In place of `kernels.copy`."""
    for p in range(len(row)):
        row[p] = source[p]


def store(states: Any, g: int, state: Any) -> None:
    """In place of `kernels.store`."""
    states[g] = state


def blank(view: Any) -> None:
    """In place of `kernels.blank`."""
    view.speaking = view.speaking[:0]
    view.said = view.said[:0]
    view.events = view.store
    view.store[0] = 0


def keep(events: Any, count: int, event: int) -> None:
    """In place of `view.keep`; a zero ends the events."""
    events[count] = event
    events[count + 1] = 0


def bit_length(x: int) -> int:
    """In place of `int.bit_length`, of a number that is not negative."""
    length = 0
    while x:
        x >>= 1
        length += 1
    return length


# `chance.game_key` of a seed below 2**64: numpy.random.SeedSequence mixes its two halves into a pool of four words
# (the constants and the order of the steps are NumPy's, and fixed by its promise of reproducible streams).
POOL = tuple(0x43B0D7E5 * pow(0x931E8875, k, 1 << 32) & M32 for k in range(16))
OUTPUT = tuple(0x8B51F9DD * pow(0x58F38DED, k, 1 << 32) & M32 for k in range(3))


def hashed(value: Any, k: int) -> Any:
    """The k-th hash of a word on its way into the pool."""
    word = (U(value) ^ U(POOL[k])) * U(POOL[k + 1]) & U(M32)
    return word ^ word >> U(16)


def mixed(x: Any, y: Any) -> Any:
    """Two words of the pool made one."""
    word = U(0xCA01F9DD) * U(x) - U(0x4973F715) * U(y) & U(M32)
    return word ^ word >> U(16)


def drawn(word: Any, k: int) -> Any:
    """The k-th word drawn from the pool."""
    word = (U(word) ^ U(OUTPUT[k])) * U(OUTPUT[k + 1]) & U(M32)
    return word ^ word >> U(16)


def game_key(seed: int) -> Any:
    """In place of `chance.game_key`, for a seed in [0, 2**63)."""
    a, b, c, d = hashed(U(seed) & U(M32), 0), hashed(U(seed) >> U(32), 1), hashed(U(0), 2), hashed(U(0), 3)
    b, c, d = mixed(b, hashed(a, 4)), mixed(c, hashed(a, 5)), mixed(d, hashed(a, 6))
    a, c, d = mixed(a, hashed(b, 7)), mixed(c, hashed(b, 8)), mixed(d, hashed(b, 9))
    a, b, d = mixed(a, hashed(c, 10)), mixed(b, hashed(c, 11)), mixed(d, hashed(c, 12))
    a, b = mixed(a, hashed(d, 13)), mixed(b, hashed(d, 14))
    return drawn(a, 0) | drawn(b, 1) << U(32)


# --- compiling -------------------------------------------------------------------------------------------------------


def widened(kind: Any) -> Any:
    """A 64-bit integer for any smaller one, and for a constant; other types as they are."""
    kind = numba.types.unliteral(kind)
    return numba.types.int64 if isinstance(kind, numba.types.Integer) and kind.bitwidth < 64 else kind


def inner(function: Any) -> Any:
    """A function compiled for calls from compiled code: once for all widths of integers, which are cast at the call.

    What is called from one place only becomes part of its caller, which is faster to compile and to run. Reference
    counts are left out (`_nrt`): nothing in the kernels allocates, and their arguments outlive the call.
    """
    options: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    if function.__name__ in called_once():
        return numba.njit(function, inline="always", **options)
    compiled = numba.njit(function, **options)
    template = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: template(tuple(widened(kind) for kind in args), kws)
    return compiled


@cache
def called_once() -> frozenset[str]:
    """The functions that no kernel calls from more than one place, with all that it leads to."""
    most: dict[str, int] = {}
    for kernel in KERNELS:
        for name, count in calls_of(getattr(plain, kernel)).items():
            most[name] = max(count, most.get(name, 0))
    return frozenset(name for name, count in most.items() if count == 1)


def calls_of(kernel: FunctionType) -> Counter[str]:
    """The functions that a kernel leads to, by how many places they are called from."""
    calls: Counter[str] = Counter()
    waiting, seen = [kernel], set()
    while waiting:
        function = waiting.pop()
        if function not in seen:
            seen.add(function)
            names = [step.argval for step in dis.get_instructions(function) if step.opname == "LOAD_GLOBAL"]
            called = [function.__globals__.get(name) for name in names]
            waiting += (found := [value for value in called if isinstance(value, FunctionType)])
            calls.update(value.__name__ for value in found)
    return calls


@cache
def kernels(room: Room) -> SimpleNamespace:
    """The compiled kernels, by name, for records of one size."""
    given = {"new_view": view_type.new_view, "UINT": np.uint64, "INT": np.int64, "LOGGED": False}
    space = dict(globals())
    for function in (clear, copy, store, blank, keep, bit_length, hashed, mixed, drawn, game_key):
        name = function.__name__
        given[name] = space[name] = inner(binder.copied(function, space))
    folder = cache_folder(room)

    def wrap(function: Any) -> Any:
        if function.__name__ not in KERNELS:
            return inner(function)
        return numba.njit(function, error_model="numpy", nogil=True, _nrt=False, cache=folder is not None)

    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or before)
    try:
        return binder.bind(wrap, given)
    finally:
        numba.config.CACHE_DIR = before


def cache_folder(room: Room) -> Path | None:
    """Where compiled kernels are kept; None when nothing can be written there.

    Each size of records has its own, so that each kernel there is compiled for one signature only: processes that
    compile at the same time would otherwise overwrite each other's (Numba numbers the signatures of a kernel).
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    folder = Path(home) / "quack_env" / f"kernels-{fingerprint()}" / "-".join(str(size) for size in room)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


@cache
def fingerprint() -> str:
    """A name for all code and constants that are compiled, as they were loaded."""
    digest = hashlib.sha256()
    for module in (*SOURCES, sys.modules[__name__]):
        for name, value in sorted(vars(module).items()):
            methods = vars(value).values() if isinstance(value, type) else (value,)
            for function in methods:
                if isinstance(function, FunctionType):
                    digest.update(marshal.dumps(function.__code__, 2))
            if isinstance(value, int | float | str) or is_plain(value):
                digest.update(f"{name}={value!r}".encode())
    return digest.hexdigest()[:16]


def is_plain(value: Any) -> bool:
    """Whether the value is a tuple of numbers and strings."""
    return isinstance(value, tuple) and all(isinstance(part, int | float | str) for part in value)


# --- running ---------------------------------------------------------------------------------------------------------


class Places(NamedTuple):
    """What the encoder reads of a `Layout`, in a form that compiled code takes."""

    at: Any
    start: NDArray[np.float32]
    self_at: tuple[int, ...]
    self_unit: tuple[float, ...]
    others_at: tuple[int, ...]
    since_unit: float
    event_unit: float
    place_unit: float
    round_unit: float


def places_of(layout: Layout) -> Places:
    """The places and units of a layout."""
    names = sorted({*layout.at, "revealed_ducks", "revealed_geese", "statements"})  # of any world
    at = np.zeros(1, [(name, np.int64) for name in names])[0]
    for name, place in layout.at.items():
        at[name] = place
    start = np.array(layout.start, np.float32)
    places = Places(at, start, *(getattr(layout, name) for name in Places._fields[2:]))
    if not hasattr(Places, "_numba_type_"):  # it is the same for all, and slow to find out at every call
        Places._numba_type_ = numba.typeof(places)  # type: ignore[attr-defined]
    return places


@cache
def pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Threads that run kernels, made once in a process."""
    return ThreadPoolExecutor(threads, "quack_env")


class CompiledEngine:
    """Runs the games of a batch with compiled kernels; ``threads`` of them at a time."""

    def __init__(
        self, world: World, layout: Layout, batch: Batch, form: str, threads: int = 1, keep_ends: bool = False
    ) -> None:
        cores = os.cpu_count() or 1
        if not 1 <= threads <= cores:
            raise ConfigError(f"threads={threads!r}: must be from 1 to {cores}, the cores of this machine")
        room = records.room_for(world)
        self.options = (world, layout, batch, form, threads, keep_ends)
        self.states = np.zeros(len(batch.done), records.state_dtype(room))
        self.ends = np.zeros_like(self.states[: len(self.states) * keep_ends])
        self._kernels = kernels(room)
        self._arguments = (records.world_record(world), places_of(layout), self.states, self.ends, batch)

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (self.options, self.states)

    @property
    def state_size(self) -> int:
        """Bytes of one game's state."""
        return self.states.dtype.itemsize

    def refused(self, actions: NDArray[np.int64]) -> int:
        """The index, in the order of the masks, of the first action that is not legal; -1 when there is none."""
        world, _, batch, *_ = self.options
        return int(self._kernels.refused(batch.masks.reshape(-1, world.A), actions.ravel()))

    def step(self, actions: NDArray[np.int64], anew: bool = False) -> None:
        """Apply one action a game (turn form) or a seat; with ``anew`` deal new games instead."""
        threads, games = self.options[4], len(self.states)
        if threads == 1:
            self._run(actions, anew, 0, games)
            return
        cuts = [games * part // threads for part in range(threads + 1)]
        workers = pool(threads, os.getpid())
        parts = [workers.submit(self._run, actions, anew, first, last) for first, last in pairwise(cuts)]
        for part in parts:
            part.result()

    def _run(self, actions: NDArray[np.int64], anew: bool, first: int, last: int) -> None:
        """The step of the games first .. last - 1."""
        kernel = self._kernels.step_turn if self.options[3] == "turn" else self._kernels.step_together
        kernel(*self._arguments, actions, int(anew), first, last)

    def state_dict(self, g: int, ended: bool = False) -> dict[str, Any]:
        """The state of game g, or of the one that has just ended there, as `State.to_dict` gives it."""
        return records.state_dict((self.ends if ended else self.states)[g], self.options[0])


def restore(options: tuple[World, Layout, Batch, str, int, bool], states: NDArray[np.void]) -> CompiledEngine:
    """The engine of `CompiledEngine.__reduce__`."""
    engine = CompiledEngine(*options)
    engine.states[:] = states
    return engine
