"""`quack beliefs`: what agents believed when, what that is worth, and how it looks."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from quack_bench.console import err, guarded, out, print_json, print_table, progress
from quack_env import ConfigError, TrajectoryError
from quack_env.beliefs import Belief, BeliefStore, game_id_of
from quack_env.yaml_file import meant
from quack_eval import BeliefEval, Trajectory, find_games
from quack_eval.beliefs import BeliefGame, belief_games, game_of, reference_beliefs
from quack_eval.beliefs.load import told_failures
from quack_eval.beliefs.published import MEASURES, PublishedBeliefs, published_beliefs
from quack_eval.importers import mafiascope
from quack_eval.metrics.tables import Keyed, shown

SHOWN = 40
LISTED = 12
"""Values of a filter that are named at most where a wrong one was given."""


@guarded
def beliefs(
    path: Annotated[Path, typer.Argument(help="A run with probed games, or recordings of MafiaScope.")],
    rows: Annotated[bool, typer.Option("--rows", help="List the beliefs instead of measuring them.")] = False,
    game: Annotated[str | None, typer.Option(help="Only this game; its last part will do, as in seed-000.")] = None,
    observer: Annotated[
        str | None, typer.Option(help="Only what this player believes, as in player_0 or Alice.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="Only what is believed of this player.")] = None,
    trigger: Annotated[str | None, typer.Option(help="Only snapshots taken for this, as in before_vote.")] = None,
    order: Annotated[int | None, typer.Option(min=1, max=2, help="1: of others; 2: of what others believe.")] = None,
    export: Annotated[Path | None, typer.Option(help="Write the beliefs to a file: .csv or .parquet.")] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="Folder for pictures: a page for every game, and index.html.")
    ] = None,
    png: Annotated[bool, typer.Option("--png", help="With --pictures: also a PNG of every picture.")] = False,
    out_dir: Annotated[Path | None, typer.Option("--out", help="Folder for beliefs.json and tables.")] = None,
    bayesian: Annotated[
        bool, typer.Option("--bayesian", help="Ask the Bayesian observer, after every event, instead of the store.")
    ] = False,
    reference: Annotated[
        bool, typer.Option(help="Hold beliefs against the Bayesian observer (replays every game).")
    ] = True,
    convention: Annotated[str, typer.Option(help="paper, or published: MafiaScope's own numbers.")] = "paper",
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Measure, list, export or draw what agents believed.

    Players are called as in the environment (player_0, ...) or by their names in the game (Alice, ...). The filters
    hold for everything but --convention. Beliefs come of quack play --probe and of the field probes of a suite;
    --bayesian needs none, only recorded games.

    Example: quack play --probe meetings --out runs/asked && quack beliefs runs/asked --pictures runs/asked/pictures
    """
    if convention not in ("paper", "published"):
        raise ConfigError(f"--convention {convention}: must be paper or published")
    if png and pictures is None:
        raise ConfigError("--png: needs --pictures")
    if convention == "published":
        show_published(path, json)
        return
    damaged: list[str] = []
    with progress("Reading") as advance:
        found = observed(path, game, advance, damaged) if bayesian else belief_games(path, advance, damaged)
    for message in damaged:
        err.print(f"left out: {message}", markup=False, soft_wrap=True)
    filters = {"game": game, "observer": observer, "target": target, "trigger": trigger, "order": order}
    given = {option: str(value) for option, value in filters.items() if value is not None}
    if game is not None:
        game = given["game"] = whole_id(game, values_of(found, "game"))
    for option, chosen in given.items():
        names = names_of(found, option) if option in ("observer", "target") else ()
        check_filter(option, chosen, values_of(found, option), names)
    games = [kept for one in found if (kept := filtered(one, game, observer, target, trigger, order)).beliefs]
    if not games:
        wanted = " ".join(f"--{option} {chosen}" for option, chosen in given.items())
        raise ConfigError(f"{path}: no belief in it" + (f" is all of {wanted}" if wanted else ""))
    if export is not None:
        write_rows(games, export)
    pages: dict[str, Path] = {}
    if pictures is not None:
        with progress("Drawing") as advance:
            for done, one in enumerate(games):
                advance(done, len(games))
                pages[one.game_id or "game"] = draw(one, pictures, png)
    if rows:
        if pictures is not None:
            tell_pages(pages, path, pictures)
        show_rows(games, json)
        return
    with progress("Measuring") as advance:
        evaluation = BeliefEval(games, reference=reference, progress=advance)
    if pictures is not None:
        tell_pages({"Calibration": draw_calibration(evaluation, pictures, png), **pages}, path, pictures)
    if out_dir is not None:
        evaluation.save(out_dir)
    if json:
        print_json(evaluation.to_json())
    else:
        for table in evaluation.tables():
            print_table(table)
    for flaw in (*evaluation.flagged, told_failures(rows_of(games))):
        if flaw:
            err.print(flaw, soft_wrap=True)


