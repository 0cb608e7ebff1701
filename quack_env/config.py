"""The settings of a game: every number that the rules leave open, checked before the first tick."""

from __future__ import annotations

import difflib
import os
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from quack_env.errors import ConfigError
from quack_env.yaml_file import read_yaml_file, shown

DEFAULT_NAMES = (
    *("Alice", "Bob", "Charlie", "Diana", "Eve", "Frank", "Grace", "Henry"),
    *("Ivy", "Jack", "Kate", "Leo", "Mia", "Noah", "Olivia", "Paul"),
)
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "published": {"instant_hops": True, "keep_progress": True, "late_ending": True, "max_say": 100_000},
}
MAX_PLAYERS = len(DEFAULT_NAMES)
MAX_NAME = 16
MAX_TICKS = 200_000


def _checked_names(value: Any) -> tuple[str, ...]:
    """The names as a tuple; how many are needed is checked where `n_players` is known."""
    if not isinstance(value, list | tuple):
        raise ConfigError(f"names={shown(value)}: must be a list of names")
    seen: set[str] = set()
    for name in value:
        fault = _name_fault(name)
        # NFKC before casefold: two names that look alike on screen are one name to a reader
        key = "" if fault else unicodedata.normalize("NFKC", name).casefold()
        if key in seen:
            fault = "repeats another name (case is ignored)"
        if fault:
            raise ConfigError(f"names={shown(value)}: {shown(name)} {fault}")
        seen.add(key)
    return tuple(value)


def _name_fault(name: Any) -> str | None:
    """What is wrong with one name, or `None`."""
    if not isinstance(name, str):
        return "is not text (names are text; in YAML, quote words like yes and no)"
    if not name.strip() or name != name.strip():
        return "is empty or has space around it"
    if len(name) > MAX_NAME:
        return f"is longer than {MAX_NAME} characters"
    # names stand in prompts and in calls like kill(Eve): nothing in them may end the quotation
    if not name.isprintable() or any(_is_delimiter(character) for character in name):
        return "has a character that names may not have (only printable ones, no brackets, no quotation marks)"
    return None


def _is_delimiter(character: str) -> bool:
    """Whether the character is a bracket or a quotation mark in any script."""
    return character in "\"'`<>" or unicodedata.category(character) in ("Ps", "Pe", "Pi", "Pf")


