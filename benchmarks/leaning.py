"""Makes the weights by which the grammar weighs the words around a player: who is accused, who is cleared.

Learnt from the hand gold, from the published extractions of other messages (which name accusations and defences well)
and from the scripted policies' speeches, whose stances are known: logistic regression with an L2 penalty. The blind
parts of the gold are left out. With --folds nothing is written: every part of the seeds is predicted by weights learnt
on the others, and scored beside the cues alone.

python benchmarks/leaning.py [--data ../shared/data/quack] [--folds 5]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

sys.path.insert(0, str(Path(__file__).parent))
from extraction import BLIND, DATA, SPLITS, games, gold, lines, speeches
from quack_eval.claims.extract import extract
from quack_eval.claims.grammar import leaning, stance

WEIGHTS = Path(leaning.__file__).with_name("leaning.json")
STANCES = {"accusation": "target", "defense": "defended"}
PENALTY, RAREST, SMALLEST = 12.0, 4, 0.02
"""The L2 penalty; how often a pattern must occur; the smallest weight that is kept."""

Weights = dict[str, float]


class Example(NamedTuple):
    """A player in a message: the part it belongs to, the evidence, what the cues said, what is known, and by whom."""

    part: str
    clues: frozenset[str]
    cues: dict[str, bool]
    known: dict[str, bool]
    by_hand: bool


# --- examples --------------------------------------------------------------------------------------------------------


def examples(data: Path, scripts: int) -> Iterator[Example]:
    """Every player mentioned in a message whose stances are known."""
    by_hand = {(s in BLIND, line.game, line.message.event): claims for s in SPLITS for line, claims in gold(data, s)}
    for game in games(data):
        for line in lines(data, game):
            annotated = by_hand.get((False, game, line.message.event))
            known = line.published if annotated is None else annotated
            if known is None or (True, game, line.message.event) in by_hand:
                continue
            seen = _stances(line.message.text, line.speaker, line.players, line.rooms, line.before)
            yield from _of(seen, line.players, game.rsplit("/", 1)[-1], known, annotated is not None)
    for seed in range(scripts):
        for speech in speeches(1000 + seed):
            seen = _stances(speech.text, speech.speaker, speech.players, speech.rooms, [])
            yield from _of(seen, speech.players, "scripted", speech.claims, False)


def _stances(
    text: str, speaker: str, players: Sequence[str], rooms: Sequence[str], before: list[tuple[str, str]]
) -> stance.Stances:
    """What the grammar read of stances in a message, before it weighs it."""
    kept: list[stance.Stances] = []

    class Kept(stance.Stances):
        """Stances that make no claims."""

        def claims(self) -> list[Any]:
            kept.append(self)
            return []

    with patch("quack_eval.claims.grammar.extractor.Stances", Kept):
        extract(text, speaker=speaker, players=players, rooms=rooms, transcript=before)
    return kept[0]


def _of(
    seen: stance.Stances, players: Iterable[str], part: str, claims: list[dict[str, Any]], by_hand: bool
) -> Iterator[Example]:
    for name in players:
        clues = seen.evidence(name) if name != seen.discourse.speaker else frozenset()
        if clues:
            cues = {"accusation": name in seen.accused, "defense": name in seen.cleared}
            known = {
                kind: any(c["type"] == kind and c.get(who) == name for c in claims) for kind, who in STANCES.items()
            }
            yield Example(part, clues, cues, known, by_hand)


# --- weights ---------------------------------------------------------------------------------------------------------


def learn(told: Sequence[Example], kind: str) -> Weights:
    """The weights of every pattern for a stance, small ones left out."""
    counts = Counter(clue for example in told for clue in example.clues)
    patterns = sorted(clue for clue, count in counts.items() if count >= RAREST)
    place = {pattern: at for at, pattern in enumerate(patterns)}
    found = [(row, place[clue]) for row, e in enumerate(told) for clue in e.clues if clue in place]
    rows, columns = zip(*found, strict=True)
    seen = csr_matrix((np.ones(len(found)), (rows, columns)), shape=(len(told), len(patterns)))
    sign = np.array([1.0 if example.known[kind] else -1.0 for example in told])

    def loss(weights: Any) -> tuple[float, Any]:
        margin = (seen @ weights) * sign
        pull = sign / (1 + np.exp(margin))
        return np.logaddexp(0, -margin).sum() + PENALTY / 2 * weights @ weights, PENALTY * weights - seen.T @ pull

    best = minimize(loss, np.zeros(len(patterns)), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return {p: round(float(w), 3) for p, w in zip(patterns, best, strict=True) if abs(w) >= SMALLEST}


def predicted(weights: Weights, example: Example) -> float:
    """The probability of a stance."""
    return float(1 / (1 + np.exp(-sum(weights.get(clue, 0.0) for clue in example.clues))))


# --- scores ----------------------------------------------------------------------------------------------------------


def folds(every: Sequence[Example], count: int) -> None:
    """Scores of the cues alone and of the weighed words and cues, each part predicted by the others."""
    seeds = sorted({e.part for e in every if e.part != "scripted"})
    for kind in STANCES:
        likely: dict[int, float] = {}
        for fold in range(count):
            out = set(seeds[fold::count])
            weights = learn([e for e in every if e.part not in out], kind)
            likely |= {at: predicted(weights, e) for at, e in enumerate(every) if e.part in out}
        for name, by_hand in (("published", False), ("hand gold", True)):
            chosen = [at for at in likely if every[at].by_hand is by_hand]
            wanted = [every[at].known[kind] for at in chosen]
            cues = [every[at].cues[kind] for at in chosen]
            weighed = [likely[at] > stance.LIKELY for at in chosen]
            for what, got in (("cues", cues), ("weighed", weighed)):
                print(f"{kind:10s} {name}: {what:7s} {_scores(got, wanted)}")


def _scores(got: Sequence[bool], wanted: Sequence[bool]) -> str:
    hit = sum(a and b for a, b in zip(got, wanted, strict=True))
    p, r, f = hit / max(sum(got), 1), hit / max(sum(wanted), 1), 2 * hit / max(sum(got) + sum(wanted), 1)
    return f"P {p:.3f} R {r:.3f} F1 {f:.3f}  ({hit} of {sum(got)}, {sum(wanted)} wanted)"


def main() -> None:
    """Writes the weights, or prints the scores by folds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--folds", type=int, default=0, help="score by so many parts of the seeds, write nothing")
    parser.add_argument("--scripts", type=int, default=40, help="games of scripted policies to learn from")
    asked = parser.parse_args()
    every = list(examples(asked.data, asked.scripts))
    if asked.folds:
        folds(every, asked.folds)
        return
    weights = {kind: learn(every, kind) for kind in STANCES}
    WEIGHTS.write_text(json.dumps(weights, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{WEIGHTS.name}: {len(every)} examples, {', '.join(f'{len(w)} {k}' for k, w in weights.items())} patterns")


if __name__ == "__main__":
    main()
