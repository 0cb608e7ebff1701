"""A run as its page reads it: all numbers from `measures.json`, the games from `games.jsonl` and their recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from quack_eval.metrics.tables import LAYOUTS, PERCENT, one_line
from quack_eval.run_folder import RunFolder
from quack_eval.statements import StatementGame, failure

UNSCORED = {
    "aborted": "broken off",
    "infra_failure": "failure outside the game",
    "damaged": "recording damaged",
    "finished": "not evaluated",
}


def run_data(run: RunFolder, pages: Mapping[str, str], statuses: Mapping[str, str]) -> dict[str, Any]:
    """Everything that the page of a run shows, JSON-ready.

    Args:
        run: the run.
        pages: by game, the address of its page.
        statuses: by game, "finished", "aborted", "infra_failure" or "damaged".
    """
    measures = run.measures
    scored = {game: _scored(line) for game, line in run.lines()}
    convention = measures.get("convention", "paper")
    return {
        "kind": "run",
        "title": run.suite.get("name") or run.path.resolve().name,
        "layouts": [
            {
                "title": layout.title,
                "columns": [[name, one_line(heading)] for name, heading, _ in layout.columns],
            }
            for layout in LAYOUTS[convention]
        ],
        "percent": sorted(PERCENT),
        **{
            key: measures.get(key)
            for key in ("settings", "measures", "roles", "comparisons", "ratings", "cost", "failed", "messages")
        },
        "convention": convention,
        "notices": run.notices,
        "games": [_game(run, game, pages[game], statuses[game], scored.get(game)) for game in run.games],
    }


def list_data(title: str, pages: Mapping[str, str]) -> dict[str, Any]:
    """The page of games of which nothing was measured: a mere list."""
    games = [
        {"game": game, "page": page, "status": "finished", "why": "not judged: no ship"} for game, page in pages.items()
    ]
    nothing: dict[str, Any] = {"layouts": [], "percent": [], "settings": {}, "measures": {}, "convention": "paper"}
    return {"kind": "run", "title": title, "games": games} | nothing


def _scored(line: Mapping[str, Any]) -> dict[str, Any]:
    """What the list of games takes from a line of `games.jsonl`."""
    outcome = line.get("tier1") or {}
    ended = {name: outcome.get(name) for name in ("winner", "reason", "ticks", "kills")}
    return {"setting": line["setting"], "seed": line["seed"], **ended}


def _game(run: RunFolder, game: str, page: str, status: str, scored: Mapping[str, Any] | None) -> dict[str, Any]:
    """A line of the list of games: who played, how it ended, what was said."""
    found: dict[str, Any] = {"game": game, "page": page, "status": status}
    if scored is None:
        return found | {"why": UNSCORED[status]}
    said = run.statements.get(game)
    return found | dict(scored) | (_said(said) if said is not None else {})


def _said(game: StatementGame) -> dict[str, Any]:
    """How many claims, first-hand lies of Ducks, exposed ones, and instances of the failure modes."""
    lies = [
        f
        for f in game.findings
        if f.speaker in game.ducks and f.verdict == "false" and f.claim.first_hand and f.kind != "accusation"
    ]
    modes = Counter(mode for f in game.findings if (mode := failure(game, f)))
    exposed = sum(bool(f.details.get("exposed")) for f in lies)
    return {"claims": len(game.findings), "lies": len(lies), "exposed": exposed, "failures": dict(modes)}
