"""Filled sheets as two people hand them in."""

from __future__ import annotations

from pathlib import Path

import pytest

from quack_env import ConfigError
from quack_eval.annotate import (
    COLUMNS,
    Judged,
    SheetError,
    Spoken,
    Weighted,
    draw,
    read_sheet,
    rows,
    score,
    to_csv,
    write_sheet,
)
from quack_eval.annotation_form import to_html

SAID = Spoken("g/1", "Bob", 4, "I was in medbay", (Judged({"type": "location", "subject": "Bob"}, "true"),))


def handed_in(folder: Path, answer: str) -> Path:
    """A filled sheet without a name, called as the form calls it."""
    folder.mkdir()
    table = [row | {"extraction_ok": answer, "verdict_ok": answer} for row in rows([(SAID, {0: 1.0})])]
    (folder / "answers.csv").write_text(to_csv(table), encoding="utf-8", newline="")
    return folder / "answers.csv"


def test_two_nameless_sheets_of_one_file_name_are_two_annotators(tmp_path: Path) -> None:
    agreement = score([handed_in(tmp_path / "anna", "y"), handed_in(tmp_path / "ben", "n")]).agreement
    assert (agreement["verdict_ok"].rows, agreement["verdict_ok"].agreed) == (1, 0)


def test_the_form_begins_with_the_name_that_the_sheet_was_drawn_for() -> None:
    assert 'id="annotator" value="A &quot;B&quot;"' in to_html(rows([(SAID, {0: 1.0})], 'A "B"'), COLUMNS)


def test_a_sheet_in_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_bytes(b"row,kind,extraction_ok,verdict_ok,missed\r\n\xff\xfe,claim,y,y,\r\n")
    with pytest.raises(SheetError, match=r"answers\.csv: cannot be read as CSV in UTF-8"):
        read_sheet(tmp_path / "answers.csv")


def test_a_wrong_answer_is_named_with_the_line_on_which_it_stands(tmp_path: Path) -> None:
    """The first row goes over lines 2 to 4 of the file, the second is line 5."""
    rows_of_two = (
        'row,kind,timeline,extraction_ok,verdict_ok,missed\na,claim,"one\ntwo\nthree",y,y,\nb,claim,,maybe,y,\n'
    )
    (tmp_path / "sheet.csv").write_text(rows_of_two, encoding="utf-8")
    with pytest.raises(
        SheetError, match=r"sheet\.csv, line 5 \(row b\): extraction_ok is 'maybe', neither y nor n nor \?"
    ):
        read_sheet(tmp_path / "sheet.csv")


HEAD = "row,kind,verdict,extraction_ok,verdict_ok,missed,note"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("a,clam,true,y,y,,", r"kind 'clam' is unknown \(did you mean 'claim'\?\)"),
        ("a,claim,bogus: he was there,y,y,,", r"verdict 'bogus' is unknown \(must be one of true, false"),
        ("a,utterance,,,,1.5,", "missed is '1.5', not a whole number from 0"),
        ("a,utterance,,,,-2,", "missed is '-2', not a whole number from 0"),
        ("a,claim", "ends before verdict"),
        ("a,claim,true,y,y,,,more", "has more cells than there are columns"),
    ],
)
def test_a_row_that_no_sheet_has_is_named(tmp_path: Path, line: str, told: str) -> None:
    (tmp_path / "sheet.csv").write_text(f"{HEAD}\n{line}\n", encoding="utf-8")
    with pytest.raises(SheetError, match=rf"sheet\.csv, line 2 \(row a\): {told}"):
        read_sheet(tmp_path / "sheet.csv")


