"""Ways given as lists of rooms: by arrows, or after "my route was"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quack_eval.claims.grammar.account import TOWARD, Account
from quack_eval.claims.grammar.chunks import Group
from quack_eval.claims.grammar.clauses import Clause, Sentence
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import ROUTE_NOUNS

_GLUE = frozenset(
    [
        "then",
        "to",
        "into",
        "and",
        "back",
        "up",
        "down",
        "over",
        "finally",
        "through",
        "the",
        "after",
        "that",
        "ended",
        "ending",
        "in",
        "at",
        "a",
        "quick",
        "check",
        "straight",
        "across",
        "on",
        "around",
        "again",
        "north",
        "south",
        "east",
        "west",
        "area",
        "for",
        "of",
        "before",
        "lastly",
        "side",
        "out",
        "toward",
        "towards",
        "which",
        "was",
        "now",
        "or",
        "headed",
        "heading",
        "moved",
        "went",
        "moving",
        "going",
        "early",
        "late",
        "mid",
        "by",
        "via",
        "from",
        "started",
        "starting",
        "start",
        "first",
        "next",
        "right",
        "just",
        "all",
        "way",
        "also",
        "directly",
        "eventually",
        "last",
        "where",
        "currently",
        "later",
        "on",
        "came",
        "coming",
        "i",
        "returned",
        "returning",
        "past",
        "left",
        "briefly",
    ]
)
_GOES = frozenset({"went", "moved", "walked", "go", "goes", "traveled"})
_LISTING = frozenset({":", "—", "(", "claims", "claimed", "claim", "was", "says", "said"})
"""What stands right before a list of rooms that "then" makes a way."""
_WENT = frozenset({"went", "headed", "moved", "came", "returned", "ended", "then", "finally", "passed"})


def routes(account: Account) -> None:
    """Adds the routes of a sentence, and marks the verb groups that they use up."""
    sentence = account.sentence
    for first, last, rooms in _runs(sentence):
        clause = _clause_at(sentence, first)
        owner = _owner(account, clause, first)
        wanted = clause is not None and clause.group.lemma in ("hear", "need", "want", "know", "like", "explain")
        supposed = wanted or (
            clause is not None
            and (clause.link in ("if", "unless") or (clause.maybe and _named(sentence, first) is None))
        )
        if supposed:
            continue
        if _geography(sentence, first, last):
            _spend(sentence, first, last)
            continue
        if owner is None:
            continue
        moves = clause is not None and clause.group.kind in ("move", "enter", "leave", "is", "be")
        negative = clause is not None and clause.negative and moves
        _mark(account, first, last)
        if len(rooms) == 2 and first and sentence.tokens[first - 1].text == "from":
            for who in owner:
                account.activity(clause or _nothing(sentence), who, "traveling", rooms[1], rooms[0], negative)
            _spend(sentence, first, last)
            continue
        rooms = _after_start(account, clause, owner) + rooms
        if clause is None:
            clause = sentence.clauses[0] if sentence.clauses else _nothing(sentence)
        rooms += _last_stop(account, clause, owner, last)
        if negative and any(token.text == "or" for token in sentence.tokens[first:last]):
            for who in owner:
                for room in rooms:
                    account.location(clause, who, room, True)
            _spend(sentence, first, last)
            continue
        for who in owner:
            if who != account.discourse.speaker and not account.source:
                account.source = who
                account.route(clause, who, rooms, negative)
                account.source = ""
            else:
                account.route(clause, who, rooms, negative)
        _stands_at_end(account, clause, owner, last, rooms[-1])
        _spend(sentence, first, last)


def _stands_at_end(account: Account, clause: Clause, owner: tuple[str, ...], last: int, room: str) -> None:
    """The last room of a way has its own claim where an event dates it: "... and finally R, where the report came"."""
    tokens = account.sentence.tokens
    words = [token.text for token in tokens[last + 1 : last + 8]]
    words = words[1:] if words[:1] in ([","], ["("]) else words
    if words[:1] in (["where"], ["when"]) and {"meeting", "report", "reported", "called", "am", "'m", "now"} & set(
        words
    ):
        for who in owner if not clause.negative else ():
            account.location(clause, who, room)


def _last_stop(account: Account, clause: Clause, owner: tuple[str, ...], last: int) -> list[str]:
    """The room of "A -> B, and then I went to C": it ends the way."""
    after = next((c for c in account.sentence.clauses if c.group.first > last), None)
    if after is None or after.subject != owner or after.group.kind not in ("move", "enter") or after.negative:
        return []
    between = account.sentence.tokens[last + 1 : after.group.first]
    words = [token.text for token in between if token.text not in (",", "i", "and")]
    to = [place.room for place in after.places if place.preposition not in ("from", "toward", "towards")]
    if words != ["then"] or len(to) != 1 or not to[0] or after.maybe:
        return []
    after.places = []
    return to


def _geography(sentence: Sentence, first: int, last: int) -> bool:
    """Whether a way is spoken of as such: "A -> B is two ticks"."""
    tokens = sentence.tokens
    if _named(sentence, first):
        return False
    after = tokens[last + 1].text if last + 1 < len(tokens) else ""
    return after in ("is", "are", "takes", "would", "connects", "connect", "corridor", "distance", "path", "trip")


def _after_start(account: Account, clause: Clause | None, owner: tuple[str, ...]) -> list[str]:
    """The room of "I started in R, then went A -> B": it belongs to the way."""
    before = clause.before if clause is not None else None
    if (
        clause is None
        or before is None
        or clause.link not in ("then", "and", ",")
        or before.group.lemma not in ("start", "begin", "spawn")
    ):
        return []
    if before.subject != owner or len(before.places) != 1 or before.times or before.beside:
        return []
    room = before.places[0].room
    before.places = []
    return [room] if room else []


def _nothing(sentence: Sentence) -> Clause:
    """The clause of a sentence without a verb, with its times."""
    clause = Clause(Group(0, 0, "is", "be", "finite"))
    clause.times = [token for token in sentence.tokens if token.kind == "time"]
    return clause


def _runs(sentence: Sentence) -> Iterator[tuple[int, int, list[str]]]:
    """(first token, last token, rooms) of every list of rooms that gives a way."""
    tokens = sentence.tokens
    at = 0
    while at < len(tokens):
        if tokens[at].kind != "room":
            at += 1
            continue
        stop, rooms, arrows = _extend(sentence, at)
        listed = len(rooms) > 1 and _announced(sentence, at) and not _of_no_one(sentence, at)
        if arrows or listed:
            yield at, stop, rooms
        at = stop + 1


def _of_no_one(sentence: Sentence, at: int) -> bool:
    """Whether the path spoken of is nobody's: "there is no direct path from A to B"."""
    tokens = sentence.tokens
    for p in range(at - 1, max(-1, at - 8), -1):
        if tokens[p].text in ("path", "corridor", "way"):
            return any(t.text in ("no", "direct", "a", "the", "only") for t in tokens[max(0, p - 3) : p])
    return False


