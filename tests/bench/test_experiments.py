"""Factors crossed into arms, arms compared, and the study of whether probes change the game."""

from __future__ import annotations

import importlib.util
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from quack_agents.mock_server import MockServer
from quack_bench.experiments import Experiment, detectable, differences, effect_size, smallest_size, verdict
from quack_bench.factors import combinations, levels_in, levels_of, with_factors
from quack_bench.runner import opened, run_suite
from quack_env import ConfigError, GameRecord
from quack_env.beliefs import Answer, Belief, BeliefStore
from quack_eval.beliefs.validity import validity
from quack_eval.metrics.measure import Measure

from .conftest import Run, load_suite, only_object

TWO_DUCKS = {"n_ducks": 2}


def test_every_combination_of_levels_is_an_arm_named_by_them() -> None:
    factors = {"persona": ["default", "cautious"], "probes": {"off": None, "on": {"mode": "inline"}}}
    arms = with_factors({"geese": ["scripted"], "factors": factors})["arms"]
    assert arms == {
        "persona=default, probes=off": {"persona": "default"},
        "persona=default, probes=on": {"persona": "default", "probes": {"mode": "inline"}},
        "persona=cautious, probes=off": {"persona": "cautious"},
        "persona=cautious, probes=on": {"persona": "cautious", "probes": {"mode": "inline"}},
    }
    assert levels_in("persona=cautious, probes=on") == {"persona": "cautious", "probes": "on"}
    assert levels_in("by hand") == {"arm": "by hand"} and levels_in(None) == {}


def test_a_factor_may_be_one_entry_of_a_field() -> None:
    arms = with_factors({"factors": {"probes.mode": ["isolated", "inline"], "probes.every": [5, 10]}})["arms"]
    assert arms["probes.mode=inline, probes.every=5"] == {"probes": {"mode": "inline", "every": 5}}


