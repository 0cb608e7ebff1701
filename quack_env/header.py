"""The first line of a recording: who sits where, and everything else that is fixed before the first tick."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from quack_env.config import GameConfig
from quack_env.errors import ConfigError, MapError, TrajectoryError
from quack_env.events import ROLES
from quack_env.game_map import KEYS, GameMap, check_tasks
from quack_env.yaml_file import shown, unknown_value

SCHEMA = 1
FORMS = ("aec", "parallel")
DRAWS = ("turn_order", "speaking_order", "places")


class Seat(BaseModel):
    """Who sits where: seat number = position in the header's list."""

    model_config = ConfigDict(extra="forbid")

    agent: str
    name: str
    role: str
    policy: str | None = None
    spawn: str
    tasks: list[str]


class Header(BaseModel):
    """The first line of a recording: everything needed to replay it."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    made_by: str
    config: dict[str, Any]
    map: dict[str, Any]
    speech: Literal["off", "tokens", "text"]
    seed: int
    forks: list[tuple[int, int]] = Field(default_factory=list)
    """(decisions made before it, number) of every point from which on a continuation has a chance of its own."""
    form: str = "aec"
    setting: str | None = None
    """What an experiment calls the conditions of this game; evaluations group games by it, else by who played."""
    seats: list[Seat]
    given: dict[str, Any] | None = None
    """Draws in place of chance, as far as they go: `turn_order` by tick, `speaking_order` by meeting (seats) and
    `places` by leg (rooms), in numbers. Games not made here, and situations, have them; None: all from the seed."""

    @model_validator(mode="before")
    @classmethod
    def _without_fork(cls, data: Any) -> Any:
        """Recordings made before there were forks have a field ``fork``, always 0."""
        if isinstance(data, dict) and data.get("fork") == 0:
            data = {name: value for name, value in data.items() if name != "fork"}
        return data


def read_header(record: dict[str, Any]) -> tuple[Header, GameConfig, GameMap]:
    """The header in the first line of a recording, with the settings and the map that it holds.

    Raises:
        TrajectoryError: where it is none, of a newer schema, or contradicts itself; says what is wrong and what is
            allowed, not in which file.
    """
    version = record.get("schema_version")
    if type(version) is not int:
        told = "is missing" if version is None else f"is {shown(version)}"
        raise TrajectoryError(f"no header of a recorded game (schema_version {told}; it must be {SCHEMA})")
    if version > SCHEMA:
        raise TrajectoryError(f"schema {version} is newer than this version reads ({SCHEMA}); upgrade quack_env")
    try:
        header = Header.model_validate(record)
    except ValidationError as fault:
        raise TrajectoryError(f"header field {_explained(fault.errors()[0])}") from None
    try:
        config, game_map = _settings(json.dumps(header.config), json.dumps(header.map))
        _check_play(header)
        _check_seats(header.seats, config, game_map)
        _check_given(header.given or {}, config.n_players, len(game_map.rooms))
    except ConfigError as fault:
        raise TrajectoryError(f"header field {fault}") from None
    return header, config, game_map


def _explained(error: Any) -> str:
    """One of Pydantic's error records in our words."""
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"{place}: missing"
    if error["type"] == "extra_forbidden":
        known = Seat.model_fields if error["loc"][0] == "seats" else Header.model_fields
        return f"{place}: unknown field; allowed: {', '.join(known)}"
    if error["type"] == "dict_type" and place == "map":
        return f"map: must be the map itself, an object with {', '.join(KEYS)}, not {shown(error['input'])}"
    return f"{place}: {error['msg'].replace('Input should be', 'must be')}, not {shown(error['input'])}"


@lru_cache(maxsize=64)
def _settings(config: str, game_map: str) -> tuple[GameConfig, GameMap]:
    """Config and map, given as JSON, once for all the games that share them."""
    try:
        settings = GameConfig.from_dict(json.loads(config))
        layout = GameMap.from_dict(json.loads(game_map), source="map")
        check_tasks(settings, layout)
    except MapError:
        raise
    except ConfigError as fault:
        raise ConfigError(f"config: {fault}") from None
    return settings, layout


def _check_play(header: Header) -> None:
    """Seed, forks and form are some that a game can be played with."""
    if header.seed < 0:
        raise ConfigError(f"seed: must be a whole number from 0, not {header.seed}")
    if any(number < 0 for fork in header.forks for number in fork):
        raise ConfigError(f"forks: must be pairs of whole numbers from 0, not {shown(header.forks)}")
    if header.form not in FORMS:
        raise ConfigError(f"form: {unknown_value(header.form, FORMS)}")


def _check_seats(seats: Sequence[Seat], config: GameConfig, game_map: GameMap) -> None:
    """Seats, roles and tasks are those of the config, names are told apart, rooms are the map's."""
    if len(seats) != config.n_players:
        raise ConfigError(f"seats: {len(seats)} listed, but config.n_players is {config.n_players}")
    for field in ("agent", "name"):
        values = [getattr(seat, field) for seat in seats]
        twice = next((value for value in values if values.count(value) > 1 or not value), None)
        if twice is not None:
            raise ConfigError(f"seats: the {field} {twice!r} is {'given twice' if twice else 'empty'}")
    for number, seat in enumerate(seats):
        _check_seat(f"seats.{number}", seat, config, game_map)
    ducks = [seat.name for seat in seats if seat.role == "duck"]
    if len(ducks) != config.n_ducks:
        raise ConfigError(f"seats: {len(ducks)} have the role duck, but config.n_ducks is {config.n_ducks}")


def _check_seat(place: str, seat: Seat, config: GameConfig, game_map: GameMap) -> None:
    if seat.role not in ROLES:
        raise ConfigError(f"{place}.role: {unknown_value(seat.role, ROLES)}")
    if seat.spawn not in game_map.positions:
        raise ConfigError(f"{place}.spawn: {unknown_value(seat.spawn, game_map.rooms)}")
    for room in seat.tasks:
        if room not in game_map.tasks:
            raise ConfigError(f"{place}.tasks: {unknown_value(room, game_map.tasks)}")
    if len(set(seat.tasks)) != config.n_tasks or len(seat.tasks) != config.n_tasks:
        raise ConfigError(
            f"{place}.tasks: must be {config.n_tasks} different rooms (config.n_tasks), not {shown(seat.tasks)}"
        )


def _check_given(given: dict[str, Any], n: int, rooms: int) -> None:
    """The draws are lists of seats (orders) or rooms (places), by the number of a tick, meeting or leg."""
    for name, draws in given.items():
        if name not in DRAWS:
            raise ConfigError(f"given: {unknown_value(name, DRAWS)}")
        if not isinstance(draws, dict):
            raise ConfigError(f"given.{name}: must be an object of lists by number, not {shown(draws)}")
        places = name == "places"
        what, most = ("rooms", rooms) if places else ("seats", n)
        for number, drawn in draws.items():
            place = f"given.{name}.{number}"
            if not number.isdecimal():
                raise ConfigError(f"{place}: must be by number, as in {name}.0")
            if not isinstance(drawn, list) or not all(type(one) is int and 0 <= one < most for one in drawn):
                raise ConfigError(f"{place}: must be a list of {what} from 0 to {most - 1}, not {shown(drawn)}")
            if places and len(drawn) != n:
                raise ConfigError(f"{place}: must be a room for each of the {n} seats, not {shown(drawn)}")
            if not places and len(set(drawn)) != len(drawn):
                raise ConfigError(f"{place}: must have no seat twice, not {shown(drawn)}")
