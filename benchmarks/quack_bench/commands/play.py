"""`quack play`: one game, told live, recorded."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.markup import escape

from quack_agents import make_policy
from quack_agents.llm import BudgetError, ModelError
from quack_agents.probe import GameProbe, ProbeConfig
from quack_bench.console import FAILED, MaxUsd, err, guarded, out, print_json
from quack_bench.games import PolicyError, blamed, limited, spent
from quack_bench.runner import check_outside, record_game
from quack_env import ConfigError, Event, GameMap, GameRecord, TrajectoryError
from quack_env.base import one_of, settings_of
from quack_env.beliefs import FILE as BELIEFS
from quack_env.beliefs import BeliefStore
from quack_env.calls import FILE as CALLS
from quack_env.calls import load_calls
from quack_env.chance import game_key
from quack_env.encode.text import counted
from quack_env.events import sentence
from quack_env.trajectory import FILE
from quack_env.world import SPEECH
from quack_env.wrappers import PROBES
from quack_eval.beliefs.load import failed_probes
from quack_eval.metrics.measure import total
from quack_eval.metrics.tables import shown

QUIET = ("wait", "leg_start", "task_step", "arrive", "transit_cancelled", "respawn")
"""Kinds that the live summary leaves out."""


@guarded
def play(
    goose: Annotated[str, typer.Option(help="Policy of the Geese.")] = "scripted",
    duck: Annotated[str, typer.Option(help="Policy of the Ducks.")] = "scripted",
    seat: Annotated[list[str] | None, typer.Option(help="Policy of one seat, as in 2=scripted:cautious.")] = None,
    human: Annotated[int | None, typer.Option(help="The seat that you play in this terminal.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the game.")] = 0,
    config: Annotated[str, typer.Option(help="Preset or YAML file of settings.")] = "default",
    game_map: Annotated[str | None, typer.Option("--map", help="Shipped map or YAML file.")] = None,
    players: Annotated[int | None, typer.Option(help="Number of players.")] = None,
    ducks: Annotated[int | None, typer.Option(help="Number of Ducks.")] = None,
    max_ticks: Annotated[int | None, typer.Option(help="Ticks after which the game ends.")] = None,
    speech: Annotated[str, typer.Option(help="tokens, text or off.")] = "text",
    out_dir: Annotated[Path | None, typer.Option("--out", help="Folder of the recording.")] = None,
    save_images: Annotated[bool, typer.Option(help="Keep the pictures that models were sent.")] = False,
    max_usd: MaxUsd = None,
    probe: Annotated[
        str | None,
        typer.Option(
            help="Ask what players believe: once_per_meeting, meetings, every_event, triggers, or a YAML file."
        ),
    ] = None,
    render: Annotated[bool, typer.Option(help="Show the game in a window (right: step, space: run).")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Play one game, told live in the terminal, and record it.

    Policies: random, scripted, scripted:aggressive, scripted:cautious, bayesian, human, rl:duck and rl:goose (with
    --speech tokens), rl:PATH of a trained network, a model as PROVIDER/NAME (extra "llm").
    A game that breaks off cannot be resumed: it is to be played anew. quack bench resumes, and pays no reply twice.

    Example: quack play --goose scripted --duck scripted:aggressive --seed 7 --out runs/first
    """
    one_of("speech", speech, SPEECH)
    settings = settings_of(config, n_players=players, n_ducks=ducks, max_ticks=max_ticks)
    world_map = GameMap.load(game_map or settings.map)
    seats = seats_of(seat or [], settings.n_players)
    if human is not None:
        if not 0 <= human < settings.n_players or f"player_{human}" in seats:
            raise ConfigError(f"--human {human}: must be a seat from 0 to {settings.n_players - 1} without a --seat")
        seats[f"player_{human}"] = "human"
    policies = dict.fromkeys((goose, duck, *seats.values()))
    for name in policies:
        make_policy(name)
    limited(max_usd, policies)
    probing = ProbeConfig.of(probe) if probe is not None else None
    folder = out_dir or free_folder(Path("runs/play"), seed)
    check_outside(folder)
    told = not json and "human" not in seats.values()
    teller = Teller(f"Seed {seed} on {world_map.name}, key {game_key(seed):016x}.", folder) if told else None
    store = BeliefStore(folder / BELIEFS)
    # a person's questions are no JSON
    asking = redirect_stdout(sys.stderr) if json else nullcontext()
    try:
        with blamed(), kept_or_gone(folder), asking, closing(store):
            result = record_game(
                settings,
                speech,
                seed,
                folder,
                lambda is_duck: duck if is_duck else goose,
                seats,
                game_map=world_map,
                listener=teller,
                render_mode="human" if render else None,
                save_images=save_images,
                probe=GameProbe(probing, store) if probing is not None else None,
            )
    except PolicyError as fault:
        where = f"{folder}: " if folder.exists() else ""  # a game that was refused has none
        err.print(f"failed, not finished: {where}{fault}", markup=False, soft_wrap=True)
        raise typer.Exit(FAILED) from None
    summary = summary_of(GameRecord.load(folder), folder)
    if failures := failed_probes(folder):
        err.print(failures, soft_wrap=True)
    if json:
        print_json(summary)
        return
    ended = f"({result.reason}) after {counted(summary['ticks'], 'tick')}; recorded in {escape(str(folder))}."
    out.print(f"[bold]The {result.winner} win[/] {ended}", markup=True, soft_wrap=True)
    tell_cost(summary["calls"], summary["cost_usd"])
    err.print(f"See it again: quack replay {quote(str(folder))}", style="dim", soft_wrap=True)


