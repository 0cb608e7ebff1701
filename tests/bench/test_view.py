"""`quack view` and `quack report` as a user calls them."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

from bench.conftest import Run, only_object


def test_a_run_gets_a_page_and_one_for_every_game(quack: Run, small_run: Path, tmp_path: Path) -> None:
    result = quack("view", small_run, "-o", tmp_path / "pages", "--json")
    assert result.exit_code == 0, result.output
    found = only_object(result)
    assert found == {"index": str(tmp_path / "pages" / "index.html"), "games": 4, "damaged": 0}
    assert len(list((tmp_path / "pages" / "games").rglob("*.html"))) == 4


def test_two_processes_write_the_same_pages(quack: Run, small_run: Path, tmp_path: Path) -> None:
    for jobs in (1, 2):
        assert quack("view", small_run, "-o", tmp_path / str(jobs), "--jobs", jobs).exit_code == 0
    one, two = (sorted((tmp_path / jobs).rglob("*.html")) for jobs in ("1", "2"))
    assert [page.read_bytes() for page in one] == [page.read_bytes() for page in two]


def test_one_game_gets_one_page_beside_it(quack: Run, small_run: Path) -> None:
    game = next(small_run.glob("*/seed-000"))
    result = quack("view", game)
    assert result.exit_code == 0
    assert result.stdout.split() == [str(game / "view" / "index.html")]


def test_a_game_that_cannot_be_shown_ends_with_1_and_a_page(quack: Run, tmp_path: Path) -> None:
    (tmp_path / "trajectory.jsonl").write_text("nothing\n")
    result = quack("view", tmp_path, "-o", tmp_path / "page")
    assert result.exit_code == 1
    assert "line 1" in result.stderr
    assert (tmp_path / "page" / "index.html").is_file()


def test_why_statements_of_a_game_could_not_be_judged_is_told_beside_the_page(
    quack: Run, record: Callable[..., Path], tmp_path: Path
) -> None:
    game = record(speech="text")
    (game / "extraction.jsonl").write_text("nothing\n")
    for path in (game, game.parent):  # one game, and a run
        result = quack("view", path, "-o", tmp_path / path.name)
        assert result.exit_code == 0
        assert "The statements could not be judged" in result.stderr and "extraction.jsonl, line 1" in result.stderr


def test_a_path_that_does_not_exist_is_wrong_usage(quack: Run, tmp_path: Path) -> None:
    for command in ("view", "report"):
        result = quack(command, tmp_path / "nowhere")
        assert result.exit_code == 2
        assert "nowhere" in result.stderr


def recorded_elsewhere(folder: Path) -> None:
    """A published game, as far as its format tells, and one of MafiaScope."""
    for game, files in (("seed01", ["game.jsonl"]), ("other", ["game.jsonl", "introspection.jsonl"])):
        (folder / game).mkdir(parents=True)
        for file in files:
            (folder / game / file).write_text('{"event_type": "x"}\n' if game == "seed01" else "{}\n")


def test_nothing_is_written_beside_games_that_were_recorded_elsewhere_unless_asked_for(
    quack: Run, tmp_path: Path
) -> None:
    recorded_elsewhere(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for command, path in (
        ("report", ""),
        ("view", ""),
        ("view", "seed01"),
        ("view", "seed01/game.jsonl"),
        ("view", "other"),
    ):
        result = quack(command, tmp_path / path)
        assert result.exit_code == 2
        assert "was not recorded by this program" in result.stderr and "--out" in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_that_is_no_recording_gets_no_folder_of_pages(quack: Run, tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("free\n")
    for options in ([], ["-o", tmp_path / "pages"]):
        result = quack("view", tmp_path / "LICENSE", *options)
        assert result.exit_code == 2 and "no recorded game" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["LICENSE"]


def test_damaged_measures_of_a_suites_run_are_told_with_the_command_that_mends_them(
    quack: Run, small_run: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(small_run, tmp_path / "run"))
    before = (run / "measures.json").read_text()
    (run / "measures.json").write_text(before[:100])
    result = quack("report", run)
    assert result.exit_code == 2
    command = result.stderr.partition("; quack ")[2].partition(" writes it anew")[0]
    assert quack(*shlex.split(command)).exit_code == 0
    assert (run / "measures.json").read_text() == before


def test_the_report_is_written_into_the_run(quack: Run, small_run: Path) -> None:
    result = quack("report", small_run, "--json")
    assert result.exit_code == 0
    assert only_object(result) == {"report": str(small_run / "report.html")}
