# ruff: noqa: RUF001 - replies come in all kinds of characters
"""What a model's reply means: a small grammar that ends in one legal decision, or in a failure that can be named.

Nothing is guessed. A reply that names two actions, an illegal one, or one in a sentence with a negation or a condition
is a failure; its ``detail`` says so in our own words and repeats none of the model's.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

Form = Literal["exact", "tolerant", "json", "label", "line", "prose", "text"]

EMPTY, CUT_OFF, REASONING_ONLY = "empty", "cut_off", "reasoning_only"
NO_ACTION, AMBIGUOUS, ILLEGAL, DOUBTFUL, TOO_LONG = "no_action", "ambiguous", "illegal", "doubtful", "too_long"


class Parsed(NamedTuple):
    """A reply understood (``failure`` None: ``action`` is one of the legal ones) or not (``action`` None)."""

    action: str | None = None
    say: str | None = None
    form: Form | None = None
    failure: str | None = None
    detail: str = ""


def failed(failure: str, detail: str, say: str | None = None, action: str | None = None) -> Parsed:
    """A reply that is not understood; for `TOO_LONG`, what would stand once the words are shortened."""
    return Parsed(action, say, None, failure, detail)


# --- cleaning --------------------------------------------------------------------------------------------------------

THOUGHTS = "think|thinking|thought|thoughts|reason|reasoning|analysis|scratchpad|reflection"
_TAGGED = re.compile(rf"<({THOUGHTS})\b[^>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_OPEN = re.compile(rf"<({THOUGHTS})\b[^>]*>.*\Z", re.IGNORECASE | re.DOTALL)
_CLOSE = re.compile(rf"\A.*</({THOUGHTS})\s*>", re.IGNORECASE | re.DOTALL)
_FENCED = re.compile(
    rf"^(`{{3,}}|~{{3,}})[ \t]*({THOUGHTS})[^\n]*\n.*?^\1[ \t]*$\n?", re.IGNORECASE | re.DOTALL | re.MULTILINE
)
_FENCED_OPEN = re.compile(
    rf"^(`{{3,}}|~{{3,}})[ \t]*({THOUGHTS})[^\n]*\n.*\Z", re.IGNORECASE | re.DOTALL | re.MULTILINE
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*$", re.MULTILINE)


def without_thoughts(text: str) -> str:
    """The reply without its reasoning: tagged or fenced blocks, closed or not."""
    for pattern in (_TAGGED, _FENCED, _CLOSE, _OPEN, _FENCED_OPEN):
        text = pattern.sub("", text)
    return text.strip()


def clean_words(text: str) -> str:
    """An utterance as the game keeps it: NFC, without control characters, trimmed."""
    text = unicodedata.normalize("NFC", text)
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs")).strip()


def shorten(text: str, most: int) -> str:
    """The beginning of an utterance, up to the last sentence that fits, or word."""
    if len(text) <= most:
        return text
    head = text[:most]
    ends = [m.end() for m in re.finditer(r"[.!?。！？](?=\s|$)", head)]
    if ends and ends[-1] >= most // 2:
        return head[: ends[-1]].strip()
    inside = " " in head.strip() and not head[-1].isspace() and not text[most].isspace()
    return (head.rsplit(None, 1)[0] if inside else head).strip()


def unquoted(text: str) -> str:
    """The text without quotation marks (of any script) or brackets around it."""
    text = text.strip()
    while len(text) >= 2 and _is_quote(text[0]) and _is_quote(text[-1]):
        text = text[1:-1].strip()
    return text


def _is_quote(character: str) -> bool:
    return character in "\"'`´„‚«»‹›「」『』〈〉《》＂＇" or unicodedata.category(character) in ("Pi", "Pf")


def _plain(text: str) -> str:
    """The text with markup gone, full-width brackets as ours, and typographic apostrophes as ours."""
    text = unicodedata.normalize("NFC", text).translate({0xFF08: "(", 0xFF09: ")", 0x2019: "'", 0x02BC: "'"})
    return re.sub(r"\*+|~~|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)", "", text)


# --- the actions -----------------------------------------------------------------------------------------------------

_CALL = re.compile(r"(?<![\w.])((?:do |call )?[A-Za-z][A-Za-z_]{0,20})\s?\(([^()\n]{0,60})\)", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:not|never|no|nor|neither|none|without|cannot|avoid|avoiding|refuse|against|instead of|rather than|"
    r"if|unless|until|could|would|might|may|maybe|perhaps|should|whether|either|or|later|next|after|before|then|"
    r"was|were|had|wanted|considered|considering|tempted|about to|"
    r"said|says|wants|told|asked|asks|claims|claimed|suggested|suggests|voted|"
    r"options?|possible|available|legal|listed|example|like|"
    r"wrong|bad|worst|worse|risky|mistake|forbidden|illegal|impossible|unable|"
    r"nicht|kein|keine|nie|pas|jamais|nunca|non)\b|n't\b|\bdont\b|\bwont\b|[?？]|不|没|别|勿",
    re.IGNORECASE,
)
"""Where one of these stands in a sentence, what it names is perhaps not what is to be done."""
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s*|\n+|\s+(?=(?:but|instead,|however|therefore|so)\b)", re.IGNORECASE)
_LABEL = re.compile(
    r"^\W*(?:my |the |final |chosen |next |best )*"
    r"(?:action|answer|decision|choice|move|vote|response|output)\s*(?:is)?\s*[:=]\s*(.+)$",
    re.IGNORECASE,
)
_KEYS = ("action", "vote", "choice", "answer")
_I_WILL = r"^(?:i(?:'ll| will| am going to)? |i'm going to |let's )?"
_VERBS = {
    "vote": re.compile(rf"{_I_WILL}(?:vote|voting)\s+(?:for|against|out|to eject)?\s*(.+)$", re.I),
    "move": re.compile(rf"{_I_WILL}(?:move|go|walk|head)\s+(?:to |into )?(?:the )?(.+)$", re.I),
    "kill": re.compile(rf"{_I_WILL}kill\s+(.+)$", re.I),
}
_OWN_VOTE = re.compile(
    r"\bmy (?:final )?vote (?:is|goes to|is for)\s+(.+)$"
    r"|\bI(?:'m| am| will|'ll)? vot(?:e|ing) (?:for |out |to eject )?(.+)$",
    re.IGNORECASE,
)
_BARE = {
    "do_task": re.compile(r"^(?:i(?:'ll| will)? )?do(?:[ _]+(?:a|the|my))?[ _]*task(?: here)?$", re.I),
    "report": re.compile(r"^(?:i(?:'ll| will)? )?report(?: (?:the |a )?body)?$", re.I),
    "call_meeting": re.compile(r"^(?:i(?:'ll| will)? )?call[ _]+(?:a |the )?meeting$", re.I),
    "wait": re.compile(r"^(?:i(?:'ll| will)? )?wait(?: here)?$", re.I),
    "skip": re.compile(r"^(?:i(?:'ll| will| vote to| abstain and)? )?(?:skip|abstain)(?: the vote| this vote)?$", re.I),
}


def _key(text: str) -> str:
    """What two spellings of one thing share: case, spaces, hyphens and underscores do not count."""
    return re.sub(r"[\s_\-]+", "", unicodedata.normalize("NFKC", text).casefold())


@dataclass(frozen=True)
class Grammar:
    """Reads replies for one decision.

    Args:
        legal: the legal actions in words, as "kill(Eve)".
        known: every action of the game in words, legal or not, so that an illegal one can be named.
        voting: whether bare names are votes.
        max_say: characters that an utterance may have; 0 where nothing can be said.
    """

    legal: tuple[str, ...]
    known: tuple[str, ...]
    voting: bool = False
    max_say: int = 0

    @cached_property
    def _exact(self) -> dict[str, str]:
        return {action: action for action in (*self.known, *self.legal)}

    @cached_property
    def _loose(self) -> dict[str, str | None]:
        """By key; None where two actions share one."""
        found: dict[str, str | None] = {}
        for action in self._exact:
            key = _key(action)
            found[key] = action if found.get(key, action) == action else None
        return found

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The names before the brackets."""
        return frozenset(action.partition("(")[0] for action in self._exact)

    def action_of(self, text: str) -> str | None:
        """The action of the game that a whole text is, legal or not: exactly, or but for case, spaces and quotes."""
        text = unquoted(_plain(text).strip().rstrip(".!,;:。！").strip())
        if text in self._exact:
            return text
        verb, bracket, rest = text.partition("(")
        if bracket and rest.endswith(")"):
            rest = ", ".join(unquoted(part) for part in rest[:-1].split(","))
            return self._loose.get(_key(f"{verb}({rest})"))
        return self._wordy(text)

    def _wordy(self, text: str) -> str | None:
        """The action of a text without brackets: "move to medbay", "do task", in a vote also "Eve" or "skip"."""
        for verb, bare in _BARE.items():
            if verb in self.verbs and bare.match(text):
                return f"{verb}()"
        for verb, wordy in _VERBS.items():
            match = wordy.match(text)
            if match and verb in self.verbs:
                found = self._loose.get(_key(f"{verb}({unquoted(match[1])})"))
                if found:
                    return found
        return self._loose.get(_key(f"vote({text})")) if self.voting else None

    # --- reading -----------------------------------------------------------------------------------------------------

    def read(self, content: str | None, reasoning: str | None = None, finish_reason: str | None = None) -> Parsed:
        """The decision of a reply, or why there is none."""
        cut = finish_reason == "length"
        visible = without_thoughts(content or "")
        if not _FENCE.sub("", visible).strip(" \t\n`~"):
            return _nothing(bool((content or "").strip() or (reasoning or "").strip()), cut)
        body, say = self._split_say(visible)
        whole = self.action_of(_FENCE.sub("", body).strip())
        if whole is not None:
            form: Form = "exact" if body.strip() == whole else "tolerant"
            return self._checked(whole, say, form, cut and form != "exact")
        if cut:
            return failed(CUT_OFF, "it was cut off by the limit on its length before it was complete")
        return self._search(body, say)

    def _search(self, body: str, say: str | None) -> Parsed:
        """The one action that a longer reply declares (JSON, a labelled line), or else names."""
        objects = [found for found in json_objects(body) if any(key in found[0] for key in _KEYS)]
        if objects:
            return self._from_json(body, objects, say)
        lines = [line for line in _FENCE.sub("", body).splitlines() if line.strip()]
        labelled = [(place, found) for place, line in enumerate(lines) if (found := self._labelled(line))]
        if len({found for _, found in labelled}) == 1 and labelled[-1][0] == len(lines) - 1:
            return self._checked(labelled[-1][1], say, "label")
        return self._from_prose(lines, say)

    def _labelled(self, line: str) -> str | None:
        match = _LABEL.match(_plain(line).strip())
        return self.action_of(match[1]) if match else None

    def _from_json(self, body: str, objects: Sequence[tuple[dict[str, Any], int, int]], say: str | None) -> Parsed:
        """The action of the reply's JSON, unless the words behind it name another."""
        actions = {self._json_action(data) for data, _, _ in objects}
        if None in actions:
            return failed(NO_ACTION, "the field for the action in its JSON is not one of the listed actions")
        behind = self._mentions(body[objects[-1][2] :].splitlines())
        named = {a for a in actions if a} | {a for a, doubtful in behind if not doubtful}
        if len(named) > 1:
            return _ambiguous(named)
        words = objects[-1][0].get("say")
        said = words if isinstance(words, str) and words.strip() else say
        return self._checked(named.pop(), said, "json")

    def _json_action(self, data: dict[str, Any]) -> str | None:
        key = next(key for key in _KEYS if key in data)
        value, target = data[key], data.get("target", data.get("argument", data.get("room")))
        if not isinstance(value, str):
            return None
        if isinstance(target, str) and "(" not in value:
            return self.action_of(f"{value}({target})")
        if "(" not in value and self.voting:
            return self.action_of(value)
        return self.action_of(value) or self.action_of(f"{value}()")

    def _from_prose(self, lines: Sequence[str], say: str | None) -> Parsed:
        found = self._mentions(lines)
        plain = {action for action, doubtful in found if not doubtful}
        doubted = {action for action, doubtful in found if doubtful}
        if len(plain) > 1:
            return _ambiguous(plain)
        if plain & doubted:
            return failed(DOUBTFUL, f"it both takes and rejects {_listed(plain & doubted)}")
        if plain:
            form: Form = "line" if any(self.action_of(line) for line in lines) else "prose"
            return self._checked(plain.pop(), say, form)
        if doubted:
            return failed(DOUBTFUL, f"it names {_listed(doubted)} only in a negation, a question or a condition")
        if any(call[1] in self.verbs for line in lines for call in _CALL.finditer(_plain(line))):
            return failed(ILLEGAL, "it names an action with a target that does not exist")
        what = "a name that can be voted for, or skip" if self.voting else "any of the listed actions"
        return failed(NO_ACTION, f"it does not name {what} in the form asked for")

    def _mentions(self, lines: Sequence[str]) -> list[tuple[str, bool]]:
        """(action, whether the sentence casts doubt on it) for everything named: whole sentences, and calls in them."""
        found: list[tuple[str, bool]] = []
        for line in lines:
            line = re.sub(r"^\s*(?:[-•>#]|\d+[.)])\s+", "", line)
            whole = self._labelled(line) or self.action_of(line)
            if whole:
                found.append((whole, False))
                continue
            for sentence in _SENTENCE.split(_plain(line)):
                found += self._named_in(sentence)
        return found

    def _named_in(self, sentence: str) -> Iterator[tuple[str, bool]]:
        if not sentence or not sentence.strip():
            return
        doubtful = bool(_DOUBT.search(_CALL.sub(" ", sentence)))
        calls = [a for call in _CALL.finditer(sentence) if (a := self._call(call))]
        for action in calls:
            yield action, doubtful
        if self.voting and not calls:
            claim = re.split(r"\b(?:because|since)\b", sentence, maxsplit=1, flags=re.IGNORECASE)[0]
            vote = _OWN_VOTE.search(claim)
            if vote:
                yield from self._first_name((vote[1] or vote[2]).strip(), bool(_DOUBT.search(claim)))

    def _call(self, match: re.Match[str]) -> str | None:
        """The action of a call in prose."""
        inner = ", ".join(unquoted(part) for part in match[2].split(","))
        return self._loose.get(_key(f"{match[1]}({inner})"))

    def _first_name(self, text: str, doubtful: bool) -> Iterator[tuple[str, bool]]:
        """The votes for everybody named in the object of a sentence about the own vote: its first words."""
        rest = re.sub(r"[\"'„“”«»「」『』`]", "", text)
        names = sorted((a[5:-1] for a in self._exact if a.startswith("vote(")), key=len, reverse=True)
        pattern = "|".join(re.escape(name) for name in names)
        match = re.match(rf"(?:{pattern})(?!\w)", rest) if names else None
        if match:
            other = re.match(rf"\s*(?:and|or|,|/|&)\s*({pattern})(?!\w)", rest[match.end() :])
            yield f"vote({match[0]})", doubtful
            if other:
                yield f"vote({other[1]})", doubtful
        elif re.match(r"(?:to )?skip\b", rest, re.IGNORECASE):
            yield "skip()", doubtful

    # --- the end -----------------------------------------------------------------------------------------------------

    def _checked(self, action: str, say: str | None, form: Form, cut: bool = False) -> Parsed:
        """The decision, if it is legal and its words fit."""
        if cut:
            return failed(CUT_OFF, "it was cut off by the limit on its length before it was complete")
        if action not in self.legal:
            return failed(ILLEGAL, f"{action} is not possible now")
        words = clean_words(say) if say and self.max_say else ""
        if len(words) > self.max_say > 0:
            detail = f"what it says has {len(words)} characters; at most {self.max_say} are allowed"
            return failed(TOO_LONG, detail, shorten(words, self.max_say), action)
        return Parsed(action, words or None, form)

    def _split_say(self, text: str) -> tuple[str, str | None]:
        """(the reply without its `say(...)`, what it says), so that words spoken are never taken for actions."""
        match = re.search(r"(?:\|\s*|^[ \t]*)[`*]*say\s*[(（]", text, re.IGNORECASE | re.MULTILINE)
        if not match:
            return text, None
        end = _closing(text, match.end())
        words = unquoted(text[match.end() : end])
        return text[: match.start()].rstrip(" |\t`*") + "\n" + text[end + 1 :].lstrip("`* \t"), words