@contextmanager
def kept_or_gone(folder: Path) -> Iterator[None]:
    """Around a game that a model's failure may break off: says what is kept, or leaves nothing where nobody acted."""
    before = set(folder.iterdir()) if folder.is_dir() else None
    try:
        yield
    except (ModelError, BudgetError):
        if anybody_acted(folder):
            told = f"what was recorded until then is kept in {folder}; it is no finished game"
        elif before is None:
            shutil.rmtree(folder)
            told = f"nothing was played, and {folder} is not kept"
        else:
            for path in set(folder.iterdir()) - before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            told = f"nothing was played, and nothing of it is kept in {folder}"
        err.print(told, markup=False, soft_wrap=True)
        raise


def anybody_acted(folder: Path) -> bool:
    """Whether a recording holds any event of a player or answer of a model; not one that cannot be read."""
    try:
        acted = any(event.kind != "leg_start" for event in GameRecord.load(folder).events)
        calls = [call for file in (folder, folder / PROBES) for call in load_calls(file)]
    except TrajectoryError:
        return False
    return acted or any(call["error"] is None for call in calls)


def took(folder: Path) -> dict[str, Any]:
    """What all games at or below a folder took, probes included, JSON-ready: ``calls`` of models, and ``cost_usd``,
    None where not known."""
    found = [spent(file) for name in (CALLS, PROBES) for file in sorted(folder.rglob(name))]
    return {"calls": sum(calls for calls, _, _ in found), "cost_usd": total(usd for _, _, usd in found)}


def tell_cost(calls: int, cost_usd: float | None) -> None:
    """On standard error, what calls of models took, where there were any."""
    if calls:
        cost = "at an unknown price" if cost_usd is None else f"for US $ {shown(cost_usd, False)}"
        err.print(f"{counted(calls, 'call')} of models {cost}", markup=False, soft_wrap=True)


class Teller:
    """Tells the events of a game as they are recorded, in words; first what game it is, and where it is recorded."""

    def __init__(self, game: str, folder: Path) -> None:
        self.game = game
        self.folder = folder
        self.names: list[str] = []

    def __call__(self, events: list[Event]) -> None:
        if not self.names:
            out.print(f"{self.game} Recording to {self.folder}.", markup=False, soft_wrap=True)
            self.names = GameRecord.load(self.folder).names
        for event in events:
            if event.kind not in QUIET:
                out.print(told(event, self.names), markup=False)


def told(event: Event, names: list[str]) -> str:
    """One line about an event."""
    if event.kind in ("chat", "statement"):
        where = f" (in {event.room})" if event.kind == "chat" else ""
        return f"  t{event.tick:<4}{names[event.actor or 0]}{where}: {event.text}"
    return f"  t{event.tick:<4}{sentence(event, names)}"


def seats_of(given: list[str], n_players: int) -> dict[str, str]:
    """Agents and policies of `SEAT=POLICY` options."""
    seats: dict[str, str] = {}
    for option in given:
        number, equals, policy = option.partition("=")
        if not equals or not number.isdigit() or int(number) >= n_players or not policy:
            raise ConfigError(f"--seat {option}: must be SEAT=POLICY with a seat from 0 to {n_players - 1}")
        if f"player_{int(number)}" in seats:
            raise ConfigError(f"--seat {option}: seat {int(number)} has a policy already")
        seats[f"player_{int(number)}"] = policy
    return seats


def free_folder(parent: Path, seed: int) -> Path:
    """The first folder for a game of this seed that holds none."""
    attempt = 0
    while (parent / f"seed-{seed:03d}-{attempt:02d}" / FILE).exists():
        attempt += 1
    return parent / f"seed-{seed:03d}-{attempt:02d}"


def summary_of(record: GameRecord, folder: Path) -> dict[str, Any]:
    """The game in a few numbers, JSON-ready."""
    result = record.outcome
    kinds = [event.kind for event in record.events]
    return {
        "path": str(folder),
        "seed": record.header.seed,
        "winner": result.winner if result else None,
        "reason": result.reason if result else None,
        "ticks": record.events[-1].tick if record.events else 0,
        "kills": kinds.count("kill"),
        "meetings": kinds.count("meeting_called"),
        "ejections": kinds.count("ejected"),
        "events": len(kinds),
    } | took(folder)