def test_a_half_fraction_of_three_factors_keeps_every_pair_of_levels_equally_often() -> None:
    kept = combinations(levels_of({name: [0, 1] for name in ("map", "speech", "persona")}), 2)
    assert len(kept) == 4
    for a, b in (("map", "speech"), ("map", "persona"), ("speech", "persona")):
        assert sorted((one[a], one[b]) for one in kept) == sorted(product("01", "01"))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"factors": {"colour": ["red", "blue"]}}, r"factors.colour: must be model, policy, config"),
        ({"factors": {"speech": ["tokens"]}}, r"factors.speech=\['tokens'\]: must have at least two"),
        ({"factors": {"speech": "tokens"}}, "must be a list of levels"),
        ({"factors": {"speech": ["tokens", "text"]}, "arms": {"a": {}}}, "a suite has one or the other"),
        ({"fraction": 2}, "fraction: needs factors"),
        ({"factors": {"probes": [True, False]}}, r"factors.probes=.*on and off are no probes; .* \{off: null, on: "),
        ({"factors": {"probes": {"off": False, "on": "meetings"}}}, "factors.probes=.*on and off are no probes"),
        ({"factors": {"speech": ["a", "b", "c"]}, "fraction": 2}, "does not keep the levels of speech equally often"),
        ({"factors": {"map": {"a=b": "ship", "c": "small"}}}, "needs a name without commas and equals signs"),
        (
            {"factors": {"map": ["ship", "small"], "persona": ["default", "cautious"]}, "fraction": 2},
            "every level of map equally often with every level of persona, so that their effects could not be told",
        ),
    ],
)
def test_wrong_factors_are_named(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        with_factors(fields)


def test_a_suite_of_factors_is_played_and_its_levels_are_compared(quack: Run, tmp_path: Path) -> None:
    suite = {
        "seeds": 2,
        "config": {"max_ticks": 12},
        "factors": {"model": ["scripted", "random"], "config.n_ducks": [1, 2]},
    }
    (tmp_path / "two.yaml").write_text(yaml.safe_dump(suite))
    done = quack("bench", tmp_path / "two.yaml", "--out", tmp_path / "run", "--jobs", 1, "--json")
    assert done.exit_code == 0, done.output
    found = only_object(quack("effects", tmp_path / "run", "--bound", "ticks=0", "--json"))
    assert found["games"] == 8
    recorded = GameRecord.load(tmp_path / "run/players__config.n_ducks-2-model-random/seed-000")
    assert {seat.policy for seat in recorded.header.seats} == {"random"} and len(recorded.ducks) == 2
    rows = (tmp_path / "run/tables/effects.csv").read_text("utf-8").splitlines()
    assert len(rows) == 1 + len(found["effects"]) and rows[0].startswith("factor,first,second,measure,seeds,difference")
    assert found["factors"] == {"model": ["scripted", "random"], "config.n_ducks": ["1", "2"]}
    assert {(one["factor"], one["seeds"]) for one in found["effects"] if one["measure"] == "ticks"} == {
        ("model", 2), ("config.n_ducks", 2),
    }  # fmt: skip


def test_effects_fit_the_terminal_verdict_beside_difference_and_only_against_a_level_if_asked(
    quack: Run, tmp_path: Path
) -> None:
    suite = {"geese": ["scripted", "random", "scripted:cautious"], "ducks": "random", "seeds": 4}
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(suite | {"config": {"max_ticks": 30}}))
    assert quack("bench", tmp_path / "s.yaml", "--out", tmp_path / "run", "--jobs", 1).exit_code == 0
    every = quack("effects", tmp_path / "run").stdout.splitlines()
    one = quack("effects", tmp_path / "run", "--against", "random x random").stdout.splitlines()
    heads = [[line for line in lines if "measure" in line] for lines in (every, one)]
    assert [len(found) for found in heads] == [3, 2] and max(map(len, every)) <= 80
    assert all(line.split() == ["measure", "seeds", "difference", "95", "%", "verdict", "detects"] for line in heads[0])
    assert all("random x random" in line for line in one if "Effects of" in line)
    assert "between other levels: none" in " ".join(" ".join(every).split())
    assert "between random x random and other levels: none" in " ".join(" ".join(one).split())
    data = only_object(quack("effects", tmp_path / "run", "--against", "random x random", "--json"))
    pairs = [{(one["first"], one["second"]) for one in data[part]} for part in ("effects", "sameness")]
    assert [len(found) for found in pairs] == [2, 2] and all("random x random" in pair for pair in pairs[0] | pairs[1])


def test_a_level_that_there_is_not_is_refused_with_json_too(quack: Run, small_run: Path, tmp_path: Path) -> None:
    run = shutil.copytree(small_run, tmp_path / "run")
    told = quack("effects", run, "--against", "scripted x randm", "--json")
    assert told.exit_code == 2 and "did you mean 'scripted x random'?" in told.stderr
    assert not (run / "effects.json").exists()


@pytest.mark.parametrize("bound", ["kills=nan", "kills=-1", "kills=inf", "kills", "=1"])
def test_a_bound_is_a_measure_and_a_number_from_0(quack: Run, small_run: Path, bound: str) -> None:
    told = quack("effects", small_run, "--bound", bound)
    assert told.exit_code == 2 and f"--bound {bound}: must be MEASURE=NUMBER with a number from 0" in told.stderr


def test_effects_that_the_games_cannot_tell_apart_are_said_to_be_so(quack: Run, tmp_path: Path) -> None:
    arms = {"speech=off, config.n_ducks=1": {"speech": "off"}, "speech=tokens, config.n_ducks=2": {"config": TWO_DUCKS}}
    suite = {"geese": "scripted", "ducks": "scripted", "seeds": 2, "config": {"max_ticks": 12}, "arms": arms}
    (tmp_path / "mixed.yaml").write_text(yaml.safe_dump(suite))
    assert quack("bench", tmp_path / "mixed.yaml", "--out", tmp_path / "run", "--jobs", 1).exit_code == 0
    told = quack("effects", tmp_path / "run")
    assert "cannot be told apart from the effect of config.n_ducks" in " ".join(told.stdout.split())
    found = only_object(quack("effects", tmp_path / "run", "--json"))["effects"]
    assert {(one["factor"], one["mixed_with"]) for one in found} == {
        ("speech", "config.n_ducks"),
        ("config.n_ducks", "speech"),
    }


