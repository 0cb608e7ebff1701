# ruff: noqa: E501  (each pattern stands on one line)
"""Accusations and defences: cues with their strength, over a sentence in which every player is a mark.

In the sentence `@2` stands for the player of that number, `@0+2` for two, `@me` for the speaker, `@?` for somebody
unknown; all other words stand as they are, so that a cue says what it is in plain words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.leaning import Marked, evidence, leaning, taken_apart
from quack_eval.claims.grammar.parts import Sentence
from quack_eval.claims.types import Claim

STRONG, MODERATE, WEAK = "strong", "moderate", "weak"
_RANK = {WEAK: 0, MODERATE: 1, STRONG: 2}
LIKELY = 0.4
"""How likely a stance must be by the words around the player and the cues among them."""
SURELY = 0.8
"""How likely an accusation without a cue must be to be moderate and not weak."""
_WORDS = re.compile(r"(?<![\w@])[a-z]")
"""A sentence with more than names in it: a bare name takes no stance."""

_X = r"@(?P<x>\d+(?:\+\d+)*)"
_ADV = (
    r"(?:(?:is|are|was|'m|'re|be|being|been|really|now|still|also|very|just|actually|literally|definitely|absolutely|clearly"
    r"|obviously|certainly|almost|probably|likely|basically|pretty|quite|currently|right|most|more|so|too|even|already"
    r"|completely|100|%|easily|fully|extremely|highly|incredibly|by|far|only|mostly|both|all|simply|hands|down|looking|and|truly|well|practically|then|kind|of|genuinely|tick|here)\s+)"
)
_DUCK = r"(?:duck|ducks|killer|murderer|impostor|imposter|culprit)"
_THE = r"(?:the|our|a|your|that|my)\s+(?:\w+\s+){0,2}?"
_BE = r"(?:is|are|was|'re|has\s+to\s+be|have\s+to\s+be|must\s+be|had\s+to\s+be|got\s+to\s+be|can\s+only\s+be|needs\s+to\s+be)"
_SUSPECT = r"(?:suspects?|suspicion|lean|pick|target|concern|candidate|worry|read)"
_STORY = r"(?:route|story|stories|account|timeline|timing|path|alibi|claims?|testimony|version|info|information|movements?|statement|sightings?|observations?|side|case|position)"
_GOOD = (
    r"(?:clear|cleared|clean|innocent|safe|credible|trustworthy|truthful|good|fine|solid|consistent|reliable|legit|believable"
    r"|in\s+the\s+clear|off\s+the\s+hook|less\s+likely|unlikely|not\s+the\s+(?:\w+\s+)?duck|a\s+(?:\w+\s+)?goose|geese|confirmed(?:\s+geese)?"
    r"|telling\s+the\s+(?:\w+\s+)?truth|off\s+the\s+list|verified|corroborated)"
)
_NOT_GOOD = r"(?!\s+(?:to|for\s+the\s+kill|about|on|that|before|where|how)\b)"

_ACCUSING: tuple[tuple[str, str], ...] = (
    (
        STRONG,
        rf"\b(?:vote|voting|voted|votes|eject|ejecting|lynch)\s+(?:(?:out|for|off|to|eject|right|now|on|is|stays|goes|going|remains|here)\s+|[:—-]\s+){{0,5}}{_X}(?!\s+'s\b)",
    ),
    (
        STRONG,
        rf"\b(?:my|final|the)\s+vote\s+(?:(?:is|stays|goes|going|remains|here|still|for|on|to|with|right|now|round)\s+|[:—,-]\s+){{0,5}}{_X}(?!\s+'s\b)",
    ),
    (STRONG, rf"\block(?:ing|ed)?\s+(?:in\s+)?(?:(?:it|my|vote|in|this|on|for)\s+){{0,5}}{_X}(?!\s+'s\b)"),
    (STRONG, rf"{_X}\s+{_ADV}{{0,5}}{_BE}\s+{_ADV}{{0,5}}{_THE}{_DUCK}\b(?!\s+move)"),
    (STRONG, rf"{_X}\s+(?:did\s+it|did\s+this)\b"),
    (
        STRONG,
        rf"{_X}\s+(?:must\s+have\s+|has\s+|have\s+|then\s+|just\s+|clearly\s+|definitely\s+|obviously\s+|probably\s+){{0,3}}(?:killed|murdered)\b",
    ),
    (
        STRONG,
        rf"\b(?:it|duck|killer|one|this)\s+(?:{_ADV}|to\s+){{0,5}}(?:is|was|has\s+to\s+be|have\s+to\s+be|must\s+be|can\s+only\s+be)\s+{_ADV}{{0,5}}{_X}(?=\s*(?:$|[,.;!—(]|and\b|because\b|here\b|who\b|then\b|for\s+@me\b))",
    ),
    (STRONG, rf"\bcaught\s+{_X}\s+red\b"),
    (
        STRONG,
        rf"{_X}\s+(?:\w+\s+|'ve\s+){{0,2}}?(?:been|got|were|was|is|are|'re)\s+(?:\w+\s+)?caught\b(?!\s+(?:sight|up|@))",
    ),
    (STRONG, rf"{_X}\s+{_BE}\s+{_ADV}{{0,5}}(?:guilty|{_THE}last\s+duck)\b"),
    (
        MODERATE,
        rf"\b(?:lean|leaning|leans|leaned)\s+(?:(?:toward|towards|on|is|to|heavily|hard|more|slightly|strongly|voting|a|bit|still|right|now|most|vote)\s+){{0,5}}{_X}",
    ),
    (MODERATE, rf"{_X}\s+(?:{_ADV}|as\s+|remains\s+|stays\s+){{0,5}}my\s+(?:\w+\s+){{0,2}}?{_SUSPECT}\b"),
    (MODERATE, rf"\bmy\s+(?:\w+\s+){{0,2}}?{_SUSPECT}\s+(?:{_ADV}|for\s+|@me\s+|remains\s+|is\s+|on\s+){{0,5}}{_X}"),
    (MODERATE, rf"\b(?:suspect|suspecting)\s+{_X}"),
    (MODERATE, rf"\b(?:suspicious|sus)\s+(?:of|about)\s+{_X}"),
    (MODERATE, rf"\bfind\s+{_X}\s+{_ADV}{{0,5}}suspicious"),
    (
        MODERATE,
        rf"{_X}\s+(?:{_ADV}|looks?\s+|seems?\s+|makes\s+\S+\s+look\s+|look\s+){{1,5}}(?:to\s+@me\s+)?(?:like\s+{_THE}{_DUCK}|suspicious|sus|bad|guilty|worse|worst|terrible|awful|damning|shady)\b",
    ),
    (
        MODERATE,
        rf"\bmakes?\s+{_X}\s+(?:look\s+)?{_ADV}{{0,5}}(?:the\s+)?(?:suspicious|sus|bad|guilty|worst|worse|last|most)\b",
    ),
    (
        MODERATE,
        rf"\b(?:(?:think|say|guess|bet|feel|like|sure|certain)\s+(?:that\s+)?(?:this\s+|it\s+|the\s+duck\s+|they\s+)?|believe\s+(?:that\s+)?(?:this|it|they)\s+)(?:{_ADV}){{0,5}}{_X}(?=\s*(?:$|[,;—]|here\b|over\b))",
    ),
    (
        MODERATE,
        rf"{_X}\s+'s\s+(?:\w+\s+){{0,2}}?{_STORY}\s+(?:\w+\s+){{0,2}}?(?:does|do|did|is|has)\s*n't\s+(?:\w+\s+){{0,2}}?(?:add|line|hold|make|check|match|work|clean)",
    ),
    (
        MODERATE,
        rf"{_X}\s+(?:{_ADV}|as\s+|remains\s+){{0,5}}the\s+(?:\w+\s+){{0,2}}?(?:best|safest|strongest|clearest|likeliest|obvious|clear|stronger|worse|worst|better|right|odd|only|main|top|prime|tightest|most\s+\w+)\s+(?:\w+\s+)?(?:vote|suspect|option|candidate|lead|pick|choice|duck|threat|one\s+(?:who|whose|with|that)|opportunity)\b",
    ),
    (
        MODERATE,
        rf"{_X}\s+(?:{_ADV}|had\s+|has\s+|have\s+|with\s+){{1,5}}the\s+(?:\w+\s+)?(?:best|clearest|strongest|most|perfect|only|cleanest|closest|exact)\s+(?:\w+\s+){{0,2}}?(?:opportunity|window|path|access|motive|positioning|chance)",
    ),
    (
        MODERATE,
        rf"\b(?:points?|pointing|leads?|comes?\s+down|evidence|case|lands?)\s+(?:\w+\s+){{0,2}}?(?:to|at|toward|towards|against|on)\s+(?:being\s+)?{_X}",
    ),
    (MODERATE, rf"{_X}\s+(?:{_ADV}|flat\s*-?\s*out\s+){{0,5}}lying\b(?!\s+(?:in|on|dead|there|around))"),
    (MODERATE, rf"{_X}\s+(?:has|have)\s+the\s+worse\b"),
    (MODERATE, rf"\b(?:likely|probably|mostly|strongly)\s+(?:be\s+|is\s+)?{_X}(?=\s*(?:$|[,;—]))"),
    (MODERATE, rf"\bmoney\s+is\s+on\s+{_X}"),
    (MODERATE, rf"{_X}\s+worries\s+@me\s+(?:the\s+)?most"),
    (
        MODERATE,
        rf"\b(?:real|main|only)\s+(?:play|issue|problem|option|answer)\s+(?:here\s+)?(?:for\s+@me\s+)?is\s+{_X}(?=\s*(?:$|[,;—]))",
    ),
    (
        WEAK,
        rf"{_X}\s+(?:\w+\s+){{0,2}}?(?:needs?|should|has|have|must|owes?)\s+(?:to\s+)?(?:\w+\s+)?(?:explain|answer|account|clarify\s+why|give\s+a\s+clear|scrutiny)",
    ),
    (WEAK, rf"{_X}\s+{_ADV}{{0,5}}(?:completely\s+)?(?:unaccounted|unaccounted-for|unverified|unproven)\b"),
    (WEAK, rf"\bleaves\s+{_X}\s+(?:completely\s+)?unaccounted"),
    (MODERATE, rf"{_X}\s+(?:{_ADV}){{1,4}}the\s+(?:\w+\s+)?vote\b"),
    (WEAK, rf"{_X}\s+(?:have|has|'ve)\s+(?:a\s+lot|some|plenty)\s+(?:of\s+)?explaining"),
    (WEAK, rf"\b(?:eyeing|questioning|doubting)\s+{_X}"),
    (WEAK, rf"{_X}\s+(?:{_ADV}){{0,3}}(?:had|has|have)\s+(?:\w+\s+){{0,2}}?(?:opportunity|motive)\b"),
    (
        WEAK,
        rf"{_X}\s+(?!and\b)(?:\w+\s+){{1,7}}?(?:is|looks|seems|feels|was)\s+(?:{_ADV}){{0,3}}(?:suspicious|convenient|odd|weird|strange|off|concerning)\b",
    ),
    (
        WEAK,
        rf"{_X}\s+'s\s+(?:\w+\s+){{0,6}}?(?:is|looks|seems|feels|was)\s+(?:{_ADV}){{0,3}}(?:suspicious|convenient|odd|weird|strange|off|concerning|shaky|vague)\b",
    ),
    (WEAK, rf"\bholes?\s+in\s+{_X}\s+'s"),
    (WEAK, rf"\bkeep\s+(?:\w+\s+){{0,4}}?eye\s+on\s+{_X}"),
    (WEAK, rf"{_X}\s+(?:\w+\s+){{0,2}}?(?:is|are)\s+(?:\w+\s+){{0,3}}?(?:question\s+marks?|wildcards?|unknowns?)\b"),
    (WEAK, rf"\bself\s+-\s+reports?\s+(?:from|by)\s+{_X}"),
    (WEAK, rf"{_X}\s+being\s+(?:\w+\s+){{0,3}}?(?:unseen|missing|unaccounted|unwitnessed)\b"),
    (WEAK, rf"\bconsider\s+{_X}(?=\s+(?:for|too|as))"),
    (MODERATE, rf"{_X}\s+(?:looks?|seems?)\s+like\s+the\s+(?:\w+\s+){{0,2}}?(?:suspect|duck|killer|one)\b"),
    (MODERATE, rf"\bmakes\s+{_X}\s+(?:'s\s+)?look\s+the\s+(?:worst|guiltiest)\b"),
    (
        WEAK,
        rf"{_X}\s+(?:{_ADV}|or\s+@\S+\s+|and\s+@\S+\s+){{0,5}}(?:could|might|may)\s+(?:{_ADV}|well\s+|easily\s+|theoretically\s+){{0,5}}(?:be\s+(?:{_THE})?(?:{_DUCK}|one|self)|have\s+(?:\w+\s+)?(?:killed|done)|be\s+lying|be\s+self)",
    ),
    (WEAK, rf"\bit\s+(?:could|might|may)\s+(?:{_ADV}|well\s+){{0,5}}be\s+{_X}"),
    (WEAK, rf"\b(?:worried|concerned|worries|curious|unsure|sure)\s+(?:\w+\s+)?about\s+{_X}(?!\s+'s\s+safety)"),
    (WEAK, rf"{_X}\s+(?:{_ADV}){{0,5}}(?:worries|worry|bothers|concerns?)\s+@me\b"),
    (
        WEAK,
        rf"{_X}\s+(?:stands?\s+out|is\s+on\s+my\s+mind|is\s+a\s+(?:possibility|suspect|question)|is\s+still\s+possible)",
    ),
    (
        WEAK,
        rf"{_X}\s+(?:{_ADV}|seems?\s+|looks?\s+|feels?\s+){{1,5}}(?:a\s+bit|a\s+little|kind\s+of|slightly|somewhat|a\s+tad)\s+(?:suspicious|sus|off|odd|weird|strange|shady|more)",
    ),
    (WEAK, rf"{_X}\s+(?:seems?|feels?|looks?|is)\s+{_ADV}{{0,5}}(?:off|weird|odd|strange|sketchy)\b"),
    (
        WEAK,
        rf"{_X}\s+'s\s+(?:\w+\s+){{0,2}}?{_STORY}\s+(?:\w+\s+){{0,2}}?(?:feels?|seems?|looks?|sounds?|is|worries)\s+(?:\w+\s+){{0,2}}?(?:off|weird|odd|strange|sketchy|suspicious|shaky|weak|worst|@me)\b",
    ),
    (WEAK, rf"\b(?:trust|rule\s+out|clear)\s+{_X}\s*(?:$|[,.;—])"),
    (WEAK, rf"\b(?:keep\s+an\s+eye\s+on|watch|bad\s+feeling\s+about)\s+{_X}"),
    (
        WEAK,
        rf"\b(?:between|either)\s+{_X}(?!\s*(?:'s|tick))(?=\s*(?:$|[,.;—(]|unless|for\s+@me|here|based|killed|is|was))",
    ),
    (
        WEAK,
        rf"{_X}\s+(?:{_ADV}|is\s+|the\s+){{0,5}}(?:biggest|main|big|largest)\s+(?:question\s+mark|gap|unknown|wildcard|hole)",
    ),
    (WEAK, rf"{_X}\s+(?:being\s+)?(?:is\s+)?(?:the\s+)?(?:least\s+verified|completely\s+unseen|conveniently)\b"),
    (WEAK, rf"{_X}\s+(?:'s\s+)?self\s*-?\s*report(?:ing|ed|s)?\b(?!\s+(?:concern|is|does|would|could))"),
)

_DEFENDING: tuple[str, ...] = (
    rf"\bvouch(?:ing|es|ed)?\s+for\s+{_X}",
    rf"{_X}\s+(?:{_ADV}|is\s+|are\s+|looks?\s+|seems?\s+|becomes?\s+|makes?\s+){{1,5}}{_GOOD}\b{_NOT_GOOD}",
    rf"\b(?:clears|cleared|clear|clearing)\s+{_X}(?!\s+'s\s+throat)",
    rf"\bmak(?:es|ing)\s+{_X}\s+(?:\w+\s+)?(?:less\s+likely|trustworthy|credible|clear)",
    rf"{_X}\s+(?:{_ADV}|has\s+|have\s+){{0,5}}(?:an?\s+)?(?:\w+\s+){{0,2}}?alibi\b(?!\s+(?:is|was|does|only))",
    rf"{_X}\s+(?:and\s+@me\s+)?(?:{_ADV}|can\s+|mutually\s+){{0,5}}(?:have\s+)?(?:\w+ly\s+)?(?:alibi|clear|cleared|clearing|vouch|back|confirm|confirmed|verify)\s+(?:for\s+)?each\s+other",
    rf"\balibi\s+(?:for|with)\s+{_X}",
    rf"{_X}\s+(?:are\s+)?each\s+other\s+'s\s+alibi",
    rf"@me\s+(?:{_ADV}|do\s+|'m\s+|am\s+|can\s+|more\s+){{0,5}}(?:trust|believe|trusting|believing|stand\s+by)\s+(?:in\s+)?{_X}(?!\s+(?:is|was|has|must|might|could|to\s+be|'s\s+(?:the|lying))\b)",
    rf"{_X}\s+'s\s+(?:\w+\s+){{0,3}}?{_STORY}\s+(?:\w+\s+){{0,3}}?(?:checks?\s+out|match(?:es)?|lines?\s+up|aligns?(?!.{{0,20}}\bkills?\b)|holds?\s+up|makes?\s+sense|adds?\s+up|fits|corroborat\w+|is\s+confirmed|tracks)\b",
    rf"{_X}\s+'s\s+(?:\w+\s+){{0,3}}?{_STORY}\s+(?:is|are|has|seems?|looks?|sounds?|stays?)\s+(?:been\s+)?{_ADV}{{0,5}}(?:solid|consistent|clean|credible|clear|true|accurate|reliable|plausible|fair|believable|confirmed|supported|logical|reasonable|verified)",
    rf"{_X}\s+'s\s+{_STORY}\s+and\s+(?:\w+\s+){{1,3}}?(?:checks?\s+out|match|lines?\s+up|line\s+up|are\s+solid)",
    rf"{_X}\s+(?:{_ADV}){{0,5}}(?:could|can|ca)\s*(?:n't|not)\s+(?:\w+\s+)?have\s+(?:\w+\s+){{0,2}}?(?:killed|done|been\s+the|committed|reached)",
    rf"{_X}\s+(?:cannot)\s+have\s+(?:killed|done)",
    rf"{_X}\s+checks?\s+out\b",
    rf"@me\s+(?:{_ADV}|can\s+|do\s+){{0,5}}(?:confirm|verify|corroborate|back\s+up|support|back)\s+{_X}(?:\s+'s(?!.{{0,60}}\b(?:false|wrong|lie)\b)|\s+on|\s*(?:$|[,.;—]))",
    rf"\bit\s+(?:is|was)\s*(?:n't|not)\s+{_X}",
    rf"\b(?:confirm|convinced|sure|confident|certain)\s+(?:that\s+)?{_X}\s+(?:is|are)\s+a?\s*(?:goose|geese|clear|clean|innocent)",
    rf"{_X}\s+{_BE}\s*(?:n't|not)\s+(?:{_THE})?{_DUCK}",
    rf"{_X}\s+did\s*n't\s+(?:kill|do\s+it)",
    rf"\b(?:leave|cross|hand\s+in\s+the\s+fire\s+for)\s+{_X}(?:\s+(?:alone|off)|\s*$)",
    rf"{_X}\s+is\s+{_ADV}{{0,5}}(?:spot\s+on|telling)\b",
    rf"\bagree\s+{_X}\s+(?:is\s+|'s\s+)?(?:probably\s+)?(?:did\s*n't|not)\b",
    rf"\b(?:supports|backs\s+up|confirms|corroborates)\s+{_X}\s+'s\s+(?:\w+\s+)?{_STORY}",
)

_SPARING = re.compile(
    rf"(?:\bnot|n't|\bnever)\s+(?:{_ADV}){{0,3}}(?:accus\w+|vot\w+|blam\w+|suspect\w*|suspicious\s+of)\s+(?:\w+\s+){{0,2}}?{_X}"
)
"""That somebody is not accused."""
_OTHERS = re.compile(r"@\d")
"""A mark of another player: every cue needs one."""


def _joined(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """One expression for the cues that begin with a player, and one for the others: far quicker than one each."""
    listed = list(patterns)
    first = [pattern.removeprefix(_X) for pattern in listed if pattern.startswith(_X)]
    later = [pattern for pattern in listed if not pattern.startswith(_X)]
    numbered = (pattern.replace("(?P<x>", f"(?P<x{number}>") for number, pattern in enumerate(later))
    joined = [f"{_X}(?:{'|'.join(first)})"] if first else []
    return tuple(re.compile(one) for one in [*joined, "|".join(numbered)])


_ACCUSE = tuple(
    (how, one) for how in (STRONG, MODERATE, WEAK) for one in _joined(cue for mine, cue in _ACCUSING if mine == how)
)
_DEFEND = _joined(_DEFENDING)
_NEGATION = re.compile(
    r"(?:\bnot|\bless|n't|\bnever|\bwithout|\bhardly|\bnor|\bneither|\bno|\bcannot)\s+(?:[^\s,;—]+\s+){0,4}$"
)
_POSSIBLY = re.compile(
    r"\b(?:if|unless|whether|suppose|assuming|(?<!@me\s)would|could\s+say|before|even\s+if|how|why|instead\s+of|trying\s+to|try\s+to|enough\s+to|want\w*\s+to|tries\s+to|wants)\s+(?:[^\s,;—]+\s+){0,5}$"
)
_OF_OTHERS = re.compile(
    r"(?:@\d\S*|@\?|everyone|nobody|they|he|she|people|both)\s+"
    r"(?:(?:is|are|'s|'re|was|were|also|just|now|who|then|already|to|and|has|have|been)\s+){0,4}$"
)
_BY_OTHERS = re.compile(r"@\d\S*\s+(?:'s\s+)?(?:(?!and\b)\w+\s+){0,2}$")
_SOFT = re.compile(
    r"\bhard\s+(?:accus\w+|accuse|case|read)|not\s+(?:saying|accusing|100|certain|sure)|\bno\s+hard\b|not\s+(?:a\s+)?hard"
)
_GOVERNED = re.compile(r"\b(?:against|of|on|about|from|with|for|to|by|like|as|get|than)\s+(?:\S+\s+and\s+)?$")
_NOT_ACCUSING = re.compile(r"(?:not|n't)\s+(?:\w+\s+)?(?:accus\w+|say\w*\s+(?:it\s+is\s+)?|blam\w+)\s+(?:\S+\s+)?$")


class Stances:
    """What the speaker thinks of the others, sentence by sentence; the strongest accusation of each counts."""

    def __init__(self, discourse: Discourse) -> None:
        self.discourse = discourse
        self.numbers = {name: number for number, name in enumerate(discourse.players)}
        self.accused: dict[str, str] = {}
        self.cleared: list[str] = []
        self.sentences: list[Marked] = []
        self.spared: set[str] = set()

    def read(self, sentence: Sentence) -> None:
        """Reads a sentence."""
        marked = self._marked(sentence)
        if "@" not in marked or not _WORDS.search(marked):
            return
        self.sentences.append(taken_apart(marked))
        if not _OTHERS.search(marked):
            return
        self.spared.update(name for match in _SPARING.finditer(marked) for name in self._names(match))
        soft = _SOFT.search(marked) is not None
        open_ended = re.search(r"\beither\b", marked) is not None
        for how, pattern in _ACCUSE:
            for match in pattern.finditer(marked):
                if self._accuses(marked, match, how):
                    weak = (soft and how != STRONG) or (open_ended and "vot" not in match.group())
                    self._accuse(match, WEAK if weak else how)
        for pattern in _DEFEND:
            for match in pattern.finditer(marked):
                if self._defends(marked, match):
                    self._clear(match)

    def _marked(self, sentence: Sentence) -> str:
        """The sentence with marks for players."""
        words: list[str] = []
        p = 0
        while p < len(sentence.tokens):
            phrase = sentence.by_token.get(p)
            if phrase is not None and phrase.indefinite == "":
                mark = "@me" if phrase.pronoun in ("we", "us", "our") else self._mark(phrase.who)
                words += ["my"] if mark == "@me" and phrase.owner else [mark, *(["'s"] if phrase.owner else [])]
                words += [","] if phrase.called else []
                p = phrase.last + 1
            else:
                token = sentence.tokens[p]
                words.append({"time": "tick", "room": "room"}.get(token.kind, token.text))
                p += 1
        return " ".join(words).replace("no doubt", "sure")

    def _mark(self, who: tuple[str, ...]) -> str:
        others = [str(self.numbers[name]) for name in who if name in self.numbers and name != self.discourse.speaker]
        if others:
            return "@" + "+".join(others)
        return "@me" if who else "@?"

    def _accuses(self, marked: str, match: re.Match[str], how: str) -> bool:
        """Whether a cue stands as the speaker's own, neither denied nor supposed."""
        before = marked[: match.start()]
        said = match.group()
        if re.search(r"\b(?:one|either|which|whichever|neither)\s+of\s+$", before):
            return False
        if _POSSIBLY.search(before) or _NOT_ACCUSING.search(before):
            return False
        if marked.startswith(("if ", "even if ", "unless ")) and re.search(r"killed|murdered|duck|killer", said):
            return False
        if said.startswith("@") and re.search(r"\b(?:with|by|behind|beside|alone)\s+$", before):
            return False
        denied = _NEGATION.search(before) is not None
        if re.match(r"(?:trust|rule\s+out|clear)\b", said) and how == WEAK:
            return denied
        if how == WEAK and "sure" in said[:5]:
            return denied
        if denied or re.search(r"\s(?:not|n't|never|less)\s", said):
            return how == MODERATE and "n't" in said and not denied
        votes = said.startswith(("vote", "voting", "voted", "votes"))
        if votes and (said.startswith(("voted", "votes")) or _OF_OTHERS.search(before)):
            return "@me" in before.split(",")[-1] or "let" in before
        return not (
            said.startswith("vote") and before.endswith(("my ", "his ", "her ", "their ")) and "my" not in before
        )

    def _defends(self, marked: str, match: re.Match[str]) -> bool:
        before = marked[: match.start()]
        if _POSSIBLY.search(before) or _NEGATION.search(before):
            return False
        said = match.group()
        if said.startswith("@") and _GOVERNED.search(before):
            return False
        if "each other" in said and "+" in _marks(match) and ("clear" not in said or "only" in said):
            return False
        if said.startswith(("vouch", "clearing")) and _BY_OTHERS.search(before):
            return False
        inside = re.sub(
            r"^(?:it\s+(?:is|was)|@\S+\s+(?:is|are|was)?)?\s*(?:could|can|ca|did|is)?\s*(?:n't|not)?\s*", "", said
        )
        return not re.search(r"(?:\bnot|n't|\bnever|\bno)\s", inside) or "not the" in said

    def _accuse(self, match: re.Match[str], how: str) -> None:
        for name in self._names(match):
            kept = self.accused.get(name)
            if kept is None or _RANK[how] > _RANK[kept]:
                self.accused[name] = how

    def _clear(self, match: re.Match[str]) -> None:
        for name in self._names(match):
            if name not in self.cleared:
                self.cleared.append(name)

    def _names(self, match: re.Match[str]) -> Iterator[str]:
        for number in _marks(match).split("+"):
            if number.isdigit() and int(number) < len(self.discourse.players):
                yield self.discourse.players[int(number)]

    def evidence(self, name: str) -> frozenset[str]:
        """What speaks for an accusation or a defence of a player: the words around it and the cues; none if unnamed."""
        found = evidence(self.sentences, self.numbers[name])
        if not found:
            return found
        cues = {f"C {self.accused.get(name, 'none')}"} | ({"SPARED"} if name in self.spared else set())
        cues |= {"DEF"} if name in self.cleared else set()
        dead = {"DEAD"} if name in self.discourse.bodies else set()
        others = [how for other, how in self.accused.items() if other != name]
        rival = {f"OTHER {max(others, key=_RANK.__getitem__)}"} if others and name not in self.accused else set()
        return found | cues | dead | rival

    def claims(self) -> list[Claim]:
        """The claims, each player once a type."""
        speaker = self.discourse.speaker
        weighed = {name: leaning(self.evidence(name)) for name in self.numbers if name != speaker}
        accused = [(name, how) for name, found in weighed.items() if (how := self._accusation(name, found.accusation))]
        claims = [Claim("accusation", speaker, target=name, confidence=how) for name, how in accused]
        cleared = (name for name, found in weighed.items() if found.defense > LIKELY)
        return claims + [Claim("defense", speaker, target=name) for name in cleared]

    def _accusation(self, name: str, likely: float) -> str | None:
        """How strongly a player is accused: as its cue says, else as likely as the words make it; None for not."""
        cue = self.accused.get(name)
        if likely <= LIKELY or (cue is None and name in self.spared):
            return None
        return cue or (MODERATE if likely > SURELY else WEAK)


def _marks(match: re.Match[str]) -> str:
    """The players of a cue, as in their mark."""
    return str(match[match.lastgroup]) if match.lastgroup else ""
