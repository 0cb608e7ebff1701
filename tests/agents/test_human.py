"""A person at the terminal."""

from __future__ import annotations

import io
from typing import Any

import pytest
from conformance.play import actions_of, arrange, house, play_tick, steps, talk

from quack_agents import HumanPolicy
from quack_env import QuackError


def ask(env: Any, *lines: str) -> tuple[Any, str]:
    """(the choice, what was printed) of a person who types these lines when the selected agent is asked."""
    shown = io.StringIO()
    policy = HumanPolicy(io.StringIO("".join(line + "\n" for line in lines)), shown)
    observation, _, _, _, info = env.last()
    policy.reset(info, 0)
    return policy(observation, info), shown.getvalue()


def start(speech: str = "tokens") -> Any:
    env = house(speech=speech)
    arrange(env, ["hall", "hall", "attic", "attic", "attic"], calls_left=1)
    return env


def test_it_shows_the_situation_and_the_numbered_actions() -> None:
    env = start()
    _, shown = ask(env, "1")
    assert env.last()[4]["summary"] in shown
    assert "  1  wait()\n  2  move(kitchen)\n  3  move(cellar)\n  4  call_meeting()\n" in shown
    assert f"you are {env.game.briefing.names[0]}" in shown


@pytest.mark.parametrize("typed", ["2", " 2 ", "move(kitchen)"])
def test_a_number_or_the_action_is_a_choice(typed: str) -> None:
    env = start()
    assert ask(env, typed)[0] == actions_of(env).move("kitchen")


@pytest.mark.parametrize("typed", ["", "0", "99", "-1", "two", "move(attic)", "1 | hello", "²"])
def test_it_asks_again(typed: str) -> None:
    action, shown = ask(start(), typed, "1")
    assert action == 0
    assert "is no choice: type a number from 1 to" in shown


def test_the_end_of_the_input_is_an_error_that_says_so() -> None:
    with pytest.raises(QuackError, match="the input ended before a choice was made"):
        ask(start(), "nonsense")


def test_words_to_those_in_the_room_follow_a_bar() -> None:
    env = start("text")
    assert ask(env, "1 | Hello, Eve!")[0] == {"action": 0, "say": "Hello, Eve!"}
    assert ask(env, "1 |")[0] == 0
    action, shown = ask(env, f"1 | {'a' * 501}", "1")
    assert action == 0
    assert "That has 501 characters; at most 500 are allowed." in shown


def test_in_a_discussion_it_asks_for_a_sentence() -> None:
    env = start("text")
    a = actions_of(env)
    steps(env, a.call)
    action, shown = ask(env, "a" * 501, "I was in the hall.")
    assert action == {"action": a.speak, "say": "I was in the hall."}
    assert "at most 500" in shown
    talk(env)
    assert ask(env, "skip()")[0] == a.skip
    env.close()


def test_with_tokens_it_chooses_a_statement() -> None:
    env = start()
    a = actions_of(env)
    steps(env, a.call)
    assert ask(env, "nothing()")[0] == a.nothing
    play_tick(env, dict.fromkeys(range(5), a.nothing))
    assert env.game.phase == "voting"
