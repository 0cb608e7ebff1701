"""A published QUACK game as our trajectory, made by running our rules and comparing every recorded line with them.

The rules (`GameConfig.published()`) are driven with the recorded decisions; recorded turn orders, speaking orders and
places stand in for chance. So waits, arrivals, legs, cancelled transits and who perceived what come from the rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quack_env import Event, GameConfig, GameMap, TrajectoryError
from quack_env.events import ROLES, event_of
from quack_env.game import Game
from quack_env.kinds import DEPART, KILL, MEETING_CALLED, TASK_DONE, TASK_STEP, unpack
from quack_env.replay import game_of
from quack_env.state import DISCUSSION, FREE
from quack_env.trajectory import Header, Seat
from quack_env.yaml_file import unknown_value
from quack_eval.importers.published_log import FILE, Log, Meeting, Turn, read_log, read_settings
from quack_eval.trajectory import Trajectory

REASONS = {
    "All Ducks have been ejected": "ducks ejected",
    "Ducks have voting majority": "parity",
    "All Goose tasks completed": "tasks",
}
"""The published words for the end of a game; any other words can only stand for the time-out."""
TEAMS = {"goose": "geese", "duck": "ducks"}
PROGRESS = re.compile(r"(\d{1,6})/\d{1,6}")


@dataclass
class Imported:
    """A published game, replayed: what was compared, and what did not agree, each with path and line.

    ``lines`` are the recorded lines, every one of which was compared.
    """

    trajectory: Trajectory
    lines: int
    mismatches: list[str] = field(default_factory=list)
    illegal: list[str] = field(default_factory=list)

    @property
    def posthumous(self) -> list[Event]:
        """What victims still did in the tick of their death."""
        return self.trajectory.posthumous


def is_published(path: Path) -> bool:
    """Whether the path is the folder (or the `game.jsonl`) of a published QUACK game."""
    file = path / FILE if path.is_dir() else path
    if file.name != FILE:
        return False
    try:
        with open(file, "rb") as lines:
            return b'"event_type"' in lines.readline(65536)
    except OSError:
        return False


def load_published(path: Path) -> Trajectory:
    """The trajectory of a published game.

    Raises:
        TrajectoryError: damaged, or not what the rules make of its decisions; names path and line.
    """
    imported = import_game(path)
    faults = imported.illegal + imported.mismatches
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise TrajectoryError(f"{faults[0]}{more}")
    return imported.trajectory


def import_game(path: Path) -> Imported:
    """Replay a published game through the rules.

    Raises:
        TrajectoryError: damaged or incomplete; names path and line.
    """
    folder = path if path.is_dir() else path.parent
    log = read_log(folder)
    trajectory = _frame(folder, log)
    return _Driver(log, trajectory).run()


# --- what stands before the first tick -------------------------------------------------------------------------------


def _frame(folder: Path, log: Log) -> Trajectory:
    """The trajectory without its events."""
    settings = read_settings(folder, tuple(log.names))
    config, game_map = settings.config, settings.game_map
    problem = _misfit(log, config, game_map)
    if problem:
        raise TrajectoryError(f"{folder / FILE}, line 1: {problem}")
    seats = [
        Seat(
            agent=f"player_{i}",
            name=log.names[i],
            role=log.roles[i],
            policy=settings.duck if log.roles[i] == "duck" else settings.goose,
            spawn=log.spawns[i],
            tasks=log.tasks[i],
        )
        for i in range(config.n_players)
    ]
    header = Header(
        made_by="QUACK, published games",
        config=settings.config_data,
        map=settings.map_data,
        speech="text",
        seed=settings.seed,
        seats=seats,
        given=_given(log, game_map),
    )
    trajectory = Trajectory(header, [], status="finished", path=folder)
    vars(trajectory).update(config=config, game_map=game_map)  # what the cached properties would parse again
    return trajectory


def _misfit(log: Log, config: GameConfig, game_map: GameMap) -> str:
    """In what the start of the log contradicts the settings; "" where in nothing."""
    n = config.n_players
    if len(log.names) != n:
        return f"{len(log.names)} players, {n} in the settings"
    for role in log.roles:
        if role not in ROLES:
            return f"the role {unknown_value(role, ROLES)}"
    if sum(role == "duck" for role in log.roles) != config.n_ducks:
        return f"the roles are {', '.join(log.roles)}, the settings have {config.n_ducks} Duck(s)"
    for i in range(n):
        if len(log.tasks[i]) != config.n_tasks:
            return f"{log.names[i]} has {len(log.tasks[i])} tasks, {config.n_tasks} in the settings"
        for room, task in zip(log.tasks[i], log.task_names[i], strict=True):
            if game_map.tasks.get(room) != task:
                return f"{log.names[i]} has the task {task!r} in {room!r}, which the map does not have"
    unknown = [room for room in log.spawns if room not in game_map.positions]
    return f"unknown room {unknown[0]!r}" if unknown else ""


def _given(log: Log, game_map: GameMap) -> dict[str, Any]:
    """The recorded draws, as the header of a trajectory carries them."""
    index = {room: r for r, room in enumerate(game_map.rooms)}
    turns = {
        str(tick): list(dict.fromkeys(turn.seat for turn in turns if not turn.posthumous))
        for tick, turns in log.turns.items()
    }
    speakers: dict[str, list[int]] = {}
    places = {"0": [index[room] for room in log.spawns]}
    for k, meeting in enumerate(log.meetings):
        speakers[str(k)] = list(dict.fromkeys(seat for _, seat, _ in meeting.messages))
        if meeting.respawn:
            unknown = [room for room in meeting.respawn.values() if room not in index]
            if unknown:
                raise TrajectoryError(f"{log.path / FILE}, line {meeting.respawn_line}: unknown room {unknown[0]!r}")
            places[str(k + 1)] = [index[meeting.respawn.get(i, log.spawns[i])] for i in range(len(log.names))]
    return {"turn_order": turns, "speaking_order": speakers, "places": places}


# --- the replay ------------------------------------------------------------------------------------------------------


class _StopError(Exception):
    """The rules cannot go on with this recording; the reason has been noted."""


class _Driver:
    """Drives the rules with one recording."""

    def __init__(self, log: Log, trajectory: Trajectory) -> None:
        self.log = log
        self.trajectory = trajectory
        self.result = Imported(trajectory, log.lines)
        self.game: Game = game_of(trajectory.header)
        self.game.recording = False
        self.rooms = trajectory.game_map.rooms
        self.room_number = {room: r for r, room in enumerate(self.rooms)}
        self.meetings = iter(log.meetings)
        self.message = 0
        self.turns: list[Turn] = []
        self.next = 0
        self.tick = 0

    def run(self) -> Imported:
        """Replay to the end of the recording or to the first decision that the rules refuse."""
        try:
            self.play()
            self.finish()
        except _StopError:
            pass
        game = self.game
        events, texts, _ = game.take()
        self.trajectory.events = [event_of(e, p, game.briefing, texts.get(p)) for p, e in enumerate(events)]
        return self.result

    def differs(self, line: int, what: str) -> None:
        """Note that a recorded line is not what the rules make."""
        self.result.mismatches.append(f"{self.log.path / FILE}, line {line}: {what}")

    def refuse(self, line: int, what: str) -> None:
        """Note that the rules do not allow what a line records, and stop."""
        self.result.illegal.append(f"{self.log.path / FILE}, line {line}: {what}")
        raise _StopError

    # --- free roam ---------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """All decisions, in the order in which the rules ask."""
        game = self.game
        state = game.state
        meeting: Meeting | None = None
        while not game.over:
            if state.phase == FREE:
                if state.tick != self.tick:
                    self.open_tick()
                self.roam(state.current)
                if state.phase == DISCUSSION:
                    meeting = self.open_meeting()
            elif meeting is not None and state.phase == DISCUSSION:
                self.speak(meeting, state.current)
            elif meeting is not None:
                self.vote(meeting)
            game.advance()
            if meeting is not None and (state.phase == FREE or game.over):
                self.close_meeting(meeting)
                meeting = None

    def open_tick(self) -> None:
        """The recorded turns of the tick that the rules have begun."""
        self.close_tick()
        self.tick = self.game.state.tick
        starts = self.log.starts
        if self.tick > len(starts):
            line = self.log.over[0] if self.log.over else 0
            self.differs(line, f"the recording ends here, by the rules tick {self.tick} follows")
            raise _StopError
        line, tick = starts[self.tick - 1]
        if tick != self.tick:
            self.differs(line, f"tick {tick} begins where tick {self.tick} is due")
        self.turns = self.log.turns.get(self.tick, [])
        self.next = 0

    def close_tick(self) -> None:
        """What is left of the tick's turns can only be posthumous."""
        while self.next < len(self.turns):
            turn = self.turns[self.next]
            if not turn.posthumous:
                self.refuse(turn.line, f"{self.log.names[turn.seat]} may not act ({self.why(turn.seat)})")
            self.keep_posthumous(turn)

    def why(self, seat: int) -> str:
        state = self.game.state
        if not state.alive >> seat & 1:
            return "is dead"
        return f"is on the way to {self.rooms[state.dest[seat]]}" if state.dest[seat] >= 0 else "has had its turn"

    def roam(self, seat: int) -> None:
        """The recorded action of the seat that is asked; it waits where nothing is recorded."""
        turns = self.turns
        while self.next < len(turns) and turns[self.next].posthumous:
            self.keep_posthumous(turns[self.next])
        if self.next >= len(turns):
            self.game.act(0)
            return
        turn = turns[self.next]
        if turn.seat != seat:
            self.refuse(turn.line, f"{self.log.names[turn.seat]} may not act ({self.why(turn.seat)})")
        self.next += 1
        action = self.action(turn)
        game = self.game
        if not game.mask(seat)[action]:
            words = game.briefing.action_names[action]
            self.refuse(turn.line, f"{self.log.names[seat]} may not do {words}")
        room = game.state.room[seat]
        start = len(game.state.log) + bool(turn.say)
        if turn.say is not None and self.room_number.get(turn.say_room) != room:
            self.differs(turn.say_line, f"said in {turn.say_room}, by the rules in {self.rooms[room]}")
        game.act(action, turn.say)
        self.compare(turn, game.state.log[start:], room)

    def action(self, turn: Turn) -> int:
        """The number of a recorded action."""
        world = self.game.world
        if turn.kind == "move":
            to = self.room_number.get(turn.to)
            if to is None:
                self.refuse(turn.line, f"unknown room {turn.to!r}")
            return world.act_move + (to or 0)
        if turn.kind == "kill":
            return world.act_kill + turn.target
        return {"wait": 0, "task": world.act_task, "report": world.act_report, "call": world.act_call}[turn.kind]

    def compare(self, turn: Turn, made: list[int], room: int) -> None:
        """Compare the lines of a turn with the events that the rules made of it."""
        name = self.rooms[room]
        if turn.kind in ("move", "task", "kill") and turn.room != name:
            self.differs(turn.line, f"{turn.kind} in {turn.room}, by the rules in {name}")
        kinds = [event & 31 for event in made]
        if turn.kind == "move":
            ticks = self.way(room, turn.to)
            if DEPART not in kinds or (turn.ticks or 1) != ticks:
                self.differs(turn.line, f"a way of {turn.ticks or 1} tick(s), by the rules of {ticks}")
        elif turn.kind == "kill" and KILL not in kinds:
            self.differs(turn.line, "a kill that the rules did not make")
        if turn.kind == "task":
            self.compare_task(turn, made, name)
        if bool(turn.done_line) != (TASK_DONE in kinds):
            self.differs(turn.done_line or turn.line, f"task done: {bool(turn.done_line)}, by the rules the opposite")

    def compare_task(self, turn: Turn, made: list[int], room: str) -> None:
        steps = [unpack(event)[5] for event in made if event & 31 == TASK_STEP]
        progress = f"{steps[0] if steps else None}/{self.game.world.task_ticks}"
        task = self.trajectory.game_map.tasks.get(room)
        if (turn.task, turn.progress) != (task, progress):
            self.differs(turn.line, f"{turn.task} {turn.progress}, by the rules {task} {progress}")
        if turn.done_line and turn.done != (task, room):
            self.differs(turn.done_line, f"{turn.done[0]} done in {turn.done[1]}, by the rules {task} in {room}")

    def keep_posthumous(self, turn: Turn) -> None:
        """Keep what a victim still did, outside the rules' events; it lies in the room where it is recorded."""
        self.next += 1
        if turn.kind not in ("wait", "move", "task"):
            self.refuse(turn.line, f"a dead agent's {turn.kind} would change the game")
        lies = self.game.state.body_room[turn.seat]
        room = self.rooms[lies]
        for line, recorded in ((turn.line, turn.room), (turn.say_line, turn.say_room), (turn.done_line, turn.done[1])):
            if recorded not in ("", room):
                self.differs(line, f"{self.log.names[turn.seat]}, dead, in {recorded}, by the rules in {room}")
        progress = PROGRESS.fullmatch(turn.progress or "0/0")
        if progress is None or (turn.kind == "move" and not self.way(lies, turn.to)):
            self.refuse(turn.line, f"a dead agent's {turn.kind}: {turn.to or turn.progress!r} cannot be")
        self.trajectory.posthumous += self.posthumous_events(turn, room, int(progress[1]) if progress else 0)

    def way(self, start: int, to: str) -> int:
        """The ticks of the corridor from a room to another; 0 where there is none."""
        end = self.room_number.get(to)
        return 0 if end is None else self.game.world.weight[start * self.game.world.R + end]

    def posthumous_events(self, turn: Turn, room: str, progress: int) -> list[Event]:
        """The events of a victim's turn after its death."""
        index, seat = len(self.game.state.log), turn.seat
        data: dict[str, Any] = {"posthumous": True}
        events: list[Event] = []
        if turn.say is not None:
            events.append(Event(self.tick, index, "chat", seat, room=room, text=turn.say, data=data))
        if turn.kind == "move":
            events.append(Event(self.tick, index, "depart", seat, room=room, to=turn.to, data=data))
        if turn.kind == "task":
            events.append(Event(self.tick, index, "task_step", seat, room=room, data=data | {"progress": progress}))
        if turn.done_line:
            events.append(Event(self.tick, index, "task_done", seat, room=room, data=data))
        return events

    # --- meetings ----------------------------------------------------------------------------------------------------

    def open_meeting(self) -> Meeting:
        """The recorded meeting that the rules have begun, its bodies compared."""
        meeting = next(self.meetings, None)
        assert meeting is not None  # the turn that began it made its record
        state, names = self.game.state, self.log.names
        bodies = {(names[b], self.rooms[room]) for b, room in enumerate(state.body_room) if room >= 0}
        if set(meeting.bodies) != bodies or len(meeting.bodies) != len(bodies):
            self.differs(meeting.line, f"bodies {sorted(meeting.bodies)}, by the rules {sorted(bodies)}")
        self.message = 0
        return meeting

    def speak(self, meeting: Meeting, seat: int) -> None:
        """The next recorded message, which must be the asked speaker's."""
        names = self.log.names
        if self.message >= len(meeting.messages):
            self.refuse(meeting.line, f"meeting without the message of {names[seat]}, whose turn it is")
        line, speaker, text = meeting.messages[self.message]
        if speaker != seat:
            self.refuse(line, f"{names[speaker]} speaks, by the rules it is {names[seat]}'s turn")
        self.message += 1
        self.game.act(self.game.world.act_speak, text)

    def vote(self, meeting: Meeting) -> None:
        """The recorded vote of the seat that is asked."""
        game = self.game
        seat = game.state.current
        if seat not in meeting.votes:
            self.refuse(meeting.line, f"meeting without the vote of {self.log.names[seat]}, who is to vote")
        line, target = meeting.votes[seat]
        action = game.world.act_skip if target < 0 else game.world.act_vote + target
        if not game.mask(seat)[action]:
            self.refuse(line, f"{self.log.names[seat]} may not vote for {self.log.names[target]}")
        try:
            game.act(action)
        except TrajectoryError:  # the rules went on to a leg whose places are not recorded
            self.refuse(meeting.line, "meeting without the respawn that follows it by the rules")

    def close_meeting(self, meeting: Meeting) -> None:
        """Compare how the meeting ended with what the rules made of it."""
        state = self.game.state
        voted = state.phase == FREE or (self.message == len(meeting.messages) and bool(meeting.votes))
        if self.message < len(meeting.messages):
            self.differs(meeting.messages[self.message][0], "a message after the last one of the meeting")
        phases = [("discussion", 0, 0)]
        if voted:
            phases.append(("voting", len(meeting.messages), 0))
        if state.phase == FREE:
            phases.append(("free_roam", len(meeting.messages), len(meeting.votes)))
        if [phase[1:] for phase in meeting.phases] != phases:
            self.differs(meeting.line, f"phases {[phase[1] for phase in meeting.phases]}, by the rules {phases}")
        self.compare_votes(meeting, voted)
        back = {i for i in range(self.game.world.n) if state.phase == FREE and state.alive >> i & 1}
        if set(meeting.respawn) != back:
            names = ", ".join(self.log.names[i] for i in sorted(back))
            self.differs(meeting.respawn_line or meeting.line, f"by the rules there respawn: {names or 'nobody'}")

    def compare_votes(self, meeting: Meeting, voted: bool) -> None:
        """Compare the votes and the ejection."""
        cast = [event for event in self.since_call() if event.kind in ("vote", "ejected", "no_ejection")]
        votes = {event.actor: event.target for event in cast if event.kind == "vote"}
        recorded = {seat: None if target < 0 else target for seat, (_, target) in meeting.votes.items()}
        if votes != recorded:
            self.differs(meeting.line, f"votes by {sorted(recorded)}, by the rules by {sorted(map(str, votes))}")
        out = next((event.target for event in cast if event.kind == "ejected"), None)
        if meeting.ending is None:
            if voted:
                self.differs(meeting.line, "meeting without its result")
            return
        line, data = meeting.ending
        agent = None if out is None else f"player_{out}"
        if (data or {}).get("player_id") != agent:
            self.differs(line, f"ejected {(data or {}).get('player_id')}, by the rules {agent}")
        elif data is not None and out is not None:
            self.compare_ejection(line, data, out, recorded)

    def compare_ejection(self, line: int, data: dict[str, Any], out: int, votes: dict[int, int | None]) -> None:
        role = self.log.roles[out]
        said = data["name"], data["role"].lower(), data["team"]
        if said != (self.log.names[out], role, role):
            self.differs(line, f"{said}, by the rules {(self.log.names[out], role, role)}")
        by_agent = {f"player_{i}": None if j is None else f"player_{j}" for i, j in votes.items()}
        if {voter: target if target != "skip" else None for voter, target in data["votes"].items()} != by_agent:
            self.differs(line, "the votes told with the ejection are not those that were cast")

    def since_call(self) -> list[Event]:
        """The events of the last meeting so far."""
        state, briefing = self.game.state, self.game.briefing
        start = len(state.log)
        while state.log[start - 1] & 31 != MEETING_CALLED:
            start -= 1
        return [event_of(event, start + p, briefing) for p, event in enumerate(state.log[start:])]

    # --- the end -----------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Compare the end, and look for lines after it."""
        self.close_tick()
        outcome = self.game.outcome
        line, tick, winner, reason = self.log.over or (0, 0, "", "")
        assert outcome is not None
        said = TEAMS.get(winner), REASONS.get(reason, "timeout")
        if said != (outcome.winner, outcome.reason) or tick != self.tick:
            due = f"{outcome.winner}, {outcome.reason} at tick {self.tick}"
            self.differs(line, f"{winner}, {reason!r} at tick {tick}, by the rules {due}")
        for extra, number in self.log.starts[self.tick :]:
            self.differs(extra, f"tick {number} after the end of the game by the rules")
        for meeting in self.meetings:
            self.differs(meeting.line, "a meeting after the end of the game by the rules")
        met = {meeting.tick for meeting in self.log.meetings}
        for tick in range(1, self.tick + 1):
            if (tick in self.log.ends) == (tick in met):
                self.differs(line, f"tick {tick}: a meeting or its tick_end is missing, or there are both")
