"""Reading recordings: whole, torn, damaged, foreign and empty ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quack_env import GameRecord, Outcome, TrajectoryError
from quack_env.replay import check

Record = Callable[..., Path]


@pytest.fixture
def folder(record: Record) -> Path:
    """A recorded game of speech mode text."""
    return record("env", "text", 1)


def raw_lines(folder: Path) -> list[bytes]:
    return (folder / "trajectory.jsonl").read_bytes().splitlines(keepends=True)


def write(folder: Path, *parts: bytes) -> None:
    (folder / "trajectory.jsonl").write_bytes(b"".join(parts))


def refusal(path: Path) -> str:
    """The one line with which a recording is refused."""
    with pytest.raises(TrajectoryError) as caught:
        GameRecord.load(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---------------------------------------------------------------------------------------------------------------------
# Whole


def test_a_recording_is_loaded_from_its_folder_or_its_file(folder: Path) -> None:
    ours, same = GameRecord.load(folder), GameRecord.load(str(folder / "trajectory.jsonl"))
    assert (ours.header, ours.events, ours.seals) == (same.header, same.events, same.seals)
    assert ours.path == same.path == folder


def test_a_loaded_recording_tells_config_map_names_roles_and_outcome(folder: Path) -> None:
    trajectory = GameRecord.load(folder)
    lines = [json.loads(line) for line in raw_lines(folder)]
    assert trajectory.config.kill_cooldown == 1
    assert trajectory.game_map.rooms == ("bridge", "airlock", "galley", "bunks", "engine")
    assert sorted(trajectory.names) == ["Alice", "Bob", "Charlie", "Diana", "Eve", "Frank"]
    assert trajectory.ducks == [i for i, seat in enumerate(lines[0]["seats"]) if seat["role"] == "duck"]
    over = next(line for line in lines if line.get("kind") == "game_over")["data"]
    assert trajectory.outcome == Outcome(over["winner"], over["reason"])
    assert trajectory.status == "finished"
    assert not trajectory.torn


def test_every_event_comes_back_as_it_was_written(folder: Path) -> None:
    trajectory = GameRecord.load(folder)
    lines = [json.loads(line) for line in raw_lines(folder)[1:]]
    events = [line for line in lines if "hash" not in line]
    assert [event.to_dict() for event in trajectory.events] == events


def test_a_hash_is_counted_in_events_before_it(folder: Path) -> None:
    trajectory = GameRecord.load(folder)
    before, expected = 0, []
    for line in map(json.loads, raw_lines(folder)[1:]):
        if "hash" in line:
            expected.append((before, line["tick"], line["hash"]))
        before += "hash" not in line
    assert [tuple(seal) for seal in trajectory.seals] == expected


def test_a_recording_is_saved_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    GameRecord.load(folder).save(tmp_path / "copy")
    for name in ("trajectory.jsonl", "status.json"):
        assert (tmp_path / "copy" / name).read_bytes() == (folder / name).read_bytes()


def test_a_recording_is_not_saved_over_another(folder: Path, record: Record) -> None:
    other = record("env", "text", 2)
    before = (other / "trajectory.jsonl").read_bytes()
    with pytest.raises(TrajectoryError, match="already holds"):
        GameRecord.load(folder).save(other)
    assert (other / "trajectory.jsonl").read_bytes() == before


# ---------------------------------------------------------------------------------------------------------------------
# Torn


@pytest.mark.parametrize("left", [1, 2, 17, -2, -1])
def test_a_torn_last_line_is_left_out_and_flagged(left: int, folder: Path) -> None:
    """Cut after some bytes, in mid-character, or one byte before the end: `-1` is a whole line without its newline."""
    lines = raw_lines(folder)
    whole = GameRecord.load(folder)
    write(folder, *lines[:-4], lines[-4][:left])
    (folder / "status.json").unlink()
    torn = GameRecord.load(folder)
    assert torn.torn
    assert torn.status == "aborted"
    count = sum(b'"hash"' not in line for line in lines[1:-4])
    assert torn.events == whole.events[:count]
    assert check(torn).ok


def test_a_line_torn_within_a_character_is_left_out(record: Record) -> None:
    for seed in range(1, 9):
        folder = record("env", "text", seed)
        lines = raw_lines(folder)
        where = next((p for p, line in enumerate(lines) if "Ça".encode() in line), 0)
        if where:
            break
    cut = lines[where].index("Ç".encode()) + 1
    write(folder, *lines[:where], lines[where][:cut])
    torn = GameRecord.load(folder)
    assert torn.torn
    assert len(torn.events) == sum(b'"hash"' not in line for line in lines[1:where])


def test_a_torn_header_is_an_empty_recording(folder: Path) -> None:
    write(folder, raw_lines(folder)[0][:-1])
    assert refusal(folder).endswith("trajectory.jsonl: empty recording, no header")


def test_an_empty_file_is_an_empty_recording(folder: Path) -> None:
    write(folder)
    assert refusal(folder).endswith("trajectory.jsonl: empty recording, no header")


def test_a_header_alone_is_a_game_without_events(folder: Path) -> None:
    write(folder, raw_lines(folder)[0])
    trajectory = GameRecord.load(folder)
    assert trajectory.events == []
    assert trajectory.outcome is None
    assert not trajectory.torn


# ---------------------------------------------------------------------------------------------------------------------
# Damaged


DAMAGES: dict[str, bytes] = {
    "not JSON": b'{"tick":1,"index"\n',
    "zeros of a lost disk block": b"\x00" * 64 + b"\n",
    "not UTF-8": b'{"tick":1,"index":3,"kind":"chat","text":"\xff","seen_by":[]}\n',
    "a number": b"17\n",
    "a list": b"[1,2]\n",
    "no event": b'{"hello":1}\n',
    "a hash without a tick": b'{"hash":"0011223344556677"}\n',
}


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_a_damaged_line_in_the_middle_is_refused_with_its_number(damage: str, folder: Path) -> None:
    lines = raw_lines(folder)
    number = next(p for p, line in enumerate(lines, 1) if b'"index":3,' in line)
    lines[number - 1] = DAMAGES[damage]
    write(folder, *lines)
    message = refusal(folder)
    assert f"trajectory.jsonl, line {number}: " in message


def test_a_damaged_last_line_is_no_torn_one(folder: Path) -> None:
    """It ends in a newline, so it was written to its end."""
    lines = raw_lines(folder)
    write(folder, *lines[:-1], b'{"tick"\n')
    assert f"line {len(lines)}: damaged" in refusal(folder)


def test_a_missing_line_is_refused_with_its_number(folder: Path) -> None:
    lines = raw_lines(folder)
    number = next(p for p, line in enumerate(lines, 1) if b'"index":3,' in line)
    write(folder, *lines[: number - 1], *lines[number:])
    assert f"line {number}: event 4 where 3 is due" in refusal(folder)


def test_a_line_given_twice_is_refused_with_its_number(folder: Path) -> None:
    lines = raw_lines(folder)
    number = next(p for p, line in enumerate(lines, 1) if b'"index":3,' in line)
    write(folder, *lines[:number], *lines[number - 1 :])
    assert f"line {number + 1}: event 3 where 4 is due" in refusal(folder)


# ---------------------------------------------------------------------------------------------------------------------
# Foreign


def header_with(folder: Path, **fields: Any) -> None:
    lines = raw_lines(folder)
    header = {key: value for key, value in (json.loads(lines[0]) | fields).items() if value != "remove"}
    write(folder, json.dumps(header).encode() + b"\n", *lines[1:])


def test_a_newer_schema_is_refused_with_what_to_do(folder: Path) -> None:
    header_with(folder, schema_version=2, something_new=True)
    message = refusal(folder)
    assert "schema 2 is newer than this version reads (1)" in message
    assert "upgrade" in message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seed", "remove"),
        ("seed", "seven"),
        ("seats", [{"agent": "player_0"}]),
        ("speech", "song"),
        ("config", None),
        ("colour", "red"),
    ],
)
def test_a_header_with_a_wrong_field_is_refused_with_the_field(field: str, value: Any, folder: Path) -> None:
    header_with(folder, **{field: value})
    assert f"line 1: header field {field}" in refusal(folder)


@pytest.mark.parametrize("version", ["remove", None, "1", 1.0])
def test_a_file_without_a_schema_version_is_no_recording(version: Any, folder: Path) -> None:
    header_with(folder, schema_version=version)
    assert "no header of a recorded game" in refusal(folder)


def test_a_path_that_is_not_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nothing").startswith(f"{tmp_path / 'nothing'}: cannot be read")


def test_a_folder_without_a_recording_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path).startswith(f"{tmp_path}: no recorded game (trajectory.jsonl) in this folder")


@pytest.mark.parametrize("status", ["", "{", "[]", '{"status": "splendid"}', '{"state": 1}', "\x00\x00"])
def test_an_unreadable_status_counts_as_aborted(status: str, folder: Path) -> None:
    (folder / "status.json").write_text(status)
    assert GameRecord.load(folder).status == "aborted"


def test_the_game_in_the_documentation_is_one_that_the_rules_make(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "log_formats.md").read_text(encoding="utf-8")
    (tmp_path / "trajectory.jsonl").write_text(page.split("```jsonl\n")[1].split("```")[0], encoding="utf-8")
    (tmp_path / "status.json").write_text('{"status": "finished"}')
    trajectory = GameRecord.load(tmp_path)
    found = check(trajectory)
    assert (found.events, found.mismatches, found.illegal) == (9, [], [])
    assert trajectory.outcome == Outcome("ducks", "parity")


def test_the_reason_of_a_game_that_is_not_finished_is_kept(folder: Path, tmp_path: Path) -> None:
    told = '{"status": "infra_failure", "reason": "503 three times"}\n'
    (folder / "status.json").write_text(told)
    trajectory = GameRecord.load(folder)
    assert (trajectory.status, trajectory.reason) == ("infra_failure", "503 three times")
    trajectory.save(tmp_path / "copy")
    assert (tmp_path / "copy" / "status.json").read_text() == told


def test_a_recording_from_before_there_were_forks_is_read(folder: Path) -> None:
    header, *rest = raw_lines(folder)
    older = {name: value for name, value in json.loads(header).items() if name != "forks"} | {"fork": 0}
    write(folder, json.dumps(older).encode() + b"\n", *rest)
    assert GameRecord.load(folder).header.forks == [] and check(GameRecord.load(folder)).ok
