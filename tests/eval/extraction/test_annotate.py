"""The sheet of human validation: drawn over all strata, written, read back, scored."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from quack_eval.annotate import (
    COLUMNS,
    Judged,
    SheetError,
    Spoken,
    draw,
    kappa,
    read_sheet,
    rows,
    score,
    to_csv,
    write_sheet,
)
from quack_eval.annotation_form import to_html

KINDS = [
    ({"type": "location", "subject": "Bob", "room": "medbay"}, "true"),
    ({"type": "location", "subject": "Bob", "route": ["medbay", "storage"]}, "false"),
    ({"type": "sighting", "subject": "Bob", "target": None, "room": None, "polarity": "negative"}, "true"),
    ({"type": "accusation", "accuser": "Bob", "target": "Eve", "confidence": "weak"}, "none"),
]


def spoken(n: int = 40) -> list[Spoken]:
    """Utterances whose rarest claim is one in forty."""
    common = [
        Spoken(f"g/{i}", "Bob", i, f"<b>=said {i}</b>", tuple(Judged(*KINDS[k]) for k in (0, 2))) for i in range(n)
    ]
    return [*common, Spoken("g/rare", "Eve", 9, "rare", tuple(Judged(*kind) for kind in KINDS), ("tick 1: Eve moves",))]


def fill(path: Path, annotator: str, wrong: set[int], missed: str = "1") -> Path:
    """Answers every row: yes, but for the claims of these places."""
    table = read_sheet(path)
    claims = [row for row in table if row["kind"] == "claim"]
    for row in table:
        row["annotator"] = annotator
        if row["kind"] == "claim":
            row["extraction_ok"] = "n" if claims.index(row) in wrong else "Y"
            row["verdict_ok"] = "yes"
        else:
            row["missed"] = missed
    out = path.with_name(f"{annotator}.csv")
    out.write_text(to_csv(table), encoding="utf-8", newline="")
    return out


def test_every_stratum_is_drawn_and_the_same_seed_draws_the_same() -> None:
    drawn = draw(spoken(), 12, seed=3)
    strata = {one.claims[number].stratum for one, numbers in drawn for number in numbers}
    assert strata == {("location", "true"), ("route", "false"), ("sighting", "true"), ("accusation", "none")}
    assert sum(len(numbers) for _, numbers in drawn) == 12
    assert drawn == draw(spoken(), 12, seed=3) != draw(spoken(), 12, seed=4)
    assert sum(len(numbers) for _, numbers in draw(spoken(2), 1000)) == 8


def test_a_sheet_comes_back_as_it_was_written(tmp_path: Path) -> None:
    drawn = draw(spoken(), 8)
    as_csv, as_html = write_sheet(drawn, tmp_path)
    assert read_sheet(as_csv) == [{k: v.strip() for k, v in row.items()} for row in rows(drawn)]
    page = as_html.read_text(encoding="utf-8")
    assert "<b>=said" not in page and "default-src 'none'" in page


def test_what_a_spreadsheet_would_run_is_text(tmp_path: Path) -> None:
    one = Spoken("g/1", "Bob", 1, '=HYPERLINK("x")', (Judged(*KINDS[0]),))
    (tmp_path / "s.csv").write_text(to_csv(rows(draw([one], 1))), encoding="utf-8")
    with open(tmp_path / "s.csv", newline="", encoding="utf-8") as lines:
        assert all(row["utterance"].startswith("'=") for row in csv.DictReader(lines))
    said = Spoken("a", "B", 1, "</script><i>", (Judged(*KINDS[0]),))
    assert "</script><i>" not in to_html(rows(draw([said], 1)), COLUMNS)


def test_scores_of_one_and_of_two_annotators(tmp_path: Path) -> None:
    as_csv, _ = write_sheet(draw([spoken()[-1]], 4), tmp_path)
    one, two = fill(as_csv, "one", {0}), fill(as_csv, "two", {0, 1})
    alone = score([one])
    assert (alone.extraction.hits, alone.extraction.of) == (3, 4)
    assert alone.extraction.interval == pytest.approx((0.3006, 0.9544), abs=1e-3)
    assert alone.verdicts.value == 1.0
    assert (alone.recall.hits, alone.recall.of) == (3, 4)
    assert alone.agreement == {} and alone.unanswered == 0
    both = score([one, two])
    assert both.extraction == alone.extraction
    assert both.agreement["extraction_ok"].kappa == pytest.approx(0.5)
    assert both.agreement["extraction_ok"].agreed == 3
    assert both.agreement["verdict_ok"].kappa is None
    assert both.to_dict()["recall_per_utterance"] == 0.75


@pytest.mark.parametrize("column", ["missed", "extraction_ok"])
def test_an_utterance_not_answered_in_full_is_no_part_of_the_recall(tmp_path: Path, column: str) -> None:
    one, other = (Spoken(f"g/{i}", "Bob", i, "said", (Judged(*KINDS[0]),)) for i in (1, 2))
    as_csv, _ = write_sheet(draw([one, other], 2), tmp_path)
    table = read_sheet(fill(as_csv, "one", set()))
    next(row for row in table if row["utterance_id"] == "g/2" and row[column])[column] = ""
    as_csv.write_text(to_csv(table), encoding="utf-8", newline="")
    found = score([as_csv])
    assert (found.recall.hits, found.recall.of) == (1, 2)  # of g/1: one claim found, one missed
    assert found.open_utterances == 1


def test_kappa() -> None:
    assert kappa([]) is None
    assert kappa([(1, 1), (0, 0)]) == 1.0
    assert kappa([(1, 1), (1, 0), (0, 1), (0, 0)]) == 0.0


@pytest.mark.parametrize(("column", "value"), [("extraction_ok", "perhaps"), ("missed", "some")])
def test_an_answer_that_is_none_is_named(tmp_path: Path, column: str, value: str) -> None:
    as_csv, _ = write_sheet(draw(spoken(1), 2), tmp_path)
    table = read_sheet(as_csv)
    table[0][column] = value
    as_csv.write_text(to_csv(table), encoding="utf-8")
    with pytest.raises(SheetError, match=f"line 2.*{value}"):
        read_sheet(as_csv)


def test_a_file_that_is_no_sheet(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(SheetError, match="no column"):
        read_sheet(tmp_path / "x.csv")
    (tmp_path / "sheet.html").write_text("<html>\n")
    with pytest.raises(SheetError, match=r"of the form give answers\.csv, which it saves"):
        read_sheet(tmp_path / "sheet.html")
