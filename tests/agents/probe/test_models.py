"""Models that are probed: what they are asked, what becomes of answers and of failures, what it costs."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import quack_env
from quack_agents import ScriptedPolicy
from quack_agents.llm import Budget, Client, ModelError, ReplyCache
from quack_agents.mock_server.misbehaviour import REPLIES
from quack_agents.mock_server.player import answer, read_prompt
from quack_agents.play import play, play_async
from quack_agents.probe import GameProbe, ProbeConfig
from quack_agents.vlm import VLMPolicy, load_calls, rates
from quack_agents.vlm.prompts import version
from quack_env.beliefs import Belief, BeliefStore

from ..vlm.table import NotingClient, Serve, Table

FIRST_TICK = {"triggers": [], "every": 1}
TO_A_MEETING = {"max_ticks": 60, "meeting_calls": 3, "n_tasks": 0}
"""No task ends these games before somebody is found dead."""


def alike(names: Iterable[str], goose: Any, duck: Any) -> dict[str, Any]:
    """The same numbers for everybody."""
    return {name: {"goose": goose, "duck": duck} for name in names}


def is_probe(user: str) -> bool:
    return "PREPARING" in user


def probed(client: Client | None, probing: Any, folder: Path | None = None, url: str = "", **options: Any) -> GameProbe:
    """The probe of a small game that was played to its end."""
    table = Table(url, folder, client, **{"modality": "text", **options})
    probe = GameProbe(probing, folder / "run.sqlite" if folder else None)
    play(table.env, table.policies, seed=8, probe=probe)
    table.env.close()
    return probe


# --- the question ----------------------------------------------------------------------------------------------------


def test_the_question_is_about_the_living_others_and_tells_where_the_game_stands() -> None:
    client = NotingClient()
    probe = probed(client, "meetings", config=TO_A_MEETING)
    asked = [messages[1]["content"] for messages in client.asked if is_probe(messages[1]["content"])]
    assert len(asked) == len({(row.event_index, row.observer) for row in probe.beliefs}) > 0
    for text in asked:
        me = re.search(r"^You are (.+), a (?:Goose|Duck)\.$", text, re.MULTILINE)
        dead = re.search(r"^It is tick (\d+) \((discussion|voting|free roam)\)\. Known to be dead: (.+)\.$", text, re.M)
        assert me and dead
        prompt = read_prompt("", text)
        assert prompt.kind == "probe" and me[1] not in prompt.form
        gone = set() if dead[3] == "nobody" else set(dead[3].split(", "))
        assert set(prompt.form) | gone | {me[1]} == {"Alice", "Bob", "Charlie", "Diana"}
        assert not set(prompt.form) & gone
        decision = {"discussion": "your next statement", "voting": "your vote", "free roam": "your next action"}[
            dead[2]
        ]
        assert f"PREPARING {decision}\n" in text and "no part of what you say or do" in text
        assert "?" in text and not re.search(r'"duck": [\d.]', text), "no number suggests an answer"


def test_before_a_vote_no_context_has_the_own_vote() -> None:
    client = NotingClient()
    probed(client, "before_vote", config=TO_A_MEETING)
    asked = [messages[1]["content"] for messages in client.asked if is_probe(messages[1]["content"])]
    assert asked
    for text in asked:
        meeting = re.search(r"^Meeting (\d+), called by", text, re.MULTILINE)
        assert meeting and len(re.findall(r"^- you (?:voted for|skipped)", text, re.MULTILINE)) == int(meeting[1]) - 1


def test_probes_have_templates_and_a_version_of_their_own() -> None:
    assert re.fullmatch(r"[0-9a-f]{12}", version(probe=True)) and version(probe=True) != version()


def test_reasons_and_further_questions_are_asked_for_and_kept() -> None:
    probe = probed(
        NotingClient(), {**FIRST_TICK, "rationale": True, "questions": ["knowledge"]}, config={"max_ticks": 1}
    )
    assert len(probe.beliefs) == 4 * 3 and all(row.rationale for row in probe.beliefs)
    assert len(probe.answers) == 4 * 3 * 3 and {row.question for row in probe.answers} == {"knowledge"}
    for observer in {row.observer for row in probe.answers}:
        shares = [row.p for row in probe.answers if (row.observer, row.target) == (observer, probe.beliefs[0].target)]
        assert not shares or sum(p for p in shares if p is not None) == pytest.approx(1)


def test_the_second_order_is_asked_beside_the_first_at_the_same_moment() -> None:
    probe = probed(NotingClient(), {**FIRST_TICK, "order": 2, "about": "all"}, config={"max_ticks": 1})
    first = {(row.event_index, row.observer, row.target) for row in probe.beliefs if row.order == 1}
    second = [row for row in probe.beliefs if row.order == 2]
    assert len(second) == 4 * 3 * 3
    for row in second:
        assert (row.event_index, row.target, row.about) in first, "what is to be compared with it was asked too"
        assert row.observer != row.target != row.about


def test_answers_are_bound_to_a_schema_where_replies_are() -> None:
    schemas: list[Any] = []

    class Binding(NotingClient):
        async def complete(
            self, model: str, messages: Any, settings: Any, schema: Any = None, *a: Any, **k: Any
        ) -> Any:
            if is_probe(messages[1]["content"]):
                schemas.append(schema["json_schema"]["schema"])
            return await super().complete(model, messages, settings, schema, *a, **k)

    config = {**FIRST_TICK, "order": 2, "rationale": True}
    probe = probed(Binding(), config, structured=True, config={"max_ticks": 1})
    assert all(row.parsed_ok for row in probe.beliefs) and len(schemas) == 8
    depths = {json.dumps(schema).count('"object"') for schema in schemas}
    assert depths == {1 + 3, 1 + 3 + 3} and all(schema["additionalProperties"] is False for schema in schemas)


def test_there_is_room_for_the_answer_where_replies_are_short() -> None:
    sizes: dict[bool, set[int]] = {True: set(), False: set()}

    class Sizing(NotingClient):
        async def complete(self, model: str, messages: Any, settings: Any, *args: Any, **kwargs: Any) -> Any:
            sizes[is_probe(messages[1]["content"])].add(settings.max_tokens)
            return await super().complete(model, messages, settings, *args, **kwargs)

    probed(Sizing(), {**FIRST_TICK, "rationale": True}, max_tokens=32, config={"max_ticks": 1})
    assert sizes[False] == {32} and min(sizes[True]) > 300


# --- answers and failures --------------------------------------------------------------------------------------------

UNUSABLE: dict[str, tuple[Callable[[dict[str, Any]], str], str]] = {
    "missing player": (lambda form: json.dumps(alike(list(form)[1:], 0.7, 0.3)), "missing"),
    "sum 1.3": (lambda form: json.dumps(alike(form, 0.5, 0.8)), "sum"),
    "prose": (lambda form: "I trust nobody here.", "no_json"),
    "truncated": (lambda form: json.dumps(form)[:-5], "cut_off"),
    "strings": (lambda form: json.dumps(alike(form, "low", "high")), "fields"),
}


def replies(first: Callable[[dict[str, Any]], str], second: Callable[[dict[str, Any]], str] | None) -> NotingClient:
    """Answers probes with ``first``; when asked again with ``second``, or as the mock player does."""

    def reply(user: str) -> str:
        prompt = read_prompt("", user)
        action, say = answer(prompt)
        if prompt.kind == "probe":
            again = "Your last answer could not be used" in user
            return first(prompt.form) if not again else say if second is None else second(prompt.form)
        return f"{action} | say({say})" if action and say else action or say

    return NotingClient(reply)


def first_tick(client: NotingClient, folder: Path) -> list[Belief]:
    return probed(client, FIRST_TICK, folder, config={"max_ticks": 1}).beliefs


@pytest.mark.parametrize(("bad", "kind"), UNUSABLE.values(), ids=UNUSABLE)
def test_an_unusable_answer_is_asked_for_once_more_and_flagged(tmp_path: Path, bad: Any, kind: str) -> None:
    rows = first_tick(replies(bad, None), tmp_path / "g")
    assert len(rows) == 12 and all(row.parsed_ok for row in rows)
    flagged = [row for row in rows if row.repaired]
    assert len(flagged) == (4 if kind == "missing" else 12), "what was understood at first is not flagged"
    calls = load_calls(tmp_path / "g" / "probes.jsonl")
    assert [call["attempt"] for call in calls] == [0, 1] * 4
    assert [call["parse"]["failure"] for call in calls] == [kind, None] * 4


@pytest.mark.parametrize(("bad", "kind"), UNUSABLE.values(), ids=UNUSABLE)
def test_an_answer_that_stays_unusable_is_a_stored_failure(tmp_path: Path, bad: Any, kind: str) -> None:
    rows = first_tick(replies(bad, bad), tmp_path / "g")
    failed = [row for row in rows if not row.parsed_ok]
    assert len(rows) == 12 and len(failed) == (4 if kind == "missing" else 12)
    assert {(row.failure or "").partition(":")[0] for row in failed} == {kind}
    assert list(BeliefStore(tmp_path / "g" / "run.sqlite").read()) == rows
    assert len(load_calls(tmp_path / "g" / "probes.jsonl")) == 2 * 4
    assert json.loads((tmp_path / "g" / "status.json").read_text()) == {"status": "finished"}


@pytest.mark.parametrize(
    "shape",
    [
        lambda form: json.dumps(alike(form, "70%", "30%")),
        lambda form: json.dumps({**alike(form, 0.7, 0.3), "Zoe": {"goose": 1, "duck": 0}}),
        lambda form: f"Well:\n```json\n{json.dumps(alike(form, 0.7, 0.3))}\n```",
    ],
    ids=["percentages", "another name", "fence and prose"],
)
def test_what_can_be_read_with_tolerance_is_flagged_without_asking_again(tmp_path: Path, shape: Any) -> None:
    rows = first_tick(replies(shape, None), tmp_path / "g")
    assert all(row.repaired and row.p_duck == pytest.approx(0.3) and row.p_goose == pytest.approx(0.7) for row in rows)
    assert len(load_calls(tmp_path / "g" / "probes.jsonl")) == 4


@pytest.mark.parametrize("mode", REPLIES)
def test_every_way_to_misbehave_leaves_a_belief_or_a_failure_for_everybody(serve: Serve, mode: str) -> None:
    url = serve(misbehave=[mode]).url
    probe = probed(None, FIRST_TICK, url=url, config={"max_ticks": 1, "n_players": 3}, reasks=0)
    assert len(probe.beliefs) == 3 * 2
    assert all(row.parsed_ok or (row.failure or "").partition(":")[0] for row in probe.beliefs)


class FailsProbes(NotingClient):
    """A provider that is there for the game alone."""

    async def complete(self, model: str, messages: Any, *args: Any, **kwargs: Any) -> Any:
        if is_probe(messages[1]["content"]):
            raise ModelError("rate_limit", "come back later")
        return await super().complete(model, messages, *args, **kwargs)


def test_a_provider_that_fails_a_probe_spoils_no_game(tmp_path: Path) -> None:
    rows = probed(FailsProbes(), "meetings", tmp_path / "g", config=TO_A_MEETING).beliefs
    assert rows and {row.failure for row in rows} == {"provider: rate_limit: come back later"}
    assert json.loads((tmp_path / "g" / "status.json").read_text()) == {"status": "finished"}
    calls = load_calls(tmp_path / "g" / "probes.jsonl")
    assert rates(calls)["errors"] == len(calls) > 0


def test_a_spent_budget_is_a_failure_too() -> None:
    class Stingy(NotingClient):
        async def complete(self, model: str, messages: Any, *args: Any, **kwargs: Any) -> Any:
            if is_probe(messages[1]["content"]):
                Budget(max_tokens=1).reserve(2, None)
            return await super().complete(model, messages, *args, **kwargs)

    rows = probed(Stingy(), FIRST_TICK, config={"max_ticks": 1}).beliefs
    assert rows and all((row.failure or "").startswith("budget: ") for row in rows)


# --- what it takes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asynchronous", [False, True])
def test_six_agents_are_asked_at_once(serve: Serve, asynchronous: bool) -> None:
    server = serve(latency=0.25)
    table = Table(server.url, modality="text", config={"n_players": 6, "max_ticks": 1}, concurrency=12)
    probe = GameProbe(FIRST_TICK)
    if asynchronous:
        asyncio.run(play_async(table.env, table.policies, seed=1, probe=probe))
    else:
        play(table.env, table.policies, seed=1, probe=probe)
    assert server.calls == 12 and len({row.observer for row in probe.beliefs}) == 6
    assert server.most_in_flight == 6, "decisions of free roam come one by one"


def test_the_cost_of_probing_is_apart_and_adds_up(tmp_path: Path, serve: Serve) -> None:
    prices = {"input": 2.0, "output": 8.0}
    folders = {"plain": None, "probed": {"triggers": "meetings", "order": 2}}
    tables = {}
    for name, config in folders.items():
        table = Table(serve().url, tmp_path / name, modality="text", config={"max_ticks": 12}, prices=prices)
        probe = GameProbe(config, tmp_path / name / "run.sqlite") if config else None
        play(table.env, table.policies, seed=8, probe=probe)
        table.env.close()
        tables[name] = rates(load_calls(tmp_path / name))["cost"]
    assert tables["plain"] == tables["probed"] > 0
    probes = rates(load_calls(tmp_path / "probed" / "probes.jsonl"))
    stored = list(BeliefStore(tmp_path / "probed" / "run.sqlite").read())
    assert probes["cost"] == pytest.approx(sum(row.cost_usd or 0 for row in stored)) and probes["cost"] > 0
    assert all((row.latency_ms or 0) > 0 for row in stored)


def test_a_reference_leads_to_the_prompt_and_the_reply(tmp_path: Path, serve: Serve) -> None:
    config = {"triggers": "every_event", "order": 2, "repeat": 2}
    rows = probed(None, config, tmp_path / "g", serve().url, config={"max_ticks": 12}).beliefs
    calls = load_calls(tmp_path / "g" / "probes.jsonl")
    header = quack_env.GameRecord.load(tmp_path / "g").header
    names = {seat.agent: seat.name for seat in header.seats}
    for row in rows:
        file, _, line = (row.context_ref or "").partition("#")
        call = calls[int(line) - 1]
        assert file == "probes.jsonl" and call["kind"] == "probe" and call["agent"] == row.observer
        assert call["probe"] == {
            "inquiry": ("first", "second")[row.order - 1],
            "repeat": row.repeat,
            "trigger": row.trigger,
            "event_index": row.event_index,
            "moment": None,
        }
        entry = json.loads(call["reply"])[names[row.target]]
        assert (entry[names[row.about]] if row.about else entry)["duck"] == pytest.approx(row.p_duck)
        assert f"You are {names[row.observer]}, a player" in call["messages"][0]["content"]


def test_repeats_are_calls_of_their_own_even_with_a_cache(tmp_path: Path, serve: Serve) -> None:
    server = serve()
    client = Client(cache=ReplyCache(tmp_path / "c.sqlite"))
    for game in range(2):
        probe = probed(client, {**FIRST_TICK, "repeat": 3}, url=server.url, config={"max_ticks": 1})
        assert {row.repeat for row in probe.beliefs} == {0, 1, 2} and len(probe.beliefs) == 3 * 4 * 3
        assert server.calls == 4 + 3 * 4, f"game {game} asks nothing twice"


def test_models_and_others_are_probed_together() -> None:
    env = quack_env.env(config={"n_players": 4, "max_ticks": 4}, game_map="small", speech="text", observation="vector")
    policies: dict[str, Any] = {agent: ScriptedPolicy() for agent in env.possible_agents}
    policies["player_1"] = VLMPolicy("openai/mock", "text", client=NotingClient())
    probe = GameProbe(ProbeConfig(triggers=(), every=1, order=2))
    play(env, policies, seed=2, probe=probe)
    asked = {(row.observer, row.order) for row in probe.beliefs}
    assert asked == {(agent, 1) for agent in env.possible_agents} | {("player_1", 2)}
    assert {row.latency_ms is None for row in probe.beliefs if row.observer == "player_0"} == {True}


def test_a_model_can_be_asked_directly() -> None:
    env = quack_env.raw_env(config={"n_players": 4}, game_map="small", speech="text")
    env.reset(seed=3)
    policy = VLMPolicy("openai/mock", "text", client=NotingClient())
    info = env.last()[4]
    policy.reset(info, 0)
    assert policy.beliefs() == {}
    beliefs = policy.beliefs(info)
    assert len(beliefs) == 3 and all(0 <= p <= 1 for p in beliefs.values())
    policy(None, info)
    assert policy.beliefs() == beliefs
