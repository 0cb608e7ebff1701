"""The Bayesian observer: how likely each player is a Duck, given precisely what one agent perceived.

Roles are enumerated exactly: every set of m Ducks among n players. What is *hard* rules sets out: the own role and
that of partners, victims (Geese), roles shown at ejections, the game having gone on (Ducks alive, and fewer than
Geese), a kill that was seen, and for every known kill that one of its Ducks can have been there. What is *soft* weighs
the sets that are left, by a stated model of behaviour (`Behaviour`). Where players can have been comes from the
factorised movement model of `quack_env.knowledge`: by player, not jointly.

What others say carries no weight unless `Behaviour.testimony` gives it some.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp
from typing import Any

from quack_env.info import Info
from quack_env.kinds import SUSPECT
from quack_env.knowledge import NOWHERE, Leg, Memory, Picture
from quack_env.policies import Policy
from quack_env.view import View
from quack_env.world import World

Assignment = frozenset[int]
"""One assignment of roles: its Ducks."""
Assignments = frozenset[Assignment]


def proven(consistent: Iterable[Assignment]) -> frozenset[int]:
    """Who is a Duck in every consistent assignment; nobody where there is none."""
    found = list(consistent)
    return frozenset.intersection(*found) if found else frozenset()


def suspects(consistent: Iterable[Assignment]) -> frozenset[int]:
    """Who is a Duck in some consistent assignment."""
    return frozenset().union(*consistent)


def seats_of(mask: int) -> list[int]:
    """The seats of a bit mask, in order."""
    return [seat for seat in range(mask.bit_length()) if mask >> seat & 1]


def opportunity(picture: Picture, victim: int) -> list[float]:
    """`Picture.opportunity`, from the time on at which the victim was last seen alive."""
    return picture.opportunity(victim, first=picture.last_alive(victim))


# --- hard evidence ---------------------------------------------------------------------------------------------------


class Deduction:
    """Which assignments of roles the perceptions of some agents allow.

    Args:
        world: the game's public numbers.
        legs: by reporter, what it perceived in each leg so far (None for a leg it has no record of).
        kills: by leg, the victims known by then.
        living: who is alive, as far as is known.
        revealed: who was shown to be a Duck (or, with False, not to be one) when ejected.
        before: who was alive at earlier moments after which the game went on.
        killers: who was seen killing.
    """

    def __init__(
        self,
        world: World,
        legs: Mapping[int, Sequence[Leg | None]],
        kills: Sequence[Iterable[int]],
        living: Iterable[int],
        revealed: Mapping[int, bool] | None = None,
        before: Iterable[Iterable[int]] = (),
        killers: Iterable[int] = (),
    ) -> None:
        self.world = world
        self.legs = legs
        self.kills = [tuple(victims) for victims in kills]
        self.stages = {frozenset(living), *(frozenset(alive) for alive in before)}
        self.victims = frozenset(victim for victims in self.kills for victim in victims)
        self.shown_ducks = frozenset(seat for seat, duck in (revealed or {}).items() if duck) | frozenset(killers)
        self.shown_geese = frozenset(seat for seat, duck in (revealed or {}).items() if not duck)
        self._opportunities: dict[tuple[int, int, frozenset[int]], Sequence[float]] = {}

    def consistent(self, reporters: Iterable[int], trusted: int | None = None) -> Assignments:
        """The assignments that the reports allow.

        Args:
            reporters: whose reports there are. Under the hypothesis that one is a Duck, its report counts for nothing.
            trusted: who knows itself to be a Goose.
        """
        told = frozenset(reporters)
        geese = self.victims | self.shown_geese | ({trusted} if trusted is not None else set())
        free = [seat for seat in range(self.world.n) if seat not in geese]
        found = (frozenset(ducks) for ducks in combinations(free, self.world.m))
        return frozenset(ducks for ducks in found if self._allowed(ducks, told - ducks))

    def _allowed(self, ducks: Assignment, reporters: frozenset[int]) -> bool:
        """Whether the game can have come this far with these Ducks, by the reports of the others."""
        return (
            ducks >= self.shown_ducks
            and all(0 < 2 * len(ducks & living) < len(living) for living in self.stages)  # else it would be over
            and all(
                any(self.opportunity(leg, victim, reporters)[duck] for duck in ducks)
                for leg, victims in enumerate(self.kills)
                for victim in victims
            )
        )

    def opportunity(self, leg: int, victim: int, reporters: frozenset[int]) -> Sequence[float]:
        """`opportunity` by some reports; alike for everybody where there are none of that leg."""
        key = leg, victim, reporters
        known = self._opportunities.get(key)
        if known is None:
            records = [record for seat in sorted(reporters) if (record := self._record(seat, leg)) is not None]
            known = opportunity(Picture(self.world, records), victim) if records else [1.0] * self.world.n
            self._opportunities[key] = known
        return known

    def know(self, leg: int, victim: int, reporter: int, chances: Sequence[float]) -> None:
        """Take an opportunity by one reporter that has been worked out already."""
        self._opportunities[leg, victim, frozenset({reporter})] = chances

    def _record(self, seat: int, leg: int) -> Leg | None:
        records = self.legs.get(seat, ())
        return records[leg] if leg < len(records) else None


# --- soft evidence ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Behaviour:
    """The assumptions about behaviour. Each is a factor of an assignment's weight; `HARD` makes none."""

    sharpness: float = 1.0
    """A kill weighs by the sum, over the Ducks, of their opportunity to this power: an opportunity is the number of
    ticks at which the Duck can have been with the victim, each weighted by the share of the rooms where the Duck can
    have been in which the victim can have died (`Picture.opportunity`). 0: who can have killed is as likely as another.
    """
    sparing: float = 0.9
    """The chance that a Duck which is alone with the observer, its first cooldown over, lets a tick pass without
    killing it: a factor for every such tick and Duck."""
    lingering: float = 4.0
    """How much likelier a Duck is than a Goose to stand by a body that it has not reported when the observer comes in:
    a factor for every such sight and Duck."""
    testimony: float = 0.0
    """Log odds that an accusation by a Goose adds to a Duck being its target: a factor for every other speaker and
    target of the statements of the finite grammar. 0: what others say carries no weight."""


