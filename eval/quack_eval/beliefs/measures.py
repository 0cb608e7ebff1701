"""Every measure of one game's beliefs, by formula; each over nothing is undefined.

Notation: p is a stated probability that a target is a Duck, y is 1 where it is one, else 0; a *snapshot* is everything
an observer stated at one moment; a *step* is two consecutive beliefs of one observer about one target; the *top
suspect* of a snapshot is the target of the highest p (of several, the one that was the top suspect before; else
nobody).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import log, log2

from quack_env.beliefs import Belief
from quack_eval.beliefs.games import BeliefGame, Snapshot, Vote, p_duck
from quack_eval.beliefs.reference import observe
from quack_eval.metrics.measure import Measure, mean, ratio

FLOOR = 0.001
"""Probabilities closer to 0 or 1 count as this close, where a logarithm is taken."""
Reference = Mapping[tuple[int, str], Mapping[str, float]]
"""By moment and observer: the Bayesian observer's probabilities by target."""


def reference_of(game: BeliefGame) -> Reference | None:
    """What the Bayesian observer concludes wherever beliefs were stated; None without a recording to replay."""
    if game.trajectory is None:
        return None
    seats = {agent: seat for seat, agent in enumerate(game.agents)}
    moments: dict[int, set[int]] = {}
    for belief in game.first_order:
        moments.setdefault(belief.event_index, set()).add(seats[belief.observer])
    return {
        (found.at, game.agents[found.seat]): {game.agents[target]: p for target, p in found.p.items()}
        for found in observe(game.trajectory, moments)
    }


@dataclass(frozen=True)
class Slice:
    """The beliefs of some observers of a game, and the reference to hold them against (None: there is none)."""

    game: BeliefGame
    observers: Collection[str]
    reference: Reference | None

    @cached_property
    def beliefs(self) -> list[Belief]:
        """Of order 1."""
        return [belief for belief in self.game.first_order if belief.observer in self.observers]

    @cached_property
    def tracks(self) -> dict[tuple[str, str], list[Belief]]:
        """By (observer, target)."""
        return {key: track for key, track in self.game.tracks.items() if key[0] in self.observers}

    @cached_property
    def snapshots(self) -> dict[str, list[Snapshot]]:
        """By observer."""
        return {who: found for who, found in self.game.snapshots.items() if who in self.observers}

    @cached_property
    def referred(self) -> list[tuple[float, float, bool]]:
        """(p, the Bayesian observer's p, truth) of every belief that has a reference."""
        found = ((belief, self.referred_p(belief)) for belief in self.beliefs)
        return [(p_duck(belief), p, self.game.is_duck(belief.target)) for belief, p in found if p is not None]

    def referred_p(self, belief: Belief) -> float | None:
        """What the Bayesian observer said at the moment of a belief."""
        if self.reference is None:
            return None
        return self.reference.get((belief.event_index, belief.observer), {}).get(belief.target)


def measures_of(part: Slice) -> dict[str, Measure]:
    """All measures by name."""
    return {
        "answered": ratio(row.parsed_ok for row in part.game.beliefs if row.observer in part.observers),
        "repaired": ratio(row.repaired for row in part.game.beliefs if row.observer in part.observers),
        "certainty": mean(certainty(p_duck(belief)) for belief in part.beliefs),
        "flip_rate": ratio(flip for track in part.tracks.values() for flip in flips(track)),
        **top_suspects(part.snapshots.values()),
        **votes(part),
        "brier": mean((p_duck(belief) - part.game.is_duck(belief.target)) ** 2 for belief in part.beliefs),
        "log_score": mean(log_score(p_duck(belief), part.game.is_duck(belief.target)) for belief in part.beliefs),
        "update_speed": update_speed(part),
        "inertia": mean(inertia(part)),
        "conformity": mean(conformity(part)),
        **second_order(part),
        **rationality(part),
        "retest": mean(retests(part)),
    }


# --- one belief ------------------------------------------------------------------------------------------------------


def certainty(p: float) -> float:
    """1 - H(p) / log 2, the entropy of Duck or not: 0 at p = 0.5, 1 at p = 0 and p = 1. Denominator: beliefs."""
    return 1.0 - entropy(p)


def entropy(p: float) -> float:
    """Of a yes or no, in bits."""
    return -sum(q * log2(q) for q in (p, 1.0 - p) if q > 0)


def log_score(p: float, truth: bool) -> float:
    """-ln of the probability given to the truth, p held within `FLOOR` of 0 and 1. Denominator: beliefs."""
    return -log(held(p if truth else 1.0 - p))


def held(p: float) -> float:
    """Within `FLOOR` of 0 and 1."""
    return min(max(p, FLOOR), 1.0 - FLOOR)


