"""Whole games of models through LiteLLM against the server on loopback: recorded, audited, resumed, misbehaved."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import quack_env
from quack_agents import ScriptedPolicy
from quack_agents.llm import Budget, BudgetError, Client, ModelError, ReplyCache
from quack_agents.mock_server.misbehaviour import REPLIES
from quack_agents.mock_server.player import answer, read_prompt
from quack_agents.mock_server.server import image_size
from quack_agents.play import play, play_async, play_many
from quack_agents.vlm import VLMPolicy, load_calls, rates
from quack_env import ConfigError, GameRecord, TrajectoryError
from quack_env.replay import check

from .table import NotingClient, Serve, Table

KEY = "sk-verysecret1234567890"


def status(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "status.json").read_text())  # type: ignore[no-any-return]


@pytest.mark.parametrize(("modality", "speech"), [("text", "text"), ("image+text", "text"), ("image", "tokens")])
def test_a_whole_game_is_played_recorded_and_replayed(serve: Serve, tmp_path: Path, modality: str, speech: str) -> None:
    folder = tmp_path / "game-000"
    server = serve()
    table = Table(server.url, folder, modality=modality, speech=speech, api_key=KEY)
    table.env.recorder.save_images = modality != "text"
    outcome = play(table.env, table.policies, seed=8)
    table.env.close()
    trajectory = GameRecord.load(folder)
    assert trajectory.outcome == outcome and status(folder)["status"] == "finished"
    assert check(trajectory).ok
    calls = load_calls(folder)
    assert len(calls) == server.calls >= 15
    assert rates(calls)["parse_rate"] == 1.0 and rates(calls)["cost"] is None
    decided = [(c["agent"], c["tick"], c["phase"], c["round"]) for c in calls]
    assert len(set(decided)) == len(decided)
    everything = "".join(file.read_text("utf-8") for file in folder.glob("*.json*"))
    assert KEY not in everything and "data:image" not in everything
    _check_images(calls, folder, modality)


def _check_images(calls: list[dict[str, Any]], folder: Path, modality: str) -> None:
    for call in calls:
        content = call["messages"][1]["content"]
        images = [] if isinstance(content, str) else content[1:]
        assert [image["name"] for image in images] == ([] if modality == "text" else ["map", "room"])
        for image in images:
            assert (folder / "images" / f"{image['hash']}.png").read_bytes().startswith(b"\x89PNG")


def test_what_the_server_gets_is_what_the_record_says(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    table = Table(server.url, tmp_path / "g", modality="image+text", config={"max_ticks": 2}, image_size=300)
    play(table.env, table.policies, seed=1)
    calls = load_calls(tmp_path / "g")
    for call, request in zip(calls, server.requests, strict=True):
        assert request["messages"][0] == call["messages"][0]
        assert request["messages"][1]["content"][0] == call["messages"][1]["content"][0]
        for part in request["messages"][1]["content"][1:]:
            assert image_size(part["image_url"]["url"]) == (300, 300)


def test_the_providers_own_environment_variables_are_enough(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", serve().url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    env = quack_env.RecordTrajectory(quack_env.env(speech="text", max_ticks=1), tmp_path / "g")
    client = Client()
    play(env, {a: VLMPolicy("openai/mock?modality=text", client=client) for a in env.possible_agents}, seed=1)
    assert client.budget.calls == 6 and client.budget.unpriced == 6
    assert KEY not in (tmp_path / "g" / "calls.jsonl").read_text()


def test_the_plain_loop_records_calls_and_fallbacks_too(serve: Serve, tmp_path: Path) -> None:
    table = Table(serve(misbehave=["garbage"]).url, tmp_path / "g", modality="text", config={"max_ticks": 3})
    env = table.env
    env.reset(seed=1)
    for seat, agent in enumerate(env.possible_agents):
        table.policies[agent].reset(env.infos[agent], seed=seat)
    for agent in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        env.step(None if termination or truncation else table.policies[agent](observation, info))
    env.close()
    trajectory = GameRecord.load(tmp_path / "g")
    fallbacks = [event for event in trajectory.events if event.kind == "fallback"]
    assert fallbacks and all((event.data or {})["reason"].startswith("no_action: ") for event in fallbacks)
    kinds = [event.kind for event in trajectory.events]
    assert all(kinds[event.index + 1] == "wait" for event in fallbacks)
    measured = rates(load_calls(tmp_path / "g"))
    assert (measured["parse_rate"], measured["reask_rate"], measured["fallback_rate"]) == (0.0, 1.0, 1.0)
    assert measured["calls"] == 3 * measured["decisions"]
    assert check(trajectory).ok


# --- replies that are hard to read -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", REPLIES)
def test_a_reply_that_is_hard_to_read_is_understood_or_asked_for_again(serve: Serve, tmp_path: Path, mode: str) -> None:
    """What was meant happens, or the model is asked again and then means it: never anything else."""
    table = Table(serve(misbehave=[f"{mode}:every=2"]).url, tmp_path / "g", modality="text", config={"max_ticks": 12})
    play(table.env, table.policies, seed=8)
    calls = load_calls(tmp_path / "g")
    failures = 0
    for before, call in zip([None, *calls], calls, strict=False):
        system, user = (message["content"] for message in call["messages"])
        meant = answer(read_prompt(system, user))[0]
        failed = call["parse"]["failure"]
        failures += failed is not None
        assert failed or not meant or call["parse"]["action"] == meant
        if call["attempt"]:
            assert before is not None and f"could not be used: {before['parse']['detail']}" in user
    understood = (
        "prose",
        "fenced_json",
        "nested_backticks",
        "reasoning_fence",
        "negated",
        "bold",
        "quotes",
    )
    assert mode == "injection" or (failures == 0) is (mode in understood)


def test_a_reask_names_the_failure_and_repeats_nothing_of_the_reply() -> None:
    client = NotingClient(lambda user: "kill(Nobody) MY SECRET THOUGHTS")
    env = quack_env.env(speech="text", observation="vector")
    env.reset(seed=0)
    policy = VLMPolicy("openai/mock", "text", client=client)
    policy.reset(env.last()[4], 0)
    action: Any = policy(None, env.last()[4])
    assert action["action"] == 0 and "illegal" in action.notes.fallback
    texts = [messages[1]["content"] for messages in client.asked]
    assert len(texts) == 3 and "does not exist" in texts[1] and texts[1].startswith(texts[0])
    assert "SECRET" not in "".join(texts)


def test_too_many_words_are_shortened_and_declared_at_last() -> None:
    env = quack_env.env(config={"n_players": 4, "max_say": 30}, speech="text", observation="vector")
    env.reset(seed=0)
    policy = VLMPolicy("openai/mock", "text", client=NotingClient(lambda user: f"wait() | say({'word ' * 20})"))
    policy.reset(env.last()[4], 0)
    action: Any = policy(None, env.last()[4])
    assert action["say"] == "word word word word word word" and "shortened" in action.notes.fallback
    env.step(action)


def test_structured_output_is_asked_for_and_read(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    table = Table(server.url, tmp_path / "g", modality="text", structured=True)
    play(table.env, table.policies, seed=8)
    schemas = [request["response_format"]["json_schema"]["schema"] for request in server.requests]
    assert {tuple(schema["properties"]) for schema in schemas} >= {("action", "say"), ("say",), ("action",)}
    assert rates(load_calls(tmp_path / "g"))["parse_rate"] == 1.0
    assert {call["parse"]["form"] for call in load_calls(tmp_path / "g")} == {"json", "text"}


def test_the_system_message_can_go_into_the_users(serve: Serve) -> None:
    server = serve()
    table = Table(server.url, modality="image+text", system_in_user=True, config={"max_ticks": 1})
    play(table.env, table.policies, seed=8)
    for request in server.requests:
        assert [message["role"] for message in request["messages"]] == ["user"]
        assert request["messages"][0]["content"][0]["text"].startswith("You are ")


# --- providers that fail ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["auth", "server_error", "reset", "not_json"])
def test_a_failing_provider_spoils_the_game_and_says_nothing_in_it(serve: Serve, tmp_path: Path, mode: str) -> None:
    folder = tmp_path / "g"
    server = serve(misbehave=[f"{mode}:rate=1.0"])
    table = Table(server.url, folder, modality="text", retries=1, api_key=KEY)
    with pytest.raises(ModelError):
        play(table.env, table.policies, seed=8)
    table.env.close()
    assert status(folder)["status"] == "infra_failure" and KEY not in status(folder)["reason"]
    trajectory = GameRecord.load(folder)
    assert trajectory.status == "infra_failure" and trajectory.outcome is None
    assert {event.kind for event in trajectory.events} <= {"leg_start", "respawn"}
    last = load_calls(folder)[-1]
    assert last["error"] and last["reply"] is None and len(last["retries"]) == (mode != "auth")


def test_failures_that_pass_still_finish_the_same_game(serve: Serve, tmp_path: Path) -> None:
    games = []
    for k, misbehave in enumerate(([], ["rate_limit:every=3", "server_error:every=7", "reset:every=11"])):
        table = Table(serve(misbehave=misbehave).url, tmp_path / str(k), modality="text")
        play(table.env, table.policies, seed=8)
        table.env.close()
        games.append((tmp_path / str(k) / "trajectory.jsonl").read_text())
    assert games[0] == games[1]
    assert rates(load_calls(tmp_path / "1"))["retries"] > 5


def test_a_spent_budget_stops_cleanly(serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / "g"
    client = Client(Budget(max_tokens=12_000))
    table = Table(serve().url, folder, client, modality="text", max_tokens=16)
    with pytest.raises(BudgetError):
        play(table.env, table.policies, seed=8)
    table.env.close()
    assert status(folder)["status"] == "aborted"
    assert 0 < client.budget.tokens <= 12_000 and len(load_calls(folder)) == client.budget.calls


# --- at once ---------------------------------------------------------------------------------------------------------


class VotingClient(NotingClient):
    """Takes a while for a vote, and counts how many it is asked for at once."""

    voters = 0
    most_voters = 0

    async def complete(self, model: str, messages: Any, *args: Any, **kwargs: Any) -> Any:
        if "YOUR VOTE, ONE OF" in messages[1]["content"]:
            self.voters += 1
            self.most_voters = max(self.most_voters, self.voters)
            await asyncio.sleep(0.2)
            self.voters -= 1
        return await super().complete(model, messages, *args, **kwargs)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_voters_of_a_meeting_are_asked_at_once(asynchronous: bool) -> None:
    def reply(user: str) -> str:
        if "YOUR VOTE, ONE OF" in user:
            return "skip()"
        return (
            "call_meeting()"
            if "- call_meeting()" in user
            else "move(cafeteria)"
            if "- move(cafeteria)" in user
            else "wait()"
        )

    env = quack_env.env(config={"n_players": 6, "max_ticks": 8}, speech="text", observation="vector")
    client = VotingClient(reply)
    policies = {a: VLMPolicy("openai/mock", "text", client=client) for a in env.possible_agents}
    outcome = asyncio.run(play_async(env, policies, seed=0)) if asynchronous else play(env, policies, seed=0)
    votes = sum("YOUR VOTE, ONE OF" in messages[1]["content"] for messages in client.asked)
    assert outcome.reason == "timeout" and votes == client.most_voters == 6


class OneFails(NotingClient):
    """Votes: one fails at once, one has been given, the others hang."""

    cancelled = 0
    votes = 0

    async def complete(self, model: str, messages: Any, *args: Any, **kwargs: Any) -> Any:
        reply = await super().complete(model, messages, *args, **kwargs)
        if "YOUR VOTE, ONE OF" in messages[1]["content"]:
            self.votes += 1
            if self.votes == 2:
                await asyncio.sleep(0.05)
                raise ModelError("auth", "no")
            if self.votes > 2:
                await self._hang()
        return reply

    async def _hang(self) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            self.cancelled += 1


@pytest.mark.parametrize("asynchronous", [False, True])
def test_when_one_of_several_fails_the_others_have_ended_and_what_they_took_is_recorded(
    tmp_path: Path, asynchronous: bool
) -> None:
    client = OneFails()
    table = Table("", tmp_path / "g", client, modality="text", config={"max_ticks": 20, "n_players": 6})
    client.reply = lambda user: (
        "skip()"
        if "YOUR VOTE, ONE OF" in user
        else "call_meeting()"
        if "- call_meeting()" in user
        else _to_button(user)
    )
    with pytest.raises(ModelError):
        asyncio.run(play_async(table.env, table.policies, seed=1)) if asynchronous else play(
            table.env, table.policies, seed=1
        )
    assert client.cancelled == client.votes - 2 >= 2
    votes = [call for call in load_calls(tmp_path / "g") if call["phase"] == "voting"]
    assert [call["error"] for call in votes] == [None, "auth: no"]
    assert status(tmp_path / "g")["status"] == "infra_failure"


def _to_button(user: str) -> str:
    moves = [line[2:] for line in user.splitlines() if line.startswith("- move(")]
    return next((move for move in moves if "bridge" in move), moves[0] if moves else "wait()")


def test_asking_at_once_changes_nothing() -> None:
    told = []
    for way in range(3):
        client = NotingClient()
        table = Table("", client=client, modality="text")
        steps: list[Any] = []
        note = partial(_note, steps)
        if way == 0:
            for policy in table.policies.values():
                policy.act = None  # type: ignore[method-assign,assignment]
            plain = {a: lambda o, i, p=p: p(o, i) for a, p in table.policies.items()}
            for agent, policy in table.policies.items():
                plain[agent].reset = policy.reset  # type: ignore[attr-defined]
            play(table.env, plain, seed=5, on_step=note)
        elif way == 1:
            play(table.env, table.policies, seed=5, on_step=note)
        else:
            asyncio.run(play_async(table.env, table.policies, seed=5, on_step=note))
        told.append((steps, sorted(json.dumps(messages) for messages in client.asked)))
    assert told[0] == told[1] == told[2]


def _note(steps: list[Any], agent: str, action: Any) -> None:
    steps.append((agent, dict(action)))


def test_several_games_go_on_at_once(serve: Serve) -> None:
    server = serve(latency=0.05)
    client = Client()

    def game(seed: int) -> Any:
        table = Table(server.url, client=client, modality="text", config={"max_ticks": 3})
        return play(table.env, table.policies, seed=seed)

    game(0)
    server.calls = 0
    alone = [game(seed) for seed in range(4)]
    calls = server.calls
    assert play_many([partial(game, seed) for seed in range(4)], jobs=4) == alone
    assert server.calls == 2 * calls and server.most_in_flight >= 3


def test_models_and_others_sit_at_one_table() -> None:
    env = quack_env.env(config={"n_players": 5, "max_ticks": 40}, game_map="small", speech="text", observation="vector")
    policies: dict[str, Any] = {agent: ScriptedPolicy() for agent in env.possible_agents}
    policies["player_1"] = VLMPolicy("openai/mock", "text", client=NotingClient())
    policies["player_3"] = VLMPolicy("openai/mock", "text", client=NotingClient())
    assert play(env, policies, seed=2).winner in ("geese", "ducks")


def test_the_parallel_form_takes_them_too(tmp_path: Path) -> None:
    env = quack_env.parallel_env(config={"n_players": 4, "max_ticks": 15}, game_map="small", speech="text")
    env = quack_env.RecordTrajectory(env, tmp_path / "g")
    client = NotingClient()
    policies = {agent: VLMPolicy("openai/mock", "text", client=client) for agent in env.possible_agents}
    observations, infos = env.reset(seed=4)
    for seat, agent in enumerate(env.agents):
        policies[agent].reset(infos[agent], seat)
    while env.agents:
        actions = {agent: policies[agent](observations[agent], infos[agent]) for agent in env.agents}
        observations, _, _, _, infos = env.step(actions)
    calls = load_calls(tmp_path / "g")
    assert len(calls) == len(client.asked) > 10
    assert check(GameRecord.load(tmp_path / "g")).ok


def test_no_jobs_are_refused() -> None:
    with pytest.raises(ConfigError, match="jobs=0"):
        play_many([], jobs=0)


# --- killed and started again ----------------------------------------------------------------------------------------

GAME = """
import sys
from pathlib import Path
import quack_env
from quack_agents.llm import Client, ReplyCache
from quack_agents.play import play
from quack_agents.vlm import VLMPolicy

