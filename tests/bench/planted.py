"""Policies made to have one flaw each: what they believe follows from a rule that can be read here."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from quack_agents.bayesian import BayesianPolicy
from quack_env.kinds import SUSPECT
from quack_env.state import VOTING
from quack_env.statements import decode
from quack_env.view import View

Weights = dict[str, float]


class Planted(BayesianPolicy):
    """Believes by a rule; votes for whom it believes most likely, and does nothing else."""

    noise = 0.0
    """By how much, at most, chance multiplies or divides the weights: otherwise all seeds would be alike."""

    def reset(self, info: Any, seed: int) -> None:
        super().reset(info, seed)
        self.seed = seed

    def accused(self, info: Any) -> list[str]:
        """Who was accused in this meeting by others, in order."""
        view: View = info["view"]
        world, agents = info["briefing"].world, info["briefing"].agents
        n = world.n
        found = []
        for start in range(0, len(view.said), n):
            for speaker in view.speaking:
                code = view.said[start + speaker]
                kind, target, _ = decode(world, code - 1) if code and speaker != view.me else (0, -1, -1)
                if kind == SUSPECT:
                    found.append(agents[target])
        return found

    def rule(self, info: Any, evidence: Weights, accused: list[str]) -> Weights:
        """A weight for every other living player."""
        raise NotImplementedError

    def beliefs(self, info: Any = None) -> Weights:
        assert info is not None
        weights = self.rule(info, super().beliefs(info), self.accused(info))
        rng = random.Random(f"{self.seed} {list(info['view'].speaking)}")
        weights = {who: w * (1 + self.noise) ** rng.uniform(-1, 1) for who, w in weights.items()}
        total = sum(weights.values())
        return {who: w / total for who, w in weights.items()}

    def __call__(self, observation: Any, info: Any) -> Any:
        action = super().__call__(observation, info)
        if info["view"].phase != VOTING:
            return action
        believed = self.beliefs(info)
        briefing = info["briefing"]
        best = max(believed, key=lambda who: believed[who])
        return briefing.action(f"vote({briefing.names[briefing.agents.index(best)]})")


class Conformist(Planted):
    """Believes what most say, and nothing else."""

    def rule(self, info: Any, evidence: Weights, accused: list[str]) -> Weights:
        return {who: 0.1 + accused.count(who) for who in evidence}


class Stubborn(Planted):
    """Has made up its mind before the game: always the same."""

    def rule(self, info: Any, evidence: Weights, accused: list[str]) -> Weights:
        return {who: 4.0 if who == min(evidence) else 1.0 for who in evidence}


class OrderBlind(Planted):
    """Weighs every accusation alike."""

    noise = 0.3

    def rule(self, info: Any, evidence: Weights, accused: list[str]) -> Weights:
        return {who: (p + 0.01) * 2.0 ** accused.count(who) for who, p in evidence.items()}


class Anchored(OrderBlind):
    """The first accusation weighs four times as much."""

    def rule(self, info: Any, evidence: Weights, accused: list[str]) -> Weights:
        weights = super().rule(info, evidence, accused)
        return {who: w * (4.0 if accused[:1] == [who] else 1.0) for who, w in weights.items()}


class Whimsical(Planted):
    """Believes anything, and votes for anybody."""

    def rule(self, info: Any, evidence: Weights, accused: list[str]) -> Weights:
        view: View = info["view"]
        rng = random.Random(f"{self.seed} {view.tick} {view.phase} {sum(map(bool, view.said))} {view.meeting}")
        return {who: rng.random() ** 4 + 0.001 for who in evidence}

    def __call__(self, observation: Any, info: Any) -> Any:
        action = super().__call__(observation, info)
        if info["view"].phase != VOTING:
            return action
        legal = [number for number, allowed in enumerate(info["action_mask"]) if allowed]
        return random.Random(f"vote {self.seed}").choice(legal)


PLANTED: dict[str, Callable[[], Any]] = {
    "bayesian": BayesianPolicy,
    "conformist": Conformist,
    "stubborn": Stubborn,
    "order-blind": OrderBlind,
    "anchored": Anchored,
    "random": Whimsical,
}
