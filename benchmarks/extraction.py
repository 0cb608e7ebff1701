"""How well claims are extracted: precision, recall and F1 by type, against three references, and what it changes.

(a) the published GPT-5.5 extractions, (b) the hand gold `eval/gold/utterances.jsonl` (with the published
extractions' own score beside ours), (c) the scripted policies' text, whose claims are known; and the
final measures by either extractor.

python benchmarks/extraction.py [--data ../shared/data/quack] [--part gold|published|scripted|speed|measures] [--wrong]
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from quack_eval import Trajectory
from quack_eval.claims.extract import extract
from quack_eval.claims.sources import Message, messages

ROOT = Path(__file__).resolve().parents[1]
GOLD = ROOT / "eval" / "gold" / "utterances.jsonl"
DATA = ROOT.parent / "shared" / "data" / "quack"
SCORER = ROOT.parent / "shared" / "tools" / "score_claims.py"

SPLITS = ("dev", "opened", "heldout", "opened2", "dev2", "dev3", "checked", "blind", "blind2")
"""The splits of the gold."""
BLIND = ("checked", "blind", "blind2")
"""Those for measuring alone: no rule and no weight is made with them."""

Claims = list[dict[str, Any]]
Pair = tuple[str, Claims, Claims]
"""(message, claims wanted, claims got)"""


class Line(NamedTuple):
    """A message with what was said before it and its published claims, None where it was never extracted."""

    game: str
    message: Message
    speaker: str
    players: list[str]
    rooms: list[str]
    before: list[tuple[str, str]]
    published: Claims | None

    def extract(self) -> Claims:
        """The grammar's claims."""
        found = extract(
            self.message.text,
            speaker=self.speaker,
            players=self.players,
            rooms=self.rooms,
            tick=self.message.tick,
            transcript=self.before,
        )
        return [claim.to_dict() for claim in found]


