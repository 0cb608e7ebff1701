"""Wrappers: recording."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from pettingzoo.utils.env import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper, OrderEnforcingWrapper

from quack_env.calls import FILE as CALLS
from quack_env.errors import QuackError
from quack_env.events import Event, event_of
from quack_env.game import Game
from quack_env.trajectory import FILE, STATUS, Header, LineWriter, Seat, event_line, new_folder, seal_line, status_line
from quack_env.version import __version__
from quack_env.world import SPEECH

PROBES = "probes.jsonl"
"""The calls that asked models what they believe, in the form of those of the game."""
IMAGES = "images"


class Recorder:
    """Writes one game after the other, each to a folder of its own; lines are flushed at the end of every tick."""

    def __init__(
        self,
        game: Game,
        path: str | os.PathLike[str],
        policies: Mapping[str, str] | None,
        form: str,
        setting: str | None,
    ) -> None:
        self.game = game
        self.policies = dict(policies or {})
        self.form = form
        self.setting = setting
        self.next = Path(path) if Path(path).name else Path(os.path.abspath(path))
        self.folder: Path | None = None
        self._file: TextIO | None = None
        self.listener: Callable[[list[Event]], None] | None = None
        """Called with the events of every write, for whoever wants to follow the game live."""
        self.save_images = False
        """Whether the images that models were sent are kept, named by their hashes."""
        self._lines = LineWriter()
        self._calls: dict[str, TextIO] = {}
        self._probes = 0
        self._outside: list[tuple[int, int, str, int, dict[str, Any]]] = []

    def begin(self) -> None:
        """Start the recording of the game that has just been dealt."""
        self.end("aborted")
        self.folder = new_folder(self.next)
        self.next = following(self.folder)
        # Both are held open for the game. A lone surrogate in a model's words becomes its JSON escape.
        self._status_file = open(self.folder / STATUS, "w", encoding="utf-8", newline="\n")  # noqa: SIM115
        self._write_status("aborted", "not finished")
        self._file = open(self.folder / FILE, "w", encoding="utf-8", errors="backslashreplace", newline="\n")  # noqa: SIM115
        self._file.write(header_of(self.game, self.policies, self.form, self.setting).model_dump_json() + "\n")
        self._index = 0
        self._probes = 0
        self._outside.clear()
        self._lines.briefing = self.game.briefing
        self._status = "finished"
        self._reason: str | None = None
        self.write()

    def write(self) -> None:
        """Write what has happened since the last call."""
        if self._file is None:
            return
        game = self.game
        log, texts, seals = game.take()
        lines: list[str] = []
        due = iter(seals)
        seal = next(due, None)
        outside = iter(self._outside)
        extra = next(outside, None)
        for position, packed in enumerate(log):
            while seal is not None and seal[0] <= position:
                lines.append(seal_line(seal[1], seal[2]))
                seal = next(due, None)
            while extra is not None and extra[0] <= position:
                lines.append(self._outside_line(extra))
                extra = next(outside, None)
            lines.append(self._lines.line(packed, self._index, texts.get(position)))
            self._index += 1
        while extra is not None:
            lines.append(self._outside_line(extra))
            extra = next(outside, None)
        while seal is not None:
            lines.append(seal_line(seal[1], seal[2]))
            seal = next(due, None)
        self._outside.clear()
        self._file.write("\n".join([*lines, ""]))
        self._file.flush()
        if self.listener is not None:
            start = self._index - len(log)
            self.listener([event_of(p, start + k, game.briefing, texts.get(k)) for k, p in enumerate(log)])
        if game.over:
            self.end(self._status)

    def _outside_line(self, extra: tuple[int, int, str, int, dict[str, Any]]) -> str:
        _, tick, kind, seat, data = extra
        event = Event(tick, self._index, kind, seat, data=data, seen_by=())
        self._index += 1
        return event_line(event)

    def fallback(self, agent: str, reason: str) -> None:
        """Record that a policy's own decision could not be had, and that a declared fallback comes next."""
        seat = self.game.briefing.agents.index(agent)
        state = self.game.state
        self._outside.append((len(state.log), state.tick, "fallback", seat, {"reason": reason}))

    def note(self, agent: str, action: Any) -> None:
        """Record what an action carries in ``notes``: model calls, their images, and why it is a declared fallback."""
        notes = getattr(action, "notes", None)
        if notes is None:
            return
        self.calls(notes.calls, notes.images)
        if notes.fallback:
            self.fallback(agent, notes.fallback)

    def calls(self, records: Iterable[Mapping[str, Any]], images: Mapping[str, bytes]) -> None:
        """Write records of model calls to `calls.jsonl` at once, and their images where they are to be kept."""
        self._append(CALLS, records, images)

    def probes(self, records: Sequence[Mapping[str, Any]], images: Mapping[str, bytes]) -> str:
        """Write records of a probe's calls to `probes.jsonl`, apart from the game's; where the last one stands."""
        self._append(PROBES, records, images)
        self._probes += len(records)
        return f"{PROBES}#{self._probes}"

    def _append(self, name: str, records: Iterable[Mapping[str, Any]], images: Mapping[str, bytes]) -> None:
        if self._file is None or self.folder is None:
            return
        if name not in self._calls:
            self._calls[name] = open(self.folder / name, "w", encoding="utf-8", errors="backslashreplace", newline="\n")  # noqa: SIM115
        self._calls[name].writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        self._calls[name].flush()
        if self.save_images:
            (self.folder / IMAGES).mkdir(exist_ok=True)
            for digest, png in images.items():
                (self.folder / IMAGES / f"{digest}.png").write_bytes(png)

    @property
    def events(self) -> int:
        """Events of the recording so far, those that are not yet on disk included."""
        return self._index + len(self.game.state.log) + len(self._outside)

    def fail(self, reason: str) -> None:
        """Mark the game as spoilt by a failure outside it (a provider's, say): it is not scored."""
        self._status, self._reason = "infra_failure", reason
        self.write()
        self.end("infra_failure")

    def end(self, status: str) -> None:
        """Close the current recording with a status; nothing happens where none is open."""
        if self._file is not None and self.folder is not None:
            self._file.close()
            self._file = None
            for file in self._calls.values():
                file.close()
            self._calls.clear()
            self._write_status(status, self._reason if status != "finished" else None)
            self._status_file.close()

    def _write_status(self, status: str, reason: str | None) -> None:
        self._status_file.seek(0)
        self._status_file.truncate()
        self._status_file.write(status_line(status, reason))
        self._status_file.flush()