def _extend(sentence: Sentence, at: int) -> tuple[int, list[str], bool]:
    """How far a list of rooms goes from its first room."""
    tokens = sentence.tokens
    rooms = [tokens[at].value]
    last, arrows, p, depth, slashes = at, False, at + 1, 0, 0
    goes = at > 0 and tokens[at - 1].text in _GOES | TOWARD
    announced = _announced(sentence, at)
    arrow = at > 0 and tokens[at - 1].text in _LISTING and _then_room(tokens, at)
    while p < len(tokens):
        token = tokens[p]
        if token.text == "(":
            depth += 1
        elif token.text == ")" and depth:
            depth -= 1
        elif depth and (arrows or not (token.kind == "room" and announced)):
            pass
        elif token.kind == "room":
            if not announced and not arrow and tokens[p - 1].text != "/":
                break
            rooms.append(token.value)
            slashes += tokens[p - 1].text == "/"
            arrows, last, arrow = arrows or arrow or (slashes > 1 and goes), p, _then_room(tokens, p)
        elif token.kind == "arrow":
            arrow = True
        elif token.kind == "time" or (
            token.text in (",", "/", ")") and (announced or arrows or arrow or token.text == "/")
        ):
            pass
        elif token.kind == "word" and token.text in _GLUE and (arrow or announced or arrows):
            if token.text == "i" and (arrows or p + 1 >= len(tokens) or tokens[p + 1].text not in _WENT):
                break
        else:
            break
        p += 1
    return last, rooms, arrows


