"""The seat environment: Gymnasium's contract, and the game as one agent among policies."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import quack_env
from quack_env.policies import known_policies
from quack_env.seat import QuackSeat

from .play import HOUSE, OBSERVATIONS, SPEECH, frozen

SEAT = "quack_env/Seat-v0"


class Uniform:
    """A policy that takes any legal action, from the seed it is given."""

    def __init__(self) -> None:
        self.seeds: list[int] = []
        self.infos: list[Any] = []
        self.chance = random.Random(0)

    def reset(self, info: Any, seed: int) -> None:
        self.infos.append(info)
        self.seeds.append(seed)
        self.chance = random.Random(seed)

    def __call__(self, observation: Any, info: Any) -> int:
        return self.chance.choice(np.flatnonzero(observation["action_mask"]).tolist())


def seat_env(**options: Any) -> gymnasium.Env[Any, Any]:
    """A seat among uniformly random players, without Gymnasium's wrappers."""
    settings: dict[str, Any] = {"config": {"n_tasks": 2, "max_ticks": 20}, "game_map": HOUSE} | options
    n_players = settings["config"].get("n_players", 6)
    settings.setdefault("opponents", {f"player_{i}": Uniform() for i in range(n_players)})
    return gymnasium.make(SEAT, **settings).unwrapped


class Lenient(QuackSeat):
    """Gymnasium's checker draws an action in one position and takes it in another; this takes a legal one there."""

    def step(self, action: Any) -> Any:
        number = action["action"] if isinstance(action, dict) else action
        mask = self.action_masks()
        return super().step(action if mask[number] else int(np.flatnonzero(mask)[0]))


def play(env: gymnasium.Env[Any, Any], seed: int) -> list[Any]:
    """All that one seat receives in a game of random legal actions, frozen."""
    observation, info = env.reset(seed=seed)
    story = [frozen((observation, info))]
    env.action_space.seed(seed)
    over = False
    while not over:
        observation, reward, over, truncated, info = env.step(env.action_space.sample())
        story.append(frozen((observation, reward, over, truncated, info)))
        assert not truncated
    return story


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("speech", SPEECH)
@pytest.mark.parametrize("seat", [0, 5])
def test_the_seat_passes_gymnasiums_checker(seat: int, speech: str, observation: str) -> None:
    others = {f"player_{i}": Uniform() for i in range(6)}
    check_env(Lenient(seat=seat, opponents=others, speech=speech, observation=observation), skip_render_check=True)


def test_the_seat_passes_gymnasiums_checker_among_random_players() -> None:
    """By the policy's name, which an installed package provides."""
    if "random" not in known_policies():
        pytest.skip("quack_env is not installed, so no policy has a name")
    check_env(Lenient(opponents="random"), skip_render_check=True)
    env = gymnasium.make(SEAT, opponents="random", disable_env_checker=False)
    env.reset(seed=0)
    assert not env.step(env.action_space.sample())[3]


def test_an_unknown_policy_is_named() -> None:
    with pytest.raises(quack_env.ConfigError, match=r"^opponents: policy='nobody': unknown"):
        gymnasium.make(SEAT, opponents="nobody")


@pytest.mark.parametrize("agent", ["player_6", "palyer_1", 1])
def test_an_opponent_that_is_no_agent_is_named_with_the_agents_there_are(agent: Any) -> None:
    with pytest.raises(quack_env.ConfigError, match=rf"opponents={agent!r}: must be one of 'player_0', .*'player_5'$"):
        seat_env(opponents={"player_1": Uniform(), agent: Uniform()})


@pytest.mark.parametrize("seat", [-1, 6, "0", None, True, np.ones(1), [0]])
def test_a_seat_that_is_not_is_refused_with_the_seats_there_are(seat: Any) -> None:
    with pytest.raises(quack_env.ConfigError, match=r"seat=.*must be one of 0, 1, 2, 3, 4, 5"):
        seat_env(seat=seat)


