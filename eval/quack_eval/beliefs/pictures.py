"""Pictures of beliefs, with Plotly: interactive HTML that needs no network, and PNG."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import cos, pi, sin
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element

import plotly.graph_objects as go
import plotly.io as pio
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from quack_env import ConfigError
from quack_env.errors import install
from quack_eval.beliefs.calibration import Calibration
from quack_eval.beliefs.games import BeliefGame, Happening
from quack_eval.report.markup import h, render

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6B4C9A", "#7F7F7F")
"""By agent, the same in every picture; from the ninth on they repeat, with other dashes."""
DASHES = ("solid", "dash", "dot")
SCALE = [[0.0, "#2166AC"], [0.5, "#F7F7F7"], [1.0, "#B2182B"]]
"""Of the probability of being a Duck."""
NOTHING = "#D5D5D5"
"""Where nothing was stated."""
DUCK, GOOSE, GONE = "#B2182B", "#2166AC", "#E5E5E5"
"""Of the rims in the network, and of those out of the game."""
MARKED = {
    "meeting_called": ("meeting", "#444444"),
    "body_appeared": ("body", "#B2182B"),
    "ejected": ("ejected", "#6B4C9A"),
    "no_ejection": ("nobody ejected", "#999999"),
    "statement": ("speech", "#DDDDDD"),
}
"""Kinds of events drawn as vertical lines: words and colour."""
TOLD = {kind: words for kind, (words, _) in MARKED.items()} | {
    "depart": "departure",
    "arrive": "arrival",
    "body_reported": "report",
    "chat": "chat",
}
"""Kinds of events in the words of the slider."""
EDGES = (0.2, 0.4, 0.6, 0.8, 1.01)
"""Classes of p in the network; weaker beliefs are left out."""
PLAYER = 58
"""Diameter of a player in the network, in pixels."""
MANY = 60
"""Moments above which they are drawn without gaps and markers."""
LAYOUT: dict[str, Any] = {
    "template": "plotly_white",
    "font": {"size": 15},
    "title_font_size": 20,
    "margin": {"l": 80, "r": 40, "t": 80, "b": 70},
}
STYLE = (
    "html { overflow-y: scroll; }"  # Plotly measures its width while the page is still short, without a scroll bar
    "body { font-family: sans-serif; max-width: 1300px; margin: auto; padding: 0 1rem; }"
    "h1 { overflow-wrap: anywhere; } .scroll { overflow-x: auto; } .figure { min-width: 44rem; }"
    "table { border-collapse: collapse; width: 100%; } caption { text-align: left; }"
    "th, td { padding: .3rem .6rem; border-bottom: 1px solid #ccc; text-align: left; white-space: nowrap; }"
    ".number { text-align: right; }"
)
"""Of a page."""
LIBRARY = "plotly.min.js"
"""The file beside pages that share Plotly; Plotly's pages ask for this name."""
TITLE = 50
"""Height of a figure's title, in pixels."""
SIZE = (1200, 700)
"""Of a PNG, in pixels before scaling by 2."""


