"""Fixtures of the tests of models as players."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from quack_agents.mock_server import MockServer

if importlib.util.find_spec("litellm") is None:  # the extra "llm" is not installed: what needs it is not collected
    collect_ignore = ["test_client.py", "test_docs.py", "test_games.py", "test_names.py", "test_prompts.py"]

Serve = Callable[..., MockServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers (arguments of `MockServer`) and stops them after the test."""
    servers: list[MockServer] = []

    def start(**options: Any) -> MockServer:
        servers.append(MockServer(**options).start())
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
