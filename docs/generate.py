"""Writes the pages that are made from the code: docs/spaces.md and docs/metrics.md.

Usage: python docs/generate.py
"""

from __future__ import annotations

import inspect
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import quack_env
from quack_agents import RandomPolicy, play
from quack_env import GameConfig, GameMap
from quack_env.base import QuackBase
from quack_env.briefing import Briefing
from quack_env.chance import game_key
from quack_env.config import PRESETS
from quack_env.encode.vector import FORMS, Layout, field_table
from quack_env.info import LAZY, Info
from quack_env.seat import QuackSeat
from quack_env.vector.env import QuackVector
from quack_env.world import SPEECH, World
from quack_eval import BehaviourEval, EvidenceEval, OutcomeEval, evaluate, statements
from quack_eval.metrics.calls import CallEval
from quack_eval.metrics.estimate import FEWEST, RESAMPLES
from quack_eval.metrics.tables import LAYOUTS, one_line

HERE = Path(__file__).parent
OURS = "ours"
NOTE = "<!-- Written by `python docs/generate.py` from the code; do not edit. -->"


def row(cells: Iterable[Any]) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"


def table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    return "".join(f"{line}\n" for line in (row(headings), row(["---"] * len(headings)), *map(row, rows)))


# --- observations, actions, settings ---------------------------------------------------------------------------------


def world_of(speech: str = "tokens", **settings: Any) -> World:
    """The world of some settings on their map."""
    config = GameConfig(**settings)
    return World(config, GameMap.load(config.map), speech)


def symbolic(name: str) -> str:
    """The shape of a field in n (players), R (rooms) and D (discussion rounds), told by three worlds."""
    worlds = [
        world_of(reveal_role=True),
        world_of(n_players=9, map="large", discussion_rounds=3, reveal_role=True),
        world_of(n_players=11, map="small", discussion_rounds=4, reveal_role=True),
    ]
    shapes = [next(field.shape for field in field_table(world) if field.name == name) for world in worlds]
    letters = {
        "n": [world.n for world in worlds],
        "R": [world.R for world in worlds],
        "D": [world.rounds for world in worlds],
        f"{FORMS} + n + R": [FORMS + world.n + world.R for world in worlds],
    }
    dimensions = []
    for sizes in zip(*shapes, strict=True):
        constant = str(sizes[0]) if len(set(sizes)) == 1 else None
        dimensions.append(constant or next(letter for letter, found in letters.items() if found == list(sizes)))
    return f"({', '.join(dimensions)})"


def field_rows() -> Iterator[list[str]]:
    """Every field of the observation in the default game."""
    world = world_of(reveal_role=True)
    layout = Layout(world, scaled=True)
    plain = world_of()
    slices = Layout(plain, scaled=True).slices
    for field in layout.fields:
        part = slices.get(field.name)
        kind = "flags, int8" if field.binary else f"0 to {field.high}, int32"
        scale = "" if field.scale == 1 else f"x {field.scale:.4g}"
        where = f"{part.start}:{part.stop}" if part else "-"
        yield [f"`{field.name}`", symbolic(field.name), kind, where, scale, field.meaning]


def action_rows(speech: str) -> Iterator[list[str]]:
    """The blocks of actions in the default game."""
    config = GameConfig()
    world = world_of(speech)
    names = Briefing(config, GameMap.load("ship"), world, game_key(0)).action_names
    n, rooms = world.n, world.R
    blocks = [
        ("wait", 0, 1, "always"),
        ("move to each room", world.act_move, rooms, "free roam: the rooms next to the own one"),
        ("do_task", world.act_task, 1, "free roam: an own unfinished task is here"),
        ("report", world.act_report, 1, "free roam: a body lies here"),
        ("call_meeting", world.act_call, 1, "free roam: in the button room, while calls are left"),
        ("kill each seat", world.act_kill, n, "free roam, Ducks: living Geese here, cooldown over"),
        ("vote for each seat", world.act_vote, n, "vote: the living others"),
        ("skip", world.act_skip, 1, "vote"),
        ("speak", world.act_speak, 1, "own turn in a discussion; masked with speech `tokens`"),
    ]
    if world.act_state < world.A:
        at = world.act_state
        for label, size in (
            ("I was in each room", rooms),
            ("I saw each seat in each room", n * rooms),
            ("I did a task in each room", rooms),
            ("each seat is suspicious", n),
            ("I vouch for each seat", n),
            ("nothing to say", 1),
        ):
            blocks.append((label, at, size, "own turn in a discussion"))
            at += size
    for label, start, size, legal in blocks:
        numbers = str(start) if size == 1 else f"{start} to {start + size - 1}"
        yield [numbers, label, f"`{names[start]}`", legal]


