"""The oracle alone, against situations worked out by hand from rules.md."""

import ast
import copy
import pathlib
import random

import pytest

from . import oracle as module
from .oracle import Oracle, draw, key_of, pick, shuffle, verdict

# A --1-- B --3-- C --1-- D --1-- A;  the button is in A
MAP = {
    "rooms": ["A", "B", "C", "D"],
    "corridors": [("A", "B", 1), ("B", "C", 3), ("C", "D", 1), ("D", "A", 1)],
    "tasks": {"A": "wires", "B": "fuel", "D": "scan"},
    "button": "A",
}
WAIT = ("wait",)


def play(places, ducks=(0,), tasks=None, respawn=None, order=None, speaking=None, **settings):
    """A game with given chance: turn order = seat order, `places` is a string such as "AABC"."""
    n = len(places)
    settings.setdefault("n_tasks", 1 if tasks is None else len(tasks[0]))
    settings.setdefault("speech", "off")
    given = {
        "ducks": ducks,
        "tasks": tasks or [["A"]] * n,
        "places": lambda leg: places if leg == 0 else (respawn or "A" * n),
        "turn_order": lambda tick: order or range(n),
        "speaking_order": lambda meeting: speaking or range(n),
    }
    return Oracle(MAP, given=given, n_players=n, n_ducks=len(ducks), **settings)


def pass_until(game, tick):
    """Everybody waits until the first decision of `tick`."""
    while game.tick < tick:
        game.act(WAIT)


def wait_for(game, seat):
    """Everybody waits until it is the seat's turn."""
    while game.current != seat:
        game.act(WAIT)


def skip_all(game):
    """Everybody skips; gives the events of the last vote."""
    events = []
    while game.phase == "voting":
        events = game.act(("skip",))
        if any(e[1] in ("ejected", "no_ejection") for e in events):
            break
    return events


def kinds(events):
    return [e[1] for e in events]


# ---- chance


def test_draw_is_splitmix64():
    """The published first outputs of splitmix64 from state 0; NumPy's documented SeedSequence(42) words."""
    assert draw(0, 0, 1) == 0xE220A8397B1DCDAF >> 1
    assert draw(0, 0, 2) == 0x6E789E6AA1B965F4 >> 1
    assert key_of(42) == 3444837047 + (2669555309 << 32)


def test_shuffle_by_hand():
    """d = 8147104208329303767: d % 4 = 3, d // 4 % 3 = 0, d // 12 % 2 = 1; only the second step moves anything."""
    assert shuffle(0, 0, 1, 4) == [2, 1, 0, 3]


def test_pick_repeats_only_when_the_pool_is_exhausted():
    picked = pick(7, module.PLACE, 0, ["A", "B", "C"], 7)
    assert sorted(picked[:3]) == sorted(picked[3:6]) == ["A", "B", "C"]


def test_setup_from_chance():
    game = Oracle(MAP, seed=3, n_players=4, n_tasks=2)
    key = key_of(3)
    assert game.ducks == {shuffle(key, module.ROLES, 0, 4)[0]}
    assert game.tasks[2] == pick(key, module.TASKS, 2, ["A", "B", "D"], 2)
    assert sorted(game.snapshot()["room"]) == ["A", "B", "C", "D"]
    assert game.events == [(0, "leg_start", None, None, None, None, frozenset(range(4)), 0)]
    assert game.tick == 1 and game.current == shuffle(key, module.TURN, 1, 4)[0]


@pytest.mark.parametrize("n, m", [(3, 2), (4, 2), (4, 0)])
def test_bad_team_sizes_are_refused(n, m):
    with pytest.raises(ValueError):
        Oracle(MAP, n_players=n, n_ducks=m, n_tasks=1)


# ---- vote


