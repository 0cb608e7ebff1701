"""A suite: which policies meet, over which seeds, under which conditions; and the games that come of it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from quack_agents.llm import check_provider
from quack_agents.probe import ProbeConfig
from quack_agents.scripted import PERSONAS
from quack_agents.situations import Situation
from quack_bench.extractors import named_model
from quack_bench.factors import PLAYERS, with_factors
from quack_bench.held import Held, map_of, read_files, situation_of
from quack_env import ConfigError, GameConfig, GameMap
from quack_env.game_map import check_words
from quack_env.world import World
from quack_env.yaml_file import meant, read_yaml_file, shown
from quack_eval.evaluation import CLAIM_SOURCES
from quack_eval.metrics.tables import shown_policy

MODELS = "models"
"""Where a list of policies is due: all models of the suite."""
OTHER = {"geese": "ducks", "ducks": "geese"}
PLACES = "$1, $2, ... stand for the suite's `models`"
NAME = re.compile(r"[\w .+-]{1,60}")


class Conditions(BaseModel):
    """What games are played under. A field that is not given is left to what stands above it, or to the default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    config: dict[str, Any] = Field(default_factory=dict)
    map: str | dict[str, Any] | None = Field(default=None, min_length=1)
    speech: Literal["off", "tokens", "text"] | None = None
    modality: Literal["image+text", "image", "text"] | None = None
    persona: str | dict[Literal["geese", "ducks"], str] | None = None
    probes: dict[str, Any] | None = None
    policy: str | dict[Literal["geese", "ducks"], str] | None = None
    script: str | None = Field(default=None, min_length=1)

    @field_validator("speech", mode="before")
    @classmethod
    def _off_without_quotes(cls, value: Any) -> Any:
        """YAML reads a bare off as a truth value."""
        return "off" if value is False else value

    def over(self, base: Conditions) -> Conditions:
        """These, and those of the base where these say nothing; configurations and personas are merged by field."""
        given = {name: value for name in Conditions.model_fields if (value := getattr(self, name)) is not None}
        below = {name: getattr(base, name) for name in Conditions.model_fields}
        personas = sides(base.persona) | sides(self.persona)
        return Conditions(**{**below, **given, "config": {**base.config, **self.config}, "persona": personas or None})


def sides(persona: str | Mapping[Any, str] | None) -> dict[str, str]:
    """A persona by team."""
    if isinstance(persona, str):
        return {"geese": persona, "ducks": persona}
    return {str(team): name for team, name in (persona or {}).items()}


class Named(Conditions):
    """A setting written out: policies by team, and of single seats, where they differ."""

    name: str
    geese: str
    ducks: str
    seats: dict[int, str] = Field(default_factory=dict)

    @field_validator("name")
    @classmethod
    def _short(cls, name: str) -> str:
        if not NAME.fullmatch(name):
            raise ValueError("name")
        return name

    @field_validator("geese", "ducks", mode="before")
    @classmethod
    def _one_in_a_list(cls, value: Any) -> Any:
        """A list of one policy is that policy, as it is above the settings."""
        return value[0] if isinstance(value, list) and len(value) == 1 else value