def observed(path: Path, game: str | None, advance: Any, damaged: list[str]) -> list[BeliefGame]:
    """The recorded games below a path as the Bayesian observer saw them from every seat; ``damaged`` takes what is
    wrong with those that are left out.

    Raises:
        ConfigError: where a game is chosen that is not there, or none can be read.
    """
    found: list[BeliefGame] = []
    folders = {game_id_of(folder, path): folder for folder in find_games([path])}
    game = game and whole_id(game, folders)
    check_filter("game", game, folders)
    for done, name in enumerate([game] if game is not None else folders):
        advance(done, len(folders))
        try:
            found.append(observed_game(folders[name], name))
        except TrajectoryError as fault:
            damaged.append(str(fault))
    if not found:
        raise ConfigError(f"{path}: no game can be read; the first: {damaged[0]}")
    return found


def observed_game(folder: Path, name: str) -> BeliefGame:
    """One of them."""
    trajectory = Trajectory.load(folder)
    seats = [seat.model_copy(update={"policy": "bayesian"}) for seat in trajectory.header.seats]
    trajectory.header = trajectory.header.model_copy(update={"seats": seats})
    return game_of(trajectory, reference_beliefs(trajectory, name), name)


def values_of(games: Iterable[BeliefGame], option: str) -> set[str]:
    """What there is to choose from by an option of this name."""
    found = rows_of(games)
    if option == "trigger":
        return {trigger for belief in found for trigger in belief.trigger.split("+")}
    return {str(getattr(belief, "game_id" if option == "game" else option)) for belief in found}


def names_of(games: Iterable[BeliefGame], option: str) -> set[str]:
    """How those who can be chosen by an option of players are called in their games, which deal names anew."""
    chosen = ((game, getattr(belief, option)) for game in games for belief in game.beliefs)
    return {game.names.get(agent, agent) for game, agent in chosen}


def whole_id(game: str, there: Iterable[str]) -> str:
    """The only game of which this is the last part, as seed-000 of demo/seed-000; else what was given.

    Raises:
        ConfigError: where it is the last part of several.
    """
    ending = sorted(name for name in there if name.endswith(f"/{game}"))
    if game in there or not ending:
        return game
    if len(ending) > 1:
        raise ConfigError(f"--game {game}: {len(ending)} games end so; choose one of {at_most(ending)}")
    return ending[0]


