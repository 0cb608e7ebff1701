"""Sentences of a token list, what is quoted in them, and what of them asks instead of asserting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import GERUND, PARTICIPLE, VERBS, word_set

_ASKING = word_set("who what where when why how which did do does were was are is can could would will have has should")
_OPENS = frozenset({",", "—", ";", ":", "("})
_AFTER_IS = word_set(
    "the a an not in at been just also still clearly literally definitely our going got always now either most"
    " n't never only very so too being right already actually really back near your my supposedly lying"
)
_CURSES = frozenset({"hell", "heck", "earth", "world"})
"""where the hell, what on earth."""
_HELD = frozenset(
    {"it", "he", "she", "that", "there", "who", "what", "here", "this", "where", "let", "everyone", "how"}
)


def sentences(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The sentences, each without its question, if it asks one."""
    sentence: list[Token] = []
    for token in _with_is(tokens):
        if token.kind == "line" or token.text in (".", "!", "?"):
            if sentence:
                yield _without_question(sentence) if token.text == "?" else sentence
            sentence = []
        else:
            sentence.append(token)
    if sentence:
        yield sentence


def _with_is(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with every 's told apart: `is` as a word, the possessive as a mark of kind poss."""
    for p, token in enumerate(tokens):
        if token.text == "'s":
            after = tokens[p + 1] if p + 1 < len(tokens) else None
            if _is_verb(tokens[p - 1] if p else None, after):
                token.text = "is"
            else:
                token.kind = "poss"
        yield token


def _is_verb(before: Token | None, after: Token | None) -> bool:
    if before is not None and before.text in _HELD:
        return True
    if after is None or after.kind != "word":
        return False
    verb = VERBS.get(after.text)
    return after.text in _AFTER_IS or (
        verb is not None and verb.form in (GERUND, PARTICIPLE) and after.text != "meeting"
    )


def _without_question(sentence: list[Token]) -> list[Token]:
    """What a question asserts: what stands before it, or what it repeats."""
    return _granted(sentence) or _doing_there(sentence) or _before_question(sentence)


def _doing_there(sentence: list[Token]) -> list[Token]:
    """What a question takes for granted: "Bob, what were you doing in R?" that he was there."""
    words = [token.text for token in sentence]
    for p in range(len(words) - 4):
        asks = words[p] in ("what", "why", "when") and (p == 0 or sentence[p - 1].text in _OPENS | {"so", "and", "but"})
        was = p + 1 + (words[p + 1] in ("exactly", "else"))
        if not asks or words[was] not in ("was", "were") or not _is_somebody(sentence[was + 1]):
            continue
        rest = was + 2 + (words[was + 2] == "doing")
        ends = [q for q in range(rest, len(words)) if words[q] in _OPENS | {"and", "but", "when"}]
        end = next((q for q in ends if words[q] != "and" or sentence[q + 1].kind != "room"), len(words))
        stays = words[rest : rest + 1] == ["still"] or words[rest] in (
            "in",
            "at",
            "over",
            "near",
            "standing",
            "sitting",
        )
        if stays and (words[rest - 1] == "doing") == (words[p] == "what"):
            return [*sentence[:p], sentence[was + 1], sentence[was], *sentence[rest:end]]
    return []


def _is_somebody(token: Token) -> bool:
    return token.kind == "name" or token.text in ("you", "he", "she", "they")


def _granted(sentence: list[Token]) -> list[Token]:
    """What a question repeats of somebody's words: "[were you in R] as Bob says?"."""
    words = [token.text for token in sentence]
    if len(words) < 6 or words[-1] not in ("says", "said", "claims", "claimed") or words[-3] not in ("like", "as"):
        return []
    for p in range(min(4, len(words))):
        if (p == 0 or words[p - 1] in _OPENS) and words[p] in ("were", "was", "are", "is", "did"):
            return [*sentence[:p], sentence[p + 1], sentence[p], *sentence[p + 2 : -3]]
    return []


def _before_question(sentence: list[Token]) -> list[Token]:
    """What stands before the question: it begins at an interrogative, after a comma, a dash or the beginning."""
    for p in range(len(sentence) - 1, -1, -1):
        opens = p == 0 or sentence[p - 1].text in _OPENS or sentence[p - 1].text in ("and", "but", "so", "or")
        if opens and sentence[p].text in _ASKING and not _subordinate(sentence, p):
            left = sentence[:p]
            return _before_question(left) if left and left[-1].text == "or" else _unasked(left)
    return sentence if _only_marked(sentence) else []


def _only_marked(sentence: list[Token]) -> bool:
    """Whether only the mark makes it a question: "you say you found him in R, but then you walked off?"."""
    asks = any(token.text in ("who", "what", "why", "how", "if") for token in sentence)
    return len(sentence) > 9 and not asks and not any(_turned(sentence, p) for p in range(len(sentence)))


def _unasked(left: list[Token]) -> list[Token]:
    """What stands before a question, without a question that begins it: "Bob, when did you go, [and why?]"."""
    for p in range(len(left)):
        opens = p == 0 or left[p - 1].text in _OPENS
        if opens and (_turned(left, p) or (p < 3 and left[p].text in _ASKING and not _subordinate(left, p))):
            return left[:p]
    return left


def _turned(sentence: list[Token], p: int) -> bool:
    """Whether a verb stands before its subject: "were you in R"."""
    if p + 1 >= len(sentence) or sentence[p].text not in (
        "were",
        "was",
        "did",
        "are",
        "is",
        "have",
        "has",
        "do",
        "does",
    ):
        return False
    return sentence[p + 1].kind == "name" or sentence[p + 1].text in ("you", "he", "she", "they", "anyone", "anybody")


def _subordinate(sentence: list[Token], p: int) -> bool:
    """Whether `when ...` or `where ...` here continues a clause and asks nothing."""
    begin = p + 1 + 2 * any(token.text in _CURSES for token in sentence[p + 2 : p + 3])
    words = sentence[begin : begin + 2]
    return sentence[p].text in ("when", "where", "which", "who") and not any(
        token.text in _ASKING or token.text in ("exactly", "else") for token in words
    )