def _closing(text: str, start: int) -> int:
    """Where the bracket that opened before ``start`` closes; the end of the text where it does not."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] in "(（") - (text[place] in ")）")
        if depth == 0:
            return place
    return len(text)


def _nothing(thought: bool, cut: bool) -> Parsed:
    if cut:
        return failed(CUT_OFF, "it reached the limit on its length before any answer; think less, and answer first")
    if thought:
        return failed(REASONING_ONLY, "it has reasoning but no answer behind it")
    return failed(EMPTY, "it is empty")


def _ambiguous(actions: set[str]) -> Parsed:
    return failed(AMBIGUOUS, f"it names more than one action: {_listed(actions)}")


def _listed(actions: set[str]) -> str:
    return ", ".join(sorted(actions))


def json_objects(text: str) -> list[tuple[dict[str, Any], int, int]]:
    """Every JSON object that stands in a text, outermost ones only, with where it begins and ends."""
    found: list[tuple[dict[str, Any], int, int]] = []
    decoder = json.JSONDecoder()
    place = text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value, dict):
                inner = [v for v in value.values() if isinstance(v, dict)]
                found.append((inner[0] if len(inner) == 1 and len(value) == 1 else value, place, end))
        place = text.find("{", end)
    return found


# --- speech ----------------------------------------------------------------------------------------------------------


def read_speech(
    content: str | None, reasoning: str | None, finish_reason: str | None, speaker: str, max_say: int
) -> Parsed:
    """The utterance of a reply in a discussion: its words as they are, without reasoning, fences and wrapping."""
    cut = finish_reason == "length"
    visible = without_thoughts(content or "")
    words = clean_words(_unwrapped(_FENCE.sub("", visible).strip(), speaker))
    if not words.strip("`~\"' \n"):
        return _nothing(bool((content or "").strip() or (reasoning or "").strip()), cut)
    if cut:
        return failed(CUT_OFF, "it was cut off by the limit on its length before it was complete")
    if len(words) > max_say:
        detail = f"it has {len(words)} characters; at most {max_say} are allowed"
        return failed(TOO_LONG, detail, shorten(words, max_say), "speak()")
    return Parsed("speak()", words, "text")


def _unwrapped(text: str, speaker: str) -> str:
    """The words within `{"say": ...}`, `speak(...)`, `Name: ...` or quotation marks around the whole."""
    objects = json_objects(text)
    if len(objects) == 1 and not (text[: objects[0][1]] + text[objects[0][2] :]).strip():
        data = objects[0][0]
        said = next((data[k] for k in ("say", "statement", "message", "speech", "text", "response") if k in data), None)
        return said if isinstance(said, str) else ""
    call = re.match(r"^(?:speak|say)\s*[(（]", text, re.IGNORECASE)
    if call and _closing(text, call.end()) >= len(text.rstrip().rstrip(".")) - 1:
        text = text[call.end() : _closing(text, call.end())]
    prefix = re.match(rf"^\**{re.escape(speaker)}\**\s*[:：]\**\s*", text)
    return unquoted(text[prefix.end() :] if prefix else text) if _wrapped(text, prefix) else text


def _wrapped(text: str, prefix: re.Match[str] | None) -> bool:
    """Whether the quotation marks at both ends, if any, belong to each other; a name before them counts as wrapping."""
    inner = (text[prefix.end() :] if prefix else text).strip()
    if len(inner) < 2 or not (_is_quote(inner[0]) and _is_quote(inner[-1])):
        return prefix is not None
    return not any(_is_quote(c) and c != "'" and unicodedata.category(c) != "Pf" for c in inner[1:-1])
