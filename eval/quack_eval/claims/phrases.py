"""Time phrases as people write them, read without any game: numbers, events and words for parts of a round."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

AT, UNTIL, SINCE, JUST_BEFORE, JUST_AFTER, RANGE, LIST, OPEN = (
    "at",
    "until",
    "since",
    "right before",
    "right after",
    "range",
    "list",
    "open",
)
WHEN, BEFORE, AFTER = "when", "before", "after"


class Numbers(NamedTuple):
    """One expression in ticks: how it is meant, its numbers, and whether it is only about right.

    "open" is the whole leg of a tick: what began before it and went on after it.
    """

    how: str
    ticks: tuple[int, ...]
    around: bool = False


class Phrase(NamedTuple):
    """A time phrase, taken apart.

    ``leg``: "this", "last" or "game". ``event``: "report", "death", "ejection", "left", "entered", "in" or "".
    ``relation`` to the event: "when", "before", "after", "right before", "right after". ``part``: "start", "early",
    "late", "end" or "". ``last_ticks``: how many, in "the last 5 ticks" (or first). ``extent``: "whole" or "most" for
    words of duration. ``arrival``: it dates an arrival. ``plain``: nothing narrower than a leg was meant; where it is
    False and nothing else was found, the words are unknown.
    """

    text: str
    leg: str = "this"
    numbers: tuple[Numbers, ...] = ()
    event: str = ""
    relation: str = ""
    part: str = ""
    last_ticks: int = 0
    extent: str = ""
    arrival: bool = False
    plain: bool = False

    @property
    def kind(self) -> str:
        """The class of the phrase, for counts: "none", "tick", "around", "range", "list", "event", "part", ..."""
        if self.numbers:
            first = self.numbers[0]
            if len(self.numbers) > 1:
                return "several"
            return "around" if first.around and first.how == AT else "tick" if first.how == AT else first.how
        if self.event:
            return f"{self.relation} {self.event}"
        if self.part:
            return self.part
        return "leg" if self.plain else "other"


MODIFIERS: tuple[tuple[str, str], ...] = (
    (r"(?:right|just|shortly|immediately|moments?|slightly|a (?:moment|tick|second)) before", JUST_BEFORE),
    (r"(?:right|just|shortly|immediately|moments?|slightly|soon|a (?:moment|tick|second)) after", JUST_AFTER),
    (r"between(?: around| about)?", "between"),
    (
        r"(?:up )?(?:until|till)|up to|by|through(?: at least)?|thru|before|prior to|no later than|earlier than"
        r"|from the (?:very )?(?:start|beginning) to",
        UNTIL,
    ),
    (r"from|since|after|past|starting(?: at| from| around)?|not before", SINCE),
)
"""What stands before a tick number, and what it makes of it; the first that fits counts."""

RELATIONS: tuple[tuple[str, str], ...] = (
    (r"\b(?:right|just|immediately|shortly|moments?|seconds?|briefly|second|moment|tick)\s+before\b", JUST_BEFORE),
    (r"\bright up until\b", JUST_BEFORE),
    (r"\b(?:right|just|immediately|shortly|moments?|seconds?|second|moment|soon|directly)\s+after\b", JUST_AFTER),
    (r"\b(?:before|prior to|until|till|up to|by the time|leading up to)\b", BEFORE),
    (r"\b(?:after|since|following|once)\b", AFTER),
    (r"\b(?:when|whenever|as|at|while|during|upon|on|by|where|around|about|near|just now|now)\b", WHEN),
)
"""How a phrase relates to the event it names; the first that fits counts."""

EVENTS: tuple[tuple[str, str], ...] = (
    (r"\b(?:eject\w*|voted (?:\w+ )?(?:out|off))\b", "ejection"),
    (
        r"\b(?:report\w*|found|finding|finds|find|discover\w*|meeting|meetings|button|bell|emergency|called|calling"
        r"|spot\w*|onto the body|the body)\b",
        "report",
    ),
    (r"\b(?:kill\w*|died|dies|die|dying|murder\w*|death|dropped|drops|attack\w*|dead)\b", "death"),
    (r"\b(?:left|leaving|leave|leaves|depart\w*|exit\w*|walked out|stepped out|headed|heading|heads)\b", "left"),
    (
        r"\b(?:enter\w*|arriv\w*|walk\w* in(?:to)?|c[oa]m(?:e|ing) in(?:to)?|stepp\w* in(?:to)?|got (?:in)?to|gets to"
        r"|reach\w*|(?:went|moved?|moving|going|return\w*|back) (?:straight |back )?(?:in)?to"
        r"|(?:going|went) straight from)\b",
        "entered",
    ),
    (
        r"\b(?:(?:pass\w*|walked|cutting) through|(?:was|is|were|being) (?:in|at|on)|in)\b",
        "in",
    ),
)
"""The events a phrase can name; the first that fits counts."""

PARTS: tuple[tuple[str, str], ...] = (
    (r"\b(?:at|near|in|right at|around) the (?:very )?(?:start|beginning)\b|^(?:the )?(?:start|beginning)\b", "start"),
    (r"\b(?:start|beginning) of\b|\binitially\b|\bspawn\w*\b|\bat first\b|\bto start\b|^start(?:ed|ing)\b", "start"),
    (r"\b(?:at|near|by|right at|toward|towards) the (?:very )?end\b|\bend of\b|\bjust now\b|\bright now\b", "end"),
    (r"^(?:now|currently|at present|at this point|this moment)\b|\bending now\b", "end"),
    (r"\bearly\b|\bfirst half\b|\bfront half\b", "early"),
    (
        r"\blate\b|\blater\b(?! (?:route|path|loop|story|claim|version|account))|\b(?:second|back|latter) half\b",
        "late",
    ),
)
"""Words for a part of the round; the first that fits counts."""

WHOLE = re.compile(
    r"\b(?:whole|entire|entirely|all (?:round|game|along|the (?:time|way))|throughout|never left|stay\w*|full round"
    r"|nonstop|constantly|continuously)\b"
)
MOST = re.compile(r"\bmost(?:ly)?\b|\bmajority\b|\b(?:almost|nearly|basically) (?:the )?(?:whole|entire|all)\b")
LAST_LEG = re.compile(
    r"\b(?:last|previous|prior|preceding) (?:round|leg)\b|\blast meeting$|"
    r"\bbefore (?:the|our) (?:last|previous|first) meeting\b|\b(?:a|one|the) round before(?: (?:this|that|last).*)?$"
)
SINCE_MEETING = re.compile(r"\b(?:since|after) (?:the |our )?(?:last|previous) meeting\b")
GAME = re.compile(r"\b(?:entire|whole|all) game\b|\bgame so far\b|\bany round\b|\bboth rounds\b")
PLAIN = re.compile(
    r"^(?:(?:for |during |in |over )?(?:this|the|that|my|his|her|their) )?"
    r"(?:whole |entire |full |current )?(?:round|leg|rotation|game|time|way)(?: so far)?$|^earlier(?: this round)?$"
)
ARRIVAL = re.compile(
    r"\b(?:enter\w*|arriv\w*|walk\w* in(?:to)?|c[oa]m(?:e|ing) in(?:to)?|stepp\w* in(?:to)?|reach\w*)\b"
)
RELATIVE = re.compile(r"\b(?:when|as|while|after|before|once|until)\b")
COUNTED = re.compile(
    r"\b(?:(last|final|first)|for|over|within|exactly|of|a good)\s+(?:the )?(?:about |around |roughly )?"
    r"(\d+|few|couple(?: of)?)(?:\s*(?:-|to|or)\s*\d+)? ticks?\b|\b\d+ ticks? (?:before|after|later|earlier|ago)\b"
)
"""A number of ticks rather than a tick: "the last 3 ticks", "for 5 ticks"."""
FEW = 3
LONGEST = 500
"""Characters that are read of a time phrase; no utterance of a game is longer."""
OPEN_END = re.compile(
    r"^\s*,?\s*(?:onwards?\b|on\b(?=\s*(?:[,;.]|$))|and after\b|or (?:so )?(?:later|after)"
    r"|(?:and then|and|then) (?:on|onwards?|later|afterwards?|after that|beyond)\b"
    r"|(?:all the way |right |up |straight )*(?:until|till|through|up to|up until"
    r"|to(?= (?:the|this|that|when|right|just|now|\w+'s)\b))\b(?! (?:around |about )?tick))"
)
"""What follows a tick where a stretch goes on from it: to its leg's end, or to an event that is taken for that."""
OPEN_START = re.compile(r"\bfrom (?:the (?:very )?(?:start|beginning)|early)\b|\bbefore and after\b")
LATER = re.compile(r"\bafter (?:that|this)\b|\bafterwards?\b")
AND_SHORTLY = re.compile(r"^\s*,?\s*and (?:shortly|right|immediately|briefly) after")