def header_of(game: Game, policies: Mapping[str, str], form: str, setting: str | None = None) -> Header:
    """The header of a game that has just been dealt."""
    state, world, briefing = game.state, game.world, game.briefing
    rooms = game.game_map.rooms
    # The config's map may be a path of this machine; the map itself stands beside it.
    config = game.config.to_dict() | {"map": game.game_map.name}
    seats = [
        Seat(
            agent=agent,
            name=briefing.names[i],
            role="duck" if state.ducks >> i & 1 else "goose",
            policy=policies.get(agent),
            spawn=rooms[state.room[i]],
            tasks=[rooms[r] for r in state.task_room[i * world.k : (i + 1) * world.k]],
        )
        for i, agent in enumerate(briefing.agents)
    ]
    return Header(
        made_by=f"quack_env {__version__}",
        config=config,
        map=game.game_map.to_dict(),
        speech=SPEECH[world.speech],
        seed=game.seed,
        forks=game.forks,
        given=game.given,
        form=form,
        setting=setting,
        seats=seats,
    )


def following(folder: Path) -> Path:
    """The folder of the next game of the same environment: game-000, game-001, ..."""
    match = re.fullmatch(r"(.*?)(\d+)", folder.name)
    stem, number = (match[1], match[2]) if match else (folder.name + "-", "000")
    return folder.with_name(f"{stem}{int(number) + 1:0{len(number)}}")


class InOrder(OrderEnforcingWrapper[str, Any, Any]):
    """PettingZoo's check of the order of calls; a loaded state counts as a reset."""

    def load_state_dict(self, data: dict[str, Any]) -> None:
        """Go on from a `state_dict`, without a reset before."""
        self.unwrapped.load_state_dict(data)  # type: ignore[attr-defined]
        self._has_reset = self._has_updated = True


