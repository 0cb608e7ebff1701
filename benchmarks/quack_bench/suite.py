"""A suite: which policies meet, over which seeds, under which settings."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from quack_env import ConfigError, GameConfig, GameMap
from quack_env.yaml_file import read_yaml_file

MODEL_CHARS = str.maketrans(dict.fromkeys(':/\\ "', "-"))


class Suite(BaseModel):
    """The settings of a benchmark; every goose policy meets every duck policy on every seed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = "suite"
    geese: list[str] = Field(min_length=1)
    ducks: list[str] = Field(min_length=1)
    seeds: list[int] = Field(min_length=1)
    speech: Literal["off", "tokens", "text"] = "tokens"
    config: dict[str, Any] = Field(default_factory=dict)

    @field_validator("seeds", mode="before")
    @classmethod
    def _count_of_seeds(cls, value: Any) -> Any:
        return list(range(value)) if isinstance(value, int) and not isinstance(value, bool) else value

    def games(self) -> list[Assignment]:
        """All games of the suite, seeds innermost, none twice."""
        pairs = dict.fromkeys((goose, duck) for goose in self.geese for duck in self.ducks)
        return [Assignment(goose, duck, seed) for goose, duck in pairs for seed in dict.fromkeys(self.seeds)]


@dataclass(frozen=True)
class Assignment:
    """One game to be played: the Geese's policy, the Ducks' policy, the seed."""

    goose: str
    duck: str
    seed: int

    @property
    def folder(self) -> str:
        """Its folder below the run: `GOOSE__DUCK/seed-007`."""
        return f"{self.goose.translate(MODEL_CHARS)}__{self.duck.translate(MODEL_CHARS)}/seed-{self.seed:03d}"


def built_in() -> list[str]:
    """The names of the suites that come with the package."""
    folder = resources.files("quack_bench") / "suites"
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


def load_suite(name: str) -> Suite:
    """The built-in suite of this name, or the suite of a YAML file.

    Raises:
        ConfigError: naming file, field, value and what is allowed.
    """
    if name in built_in():
        data = yaml.safe_load((resources.files("quack_bench") / "suites" / f"{name}.yaml").read_text("utf-8"))
        source = name
    elif Path(name).is_file():
        data, source = read_yaml_file(name, ConfigError), name
    else:
        raise ConfigError(f"suite {name!r}: no such file, and no built-in suite ({', '.join(built_in())})")
    if not isinstance(data, dict):
        raise ConfigError(f"{source}: a suite must be a mapping of fields to values")
    try:
        suite = Suite.model_validate({"name": Path(source).stem, **data})
    except ValidationError as fault:
        raise ConfigError(f"{source}: {_explain(fault)}") from None
    try:
        GameMap.load(GameConfig.from_dict(suite.config).map)
    except ConfigError as fault:
        raise ConfigError(f"{source}: config: {fault}") from None
    return suite


def _explain(fault: ValidationError) -> str:
    """The first of Pydantic's complaints in one line."""
    error = fault.errors()[0]
    field = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"unknown field {field!r}; allowed: {', '.join(Suite.model_fields)}"
    given = "" if error["type"] == "missing" else f"={error['input']!r}"
    return f"{field}{given}: {error['msg']}"
