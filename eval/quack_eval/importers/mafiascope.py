"""Games recorded by MafiaScope (`game.jsonl`, `introspection.jsonl`) as games with beliefs.

Roles: Mafia are Ducks, all others Geese. What was answered becomes probabilities as follows, c being the stated
confidence:

- order 1, from "role_assessment" (else "role_beliefs"): Mafia: c; another role: what is left, 1 - c, times the Mafia's
  share among the players of the roles that were not guessed; Unknown: the Mafia's share among all other players. What a
  player says of itself is left out.
- order 2, from "social_map" ("how do the others feel about you"): suspects: (1 + c) / 2; trusts: (1 - c) / 2;
  neutral: 1 / 2.

`event_index` counts the lines of `game.jsonl` written before the probe, by their clocks, so that no vote lies before
the belief it was cast on, nor a round's end before its round. Answers that could not be read are failures. Where a
provider's error text stands in place of an utterance, nothing was said: the line is flagged.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from quack_env import TrajectoryError
from quack_env.beliefs import Belief
from quack_env.trajectory import json_object
from quack_eval.beliefs.games import BeliefGame, Happening, Vote

GAME, PROBES = "game.jsonl", "introspection.jsonl"
MAFIA = "Mafia"
UNKNOWN = "Unknown"
SPEECHES = ("intro", "day_discuss", "day_vote")
"""Kinds of lines that everybody hears; in the last, the speaker also votes."""
PHASES = {"day_discuss": "discussion", "day_vote": "voting", "round_end": "voting"}
ERROR = re.compile(r"\s*ERROR\b")
VOTE = re.compile(r"VOTE\W{1,6}(\w+)\W*$", re.IGNORECASE)
ROLES, FEELINGS = ("role_assessment", "role_beliefs"), "social_map"
"""The probes whose answers become beliefs: of the first order (the first kind that was asked), and of the second."""
TRUST = {"suspects": 1, "neutral": 0, "trusts": -1}


class Recording(NamedTuple):
    """The two files of a game as they are."""

    folder: Path
    lines: list[dict[str, Any]]
    probes: list[dict[str, Any]]

    @property
    def roles(self) -> dict[str, str]:
        """The role of every player, in the order of the setup."""
        return {player["name"]: player["role"] for player in self.lines[0]["players"]}


def find(path: Path) -> list[Path]:
    """The folders of MafiaScope's games at or below a path, sorted."""
    return sorted(file.parent for file in path.rglob(PROBES) if (file.parent / GAME).is_file()) if path.is_dir() else []


def told(path: Path) -> str | None:
    """What to say of recordings of MafiaScope in (or beside) a path where one of QUACK is wanted; None without any."""
    if not find(path if path.is_dir() else path.parent):
        return None
    readers = "quack beliefs FOLDER (without --bayesian), quack eval FOLDER and quack view FOLDER read them"
    return f"{path}: recorded by MafiaScope, whose games have no ship to replay; {readers}"


