"""How likely each other player is a Duck: by who could have killed, by words that cannot be true, by others' words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import NamedTuple

from quack_agents.scripted.persona import Persona
from quack_env.kinds import STATEMENTS
from quack_env.knowledge import NOWHERE, Heard, Leg, Memory, Picture

SHARED = 0.35
"""Doubt at least, where another Duck may have been the killer."""
CAUGHT = 5.0
"""Log odds for having been alone with the victim and the observer at the kill."""
STOOD_BY = 2.5
"""Log odds for standing by a body when the observer came in: a Goose would have reported it."""
LIED = 2.5
"""Log odds for words that cannot be true."""
BLAMED_ME = 0.6
"""Log odds for calling the observer, who is innocent, suspicious."""
CALLED = 1.0
"""Log odds that another's accusation adds, times the trust in it."""
PLACED = 1.6
"""Log odds for having been seen at the scene, by another's word, times the trust in it."""
CLEARED = 0.6
"""Log odds that another's defence takes off, times the trust in it."""
FADES = 0.8
"""What is left of the log odds of one leg in the next."""


class Said(NamedTuple):
    """One thing somebody said in a meeting, by numbers; kinds as in `phrases.Say`, -1 and None for "not said"."""

    speaker: int
    kind: str
    target: int = -1
    room: int = -1
    to: int = -1
    route: tuple[int, ...] = ()
    first: int | None = None
    last: int | None = None


def from_token(heard: Heard) -> Said:
    """A statement of the finite grammar in the form that reasoning takes."""
    return Said(heard.speaker, STATEMENTS[heard.kind], heard.target, heard.room)


