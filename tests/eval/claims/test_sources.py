"""Where claims come from."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import quack_env
from quack_agents import ScriptedPolicy, play
from quack_env import ConfigError, TrajectoryError
from quack_eval import StatementEval, Trajectory, evaluate, judge
from quack_eval.claims.extract import Extraction, Utterance
from quack_eval.claims.sources import Message, messages, published_findings, recorded
from quack_eval.statements import statement_game


def test_a_token_sighting_of_somebody_dead_may_mean_the_body(tmp_path: Path) -> None:
    """The grammar has one statement for a player seen and for a body seen; scripted Geese tell the truth with it."""
    wrong = []
    for seed in range(12):
        env = quack_env.RecordTrajectory(quack_env.env(observation="vector"), tmp_path / f"game-{seed}")
        play(env, {agent: ScriptedPolicy() for agent in env.possible_agents}, seed=seed)
        env.close()
        trajectory = Trajectory.load(tmp_path / f"game-{seed}")
        for finding in StatementEval(trajectory).findings:
            if finding.speaker not in trajectory.ducks and finding.kind in ("location", "sighting", "activity"):
                wrong += [finding] if finding.verdict != "true" else []
    assert wrong == []


def line_about(said: Message, **other: object) -> str:
    """A line of `extraction.jsonl` without claims about an utterance, or about what differs from it."""
    about = said._asdict() | other
    return json.dumps({"key": "anna|1|player_{speaker}|{meeting}|{sha}".format(**about), "claims": []})


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of two games with talk; beside the first lies a damaged extraction."""
    folder = tmp_path_factory.mktemp("games")
    for seed in (7, 8):
        env = quack_env.RecordTrajectory(quack_env.env(speech="text", observation="vector"), folder / f"game-{seed}")
        play(env, {agent: ScriptedPolicy() for agent in env.possible_agents}, seed=seed)
        env.close()
    sound, other = (line_about(said) for said in messages(Trajectory.load(folder / "game-7"))[:2])
    broken = other.replace("[]", '["I was in medbay"]')
    (folder / "game-7" / "extraction.jsonl").write_text(f"{sound}\n{broken}\n")
    return folder


def test_a_damaged_extraction_is_named_with_its_line(spoken: Path) -> None:
    with pytest.raises(TrajectoryError, match=r"game-7/extraction\.jsonl, line 2: damaged"):
        statement_game(Trajectory.load(spoken / "game-7"))


def test_a_game_with_a_damaged_extraction_is_left_out_and_the_others_are_scored(spoken: Path) -> None:
    evaluation = evaluate([spoken], tiers=(3,))
    assert [Path(game.path).name for game in evaluation.evaluated] == ["game-8"]
    assert len(evaluation.damaged) == 1 and "extraction.jsonl, line 2" in evaluation.damaged[0]
    assert evaluation.sources() == {"grammar": 1}


