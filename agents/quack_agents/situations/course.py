"""A situation as it is played: whose decision is given, whose is free, and when a moment has come."""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from quack_agents.phrases import LIMIT, Say, phrase
from quack_agents.situations.situation import Ask, Ballot, Deed, Entry, Rest, Roam, Situation, SituationError, Speech
from quack_env.briefing import Briefing
from quack_env.errors import QuackError
from quack_env.info import Info
from quack_env.kinds import STATEMENTS
from quack_env.state import DISCUSSION, FREE, OVER, VOTING
from quack_env.statements import encode
from quack_env.view import View
from quack_env.world import TEXT
from quack_env.yaml_file import meant, unknown_value

WORDS = re.compile(r"(\w+)\(([^()]*)\)")


class SceneOver(QuackError):  # noqa: N818 - no fault: the script has been played to its end
    """The script is at its end, and the game is to stop there."""


class Course:
    """One performance of a situation.

    Args:
        situation: what is played.
        stops: whether the game ends with the script; else all play on as they like.
    """

    def __init__(self, situation: Situation, stops: bool = True) -> None:
        self.situation = situation
        self.stops = stops
        self._entries = deque(situation.entries)
        self._left: dict[str, deque[Deed]] = {}
        self._voted = False
        self._open()

    @property
    def over(self) -> bool:
        """Whether nothing more is given."""
        return not self._entries

    @property
    def next_entry(self) -> Entry:
        """What comes next, where it is not over."""
        return self._entries[0]

    def moment(self, phase: int) -> str | None:
        """The named moment that has come before the next decision, once."""
        self._settle(phase)
        if self._entries and isinstance(entry := self._entries[0], Ask) and phase != OVER:
            self._entries.popleft()
            self._open()
            return entry.moment
        return None

    def due(self, who: str, view: View) -> Deed | None:
        """What is given for the next decision of a player; None when the script is over.

        Raises:
            SituationError: where the game is not where the script thinks it is.
        """
        while self.moment(view.phase) is not None:
            pass
        if not self._entries:
            return None
        entry = self._entries[0]
        if isinstance(entry, Roam):
            own = self._left.get(who)
            return own.popleft() if own else Deed(who, "wait()", entry.line)
        if isinstance(entry, Rest):
            return Deed(who, "nothing()", entry.line)
        if isinstance(entry, Speech):
            return self._speech(entry, who, view)
        if view.phase != VOTING:
            raise self.fault(entry.line, f"no vote yet: {self._place(who, view)}")
        assert isinstance(entry, Ballot)
        self._voted = True
        return entry.deeds[who]

    def _speech(self, entry: Speech, who: str, view: View) -> Deed:
        if view.phase != DISCUSSION or entry.deed.who != who:
            raise self.fault(entry.line, f"{entry.deed.who} has not the word: {self._place(who, view)}")
        self._entries.popleft()
        self._open()
        return entry.deed

    def _settle(self, phase: int) -> None:
        """Go past what is done: free roam in which nobody has anything left to do, and votes that have been cast."""
        while self._entries:
            entry = self._entries[0]
            if isinstance(entry, Roam):
                rest = next((own[0] for own in self._left.values() if own), None)
                if rest is not None and phase == FREE:
                    return
                if rest is not None:
                    raise self.fault(rest.line, f"{rest.who}: {rest.action} is never reached: free roam is over")
            elif not self._passed(entry, phase):
                return
            self._entries.popleft()
            self._open()

    def _passed(self, entry: Entry, phase: int) -> bool:
        """Whether a vote, or the rest of a discussion, is over."""
        if isinstance(entry, Rest):
            return phase != DISCUSSION
        return isinstance(entry, Ballot) and self._voted and phase != VOTING

    def _open(self) -> None:
        """A new entry is at the front."""
        entry = self._entries[0] if self._entries else None
        self._voted = False
        self._left = {who: deque(deeds) for who, deeds in entry.deeds.items()} if isinstance(entry, Roam) else {}

    def _place(self, who: str, view: View) -> str:
        told = {FREE: "it is free roam", DISCUSSION: f"it is {who}'s turn to speak", VOTING: "it is time to vote"}
        return f"{told[view.phase]} (tick {view.tick})"

    def fault(self, line: int, told: str) -> SituationError:
        """An error at a line of the script."""
        made = f" (as {self.situation.mirror})" if self.situation.mirror else ""
        return SituationError(f"{self.situation.source}, line {line}{made}: {told}")

    # --- as a guide of policies --------------------------------------------------------------------------------------

    def guide(self, observation: Any, info: Info) -> Any:
        """The given decision as `step` takes it; None where the policy decides (see `quack_agents.guided`).

        Raises:
            SituationError: where the decision is not legal.
            SceneOver: at the end of a script with which the game stops.
        """
        view, briefing = info["view"], info["briefing"]
        deed = self.due(briefing.names[view.me], view)
        if deed is None and self.stops:
            raise SceneOver(f"{self.situation.id}: the script is over")
        if deed is None or deed.free:
            return None
        number, say = self.action_of(deed, briefing)
        if not info["action_mask"][number]:
            raise self.fault(deed.line, f"{deed.who}: {deed.action} is not legal: {why_not(deed, info)}")
        return {"action": number, "say": say} if say is not None else number

    def action_of(self, deed: Deed, briefing: Briefing) -> tuple[int, str | None]:
        """(the action's number, what is said) of a deed."""
        match = WORDS.fullmatch(deed.action)
        kind, about = (match[1], [word.strip() for word in match[2].split(",") if word.strip()]) if match else ("", [])
        if kind in STATEMENTS[1:]:
            return self._statement(deed, kind, about, briefing)
        words = f"{kind}({', '.join(about)})"
        if words not in briefing.action_names:
            raise self.fault(deed.line, f"{deed.who}: {deed.action}: {_no_such(words, kind, briefing.action_names)}")
        return briefing.action(words), None

    def _statement(self, deed: Deed, kind: str, about: list[str], briefing: Briefing) -> tuple[int, str | None]:
        world, rooms, names = briefing.world, briefing.game_map.rooms, briefing.names
        needs = {"saw": (names, rooms), "suspect": (names,), "vouch": (names,), "nothing": ()}.get(kind, (rooms,))
        if len(about) != len(needs):
            wanted = ", ".join("PLAYER" if known is names else "ROOM" for known in needs)
            raise self.fault(deed.line, f"{deed.who}: {deed.action}: must be {kind}({wanted})")
        for word, known in zip(about, needs, strict=True):
            if word not in known:
                raise self.fault(deed.line, f"{deed.who}: {deed.action}: {unknown_value(word, known)}")
        player = about[0] if names in needs else None
        room = about[-1] if rooms in needs else None
        if world.speech == TEXT:
            return world.act_speak, deed.text or self._in_words(deed, Say(kind, player=player, room=room))
        target = -1 if player is None else names.index(player)
        number = encode(world, STATEMENTS.index(kind), target, -1 if room is None else rooms.index(room))
        return world.act_state + number, None

    def _in_words(self, deed: Deed, say: Say) -> str:
        """The statement in English: the same words wherever the same player says it in this situation."""
        rng = random.Random(f"{self.situation.name} {deed.who} {deed.action}")
        return phrase([say], rng, deed.who, None, min(LIMIT, self.situation.config.max_say)).text