_TICK = r"(?:(?:at|around|about|roughly|~)\s+)*(?:ticks?\s*)?"
_NUMBER = r"(?<!\d)(?<!\bround )(?<!\bmeeting )(\d{1,3})(?!\d|\s*(?:players?|people|tasks?|rooms?|of us|%))"
_RANGE_SEP = r"\s*(?:-|to|through|thru|until|till|up to|up until|into)\s*"
_LIST_SEP = r"\s*(?:,\s*(?:and|or|then)|,|/|and(?: then| again at| also)?|or|&|then)\s*"
_BOUND = re.compile(r"\b(?:until|till|up to)\b")
_BASE = re.compile(_TICK + _NUMBER)
_NEXT_RANGE = re.compile(_RANGE_SEP + _TICK + _NUMBER)
_NEXT_LIST = re.compile(_LIST_SEP + _TICK + _NUMBER)
_BETWEEN = re.compile(r"\s*(?:and|to|-)\s*" + _TICK + _NUMBER)
_APPROXIMATELY = re.compile(r"\b(?:around|about|roughly|approximately|approx|circa|near|close to|maybe|like|ish)\b")
_MODIFIERS = [
    (re.compile(rf"(?:\b{p})\s*(?:(?:around|about|roughly|at)\s+)*(?:ticks?\s*)?$"), how) for p, how in MODIFIERS
]
_AFTER = re.compile(r"\bafter\s*(?:(?:around|about)\s*)?(?:ticks?\s*)?$")
_BOUNDS = {BEFORE: UNTIL, AFTER: SINCE, JUST_BEFORE: JUST_BEFORE, JUST_AFTER: JUST_AFTER}
_RELATIONS = [(re.compile(pattern), how) for pattern, how in RELATIONS]
_EVENTS = [(re.compile(pattern), what) for pattern, what in EVENTS]
_PARTS = [(re.compile(pattern), what) for pattern, what in PARTS]


