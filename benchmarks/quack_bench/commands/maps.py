"""`quack map`: check, show and draw maps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from quack_bench.console import err, guarded, out, print_json, print_table
from quack_env import ConfigError, GameConfig, GameMap
from quack_env.encode.text import counted
from quack_env.game_map import check_names, check_tasks, check_words

maps = typer.Typer(
    no_args_is_help=True,
    help="Check, show and draw maps.\n\nExample: quack map validate my_ship.yaml",
)
Source = Annotated[str, typer.Argument(help="A shipped map (ship, small, large) or a YAML file.")]
HELD = ("room", "corridor", "task room")
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


@maps.command()
@guarded
def validate(game_map: Source, json: AsJson = False) -> None:
    """Check a map and say what it holds; exit code 2 with the file, key and reason when it is wrong.

    Notes say which games cannot be played on it: with the default settings, or in free text.

    Example: quack map validate my_ship.yaml
    """
    loaded = GameMap.load(game_map)
    held = {"rooms": len(loaded.rooms), "corridors": len(loaded.corridors), "task_rooms": len(loaded.tasks)}
    longest_way = max(loaded.travel_ticks(a, b) for a in loaded.rooms for b in loaded.rooms)
    notes = list(notes_on(loaded))
    if json:
        facts = {"name": loaded.name, **held, "button": loaded.button, "longest_way": longest_way}
        print_json(facts | {"notes": notes})
        return
    told = ", ".join(counted(number, noun) for number, noun in zip(held.values(), HELD, strict=True))
    way = f"the longest way takes {counted(longest_way, 'tick')}"
    out.print(f"{loaded.name}: {told}, button in {loaded.button}; {way}.", soft_wrap=True)
    for note in notes:
        err.print(f"note: {note}", soft_wrap=True)


def notes_on(game_map: GameMap) -> Iterator[str]:
    """Why some games cannot be played on a map."""
    default = GameConfig()
    checks: list[tuple[str, Callable[[GameMap], None]]] = [
        ("with the default settings", partial(check_tasks, default)),
        ("with the default settings", partial(check_names, default)),
        ("in free text", check_words),
    ]
    for games, check in checks:
        try:
            check(game_map)
        except ConfigError as fault:
            yield f"no game {games} can be played on it: {fault}"


@maps.command()
@guarded
def render(
    game_map: Source,
    out_file: Annotated[Path | None, typer.Option("--out", "-o", help="A PNG file; without it a table.")] = None,
    size: Annotated[int, typer.Option(min=64, max=4096, help="Pixels of each side of the PNG.")] = 768,
    json: AsJson = False,
) -> None:
    """Show a map: a table of rooms and their corridors, or a picture.

    Example: quack map render large -o large.png
    """
    loaded = GameMap.load(game_map)
    if out_file is not None:
        if out_file.suffix.lower() != ".png":
            raise ConfigError(f"--out {out_file}: must end in .png")
        anew = " (replaced)" if out_file.exists() else ""
        draw(loaded, out_file, size)
    if json:
        print_json(loaded.to_dict())
    elif out_file is None:
        print_table(room_table(loaded))
    else:
        err.print(f"drawn to {out_file}{anew}", style="dim", soft_wrap=True)


@maps.command(name="random")
@guarded
def random_map(
    rooms: Annotated[int, typer.Option(min=2, max=60, help="Number of rooms.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the drawing.")] = 0,
    out_file: Annotated[Path | None, typer.Option("--out", "-o", help="Where to write the YAML.")] = None,
    json: AsJson = False,
) -> None:
    """Draw a random connected planar map, as YAML.

    Example: quack map random --rooms 15 --seed 3 -o my_ship.yaml
    """
    drawn = GameMap.random(rooms, seed)
    if out_file is not None:
        if out_file.suffix not in (".yaml", ".yml"):
            raise ConfigError(f"--out {out_file}: must end in .yaml")
        if out_file.exists():
            raise ConfigError(f"--out {out_file}: exists already; choose another file")
        write(out_file, drawn.to_yaml().encode())
    if json:
        print_json(drawn.to_dict())
    elif out_file is None:
        out.print(drawn.to_yaml(), markup=False, end="")
    else:
        err.print(f"written to {out_file}", style="dim", soft_wrap=True)


def room_table(game_map: GameMap) -> Table:
    """Rooms, their tasks, and where one can go from each in how many ticks."""
    table = Table(title=escape(game_map.name))
    for column in ("room", "task", "corridors (ticks)"):
        table.add_column(column)
    for room in game_map.rooms:
        ways = ", ".join(f"{to} {game_map.weight(room, to)}" for to in game_map.neighbours(room))
        label = f"{room} (button)" if room == game_map.button else room
        table.add_row(*map(escape, (label, game_map.tasks.get(room, ""), ways)))
    return table


def draw(game_map: GameMap, file: Path, size: int) -> None:
    """Write a picture of the empty map."""
    from quack_env.encode.image import map_picture, to_png  # they import pygame

    write(file, to_png(map_picture(game_map, size)))


def write(file: Path, content: bytes) -> None:
    """Write a file, or say why that cannot be done."""
    try:
        file.write_bytes(content)
    except OSError as fault:
        raise ConfigError(f"{file}: cannot be written ({fault.strerror})") from None
