"""Stable-Baselines3: each seat of each game is an environment, with masks in its own words."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import quack_env
from quack_env.errors import ConfigError, IllegalActionError, QuackWarning

pytest.importorskip("sb3_contrib", reason='sb3-contrib is not installed (pip install -e ".[train]")')

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from quack_agents.adapters.relative import relative_actions
from quack_agents.adapters.sb3 import QuackVecEnv, export
from quack_agents.rl import RLPolicy

torch.set_num_threads(1)  # more wait for each other on shared cores
SHORT: dict[str, Any] = {"n_players": 4, "game_map": "small", "max_ticks": 12, "speech": "tokens"}


def random_legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A legal action in every row."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize("relative", [True, False])
def test_plays_the_games_of_the_parallel_form(relative: bool) -> None:
    env = QuackVecEnv(3, relative_actions=relative, **SHORT)
    env.seed(5)
    seen = env.reset()
    seeds = [env.games.seed_of(g, 0) for g in range(3)]
    scalar = [quack_env.parallel_env(observation="vector", **SHORT) for _ in range(3)]
    known = [one.reset(seed=seed)[0] for one, seed in zip(scalar, seeds, strict=True)]
    table = relative_actions(scalar[0].game.world) if relative else np.tile(np.arange(env.action_space.n), (4, 1))
    rng = np.random.default_rng(1)
    running = [True] * 3
    while any(running):
        masks = env.action_masks()
        actions = random_legal(masks, rng)
        after, rewards, done, infos = env.step(actions)
        for g in range(3):
            if not running[g]:
                continue
            chosen = {}
            for i, agent in enumerate(scalar[g].possible_agents):
                row = g * 4 + i
                assert (seen[row] == known[g][agent]["observation"]).all()
                assert (masks[row] == known[g][agent]["action_mask"][table[i]]).all()
                chosen[agent] = int(table[i, actions[row]])
            known[g], won, ended, _, _ = scalar[g].step(chosen)
            assert list(won.values()) == rewards[g * 4 : g * 4 + 4].tolist()
            running[g] = not all(ended.values())
            assert done[g * 4 : g * 4 + 4].tolist() == [not running[g]] * 4
            if not running[g]:
                last = [infos[g * 4 + i]["terminal_observation"] for i in range(4)]
                assert all((o["observation"] == x).all() for o, x in zip(known[g].values(), last, strict=True))
        seen = after


def test_the_same_seed_gives_the_same_games() -> None:
    env = QuackVecEnv(2, **SHORT)
    env.seed(9)
    first = env.reset()
    second = env.reset()
    env.seed(9)
    assert (env.reset() == first).all()
    assert (second != first).any()


def test_in_a_monitor_it_counts_episodes() -> None:
    model = MaskablePPO(
        "MlpPolicy", VecMonitor(QuackVecEnv(4, seed=1, **SHORT)), n_steps=64, batch_size=256, n_epochs=1
    )
    model.learn(64 * 16)
    rewards = [episode["r"] for episode in model.ep_info_buffer]
    assert rewards
    assert set(rewards) <= {-1.0, 1.0}


def test_what_it_returns_is_the_callers_to_keep() -> None:
    env = QuackVecEnv(2, seed=1, **SHORT)
    first = env.reset()
    kept = first.copy()
    masks = env.action_masks()
    env.step(random_legal(masks, np.random.default_rng(0)))
    assert (first == kept).all()


def test_an_action_outside_its_mask_is_an_error() -> None:
    env = QuackVecEnv(1, seed=1, **SHORT)
    env.reset()
    actions = env.action_masks().argmax(1)
    actions[2] = np.flatnonzero(~env.action_masks()[2])[0]
    with pytest.raises(IllegalActionError, match="player_2"):
        env.step(actions)


def test_says_what_maskable_ppo_asks() -> None:
    env = QuackVecEnv(2, seed=1, **SHORT)
    env.reset()
    assert is_masking_supported(env)
    assert (get_action_masks(env) == env.action_masks()).all()
    assert (np.array(env.env_method("action_masks", indices=[1, 5])) == env.action_masks()[[1, 5]]).all()
    assert env.num_envs == 8
    assert env.observation_space.contains(env.reset()[3])


@pytest.mark.parametrize("relative", [True, False])
def test_maskable_ppo_learns_on_it_and_what_it_saves_plays(tmp_path: Path, relative: bool) -> None:
    env = QuackVecEnv(4, relative_actions=relative, seed=2, **SHORT)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=128, n_epochs=2, seed=0, device="cpu")
    model.learn(1024)
    assert model.num_timesteps == 1024
    model.save(tmp_path / "model.zip")
    policy = RLPolicy(str(tmp_path / "model.zip"))
    game = quack_env.raw_env(observation="vector", **SHORT)
    game.reset(seed=4)
    while not game.game.over:
        observation, _, _, _, info = game.last()
        action = policy(observation, info)
        seat = game.game.state.current
        table = relative_actions(game.game.world)[seat] if relative else np.arange(game.game.world.A)
        expected, _ = model.predict(
            observation["observation"], action_masks=info["action_mask"][table] > 0, deterministic=True
        )
        assert action == table[int(expected)]
        game.step(action)


class VectorAlone(gymnasium.ObservationWrapper[Any, Any, Any]):
    """A seat that shows its vector, and no mask beside it."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.observation_space = env.observation_space["observation"]

    def observation(self, observation: Any) -> Any:
        """The vector."""
        return observation["observation"]

    def action_masks(self) -> Any:
        """Those of the seat."""
        return self.env.get_wrapper_attr("action_masks")()


