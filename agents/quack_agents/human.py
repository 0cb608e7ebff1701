"""A person at the terminal."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from quack_agents.base import Action, Agent
from quack_env.errors import QuackError
from quack_env.info import Info
from quack_env.state import FREE
from quack_env.world import TEXT


class HumanPolicy(Agent):
    """Prints what the agent knows and may do, and reads its choice; asks again until it is one.

    A choice is a number of the list, or an action as it is listed. In a game with text, words to those in the room may
    follow it after a bar ("3 | Hello!"), and in a discussion a line of text is asked for.

    Args:
        reads: where answers come from, a line each; None for standard input.
        prints: where questions go; None for standard output.
    """

    def __init__(self, reads: TextIO | None = None, prints: TextIO | None = None) -> None:
        self._reads = reads
        self._prints = prints

    def reset(self, info: Info, seed: int) -> None:
        """Greet the player."""
        self._print(f"\nA new game: you are {info['briefing'].names[info['view'].me]}.")

    def __call__(self, observation: Any, info: Info) -> Action:
        """The action chosen, with what is said where the game has text.

        Raises:
            QuackError: where the input ends before a choice.
        """
        briefing = info["briefing"]
        legal = {briefing.action_names[a]: a for a, allowed in enumerate(info["action_mask"]) if allowed}
        self._print(f"\n{info['summary']}\n")
        if list(legal) == ["speak()"]:
            return {"action": legal["speak()"], "say": self._sentence(briefing.config.max_say)}
        for place, words in enumerate(legal, 1):
            self._print(f"{place:3}  {words}")
        talks = briefing.world.speech == TEXT and info["view"].phase == FREE
        return self._choice(legal, briefing.config.max_say if talks else 0)

    def _choice(self, legal: dict[str, int], most: int) -> Action:
        """The legal action whose place in the list or whose words were typed; with at most so many characters said."""
        words = list(legal)
        while True:
            answer = self._ask(f"Your choice (1-{len(words)}): ")
            say = ""
            if most:
                answer, _, say = (part.strip() for part in answer.partition("|"))
            if answer.isdecimal() and 1 <= int(answer) <= len(words):
                answer = words[int(answer) - 1]
            if answer not in legal:
                self._print(f"{answer!r} is no choice: type a number from 1 to {len(words)}, or an action as listed.")
            elif len(say) > most:
                self._too_long(say, most)
            else:
                return {"action": legal[answer], "say": say} if say else legal[answer]

    def _sentence(self, most: int) -> str:
        """What is typed, once it is short enough."""
        while True:
            answer = self._ask("You say: ")
            if len(answer) <= most:
                return answer
            self._too_long(answer, most)

    def _too_long(self, text: str, most: int) -> None:
        self._print(f"That has {len(text)} characters; at most {most} are allowed.")

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