class Suspicion:
    """Beliefs of one observer, from its memory and what was said.

    ``probability[j]``: that seat j is a Duck, 0 for the observer and for proven Geese.
    """

    def __init__(self, memory: Memory, persona: Persona, innocent: int) -> None:
        self.memory = memory
        self.persona = persona
        self.innocent = innocent
        """Seats that are no suspects: the observer, and whom it knows."""
        self.n = memory.world.n
        self.m = memory.world.m
        self.carried = [0.0] * self.n
        """Log odds of the legs before."""
        self.score = self.carried
        self.geese = self.ducks = 0
        """Seats whose role an ejection has shown (config reveal_role)."""
        self._leg: Leg | None = None
        self.probability = self._normalised(self.carried)

    # --- from one meeting to the next --------------------------------------------------------------------------------

    def open(self) -> None:
        """A meeting begins, or a body was seen: picture the leg anew."""
        self._leg = self.memory.leg
        self.picture = Picture(self.memory.world, [self._leg])
        self._opportunities: dict[tuple[int, int], list[float]] = {}

    def close(self, said: Iterable[Said]) -> None:
        """The meeting is over: keep what was concluded, and look at those who spoke against an innocent."""
        if self._leg is None:
            return
        score = [FADES * s for s in self.score]
        proven = self.memory.ejected if self.m == 1 else self.geese
        for speaker in {s.speaker for s in said if s.kind == "suspect" and s.target >= 0 and proven >> s.target & 1}:
            score[speaker] += 0.5 * BLAMED_ME
        self.carried = self.score = score
        self._leg = None
        self.probability = self._normalised(score)

    # --- what the evidence says --------------------------------------------------------------------------------------

    def assess(self, said: Sequence[Said]) -> None:
        """Weigh the leg and everything said in its meeting."""
        if self._leg is not self.memory.leg or self.picture.last != self.memory.leg.last:
            self.open()
        self.lies = [s for s in said if not self.possible(s)]
        score = self.carried[:]
        scenes = self.scenes(said)
        for victim in self.victims():
            self._weigh_kill(score, victim, scenes.get(victim, NOWHERE))
        self._weigh_company(score)
        for liar in {s.speaker for s in self.lies}:
            score[liar] += LIED
        before = self._normalised(score)
        self._weigh_words(score, before, said, scenes)
        self.score = score
        self.probability = self._normalised(score)

    def victims(self) -> list[int]:
        """Who is known to have been killed in this leg."""
        dead = self.memory.leg.dead
        return [j for j in range(self.n) if dead >> j & 1]

    def scenes(self, said: Sequence[Said]) -> dict[int, int]:
        """Where each victim lay: by own eyes, else by the first word about it that can be true."""
        scenes = {body.victim: body.room for body in self.memory.leg.bodies}
        dead = self.memory.leg.dead
        for s in said:
            if s.kind in ("saw", "found") and s.target >= 0 and dead >> s.target & 1 and s not in self.lies:
                scenes.setdefault(s.target, s.room)
        return scenes

    def opportunity(self, victim: int, scene: int) -> list[float]:
        """`Picture.opportunity`, remembered for the meeting."""
        key = victim, scene
        if key not in self._opportunities:
            room = None if scene == NOWHERE else scene
            self._opportunities[key] = self.picture.opportunity(victim, room)
        return self._opportunities[key]

    def _weigh_kill(self, score: list[float], victim: int, scene: int) -> None:
        chances = self.opportunity(victim, scene)
        suspects = [j for j in range(self.n) if self.is_suspect(j) and not self.memory.dead >> j & 1]
        total = sum(chances[j] for j in suspects)
        doubt = self.persona.doubt if self.m == 1 else max(self.persona.doubt, SHARED)
        weighs = self.persona.weighs or self.m > 1  # who cannot have been one killer is not clear of being another
        body = self.memory.leg.body(victim)
        if body is not None and body.near >= 0:  # it was there
            able = [j for j in suspects if chances[j] > 0]
            if len(able) == 1:
                score[able[0]] += CAUGHT
            doubt = min(doubt, SHARED if self.m > 1 else 0.01)
        for j in suspects if total > 0 else ():
            share = chances[j] * len(suspects) / total if weighs else float(chances[j] > 0)
            score[j] += log(max(share, doubt))

    def _weigh_company(self, score: list[float]) -> None:
        """Those who stood by a body when the observer came in, and had not come with it."""
        leg = self.memory.leg
        for body in leg.bodies:
            t = body.seen - leg.first
            if body.near < 0 and leg.clear[t] == body.room:
                came = sum(1 << m.who for m in leg.moves if m.tick == body.seen and m.arrived and m.to == body.room)
                for j in range(self.n):
                    if leg.seen[t] & ~came & ~(1 << body.victim) & ~leg.dead & 1 << j:
                        score[j] += STOOD_BY

    def _weigh_words(
        self, score: list[float], before: list[float], said: Sequence[Said], scenes: dict[int, int]
    ) -> None:
        """What others say of others counts by how far they are believed; each once a speaker."""
        counted: set[tuple[int, str, int]] = set()
        places = set(scenes.values())
        for s in said:
            key = s.speaker, s.kind, s.target
            if s.target < 0 or s.speaker == self.memory.me or key in counted:
                continue
            counted.add(key)
            weight = self.persona.trust * (1 - before[s.speaker])
            if s.kind == "suspect":
                if self.innocent >> s.target & 1:
                    score[s.speaker] += BLAMED_ME
                else:
                    score[s.target] += CALLED * weight
            elif s.kind == "vouch":
                score[s.target] -= CLEARED * weight
            elif s.kind in ("saw", "left", "with") and s.room in places and s not in self.lies:
                score[s.target] += PLACED * weight

    # --- whether words can be true -----------------------------------------------------------------------------------

    def possible(self, s: Said) -> bool:
        """Whether what was said can be true, by what the observer perceived."""
        if s.kind in ("was_in", "did_task"):
            return self.picture.ever_in(s.speaker, s.room, s.first, s.last)
        if s.kind == "route":
            return all(self.picture.ever_in(s.speaker, room) for room in s.route)
        if s.kind in ("saw", "with", "left"):
            return self._possible_sighting(s, s.room)
        if s.kind == "entered":
            return self._possible_sighting(s, s.to)
        if s.kind == "found":
            return self.picture.ever_in(s.speaker, s.room, s.first, s.last)
        return True

    def _possible_sighting(self, s: Said, room: int) -> bool:
        """Whether the speaker can have seen its target in a room; who is seen sees the other."""
        me = self.memory.me
        if s.target == me:
            return any(place == room for place, _, _ in self.memory.leg.met(s.speaker))
        if not self.memory.leg.players >> s.target & 1:
            return False
        if self.memory.leg.dead >> s.target & 1:  # it may be the body
            return self.picture.ever_in(s.speaker, room, s.first, s.last)
        return self.picture.ever_together(s.speaker, s.target, room, s.first, s.last)

    # --- beliefs -----------------------------------------------------------------------------------------------------

    def is_suspect(self, j: int) -> bool:
        """Whether seat j may be a Duck."""
        clear = self.innocent | self.memory.killed | self.geese
        if self.m == 1:
            clear |= self.memory.ejected
        return not clear >> j & 1

    def top(self) -> tuple[int, float]:
        """(the living player most likely a Duck, how likely); (-1, 0.0) without suspects."""
        dead = self.memory.dead
        best = max((p, -j) for j, p in enumerate(self.probability) if not dead >> j & 1)
        return (-best[1], best[0]) if best[0] > 0 else (-1, 0.0)

    def refreshed(self) -> list[float]:
        """The probabilities, without those who have been proven Geese since the last meeting."""
        return self._normalised(self.score)

    def _normalised(self, score: Sequence[float]) -> list[float]:
        """Probabilities that sum to the number of Ducks, none above 1."""
        probability = [0.0] * self.n
        open_ = [j for j in range(self.n) if self.is_suspect(j)]
        left = float(self.m)
        for j in open_[:]:
            if (self.memory.killers | self.ducks) >> j & 1:
                probability[j] = 1.0
                open_.remove(j)
                left -= 1.0
        while open_ and left > 0:
            high = max(score[j] for j in open_)
            weights = {j: exp(max(score[j] - high, -30.0)) for j in open_}
            total = sum(weights.values())
            sure = [j for j in open_ if weights[j] * left >= total]
            if not sure or len(sure) == len(open_):
                for j in open_:
                    probability[j] = min(1.0, left * weights[j] / total)
                break
            for j in sure:
                probability[j] = 1.0
                open_.remove(j)
                left -= 1.0
        return probability