class GameConfig(BaseModel):
    """The settings of one game, frozen and valid: an instance that exists can be played.

    Raises:
        ConfigError: naming the field, the value and what is allowed, wherever a value is not. Numbers are never
            converted: `"6"`, `6.0` and `True` are no players. NumPy's whole numbers and flags are taken as Python's.
    """

    # strict: a typing slip in a YAML must not become a different game
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

    n_players: int = Field(default=6, ge=3, le=MAX_PLAYERS)
    """Players in the game."""
    n_ducks: int = 1
    """Ducks among them: at least 1, and fewer than the Geese."""
    n_tasks: int = Field(default=5, ge=0, le=60)
    """Tasks of each Goose, each in another task room of the map."""
    task_ticks: int = Field(default=3, ge=1, le=100)
    """Ticks of work that a task takes, consecutive unless `keep_progress`."""
    kill_cooldown: int = Field(default=5, ge=0, le=MAX_TICKS)
    """Ticks of free roam before a Duck may kill: at the start and after each kill."""
    max_ticks: int = Field(default=200, ge=1, le=MAX_TICKS)
    """Ticks of free roam in the game; when they are spent, the Geese win."""
    discussion_rounds: int = Field(default=2, ge=1, le=8)
    """Rounds of speech in a meeting; each living player speaks once a round."""
    meeting_calls: int | None = Field(default=None, ge=0, le=100)
    """Button presses that all players share; `None` for as many as there are Ducks."""
    names: Annotated[tuple[str, ...], BeforeValidator(_checked_names)] = ()
    """Names of the players, at least `n_players` of them; empty for the default ones. See `player_names`."""
    witness_kills: bool = False
    """Whether those in the room see a kill, and not only the body."""
    reveal_role: bool = False
    """Whether everyone learns the role of a player who is voted out."""
    reveal_votes: bool = False
    """Whether everyone learns who voted for whom."""
    drop_dead_tasks: bool = False
    """Whether the tasks of dead Geese stop counting."""
    max_say: int = Field(default=500, ge=1, le=100_000)
    """Characters that one utterance may have."""
    instant_hops: bool = False
    """Published deviation: a corridor of one tick is crossed within the tick."""
    keep_progress: bool = False
    """Published deviation: progress in a task survives leaving the room."""
    late_ending: bool = False
    """Published deviation: the end is looked for only after a whole tick, a speech or the whole vote."""
    map: str = Field(default="ship", min_length=1)
    """A shipped map's name, or the path of a map file, as given."""

    if not TYPE_CHECKING:  # type checkers keep the signature that the fields give

        def __init__(self, **values: Any) -> None:
            with _as_config_error():
                super().__init__(**values)

    @model_validator(mode="before")
    @classmethod
    def _without_numpy(cls, data: Any) -> Any:
        """NumPy's whole numbers and flags as Python's: they come out of every sweep over an array."""
        if not isinstance(data, Mapping):
            return data
        return {key: value.item() if isinstance(value, np.integer | np.bool_) else value for key, value in data.items()}

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        """Checks the fields whose bounds depend on another field."""
        most = (self.n_players - 1) // 2
        if not 1 <= self.n_ducks <= most:
            raise ConfigError(
                f"n_ducks={shown(self.n_ducks)}: must be at least 1 and fewer than the Geese "
                f"(n_ducks < n_players - n_ducks; n_players={self.n_players} allows 1..{most})"
            )
        if self.names and len(self.names) < self.n_players:
            raise ConfigError(
                f"names={shown(self.names)}: must be at least as many as the players "
                f"({len(self.names)} given, n_players={self.n_players}), or none for the default names"
            )
        return self

    @property
    def button_budget(self) -> int:
        """Button presses that all players share in this game."""
        return self.n_ducks if self.meeting_calls is None else self.meeting_calls

    @property
    def player_names(self) -> tuple[str, ...]:
        """The names in play: the first `n_players` of `names`, or of the default ones; seats are shuffled elsewhere."""
        return (self.names or DEFAULT_NAMES)[: self.n_players]

    @classmethod
    def published(cls, **overrides: Any) -> Self:
        """The settings under which the published games were played, with `overrides` on top."""
        return cls(**{**PRESETS["published"], **overrides})

    @classmethod
    def load(cls, source: Self | Mapping[str, Any] | str | os.PathLike[str] | None = None) -> Self:
        """The settings that `source` stands for.

        Args:
            source: `None` for the defaults; the name of a preset (`"default"`, `"published"`); the path of a YAML
                file; a mapping as `from_dict` takes; or settings, returned as they are.

        Raises:
            ConfigError: where a file cannot be read or a field is not valid; names the file.
        """
        if source is None:
            return cls()
        if isinstance(source, cls):
            return source
        if isinstance(source, Mapping):
            return cls.from_dict(source)
        if isinstance(source, str) and source in PRESETS:
            return cls.from_dict({"preset": source})
        if not isinstance(source, str | os.PathLike):
            raise ConfigError(f"config={shown(source)}: must be a preset, a path, a mapping or a GameConfig")
        return cls._from_file(source)

    @classmethod
    def _from_file(cls, path: str | os.PathLike[str]) -> Self:
        """The settings in a YAML file; every message begins with the file."""
        if not os.path.exists(path):
            raise ConfigError(f"config={os.fspath(path)!r}: no such file, and no preset ({', '.join(PRESETS)})")
        data = read_yaml_file(path, ConfigError)
        try:
            return cls.from_dict(data)
        except ConfigError as fault:
            raise ConfigError(f"{os.fspath(path)}: {fault}") from None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The settings in a mapping of fields, as `to_dict` gives; a key `preset` names what they start from.

        Raises:
            ConfigError: where `data` is no mapping, or a field of it is unknown or not valid.
        """
        if not isinstance(data, Mapping):
            raise ConfigError(f"a configuration must be a mapping of fields to values, not {shown(data)}")
        for key in data:
            if key != "preset" and key not in cls.model_fields:
                raise ConfigError(_unknown_field(key))
        values = dict(data)
        preset = values.pop("preset", "default")
        if not isinstance(preset, str) or preset not in PRESETS:
            raise ConfigError(f"preset={shown(preset)}: must be one of {', '.join(PRESETS)}")
        return cls(**{**PRESETS[preset], **values})

    def replace(self, **changes: Any) -> Self:
        """The same settings but for `changes`, checked again as a whole."""
        return type(self)(**{**self.model_dump(), **changes})

    def to_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON; `from_dict` gives equal settings back."""
        return self.model_dump(mode="json")

    # Pydantic's own doors lead to the same errors, and none of them lets an unchecked value in.

    def __setattr__(self, name: str, value: Any) -> None:
        raise ConfigError(f"{name}={shown(value)}: settings cannot be changed; use replace({name}=...)")

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The same as `replace`."""
        return self.replace(**(update or {}))

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Pydantic's `model_validate`, raising `ConfigError`."""
        with _as_config_error():
            return super().model_validate(obj, **options)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Pydantic's `model_validate_json`, raising `ConfigError`."""
        with _as_config_error():
            return super().model_validate_json(json_data, **options)


@contextmanager
def _as_config_error() -> Iterator[None]:
    """Turns Pydantic's several lines into one that says what is allowed."""
    try:
        yield
    except ValidationError as fault:
        raise ConfigError("; ".join(_explain(error) for error in fault.errors())) from None


def _explain(error: Any) -> str:
    """One of Pydantic's error records in our words."""
    own = error.get("ctx", {}).get("error")
    if isinstance(own, ConfigError):
        return str(own)
    field = error["loc"][0] if error["loc"] else ""
    if error["type"] == "extra_forbidden":
        return _unknown_field(field)
    if field not in GameConfig.model_fields:
        return f"a configuration must be a mapping of fields to values: {error['msg']}"
    return f"{field}={shown(error['input'])}: must be {_allowed(str(field))}"


def _allowed(field: str) -> str:
    """What a field takes, in words, from its declaration."""
    info = GameConfig.model_fields[field]
    if info.annotation is bool:
        return "true or false"
    if info.annotation is str:
        return "text that is not empty"
    bounds = {name: getattr(item, name) for item in info.metadata for name in ("ge", "le") if hasattr(item, name)}
    span = f" from {bounds['ge']} to {bounds['le']}" if bounds else ""
    return f"a whole number{span}" + ("" if info.annotation is int else ", or null")


def _unknown_field(key: object) -> str:
    """The message for a field that does not exist, with the one that was probably meant."""
    fields = list(GameConfig.model_fields)
    close = difflib.get_close_matches(str(key), fields, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"unknown field {shown(key)}{hint}; allowed: {', '.join(fields)}"