def test_opponents_that_keep_a_memory_are_one_a_seat() -> None:
    one = Uniform()
    for opponents in (one, {"player_1": one, "player_4": one}):
        with pytest.raises(quack_env.ConfigError, match=r"^opponents: several share one policy that keeps a memory"):
            seat_env(opponents=opponents)
    seat_env(opponents={"player_0": one, "player_4": one})  # the seat's own is not looked at


def test_a_class_is_no_opponent() -> None:
    with pytest.raises(quack_env.ConfigError, match="opponents=Uniform: is a class"):
        seat_env(opponents=Uniform)


def test_a_seed_may_be_a_number_of_numpy() -> None:
    env = gymnasium.make(SEAT, observation="vector", opponents="random")
    first, _ = env.reset(seed=np.int64(5))  # type: ignore[arg-type]
    second, _ = env.reset(seed=5)
    assert (first["observation"] == second["observation"]).all()
    with pytest.raises(quack_env.ConfigError, match="seed=-1: must be a whole number from 0"):
        env.reset(seed=-1)


@pytest.mark.parametrize(("role", "duck"), [("duck", 1), ("goose", 0)])
def test_a_seat_with_a_role_has_it_in_every_game(role: str, duck: int) -> None:
    env: Any = seat_env(seat=1, role=role)
    seeds = []
    for seed in (*range(8), *[None] * 8):
        _, info = env.reset(seed=seed)
        assert info["view"].duck == duck
        seeds.append(env.env.game.seed)
    assert len(set(seeds)) == 16
    for seed in range(8):  # a game that deals the role is the one of its seed; another's is decided by its seed
        env.reset(seed=seed)
        assert env.env.game.seed == seeds[seed]
    assert set(range(8)) & set(seeds)


def test_a_role_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(quack_env.ConfigError, match="role='geese': must be one of None, 'goose', 'duck'"):
        seat_env(role="geese")


def test_a_seat_is_dealt_a_recorded_game(tmp_path: Path) -> None:
    options: dict[str, Any] = {"config": {"n_tasks": 2, "max_ticks": 20}, "game_map": HOUSE}
    recorded = quack_env.RecordTrajectory(quack_env.env(**options), tmp_path / "game")
    recorded.reset(seed=11)
    recorded.close()
    header = quack_env.GameRecord.load(tmp_path / "game").header
    env: Any = seat_env(seat=0)
    env.reset(seed=1, options={"deal": header})
    assert env.env.game.seed == 11
    other = "goose" if header.seats[0].role == "duck" else "duck"
    env = seat_env(seat=0, role=other)
    env.reset(seed=1)
    before = env.env.game.seed, env.env.game.state.digest()
    with pytest.raises(
        quack_env.ConfigError, match=f"role='{other}': player_0 is a {header.seats[0].role} in the game"
    ):
        env.reset(options={"deal": header})
    assert (env.env.game.seed, env.env.game.state.digest()) == before


def test_a_seed_gives_the_same_game_to_the_byte() -> None:
    env = seat_env(observation="text")
    first = play(env, 4)
    assert play(env, 4) == first
    assert play(seat_env(observation="text"), 4) == first
    assert play(env, 5) != first


def test_every_other_seat_is_reset_with_a_seed_and_an_info_of_its_own() -> None:
    policies: dict[str, Any] = {f"player_{i}": Uniform() for i in range(6)}
    env = seat_env(opponents=policies, seat=2)
    env.reset(seed=0)
    env.reset(seed=1)
    assert policies["player_2"].seeds == []
    seeds = [seed for agent, policy in policies.items() if agent != "player_2" for seed in policy.seeds]
    assert len(set(seeds)) == 10
    for i in (0, 1, 3, 4, 5):
        assert policies[f"player_{i}"].infos[0]["view"].me == i


