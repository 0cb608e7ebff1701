"""Fixtures of the tests of situations."""

from __future__ import annotations

import importlib.util

from ..vlm.conftest import serve

if importlib.util.find_spec("litellm") is None:  # the extra "llm" is not installed: what needs it is not collected
    collect_ignore = ["test_models.py"]

__all__ = ["serve"]
