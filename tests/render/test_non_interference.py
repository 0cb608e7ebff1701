"""The pixels follow from what the viewer knows and perceives, and from nothing else; and all of that shows."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quack_env.encode.image import ImageEncoder
from quack_env.game import Game
from quack_env.kinds import (
    ARRIVE,
    BODY_APPEARED,
    BODY_REPORTED,
    CHAT,
    DEPART,
    EJECTED,
    KILL,
    MEETING_CALLED,
    NO_EJECTION,
    RESPAWN,
    SAW,
    STATEMENT,
    SUSPECT,
    TRANSIT_CANCELLED,
    VOTE,
    pack,
)
from quack_env.state import DISCUSSION, FREE, NOBODY, OVER, VOTING
from quack_env.view import Message, View

from .situations import crowd, deal, meeting, moments, step, transit

SIZES = (64, 384)
CONFIGS: tuple[dict[str, Any], ...] = (
    {"n_players": 6, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 40, "meeting_calls": 3},
    {"n_players": 9, "n_ducks": 3, "kill_cooldown": 2, "max_ticks": 40, "witness_kills": True, "reveal_votes": True},
    {"n_players": 7, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 40, "reveal_role": True, "meeting_calls": 4},
)


def images(game: Game, view: View, size: int) -> tuple[bytes, bytes]:
    """Both images, as bytes."""
    encoder = ImageEncoder(game.briefing, size)
    return encoder.global_map(view).tobytes(), encoder.local_view(view).tobytes()


# What the viewer cannot know


def game_at(config: int, speech: str, seed: int, moment: int) -> Game:
    """A random game after so many decisions, or at its last one."""
    game = deal("small", seed, speech, **CONFIGS[config])
    chance = random.Random(seed)
    for _ in range(moment):
        before = copy.deepcopy(game)
        step(game, chance)
        if game.over:
            return before
    return game


def scramble(game: Game, i: int, chance: random.Random) -> list[str]:
    """Change the state wherever agent i cannot know it; returns what was changed."""
    state, world = game.state, game.world
    done: list[str] = []
    in_meeting = state.phase in (DISCUSSION, VOTING)
    others = [j for j in range(world.n) if j != i]
    unseen = [j for j in others if state.room[i] < 0 or state.room[j] != state.room[i]]
    unseen = [j for j in unseen if not state.known_dead[i] >> j & 1]

    def changed(what: str, change: Callable[[], None]) -> None:
        before = state.to_dict()
        change()
        if state.to_dict() != before:
            done.append(what)

    def roles() -> None:
        if not state.ducks >> i & 1:
            hidden = [j for j in others if not state.revealed >> j & 1]
            ducks = [state.ducks >> j & 1 for j in hidden]
            chance.shuffle(ducks)
            for j, duck in zip(hidden, ducks, strict=True):
                state.ducks = state.ducks & ~(1 << j) | duck << j

    def places() -> None:
        for j in unseen:
            if state.room[j] >= 0:
                state.here[state.room[j]] &= ~(1 << j)
            state.room[j] = state.dest[j] = state.origin[j] = NOBODY
            state.left[j] = 0
            room = chance.choice([r for r in range(world.R) if r != state.room[i]])
            if not in_meeting and chance.random() < 0.3:
                state.alive &= ~(1 << j)  # dead in a room out of sight
                state.bodies[room] |= 1 << j
                state.body_room[j] = room
            elif state.alive >> j & 1:
                state.room[j] = room
                state.here[room] |= 1 << j

    def tasks() -> None:
        for j in others:
            for s in range(j * world.k, (j + 1) * world.k):
                state.task_room[s] = chance.choice(world.task_rooms)
                state.progress[s] = chance.randint(0, world.task_ticks)

    def clocks() -> None:
        for j in others:
            state.cooldown[j] = chance.randint(0, 9)
        if not state.ducks >> i & 1:
            state.cooldown[i] = chance.randint(0, 9)

    def counts() -> None:
        state.geese_alive, state.ducks_alive = chance.randint(1, 9), chance.randint(1, 9)
        state.tasks_left, state.key = chance.randint(1, 99), chance.getrandbits(63)

    def orders() -> None:
        chance.shuffle(state.order)
        state.vote = [chance.randint(-1, world.n) for _ in range(world.n)]

    def memories() -> None:
        for j in others:
            state.known_dead[j] = chance.getrandbits(world.n)
            state.at_scene[j] = state.left_scene[j] = chance.getrandbits(world.n)
            state.body_seen[j] = chance.getrandbits(world.n)
            for p in range(j * world.n, (j + 1) * world.n):
                state.last_room[p], state.last_tick[p] = chance.randrange(world.R), chance.randint(0, 40)

    def history() -> None:
        """Who else saw what it saw, and all that it did not see."""
        size = len(state.ring)
        for p in range(max(0, state.head - size), state.head):
            event = state.ring[p % size]
            if event >> 29 + i & 1:
                state.ring[p % size] = event ^ (chance.getrandbits(world.n) & ~(1 << i)) << 29
            else:
                seen_by = chance.getrandbits(world.n) & ~(1 << i)
                state.ring[p % size] = pack(
                    event >> 45, chance.choice((DEPART, KILL)), *_fields(chance, world.n), seen_by
                )

    for what in (roles, places, tasks, clocks, counts, orders, memories, history):
        changed(what.__name__, what)
    return done


def _fields(chance: random.Random, n: int) -> tuple[int, int, int, int]:
    return chance.randrange(n), chance.randrange(n), chance.randrange(5), chance.randrange(5)


@settings(max_examples=120, deadline=None)
@given(
    config=st.integers(0, len(CONFIGS) - 1),
    speech=st.sampled_from(("text", "tokens", "off")),
    seed=st.integers(0, 10_000),
    moment=st.integers(0, 160),
)
def test_nothing_shows_that_the_viewer_cannot_know(config: int, speech: str, seed: int, moment: int) -> None:
    game = game_at(config, speech, seed, moment)
    for i in range(game.world.n):
        if not game.state.alive >> i & 1:
            continue
        other = copy.deepcopy(game)
        scramble(other, i, random.Random(seed + i))
        for j in range(game.world.n):  # what others heard is none of its business
            if j != i:
                other.inbox[j] = []
        for size in SIZES:
            assert images(game, game.view(i), size) == images(game, other.view(i), size), (i, size)


def test_the_scramble_changes_everything_somewhere() -> None:
    done: set[str] = set()
    for seed in range(6):
        game = game_at(seed % 3, "text", seed, 40)
        for i in range(game.world.n):
            done |= set(scramble(copy.deepcopy(game), i, random.Random(seed)))
    assert done == {"roles", "places", "tasks", "clocks", "counts", "orders", "memories", "history"}


@cache
def reference() -> tuple[Game, View]:
    game, view = crowd("ship", 5, 2, events=3)
    view.tick = 5
    return game, view


GLOBAL_FIELDS = {"me", "self_alive", "room", "origin", "dest", "left", "task_room", "progress"}
"""All that the global map may depend on."""
UNSHOWN = {
    "asked",
    "calls_left",
    "meeting",
    "last_room",
    "last_tick",
    "at_scene",
    "left_scene",
    "said",
    "transcript",
    "cooldown",
}
"""What neither image shows: it is in the other observations (memory, budget, what was said before)."""
ONLY_GLOBAL = {"task_room", "progress"}


def other_values(value: Any) -> list[Any]:
    """Some that are of the same kind and differ."""
    if isinstance(value, int):
        return [other for other in (value ^ 1, value + 3, 0, 1, 9) if other != value]
    if isinstance(value, tuple):
        return [(Message(1, "x", "something else", room="medbay"), *value)]
    return [[v ^ 1 for v in value] or [1], [5] * 9]


def a_duck_in_a_room() -> tuple[Game, View]:
    game, view = reference()
    duck = copy.deepcopy(view)
    duck.duck, duck.partners, duck.cooldown = 1, 0b10, 4
    return game, duck


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("situation", ["room", "duck", "meeting", "transit"])
def test_which_fields_the_images_depend_on(situation: str, size: int) -> None:
    situations: dict[str, Callable[[], tuple[Game, View]]] = {
        "room": reference,
        "duck": a_duck_in_a_room,
        "meeting": lambda: meeting("ship", 9, 3, events=3),
        "transit": lambda: transit("ship", 13, 2),
    }
    game, view = situations[situation]()
    encoder = ImageEncoder(game.briefing, size)
    global_map, local_view = images(game, view, size)
    for name in View.__slots__:
        for value in other_values(getattr(view, name)):
            changed = copy.deepcopy(view)
            setattr(changed, name, value)
            if name not in GLOBAL_FIELDS:
                assert encoder.global_map(changed).tobytes() == global_map, name
            if name in UNSHOWN | ONLY_GLOBAL:
                assert encoder.local_view(changed).tobytes() == local_view, name


# What the viewer sees


Change = Callable[[View], None]


def setting(**values: Any) -> Change:
    """Give fields other values, which may be functions of the view."""

    def change(view: View) -> None:
        new = {name: value(view) if callable(value) else value for name, value in values.items()}
        for name, value in new.items():
            assert getattr(view, name) != value
            setattr(view, name, value)

    return change


def adding(event: int) -> Change:
    def change(view: View) -> None:
        view.events = [*view.events, event]

    return change


def saying(event: int) -> Change:
    """In the grammar of `tokens`; the event alone has the words."""

    def change(view: View) -> None:
        view.events, view.messages = [event], ()

    return change


def finishing(view: View) -> None:
    view.progress = [3, *view.progress[1:]]


def moving_task(view: View) -> None:
    view.task_room = [view.task_room[0] + (1 if view.task_room[0] < 9 else -1), *view.task_room[1:]]


IN_ROOM_LOCAL: dict[str, Change] = {
    "own room": setting(room=2),
    "somebody fewer": setting(here=lambda view: view.here & ~0b10),
    "a body fewer": setting(bodies=lambda view: view.bodies & ~0b100000),
    "somebody died": setting(here=lambda view: view.here & ~0b10, bodies=lambda view: view.bodies | 0b10),
    "another tick": setting(tick=9),
    "a role": setting(duck=1),
    "game over": setting(phase=OVER),
    "events left out": setting(dropped=1),
    **{
        f"event {event}": adding(event)
        for event in (
            pack(1, DEPART, 1, -1, 0, 1, 0),
            pack(1, DEPART, 1, -1, 0, 2, 0),
            pack(2, DEPART, 1, -1, 0, 1, 0),
            pack(1, DEPART, 2, -1, 0, 1, 0),
            pack(1, ARRIVE, 1, -1, 1, 0, 0),
            pack(1, ARRIVE, 1, -1, 2, 0, 0),
            pack(1, ARRIVE, 3, -1, 1, 0, 0),
            pack(1, BODY_APPEARED, -1, 5, 0, -1, 0),
            pack(1, BODY_APPEARED, -1, 6, 0, -1, 0),
            pack(1, KILL, 1, 5, 0, -1, 0),
            pack(1, CHAT, 1, -1, 0, -1, 0),
            pack(1, CHAT, 2, -1, 0, -1, 0),
            pack(1, TRANSIT_CANCELLED, 1, -1, 0, 1, 0),
            pack(1, RESPAWN, 1, -1, 0, -1, 0),
            pack(1, EJECTED, -1, 4, -1, -1, 0),
            pack(1, EJECTED, -1, 4, -1, 0, 0),
            pack(1, EJECTED, -1, 4, -1, 1, 0),
            pack(1, NO_EJECTION, -1, -1, -1, 0, 0),
            pack(1, NO_EJECTION, -1, -1, -1, 1, 0),
            pack(1, VOTE, 1, 2, -1, -1, 0),
            pack(1, VOTE, 1, -1, -1, -1, 0),
            pack(1, MEETING_CALLED, 1, -1, -1, 0, 0),
            pack(1, MEETING_CALLED, 1, -1, -1, 1, 0),
            pack(1, BODY_REPORTED, 1, 5, 0, -1, 0),
        )
    },
}
IN_ROOM_GLOBAL: dict[str, Change] = {
    "own room": setting(room=2),
    "a task done": finishing,
    "another task": moving_task,
}
AT_MEETING: dict[str, Change] = {
    "the vote": setting(phase=VOTING, round=0),
    "round": setting(round=2),
    "speaker": setting(speaker=0),
    "order": setting(speaking=lambda view: [view.speaking[0], *view.speaking[:0:-1]]),
    "caller": setting(caller=2),
    "reason": setting(by_body=0),
    "one more dead": setting(
        known_dead=lambda view: view.known_dead | 1 << view.speaking[-1], speaking=lambda view: view.speaking[:-1]
    ),
    "another dead": setting(
        known_dead=lambda view: view.known_dead ^ (1 << 8 | 1 << 5),
        speaking=lambda view: [8 if seat == 5 else seat for seat in view.speaking],
    ),
    "own room": setting(room=2),
    "company": setting(here=0b1000),
    "a body seen": setting(bodies=1 << 8),
    "a role": setting(duck=1),
    "a partner": setting(duck=1, partners=0b10),
    "a revealed Duck": setting(revealed_ducks=1 << 8),
    "a revealed Goose": setting(revealed_geese=1 << 8),
    "another tick": setting(tick=9),
    "a statement": saying(pack(0, STATEMENT, 1, 2, 3, SAW, 0)),
    "of another room": saying(pack(0, STATEMENT, 1, 2, 4, SAW, 0)),
    "of another player": saying(pack(0, STATEMENT, 1, 3, 3, SAW, 0)),
    "another form": saying(pack(0, STATEMENT, 1, 2, -1, SUSPECT, 0)),
}


def all_differ(game: Game, view: View, changes: dict[str, Change], image: int, size: int) -> None:
    """Every change gives a picture of its own."""
    pictures = {"as it was": images(game, view, size)[image]}
    for name, change in changes.items():
        changed = copy.deepcopy(view)
        change(changed)
        pictures[name] = images(game, changed, size)[image]
    for name, picture in pictures.items():
        same = [other for other, pixels in pictures.items() if other != name and pixels == picture]
        assert not same, (name, same, size)


ALL_SIZES = (64, 128, 256, 384, 768)


@pytest.mark.parametrize("size", ALL_SIZES)
def test_all_that_is_perceived_in_a_room_shows(size: int) -> None:
    game, view = reference()
    all_differ(game, view, IN_ROOM_LOCAL, 1, size)
    all_differ(game, view, IN_ROOM_GLOBAL, 0, size)


@pytest.mark.parametrize("size", ALL_SIZES)
def test_all_that_is_known_at_a_meeting_shows(size: int) -> None:
    game, view = meeting("ship", 9, 3, events=3)
    all_differ(game, view, AT_MEETING, 1, size)


@pytest.mark.parametrize("size", ALL_SIZES)
def test_the_own_way_shows_on_both_images(size: int) -> None:
    game, view = transit("ship", 13, 3)  # storage to navigation, 3 ticks
    view.left = 3
    assert game.game_map.corridors[13] == ("storage", "navigation", 3)
    for image in (0, 1):
        ways = {"two left": setting(left=2), "one left": setting(left=1)}
        all_differ(game, view, ways, image, size)
        back = copy.deepcopy(view)
        back.origin, back.dest = view.dest, view.origin
        assert images(game, back, size)[image] != images(game, view, size)[image]


@pytest.mark.parametrize("size", (200, 256, 384, 768))
def test_words_heard_show_where_there_is_text(size: int) -> None:
    game, view = crowd("ship", 4, 0)
    view.events = [pack(1, CHAT, 1, -1, 0, -1, 0)]
    pictures = set()
    for text in ("I saw Bob.", "I saw Eve.", "I saw nobody."):
        view.messages = (Message(1, game.briefing.names[1], text, room="medbay"),)
        pictures.add(images(game, view, size)[1])
    assert len(pictures) == 3


def partners_shown() -> Iterator[tuple[Game, View]]:
    for seed in range(8):
        game = deal("small", seed, n_players=7, n_ducks=3, max_ticks=20)
        for now in moments(game, seed, every=5, most=120):
            for i in range(7):
                if now.state.ducks >> i & 1 and now.state.alive >> i & 1 and now.state.phase in (FREE, DISCUSSION):
                    yield now, now.view(i)


def test_ducks_see_their_partners_wherever_people_are_shown() -> None:
    shown = 0
    for game, view in partners_shown():
        people = view.here if view.phase == FREE else sum(1 << j for j in view.speaking if j != view.me)
        for seat in range(7):
            if people >> seat & 1:
                changed = copy.deepcopy(view)
                changed.partners ^= 1 << seat
                for size in SIZES:
                    assert images(game, view, size)[1] != images(game, changed, size)[1]
                shown += 1
    assert shown > 50


def test_the_same_seen_twice_is_the_same_picture() -> None:
    for size in SIZES:
        game, view = reference()
        assert images(game, view, size) == images(game, copy.deepcopy(view), size)
        first = ImageEncoder(game.briefing, size).local_view(view)
        assert np.array_equal(first, ImageEncoder(copy.deepcopy(game.briefing), size).local_view(view))
