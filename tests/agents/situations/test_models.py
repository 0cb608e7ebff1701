"""A model under test: it is told what the script made it do, and asked where it is free."""

from __future__ import annotations

import json
from pathlib import Path

from quack_agents import VLMPolicy
from quack_agents.situations import load_situation, perform
from quack_env.beliefs import BeliefStore

from ..vlm.table import Serve


def test_a_model_is_asked_for_its_free_vote_and_its_beliefs_alone(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    situation = load_situation("wrong_majority")
    model = VLMPolicy("openai/mock", modality="text", api_base=server.url, api_key="none")
    store = BeliefStore(tmp_path / "run.sqlite")
    perform(situation, {"Charlie": model}, folder=tmp_path / "game", speech="text", store=store)
    prompts = [json.dumps(request["messages"]) for request in server.requests]
    assert sum("PREPARING" in prompt for prompt in prompts) == len(situation.moments) == 5
    assert sum("YOUR VOTE, ONE OF" in prompt for prompt in prompts) == 1 and len(prompts) == 6
    # It knows its own way and work, which the script decided, and what the others said.
    vote = next(prompt for prompt in prompts if "YOUR VOTE, ONE OF" in prompt)
    assert "oxygen" in vote and "Eve" in vote and "round 1, Frank" in vote
    assert {row.moment for row in store.read()} == {"T0", "T1", "T2", "T3", "T4"}
    assert all(row.parsed_ok for row in store.read())
