"""Clauses of a sentence: a verb group, whom it is said of, and what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from quack_eval.claims.grammar.chunks import MAYBE, TO, Group, Persons, groups, persons
from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import (
    ADVERBS,
    BASE,
    BELIEVING,
    BODY_WORDS,
    CONNECTIVES,
    DETERMINERS,
    EITHER,
    EYES,
    FINITE,
    GERUND,
    PARTICIPLE,
    PLACE_NOUNS,
    PREPOSITIONS,
    ROUTE_NOUNS,
    SAID_NOUNS,
    TIME_LINKS,
)
from quack_eval.claims.grammar.times import WEAK

_STOPS = frozenset({",", ";", "—", ":", "(", ")", "-"})
_AT_HERE = frozenset(["already", "right", "in", "was", "were", "still", "am", "'m", "lying"])
_BESIDE = frozenset({"next", "adjacent", "connected", "connects", "connecting", "closest"})
_ASKS = frozenset(
    [
        "know",
        "hear",
        "about",
        "explain",
        "exactly",
        "say",
        "tell",
        "ask",
        "clarify",
        "confirm",
        "wonder",
        "sure",
        "question",
        "account",
        "of",
    ]
)
_DOING = ("find", "leave", "enter", "move", "be", "task", "report", "see")
_LIGHT = ADVERBS - {"then", "so"}
_HYPOTHETICAL = frozenset({"if", "either", "unless", "whether", "assuming", "suppose", "supposing"})


@dataclass(slots=True)
class Place:
    """A room with the preposition before it."""

    preposition: str
    room: str
    at: int


@dataclass(slots=True)
class Clause:
    """One assertion in the making.

    ``subject``: the players it is said of, or None where it is said of no player; ``indefinite`` is "nobody" or
    "anybody" for such subjects. ``noun``: "route", "body", "said" or "" for other subjects. ``link``: the connective
    before it. ``small``: perceived by the subject of the clause ``above`` ("saw Eve leave"); ``placed``: where
    ("saw Eve in R coming from Q").
    """

    group: Group
    subject: tuple[str, ...] | None = None
    phrase: Persons | None = None
    indefinite: str = ""
    noun: str = ""
    owner: tuple[str, ...] = ()
    link: str = ""
    small: bool = False
    above: Clause | None = None
    before: Clause | None = None
    first: int = 0
    last: int = 0
    front: tuple[int, int] = (0, 0)
    rest: tuple[int, int] = (0, 0)
    places: list[Place] = field(default_factory=list)
    placed: list[Place] = field(default_factory=list)
    fronted: list[Place] = field(default_factory=list)
    objects: list[Persons] = field(default_factory=list)
    beside: list[tuple[str, Persons]] = field(default_factory=list)
    owners: list[Persons] = field(default_factory=list)
    times: list[Token] = field(default_factory=list)
    words: frozenset[str] = frozenset()
    maybe: bool = False
    supposed: bool = False
    negative: bool = False

    @property
    def subject_named(self) -> bool:
        """Whether the subject is a player named right before the verb."""
        return self.phrase is not None

    def link_before(self, sentence: Sentence) -> str:
        """The word right before the verb."""
        return sentence.tokens[self.group.first - 1].text if self.group.first else ""

    def objects_of(self, sentence: Sentence) -> tuple[str, ...]:
        """The players right after the verb: whom it was done to."""
        p = self.group.last + 1
        phrase = next((phrase for phrase in sentence.people if p <= phrase.first <= p + 1), None)
        return () if phrase is None or phrase.owner else phrase.who


@dataclass(slots=True)
class Sentence:
    """The tokens of a sentence with its phrases and clauses."""

    tokens: list[Token]
    people: list[Persons]
    clauses: list[Clause]
    by_token: dict[int, Persons]


def parse(tokens: list[Token], discourse: Discourse) -> Sentence:
    """The clauses of a sentence."""
    people = persons(tokens, discourse)
    by_token = {p: phrase for phrase in people for p in range(phrase.first, phrase.last + 1)}
    sentence = Sentence(tokens, people, [], by_token)
    for group in groups(tokens, people):
        sentence.clauses.append(_clause(sentence, group))
    for number, clause in enumerate(sentence.clauses):
        after = sentence.clauses[number + 1] if number + 1 < len(sentence.clauses) else None
        clause.rest = (clause.group.last + 1, _end(sentence, clause, after.first if after else len(tokens)))
        clause.last = clause.rest[1] - 1
        _fill(sentence, clause)
    for clause in list(sentence.clauses):
        _listed_on(sentence, clause)
    for clause in sentence.clauses:
        _judge_mood(clause, sentence)
    return sentence


def _listed_on(sentence: Sentence, clause: Clause) -> None:
    """Gives "was in A before X left, and in B with Y" its second half: it goes on the clause before the dated one."""
    main, tokens = clause.above, sentence.tokens
    if clause.link not in TIME_LINKS or main is None or main.group.kind not in ("is", "be", "put"):
        return
    for p in range(clause.rest[0], clause.rest[1] - 3):
        words = [token.text for token in tokens[p : p + 3]]
        if (
            words[0] == ","
            and words[1] in ("and", "then")
            and words[2] in ("in", "at")
            and tokens[p + 3].kind == "room"
        ):
            other = replace(main, rest=(p + 1, clause.rest[1]), places=[], fronted=[], beside=[], owners=[], times=[])
            other.objects, other.front = list(main.objects), (0, 0)
            clause.rest = (clause.rest[0], p)
            for part in (clause, other):
                part.places, part.beside, part.times = [], [], []
                _fill(sentence, part)
            sentence.clauses.insert(sentence.clauses.index(clause) + 1, other)
            return


def _end(sentence: Sentence, clause: Clause, last: int) -> int:
    """Where what belongs to a verb ends: before a reason or consequence, whose own verb may be unknown."""
    tokens = sentence.tokens
    for p in range(clause.group.last + 1, last):
        if tokens[p].text in ("so", "because", "which") and (tokens[p - 1].text in _STOPS or tokens[p].text != "so"):
            return p
    return last


# --- subjects --------------------------------------------------------------------------------------------------------


def _clause(sentence: Sentence, group: Group) -> Clause:
    """The clause of a verb group, with its subject and where it begins."""
    above = sentence.clauses[-1] if sentence.clauses else None
    low = above.group.last + 1 if above else 0
    clause = Clause(group, above=above, before=above)
    p = _skip_back(sentence, group.first - 1, low)
    begin = group.first
    phrase = sentence.by_token.get(p) if p >= low else None
    word = sentence.tokens[p].text if p >= low else ""
    seen = phrase is not None and above is not None and phrase.first == above.group.last + 1
    if seen and above is not None and above.group.kind == "see" and _is_seen_only(sentence, above, group):
        begin = group.first
    elif (
        phrase is not None
        and not phrase.owner
        and not phrase.called
        and (not _governed(sentence, phrase.first - 1, low) or _told_of(sentence, phrase, group))
    ):
        begin = phrase.first
        clause.phrase, clause.subject, clause.indefinite = phrase, phrase.who, phrase.indefinite
        _perceived(clause, sentence)
    elif word == "who" or (word == "that" and _person_before(sentence, p, low)):
        begin = p
        clause.link = "who"
        before = _person_before(sentence, p, low) or _the_one(sentence, group, p, low)
        clause.subject = before.who if before else None
        clause.indefinite = before.indefinite if before else ""
    elif p < low or word in CONNECTIVES or word in _STOPS or sentence.tokens[p].kind in ("arrow", "quote"):
        begin = _near(sentence, group.first, low)
        _inherit(clause, sentence, begin < group.first or _joined(sentence, group.first, low))
    elif (group.form == GERUND or group.mood == TO) and above is not None:
        _inherit(clause, sentence, False)
    elif phrase is not None and phrase.called:
        begin = phrase.last + 1
        _inherit(clause, sentence, True)
    elif above is not None and above.group.form == GERUND and above.group.kind in _DOING and above.phrase is not None:
        begin = group.first  # "Bob finding the body in R makes sense"
    else:
        begin = _other_subject(clause, sentence, p, low)
    _link(clause, sentence, begin, low)
    return clause


def _is_seen_only(sentence: Sentence, above: Clause, group: Group) -> bool:
    """Whether who was seen does not act: "seeing Bob is", "the claim that Eve saw Bob in R lines up"."""
    if above.group.form == GERUND:
        return group.form not in (BASE, GERUND)
    between = sentence.tokens[above.group.last + 1 : group.first]
    return group.form == FINITE and group.kind in ("other", "is") and any(token.kind == "room" for token in between)


def _skip_back(sentence: Sentence, p: int, low: int) -> int:
    """Back over adverbs, times, parentheses and `in ROOM` to what may be the subject."""
    tokens = sentence.tokens
    while p >= low:
        token = tokens[p]
        if p in sentence.by_token:
            return p
        if (
            token.kind == "time"
            or (token.kind == "word" and token.text in ADVERBS and token.text not in ("so", "then"))
            or (
                token.text == "then"
                and (phrase := sentence.by_token.get(p - 1)) is not None
                and p > low
                and not phrase.called
            )
        ):
            p -= 1
        elif token.text == ")":
            p = _open(tokens, p, low) - 1
        elif token.kind == "room" and p - 1 >= low and tokens[p - 1].text in PREPOSITIONS:
            p -= 2
        elif (
            token.kind == "room" and p - 2 >= low and tokens[p - 1].text == "the" and tokens[p - 2].text in PREPOSITIONS
        ):
            p -= 3
        elif token.text == "," and p - 1 >= low and tokens[p - 1].kind == "time" and p - 2 in sentence.by_token:
            p -= 1
        else:
            return p
    return p


def _near(sentence: Sentence, first: int, low: int) -> int:
    """Where a clause without a subject of its own begins: before the adverbs at its verb."""
    while first > low and sentence.tokens[first - 1].kind == "word" and sentence.tokens[first - 1].text in _LIGHT:
        first -= 1
    return first


def _joined(sentence: Sentence, first: int, low: int) -> bool:
    """Whether a connective or a stop stands right before."""
    p = _near(sentence, first, low) - 1
    return p >= low and (sentence.tokens[p].text in CONNECTIVES or sentence.tokens[p].text in _STOPS)


def _open(tokens: Sequence[Token], p: int, low: int) -> int:
    while p > low and tokens[p].text != "(":
        p -= 1
    return p


def _governed(sentence: Sentence, p: int, low: int) -> bool:
    """Whether a phrase is the object of the preposition before it and so no subject."""
    if p < low:
        return False
    word = sentence.tokens[p].text
    return (
        word in PREPOSITIONS
        and word not in CONNECTIVES
        and word not in ("like", "past", "within", "off", "out", "down", "up")
    )


def _the_one(sentence: Sentence, group: Group, p: int, low: int) -> Persons | None:
    """Who "the one who" is in "X is the one who did"; "the only one who saw" tells of the others."""
    above = sentence.clauses[-1] if sentence.clauses and group.kind != "see" else None
    one = any(token.text in ("one", "person", "player") for token in sentence.tokens[max(low, p - 2) : p])
    return above.phrase if one and above is not None and above.group.kind == "is" and not above.negative else None


def _told_of(sentence: Sentence, phrase: Persons, group: Group) -> bool:
    """Whether a gerund tells what somebody did: "with Bob being in R", "your timeline of Bob leaving R"."""
    before = [token.text for token in sentence.tokens[max(0, phrase.first - 2) : phrase.first]]
    told = before[-1:] in (["with"], ["of"]) and before[0] != "instead"
    return told and group.form == GERUND and phrase.last == group.first - 1


def _person_before(sentence: Sentence, p: int, low: int) -> Persons | None:
    q = p - 1
    while q >= low and sentence.tokens[q].text in (",", "—", "("):
        q -= 1
    return sentence.by_token.get(q)


def _perceived(clause: Clause, sentence: Sentence) -> None:
    """Marks "saw [Eve come in]": a bare verb or a gerund after what was seen."""
    above, form = clause.above, clause.group.form
    while above is not None and above.small and above.group.kind != "see":
        above = above.above
    if above is None or clause.group.mood == TO:
        return
    sees = above.group.kind in ("see", "find") or above.group.lemma in ("have", "remember", "recall", "mention")
    bare = form == BASE and above.group.kind == "see"
    if sees and (bare or form == GERUND) and clause.group.mood != MAYBE:
        clause.small = True
        clause.above = above


def _inherit(clause: Clause, sentence: Sentence, joined: bool) -> None:
    """The subject of a clause that states none: that of the clause before it, or the speaker's at the beginning."""
    above = clause.above
    group = clause.group
    if above is None:
        called = [phrase for phrase in sentence.people if phrase.called and phrase.last < group.first - 2]
        if called and group.form == FINITE and clause.link_before(sentence) == ",":
            clause.subject, clause.phrase = called[-1].who, called[-1]  # "Bob, on the other hand, ends ..."
            return
        clause.link = "" if joined else "start"
        return
    if group.form == GERUND and above.group.kind == "see" and above.group.passive:
        clause.subject, clause.small = above.subject, True
        return
    if (
        group.form in (GERUND, BASE)
        and above.group.kind == "see"
        and above.objects_of(sentence)
        and not joined
        and above.group.lemma != "join"
    ):
        clause.subject = above.objects_of(sentence)
        clause.small = True
        return
    if group.form == GERUND and above.group.kind == "see" and not above.small and above.group.lemma != "join":
        seen = above.objects_of(sentence)
        if seen and clause.link_before(sentence) in (",", "and"):
            clause.subject, clause.small = seen, True
            return
    seers_own = group.kind in ("find", "report") and clause.link_before(sentence) in TIME_LINKS
    if above.small and group.form in (above.group.form, GERUND) and not seers_own:
        clause.small = True
        clause.subject, clause.indefinite, clause.above = above.subject, above.indefinite, above.above
        return
    source = above
    if (
        source.group.lemma == "do"
        and source.rest == (0, 0)
        and source.before is not None
        and source.group.last + 2 >= group.first
    ):
        source = source.before
    before = clause.link_before(sentence)
    if before == "which":
        return
    if source.link in TIME_LINKS and before in ("then", ",") and source.before is not None:
        source = source.before
    if source.before is not None and _in_parentheses(sentence, source, group):
        source = source.before
    while source.small and source.above is not None and (seers_own or group.form not in (BASE, GERUND)):
        source = source.above
    clause.subject, clause.indefinite, clause.owner, clause.noun = (
        source.subject,
        source.indefinite,
        source.owner,
        source.noun,
    )
    clause.negative = False


