"""Training by self-play: what is learnt from, and that a killed run goes on as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quack_env

pytest.importorskip("sb3_contrib", reason='sb3-contrib is not installed (pip install -e ".[train]")')
pytest.importorskip("tensorboard", reason='TensorBoard is not installed (pip install -e ".[train]")')

import torch
from selfplay.clone import examples
from selfplay.rollout import Clock, Experience, advantages, play
from selfplay.tables import LEARNER, SCRIPTED, ScriptedTables, VectorTables, against_past, all_geese, one_goose

from quack_agents.adapters.sb3 import QuackVecEnv
from quack_agents.rl import RLPolicy

TRAIN = Path(quack_env.__file__).parents[1] / "agents" / "train"
torch.set_num_threads(1)  # more wait for each other on shared cores
SHORT: dict[str, Any] = {"config": {"max_ticks": 15}, "speech": "tokens"}


@pytest.fixture(scope="module")
def policy() -> Any:
    """An untrained network for games on the ship."""
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

    env = QuackVecEnv(1, **SHORT)
    torch.manual_seed(0)
    return MaskableActorCriticPolicy(env.observation_space, env.action_space, lambda _: 1e-3)


def games(tables: Any, policies: list[Any]) -> tuple[Experience, Clock]:
    """What is learnt from these games."""
    clock = Clock()
    tables.begin(np.random.default_rng(3))
    experience = play([tables], policies, clock)
    assert experience is not None
    return experience, clock


def test_advantages_run_along_one_seat_and_stop_at_its_last_decision() -> None:
    values = np.array([0.5, 0.2, -0.1, 0.3], np.float32)
    rewards = np.array([0, 0, 1, -1], np.float32)
    last = np.array([False, False, True, True])
    # the third: 1 + 0.1; the second: (-0.1 - 0.2) + 0.5 * 1.1; the first: (0.2 - 0.5) + 0.5 * 0.25; the fourth alone
    expected = [-0.3 + 0.5 * 0.25, -0.3 + 0.5 * 1.1, 1.1, -1.3]
    assert advantages(values, rewards, last, gamma=1.0, lam=0.5) == pytest.approx(expected, abs=1e-6)


def test_every_seat_learns_its_own_teams_reward_once_a_game(policy: Any) -> None:
    tables = VectorTables(6, lambda ducks, draws: np.full(len(ducks), LEARNER), **SHORT)
    experience, clock = games(tables, [policy])
    assert clock.illegal == 0
    assert clock.chosen == len(experience.actions)
    ends = experience.rewards[experience.last]
    assert len(ends) == 36  # six games of six
    assert sorted(ends) == sorted(tables.rewards.reshape(-1))
    assert (experience.rewards[~experience.last] == 0).all()
    assert (experience.masks.sum(1) > 1).all()  # who has no choice learns nothing


def test_only_the_learner_is_learnt_from(policy: Any) -> None:
    tables = VectorTables(12, against_past(2), **SHORT)
    experience, clock = games(tables, [policy, policy, policy])
    assert set(np.unique(tables.owners)) <= {0, 1, 2}
    assert (tables.owners == LEARNER).any(axis=1).all()
    assert 0 < len(experience.actions) < clock.chosen
    assert experience.last.sum() == (tables.owners == LEARNER).sum()


@pytest.mark.parametrize(("owners", "seats"), [(all_geese, 5), (one_goose, 1)])
def test_scripted_players_fill_the_other_seats(policy: Any, owners: Any, seats: int) -> None:
    tables = ScriptedTables(4, owners, **SHORT)
    experience, _ = games(tables, [policy])
    assert ((tables.owners == LEARNER).sum(axis=1) == seats).all()
    assert (tables.owners[tables.ducks] == SCRIPTED).all()
    duck = QuackVecEnv(1, **SHORT).games.layout.at["duck"]
    assert (experience.observations[:, duck] == 0).all()


def test_examples_are_what_the_scripted_players_did() -> None:
    observations, masks, actions, rewards = examples(3, 7, lambda done, of: None, **SHORT)
    assert masks[np.arange(len(actions)), actions].all()
    assert set(np.unique(rewards)) == {-1.0, 1.0}
    assert len(observations) == len(actions)


# --- a whole run -----------------------------------------------------------------------------------------------------

SMALL = "--steps 6000 --clone-games 4 --duck-games 4 --geese-games 2 --goose-games 2 --past-games 4 --batch 256"
SMALL += " --every 1 --eval-games 2 --epochs 2"


def started(out: Path, *more: str) -> subprocess.Popen[bytes]:
    """A small run in its own process."""
    command = [sys.executable, str(TRAIN / "ppo_sb3.py"), "--out", str(out), *SMALL.split(), *more, "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def interrupted(process: subprocess.Popen[bytes], there: Path) -> str:
    """What a run says that is interrupted as by Ctrl-C when a file is there."""
    limit = time.monotonic() + 300
    while not there.exists():
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=300)[1].decode()
    assert process.returncode == 130, said
    return said


def checkpoints(out: Path) -> list[str]:
    """The names of those of a run."""
    return sorted(folder.name for folder in (out / "checkpoints").glob("[0-9]*"))


@pytest.mark.slow
def test_a_run_that_is_stopped_while_it_clones_says_that_nothing_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "run"
    said = interrupted(started(out, "--clone-games", "10000"), out / "settings.json")
    assert "stopped while cloning: nothing is kept, the same command begins anew" in said
    assert not checkpoints(out)


@pytest.mark.slow
def test_a_run_that_is_stopped_before_its_first_evaluation_keeps_the_clone(tmp_path: Path) -> None:
    out = tmp_path / "run"
    said = interrupted(started(out, "--eval-games", "10000"), out / "checkpoints" / "00000000")
    assert checkpoints(out) == ["00000000"]
    assert f"iteration 0 is kept. Go on with the same command: python {TRAIN / 'ppo_sb3.py'} --out {out}" in said


def weights(out: Path) -> dict[str, dict[str, Any]]:
    """The exported arrays by iteration."""
    found = {}
    for file in sorted((out / "weights").glob("*.npz")):
        with np.load(file) as arrays:
            found[file.name] = {name: arrays[name] for name in arrays.files}
    return found


@pytest.mark.slow
@pytest.mark.timeout(900)  # five runs, each of which imports PyTorch; a minute on an idle machine
def test_a_run_that_was_killed_or_stopped_goes_on_exactly_as_it_would_have(tmp_path: Path) -> None:
    whole = started(tmp_path / "whole")
    result = json.loads(whole.communicate(timeout=300)[0])
    assert whole.returncode == 0
    assert result["decisions"] >= 6000
    assert result["masked_out_actions"] == 0

    broken = started(tmp_path / "broken")
    try:
        limit = time.monotonic() + 300
        while not (tmp_path / "broken" / "checkpoints" / "00000002").exists():
            assert broken.poll() is None and time.monotonic() < limit
            time.sleep(0.02)
        os.kill(broken.pid, signal.SIGKILL)
    finally:
        broken.kill()
        broken.communicate()
    before = max((tmp_path / "broken" / "checkpoints").glob("[0-9]*")).name
    resumed = started(tmp_path / "broken")
    again = json.loads(resumed.communicate(timeout=300)[0])
    assert again["iterations"] == result["iterations"] > int(before)
    assert again["evaluation"] == result["evaluation"]
    expected, found = weights(tmp_path / "whole"), weights(tmp_path / "broken")
    assert expected.keys() == found.keys()
    for name, arrays in expected.items():
        for array, value in arrays.items():
            assert (found[name][array] == value).all(), (name, array)

    # Ctrl-C ends the iteration first, and keeps it though no checkpoint was due
    said = interrupted(started(tmp_path / "stopped", "--every", "1000"), tmp_path / "stopped" / "curve.json")
    (kept,) = checkpoints(tmp_path / "stopped")[1:] or ["00000000"]
    assert f"iteration {int(kept)} is kept" in said
    resumed = started(tmp_path / "stopped")
    assert json.loads(resumed.communicate(timeout=300)[0])["evaluation"] == result["evaluation"]
    for array, value in weights(tmp_path / "stopped")[max(expected)].items():
        assert (expected[max(expected)][array] == value).all(), array

    env = quack_env.raw_env(observation="vector", speech="tokens")
    env.reset(seed=1)
    observation, _, _, _, info = env.last()
    last = max(expected)
    exported = RLPolicy(str(tmp_path / "whole" / "weights" / last))(observation, info)
    saved = RLPolicy(str(max((tmp_path / "whole" / "checkpoints").glob("[0-9]*")) / "model.zip"))(observation, info)
    assert info["action_mask"][exported] and info["action_mask"][saved]
