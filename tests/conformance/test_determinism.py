"""The same seed and actions give the same game: for the whole episode, in copies, saved, and beside other games."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quack_env
from quack_env import TrajectoryError

from .play import (
    AEC_FORMS,
    FORMS,
    OBSERVATIONS,
    SPEECH,
    digest,
    frozen,
    moves,
    run,
    situation,
    speech_of,
    until,
    walk,
)

DEADLY: dict[str, Any] = {"n_players": 6, "n_ducks": 2, "kill_cooldown": 2, "max_ticks": 25, "meeting_calls": 3}
PLAIN: dict[str, Any] = {"config": DEADLY, "observation": "dict"}
MOMENTS = ("free_roam", "transit", "discussion", "voting")
COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


def episode(env: Any, seed: int | None, choices: int) -> list[Any]:
    """Everything that every agent receives in one episode of random play, and the state after every step, frozen."""
    if not hasattr(env, "agent_iter"):
        return parallel_episode(env, seed, choices)
    env.reset(seed=seed)
    story = [situation(env)]
    for agent, action in walk(env, choices):
        story.append((agent, frozen(action), situation(env)))
    for agent in env.agent_iter():
        story.append((agent, frozen(env.last()), digest(env)))
        env.step(None)
    return story


def parallel_episode(env: Any, seed: int | None, choices: int) -> list[Any]:
    observations, infos = env.reset(seed=seed)
    story = [frozen((observations, infos))]
    chance = random.Random(choices)
    while env.agents:
        step = env.step(moves(env, observations, chance))
        story.append((frozen(step), digest(env)))
        observations = step[0]
    return story


# ---------------------------------------------------------------------------------------------------------------------
# Whole episodes


@pytest.mark.parametrize("speech", SPEECH)
@pytest.mark.parametrize("form", list(FORMS))
def test_a_seed_and_its_actions_give_a_byte_equal_episode(form: str, speech: str) -> None:
    for seed, observation in enumerate(OBSERVATIONS):
        config = DEADLY | ({"max_ticks": 4} if observation == "image+dict" else {})  # every image of every agent
        one, two = (FORMS[form](config=config, speech=speech, observation=observation) for _ in range(2))
        assert episode(one, seed, seed) == episode(two, seed, seed)


@pytest.mark.parametrize("form", list(FORMS))
def test_another_seed_gives_another_episode(form: str) -> None:
    env = FORMS[form](**PLAIN)
    digests = []
    for seed in range(20):
        env.reset(seed=seed)
        digests.append(digest(env))
    assert len(set(digests)) == 20


@pytest.mark.parametrize("form", list(FORMS))
def test_episodes_without_a_seed_follow_from_the_last_seed(form: str) -> None:
    """Three in a row on one instance, then the same again after the same seed, on it and on another instance."""

    def three(env: Any) -> list[Any]:
        return [episode(env, seed, 5) for seed in (11, None, None)]

    env = FORMS[form](config=DEADLY, observation="vector")
    first = three(env)
    assert first[0] != first[1] != first[2] != first[0]
    assert three(env) == first
    assert three(FORMS[form](config=DEADLY, observation="vector")) == first


@pytest.mark.parametrize("form", list(FORMS))
def test_two_instances_that_never_had_a_seed_play_different_games(form: str) -> None:
    one, two = FORMS[form](), FORMS[form]()
    one.reset()
    two.reset()
    assert digest(one) != digest(two)


@pytest.mark.parametrize("form", list(FORMS))
def test_numpy_seeds_are_seeds(form: str) -> None:
    one, two = FORMS[form](), FORMS[form]()
    one.reset(seed=np.int64(7))
    two.reset(seed=7)
    assert digest(one) == digest(two)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
@pytest.mark.parametrize("form", list(FORMS))
def test_what_is_no_seed_is_refused_with_what_is_one(form: str, seed: Any) -> None:
    with pytest.raises(quack_env.ConfigError, match=r"seed=.*whole number"):
        FORMS[form]().reset(seed=seed)


# ---------------------------------------------------------------------------------------------------------------------
# Copies


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("speech", SPEECH[1:])
@pytest.mark.parametrize("form", list(AEC_FORMS))
@pytest.mark.parametrize("how", list(COPIES))
def test_a_copy_in_mid_game_goes_on_as_the_original(how: str, form: str, speech: str, moment: str) -> None:
    env = AEC_FORMS[form](config=DEADLY, speech=speech, observation="text")
    env.reset(seed=3)
    until(env, moment, skip=2)
    twin = COPIES[how](env)
    assert situation(twin) == situation(env)
    ours = [(agent, frozen(action), situation(env), digest(env)) for agent, action in walk(env, 8)]
    theirs = [(agent, frozen(action), situation(twin), digest(twin)) for agent, action in walk(twin, 8)]
    assert ours == theirs
    env.reset()
    twin.reset()
    assert digest(env) == digest(twin)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("form", list(AEC_FORMS))
@pytest.mark.parametrize("how", list(COPIES))
def test_a_copy_leaves_the_original_alone(how: str, form: str, moment: str) -> None:
    env = AEC_FORMS[form](**PLAIN, speech="text")
    env.reset(seed=3)
    until(env, moment)
    before = situation(env), json.dumps(env.state_dict())
    twin = COPIES[how](env)
    run(twin, 1)
    twin.reset(seed=8)
    assert (situation(env), json.dumps(env.state_dict())) == before


@pytest.mark.parametrize("how", list(COPIES))
def test_the_action_space_of_a_copy_draws_what_is_legal_in_the_copy(how: str) -> None:
    env = quack_env.env(**PLAIN)
    env.reset(seed=3)
    until(env, "voting")
    twin = COPIES[how](env)
    run(env, 0)
    agent = twin.agent_selection
    mask = twin.observe(agent)["action_mask"]
    assert mask.sum() > 1
    assert all(mask[twin.action_space(agent).sample()] for _ in range(20))


@pytest.mark.parametrize("steps", [1, 5, 12])
@pytest.mark.parametrize("speech", SPEECH)
@pytest.mark.parametrize("how", list(COPIES))
def test_a_copy_of_the_parallel_form_goes_on_as_the_original(how: str, speech: str, steps: int) -> None:
    env = quack_env.parallel_env(**PLAIN, speech=speech)
    observations, _ = env.reset(seed=2)
    chance = random.Random(4)
    for _ in range(steps):
        observations, *_ = env.step(moves(env, observations, chance))
    assert env.agents
    twin = COPIES[how](env)
    assert digest(twin) == digest(env)
    chances = random.Random(6), random.Random(6)
    seen = [observations, observations]
    while env.agents:
        results = [e.step(moves(e, o, c)) for e, o, c in zip((env, twin), seen, chances, strict=True)]
        assert frozen(results[0]) == frozen(results[1])
        assert digest(env) == digest(twin)
        seen = [result[0] for result in results]
    assert not twin.agents


# ---------------------------------------------------------------------------------------------------------------------
# Saved states


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("speech", SPEECH[1:])
def test_a_state_through_json_goes_on_as_the_original(speech: str, moment: str) -> None:
    env = quack_env.env(config=DEADLY, speech=speech, observation="text")
    env.reset(seed=3)
    until(env, moment, skip=1)
    text = json.dumps(env.state_dict())
    twin = quack_env.env(config=DEADLY, speech=speech, observation="text")
    twin.reset(seed=77)
    twin.load_state_dict(json.loads(text))
    assert json.dumps(twin.state_dict()) == text
    assert frozen(twin.last()) == frozen(env.last())
    assert [frozen(twin.observe(a)) for a in twin.agents] == [frozen(env.observe(a)) for a in env.agents]
    ours = [(agent, frozen(action), digest(env), frozen(env.last())) for agent, action in walk(env, 8)]
    theirs = [(agent, frozen(action), digest(twin), frozen(twin.last())) for agent, action in walk(twin, 8)]
    assert ours == theirs


@pytest.mark.parametrize("dead_agents", ["noop", "remove"])
@pytest.mark.parametrize("speech", SPEECH)
def test_a_state_of_the_parallel_form_through_json_goes_on_as_the_original(speech: str, dead_agents: str) -> None:
    options: dict[str, Any] = PLAIN | {"speech": speech, "dead_agents": dead_agents}
    env, twin = quack_env.parallel_env(**options), quack_env.parallel_env(**options)
    observations, infos = env.reset(seed=4)
    chance = random.Random(9)
    count = 0
    while env.agents:
        if count % 10 == 0:
            restored = twin.load_state_dict(json.loads(json.dumps(env.state_dict())))
            for info in infos.values():
                info.pop("lapsed", None)  # told of the step that was, not part of the state
            living = {a: observations[a] for a in env.agents}
            assert twin.agents == env.agents
            assert frozen(restored) == frozen((living, {a: infos[a] for a in env.agents}))
        chosen = moves(env, observations, chance)
        observations, _, _, _, infos = env.step(chosen)
        twin.step(chosen)
        assert digest(twin) == digest(env)
        count += 1


def test_a_finished_state_can_be_loaded() -> None:
    env = quack_env.raw_env(**PLAIN)
    env.reset(seed=1)
    run(env, 1)
    twin = quack_env.raw_env(**PLAIN)
    twin.load_state_dict(json.loads(json.dumps(env.state_dict())))
    assert all(twin.terminations.values())
    assert twin.rewards == env.rewards


@pytest.mark.parametrize("form", ["raw_env", "parallel_env"])
def test_a_state_can_be_loaded_without_a_reset(form: str) -> None:
    env = FORMS[form](**PLAIN)
    env.reset(seed=1)
    fresh = FORMS[form](**PLAIN)
    fresh.load_state_dict(env.state_dict())
    assert digest(fresh) == digest(env)
    assert speech_of(fresh) == "tokens"
    fresh.step(dict.fromkeys(fresh.agents, 0) if form == "parallel_env" else 0)


@pytest.mark.parametrize("form", list(FORMS))
def test_a_state_of_another_kind_of_game_is_refused_and_changes_nothing(form: str) -> None:
    env, other = FORMS[form](**PLAIN), FORMS[form](config={**DEADLY, "n_players": 8}, observation="dict")
    env.reset(seed=1)
    other.reset(seed=1)
    before = json.dumps(env.state_dict())
    with pytest.raises(TrajectoryError, match="another config, map or speech mode"):
        env.load_state_dict(other.state_dict())
    with pytest.raises(TrajectoryError, match="schema"):
        env.load_state_dict({**env.state_dict(), "schema": 99})
    with pytest.raises(TrajectoryError, match="None is no state"):
        env.load_state_dict(None)
    for part in set(env.state_dict()) - {"schema", "settings"}:
        with pytest.raises(TrajectoryError, match=f"the state has no {part}; "):
            env.load_state_dict({key: value for key, value in env.state_dict().items() if key != part})
    assert json.dumps(env.state_dict()) == before


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("seed", "one"),
        ("seed", -1),
        ("forks", [3]),
        ("given", [1]),
        ("inbox", 3),
        ("inbox", []),
        ("transcript", [3]),
        ("state", []),
        ("agents", 3),
        ("agents", ["player_1", "player_0"]),
        ("agents", ["nobody"]),
    ],
)
def test_a_state_with_a_part_that_cannot_be_is_refused_and_changes_nothing(part: str, value: Any) -> None:
    env = quack_env.parallel_env(**PLAIN)
    env.reset(seed=1)
    before = json.dumps(env.state_dict())
    env.reset(seed=2)
    other = env.state_dict()
    env.reset(seed=1)
    with pytest.raises(TrajectoryError, match=rf"state has {part}=|state field"):
        env.load_state_dict({**other, part: value})
    assert json.dumps(env.state_dict()) == before


@pytest.mark.parametrize(("field", "value"), [("tick", "1"), ("alive", [1]), ("room", 3), ("room", ["kitchen"] * 6)])
def test_a_state_with_a_field_that_cannot_be_is_refused_and_changes_nothing(field: str, value: Any) -> None:
    env = quack_env.env(**PLAIN)
    env.reset(seed=1)
    saved = env.state_dict()
    before = json.dumps(saved)
    with pytest.raises(TrajectoryError, match=f"^state field '{field}' does not fit this game: "):
        env.load_state_dict({**saved, "seed": 2, "state": {**saved["state"], field: value}})
    assert json.dumps(env.state_dict()) == before


# ---------------------------------------------------------------------------------------------------------------------
# Nothing else shifts a game


@pytest.mark.parametrize("form", list(AEC_FORMS))
def test_two_games_stepped_in_turn_are_the_games_played_alone(form: str) -> None:
    alone = [episode(AEC_FORMS[form](config=DEADLY, observation="vector"), seed, seed) for seed in (1, 2)]
    envs = [AEC_FORMS[form](config=DEADLY, observation="vector") for _ in range(2)]
    for seed, env in zip((1, 2), envs, strict=True):
        env.reset(seed=seed)
    stories: list[list[Any]] = [[situation(env)] for env in envs]
    walks = [walk(env, seed) for seed, env in zip((1, 2), envs, strict=True)]
    running = {0, 1}
    while running:
        for i in sorted(running):
            taken = next(walks[i], None)
            if taken is None:
                running.discard(i)
            else:
                stories[i].append((taken[0], frozen(taken[1]), situation(envs[i])))
    for story, whole in zip(stories, alone, strict=True):
        assert story == whole[: len(story)]
        assert len(story) + 6 == len(whole)  # the six agents' last steps


@pytest.mark.parametrize("form", list(FORMS))
def test_other_random_numbers_do_not_shift_a_game(form: str) -> None:
    quiet = episode(FORMS[form](config=DEADLY, observation="vector"), 6, 6)
    env = FORMS[form](config=DEADLY, observation="vector")
    original = env.step

    def noisy(action: Any) -> Any:
        random.seed(1)
        random.random()
        np.random.seed(2)
        np.random.random()
        return original(action)

    env.step = noisy
    assert episode(env, 6, 6) == quiet


@pytest.mark.parametrize("form", list(FORMS))
def test_a_game_leaves_other_random_numbers_alone(form: str) -> None:
    random.seed(3)
    np.random.seed(3)
    before = random.getstate(), frozen(np.random.get_state()[1])
    episode(FORMS[form](**PLAIN), 6, 6)
    assert (random.getstate(), frozen(np.random.get_state()[1])) == before


@pytest.mark.parametrize("form", list(AEC_FORMS))
def test_looking_changes_nothing(form: str) -> None:
    """`observe`, `last`, `state`, infos and their texts, as often as one likes."""
    env, twin = (AEC_FORMS[form](**PLAIN) for _ in range(2))
    env.reset(seed=2)
    twin.reset(seed=2)
    for _, action in walk(env, 2):
        for agent in twin.agents:
            twin.observe(agent)
            frozen(twin.infos[agent])
        twin.last()
        twin.state()
        twin.state_dict()
        twin.step(action)
    assert digest(twin) == digest(env)


@pytest.mark.parametrize("form", list(AEC_FORMS))
def test_what_a_player_does_to_its_observation_changes_nothing(form: str) -> None:
    env, twin = (AEC_FORMS[form](config=DEADLY, observation="vector") for _ in range(2))
    env.reset(seed=2)
    twin.reset(seed=2)
    for _, action in walk(env, 2):
        observation, _, _, _, info = twin.last()
        observation["observation"][:] = 7
        observation["action_mask"][:] = 1
        info["action_mask"][:] = 1
        illegal = env.observe(env.agent_selection)["action_mask"].tolist().index(0)
        with pytest.raises(quack_env.IllegalActionError):
            twin.step(illegal)
        twin.step(action)
    assert digest(twin) == digest(env)


def test_a_saved_state_is_loaded_into_a_new_environment_without_a_reset() -> None:
    env, twin = quack_env.env(observation="vector"), quack_env.env(observation="vector")
    env.reset(seed=5)
    env.step(0)
    twin.load_state_dict(json.loads(json.dumps(env.unwrapped.state_dict())))  # type: ignore[attr-defined]
    assert twin.agent_selection == env.agent_selection
    for each in (env, twin):
        each.step(0)
    assert frozen(twin.last()[0]) == frozen(env.last()[0])


def test_settings_and_single_options_are_checked_together() -> None:
    env = quack_env.raw_env(config={"n_ducks": 3}, n_players=10, observation="vector")
    assert (env.game.config.n_players, env.game.config.n_ducks) == (10, 3)


def test_a_state_of_other_settings_is_refused() -> None:
    env, other = quack_env.raw_env(observation="vector"), quack_env.raw_env(observation="vector", max_ticks=7)
    env.reset(seed=1)
    with pytest.raises(quack_env.TrajectoryError, match="another config"):
        other.load_state_dict(env.state_dict())


def test_a_recorded_environment_is_not_copied_into_the_same_file(tmp_path: Path) -> None:
    env = quack_env.RecordTrajectory(quack_env.env(observation="vector"), tmp_path / "game")
    env.reset(seed=1)
    for clone in (copy.deepcopy, pickle.dumps):
        with pytest.raises(quack_env.QuackError, match="recorded environment cannot be"):
            clone(env)
    env.close()
