"""Human validation of extraction and verdicts: draws a stratified sample, writes a sheet, reads it back, scores it.

A sheet has one row for every claim drawn, and one for every utterance of these, which asks how many claims were
missed. It is written as CSV and as one local HTML form that saves the same CSV; both are read back alike. Rare kinds of
claims are drawn more often than frequent ones: the weight of a row says for how many claims (or utterances) of the
games it stands.
"""

from __future__ import annotations

import csv
import io
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quack_env import ConfigError, GameRecord, QuackError
from quack_env.events import sentence
from quack_env.yaml_file import unknown_value
from quack_eval.annotation_form import to_html
from quack_eval.claims.finding import NONE, OWN, SELF, TESTIMONY, VERDICTS, Finding
from quack_eval.claims.sources import Message, messages
from quack_eval.claims.types import Claim
from quack_eval.metrics.estimate import wilson
from quack_eval.out_folder import out_folder
from quack_eval.wording import claim_words

COLUMNS = (
    "row", "kind", "utterance_id", "speaker", "tick", "utterance", "claim", "verdict", "timeline", "weight",
    "annotator", "extraction_ok", "verdict_ok", "missed", "note",
)  # fmt: skip
ANSWERS = ("extraction_ok", "verdict_ok", "missed", "note")
SHEETS = ("sheet.csv", "answers.csv")
"""What is filled in, in a folder of annotation: the sheet, or what its form saves."""
YES = frozenset({"y", "yes", "1", "true", "x", "ok"})
NO = frozenset({"n", "no", "0", "false"})
UNSURE = frozenset({"?", "unsure", "cannot tell"})
ROWS = ("claim", "utterance")
JUDGED = (*VERDICTS, OWN, TESTIMONY, NONE, SELF)
"""What a claim is judged to be; of accusations and defences, what stands behind them."""
NO_CLAIM = -1
Drawn = list[tuple["Spoken", dict[int, float]]]
"""Utterances, each with the places of its claims that were drawn, and their weights."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its verdict, as it is to be checked."""

    claim: Mapping[str, Any]
    verdict: str
    reason: str = ""

    @property
    def stratum(self) -> tuple[str, str]:
        """Type (a route apart) and verdict: what the sample is drawn over."""
        kind = "route" if self.claim.get("route") else str(self.claim.get("type"))
        return kind, self.verdict


@dataclass(frozen=True, slots=True)
class Spoken:
    """An utterance with its claims and the part of the game that bears on them."""

    id: str
    speaker: str
    tick: int
    utterance: str
    claims: tuple[Judged, ...]
    timeline: tuple[str, ...] = ()


