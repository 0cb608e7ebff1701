"""One seat as a Gymnasium environment: sb3-contrib's MaskablePPO learns in it as it is."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

import quack_env  # noqa: F401 - registers the environment

sb3 = pytest.importorskip("sb3_contrib", reason='sb3-contrib is not installed (pip install -e ".[train]")')


def test_maskable_ppo_learns_in_a_seat(options: dict[str, Any]) -> None:
    """The environment refuses illegal actions, so that one would end the test."""
    seat = gymnasium.make("quack_env/Seat-v0", seat=1, opponents="random", observation="vector", **options)
    model = sb3.MaskablePPO("MultiInputPolicy", seat, n_steps=128, batch_size=64, n_epochs=2, seed=0)
    model.learn(300)
    assert model.num_timesteps >= 300
    assert {episode["r"] for episode in model.ep_info_buffer} <= {-1.0, 1.0}
    assert len(model.ep_info_buffer) > 3


def test_masks_are_those_of_the_observation(options: dict[str, Any]) -> None:
    from sb3_contrib.common.maskable.utils import get_action_masks

    seat = gymnasium.make("quack_env/Seat-v0", seat=0, opponents="random", observation="vector", **options)
    observation, info = seat.reset(seed=1)
    assert get_action_masks(seat).tolist() == observation["action_mask"].tolist() == info["action_mask"].tolist()


@pytest.mark.parametrize("observation", ["dict", "image+dict"])
def test_named_arrays_do_not_fit(options: dict[str, Any], observation: str) -> None:
    """Stable-Baselines3 takes no Dict within a Dict: "vector" is the mode for it."""
    seat = gymnasium.make("quack_env/Seat-v0", opponents="random", observation=observation, **options)
    with pytest.raises(NotImplementedError, match=r"[Nn]ested"):
        sb3.MaskablePPO("MultiInputPolicy", seat)


@pytest.mark.parametrize(
    ("words", "fault"), [({"observation": "text"}, TypeError), ({"speech": "text"}, AssertionError)]
)
def test_words_do_not_fit(options: dict[str, Any], words: dict[str, str], fault: type[Exception]) -> None:
    """Stable-Baselines3 takes no text, neither to see nor to say."""
    seat = gymnasium.make("quack_env/Seat-v0", opponents="random", **({"observation": "vector"} | options | words))
    with pytest.raises(fault):
        sb3.MaskablePPO("MultiInputPolicy", seat)