def size_rows() -> Iterator[list[Any]]:
    """Sizes of spaces over shipped maps, players and speech."""
    for map_name, players in (("small", 4), ("ship", 6), ("ship", 10), ("large", 16)):
        for speech in SPEECH:
            world = world_of(speech, map=map_name, n_players=players, n_tasks=5)
            yield [map_name, world.R, players, f"`{speech}`", world.A, Layout(world, scaled=True).size]


def setting_rows() -> Iterator[list[str]]:
    """Every field of `GameConfig`."""
    for name, info in GameConfig.model_fields.items():
        default = "none" if info.default in (None, ()) else str(info.default).lower()
        bounds = {key: getattr(item, key) for item in info.metadata for key in ("ge", "le") if hasattr(item, key)}
        allowed = f"{bounds['ge']} to {bounds['le']}" if bounds else ""
        published = str(PRESETS["published"].get(name, "")).lower()
        yield [f"`{name}`", f"`{default}`", allowed, f"`{published}`" if published else "", str(info.description)]


def info_rows() -> Iterator[list[str]]:
    """The keys of an agent's info, with a value of the first decision of a game."""
    env = quack_env.env(observation="dict")
    env.reset(seed=7)
    info = env.last()[4]
    assert isinstance(info, Info)
    told = {
        "action_mask": "int8 (A,): the same as in the observation",
        "self_alive": "whether the agent lives",
        "known_dead": "the agents it knows to be dead",
        "messages": "heard since its last decision: tick, speaker, room or meeting and round, text",
        "legal_actions": "the legal actions in words",
        "summary": "the situation in words (the paper's τ)",
        "names": "agent to name, in this game's listing order",
        "view": "the `View`: what the agent may know, as a value",
        "briefing": "the `Briefing`: settings, map, names",
    }
    assert told.keys() == info.keys() | set(LAZY)
    for key, meaning in told.items():
        yield [f"`{key}`", "when read" if key in LAZY else "always", meaning]


ARGUMENT = re.compile(r"^    (\w+(?:, \w+)*): (.*)$")


def options_of(made: type) -> dict[str, Any]:
    """The options of an environment, with their defaults."""
    return {p.name: p.default for p in inspect.signature(made).parameters.values() if p.kind is not p.VAR_KEYWORD}


def option_rows(made: type, told: type | None = None) -> Iterator[list[str]]:
    """The options of an environment as its docstring has them, but for those that ``told`` has too."""
    section = inspect.cleandoc(made.__doc__ or "").partition("Args:\n")[2].partition("\n\n")[0]
    meanings: dict[str, str] = {}
    for line in section.splitlines():
        if begun := ARGUMENT.match(line):
            names, meanings[begun[1]] = begun.groups()
        else:
            meanings[names] += f" {line.strip()}"
    defaults, elsewhere = options_of(made), options_of(told) if told else {}
    found = [name for names in meanings for name in names.split(", ") if name != "options"]
    assert found == list(defaults), made
    for names, meaning in meanings.items():
        group = [name for name in names.split(", ") if name in defaults and name not in elsewhere]
        if group:
            default = repr(defaults[group[0]]).replace("'", '"')
            yield [", ".join(f"`{name}`" for name in group), f"`{default}`", meaning.replace("``", "`").rstrip(".")]