@pytest.mark.parametrize(
    "votes, expected",
    [
        ([1, 1, 2, "skip"], (1, None)),  # plurality, no majority
        ([1, 2, 3, 4], (None, "tie")),
        ([1, 1, 2, 2, "skip"], (None, "tie")),
        ([1, 1, "skip", "skip"], (None, "skip")),  # skip at first place
        ([1, "skip", "skip"], (None, "skip")),  # skip above
        ([1, 2, "skip"], (None, "skip")),  # tie and skip at once: skip
        (["skip", "skip"], (None, "skip")),
        ([1, 1, 1, "skip", "skip"], (1, None)),
        ([3, 3, 1, 1, 2, 3], (3, None)),
    ],
)
def test_tie_rule(votes, expected):
    assert verdict(votes) == expected


def test_votes_are_secret_until_all_are_cast_and_the_menu_lists_the_living():
    game = play("AABBB", kill_cooldown=0, reveal_role=True)
    game.act(("kill", 1))
    assert game.current == 2
    wait_for(game, 0)
    game.act(("report",))
    assert game.legal() == {("skip",), ("vote", 2), ("vote", 3), ("vote", 4)}
    before = len(game.events)
    game.act(("vote", 2)), game.act(("skip",)), game.act(("vote", 2))
    assert len(game.events) == before and game.snapshot()["votes"] == {0: 2, 2: "skip", 3: 2}
    events = game.act(("skip",))  # 2 : 2
    assert [(e[2], e[3], e[6]) for e in events[:4]] == [(0, 2, {0}), (2, None, {2}), (3, 2, {3}), (4, None, {4})]
    assert events[4][1:] == ("no_ejection", None, None, None, None, frozenset({0, 2, 3, 4}), "skip")
    assert game.phase == "free_roam"


def test_ejecting_the_last_duck_ends_the_game():
    game = play("AAAA", reveal_votes=True, reveal_role=True)
    game.act(("call_meeting",))
    game.act(("skip",)), game.act(("vote", 0)), game.act(("vote", 0))
    events = game.act(("vote", 0))
    assert kinds(events) == ["vote"] * 4 + ["ejected", "game_over"]
    assert events[0][6] == {0, 1, 2, 3}  # before the ejection
    assert events[4][1:] == ("ejected", None, 0, None, None, frozenset({1, 2, 3}), "duck")
    assert events[5][6:] == (frozenset({1, 2, 3}), ("geese", "ducks ejected"))
    assert game.current is None and game.legal() == set() and game.tick == 1


def test_all_the_living_know_an_ejected_goose_is_dead():
    """The game goes on at 1 : 3; the ejected is nowhere, the others start leg 1."""
    game = play("AAAAA", respawn="ABCDA")
    game.act(("call_meeting",))
    for _ in range(4):
        game.act(("vote", 4))
    events = game.act(("skip",))
    assert events[5][1:] == ("ejected", None, 4, None, None, frozenset({0, 1, 2, 3}), None)
    state = game.snapshot()
    assert state["known_dead"] == [[4], [4], [4], [4], []]
    assert state["room"] == ["A", "B", "C", "D", None] and state["bodies"] == {}


def test_ejecting_a_goose_to_parity():
    game = play("AAA")
    game.act(("call_meeting",))
    game.act(("vote", 1)), game.act(("vote", 0))
    game.act(("vote", 1))
    assert (game.winner, game.reason) == ("ducks", "parity")


# ---- kill


def test_parity_kill_ends_in_mid_tick():
    game = play("AAB", kill_cooldown=0)
    events = game.act(("kill", 1))
    assert events == [
        (1, "kill", 0, 1, "A", None, frozenset({0}), None),
        (1, "body_appeared", None, 1, "A", None, frozenset({0}), None),
        (1, "game_over", None, None, None, None, frozenset({0, 2}), ("ducks", "parity")),
    ]
    assert game.current is None and game.over


def test_late_ending_plays_the_rest_of_the_tick():
    game = play("AAB", kill_cooldown=0, late_ending=True)
    game.act(("kill", 1))
    assert game.current == 2 and not game.over
    game.act(WAIT)
    assert (game.winner, game.reason, game.tick) == ("ducks", "parity", 1)


