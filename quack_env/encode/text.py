"""A view in words: the structured summary tau of the paper (section 3.3), with the names actions use."""

from __future__ import annotations

from quack_env.briefing import Briefing
from quack_env.events import event_of, sentence
from quack_env.game_map import GameMap
from quack_env.state import DISCUSSION, OVER, VOTING
from quack_env.view import View


def summary(briefing: Briefing, view: View) -> str:
    """The whole situation of one agent, a line a fact."""
    lines = [*who_you_are(briefing, view), *where_you_are(briefing, view), *your_tasks(briefing, view)]
    lines += witnessed(briefing, view)
    if view.known_dead:
        lines.append(f"Known dead: {', '.join(briefing.listed(view.known_dead))}.")
    lines += meeting(briefing, view)
    return "\n".join(lines)


def who_you_are(briefing: Briefing, view: View) -> list[str]:
    """Tick, phase, own name and role, partners and cooldown."""
    role = "Duck" if view.duck else "Goose"
    phase = {DISCUSSION: "discussion", VOTING: "voting", OVER: "game over"}.get(view.phase, "free roam")
    lines = [
        f"Tick {view.tick} of {briefing.config.max_ticks}, {phase}.",
        f"You are {briefing.names[view.me]}, a {role}.",
    ]
    if not view.self_alive:
        lines.append("You are dead.")
    if view.duck:
        partners = briefing.listed(view.partners)
        lines.append(f"Fellow Ducks: {', '.join(partners)}." if partners else "You are the only Duck.")
        ready = "You may kill now." if view.cooldown == 0 else f"You may kill in {counted(view.cooldown, 'tick')}."
        lines.append(ready)
    return lines


def where_you_are(briefing: Briefing, view: View) -> list[str]:
    """Own place, exits, who and what is there."""
    if view.room < 0:
        if view.dest < 0:
            return []
        origin, dest = briefing.room(view.origin), briefing.room(view.dest)
        return [f"You are on the way from {origin} to {dest}, arriving in {counted(view.left, 'tick')}."]
    room = briefing.room(view.room)
    game_map = briefing.game_map
    people = briefing.listed(view.here)
    lines = [
        f"You are in {room}. Exits: {exits(game_map, room)}.",
        f"With you: {', '.join(people) if people else 'nobody'}.",
    ]
    if view.bodies:
        lines.append(f"Bodies here: {', '.join(briefing.listed(view.bodies))}.")
    if room == game_map.button:
        lines.append(f"The meeting button is here ({counted(view.calls_left, 'button call')} left).")
    return lines


def exits(game_map: GameMap, room: str) -> str:
    """The rooms next to a room, and the ticks that the ways take."""
    return ", ".join(f"{to} ({counted(game_map.weight(room, to), 'tick')})" for to in game_map.neighbours(room))


def your_tasks(briefing: Briefing, view: View) -> list[str]:
    """Own tasks and their progress."""
    need = briefing.config.task_ticks
    tasks = []
    for room, done in zip(view.task_room, view.progress, strict=True):
        state = "done" if done >= need else f"{done}/{need}"
        tasks.append(f"{briefing.game_map.tasks[briefing.room(room)]} in {briefing.room(room)} ({state})")
    label = "Your fake tasks" if view.duck else "Your tasks"
    return [f"{label}: {'; '.join(tasks)}."] if tasks else []


def witnessed(briefing: Briefing, view: View) -> list[str]:
    """What happened in its presence since its own previous decision, and what it heard in rooms."""
    lines = ["- (earlier events are left out)"] if view.dropped else []
    for event in view.events:
        words = sentence(event_of(event, 0, briefing), briefing.names)
        if words:
            lines.append(f"- tick {event >> 45}: {words}")
    lines += [f"- tick {m.tick}, {m.room}: {m.speaker} said {quote(m.text)}" for m in view.messages if m.room]
    return ["Since your last decision you witnessed:", *lines] if lines else []


def meeting(briefing: Briefing, view: View) -> list[str]:
    """Caller, reason, speaking order, round and what was said so far."""
    if not view.speaking:
        return []
    caller = briefing.names[view.caller]
    reason = "reporting a body" if view.by_body else "by the button"
    lines = [f"Meeting {view.meeting}, called by {caller} {reason}."]
    lines.append(f"Speaking order: {', '.join(briefing.names[j] for j in view.speaking)}.")
    if view.phase == DISCUSSION:
        lines.append(f"Discussion round {view.round} of {briefing.config.discussion_rounds}.")
    if view.transcript:
        lines.append("Said so far:")
        lines += [f"- round {m.round}, {m.speaker}: {quote(m.text)}" for m in view.transcript]
    return lines


def quote(text: str) -> str:
    """Somebody's words on one line, in quotation marks that the words cannot close."""
    flat = " ".join(text.replace("\\", "\\\\").replace('"', '\\"').split())
    return f'"{flat}"'


def counted(count: int, noun: str) -> str:
    """ "1 tick", "3 ticks"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
