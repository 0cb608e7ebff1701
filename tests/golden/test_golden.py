"""The golden numbers, recounted on the rules to full depth and on the oracle to depth 5."""

import pytest

from quack_env.state import VOTING

from .positions import NUMBERS, POSITIONS, OracleNode, RulesNode, golden, measure, reach

ORACLE_DEPTH = 5


@pytest.mark.parametrize("name", POSITIONS)
def test_rules_give_the_golden_numbers(name):
    depth = POSITIONS[name].depth
    assert measure(name, RulesNode.start, depth) == golden(name, depth)


@pytest.mark.parametrize("name", POSITIONS)
def test_oracle_gives_the_golden_numbers(name):
    depth = min(POSITIONS[name].depth, ORACLE_DEPTH)
    assert measure(name, OracleNode.start, depth) == golden(name, depth)


def test_positions_are_what_they_are_called():
    """Somebody may kill, two with different ways to go are in transit, somebody votes."""
    nodes = {name: reach(name, RulesNode.start) for name in POSITIONS}
    kill = {NUMBERS["kill", j] for j in range(4)}
    assert kill & set(nodes["kill-ready"].legal())
    assert sorted(left for left in nodes["in transit"].state.left if left) == [1, 2]
    assert {name for name, node in nodes.items() if node.state.phase == VOTING} == {"voting, button", "voting, body"}