class Suite(Conditions):
    """The plan of a benchmark: every goose policy meets every duck policy, and the settings written out, in every arm.

    ``files`` is what it holds of the files that it names, which need not be there then, see `with_files`.
    ``retries`` and ``max_usd`` are limits of a run, and no part of what the suite is.
    """

    name: str = "suite"
    geese: list[str] | Literal["models"] = Field(default_factory=list)
    ducks: list[str] | Literal["models"] = Field(default_factory=list)
    settings: list[Named] = Field(default_factory=list)
    models: list[str] = Field(default_factory=list)
    arms: dict[str, Conditions] = Field(default_factory=dict)
    seeds: list[int] = Field(min_length=1)
    repetitions: int = Field(default=1, ge=1, le=1000)
    extractor: str | None = None
    retries: int = Field(default=2, ge=0, le=100)
    max_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    files: Held = Field(default_factory=dict)

    @field_validator("seeds", mode="before")
    @classmethod
    def _count_of_seeds(cls, value: Any) -> Any:
        """A number stands for so many seeds, from 0 on."""
        if not isinstance(value, int) or isinstance(value, bool):
            return value
        if value < 1:
            raise ValueError("seeds")
        return list(range(value))

    @field_validator("geese", "ducks", mode="before")
    @classmethod
    def _one_without_a_list(cls, value: Any) -> Any:
        """One policy is a list of it, as it is in the settings."""
        return [value] if isinstance(value, str) and value != MODELS else value

    @field_validator("geese", "ducks", "seeds")
    @classmethod
    def _none_twice(cls, value: Any) -> Any:
        twice = [one for one, times in Counter(value).items() if times > 1] if isinstance(value, list) else []
        if twice:
            raise PydanticCustomError("twice", "{value} stands there twice", {"value": repr(twice[0])})
        return value

    @field_validator("seeds")
    @classmethod
    def _seeds_exist(cls, value: list[int]) -> list[int]:
        if any(seed < 0 for seed in value):
            raise ValueError("seeds")
        return value

    @field_validator("extractor")
    @classmethod
    def _extractor_exists(cls, value: str | None) -> str | None:
        """It reads the games after all have been played and paid for, which is late to find it missing."""
        if value not in CLAIM_SOURCES and not is_model(value or ""):
            raise ValueError("extractor")
        return value

    @model_validator(mode="after")
    def _somebody_plays(self) -> Suite:
        if bool(self.geese) != bool(self.ducks) or not (self.geese or self.settings):
            raise ValueError("geese")
        return self

    def with_files(self, folder: Path = Path(), held: Mapping[str, Any] | None = None) -> Self:
        """The same, holding the files that it names: what it holds already stays; files are read next (`read_files`);
        those that are nowhere are as they were held before.

        Raises:
            ConfigError: where a map or a situation is not valid.
        """
        parts: list[Conditions] = [self, *self.settings, *self.arms.values()]
        maps = [name for part in parts for name in (part.map, part.config.get("map")) if isinstance(name, str)]
        found = read_files(maps, [part.script for part in parts if part.script], self._named, folder)
        return self.model_copy(update={"files": {**(held or {}), **found, **self.files}})

    @property
    def identity(self) -> dict[str, Any]:
        """What makes two suites the same."""
        return self.model_dump(exclude={"retries", "max_usd"})

    def expand(self) -> list[Setting]:
        """All settings, in every arm.

        Raises:
            ConfigError: where a configuration, a map, a situation or a probe is not valid, or two settings have one
                name; names the setting. Where it names no models and has places for them; where its extractor is not
                valid. Policies are tried by `check_players`.
        """
        try:
            self._check()
        except ConfigError as fault:
            raise ConfigError(f"{self.name}: {fault}") from None
        arms: list[tuple[str | None, Conditions]] = [*self.arms.items()] or [(None, Conditions())]
        found: dict[str, Setting] = {}
        for arm, conditions in arms:
            for named in (*self._pairs(), *self.settings):
                setting = self._setting(named, arm, conditions.over(named.over(self)))
                if setting.name in found:
                    raise ConfigError(f"{self.name}: two settings are called {setting.name!r}")
                found[setting.name] = setting
        return _with_folders(found.values())

    def _check(self) -> None:
        """What concerns no setting alone."""
        if self.takes_models and not self.models:
            raise ConfigError(f"models is missing: must be {ALLOWED['models']}, or given as --model PROVIDER/NAME")
        if self.extractor is not None and is_model(self.extractor):
            try:
                check_provider(*named_model(self.extractor))
            except ConfigError as fault:
                raise ConfigError(f"extractor: {fault}") from None

    def _pairs(self) -> Iterator[Named]:
        teams = [self.models if team == MODELS else team for team in (self.geese, self.ducks)]
        for goose in teams[0]:
            for duck in teams[1]:
                yield Named.model_construct(name="", geese=goose, ducks=duck)

    def _setting(self, named: Named, arm: str | None, conditions: Conditions) -> Setting:
        told, situation = named.name, None
        try:
            told = told or f"{self._filled(named.geese)} x {self._filled(named.ducks)}"
            given = dict(conditions.config)
            own_map = given.pop("map") if isinstance(given.get("map"), dict) else None
            config = GameConfig.from_dict(given)
            game_map = map_of(conditions.map or own_map or config.map, self.files)
            if conditions.script is not None:
                situation = situation_of(conditions.script, self.files)
                if conditions.config or conditions.map:
                    raise ConfigError(f"script={conditions.script!r}: brings its own config and map")
                config, game_map = situation.config, situation.game_map
            personas = sides(conditions.persona)
            teams = {"geese": named.geese, "ducks": named.ducks} | sides(conditions.policy)
            differ = teams["geese"] != teams["ducks"]
            policies = {
                team: dressed(self._filled(policy), conditions.modality, personas.get(team), team if differ else None)
                for team, policy in teams.items()
            }
            seats = {
                seat: dressed(self._filled(policy), conditions.modality, None) for seat, policy in named.seats.items()
            }
            beyond = [seat for seat in seats if not 0 <= seat < config.n_players]
            if beyond:
                raise ConfigError(f"seats={beyond[0]}: must be from 0 to {config.n_players - 1}")
            speech = conditions.speech or "tokens"
            if speech == "text":
                check_words(game_map)
            World(config, game_map, speech)  # refuses what no game can be
            probes = None if conditions.probes is None else ProbeConfig.of(conditions.probes)
        except ConfigError as fault:
            raise ConfigError(f"{self.name}: {in_arm(told, arm)}: {fault}") from None
        name = named.name or f"{policies['geese']} x {policies['ducks']}"
        return Setting(
            name=f"{told} @ {arm}" if arm else name,
            base=told,
            goose=policies["geese"],
            duck=policies["ducks"],
            seats={f"player_{seat}": policy for seat, policy in seats.items()},
            arm=arm,
            config=config,
            game_map=game_map,
            speech=speech,
            probes=probes,
            script=conditions.script,
            situation=situation,
        )

    def _filled(self, policy: str) -> str:
        """The policy, or the k-th model of the suite where it is ``$k``."""
        if policy == MODELS:
            raise ConfigError(f"policy='models': a setting takes one policy; {PLACES}")
        if not policy.startswith("$"):
            return policy
        if not policy[1:].isdigit() or not 1 <= int(policy[1:]) <= len(self.models):
            raise ConfigError(f"policy={policy!r}: must be $1 to ${len(self.models)}, a model of the suite's `models`")
        return self.models[int(policy[1:]) - 1]

    @property
    def takes_models(self) -> bool:
        """Whether it leaves places to models: `models`, or ``$k``."""
        return MODELS in (self.geese, self.ducks) or any(policy.startswith("$") for policy in self._named)

    @property
    def _named(self) -> list[str]:
        """All policies that are named anywhere."""
        named = [policy for one in self.settings for policy in (one.geese, one.ducks, *one.seats.values())]
        told = [policy for one in (self, *self.settings, *self.arms.values()) for policy in sides(one.policy).values()]
        lists = [team for team in (self.geese, self.ducks) if team != MODELS]
        return [*(policy for team in lists for policy in team), *named, *told, *self.models]

    def games(self) -> list[Game]:
        """All games, seeds outermost, so that what is played first can be compared; scripted play is not repeated."""
        settings = self.expand()
        found: list[Game] = []
        for seed in self.seeds:
            for repetition in range(self.repetitions):
                for setting in settings:
                    if setting.models or repetition == 0:
                        found.append(Game(setting, seed, repetition, self.repetitions > 1 and bool(setting.models)))
        return found


