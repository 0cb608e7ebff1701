"""Plays from the words of a prompt alone: no more is at hand than a model has."""

from __future__ import annotations

import hashlib
import heapq
import re
from collections import Counter
from dataclasses import dataclass, field

WORDS_LIMIT = 480


@dataclass
class Prompt:
    """What a prompt says, as far as the player uses it."""

    kind: str
    """ "action", "speech" or "vote"; "other" for a prompt that is not of this game."""
    me: str = ""
    duck: bool = False
    partners: tuple[str, ...] = ()
    legal: tuple[str, ...] = ()
    room: str = ""
    here: tuple[str, ...] = ()
    bodies: bool = False
    tasks: dict[str, bool] = field(default_factory=dict)
    """Own task rooms, and whether the task there is done."""
    corridors: dict[str, dict[str, int]] = field(default_factory=dict)
    memory: tuple[str, ...] = ()
    """Lines about the current leg."""
    transcript: tuple[tuple[str, str], ...] = ()
    late: bool = False
    json: bool = False
    draw: int = 0
    """A number that depends on the prompt alone."""


def read_prompt(system: str, user: str) -> Prompt:
    """The prompt understood."""
    text = f"{system}\n{user}"
    lines = text.splitlines()
    prompt = Prompt(_kind(lines))
    prompt.draw = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
    prompt.me = _one(r"^You are (.+?), a player in QUACK", text)
    prompt.duck = _one(r"^Your role: (\w+)", text) == "Duck"
    prompt.partners = _names(_one(r"^Your fellow Ducks: (.+)\. Protect them", text))
    prompt.json = "Answer with one JSON object" in text
    for start in ("LEGAL ACTIONS", "YOUR VOTE, ONE OF"):
        if start in lines:
            last = len(lines) - 1 - lines[::-1].index(start)
            prompt.legal = tuple(_bullets(lines[last + 1 :]))
    offered = [k for k, line in enumerate(lines) if line.endswith("You can say one of these:")]
    if offered:
        prompt.legal = tuple(_bullets(lines[offered[-1] + 1 :]))
    prompt.room = _one(r"^You are in (\w+)\. Exits:", text)
    prompt.here = _names(_one(r"^With you: (.+)\.$", text).replace("nobody", ""))
    prompt.bodies = bool(re.search(r"^Bodies here: ", text, re.MULTILINE))
    tasks = _one(r"^Your (?:fake )?tasks: (.+)$", text)
    prompt.tasks = {m[1]: m[2] == "done" for m in re.finditer(r" in (\w+) \(([^)]+)\)", tasks)}
    prompt.corridors = _corridors(lines)
    prompt.memory = _since(lines)
    prompt.transcript = tuple(re.findall(r'^- round \d+, (.+?): "(.*)"$', text, re.MULTILINE))
    prompt.late = "late speaker" in text
    return prompt


def _kind(lines: list[str]) -> str:
    if "YOUR VOTE, ONE OF" in lines:
        return "vote"
    if "LEGAL ACTIONS" in lines:
        return "action"
    return "speech" if any(line.startswith("It is discussion round ") for line in lines) else "other"


def _one(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else ""


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name for name in listed.split(", ") if name)


def _bullets(lines: list[str]) -> list[str]:
    found = []
    for line in lines:
        if not line.startswith("- "):
            break
        found.append(line[2:])
    return found


def _corridors(lines: list[str]) -> dict[str, dict[str, int]]:
    start = next((k for k, line in enumerate(lines) if line.startswith("THE MAP")), None)
    if start is None:
        return {}
    return {
        line.partition(": ")[0]: {m[1]: int(m[2]) for m in re.finditer(r"(\w+) \((\d+) tick", line)}
        for line in _bullets(lines[start + 1 :])
    }


def _since(lines: list[str]) -> tuple[str, ...]:
    start = next((k for k, line in enumerate(lines) if line.startswith("Since the ")), None)
    return tuple(_bullets(lines[start + 1 :])) if start is not None else ()


# --- playing ---------------------------------------------------------------------------------------------------------


def answer(prompt: Prompt) -> tuple[str, str]:
    """(action in words, what is said); of a speech the action is ""."""
    if prompt.kind == "speech":
        return (statement(prompt), "") if prompt.legal else ("", speech(prompt))
    if prompt.kind == "vote":
        return vote(prompt), ""
    if prompt.kind == "action":
        action = roam(prompt)
        words = f"Hello, I am in {prompt.room} now." if prompt.here and prompt.room and prompt.draw % 8 == 0 else ""
        return action, words
    return "", "I am only here to play QUACK."


def roam(prompt: Prompt) -> str:
    """An action of free roam."""
    legal = prompt.legal
    kills = [action for action in legal if action.startswith("kill(")]
    if kills and (len(prompt.here) <= 1 or (len(prompt.here) == 2 and prompt.draw % 4 == 0)):
        return kills[0]
    if "report()" in legal and not prompt.duck:
        return "report()"
    if "do_task()" in legal and not (prompt.duck and (prompt.bodies or prompt.draw % 3 == 0)):
        return "do_task()"
    return walk(prompt)