def test_the_killed_do_not_act_in_the_tick_of_their_death():
    game = play("AABB", kill_cooldown=0)
    game.act(("kill", 1))
    assert game.current == 2
    game = play("AABB", kill_cooldown=0, order=[1, 0, 2, 3])
    game.act(("move", "D"))  # acted first, is in transit: no longer a victim
    assert ("kill", 1) not in game.legal()


def test_witnesses_of_a_kill():
    game = play("AAABB", kill_cooldown=0)
    events = game.act(("kill", 1))
    assert [e[6] for e in events] == [{0}, {0, 2}]
    game = play("AAABB", kill_cooldown=0, witness_kills=True)
    events = game.act(("kill", 1))
    assert [e[6] for e in events] == [{0, 2}, {0, 2}]
    assert game.snapshot()["known_dead"] == [[1], [], [1], [], []]


def test_cooldown_at_start_after_a_kill_and_in_meetings():
    """5 at the start, 0 at the start of tick 5; 5 after the kill, 0 again at tick 10."""
    game = play("AAAAAA")
    for tick in range(1, 5):
        pass_until(game, tick)
        assert ("kill", 1) not in game.legal() and game.snapshot()["cooldown"][0] == 5 - tick
    pass_until(game, 5)
    assert ("kill", 1) in game.legal()
    game.act(("kill", 1))
    game.act(("report",))  # seat 2 at tick 5
    skip_all(game)
    assert game.tick == 6 and game.snapshot()["cooldown"][0] == 4
    pass_until(game, 9)
    assert ("kill", 2) not in game.legal()
    pass_until(game, 10)
    assert ("kill", 2) in game.legal()


def test_ducks_do_not_kill_ducks_and_geese_do_not_kill():
    game = play("AAAAAA", ducks=(0, 1), kill_cooldown=0)
    assert {a for a in game.legal() if a[0] == "kill"} == {("kill", j) for j in (2, 3, 4, 5)}
    wait_for(game, 2)
    assert not [a for a in game.legal() if a[0] == "kill"]


# ---- movement


def test_corridor_of_weight_3():
    """Leaves at tick 1, arrives at the start of tick 4; not asked in ticks 2 and 3."""
    game = play("BBCC")
    events = game.act(("move", "C"))
    assert events[0] == (1, "depart", 0, None, "B", "C", frozenset({0, 1}), None)
    assert game.snapshot()["travel"][0] == ("B", "C", 3) and game.snapshot()["room"][0] is None
    pass_until(game, 3)
    assert game.current == 1 and game.snapshot()["travel"][0] == ("B", "C", 1)
    game.act(WAIT), game.act(WAIT)
    events = game.act(WAIT)
    assert events[1] == (4, "arrive", 0, None, "B", "C", frozenset({0, 2, 3}), None)
    assert game.current == 0 and game.snapshot()["room"][0] == "C"


def test_arrivals_of_one_tick_see_each_other():
    game = play("BDAC")
    game.act(("move", "A")), game.act(("move", "A")), game.act(("move", "B"))
    events = game.act(WAIT)[1:]
    assert [(e[0], e[1], e[2], e[4], e[5], e[6]) for e in events] == [
        (2, "arrive", 0, "B", "A", {0, 1}),
        (2, "arrive", 1, "D", "A", {0, 1}),
        (2, "arrive", 2, "A", "B", {2}),
    ]


def test_instant_hop():
    game = play("ABBB", instant_hops=True)
    events = game.act(("move", "B"))
    assert [(e[0], e[1], e[6]) for e in events] == [(1, "depart", {0}), (1, "arrive", {0, 1, 2, 3})]
    game.act(("move", "C"))  # weight 3 still takes its time
    assert game.snapshot()["travel"][1] == ("B", "C", 3)


def test_ticks_in_which_nobody_can_act_pass():
    game = play("BBB", max_ticks=50)
    for _ in range(3):
        game.act(("move", "C"))
    assert game.tick == 4 and game.current == 0
    game = play("BBB", max_ticks=2)
    for _ in range(3):
        game.act(("move", "C"))
    assert (game.winner, game.reason, game.tick) == ("geese", "timeout", 2)


# ---- tasks


