"""The learning curve of a run as a picture (extra "png").

python agents/train/curve.py runs/ship
"""

from __future__ import annotations

import stopped  # noqa: F401 - before what takes a second

# isort: split

import json
from pathlib import Path
from typing import Annotated

import typer

from quack_bench.console import guarded
from quack_env.errors import ConfigError, install
from quack_env.yaml_file import one_line

LINES = {
    "duck": ("trained Duck against scripted Geese", "#c0392b"),
    "geese": ("trained Geese against a scripted Duck", "#1f618d"),
    "goose": ("one trained Goose among scripted ones, against a scripted Duck", "#5dade2"),
}


def points(file: Path) -> list[dict[str, float]]:
    """The points of a learning curve.

    Raises:
        ConfigError: where the file is damaged.
    """
    names = "iteration", "decisions", "scripted", *LINES
    try:
        return [{name: point[name] for name in names} for point in json.loads(file.read_text("utf-8"))]
    except (ValueError, TypeError, KeyError):
        told = "damaged, no learning curve; where it is deleted, training goes on with a new one"
        raise ConfigError(f"{file}: {told}") from None


@guarded
def draw(
    run: Annotated[Path, typer.Argument(help="Folder of the run.")],
    out: Annotated[Path | None, typer.Option(help="PNG or SVG file; without it curve.png in the folder.")] = None,
) -> None:
    """Draw how often each trained side won at every checkpoint, with what the scripted ones win on the same seeds.

    Example: python agents/train/curve.py runs/ship
    """
    picture = run / "curve.png" if out is None else out
    from plotly import graph_objects as go

    file = run / "curve.json"
    if not file.is_file():
        raise ConfigError(f"{run}: has no curve.json; it comes from agents/train/ppo_sb3.py")
    curve = points(file)
    decisions = [point["decisions"] / 1e6 for point in curve]
    figure = go.Figure()
    for kind, (name, colour) in LINES.items():
        wins = [100 * point[kind] for point in curve]
        figure.add_scatter(x=decisions, y=wins, name=name, line_color=colour)
    geese = 100 * curve[0]["scripted"]
    for wins, side, colour in ((geese, "Geese", "#1f618d"), (100 - geese, "Duck", "#c0392b")):
        figure.add_hline(wins, line_dash="dot", line_color=colour, annotation_text=f"scripted {side}")
    figure.update_layout(
        template="plotly_white",
        width=900,
        height=460,
        margin={"l": 60, "r": 20, "t": 20, "b": 50},
        legend={"orientation": "h", "y": -0.2},
    )
    figure.update_xaxes(title="decisions learnt from, millions")
    figure.update_yaxes(title="games won, %", range=[0, 100])
    try:
        figure.write_image(picture)
    except (ImportError, ValueError, RuntimeError) as fault:
        needs = f"Kaleido ({install('png')}) and Chrome or Chromium"
        raise ConfigError(f"{picture}: a PNG or SVG picture needs {needs} ({one_line(fault)})") from None


if __name__ == "__main__":
    typer.run(draw)
