"""Forks: what is fixed is the recording, what follows has a chance of its own and can be replayed."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

import quack_env
from quack_agents import RandomPolicy, ScriptedPolicy, play
from quack_agents.guided import GuidedPolicy
from quack_env import GameRecord, RecordTrajectory, TrajectoryError
from quack_env.events import event_of
from quack_env.forks import Past, fork
from quack_env.replay import check, game_of


def record(folder: Path, speech: str = "tokens", seed: int = 5) -> GameRecord:
    """A scripted game."""
    env = RecordTrajectory(quack_env.env(speech=speech, observation="vector"), folder)
    play(env, {agent: ScriptedPolicy() for agent in env.possible_agents}, seed=seed)
    env.close()
    return GameRecord.load(folder)


def go_on(original: GameRecord, at: int | None, number: int, folder: Path, kind: Any = ScriptedPolicy) -> GameRecord:
    """A continuation, recorded, with policies that are led through the past."""
    env = RecordTrajectory(fork(original, at, number, observation="vector"), folder)
    past = env.env.past
    play(env, {agent: GuidedPolicy(kind(), past.actions(agent)) for agent in env.possible_agents})
    env.close()
    return GameRecord.load(folder)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> GameRecord:
    """A game with meetings."""
    found = record(tmp_path_factory.mktemp("fork") / "game")
    assert any(event.kind == "vote" for event in found.events)
    return found


@pytest.mark.parametrize("speech", ["tokens", "text", "off"])
def test_the_recorded_decisions_played_again_make_the_recorded_game(speech: str, tmp_path: Path) -> None:
    original = record(tmp_path / "a", speech, seed=3)
    again = go_on(original, None, 0, tmp_path / "b", RandomPolicy)
    assert again.events == original.events and again.seals == original.seals


def test_a_fork_at_every_event_that_goes_on_as_recorded_makes_the_recorded_game(game: GameRecord) -> None:
    whole = Past.of(game)
    for at in range(len(game.events) + 1):
        past = Past.of(game, at)
        fixed = len(past.decisions)
        assert past.decisions == whole.decisions[:fixed]
        assert fixed == len(whole.decisions) or whole.decisions[fixed].event >= at
    for at in range(0, len(game.events), 40):
        env = fork(game, at, 0, observation="vector")
        env.unwrapped.game.recording = True
        env.reset()
        env.skip()
        for decision in whole.decisions[env.decided :]:
            assert env.agent_selection == decision.agent
            env.step(decision.action)
        _, _, seals = env.unwrapped.game.take()
        assert [(seal.tick, seal.hash) for seal in game.seals] == [(tick, digest) for _, tick, digest in seals]


def test_a_short_game_forked_at_each_of_its_events_is_the_recorded_game_event_by_event(tmp_path: Path) -> None:
    config = {"n_players": 4, "n_tasks": 2, "kill_cooldown": 2, "max_ticks": 14, "discussion_rounds": 1}
    inner = quack_env.env(config=config, game_map="small", speech="text", observation="vector")
    env = RecordTrajectory(inner, tmp_path / "short")
    play(env, {agent: ScriptedPolicy() for agent in env.possible_agents}, seed=5)
    env.close()
    short = GameRecord.load(tmp_path / "short")
    assert {"kill", "statement", "vote"} <= {event.kind for event in short.events}
    recorded = [decision.action for decision in Past.of(short).decisions]
    for at in range(len(short.events) + 1):
        fork_env = fork(short, at, 0, observation="vector")
        game = fork_env.unwrapped.game  # type: ignore[attr-defined]
        game.recording = True
        fork_env.reset()
        fork_env.skip()
        for action in recorded[fork_env.decided :]:
            fork_env.step(action)
        log, texts, seals = game.take()
        assert [event_of(e, k, game.briefing, texts.get(k)) for k, e in enumerate(log)] == short.events
        assert [(tick, digest) for _, tick, digest in seals] == [(seal.tick, seal.hash) for seal in short.seals]


def test_the_same_policies_go_on_as_they_did_when_chance_is_the_original(game: GameRecord, tmp_path: Path) -> None:
    half = len(game.events) // 2
    assert go_on(game, half, 0, tmp_path / "b").events == game.events


def test_a_continuation_keeps_the_past_has_its_own_chance_and_can_be_replayed(game: GameRecord, tmp_path: Path) -> None:
    half = len(game.events) // 2
    first, second = (go_on(game, half, number, tmp_path / str(number)) for number in (1, 2))
    assert first.events[:half] == game.events[:half] == second.events[:half]
    assert first.events != second.events != game.events
    assert (first.header.forks[0][1], first.header.seed) == (1, game.header.seed)
    for continuation in (first, second):
        found = check(continuation)
        assert found.ok and found.seals == len(continuation.seals)


def test_a_continuation_is_the_same_every_time(game: GameRecord, tmp_path: Path) -> None:
    assert go_on(game, 60, 4, tmp_path / "a").events == go_on(game, 60, 4, tmp_path / "b").events


def test_a_fork_of_a_fork_goes_on_from_it(game: GameRecord, tmp_path: Path) -> None:
    once = go_on(game, 60, 1, tmp_path / "a")
    assert go_on(once, None, 0, tmp_path / "b", RandomPolicy).events == once.events
    twice = go_on(once, 90, 2, tmp_path / "c")
    assert twice.events[:90] == once.events[:90] and twice.events != once.events
    assert len(twice.header.forks) == 2 and check(twice).ok


def test_given_draws_hold_as_far_as_they_go_and_chance_has_the_rest(game: GameRecord, tmp_path: Path) -> None:
    order = [5, 4, 3, 2, 1, 0]
    places = [0, 0, 0, 0, 0, 0]
    seats = [seat.model_copy(update={"spawn": game.game_map.rooms[0]}) for seat in game.header.seats]
    given = {"turn_order": {"1": order}, "places": {"0": places}}
    header = game.header.model_copy(update={"given": given, "seats": seats})
    env = RecordTrajectory(quack_env.raw_env(observation="vector"), tmp_path / "g")
    policies = {agent: RandomPolicy() for agent in env.possible_agents}
    env.reset(options={"deal": header})
    asked = []
    for agent in env.agent_iter():
        observation, _, over, _, info = env.last()
        asked.append(agent)
        env.step(None if over else policies[agent](observation, info))
    env.close()
    assert asked[:6] == [f"player_{i}" for i in order]
    recorded = GameRecord.load(tmp_path / "g")
    assert recorded.header.given == given and check(recorded).ok
    drawn = game_of(game.header)
    assert recorded.names == list(drawn.briefing.names)


def test_what_cannot_be_forked_is_said(game: GameRecord, tmp_path: Path) -> None:
    with pytest.raises(TrajectoryError, match=r"^'runs/a': must be a recorded game, as GameRecord.load"):
        fork("runs/a")  # type: ignore[arg-type]
    with pytest.raises(TrajectoryError, match=f"events 0 to {len(game.events) - 1}"):
        fork(game, 10_000)
    with pytest.raises(TrajectoryError, match="whole number"):
        fork(game, 3, -1)
    header = game.header.model_copy(update={"form": "parallel"})
    with pytest.raises(TrajectoryError, match="AEC"):
        fork(GameRecord(header, game.events), 3)


def test_a_game_with_given_draws_can_be_copied_saved_and_loaded(game: GameRecord) -> None:
    given = {"turn_order": {str(tick): [5, 4, 3, 2, 1, 0] for tick in range(1, 30)}}
    env = quack_env.raw_env(observation="vector")
    env.reset(options={"deal": game.header.model_copy(update={"given": given})})
    other = quack_env.raw_env(observation="vector")
    other.load_state_dict(env.state_dict())
    for one in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env)), other):
        asked = []
        for _ in range(12):
            asked.append(one.agent_selection)
            one.step(0)
        assert asked[:6] == [f"player_{i}" for i in (5, 4, 3, 2, 1, 0)] == asked[6:]
