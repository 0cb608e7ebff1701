"""One game: played and recorded in its folder, and what came of it."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import quack_env
from quack_agents import VLMPolicy, make_policy, play
from quack_agents.llm import (
    BudgetError,
    Client,
    Messages,
    ModelError,
    ModelSettings,
    Reply,
    check_prices,
    configure,
)
from quack_agents.probe import GameProbe
from quack_agents.situations import perform
from quack_bench.players import told_fault
from quack_bench.suite import Game, is_model
from quack_env import ConfigError, GameConfig, IllegalActionError, QuackError, TrajectoryError
from quack_env.beliefs import FILE as BELIEFS
from quack_env.beliefs import BeliefStore
from quack_env.calls import load_calls
from quack_env.policies import Policy
from quack_env.trajectory import FILE, STATUS
from quack_eval.metrics.measure import total

LASTING = ("auth", "not_found", "bad_request", "unavailable")
"""Failures of a provider that will be there when it is asked again."""


@dataclass(frozen=True)
class Played:
    """What came of one attempt at a game.

    ``status``: "finished"; "failed" (see ``error``; ``lasting`` says that another attempt is no use); "budget" (it is
    spent); "stopped" (on demand). ``cost`` and ``tokens`` are None where that of a call is not known.
    """

    id: str
    status: str
    outcome: str | None
    calls: int
    tokens: int | None
    cost: float | None
    error: str | None
    lasting: bool
    started: float
    ended: float


class StopError(QuackError):
    """A game was broken off on demand."""


class PolicyError(QuackError):
    """A policy acted illegally, or raised what the project does not raise on purpose."""


def play_game(game: Game, run: Path, client: Client | None = None, stop: Event | None = None) -> Played:
    """Play one game of a suite into its folder below the run, in place of an unfinished attempt.

    Args:
        game: the game.
        run: folder of the run.
        client: what models are asked through.
        stop: set by another thread, ends the game before its next step.

    Raises:
        ConfigError: where policies or settings are not valid, which will be so in every game.
    """
    folder = run / game.id
    if (folder / FILE).exists():
        shutil.rmtree(folder)
    started = time.time()
    status, error, outcome, lasting = "finished", None, None, False

    def make(name: str) -> Policy:
        return policy_for(name, game.id, client)

    def on_step(agent: str, action: Any) -> None:
        if stop is not None and stop.is_set():
            raise StopError("stopped")

    try:
        outcome = record(game, run, make, on_step).winner
    except ConfigError:
        raise
    except StopError:
        status = "stopped"
    except BudgetError as fault:
        status, error = "budget", str(fault)
    except ModelError as fault:
        status, error, lasting = "failed", str(fault), fault.kind in LASTING
    except Exception as fault:  # a policy's fault: of this game, and not of the others
        status, error = "failed", told_fault(fault)
    return Played(game.id, status, outcome, *spent(folder), error, lasting, started, time.time())


@contextmanager
def blamed() -> Iterator[None]:
    """Around a game: what its policies do wrong is raised as a `PolicyError`, told as the bench tells it."""
    try:
        yield
    except Exception as fault:
        if isinstance(fault, QuackError) and not isinstance(fault, IllegalActionError):
            raise
        raise PolicyError(told_fault(fault)) from fault


def record(
    game: Game, run: Path, make: Callable[[str], Policy], on_step: Callable[[str, Any], None] | None = None
) -> quack_env.Outcome:
    """Play and record one game of a suite, from its deal or from the situation that it begins with, with its probes."""
    setting, folder = game.setting, run / game.id
    with closing(BeliefStore(run / BELIEFS)) as store:
        if setting.script is not None:
            return _record_situation(game, run, store, make, on_step)
        return record_game(
            setting.config,
            setting.speech,
            game.seed,
            folder,
            lambda is_duck: setting.duck if is_duck else setting.goose,
            setting.seats,
            game_map=setting.game_map,
            name=setting.name,
            make=make,
            on_step=on_step,
            probe=GameProbe(setting.probes, store, game.id) if setting.probes else None,
        )


def _record_situation(
    game: Game,
    run: Path,
    store: BeliefStore,
    make: Callable[[str], Policy],
    on_step: Callable[[str, Any], None] | None,
) -> quack_env.Outcome:
    """Those under test are asked at the situation's moments where the setting has probes; then all play on."""
    setting, situation = game.setting, game.setting.situation
    assert situation is not None  # of a setting that has a script
    names = {
        part.name: setting.seats.get(situation.agent(part.name))
        or (setting.duck if part.role == "duck" else setting.goose)
        for part in situation.parts
    }
    outcome = perform(
        situation,
        {who: make(name) for who, name in names.items()},
        game.seed,
        folder=run / game.id,
        setting=setting.name,
        speech=setting.speech,
        probe=setting.probes,
        store=store if setting.probes else None,
        game_id=game.id,
        goes_on=True,
        labels=names,
        on_step=on_step,
    )
    assert outcome is not None  # it goes on to the end
    return outcome


