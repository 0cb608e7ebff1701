"""Language models behind one asynchronous client: the only place that imports LiteLLM, and only at the first call.

All calls run on one event loop in a thread of its own, so that plain loops, threads and asynchronous callers share the
same limits. What a provider does wrong becomes a `ModelError`, never a reply.
"""

from __future__ import annotations

import asyncio
import difflib
import hashlib
import importlib.util
import json
import os
import random
import re
import sqlite3
import threading
import time
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from quack_env.encode.text import counted
from quack_env.errors import ConfigError, QuackError, install
from quack_env.yaml_file import read_yaml_file

T = TypeVar("T")
Messages = list[dict[str, Any]]
SHIPPED = Path(__file__).parent / "vlm" / "models.yaml"
SETTINGS_VARIABLE = "QUACK_MODELS"
"""The environment variable that names a YAML file of model settings."""


# --- errors ----------------------------------------------------------------------------------------------------------


class ModelError(QuackError):
    """A provider gave no reply. ``kind``: see `KINDS`; ``calls``: records of the decision's calls so far."""

    def __init__(self, kind: str, message: str, status: int | None = None, wait: float | None = None) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.status = status
        self.wait = wait
        """Seconds after which the provider wants to be asked again, where it said so."""
        self.retries = 0
        self.calls: list[dict[str, Any]] = []
        self.images: dict[str, bytes] = {}


class BudgetError(QuackError):
    """The budget is spent (or cannot be kept): no call was made."""

    calls: Sequence[dict[str, Any]] = ()
    images: Mapping[str, bytes] = {}


RETRIED = ("rate_limit", "timeout", "connection", "server", "malformed")
"""Kinds of failure that may pass."""
KINDS = (*RETRIED, "auth", "not_found", "bad_request", "context_window", "content_policy", "deadline", "unavailable")

_BY_TYPE = (
    ("ContextWindowExceededError", "context_window"),
    ("ContentPolicyViolationError", "content_policy"),
    ("RateLimitError", "rate_limit"),
    ("AuthenticationError", "auth"),
    ("PermissionDeniedError", "auth"),
    ("NotFoundError", "not_found"),
    ("Timeout", "timeout"),
    ("ServiceUnavailableError", "server"),
    ("BadGatewayError", "server"),
    ("InternalServerError", "server"),
    ("APIResponseValidationError", "malformed"),
    ("JSONSchemaValidationError", "malformed"),
    ("UnprocessableEntityError", "bad_request"),
    ("BadRequestError", "bad_request"),
    ("APIConnectionError", "connection"),
)


def kind_of(fault: BaseException) -> str:
    """The kind of a failure by its type, then by its status; never by the words of its message."""
    if _never_sent(fault):
        return "auth"
    names = [cls.__name__ for cls in type(fault).__mro__]
    for name, kind in _BY_TYPE:
        if name in names:
            return "server" if kind == "connection" and (_status(fault) or 0) not in (0, 500) else kind
    if isinstance(fault, TimeoutError):
        return "timeout"
    if isinstance(fault, OSError):
        return "connection"
    return kind_of_status(_status(fault))


def _never_sent(fault: BaseException | None) -> bool:
    """Whether a client refused to send at all: at the root is its bare base error, as for missing credentials."""
    while fault is not None:
        if type(fault).__name__ == "OpenAIError" and type(fault).__module__ in ("openai", "openai._exceptions"):
            return True
        fault = fault.__cause__ or fault.__context__
    return False


def kind_of_status(status: int | None) -> str:
    """The kind of a failure by its HTTP status alone."""
    if status is None:
        return "malformed"
    known = {401: "auth", 403: "auth", 404: "not_found", 408: "timeout", 425: "server", 429: "rate_limit"}
    return known.get(status, "server" if status >= 500 else "bad_request" if status >= 400 else "malformed")


def _status(fault: BaseException) -> int | None:
    status = getattr(fault, "status_code", None)
    return status if isinstance(status, int) else None


def _retry_after(fault: BaseException) -> float | None:
    """Seconds of a `Retry-After` header, if there is one."""
    for headers in (getattr(getattr(fault, "response", None), "headers", None), getattr(fault, "headers", None)):
        with_header = headers.get("retry-after") if headers is not None else None
        try:
            return max(0.0, float(with_header)) if with_header is not None else None
        except ValueError:
            return None
    return None


