"""Games of models are audited like all others, and what a truthful player tells from its memory is true."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import quack_env
from quack_agents.play import play
from quack_agents.vlm import VLMPolicy
from quack_env import GameRecord
from quack_eval.statements import StatementAudit

from .table import NotingClient


def test_what_the_geese_tell_from_their_memory_is_audited_and_true(tmp_path: Path) -> None:
    verdicts: Counter[tuple[str, str]] = Counter()
    for seed in range(8):
        folder = tmp_path / f"game-{seed:03}"
        inner = quack_env.env(config={"kill_cooldown": 3}, speech="text", observation="vector")
        env = quack_env.RecordTrajectory(inner, folder)
        policies = {a: VLMPolicy("openai/mock", "text", client=NotingClient()) for a in env.possible_agents}
        play(env, policies, seed=seed)
        env.close()
        game = StatementAudit(GameRecord.load(folder)).games[0]
        for finding in game.findings:
            if finding.claim.type in ("location", "sighting") and game.roles[finding.speaker] == "goose":
                verdicts[finding.claim.type, finding.verdict] += 1
    assert {verdict for _, verdict in verdicts} == {"true"}, verdicts
    assert verdicts["location", "true"] > 50 and verdicts["sighting", "true"] > 20