def test_a_script_as_a_factor_begins_every_game_with_its_situation(quack: Run, tmp_path: Path) -> None:
    suite = "geese: [scripted]\nducks: [scripted]\nseeds: 1\nfactors:\n  script: [bandwagon, two_accusers]\n"
    (tmp_path / "s.yaml").write_text(suite)
    quack("bench", tmp_path / "s.yaml", "--out", tmp_path / "run", "--jobs", 1, "--json")
    games = [GameRecord.load(path.parent) for path in sorted((tmp_path / "run").rglob("trajectory.jsonl"))]
    assert len(games) == 2 and all(game.outcome for game in games)
    for game in games:
        called = next(event for event in game.events if event.kind == "meeting_called")
        assert called.tick == 4 and game.names[called.actor or 0] in ("Diana", "Charlie")


# --- what a sample could have seen -----------------------------------------------------------------------------------


def measured(*values: float) -> list[tuple[int, dict[str, Measure]]]:
    """Games of the seeds 0, 1, ... with one measure."""
    return [(seed, {"x": Measure(value, 1)}) for seed, value in enumerate(values)]


def test_differences_are_by_seed_and_effect_sizes_in_their_deviations() -> None:
    changes = differences(measured(3, 5, 4), measured(1, 2, 3), "x")
    assert changes == [2, 3, 1]
    assert effect_size(changes) == pytest.approx(2.0)  # mean 2, standard deviation 1
    assert effect_size([1.0, 1.0]) is None and detectable([1.0, 1.0]) is None


def test_the_detectable_size_is_that_of_the_tables() -> None:
    # Cohen (1988): 34 pairs for d = 0.5, 199 for d = 0.2, 15 for d = 0.8, at 5 % two-sided with 80 % power.
    for n, size in ((34, 0.5), (199, 0.2), (15, 0.8)):
        assert smallest_size(n) <= size < smallest_size(n - 1)


def test_verdicts_tell_equivalent_different_and_open_apart() -> None:
    near, far = [0.01, -0.01, 0.02, 0.0, -0.02, 0.0], [1.0, 1.1, 0.9, 1.0, 1.2, 0.8]
    assert verdict(near, (-0.02, 0.02), 0.1) == "equivalent"
    assert verdict(far, (0.9, 1.1), 0.1) == "different"
    assert verdict([1.0, -1.0, 0.5, -0.4], (-0.8, 0.8), 0.1) == "open"
    assert verdict([1.0], None, 0.1) == "open"


def test_differences_that_are_all_alike_or_of_too_few_seeds_are_never_called_equivalent() -> None:
    assert verdict([0.0] * 20, (0.0, 0.0), 0.1) == "open"
    assert verdict([0.1 + 0.2 - 0.3] * 20, (5e-17, 6e-17), 0.1) != "equivalent"
    assert verdict([0.01, 0.02], None, 0.1) == "open"
    assert verdict([1.0] * 20, (1.0, 1.0), 0.1) == "different"
    assert effect_size([0.1] * 3) is None


def test_differences_that_vary_little_beside_their_size_vary() -> None:
    assert effect_size([1000.0, 1000.005, 999.995]) == pytest.approx(1000 / 0.005)


# --- probes ----------------------------------------------------------------------------------------------------------


