"""The standard loop with policies in the seats."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pettingzoo.utils.wrappers import BaseWrapper

import quack_env
from quack_agents import GameProbe, RandomPolicy, ScriptedPolicy, play, play_async
from quack_env import ConfigError
from quack_env.chance import policy_seed
from quack_env.seat import QuackSeat


def seats(env: Any, policy: Any = RandomPolicy) -> dict[str, Any]:
    return {agent: policy() for agent in env.possible_agents}


@pytest.mark.parametrize("make", [quack_env.raw_env, quack_env.env, lambda: BaseWrapper(quack_env.env())])
def test_it_plays_to_the_end_in_any_wrapper(make: Any) -> None:
    env = make()
    outcome = play(env, seats(env), seed=3)
    assert outcome == env.unwrapped.game.outcome
    assert outcome.winner in ("geese", "ducks")


def test_wrappers_change_nothing() -> None:
    plain, wrapped = quack_env.raw_env(), quack_env.env()
    taken: list[list[Any]] = [[], []]
    for env, actions in zip((plain, wrapped), taken, strict=True):
        play(env, seats(env, ScriptedPolicy), seed=5, on_step=lambda *step, to=actions: to.append(step))
    assert taken[0] == taken[1]


def test_the_next_game_without_a_seed_is_another_one() -> None:
    env = quack_env.raw_env()
    policies = seats(env)
    games = []
    for seed in (1, None, None):
        play(env, policies, seed=seed)
        games.append(env.game.seed)
    assert len(set(games)) == 3


class Noting(RandomPolicy):
    """Keeps the seed of its last reset, and whether it was reset before it decided."""

    seed = -1
    asked = False

    def reset(self, info: Any, seed: int) -> None:
        assert not self.asked
        self.seed = seed
        super().reset(info, seed)

    def __call__(self, observation: Any, info: Any) -> Any:
        assert self.seed >= 0
        self.asked = True
        return super().__call__(observation, info)


def test_policies_are_reset_before_their_first_decision_with_their_own_seed() -> None:
    env = quack_env.raw_env()
    policies = seats(env, Noting)
    play(env, policies, seed=11)
    asked = [seat for seat, policy in enumerate(policies.values()) if policy.asked]
    assert asked
    assert all(policies[f"player_{seat}"].seed == policy_seed(11, seat) for seat in asked)


def test_all_policies_are_reset_before_anybody_decides() -> None:
    env = quack_env.raw_env(max_ticks=3)
    policies = seats(env, Noting)
    resets: list[int] = []
    play(env, policies, seed=11, on_step=lambda *step: resets.append(sum(p.seed >= 0 for p in policies.values())))
    assert resets[0] == 6


def test_a_probe_is_asked_before_every_decision_and_told_of_every_game() -> None:
    class Looking(GameProbe):
        looks = 0

        def due(self) -> Any:
            self.looks += 1
            return super().due()

    env = quack_env.raw_env(max_ticks=3)
    for play_it in (play, lambda *args, **options: asyncio.run(play_async(*args, **options))):
        probe, steps = Looking("every_event"), []
        for seed in (1, 2):
            steps.clear()
            probe.looks = 0
            play_it(env, seats(env), seed=seed, on_step=lambda *step, to=steps: to.append(step), probe=probe)
            assert probe.looks == len(steps) > 3 and {row.game_id for row in probe.beliefs} == {f"seed-{seed}"}


def test_a_function_is_a_policy_and_may_sit_in_every_seat() -> None:
    env = quack_env.raw_env(max_ticks=5)

    def first(observation: Any, info: Any) -> int:
        return int(info["action_mask"].argmax())

    outcome = play(env, dict.fromkeys(env.possible_agents, first), seed=0)
    assert outcome.reason == "timeout"


def test_what_a_policy_raises_passes_through() -> None:
    env = quack_env.raw_env()

    def fails(observation: Any, info: Any) -> int:
        raise RuntimeError("no answer")

    with pytest.raises(RuntimeError, match="no answer"):
        play(env, {**seats(env), "player_2": fails}, seed=0)


@pytest.mark.parametrize("of", [("player_2",), tuple(f"player_{seat}" for seat in range(6))], ids=["one", "all"])
@pytest.mark.parametrize("method", ["check_game", "reset", "act", "__call__"])
def test_what_a_policy_raises_is_noted_with_its_name_in_the_recording(
    tmp_path: Path, method: str, of: tuple[str, ...]
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no answer")

    async def fails_later(*_: Any) -> Any:
        fails()

    failing = type("Failing", (RandomPolicy,), {method: fails_later if method == "act" else fails})
    env = quack_env.RecordTrajectory(quack_env.env(), tmp_path / "game", dict.fromkeys(of, "mine"))
    with pytest.raises(RuntimeError, match="no answer") as fault:
        play(env, {**seats(env), **{agent: failing() for agent in of}}, seed=0)
    env.close()
    assert fault.value.__notes__ == ["policy 'mine'"]


def test_an_illegal_action_of_a_policy_is_not_repaired() -> None:
    env = quack_env.raw_env()
    with pytest.raises(quack_env.IllegalActionError, match="player_1"):
        play(env, {**seats(env), "player_1": lambda observation, info: 10_000}, seed=0)


def test_an_illegal_action_names_the_policy_as_the_recording_does(tmp_path: Path) -> None:
    env = quack_env.RecordTrajectory(quack_env.env(), tmp_path / "game", {"player_1": "mine"})
    with pytest.raises(quack_env.IllegalActionError, match=r"^policy 'mine': player_1 may not do 10000 in phase"):
        play(env, {**seats(env), "player_1": lambda observation, info: 10_000}, seed=0)
    env.close()


class OnSmallMaps(RandomPolicy):
    """Refuses every other map."""

    def check_game(self, world: Any, game_map: Any) -> None:
        if game_map.name != "small":
            raise ConfigError("plays on the small map only")


def test_a_game_that_a_policy_refuses_leaves_nothing_behind(tmp_path: Path) -> None:
    env = quack_env.RecordTrajectory(quack_env.env(), tmp_path / "game")
    with pytest.raises(ConfigError, match="on the small map only"):
        play(env, {**seats(env), "player_3": OnSmallMaps()}, seed=0)
    env.close()
    assert list(tmp_path.iterdir()) == []


def test_every_agent_needs_a_policy_of_its_own() -> None:
    env = quack_env.raw_env()
    with pytest.raises(ConfigError, match="no policy for player_5"):
        play(env, {agent: RandomPolicy() for agent in env.possible_agents[:5]})
    with pytest.raises(ConfigError, match="no agent player_9"):
        play(env, {**seats(env), "player_9": RandomPolicy()})
    with pytest.raises(ConfigError, match="player_0 and player_1 share one policy"):
        play(env, dict.fromkeys(env.possible_agents, RandomPolicy()))


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ("scripted", "a str; it must have a policy, as make_policy('scripted') makes it"),
        (RandomPolicy, "the class RandomPolicy; it must have a policy, as RandomPolicy() makes it"),
        (None, "None; it must have a policy, as make_policy(NAME) makes it"),
    ],
)
def test_what_is_no_policy_is_refused_with_how_one_is_made(policy: Any, told: str) -> None:
    env = quack_env.raw_env()
    with pytest.raises(ConfigError) as refused:
        play(env, {**seats(env), "player_4": policy})
    assert str(refused.value) == f"policies: player_4 has {told}"


def test_policies_are_given_by_agent() -> None:
    for policies in (RandomPolicy(), [RandomPolicy() for _ in range(6)]):
        with pytest.raises(ConfigError, match=r"^policies: must be a dict with one for every agent, not a "):
            play(quack_env.raw_env(), policies)  # type: ignore[arg-type]


@pytest.mark.parametrize("env", [quack_env.parallel_env(), quack_env.env, QuackSeat(), None])
def test_only_the_form_that_asks_one_after_the_other_is_played(env: Any) -> None:
    with pytest.raises(ConfigError, match=r"^env: must be an AEC environment, as quack_env.env\(\) makes it, not "):
        play(env, {f"player_{i}": RandomPolicy() for i in range(6)})
