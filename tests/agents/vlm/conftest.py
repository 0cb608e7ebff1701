"""Fixtures of the tests of models as players."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from quack_agents.mock_server import MockServer

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
