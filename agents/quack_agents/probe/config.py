"""What is to be probed, when, of whom and how: `ProbeConfig`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from quack_env.errors import ConfigError
from quack_env.yaml_file import one_line, read_yaml_file

Trigger = Literal["before_speech", "before_vote", "after_call", "after_vote", "witnessed"]
TRIGGERS: tuple[str, ...] = get_args(Trigger)
TICK = "tick"
"""The trigger of `ProbeConfig.every`, as it stands in the store."""
MOMENT = "moment"
"""The trigger of a snapshot that was asked for by name."""
PRESETS: dict[str, tuple[str, ...]] = {
    "once_per_meeting": ("before_vote",),
    "meetings": ("after_call", "before_speech", "before_vote", "after_vote"),
    "every_event": ("after_call", "before_speech", "before_vote", "after_vote", "witnessed"),
}
ORDERS = FIRST, SECOND = "first", "second"
"""How the two orders of beliefs about roles are called beside further questions."""
NAME = r"^[a-z][a-z0-9_]*$"


class Question(BaseModel):
    """A further question about every other living player: how likely is each of some answers?"""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=NAME)
    text: str = Field(min_length=1)
    answers: tuple[str, ...] = Field(min_length=2)

    @field_validator("name")
    @classmethod
    def _not_taken(cls, name: str) -> str:
        if name in ORDERS:
            raise ValueError(f"must be none of {', '.join(ORDERS)}")
        return name

    @field_validator("answers")
    @classmethod
    def _told_apart(cls, answers: tuple[str, ...]) -> tuple[str, ...]:
        if len({answer.casefold() for answer in answers}) < len(answers) or not all(answers):
            raise ValueError("must differ from each other, and none may be empty")
        return answers


QUESTIONS = {
    question.name: question
    for question in (
        Question(
            name="intention",
            text="What does each of these players intend to do in the next vote?",
            answers=("vote for you", "vote for somebody else", "skip"),
        ),
        Question(
            name="knowledge",
            text="Where does what each of these players knows about the latest death come from?",
            answers=("own eyes", "what others said", "knows nothing of it"),
        ),
    )
}
"""Questions that a configuration may name."""


def _triggers(value: Any) -> Any:
    """Names of presets replaced by what they stand for."""
    named = [value] if isinstance(value, str) else value
    if not isinstance(named, list | tuple):
        return value
    return tuple(dict.fromkeys(trigger for name in named for trigger in PRESETS.get(name, (name,))))


def _questions(value: Any) -> Any:
    """Names of questions replaced by the questions."""
    if not isinstance(value, list | tuple):
        return value
    return tuple(QUESTIONS.get(item, item) if isinstance(item, str) else item for item in value)


class ProbeConfig(BaseModel):
    """A policy of probing."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    triggers: Annotated[tuple[Trigger, ...], BeforeValidator(_triggers)] = ("before_vote",)
    """What a snapshot is taken for; presets and single ones, by name."""
    every: int | None = Field(default=None, ge=1)
    """Also every so many ticks of free roam: at the first decision at or after each multiple."""
    order: Literal[1, 2] = 1
    """2 also asks what each other player thinks."""
    about: Literal["self", "all"] | tuple[str, ...] = "self"
    """Whom the others are asked to think of, in the second order: the observer, everybody, or agents ("player_2") and
    pairs ("player_1:player_2": what player_1 thinks of player_2)."""
    mode: Literal["isolated", "inline"] = "isolated"
    """Isolated probes leave no trace in the policy; inline, the answer stays in its context: an experimental arm."""
    rationale: bool = False
    """Whether one or two sentences of reasons are asked for with every number of the first order."""
    who: Literal["all", "witnesses", "actor"] = "all"
    """Every living agent, those who perceived what the snapshot is taken for, or the agent about to act."""
    questions: Annotated[tuple[Question, ...], BeforeValidator(_questions)] = ()
    """Further questions: names of `QUESTIONS`, or own ones."""
    repeat: int = Field(default=1, ge=1, le=20)
    """How often each is asked at the same moment (test-retest)."""

    @classmethod
    def of(cls, given: ProbeConfig | Mapping[str, Any] | str) -> ProbeConfig:
        """The configuration of a mapping, a YAML file, or triggers by name ("every_event", "before_vote,witnessed").

        Raises:
            ConfigError: naming the field and what is allowed.
        """
        if isinstance(given, ProbeConfig):
            return given
        source = "probe"
        if isinstance(given, str) and Path(given).suffix in (".yaml", ".yml"):
            source, given = given, read_yaml_file(given, ConfigError)
        elif isinstance(given, str):
            given = {"triggers": [name.strip() for name in given.split(",")]}
        if not isinstance(given, Mapping):
            raise ConfigError(f"{source}: must be a mapping with some of {', '.join(cls.model_fields)}")
        try:
            return cls(**given)
        except ValidationError as fault:
            raise ConfigError(f"{source}: {_explained(fault)}") from None


def _explained(fault: ValidationError) -> str:
    """The first of Pydantic's complaints in one line."""
    error = fault.errors()[0]
    field = str(error["loc"][0])
    if error["type"] == "extra_forbidden" and len(error["loc"]) == 1:
        return f"unknown field {field!r}; allowed: {', '.join(ProbeConfig.model_fields)}"
    known = {"triggers": (*TRIGGERS, *PRESETS), "questions": tuple(QUESTIONS)}.get(field, ())
    named = isinstance(error["input"], str) and len(error["loc"]) == 2
    says = f"unknown; known are {', '.join(known)}" if known and named else error["msg"]
    return f"{'.'.join(map(str, error['loc']))}={one_line(repr(error['input']))}: {says}"
