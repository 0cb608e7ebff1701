"""Chance as a stateless function of (key, purpose, index): no generator that advances (rules.md, "Setup").

Two games of one seed meet the same chance whatever the agents do; replay and forks need no random state.
The arithmetic is the same as uint64 wrap-around, so a compiled twin gives the same numbers.
"""

from __future__ import annotations

import numpy as np

M64 = 0xFFFFFFFFFFFFFFFF
UINT = INT = int  # the compiled form puts integers of 64 bits, unsigned and signed, in their place

# One 64-bit literal (>= 2**63) per purpose.
ROLES = 0x9B2F6E1D4C8A7035
TASKS = 0xC1E4A97B35D0862F
PLACE = 0xE60D53B8A2917C4F
TURN = 0x8F7A21C6D94E5B03
SPEAK = 0xD3581B9E67F02AC4
NAMES = 0xA94C07E2F1B36D58
LISTING = 0xB7D8316F0AE5924C
POLICY = 0xF02B9D7A4E6C1835

PICKS = 64  # indices reserved for the picks of one draw without repetition


def game_key(seed: int, fork: int = 0) -> int:
    """The 64-bit key of a game; ``fork`` 0 is the original, fork i a continuation's own chance."""
    entropy = seed if fork == 0 else [seed, fork]
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])


def chance(key: int, purpose: int, index: int) -> int:
    """A uniform integer in [0, 2**63)."""
    x = key + purpose + UINT(index) * 0x9E3779B97F4A7C15 & M64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return INT((x ^ x >> 31) >> 1)


def shuffle(key: int, purpose: int, index: int, n: int, out: list[int]) -> None:
    """Write a uniform permutation of 0..n-1 into ``out`` (n <= 16): one draw decoded in factorial base."""
    draw = chance(key, purpose, index)
    for j in range(n):
        out[j] = j
    for j in range(n - 1, 0, -1):
        q = draw % (j + 1)
        draw //= j + 1
        held = out[j]
        out[j] = out[q]
        out[q] = held


def pick(key: int, purpose: int, base: int, count: int, pool: int, out: list[int], start: int) -> None:
    """Write ``count`` picks of 0..pool-1 (pool <= 60) to ``out[start:]``, none twice until the pool is empty."""
    used = 0
    left = pool
    for p in range(count):
        if left == 0:
            used = 0
            left = pool
        q = chance(key, purpose, base * PICKS + p) % left
        choice = 0
        while True:
            if not used >> choice & 1:
                if q == 0:
                    break
                q -= 1
            choice += 1
        used |= 1 << choice
        left -= 1
        out[start + p] = choice


def policy_seed(seed: int, seat: int, fork: int = 0) -> int:
    """The seed of the policy in a seat: drawn from the game's key, so no draw of a policy shifts the game."""
    return chance(game_key(seed, fork), POLICY, seat)
