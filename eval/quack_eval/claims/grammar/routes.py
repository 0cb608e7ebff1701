"""Ways given as lists of rooms: by arrows, or after "my route was"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from quack_eval.claims.grammar.account import FROM, TOWARD, Account, Step
from quack_eval.claims.grammar.asides import led_on_to
from quack_eval.claims.grammar.chunks import Persons
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import GERUND, MODALS, ROUTE_NOUNS, TIME_LINKS, word_set
from quack_eval.claims.grammar.parts import Clause, Place, Sentence, verbless_clause
from quack_eval.claims.grammar.verbs import MAYBE
from quack_eval.claims.grammar.words import kind_at, skip, text_at, texts

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


_THROUGH = frozenset({"back", "to", "toward", "towards", "into", "through", "up", "down", "over", "the"})
"""What may stand between "then" and a room."""
_NO_LIST = word_set("when where because if saw but puts put that intersects crosses")
"""What must not stand between "route" and the rooms of a list."""
_MAPPED = word_set("is are takes would connects connect corridor distance path trip access could might")
"""What stands after two rooms of which only the map is spoken: "A -> B takes two ticks"."""


def routes(account: Account) -> None:
    """Adds the routes of a sentence, and marks the verb groups that they use up."""
    sentence = account.sentence
    for first, last, rooms in _runs(sentence):
        clause = sentence.clause_at(first)
        owner = _owner(account, clause, first)
        if _only_asked_for(account, clause, owner, first, rooms):
            continue
        if _geography(sentence, first, last) or _would_be(clause):
            _spend(sentence, first, last, rooms)
        elif owner:
            _spend(sentence, first, last, _tell(account, clause, owner, first, last, rooms))


def _tell(
    account: Account, clause: Clause | None, owner: tuple[str, ...], first: int, last: int, rooms: list[str]
) -> list[str]:
    """Tells a list of rooms, as a way where it is one; the rooms that are told by it."""
    sentence, tokens = account.sentence, account.tokens
    moves = clause is not None and clause.group.kind in ("move", "enter", "leave", "is", "be")
    negative = moves and clause is not None and clause.negative and clause.group.last < first
    dated = clause or _dated(sentence)
    told = clause or next(iter(sentence.clauses), dated)
    _mark(account, first, last)
    if len(rooms) == 2 and text_at(tokens, first - 1) == "from":
        for who in owner:
            account.activity(dated, who, "traveling", rooms[1], rooms[0], negative)
        return rooms
    if last == first + 2 and text_at(tokens, first + 1) == "/":  # "my route was A/B": in no order
        return _tell_each(account, dated, owner, rooms, negative)
    rooms = _set_out_from(account, clause, owner) + _to_via(sentence, first, last, rooms)
    more, end = _last_stops(account, owner, last)
    rooms += more
    if negative and "or" in texts(tokens, first, last):  # "my route was not A or B"
        return _tell_each(account, told, owner, rooms, True)
    for who in owner:
        source = account.source
        if who != account.discourse.speaker and not source and _claimed(account, told, who, first):
            account.source = who
        account.route(told, who, rooms, negative)
        account.source = source
    if moves and not negative and not _of_noun(sentence, told, first):
        account.steps.append(Step(told, owner, tuple(rooms)))  # "I came A -> B and then left toward C"
    _stands_at_end(account, told, owner, end, rooms[-1])
    _met_on_the_way(account, owner, first, last)
    return rooms


def _tell_each(account: Account, clause: Clause, owner: tuple[str, ...], rooms: list[str], negative: bool) -> list[str]:
    """Tells rooms each by itself, and gives them back."""
    for who, room in product(owner, rooms):
        account.location(clause, who, room, negative)
    return rooms


def _only_asked_for(
    account: Account, clause: Clause | None, owner: tuple[str, ...], first: int, rooms: list[str]
) -> bool:
    """Whether a way is what the speaker wants to hear, or only supposed."""
    if clause is None:
        return False
    wanted = clause.group.lemma in ("hear", "need", "want", "know", "like", "explain")
    supposed = clause.link in ("if", "unless") or (clause.maybe and not _named(account.sentence, first))
    return wanted or (supposed and not _as_claimed(account, clause, owner, first, rooms))


def _as_claimed(account: Account, clause: Clause, owner: tuple[str, ...] | None, first: int, rooms: list[str]) -> bool:
    """Whether a condition repeats a way that somebody claimed: "if Bob's route was A -> B -> C"."""
    if clause.link != "if" or not owner or account.discourse.speaker in owner or len(rooms) < 3:
        return False
    words = set(account.words(clause.group.first - 3, first))
    claimed = _named(account.sentence, first) or words & {"really", "actually", "truly"}
    return bool(claimed or clause.group.lemma == "come") and not words & (MODALS | {"had"})


def _would_be(clause: Clause | None) -> bool:
    """Whether a way is only thought of: "my route would have to be A -> B"."""
    said = [clause.above, clause] if clause is not None else []
    return any(part is not None and part.noun == "route" and part.group.mood == MAYBE for part in said)


def _stands_at_end(account: Account, clause: Clause, owner: tuple[str, ...], last: int, room: str) -> None:
    """The last room of a way has its own claim where an event dates it: "... and finally R, where the report came"."""
    tokens = account.tokens
    at = skip(tokens, last + 1, (",", "(", "right", "just"))
    dated = text_at(tokens, at) in ("where", "when", "as") and _EVENTS & set(texts(tokens, at, last + 8))
    if dated or {"meeting", "report"} & set(text_at(tokens, at).split()):
        for who in owner if not clause.negative else ():
            account.location(clause, who, room)


def _met_on_the_way(account: Account, owner: tuple[str, ...], first: int, last: int) -> None:
    """Stops where somebody was met have their own claim: "A (where Bob saw me) -> B, where I saw Eve"."""
    tokens, by_token = account.tokens, account.sentence.by_token
    for clause in account.sentence.clauses:
        if clause.link != "where" or clause.group.kind != "see" or clause.negative or clause.maybe:
            continue
        at = next((p for p in range(clause.group.first, -1, -1) if tokens[p].kind == "room"), -1)
        between = {tokens[p].text for p in range(at + 1, clause.group.first) if p not in by_token}
        if not first <= at <= last or between - _TO_ASIDE:
            continue
        met = {*clause.subject, *clause.objects_of(account.sentence)}
        for who in owner:
            if who in met and len(met) > 1:
                account.location(clause, who, tokens[at].value)


def _last_stops(account: Account, owner: tuple[str, ...], last: int) -> tuple[list[str], int]:
    """The rooms of "A -> B, and then I went to C before ending in D", which end the way, and where the last stands."""
    rooms: list[str] = []
    for clause in account.sentence.clauses:
        if clause.group.first <= last or _where_aside(clause):
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
    between = texts(sentence.tokens, _after_asides(sentence, clause, last), clause.group.first)
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
    return text_at(tokens, skip(tokens, last + 1, ("→", "->", "back", "down", "up", "again"))) in _MAPPED


def _claimed(account: Account, clause: Clause, who: str, first: int) -> bool:
    """Whether a way is what somebody claims: by a verb of saying before it, or as "X's route"."""
    said = [c for c in account.sentence.clauses if c.group.kind == "say" and c.group.first < first]
    told = any(who in (*c.subject, *c.owner) for c in said) or clause.link == "if"
    return told or clause.noun == "route" or bool(_named(account.sentence, first))


def _of_noun(sentence: Sentence, clause: Clause, first: int) -> bool:
    """Whether a list of rooms is what "route" or "path" names, not where a verb leads."""
    lead = set(texts(sentence.tokens, clause.first, first))
    return clause.noun == "route" or bool(lead & ROUTE_NOUNS)


def _to_via(sentence: Sentence, first: int, last: int, rooms: list[str]) -> list[str]:
    """The rooms in the order of the way: that of "his route to A via B" ends in A."""
    leads = text_at(sentence.tokens, first - 1)
    between = set(texts(sentence.tokens, first + 1, last))
    return rooms[::-1] if len(rooms) == 2 and leads == "to" and between & {"via", "through"} else rooms


def _set_out_from(account: Account, clause: Clause | None, owner: tuple[str, ...]) -> list[str]:
    """The room of "I started in R, (saw X there,) then went A -> B", "from R, my route was A, B": the way's first."""
    if clause is None:
        return []
    opening = account.tokens[:3]
    if texts(opening, 0)[::2] == ["from", ","] and opening[1].kind == "room":
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