def _then_room(tokens: Sequence[Token], p: int) -> bool:
    """Whether "then" and another room follow without a verb: "A, then back to B"."""
    p += 1
    p += p < len(tokens) and tokens[p].text in (",", "and")
    p += p < len(tokens) and tokens[p].text == "and"
    if p >= len(tokens) or tokens[p].text != "then":
        return False
    p += 1
    while p < len(tokens) and tokens[p].text in (
        "back",
        "to",
        "toward",
        "towards",
        "into",
        "through",
        "up",
        "down",
        "over",
        "the",
    ):
        p += 1
    return p < len(tokens) and tokens[p].kind == "room"


def _announced(sentence: Sentence, at: int) -> bool:
    """Whether "route" or "path" stands before the room, with nothing between but what leads to a list."""
    tokens = sentence.tokens
    if any(token.text == "order" for token in tokens):
        return True
    if at and tokens[at - 1].text in _GOES and at + 2 < len(tokens) and tokens[at + 1].text in (",", "then", "after"):
        return True
    p = at - 1
    steps = 0
    while p >= 0 and steps < (25 if tokens[at - 1].text == ":" else 12):
        word = tokens[p].text
        if (
            word in ROUTE_NOUNS
            and (word != "round" or (p and tokens[p - 1].text in ("whole", "entire")))
            and (word != "way" or (p and tokens[p - 1].text == "my"))
        ):
            return True
        if (
            p in sentence.by_token
            and not sentence.by_token[p].owner
            and sentence.by_token[p].who != sentence_voice(sentence)
        ):
            return False
        if tokens[p].kind not in ("word", "time") and word not in (":", ",", "-", "—"):
            return False
        if word in ("when", "where", "because", "if", "saw", "but", "puts", "put", "that", "intersects", "crosses"):
            return False
        p -= 1
        steps += 1
    return False


def sentence_voice(sentence: Sentence) -> tuple[str, ...]:
    """Who "I" is in a sentence, if it says "I"."""
    return next((phrase.who for phrase in sentence.people if phrase.pronoun == "i"), ())


def _clause_at(sentence: Sentence, at: int) -> Clause | None:
    """The clause to which a token belongs."""
    found = None
    for clause in sentence.clauses:
        if clause.first <= at or clause.group.first <= at:
            found = clause
    return found


def _named(sentence: Sentence, at: int) -> tuple[str, ...] | None:
    """Whose route it is by "X's route" before it; None where no route is named so."""
    tokens = sentence.tokens
    for noun in range(at - 1, max(-1, at - 13), -1):
        if tokens[noun].text in ROUTE_NOUNS:
            owners = [p for p in sentence.people if p.owner and p.last < noun and noun - p.last < 5]
            if owners and not (owners[-1].first and tokens[owners[-1].first - 1].text == "from"):
                return owners[-1].who
    return None


def _owner(account: Account, clause: Clause | None, at: int) -> tuple[str, ...] | None:
    """Whose way it is."""
    sentence = account.sentence
    named = _named(sentence, at)
    if named is not None:
        return named or None
    if clause is not None and clause.noun == "route" and not clause.owner:
        return None
    if clause is not None and clause.group.first < at and clause.subject:
        return clause.subject
    if clause is not None and clause.owner:
        return clause.owner
    before = [phrase for phrase in sentence.people if phrase.last < at and not phrase.called]
    if before:
        return before[-1].who or None
    return (account.discourse.voice,) if account.discourse.voice else None


def _mark(account: Account, first: int, last: int) -> None:
    """Verbs inside the list tell nothing more."""
    for clause in account.sentence.clauses:
        if first < clause.group.first <= last:
            account.routed.add(clause.group.first)
            clause.maybe |= clause.group.kind != "see" or clause.link != "where"
        elif any(first <= place.at <= last for place in clause.places):
            account.routed.add(clause.group.first)


def _spend(sentence: Sentence, first: int, last: int) -> None:
    """Takes the rooms of a route away from the clauses: each is told once."""
    for clause in sentence.clauses:
        clause.places = [place for place in clause.places if not first <= place.at <= last]
        clause.fronted = [place for place in clause.fronted if not first <= place.at <= last]
