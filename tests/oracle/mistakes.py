"""Seeded mistakes: changes to the source text of the rules that the comparison with the oracle must catch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

from quack_env import rules as the_rules


class Mistake(NamedTuple):
    """A change to `rules.py`: `old`, which occurs exactly once in it, becomes `new`."""

    name: str
    old: str
    new: str


MISTAKES = (
    # the vote
    Mistake("tie: the first of those in front is ejected", "            tied = 1\n", "            tied = 0\n"),
    Mistake("skip: at first place it does not save", "    if skips >= best:\n", "    if skips > best:\n"),
    Mistake(
        "votes: everybody learns them",
        "state.alive if world.reveal_votes else 1 << i",
        "state.alive",
    ),
    # the ending
    Mistake(
        "parity: needs more Ducks than Geese",
        "state.ducks_alive >= state.geese_alive:",
        "state.ducks_alive > state.geese_alive:",
    ),
    Mistake(
        "timeout: before the other endings",
        "    if state.ducks_alive == 0:\n        end(world, state, GEESE, ALL_EJECTED)\n",
        "    if whole and state.tick >= world.max_ticks:\n        end(world, state, GEESE, TIMEOUT)\n"
        "    elif state.ducks_alive == 0:\n        end(world, state, GEESE, ALL_EJECTED)\n",
    ),
    Mistake(
        "timeout: one tick late",
        "    elif whole and state.tick >= world.max_ticks:\n",
        "    elif whole and state.tick > world.max_ticks:\n",
    ),
    Mistake(
        "timeout: the meeting of the last tick is not played",
        "    state.sealed = 1\n    if world.speech == OFF:\n        begin_vote(world, state)\n",
        "    state.sealed = 1\n    if world.speech == OFF:\n        begin_vote(world, state)\n"
        "    check_end(world, state, 1)\n",
    ),
    Mistake("tasks: a game without tasks is won", "state.tasks_left == 0 and world.k > 0:", "state.tasks_left == 0:"),
    Mistake("tasks: a Duck's fake task counts", "        if not state.ducks >> i & 1:\n", "        if True:\n"),
    Mistake("tasks: those of the dead are dropped", "        if world.drop_dead_tasks:\n", "        if True:\n"),
    Mistake(
        "published: the end is looked for within a tick",
        "        if not whole and state.phase == FREE:\n            return\n",
        "",
    ),
    Mistake(
        "published: the tick budget does not come first",
        "        if whole and state.tick >= world.max_ticks and state.geese_alive > 0:\n",
        "        if False:\n",
    ),
    # movement and tasks
    Mistake(
        "transit: arrives one tick early",
        "        state.left[i] = ticks\n",
        "        state.left[i] = max(1, ticks - 1)\n",
    ),
    Mistake(
        "transit: a meeting puts a traveller where it was going",
        "            state.room[i] = state.origin[i]\n",
        "            state.room[i] = state.dest[i]\n",
    ),
    Mistake(
        "consecutive: leaving keeps the progress",
        "    forget_step(world, state, i, room)\n    if others:\n",
        "    if others:\n",
    ),
    Mistake(
        "consecutive: a meeting keeps the progress",
        "            forget_step(world, state, i, state.room[i])\n",
        "",
    ),
    Mistake(
        "respawn: the bodies stay",
        "    for i in range(n):\n        state.body_room[i] = NOBODY\n"
        "    for r in range(world.R):\n        state.bodies[r] = 0\n    place(world, state)\n",
        "    place(world, state)\n",
    ),
    Mistake(
        "published: a corridor of two ticks is crossed at once, too",
        "    if ticks == 1 and world.instant_hops:\n",
        "    if ticks <= 2 and world.instant_hops:\n",
    ),
    # killing
    Mistake(
        "cooldown: none after a kill",
        "    state.cooldown[i] = world.kill_cooldown\n    there = ",
        "    there = ",
    ),
    Mistake(
        "cooldown: starts anew after a meeting",
        "            part(world, state, i)\n            forget_step",
        "            state.cooldown[i] = world.kill_cooldown if state.ducks >> i & 1 else 0\n"
        "            part(world, state, i)\n            forget_step",
    ),
    Mistake("kill: fellow Ducks too", "state.here[room] & ~state.ducks\n", "state.here[room] & ~(1 << i)\n"),
    Mistake(
        "death tick: the dead still act",
        "            if state.room[i] >= 0:  # living, and not in transit\n",
        "            if state.room[i] >= 0 or state.body_room[i] >= 0:\n",
    ),
    # meetings
    Mistake("button: a press costs nothing", "        state.calls_left -= 1\n", ""),
    Mistake("button: one press too many", "and state.calls_left > 0:", "and state.calls_left >= 0:"),
    Mistake("report: a body report costs a press", "    state.by_body = reason\n", "    state.calls_left -= reason\n"),
    Mistake(
        "speaking: the caller is not the first",
        "    state.speaking[0] = state.caller\n    count = 1\n    for p in range(world.n):\n"
        "        j = state.order[p]\n        if j != state.caller and state",
        "    count = 0\n    for p in range(world.n):\n        j = state.order[p]\n        if state",
    ),
    Mistake(
        "speaking: one round too few",
        "        if state.round > world.rounds:\n",
        "        if state.round >= world.rounds:\n",
    ),
    Mistake("meeting: not everybody learns who is dead", "        state.known_dead[i] |= dead\n", "        pass\n"),
    # who perceives
    Mistake(
        "seen_by: a departure is seen after the leaving",
        "    emit(world, state, DEPART, i, NOBODY, room, to, there)\n",
        "    emit(world, state, DEPART, i, NOBODY, room, to, others)\n",
    ),
    Mistake(
        "seen_by: who arrives does not see the later arrivals",
        "        for i in range(world.n):\n            if arrived >> i & 1:\n                arrive(world, state, i)\n",
        "        for i in range(world.n):\n            if arrived >> i & 1:\n"
        "                state.here[state.room[i]] &= ~(1 << i)\n"
        "        for i in range(world.n):\n            if arrived >> i & 1:\n"
        "                state.here[state.room[i]] |= 1 << i\n                arrive(world, state, i)\n",
    ),
    Mistake("seen_by: kills are witnessed", "there if world.witness_kills else 1 << i", "there"),
    Mistake(
        "seen_by: all learn which body was reported",
        "state.body_seen[b] & state.alive)",
        "state.alive)",
    ),
)


def source_of_rules() -> str:
    """The text of `rules.py`."""
    return Path(the_rules.__file__).read_text(encoding="utf-8")


def with_mistake(mistake: Mistake) -> CodeType:
    """The rules with the mistake, compiled; `LookupError` when `old` does not occur exactly once."""
    source = source_of_rules()
    found = source.count(mistake.old)
    if found != 1:
        raise LookupError(
            f"mistake {mistake.name!r}: its text occurs {found} times in rules.py, not once. The rules have changed: "
            f"update this mistake in tests/oracle/mistakes.py. The text is:\n{mistake.old}"
        )
    return compile(source.replace(mistake.old, mistake.new), "rules_with_a_mistake.py", "exec")


def maker_of(code: CodeType) -> Callable[..., ModuleType]:
    """What gives the driver the rules of this code, with given chance where there is some."""

    def make(**draws: Callable) -> ModuleType:
        module = ModuleType("rules_with_a_mistake")
        exec(code, module.__dict__)
        module.__dict__.update(draws)
        return module

    return make
