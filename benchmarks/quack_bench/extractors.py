"""The extractors that the command line offers: by name, with a model's client where the name is a model's."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quack_agents.llm import LOOP, ModelError, ModelSettings, shared_client
from quack_env import ConfigError
from quack_eval.claims.extract import Extraction, Failure, Utterance, coverage
from quack_eval.claims.extract_model import Completion, ModelExtractor, RateLimitedError
from quack_eval.evaluation import CLAIM_SOURCES

CACHE = Path("quack_env") / "claims.sqlite"


class Watched:
    """A model's extractor, keeping its answers to tell what they took."""

    def __init__(self, extractor: ModelExtractor) -> None:
        self.extractor, self.name = extractor, extractor.name
        self.answers: list[Extraction | Failure] = []

    def extract(self, utterances: Sequence[Utterance]) -> list[Extraction | Failure]:
        """The extractor's answers."""
        answers = self.extractor.extract(utterances)
        self.answers += answers
        return answers

    @property
    def kept_cost(self) -> float | None:
        """US dollars that all answers in its file were paid with; None where one of the costs is not known."""
        return self.extractor.cache.cost if self.extractor.cache is not None else None

    def to_json(self) -> dict[str, Any]:
        """What was read so far and what it took, JSON-ready; ``cached`` are answers that had been paid before."""
        found = coverage(self.answers)
        return {
            "name": self.name,
            "utterances": found.utterances,
            "read": found.extracted,
            "cached": found.cached,
            "missing": found.missing,
            "calls": found.calls,
            "cost_usd": found.cost,
        }

    def summary(self) -> str:
        """The same in a line."""
        found = coverage(self.answers)
        cost = "at an unknown price" if found.cost is None else f"for US $ {found.cost:.4f}"
        read = f"{found.extracted} of {found.utterances} utterances read by {self.name}, {found.cached} of them before"
        return f"{read}; {found.calls} calls {cost}"

    def complaints(self) -> list[str]:
        """What it could not read, by reason, with an example; it counts as missing, and is asked again next time."""
        failures = [answer for answer in self.answers if isinstance(answer, Failure)]
        details = {failure.reason: " ".join(failure.detail.split()) for failure in reversed(failures)}
        return [
            f"{number} utterances not read by {self.name}: {reason}: {details[reason]}"
            for reason, number in Counter(failure.reason for failure in failures).most_common()
        ]


def extractor_of(name: str | None, cache: Path | None = None) -> str | Watched | None:
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
    return Watched(ModelExtractor(complete, name, cache or default_cache(), timeout=patience, retries=0))


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
    return Completion(reply.content or "", reply.cost, reply.finish_reason or "stop")


def _form(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema in OpenAI's format of a response."""
    return {"type": "json_schema", "json_schema": {"name": "claims", "strict": True, "schema": schema}}
