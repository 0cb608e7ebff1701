"""A person at the terminal."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from quack_agents.base import Action, Agent

from quack_env.errors import QuackError
from quack_env.info import Info


class HumanPolicy(Agent):
    """Prints what the agent knows and may do, and reads its choice; asks again until it is one.

    Args:
        reads: where answers come from, a line each; None for standard input.
        prints: where questions go; None for standard output.
    """

    def __init__(self, reads: TextIO | None = None, prints: TextIO | None = None) -> None:
        self._reads = reads
        self._prints = prints

    def reset(self, info: Info, seed: int) -> None:
        """Greet the player."""
        briefing = info["briefing"]
        self._print(f"\nA new game: you are {briefing.names[info['view'].me]}.")

    def __call__(self, observation: Any, info: Info) -> Action:
        """The action chosen, with what is said where the game has text.

        Raises:
            QuackError: where the input ends before a choice.
        """
        names = info["briefing"].action_names
        legal = [number for number, allowed in enumerate(info["action_mask"]) if allowed]
        self._print(f"\n{info['summary']}\n")
        for place, number in enumerate(legal, 1):
            self._print(f"{place:3}  {names[number]}")
        action = self._choose([names[number] for number in legal], legal)
        if names[action] != "speak()":
            return action
        return {"action": action, "say": self._sentence(info["briefing"].config.max_say)}

    def _choose(self, words: list[str], legal: list[int]) -> int:
        """The legal action whose place in the list or whose words were typed."""
        if words == ["speak()"]:
            return legal[0]
        while True:
            answer = self._ask(f"Your choice (1-{len(words)}): ")
            if answer.isdecimal() and 1 <= int(answer) <= len(words):
                return legal[int(answer) - 1]
            if answer in words:
                return legal[words.index(answer)]
            self._print(f"{answer!r} is no choice: type a number from 1 to {len(words)}, or an action as listed.")

    def _sentence(self, most: int) -> str:
        """What is typed, once it is short enough."""
        while True:
            answer = self._ask("You say: ")
            if len(answer) <= most:
                return answer
            self._print(f"That has {len(answer)} characters; at most {most} are allowed.")

    def _ask(self, question: str) -> str:
        prints = self._prints or sys.stdout
        prints.write(question)
        prints.flush()
        line = (self._reads or sys.stdin).readline()
        if not line:
            raise QuackError("the input ended before a choice was made; the game is not finished")
        return line.strip()

    def _print(self, text: str) -> None:
        (self._prints or sys.stdout).write(text + "\n")
