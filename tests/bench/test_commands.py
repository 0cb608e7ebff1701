"""The commands: what they do, and that their errors say what is wrong and what is allowed."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from quack_agents import RandomPolicy
from quack_agents.llm import ModelError
from quack_agents.mock_server import MockServer
from quack_bench.commands.play import kept_or_gone
from quack_env import GameRecord
from quack_env.replay import check

from .conftest import BOOM, Run, boom, only_object

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "data" / "quack" / "claude_opus4.7__claude_opus4.7"


def test_play_records_a_finished_game_that_replays_exactly(quack: Run, tmp_path: Path) -> None:
    result = quack("play", "--seed", 3, "--out", tmp_path / "game", "--json")
    assert result.exit_code == 0
    summary = only_object(result)
    trajectory = GameRecord.load(tmp_path / "game")
    assert trajectory.status == "finished"
    assert trajectory.outcome is not None and trajectory.outcome.winner == summary["winner"]
    assert check(trajectory).ok


def test_play_tells_who_won(quack: Run, tmp_path: Path) -> None:
    result = quack("play", "--goose", "random", "--duck", "random", "--seed", 1, "--out", tmp_path / "game")
    assert result.exit_code == 0
    assert "win" in result.stdout


def test_the_same_seed_and_policies_play_the_same_game(quack: Run, tmp_path: Path) -> None:
    for name in "ab":
        quack("play", "--seed", 5, "--out", tmp_path / name, "--json")
    first, second = (GameRecord.load(tmp_path / name) for name in "ab")
    assert first.events == second.events and first.seals == second.seals


def test_one_seat_can_be_given_another_policy(quack: Run, tmp_path: Path) -> None:
    quack("play", "--seat", "2=random", "--seed", 1, "--out", tmp_path / "game", "--json")
    policies = [seat.policy for seat in GameRecord.load(tmp_path / "game").header.seats]
    assert policies == ["scripted", "scripted", "random", "scripted", "scripted", "scripted"]


def test_the_length_of_a_game_can_be_given(quack: Run, tmp_path: Path) -> None:
    summary = only_object(quack("play", "--max-ticks", 4, "--seed", 1, "--out", tmp_path / "game", "--json"))
    assert (summary["reason"], summary["ticks"]) == ("timeout", 4)
    assert GameRecord.load(tmp_path / "game").config.max_ticks == 4


def test_a_human_plays_through_standard_input(quack: Run, tmp_path: Path) -> None:
    config = tmp_path / "short.yaml"
    config.write_text("max_ticks: 2\nn_players: 4\n")
    arguments = ("play", "--human", 0, "--config", config, "--speech", "off", "--out", tmp_path / "game")
    result = quack(*arguments, stdin="nonsense\n" + "1\n" * 40)
    assert result.exit_code == 0, result.output
    assert GameRecord.load(tmp_path / "game").status == "finished"


def test_a_human_who_leaves_gets_a_clear_error_and_keeps_the_recording(quack: Run, tmp_path: Path) -> None:
    result = quack("play", "--human", 0, "--out", tmp_path / "game", stdin="")
    assert result.exit_code in (1, 2)
    assert GameRecord.load(tmp_path / "game").status == "aborted"


def test_a_policy_that_raises_in_play_is_told_in_one_line(
    quack: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RandomPolicy, "__call__", boom)
    result = quack("play", "--goose", "random", "--out", tmp_path / "game", "--json")
    told = f"failed, not finished: {tmp_path / 'game'}: policy 'random': {BOOM}\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", told)


def test_an_illegal_action_in_play_names_policy_and_player(
    quack: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RandomPolicy, "__call__", lambda self, observation, info: 10_000)
    result = quack("play", "--seat", "2=random", "--out", tmp_path / "game", "--json")
    assert result.exit_code == 1
    assert "IllegalActionError: policy 'random': player_2 may not do 10000" in result.stderr


def test_a_recorded_game_is_never_overwritten(quack: Run, tmp_path: Path) -> None:
    quack("play", "--seed", 1, "--out", tmp_path / "game", "--json")
    before = (tmp_path / "game" / "trajectory.jsonl").read_bytes()
    result = quack("play", "--seed", 2, "--out", tmp_path / "game")
    assert result.exit_code == 2
    assert "already holds a recorded game" in result.stderr
    assert (tmp_path / "game" / "trajectory.jsonl").read_bytes() == before


def test_replay_check_counts_and_agrees(quack: Run, small_run: Path) -> None:
    counts = only_object(quack("replay", small_run, "--check", "--json"))
    assert counts["games"] == 4
    assert counts["events"] > 100
    assert [counts[key] for key in ("mismatches", "illegal", "posthumous", "damaged")] == [0, 0, 0, 0]


def test_a_sound_recording_that_no_seed_deals_is_not_called_damaged(quack: Run, tmp_path: Path) -> None:
    quack("play", "--seed", 1, "--out", tmp_path / "game", "--json")
    file = tmp_path / "game" / "trajectory.jsonl"
    header, rest = file.read_text().split("\n", 1)
    dealt = json.loads(header)
    dealt["seats"][0]["name"] = "Anna"
    file.write_text(f"{json.dumps(dealt)}\n{rest}")
    result = quack("replay", tmp_path / "game", "--check")
    assert result.exit_code == 1 and "header field given" in result.stderr
    assert result.stdout.endswith("cannot be replayed 1\n") and "damaged" not in result.output


def test_replay_check_finds_a_changed_event_and_fails(quack: Run, tmp_path: Path) -> None:
    quack("play", "--seed", 1, "--out", tmp_path / "game", "--json")
    file = tmp_path / "game" / "trajectory.jsonl"
    lines = file.read_text().splitlines()
    place = next(k for k, line in enumerate(lines) if '"kind":"depart"' in line)
    event = json.loads(lines[place])
    event["seen_by"] = []
    lines[place] = json.dumps(event)
    file.write_text("\n".join(lines) + "\n")
    result = quack("replay", tmp_path / "game", "--check", "--json")
    assert result.exit_code == 1
    assert only_object(result)["mismatches"] >= 1


def test_replay_tells_a_game_in_words(quack: Run, small_run: Path) -> None:
    game = sorted(small_run.glob("*/seed-000"))[0]
    result = quack("replay", game)
    assert result.exit_code == 0
    assert "win" in result.stdout


def test_replay_films_a_game(quack: Run, small_run: Path, tmp_path: Path) -> None:
    game = sorted(small_run.glob("*/seed-000"))[0]
    result = only_object(quack("replay", game, "--video", tmp_path / "game.mp4", "--json"))
    film = (tmp_path / "game.mp4").read_bytes()
    assert result["frames"] > 20
    assert film[4:8] == b"ftyp"


def test_bench_goes_on_where_it_stopped_and_plays_no_finished_game_again(quack: Run, tmp_path: Path) -> None:
    suite = tmp_path / "tiny.yaml"
    suite.write_text("geese: [scripted]\nducks: [random]\nseeds: 3\nconfig: {max_ticks: 20}\n")
    run = tmp_path / "run"
    quack("bench", suite, "--out", run, "--json")
    files = sorted(run.glob("*/*/trajectory.jsonl"))
    kept, damaged, missing = files
    before, want = kept.stat().st_mtime_ns, [file.read_bytes() for file in files]
    damaged.write_bytes(damaged.read_bytes()[:700])
    for file in missing.parent.iterdir():
        file.unlink()
    assert quack("bench", suite, "--out", run, "--json").exit_code == 0
    assert kept.stat().st_mtime_ns == before
    assert [file.read_bytes() for file in files] == want


def test_two_processes_play_the_same_games_as_one(quack: Run, tmp_path: Path) -> None:
    suite = tmp_path / "tiny.yaml"
    suite.write_text("geese: [scripted]\nducks: [scripted:cautious]\nseeds: 4\nconfig: {max_ticks: 20}\n")
    for jobs in (1, 2):
        assert quack("bench", suite, "--out", tmp_path / str(jobs), "--jobs", jobs, "--json").exit_code == 0
    one, two = (sorted((tmp_path / name).glob("*/*/trajectory.jsonl")) for name in "12")
    assert [file.read_bytes() for file in one] == [file.read_bytes() for file in two]


def test_bench_refuses_the_folder_of_another_suite(quack: Run, small_run: Path) -> None:
    result = quack("bench", "demo", "--out", small_run)
    assert result.exit_code == 2
    assert "another suite (" in result.stderr and "seeds: [0, 1] there, [1, 2, 3, 4, 5] here" in result.stderr


def test_a_run_and_a_single_game_share_no_folder(quack: Run, small_run: Path, tmp_path: Path) -> None:
    into_run = quack("play", "--out", small_run)
    assert into_run.exit_code == 2 and "holds a run of a suite" in into_run.stderr
    assert not (small_run / "trajectory.jsonl").exists()
    below = quack("play", "--out", small_run / "mine" / "game")
    assert below.exit_code == 2 and f"lies in {small_run}, which holds a run of a suite" in below.stderr
    situations = quack("scripts", "run", "all", "--out", small_run / "scripts")
    assert situations.exit_code == 2 and "which holds a run of a suite" in situations.stderr
    assert not (small_run / "mine").exists() and not (small_run / "scripts").exists()
    quack("play", "--seed", 1, "--out", tmp_path / "game", "--json")
    into_game = quack("bench", "demo", "--out", tmp_path / "game")
    assert into_game.exit_code == 2 and "holds a single recorded game" in into_game.stderr
    assert not (tmp_path / "game" / "suite.yaml").exists()


def test_the_folder_of_a_training_takes_no_run(quack: Run, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{}")
    result = quack("bench", "demo", "--out", tmp_path)
    assert result.exit_code == 2 and "holds a training (settings.json) and can be no run" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["settings.json"]


def test_replaying_a_run_names_one_of_its_games(quack: Run, small_run: Path, tmp_path: Path) -> None:
    first = small_run / "scripted__random" / "seed-000"
    told = f"error {small_run}: is a run of 4 games; name one of them, as in quack replay {first}\n"
    assert (quack("replay", small_run).stderr, quack("replay", small_run).exit_code) == (told, 2)
    assert quack("replay", small_run, "--video", tmp_path / "game.mp4").stderr == told
    below = quack("replay", small_run / "scripted__random")
    assert "is no game, and has some below it; name one of them" in below.stderr


def test_beliefs_of_one_game_are_in_one_file(quack: Run, tmp_path: Path) -> None:
    arguments = ("play", "--probe", "meetings", "--seed", 3, "--out", tmp_path / "game", "--json")
    assert quack(*arguments).exit_code == 0
    assert {file.name for file in (tmp_path / "game").iterdir()} == {"run.sqlite", "status.json", "trajectory.jsonl"}


def test_a_cut_off_line_of_calls_is_named_with_its_file(quack: Run, tmp_path: Path) -> None:
    quack("play", "--seed", 1, "--out", tmp_path / "game", "--json")
    (tmp_path / "game" / "calls.jsonl").write_text('{"schema_version": 1, "ag')
    result = quack("eval", tmp_path / "game", "--tiers", "1", "--json")
    assert result.exit_code == 0 and f"{tmp_path / 'game' / 'calls.jsonl'}, line 1: cut off" in result.stderr


def test_eval_prints_one_json_object_with_the_keys_scripts_rely_on(quack: Run, small_run: Path, tmp_path: Path) -> None:
    data = only_object(quack("eval", small_run, "--out", tmp_path / "eval", "--json"))
    assert {"games", "settings", "measures"} <= data.keys()
    lines = (tmp_path / "eval" / "games.jsonl").read_text().splitlines()
    assert len(lines) == 4
    assert {"path", "tier1", "tier2", "tier3"} <= json.loads(lines[0]).keys()


def test_the_findings_of_an_evaluation_give_its_statement_measures_again(
    quack: Run, small_run: Path, tmp_path: Path
) -> None:
    first = only_object(quack("eval", small_run, "--out", tmp_path / "eval", "--json"))
    again = only_object(quack("eval", tmp_path / "eval", "--from-findings", "--json"))
    assert (tmp_path / "eval" / "claims.jsonl").read_text().count("\n") > 3
    measure = again["measures"]["goose_truthfulness"]
    assert measure["pooled"] == first["measures"]["goose_truthfulness"]["pooled"] == 1.0


def test_eval_leaves_a_damaged_game_out_and_says_so(quack: Run, tmp_path: Path) -> None:
    for name in "ab":
        quack("play", "--seed", 1, "--out", tmp_path / "run" / name, "--json")
    file = tmp_path / "run" / "b" / "trajectory.jsonl"
    lines = file.read_text().splitlines()
    lines[5] = "{broken"
    file.write_text("\n".join(lines) + "\n")
    result = quack("eval", tmp_path / "run", "--json")
    assert result.exit_code == 0
    assert "line 6" in result.stderr


def test_speed_prints_every_form(quack: Run) -> None:
    data = only_object(quack("speed", "--steps", 50, "--repeats", 1, "--json"))
    assert len(data["rates"]) >= 6
    assert all(rate > 0 for rate in data["rates"].values())


def test_map_commands_validate_and_draw(quack: Run, tmp_path: Path) -> None:
    file = tmp_path / "drawn.yaml"
    assert quack("map", "random", "--rooms", 12, "--seed", 4, "-o", file).exit_code == 0
    facts = only_object(quack("map", "validate", file, "--json"))
    assert facts["rooms"] == 12
    assert "cafeteria" in quack("map", "render", "ship").stdout
    assert quack("map", "render", file, "-o", tmp_path / "map.png").exit_code == 0
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


MAP = """\
rooms: {bridge: [0, 0], galley: [2, 0], engine: [1, 2]}
corridors: [[bridge, galley, 1], [galley, engine, 1], [engine, bridge, 2]]
tasks: {galley: Wash Up, engine: "[b]Refuel[/b]"}
button: bridge
"""


def test_validate_says_which_games_cannot_be_played_on_a_map(quack: Run, tmp_path: Path) -> None:
    (tmp_path / "iss.yaml").write_text(MAP.replace("galley", "the"))
    told = quack("map", "validate", tmp_path / "iss.yaml")
    assert told.stdout == "iss: 3 rooms, 3 corridors, 2 task rooms, button in bridge; the longest way takes 2 ticks.\n"
    notes = told.stderr.splitlines()
    assert notes[0].startswith("note: no game with the default settings can be played on it: n_tasks=5: must be from 0")
    assert notes[1].startswith("note: no game in free text can be played on it: map: rooms of iss are called by common")
    assert only_object(quack("map", "validate", "ship", "--json"))["notes"] == []


def test_validate_names_every_room_that_is_called_by_a_common_word(quack: Run, tmp_path: Path) -> None:
    (tmp_path / "iss.yaml").write_text(MAP.replace("galley", "the").replace("bridge", "and"))
    assert "common words: and, the; with" in quack("map", "validate", tmp_path / "iss.yaml").stderr


def test_a_drawn_map_replaces_no_file_and_a_picture_says_so(quack: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(MAP)
    refused = quack("map", "random", "-o", tmp_path / "mine.yaml")
    assert refused.exit_code == 2 and "exists already; choose another file" in refused.stderr
    assert (tmp_path / "mine.yaml").read_text() == MAP
    assert quack("map", "random", "-o", tmp_path / "new.yaml").stderr == f"written to {tmp_path / 'new.yaml'}\n"
    assert "must end in .yaml" in quack("map", "random", "-o", tmp_path / "new.txt").stderr
    drawn = [quack("map", "render", tmp_path / "mine.yaml", "-o", tmp_path / "mine.png").stderr for _ in range(2)]
    assert ["(replaced)" in told for told in drawn] == [False, True]


def test_names_with_brackets_are_shown_as_they_are(quack: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("name: '[/][red]iss[/red]'\n" + MAP)
    assert quack("map", "validate", file).stdout.startswith("[/][red]iss[/red]: 3 rooms")
    shown = quack("map", "render", file).stdout
    assert "[/][red]iss[/red]" in shown and "[b]Refuel[/b]" in shown
    arms = "speech: off\nconfig: {max_ticks: 5}\narms: {one: {}, two: {speech: tokens}}\n"
    (tmp_path / "suite.yaml").write_text(f"geese: scripted\nducks: scripted\nseeds: 1\n{arms}")
    run = tmp_path / "brk[" / "x]"
    done = quack("bench", tmp_path / "suite.yaml", "--out", run, "--jobs", 1)
    assert done.exit_code == 0 and f"report: {run / 'report.html'}" in done.stderr
    assert f"quack eval '{run}'" in done.stderr
    assert f"Written: {run / 'effects.json'}" in quack("effects", run).stderr
    game = tmp_path / "[/red]game"
    played = quack("play", "--seed", 1, "--config", quick(tmp_path), "--out", game)
    assert f"recorded in {game}." in played.stdout and f"quack replay '{game}'" in played.stderr


def quick(folder: Path) -> Path:
    """Settings of a game that is over soon."""
    (folder / "quick.yaml").write_text("max_ticks: 5\n")
    return folder / "quick.yaml"


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="../shared/data/quack is absent")
def test_differences_are_told_in_words_game_by_game_with_the_support_that_each_judge_saw(quack: Run) -> None:
    games = [str(PUBLISHED / name) for name in ("seed01", "seed03")]
    lines = quack("eval", *games, "--compare", "published").stdout.splitlines()
    assert [line for line in lines[:-1] if not line.startswith(" ")] == games
    accused = lines.index("  meeting 0, Diana: Diana accuses Bob (weak)")
    assert lines[accused + 1] == "      here: true, no evidence: Bob is a Duck; nothing that sets the target apart"
    assert lines[accused + 2].startswith("      published: true, grounded: Target 'Bob' is a Duck")
    assert "  meeting 1, Alice: Alice saw Charlie in security (tick 5)" in lines
    assert lines[-1].endswith("answers differ")


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="../shared/data/quack is absent")
def test_a_game_without_claims_or_verdicts_is_told_beside_those_that_are_compared(quack: Run, tmp_path: Path) -> None:
    lacking = Path(shutil.copytree(PUBLISHED / "seed01", tmp_path / "seed01")) / "extraction.jsonl"
    lacking.unlink()
    result = quack("eval", lacking.parent, PUBLISHED / "seed03", "--compare", "published")
    assert (result.exit_code, result.stderr) == (0, f"not compared: 1 game; the first lacks {lacking}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("play", "--goose", "nobody"), "known are bayesian, human, random, rl, scripted"),
        (("play", "--seat", "9=random"), "seat from 0 to 5"),
        (("play", "--ducks", "4"), "n_ducks=4"),
        (("play", "--max-ticks", "0"), "max_ticks=0: must be a whole number from 1"),
        (("play", "--goose", "mock"), "models as PROVIDER/NAME (openai/mock)"),
        (("play", "--config", "nowhere.yaml"), "nowhere.yaml"),
        (("play", "--map", "nowhere"), "nowhere"),
        (("play", "--speech", "sung"), "'off', 'tokens', 'text'"),
        (("bench", "nothing"), "built-in suite (ablation, demo"),
        (("eval", "no/such/folder"), "no such file or folder"),
        (("eval", ".", "--tiers", "7"), "must be one of 1, 2, 3, 12"),
        (("eval", ".", "--extractor", "guess"), "recorded, grammar, or a model"),
        (("eval", ".", "--compare", "mine"), "must be published"),
        (("eval", ".", "--compare", "published", "--tiers", "1"), "--tiers: has no effect with --compare"),
        (("eval", ".", "--compare", "published", "--convention", "published"), "--convention: has no effect"),
        (("eval", ".", "--compare", "published", "--out", "here"), "--compare writes no files"),
        (("eval", ".", "--from-findings", "--extractor", "grammar"), "--extractor: has no effect with --from-findings"),
        (("eval", ".", "--from-findings"), "findings.jsonl"),
        (("eval", ".", "--convention", "mine"), "paper or published"),
        (("replay", "no/such/folder"), "no/such/folder"),
        (("replay", "no/such/folder", "--check"), "no/such/folder"),
        (("replay", "no/such/folder", "--video", "game.avi"), "--video game.avi: must end in .mp4"),
        (("import", "pyproject.toml", "here"), "pyproject.toml: no exported run (manifest.json is missing)"),
        (("map", "validate", "nowhere.yaml"), "nowhere.yaml"),
        (("map", "render", "ship", "-o", "ship.txt"), "--out ship.txt: must end in .png"),
    ],
)
def test_bad_input_is_one_line_that_says_what_is_wrong_and_exit_code_2(
    quack: Run, arguments: tuple[str, ...], message: str
) -> None:
    result = quack(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


def test_play_tells_no_recording_of_a_game_that_it_refuses(quack: Run, tmp_path: Path) -> None:
    quack("play", "--seed", 1, "--out", tmp_path / "game", "--json")
    result = quack("play", "--out", tmp_path / "game")
    assert result.exit_code == 2 and "already holds" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("geese: []\nducks: [random]\nseeds: 1\n", "geese"),
        ("geese: [random]\nducks: [random]\n", "seeds"),
        ("geese: [random]\nducks: [random]\nseeds: 1\nspeed: 3\n", "unknown field 'speed'"),
        ("geese: [random]\nducks: [random]\nseeds: 1\nconfig: {n_players: 2}\n", "n_players=2"),
        ("geese: [nobody]\nducks: [random]\nseeds: 1\n", "known are bayesian, human, random, rl, scripted"),
        ("- a list\n", "mapping"),
        ("geese: [random\n", "line"),
    ],
)
def test_a_wrong_suite_names_file_and_field(quack: Run, tmp_path: Path, text: str, message: str) -> None:
    suite = tmp_path / "wrong.yaml"
    suite.write_text(text)
    result = quack("bench", suite, "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list((tmp_path / "run").glob("*/*/trajectory.jsonl"))


@pytest.mark.parametrize(
    "command",
    [
        "play",
        "bench",
        "export",
        "import",
        "eval",
        "replay",
        "speed",
        "map validate",
        "map render",
        "map random",
        "serve-mock",
        "serve-local",
    ],
)
def test_every_command_has_help_with_an_example(quack: Run, command: str) -> None:
    result = quack(*command.split(), "--help")
    assert result.exit_code == 0
    assert "Example: quack" in result.stdout


def test_a_paragraph_of_help_is_not_broken_where_its_source_is(quack: Run) -> None:
    shown = quack("eval", "--help", env={"COLUMNS": "100"}).stdout
    lines = shown[shown.index("Damaged games") : shown.index("Example:")].strip().splitlines()
    # the next line's first word would not have fitted
    for line, following in pairwise(lines):
        assert len(line.rstrip()) + len(following.split()[0]) + 1 >= 98


def test_eval_shows_the_evidence_when_asked(quack: Run, small_run: Path) -> None:
    data = only_object(quack("eval", small_run, "--tiers", "1", "--evidence", "--json"))
    assert {"ceiling_pooled", "suspects_single", "ejection_accuracy"} <= data["measures"].keys()
    assert "what the perceptions prove" in quack("eval", small_run, "--tiers", "1", "--evidence").stdout


def test_check_and_video_together_do_both(quack: Run, small_run: Path, tmp_path: Path) -> None:
    game = sorted(small_run.glob("*/seed-000"))[0]
    result = only_object(quack("replay", game, "--check", "--video", tmp_path / "game.mp4", "--json"))
    assert result["frames"] > 20 and result["mismatches"] == 0 and result["games"] == 1


def test_a_folder_that_is_a_file_is_one_line_of_error(quack: Run, small_run: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    result = quack("view", small_run, "--out", tmp_path / "taken")
    assert result.exit_code == 2 and len(result.stderr.strip().splitlines()) == 1


def test_a_server_on_a_taken_port_tells_no_address(quack: Run) -> None:
    with MockServer() as server:
        result = quack("serve-mock", "--port", server.port)
    assert result.exit_code == 2
    assert "cannot be used" in result.stderr and "http" not in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--human", "9"), "--human 9"),
        (("--seat", "1=random", "--seat", "1=scripted"), "has a policy already"),
        (("--human", "0", "--seat", "0=random"), "--human 0"),
    ],
)
def test_seats_are_given_once_and_exist(quack: Run, arguments: tuple[str, ...], message: str) -> None:
    result = quack("play", *arguments)
    assert result.exit_code == 2 and message in result.stderr


def test_report_tells_of_recordings_that_are_newer_than_the_evaluation(quack: Run, tmp_path: Path) -> None:
    for seed in (1, 2):
        quack("play", "--seed", seed, "--out", tmp_path / "run" / f"game-{seed}", "--json")
        result = quack("report", tmp_path / "run", "--json")
    told = f"1 not in it (game-2); to evaluate anew: quack eval {tmp_path / 'run'} --evidence --out {tmp_path / 'run'}"
    assert told in result.stderr and result.exit_code == 0
    quack("eval", tmp_path / "run", "--evidence", "--out", tmp_path / "run", "--json")
    assert "evaluate anew" not in quack("report", tmp_path / "run", "--json").stderr


def test_report_says_how_many_games_are_not_in_its_numbers(quack: Run, tmp_path: Path) -> None:
    for seed in (1, 2):
        quack("play", "--seed", seed, "--out", tmp_path / "run" / f"game-{seed}", "--json")
    (tmp_path / "run" / "game-2" / "trajectory.jsonl").write_text("{}\n", encoding="utf-8")
    assert "1 game left out, the first game-2" in quack("report", tmp_path / "run", "--json").stderr


def test_play_leaves_nothing_where_the_model_could_not_be_reached_before_anybody_acted(
    quack: Run, tmp_path: Path
) -> None:
    pytest.importorskip("litellm")
    with MockServer() as server:
        model = f"openai/mock?retries=0&api_base={server.url}"
    (tmp_path / "there").mkdir()
    for folder in ("made", "there"):
        result = quack("play", "--goose", model, "--duck", model, "--out", tmp_path / folder, "--json")
        assert result.exit_code == 2 and "nothing was played" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["there"] and not list((tmp_path / "there").iterdir())


def test_why_a_model_failed_is_told_where_the_recording_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nobody there"), kept_or_gone(tmp_path / "game"):
        (tmp_path / "game").mkdir()
        (tmp_path / "game" / "trajectory.jsonl").write_text("")
        raise ModelError("connection", "nobody there")
    assert not list(tmp_path.iterdir())


def test_play_keeps_what_was_recorded_before_the_model_failed(quack: Run, tmp_path: Path) -> None:
    pytest.importorskip("litellm")
    with MockServer() as server:
        model = f"openai/mock?retries=0&api_base={server.url}"
    result = quack("play", "--seat", f"2={model}", "--speech", "off", "--out", tmp_path / "game", "--json")
    assert result.exit_code == 2 and f"is kept in {tmp_path / 'game'}" in result.stderr
    assert GameRecord.load(tmp_path / "game").status == "infra_failure"


def test_play_tells_what_the_calls_of_models_cost(quack: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("litellm")
    settings = tmp_path / "settings.yaml"
    settings.write_text('"openai/mock": {prices: {input: 0.01, output: 0.01}}\n')
    monkeypatch.setenv("QUACK_MODELS", str(settings))
    config = tmp_path / "short.yaml"
    config.write_text("max_ticks: 2\nn_players: 4\n")
    with MockServer() as server:
        model = f"openai/mock?modality=text&api_base={server.url}"
        common = ("play", "--goose", model, "--config", config, "--seed", 1)
        result = quack(*common, "--out", tmp_path / "told")
        data = only_object(quack(*common, "--out", tmp_path / "json", "--json"))
    calls = [json.loads(line) for line in (tmp_path / "told" / "calls.jsonl").read_text().splitlines()]
    cost = sum(call["cost"] for call in calls)
    assert 0 < cost < 0.005  # which two decimals would show as nothing
    assert data["calls"] == len(calls) and data["cost_usd"] == pytest.approx(cost)
    told = next(line for line in result.stderr.splitlines() if "calls of models for US $ " in line)
    assert float(told.rpartition(" ")[2]) == pytest.approx(cost, rel=0.1)


def test_situations_and_forks_tell_what_the_calls_of_models_cost(
    quack: Run, small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("litellm")
    settings = tmp_path / "settings.yaml"
    settings.write_text('"openai/mock": {prices: {input: 0.01, output: 0.01}}\n')
    monkeypatch.setenv("QUACK_MODELS", str(settings))
    game = next(small_run.rglob("trajectory.jsonl")).parent
    last = len(GameRecord.load(game).events) - 8
    with MockServer() as server:
        model = f"openai/mock?modality=text&api_base={server.url}"
        for command in (
            ("scripts", "run", "bandwagon", "--no-mirrors", "--policy", model),
            ("fork", game, "--at", last, "-n", 1, "--goose", model, "--duck", "scripted"),
        ):
            result = quack(*command, "--out", tmp_path / command[0])
            found = load_all(tmp_path / command[0])
            assert found and f"{len(found)} call" in result.stderr and " of models for US $ " in result.stderr
        data = only_object(
            quack(
                "scripts",
                "run",
                "bandwagon",
                "--no-mirrors",
                "--policy",
                model,
                "--out",
                tmp_path / "scripts",
                "--json",
            )
        )
    found = load_all(tmp_path / "scripts")
    assert data["calls"] == len(found) and data["cost_usd"] == pytest.approx(sum(call["cost"] for call in found))


def load_all(run: Path) -> list[dict[str, Any]]:
    """The calls of all games of a run and of their probes."""
    files = [file for name in ("calls.jsonl", "probes.jsonl") for file in run.rglob(name)]
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]
