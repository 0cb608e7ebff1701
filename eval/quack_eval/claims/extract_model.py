"""The model extractor: asks a language model through an injected callable, checks, repairs once, remembers.

Every utterance is a call of its own, and no text of another utterance stands in it: see `extract_prompt.messages`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from quack_eval.claims.extract import Extraction, Failure, Reason, Utterance
from quack_eval.claims.extract_prompt import PROMPT_VERSION, InvalidReplyError, messages, read, repair, schema
from quack_eval.claims.types import Claim
from quack_eval.metrics.measure import total


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered.

    ``cost``: US dollars, None where the price is not known. ``finish``: why it stopped, "stop" or "length" or
    "content_filter". ``refusal``: its words if it refused. ``tokens``: of prompt and reply, None where it is not told.
    """

    text: str
    cost: float | None = 0.0
    finish: str = "stop"
    refusal: str | None = None
    tokens: int | None = None


class RateLimitedError(Exception):
    """To be raised by `complete` on HTTP 429; ``after``: seconds to wait, if the server said so."""

    def __init__(self, after: float | None = None) -> None:
        super().__init__("rate limited")
        self.after = after


Complete = Callable[[str, list[dict[str, str]], dict[str, Any]], Awaitable[Completion]]
"""complete(model, messages, JSON schema of the answer) -> Completion; may raise TimeoutError or RateLimitedError."""


class ModelExtractor:
    """Extracts with a language model.

    Args:
        complete: makes one call; the command line injects LiteLLM here.
        model: the model's name, part of the cache's key.
        cache: an SQLite file of answers; None remembers nothing.
        at_once: calls in flight at most.
        timeout: seconds for one call.
        retries: attempts after a rate limit or a time-out.
        wait: seconds before the first retry, doubled with each.
    """

    def __init__(
        self,
        complete: Complete,
        model: str,
        cache: Path | str | None = None,
        at_once: int = 8,
        timeout: float = 120.0,
        retries: int = 3,
        wait: float = 1.0,
    ) -> None:
        self.complete = complete
        self.model = model
        self.at_once = at_once
        self.timeout = timeout
        self.retries = retries
        self.wait = wait
        self.cache = Cache(cache) if cache is not None else None

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    def extract(self, utterances: Sequence[Utterance]) -> list[Extraction | Failure]:
        """The claims of every utterance; to be called where no event loop runs, else `extract_async`."""
        return asyncio.run(self.extract_async(utterances))

    async def extract_async(self, utterances: Sequence[Utterance]) -> list[Extraction | Failure]:
        """The claims of every utterance; equal utterances are asked once."""
        gate = asyncio.Semaphore(self.at_once)
        asked = {key(self.model, utterance): utterance for utterance in utterances}
        answers = await asyncio.gather(*(self._one(k, utterance, gate) for k, utterance in asked.items()))
        by_key = dict(zip(asked, answers, strict=True))
        keys = [key(self.model, utterance) for utterance in utterances]
        return [self._again(by_key[k], k in keys[:place]) for place, k in enumerate(keys)]

    def _again(self, answer: Extraction | Failure, seen: bool) -> Extraction | Failure:
        """The answer; a second time it costs nothing."""
        return replace(answer, cost=0.0, calls=0, tokens=0) if seen else answer

    async def _one(self, k: str, utterance: Utterance, gate: asyncio.Semaphore) -> Extraction | Failure:
        known = self.cache.get(k) if self.cache else None
        if known is not None:
            return Extraction(tuple(known), cached=True)
        if not utterance.message.strip():
            return Extraction(())
        async with gate:
            answer = await _Attempt(self, utterance).run()
        took = Took(answer.calls, answer.tokens, answer.cost)
        if self.cache and isinstance(answer, Extraction):
            self.cache.put(k, answer.claims, took)
        elif self.cache:
            self.cache.put_failure(k, took)
        return answer


