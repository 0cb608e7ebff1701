"""Asks policies what they believe, all at once, and keeps what they say: rows for the store, calls beside others."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from quack_agents.probe.config import FIRST, SECOND, ProbeConfig
from quack_agents.probe.inquiry import Estimate, Inquiry, inquiries
from quack_env.beliefs import Answer, Belief, BeliefStore
from quack_env.info import Info
from quack_env.state import DISCUSSION, PHASES
from quack_env.view import View
from quack_env.yaml_file import one_line, shown


@dataclass(frozen=True, eq=False)
class Observer:
    """One agent to be asked now: its policy, what it knows, and what for."""

    policy: Any
    info: Info
    triggers: tuple[str, ...]
    event_index: int
    moment: str | None = None


Asked = tuple[Observer, Estimate]
_KEEPING = threading.Lock()
"""Voters who are probed at once write to one recording."""


class Asking:
    """Takes snapshots in one game and keeps them.

    Args:
        config: how to probe.
        store: where beliefs go; None keeps them in memory alone.
        game_id: what the store calls the game.
        recorder: of the game; None where it is not recorded.
    """

    def __init__(self, config: ProbeConfig, store: BeliefStore | None, game_id: str, recorder: Any) -> None:
        self.config = config
        self.store = store
        self.game_id = game_id
        self.recorder = recorder
        self.beliefs: list[Belief] = []
        self.answers: list[Answer] = []

    def take(self, observers: Iterable[Observer]) -> Coroutine[Any, Any, None] | None:
        """Ask these observers: those without words at once; what is to be awaited for the others, if there are any."""
        asked: list[Asked] = []
        waits: dict[int, Coroutine[Any, Any, Estimate]] = {}
        for observer in observers:
            in_words = hasattr(observer.policy, "abeliefs")
            for inquiry in inquiries(self.config, observer.info["briefing"], observer.info["view"]):
                if in_words:
                    waits[len(asked)] = observer.policy.abeliefs(observer.info, inquiry)
                    asked.append((observer, Estimate(inquiry)))
                elif inquiry.kind == FIRST:
                    asked.append((observer, looked_up(observer, inquiry)))
        if waits:
            return self._awaited(asked, waits)
        self._keep(asked)
        return None

    async def _awaited(self, asked: list[Asked], waits: dict[int, Coroutine[Any, Any, Estimate]]) -> None:
        """All that are asked in words, at once."""
        for place, estimate in zip(waits, await asyncio.gather(*waits.values()), strict=True):
            asked[place] = asked[place][0], estimate
        if self.config.mode == "inline":
            for observer in dict.fromkeys(asked[place][0] for place in waits):
                observer.policy.remember(observer.info, [e for o, e in asked if o is observer and not e.inquiry.repeat])
        await asyncio.to_thread(self._keep, asked)  # a store that waits for another writer holds up no model call

    def _keep(self, asked: list[Asked]) -> None:
        """Calls first, so that every reference in the store leads somewhere."""
        with _KEEPING:
            self._keep_in_turn(asked)

    def _keep_in_turn(self, asked: list[Asked]) -> None:
        beliefs: list[Belief] = []
        answers: list[Answer] = []
        for observer, estimate in asked:
            where = self._where(observer, estimate)
            if estimate.inquiry.kind in (FIRST, SECOND):
                beliefs += _beliefs(where, observer, estimate)
            else:
                answers += _answers(where, observer, estimate)
        if self.store is not None and (beliefs or answers):
            self.store.add(beliefs, answers)
        self.beliefs += beliefs
        self.answers += answers

    def _where(self, observer: Observer, estimate: Estimate) -> dict[str, Any]:
        """The fields that all rows of one estimate share."""
        view: View = observer.info["view"]
        paths = len(estimate.inquiry.paths)
        cost = estimate.cost
        return {
            "game_id": self.game_id,
            "tick": view.tick,
            "round": view.round if view.phase == DISCUSSION else None,
            "phase": PHASES[view.phase],
            "trigger": "+".join(observer.triggers),
            "event_index": observer.event_index,
            "observer": observer.info["briefing"].agents[view.me],
            "latency_ms": estimate.latency_ms,
            "cost_usd": None if cost is None else cost / paths,
            "context_ref": self._noted(observer, estimate),
            "meeting": view.meeting - 1 if view.meeting else None,
            "moment": observer.moment,
            "repeat": estimate.inquiry.repeat,
        }

    def _noted(self, observer: Observer, estimate: Estimate) -> str | None:
        """Where the record of the last call stands."""
        if not estimate.calls or self.recorder is None:
            return None
        probe = {"trigger": "+".join(observer.triggers), "event_index": observer.event_index, "moment": observer.moment}
        records = [call | {"probe": call["probe"] | probe} for call in estimate.calls]
        reference: str | None = self.recorder.probes(records, estimate.images)
        return reference


def looked_up(observer: Observer, inquiry: Inquiry) -> Estimate:
    """The answer of a policy without words: its `beliefs`, of this moment where it takes an `info`.

    Whatever it states, or fails with, ends no game: what is no belief is a stored failure.
    """
    estimate = Estimate(inquiry)
    agents = observer.info["briefing"].agents
    try:
        believed = stated(observer.policy, observer.info)
    except Exception as fault:
        estimate.fail(f"error: beliefs() raised {one_line(f'{type(fault).__name__}: {fault}')}")
        return estimate
    if not isinstance(believed, Mapping):
        estimate.fail(f"range: beliefs() must give a mapping of agents to probabilities, not {shown(believed)}")
        return estimate
    unknown = next((key for key in believed if key not in agents), None)
    for path in inquiry.paths:
        p = believed.get(agents[path[0]])
        if p is None and unknown is not None:
            estimate.failures[path] = f"range: beliefs() has {shown(unknown)}, which is no agent as {agents[path[0]]}"
        elif p is None:
            estimate.failures[path] = "no_opinion: the policy states no belief about this player"
        elif isinstance(p, bool) or not isinstance(p, Real) or not 0.0 <= float(p) <= 1.0:
            stating = getattr(observer.policy.beliefs, "__self__", observer.policy)  # it may be inside another policy
            who = f"{type(stating).__name__}.beliefs() states {shown(p)} for {agents[path[0]]}"
            estimate.failures[path] = f"range: {who}; must be a number from 0 to 1"
        else:
            estimate.values[path] = 1.0 - float(p), float(p)
    return estimate


def stated(policy: Any, info: Info) -> Any:
    """What a policy's `beliefs` says; {} where it has none, or says nothing."""
    beliefs = getattr(policy, "beliefs", None)
    if beliefs is None:
        return {}
    try:
        inspect.signature(beliefs).bind(info)
    except TypeError:
        found = beliefs()
    else:
        found = beliefs(info)
    return {} if found is None else found