def test_the_built_in_study_has_an_unprobed_an_isolated_and_an_inline_arm() -> None:
    suite = load_suite("noninvasive", "openai/mock")
    probes = {setting.arm: setting.probes for setting in suite.expand()}
    assert list(probes) == ["probes=unprobed", "probes=isolated", "probes=inline"]
    isolated, inline = probes["probes=isolated"], probes["probes=inline"]
    assert probes["probes=unprobed"] is None and isolated is not None and inline is not None
    assert (isolated.mode, inline.mode) == ("isolated", "inline")
    assert isolated.repeat > 1 and isolated.model_copy(update={"mode": "inline"}) == inline
    names = [question.name for question in isolated.questions]
    assert [name.partition("_")[0] for name in names] == ["neutral", "neutral", "leading", "leading"]


@pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="needs the extra llm")
def test_the_study_finds_the_effect_of_inline_probes_on_a_sensitive_model_and_none_of_isolated_ones(
    tmp_path: Path,
) -> None:
    plan = load_suite("noninvasive", "openai/mock").model_dump(exclude_defaults=True)
    for arm in plan["arms"].values():
        if arm.get("probes"):
            arm["probes"] = {"triggers": ["before_vote", "after_call"], "mode": arm["probes"].get("mode", "isolated")}
    small = {"n_players": 5, "n_tasks": 3, "kill_cooldown": 2, "max_ticks": 20, "discussion_rounds": 1}
    server = MockServer(sensitive=True).start()
    try:
        (tmp_path / "s.yaml").write_text(yaml.safe_dump(plan | {"seeds": 5, "config": small, "map": "small"}))
        suite = load_suite(str(tmp_path / "s.yaml"), f"openai/mock?modality=text&api_base={server.url}")
        with opened(suite, tmp_path / "run"):
            assert run_suite(suite, tmp_path / "run", jobs=3).missing == 0
    finally:
        server.stop()
    study = Experiment(tmp_path / "run", resamples=200)
    by_pair = {frozenset((one.first, one.second)): one for one in study.sameness()}
    isolated, inline = by_pair[frozenset(("isolated", "unprobed"))], by_pair[frozenset(("inline", "unprobed"))]
    assert (isolated.same, isolated.games) == (5, 5) and inline.same < inline.games == 5
    effects = {(frozenset((one.first, one.second)), one.measure): one for one in study.effects()}
    against = {pair: [one for (p, _), one in effects.items() if p == pair] for pair in by_pair}
    assert {(one.difference, one.verdict) for one in against[frozenset(("isolated", "unprobed"))]} <= {
        (0.0, "open"),
        (None, "open"),
    }
    assert any(one.verdict == "different" for one in against[frozenset(("inline", "unprobed"))])


def row(game: str, p: float, repeat: int = 0) -> Belief:
    """What player_0 said of player_1."""
    return Belief(game, 3, None, "voting", "before_vote", 9, "player_0", "player_1", 1, None, 1 - p, p, True, False,
                  None, None, None, None, repeat=repeat)  # fmt: skip


def reworded(game: str, question: str, p: float) -> Answer:
    """The same in other words."""
    return Answer(game, 3, None, "voting", "before_vote", 9, "player_0", "player_1", question, "duck", p, True, False,
                  None, None, None)  # fmt: skip


def test_a_model_that_can_be_led_is_told_from_one_that_cannot(tmp_path: Path) -> None:
    store = BeliefStore(tmp_path / "run.sqlite")
    for number, p in enumerate((0.2, 0.4, 0.6, 0.7)):
        game = f"g{number}"
        neutral, leading = reworded(game, "neutral", p), reworded(game, "leading", p + 0.25)
        store.add([row(game, p), row(game, p + 0.1, repeat=1)], [neutral, leading])
    store.close()
    held = validity(tmp_path, resamples=200)
    assert held.retest is not None and held.retest.pooled == pytest.approx(0.1)
    assert held.wordings["neutral"]["bias"].pooled == pytest.approx(0)
    assert held.wordings["leading"]["bias"].pooled == pytest.approx(0.25)
    assert held.wordings["leading"]["bias"].pooled_interval == pytest.approx((0.25, 0.25))