url, cache, folder = sys.argv[1:]
config = {"n_players": 4, "n_tasks": 2, "task_ticks": 1, "kill_cooldown": 2, "max_ticks": 25}
inner = quack_env.env(config=config, game_map="small", speech="text", observation="vector")
env = quack_env.RecordTrajectory(inner, folder)
client = Client(cache=ReplyCache(cache))
seats = {a: VLMPolicy("openai/mock", "text", client=client, api_base=url) for a in env.possible_agents}
play(env, seats, seed=8)
env.close()
"""


def test_killed_during_a_call_and_started_again_no_call_is_paid_twice(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    table = Table(server.url, tmp_path / "whole", modality="text")
    play(table.env, table.policies, seed=8)
    table.env.close()
    whole = server.calls
    server.latency = 0.15
    server.calls = 0
    server.requests.clear()
    arguments = [sys.executable, "-c", GAME, server.url, str(tmp_path / "c.sqlite")]
    process = subprocess.Popen([*arguments, str(tmp_path / "first")])
    while server.calls < 12:
        time.sleep(0.02)
        assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = server.calls
    assert status(tmp_path / "first")["status"] == "aborted"
    server.latency = 0.0
    time.sleep(0.2)
    finished = len(ReplyCache(tmp_path / "c.sqlite"))
    assert before - 1 <= finished <= before
    again_client = Client(cache=ReplyCache(tmp_path / "c.sqlite"))
    table = Table(server.url, tmp_path / "again", again_client, modality="text", max_tokens=1024)
    play(table.env, table.policies, seed=8)
    table.env.close()
    assert server.calls == before + whole - finished  # only the call that the kill cut off is made anew
    again = (tmp_path / "again" / "trajectory.jsonl").read_text()
    assert again == (tmp_path / "whole" / "trajectory.jsonl").read_text()
    calls = load_calls(tmp_path / "again")
    assert sum(call["cached"] for call in calls) == finished


def test_a_torn_last_line_of_calls_is_left_out_and_a_damaged_one_named(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    assert load_calls(tmp_path) == []
    file.write_text('{"schema_version": 1, "a": 1}\n{"schema_ver')
    assert [call["a"] for call in load_calls(tmp_path)] == [1]
    file.write_text('{"schema_version": 1}\n{"schema\n{"schema_version": 1}\n')
    with pytest.raises(TrajectoryError, match="line 2: damaged"):
        load_calls(tmp_path)
    file.write_text('{"schema_version": 99}\n')
    with pytest.raises(TrajectoryError, match="newer"):
        load_calls(file)


def test_rates_of_nothing_are_none() -> None:
    assert rates([])["parse_rate"] is None and rates([])["latency"] is None and rates([])["cost"] == 0


def test_replies_of_two_games_are_not_mixed_in_the_cache(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    client = Client(cache=ReplyCache(tmp_path / "c.sqlite"))
    for _ in range(2):
        table = Table(server.url, client=client, modality="text", config={"max_ticks": 3})
        play(table.env, table.policies, seed=8)
    assert client.cache is not None and server.calls == len(client.cache)
    table = Table(server.url, client=client, modality="text", config={"max_ticks": 3})
    play(table.env, table.policies, seed=4)
    assert server.calls == len(client.cache)