def _beliefs(where: dict[str, Any], observer: Observer, estimate: Estimate) -> list[Belief]:
    agents = observer.info["briefing"].agents
    rows = []
    for path in estimate.inquiry.paths:
        goose, duck = estimate.values.get(path, (None, None))
        rows.append(
            Belief(
                **where,
                target=agents[path[0]],
                order=len(path),
                about=agents[path[1]] if len(path) == 2 else None,
                p_goose=goose,
                p_duck=duck,
                parsed_ok=path in estimate.values,
                repaired=path in estimate.repaired,
                rationale=estimate.rationales.get(path),
                failure=estimate.failures.get(path),
            )
        )
    return rows


def _answers(where: dict[str, Any], observer: Observer, estimate: Estimate) -> list[Answer]:
    agents, inquiry = observer.info["briefing"].agents, estimate.inquiry
    rows = []
    for path in inquiry.paths:
        shared = where | {"target": agents[path[0]], "question": inquiry.kind}
        failure = estimate.failures.get(path)
        if failure is not None:
            rows.append(Answer(**shared, answer="", p=None, parsed_ok=False, repaired=False, failure=failure))
            continue
        repaired = path in estimate.repaired
        shared["cost_usd"] = None if where["cost_usd"] is None else where["cost_usd"] / len(inquiry.answers)
        for answer, p in zip(inquiry.answers, estimate.values[path], strict=True):
            rows.append(Answer(**shared, answer=answer, p=p, parsed_ok=True, repaired=repaired))
    return rows