@pytest.mark.parametrize(("policy", "wrapper"), [("MultiInputPolicy", None), ("MlpPolicy", VectorAlone)])
def test_a_model_of_the_gymnasium_seat_plays_what_it_would_have(tmp_path: Path, policy: str, wrapper: Any) -> None:
    seat = gymnasium.make("quack_env/Seat-v0", seat=2, observation="vector", **SHORT)
    model = MaskablePPO(policy, wrapper(seat) if wrapper else seat, n_steps=8, batch_size=8, seed=3, device="cpu")
    model.save(tmp_path / "seat.zip")
    plays = RLPolicy(str(tmp_path / "seat.zip"))
    observation, info = seat.reset(seed=4)
    over = False
    while not over:
        seen = observation["observation"] if wrapper else observation
        expected, _ = model.predict(seen, action_masks=info["action_mask"], deterministic=True)
        assert plays(None, info) == expected
        observation, _, over, _, info = seat.step(expected)


@pytest.mark.parametrize(("role", "learnt"), [("duck", "as duck in player_2"), (None, "in player_2")])
def test_a_saved_model_knows_the_role_and_the_seat_that_it_learnt_in(tmp_path: Path, role: str, learnt: str) -> None:
    seat = gymnasium.make("quack_env/Seat-v0", seat=2, role=role, observation="vector", **SHORT)
    MaskablePPO("MultiInputPolicy", seat, n_steps=8, batch_size=8, device="cpu").save(tmp_path / "seat.zip")
    other = gymnasium.make("quack_env/Seat-v0", seat=1, role="goose", observation="vector", **SHORT)
    here = "as goose in player_1" if role else "in player_1"
    with pytest.warns(QuackWarning, match=f"learnt {learnt}, and plays here {here}$"):
        RLPolicy(str(tmp_path / "seat.zip")).reset(other.reset(seed=1)[1], 0)
    if role is None:
        own = gymnasium.make("quack_env/Seat-v0", seat=2, role="goose", observation="vector", **SHORT)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            RLPolicy(str(tmp_path / "seat.zip")).reset(own.reset(seed=1)[1], 0)


def test_a_model_of_other_observations_is_refused(tmp_path: Path) -> None:
    class Pictures(gymnasium.Env[Any, Any]):
        """Nothing of ours."""

        observation_space = gymnasium.spaces.Box(0, 1, (4, 4))
        action_space = gymnasium.spaces.Discrete(3)

    MaskablePPO("MlpPolicy", Pictures(), n_steps=8, batch_size=8, device="cpu").save(tmp_path / "other.zip")
    with pytest.raises(ConfigError, match="neither on QuackVecEnv nor in a seat"):
        RLPolicy(str(tmp_path / "other.zip"))


