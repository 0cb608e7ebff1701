"""Fixtures of the tests of probes."""

from __future__ import annotations

import importlib.util

from ..vlm.conftest import serve

if importlib.util.find_spec("litellm") is None:  # the extra "llm" is not installed: what needs it is not collected
    collect_ignore = ["test_models.py", "test_noninvasive.py"]

__all__ = ["serve"]