def recording(folder: Path) -> Recording:
    """Both files of a game.

    Raises:
        TrajectoryError: where a line is no JSON object, or the game has no setup.
    """
    found = Recording(folder, list(_lines(folder / GAME)), list(_lines(folder / PROBES)))
    if not found.lines or found.lines[0].get("kind") != "setup":
        raise TrajectoryError(f"{folder / GAME}, line 1: no setup of a game of MafiaScope")
    return found


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with open(file, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield json_object(file, number, line)


def read(folder: Path) -> BeliefGame:
    """The game in a folder."""
    return _Import(recording(folder)).game()


class _Import:
    """One game on its way."""

    def __init__(self, source: Recording) -> None:
        self.source = source
        self.roles = source.roles
        self.clocks = [float(line["ts"]) for line in source.lines]
        self.game_id = source.folder.name

    def game(self) -> BeliefGame:
        """The game."""
        roles = self.roles
        errors = [(p, self.source.lines[p]) for p in self.errors()]
        models = {player["name"]: player.get("model") or "unknown" for player in self.source.lines[0]["players"]}
        return BeliefGame(
            game_id=self.game_id,
            agents=tuple(roles),
            names={name: name for name in roles},
            ducks=frozenset(name for name, role in roles.items() if role == MAFIA),
            policies=models,
            beliefs=list(self.beliefs()),
            happenings=list(self.happenings()),
            votes=list(self.votes()),
            stances=[],
            gone=self.gone(),
            flagged=[f"{GAME}, line {p + 1}: {line.get('player')}: an error text, no utterance" for p, line in errors],
        )

    def errors(self) -> list[int]:
        """The lines on which the text of an error was broadcast."""
        return [p for p, line in enumerate(self.source.lines) if ERROR.match(str(line.get("response") or ""))]

    def gone(self) -> dict[str, int]:
        """The lines from which players were out of the game."""
        out: dict[str, int] = {}
        for p, line in enumerate(self.source.lines):
            name = {"night_kill": line.get("victim"), "day_eliminate": line.get("eliminated")}.get(line["kind"])
            if name in self.roles:
                out[str(name)] = p + 1
        return out

    def happenings(self) -> Iterator[Happening]:
        """Utterances, deaths and ejections."""
        silent = set(self.errors())
        gone = self.gone()
        for p, line in enumerate(self.source.lines):
            meeting = line["round"] - 1 if line["round"] else None
            there = frozenset(name for name in self.roles if gone.get(name, p + 1) > p)
            if line["kind"] in SPEECHES and p not in silent:
                yield Happening(p, "statement", line["player"], None, meeting, there)
            elif line["kind"] == "night_kill":
                yield Happening(p, "body_appeared", None, line["victim"], meeting, there)
            elif line["kind"] == "day_eliminate":
                yield Happening(p, "ejected", None, line["eliminated"], meeting, there)

    def votes(self) -> Iterator[Vote]:
        """The tallied votes, and those that were lost to markup around the name."""
        silent = set(self.errors())
        tallies = {line["round"]: line.get("votes") or {} for line in self.source.lines if line["kind"] == "vote_tally"}
        for p, line in enumerate(self.source.lines):
            if line["kind"] == "day_vote" and p not in silent:
                target = tallies.get(line["round"], {}).get(line["player"])
                if target is None:
                    named = VOTE.search(str(line.get("response") or "").strip())
                    target = named[1] if named and named[1] in self.roles else None
                yield Vote(p, line["round"] - 1, line["player"], target)

    # --- answers -----------------------------------------------------------------------------------------------------

    def beliefs(self) -> Iterator[Belief]:
        """Every answer of the probes that ask for roles or for what others feel."""
        asked = Counter(probe["probe_id"] for probe in self.source.probes)
        first = next((kind for kind in ROLES if asked[kind]), None)
        for number, probe in enumerate(self.source.probes, 1):
            if probe["probe_id"] in (first, FEELINGS):
                yield from self.answers(probe, number, 1 if probe["probe_id"] == first else 2)

    def answers(self, probe: Mapping[str, Any], number: int, order: int) -> Iterator[Belief]:
        """The rows of one probe: a belief for every other player it speaks of, or one failure for every other."""
        observer = probe["player_name"]
        found = entries(probe["answer_parsed"]) if probe["answer_parse_ok"] else []
        probability = self.of_role if order == 1 else self.of_attitude
        stated = {entry["player"]: entry for entry in found if entry.get("player") in self.roles}
        for target in self.roles:
            if target != observer and (target in stated or not stated):
                entry = stated.get(target, {})
                yield self.row(probe, number, order, target, probability(entry, observer), entry.get("reason"))

    def of_role(self, entry: Mapping[str, Any], observer: str) -> float | None:
        """The probability of being Mafia that a guessed role and its confidence stand for."""
        role, sure = entry.get("guessed_role", entry.get("role")), confidence(entry)
        others = Counter(kind for name, kind in self.roles.items() if name != observer)
        if role == UNKNOWN:
            return others[MAFIA] / others.total()
        if sure is None or role not in set(self.roles.values()):
            return None
        if role == MAFIA:
            return sure
        left = others.total() - others[role]
        return (1 - sure) * others[MAFIA] / left if left else 0.0

    def of_attitude(self, entry: Mapping[str, Any], observer: str) -> float | None:
        """The probability that an attitude and its confidence stand for."""
        sign, sure = TRUST.get(str(entry.get("attitude"))), confidence(entry)
        return None if sign is None or sure is None else (1 + sign * sure) / 2

    def row(
        self, probe: Mapping[str, Any], number: int, order: int, target: str, p: float | None, why: str | None
    ) -> Belief:
        """One row of the store."""
        return Belief(
            game_id=self.game_id,
            tick=probe["round"],
            round=None,
            phase=PHASES.get(probe["phase"], "free_roam"),
            trigger=probe["phase"],
            event_index=bisect_right(self.clocks, probe["timestamp"]),
            observer=probe["player_name"],
            target=target,
            order=order,
            about=None if order == 1 else probe["player_name"],
            p_goose=None if p is None else 1 - p,
            p_duck=p,
            parsed_ok=p is not None,
            repaired=bool(probe.get("chain_used_raw_fallback")),
            rationale=why,
            latency_ms=probe.get("latency_ms"),
            cost_usd=None,
            context_ref=f"{PROBES}#{number}",
            meeting=probe["round"] - 1 if probe["round"] else None,
            failure=None if p is not None else "invalid",
        )


def entries(parsed: Any) -> list[dict[str, Any]]:
    """The entries of an answer by player: a list, one lying in an object under whatever key, one entry by itself, or an
    object by player; [] for anything else."""
    if isinstance(parsed, dict):
        if "player" in parsed:
            return [parsed]
        lists = [value for value in parsed.values() if isinstance(value, list)]
        if not lists:
            return [{"player": name, **value} for name, value in parsed.items() if isinstance(value, dict)]
        parsed = lists[0]
    return [entry for entry in parsed if isinstance(entry, dict)] if isinstance(parsed, list) else []


def confidence(entry: Mapping[str, Any]) -> float | None:
    """The stated confidence as a probability; None where it is no number of 0 to 100."""
    value = entry.get("confidence")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        return None
    return value / 100
