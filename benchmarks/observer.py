"""How good the Bayesian observer is: its Brier score against uniform and prior beliefs, and whom it rules out.

Plays games of scripted and of random players on seeds that its assumptions were not chosen on, and asks the observer
in every Goose's seat after every call of a meeting, vote and body that came to be. Run from the repository root:

    python benchmarks/observer.py [--games 300] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import quack_env
from quack_agents import RandomPolicy, ScriptedPolicy
from quack_env.chance import policy_seed
from quack_env.events import event_of
from quack_env.posterior import HARD, Behaviour
from quack_env.trajectory import GameRecord
from quack_env.wrappers import header_of
from quack_eval.beliefs.reference import moments_after, observe
from quack_eval.metrics.estimate import estimate
from quack_eval.metrics.measure import Measure, mean

PERSONAS = ("default", "aggressive", "cautious")
MOMENTS = ("meeting_called", "ejected", "no_ejection", "body_appeared")
SETTINGS: dict[str, tuple[bool, dict[str, Any]]] = {
    "6 players, 1 Duck": (True, {}),
    "8 players, 2 Ducks": (True, {"config": {"n_players": 8, "n_ducks": 2}}),
    "8 players, 2 Ducks, roles shown": (True, {"config": {"n_players": 8, "n_ducks": 2, "reveal_role": True}}),
    "6 players, 1 Duck, at random": (False, {}),
}
HEAD = (
    "game",
    "games",
    "beliefs",
    "uniform",
    "prior",
    "hard evidence only",
    "observer",
    "uniform - observer",
    "ruled out",
    "wrongly",
    "proven",
    "wrongly",
)


def play(seed: int, scripted: bool, **options: Any) -> GameRecord:
    """A game of players with mixed personas, or of random ones."""
    env = quack_env.raw_env(observation="vector", **options)
    env.game.recording = True
    env.reset(seed=seed)
    game, draws = env.game, random.Random(seed)
    policies = [ScriptedPolicy(draws.choice(PERSONAS)) if scripted else RandomPolicy() for _ in range(game.world.n)]
    for seat, policy in enumerate(policies):
        policy.reset(env.infos[env.possible_agents[seat]], policy_seed(seed, seat))
    header = header_of(game, {}, "aec")
    while not game.over:
        env.step(policies[game.state.current](None, env.infos[env.agent_selection]))
    log, texts, _ = game.take()
    events = [event_of(packed, p, game.briefing, texts.get(p)) for p, packed in enumerate(log)]
    return GameRecord(header, events, status="finished")


def of_geese(game: GameRecord, behaviour: Behaviour) -> Iterator[tuple[float, bool, int]]:
    """(p, truth, players not known to be dead) of everything the observer says in a Goose's seat."""
    for found in observe(game, moments_after(game, MOMENTS), behaviour):
        if found.seat not in game.ducks:
            yield from ((p, target in game.ducks, len(found.p)) for target, p in found.p.items())


def measures(game: GameRecord) -> dict[str, Measure]:
    """The Brier scores of one game, and what was ruled out or proven and was not so.

    uniform: all who are not known to be dead are as likely; prior: what was so before the game.
    """
    ducks = len(game.ducks)
    prior = ducks / (game.config.n_players - 1)
    known, hard = list(of_geese(game, Behaviour())), of_geese(game, HARD)
    out, sure = [truth for p, truth, _ in known if p == 0], [truth for p, truth, _ in known if p == 1]
    return {
        "uniform": mean((ducks / others - truth) ** 2 for _, truth, others in known),
        "prior": mean((prior - truth) ** 2 for _, truth, _ in known),
        "hard": mean((p - truth) ** 2 for p, truth, _ in hard),
        "observer": mean((p - truth) ** 2 for p, truth, _ in known),
        "gain": mean((ducks / others - truth) ** 2 - (p - truth) ** 2 for p, truth, others in known),
        "out": Measure(sum(out), len(out)),
        "sure": Measure(len(sure) - sum(sure), len(sure)),
    }


def setting(name: str, games: int, progress: Callable[[str], None]) -> dict[str, Any]:
    """One setting, estimated over its games."""
    scripted, options = SETTINGS[name]
    found: list[dict[str, Measure]] = []
    for seed in range(games):
        if seed % 25 == 0:
            progress(f"{name}: {seed} of {games}")
        found.append(measures(play(seed, scripted, **options)))
    return {"setting": name, "games": games} | {key: value.to_dict() for key, value in estimate(found).items()}


def row(found: dict[str, Any]) -> list[str]:
    """One line of the table."""
    scores = [f"{found[key]['pooled']:.4f}" for key in ("uniform", "prior", "hard", "observer")]
    gain, (low, high) = found["gain"]["pooled"], found["gain"]["pooled_interval"]
    counts = [f"{found[key][part]:.0f}" for key in ("out", "sure") for part in ("denominator", "numerator")]
    beliefs = f"{found['observer']['denominator']:.0f}"
    return [found["setting"], str(found["games"]), beliefs, *scores, f"{gain:.4f} [{low:.4f}, {high:.4f}]", *counts]


def main() -> None:
    """Play, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=300, help="games of each setting")
    parser.add_argument("--json", type=Path, help="file for all numbers")
    arguments = parser.parse_args()
    found = [setting(name, arguments.games, lambda words: print(words, file=sys.stderr)) for name in SETTINGS]
    for line in (HEAD, ["---"] * len(HEAD), *map(row, found)):
        print(f"| {' | '.join(line)} |")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