def _in_parentheses(sentence: Sentence, clause: Clause, group: Group) -> bool:
    """Whether a clause stands in parentheses that are closed before the next verb."""
    before = [token.text for token in sentence.tokens[: clause.group.first]]
    between = [token.text for token in sentence.tokens[clause.group.last : group.first]]
    return ")" in between and before.count("(") > before.count(")")


def _other_subject(clause: Clause, sentence: Sentence, p: int, low: int) -> int:
    """A subject that is no player: where it begins; its noun and whose it is."""
    tokens = sentence.tokens
    begin = p
    if tokens[p].kind in ("room", "time"):
        alone = p > low and (tokens[p - 1].text in CONNECTIVES or tokens[p - 1].text in ("—", ";")) and p - 2 >= low
        return p if alone and tokens[p - 2].kind != "room" else clause.group.first
    while begin > low and _of_subject(sentence, begin - 1):
        begin -= 1
    words = {tokens[q].text for q in range(begin, p + 1)}
    owners = [phrase for phrase in sentence.people if phrase.owner and begin <= phrase.first <= p]
    clause.owner = owners[-1].who if owners else ()
    others = [phrase for phrase in sentence.people if not phrase.owner and begin <= phrase.first <= p]
    if words & BODY_WORDS:
        clause.noun = "body"
        clause.owner = clause.owner or (others[-1].who if others else ())
    elif words & EYES:
        clause.noun = "eyes"
    elif words & PLACE_NOUNS:
        clause.noun = "place"
    elif words & {"task", "tasks"} and clause.owner:
        clause.noun = "task"
    elif words & ROUTE_NOUNS:
        clause.noun = "route"
    elif words & SAID_NOUNS:
        clause.noun = "said"
    elif tokens[p].kind == "word" and clause.group.form in (GERUND, PARTICIPLE, EITHER) and others:
        clause.subject = None
    return begin


