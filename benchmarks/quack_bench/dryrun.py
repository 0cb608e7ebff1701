"""What a suite would take: games, calls, tokens and US dollars, from one mock game of every setting."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quack_agents import VLMPolicy, make_policy
from quack_agents.llm import Client, Messages, ModelSettings, Reply, estimated_tokens, litellm, prices_of
from quack_agents.mock_server.player import answer, read_prompt
from quack_agents.mock_server.server import parts_of
from quack_bench.extractors import named_model
from quack_bench.games import record
from quack_bench.suite import Game, is_model
from quack_env import GameRecord
from quack_env.encode.image import SMALLEST
from quack_env.encode.text import counted
from quack_env.policies import Policy
from quack_eval.claims.extract_model import Completion, ModelExtractor
from quack_eval.claims.sources import read_with
from quack_eval.metrics.measure import total
from quack_eval.metrics.tables import shown, shown_policy

REPLY_TOKENS = 200
"""Tokens of a reply, by rule of thumb, or `max_tokens` where that is less; models that reason at length take more."""


@dataclass(frozen=True)
class Estimate:
    """What the games of a setting would take, or what a model would that reads what is said in all games.

    ``games`` is None of the reading, which plays none; ``usd`` where a model's price is not known.
    """

    setting: str
    games: int | None
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

    @property
    def reply_tokens(self) -> int:
        """Tokens of a reply, likely."""
        return min(REPLY_TOKENS, self.settings.max_tokens or REPLY_TOKENS)

    async def complete(self, model: str, messages: Messages, settings: ModelSettings, *_: Any, **__: Any) -> Reply:
        """A sensible reply, from the prompt."""
        self.calls += 1
        self.tokens += estimated_tokens(messages, self.settings)
        system, user, _sizes = parts_of(messages)
        action, say = answer(read_prompt(system, user))
        return Reply(f"{action} | say({say})" if action and say else action or say)

    async def read(self, model: str, messages: list[dict[str, str]], schema: dict[str, Any]) -> Completion:
        """No claims, as an extractor's answer to the prompt."""
        self.calls += 1
        self.tokens += estimated_tokens(messages, self.settings)
        return Completion('{"claims": []}')


def estimates(
    games: Iterable[Game], extractor: str | None = None, progress: Callable[[int, int], None] | None = None
) -> list[Estimate]:
    """What games would take, by setting, and last what the extractor would where it is a model; settings without
    models take nothing."""
    groups: dict[str, list[Game]] = {}
    for game in games:
        groups.setdefault(game.setting.name, []).append(game)
    reader = extractor if extractor is not None and is_model(extractor) else None
    played: list[Estimate] = []
    read: list[Estimate] = []
    for done, (name, members) in enumerate(groups.items()):
        if progress:
            progress(done, len(groups))
        clients: dict[str, Estimating] = {}
        readers = {} if reader is None else {reader: Estimating(named_model(reader)[1])}
        if members[0].setting.models or readers:
            _mock_game(members[0], clients, readers)
        played.append(_estimate(name, len(members), clients))
        read.append(_estimate(name, len(members), readers))
    if reader is None:
        return played
    return [*played, replace(in_all(read, f"claims by {shown_policy(reader)}"), games=None)]


def in_all(found: Iterable[Estimate], name: str = "all") -> Estimate:
    """The sum."""
    listed = list(found)
    fields = ("games", "calls", "prompt_tokens", "reply_tokens")
    counts = (sum(getattr(one, field) or 0 for one in listed) for field in fields)
    usd = (total(getattr(one, field) for one in listed) for field in ("usd", "usd_at_most"))
    return Estimate(name, *counts, *usd)


def told_limit(all_games: Estimate, max_usd: float | None) -> str | None:
    """A line that holds a limit in dollars against what all games would take; None without one, or a known price."""
    if max_usd is None or not all_games.usd or not all_games.games:
        return None
    limit, likely = f"the limit of ${max_usd:g} is", f"the estimate of ${shown(all_games.usd, False)}"
    most = all_games.usd_at_most
    if max_usd < all_games.usd:
        paid = f"{int(all_games.games * max_usd / all_games.usd)} of {counted(all_games.games, 'game')}"
        return (
            f"{limit} below {likely} and pays for about {paid}. Games at once share it and may all break off "
            "unfinished; with --jobs 1 most of those are finished"
        )
    if most is None:
        return f"{limit} above {likely}; how long a reply may be is not known"
    beside = f"the ${shown(most, False)} that it would be with the longest replies"
    return f"{limit} enough: not below {beside}" if max_usd >= most else f"{limit} above {likely}, and below {beside}"


def _estimate(name: str, games: int, clients: Mapping[str, Estimating]) -> Estimate:
    """So many times what one game took."""
    calls = games * sum(client.calls for client in clients.values())
    prompts = games * sum(client.tokens for client in clients.values())
    replies = games * sum(client.calls * client.reply_tokens for client in clients.values())
    likely = total(_usd(name, client, client.reply_tokens) for name, client in clients.items())
    most = total(_usd(name, client, client.settings.max_tokens) for name, client in clients.items())
    usd = (None if one is None else games * one for one in (likely, most))
    return Estimate(name, games, calls, prompts, replies, *usd)


def _mock_game(game: Game, clients: dict[str, Estimating], readers: Mapping[str, Estimating]) -> None:
    """Play a game, probes included, in which mock players stand in for the models, then have it read; pictures are
    drawn small, and counted full."""

    def make(name: str) -> Policy:
        return _stand_in(name, clients) if is_model(name) else make_policy(name)

    with tempfile.TemporaryDirectory() as scratch:
        record(game, Path(scratch), make)
        for name, client in readers.items():
            read_with(GameRecord.load(Path(scratch) / game.id), ModelExtractor(client.read, name))


def _stand_in(name: str, clients: dict[str, Estimating]) -> VLMPolicy:
    client = clients.setdefault(name, Estimating(VLMPolicy(name).settings))
    return VLMPolicy(name, client=client, image_size=SMALLEST)


def _usd(name: str, client: Estimating, reply_tokens: int | None) -> float | None:
    rates = prices_of(litellm(), name.partition("?")[0], client.settings)
    if rates is None or reply_tokens is None:
        return None
    return client.tokens * rates[0] + client.calls * reply_tokens * rates[1]