def test_task_needs_consecutive_ticks():
    """Waiting in the room does not reset, leaving does; done after the third unit, then no longer offered."""
    game = play("BBAB", tasks=[["A"], ["A"], ["A"], ["B"]], kill_cooldown=99)
    for action in (("do_task",), WAIT, ("do_task",)):
        wait_for(game, 2), game.act(action)
    assert game.snapshot()["progress"][2] == {"A": 2}
    wait_for(game, 2), game.act(("move", "B"))
    assert game.snapshot()["progress"][2] == {"A": 0}
    wait_for(game, 2)
    assert ("do_task",) not in game.legal()
    game.act(("move", "A"))
    for unit in (1, 2, 3):
        wait_for(game, 2)
        events = game.act(("do_task",))
        assert events[0][1:] == ("task_step", 2, None, "A", None, frozenset({2}), unit)
    assert events[1][1:] == ("task_done", 2, None, "A", None, frozenset({2}), None)
    wait_for(game, 2)
    assert ("do_task",) not in game.legal()
    game.act(("move", "B"))
    assert game.snapshot()["progress"][2] == {"A": 3}


def test_keep_progress():
    game = play("BBAB", keep_progress=True)
    wait_for(game, 2), game.act(("do_task",))
    wait_for(game, 2), game.act(("move", "B"))
    assert game.snapshot()["progress"][2] == {"A": 1}


@pytest.mark.parametrize("keep, expected", [(False, 0), (True, 1)])
def test_meeting_resets_a_begun_task(keep, expected):
    game = play("AAAA", keep_progress=keep)
    game.act(WAIT), game.act(("do_task",)), game.act(("call_meeting",))
    assert game.snapshot()["progress"][1] == {"A": 1}
    skip_all(game)
    assert game.snapshot()["progress"][1] == {"A": expected}


def test_task_win_ends_at_once_and_fake_tasks_do_not_count():
    game = play("AAAA", task_ticks=1)
    assert kinds(game.act(("do_task",))) == ["task_step", "task_done"]  # the Duck's
    game.act(("do_task",)), game.act(("do_task",))
    assert not game.over
    assert kinds(game.act(("do_task",))) == ["task_step", "task_done", "game_over"]
    assert (game.winner, game.reason) == ("geese", "tasks")


def test_tasks_of_the_dead_count_unless_dropped():
    for drop in (False, True):
        game = play("AAAAA", task_ticks=1, kill_cooldown=2, drop_dead_tasks=drop)
        game.act(WAIT), game.act(WAIT)
        for _ in range(3):
            game.act(("do_task",))  # seats 2, 3, 4
        game.act(("kill", 1))
        assert game.over == drop
        assert game.reason == ("tasks" if drop else None)


def test_a_game_without_tasks_is_not_won_by_tasks():
    game = play("AAB", tasks=[[], [], []], max_ticks=3)
    while not game.over:
        game.act(WAIT)
    assert (game.winner, game.reason, game.tick) == ("geese", "timeout", 3)


# ---- meetings


def test_meeting_cancels_transit_and_respawns():
    """Seat 1 heads for C, seat 2 for A; the caller is seat 3; seat 4 loses its turn."""
    game = play("BBBAA", respawn="DDCBA")
    game.act(WAIT), game.act(("move", "C")), game.act(("move", "A"))
    events = game.act(("call_meeting",))
    everybody = frozenset(range(5))
    assert events == [
        (1, "meeting_called", 3, None, None, None, everybody, "button"),
        (1, "transit_cancelled", 1, None, "B", "C", frozenset({0, 1, 2}), None),
        (1, "transit_cancelled", 2, None, "B", "A", frozenset({0, 1, 2}), None),
    ]
    state = game.snapshot()
    assert state["room"] == ["B", "B", "B", "A", "A"] and state["travel"] == [None] * 5
    assert state["phase"] == "voting" and state["current"] == 0 and state["speaking"] == [3, 0, 1, 2, 4]
    events = skip_all(game)
    assert kinds(events) == ["vote"] * 5 + ["no_ejection", "leg_start"] + ["respawn"] * 5
    assert events[6] == (1, "leg_start", None, None, None, None, everybody, 1)
    assert events[7] == (1, "respawn", 0, None, "D", None, frozenset({0, 1}), None)
    assert game.snapshot()["room"] == ["D", "D", "C", "B", "A"]
    assert game.tick == 2 and game.snapshot()["current"] == 0 and game.snapshot()["speaking"] == []