def _of_subject(sentence: Sentence, p: int) -> bool:
    """Whether a token may stand inside a subject that is no player."""
    token = sentence.tokens[p]
    if token.kind in ("room", "time"):
        return p == 0 or sentence.tokens[p - 1].kind == "poss" or sentence.tokens[p - 1].text in DETERMINERS
    return (
        token.text not in CONNECTIVES
        and token.text not in _STOPS
        and token.text not in ("in", "at", "from", "to", "into")
    )


def _link(clause: Clause, sentence: Sentence, begin: int, low: int) -> None:
    """The connective before the subject, and where what is put before it begins."""
    tokens = sentence.tokens
    p = begin
    while p > low:
        token = tokens[p - 1]
        if (
            token.kind in ("time", "room")
            or (
                token.kind == "word"
                and token.text in PREPOSITIONS | DETERMINERS | ADVERBS
                and token.text not in CONNECTIVES
            )
            or token.text == ","
        ):
            if token.text == "," and not any(tokens[q].kind in ("room", "time") for q in range(p, begin)):
                pass
            p -= 1
        else:
            break
    start = _front(tokens, p, begin, low) if clause.phrase is not None else begin
    clause.front = (start, begin)
    clause.first = start
    q = start - 1
    links = []
    while q >= low and (tokens[q].text in CONNECTIVES or tokens[q].text in _STOPS or tokens[q].text in ADVERBS):
        if tokens[q].text == "that" and q and tokens[q - 1].text in ("after", "before"):
            break
        links.append(tokens[q].text)
        q -= 1
    clause.first = max(low, min(start, q + 1)) if links else start
    named = [word for word in links if word in CONNECTIVES and word not in ("and", "but", "so")]
    if not clause.link:
        clause.link = named[0] if named else (links[-1] if links else "")