def policy_for(name: str, game: str, client: Client | None) -> Policy:
    """A new policy; a model asks through the client, with answers of its own in every game."""
    if client is None or not is_model(name):
        return make_policy(name)
    return VLMPolicy(name, client=OfGame(client, game))


def limited(max_usd: float | None, policies: Iterable[str]) -> Client | None:
    """What models are asked through where dollars are limited; None where they are not.

    The limit is that of the process from here on, and nothing takes it back: it is for commands, which end with it.

    Raises:
        ConfigError: where the limit is not above 0, or the price of a model among the policies is not known.
    """
    if max_usd is None:
        return None
    check_prices(filter(is_model, dict.fromkeys(policies)))
    return configure(max_usd=max_usd)


class OfGame(Client):
    """A client whose cached replies belong to one game: two games with one prompt are two samples."""

    def __init__(self, client: Client, game: str) -> None:
        self.client = client
        self.game = game

    async def complete(
        self,
        model: str,
        messages: Messages,
        settings: ModelSettings,
        response_format: dict[str, Any] | None = None,
        api_key: str | None = None,
        salt: Any = None,
    ) -> Reply:
        """The model's reply, as `Client.complete` has it."""
        return await self.client.complete(model, messages, settings, response_format, api_key, (self.game, salt))


def record_game(
    config: GameConfig,
    speech: str,
    seed: int,
    folder: str | os.PathLike[str],
    policy_of: Callable[[bool], str],
    seats: Mapping[str, str] | None = None,
    game_map: Any = None,
    name: str | None = None,
    listener: Any = None,
    render_mode: str | None = None,
    save_images: bool = False,
    make: Callable[[str], Policy] = make_policy,
    on_step: Callable[[str, Any], None] | None = None,
    probe: GameProbe | None = None,
) -> quack_env.Outcome:
    """Play and record one game.

    ``policy_of(is_duck)`` names the policy of a role, ``seats`` that of single agents; ``make`` makes a policy;
    ``name`` is the setting's.
    """
    inner = quack_env.env(
        config=config, game_map=game_map, speech=speech, observation="vector", render_mode=render_mode
    )
    inner.reset(seed=seed)
    ducks = inner.unwrapped.game.state.ducks  # type: ignore[attr-defined]
    by_role = {agent: policy_of(bool(ducks >> i & 1)) for i, agent in enumerate(inner.possible_agents)}
    names = {**by_role, **(seats or {})}
    env = quack_env.RecordTrajectory(inner, folder, policies=names, setting=name)
    env.recorder.listener = listener
    env.recorder.save_images = save_images
    try:
        policies = {agent: make(name) for agent, name in names.items()}
        return play(env, policies, seed=seed, on_step=on_step, probe=probe)
    finally:
        env.close()


def spent(path: Path) -> tuple[int, int | None, float | None]:
    """(calls, tokens, US dollars) of a recorded game without its probes, or of one file of calls; None where that of
    an answered call is not known."""
    try:
        calls = load_calls(path)
    except TrajectoryError:
        return 0, None, None
    answered = [call for call in calls if call["error"] is None]
    tokens = total(part for call in answered for part in (call["prompt_tokens"], call["completion_tokens"]))
    cost = total(call["cost"] for call in answered)
    return len(calls), tokens, None if cost is None else float(cost)


def ending(folder: Path) -> str | None:
    """Who won the finished game in a folder; None where there is none, or it was broken off."""
    try:
        if json.loads((folder / STATUS).read_text("utf-8"))["status"] != "finished":
            return None
        with open(folder / FILE, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 4096))
            lines = file.read().split(b"\n")
        if lines.pop() != b"":  # torn
            return None
        events = [record for line in lines[1:] if "kind" in (record := json.loads(line))]
        last = events[-1]
        return str(last["data"]["winner"]) if last["kind"] == "game_over" else None
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None
