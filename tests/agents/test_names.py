"""Policies by name."""

from __future__ import annotations

import importlib.metadata
import tomllib
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

import quack_env.policies
from quack_agents import HumanPolicy, RandomPolicy, ScriptedPolicy
from quack_agents.base import pick
from quack_env import ConfigError
from quack_env.policies import GROUP, known_policies, make_policy

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry points of pyproject.toml, whether the package is installed here or not."""
    table = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["entry-points"][GROUP]
    points = EntryPoints(EntryPoint(name, value, GROUP) for name, value in table.items())
    monkeypatch.setattr(quack_env.policies, "entry_points", lambda **select: points.select(**select))


@pytest.mark.parametrize("name, kind", [("random", RandomPolicy), ("scripted", ScriptedPolicy), ("human", HumanPolicy)])
def test_names_stand_for_policies(name: str, kind: Any) -> None:
    assert type(make_policy(name)) is kind
    assert make_policy(name) is not make_policy(name)


def test_what_follows_the_colon_goes_to_the_policy() -> None:
    policy: Any = make_policy("scripted:cautious")
    assert policy.persona.name == "cautious"


def test_known_policies_are_those_of_the_project() -> None:
    assert {"human", "random", "scripted"} <= set(known_policies())


@pytest.mark.parametrize(
    "name, message",
    [
        ("scriptd", r"policy='scriptd': unknown \(did you mean 'scripted'\?\); known are bayesian, human, random, rl"),
        ("./shy.py:Shy", "unknown; known are .*; one of your own is an entry point of an installed package"),
        ("my_package:Shy", "one of your own is an entry point of an installed package, group quack.policies"),
        ("", "policy='': unknown"),
        (":openai/gpt", "unknown"),
        ("scripted:rude", "persona='rude': must be one of default, aggressive, cautious"),
        ("random:5", "policy='random:5': random takes no argument"),
        ("rl", "policy='rl': must be rl:duck, rl:goose, or rl:PATH of a .npz or .zip"),
    ],
)
def test_names_that_stand_for_nothing(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_policy(name)


def test_a_policy_is_named_by_text() -> None:
    with pytest.raises(ConfigError, match="must be a name"):
        make_policy(5)  # type: ignore[arg-type]


def test_without_an_installation_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quack_env.policies, "entry_points", lambda **select: EntryPoints(()))
    with pytest.raises(ConfigError, match="is quack_env installed"):
        make_policy("random")


class Needy:
    def __init__(self) -> None:
        raise OSError("no weights")


def calm(observation: Any, info: Any) -> int:
    return 0


class Bold:
    def __call__(self, observation: Any, info: Any) -> int:
        return 0


NUMBER = 5
BOLD = Bold()
HERE = __name__


@pytest.fixture
def plugins(declared: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points of other packages beside the project's."""
    ours = quack_env.policies.entry_points
    added = {
        "typo": f"{HERE}:Shyy",
        "gone": "no_such_package:Shy",
        "needy": f"{HERE}:Needy",
        "number": f"{HERE}:NUMBER",
        "bold": f"{HERE}:BOLD",
        "calm": f"{HERE}:calm",
        "random": f"{HERE}:calm",
    }
    points = EntryPoints((*ours(group=GROUP), *(EntryPoint(name, value, GROUP) for name, value in added.items())))
    monkeypatch.setattr(quack_env.policies, "entry_points", lambda **select: points.select(**select))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("typo", 'entry point typo = ".*:Shyy" cannot be loaded: AttributeError'),
        ("gone", 'entry point gone = "no_such_package:Shy" cannot be loaded: ModuleNotFoundError'),
        ("needy", 'entry point needy = ".*:Needy" fails: OSError: no weights'),
        ("number", "entry point number = .* must be a class or a function, not 5"),
        ("bold", 'entry point bold = ".*:BOLD" must be a class or a function, not an instance of Bold'),
        ("random", 'registered twice: entry point random = "quack_agents.random:RandomPolicy" and .*; rename one'),
        ("calm:5", "calm takes no argument"),
    ],
)
def test_an_entry_point_that_gives_no_policy_is_named(plugins: None, name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_policy(name)


def test_the_message_names_the_package_of_the_entry_point(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    info = tmp_path / "my_ducks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-ducks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nshy = no_such_package:Shy\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(quack_env.policies, "entry_points", importlib.metadata.entry_points)
    with pytest.raises(ConfigError, match='shy = "no_such_package:Shy" of my-ducks cannot be loaded'):
        make_policy("shy")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nbold = {HERE}:BOLD\n")
    with pytest.raises(ConfigError, match='BOLD" of my-ducks must be a class or a function'):
        make_policy("bold")


def test_a_function_of_observation_and_info_is_a_policy_itself(plugins: None) -> None:
    assert make_policy("calm") is calm


def test_pick_takes_the_first_legal_action_in_words() -> None:
    env = quack_env.raw_env()
    env.reset(seed=0)
    info = env.last()[4]
    assert pick(info, "report()", "speak()", "wait()") == 0
    with pytest.raises(ValueError, match="none of fly"):
        pick(info, "fly()")
