"""Playing games with networks, and what is learnt from them: decisions by seat with their advantages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from selfplay.tables import LEARNER, Asked, Tables


class Experience(NamedTuple):
    """The learner's decisions, ordered by seat and time; one row each."""

    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]
    log_probs: NDArray[np.float32]
    rewards: NDArray[np.float32]
    """Of the game, in the last decision of a seat; else 0."""
    last: NDArray[np.bool_]
    """Whether it is the last decision of its seat in its game."""


@dataclass
class Clock:
    """Seconds spent in games (scripted players included) and in choosing; actions chosen, and how many were illegal."""

    games: float = 0.0
    networks: float = 0.0
    chosen: int = 0
    illegal: int = 0


def decide(
    policy: Any, observations: NDArray[np.float32], masks: NDArray[np.bool_], greedy: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """Actions, their log-probabilities and the values; a policy of MaskablePPO with an MLP."""
    with torch.no_grad():
        seen = torch.from_numpy(observations)
        hidden, judged = policy.mlp_extractor(seen)
        logits = policy.action_net(hidden).masked_fill(~torch.from_numpy(masks), -1e8)
        log_probs = torch.log_softmax(logits, -1)
        noise = 0 if greedy else -torch.empty_like(log_probs).exponential_().log()
        actions = (log_probs + noise).argmax(-1)
        chosen = log_probs.gather(1, actions[:, None]).squeeze(1)
        return actions.numpy(), chosen.numpy(), policy.value_net(judged).squeeze(1).numpy()


Kept = tuple[Any, ...]
"""Of some decisions: observations, masks, actions, values, log-probabilities; tables, game and seat they belong to."""


def play(tables: Sequence[Tables], policies: Sequence[Any], clock: Clock, greedy: bool = False) -> Experience | None:
    """Play games that have been dealt to their ends, policy k in the seats of owner k; what the learner decided."""
    kept: list[Kept] = []
    start = time.perf_counter()
    while asked := [(t, a) for t, games in enumerate(tables) if (a := games.asked()) is not None]:
        middle = time.perf_counter()
        actions = choose(tables, asked, policies, kept, greedy)
        masks = np.concatenate([a.masks for _, a in asked])
        clock.chosen += len(actions)
        clock.illegal += int((~masks[np.arange(len(actions)), actions]).sum())
        end = time.perf_counter()
        clock.games += middle - start
        clock.networks += end - middle
        start = end
        first = 0
        for t, a in asked:
            tables[t].step(actions[first : first + len(a.game)])
            first += len(a.game)
    clock.games += time.perf_counter() - start
    return chained(tables, kept) if kept else None


def choose(
    tables: Sequence[Tables],
    asked: Sequence[tuple[int, Asked]],
    policies: Sequence[Any],
    kept: list[Kept],
    greedy: bool,
) -> NDArray[np.int64]:
    """The actions of all rows, each of its owner; the learner's decisions are kept."""
    observations = np.concatenate([a.observations for _, a in asked])
    masks = np.concatenate([a.masks for _, a in asked])
    owner = np.concatenate([tables[t].owners[a.game, a.seat] for t, a in asked])
    where = np.concatenate([np.full(len(a.game), t) for t, a in asked])
    game = np.concatenate([a.game for _, a in asked])
    seat = np.concatenate([a.seat for _, a in asked])
    actions = np.zeros(len(owner), np.int64)
    for k in np.unique(owner):
        rows = np.flatnonzero(owner == k)
        seen, legal = observations[rows], masks[rows]
        actions[rows], log_probs, values = decide(policies[k], seen, legal, greedy)
        if k == LEARNER:
            kept.append((seen, legal, actions[rows], values, log_probs, where[rows], game[rows], seat[rows]))
    return actions


def chained(tables: Sequence[Tables], kept: Sequence[Kept]) -> Experience:
    """What was kept, ordered by seat, with the reward of each game where its seat decided last."""
    observations, masks, actions, values, log_probs, where, game, seat = (
        np.concatenate(column) for column in zip(*kept, strict=True)
    )
    order = np.lexsort((seat, game, where))  # stable: decisions of a seat stay in time
    where, game, seat = where[order], game[order], seat[order]
    last = np.ones(len(order), np.bool_)
    last[:-1] = (np.diff(where) != 0) | (np.diff(game) != 0) | (np.diff(seat) != 0)
    rewards = np.zeros(len(order), np.float32)
    for t, games in enumerate(tables):
        ends = last & (where == t)
        rewards[ends] = games.rewards[game[ends], seat[ends]]
    return Experience(observations[order], masks[order], actions[order], values[order], log_probs[order], rewards, last)


def advantages(
    values: NDArray[np.float32], rewards: NDArray[np.float32], last: NDArray[np.bool_], gamma: float, lam: float
) -> NDArray[np.float32]:
    """Generalised advantage estimates along each seat's decisions."""
    out = np.zeros_like(values)
    ahead = following = 0.0
    for row in range(len(values) - 1, -1, -1):
        if last[row]:
            ahead = following = 0.0
        ahead = rewards[row] + gamma * following - values[row] + gamma * lam * ahead
        out[row] = ahead
        following = float(values[row])
    return out