def normalise(text: str) -> str:
    """Lower case, one kind of dash, "t12" and "~12" spelt out."""
    text = re.sub("[\u2010-\u2015]", "-", text.lower()).replace("~", " around ").replace("_", " ")
    text = re.sub(r"\bt-?(\d+)", r"tick \1", text)
    return re.sub(r"\s+", " ", text).strip(" .!?\"'")


@lru_cache(maxsize=8192)
def read(phrase: str) -> Phrase:
    """A time phrase taken apart; it knows no names and no rooms."""
    text = normalise(phrase[:LONGEST])
    leg = (
        "last" if LAST_LEG.search(text) and not SINCE_MEETING.search(text) else "game" if GAME.search(text) else "this"
    )
    extent = "most" if MOST.search(text) else "whole" if WHOLE.search(text) else ""
    found = Phrase(text, leg=leg, extent=extent, plain=bool(PLAIN.match(text)))
    rest, count, part = _counted(text)
    numbers = _numbers(rest)
    if numbers:
        arrival = bool(ARRIVAL.search(text)) and not RELATIVE.search(text)
        return found._replace(numbers=numbers, arrival=arrival)
    if count:
        return found._replace(last_ticks=count, part=part)
    if SINCE_MEETING.search(text):
        return found._replace(plain=True)
    return _words(found, text)


def _words(found: Phrase, text: str) -> Phrase:
    """A phrase without numbers: an event with its relation, or a part of the round."""
    event = _first(_EVENTS, text)
    relation = _first(_RELATIONS, text)
    if event in ("", "death", "in") and re.search(r"\balive\b|\blast (?:confirmed|seen) with\b", text):
        event, relation = "death", BEFORE
    part = _first(_PARTS, text)
    if OPEN_START.search(text) or (part == "early" and re.search(r"\blate\b", text)):
        return found._replace(plain=True)
    if re.search(r"\bafter\b.*\bbefore\b|\bbetween\b", text) and event not in ("", "report"):
        return found  # two events: more than a window with one of them can say
    if event and relation and not (part in ("start", "early", "late") and event == "in"):
        return found._replace(event=event, relation=relation)
    if part:
        return found._replace(part=part)
    if event == "report" and re.match(r"(?:reporting|finding|discovering|calling)", text):
        return found._replace(event=event, relation=WHEN)
    return found._replace(plain=found.plain or (not event and "round" in text))