SPACES = """# Observations, actions, settings

$note

n is the number of players, R that of rooms, A that of actions, D that of discussion rounds.

## Observation

`Dict{"observation", "action_mask": int8 (A,)}` in every form of the environment. By `observation=`:

| mode | `observation` |
| --- | --- |
| `"image+dict"` (default) | both images, uint8 (S, S, 3) each ([described here](images.md)); `summary`: the fields |
| `"dict"` | the fields below, as named arrays |
| `"vector"` | the same fields flattened, float32 (V,), each times its scale |
| `"text"` | the vector; beside it `text`, the situation in words |

Seats are self-relative: entry d is seat (own seat + d) mod n, so entry 0 is the viewer. Rooms are in the order of the
map file. A dead agent observes zeros. Slices are those of the default game (6 players, ship, `tokens`).

$fields
Sizes: A actions, V numbers of the vector.

$sizes
## Actions

One `Discrete(A)` for all phases. With speech `text`, `Dict{"action": Discrete(A), "say": Text}`, which takes a plain
number, too. The mask says what is legal; anything else raises `IllegalActionError`, and nothing happens. Actions name
absolute seats; `seat` in the observation is the own one. In the default game:

$actions
`pick(info, "report()", "do_task()", "wait()")` of `quack_agents.base` gives the number of the first legal one.

## Rewards and ends

+1 for every agent of the winning team and -1 for every other, the dead too, in the step that ends the game; 0 before.
All agents terminate together; in the parallel form with `dead_agents="remove"` the dead do earlier, with reward 0, and
the last step has no reward and no key of theirs: `infos.get("player_3")["outcome"]` of the last step's infos says what
their game came to, though `infos` does not list them. Nothing is ever truncated: the tick budget is an end of the game.
Rewards of your own are [a wrapper's matter](adapters.md#rewards-of-your-own).

## Info

$infos
At the end `outcome` is the agent's reward; in the parallel form `lapsed` tells that an action could no longer be done
when its turn came.

## Options of the environments

All are given by name. Their `speech` is `"tokens"` unless told otherwise, and so is that of suites; `quack play` talks
in `text`. Of `quack_env.env`, `raw_env` and `parallel_env`:

$options
One seat, `gymnasium.make("quack_env:quack_env/Seat-v0", ...)`, takes these too, and:

$seat
Options of a reset: `env.reset(options={"deal": GameRecord.load(PATH).header})` deals a recorded game again, in an
environment of the recording's config, map and speech (all forms but `vector_env`); other keys are left alone.

`quack_env.vector_env` ([how it works](design/vector.md)):

$vector
## Settings: `GameConfig`

What `config=` holds; whole numbers may be NumPy's.

$settings"""


def spaces_page() -> str:
    """docs/spaces.md."""
    return Template(SPACES).substitute(
        note=NOTE,
        fields=table(["field", "shape", "values", "slice", "scale", "meaning"], field_rows()),
        sizes=table(["map", "R", "n", "speech", "A", "V"], size_rows()),
        actions=table(["number", "action", "first of them in words", "legal in"], action_rows("tokens")),
        infos=table(["key", "made", "holds"], info_rows()),
        options=table(["option", "default", "meaning"], option_rows(QuackBase)),
        seat=table(["option", "default", "meaning"], option_rows(QuackSeat, told=QuackBase)),
        vector=table(["option", "default", "meaning"], option_rows(QuackVector)),
        settings=table(["field", "default", "allowed", "`published`", "meaning"], setting_rows()),
    )


# --- metrics ---------------------------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """A measure or several of one definition, as a docstring has it."""

    names: tuple[str, ...]
    definition: str

    @property
    def undefined(self) -> str:
        """Where there is no value."""
        told = re.search(r"; undefined ([^;]+)", self.definition)
        if told:
            return told[1].rstrip(".")
        if " / " in self.definition:
            return "no " + denominator(self.definition)
        over = re.search(r"\bover (.+?)\.?$", self.definition)
        return "no " + over[1] if over else "never"


def denominator(definition: str) -> str:
    """What a definition divides by."""
    below = re.split(r" / ", definition)[-1]
    return re.split(r"[,;(\[]", below)[0].strip(" .")


ENTRY = re.compile(r"^([A-Za-z_]+(?:, [A-Za-z_]+)*): (.*)$")


def entries(docstring: str) -> list[Entry]:
    """The definitions in the part of a docstring that begins with "By name" or ends so."""
    text = inspect.cleandoc(docstring)
    body = re.split(r"(?s)[Bb]y name.*?:\n", text, maxsplit=1)[-1]
    found: list[Entry] = []
    for line in body.splitlines():
        match = ENTRY.match(line.strip()) if re.match(r"^ {4}\S", line) else None
        if match:
            found.append(Entry(tuple(match[1].split(", ")), match[2]))
        elif found and line.startswith(" " * 8):
            found[-1] = Entry(found[-1].names, f"{found[-1].definition} {line.strip()}")
        elif found and not line.strip():
            break
    return found


