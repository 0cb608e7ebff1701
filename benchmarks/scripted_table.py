"""How scripted players fare: win rates, endings and play by persona, and against chance.

Writes docs/scripted_play.md. Run from the repository root, with the package installed:

    python benchmarks/scripted_table.py [--games 500] [--out docs/scripted_play.md]
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import quack_env
from quack_agents import RandomPolicy, ScriptedPolicy
from quack_env.chance import policy_seed
from quack_env.kinds import EJECTED, KILL, MEETING_CALLED, unpack
from quack_env.outcome import REASONS

PERSONAS = ("default", "aggressive", "cautious")
Z = 1.959963984540054
Factory = Callable[[random.Random], Any]


@dataclass
class Tally:
    """What happened in the games of one pairing."""

    games: int = 0
    geese: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    ticks: int = 0
    kills: int = 0
    meetings: int = 0
    ejections: int = 0
    ducks_ejected: int = 0
    decisions: int = 0
    seconds: float = 0.0
    """CPU time spent in policies."""


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a proportion; (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    p, z2 = hits / of, Z * Z
    middle = (p + z2 / (2 * of)) / (1 + z2 / of)
    half = Z / (1 + z2 / of) * (p * (1 - p) / of + z2 / (4 * of * of)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)


def measure(geese: Factory, ducks: Factory, games: int, **options: Any) -> Tally:
    """Play the games of seeds 0, 1, ... with these policies in the seats of each role."""
    env = quack_env.raw_env(observation="vector", **options)
    env.game.recording = True
    tally = Tally()
    for seed in range(games):
        env.reset(seed=seed)
        game, draws = env.game, random.Random(seed)
        roles = game.state.ducks
        policies = [(ducks if roles >> i & 1 else geese)(draws) for i in range(game.world.n)]
        for i, policy in enumerate(policies):
            policy.reset(env.infos[env.possible_agents[i]], policy_seed(seed, i))
        while not game.over:
            policy, info = policies[game.state.current], env.infos[env.agent_selection]
            start = time.process_time()
            action = policy(None, info)  # the observation holds no more than the info
            tally.seconds += time.process_time() - start
            tally.decisions += 1
            env.step(action)
        count(tally, game, roles)
    return tally


def count(tally: Tally, game: Any, roles: int) -> None:
    """Add a finished game."""
    tally.games += 1
    tally.geese += game.outcome.winner == "geese"
    tally.reasons[game.outcome.reason] += 1
    tally.ticks += game.state.tick
    for event in game.take()[0]:
        _, kind, _, target, _, _, _ = unpack(event)
        tally.kills += kind == KILL
        tally.meetings += kind == MEETING_CALLED
        if kind == EJECTED:
            tally.ejections += 1
            tally.ducks_ejected += roles >> target & 1


def scripted(persona: str) -> Factory:
    """A policy of this persona; "mixed" draws one for every seat."""

    def make(draws: random.Random) -> ScriptedPolicy:
        return ScriptedPolicy(draws.choice(PERSONAS) if persona == "mixed" else persona)

    return make


def chance(draws: random.Random) -> RandomPolicy:
    """The random policy."""
    return RandomPolicy()


def pairings() -> list[tuple[str, str, Factory, Factory]]:
    """(name of the Geese, name of the Ducks, and the policies)."""
    names = [(g, d) for g in PERSONAS for d in PERSONAS] + [("mixed", "mixed")]
    pairs = [(g, d, scripted(g), scripted(d)) for g, d in names]
    pairs += [(g, "random", scripted(g), chance) for g in PERSONAS]
    pairs += [("random", d, chance, scripted(d)) for d in PERSONAS]
    return [*pairs, ("random", "random", chance, chance)]


PLAY = ("ticks", "kills", "meetings", "ejections", "of a Duck", "µs/decision")
HEAD = ("Geese", "Duck", "Geese win", *REASONS[1:], *PLAY)


def row(geese: str, ducks: str, tally: Tally) -> list[str]:
    """One line of the table: rates in %, means per game."""
    n = tally.games
    low, high = wilson(tally.geese, n)
    cells = [geese, ducks, f"{100 * tally.geese / n:.1f} [{100 * low:.1f}, {100 * high:.1f}]"]
    cells += [f"{100 * tally.reasons[reason] / n:.1f}" for reason in REASONS[1:]]
    cells += [f"{tally.ticks / n:.1f}", f"{tally.kills / n:.2f}", f"{tally.meetings / n:.2f}"]
    cells += [f"{tally.ejections / n:.2f}"]
    low, high = wilson(tally.ducks_ejected, tally.ejections)
    right = f"{100 * tally.ducks_ejected / tally.ejections:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
    cells.append(right if tally.ejections else "none")
    return [*cells, f"{1e6 * tally.seconds / tally.decisions:.0f}"]


def markdown(rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


PAGE = """# Scripted play

