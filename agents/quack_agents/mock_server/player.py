"""Plays from the words of a prompt alone: no more is at hand than a model has."""

from __future__ import annotations

import hashlib
import heapq
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from quack_agents.mock_server.reader import asked_for_claims, claims

WORDS_LIMIT = 480


@dataclass
class Prompt:
    """What a prompt says, as far as the player uses it."""

    kind: str
    """ "action", "speech", "vote" or "probe"; "claims" for the extractor's, "other" for one that is none of these."""
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
    prior: float = 0.2
    """Ducks for every other player."""
    form: dict[str, Any] = field(default_factory=dict)
    """Of the answer to a probe, with 0 for every number."""
    claims: list[dict[str, Any]] = field(default_factory=list)
    """In the utterance that the extractor asks about."""
    estimates: dict[str, float] = field(default_factory=dict)
    """How likely it took others for Ducks when it was last probed, where that stands in its context."""
    draw: int = 0
    """A number that depends on the prompt alone, and on no estimates in it."""


def read_prompt(system: str, user: str, sensitive: bool = False) -> Prompt:
    """The prompt understood; own estimates in it only where the player is to be ``sensitive`` to them."""
    if asked_for_claims(system):
        return Prompt("claims", claims=claims(user))
    text = f"{system}\n{user}"
    plain = _ESTIMATE.sub("", text)
    lines = plain.splitlines()
    prompt = Prompt(_kind(lines))
    prompt.draw = int.from_bytes(hashlib.blake2b(plain.encode(), digest_size=8).digest())
    teams = re.search(r"^Teams: (\d+) Geese, (\d+) Ducks?\.", text, re.MULTILINE)
    prompt.prior = int(teams[2]) / (int(teams[1]) + int(teams[2]) - 1) if teams else 0.2
    prompt.form = _form(plain) if prompt.kind == "probe" else {}
    prompt.me = _one(r"^You are (.+?), a player in QUACK", text)
    prompt.duck = _one(r"^Your role: (\w+)", text) == "Duck"
    if sensitive and not prompt.duck:
        prompt.estimates = _estimates(text)
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


_ESTIMATE = re.compile(r"^(?:Your own estimates up to now, .*:|- tick \d+: .*\d%.*)\n", re.MULTILINE)
_SHARE = re.compile(r"(?:^- tick \d+: |; )([^:;]+): goose \d+%, duck (\d+)%")
_FORM = "Answer with one JSON object of this form"


def _estimates(text: str) -> dict[str, float]:
    """The latest own beliefs about others that are not known to be dead."""
    told = [line for line in _ESTIMATE.findall(text) if ": goose " in line and " about " not in line]
    dead = _names(_one(r"^Known dead: (.+)\.$", text))
    return {m[1]: int(m[2]) / 100 for m in _SHARE.finditer(told[-1]) if m[1] not in dead} if told else {}


def _form(text: str) -> dict[str, Any]:
    """The form of the answer to a probe."""
    form = text[text.rindex(_FORM) :].partition("{")[2].replace(": ?", ": 0")
    try:
        found: dict[str, Any] = json.JSONDecoder().raw_decode("{" + form)[0]
    except ValueError:
        return {}
    return found


def _kind(lines: list[str]) -> str:
    if any(line.startswith(_FORM) for line in lines):
        return "probe"
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
    if prompt.kind == "probe":
        return "", json.dumps(filled(prompt), ensure_ascii=False)
    if prompt.kind == "claims":
        return "", json.dumps({"claims": prompt.claims}, ensure_ascii=False)
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
    """Who it estimated to be a Duck, where it remembers that; who was seen in a room with a body, or was accused."""
    if prompt.estimates:
        return max(prompt.estimates, key=lambda name: prompt.estimates[name])
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
    """The vote for whoever it estimated to be a Duck, where it remembers that, or is accused most; else a skip."""
    likely = sorted(prompt.estimates, key=lambda name: -prompt.estimates[name])
    for name in [*likely, *(name for name, _ in accusations(prompt).most_common())]:
        if f"vote({name})" in prompt.legal:
            return f"vote({name})"
    return "skip()" if "skip()" in prompt.legal else prompt.legal[0]


# --- being probed ----------------------------------------------------------------------------------------------------


def filled(prompt: Prompt) -> dict[str, Any]:
    """The form of a probe with its numbers filled in."""
    return {name: _filled(prompt, (name,), entry) for name, entry in prompt.form.items()}


def _filled(prompt: Prompt, path: tuple[str, ...], entry: dict[str, Any]) -> dict[str, Any]:
    if any(isinstance(value, dict) for value in entry.values()):
        return {name: _filled(prompt, (*path, name), inner) for name, inner in entry.items()}
    numbers = [key for key, value in entry.items() if value == 0]
    if numbers == ["goose", "duck"]:
        duck = round(suspicion(prompt, path[0]) if len(path) == 1 else thought(prompt, *path), 2)
        shares = [round(1 - duck, 2), duck]
    else:
        rest = round(0.4 / (len(numbers) - 1), 2)
        shares = [round(1 - rest * (len(numbers) - 1), 2), *[rest] * (len(numbers) - 1)]
    why = {"why": f"That is what I gather about {path[-1]}."} if "why" in entry else {}
    return dict(zip(numbers, shares, strict=True)) | why


def suspicion(prompt: Prompt, name: str) -> float:
    """How likely it takes a player for a Duck: it knows as a Duck; else by what it saw, and what is said."""
    if prompt.duck:
        return 0.98 if name in prompt.partners else 0.02
    weight = 4.0 if name == _suspect(prompt) else 1.0
    odds = prompt.prior / (1 - prompt.prior) * weight * 1.5 ** accusations(prompt)[name]
    return min(0.98, odds / (1 + odds))


def thought(prompt: Prompt, thinker: str, name: str) -> float:
    """How likely it thinks that another takes a player for a Duck: by what that one says, else as anybody would."""
    said = " ".join(words for speaker, words in prompt.transcript if speaker == thinker)
    return 0.7 if f"{name} is suspicious" in said else prompt.prior
