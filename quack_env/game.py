"""One game: world, state and what was said, driven by the rules. The environments are thin adapters around it."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Mapping
from operator import index
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

from quack_env import rules as the_rules
from quack_env.briefing import Briefing
from quack_env.chance import game_key
from quack_env.config import GameConfig
from quack_env.errors import IllegalActionError, NotResetError, TrajectoryError
from quack_env.game_map import GameMap
from quack_env.given import given_rules
from quack_env.outcome import Outcome, outcome
from quack_env.rules import CLOSED
from quack_env.state import DISCUSSION, FREE, PHASES, State
from quack_env.statements import named, words
from quack_env.view import Message, View, look
from quack_env.world import TEXT, World
from quack_env.yaml_file import shown

STATE_SCHEMA = 1
Reader: TypeAlias = Callable[[Any], Any]


class Game:
    """A game of one config, map and speech mode: deal, ask, act, and what each agent may know.

    ``rules`` holds the functions of `quack_env.rules`, or the same ones bound to given chance (see `bind`).
    """

    rules: ModuleType | SimpleNamespace = the_rules  # an instance has its own only while draws are given

    def __init__(self, config: GameConfig, game_map: GameMap, speech: str = "tokens") -> None:
        self.config = config
        self.game_map = game_map
        self.world = World(config, game_map, speech)
        self._speaking_masks: dict[int, bytearray] = {}
        self.forks: list[tuple[int, int]] = []
        """(decisions made before it, number) of every point from which on a continuation has a chance of its own."""
        self.given: dict[str, Any] | None = None
        """The draws that stand in for chance, see `quack_env.given`."""
        self.recording = False
        self.seals: list[tuple[int, int, str]] = []
        """While ``recording``: (events before it, tick, state hash) of every tick and phase that ended since `take`."""
        self.texts: dict[int, str] = {}
        """Texts of the utterances in the state's log, by position in it."""

    if not TYPE_CHECKING:  # called only for what is not there

        def __getattr__(self, name: str) -> Any:
            if "state" in self.__dict__ or name.startswith("__"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise NotResetError(f"reset() has to be called first (no game is dealt yet, it has no {name!r})")

    def deal(self, seed: int) -> None:
        """Deal the game of this seed and advance to the first decision."""
        self.seed = seed
        self.forks = []
        if self.given is not None:
            self.give(None)
        self.state = State(self.world)
        key = game_key(seed)
        self.briefing = Briefing(self.config, self.game_map, self.world, key)
        self.rules.deal(self.world, self.state, key)
        self.begin()

    def begin(self) -> None:
        """Go from the deal to the first decision; nothing has been said."""
        self.inbox: list[list[Message]] = [[] for _ in range(self.world.n)]
        self.transcript: list[Message] = []
        self.seals.clear()
        self.texts.clear()
        self.advance()

    def advance(self) -> int:
        """Go on to the next decision or the end; ASK or DONE."""
        settle, world, state = self.rules.settle, self.world, self.state
        status = settle(world, state)
        while status == CLOSED:
            if self.recording:
                self.seals.append((len(state.log), state.tick, state.digest()))
            status = settle(world, state)
        return int(status)

    def give(self, given: dict[str, Any] | None) -> None:
        """From here on these draws stand in for chance, as far as they go; None for none."""
        self.given = given
        if given is None:
            self.__dict__.pop("rules", None)
        else:
            self.rules = given_rules(given)

    def __getstate__(self) -> dict[str, Any]:
        """Bound rules cannot be copied; they are made anew."""
        return {**self.__dict__, "rules": "rules" in self.__dict__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.__dict__.pop("rules"):
            self.give(self.given)

    @property
    def fork(self) -> int:
        """The number of the continuation, 0 for an original."""
        return self.forks[-1][1] if self.forks else 0

    def branch(self, decided: int) -> None:
        """After so many decisions: where a continuation begins, chance is its own from here on, and nothing given."""
        for at, number in self.forks:
            if at == decided:
                self.__dict__.pop("rules", None)
                self.state.key = game_key(self.seed, number)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.winner != 0

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, or None."""
        return outcome(self.state)

    @property
    def phase(self) -> str:
        """ "free_roam", "discussion", "voting" or "over"."""
        return PHASES[self.state.phase]

    # --- knowing -----------------------------------------------------------------------------------------------------

    def view(self, i: int) -> View:
        """What agent i knows now."""
        view = View()
        view.speaking, view.said, view.events = [], [], []
        look(self.world, self.state, i, view)
        if self.inbox[i]:
            view.messages = tuple(self.inbox[i])
        if view.speaking and self.transcript and self.transcript[-1].meeting == self.state.meeting - 1:
            view.transcript = tuple(self.transcript)
        return view

    def mask(self, i: int) -> bytearray:
        """The legal actions of agent i, living and asked now, as A bytes 0/1."""
        if self.state.phase == DISCUSSION and i in self._speaking_masks:
            return self._speaking_masks[i][:]
        mask = bytearray(self.world.A)
        self.rules.legal(self.world, self.state, i, mask)
        if self.state.phase == DISCUSSION:  # what one may say never changes
            self._speaking_masks[i] = mask[:]
        return mask

    def wait_mask(self) -> bytearray:
        """The mask of an agent that is not asked: wait only."""
        mask = bytearray(self.world.A)
        mask[0] = 1
        return mask

    # --- acting ------------------------------------------------------------------------------------------------------

    def show(self, i: int) -> None:
        """Agent i decides now on what it has been shown; its next view begins here."""
        self.rules.show(self.state, i)
        if self.inbox[i]:
            self.inbox[i] = []

    def decide(self, action: int, say: str | None = None) -> None:
        """One whole decision of the agent asked now: it has been shown its view, acts, and the game goes on."""
        state = self.state
        if not self.recording and state.log:
            state.log.clear()
            self.texts.clear()
        i = state.current
        self.rules.show(state, i)
        if self.inbox[i]:
            self.inbox[i] = []
        if say is None and state.phase != DISCUSSION:
            self.rules.act(self.world, state, action)
        else:
            self.act(action, say)
        self.advance()

    def act(self, action: int, say: str | None = None) -> None:
        """Apply a legal action of the agent asked now, with what it says; `advance` is the caller's next step."""
        world, state = self.world, self.state
        i = state.current
        if state.phase == FREE:
            if say:
                self.chat(i, say)
            self.rules.act(world, state, action)
        elif state.phase == DISCUSSION:
            meeting, number, tick = state.meeting - 1, state.round, state.tick
            start = len(state.log)
            self.rules.act(world, state, action)
            text = say or self.statement_text(state.log[start])
            self.texts[start] = text
            message = Message(tick, self.briefing.names[i], text, meeting=meeting, round=number)
            if number == 1 and self.transcript and self.transcript[-1].meeting != meeting:
                self.transcript = []
            self.transcript.append(message)
            self.hear(message, state.log[start] >> 29 & 0xFFFF, i)
        else:
            self.rules.act(world, state, action)

    def lapse(self, action: int, say: str | None = None) -> None:
        """The free-roam action of the agent asked now has become illegal since it was chosen: it waits."""
        if say:
            self.chat(self.state.current, say)
        self.rules.lapse(self.world, self.state, action)

    def chat(self, i: int, say: str) -> None:
        """Agent i is heard in its room, before its action applies."""
        state = self.state
        self.texts[len(state.log)] = say
        self.rules.chat(self.world, state, i)
        room = self.game_map.rooms[state.room[i]]
        self.hear(Message(state.tick, self.briefing.names[i], say, room=room), state.log[-1] >> 29 & 0xFFFF, i)

    def hear(self, message: Message, seen_by: int, speaker: int) -> None:
        """Put a message into the inbox of everybody who hears it but the speaker."""
        for j, inbox in enumerate(self.inbox):
            if seen_by >> j & 1 and j != speaker:
                inbox.append(message)

    def statement_text(self, event: int) -> str:
        """The plain words of a token statement; "" for speech without text."""
        target, room, kind = (event >> 10 & 31) - 1, (event >> 15 & 127) - 1, (event >> 22 & 127) - 1
        if kind == 0:
            return ""
        names, rooms = self.briefing.names, self.game_map.rooms
        return words(named(kind, names[target] if target >= 0 else None, rooms[room] if room >= 0 else None))

    def take(self) -> tuple[list[int], dict[int, str], list[tuple[int, int, str]]]:
        """The packed events, texts and state hashes since the last call; they are cleared."""
        state = self.state
        taken = state.log, self.texts, self.seals
        state.log, self.texts, self.seals = [], {}, []
        return taken

    def drop_log(self) -> None:
        """Forget events that nobody records."""
        if not self.recording and self.state.log:
            self.state.log.clear()
            if self.texts:
                self.texts.clear()

    # --- words -------------------------------------------------------------------------------------------------------

    def clean_say(self, i: int, say: str | None) -> str | None:
        """What is heard of an utterance: NFC, without control characters; `IllegalActionError` where it may not be."""
        if say is None:
            return None
        if not isinstance(say, str):
            raise IllegalActionError(f"{self.briefing.agents[i]}: say must be text or None, got {type(say).__name__}")
        if not say:
            return None
        if self.world.speech != TEXT:
            raise IllegalActionError(f'{self.briefing.agents[i]}: say needs speech="text"')
        text = unicodedata.normalize("NFC", say)
        text = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))
        if len(text) > self.config.max_say:
            raise IllegalActionError(
                f"{self.briefing.agents[i]}: say has {len(text)} characters, at most {self.config.max_say} are allowed"
            )
        return text

    def refuse(self, i: int, action: object, mask: bytearray | bytes) -> IllegalActionError:
        """The error for an action outside the mask: names agent, phase and legal set."""
        names = self.briefing.action_names
        given = repr(action)
        if isinstance(action, int) and not isinstance(action, bool) and 0 <= action < len(names):
            given = f"{names[action]} ({action})"
        hint = "; actions are given by their numbers" if isinstance(action, str) else ""
        legal = [name for name, allowed in zip(names, mask, strict=False) if allowed]
        listed = ", ".join(legal[:40]) + (f" and {len(legal) - 40} more" if len(legal) > 40 else "")
        return IllegalActionError(
            f"{self.briefing.agents[i]} may not do {given} in phase {self.phase} "
            f"at tick {self.state.tick}; legal: {listed or 'nothing'}{hint}"
        )

    # --- saving ------------------------------------------------------------------------------------------------------

    def settings_hash(self) -> str:
        """A hash of config, map and speech mode."""
        config = self.config.to_dict() | {"map": ""}
        text = json.dumps([config, self.game_map.to_dict(), self.world.speech], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The game as JSON-ready data; of config, map and speech mode only a hash is in it."""
        return {
            "schema": STATE_SCHEMA,
            "settings": self.settings_hash(),
            "seed": self.seed,
            "forks": self.forks,
            "given": self.given if "rules" in self.__dict__ else None,
            "state": self.state.to_dict(),
            "inbox": [[list(message) for message in inbox] for inbox in self.inbox],
            "transcript": [list(message) for message in self.transcript],
        }

    def load(self, data: Mapping[str, Any], beside: Mapping[str, Reader] | None = None) -> dict[str, Any]:
        """Take over the game of `to_dict`; ``beside``: what else the data must have, and what reads it.

        Returns:
            What was read of ``beside``, by name.

        Raises:
            TrajectoryError: where it is none, of another schema or of other settings; nothing has changed then.
        """
        if not isinstance(data, Mapping):
            raise TrajectoryError(f"{shown(data)} is no state; it must be what state_dict() gave")
        if data.get("schema") != STATE_SCHEMA:
            raise TrajectoryError(f"state schema {data.get('schema')!r}: this version reads {STATE_SCHEMA}")
        if data.get("settings") != self.settings_hash():
            raise TrajectoryError("the state is of a game with another config, map or speech mode")
        readers = {**SAVED, "state": self._state_of, "inbox": self._inbox_of, **(beside or {})}
        if missing := [name for name in readers if name not in data]:
            raise TrajectoryError(
                f"the state has no {', '.join(missing)}; it must be what state_dict() of this form gave"
            )
        made = {name: _read(name, reader, data[name]) for name, reader in readers.items()}
        self.seed, self.forks, self.state = made["seed"], made["forks"], made["state"]
        self.give(made["given"])
        self.briefing = Briefing(self.config, self.game_map, self.world, game_key(self.seed))
        self.inbox, self.transcript = made["inbox"], made["transcript"]
        self.seals.clear()
        self.texts.clear()
        return {name: made[name] for name in beside or ()}

    def _state_of(self, saved: dict[str, Any]) -> State:
        state = State(self.world)
        state.load(saved)
        return state

    def _inbox_of(self, saved: Any) -> list[list[Message]]:
        inbox = [_messages(messages) for messages in saved]
        if len(inbox) != self.world.n:
            raise ValueError(f"must be of {self.world.n} agents")
        return inbox


def _read(name: str, reader: Reader, saved: Any) -> Any:
    """A part of a saved game; `TrajectoryError` naming it where it is none."""
    try:
        return reader(saved)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as fault:
        if isinstance(fault, TrajectoryError):
            raise
        raise TrajectoryError(f"the state has {name}={shown(saved)}; it must be what state_dict() gave") from fault


def _seed(saved: Any) -> int:
    seed = index(saved)
    game_key(seed)  # which no negative number has
    return seed


def _forks(saved: Any) -> list[tuple[int, int]]:
    return [(index(at), index(number)) for at, number in saved]


def _given(saved: dict[str, Any] | None) -> dict[str, Any] | None:
    if saved is not None:
        given_rules(saved)  # which can be made of no other draws
    return saved


def _messages(saved: Any) -> list[Message]:
    return [Message(*message) for message in saved]


SAVED: dict[str, Reader] = {"seed": _seed, "forks": _forks, "given": _given, "transcript": _messages}
"""What a saved game has beside what only its game can read, and what reads it."""
