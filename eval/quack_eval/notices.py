"""What readers of numbers have to be told beside them, each in one line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quack_env.encode.text import counted

if TYPE_CHECKING:
    from quack_eval.evaluation import EvaluatedGame


def several_sources(sources: Mapping[str, int]) -> str | None:
    """What to tell the reader of numbers whose claims come from these sources (games of each); None of a single one."""
    if len(sources) < 2:
        return None
    told = ", ".join(f"{name} ({counted(games, 'game')})" for name, games in sorted(sources.items()))
    return (
        f"claims come from several sources: {told}; rates of different sources are not to be compared, and "
        "--extractor takes one for all games"
    )


def pooled_games(setting: str, games: Iterable[EvaluatedGame]) -> str | None:
    """What to tell of a setting whose games were played on several maps or under several settings; None of others."""
    listed = list(games)
    maps = {json.dumps(game.game_map, sort_keys=True): str(game.game_map.get("name")) for game in listed}
    fields = dict.fromkeys(name for game in listed for name in game.config)
    differing = [name for name in fields if len({repr(game.config.get(name)) for game in listed}) > 1]
    told = [f"on different maps ({', '.join(dict.fromkeys(maps.values()))})"] if len(maps) > 1 else []
    told += [f"with different {', '.join(differing)}"] if differing else []
    return f"{setting}: games {' and '.join(told)} are taken together; evaluate their folders apart" if told else None


def without_ship(paths: Iterable[Path]) -> str | None:
    """What to tell of paths at or below which games of MafiaScope lie beside others; None of those without."""
    from quack_eval.importers import mafiascope  # which imports the measures of beliefs

    found = {folder.resolve() for path in paths for folder in mafiascope.find(path)}
    if not found:
        return None
    games = counted(len(found), "game")
    return f"left out of all but beliefs: {games} of MafiaScope, without a ship to replay; quack beliefs reads them"
