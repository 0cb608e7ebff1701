"""Writes this folder anew: plays a game of models against the mock server, and prints what one Goose and one Duck got.

Usage: python docs/prompts/generate.py
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import quack_env
from quack_agents.mock_server import MockServer
from quack_agents.play import play
from quack_agents.vlm import VLMPolicy, load_calls
from quack_agents.vlm.prompts import version
from quack_env import GameRecord

HERE = Path(__file__).parent
SEED = 8
CONFIG = {"n_players": 4, "n_tasks": 2, "task_ticks": 2, "kill_cooldown": 2, "max_ticks": 25, "map": "small"}
FENCE = "````"


def played(folder: Path) -> GameRecord:
    """A recorded game of models, with the images they were sent."""
    env = quack_env.RecordTrajectory(quack_env.env(config=CONFIG, speech="text", observation="vector"), folder)
    env.recorder.save_images = True
    with MockServer() as server:
        seats = {agent: VLMPolicy("openai/mock", api_base=server.url) for agent in env.possible_agents}
        play(env, seats, seed=SEED)
    env.close()
    return GameRecord.load(folder)


def page(title: str, calls: list[dict[str, Any]], folder: Path) -> str:
    """All calls of one agent, in Markdown; images are copied beside it."""
    lines = [f"# {title}", ""]
    lines += [
        f"As sent, in order; templates `{version()}`, written by `docs/prompts/generate.py`. The system message:",
        "",
    ]
    lines += [FENCE + "text", calls[0]["messages"][0]["content"], FENCE, ""]
    for call in calls:
        where = f"meeting {call['meeting']}, " if call["meeting"] is not None else ""
        part = f"round {call['round']}" if call["round"] else call["phase"].replace("_", " ")
        lines += [f"## Tick {call['tick']}, {where}{part}", ""]
        text, *images = call["messages"][1]["content"]
        lines += [FENCE + "text", text["text"], FENCE, ""]
        for image in images:
            name = f"{image['hash']}.png"
            shutil.copy(folder / "images" / name, HERE / "images" / name)
            lines += [f"![{image['name']}](images/{name})"]
        lines += ["", "Reply:", "", FENCE + "text", call["reply"], FENCE, ""]
    return "\n".join(lines)


def main() -> None:
    """Write the pages of the first Goose and the first Duck."""
    shutil.rmtree(HERE / "images", ignore_errors=True)
    (HERE / "images").mkdir()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "game-000"
        trajectory = played(folder)
        calls = load_calls(folder)
        counts = {seat.agent: sum(call["agent"] == seat.agent for call in calls) for seat in trajectory.header.seats}
        for role in ("goose", "duck"):
            seats = [seat for seat in trajectory.header.seats if seat.role == role]
            seat = max(seats, key=lambda s: counts[s.agent])
            own = [call for call in calls if call["agent"] == seat.agent]
            title = f"What a {role.capitalize()} is told in a whole game ({seat.name})"
            (HERE / f"{role}.md").write_text(page(title, own, folder), encoding="utf-8")


if __name__ == "__main__":
    main()
