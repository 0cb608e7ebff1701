"""Ways given as lists of rooms: by arrows, or after "my route was"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from quack_eval.claims.grammar.account import FROM, TOWARD, Account, Step
from quack_eval.claims.grammar.asides import led_on_to
from quack_eval.claims.grammar.chunks import MAYBE, Group, Persons
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import GERUND, MODALS, ROUTE_NOUNS, TIME_LINKS, word_set
from quack_eval.claims.grammar.parts import Clause, Place, Sentence

_GLUE = word_set(
    "then to into and back up down over finally through the after that ended ending in at a quick check"
    " straight across on around again north south east west area for of before lastly side out toward towards"
    " which was now or headed heading moved went moving going early late mid by via from started starting start"
    " first next right just all way also directly eventually last where currently later came coming i returned"
    " returning past left briefly"
)
_GOES = frozenset({"went", "moved", "walked", "go", "goes", "traveled"})
_LISTING = frozenset({":", "—", "(", "claims", "claimed", "claim", "was", "says", "said"})
"""What stands right before a list of rooms that "then" makes a way."""
_EVENTS = frozenset({"meeting", "report", "reported", "called", "button", "am", "'m", "now"})
"""What dates the last room of a way: "where I hit the button"."""
_BEGIN_ASIDE = frozenset({"where", "when", "which", "i", "saw", "met", "and"})
"""With what an aside in parentheses begins: "A (where I saw Bob come from C), then B"."""
_GOING_ON = frozenset({",", ")", "i", "and", "then", "before", "finally", "eventually", "just", "you", "he", "she"})
"""What may stand between a list of rooms and a verb that goes on with the way."""
_TO_ASIDE = frozenset({"where", "(", ",", "also", "actually", "briefly", "and"})
"""What may stand between a stop and who met whom there."""
_WENT = frozenset({"went", "headed", "moved", "came", "returned", "ended", "then", "finally", "passed"})


_MAPPED = word_set("is are takes would connects connect corridor distance path trip access could might")
"""What stands after two rooms of which only the map is spoken: "A -> B takes two ticks"."""


def routes(account: Account) -> None:
    """Adds the routes of a sentence, and marks the verb groups that they use up."""
    sentence = account.sentence
    for first, last, rooms in _runs(sentence):
        clause = _clause_at(sentence, first)
        owner = _owner(account, clause, first)
        wanted = clause is not None and clause.group.lemma in ("hear", "need", "want", "know", "like", "explain")
        supposed = clause is not None and (
            clause.link in ("if", "unless") or (clause.maybe and _named(sentence, first) is None)
        )
        if wanted or (supposed and not _as_claimed(account, clause, owner, first, rooms)):
            continue
        if _geography(sentence, first, last) or _would_be(clause):
            _spend(sentence, first, last, rooms)
            continue
        if owner is None:
            continue
        moves = clause is not None and clause.group.kind in ("move", "enter", "leave", "is", "be")
        negative = clause is not None and clause.negative and moves and clause.group.last < first
        _mark(account, first, last)
        if len(rooms) == 2 and first and sentence.tokens[first - 1].text == "from":
            for who in owner:
                account.activity(clause or _nothing(sentence), who, "traveling", rooms[1], rooms[0], negative)
            _spend(sentence, first, last, rooms)
            continue
        if last == first + 2 and sentence.tokens[first + 1].text == "/":  # "my route was A/B": in no order
            for who, room in product(owner, rooms):
                account.location(clause or _nothing(sentence), who, room, negative)
            _spend(sentence, first, last, rooms)
            continue
        rooms = _set_out_from(account, clause, owner) + _to_via(sentence, first, last, rooms)
        if clause is None:
            clause = sentence.clauses[0] if sentence.clauses else _nothing(sentence)
        more, end = _last_stops(account, owner, last)
        rooms += more
        if negative and any(token.text == "or" for token in sentence.tokens[first:last]):  # "my route was not A or B"
            for who in owner:
                for room in rooms:
                    account.location(clause, who, room, True)
            _spend(sentence, first, last, rooms)
            continue
        for who in owner:
            if who != account.discourse.speaker and not account.source and _claimed(account, clause, who, first):
                account.source = who
                account.route(clause, who, rooms, negative)
                account.source = ""
            else:
                account.route(clause, who, rooms, negative)
        if moves and not negative and not _of_noun(sentence, clause, first):
            account.steps.append(Step(clause, owner, tuple(rooms)))  # "I came A -> B and then left toward C"
        _stands_at_end(account, clause, owner, end, rooms[-1])
        _met_on_the_way(account, owner, first, last)
        _spend(sentence, first, last, rooms)


def _as_claimed(
    account: Account, clause: Clause | None, owner: tuple[str, ...] | None, first: int, rooms: list[str]
) -> bool:
    """Whether a condition repeats a way that somebody claimed: "if Bob's route was A -> B -> C"."""
    if clause is None or clause.link != "if" or not owner or account.discourse.speaker in owner or len(rooms) < 3:
        return False
    words = {token.text for token in account.sentence.tokens[max(0, clause.group.first - 3) : first]}
    claimed = _named(account.sentence, first) is not None or words & {"really", "actually", "truly"}
    return bool(claimed or clause.group.lemma == "come") and not words & (MODALS | {"had"})


def _would_be(clause: Clause | None) -> bool:
    """Whether a way is only thought of: "my route would have to be A -> B"."""
    said = [clause.above, clause] if clause is not None else []
    return any(part is not None and part.noun == "route" and part.group.mood == MAYBE for part in said)


def _stands_at_end(account: Account, clause: Clause, owner: tuple[str, ...], last: int, room: str) -> None:
    """The last room of a way has its own claim where an event dates it: "... and finally R, where the report came"."""
    tokens = account.sentence.tokens
    words = [token.text for token in tokens[last + 1 : last + 8]]
    while words and words[0] in (",", "(", "right", "just"):
        del words[0]
    dated = words[:1] in (["where"], ["when"], ["as"]) and bool(_EVENTS & set(words))
    if dated or (words and {"meeting", "report"} & set(words[0].split())):
        for who in owner if not clause.negative else ():
            account.location(clause, who, room)


def _met_on_the_way(account: Account, owner: tuple[str, ...], first: int, last: int) -> None:
    """Stops where somebody was met have their own claim: "A (where Bob saw me) -> B, where I saw Eve"."""
    tokens, by_token = account.sentence.tokens, account.sentence.by_token
    for clause in account.sentence.clauses:
        if clause.link != "where" or clause.group.kind != "see" or clause.negative or clause.maybe:
            continue
        at = next((p for p in range(clause.group.first, -1, -1) if tokens[p].kind == "room"), -1)
        between = {tokens[p].text for p in range(at + 1, clause.group.first) if p not in by_token}
        if not first <= at <= last or between - _TO_ASIDE:
            continue
        met = {*(clause.subject or ()), *clause.objects_of(account.sentence)}
        for who in owner if len(met) > 1 else ():
            if who in met:
                account.location(clause, who, tokens[at].value)


def _last_stops(account: Account, owner: tuple[str, ...], last: int) -> tuple[list[str], int]:
    """The rooms of "A -> B, and then I went to C before ending in D", which end the way, and where the last stands."""
    rooms: list[str] = []
    for clause in account.sentence.clauses:
        if clause.group.first <= last:
            continue
        if _where_aside(clause):
            continue
        room = _next_stop(account.sentence, clause, owner, last)
        if room is None:
            break
        rooms.append(room)
        last = clause.places[0].at
        if not _has_event(account, clause):
            clause.places = []
    return rooms, last


def _next_stop(sentence: Sentence, clause: Clause, owner: tuple[str, ...], last: int) -> str | None:
    """The room to which a clause goes on right after token ``last``: "and I ended in D", "before reaching D"."""
    goes = clause.group.kind in ("move", "enter") or clause.group.lemma in ("end", "finish")
    if clause.subject != owner or not goes or clause.negative or clause.maybe or clause.small:
        return None
    between = [token.text for token in sentence.tokens[_after_asides(sentence, clause, last) : clause.group.first]]
    joined = {"then", "before"} & set(between) or (between and clause.group.lemma in ("end", "finish"))
    if not joined or not set(between) <= _GOING_ON or ("before" in between and clause.group.form != GERUND):
        return None
    places = clause.places
    return places[0].room if len(places) == 1 and places[0].preposition not in FROM | TOWARD else None


def _after_asides(sentence: Sentence, clause: Clause, last: int) -> int:
    """Where what leads to a clause begins: after token ``last``, or after the asides "where I saw X" behind it."""
    begin = last + 1
    for aside in sentence.clauses:
        if last < aside.group.first < clause.group.first and _where_aside(aside):
            stops = (p for p in range(aside.group.last + 1, clause.group.first) if sentence.tokens[p].text == ",")
            begin = next(stops, begin)
    return begin


def _where_aside(clause: Clause) -> bool:
    """Whether a clause tells of a stop only what was there: "A -> B, where I saw X"."""
    return clause.link == "where" and clause.group.kind in ("see", "is", "be", "task")


def _has_event(account: Account, clause: Clause) -> bool:
    """Whether a stop has a time or an event of its own: "and I ended in D when the meeting was called"."""
    after = account.after(clause)
    return bool(clause.times) or (after is not None and after.link in TIME_LINKS)


def _geography(sentence: Sentence, first: int, last: int) -> bool:
    """Whether a way is spoken of as such: "A -> B is two ticks"."""
    tokens = sentence.tokens
    if _named(sentence, first):
        return False
    p = last + 1
    while p < len(tokens) and tokens[p].text in ("→", "back", "down", "up", "again", "->"):
        p += 1
    return p < len(tokens) and tokens[p].text in _MAPPED


def _claimed(account: Account, clause: Clause, who: str, first: int) -> bool:
    """Whether a way is what somebody claims: by a verb of saying before it, or as "X's route"."""
    said = [c for c in account.sentence.clauses if c.group.kind == "say" and c.group.first < first]
    told = any(who in (*(c.subject or ()), *c.owner) for c in said) or clause.link == "if"
    return told or clause.noun == "route" or _named(account.sentence, first) is not None


def _of_noun(sentence: Sentence, clause: Clause, first: int) -> bool:
    """Whether a list of rooms is what "route" or "path" names, not where a verb leads."""
    lead = {token.text for token in sentence.tokens[clause.first : first]}
    return clause.noun == "route" or bool(lead & ROUTE_NOUNS)


def _to_via(sentence: Sentence, first: int, last: int, rooms: list[str]) -> list[str]:
    """The rooms in the order of the way: that of "his route to A via B" ends in A."""
    leads = sentence.tokens[first - 1].text if first else ""
    between = {token.text for token in sentence.tokens[first + 1 : last]}
    return rooms[::-1] if len(rooms) == 2 and leads == "to" and between & {"via", "through"} else rooms


def _set_out_from(account: Account, clause: Clause | None, owner: tuple[str, ...]) -> list[str]:
    """The room of "I started in R, (saw X there,) then went A -> B", "from R, my route was A, B": the way's first."""
    if clause is None:
        return []
    opening = account.sentence.tokens[:3]
    if [t.text for t in opening[:1]] == ["from"] and [t.text for t in opening[2:]] == [","] and opening[1].value:
        return [opening[1].value]
    before = clause.before
    while before is not None and (before.small or before.group.kind == "see"):
        before = before.before
    if before is None or clause.link not in ("then", "and", ","):
        return []
    leaves = before.group.kind == "leave" and clause.phrase is None
    starts = leaves or before.group.lemma in ("start", "begin", "spawn")
    if not starts or before.subject != owner or len(before.places) != 1 or before.times or before.beside:
        return []
    room = before.places[0].room
    if before is clause.before:
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
        announced = _announced(sentence, at)
        stop, rooms, arrows = _extend(sentence, at, announced)
        listed = len(rooms) > 1 and announced and not _of_no_one(sentence, at)
        while listed and (resumed := _resumes(sentence, stop)):
            end, more, _ = _extend(sentence, resumed, True)
            rooms += [t.value for t in tokens[stop + 1 : resumed] if t.kind == "room" and tokens[stop + 1].text == ","]
            rooms += more
            stop = end
        if arrows or listed:
            yield at, stop, rooms
        at = stop + 1