_SECRETS = re.compile(
    r"\b(?:sk|pk|gsk|xai|AIza|hf|ghp|key)[-_][A-Za-z0-9_\-*.]{6,}|(?i:bearer)\s+[^\s\"',]+|AIza[\w\-]{20,}"
)


def redact(text: str, *secrets: str | None) -> str:
    """The text without the given secrets, without what the environment calls a key, token or secret, and the like."""
    named = [v for k, v in os.environ.items() if re.search(r"KEY|TOKEN|SECRET|PASSWORD", k) and len(v) >= 8]
    for secret in sorted({s for s in (*secrets, *named) if s}, key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return _SECRETS.sub("[key]", text)


class Secret(str):
    """A key that no traceback or listing shows."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "[key]"


def bare_url(url: str | None) -> str | None:
    """A URL without user, password, query and fragment."""
    if not url:
        return None
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


# --- settings --------------------------------------------------------------------------------------------------------


def split_name(model: str) -> tuple[str, dict[str, str]]:
    """(the name, the options behind its question mark) of a model, as in "openai/gpt-5.5?temperature=0".

    Raises:
        ConfigError: where it is not provider/model, or the options are not NAME=VALUE, joined by "&".
    """
    name, _, query = model.partition("?")
    if not all(name.partition("/")):
        raise ConfigError(f"model={name!r}: must be provider/model, as in openai/gpt-5.5")
    try:
        return name, dict(parse_qsl(query, strict_parsing=bool(query)))
    except ValueError:
        raise ConfigError(f"model={model!r}: options must be NAME=VALUE, joined by '&', as in ?temperature=0") from None


class Prices(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class ModelSettings(BaseModel):
    """What is particular to one model. Every field can stand in YAML, and be overridden where a policy is made."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    vision: bool | None = None
    """Whether it takes images; false refuses the modalities with images, null asks nobody."""
    image_size: int = Field(default=768, ge=64, le=4096)
    """Longest edge of the images it is sent, in pixels."""
    max_images: int = Field(default=2, ge=0)
    """Images per message at most."""
    image_detail: str | None = None
    """OpenAI's "low", "high" or "auto"; null sends none."""
    image_tokens_per: int = Field(default=750, ge=1)
    """Pixels per token, for estimates of what images cost in context."""
    system_in_user: bool = False
    """Whether the system message is put before the first user message, for models without one."""
    structured: bool = False
    """Whether replies are bound to a JSON schema."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Sent only where it is set: some models refuse it."""
    max_tokens: int | None = Field(default=1024, ge=1)
    """Tokens of a reply at most; null leaves it to the provider."""
    reasoning_effort: str | None = None
    """Sent only where it is set."""
    timeout: float = Field(default=60.0, gt=0)
    """Seconds for one attempt."""
    deadline: float = Field(default=180.0, gt=0)
    """Seconds for a call with all its retries."""
    retries: int = Field(default=6, ge=0)
    """Further attempts after failures that may pass."""
    backoff: float = Field(default=1.0, ge=0)
    """Seconds before the first of them, doubled each time (and drawn from half to all of it), at most 30."""
    concurrency: int = Field(default=8, ge=1)
    """Calls in flight at once, for all models of one provider and `api_base` together."""
    prices: Prices | None = None
    """Where it is null, LiteLLM's price list is asked, and costs of models that it lacks are null."""
    api_base: str | None = None
    """Address of any server that speaks the OpenAI protocol."""
    api_key_env: str | None = None
    """The environment variable with the key, where it is not the provider's usual one."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further parameters, sent as they are."""

    @field_validator("api_base")
    @classmethod
    def _without_keys(cls, url: str | None) -> str | None:
        """Addresses are written down; keys in them would be too."""
        if url is not None and bare_url(url) != url:
            raise ValueError("must have no user, password or query; keys go into api_key or the environment")
        return url

    @classmethod
    def of(
        cls, model: str, path: str | os.PathLike[str] | None = None, beside: Sequence[str] = (), **overrides: Any
    ) -> ModelSettings:
        """The settings of a model: the shipped file, then the file at ``path`` (or `QUACK_MODELS`), then overrides.

        ``beside``: options that the caller takes beside the settings, to be named where an override is none.

        Raises:
            ConfigError: where a file is not readable or a field is not valid.
        """
        fields: dict[str, Any] = {}
        own = path or os.environ.get(SETTINGS_VARIABLE)
        for file in [SHIPPED, *([Path(own)] if own else [])]:
            for pattern, entry in _settings_file(str(file)).items():
                if fnmatchcase(model, pattern):
                    fields |= entry
        try:
            return cls(**{**fields, **overrides})
        except ValidationError as fault:
            error = fault.errors()[0]
            name = ".".join(map(str, error["loc"]))
            told = f"{name}: {error['msg']}"
            if error["type"] == "extra_forbidden" and len(error["loc"]) == 1:
                known = [*(beside if name in overrides else ()), *cls.model_fields]
                close = difflib.get_close_matches(name, known, n=1)
                hint = f" (did you mean {close[0]!r}?)" if close else ""
                told = f"unknown option {name!r}{hint}; allowed: {', '.join(known)}"
            raise ConfigError(f"settings of model {model!r}: {told}") from None


@lru_cache(maxsize=8)
def _settings_file(path: str) -> dict[str, dict[str, Any]]:
    data = read_yaml_file(path, ConfigError) or {}
    if not isinstance(data, dict) or not all(isinstance(entry, dict) for entry in data.values()):
        raise ConfigError(f"{path}: must be a mapping from model names or patterns to settings")
    return data


# --- replies and their cache -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reply:
    """What a model answered, and what it took. ``cost`` in US dollars is None where the price is not known."""

    content: str | None
    reasoning: str | None = None
    finish_reason: str | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    latency: float = 0.0
    retries: tuple[str, ...] = ()
    effective: dict[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    cached: bool = False


class ReplyCache:
    """Replies on disk, in SQLite: the same request is answered from it, without a call. Safe to share by processes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._pid = 0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._run("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        except (OSError, sqlite3.Error) as fault:
            raise ConfigError(f"reply cache {self.path}: cannot be used ({fault})") from None

    def _run(self, statement: str, *values: Any) -> list[Any]:
        """The rows of a statement, on a connection of this process (a forked one opens its own)."""
        with self._lock:
            if self._pid != os.getpid():
                self._db = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._pid = os.getpid()
            return self._db.execute(statement, values).fetchall()

    def get(self, key: str) -> Reply | None:
        """The reply to a request, if it has been answered before."""
        rows = self._run("SELECT reply FROM replies WHERE key = ?", key)
        if not rows:
            return None
        data = json.loads(rows[0][0])
        return Reply(**{**data, "retries": tuple(data["retries"]), "dropped": tuple(data["dropped"]), "cached": True})

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; the first one stays."""
        self._run("INSERT OR IGNORE INTO replies VALUES (?, ?)", key, json.dumps(asdict(reply)))

    def __len__(self) -> int:
        return int(self._run("SELECT COUNT(*) FROM replies")[0][0])

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        with self._lock:
            if self._pid == os.getpid():
                self._db.close()
            self._pid = 0


def request_key(model: str, api_base: str | None, messages: Messages, params: Mapping[str, Any], salt: Any) -> str:
    """What makes two requests the same: model, server, messages with their images, parameters, and the salt."""
    request = [model, bare_url(api_base), messages, dict(params), salt]
    return hashlib.blake2b(json.dumps(request, sort_keys=True).encode(), digest_size=20).hexdigest()


# --- budget ----------------------------------------------------------------------------------------------------------


class Budget:
    """What may be spent, and what has been. Calls in flight are counted with an estimate, so that many at once do not
    overshoot; the last call before the end may, by the difference between its estimate and the truth."""

    def __init__(self, max_usd: float | None = None, max_tokens: int | None = None) -> None:
        for name, value in (("max_usd", max_usd), ("max_tokens", max_tokens)):
            if value is not None and (isinstance(value, bool) or value <= 0):
                raise ConfigError(f"{name}={value!r}: must be more than 0, or None for no limit")
        self.max_usd = max_usd
        self.max_tokens = max_tokens
        self.calls = 0
        self.tokens = 0
        self.usd = 0.0
        self.unpriced = 0
        """Calls whose price is not known; `usd` has nothing of them."""
        self._tokens_out = 0
        self._usd_out = 0.0
        self._lock = threading.Lock()

    def reserve(self, tokens: int, usd: float | None) -> None:
        """Set aside what a call may take.

        Raises:
            BudgetError: where it is no longer there, or dollars are limited and the price is not known.
        """
        with self._lock:
            if self.max_usd is not None:
                if usd is None:
                    raise BudgetError("max_usd cannot be kept: the model's price is not known; give `prices`")
                if self.usd + self._usd_out + usd > self.max_usd:
                    spent = f"${self.usd:.4f} of ${self.max_usd:g}"
                    raise BudgetError(
                        f"budget: {spent} spent in {counted(self.calls, 'call')}; the next may take ${usd:.4f}"
                    )
            if self.max_tokens is not None and self.tokens + self._tokens_out + tokens > self.max_tokens:
                spent = f"{self.tokens} of {self.max_tokens} tokens"
                raise BudgetError(f"budget: {spent} spent in {counted(self.calls, 'call')}; the next may take {tokens}")
            self._tokens_out += tokens
            self._usd_out += usd or 0.0

    def settle(self, tokens: int, usd: float | None, reply: Reply | None) -> None:
        """Give back what was set aside, and count what a reply took; None where there is no reply."""
        with self._lock:
            self._tokens_out -= tokens
            self._usd_out -= usd or 0.0
            if reply is None:
                return
            self.calls += 1
            self.tokens += (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
            if reply.cost is None:
                self.unpriced += 1
            else:
                self.usd += reply.cost

    def to_dict(self) -> dict[str, Any]:
        """What has been spent, JSON-ready; ``usd`` is None where the price of a call is not known."""
        usd = None if self.unpriced else round(self.usd, 6)
        return {"calls": self.calls, "tokens": self.tokens, "usd": usd, "unpriced_calls": self.unpriced}


# --- the loop --------------------------------------------------------------------------------------------------------


class LoopThread:
    """One event loop in a daemon thread, for coroutines from everywhere."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop, started at first use (and anew in a forked process)."""
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                self._thread = threading.Thread(target=self._loop.run_forever, name="quack-models", daemon=True)
                self._thread.start()
            return self._loop

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """The result to come, for callers in other threads."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result, waited for.

        Raises:
            RuntimeError: on the loop itself, which would wait for ever; await `call` there.
        """
        if self._thread is threading.current_thread():
            coroutine.close()
            raise RuntimeError("called on the models' own event loop: await the asynchronous form there")
        future = self.submit(coroutine)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result, awaited on any loop; when the caller is cancelled, the work is cancelled and has ended."""
        if asyncio.get_running_loop() is self.loop:
            return await coroutine
        ended = threading.Event()

        async def watched() -> T:
            try:
                return await coroutine
            finally:
                ended.set()

        future = self.submit(watched())
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            await asyncio.to_thread(ended.wait, 10)
            raise


LOOP = LoopThread()


# --- the client ------------------------------------------------------------------------------------------------------


def litellm() -> Any:
    """The library, imported at first use; it takes seconds and 200 MB.

    Raises:
        ConfigError: where it is not installed.
    """
    if importlib.util.find_spec("litellm") is None:
        raise ConfigError(f"models need LiteLLM: {install('llm')}")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no price list from the network
    import litellm  # type: ignore[import-not-found,unused-ignore]

    litellm.suppress_debug_info = True
    return litellm


def check_provider(model: str, settings: ModelSettings) -> None:
    """Nothing, where LiteLLM knows the provider of a model; it is imported only to ask about one that it does not list.

    Raises:
        ConfigError: where it does not, with the nearest that it knows.
    """
    provider = model.partition("/")[0]
    if provider in _listed_providers():
        return
    library = litellm()
    try:
        library.get_llm_provider(model, api_base=settings.api_base)
    except library.BadRequestError:
        known = [str(getattr(name, "value", name)) for name in library.provider_list]
        close = difflib.get_close_matches(provider, known, n=1)
        hint = f"did you mean {close[0]}/{model.partition('/')[2]}? " if close else ""
        raise ConfigError(
            f"model={model!r}: {hint}must be PROVIDER/NAME, and LiteLLM knows no provider {provider!r}; it knows "
            f"openai, anthropic, gemini and {len(known) - 3} more (docs.litellm.ai/docs/providers)"
        ) from None


@lru_cache(maxsize=1)
def _listed_providers() -> frozenset[str]:
    """The providers in LiteLLM's source, which is read as text: its import takes seconds. Empty where they are not
    found, so that the library is asked."""
    spec = importlib.util.find_spec("litellm")
    try:
        source = (Path(spec.origin).parent / "types" / "utils.py").read_text("utf-8") if spec and spec.origin else ""
    except OSError:
        return frozenset()
    enum = re.search(r"^class LlmProviders\b.*\n((?:(?: .*)?\n)+)", source, re.MULTILINE)
    return frozenset(re.findall(r'^    [A-Z0-9_]+ = "([^"]+)"', enum[1], re.MULTILINE)) if enum else frozenset()


class Limits:
    """Calls in flight at once, per provider and address; the first call of a provider says how many."""

    def __init__(self) -> None:
        self._semaphores: dict[tuple[int, str, str | None], asyncio.Semaphore] = {}

    def of(self, model: str, settings: ModelSettings) -> asyncio.Semaphore:
        """The semaphore of a model's provider, on the running loop."""
        key = (id(asyncio.get_running_loop()), model.partition("/")[0], settings.api_base)
        return self._semaphores.setdefault(key, asyncio.Semaphore(settings.concurrency))


class Client:
    """Asks models, within limits.

    Args:
        budget: what may be spent; None for no limit (the counts are kept all the same).
        cache: opt-in replay: the same request gets the same answer, and no call is made.
    """

    def __init__(self, budget: Budget | None = None, cache: ReplyCache | None = None) -> None:
        self.budget = budget or Budget()
        self.cache = cache
        self.limits = Limits()
        self._jitter = random.Random(os.urandom(16))  # its own: no draw of a game depends on it

    async def complete(
        self,
        model: str,
        messages: Messages,
        settings: ModelSettings,
        response_format: dict[str, Any] | None = None,
        api_key: str | None = None,
        salt: Any = None,
    ) -> Reply:
        """The model's reply.

        Args:
            model: LiteLLM's name of it, "provider/model".
            messages: in OpenAI's format.
            settings: of the model.
            response_format: a JSON schema to bind the reply to, in OpenAI's format.
            api_key: where it is not in the environment; kept nowhere.
            salt: what tells otherwise equal requests apart in the cache.

        Raises:
            ModelError: where the provider gives none.
            BudgetError: where the budget is spent; nothing was sent.
        """
        library = litellm()
        params, dropped = _parameters(library, model, settings, response_format)
        key = request_key(model, settings.api_base, messages, params, salt) if self.cache is not None else ""
        if self.cache is not None and (known := self.cache.get(key)):
            return known
        tokens = estimated_tokens(messages, settings) + (settings.max_tokens or 0)
        usd = self._estimated_usd(library, model, settings, tokens) if self.budget.max_usd is not None else None
        async with self.limits.of(model, settings):
            self.budget.reserve(tokens, usd)
            reply = None
            try:
                reply = await self._attempts(library, model, messages, settings, params, api_key)
                reply = replace(reply, effective=_recorded(params, settings), dropped=dropped)
                if self.cache is not None:
                    self.cache.put(key, reply)
            finally:
                self.budget.settle(tokens, usd, reply)
            return reply

    def _estimated_usd(self, library: Any, model: str, settings: ModelSettings, tokens: int) -> float | None:
        rates = prices_of(library, model, settings)
        if rates is None:
            return None
        out = settings.max_tokens or 0
        return (tokens - out) * rates[0] + out * rates[1]

    async def _attempts(
        self,
        library: Any,
        model: str,
        messages: Messages,
        settings: ModelSettings,
        params: dict[str, Any],
        api_key: str | None,
    ) -> Reply:
        """The reply of the first attempt that has one."""
        end = time.monotonic() + settings.deadline
        retries: list[str] = []
        while True:
            left = end - time.monotonic()
            start = time.monotonic()
            try:
                answer = await self._send(library, model, messages, settings, params, api_key, left)
                reply = _reply(library, model, settings, answer)
                return replace(reply, latency=round(time.monotonic() - start, 4), retries=tuple(retries))
            except Exception as fault:
                error = _as_model_error(library, fault, api_key, model, settings)
            error.retries = len(retries)
            if error.kind not in RETRIED or len(retries) >= settings.retries:
                raise error from None
            pause = self._pause(len(retries), settings, error.wait)
            if time.monotonic() + pause >= end:
                late = ModelError("deadline", f"{settings.deadline:g} s are over; last: {error}", error.status)
                late.retries = len(retries)
                raise late
            retries.append(error.kind)
            await asyncio.sleep(pause)

    def _pause(self, attempt: int, settings: ModelSettings, wanted: float | None) -> float:
        """Seconds before the next attempt: doubling, with jitter, and not less than the provider asked for."""
        longest = min(30.0, settings.backoff * 2.0**attempt)
        return max(wanted or 0.0, longest * self._jitter.uniform(0.5, 1.0))

    async def _send(
        self,
        library: Any,
        model: str,
        messages: Messages,
        settings: ModelSettings,
        params: dict[str, Any],
        api_key: str | None,
        left: float,
    ) -> Any:
        """LiteLLM's answer to one attempt."""
        seconds = max(0.01, min(settings.timeout, left))
        key = api_key or (os.environ.get(settings.api_key_env) if settings.api_key_env else None)
        server: dict[str, Any] = {"api_key": key} if key else {}
        if settings.api_base:
            server = {"api_base": settings.api_base, "api_key": key or _key_for_own_server(model)}
        async with asyncio.timeout(seconds + 1):
            return await library.acompletion(
                model=model, messages=messages, timeout=seconds, max_retries=0, num_retries=0, **server, **params
            )


def _key_for_own_server(model: str) -> str:
    """Own servers want some key, whatever it is; the environment's is sent only if it is meant for them."""
    name = f"{model.partition('/')[0].upper()}_API_KEY"
    return os.environ.get(name, "none")


def _parameters(
    library: Any, model: str, settings: ModelSettings, response_format: dict[str, Any] | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """(what is sent, the names of what the provider does not take and is left out)."""
    wanted = {
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
        "reasoning_effort": settings.reasoning_effort,
        "response_format": response_format,
    }
    wanted = {name: value for name, value in wanted.items() if value is not None}
    supported = _supported(library, model)
    dropped = tuple(name for name in wanted if supported is not None and name not in supported)
    return {name: value for name, value in wanted.items() if name not in dropped} | settings.extra, dropped


@lru_cache(maxsize=256)
def _supported(library: Any, model: str) -> frozenset[str] | None:
    try:
        names = library.get_supported_openai_params(model=model)
    except Exception:
        return None
    return frozenset(names) if names else None


def _recorded(params: dict[str, Any], settings: ModelSettings) -> dict[str, Any]:
    """The parameters as they may be written down."""
    hidden = {k: "[key]" if re.search(r"key|token$|secret|authorization|headers", k) else v for k, v in params.items()}
    return hidden | ({"api_base": bare_url(settings.api_base)} if settings.api_base else {})


def _as_model_error(
    library: Any, fault: Exception, api_key: str | None, model: str, settings: ModelSettings
) -> ModelError:
    """With model and address, since a wrong one of them is what most failures for good come from."""
    if isinstance(fault, ModelError):
        return fault
    kind = kind_of(fault)
    words = redact(_plain(fault) or f"no answer ({kind})", api_key)[:300]
    address = address_of(model, settings)
    who = f"{model} at {address}" if address else model
    told = f"{who}: {words}"
    if kind in RETRIED and _refused_here(fault) and _lacks_key(library, api_key, model, settings):
        kind = "auth"
    return ModelError(kind, told, _status(fault), _retry_after(fault))


# What is met: "litellm.AuthenticationError: AuthenticationError: OpenAIException - no such key", of which the last part
# is the provider's; "Request timed out. Error_str: ...", LiteLLM's own, with the same again; and aiohttp's "Cannot
# connect to host x:443 ssl:<ssl.SSLContext object at 0x7f...> [...]", with an address in memory.
_WRAPPING = re.compile(r"\A(?:litellm\.(\w+): (?:\1: )?)?(?:\w+(?:Exception|Error) - )?")
_APPENDED = re.compile(r" Error_str: .*| ssl:<[^>]*>")


def _plain(fault: Exception) -> str:
    """The first line with words of what a failure says, without the names of the classes that it was wrapped in on its
    way; of one that no client library made, with its own."""
    lines = (_APPENDED.sub("", _WRAPPING.sub("", line)) for line in str(fault).strip().splitlines())
    words = next((line.strip() for line in lines if any(map(str.isalpha, line))), "")
    if type(fault).__module__.partition(".")[0] in ("litellm", "openai", "httpx"):
        return words
    return f"{type(fault).__name__}: {words}" if words else ""


def _refused_here(fault: BaseException) -> bool:
    """Whether a bare ValueError is at the root: LiteLLM itself did not like what it was to send."""
    while cause := fault.__cause__ or fault.__context__:
        fault = cause
    return type(fault) is ValueError


def _lacks_key(library: Any, api_key: str | None, model: str, settings: ModelSettings) -> bool:
    """Whether there is no key for a model's provider, neither given nor in the environment."""
    if api_key or (settings.api_key_env and os.environ.get(settings.api_key_env)) or settings.api_base:
        return False
    return not library.validate_environment(model)["keys_in_environment"]


def _reply(library: Any, model: str, settings: ModelSettings, answer: Any) -> Reply:
    """The reply in an answer of LiteLLM; `ModelError` of kind "malformed" where there is none."""
    try:
        choice = answer.choices[0]
        message = choice.message
        content = message.content
    except (AttributeError, IndexError, TypeError):
        raise ModelError("malformed", "the answer has no choices") from None
    if choice.finish_reason == "content_filter" and not content:
        raise ModelError("content_policy", "the provider withheld the reply")
    usage = getattr(answer, "usage", None)
    details = getattr(usage, "completion_tokens_details", None)
    asked, given = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    return Reply(
        content if isinstance(content, str) else None,
        reasoning=getattr(message, "reasoning_content", None) or None,
        finish_reason=choice.finish_reason,
        model=getattr(answer, "model", None),
        prompt_tokens=asked,
        completion_tokens=given,
        reasoning_tokens=getattr(details, "reasoning_tokens", None),
        cost=_cost(library, model, settings, answer, asked, given),
    )


def _cost(
    library: Any, model: str, settings: ModelSettings, answer: Any, asked: int | None, given: int | None
) -> float | None:
    """US dollars, by the settings' prices or LiteLLM's list (which knows of cached and reasoning tokens)."""
    rates = prices_of(library, model, settings)
    if rates is None or asked is None or given is None:
        return None
    if settings.prices is None:
        try:
            return float(library.completion_cost(completion_response=answer, model=model))
        except Exception:
            pass
    return asked * rates[0] + given * rates[1]


def prices_of(library: Any, model: str, settings: ModelSettings) -> tuple[float, float] | None:
    """US dollars per token, (input, output); None where they are not known, as for any own server."""
    if settings.prices is not None:
        return settings.prices.input / 1e6, settings.prices.output / 1e6
    return None if address_of(model, settings) else _listed_prices(library, model)


def check_prices(models: Iterable[str]) -> None:
    """Nothing, where dollars can be limited: the prices of all models are known.

    Raises:
        ConfigError: naming the first whose price is not, and where it goes.
    """
    for model in models:
        name, options = split_name(model)
        given = {option: value for option, value in options.items() if option in ModelSettings.model_fields}
        if prices_of(litellm(), name, ModelSettings.of(name, **given)) is None:
            entry = f'"{name}": {{prices: {{input: 0.5, output: 1.5}}}}'
            raise ConfigError(
                f"max_usd: the price of {name} is not known; give it (dollars per million tokens) in the file of "
                f"model settings that {SETTINGS_VARIABLE} names, as in {entry}"
            )


def address_of(model: str, settings: ModelSettings) -> str | None:
    """The address of a model's server where one was given, in its settings or by the environment."""
    provider = model.partition("/")[0].upper()
    named = (os.environ.get(f"{provider}_{variable}") for variable in ("API_BASE", "BASE_URL"))
    return bare_url(settings.api_base or next(filter(None, named), None))


@lru_cache(maxsize=256)
def _listed_prices(library: Any, model: str) -> tuple[float, float] | None:
    try:
        info = library.get_model_info(model)
    except Exception:
        return None
    paid, made = info.get("input_cost_per_token"), info.get("output_cost_per_token")
    if not paid and not made:  # the list says 0 of models whose price it does not know
        return None
    return float(paid or 0.0), float(made or 0.0)


def estimated_tokens(messages: Messages, settings: ModelSettings) -> int:
    """Tokens of a prompt, by rule of thumb: four characters each, and images by their pixels."""
    letters = images = 0
    for message in messages:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                letters += len(part["text"])
            else:
                images += 1
    return letters // 4 + images * settings.image_size**2 // settings.image_tokens_per


# --- the client that policies share ----------------------------------------------------------------------------------

_shared: Client | None = None


def shared_client() -> Client:
    """The client of this process; see `configure`."""
    global _shared
    if _shared is None:
        _shared = Client()
    return _shared


def configure(
    max_usd: float | None = None, max_tokens: int | None = None, cache: str | os.PathLike[str] | None = None
) -> Client:
    """Set the budget and the reply cache of all policies made from now on without a client of their own."""
    global _shared
    _shared = Client(Budget(max_usd, max_tokens), ReplyCache(cache) if cache is not None else None)
    return _shared
