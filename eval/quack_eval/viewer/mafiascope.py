"""A game recorded by MafiaScope as the page of a game reads it: no ship, but words, votes, deaths and beliefs.

A line of its `game.jsonl` is an event, its round stands in place of the tick; Mafia are Ducks, all others Geese.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quack_env.render.text import initial
from quack_eval.beliefs.games import BeliefGame
from quack_eval.importers.mafiascope import SPEECHES, read, recording
from quack_eval.viewer.ship import figures

KINDS = {"night_kill": "kill", "day_eliminate": "ejected", "game_over": "game_over", "setup": "leg_start"}
FRAMES = {"statement": "speech", "ejected": "result", "game_over": "over"}
Line = Mapping[str, Any]


def mafiascope_data(folder: Path) -> dict[str, Any]:
    """Everything that the page of a game shows, JSON-ready; what these recordings have no word of is empty.

    Raises:
        TrajectoryError: where a line is damaged, or the game has no setup.
    """
    lines, game = recording(folder).lines, read(folder)
    seats = {name: number for number, name in enumerate(game.agents)}
    gone = {seats[name]: line - 1 for name, line in game.gone.items()}
    events = [_event(p, line, seats, gone) for p, line in enumerate(lines)]
    over = next((line for line in lines if line["kind"] == "game_over"), None)
    policies = [{game.policies[name] for name in game.agents if game.is_duck(name) == duck} for duck in (False, True)]
    nobody: list[Any] = [[] for _ in seats]
    return {
        "kind": "game",
        "title": folder.name,
        "setting": " x ".join("+".join(sorted(names)) for names in policies),
        "seed": "unknown",
        "status": "finished" if over else "aborted",
        "outcome": {"winner": over["winner"], "reason": "the game was over"} if over else None,
        "made_by": "MafiaScope",
        "time": "Round",
        "config": {},
        "speech": "text",
        "notes": _notes(game, over is not None),
        "figures": figures(),
        "seats": _seats(game, lines[0]),
        "ship": None,
        "frames": [[p, event[0], FRAMES.get(event[1], "tick")] for p, event in enumerate(events)],
        "events": events,
        "stays": nobody,
        "gone": {str(seat): instant for seat, instant in gone.items()},
        "agents": [
            {"sees": [], "shown": [], "perceived": [p for p, event in enumerate(events) if event[6] >> seat & 1]}
            for seat in seats.values()
        ],
        "meetings": _meetings(game, events, seats),
        "findings": [],
        "calls": None,
        "beliefs": _beliefs(game, seats),
    }


def _notes(game: BeliefGame, ended: bool) -> list[str]:
    notes = [] if ended else ["This recording has no end."]
    notes.append(
        "A recording of MafiaScope: there is no ship, so nobody's way can be seen and no claim about it judged. "
        "It has what was said, votes, deaths and the answers of the probes; the prompts of the game are not in it."
    )
    return notes + list(game.flagged)


def _seats(game: BeliefGame, setup: Line) -> list[dict[str, Any]]:
    parts = {player["name"]: player["role"] for player in setup["players"]}
    return [
        {
            "name": name,
            "letter": initial(name, number),
            "agent": name,
            "role": game.role(name),
            "part": parts[name],
            "policy": game.policies[name],
            "tasks": [],
        }
        for number, name in enumerate(game.agents)
    ]


def _event(p: int, line: Line, seats: Mapping[str, int], gone: Mapping[int, int]) -> list[Any]:
    """A line as an event: [tick, kind, actor, target, room, to, seen by, words, utterance]."""
    kind, actor = line["kind"], seats.get(str(line.get("player")))
    target = seats.get(str(line.get("victim") or line.get("eliminated")))
    everybody = sum(1 << seat for seat in seats.values() if gone.get(seat, p + 1) >= p)
    private = kind.startswith("night_") and actor is not None
    seen = 1 << actor if private and actor is not None else everybody
    said = str(line.get("response") or "") if kind in SPEECHES else None
    made = "statement" if kind in SPEECHES else KINDS.get(kind, kind)
    return [line["round"], made, actor, target, None, None, seen, _words(line), said]


def _words(line: Line) -> str:
    kind, who = line["kind"], line.get("player")
    if kind.startswith("night_") and who:
        return f"{who}, at night: {line.get('response') or ''}"
    tally = ", ".join(f"{name} {count}" for name, count in (line.get("tally") or {}).items())
    return {
        "night_kill": f"{line.get('victim')} was killed at night",
        "night_analysis": str(line.get("night_result") or "the night is over"),
        "vote_tally": f"the votes: {tally}",
        "day_eliminate": f"{line.get('eliminated')} was voted out, a {line.get('role')}",
        "game_over": f"the game is over: {line.get('winner')} wins",
    }.get(kind, "")


def _meetings(game: BeliefGame, events: Sequence[Sequence[Any]], seats: Mapping[str, int]) -> list[dict[str, Any]]:
    """One for every round in which somebody spoke to all; the introductions are the first."""
    rounds: dict[int, list[int]] = {}
    for p, event in enumerate(events):
        if event[1] in ("statement", "vote_tally", "ejected"):
            rounds.setdefault(event[0], []).append(p)
    found: list[dict[str, Any]] = []
    for number, (name, places) in enumerate(rounds.items()):
        spoken = [p for p in places if events[p][1] == "statement"]
        ejected = [events[p][3] for p in places if events[p][1] == "ejected"]
        votes = [
            [vote.at, seats[vote.voter], None if vote.target is None else seats[vote.target]]
            for vote in game.votes
            if vote.at in places
        ]
        found.append(
            {
                "number": number,
                "title": f"Round {name}" if name else "Introductions",
                "tick": name,
                "caller": None,
                "by_body": False,
                "bodies": [],
                "call": places[0],
                "end": places[-1],
                "spoken": [_spoken(p, events[p], events, spoken) for p in spoken],
                "votes": votes,
                "ejected": ejected[0] if ejected else None,
                "voted": bool(votes),
            }
        )
    return found


def _spoken(p: int, event: Sequence[Any], events: Sequence[Sequence[Any]], spoken: Sequence[int]) -> dict[str, Any]:
    """An utterance; ``round``: how often its speaker had spoken then."""
    times = sum(events[q][2] == event[2] for q in spoken if q <= p)
    return {"event": p, "speaker": event[2], "round": times, "pieces": [[event[8], []]]}


def _beliefs(game: BeliefGame, seats: Mapping[str, int]) -> dict[str, Any]:
    rows = [
        [belief.event_index, seats[belief.observer], seats[belief.target], belief.p_duck, belief.trigger]
        for belief in game.first_order
    ]
    failed = sum(belief.order == 1 and not belief.parsed_ok for belief in game.beliefs)
    return {"rows": rows, "failed": failed, "second": len(game.second_order)}