def test_cells_that_a_spreadsheet_leaves_out_or_adds_at_the_end_are_open(tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_text(f"{HEAD}\na,claim,true\n,,,,,,\n", encoding="utf-8")
    assert [(row["row"], row["extraction_ok"]) for row in read_sheet(tmp_path / "sheet.csv")] == [("a", "")]


def test_a_row_answered_twice_by_one_annotator_is_refused(tmp_path: Path) -> None:
    sheet = handed_in(tmp_path / "anna", "y")
    with pytest.raises(SheetError, match=r"row g/1#0 stands 2 times in the answers of .*anna"):
        score([sheet, sheet])
    lines = sheet.read_text(encoding="utf-8").splitlines(keepends=True)
    sheet.write_text("".join([*lines, lines[1]]), encoding="utf-8")
    with pytest.raises(SheetError, match="row g/1#0 stands 2 times in the answers of answers"):
        score([sheet])


def test_two_halves_of_a_sheet_by_one_annotator_are_one_whole(tmp_path: Path) -> None:
    table = rows([(SAID, {0: 1.0})], "anna")
    halves = []
    for place, answers in enumerate(({"extraction_ok": "y", "verdict_ok": "y"}, {"missed": "1"})):
        half = [row | (answers if number == place else {}) for number, row in enumerate(table)]
        halves.append(tmp_path / f"{place}.csv")
        halves[-1].write_text(to_csv(half), encoding="utf-8", newline="")
    for order in (halves, halves[::-1]):
        found = score(order)
        assert (found.extraction.hits, found.recall.hits, found.recall.of) == (1, 1, 2)
        assert (found.unanswered, found.open_utterances) == (0, 0)


# --- weights ---------------------------------------------------------------------------------------------------------

CLAIM = {"type": "location", "subject": "Bob", "room": "medbay"}
TRUE, FALSE = Judged(CLAIM, "true"), Judged(CLAIM, "false")
GAME = [
    *(Spoken(f"g#{n}", "Bob", n, "I was in medbay.", (TRUE,)) for n in range(8)),
    Spoken("g#8", "Bob", 8, "I was in medbay, and in medbay.", (TRUE, FALSE)),
    *(Spoken(f"g#{n}", "Bob", n, "Hello.", ()) for n in (9, 10)),
]
"""Nine true claims and a false one, in nine utterances; two more have none."""


def filled(folder: Path, answers: dict[str, str], **by_row: dict[str, str]) -> Path:
    """A sheet of three drawn from GAME (one of each stratum), with these answers in all rows, and in some others."""
    table = rows(draw(GAME, 3))
    for row in table:
        asked = {"missed", "weight"} if row["kind"] == "utterance" else {"extraction_ok", "verdict_ok", "weight"}
        row.update({name: answers[name] for name in asked & answers.keys()})
        row.update(by_row.get(row["verdict"] or "utterance", {}))
    path = folder / "filled.csv"
    path.write_text(to_csv(table), encoding="utf-8", newline="")
    return path


YES = {"extraction_ok": "y", "verdict_ok": "y", "missed": "0"}


def test_a_claim_stands_for_those_of_its_type_and_verdict() -> None:
    table = rows(draw(GAME, 3))
    assert {row["verdict"]: row["weight"] for row in table if row["kind"] == "claim"} == {"true": "9", "false": "1"}


def test_an_utterance_stands_for_its_part_of_what_its_claims_stand_for() -> None:
    weights = [{0: 9.0}, {1: 1.0}]  # of an utterance with one claim, and of the one with two
    table = rows([(one, drawn) for one, drawn in zip((GAME[0], GAME[8]), weights, strict=True)])
    assert [row["weight"] for row in table if row["kind"] == "utterance"] == ["9", "0.5"]


def test_the_share_of_all_claims_counts_each_answer_by_its_weight(tmp_path: Path) -> None:
    verdicts = score([filled(tmp_path, YES, false={"verdict_ok": "n"})]).verdicts
    assert (verdicts.value, verdicts.everywhere) == (0.5, Weighted(0.9, 100 / 82))  # Kish: (9 + 1)^2 / (9^2 + 1^2)


def test_the_claims_found_in_all_games_are_those_judged_right_against_the_missed_ones(tmp_path: Path) -> None:
    table = rows([(GAME[8], {0: 9.0})])  # one of its two claims was drawn: it stands for 4.5 utterances
    table[0] |= {"extraction_ok": "y"}
    table[1] |= {"missed": "2"}
    (tmp_path / "filled.csv").write_text(to_csv(table), encoding="utf-8", newline="")
    recall = score([tmp_path / "filled.csv"]).recall
    assert recall.everywhere is not None and recall.everywhere.value == 9 / (9 + 2 * 4.5)


def test_a_sheet_without_weights_says_nothing_of_all_claims(tmp_path: Path) -> None:
    assert score([filled(tmp_path, YES | {"weight": ""})]).verdicts.everywhere is None


@pytest.mark.parametrize("answer", ["", "?"])
def test_a_verdict_left_open_or_not_to_be_told_is_in_no_share(tmp_path: Path, answer: str) -> None:
    scores = score([filled(tmp_path, YES, false={"extraction_ok": "n", "verdict_ok": answer})])
    assert (scores.verdicts.hits, scores.verdicts.of, scores.unsure) == (1, 1, len(answer))


def test_an_utterance_with_a_claim_that_nobody_could_judge_is_no_part_of_the_recall(tmp_path: Path) -> None:
    scores = score([filled(tmp_path, YES, false={"extraction_ok": "?"})])
    assert scores.open_utterances == 1 and scores.unanswered == 0


# --- what is there already -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [{"extraction_ok": "y"}, {"note": "unclear"}, {"verdict_ok": "perhaps"}])
def test_a_sheet_with_any_answer_is_not_overwritten(tmp_path: Path, answer: dict[str, str]) -> None:
    as_csv, _ = write_sheet(draw(GAME, 3), tmp_path)
    before = to_csv([row | answer for row in read_sheet(as_csv)])
    as_csv.write_text(before, encoding="utf-8", newline="")
    with pytest.raises(ConfigError, match=r"sheet\.csv: is filled in.*--out"):
        write_sheet(draw(GAME, 3), tmp_path)
    assert as_csv.read_bytes().decode() == before


def test_a_sheet_whose_form_has_saved_answers_is_not_overwritten(tmp_path: Path) -> None:
    as_csv, _ = write_sheet(draw(GAME, 3), tmp_path)
    answers = [row | {"extraction_ok": "y"} for row in read_sheet(as_csv)]
    (tmp_path / "answers.csv").write_text(to_csv(answers), encoding="utf-8", newline="")
    with pytest.raises(ConfigError, match=r"answers\.csv: is filled in"):
        write_sheet(draw(GAME, 4), tmp_path)


def test_a_sheet_is_written_into_no_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ConfigError, match=r"taken: must be a folder"):
        write_sheet(draw(GAME, 3), tmp_path / "taken")


def test_a_sheet_without_answers_is_written_anew(tmp_path: Path) -> None:
    write_sheet(draw(GAME, 3), tmp_path)
    as_csv, _ = write_sheet(draw(GAME, 12), tmp_path)
    assert len(read_sheet(as_csv)) == 10 + 11
