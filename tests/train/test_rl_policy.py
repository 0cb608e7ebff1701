"""`rl:PATH`: a network from a file plays, with NumPy alone, the games it was trained for."""

from __future__ import annotations

import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quack_env
from quack_agents import RandomPolicy, play
from quack_agents.rl import SHIPPED, RLPolicy, save_network
from quack_bench import console
from quack_env.errors import ConfigError, QuackWarning

GAME = {"n_players": 4, "game_map": "small", "speech": "tokens"}


def written(file: Path, env: Any, wishes: dict[str, float], **about: Any) -> Path:
    """A file of a network that wants these actions (in the words of seat 0), whatever it sees."""
    game = env.game
    bias = np.zeros(game.world.A, np.float16)
    for words, wish in wishes.items():
        bias[game.briefing.action(words)] = wish
    layers = [(np.zeros((env.layout.size, 3)), np.zeros(3)), (np.zeros((3, game.world.A)), bias)]
    save_network(file, layers, game.config, game.game_map, "tokens", **about)
    return file


@pytest.fixture
def env() -> Any:
    """A dealt game of four on the small map."""
    env = quack_env.raw_env(observation="vector", **GAME)
    env.reset(seed=0)
    return env


def meet(env: Any) -> dict[str, float]:
    """Wishes of one that looks for the button and presses it."""
    ways = dict.fromkeys((f"move({room})" for room in env.game.game_map.rooms), 2.0)
    return ways | {f"move({env.game.game_map.button})": 4, "call_meeting()": 5}


def decision(env: Any, policy: RLPolicy) -> str:
    """What it does now, in words."""
    observation, _, _, _, info = env.last()
    action = policy(observation, info)
    assert info["action_mask"][action]
    return str(env.game.briefing.action_names[action])


def test_takes_the_legal_action_it_finds_best(tmp_path: Path, env: Any) -> None:
    file = written(tmp_path / "net.npz", env, {"skip()": 9, "wait()": 5, "do_task()": -1})
    assert decision(env, RLPolicy(str(file))) == "wait()"  # there is nothing to skip now


def test_names_players_from_its_own_seat(tmp_path: Path) -> None:
    env = quack_env.raw_env(observation="vector", **GAME)
    env.reset(seed=0)
    names = env.game.briefing.names
    policy = RLPolicy(str(written(tmp_path / "net.npz", env, {f"vote({names[1]})": 9} | meet(env))))
    voted = set()
    while not env.game.over and len(voted) < 4:
        seat = env.game.state.current
        words = decision(env, policy)
        if words.startswith("vote("):
            assert words == f"vote({names[(seat + 1) % 4]})"
            voted.add(seat)
        env.step(env.game.briefing.action(words))
    assert len(voted) == 4


def test_shows_what_it_wants_in_every_form_of_observation(tmp_path: Path, env: Any) -> None:
    file = written(tmp_path / "net.npz", env, {"nothing()": 5, "skip()": 3} | meet(env))
    outcomes = []
    for form in ("vector", "dict", "text"):
        other = quack_env.env(observation=form, **GAME)
        outcomes.append(play(other, {agent: RLPolicy(str(file)) for agent in other.possible_agents}, seed=3))
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_reads_what_it_sees(tmp_path: Path, env: Any) -> None:
    file = written(tmp_path / "net.npz", env, {"nothing()": -1} | meet(env))
    with np.load(file) as arrays:
        parts = dict(arrays)
    parts["weight_0"][env.layout.at["round"], 0] = 1  # a hidden unit that tells the discussion round
    parts["weight_1"][0, env.game.briefing.action("nothing()")] = 9
    np.savez(file, **parts)
    policy, said = RLPolicy(str(file)), []
    while not env.game.over and len(said) < 8:
        words = decision(env, policy)
        if env.game.phase == "discussion":
            said.append(words == "nothing()")
        env.step(env.game.briefing.action(words))
    # in round 1 of 2 the unit is 1/2: 4.5 - 1; in round 2 it is 9 - 1: above the zeros of all else in both
    assert said == [True] * 8


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"n_players": 5}, "n_players 4, not 5"),
        ({"game_map": "ship"}, "rooms"),
        ({"speech": "off"}, r"speech 'tokens', not 'off' \(give speech='tokens', or --speech tokens\)$"),
        ({"config": {"reveal_role": True}}, "sizes"),
    ],
)
def test_refuses_a_game_it_was_not_trained_for(tmp_path: Path, env: Any, change: dict[str, Any], told: str) -> None:
    file = written(tmp_path / "net.npz", env, {})
    other = quack_env.env(observation="vector", **(GAME | change))
    policies = {agent: RandomPolicy() for agent in other.possible_agents} | {"player_0": RLPolicy(str(file))}
    with pytest.raises(ConfigError, match=told):
        play(other, policies, seed=0)


