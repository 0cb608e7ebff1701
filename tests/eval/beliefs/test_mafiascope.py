"""Recordings of MafiaScope: its published numbers, and its faults."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from quack_bench.cli import app
from quack_env import ConfigError, TrajectoryError
from quack_env.beliefs import FILE, BeliefStore
from quack_eval import Trajectory, find_games
from quack_eval.beliefs import belief_games, reference_beliefs
from quack_eval.beliefs.published import published_beliefs
from quack_eval.importers.mafiascope import entries, find, read

RECORDED = Path(__file__).resolve().parents[4] / "shared" / "data" / "mafiascope"
PLAYERS = {"Ann": "Villager", "Ben": "Mafia", "Cat": "Villager", "Dan": "Doctor"}


@pytest.fixture(scope="module")
def recorded() -> Path:
    """MafiaScope's recorded games; the test is skipped where they are not there."""
    if not RECORDED.is_dir():
        pytest.skip("MafiaScope's games are not there (../shared/data/mafiascope): nothing to compare with")
    return RECORDED


def test_the_published_numbers_come_out(recorded: Path) -> None:
    found = published_beliefs(recorded / "36594b66-05d1-434c-be65-13360eafca9e")
    assert found.ece == pytest.approx(0.1942, abs=5e-5)
    assert (found.brier.value, found.brier.denominator) == (pytest.approx(0.3112, abs=5e-5), 311)
    assert found.volatility.value == pytest.approx(0.3075, abs=5e-5)
    assert (found.top_flips.numerator, found.top_flips.denominator) == (56, 108)
    assert found.top_returns.numerator == 33
    assert found.second_order_accuracy.denominator == 683
    assert found.second_order_accuracy.value == pytest.approx(0.5476, abs=5e-5)
    assert found.over_prediction.value == pytest.approx(1.7097, abs=5e-5)


def attitudes(*felt: tuple[str, str]) -> dict[str, Any]:
    return {"toward_me": [{"player": who, "attitude": how, "confidence": 60} for who, how in felt]}


def test_expected_attitudes_are_held_against_the_latest_assessment_before(corpus: Corpus) -> None:
    corpus.probe("Ben", "role_assessment", [guess("Ann", "Mafia", 50)], seq=1)
    corpus.probe("Ann", "social_map", attitudes(("Ben", "suspects"), ("Cat", "suspects")), seq=2)
    corpus.probe("Cat", "role_assessment", [guess("Ann", "Mafia", 90)], seq=3)
    corpus.probe("Ben", "role_assessment", [guess("Ann", "Mafia", 49)], seq=3)
    corpus.probe("Ann", "social_map", attitudes(("Ben", "suspects"), ("Cat", "trusts")), seq=4)
    found = published_beliefs(corpus.write())
    # Ben suspects at 50 %, then no more; Cat was asked for the first time between the two
    assert (found.second_order_accuracy.numerator, found.second_order_accuracy.denominator) == (1, 3)
    assert (found.over_prediction.numerator, found.over_prediction.denominator) == (2, 2)