Players that follow a script, as opponents for training, as a baseline, and to fill seats: `scripted`,
`scripted:aggressive`, `scripted:cautious`; `random` is the floor below them. They decide on an agent's own `info` and
nothing else.

**Goose.** Goes to its nearest task and works; takes a companion's way where it is about the same; reports a body at
once; does not stay alone with whom it suspects; calls a meeting when it is sure. It remembers its route, sightings,
departures and arrivals, and works out who can have killed (`quack_env.knowledge`: travel times, who was seen elsewhere,
which rooms were bare). In a meeting it tells the truth: who was at the scene, its route and sightings, then whom it
suspects or clears. Words that contradict what it saw make their speaker a suspect; accusations count by how far it
trusts the accuser. It votes for the most suspicious if suspicious enough, else it skips.

**Duck.** Goes where somebody is alone, kills when nobody sees it or may come in, leaves, pretends to work in company.
It lies by degrees: leaves the scene out of its story, names another room, another time, or invents a sighting of
somebody else there. It accuses whoever met it at the scene, joins accusations against Geese, and attacks first when it
is bold.

**Personas** are numbers (`quack_agents.scripted.persona`). *Aggressive*: Geese accuse and vote on little and wait for
nobody; Ducks soon kill before witnesses, report their own kills, invent sightings. *Cautious*: Geese wait for company,
weigh every perception, vote only when rather sure, and gather by the button when their work is done (the default ones
often do); Ducks kill where nobody can know, take long to lose patience, and mostly keep to omissions. *Mixed* draws a
persona for every seat.

With `speech="tokens"` a player makes one statement a turn; with `"text"` it puts two to four into words (twenty and
more wordings for each kind of claim, `quack_agents.phrases`), keeps the exact claims in `last_claims`, and understands
other players' words where they are worded like its own.

## Results

Default config ({players} players, {ducks} Duck), map "ship", speech "tokens", seeds 0 to {last}. Rates in %, with 95 %
Wilson intervals; the endings are shares of all games; ticks, kills, meetings and ejections are means per game; "of a
Duck" is the share of ejections that hit the Duck. The last column is the CPU time a policy takes for a decision.

{table}

Other ways to speak, default personas:

{speech}

Made by `python benchmarks/scripted_table.py`.
"""


def main() -> None:
    """Play, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=500, help="games of each pairing")
    parser.add_argument("--out", type=Path, default=Path("docs/scripted_play.md"))
    arguments = parser.parse_args()
    rows = [row(g, d, measure(geese, ducks, arguments.games)) for g, d, geese, ducks in pairings()]
    spoken = []
    for speech in ("off", "text"):
        tally = measure(scripted("default"), scripted("default"), arguments.games, speech=speech)
        spoken.append(row(f'default, speech "{speech}"', "default", tally))
    config = quack_env.GameConfig()
    table, other = markdown(rows), markdown(spoken)
    text = PAGE.format(
        players=config.n_players, ducks=config.n_ducks, last=arguments.games - 1, table=table, speech=other
    )
    print(f"{table}\n\n{other}")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
