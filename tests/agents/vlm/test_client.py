"""The client: retries by class of failure, deadlines, budget, cache, concurrency, and keys that stay secret."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quack_agents import llm
from quack_agents.llm import (
    LOOP,
    RETRIED,
    Budget,
    BudgetError,
    Client,
    ModelError,
    ModelSettings,
    ReplyCache,
    bare_url,
    estimated_tokens,
    kind_of,
    kind_of_status,
    redact,
    request_key,
)
from quack_agents.mock_server.misbehaviour import STATUSES
from quack_agents.vlm import VLMPolicy
from quack_env import ConfigError
from quack_env.render.png import to_png

from .table import Serve, hello, settings

KEY = "sk-verysecret1234567890"


def ask(client: Client, url: str, words: str = "Hello", salt: Any = None, **fields: Any) -> llm.Reply:
    return LOOP.run(client.complete("openai/mock", hello(words), settings(url, **fields), api_key=KEY, salt=salt))


# --- failures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("rate_limit", "rate_limit"),
        ("server_error", "server"),
        ("overloaded", "server"),
        ("bad_gateway", "server"),
        ("reset", "connection"),
        ("not_json", "malformed"),
        ("html", "malformed"),
        ("no_choices", "malformed"),
        ("hang", "timeout"),
    ],
)
def test_failures_that_may_pass_are_tried_again(serve: Serve, mode: str, kind: str) -> None:
    server = serve(misbehave=[f"{mode}:first=2"])
    reply = ask(Client(), server.url, timeout=0.4 if mode == "hang" else 5.0)
    assert reply.content
    assert len(reply.retries) == 2 and server.calls == 3
    assert set(reply.retries) <= ({kind, "server", "connection"} if kind in ("malformed", "connection") else {kind})


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("auth", "auth"),
        ("not_found", "not_found"),
        ("bad_request", "bad_request"),
        ("context_length", "context_window"),
        ("content_filter", "content_policy"),
    ],
)
def test_failures_that_stay_are_not_tried_again(serve: Serve, mode: str, kind: str) -> None:
    server = serve(misbehave=[mode])
    with pytest.raises(ModelError) as failure:
        ask(Client(), server.url)
    assert failure.value.status == STATUSES[mode][0]
    assert failure.value.kind in (kind, "bad_request")
    assert server.calls == 1


def test_retries_end() -> None:
    with pytest.raises(ModelError) as failure:  # nobody listens there
        ask(Client(), "http://127.0.0.1:9/v1", retries=2)
    assert failure.value.kind in ("connection", "server") and failure.value.retries == 2


def test_the_deadline_ends_them_too(serve: Serve) -> None:
    server = serve(misbehave=["rate_limit"])
    start = time.monotonic()
    with pytest.raises(ModelError, match=r"0\.5 s are over; last: rate_limit"):
        ask(Client(), server.url, retries=1000, backoff=0.1, deadline=0.5)
    assert time.monotonic() - start < 5


def test_the_wait_that_a_provider_asks_for_is_kept(serve: Serve) -> None:
    server = serve(misbehave=["rate_limit:first=1"], retry_after=0.5)
    start = time.monotonic()
    ask(Client(), server.url)
    assert time.monotonic() - start >= 0.5


def test_kinds_go_by_status_not_by_words() -> None:
    assert [kind_of_status(s) for s in (429, 500, 503, 401, 403, 404, 400, 422, 408, None)] == [
        *("rate_limit", "server", "server", "auth", "auth", "not_found", "bad_request", "bad_request", "timeout"),
        "malformed",
    ]

    class OddError(Exception):
        status_code = 400

    assert llm.kind_of(OddError("rate limit 429 timeout")) == "bad_request"
    assert llm.kind_of(TimeoutError()) == "timeout"
    assert llm.kind_of(ConnectionResetError()) == "connection"


def test_pauses_draw_from_no_random_stream_but_their_own(serve: Serve) -> None:
    random.seed(5)
    before = random.getstate()
    ask(Client(), serve(misbehave=["rate_limit:first=2"]).url)
    assert random.getstate() == before


# --- keys ------------------------------------------------------------------------------------------------------------


def test_keys_are_in_no_error(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "abcdefghijk")
    assert redact(f"bad {KEY}, Bearer xyz123, abcdefghijk, AIzaZYXWVUTSRQPONMLKJIHGF", KEY) == (
        "bad [key], [key], [key], [key]"
    )
    assert bare_url("https://me:secret@host:1/v1?key=x") == "https://host:1/v1"
    with pytest.raises(ConfigError, match="api_base") as error:
        ModelSettings.of("openai/x", api_base="https://me:secret@host/v1")
    assert "secret" not in str(error.value)


def test_effective_parameters_are_recorded_and_keys_are_not(serve: Serve) -> None:
    reply = ask(Client(), serve().url, temperature=0.5, extra={"api_key_extra": KEY, "top_p": 0.9})
    assert reply.effective["temperature"] == 0.5 and reply.effective["top_p"] == 0.9
    assert reply.effective["max_tokens"] == 1024
    assert KEY not in json.dumps(reply.effective)


def test_parameters_that_a_provider_does_not_take_are_left_out_and_named() -> None:
    params, dropped = llm._parameters(
        llm.litellm(), "ollama/llama3", ModelSettings(reasoning_effort="low", temperature=0.1), None
    )
    assert params["temperature"] == 0.1
    assert set(params) | set(dropped) == {"temperature", "max_tokens", "reasoning_effort"}


# --- budget and prices -----------------------------------------------------------------------------------------------


def test_a_price_that_is_not_known_is_none(serve: Serve) -> None:
    client = Client()
    reply = ask(client, serve().url)
    assert reply.cost is None and reply.prompt_tokens
    assert client.budget.to_dict()["usd"] is None and client.budget.unpriced == 1


def test_given_prices_make_costs(serve: Serve) -> None:
    client = Client()
    reply = ask(client, serve().url, prices={"input": 1.0, "output": 10.0})
    assert reply.prompt_tokens is not None and reply.completion_tokens is not None
    assert reply.cost == pytest.approx((reply.prompt_tokens + 10 * reply.completion_tokens) / 1e6)
    assert client.budget.to_dict()["usd"] == pytest.approx(reply.cost, abs=1e-6)


def test_listed_prices_are_of_the_provider_not_of_own_servers() -> None:
    library = llm.litellm()
    assert llm.prices_of(library, "openai/gpt-4o", ModelSettings()) == (2.5e-06, 1e-05)
    assert llm.prices_of(library, "openai/gpt-4o", ModelSettings(api_base="http://127.0.0.1:1/v1")) is None
    assert llm.prices_of(library, "openai/nothing-known", ModelSettings()) is None


def test_a_listed_price_of_nothing_is_not_known() -> None:
    library = llm.litellm()
    library.register_model({"openai/free-or-unknown": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}})
    assert llm.prices_of(library, "openai/free-or-unknown", ModelSettings()) is None


def test_max_tokens_stops_before_the_call_that_could_exceed_it(serve: Serve) -> None:
    server = serve()
    client = Client(Budget(max_tokens=60))
    done = 0
    with pytest.raises(BudgetError, match="of 60 tokens"):
        for _ in range(50):
            ask(client, server.url, max_tokens=20)
            done += 1
    assert 0 < done == server.calls and client.budget.tokens <= 60


def test_max_usd_needs_a_price_and_stops(serve: Serve) -> None:
    server = serve()
    with pytest.raises(BudgetError, match="not known"):
        ask(Client(Budget(max_usd=1.0)), server.url)
    client = Client(Budget(max_usd=0.001))
    with pytest.raises(BudgetError, match=r"of \$0.001"):
        for _ in range(50):
            ask(client, server.url, max_tokens=20, prices={"input": 1.0, "output": 10.0})
    assert 0 < client.budget.usd <= 0.001 and client.budget.calls == server.calls


@pytest.mark.parametrize("wrong", [{"max_usd": 0}, {"max_tokens": -1}, {"max_usd": True}])
def test_a_budget_is_more_than_nothing(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="must be more than 0"):
        Budget(**wrong)


# --- cache -----------------------------------------------------------------------------------------------------------


def test_the_same_request_is_answered_without_a_call(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    client = Client(cache=ReplyCache(tmp_path / "replies.sqlite"))
    first = ask(client, server.url, "Hi", salt=1)
    again = ask(Client(cache=ReplyCache(tmp_path / "replies.sqlite")), server.url, "Hi", salt=1)
    assert server.calls == 1 and again.cached and not first.cached
    assert (again.content, again.prompt_tokens, again.cost) == (first.content, first.prompt_tokens, first.cost)
    ask(client, server.url, "Hi", salt=2)
    ask(client, server.url, "Hi", salt=1, temperature=0.3)
    ask(client, server.url, "Ho", salt=1)
    assert server.calls == 4 and client.cache is not None and len(client.cache) == 4


def test_failures_are_not_cached(serve: Serve, tmp_path: Path) -> None:
    server = serve(misbehave=["bad_request:first=1"])
    client = Client(cache=ReplyCache(tmp_path / "replies.sqlite"))
    with pytest.raises(ModelError):
        ask(client, server.url)
    assert ask(client, server.url).content and server.calls == 2


def test_a_key_is_of_model_messages_images_and_parameters() -> None:
    base = ("m", None, hello(), {"a": 1}, 0)
    keys = {
        request_key(*base),
        request_key("n", *base[1:]),
        request_key("m", None, hello("x"), {"a": 1}, 0),
        request_key("m", None, hello(), {"a": 2}, 0),
        request_key("m", None, hello(), {"a": 1}, 1),
        request_key("m", "http://x/v1", hello(), {"a": 1}, 0),
    }
    assert len(keys) == 6 and request_key(*base) in keys


def test_a_cache_that_is_none_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "no.sqlite").write_bytes(b"not a database, but long enough to be looked at as one" * 20)
    with pytest.raises(ConfigError, match="reply cache"):
        ReplyCache(tmp_path / "no.sqlite")


# --- concurrency -----------------------------------------------------------------------------------------------------


def test_calls_at_once_are_bounded_per_provider(serve: Serve) -> None:
    server = serve(latency=0.3)
    client = Client()
    ask(client, server.url, concurrency=4)  # imports

    async def many(n: int) -> float:
        start = time.monotonic()
        given = settings(server.url, concurrency=4)
        await asyncio.gather(*(client.complete("openai/mock", hello(str(k)), given) for k in range(n)))
        return time.monotonic() - start

    assert LOOP.run(many(9)) >= 0.9
    assert server.most_in_flight == 4


def test_no_concurrency_is_refused() -> None:
    with pytest.raises(ConfigError, match="concurrency"):
        ModelSettings.of("openai/x", concurrency=0)


def test_cancelling_ends_the_call_before_it_returns(serve: Serve) -> None:
    server = serve(misbehave=["hang"])
    client = Client()

    async def cancelled() -> None:
        call = LOOP.call(client.complete("openai/mock", hello(), settings(server.url, timeout=30)))
        task = asyncio.create_task(call)
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert client.budget._tokens_out == 0  # what was set aside is back: the call has ended


def test_every_thread_and_loop_shares_one_loop() -> None:
    async def where() -> int:
        return id(asyncio.get_running_loop())

    async def elsewhere() -> int:
        return await LOOP.call(where())

    async def waits_for_itself() -> None:
        LOOP.run(where())

    assert LOOP.run(where()) == asyncio.run(elsewhere()) == LOOP.run(elsewhere())
    with pytest.raises(RuntimeError, match="own event loop"):
        LOOP.run(waits_for_itself())


# --- settings --------------------------------------------------------------------------------------------------------


def test_settings_come_from_the_shipped_file_an_own_one_and_overrides(tmp_path: Path) -> None:
    own = tmp_path / "models.yaml"
    own.write_text('"openai/*":\n  temperature: 0.3\n  retries: 1\n"openai/special":\n  retries: 2\n')
    found = ModelSettings.of("openai/special", own, retries=3)
    assert (found.temperature, found.retries, found.image_size) == (0.3, 3, 768)
    assert ModelSettings.of("openai/special", own).retries == 2
    assert ModelSettings.of("gemini/x", own).vision is True
    with pytest.raises(ConfigError, match="allowed: vision"):
        ModelSettings.of("openai/x", nonsense=1)
    own.write_text("- a\n")
    llm._settings_file.cache_clear()
    with pytest.raises(ConfigError, match="must be a mapping"):
        ModelSettings.of("openai/x", own)


def test_tokens_of_images_are_estimated_from_their_pixels() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "x" * 400}, {"type": "image_url"}]}]
    assert estimated_tokens(messages, ModelSettings(image_size=768)) == 100 + 768**2 // 750


@pytest.mark.parametrize("model", ["anthropic/claude-opus-4-7", "gemini/gemini-3.1-pro", "ollama_chat/llava"])
def test_images_reach_every_provider_in_its_own_form(serve: Serve, model: str) -> None:
    png = to_png(np.full((64, 64, 3), 7, np.uint8))
    inline = base64.b64encode(png).decode()
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{inline}"}}
    messages = [{"role": "user", "content": [{"type": "text", "text": "Look"}, part]}]
    server = serve()
    address = server.url.removesuffix("/v1")
    with pytest.raises(ModelError):
        given = ModelSettings.of(model, api_base=address, retries=0, timeout=5)
        LOOP.run(Client().complete(model, messages, given, api_key=KEY))
    body = server.strange[-1].decode()
    sent = json.loads(body)
    assert inline in body and KEY not in body
    if model.startswith("anthropic"):
        source = sent["messages"][0]["content"][1]["source"]
        assert source == {"type": "base64", "media_type": "image/png", "data": inline}
    elif model.startswith("gemini"):
        data = sent["contents"][0]["parts"][1]["inline_data"]
        assert data == {"mime_type": "image/png", "data": inline}
    else:
        assert sent["messages"][0]["images"] == [inline]


def test_litellm_is_imported_at_the_first_call_only() -> None:
    code = (
        "import sys, quack_agents.play, quack_agents.vlm as v; v.VLMPolicy('openai/mock', 'text');"
        "sys.exit('litellm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_missing_credentials_are_no_passing_failure() -> None:
    """The client's bare base error at the root, as LiteLLM wraps it in a server error, is not worth a second try."""
    bare = type("OpenAIError", (Exception,), {"__module__": "openai"})("no key")
    wrapped = type("InternalServerError", (Exception,), {"status_code": 500})("wrapped")
    assert kind_of(wrapped) == "server"
    wrapped.__cause__ = bare
    assert kind_of(wrapped) == "auth"
    assert "auth" not in RETRIED


