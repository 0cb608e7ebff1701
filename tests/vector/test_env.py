"""How the batched environment behaves: what it returns, seeds, the next game, errors, copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import quack_env
from quack_env.errors import ConfigError, IllegalActionError, NotResetError
from quack_env.vector.env import QuackVector, vector_env

from .conftest import Make, legal

FORMS = ("turn", "parallel")


def history(envs: QuackVector, steps: int, seed: int = 0) -> list[Any]:
    """What some random legal steps return."""
    rng = np.random.default_rng(seed)
    returned = [copy.deepcopy(envs.step(legal(envs, rng))) for _ in range(steps)]
    return [
        (o["observation"].tobytes(), o["action_mask"].tobytes(), r.tobytes(), d.tobytes()) for o, r, d, _, _ in returned
    ]


def states(envs: QuackVector) -> list[dict[str, Any]]:
    return [envs.state_dict(g) for g in range(envs.num_envs)]


# --- what is returned ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_shapes_types_and_spaces(make: Make, form: str) -> None:
    envs = make(3, form)
    n, size, actions = envs.world.n, envs.layout.size, envs.world.A
    lead = (3,) if form == "turn" else (3, n)
    observations, infos = envs.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert observations["observation"].shape == (*lead, size) and observations["action_mask"].shape == (
            *lead,
            actions,
        )
        assert envs.observation_space.contains(observations)
        assert observations["action_mask"].any(-1).all()
        chosen = legal(envs, rng)
        assert envs.action_space.contains(chosen)
        observations, rewards, done, truncated, infos = envs.step(chosen)
        assert (rewards.dtype, rewards.shape) == (np.float32, (3, n))
        assert (done.dtype, done.shape) == (np.bool_, (3,))
        assert not truncated.any()
    assert infos["actor"].shape == (3,) if form == "turn" else infos["lapsed"].shape == (3, n)


def test_it_is_a_gymnasium_vector_environment(make: Make) -> None:
    envs = make(2)
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    assert envs.single_action_space == gymnasium.spaces.Discrete(envs.world.A)
    assert str(getattr(envs.metadata["autoreset_mode"], "value", envs.metadata["autoreset_mode"])) == "SameStep"
    envs.close()


def test_observations_are_those_of_the_layout(make: Make) -> None:
    """The vector's slices are the documented ones: the seat one-hot is the actor's."""
    envs = make(6)
    observations, infos = envs.reset(seed=4)
    seats = observations["observation"][:, envs.layout.slices["seat"]]
    assert seats.argmax(-1).tolist() == infos["actor"].tolist()


@pytest.mark.parametrize("form", FORMS)
def test_the_dead_only_wait(make: Make, form: str) -> None:
    """In the parallel form with zeros as observation; in the turn form nobody dead is asked."""
    envs = make(6, form, config={"n_tasks": 1, "kill_cooldown": 0}, max_ticks=30)
    envs.reset(seed=2)
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(300):
        envs.step(legal(envs, rng))
        for g, state in enumerate(states(envs)):
            dead = [i for i in range(envs.world.n) if not state["alive"] >> i & 1]
            found += len(dead)
            if form == "turn":
                assert envs.actor[g] not in dead
            else:
                assert not envs.observations[g, dead].any()
                assert envs.masks[g, dead].sum() == envs.masks[g, dead, 0].sum() == len(dead)
    assert found


# --- the end of a game, and the next one -----------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_game_ends_once_and_the_next_begins_in_the_same_step(make: Make, form: str) -> None:
    envs = make(5, form)
    envs.reset(seed=3)
    rng = np.random.default_rng(0)
    ended, length = 0, np.zeros(5, int)
    for _ in range(400):
        before = envs.seeds.copy()
        observations, rewards, done, _, infos = envs.step(legal(envs, rng))
        length += 1
        assert ("final_obs" in infos) == done.any()
        assert (rewards.any(-1) == done).all()
        assert ((envs.seeds != before) == done).all()
        for g in np.flatnonzero(done):
            final = infos["final_info"]
            assert infos["_final_obs"][g] and infos["_final_info"][g]
            assert final["seed"][g] == before[g]
            assert final["length"][g] == length[g]
            assert final["outcome"][g].winner == ("", "geese", "ducks")[final["winner"][g]]
            state = envs.state_dict(g)
            assert state["tick"] == 1 and state["winner"] == 0
            phases = infos["final_obs"]["observation"][g][:, envs.layout.slices["phase"]]
            assert set(phases[:, 3].tolist()) <= {0.0, 1.0} and phases[:, :3].sum() == 0
            assert (infos["final_obs"]["action_mask"][g].argmax(-1) == 0).all()
            length[g] = 0
            ended += 1
        assert observations["observation"].any(-1).all() or form == "parallel"
    assert ended > 20


def test_rewards_are_those_of_the_team(make: Make) -> None:
    envs = make(8, config={"n_tasks": 0, "kill_cooldown": 0}, max_ticks=20)
    envs.reset(seed=5)
    rng = np.random.default_rng(0)
    winners = set()
    for _ in range(400):
        roles = [envs.state_dict(g)["ducks"] for g in range(8)]
        _, rewards, done, _, infos = envs.step(legal(envs, rng))
        for g in np.flatnonzero(done):
            winner = infos["final_info"]["winner"][g]
            winners.add(int(winner))
            assert rewards[g].tolist() == [1.0 if (roles[g] >> i & 1) == (winner == 2) else -1.0 for i in range(5)]
    assert winners == {1, 2}


# --- seeds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_seed_decides_all_games(make: Make, form: str) -> None:
    one, other = make(4, form), make(4, form)
    one.reset(seed=7)
    other.reset(seed=8)
    history(other, 30)
    other.reset(seed=7)
    assert history(one, 120) == history(other, 120)
    assert states(one) == states(other)


def test_seeds_follow_from_seed_place_and_episode_alone(make: Make) -> None:
    """Whatever is played, and however many games there are."""
    few, many = make(2), make(5)
    few.reset(seed=9)
    many.reset(seed=9)
    assert few.seeds.tolist() == many.seeds[:2].tolist()
    history(few, 200, seed=1)
    history(many, 200, seed=2)
    for envs in (few, many):
        for g in range(2):
            episode = int(envs.batch.episode[g])
            assert episode > 0 and envs.seeds[g] == few.seed_of(g, episode)
    assert len({few.seed_of(g, k) for g in range(50) for k in range(50)}) == 2500


def test_the_scalar_game_of_the_seed_is_the_same(make: Make) -> None:
    envs = make(3)
    envs.reset(seed=11)
    env = quack_env.raw_env(
        game_map="small", n_players=5, max_ticks=8, speech="off", config={"n_tasks": 2}, observation="vector"
    )
    for g in range(3):
        env.reset(seed=int(envs.seeds[g]))
        assert envs.observations[g].tobytes() == env.last()[0]["observation"].tobytes()


def test_reset_without_a_seed_goes_on(make: Make) -> None:
    envs = make(2, seed=13)
    envs.reset()
    first = envs.seeds.tolist()
    envs.reset()
    assert envs.seeds.tolist() == [envs.seed_of(g, 1) for g in range(2)] != first
    envs.reset(seed=13)
    assert envs.seeds.tolist() == first
    assert make(2).reset() and make(2).seeds.tolist() == [0, 0]
    fresh = [make(1) for _ in range(2)]
    for env in fresh:
        env.reset()
    assert fresh[0].seeds[0] != fresh[1].seeds[0]


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_an_illegal_action_is_named_and_nothing_happens(make: Make, form: str) -> None:
    envs = make(4, form)
    envs.reset(seed=1)
    rng = np.random.default_rng(0)
    history(envs, 5)
    before, observations = states(envs), envs.observations.copy()
    actions = legal(envs, rng)
    place = (2,) if form == "turn" else (2, 3)
    seat = envs.actor[2] if form == "turn" else 3
    for action in (int(envs.masks[place].argmin()), envs.world.A, -1):
        actions[place] = action
        with pytest.raises(IllegalActionError, match=rf"^game 2: player_{seat} may not do .*{action}.* legal: "):
            envs.step(actions)
        assert states(envs) == before
        assert (envs.observations == observations).all()


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        ([0, 0, 0], r"shape \(4,\), not int64 of shape \(3,\)"),
        ([0.0] * 4, r"whole numbers of shape \(4,\), not float64"),
        ([True] * 4, "not bool"),
        (None, "not object"),
    ],
)
def test_what_are_no_actions(make: Make, actions: Any, told: str) -> None:
    envs = make(4)
    envs.reset(seed=1)
    with pytest.raises(IllegalActionError, match=told):
        envs.step(actions)


@pytest.mark.parametrize("asked", [lambda e: e.step([0]), lambda e: e.game(0), lambda e: e.seed_of(0, 0)])
def test_there_are_no_games_before_a_reset(make: Make, asked: Callable[[Any], Any]) -> None:
    with pytest.raises(NotResetError, match=r"^reset\(\) has to be called first"):
        asked(make(1))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"num_envs": 0}, "num_envs=0: must be a whole number from 1"),
        ({"form": "aec"}, "form='aec': must be one of 'parallel', 'turn'"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"threads": 0}, "threads=0"),
        ({"speech": "text"}, "speech='text': must be one of 'off', 'tokens'"),
        ({"dead_agents": "remove"}, "dead_agents='remove': must be one of 'noop'"),
        ({"n_players": 2}, "n_players=2"),
        ({"game_map": "moon"}, "moon"),
        ({"image_size": 32}, "image_size=32: must be a whole number from 64"),
        ({"n_tasks": 3}, r"n_tasks=3: .*config=\{'n_tasks': 3\}"),
        ({"obs": "vector"}, "obs='vector': no such option; there are num_envs, .*, observation, "),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        vector_env(**options)


def test_more_threads_than_cores() -> None:
    pytest.importorskip("numba", reason="Numba is not installed: threads change nothing")
    with pytest.raises(ConfigError, match="threads=100000: must be from 1 to"):
        vector_env(2, threads=100_000)


# --- copies and buffers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("again", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_a_copy_goes_on_alike_and_by_itself(make: Make, form: str, again: Any) -> None:
    envs = make(3, form)
    envs.reset(seed=2)
    history(envs, 17)
    twin = again(envs)
    assert states(twin) == states(envs)
    ahead = history(twin, 60, seed=4)
    assert states(twin) != states(envs)
    assert history(envs, 60, seed=4) == ahead
    assert states(twin) == states(envs)


def test_buffers_are_reused_unless_copies_are_asked_for(make: Make) -> None:
    for wanted in (False, True):
        envs = make(3, copy=wanted)
        first, _ = envs.reset(seed=2)
        kept = first["observation"].copy()
        second = envs.step(legal(envs, np.random.default_rng(0)))[0]
        assert np.shares_memory(first["observation"], second["observation"]) is not wanted
        assert (first["observation"] == kept).all() == wanted
        while not envs.batch.done.any():
            result = envs.step(legal(envs, np.random.default_rng(0)))
        assert np.shares_memory(result[4]["final_obs"]["observation"], envs.batch.final) is not wanted


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
def test_actions_of_any_integer_type_and_layout(make: Make, kind: Any) -> None:
    one, other = make(4, "parallel"), make(4, "parallel")
    one.reset(seed=1)
    other.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(10):
        actions = legal(one, rng)
        given = np.asfortranarray(actions.astype(kind))
        given.setflags(write=False)
        one.step(actions)
        other.step(given)
    assert states(one) == states(other)


def test_a_single_game_can_be_looked_at_and_played_on(make: Make) -> None:
    envs = make(3)
    envs.reset(seed=6)
    history(envs, 9)
    before = envs.state_dict(1)
    game = envs.game(1)
    assert game.state.to_dict() == before
    assert bytes(game.mask(game.state.current)) == envs.masks[1].tobytes()
    game.decide(0)
    assert envs.state_dict(1) == before


def test_threads_change_nothing() -> None:
    pytest.importorskip("numba", reason="Numba is not installed: threads change nothing")
    options: dict[str, Any] = {"game_map": "small", "n_players": 5, "max_ticks": 8, "speech": "off"}
    options["config"] = {"n_tasks": 2}
    try:
        two = QuackVector(7, "turn", threads=2, **options)
    except ConfigError:
        pytest.skip("one core only")
    one = QuackVector(7, "turn", **options)
    for envs in (one, two):
        envs.reset(seed=3)
    assert history(one, 100) == history(two, 100)
    assert history(pickle.loads(pickle.dumps(two)), 5) == history(one, 5)
