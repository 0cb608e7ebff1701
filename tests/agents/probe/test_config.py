"""Which snapshots a configuration asks for, and how a wrong one is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

import quack_env
from quack_agents.probe import PRESETS, ProbeConfig, Question
from quack_agents.probe.config import Preset
from quack_agents.probe.inquiry import inquiries
from quack_env import ConfigError


@pytest.mark.parametrize(
    ("given", "triggers"),
    [
        ("once_per_meeting", ("before_vote",)),
        ("every_event", PRESETS["every_event"]),
        ("before_vote, witnessed", ("before_vote", "witnessed")),
        ({"triggers": ["once_per_meeting", "after_call", "before_vote"]}, ("before_vote", "after_call")),
        ({"triggers": [], "every": 5}, ()),
    ],
)
def test_triggers_are_given_by_name(given: Any, triggers: tuple[str, ...]) -> None:
    assert ProbeConfig.of(given).triggers == triggers


def test_the_preset_of_every_event_has_every_trigger() -> None:
    assert set(PRESETS["every_event"]) == {"before_speech", "before_vote", "after_call", "after_vote", "witnessed"}


def test_every_preset_can_be_given() -> None:
    assert set(PRESETS) == set(get_args(Preset))


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "probe.yaml"
    file.write_text("triggers: meetings\norder: 2\nabout: all\nquestions:\n- intention\n- name: plan\n"
                    "  text: What next?\n  answers: [hide, seek]\n")  # fmt: skip
    config = ProbeConfig.of(str(file))
    assert config.triggers == PRESETS["meetings"] and (config.order, config.about) == (2, "all")
    assert [question.name for question in config.questions] == ["intention", "plan"]
    assert config.questions[1] == Question(name="plan", text="What next?", answers=("hide", "seek"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("sometimes", "triggers.0='sometimes': unknown; known are once_per_meeting, meetings, .*before_speech"),
        ("befor_vote", r"unknown \(did you mean 'before_vote'\?\)"),
        ("tick", "triggers.0='tick': unknown; .*; for ticks there is the field every, as in every: 10"),
        ({"when": "always"}, "unknown field 'when'; allowed: triggers, every"),
        ({"trigger": "meetings"}, r"unknown field 'trigger' \(did you mean 'triggers'\?\)"),
        ({"triggers": 3}, "triggers=3: must be names of once_per_meeting"),
        ({"triggers": ["meetings", 3]}, "triggers.1=3: must be names of once_per_meeting"),
        ({"order": 3}, "order=3: must be 1 or 2"),
        ({"every": 0}, "every=0: must be a whole number of ticks from 1"),
        ({"every": True}, "every=True: must be a whole number of ticks from 1"),
        ({"every": "often"}, "every='often': must be a whole number of ticks from 1"),
        ({"mode": "loud"}, "mode='loud': must be isolated or inline"),
        ({"rationale": "perhaps"}, "rationale='perhaps': must be true or false"),
        ({"about": 3}, "=3: must be self, all, or a list of agents"),
        ({"repeat": True}, "repeat=True: must be a whole number from 1 to 20"),
        ({"repeat": 21}, "repeat=21: must be a whole number from 1 to 20"),
        ({"questions": [{"name": "x", "text": "?"}]}, "questions.0.answers: is missing; must be at least two texts"),
        ({"questions": [{"name": "X", "text": "?", "answers": ["a", "b"]}]}, "name='X': must be lower-case letters"),
        ({"questions": ["mood"]}, "questions.*unknown; known are intention, knowledge"),
        ({"questions": [{"name": "first", "text": "?", "answers": ["a", "b"]}]}, "none of first, second"),
        ({"questions": [{"name": "x", "text": "?", "answers": ["a", "A"]}]}, "must be at least two texts that differ"),
        (7, "must be a mapping"),
    ],
)
def test_what_is_wrong_is_named(given: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        ProbeConfig.of(given)


def asked(observer: int = 1, dead: int = 0, **fields: Any) -> dict[str, list[tuple[int, ...]]]:
    """The paths asked of an observer, by kind, sorted."""
    env = quack_env.raw_env(config={"n_players": 4}, game_map="small")
    env.reset(seed=0)
    view = env.game.view(observer)
    view.known_dead |= dead
    return {
        inquiry.kind: sorted(inquiry.paths) for inquiry in inquiries(ProbeConfig(**fields), env.game.briefing, view)
    }


def test_everybody_else_not_known_to_be_dead_is_asked_about() -> None:
    assert asked() == {"first": [(0,), (2,), (3,)]}
    assert asked(dead=0b1000) == {"first": [(0,), (2,)]}
    assert asked(dead=0b1101) == {}


@pytest.mark.parametrize(
    ("about", "pairs"),
    [
        ("self", [(0, 1), (2, 1)]),
        ("all", [(0, 1), (0, 2), (2, 0), (2, 1)]),
        (("player_2",), [(0, 2)]),
        (("player_2:player_0", "player_1"), [(0, 1), (2, 0), (2, 1)]),
        (("player_3:player_0",), []),
    ],
)
def test_of_the_second_order_the_chosen_living_pairs_are_asked_about(about: Any, pairs: list[tuple[int, int]]) -> None:
    assert asked(dead=0b1000, order=2, about=about).get("second", []) == pairs


def test_an_unknown_agent_of_the_second_order_is_named() -> None:
    with pytest.raises(ConfigError, match="about='Eve': must be an agent"):
        asked(order=2, about=("Eve",))


def test_further_questions_are_about_the_same_players_and_repeats_about_the_same_moment() -> None:
    assert asked(questions=["intention"])["intention"] == [(0,), (2,), (3,)]
    env = quack_env.raw_env(config={"n_players": 4}, game_map="small")
    env.reset(seed=0)
    found = inquiries(ProbeConfig(repeat=3, order=2), env.game.briefing, env.game.view(0))
    assert [(inquiry.kind, inquiry.repeat) for inquiry in found] == [
        (kind, repeat) for repeat in range(3) for kind in ("first", "second")
    ]
