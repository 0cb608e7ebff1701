"""Forks of a recorded game: continuations with chosen policies, with one utterance replaced, or silenced one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from quack_agents import make_policy, play, play_many
from quack_agents.guided import GuidedPolicy
from quack_agents.llm import BudgetError, Client
from quack_agents.probe import GameProbe
from quack_bench.games import policy_for
from quack_bench.runner import MODEL_GAMES
from quack_bench.suite import is_model
from quack_env import ConfigError, GameRecord, QuackError, RecordTrajectory
from quack_env.beliefs import FILE as BELIEFS
from quack_env.beliefs import BeliefStore
from quack_env.forks import Decision, ForkAEC, Past, fork
from quack_env.replay import game_of
from quack_env.state import DISCUSSION, VOTING
from quack_env.trajectory import FILE, new_folder
from quack_eval.beliefs.shifts import KEPT, REPLACED, Continuation, write_index
from quack_eval.timeline import Timeline

BEFORE, AFTER, VOTE = "before", "after", "vote"
"""Moments at which all living players are asked: at the fork, after the utterance, before the vote of its meeting."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Point:
    """Where a game forks: before event ``at``. ``said``: the decision to say what is said there, if somebody does."""

    trajectory: GameRecord
    at: int
    past: Past
    said: Decision | None
    meeting: int | None

    @classmethod
    def of(cls, record: GameRecord, at: int) -> Point:
        """The point before an event.

        Raises:
            TrajectoryError: where the recording cannot be forked there.
        """
        past = Past.of(record, at)
        following = Past.of(record).decisions[len(past.decisions) :]
        spoken = at < len(record.events) and record.events[at].kind == "statement"
        said = following[0] if spoken and following and following[0].event == at else None
        return cls(record, at, past, said, meeting_of(record, at))

    def given(self, agent: str, replaced: Any = None) -> list[Any]:
        """What is given to an agent: its past, and where somebody speaks at the point, that or what replaces it."""
        actions = self.past.actions(agent)
        if self.said is not None and self.said.agent == agent:
            actions.append(self.said.action if replaced is None else replaced)
        return actions

    def replacement(self, say: str) -> Any:
        """The action that says something else here; "" says nothing.

        Raises:
            ConfigError: where nobody speaks, or the game's statements have no such one.
        """
        if self.said is None:
            raise ConfigError(f"event {self.at}: nobody speaks there; statements are {_listed(self.trajectory)}")
        game = game_of(self.trajectory.header)
        world, briefing = game.world, game.briefing
        if self.trajectory.header.speech == "text":
            game.clean_say(0, say)  # refuses what is too long
            return {"action": world.act_speak, "say": say} if say else world.act_speak
        words = say or "nothing()"
        if words not in briefing.action_names[world.act_state :]:
            raise ConfigError(f"say={say!r}: must be a statement of the game, as in suspect({briefing.names[0]})")
        return briefing.action(words)


def meeting_of(record: GameRecord, at: int) -> int | None:
    """The meeting in whose discussion or vote an event lies; None elsewhere."""
    meetings = Timeline(record).meetings
    return next((m.number for m in meetings if m.statements and m.statements[0] <= at < m.end), None)


def _listed(trajectory: GameRecord, most: int = 8) -> str:
    spoken = [str(event.index) for event in trajectory.events if event.kind == "statement"]
    return (", ".join(spoken[:most]) + (", ..." if len(spoken) > most else "")) or "none"


def statements_of(record: GameRecord, meeting: int) -> list[int]:
    """The events of the statements of a meeting.

    Raises:
        ConfigError: where there is no such meeting.
    """
    meetings = Timeline(record).meetings
    if not 0 <= meeting < len(meetings):
        raise ConfigError(f"meeting {meeting}: the game has {len(meetings)}, counted from 0")
    return list(meetings[meeting].statements)