def test_body_report_is_known_to_those_who_saw_the_body():
    """Seat 2 sees the body and walks off; seat 3 is put back beside it; seat 4 never saw it; the killer reports."""
    game = play("AAAAC", order=[3, 0, 2, 1, 4], kill_cooldown=0, respawn="BCDAB")
    game.act(("move", "B"))  # seat 3 leaves before the kill
    game.act(("kill", 1))
    game.act(("move", "D"))  # seat 2
    assert game.snapshot()["known_dead"] == [[1], [], [1], [], []]
    game.act(("move", "D"))  # seat 4
    # tick 2: 3 in B, 0 in A with the body, 2 and 4 in D; seat 3 goes back towards A and is put back in B
    game.act(("move", "A"))
    events = game.act(("report",))
    assert events == [
        (2, "meeting_called", 0, None, None, None, frozenset({0, 2, 3, 4}), "body"),
        (2, "transit_cancelled", 3, None, "B", "A", frozenset({3}), None),
        (2, "body_reported", 0, 1, "A", None, frozenset({0, 2}), None),
    ]
    assert game.snapshot()["known_dead"] == [[1], [], [1], [1], [1]]
    skip_all(game)
    state = game.snapshot()
    assert state["bodies"] == {} and state["room"] == ["B", None, "D", "A", "B"]


def test_put_back_traveller_sees_the_body():
    game = play("AAAAC", order=[3, 0, 2, 1, 4], kill_cooldown=0)
    game.act(("move", "B")), game.act(("kill", 1))  # seat 3 has left A before the body falls
    events = game.act(("report",))  # seat 2
    assert events[-1][1] == "body_reported" and events[-1][6] == {0, 2, 3}


def test_button_budget():
    """The budget (= m = 1) is shared; only in the button room; a body report needs none of it."""
    game = play("AAAB", kill_cooldown=3)
    wait_for(game, 3)
    assert ("call_meeting",) not in game.legal()
    wait_for(game, 0)
    game.act(("call_meeting",))
    assert game.snapshot()["calls_left"] == 0
    skip_all(game)
    assert all(r == "A" for r in game.snapshot()["room"]) and ("call_meeting",) not in game.legal()
    pass_until(game, 3)
    game.act(("kill", 1))
    assert ("report",) in game.legal() and ("call_meeting",) not in game.legal()
    game.act(("report",))
    assert game.snapshot()["meetings"] == 2 and game.snapshot()["calls_left"] == 0


def test_discussion_order_and_rounds():
    game = play("AAAA", speech="tokens", speaking=[3, 0, 2, 1])
    game.act(WAIT), game.act(WAIT)
    game.act(("call_meeting",))  # seat 2
    heard = []
    while game.phase == "discussion":
        heard.append((game.current, game.snapshot()["round"]))
        game.act(("nothing",))
    assert heard == [(2, 1), (3, 1), (0, 1), (1, 1), (2, 2), (3, 2), (0, 2), (1, 2)]
    assert game.phase == "voting" and game.current == 0 and game.snapshot()["round"] == 0


def test_statements():
    """4 was_in, 3 * 4 saw, 3 did_task, 3 suspect, 3 vouch, nothing = 26."""
    game = play("AAAA", speech="tokens")
    game.act(("call_meeting",))
    assert len(game.legal()) == 26
    events = game.act(("saw", 2, "C"))
    assert events == [(1, "statement", 0, 2, "C", None, frozenset({0, 1, 2, 3}), "saw")]
    game = play("AAAA", speech="text")
    game.act(("call_meeting",))
    assert game.legal() == {("speak",)}
    assert game.act(("speak",))[0][3:] == (None, None, None, frozenset({0, 1, 2, 3}), "speech")


# ---- tick budget