def log_odds(p: float) -> float:
    """ln p / (1 - p), p held within `FLOOR` of 0 and 1."""
    return log(held(p) / (1.0 - held(p)))


# --- sequences -------------------------------------------------------------------------------------------------------


def flips(track: Sequence[Belief]) -> list[bool]:
    """For every step between two sides of 0.5, whether the side changed; a belief of 0.5 has none and is passed over.

    flip_rate = changes of side / steps.
    """
    sides = [p_duck(belief) > 0.5 for belief in track if p_duck(belief) != 0.5]
    return [a != b for a, b in pairwise(sides)]


def tops(snapshots: Sequence[Snapshot]) -> list[str | None]:
    """The top suspect of every snapshot."""
    found: list[str | None] = []
    before: str | None = None
    for snapshot in snapshots:
        high = max(snapshot.p.values())
        best = [target for target, p in snapshot.p.items() if p == high]
        top = before if before in best else best[0] if len(best) == 1 else None
        found.append(top)
        before = top or before
    return found


def top_suspects(observers: Iterable[Sequence[Snapshot]]) -> dict[str, Measure]:
    """top_flip_rate = changes of the top suspect / pairs of consecutive snapshots that both have one, and in which the
    earlier one is still a target; top_return_rate = changes to somebody who had been it before / changes."""
    changed: list[bool] = []
    returned: list[bool] = []
    for snapshots in observers:
        earlier: set[str] = set()
        for (_, old), (new_snapshot, new) in pairwise(zip(snapshots, tops(snapshots), strict=True)):
            earlier |= {old} if old else set()
            if old and new and old in new_snapshot.p:
                changed.append(old != new)
                returned += [new in earlier] if old != new else []
    return {"top_flip_rate": ratio(changed), "top_return_rate": ratio(returned)}


def update_speed(part: Slice) -> Measure:
    """The sum of |change of p| over all steps / the events that the observer perceived between the two beliefs."""
    moved, events = 0.0, 0
    for (observer, _), track in part.tracks.items():
        for a, b in pairwise(track):
            seen = len(part.game.perceived(observer, a.event_index, b.event_index))
            if seen:
                moved += abs(p_duck(b) - p_duck(a))
                events += seen
    return Measure(moved, events)


def inertia(part: Slice) -> Iterator[float]:
    """For every crossing of 0.5: how much the Bayesian observer's log odds moved in that direction since the track
    began, or since its last crossing. Geese only. Denominator: crossings."""
    for (observer, _), track in part.tracks.items():
        known = [(p_duck(belief), p) for belief in track if (p := part.referred_p(belief)) is not None]
        if part.game.is_duck(observer) or not known:
            continue
        start = known[0][1]
        side: bool | None = None
        for p, referred in known:
            if p != 0.5:
                if side is not None and side != (p > 0.5):
                    yield (log_odds(referred) - log_odds(start)) * (1 if p > 0.5 else -1)
                    start = referred
                side = p > 0.5


# --- meetings --------------------------------------------------------------------------------------------------------


def votes(part: Slice) -> dict[str, Measure]:
    """Votes against the last snapshot of their meeting before any was known; votes without one do not count.

    A vote agrees with the beliefs where nobody had a higher p than its target, whose p is above 0; a skip, where nobody
    was above 0.5. belief_vote_consistency = agreeing votes / votes; strategic_votes = votes of Ducks that do not agree
    / votes of Ducks; execution_votes = the same of Geese.
    """
    agreed = [
        (part.game.is_duck(vote.voter), agrees(vote, snapshot))
        for vote in part.game.votes
        if vote.voter in part.observers and (snapshot := before_vote(part.game, vote)) is not None
    ]
    return {
        "belief_vote_consistency": ratio(consistent for _, consistent in agreed),
        "strategic_votes": ratio(not consistent for duck, consistent in agreed if duck),
        "execution_votes": ratio(not consistent for duck, consistent in agreed if not duck),
    }


def before_vote(game: BeliefGame, vote: Vote) -> Snapshot | None:
    """The last snapshot of the voter in the meeting of the vote, before it."""
    found = [s for s in game.snapshots.get(vote.voter, ()) if s.meeting == vote.meeting and s.at <= vote.at]
    return found[-1] if found else None


def agrees(vote: Vote, snapshot: Snapshot) -> bool:
    """Whether a vote is that of somebody with these beliefs."""
    if vote.target is None:
        return max(snapshot.p.values()) <= 0.5
    p = snapshot.p.get(vote.target, 0.0)
    return p > 0 and p == max(snapshot.p.values())


