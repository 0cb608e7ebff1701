"""Isolated probes leave no trace: prompts, replies and the recorded game are the same bytes; inline they differ."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import quack_env
from quack_agents.mock_server import MockServer
from quack_agents.play import play, play_async
from quack_agents.probe import BeliefProbe, GameProbe, ProbedEnv
from quack_agents.vlm import load_calls
from quack_env.chance import policy_seed

from ..vlm.table import Serve, Table

SEED = 8
GAME = {"max_ticks": 12}


class Played(NamedTuple):
    """What a game left behind, without times."""

    trajectory: bytes
    calls: list[str]
    asked: list[str]
    """Every decision that the server was asked for, in the order in which they came; votes sorted."""


def left_behind(server: MockServer, folder: Path) -> Played:
    lasting = ("agent", "tick", "phase", "meeting", "round", "attempt", "messages", "reply", "parse", "effective")
    calls = load_calls(folder)
    for call in calls:
        call["effective"].pop("api_base")
    requests = [request for request in server.requests if "PREPARING" not in json.dumps(request)]
    asked = [json.dumps(request, sort_keys=True) for request in requests]
    votes = [text for text in asked if "YOUR VOTE, ONE OF" in text]
    asked = [text for text in asked if "YOUR VOTE, ONE OF" not in text]
    return Played(
        (folder / "trajectory.jsonl").read_bytes(),
        [json.dumps([call[name] for name in lasting]) for call in calls],
        asked + sorted(votes),
    )


def played(server: MockServer, folder: Path, config: Any = None, **options: Any) -> Played:
    """A small game of models in all seats, probed in the loop or not."""
    table = Table(server.url, folder, config=GAME, **{"modality": "text", **options})
    probe = GameProbe(config, folder / "run.sqlite") if config is not None else None
    play(table.env, table.policies, seed=SEED, probe=probe)
    table.env.close()
    assert probe is None or (probe.beliefs and all(row.parsed_ok for row in probe.beliefs))
    return left_behind(server, folder)


@pytest.fixture(scope="module")
def unprobed(tmp_path_factory: pytest.TempPathFactory) -> Played:
    with MockServer() as server:
        game = played(server, tmp_path_factory.mktemp("plain") / "g")
    assert any("YOUR VOTE, ONE OF" in text for text in game.asked), "a game without a meeting would show little"
    return game


POLICIES = {
    "once_per_meeting": "once_per_meeting",
    "before_speech": "before_speech",
    "after_call": "after_call",
    "after_vote": "after_vote",
    "witnessed": "witnessed",
    "every tick": {"triggers": [], "every": 1},
    "everything": {
        "triggers": "every_event",
        "order": 2,
        "about": "all",
        "rationale": True,
        "questions": ["intention"],
    },
    "the actor, again and again": {"triggers": "every_event", "who": "actor", "repeat": 2},
}


@pytest.mark.parametrize("config", POLICIES.values(), ids=POLICIES)
def test_isolated_probes_change_no_byte(serve: Serve, tmp_path: Path, unprobed: Played, config: Any) -> None:
    server = serve()
    assert played(server, tmp_path / "g", config) == unprobed
    assert server.calls > len(unprobed.asked)


def test_nor_where_players_see_images(serve: Serve, tmp_path: Path) -> None:
    one, other = serve(), serve()
    plain = played(one, tmp_path / "a", modality="image+text")
    assert played(other, tmp_path / "b", {"triggers": "every_event", "every": 4}, modality="image+text") == plain


def test_nor_where_every_policy_has_a_probe_of_its_own(serve: Serve, tmp_path: Path, unprobed: Played) -> None:
    server, folder = serve(), tmp_path / "g"
    table = Table(server.url, folder, modality="text", config=GAME)
    store = folder / "run.sqlite"
    probes = {a: BeliefProbe(p, "every_event", store=store, env=table.env) for a, p in table.policies.items()}
    asyncio.run(play_async(table.env, probes, seed=SEED))
    table.env.close()
    assert left_behind(server, folder) == unprobed
    assert sum(bool(probe.taken) for probe in probes.values()) == 3, (
        "the fourth is killed before there is anything to ask"
    )


def test_nor_in_a_loop_that_is_not_ours(serve: Serve, tmp_path: Path, unprobed: Played) -> None:
    server, folder = serve(), tmp_path / "g"
    table = Table(server.url, folder, modality="text", config=GAME)
    probe = GameProbe("every_event")
    env = ProbedEnv(table.env, probe, table.policies)
    env.reset(seed=SEED)
    for seat, agent in enumerate(env.possible_agents):
        table.policies[agent].reset(env.infos[agent], policy_seed(SEED, seat))
    for agent in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        env.step(None if termination or truncation else table.policies[agent](observation, info))
    env.close()
    assert left_behind(server, folder) == unprobed and probe.beliefs


def test_inline_the_answers_stand_in_later_prompts(serve: Serve, tmp_path: Path, unprobed: Played) -> None:
    game = played(serve(), tmp_path / "g", {"triggers": "before_speech", "mode": "inline"})
    assert game.calls != unprobed.calls
    assert any("Your own estimates up to now" in call for call in game.calls)
    assert not any("Your own estimates up to now" in call for call in unprobed.calls)
    assert game.trajectory == unprobed.trajectory, "this server does not mind them"


def test_a_server_that_minds_its_own_estimates_plays_another_game_inline_and_the_same_isolated(
    serve: Serve, tmp_path: Path, unprobed: Played
) -> None:
    inline = played(serve(sensitive=True), tmp_path / "inline", {"triggers": "before_speech", "mode": "inline"})
    assert inline.trajectory != unprobed.trajectory
    isolated = played(serve(sensitive=True), tmp_path / "isolated", "before_speech")
    assert isolated == unprobed


def test_the_game_that_was_probed_is_recorded_in_the_same_files_and_one_more(serve: Serve, tmp_path: Path) -> None:
    played(serve(), tmp_path / "g", "once_per_meeting")
    names = {file.name for file in (tmp_path / "g").iterdir() if "sqlite-" not in file.name}
    assert names == {"trajectory.jsonl", "status.json", "calls.jsonl", "probes.jsonl", "run.sqlite"}
    assert quack_env.GameRecord.load(tmp_path / "g").status == "finished"
