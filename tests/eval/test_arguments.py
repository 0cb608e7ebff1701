"""What evaluation and audit say of arguments that cannot be: one line with what was given and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quack_env import ConfigError
from quack_eval import BeliefEval, Claim, OutcomeEval, StatementAudit, Timeline, Trajectory, evaluate, extract, judge
from quack_eval.claims.extract import GrammarExtractor
from quack_eval.evaluation import TIERS
from quack_eval.metrics.base import GameEval


@pytest.fixture
def game(play_randomly: Callable[..., Trajectory], tmp_path: Path) -> Path:
    """The folder of a recorded game."""
    play_randomly({}, 0).save(tmp_path / "game-0")
    return tmp_path / "game-0"


class Eighth(GameEval):
    """A tier of one's own."""

    tier = 8


@pytest.mark.parametrize("given", ["a/path", Path("a/path"), {"a": 1}, [3], None])
def test_an_audit_of_something_else_than_recorded_games_is_refused(given: Any) -> None:
    with pytest.raises(ConfigError, match="is no recorded game"):
        StatementAudit(given)


@pytest.mark.parametrize("given", [None, 3])
def test_what_is_no_path_is_not_loaded(given: Any) -> None:
    with pytest.raises(ConfigError, match=f"path={given}: must be the path of a recorded game"):
        Trajectory.load(given)


@pytest.mark.parametrize("given", [None, 3])
def test_findings_are_not_read_from_what_is_no_path(given: Any) -> None:
    with pytest.raises(ConfigError, match=rf"path={given}: must be the path of a findings\.jsonl"):
        StatementAudit.from_findings(given)


@pytest.mark.parametrize("several", [False, True])
def test_beliefs_of_what_holds_none_are_refused(several: bool, play_randomly: Callable[..., Trajectory]) -> None:
    for given in (None, 3, play_randomly({}, 0)):
        source: Any = [given] if several else given
        with pytest.raises(ConfigError, match=rf"source: must be the folder of a run.*, not {type(given).__name__}$"):
            BeliefEval(source)


@pytest.mark.parametrize("out", [None, "a file"])
def test_an_audit_is_not_saved_into_what_is_no_folder(
    play_randomly: Callable[..., Trajectory], tmp_path: Path, out: str | None
) -> None:
    (tmp_path / "a file").write_text("")
    with pytest.raises(ConfigError, match=r"must be (a folder|the path of a folder)"):
        StatementAudit(play_randomly({}, 0)).save(out and tmp_path / out)  # type: ignore[arg-type]


def test_an_audit_of_no_game_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no game to count"):
        StatementAudit([])


@pytest.mark.parametrize("what", [judge, OutcomeEval, Timeline])
def test_a_path_is_no_recorded_game(what: Any) -> None:
    with pytest.raises(ConfigError, match=r"'a/path' is no recorded game: give Trajectory\.load\(PATH\)"):
        what("a/path", *([Claim("location"), "Eve", 0] if what is judge else []))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"tiers": "3"}, r"tiers='3': must be one or several of 1, 2"),
        ({"tiers": True}, "tiers=True: must be one or several of"),
        ({"tiers": ()}, r"tiers=\(\): must be one or several of"),
        ({"jobs": 0}, "jobs=0: must be a whole number from 1 on"),
        ({"claims": 3}, r"claims=3: must be None, recorded, grammar, an extractor \(an object with name and"),
        ({"convention": "ours"}, "convention='ours': must be one of paper, published"),
    ],
)
def test_an_argument_of_an_evaluation_that_cannot_be_is_refused(given: dict[str, Any], told: str, game: Path) -> None:
    with pytest.raises(ConfigError, match=told):
        evaluate(game, **given)


def test_a_loaded_game_is_no_path_of_one(play_randomly: Callable[..., Trajectory]) -> None:
    with pytest.raises(ConfigError, match=r"paths: must be the path of a game .*StatementAudit\), not Trajectory"):
        evaluate(play_randomly({}, 0))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        (3, r"claims=3: must be None, recorded, grammar, published, an extractor \(an object with"),
        (GrammarExtractor, r"claims=<class .*GrammarExtractor'>: must be None, .*an extractor \(an object with name"),
        ([{"type": "location"}], r"claims: must be a list of Said \(.*, not {'type': 'location'} among them"),
    ],
)
def test_claims_from_a_source_that_is_none_are_refused(
    claims: Any, told: str, play_randomly: Callable[..., Trajectory]
) -> None:
    with pytest.raises(ConfigError, match=told):
        StatementAudit(play_randomly({}, 0), claims=claims)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"message": None}, "message=None: must be a text"),
        ({"speaker": 3}, "speaker=3: must be a text"),
        ({"players": "Eve"}, "players='Eve': must be a list of names"),
        ({"rooms": [1]}, r"rooms=\[1\]: must be a list of names"),
        ({"transcript": ["Bob: hi"]}, r"transcript: must have pairs \(speaker, text\), not 'Bob: hi'"),
    ],
)
def test_an_utterance_that_is_none_is_not_read(given: dict[str, Any], told: str) -> None:
    utterance = {"message": "I saw Bob.", "speaker": "Eve", "players": ["Eve", "Bob"], "rooms": ["medbay"]}
    with pytest.raises(ConfigError, match=told):
        extract(**(utterance | given))


def test_findings_can_be_grouped_by_what_there_is(play_randomly: Callable[..., Trajectory]) -> None:
    with pytest.raises(ConfigError, match=r"the group 'rolle' is unknown \(did you mean 'role'\?\)"):
        StatementAudit(play_randomly({}, 0)).by("rolle")


def test_a_tier_under_another_number_than_its_own_is_refused(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TIERS, 9, Eighth)
    with pytest.raises(ConfigError, match=r"TIERS\[9\] is Eighth, whose tier is 8: they must agree"):
        evaluate(game, tiers=9)