def conformity(part: Slice) -> Iterator[float]:
    """For every meeting, observer and target of which others said something: sign(what others said on the mean - p
    before) x (change of p - change of the Bayesian observer's p), over the speeches of the meeting.

    Another's word is 1 where it accused the target, 0 where it spoke for it (its last word counts). Denominator: these
    cases. Nothing is left of it where others' words and p before are equal.
    """
    for meeting in sorted({stance.meeting for stance in part.game.stances}):
        speeches = [h.at for h in part.game.happenings if h.meeting == meeting and h.kind == "statement"]
        words = {(s.target, s.speaker): s.accuses for s in part.game.stances if s.meeting == meeting}
        for (observer, target), track in part.tracks.items():
            said = [accuses for (whom, who), accuses in words.items() if whom == target and who != observer]
            step = across(track, meeting, speeches) if said and speeches else None
            if step is not None:
                before, after = step
                referred = part.referred_p(before), part.referred_p(after)
                if referred[0] is not None and referred[1] is not None:
                    pull = sum(said) / len(said) - p_duck(before)
                    moved = p_duck(after) - p_duck(before) - (referred[1] - referred[0])
                    yield ((pull > 0) - (pull < 0)) * moved


def across(track: Sequence[Belief], meeting: int, speeches: Sequence[int]) -> tuple[Belief, Belief] | None:
    """The last belief before the speeches of a meeting, and the first one of that meeting after them."""
    before = [belief for belief in track if belief.event_index <= speeches[0]]
    after = [belief for belief in track if belief.event_index > speeches[-1] and belief.meeting == meeting]
    return (before[-1], after[0]) if before and after else None


# --- what others think -----------------------------------------------------------------------------------------------


def second_order(part: Slice) -> dict[str, Measure]:
    """What an observer thinks that another believes, against what that one stated at the same moment (else the pair
    does not count). Denominator of all: pairs; of the last three: pairs about the observer itself.

    second_order_accuracy: both on one side of 0.5, or both at it; second_order_error: |difference of p|;
    self_suspicion_bias: the thought minus the stated p; self_suspicion_over: thought above 0.5 and stated not;
    self_suspicion_under: stated above 0.5 and thought not.
    """
    stated = {(b.event_index, b.observer, b.target): p_duck(b) for b in part.game.first_order}
    pairs = [
        (p_duck(belief), p, belief.about == belief.observer)
        for belief in part.game.second_order
        if belief.observer in part.observers and belief.about is not None
        if (p := stated.get((belief.event_index, belief.target, belief.about))) is not None
    ]
    own = [(thought, p) for thought, p, about_self in pairs if about_self]
    return {
        "second_order_accuracy": ratio(side(thought) == side(p) for thought, p, _ in pairs),
        "second_order_error": mean(abs(thought - p) for thought, p, _ in pairs),
        "self_suspicion_bias": mean(thought - p for thought, p in own),
        "self_suspicion_over": ratio(thought > 0.5 >= p for thought, p in own),
        "self_suspicion_under": ratio(p > 0.5 >= thought for thought, p in own),
    }


def side(p: float) -> int:
    """Of 0.5."""
    return (p > 0.5) - (p < 0.5)


# --- against the Bayesian observer -----------------------------------------------------------------------------------


def rationality(part: Slice) -> dict[str, Measure]:
    """Against the Bayesian observer q, given precisely what the observer perceived. Denominators: beliefs with a q;
    of impossible_suspicion those with q = 0, of missed_proof those with q = 1.

    rationality_divergence: the Jensen-Shannon divergence of p and q in bits, 0 to 1; rationality_gap: |p - q|;
    impossible_suspicion: p of those who cannot be it; missed_proof: 1 - p of those who must be it; brier_observer: the
    Brier score of q itself, to read `brier` against.
    """
    known = part.referred
    return {
        "rationality_divergence": mean(divergence(p, q) for p, q, _ in known),
        "rationality_gap": mean(abs(p - q) for p, q, _ in known),
        "impossible_suspicion": mean(p for p, q, _ in known if q == 0),
        "missed_proof": mean(1 - p for p, q, _ in known if q == 1),
        "brier_observer": mean((q - truth) ** 2 for _, q, truth in known),
    }


def divergence(p: float, q: float) -> float:
    """The Jensen-Shannon divergence of two probabilities of the same thing, in bits."""
    return max(0.0, entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2)


def retests(part: Slice) -> Iterator[float]:
    """|p of a repeated probe - p of the first one of that moment|. Denominator: repeated answers."""
    first = {(b.event_index, b.observer, b.target): p_duck(b) for b in part.beliefs}
    for belief in part.game.beliefs:
        key = belief.event_index, belief.observer, belief.target
        if belief.repeat and belief.order == 1 and belief.parsed_ok and key in first:
            yield abs(p_duck(belief) - first[key])
