"""What a suite would take: games, calls, tokens and US dollars, from one mock game of every setting."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quack_agents import VLMPolicy, make_policy
from quack_agents.llm import Client, Messages, ModelSettings, Reply, estimated_tokens, litellm, prices_of
from quack_agents.mock_server.player import answer, read_prompt
from quack_agents.mock_server.server import parts_of
from quack_bench.games import record
from quack_bench.suite import Game, is_model
from quack_env.encode.image import SMALLEST
from quack_env.policies import Policy

REPLY_TOKENS = 200
"""Tokens of a reply, by rule of thumb; models that reason at length take more, at most their `max_tokens`."""


@dataclass(frozen=True)
class Estimate:
    """What the games of a setting would take. ``usd`` is None where a model's price is not known."""

    setting: str
    games: int
    calls: int
    prompt_tokens: int
    reply_tokens: int
    usd: float | None
    usd_at_most: float | None
    """With every reply as long as it may be; None too where the provider alone limits it."""


class Estimating(Client):
    """Answers as the mock server would, and counts what the prompts would take."""

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__()
        self.settings = settings
        self.calls = self.tokens = 0

    async def complete(self, model: str, messages: Messages, settings: ModelSettings, *_: Any, **__: Any) -> Reply:
        """A sensible reply, from the prompt."""
        self.calls += 1
        self.tokens += estimated_tokens(messages, self.settings)
        system, user, _sizes = parts_of(messages)
        action, say = answer(read_prompt(system, user))
        return Reply(f"{action} | say({say})" if action and say else action or say)


def estimates(games: Iterable[Game], progress: Callable[[int, int], None] | None = None) -> list[Estimate]:
    """What games would take, by setting; settings without models take nothing."""
    groups: dict[str, list[Game]] = {}
    for game in games:
        groups.setdefault(game.setting.name, []).append(game)
    found = []
    for done, members in enumerate(groups.values()):
        if progress:
            progress(done, len(groups))
        found.append(_estimate(members[0], len(members)))
    return found


def _estimate(game: Game, games: int) -> Estimate:
    """So many times what one game takes."""
    clients: dict[str, Estimating] = {}
    if game.setting.models:
        _mock_game(game, clients)
    calls = sum(client.calls for client in clients.values())
    prompts = sum(client.tokens for client in clients.values())
    likely = [_usd(name, client, REPLY_TOKENS) for name, client in clients.items()]
    most = [_usd(name, client, client.settings.max_tokens) for name, client in clients.items()]
    return Estimate(
        game.setting.name, games, games * calls, games * prompts, games * calls * REPLY_TOKENS,
        _times(games, likely), _times(games, most),
    )  # fmt: skip


def _mock_game(game: Game, clients: dict[str, Estimating]) -> None:
    """Play a game, probes included, in which mock players stand in for the models; pictures are drawn small, and
    counted full."""

    def make(name: str) -> Policy:
        return _stand_in(name, clients) if is_model(name) else make_policy(name)

    with tempfile.TemporaryDirectory() as scratch:
        record(game, Path(scratch), make)


def _stand_in(name: str, clients: dict[str, Estimating]) -> VLMPolicy:
    client = clients.setdefault(name, Estimating(VLMPolicy(name).settings))
    return VLMPolicy(name, client=client, image_size=SMALLEST)


def _usd(name: str, client: Estimating, reply_tokens: int | None) -> float | None:
    rates = prices_of(litellm(), name.partition("?")[0], client.settings)
    if rates is None or reply_tokens is None:
        return None
    return client.tokens * rates[0] + client.calls * reply_tokens * rates[1]


def _times(games: int, usd: list[float | None]) -> float | None:
    return None if None in usd else games * sum(value for value in usd if value is not None)