def _first(table: list[tuple[re.Pattern[str], str]], text: str) -> str:
    return next((value for pattern, value in table if pattern.search(text)), "")


def _counted(text: str) -> tuple[str, int, str]:
    """(the text without counts of ticks, the count of "the last 5 ticks", "end" or "start")."""
    count, part = 0, ""
    for match in COUNTED.finditer(text):
        if match[1]:
            count = int(match[2]) if match[2].isdigit() else FEW
            part = "start" if match[1] == "first" else "end"
    return COUNTED.sub(" ", text), count, part


def _numbers(text: str) -> tuple[Numbers, ...]:
    """Every expression in ticks."""
    found: list[Numbers] = []
    position = 0
    while match := _BASE.search(text, position):
        before = text[position : match.start(1)]
        modifier, clause = _first(_MODIFIERS, before), _clause(before)
        how = modifier or clause or AT
        if how == SINCE and OPEN_START.search(before):
            how = OPEN
        ticks, end, kind = _run(text, match, how == "between")
        after = bool(_AFTER.search(before)) or (not modifier and clause == SINCE)
        after = after and not _BOUND.search(text[match.end() : end])  # "after tick 3 until tick 6" has both bounds
        around = bool(_APPROXIMATELY.search(before))
        found.append(_meaning(how, kind, ticks, around, after, text[end:]))
        position = end
    return _joined(found)


def _run(text: str, match: re.Match[str], between: bool) -> tuple[list[int], int, str]:
    """(numbers, where they end, "range", "list" or "at") from a first number on."""
    ticks, end, kind = [int(match[1])], match.end(), AT
    after = (_BETWEEN if between else _NEXT_RANGE).match(text, end)
    if after:
        return [ticks[0], int(after[1])], after.end(), RANGE
    while after := _NEXT_LIST.match(text, end):
        if _NEXT_RANGE.match(text, after.end()):
            break  # "3, 5-7": the range is an expression of its own
        ticks.append(int(after[1]))
        end, kind = after.end(), LIST
    return ticks, end, kind


def _meaning(how: str, kind: str, ticks: list[int], around: bool, after: bool, rest: str) -> Numbers:
    first, last = min(ticks), max(ticks)
    goes_on = bool(OPEN_END.match(rest))
    if how == OPEN or (how == UNTIL and (goes_on or LATER.search(rest))):
        return Numbers(OPEN, (last,), around)
    if kind == RANGE and (how == UNTIL or after):
        return Numbers(how, (last,), around)
    if kind == LIST and how in (JUST_BEFORE, JUST_AFTER):
        return Numbers(how, (first if how == JUST_BEFORE else last,), around)
    if goes_on and how not in (UNTIL, JUST_BEFORE, JUST_AFTER):
        return Numbers(SINCE, (first,), around)
    if kind == RANGE:
        return Numbers(RANGE, (first, last + (FEW - 1 if AND_SHORTLY.match(rest) else 0)), around)
    if kind == LIST and how not in (UNTIL, SINCE):
        return Numbers(LIST, tuple(ticks), around)
    if how == AT and AND_SHORTLY.match(rest):
        return Numbers(JUST_AFTER, (first,), around)
    return Numbers(AT if how == "between" else how, tuple(ticks), around)


def _clause(before: str) -> str:
    """What "after Bob left at" makes of the tick that follows: a bound, not a point."""
    clause = re.split(r"[,;]", before)[-1]
    if not re.search(r"\b(?:before|until|till|after|since|once)\b", clause):
        return ""
    return _BOUNDS.get(_first(_RELATIONS, clause), "")


def _joined(found: list[Numbers]) -> tuple[Numbers, ...]:
    """ "After tick 3 and before tick 9" as one range."""
    if len(found) == 2 and found[0].how == SINCE and found[1].how in (UNTIL, JUST_BEFORE):
        first, last = found[0].ticks[0], found[1].ticks[-1]
        if first <= last:
            return (Numbers(RANGE, (first, last), found[0].around and found[1].around),)
    return tuple(found)