def curves(game: BeliefGame, observer: str) -> go.Figure:
    """One observer's p for every target over time, with a line at every event it perceived.

    Targets that are Ducks in truth are drawn bold.
    """
    figure = go.Figure()
    for number, target in enumerate(game.agents):
        track = game.tracks.get((observer, target), [])
        if track:
            duck = game.is_duck(target)
            figure.add_scatter(
                x=[belief.event_index for belief in track],
                y=[belief.p_duck for belief in track],
                customdata=[[belief.tick, belief.phase, belief.trigger] for belief in track],
                hovertemplate="p %{y:.2f}<br>tick %{customdata[0]}, %{customdata[1]}, %{customdata[2]}",
                name=game.names[target] + (" (Duck)" if duck else ""),
                mode="lines" if len(track) > MANY else "lines+markers",
                line={"color": COLOURS[number % 8], "width": 4 if duck else 2, "dash": DASHES[number // 8 % 3]},
                marker={"size": 8 if duck else 6},
            )
    _mark(figure, game, observer)
    role = game.role(observer).capitalize()
    title = {"text": f"What {game.names[observer]} ({role}) believes", "y": 0.97}
    figure.update_layout(title=title, **LAYOUT | {"margin": LAYOUT["margin"] | {"t": 150}})
    figure.update_yaxes(title="probability of being a Duck", range=[-0.03, 1.03])
    figure.update_xaxes(title="time (events of the recording)", showgrid=False, **_span(game, observer))
    return figure


def _span(game: BeliefGame, observer: str) -> dict[str, Any]:
    """The axis of time, from a little before the first belief to a little after the last."""
    moments = [snapshot.at for snapshot in game.snapshots.get(observer, ())]
    if not moments:
        return {}
    margin = max(1.0, 0.04 * (moments[-1] - moments[0]))
    return {"range": [moments[0] - margin, moments[-1] + margin]}


def _mark(figure: go.Figure, game: BeliefGame, observer: str) -> None:
    """Vertical lines at events, their words along them; speeches in grey, without. The legend names the kinds."""
    drawn: set[str] = set()
    left, right = _span(game, observer).get("range", [0.0, 0.0])
    for happening in game.happenings:
        if happening.kind in MARKED and observer in happening.seen_by and left <= happening.at <= right:
            words, colour = MARKED[happening.kind]
            drawn.add(happening.kind)
            speech = happening.kind == "statement"
            figure.add_vline(x=happening.at, line={"color": colour, "width": 1, "dash": "dot"}, layer="below")
            if not speech:
                figure.add_annotation(
                    x=happening.at,
                    y=1.02,
                    yref="paper",
                    text=_words(game, happening, words),
                    textangle=-35,
                    showarrow=False,
                    xanchor="left",
                    yanchor="bottom",
                    font={"size": 11, "color": colour},
                )
    for words, colour in (MARKED[kind] for kind in MARKED if kind in drawn):
        figure.add_scatter(
            x=[None], y=[None], mode="lines", line={"color": colour, "width": 1, "dash": "dot"}, name=words
        )


def _words(game: BeliefGame, happening: Happening, words: str) -> str:
    who = happening.target if happening.kind in ("ejected", "body_appeared") else happening.actor
    return f"{words}: {game.names[who]}" if who else words


def heatmap(game: BeliefGame, observer: str) -> go.Figure:
    """One observer's p, by moment and target; grey where it stated nothing."""
    snapshots = game.snapshots.get(observer, [])
    targets = [agent for agent in game.agents if agent != observer]
    first = {belief.event_index: belief for belief in reversed(game.first_order)}
    labels = [f"{p + 1}: tick {first[s.at].tick}, {first[s.at].phase}" for p, s in enumerate(snapshots)]
    figure = go.Figure(
        go.Heatmap(
            z=[[snapshot.p.get(target) for snapshot in snapshots] for target in targets],
            x=labels,
            y=[_named(game, target) for target in targets],
            colorscale=SCALE,
            zmin=0,
            zmax=1,
            xgap=1 if len(snapshots) <= MANY else 0,
            ygap=1,
            colorbar={"title": "p Duck"},
            hovertemplate="%{y}<br>%{x}<br>p %{z:.2f}<extra></extra>",
        )
    )
    title = f"What {_named(game, observer)} believes, moment by moment"
    figure.update_layout(title=title, plot_bgcolor=NOTHING, **LAYOUT)
    figure.update_xaxes(
        title="moment (grey: nothing stated)", tickangle=-45, nticks=24, tickfont={"size": 11}, showgrid=False
    )
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure


def _named(game: BeliefGame, agent: str) -> str:
    return game.names[agent] + (" (Duck)" if game.is_duck(agent) else "")


# --- network ---------------------------------------------------------------------------------------------------------


def network(game: BeliefGame) -> go.Figure:
    """Who believes what of whom: an arrow is as thick and red as its p; a slider goes through the moments.

    At every moment each observer's latest beliefs are shown, from p = 0.2 on. Ducks have a red rim; those out of the
    game are grey. The slider tells what happened last.
    """
    moments = sorted({belief.event_index for belief in game.first_order})
    places = {agent: _place(number, len(game.agents)) for number, agent in enumerate(game.agents)}
    frames = [go.Frame(data=_frame(game, places, moment), name=str(moment)) for moment in moments]
    figure = go.Figure(data=frames[-1].data if frames else [], frames=frames)
    figure.add_traces(_key())
    steps = [
        {
            "method": "animate",
            "label": label,
            "args": [[str(moment)], {"mode": "immediate", "frame": {"duration": 0}, "transition": {"duration": 0}}],
        }
        for moment, label in zip(moments, _labels(game, moments), strict=True)
    ]
    slider = {
        "steps": steps,
        "active": max(0, len(steps) - 1),
        "currentvalue": {"prefix": "up to: ", "font": {"size": 15}},
        "font": {"size": 11},
        "x": 0.03,  # or the first label is cut off
        "len": 0.94,
    }
    figure.update_layout(title="Who suspects whom", sliders=[slider], **LAYOUT)
    figure.update_xaxes(visible=False, range=[-1.5, 1.5])
    figure.update_yaxes(visible=False, range=[-1.3, 1.3], scaleanchor="x")
    return figure


def _labels(game: BeliefGame, moments: Sequence[int]) -> list[str]:
    """For each moment its tick and what happened last before it, since the moment before; or what it was taken for."""
    first = {belief.event_index: belief for belief in reversed(game.first_order)}
    told = []
    for before, moment in zip([0, *moments], moments, strict=False):
        happened = [h for h in game.happenings if before <= h.at < moment]
        belief = first[moment]
        last = _words(game, happened[-1], TOLD[happened[-1].kind]) if happened else belief.trigger.replace("_", " ")
        told.append(f"tick {belief.tick}, {last}")
    return told


def _key() -> list[Any]:
    """What arrows, rims and grey mean, for the legend."""
    arrows = [
        go.Scatter(x=[None], y=[None], mode="lines", line=_line(low, high), name=_class(low, high))
        for low, high in pairwise(EDGES)
    ]
    kinds = (("Duck", "white", DUCK, 4), ("Goose", "white", GOOSE, 2), ("out of the game", GONE, "#888888", 1))
    players = [
        go.Scatter(
            x=[None],
            y=[None],
            mode="markers",
            name=name,
            marker={"size": 16, "color": colour, "line": {"width": width, "color": rim}},
        )
        for name, colour, rim, width in kinds
    ]
    return arrows + players


def _line(low: float, high: float) -> dict[str, Any]:
    """How an arrow of a class of p is drawn."""
    middle = (low + min(high, 1.0)) / 2
    return {"width": 1 + 6 * (middle - 0.2), "color": _shade(middle)}


def _class(low: float, high: float) -> str:
    return f"p {low:.1f} to {min(high, 1.0):.1f}"


def _tint(number: int) -> str:
    """The colour of an agent, light enough to be written on."""
    parts = (int(COLOURS[number % len(COLOURS)][k : k + 2], 16) for k in (1, 3, 5))
    return f"rgb({','.join(str(255 - (255 - part) * 2 // 5) for part in parts)})"


def _place(number: int, of: int) -> tuple[float, float]:
    angle = pi / 2 - 2 * pi * number / of
    return cos(angle), sin(angle)


def _frame(game: BeliefGame, places: Mapping[str, tuple[float, float]], moment: int) -> list[Any]:
    """The arrows by class of p, then the players."""
    believed = _latest(game, moment)
    traces: list[Any] = []
    for low, high in pairwise(EDGES):
        xs: list[float | None] = []
        ys: list[float | None] = []
        for (observer, target), p in believed.items():
            if low <= p < high:
                (x0, y0), (x1, y1) = _arrow(places[observer], places[target])
                xs += [x0, x1, None]
                ys += [y0, y1, None]
        line = _line(low, high)
        traces.append(
            go.Scatter(
                x=xs,
                y=ys,
                mode="lines+markers",
                line=line,
                marker={
                    "symbol": "arrow",
                    "angleref": "previous",
                    "size": [0, 10 + 2 * line["width"], 0] * (len(xs) // 3),
                    "standoff": PLAYER / 2 + 2,  # pixels, so that the head is seen at every size of the picture
                    "opacity": 1,
                    "line": {"width": 0},
                },
                hoverinfo="skip",
                name=_class(low, high),
                showlegend=False,  # the heads of arrows would lie on the words there
            )
        )
    return [*traces, _players(game, places, moment)]


def _latest(game: BeliefGame, moment: int) -> dict[tuple[str, str], float]:
    """By (observer, target), both in the game: the latest p up to a moment."""
    found: dict[tuple[str, str], float] = {}
    there = {agent for agent in game.agents if game.gone.get(agent, moment + 1) > moment}
    for belief in game.first_order:
        if belief.event_index <= moment and belief.p_duck is not None and {belief.observer, belief.target} <= there:
            found[belief.observer, belief.target] = belief.p_duck
    return found


def _arrow(a: tuple[float, float], b: tuple[float, float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """From one player to another, a little to the right, so that both ways are seen."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    share = 0.035 / (dx * dx + dy * dy) ** 0.5
    right, down = share * dy, -share * dx
    return (a[0] + right, a[1] + down), (b[0] + right, b[1] + down)


def _shade(p: float) -> str:
    """From grey to red."""
    share = min(1.0, max(0.0, (p - 0.2) / 0.7))
    red, green, blue = (a + share * (b - a) for a, b in zip((190, 190, 190), (178, 24, 43), strict=True))
    return f"rgb({red:.0f},{green:.0f},{blue:.0f})"


def _players(game: BeliefGame, places: Mapping[str, tuple[float, float]], moment: int) -> Any:
    gone = [game.gone.get(agent, moment + 1) <= moment for agent in game.agents]
    return go.Scatter(
        x=[places[agent][0] for agent in game.agents],
        y=[places[agent][1] for agent in game.agents],
        mode="markers+text",
        text=[game.names[agent] for agent in game.agents],
        hovertext=[_named(game, agent) for agent in game.agents],
        hoverinfo="text",
        textfont={"size": 14},
        showlegend=False,
        marker={
            "size": PLAYER,
            "color": [GONE if out else _tint(number) for number, out in enumerate(gone)],
            "line": {
                "width": [5 if game.is_duck(agent) else 2 for agent in game.agents],
                "color": [DUCK if game.is_duck(agent) else GOOSE for agent in game.agents],
            },
        },
    )


# --- against the truth -----------------------------------------------------------------------------------------------


def reliability(found: Calibration, title: str = "Calibration") -> go.Figure:
    """Stated p against the share of Ducks, with Wilson's intervals, and below how many beliefs each bin has."""
    bins = [b for b in found.bins if b.n]
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.75, 0.25], vertical_spacing=0.06)
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"dash": "dash", "color": "#999999"}, name="as stated", row=1, col=1
    )
    intervals = [b.interval or (b.true or 0.0, b.true or 0.0) for b in bins]
    figure.add_scatter(
        x=[b.stated for b in bins],
        y=[b.true for b in bins],
        error_y={
            "array": [high - (b.true or 0.0) for b, (_, high) in zip(bins, intervals, strict=True)],
            "arrayminus": [(b.true or 0.0) - low for b, (low, _) in zip(bins, intervals, strict=True)],
            "thickness": 2,
            "width": 6,
        },
        mode="lines+markers",
        line={"color": "#0072B2", "width": 2},
        marker={"size": 10},
        name="share of Ducks, 95 %",
        row=1,
        col=1,
    )
    figure.add_bar(
        x=[(b.low + b.high) / 2 for b in found.bins],
        y=[b.n for b in found.bins],
        text=[b.n or "" for b in found.bins],
        textposition="outside",
        cliponaxis=False,
        marker={"color": "#56B4E9"},
        name="beliefs",
        row=2,
        col=1,
    )
    error = "undefined" if found.ece is None else f"{found.ece:.3f}"
    if found.interval:
        error += f" [{found.interval[0]:.3f}, {found.interval[1]:.3f}]"
    figure.update_layout(title=f"{title}: ECE {error}, {found.n} beliefs", bargap=0.1, **LAYOUT)
    figure.update_yaxes(title="share of Ducks", range=[-0.02, 1.02], row=1, col=1)
    most = max((b.n for b in found.bins), default=1)
    figure.update_yaxes(title="beliefs", range=[0, 1.3 * most], row=2, col=1)
    figure.update_xaxes(range=[0, 1], row=1, col=1)
    figure.update_xaxes(title="stated probability of being a Duck", range=[0, 1], row=2, col=1)
    return figure


def believed_and_true(game: BeliefGame, moment: int | None = None) -> go.Figure:
    """Every observer's latest belief of every target beside the truth.

    Args:
        game: the game.
        moment: the latest moment that counts; None for each observer's last.
    """
    last = max((belief.event_index for belief in game.first_order), default=0) if moment is None else moment
    believed: dict[tuple[str, str], float] = {}
    for belief in game.first_order:
        if belief.event_index <= last and belief.p_duck is not None:
            believed[belief.observer, belief.target] = belief.p_duck
    observers = [agent for agent in game.agents if any(key[0] == agent for key in believed)]
    names = [_named(game, agent) for agent in game.agents]
    figure = make_subplots(rows=1, cols=2, subplot_titles=("believed", "true"), shared_yaxes=True)
    stated = [[believed.get((observer, target)) for target in game.agents] for observer in observers]
    truth = [
        [None if p is None else float(game.is_duck(target)) for target, p in zip(game.agents, row, strict=True)]
        for row in stated
    ]
    for column, values in enumerate((stated, truth), 1):
        figure.add_heatmap(
            z=values,
            x=names,
            y=[_named(game, observer) for observer in observers],
            text=[["" if p is None else f"{p:.2f}" for p in row] for row in values],
            texttemplate="%{text}",
            colorscale=SCALE,
            zmin=0,
            zmax=1,
            xgap=2,
            ygap=2,
            showscale=column == 2,
            colorbar={"title": "p Duck"},
            row=1,
            col=column,
        )
    title = "Believed and true: each observer's last word on each target"
    figure.update_layout(title=title, plot_bgcolor=NOTHING, **LAYOUT)
    figure.update_xaxes(tickangle=-40, showgrid=False, title="target (grey: nothing stated)")
    figure.update_yaxes(autorange="reversed", showgrid=False)
    figure.update_yaxes(title="observer", col=1)
    return figure


# --- files -----------------------------------------------------------------------------------------------------------


def of_game(game: BeliefGame) -> dict[str, go.Figure]:
    """All pictures of one game, by name: curves and heatmap of every observer, network, believed and true."""
    figures = {"network": network(game), "believed_and_true": believed_and_true(game)}
    for observer in game.snapshots:
        figures[f"curves_{observer}"] = curves(game, observer)
        figures[f"heatmap_{observer}"] = heatmap(game, observer)
    return figures


def write_html(contents: Mapping[str, go.Figure | Element], path: Path, title: str, shared: bool = False) -> Path:
    """One page with all figures, below their titles, and tables (see `markup.table`), below their names; its path.

    What is wider than the window scrolls in a box of its own.

    Args:
        contents: by name.
        path: of the page; missing folders are made.
        title: of the page.
        shared: whether Plotly (5 MB) is put beside the page, once for all pages of the folder; else it is in the page,
            which then needs nothing else.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    library = path.parent / LIBRARY
    if shared and not library.exists():
        library.write_text(get_plotlyjs(), encoding="utf-8")
    parts = [
        f"<h2>{html.escape(_heading(name, content))}</h2>{_boxed(content, number == 0, shared)}"
        for number, (name, content) in enumerate(contents.items())
    ]
    return _write_page(path, title, "".join(parts))


def write_index(pages: Mapping[str, Path], folder: Path, title: str) -> Path:
    """`index.html` with a link to every page, by what it is called; its path."""
    links = [h("li", h("a", name, href=quote(page.relative_to(folder).as_posix()))) for name, page in pages.items()]
    return _write_page(folder / "index.html", title, render(h("ul", links)))


def _write_page(path: Path, title: str, body: str) -> Path:
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style>"
    )
    text = (
        f'<!DOCTYPE html><html lang="en"><head>{head}</head><body><h1>{html.escape(title)}</h1>{body}</body></html>\n'
    )
    path.write_text(text, encoding="utf-8")
    return path


def _heading(name: str, content: go.Figure | Element) -> str:
    """The title of a figure, else the name in words."""
    title = None if isinstance(content, Element) else content.layout.title.text
    return title or name.replace("_", " ")


def untitled(figure: go.Figure) -> go.Figure:
    """The figure without its title, and with less room above it, for pages that have the title in their own words."""
    found = go.Figure(figure).update_layout(title=None)
    if found.layout.margin.t is not None:
        found.layout.margin.t -= TITLE
    return found


def _boxed(content: go.Figure | Element, first: bool, shared: bool) -> str:
    """A figure or table; the first of a page brings Plotly. A figure's title stands above it."""
    if isinstance(content, Element):
        return render(content)
    library = "directory" if first and shared else first
    bare = untitled(content)
    plot = pio.to_html(bare, full_html=False, include_plotlyjs=library, default_height="640px", auto_play=False)
    return f'<div class="scroll"><div class="figure">{plot}</div></div>'


def write_png(figures: Mapping[str, go.Figure], folder: Path) -> list[Path]:
    """A file for each figure, ``<name>.png``; the paths.

    Raises:
        ConfigError: where Kaleido or a Chrome for it is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.png" for name in figures]
    width, height = SIZE
    try:
        pio.write_images(list(figures.values()), paths, width=width, height=height, scale=2)
    except (ImportError, ValueError, RuntimeError) as fault:
        raise ConfigError(
            f"{folder}: PNG pictures need Kaleido ({install('png')}) and Chrome or Chromium, found on the "
            f"path or named by BROWSER_PATH ({_first_line(fault)})"
        ) from None
    return paths


def _first_line(fault: BaseException) -> str:
    lines: Sequence[str] = str(fault).strip().splitlines()
    return lines[0] if lines else type(fault).__name__
