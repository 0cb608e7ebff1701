"""What the batched environment does in one step of all its games, over the rules.

Plain functions of numeric Python like those of the rules: the binder compiles them, and where Numba is missing they run
as they are. A place is the index of a game in the batch; when its game ends the next one begins there in the same step.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from quack_env.chance import chance, game_key
from quack_env.encode.vector import Layout, encode_events, encode_meeting, encode_others, encode_self
from quack_env.outcome import DUCKS
from quack_env.rules import CLOSED, act, deal, lapse, legal, settle, show
from quack_env.state import DISCUSSION, FREE, State
from quack_env.view import View, is_asked_together, look
from quack_env.world import World

EPISODE = 0xDB6E3F90A7C2514D
"""Purpose of the draws that give the games of a batch their seeds (as the purposes in `chance`)."""

Row: TypeAlias = Any
"""A one-dimensional buffer: an array where compiled, else a memoryview."""


class Batch(NamedTuple):
    """The buffers of a batch of B games of n seats; those of one row a game are written in place by every step."""

    observations: Any  # float32 (B, V), of the agent asked; (B, n, V) in the parallel form
    masks: Any  # int8 (B, A) or (B, n, A)
    actor: Any  # int64 (B,): the seat asked, in the turn form
    lapsed: Any  # bool (B, n): whose action became a wait, in the parallel form
    rewards: Any  # float32 (B, n): of a game that has just ended
    done: Any  # bool (B,): the game has just ended
    final: Any  # float32 (B, n, V): what each seat saw of the end; holds where done
    winner: Any  # int8 (B,): 1 Geese, 2 Ducks, where done; else 0
    reason: Any  # int8 (B,): index into outcome.REASONS where done; else 0
    ticks: Any  # int64 (B,): ticks of the game that ended
    steps: Any  # int64 (B,): steps of the game that ended
    ended: Any  # int64 (B,): seed of the game that ended
    seeds: Any  # int64 (B,): seed of the running game
    length: Any  # int64 (B,): steps of the running game so far
    episode: Any  # int64 (B,): which game of its place the running one is, from 0
    key: Any  # uint64 (1,): from which all seeds are drawn


# --- what the compiled form puts its own in place of -----------------------------------------------------------------


def clear(row: Row) -> None:
    """Set all of a buffer to zero."""
    np.frombuffer(row, np.uint8).fill(0)


def copy(row: Row, source: Any) -> None:
    """Fill a buffer from another one of the same length and kind."""
    row[:] = source


def store(states: Any, g: int, state: State) -> None:
    """Put a copy of a state into place g."""
    states[g].load(state.to_dict())


def new_view(states: Any) -> View:
    """A view to use again and again (states: those of the batch)."""
    return View()


def blank(view: View) -> None:
    """Take out of a view what `look` does not always write."""
    view.speaking, view.said, view.events = [], [], []


# --- one game --------------------------------------------------------------------------------------------------------


def episode_seed(key: int, game: int, episode: int) -> int:
    """The seed, in [0, 2**63), of the k-th game in a place: a function of (seed, place, k)."""
    return chance(key, EPISODE, game << 32 | episode)


def start(world: World, state: State, batch: Any, g: int) -> None:
    """Deal the next game in place g and go to its first decision."""
    seed = episode_seed(batch.key[0], g, batch.episode[g])
    batch.seeds[g] = seed
    batch.length[g] = 0
    deal(world, state, game_key(seed))
    advance(world, state)


def advance(world: World, state: State) -> None:
    """Go on to the next decision or the end."""
    while settle(world, state) == CLOSED:
        pass


def observe(world: World, layout: Layout, state: State, i: int, view: View, out: Row) -> None:
    """What agent i, living, observes; `encode.vector.encode` over a buffer."""
    blank(view)
    look(world, state, i, view)
    copy(out, layout.start[view.room])
    encode_self(world, layout, view, out)
    encode_others(world, layout, view, out)
    encode_events(world, layout, view, out)
    if len(view.speaking):
        encode_meeting(world, layout, view, out)


def finish(world: World, layout: Layout, state: State, ends: Any, batch: Any, view: View, g: int) -> None:
    """Report the end of the game in place g, keep its state where ``ends`` has places, and begin the next one."""
    if len(ends):
        store(ends, g, state)
    batch.done[g] = 1
    batch.winner[g] = state.winner
    batch.reason[g] = state.reason
    batch.ticks[g] = state.tick
    batch.steps[g] = batch.length[g]
    batch.ended[g] = batch.seeds[g]
    for i in range(world.n):
        of_ducks = state.ducks >> i & 1
        batch.rewards[g][i] = 1 if of_ducks == int(state.winner == DUCKS) else -1
        if state.alive >> i & 1:
            observe(world, layout, state, i, view, batch.final[g][i])
        else:
            clear(batch.final[g][i])
    batch.episode[g] += 1
    start(world, state, batch, g)


def go_on(world: World, layout: Layout, state: State, ends: Any, batch: Any, view: View, g: int, anew: int) -> None:
    """What follows an action in place g: its game is counted, and if it is over the next one begins; or begins anyway.

    What the previous step reported of an end is taken back.
    """
    if batch.done[g]:
        batch.done[g] = 0
        batch.winner[g] = batch.reason[g] = 0
        clear(batch.rewards[g])
    if anew:
        start(world, state, batch, g)
        return
    batch.length[g] += 1
    if state.winner:
        finish(world, layout, state, ends, batch, view, g)


def refused(masks: Any, actions: Any) -> int:
    """The index of the first action that is not legal, or -1; a mask and an action for each that is due."""
    for j in range(len(actions)):
        if not 0 <= actions[j] < len(masks[j]) or not masks[j][actions[j]]:
            return j
    return -1


# --- the turn form: one decision a game ------------------------------------------------------------------------------


def step_turn(
    world: World, layout: Layout, states: Any, ends: Any, batch: Any, actions: Any, anew: int, first: int, last: int
) -> None:
    """One legal action in each of the places first .. last - 1; with ``anew`` a new game there instead."""
    view = new_view(states)
    for g in range(first, last):
        state = states[g]
        if not anew:
            show(state, state.current)
            act(world, state, actions[g])
            advance(world, state)
        go_on(world, layout, state, ends, batch, view, g, anew)
        i = state.current
        batch.actor[g] = i
        observe(world, layout, state, i, view, batch.observations[g])
        clear(batch.masks[g])
        legal(world, state, i, batch.masks[g])


# --- the parallel form: all seats of a game at once ------------------------------------------------------------------


def step_together(
    world: World, layout: Layout, states: Any, ends: Any, batch: Any, actions: Any, anew: int, first: int, last: int
) -> None:
    """One action of every seat in each of the places first .. last - 1; with ``anew`` a new game there instead."""
    view = new_view(states)
    for g in range(first, last):
        state = states[g]
        clear(batch.lapsed[g])
        if not anew:
            play(world, state, actions[g], batch.masks[g], batch.lapsed[g])
        go_on(world, layout, state, ends, batch, view, g, anew)
        for i in range(world.n):
            see_together(world, layout, state, i, view, batch.observations[g][i], batch.masks[g][i])


def play(world: World, state: State, actions: Row, masks: Any, lapsed: Row) -> None:
    """Apply the actions of all who are asked, in the order of the rules; who waits instead is flagged.

    ``masks`` are overwritten.
    """
    for i in range(world.n):
        if is_asked_together(state, i):
            show(state, i)
    phase = state.phase
    tick = state.tick
    if phase == DISCUSSION:
        act(world, state, actions[state.current])
        advance(world, state)
        return
    while state.phase == phase and state.tick == tick and not state.winner:
        i = state.current
        clear(masks[i])
        legal(world, state, i, masks[i])
        if phase == FREE and not masks[i][actions[i]]:
            lapse(world, state, actions[i])
            lapsed[i] = 1
        else:
            act(world, state, actions[i])
        advance(world, state)


def see_together(world: World, layout: Layout, state: State, i: int, view: View, out: Row, mask: Row) -> None:
    """Observation and mask of seat i: nothing for the dead; who is not asked may only wait."""
    clear(mask)
    asked = is_asked_together(state, i)
    if asked:
        legal(world, state, i, mask)
    else:
        mask[0] = 1
    if state.alive >> i & 1:
        observe(world, layout, state, i, view, out)
        out[layout.at["asked"]] = asked
    else:
        clear(out)