HARD = Behaviour(sharpness=0.0, sparing=1.0, lingering=1.0)
"""No assumptions: every assignment that can be is equally likely."""


@dataclass(frozen=True)
class Posterior:
    """The probability of every assignment of roles that can be; they sum to 1, or there are none."""

    weights: Mapping[Assignment, float]

    def duck(self, seat: int) -> float:
        """The probability that a seat is a Duck: exactly 0 or 1 where it cannot be otherwise."""
        if seat in proven(self.weights):
            return 1.0
        return min(1.0, sum((weight for ducks, weight in self.weights.items() if seat in ducks), 0.0))


class Observer:
    """One agent's posterior, as the game goes on. Feed `see` with the views it decides on, or share its `Memory`.

    Args:
        memory: what the agent perceived; may be fed by somebody else.
        view: any view of the game: it says which role the agent has, and who its partners are.
        behaviour: the soft assumptions.
    """

    def __init__(self, memory: Memory, view: View, behaviour: Behaviour | None = None) -> None:
        self.memory = memory
        self.behaviour = behaviour or Behaviour()
        self.ducks: Assignment | None = frozenset(seats_of(1 << view.me | view.partners)) if view.duck else None
        """All Ducks, where the agent is one of them; else None."""
        self._seen = view
        self._over: dict[int, _Clues] = {}

    def see(self, view: View) -> None:
        """Take in what the agent knows at a decision."""
        self.memory.see(view)
        self._seen = view

    def posterior(self, view: View | None = None) -> Posterior:
        """What follows from everything perceived so far.

        Args:
            view: the agent's view at a later moment than its last decision; it counts too, and is not remembered.
        """
        if self.ducks is not None:
            return Posterior({self.ducks: 1.0})
        now = self._seen if view is None else view
        memory = self.memory if now is self._seen else self.memory.glance(now)
        clues = [self._of_past(number, leg) for number, leg in enumerate(memory.legs)]
        clues.append(_Clues(memory, memory.leg))
        revealed = dict.fromkeys(seats_of(now.revealed_ducks), True) | dict.fromkeys(
            seats_of(now.revealed_geese), False
        )
        allowed = self._deduction(memory, clues, revealed).consistent([memory.me], memory.me)
        weights = {ducks: self._weight(memory, clues, ducks) for ducks in allowed}
        total = sum(weights.values())
        return Posterior({ducks: weight / total for ducks, weight in weights.items()} if total else {})

    def beliefs(self, view: View | None = None) -> dict[int, float]:
        """The probability of being a Duck for every other seat that the agent does not know to be dead."""
        posterior = self.posterior(view)
        now = self._seen if view is None else view
        others = seats_of(self.memory.world.everyone & ~(now.known_dead | 1 << now.me))
        return {seat: posterior.duck(seat) for seat in others} if posterior.weights else {}

    def _of_past(self, number: int, leg: Leg) -> _Clues:
        """What a leg that is over says; it will say no more."""
        if number not in self._over:
            self._over[number] = _Clues(self.memory, leg)
        return self._over[number]

    def _deduction(self, memory: Memory, clues: Sequence[_Clues], revealed: Mapping[int, bool]) -> Deduction:
        legs = [*memory.legs, memory.leg]
        ongoing = memory.world.late_ending and not memory.leg.called  # a kill that decides the game may just have been
        living = memory.leg.players & (~0 if ongoing else ~memory.leg.dead)
        before = [mask for leg in legs for mask in (leg.players, leg.players & ~leg.dead)][:-1]
        found = Deduction(
            memory.world,
            {memory.me: legs},
            [clue.victims for clue in clues],
            seats_of(living),
            revealed,
            [seats_of(mask) for mask in before],
            seats_of(memory.killers),
        )
        for number, clue in enumerate(clues):
            for victim, chances in clue.victims.items():
                found.know(number, victim, memory.me, chances)
        return found

    def _weight(self, memory: Memory, clues: Sequence[_Clues], ducks: Assignment) -> float:
        """How well an assignment explains what was perceived."""
        assumed = self.behaviour
        weight = 1.0
        for clue in clues:
            for chances in clue.victims.values():
                weight *= sum(chances[duck] ** assumed.sharpness for duck in ducks if chances[duck])
            weight *= assumed.sparing ** sum(clue.alone[duck] for duck in ducks)
            weight *= assumed.lingering ** sum(clue.lingered[duck] for duck in ducks)
        if assumed.testimony:
            said = {(s.speaker, s.target) for s in memory.statements if s.kind == SUSPECT and s.speaker != memory.me}
            weight *= exp(assumed.testimony * sum(speaker not in ducks and who in ducks for speaker, who in said))
        return weight