def _front(tokens: Sequence[Token], p: int, begin: int, low: int) -> int:
    """Where the room and time before a subject begin: only after a stop, a connective or at the beginning."""
    for start in range(p, begin):
        if start > 1 and tokens[start - 1].text in ("and", "or") and tokens[start - 2].kind == "room":
            continue
        opens = (
            start == low == 0 or start == 0 or tokens[start - 1].text in CONNECTIVES or tokens[start - 1].text in _STOPS
        )
        inside = tokens[start:begin]
        if opens and tokens[start].text != "," and any(token.kind in ("room", "time") for token in inside):
            return start
    return begin


# --- what stands beside the verb -------------------------------------------------------------------------------------


def _fill(sentence: Sentence, clause: Clause) -> None:
    """Places, players and times of a clause."""
    first, last = clause.rest
    clause.fronted = _places(sentence.tokens, *clause.front)
    clause.places = _places(sentence.tokens, first, last)
    clause.times = [t for t in sentence.tokens[clause.front[0] : clause.front[1]] if t.kind == "time"]
    clause.times = [t for t in sentence.tokens[first:last] if t.kind == "time"] + clause.times
    between = sentence.tokens[clause.phrase.last + 1 : clause.group.first] if clause.phrase else []
    clause.times += [t for t in between if t.kind == "time"]
    if clause.phrase is not None and clause.small and clause.above is not None:
        clause.placed = _places(sentence.tokens, clause.phrase.last + 1, clause.group.first)
        clause.above.places += clause.placed
    clause.words = frozenset(t.text for t in sentence.tokens[first:last] if t.kind in ("word", "arrow"))
    preposition = ""
    for p in range(first, last):
        token = sentence.tokens[p]
        phrase = sentence.by_token.get(p)
        if phrase is not None:
            if phrase.first == p:
                _beside(clause, phrase, preposition)
        elif token.kind == "word" and token.text in PREPOSITIONS:
            preposition = token.text
        elif token.text in _STOPS or token.text in CONNECTIVES or token.kind in ("room", "time"):
            preposition = ""
    clause.negative = clause.group.negative or _before_negative(sentence, clause)
    if clause.group.kind in ("is", "be") and "nowhere" in clause.words:
        at = next(p for p in range(first, last) if sentence.tokens[p].text == "nowhere")
        clause.negative |= not any(place.at < at for place in clause.places)


