"""Estimates: both estimators, undefined values, intervals, paired comparisons."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quack_eval.metrics.estimate import estimate, paired, wilson
from quack_eval.metrics.measure import UNDEFINED, Measure, mean, once, ratio
from quack_eval.metrics.tables import LAYOUTS, overall_table, setting_table, shown, shown_interval, with_interval

GAMES = [
    {"rate": Measure(1, 2), "report_latency": Measure(3, 1), "geese_win": once(1)},
    {"rate": Measure(0, 0), "report_latency": Measure(0, 0), "geese_win": once(0)},
    {"rate": Measure(3, 3), "report_latency": Measure(5, 2), "geese_win": once(1)},
]


def test_a_measure_over_nothing_has_no_value() -> None:
    assert Measure(0, 0).value is None
    assert Measure(0, 4).value == 0.0
    assert Measure(1, 4) + Measure(2, 4) == Measure(3, 8)
    assert once(None) == mean([]) == ratio([]) == UNDEFINED
    assert mean([2, 4]) == Measure(6, 2)
    assert ratio([True, False, True]) == Measure(2, 3)


def test_two_estimators() -> None:
    found = estimate(GAMES, resamples=0)["rate"]
    assert (found.games, found.n) == (3, 2)
    assert found.mean == pytest.approx((1 / 2 + 1) / 2)
    assert found.pooled == pytest.approx(4 / 5)
    assert (found.numerator, found.denominator) == (4, 5)
    assert found.mean_interval is None and found.pooled_interval is None


def test_undefined_as_zero_is_the_published_convention() -> None:
    found = estimate(GAMES, undefined="zero", resamples=0)
    assert found["rate"].mean == pytest.approx(1.5 / 3)
    assert found["rate"].n == 3
    assert found["rate"].pooled == pytest.approx(4 / 5)
    assert found["report_latency"].mean == pytest.approx((3 + 2.5) / 2)  # stays undefined
    with pytest.raises(ValueError, match="skip or zero"):
        estimate(GAMES, undefined="nan")


def test_nothing_defined_and_no_games() -> None:
    found = estimate([{"rate": UNDEFINED}, {"rate": UNDEFINED}], resamples=50)["rate"]
    assert (found.mean, found.pooled, found.mean_interval, found.n) == (None, None, None, 0)
    assert estimate([]) == {}


def test_a_measure_missing_in_a_game_counts_as_undefined() -> None:
    found = estimate([{"a": once(1)}, {"b": once(2)}], resamples=0)
    assert (found["a"].n, found["b"].n, found["a"].mean) == (1, 1, 1.0)


def test_intervals_are_seeded_and_cover() -> None:
    rng = np.random.default_rng(5)
    games = [{"rate": Measure(int(rng.binomial(10, 0.3)), 10)} for _ in range(200)]
    first, again = estimate(games)["rate"], estimate(games)["rate"]
    assert first == again
    assert first.mean is not None and first.mean_interval is not None
    low, high = first.mean_interval
    error = float(np.std([game["rate"].value for game in games])) / math.sqrt(len(games))
    assert low == pytest.approx(first.mean - 1.96 * error, abs=0.004)
    assert high == pytest.approx(first.mean + 1.96 * error, abs=0.004)
    assert first.pooled_interval == pytest.approx(first.mean_interval)  # equal denominators


def test_resampling_takes_whole_games() -> None:
    """A game with many votes weighs as one: the pooled interval is that of the ratio of sums."""
    games = [{"rate": Measure(100, 100)}, *[{"rate": Measure(0, 1)} for _ in range(9)]]
    found = estimate(games)["rate"]
    assert found.pooled_interval is not None
    assert found.pooled_interval[0] == 0.0 and found.pooled_interval[1] > 0.95


def test_wilson_for_proportions_of_games() -> None:
    games = [{"geese_win": once(int(i < 3))} for i in range(10)]
    found = estimate(games)["geese_win"]
    p, n, z = 0.3, 10, 1.959963984540054
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    assert found.mean_interval == pytest.approx((centre - half, centre + half))
    assert found.mean_interval == found.pooled_interval
    assert wilson(0, 0) is None


def test_three_games_that_define_a_measure_have_no_interval_and_four_have_one() -> None:
    """Of three, 1 in 27 draws is the lowest three times over: the 2.5 % point would be the lowest value itself."""
    values = [Measure(0, 1), Measure(1, 1), Measure(2, 1)]
    undefined = [{"x": UNDEFINED}] * 5
    three = estimate([{"x": value} for value in values] + undefined)["x"]
    assert (three.mean, three.mean_interval, three.pooled_interval) == (1, None, None)
    four = estimate([{"x": value} for value in (*values, Measure(3, 1))] + undefined)["x"]
    assert four.mean_interval is not None and four.pooled_interval is not None


def test_seeds_count_for_a_difference_where_both_groups_define_the_measure() -> None:
    first = [(seed, {"x": Measure(seed, 1), "y": Measure(seed, 1)}) for seed in range(4)]
    second = [(seed, {"x": Measure(1, 1), "y": Measure(1, seed and 1)}) for seed in range(4)]
    found = paired(first, second)
    assert found["x"].mean_interval is not None
    assert found["y"].mean is not None and found["y"].mean_interval is None
    assert (found["x"].seeds, found["y"].seeds) == (4, 3)  # y is over nothing in the second group's seed 0


def test_wilsons_interval_takes_a_single_game() -> None:
    found = estimate([{"geese_win": once(1)}])["geese_win"].mean_interval
    assert found == pytest.approx((1 / (1 + 1.959963984540054**2), 1.0))  # n / (n + z^2) of n wins in n


def test_paired_comparison_cancels_what_seeds_share() -> None:
    """Seed s makes the rate s / 20 in both groups, and the first group is better by 0.05 on each."""
    first = [(s, {"rate": Measure(s + 1, 20)}) for s in range(12)]
    second = [(s, {"rate": Measure(s, 20)}) for s in range(10)]
    found = paired(first, second)["rate"]
    assert found.seeds == 10
    assert found.mean == pytest.approx(0.05)
    assert found.mean_interval == pytest.approx((0.05, 0.05))
    assert found.pooled_interval == pytest.approx((0.05, 0.05))
    apart = estimate([game for _, game in first])["rate"].mean_interval
    assert apart is not None and apart[1] - apart[0] > 0.1  # unpaired, the seeds' spread hides it


def test_paired_without_shared_seeds_or_with_several_games_a_seed() -> None:
    found = paired([(1, {"rate": once(1)})], [(2, {"rate": once(0)})])["rate"]
    assert (found.seeds, found.mean, found.mean_interval) == (0, None, None)
    twice = [(1, {"rate": Measure(1, 2)}), (1, {"rate": Measure(1, 1)}), (2, {"rate": Measure(0, 1)})]
    found = paired(twice, [(1, {"rate": Measure(0, 3)}), (2, {"rate": Measure(1, 1)})], resamples=0)["rate"]
    assert found.mean == pytest.approx(0.5 - 0.5)
    assert found.pooled == pytest.approx(2 / 4 - 1 / 4)


def test_a_difference_is_over_the_seeds_that_define_the_measure_in_both_groups() -> None:
    first = [(1, {"rate": Measure(1, 2)}), (2, {"rate": UNDEFINED}), (3, {"rate": Measure(1, 1)})]
    second = [(1, {"rate": Measure(0, 3)}), (2, {"rate": Measure(1, 1)}), (3, {"rate": UNDEFINED})]
    found = paired(first, second, resamples=0)["rate"]
    assert (found.seeds, found.mean, found.pooled) == (1, 0.5, 0.5)


def test_games_without_any_measure_have_no_estimates() -> None:
    assert estimate([{}, {}]) == {}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "-"),
        (0.0, "0.00"),
        (1.25, "1.25"),
        (0.0123, "0.01"),
        (0.0049, "0.0049"),
        (-3.4e-4, "-0.00034"),
        (1e-6, "0.0000010"),
        (-9e-7, "0.00"),
        (1e-17, "0.00"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
    ],
)
def test_a_small_value_is_not_shown_as_nothing(value: float | None, told: str) -> None:
    assert shown(value, percent=False) == told


@pytest.mark.parametrize(
    ("value", "interval", "percent", "told"),
    [
        (0.0012, (0.0001, 0.3), False, "0.0012 [0.0001, 0.3000]"),
        (2.5, (0.001, 4.0), False, "2.50 [0.00, 4.00]"),
        (0.0, (-0.0034, 0.002), False, "0.00 [-0.0034, 0.0020]"),
        (0.5, (0.25, 0.75), True, "50.0 [25.0, 75.0]"),
        (0.5, None, True, "50.0"),
        (None, None, True, "-"),
    ],
)
def test_an_interval_has_the_decimals_of_its_value(
    value: float | None, interval: tuple[float, float] | None, percent: bool, told: str
) -> None:
    assert with_interval(value, interval, percent) == told


def test_an_interval_without_width_says_that_the_games_are_alike() -> None:
    found = estimate([{"x": Measure(1, 10)}] * 7)["x"]
    assert shown_interval(found.mean_interval, True, found.mean) == "all alike"


def test_the_names_of_settings_in_tables_have_no_addresses_of_servers() -> None:
    found = estimate([{"ticks": once(3)}])
    table = setting_table(LAYOUTS["paper"][0], {"a/b?modality=text&api_base=http://here x random": found})
    assert list(table.columns[0].cells) == ["a/b?modality=text\nx random"]


def test_each_estimator_stands_in_one_column_with_its_interval() -> None:
    table = overall_table(estimate([{"ticks": once(ticks)} for ticks in (2, 2, 2, 2)]))
    cells = {str(column.header): list(column.cells) for column in table.columns}
    assert cells["mean [95 %]"] == cells["pooled [95 %]"] == ["2.00 all alike"]


def test_a_numerator_over_nothing_is_undefined_in_every_estimator() -> None:
    """As `Measure(3, 0).value` is; and no warning is given (they are errors here)."""
    found = estimate([{"odd": Measure(3, 0)}, {"odd": Measure(2, 0)}])["odd"]
    assert (found.mean, found.pooled, found.pooled_interval) == (None, None, None)
    one = [(seed, {"odd": Measure(3, 0)}) for seed in range(3)]
    assert paired(one, one)["odd"].pooled is None