@dataclass(frozen=True)
class Setting:
    """What is the same in all games of one row of a table.

    ``name`` stands in tables, ``folder`` below the run; ``base`` is the name without the arm, and the same in all arms.
    ``goose`` and ``duck`` are policies by role, ``seats`` those of single agents, whatever their role.
    """

    name: str
    base: str
    goose: str
    duck: str
    seats: dict[str, str]
    arm: str | None
    config: GameConfig
    game_map: GameMap
    speech: str
    probes: ProbeConfig | None = None
    script: str | None = None
    """The situation that every game begins with; its config and map are those of the setting."""
    situation: Situation | None = field(default=None, repr=False)
    """The same, read."""
    folder: str = field(default="", compare=False)

    @property
    def told(self) -> str:
        """What messages call it."""
        return in_arm(self.base, self.arm)

    @property
    def policies(self) -> list[str]:
        """All policies that play in it."""
        return list(dict.fromkeys((self.goose, self.duck, *self.seats.values())))

    @property
    def models(self) -> list[str]:
        """Those of them that are models."""
        return [policy for policy in self.policies if is_model(policy)]


@dataclass(frozen=True)
class Game:
    """One game to be played."""

    setting: Setting
    seed: int
    repetition: int = 0
    repeated: bool = False

    @property
    def id(self) -> str:
        """Its folder below the run: `SETTING/seed-007`, repetitions below that."""
        folder = f"{self.setting.folder}/seed-{self.seed:03d}"
        return f"{folder}/rep-{self.repetition}" if self.repeated else folder


