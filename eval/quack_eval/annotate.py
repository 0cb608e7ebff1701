"""Human validation of extraction and verdicts: draws a stratified sample, writes a sheet, reads it back, scores it.

A sheet has one row for every claim drawn, and one for every utterance of these, which asks how many claims were
missed. It is written as CSV and as one local HTML form that saves the same CSV; both are read back alike.
"""

from __future__ import annotations

import csv
import html
import io
import json
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quack_env import QuackError, Trajectory
from quack_env.events import sentence
from quack_eval.claims.finding import Finding
from quack_eval.claims.sources import Message, messages
from quack_eval.metrics.estimate import wilson

COLUMNS = (
    "row", "kind", "utterance_id", "speaker", "tick", "utterance", "claim", "verdict", "timeline",
    "annotator", "extraction_ok", "verdict_ok", "missed", "note",
)  # fmt: skip
YES = frozenset({"y", "yes", "1", "true", "x", "ok"})
NO = frozenset({"n", "no", "0", "false"})
NO_CLAIM = -1


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


def spoken_in(trajectory: Trajectory, findings: Iterable[Finding]) -> list[Spoken]:
    """The utterances of a game, what was found in them, and what the people concerned did since the last meeting.

    Args:
        trajectory: the recording.
        findings: those of its claims; see `StatementEval`.
    """
    by_event: dict[int, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_event[finding.event].append(finding)
    game = str(trajectory.path or trajectory.header.seed)
    return [
        Spoken(
            f"{game}#{message.event}",
            trajectory.names[message.speaker],
            message.tick,
            message.text,
            tuple(Judged(f.claim.to_dict(), _verdict(f), f.reason) for f in by_event[message.event]),
            tuple(_story(trajectory, message, by_event[message.event])),
        )
        for message in messages(trajectory)
    ]


def _verdict(finding: Finding) -> str:
    """What the annotator is to check: of accusations and defences, the evidence."""
    return finding.verdict if finding.support is None else finding.support


def _story(trajectory: Trajectory, message: Message, findings: Sequence[Finding]) -> Iterator[str]:
    """Lines on the speaker and everybody its claims are about, from the meeting before this one on."""
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
    for event in events[start:]:
        words = sentence(event, names)
        if words and event.kind != "wait" and not people.isdisjoint((event.actor, event.target)):
            saw = ", ".join(names[seat] for seat in event.seen_by or ())
            yield f"tick {event.tick}: {words}" + (f" (seen by {saw})" if saw else "")


# --- drawing ---------------------------------------------------------------------------------------------------------


def draw(spoken: Sequence[Spoken], sample: int, seed: int = 0) -> list[tuple[Spoken, tuple[int, ...]]]:
    """A sample of claims over all types and verdicts, as utterances with the places of the claims drawn.

    The strata are drawn from in turn, the rarest first, so that each has its part however rare it is; utterances in
    which no claim was found are a stratum too, for what was missed. The same seed draws the same sample.
    """
    rng = random.Random(seed)
    strata: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for place, one in enumerate(spoken):
        for number, judged in enumerate(one.claims):
            strata[judged.stratum].append((place, number))
        if not one.claims:
            strata["no claim", ""].append((place, NO_CLAIM))
    queues = [
        rng.sample(members, len(members)) for _, members in sorted(strata.items(), key=lambda s: (len(s[1]), s[0]))
    ]
    drawn: list[tuple[int, int]] = []
    while queues and len(drawn) < sample:
        for queue in queues:
            if queue and len(drawn) < sample:
                drawn.append(queue.pop())
        queues = [queue for queue in queues if queue]
    by_place: dict[int, list[int]] = defaultdict(list)
    for place, number in drawn:
        by_place[place].append(number)
    return [
        (spoken[place], tuple(sorted(number for number in numbers if number != NO_CLAIM)))
        for place, numbers in sorted(by_place.items())
    ]


def describe(claim: Mapping[str, Any]) -> str:
    """A claim in words."""
    who = claim.get("subject") or claim.get("accuser") or claim.get("defender") or "the speaker"
    when = claim.get("time") or claim.get("temporal")
    time = f" ({when})" if when else ""
    no = "not " if claim.get("polarity") == "negative" else ""
    room = claim.get("room") or "some room"
    kind = claim.get("type")
    if kind == "location" and claim.get("route"):
        return f"{who} {no}went {' > '.join(claim['route'])}{time}"
    if kind == "location":
        whose = "'s body" if claim.get("of") == "body" else ""
        return f"{who}{whose} was {no}in {room}{time}"
    if kind == "sighting":
        body = "the body of " if claim.get("of") == "body" else ""
        return f"{who} did {no}see {body}{claim.get('target') or 'anybody'} in {room}{time}"
    if kind == "activity":
        origin = f" from {claim['from']}" if claim.get("from") else ""
        return f"{who} {no}{claim.get('activity')}{origin}, {room}{time}"
    if kind == "accusation":
        return f"{who} accuses {claim.get('target')} ({claim.get('confidence')})"
    return f"{who} defends {claim.get('defended')}"


# --- the sheet -------------------------------------------------------------------------------------------------------


def rows(drawn: Iterable[tuple[Spoken, tuple[int, ...]]], annotator: str = "") -> list[dict[str, str]]:
    """The rows of a sheet, still without answers."""
    found: list[dict[str, str]] = []
    for one, numbers in drawn:
        shared = {
            "utterance_id": one.id,
            "speaker": one.speaker,
            "tick": str(one.tick),
            "utterance": one.utterance,
            "timeline": "\n".join(one.timeline),
            "annotator": annotator,
        }
        for number in numbers:
            judged = one.claims[number]
            verdict = judged.verdict + (f": {judged.reason}" if judged.reason else "")
            row = {"row": f"{one.id}#{number}", "kind": "claim", "claim": describe(judged.claim), "verdict": verdict}
            found.append(dict.fromkeys(COLUMNS, "") | shared | row)
        listed = "\n".join(describe(judged.claim) for judged in one.claims) or "(none)"
        found.append(dict.fromkeys(COLUMNS, "") | shared | {"row": one.id, "kind": "utterance", "claim": listed})
    return found


def write_sheet(
    drawn: Sequence[tuple[Spoken, tuple[int, ...]]], folder: Path, annotator: str = ""
) -> tuple[Path, Path]:
    """Writes `sheet.csv` and `sheet.html` and returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    table = rows(drawn, annotator)
    as_csv, as_html = folder / "sheet.csv", folder / "sheet.html"
    as_csv.write_text(to_csv(table), encoding="utf-8", newline="")
    as_html.write_text(to_html(table), encoding="utf-8")
    return as_csv, as_html


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


_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Annotation</title><style>
body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2530}
article{border:1px solid #cfd6dd;border-radius:6px;padding:1rem;margin:1rem 0}
blockquote{white-space:pre-wrap;margin:.5rem 0;border-left:3px solid #7a8a99;padding-left:.8rem}
table{border-collapse:collapse;width:100%}
td,th{border-top:1px solid #e3e8ec;padding:.35rem;text-align:left;vertical-align:top}
pre{white-space:pre-wrap;font-size:13px;background:#f5f7f9;padding:.5rem}
button{font:inherit;padding:.4rem 1rem}</style></head><body><h1>Annotation</h1>
<p>For each claim: is it in the utterance, read as it stands there, and is its verdict right by the timeline? For each
utterance: how many claims of it are not in the list? Nothing leaves this page; the button saves the answers as CSV.</p>
<p><label>Your name <input id="annotator" value="ANNOTATOR"></label>
<button id="save">Save CSV</button> <span id="left"></span></p>
ARTICLES<script>
const rows=ROWS,columns=COLUMNS;
const cell=v=>/^[=+@\\t\\r]|^-./.test(v)?"'"+v:v;
function answers(){return rows.map((row,i)=>{const out={...row,annotator:document.getElementById("annotator").value};
for(const name of ["extraction_ok","verdict_ok","missed","note"]){
const e=document.querySelector(`[name="${name}-${i}"]:checked,
input[type=text][name="${name}-${i}"],input[type=number][name="${name}-${i}"]`);if(e)out[name]=e.value}return out})}
function left(){const n=answers().filter(r=>r.kind=="claim"?!r.extraction_ok:r.missed==="").length;
document.getElementById("left").textContent=n+" open"}
document.addEventListener("input",left);left();
document.getElementById("save").onclick=()=>{const q=v=>'"'+cell(String(v)).replace(/"/g,'""')+'"';
const text=[columns.join(","),...answers().map(r=>columns.map(c=>q(r[c]??"")).join(","))].join("\\r\\n")+"\\r\\n";
const a=document.createElement("a");
a.href=URL.createObjectURL(new Blob([text],{type:"text/csv"}));a.download="answers.csv";
a.click()};
</script></body></html>"""


def to_html(table: Sequence[Mapping[str, str]]) -> str:
    """Rows as one self-contained form that saves the CSV; it loads nothing and sends nothing."""
    groups: dict[str, list[tuple[int, Mapping[str, str]]]] = defaultdict(list)
    for number, row in enumerate(table):
        groups[row["utterance_id"]].append((number, row))
    articles = "\n".join(_article(members) for members in groups.values())
    data = json.dumps([dict(row) for row in table], ensure_ascii=True).replace("<", "\\u003c")
    name = html.escape(table[0]["annotator"]) if table else ""
    parts = {"COLUMNS": json.dumps(COLUMNS), "ROWS": data, "ARTICLES": articles, "ANNOTATOR": name}
    return re.sub("|".join(parts), lambda match: parts[match.group()], _PAGE)


def _article(members: Sequence[tuple[int, Mapping[str, str]]]) -> str:
    """The part of the form for one utterance."""
    first = members[0][1]
    lines = [
        f"<tr><td>{html.escape(row['claim'])}</td>{_answer(n, row)}</tr>"
        for n, row in members
        if row["kind"] == "claim"
    ]
    asked = next((n for n, row in members if row["kind"] == "utterance"), None)
    missed = (
        ""
        if asked is None
        else f'<p><label>Claims missed <input type="number" min="0" name="missed-{asked}"></label></p>'
    )
    listed = next((row["claim"] for _, row in members if row["kind"] == "utterance"), "")
    return (
        f"<article><h2>{html.escape(first['speaker'])}, tick {html.escape(first['tick'])}</h2>"
        f"<blockquote>{html.escape(first['utterance'])}</blockquote>"
        f"<details><summary>Timeline</summary><pre>{html.escape(first['timeline'])}</pre></details>"
        "<table><tr><th>Claim</th><th>Extracted rightly</th><th>Verdict</th><th>Right</th></tr>"
        f"{''.join(lines)}</table>"
        f"<details><summary>All claims extracted</summary><pre>{html.escape(listed)}</pre></details>{missed}</article>"
    )


def _answer(number: int, row: Mapping[str, str]) -> str:
    def choice(name: str) -> str:
        radios = (
            f'<label><input type="radio" name="{name}-{number}" value="{value}"> {value}</label>'
            for value in ("y", "n")
        )
        return f"<td>{' '.join(radios)}</td>"

    return f"{choice('extraction_ok')}<td>{html.escape(row['verdict'])}</td>{choice('verdict_ok')}"


# --- reading back ----------------------------------------------------------------------------------------------------


ASKED = ("row", "kind", "extraction_ok", "verdict_ok", "missed")
"""The columns that a filled sheet must have."""


class SheetError(QuackError, ValueError):
    """A sheet that cannot be read; names the file and the row."""


def read_sheet(path: Path) -> list[dict[str, str]]:
    """The rows of a filled sheet.

    Raises:
        SheetError: no CSV file in UTF-8, columns are missing, or an answer is neither yes nor no nor a number where one
            is asked.
    """
    if not path.is_file():
        raise SheetError(f"{path}: no such file")
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            missing = [name for name in ASKED if name not in (reader.fieldnames or ())]
            table = [{name: (value or "").strip() for name, value in row.items() if name} for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        raise SheetError(f"{path}: cannot be read as CSV in UTF-8 ({fault})") from None
    if missing:
        raise SheetError(f"{path}: no column {', '.join(missing)}")
    for number, row in enumerate(table, 2):
        for name in ("extraction_ok", "verdict_ok"):
            if row[name] and _yes(row[name]) is None:
                raise SheetError(f"{path}, line {number}: {name} is {row[name]!r}, neither y nor n")
        if row["missed"] and not row["missed"].isdecimal():
            raise SheetError(f"{path}, line {number}: missed is {row['missed']!r}, not a number")
    return table


def _yes(answer: str) -> bool | None:
    word = answer.strip().lower()
    return True if word in YES else False if word in NO else None


@dataclass(frozen=True, slots=True)
class Share:
    """A proportion with its 95 % Wilson interval; None of nothing."""

    hits: int
    of: int

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
        return {"hits": self.hits, "of": self.of, "value": self.value, "interval": self.interval}


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
            "open_utterances": self.open_utterances,
        }


def score(paths: Sequence[Path]) -> Scores:
    """The scores of one or several filled sheets; of two annotators on one row, the first counts and both are compared.

    A sheet without the annotator's name stands for an annotator of its own.

    Recall of an utterance: claims extracted and not found wrong, of those and the missed ones; the sheet lists all
    claims of an utterance, whichever were drawn. Utterances not answered in full are left out of it.
    """
    tables = [(path, read_sheet(path)) for path in paths]
    alike = len({path.stem for path in paths}) < len(paths)
    nameless = {path: os.fspath(path) if alike else path.stem for path in paths}
    named = [(row.get("annotator") or nameless[path], row) for path, table in tables for row in table]
    first: dict[str, dict[str, str]] = {}
    for _, row in named:
        first.setdefault(row["row"], row)
    claims = [row for row in first.values() if row["kind"] == "claim"]
    utterances = [row for row in first.values() if row["kind"] == "utterance"]
    unsure = {row.get("utterance_id") for row in claims if not row["extraction_ok"]}
    answered = [row for row in utterances if row["missed"] and row.get("utterance_id") not in unsure]
    by_verdict: dict[str, list[bool | None]] = defaultdict(list)
    for row in claims:
        by_verdict[row.get("verdict", "").partition(":")[0]].append(_yes(row["verdict_ok"]))
    recalled = [_recalled(row, claims) for row in answered]
    values = [share.value for share in recalled if share.value is not None]
    return Scores(
        extraction=_share(_yes(row["extraction_ok"]) for row in claims),
        verdicts=_share(_yes(row["verdict_ok"]) for row in claims),
        recall=Share(sum(share.hits for share in recalled), sum(share.of for share in recalled)),
        per_utterance=sum(values) / len(values) if values else None,
        by_type={verdict: _share(answers) for verdict, answers in sorted(by_verdict.items())},
        agreement=_agreements(named),
        unanswered=sum(not row["extraction_ok"] for row in claims),
        open_utterances=len(utterances) - len(answered),
    )


def _share(answers: Iterable[bool | None]) -> Share:
    given = [answer for answer in answers if answer is not None]
    return Share(sum(given), len(given))


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