def _of_no_one(sentence: Sentence, at: int) -> bool:
    """Whether the path spoken of is nobody's: "there is no direct path from A to B"."""
    tokens = sentence.tokens
    for p in range(at - 1, max(-1, at - 8), -1):
        lead = {token.text for token in tokens[max(0, p - 3) : p]}
        if tokens[p].text in ("path", "corridor", "way"):
            return bool(lead & {"no", "direct", "a", "the", "only"})
        if tokens[p].text == "route" and lead & {"plausible", "possible", "potential", "direct"}:
            return True
    return False


def _resumes(sentence: Sentence, stop: int) -> int | None:
    """The room with which a list goes on after an aside: "my route was A, B where I saw X, then [C], D"."""
    tokens = sentence.tokens
    aside = next((clause for clause in sentence.clauses if clause.group.first > stop), None)
    if aside is None or not (_tells_of_stop(tokens, stop, aside) or _does_a_task(tokens, stop, aside)):
        return None
    ends = next((c.group.first for c in sentence.clauses if c.group.first > aside.group.first), len(tokens))
    for p in range(aside.group.last + 1, ends):
        if tokens[p].text in (",", ")") and (at := led_on_to(tokens, p + 1, ends, aside)) is not None:
            return at
    return None


def _tells_of_stop(tokens: Sequence[Token], stop: int, aside: Clause) -> bool:
    """A, B where I saw X, B (I saw X there)."""
    return tokens[stop + 1].text in ("where", "(") and (aside.link == "where" or aside.group.kind == "see")


