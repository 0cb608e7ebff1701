"""Recorded games for the pages: real ones, and ones whose words or recordings somebody tampered with."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import quack_env
from quack_agents import ScriptedPolicy, play
from quack_eval import Trajectory
from quack_eval.statements import StatementGame, statement_game

NASTY = (
    "<script>window.hacked = 1</script> I was in medbay.",
    "</script><img src=x onerror='window.hacked = 1'>",
    "\"><svg onload=window.hacked=1> 'quoted' &lt;b&gt; {{7*7}} ${window.hacked=1}",
    "\u202eyabdem ni saw I\u202c and \u2066isolated\u2069 \u05e9\u05dc\u05d5\u05dd",
    "line\u2028separator \u2029 \x00 \x1b[31m \ud800 lone",
    "javascript:window.hacked=1 <!--<script> ]]> <a href='javascript:window.hacked=1'>x</a>",
)


def record(folder: Path, seed: int, duck: str = "scripted:aggressive", **config: Any) -> Path:
    """A game of scripted policies with words."""
    env = quack_env.RecordTrajectory(quack_env.env(config=config, speech="text", observation="vector"), folder)
    policies = {agent: ScriptedPolicy(*duck.split(":")[1:]) for agent in env.possible_agents}
    play(env, policies, seed=seed)
    env.close()
    return folder


def with_lies(folder: Path) -> tuple[Path, StatementGame]:
    """The first game, by seed, in which a Duck says something plainly false, with its findings."""
    for seed in range(60):
        path = record(folder / f"seed-{seed:03d}", seed)
        game = statement_game(Trajectory.load(path))
        if any(is_lie(game, finding) for finding in game.findings):
            return path, game
    raise AssertionError("no scripted Duck lies in sixty games")


def is_lie(game: StatementGame, finding: Any) -> bool:
    """Whether a finding is a Duck's false word about where it was."""
    return finding.speaker in game.ducks and finding.kind == "location" and finding.verdict == "false"


def tampered(source: Path, folder: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Path:
    """A copy of a recording with its lines changed."""
    shutil.copytree(source, folder)
    file = folder / "trajectory.jsonl"
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    text = "\n".join(json.dumps(line) for line in change(lines)) + "\n"
    file.write_text(text, "utf-8")
    return folder


def nasty(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every utterance replaced by an attack, and so are the names of the policies."""
    said = [line for line in lines if line.get("kind") == "statement"]
    for number, line in enumerate(said):
        line["text"] = NASTY[number % len(NASTY)]
    for seat in lines[0]["seats"]:
        seat["policy"] = NASTY[1]
    return lines
