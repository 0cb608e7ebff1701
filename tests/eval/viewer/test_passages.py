"""Where a claim stands in an utterance."""

from __future__ import annotations

import pytest

from quack_eval.claims.types import Claim
from quack_eval.viewer.passages import passage, pieces

TEXT = "I started in cafeteria. At tick 5 I saw Bob in medbay, then I went to storage. It must be Eve!"


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (Claim("location", "Ann", "cafeteria"), "I started in cafeteria."),
        (Claim("sighting", "Ann", "medbay", target="Bob", time="At tick 5"), "At tick 5 I saw Bob in medbay"),
        (Claim("location", "Ann", "storage"), "I went to storage."),
        (Claim("accusation", "Ann", target="Eve"), "It must be Eve!"),
        (Claim("location", "Ann", "upper_engine", time="never"), TEXT),
    ],
)
def test_a_claim_stands_in_the_clause_that_shares_its_words(claim: Claim, words: str) -> None:
    first, last = passage(TEXT, claim)
    assert TEXT[first:last] == words


def test_room_names_are_found_with_blanks_for_underscores_and_not_within_words() -> None:
    text = "The Upper Engine was empty. I like storagehouses."
    assert passage(text, Claim("location", "Ann", "upper_engine")) == (0, 27)
    assert passage(text, Claim("location", "Ann", "storage")) == (0, len(text))


@pytest.mark.parametrize("text", ["", "   ", "...", "\n\n", "no claim here", "\u202eabc\u2028def", TEXT, TEXT * 50])
def test_the_pieces_are_the_utterance(text: str) -> None:
    claims = [(7, Claim("sighting", "Ann", "medbay", target="Bob")), (8, Claim("location", "Ann", "storage"))]
    found = pieces(text, claims)
    assert "".join(piece.text for piece in found) == text
    if text.strip():
        assert {number for piece in found for number in piece.claims} == {7, 8}


def test_overlapping_passages_share_a_piece() -> None:
    claims = [(0, Claim("sighting", "Ann", "medbay", target="Bob")), (1, Claim("location", "Ann", "medbay"))]
    assert (0, 1) in [piece.claims for piece in pieces("I was in medbay with Bob.", claims)]