class _Attempt:
    """The calls for one utterance and what they cost so far."""

    def __init__(self, extractor: ModelExtractor, utterance: Utterance) -> None:
        self.extractor = extractor
        self.utterance = utterance
        self.cost: float | None = 0.0
        self.calls = 0
        self.tokens: int | None = 0

    async def run(self) -> Extraction | Failure:
        """Asks, checks, asks once more if the answer is not valid."""
        conversation = messages(self.utterance)
        reason: Reason = "invalid"
        problem = ""
        for _ in range(2):
            reply = await self._call(conversation)
            if isinstance(reply, Failure):
                return reply
            if reply.refusal or reply.finish == "content_filter":
                return self._failure("refused", reply.refusal or "content filter")
            try:
                claims = tuple(read(reply.text, self.utterance))
                return Extraction(claims, self.cost, self.calls, tokens=self.tokens)
            except InvalidReplyError as error:
                problem = str(error)
                reason = "truncated" if reply.finish == "length" else "invalid"
                conversation = repair(messages(self.utterance), reply.text, problem)
        return self._failure(reason, problem)

    async def _call(self, conversation: list[dict[str, str]]) -> Completion | Failure:
        """One call, tried again after rate limits and time-outs."""
        extractor = self.extractor
        wait = extractor.wait
        for attempt in range(extractor.retries + 1):
            self.calls += 1
            try:
                form = schema(self.utterance)
                call = extractor.complete(extractor.model, conversation, form)
                reply = await asyncio.wait_for(call, extractor.timeout)
            except (TimeoutError, RateLimitedError) as error:
                limited = isinstance(error, RateLimitedError)
                if attempt == extractor.retries:
                    return self._failure("rate_limited" if limited else "timeout", str(error))
                await asyncio.sleep(error.after if isinstance(error, RateLimitedError) and error.after else wait)
                wait *= 2
            except Exception as error:  # whatever a provider raises: this utterance is missing, the others are not
                return self._failure("error", f"{type(error).__name__}: {error}")
            else:
                self.cost = total((self.cost, reply.cost))
                self.tokens = total((self.tokens, reply.tokens))
                return reply
        raise AssertionError("unreachable")

    def _failure(self, reason: Reason, detail: str) -> Failure:
        return Failure(reason, detail[:500], self.cost, self.calls, self.tokens)


# --- what is remembered ----------------------------------------------------------------------------------------------

ANSWERS, FAILURES = "answers_2", "failures_2"
"""The tables, with the version of their columns: files of another version have other tables."""


def key(model: str, utterance: Utterance) -> str:
    """What an answer is remembered under: all that it depends on."""
    parts: Mapping[str, Any] = {
        "prompt": PROMPT_VERSION,
        "model": model,
        "message": utterance.message,
        "speaker": utterance.speaker,
        "players": utterance.players,
        "rooms": utterance.rooms,
        "round": utterance.round,
        "tick": utterance.tick,
        "transcript": utterance.transcript,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class Took(NamedTuple):
    """Calls, tokens and US dollars; None where not known."""

    calls: int | None
    tokens: int | None
    cost: float | None


class Cache:
    """Answers in an SQLite file: claims, and of failures, which are asked again, what was paid for them.

    The file is closed with the process at the latest, and is then complete without others beside it.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
        self.connection.execute("PRAGMA journal_mode=WAL")
        took = "calls INTEGER, tokens INTEGER, cost REAL"
        self.connection.execute(f"CREATE TABLE IF NOT EXISTS {ANSWERS} (key TEXT PRIMARY KEY, claims TEXT, {took})")
        self.connection.execute(f"CREATE TABLE IF NOT EXISTS {FAILURES} (key TEXT, {took})")
        weakref.finalize(self, self.connection.close)

    def get(self, k: str) -> list[Claim] | None:
        """The claims remembered under a key."""
        row = self.connection.execute(f"SELECT claims FROM {ANSWERS} WHERE key = ?", (k,)).fetchone()
        return None if row is None else [Claim.from_dict(item) for item in json.loads(row[0])]

    def put(self, k: str, claims: Sequence[Claim], took: Took) -> None:
        """Remembers claims, and what they took."""
        text = json.dumps([claim.to_dict() for claim in claims], ensure_ascii=False)
        self.connection.execute(f"INSERT OR REPLACE INTO {ANSWERS} VALUES (?, ?, ?, ?, ?)", (k, text, *took))

    def put_failure(self, k: str, took: Took) -> None:
        """Remembers what was paid for nothing."""
        self.connection.execute(f"INSERT INTO {FAILURES} VALUES (?, ?, ?, ?)", (k, *took))

    @property
    def took(self) -> Took:
        """What all answers and failures took; a sum is None where a part of it is not known."""
        rows = self._all()
        calls, tokens = total(took.calls for took in rows), total(took.tokens for took in rows)
        return Took(calls, tokens, total(took.cost for took in rows))

    @property
    def paid(self) -> float:
        """The US dollars of it, as far as they are known."""
        return sum(took.cost for took in self._all() if took.cost is not None)

    def _all(self) -> list[Took]:
        parts = (f"SELECT calls, tokens, cost FROM {table}" for table in (ANSWERS, FAILURES))
        return [Took(*row) for row in self.connection.execute(" UNION ALL ".join(parts))]

    def close(self) -> None:
        """Closes the file."""
        self.connection.close()