def _dated(sentence: Sentence) -> Clause:
    """The clause of a list of rooms before any verb, with the times of the sentence."""
    clause = verbless_clause()
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
            rooms += [
                t.value for t in tokens[stop + 1 : resumed] if t.kind == "room" and text_at(tokens, stop + 1) == ","
            ]
            rooms += more
            stop = end
        if arrows or listed:
            yield at, stop, rooms
        at = stop + 1


def _of_no_one(sentence: Sentence, at: int) -> bool:
    """Whether the path spoken of is nobody's: "there is no direct path from A to B"."""
    tokens = sentence.tokens
    for p in range(at - 1, max(-1, at - 8), -1):
        lead = set(texts(tokens, p - 3, p))
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
    return text_at(tokens, stop + 1) in ("where", "(") and (aside.link == "where" or aside.group.kind == "see")


def _does_a_task(tokens: Sequence[Token], stop: int, aside: Clause) -> bool:
    """went to A, did a task there, back to B."""
    lead = set(texts(tokens, stop + 1, aside.group.first))
    return aside.group.kind == "task" and lead <= {",", "and", "then"} and not aside.negative


def _extend(sentence: Sentence, at: int, announced: bool) -> tuple[int, list[str], bool]:
    """How far a list of rooms goes from its first room."""
    tokens = sentence.tokens
    rooms = [tokens[at].value]
    last, arrows, aside, p, depth, slashes = at, False, False, at + 1, 0, 0
    goes = text_at(tokens, at - 1) in _GOES | TOWARD
    arrow = text_at(tokens, at - 1) in _LISTING and _then_room(tokens, at)
    while p < len(tokens):
        token = tokens[p]
        if token.text == "(":
            aside = aside or (text_at(tokens, p + 1) in _BEGIN_ASIDE)
            depth += 1
        elif token.text == ")" and depth:
            depth -= 1
        elif depth and (arrows or aside or not (token.kind == "room" and announced)):
            pass
        elif token.kind == "room":
            if not announced and not arrow and text_at(tokens, p - 1) != "/":
                break
            rooms.append(token.value)
            slashes += text_at(tokens, p - 1) == "/"
            arrows, last, arrow = arrows or arrow or (slashes > 1 and goes), p, _then_room(tokens, p)
        elif token.kind == "arrow":
            arrow = True
        elif token.kind == "time" or (
            token.text in (",", "/", ")") and (announced or arrows or arrow or token.text == "/")
        ):
            pass
        elif token.text == "after" and kind_at(tokens, p + 1) == "room":
            break
        elif token.kind == "word" and token.text in _GLUE and (arrow or announced or arrows):
            if token.text == "i" and (arrows or p + 1 >= len(tokens) or text_at(tokens, p + 1) not in _WENT):
                break
        elif arrow and token.kind == "word" and kind_at(tokens, p + 1) == "arrow":
            pass  # "A -> engines -> B"
        else:
            break
        p += 1
    return last, rooms, arrows


