"""What the published evaluation code computed, to the digit, deviations included (`metrics.md`).

It exists to reproduce the published tables. It read the log through a snapshot of every tick's end, with traits of its
own, found by comparison with the released values (`tests/eval/test_published_values.py` holds all of them):

- a respawn moves nobody: the old room stays until the next move, task step or utterance;
- an utterance puts its speaker into the room it was said in, even after the speaker has hopped to the next;
- a kill tells nothing about where the killer is;
- task steps and utterances of victims in their death tick count, their moves do not.
"""

from __future__ import annotations

import heapq
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import networkx as nx

from quack_env import Event, GameMap
from quack_eval.metrics.measure import Measure, mean, once, ratio
from quack_eval.timeline import Timeline

WORDS = {
    "ducks ejected": "All Ducks have been ejected",
    "parity": "Ducks have voting majority",
    "tasks": "All Goose tasks completed",
    "timeout": "Maximum ticks reached",
}
DISPLACEMENT_TICKS = 3


class Snapshot(NamedTuple):
    """One seat at the end of a tick."""

    room: str
    in_transit: bool
    alive: bool


def snapshots(timeline: Timeline) -> list[list[Snapshot]]:
    """By tick from 0, by seat."""
    seats = range(timeline.n)
    room = [seat.spawn for seat in timeline.trajectory.header.seats]
    transit: set[int] = set()
    out: set[int] = set()
    spoke = [-1] * timeline.n  # tick of the last utterance
    left = [-1] * timeline.n  # tick of the last departure
    table: list[list[Snapshot]] = []
    for event in _log_order(timeline):
        kind, seat, tick = event.kind, event.actor, event.tick
        while len(table) < tick:
            table.append([Snapshot(room[i], i in transit, i not in out) for i in seats])
        if kind == "meeting_called":
            transit.clear()
        elif kind in ("kill", "ejected") and event.target is not None:
            out.add(event.target)
        elif seat is None or event.room is None:
            continue
        elif kind == "depart":
            room[seat], left[seat] = event.room, tick
            transit.add(seat)
        elif kind == "arrive" and event.to is not None:
            transit.discard(seat)
            if left[seat] < tick or spoke[seat] < tick:
                room[seat] = event.to
        elif kind in ("chat", "task_step"):
            room[seat] = event.room
            spoke[seat] = tick if kind == "chat" else spoke[seat]
    while len(table) <= timeline.last_tick:
        table.append([Snapshot(room[i], i in transit, i not in out) for i in seats])
    return table


def _log_order(timeline: Timeline) -> list[Event]:
    """The events, with those of victims in their places; their moves left out."""
    kept = [event for event in getattr(timeline.trajectory, "posthumous", ()) if event.kind != "depart"]
    if not kept:
        return timeline.events
    merged: list[Event] = []
    for event in timeline.events:
        while kept and kept[0].index <= event.index:
            merged.append(kept.pop(0))
        merged.append(event)
    return merged + kept


# --- tier 1 ----------------------------------------------------------------------------------------------------------


def tier1_facts(timeline: Timeline) -> dict[str, Any]:
    """What the published Tier 1 holds beside its numbers."""
    outcome = timeline.trajectory.outcome
    seats = timeline.trajectory.header.seats
    facts: dict[str, Any] = {
        "winner": {"geese": "goose", "ducks": "duck"}[outcome.winner] if outcome else None,
        "win_reason": WORDS[outcome.reason] if outcome else None,
    }
    for team, members in (("duck", timeline.ducks), ("goose", timeline.geese)):
        facts[f"{team}_player_ids"] = [seats[i].agent for i in sorted(members)]
        facts[f"{team}_player_names"] = [seats[i].name for i in sorted(members)]
    facts["kill_events"] = [
        {
            "tick": kill.tick,
            "killer_id": seats[kill.actor].agent,
            "target_id": seats[kill.target].agent,
            "room": kill.room,
        }
        for kill in timeline.events
        if kill.kind == "kill" and kill.actor is not None and kill.target is not None
    ]
    return facts