def _no_such(words: str, kind: str, known: Sequence[str]) -> str:
    """What an unknown action may be instead: those of its kind, else the kinds."""
    alike = [name for name in known if name.startswith(f"{kind}(")]
    kinds = dict.fromkeys(name.partition("(")[0] for name in known)
    hint = meant(words, alike) if alike else meant(kind, kinds)
    return f"no such action of this game{hint}; must be one of {', '.join(alike or kinds)}"


def why_not(deed: Deed, info: Info) -> str:
    """Why an action is not legal, as far as the rules' own list of legal ones tells."""
    view, briefing = info["view"], info["briefing"]
    kind, target = WORDS.fullmatch(deed.action).group(1, 2)  # type: ignore[union-attr]  # it has been read before
    room = briefing.room(view.room) if view.room >= 0 else "no room"
    here = ", ".join(briefing.listed(view.here)) or "nobody"
    reason = {
        "kill": f"cooldown {view.cooldown}, in {room} with {here}" if view.duck else "only Ducks kill",
        "move": f"no corridor leads from {room} to {target}",
        "do_task": f"no unfinished task of its own in {room}",
        "report": f"no body lies in {room}",
        "call_meeting": f"it is in {room}, calls left {view.calls_left}",
        "vote": f"{target} is dead or the voter itself",
    }.get(kind, "")
    legal = ", ".join(list(_short(info["legal_actions"])))
    return f"{reason or 'not in this phase'} (tick {view.tick}; legal: {legal})"


def _short(actions: list[str], most: int = 12) -> Iterator[str]:
    yield from actions[:most]
    if len(actions) > most:
        yield f"and {len(actions) - most} more"


__all__ = ["Course", "SceneOver", "why_not"]
