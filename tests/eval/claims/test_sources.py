"""Where claims come from."""

from __future__ import annotations

from pathlib import Path

import quack_env
from quack_agents import ScriptedPolicy, play
from quack_eval import StatementEval, Trajectory


def test_a_token_sighting_of_somebody_dead_may_mean_the_body(tmp_path: Path) -> None:
    """The grammar has one statement for a player seen and for a body seen; scripted Geese tell the truth with it."""
    wrong = []
    for seed in range(12):
        env = quack_env.RecordTrajectory(quack_env.env(observation="vector"), tmp_path / f"game-{seed}")
        play(env, {agent: ScriptedPolicy() for agent in env.possible_agents}, seed=seed)
        env.close()
        trajectory = Trajectory.load(tmp_path / f"game-{seed}")
        for finding in StatementEval(trajectory).findings:
            if finding.speaker not in trajectory.ducks and finding.kind in ("location", "sighting", "activity"):
                wrong += [finding] if finding.verdict != "true" else []
    assert wrong == []