def _beside(clause: Clause, phrase: Persons, preposition: str) -> None:
    if phrase.owner:
        clause.owners.append(phrase)
    elif phrase.called:
        return
    elif preposition:
        clause.beside.append((preposition, phrase))
    else:
        clause.objects.append(phrase)


def _before_negative(sentence: Sentence, clause: Clause) -> bool:
    """neither of us saw, nor did I see, without seeing."""
    words = [t.text for t in sentence.tokens[max(0, clause.first - 1) : clause.group.first]]
    if any(word in ("neither", "nor", "without") for word in words):
        return True
    before = clause.before
    joined = clause.group.first > 0 and sentence.tokens[clause.group.first - 1].text in ("or", "nor")
    if joined and before is not None and before.negative and clause.phrase is None:
        return True
    if (
        before is None
        or before.group.lemma not in ("do", "have")
        or before.objects
        or before.group.last + 2 < clause.group.first
    ):
        return False
    lead = [t.text for t in sentence.tokens[max(0, before.group.first - 2) : before.group.first]]
    return lead == ["no", "point"] or bool(lead and lead[-1] in ("nor", "neither", "never"))


def _places(tokens: Sequence[Token], first: int, last: int) -> list[Place]:
    """The rooms between two tokens, each with its preposition; "there" and "here" are rooms to be resolved."""
    found: list[Place] = []
    preposition = ""
    for p in range(first, last):
        token = tokens[p]
        if token.kind == "room":
            lead = [t.text for t in tokens[max(first, p - 3) : p]]
            if set(lead) & _BESIDE:
                continue
            if "not" in lead and {",", "but"} & {t.text for t in tokens[max(first, p - 5) : p]}:
                continue
            found.append(Place(preposition, token.value, p))
        elif (token.text == "there" and not _room_follows(tokens, p)) or (
            token.text == "here" and p and tokens[p - 1].text in _AT_HERE
        ):
            found.append(Place("in", "", p))
        elif token.kind == "word" and token.text in PREPOSITIONS:
            preposition = _together(tokens, p)
        elif token.text in ("then", "heading", "directly"):
            preposition = preposition if token.text != "then" else ""
        elif token.kind in ("time", "name") or token.text in (",", "—", ";", "("):
            preposition = preposition if token.text == "," else ""
    return found


