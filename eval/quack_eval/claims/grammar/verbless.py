"""Lists and labels without verbs, completed: "Eve: medbay" is "Eve was ...", "my encounters: Bob in nav" is "I saw"."""

from __future__ import annotations

from collections.abc import Sequence

from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import ADVERBS, DETERMINERS, EITHER, FINITE, GERUND, VERBS
from quack_eval.claims.grammar.words import kind_at, skip, text_at, texts

_JOINS = frozenset({"and", "&", "+", "/", ","})
_ENCOUNTERS = frozenset({"encounters", "sightings", "encountered", "encounter", "confirmations"})
_IN = frozenset({"in", "at", "inside", "near", "around"})
_STOPS = frozenset({",", ";", "—", "and"})
_BESIDE_ROOM = _IN | DETERMINERS | ADVERBS | {"early", "late", "alive", "from", "start"}

ADDED = "added"
"""The value of a verb that is not in the utterance."""
_BREAKS = frozenset({",", "—", ";", "(", ":", "-"})
_NOBODY = frozenset({"one", "body", "bodies", "players", "encounters", "other"})


def denying(tokens: list[Token]) -> list[Token]:
    """The tokens with "I saw" before what is denied without a verb: "in R, [I saw] no Bob and [saw] no body"."""
    found: list[Token] = []
    listed = False
    for p, token in enumerate(tokens):
        before = _before(found)
        opens, goes_on = before in _BREAKS, listed and before in ("and", "or")
        begins = found or _named_nobody(tokens)
        if begins and (opens or goes_on) and token.text in ("no", "nobody") and _is_denied(tokens, p):
            own = [] if goes_on or any(_says(other) for other in found) else ["i"]
            found += [Token("word", word, token.start, token.start, ADDED) for word in (*own, "saw")]
            listed = True
        elif token.text in (";", "but", "because", "so"):
            listed = False
        elif token.text == "encounters" and before == "no" and listed:
            token = Token("word", "one", token.start, token.end)
        found.append(token)
        if opens and token.kind == "room" and _is_empty(tokens, p + 1):
            found.append(Token("word", "was", token.end, token.end, ADDED))
    return found


def _before(found: Sequence[Token]) -> str:
    """What stands before a denial, but for adverbs: "—" of "— and definitely no body", "," at the beginning."""
    p = len(found) - 1
    while p >= 0 and found[p].text in ADVERBS:
        p -= 1
    return found[p].text if p >= 0 else ","


def _named_nobody(tokens: Sequence[Token]) -> bool:
    """Whether a sentence begins with "no body", "nobody in R": not with "No Bob", which often quotes."""
    return len(tokens) > 1 and tokens[1].kind != "name"


def _is_empty(tokens: Sequence[Token], p: int) -> bool:
    """Whether "empty" follows a room without a verb: "medbay was empty, [storage] completely empty"."""
    p = skip(tokens, p)
    return text_at(tokens, p) == "empty"


def _says(token: Token) -> bool:
    verb = VERBS.get(token.text)
    return verb is not None and verb.kind == "say"


def _is_denied(tokens: Sequence[Token], p: int) -> bool:
    """Whether "no Bob", "no body", "no one in R" stands here as a clause of its own, without a verb."""
    last = p + (tokens[p].text == "no")
    if last >= len(tokens) or not (
        tokens[p].text == "nobody" or tokens[last].kind == "name" or tokens[last].text in _NOBODY
    ):
        return False
    while text_at(tokens, last + 1) in (
        "one",
        "else",
        "players",
        "player",
        "at",
        "all",
        "there",
    ):
        last += 1
    after = tokens[last + 1] if last + 1 < len(tokens) else None
    if after is None or after.kind in ("mark", "time", "room"):
        return tokens[last].text not in ("one", "nobody")  # "well, no one."
    verb = VERBS.get(after.text)
    passes = verb is not None and verb.form == GERUND and verb.kind == "move"
    return after.text in _IN | {"with", "when", "and", "or", "until", "yet", "nearby", "around", "on"} or passes


