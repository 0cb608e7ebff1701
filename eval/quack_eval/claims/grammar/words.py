"""Looking at the words of a sentence: what stands at a token, before it, or after words that may be passed over."""

from __future__ import annotations

from collections.abc import Container, Sequence

from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import ADVERBS, VERBS, Verb


def text_at(tokens: Sequence[Token], p: int) -> str:
    """The word at a token, "" outside of the sentence."""
    return tokens[p].text if 0 <= p < len(tokens) else ""


def kind_at(tokens: Sequence[Token], p: int) -> str:
    """The kind of a token, "" outside of the sentence."""
    return tokens[p].kind if 0 <= p < len(tokens) else ""


def verb_at(tokens: Sequence[Token], p: int) -> Verb | None:
    """The form of a verb at a token, None where none stands there."""
    return VERBS.get(text_at(tokens, p))


def texts(tokens: Sequence[Token], first: int, last: int | None = None) -> list[str]:
    """The words from a token, or from the beginning of the sentence, to one before ``last`` or the end."""
    return [token.text for token in tokens[max(0, first) : last]]


def skip(tokens: Sequence[Token], p: int, words: Container[str] = ADVERBS) -> int:
    """Where the first of the words that are not to be passed over stands, from a token on."""
    while p < len(tokens) and tokens[p].text in words:
        p += 1
    return p
