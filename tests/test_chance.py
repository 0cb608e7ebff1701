"""Chance: a stateless function of seed, purpose and index (rules.md, "Chance is a function of the seed")."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quack_env
from quack_env import chance as module
from quack_env.chance import chance, game_key, pick, policy_seed, shuffle

PURPOSES = [
    value
    for name, value in vars(module).items()
    if name.isupper() and isinstance(value, int) and name not in ("M64", "PICKS")
]

keys = st.integers(0, 2**64 - 1)
purposes = st.sampled_from(PURPOSES)
indices = st.integers(0, 2**40)


def balanced(counts: list[int]) -> bool:
    return float(stats.chisquare(counts).pvalue) > 1e-4


def test_every_purpose_has_a_number_of_its_own() -> None:
    assert len(PURPOSES) == len(set(PURPOSES)) >= 8
    assert all(2**63 <= purpose < 2**64 for purpose in PURPOSES)


@given(seed=st.integers(0, 2**70))
def test_the_key_of_a_game_is_numpys_seed_sequence_of_its_seed(seed: int) -> None:
    assert game_key(seed) == int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    assert game_key(seed, 0) == game_key(seed)


@given(seed=st.integers(0, 2**40), fork=st.integers(1, 1000))
def test_a_fork_has_a_key_of_its_own(seed: int, fork: int) -> None:
    assert game_key(seed, fork) == int(np.random.SeedSequence([seed, fork]).generate_state(1, np.uint64)[0])
    assert game_key(seed, fork) != game_key(seed)


@given(key=keys, purpose=purposes, index=indices)
def test_a_draw_has_63_bits_and_no_memory(key: int, purpose: int, index: int) -> None:
    drawn = chance(key, purpose, index)
    assert 0 <= drawn < 2**63
    chance(key, purpose, index + 1)
    assert chance(key, purpose, index) == drawn


@given(key=keys, purpose=purposes, index=indices)
def test_a_draw_is_the_arithmetic_of_64_bit_words(key: int, purpose: int, index: int) -> None:
    """The same in numpy's wrapping uint64, as a compiled form has it: a SplitMix64 step of key + purpose + index."""
    with np.errstate(over="ignore"):
        x = np.uint64(key) + np.uint64(purpose) + np.uint64(index) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    assert chance(key, purpose, index) == int(x >> np.uint64(1))


@given(key=keys, purpose=purposes, index=indices, n=st.integers(1, 16))
def test_a_shuffle_is_a_permutation(key: int, purpose: int, index: int, n: int) -> None:
    out = [99] * n
    shuffle(key, purpose, index, n, out)
    assert sorted(out) == list(range(n))


def test_every_permutation_of_four_comes_equally_often() -> None:
    counts = dict.fromkeys(itertools.permutations(range(4)), 0)
    out = [0] * 4
    for index in range(4800):
        shuffle(game_key(1), module.TURN, index, 4, out)
        counts[tuple(out)] += 1  # type: ignore[index]
    assert balanced(list(counts.values()))


def test_sixteen_seats_come_to_every_place_equally_often() -> None:
    counts = np.zeros((16, 16), int)
    out = [0] * 16
    for index in range(3200):
        shuffle(game_key(2), module.SPEAK, index, 16, out)
        counts[range(16), out] += 1
    assert balanced(counts.ravel().tolist())


@given(key=keys, purpose=purposes, base=st.integers(0, 1000), count=st.integers(0, 60), pool=st.integers(1, 60))
def test_picks_repeat_only_when_the_pool_is_empty(key: int, purpose: int, base: int, count: int, pool: int) -> None:
    out = [-7] * (count + 2)
    pick(key, purpose, base, count, pool, out, 1)
    picked = out[1 : count + 1]
    assert (out[0], out[count + 1]) == (-7, -7)
    for start in range(0, count, pool):
        lap = picked[start : start + pool]
        assert len(set(lap)) == len(lap)
        assert all(0 <= choice < pool for choice in lap)


def test_every_pick_is_balanced() -> None:
    counts = np.zeros((3, 7), int)
    out = [0] * 3
    for base in range(3500):
        pick(game_key(3), module.TASKS, base, 3, 7, out, 0)
        counts[range(3), out] += 1
    assert balanced(counts.ravel().tolist())


def test_purposes_do_not_follow_each_other() -> None:
    """The first place of a turn order says nothing about that of a speaking order of the same number."""
    table = np.zeros((4, 4), int)
    turn, speak = [0] * 4, [0] * 4
    for seed in range(3200):
        shuffle(game_key(seed), module.TURN, 1, 4, turn)
        shuffle(game_key(seed), module.SPEAK, 1, 4, speak)
        table[turn[0], speak[0]] += 1
    assert float(stats.chi2_contingency(table).pvalue) > 1e-4


def test_neighbouring_ticks_do_not_follow_each_other() -> None:
    table = np.zeros((4, 4), int)
    one, two = [0] * 4, [0] * 4
    for tick in range(3200):
        shuffle(game_key(5), module.TURN, tick, 4, one)
        shuffle(game_key(5), module.TURN, tick + 1, 4, two)
        table[one[0], two[0]] += 1
    assert float(stats.chi2_contingency(table).pvalue) > 1e-4


def test_every_policy_has_a_seed_of_its_own_that_follows_from_seed_and_seat() -> None:
    drawn = {(seed, seat): policy_seed(seed, seat) for seed in range(50) for seat in range(16)}
    assert len(set(drawn.values())) == len(drawn)
    assert policy_seed(7, 3) == drawn[7, 3]
    assert policy_seed(7, 3, 1) != drawn[7, 3]


@pytest.mark.parametrize("form", ["raw_env", "parallel_env"])
def test_the_turn_order_of_a_tick_does_not_depend_on_what_was_done(form: str) -> None:
    """Two games of one seed, one waiting and one walking about: the same order in every tick both reach."""
    orders = []
    for walking in (False, True):
        env = getattr(quack_env, form)(config={"kill_cooldown": 999, "max_ticks": 12}, observation="vector")
        env.reset(seed=9)
        noise = random.Random(walking)
        found = {}
        while not env.game.over:
            found[env.game.state.tick] = tuple(env.game.state.order)
            if form == "parallel_env":
                actions = {agent: env.action_space(agent).sample() if walking else 0 for agent in env.agents}
                actions = {agent: action if _harmless(env, action) else 0 for agent, action in actions.items()}
                env.step(actions)
            else:
                mask = env.last()[0]["action_mask"]
                exits = [action for action in range(1, 11) if mask[action]]
                env.step(noise.choice(exits) if walking else 0)
        orders.append(found)
    both = orders[0].keys() & orders[1].keys()
    assert len(both) > 8
    assert all(orders[0][tick] == orders[1][tick] for tick in both)


def _harmless(env: quack_env.QuackParallel, action: int) -> bool:  # type: ignore[name-defined]
    return action <= len(env.game.game_map.rooms)