def _does_a_task(tokens: Sequence[Token], stop: int, aside: Clause) -> bool:
    """went to A, did a task there, back to B."""
    lead = {token.text for token in tokens[stop + 1 : aside.group.first]}
    return aside.group.kind == "task" and lead <= {",", "and", "then"} and not aside.negative


def _extend(sentence: Sentence, at: int, announced: bool) -> tuple[int, list[str], bool]:
    """How far a list of rooms goes from its first room."""
    tokens = sentence.tokens
    rooms = [tokens[at].value]
    last, arrows, aside, p, depth, slashes = at, False, False, at + 1, 0, 0
    goes = at > 0 and tokens[at - 1].text in _GOES | TOWARD
    arrow = at > 0 and tokens[at - 1].text in _LISTING and _then_room(tokens, at)
    while p < len(tokens):
        token = tokens[p]
        if token.text == "(":
            aside = aside or (p + 1 < len(tokens) and tokens[p + 1].text in _BEGIN_ASIDE)
            depth += 1
        elif token.text == ")" and depth:
            depth -= 1
        elif depth and (arrows or aside or not (token.kind == "room" and announced)):
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
        elif token.text == "after" and p + 1 < len(tokens) and tokens[p + 1].kind == "room":
            break
        elif token.kind == "word" and token.text in _GLUE and (arrow or announced or arrows):
            if token.text == "i" and (arrows or p + 1 >= len(tokens) or tokens[p + 1].text not in _WENT):
                break
        elif arrow and p + 1 < len(tokens) and token.kind == "word" and tokens[p + 1].kind == "arrow":
            pass  # "A -> engines -> B"
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
    quoted = at > 1 and tokens[at - 1].text == "'"
    if at and tokens[at - 1].text in ("between", "near", "around") and not _slashed(tokens, at):
        return False  # "your movements between A and B"
    goes = at > 0 and tokens[at - 1 - quoted].text in _GOES
    if goes and at + 2 < len(tokens) and tokens[at + 1].text in (",", "then", "after"):
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
        if p in sentence.by_token and not _of_teller(sentence, sentence.by_token[p]):
            return False
        if tokens[p].kind not in ("word", "time") and word not in (":", ",", "-", "—"):
            return False
        if word in ("when", "where", "because", "if", "saw", "but", "puts", "put", "that", "intersects", "crosses"):
            return False
        p -= 1
        steps += 1
    return False