def in_arm(setting: str, arm: str | None) -> str:
    """What messages call a setting in an arm; where factors alone say who plays, the arm says it all."""
    return ", ".join(([] if arm and setting == PLAYERS else [setting]) + ([f"arm {arm}"] if arm else []))


# --- policies --------------------------------------------------------------------------------------------------------


def is_model(policy: str) -> bool:
    """Whether a policy is a model's name, as "openai/gpt-5.5"."""
    return "/" in policy.partition("?")[0].partition(":")[0]


def dressed(policy: str, modality: str | None, persona: str | None, team: str | None = None) -> str:
    """The policy with modality (of models, unless it names its own) and persona in its name.

    ``team``: whose policy it is, where the other team has another one; for the message.

    Raises:
        ConfigError: where the policy takes no persona, or names its own.
    """
    query = policy.partition("?")[2]
    kind, _, own = policy.partition(":")
    allowed = PERSONAS if kind == "scripted" else ()
    named = "persona=" in query if is_model(policy) else bool(allowed and own)
    if persona is not None and (named or (not is_model(policy) and persona not in allowed)):
        taken = f"only {', '.join(allowed)}" if allowed else "none (scripted policies and models do)"
        taken = "none beside that in its name" if named else taken
        alone = f"; to leave the {team} out: persona: {{{OTHER[team]}: {persona}}}" if team else ""
        whose = f", of the {team}," if team else ""
        raise ConfigError(f"persona={persona!r}: {policy}{whose} takes {taken}{alone}")
    if not is_model(policy):
        return policy if persona in (None, "default") else f"{policy}:{persona}"
    options = {"modality": modality, "persona": persona}
    added = [f"{name}={quote(value, safe='+')}" for name, value in options.items() if value and f"{name}=" not in query]
    return "".join((policy, ("&" if query else "?") if added else "", "&".join(added)))


def _with_folders(settings: Iterable[Setting]) -> list[Setting]:
    """The settings, each with a folder name of its own."""
    taken: set[str] = set()
    found: list[Setting] = []
    for setting in settings:
        folder = slug(setting.name)
        if folder in taken:
            folder = f"{folder}-{hashlib.blake2b(setting.name.encode(), digest_size=3).hexdigest()}"
        taken.add(folder)
        found.append(Setting(**{**vars(setting), "folder": folder}))
    return found


def slug(name: str) -> str:
    """A setting's name as a folder: letters, digits, dots and dashes; addresses are left out, long names cut."""
    words = shown_policy(name).replace(" x ", "__").replace(" @ ", "__")
    plain = re.sub(r"[^\w.-]+", "-", words).strip("-.") or "setting"
    if len(plain) <= 100:
        return plain
    return f"{plain[:90]}-{hashlib.blake2b(name.encode(), digest_size=4).hexdigest()}"


# --- reading ---------------------------------------------------------------------------------------------------------


def built_in() -> list[str]:
    """The names of the suites that come with the package."""
    folder = resources.files("quack_bench") / "suites"
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


