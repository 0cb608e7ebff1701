"""A situation: who plays whom on which ship, what everybody does and says up to a moment, and when beliefs are asked.

See `docs/experiments.md` for the file format, and `reading` for the file reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from quack_env.briefing import AGENT
from quack_env.config import GameConfig
from quack_env.errors import ConfigError
from quack_env.game_map import GameMap
from quack_env.trajectory import Header, Seat
from quack_env.version import __version__

FREE_CHOICE = "free"
"""In place of an action: the policy under test decides."""


class SituationError(ConfigError):
    """A situation's file is not valid, or a step of it is not legal; names file, line and reason."""


class Deed(NamedTuple):
    """One decision of one player: an action in words, or `FREE_CHOICE`.

    ``text``: what is said in its place where the game is played in words; None for words made from the statement.
    """

    who: str
    action: str
    line: int
    text: str | None = None

    @property
    def free(self) -> bool:
        """Whether the player decides for itself."""
        return self.action == FREE_CHOICE


class Roam(NamedTuple):
    """Free roam: the next decisions of players, in order; whoever has none left waits until nobody has one."""

    deeds: Mapping[str, Sequence[Deed]]
    line: int


class Speech(NamedTuple):
    """One turn in a discussion."""

    deed: Deed

    @property
    def line(self) -> int:
        """Where it stands."""
        return self.deed.line


class Ballot(NamedTuple):
    """A vote: everybody's."""

    deeds: Mapping[str, Deed]
    line: int


class Rest(NamedTuple):
    """For the rest of a discussion nobody has anything to say."""

    line: int


class Ask(NamedTuple):
    """A named moment: here those under test are asked what they believe."""

    moment: str
    line: int


Entry = Roam | Speech | Rest | Ballot | Ask


class Part(NamedTuple):
    """One player: the position in the list is the seat."""

    name: str
    role: str
    spawn: str
    tasks: tuple[str, ...]


class Extent(NamedTuple):
    """How far a script reaches: it has these many ticks, meetings and legs, and chance has those after them."""

    ticks: int
    meetings: int
    legs: int


@dataclass(frozen=True)
class Mirror:
    """How a control is made from a situation: two players change places.

    ``kind``: "order", in which they speak in each other's turns; or "parts", in which each is and does what the other
    was and did.
    """

    kind: str
    first: str
    second: str


@dataclass(frozen=True)
class Situation:
    """One situation, or (``mirror``) the control of one.

    ``speaking``: everybody in the order in which they speak, whoever called the meeting before them; ``turns`` the same
    of a tick; both for the whole script, as are the places in which a leg begins.
    """

    name: str
    title: str
    about: str
    source: str
    config: GameConfig
    game_map: GameMap
    parts: tuple[Part, ...]
    tested: tuple[str, ...]
    entries: tuple[Entry, ...]
    speaking: tuple[str, ...]
    turns: tuple[str, ...]
    mirrors: Mapping[str, Mirror] = field(default_factory=dict)
    mirror: str | None = None

    @property
    def id(self) -> str:
        """NAME, or NAME+MIRROR."""
        return f"{self.name}+{self.mirror}" if self.mirror else self.name

    @property
    def names(self) -> tuple[str, ...]:
        """Names by seat."""
        return tuple(part.name for part in self.parts)

    @property
    def moments(self) -> tuple[str, ...]:
        """The moments in their order."""
        return tuple(entry.moment for entry in self.entries if isinstance(entry, Ask))

    def agent(self, name: str) -> str:
        """The agent that goes by a name."""
        return AGENT.format(self.names.index(name))

    @property
    def variants(self) -> list[Situation]:
        """The situation and its controls."""
        from quack_agents.situations.mirrors import mirrored

        return [self, *(mirrored(self, name) for name in self.mirrors)]

    def header(self, seed: int, speech: str, extent: Extent) -> Header:
        """The deal: everything as the situation has it, and beyond its extent chance as the seed has it."""
        rooms = self.game_map.rooms
        spawns = [rooms.index(part.spawn) for part in self.parts]
        turns, speaking = ([self.names.index(name) for name in order] for order in (self.turns, self.speaking))
        return Header(
            made_by=f"quack_env {__version__}",
            config=self.config.to_dict() | {"map": self.game_map.name},
            map=self.game_map.to_dict(),
            speech=speech,  # type: ignore[arg-type]  # checked there
            seed=seed,
            seats=[
                Seat(agent=self.agent(p.name), name=p.name, role=p.role, spawn=p.spawn, tasks=list(p.tasks))
                for p in self.parts
            ],
            given={
                "turn_order": {str(tick): turns for tick in range(1, extent.ticks + 1)},
                "speaking_order": {str(meeting): speaking for meeting in range(extent.meetings)},
                "places": {str(leg): spawns for leg in range(extent.legs)},
            },
        )


__all__ = [
    "FREE_CHOICE",
    "Ask",
    "Ballot",
    "Deed",
    "Entry",
    "Extent",
    "Mirror",
    "Part",
    "Rest",
    "Roam",
    "Situation",
    "SituationError",
    "Speech",
]