def _room_follows(tokens: Sequence[Token], p: int) -> bool:
    """Whether "there in R" names the room itself."""
    words = tokens[p + 1 : p + 4]
    if not words or words[0].text not in ("in", "at"):
        return False
    return any(token.kind == "room" for token in words[1:])


def _together(tokens: Sequence[Token], p: int) -> str:
    """A preposition of several words as one: out of, up to, in from, next to."""
    word = tokens[p].text
    before = tokens[p - 1].text if p else ""
    if word == "of" and before in ("out", "outside", "inside"):
        return "from" if before == "out" else before
    if word == "of" and before in ("direction", "side"):
        return "from" if "from" in [t.text for t in tokens[max(0, p - 3) : p]] else "to"
    return word


def _judge_mood(clause: Clause, sentence: Sentence) -> None:
    """Marks what is only possible: conditions, what hangs on them, modals, infinitives."""
    above = clause.above
    lead = [t.text for t in sentence.tokens[max(0, clause.group.first - 2) : clause.group.first]]
    if lead == ["instead", "of"] or lead[-1:] == ["instead"]:
        clause.maybe = True
        return
    if _supposed(clause):
        clause.supposed = clause.maybe = True
        return
    if _opinion(clause, sentence):
        clause.maybe = True
        return
    goes_on = (
        clause.group.mood == TO
        and clause.group.kind == "move"
        and above is not None
        and above.group.kind in ("leave", "move")
    )
    if goes_on and above is not None and not above.maybe:
        return
    can = clause.group.kind == "say" and sentence.tokens[clause.group.first].text == "can"
    if can and clause.link not in _HYPOTHETICAL:
        clause.maybe = clause.negative or clause.indefinite == "nobody"
        return
    if above is not None and clause.link == "that" and above.negative and "true" in above.words:
        clause.negative = not clause.negative
    if (
        clause.group.mood in (MAYBE, TO)
        or clause.link in _HYPOTHETICAL
        or (above is not None and above.maybe and (clause.small or clause.link == "that" or clause.link in TIME_LINKS))
    ):
        clause.maybe = True
    elif above is not None and above.group.mood == TO and not above.supposed and clause.group.form in (FINITE, EITHER):
        clause.maybe = False
    elif (
        (
            above is not None
            and above.maybe
            and clause.phrase is None
            and clause.link not in ("because", "since", "then", "but", ":", ";")
        )
        or (above is not None and above.link in _HYPOTHETICAL and clause.link == "and")
        or (above is not None and above.maybe and above.group.kind == "say" and above.link == "and")
        or (above is not None and above.group.lemma == "lie" and "about" in above.words and clause.group.form == GERUND)
        or (above is not None and above.maybe and clause.group.form == BASE and clause.phrase is None)
        or (
            above is not None
            and above.negative
            and above.group.lemma in ("say", "claim", "mention", "state", "confirm", "verify", "prove")
            and clause.before is above
        )
    ):
        clause.maybe = True
    elif (
        above is not None
        and above.group.kind == "is"
        and (above.words & {"possible", "likely", "unlikely", "impossible"} or above.words >= {"no", "way"})
        and clause.before is above
    ):
        clause.supposed = clause.maybe = True
    elif (
        above is not None and above.group.lemma in BELIEVING and clause.before is above and clause.link in ("", "that")
    ) or (clause.link in ("where", "who", "what", "how", "which") and _asked(sentence, clause)):
        clause.maybe = True