def completed(tokens: list[Token], discourse: Discourse) -> list[Token]:
    """The tokens of a sentence, with the verb that a list or a label leaves out."""
    heading = _heading(tokens)
    begin = heading + 1 if heading else int(bool(tokens) and tokens[0].text in ("-", "—"))
    if heading:
        discourse.listing = "my" in [token.text for token in tokens[:heading]]
        if begin == len(tokens):
            return tokens  # "My encounters:", and below it the list
    last = _names(tokens, begin)
    if last and _acts_after(tokens, last):
        return [*tokens[begin:last], *tokens[last + 1 :]]
    if not last or not _placed(tokens, last):
        discourse.listing &= bool(tokens) and tokens[0].text in ("-", "—")
        return _seen(tokens, begin) if discourse.listing and last and _moves(tokens, last) else tokens
    found = tokens[:begin]
    while last:
        label = tokens[last].text in (":", "—")
        verb = tokens[last - 1 + label]
        if discourse.listing:
            found += [Token("word", word, verb.start, verb.end) for word in ("i", "saw")] + tokens[begin:last]
        else:
            found += [*tokens[begin:last], Token("word", "was", verb.start, verb.end)]
        named = tokens[begin:last]
        begin = next((p for p in range(last + 1, len(tokens)) if _names(tokens, p)), len(tokens))
        found += _acting(tokens[last + label : begin], named) if discourse.listing else tokens[last + label : begin]
        last = _names(tokens, begin)
        last = last if last and text_at(tokens, begin - 1) in _STOPS and _placed(tokens, last) else 0
    return found + tokens[begin:]


def _acting(tokens: list[Token], named: list[Token]) -> list[Token]:
    """The rest of "I saw Eve in R at 5, left toward S" with the name that its verb leaves out."""
    at = next((p for p in range(1, len(tokens)) if text_at(tokens, p - 1) == "," and _acts(tokens, p)), len(tokens))
    return tokens[:at] + (named if at < len(tokens) else []) + tokens[at:]


def _moves(tokens: Sequence[Token], p: int) -> bool:
    """Whether a gerund follows: "Eve entering R from Q"."""
    verb = VERBS.get(tokens[p].text) if p < len(tokens) else None
    return verb is not None and verb.form == GERUND


def _seen(tokens: list[Token], p: int) -> list[Token]:
    """The tokens with "I saw" before one of them."""
    at = tokens[p]
    return [*tokens[:p], *(Token("word", word, at.start, at.end) for word in ("i", "saw")), *tokens[p:]]


def _heading(tokens: Sequence[Token]) -> int:
    """Where the colon of "My encounters this round:" stands, 0 where the sentence has no such heading."""
    for p, token in enumerate(tokens[:8]):
        if token.text == ":":
            return p if _ENCOUNTERS & {before.text for before in tokens[:p]} else 0
    return 0


def _names(tokens: Sequence[Token], p: int) -> int:
    """Where a list of players that begins here ends, 0 where none does."""
    end = 0
    while kind_at(tokens, p) == "name":
        end = p = p + 1
        p = skip(tokens, p, _JOINS)
    return end


def _placed(tokens: Sequence[Token], p: int) -> bool:
    """Whether a room follows without a verb: after a colon, or after "in"."""
    label = text_at(tokens, p) in (":", "—")
    p += label
    led = False
    while p < len(tokens) and (tokens[p].kind == "time" or tokens[p].text in _BESIDE_ROOM):
        led |= tokens[p].text in _IN
        p += 1
    return kind_at(tokens, p) == "room" and (led or label) and not _acts(tokens, p + 1)


def _acts(tokens: Sequence[Token], p: int) -> bool:
    """Whether a finite verb comes, so that what stands before is its subject: "Bob in R makes sense"."""
    verb = VERBS.get(tokens[p].text) if p < len(tokens) else None
    return verb is not None and verb.form in (FINITE, EITHER)


def _acts_after(tokens: Sequence[Token], p: int) -> bool:
    """Whether a label is the subject of the verb after it: "Eve: was in R", "Eve: by her own account was in R"."""
    if p >= len(tokens) or tokens[p].text != ":":
        return False
    words = texts(tokens, p + 1, p + 5)
    p += 5 if words[:1] == ["by"] and words[2:3] == ["own"] else 1
    return _acts(tokens, p) and p + 1 < len(tokens) and text_at(tokens, p + 1) not in ("you", "i", "we", "that")