@pytest.mark.parametrize("seat", [0, 3])
def test_the_seat_gets_its_teams_reward_once_and_at_the_end(seat: int) -> None:
    results = set()
    env: Any = seat_env(seat=seat, config={"n_tasks": 2, "max_ticks": 30, "n_players": 5, "kill_cooldown": 2})
    for seed in range(20):
        env.reset(seed=seed)
        env.action_space.seed(seed)
        rewards, over = [], False
        while not over:
            _, reward, over, _, info = env.step(env.action_space.sample())
            rewards.append(reward)
        game = env.env.game
        duck = game.state.ducks >> seat & 1
        won = game.outcome.winner == ("ducks" if duck else "geese")
        assert rewards[:-1] == [0.0] * (len(rewards) - 1)
        assert rewards[-1] == (1.0 if won else -1.0) == info["outcome"]
        results.add((duck, won, info["self_alive"]))
    assert len({won for _, won, _ in results}) == 2
    assert len({alive for _, _, alive in results}) == 2


def test_the_mask_is_in_observation_info_and_action_masks() -> None:
    env: Any = seat_env()
    observation, info = env.reset(seed=0)
    over = False
    while not over:
        mask = env.action_masks()
        assert mask.dtype == np.int8
        assert mask.any()
        assert np.array_equal(mask, observation["action_mask"])
        assert np.array_equal(mask, info["action_mask"])
        mask[:] = 1  # a copy
        observation, _, over, _, info = env.step(int(np.flatnonzero(observation["action_mask"])[-1]))


def test_an_illegal_action_of_the_seat_is_refused_and_changes_nothing() -> None:
    env: Any = seat_env()
    env.reset(seed=0)
    before = env.env.game.state.digest()
    with pytest.raises(quack_env.IllegalActionError, match="player_0 may not do"):
        env.step(10**6)
    assert env.env.game.state.digest() == before


def test_a_seat_that_dies_before_its_first_decision_is_shown_the_end_and_one_step_returns_it() -> None:
    """Ducks without a pause, in one room with their victims, kill somebody in the first tick before its turn."""

    def kill(observation: Any, info: Any) -> int:
        legal = np.flatnonzero(observation["action_mask"])
        kills = [a for a in legal if info["briefing"].action_names[a].startswith("kill")]
        return int(kills[0] if kills else legal[0])

    closet = {
        "rooms": {"one": [0, 0], "two": [1, 0]},
        "corridors": [["one", "two", 1]],
        "tasks": {"one": "Wait"},
        "button": "two",
    }
    config = {"n_players": 7, "n_ducks": 3, "n_tasks": 0, "kill_cooldown": 0, "max_ticks": 9}
    env: Any = seat_env(opponents=kill, config=config, game_map=closet, speech="off")
    died_first = 0
    for seed in range(30):
        observation, _ = env.reset(seed=seed)
        if not env.env.game.over:
            continue
        died_first += 1
        assert np.flatnonzero(observation["action_mask"]).tolist() == [0]
        _, reward, over, truncated, _ = env.step(0)
        assert (over, truncated) == (True, False)
        assert abs(reward) == 1
    assert died_first


def test_the_game_of_a_seat_is_the_aec_game() -> None:
    """The same policies in the plain loop see and do the same."""
    policies: dict[str, Any] = {f"player_{i}": Uniform() for i in range(6)}
    options: dict[str, Any] = {"config": {"n_tasks": 2, "max_ticks": 20}, "game_map": HOUSE}
    env: Any = seat_env(opponents=policies)
    story = play(env, 3)
    seeds = {agent: policy.seeds[-1] for agent, policy in policies.items() if policy.seeds}
    plain = quack_env.env(**options)
    plain.reset(seed=3)
    for agent, seed in seeds.items():
        policies[agent].reset(plain.infos[agent], seed)
    env.action_space.seed(3)
    plain.action_space("player_0").seed(3)
    mine = []
    for agent in plain.agent_iter():
        observation, _, over, _, info = plain.last()
        if over:
            break
        if agent == "player_0":
            mine.append((frozen(observation), frozen(info)))
            plain.step(plain.action_space(agent).sample())
        else:
            plain.step(policies[agent](observation, info))
    assert [seen[1][0:2] for seen in story[:1]] == [mine[0]]
    assert len(mine) in (len(story) - 1, len(story))
    assert env.env.game.state.digest() == plain.unwrapped.game.state.digest()
