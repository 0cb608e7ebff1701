"""RLlib: a masked module plays every seat, and training on two workers goes on after it was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quack_env
from quack_env.errors import IllegalActionError
from quack_env.policies import make_policy

pytest.importorskip("ray.rllib", reason='RLlib is not installed (pip install -e ".[ray]")')

from quack_agents.adapters.rllib import SHARED, QuackRLlib, join, shared_ppo

SCRIPT = Path(quack_env.__file__).parents[1] / "agents" / "train" / "ppo_rllib.py"


def legal(observations: dict[str, Any], rng: np.random.Generator) -> dict[str, int]:
    """A random legal action of every agent."""
    return {agent: int(rng.choice(seen["action_mask"].nonzero()[0])) for agent, seen in observations.items()}


@pytest.mark.parametrize("relative", [False, True])
def test_games_through_the_multi_agent_form(options: dict[str, Any], relative: bool) -> None:
    env = QuackRLlib({**options, "relative_actions": relative})
    observations, _ = env.reset(seed=3)
    rng = np.random.default_rng(0)
    over = False
    while not over:
        assert all(env.observation_spaces[agent].contains(seen) for agent, seen in observations.items())
        observations, rewards, terminations, truncations, _ = env.step(legal(observations, rng))
        over = terminations["__all__"]
        assert all(terminations[agent] == over for agent in env.possible_agents)
        assert not any(truncations.values())
    assert set(map(abs, rewards.values())) == {1.0}


def test_relative_actions_count_from_the_own_seat(options: dict[str, Any]) -> None:
    """Seat 2 of 5 voting for player 1 of its own numbering votes for seat 3."""
    env = QuackRLlib(options)
    plain = QuackRLlib({**options, "relative_actions": False})
    vote = env.env.game.world.act_vote
    assert env.number("player_2", vote + 1) == vote + 3
    assert env.number("player_2", vote + 4) == vote + 1
    assert plain.number("player_2", vote + 1) == vote + 1


def test_an_action_outside_the_mask_is_an_error(options: dict[str, Any]) -> None:
    env = QuackRLlib(options)
    observations, _ = env.reset(seed=1)
    actions = legal(observations, np.random.default_rng(0))
    actions["player_1"] = int(observations["player_1"]["action_mask"].argmin())
    with pytest.raises(IllegalActionError, match="player_1"):
        env.step(actions)


@pytest.fixture
def cluster() -> Iterator[None]:
    """Ray in this process."""
    import ray

    join(None, 1)
    yield
    ray.shutdown()


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_the_module_keeps_to_the_masks(options: dict[str, Any]) -> None:
    """Before and after it has learnt; the environment refuses all else."""
    config = shared_ppo(options, (16,)).env_runners(num_env_runners=0, explore=True)
    algorithm = config.training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1).build_algo()
    try:
        seen = 0
        for explore in (True, False):
            for episode in algorithm.env_runner.sample(num_episodes=4, explore=explore):
                assert {episode.module_for(agent) for agent in episode.agent_ids} == {SHARED}
                for single in episode.agent_episodes.values():
                    masks = single.get_observations()["action_mask"][:-1]
                    actions = np.asarray(single.get_actions())
                    assert np.take_along_axis(masks, actions[:, None], 1).all()
                    seen += int((masks.sum(-1) > 1).sum())
            algorithm.train()
        assert seen > 100
    finally:
        algorithm.stop()


def command(folder: Path, iterations: int, *more: str) -> list[str]:
    """The training script on two workers, with tiny settings."""
    small = "--workers 2 --batch 100 --width 16 --every 1 --map small --players 5 --max-ticks 8 --speech off --json"
    return [sys.executable, str(SCRIPT), "--out", str(folder), "--iterations", str(iterations), *small.split(), *more]


@pytest.fixture
def two_nodes() -> Iterator[str]:
    """The address of a Ray cluster of two nodes on this machine, each with room for one worker."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    yield cluster.address
    cluster.shutdown()


@pytest.mark.slow
@pytest.mark.timeout(900)  # Ray starts three times
def test_training_on_a_cluster_goes_on_after_a_kill(tmp_path: Path, two_nodes: str) -> None:
    """Killed on this machine alone, it goes on over a cluster, with a worker on each node.

    What is lost is less than a checkpoint interval, here one iteration.
    """
    with subprocess.Popen(command(tmp_path, 1000), stdout=subprocess.DEVNULL, start_new_session=True) as running:
        deadline = time.monotonic() + 400
        while not list(tmp_path.glob("checkpoint-??????")):
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.2)
        os.killpg(running.pid, signal.SIGKILL)
    kept = max(int(path.name.removeprefix("checkpoint-")) for path in tmp_path.glob("checkpoint-??????"))
    done = json.loads((tmp_path / "progress.jsonl").read_text().splitlines()[-1])["iteration"]
    assert done - 1 <= kept <= done
    again = subprocess.run(
        command(tmp_path, kept + 1, "--address", two_nodes), capture_output=True, text=True, check=True
    )
    told = json.loads(again.stdout)
    assert told["iteration"] == kept + 1
    assert Path(told["checkpoint"]).name == f"checkpoint-{kept + 1:06d}"
    lines = [json.loads(line) for line in (tmp_path / "progress.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == list(range(1, kept + 2))
    assert lines[-1]["steps"] > lines[-2]["steps"]
    plays_a_game(Path(told["checkpoint"]) / "network.npz")


def plays_a_game(network: Path) -> None:
    """A network of the script's small games takes every seat of one; illegal actions would be refused."""
    env = quack_env.raw_env(game_map="small", n_players=5, max_ticks=8, speech="off", observation="vector")
    env.reset(seed=1)
    policy = make_policy(f"rl:{network}")
    policy.reset(env.infos[env.agent_selection], 0)
    while not env.game.over:
        observation, _, _, _, info = env.last()
        env.step(policy(observation, info))


def test_other_games_need_another_folder(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"speech": "tokens"}')
    (tmp_path / "checkpoint-000001").mkdir()
    told = subprocess.run(command(tmp_path, 1), capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert "was trained with speech='tokens'" in told.stderr
    assert not told.stdout


def test_what_cannot_be_leaves_nothing(tmp_path: Path) -> None:
    told = subprocess.run(command(tmp_path, 1, "--map", "moon"), capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert "moon" in told.stderr
    assert not list(tmp_path.iterdir())


def test_help_has_an_example() -> None:
    told = subprocess.run([sys.executable, str(SCRIPT), "--help"], capture_output=True, text=True, check=True)
    assert "ppo_rllib.py --out" in told.stdout