def spoken_in(record: GameRecord, findings: Iterable[Finding]) -> list[Spoken]:
    """The utterances of a game, what was found in them, and what the people concerned did since the last meeting.

    Args:
        record: the recording.
        findings: those of its claims; see `StatementEval`.
    """
    by_event: dict[int, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_event[finding.event].append(finding)
    game = str(record.path or record.header.seed)
    return [
        Spoken(
            f"{game}#{message.event}",
            record.names[message.speaker],
            message.tick,
            message.text,
            tuple(Judged(f.claim.to_dict(), _verdict(f), f.reason) for f in by_event[message.event]),
            tuple(_story(record, message, by_event[message.event])),
        )
        for message in messages(record)
    ]


def _verdict(finding: Finding) -> str:
    """What the annotator is to check: of accusations and defences, the evidence."""
    return finding.verdict if finding.support is None else finding.support


def _story(trajectory: GameRecord, message: Message, findings: Sequence[Finding]) -> Iterator[str]:
    """Lines on the speaker and everybody its claims are about, from the meeting before this one (or the start) on."""
    names = trajectory.names
    people = {message.speaker}
    for finding in findings:
        named = (finding.claim.subject, finding.claim.target)
        people |= {names.index(name) for name in named if name in names}
    start = 0
    events = trajectory.events[: message.event]
    calls = [event.index for event in events if event.kind == "meeting_called"]
    if len(calls) > 1:
        start = calls[-2]
    else:
        for seat in sorted(people):
            yield f"tick 0: {names[seat]} began in {trajectory.header.seats[seat].spawn}"
    for event in events[start:]:
        words = sentence(event, names)
        if words and event.kind != "wait" and not people.isdisjoint((event.actor, event.target)):
            saw = ", ".join(names[seat] for seat in event.seen_by or ())
            yield f"tick {event.tick}: {words}" + (f" (seen by {saw})" if saw else "")


# --- drawing ---------------------------------------------------------------------------------------------------------


def draw(spoken: Sequence[Spoken], sample: int, seed: int = 0) -> Drawn:
    """A sample of claims over all types and verdicts, as utterances with the places and weights of the claims drawn.

    The strata are drawn from in turn, the rarest first, so that each has its part however rare it is; utterances in
    which no claim was found are a stratum too, for what was missed. A weight is the stratum's size over how many were
    drawn of it. The same seed draws the same sample.
    """
    rng = random.Random(seed)
    strata: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for place, one in enumerate(spoken):
        for number, judged in enumerate(one.claims):
            strata[judged.stratum].append((place, number))
        if not one.claims:
            strata["no claim", ""].append((place, NO_CLAIM))
    shuffled = [
        rng.sample(members, len(members)) for _, members in sorted(strata.items(), key=lambda s: (len(s[1]), s[0]))
    ]
    shares = _shares([len(members) for members in shuffled], sample)
    by_place: dict[int, dict[int, float]] = defaultdict(dict)
    for members, share in zip(shuffled, shares, strict=True):
        for place, number in members[len(members) - share :]:
            by_place[place][number] = len(members) / share
    return [(spoken[place], dict(sorted(by_place[place].items()))) for place in sorted(by_place)]


def _shares(sizes: Sequence[int], sample: int) -> list[int]:
    """How many are drawn of strata of these sizes, in turn, until there are so many."""
    shares = [0] * len(sizes)
    while sample and shares != list(sizes):
        for stratum, size in enumerate(sizes):
            if shares[stratum] < size and sample:
                shares[stratum] += 1
                sample -= 1
    return shares


# --- the sheet -------------------------------------------------------------------------------------------------------


def rows(drawn: Drawn, annotator: str = "") -> list[dict[str, str]]:
    """The rows of a sheet, still without answers.

    The weight of an utterance is what the drawn claims weigh over how many it has: however many of these were drawn, it
    stands for one utterance on the average.
    """
    found: list[dict[str, str]] = []
    for one, weights in drawn:
        shared = {
            "utterance_id": one.id,
            "speaker": one.speaker,
            "tick": str(one.tick),
            "utterance": one.utterance,
            "timeline": "\n".join(one.timeline),
            "annotator": annotator,
        }
        words = [claim_words(Claim.from_dict(judged.claim), one.speaker) for judged in one.claims]
        for number, weight in weights.items():
            if number == NO_CLAIM:
                continue
            judged = one.claims[number]
            verdict = judged.verdict + (f": {judged.reason}" if judged.reason else "")
            row = {"row": f"{one.id}#{number}", "kind": "claim", "claim": words[number], "verdict": verdict}
            found.append(dict.fromkeys(COLUMNS, "") | shared | row | {"weight": f"{weight:.6g}"})
        row = {"row": one.id, "kind": "utterance", "claim": "\n".join(words) or "(none)"}
        weight = sum(weights.values()) / max(1, len(words))
        found.append(dict.fromkeys(COLUMNS, "") | shared | row | {"weight": f"{weight:.6g}"})
    return found


def write_sheet(drawn: Drawn, folder: Path, annotator: str = "") -> tuple[Path, Path]:
    """Writes `sheet.csv` and `sheet.html` and returns their paths.

    Raises:
        ConfigError: where a sheet that is filled in would be overwritten, or files cannot be written into the folder.
    """
    check_free(folder)
    out_folder(folder)
    table = rows(drawn, annotator)
    as_csv, as_html = folder / "sheet.csv", folder / "sheet.html"
    as_csv.write_text(to_csv(table), encoding="utf-8", newline="")
    as_html.write_text(to_html(table, COLUMNS), encoding="utf-8")
    return as_csv, as_html


def check_free(folder: Path) -> None:
    """Nothing, for a folder whose sheet may be written: neither one there nor what its form saved holds an answer.

    Raises:
        ConfigError: for any other.
    """
    for file in (folder / name for name in SHEETS):
        try:
            filled = file.exists() and any(map(_filled, read_sheet(file)))
        except SheetError:
            filled = True
        if filled:
            raise ConfigError(f"{file}: is filled in, and the sheet would be overwritten; choose another --out")


def _filled(row: Mapping[str, str]) -> bool:
    """Whether a row has anything that an annotator wrote."""
    return any(row.get(name) for name in ANSWERS)


def to_csv(table: Sequence[Mapping[str, str]]) -> str:
    """Rows as CSV; what a spreadsheet would take for a formula is quoted."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    for row in table:
        writer.writerow({name: _harmless(row.get(name, "")) for name in COLUMNS})
    return out.getvalue()


def _harmless(value: str) -> str:
    return "'" + value if value[:1] in ("=", "+", "@", "\t", "\r") or (value[:1] == "-" and len(value) > 1) else value


# --- reading back ----------------------------------------------------------------------------------------------------


ASKED = ("row", "kind", "extraction_ok", "verdict_ok", "missed")
"""The columns that a filled sheet must have."""


class SheetError(QuackError, ValueError):
    """A sheet that cannot be read; names the file and the row."""


def read_sheet(path: Path) -> list[dict[str, str]]:
    """The rows of a filled sheet.

    Raises:
        SheetError: no CSV file in UTF-8, columns are missing, a row is cut off, too long or of no kind that there is,
            or an answer is neither yes nor no nor a number where one is asked.
    """
    if not path.is_file():
        folder = f"a folder; give the filled sheet in it, {' or '.join(SHEETS)}" if path.is_dir() else "no such file"
        raise SheetError(f"{path}: {folder}")
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            missing = [name for name in ASKED if name not in (reader.fieldnames or ())]
            filled = [(reader.line_num, row) for row in reader if any(row.values())]  # the last line of each
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        raise SheetError(f"{path}: cannot be read as CSV in UTF-8 ({fault})") from None
    if missing:
        form = "; of the form give answers.csv, which it saves" if path.suffix == ".html" else ""
        raise SheetError(f"{path}: no column {', '.join(missing)}{form}")
    return [_checked(row, f"{path}, line {number} (row {row['row']})") for number, row in filled]


def _checked(cells: Mapping[str | None, Any], where: str) -> dict[str, str]:
    """The row of these cells; `SheetError` for one that no sheet has, or with an answer that is none."""
    if None in cells:
        raise SheetError(f"{where}: has more cells than there are columns")
    if missing := [name for name, value in cells.items() if value is None and name not in ANSWERS]:
        raise SheetError(f"{where}: ends before {missing[0]}")  # answers left open, a spreadsheet may leave out
    row = {str(name): (value or "").strip() for name, value in cells.items()}
    if row["kind"] not in ROWS:
        raise SheetError(f"{where}: kind {unknown_value(row['kind'], ROWS)}")
    verdict = row.get("verdict", "").partition(":")[0]
    if verdict and verdict not in JUDGED:
        raise SheetError(f"{where}: verdict {unknown_value(verdict, JUDGED)}")
    for name in ("extraction_ok", "verdict_ok"):
        if row[name] and _yes(row[name]) is None and row[name].lower() not in UNSURE:
            raise SheetError(f"{where}: {name} is {row[name]!r}, neither y nor n nor ?")
    if row["missed"] and not row["missed"].isdecimal():
        raise SheetError(f"{where}: missed is {row['missed']!r}, not a whole number from 0")
    if _weight(row) is None and row.get("weight"):
        raise SheetError(f"{where}: weight is {row['weight']!r}, not a number above 0")
    return row


def _weight(row: Mapping[str, str]) -> float | None:
    """For how many claims (or utterances) a row stands; None where the sheet does not say it."""
    try:
        weight = float(row.get("weight") or "")
    except ValueError:
        return None
    return weight if 0 < weight < float("inf") else None


def _yes(answer: str) -> bool | None:
    word = answer.strip().lower()
    return True if word in YES else False if word in NO else None


@dataclass(frozen=True, slots=True)
class Weighted:
    """The share that a sheet makes likely for all claims of the games, each answer counted by its weight.

    ``effective``: Kish's effective number of answers, (sum of weights) squared / sum of squared weights.
    """

    value: float
    effective: float

    @classmethod
    def of(cls, answers: Sequence[tuple[bool, float | None]]) -> Weighted | None:
        """Of answers with their weights; None without any, or where a weight is not known."""
        weights = [weight for _, weight in answers if weight is not None]
        if not weights or len(weights) < len(answers):
            return None
        hits = sum(weight for answer, weight in answers if answer and weight is not None)
        return cls(hits / sum(weights), sum(weights) ** 2 / sum(weight**2 for weight in weights))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % Wilson interval at the effective number; answers in one utterance are taken as independent."""
        return wilson(self.value * self.effective, self.effective)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"value": self.value, "interval": self.interval, "effective": self.effective}