def walk(prompt: Prompt) -> str:
    """The first step to the nearest open task, or anywhere."""
    moves = [action for action in prompt.legal if action.startswith("move(")]
    if not moves:
        return "wait()" if "wait()" in prompt.legal or not prompt.legal else prompt.legal[0]
    open_rooms = {room for room, done in prompt.tasks.items() if not done and room != prompt.room}
    step = "" if prompt.duck else first_step(prompt.corridors, prompt.room, open_rooms)
    return f"move({step})" if f"move({step})" in moves else moves[prompt.draw // 8 % len(moves)]


def first_step(corridors: dict[str, dict[str, int]], start: str, goals: set[str]) -> str:
    """The neighbour of ``start`` on the shortest way to the nearest goal; "" where there is none."""
    queue: list[tuple[int, str, str]] = [(0, start, "")]
    seen: set[str] = set()
    while queue:
        ticks, room, step = heapq.heappop(queue)
        if room in goals:
            return step
        if room not in seen:
            seen.add(room)
            for to, weight in corridors.get(room, {}).items():
                heapq.heappush(queue, (ticks + weight, to, step or to))
    return ""


# --- speaking --------------------------------------------------------------------------------------------------------


def speech(prompt: Prompt) -> str:
    """Own route and sightings; a Duck leaves out where it killed; late speakers name a suspect."""
    parts = []
    hidden = {m[1] for line in prompt.memory if (m := re.search(r"^you killed .+ in (\w+) at tick", line))}
    if not prompt.late or prompt.me not in {speaker for speaker, _ in prompt.transcript}:
        parts += _route(prompt, hidden)
        parts += _sightings(prompt, hidden)
    if prompt.late:
        suspect = _suspect(prompt)
        parts.append(f"{suspect} is suspicious." if suspect else "I have nothing to say against anybody.")
    words = ""
    for part in parts or ["I have nothing to add."]:
        if len(words) + len(part) < WORDS_LIMIT:
            words = f"{words} {part}".strip()
    return words


def statement(prompt: Prompt) -> str:
    """A statement of the finite grammar: a suspect, a sighting, or an own room."""
    hidden = {m[1] for line in prompt.memory if (m := re.search(r"^you killed .+ in (\w+) at tick", line))}
    suspect = _suspect(prompt) if prompt.late else ""
    seen = [m for line in prompt.memory if (m := re.match(r"you saw (.+?): (\w+) \d+", line)) and m[2] not in hidden]
    line = next((line for line in prompt.memory if line.startswith("your route: ")), "")
    rooms = [room for room in re.findall(r"(\w+) \d+(?:-\d+)?", line) if room not in hidden]
    wanted = [f"suspect({suspect})"] if suspect else []
    wanted += [f"saw({m[1]}, {m[2]})" for m in seen[-1:]] if prompt.draw % 2 else []
    wanted += [f"was_in({room})" for room in rooms[-1:]]
    return next((words for words in [*wanted, "nothing()"] if words in prompt.legal), prompt.legal[0])


def _route(prompt: Prompt, hidden: set[str]) -> list[str]:
    line = next((line for line in prompt.memory if line.startswith("your route: ")), "")
    stays = re.findall(r"(\w+) (\d+)(?:-(\d+))?", line.removeprefix("your route: "))
    return [f"I was in {room} {_time(first, last)}." for room, first, last in stays[-5:] if room not in hidden]


def _sightings(prompt: Prompt, hidden: set[str]) -> list[str]:
    found = []
    for line in prompt.memory:
        match = re.match(r"you saw (.+?): (\w+) (\d+)", line)
        if match and match[2] not in hidden:
            found.append(f"I saw {match[1]} in {match[2]} at tick {match[3]}.")
        body = re.match(r"you saw the body of (.+) in (\w+) at tick (\d+)", line)
        if body and not prompt.duck:
            found.append(f"I found the body of {body[1]} in {body[2]} at tick {body[3]}.")
    return found[:4]


def _time(first: str, last: str) -> str:
    return f"from tick {first} to {last}" if last else f"at tick {first}"


def _suspect(prompt: Prompt) -> str:
    """Who was seen in a room with a body, or was accused before."""
    rooms = {m[1] for line in prompt.memory if (m := re.match(r"you saw the body of .+ in (\w+) at", line))}
    own = {prompt.me, *prompt.partners}
    own |= {m[1] for line in prompt.memory if (m := re.match(r"you saw the body of (.+) in \w+ at", line))}
    for line in prompt.memory:
        match = re.match(r"you saw (.+?): (.+)", line)
        if match and not prompt.duck and match[1] not in own and any(f"{room} " in match[2] for room in rooms):
            return match[1]
    accused = accusations(prompt)
    return accused.most_common(1)[0][0] if accused else ""


def accusations(prompt: Prompt) -> Counter[str]:
    """How often each other player was called suspicious in this meeting."""
    own = {prompt.me, *prompt.partners}
    named = [m[1] for _, words in prompt.transcript for m in re.finditer(r"(?:^|\. )([^.]+?) is suspicious", words)]
    return Counter(name for name in named if name not in own)


def vote(prompt: Prompt) -> str:
    """The vote for whoever is accused most, else a skip."""
    for name, _ in accusations(prompt).most_common():
        if f"vote({name})" in prompt.legal:
            return f"vote({name})"
    return "skip()" if "skip()" in prompt.legal else prompt.legal[0]