TIERS: tuple[tuple[str, str, Any], ...] = (
    ("Tier 1: outcomes", "paper, section 4.1 and Appendix B", OutcomeEval),
    ("Tier 2: behaviour", "paper, section 4.2 and Appendix B", BehaviourEval),
    ("Tier 3: statements", "paper, sections 4.3 and 5.3, Appendix B", statements.measures_of),
    ("Evidence: what the perceptions prove", OURS, EvidenceEval),
    ("Model calls", OURS, CallEval),
)


def matches(name: str, measure: str) -> bool:
    """Whether a name of a docstring (in which capitals stand for any words) covers a measure."""
    return re.fullmatch(re.sub("[A-Z]+", r"\\w+", name), measure) is not None


def played(folder: Path) -> Path:
    """A short recorded game, whose measures name what `evaluate` returns."""
    config = GameConfig(map="small", n_players=5)
    env = quack_env.RecordTrajectory(quack_env.env(config=config, observation="dict"), folder)
    play(env, {agent: RandomPolicy() for agent in env.possible_agents}, seed=1)
    env.close()
    return folder


def measured(convention: str) -> dict[int, list[str]]:
    """The names of the measures that `evaluate` returns, by tier."""
    with tempfile.TemporaryDirectory() as folder:
        game = played(Path(folder) / "game")
        tiers = (1, 2, 3, 4) if convention == "paper" else (1, 2, 3)
        found = evaluate([game], tiers=tiers, convention=convention).evaluated[0].tiers
        return {tier: list(names) for tier, names in found.items()}


def metric_rows(source: str, described: Any) -> Iterator[list[str]]:
    """The measures of a tier."""
    headings = {name: one_line(heading) for t in LAYOUTS["paper"] for name, heading, _ in t.columns}
    for entry in entries(described.__doc__):
        definition = entry.definition.replace(" [ours]", "").rstrip(".")
        ours = source == OURS or "[ours]" in entry.definition
        shown = ", ".join(headings[name] for name in entry.names if name in headings)
        names = ", ".join(f"`{name}`" for name in entry.names)
        yield [names, definition.split("; undefined")[0], entry.undefined, shown or "-", OURS if ours else "paper"]


METRICS = """# Every measure

$note

A measure is a numerator over a denominator. It has no value where the denominator is 0: `None` in Python, null in JSON,
empty in CSV, a dash in tables; it is never counted as 0. Over many games there are always two estimators:

- *mean*: of the values of the games in which it is defined (their number n stands beside it);
- *pooled*: the sum of the numerators over the sum of the denominators.

95 % intervals resample whole games ($resamples times, seeded), from $fewest games on that define the measure: with
fewer, the percentiles would be the extremes of the values. "all alike" stands for an interval without width: the games
do not differ, which does not say how much others would. Win rates have Wilson's intervals. Two settings are compared
over the seeds that define the measure in both, resampling seeds. A claim is *verifiable* where its verdict is true,
false, wrong_room or near_miss; how it is judged: [judging](judging.md). For beliefs see
[their measures](beliefs.md#measures).

"In tables" is the heading in the tables per setting. Measures that are *ours* stand beside the paper's.

$tiers
## The published convention

`quack eval --convention published` computes what the published code computed, under its names, to reproduce the
published tables: undefined rates count as 0.0 (but for report latency, first kill and kill interval). What differs is
said in [the published tables](reproduction.md) and [judging](judging.md). It is never the default.

$published"""


def metrics_page() -> str:
    """docs/metrics.md."""
    tiers = ""
    for title, source, described in TIERS:
        headings = ["measure", "definition", "undefined", "in tables", "source"]
        tiers += f"## {title}\n\n" + (f"Source: {source}.\n\n" if source != OURS else "")
        tiers += table(headings, metric_rows(source, described)) + "\n"
    names = ([tier, ", ".join(f"`{name}`" for name in found)] for tier, found in measured("published").items())
    return Template(METRICS).substitute(
        note=NOTE,
        resamples=f"{RESAMPLES:,}",
        fewest=FEWEST,
        tiers=tiers.rstrip("\n") + "\n",
        published=table(["tier", "measures"], names),
    )


PAGES = {"spaces.md": spaces_page, "metrics.md": metrics_page}


if __name__ == "__main__":
    for name, made in PAGES.items():
        (HERE / name).write_text(made(), encoding="utf-8")