def at_most(names: Sequence[str]) -> str:
    """The first `LISTED` of them, and how many more there are."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def check_filter(option: str, value: str | None, there: Collection[str], names: Collection[str] = ()) -> None:
    """Nothing, where an option is not given or chooses something; ``names`` choose, too.

    Raises:
        ConfigError: where it does not, with what there is.
    """
    if value is None or value in there or value in names:
        return
    hint = meant(value, [*there, *names])
    listed = sorted(there) + sorted(set(names) - set(there))
    raise ConfigError(f"--{option} {value}: no belief is like that{hint}; there are {at_most(listed)}")


def filtered(
    one: BeliefGame,
    game: str | None,
    observer: str | None,
    target: str | None,
    trigger: str | None,
    order: int | None,
) -> BeliefGame:
    """The game with the beliefs that match everything given; players by either name."""
    agents = {name: agent for agent, name in one.names.items()}
    observer, target = (agents.get(name, name) if name is not None else None for name in (observer, target))
    kept = [
        belief
        for belief in one.beliefs
        if game in (None, belief.game_id)
        and observer in (None, belief.observer)
        and target in (None, belief.target)
        and (trigger is None or trigger in belief.trigger.split("+"))
        and order in (None, belief.order)
    ]
    return replace(one, beliefs=kept)


def rows_of(games: Iterable[BeliefGame]) -> list[Belief]:
    """All beliefs, game by game."""
    return [belief for one in games for belief in one.beliefs]


def write_rows(games: Sequence[BeliefGame], file: Path) -> None:
    """Write the beliefs to a CSV or Parquet file."""
    with tempfile.TemporaryDirectory() as folder:
        store = BeliefStore(Path(folder) / "chosen.sqlite")
        store.add(rows_of(games))
        store.close()
        store.export(file)


def show_rows(games: Sequence[BeliefGame], json: bool) -> None:
    """List the beliefs."""
    found = rows_of(games)
    if json:
        print_json({"beliefs": [asdict(belief) for belief in found]})
        return
    for game_id, listed in groupby(found[:SHOWN], key=attrgetter("game_id")):
        print_table(row_table(list(listed), title=escape(game_id)))
    if len(found) > SHOWN:
        out.print(f"{SHOWN} of {len(found)}; all with --json or --export")


def row_table(listed: Sequence[Belief], title: str) -> Table:
    """Beliefs about one game; without the columns in which none of them has anything."""
    columns: dict[str, list[str]] = {
        "tick": [str(belief.tick) for belief in listed],
        "observer": [belief.observer for belief in listed],
        "target": [belief.target for belief in listed],
        "about": [belief.about or "" for belief in listed],
        "p Duck": [told_p(belief) for belief in listed],
        "trigger": [belief.trigger for belief in listed],
        "moment": [belief.moment or "" for belief in listed],
        "context": [belief.context_ref or "" for belief in listed],
    }
    kept = {heading: cells for heading, cells in columns.items() if any(cells)}
    table = Keyed(*kept, keys=3, title=title)
    for cells in zip(*kept.values(), strict=True):
        table.add_row(*map(escape, cells))
    return table


def told_p(belief: Belief) -> str:
    """The probability of a Duck, or of what kind its failure is."""
    if belief.failure is not None:
        return f"failed: {belief.failure.partition(':')[0]}"
    return shown(belief.p_duck, False)


def draw(game: BeliefGame, folder: Path, png: bool) -> Path:
    """The pictures of one game; their page."""
    from quack_eval.beliefs import pictures  # Plotly takes a second to import

    name = game.game_id.replace("/", "-") or "game"
    figures = pictures.of_game(game)
    if png:
        pictures.write_png(figures, folder / name)
    return pictures.write_html(figures, folder / f"{name}.html", f"Beliefs: {game.game_id}", shared=True)


def draw_calibration(evaluation: BeliefEval, folder: Path, png: bool) -> Path:
    """The calibration of every role and policy; its page."""
    from quack_eval.beliefs import pictures

    figures = {
        f"calibration_{'_'.join(group)}".replace("/", "-"): pictures.reliability(found, " ".join(group))
        for group, found in evaluation.calibrations.items()
        if group[0] in ("goose", "duck") and found.n
    }
    if png:
        pictures.write_png(figures, folder)
    return pictures.write_html(figures, folder / "calibration.html", "Calibration", shared=True)


def tell_pages(pages: Mapping[str, Path], run: Path, folder: Path) -> None:
    """Write the index of the pages, and say where it is."""
    from quack_eval.beliefs import pictures

    index = pictures.write_index(pages, folder, f"Beliefs of {run.resolve().name}")
    err.print(f"{len(pages)} pages of pictures; all are in {index}", markup=False, soft_wrap=True)


def show_published(path: Path, json: bool) -> None:
    """MafiaScope's own numbers for its games."""
    folders = mafiascope.find(path)
    if not folders:
        raise ConfigError(f"{path}: the published convention is for recordings of MafiaScope, and there are none")
    found = [published_beliefs(folder) for folder in folders]
    if json:
        print_json({"games": [one.to_dict() for one in found]})
        return
    for one in found:
        print_table(published_table(one))


def published_table(one: PublishedBeliefs) -> Table:
    """The numbers of one game."""
    table = Table("measure", "value", "of", title=f"{one.game_id}, published convention")
    ece = "-" if one.ece is None else f"{one.ece:.4f}"
    table.add_row("ece", ece, f"{one.brier.denominator:.0f}")
    for name in MEASURES:
        measure = getattr(one, name)
        value = "-" if measure.value is None else f"{measure.value:.4f}"
        table.add_row(name, value, f"{measure.numerator:.10g} / {measure.denominator:g}")
    return table