def policies_of(
    record: GameRecord, goose: str | None = None, duck: str | None = None, seats: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The policies that go on, by agent: the given ones, else those of the recording.

    Raises:
        ConfigError: where the recording names none for a seat, or there is no such policy.
    """
    names: dict[str, str] = {}
    for seat in record.header.seats:
        name = (seats or {}).get(seat.agent) or (duck if seat.role == "duck" else goose) or seat.policy
        if name is None or name in ("script", "human"):
            told = "names no policy" if name is None else f"was played by {name}"
            raise ConfigError(f"{seat.agent}: the recording {told}; choose with --goose, --duck or --seat")
        names[seat.agent] = name
    for name in set(names.values()):
        make_policy(name)
    return names


class Enough(QuackError):  # noqa: N818 - no fault: what was asked for has been played
    """The vote is over, and nothing else was asked for."""


class ForkProbe(GameProbe):
    """Asks everybody at the moments of a fork, and ends the game where only its meeting is wanted."""

    def __init__(self, point: Point, env: ForkAEC, asks: bool, to_vote: bool, store: BeliefStore, game_id: str) -> None:
        super().__init__({"triggers": []}, store, game_id)
        self.point, self.env, self.asks, self.to_vote = point, env, asks, to_vote
        self._voted = False

    def due(self) -> Any:
        """What is to be awaited before the next decision."""
        phase, fixed = self._game.state.phase, len(self.point.past.decisions)
        in_meeting = self.point.meeting is not None and self._game.state.meeting - 1 == self.point.meeting
        if self.to_vote and self._voted and phase not in (DISCUSSION, VOTING):
            raise Enough("the vote is over")
        moment = None
        if self.env.decided == fixed:
            moment = BEFORE
        elif self.env.decided == fixed + 1 and self.point.said is not None:
            moment = AFTER
        if in_meeting and phase == VOTING and not self._voted:
            self._voted = True
            moment = VOTE
        return self.at(moment) if moment and self.asks else None


def play_fork(
    point: Point,
    number: int,
    names: Mapping[str, str],
    run: Path,
    store: BeliefStore,
    *,
    replaced: Any = None,
    asks: bool = True,
    to_vote: bool = False,
    client: Client | None = None,
    make: Callable[[str], Any] | None = None,
) -> Continuation:
    """Play and record one continuation."""
    arm = KEPT if replaced is None else REPLACED
    game_id = f"event-{point.at:04d}/{arm}/fork-{number:03d}"
    if (run / game_id / FILE).exists():
        raise ConfigError(f"{run / game_id}: already holds a recorded game; choose another --out")
    inner = fork(point.trajectory, point.at, number, observation="vector")
    env = RecordTrajectory(inner, run / game_id, names)
    policies = {
        agent: GuidedPolicy(
            make(name) if make else policy_for(name, f"{number}/{agent}", client), point.given(agent, replaced)
        )
        for agent, name in names.items()
    }
    probe = ForkProbe(point, inner, asks, to_vote, store, game_id)
    try:
        play(env, policies, probe=probe)
    except Enough:
        pass
    finally:
        env.close()
    return Continuation(game_id, point.at, arm, number, point.meeting)


def play_forks(
    point: Point,
    n: int,
    names: Mapping[str, str],
    run: Path,
    say: str | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
    **options: Any,
) -> list[Continuation]:
    """``n`` continuations; where something else is said in place of an utterance, as many without that, on the same
    chance. Indexed for `quack_eval.beliefs.shifts`. ``jobs``: at once, see `quack_bench.scripts.play_situations`."""
    arms = [None] if say is None else [None, point.replacement(say)]
    return _play_all(
        [(point, arm) for arm in arms], n, names, run, progress, {"at": point.at, "say": say}, options, jobs
    )


def scan(
    record: GameRecord,
    meeting: int,
    n: int,
    names: Mapping[str, str],
    run: Path,
    max_games: int | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
    **options: Any,
) -> list[Continuation]:
    """Every statement of a meeting, kept and silenced, each ``n`` times on the same chance, up to the vote.

    With ``max_games`` there are fewer of each, and at least one.

    Raises:
        ConfigError: where that many games are too few.
    """
    points = [Point.of(record, at) for at in statements_of(record, meeting)]
    if max_games is not None and max_games < 2 * len(points):
        raise ConfigError(f"max_games={max_games}: {len(points)} statements take at least {2 * len(points)}")
    times = n if max_games is None else min(n, max_games // (2 * len(points)))
    arms = [(point, arm) for point in points for arm in (None, point.replacement(""))]
    facts = {"meeting": meeting, "n": times}
    return _play_all(arms, times, names, run, progress, facts, {"to_vote": True, **options}, jobs)


def _play_all(
    arms: Sequence[tuple[Point, Any]],
    n: int,
    names: Mapping[str, str],
    run: Path,
    progress: Progress | None,
    facts: Mapping[str, Any],
    options: Mapping[str, Any],
    jobs: int | None,
) -> list[Continuation]:
    new_folder(run)
    found: list[Continuation] = []
    store = BeliefStore(run / BELIEFS)
    stopped: str | None = None

    def play_one(number: int, point: Point, replaced: Any) -> None:
        found.append(play_fork(point, number, names, run, store, replaced=replaced, **options))
        if progress:
            progress(len(found), n * len(arms))

    games = [partial(play_one, number, *arm) for number in range(1, n + 1) for arm in arms]
    try:
        play_many(games, jobs or (MODEL_GAMES if any(map(is_model, names.values())) else 1))
    except BudgetError as fault:
        if not found:
            raise
        stopped = str(fault)  # what has been paid for is told of
    finally:
        store.close()
        original = str(arms[0][0].trajectory.path or "") if arms else ""
        found.sort(key=lambda one: (one.number, one.at, one.arm))
        write_index(run, original, found, stopped=stopped, **facts)
    return found


__all__ = ["Point", "play_fork", "play_forks", "policies_of", "scan", "statements_of"]
