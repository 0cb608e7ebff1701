"""Claims in plain words."""

from __future__ import annotations

from typing import Any

import pytest

from quack_eval import Claim
from quack_eval.metrics.tables import one_line
from quack_eval.wording import claim_words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"type": "location", "room": "medbay", "time": "at tick 3"}, "Eve was in medbay (at tick 3)"),
        ({"type": "location", "room": "medbay", "polarity": "negative"}, "Eve was not in medbay"),
        ({"type": "location", "subject": "Bob", "of": "body", "room": "medbay"}, "the body of Bob was in medbay"),
        ({"type": "location", "route": ["medbay", "storage"]}, "Eve went medbay → storage"),
        ({"type": "sighting", "target": "Bob", "room": "medbay"}, "Eve saw Bob in medbay"),
        ({"type": "sighting", "target": "Bob", "polarity": "negative"}, "Eve did not see Bob"),
        ({"type": "sighting", "target": "nobody", "room": "medbay"}, "Eve saw nobody in medbay"),
        ({"type": "sighting", "target": "Bob", "of": "body"}, "Eve saw the body of Bob"),
        ({"type": "activity", "activity": "traveling", "room": "medbay"}, "Eve went to medbay"),
        ({"type": "activity", "activity": "traveling", "from": "oxygen"}, "Eve went from oxygen"),
        ({"type": "activity", "activity": "traveling", "polarity": "negative"}, "Eve did not go anywhere"),
        ({"type": "activity", "activity": "task", "room": "medbay"}, "Eve did a task in medbay"),
        ({"type": "activity", "activity": "task", "polarity": "negative"}, "Eve did no task"),
        ({"type": "activity", "activity": "waiting", "room": "medbay"}, "Eve was waiting in medbay"),
        ({"type": "activity", "activity": "sabotage"}, "Eve did sabotage"),
        ({"type": "accusation", "accuser": "Bob", "target": "Alice", "confidence": "weak"}, "Bob accuses Alice (weak)"),
        ({"type": "defense", "defended": "Alice"}, "Eve defends Alice"),
    ],
)
def test_a_claim_is_a_sentence(fields: dict[str, Any], words: str) -> None:
    assert claim_words(Claim.from_dict(fields), "Eve") == words


@pytest.mark.parametrize(
    ("heading", "line"),
    [("self-\nrep. %", "self-rep. %"), ("kills/\nduck", "kills/duck"), ("ejec-\ntions", "ejections"), ("a\nb", "a b")],
)
def test_a_heading_in_one_line_has_the_hyphens_of_its_words_and_no_others(heading: str, line: str) -> None:
    assert one_line(heading) == line
