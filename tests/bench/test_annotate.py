"""`quack annotate`, and claims read by a model, over a game that was really recorded."""

from __future__ import annotations

import csv
import importlib.util
import json
import shutil
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner

import quack_env
from quack_agents import ScriptedPolicy, play
from quack_bench.cli import app
from quack_eval import StatementEval, Trajectory
from quack_eval.annotate import spoken_in

run = CliRunner()


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scripted game in words."""
    folder = tmp_path_factory.mktemp("runs") / "game"
    env = quack_env.RecordTrajectory(quack_env.env(speech="text", observation="vector"), folder)
    play(env, {agent: ScriptedPolicy() for agent in env.possible_agents}, seed=4)
    env.close()
    return folder


class Reader:
    """A model server on the loopback that answers every utterance with the same claims, or with a fault."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.status = 200
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                claims = {"claims": [{"type": "accusation", "target": "Bob", "confidence": "weak"}]}
                message = {"role": "assistant", "content": json.dumps(claims)}
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                choices = [{"message": message, "finish_reason": "stop"}]
                body = json.dumps({"choices": choices, "usage": usage}).encode()
                self.send_response(outer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Reader]:
    """The server, as the one that "openai/..." models are on."""
    server = Reader()
    monkeypatch.setenv("OPENAI_API_BASE", f"http://127.0.0.1:{server.http.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield server
    server.http.shutdown()
    server.http.server_close()


def words_in(game: Path) -> int:
    """How many utterances a recording holds."""
    lines = (game / "trajectory.jsonl").read_text(encoding="utf-8").splitlines()
    return sum(event.get("kind") == "statement" and "text" in event for event in map(json.loads, lines))


def test_a_sheet_is_written_filled_and_scored(game: Path, tmp_path: Path) -> None:
    drawn = run.invoke(app, ["annotate", str(game), "--sample", "10", "--out", str(tmp_path), "--json"])
    assert drawn.exit_code == 0, drawn.output
    told = json.loads(drawn.stdout)
    with open(tmp_path / "sheet.csv", newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    claims = [row for row in rows if row["kind"] == "claim"]
    assert len(claims) == told["claims"] > 0 and all("tick " in row["timeline"] for row in claims)
    assert told["claims"] + told["without_claims"] == 10 and told["utterances"] == len(rows) - len(claims)
    for row in rows:
        row |= {"extraction_ok": "y", "verdict_ok": "y"} if row["kind"] == "claim" else {"missed": "1"}
    claims[0]["verdict_ok"] = "n"
    with open(tmp_path / "filled.csv", "w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    scored = run.invoke(app, ["annotate", "score", str(tmp_path / "filled.csv"), "--json"])
    assert scored.exit_code == 0, scored.output
    found = json.loads(scored.stdout)
    assert found["extraction_precision"]["value"] == 1.0
    assert found["verdict_precision"]["hits"] == len(claims) - 1
    assert found["recall"]["of"] - found["recall"]["hits"] == told["utterances"]


def test_a_timeline_of_the_first_meeting_begins_with_the_rooms_where_people_were_placed(game: Path) -> None:
    trajectory = Trajectory.load(game)
    first = spoken_in(trajectory, StatementEval(trajectory).findings)[0]
    spawns = {f"tick 0: {seat.name} began in {seat.spawn}" for seat in trajectory.header.seats}
    placed = [line for line in first.timeline if line in spawns]
    assert placed and first.timeline[: len(placed)] == tuple(placed)
    assert any(line.startswith(f"tick 0: {first.speaker} ") for line in placed)


def test_how_many_claims_were_drawn_and_why_fewer_than_asked_is_told(game: Path, tmp_path: Path) -> None:
    trajectory = Trajectory.load(game)
    place = next(event.index for event in trajectory.events if event.kind == "statement")
    trajectory.events[place] = trajectory.events[place]._replace(text="Hello.")
    trajectory.save(tmp_path / "game")
    findings = StatementEval(trajectory).findings
    command = ["annotate", str(tmp_path / "game"), "--sample", "1000", "--out", str(tmp_path)]
    told = f"{len(findings)} claims of {words_in(game) - 1} utterances, and 1 in which none was found, to check: "
    assert run.invoke(app, command).stdout.startswith(told)


def test_the_help_of_the_score_is_its_own() -> None:
    result = run.invoke(app, ["annotate", "score", "--help"])
    assert result.exit_code == 0
    assert "annotate score" in result.stdout and "Kish" in result.stdout and "--sample" not in result.stdout


def test_a_sheet_that_is_filled_in_is_refused_before_anything_is_judged(game: Path, tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_text("row,kind,extraction_ok,verdict_ok,missed\ng#1,claim,y,,\n", encoding="utf-8")
    result = run.invoke(app, ["annotate", str(game), "--out", str(tmp_path)])
    assert result.exit_code == 2 and "--out" in result.stderr and "Judging" not in result.stderr
    assert not (tmp_path / "sheet.html").exists()


def test_a_sheet_that_is_not_there_is_named() -> None:
    result = run.invoke(app, ["annotate", "score", "nowhere.csv"])
    assert result.exit_code == 2 and "nowhere.csv" in result.stderr


def test_a_model_reads_every_utterance_once_and_its_answers_are_kept(
    game: Path, reader: Reader, tmp_path: Path
) -> None:
    command = [
        "eval",
        str(game),
        "--tiers",
        "3",
        "--extractor",
        "openai/reader",
        "--out",
        str(tmp_path / "o"),
        "--json",
    ]
    first = run.invoke(app, command)
    assert first.exit_code == 0, first.output
    measures = json.loads(first.stdout)["measures"]
    spoken = words_in(game)
    assert measures["claims_accusation"]["pooled"] == spoken > 0
    assert measures["coverage"]["pooled"] == 1.0
    assert len(reader.requests) == spoken
    assert json.loads(run.invoke(app, command).stdout)["measures"] == measures
    assert len(reader.requests) == spoken


@pytest.fixture
def priced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> float:
    """US dollars of one answer of the server's model: 100 tokens in at 10, 10 tokens out at 20 a million."""
    settings = tmp_path / "models.yaml"
    settings.write_text('"openai/reader": {prices: {input: 10, output: 20}}\n')
    monkeypatch.setenv("QUACK_MODELS", str(settings))
    return 0.0012


@pytest.mark.usefixtures("reader")
def test_what_a_model_took_that_read_the_words_is_told_and_nothing_is_paid_twice(game: Path, priced: float) -> None:
    command = ["eval", str(game), "--tiers", "3", "--extractor", "openai/reader"]
    spoken = words_in(game)
    taken = json.loads(run.invoke(app, [*command, "--json"]).stdout)["extractor"]
    assert taken["calls"] == taken["read"] == taken["utterances"] == spoken
    assert taken["cost_usd"] == pytest.approx(spoken * priced)
    again = run.invoke(app, command).stdout
    kept = f"{spoken} of them by answers kept for the same words in the same place; 0 calls"
    assert f"{spoken} of {spoken} utterances read by openai/reader, {kept}" in again


@pytest.mark.usefixtures("reader")
def test_words_of_two_games_that_are_the_same_in_the_same_place_are_asked_once(game: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(game, tmp_path / "runs" / name)
    command = ["eval", str(tmp_path / "runs"), "--tiers", "3", "--extractor", "openai/reader"]
    spoken = words_in(game)
    told = f"{2 * spoken} of {2 * spoken} utterances read by openai/reader, {spoken} of them by answers kept"
    assert told in run.invoke(app, command).stdout


def test_a_model_as_extractor_needs_the_extra_llm(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "litellm" else there(name, *rest)
    )
    result = run.invoke(app, ["eval", str(game), "--extractor", "openai/gpt-5.5"])
    assert result.exit_code == 2
    assert " ".join(result.stderr.split()) == 'error models need LiteLLM: pip install -e ".[llm]" in the clone'


@pytest.fixture
def half_damaged(game: Path, tmp_path: Path) -> Path:
    """A folder of two games, of which the first is damaged."""
    for name in ("damaged", "sound"):
        shutil.copytree(game, tmp_path / "runs" / name)
    (tmp_path / "runs" / "damaged" / "trajectory.jsonl").write_text("{\n", encoding="utf-8")
    return tmp_path / "runs"


@pytest.mark.parametrize("command", ["eval", "annotate"])
def test_how_many_games_were_left_out_is_told_and_where_all_were_the_command_fails(
    half_damaged: Path, tmp_path: Path, command: str
) -> None:
    out = ["--out", str(tmp_path / "out")]
    result = run.invoke(app, [command, str(half_damaged), *out])
    assert result.exit_code == 0, result.output
    assert "games left out: 1 of 2; all that is told is of the other 1" in " ".join(result.stderr.split())
    result = run.invoke(app, [command, str(half_damaged / "damaged"), *out])
    assert result.exit_code == 1 and "no game could be evaluated" in result.stderr


@pytest.mark.parametrize("command", ["eval", "annotate"])
def test_a_file_is_no_folder_to_write_into(game: Path, tmp_path: Path, command: str) -> None:
    (tmp_path / "notes.txt").touch()
    result = run.invoke(app, [command, str(game), "--out", str(tmp_path / "notes.txt")])
    assert result.exit_code == 2 and "--out" in result.stderr and "is a file" in " ".join(result.stderr.split())


def test_a_folder_given_as_a_sheet_is_told_of_with_the_files_to_give(tmp_path: Path) -> None:
    result = run.invoke(app, ["annotate", "score", str(tmp_path)])
    assert result.exit_code == 2
    assert "a folder; give the filled sheet in it, sheet.csv or answers.csv" in " ".join(result.stderr.split())


@pytest.mark.usefixtures("reader")
def test_the_price_of_a_reader_that_no_list_knows_is_not_0(game: Path) -> None:
    result = run.invoke(app, ["eval", str(game), "--tiers", "3", "--extractor", "openai/reader", "--json"])
    assert json.loads(result.stdout)["extractor"]["cost_usd"] is None


def test_the_costs_of_a_run_hold_those_of_the_model_that_read_it(reader: Reader, priced: float, tmp_path: Path) -> None:
    suite = tmp_path / "read.yaml"
    suite.write_text("geese: [scripted]\nducks: [scripted]\nseeds: [4]\nspeech: text\nextractor: openai/reader\n")
    command = ["bench", str(suite), "--out", str(tmp_path / "run"), "--json"]
    for _ in range(2):  # the second time, all answers are known
        result = run.invoke(app, command)
        row = json.loads(result.stdout)["cost"][-1]
        assert row["setting"] == "claims by openai/reader"
        assert row["cost_usd"] == pytest.approx(len(reader.requests) * priced) and reader.requests


def test_where_a_model_could_read_nothing_all_counts_as_missing_and_the_command_fails(
    game: Path, reader: Reader
) -> None:
    reader.status = 400
    result = run.invoke(app, ["eval", str(game), "--tiers", "3", "--extractor", "openai/reader", "--json"])
    assert result.exit_code == 1, result.output
    measures = json.loads(result.stdout)["measures"]
    assert measures["coverage"]["pooled"] == 0.0 and measures["claims"]["pooled"] == 0


@pytest.mark.parametrize(
    ("model", "status", "told"),
    [
        ("openai/reader", 401, "extractor openai/reader: its provider takes no call without a valid key"),
        ("openai/reader", 404, "extractor openai/reader: its provider knows no such model"),
        ("nosuch/reader", 200, "LiteLLM knows no provider 'nosuch'"),
    ],
)
@pytest.mark.parametrize("command", ["eval", "report", "annotate"])
def test_what_no_call_would_mend_ends_the_reading_with_one_line(
    game: Path, reader: Reader, tmp_path: Path, command: str, model: str, status: int, told: str
) -> None:
    reader.status = status
    result = run.invoke(app, [command, str(game), "--extractor", model, "--out", str(tmp_path / "out")])
    assert result.exit_code == 2 and result.stdout == ""
    assert told in " ".join(result.stderr.split())
    assert len(reader.requests) <= 8  # those at once
    assert not list(tmp_path.glob("out/*.csv")) and not list(tmp_path.glob("out/*.html"))


def test_a_server_that_is_not_there_ends_the_reading_with_one_line(game: Path, reader: Reader) -> None:
    reader.http.shutdown()
    reader.http.server_close()
    result = run.invoke(app, ["eval", str(game), "--tiers", "3", "--extractor", "openai/reader?retries=0"])
    assert result.exit_code == 2 and result.stdout == ""
    assert "extractor openai/reader: no call came through: " in " ".join(result.stderr.split())


def test_an_extractor_that_is_none_is_named(game: Path) -> None:
    result = run.invoke(app, ["eval", str(game), "--extractor", "spacy"])
    assert result.exit_code == 2 and "recorded, grammar, or a model" in result.stderr


@pytest.mark.parametrize("command", ["eval", "annotate"])
def test_games_of_mafiascope_that_lie_beside_others_are_told_of(game: Path, tmp_path: Path, command: str) -> None:
    shutil.copytree(game, tmp_path / "runs" / "game")
    (tmp_path / "runs" / "other").mkdir()
    for file in ("game.jsonl", "introspection.jsonl"):
        (tmp_path / "runs" / "other" / file).write_text("{}\n", encoding="utf-8")
    result = run.invoke(app, [command, str(tmp_path / "runs"), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0 and "left out of all but beliefs: 1 game of MafiaScope" in result.stderr


def test_a_limit_of_costs_without_a_model_that_reads_is_refused(game: Path) -> None:
    result = run.invoke(app, ["eval", str(game), "--max-usd", "1", "--extractor", "grammar"])
    assert result.exit_code == 2 and "no effect without a model as --extractor" in " ".join(result.stderr.split())


def test_where_verdicts_can_be_compared_with_nothing_the_missing_file_is_named(game: Path, tmp_path: Path) -> None:
    judged = Path(shutil.copytree(game, tmp_path / "game"))
    (judged / "verdicts.jsonl").write_text("", encoding="utf-8")
    result = run.invoke(app, ["eval", str(judged), "--compare", "published"])
    assert result.exit_code == 2 and f"{judged / 'extraction.jsonl'}: no such file" in result.stderr
