"""The game as its players meet it: endings, votes, meetings, ways, words, and balanced chance. Positions by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import quack_env
from quack_env.kinds import KINDS, unpack

from .play import (
    ATTIC,
    CELLAR,
    FORMS,
    HALL,
    KITCHEN,
    OBSERVATIONS,
    SPEECH,
    actions_of,
    any_legal,
    arrange,
    eventful,
    house,
    numbers,
    play_tick,
    run,
    steps,
    talk,
    vote,
    walk,
)


def outcome(env: Any) -> tuple[str, str] | None:
    found = env.unwrapped.game.outcome
    return (found.winner, found.reason) if found else None


def call_meeting(env: Any, **position: Any) -> None:
    """Everybody in the hall, and player_0 presses the button."""
    arrange(env, ["hall"] * 5, **position)
    env.step(actions_of(env).call)


def kinds(env: Any) -> list[str]:
    """Kinds of the events since they were last taken."""
    return [KINDS[unpack(event)[1]] for event in env.unwrapped.game.take()[0]]


# ---------------------------------------------------------------------------------------------------------------------
# Endings


def test_a_kill_to_parity_ends_the_game_at_once() -> None:
    """Two Geese left; the second one and its turn are not played."""
    env = house()
    arrange(env, ["hall"] * 5, ducks=[2], bodies={3: "attic", 4: "attic"}, order=[2, 0, 1, 3, 4])
    env.step(actions_of(env).kill(0))
    assert outcome(env) == ("ducks", "parity")
    assert all(env.terminations.values())
    assert env.rewards == {"player_0": -1, "player_1": -1, "player_2": 1, "player_3": -1, "player_4": -1}
    assert env.game.state.tick == 1


def test_a_kill_to_parity_ends_the_parallel_game_in_its_step() -> None:
    env = house("parallel_env")
    arrange(env, ["hall"] * 5, ducks=[2], bodies={3: "attic", 4: "attic"}, order=[2, 0, 1, 3, 4])
    a = actions_of(env)
    chosen = {"player_0": a.move("kitchen"), "player_1": a.move("kitchen"), "player_2": a.kill(0)}
    _, rewards, terminations, _, _ = env.step(chosen)
    assert outcome(env) == ("ducks", "parity")
    assert all(terminations.values())
    assert rewards["player_2"] == 1
    assert env.game.state.room[1] == HALL  # what it chose came after the end
    assert env.agents == []


def test_a_kill_above_parity_ends_nothing() -> None:
    env = house()
    arrange(env, ["hall"] * 5, ducks=[2], bodies={4: "attic"}, order=[2, 0, 1, 3, 4])
    env.step(actions_of(env).kill(0))
    assert outcome(env) is None


@pytest.mark.parametrize("speech", SPEECH)
def test_ejecting_the_last_duck_ends_the_game_at_once(speech: str) -> None:
    env = house(speech=speech)
    call_meeting(env, ducks=[3])
    talk(env)
    vote(env, {0: 3, 1: 3, 2: 3})
    assert outcome(env) == ("geese", "ducks ejected")
    assert env.game.phase == "over"


def test_ejecting_one_of_two_ducks_ends_nothing() -> None:
    env = house(n_ducks=2)
    call_meeting(env, ducks=[3, 4])
    talk(env)
    vote(env, {0: 3, 1: 3, 2: 3})
    assert outcome(env) is None
    assert env.game.phase == "free_roam"


def test_ejecting_a_goose_to_parity_ends_the_game_at_once() -> None:
    env = house()
    arrange(env, ["hall"] * 5, ducks=[0], bodies={3: "attic", 4: "attic"})
    env.step(actions_of(env).call)
    talk(env)
    vote(env, {0: 1, 2: 1})
    assert outcome(env) == ("ducks", "parity")


def test_the_parallel_vote_that_ejects_the_last_duck_ends_the_game() -> None:
    env = house("parallel_env", speech="off")
    arrange(env, ["hall"] * 5, ducks=[3])
    a = actions_of(env)
    env.step(dict.fromkeys(env.agents, 0) | {"player_0": a.call})
    _, rewards, terminations, _, _ = env.step(dict.fromkeys(env.agents, a.vote(3)) | {"player_3": a.skip})
    assert outcome(env) == ("geese", "ducks ejected")
    assert all(terminations.values())
    assert rewards == {"player_0": 1, "player_1": 1, "player_2": 1, "player_3": -1, "player_4": 1}


ALL_DONE = dict.fromkeys(range(5), (3, 3))
BUT_ONE = ALL_DONE | {1: (3, 2)}
WHERE: dict[int, Any] = dict.fromkeys(range(5), ("attic", "kitchen"))


def test_the_last_task_ends_the_game_at_once() -> None:
    env = house()
    arrange(env, ["kitchen"] * 5, tasks=WHERE, progress=BUT_ONE, order=[1, 0, 2, 3, 4])
    env.step(actions_of(env).do_task)
    assert outcome(env) == ("geese", "tasks")
    assert env.game.state.tick == 1


def test_a_ducks_fake_tasks_never_count() -> None:
    """The Duck's last unit is no end; a Goose's unfinished task keeps the game going."""
    env = house()
    progress = ALL_DONE | {0: (3, 2), 1: (3, 0)}
    arrange(env, ["kitchen"] * 5, ducks=[0], tasks=WHERE, progress=progress)
    env.step(actions_of(env).do_task)
    assert outcome(env) is None
    assert env.game.state.tasks_left == 1


@pytest.mark.parametrize(("drop", "ended"), [(False, None), (True, ("geese", "tasks"))])
def test_the_tasks_of_the_dead_count_unless_they_are_dropped(drop: bool, ended: Any) -> None:
    env = house(drop_dead_tasks=drop)
    arrange(env, ["kitchen"] * 5, ducks=[0], tasks=WHERE, progress=BUT_ONE)
    env.step(actions_of(env).kill(1))
    assert outcome(env) == ended


def test_parity_comes_before_tasks() -> None:
    """One kill brings both; rules.md gives the order."""
    env = house(drop_dead_tasks=True)
    arrange(env, ["kitchen"] * 5, ducks=[0], tasks=WHERE, progress=BUT_ONE, bodies={3: "attic", 4: "attic"})
    env.step(actions_of(env).kill(1))
    assert outcome(env) == ("ducks", "parity")


@pytest.mark.parametrize("form", list(FORMS))
def test_the_tick_budget_ends_the_game_for_the_geese_as_a_termination(form: str) -> None:
    env = house(form, max_ticks=4)
    arrange(env, ["attic"] * 5)
    if form == "parallel_env":
        while env.agents:
            _, _, terminations, truncations, _ = env.step(dict.fromkeys(env.agents, 0))
    else:
        run(env, 0, lambda mask, chance, actions: 0)
        terminations, truncations = env.terminations, env.truncations
    assert outcome(env) == ("geese", "timeout")
    assert env.unwrapped.game.state.tick == 4
    assert all(terminations.values())
    assert not any(truncations.values())


@pytest.mark.parametrize("form", list(FORMS))
def test_a_game_without_tasks_is_not_won_at_the_start(form: str) -> None:
    env = house(form, n_tasks=0, max_ticks=3)
    env.reset(seed=0)
    assert outcome(env) is None
    mask = env.unwrapped.game.mask(env.unwrapped.game.state.current)
    assert not mask[actions_of(env).do_task]
    if form != "parallel_env":
        run(env, 0, lambda mask, chance, actions: 0)
        assert outcome(env) == ("geese", "timeout")


def test_a_game_in_which_nobody_is_killed_or_ejected_reaches_its_end() -> None:
    env = house(max_ticks=12, meeting_calls=3, n_tasks=0)
    env.reset(seed=0)
    a = actions_of(env)

    def harmless(mask: np.ndarray, chance: Any, actions: Any) -> int:
        return next(c for c in (a.call, a.skip, a.nothing, a.move("hall"), a.move("kitchen"), 0) if mask[c])

    run(env, 0, harmless)
    assert env.game.state.meeting == 3
    assert env.game.state.alive == 0b11111
    assert outcome(env) == ("geese", "timeout")


@pytest.mark.parametrize("speech", SPEECH)
def test_meetings_and_ticks_are_bounded_so_every_game_ends(speech: str) -> None:
    meetings = 0
    for seed in range(15):
        config = {"n_players": 8, "n_ducks": 3, "kill_cooldown": 1, "max_ticks": 30, "n_tasks": 3}
        env = quack_env.raw_env(config=config, game_map="small", speech=speech, observation="vector")
        env.game.recording = True
        env.reset(seed=seed)
        run(env, seed, eventful)
        happened = kinds(env)
        assert outcome(env) is not None
        assert env.game.state.tick <= 30
        assert env.game.state.meeting == happened.count("meeting_called")
        assert env.game.state.meeting <= happened.count("kill") + 3
        meetings += env.game.state.meeting
    assert meetings


# ---------------------------------------------------------------------------------------------------------------------
# Meetings and votes


@pytest.mark.parametrize(
    ("ballots", "ejected", "words"),
    [
        ({}, None, "nobody was ejected"),  # all skip
        ({0: 1}, None, "nobody was ejected"),  # one against four skips
        ({0: 1, 2: 1, 3: 2}, None, "nobody was ejected"),  # two, two skips, one: skip at first place
        ({0: 1, 2: 1, 3: 1}, 1, "was ejected"),  # three against two skips
        ({0: 1, 2: 1, 1: 2, 3: 2}, None, "nobody was ejected"),  # two all, a skip
        ({0: 1, 2: 1, 1: 2, 3: 0}, 1, "was ejected"),  # two, one, one, a skip: plurality is enough
        ({0: 1, 2: 1, 1: 2, 3: 0, 4: 3}, 1, "was ejected"),  # two, and one each
        ({0: 1, 1: 2, 2: 3, 3: 4, 4: 0}, None, "nobody was ejected"),  # one each
        ({0: 4, 1: 4, 2: 4, 3: 4, 4: 3}, 4, "was ejected"),
        ({0: 2, 1: 2, 3: 4, 4: 3, 2: 4}, None, "nobody was ejected"),  # two, two, one
    ],
)
def test_a_vote_is_resolved_by_plurality_and_announced(
    ballots: dict[int, int], ejected: int | None, words: str
) -> None:
    env = house(n_ducks=1, observation="text")
    call_meeting(env, ducks=[3])
    talk(env)
    vote(env, ballots)
    living = env.game.state.alive
    assert living == 0b11111 & ~(0 if ejected is None else 1 << ejected)
    name = "" if ejected is None else env.game.briefing.names[ejected] + " "
    for i, agent in enumerate(env.possible_agents):
        if living >> i & 1:
            assert f"{name}{words}" in env.observe(agent)["text"]
            assert ("nobody was ejected" in env.observe(agent)["text"]) == (ejected is None)


def test_nobody_learns_a_vote_before_or_after_all_are_cast() -> None:
    texts = []
    for ballots in ({0: 1, 2: 1, 3: 1}, {4: 1, 2: 1, 3: 1}):
        env = house(observation="text")
        call_meeting(env, ducks=[3])
        talk(env)
        vote(env, ballots)
        texts.append(env.observe("player_2")["text"])
    assert texts[0] == texts[1]
    assert "voted" not in texts[0]


def test_votes_are_told_where_the_config_says_so() -> None:
    env = house(observation="text", reveal_votes=True)
    call_meeting(env)
    talk(env)
    vote(env, {0: 1})
    names = env.game.briefing.names
    text = env.observe("player_2")["text"]
    assert f"{names[0]} voted for {names[1]}" in text
    assert f"{names[4]} skipped the vote" in text


@pytest.mark.parametrize("reveal", [False, True])
def test_the_role_of_the_ejected_is_told_only_where_the_config_says_so(reveal: bool) -> None:
    env = house(observation="text", reveal_role=reveal)
    call_meeting(env, ducks=[3])
    talk(env)
    vote(env, {0: 1, 2: 1, 3: 1})
    name = env.game.briefing.names[1]
    assert (f"{name} was ejected, a Goose" in env.observe("player_2")["text"]) == reveal


def test_the_dead_neither_speak_nor_vote_nor_are_voted_for() -> None:
    env = house(discussion_rounds=2)
    arrange(env, ["hall"] * 5, ducks=[0], bodies={2: "attic"})
    a = actions_of(env)
    env.step(a.call)
    asked = []
    while env.game.phase != "free_roam":
        mask = env.last()[0]["action_mask"]
        assert not mask[a.vote(2)]
        asked.append(env.agent_selection)
        env.step(a.skip if mask[a.skip] else a.nothing)
    assert "player_2" not in asked
    assert len(asked) == 3 * 4  # two rounds and a vote of four


def test_a_vote_menu_lists_the_living_others_under_their_names() -> None:
    env = house(speech="off", observation="text")
    arrange(env, ["hall"] * 5, ducks=[0], bodies={2: "attic"})
    env.step(actions_of(env).call)
    info = env.last()[4]
    assert env.agent_selection == "player_0"
    names = info["names"]
    assert sorted(info["legal_actions"]) == sorted(["skip()", *(f"vote({names[f'player_{j}']})" for j in (1, 3, 4))])


def test_the_caller_speaks_first_and_every_round_has_the_same_order() -> None:
    for seed in range(8):
        env = house(discussion_rounds=3)
        arrange(env, ["hall"] * 5, order=[3, 0, 1, 2, 4], seed=seed)
        a = actions_of(env)
        env.step(a.call)
        spoken = []
        while env.game.phase == "discussion":
            spoken.append(env.agent_selection)
            env.step(a.nothing)
        assert spoken[0] == "player_3"
        assert sorted(spoken[:5]) == env.possible_agents
        assert spoken == spoken[:5] * 3


def test_the_speaking_order_changes_from_meeting_to_meeting() -> None:
    orders = set()
    for seed in range(8):
        env = house(discussion_rounds=1)
        arrange(env, ["hall"] * 5, seed=seed)
        env.step(actions_of(env).call)
        orders.add(tuple(env.game.state.speaking))
    assert len(orders) > 3


@pytest.mark.parametrize("reporter", [0, 1, 2])
def test_anybody_living_reports_a_body_in_its_room_the_killer_included(reporter: int) -> None:
    env = house()
    order = [reporter, *(j for j in range(5) if j != reporter)]
    arrange(env, ["cellar"] * 4 + ["attic"], ducks=[0], bodies={3: "cellar"}, order=order)
    env.step(actions_of(env).report)
    assert env.game.phase == "discussion"
    assert env.game.state.caller == reporter


def test_a_button_press_spends_the_shared_budget() -> None:
    env = house(speech="off", meeting_calls=1)
    arrange(env, ["hall"] * 5)
    a = actions_of(env)
    assert env.last()[0]["action_mask"][a.call]
    env.step(a.call)
    vote(env, {})
    while env.game.state.room[int(env.agent_selection[-1])] != HALL:
        env.step(0)
    assert not env.last()[0]["action_mask"][a.call]


def test_a_meeting_ends_the_tick_for_those_who_have_not_acted() -> None:
    env = house(speech="off")
    arrange(env, ["hall"] * 5, order=[2, 0, 1, 3, 4])
    env.step(actions_of(env).call)
    vote(env, {})
    assert env.game.state.tick == 2


def test_a_meeting_cancels_transit_back_to_where_it_began() -> None:
    env = house(speech="tokens")
    arrange(env, ["hall", "kitchen", "hall", "hall", "hall"], order=[1, 2, 0, 3, 4])
    a = actions_of(env)
    steps(env, a.move("attic"), a.move("cellar"), a.call)
    assert env.game.state.room == [HALL, KITCHEN, HALL, HALL, HALL]
    assert not any(env.game.state.left)


def test_a_meeting_on_the_last_tick_is_played_out_before_the_budget_is_looked_at() -> None:
    env = house(max_ticks=6)
    call_meeting(env, tick=6)
    assert env.game.phase == "discussion"
    talk(env)
    vote(env, {})
    assert outcome(env) == ("geese", "timeout")
    assert env.game.state.tick == 6


def test_a_meeting_on_the_last_tick_may_end_the_game_otherwise() -> None:
    env = house(max_ticks=6)
    call_meeting(env, tick=6, ducks=[3])
    talk(env)
    vote(env, {0: 3, 1: 3, 2: 3})
    assert outcome(env) == ("geese", "ducks ejected")
    assert env.game.state.tick == 6


def test_after_a_meeting_bodies_are_gone_and_every_survivor_is_placed_by_an_event() -> None:
    env = house(speech="off")
    env.game.recording = True
    arrange(env, ["hall", "hall", "hall", "hall", "attic"], bodies={4: "hall"})
    env.game.take()
    env.step(actions_of(env).report)
    vote(env, {})
    events = [unpack(event) for event in env.game.take()[0]]
    placed = {e[2]: e[4] for e in events if KINDS[e[1]] == "respawn"}
    assert set(placed) == {0, 1, 2, 3}
    assert {i: env.game.state.room[i] for i in range(4)} == placed
    assert sorted(placed.values()) == [HALL, KITCHEN, ATTIC, CELLAR]  # without repetition while there are rooms
    assert env.game.state.bodies == [0, 0, 0, 0]


def test_a_cooldown_does_not_run_during_a_meeting() -> None:
    env = house(kill_cooldown=9)
    arrange(env, ["hall"] * 5, ducks=[0], cooldown=4)
    env.step(actions_of(env).call)
    talk(env)
    vote(env, {})
    assert env.game.state.tick == 2
    assert env.game.state.cooldown[0] == 3  # tick 2 has begun


@pytest.mark.parametrize("cooldown", [1, 2, 5])
def test_a_cooldown_counts_ticks_from_the_start_and_from_each_kill(cooldown: int) -> None:
    env = house(n_players=7, kill_cooldown=cooldown, max_ticks=30)
    env.reset(seed=1)
    state, a = env.game.state, actions_of(env)
    duck = state.ducks.bit_length() - 1
    killed_at = []
    while not env.game.over and len(killed_at) < 2:
        mask = env.last()[0]["action_mask"]
        victims = [j for j in range(7) if mask[a.kill(j)]]
        if int(env.agent_selection[-1]) == duck and victims:
            killed_at.append(state.tick)
            env.step(a.kill(victims[0]))
        else:  # all to the kitchen, and stay
            there = state.room[int(env.agent_selection[-1])] == KITCHEN
            env.step(0 if there else next(c for c in (a.move("kitchen"), a.move("hall")) if mask[c]))
    assert killed_at[0] >= cooldown
    assert killed_at[1] >= killed_at[0] + cooldown


# ---------------------------------------------------------------------------------------------------------------------
# Tasks


def test_a_task_takes_consecutive_ticks_in_its_room() -> None:
    """Two units, a tick of waiting, the third: done. Waiting there does not reset it."""
    env = house(max_ticks=30)
    arrange(env, ["attic", "kitchen", "attic", "attic", "attic"], tasks={1: ["kitchen", "attic"]})
    a = actions_of(env)
    for action in (a.do_task, a.do_task, 0, a.do_task):
        assert env.game.state.progress[2] < 3
        play_tick(env, {1: action})
    assert env.game.state.progress[2] == 3
    assert outcome(env) is None


def test_leaving_the_room_resets_an_unfinished_task() -> None:
    env = house(max_ticks=30)
    arrange(env, ["attic", "kitchen", "attic", "attic", "attic"], tasks={1: ["kitchen", "attic"]})
    a = actions_of(env)
    for action in (a.do_task, a.do_task, a.move("hall"), a.move("kitchen"), 0):
        play_tick(env, {1: action})
    assert env.game.state.room[1] == KITCHEN
    assert env.game.state.progress[2] == 0


def test_a_meeting_resets_an_unfinished_task_and_keeps_a_finished_one() -> None:
    env = house(speech="off")
    progress = {1: (1, 3)}
    arrange(env, ["hall"] * 5, tasks={1: ["kitchen", "attic"]}, progress=progress)
    a = actions_of(env)
    arrange(env, ["hall", "kitchen", "hall", "hall", "hall"], tasks={1: ["kitchen", "attic"]}, progress=progress)
    env.step(a.call)
    vote(env, {})
    assert env.game.state.progress[2:4] == [0, 3]


def test_a_task_of_very_many_ticks_is_refused_or_told_to_nobody_else() -> None:
    try:
        env = house(task_ticks=200, max_ticks=300)
    except quack_env.ConfigError:
        return
    env.game.recording = True
    arrange(env, ["kitchen"] * 5, ducks=[0], tasks=WHERE, progress={2: (0, 126)}, order=[2, 0, 1, 3, 4])
    env.game.take()
    env.step(actions_of(env).do_task)
    event = unpack(env.game.take()[0][0])
    assert (KINDS[event[1]], event[2], event[5]) == ("task_step", 2, 127)
    assert event[6] == 1 << 2


def test_very_many_meetings_are_refused_or_numbered_right() -> None:
    try:
        env = house(speech="off", meeting_calls=300, max_ticks=2000)
    except quack_env.ConfigError:
        return
    env.game.recording = True
    arrange(env, ["hall"] * 5)
    env.game.state.meeting = 199
    env.game.take()
    env.step(actions_of(env).call)
    vote(env, {})
    (start,) = [e for e in map(unpack, env.game.take()[0]) if KINDS[e[1]] == "leg_start"]
    assert start[5] == 200


# ---------------------------------------------------------------------------------------------------------------------
# Ways


@pytest.mark.parametrize(
    ("origin", "to", "weight"), [("hall", "kitchen", 1), ("hall", "cellar", 2), ("kitchen", "attic", 3)]
)
def test_a_corridor_takes_as_many_ticks_as_it_weighs(origin: str, to: str, weight: int) -> None:
    """Departed at tick 4: asked again, and seen there, at tick 4 + weight; on the way it is nowhere."""
    env = house(max_ticks=30)
    arrange(env, [origin] + ["attic"] * 4, ducks=[1], tick=4)
    env.step(actions_of(env).move(to))
    ticks_on_the_way = set()
    while env.agent_selection != "player_0":
        ticks_on_the_way.add(env.game.state.tick)
        if env.game.state.tick < 4 + weight:
            seen = env.observe("player_0")["observation"]
            assert not seen["room"].any()
            assert np.flatnonzero(seen["dest"]).tolist() == [env.game.game_map.rooms.index(to)]
            assert seen["remaining"].tolist() == [4 + weight - env.game.state.tick]
        env.step(0)
    assert env.game.state.tick == 4 + weight
    assert ticks_on_the_way >= set(range(4, 4 + weight))
    here = env.observe("player_0")["observation"]["room"]
    assert np.flatnonzero(here).tolist() == [env.game.game_map.rooms.index(to)]


@pytest.mark.parametrize(
    ("origin", "to", "weight"), [("hall", "kitchen", 1), ("hall", "cellar", 2), ("kitchen", "attic", 3)]
)
def test_a_corridor_takes_as_many_ticks_in_the_parallel_form(origin: str, to: str, weight: int) -> None:
    env = house("parallel_env", max_ticks=30)
    arrange(env, [origin] + ["attic"] * 4, ducks=[1], tick=4)
    wait = dict.fromkeys(env.agents, 0)
    observations, *_ = env.step(wait | {"player_0": actions_of(env).move(to)})
    steps_taken = 1
    while not observations["player_0"]["observation"]["room"].any():
        assert np.flatnonzero(observations["player_0"]["action_mask"]).tolist() == [0]
        observations, *_ = env.step(wait)
        steps_taken += 1
    assert steps_taken == weight
    assert env.game.state.tick == 4 + weight


def test_a_one_tick_corridor_of_the_published_games_is_crossed_within_the_tick() -> None:
    env = house(instant_hops=True)
    arrange(env, ["hall"] + ["attic"] * 4, ducks=[1], order=[0, 1, 2, 3, 4], tick=4)
    env.step(actions_of(env).move("kitchen"))
    assert env.game.state.room[0] == KITCHEN
    assert env.game.state.tick == 4


def test_a_traveller_can_be_neither_killed_nor_asked() -> None:
    env = house()
    arrange(env, ["kitchen"] * 3 + ["attic"] * 2, ducks=[1], order=[0, 1, 2, 3, 4])
    a = actions_of(env)
    env.step(a.move("attic"))
    mask = env.last()[0]["action_mask"]
    assert env.agent_selection == "player_1"
    assert not mask[a.kill(0)]
    assert mask[a.kill(2)]


@pytest.mark.parametrize("speech", SPEECH)
@pytest.mark.parametrize("published", [False, True])
def test_nobody_is_ever_anywhere_but_where_the_events_say(speech: str, published: bool) -> None:
    """Rooms followed through the events alone, over whole games, against the state: no jumps at meetings."""
    config = {"n_players": 7, "n_ducks": 2, "kill_cooldown": 1, "max_ticks": 40}
    config |= {"preset": "published"} if published else {}
    jumps = 0
    for seed in range(4):
        env = quack_env.raw_env(config=config, speech=speech, observation="vector")
        env.game.recording = True
        env.reset(seed=seed)
        at: list[int] = list(env.game.state.room)
        env.game.take()
        for _ in walk(env, seed):
            _follow(at, env.game.take()[0])
            assert at == env.game.state.room
            jumps += env.game.state.meeting
        _follow(at, env.game.take()[0])
        assert at == env.game.state.room
    assert jumps


def _follow(at: list[int], log: list[int]) -> None:
    for event in log:
        _, number, actor, target, room, to, _ = unpack(event)
        kind = KINDS[number]
        if kind == "depart":
            assert at[actor] == room
            at[actor] = -1
        elif kind == "arrive":
            assert at[actor] == -1
            at[actor] = to
        elif kind == "transit_cancelled":
            assert at[actor] == -1
            at[actor] = room
        elif kind == "respawn":
            assert at[actor] >= 0
            at[actor] = room
        elif kind in ("kill", "ejected"):
            at[target] = -1
        elif kind in ("wait", "task_step", "chat"):
            assert at[actor] == room


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_the_tick_is_in_every_observation(observation: str) -> None:
    env = house(max_ticks=20, observation=observation)
    env.reset(seed=0)
    for _ in walk(env, 0, any_legal):
        tick = env.game.state.tick
        for agent in env.agents:
            seen = env.observe(agent)
            if not env.game.state.alive >> int(agent[-1]) & 1:
                continue
            if observation in ("dict", "image+dict"):
                assert numbers(seen)["tick"].tolist() == [tick]
            else:
                assert seen["observation"][env.layout.slices["tick"]] == pytest.approx(tick / 20)
            assert seen.get("text", f"Tick {tick} of 20,").startswith(f"Tick {tick} of 20,")


# ---------------------------------------------------------------------------------------------------------------------
# Words


def heard(env: Any, agent: str) -> list[str]:
    return [message.text for message in env.unwrapped.game.view(int(agent[-1])).messages]


def test_words_in_a_room_are_heard_by_those_who_are_there_before_the_action_applies() -> None:
    env = house(speech="text")
    arrange(env, ["hall", "hall", "hall", "kitchen", "attic"])
    env.step({"action": actions_of(env).move("kitchen"), "say": "I am off"})
    assert [heard(env, agent) for agent in env.possible_agents] == [[], ["I am off"], ["I am off"], [], []]


def test_words_said_with_a_kill_are_heard_by_the_victim_and_the_others_there() -> None:
    env = house(speech="text")
    arrange(env, ["hall", "hall", "hall", "kitchen", "attic"])
    env.step({"action": actions_of(env).kill(1), "say": "Sorry"})
    assert heard(env, "player_2") == ["Sorry"]
    assert heard(env, "player_1") == ["Sorry"]
    assert heard(env, "player_3") == []


def test_words_said_with_the_call_of_a_meeting_are_heard() -> None:
    env = house(speech="text")
    arrange(env, ["hall", "hall", "hall", "kitchen", "attic"])
    env.step({"action": actions_of(env).call, "say": "Listen!"})
    assert heard(env, "player_2") == ["Listen!"]
    assert heard(env, "player_4") == []


def test_words_with_a_lapsed_action_are_heard() -> None:
    env = house("parallel_env", speech="text")
    arrange(env, ["hall"] * 5, ducks=[4], order=[1, 4, 0, 2, 3])
    a = actions_of(env)
    chosen = dict.fromkeys(env.agents, 0) | {
        "player_1": a.move("kitchen"),
        "player_4": {"action": a.kill(1), "say": "Wait for me"},
    }
    *_, infos = env.step(chosen)
    assert infos["player_4"]["lapsed"]
    assert [m.text for m in infos["player_0"]["messages"]] == ["Wait for me"]


def test_a_message_says_who_when_and_where() -> None:
    env = house(speech="text")
    arrange(env, ["hall"] * 5, tick=7)
    env.step({"action": 0, "say": "Hm"})
    (message,) = env.last()[4]["messages"]
    names = env.game.briefing.names
    assert tuple(message) == (7, names[0], "Hm", "hall", -1, 0)


def test_words_in_a_discussion_are_heard_by_all_the_living_wherever_they_are() -> None:
    env = house(speech="text", discussion_rounds=2)
    arrange(env, ["hall", "attic", "kitchen", "cellar", "attic"], bodies={4: "attic"}, tick=7)
    a = actions_of(env)
    env.step(a.call)
    env.step({"action": a.speak, "say": "I called"})
    assert env.game.view(0).messages == ()
    assert env.game.view(4).messages == ()
    for i in (1, 2, 3):
        (message,) = env.game.view(i).messages
        assert tuple(message) == (7, env.game.briefing.names[0], "I called", "", 0, 1)


def test_everything_said_since_the_own_last_decision_is_in_the_messages_and_then_no_more() -> None:
    env = house(speech="text")
    arrange(env, ["hall"] * 5)
    for word in ("one", "two", "three"):
        env.step({"action": 0, "say": word})
    assert [m.text for m in env.last()[4]["messages"]] == ["one", "two", "three"]
    env.step(0)
    assert env.game.view(3).messages == ()


def test_the_transcript_of_a_meeting_holds_that_meeting_only() -> None:
    env = house(speech="text", meeting_calls=2, discussion_rounds=1, observation="text", max_ticks=50)
    arrange(env, ["hall"] * 5)
    a = actions_of(env)
    for meeting in range(2):
        mask = env.last()[0]["action_mask"]
        while not mask[a.call]:
            room = env.game.state.room[int(env.agent_selection[-1])]
            env.step(a.move({KITCHEN: "hall", CELLAR: "hall", ATTIC: "kitchen"}[room]))
            mask = env.last()[0]["action_mask"]
        env.step(a.call)
        assert "Said so far" not in env.last()[0]["text"]
        assert env.last()[4]["view"].transcript == ()
        count = 0
        while env.game.phase == "discussion":
            transcript = env.last()[4]["view"].transcript
            assert [m.text for m in transcript] == [f"meeting {meeting} turn {c}" for c in range(count)]
            assert {m.meeting for m in transcript} <= {meeting}
            env.step({"action": a.speak, "say": f"meeting {meeting} turn {count}"})
            count += 1
        assert "turn 4" in env.last()[0]["text"]
        vote(env, {})
    assert env.game.state.meeting == 2


def test_a_token_is_heard_in_plain_words() -> None:
    env = house(speech="tokens")
    call_meeting(env)
    a = actions_of(env)
    names = env.game.briefing.names
    speakers = [env.game.state.speaking[p] for p in range(5)]
    assert speakers[0] == 0
    other = speakers[1]
    env.step(a.saw(other, "attic"))
    assert [m.text for m in env.last()[4]["messages"]] == [f"I saw {names[other]} in attic."]


# ---------------------------------------------------------------------------------------------------------------------
# Balance


DEALS = 1_000


@pytest.fixture(scope="module")
def deals() -> list[Any]:
    """(Ducks, names by seat, listing order, spawn rooms, turn order of tick 1) of a thousand seeds."""
    env = quack_env.raw_env(observation="vector")
    found = []
    for seed in range(DEALS):
        env.reset(seed=seed)
        state, briefing = env.game.state, env.game.briefing
        found.append((state.ducks, briefing.names, briefing.listing, list(state.room), list(state.order)))
    return found


def balanced(counts: Any) -> bool:
    """Whether counts that should be equal are, by a chi-square test at 1 in 10,000 (the seeds are fixed)."""
    return float(stats.chisquare(np.asarray(counts).ravel()).pvalue) > 1e-4


def test_every_seat_is_the_duck_equally_often(deals: list[Any]) -> None:
    assert balanced([sum(ducks == 1 << i for ducks, *_ in deals) for i in range(6)])


def test_every_name_sits_on_every_seat_equally_often(deals: list[Any]) -> None:
    names = sorted(deals[0][1])
    assert balanced([[sum(d[1][i] == name for d in deals) for i in range(6)] for name in names])


def test_every_name_is_the_duck_equally_often(deals: list[Any]) -> None:
    names = sorted(deals[0][1])
    assert balanced([sum(d[1][d[0].bit_length() - 1] == name for d in deals) for name in names])


def test_every_seat_and_name_is_listed_in_every_place_equally_often(deals: list[Any]) -> None:
    names = sorted(deals[0][1])
    assert balanced([[sum(d[2][place] == seat for d in deals) for seat in range(6)] for place in range(6)])
    assert balanced([[sum(d[1][d[2][place]] == name for d in deals) for name in names] for place in range(6)])


def test_the_duck_is_listed_in_every_place_equally_often(deals: list[Any]) -> None:
    assert balanced([sum(d[2][place] == d[0].bit_length() - 1 for d in deals) for place in range(6)])


def test_every_seat_spawns_everywhere_equally_often(deals: list[Any]) -> None:
    assert balanced([[sum(d[3][seat] == room for d in deals) for room in range(10)] for seat in range(6)])
    assert all(len(set(d[3])) == 6 for d in deals)  # without repetition


def test_every_seat_acts_in_every_place_equally_often(deals: list[Any]) -> None:
    assert balanced([[sum(d[4][place] == seat for d in deals) for seat in range(6)] for place in range(6)])


def test_tasks_of_a_seat_are_in_distinct_task_rooms_and_every_room_equally_often() -> None:
    env = quack_env.raw_env(observation="vector")
    task_rooms = [r for r, room in enumerate(env.game.game_map.rooms) if room in env.game.game_map.tasks]
    counts = dict.fromkeys(task_rooms, 0)
    for seed in range(DEALS):
        env.reset(seed=seed)
        for i in range(6):
            dealt = env.game.state.task_room[5 * i : 5 * i + 5]
            assert len(set(dealt)) == 5
            for room in dealt:
                counts[room] += 1
    assert balanced(list(counts.values()))


def test_speaking_orders_are_balanced_behind_the_caller() -> None:
    env = house(discussion_rounds=1)
    counts = np.zeros((4, 4), int)
    for seed in range(400):
        arrange(env, ["hall"] * 5, seed=seed)
        env.step(actions_of(env).call)
        for place in range(1, 5):
            counts[place - 1, env.game.state.speaking[place] - 1] += 1
    assert balanced(counts)
