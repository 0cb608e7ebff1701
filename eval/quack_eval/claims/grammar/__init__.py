"""The grammar extractor: from an utterance to claims without a model."""

from __future__ import annotations

from quack_eval.claims.grammar.extractor import extract

__all__ = ["extract"]
