"""What a fork changes: outcome, votes and beliefs of continuations, and of those in which one utterance was replaced.

A run of forks is a folder with recorded continuations, their beliefs (`run.sqlite`) and an index, `forks.json`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from quack_env import ConfigError, GameRecord
from quack_env.beliefs import FILE, BeliefStore
from quack_eval.beliefs.games import BeliefGame, game_of, p_duck
from quack_eval.metrics.estimate import Difference, Estimate, estimate, paired
from quack_eval.metrics.measure import Measure, mean, ratio
from quack_eval.metrics.tier1 import OutcomeEval

INDEX = "forks.json"
KEPT, REPLACED = "kept", "replaced"
"""The arms: with what was said, and with something else in its place."""
OUTCOMES = ("geese_win", "ticks", "kills", "ejection_accuracy", "task_completion")


@dataclass(frozen=True)
class Continuation:
    """One continuation: an entry of the index.

    ``game``: its folder below the run; ``at``: the event of the original from which on it is its own; ``number``: of
    its chance; ``meeting``: in which it forks, None in free roam.
    """

    game: str
    at: int
    arm: str
    number: int
    meeting: int | None


def write_index(
    run: str | os.PathLike[str], original: str, continuations: Sequence[Continuation], **facts: Any
) -> None:
    """Write the index of a run."""
    entries = {"original": original, **facts, "continuations": [asdict(one) for one in continuations]}
    (Path(run) / INDEX).write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n", "utf-8")


@dataclass(frozen=True)
class Moved:
    """How much one statement moved the vote of its meeting.

    ``share``: of the voters, those who voted otherwise where it was not made, over continuations of the same chance.
    ``votes``: by name, the share of votes with it minus that without it.
    """

    event: int
    speaker: str
    text: str
    share: Estimate
    votes: dict[str, Difference]


class Shifts:
    """The arms of a run of forks, and what they differ in.

    Measures, by continuation: outcomes as in tier 1; ``votes NAME`` and ``votes skip``: the share of the votes in the
    meeting of the fork; ``p NAME @MOMENT``: the mean over living Geese of p that NAME is a Duck, at the moments before
    the fork, after the utterance, and before the vote.

    Raises:
        ConfigError: where the folder is no run of forks.
    """

    def __init__(self, run: str | os.PathLike[str]) -> None:
        self.run = Path(run)
        try:
            facts = json.loads((self.run / INDEX).read_text("utf-8"))
            self.continuations = [Continuation(**one) for one in facts.pop("continuations")]
        except (OSError, ValueError, KeyError, TypeError) as fault:
            raise ConfigError(f"{self.run / INDEX}: no index of a run of forks ({fault})") from None
        self.facts: dict[str, Any] = facts
        store = BeliefStore(self.run / FILE)
        self.games = {
            one: game_of(GameRecord.load(self.run / one.game), store.read(game_id=one.game), one.game)
            for one in self.continuations
        }

    def arm(self, name: str, at: int | None = None) -> list[tuple[int, dict[str, Measure]]]:
        """(number, measures) of the continuations of an arm."""
        return [
            (one.number, measures_of(self.games[one], one.meeting))
            for one in self.continuations
            if one.arm == name and at in (None, one.at)
        ]

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """By arm, the measures over its continuations."""
        arms = {name: [found for _, found in self.arm(name)] for name in (KEPT, REPLACED)}
        return {name: estimate(games) for name, games in arms.items() if games}

    @cached_property
    def shift(self) -> dict[str, Difference]:
        """Replaced minus kept, over continuations of the same chance."""
        return paired(self.arm(REPLACED), self.arm(KEPT))

    @cached_property
    def pivotal(self) -> list[Moved]:
        """The statements that were taken away one by one, the one that moved the vote most first."""
        found = [self._moved(at) for at in dict.fromkeys(one.at for one in self.continuations)]
        return sorted(found, key=lambda one: (-(one.share.pooled or 0.0), one.event))

    def _moved(self, at: int) -> Moved:
        games = {(one.arm, one.number): (self.games[one], one.meeting) for one in self.continuations if one.at == at}
        numbers = sorted({number for _, number in games})
        changed = [
            {"share": ratio(changes(*games[KEPT, n], games[REPLACED, n][0]))}
            for n in numbers
            if (KEPT, n) in games and (REPLACED, n) in games
        ]
        share = estimate(changed)["share"]
        differences = paired(self.arm(KEPT, at), self.arm(REPLACED, at))
        votes = {name.removeprefix("votes "): d for name, d in differences.items() if name.startswith("votes ")}
        said = next(iter(games.values()))[0].trajectory
        assert said is not None
        event = said.events[at]
        return Moved(at, said.names[event.actor or 0], event.text or "", share, votes)

    def to_json(self) -> dict[str, Any]:
        """Everything, JSON-ready."""
        found: dict[str, Any] = {
            **self.facts,
            "arms": {
                arm: {name: value.to_dict() for name, value in found.items()} for arm, found in self.estimates.items()
            },
        }
        if REPLACED in self.estimates:
            found["shift"] = {name: difference.to_dict() for name, difference in self.shift.items()}
        return found

    def scan_json(self) -> dict[str, Any]:
        """The scan, JSON-ready."""
        return self.facts | {
            "statements": [
                {"event": one.event, "speaker": one.speaker, "text": one.text, "share": one.share.to_dict()}
                | {"votes": {name: difference.to_dict() for name, difference in one.votes.items()}}
                for one in self.pivotal
            ]
        }


def measures_of(game: BeliefGame, meeting: int | None) -> dict[str, Measure]:
    """The measures of one continuation."""
    assert game.trajectory is not None
    outcome = OutcomeEval(game.trajectory).measures
    return {name: outcome[name] for name in OUTCOMES} | dict(_votes(game, meeting)) | _beliefs(game)


def _votes(game: BeliefGame, meeting: int | None) -> Iterator[tuple[str, Measure]]:
    cast = [vote.target for vote in game.votes if vote.meeting == meeting]
    for agent in (*game.agents, None) if cast else ():
        name = "skip" if agent is None else game.names[agent]
        yield f"votes {name}", ratio(target == agent for target in cast)


def _beliefs(game: BeliefGame) -> dict[str, Measure]:
    found: dict[str, list[float]] = {}
    for belief in game.first_order:
        if belief.moment and not game.is_duck(belief.observer):
            found.setdefault(f"p {game.names[belief.target]} @{belief.moment}", []).append(p_duck(belief))
    return {name: mean(values) for name, values in found.items()}


def changes(kept: BeliefGame, meeting: int | None, other: BeliefGame) -> list[bool]:
    """For everybody who voted in a meeting of both games, whether the votes differ."""
    votes = [{v.voter: v.target for v in game.votes if v.meeting == meeting} for game in (kept, other)]
    return [votes[0][voter] != votes[1][voter] for voter in votes[0] if voter in votes[1]]


__all__ = ["INDEX", "KEPT", "REPLACED", "Continuation", "Moved", "Shifts", "write_index"]
