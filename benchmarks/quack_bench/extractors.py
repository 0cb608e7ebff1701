"""The extractors that the command line offers: by name, with a model's client where the name is a model's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from quack_agents.llm import LOOP, ModelError, ModelSettings, shared_client
from quack_env import ConfigError
from quack_eval.claims.extract import Extractor
from quack_eval.claims.extract_model import Completion, ModelExtractor, RateLimitedError
from quack_eval.evaluation import CLAIM_SOURCES

CACHE = Path("quack_env") / "claims.sqlite"


def extractor_of(name: str | None, cache: Path | None = None) -> str | Extractor | None:
    """What `quack_eval.evaluate` takes as the source of claims: None, "recorded" and "grammar" as they are, or a model.

    Args:
        name: a source, or a model as PROVIDER/NAME.
        cache: the SQLite file of a model's answers; by default one for all runs, in the user's cache folder.

    Raises:
        ConfigError: where the name is neither.
    """
    if name in CLAIM_SOURCES:
        return name
    assert name is not None
    if "/" not in name:
        raise ConfigError(f"--extractor {name}: must be recorded, grammar, or a model as PROVIDER/NAME")
    patience = ModelSettings.of(name).deadline + 10  # the client retries and gives up by itself
    return ModelExtractor(complete, name, cache or default_cache(), timeout=patience, retries=0)


def default_cache() -> Path:
    """The file of all answers: the same utterance in the same context is paid once."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / CACHE


async def complete(model: str, messages: list[dict[str, str]], schema: dict[str, Any]) -> Completion:
    """One call through the client that the policies use, with its limits, retries and budget."""
    settings = ModelSettings.of(model)
    try:
        reply = await LOOP.call(
            shared_client().complete(model, [dict(message) for message in messages], settings, _form(schema))
        )
    except ModelError as fault:
        if fault.kind == "rate_limit":
            raise RateLimitedError(fault.wait) from fault
        if fault.kind in ("timeout", "deadline"):
            raise TimeoutError(str(fault)) from fault
        if fault.kind == "content_policy":
            return Completion("", finish="content_filter", refusal=str(fault))
        raise
    return Completion(reply.content or "", reply.cost or 0.0, reply.finish_reason or "stop")


def _form(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema in OpenAI's format of a response."""
    return {"type": "json_schema", "json_schema": {"name": "claims", "strict": True, "schema": schema}}
