"""Where games are played: in this process, in others, in threads, or on a Ray cluster. All are `futures.Executor`s."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from quack_env import ConfigError
from quack_env.beliefs import FILE as BELIEFS
from quack_env.beliefs import Answer, Belief, BeliefStore
from quack_env.errors import install
from quack_eval.workers import processes

NAMES = ("local", "ray")


def check_executor(name: str) -> None:
    """A wrong name is better found before the first game.

    Raises:
        ConfigError: where there is no such executor.
    """
    if name not in NAMES:
        raise ConfigError(f"executor={name!r}: must be {' or '.join(NAMES)}")


def executor_of(name: str, jobs: int) -> Executor:
    """What plays games of scripted and learned policies, ``jobs`` of them at once.

    Raises:
        ConfigError: where there is no such executor, or its library is missing.
    """
    check_executor(name)
    if name == "ray":
        return RayExecutor(jobs)
    return processes(jobs) if jobs > 1 else Inline()


def for_models(jobs: int) -> Executor:
    """What plays games of models: threads, since they wait, and share one budget and each provider's limit."""
    return ThreadPoolExecutor(jobs, thread_name_prefix="quack-game")


class Inline(Executor):
    """Runs everything at once, where it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as fault:
            future.set_exception(fault)
        return future


class RayExecutor(Executor):
    """Plays on the Ray cluster that `RAY_ADDRESS` names, else on one started on this machine with ``jobs`` CPUs.

    A game is played in a folder of the machine it lands on, and its files come back with the result, so that no disk
    needs to be shared. To be called with ``submit(function, game, run)``; the function's files below the run come back.
    """

    def __init__(self, jobs: int) -> None:
        try:
            import ray  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise ConfigError(f"executor='ray' needs Ray: {install('ray')}") from None
        own = "RAY_ADDRESS" not in os.environ
        self._ray = ray
        self._started = not ray.is_initialized()
        if self._started:
            options: dict[str, Any] = {"num_cpus": jobs, "include_dashboard": False} if own else {}
            ray.init(logging_level="ERROR", log_to_driver=False, **options)
        # a game that a lost machine was playing is played again elsewhere
        self._away = ray.remote(num_cpus=1, max_retries=3)(_away)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The result to come; the files are then in the run's folder."""
        game, run = args
        BeliefStore(run / BELIEFS).remove(game.id)
        result: Future[Any] = Future()
        result.set_running_or_notify_cancel()

        def arrived(away: Future[Any]) -> None:
            try:
                value, files, beliefs, answers = away.result()
                if beliefs or answers:
                    BeliefStore(run / BELIEFS).add(beliefs, answers)
                for name, data in files.items():
                    (run / name).parent.mkdir(parents=True, exist_ok=True)
                    (run / name).write_bytes(data)
                result.set_result(value)
            except BaseException as fault:
                result.set_exception(fault)

        self._away.remote(fn, game).future().add_done_callback(arrived)
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; one that was started here ends."""
        if self._started:
            self._ray.shutdown()


def _away(fn: Callable[..., Any], game: Any) -> tuple[Any, dict[str, bytes], list[Belief], list[Answer]]:
    """The result of a game played in a folder of its own, the files, and what probes found."""
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch)
        value = fn(game, run)
        store = BeliefStore(run / BELIEFS)
        files = sorted(path for path in run.rglob("*") if path.is_file() and not path.name.startswith(BELIEFS))
        contents = {path.relative_to(run).as_posix(): path.read_bytes() for path in files}
        return value, contents, list(store.read()), list(store.read_answers())
