"""Filled sheets as two people hand them in."""

from __future__ import annotations

from pathlib import Path

import pytest

from quack_eval.annotate import Judged, SheetError, Spoken, read_sheet, rows, score, to_csv, to_html

SAID = Spoken("g/1", "Bob", 4, "I was in medbay", (Judged({"type": "location", "subject": "Bob"}, "true"),))


def handed_in(folder: Path, answer: str) -> Path:
    """A filled sheet without a name, called as the form calls it."""
    folder.mkdir()
    table = [row | {"extraction_ok": answer, "verdict_ok": answer} for row in rows([(SAID, (0,))])]
    (folder / "answers.csv").write_text(to_csv(table), encoding="utf-8", newline="")
    return folder / "answers.csv"


def test_two_nameless_sheets_of_one_file_name_are_two_annotators(tmp_path: Path) -> None:
    agreement = score([handed_in(tmp_path / "anna", "y"), handed_in(tmp_path / "ben", "n")]).agreement
    assert (agreement["verdict_ok"].rows, agreement["verdict_ok"].agreed) == (1, 0)


def test_the_form_begins_with_the_name_that_the_sheet_was_drawn_for() -> None:
    assert 'id="annotator" value="&lt;Anna&gt;"' in to_html(rows([(SAID, (0,))], "<Anna>"))


def test_a_sheet_in_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_bytes(b"row,kind,extraction_ok,verdict_ok,missed\r\n\xff\xfe,claim,y,y,\r\n")
    with pytest.raises(SheetError, match=r"answers\.csv: cannot be read as CSV in UTF-8"):
        read_sheet(tmp_path / "answers.csv")
