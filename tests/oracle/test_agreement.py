"""The rules and the oracle agree on everything after every action.

200 games here; `python -m tests.oracle.agreement --games 2000` plays more of them.
"""

from functools import cache

import pytest

from quack_env.kinds import KINDS

from .agreement import ABSENT_KINDS, ENDINGS, STYLES, LockStep, Tally, play_game, settings_of

CHUNKS, CHUNK = 20, 10


@cache
def played(chunk: int) -> Tally:
    """What happened in the games of a chunk."""
    tally = Tally()
    for i in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        tally.add(play_game(i))
    return tally


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_games_agree(chunk):
    assert played(chunk).games == CHUNK


def test_everything_occurs():
    """Every ending and every kind of event that these games can have."""
    tallies = [played(chunk) for chunk in range(CHUNKS)]
    endings = {name for tally in tallies for name in tally.endings}
    events = {name for tally in tallies for name in tally.events}
    assert endings == set(ENDINGS)
    assert events == set(KINDS) - set(ABSENT_KINDS)


def test_settings_vary():
    """The same game for the same number; over the games every style, size, map, speech and preset."""
    games = [settings_of(i) for i in range(CHUNKS * CHUNK)]
    assert games == [settings_of(i) for i in range(CHUNKS * CHUNK)]

    def values(name):
        return {game.config.get(name) for game in games}

    assert {game.style for game in games} == set(STYLES)
    assert {game.speech for game in games} == {"off", "tokens", "text"}
    assert {game.given for game in games} == {False, True}
    maps = {game.map if isinstance(game.map, str) else "random" for game in games}
    assert maps == {"ship", "small", "large", "random"}
    assert values("n_players") == set(range(3, 17))
    assert values("n_ducks") == set(range(1, 8))
    assert values("kill_cooldown") == set(range(6))
    assert values("meeting_calls") == {None, 0, 1, 2, 3}
    assert values("discussion_rounds") == {1, 2, 3}
    assert {0, 1, 2, 5} <= values("n_tasks") and {1, 2, 10, 30, 200} <= values("max_ticks")
    for switch in ("witness_kills", "reveal_role", "reveal_votes", "drop_dead_tasks"):
        assert values(switch) == {False, True}


def test_a_disagreement_is_named():
    """The message says which game, after which action, which field, and both values."""
    played = LockStep(settings_of(0))
    played.act(("wait",))
    played.oracle.calls_left += 7
    with pytest.raises(AssertionError) as raised:
        played.act(("wait",))
    message = str(raised.value)
    assert "calls_left after step 2 (('wait',))" in message and "seed=" in message
    assert f"rules:  {played.game.state.calls_left}\n" in message
    assert f"oracle: {played.oracle.calls_left}" in message