def test_warns_in_a_role_or_seat_other_than_the_one_it_learnt_in(tmp_path: Path, env: Any) -> None:
    duck = env.game.state.ducks.bit_length() - 1
    file = written(tmp_path / "net.npz", env, {}, role="duck", agent=f"player_{duck}")
    for agent, info in env.infos.items():
        policy = RLPolicy(str(file))
        if agent == f"player_{duck}":
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                policy.reset(info, 0)
            continue
        told = f"learnt as duck in player_{duck}, and plays here as goose in {agent}$"
        with pytest.warns(QuackWarning, match=told):
            policy.reset(info, 0)


def test_warns_once_of_a_seat_and_role_where_nobody_resets_it(tmp_path: Path, env: Any) -> None:
    policy = RLPolicy(str(written(tmp_path / "net.npz", env, {}, role="goose")))
    duck, goose = (env.infos[f"player_{seat}"] for seat in (env.game.state.ducks.bit_length() - 1, 0))
    with pytest.warns(QuackWarning, match="learnt as goose, and plays here as duck$"):
        policy(None, duck)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        policy(None, duck)
        policy(None, goose)
        policy(None, duck)


def test_the_command_line_shows_a_warning_as_one_line_without_code() -> None:
    words = "policy='rl:duck.zip': learnt as duck, and plays here as goose"
    assert console.told_warning(QuackWarning(words), QuackWarning, "play.py", 3) == f"warning {words}\n"
    assert console.told_warning(UserWarning("other"), UserWarning, "other.py", 3).startswith("other.py:3: UserWarning")


def test_what_is_pickled_plays_the_same(tmp_path: Path, env: Any) -> None:
    policy = RLPolicy(str(written(tmp_path / "net.npz", env, {"wait()": 5})))
    again = pickle.loads(pickle.dumps(policy))
    assert again.name == policy.name
    assert decision(env, again) == decision(env, policy) == "wait()"


def test_a_source_that_is_no_text_is_told() -> None:
    source: Any = None
    with pytest.raises(ConfigError, match=r"^policy=None: must be rl:duck, rl:goose, or rl:PATH"):
        RLPolicy(source)


@pytest.mark.parametrize("info", [{}, None])
def test_an_info_of_nobody_is_told(info: Any) -> None:
    with pytest.raises(ConfigError, match="decides by the info of an environment, which has 'briefing' and 'view'"):
        RLPolicy("duck")(None, info)


@pytest.mark.parametrize("source", ["nobody", "nothing.npz", "nothing.zip", "notes.txt"])
def test_refuses_what_is_not_there(tmp_path: Path, source: str) -> None:
    with pytest.raises(ConfigError, match=source):
        RLPolicy(str(tmp_path / source))


@pytest.mark.parametrize("content", [b"", b"words", b"PK\x03\x04"])
def test_refuses_a_file_that_is_no_network(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "net.npz"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"net\.npz is no exported network, or damaged$"):
        RLPolicy(str(file))


def test_refuses_a_file_of_another_schema(tmp_path: Path, env: Any) -> None:
    with pytest.raises(ConfigError, match="schema 2"):
        RLPolicy(str(written(tmp_path / "net.npz", env, {}, schema=2)))


def test_a_model_of_sb3_names_the_extra_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    file = tmp_path / "model.zip"
    file.touch()
    with pytest.raises(ConfigError, match=r"\.\[train\]"):
        RLPolicy(str(file))


@pytest.mark.parametrize("source", SHIPPED)
def test_the_shipped_networks_play_whole_games(source: str) -> None:
    env = quack_env.env(observation="text", speech="tokens")
    outcome = play(env, {agent: RLPolicy(source) for agent in env.possible_agents}, seed=5)
    assert outcome.winner in ("geese", "ducks")


def test_the_same_seed_gives_the_same_game() -> None:
    results = []
    for _ in range(2):
        env = quack_env.raw_env(observation="vector", speech="tokens")
        play(env, {agent: RLPolicy("goose") for agent in env.possible_agents}, seed=8)
        results.append(env.game.state.to_dict())
    assert results[0] == results[1]
