"""Helpers of the tests: tables of models that ask one server, a client that notes what it is asked, random play."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import quack_env
from quack_agents.llm import Client, Messages, ModelSettings, Reply
from quack_agents.mock_server import MockServer
from quack_agents.mock_server.player import answer, read_prompt
from quack_agents.mock_server.server import parts_of
from quack_agents.vlm import VLMPolicy

SMALL: dict[str, Any] = {"n_players": 4, "n_tasks": 2, "task_ticks": 1, "kill_cooldown": 2, "max_ticks": 25}
Serve = Callable[..., MockServer]


def settings(url: str, **fields: Any) -> ModelSettings:
    """Settings for a server on loopback, with short pauses."""
    return ModelSettings.of("openai/mock", **{"api_base": url, "backoff": 0.01, "timeout": 5.0, **fields})


def hello(words: str = "Hello") -> Messages:
    """A prompt that is not of the game."""
    return [{"role": "user", "content": words}]


class Table:
    """A small recorded game with models in all seats that ask one server."""

    def __init__(self, url: str, folder: Any = None, client: Client | None = None, **options: Any) -> None:
        config = {**SMALL, **options.pop("config", {})}
        speech = options.pop("speech", "text")
        env = quack_env.env(config=config, game_map="small", speech=speech, observation="vector")
        self.env = quack_env.RecordTrajectory(env, folder) if folder else env
        given = {"api_base": url or None, "backoff": 0.01, "timeout": 5.0, "image_size": 256, **options}
        self.client = client or Client()
        self.policies = {a: VLMPolicy("openai/mock", client=self.client, **given) for a in env.possible_agents}


class NotingClient(Client):
    """Answers as the server would, without it, and keeps what it was asked."""

    def __init__(self, reply: Callable[[str], str | None] | None = None) -> None:
        super().__init__()
        self.asked: list[Messages] = []
        self.reply = reply

    async def complete(self, model: str, messages: Messages, *args: Any, **kwargs: Any) -> Reply:
        self.asked.append(copy.deepcopy(messages))
        system, user, _ = parts_of(messages)
        if self.reply is not None:
            return Reply(self.reply(user), finish_reason="stop")
        action, say = answer(read_prompt(system, user))
        return Reply(f"{action} | say({say})" if action and say else action or say, finish_reason="stop")


def walk(
    env: Any, seed: int, words: Callable[[random.Random], str] | None = None, avoid: str = "-"
) -> Iterator[tuple[str, Any, int]]:
    """Random legal play, with words now and then: yields (agent, info, action) before every step.

    ``avoid``: the beginning of actions that are not taken.
    """
    rng = random.Random(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        _, _, termination, _, info = env.last()
        if termination:
            env.step(None)
            continue
        names = info["briefing"].action_names
        legal = [k for k, allowed in enumerate(info["action_mask"]) if allowed and not names[k].startswith(avoid)]
        action = rng.choice(legal)
        say = words(rng) if words and (rng.random() < 0.2 or info["legal_actions"] == ["speak()"]) else None
        yield agent, info, action
        voting = info["legal_actions"][-1] == "skip()"
        env.step({"action": action, "say": say} if say and not voting else action)
