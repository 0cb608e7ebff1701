"""The extractors that the command line offers: by name, with a model's client where the name is a model's."""

from __future__ import annotations

import copy
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quack_agents.llm import (
    LOOP,
    Client,
    ModelError,
    ModelSettings,
    address_of,
    check_prices,
    check_provider,
    shared_client,
    split_name,
)
from quack_bench.console import err
from quack_env import ConfigError
from quack_eval.claims.extract import Extraction, Failure, Utterance, coverage
from quack_eval.claims.extract_model import Completion, ModelExtractor, RateLimitedError, Took
from quack_eval.evaluation import CLAIM_SOURCES
from quack_eval.metrics.tables import shown, shown_policy

CACHE = Path("quack_env") / "claims.sqlite"


class Watched:
    """A model's extractor, keeping its answers to tell what they took.

    Args:
        model: as PROVIDER/NAME, perhaps with options as in "openai/gpt-5.5?temperature=0".
        cache: the SQLite file of its answers, which belong to model, options and address.

    Raises:
        ConfigError: where an option is not valid, LiteLLM knows no such provider, or dollars are limited and the
            model's price is not known.
    """

    def __init__(self, model: str, cache: Path) -> None:
        self.model, self.settings = named_model(model)
        check_provider(self.model, self.settings)
        if shared_client().budget.max_usd is not None:
            check_prices([model])
        self.name = shown_policy(model)
        address = address_of(self.model, self.settings)
        asked = f"{self.name} at {address}" if address else self.name
        patience = self.settings.deadline + 10  # the client retries and gives up by itself
        self.extractor = ModelExtractor(self._complete, asked, cache, timeout=patience, retries=0)
        self.answers: list[Extraction | Failure] = []
        self._lasting: ConfigError | None = None
        self._answered = False

    def extract(self, utterances: Sequence[Utterance]) -> list[Extraction | Failure]:
        """The extractor's answers.

        Raises:
            ConfigError: where every call would fail: no such model, no valid key, a server that cannot be reached.
        """
        answers = self.extractor.extract(utterances)
        if self._lasting is not None:
            raise self._lasting
        self.answers += answers
        return answers

    async def _complete(self, model: str, messages: list[dict[str, str]], schema: dict[str, Any]) -> Completion:
        """One call, unless it is known that none will succeed."""
        if self._lasting is not None:
            raise self._lasting
        try:
            found = await complete(self.model, self.settings, messages, schema)
        except ConfigError as fault:
            self._lasting = fault
            raise
        except ModelError as fault:
            if fault.kind not in ("connection", "server") or self._answered:
                raise
            self._lasting = ConfigError(f"extractor {self.model}: no call came through: {fault}")
            raise self._lasting from fault
        self._answered = True
        return found

    @property
    def took(self) -> Took:
        """What all answers in its file took, in all sessions."""
        assert self.extractor.cache is not None
        return self.extractor.cache.took

    def close(self) -> None:
        """Close the file of its answers."""
        if self.extractor.cache is not None:
            self.extractor.cache.close()

    @property
    def read_nothing(self) -> bool:
        """Whether it was asked, and could read none of the utterances."""
        return bool(self.answers) and all(isinstance(answer, Failure) for answer in self.answers)

    def to_json(self) -> dict[str, Any]:
        """What was read so far and what it took, JSON-ready; ``cached``: answers that were kept, so that none is paid
        twice, from an earlier run or from another game of this one in which the same was said."""
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
        cost = "at an unknown price" if found.cost is None else f"for US $ {shown(found.cost, False)}"
        read = f"{found.extracted} of {found.utterances} utterances read by {self.name}"
        kept = f"{found.cached} of them by answers kept for the same words in the same place"
        return f"{read}, {kept}; {found.calls} calls {cost}"

    def complaints(self) -> list[str]:
        """What it could not read, by reason, with an example; it counts as missing, and is asked again next time."""
        failures = [answer for answer in self.answers if isinstance(answer, Failure)]
        details = {failure.reason: " ".join(failure.detail.split()) for failure in reversed(failures)}
        return [
            f"{number} utterances not read by {self.name}: {reason}: {details[reason]}"
            for reason, number in Counter(failure.reason for failure in failures).most_common()
        ]

    def tell(self) -> None:
        """Summary and complaints, on standard error."""
        for line in (self.summary(), *self.complaints()):
            err.print(line, markup=False, soft_wrap=True)


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
    return Watched(name, cache or default_cache())


def default_cache() -> Path:
    """The file of all answers: the same utterance in the same context is paid once."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / CACHE


def named_model(name: str) -> tuple[str, ModelSettings]:
    """(the model, its settings) of a name with options, as they stand in a policy's name.

    Raises:
        ConfigError: where it is no model's name, or an option is not valid.
    """
    model, options = split_name(name)
    return model, ModelSettings.of(model, **options)


def _client() -> Client:
    """The policies' client with its budget and limits, but no replay: good answers are kept as claims, and a reply
    that was not valid must not come back."""
    client = copy.copy(shared_client())
    client.cache = None
    return client


async def complete(
    model: str, settings: ModelSettings, messages: list[dict[str, str]], schema: dict[str, Any]
) -> Completion:
    """One call through the client that the policies use, with its limits, retries and budget.

    Raises:
        ConfigError: where every call would fail: no such model, no valid key.
        Exception: as `ModelExtractor` takes it.
    """
    try:
        reply = await LOOP.call(
            _client().complete(model, [dict(message) for message in messages], settings, _form(schema))
        )
    except ModelError as fault:
        if fault.kind == "rate_limit":
            raise RateLimitedError(fault.wait) from fault
        if fault.kind in ("timeout", "deadline"):
            raise TimeoutError(str(fault)) from fault
        if fault.kind == "content_policy":
            return Completion("", finish="content_filter", refusal=str(fault))
        if fault.kind == "auth":
            key = settings.api_key_env or f"{model.partition('/')[0].upper()}_API_KEY"
            raise ConfigError(
                f"extractor {model}: its provider takes no call without a valid key ({key}): {fault}"
            ) from fault
        if fault.kind == "not_found":
            raise ConfigError(f"extractor {model}: its provider knows no such model: {fault}") from fault
        raise
    told = None not in (reply.prompt_tokens, reply.completion_tokens)
    tokens = (reply.prompt_tokens or 0) + (reply.completion_tokens or 0) if told else None
    return Completion(reply.content or "", reply.cost, reply.finish_reason or "stop", tokens=tokens)


def _form(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema in OpenAI's format of a response."""
    return {"type": "json_schema", "json_schema": {"name": "claims", "strict": True, "schema": schema}}