def test_what_mafia_expect_of_each_other_does_not_count(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.lines[0]["players"][0]["role"] = "Mafia"
    corpus.probe("Ben", "role_assessment", [guess("Ann", "Mafia", 90)], seq=1)
    corpus.probe("Ann", "social_map", attitudes(("Ben", "suspects")), seq=2)
    found = published_beliefs(corpus.write())
    assert found.second_order_accuracy.value is None
    assert found.over_prediction.value is None


def test_every_recorded_game_is_read_and_error_texts_are_flagged(recorded: Path) -> None:
    games = {game.game_id[:8]: game for game in belief_games(recorded)}
    assert len(games) == 4
    assert len(games["96c880d7"].flagged) == 13
    assert games["36594b66"].flagged == []
    assert not any(vote.voter == "Gray" for vote in games["96c880d7"].votes), "its vote was an error text"
    for game in games.values():
        for belief in game.first_order:
            assert game.gone.get(belief.observer, belief.event_index) >= belief.event_index


class Corpus:
    """A game written line by line, a second apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "game"
        self.folder.mkdir()
        players = [{"name": name, "role": role, "model": "m"} for name, role in PLAYERS.items()]
        self.lines: list[dict[str, Any]] = [{"kind": "setup", "round": 0, "players": players, "ts": 0.0}]
        self.probes: list[dict[str, Any]] = []
        self.clock = 0.0

    def line(self, kind: str, **fields: Any) -> None:
        self.clock += 1
        self.lines.append({"kind": kind, "round": 1, "ts": self.clock, **fields})

    def probe(self, player: str, probe_id: str, parsed: Any, phase: str = "day_discuss", seq: int = 1) -> None:
        self.clock += 1
        fields = {"player_name": player, "probe_id": probe_id, "answer_parsed": parsed, "phase": phase, "round": 1}
        more = {"timestamp": self.clock, "public_msg_seq": seq, "answer_parse_ok": parsed is not None}
        self.probes.append(fields | more)

    def write(self) -> Path:
        for name, records in (("game", self.lines), ("introspection", self.probes)):
            text = "".join(json.dumps(record) + "\n" for record in records)
            (self.folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
        return self.folder


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path)


def guess(player: str, role: str, sure: Any) -> dict[str, Any]:
    return {"player": player, "guessed_role": role, "confidence": sure, "reason": "so"}


@pytest.mark.parametrize("read_as_ours", [Trajectory.load, find_games])
def test_where_a_game_of_ours_is_wanted_it_is_said_what_reads_mafiascope(corpus: Corpus, read_as_ours: Any) -> None:
    folder = corpus.write()
    told = r"recorded by MafiaScope, .*; quack beliefs FOLDER \(without --bayesian\), quack eval .* quack view"
    for path in (folder, folder / "game.jsonl"):
        with pytest.raises(TrajectoryError, match=f"^{path}: {told}"):
            read_as_ours(path)


def test_a_folder_with_games_of_both_kinds_has_those_of_ours(corpus: Corpus, play_randomly: Any) -> None:
    above = corpus.write().parent
    with pytest.raises(TrajectoryError, match=f"^{above}: recorded by MafiaScope"):
        find_games(above)
    play_randomly({"n_players": 4, "max_ticks": 5}, 1).save(above / "ours")
    assert find_games(above) == [above / "ours"]


def test_beliefs_of_both_kinds_in_one_folder_are_all_taken(corpus: Corpus, play_randomly: Any) -> None:
    corpus.probe("Ann", "role_assessment", [guess("Ben", "Mafia", 90)])
    above, game = corpus.write().parent, play_randomly({"max_ticks": 5}, 1)
    game.save(above / "ours")
    with closing(BeliefStore(above / "ours" / FILE)) as store:
        store.add(reference_beliefs(game, "ours"))
    assert [one.game_id for one in belief_games(above)] == ["game", "ours"]
    evaluation = CliRunner().invoke(app, ["eval", str(above), "--json"])
    assert json.loads(evaluation.stdout)["games"] == 1
    assert json.loads(evaluation.stdout)["beliefs"]["games"] == 2


def test_a_recording_whose_probes_ask_for_no_belief_is_told_by_what_they_would_ask(corpus: Corpus) -> None:
    corpus.probe("Ann", "suspicion_ranking", [{"player": "Ben", "score": 1}])
    with pytest.raises(
        ConfigError, match=r"none of its probes asks for a belief, as role_assessment, .* social_map do;"
    ):
        belief_games(corpus.write())


def test_guessed_roles_become_probabilities(corpus: Corpus) -> None:
    corpus.probe(
        "Ann",
        "role_assessment",
        [
            guess("Ann", "Villager", 100),
            guess("Ben", "Mafia", 80),
            guess("Cat", "Villager", 40),
            guess("Dan", "Unknown", 0),
        ],
    )
    found = {belief.target: belief for belief in read(corpus.write()).first_order}
    # Ben, Cat and Dan are Mafia, Villager and Doctor: of the 60 % that Cat is no Villager, half falls to the Mafia
    assert {name: belief.p_duck for name, belief in found.items()} == pytest.approx(
        {"Ben": 0.8, "Cat": 0.3, "Dan": 1 / 3}
    )
    assert found["Ben"].rationale == "so"
    assert found["Ben"].context_ref == "introspection.jsonl#1"


def test_attitudes_are_second_order_beliefs_about_oneself(corpus: Corpus) -> None:
    felt = [("Ben", "suspects", 60), ("Cat", "trusts", 60), ("Dan", "neutral", 90)]
    answer = {"toward_me": [{"player": who, "attitude": how, "confidence": sure} for who, how, sure in felt]}
    corpus.probe("Ann", "social_map", answer)
    found = read(corpus.write()).second_order
    assert {(b.target, b.about): b.p_duck for b in found} == pytest.approx(
        {("Ben", "Ann"): 0.8, ("Cat", "Ann"): 0.2, ("Dan", "Ann"): 0.5}
    )


@pytest.mark.parametrize("answer", [None, [], [guess("Ben", "Mafia", "much")], [guess("Ben", "Spy", 50)], "Ben"])
def test_what_cannot_be_read_is_a_failure(corpus: Corpus, answer: Any) -> None:
    corpus.probe("Ann", "role_assessment", answer)
    game = read(corpus.write())
    assert game.first_order == []
    assert {belief.failure for belief in game.beliefs} == {"invalid"}


def test_entries_are_found_in_whatever_they_are_wrapped() -> None:
    one, other = {"player": "Ann", "score": 1}, {"player": "Ben", "score": 2}
    assert entries([one, other]) == [one, other]
    assert entries({"thoughts": "hm", "ranking": [one, other]}) == [one, other]
    assert entries(one) == [one]
    assert entries({"Ann": {"score": 1}}) == [one]
    assert entries({"reasoning": "none"}) == entries("Ann") == entries(None) == []


def test_an_error_text_is_no_utterance_and_no_vote(corpus: Corpus) -> None:
    corpus.line("day_discuss", player="Ann", response="ERROR: ('Connection aborted.')", msg_seq=1)
    corpus.line("day_vote", player="Ben", response="ERROR: timed out", msg_seq=2)
    game = read(corpus.write())
    assert game.happenings == [] and game.votes == []
    assert game.flagged == [
        "game.jsonl, line 2: Ann: an error text, no utterance",
        "game.jsonl, line 3: Ben: an error text, no utterance",
    ]


def test_a_vote_in_markup_is_not_lost(corpus: Corpus) -> None:
    corpus.line("day_vote", player="Ann", response="I am sure.\n\nVOTE: **Ben**", msg_seq=1)
    corpus.line("day_vote", player="Ben", response="VOTE: Cat", msg_seq=2)
    corpus.line("vote_tally", tally={"Cat": 1}, votes={"Ben": "Cat"})
    assert [(vote.voter, vote.target) for vote in read(corpus.write()).votes] == [("Ann", "Ben"), ("Ben", "Cat")]


def test_a_belief_stated_after_the_own_vote_is_not_one_before_it(corpus: Corpus) -> None:
    corpus.probe("Ann", "role_assessment", [guess("Ben", "Mafia", 20)], "day_vote")
    corpus.line("day_vote", player="Ann", response="VOTE: Ben", msg_seq=1)
    corpus.probe("Ann", "role_assessment", [guess("Ben", "Mafia", 90)], "day_vote")
    game = read(corpus.write())
    (vote,) = game.votes
    assert [belief.event_index <= vote.at for belief in game.first_order] == [True, False]


def test_the_end_of_a_round_comes_after_it(corpus: Corpus) -> None:
    corpus.probe("Ann", "role_assessment", [guess("Ben", "Mafia", 20)], "day_discuss", 5)
    corpus.line("day_eliminate", eliminated="Ben", role="Mafia", votes=3)
    corpus.probe("Ann", "role_assessment", [guess("Cat", "Villager", 20)], "round_end", -1)
    game = read(corpus.write())
    assert [belief.target for belief in game.first_order] == ["Ben", "Cat"]
    assert game.gone == {"Ben": game.first_order[1].event_index}


def test_damage_is_named_by_line(corpus: Corpus) -> None:
    folder = corpus.write()
    with open(folder / "introspection.jsonl", "a", encoding="utf-8") as file:
        file.write("{oh\n")
    assert find(folder.parent) == [folder]
    with pytest.raises(TrajectoryError, match=r"introspection.jsonl, line 1: damaged"):
        read(folder)
