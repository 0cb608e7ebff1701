"""What is to be probed, when, of whom and how: `ProbeConfig`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    ValidationError,
    field_validator,
)

from quack_env.errors import ConfigError
from quack_env.yaml_file import meant, read_yaml_file, shown

Trigger = Literal["before_speech", "before_vote", "after_call", "after_vote", "witnessed"]
Preset = Literal["once_per_meeting", "meetings", "every_event"]
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


def _listed(value: Any) -> Any:
    """One name is a list of one."""
    return [value] if isinstance(value, str) else value


def _expanded(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of presets replaced by what they stand for."""
    return tuple(dict.fromkeys(trigger for name in names for trigger in PRESETS.get(name, (name,))))


def _questions(value: Any) -> Any:
    """Names of questions replaced by the questions."""
    if not isinstance(value, list | tuple):
        return value
    return tuple(QUESTIONS.get(item, item) if isinstance(item, str) else item for item in value)


class ProbeConfig(BaseModel):
    """A policy of probing."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    triggers: Annotated[tuple[Literal[Trigger, Preset], ...], BeforeValidator(_listed), AfterValidator(_expanded)] = (
        "before_vote",
    )
    """What a snapshot is taken for; presets and single ones, by name."""
    every: Annotated[int, Strict()] | None = Field(default=None, ge=1)
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
    repeat: Annotated[int, Strict()] = Field(default=1, ge=1, le=20)
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


ALLOWED = {
    "triggers": f"names of {', '.join((*PRESETS, *TRIGGERS))}",
    "every": "a whole number of ticks from 1",
    "order": "1 or 2",
    "about": "self, all, or a list of agents (player_2) and pairs (player_1:player_2)",
    "mode": "isolated or inline",
    "rationale": "true or false",
    "who": "all, witnesses or actor",
    "questions": f"a list of {', '.join(QUESTIONS)}, or mappings with name, text and answers",
    "repeat": "a whole number from 1 to 20",
    "name": f"lower-case letters, digits and _, a letter first, and none of {', '.join(ORDERS)}",
    "text": "a text that is not empty",
    "answers": "at least two texts that differ from each other, none of them empty",
}
"""What each field of a configuration, and of a further question, may be."""


def _explained(fault: ValidationError) -> str:
    """The first of Pydantic's complaints in our words: field, value, what is allowed."""
    errors = fault.errors()  # an unknown field is often the misspelt name of one that is missing
    error = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    *above, last = error["loc"]
    place = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        allowed = Question.model_fields if above else ProbeConfig.model_fields
        return f"unknown field {place!r}{meant(last, allowed)}; allowed: {', '.join(allowed)}"
    if error["type"] == "missing":
        return f"{place}: is missing; must be {ALLOWED[str(last)]}"
    known = {"triggers": (*PRESETS, *TRIGGERS), "questions": tuple(QUESTIONS)}
    if len(error["loc"]) == 2 and above[0] in known and isinstance(error["input"], str):
        names = known[str(above[0])]
        told = f"{place}={shown(error['input'])}: unknown{meant(error['input'], names)}; known are {', '.join(names)}"
        return told + ("; for ticks there is the field every, as in every: 10" if above[0] == "triggers" else "")
    field = next(str(part) for part in reversed(error["loc"]) if part in ALLOWED)
    return f"{place}={shown(error['input'])}: must be {ALLOWED[field]}"
