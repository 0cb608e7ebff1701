"""`quack fork`: continuations, a replaced utterance, and what moved a vote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import quack_env
from quack_agents import ScriptedPolicy, play
from quack_agents.situations import load_situation, perform
from quack_bench.forks import Point, scan
from quack_env import ConfigError, GameRecord, RecordTrajectory
from quack_env.replay import check
from quack_eval.beliefs.shifts import Shifts

from .conftest import Run, only_object
from .planted import Anchored, Conformist


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scripted game with a meeting."""
    folder = tmp_path_factory.mktemp("fork") / "game"
    env = RecordTrajectory(quack_env.env(observation="vector"), folder, {f"player_{i}": "scripted" for i in range(6)})
    play(env, {agent: ScriptedPolicy() for agent in env.possible_agents}, seed=5)
    env.close()
    return folder


def statements(game: Path) -> list[quack_env.Event]:
    """Everything said in a game."""
    return [event for event in GameRecord.load(game).events if event.kind == "statement"]


def test_continuations_keep_the_past_and_are_reproducible(quack: Run, game: Path, tmp_path: Path) -> None:
    original = GameRecord.load(game)
    at = statements(game)[0].index
    for name in "ab":
        found = only_object(quack("fork", game, "--at", at, "-n", 2, "--no-probe", "--out", tmp_path / name, "--json"))
        assert found["arms"]["kept"]["geese_win"]["games"] == 2 and "shift" not in found
    for number in (1, 2):
        place = f"event-{at:04d}/kept/fork-{number:03d}"
        first, again = (GameRecord.load(tmp_path / name / place) for name in "ab")
        assert first.events == again.events and first.events[: at + 1] == original.events[: at + 1]
        assert check(first).ok and first.status == "finished"


def test_a_replaced_utterance_is_heard_and_the_others_believe_otherwise(quack: Run, game: Path, tmp_path: Path) -> None:
    first = statements(game)[0]
    names = GameRecord.load(game).names
    told = names[next(seat for seat in first.seen_by if seat != first.actor)]
    options = ("--at", first.index, "-n", 4, "--say", f"suspect({told})", "--out", tmp_path / "f", "--json")
    found = only_object(quack("fork", game, *options))
    replaced = GameRecord.load(tmp_path / "f" / f"event-{first.index:04d}/replaced/fork-001")
    kept = GameRecord.load(tmp_path / "f" / f"event-{first.index:04d}/kept/fork-001")
    assert replaced.events[first.index].text == f"{told} is suspicious."
    assert kept.events[first.index] == first
    assert found["shift"][f"p {told} @before"]["mean"] == 0
    assert found["shift"][f"p {told} @after"]["mean"] > 0
    assert found["shift"][f"p {told} @after"]["mean_interval"] is not None


def test_in_words_anything_can_be_said(quack: Run, tmp_path: Path) -> None:
    quack("play", "--seed", 5, "--speech", "text", "--out", tmp_path / "game", "--json")
    at = statements(tmp_path / "game")[0].index
    say = ("--say", "It was nobody, I think.", "--no-probe")
    result = quack("fork", tmp_path / "game", "--at", at, "-n", 1, *say, "--out", tmp_path / "f")
    assert result.exit_code == 0, result.output
    replaced = GameRecord.load(tmp_path / "f" / f"event-{at:04d}/replaced/fork-001")
    assert replaced.events[at].text == "It was nobody, I think."


def test_the_scan_finds_the_statement_that_the_vote_turned_on(tmp_path: Path) -> None:
    # Only Charlie votes freely here, for the first accused: what Alice says is the one statement that counts.
    situation = load_situation("counter_accusation")
    perform(situation, {"Charlie": Anchored()}, folder=tmp_path / "game")
    game = GameRecord.load(tmp_path / "game")
    names = {seat.agent: "anchored" if seat.name == "Charlie" else "mute" for seat in game.header.seats}
    made: dict[str, Any] = {"anchored": Anchored, "mute": Mute}
    scan(game, 0, 1, names, tmp_path / "scan", asks=False, make=lambda name: made[name]())
    found = Shifts(tmp_path / "scan").pivotal
    assert len(found) == 10
    assert (found[0].speaker, found[0].text) == ("Alice", "Bob is suspicious.")
    assert found[0].share.pooled == pytest.approx(1 / 5) and found[1].share.pooled == 0
    assert found[0].votes["Bob"].mean == pytest.approx(1 / 5)


class Mute(Conformist):
    """Says nothing and votes for nobody."""

    def __call__(self, observation: Any, info: Any) -> Any:
        super().__call__(observation, info)
        legal = info["legal_actions"]
        return info["briefing"].action(next(name for name in ("wait()", "nothing()", "skip()") if name in legal))


def test_a_scan_keeps_to_its_budget(game: Path, tmp_path: Path) -> None:
    trajectory = GameRecord.load(game)
    names = {seat.agent: "scripted" for seat in trajectory.header.seats}
    with pytest.raises(ConfigError, match=r"max_games=3: \d+ statements take at least \d+"):
        scan(trajectory, 0, 5, names, tmp_path / "s", max_games=3)


def test_what_cannot_be_done_is_said(quack: Run, game: Path, tmp_path: Path) -> None:
    first = statements(game)[0].index
    result = quack("fork", game, "--at", 3, "--say", "suspect(Bob)", "--out", tmp_path / "a")
    assert result.exit_code == 2 and f"event 3: nobody speaks there; statements are {first}" in result.stderr
    result = quack("fork", game, "--at", first, "--say", "Bob did it", "--out", tmp_path / "b")
    assert result.exit_code == 2 and "must be a statement of the game" in result.stderr
    result = quack("fork", game, "--out", tmp_path / "c")
    assert result.exit_code == 2 and "choose either --at EVENT" in result.stderr
    result = quack("fork", game, "--scan", 9, "--out", tmp_path / "d")
    assert result.exit_code == 2 and "meeting 9: the game has" in result.stderr


def test_continuations_are_not_played_into_the_folder_of_a_game(quack: Run, game: Path) -> None:
    before = sorted(game.iterdir())
    result = quack("fork", game, "--at", 3, "-n", 1, "--out", game)
    assert result.exit_code == 2 and "already holds a recorded game" in result.stderr
    assert sorted(game.iterdir()) == before


def test_the_point_of_a_statement_gives_it_and_may_replace_it(game: Path) -> None:
    trajectory = GameRecord.load(game)
    first = statements(game)[0]
    point = Point.of(trajectory, first.index)
    assert point.said is not None and point.meeting == 0
    speaker = point.said.agent
    assert point.given(speaker)[:-1] == point.past.actions(speaker)
    assert point.given(speaker, 99)[-1] == 99 and point.given(speaker)[-1] == point.said.action


def test_a_limit_in_dollars_is_refused_before_a_fork_or_a_situation_where_a_price_is_not_known(
    quack: Run, game: Path, tmp_path: Path
) -> None:
    pytest.importorskip("litellm")
    model = "openai/nobody-knows?api_base=http://127.0.0.1:9/v1"
    options = ("--max-usd", 1, "--out", tmp_path / "out")
    for command in (("fork", game, "--at", 20, "--goose", model), ("scripts", "run", "all", "--policy", model)):
        result = quack(*command, *options)
        assert result.exit_code == 2 and "the price of openai/nobody-knows is not known" in result.stderr
    assert not (tmp_path / "out").exists()