class _Clues:
    """What one leg says about who is a Duck.

    ``victims``: for each known victim, everybody's opportunity. ``alone``: by seat, the ticks at which it was alone
    with the observer and can have killed it. ``lingered``: by seat, how often it stood by an unreported body.
    """

    def __init__(self, memory: Memory, leg: Leg) -> None:
        world = memory.world
        picture = Picture(world, [leg])
        self.victims = {victim: opportunity(picture, victim) for victim in seats_of(leg.dead & ~memory.ejected)}
        self.alone = [0] * world.n
        self.lingered = [0] * world.n
        for tick, (room, here) in enumerate(zip(leg.clear, leg.here, strict=True), leg.first):
            alone = room != NOWHERE and here and not here & (here - 1)
            if alone and world.kill_cooldown < tick < leg.last:  # the latest tick may not have passed
                self.alone[here.bit_length() - 1] += 1
        for body in leg.bodies:
            for seat in self._standing_by(leg, body.victim):
                self.lingered[seat] += 1

    def _standing_by(self, leg: Leg, victim: int) -> list[int]:
        """Who was with a body before the observer came in."""
        body = leg.body(victim)
        assert body is not None
        t = body.seen - leg.first
        if body.near >= 0 or leg.clear[t] != body.room:
            return []
        came = sum(1 << m.who for m in leg.moves if m.tick == body.seen and m.arrived and m.to == body.room)
        return seats_of(leg.seen[t] & ~came & ~(1 << victim) & ~leg.dead)


# --- as beliefs of a policy ------------------------------------------------------------------------------------------


class Observing:
    """A policy whose `beliefs` are those of the Bayesian observer in its seat; it plays as it did.

    Args:
        policy: any policy.
        behaviour: the soft assumptions.
    """

    def __init__(self, policy: Policy, behaviour: Behaviour | None = None) -> None:
        self.policy = policy
        self.behaviour = behaviour
        self._observer: Observer | None = None
        self._agents: tuple[str, ...] = ()

    def reset(self, info: Info, seed: int) -> None:
        """Begin a game."""
        view: View = info["view"]
        self._agents = info["briefing"].agents
        self._observer = Observer(Memory(info["briefing"].world, view.me), view, self.behaviour)
        if hasattr(self.policy, "reset"):
            self.policy.reset(info, seed=seed)

    def __call__(self, observation: Any, info: Info) -> Any:
        """What the policy does; without a `reset` before its first decision, it is reset with the seed 0."""
        view: View = info["view"]
        if self._observer is None:
            self.reset(info, 0)
            assert self._observer is not None
        if view.asked:
            self._observer.see(view)
        return self.policy(observation, info)

    def beliefs(self, info: Info | None = None) -> dict[str, float]:
        """The probability of being a Duck for every other agent not known to be dead; {} before a game.

        With ``info`` at that moment, else as of its last decision.
        """
        if self._observer is None:
            return {}
        believed = self._observer.beliefs(None if info is None else info["view"])
        return {self._agents[seat]: p for seat, p in believed.items()}


__all__ = ["HARD", "Behaviour", "Deduction", "Observer", "Observing", "Posterior", "proven", "seats_of", "suspects"]