@pytest.mark.parametrize("model", ["gemini/gemini-3.1-pro", "fireworks_ai/x", "openai/x", "anthropic/claude-opus-4-7"])
def test_a_missing_key_is_asked_about_once(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL"))]:
        monkeypatch.delenv(name)
    with pytest.raises(ModelError) as failure:
        LOOP.run(Client().complete(model, hello(), ModelSettings.of(model, retries=2, backoff=0.01)))
    assert (failure.value.kind, failure.value.retries) == ("auth", 0)


def test_what_a_client_with_a_key_does_not_send_is_no_missing_key() -> None:
    wrapped = type("APIConnectionError", (Exception,), {"status_code": 500})("wrapped")
    wrapped.__cause__ = ValueError("no such thing")
    library, settings = llm.litellm(), ModelSettings()
    assert llm._as_model_error(library, wrapped, KEY, "gemini/gemini-3.1-pro", settings).kind == "connection"


@pytest.mark.parametrize(
    ("mode", "told"),
    [("auth", "auth: {}: invalid_api_key (as told)"), ("overloaded", "server: {}: overloaded (as told)")],
)
def test_a_failure_is_told_in_the_servers_words_without_the_library_around_them(
    serve: Serve, mode: str, told: str
) -> None:
    server = serve(misbehave=[mode])
    with pytest.raises(ModelError) as failure:
        ask(Client(), server.url, retries=0)
    assert str(failure.value) == told.format(f"openai/mock at {server.url}")


def test_what_a_server_calls_an_error_itself_is_kept() -> None:
    fault = type("BadRequestError", (Exception,), {"__module__": "litellm.exceptions"})
    told = fault("litellm.BadRequestError: OpenAIException - ValueError: no such size")
    error = llm._as_model_error(llm.litellm(), told, KEY, "anthropic/x", ModelSettings())
    assert str(error) == "bad_request: anthropic/x: ValueError: no such size"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ('litellm.BadRequestError: OpenAIException - {\n  "error": "no such size"\n}', '"error": "no such size"'),
        ("litellm.Timeout: APITimeoutError - Request timed out. Error_str: timed out", "Request timed out."),
        (
            "Cannot connect to host x:443 ssl:<ssl.SSLContext object at 0x7f00> [refused]",
            "Cannot connect to host x:443 [refused]",
        ),
    ],
)
def test_of_a_failure_the_first_line_with_words_is_told(told: str, words: str) -> None:
    fault = type("BadRequestError", (Exception,), {"__module__": "litellm.exceptions"})(told)
    error = llm._as_model_error(llm.litellm(), fault, KEY, "anthropic/x", ModelSettings())
    assert str(error) == f"bad_request: anthropic/x: {words}"


def test_a_broken_connection_names_the_address_that_the_environment_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    with pytest.raises(ModelError, match=r": openai/mock at http://127\.0\.0\.1:9/v1: "):
        LOOP.run(Client().complete("openai/mock", hello(), ModelSettings.of("openai/mock", retries=0), api_key=KEY))


# --- providers -------------------------------------------------------------------------------------------------------


def test_an_unknown_provider_is_refused_when_the_model_is_made() -> None:
    with pytest.raises(ConfigError, match=r"^model='opnai/mock': did you mean openai/mock\? must be PROVIDER/NAME"):
        VLMPolicy("opnai/mock")


def test_every_provider_that_the_library_knows_can_be_named() -> None:
    for provider in llm.litellm().provider_list:
        llm.check_provider(f"{getattr(provider, 'value', provider)}/x", ModelSettings())
