"""The numbers that MafiaScope's own analysis gives for its recordings, by its definitions.

They differ from those of `measures`: calibration is that of the one guessed role, not of a probability for each; the
order of probes is that of (round, public message), which puts the end of a round, numbered -1, before it; and answers
wrapped in an object are read in some places and lost in others. Used to compare, nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from quack_eval.importers.mafiascope import MAFIA, UNKNOWN, Recording, confidence, entries, recording
from quack_eval.metrics.measure import Measure, mean, ratio

BIN = 20
"""Width of the bins of confidence, in percent; the last one includes 100."""
SURE = 0.5
"""A guess of less confidence counts as a neutral attitude."""
Probe = Mapping[str, Any]
Entries = list[dict[str, Any]]

MEASURES = ("brier", "volatility", "top_flips", "top_returns", "second_order_accuracy", "over_prediction")
"""The names of the measures of a game."""


@dataclass(frozen=True)
class PublishedBeliefs:
    """The published numbers of one game, each a measure (its value None over nothing).

    brier: of the guesses of Villagers and Doctors about others, Unknown left out; a guess is right where it names the
        role, and its probability is the stated confidence. ``ece`` of the same, in bins of width 20.
    volatility: the L1 distance of two consecutive suspicion rankings of a player, each scaled to sum to 1 over the
        players in both, itself left out / such pairs.
    top_flips: changes of the player ranked highest (the first listed of equals) / pairs of consecutive rankings in
        which the earlier one is still there; top_returns: changes to somebody who had been it before / changes.
        Rankings wrapped in an object do not count here.
    second_order_accuracy: what players said that others feel about them ("social_map") and what those felt, alike /
        such pairs, Mafia about each other left out. By its latest assessment of roles until then (a plain list), the
        other felt suspicion where it guessed Mafia, trust where another role, with at least 50 % confidence, else
        neither; over_prediction: suspicion expected / suspicion felt, over the same pairs.
    """

    game_id: str
    ece: float | None
    brier: Measure
    volatility: Measure
    top_flips: Measure
    top_returns: Measure
    second_order_accuracy: Measure
    over_prediction: Measure

    def to_dict(self) -> dict[str, Any]:
        """Values and parts by name, JSON-ready."""
        found: dict[str, Any] = {"game_id": self.game_id, "ece": self.ece}
        for name in MEASURES:
            measure: Measure = getattr(self, name)
            found[name] = asdict(measure) | {"value": measure.value}
        return found


def published_beliefs(folder: Path) -> PublishedBeliefs:
    """The published numbers of the game in a folder."""
    source = recording(folder)
    guesses = list(_guesses(source))
    flips = list(_flips(source))
    attitudes = list(_attitudes(source))
    return PublishedBeliefs(
        game_id=folder.name,
        ece=_ece(guesses),
        brier=mean((sure - right) ** 2 for sure, right in guesses),
        volatility=mean(_distances(source)),
        top_flips=ratio(changed for changed, _ in flips),
        top_returns=ratio(returned for changed, returned in flips if changed),
        second_order_accuracy=ratio(expected == felt for expected, felt in attitudes),
        over_prediction=Measure(
            sum(expected == "suspects" for expected, _ in attitudes), sum(felt == "suspects" for _, felt in attitudes)
        ),
    )


def _answered(source: Recording, probe_id: str) -> list[Probe]:
    """The answers to one question that could be read."""
    return [probe for probe in source.probes if probe["probe_id"] == probe_id and probe["answer_parse_ok"]]


def _listed(parsed: Any) -> Entries:
    """The entries of an answer that is a plain list."""
    return entries(parsed) if isinstance(parsed, list) else []


# --- guesses ---------------------------------------------------------------------------------------------------------


def _guesses(source: Recording) -> Iterator[tuple[float, bool]]:
    """(confidence, right) of every guess of a role."""
    roles = source.roles
    for probe in _answered(source, "role_assessment"):
        if roles[probe["player_name"]] != MAFIA:
            for entry in _listed(probe["answer_parsed"]):
                target, role, sure = entry.get("player"), entry.get("guessed_role"), confidence(entry)
                if target in roles and target != probe["player_name"] and role != UNKNOWN and sure is not None:
                    yield sure, role == roles[target]


def _ece(guesses: Iterable[tuple[float, bool]]) -> float | None:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for sure, right in guesses:
        bins.setdefault(min(100 // BIN - 1, int(100 * sure / BIN + 1e-9)), []).append((sure, right))
    gaps = [abs(sum(sure for sure, _ in found) - sum(right for _, right in found)) for found in bins.values()]
    return sum(gaps) / sum(map(len, bins.values())) if bins else None


# --- rankings --------------------------------------------------------------------------------------------------------


def _rankings(source: Recording, read: Callable[[Any], Entries]) -> Iterator[list[dict[str, float]]]:
    """The scores of others by every player in the published order, a list for each player."""
    by_player: dict[str, list[Probe]] = {name: [] for name in source.roles}
    for probe in _answered(source, "suspicion_ranking"):
        by_player[probe["player_name"]].append(probe)
    for name, probes in by_player.items():
        probes.sort(key=lambda probe: (probe["round"], probe["public_msg_seq"]))
        scored = [_scores(source, name, read(probe["answer_parsed"])) for probe in probes]
        yield [scores for scores in scored if scores]


def _scores(source: Recording, observer: str, found: Entries) -> dict[str, float]:
    return {
        entry["player"]: float(entry["score"])
        for entry in found
        if entry.get("player") in source.roles and entry["player"] != observer
        if isinstance(entry.get("score"), int | float)
    }


def _distances(source: Recording) -> Iterator[float]:
    for rankings in _rankings(source, entries):
        for a, b in pairwise(rankings):
            shared = [target for target in a if target in b]
            sums = sum(a[target] for target in shared), sum(b[target] for target in shared)
            if all(sums):
                yield sum(abs(a[target] / sums[0] - b[target] / sums[1]) for target in shared)


def _flips(source: Recording) -> Iterator[tuple[bool, bool]]:
    """(whether the top suspect changed, to somebody who had been it before)."""
    for rankings in _rankings(source, _listed):
        tops = [max(scores, key=scores.__getitem__) for scores in rankings]
        for p, (a, b) in enumerate(pairwise(tops)):
            if a in rankings[p + 1]:
                yield a != b, a != b and b in tops[: p + 1]


# --- what others feel ------------------------------------------------------------------------------------------------


def _attitudes(source: Recording) -> Iterator[tuple[Any, str]]:
    """(the attitude a player expects of another, the other's attitude by its latest assessment), partners left out."""
    assessed: dict[str, list[tuple[tuple[int, int], dict[str, dict[str, Any]]]]] = {name: [] for name in source.roles}
    for probe in _answered(source, "role_assessment"):
        if found := {str(entry.get("player")): entry for entry in _listed(probe["answer_parsed"])}:
            assessed[probe["player_name"]].append((_moment(probe), found))
    for earlier in assessed.values():
        earlier.sort(key=lambda moment_and_guesses: moment_and_guesses[0])
    for probe in _answered(source, "social_map"):
        observer = probe["player_name"]
        for entry in entries(probe["answer_parsed"]):
            other = str(entry.get("player"))
            if other not in source.roles or other == observer or _partners(source, observer, other):
                continue
            latest = [guesses for moment, guesses in assessed[other] if moment <= _moment(probe)][-1:]
            for guesses in latest:
                yield entry.get("attitude"), _attitude(guesses.get(observer))


def _partners(source: Recording, one: str, other: str) -> bool:
    """Whether two know each other as Mafia."""
    return source.roles[one] == source.roles[other] == MAFIA


def _moment(probe: Probe) -> tuple[int, int]:
    """The place of a probe in the published order."""
    return probe["round"], probe["public_msg_seq"]


def _attitude(guess: Probe | None) -> str:
    """What somebody feels who guesses this of a player's role."""
    if guess is None or guess.get("guessed_role") == UNKNOWN or (confidence(guess) or 0.0) < SURE:
        return "neutral"
    return "suspects" if guess.get("guessed_role") == MAFIA else "trusts"
