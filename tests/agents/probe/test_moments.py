"""Every trigger fires exactly where it should: a game by hand, seen from the loop and from single policies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conformance.play import actions_of, arrange, house

import quack_env
from quack_agents import RandomPolicy, ScriptedPolicy, play
from quack_agents.guided import GuidedPolicy
from quack_agents.probe import BeliefProbe, GameProbe, ProbeConfig, ProbedEnv
from quack_env import ConfigError, GameRecord
from quack_env.beliefs import BeliefStore
from quack_env.errors import NotResetError
from quack_env.given import bind
from quack_env.info import Info
from quack_env.posterior import Observing

LIVING = (0, 2, 3, 4)
FREE, TALK, VOTE = "free_roam", "discussion", "voting"


class Believer:
    """A policy without words that notes what it is asked at, and holds everybody for a Duck alike."""

    def __init__(self) -> None:
        self.votes: list[list[int]] = []
        self.game: Any = None

    def __call__(self, observation: Any, info: Any) -> int:
        return 0

    def beliefs(self, info: Any) -> dict[str, float]:
        self.votes.append(list(self.game.state.vote))
        return dict.fromkeys(info["briefing"].agents, 0.25)


def in_seat_order(world: Any, state: Any) -> None:
    state.order[:] = range(world.n)


def scene() -> Any:
    """Seat 0 is the Duck, in the kitchen with 1; 2 and 3 are in the hall, 4 in the cellar. They act in this order."""
    env = house(n_players=5, discussion_rounds=1, kill_cooldown=0, n_tasks=0)
    arrange(env, ["kitchen", "kitchen", "hall", "hall", "cellar"], ducks=(0,), order=range(5))
    env.game.rules = bind(draw_turn_order=in_seat_order, draw_speaking_order=in_seat_order)
    return env


def story(env: Any) -> Iterator[int]:
    """One action after the other, for whoever is asked: 2 joins 0 and 1, 0 kills 1, 2 reports; all skip; two ticks."""
    a = actions_of(env)
    yield from (0, 0, a.move("kitchen"), 0, 0)  # tick 1
    yield from (a.kill(1), a.report)  # tick 2: order 0, then 2
    yield from [a.nothing] * 4
    yield from [a.skip] * 4
    while env.game.state.tick < 5:
        yield 0


def told_in_the_loop(**config: Any) -> list[tuple[int, str, tuple[int, ...], str]]:
    """(tick, phase, observers, triggers) of every snapshot of the story."""
    env = scene()
    probe = GameProbe(ProbeConfig(**config))
    policies = {agent: Believer() for agent in env.possible_agents}
    for policy in policies.values():
        policy.game = env.game
    probe.begin(env, policies)
    told = []
    actions = story(env)
    while True:
        before = len(probe.beliefs)
        assert probe.due() is None, "policies without words are not waited for"
        by_trigger: dict[str, list[int]] = {}
        for row in probe.beliefs[before:]:
            seat = int(row.observer[-1])
            if seat not in by_trigger.setdefault(row.trigger, []):
                by_trigger[row.trigger].append(seat)
        told += [(env.game.state.tick, env.game.phase, tuple(seats), why) for why, seats in by_trigger.items()]
        action = next(actions, None)
        if action is None:
            return told
        env.step(action)


SPEECHES = [(2, TALK, LIVING, "before_speech")] * 4

EVERYBODY = {
    "before_speech": SPEECHES,
    "before_vote": [(2, VOTE, LIVING, "before_vote")],
    "after_call": [(2, TALK, LIVING, "after_call")],
    "after_vote": [(3, FREE, LIVING, "after_vote")],
    "witnessed": [
        (1, FREE, (0, 1, 2, 3, 4), "witnessed"),  # 2 left the hall
        (2, FREE, (0, 1, 2, 3, 4), "witnessed"),  # 2 came into the kitchen
        (2, FREE, LIVING, "witnessed"),  # the body of 1
    ],
}


@pytest.mark.parametrize("trigger", EVERYBODY)
def test_each_trigger_alone_of_everybody(trigger: str) -> None:
    assert told_in_the_loop(triggers=[trigger]) == EVERYBODY[trigger]


def test_of_the_witnesses() -> None:
    assert told_in_the_loop(triggers=["witnessed"], who="witnesses") == [
        (1, FREE, (3,), "witnessed"),
        (2, FREE, (0, 1), "witnessed"),
        (2, FREE, (0, 2), "witnessed"),
    ]
    first, *others = told_in_the_loop(triggers=["before_speech", "after_call", "after_vote"], who="witnesses")
    assert first == (2, TALK, (0, 3, 4), "after_call") and others[0] == (2, TALK, (2,), "after_call+before_speech")
    assert [len(seats) for _, _, seats, _ in others[1:]] == [1, 1, 1, 4]


def test_of_the_agent_about_to_act() -> None:
    assert told_in_the_loop(triggers=["witnessed", "after_call", "after_vote", "before_vote"], who="actor") == [
        (1, FREE, (3,), "witnessed"),
        (2, FREE, (0,), "witnessed"),
        (2, FREE, (2,), "witnessed"),
        (2, TALK, (2,), "after_call"),
        (2, VOTE, LIVING, "before_vote"),
        (3, FREE, (0,), "after_vote"),
    ]


@pytest.mark.parametrize(("every", "ticks"), [(1, [1, 2, 3, 4, 5]), (2, [2, 4]), (3, [3]), (9, [])])
def test_every_so_many_ticks(every: int, ticks: list[int]) -> None:
    told = told_in_the_loop(triggers=[], every=every)
    assert [tick for tick, _, _, _ in told] == ticks
    assert all(phase == FREE and why == "tick" for _, phase, _, why in told)


def test_what_comes_together_is_asked_once() -> None:
    told = told_in_the_loop(triggers="every_event", every=1)
    assert told == [
        (1, FREE, (0, 1, 2, 3, 4), "tick"),
        (1, FREE, (0, 1, 2, 3, 4), "witnessed"),
        (2, FREE, (0, 1, 2, 3, 4), "tick+witnessed"),
        (2, FREE, LIVING, "witnessed"),
        (2, TALK, LIVING, "after_call+before_speech"),
        *SPEECHES[1:],
        (2, VOTE, LIVING, "before_vote"),
        (3, FREE, LIVING, "after_vote+tick"),
        (4, FREE, LIVING, "tick"),
        (5, FREE, LIVING, "tick"),
    ]


def test_before_a_vote_nobody_has_voted() -> None:
    policies = {f"player_{seat}": Believer() for seat in range(5)}
    for who in ("all", "actor", "witnesses"):
        probe = GameProbe(ProbeConfig(triggers="before_vote", who=who))  # type: ignore[arg-type]
        env = scene()
        for policy in policies.values():
            policy.game = env.game
        probe.begin(env, policies)
        for action in story(env):
            probe.due()
            env.step(action)
        assert len(probe.beliefs) == 4 * 3
    seen = [votes for policy in policies.values() for votes in policy.votes]
    assert seen and all(set(votes) == {-1} for votes in seen)


OWN = {
    0: [
        (2, FREE, "witnessed"),
        (2, TALK, "after_call+before_speech"),
        (2, VOTE, "before_vote"),
        (3, FREE, "after_vote"),
    ],
    1: [],
    2: [
        (2, FREE, "witnessed"),
        (2, TALK, "after_call+before_speech"),
        (2, VOTE, "before_vote"),
        (3, FREE, "after_vote"),
    ],
    3: [
        (1, FREE, "witnessed"),
        (2, TALK, "after_call+before_speech"),
        (2, VOTE, "before_vote"),
        (3, FREE, "after_vote"),
    ],
    4: [(2, TALK, "after_call+before_speech"), (2, VOTE, "before_vote"), (3, FREE, "after_vote")],
}


def test_a_wrapped_policy_is_asked_at_its_own_decisions() -> None:
    env = scene()
    probes = {agent: BeliefProbe(Believer(), "every_event") for agent in env.possible_agents}
    for probe in probes.values():
        probe.policy.game = env.game
    for action in story(env):
        observation, _, _, _, info = env.last()
        assert probes[env.agent_selection](observation, info) == 0
        env.step(action)
    for seat, expected in OWN.items():
        rows = probes[f"player_{seat}"].taken
        assert list(dict.fromkeys((row.tick, row.phase, row.trigger) for row in rows)) == expected
        assert {row.observer for row in rows} <= {f"player_{seat}"}


# --- whole games of policies without words ---------------------------------------------------------------------------


def scripted_game(folder: Path, probe: GameProbe | None = None, wrap: bool = False, loop: str = "play") -> Any:
    """A recorded game of scripted players; with ``wrap`` each in a probe of its own."""
    env = quack_env.RecordTrajectory(quack_env.env(n_players=5, max_ticks=60, observation="vector"), folder)
    policies: dict[str, Any] = {agent: ScriptedPolicy() for agent in env.possible_agents}
    if wrap:
        store = BeliefStore(folder / "run.sqlite")
        policies = {
            agent: BeliefProbe(policy, "every_event", store=store, env=env, every=3)
            for agent, policy in policies.items()
        }
    if loop == "play":
        play(env, policies, seed=6, probe=probe)
    else:
        assert probe is not None
        probed = ProbedEnv(env, probe, policies)
        probed.reset(seed=6)
        seeds = iter(range(9))
        for agent in probed.agent_iter():
            observation, _, termination, truncation, info = probed.last()
            if info["view"].tick == 1 and not policies[agent]._mind:
                policies[agent].reset(info, next(seeds))
            probed.step(None if termination or truncation else policies[agent](observation, info))
    env.close()
    return (folder / "trajectory.jsonl").read_bytes()


def test_scripted_games_are_the_same_whatever_is_probed(tmp_path: Path) -> None:
    plain = scripted_game(tmp_path / "plain")
    probe = GameProbe({"triggers": "every_event", "every": 1, "repeat": 2}, tmp_path / "hook" / "run.sqlite")
    assert scripted_game(tmp_path / "hook", probe) == plain
    assert scripted_game(tmp_path / "wrapped", wrap=True) == plain


def test_a_snapshot_lies_right_before_the_event_it_names(tmp_path: Path) -> None:
    probe = GameProbe("every_event", tmp_path / "g" / "run.sqlite")
    scripted_game(tmp_path / "g", probe)
    events = GameRecord.load(tmp_path / "g").events
    rows = list(BeliefStore(tmp_path / "g" / "run.sqlite").read())
    assert rows == probe.beliefs and {row.game_id for row in rows} == {"g"}
    assert all(row.parsed_ok and row.context_ref is None for row in rows)
    kinds = {row.event_index: events[row.event_index].kind for row in rows if "before_speech" in row.trigger}
    assert kinds and set(kinds.values()) == {"statement"}
    before = [events[row.event_index - 1].kind for row in rows if row.trigger == "before_vote"]
    assert before and set(before) == {"statement"}
    speeches = [event.index for event in events if event.kind == "statement"]
    assert sorted(kinds) == speeches


def test_an_environment_from_outside_probes_as_the_loop_does(tmp_path: Path) -> None:
    inside, outside = GameProbe("meetings"), GameProbe("meetings")
    quack = quack_env.env(n_players=5, max_ticks=60, observation="vector")
    policies = {agent: RandomPolicy() for agent in quack.possible_agents}
    play(quack, policies, seed=6, probe=inside)
    env = ProbedEnv(quack_env.env(n_players=5, max_ticks=60, observation="vector"), outside, policies)
    play(env, policies, seed=6)
    assert outside.beliefs == inside.beliefs != []


def test_a_game_played_again_replaces_what_the_store_has_of_it(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    env = quack_env.env(n_players=5, max_ticks=60, observation="vector")
    policies = {agent: RandomPolicy() for agent in env.possible_agents}
    for game_id in ("a", "b", "a"):
        probe = GameProbe("meetings", store, game_id)
        play(env, policies, seed=6, probe=probe)
    assert len(list(store.read())) == 2 * len(probe.beliefs) > 0
    assert {row.game_id for row in store.read()} == {"a", "b"}


def test_a_named_moment_is_taken_of_every_living_agent() -> None:
    env = scene()
    probe = GameProbe()
    policies = {agent: Believer() for agent in env.possible_agents}
    for policy in policies.values():
        policy.game = env.game
    probe.begin(env, policies)
    probe.at("T0")
    assert {(row.observer, row.trigger, row.moment) for row in probe.beliefs} == {
        (agent, "moment", "T0") for agent in env.possible_agents
    }


def test_a_wrapper_with_a_store_needs_the_recorded_environment(tmp_path: Path) -> None:
    for env in (None, quack_env.env()):
        with pytest.raises(ConfigError, match="store: needs env"):
            BeliefProbe(RandomPolicy(), store=tmp_path / "run.sqlite", env=env)


def test_everything_else_of_a_wrapped_policy_is_its_own() -> None:
    policy = ScriptedPolicy()
    probe = BeliefProbe(policy)
    assert not hasattr(probe, "act") and probe.last_claims is policy.last_claims
    env = quack_env.raw_env()
    env.reset(seed=1)
    probe.reset(env.last()[4], seed=3)
    assert probe.beliefs() == policy.beliefs() != {}


# --- policies without words ------------------------------------------------------------------------------------------


class Mute:
    def __call__(self, observation: Any, info: Any) -> int:
        return 0


class Odd(Mute):
    def beliefs(self) -> dict[str, float]:
        return {"player_1": 1.5, "player_2": 0.5}


def test_a_policy_without_usable_beliefs_leaves_failures_of_a_kind() -> None:
    env = scene()
    probe = GameProbe()
    policies = dict.fromkeys(env.possible_agents, Mute()) | {"player_0": Odd()}
    probe.begin(env, policies)
    probe.at("T0")
    kinds = {(row.observer, row.target): (row.failure or "").partition(":")[0] for row in probe.beliefs}
    assert kinds["player_0", "player_1"] == "range" and kinds["player_0", "player_3"] == "no_opinion"
    assert kinds["player_0", "player_2"] == "" and kinds["player_4", "player_0"] == "no_opinion"
    assert len(kinds) == 5 * 4


@pytest.mark.parametrize(
    ("believed", "told"),
    [
        ({"player_1": "maybe"}, "range: Wrong.beliefs() states 'maybe' for player_1; must be a number from 0 to 1"),
        ({"player_1": True}, "range: Wrong.beliefs() states True for player_1; must be a number from 0 to 1"),
        ({"player_1": float("nan")}, "range: Wrong.beliefs() states nan"),
        ({"player_1": None}, "no_opinion"),
        (dict, "range: beliefs() must give a mapping of agents to probabilities, not <class 'dict'>"),
        ([], "range: beliefs() must give a mapping of agents to probabilities, not []"),
        ("x", "range: beliefs() must give a mapping"),
        (3, "range: beliefs() must give a mapping"),
        (None, "no_opinion"),
        ({"Alice": 0.5}, "range: beliefs() has 'Alice', which is no agent as player_1"),
        ({0: 0.5}, "range: beliefs() has 0, which is no agent as player_1"),
    ],
)
def test_what_is_no_belief_ends_no_game_and_is_stored_as_a_failure(tmp_path: Path, believed: Any, told: str) -> None:
    class Wrong(Mute):
        def beliefs(self) -> Any:
            return believed

    rows = stored_of(Wrong(), tmp_path)
    assert {row.p_duck for row in rows} == {None}
    assert next(row for row in rows if row.target == "player_1").failure.startswith(told)


def test_beliefs_that_raise_end_no_game_and_are_stored_with_the_error(tmp_path: Path) -> None:
    class Failing(Mute):
        def beliefs(self) -> Any:
            raise KeyError("player_9")

    assert {row.failure for row in stored_of(Failing(), tmp_path)} == {"error: beliefs() raised KeyError: 'player_9'"}


@pytest.mark.parametrize("name", [3, None, ""])
def test_a_moment_has_a_name(name: Any) -> None:
    env = quack_env.raw_env()
    env.reset(seed=1)
    probe = GameProbe()
    probe.begin(env, dict.fromkeys(env.possible_agents, Mute()))
    with pytest.raises(ConfigError, match=f"moment={name!r}: must be a name"):
        probe.at(name)


def test_a_policy_that_is_guided_is_named_itself_where_it_states_no_belief(tmp_path: Path) -> None:
    class Wrong(Mute):
        def beliefs(self) -> Any:
            return {"player_1": True}

    rows = stored_of(GuidedPolicy(Wrong(), []), tmp_path)
    assert "Wrong.beliefs() states True" in next(row for row in rows if row.target == "player_1").failure


def stored_of(policy: Any, folder: Path) -> Any:
    """What the store holds of the beliefs of seat 0 at one moment."""
    env = quack_env.RecordTrajectory(scene(), folder / "game")
    env.reset(seed=1)
    store = BeliefStore(folder / "run.sqlite")
    probe = GameProbe(store=store)
    probe.begin(env, dict.fromkeys(env.possible_agents, Mute()) | {"player_0": policy})
    probe.at("T0")
    env.close()
    return list(store.read(observer="player_0"))


def test_a_probe_without_a_game_says_so() -> None:
    probe = GameProbe()
    assert probe.beliefs == probe.answers == []
    with pytest.raises(NotResetError, match=r"at\('T0'\): this GameProbe has no game yet"):
        probe.at("T0")


def test_random_players_hold_everybody_alike_and_ducks_know() -> None:
    env = scene()
    assert RandomPolicy().beliefs(env.infos["player_2"]) == dict.fromkeys(
        ("player_0", "player_1", "player_3", "player_4"), 0.25
    )
    assert set(RandomPolicy().beliefs(env.infos["player_0"]).values()) == {0.0}
    assert RandomPolicy().beliefs() == {}


def test_a_scripted_goose_that_comes_upon_a_killer_believes_so_at_once() -> None:
    env = scene()
    goose = ScriptedPolicy()
    goose.reset(env.infos["player_2"], seed=0)
    actions = story(env)
    for _ in range(6):
        if env.agent_selection == "player_2":
            goose(None, env.last()[4])
        env.step(next(actions))
    assert env.agent_selection == "player_2" and env.last()[4]["view"].bodies
    asleep = goose.beliefs()
    awake = goose.beliefs(env.last()[4])
    assert awake["player_0"] > 0.9 > asleep["player_0"]
    assert goose.beliefs() == asleep, "asking changes nothing"


def test_a_scripted_goose_knows_of_a_body_that_appears_after_its_own_turn() -> None:
    env = scene()
    goose = ScriptedPolicy()
    goose.reset(env.infos["player_2"], seed=0)
    env.game.rules = bind(draw_turn_order=lambda world, state: state.order.__setitem__(slice(5), [2, 0, 1, 3, 4]))
    a = actions_of(env)
    for action in (0, 0, a.move("kitchen"), 0, 0):
        if env.agent_selection == "player_2":
            goose(None, env.last()[4])
        env.step(action)
    assert env.agent_selection == "player_2"
    goose(None, env.last()[4])
    env.step(0)
    env.step(a.kill(1))  # in the same tick
    before = goose.beliefs()
    info = Info(env.game.view(2), env.game.briefing, env.last()[4]["action_mask"])
    assert goose.beliefs(info)["player_0"] > 0.9 > before["player_0"] and goose.beliefs() == before


def test_the_bayesian_observer_can_be_probed_in_every_seat() -> None:
    env = quack_env.env(n_players=5, max_ticks=60, observation="vector")
    policies = {agent: Observing(ScriptedPolicy()) for agent in env.possible_agents}
    probe = GameProbe({"triggers": "every_event"})
    play(env, policies, seed=6, probe=probe)
    assert probe.beliefs and all(row.parsed_ok for row in probe.beliefs)


def test_in_the_parallel_form_wrapped_policies_are_asked_at_their_decisions() -> None:
    env = quack_env.parallel_env(n_players=5, max_ticks=60, observation="vector")
    probes = {agent: BeliefProbe(RandomPolicy(), "meetings") for agent in env.possible_agents}
    observations, infos = env.reset(seed=6)
    for seat, agent in enumerate(env.agents):
        probes[agent].reset(infos[agent], seat)
    while env.agents:
        actions = {agent: probes[agent](observations[agent], infos[agent]) for agent in env.agents}
        observations, _, _, _, infos = env.step(actions)
    for probe in probes.values():
        votes = {(row.tick, row.event_index) for row in probe.taken if row.trigger == "before_vote"}
        called = {row.tick for row in probe.taken if "after_call" in row.trigger}
        assert {tick for tick, _ in votes} == called and {index for _, index in votes} <= {-1}
    assert any(probe.taken for probe in probes.values())