def tier1(timeline: Timeline) -> dict[str, Measure]:
    """The published Tier 1 numbers, under their published names."""
    times = [event.tick for event in timeline.events if event.kind == "kill"]
    voted = [meeting for meeting in timeline.meetings if meeting.voted]
    ejected = [meeting.ejected for meeting in voted if meeting.ejected is not None]
    correct = sum(seat in timeline.ducks for seat in ejected)
    by_body = sum(meeting.by_body for meeting in timeline.meetings)
    done = sum(event.kind == "task_done" and event.actor in timeline.geese for event in _log_order(timeline))
    total = sum(len(timeline.trajectory.header.seats[seat].tasks) for seat in timeline.geese)
    geese, ducks = len(timeline.geese - timeline.gone.keys()), len(timeline.ducks - timeline.gone.keys())
    return {
        "game_duration_ticks": once(timeline.last_tick),
        "tasks_completed": once(done),
        "tasks_total": once(total),
        "task_completion_rate": Measure(done, total),
        "total_kills": once(len(times)),
        "avg_inter_kill_interval": mean(later - earlier for earlier, later in pairwise(times)),
        "first_kill_tick": once(times[0] if times else None),
        "total_meetings": once(len(timeline.meetings)),
        "body_report_meetings": once(by_body),
        "emergency_meetings": once(len(timeline.meetings) - by_body),
        "total_ejections": once(len(ejected)),
        "correct_ejections": once(correct),
        "wrong_ejections": once(len(ejected) - correct),
        "no_ejection_votes": once(len(voted) - len(ejected)),
        "ejection_accuracy": Measure(correct, len(ejected)),
        "final_alive_count": once(geese + ducks),
        "final_alive_geese": once(geese),
        "final_alive_ducks": once(ducks),
    }


# --- tier 2 ----------------------------------------------------------------------------------------------------------


def tier2_facts(timeline: Timeline) -> dict[str, Any]:
    """The displacement after every kill."""
    return {"post_kill_displacement": displacements(timeline, snapshots(timeline))}


def tier2(timeline: Timeline) -> dict[str, Measure]:
    """The published Tier 2 numbers, under their published names."""
    table = snapshots(timeline)
    votes = [timeline.events[index] for meeting in timeline.meetings for index in meeting.votes]
    cast = [vote.target for vote in votes if vote.actor in timeline.geese]
    named = [target for target in cast if target is not None]
    kills = [event for event in timeline.events if event.kind == "kill"]
    reported = self_reports(timeline)
    return {
        "goose_voting_accuracy": ratio(target in timeline.ducks for target in named),
        "goose_skip_rate": Measure(len(cast) - len(named), len(cast)),
        "avg_report_latency": mean(latencies(timeline, table)),
        "task_efficiency": task_efficiency(timeline, table),
        "avg_rooms_visited_goose": mean(rooms_visited(table, seat) for seat in timeline.geese),
        "avg_rooms_visited_duck": mean(rooms_visited(table, seat) for seat in timeline.ducks),
        "avg_kills_per_game": once(len(kills)),
        "avg_post_kill_displacement": mean(displacements(timeline, table)),
        "self_report_count": once(reported),
        "self_report_rate": Measure(reported, len(kills)),
        "cooldown_utilization": cooldown_utilization(timeline, table),
    }


def rooms_visited(table: list[list[Snapshot]], seat: int) -> int:
    """Distinct rooms at the ends of ticks at which the seat, living or dead, was not in transit."""
    return len({row[seat].room for row in table if not row[seat].in_transit})


def displacements(timeline: Timeline, table: list[list[Snapshot]]) -> list[float]:
    """Per kill, the hops between its room and the killer's three ticks later (or at the end)."""
    hops = _hops(timeline.trajectory.game_map)
    found: list[float] = []
    for kill in timeline.events:
        if kill.kind == "kill" and kill.actor is not None and kill.room is not None:
            later = min(kill.tick + DISPLACEMENT_TICKS, len(table) - 1)
            found.append(float(hops[kill.room][table[later][kill.actor].room]))
    return found


