"""The warm start: a network learns to act as the scripted players do, before it learns to win."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import quack_env
from quack_agents import ScriptedPolicy
from quack_agents.adapters.relative import relative_actions
from quack_env.chance import policy_seed

Examples = tuple[NDArray[np.float16], NDArray[np.bool_], NDArray[np.int64], NDArray[np.float32]]
Progress = Callable[[int, int], None]


def examples(games: int, seed: int, progress: Progress, **options: Any) -> Examples:
    """Observations, masks, actions (in the words of the seat) and final rewards of all decisions of scripted games."""
    env = quack_env.raw_env(observation="vector", **options)
    table = relative_actions(env.game.world)
    back = np.argsort(table, axis=1)
    draws = np.random.default_rng([seed, 1])
    observations, masks, actions, rewards = [], [], [], []
    for k in range(games):
        progress(k, games)
        game_seed = int(draws.integers(1 << 62))
        env.reset(seed=game_seed)
        persona = ("default", "default", "aggressive", "cautious")[k % 4]
        players = [ScriptedPolicy(persona) for _ in env.possible_agents]
        for i, player in enumerate(players):
            player.reset(env.infos[env.possible_agents[i]], policy_seed(game_seed, i))
        seats = []
        while not env.game.over:
            i = env.game.state.current
            seen, _, _, _, info = env.last()
            action = players[i](None, info)
            observations.append(seen["observation"].astype(np.float16))
            masks.append(seen["action_mask"][table[i]] > 0)
            actions.append(back[i, action])
            seats.append(i)
            env.step(action)
        won = np.array(list(env.rewards.values()), np.float32)
        rewards.append(won[seats])
    return np.stack(observations), np.stack(masks), np.array(actions), np.concatenate(rewards)


def clone(policy: Any, data: Examples, epochs: int, batch: int, rate: float, progress: Progress) -> float:
    """Train actor and critic on the examples; the share of the last epoch's actions that it would have taken."""
    observations, masks, actions, rewards = data
    batch = min(batch, len(actions))
    optimizer = torch.optim.Adam(policy.parameters(), lr=rate)
    steps = epochs * (len(actions) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps + 1)
    done, same, seen = 0, 0, 0
    for _ in range(epochs):
        order = torch.randperm(len(actions)).numpy()
        same = seen = 0
        for first in range(0, len(order) - batch + 1, batch):
            rows = order[first : first + batch]
            hidden, judged = policy.mlp_extractor(torch.from_numpy(observations[rows].astype(np.float32)))
            logits = policy.action_net(hidden).masked_fill(~torch.from_numpy(masks[rows]), -1e8)
            wanted = torch.from_numpy(actions[rows])
            value = policy.value_net(judged).squeeze(1)
            loss = torch.nn.functional.cross_entropy(logits, wanted)
            loss = loss + 0.5 * torch.nn.functional.mse_loss(value, torch.from_numpy(rewards[rows]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            same += int((logits.argmax(-1) == wanted).sum())
            seen += len(rows)
            done += 1
            progress(done, steps)
    return same / max(seen, 1)
