"""The part of the report about beliefs: measures and calibration, where agents were probed, and a game as example."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from quack_env import ConfigError
from quack_env.beliefs import FILE
from quack_env.encode.text import counted
from quack_eval.metrics.tables import shown_policy, with_interval
from quack_eval.report.markup import Content, h, muted, plain_table, scrolled
from quack_eval.report.sections import Section
from quack_eval.run_folder import RunFolder
from quack_eval.viewer.page import embedded, policy

RESULTS = "beliefs.json"
TITLE = "What agents believed"
MEASURES = (
    ("answered", "probes answered"),
    ("certainty", "certainty"),
    ("flip_rate", "flips"),
    ("belief_vote_consistency", "votes as believed"),
    ("strategic_votes", "strategic votes"),
    ("execution_votes", "execution votes"),
    ("brier", "Brier score"),
    ("log_score", "log score"),
)
DRAW = """
for (const holder of document.querySelectorAll('[data-figure]')) {
  const figure = JSON.parse(document.getElementById(holder.dataset.figure).textContent);
  Plotly.newPlot(holder, figure.data, figure.layout, { displaylogo: false, responsive: true })
    .then(() => figure.frames && Plotly.addFrames(holder, figure.frames));
}
"""


class BeliefPart(NamedTuple):
    """What stands there, the scripts that it needs, and the content policy that allows them."""

    section: Section
    scripts: str
    policy: str


def beliefs(run: RunFolder) -> BeliefPart:
    """Measures and calibration of the run's beliefs; a sentence where nobody's were probed.

    The numbers are those of `beliefs.json` beside `measures.json`, which is made where it is missing.
    """
    nothing = Section("beliefs", TITLE, [muted("Nobody's beliefs were probed in this run.")])
    if not (run.path / FILE).is_file():
        return BeliefPart(nothing, "", policy(()))
    from quack_eval.beliefs import BeliefEval, belief_games  # scipy and Plotly: only where there is something to draw
    from quack_eval.beliefs.pictures import believed_and_true, network, reliability, untitled

    try:
        games = belief_games(run.path, damaged=[])  # the evaluation names them
    except ConfigError:
        return BeliefPart(nothing, "", policy(()))
    evaluation = BeliefEval(games, reference=False)
    found = _results(run.results, evaluation)
    drawn = {f"Calibration of {name}": ("role", role) for role, name in (("goose", "Geese"), ("duck", "Ducks"))}
    figures = {
        title: reliability(evaluation.calibrations[group], title)
        for title, group in drawn.items()
        if group in evaluation.calibrations
    }
    if any(game.first_order for game in games):
        example = max(games, key=lambda game: len(game.first_order))
        title = f"Who suspected whom in {example.game_id}, moment by moment"
        figures[title] = network(example).update_layout(title=title)
        title = f"Believed and true in {example.game_id}: the last word of each on each"
        figures[title] = believed_and_true(example).update_layout(title=title)
    note = (
        f"{counted(found['beliefs'], 'answer')} about {counted(found['games'], 'game')}. Brier and log score hold the "
        "stated probability of a Duck against the truth; ECE is the mean distance of stated and true, over bins. "
        f"Pooled values, intervals by games; all numbers are in {RESULTS}."
    )
    content: list[Content] = [h("p", note), _measures(found), *_bins(found)]
    content += [_figure(number, figure.layout.title.text) for number, figure in enumerate(figures.values())]
    scripts, allowed = _scripts([json.loads(untitled(figure).to_json()) for figure in figures.values()])
    return BeliefPart(Section("beliefs", TITLE, content), scripts, allowed)


def _results(folder: Path, evaluation: Any) -> dict[str, Any]:
    """What `beliefs.json` holds."""
    file = folder / RESULTS
    if not file.is_file():
        text = json.dumps(evaluation.to_json(), ensure_ascii=False, indent=1) + "\n"
        file.write_text(text, encoding="utf-8")
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as fault:
        raise ConfigError(f"{file}: cannot be read ({fault})") from None
    return found


def _groups(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [group for group in found["groups"] if group["group"] in ("goose", "duck")]


def _measures(found: Mapping[str, Any]) -> Element:
    """A row per policy in a role."""
    heads = ["who", *(title for _, title in MEASURES), "ECE"]
    rows: list[list[object]] = []
    for group in _groups(found):
        values: list[object] = [_pooled(group["measures"].get(measure)) for measure, _ in MEASURES]
        error = group["calibration"]
        rows.append(
            [f"{shown_policy(group['name'])} as {group['group']}", *values, _text(error["ece"], error["interval"])]
        )
    return plain_table("beliefs", "Beliefs by policy and role", heads, rows)


def _pooled(estimate: Mapping[str, Any] | None) -> str | None:
    return None if estimate is None else _text(estimate["pooled"], estimate["pooled_interval"])


def _text(value: float | None, interval: Sequence[float] | None) -> str | None:
    if value is None:
        return None
    return with_interval(value, (interval[0], interval[1]) if interval else None, False)


def _bins(found: Mapping[str, Any]) -> list[Content]:
    """The calibration of Geese and Ducks, bin by bin."""
    heads = ("stated p of a Duck", "beliefs", "mean stated", "share of Ducks", "low", "high")
    tables: list[Content] = []
    for group in found["groups"]:
        bins = [b for b in group["calibration"]["bins"] if b["n"]]
        if group["group"] == "role" and bins:
            rows = [
                [f"{b['low']:.1f} to {b['high']:.1f}", b["n"], b["stated"], b["true"], *(b["interval"] or (None, None))]
                for b in bins
            ]
            name = "Geese" if group["name"] == "goose" else "Ducks"
            tables.append(plain_table(f"calibration_{group['name']}", f"Calibration of {name}", heads, rows))
    return tables


def _figure(number: int, title: str) -> Element:
    """The place of a picture, below its title; where it is too wide, it is scrolled like a table."""
    drawn = h("div", "", data_figure=f"figure-{number}", class_="figure", role="img", aria_label=title)
    return h("figure", h("figcaption", title), scrolled(drawn))


def _scripts(figures: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Plotly, the figures as data, and what draws them; and the policy that allows these scripts and no other."""
    library = (resources.files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8")
    blocks = "".join(
        f'<script type="application/json" id="figure-{number}">{embedded(figure)}</script>'
        for number, figure in enumerate(figures)
    )
    return f"{blocks}<script>{library}</script><script>{DRAW}</script>", policy((library, DRAW))
