"""The report of folders that no benchmark made."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quack_env import ConfigError, TrajectoryError
from quack_eval import Claim, Finding, Trajectory, evaluate, extract
from quack_eval.metrics.tables import PERCENT
from quack_eval.report import write_report
from quack_eval.report.examples import drawn_from, examples
from quack_eval.report.markup import csv_link, h, render
from quack_eval.run_folder import RunFolder, open_run
from quack_eval.statements import StatementGame

Record = Callable[..., Path]


def test_the_report_names_players_without_the_addresses_of_their_servers(record: Record, tmp_path: Path) -> None:
    games = record(games=2).parent
    evaluate([games], out=games)
    measures = json.loads((games / "measures.json").read_text())
    (found,) = measures["settings"].values()
    measures["settings"] = {"a/b?modality=text&api_base=http://here/v1 x random": found}
    (games / "measures.json").write_text(json.dumps(measures))
    report = write_report(games).read_text()
    assert "a/b?modality=text x random" in report and "http://here" not in report


def test_a_folder_that_was_never_evaluated_is_evaluated_into_the_out_folder(record: Record, tmp_path: Path) -> None:
    games = record(games=3).parent
    before = sorted(games.rglob("*"))
    report = write_report(games, tmp_path / "out")
    assert report == tmp_path / "out" / "report.html"
    assert json.loads((tmp_path / "out" / "measures.json").read_text())["games"] == 3
    assert sorted(games.rglob("*")) == before


def test_the_out_folder_is_made_with_all_that_it_is_in(record: Record, tmp_path: Path) -> None:
    out = tmp_path / "not" / "there" / "yet"
    assert write_report(record(games=1).parent, out) == out / "report.html"


def test_of_damaged_games_alone_there_is_no_report_and_the_first_is_named(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "games" / name).mkdir(parents=True)
        (tmp_path / "games" / name / "trajectory.jsonl").write_text("no game\n")
    with pytest.raises(TrajectoryError, match=r"no game could be read and scored, of 2; the first: a/traj.*line 1"):
        write_report(tmp_path / "games", tmp_path / "out")
    assert not list((tmp_path / "out").iterdir()), "an evaluation of nothing would stand for the games when mended"


def test_the_numbers_are_those_of_measures_json_and_not_counted_anew(record: Record, tmp_path: Path) -> None:
    games = record(games=2).parent
    evaluate([games], out=games)
    measures = json.loads((games / "measures.json").read_text())
    for estimates in (measures["measures"], *measures["settings"].values()):
        estimates["geese_win"]["mean"] = 0.4321
    (games / "measures.json").write_text(json.dumps(measures))
    assert 'data-value="0.4321"' in write_report(games).read_text()


def read_by(games: Path, sources: list[str]) -> None:
    """Evaluates games in words, and says of the claims of each that they come from one of these sources."""
    evaluate([games], out=games, findings=games)
    lines = [json.loads(line) for line in (games / "games.jsonl").read_text().splitlines()]
    for line, source in zip(lines, sources, strict=True):
        assert line["tier3"]["utterances"]
        line["tier3"]["source"] = source
    (games / "games.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_report_of_claims_from_several_sources_warns_and_names_them_by_setting(record: Record) -> None:
    games = record(speech="text", games=3).parent
    read_by(games, ["recorded", "grammar", "recorded"])
    report = write_report(games).read_text()
    assert "Take care: claims come from several sources: grammar (1 game), recorded (2 games); rates" in report
    assert "claims by</th>" in report and "grammar (1 game), recorded (2 games)</bdi></td>" in report


def test_a_report_of_claims_from_one_source_names_it_without_a_warning(record: Record) -> None:
    games = record(speech="text", games=2).parent
    read_by(games, ["grammar", "grammar"])
    report = write_report(games).read_text()
    assert "Claims by: grammar (2 games)." in report and "Take care" not in report


def test_a_report_says_what_an_evaluation_noticed_and_which_games_are_in_no_number(record: Record) -> None:
    one = record(games=1)
    record(games=1, seed=1, max_ticks=20).rename(one.parent / "game-001")
    evaluate([one.parent], out=one.parent)
    (one.parent / "other").mkdir()
    for file in ("game.jsonl", "introspection.jsonl"):
        (one.parent / "other" / file).write_text("{}\n")
    report = write_report(one.parent).read_text()
    assert re.search(r"Take care: [^<]*: games with different max_ticks are taken together", report)
    assert "Take care: left out of all but beliefs: 1 game of MafiaScope" in report


def test_other_claims_are_evaluated_anew_and_never_over_the_results_of_the_run(record: Record, tmp_path: Path) -> None:
    games = record(speech="text", games=2).parent
    read_by(games, ["recorded", "recorded"])
    with pytest.raises(ConfigError, match=r"measures\.json: would be replaced.*--out"):
        open_run(games, claims="grammar")
    assert open_run(games, tmp_path / "out", claims="grammar").all_sources == {"grammar": 2}


def test_a_report_does_not_say_that_no_model_played_where_it_knows_of_no_calls(record: Record) -> None:
    report = write_report(record(games=1).parent).read_text()
    assert "hold no calls of models" in report and "No model" not in report


def test_a_run_without_findings_says_that_it_has_no_examples(record: Record) -> None:
    games = record(games=2).parent
    evaluate([games], out=games)
    assert "keeps no findings" in write_report(games).read_text()


def test_examples_are_of_different_games_and_only_of_those_that_are_still_there(record: Record) -> None:
    games = record(games=12).parent
    evaluate([games], out=games, findings=games)
    mode = "unsupported accusation"
    first = examples(open_run(games))[mode]
    assert len(first) == 3 and len({one.game for one in first}) == 3
    shutil.rmtree(games / first[0].game)
    second = examples(open_run(games))[mode]
    assert len(second) == 3 and first[0].game not in {one.game for one in second}
    assert [one.finding for one in second[:2]] == [one.finding for one in first[1:]]


def test_examples_are_drawn_by_lot_and_not_for_having_been_refuted() -> None:
    told = Finding(Claim("sighting", "A", "medbay", attribution="own"), None, "false", "", speaker=0, event=1)
    findings = (told.but(details={"exposed": [1]}), *(told.but(event=event) for event in range(2, 11)))
    game = StatementGame("here", 1, ("A", "B"), ("goose", "duck"), ("x", "y"), (), (), (), findings)
    mode = "spatial hallucination"
    drawn = [drawn_from(f"game-{number}", game)[mode].finding for number in range(200)]
    assert {finding.event for finding in drawn} == set(range(1, 11))
    assert sum(bool(finding.details) for finding in drawn) < 40, "one in ten of them was refuted"


def test_an_example_links_to_the_recording_with_its_utterance(record: Record, tmp_path: Path) -> None:
    games = record(games=3).parent
    report = write_report(games, tmp_path / "out")
    links = re.findall(r'<a href="([^"#:]+)"><bdi[^>]*>([^<]+), event (\d+)</bdi>', report.read_text())
    assert links
    for folder, where, event in links:
        recording = report.parent / folder
        assert recording.name == where.partition(",")[0].rpartition("/")[2]
        assert Trajectory.load(recording).events[int(event)].kind == "statement"


def test_shares_are_shown_in_percent_whether_a_layout_has_them_or_not(record: Record) -> None:
    games = record(games=2).parent
    evaluation = evaluate([games], tiers=(3,))
    counts = {name for name in evaluation.measures if name.startswith("claims")} | {"duplicates"}
    assert set(evaluation.measures) - PERCENT == counts


def test_the_published_convention_has_its_own_tables(published: Path, tmp_path: Path) -> None:
    games = published / "claude_opus4.7__claude_opus4.7"
    evaluate([games], convention="published", out=tmp_path)
    report = write_report(games, tmp_path).read_text()
    assert "goose_voting_accuracy" in report and "cooldown_utilization" in report


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_asks_for_another(record: Record) -> None:
    games = record(games=1).parent
    games.chmod(0o500)
    with pytest.raises(ConfigError, match="--out"):
        write_report(games)
    games.chmod(0o700)


def test_damaged_measures_and_empty_folders_are_told(record: Record, tmp_path: Path) -> None:
    games = record(games=1).parent
    for text, told in (
        ('{"settings": 3}', "not the measures of a run"),
        ("[]", "not the"),
        ('{"a":', "not JSON from col"),
    ):
        (games / "measures.json").write_text(text)
        with pytest.raises(
            ConfigError, match=rf"measures\.json: .*{told}.*; remove it, and the games are evaluated anew"
        ):
            write_report(games)
    (tmp_path / "none").mkdir()
    with pytest.raises(TrajectoryError, match="no recorded game"):
        write_report(tmp_path / "none")
    (tmp_path / "none" / "measures.json").write_text("[]")  # of games that lie elsewhere
    with pytest.raises(ConfigError, match=r"; quack eval GAMES --out .*none writes it anew"):
        write_report(tmp_path / "none")


def test_text_in_elements_cannot_become_markup() -> None:
    text = "<script>alert('x')</script> & \"quoted\" \x00 \ud800"
    html = render(h("p", text, h("b", text), text, title=text))
    assert "<script>" not in html and "\x00" not in html and "\ud800" not in html
    assert html.count("<b>") == 1 and html.encode("utf-8")


def test_a_cell_of_a_csv_file_keeps_all_digits() -> None:
    assert csv_link("x", ["a"], [[1 / 3], [None]]).attrib["href"].endswith("YQowLjMzMzMzMzMzMzMzMzMzMzMKIiIK")


def test_recordings_that_came_changed_or_went_after_the_evaluation_are_told_of(record: Record, tmp_path: Path) -> None:
    games = record(games=4).parent
    first, second, third, fourth = sorted(open_run(games, tmp_path / "out").games)
    shutil.copy(games / first / "trajectory.jsonl", games / second)
    shutil.rmtree(games / third)
    shutil.rmtree(games / fourth)
    shutil.copytree(games / first, games / "zz-new", copy_function=shutil.copy2)  # as old as the one it is of
    told = open_run(games, tmp_path / "out").outdated
    assert told is not None and f": 1 changed ({second}), 2 gone (the first {third}), 1 not in it (zz-new); to" in told


@pytest.mark.parametrize("name", ["extraction.jsonl", "verdicts.jsonl"])
def test_claims_that_are_laid_beside_a_game_after_the_evaluation_are_told_of(
    record: Record, tmp_path: Path, name: str
) -> None:
    games = record(games=2).parent
    first = sorted(open_run(games, tmp_path / "out").games)[0]
    (games / first / name).write_text("{}\n")
    told = open_run(games, tmp_path / "out").outdated
    assert told is not None and f": 1 changed ({first}); to" in told


def test_a_copy_of_an_evaluated_folder_is_not_outdated_whatever_the_times_of_its_files(record: Record) -> None:
    games = record(games=2).parent
    open_run(games)
    for file in games.rglob("trajectory.jsonl"):
        os.utime(file, (2**33, 2**33))
    assert open_run(games).outdated is None


@pytest.mark.parametrize(
    ("options", "command"),
    [
        ({"tiers": (1, 2, 3, 4)}, "quack eval '{games}' --evidence --out '{out}'"),
        ({"tiers": (1, 3), "claims": "grammar"}, "quack eval '{games}' --tiers 13 --extractor grammar --out '{out}'"),
        ({"convention": "published"}, "quack eval '{games}' --convention published --out '{out}'"),
        ({"claims": extract}, "call quack_eval.evaluate with the claims of extract"),
    ],
)
def test_the_command_that_evaluates_anew_has_the_options_of_the_evaluation(
    record: Record, tmp_path: Path, options: dict[str, Any], command: str
) -> None:
    games, out = tmp_path / "my games", tmp_path / "my numbers"
    shutil.copytree(record(games=1), games / "one")
    evaluate(games, out=out, **options)
    shutil.copytree(games / "one", games / "two")
    told = RunFolder(games, out, json.loads((out / "measures.json").read_text())).outdated
    assert told is not None and told.endswith("to evaluate anew: " + command.format(games=games, out=out))


def test_a_game_that_was_left_out_is_told_of_when_it_is_mended(record: Record, tmp_path: Path) -> None:
    games = record(games=2).parent
    first = sorted(games.iterdir())[0]
    finished = (first / "status.json").read_text()
    (first / "status.json").write_text('{"status": "aborted", "reason": "power: gone, all of it"}')
    assert json.loads((open_run(games, tmp_path / "out").results / "measures.json").read_text())["left_out"] == [
        first.name
    ]
    (first / "status.json").write_text('{"status": "aborted", "reason": "still gone"}')
    assert open_run(games, tmp_path / "out").outdated is None
    (first / "status.json").write_text(finished)
    told = open_run(games, tmp_path / "out").outdated
    assert told is not None and f"1 changed ({first.name})" in told


def test_a_single_game_is_a_run_that_knows_its_game(record: Record, tmp_path: Path) -> None:
    game = record(games=1)
    run = open_run(game, tmp_path / "out")
    assert [name for name, _ in run.lines()] == list(run.games) == [game.name]
    assert run.outdated is None


def test_a_game_that_was_broken_off_makes_no_evaluation_outdated(record: Record, tmp_path: Path) -> None:
    games = record(games=2).parent
    (sorted(games.iterdir())[0] / "status.json").unlink()
    assert open_run(games, tmp_path / "out").outdated is None


def test_a_damaged_line_of_results_is_named(record: Record, tmp_path: Path) -> None:
    games = record(games=2).parent
    open_run(games, tmp_path / "out")
    file = tmp_path / "out" / "games.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"path"', b'"pa\xffh"'))
    with pytest.raises(ConfigError, match=r"games\.jsonl, line 1: damaged, not UTF-8 text \(byte 5 is 0xff\)"):
        dict(open_run(games, tmp_path / "out").lines())


@pytest.mark.parametrize(
    ("line", "told"), [(b"[]", "not an object"), (b'{"path": "x", "setting": "scripted"}', "has no seed")]
)
def test_a_line_of_results_that_is_of_no_game_is_named(record: Record, tmp_path: Path, line: bytes, told: str) -> None:
    games = record().parent
    open_run(games, tmp_path / "out")
    (tmp_path / "out" / "games.jsonl").write_bytes(line)
    with pytest.raises(ConfigError, match=rf"games\.jsonl, line 1: damaged, {told}$"):
        dict(open_run(games, tmp_path / "out").lines())