def _then_room(tokens: Sequence[Token], p: int) -> bool:
    """Whether "then" and another room follow without a verb: "A, then back to B"."""
    p += 1
    p += text_at(tokens, p) in (",", "and")
    p += text_at(tokens, p) == "and"
    if text_at(tokens, p) != "then":
        return False
    return kind_at(tokens, skip(tokens, p + 1, _THROUGH)) == "room"


def _announced(sentence: Sentence, at: int) -> bool:
    """Whether "route" or "path" stands before the room, with nothing between but what leads to a list."""
    tokens = sentence.tokens
    if any(token.text == "order" for token in tokens):
        return True
    quoted = text_at(tokens, at - 1) == "'"
    if text_at(tokens, at - 1) in ("between", "near", "around") and text_at(tokens, at + 1) != "/":
        return False  # "your movements between A and B"
    goes = text_at(tokens, at - 1 - quoted) in _GOES
    if goes and at + 2 < len(tokens) and text_at(tokens, at + 1) in (",", "then", "after"):
        return True
    reach = 25 if text_at(tokens, at - 1) == ":" else 12
    for p in range(at - 1, max(-1, at - 1 - reach), -1):
        word = tokens[p].text
        if _names_a_route(tokens, p):
            return True
        if p in sentence.by_token and not _of_teller(sentence, sentence.by_token[p]):
            return False
        if tokens[p].kind not in ("word", "time") and word not in (":", ",", "-", "—"):
            return False
        if word in _NO_LIST:
            return False
    return False


def _names_a_route(tokens: Sequence[Token], p: int) -> bool:
    """Whether a noun names a way: "round" and "way" do only in "the whole round", "my way"."""
    word = tokens[p].text
    if word == "round":
        return text_at(tokens, p - 1) in ("whole", "entire")
    return text_at(tokens, p - 1) == "my" if word == "way" else word in ROUTE_NOUNS


def _of_teller(sentence: Sentence, phrase: Persons) -> bool:
    """Whether a phrase after "route" names whose it is, or who says so: "Bob's route as he told it", "as I said"."""
    owners = [other.who for other in sentence.people if other.owner and other.first < phrase.first]
    says_i = next((other.who for other in sentence.people if other.pronoun == "i"), ())
    return phrase.owner or phrase.who == says_i or (phrase.pronoun in ("he", "she") and phrase.who in owners)


def _named(sentence: Sentence, at: int) -> tuple[str, ...] | None:
    """Whose route it is by "X's route" before it; None where no route is named so."""
    tokens = sentence.tokens
    for noun in range(at - 1, max(-1, at - 13), -1):
        if tokens[noun].text in ("because", "since", "but", "while"):
            break
        if tokens[noun].text in ROUTE_NOUNS:
            owners = [p for p in sentence.people if p.owner and p.last < noun and noun - p.last < 7]
            if owners and text_at(tokens, owners[-1].first - 1) != "from":
                return owners[-1].who
    return None


def _owner(account: Account, clause: Clause | None, at: int) -> tuple[str, ...]:
    """Whose way it is."""
    sentence = account.sentence
    if (named := _named(sentence, at)) is not None:
        return named
    if clause is not None and clause.noun == "route" and not clause.owner:
        return ()
    if clause is not None and clause.group.first < at and clause.subject:
        return clause.subject
    if clause is not None and clause.owner:
        return clause.owner
    before = [phrase for phrase in sentence.people if phrase.last < at and not phrase.called]
    if before:
        return before[-1].who
    if account.discourse.way_of and not sentence.clauses:
        return account.discourse.way_of  # "Bob, your route has no witness. A -> B -> C."
    return (account.voice,)


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
