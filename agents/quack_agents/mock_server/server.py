"""The HTTP side: `POST /v1/chat/completions`, `GET /v1/models`, `GET /stats`."""

from __future__ import annotations

import base64
import binascii
import json
import re
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from quack_agents.mock_server.misbehaviour import REPLIES, STATUSES, Misbehaviour, Spoken, spoil
from quack_agents.mock_server.player import Prompt, answer, read_prompt
from quack_env.errors import ConfigError

_IMAGE = re.compile(r"data:(image/(?:png|jpeg|webp|gif));base64,([A-Za-z0-9+/=]+)")
MAGIC = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8", "image/webp": b"RIFF"}
HANG = 30.0
"""Seconds that a hanging server says nothing, at most."""


class BadRequestError(Exception):
    """The request is none of the protocol."""


def parts_of(messages: Any) -> tuple[str, str, list[tuple[int, int]]]:
    """(system text, the rest of the text, sizes of the images) of messages, checked."""
    if not isinstance(messages, list) or not messages:
        raise BadRequestError("messages must be a list, and not empty")
    system: list[str] = []
    user: list[str] = []
    sizes: list[tuple[int, int]] = []
    message: Any
    for message in messages:
        if not isinstance(message, dict) or message.get("role") not in ("system", "developer", "user", "assistant"):
            raise BadRequestError("a message has a role of system, user or assistant")
        content: Any = message.get("content")
        part: Any
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content or []:
            if part.get("type") == "text":
                (system if message["role"] in ("system", "developer") else user).append(part["text"])
            elif part.get("type") == "image_url":
                sizes.append(image_size(part["image_url"]["url"]))
            else:
                raise BadRequestError(f"unknown part {part.get('type')!r}")
    return "\n".join(system), "\n".join(user), sizes


def image_size(url: str) -> tuple[int, int]:
    """(width, height) of an image in a data URI, (0, 0) where the format is not PNG; its bytes are what it says."""
    match = _IMAGE.fullmatch(url)
    if not match:
        raise BadRequestError("an image must be a data URI of a known media type, in base64")
    try:
        data = base64.b64decode(match[2], validate=True)
    except binascii.Error:
        raise BadRequestError("an image is no base64") from None
    if not data.startswith(MAGIC[match[1]]):
        raise BadRequestError(f"an image is not {match[1]}")
    if match[1] != "image/png":
        return 0, 0
    width, height = struct.unpack(">II", data[16:24])
    return int(width), int(height)


class MockServer:
    """The server, as a context manager or to be started and stopped; any number of calls at once.

    Args:
        port: 0 for a free one.
        latency: seconds that an answer takes.
        misbehave: ways to misbehave (see `Misbehaviour`); the first one that is due counts.
        max_concurrent: calls at once above which the answer is 429; None for no limit.
        host: loopback, unless others are to be let in.
        retry_after: seconds that rate-limited callers are told to wait; None tells them nothing.
        sensitive: whether it plays by its own answers to probes, where they stand in its context (mode "inline").
    """

    def __init__(
        self,
        port: int = 0,
        latency: float = 0.0,
        misbehave: Sequence[str | Misbehaviour] = (),
        max_concurrent: int | None = None,
        host: str = "127.0.0.1",
        retry_after: float | None = None,
        sensitive: bool = False,
    ) -> None:
        self.latency = latency
        self.misbehaviours = [m if isinstance(m, Misbehaviour) else Misbehaviour.of(m) for m in misbehave]
        self.max_concurrent = max_concurrent
        self.retry_after = retry_after
        self.sensitive = sensitive
        self.calls = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self.requests: deque[dict[str, Any]] = deque(maxlen=2000)
        """The latest requests, as they came."""
        self.strange: deque[bytes] = deque(maxlen=20)
        """The latest bodies that were sent to other addresses, which are not served."""
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        handler = type("Handler", (_Handler,), {"mock": self})
        try:
            self._http = _Http((host, port), handler)
        except OSError as fault:
            raise ConfigError(f"port={port}: cannot be used on {host} ({fault.strerror})") from None
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """Its address, for `api_base`."""
        return f"{self._root}/v1"

    @property
    def stats_url(self) -> str:
        """The address of its counts."""
        return f"{self._root}/stats"

    @property
    def _root(self) -> str:
        return f"http://{self._http.server_address[0]!s}:{self.port}"

    def start(self) -> MockServer:
        """Serve in a thread."""
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop serving."""
        self.stopped.set()
        self._http.shutdown()
        self._http.server_close()
        if self._thread is not None:
            self._thread.join()

    def serve_forever(self) -> None:
        """Serve in this thread, until interrupted."""
        try:
            self._http.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            self._http.server_close()

    def __enter__(self) -> MockServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def reply(self, request: dict[str, Any], system: str, user: str, mode: str | None) -> Spoken:
        """The reply to a request, spoilt in a way of `REPLIES` where ``mode`` is one."""
        return _spoken(read_prompt(system, user, self.sensitive), request, mode)

    def due(self) -> str | None:
        """The way to misbehave in this call."""
        return next((m.mode for m in self.misbehaviours if m.is_due()), None)

    def stats(self) -> dict[str, Any]:
        """Counts, JSON-ready."""
        return {"calls": self.calls, "in_flight": self.in_flight, "most_in_flight": self.most_in_flight}


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are no news."""


