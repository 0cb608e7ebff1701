"""The comparison with the oracle catches every seeded mistake."""

import pytest

from .agreement import play_game
from .mistakes import MISTAKES, maker_of, source_of_rules, with_mistake

GAMES = 150


def first_disagreement(make_rules, games):
    """Number and message of the first game that the rules and the oracle play differently, or None."""
    for i in range(games):
        try:
            play_game(i, make_rules)
        except AssertionError as disagreement:
            return i, str(disagreement)
    return None


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_mistake_is_caught(mistake):
    make_rules = maker_of(with_mistake(mistake))
    assert first_disagreement(make_rules, GAMES), f"{GAMES} games do not show the mistake {mistake.name!r}"


def test_the_rules_without_a_mistake_are_not_caught():
    """Loaded the same way, they agree: what is caught above is the mistake and not the loading."""
    make_rules = maker_of(compile(source_of_rules(), "rules.py", "exec"))
    assert first_disagreement(make_rules, 20) is None
