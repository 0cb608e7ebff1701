"""Players that follow a script: a Goose that reasons and tells the truth, a Duck that hides and lies."""

from __future__ import annotations

from typing import Any

from quack_agents.base import Action, Agent
from quack_agents.phrases import LIMIT, Claim, Say, phrase
from quack_agents.scripted.duck import Duck
from quack_agents.scripted.goose import Goose
from quack_agents.scripted.mind import Mind
from quack_agents.scripted.persona import PERSONAS, Persona, named
from quack_env.info import Info
from quack_env.view import View

__all__ = ["PERSONAS", "Persona", "ScriptedPolicy"]


class ScriptedPolicy(Agent):
    """Plays the Goose or the Duck, whichever it is dealt, with the temperament of its persona.

    Called without a `reset` at the start of a game, it resets itself with the seed 0.

    Args:
        persona: "default", "aggressive" or "cautious".

    Raises:
        ConfigError: for another persona.
    """

    def __init__(self, persona: str = "default") -> None:
        self.persona = named(persona)
        self.last_claims: list[Claim] = []
        """The claims of its last speech with text, in the format of annotation.md."""
        self._mind: Mind | None = None
        self._tick = 0

    def reset(self, info: Info, seed: int) -> None:
        """Begin a game in the role and seat of ``info``."""
        view: View = info["view"]
        kind = Duck if view.duck else Goose
        self._mind = kind(self.persona, info["briefing"], view, seed)
        self._tick = view.tick
        self.last_claims = []

    def __call__(self, observation: Any, info: Info) -> Action:
        """A legal action; with speech "text" its words in a discussion."""
        view: View = info["view"]
        mind = self._mind
        if mind is None or self._is_another_game(view, info):
            self.reset(info, 0)
            mind = self._mind
            assert mind is not None
        self._tick = view.tick
        if not view.asked:
            return 0
        return self._put(mind, mind.decide(view, info["action_mask"]), view)

    def _put(self, mind: Mind, done: int | list[Say], view: View) -> Action:
        """The decision as an action, in words where words are due."""
        if isinstance(done, int):
            return done
        limit = min(LIMIT, mind.briefing.config.max_say)
        spoken = phrase(done, mind.rng, mind.briefing.names[mind.me], (mind.memory.leg.first, view.tick), limit)
        self.last_claims = spoken.claims
        return {"action": mind.world.act_speak, "say": spoken.text}

    def watch(self, observation: Any, info: Info, action: Action) -> None:
        """Take in a decision that was made for it (see `quack_agents.guided`); draws go on as if it had been asked."""
        view: View = info["view"]
        if self._mind is None:
            self.reset(info, 0)
        mind = self._mind
        assert mind is not None
        self._tick = view.tick
        mind.memory.see(view)
        mind.perceive(view)
        deeds = mind.deeds()
        if self._put(mind, mind.choose(view, info["action_mask"]), view) != action:
            number, say = (action["action"], action.get("say")) if isinstance(action, dict) else (action, None)
            mind.amend(deeds, view, int(number), say)

    def _is_another_game(self, view: View, info: Info) -> bool:
        """Whether the game that it was reset for is over, and nobody said so."""
        mind = self._mind
        return mind is not None and (
            view.tick < self._tick or view.me != mind.me or info["briefing"].names != mind.briefing.names
        )

    def beliefs(self, info: Info | None = None) -> dict[str, float]:
        """The probability of being a Duck for every other agent not known to be dead; {} before a game.

        With ``info`` at that moment, else as of its last decision.
        """
        mind = self._mind
        if mind is None:
            return {}
        if info is not None:
            mind = mind.glance(info["view"])
        gone = mind.memory.dead | mind.bit
        believed = mind.beliefs()
        return {agent: believed[j] for j, agent in enumerate(mind.briefing.agents) if not gone >> j & 1}
