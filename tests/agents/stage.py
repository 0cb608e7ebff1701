"""Scenes for scripted players: hall --1-- kitchen --3-- attic; hall --2-- cellar; the button is in the hall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.play import actions_of, arrange, house, seat_of

from quack_agents import ScriptedPolicy
from quack_agents.scripted.reason import Said
from quack_env.world import TEXT

Names = Mapping[int, str]


class Stage:
    """An environment on the house, with scripted players in some seats; whatever else the others do is given.

    Args:
        rooms: a room for every seat.
        players: persona by seat; each is asked whenever its seat is, from the first tick on.
        settings: of `arrange` (ducks, order, cooldown, tasks...), `speech`, or of the game.
    """

    def __init__(self, rooms: list[str], players: Names, speech: str = "tokens", **settings: Any) -> None:
        scene = {k: settings.pop(k) for k in list(settings) if k in arrange.__code__.co_varnames}
        config = {"n_players": len(rooms), "kill_cooldown": 0, **settings}
        self.env = house(speech=speech, **config)
        arrange(self.env, rooms, **scene)
        self.a = actions_of(self.env)
        self.policies = {seat: ScriptedPolicy(persona) for seat, persona in players.items()}
        for seat, policy in self.policies.items():
            policy.reset(self.env.infos[f"player_{seat}"], seed=seat)
        self.said: dict[tuple[int, int], Any] = {}
        """Statements by (round, seat)."""
        self.votes: dict[int, int] = {}

    @property
    def game(self) -> Any:
        return self.env.game

    def mind(self, seat: int) -> Any:
        return self.policies[seat]._mind

    def ask(self, seat: int) -> Any:
        """What a player decides now; the game does not go on."""
        assert self.env.agent_selection == f"player_{seat}"
        observation, _, _, _, info = self.env.last()
        return self.policies[seat](observation, info)

    def tick(self, **chosen: Any) -> dict[int, Any]:
        """Play a tick: actions of other seats as `p2="move(hall)"`, wait where not given; what the players did."""
        game, done = self.game, {}
        tick, phase = game.state.tick, game.phase
        while not game.over and (game.state.tick, game.phase) == (tick, phase):
            seat = seat_of(self.env.agent_selection)
            if f"p{seat}" in chosen:
                action = game.briefing.action(chosen[f"p{seat}"])
                if seat in self.policies:
                    self.ask(seat)  # it perceives, but does as it is told
            elif seat in self.policies:
                action = done[seat] = self.ask(seat)
            else:
                action = 0
            self.env.step(action)
        return done

    def meeting(self, **chosen: list[str]) -> None:
        """Play a discussion and the vote: others state `p2=["saw(Eve, hall)", ...]` by round, or nothing, and skip."""
        game = self.game
        while game.phase in ("discussion", "voting"):
            seat, number = seat_of(self.env.agent_selection), game.state.round
            voting = game.phase == "voting"
            lines = chosen.get(f"p{seat}", [])
            if seat in self.policies:
                action = self.ask(seat)
            elif voting:
                action = self.a.skip
            elif game.world.speech == TEXT:
                action = {"action": self.a.speak, "say": lines[number - 1] if number <= len(lines) else ""}
            else:
                action = game.briefing.action(lines[number - 1] if number <= len(lines) else "nothing()")
            if voting:
                self.votes[seat] = action - self.a.vote(0) if action != self.a.skip else -1
            else:
                self.said[number, seat] = action if isinstance(action, dict) else game.briefing.action_names[action]
            self.env.step(action)

    def name(self, seat: int) -> str:
        return str(self.game.briefing.names[seat])

    def words(self, action: int) -> str:
        return str(self.game.briefing.action_names[action])

    def heard(self, seat: int) -> list[Said]:
        return list(self.mind(seat).heard)
