"""Statements of the finite grammar: their numbers, their values, their words."""

from __future__ import annotations

import pytest
from conformance.play import actions_of, house

import quack_env
from quack_env.kinds import DID_TASK, NOTHING, SAW, SUSPECT, VOUCH, WAS_IN
from quack_env.statements import Statement, decode, encode, named, words
from quack_env.world import World

WORLDS = [
    quack_env.raw_env(config={"n_players": n, "n_ducks": 1}, game_map=game_map).game.world
    for n, game_map in ((3, "small"), (6, "ship"), (16, "large"))
]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.n} players, {world.R} rooms")
def test_statements_are_numbered_in_the_order_of_interfaces_md(world: World) -> None:
    """I was in R; I saw X in R; I did a task in R; X is suspicious; I vouch for X; nothing."""
    expected = [
        *((WAS_IN, -1, room) for room in range(world.R)),
        *((SAW, seat, room) for seat in range(world.n) for room in range(world.R)),
        *((DID_TASK, -1, room) for room in range(world.R)),
        *((SUSPECT, seat, -1) for seat in range(world.n)),
        *((VOUCH, seat, -1) for seat in range(world.n)),
        (NOTHING, -1, -1),
    ]
    assert [decode(world, code) for code in range(world.A - world.act_state)] == expected


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.n} players, {world.R} rooms")
def test_encoding_is_the_inverse_of_decoding(world: World) -> None:
    for code in range(world.A - world.act_state):
        assert encode(world, *decode(world, code)) == code


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (Statement("was_in", None, "medbay"), "I was in medbay."),
        (Statement("saw", "Eve", "medbay"), "I saw Eve in medbay."),
        (Statement("did_task", None, "medbay"), "I did a task in medbay."),
        (Statement("suspect", "Eve"), "Eve is suspicious."),
        (Statement("vouch", "Eve"), "I vouch for Eve."),
        (Statement("nothing"), "I have nothing to say."),
    ],
)
def test_a_statement_has_plain_words(statement: Statement, text: str) -> None:
    assert words(statement) == text


def test_a_kind_number_has_a_name() -> None:
    assert named(SAW, "Eve", "medbay") == Statement("saw", "Eve", "medbay")
    assert named(NOTHING, None, None) == Statement("nothing")


def test_actions_name_statements_as_they_are_numbered() -> None:
    env = house()
    env.reset(seed=0)
    a, name = actions_of(env), env.game.briefing.action_names
    names = env.game.briefing.names
    assert name[a.was_in("attic")] == "was_in(attic)"
    assert name[a.saw(2, "attic")] == f"saw({names[2]}, attic)"
    assert name[a.did_task("attic")] == "did_task(attic)"
    assert name[a.suspect(3)] == f"suspect({names[3]})"
    assert name[a.vouch(4)] == f"vouch({names[4]})"
    assert name[a.nothing] == "nothing()"
    assert len(name) == a.nothing + 1


def test_a_speaker_may_say_anything_of_the_grammar_but_not_about_itself_nor_of_tasks_where_none_are() -> None:
    """4 rooms; 4 others in 4 rooms; tasks in 3 rooms; suspect 4; vouch for 4; nothing. No speech, no wait."""
    env = house()
    env.reset(seed=0)
    a = actions_of(env)
    while not env.last()[0]["action_mask"][a.call]:
        mask = env.last()[0]["action_mask"]
        env.step(next(c for c in (a.move("hall"), a.move("kitchen"), 0) if mask[c]))
    env.step(a.call)
    me = int(env.agent_selection[-1])
    mask = env.last()[0]["action_mask"]
    legal = {code for code in range(len(mask)) if mask[code]}
    others = [j for j in range(5) if j != me]
    rooms = ("hall", "kitchen", "attic", "cellar")
    assert legal == {
        *(a.was_in(room) for room in rooms),
        *(a.saw(j, room) for j in others for room in rooms),
        *(a.did_task(room) for room in rooms if room != "hall"),
        *(a.suspect(j) for j in others),
        *(a.vouch(j) for j in others),
        a.nothing,
    }
    assert len(legal) == 4 + 16 + 3 + 4 + 4 + 1


@pytest.mark.parametrize(("speech", "last"), [("off", "speak()"), ("text", "speak()"), ("tokens", "nothing()")])
def test_only_the_mode_tokens_has_statements_among_its_actions(speech: str, last: str) -> None:
    env = house(speech=speech)
    env.reset(seed=0)
    assert env.game.briefing.action_names[-1] == last
