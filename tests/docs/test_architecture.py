"""Who imports whom is as docs/design/architecture.md draws it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.pages import DOCS, ROOT

TEXT = (DOCS / "design" / "architecture.md").read_text(encoding="utf-8")
SECTION = TEXT.split("## Who may import whom")[1].split("## Principles")[0]
FOLDERS = {"quack_env": ".", "quack_agents": "agents", "quack_eval": "eval", "quack_bench": "benchmarks"}
MAY_IMPORT = {
    "quack_env": set(),
    "quack_agents": {"quack_env"},
    "quack_eval": {"quack_env"},
    "quack_bench": {"quack_env", "quack_agents", "quack_eval"},
}
HEAVY = ("pygame", "numba", "litellm", "torch", "ray", "stable_baselines3", "sb3_contrib")


class Import(NamedTuple):
    """One import: the module that has it, what it names, and whether it waits until a function is called."""

    module: str
    names: str
    lazy: bool


@cache
def imports(package: str) -> tuple[Import, ...]:
    """Every import of a package, those for type checkers left out."""
    base = ROOT / FOLDERS[package]
    found: list[Import] = []
    for file in sorted((base / package).rglob("*.py")):
        module = ".".join(file.relative_to(base).with_suffix("").parts).removesuffix(".__init__")
        found += [Import(module, names, lazy) for names, lazy in statements(ast.parse(file.read_text("utf-8")), False)]
    return tuple(found)


def statements(node: ast.AST, lazy: bool) -> Iterator[tuple[str, bool]]:
    """(module named, whether within a function) of every import below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import):
            yield from ((alias.name, lazy) for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield child.module, lazy
            yield from ((f"{child.module}.{alias.name}", lazy) for alias in child.names)
        elif isinstance(child, ast.Call) and ast.unparse(child.func).endswith("import_module"):
            yield ast.unparse(child.args[0]).strip("'"), lazy
        yield from statements(child, lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


def layers() -> list[tuple[str, ...]]:
    """The layers of `quack_env` as the page has them, the uppermost first."""
    table = SECTION.split("| layer | modules |")[1].split("\n\n")[0]
    return [tuple(re.findall(r"`(\w+)`", row)) for row in table.splitlines()[2:]]


@pytest.mark.parametrize("package", FOLDERS)
def test_a_package_imports_only_those_below_it(package: str) -> None:
    found = {one.names.partition(".")[0] for one in imports(package)} & FOLDERS.keys() - {package}
    assert found <= MAY_IMPORT[package]
    assert found == MAY_IMPORT[package], "the picture shows an import that there is none of"


def test_the_picture_shows_the_packages_in_their_order() -> None:
    picture = SECTION.split("```")[1]
    places = [picture.index(package) for package in ("quack_bench", "quack_agents", "quack_eval", "quack_env")]
    assert places == sorted(places)


def test_every_module_of_the_game_has_a_layer() -> None:
    listed = [module for layer in layers() for module in layer]
    there = {
        path.stem for path in (ROOT / "quack_env").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert sorted(listed) == sorted(there - {"__init__"})


def test_modules_of_the_game_import_from_their_layer_or_below() -> None:
    level = {module: -place for place, layer in enumerate(layers()) for module in layer}
    for one in imports("quack_env"):
        parts, named = one.module.split("."), one.names.split(".")
        if one.lazy or len(parts) == 1 or named[0] != "quack_env" or len(named) == 1 or named[1] not in level:
            continue
        assert level[named[1]] <= level[parts[1]], f"{one.module} imports {one.names}"


@pytest.mark.parametrize("library", HEAVY)
def test_a_heavy_library_is_imported_where_the_page_says(library: str) -> None:
    row = next(row for row in SECTION.splitlines() if re.match(rf"\| .*\b{library}\b", row)).split("|")[2]
    allowed = tuple(re.findall(r"`(quack_[\w.]+)`", row))
    for package in FOLDERS:
        for one in imports(package):
            if one.names.partition(".")[0] == library:
                assert one.module.startswith(allowed), f"{one.module} imports {one.names}"
                if one.module in ("quack_agents.llm", "quack_agents.rl", "quack_bench.executors"):
                    assert one.lazy, f"{one.module} imports {library} before it is needed"


@pytest.mark.parametrize(
    ("packages", "loaded"), [("quack_env, quack_eval", []), ("quack_agents, quack_bench.cli", ["pygame"])]
)
def test_importing_the_packages_loads_no_heavy_library(packages: str, loaded: list[str]) -> None:
    code = f"import sys, {packages}; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(loaded)


def test_training_scripts_are_in_no_package() -> None:
    assert not (ROOT / "agents" / "train" / "__init__.py").exists()


def test_every_package_is_marked_as_typed() -> None:
    for package, folder in FOLDERS.items():
        assert (Path(ROOT) / folder / package / "py.typed").is_file(), package