def _opinion(clause: Clause, sentence: Sentence) -> bool:
    """I don't see Alice doing that, I can't see how: nothing that was not seen."""
    words = [token.text for token in sentence.tokens[clause.group.first : clause.group.last + 1]]
    present = words[0] in ("do", "does", "ca", "can") and words[-1] == "see"
    return clause.negative and clause.group.lemma == "see" and present


def _supposed(clause: Clause) -> bool:
    """Whether a clause belongs to a condition: begun by "if", or joined to one that is."""
    if clause.link in _HYPOTHETICAL:
        return True
    before = clause.before
    if before is None or not before.supposed:
        return False
    return (
        clause.small
        or clause.link in ("and", "or", "that")
        or clause.link in TIME_LINKS
        or (clause.phrase is None and clause.link in ("", ",", "then") and before.phrase is not None)
    )


def _asked(sentence: Sentence, clause: Clause) -> bool:
    """Whether "where X was" is what the speaker asks for or speaks of, no statement."""
    tokens = sentence.tokens
    at = next(
        (p for p in range(clause.group.first, max(-1, clause.first - 3), -1) if tokens[p].text == clause.link), None
    )
    seen = clause.above is not None and clause.above.group.kind == "see"
    told = clause.link == "where" and clause.group.kind == "find" and clause.phrase is not None
    if at is None or told or clause.link == "who" or (clause.link == "how" and seen):
        return False
    lead = tokens[max(0, at - 5) : at]
    if any(token.kind == "room" or token.text in ("there", "here", "room") for token in lead):
        return False
    return not clause.places or any(token.text in _ASKS for token in lead)


def time_of(clause: Clause) -> Token | None:
    """The time phrase that says most: with ticks before others."""
    strong = [t for t in clause.times if t.text.strip() not in WEAK]
    numbered = [t for t in strong if any(char.isdigit() for char in t.text)]
    return next(iter(numbered or strong), None)