def test_what_the_game_does_not_know_is_unverifiable_with_its_reason(spoken: Path) -> None:
    trajectory = Trajectory.load(spoken / "game-8")
    claim = {"type": "location", "subject": "Eve", "room": "medbay"}
    for field, value in (("subject", "Zed"), ("room", "attic"), ("type", "wish")):
        finding = judge(trajectory, claim | {field: value}, speaker="Eve", meeting=0)
        assert finding.verdict == "unverifiable" and value in finding.reason
    with pytest.raises(TypeError, match="must be a Claim or a dict, not list"):
        judge(trajectory, [], speaker="Eve", meeting=0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ({"speaker": True}, "speaker True: must be a seat from 0 to 5, or a name"),
        ({"speaker": 1.0}, "speaker 1.0: must be a seat"),
        ({"speaker": "Zed"}, "speaker 'Zed' is unknown"),
        ({"meeting": False}, "meeting False: must be a whole number, from 0"),
    ],
)
def test_a_speaker_or_meeting_that_there_is_not_is_refused(spoken: Path, where: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        judge(Trajectory.load(spoken / "game-8"), {"type": "location"}, **({"speaker": 0, "meeting": 0} | where))


def test_a_message_that_is_no_unicode_text_and_an_endless_time_phrase_are_judged(spoken: Path) -> None:
    trajectory = Trajectory.load(spoken / "game-8")
    claim = {"type": "location", "subject": "Eve", "room": "medbay", "time": "at ticks " + "3, " * 50_000}
    finding = judge(trajectory, claim, speaker="Eve", meeting=0, message="\ud800 I was there")
    short = judge(trajectory, claim | {"time": "at tick 3"}, speaker="Eve", meeting=0)
    assert (finding.verdict, finding.window and finding.window.spans) == (
        short.verdict,
        short.window and short.window.spans,
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"claims": []}', "key: missing"),
        ('{"key": "abc", "claims": []}', r"key: must be MODEL\|VERSION\|player_NUMBER\|MEETING\|SHA256, not 'abc'"),
        ('{"key": "m|v|player_0|0|a", "claims": null}', "claims: must be a list, not None"),
        ('{"key": "m|v|player_0|0|a", "claims": [3]}', r"claims\.0: must be an object, not 3"),
        ("key,claims", "damaged, not JSON from column 1 on"),
        ("[1]", "damaged, not an object"),
    ],
)
def test_of_a_damaged_line_it_is_said_what_is_wrong_and_what_must_be(
    spoken: Path, tmp_path: Path, line: str, told: str
) -> None:
    game = shutil.copytree(spoken / "game-7", tmp_path / "game")
    (game / "extraction.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(TrajectoryError, match=rf"extraction\.jsonl, line 2: .*{told}"):
        recorded(Trajectory.load(game))


def test_claims_of_ones_own_beside_a_recording_are_judged_and_the_other_utterances_are_missing(
    spoken: Path, tmp_path: Path
) -> None:
    game = shutil.copytree(spoken / "game-8", tmp_path / "game")
    said = messages(Trajectory.load(game))
    claim = {"type": "location", "room": "medbay", "attribution": "own", "polarity": "negative"}
    key = f"anna|1|player_{said[1].speaker}|{said[1].meeting}|{said[1].sha}"
    (game / "extraction.jsonl").write_text(json.dumps({"key": key, "claims": [claim]}) + "\n", encoding="utf-8")
    tier = StatementEval(Trajectory.load(game))
    assert [(f.event, f.claim.room, f.claim.negative) for f in tier.findings] == [(said[1].event, "medbay", True)]
    assert (tier.game.utterances, tier.game.unread) == (len(said), len(said) - 1)


def test_a_claim_with_a_field_that_there_is_not_is_named_with_its_line(spoken: Path, tmp_path: Path) -> None:
    game = shutil.copytree(spoken / "game-7", tmp_path / "game")
    line = line_about(messages(Trajectory.load(game))[0]).replace("[]", '[{"rooom": "medbay"}]')
    (game / "extraction.jsonl").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(TrajectoryError, match=r"extraction\.jsonl, line 1: .*the field 'rooom' is unknown"):
        recorded(Trajectory.load(game))


@pytest.mark.parametrize("other", [{"speaker": 9}, {"meeting": 7}, {"sha": "0" * 64}])
def test_a_line_about_what_nobody_said_is_named(spoken: Path, tmp_path: Path, other: dict[str, object]) -> None:
    game = shutil.copytree(spoken / "game-8", tmp_path / "game")
    (game / "extraction.jsonl").write_text(line_about(messages(Trajectory.load(game))[0], **other) + "\n")
    with pytest.raises(TrajectoryError, match=r"line 1: .*player_\d says nothing with this sha256 in meeting \d of"):
        recorded(Trajectory.load(game))


def test_a_second_line_about_an_utterance_is_named(spoken: Path, tmp_path: Path) -> None:
    game = shutil.copytree(spoken / "game-8", tmp_path / "game")
    line = line_about(messages(Trajectory.load(game))[0])
    (game / "extraction.jsonl").write_text(f"{line}\n{line}\n")
    with pytest.raises(TrajectoryError, match=r"line 2: .*there is a line about this utterance already"):
        recorded(Trajectory.load(game))


VERDICT = {
    "speaker": {"speaker_id": "player_0"},
    "meeting": {"meeting_idx": 0},
    "utterance": {"sha256": "aa"},
    "structured_claim": dict.fromkeys(("subject", "room", "target", "activity", "temporal_ref", "confidence"))
    | {"claim_type": "location"},
    "temporal_window": {"start_tick": 0, "end_tick": 9},
    "verification": {"verdict": "true", "reason": "so it was", "resolution_source": "leg"},
}


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({}, None),
        ({"speaker": "Eve"}, "speaker: must be an object, not 'Eve'"),
        ({"speaker": {"speaker_id": "player_9"}}, r"speaker\.speaker_id: 'player_9' is unknown"),
        ({"meeting": {"meeting_idx": 99}}, r"meeting\.meeting_idx: there is no meeting 99; this game has"),
        ({"temporal_window": {"start_tick": "one"}}, r"start_tick: must be a whole number, not 'one'"),
        ({"verification": VERDICT["verification"] | {"verdict": "maybe"}}, "must be 'true', 'false', 'wrong_room'"),
    ],
)
def test_a_verdict_of_another_form_is_refused_with_its_field(
    spoken: Path, tmp_path: Path, part: dict[str, Any], told: str | None
) -> None:
    game = shutil.copytree(spoken / "game-8", tmp_path / "game")
    (game / "verdicts.jsonl").write_text(json.dumps(VERDICT | part) + "\n", encoding="utf-8")
    if told is None:
        assert [finding.verdict for finding in published_findings(Trajectory.load(game))] == ["true"]
        return
    with pytest.raises(TrajectoryError, match=rf"verdicts\.jsonl, line 1: damaged \(.*{told}"):
        published_findings(Trajectory.load(game))


def test_a_byte_that_is_no_utf_8_in_an_extraction_is_named_with_its_place(spoken: Path, tmp_path: Path) -> None:
    game = shutil.copytree(spoken / "game-7", tmp_path / "game")
    (game / "extraction.jsonl").write_bytes(b'{"key": "a\xff"}\n')
    with pytest.raises(TrajectoryError, match=r"line 1: damaged, not UTF-8 text \(byte 11 is 0xff\)"):
        recorded(Trajectory.load(game))


class Wrong:
    """An extractor that answers every utterance with the same."""

    name = "wrong"

    def __init__(self, answers: Any) -> None:
        self.answers = answers

    def extract(self, utterances: Sequence[Utterance]) -> Any:
        return self.answers(utterances)


PER_UTTERANCE = "extractor wrong: extract must give a list with one Extraction or Failure per utterance"


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        (Wrong(lambda given: None), f"{PER_UTTERANCE}, not None"),
        (Wrong(lambda given: []), r"were given, 0 answered"),
        (Wrong(lambda given: [["a"] for _ in given]), rf"{PER_UTTERANCE}, not \['a'\] among them"),
        (Wrong(lambda given: [Extraction(("a",)) for _ in given]), r"Wrong\.extract: must be a list of Claim, not 'a'"),  # type: ignore[arg-type]
        (lambda message, **known: None, r"<lambda>: must be a list of Claim, not None"),
        (lambda message, **known: ["I lied"], r"must be a list of Claim, not 'I lied' among them"),
    ],
)
def test_an_extractor_that_answers_something_else_is_told_what_it_must(spoken: Path, claims: Any, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        evaluate([spoken / "game-8"], tiers=(3,), claims=claims)