@pytest.mark.parametrize("activation", [torch.nn.Tanh, torch.nn.ReLU])
@pytest.mark.parametrize("relative", [True, False])
def test_an_exported_model_chooses_as_the_model_does(tmp_path: Path, activation: Any, relative: bool) -> None:
    env = VecMonitor(QuackVecEnv(1, relative_actions=relative, **SHORT))
    shape = {"net_arch": [32, 16], "activation_fn": activation}
    model = MaskablePPO("MlpPolicy", env, policy_kwargs=shape, n_steps=32, batch_size=32, seed=1, device="cpu")
    with torch.no_grad():  # numbers that half precision keeps, and far enough apart for it
        for weight in model.policy.parameters():
            weight.copy_((weight * 64).round() / 8)
    model.save(tmp_path / "model.zip")
    export(model, tmp_path / "model.npz")
    exported, saved = (RLPolicy(str(tmp_path / name)) for name in ("model.npz", "model.zip"))
    game = quack_env.raw_env(observation="vector", **SHORT)
    game.reset(seed=4)
    while not game.game.over:
        _, _, _, _, info = game.last()
        action = exported(None, info)
        assert action == saved(None, info)
        game.step(action)


def test_only_plain_networks_of_our_games_are_exported(tmp_path: Path) -> None:
    strange = {"activation_fn": torch.nn.ELU}
    model = MaskablePPO("MlpPolicy", QuackVecEnv(1, **SHORT), policy_kwargs=strange, n_steps=8, batch_size=8)
    with pytest.raises(ConfigError, match="plain layers with relu or tanh"):
        export(model, tmp_path / "model.npz")
    seat = gymnasium.make("quack_env/Seat-v0", observation="vector", **SHORT)
    model = MaskablePPO("MultiInputPolicy", seat, n_steps=8, batch_size=8)
    with pytest.raises(ConfigError, match="must be a QuackVecEnv, not DummyVecEnv"):
        export(model, tmp_path / "model.npz")


def test_the_form_of_the_games_is_not_to_be_chosen() -> None:
    with pytest.raises(ConfigError, match=r"^form='turn': QuackVecEnv plays the parallel form; leave it out$"):
        QuackVecEnv(2, form="turn")


@pytest.mark.parametrize("file", [None, 3])
def test_what_is_no_path_is_not_exported_to(file: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^file={file}: must be the path of an \.npz file to write$"):
        export(None, file)


def test_what_is_no_model_or_lacks_its_games_is_not_exported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^model='duck\.zip': must be a MaskablePPO, such as"):
        export("duck.zip", tmp_path / "model.npz")
    MaskablePPO("MlpPolicy", QuackVecEnv(1, **SHORT), n_steps=8, batch_size=8).save(tmp_path / "model.zip")
    with pytest.raises(ConfigError, match=r"MaskablePPO\.load\(FILE, env=QuackVecEnv\(\.\.\.\)\)$"):
        export(MaskablePPO.load(tmp_path / "model.zip"), tmp_path / "model.npz")


def test_a_model_of_normalized_observations_or_a_file_of_another_kind_is_not_exported(tmp_path: Path) -> None:
    env = VecNormalize(QuackVecEnv(1, **SHORT))
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=8)
    with pytest.raises(ConfigError, match="VecNormalize"):
        export(model, tmp_path / "model.npz")
    for name in ("model.zip", "nowhere/model.npz"):
        with pytest.raises(ConfigError, match=r"must end in \.npz, in a folder that exists"):
            export(model, tmp_path / name)


def test_a_decision_takes_one_thread_and_leaves_the_users_number(tmp_path: Path) -> None:
    env = QuackVecEnv(1, **SHORT)
    MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=8).save(tmp_path / "model.zip")
    policy = RLPolicy(str(tmp_path / "model.zip"))
    during: list[int] = []
    game = quack_env.raw_env(observation="vector", **SHORT)
    game.reset(seed=1)
    hook = torch.nn.modules.module.register_module_forward_hook(lambda *_: during.append(torch.get_num_threads()))
    torch.set_num_threads(2)
    try:
        policy(None, game.last()[4])
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
        hook.remove()
    assert set(during) == {1}


FORKED = """
import os, sys, torch
from quack_agents.rl import RLPolicy
torch.set_num_threads(2)
RLPolicy(sys.argv[1])
assert torch.get_num_threads() == 2
child = os.fork()
if not child:
    RLPolicy(sys.argv[1])
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux forks its workers")
def test_a_model_can_be_loaded_again_in_a_forked_process(tmp_path: Path) -> None:
    env = QuackVecEnv(1, **SHORT)
    policy = {"net_arch": [256, 256]}  # large enough for PyTorch to share the work between threads
    MaskablePPO("MlpPolicy", env, policy_kwargs=policy, n_steps=8, batch_size=32).save(tmp_path / "model.zip")
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(tmp_path / "model.zip")]
    child = subprocess.Popen(command, start_new_session=True)
    try:
        assert child.wait(timeout=120) == 0
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