@cache
def scorer() -> Any:
    """The project's scorer, read where it lies."""
    if not SCORER.is_file():
        sys.exit(f"no scorer at {SCORER}")
    spec = importlib.util.spec_from_file_location("score_claims", SCORER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- messages --------------------------------------------------------------------------------------------------------


@cache
def lines(data: Path, game: str) -> list[Line]:
    """The messages of a published game."""
    trajectory = Trajectory.load(data / game)
    names, rooms = list(trajectory.names), list(trajectory.game_map.rooms)
    published = _published(data / game / "extraction.jsonl")
    found: list[Line] = []
    before: list[tuple[str, str]] = []
    meeting = -1
    for message in messages(trajectory):
        if message.meeting != meeting:
            meeting, before = message.meeting, []
        speaker = names[message.speaker]
        claims = published.get((message.speaker, message.meeting, message.sha))
        found.append(Line(game, message, speaker, names, rooms, list(before), claims))
        before.append((speaker, message.text))
    return found


def _published(file: Path) -> dict[tuple[int, int, str], Claims]:
    """The published claims by speaker, meeting and hash of the message."""
    if not file.is_file():
        return {}
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        _, _, agent, meeting, sha = entry["key"].rsplit("|", 4)
        found[int(agent.removeprefix("player_")), int(meeting), sha] = entry["claims"]
    return found


def games(data: Path) -> list[str]:
    """The published games that are there."""
    return [json.loads(line)["path"] for line in (data / "index.jsonl").read_text(encoding="utf-8").splitlines()]


def gold(data: Path, split: str) -> Iterator[tuple[Line, Claims]]:
    """The annotated utterances of a split, each with its claims."""
    for text in GOLD.read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        if row["split"] != split:
            continue
        for line in lines(data, row["game"]):
            said = line.message
            if (said.sha, said.meeting, said.round, line.speaker) == (
                row["sha256"],
                row["meeting"],
                row["round"],
                row["speaker"],
            ):
                yield line, row["claims"]


# --- scores ----------------------------------------------------------------------------------------------------------


def scores(pairs: Iterable[Pair]) -> dict[str, tuple[int, int, int]]:
    """(matched, wanted, got) by type and over all, as the scorer counts."""
    key = scorer().key
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for _, wanted, got in pairs:
        want, have = {key(claim) for claim in wanted}, {key(claim) for claim in got}
        for place, keys in enumerate((want & have, want, have)):
            for one in keys:
                found[one[0]][place] += 1
    rows = {kind: (n[0], n[1], n[2]) for kind, n in sorted(found.items())}
    total = [sum(n[place] for n in rows.values()) for place in range(3)]
    return rows | {"all": (total[0], total[1], total[2])}


def table(title: str, rows: dict[str, tuple[int, int, int]]) -> str:
    """Scores as a table."""
    out = [title, f"  {'type':11s} {'wanted':>7s} {'got':>6s} {'matched':>8s}   P     R     F1"]
    for kind, (hit, want, got) in rows.items():
        p, r = (hit / got if got else 0.0), (hit / want if want else 0.0)
        f1 = 2 * p * r / (p + r) if p + r else 0.0
        out.append(f"  {kind:11s} {want:7d} {got:6d} {hit:8d}  {p:.3f} {r:.3f} {f1:.3f}")
    return "\n".join(out)


def wrong(pairs: Iterable[Pair]) -> Iterator[str]:
    """What was extracted wrongly (+) and what was missed (-), per message, without its text."""
    key = scorer().key
    for message, wanted, got in pairs:
        want, have = {key(claim) for claim in wanted}, {key(claim) for claim in got}
        if want != have:
            yield hashlib.sha256(message.encode("utf-8", "surrogatepass")).hexdigest()[:12]
            yield from (f"  + {one}" for one in sorted(have - want, key=str))
            yield from (f"  - {one}" for one in sorted(want - have, key=str))


# --- parts -----------------------------------------------------------------------------------------------------------


def part_gold(data: Path, show_wrong: bool) -> None:
    """The hand gold: the grammar, and the published extractions where they exist."""
    for split in SPLITS:
        annotated = list(gold(data, split))
        pairs = [(line.message.text, claims, line.extract()) for line, claims in annotated]
        print(table(f"hand gold, {split} ({len(annotated)} utterances): grammar", scores(pairs)))
        there = [(line, claims) for line, claims in annotated if line.published is not None]
        theirs = [(line.message.text, claims, line.published or []) for line, claims in there]
        print(table(f"hand gold, {split}, the {len(there)} published extractions", scores(theirs)))
        same = [(line.message.text, claims, line.extract()) for line, claims in there]
        print(table(f"hand gold, {split}, the same {len(there)}: grammar", scores(same)))
        if show_wrong and split == "dev":
            print("\n".join(wrong(pairs)))


def part_published(data: Path) -> None:
    """All published extractions as the reference; their own errors count against the grammar here."""
    every = [line for game in games(data) for line in lines(data, game)]
    there = [line for line in every if line.published is not None]
    rows = scores((line.message.text, line.published or [], line.extract()) for line in there)
    print(table(f"published extractions as reference ({len(there)} of {len(every)} messages have one)", rows))


class Speech(NamedTuple):
    """What a scripted policy said, and the claims that it meant."""

    text: str
    speaker: str
    players: list[str]
    rooms: list[str]
    claims: Claims

    def extract(self) -> Claims:
        """The grammar's claims."""
        found = extract(self.text, speaker=self.speaker, players=self.players, rooms=self.rooms)
        return [claim.to_dict() for claim in found]


def part_scripted(count: int) -> None:
    """What scripted policies said in games of ours."""
    said = [speech for seed in range(count) for speech in speeches(seed)]
    pairs = [(speech.text, speech.claims, speech.extract()) for speech in said]
    print(table(f"scripted policies, {count} games, {len(pairs)} speeches", scores(pairs)))


def speeches(seed: int) -> list[Speech]:
    """The speeches of one game of scripted policies."""
    import quack_env
    from quack_agents import ScriptedPolicy, play

    found: list[Speech] = []

    class Heard(ScriptedPolicy):
        """A scripted policy whose speeches are kept."""

        def __call__(self, observation: Any, info: Any) -> Any:
            action = super().__call__(observation, info)
            if isinstance(action, dict) and action.get("say"):
                names, rooms = list(info["briefing"].names), list(info["briefing"].game_map.rooms)
                found.append(Speech(action["say"], names[info["view"].me], names, rooms, self.last_claims))
            return action

    env = quack_env.env(speech="text")
    play(env, {agent: Heard() for agent in env.possible_agents}, seed=seed)
    return found


def part_speed(data: Path) -> None:
    """How long all messages take."""
    every = [line for game in games(data) for line in lines(data, game)]
    began = time.process_time()
    claims = sum(len(line.extract()) for line in every)
    spent = time.process_time() - began
    print(f"speed: {len(every)} messages, {claims} claims, {spent:.1f} s CPU, {1000 * spent / len(every):.2f} ms each")
    longest = "I saw Bob in medbay at tick 5, then " * 2800
    began = time.process_time()
    extract(longest, speaker="Eve", players=["Bob", "Eve"], rooms=["medbay"])
    print(f"speed: a message of {len(longest)} characters, {time.process_time() - began:.2f} s CPU")


MEASURES = (
    "goose_truthfulness", "duck_truthfulness", "spatial_hallucination", "unsupported_accusation",
    "baseless_accusation", "accusation_accuracy",
)  # fmt: skip


def part_measures(data: Path) -> None:
    """The final measures by the published extractions and by the grammar, over the messages that both read."""
    from quack_eval.claims.sources import read_published, read_with
    from quack_eval.statements import StatementAudit, statement_game

    chosen = [game for game in games(data) if (data / game / "extraction.jsonl").is_file()]
    ours, theirs = [], []
    for game in chosen:
        trajectory = Trajectory.load(data / game)
        published = read_published(trajectory)
        both = frozenset(message.event for message in messages(trajectory)) - published.missing
        theirs.append(statement_game(trajectory, published.said))
        ours.append(statement_game(trajectory, read_with(trajectory, extract, both).said))
    audits = {"published": StatementAudit(games=theirs), "grammar": StatementAudit(games=ours)}
    print(f"measures over {len(chosen)} games, pooled, by extractor (messages that both read)")
    for name in MEASURES:
        shown = {who: audit.measures[name] for who, audit in audits.items() if name in audit.measures}
        print("  " + f"{name:32s}" + "  ".join(f"{who} {_pooled(value)}" for who, value in shown.items()))


def _pooled(estimate: Any) -> str:
    """The pooled value of an estimate."""
    value = getattr(estimate, "pooled", None)
    return "undefined" if value is None else f"{100 * value:.1f} %"


def main() -> None:
    """Prints the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--part", choices=("gold", "published", "scripted", "speed", "measures"), action="append")
    parser.add_argument("--games", type=int, default=20, help="games of scripted policies")
    parser.add_argument("--wrong", action="store_true", help="list the errors on the half of the gold that is no test")
    asked = parser.parse_args()
    parts: dict[str, Callable[[], None]] = {
        "gold": lambda: part_gold(asked.data, asked.wrong),
        "published": lambda: part_published(asked.data),
        "scripted": lambda: part_scripted(asked.games),
        "speed": lambda: part_speed(asked.data),
        "measures": lambda: part_measures(asked.data),
    }
    for name, part in parts.items():
        if asked.part and name not in asked.part:
            continue
        if name != "scripted" and not (asked.data / "index.jsonl").is_file():
            print(f"{name}: the published games are not there ({asked.data}), left out")
            continue
        part()
        print()


if __name__ == "__main__":
    main()