class _Handler(BaseHTTPRequestHandler):
    mock: ClassVar[MockServer]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        """The models, and the counts."""
        if self.path.rstrip("/").endswith("/models"):
            self._send(200, {"object": "list", "data": [{"id": "mock", "object": "model", "owned_by": "quack"}]})
        elif self.path == "/stats":
            self._send(200, self.mock.stats())
        else:
            self._fail(404, "not_found", f"no {self.path} here")

    def do_POST(self) -> None:
        """One chat completion."""
        mock = self.mock
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if not self.path.endswith("/chat/completions"):
            mock.strange.append(body)
            self._fail(404, "not_found", f"no {self.path} here")
            return
        with mock.lock:
            mock.calls += 1
            mock.in_flight += 1
            mock.most_in_flight = max(mock.most_in_flight, mock.in_flight)
            crowded = mock.max_concurrent is not None and mock.in_flight > mock.max_concurrent
        try:
            if crowded:
                self._fail(*STATUSES["rate_limit"])
            else:
                self._complete(body)
        finally:
            with mock.lock:
                mock.in_flight -= 1

    def _complete(self, body: bytes) -> None:
        mock = self.mock
        mode = mock.due()
        if mode in STATUSES:
            self._fail(*STATUSES[mode])
            return
        try:
            request = json.loads(body)
            system, user, sizes = parts_of(request["messages"])
        except (ValueError, KeyError, TypeError, AttributeError, BadRequestError) as fault:
            self._fail(400, "invalid_request_error", str(fault))
            return
        mock.requests.append(request)
        if mode == "hang" or mode == "slow":
            mock.stopped.wait(HANG if mode == "hang" else 2.0)
        elif mock.latency:
            time.sleep(mock.latency)
        if mode in ("hang", "reset"):
            self._reset()
        elif mode in ("not_json", "html"):
            self._send_bytes(200, b"<html>Sorry</html>" if mode == "html" else b'{"choices": [', "text/html")
        elif mode == "no_choices":
            self._send(200, {"id": "mock", "object": "chat.completion", "model": "mock", "choices": []})
        else:
            try:
                spoken = mock.reply(request, system, user, mode)
            except BadRequestError as fault:
                self._fail(400, "context_length_exceeded", str(fault))
                return
            tokens = len(system + user) // 4 + sum(w * h for w, h in sizes) // 750
            answered = completion(request, spoken, tokens)
            if request.get("stream"):
                self._send_bytes(200, streamed(answered), "text/event-stream")
            else:
                self._send(200, answered)

    # --- answers -----------------------------------------------------------------------------------------------------

    def _reset(self) -> None:
        """Hang up without an answer."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def _fail(self, status: int, code: str, message: str | None = None) -> None:
        words = message or f"{code} (as told)"
        headers = {}
        if status == 429 and self.mock.retry_after is not None:
            headers["Retry-After"] = f"{self.mock.retry_after:g}"
        self._send(status, {"error": {"message": words, "type": code, "code": code, "param": None}}, headers)

    def _send(self, status: int, data: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(data).encode(), "application/json", headers)

    def _send_bytes(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        """One write: headers and body in one packet, or every call costs a delayed acknowledgement."""
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self._headers_buffer: list[bytes]
        self._headers_buffer += [b"\r\n", body]
        self.flush_headers()


def _spoken(prompt: Prompt, request: dict[str, Any], mode: str | None) -> Spoken:
    """The reply to a prompt, spoilt where it is to be."""
    action, say = answer(prompt)
    content = action or say
    if mode in REPLIES and not (prompt.kind == "action" and mode == "injection"):
        return spoil(mode, content, prompt.legal, "action" if action else "say")
    if prompt.kind not in ("probe", "claims") and (request.get("response_format") or prompt.json):
        fields = {"action": action} if action else {"say": say}
        return Spoken(json.dumps(fields | ({"say": say} if say else {})))
    return Spoken(f"{action} | say({say})" if action and say else content)


def completion(request: dict[str, Any], spoken: Spoken, prompt_tokens: int) -> dict[str, Any]:
    """The body of an answer."""
    message: dict[str, Any] = {"role": "assistant", "content": spoken.content}
    if spoken.reasoning:
        message["reasoning_content"] = spoken.reasoning
    made = len(spoken.content or spoken.reasoning or "") // 4 + 1
    if spoken.tokens:
        prompt_tokens, made = spoken.tokens
    return {
        "id": "chatcmpl-mock",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", "mock"),
        "choices": [{"index": 0, "message": message, "finish_reason": spoken.finish_reason}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": made, "total_tokens": prompt_tokens + made},
    }


def streamed(answered: dict[str, Any]) -> bytes:
    """An answer as a stream of one event."""
    choice = answered["choices"][0]
    delta = {"index": 0, "delta": choice["message"], "finish_reason": choice["finish_reason"]}
    event = {**answered, "object": "chat.completion.chunk", "choices": [delta]}
    return f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode()
