"""What models as players cost beside the provider: `python benchmarks/speed/models.py`; `--json` prints it as JSON.

A server in a process of its own answers every call after a set latency, so that this process only has to prompt, send,
parse, draw and record. Told are: how long the votes of one meeting take together; how long several games take one after
the other and at once; and the CPU time per call after the first, without and with images.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import quack_env
from quack_agents import play, play_many
from quack_agents.llm import Client
from quack_agents.vlm import VLMPolicy

PORT = 8653
VOTE = "YOUR VOTE, ONE OF"


@contextmanager
def server(latency: float) -> Iterator[str]:
    """The address of a model server with a latency."""
    command = [sys.executable, "-m", "quack_bench", "serve-mock", "--port", str(PORT), "--latency", str(latency)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/v1/models").close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{PORT}/v1"
    finally:
        process.terminate()
        process.wait()


class TimedClient(Client):
    """Notes when the calls for a vote begin and end."""

    def __init__(self) -> None:
        super().__init__()
        self.votes: list[tuple[float, float]] = []
        self.calls = 0

    async def complete(self, model: str, messages: Any, *args: Any, **kwargs: Any) -> Any:
        """As the client's, timed."""
        start = time.perf_counter()
        reply = await super().complete(model, messages, *args, **kwargs)
        self.calls += 1
        if VOTE in str(messages[-1]["content"]):
            self.votes.append((start, time.perf_counter()))
        return reply


class TimedPolicy(VLMPolicy):
    """Counts the CPU time of drawing."""

    drawing = 0.0

    def _pictures(self, view: Any) -> Any:
        start = time.thread_time()
        try:
            return super()._pictures(view)
        finally:
            TimedPolicy.drawing += time.thread_time() - start


def one_game(
    url: str,
    client: Client,
    folder: Path,
    modality: str,
    ticks: int,
    policy: type[VLMPolicy],
    seed: int,
    players: int = 6,
) -> None:
    """Plays and records one game of models."""
    inner = quack_env.env(speech="text", observation="vector", max_ticks=ticks, n_players=players)
    env = quack_env.RecordTrajectory(inner, folder / f"{modality}-{seed}")
    policies = {a: policy("openai/mock", modality, api_base=url, client=client) for a in env.possible_agents}
    try:
        play(env, policies, seed=seed)
    finally:
        env.close()


def votes(url: str, folder: Path, meetings: int = 3) -> dict[int, float]:
    """Seconds from the first voter asked to the last answer, by the number of voters: medians over some meetings.

    Of seven players one is killed and found, so that mostly six vote.
    """
    found: dict[int, list[float]] = defaultdict(list)
    for seed in range(20):
        client = TimedClient()
        one_game(url, client, folder / "votes", "text", 15, VLMPolicy, seed, players=7)
        spans = sorted(client.votes)
        while spans:  # voters of one meeting overlap
            together = [span for span in spans if span[0] < spans[0][1]]
            spans = spans[len(together) :]
            found[len(together)].append(max(end for _, end in together) - together[0][0])
        if sum(map(len, found.values())) >= meetings:
            break
    return {voters: round(statistics.median(times), 3) for voters, times in sorted(found.items())}


def games(url: str, folder: Path, jobs: int, count: int = 8) -> float:
    """Seconds that some games take, so many at once."""
    client = Client()
    start = time.perf_counter()
    play_many(
        [partial(one_game, url, client, folder / str(jobs), "text", 3, VLMPolicy, seed) for seed in range(count)], jobs
    )
    return time.perf_counter() - start


def cpu(url: str, folder: Path, modality: str) -> tuple[float, float]:
    """Milliseconds of CPU per call after the first game: (all but drawing, drawing)."""
    client = TimedClient()
    one_game(url, client, folder / "warm", modality, 3, TimedPolicy, 0)
    samples = []
    for seed in range(1, 6):
        client.calls, TimedPolicy.drawing = 0, 0.0
        start = time.process_time()
        one_game(url, client, folder, modality, 15, TimedPolicy, seed)
        spent = time.process_time() - start
        samples.append(((spent - TimedPolicy.drawing) / client.calls, TimedPolicy.drawing / client.calls))
    return tuple(1000 * statistics.median(part) for part in zip(*samples, strict=True))  # type: ignore[return-value]


def measure(latency: float) -> dict[str, Any]:
    """All figures."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with server(0.0) as url:
            text, both = cpu(url, folder, "text"), cpu(url, folder, "image+text")
        with server(latency) as url:
            return {
                "latency_s": latency,
                "vote_s_by_voters": votes(url, folder),
                "eight_games_s": {jobs: round(games(url, folder, jobs), 1) for jobs in (1, 4, 8)},
                "cpu_ms_per_call": {"text": round(text[0], 1), "image+text": round(both[0], 1)},
                "cpu_ms_drawing_per_call": round(both[1], 1),
            }


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds that the server takes (default: 0.2)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    found = measure(options.latency)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:28}{value}")


if __name__ == "__main__":
    main()
