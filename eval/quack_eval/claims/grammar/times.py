# ruff: noqa: E501  (each pattern stands on one line)
"""Time phrases: what counts as one, as a regular expression over plain text."""

from __future__ import annotations

import re

from quack_eval.claims.grammar.lexicon import word_set

_TICK = r"~?(?:ticks?\s*|t)?#?\d{1,4}"
_JOIN = r"\s*(?:-|/|to|through|thru|and|until|till|all\s+the\s+way\s+to|or|,\s*and|,|&)\s*"
_TICKS = rf"(?:ticks?\s*#?|\bt)~?\d{{1,4}}(?:{_JOIN}{_TICK}(?!\s*(?:tasks?|people|players|of)\b))*"
_NUMBERS = rf"~?\d{{1,4}}(?:{_JOIN}{_TICK})*"
_UNIT = r"(?!\d|\s*(?:%|ticks?\b|tasks?\b|people\b|players?\b|of\b|rooms?\b|bodies\b|alive\b|seconds?\b|ducks?\b|gees|goose|votes?\b|separate\b|other\b|different\b|left\b|more\b|v\d|-for-))"
_WHEN = (
    r"(?:at|on|around|about|by|until|till|through|from|since|after|before|between|during|across|for|near|past"
    r"|(?:in|over)(?!\s+(?:at|around|about|by|on|before|after)\b)"
    r"|circa|up\s+(?:to|until|till|through)|roughly|approximately|starting)"
)
_ABOUT = r"(?:(?:right|just|only|exactly|somewhere|roughly|probably|maybe|literally|about|around|precisely|approximately|at|the)\s+)"
_TAIL = r"(?:\s*(?:onwards?|on\b(?!\s+(?:the|my|a|his|her|their|that|this)\b)|or\s+so|ish\b))?"
_ROUND = r"(?:round|leg|game)"
_EVENT = (
    r"(?:the\s+|this\s+|that\s+)(?:emergency\s+)?(?:meeting|report|alarm|bell|kill|discovery|(?:body|button)(?=\s+(?:was|got|is|were|being)\s+(?:just\s+)?(?:called|reported|found|discovered|hit|pressed|pushed)\b))"
    r"(?:\s+(?:was|got|is|were|being|had\s+been)?\s*(?:just\s+)?(?:called|reported|found|discovered|hit|pressed"
    r"|happened|came\s+in|went\s+off|pushed|triggered|started|start))?(?!\w)"
)
_PHRASES = (
    rf"(?:right\s+|just\s+)?(?:(?:at|near|towards?|by|from|since)\s+)the\s+(?:very\s+)?(?:start|beginning|end|outset)(?:\s+of\s+(?:the|this|that|last)\s+{_ROUND})?\b",
    rf"(?:right\s+|just\s+|very\s+|pretty\s+|super\s+|really\s+|fairly\s+|quite\s+|much\s+|a\s+(?:bit|little)\s+)?\b(?:early|earlier|late|later)\b(?:\s+on\b(?!\s+(?:the|my|a)\b))?(?:\s+in\s+the\s+{_ROUND}|\s+(?:this|last|that)\s+{_ROUND})?",
    rf"\b(?:for\s+|in\s+|during\s+)?(?:this|last|the\s+previous|all|that|the\s+(?:whole|entire|full)|this\s+(?:whole|entire))(?:\s+(?:whole|entire|full))?\s+(?:{_ROUND}|time(?=\s*[,.;!)—]|\s*$))",
    r"\bthe\s+(?:whole|entire|full)\s+(?:time|way|game|thing)\b",
    rf"\b(?:for\s+)?(?:the\s+rest|most)\s+of\s+(?:the|this)\s+{_ROUND}\b",
    r"\bmid-?\s?round\b",
    r"\b(?:right|just)\s+now\b",
    r"\ba\s+(?:bit|while|moment|few\s+ticks|tick|couple\s+of\s+ticks)\s+(?:ago|earlier|later|before)\b",
    r"\bat\s+(?:that|the\s+same|this|the\s+exact\s+same)\s+(?:exact\s+)?(?:point|time|moment|tick)\b",
    r"\bat\s+the\s+time\b",
    rf"(?:right\s+|just\s+|shortly\s+|immediately\s+|only\s+)?\b(?:when|before|after|until|till|as|since(?!\s+the\s+body)|by\s+the\s+time|once|at)\s+{_EVENT}",
)

TIME = re.compile(
    "|".join(
        [
            rf"(?:{_ABOUT}{{0,3}}\b{_WHEN}\s+)?{_ABOUT}{{0,3}}(?<!\w){_TICKS}{_TAIL}",
            rf"{_ABOUT}{{0,3}}\b{_WHEN}\s+{_ABOUT}{{0,3}}{_NUMBERS}{_UNIT}{_TAIL}(?!\w)",
            r"(?<![\w-])\d{1,3}\s*(?:-|to|through)\s*\d{1,3}(?![\w-]|\s*split)",
            *_PHRASES,
        ]
    ),
    re.IGNORECASE,
)
"""A time phrase, at a word or number where one may start."""

STARTS = word_set(
    "at on around about by until till through from since after before between during in over across for near"
    " past circa up roughly approximately starting right just only exactly somewhere probably maybe literally"
    " precisely the tick ticks t early earlier late later very pretty super really fairly quite much a this"
    " last all that most mid midround towards toward shortly immediately when as once ~ #"
)
"""The first words of time phrases."""

WEAK = frozenset({"later", "just", "then", "at that point", "at that time", "at the time"})
"""Phrases that name no time by themselves."""