@dataclass(frozen=True, slots=True)
class Share:
    """A proportion of a sheet with its 95 % Wilson interval; None of nothing. ``everywhere``: that of all claims."""

    hits: int
    of: int
    everywhere: Weighted | None = None

    @property
    def value(self) -> float | None:
        """hits / of."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % Wilson interval."""
        return wilson(self.hits, self.of)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        everywhere = self.everywhere and self.everywhere.to_dict()
        found = {"hits": self.hits, "of": self.of, "value": self.value, "interval": self.interval}
        return found | {"all_claims": everywhere}


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two annotators on the rows that both answered: Cohen's kappa, None where chance alone would agree fully."""

    annotators: tuple[str, str]
    rows: int
    agreed: int
    kappa: float | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"annotators": list(self.annotators), "rows": self.rows, "agreed": self.agreed, "kappa": self.kappa}


@dataclass(frozen=True, slots=True)
class Scores:
    """What annotators found: precision of extraction and of verdicts, recall, agreement."""

    extraction: Share
    verdicts: Share
    recall: Share
    per_utterance: float | None
    by_type: dict[str, Share] = field(default_factory=dict)
    agreement: dict[str, Agreement] = field(default_factory=dict)
    unanswered: int = 0
    """Claims."""
    unsure: int = 0
    """Answers that are "cannot tell", which are in no share."""
    open_utterances: int = 0
    """Utterances not answered in full, which are no part of the recall."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "extraction_precision": self.extraction.to_dict(),
            "verdict_precision": self.verdicts.to_dict(),
            "recall": self.recall.to_dict(),
            "recall_per_utterance": self.per_utterance,
            "by_verdict": {name: share.to_dict() for name, share in self.by_type.items()},
            "agreement": {name: found.to_dict() for name, found in self.agreement.items()},
            "unanswered": self.unanswered,
            "unsure": self.unsure,
            "open_utterances": self.open_utterances,
        }


def score(paths: Sequence[Path]) -> Scores:
    """The scores of one or several filled sheets; of two answers to one row, the first counts and both are compared.

    A sheet without the annotator's name stands for an annotator of its own.

    Recall of an utterance: claims extracted and not found wrong, of those and the missed ones; the sheet lists all
    claims of an utterance, and those that were not drawn count as right. Utterances not answered in full are left out
    of it. That of all claims is by weights, and holds only what was answered.

    Raises:
        SheetError: a sheet cannot be read (see `read_sheet`), or an annotator has answered one row twice.
    """
    tables = [(path, read_sheet(path)) for path in paths]
    alike = len({path.stem for path in paths}) < len(paths)
    nameless = {path: os.fspath(path) if alike else path.stem for path in paths}
    named = [(row.get("annotator") or nameless[path], row) for path, table in tables for row in table]
    for (who, name), times in Counter((who, row["row"]) for who, row in named if _filled(row)).items():
        if times > 1:
            raise SheetError(f"row {name} stands {times} times in the answers of {who}; give each once")
    first: dict[str, dict[str, str]] = {}
    for _, row in sorted(named, key=lambda one: not _filled(one[1])):
        first.setdefault(row["row"], row)
    claims = [row for row in first.values() if row["kind"] == "claim"]
    utterances = [row for row in first.values() if row["kind"] == "utterance"]
    unsure = {row.get("utterance_id") for row in claims if _yes(row["extraction_ok"]) is None}
    answered = [row for row in utterances if row["missed"] and row.get("utterance_id") not in unsure]
    by_verdict: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in claims:
        by_verdict[row.get("verdict", "").partition(":")[0]].append(row)
    recalled = [_recalled(row, claims) for row in answered]
    values = [share.value for share in recalled if share.value is not None]
    return Scores(
        extraction=_share(claims, "extraction_ok"),
        verdicts=_share(claims, "verdict_ok"),
        recall=Share(
            sum(share.hits for share in recalled), sum(share.of for share in recalled), _found(answered, claims)
        ),
        per_utterance=sum(values) / len(values) if values else None,
        by_type={verdict: _share(rows, "verdict_ok") for verdict, rows in sorted(by_verdict.items())},
        agreement=_agreements(named),
        unanswered=sum(not row["extraction_ok"] for row in claims),
        unsure=sum(row[name].lower() in UNSURE for row in claims for name in ("extraction_ok", "verdict_ok")),
        open_utterances=len(utterances) - len(answered),
    )


def _share(claims: Iterable[Mapping[str, str]], column: str) -> Share:
    given = [(answer, _weight(row)) for row in claims if (answer := _yes(row[column])) is not None]
    return Share(sum(answer for answer, _ in given), len(given), Weighted.of(given))


def _found(utterances: Sequence[Mapping[str, str]], claims: Sequence[Mapping[str, str]]) -> Weighted | None:
    """The share of all claims made that were extracted: the right ones of those drawn, against the missed ones."""
    within = {row.get("utterance_id") for row in utterances}
    right = [row for row in claims if row.get("utterance_id") in within and _yes(row["extraction_ok"])]
    missed = [(False, _weight(row)) for row in utterances for _ in range(int(row["missed"]))]
    return Weighted.of([(True, _weight(row)) for row in right] + missed)


def _recalled(row: Mapping[str, str], claims: Sequence[Mapping[str, str]]) -> Share:
    """Claims of an utterance that were extracted, of all that it makes."""
    wrong = sum(_yes(c["extraction_ok"]) is False for c in claims if c.get("utterance_id") == row.get("utterance_id"))
    listed = row.get("claim", "")
    extracted = 0 if listed in ("", "(none)") else listed.count("\n") + 1
    right = max(0, extracted - wrong)
    return Share(right, right + int(row["missed"]))


def _agreements(named: Sequence[tuple[str, Mapping[str, str]]]) -> dict[str, Agreement]:
    """Cohen's kappa of the first two annotators, on extraction and on verdicts."""
    annotators = list(dict.fromkeys(who for who, _ in named))
    if len(annotators) < 2:
        return {}
    found = {}
    for column in ("extraction_ok", "verdict_ok"):
        answers: dict[str, dict[str, bool]] = {who: {} for who in annotators[:2]}
        for who, row in named:
            answer = _yes(row[column])
            if who in answers and row["kind"] == "claim" and answer is not None:
                answers[who][row["row"]] = answer
        one, two = (answers[who] for who in annotators[:2])
        both = sorted(one.keys() & two.keys())
        pairs = [(one[row], two[row]) for row in both]
        found[column] = Agreement(
            (annotators[0], annotators[1]), len(pairs), sum(a == b for a, b in pairs), kappa(pairs)
        )
    return found


def kappa(pairs: Sequence[tuple[object, object]]) -> float | None:
    """Cohen's kappa; None without pairs, or where both gave one and the same answer throughout."""
    if not pairs:
        return None
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    ones, twos = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(ones[answer] * twos[answer] for answer in ones) / (n * n)
    return None if expected == 1 else (observed - expected) / (1 - expected)