def _of_teller(sentence: Sentence, phrase: Persons) -> bool:
    """Whether a phrase after "route" names whose it is, or who says so: "Bob's route as he told it", "as I said"."""
    owners = [other.who for other in sentence.people if other.owner and other.first < phrase.first]
    return (
        phrase.owner
        or phrase.who == sentence_voice(sentence)
        or (phrase.pronoun in ("he", "she") and phrase.who in owners)
    )


def _slashed(tokens: Sequence[Token], at: int) -> bool:
    """Whether a room begins a list like "A/B/C"."""
    return at + 1 < len(tokens) and tokens[at + 1].text == "/"


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
        if tokens[noun].text in ("because", "since", "but", "while"):
            return None
        if tokens[noun].text in ROUTE_NOUNS:
            owners = [p for p in sentence.people if p.owner and p.last < noun and noun - p.last < 7]
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
    if account.discourse.way_of and not sentence.clauses:
        return account.discourse.way_of  # "Bob, your route has no witness. A -> B -> C."
    return (account.discourse.voice,) if account.discourse.voice else None


def _mark(account: Account, first: int, last: int) -> None:
    """Verbs inside the list tell nothing more."""
    for clause in account.sentence.clauses:
        if first < clause.group.first <= last:
            aside = _aside(account.sentence, first, clause.group.first)
            if not (aside and clause.small):
                account.routed.add(clause.group.first)
            if not aside:
                clause.maybe |= clause.group.kind != "task" and (clause.group.kind != "see" or clause.link != "where")
        elif any(first <= place.at <= last for place in clause.places):
            account.routed.add(clause.group.first)


def _aside(sentence: Sentence, first: int, at: int) -> bool:
    """Whether a token stands in parentheses within a list of rooms: "A (saw Bob there), then B"."""
    words = [token.text for token in sentence.tokens[first:at]]
    return words.count("(") > words.count(")")


def _spend(sentence: Sentence, first: int, last: int, rooms: list[str]) -> None:
    """Takes the rooms of a route away from the clauses: each is told once; others in asides stay."""

    def spent(place: Place) -> bool:
        within = first <= place.at <= last
        return within and (place.room in rooms or not _aside(sentence, first, place.at))

    for clause in sentence.clauses:
        if clause.group.kind == "task" and first < clause.group.first <= last:
            continue
        clause.places = [place for place in clause.places if not spent(place)]
        clause.fronted = [place for place in clause.fronted if not spent(place)]
