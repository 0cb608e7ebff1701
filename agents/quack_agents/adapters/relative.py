"""Actions about players, named from one's own seat as the observation names them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quack_env.statements import decode, encode
from quack_env.world import TOKENS, World


def relative_actions(world: World) -> NDArray[np.int64]:
    """int64 (n, A): row i has, for every action in the words of seat i, its number in the game.

    In its words player d is seat (i + d) mod n, in kill, vote and every statement that names one; all else is as it is.
    So ``mask[table[i]]`` is the mask in its words, and ``table[i, action]`` the action to submit.
    """
    table = np.tile(np.arange(world.A), (world.n, 1))
    seats = np.arange(world.n)
    for me in seats:
        turned = (me + seats) % world.n
        table[me, world.act_kill + seats] = world.act_kill + turned
        table[me, world.act_vote + seats] = world.act_vote + turned
        for code in range(world.A - world.act_state if world.speech == TOKENS else 0):
            kind, target, room = decode(world, code)
            if target >= 0:
                named = encode(world, kind, (int(me) + target) % world.n, room)
                table[me, world.act_state + code] = world.act_state + named
    return table
