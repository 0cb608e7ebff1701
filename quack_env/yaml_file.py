"""Reading one YAML document strictly, for configurations and maps alike."""

from __future__ import annotations

import difflib
import os
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import yaml

from quack_env.errors import ConfigError

MAX_CHARACTERS = 250_000
"""Of a document: a hundred times what a map or a situation takes, and read in about a second."""


class StrictLoader(yaml.SafeLoader):
    """A safe loader that refuses a key given twice, where YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag == "tag:yaml.org,2002:merge":
                continue  # an unhashable key the base class refuses, with its line; `<<` it merges
            key = self.construct_object(key_node)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key!r}", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(text: str, source: str, error: type[ConfigError], loader: type[StrictLoader] = StrictLoader) -> Any:
    """The content of the one YAML document in `text`; `None` where it is empty.

    Args:
        text: The YAML.
        source: What the messages call it, mostly a file name.
        error: The class of error to raise.
        loader: What makes values of the document's parts.

    Raises:
        ConfigError: of the class `error`, with the line, where `text` is no YAML or repeats a key; where it is longer
            than `MAX_CHARACTERS`.
    """
    if len(text) > MAX_CHARACTERS:
        raise error(f"{source}: has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    try:
        return yaml.load(text, Loader=loader)  # a subclass of the safe loader
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        where = f"{source}, line {mark.line + 1}" if mark else source
        raise error(f"{where}: {one_line(fault.problem or fault.context)}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        raise error(f"{source}: not readable as YAML: {one_line(fault)}") from None


def read_yaml_file(path: str | os.PathLike[str], error: type[ConfigError]) -> Any:
    """The content of the YAML file at `path`; `None` where it is empty.

    Raises:
        ConfigError: of the class `error`, where the file cannot be read, is not UTF-8 or no valid YAML.
    """
    source = os.fspath(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise error(f"{source}: {not_utf8(fault)}") from None
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else fault
        raise error(f"{source}: cannot be read: {one_line(reason)}") from None
    return read_yaml(text, source, error)


def one_line(value: object, limit: int = 120) -> str:
    """`value` as text on one line, at most `limit` characters long."""
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def not_utf8(fault: UnicodeDecodeError) -> str:
    """What is wrong with bytes that are no UTF-8, for an error message; bytes are counted from 1."""
    return f"not UTF-8 text (byte {fault.start + 1} is 0x{fault.object[fault.start]:02x})"


def unknown_value(value: object, allowed: Iterable[str]) -> str:
    """The message for a value that is none of those allowed, with the one that was probably meant."""
    known = list(allowed)
    hint = meant(value, known) or f" (must be one of {', '.join(known)})"
    return f"{shown(value)} is unknown{hint}"


def meant(value: object, known: Iterable[str]) -> str:
    """The end of a message about an unknown value: " (did you mean 'ship'?)", or "" where nothing known is like it."""
    close = difflib.get_close_matches(str(value), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def shown(value: object) -> str:
    """`value` as Python would write it, short and on one line, for an error message."""
    return one_line(repr(value), 80)
