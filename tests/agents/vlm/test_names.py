"""Models by name, as the command line takes them."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

import quack_env.policies
from quack_agents import RandomPolicy
from quack_agents.vlm import VLMPolicy
from quack_env import ConfigError
from quack_env.policies import make_policy


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two policies are registered: random, and the one for models."""
    points = EntryPoints(
        (
            EntryPoint("random", "quack_agents.random:RandomPolicy", "quack.policies"),
            EntryPoint("litellm", "quack_agents.vlm:VLMPolicy", "quack.policies"),
        )
    )
    monkeypatch.setattr(quack_env.policies, "entry_points", lambda **wanted: points.select(**wanted))


@pytest.mark.parametrize(
    "name", ["openai/gpt-5.5", "ollama/llama3:8b", "openrouter/anthropic/claude-opus-4.7", "litellm:openai/gpt-5.5"]
)
def test_a_name_with_a_slash_is_a_model(name: str) -> None:
    policy: Any = make_policy(name)
    assert isinstance(policy, VLMPolicy) and policy.model == name.removeprefix("litellm:")


def test_options_stand_behind_a_question_mark() -> None:
    policy: Any = make_policy("openai/mock?modality=text&api_base=http://127.0.0.1:8642/v1")
    assert (policy.modality, policy.settings.api_base) == ("text", "http://127.0.0.1:8642/v1")


def test_a_misspelt_option_is_told_with_the_nearest_of_all_that_are_allowed() -> None:
    with pytest.raises(ConfigError, match=r"'modalty' \(did you mean 'modality'\?\); allowed: .*reasks.*temperature"):
        make_policy("openai/mock?modalty=text")


def test_registered_names_come_first_and_others_are_unknown() -> None:
    assert isinstance(make_policy("random"), RandomPolicy)
    with pytest.raises(ConfigError, match="unknown"):
        make_policy("gpt")
    with pytest.raises(ConfigError, match="unknown"):
        make_policy("rl:runs/a/b")
    with pytest.raises(ConfigError, match="takes an argument"):
        make_policy("litellm")
    with pytest.raises(ConfigError, match="PROVIDER/NAME"):
        make_policy("/x")