class Held:
    """A recording is held open by one environment: a copy would write into the same file."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise QuackError("a recorded environment cannot be copied; copy the one inside it (its .env)")

    def __reduce__(self) -> Any:
        raise QuackError("a recorded environment cannot be pickled; pickle the one inside it (its .env)")


class RecordAEC(Held, BaseWrapper[str, Any, Any]):
    """Records every game of an AEC environment; see `RecordTrajectory`."""

    def __init__(
        self,
        env: AECEnv[str, Any, Any],
        path: str | os.PathLike[str],
        policies: Mapping[str, str] | None,
        setting: str | None,
    ) -> None:
        super().__init__(env)
        self.game: Game = env.unwrapped.game  # type: ignore[attr-defined]
        self.recorder = Recorder(self.game, path, policies, "aec", setting)
        self.game.recording = True

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game and start its recording."""
        self.recorder.write()
        super().reset(seed=seed, options=options)
        self.recorder.begin()

    def step(self, action: Any) -> None:
        """Step the environment; what has happened is on disk when a tick or phase has ended."""
        if type(action) is not int:
            self.recorder.note(self.env.agent_selection, action)
        self.env.step(action)
        if self.game.seals:
            self.recorder.write()

    # Forwarded by name: `__getattr__` costs a failed look-up first.

    def last(self, observe: bool = True) -> Any:
        """As the environment's."""
        return self.env.last(observe)

    @property
    def agents(self) -> list[str]:  # type: ignore[override]
        """As the environment's."""
        return self.env.agents

    @property
    def agent_selection(self) -> str:  # type: ignore[override]
        """As the environment's."""
        return self.env.agent_selection

    def close(self) -> None:
        """Close the recording (aborted, unless the game is over) and the environment."""
        self.recorder.write()
        self.recorder.end("aborted")
        super().close()


class RecordParallel(Held, BaseParallelWrapper[str, Any, Any]):
    """Records every game of a parallel environment; see `RecordTrajectory`."""

    def __init__(
        self,
        env: ParallelEnv[str, Any, Any],
        path: str | os.PathLike[str],
        policies: Mapping[str, str] | None,
        setting: str | None,
    ) -> None:
        super().__init__(env)
        self.game: Game = env.unwrapped.game  # type: ignore[attr-defined]
        self.recorder = Recorder(self.game, path, policies, "parallel", setting)
        self.game.recording = True

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Deal a new game and start its recording."""
        self.recorder.write()
        result = super().reset(seed=seed, options=options)
        self.recorder.begin()
        return result

    def step(self, actions: dict[str, Any]) -> Any:
        """Step the environment; what has happened is then on disk."""
        for agent, action in actions.items():
            if type(action) is not int:
                self.recorder.note(agent, action)
        result = self.env.step(actions)
        self.recorder.write()
        return result

    def close(self) -> None:
        """Close the recording (aborted, unless the game is over) and the environment."""
        self.recorder.write()
        self.recorder.end("aborted")
        super().close()


def RecordTrajectory(  # noqa: N802 - a wrapper to its users
    env: Any,
    path: str | os.PathLike[str],
    policies: Mapping[str, str] | None = None,
    setting: str | None = None,
) -> Any:
    """The environment, recorded: each game to a folder, the first to ``path``, the next beside it, numbered on.

    Works on the AEC and the parallel form, wrapped or not. Put it outside all other wrappers.

    Args:
        env: `quack_env.env(...)`, `raw_env(...)` or `parallel_env(...)`.
        path: folder of the first game; one that already holds a recorded game is refused and stays as it is.
        policies: names of the policies by agent, for the header.
        setting: what an experiment calls the conditions of these games, for the header: evaluations group games by it;
            None for by who played.

    Raises:
        TrajectoryError: at reset, when the folder cannot be used.
    """
    if isinstance(env, AECEnv):
        return RecordAEC(env, path, policies, setting)
    if isinstance(env, ParallelEnv):
        return RecordParallel(env, path, policies, setting)
    raise TypeError(f"RecordTrajectory takes an AEC or a parallel environment, not {type(env).__name__}")
