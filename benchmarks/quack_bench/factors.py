"""Factors of an experiment, crossed into the arms of a suite: every combination of levels is one arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations as choices
from itertools import product
from typing import Any

from quack_env import ConfigError
from quack_env.yaml_file import meant, shown

FIELDS = ("policy", "config", "map", "speech", "modality", "persona", "probes", "script")
"""What a factor may set: these fields of an arm, or one entry of one that is a mapping, as in ``probes.mode``."""
MODEL = "model"
"""Another name for the factor ``policy``: who plays, on both sides or as {geese: ..., ducks: ...}."""
PLAYERS = "players"
"""The setting of a suite in which the factors say who plays."""
JOINT, IS = ", ", "="
Levels = dict[str, Any]


def with_factors(suite: Mapping[str, Any]) -> dict[str, Any]:
    """A suite's fields, with ``factors`` (and ``fraction``) replaced by the arms that they make.

    Arms are called by their levels: "persona=cautious, probes=inline". A ``fraction`` of f keeps those combinations
    whose numbers of levels, counted from 0, add up to a multiple of f: of three two-level factors and more a regular
    half fraction, in which every two levels of two factors stand together equally often.

    Raises:
        ConfigError: naming factor, level and what is allowed.
    """
    data = dict(suite)
    factors, fraction = data.pop("factors", None), data.pop("fraction", None)
    if factors is None:
        if fraction is not None:
            raise ConfigError("fraction: needs factors")
        return data
    if data.get("arms"):
        raise ConfigError("factors: make the arms; a suite has one or the other")
    levels = levels_of(factors)
    data["arms"] = {name_of(chosen): conditions(levels, chosen) for chosen in combinations(levels, fraction)}
    played = levels.get(MODEL) or levels.get("policy")
    if played and not (data.get("geese") or data.get("settings")):
        # Every arm has its own policies in the place of these.
        data["settings"] = [{"name": PLAYERS, "geese": "scripted", "ducks": "scripted"}]
    return data


def levels_of(factors: Any) -> dict[str, Levels]:
    """By factor, its levels by name."""
    if not isinstance(factors, Mapping) or not factors:
        raise ConfigError(f"factors={shown(factors)}: must be a mapping from factors to their levels")
    found: dict[str, Levels] = {}
    for factor, given in factors.items():
        if factor != MODEL and str(factor).partition(".")[0] not in FIELDS:
            allowed = f"{MODEL}, {', '.join(FIELDS)}, or an entry as probes.mode"
            raise ConfigError(f"factors.{factor}: must be {allowed}{meant(factor, (MODEL, *FIELDS))}")
        if factor == "probes" and any(isinstance(value, bool) for value in _values(given)):
            told = "on and off are no probes; name them, as in {off: null, on: {triggers: meetings}}"
            raise ConfigError(f"factors.probes={shown(given)}: {told}")
        levels = given if isinstance(given, Mapping) else {_named(value): value for value in _listed(factor, given)}
        if len(levels) < 2:
            raise ConfigError(f"factors.{factor}={shown(given)}: must have at least two different levels")
        for level in levels:
            if any(mark in _called(level) for mark in (JOINT.strip(), IS)):
                raise ConfigError(f"factors.{factor}: level {level!r} needs a name without commas and equals signs")
        found[str(factor)] = {_called(level): value for level, value in levels.items()}
    return found


def _values(given: Any) -> Iterable[Any]:
    """The values of levels, with names of their own or without."""
    return given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else ()


def _called(level: Any) -> str:
    """A level's name as it is mostly written: YAML reads a bare on and off as truth values."""
    return ("off", "on")[level] if isinstance(level, bool) else str(level)


def _listed(factor: Any, given: Any) -> list[Any]:
    if not isinstance(given, list):
        raise ConfigError(f"factors.{factor}={shown(given)}: must be a list of levels, or a mapping from their names")
    return given


def _named(value: Any) -> str:
    """A level's name, where it has no other: that of a model without its options."""
    return value.partition("?")[0] if isinstance(value, str) else "none" if value is None else str(value).lower()


def combinations(levels: Mapping[str, Levels], fraction: Any = None) -> list[dict[str, str]]:
    """Which level of every factor, for every arm.

    Raises:
        ConfigError: where a fraction would leave the effects of two factors mixed up.
    """
    every = [dict(zip(levels, chosen, strict=True)) for chosen in product(*(list(names) for names in levels.values()))]
    if fraction is None:
        return every
    if isinstance(fraction, bool) or not isinstance(fraction, int) or fraction < 2:
        raise ConfigError(f"fraction={fraction!r}: must be a whole number from 2")
    places = {factor: {level: place for place, level in enumerate(names)} for factor, names in levels.items()}
    kept = [one for one in every if not sum(places[factor][level] for factor, level in one.items()) % fraction]
    for factor, names in levels.items():
        times = Counter(one[factor] for one in kept)
        if len({times[level] for level in names}) != 1:
            raise ConfigError(f"fraction={fraction}: does not keep the levels of {factor} equally often")
    for first, second in choices(levels, 2):
        pairs = Counter((one[first], one[second]) for one in kept)
        if len({pairs[pair] for pair in product(levels[first], levels[second])}) != 1:
            raise ConfigError(
                f"fraction={fraction}: does not keep every level of {first} equally often with every level of "
                f"{second}, so that their effects could not be told apart; leave it out, or cross another factor"
            )
    return kept


def name_of(chosen: Mapping[str, str]) -> str:
    """An arm's name."""
    return JOINT.join(f"{factor}{IS}{level}" for factor, level in chosen.items())


def levels_in(arm: str | None) -> dict[str, str]:
    """The levels that an arm's name names; an arm made without factors is a level of the factor "arm"."""
    if arm is None:
        return {}
    parts = [part.partition(IS) for part in arm.split(JOINT)]
    return {factor: level for factor, _, level in parts} if all(equals for _, equals, _ in parts) else {"arm": arm}


def conditions(levels: Mapping[str, Levels], chosen: Mapping[str, str]) -> dict[str, Any]:
    """The fields of one arm."""
    found: dict[str, Any] = {}
    for factor, level in chosen.items():
        name, _, entry = ("policy" if factor == MODEL else factor).partition(".")
        value = levels[factor][level]
        if entry:
            found[name] = {**(found.get(name) or {}), entry: value}
        elif value is not None:
            found[name] = {**found[name], **value} if name in found and isinstance(value, Mapping) else value
    return found
