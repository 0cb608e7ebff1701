"""What is special to the compiled engine: records, keys, the cache; and what happens without Numba."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import quack_env
from quack_env.chance import game_key
from quack_env.config import GameConfig
from quack_env.errors import ConfigError
from quack_env.game_map import GameMap
from quack_env.state import HASHED, WITNESS, State
from quack_env.vector import binder, records
from quack_env.world import World

PACKAGE = Path(quack_env.__file__).parent


@pytest.fixture(scope="module")
def compiled() -> ModuleType:
    pytest.importorskip("numba", reason="Numba is not installed: nothing is compiled")
    from quack_env.vector import compiled

    return compiled


def world_of(n: int, rooms: int, tasks: int, speech: str = "off", **config: Any) -> World:
    game_map = GameMap.random(rooms, seed=1)
    return World(GameConfig(n_players=n, n_tasks=min(tasks, len(game_map.tasks)), **config), game_map, speech)


# --- records ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "rooms", "tasks", "most"), [(6, 10, 5, 512), (16, 24, 5, 2048), (16, 24, 12, 2048)])
def test_states_are_small(n: int, rooms: int, tasks: int, most: int) -> None:
    assert records.state_dtype(records.room_for(world_of(n, rooms, tasks))).itemsize <= most


def test_similar_games_share_a_record() -> None:
    some = {records.room_for(world_of(n, rooms, 3)) for n in (3, 5, 6) for rooms in (5, 10)}
    assert len(some) == 1
    assert records.room_for(world_of(7, 10, 3)) not in some


def test_a_record_holds_every_field_of_the_state() -> None:
    world = world_of(6, 10, 5, "tokens")
    dtype = records.state_dtype(records.room_for(world))
    assert set(dtype.names or ()) == {*HASHED, *WITNESS}
    state = State(world)
    assert records.state_dict(np.zeros(1, dtype)[0], world) == state.to_dict()


@pytest.mark.parametrize(
    ("field", "value"),
    [("max_ticks", 300_000), ("kill_cooldown", 300_000), ("button_budget", 2000), ("n", 17), ("R", 61), ("rounds", 9)],
)
def test_what_does_not_fit_is_named(field: str, value: int) -> None:
    """No config gets there: its own limits are narrower."""
    world = world_of(6, 10, 5, "tokens")
    changed = SimpleNamespace(**{name: getattr(world, name) for name in World.__slots__} | {field: value})
    with pytest.raises(ConfigError, match=rf"={value}: the batched environment has room for at most \d+"):
        records.room_for(changed)  # type: ignore[arg-type]


@pytest.mark.parametrize("long", [False, True])
def test_widths_hold_their_bounds(long: bool) -> None:
    most = {"max_ticks": 200_000, "kill_cooldown": 200_000} if long else {}
    for n, rooms, tasks in ((6, 10, 5), (10, 24, 12), (16, 60, 40)):
        room = records.room_for(world_of(n, rooms, tasks, "tokens", **most))
        dtype = records.state_dtype(room)
        for name in dtype.names or ():
            if name not in ("key", "ring"):
                low, high = records.bounds(name, room)
                info = np.iinfo(dtype[name].base)
                assert info.min <= low and high <= info.max, name


# --- compiled code ---------------------------------------------------------------------------------------------------


def test_keys_are_those_of_the_scalar_games(compiled: ModuleType) -> None:
    """The compiled twin of NumPy's SeedSequence."""
    rng = np.random.default_rng(0)
    seeds = [0, 1, 2**32 - 1, 2**32, 2**63 - 1, *rng.integers(0, 2**63 - 1, 300).tolist()]
    with np.errstate(over="ignore"):
        assert [int(compiled.game_key(seed)) for seed in seeds] == [game_key(seed) for seed in seeds]


def test_the_fingerprint_covers_all_that_is_compiled(compiled: ModuleType) -> None:
    """Whatever the compiled modules import from the project is in it."""
    covered = {module.__name__ for module in compiled.SOURCES}
    for module in binder.MODULES:
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        plain = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        imported = {node.module for node in plain if str(node.module).startswith("quack_env")}
        assert imported <= covered, module.__name__


PROBE = """
import numpy as np
from quack_env.config import GameConfig
from quack_env.game_map import GameMap
from quack_env.vector import compiled, records
from quack_env.world import World

compiled.KERNELS = ("advance",)  # a small part of the real ones, and like them not in the file of the rules
world = World(GameConfig(), GameMap.load("ship"), "off")
room = records.room_for(world)
state = np.zeros(1, records.state_dtype(room))[0]
state["turn"] = world.n + 1
kernel = compiled.kernels(room).advance
kernel(records.world_record(world), state)
print(state["tick"], sum(kernel.stats.cache_hits.values()), compiled.fingerprint())
"""


def run(code: str, package: Path, **variables: str) -> list[str]:
    """The words that a script prints, with the package taken from a folder."""
    environment = os.environ | {"PYTHONPATH": str(package)} | variables
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=package, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_editing_a_rule_compiles_anew(compiled: ModuleType, tmp_path: Path) -> None:
    """Numba alone would go on with the old rule: the kernel's own file has not changed."""
    shutil.copytree(PACKAGE, tmp_path / "quack_env", ignore=shutil.ignore_patterns("__pycache__"))
    cache = str(tmp_path / "cache")
    tick, hits, first = run(PROBE, tmp_path, XDG_CACHE_HOME=cache)
    assert (tick, hits) == ("1", "0")
    assert run(PROBE, tmp_path, XDG_CACHE_HOME=cache) == ["1", "1", first]
    rules = tmp_path / "quack_env" / "rules.py"
    text = rules.read_text(encoding="utf-8")
    assert text.count("state.tick += 1\n") == 1
    rules.write_text(text.replace("state.tick += 1\n", "state.tick += 5\n"), encoding="utf-8")
    tick, hits, second = run(PROBE, tmp_path, XDG_CACHE_HOME=cache)
    assert (tick, hits) == ("5", "0")
    assert second != first


# --- without Numba ---------------------------------------------------------------------------------------------------

WITHOUT = """
import sys, warnings
sys.modules["numba"] = None
from quack_env.vector.env import vector_env
from quack_env.vector.interpreted import InterpretedEngine

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    all_envs = [vector_env(3, form=form, game_map="small", max_ticks=5) for form in ("turn", "parallel")]
for envs in all_envs:
    assert isinstance(envs.engine, InterpretedEngine)
    envs.reset(seed=1)
    ends = 0
    for _ in range(40):
        ends += envs.step(envs.masks.argmax(-1))[2].sum()
    assert ends
told = [str(w.message) for w in caught if "Numba" in str(w.message)]
print(len(told), all_envs[0].seeds[0])
assert ".[rl]" in told[0]
assert caught[-1].filename == "<string>"
"""


def test_without_numba_it_runs_interpreted_and_says_so_once() -> None:
    told, seed = run(WITHOUT, PACKAGE.parent)
    assert told == "1" and int(seed) > 0
