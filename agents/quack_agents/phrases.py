"""What scripted players say in words: typed claims into varied English, and back.

`phrase` renders a list of `Say` with tens of templates a kind and returns the exact claims beside the text, in the
format of annotation.md, so that whoever extracts claims from the text can be scored. `understand` reads such text
again; what it does not know it leaves out. In a template ``[...]`` is left out where no time is given.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

Claim = dict[str, Any]
STRENGTHS = ("weak", "moderate", "strong")

LIMIT = 500
"""Characters of an utterance at most."""


class Say(NamedTuple):
    """One thing to say, by names. ``first``..``last``: its ticks, None where no time is said.

    Kinds: was_in, not_in, route, with (in ``room`` together with ``player``), saw, found (a body), nobody, absent
    (``player`` was not in ``room`` while the speaker was), left (``player`` from ``room`` to ``to``), entered
    (``player`` into ``to`` from ``room``), did_task, suspect, vouch, nothing.
    """

    kind: str
    player: str | None = None
    room: str | None = None
    to: str | None = None
    route: tuple[str, ...] = ()
    first: int | None = None
    last: int | None = None
    strength: str = "moderate"


class Spoken(NamedTuple):
    """An utterance and the claims it makes, no more and no less."""

    text: str
    claims: list[Claim]


TEMPLATES: dict[str, tuple[str, ...]] = {
    "was_in": (
        "I was in {room}[ {time}].",
        "[{time} ]I was in {room}.",
        "I was at {room}[ {time}].",
        "I was over in {room}[ {time}].",
        "I was inside {room}[ {time}].",
        "I spent some time in {room}[ {time}].",
        "I stopped by {room}[ {time}].",
        "I passed through {room}[ {time}].",
        "[{time} ]I passed through {room}.",
        "I went to {room}[ {time}].",
        "I visited {room}[ {time}].",
        "I ended up in {room}[ {time}].",
        "[{time} ]I was down at {room}.",
        "{room} is where I was[ {time}].",
        "For me it was {room}[ {time}].",
        "As for me, I was in {room}[ {time}].",
        "I can tell you that I was in {room}[ {time}].",
        "My position was {room}[ {time}].",
        "I found myself in {room}[ {time}].",
        "[{time} ]my location was {room}.",
        "I headed into {room}[ {time}].",
        "[{time} ]you had me in {room}.",
        "I did go through {room}[ {time}].",
        "{room}, that was me[ {time}].",
    ),
    "not_in": (
        "I was not in {room}[ {time}].",
        "I was never in {room}[ {time}].",
        "I never went to {room}[ {time}].",
        "I did not go near {room}[ {time}].",
        "I didn't set foot in {room}[ {time}].",
        "[{time} ]I was nowhere near {room}.",
        "I haven't been to {room}[ {time}].",
        "{room}, no, I never went there[ {time}].",
        "I stayed away from {room}[ {time}].",
        "I was not anywhere near {room}[ {time}].",
        "At no point did I enter {room}[ {time}].",
        "I never came through {room}[ {time}].",
        "I have not been in {room}[ {time}].",
        "[{time} ]I wasn't in {room}.",
        "I never entered {room}[ {time}].",
        "I kept out of {room}[ {time}].",
        "I did not visit {room}[ {time}].",
        "I certainly wasn't in {room}[ {time}].",
        "I never saw the inside of {room}[ {time}].",
        "I hadn't been through {room}[ {time}].",
    ),
    "route": (
        "My route was {route}.",
        "My route: {route}.",
        "My path: {route}.",
        "I went {route}.",
        "Route: {route}.",
        "I walked {route}.",
        "My way was {route}.",
        "My path this round was {route}.",
        "I took the route {route}.",
        "This round I went {route}.",
        "Here is my route: {route}.",
        "I moved {route}.",
        "I have been {route}, in that order.",
        "For the record, I went {route}.",
        "My movements: {route}.",
        "The rooms I went through, in order: {route}.",
        "I did the tour {route}.",
        "My whole round was {route}.",
        "I can give you my path: {route}.",
        "Step by step I went {route}.",
        "In order, I visited {route}.",
        "As for my way, it was {route}.",
    ),
    "with": (
        "I was in {room} with {player}[ {time}].",
        "[{time} ]I was in {room} with {player}.",
        "{player} and I were in {room} together[ {time}].",
        "{player} and I met in {room}[ {time}].",
        "I met {player} in {room}[ {time}].",
        "I ran into {player} in {room}[ {time}].",
        "I bumped into {player} in {room}[ {time}].",
        "I shared {room} with {player}[ {time}].",
        "I was together with {player} in {room}[ {time}].",
        "[{time} ]{player} and I were both in {room}.",
        "I came across {player} in {room}[ {time}].",
        "[{time} ]I met {player} in {room}.",
        "{player} and I were side by side in {room}[ {time}].",
        "We were two in {room}[ {time}], {player} and I.",
        "I had {player} for company in {room}[ {time}].",
        "I was standing in {room} with {player}[ {time}].",
        "I crossed paths with {player} in {room}[ {time}].",
        "{room} is where I met {player}[ {time}].",
        "I was in {room}[ {time}] and so was {player}.",
        "Both {player} and I were in {room}[ {time}].",
    ),
    "saw": (
        "I saw {player} in {room}[ {time}].",
        "[{time} ]I saw {player} in {room}.",
        "{player} was with me in {room}[ {time}].",
        "I noticed {player} in {room}[ {time}].",
        "I spotted {player} in {room}[ {time}].",
        "I had {player} in sight in {room}[ {time}].",
        "I laid eyes on {player} in {room}[ {time}].",
        "{player} was right there in {room} when I looked[ {time}].",
        "I definitely saw {player} in {room}[ {time}].",
        "I remember seeing {player} in {room}[ {time}].",
        "[{time} ]I caught sight of {player} in {room}.",
        "In {room} I saw {player}[ {time}].",
        "[{time} ]{player} was in {room}, I saw it myself.",
        "I can confirm seeing {player} in {room}[ {time}].",
        "I watched {player} in {room}[ {time}].",
        "With my own eyes I saw {player} in {room}[ {time}].",
        "{player} was in {room}[ {time}], I was looking right at them.",
        "I got a look at {player} in {room}[ {time}].",
        "The person I saw in {room}[ {time}] was {player}.",
        "I observed {player} in {room}[ {time}].",
        "[{time} ]my eyes were on {player} in {room}.",
        "{player} was in view in {room}[ {time}].",
    ),
    "found": (
        "I found {player}'s body in {room}[ {time}].",
        "[{time} ]I found {player}'s body in {room}.",
        "I found {player} dead in {room}[ {time}].",
        "{player} lay dead in {room} when I found the body[ {time}].",
        "I came across the body of {player} in {room}[ {time}].",
        "I discovered {player}'s body in {room}[ {time}].",
        "The body of {player} is in {room}, I found it[ {time}].",
        "[{time} ]I stumbled over {player}'s body in {room}.",
        "I ran into the dead body of {player} in {room}[ {time}].",
        "[{time} ]I found the body of {player} lying in {room}.",
        "It was me who found {player}'s body in {room}[ {time}].",
        "{player}'s body was in {room} and I found it[ {time}].",
        "I saw {player}'s body in {room}[ {time}].",
        "I saw {player} lying dead in {room}[ {time}].",
        "There was a body in {room}[ {time}], {player}'s, and I found it.",
        "I stood before {player}'s body in {room}[ {time}].",
        "[{time} ]I came upon {player}'s corpse in {room}.",
        "I discovered {player} dead in {room}[ {time}].",
        "In {room} I found {player}'s body[ {time}].",
        "Sad news, I found {player} dead in {room}[ {time}].",
    ),
    "nobody": (
        "I saw nobody in {room}[ {time}].",
        "I didn't see anybody in {room}[ {time}].",
        "I did not see anyone in {room}[ {time}].",
        "[{time} ]I saw nobody in {room}.",
        "I met nobody in {room}[ {time}].",
        "I saw no one in {room}[ {time}].",
        "There was nobody with me in {room}[ {time}].",
        "I had no company in {room}[ {time}].",
        "In {room} I saw nobody[ {time}].",
        "Nobody was with me in {room}[ {time}].",
        "[{time} ]I met no one in {room}.",
        "I came across nobody in {room}[ {time}].",
        "I never saw a soul in {room}[ {time}].",
        "I haven't seen anyone in {room}[ {time}].",
        "Not a single player crossed my sight in {room}[ {time}].",
        "I ran into no one in {room}[ {time}].",
        "I noticed nobody in {room}[ {time}].",
        "[{time} ]I spotted nobody in {room}.",
        "I can't remember anybody in {room}[ {time}].",
        "No one crossed my path in {room}[ {time}].",
    ),
    "absent": (
        "{player} was not in {room}[ {time}].",
        "{player} was never in {room}[ {time}].",
        "[{time} ]{player} was not in {room}.",
        "{player} was certainly not in {room}[ {time}].",
        "{player} wasn't in {room}[ {time}].",
        "There was no {player} in {room}[ {time}].",
        "[{time} ]there was no {player} in {room}.",
        "{player} never was in {room}[ {time}].",
        "{player} never set foot in {room}[ {time}].",
        "{player} can't have been in {room}[ {time}].",
        "{player} cannot have been in {room}[ {time}].",
        "It is not true that {player} was in {room}[ {time}].",
        "No, {player} was not in {room}[ {time}].",
        "{player} was nowhere to be found in {room}[ {time}].",
        "{room} did not have {player} in it[ {time}].",
        "{player} simply wasn't in {room}[ {time}].",
        "[{time} ]{player} was nowhere in {room}.",
        "{player} did not come to {room}[ {time}].",
        "{player} did not show up in {room}[ {time}].",
        "{player} has not been in {room}[ {time}].",
    ),
    "left": (
        "I saw {player} leave {room} toward {to}[ {time}].",
        "I saw {player} leave {room} for {to}[ {time}].",
        "[{time} ]I saw {player} leave {room} toward {to}.",
        "{player} left {room} for {to}[ {time}], I saw it.",
        "I watched {player} walk out of {room} to {to}[ {time}].",
        "I watched {player} go from {room} to {to}[ {time}].",
        "[{time} ]{player} left {room} in the direction of {to} before my eyes.",
        "I was there when {player} left {room} for {to}[ {time}].",
        "{player} walked off from {room} toward {to}[ {time}], I was watching.",
        "I noticed {player} heading out of {room} to {to}[ {time}].",
        "I noticed {player} leaving {room} toward {to}[ {time}].",
        "I saw {player} go out of {room} in the direction of {to}[ {time}].",
        "[{time} ]I saw {player} heading from {room} to {to}.",
        "I saw how {player} left {room} toward {to}[ {time}].",
        "From {room} I saw {player} set off for {to}[ {time}].",
        "I saw {player} take the door from {room} to {to}[ {time}].",
        "{player} was seen by me leaving {room} for {to}[ {time}].",
        "I saw {player} hurry out of {room} toward {to}[ {time}].",
        "I saw {player} slip away from {room} to {to}[ {time}].",
        "[{time} ]I watched {player} depart from {room} for {to}.",
    ),
    "entered": (
        "I saw {player} come into {to} from {room}[ {time}].",
        "[{time} ]I saw {player} come into {to} from {room}.",
        "{player} came into {to} from {room}[ {time}], I saw it.",
        "I was in {to} when {player} came in from {room}[ {time}].",
        "I saw {player} walk into {to} from {room}[ {time}].",
        "I watched {player} arrive in {to} from {room}[ {time}].",
        "[{time} ]{player} arrived in {to} from {room} before my eyes.",
        "{player} entered {to} from {room}[ {time}], I was watching.",
        "I noticed {player} coming into {to} from {room}[ {time}].",
        "I saw {player} enter {to}, coming from {room}[ {time}].",
        "{player} joined me in {to}[ {time}], coming from {room}.",
        "I saw {player} arrive in {to} from {room}[ {time}].",
        "[{time} ]I watched {player} walk into {to} out of {room}.",
        "Coming from {room}, {player} walked into {to}[ {time}] and I saw it.",
        "I saw how {player} came from {room} into {to}[ {time}].",
        "I saw {player} turn up in {to} from {room}[ {time}].",
        "From {room}, {player} came in to me in {to}[ {time}].",
        "I witnessed {player} coming from {room} into {to}[ {time}].",
        "I saw {player} step into {to} out of {room}[ {time}].",
        "[{time} ]I noticed {player} arriving in {to} from {room}.",
    ),
    "did_task": (
        "I did my task in {room}[ {time}].",
        "I did a task in {room}[ {time}].",
        "[{time} ]I did my task in {room}.",
        "I was doing my task in {room}[ {time}].",
        "I worked on my task in {room}[ {time}].",
        "I was busy with my task in {room}[ {time}].",
        "I got some work done in {room}[ {time}].",
        "I was on my task in {room}[ {time}].",
        "My task in {room} kept me busy[ {time}].",
        "[{time} ]I was working on a task in {room}.",
        "I took care of my task in {room}[ {time}].",
        "I worked in {room}[ {time}].",
        "I was tasking in {room}[ {time}].",
        "I put in work on the {bare} task[ {time}].",
        "I was working on the {bare} task[ {time}].",
        "I did the job in {room}[ {time}].",
        "I used the time for my task in {room}[ {time}].",
        "[{time} ]I was at work on my task in {room}.",
        "I was doing the {bare} task[ {time}].",
        "I spent my time on the task in {room}[ {time}].",
        "[{time} ]I was doing a task in {room}.",
    ),
    "suspect:strong": (
        "I vote {player}.",
        "I am voting {player}.",
        "It is {player}.",
        "{player} is the Duck.",
        "{player} has to be the Duck.",
        "It must be {player}.",
        "I am certain that it is {player}.",
        "Vote {player} with me.",
        "{player} did it.",
        "{player} is the killer.",
        "There is no doubt that {player} is the Duck.",
        "It can only be {player}.",
        "We should vote {player} out now.",
        "{player} killed, plain and simple.",
    ),
    "suspect:moderate": (
        "{player} is suspicious.",
        "I suspect {player}.",
        "I think it is {player}.",
        "My main suspect is {player}.",
        "I lean toward {player}.",
        "{player} looks bad to me.",
        "My money is on {player}.",
        "{player} looks like the Duck to me.",
        "I find {player} very suspicious.",
        "Everything points to {player}.",
        "If you ask me, it is {player}.",
        "I am leaning {player}.",
        "{player} is my prime suspect.",
        "{player} worries me most.",
        "I believe {player} is the Duck.",
    ),
    "suspect:weak": (
        "I have a bad feeling about {player}.",
        "{player} needs to explain a few things.",
        "{player} seems a bit off.",
        "No hard accusation, but {player} is on my mind.",
        "I am not sure about {player}.",
        "{player} could be the Duck.",
        "I would not rule out {player}.",
        "I don't quite trust {player}.",
        "{player} is a little suspicious.",
        "{player} might be the one.",
        "I would keep an eye on {player}.",
        "{player} is unaccounted for.",
    ),
    "vouch": (
        "I vouch for {player}.",
        "I can vouch for {player}.",
        "{player} is clear.",
        "{player} is clean.",
        "I trust {player}.",
        "I clear {player}.",
        "It is not {player}.",
        "{player} is innocent.",
        "{player} cannot have done it.",
        "I am sure {player} is a Goose.",
        "{player} has an alibi from me.",
        "You can cross {player} off the list.",
        "I would put my hand in the fire for {player}.",
        "{player} is safe in my book.",
        "Leave {player} alone, it was someone else.",
        "{player} couldn't have done it.",
        "I confirm that {player} is a Goose.",
        "I stand by {player}.",
        "{player} is a Goose, I am convinced.",
        "Whoever it was, it wasn't {player}.",
    ),
    "nothing": (
        "I have nothing to say.",
        "Nothing from me.",
        "I have nothing to add.",
        "I know nothing useful.",
        "Pass.",
        "No information from my side.",
        "Sorry, nothing new from me.",
        "Let me hear the others first.",
        "I would rather listen.",
        "Nothing to report here.",
        "I'm as clueless as you are.",
        "Let's hear the others.",
    ),
}
"""By kind; accusations by strength."""

OPENERS = ("Okay, ", "Listen, ", "Look, ", "So, ", "Well, ", "From my side: ", "Quick facts: ", "Honestly, ")
JOINTS = (" -> ", " → ", ", then ", ", ", " then ", ", after that ")

NEGATIVE = ("not_in", "nobody", "absent")
"""What is said not to have been is said of exactly the ticks that are known."""
EXACT_TICK = ("at tick {a}", "on tick {a}")
ONE_TICK = (*EXACT_TICK, "around tick {a}", "about tick {a}", "roughly at tick {a}")
SOME_TICKS = (
    "from tick {a} to {b}",
    "from tick {a} to tick {b}",
    "between ticks {a} and {b}",
    "during ticks {a}-{b}",
    "over ticks {a} to {b}",
    "from tick {a} until tick {b}",
)
START = ("at the start", "right at the start", "at the start of the round")
END = ("right before the meeting", "when the meeting was called", "at the end")


# --- saying ----------------------------------------------------------------------------------------------------------


def phrase(
    says: Sequence[Say],
    rng: random.Random,
    speaker: str = "I",
    leg: tuple[int, int] | None = None,
    limit: int = LIMIT,
) -> Spoken:
    """An utterance that says these things in this order, and its claims; what does not fit any more is left unsaid.

    Args:
        says: what to say.
        rng: draws the wording.
        speaker: the speaker's name, for the claims.
        leg: first and last tick of the leg spoken of, where times may be said relative to them.
        limit: characters at most.
    """
    text = ""
    claims: list[Claim] = []
    for say in says:
        sentence, time = _sentence(say, rng, leg)
        if not text and rng.random() < 0.25:
            if sentence[:2] not in ("I ", "I'") and not sentence.startswith(say.player or "I "):
                sentence = sentence[0].lower() + sentence[1:]
            sentence = rng.choice(OPENERS) + sentence
        longer = f"{text} {sentence}" if text else sentence
        if len(longer) > limit:
            break
        text = longer
        if time is not None and time not in sentence:
            time = time[0].lower() + time[1:]
        for claim in _claims(say, speaker, time):
            _add(claims, claim)
    return Spoken(text, claims)


def _add(claims: list[Claim], claim: Claim) -> None:
    """A claim counts once an utterance, and of the accusations of one player only the strongest."""
    if claim["type"] == "accusation":
        for other in claims:
            if other["type"] == "accusation" and other["target"] == claim["target"]:
                other["confidence"] = max(other["confidence"], claim["confidence"], key=STRENGTHS.index)
                return
    if claim not in claims:
        claims.append(claim)


def _sentence(say: Say, rng: random.Random, leg: tuple[int, int] | None) -> tuple[str, str | None]:
    """(the sentence, the time as it stands in it or None)."""
    template = rng.choice(TEMPLATES[f"suspect:{say.strength}" if say.kind == "suspect" else say.kind])
    timed = "{time}" in template and say.first is not None
    time = _time(say, rng, leg) if timed else None
    before, bracket, rest = template.partition("[")
    if bracket:
        optional, _, after = rest.partition("]")
        template = before + (optional if timed else "") + after
    if timed and template.startswith("{time}"):
        template = template.replace("{time} ", "{time}, ")
    joint = rng.choice(JOINTS)
    sentence = template.format(
        player=say.player,
        room=_room(say.room, rng),
        bare=_room(say.room, rng, the=False),
        to=_room(say.to, rng),
        route=joint.join(_room(room, rng, the=False) for room in say.route),
        time=time,
    )
    if time is not None and template.startswith("{time}"):
        time = time[0].upper() + time[1:]
    return sentence[0].upper() + sentence[1:] if template[0] == "{" else sentence, time


def _room(room: str | None, rng: random.Random, the: bool = True) -> str:
    """A room as people write it."""
    if room is None:
        return ""
    words = room if "_" in room and rng.random() < 0.3 else room.replace("_", " ")
    return f"the {words}" if the and rng.random() < 0.2 else words


def _time(say: Say, rng: random.Random, leg: tuple[int, int] | None) -> str:
    """The ticks of a say in words that are true of them."""
    first, last = say.first, say.last if say.last is not None else say.first
    assert first is not None and last is not None
    exactly = say.kind in NEGATIVE
    ways: tuple[str, ...] = SOME_TICKS if first != last else EXACT_TICK if exactly else ONE_TICK
    if leg is not None and not exactly and rng.random() < 0.3:
        if last <= leg[0] + 3:
            ways = START
        elif last >= leg[1] - 1:
            ways = END
    return rng.choice(ways).format(a=first, b=last)


def _claims(say: Say, speaker: str, time: str | None) -> list[Claim]:
    """The claims of one sentence, in the format of annotation.md."""
    player, room, kind = say.player, say.room, say.kind

    def location(subject: str | None, polarity: str, attribution: str, **where: Any) -> Claim:
        claim = {"type": "location", "subject": subject, **where, "polarity": polarity, "time": time}
        return claim | {"attribution": attribution}

    def sighting(target: str | None, place: str | None, of: str = "player", polarity: str = "positive") -> Claim:
        claim = {"type": "sighting", "subject": speaker, "target": target, "room": place, "of": of}
        return claim | {"polarity": polarity, "time": time, "attribution": "own"}

    def activity(subject: str | None, what: str, place: str | None, start: str | None, attribution: str) -> Claim:
        claim = {"type": "activity", "subject": subject, "activity": what, "room": place, "from": start}
        return claim | {"polarity": "positive", "time": time, "attribution": attribution}

    if kind in ("was_in", "not_in"):
        return [location(speaker, "positive" if kind == "was_in" else "negative", "own", room=room)]
    if kind == "route":
        return [location(speaker, "positive", "own", route=list(say.route))]
    if kind == "with":
        return [location(speaker, "positive", "own", room=room), sighting(player, room)]
    if kind == "saw":
        return [sighting(player, room)]
    if kind == "found":
        return [sighting(player, room, of="body"), location(speaker, "positive", "own", room=room)]
    if kind == "nobody":
        return [sighting(None, room, polarity="negative")]
    if kind == "absent":
        return [location(player, "negative", "witnessed", room=room)]
    if kind == "left":
        return [sighting(player, room), activity(player, "traveling", say.to, room, "witnessed")]
    if kind == "entered":
        return [sighting(player, say.to), activity(player, "traveling", say.to, room, "witnessed")]
    if kind == "did_task":
        return [activity(speaker, "task", room, None, "own")]
    if kind == "suspect":
        return [{"type": "accusation", "accuser": speaker, "target": player, "confidence": say.strength}]
    if kind == "vouch":
        return [{"type": "defense", "defender": speaker, "defended": player}]
    return []


# --- understanding ---------------------------------------------------------------------------------------------------

_PARTS = re.compile(r"(?<=[.!?])\s+")
_TIMES = tuple(
    re.compile(re.escape(way).replace(r"\{a\}", r"(?P<a>\d+)").replace(r"\{b\}", r"(?P<b>\d+)"), re.IGNORECASE)
    for way in ONE_TICK + SOME_TICKS
)


@lru_cache(maxsize=4096)
def understand(text: str, players: tuple[str, ...], rooms: tuple[str, ...]) -> tuple[Say, ...]:
    """What an utterance says, as far as it is worded like one of ours."""
    found: list[Say] = []
    patterns = _patterns(tuple(sorted(players)), rooms)
    for part in _PARTS.split(text):
        sentence = _without_opener(part.strip().rstrip(".!"))
        plain = sentence.lower()
        for kind, literal, pattern in patterns:
            if literal in plain:
                match = pattern.fullmatch(sentence)
                if match:
                    found.append(_say(kind, match.groupdict(), players, rooms))
                    break
    return tuple(found)


def _without_opener(sentence: str) -> str:
    for opener in OPENERS:
        if sentence.startswith(opener):
            return sentence[len(opener) :]
    return sentence


@lru_cache(maxsize=64)
def _patterns(players: tuple[str, ...], rooms: tuple[str, ...]) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """(kind, a part that the sentence must have, the whole) of every template; those that fix most first."""
    found = []
    for kind, templates in TEMPLATES.items():
        if kind != "nothing":
            for template in templates:
                literal = max(re.split(r"\[|\]|\{\w+\}", template.rstrip(".")), key=len).lower()
                found.append((kind, literal, re.compile(_regex(template, players, rooms), re.IGNORECASE)))
    return tuple(sorted(found, key=lambda entry: -len(entry[2].pattern)))


def _regex(template: str, players: tuple[str, ...], rooms: tuple[str, ...]) -> str:
    """A template as a regular expression."""
    room = f"(?:the )?(?:{_any_of(name.replace('_', '[ _]') for name in rooms)})"
    numbered = (re.escape(way).replace(r"\{a\}", r"\d+").replace(r"\{b\}", r"\d+") for way in ONE_TICK + SOME_TICKS)
    time = "|".join([*numbered, *sorted(START, key=len, reverse=True), *END])
    joint = _any_of(map(re.escape, JOINTS))
    groups = {
        "time": f"(?P<time>{time})",
        "player": f"(?P<player>{_any_of(map(re.escape, players))})",
        "room": f"(?P<room>{room})",
        "bare": f"(?P<room>{room})",
        "to": f"(?P<to>{room})",
        "route": f"(?P<route>{room}(?:(?:{joint}){room})+)",
    }
    regex = re.escape(template.rstrip("."))
    regex = regex.replace(r"\[\{time\}\ ", r"(?:\{time\},\ ").replace(r"\[", "(?:").replace(r"\]", ")?")
    for name, group in groups.items():
        regex = regex.replace(rf"\{{{name}\}}", group)
    return regex


def _any_of(parts: Iterable[str]) -> str:
    """The alternatives, the longest first."""
    return "|".join(sorted(parts, key=len, reverse=True))


def _say(kind: str, groups: dict[str, str | None], players: tuple[str, ...], rooms: tuple[str, ...]) -> Say:
    """What a matched sentence says, under the game's own names."""
    kind, _, strength = kind.partition(":")
    by_words = {name.lower(): name for name in players}
    room_by_words = {room.replace("_", " "): room for room in rooms}

    def place(words: str | None) -> str | None:
        return None if words is None else room_by_words[words.lower().replace("_", " ").removeprefix("the ")]

    player = groups.get("player")
    route = groups.get("route")
    stops: tuple[str, ...] = ()
    if route:
        joint = _any_of(map(re.escape, JOINTS))
        stops = tuple(place(stop) or "" for stop in re.split(joint, route, flags=re.IGNORECASE))
    first, last = _ticks(groups.get("time"))
    return Say(
        kind,
        player=None if player is None else by_words[player.lower()],
        room=place(groups.get("room")),
        to=place(groups.get("to")),
        route=stops,
        first=first,
        last=last,
        strength=strength or "moderate",
    )


def _ticks(time: str | None) -> tuple[int | None, int | None]:
    """First and last tick of a time in words; None where it names no tick. "Around" is a tick more on both sides."""
    for way in _TIMES if time else ():
        match = way.fullmatch(time or "")
        if match:
            first = int(match["a"])
            last = int(match["b"]) if "b" in way.groupindex else first
            wide = int((time or "").lower().startswith(("around", "about", "roughly")))
            return first - wide, last + wide
    return None, None