def read_suite(name: str, models: Iterable[str] = (), seeds: int | None = None) -> Suite:
    """The built-in suite of this name, or the suite of a YAML file, before its settings and policies are looked at.

    Files of maps and situations are looked for beside the suite's file, then from the working directory; the suite
    holds them.

    Args:
        name: of the suite, or its file.
        models: take the place of the suite's `models`.
        seeds: at most so many of its seeds, the first ones.

    Raises:
        ConfigError: naming file, field, value and what is allowed.
    """
    if name in built_in():
        data = yaml.safe_load((resources.files("quack_bench") / "suites" / f"{name}.yaml").read_text("utf-8"))
    elif Path(name).is_file():
        data = read_yaml_file(name, ConfigError)
    else:
        listed = ", ".join(built_in())
        told = f"no such file or run, and no built-in suite ({listed})"
        raise ConfigError(f"suite {name!r}: {told}{meant(name, built_in())}")
    if not isinstance(data, dict):
        raise ConfigError(f"{name}: a suite must be a mapping of fields to values")
    try:
        data = with_factors(data)
        suite = Suite.model_validate({"name": Path(name).stem, **data, **({"models": list(models)} if models else {})})
        suite = suite.with_files(Path(name).parent)
        suite = suite.model_copy(update={"seeds": suite.seeds[:seeds]}) if seeds else suite
    except ValidationError as fault:
        raise ConfigError(f"{name}: {explain(fault)}") from None
    except ConfigError as fault:
        raise ConfigError(f"{name}: {fault}") from None
    if models and not suite.takes_models:
        raise ConfigError(f"{name}: --model has no place in it; policies are to be `models`, $1, $2 where models go")
    return suite


ALLOWED = {
    "name": "letters, digits, spaces, dots, dashes, plus signs, at most 60",
    "geese": "a list of policies, or `models`; both are due, or settings",
    "ducks": "a list of policies, or `models`",
    "settings": "a list of settings, each with name, geese and ducks",
    "seats": "a mapping from seat numbers to policies",
    "models": "a list of models, as PROVIDER/NAME",
    "arms": "a mapping from names of arms to what they change",
    "seeds": "a number from 1 (so many seeds, from 0 on), or a list of numbers from 0",
    "repetitions": "a number from 1 to 1000",
    "config": "a mapping of settings of the game, as in {n_players: 8}",
    "map": "a shipped map, a map file, or a map written out",
    "speech": "off, tokens or text",
    "modality": "image+text, image or text (quoted or not)",
    "persona": "a persona, or a mapping with one for geese, ducks or both",
    "probes": "a mapping of options of the probe, as in {triggers: once_per_meeting}",
    "policy": "a policy, or a mapping with one for geese, ducks or both",
    "script": "a situation, see quack scripts list",
    "extractor": "recorded, grammar, or a model as PROVIDER/NAME",
    "retries": "a number from 0 to 100",
    "max_usd": "a number of US dollars above 0",
    "files": "what a run holds of the files that its suite names",
}


def explain(fault: ValidationError) -> str:
    """One of Pydantic's complaints in our words: field, value, what is allowed."""
    errors = fault.errors()  # an unknown field is often the misspelt name of one that is missing
    error = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    places = [str(part) for part in error["loc"]]
    known = [place for place in places if place in ALLOWED]
    where = ".".join(places[: places.index(known[-1]) + 1] if known else places)
    if error["type"] == "extra_forbidden":
        fields = list(_fields_at(places[:-1]))
        return f"unknown field {'.'.join(places)!r}{meant(places[-1], fields)}; allowed: {', '.join(fields)}"
    if not places:  # of the suite as a whole
        if not isinstance(error["input"], dict):
            return f"a suite must be a mapping of fields to values, not {shown(error['input'])}"
        return f"geese and ducks: must be {ALLOWED['geese']}"
    allowed = ALLOWED.get(known[-1] if known else "", "another value")
    if places[0] == "settings" and known[-1] in ("geese", "ducks"):
        allowed = f"a policy; {PLACES}"
    if error["type"] == "twice":
        return f"{where}: {error['msg']}"
    if error["type"] == "missing":
        return f"{'.'.join(places)} is missing: must be {allowed}"
    return f"{where}={shown(error['input'])}: must be {allowed}"


def _fields_at(places: list[str]) -> Iterable[str]:
    """The fields that are known where an unknown one stands."""
    if places[:1] == ["settings"]:
        return Named.model_fields
    if places[:1] == ["arms"]:
        return Conditions.model_fields
    return (*(name for name in Suite.model_fields if name != "files"), "factors", "fraction")  # see with_factors