def test_timeout_after_the_last_tick():
    game = play("AAAA", max_ticks=2)
    pass_until(game, 2)
    assert not game.over
    while not game.over:
        game.act(WAIT)
    assert (game.winner, game.reason, game.tick) == ("geese", "timeout", 2)


def test_meeting_on_the_last_tick_is_played_out():
    game = play("AAAA", max_ticks=1, speech="text", discussion_rounds=1)
    game.act(("call_meeting",))
    for _ in range(4):
        game.act(("speak",))
    assert game.phase == "voting"
    events = skip_all(game)
    assert kinds(events) == ["vote"] * 4 + ["no_ejection", "game_over"]
    assert (game.winner, game.reason, game.tick) == ("geese", "timeout", 1)


@pytest.mark.parametrize("late, outcome", [(False, ("ducks", "parity")), (True, ("geese", "timeout"))])
def test_parity_by_vote_on_the_last_tick(late, outcome):
    game = play("AAA", max_ticks=1, late_ending=late)
    game.act(("call_meeting",))
    game.act(("vote", 1)), game.act(("skip",)), game.act(("vote", 1))
    assert (game.winner, game.reason) == outcome


def test_late_ending_ends_after_the_first_speech_of_a_last_tick_meeting():
    game = play("AAAA", max_ticks=1, speech="text", late_ending=True)
    game.act(("call_meeting",))
    assert kinds(game.act(("speak",))) == ["statement", "game_over"]
    assert game.reason == "timeout"


def test_late_timeout_needs_a_living_goose():
    """2 Ducks kill 2 of 3 Geese, the third reports (no check yet), and is ejected by 2 : 1 on the last tick."""
    game = play("AAAAA", ducks=(0, 1), kill_cooldown=0, max_ticks=1, late_ending=True)
    game.act(("kill", 2)), game.act(("kill", 3))
    events = game.act(("report",))
    assert kinds(events) == ["meeting_called", "body_reported", "body_reported"]
    game.act(("vote", 4)), game.act(("vote", 4)), game.act(("vote", 0))
    assert (game.winner, game.reason, game.tick) == ("ducks", "parity", 1)


# ---- the whole


def test_an_illegal_action_changes_nothing():
    game = play("AAAA")
    before, events = game.snapshot(), list(game.events)
    for action in (("kill", 1), ("move", "C"), ("report",), ("vote", 1), ("nothing",)):
        with pytest.raises(ValueError):
            game.act(action)
    assert game.snapshot() == before and game.events == events


@pytest.mark.parametrize("deviations", [{}, {"instant_hops": True, "keep_progress": True, "late_ending": True}])
def test_random_games_end_and_keep_the_invariants(deviations):
    """Every game ends; meetings <= kills + budget; tick <= budget; a copy continues alike."""
    for seed in range(60):
        chooser = random.Random(seed)
        game = Oracle(
            MAP,
            seed=seed,
            n_players=7,
            n_ducks=2,
            n_tasks=2,
            kill_cooldown=3,
            max_ticks=40,
            discussion_rounds=seed % 3,
            speech=["off", "tokens", "text"][seed % 3],
            **deviations,
        )
        while not game.over:
            assert game.alive[game.current] and game.legal()
            action = chooser.choice(sorted(game.legal(), key=str))
            twin = copy.deepcopy(game) if game.tick % 10 == 0 else None
            events = game.act(action)
            if twin is not None:
                assert twin.act(action) == events and twin.snapshot() == game.snapshot()
            state = game.snapshot()
            for i in range(7):
                places = [state["room"][i] is not None, state["travel"][i] is not None, not state["alive"][i]]
                assert places.count(True) == 1
        seen = kinds(game.events)
        assert seen.count("meeting_called") <= seen.count("kill") + 2
        assert game.tick <= 40 and seen.count("game_over") == 1 and seen[-1] == "game_over"


def test_the_oracle_imports_nothing_of_the_package():
    tree = ast.parse(pathlib.Path(module.__file__).read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            names.add("." if node.level else node.module.split(".")[0])
    assert names == {"dataclasses", "numpy"}
