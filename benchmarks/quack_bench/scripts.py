"""Situations with policies under test: played, recorded, and indexed for `quack_eval.beliefs.social`."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from quack_agents import make_policy, play_many
from quack_agents.llm import Client
from quack_agents.situations import Situation, check, load_situation, perform, shipped
from quack_bench.games import PolicyError, blamed, policy_for
from quack_bench.runner import MODEL_GAMES
from quack_bench.suite import is_model, slug
from quack_env import ConfigError
from quack_env.beliefs import FILE as BELIEFS
from quack_env.beliefs import BeliefStore
from quack_env.trajectory import FILE, new_folder
from quack_eval.beliefs.social import INDEX, Performance, read_index, write_index

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Planned:
    """One performance to come: the situation (or a control of it), and the entry that it will have in the index."""

    situation: Situation
    entry: Performance


def found(names: Iterable[str], mirrors: bool = True) -> list[Situation]:
    """The situations of these names and files, checked, each with its controls; "all" stands for all shipped ones.

    Raises:
        SituationError: where a file is not valid, or a step is not legal.
    """
    wanted = [one for name in names for one in (shipped() if name == "all" else [name])]
    situations = []
    for name in dict.fromkeys(wanted):
        situation = load_situation(name)
        check(situation)
        situations += situation.variants if mirrors else [situation]
    return situations


def planned(situations: Sequence[Situation], policies: Sequence[str], seeds: Iterable[int]) -> list[Planned]:
    """Every policy in every situation, over all seeds."""
    exchanges = {(s.name, name): mirror for s in situations for name, mirror in s.mirrors.items()}
    plans = []
    for policy in policies:
        for situation in situations:
            mirror = exchanges.get((situation.name, situation.mirror or ""))
            for seed in seeds:
                entry = Performance(
                    game=f"{slug(policy)}/{situation.id}/seed-{seed:03d}",
                    situation=situation.name,
                    mirror=situation.mirror,
                    policy=policy,
                    seed=seed,
                    tested=tuple(map(situation.agent, situation.tested)),
                    kind=mirror.kind if mirror else None,
                    exchanged=tuple(map(situation.agent, (mirror.first, mirror.second))) if mirror else (),
                )
                plans.append(Planned(situation, entry))
    return plans


def play_situations(
    plans: Sequence[Planned],
    run: Path,
    *,
    speech: str | None = None,
    probe: Any = None,
    goes_on: bool = False,
    make: Callable[[str], Any] = make_policy,
    client: Client | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> dict[str, str]:
    """Play what is planned into a run; what its index has already is not played again.

    A policy that raises or acts illegally plays no further; the others go on.

    Args:
        plans: see `planned`.
        run: the folder, made where it is missing.
        speech: "tokens" or "text"; None for words where models are under test, and statements elsewhere.
        probe: further configuration of the probe.
        goes_on: whether all play on after the script, the others as scripted players.
        make: makes a policy of its name, models apart.
        client: what models are asked through.
        jobs: performances at once, in threads; None for `MODEL_GAMES` where models are under test, else one.
        progress: called as games get done.

    Returns:
        By policy that failed, the performance and what went wrong in it, in words.

    Raises:
        TrajectoryError: where the folder holds a single recorded game, or cannot be made.
        ConfigError: where something there was played by another script, or in another way.
    """
    new_folder(run)
    done = read_index(run) if (run / INDEX).exists() else []
    plans = [replace(plan, entry=replace(plan.entry, played=_way(plan, speech, probe, goes_on))) for plan in plans]
    there = {entry.game: entry.played for entry in done}
    for entry in (plan.entry for plan in plans):
        if there.get(entry.game, entry.played) != entry.played:
            told = "another script, or with another --speech, --probe or --goes-on"
            raise ConfigError(f"{run}: holds {entry.game} played by {told}; choose another --out")
    todo = [plan for plan in plans if plan.entry.game not in there]
    store = BeliefStore(run / BELIEFS)
    failed: dict[str, str] = {}
    entering = Lock()

    def play_one(plan: Planned) -> None:
        if plan.entry.policy in failed:
            return
        try:
            with blamed():
                _play(plan, run, store, speech, probe, goes_on, make, client)
        except PolicyError as fault:
            failed.setdefault(plan.entry.policy, f"{plan.entry.game}: {fault}")
            return
        with entering:
            done.append(plan.entry)
            write_index(run, done)
            if progress:
                progress(len(done), len(done) + sum(one.entry not in done for one in todo))

    at_once = jobs or (MODEL_GAMES if any(is_model(plan.entry.policy) for plan in todo) else 1)
    try:
        play_many([partial(play_one, plan) for plan in todo], at_once)
    finally:
        store.close()
    return failed


def _way(plan: Planned, speech: str | None, probe: Any, goes_on: bool) -> str:
    """A digest of the script, wherever its file is, and of how it is played."""
    way = replace(plan.situation, source=""), _speech(plan, speech), probe, goes_on
    return hashlib.blake2b(repr(way).encode(), digest_size=8).hexdigest()


def _speech(plan: Planned, speech: str | None) -> str:
    return speech or ("text" if is_model(plan.entry.policy) else "tokens")


def _play(
    plan: Planned,
    run: Path,
    store: BeliefStore,
    speech: str | None,
    probe: Any,
    goes_on: bool,
    make: Callable[[str], Any],
    client: Client | None,
) -> None:
    entry, situation = plan.entry, plan.situation
    folder = run / entry.game
    if (folder / FILE).exists():  # left by an attempt that did not get to its end
        shutil.rmtree(folder)
    model = is_model(entry.policy)
    policies = {
        name: policy_for(entry.policy, entry.game, client) if model else make(entry.policy) for name in situation.tested
    }
    labels = dict.fromkeys(situation.tested, entry.policy)
    if goes_on:
        others = [name for name in situation.names if name not in policies]
        policies |= {name: make_policy("scripted") for name in others}
        labels |= dict.fromkeys(others, "scripted")
    perform(
        situation,
        policies,
        entry.seed,
        folder=folder,
        speech=_speech(plan, speech),
        probe=probe,
        store=store,
        game_id=entry.game,
        goes_on=goes_on,
        labels=labels,
    )


def checked_policies(names: Sequence[str]) -> list[str]:
    """The policies, none twice; an unknown one is better found before the first game."""
    for name in names:
        if name.partition(":")[0] == "human":
            raise ConfigError("policy='human': situations are played without people")
        make_policy(name)
    return list(dict.fromkeys(names))


__all__ = ["Planned", "checked_policies", "found", "planned", "play_situations"]