def self_reports(timeline: Timeline) -> int:
    """Bodies lying anywhere when a Duck reported one."""
    lying, count = 0, 0
    for event in timeline.events:
        if event.kind == "kill":
            lying += 1
        elif event.kind == "leg_start":
            lying = 0
        elif event.kind == "meeting_called" and event.actor in timeline.ducks and _by_body(event):
            count += lying
    return count


def _by_body(call: Event) -> bool:
    return (call.data or {}).get("reason") == "body"


def latencies(timeline: Timeline, table: list[list[Snapshot]]) -> list[int]:
    """Per report by a Goose and kill of the game before it: ticks since the reporter was first where the kill was."""
    found: list[int] = []
    kills: list[Event] = []
    for event in timeline.events:
        if event.kind == "kill":
            kills.append(event)
        elif event.kind == "meeting_called" and _by_body(event) and event.actor in timeline.geese:
            assert event.actor is not None
            for kill in kills:
                present = (t for t in range(kill.tick, event.tick + 1) if table[t][event.actor].room == kill.room)
                first = next(present, None)
                if first is not None:
                    found.append(event.tick - first)
    return found


def cooldown_utilization(timeline: Timeline, table: list[list[Snapshot]]) -> Measure:
    """Missed share of the ticks that end with a Duck, ready as far as the snapshots tell, beside a living Goose."""
    cooldown = timeline.trajectory.config.kill_cooldown
    missed = total = 0
    for duck in sorted(timeline.ducks):
        kills = {event.tick for event in timeline.events if event.kind == "kill" and event.actor == duck}
        ready = cooldown
        for tick, row in enumerate(table):
            if tick < ready or not row[duck].alive or row[duck].in_transit:
                continue
            if any(row[i].alive and not row[i].in_transit and row[i].room == row[duck].room for i in timeline.geese):
                total += 1
                if tick in kills:
                    ready = tick + cooldown
                else:
                    missed += 1
    return Measure(missed, total)


def task_efficiency(timeline: Timeline, table: list[list[Snapshot]]) -> Measure:
    """Ticks with a task step, or a move to an unfinished task's room or along a way to one / ticks of living Geese.

    Only ticks that end in free roam, and Geese that live at their end. The way begins at the snapshot's room, in which
    an agent that hopped without a word is no more.
    """
    last = timeline.last_tick
    if timeline.meetings and timeline.meetings[-1].tick == last and timeline.meetings[-1].end == timeline.last:
        last -= 1
    total = sum(row[seat].alive for row in table[1 : last + 1] for seat in timeline.geese)
    step = _first_steps(timeline.trajectory.game_map)
    left = [set(seat.tasks) for seat in timeline.trajectory.header.seats]
    productive: set[tuple[int, int]] = set()
    for event in _log_order(timeline):
        seat, tick = event.actor, event.tick
        if seat not in timeline.geese or seat is None or event.room is None or tick > last:
            continue
        now = table[tick][seat]
        if event.kind == "task_done":
            left[seat].discard(event.room)
        elif event.kind == "depart":
            if now.alive and (event.to in left[seat] or any(step[now.room, room] == event.to for room in left[seat])):
                productive.add((tick, seat))
        elif event.kind == "task_step" and now.alive:
            productive.add((tick, seat))
    return Measure(len(productive), total)


@lru_cache(maxsize=64)
def _hops(game_map: GameMap) -> dict[str, dict[str, int]]:
    return dict(nx.all_pairs_shortest_path_length(game_map.graph))


@lru_cache(maxsize=64)
def _first_steps(game_map: GameMap) -> dict[tuple[str, str], str | None]:
    """The room after the first on the shortest way from a to b; among equal ways the one that Dijkstra with a heap of
    (ticks, name) finds; None from a room to itself."""
    found: dict[tuple[str, str], str | None] = {}
    for start in game_map.rooms:
        found[start, start] = None
        ticks, heap, done = {start: 0}, [(0, start)], set[str]()
        while heap:
            cost, room = heapq.heappop(heap)
            if room in done:
                continue
            done.add(room)
            for other in game_map.neighbours(room):
                through = cost + game_map.weight(room, other)
                if through < ticks.get(other, through + 1):
                    ticks[other] = through
                    found[start, other] = other if room == start else found[start, room]
                    heapq.heappush(heap, (through, other))
    return found
